//! A body's surface, prepared before the first frame: its parts, distance fields, and points sampled on its arms.

use crate::RoleMap;
use crate::body::LimbKind;
use crate::reference_pose::Directions;
use mocap_model::{Body, JointId, Pose, Role, Side, Skeleton, Space, Unit, UnitSource, Vector3};
use std::ops::Range;

use mocap_skin::{
    Affine, Field, InsideMeter, Near, Part, PosedField, Sided, Surface, parts_of_joints, parts_of_vertices,
};

/// What an arm may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touched {
    /// Trunk, head or a leg.
    Core,
    /// The other arm.
    Arm,
}

/// The height of the person for whom lengths in this module are given \[m\]; they scale with the body.
pub(crate) const PERSON: f64 = 1.7;
/// Cell sizes of the distance fields of trunk, head and legs, and of an arm, for a person of 1.7 m \[m\].
const CORE_CELL: f64 = 0.02;
const ARM_CELL: f64 = 0.012;
/// Number of points on a forearm and on a hand that are kept outside.
const FOREARM_POINTS: usize = 28;
const HAND_POINTS: usize = 44;
/// Greatest number of points in a cluster.
const CLUSTER: usize = 8;

/// The surface of a body, ready to measure and to keep its arms outside.
#[derive(Clone, Debug)]
pub(crate) struct BodySurface {
    pub skeleton: Skeleton,
    pub roles: RoleMap,
    pub surface: Surface,
    /// By vertex.
    pub parts: Vec<Part>,
    /// By joint.
    pub joint_parts: Vec<Part>,
    /// Height in the bind pose [units of the skeleton].
    pub height: f64,
    pub shape: SurfaceShape,
    /// Distance field of trunk, head and legs.
    pub core: Option<Field>,
    /// Left before right; `None` of an arm that the skeleton or the mesh lacks.
    pub arms: [Option<ArmSurface>; 2],
}

/// Properties of a surface in the bind pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceShape {
    /// Number of joints of hips, spine, chest, thighs and knees.
    pub joints: usize,
    /// Number of these joints that the surface of trunk, head and legs encloses, by winding numbers.
    pub enclosed: usize,
    /// Length of an arm from shoulder to wrist over the height of the surface; `None` without arms.
    pub arms: Option<f64>,
    /// Length of a leg from hip to ankle over the height of the surface; `None` without legs.
    pub legs: Option<f64>,
}

impl SurfaceShape {
    fn of(core: Option<&Field>, skeleton: &Skeleton, roles: &RoleMap, height: f64) -> SurfaceShape {
        let mut rest = Pose::default();
        Pose::rest(skeleton).to_object(skeleton, &mut rest);
        let at = |role: Role| Some(rest.joints[roles.joint(role)?.index()].translation.vector);
        let inner = [
            Role::Hips,
            Role::Spine,
            Role::Chest,
            Role::LeftUpperLeg,
            Role::RightUpperLeg,
            Role::LeftLowerLeg,
            Role::RightLowerLeg,
        ];
        let inner: Vec<Vector3<f64>> = inner.into_iter().filter_map(at).collect();
        let encloses = |at: &&Vector3<f64>| core.is_some_and(|core| core.at_rest(at).0 < 0.0);
        let length = |kind: LimbKind| {
            let bones = [Side::Left, Side::Right].map(|side| {
                let [a, b, c] = kind.roles_of(side).map(at);
                let (a, b, c) = (a?, b?, c?);
                Some(((b - a).norm() + (c - b).norm()) / height)
            });
            bones.into_iter().flatten().reduce(f64::max)
        };
        SurfaceShape {
            joints: inner.len(),
            enclosed: inner.iter().filter(encloses).count(),
            arms: length(LimbKind::Arm),
            legs: length(LimbKind::Leg),
        }
    }
}

/// An arm and its surface.
#[derive(Clone, Debug)]
pub(crate) struct ArmSurface {
    /// Shoulder, elbow, wrist.
    pub joints: [JointId; 3],
    /// The joint of the trunk to which the arm is attached.
    pub trunk: JointId,
    /// The joints that rotate with upper arm, forearm and hand.
    pub segments: [Vec<JointId>; 3],
    pub side: Sided,
    pub points: ArmPoints,
    /// The bones that move the points.
    pub bones: Vec<u32>,
    /// By joint of these bones: no point that it moves is further from it than this.
    pub around: Vec<(JointId, f64)>,
    pub field: Option<Field>,
}

