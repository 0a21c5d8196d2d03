//! Fits attachments, lengths and the pose of every frame to a take.

use mocap_model::Vector3;

use crate::SolveError;
use crate::body::State;
use crate::calibrate::{CalibrationFrame, CalibrationOptions, Determined, calibrate};
use crate::frame::{Attached, FrameSolver, Observed};
use crate::start::{cold, warm};
use crate::subject::Subject;
use crate::take::Take;

/// Frames that the calibration chooses from.
const CANDIDATES: usize = 200;
/// Number of frames used in the calibration.
const CHOSEN: usize = 60;
/// Number of frames that are tried as the first one.
const STARTS: usize = 12;
/// Least share of the used markers that a first frame shows.
const SEEN_AT_START: f64 = 0.6;
/// c of the robust loss once a subject is calibrated [m].
pub(crate) const SCALE: f64 = 0.035;
/// Least σ of a marker [m]: the accuracy of cameras.
const LEAST_SIGMA: f64 = 0.001;
/// σ of markers before residuals are known [m].
const FIRST_SIGMA: f64 = 0.01;
/// As how many frames one frame counts in the first round, before residuals are known.
const FIRST_REPEATED: f64 = 4.0;
/// Fewer residuals do not show whether they are correlated.
const FEWEST_RESIDUALS: usize = 10;
/// A pose is well solved if it explains this share of its markers. If there are at least this many such poses,
/// others are left out.
const WELL: f64 = 0.85;
const FEWEST_WELL: usize = 20;
/// A step below this ends the solve of a frame [rad, m].
pub(crate) const FINE: f64 = 1e-7;

/// A pose of a frame of a take.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) frame: usize,
    pub(crate) state: State,
}

/// Poses of frames sampled over the take, solved from the markers only.
pub(crate) fn candidates(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    scale: f64,
) -> Result<Vec<Candidate>, SolveError> {
    let (body, markers) = (&subject.body, &subject.attached);
    let mut solver = FrameSolver::new(body);
    let step = take.frames.div_ceil(CANDIDATES).max(1);
    let frames: Vec<usize> = (step / 2..take.frames).step_by(step).collect();
    let count = used.iter().filter(|used| **used).count();
    let seen: Vec<usize> = frames.iter().map(|frame| take.seen(*frame, used).len()).collect();
    let most = seen.iter().copied().max().unwrap_or(0);
    let least = ((count as f64 * SEEN_AT_START) as usize).max(6);
    if most < least {
        return Err(SolveError::NoFrameSeen { most, markers: count, least });
    }
    // Starts are sampled from the frames that show the most markers.
    let mut full: Vec<usize> = (0..frames.len()).filter(|at| seen[*at] + 2 >= most).collect();
    let every = full.len().div_ceil(STARTS).max(1);
    full = full.into_iter().step_by(every).collect();
    let mut best: Option<(f64, usize, State)> = None;
    for at in full {
        let seen = take.seen(frames[at], used);
        let Some((state, cost)) = cold(&mut solver, body, markers, &seen, scale) else { continue };
        let cost = cost / seen.len() as f64;
        if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
            best = Some((cost, at, state));
        }
    }
    let Some((_, first, state)) = best else {
        return Err(SolveError::NoFrameSeen { most, markers: count, least });
    };
    let mut found: Vec<Option<Candidate>> = vec![None; frames.len()];
    let widths = [(3.0 * scale).max(0.3), (1.5 * scale).max(0.15), scale];
    let mut follow = |order: &mut dyn Iterator<Item = usize>| {
        let mut state = state.clone();
        for at in order {
            let seen = take.seen(frames[at], used);
            if seen.len() >= 3 {
                warm(&mut solver, body, markers, &seen, &mut state, &widths, 1e-4);
            }
            found[at] = Some(Candidate { frame: frames[at], state: state.clone() });
        }
    };
    follow(&mut (first..frames.len()));
    follow(&mut (0..first).rev());
    Ok(found.into_iter().flatten().collect())
}

