//! How the joints of a motion turn: which are hinges, about which axes, and how they are at rest.

use mocap_model::{Clip, Joint, JointId, Track, UnitQuaternion, Vector3};
use nalgebra::Matrix3;

use crate::hinge_names::Named;

/// Number of frames that are looked at, over the whole motion.
pub(crate) const FRAMES: usize = 64;
/// A joint turns about one axis if it never turns further off it, and does not turn if by less \[rad\]: numbers in files
/// are rounded.
const OFF_AXIS: f64 = 1e-3;
/// How far the turns of a joint are from being in step with those of another for its axis to be seen \[rad\]. Between two
/// poses, and within moments, all joints of anyone turn about one axis each, in step; only a hinge stays on its axis where
/// it does not.
const SEEN: f64 = 10.0 * OFF_AXIS;
/// Fewest hinges between trunk and knee of a robot. Legs of people have one joint there, or a hip bone that does not turn
/// and one.
pub(crate) const HIP: usize = 2;
/// A robot has at most this many ends of its tree: fingers, feet, head and what is mounted. Finding limbs compares each
/// with each.
const TIPS: usize = 40;

/// How a joint turns over a motion.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turn {
    /// In the frame of the joint; `None` where it is not known.
    pub(crate) axis: Option<Vector3<f64>>,
    /// Whether the joint turns over the motion.
    pub(crate) turns: bool,
    /// Whether the motion shows that it turns about that axis only.
    seen: bool,
    /// In the frame of its parent: a rotation that the joint can have, the nearest to that of the file at rest.
    pub(crate) rest: UnitQuaternion<f64>,
    /// The turn from rest at which the joint stays all the time, if it does.
    held: Option<Vector3<f64>>,
    pub(crate) name: Named,
}

impl Turn {
    /// The turn of a joint, and its angles by frame; `None` where it turns about more than one axis and its name does not
    /// say that it is a hinge.
    fn of(clip: &Clip, id: JointId) -> Option<(Turn, Vec<f64>)> {
        let joint = clip.skeleton().joint(id);
        let name = Named::of(&joint.name);
        let track = &clip.track(id).rotation;
        let Track::Sampled(samples) = track else {
            return Some((Turn::still(joint, track.at(0), name), Vec::new()));
        };
        let count = samples.len().min(FRAMES);
        let first = samples[0];
        let turn = |at: usize| (first.inverse() * samples[at * samples.len() / count]).scaled_axis();
        let turns: Vec<Vector3<f64>> = (0..count).map(turn).collect();
        if turns.iter().all(|turn| turn.norm() < OFF_AXIS) {
            return Some((Turn::still(joint, first, name), Vec::new()));
        }
        let spread: Matrix3<f64> = turns.iter().map(|turn| turn * turn.transpose()).sum();
        let eigen = spread.symmetric_eigen();
        let axis: Vector3<f64> = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
        let off = |turn: &Vector3<f64>| (turn - axis * axis.dot(turn)).norm();
        if name != Named::Axis && turns.iter().any(|turn| off(turn) > OFF_AXIS) {
            return None;
        }
        let from_rest = (joint.rest_rotation.inverse() * first).scaled_axis();
        let rest = match off(&from_rest) < OFF_AXIS {
            true => joint.rest_rotation,
            false => nearest_turned(&first, &axis, &joint.rest_rotation),
        };
        let angles = turns.iter().map(|turn| axis.dot(turn)).collect();
        Some((Turn { axis: Some(axis), turns: true, seen: false, rest, held: None, name }, angles))
    }

    fn still(joint: &Joint, rotation: UnitQuaternion<f64>, name: Named) -> Turn {
        let from_rest = (joint.rest_rotation.inverse() * rotation).scaled_axis();
        let (rest, held) = match from_rest.norm() < OFF_AXIS {
            true => (joint.rest_rotation, None),
            false => (rotation, Some(from_rest)),
        };
        Turn { axis: None, turns: false, seen: false, rest, held, name }
    }

