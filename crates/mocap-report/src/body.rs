//! The body that pictures draw around a skeleton: tapered capsules shaped by roles and bone lengths, the collision
//! shapes of a robot, or balls for markers.
//!
//! Proportions are shares of the stature. Based on: R. Drillis, R. Contini, "Body Segment Parameters", 1966; widths of
//! hips and shoulders follow the skeleton.

use crate::bars;
use crate::only_numbers::has_only_numbers;
use crate::stage::{Place, Site, Stage, evenly_spaced};
use mocap_analysis::{feet_of, stature};
use mocap_model::{Isometry3, JointId, Pose, Primitive, Robot, Role, Skeleton, Vector3};

/// The direction along which a solid is wide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Across {
    /// The cross-section is a circle.
    Round,
    /// From the second place to the first.
    Pair([usize; 2]),
    /// Across the plane of three places.
    Plane([usize; 3]),
    /// Interpolated between two pairs, by these shares at the ends, 0 to 1.
    Between { pairs: [[usize; 2]; 2], at: [f64; 2] },
}

/// The shape of a solid's sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Capsule,
    Cylinder,
    Box,
}

/// A solid between two places (joints or sites).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solid {
    pub ends: [usize; 2],
    /// Half the width at both ends [units of the clip].
    pub radii: [f64; 2],
    /// Depth over width.
    pub depth: f64,
    pub across: Across,
    pub form: Form,
    /// Whether it is a head, with a dark band at the eyes.
    pub face: bool,
    /// The joint whose side, speed and error colour it.
    pub joint: usize,
}

/// The solids of a body, and sites in addition to the joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Body {
    pub sites: Vec<Site>,
    pub solids: Vec<Solid>,
}

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

fn round(from: usize, to: usize, radii: [f64; 2]) -> Solid {
    let (across, form) = (Across::Round, Form::Capsule);
    Solid { ends: [from, to], radii, depth: 1.0, across, form, face: false, joint: to }
}

fn ball(joint: usize, radius: f64) -> Solid {
    round(joint, joint, [radius; 2])
}

/// The collision shapes of a robot, and rods with a radius where joints and shapes are not connected otherwise.
fn shapes(stage: &Stage<'_>, robot: &Robot, rod: f64) -> Body {
    let joints = stage.clip.skeleton().len();
    let bodies = robot.body_joints();
    let mut body = Body::default();
    // For a human, joints above the hips are not drawn. The root of a robot may be its torso, so every joint
    // below a shape is drawn.
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

/// Half the width of a body at a joint, as a share of the stature.
fn girth(role: Role) -> f64 {
    use Role as R;
    match role {
        R::LeftUpperLeg | R::RightUpperLeg => 0.049,
        R::LeftLowerLeg | R::RightLowerLeg => 0.033,
        R::LeftFoot | R::RightFoot => 0.021,
        R::LeftToes | R::RightToes => 0.024,
        R::LeftShoulder | R::RightShoulder | R::Head => 0.031,
        R::Neck => 0.041,
        R::LeftUpperArm | R::RightUpperArm => 0.030,
        R::LeftLowerArm | R::RightLowerArm => 0.0225,
        R::LeftHand | R::RightHand => 0.0155,
        R::Hips | R::Spine | R::Chest | R::UpperChest => 0.06,
        // Fingers.
        _ => 0.0062,
    }
}

/// A skeleton with the roles of a human, standing.
struct Human<'a> {
    skeleton: &'a Skeleton,
    /// The joints of the reference pose in the space of the clip.
    pose: Vec<Isometry3<f64>>,
    up: Vector3<f64>,
    forward: Vector3<f64>,
    stature: f64,
    /// From the hips to the neck.
    trunk: Vec<JointId>,
    /// By joint: the next role above (itself included) and below.
    above: Vec<Option<Role>>,
    below: Vec<Option<Role>>,
    faint: Vec<bool>,
    /// By joint: whether it belongs to a hand that is drawn as one solid.
    mitten: Vec<bool>,
}

