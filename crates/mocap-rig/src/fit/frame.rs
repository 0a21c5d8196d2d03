//! The orientation of a body.

use mocap_model::{SignedAxis, Vector3};
use nalgebra::Matrix3;

use super::extremities::Extremities;
use super::standing::up_at_rest;
use crate::geodesic::Ways;
use crate::{Mirror, RigError, RigMesh, Voxels};

/// The accuracy of the up direction from trunk and legs: an axis of the file within this angle is used instead \[rad\].
const SNAP: f64 = 0.2;
/// The same for the up direction from the floor on which a body rests.
const SNAP_AT_REST: f64 = 0.035;
/// A stated axis further than this from the one that was found is an error \[rad\].
const FURTHEST: f64 = std::f64::consts::FRAC_PI_4 + 1e-6;
/// A mirror plane whose normal has a larger cosine with up does not separate left and right.
const LYING: f64 = 0.25;
/// Places within this distance of the head's extremity belong to the top of the head, as a share of the height.
const HEAD: f64 = 0.07;
/// Number of rotation steps, to either side of the line of shoulders and hips, in which mirror planes are tried.
const TURNS: i32 = 20;
/// The size of a step \[rad\].
const TURN: f64 = 0.0175;

/// The axes of a body, its floor and its height.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyFrame {
    /// Away from the floor, a unit vector.
    pub up: Vector3<f64>,
    /// To the body's left.
    pub left: Vector3<f64>,
    /// The facing direction.
    pub forward: Vector3<f64>,
    /// The middle of the floor below it.
    pub floor: Vector3<f64>,
    /// From the floor to the top of the head [units of the mesh].
    pub height: f64,
    /// Confidence of front and back, 0 to 1, by how far the feet point forward.
    pub facing_confidence: f64,
    /// Whether the mesh is its own mirror image.
    pub is_mirrored: bool,
}

impl BodyFrame {
    /// A place in the frame: left, up, forward, as shares of the height.
    pub fn local(&self, place: &Vector3<f64>) -> Vector3<f64> {
        let way = place - self.floor;
        Vector3::new(way.dot(&self.left), way.dot(&self.up), way.dot(&self.forward)) / self.height
    }

    /// The inverse of [`BodyFrame::local`].
    pub fn place(&self, local: &Vector3<f64>) -> Vector3<f64> {
        self.floor + (self.left * local.x + self.up * local.y + self.forward * local.z) * self.height
    }

    /// The frame snapped to the axes of the file: up becomes an axis that is near enough. The search for joints does
    /// not use the file's axes, so a rotated body has the same joints.
    pub(super) fn shown(&self, mesh: &RigMesh, head: &Vector3<f64>, is_stated: bool) -> BodyFrame {
        let up = if is_stated { self.up } else { snapped(&self.up, SNAP_AT_REST) };
        let level = (self.forward - up * self.forward.dot(&up)).try_normalize(0.0);
        let Some(forward) = level.filter(|_| up != self.up) else { return *self };
        let (low, high) = floor_and_top(mesh, head, &up);
        let floor = self.floor + up * (low - self.floor.dot(&up));
        BodyFrame { up, left: up.cross(&forward), forward, floor, height: high - low, ..*self }
    }

    /// The rotation whose columns are left, up and forward.
    pub fn axes(&self) -> Matrix3<f64> {
        Matrix3::from_columns(&[self.left, self.up, self.forward])
    }
}

