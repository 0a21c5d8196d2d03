//! Balance of people: segments of a skeleton with the masses of an average body, on the soles in contact.
//!
//! Shares of mass and centres of segments based on: P. de Leva, "Adjustments to Zatsiorsky–Seluyanov's segment inertia
//! parameters", 1996, the mean of men and women. The trunk is three parts along the spine: as one segment between hips
//! and shoulders, its centre would be ahead of where it is in a body that bends.

use std::ops::Range;

use mocap_model::{Clip, Isometry3, JointId, PlacedJoints, Role, Skeleton, UnitQuaternion, Vector3};
use nalgebra::{Matrix3, Vector2};
use schemars::JsonSchema;
use serde::Serialize;

use crate::balance::{BalanceCurves, Segment};
use crate::low_pass::low_pass;
use crate::{
    ContactOptions, FootMotion, OffBalance, OffBalanceKind, Polygon, Trajectory, feet_of, flights,
    floor_under, metres_per_unit, off_balance, off_free_fall,
};

/// Cutoff frequency of motions before accelerations are computed; higher frequencies are mostly noise
/// \[Hz\].
pub const BALANCE_CUTOFF: f64 = 6.0;
/// A centre of mass slower than this stands still [m/s].
pub const STANDING_SPEED: f64 = 0.1;
/// The ground point of the centre of mass this far outside the soles is outside \[m\].
const OUTSIDE: f64 = 0.01;
/// The zero-moment point may be this far outside the soles \[m\].
pub const BESIDE_SOLES: f64 = 0.02;

/// Balance of a person or a robot, in metres, Z up, the floor at 0.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyBalance {
    /// By frame, of the motion after a low-pass filter at 6 Hz.
    pub curves: BalanceCurves,
    /// By frame: the centre of mass of the unfiltered motion.
    pub centre: Trajectory,
    /// By frame: the soles in contact.
    pub soles: Vec<Polygon>,
    /// By frame: whether both feet are in contact and the centre of mass is slower than 0.1 m/s.
    pub still: Vec<bool>,
    /// Frames in which the body flies.
    pub flights: Vec<Range<usize>>,
    /// Frames per second.
    pub fps: f64,
    /// Whether masses and soles are known exactly, as for robots: then the zero-moment point is
    /// judged too.
    pub exact: bool,
}

/// Figures of balance of a person. People who move need not be over their soles; those who stand still are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BalanceSummary {
    /// Share of frames that stand still: both feet in contact, the centre of mass below 0.1 m/s.
    pub still: f64,
    /// Share of the frames that stand still in which the ground point of the centre of mass is more than 1 cm outside
    /// the soles; `None` where none stands still.
    pub outside: Option<f64>,
    /// How far it is inside the soles in the worst frame that stands still (m); negative outside.
    pub margin: Option<f64>,
    /// How far its extrapolated point is inside the soles, in the worst frame that stands still (m).
    pub extrapolated_margin: Option<f64>,
    /// Share of frames that fly: 0.1 s or more without a foot in contact, in which the centre of mass falls.
    pub flight: f64,
    /// How far its fall in flight is from free fall, over free fall; `None` without flights.
    pub off_fall: Option<f64>,
}

/// A segment of the body: its mass, and where its centre of mass is.
struct Part {
    /// Share of the mass of the body.
    mass: f64,
    /// By frame.
    centre: Trajectory,
}

/// The joints that balance needs.
struct Joints {
    legs: [[JointId; 4]; 2],
    arms: [[JointId; 3]; 2],
    head: JointId,
    /// The joints after the one that carries the legs, up to the one that carries both arms.
    spine: Vec<JointId>,
}

