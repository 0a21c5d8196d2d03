//! The moving part of a skeleton in metres, in the form that the solver needs: joints that carry markers, and
//! their degrees of freedom.

use mocap_model::{Axis, JointId, Limit, Role, Skeleton, UnitQuaternion, Vector3, exp, log};
use nalgebra::Matrix3;

use crate::SolveError;

/// How a joint can rotate.
#[derive(Clone, Debug)]
pub(crate) enum Turns {
    /// Not at all.
    Fixed,
    /// About any axis.
    Ball,
    /// About one or two axes in sequence, inside a frame.
    Axes { frame: UnitQuaternion<f64>, axes: Vec<Axis>, limits: Vec<Option<Limit>> },
}

/// One joint.
#[derive(Clone, Debug)]
pub(crate) struct BodyJoint {
    /// Index in the skeleton.
    pub(crate) source: usize,
    pub(crate) parent: Option<usize>,
    /// From the parent, in the parent's frame [m].
    pub(crate) offset: Vector3<f64>,
    pub(crate) rest: UnitQuaternion<f64>,
    pub(crate) turns: Turns,
    /// Precision of the rotation from rest, in the frame of the joint at rest [1/rad²].
    pub(crate) stiffness: Matrix3<f64>,
}

/// One degree of freedom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyDof {
    pub(crate) joint: usize,
    pub(crate) kind: DofKind,
    /// The next degree of freedom towards the root.
    pub(crate) above: Option<usize>,
}

/// What a degree of freedom moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum DofKind {
    /// The root along a world axis.
    Translation(usize),
    /// A joint about an axis of its own frame.
    Ball(usize),
    /// A joint about one of its axes, by its place in the sequence.
    Axis(usize),
}

/// Joints, parents first; the first one is the root, which also moves.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) joints: Vec<BodyJoint>,
    /// Ancestors first.
    pub(crate) dofs: Vec<BodyDof>,
    /// By joint: the degrees of freedom that move it, from its own to those of the root.
    pub(crate) chains: Vec<Vec<usize>>,
}

/// A pose: where the root is, and how joints are turned.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State {
    /// Translation of the root, in world space [m].
    pub(crate) translation: Vector3<f64>,
    /// Rotation from rest, by joint.
    pub(crate) turns: Vec<UnitQuaternion<f64>>,
    /// The angles about the axes of joints that have one or two [rad].
    pub(crate) angles: Vec<[f64; 2]>,
}

/// Joints placed in world space.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placed {
    pub(crate) rotation: Vec<Matrix3<f64>>,
    pub(crate) position: Vec<Vector3<f64>>,
    /// The axis of each degree of freedom.
    pub(crate) axis: Vec<Vector3<f64>>,
}

impl Placed {
    /// World position of a point in the frame of a joint.
    #[inline]
    pub(crate) fn of(&self, joint: usize, place: &Vector3<f64>) -> Vector3<f64> {
        self.position[joint] + self.rotation[joint] * place
    }
}

/// Usual rotation of a joint from rest [rad]: the standard deviation of the prior, which holds the joint where
/// no marker determines it.
fn usual_turn(role: Option<Role>) -> f64 {
    match role {
        Some(Role::Spine | Role::Chest | Role::UpperChest | Role::Neck | Role::Head) => 0.3,
        Some(Role::LeftShoulder | Role::RightShoulder) => 0.2,
        Some(Role::LeftHand | Role::RightHand | Role::LeftFoot | Role::RightFoot) => 0.6,
        Some(Role::LeftToes | Role::RightToes) => 0.4,
        Some(
            Role::LeftUpperArm
            | Role::RightUpperArm
            | Role::LeftLowerArm
            | Role::RightLowerArm
            | Role::LeftUpperLeg
            | Role::RightUpperLeg
            | Role::LeftLowerLeg
            | Role::RightLowerLeg,
        ) => 1.2,
        _ => 0.3,
    }
}

/// Greatest number of degrees of freedom: matrices of each frame of a calibration have that number squared. A
/// human body with all fingers has fewer than 250.
pub(crate) const MOST_DOFS: usize = 400;
/// Usual rotation of a knee about axes other than its hinge [rad].
const KNEE_OFF_AXIS: f64 = 0.12;