/// Positions of markers relative to the root in the pose of each candidate.
fn shapes(subject: &Subject, candidates: &[Candidate]) -> Vec<Vec<Vector3<f64>>> {
    let mut solver = FrameSolver::new(&subject.body);
    candidates
        .iter()
        .map(|candidate| {
            subject.body.place(&candidate.state, &mut solver.placed);
            let (turn, place) = (solver.placed.rotation[0], solver.placed.position[0]);
            let local = |attached: &Attached| {
                turn.tr_mul(&(solver.placed.of(attached.joint, &attached.place) - place))
            };
            subject.attached.iter().map(local).collect()
        })
        .collect()
}

/// Difference of two shapes [m].
fn difference(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).norm_squared()).sum::<f64>().sqrt()
}

/// By marker: as how many frames one of `count` frames counts. Soft tissue moves alike whenever joints are bent
/// alike, and attachments adapt to it; camera noise is independent. The correlation is estimated between the
/// residuals of each candidate and of the candidate nearest in pose.
///
/// Based on: L. Kish, "Survey Sampling", 1965, the design effect `1 + (n − 1) ρ` of correlated samples.
pub(crate) fn repeated(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    candidates: &[Candidate],
    count: usize,
) -> Vec<f64> {
    let shapes = shapes(subject, candidates);
    let mut solver = FrameSolver::new(&subject.body);
    let residuals: Vec<Vec<Option<Vector3<f64>>>> = candidates
        .iter()
        .map(|candidate| {
            subject.body.place(&candidate.state, &mut solver.placed);
            let residual = |(marker, attached): (usize, &Attached)| {
                let off =
                    take.point(candidate.frame, marker)? - solver.placed.of(attached.joint, &attached.place);
                // Ghosts are left out.
                let is_near = used[marker] && off.norm() < 3.0 * SCALE;
                is_near.then(|| solver.placed.rotation[attached.joint].tr_mul(&off))
            };
            subject.attached.iter().enumerate().map(residual).collect()
        })
        .collect();
    let mut sums = vec![(0.0, 0.0, 0usize); subject.attached.len()];
    for at in 0..candidates.len() {
        let others = (0..candidates.len()).filter(|other| *other != at);
        let differences = others.map(|other| (difference(&shapes[at], &shapes[other]), other));
        let Some((_, next)) = differences.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))) else {
            break;
        };
        for (marker, sum) in sums.iter_mut().enumerate() {
            if let (Some(own), Some(other)) = (residuals[at][marker], residuals[next][marker]) {
                sum.0 += own.dot(&other);
                sum.1 += (own.norm_squared() + other.norm_squared()) / 2.0;
                sum.2 += 1;
            }
        }
    }
    let alike = |(product, square, _): (f64, f64, usize)| {
        if square > 0.0 { (product / square).clamp(0.0, 1.0) } else { 1.0 }
    };
    let all = sums.iter().fold((0.0, 0.0, 0), |all, sum| (all.0 + sum.0, all.1 + sum.1, all.2 + sum.2));
    let shown = |sum: &(f64, f64, usize)| if sum.2 < FEWEST_RESIDUALS { alike(all) } else { alike(*sum) };
    sums.iter().map(|sum| 1.0 + (count.max(1) - 1) as f64 * shown(sum)).collect()
}

/// The candidates whose poses differ most and which show most markers.
fn most_different(subject: &Subject, take: &Take, used: &[bool], candidates: &[Candidate]) -> Vec<usize> {
    let well = well_solved(subject, take, used, candidates);
    let places = if well.len() >= FEWEST_WELL { well } else { (0..candidates.len()).collect() };
    let candidates: Vec<Candidate> = places.iter().map(|at| candidates[*at].clone()).collect();
    let candidates = &candidates[..];
    let shapes = shapes(subject, candidates);
    let seen: Vec<usize> =
        candidates.iter().map(|candidate| take.seen(candidate.frame, used).len()).collect();
    let most = seen.iter().copied().max().unwrap_or(0);
    let share: Vec<f64> = seen.iter().map(|seen| *seen as f64 / most.max(1) as f64).collect();
    let distance = |a: usize, b: usize| difference(&shapes[a], &shapes[b]);
    let Some(first) = (0..candidates.len()).max_by_key(|at| (seen[*at], usize::MAX - at)) else {
        return Vec::new();
    };
    let mut chosen = vec![first];
    let mut nearest: Vec<f64> = (0..candidates.len()).map(|at| distance(at, first)).collect();
    while chosen.len() < CHOSEN.min(candidates.len()) {
        let value = |at: &usize| nearest[*at] * share[*at].powi(2);
        let next = (0..candidates.len()).max_by(|a, b| value(a).total_cmp(&value(b)).then(b.cmp(a)));
        let Some(next) = next.filter(|next| nearest[*next] > 0.0) else { break };
        chosen.push(next);
        for at in 0..candidates.len() {
            nearest[at] = nearest[at].min(distance(at, next));
        }
    }
    let mut chosen: Vec<usize> = chosen.into_iter().map(|at| places[at]).collect();
    chosen.sort_unstable();
    chosen
}