impl Joints {
    fn of(skeleton: &Skeleton) -> Option<Joints> {
        let find = |role| skeleton.with_role(role);
        let feet = feet_of(skeleton);
        let [left, right] = &feet[..] else { return None };
        let arms = [
            [find(Role::LeftUpperArm)?, find(Role::LeftLowerArm)?, find(Role::LeftHand)?],
            [find(Role::RightUpperArm)?, find(Role::RightLowerArm)?, find(Role::RightHand)?],
        ];
        let legs = [
            [find(Role::LeftUpperLeg)?, find(Role::LeftLowerLeg)?, left.ankle, left.toe],
            [find(Role::RightUpperLeg)?, find(Role::RightLowerLeg)?, right.ankle, right.toe],
        ];
        let up = |from: JointId| std::iter::successors(Some(from), |id| skeleton.joint(*id).parent);
        let chest = up(arms[0][0]).find(|id| skeleton.is_in_subtree(arms[1][0], *id))?;
        let mut spine: Vec<JointId> =
            up(chest).take_while(|id| !skeleton.is_in_subtree(legs[0][0], *id)).collect();
        spine.reverse();
        Some(Joints { legs, arms, head: find(Role::Head)?, spine })
    }

    fn all(&self) -> impl Iterator<Item = JointId> + '_ {
        let limbs = self.legs.iter().flatten().chain(self.arms.iter().flatten());
        limbs.chain(&self.spine).chain([&self.head]).copied()
    }
}

/// The point at a share of the way along a line of points.
fn along(points: &[Vector3<f64>], share: f64) -> Vector3<f64> {
    let whole: f64 = points.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
    let mut left = share * whole;
    for pair in points.windows(2) {
        let length = (pair[1] - pair[0]).norm();
        if left <= length && length > 0.0 {
            return pair[0] + (pair[1] - pair[0]) * (left / length);
        }
        left -= length;
    }
    points[points.len() - 1]
}

/// Balance of the person in a clip; `None` without frames, legs, arms or a head.
pub fn body_balance(clip: &Clip) -> Option<BodyBalance> {
    let skeleton = clip.skeleton();
    let joints = Joints::of(skeleton)?;
    if clip.frames() == 0 {
        return None;
    }
    let feet = feet_of(skeleton);
    let motions = FootMotion::of(clip, &feet);
    let contacts: Vec<_> = motions.iter().map(|motion| motion.contacts(&ContactOptions::default())).collect();
    let metres = metres_per_unit(skeleton);
    let floor = floor_under(clip, &motions, &contacts)? * metres;
    let turn = mocap_model::rotation_between(&skeleton.space().up.vector(), &Vector3::z());
    let placed = PlacedJoints::of(clip, joints.all());
    let at = |joint: JointId| -> Trajectory {
        placed
            .positions(joint)
            .into_iter()
            .map(|place| turn * place * metres - Vector3::z() * floor)
            .collect()
    };
    let parts = parts(&joints, &at);
    let fps = clip.rate().fps();
    let segments: Vec<Segment> =
        parts.iter().map(|part| Segment { mass: part.mass, inertia: Matrix3::zeros() }).collect();
    let smooth: Vec<Trajectory> = parts.iter().map(|part| smoothed(&part.centre, fps)).collect();
    let place = |frame: usize| -> Vec<Isometry3<f64>> {
        let at = |path: &Trajectory| Isometry3::from_parts(path[frame].into(), UnitQuaternion::identity());
        smooth.iter().map(at).collect()
    };
    let placed: Vec<_> = (0..clip.frames()).map(place).collect();
    let curves = BalanceCurves::of(&segments, &placed, fps);
    let stands = |foot: usize, frame: usize| contacts[foot].toe[frame] || contacts[foot].heel[frame];
    let outlines: Vec<[Trajectory; 2]> = joints.legs.iter().map(|leg| [at(leg[2]), at(leg[3])]).collect();
    let leg = motions[0].leg * metres;
    let sole = |frame: usize| {
        let standing = (0..2).filter(|foot| stands(*foot, frame));
        let points: Vec<_> = standing
            .flat_map(|foot| sole_of(outlines[foot][0][frame], outlines[foot][1][frame], leg))
            .collect();
        Polygon::around(&points)
    };
    let soles = (0..clip.frames()).map(sole).collect();
    let is_still =
        |frame: usize| stands(0, frame) && stands(1, frame) && curves.velocity[frame].norm() < STANDING_SPEED;
    let still = (0..clip.frames()).map(is_still).collect();
    let contact: Vec<bool> = (0..clip.frames()).map(|frame| stands(0, frame) || stands(1, frame)).collect();
    let flights = flights(&contact, &curves.acceleration, fps);
    Some(BodyBalance { centre: centre_of(&parts), curves, soles, still, flights, fps, exact: false })
}

