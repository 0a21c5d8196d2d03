//! The body that pictures draw around the skeleton of a human, or of a robot without shapes: tapered capsules shaped by
//! roles and bone lengths.
//!
//! Proportions are shares of the stature. Based on: R. Drillis, R. Contini, "Body Segment Parameters", 1966; widths of
//! hips and shoulders follow the skeleton.

use crate::solid::{Across, Body, Solid, round};
use crate::stage::{Site, Stage, evenly_spaced};
use mocap_analysis::feet_of;
use mocap_model::{Isometry3, JointId, Pose, Role, Skeleton, Vector3};

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

/// Trunks start at the middle of the hips if it is further from their first joint than this share of the stature. The
/// pelvis of a human is shorter, and is drawn from hip to hip.
const APART: f64 = 0.1;

/// A skeleton with the roles of a human, standing.
pub(crate) struct Human<'a> {
    skeleton: &'a Skeleton,
    /// The joints of the reference pose in the space of the clip.
    pose: Vec<Isometry3<f64>>,
    up: Vector3<f64>,
    forward: Vector3<f64>,
    stature: f64,
    /// Where legs and arms are joined to the trunk.
    hips: Option<[JointId; 2]>,
    shoulders: Option<[JointId; 2]>,
    /// From the hips to the neck; without neck and head, to the joint that carries both arms.
    trunk: Vec<JointId>,
    /// The middle of the shoulders of a body without neck and head: there the trunk ends.
    top: Option<Vector3<f64>>,
    /// By joint: the next role above (itself included) and below.
    above: Vec<Option<Role>>,
    below: Vec<Option<Role>>,
    faint: Vec<bool>,
    /// By joint: whether it belongs to a hand that is drawn as one solid.
    mitten: Vec<bool>,
}