    /// Whether motion or name show a hinge.
    pub(crate) fn is_hinge(&self) -> bool {
        self.seen || self.name == Named::Axis
    }
}

/// The rotation nearest to another among those that a joint with the rotation `first` can turn to about an axis.
fn nearest_turned(
    first: &UnitQuaternion<f64>,
    axis: &Vector3<f64>,
    other: &UnitQuaternion<f64>,
) -> UnitQuaternion<f64> {
    /// Half turns about an axis across are as far from all: quarter turns from the other rotation tell these apart.
    const LEAST: f64 = 0.1;
    let quarters = [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()];
    let quarters = quarters.map(|axis| UnitQuaternion::from_axis_angle(&axis, std::f64::consts::FRAC_PI_2));
    let turn = |quarter: UnitQuaternion<f64>| {
        let q = first.inverse() * other * quarter;
        let along = q.imag().dot(axis);
        (q.w.hypot(along) > LEAST).then(|| 2.0 * along.atan2(q.w))
    };
    let turn = std::iter::once(UnitQuaternion::identity()).chain(quarters).find_map(turn);
    first * UnitQuaternion::new(axis * turn.unwrap_or(0.0))
}

/// The turns of all joints of a motion.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Turns(pub(crate) Vec<Turn>);

impl Turns {
    /// The turns of a tree in which each joint below the base may be a hinge or fixed; `None` for others.
    pub(crate) fn of(clip: &Clip) -> Option<Turns> {
        let skeleton = clip.skeleton();
        let is_tree = skeleton.roots().count() == 1 && skeleton.len() > 2 * HIP;
        let slides = |id: JointId, joint: &Joint| {
            let track = clip.track(id).translation.as_ref();
            joint.parent.is_some() && track.is_some_and(Track::is_sampled)
        };
        let tips = skeleton.iter().filter(|(id, _)| skeleton.children(*id).is_empty()).count();
        let cannot = !is_tree || clip.frames() == 0 || tips > TIPS;
        if cannot || skeleton.iter().any(|(id, joint)| slides(id, joint)) {
            return None;
        }
        let of = |(id, joint): (JointId, &Joint)| match joint.parent {
            Some(_) => Turn::of(clip, id),
            None => Some((Turn::still(joint, joint.rest_rotation, Named::Other), Vec::new())),
        };
        let (mut turns, angles): (Vec<Turn>, Vec<Vec<f64>>) =
            skeleton.iter().map(of).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        for (turn, seen) in turns.iter_mut().zip(out_of_step(&angles)) {
            turn.seen = seen;
        }
        // A joint that stays still is a hinge where one like it turns, such as that of the other arm.
        let shapes = shapes(clip);
        let turning: Vec<Shape> =
            turns.iter().zip(&shapes).filter(|(turn, _)| turn.turns).map(|(_, shape)| *shape).collect();
        for (turn, shape) in turns.iter_mut().zip(&shapes) {
            if !turn.turns && turn.name == Named::Other && turning.iter().any(|other| shape.is_as(other)) {
                turn.name = Named::Joint;
            }
        }
        Some(Turns(turns))
    }

    /// Whether there are as many hinges as the hips of a robot have.
    pub(crate) fn may_have_legs(&self) -> bool {
        self.0.iter().filter(|turn| turn.is_hinge()).count() >= 2 * HIP
    }

    /// The turns with hinges that are held off their rest put back to it; `None` where there are none. Such a joint may be
    /// fixed instead: a frame that is mounted otherwise than the file has it at rest.
    pub(crate) fn held_at_rest(&self, clip: &Clip) -> Option<Turns> {
        let mut turns = self.clone();
        let mut any = false;
        for (turn, joint) in turns.0.iter_mut().zip(clip.skeleton().joints()) {
            let Some(held) = turn.held.filter(|_| turn.name != Named::Other) else { continue };
            any = true;
            turn.rest = joint.rest_rotation;
            turn.axis = (held.norm() > SEEN).then(|| held.normalize());
        }
        any.then_some(turns)
    }
}

