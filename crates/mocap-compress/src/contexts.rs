//! Contexts of the residual models: what the probability of a number depends on.

/// Half octaves of the expected magnitude, from 1/32 up.
pub(crate) const BUCKETS: usize = 40;
/// Information about axes that are already coded: none; smaller than, equal to, or larger than expected.
pub(crate) const NEIGHBOURS: usize = 4;

/// The half octave of an expected magnitude.
#[inline]
pub(crate) fn bucket(expected: f32) -> usize {
    // The exponent and the first bit of the mantissa give nearly half octaves.
    let bits = (expected.max(1.0 / 32.0)).to_bits() >> 22;
    ((bits - (122 << 1)) as usize).min(BUCKETS - 1)
}
