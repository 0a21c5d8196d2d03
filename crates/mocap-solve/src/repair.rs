//! Finds faults of markers from the poses: ghosts, and joints that markers do not determine.

use crate::body::State;
use crate::frame::FrameSolver;
use crate::subject::Subject;
use crate::take::Take;

/// A marker further than this from its predicted position is a ghost [m].
pub(crate) const OFF: f64 = 0.06;

/// Distances between markers and their places by the poses: `frames × markers` [m].
pub(crate) fn distances(subject: &Subject, take: &Take, states: &[State]) -> Vec<Option<f64>> {
    let mut solver = FrameSolver::new(&subject.body);
    let mut found = Vec::with_capacity(take.points.len());
    for (frame, state) in states.iter().enumerate() {
        subject.body.place(state, &mut solver.placed);
        for (marker, attached) in subject.attached.iter().enumerate() {
            found.push(
                take.point(frame, marker)
                    .map(|point| (point - solver.placed.of(attached.joint, &attached.place)).norm()),
            );
        }
    }
    found
}

/// By frame: the joints whose own markers, or those of their parent or children, are not all seen
/// in plausible places. Never the root.
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

/// Markers near a joint strain it if the root mean square of their distances exceeds its median
/// over all frames by the first value as a factor, and also exceeds the second value [m].
const STRAINED: (f64, f64) = (3.0, 0.005);

/// By frame: a joint near which a marker is missing while the others fit far worse than usual.
pub(crate) fn strained(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    distances: &[Option<f64>],
) -> Vec<Option<usize>> {
    let (joints, count) = (&subject.body.joints, take.names.len());
    let mut found = vec![None; take.frames];
    for joint in 1..joints.len() {
        let beside = |other: usize| {
            other == joint || joints[joint].parent == Some(other) || joints[other].parent == Some(joint)
        };
        let near: Vec<usize> =
            (0..count).filter(|at| used[*at] && beside(subject.attached[*at].joint)).collect();
        // Root mean squares by frame, without ghosts.
        let fits = |frame: usize| -> Option<f64> {
            let seen = near.iter().filter_map(|marker| distances[frame * count + marker]);
            let (sum, all) =
                seen.filter(|off| *off <= OFF).fold((0.0, 0), |(sum, all), off| (sum + off * off, all + 1));
            (all > 0).then(|| (sum / f64::from(all)).sqrt())
        };
        let fits: Vec<Option<f64>> = (0..take.frames).map(fits).collect();
        let mut sorted: Vec<f64> = fits.iter().copied().flatten().collect();
        sorted.sort_by(f64::total_cmp);
        let Some(usual) = sorted.get(sorted.len() / 2) else { continue };
        let least = STRAINED.1.max(STRAINED.0 * usual);
        for (frame, fits) in fits.iter().enumerate() {
            let lacks = near.iter().any(|marker| distances[frame * count + marker].is_none());
            if lacks && fits.is_some_and(|fits| fits > least) {
                found[frame].get_or_insert(joint);
            }
        }
    }
    found
}

/// By frame: a joint that does not explain most of its markers, including those of the joints directly below.
pub(crate) fn lost(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    distances: &[Option<f64>],
) -> Vec<Option<usize>> {
    let (joints, count) = (subject.body.joints.len(), take.names.len());
    let mut near: Vec<Vec<usize>> = vec![Vec::new(); joints];
    for marker in (0..count).filter(|marker| used[*marker]) {
        let joint = subject.attached[marker].joint;
        near[joint].push(marker);
        if let Some(parent) = subject.body.joints[joint].parent {
            near[parent].push(marker);
        }
    }
    (0..take.frames)
        .map(|frame| {
            (0..joints).find(|joint| {
                let seen = near[*joint].iter().filter_map(|marker| distances[frame * count + marker]);
                let (off, all) =
                    seen.fold((0, 0), |(off, all), distance| (off + usize::from(distance > OFF), all + 1));
                off >= 2 && off * 2 > all
            })
        })
        .collect()
}
