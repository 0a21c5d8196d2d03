//! Finds the part of a motion that ends in the pose in which it begins.

use std::collections::VecDeque;

use mocap_model::{Clip, JointId, Vector3, angle_between};

use crate::EditError;
use crate::body::Body;
use crate::pose_cloud::{Clouds, align};

/// The shortest cycle \[s\].
const SHORTEST: f64 = 0.5;
/// The longest cycle that is searched \[s\]: the cost of a search grows with the length of the motion.
const LONGEST: f64 = 120.0;
/// Poses are compared at about this rate first [1/s].
const COARSE: f64 = 20.0;
/// The weight of velocities relative to positions \[s\].
const VELOCITY: f64 = 0.1;
/// A cycle has at least this share of the mean speed of the motion: standing still is not a cycle.
const LIVELY: f64 = 0.5;
/// The ends of a cycle differ by at most this share of the size of the body, whatever the rest of the motion does: 9 cm
/// for a person.
const ALIKE: f64 = 0.25;
/// A cycle departs from its first pose by at least this share of the median distance of two poses: sway while standing
/// is not a cycle.
const FAR: f64 = 0.5;
/// Number of reference poses whose distances to all others are precomputed.
const LANDMARKS: usize = 8;
/// Pairs that are kept during the search.
const KEPT: usize = 1 << 16;
/// Candidates for which the change of joint angles is computed.
const CANDIDATES: usize = 1000;
/// Candidates that are refined frame by frame: those with the least change.
const LOOKED_AT: usize = 64;
/// Candidates that are actually blended, to measure the change of joint angles.
const CLOSED: usize = 12;

/// A range of frames whose ends have one pose: `start` and `end` are the same moment of the cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The rms distance of both poses \[units of the clip\].
    pub(super) distance: f64,
}

/// The best cycles, sorted by the change of the `posed` joints; never empty. `margin` is the number of frames beyond
/// both ends that the blend can use.
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
    let mut features = Features::of(clip, body, step);
    let overview = Overview::of(&mut features);
    let spans = Spans {
        shortest: shortest.div_ceil(step),
        longest: ((LONGEST * fps).floor() as usize / step).max(1),
        margin: margin.div_ceil(step),
    };
    let most = ALIKE * overview.body_size;
    let Pairs { alike, best } = alike_pairs(&mut features, &overview, &spans, most);
    let mut clouds = features.clouds;
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
                "the most similar poses within {LONGEST:.0} s, at {:.2} s and {:.2} s, are {} apart; a cycle needs {} or less",
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

/// Joint positions in the frame of the body, then their velocities.
type Feature = Vec<Vector3<f64>>;

/// The features of the frames that are compared, computed on demand.
struct Features<'a> {
    clouds: Clouds<'a>,
    body: &'a Body,
    headings: Vec<f64>,
    /// Frames from one that is compared to the next.
    step: usize,
    /// Frames to each side that a velocity spans.
    reach: usize,
    fps: f64,
}

impl<'a> Features<'a> {
    fn of(clip: &'a Clip, body: &'a Body, step: usize) -> Features<'a> {
        let fps = clip.rate().fps();
        let reach = ((0.05 * fps).round() as usize).max(1);
        let headings = crate::root::headings(clip, body);
        Features { clouds: Clouds::of(clip, body.hips), body, headings, step, reach, fps }
    }

    fn len(&self) -> usize {
        self.headings.len().div_ceil(self.step)
    }

    fn at(&mut self, index: usize) -> Feature {
        let (frame, last) = (index * self.step, self.headings.len() - 1);
        let (before, after) = (frame.saturating_sub(self.reach), (frame + self.reach).min(last));
        let scale = VELOCITY * self.fps / (after - before).max(1) as f64;
        let [before, own, after] = [before, frame, after].map(|frame| self.clouds.at(frame));
        let velocities = after.iter().zip(&before).map(|(b, a)| (b - a) * scale);
        let middle = own.iter().sum::<Vector3<f64>>() / own.len() as f64;
        let middle = self.body.on_ground(&middle);
        let turn = self.body.turn(-self.headings[frame]);
        own.iter().map(|p| p - middle).chain(velocities).map(|v| turn * v).collect()
    }
}

/// Statistics of the whole motion, and bounds for the comparison of poses.
struct Overview {
    /// By feature: the sum of the speeds of those before it; one more than features.
    speeds: Vec<f64>,
    /// By feature: its distances from [`LANDMARKS`] others.
    landmarks: Vec<[f64; LANDMARKS]>,
    /// The usual distance of two poses.
    usual_distance: f64,
    /// The size of the body.
    body_size: f64,
}

