//! The skeleton in the encoder: rigid bodies that move relative to each other, the points on them at which the
//! error is measured, and the share of the tolerance that each may use.
//!
//! Joints whose local transform never changes belong to the body of their parent. A body's orientation is
//! corrected for the error of its parent. Its origin is not, so errors of origins add up along a limb: each
//! body may use only a part of the tolerance for the origins of its children.

use crate::encode::body::{Body, Mount, Point, Twin};
use crate::encode::parts::parts;
use crate::plan::{Plan, TrackState};
use crate::quat::to_f64;
use crate::sampler::Transform;
use mocap_model::{Clip, JointId, UnitQuaternion, Vector3};
use nalgebra::Matrix3;

/// All bodies, parents before children.
#[derive(Clone, Debug)]
pub(crate) struct Rig {
    pub(crate) bodies: Vec<Body>,
}

/// If a body translates but does not rotate, its points leave this share of their tolerance to the bodies that
/// rotate it.
const TURNED: f64 = 0.9;

/// Exponent with which parts of limbs that start at one body add up.
const LIMBS: f64 = 4.0;
/// Share for bodies that only add rounding.
const RIGID: f64 = 0.005;

/// Exponent with which tolerances along a limb add up: 2, as for independent errors.
pub(crate) const POWER: f64 = 2.0;

impl Rig {
    /// `constants` are the local transforms of the joints that do not move, as decoded; `tolerances` by joint and
    /// `shell` in units of the clip.
    pub(crate) fn new(
        clip: &Clip,
        constants: &[Transform],
        plan: &Plan,
        tolerances: &[f64],
        shell: f64,
        power: f64,
    ) -> Rig {
        let skeleton = clip.skeleton();
        let mut bodies: Vec<Body> = Vec::new();
        let mut places: Vec<(usize, Twin)> = Vec::with_capacity(skeleton.len());
        let mut tracks = [0, 0];
        for (id, joint) in skeleton.iter() {
            let at = id.index();
            let own = clip.track(id);
            let local = Twin {
                original: Mount {
                    rotation: own.rotation.at(0),
                    position: own.translation.as_ref().map_or(joint.offset, |track| track.at(0)),
                },
                decoded: Mount {
                    rotation: to_f64(constants[at].rotation),
                    position: Vector3::from(constants[at].translation.map(f64::from)),
                },
            };
            let rotates = plan.joints[at].rotation == TrackState::Moving;
            let translates = plan.joints[at].translation == TrackState::Moving;
            let parent = joint.parent.map(|parent| places[parent.index()].clone());
            let (body, place) = match parent {
                Some((body, place)) if !rotates && !translates => (body, place.then(&local)),
                parent => {
                    let (parent, mount) = match parent {
                        Some((body, mount)) => (Some(body), mount),
                        None => (None, Twin::identity()),
                    };
                    let points = Vec::new();
                    bodies.push(Body {
                        joint: at,
                        parent,
                        mount,
                        local,
                        rotates,
                        translates,
                        tracks,
                        points,
                        origin_tolerance: 0.0,
                    });
                    (bodies.len() - 1, Twin::identity())
                }
            };
            if !joint.end_site {
                bodies[body].points.extend(shell_points(&place, shell, tolerances[at]));
            }
            places.push((body, place));
            tracks = [tracks[0] + usize::from(rotates), tracks[1] + usize::from(translates)];
        }
        let mut rig = Rig { bodies };
        let parts = parts(clip, &rig.bodies, tolerances);
        rig.share(tolerances, power, &parts);
        rig
    }

    /// Distributes the tolerances of the joints according to the parts of all rotations on the path; squares
    /// add up.
    fn share(&mut self, tolerances: &[f64], power: f64, parts: &[f64]) {
        let bodies = &mut self.bodies;
        let count = bodies.len();
        // Sum of the parts of a body and of the limbs below: about that of the longest limb, more if there are
        // several.
        let mut below = vec![0.0f64; count];
        // The least room on a body and its descendants.
        let mut least: Vec<f64> = bodies
            .iter()
            .map(|body| body.points.iter().fold(f64::INFINITY, |least, point| least.min(point.room())))
            .collect();
        for at in (0..count).rev() {
            below[at] = parts[at] + below[at].powf(1.0 / LIMBS);
            if let Some(parent) = bodies[at].parent
                && !bodies[at].translates
            {
                below[parent] += below[at].powf(LIMBS);
                least[parent] = least[parent].min(least[at]);
            }
        }
        for at in 0..count {
            let body = &bodies[at];
            let limit = match least[at] {
                least if least.is_finite() => least,
                // An end site that moves, below a joint with scale: nothing is measured on it.
                _ if body.translates => tolerances[body.joint],
                _ => 0.0,
            };
            let limit = limit.powf(power);
            let tolerance = if body.translates {
                limit / (below[at] + 1.0)
            } else if let Some(parent) = body.parent {
                let carrier = bodies[parent].origin_tolerance.powf(power);
                // A body that does not turn only adds rounding.
                let share =
                    if bodies[parent].rotates { parts[parent] / (parts[parent] + below[at]) } else { RIGID };
                carrier + (limit - carrier).max(0.0) * share
            } else {
                limit * RIGID
            };
            let tolerance = tolerance.powf(1.0 / power);
            bodies[at].origin_tolerance = tolerance;
            if let (Some(parent), false) = (bodies[at].parent, bodies[at].translates) {
                let origin = bodies[at].mount.then(&bodies[at].local);
                bodies[parent].points.push(Point {
                    original: origin.original.position,
                    decoded: origin.decoded.position,
                    tolerance,
                    allowance: 0.0,
                    follows: true,
                });
            }
        }
        self.turn_moving_bodies();
        for body in &mut self.bodies {
            let origin = body.origin_tolerance.powf(power);
            let mut kept: Vec<Point> = Vec::new();
            // The tightest tolerances first, because they decide most often.
            body.points.sort_by(|a, b| a.tolerance.total_cmp(&b.tolerance));
            for mut point in body.points.drain(..) {
                let room = match point.follows {
                    true => (point.tolerance.powf(power) - origin).max(0.0).powf(1.0 / power),
                    false => point.tolerance,
                };
                point.allowance = room.max(point.tolerance * 1e-3);
                let same = |other: &Point| {
                    other.follows == point.follows && (other.original - point.original).norm() == 0.0
                };
                if !kept.iter().any(same) {
                    kept.push(point);
                }
            }
            body.points = kept;
        }
    }