/// By joint: whether its angles are not in step with those of another joint. Joints that do not turn have no angles.
fn out_of_step(angles: &[Vec<f64>]) -> Vec<bool> {
    let centred: Vec<Vec<f64>> = angles
        .iter()
        .map(|angles| {
            let mean = angles.iter().sum::<f64>() / angles.len().max(1) as f64;
            angles.iter().map(|angle| angle - mean).collect()
        })
        .collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let left = |own: &[f64], other: &[f64]| {
        let share = dot(own, other) / dot(other, other).max(f64::MIN_POSITIVE);
        own.iter().zip(other).map(|(own, other)| (own - share * other).abs()).fold(0.0, f64::max)
    };
    let most = |of: &dyn Fn(&Vec<f64>) -> f64| {
        centred.iter().max_by(|a, b| of(a).total_cmp(&of(b))).map_or(&[][..], Vec::as_slice)
    };
    // What is in step with neither of two that are not in step with each other is not in step with one of them.
    let first = most(&|own| dot(own, own));
    let second = most(&|own| left(own, first));
    if left(second, first) < SEEN {
        return vec![false; angles.len()];
    }
    centred.iter().map(|own| left(own, first).max(left(own, second)) >= SEEN).collect()
}

/// Where a joint is in the tree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Shape {
    /// Joints above it.
    depth: usize,
    /// Joints below it.
    below: usize,
    /// The length of its offset.
    length: f64,
}

impl Shape {
    fn is_as(&self, other: &Shape) -> bool {
        let near = (self.length - other.length).abs() <= 1e-3 * self.length.max(other.length);
        self.depth == other.depth && self.below == other.below && near
    }
}

/// By joint.
fn shapes(clip: &Clip) -> Vec<Shape> {
    let skeleton = clip.skeleton();
    let mut shapes = vec![Shape::default(); skeleton.len()];
    for (id, joint) in skeleton.iter() {
        let depth = joint.parent.map_or(0, |parent| shapes[parent.index()].depth + 1);
        shapes[id.index()] = Shape { depth, below: 0, length: joint.offset.norm() };
    }
    for (id, joint) in skeleton.iter().rev() {
        let below = shapes[id.index()].below + 1;
        if let Some(parent) = joint.parent {
            shapes[parent.index()].below += below;
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_that_turn_in_step_show_no_axes() {
        let eased = |by: f64| (0..30).map(|k| by * (k as f64 / 29.0).powi(2)).collect::<Vec<f64>>();
        let steady: Vec<f64> = (0..30).map(|k| 0.02 * k as f64).collect();
        assert_eq!(out_of_step(&[eased(1.0), eased(-0.3), Vec::new()]), [false; 3]);
        // One that is not in step with the others shows all of them but a small one.
        let all = [eased(1.0), eased(-0.3), steady, eased(0.001), Vec::new()];
        assert_eq!(out_of_step(&all), [true, true, true, false, false]);
        // Two frames are always in step.
        assert_eq!(out_of_step(&[vec![0.0, 1.0], vec![0.0, -0.4]]), [false; 2]);
        assert_eq!(out_of_step(&[]), [false; 0]);
    }

    #[test]
    fn the_nearest_rotation_of_a_hinge_does_not_depend_on_where_it_is() {
        let axis = Vector3::new(0.6, 0.0, 0.8);
        for mount in [Vector3::zeros(), Vector3::new(1.5, 0.3, -0.2), Vector3::y() * std::f64::consts::PI] {
            let mount = UnitQuaternion::new(mount);
            let at = |angle: f64| mount * UnitQuaternion::new(axis * angle);
            let [a, b] =
                [0.3, -1.2].map(|angle| nearest_turned(&at(angle), &axis, &UnitQuaternion::identity()));
            assert!(a.angle_to(&b) < 1e-9, "{mount:?}");
            let off = |angle: f64| at(angle).angle();
            assert!((0..628).all(|k| off(f64::from(k) * 0.01) >= a.angle() - 1e-9), "{mount:?}");
        }
    }
}
