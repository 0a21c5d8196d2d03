//! Finds exchanged labels without a body: by distances between markers that hardly change, and by steps from
//! frame to frame.
//!
//! In each frame, two markers are either as labelled or exchanged. The cheapest sequence of these two states is
//! found by dynamic programming (A. Viterbi, "Error bounds for convolutional codes", 1967): a state costs the
//! deviation of distances to steady partners from their medians, a change of state costs the motion of the
//! markers relative to their partners.

use std::ops::Range;

use mocap_model::Vector3;

use crate::take::Take;

/// Frames from which medians are taken.
const SAMPLES: usize = 400;
/// Partners of a marker.
const PARTNERS: usize = 5;
/// A distance is steady if half of the samples are within this of the median [m].
const CONSTANT: f64 = 0.012;
/// Partners are nearer than this [m].
const REACH: f64 = 0.6;
/// Markers further apart than this are not exchanged by a tracking system [m].
const APART: f64 = 0.35;
/// The least σ of a steady distance [m].
const SIGMA: f64 = 0.006;
/// σ of a marker's step relative to its partners: a constant [m], a part per second of gap [m/s], and a share
/// of the partners' motion.
const STEP: (f64, f64, f64) = (0.006, 0.3, 0.35);
/// Greatest cost of one distance, and of one step: a ghost adds no more. The cap of steps is higher
/// because a marker that continues smoothly is stronger evidence than distances, which change when
/// a forearm twists.
const CAP: (f64, f64) = (12.0, 120.0);
/// Additional cost of an exchanged frame.
const EXCHANGED: f64 = 0.5;
/// Least total saving at which exchanges are accepted.
const GAIN: f64 = 60.0;
/// A run of frames whose deviation is at most this share of its deviation as labelled counts as exchanged, even
/// without jumps at its ends.
const BETTER: f64 = 0.25;
/// Least saving in steps at which labels count as jumping.
const JUMP: f64 = 15.0;
/// A run that shows both markers in fewer frames than this, or in less than a third of its frames,
/// is taken for ghosts and left as labelled.
const FEWEST: usize = 3;
/// Most exchanges that are found.
const MOST: usize = 64;

/// A marker whose distance hardly changes.
#[derive(Clone, Copy, Debug)]
struct Partner {
    marker: usize,
    /// Median distance [m].
    distance: f64,
    /// σ of the distance [m].
    sigma: f64,
}

/// Two markers that carry each other's label in some frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) markers: [usize; 2],
    pub(crate) frames: Vec<usize>,
}

/// Finds exchanged labels and corrects them. `rate` is in frames per second.
pub(crate) fn exchange_back(take: &mut Take, rate: f64) -> Vec<Exchange> {
    let count = take.names.len();
    let distances = constant_distances(take);
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for a in 0..count {
        for b in a + 1..count {
            let near = distances.median[a * count + b].is_some_and(|distance| distance < APART);
            if near && distances.partners[a].len() + distances.partners[b].len() >= 3 {
                pairs.push((a, b));
            }
        }
    }
    let mut gains: Vec<(f64, Vec<usize>)> =
        pairs.iter().map(|pair| best_frames(take, &distances.partners, *pair, rate)).collect();
    let mut found: Vec<Exchange> = Vec::new();
    for _ in 0..MOST {
        let best = (0..pairs.len()).max_by(|a, b| gains[*a].0.total_cmp(&gains[*b].0).then(b.cmp(a)));
        let Some(best) = best.filter(|best| gains[*best].0 > GAIN) else { break };
        let (a, b) = pairs[best];
        let frames = std::mem::take(&mut gains[best].1);
        frames.iter().for_each(|frame| take.swap(*frame, a, b));
        add(&mut found, [a, b], &frames);
        for (at, (c, d)) in pairs.iter().enumerate() {
            if [a, b].iter().any(|changed| changed == c || changed == d) {
                gains[at] = best_frames(take, &distances.partners, (*c, *d), rate);
            }
        }
    }
    found.retain(|exchange| !exchange.frames.is_empty());
    found
}

