//! What is wrong with markers, by the poses of all of them: exchanged labels, ghosts, markers that are off throughout.

use crate::body::State;
use crate::fit::predicted;
use crate::frame::FrameSolver;
use crate::subject::Subject;
use crate::take::Take;

/// A marker this far from where the others put it is not that marker [m].
pub(crate) const OFF: f64 = 0.06;
/// A marker within this of another one's place may be that one [m].
const NEAR: f64 = 0.045;
/// Exchanges of fewer frames are ghosts.
const FEWEST: usize = 3;

/// Two markers that carry each other's label in some frames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) markers: [usize; 2],
    pub(crate) frames: Vec<usize>,
}

/// Distances between markers and their places by the poses: `frames × markers` [m].
pub(crate) fn distances(subject: &Subject, take: &Take, states: &[State]) -> Vec<Option<f64>> {
    let mut solver = FrameSolver::new(&subject.body);
    let mut found = Vec::with_capacity(take.points.len());
    for (frame, state) in states.iter().enumerate() {
        subject.body.place(state, &mut solver.placed);
        for (marker, attached) in subject.attached.iter().enumerate() {
            found.push(take.point(frame, marker).map(|point| (point - predicted(&solver, attached)).norm()));
        }
    }
    found
}

/// Finds exchanged labels, and exchanges them back.
pub(crate) fn exchange_back(
    subject: &Subject,
    take: &mut Take,
    used: &[bool],
    states: &[State],
) -> Vec<Exchange> {
    let mut solver = FrameSolver::new(&subject.body);
    let mut found: Vec<Exchange> = Vec::new();
    for (frame, state) in states.iter().enumerate() {
        subject.body.place(state, &mut solver.placed);
        let places: Vec<_> = subject.attached.iter().map(|attached| predicted(&solver, attached)).collect();
        let off: Vec<usize> = take
            .seen(frame, used)
            .into_iter()
            .filter(|(marker, point)| (point - places[*marker]).norm() > OFF)
            .map(|(marker, _)| marker)
            .collect();
        for (at, a) in off.iter().enumerate() {
            for b in &off[at + 1..] {
                let (Some(first), Some(second)) = (take.point(frame, *a), take.point(frame, *b)) else {
                    continue;
                };
                let crossed = [(first - places[*b]).norm(), (second - places[*a]).norm()];
                let own = [(first - places[*a]).norm(), (second - places[*b]).norm()];
                if crossed.iter().zip(own).all(|(crossed, own)| *crossed < NEAR && *crossed < 0.5 * own) {
                    match found.iter_mut().find(|exchange| exchange.markers == [*a, *b]) {
                        Some(exchange) => exchange.frames.push(frame),
                        None => found.push(Exchange { markers: [*a, *b], frames: vec![frame] }),
                    }
                }
            }
        }
    }
    found.retain(|exchange| exchange.frames.len() >= FEWEST);
    for exchange in &mut found {
        exchange.frames = filled(exchange, take, subject, states, &mut solver);
        for frame in &exchange.frames {
            take.swap(*frame, exchange.markers[0], exchange.markers[1]);
        }
    }
    found
}

/// The frames of an exchange with those between in which only one of the two is seen, nearer to the other's place.
fn filled(
    exchange: &Exchange,
    take: &Take,
    subject: &Subject,
    states: &[State],
    solver: &mut FrameSolver,
) -> Vec<usize> {
    let [a, b] = exchange.markers;
    let (Some(first), Some(last)) = (exchange.frames.first(), exchange.frames.last()) else {
        return Vec::new();
    };
    let reach = 30;
    let range = first.saturating_sub(reach)..(last + reach + 1).min(take.frames);
    let mut frames = Vec::new();
    for frame in range {
        if exchange.frames.binary_search(&frame).is_ok() {
            frames.push(frame);
            continue;
        }
        let near = exchange.frames.partition_point(|other| *other < frame);
        let nearest = [near.checked_sub(1), Some(near)]
            .into_iter()
            .flatten()
            .filter_map(|at| exchange.frames.get(at))
            .map(|other| other.abs_diff(frame))
            .min();
        if nearest.is_none_or(|nearest| nearest > reach) {
            continue;
        }
        subject.body.place(&states[frame], &mut solver.placed);
        let [place_a, place_b] = [a, b].map(|marker| predicted(solver, &subject.attached[marker]));
        type Place = mocap_model::Vector3<f64>;
        let is_other = |point: Option<Place>, own: &Place, other: &Place| {
            point.map(|point: Place| {
                (point - other).norm() < 0.5 * (point - own).norm() && (point - other).norm() < 2.0 * NEAR
            })
        };
        let votes = [
            is_other(take.point(frame, a), &place_a, &place_b),
            is_other(take.point(frame, b), &place_b, &place_a),
        ];
        if votes.iter().flatten().any(|vote| *vote) && !votes.contains(&Some(false)) {
            frames.push(frame);
        }
    }
    frames
}

/// By frame: the joints whose own markers, or those next to them, are not all seen where they belong.
pub(crate) fn doubted(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    distances: &[Option<f64>],
) -> Vec<Vec<bool>> {
    let (joints, count) = (subject.body.joints.len(), take.names.len());
    (0..take.frames)
        .map(|frame| {
            let mut lacks = vec![false; joints];
            for marker in (0..count).filter(|marker| used[*marker]) {
                if distances[frame * count + marker].is_none_or(|distance| distance > OFF) {
                    lacks[subject.attached[marker].joint] = true;
                }
            }
            let mut doubted = lacks.clone();
            for (at, joint) in subject.body.joints.iter().enumerate() {
                if let Some(parent) = joint.parent {
                    doubted[at] |= lacks[parent];
                    doubted[parent] |= lacks[at];
                }
            }
            doubted[0] = false;
            doubted
        })
        .collect()
}
