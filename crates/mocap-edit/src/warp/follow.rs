//! Whole-body solutions for keys: from example poses, or by the least change of all joints.

use mocap_model::{Clip, JointId, Pose, Vector3, log};
use mocap_poses::{BodySolver, Examples, Moved, follow, reach};

use super::{Body, Keyed, Knots, Warp, WarpChange, placed};
use crate::EditError;

/// Adds rotations of joints and translations of the hips with which the whole body follows the joints that keys move,
/// from example poses or by the least change of all joints. Joints that other keys rotate in the same frame keep these
/// rotations.
pub(super) fn whole_body(
    clip: &Clip,
    body: &Body,
    keys: &[Keyed<'_>],
    (solver, warp): (BodySolver, &Warp),
    (turns, moves): (&mut [Knots], &mut Knots),
) -> Result<(), EditError> {
    let wrong = |error: mocap_poses::PosesError| EditError::Warp { reason: error.to_string() };
    let examples = warp.poses.as_ref().map(|prior| Examples::on(prior, &body.skeleton)).transpose();
    let examples = examples.map_err(wrong)?;
    let held: Vec<JointId> =
        if warp.keep_feet { body.feet.iter().map(|foot| foot.ankle).collect() } else { Vec::new() };
    for frame in keys.chunk_by(|a, b| a.0 == b.0) {
        let at = frame[0].0;
        let mut moved: Vec<Moved> = Vec::new();
        for (_, key, joint) in frame {
            let from = placed(clip, at, *joint).translation.vector;
            let to = match key.change {
                WarpChange::At(place) => place,
                WarpChange::By(by) => from + by,
                WarpChange::Turn(_) | WarpChange::To(_) | WarpChange::LookAt(_) => continue,
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
        let followed = match &examples {
            Some(examples) => follow(examples, &pose, &moved, &held, solver),
            None => reach(&body.skeleton, &pose, &moved, &held, solver),
        };
        let followed = followed.map_err(wrong)?;
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

/// Sets the displacement at a frame; the knots stay in the order of their frames.
fn put(knots: &mut Knots, frame: usize, displacement: Vector3<f64>) {
    let place = knots.partition_point(|knot| knot.0 < frame);
    match knots.get_mut(place).filter(|knot| knot.0 == frame) {
        Some(knot) => knot.1 = displacement,
        None => knots.insert(place, (frame, displacement)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use mocap_model::Role;
    use mocap_poses::{Sampled, learn};

    use super::*;
    use crate::fixtures::clip;
    use crate::{WarpIk, WarpKey, warp};

    #[test]
    fn the_trunk_follows_a_hand_that_reaches_and_the_key_is_met() {
        let [walk, wave] = ["alex_walk.bvh", "alex_wave.bvh"].map(clip);
        let sampled = [&walk, &wave].map(|clip| Sampled::of(clip).unwrap());
        let prior = learn(&sampled).unwrap().0;
        let body = Body::of(&wave);
        let hand = body.skeleton.with_role(Role::RightHand).unwrap();
        let name = wave.skeleton().joint(hand).name.clone();
        let metres = body.metres.unwrap();
        let by = |up: f64| {
            let change = WarpChange::By(body.up * (up / metres));
            let keys = vec![WarpKey { time: 1.5, joint: name.clone(), change }];
            Warp { poses: Some(Arc::new(prior.clone())), ..Warp::new(0.5, 2.5, keys) }
        };
        let chest = body.skeleton.with_role(Role::Chest).or(body.skeleton.with_role(Role::Spine)).unwrap();
        let turned = |clip: &Clip| clip.local(chest, 45).rotation.angle_to(&wave.local(chest, 45).rotation);
        let (moved, report) = warp(&wave, &by(0.1)).unwrap();
        assert!(turned(&moved) > 1e-4, "{report}");
        let off = placed(&moved, 45, hand).translation.vector - placed(&wave, 45, hand).translation.vector;
        assert!((off - body.up * (0.1 / metres)).norm() * metres < 1e-3, "{off:?}");
        assert!(turned(&warp(&wave, &by(0.0)).unwrap().0) < 1e-6, "nothing is moved, nothing follows");
        assert_eq!(moved.local(chest, 10), wave.local(chest, 10), "outside of the warp nothing changes");
    }

    /// A hand that is moved further than its arm reaches: the whole body brings it there, by any solver, and feet stay.
    #[test]
    fn the_whole_body_reaches_further_than_an_arm() {
        let wave = clip("alex_wave.bvh");
        let body = Body::of(&wave);
        let metres = body.metres.unwrap();
        let role = |role| body.skeleton.with_role(role).unwrap();
        let (hand, chest, foot) = (role(Role::RightHand), role(Role::Chest), role(Role::LeftFoot));
        let name = wave.skeleton().joint(hand).name.clone();
        // Down along the body, to below the knees.
        let low =
            placed(&wave, 45, role(Role::RightLowerLeg)).translation.vector + body.forward * (0.1 / metres);
        let with = |ik: Option<WarpIk>| {
            let keys = vec![WarpKey { time: 1.5, joint: name.clone(), change: WarpChange::At(low) }];
            warp(&wave, &Warp { ik, ..Warp::new(0.5, 2.5, keys) })
        };
        assert!(with(None).unwrap_err().to_string().contains("cannot reach"));
        for ik in BodySolver::ALL.map(WarpIk::Body) {
            let (moved, report) = with(Some(ik)).unwrap();
            let off = (placed(&moved, 45, hand).translation.vector - low).norm() * metres;
            assert!(off < 1e-6, "{ik}: {off}: {report}");
            assert!(moved.local(chest, 45).rotation.angle_to(&wave.local(chest, 45).rotation) > 0.02, "{ik}");
            let [a, b] = [&wave, &moved].map(|clip| placed(clip, 45, foot).translation.vector);
            assert!((a - b).norm() * metres < 1e-3, "{ik}: {report}");
        }
    }
}
