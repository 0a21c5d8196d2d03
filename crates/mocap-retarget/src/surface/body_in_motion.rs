//! A body in motion, as the search for changes of its arms sees it.

use super::arm::PosedArm;
use super::body_surface::{ArmSurface, BodySurface};
use super::contacts::{ArmContacts, Touch};
use super::own_view::OwnView;
use mocap_model::{Clip, Isometry3, Pose, Vector3};
use mocap_skin::PosedField;

/// Points that were inside are moved this far outside, for a person of 1.7 m \[m\].
pub(crate) const MARGIN: f64 = 0.003;
/// When an arm is moved to a contact, no point on it moves further than the distance to the contact times this.
pub(crate) const CARRIED: f64 = 1.6;

/// One frame of a clip.
pub(crate) struct Frame {
    local: Pose,
    pub object: Pose,
    /// The place of the hips in the space of the clip, after [`Frame::see`].
    pub hips: Isometry3<f64>,
}

impl Frame {
    pub(crate) fn new(clip: &Clip) -> Frame {
        Frame { local: Pose::rest(clip.skeleton()), object: Pose::default(), hips: Isometry3::identity() }
    }

    pub(crate) fn place(&mut self, clip: &Clip, frame: usize) {
        if frame < clip.frames() {
            clip.local_pose(frame, &mut self.local);
        }
        self.local.to_object(clip.skeleton(), &mut self.object);
    }

    /// The pose as a search sees it: from the hips, rounded.
    pub(crate) fn see(&mut self, view: &OwnView) {
        self.hips = view.hips(&self.object);
        view.see(&self.hips, &mut self.object);
    }
}

/// Another body beside this one, in the same space.
#[derive(Clone, Copy)]
pub(crate) struct Partner<'a> {
    pub body: &'a BodySurface,
    pub clip: &'a Clip,
    /// By own arm, then by frame: whether its hand touches an arm of the partner. Then the hand is not kept out
    /// of that arm.
    pub holds: [&'a [bool]; 2],
}

/// A part of a partner in a frame.
pub(crate) struct PartnerField<'a> {
    pub field: PosedField<'a>,
    is_arm: bool,
}

impl Partner<'_> {
    /// Distance fields of trunk and arms in a frame, seen from the `hips` of the other body.
    pub(crate) fn fields(&self, frame: usize, hips: &Isometry3<f64>) -> Vec<PartnerField<'_>> {
        let mut pose = Frame::new(self.clip);
        pose.place(self.clip, frame);
        self.body.view().see(hips, &mut pose.object);
        let core = self.body.core.as_ref().and_then(|core| core.posed(&pose.object));
        let core = core.map(|field| PartnerField { field, is_arm: false });
        let arms = (0..2).filter_map(|arm| {
            let field = self.body.arms[arm].as_ref()?.field.as_ref()?;
            field.posed(&pose.object)
        });
        core.into_iter().chain(arms.map(|field| PartnerField { field, is_arm: true })).collect()
    }

    /// Whether the hand touches that part in a frame. Then only the forearm is kept out of it.
    pub(crate) fn holds(&self, arm: usize, of: &PartnerField<'_>, frame: usize) -> bool {
        of.is_arm && self.holds[arm].get(frame).is_some_and(|holds| *holds)
    }
}

/// A motion of a body whose arms are kept outside of it.
pub(crate) struct Stage<'a> {
    pub body: &'a BodySurface,
    pub clip: &'a Clip,
    pub view: OwnView,
    /// Contacts of the source.
    pub contacts: &'a [ArmContacts<Touch>],
    /// Bend axes of the elbows, in the frames of the upper arms.
    pub hinges: [Vector3<f64>; 2],
    /// By arm: the sides by which it may leave the body, in the frame of the trunk.
    pub sides: [[Vector3<f64>; 5]; 2],
    /// Another body that the arms are kept out of as well.
    pub partner: Option<Partner<'a>>,
}

impl Stage<'_> {
    /// The arms of a pose.
    pub(crate) fn arms(&self, object: &Pose) -> [Option<(&ArmSurface, PosedArm)>; 2] {
        [0, 1].map(|i| self.arm(i, object))
    }

    /// An arm of a pose.
    pub(crate) fn arm(&self, i: usize, object: &Pose) -> Option<(&ArmSurface, PosedArm)> {
        let arm = self.body.arms[i].as_ref()?;
        let mut palette = Vec::new();
        self.body.surface.set_palette(object, &arm.bones, &mut palette);
        Some((arm, PosedArm::of(arm, &self.body.surface, object, &palette, &self.hinges[i])))
    }

    pub(crate) fn in_contact(&self, frame: usize) -> bool {
        self.contacts.iter().any(|contact| !contact.at(frame).is_empty())
    }
}