impl<'a> Human<'a> {
    fn new(stage: &'a Stage<'_>, stature: f64) -> Human<'a> {
        let skeleton = stage.clip.skeleton();
        let up = skeleton.space().up.vector();
        let pose = reference_pose(stage, &up);
        let across = |left: Role, right: Role| {
            let [left, right] = [left, right].map(|role| skeleton.with_role(role));
            let across = place(&pose, left?) - place(&pose, right?);
            across.cross(&up).try_normalize(1e-6 * stature)
        };
        let forward = across(Role::LeftUpperLeg, Role::RightUpperLeg)
            .or_else(|| across(Role::LeftUpperArm, Role::RightUpperArm))
            .unwrap_or_else(|| skeleton.space().forward.vector());
        let end = skeleton.with_role(Role::Neck).or_else(|| skeleton.with_role(Role::Head));
        let trunk = skeleton.with_role(Role::Hips).zip(end);
        let trunk = trunk.and_then(|(hips, end)| skeleton.path(hips, end)).unwrap_or_default();
        let mut above: Vec<Option<Role>> = Vec::with_capacity(skeleton.len());
        for joint in skeleton.joints() {
            let inherited = joint.parent.and_then(|parent| above[parent.index()]);
            above.push(joint.role.or(inherited));
        }
        let mut below: Vec<Option<Role>> = skeleton.joints().iter().map(|joint| joint.role).collect();
        for (id, joint) in skeleton.iter().rev() {
            if let Some(parent) = joint.parent {
                below[parent.index()] = below[parent.index()].or(below[id.index()]);
            }
        }
        let mut faint = vec![false; skeleton.len()];
        for bone in stage.bones.iter().filter(|bone| bone.faint) {
            faint[bone.to] = true;
        }
        let mut mitten: Vec<bool> = Vec::with_capacity(skeleton.len());
        for (id, joint) in skeleton.iter() {
            mitten.push(match joint.role {
                Some(role) if is_hand(role) => !has_fingers(skeleton, id),
                _ => joint.parent.is_some_and(|parent| mitten[parent.index()]),
            });
        }
        Human { skeleton, pose, up, forward, stature, trunk, above, below, faint, mitten }
    }

    fn dress(&self, body: &mut Body) {
        self.add_trunk(body);
        self.add_bones(body);
        self.add_feet(body);
        for (hand, lower_arm) in
            [(Role::LeftHand, Role::LeftLowerArm), (Role::RightHand, Role::RightLowerArm)]
        {
            self.add_hand(body, hand, lower_arm);
        }
        self.add_head(body);
    }

    /// The places of two joints by role, and their distance in the reference pose.
    fn pair(&self, left: Role, right: Role) -> Option<([usize; 2], f64)> {
        let [left, right] = [self.skeleton.with_role(left)?, self.skeleton.with_role(right)?];
        let apart = (place(&self.pose, left) - place(&self.pose, right)).norm();
        Some(([left.index(), right.index()], apart))
    }

    fn site(&self, body: &mut Body, joint: JointId, place: Vector3<f64>) -> usize {
        let frame = &self.pose[joint.index()];
        let offset = frame.rotation.inverse() * (place - frame.translation.vector);
        body.sites.push(Site { joint: joint.index(), offset });
        self.skeleton.len() + body.sites.len() - 1
    }

    /// The trunk is as wide as the hips below and the shoulders above.
    fn add_trunk(&self, body: &mut Body) {
        let hips = self.pair(Role::LeftUpperLeg, Role::RightUpperLeg);
        let shoulders = self.pair(Role::LeftUpperArm, Role::RightUpperArm);
        let width = |pair: Option<([usize; 2], f64)>, share: f64, more: f64, least: f64| {
            let apart = pair.map_or(0.0, |(_, apart)| apart) / self.stature;
            (share * apart + more).clamp(least, 0.12) * self.stature
        };
        let (pelvis, chest) = (width(hips, 0.5, 0.03, 0.06), width(shoulders, 0.42, 0.0, 0.07));
        let widths =
            [(0.0, pelvis), (0.4, 0.8 * pelvis.min(chest)), (0.78, chest), (1.0, 0.5 * chest), (9.0, 0.0)];
        let total: f64 = self.trunk.iter().skip(1).map(|id| self.skeleton.joint(*id).offset.norm()).sum();
        let at = |way: f64| {
            let way = if total > 0.0 { way / total } else { 0.0 };
            let upper = widths.iter().position(|(at, _)| *at > way + 1e-9).unwrap_or(4).min(4);
            let [(a, low), (b, high)] = [widths[upper - 1], widths[upper]];
            if upper == 4 { widths[3].1 } else { low + (high - low) * (way - a) / (b - a) }
        };
        let (first, second) = (hips.or(shoulders), shoulders.or(hips));
        let mut way = 0.0;
        for ends in self.trunk.windows(2) {
            let before = way;
            way += self.skeleton.joint(ends[1]).offset.norm();
            let across = first.zip(second).map(|((first, _), (second, _))| Across::Between {
                pairs: [first, second],
                at: [before, way].map(|way| if total > 0.0 { way / total } else { 0.0 }),
            });
            body.solids.push(Solid {
                depth: 0.68,
                across: across.unwrap_or(Across::Round),
                ..round(ends[0].index(), ends[1].index(), [at(before), at(way)])
            });
        }
        if let Some((ends, _)) = hips {
            // From hip joint to hip joint.
            let solid = round(ends[0], ends[1], [0.046 * self.stature; 2]);
            body.solids
                .push(Solid { joint: self.trunk.first().map_or(ends[1], |hips| hips.index()), ..solid });
        }
    }

    /// Half the width at a joint; between two roles the mean of both.
    fn radius(&self, joint: JointId) -> f64 {
        let own = self.skeleton.joint(joint).role;
        let [above, below] = [self.above[joint.index()], self.below[joint.index()]];
        let share = match (own, above, below) {
            (Some(role), ..) => girth(role),
            (None, Some(above), Some(below)) => (girth(above) + girth(below)) / 2.0,
            (None, Some(above), None) => 0.75 * girth(above),
            _ => 0.012,
        };
        share * self.stature
    }

    fn add_bones(&self, body: &mut Body) {
        for (id, joint) in self.skeleton.iter().filter(|(id, _)| !self.faint[id.index()]) {
            let Some(parent) = joint.parent else { continue };
            let on_trunk = |id: JointId| self.trunk.contains(&id);
            let above = self.above[parent.index()];
            let leads = self.below[id.index()].is_some();
            let side_of_trunk = on_trunk(parent) && !on_trunk(id);
            let own = joint.role;
            let hip = side_of_trunk && matches!(own, Some(Role::LeftUpperLeg | Role::RightUpperLeg));
            let clavicle = side_of_trunk && matches!(own, Some(Role::LeftShoulder | Role::RightShoulder));
            let hidden = (on_trunk(parent) && on_trunk(id))
                || (hip || clavicle)
                || above == Some(Role::Head)
                || (joint.end_site && !leads && above.is_some_and(is_tip))
                || self.mitten[parent.index()];
            let length = joint.offset.norm();
            if hidden || length < 1e-4 * self.stature {
                continue;
            }
            // Chest and belly bones of rigs are inside other solids.
            if !leads && above.is_some_and(is_trunk) && length < 0.12 * self.stature {
                continue;
            }
            let finger = above.is_some_and(is_finger) || self.below[id.index()].is_some_and(is_finger);
            let radii = if finger && above.is_some_and(is_hand) {
                [0.0095 * self.stature, self.radius(id)]
            } else if !leads && !above.is_some_and(is_finger) {
                // Hair, cloth, tools.
                [(0.012 * self.stature).min(0.2 * length); 2]
            } else if above.is_some_and(is_finger) {
                // Cartoon characters have larger hands.
                [parent, id].map(|joint| self.radius(joint).max(0.17 * length))
            } else if side_of_trunk {
                [self.radius(id); 2]
            } else if above.is_some_and(|role| matches!(role, Role::LeftFoot | Role::RightFoot)) {
                [self.radius(parent), 0.6 * self.radius(id)]
            } else {
                [self.radius(parent), self.radius(id)]
            };
            let shoulder = matches!(above, Some(Role::LeftShoulder | Role::RightShoulder));
            // Two equal end caps at one position would flicker.
            let radii = if shoulder || side_of_trunk { radii.map(|radius| 0.97 * radius) } else { radii };
            // Shoulders get the colour of the trunk.
            let of_trunk = self.trunk.iter().rev().find(|_| shoulder || side_of_trunk);
            let solid = round(parent.index(), id.index(), radii);
            body.solids.push(Solid { joint: of_trunk.map_or(id, |joint| *joint).index(), ..solid });
        }
    }

    /// Heel, sole and toes.
    fn add_feet(&self, body: &mut Body) {
        let unit = self.stature;
        for foot in feet_of(self.skeleton) {
            let (ankle, mut toe) = (place(&self.pose, foot.ankle), place(&self.pose, foot.toe));
            let mut ball = foot.toe.index();
            if (toe - ankle).norm() < 0.02 * unit {
                toe = ankle + self.forward * 0.1 * unit - self.up * 0.03 * unit;
                ball = self.site(body, foot.ankle, toe);
            }
            let along = toe - ankle;
            let level = along - self.up * along.dot(&self.up);
            let Some(ahead) = level.try_normalize(1e-3 * unit) else { continue };
            let sole = self.up * along.dot(&self.up).min(-0.02 * unit);
            let heel = self.site(body, foot.ankle, ankle + sole * 0.9 - ahead * 0.022 * unit);
            let across = Across::Plane([foot.ankle.index(), heel, ball]);
            let flat = |ends: [usize; 2], radii: [f64; 2]| Solid {
                depth: 0.62,
                across,
                joint: foot.ankle.index(),
                ..round(ends[0], ends[1], radii.map(|radius| radius * unit))
            };
            body.solids.push(flat([heel, ball], [0.02, 0.025]));
            body.solids.push(Solid { depth: 1.0, ..flat([foot.ankle.index(), heel], [0.02, 0.018]) });
            let end = self.skeleton.children(foot.toe).iter().find(|child| {
                let length = self.skeleton.joint(**child).offset.norm() / unit;
                self.skeleton.joint(**child).end_site && (0.015..0.06).contains(&length)
            });
            let tip = match end {
                Some(end) if foot.toe != foot.ankle => end.index(),
                _ => self.site(body, foot.toe, toe + ahead * 0.035 * unit),
            };
            body.solids.push(Solid { joint: foot.toe.index(), ..flat([ball, tip], [0.025, 0.017]) });
        }
    }

    /// Adds a hand of two solids, palm and thumb, where the skeleton has no finger joints. In the reference pose the
    /// thumb points forward.
    fn add_hand(&self, body: &mut Body, hand: Role, lower_arm: Role) {
        let (Some(hand), Some(elbow)) = (self.skeleton.with_role(hand), self.skeleton.with_role(lower_arm))
        else {
            return;
        };
        if !self.mitten[hand.index()] {
            return;
        }
        let wrist = place(&self.pose, hand);
        let Some(along) = (wrist - place(&self.pose, elbow)).try_normalize(1e-6 * self.stature) else {
            return;
        };
        let thumb = self.forward - along * along.dot(&self.forward);
        let Some(thumb) = thumb.try_normalize(1e-3) else { return };
        let unit = self.stature;
        let tip = self.site(body, hand, wrist + along * 0.085 * unit);
        let side = self.site(body, hand, wrist + along * 0.04 * unit + thumb * 0.024 * unit);
        let across = Across::Plane([hand.index(), tip, side]);
        let (joint, wrist) = (hand.index(), hand.index());
        // The plane of wrist, tip and thumb is the palm: its normal is the thin direction.
        let mitten = round(wrist, tip, [0.014 * unit * 0.45, 0.02 * unit * 0.45]);
        body.solids.push(Solid { depth: 2.4, across, joint, ..mitten });
        body.solids.push(Solid { joint, ..round(wrist, side, [0.009 * unit, 0.007 * unit]) });
    }

    /// Skull, jaw, and a nose that shows where the head looks.
    fn add_head(&self, body: &mut Body) {
        let Some(head) = self.skeleton.with_role(Role::Head) else { return };
        let (at, unit) = (place(&self.pose, head), self.stature);
        let top = self.skeleton.children(head).iter().map(|child| place(&self.pose, *child) - at);
        let high = top.map(|way| way.dot(&self.up) / unit).fold(0.0, f64::max);
        // The end of the bone is taken as the top of the head if its length is plausible for a head.
        let high = if (0.08..0.2).contains(&high) { high } else { 0.125 };
        let mut site = |up: f64, ahead: f64| {
            self.site(body, head, at + self.up * up * high * unit + self.forward * ahead * unit)
        };
        let (crown, nose) = (site(0.6, 0.01), site(0.26, 0.044));
        let across = Across::Plane([head.index(), crown, nose]);
        let joint = head.index();
        let skull = round(head.index(), crown, [0.034 * unit, 0.0445 * unit]);
        body.solids.push(Solid { depth: 1.18, across, joint, face: true, ..skull });
        // From the jaw to the skull.
        let jaw = round(nose, crown, [0.013 * unit, 0.032 * unit]);
        body.solids.push(Solid { joint, ..jaw });
    }
}

