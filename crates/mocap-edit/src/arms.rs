//! Inverse kinematics of arms for given hand positions: the elbow keeps its side.
//!
//! The pole vector, from the line between shoulder and wrist to the elbow, turns with that line. It is noisy where an
//! arm is nearly straight: so it is smoothed over time, and the mean bend direction of the whole motion is added. Where
//! the side still changes faster than the arm does by itself, it is solved over frames (`elbow_side.rs`).

use std::ops::Range;

use mocap_analysis::runs;
use mocap_ik::Constraint;
use mocap_model::{Clip, ForwardKinematics, Isometry3, JointId, UnitQuaternion, Vector3};
use nalgebra::{Matrix3, Rotation3};

use crate::EditError;
use crate::elbow_side::{ElbowSide, steady_sides};
use crate::samples::Samples;
use crate::smoothing::gaussian;

/// The width of the smoothing of the pole vector \[s\].
const AROUND: f64 = 0.15;
/// The weight of the mean bend direction, as a share of the arm's length.
const USUAL: f64 = 0.04;
/// An arm is stretched to at most this share of its length, or as far as it was before.
const STRETCHED: f64 = 0.999;

/// Lower bound of the limit on how fast the side of an elbow changes \[rad / s\]: it applies
/// where the arm of the original motion rotates more slowly.
const CALM: f64 = 1.5;

/// An arm.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArmJoints {
    pub shoulder: JointId,
    pub elbow: JointId,
    pub wrist: JointId,
}

impl ArmJoints {
    /// Shoulder, elbow and wrist.
    pub(crate) fn all(self) -> [JointId; 3] {
        [self.shoulder, self.elbow, self.wrist]
    }

    /// By joint: the largest rotation between two consecutive frames of a range \[rad\].
    pub(crate) fn steps(self, clip: &Clip, frames: Range<usize>) -> [f64; 3] {
        self.all().map(|joint| {
            let rotation = &clip.track(joint).rotation;
            let step = |frame: usize| rotation.at(frame - 1).angle_to(&rotation.at(frame));
            (frames.start.max(1)..frames.end).map(step).fold(0.0, f64::max)
        })
    }
}

/// The placements of a hand by frame, with the weights by which they were blended in.
pub(crate) struct HandGoals<'a> {
    pub places: &'a [Option<Isometry3<f64>>],
    /// From 0 (the hand is where it was) to 1; the pole vector is smoothed accordingly.
    pub weights: &'a [f64],
    /// A limit on how much the side of the elbow changes per frame \[rad\]. The arm is then posed
    /// from the goals only: it bends about the mean axis of its elbow, and need not be close to
    /// its pose in the frames before and after the goals. `None`: the limit is the fastest
    /// rotation of the arm in the motion, and the poses before and after are kept.
    pub steady: Option<f64>,
}

/// The motion with a hand at its goals, and the largest distance by which the arm was too short \[units\]. With
/// `limits`, joint limits are kept, and the hand may miss its goal.
pub(crate) fn place_hand(
    clip: &Clip,
    arm: ArmJoints,
    goals: &HandGoals<'_>,
    limits: bool,
    edit: &'static str,
) -> Result<(Clip, f64), EditError> {
    let (poles, hinge) = poles(clip, arm, goals);
    let hinge = hinge.filter(|_| goals.steady.is_some());
    let planned = planned_sides(clip, arm, goals, &poles);
    let skeleton = clip.skeleton();
    let joints = arm.all();
    let constraints = joints.map(|joint| Constraint::of(skeleton.joint(joint)));
    let mut samples = Samples::of(clip);
    let mut placed = ForwardKinematics::new(clip);
    let mut missing = 0.0f64;
    for (frame, goal) in goals.places.iter().enumerate() {
        let Some(goal) = goal else { continue };
        placed.place(frame);
        let places = joints.map(|joint| *placed.at(joint));
        let Some(aimed) = aimed(&places, goal, &poles[frame]) else { continue };
        let Some(mut sides) = planned[frame].or_else(|| aimed.sides()) else { continue };
        if let Some(hinge) = hinge {
            sides.before = -(places[0].rotation * hinge);
        }
        let Some((upper, lower, short)) = bent(&places, goal, &aimed.line, &sides) else { continue };
        missing = missing.max(short);
        let above = |joint: JointId| {
            let parent = skeleton.joint(joint).parent;
            parent.map_or_else(UnitQuaternion::identity, |parent| placed.at(parent).rotation)
        };
        let turned = [
            above(arm.shoulder).inverse() * upper * places[0].rotation,
            (upper * above(arm.elbow)).inverse() * lower * places[1].rotation,
            (lower * above(arm.wrist)).inverse() * goal.rotation,
        ];
        for ((joint, local), constraint) in joints.into_iter().zip(turned).zip(&constraints) {
            let local = if limits && !constraint.is_free() { constraint.project(&local).0 } else { local };
            let was = &mut samples.rotations[joint.index()][frame];
            *was = match was.coords.dot(&local.coords) < 0.0 {
                true => UnitQuaternion::new_unchecked(-local.into_inner()),
                false => local,
            };
        }
    }
    Ok((samples.into_clip(edit)?, missing))
}

