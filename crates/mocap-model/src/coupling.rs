//! Linear relations between the angles of joints: `aᵀθ = b` and `aᵀθ ≤ b`.

use crate::{Axis, JointId, ModelError, SignedAxis, Skeleton};

/// Angles of joints that move together, such as those of a spine that shares its bend.
///
/// ```
/// use mocap_model::{Axis, Coupling, CoupledAngle, JointId, Relation};
///
/// // The second joint bends about X as the first does.
/// let angle = |joint, factor| CoupledAngle { joint: JointId(joint), axis: Axis::X, factor };
/// let angles = vec![angle(0, 1.0), angle(1, -1.0)];
/// let bend = Coupling { name: "spine".into(), angles, relation: Relation::Equal, value: 0.0 };
/// assert_eq!(bend.excess(&[0.3, 0.2]), 0.3 - 0.2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Unique in the skeleton.
    pub name: String,
    /// The angles and their factors; at least one.
    pub angles: Vec<CoupledAngle>,
    /// How the sum of the angles times their factors relates to the value.
    pub relation: Relation,
    /// The value \[rad\].
    pub value: f64,
}

/// A joint angle in a coupling: an angle of [`Dofs`](crate::Dofs), measured as its limits are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoupledAngle {
    /// The joint.
    pub joint: JointId,
    /// The axis about which it turns.
    pub axis: Axis,
    /// How much the angle counts; not 0.
    pub factor: f64,
}

/// How a sum relates to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// It equals the value.
    Equal,
    /// It is at most the value.
    AtMost,
}

impl Coupling {
    /// The violation of the relation \[rad\] by angles in the order of [`Coupling::angles`]: the weighted sum minus the
    /// value, 0 where the relation holds.
    pub fn excess(&self, angles: &[f64]) -> f64 {
        let sum: f64 = self.angles.iter().zip(angles).map(|(own, angle)| own.factor * angle).sum();
        match self.relation {
            Relation::Equal => sum - self.value,
            Relation::AtMost => (sum - self.value).max(0.0),
        }
    }

    /// Whether the joints of a skeleton can keep it.
    pub(crate) fn check(&self, skeleton: &Skeleton) -> Result<(), ModelError> {
        let wrong = |reason: String| Err(ModelError::Coupling { coupling: self.name.clone(), reason });
        if self.angles.is_empty() {
            return wrong("it couples no angle".into());
        }
        if !self.value.is_finite() {
            return wrong("its value is not a number".into());
        }
        let (mut least, mut most) = (0.0, 0.0);
        for (at, angle) in self.angles.iter().enumerate() {
            let Some(joint) = skeleton.joints().get(angle.joint.index()) else {
                return wrong(format!("it names joint {}, which does not exist", angle.joint.index()));
            };
            let (name, axis) = (&joint.name, angle.axis.letter());
            if !(angle.factor.is_finite() && angle.factor != 0.0) {
                return wrong(format!("the factor of '{name}' about {axis} is {}", angle.factor));
            }
            if self.angles[..at].iter().any(|other| (other.joint, other.axis) == (angle.joint, angle.axis)) {
                return wrong(format!("it has the angle of '{name}' about {axis} twice"));
            }
            if joint.end_site || !joint.dofs.rotation[angle.axis.index()] {
                return wrong(format!("'{name}' does not turn about {axis}"));
            }
            let limit = joint.dofs.limits[angle.axis.index()];
            let [min, max] = limit.map_or([f64::NEG_INFINITY, f64::INFINITY], |limit| [limit.min, limit.max]);
            let ends = [min * angle.factor, max * angle.factor];
            least += ends[0].min(ends[1]);
            most += ends[0].max(ends[1]);
        }
        if least > self.value || (self.relation == Relation::Equal && most < self.value) {
            let [least, most, value] = [least, most, self.value].map(f64::to_degrees);
            return wrong(format!(
                "the limits of its joints allow {least:.1}° to {most:.1}°, and it asks for {value:.1}°"
            ));
        }
        Ok(())
    }

    /// The same coupling of other joints; `None` where one of them is gone.
    pub fn with_joints(&self, mut place: impl FnMut(JointId) -> Option<JointId>) -> Option<Coupling> {
        let moved = |angle: &CoupledAngle| Some(CoupledAngle { joint: place(angle.joint)?, ..*angle });
        Some(Coupling { angles: self.angles.iter().map(moved).collect::<Option<_>>()?, ..self.clone() })
    }

