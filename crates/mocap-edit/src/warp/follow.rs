//! A body that follows its keys as example poses do.

use mocap_model::{Clip, JointId, Pose, Vector3, log};
use mocap_poses::{Examples, Moved, PosePrior, follow};

use super::{Body, Keyed, Knots, WarpChange, placed};
use crate::EditError;

/// Adds turns and moves of the hips with which the body follows the joints that keys move. Joints with turns of their own
/// in a frame keep them.
pub(super) fn examples(
    clip: &Clip,
    body: &Body,
    keys: &[Keyed<'_>],
    (prior, keep_feet): (&PosePrior, bool),
    (turns, moves): (&mut [Knots], &mut Knots),
) -> Result<(), EditError> {
    let wrong = |error: mocap_poses::PosesError| EditError::Warp { reason: error.to_string() };
    let examples = Examples::on(prior, &body.skeleton).map_err(wrong)?;
    let held: Vec<JointId> =
        if keep_feet { body.feet.iter().map(|foot| foot.ankle).collect() } else { Vec::new() };
    for frame in keys.chunk_by(|a, b| a.0 == b.0) {
        let at = frame[0].0;
        let mut moved: Vec<Moved> = Vec::new();
        for (_, key, joint) in frame {
            let from = placed(clip, at, *joint).translation.vector;
            let to = match key.change {
                WarpChange::At(place) => place,
                WarpChange::By(by) => from + by,
                WarpChange::Turn(_) | WarpChange::To(_) => continue,
            };
            moved.retain(|other| other.joint != *joint);
            moved.push(Moved { joint: *joint, to });
        }
        if moved.is_empty() {
            continue;
        }
        let (mut local, mut pose) = (Pose::default(), Pose::default());
        clip.local_pose(at, &mut local);
        local.to_object(clip.skeleton(), &mut pose);
        let followed = follow(&examples, &pose, &moved, &held);
        for (joint, turn) in followed.turns {
            let own = frame.iter().any(|(_, key, keyed)| {
                *keyed == joint && matches!(key.change, WarpChange::Turn(_) | WarpChange::To(_))
            });
            if !own {
                put(&mut turns[joint.index()], at, log(&turn));
            }
        }
        if !moved.iter().any(|moved| moved.joint == body.hips) {
            let parent =
                placed(clip, at, body.hips).rotation * local.joints[body.hips.index()].rotation.inverse();
            put(moves, at, parent.inverse() * followed.hips);
        }
    }
    Ok(())
}

/// Adds a displacement in the order of the frames.
fn put(knots: &mut Knots, frame: usize, displacement: Vector3<f64>) {
    let place = knots.partition_point(|knot| knot.0 < frame);
    match knots.get_mut(place).filter(|knot| knot.0 == frame) {
        Some(knot) => knot.1 = displacement,
        None => knots.insert(place, (frame, displacement)),
    }
}
