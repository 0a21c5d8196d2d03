//! The stage: a motion in a common space, with Y up, Z along the forward axis of the clip's space,
//! and metres if the unit is known.
//!
//! Everything that is drawn starts from it, so pages, sheets and curves agree on sides, bones and floor.

use mocap_analysis::{
    ContactOptions, Foot, FootContacts, FootMotion, feet_of, floor_height, guess_unit, stature, tree_diameter,
};
use mocap_model::{
    Clip, JointId, Pose, Role, Side, SignedAxis, Skeleton, UnitQuaternion, UnitSource, Vector3,
};
use nalgebra::{Matrix3, Matrix4};

/// A place on the stage (right-handed): to the left of a character that faces along +Z, which is
/// the right of a viewer in front of it; up; forward.
pub(crate) type Place = [f64; 3];

/// A line between a joint and its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bone {
    pub from: usize,
    pub to: usize,
    pub side: Option<Side>,
    /// Not a bone of the body: between a root on the floor and the hips, or among helper joints.
    pub faint: bool,
    /// Ends at a joint outside the body.
    helper: bool,
}

/// Data that all frames of a clip share.
pub(crate) struct Stage<'a> {
    pub clip: &'a Clip,
    /// The rows of the rotation from the space of the clip to the stage.
    axes: [Vector3<f64>; 3],
    /// Stage units per unit of the clip: metres, or 1 where the unit is unknown.
    pub scale: f64,
    /// The source of the unit; `None` if it is unknown.
    pub unit: Option<UnitSource>,
    /// By joint.
    pub sides: Vec<Option<Side>>,
    /// Left and right joints at the hips and the shoulders, which show where the body faces.
    across: Vec<[JointId; 2]>,
    pub bones: Vec<Bone>,
    pub feet: Vec<Foot>,
    /// The contacts of each foot; empty for a clip without frames or with very many.
    pub contacts: Vec<FootContacts>,
    /// The height of the floor on the stage.
    pub floor: f64,
    /// The joint, or the site after the joints, whose path over the floor is drawn.
    pub centre: usize,
    /// The size of the body [units of the clip]: 1.2 times the stature, else the longest path along
    /// bones, else 1.2 times the longest side of the bounding box of the joints.
    size: f64,
    /// Additional places that [`Stage::walk`] gives after the joints.
    pub sites: Vec<Site>,
    /// The height of the drawn mesh, if the mesh and not the joints define the size of the motion [stage units].
    pub drawn_height: Option<f64>,
    /// Quarter turns about the vertical that bring markers onto the body that was solved from them.
    pub quarters: usize,
}

/// A place fixed to a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Site {
    pub joint: usize,
    /// In the frame of the joint [units of the clip].
    pub offset: Vector3<f64>,
}

impl<'a> Stage<'a> {
    pub(crate) fn new(clip: &'a Clip) -> Stage<'a> {
        let skeleton = clip.skeleton();
        let space = skeleton.space();
        let up = space.up;
        let forward = if up.axis == space.forward.axis { across(up) } else { space.forward };
        let (up_vector, forward) = (up.vector(), forward.vector());
        let unit = space.unit.or_else(|| guess_unit(skeleton));
        let feet = feet_of(skeleton);
        let centre = skeleton.with_role(Role::Hips).map_or(0, JointId::index);
        let sides = sides(skeleton);
        let mut stage = Stage {
            clip,
            axes: [up_vector.cross(&forward), up_vector, forward],
            scale: unit.map_or(1.0, |unit| unit.metres),
            unit: unit.map(|unit| unit.source),
            bones: bones(skeleton, &sides),
            sides,
            across: skeleton.lateral_pairs(),
            feet,
            contacts: Vec::new(),
            floor: 0.0,
            centre,
            sites: Vec::new(),
            size: 0.0,
            drawn_height: None,
            quarters: 0,
        };
        if stage.bones.is_empty() {
            stage.centre = stage.inmost(&stage.pose(0));
        }
        stage.size = stage.find_size();
        if (1..=MANY_FRAMES).contains(&clip.frames()) {
            let motions = FootMotion::of(clip, &stage.feet);
            stage.contacts =
                motions.iter().map(|motion| motion.contacts(&ContactOptions::default())).collect();
        }
        stage.floor = stage.find_floor();
        stage
    }

    /// The frames to draw: those of the clip, or the rest pose if it has none.
    pub(crate) fn frames(&self) -> usize {
        self.clip.frames().max(1)
    }

    /// The word for its joints: a cloud consists of markers.
    pub(crate) fn points(&self) -> &'static str {
        if self.bones.is_empty() && self.sides.len() > 1 { "marker" } else { "joint" }
    }