impl Overview {
    fn of(features: &mut Features) -> Overview {
        let n = features.len();
        let of_landmarks: [Feature; LANDMARKS] =
            std::array::from_fn(|k| features.at(k * (n - 1) / (LANDMARKS - 1)));
        let mut speeds = vec![0.0];
        let (mut landmarks, mut size, mut few) = (Vec::with_capacity(n), 0.0, Vec::new());
        let stride = (n / 40).max(1);
        for index in 0..n {
            let feature = features.at(index);
            speeds.push(speeds[index] + speed(&feature));
            size += body_size(&feature);
            landmarks.push(std::array::from_fn(|k| distance(&of_landmarks[k], &feature)));
            if index % stride <= 1 % stride {
                few.push((index, feature));
            }
        }
        let usual_distance = usual_distance(&few, stride);
        Overview { speeds, landmarks, usual_distance, body_size: size / n as f64 }
    }

    /// A lower bound of the distance of two features, by the triangle inequality over the landmarks; slightly reduced
    /// for rounding.
    fn at_least(&self, a: usize, b: usize) -> f64 {
        let pairs = self.landmarks[a].iter().zip(&self.landmarks[b]);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) * (1.0 - 1e-9)
    }
}

/// The rms distance of the joints from their middle.
fn body_size(feature: &Feature) -> f64 {
    let places = &feature[..feature.len() / 2];
    let middle = places.iter().sum::<Vector3<f64>>() / places.len() as f64;
    let squares: f64 = places.iter().map(|place| (place - middle).norm_squared()).sum();
    (squares / places.len() as f64).sqrt()
}

/// The rms distance of two features.
fn distance(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    let squares: f64 = a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum();
    (squares / (a.len() / 2).max(1) as f64).sqrt()
}

/// The speed of the joints relative to the centre of the body.
fn speed(feature: &Feature) -> f64 {
    let velocities = &feature[feature.len() / 2..];
    let mean = velocities.iter().sum::<Vector3<f64>>() / velocities.len() as f64;
    velocities.iter().map(|v| (v - mean).norm()).sum::<f64>() / velocities.len() as f64
}