impl ArmSurface {
    /// A sphere that contains its points in a pose, and more, as far as its joints tell.
    pub(crate) fn rough_ball(&self, object: &Pose) -> (Vector3<f64>, f64) {
        let at = |joint: JointId| object.joints[joint.index()].translation.vector;
        let middle = (at(self.joints[1]) + at(self.joints[2]) * 2.0) / 3.0;
        // A vertex is a mean of the places at which its joints would have it.
        let far = self.around.iter().map(|(joint, far)| (at(*joint) - middle).norm() + far);
        (middle, far.fold(0.0, f64::max))
    }

    /// The segment of a point: 1 forearm, 2 hand.
    pub(crate) fn segment(&self, point: usize) -> usize {
        if self.points.points[point].on_hand { 2 } else { 1 }
    }
}

/// Vertices of forearm and hand that represent all of them.
#[derive(Clone, Debug)]
pub(crate) struct ArmPoints {
    /// Sorted by cluster.
    pub points: Vec<ArmPoint>,
    /// Ranges of points that are near each other.
    pub clusters: Vec<Range<usize>>,
}

impl ArmPoints {
    /// Samples the given numbers of points on forearm and hand, far from each other.
    pub(crate) fn sampled(surface: &Surface, parts: &[Part], side: Sided, counts: [usize; 2]) -> ArmPoints {
        let (mut points, mut clusters) = (Vec::new(), Vec::new());
        for (part, count) in [Part::Forearm(side), Part::Hand(side)].into_iter().zip(counts) {
            let vertices: Vec<u32> =
                (0..parts.len() as u32).filter(|vertex| parts[*vertex as usize] == part).collect();
            let (first, on_hand) = (points.len(), part == Part::Hand(side));
            let chosen = farthest_points(surface.positions(), &vertices, count).into_iter();
            let point = |(rank, vertex)| ArmPoint { vertex, on_hand, rank: rank as u32 };
            points.extend(chosen.enumerate().map(point));
            let range = first..points.len();
            cluster(&mut points, range, surface.positions(), &mut clusters);
        }
        ArmPoints { points, clusters }
    }

    /// Writes the positions of the points in a pose. Returns the part of a field that may be nearer to them than
    /// `within`; `None` if there is none.
    pub(crate) fn near(
        &self,
        surface: &Surface,
        palette: &[Affine],
        field: &PosedField<'_>,
        within: f64,
        places: &mut Vec<Vector3<f64>>,
    ) -> Option<Near> {
        places.clear();
        places.extend(self.points.iter().map(|point| surface.posed_vertex(palette, point.vertex as usize)));
        let middle = places.iter().sum::<Vector3<f64>>() / places.len().max(1) as f64;
        let radius = places.iter().map(|at| (at - middle).norm_squared()).fold(0.0, f64::max).sqrt();
        let near = field.near(&middle, radius + within);
        (!near.is_empty() && !places.is_empty()).then_some(near)
    }
}

/// A vertex of an arm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmPoint {
    pub vertex: u32,
    pub on_hand: bool,
    /// Order of sampling: the points of lowest rank are spread over forearm or hand, whatever their
    /// number.
    pub rank: u32,
}

impl BodySurface {
    /// The surface of a body bound to a skeleton. `None` without vertices.
    pub(crate) fn new(body: &Body, skeleton: &Skeleton, roles: &RoleMap) -> Option<BodySurface> {
        BodySurface::of(Surface::new(body, skeleton).ok()?, skeleton, roles)
    }

