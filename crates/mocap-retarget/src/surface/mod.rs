//! Bodies with a surface: keeps arms outside of it, and measures contacts and interpenetration.

mod arm;
mod beside;
mod between;
mod body_in_motion;
mod body_surface;
mod contact_goals;
mod contacts;
mod correspondence;
mod exit;
mod exit_choice;
mod fade;
mod held_arm;
mod keys;
mod nearby;
mod own_view;
mod people_meter;
mod push;
mod report;
mod solve;
mod stage;
mod symmetry;

pub use beside::{BodyBeside, BodyPart, PosedBeside, apart_along, nearest};
pub use held_arm::ForearmInside;
pub use people_meter::{PeopleMeter, PosedParts};
pub use report::{LegsInside, SurfaceContactReport, SurfaceFrames, SurfaceReport};

use crate::RoleMap;
use crate::pair::TargetLimits;
use body_in_motion::Partner;
use body_surface::BodySurface;
pub use body_surface::SurfaceShape;
pub(crate) use contacts::HandsOnBody;
use contacts::{ArmContacts, Touch};
use mocap_ik::Constraint;
use mocap_model::{Body, Clip, ModelError, SignedAxis, Skeleton};
pub(crate) use stage::Apart;
use std::sync::Arc;

/// The surface of a target, prepared once: arms are kept out of its trunk, head and legs, and reports are
/// measured on it.
#[derive(Clone)]
pub struct TargetSurface {
    body: Arc<BodySurface>,
    /// Which frames are measured.
    pub frames: SurfaceFrames,
    /// Whether it stands in for an unknown surface: then it shows where hands touch, but not when.
    pub stands_in: bool,
}

impl PartialEq for TargetSurface {
    /// Equal only if they are the same prepared surface.
    fn eq(&self, other: &TargetSurface) -> bool {
        Arc::ptr_eq(&self.body, &other.body) && self.frames == other.frames
    }
}

impl std::fmt::Debug for TargetSurface {
    /// Shows the size only: the other fields would fill pages.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TargetSurface")
            .field("vertices", &self.body.surface.positions().len())
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}

impl TargetSurface {
    /// The surface of a body that is bound to `skeleton`. `None` if the body has no vertices, no arms, or no
    /// trunk.
    pub fn new(body: &Body, skeleton: &Skeleton, roles: &RoleMap) -> Option<TargetSurface> {
        let body = BodySurface::new(body, skeleton, roles)?;
        let has_arms = body.arms.iter().any(Option::is_some);
        let (body, frames) = (Arc::new(body), SurfaceFrames::default());
        (has_arms && body.core.is_some()).then_some(TargetSurface { body, frames, stands_in: false })
    }

    /// Whether another surface has its vertices in the same places at rest.
    pub(crate) fn is_same_as(&self, other: &TargetSurface) -> bool {
        let [own, other] = [self, other].map(|surface| &surface.body);
        let [a, b] = [own.surface.positions(), other.surface.positions()];
        let near = 1e-6 * own.height;
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).norm() <= near)
    }

    /// The surface with other frames measured.
    pub fn measured_at(self, frames: SurfaceFrames) -> TargetSurface {
        TargetSurface { frames, ..self }
    }

    /// The surface as a stand-in for an unknown one, such as capsules instead of a source's mesh.
    pub fn standing_in(self) -> TargetSurface {
        TargetSurface { stands_in: true, ..self }
    }

    /// The surface converted to metres, Y up and Z forward; `metres` are metres per unit. `None` if a position is
    /// not finite then.
    pub fn in_metres(&self, metres: f64) -> Option<TargetSurface> {
        let space = self.body.skeleton.space();
        if metres == 1.0 && space.up == SignedAxis::Y && space.forward == SignedAxis::Z {
            return Some(self.clone());
        }
        let body = Arc::new(self.body.in_metres(metres)?);
        Some(TargetSurface { body, ..self.clone() })
    }

    /// Its properties in the bind pose.
    pub fn shape(&self) -> SurfaceShape {
        self.body.shape
    }

    /// Measures a motion of its skeleton; `metres` are metres per unit. `None` without frames.
    pub fn measure(&self, motion: &Clip, metres: f64) -> Option<SurfaceReport> {
        report::measure(&self.body, motion, self.frames, metres, &[])
    }

    /// Like [`TargetSurface::measure`], with contacts of the source.
    pub(crate) fn measure_with(
        &self,
        motion: &Clip,
        metres: f64,
        contacts: &SurfaceContacts,
    ) -> Option<SurfaceReport> {
        report::measure(&self.body, motion, self.frames, metres, &contacts.0)
    }

    /// The contacts of a source's motion on its own surface, mapped to this one. `hands` tells when the joints
    /// show that a hand touches its own body.
    pub(crate) fn contacts_of(
        &self,
        source: &TargetSurface,
        motion: &Clip,
        hands: &HandsOnBody,
    ) -> SurfaceContacts {
        let found = contacts::find(&source.body, motion, source.stands_in.then_some(hands));
        SurfaceContacts(contacts::on_target(&source.body, &self.body, &found))
    }

    /// The motion with its arms outside of the body and at the contacts of its source. `lead_in` frames at the
    /// start are separate.
    pub(crate) fn keep_apart(
        &self,
        limits: &TargetLimits,
        contacts: &SurfaceContacts,
        clip: Clip,
        lead_in: usize,
    ) -> Result<Apart, ModelError> {
        stage::keep_apart(&self.body, Some(limits), &contacts.0, clip, lead_in, None)
    }
}

impl TargetSurface {
    /// Moves the arms of a motion out of this body and of another one beside it; the other's
    /// surface and motion are in the same space. `limits`: whether joint limits of the skeleton are
    /// kept. `holds`, by arm (left before right) and frame: whether a hand touches an arm of the
    /// other body; there it is not kept out of the arms.
    ///
    /// # Errors
    /// If a position overflows.
    pub fn apart_from(
        &self,
        clip: Clip,
        (other, motion): (&TargetSurface, &Clip),
        holds: [&[bool]; 2],
        limits: bool,
    ) -> Result<Clip, ModelError> {
        let constraints = clip.skeleton().joints().iter().map(Constraint::of).collect();
        let limits = TargetLimits { constraints, kept: limits };
        let partner = Partner { body: &other.body, clip: motion, holds };
        Ok(stage::keep_apart(&self.body, Some(&limits), &[], clip, 0, Some(partner))?.clip)
    }
}

/// Contacts of arms that a source shows on its surface.
#[derive(Clone, Debug, Default)]
pub(crate) struct SurfaceContacts(Vec<ArmContacts<Touch>>);

impl SurfaceContacts {
    /// The contacts after a lead-in, with frames counted from its end.
    pub(crate) fn after(&self, lead_in: usize) -> SurfaceContacts {
        let after = |contact: &ArmContacts<Touch>| ArmContacts {
            touches: contact.touches.iter().skip(lead_in).cloned().collect(),
            ..contact.clone()
        };
        let left = self.0.iter().map(after).filter(|contact| !contact.frames().is_empty());
        SurfaceContacts(left.collect())
    }
}
