//! Lengths that are stored in metres and read back in the unit of their clip with every bit.
//!
//! Multiplying by the unit and dividing again does not always give the same bits. The difference is a few units in the
//! last place (ulps), which are stored in one byte.

/// The number of ulps from `metres / unit` to `length`; `None` where it does not fit in a byte.
pub(super) fn steps(length: f64, unit: f64) -> Option<i8> {
    let near = length * unit / unit;
    i8::try_from(ordered(length).checked_sub(ordered(near))?).ok()
}

/// The number that is so many ulps from `near`.
pub(super) fn step(near: f64, steps: i8) -> f64 {
    match steps {
        0 => near,
        steps => of_ordered(ordered(near) + i64::from(steps)),
    }
}

/// The bits of a number as an integer with the order of the numbers.
fn ordered(value: f64) -> i64 {
    let bits = value.to_bits() as i64;
    if bits < 0 { i64::MIN - bits } else { bits }
}

fn of_ordered(value: i64) -> f64 {
    f64::from_bits(if value < 0 { (i64::MIN - value) as u64 } else { value as u64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bit_comes_back() {
        let mut lost = 0;
        for i in 0..20_000 {
            let length = (f64::from(i) - 9_000.5) * 0.012_345_678_9;
            for unit in [0.01, 0.0254, 0.0254 / 0.45, 0.001] {
                let near = length * unit / unit;
                lost += usize::from(near != length);
                assert_eq!(step(near, steps(length, unit).unwrap()).to_bits(), length.to_bits());
            }
        }
        assert!(lost > 0, "a division is enough");
        assert_eq!(step(0.0 * 0.01 / 0.01, steps(0.0, 0.01).unwrap()).to_bits(), 0);
    }
}
