//! The skeleton of a clip as a body: roles, directions, feet, unit.

use std::borrow::Cow;
use std::sync::Arc;

use mocap_analysis::{ContactOptions, Foot, FootContacts, FootMotion, feet_of, guess_unit};
use mocap_model::{Clip, JointId, Role, Skeleton, UnitQuaternion, Vector3};
use mocap_retarget::map_roles_in;
use nalgebra::Unit;

/// A skeleton with roles, and the directions of its space.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// The skeleton with the roles that were found with certainty.
    pub(crate) skeleton: Arc<Skeleton>,
    pub(crate) up: Vector3<f64>,
    pub(crate) forward: Vector3<f64>,
    /// Towards the body's left: up × forward.
    pub(crate) lateral: Vector3<f64>,
    /// The length of a unit \[m\], if it is stated or can be inferred from the size of the body.
    pub(crate) metres: Option<f64>,
    pub(crate) feet: Vec<Foot>,
    /// The joint that carries the trunk: the hips, else the first root.
    pub(crate) hips: JointId,
}

impl Body {
    pub(crate) fn of(clip: &Clip) -> Body {
        let skeleton = Arc::new(map_roles_in(clip).certain().apply(clip.skeleton()));
        let space = skeleton.space();
        let (up, forward) = (space.up.vector(), space.forward.vector());
        let unit = space.unit.or_else(|| guess_unit(&skeleton));
        let hips = skeleton.with_role(Role::Hips).unwrap_or(JointId(0));
        let feet = feet_of(&skeleton);
        let metres = unit.map(|unit| unit.metres);
        Body { up, forward, lateral: up.cross(&forward), metres, feet, hips, skeleton }
    }

    /// Whether joints turn only about fixed axes, as those of a robot do: legs cannot be solved as of free joints.
    pub(crate) fn has_hinges(&self) -> bool {
        self.skeleton.robot().is_some()
    }

    /// Whether feet can be locked: there are feet, lengths have a unit, and legs can be solved as of free joints.
    pub(crate) fn locks_feet(&self) -> bool {
        !self.feet.is_empty() && self.metres.is_some() && !self.has_hinges()
    }

    /// The part of a vector along the ground.
    pub(crate) fn on_ground(&self, v: &Vector3<f64>) -> Vector3<f64> {
        v - self.up * v.dot(&self.up)
    }

    /// A turn about the up axis [rad].
    pub(crate) fn turn(&self, angle: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::from_axis_angle(&Unit::new_unchecked(self.up), angle)
    }

    /// The direction of a vector about the up axis, 0 along forward; `None` where it is vertical.
    pub(crate) fn heading_of(&self, v: &Vector3<f64>) -> Option<f64> {
        let (ahead, left) = (v.dot(&self.forward), v.dot(&self.lateral));
        (ahead.hypot(left) > 1e-9 * v.norm() && v.norm() > 0.0).then(|| left.atan2(ahead))
    }

    /// Metres of a unit; 1 where the unit is unknown.
    pub(crate) fn metres_or_one(&self) -> f64 {
        self.metres.unwrap_or(1.0)
    }

    /// The clip with the roles of the body. Contact detection needs the hips, because its thresholds depend on their
    /// speed.
    pub(crate) fn named<'c>(&self, clip: &'c Clip) -> Cow<'c, Clip> {
        let roles = [Role::Hips, Role::LeftUpperLeg, Role::RightUpperLeg];
        let has = |role: &Role| clip.skeleton().with_role(*role) == self.skeleton.with_role(*role);
        match roles.iter().all(has) || clip.skeleton().len() != self.skeleton.len() {
            true => Cow::Borrowed(clip),
            false => {
                let named = clip.clone().with_skeleton(self.skeleton.clone());
                named.map_or(Cow::Borrowed(clip), Cow::Owned)
            }
        }
    }

    /// The contacts of each foot; `None` without feet or unit.
    pub(crate) fn contacts(&self, clip: &Clip) -> Option<Vec<(FootMotion, FootContacts)>> {
        self.metres?;
        if self.feet.is_empty() || clip.frames() == 0 {
            return None;
        }
        let motions = FootMotion::of(&self.named(clip), &self.feet);
        let options = ContactOptions::default();
        let found = motions.into_iter().map(|motion| {
            let contacts = motion.contacts(&options);
            (motion, contacts)
        });
        Some(found.collect())
    }
}