/// Adds frames to those of a pair; a frame that is exchanged twice is unchanged.
fn add(found: &mut Vec<Exchange>, markers: [usize; 2], frames: &[usize]) {
    let at = found.iter().position(|exchange| exchange.markers == markers);
    let at = at.unwrap_or_else(|| {
        found.push(Exchange { markers, frames: Vec::new() });
        found.len() - 1
    });
    for frame in frames {
        let known = &mut found[at].frames;
        match known.binary_search(frame) {
            Ok(twice) => {
                known.remove(twice);
            }
            Err(place) => known.insert(place, *frame),
        }
    }
}

struct Distances {
    /// `markers × markers` [m]; `None` where two are hardly ever seen together.
    median: Vec<Option<f64>>,
    partners: Vec<Vec<Partner>>,
}

fn constant_distances(take: &Take) -> Distances {
    let count = take.names.len();
    let step = take.frames.div_ceil(SAMPLES).max(1);
    let frames: Vec<usize> = (0..take.frames).step_by(step).collect();
    let mut median = vec![None; count * count];
    let mut all: Vec<Vec<Partner>> = vec![Vec::new(); count];
    let mut found: Vec<f64> = Vec::with_capacity(frames.len());
    for a in 0..count {
        for b in a + 1..count {
            found.clear();
            found.extend(
                frames
                    .iter()
                    .filter_map(|frame| Some((take.point(*frame, a)? - take.point(*frame, b)?).norm())),
            );
            if found.len() < 3 || found.len() * 4 < frames.len() {
                continue;
            }
            let middle = middle(&mut found);
            let mut off: Vec<f64> = found.iter().map(|distance| (distance - middle).abs()).collect();
            let deviation = self::middle(&mut off);
            // Exchanges and ghosts are among the fifth with the greatest deviations.
            let at = off.len() * 4 / 5;
            let wide = *off.select_nth_unstable_by(at, f64::total_cmp).1;
            median[a * count + b] = Some(middle);
            median[b * count + a] = Some(middle);
            if deviation < CONSTANT && middle < REACH {
                let sigma = wide.max(SIGMA);
                all[a].push(Partner { marker: b, distance: middle, sigma });
                all[b].push(Partner { marker: a, distance: middle, sigma });
            }
        }
    }
    for partners in &mut all {
        partners.sort_by(|a, b| {
            a.sigma.total_cmp(&b.sigma).then(a.distance.total_cmp(&b.distance)).then(a.marker.cmp(&b.marker))
        });
        partners.truncate(PARTNERS);
    }
    Distances { median, partners: all }
}

