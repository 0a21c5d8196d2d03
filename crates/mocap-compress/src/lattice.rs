//! The lattice of decoded values around a prediction.
//!
//! There are two lattices. The cubic one is cheapest if most residuals are zero. The body-centred cubic one
//! covers space with the fewest points for a given distance to the nearest point, so it is cheapest otherwise.
//! Based on: J. H. Conway, N. J. A. Sloane, "Sphere packings, lattices and groups", 1988, chapter 2.

/// Which points of the grid are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// All.
    Cubic,
    /// Those whose three coordinates are all even or all odd.
    BodyCentred,
}

/// A lattice of residual vectors: integers times a basis.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Lattice {
    pub(crate) kind: Kind,
    /// By column: the vector of one step of each number.
    pub(crate) basis: [[f32; 3]; 3],
}

/// A point of a lattice made finer by halving all steps `refine` times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Residual {
    pub(crate) k: [i32; 3],
    pub(crate) refine: u8,
}

/// Greatest number of halvings of the coarsest steps.
pub(crate) const FINEST: u8 = 10;

/// `0.5^halvings`, exactly.
#[inline(always)]
pub(crate) fn power_of_half(halvings: u8) -> f32 {
    f32::from_bits((127 - u32::from(halvings)) << 23)
}

impl Residual {
    /// The numbers in coarsest steps.
    #[inline]
    pub(crate) fn numbers(self) -> [f32; 3] {
        let scale = power_of_half(self.refine);
        let [x, y, z] = self.k;
        [x as f32 * scale, y as f32 * scale, z as f32 * scale]
    }
}

impl Lattice {
    /// The vector of numbers of steps.
    #[inline]
    pub(crate) fn vector(&self, [a, b, c]: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = &self.basis;
        let part = |i: usize| x[i] * a + y[i] * b + z[i] * c;
        [part(0), part(1), part(2)]
    }
}

/// A column of a basis as stored: the power of two of its largest component in eighths, and all three
/// components relative to the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) scale: i32,
    pub(crate) direction: [i32; 3],
}

/// Resolution of a component of a direction.
pub(crate) const DIRECTION: i32 = 24;

/// 2^(i/8).
#[allow(clippy::approx_constant, reason = "a table of the format, not a constant of mathematics")]
const EIGHTHS: [f32; 8] =
    [1.0, 1.090_507_7, 1.189_207_1, 1.296_839_6, 1.414_213_5, 1.542_210_8, 1.681_792_9, 1.834_008_1];

/// 2^(scale/8), with the same bits on every machine.
pub(crate) fn scale_of(scale: i32) -> f32 {
    let scale = scale.clamp(-800, 800);
    f32::from_bits(((127 + scale.div_euclid(8)) as u32) << 23) * EIGHTHS[scale.rem_euclid(8) as usize]
}

impl Column {
    /// The vector.
    pub(crate) fn vector(self) -> [f32; 3] {
        let scale = scale_of(self.scale) / DIRECTION as f32;
        self.direction.map(|part| part.clamp(-DIRECTION, DIRECTION) as f32 * scale)
    }

    /// The stored form of a vector. Its largest component is rounded down, by at most an eighth of
    /// an octave.
    #[cfg(feature = "encode")]
    pub(crate) fn nearest(vector: [f64; 3]) -> Column {
        let largest = vector.iter().fold(0.0f64, |max, value| max.max(value.abs())).max(1e-30);
        let scale = ((largest.log2() * 8.0).floor() as i32).clamp(-800, 800);
        let direction = vector.map(|value| (value / largest * f64::from(DIRECTION)).round() as i32);
        Column { scale, direction }
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;

    #[test]
    fn scales_are_powers_of_two_in_eighths() {
        assert_eq!(scale_of(0), 1.0);
        assert_eq!(scale_of(-16), 0.25);
        for scale in -200..200 {
            assert!((f64::from(scale_of(scale)) / (f64::from(scale) / 8.0).exp2() - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn stored_columns_are_near_the_vector() {
        let column = Column::nearest([0.01, -0.002, 0.0004]);
        let vector = column.vector();
        assert!(vector[0] <= 0.01 && vector[0] > 0.0091, "{vector:?}");
        assert!((vector[1] / vector[0] + 0.2).abs() < 0.03);
    }
}
