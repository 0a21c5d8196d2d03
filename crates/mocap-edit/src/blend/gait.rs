//! The phase of a gait: strides counted by foot strikes.

use mocap_analysis::{FootContacts, runs};
use mocap_model::Side;

use crate::body::Body;
use crate::{EditError, TimeMap};
use mocap_model::Clip;

/// The stance of a foot, from strike to lift, in phases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stance {
    pub(crate) side: Side,
    /// By foot strikes: a whole number for the left foot, half-way between two for the right.
    pub(crate) strike: f64,
    /// Where the foot leaves the floor.
    pub(crate) lift: f64,
}

/// The phase of a motion over time.
#[derive(Clone, Debug)]
pub(crate) struct Gait {
    /// From phases to times \[s\].
    times: TimeMap,
    /// The phases at the first and the last frame.
    pub(crate) range: [f64; 2],
    pub(crate) stances: Vec<Stance>,
}

impl Gait {
    /// Phases by foot strikes: the first strike is 0 for a left foot and -½ for a right foot;
    /// each later one adds ½, or 1 where the same foot strikes twice in a row.
    ///
    /// # Errors
    /// [`EditError::Phases`] without two strikes, with two in the same frame, and where feet or
    /// the unit are not known.
    pub(crate) fn of(clip: &Clip, body: &Body) -> Result<Gait, EditError> {
        let none = |reason: &str| EditError::Phases { reason: reason.into() };
        let contacts =
            body.contacts(clip).ok_or_else(|| none("no feet are known, or the unit of lengths is not"))?;
        let fps = clip.rate().fps();
        // A contact at the first frame started earlier: it has no strike.
        let mut found: Vec<(usize, usize, Side)> = Vec::new();
        for (foot, (_, FootContacts { toe, .. })) in body.feet.iter().zip(&contacts) {
            found.extend(
                runs(toe).into_iter().filter(|run| run.start > 0).map(|run| (run.start, run.end, foot.side)),
            );
        }
        found.sort_by_key(|(start, ..)| *start);
        if found.len() < 2 {
            return Err(none("fewer than two foot strikes were found"));
        }
        let mut phase = if found[0].2 == Side::Left { 0.0 } else { -0.5 };
        let mut strikes: Vec<(f64, usize, Side)> = Vec::new();
        for (start, _, side) in &found {
            if let Some((_, _, before)) = strikes.last() {
                phase += if before == side { 1.0 } else { 0.5 };
            }
            strikes.push((phase, *start, *side));
        }
        if strikes.windows(2).any(|pair| pair[1].1 == pair[0].1) {
            return Err(none("both feet strike in the same frame; a gait needs feet that strike in turn"));
        }
        let time = |frame: f64| frame / fps;
        let mut keys: Vec<(f64, f64)> =
            strikes.iter().map(|(phase, frame, _)| (*phase, time(*frame as f64))).collect();
        // The phase is extrapolated before the first strike and after the last.
        let slope = |a: (f64, f64), b: (f64, f64)| (b.1 - a.1) / (b.0 - a.0);
        let ((first, second), end) = ((keys[0], keys[1]), clip.frames().saturating_sub(1) as f64 / fps);
        if first.1 > 0.0 {
            keys.insert(0, (first.0 - first.1 / slope(first, second), 0.0));
        }
        let (before, last) = (keys[keys.len() - 2], keys[keys.len() - 1]);
        if last.1 < end {
            keys.push((last.0 + (end - last.1) / slope(before, last), end));
        }
        let range = [keys[0].0, keys[keys.len() - 1].0];
        let times = TimeMap::new(keys)?;
        let mut gait = Gait { times, range, stances: Vec::new() };
        let lift = |end: usize| gait.phase_at(time(end as f64));
        gait.stances = strikes
            .iter()
            .zip(&found)
            .map(|((strike, _, side), (_, end, _))| Stance { side: *side, strike: *strike, lift: lift(*end) })
            .collect();
        Ok(gait)
    }

    /// Phases spread evenly from 0 to 1 over the whole motion.
    pub(crate) fn stretched(clip: &Clip) -> Result<Gait, EditError> {
        let end = clip.frames().saturating_sub(1) as f64 / clip.rate().fps();
        Ok(Gait {
            times: TimeMap::new(vec![(0.0, 0.0), (1.0, end)])?,
            range: [0.0, 1.0],
            stances: Vec::new(),
        })
    }

