//! Sync: retimes a motion so that its foot strikes coincide with those of another motion.
//!
//! A foot strikes about when it is furthest ahead of the hips. Based on: J. Zeni, J. Richards, J. Higginson, "Two
//! simple methods for determining gait events during treadmill and overground walking using kinematic data", 2008.

use mocap_analysis::{placements, trajectory};
use mocap_model::{Clip, Side};

use crate::body::Body;
use crate::retime::{TimeMap, map_times};
use crate::{EditError, EditReport};

/// A foot strike: its time \[s\] and side.
type Strike = (f64, Side);

/// A foot swings by at least this share of a leg between two strikes.
const SWING: f64 = 0.25;

/// Retimes a motion to the foot strikes of another motion.
///
/// The first strike of the other motion is matched with the first one of that side, the following
/// ones in order while their sides are the same. The result has the times of the other motion, and
/// ends where either motion ends.
///
/// # Errors
/// [`EditError::NoFeet`] where no joint is recognised as a foot, [`EditError::Sync`] where fewer than two strikes match.
pub fn sync(clip: &Clip, other: &Clip) -> Result<(Clip, EditReport), EditError> {
    let (own, theirs) = (strikes(clip)?, strikes(other)?);
    let Some(first) = theirs.first() else {
        return Err(EditError::Sync { reason: "no foot comes down in the other motion".into() });
    };
    let Some(start) = own.iter().position(|strike| strike.1 == first.1) else {
        let reason = format!("no {} foot comes down in the motion", side(first.1));
        return Err(EditError::Sync { reason });
    };
    let pairs: Vec<(Strike, Strike)> =
        theirs.iter().copied().zip(own[start..].iter().copied()).take_while(|(a, b)| a.1 == b.1).collect();
    if pairs.len() < 2 {
        let reason =
            format!("only {} strike of a foot matches ({} and {})", pairs.len(), theirs.len(), own.len());
        return Err(EditError::Sync { reason });
    }
    let mut keys: Vec<(f64, f64)> = pairs.iter().map(|(theirs, own)| (theirs.0, own.0)).collect();
    // The time map is extrapolated before the first strike and after the last.
    let pace = |a: (f64, f64), b: (f64, f64)| (b.1 - a.1) / (b.0 - a.0);
    let (head, tail) = (keys[0], keys[keys.len() - 1]);
    let start = (head.1 - head.0 * pace(head, keys[1])).max(0.0);
    if head.0 > 0.0 {
        keys.insert(0, (0.0, start));
    }
    let end = clip.frames().saturating_sub(1) as f64 / clip.rate().fps();
    let pace = pace(keys[keys.len() - 2], tail);
    let left = (end - tail.1).min(pace * (other.duration() - tail.0).max(0.0));
    if left > 0.0 && pace > 0.0 {
        keys.push((tail.0 + left / pace, tail.1 + left));
    }
    let (retimed, measured) = map_times(clip, &TimeMap::new(keys)?)?;
    let report = EditReport { name: "sync", ..measured };
    let paces = pairs.windows(2).map(|pair| (pair[1].1.0 - pair[0].1.0) / (pair[1].0.0 - pair[0].0.0));
    let (slowest, fastest) =
        paces.fold((f64::INFINITY, 0.0f64), |(low, high), pace| (low.min(pace), high.max(pace)));
    let note = format!("{} strikes matched, speed {slowest:.2} to {fastest:.2}", pairs.len());
    Ok((retimed, report.figure("strikes", pairs.len() as f64, "").note(note)))
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
    }
}

/// The foot strikes in order of time.
fn strikes(clip: &Clip) -> Result<Vec<Strike>, EditError> {
    let body = Body::of(clip);
    if body.feet.is_empty() {
        return Err(EditError::NoFeet { edit: "sync" });
    }
    let fps = clip.rate().fps();
    let headings = crate::root::travel(clip, &body).headings;
    let hips = trajectory(clip, body.hips);
    let ankles = placements(clip, &body.feet.iter().map(|foot| foot.ankle).collect::<Vec<_>>());
    let motions = mocap_analysis::FootMotion::of(clip, &body.feet);
    let mut strikes = Vec::new();
    for ((foot, ankle), motion) in body.feet.iter().zip(&ankles).zip(&motions) {
        let ahead: Vec<f64> = (0..clip.frames())
            .map(|frame| {
                let forward = body.turn(headings[frame]) * body.forward;
                (ankle[frame].translation.vector - hips[frame]).dot(&forward)
            })
            .collect();
        let peaks = peaks(&ahead, SWING * motion.leg);
        strikes.extend(peaks.into_iter().map(|frame| (frame as f64 / fps, foot.side)));
    }
    strikes.sort_by(|a: &Strike, b| a.0.total_cmp(&b.0));
    Ok(strikes)
}

/// The frames of maxima from which a curve falls by at least `depth` to both sides.
fn peaks(values: &[f64], depth: f64) -> Vec<usize> {
    let mut found = Vec::new();
    let Some(first) = values.first() else { return found };
    // The highest value since the last valley, or the lowest one since the last peak.
    let (mut rising, mut high, mut low) = (false, (0, *first), *first);
    for (frame, value) in values.iter().copied().enumerate() {
        if rising {
            if value > high.1 {
                high = (frame, value);
            } else if value < high.1 - depth {
                found.push(high.0);
                (rising, low) = (false, value);
            }
        } else {
            low = low.min(value);
            if value > low + depth {
                (rising, high) = (true, (frame, value));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    #[test]
    fn a_slower_walk_gets_the_phases_of_a_faster_one() {
        let walk = clip("alex_walk.bvh");
        let slow = crate::speed(&walk, 0.7).unwrap().0;
        let (synced, report) = sync(&slow, &walk).unwrap();
        let (expected, found) = (strikes(&walk).unwrap(), strikes(&synced).unwrap());
        assert!(found.len() >= 2, "{report}");
        let worst = expected.iter().zip(&found).map(|(a, b)| (a.0 - b.0).abs()).fold(0.0, f64::max);
        assert!(worst < 0.05, "{worst} s: {expected:?} {found:?}");
        assert!(expected.iter().zip(&found).all(|(a, b)| a.1 == b.1));
    }

    #[test]
    fn a_motion_without_steps_is_refused() {
        let walk = clip("alex_walk.bvh");
        let still = walk.trimmed(0..2).unwrap();
        assert!(matches!(sync(&still, &walk), Err(EditError::Sync { .. })));
        assert!(matches!(sync(&walk, &still), Err(EditError::Sync { .. })));
    }
}