/// Whether a hand has three fingers or more.
fn has_fingers(skeleton: &Skeleton, hand: JointId) -> bool {
    let tree = skeleton.subtree(hand);
    let role = |id: &JointId| skeleton.joint(*id).role.map(Role::name);
    tree.iter().filter_map(role).filter(|name| name.ends_with('1')).count() >= 3
}

fn is_finger(role: Role) -> bool {
    role as usize > Role::RightHand as usize
}

fn is_trunk(role: Role) -> bool {
    matches!(role, Role::Hips | Role::Spine | Role::Chest | Role::UpperChest | Role::Neck)
}

fn is_hand(role: Role) -> bool {
    matches!(role, Role::LeftHand | Role::RightHand)
}

/// Roles whose end sites are inside other solids.
fn is_tip(role: Role) -> bool {
    let feet = matches!(role, Role::LeftFoot | Role::RightFoot | Role::LeftToes | Role::RightToes);
    feet || is_hand(role)
}

fn place(pose: &[Isometry3<f64>], joint: JointId) -> Vector3<f64> {
    pose[joint.index()].translation.vector
}

/// The rest pose if it is upright, else the frame in which the body is most upright.
fn reference_pose(stage: &Stage<'_>, up: &Vector3<f64>) -> Vec<Isometry3<f64>> {
    let (clip, skeleton) = (stage.clip, stage.clip.skeleton());
    let of = |role: Role| skeleton.with_role(role);
    let straight = |pose: &Pose| {
        let rise = |top: Option<JointId>, bottom: Option<JointId>| {
            let way = place(&pose.joints, top?) - place(&pose.joints, bottom?);
            way.try_normalize(0.0).map(|way| way.dot(up))
        };
        let trunk = rise(of(Role::Neck).or(of(Role::Head)), of(Role::Hips)).unwrap_or(1.0);
        let left = rise(of(Role::LeftUpperLeg), of(Role::LeftFoot)).unwrap_or(1.0);
        let right = rise(of(Role::RightUpperLeg), of(Role::RightFoot)).unwrap_or(1.0);
        trunk.min(left).min(right)
    };
    let (mut local, mut object) = (Pose::rest(skeleton), Pose::default());
    local.to_object(skeleton, &mut object);
    let mut best = (straight(&object), object.joints.clone());
    if best.0 < 0.8 {
        for frame in evenly_spaced(clip.frames(), 60) {
            clip.local_pose(frame, &mut local);
            local.to_object(skeleton, &mut object);
            let found = straight(&object);
            if found > best.0 {
                best = (found, object.joints.clone());
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::Place;

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