    /// Like [`BodySurface::new`], for a surface.
    fn of(surface: Surface, skeleton: &Skeleton, roles: &RoleMap) -> Option<BodySurface> {
        if surface.positions().is_empty() {
            return None;
        }
        let joints = parts_of_joints(skeleton, |joint| roles.role(joint));
        let parts = parts_of_vertices(&surface, &joints);
        let up = upright_axis(skeleton, roles);
        let heights = surface.positions().iter().map(|at| at.dot(&up));
        let (low, high) =
            heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), at| (low.min(at), high.max(at)));
        let height = high - low;
        let metre = height / PERSON;
        let core = Field::new(&surface, skeleton, |vertex| parts[vertex].is_core(), CORE_CELL * metre);
        let arms = [Side::Left, Side::Right]
            .map(|side| arm_surface(&surface, &parts, skeleton, roles, side, ARM_CELL * metre));
        let shape = SurfaceShape::of(core.as_ref(), skeleton, roles, height);
        let (skeleton, roles) = (skeleton.clone(), roles.clone());
        Some(BodySurface { skeleton, roles, shape, surface, parts, joint_parts: joints, height, core, arms })
    }

    /// The surface converted to metres, Y up and Z forward; `metres` are metres per unit. `None` if a position is
    /// not finite then.
    pub(crate) fn in_metres(&self, metres: f64) -> Option<BodySurface> {
        let unit = |metres: f64| Some(Unit { metres, source: UnitSource::Flag });
        let stated = Space { unit: unit(metres), ..*self.skeleton.space() };
        let space = Space { unit: unit(1.0), ..Space::default() };
        let skeleton = self.skeleton.with_space(stated).in_space(space).ok()?;
        BodySurface::of(self.surface.changed_by(&stated.change_to(&space)).ok()?, &skeleton, &self.roles)
    }

    /// Scales a length of a person of 1.7 m to this body [m to units of the skeleton].
    pub(crate) fn person(&self, metres: f64) -> f64 {
        metres * self.height / PERSON
    }

    /// A meter of forearms and hands inside trunk, head and legs.
    pub(crate) fn meter(&self) -> Option<InsideMeter> {
        let is_lower = |part: Part| Sided::BOTH.iter().any(|side| part.is_lower_arm_of(*side));
        let measured = (0..self.parts.len()).filter(|vertex| is_lower(self.parts[*vertex]));
        let measured = measured.map(|vertex| vertex as u32).collect();
        InsideMeter::new(&self.surface, measured, |vertex| self.parts[vertex].is_core())
    }

    /// A meter of shank and foot of a side inside the other leg.
    pub(crate) fn leg_meter(&self, side: Sided) -> Option<InsideMeter> {
        let other = if side == Sided::Left { Sided::Right } else { Sided::Left };
        let is_lower = |part: Part| part == Part::Shank(side) || part == Part::Foot(side);
        let measured = (0..self.parts.len()).filter(|vertex| is_lower(self.parts[*vertex]));
        let measured = measured.map(|vertex| vertex as u32).collect();
        InsideMeter::new(
            &self.surface,
            measured,
            |vertex| matches!(self.parts[vertex], Part::Thigh(of) | Part::Shank(of) | Part::Foot(of) if of == other),
        )
    }

    /// The vertices of the forearm and hand of a side: 0 left, 1 right.
    pub(crate) fn lower_arm(&self, arm: usize) -> Vec<u32> {
        let side = Sided::BOTH[arm];
        let own = (0..self.parts.len()).filter(|vertex| self.parts[*vertex].is_lower_arm_of(side));
        own.map(|vertex| vertex as u32).collect()
    }

    /// A meter of forearm and hand of a side against the part that it touches.
    pub(crate) fn contact_meter(&self, arm: usize, touched: Touched) -> Option<InsideMeter> {
        let other = Sided::BOTH[1 - arm];
        InsideMeter::new(&self.surface, self.lower_arm(arm), |vertex| {
            let part = self.parts[vertex];
            match touched {
                Touched::Core => part.is_core(),
                Touched::Arm => part.is_lower_arm_of(other) || part == Part::UpperArm(other),
            }
        })
    }
}

