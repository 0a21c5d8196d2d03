//! Bodies with a surface: arms that stay outside of it, and what it shows of a motion.

mod arm;
mod beside;
mod between;
mod body_in_motion;
mod body_surface;
mod contact_goals;
mod contacts;
mod correspondence;
mod exit;
mod fade;
mod keys;
mod nearby;
mod people_meter;
mod push;
mod report;
mod solve;
mod stage;

pub use beside::{BodyBeside, BodyPart, PosedBeside, apart_along, nearest};
pub use people_meter::PeopleMeter;
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

/// The surface of a target, prepared once: it keeps arms out of trunk, head and legs, and is what a report measures.
#[derive(Clone)]
pub struct TargetSurface {
    body: Arc<BodySurface>,
    /// Which frames are measured.
    pub frames: SurfaceFrames,
    /// Whether it only stands in for a surface that is not known: it then shows where contacts of hands are, not when.
    pub stands_in: bool,
}

impl PartialEq for TargetSurface {
    /// Whether it is the same preparation.
    fn eq(&self, other: &TargetSurface) -> bool {
        Arc::ptr_eq(&self.body, &other.body) && self.frames == other.frames
    }
}

impl std::fmt::Debug for TargetSurface {
    /// Only its size: the rest fills pages.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TargetSurface")
            .field("vertices", &self.body.surface.positions().len())
            .field("frames", &self.frames)
            .finish_non_exhaustive()
    }
}

impl TargetSurface {
    /// The surface of a body that is bound to `skeleton`. `None` of a body without vertices, or without arms and what
    /// they could be inside of.
    pub fn new(body: &Body, skeleton: &Skeleton, roles: &RoleMap) -> Option<TargetSurface> {
        let body = BodySurface::new(body, skeleton, roles)?;
        let has_arms = body.arms.iter().any(Option::is_some);
        let (body, frames) = (Arc::new(body), SurfaceFrames::default());
        (has_arms && body.core.is_some()).then_some(TargetSurface { body, frames, stands_in: false })
    }

    /// The same with other frames measured.
    pub fn measured_at(self, frames: SurfaceFrames) -> TargetSurface {
        TargetSurface { frames, ..self }
    }

    /// The same as one that stands in for a surface that is not known, such as capsules in place of a source's mesh.
    pub fn standing_in(self) -> TargetSurface {
        TargetSurface { stands_in: true, ..self }
    }

    /// The same in metres with Y up and Z forward, where its units have so many metres. `None` where a place is not finite
    /// there.
    pub fn in_metres(&self, metres: f64) -> Option<TargetSurface> {
        let space = self.body.skeleton.space();
        if metres == 1.0 && space.up == SignedAxis::Y && space.forward == SignedAxis::Z {
            return Some(self.clone());
        }
        let body = Arc::new(self.body.in_metres(metres)?);
        Some(TargetSurface { body, ..self.clone() })
    }

    /// What it is like.
    pub fn shape(&self) -> SurfaceShape {
        self.body.shape
    }

    /// Measures a motion of its skeleton; `metres` are metres per unit. `None` without frames.
    pub fn measure(&self, motion: &Clip, metres: f64) -> Option<SurfaceReport> {
        report::measure(&self.body, motion, self.frames, metres, &[])
    }

    /// As [`TargetSurface::measure`], with contacts of the source.
    pub(crate) fn measure_with(
        &self,
        motion: &Clip,
        metres: f64,
        contacts: &SurfaceContacts,
    ) -> Option<SurfaceReport> {
        report::measure(&self.body, motion, self.frames, metres, &contacts.0)
    }

    /// The contacts that a motion of a source shows on its surface, on this one. `hands` says when the joints show that
    /// its hands touch its own body.
    pub(crate) fn contacts_of(
        &self,
        source: &TargetSurface,
        motion: &Clip,
        hands: &HandsOnBody,
    ) -> SurfaceContacts {
        let found = contacts::find(&source.body, motion, source.stands_in.then_some(hands));
        SurfaceContacts(contacts::on_target(&source.body, &self.body, &found))
    }

    /// The motion, the first frames of which are a lead-in, with its arms outside, and where those of its source are in contact.
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
    /// A motion with its arms outside of this body and of another one beside it, whose surface and motion are in the same
    /// space. Joint limits of the skeleton are kept where `limits` says so. `holds` says by arm, left before right, and frame
    /// where a hand touches an arm of the other: it is not kept out of the arms there.
    ///
    /// # Errors
    /// Where a place overflows.
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
    /// Those after a lead-in, with frames counted from there.
    pub(crate) fn after(&self, lead_in: usize) -> SurfaceContacts {
        let after = |contact: &ArmContacts<Touch>| ArmContacts {
            touches: contact.touches.iter().skip(lead_in).cloned().collect(),
            ..contact.clone()
        };
        let left = self.0.iter().map(after).filter(|contact| !contact.frames().is_empty());
        SurfaceContacts(left.collect())
    }
}