/// Finds the frame of a body; `up` and `facing` are stated ones.
///
/// # Errors
/// [`RigError::Axis`] where a stated axis is not that of the body.
pub(crate) fn frame(
    mesh: &RigMesh,
    voxels: &Voxels,
    found: &Extremities,
    up: Option<SignedAxis>,
    facing: Option<SignedAxis>,
) -> Result<BodyFrame, RigError> {
    let at = |voxel: usize| voxels.middle(voxel);
    let feet = (at(found.feet[0]) + at(found.feet[1])) * 0.5;
    let rough = (at(found.chest) - at(found.pelvis)).normalize() + (at(found.chest) - feet).normalize();
    let stated = up;
    let up = match stated.map(SignedAxis::vector) {
        Some(stated) => meant("up", stated, stated.angle(&rough))?,
        None => up_at_rest(mesh, voxels, &rough).unwrap_or_else(|| snapped(&rough, SNAP)),
    };
    // The up direction of a mirror-symmetric mesh lies in its mirror plane.
    let mirror = Mirror::of(mesh).filter(|mirror| mirror.normal.dot(&up).abs() < LYING);
    let up = match &mirror {
        Some(mirror) if stated.is_none() => (up - mirror.normal * up.dot(&mirror.normal)).normalize(),
        _ => up,
    };
    let level = |way: Vector3<f64>| way - up * way.dot(&up);
    // Points some way out on the limbs, where paths no longer cut the inner side of a corner.
    let out = |from: usize, to: usize, share: f64| {
        let way = Ways::new(voxels, &[(from, 0.0)]).back(voxels, to);
        at(way[((1.0 - share) * (way.len() - 1) as f64) as usize])
    };
    let shoulders = out(found.chest, found.hands[0], 0.3) - out(found.chest, found.hands[1], 0.3);
    let hips = out(found.pelvis, found.feet[0], 0.2) - out(found.pelvis, found.feet[1], 0.2);
    let hips = if shoulders.dot(&hips) < 0.0 { -hips } else { hips };
    let across = level(shoulders + hips).try_normalize(0.0).unwrap_or_else(|| any_level(&up));
    let is_mirrored = mirror.is_some();
    let across = match &mirror {
        Some(mirror) => level(mirror.normal).normalize() * mirror.normal.dot(&across).signum(),
        None => most_symmetric(voxels, found, &up, &across),
    };
    let forward = across.cross(&up);
    let toes = toes_ahead(voxels, found, &up, &forward);
    let (low, high) = floor_and_top(mesh, &at(found.head), &up);
    let height = high - low;
    let ahead = toes / height;
    let forward = match facing {
        Some(facing) => {
            let angle = level(facing.vector()).angle(&forward);
            let stated = meant("facing", level(facing.vector()), angle.min(std::f64::consts::PI - angle))?;
            // The stated axis decides between front and back; the body may be rotated slightly from it.
            if stated.dot(&forward) < 0.0 { -forward } else { forward }
        }
        None => forward * if ahead < 0.0 { -1.0 } else { 1.0 },
    };
    let left = up.cross(&forward);
    let middle = match &mirror {
        Some(mirror) => {
            let trunk = (at(found.chest) + at(found.pelvis)) * 0.5;
            trunk - left * (trunk - mirror.middle).dot(&left)
        }
        None => (at(found.chest) + at(found.pelvis)) * 0.5,
    };
    let floor = middle + up * (low - middle.dot(&up));
    let facing_confidence = if facing.is_some() { 1.0 } else { (ahead.abs() / 0.06).min(1.0) };
    Ok(BodyFrame { up, left, forward, floor, height, facing_confidence, is_mirrored })
}

/// The heights of the floor and of the top of the head; raised hands may be above it.
fn floor_and_top(mesh: &RigMesh, head: &Vector3<f64>, up: &Vector3<f64>) -> (f64, f64) {
    let used = || mesh.triangles.iter().flatten().map(|corner| &mesh.places[*corner as usize]);
    let low = used().map(|at| at.dot(up)).fold(f64::INFINITY, f64::min);
    let stands = head.dot(up) - low;
    let near = |at: &&Vector3<f64>| {
        let way = *at - head;
        (way - up * way.dot(up)).norm() < HEAD * stands && way.dot(up) > -HEAD * stands
    };
    let top = used().filter(near).map(|at| at.dot(up)).fold(f64::NEG_INFINITY, f64::max);
    (low, if top > low { top } else { head.dot(up) })
}