/// The axis of the space along which a body stands: that nearest to the way from the hips to the neck, or to the
/// shoulders. A mesh may stand along another axis than its file states as up.
fn upright_axis(skeleton: &Skeleton, roles: &RoleMap) -> Vector3<f64> {
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    let middle = |wanted: [Role; 2]| {
        let [left, right] = wanted.map(|role| roles.joint(role).map(|joint| object.joints[joint.index()]));
        Some((left?.translation.vector + right?.translation.vector) * 0.5)
    };
    let legs = middle([Role::LeftUpperLeg, Role::RightUpperLeg]);
    let arms = middle([Role::LeftUpperArm, Role::RightUpperArm]);
    let up = Directions::of(skeleton).up;
    let Some(trunk) = legs.zip(arms).map(|(legs, arms)| arms - legs).filter(|trunk| trunk.norm() > 0.0)
    else {
        return up;
    };
    let axis = trunk.iamax();
    // Of axes that are as near, the stated one counts.
    if trunk.dot(&up).abs() >= trunk[axis].abs() { up } else { Vector3::ith(axis, trunk[axis].signum()) }
}

fn arm_surface(
    surface: &Surface,
    parts: &[Part],
    skeleton: &Skeleton,
    roles: &RoleMap,
    side: Side,
    cell: f64,
) -> Option<ArmSurface> {
    let [base, middle, tip] = LimbKind::Arm.roles_of(side).map(|role| roles.joint(role));
    let joints = [base?, middle?, tip?];
    let [base, middle, tip] = joints;
    let sided = Sided::from(side);
    let clavicle = roles.joint(match side {
        Side::Left => Role::LeftShoulder,
        Side::Right => Role::RightShoulder,
    });
    let trunk = clavicle.filter(|joint| skeleton.is_in_subtree(base, *joint)).unwrap_or(base);
    let trunk = skeleton.joint(trunk).parent?;
    let hand = skeleton.subtree(tip);
    let below = |top: JointId, without: &[&[JointId]]| -> Vec<JointId> {
        let inner = |joint: &JointId| !without.iter().any(|list| list.contains(joint));
        skeleton.subtree(top).into_iter().filter(inner).collect()
    };
    let forearm = below(middle, &[&hand]);
    let upper = below(base, &[&hand, &forearm]);
    let points = ArmPoints::sampled(surface, parts, sided, [FOREARM_POINTS, HAND_POINTS]);
    if points.points.is_empty() {
        return None;
    }
    let is_arm =
        |vertex: usize| parts[vertex].is_lower_arm_of(sided) || parts[vertex] == Part::UpperArm(sided);
    let field = Field::new(surface, skeleton, is_arm, cell);
    let vertices = || points.points.iter().map(|point| point.vertex as usize);
    let (bones, around) = (surface.bones_of(vertices()), around(surface, vertices()));
    let segments = [upper, forearm, hand];
    Some(ArmSurface { joints, trunk, segments, side: sided, points, bones, around, field })
}

/// The joints that move some vertices, each with the distance of the furthest vertex that it moves.
fn around(surface: &Surface, vertices: impl Iterator<Item = usize>) -> Vec<(JointId, f64)> {
    let mut far = vec![None::<f64>; surface.bones().len()];
    for vertex in vertices {
        for (bone, _) in surface.influences(vertex) {
            let map = Affine::of(&surface.bones()[bone as usize].inverse_bind);
            let own = &mut far[bone as usize];
            *own = Some(own.unwrap_or(0.0).max(map.place(&surface.positions()[vertex]).norm()));
        }
    }
    let bones = surface.bones().iter().zip(far);
    bones.filter_map(|(bone, far)| Some((bone.joint, far?))).collect()
}

/// Sorts points so that those near each other in the bind pose are consecutive, by halving along the longest
/// side.
fn cluster(
    points: &mut [ArmPoint],
    range: Range<usize>,
    places: &[Vector3<f64>],
    clusters: &mut Vec<Range<usize>>,
) {
    if range.len() <= CLUSTER {
        clusters.extend((!range.is_empty()).then_some(range));
        return;
    }
    let group = &mut points[range.clone()];
    let at = |point: &ArmPoint| places[point.vertex as usize];
    let low = group.iter().map(at).fold(Vector3::repeat(f64::INFINITY), |low, at| low.inf(&at));
    let high = group.iter().map(at).fold(Vector3::repeat(f64::NEG_INFINITY), |high, at| high.sup(&at));
    let axis = (high - low).imax();
    group.sort_by(|a, b| at(a)[axis].total_cmp(&at(b)[axis]).then(a.vertex.cmp(&b.vertex)));
    let half = range.start + range.len() / 2;
    cluster(points, range.start..half, places, clusters);
    cluster(points, half..range.end, places, clusters);
}