/// The pole vector of the elbow in object space, by frame; and the mean axis about which the arm
/// bends, in the frame of the upper arm, or `None` if the arm is always straight.
fn poles(clip: &Clip, arm: ArmJoints, goals: &HandGoals<'_>) -> (Vec<Vector3<f64>>, Option<Vector3<f64>>) {
    let mut placed = ForwardKinematics::new(clip);
    let above = clip.skeleton().joint(arm.shoulder).parent;
    let mut length = 0.0f64;
    // In the frame of the arm's parent, so that turns of the body do not count as turns of the elbow.
    let mut own: Vec<(Vector3<f64>, UnitQuaternion<f64>, Vector3<f64>)> = Vec::with_capacity(clip.frames());
    for frame in 0..clip.frames() {
        placed.place(frame);
        let [a, b, c] = arm.all().map(|joint| placed.position(joint));
        let carried = above.map_or_else(UnitQuaternion::identity, |above| placed.at(above).rotation);
        let line = (c - a).try_normalize(1e-12).unwrap_or_default();
        let off = (b - a) - line * (b - a).dot(&line);
        length = length.max((b - a).norm() + (c - b).norm());
        // The axis about which the arm bends, in the frame of the upper arm; it is averaged over
        // all frames below.
        let axis = placed.at(arm.shoulder).rotation.inverse() * (c - b).cross(&(a - b));
        own.push((carried.inverse() * off, carried, axis));
    }
    let axis = own.iter().map(|(.., axis)| axis).sum::<Vector3<f64>>().try_normalize(1e-12);
    let around = gaussian(&own.iter().map(|(off, ..)| *off).collect::<Vec<_>>(), AROUND * clip.rate().fps());
    let mut poles = Vec::with_capacity(own.len());
    for (frame, ((off, carried, _), around)) in own.into_iter().zip(around).enumerate() {
        placed.place(frame);
        let weight = goals.weights[frame];
        let [a, c] = [arm.shoulder, arm.wrist].map(|joint| placed.position(joint));
        let line = (c - a).try_normalize(1e-12).unwrap_or_default();
        let usual = axis.map(|axis| line.cross(&(placed.at(arm.shoulder).rotation * axis)));
        let usual = usual.and_then(|usual| usual.try_normalize(1e-9)).unwrap_or_default();
        let share = 0.1 + 0.9 * weight;
        poles.push(carried * (off * (1.0 - weight) + around * weight) + usual * (USUAL * length * share));
    }
    (poles, axis)
}

/// The side of an elbow in object space: unit vectors perpendicular to the line from shoulder to hand.
#[derive(Clone, Copy, Debug)]
struct Sides {
    /// Normal of the plane of the arm before it is moved.
    before: Vector3<f64>,
    /// The side at the goal.
    after: Vector3<f64>,
}

