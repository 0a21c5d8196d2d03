//! Finds the part of a motion that ends as it begins.

use mocap_model::{Clip, JointId, Vector3, angle_between};

use crate::EditError;
use crate::body::Body;
use crate::pose_cloud::{Clouds, align};

/// The shortest cycle \[s\].
const SHORTEST: f64 = 0.5;
/// Poses are compared at about this rate first [1/s].
const COARSE: f64 = 20.0;
/// How much a difference of velocities counts against one of positions \[s\].
const VELOCITY: f64 = 0.1;
/// A cycle moves at least this share of the usual movement: standing still is not a cycle.
const LIVELY: f64 = 0.5;
/// The ends of a cycle differ by at most this share of the size of the body, whatever the rest of the motion does: 9 cm
/// for a person.
const ALIKE: f64 = 0.25;
/// A cycle goes at least this far from its start, as a share of the usual distance of two poses: a sway while standing is
/// not a cycle.
const FAR: f64 = 0.5;
/// Poses from which the distances of all others are known.
const LANDMARKS: usize = 8;
/// Pairs that are kept while others are measured.
const KEPT: usize = 1 << 16;
/// Candidates whose bend is measured.
const CANDIDATES: usize = 1000;
/// Candidates that are looked at frame by frame: those that bend least.
const LOOKED_AT: usize = 64;
/// Cycles that are closed, to see how far that bends the joints.
const CLOSED: usize = 12;

/// A range of frames whose ends have one pose: `start` and `end` are the same moment of the cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The rms distance of both poses \[units of the clip\].
    pub(super) distance: f64,
}

/// The best cycles, that which bends the `posed` joints least first; never empty. `margin` are the frames beyond both ends that closing can
/// use.
pub(super) fn search(
    clip: &Clip,
    body: &Body,
    posed: &[JointId],
    margin: usize,
) -> Result<Vec<Found>, EditError> {
    let fps = clip.rate().fps();
    let shortest = (SHORTEST * fps).ceil() as usize;
    let frames = clip.frames();
    if frames < shortest + 2 {
        return Err(EditError::TooShort { edit: "loop", needed: shortest + 2, frames });
    }
    let step = ((fps / COARSE).round() as usize).max(1);
    let mut clouds = Clouds::of(clip, body.hips);
    let features = features(&mut clouds, clip, body, step);
    let lively = liveliness(&features);
    let usual = usual_distance(&features);
    let spans = (shortest.div_ceil(step), margin.div_ceil(step));
    let most = ALIKE * body_size(&features);
    let Pairs { alike, best } = alike_pairs(&features, &lively, spans, FAR * usual, most);
    let Some(best) = best else {
        return Err(EditError::NoCycle { reason: "the motion is too short or stands still".into() });
    };
    if alike.is_empty() {
        let length = |distance: f64| match body.metres {
            Some(metres) => format!("{:.1} cm", distance * metres * 100.0),
            None => format!("{distance:.2} units"),
        };
        let seconds = |frame: usize| (frame * step) as f64 / fps;
        return Err(EditError::NoCycle {
            reason: format!(
                "the most similar poses, at {:.2} s and {:.2} s, are {} apart; a cycle needs {} or less",
                seconds(best.1),
                seconds(best.2),
                length(best.0),
                length(most)
            ),
        });
    }
    let mut bends: Vec<(f64, usize, usize)> = without_neighbours(&alike)
        .iter()
        .map(|(_, a, b)| (bend(clip, posed, (a * step, b * step), margin), a * step, b * step))
        .collect();
    bends.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let refined = bends[..bends.len().min(LOOKED_AT)]
        .iter()
        .map(|(_, a, b)| refine(clip, posed, (*a, *b), step, margin, shortest));
    let mut best: Vec<(f64, usize, usize)> = refined.flatten().collect();
    best.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    best.dedup();
    if best.is_empty() {
        return Err(EditError::NoCycle { reason: "no range has room to close".into() });
    }
    let found = best.into_iter().take(CLOSED).map(|(_, start, end)| {
        let [first, last] = [start, end].map(|frame| clouds.at(frame));
        let (_, distance) = align(body, &first, &last);
        Found { start, end, distance }
    });
    Ok(found.collect())
}

