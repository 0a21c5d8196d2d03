//! Goals: positions and orientations of some joints over time, with gaps.

use std::ops::Range;

use crate::body::Body;
use crate::report::PointLeftOut;
use crate::{PosesError, Quat, Vec3};
use mocap_model::{FrameRate, JointId, Markers, Role, SignedAxis, Skeleton, Unit, rotation_between};

/// A goal for a joint in a frame, in object space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The joint.
    pub joint: JointId,
    /// Its position [units of the skeleton].
    pub position: Option<Vec3>,
    /// Its orientation, as forward kinematics gives it.
    pub orientation: Option<Quat>,
}

/// Goals over time: points and trackers with the names of joints, or of their roles.
#[derive(Clone, Debug, PartialEq)]
pub struct Goals {
    /// Frames per second.
    pub rate: FrameRate,
    /// The names of the points.
    pub names: Vec<String>,
    /// `frames × points`
    pub positions: Vec<Option<Vec3>>,
    /// `frames × points`: orientations in space, identity in the rest pose of the skeleton.
    pub orientations: Vec<Option<Quat>>,
    /// The unit of the positions; `None` if it is not stated.
    pub unit: Option<Unit>,
}

/// Goals assigned to the joints of a skeleton.
#[derive(Clone, Debug)]
pub(crate) struct JointGoals {
    /// By frame.
    pub(crate) frames: Vec<Vec<Goal>>,
    /// The joint of each point, or why it has none.
    pub(crate) joints: Vec<Result<JointId, PointLeftOut>>,
}

impl Goals {
    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.positions.len().checked_div(self.names.len()).unwrap_or(0)
    }

    /// The markers of a recording, as points.
    pub fn of_markers(markers: &Markers) -> Goals {
        let count = markers.names().len();
        let at = |at: usize| markers.position(at / count, at % count);
        let positions: Vec<Option<Vec3>> = (0..markers.frames() * count).map(at).collect();
        Goals {
            rate: markers.rate(),
            names: markers.names().to_vec(),
            orientations: vec![None; positions.len()],
            positions,
            unit: markers.space().unit,
        }
    }

    /// The goals of some frames.
    ///
    /// # Panics
    /// If the range is not within the goals.
    #[must_use]
    pub fn trimmed(mut self, frames: Range<usize>) -> Goals {
        let count = self.names.len();
        let kept = frames.start * count..frames.end * count;
        self.positions = self.positions[kept.clone()].to_vec();
        self.orientations = self.orientations[kept].to_vec();
        self
    }

    /// The same goals in axes with another up axis.
    #[must_use]
    pub fn with_up(mut self, from: SignedAxis, to: SignedAxis) -> Goals {
        if from != to {
            let turn = rotation_between(&from.vector(), &to.vector());
            self.positions.iter_mut().flatten().for_each(|position| *position = turn * *position);
            self.orientations.iter_mut().flatten().for_each(|own| *own = turn * *own * turn.inverse());
        }
        self
    }

    /// Number of points with the name of a joint or of its role.
    pub fn named(&self, skeleton: &Skeleton) -> usize {
        self.names.iter().filter(|name| joint_named(skeleton, name).is_some()).count()
    }

    /// Number of points with the name of a role.
    pub fn roles(&self) -> usize {
        self.names.iter().filter(|name| own_name(name).parse::<Role>().is_ok()).count()
    }

    /// The goals for the joints of a body's pose. `scale` is the length of a unit of the goals in units of the
    /// skeleton.
    ///
    /// # Errors
    /// Where no point has the name of such a joint.
    pub(crate) fn on(&self, body: &Body, scale: f64) -> Result<JointGoals, PosesError> {
        let skeleton = &*body.skeleton;
        let mut joints: Vec<Result<JointId, PointLeftOut>> = Vec::with_capacity(self.names.len());
        for name in &self.names {
            let joint = match joint_named(skeleton, name) {
                None => Err(PointLeftOut::Unknown),
                Some(joint) if body.joints.binary_search(&joint).is_err() => Err(PointLeftOut::NotPosed),
                // Of two points for one joint the first counts.
                Some(joint) if joints.contains(&Ok(joint)) => Err(PointLeftOut::Twice),
                Some(joint) => Ok(joint),
            };
            joints.push(joint);
        }
        if joints.iter().all(Result::is_err) {
            let names: Vec<&str> = self.names.iter().map(String::as_str).take(6).collect();
            return Err(PosesError::NoGoals { count: self.names.len(), names: names.join(", ") });
        }
        let rest = rest_rotations(skeleton);
        let count = self.names.len();
        let frame = |frame: usize| {
            let goal = |(place, joint): (usize, &Result<JointId, PointLeftOut>)| {
                let (joint, at) = (joint.ok()?, frame * count + place);
                let position = self.positions[at].map(|position| position * scale);
                let orientation = self.orientations[at].map(|turn| turn * rest[joint.index()]);
                (position.is_some() || orientation.is_some()).then_some(Goal { joint, position, orientation })
            };
            let mut goals: Vec<Goal> = joints.iter().enumerate().filter_map(goal).collect();
            goals.sort_by_key(|goal| goal.joint);
            goals
        };
        Ok(JointGoals { frames: (0..self.frames()).map(frame).collect(), joints })
    }
}

/// The joint of a name or role; names of markers may have a subject before a colon.
fn joint_named(skeleton: &Skeleton, name: &str) -> Option<JointId> {
    [name, own_name(name)].into_iter().find_map(|name| skeleton.find_by_name_or_role(name))
}

fn own_name(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

/// The rotation of each joint in object space in the rest pose.
pub(crate) fn rest_rotations(skeleton: &Skeleton) -> Vec<Quat> {
    let mut all: Vec<Quat> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let above = joint.parent.map_or_else(Quat::identity, |parent| all[parent.index()]);
        all.push(above * joint.rest_rotation);
    }
    all
}