    /// Moves the points of bodies that translate but do not rotate to those that rotate them, since no
    /// translation corrects a rotation.
    fn turn_moving_bodies(&mut self) {
        for at in 0..self.bodies.len() {
            let body = &self.bodies[at];
            if body.rotates || !body.translates {
                continue;
            }
            let mut turn = body.mount.then(&body.local);
            let mut above = body.parent;
            while let Some(parent) = above.filter(|parent| !self.bodies[*parent].rotates) {
                let body = &self.bodies[parent];
                turn = body.mount.then(&body.local).then(&turn);
                above = body.parent;
            }
            let Some(parent) = above else { continue };
            let turned = self.bodies[at].points.iter().filter(|point| point.original != Vector3::zeros());
            let turned = turned.map(|point| Point {
                original: turn.original.rotation * point.original,
                decoded: turn.decoded.rotation * point.decoded,
                tolerance: point.tolerance * TURNED,
                follows: false,
                ..point.clone()
            });
            let turned: Vec<Point> = turned.collect();
            self.bodies[parent].points.extend(turned);
        }
    }
}

fn shell_points(place: &Twin, shell: f64, tolerance: f64) -> [Point; 3] {
    [0, 1, 2].map(|axis| {
        let mut local = Vector3::zeros();
        local[axis] = shell;
        let on = |mount: &Mount| mount.position + mount.rotation * local;
        Point {
            original: on(&place.original),
            decoded: on(&place.decoded),
            tolerance,
            allowance: 0.0,
            follows: true,
        }
    })
}

/// The object-space transforms of some joints of the original over a range of frames, by joint.
pub(crate) struct ObjectPoses {
    pub(crate) rotations: Vec<Vec<UnitQuaternion<f64>>>,
    pub(crate) positions: Vec<Vec<Vector3<f64>>>,
}

impl ObjectPoses {
    pub(crate) fn of(clip: &Clip, frames: std::ops::Range<usize>, rig: &Rig) -> ObjectPoses {
        // A clone of a vector has no room: each is made.
        let bodies = &rig.bodies;
        let mut poses = ObjectPoses {
            rotations: bodies.iter().map(|_| Vec::with_capacity(frames.len())).collect(),
            positions: bodies.iter().map(|_| Vec::with_capacity(frames.len())).collect(),
        };
        let mut local = mocap_model::Pose::default();
        let mut object = mocap_model::Pose::default();
        for frame in frames {
            clip.local_pose(frame, &mut local);
            local.to_object(clip.skeleton(), &mut object);
            for (at, body) in bodies.iter().enumerate() {
                let joint = &object.joints[JointId::from(body.joint).index()];
                poses.rotations[at].push(joint.rotation);
                poses.positions[at].push(joint.translation.vector);
            }
        }
        poses
    }
}

/// The region of rotation vectors that approximately keeps points within their allowances: the matrix `M` of
/// the ellipsoid `rᵀ M r <= 1`.
///
/// Based on: D. M. Titterington, "Optimal design: some geometrical aspects of D-optimality", 1975: the weights
/// of the points are found by a multiplicative update.
pub(crate) fn lever_metric(points: &[Point]) -> Matrix3<f64> {
    let form = |point: &Point| {
        let v = point.original;
        (Matrix3::identity() * v.norm_squared() - v * v.transpose()) / (point.allowance * point.allowance)
    };
    let forms: Vec<Matrix3<f64>> = points.iter().map(form).collect();
    let mut weights = vec![1.0 / forms.len().max(1) as f64; forms.len()];
    let sum = |weights: &[f64]| {
        forms.iter().zip(weights).fold(Matrix3::zeros(), |sum, (form, weight)| sum + form * *weight)
    };
    for _ in 0..24 {
        let Some(inverse) = sum(&weights).try_inverse() else { break };
        for (form, weight) in forms.iter().zip(&mut weights) {
            *weight *= (inverse * form).trace() / 3.0;
        }
    }
    sum(&weights)
}