impl Body {
    /// The part of a skeleton below `root`, with the joints that are on the way to `carriers`. `metres` is its unit,
    /// `lateral` the direction from right to left in its rest pose.
    ///
    /// # Errors
    /// Where it has more degrees of freedom than are solved.
    pub(crate) fn of(
        skeleton: &Skeleton,
        root: JointId,
        carriers: &[JointId],
        metres: f64,
        lateral: &Vector3<f64>,
    ) -> Result<Body, SolveError> {
        let mut needed = vec![false; skeleton.len()];
        needed[root.index()] = true;
        for carrier in carriers {
            let mut at = Some(*carrier);
            while let Some(id) = at.filter(|id| !needed[id.index()]) {
                needed[id.index()] = true;
                at = skeleton.joint(id).parent;
            }
        }
        let rest = rest_rotations(skeleton);
        let mut index = vec![None; skeleton.len()];
        let mut body = Body { joints: Vec::new(), dofs: Vec::new(), chains: Vec::new() };
        for (id, joint) in
            skeleton.iter().filter(|(id, _)| needed[id.index()] && skeleton.is_in_subtree(*id, root))
        {
            let is_root = id == root;
            let parent = joint.parent.filter(|_| !is_root).and_then(|parent| index[parent.index()]);
            index[id.index()] = Some(body.joints.len());
            let local = rest[id.index()].inverse() * lateral;
            let stiffness = match joint.role {
                Some(Role::LeftLowerLeg | Role::RightLowerLeg) => {
                    let (along, across) = (usual_turn(joint.role).powi(-2), KNEE_OFF_AXIS.powi(-2));
                    let hinge = local * local.transpose();
                    hinge * along + (Matrix3::identity() - hinge) * across
                }
                role => Matrix3::identity() * usual_turn(role).powi(-2),
            };
            let dofs = &joint.dofs;
            let turning: Vec<Axis> =
                dofs.order.axes().into_iter().filter(|axis| dofs.rotation[axis.index()]).collect();
            let turns = match turning.len() {
                _ if is_root => Turns::Ball,
                0 => Turns::Fixed,
                1 | 2 => {
                    let limits = turning.iter().map(|axis| dofs.limits[axis.index()]).collect();
                    Turns::Axes { frame: dofs.frame, axes: turning, limits }
                }
                _ => Turns::Ball,
            };
            body.joints.push(BodyJoint {
                source: id.index(),
                parent,
                offset: joint.offset * metres,
                rest: joint.rest_rotation,
                turns,
                stiffness,
            });
        }
        let dofs = |joint: &BodyJoint| match &joint.turns {
            Turns::Fixed => 0,
            Turns::Ball => 3,
            Turns::Axes { axes, .. } => axes.len(),
        };
        // The root also moves.
        let found = 3 + body.joints.iter().map(dofs).sum::<usize>();
        if found > MOST_DOFS {
            return Err(SolveError::TargetSize { found, most: MOST_DOFS });
        }
        body.number_dofs();
        Ok(body)
    }

    fn number_dofs(&mut self) {
        let mut last: Vec<Option<usize>> = Vec::with_capacity(self.joints.len());
        for (at, joint) in self.joints.iter().enumerate() {
            let mut above = joint.parent.and_then(|parent| last[parent]);
            let kinds: Vec<DofKind> = match &joint.turns {
                _ if at == 0 => (0..3).map(DofKind::Translation).chain((0..3).map(DofKind::Ball)).collect(),
                Turns::Fixed => Vec::new(),
                Turns::Ball => (0..3).map(DofKind::Ball).collect(),
                Turns::Axes { axes, .. } => (0..axes.len()).map(DofKind::Axis).collect(),
            };
            for kind in kinds {
                self.dofs.push(BodyDof { joint: at, kind, above });
                above = Some(self.dofs.len() - 1);
            }
            last.push(above);
        }
        self.chains = last
            .into_iter()
            .map(|mut at| {
                let mut chain = Vec::new();
                while let Some(dof) = at {
                    chain.push(dof);
                    at = self.dofs[dof].above;
                }
                chain
            })
            .collect();
    }

    /// The joint of the body that a joint of the skeleton is.
    pub(crate) fn find(&self, source: JointId) -> Option<usize> {
        self.joints.iter().position(|joint| joint.source == source.index())
    }

    /// The rest pose, with the root at the origin.
    pub(crate) fn rest(&self) -> State {
        State {
            translation: Vector3::zeros(),
            turns: vec![UnitQuaternion::identity(); self.joints.len()],
            angles: vec![[0.0; 2]; self.joints.len()],
        }
    }