/// The candidates that explain nearly all of their markers: a wrong pose also differs from all others.
fn well_solved(subject: &Subject, take: &Take, used: &[bool], candidates: &[Candidate]) -> Vec<usize> {
    let mut solver = FrameSolver::new(&subject.body);
    let mut is_well = |candidate: &Candidate| {
        subject.body.place(&candidate.state, &mut solver.placed);
        let seen = take.seen(candidate.frame, used);
        let near = seen.iter().filter(|(marker, place)| {
            let attached = &subject.attached[*marker];
            (place - solver.placed.of(attached.joint, &attached.place)).norm() < 3.0 * SCALE
        });
        near.count() as f64 >= WELL * seen.len() as f64
    };
    (0..candidates.len()).filter(|at| is_well(&candidates[*at])).collect()
}

/// One round: chosen frames, attachments and lengths. `extra` are frames of a static trial.
pub(crate) fn round(
    subject: &mut Subject,
    take: &Take,
    used: &[bool],
    candidates: &[Candidate],
    extra: &[CalibrationFrame],
    (scales, sigmas): (&[f64], Option<&[f64]>),
) -> Determined {
    let mut frames: Vec<CalibrationFrame> = most_different(subject, take, used, candidates)
        .into_iter()
        .map(|at| CalibrationFrame {
            seen: take.seen(candidates[at].frame, used),
            state: candidates[at].state.clone(),
        })
        .chain(extra.iter().cloned())
        .collect();
    for (marker, attached) in subject.attached.iter_mut().enumerate() {
        attached.weight = sigmas.map_or(FIRST_SIGMA, |sigmas| sigmas[marker]).powi(-2);
    }
    let repeated = match sigmas {
        Some(_) => repeated(subject, take, used, candidates, frames.len()),
        None => vec![FIRST_REPEATED; subject.attached.len()],
    };
    let mut determined = Determined::default();
    for scale in scales {
        let options = CalibrationOptions {
            priors: &subject.priors,
            offsets: &subject.offsets,
            scale: *scale,
            steps: 15,
            repeated: &repeated,
        };
        determined = calibrate(&mut subject.body, &mut subject.attached, &mut frames, &options);
    }
    determined
}

/// Solves the candidates again, starting from their poses.
pub(crate) fn refine(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    candidates: &mut [Candidate],
    widths: &[f64],
) {
    let mut solver = FrameSolver::new(&subject.body);
    for candidate in candidates {
        let seen = take.seen(candidate.frame, used);
        if seen.len() >= 3 {
            warm(&mut solver, &subject.body, &subject.attached, &seen, &mut candidate.state, widths, 1e-5);
        }
    }
}

/// Residuals by marker in the candidates [m].
pub(crate) fn residuals(subject: &Subject, take: &Take, candidates: &[Candidate]) -> Vec<Vec<f64>> {
    let mut solver = FrameSolver::new(&subject.body);
    let mut found = vec![Vec::new(); take.names.len()];
    for candidate in candidates {
        subject.body.place(&candidate.state, &mut solver.placed);
        for (marker, attached) in subject.attached.iter().enumerate() {
            if let Some(point) = take.point(candidate.frame, marker) {
                found[marker].push((point - solver.placed.of(attached.joint, &attached.place)).norm());
            }
        }
    }
    found
}