/// The stated axis; an error if it is too far from the one that was found \[rad\].
fn meant(axis: &'static str, stated: Vector3<f64>, off: f64) -> Result<Vector3<f64>, RigError> {
    // If both axes are parallel, the projected one has no direction.
    let off = if stated.norm() < 1e-9 { std::f64::consts::FRAC_PI_2 } else { off };
    if off > FURTHEST { Err(RigError::Axis { axis, degrees: off.to_degrees() }) } else { Ok(stated) }
}

/// The axis of the file within an angle of a direction, or the direction itself.
pub(super) fn snapped(way: &Vector3<f64>, within: f64) -> Vector3<f64> {
    let way = way.normalize();
    let axis = way.iamax();
    let mut unit = Vector3::zeros();
    unit[axis] = way[axis].signum();
    if way.dot(&unit) > within.cos() { unit } else { way }
}

pub(super) fn any_level(up: &Vector3<f64>) -> Vector3<f64> {
    let mut other = Vector3::zeros();
    other[up.iamin()] = 1.0;
    up.cross(&other).normalize()
}

/// The direction near `across` along which the trunk is most mirror-symmetric.
fn most_symmetric(
    voxels: &Voxels,
    found: &Extremities,
    up: &Vector3<f64>,
    across: &Vector3<f64>,
) -> Vector3<f64> {
    let (low, high) = (voxels.middle(found.pelvis).dot(up), voxels.middle(found.chest).dot(up));
    let axis = voxels.middle(found.pelvis);
    let reach = 0.6 * (high - low).abs();
    let near = |at: &Vector3<f64>| {
        let way = at - axis;
        let height = way.dot(up);
        (way - up * height).norm() < reach && at.dot(up) > low && at.dot(up) < high
    };
    let trunk: Vec<Vector3<f64>> = (0..voxels.len())
        .filter(|at| voxels.inside[*at])
        .map(|at| voxels.middle(at))
        .filter(|at| near(at))
        .collect();
    if trunk.is_empty() {
        return *across;
    }
    let middle: Vector3<f64> = trunk.iter().sum::<Vector3<f64>>() / trunk.len() as f64;
    let ahead = across.cross(up);
    let mut sum = 0.0;
    let mut total = 0.0;
    let scores: Vec<(f64, f64)> = (-TURNS..=TURNS)
        .map(|turn| {
            let angle = TURN * f64::from(turn);
            let normal = across * angle.cos() + ahead * angle.sin();
            let held =
                trunk.iter().filter(|at| voxels.holds(&(*at - normal * (2.0 * (*at - middle).dot(&normal)))));
            (angle, held.count() as f64 / trunk.len() as f64)
        })
        .collect();
    let best = scores.iter().map(|(_, score)| *score).fold(0.0, f64::max);
    // The middle of angles that fit equally well.
    for (angle, score) in scores {
        let weight = (score - (best - 0.01)).max(0.0);
        sum += angle * weight;
        total += weight;
    }
    let angle = if total > 0.0 { sum / total } else { 0.0 };
    (across * angle.cos() + ahead * angle.sin()).normalize()
}

/// The mean distance of the ends of the feet ahead of the shins, along `forward`.
fn toes_ahead(voxels: &Voxels, found: &Extremities, up: &Vector3<f64>, forward: &Vector3<f64>) -> f64 {
    let mut sum = 0.0;
    for foot in found.feet {
        let ways = Ways::new(voxels, &[(foot, 0.0)]);
        let leg = ways.far[found.pelvis];
        let mean = |from: f64, to: f64| {
            let within: Vec<Vector3<f64>> = (0..voxels.len())
                .filter(|at| ways.far[*at] >= from * leg && ways.far[*at] < to * leg)
                .map(|at| voxels.middle(at))
                .collect();
            within.iter().sum::<Vector3<f64>>() / within.len().max(1) as f64
        };
        // The axis of the shin, extended to the height of the foot.
        let [upper, lower, end] = [mean(0.5, 0.6), mean(0.32, 0.42), mean(0.0, 0.12)];
        let shin = lower - upper;
        let down = shin.dot(up);
        let reached = if down.abs() > 1e-9 { lower + shin * ((end - lower).dot(up) / down) } else { lower };
        sum += (end - reached).dot(forward);
    }
    sum / 2.0
}