    /// Places all joints and axes.
    pub(crate) fn place(&self, state: &State, placed: &mut Placed) {
        placed.rotation.resize(self.joints.len(), Matrix3::identity());
        placed.position.resize(self.joints.len(), Vector3::zeros());
        placed.axis.clear();
        for (at, joint) in self.joints.iter().enumerate() {
            let (above, position) = match joint.parent {
                Some(parent) => {
                    let above = placed.rotation[parent];
                    (above, placed.position[parent] + above * joint.offset)
                }
                None => {
                    placed.axis.extend([Vector3::x(), Vector3::y(), Vector3::z()]);
                    (Matrix3::identity(), state.translation)
                }
            };
            let local = joint.rest * state.turns[at];
            let rotation = above * local.to_rotation_matrix().matrix();
            match &joint.turns {
                Turns::Fixed => {}
                Turns::Ball => placed.axis.extend((0..3).map(|axis| Vector3::from(rotation.column(axis)))),
                Turns::Axes { frame, axes, .. } => {
                    let mut turned = joint.rest * frame;
                    for (place, axis) in axes.iter().enumerate() {
                        placed.axis.push(above * (turned * axis.unit().into_inner()));
                        turned *= UnitQuaternion::from_axis_angle(&axis.unit(), state.angles[at][place]);
                    }
                }
            }
            placed.rotation[at] = rotation;
            placed.position[at] = position;
        }
    }

    /// Moves the state by `step`, one number per degree of freedom [m, rad].
    pub(crate) fn step(&self, state: &State, step: &[f64], moved: &mut State) {
        moved.clone_from(state);
        let mut at = 0;
        for (index, joint) in self.joints.iter().enumerate() {
            if index == 0 {
                moved.translation += Vector3::from_column_slice(&step[..3]);
                at = 3;
            }
            match &joint.turns {
                Turns::Fixed => {}
                Turns::Ball => {
                    moved.turns[index] =
                        state.turns[index] * exp(&Vector3::from_column_slice(&step[at..at + 3]));
                    at += 3;
                }
                Turns::Axes { frame, axes, .. } => {
                    for place in 0..axes.len() {
                        moved.angles[index][place] += step[at];
                        at += 1;
                    }
                    moved.turns[index] = turn_of(frame, axes, &moved.angles[index]);
                }
            }
        }
    }

    /// Interpolates two states.
    pub(crate) fn between(&self, a: &State, b: &State, share: f64) -> State {
        let mut state = a.clone();
        state.translation = a.translation.lerp(&b.translation, share);
        for (at, joint) in self.joints.iter().enumerate() {
            match &joint.turns {
                Turns::Fixed => {}
                Turns::Ball => {
                    let whole = log(&(a.turns[at].inverse() * b.turns[at]));
                    state.turns[at] = a.turns[at] * exp(&(whole * share));
                }
                Turns::Axes { frame, axes, .. } => {
                    for place in 0..axes.len() {
                        let (from, to) = (a.angles[at][place], b.angles[at][place]);
                        state.angles[at][place] = from + (to - from) * share;
                    }
                    state.turns[at] = turn_of(frame, axes, &state.angles[at]);
                }
            }
        }
        state
    }
}

fn turn_of(frame: &UnitQuaternion<f64>, axes: &[Axis], angles: &[f64; 2]) -> UnitQuaternion<f64> {
    let turned = axes.iter().zip(angles).fold(UnitQuaternion::identity(), |turned, (axis, angle)| {
        turned * UnitQuaternion::from_axis_angle(&axis.unit(), *angle)
    });
    frame * turned * frame.inverse()
}

/// The rotations of all joints in object space at rest.
pub(crate) fn rest_rotations(skeleton: &Skeleton) -> Vec<UnitQuaternion<f64>> {
    let mut rest: Vec<UnitQuaternion<f64>> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let above = joint.parent.map_or(UnitQuaternion::identity(), |parent| rest[parent.index()]);
        rest.push(above * joint.rest_rotation);
    }
    rest
}

/// The places of all joints in object space at rest [units of the skeleton].
pub(crate) fn rest_places(skeleton: &Skeleton) -> Vec<Vector3<f64>> {
    let rest = rest_rotations(skeleton);
    let mut places: Vec<Vector3<f64>> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        places.push(match joint.parent {
            Some(parent) => places[parent.index()] + rest[parent.index()] * joint.offset,
            None => joint.offset,
        });
    }
    places
}