/// Joint positions in the frame of the body, and their velocities.
fn features(clouds: &mut Clouds, clip: &Clip, body: &Body, step: usize) -> Vec<Vec<Vector3<f64>>> {
    let (last, fps) = (clip.frames() - 1, clip.rate().fps());
    let headings = crate::root::headings(clip, body);
    let reach = ((0.05 * fps).round() as usize).max(1);
    (0..clip.frames())
        .step_by(step)
        .map(|frame| {
            let (before, after) = (frame.saturating_sub(reach), (frame + reach).min(last));
            let scale = VELOCITY * fps / (after - before).max(1) as f64;
            let [before, own, after] = [before, frame, after].map(|frame| clouds.at(frame));
            let velocities = after.iter().zip(&before).map(|(b, a)| (b - a) * scale);
            let middle = own.iter().sum::<Vector3<f64>>() / own.len() as f64;
            let middle = body.on_ground(&middle);
            let turn = body.turn(-headings[frame]);
            own.iter().map(|p| p - middle).chain(velocities).map(|v| turn * v).collect()
        })
        .collect()
}

/// The size of the body: the rms distance of its joints from their middle, in the mean over the motion.
fn body_size(features: &[Vec<Vector3<f64>>]) -> f64 {
    let size = |feature: &Vec<Vector3<f64>>| {
        let places = &feature[..feature.len() / 2];
        let middle = places.iter().sum::<Vector3<f64>>() / places.len() as f64;
        let squares: f64 = places.iter().map(|place| (place - middle).norm_squared()).sum();
        (squares / places.len() as f64).sqrt()
    };
    features.iter().map(size).sum::<f64>() / features.len() as f64
}

/// The rms distance of two features.
fn distance(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum();
    (squares / (a.len() / 2).max(1) as f64).sqrt()
}

/// How fast the joints move against the middle of the body.
fn liveliness(features: &[Vec<Vector3<f64>>]) -> Vec<f64> {
    let speed = |feature: &Vec<Vector3<f64>>| {
        let velocities = &feature[feature.len() / 2..];
        let mean = velocities.iter().sum::<Vector3<f64>>() / velocities.len() as f64;
        velocities.iter().map(|v| (v - mean).norm()).sum::<f64>() / velocities.len() as f64
    };
    features.iter().map(speed).collect()
}

fn usual_distance(features: &[Vec<Vector3<f64>>]) -> f64 {
    let stride = (features.len() / 40).max(1);
    let mut all: Vec<f64> = Vec::new();
    for (i, a) in features.iter().enumerate().step_by(stride) {
        all.extend(features[i + 1..].iter().step_by(stride).map(|b| distance(a, b)));
    }
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

/// A pair of frames: distance, first, last.
type Pair = (f64, usize, usize);

/// The better of two pairs comes first.
fn order(x: &Pair, y: &Pair) -> std::cmp::Ordering {
    x.0.total_cmp(&y.0).then((x.2 - x.1).cmp(&(y.2 - y.1))).then(x.1.cmp(&y.1))
}

/// Pairs of frames that could be the ends of a cycle.
struct Pairs {
    /// Those that are alike, best first; at most [`KEPT`], of which the best are kept.
    alike: Vec<Pair>,
    /// The best pair, however far apart it is.
    best: Option<Pair>,
}

/// The pairs that are at most `most` apart. In between, the motion is at least once `far` from its start.
///
/// Most pairs are not measured: by the triangle inequality, two poses are at least as far apart as their distances from
/// a third pose differ.
fn alike_pairs(
    features: &[Vec<Vector3<f64>>],
    lively: &[f64],
    (shortest, margin): (usize, usize),
    far: f64,
    most: f64,
) -> Pairs {
    let n = features.len();
    let sums: Vec<f64> = std::iter::once(0.0)
        .chain(lively.iter().scan(0.0, |sum, value| {
            *sum += value;
            Some(*sum)
        }))
        .collect();
    let usual = sums[n] / n as f64;
    let landmarks: Vec<[f64; LANDMARKS]> = features
        .iter()
        .map(|feature| std::array::from_fn(|k| distance(&features[k * (n - 1) / (LANDMARKS - 1)], feature)))
        .collect();
    // A little less, as distances are rounded.
    let at_least = |a: usize, b: usize| {
        let pairs = landmarks[a].iter().zip(&landmarks[b]);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) * (1.0 - 1e-9)
    };
    let mut found = Pairs { alike: Vec::new(), best: None };
    let mut limit = most;
    for a in 0..n {
        let mut has_left = false;
        for b in a + 1..n {
            let least = at_least(a, b);
            has_left = has_left || least >= far || distance(&features[a], &features[b]) >= far;
            let still = (sums[b] - sums[a]) / ((b - a) as f64) < LIVELY * usual;
            if b < a + shortest || still || !has_left {
                continue;
            }
            // Closing needs frames beyond the ends; where these are missing, it bends more.
            let room = a.min(margin) + (n - 1 - b).min(margin);
            let penalty = 1.0 + 0.5 * (1.0 - room as f64 / (2 * margin).max(1) as f64);
            let best = found.best.map_or(f64::INFINITY, |best| best.0);
            if least * penalty > limit.max(best) {
                continue;
            }
            let pair = (distance(&features[a], &features[b]) * penalty, a, b);
            if found.best.is_none_or(|best| order(&pair, &best).is_lt()) {
                found.best = Some(pair);
            }
            if pair.0 <= limit {
                found.alike.push(pair);
                if found.alike.len() == 2 * KEPT {
                    found.alike.sort_unstable_by(order);
                    found.alike.truncate(KEPT);
                    limit = found.alike[KEPT - 1].0;
                }
            }
        }
    }
    found.alike.sort_unstable_by(order);
    found.alike.truncate(KEPT);
    found
}