    /// Phases are seconds from the start.
    pub(crate) fn by_seconds(clip: &Clip) -> Result<Gait, EditError> {
        let end = clip.frames().saturating_sub(1) as f64 / clip.rate().fps();
        let times = TimeMap::new(vec![(0.0, 0.0), (end, end)])?;
        Ok(Gait { times, range: [0.0, end], stances: Vec::new() })
    }

    /// Phases are those of a registration: `times` maps them to times.
    pub(crate) fn registered(times: TimeMap, range: [f64; 2], clip: &Clip, body: &Body) -> Gait {
        let mut gait = Gait { times, range, stances: Vec::new() };
        let (fps, contacts) = (clip.rate().fps(), body.contacts(clip).unwrap_or_default());
        for (foot, (_, FootContacts { toe, .. })) in body.feet.iter().zip(&contacts) {
            for run in runs(toe) {
                let [strike, lift] = [run.start, run.end].map(|frame| gait.phase_at(frame as f64 / fps));
                if lift > strike {
                    gait.stances.push(Stance { side: foot.side, strike, lift });
                }
            }
        }
        gait
    }

    /// The time of a phase \[s\].
    pub(crate) fn time_at(&self, phase: f64) -> f64 {
        self.times.at(phase)
    }

    /// The phase at a time \[s\].
    pub(crate) fn phase_at(&self, time: f64) -> f64 {
        inverse(self.range, time, |phase| self.time_at(phase))
    }

    /// The same gait with phases counted from another stride.
    pub(crate) fn shifted(mut self, by: f64) -> Result<Gait, EditError> {
        self.times = self.times.shifted(by)?;
        self.range = self.range.map(|phase| phase + by);
        for stance in &mut self.stances {
            (stance.strike, stance.lift) = (stance.strike + by, stance.lift + by);
        }
        Ok(self)
    }
}

/// The argument at which an increasing function has a value; clamped to the range.
///
/// Based on: T. R. Chandrupatla, "A new hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function
/// without using derivatives", 1997.
pub(crate) fn inverse([low, high]: [f64; 2], value: f64, of: impl Fn(f64) -> f64) -> f64 {
    let off = |x: f64| of(x) - value;
    let (mut a, mut b) = (high, low);
    let (mut fa, mut fb) = (off(a), off(b));
    if fb >= 0.0 {
        return low;
    }
    if fa <= 0.0 {
        return high;
    }
    let mut t = 0.5;
    loop {
        let x = a + t * (b - a);
        let fx = off(x);
        let (c, fc) = match (fx < 0.0) == (fa < 0.0) {
            true => (a, fa),
            false => {
                let c = (b, fb);
                (b, fb) = (a, fa);
                c
            }
        };
        (a, fa) = (x, fx);
        let (best, least) = if fa.abs() < fb.abs() { (a, fa) } else { (b, fb) };
        let tolerance = (2.0 * f64::EPSILON * best.abs() + f64::MIN_POSITIVE) / (b - a).abs();
        if tolerance > 0.5 || least == 0.0 {
            return best;
        }
        let (xi, phi) = ((a - b) / (c - b), (fa - fb) / (fc - fb));
        let quadratic = phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi;
        t = match quadratic {
            true => fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb),
            false => 0.5,
        };
        t = t.clamp(tolerance, 1.0 - tolerance);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    #[test]
    fn strides_are_counted_by_strikes() {
        let walk = clip("alex_walk.bvh");
        let gait = Gait::of(&walk, &Body::of(&walk)).unwrap();
        for stance in &gait.stances {
            let whole = (stance.strike - stance.strike.round()).abs() < 1e-9;
            assert_eq!(whole, stance.side == Side::Left, "{stance:?}");
            assert!(stance.lift > stance.strike && stance.lift < stance.strike + 1.0, "{stance:?}");
            assert!((gait.phase_at(gait.time_at(stance.strike)) - stance.strike).abs() < 1e-9);
        }
        assert!(gait.stances.len() >= 3);
        assert_eq!(gait.time_at(gait.range[0]), 0.0);
        let later = gait.clone().shifted(3.0).unwrap();
        assert_eq!(later.time_at(gait.range[1] + 3.0), gait.time_at(gait.range[1]));
    }
}
