//! A strip of small poses as SVG path data, for lists of many motions.

use crate::camera::{Camera, View};
use crate::stage::{Stage, evenly_spaced};
use mocap_model::{JointId, Role, Side};
use std::fmt::Write;

/// Number of poses in a strip.
pub(crate) const POSES: usize = 6;
/// The cell of a pose [units of the path].
pub(crate) const CELL: [f64; 2] = [96.0, 144.0];

/// The lines of the left side, the middle and the right side over all poses, and the dots of the heads.
pub(crate) fn strip(stage: &Stage<'_>) -> [String; 4] {
    let frames = evenly_spaced(stage.frames(), POSES);
    let mut heading = None;
    let mut poses = Vec::with_capacity(frames.len());
    let mut among = Vec::new();
    for frame in &frames {
        let pose = stage.pose(*frame);
        let heading = *heading.get_or_insert_with(|| stage.heading(&pose));
        let hips = pose[stage.centre];
        let camera = Camera::new(View::Perspective, heading, [hips[0], stage.floor, hips[2]], stage.size());
        among.extend(stage.among(&pose[..stage.sides.len()]));
        poses.push(pose.iter().map(|place| camera.project(place)).collect::<Vec<_>>());
    }
    // One scale for all poses; parts outside the body are ignored.
    let mut bounds = [0.0f64, 0.0, 0.0, 0.0];
    let head = stage.clip.skeleton().with_role(Role::Head);
    let above = above_head(stage, head);
    let mut body = stage.in_body();
    body.iter_mut().zip(&above).for_each(|(body, above)| *body &= !above);
    let joints = poses.iter().flat_map(|pose| pose.iter().zip(&body)).zip(&among);
    for seen in joints.filter(|((_, body), among)| **body && **among).map(|((seen, _), _)| seen) {
        bounds[0] = bounds[0].max(seen.x.abs());
        bounds[1] = bounds[1].max(seen.y);
        bounds[2] = bounds[2].min(seen.y);
    }
    if head.is_some() {
        bounds[1] += 0.08 * stage.size();
    }
    let high = (bounds[1] - bounds[2]).max(1e-9);
    let scale = ((CELL[0] / 2.0 - 3.0) / bounds[0].max(1e-9)).min((CELL[1] - 12.0) / high);
    let mut strip: [String; 4] = Default::default();
    for (i, pose) in poses.iter().enumerate() {
        let left = CELL[0] * (i as f64 + 0.5);
        let at = |joint: usize| {
            let seen = &pose[joint];
            [left + seen.x * scale, CELL[1] - 5.0 + (bounds[2] - seen.y) * scale].map(|v| v.round() as i64)
        };
        let mut last = usize::MAX;
        let mut side = None;
        let mut drawn = false;
        for bone in stage.bones.iter().filter(|bone| !bone.faint && !above[bone.to]) {
            let [from, to] = [at(bone.from), at(bone.to)];
            if from == to {
                continue;
            }
            let lines = &mut strip[match bone.side {
                Some(Side::Left) => 0,
                None => 1,
                Some(Side::Right) => 2,
            }];
            if bone.from != last || bone.side != side {
                let _ = write!(lines, "M{} {}l", from[0], from[1]);
            } else {
                lines.push(' ');
            }
            let _ = write!(lines, "{} {}", to[0] - from[0], to[1] - from[1]);
            (last, side, drawn) = (bone.to, bone.side, true);
        }
        if !drawn {
            for joint in 0..stage.sides.len() {
                let [x, y] = at(joint);
                let _ = write!(strip[1], "M{x} {y}h0");
            }
        }
        if let Some(head) = head {
            let [x, y] = at(head.index());
            let up = (0.045 * stage.size() * scale).round() as i64;
            let _ = write!(strip[3], "M{x} {}h0", y - up);
        }
    }
    strip
}

/// By joint, whether it is hair, a hat or another joint on the head.
fn above_head(stage: &Stage<'_>, head: Option<JointId>) -> Vec<bool> {
    let skeleton = stage.clip.skeleton();
    let mut above = vec![false; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        above[id.index()] = joint.parent.is_some_and(|parent| above[parent.index()] || Some(parent) == head);
    }
    above
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_strip_has_both_sides_within_its_cells() {
        let clip: mocap_model::Clip =
            include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let [left, middle, right, _] = strip(&Stage::new(&clip));
        assert!(left.starts_with('M') && right.starts_with('M') && middle.starts_with('M'));
        assert!(left.matches('M').count() >= POSES);
        assert!(left.len() + middle.len() + right.len() < 1500, "{left}{middle}{right}");
        for path in [&left, &right] {
            let start = path[1..].split(['l', ' ']).take(2).map(|n| n.parse::<f64>().unwrap());
            let start: Vec<f64> = start.collect();
            assert!((0.0..CELL[0]).contains(&start[0]) && (0.0..CELL[1]).contains(&start[1]), "{start:?}");
        }
    }
}
