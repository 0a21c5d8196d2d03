//! Bounds of a value axis that are not stretched by single broken frames.

/// Values that last less than this may be broken frames \[s\] …
const SHORT: f64 = 0.1;
/// … or that last fewer frames: with central differences, one broken position affects three speeds.
const FEW: usize = 4;
/// Values are cut off if the axis would otherwise extend beyond the range of the others by this factor.
const FAR_BEYOND: f64 = 2.0;

/// The bounds of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    pub low: f64,
    pub high: f64,
    /// Whether there are values below and above the bounds.
    pub cut: [bool; 2],
}

/// The bounds of curves, each as its values and its rate \[1/s\]; `None` without values.
pub(crate) fn bounds<'a>(curves: impl Iterator<Item = (&'a [f64], f64)> + Clone) -> Option<Bounds> {
    let lowest = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = |values: &[f64]| values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let low = curves.clone().map(|(values, _)| lowest(values)).fold(f64::INFINITY, f64::min);
    let high = curves.clone().map(|(values, _)| highest(values)).fold(f64::NEG_INFINITY, f64::max);
    if low > high {
        return None;
    }
    // The range is set by values that last for a whole block, not by single broken frames.
    let mut held = [f64::INFINITY, f64::NEG_INFINITY];
    for (values, rate) in curves {
        for block in values.chunks_exact(((SHORT * rate).ceil() as usize).max(FEW)) {
            held = [held[0].min(highest(block)), held[1].max(lowest(block))];
        }
    }
    let range = held[1] - held[0];
    // Bounds without a range would show nothing.
    let usable = range > 1e-9 * (high - low);
    let cut = [held[0] - low, high - held[1]].map(|beyond| usable && beyond > FAR_BEYOND * range);
    Some(Bounds { low: if cut[0] { held[0] } else { low }, high: if cut[1] { held[1] } else { high }, cut })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64], rate: f64) -> Bounds {
        bounds([(values, rate)].into_iter()).unwrap()
    }

    #[test]
    fn a_broken_frame_is_cut_off_and_a_motion_is_not() {
        let mut values: Vec<f64> = (0..120).map(|i| (f64::from(i) * 0.1).sin()).collect();
        let whole = of(&values, 30.0);
        assert_eq!(whole.cut, [false; 2]);
        assert!(whole.high > 0.99 && whole.low < -0.99);
        values[40] = 500.0;
        let cut = of(&values, 30.0);
        assert_eq!(cut.cut, [false, true]);
        assert!(cut.high > 0.8 && cut.high <= 1.0 && cut.low == whole.low, "{cut:?}");
        values[41] = -500.0;
        assert_eq!(of(&values, 30.0).cut, [true; 2]);
        // A level that lasts belongs to the motion, however far it is.
        values[60..90].fill(500.0);
        assert!(!of(&values, 30.0).cut[1]);
    }

    #[test]
    fn a_constant_has_bounds() {
        assert_eq!(of(&[2.0; 9], 30.0), Bounds { low: 2.0, high: 2.0, cut: [false; 2] });
        assert_eq!(of(&[2.0], 30.0), Bounds { low: 2.0, high: 2.0, cut: [false; 2] });
        let mut still = vec![2.0; 90];
        still[7] = 3.0;
        assert_eq!(of(&still, 30.0), Bounds { low: 2.0, high: 3.0, cut: [false; 2] });
        assert_eq!(bounds([(&[][..], 30.0)].into_iter()), None);
    }
}