/// By frame: the side of the elbow, where it is solved over frames.
fn planned_sides(
    clip: &Clip,
    arm: ArmJoints,
    goals: &HandGoals<'_>,
    poles: &[Vector3<f64>],
) -> Vec<Option<Sides>> {
    let mut planned = vec![None; clip.frames()];
    let fps = clip.rate().fps();
    // The fastest rotation of shoulder or elbow in the motion.
    let by_itself = || {
        let [shoulder, elbow, _] = arm.steps(clip, 0..clip.frames());
        shoulder.max(elbow)
    };
    let limit = goals.steady.unwrap_or_else(by_itself).max(CALM / fps);
    let above = clip.skeleton().joint(arm.shoulder).parent;
    let mut placed = ForwardKinematics::new(clip);
    let has_goal: Vec<bool> = goals.places.iter().map(Option::is_some).collect();
    for run in runs(&has_goal) {
        // One more frame on each side, in which the arm keeps its pose.
        let beside = usize::from(goals.steady.is_none());
        let around = run.start.saturating_sub(beside)..(run.end + beside).min(clip.frames());
        let (mut frames, mut own, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
        for frame in around {
            placed.place(frame);
            let places = [arm.shoulder, arm.elbow, arm.wrist].map(|joint| *placed.at(joint));
            let [a, b, c] = places.map(|place| place.translation.vector);
            let length = (b - a).norm() + (c - b).norm();
            let (goal, pole) = match &goals.places[frame] {
                Some(goal) => (goal, poles[frame]),
                None => (&places[2], b - a),
            };
            let Some(aimed) = aimed(&places, goal, &pole).filter(|_| length > 0.0) else { continue };
            let turn = above.map_or_else(UnitQuaternion::identity, |above| placed.at(above).rotation);
            let fixed = goals.places[frame].is_none();
            // In the frame of the joint above, so that turns of the body do not count.
            let side = |turn: &UnitQuaternion<f64>| ElbowSide {
                line: turn.inverse() * aimed.line,
                pole: turn.inverse() * aimed.pole / length,
                fixed,
            };
            wanted.push(side(&turn));
            own.push(ElbowSide { fixed: false, ..side(&(aimed.aim * turn)) });
            frames.push((frame, turn));
        }
        let Some(sides) = steady_sides(&wanted, fps, limit) else { continue };
        // The plane of the arm before it is moved has to be as steady: the roll of the upper arm is
        // the rotation from that plane to the new one.
        let own_sides = steady_sides(&own, fps, limit)
            .unwrap_or_else(|| own.iter().map(|side| side.pole.normalize()).collect());
        for (((frame, turn), after), (own, side)) in
            frames.into_iter().zip(sides).zip(own.iter().zip(own_sides))
        {
            let sides = Sides { before: turn * own.line.cross(&side), after: turn * after };
            planned[frame] = sides.before.iter().all(|value| value.is_finite()).then_some(sides);
        }
    }
    planned
}

/// An arm that points to a goal.
struct Aimed {
    /// Takes the line from shoulder to wrist to that from shoulder to goal.
    aim: UnitQuaternion<f64>,
    /// Unit vector from shoulder to goal.
    line: Vector3<f64>,
    /// The pole vector, perpendicular to the line.
    pole: Vector3<f64>,
}

impl Aimed {
    /// The sides by the goal of this frame only.
    fn sides(&self) -> Option<Sides> {
        let after = self.pole.try_normalize(1e-12)?;
        Some(Sides { before: self.aim.inverse() * self.line.cross(&after), after })
    }
}

fn aimed([a, _, c]: &[Isometry3<f64>; 3], goal: &Isometry3<f64>, pole: &Vector3<f64>) -> Option<Aimed> {
    let a = a.translation.vector;
    let (was, to) = (c.translation.vector - a, goal.translation.vector - a);
    let aim = UnitQuaternion::rotation_between(&was, &to)?;
    let line = to.try_normalize(1e-12)?;
    let turned = aim * pole;
    Some(Aimed { aim, line, pole: turned - line * turned.dot(&line) })
}

/// The rotations of upper arm and forearm in object space that bring the wrist to a goal in the direction `line`, with the
/// elbow to a side, and the distance by which the arm is too short.
fn bent(
    [a, b, c]: &[Isometry3<f64>; 3],
    goal: &Isometry3<f64>,
    line: &Vector3<f64>,
    Sides { before, after }: &Sides,
) -> Option<(UnitQuaternion<f64>, UnitQuaternion<f64>, f64)> {
    let [a, b, c] = [a, b, c].map(|place| place.translation.vector);
    let (upper, lower) = ((b - a).norm(), (c - b).norm());
    let (was, to) = (c - a, goal.translation.vector - a);
    let most = ((upper + lower) * STRETCHED).max(was.norm().min(upper + lower));
    let far = to.norm().clamp((upper - lower).abs() * 1.001, most);
    let along = (upper * upper - lower * lower + far * far) / (2.0 * far);
    let off = (upper * upper - along * along).max(0.0).sqrt();
    let elbow = a + line * along + after * off;
    let normal = line.cross(after);
    let upper_turn = turn((b - a, *before), (elbow - a, normal))?;
    let lower_turn = turn((c - b, *before), (a + line * far - elbow, normal))?;
    Some((upper_turn, lower_turn, (to.norm() - most).max(0.0)))
}

/// The rotation that takes a bone and the normal of its plane to another pair.
fn turn(
    (from, normal): (Vector3<f64>, Vector3<f64>),
    (to, other): (Vector3<f64>, Vector3<f64>),
) -> Option<UnitQuaternion<f64>> {
    let frame = |bone: Vector3<f64>, normal: Vector3<f64>| {
        let x = bone.try_normalize(1e-12)?;
        let z = (normal - x * normal.dot(&x)).try_normalize(1e-6)?;
        Some(Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, z.cross(&x), z])))
    };
    Some(UnitQuaternion::from_rotation_matrix(&(frame(to, other)? * frame(from, normal)?.inverse())))
}
