//! The body that pictures draw around a skeleton: that of a human, the collision shapes of a robot, or balls for
//! markers.

use crate::bars;
use crate::human::Human;
use crate::only_numbers::has_only_numbers;
use crate::solid::{Across, Body, Form, Solid, round};
use crate::stage::{Place, Site, Stage};
use mocap_analysis::stature;
use mocap_model::{Primitive, Robot, Vector3};

/// The body of the skeleton on a stage.
pub(crate) fn body(stage: &Stage<'_>) -> Body {
    let skeleton = stage.clip.skeleton();
    if let Some(robot) = skeleton.robot().filter(|robot| !robot.shapes().is_empty()) {
        return shapes(stage, robot, 0.012 * stage.size() / stage.scale);
    }
    let mut body = Body::default();
    if has_only_numbers(stage.clip) {
        return body;
    }
    let size = stage.size() / stage.scale;
    if stage.bones.iter().all(|bone| bone.faint) {
        body.solids.extend((0..skeleton.len()).map(|joint| ball(joint, 0.018 * size)));
        return body;
    }
    match stature(skeleton).filter(|stature| stature.is_finite()) {
        Some(stature) => {
            Human::new(stage, stature).dress(&mut body);
            body.solids.extend(props(stage, bars::HALF * stature));
        }
        None => {
            for bone in stage.bones.iter().filter(|bone| !bone.faint) {
                let length = skeleton.joints()[bone.to].offset.norm();
                let radius = (0.018 * size).min(0.2 * length);
                body.solids.push(round(bone.from, bone.to, [radius, 0.8 * radius]));
            }
            // If all nodes are at the same position, all bones have length 0.
            if body.solids.iter().all(|solid| solid.radii[0] < 1e-9 * size) {
                body.solids = (0..skeleton.len()).map(|joint| ball(joint, 0.018 * size)).collect();
            }
        }
    }
    body
}

/// Bars along the bones of trees without roles: props beside a person.
fn props(stage: &Stage<'_>, half: f64) -> Vec<Solid> {
    let skeleton = stage.clip.skeleton();
    let tree = bars::trees(skeleton);
    let mut of_body = vec![false; skeleton.len()];
    skeleton
        .iter()
        .filter(|(_, joint)| joint.role.is_some())
        .for_each(|(id, _)| of_body[tree[id.index()]] = true);
    let bones = stage.bones.iter().filter(|bone| !of_body[tree[bone.to]]);
    let bones = bones.filter(|bone| skeleton.joints()[bone.to].offset.norm() > 0.0);
    bones.map(|bone| round(bone.from, bone.to, [half; 2])).collect()
}

/// Greatest height of the solids in a pose \[stage units\].
pub(crate) fn top(solids: &[Solid], pose: &[Place], scale: f64) -> f64 {
    let tops =
        solids.iter().flat_map(|solid| [0, 1].map(|end| pose[solid.ends[end]][1] + solid.radii[end] * scale));
    tops.fold(f64::MIN, f64::max)
}

fn ball(joint: usize, radius: f64) -> Solid {
    round(joint, joint, [radius; 2])
}