/// The segments of a body. Each centre of mass is a share of the way from the proximal to the
/// distal joint.
fn parts(joints: &Joints, at: &dyn Fn(JointId) -> Trajectory) -> Vec<Part> {
    let between = |mass: f64, from: &Trajectory, to: &Trajectory, share: f64| Part {
        mass,
        centre: from.iter().zip(to).map(|(from, to)| from + (to - from) * share).collect(),
    };
    let mut parts = Vec::new();
    let (mut hips, mut shoulders) = (Vec::new(), Vec::new());
    for [hip, knee, ankle, toe] in &joints.legs {
        let [hip, knee, ankle, toe] = [hip, knee, ankle, toe].map(|joint| at(*joint));
        parts.push(between(0.145, &hip, &knee, 0.385));
        parts.push(between(0.0455, &knee, &ankle, 0.442));
        parts.push(between(0.0135, &ankle, &toe, 0.5));
        hips.push(hip);
    }
    for [shoulder, elbow, wrist] in &joints.arms {
        let [shoulder, elbow, wrist] = [shoulder, elbow, wrist].map(|joint| at(*joint));
        parts.push(between(0.0265, &shoulder, &elbow, 0.576));
        parts.push(between(0.015, &elbow, &wrist, 0.457));
        // The centre of the hand, in line with the forearm: three quarters of the way to the
        // knuckles.
        parts.push(between(0.006, &elbow, &wrist, 1.25));
        shoulders.push(shoulder);
    }
    let middle = |pair: &[Trajectory]| between(0.0, &pair[0], &pair[1], 0.5).centre;
    let (hips, shoulders) = (middle(&hips), middle(&shoulders));
    let spine: Vec<Trajectory> = joints.spine.iter().map(|joint| at(*joint)).collect();
    // Pelvis, belly and chest, from the hips upwards.
    for (mass, share) in [(0.1182, 0.11), (0.1549, 0.512), (0.1571, 0.932)] {
        let centre = |frame: usize| {
            let ends = [hips[frame], shoulders[frame]];
            let joints = spine.iter().map(|joint| joint[frame]);
            let line: Vec<_> = [ends[0]].into_iter().chain(joints).chain([ends[1]]).collect();
            along(&line, share)
        };
        parts.push(Part { mass, centre: (0..hips.len()).map(centre).collect() });
    }
    let head = at(joints.head);
    parts.push(between(0.068, &shoulders, &head, 1.5));
    parts
}

/// By frame: the centre of mass.
fn centre_of(parts: &[Part]) -> Trajectory {
    let mass: f64 = parts.iter().map(|part| part.mass).sum();
    let weighed =
        |frame: usize| parts.iter().map(|part| part.centre[frame] * part.mass).sum::<Vector3<f64>>();
    let frames = parts.first().map_or(0, |part| part.centre.len());
    (0..frames).map(|frame| weighed(frame) / mass).collect()
}

/// The outline of a foot on the floor, from its ankle and the ball of it.
fn sole_of(ankle: Vector3<f64>, ball: Vector3<f64>, leg: f64) -> [Vector2<f64>; 4] {
    // As shares of the leg: the foot ahead of the ball, behind the ankle, and half its breadth.
    let [toes, heel, half] = [0.08, 0.06, 0.055].map(|share| share * leg);
    let way = (ball - ankle).xy();
    let forward = way.try_normalize(1e-6).unwrap_or_else(Vector2::x);
    let side = Vector2::new(-forward.y, forward.x) * half;
    let (front, back) = (ball.xy() + forward * toes, ankle.xy() - forward * heel);
    [front + side, front - side, back + side, back - side]
}

fn smoothed(path: &Trajectory, fps: f64) -> Trajectory {
    let axes = [0, 1, 2].map(|axis| {
        let values: Vec<f64> = path.iter().map(|place| place[axis]).collect();
        low_pass(&values, BALANCE_CUTOFF, fps)
    });
    (0..path.len()).map(|frame| Vector3::from(axes.each_ref().map(|axis| axis[frame]))).collect()
}

