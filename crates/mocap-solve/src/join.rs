//! Resolves jumps between frames: the markers of a joint fit in two ways, and frames before and after were
//! solved in different ones. The solution of one side is continued into the other side until both are equal.

use crate::body::State;
use crate::fit::{FINE, SCALE};
use crate::frame::FrameSolver;
use crate::start::warm;
use crate::subject::Subject;
use crate::take::Take;

/// A joint jumps if it rotates by more than the first value between two frames, and by more than the second
/// value times its rotations before and after [rad, times].
const JUMP: (f64, f64) = (0.15, 3.0);
/// A remaining jump of at least the first value is doubtful [rad]. Two jumps within the second value [s]
/// concern the frames between them.
const DOUBTFUL: (f64, f64) = (0.35, 0.15);
/// Two solutions are equal if no joint differs by more than this [rad].
const ONE: f64 = 0.02;
/// Longest continuation of a solution [s].
const LONGEST: f64 = 0.5;

/// Solves frames again around jumps.
pub(crate) fn join(subject: &Subject, take: &Take, used: &[bool], states: &mut [State], rate: f64) {
    let mut solver = FrameSolver::new(&subject.body);
    let most = ((LONGEST * rate) as usize).max(2);
    for frame in 1..states.len() {
        if jump(states, frame, JUMP.0).is_none() {
            continue;
        }
        let onwards = frame..states.len().min(frame + most);
        let back = (frame.saturating_sub(most)..frame).rev();
        let way = Way { subject, take, used, states };
        let ahead = way.follow(&mut solver, (frame - 1, frame.checked_sub(2)), &mut onwards.clone());
        let behind = way.follow(&mut solver, (frame, Some(frame + 1)), &mut back.clone());
        let (first, found) = match (ahead, behind) {
            (Some(ahead), Some(behind)) if behind.0 < ahead.0 => (false, behind.1),
            (Some(ahead), _) => (true, ahead.1),
            (None, Some(behind)) => (false, behind.1),
            (None, None) => continue,
        };
        let frames: Vec<usize> = if first { onwards.collect() } else { back.collect() };
        frames.into_iter().zip(found).for_each(|(frame, state)| states[frame] = state);
    }
}

/// The joint that rotates most since the previous frame, by more than `least` and much more than in
/// neighbouring frames, and its rotation [rad].
fn jump(states: &[State], frame: usize, least: f64) -> Option<(usize, f64)> {
    let turned = |joint: usize, frame: usize| {
        let before = states.get(frame.wrapping_sub(1));
        let pair = before.zip(states.get(frame));
        pair.map_or(0.0, |(a, b)| a.turns[joint].angle_to(&b.turns[joint]))
    };
    let all = (1..states[frame].turns.len()).filter_map(|joint| {
        // One of four may be the return from a single frame.
        let mut beside = [frame.wrapping_sub(2), frame - 1, frame + 1, frame + 2].map(|at| turned(joint, at));
        beside.sort_by(f64::total_cmp);
        let (own, beside) = (turned(joint, frame), beside[2]);
        (own > least.max(JUMP.1 * beside)).then_some((joint, own))
    });
    all.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))
}

/// By frame: a joint that jumps there.
pub(crate) fn jumped(states: &[State], rate: f64) -> Vec<Option<usize>> {
    let mut found: Vec<Option<usize>> = vec![None; states.len()];
    let mut last: Option<(usize, usize)> = None;
    for frame in 1..states.len() {
        let Some((joint, _)) = jump(states, frame, DOUBTFUL.0) else { continue };
        let near = |before: &usize| (frame - before) as f64 <= DOUBTFUL.1 * rate;
        let from = last.filter(|(other, _)| *other == joint).map(|(_, before)| before).filter(near);
        found[from.unwrap_or(frame - 1)..=frame].fill(Some(joint));
        last = Some((joint, frame));
    }
    found
}

struct Way<'a> {
    subject: &'a Subject,
    take: &'a Take,
    used: &'a [bool],
    states: &'a [State],
}

impl Way<'_> {
    /// Continues the solution of a frame and the one before it through `frames`, until it is equal
    /// to the known poses or the take ends. Returns the new poses and by how much worse they fit;
    /// `None` if it never becomes equal, or costs more than a marker that is left unexplained.
    fn follow(
        &self,
        solver: &mut FrameSolver,
        (from, before): (usize, Option<usize>),
        frames: &mut dyn Iterator<Item = usize>,
    ) -> Option<(f64, Vec<State>)> {
        let Way { subject, take, used, states } = self;
        let (body, markers) = (&subject.body, &subject.attached);
        let limit = markers.iter().map(|marker| marker.weight).fold(0.0, f64::max) * SCALE * SCALE;
        let before = before.and_then(|before| states.get(before)).unwrap_or(&states[from]);
        let mut last = [before.clone(), states[from].clone()];
        let mut worse = 0.0;
        let mut found = Vec::new();
        for frame in frames {
            let seen = take.seen(frame, used);
            let mut state = body.between(&last[0], &last[1], 2.0);
            let own = warm(solver, body, markers, &seen, &mut state, &[SCALE], FINE);
            body.place(&states[frame], &mut solver.placed);
            worse += own - solver.cost(body, markers, &seen, None, &states[frame], SCALE);
            if worse > limit {
                return None;
            }
            let apart = state.turns.iter().zip(&states[frame].turns).map(|(a, b)| a.angle_to(b));
            if apart.fold(0.0, f64::max) < ONE {
                return Some((worse, found));
            }
            last = [std::mem::take(&mut last[1]), state.clone()];
            found.push(state);
            // Beyond the ends of the take there is nothing to compare with.
            if frame == 0 || frame + 1 == states.len() {
                return Some((worse, found));
            }
        }
        None
    }
}