    /// The size of the body [stage units]; above 0.
    pub(crate) fn size(&self) -> f64 {
        let size = self.size * self.scale;
        if size > 0.0 { size.min(FAR) } else { 1.0 }
    }

    pub(crate) fn place(&self, v: &Vector3<f64>) -> Place {
        [0, 1, 2].map(|i| (self.axes[i].dot(v) * self.scale).clamp(-FAR, FAR))
    }

    /// Rotates everything about the vertical, in addition to earlier rotations.
    pub(crate) fn turn_quarters(&mut self, quarters: usize) {
        self.quarters = (self.quarters + quarters) % 4;
        for _ in 0..quarters % 4 {
            let [right, up, forward] = self.axes;
            self.axes = [forward, up, -right];
        }
    }

    /// The matrix from the space of the clip to the stage.
    pub(crate) fn matrix(&self) -> Matrix4<f64> {
        let rows = self.axes.map(|axis| axis.transpose() * self.scale);
        Matrix3::from_rows(&rows).to_homogeneous()
    }

    /// Converts a rotation of the clip: the result maps the frame of a joint to the stage.
    pub(crate) fn turn(&self, rotation: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        UnitQuaternion::from_basis_unchecked(&self.axes).inverse() * rotation
    }

    /// Calls `each` with the places of all joints, then of all sites, in every frame given.
    pub(crate) fn walk(
        &self,
        frames: impl IntoIterator<Item = usize>,
        mut each: impl FnMut(usize, &[Place]),
    ) {
        let skeleton = self.clip.skeleton();
        let (mut local, mut object) = (Pose::rest(skeleton), Pose::default());
        let mut places = Vec::with_capacity(skeleton.len() + self.sites.len());
        for frame in frames {
            if self.clip.frames() > 0 {
                self.clip.local_pose(frame, &mut local);
            }
            local.to_object(skeleton, &mut object);
            places.clear();
            places.extend(object.joints.iter().map(|joint| self.place(&joint.translation.vector)));
            places.extend(self.sites.iter().map(|site| {
                let joint = &object.joints[site.joint];
                self.place(&(joint.rotation * site.offset + joint.translation.vector))
            }));
            each(frame, &places);
        }
    }

    /// The places of all joints and sites in one frame.
    pub(crate) fn pose(&self, frame: usize) -> Vec<Place> {
        let mut pose = Vec::new();
        self.walk([frame], |_, places| pose = places.to_vec());
        pose
    }

    /// Sets the floor to the lowest point of a surface given in the space of the clip; returns the
    /// surface on the stage.
    pub(crate) fn lay(&mut self, surface: &[[Vector3<f64>; 3]]) -> Vec<[Vector3<f64>; 3]> {
        let laid: Vec<_> =
            surface.iter().map(|corners| corners.map(|corner| self.place(&corner).into())).collect();
        let lowest =
            laid.iter().flatten().map(|corner: &Vector3<f64>| corner.y).fold(f64::INFINITY, f64::min);
        if lowest.is_finite() {
            self.floor = lowest;
        }
        laid
    }

    /// The direction on the floor that the body faces in a pose, as an angle from +Z towards +X \[rad\].
    pub(crate) fn heading(&self, pose: &[Place]) -> f64 {
        for [left, right] in &self.across {
            let (left, right) = (pose[left.index()], pose[right.index()]);
            let across = [left[0] - right[0], left[2] - right[2]];
            if across[0].hypot(across[1]) > 1e-3 * self.size() {
                return (-across[1]).atan2(across[0]);
            }
        }
        0.0
    }

    /// By joint: whether it is part of the body, and not a root on the floor or a helper.
    pub(crate) fn in_body(&self) -> Vec<bool> {
        let mut body = vec![true; self.clip.skeleton().len()];
        for bone in self.bones.iter().filter(|bone| bone.faint) {
            body[bone.from] = false;
            body[bone.to] &= !bone.helper;
        }
        body
    }

