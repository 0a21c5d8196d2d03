//! Solves poses without a start pose: the root by a rigid fit, then all joints while the robust loss narrows.

use mocap_model::Vector3;

use crate::body::{Body, State};
use crate::frame::{Attached, FrameOptions, FrameSolver, Observed, rigid_fit};

/// Widths of the robust loss, from first to last [m].
const NARROWING: [f64; 4] = [2.0, 0.5, 0.2, 0.1];

/// A pose from the markers of its frame only, and its cost. The root is fitted to the markers of
/// the root joint, or to all if fewer than three of these are seen. `None` if fewer than three are
/// seen in all.
pub(crate) fn cold(
    solver: &mut FrameSolver,
    body: &Body,
    markers: &[Attached],
    seen: &[Observed],
    scale: f64,
) -> Option<(State, f64)> {
    let mut state = body.rest();
    body.place(&state, &mut solver.placed);
    let placed = &solver.placed;
    let pair = |(marker, place): &Observed| {
        let attached = &markers[*marker];
        let rest = placed.position[attached.joint] + placed.rotation[attached.joint] * attached.place;
        (rest, *place, 1.0)
    };
    let own: Vec<_> = seen.iter().filter(|(marker, _)| markers[*marker].joint == 0).map(pair).collect();
    let all: Vec<_> = seen.iter().map(pair).collect();
    let mut pairs = if own.len() >= 3 { own } else { all };
    let mut fit = rigid_fit(&pairs)?;
    for width in [0.3, 0.15, 0.1] {
        for (from, to, weight) in &mut pairs {
            let off: Vector3<f64> = *to - (fit.0 * *from + fit.1);
            *weight = (width * width / (width * width + off.norm_squared())).powi(2);
        }
        fit = rigid_fit(&pairs)?;
    }
    // The root rotates about its own position, and rests at the origin.
    state.translation = fit.1;
    let rest = body.joints[0].rest;
    state.turns[0] = rest.inverse() * fit.0 * rest;
    let mut cost = f64::INFINITY;
    for width in NARROWING.into_iter().filter(|width| *width > scale).chain([scale]) {
        let options = FrameOptions { scale: width, tolerance: 1e-3 };
        cost = solver.solve(body, markers, seen, None, &mut state, &options);
    }
    Some((state, cost))
}

/// Solves a frame from a nearby pose (`state`), with one robust width after the other; returns the
/// cost.
pub(crate) fn warm(
    solver: &mut FrameSolver,
    body: &Body,
    markers: &[Attached],
    seen: &[Observed],
    state: &mut State,
    widths: &[f64],
    tolerance: f64,
) -> f64 {
    let mut cost = f64::INFINITY;
    for (at, width) in widths.iter().enumerate() {
        let tolerance = if at + 1 == widths.len() { tolerance } else { 1e-2 };
        cost = solver.solve(body, markers, seen, None, state, &FrameOptions { scale: *width, tolerance });
    }
    cost
}