/// The first pairs without neighbours of a better pair, at most [`CANDIDATES`].
fn without_neighbours(pairs: &[Pair]) -> Vec<Pair> {
    let mut kept: Vec<Pair> = Vec::new();
    for pair in pairs {
        if kept.iter().all(|other| other.1.abs_diff(pair.1) > 1 || other.2.abs_diff(pair.2) > 1) {
            kept.push(*pair);
            if kept.len() == CANDIDATES {
                break;
            }
        }
    }
    kept
}

/// The best pair of frames around a candidate: the one whose joints have to bend least.
fn refine(
    clip: &Clip,
    posed: &[JointId],
    (a, b): (usize, usize),
    step: usize,
    margin: usize,
    shortest: usize,
) -> Option<(f64, usize, usize)> {
    let last = clip.frames() - 1;
    let around = |frame: usize| frame.saturating_sub(step)..=(frame + step).min(last);
    let mut best: Option<(f64, usize, usize)> = None;
    for start in around(a) {
        for end in around(b).filter(|end| *end >= start + shortest) {
            let bend = bend(clip, posed, (start, end), margin);
            if best.is_none_or(|(least, ..)| bend < least) {
                best = Some((bend, start, end));
            }
        }
    }
    best
}

/// How far closing a range bends the joints \[rad\].
fn bend(clip: &Clip, posed: &[JointId], (start, end): (usize, usize), margin: usize) -> f64 {
    let room = start.min(margin) + (clip.frames() - 1 - end).min(margin);
    // With frames beyond both ends each side bends half of the difference.
    let share = 1.0 - 0.5 * room as f64 / (2 * margin).max(1) as f64;
    share * most_bend(clip, posed, (start, end), margin)
}

/// The largest angle between the poses around two frames.
fn most_bend(clip: &Clip, posed: &[JointId], (a, b): (usize, usize), margin: usize) -> f64 {
    let last = clip.frames() - 1;
    // Away from the seam a blend takes less of the other end.
    let offsets: Vec<(usize, usize, f64)> = [(-2, 0.1), (-1, 0.5), (0, 1.0), (1, 0.5), (2, 0.1)]
        .into_iter()
        .filter_map(|(quarters, weight)| {
            let shift = quarters * (margin / 4) as isize;
            let (a, b) = (a.checked_add_signed(shift)?, b.checked_add_signed(shift)?);
            (b <= last).then_some((a, b, weight))
        })
        .collect();
    posed
        .iter()
        .map(|id| &clip.track(*id).rotation)
        .flat_map(|rotation| {
            offsets.iter().map(|(a, b, w)| w * angle_between(&rotation.at(*a), &rotation.at(*b)))
        })
        .fold(0.0, f64::max)
}