    /// By place: whether it belongs to the cloud and is not a stray marker, that is within four times the median
    /// distance from the centre. All places of a body, and of a stage that is framed by a mesh, belong.
    pub(crate) fn among(&self, pose: &[Place]) -> Vec<bool> {
        const FARTHEST: f64 = 4.0;
        if !self.bones.is_empty() || self.drawn_height.is_some() || pose.len() < 3 {
            return vec![true; pose.len()];
        }
        let median = |values: &mut dyn Iterator<Item = f64>| {
            let mut values: Vec<f64> = values.collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let middle = [0, 1, 2].map(|axis| median(&mut pose.iter().map(|place| place[axis])));
        let far = |place: &Place| (0..3).map(|axis| (place[axis] - middle[axis]).powi(2)).sum::<f64>().sqrt();
        let limit = FARTHEST * median(&mut pose.iter().map(far));
        pose.iter().map(|place| far(place) <= limit).collect()
    }

    /// The marker nearest to the centre of the cloud, without stray ones.
    fn inmost(&self, pose: &[Place]) -> usize {
        let among = self.among(pose);
        let inside = || pose.iter().zip(&among).enumerate().filter(|(_, (_, among))| **among);
        let count = inside().count().max(1) as f64;
        let middle = [0, 1, 2].map(|axis| inside().map(|(_, (place, _))| place[axis]).sum::<f64>() / count);
        let far = |place: &Place| (0..3).map(|axis| (place[axis] - middle[axis]).powi(2)).sum::<f64>();
        inside().min_by(|(_, (a, _)), (_, (b, _))| far(a).total_cmp(&far(b))).map_or(0, |(marker, _)| marker)
    }

    /// Enlarges the space to include a height \[stage units\]: the head of a robot is a shape and not a joint.
    pub(crate) fn make_room(&mut self, height: f64) {
        self.size = self.size.max((height - self.floor) / self.scale);
    }

    /// Whether the joints are too close together to frame a mesh of this length [stage units], such
    /// as a head with eye joints only. Never for a body with a stature, or a robot.
    pub(crate) fn is_within(&self, length: f64) -> bool {
        const SHARE: f64 = 0.75;
        let skeleton = self.clip.skeleton();
        let is_body = stature(skeleton).is_some_and(|stature| stature > 0.0 && stature.is_finite());
        !is_body && skeleton.robot().is_none() && self.find_size() * self.scale < SHARE * length
    }

    /// Takes size, floor and centre from the mesh that is drawn. `boxes` are its bounding boxes in some frames,
    /// the first in frame 0: lowest and highest corner [stage units].
    pub(crate) fn frame_mesh(&mut self, boxes: &[[Vector3<f64>; 2]]) {
        let Some([low, high]) = boxes.first() else { return };
        let mut longest: f64 = 0.0;
        let mut lowest: Vec<f64> = Vec::with_capacity(boxes.len());
        for [low, high] in boxes {
            longest = longest.max((high - low).max());
            lowest.push(low.y);
        }
        lowest.sort_by(f64::total_cmp);
        self.size = 1.2 * longest / self.scale;
        self.floor = lowest[lowest.len() / 20];
        self.drawn_height = Some(high.y - low.y);
        // Sites at the centre and the corners of the box are attached to the joint that was the centre before.
        let joint = self.centre;
        let skeleton = self.clip.skeleton();
        let (mut local, mut object) = (Pose::rest(skeleton), Pose::default());
        if self.clip.frames() > 0 {
            self.clip.local_pose(0, &mut local);
        }
        local.to_object(skeleton, &mut object);
        let frame = object.joints[joint].inverse();
        let site = |place: Vector3<f64>| {
            let of_clip: Vector3<f64> = (0..3).map(|axis| self.axes[axis] * place[axis]).sum();
            let offset = frame.rotation * (of_clip / self.scale) + frame.translation.vector;
            Site { joint, offset }
        };
        let corner =
            |at: usize| Vector3::from_fn(|axis, _| if at >> axis & 1 == 0 { low[axis] } else { high[axis] });
        let made: Vec<Site> =
            std::iter::once((low + high) / 2.0).chain((0..8).map(corner)).map(site).collect();
        self.centre = skeleton.len() + self.sites.len();
        self.sites.extend(made);
    }

    fn find_size(&self) -> f64 {
        // Size from finger to toe, wherever the root of the skeleton is.
        if let Some(stature) =
            stature(self.clip.skeleton()).filter(|stature| *stature > 0.0 && stature.is_finite())
        {
            return 1.2 * stature;
        }
        let diameter = tree_diameter(self.clip.skeleton());
        if diameter > 0.0 {
            return diameter;
        }
        // Joints without bones: their bounding box.
        let mut pose = self.pose(0);
        let mut among = self.among(&pose).into_iter();
        pose.retain(|_| among.next() == Some(true));
        let side = |axis: usize| {
            let places = pose.iter().map(|place| place[axis]);
            places.clone().fold(f64::MIN, f64::max) - places.fold(f64::MAX, f64::min)
        };
        1.2 * (0..3).map(side).fold(0.0, f64::max) / self.scale
    }

    fn find_floor(&self) -> f64 {
        // The floor of a simulator is at height 0, whatever the joints of the feet are above their soles.
        if self.clip.skeleton().robot().is_some() && self.clip.frames() > 0 {
            return 0.0;
        }
        if self.contacts.len() == self.feet.len()
            && let Some(height) = floor_height(self.clip, &self.feet, &self.contacts)
        {
            return height * self.scale;
        }
        let body = self.in_body();
        let mut lowest = Vec::new();
        self.walk(evenly_spaced(self.frames(), 2000), |_, places| {
            let heights = places.iter().zip(&body).filter(|(_, body)| **body).map(|(place, _)| place[1]);
            lowest.push(heights.fold(f64::INFINITY, f64::min));
        });
        lowest.sort_by(f64::total_cmp);
        lowest[lowest.len() / 20]
    }
}

/// Greatest distance from the origin [stage units]; further places are drawn there, so that squares do not
/// overflow.
pub(crate) const FAR: f64 = 1e15;

/// Clips with more frames are drawn without contacts, since their page is thinned.
pub(crate) const MANY_FRAMES: usize = 20_000;

/// At most `count` frames of `frames`, evenly spaced from the first to the last.
pub(crate) fn evenly_spaced(frames: usize, count: usize) -> Vec<usize> {
    match count.min(frames) {
        0 => Vec::new(),
        1 => vec![0],
        count => (0..count).map(|i| i * (frames - 1) / (count - 1)).collect(),
    }
}

/// An axis perpendicular to `up`.
fn across(up: SignedAxis) -> SignedAxis {
    if up.axis == SignedAxis::Z.axis {
        SignedAxis { axis: SignedAxis::Y.axis, negative: !up.negative }
    } else {
        SignedAxis::Z
    }
}

fn sides(skeleton: &Skeleton) -> Vec<Option<Side>> {
    let mut sides: Vec<Option<Side>> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let own = match joint.role {
            Some(role) => role.side(),
            None => side_in(&joint.name).or_else(|| sides[joint.parent?.index()]),
        };
        sides.push(own);
    }
    sides
}