/// The median distance of features a multiple of `stride` apart, from the next one on.
fn usual_distance(few: &[(usize, Feature)], stride: usize) -> f64 {
    let mut all: Vec<f64> = Vec::new();
    for (i, a) in few.iter().filter(|(i, _)| i % stride == 0) {
        let later = few.iter().filter(|(j, _)| j > i && (j - i - 1) % stride == 0);
        all.extend(later.map(|(_, b)| distance(a, b)));
    }
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

/// A pair of features: their distance, increased where the blend lacks frames beyond the ends, and
/// their indices.
type Pair = (f64, usize, usize);

/// The better of two pairs comes first.
fn order(x: &Pair, y: &Pair) -> std::cmp::Ordering {
    x.0.total_cmp(&y.0).then((x.2 - x.1).cmp(&(y.2 - y.1))).then(x.1.cmp(&y.1))
}

/// Pairs of features that could be the ends of a cycle.
struct Pairs {
    /// Those that are alike, best first; at most [`KEPT`], of which the best are kept.
    alike: Vec<Pair>,
    /// The best pair, however far apart it is.
    best: Option<Pair>,
}

/// Lengths of a search, in features.
struct Spans {
    shortest: usize,
    longest: usize,
    margin: usize,
}

/// The pairs with a distance of at most `most`, between which the motion departs far enough from its start.
///
/// The lower bound excludes most pairs without measuring them. Only features within the longest cycle are kept in
/// memory.
fn alike_pairs(features: &mut Features, overview: &Overview, spans: &Spans, most: f64) -> Pairs {
    let n = features.len();
    let Spans { shortest, longest, margin } = *spans;
    let far = FAR * overview.usual_distance;
    let speeds = &overview.speeds;
    let usual = speeds[n] / n as f64;
    let mut held: VecDeque<Feature> = VecDeque::with_capacity(n.min(longest + 1));
    let mut found = Pairs { alike: Vec::new(), best: None };
    let mut limit = most;
    for a in 0..n {
        let end = n.min(a + longest + 1);
        while a + held.len() < end {
            held.push_back(features.at(a + held.len()));
        }
        let own = held.pop_front().expect("the feature itself is held");
        let mut has_left = false;
        for b in a + 1..end {
            let other = &held[b - a - 1];
            let least = overview.at_least(a, b);
            has_left = has_left || least >= far || distance(&own, other) >= far;
            let still = (speeds[b] - speeds[a]) / ((b - a) as f64) < LIVELY * usual;
            if b < a + shortest || still || !has_left {
                continue;
            }
            // Without enough frames beyond the ends, the blend changes the joints more.
            let room = a.min(margin) + (n - 1 - b).min(margin);
            let penalty = 1.0 + 0.5 * (1.0 - room as f64 / (2 * margin).max(1) as f64);
            let best = found.best.map_or(f64::INFINITY, |best| best.0);
            if least * penalty > limit.max(best) {
                continue;
            }
            let pair = (distance(&own, other) * penalty, a, b);
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

/// The best pair of frames around a candidate: the one with the least change of joint angles.
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

/// The change of joint angles that closing a range takes \[rad\].
fn bend(clip: &Clip, posed: &[JointId], (start, end): (usize, usize), margin: usize) -> f64 {
    let room = start.min(margin) + (clip.frames() - 1 - end).min(margin);
    // With frames beyond both ends, each side changes by half of the difference.
    let share = 1.0 - 0.5 * room as f64 / (2 * margin).max(1) as f64;
    share * most_bend(clip, posed, (start, end), margin)
}

/// The largest angle between the poses around two frames.
fn most_bend(clip: &Clip, posed: &[JointId], (a, b): (usize, usize), margin: usize) -> f64 {
    let last = clip.frames() - 1;
    // The share of the other end falls with the distance from the seam.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    /// All pairs, by their definition: those that are alike, and the best one.
    fn every_pair(features: &[Feature], overview: &Overview, spans: &Spans, most: f64) -> Pairs {
        let n = features.len();
        let far = FAR * overview.usual_distance;
        let usual = overview.speeds[n] / n as f64;
        let mut found = Vec::new();
        for a in 0..n {
            let mut left = false;
            for b in a + 1..n.min(a + spans.longest + 1) {
                let apart = distance(&features[a], &features[b]);
                left |= apart >= far;
                let speed = (overview.speeds[b] - overview.speeds[a]) / (b - a) as f64;
                let room = (a.min(spans.margin) + (n - 1 - b).min(spans.margin)) as f64;
                let penalty = 1.0 + 0.5 * (1.0 - room / (2 * spans.margin) as f64);
                if b >= a + spans.shortest && left && speed >= LIVELY * usual {
                    found.push((apart * penalty, a, b));
                }
            }
        }
        found.sort_unstable_by(order);
        let best = found.first().copied();
        found.retain(|pair| pair.0 <= most);
        Pairs { alike: found, best }
    }

    /// The pairs that the search finds, and those of a test of all pairs of a clip.
    fn compared(clip: &Clip, step: usize, spans: &Spans, share: f64) -> [Pairs; 2] {
        let body = Body::of(clip);
        let mut features = Features::of(clip, &body, step);
        let all: Vec<Feature> = (0..features.len()).map(|at| features.at(at)).collect();
        let overview = Overview::of(&mut features);
        assert_eq!(overview.speeds.len(), all.len() + 1);
        let most = share * overview.body_size;
        [alike_pairs(&mut features, &overview, spans, most), every_pair(&all, &overview, spans, most)]
    }

    #[test]
    fn pairs_are_those_of_the_definition_whatever_is_held() {
        let walk = clip("alex_walk.bvh");
        for longest in [walk.frames(), 60, 20] {
            let spans = Spans { shortest: 10, longest, margin: 6 };
            let [found, wanted] = compared(&walk, 2, &spans, 1.2);
            assert!(!wanted.alike.is_empty() && wanted.alike.len() < KEPT);
            assert_eq!((found.alike, found.best), (wanted.alike, wanted.best));
        }
    }

    /// Six seconds of each clip of the fixtures, and of real motions where there are any.
    #[test]
    fn every_clip_has_the_pairs_of_an_exact_search() {
        let mut files = mocap_corpus::fixtures("clips", "bvh");
        if mocap_corpus::find().is_ok() {
            files.extend(mocap_corpus::files("bvh"));
        }
        let (mut clips, mut cycles) = (0, 0);
        for (name, bytes) in files {
            let Ok(document) = mocap_formats::bvh::parse(&bytes, &Default::default()) else { continue };
            let whole = mocap_formats::bvh::to_clip(&document.value, &Default::default());
            let Ok(whole) = whole.map(|read| read.value) else { continue };
            let fps = whole.rate().fps();
            let (length, shortest) = ((6.0 * fps) as usize, (SHORTEST * fps).ceil() as usize);
            let start = (whole.frames() / 3).min(whole.frames().saturating_sub(length));
            let clip = whole.trimmed(start..whole.frames().min(start + length)).unwrap();
            if clip.frames() < shortest + 2 {
                continue;
            }
            let step = ((fps / COARSE).round() as usize).max(1);
            let margin = ((0.25 * fps).round() as usize).max(1).div_ceil(step);
            let spans = Spans { shortest: shortest.div_ceil(step), longest: clip.frames(), margin };
            let [found, wanted] = compared(&clip, step, &spans, ALIKE);
            cycles += usize::from(!wanted.alike.is_empty());
            clips += 1;
            assert_eq!((found.alike, found.best), (wanted.alike, wanted.best), "{name}");
        }
        assert!(clips >= 4 && cycles >= 4, "{clips} clips, {cycles} with a cycle");
    }
}