impl BodyBalance {
    /// How far a point is inside the soles \[m\], by frame; negative outside, `None` where no sole is on the floor, or
    /// the point is not known.
    pub fn margins(&self, point: impl Fn(usize) -> Option<Vector2<f64>>) -> Vec<Option<f64>> {
        let margin = |(frame, sole): (usize, &Polygon)| {
            (!sole.is_empty()).then(|| point(frame)).flatten().map(|point| sole.margin(&point))
        };
        self.soles.iter().enumerate().map(margin).collect()
    }

    /// When it is out of balance: where a body stands still, the ground point of its centre of mass more than 1 cm outside
    /// the soles; where a robot is on its soles, the zero-moment point more than 2 cm outside them.
    pub fn off_balance(&self) -> Vec<OffBalance> {
        let margins = self.margins(|frame| Some(self.curves.centre.get(frame)?.xy()));
        let still = margins.iter().zip(&self.still).map(|(margin, still)| margin.filter(|_| *still));
        let still: Vec<Option<f64>> = still.map(|margin| margin.map(|margin| -margin)).collect();
        let mut all = off_balance(OffBalanceKind::CentreOfMass, &still, OUTSIDE, self.fps);
        if self.exact {
            let outside = self.zero_moment_outside();
            all.extend(off_balance(OffBalanceKind::ZeroMomentPoint, &outside, BESIDE_SOLES, self.fps));
        }
        all.sort_by(|a, b| a.start.total_cmp(&b.start));
        all
    }

    /// How far the zero-moment point is outside the soles on the floor \[m\], by frame: infinite where nothing presses on
    /// the floor, whose soles then cannot hold the motion; `None` without a sole on the floor.
    pub fn zero_moment_outside(&self) -> Vec<Option<f64>> {
        let outside = |(sole, at): (&Polygon, &Option<Vector2<f64>>)| {
            let away = || at.map_or(f64::INFINITY, |at| (-sole.margin(&at)).max(0.0));
            (!sole.is_empty()).then(away)
        };
        self.soles.iter().zip(&self.curves.zero_moment).map(outside).collect()
    }

    /// The figures.
    pub fn summary(&self) -> BalanceSummary {
        let frames = self.still.len();
        let still: Vec<usize> = (0..frames).filter(|frame| self.still[*frame]).collect();
        let worst = |of: &dyn Fn(usize) -> Vector2<f64>| {
            still.iter().map(|frame| self.soles[*frame].margin(&of(*frame))).min_by(f64::total_cmp)
        };
        let ground = |frame: usize| self.curves.centre[frame].xy();
        let outside =
            still.iter().filter(|frame| self.soles[**frame].margin(&ground(**frame)) < -OUTSIDE).count();
        BalanceSummary {
            still: still.len() as f64 / frames.max(1) as f64,
            outside: (!still.is_empty()).then(|| outside as f64 / still.len() as f64),
            margin: worst(&ground),
            extrapolated_margin: worst(&|frame| self.curves.extrapolated[frame]),
            flight: self.flights.iter().map(Range::len).sum::<usize>() as f64 / frames.max(1) as f64,
            off_fall: off_free_fall(&self.centre, &self.flights, self.fps),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bent_line_is_followed() {
        let line = [Vector3::zeros(), Vector3::z(), Vector3::new(1.0, 0.0, 1.0)];
        assert_eq!(along(&line, 0.75), Vector3::new(0.5, 0.0, 1.0));
        assert_eq!(along(&line, 1.0), line[2]);
    }

    #[test]
    fn parts_weigh_as_much_as_the_body() {
        let joint = JointId::from(0);
        let joints = Joints { legs: [[joint; 4]; 2], arms: [[joint; 3]; 2], head: joint, spine: vec![] };
        let parts = parts(&joints, &|_| vec![Vector3::zeros()]);
        assert!((parts.iter().map(|part| part.mass).sum::<f64>() - 1.0).abs() < 0.005);
    }
}
