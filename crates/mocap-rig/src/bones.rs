//! The bones of a skeleton as segments inside a mesh.

use mocap_model::{JointId, Pose, Skeleton, UnitQuaternion, Vector3};

use crate::Voxels;

/// A bone: the segment from a joint to a child, or to the end of its flesh. The surface around it follows the joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoneSegment {
    /// The joint that turns it.
    pub joint: JointId,
    /// Where the joint is, in object space.
    pub from: Vector3<f64>,
    /// Where the next one is.
    pub to: Vector3<f64>,
    /// Whether the joint has no children.
    pub is_leaf: bool,
}

impl BoneSegment {
    /// The parameter of a place along the segment: 0 at its start, 1 at its end, not clamped.
    pub fn along(&self, place: &Vector3<f64>) -> f64 {
        let way = self.to - self.from;
        let square = way.norm_squared();
        if square > 0.0 { (place - self.from).dot(&way) / square } else { 0.0 }
    }

    /// The nearest place on the segment.
    pub fn nearest(&self, place: &Vector3<f64>) -> Vector3<f64> {
        self.from + (self.to - self.from) * self.along(place).clamp(0.0, 1.0)
    }

    /// How long it is.
    pub fn length(&self) -> f64 {
        (self.to - self.from).norm()
    }
}

/// Half angle of the cone about the direction of the bone above in which the flesh of a leaf joint is searched \[rad\].
const CONE: f64 = 0.9;
/// Number of directions around the axis, per ring.
const AROUND: usize = 8;
/// Number of rings of directions.
const RINGS: usize = 3;
/// Bones shorter than this share of the body's size get no segment.
const SHORTEST: f64 = 1e-4;

/// The places of joints at rest, in object space.
pub fn rest_places(skeleton: &Skeleton) -> Vec<Vector3<f64>> {
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    object.joints.iter().map(|joint| joint.translation.vector).collect()
}

/// The segments of the joints for which `moves` is true. A joint without children and end sites has a segment to the
/// end of its flesh. `size` is that of the body.
pub fn segments(
    skeleton: &Skeleton,
    places: &[Vector3<f64>],
    voxels: &Voxels,
    size: f64,
    moves: impl Fn(JointId) -> bool,
) -> Vec<BoneSegment> {
    let mut found = Vec::new();
    for (id, joint) in skeleton.iter() {
        if joint.end_site || !moves(id) {
            continue;
        }
        let from = places[id.index()];
        let children: Vec<JointId> =
            skeleton.children(id).iter().copied().filter(|child| reaches(skeleton, *child, &moves)).collect();
        let ends: Vec<JointId> =
            skeleton.children(id).iter().copied().filter(|child| skeleton.joint(*child).end_site).collect();
        let is_leaf = children.is_empty();
        let next = if is_leaf { ends } else { children };
        let tos: Vec<Vector3<f64>> = match next.is_empty() {
            false => next.iter().map(|next| places[next.index()]).collect(),
            true => {
                let parent = joint.parent.map(|parent| from - places[parent.index()]);
                vec![from + flesh(&from, &parent.unwrap_or_else(Vector3::zeros), voxels, size)]
            }
        };
        for to in tos {
            if (to - from).norm() > SHORTEST * size || is_leaf {
                found.push(BoneSegment { joint: id, from, to, is_leaf });
            }
        }
    }
    found
}

/// Whether a joint, or one below it, moves vertices.
fn reaches(skeleton: &Skeleton, joint: JointId, moves: &impl Fn(JointId) -> bool) -> bool {
    let mut open = vec![joint];
    while let Some(at) = open.pop() {
        if moves(at) && !skeleton.joint(at).end_site {
            return true;
        }
        open.extend(skeleton.children(at));
    }
    false
}

/// The vector from a leaf joint to the end of its flesh: the mean of directions around that of the bone above, weighted
/// by how far each stays inside.
fn flesh(from: &Vector3<f64>, above: &Vector3<f64>, voxels: &Voxels, size: f64) -> Vector3<f64> {
    let Some(axis) = above.try_normalize(SHORTEST * size) else { return Vector3::zeros() };
    // Directions start at an axis of the voxels, so they rotate with the mesh.
    let other = voxels.axes.column(voxels.axes.tr_mul(&axis).iamin()).into_owned();
    let across = axis.cross(&other).normalize();
    let mut directions = vec![axis];
    for ring in 1..=RINGS {
        let tilt = CONE * ring as f64 / RINGS as f64;
        for step in 0..AROUND {
            let turn = std::f64::consts::TAU * step as f64 / AROUND as f64;
            let axis_of_tilt = UnitQuaternion::new(axis * turn) * across;
            directions.push(UnitQuaternion::new(axis_of_tilt * tilt) * axis);
        }
    }
    let (mut sum, mut total) = (Vector3::zeros(), 0.0);
    for direction in directions {
        let step = voxels.side * 0.5;
        let most = (0.3 * size / step) as usize;
        let run = (1..=most).take_while(|at| voxels.holds(&(from + direction * (step * *at as f64)))).count();
        let run = run as f64 * step;
        sum += direction * run.powi(4);
        total += run.powi(3);
    }
    if total > 0.0 { sum / total } else { above * 0.5 }
}