impl<'a> Human<'a> {
    pub(crate) fn new(stage: &'a Stage<'_>, stature: f64) -> Human<'a> {
        let skeleton = stage.clip.skeleton();
        let up = skeleton.space().up.vector();
        let pose = reference_pose(stage, &up);
        let hips = skeleton.limb_roots(Role::LeftUpperLeg, Role::RightUpperLeg);
        let shoulders = skeleton.limb_roots(Role::LeftUpperArm, Role::RightUpperArm);
        let ahead = |pair: Option<[JointId; 2]>| {
            let [left, right] = pair?.map(|joint| place(&pose, joint));
            (left - right).cross(&up).try_normalize(1e-6 * stature)
        };
        let forward =
            ahead(hips).or_else(|| ahead(shoulders)).unwrap_or_else(|| skeleton.space().forward.vector());
        let neck = skeleton.with_role(Role::Neck).or_else(|| skeleton.with_role(Role::Head));
        let top = shoulders.filter(|_| neck.is_none()).map(|pair| {
            let [left, right] = pair.map(|joint| place(&pose, joint));
            (left + right) / 2.0
        });
        let end = neck.or_else(|| shoulders.and_then(|[left, right]| skeleton.common_ancestor(left, right)));
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
        // Arms without a common joint, or not above the hips, have no trunk that carries them.
        let top = top.filter(|_| !trunk.is_empty());
        Human {
            skeleton,
            pose,
            up,
            forward,
            stature,
            hips,
            shoulders,
            trunk,
            top,
            above,
            below,
            faint,
            mitten,
        }
    }

    pub(crate) fn dress(&self, body: &mut Body) {
        let top = self.top.map(|top| self.site(body, self.trunk[self.trunk.len() - 1], top));
        self.add_trunk(body, top);
        self.add_bones(body, top);
        self.add_feet(body);
        for (hand, lower_arm) in
            [(Role::LeftHand, Role::LeftLowerArm), (Role::RightHand, Role::RightLowerArm)]
        {
            self.add_hand(body, hand, lower_arm);
        }
        match (self.skeleton.with_role(Role::Head), top) {
            (Some(head), _) => self.add_head(body, head, (head.index(), place(&self.pose, head))),
            (None, Some(top)) => self.add_head_on_shoulders(body, top),
            (None, None) => {}
        }
    }

    fn site(&self, body: &mut Body, joint: JointId, place: Vector3<f64>) -> usize {
        let frame = &self.pose[joint.index()];
        let offset = frame.rotation.inverse() * (place - frame.translation.vector);
        body.sites.push(Site { joint: joint.index(), offset });
        self.skeleton.len() + body.sites.len() - 1
    }

    /// The trunk is as wide as the hips below and the shoulders above.
    fn add_trunk(&self, body: &mut Body, top: Option<usize>) {
        // The places of a pair, and their distance in the reference pose.
        let measured = |pair: Option<[JointId; 2]>| {
            pair.map(|[left, right]| {
                let apart = (place(&self.pose, left) - place(&self.pose, right)).norm();
                ([left.index(), right.index()], apart)
            })
        };
        let (hips, shoulders) = (measured(self.hips), measured(self.shoulders));
        let width = |pair: Option<([usize; 2], f64)>, share: f64, more: f64, least: f64| {
            let apart = pair.map_or(0.0, |(_, apart)| apart) / self.stature;
            (share * apart + more).clamp(least, 0.12) * self.stature
        };
        let (pelvis, chest) = (width(hips, 0.5, 0.03, 0.06), width(shoulders, 0.42, 0.0, 0.07));
        let widths =
            [(0.0, pelvis), (0.4, 0.8 * pelvis.min(chest)), (0.78, chest), (1.0, 0.5 * chest), (9.0, 0.0)];
        // Each bone of the trunk: its ends, its length, and the joint that colours it.
        let bone = |ends: &[JointId]| {
            ([ends[0].index(), ends[1].index()], self.skeleton.joint(ends[1]).offset.norm(), ends[1])
        };
        let mut bones: Vec<([usize; 2], f64, JointId)> = self.under_trunk(body).into_iter().collect();
        bones.extend(self.trunk.windows(2).map(bone));
        if let (Some(site), Some(top), Some(last)) = (top, self.top, self.trunk.last()) {
            bones.push(([last.index(), site], (top - place(&self.pose, *last)).norm(), *last));
        }
        let total: f64 = bones.iter().map(|(_, length, _)| length).sum();
        let at = |way: f64| {
            let way = if total > 0.0 { way / total } else { 0.0 };
            let upper = widths.iter().position(|(at, _)| *at > way + 1e-9).unwrap_or(4).min(4);
            let [(a, low), (b, high)] = [widths[upper - 1], widths[upper]];
            if upper == 4 { widths[3].1 } else { low + (high - low) * (way - a) / (b - a) }
        };
        let (first, second) = (hips.or(shoulders), shoulders.or(hips));
        let mut way = 0.0;
        for (ends, length, joint) in bones {
            let before = way;
            way += length;
            let across = first.zip(second).map(|((first, _), (second, _))| Across::Between {
                pairs: [first, second],
                at: [before, way].map(|way| if total > 0.0 { way / total } else { 0.0 }),
            });
            body.solids.push(Solid {
                depth: 0.68,
                across: across.unwrap_or(Across::Round),
                joint: joint.index(),
                ..round(ends[0], ends[1], [at(before), at(way)])
            });
        }
        if let Some((ends, _)) = hips {
            // From hip joint to hip joint.
            let solid = round(ends[0], ends[1], [0.046 * self.stature; 2]);
            body.solids
                .push(Solid { joint: self.trunk.first().map_or(ends[1], |hips| hips.index()), ..solid });
        }
    }

    /// From the middle of the hips to the first joint of the trunk, where that is far above, as on robots whose hinges
    /// at the waist lie above the pelvis: the ends, the length and the joint that colours it.
    fn under_trunk(&self, body: &mut Body) -> Option<([usize; 2], f64, JointId)> {
        let ([left, right], first) = (self.hips?, *self.trunk.first()?);
        let middle = (place(&self.pose, left) + place(&self.pose, right)) / 2.0;
        let way = place(&self.pose, first) - middle;
        let length = way.norm();
        if way.dot(&self.up) < APART * self.stature {
            return None;
        }
        let pelvis = self.skeleton.common_ancestor(left, right)?;
        Some(([self.site(body, pelvis, middle), first.index()], length, pelvis))
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

    fn add_bones(&self, body: &mut Body, top: Option<usize>) {
        for (id, joint) in self.skeleton.iter().filter(|(id, _)| !self.faint[id.index()]) {
            let Some(parent) = joint.parent else { continue };
            let on_trunk = |id: JointId| self.trunk.contains(&id);
            let above = self.above[parent.index()];
            let leads = self.below[id.index()].is_some();
            let side_of_trunk = on_trunk(parent) && !on_trunk(id);
            let own = joint.role;
            let is_one = |pair: Option<[JointId; 2]>| pair.is_some_and(|pair| pair.contains(&id));
            let hip = side_of_trunk && is_one(self.hips);
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
            // Shoulders start at the end of the trunk.
            let from = top.filter(|_| side_of_trunk && is_one(self.shoulders)).unwrap_or(parent.index());
            let solid = round(from, id.index(), radii);
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

    /// A neck and a head where the skeleton has neither: they are a part of the trunk, as on many robots.
    fn add_head_on_shoulders(&self, body: &mut Body, top: usize) {
        let (Some(at), Some(chest)) = (self.top, self.trunk.last()) else { return };
        let unit = self.stature;
        let under_head = at + self.up * 0.055 * unit;
        let end = self.site(body, *chest, under_head);
        let neck = round(top, end, [girth(Role::Neck) * unit, girth(Role::Head) * unit]);
        body.solids.push(Solid { joint: chest.index(), ..neck });
        self.add_head(body, *chest, (end, under_head));
    }

    /// Skull, jaw, and a nose that shows where the head looks, above the joint or site where the head starts.
    fn add_head(&self, body: &mut Body, head: JointId, (base, at): (usize, Vector3<f64>)) {
        let unit = self.stature;
        let top = self.skeleton.children(head).iter().map(|child| place(&self.pose, *child) - at);
        let high = top.map(|way| way.dot(&self.up) / unit).fold(0.0, f64::max);
        // The end of the bone is taken as the top of the head if its length is plausible for a head.
        let high = if (0.08..0.2).contains(&high) { high } else { 0.125 };
        let mut site = |up: f64, ahead: f64| {
            self.site(body, head, at + self.up * up * high * unit + self.forward * ahead * unit)
        };
        let (crown, nose) = (site(0.6, 0.01), site(0.26, 0.044));
        let across = Across::Plane([base, crown, nose]);
        let joint = head.index();
        let skull = round(base, crown, [0.034 * unit, 0.0445 * unit]);
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