/// σ of all markers and of each, from residuals [m]: robust against ghosts. A marker that fits better than most
/// gets no smaller σ.
pub(crate) fn sigmas_of(residuals: &[Vec<f64>], used: &[bool]) -> (f64, Vec<f64>) {
    // The median length of a vector of three independent normal components is 1.54 σ.
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).map(|median| median / 1.54)
    };
    let all = residuals.iter().zip(used).filter(|(_, used)| **used).flat_map(|(own, _)| own.iter().copied());
    let sigma = middle(all.collect()).unwrap_or(FIRST_SIGMA).max(LEAST_SIGMA);
    let each = residuals.iter().map(|own| middle(own.clone()).map_or(sigma, |own| own.max(sigma)));
    (sigma, each.collect())
}

/// The poses of all frames: each from the nearest candidate, frame by frame.
pub(crate) fn track(subject: &Subject, take: &Take, used: &[bool], candidates: &[Candidate]) -> Vec<State> {
    let (body, markers) = (&subject.body, &subject.attached);
    let mut states: Vec<Option<State>> = vec![None; take.frames];
    let mut solver = FrameSolver::new(body);
    let widths = [2.5 * SCALE, SCALE];
    for (at, candidate) in candidates.iter().enumerate() {
        let from = at.checked_sub(1).map_or(0, |before| (candidates[before].frame + candidate.frame) / 2 + 1);
        let to = candidates.get(at + 1).map_or(take.frames, |next| (candidate.frame + next.frame) / 2 + 1);
        let mut follow = |order: &mut dyn Iterator<Item = usize>| {
            let (mut state, mut before) = (candidate.state.clone(), None::<State>);
            for frame in order {
                let seen = take.seen(frame, used);
                if seen.len() >= 3 {
                    // The frame starts from constant velocity.
                    let mut start =
                        before.as_ref().map_or(state.clone(), |before| body.between(before, &state, 2.0));
                    let near = is_near(&mut solver, subject, &seen, &start);
                    let widths = if near { &widths[1..] } else { &widths[..] };
                    warm(&mut solver, body, markers, &seen, &mut start, widths, FINE);
                    before = Some(std::mem::replace(&mut state, start));
                }
                states[frame] = Some(state.clone());
            }
        };
        follow(&mut (candidate.frame..to));
        follow(&mut (from..candidate.frame).rev());
    }
    states.into_iter().flatten().collect()
}

/// Whether a pose is so near that all markers are within the width of the robust loss, except one
/// at most, which may be a ghost.
fn is_near(solver: &mut FrameSolver, subject: &Subject, seen: &[Observed], state: &State) -> bool {
    subject.body.place(state, &mut solver.placed);
    let is_off = |(marker, place): &&Observed| {
        let attached = &subject.attached[*marker];
        (place - solver.placed.of(attached.joint, &attached.place)).norm() > SCALE
    };
    seen.iter().filter(is_off).count() <= 1
}

/// Solves frames in which a joint is `lost` again, from poses before, after and between, and from the markers
/// only; the pose with the best fit is used.
pub(crate) fn recover(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    states: &mut [State],
    lost: &[Option<usize>],
) {
    let (body, markers) = (&subject.body, &subject.attached);
    let mut solver = FrameSolver::new(body);
    let good: Vec<usize> = (0..states.len()).filter(|frame| lost[*frame].is_none()).collect();
    for frame in (0..states.len()).filter(|frame| lost[*frame].is_some()) {
        let next = good.partition_point(|other| *other < frame);
        let ends = [next.checked_sub(1).map(|at| good[at]), good.get(next).copied()];
        let mut starts: Vec<State> = ends.iter().flatten().map(|end| states[*end].clone()).collect();
        if let [Some(a), Some(b)] = ends {
            starts.push(body.between(&states[a], &states[b], (frame - a) as f64 / (b - a) as f64));
        }
        let seen = take.seen(frame, used);
        starts.extend(cold(&mut solver, body, markers, &seen, SCALE).map(|(state, _)| state));
        let mut best = warm(&mut solver, body, markers, &seen, &mut states[frame], &[SCALE], FINE);
        for start in starts {
            for widths in [&[0.3, 0.1, SCALE][..], &[0.1, SCALE]] {
                let mut state = start.clone();
                let cost = warm(&mut solver, body, markers, &seen, &mut state, widths, FINE);
                if cost < best {
                    best = cost;
                    states[frame] = state;
                }
            }
        }
    }
}