    /// The same coupling after a change of axes: `image[i]` is where axis `i` goes.
    pub(crate) fn with_axes(&self, image: [SignedAxis; 3]) -> Coupling {
        let turned = |angle: &CoupledAngle| {
            let SignedAxis { axis, negative } = image[angle.axis.index()];
            CoupledAngle { axis, factor: if negative { -angle.factor } else { angle.factor }, ..*angle }
        };
        Coupling { angles: self.angles.iter().map(turned).collect(), ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Joint, Limit, Space, Vector3};

    fn spine(limit: Option<Limit>) -> Skeleton {
        let mut joints: Vec<Joint> = (0..3)
            .map(|i| Joint::new(format!("s{i}"), (i > 0).then(|| JointId(i - 1)), Vector3::y()))
            .collect();
        joints[1].dofs.limits[0] = limit;
        joints[2].dofs.rotation[1] = false;
        Skeleton::new("spine", Space::default(), joints).unwrap()
    }

    fn coupling(angles: &[(u32, Axis, f64)], relation: Relation, value: f64) -> Coupling {
        let angle = |(joint, axis, factor): &(u32, Axis, f64)| CoupledAngle {
            joint: JointId(*joint),
            axis: *axis,
            factor: *factor,
        };
        Coupling { name: "bend".into(), angles: angles.iter().map(angle).collect(), relation, value }
    }

    #[test]
    fn couplings_that_no_pose_keeps_are_refused() {
        use Axis::{X, Y};
        use Relation::{AtMost, Equal};
        let narrow = spine(Some(Limit { min: -0.1, max: 0.1 }));
        let refused = |coupling: Coupling| match narrow.clone().with_couplings(vec![coupling]) {
            Err(ModelError::Coupling { reason, .. }) => reason,
            other => panic!("{other:?}"),
        };
        assert!(refused(coupling(&[], Equal, 0.0)).contains("no angle"));
        assert!(refused(coupling(&[(9, X, 1.0)], Equal, 0.0)).contains("joint 9"));
        assert!(refused(coupling(&[(0, X, 0.0)], Equal, 0.0)).contains("factor"));
        assert!(refused(coupling(&[(0, X, 1.0), (0, X, 2.0)], Equal, 0.0)).contains("twice"));
        assert!(refused(coupling(&[(2, Y, 1.0)], Equal, 0.0)).contains("does not turn about Y"));
        assert!(refused(coupling(&[(1, X, 1.0)], Equal, f64::NAN)).contains("not a number"));
        assert!(refused(coupling(&[(1, X, 2.0)], Equal, 0.3)).contains("11.5°"));
        assert!(refused(coupling(&[(1, X, -1.0)], AtMost, -0.2)).contains("-5.7° to 5.7°"));
        let fine = coupling(&[(0, X, 1.0), (1, X, -1.0)], Equal, 0.0);
        assert_eq!(
            narrow.clone().with_couplings(vec![fine.clone()]).unwrap().couplings(),
            std::slice::from_ref(&fine)
        );
        let twice = narrow.with_couplings(vec![fine.clone(), fine]);
        assert!(matches!(twice, Err(ModelError::DuplicateName { .. })));
    }

    #[test]
    fn couplings_follow_their_joints_and_axes() {
        let skeleton = spine(None);
        let own = coupling(&[(0, Axis::X, 1.0), (2, Axis::Z, -0.5)], Relation::Equal, 0.2);
        let skeleton = skeleton.with_couplings(vec![own.clone()]).unwrap();
        assert_eq!(skeleton.scaled(2.0).unwrap().couplings(), std::slice::from_ref(&own));
        let z_up =
            Space { up: SignedAxis::Z, forward: SignedAxis { axis: Axis::Y, negative: true }, unit: None };
        let turned = skeleton.in_space(z_up).unwrap();
        let found = &turned.couplings()[0];
        // Y up, Z forward to Z up, -Y forward: X stays, Z goes to -Y.
        assert_eq!((found.angles[0].axis, found.angles[0].factor), (Axis::X, 1.0));
        assert_eq!((found.angles[1].axis, found.angles[1].factor), (Axis::Y, 0.5));
        assert_eq!(own.with_joints(|id| (id.0 != 2).then_some(id)), None);
    }
}