fn middle(values: &mut [f64]) -> f64 {
    let at = values.len() / 2;
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

/// The saving by exchanging two markers in the frames that gain by it, and these frames.
fn best_frames(
    take: &Take,
    partners: &[Vec<Partner>],
    (a, b): (usize, usize),
    rate: f64,
) -> (f64, Vec<usize>) {
    let own: [Vec<Partner>; 2] = [a, b].map(|marker| {
        partners[marker]
            .iter()
            .filter(|partner| partner.marker != a && partner.marker != b)
            .copied()
            .collect()
    });
    let mut ways: Vec<Way> = Vec::new();
    let mut sums = [0.0f64; 2];
    let mut plain = 0.0;
    let mut before: Option<usize> = None;
    for frame in 0..take.frames {
        let places = [take.point(frame, a), take.point(frame, b)];
        if places.iter().all(Option::is_none) {
            continue;
        }
        let stay = fit(take, frame, &own, places);
        let cross = fit(take, frame, &own, [places[1], places[0]]);
        let (mut from, mut jump) = ([0u8, 1], 0.0);
        if let Some(last) = before {
            let steps = steps(take, (last, frame), [a, b], &own, rate);
            plain += steps[0];
            jump = steps[0] - steps[1];
            let mut next = [0.0; 2];
            for state in 0..2 {
                let same = sums[state] + steps[0];
                let other = sums[1 - state] + steps[1];
                if other < same {
                    from[state] = 1 - state as u8;
                }
                next[state] = same.min(other);
            }
            sums = next;
        }
        sums[0] += stay;
        sums[1] += cross + EXCHANGED;
        plain += stay;
        ways.push(Way { frame, from, fits: [stay, cross], jump });
        before = Some(frame);
    }
    let mut state = usize::from(sums[1] < sums[0]);
    let gain = plain - sums[state];
    if gain <= GAIN {
        return (0.0, Vec::new());
    }
    let mut exchanged = vec![false; ways.len()];
    for (at, way) in ways.iter().enumerate().rev() {
        exchanged[at] = state == 1;
        state = usize::from(way.from[state]);
    }
    let mut frames = Vec::new();
    let mut first = 0;
    while first < ways.len() {
        let end = (first..ways.len()).find(|at| exchanged[*at] != exchanged[first]).unwrap_or(ways.len());
        if exchanged[first] && is_sure(take, (a, b), &ways, first..end) {
            frames.extend(ways[first..end].iter().map(|way| way.frame));
        }
        first = end;
    }
    if frames.is_empty() { (0.0, frames) } else { (gain, frames) }
}

/// A frame in which at least one of the two markers is seen.
struct Way {
    frame: usize,
    /// The cheapest previous state, by state.
    from: [u8; 2],
    /// Deviations of distances to partners, as labelled and exchanged.
    fits: [f64; 2],
    /// Saving in steps by a change of state before this frame.
    jump: f64,
}

/// Whether a run of exchanged frames is accepted. It must show both markers often enough, and no
/// label may continue smoothly at an end of it. It must also fit far better when exchanged, or
/// begin and end with a jump.
fn is_sure(take: &Take, (a, b): (usize, usize), ways: &[Way], row: Range<usize>) -> bool {
    let both = |way: &&Way| take.point(way.frame, a).is_some() && take.point(way.frame, b).is_some();
    let seen = ways[row.clone()].iter().filter(both).count();
    if seen < FEWEST || seen * 3 < row.len() {
        return false;
    }
    let sum = |state: usize| -> f64 { ways[row.clone()].iter().map(|way| way.fits[state]).sum() };
    let (stay, cross) = (sum(0), sum(1));
    let jumps = [Some(&ways[row.start]).filter(|_| row.start > 0), ways.get(row.end)];
    let jumps: Vec<f64> = jumps.into_iter().flatten().map(|way| way.jump).collect();
    let jumped = !jumps.is_empty() && jumps.iter().sum::<f64>() > JUMP * jumps.len() as f64;
    // Labels that continue smoothly at an end of the run were not exchanged, whatever the
    // distances.
    let smooth = jumps.iter().any(|jump| *jump < -JUMP);
    !smooth && (jumped && cross < stay + row.len() as f64 || cross < BETTER * stay)
}

/// Deviation of distances to partners if the two markers are at these places.
fn fit(take: &Take, frame: usize, own: &[Vec<Partner>; 2], places: [Option<Vector3<f64>>; 2]) -> f64 {
    let mut cost = 0.0;
    for (partners, place) in own.iter().zip(places) {
        let Some(place) = place else { continue };
        let (mut sum, mut count) = (0.0, 0);
        for partner in partners {
            if let Some(other) = take.point(frame, partner.marker) {
                let off = ((place - other).norm() - partner.distance) / partner.sigma;
                sum += (off * off).min(CAP.0);
                count += 1;
            }
        }
        if count >= 2 {
            cost += sum / f64::from(count);
        }
    }
    cost
}

/// Costs of keeping and of changing the state between two frames.
fn steps(
    take: &Take,
    (last, frame): (usize, usize),
    markers: [usize; 2],
    own: &[Vec<Partner>; 2],
    rate: f64,
) -> [f64; 2] {
    let before = markers.map(|marker| take.point(last, marker));
    let now = markers.map(|marker| take.point(frame, marker));
    let moved: Vec<Vector3<f64>> = own
        .iter()
        .flatten()
        .filter_map(|partner| Some(take.point(frame, partner.marker)? - take.point(last, partner.marker)?))
        .collect();
    let drift = moved.iter().sum::<Vector3<f64>>() / moved.len().max(1) as f64;
    let sigma = STEP.0 + STEP.1 * (frame - last) as f64 / rate + STEP.2 * drift.norm();
    let cost = |from: Option<Vector3<f64>>, to: Option<Vector3<f64>>| match (from, to) {
        (Some(from), Some(to)) => ((to - from - drift).norm_squared() / (sigma * sigma)).min(CAP.1),
        _ => 0.0,
    };
    let stay = cost(before[0], now[0]) + cost(before[1], now[1]);
    let change = cost(before[0], now[1]) + cost(before[1], now[0]);
    [stay, change]
}