/// The collision shapes of a robot, and rods with a radius where joints and shapes are not connected otherwise.
fn shapes(stage: &Stage<'_>, robot: &Robot, rod: f64) -> Body {
    let joints = stage.clip.skeleton().len();
    let bodies = robot.body_joints();
    let mut body = Body::default();
    // For a human, joints above the hips in the joint tree are not drawn. The root of a robot may
    // be its torso, so every joint below a shape is drawn.
    let mut hangs = vec![false; joints];
    for (id, joint) in stage.clip.skeleton().iter() {
        let shaped = |above: usize| robot.shapes().iter().any(|shape| bodies[shape.body].0.index() == above);
        hangs[id.index()] = joint.parent.is_some_and(|above| hangs[above.index()] || shaped(above.index()));
    }
    for bone in stage.bones.iter().filter(|bone| !bone.faint || hangs[bone.to]) {
        let length = stage.clip.skeleton().joints()[bone.to].offset.norm();
        if length > rod {
            body.solids.push(round(bone.from, bone.to, [rod; 2]));
        }
    }
    for shape in robot.shapes() {
        let (joint, origin) = bodies[shape.body];
        // A mesh is drawn as the box around its hull.
        let [least, most] = match &shape.primitive {
            Primitive::Hull(hull) => hull.bounds(),
            _ => [Vector3::zeros(); 2],
        };
        let middle = (least + most) / 2.0;
        let mut site = |place: Vector3<f64>| {
            let place = place + middle;
            let offset = origin + shape.placement.translation.vector + shape.placement.rotation * place;
            body.sites.push(Site { joint: joint.index(), offset });
            joints + body.sites.len() - 1
        };
        let (half, width, depth, form) = match shape.primitive {
            Primitive::Sphere { radius } => (0.0, radius, radius, Form::Capsule),
            Primitive::Capsule { radius, half_length } => (half_length, radius, radius, Form::Capsule),
            Primitive::Cylinder { radius, half_length } => (half_length, radius, radius, Form::Cylinder),
            Primitive::Box { half_sizes: half } => (half.z, half.x, half.y, Form::Box),
            Primitive::Hull(_) => {
                let half = (most - least) / 2.0;
                (half.z, half.x, half.y, Form::Box)
            }
            // Its rounded ends extend by the smaller of the other radii.
            Primitive::Ellipsoid { radii } => {
                ((radii.z - radii.x.min(radii.y)).max(0.0), radii.x, radii.y, Form::Capsule)
            }
        };
        let ends = [-half, half].map(|z| site(Vector3::new(0.0, 0.0, z)));
        let across = match width == depth && form != Form::Box {
            true => Across::Round,
            false => Across::Pair([site(Vector3::new(0.02, 0.0, -half)), ends[0]]),
        };
        let depth = if width > 0.0 { depth / width } else { 1.0 };
        let solid = round(ends[0], ends[1], [width; 2]);
        body.solids.push(Solid { depth, across, form, joint: joint.index(), ..solid });
        // A shape is connected to its joint.
        let far = |end: &usize| body.sites[end - joints].offset.norm();
        let near = if far(&ends[1]) < far(&ends[0]) { ends[1] } else { ends[0] };
        if far(&near) > 2.0 * rod {
            let hanger = round(joint.index(), near, [rod; 2]);
            body.solids.push(Solid { joint: joint.index(), ..hanger });
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Place;
    use mocap_model::{Role, Skeleton};

    /// The body of the examples with a head, at rest.
    fn standing() -> mocap_model::Clip {
        use mocap_model::{Clip, Joint};
        let clip: Clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let mut joints = clip.skeleton().joints().to_vec();
        let spine = clip.skeleton().with_role(Role::Spine);
        let head = Joint::new("Head", spine, Vector3::new(0.0, 0.4, 0.0));
        joints.push(Joint { role: Some(Role::Head), ..head });
        let skeleton = Skeleton::new("standing", *clip.skeleton().space(), joints).unwrap();
        Clip::at_rest(skeleton.into(), clip.rate())
    }

    #[test]
    fn a_human_has_heels_behind_and_a_nose_in_front() {
        let clip = standing();
        let mut stage = Stage::new(&clip);
        let body = body(&stage);
        let joints = clip.skeleton().len();
        let sites = body.sites.clone();
        stage.sites = body.sites.clone();
        let pose = stage.pose(0);
        assert_eq!(pose.len(), joints + sites.len());
        let heading = stage.heading(&pose);
        let ahead = |place: &Place| place[0] * heading.sin() + place[2] * heading.cos();
        for foot in &stage.feet {
            let heel = (0..sites.len()).find(|site| sites[*site].joint == foot.ankle.index()).unwrap();
            assert!(ahead(&pose[joints + heel]) < ahead(&pose[foot.ankle.index()]));
        }
        let head = clip.skeleton().with_role(Role::Head).unwrap().index();
        let nose = (0..sites.len()).rfind(|site| sites[*site].joint == head).unwrap();
        assert!(ahead(&pose[joints + nose]) > ahead(&pose[head]) + 0.05);
        // Radii are plausible, and indices are valid.
        for solid in &body.solids {
            assert!(solid.radii.iter().all(|radius| *radius > 0.0 && *radius < 0.25), "{solid:?}");
            assert!(solid.ends.iter().all(|end| *end < pose.len()));
        }
    }

    /// A robot as other formats hold it, without shapes and a neck: hinges at the hip before the one with the role.
    /// They are this much below the joint of the pelvis \[m\].
    fn robot_without_shapes(hips: f64) -> mocap_model::Clip {
        use mocap_model::{Clip, FrameRate, Joint, JointId, Space};
        let mut joints: Vec<Joint> = Vec::new();
        let mut add = |name: String, parent: Option<usize>, at: [f64; 3], role: Option<Role>| {
            joints.push(Joint { role, ..Joint::new(name, parent.map(JointId::from), Vector3::from(at)) });
            joints.len() - 1
        };
        let pelvis = add("pelvis".into(), None, [0.0, 0.8, 0.0], Some(Role::Hips));
        let waist = add("waist".into(), Some(pelvis), [0.0, 0.05, 0.0], Some(Role::Spine));
        for (side, x) in [("left", 1.0), ("right", -1.0)] {
            let of = |role: Role| Some(if side == "left" { role } else { role.mirrored() });
            let pitch = add(format!("{side}_hip_pitch"), Some(pelvis), [0.06 * x, -hips, 0.0], None);
            let yaw =
                add(format!("{side}_hip_yaw"), Some(pitch), [0.05 * x, -0.15, 0.0], of(Role::LeftUpperLeg));
            let knee = add(format!("{side}_knee"), Some(yaw), [0.0, -0.2, 0.0], of(Role::LeftLowerLeg));
            let ankle = add(format!("{side}_ankle"), Some(knee), [0.0, -0.3, 0.0], of(Role::LeftFoot));
            add(format!("{side}_toe"), Some(ankle), [0.0, -0.05, 0.12], of(Role::LeftToes));
            let shoulder = add(format!("{side}_shoulder_pitch"), Some(waist), [0.1 * x, 0.25, 0.0], None);
            let arm = add(
                format!("{side}_shoulder_yaw"),
                Some(shoulder),
                [0.04 * x, -0.1, 0.0],
                of(Role::LeftUpperArm),
            );
            let elbow = add(format!("{side}_elbow"), Some(arm), [0.0, -0.1, 0.0], of(Role::LeftLowerArm));
            add(format!("{side}_wrist"), Some(elbow), [0.0, -0.12, 0.0], of(Role::LeftHand));
        }
        let skeleton = Skeleton::new("robot", Space::default(), joints).unwrap();
        Clip::at_rest(skeleton.into(), FrameRate::new(30.0).unwrap())
    }

    #[test]
    fn a_robot_without_shapes_has_a_trunk_up_to_its_shoulders_and_a_head() {
        let clip = robot_without_shapes(0.1);
        let mut stage = Stage::new(&clip);
        let body = body(&stage);
        stage.sites = body.sites.clone();
        let pose = stage.pose(0);
        // The shoulders are 1.1 above the ground, and no joint is between the arms.
        let is_inside = |place: &Place| place[0].abs() < 1e-9;
        let mut trunk: Vec<_> = body.solids.iter().filter(|solid| solid.depth == 0.68).collect();
        assert!(trunk.iter().all(|solid| solid.ends.iter().all(|end| is_inside(&pose[*end]))));
        trunk.sort_by(|a, b| pose[a.ends[1]][1].total_cmp(&pose[b.ends[1]][1]));
        let [.., last] = &trunk[..] else { panic!("it has no trunk") };
        let scale = stage.scale;
        assert!((pose[last.ends[1]][1] - pose[0][1] - 0.3 * scale).abs() < 1e-9 * scale);
        let face = body.solids.iter().find(|solid| solid.face).expect("it has a head");
        assert!(pose[face.ends[1]][1] > pose[last.ends[1]][1] + 0.1 * scale);
    }

    #[test]
    fn a_trunk_starts_at_hips_that_are_far_below_its_joint() {
        for (hips, is_added) in [(0.1, false), (0.3, true)] {
            let clip = robot_without_shapes(hips);
            let mut stage = Stage::new(&clip);
            let body = body(&stage);
            stage.sites = body.sites.clone();
            let pose = stage.pose(0);
            let ends = body.solids.iter().filter(|solid| solid.depth == 0.68).flat_map(|solid| solid.ends);
            let lowest = ends.map(|end| pose[end][1] - pose[0][1]).fold(0.0, f64::min) / stage.scale;
            assert!((lowest + if is_added { hips } else { 0.0 }).abs() < 1e-9, "{hips}: {lowest}");
        }
    }

    #[test]
    fn hinges_of_the_hip_do_not_turn_the_body() {
        use mocap_model::{Track, exp};
        let clip = robot_without_shapes(0.1);
        let skeleton = clip.skeleton().clone();
        let mut tracks = clip.tracks().to_vec();
        // One thigh forward, one back: the joints with the role move apart along the way, those above do not.
        for (name, turn) in [("left_hip_pitch", -0.7), ("right_hip_pitch", 0.7)] {
            let id = skeleton.joints().iter().position(|joint| joint.name == name).unwrap();
            tracks[id].rotation = Track::Constant(exp(&Vector3::new(turn, 0.0, 0.0)));
        }
        let stride = mocap_model::Clip::new(skeleton, clip.rate(), 1, tracks).unwrap();
        let stage = Stage::new(&stride);
        assert!(stage.heading(&stage.pose(0)).abs() < 1e-9);
    }

    #[test]
    fn what_has_no_roles_has_sticks_and_what_has_no_bones_balls() {
        let chain = crate::made::chain(4, 0.5, 3, mocap_model::Space::default());
        let sticks = body(&Stage::new(&chain));
        assert_eq!((sticks.solids.len(), sticks.sites.len()), (3, 0));
        let single = crate::made::chain(1, 0.5, 3, mocap_model::Space::default());
        let balls = body(&Stage::new(&single));
        assert_eq!(balls.solids[0].ends, [0, 0]);
    }
}