/// Farthest-point sampling: each vertex is the farthest from those before it.
pub(crate) fn farthest_points(places: &[Vector3<f64>], vertices: &[u32], count: usize) -> Vec<u32> {
    let at = |vertex: u32| places[vertex as usize];
    let Some(first) = vertices.first() else { return Vec::new() };
    let middle: Vector3<f64> =
        vertices.iter().map(|vertex| at(*vertex)).sum::<Vector3<f64>>() / vertices.len() as f64;
    let farthest =
        |far: &[f64]| (0..far.len()).fold(0, |best, next| if far[next] > far[best] { next } else { best });
    let mut far: Vec<f64> = vertices.iter().map(|vertex| (at(*vertex) - middle).norm_squared()).collect();
    let mut chosen = vec![vertices[farthest(&far)]];
    far.iter_mut()
        .zip(vertices)
        .for_each(|(far, vertex)| *far = (at(*vertex) - at(chosen[0])).norm_squared());
    while chosen.len() < count.min(vertices.len()) {
        let next = farthest(&far);
        if far[next] <= 0.0 {
            break;
        }
        chosen.push(vertices[next]);
        let from = at(vertices[next]);
        far.iter_mut()
            .zip(vertices)
            .for_each(|(far, vertex)| *far = far.min((at(*vertex) - from).norm_squared()));
    }
    debug_assert!(chosen.contains(first) || chosen.len() <= vertices.len());
    chosen
}

#[cfg(test)]
pub(crate) mod fixtures {
    use super::super::arm::PosedArm;
    use super::*;
    use mocap_formats::body::{Style, drawn};

    /// A body of capsules.
    pub(crate) fn body() -> BodySurface {
        let bytes = std::fs::read(mocap_corpus::fixture("clips/alex_walk.bvh")).unwrap();
        let document = mocap_formats::bvh::parse(&bytes, &Default::default()).unwrap().value;
        let clip = mocap_formats::bvh::to_clip(&document, &Default::default()).unwrap().value;
        let capsules = drawn(clip.skeleton(), Style::Capsules, [1.0; 4]).unwrap();
        BodySurface::new(&capsules, clip.skeleton(), &crate::map_roles_in(&clip)).unwrap()
    }

    /// Its left arm in a pose.
    pub(crate) fn arm_of<'a>(body: &'a BodySurface, object: &Pose) -> (&'a ArmSurface, PosedArm) {
        let arm = body.arms[0].as_ref().unwrap();
        let mut palette = Vec::new();
        body.surface.set_palette(object, &arm.bones, &mut palette);
        (arm, PosedArm::of(arm, &body.surface, object, &palette, &Vector3::x()))
    }
}

#[cfg(test)]
mod tests {
    use super::fixtures::{arm_of, body};
    use super::*;
    use mocap_model::UnitQuaternion;

    #[test]
    fn a_ball_known_from_joints_holds_all_points_of_an_arm() {
        let body = body();
        let mut local = Pose::rest(&body.skeleton);
        let mut object = Pose::default();
        for step in 0..50 {
            for (i, joint) in local.joints.iter_mut().enumerate() {
                let t = f64::from(step) * 0.37 + i as f64;
                joint.rotation =
                    UnitQuaternion::from_euler_angles(t.sin() * 2.0, (t * 1.3).cos(), (t * 0.7).sin());
            }
            local.to_object(&body.skeleton, &mut object);
            let (arm, posed) = arm_of(&body, &object);
            let (middle, radius) = arm.rough_ball(&object);
            let far = posed.points.iter().map(|at| (at - middle).norm()).fold(0.0, f64::max);
            assert!(far <= radius * (1.0 + 1e-9), "{far} {radius}");
            // It is of the size of an arm.
            assert!(radius < 1.5 * posed.reach(), "{radius} {}", posed.reach());
        }
    }
}