/// The side that a joint's name suggests, where it has no role.
fn side_in(name: &str) -> Option<Side> {
    let lower = name.to_lowercase();
    if lower.contains("left") {
        return Some(Side::Left);
    }
    if lower.contains("right") {
        return Some(Side::Right);
    }
    let is_letter = |word: &str, letter: &str| word == letter;
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    if words.iter().any(|word| is_letter(word, "l")) {
        Some(Side::Left)
    } else if words.iter().any(|word| is_letter(word, "r")) {
        Some(Side::Right)
    } else {
        None
    }
}

/// The bones to draw. Faint ones do not belong to the body: from a root on the floor to the hips, and branches
/// such as IK handles of a rig.
fn bones(skeleton: &Skeleton, sides: &[Option<Side>]) -> Vec<Bone> {
    let mut above = vec![false; skeleton.len()];
    let mut joint = skeleton.with_role(Role::Hips).and_then(|hips| skeleton.joint(hips).parent);
    while let Some(id) = joint {
        above[id.index()] = true;
        joint = skeleton.joint(id).parent;
    }
    // The first joint of the branch of each joint, and whether a branch belongs to a body.
    let mut branch: Vec<usize> = (0..skeleton.len()).collect();
    let mut of_body = vec![false; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        if let Some(parent) = joint.parent.filter(|parent| !above[parent.index()]) {
            branch[id.index()] = branch[parent.index()];
        }
        of_body[branch[id.index()]] |= joint.role.is_some();
    }
    let bones = skeleton.iter().filter_map(|(id, joint)| {
        let (from, to) = (joint.parent?.index(), id.index());
        let helper = above.contains(&true) && !above[to] && !of_body[branch[to]];
        Some(Bone { from, to, side: sides[to], faint: above[from] || helper, helper })
    });
    bones.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stray_marker_is_not_among_the_others() {
        use mocap_model::{FrameRate, Joint};
        let mut markers: Vec<Joint> = (0..9)
            .map(|i| Joint::new(format!("M{i}"), None, Vector3::new(f64::from(i % 3), f64::from(i / 3), 1.0)))
            .collect();
        let cloud = |markers: Vec<Joint>| {
            let skeleton = Skeleton::new("markers", mocap_model::Space::default(), markers).unwrap();
            Clip::at_rest(skeleton.into(), FrameRate::new(30.0).unwrap())
        };
        let whole = cloud(markers.clone());
        let stage = Stage::new(&whole);
        let size = stage.size();
        assert_eq!(stage.among(&stage.pose(0)), vec![true; 9]);
        markers.push(Joint::new("stray", None, Vector3::new(0.0, 90.0, 0.0)));
        let strayed = cloud(markers);
        let stage = Stage::new(&strayed);
        assert_eq!(stage.among(&stage.pose(0)).iter().position(|among| !among), Some(9));
        assert!((stage.size() - size).abs() < 1e-9);
    }
}
