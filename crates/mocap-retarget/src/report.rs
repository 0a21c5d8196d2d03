//! The report of a retarget: quality in numbers.

use crate::{LimbRatios, RetargetWarning, SurfaceReport};
use mocap_analysis::{BalanceSummary, FootMeasure, LimbMatch, Verdict, always_in_contact, limb_matches};
use mocap_model::Role;
use std::ops::Range;

/// Quality of a retargeted motion. Lengths are in metres (see [`RetargetReport::metres`]), angles in degrees.
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetReport {
    /// Number of frames.
    pub frames: usize,
    /// Number of lead-in frames at the start, which are not measured ([`crate::RetargetOptions::lead_in`]).
    pub lead_in: usize,
    /// Ratios of limb lengths.
    pub scale: LimbRatios,
    /// Metres per unit of source and target, stated or estimated from their size.
    pub metres: [f64; 2],
    /// Joints of the source and the target by role.
    pub mapping: Vec<MappingRow>,
    /// Goal errors of hands and feet.
    pub effectors: Vec<EffectorReport>,
    /// Foot skate, float height and penetration.
    pub feet: Vec<FootReport>,
    /// Hands on the floor; without contacts if [`crate::RetargetOptions::self_contacts`] does not keep them.
    pub hands: Vec<HandReport>,
    /// Self-contacts of hands, if [`crate::RetargetOptions::self_contacts`] keeps them.
    pub self_contacts: Vec<SelfContactReport>,
    /// Joint limits that the motion exceeds.
    pub limits: LimitReport,
    /// Limb angles compared with the source's.
    pub angles: Vec<AngleReport>,
    /// Mean jerk of hands and feet over the source's, scaled like the limb; `None` if the source has no jerk.
    pub jerk_ratio: Option<f64>,
    /// The largest change of a joint's rotation from one frame to the next.
    pub largest_step: StepReport,
    /// Interpenetration and contacts of the surface; `None` without [`crate::RetargetOptions::surface`].
    pub surface: Option<SurfaceReport>,
    /// Figures of this person beside others, the worst of all pairs; `None` for one person.
    pub partners: Option<PartnerFigures>,
    /// How deep a forearm is inside trunk, head or legs while its hand holds a prop, by the mesh or capsules \[m\]; `None`
    /// without such a hand.
    pub held_arm_inside: Option<f64>,
    /// Balance of source and target; `None` without [`crate::RetargetOptions::balance`], or if one of them lacks
    /// legs, arms or a head.
    pub balance: Option<[BalanceSummary; 2]>,
    /// Floor heights of source and target \[m\].
    pub floor: [f64; 2],
    /// What was left out or assumed.
    pub warnings: Vec<RetargetWarning>,
}

/// Figures of a person beside others who were retargeted together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PartnerFigures {
    /// Contact error, 95th percentile \[m\]: the distance between the surfaces if both have one, else the
    /// distance of the touching points from their goals. `None` without contacts.
    pub off: Option<f64>,
    /// Greatest depth of interpenetration between two people \[m\]; `None` without surfaces.
    pub inside: Option<f64>,
    /// How far this person was moved along the ground for the others, at most \[m\].
    pub moved: Option<f64>,
}

impl PartnerFigures {
    /// The worse value of each figure.
    pub fn worst(self, other: PartnerFigures) -> PartnerFigures {
        let larger = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        PartnerFigures {
            off: larger(self.off, other.off),
            inside: larger(self.inside, other.inside),
            moved: larger(self.moved, other.moved),
        }
    }
}

/// A role and its joints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappingRow {
    /// The role.
    pub role: Role,
    /// The joint of the source; `None`: the target's joint keeps its rest pose, or follows its neighbours.
    pub source: Option<String>,
    /// The joint of the target; `None`: this part of the motion is not transferred.
    pub target: Option<String>,
}

/// Goal error of an effector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectorReport {
    /// The role of the effector.
    pub role: Role,
    /// Mean distance from the goal \[m\].
    pub mean: f64,
    /// 95th percentile of the distance \[m\].
    pub p95: f64,
    /// Greatest distance \[m\].
    pub max: f64,
    /// Greatest distance in frames with a goal within reach \[m\].
    pub max_reachable: f64,
    /// Frames that reach their goal.
    pub reached_frames: usize,
    /// Frames with a goal further than the limb is long, or nearer than it folds.
    pub unreachable_frames: usize,
    /// Frames that do not reach a goal within reach, with a joint of the limb at a limit.
    pub limited_frames: usize,
    /// Frames that miss a goal within reach, without a joint at a limit: the solver did not converge, or the
    /// velocity limiter slowed the limb.
    pub capped_frames: usize,
    /// Frames with a flipped knee or elbow, if the source's is not flipped.
    pub wrong_bend_frames: usize,
    /// Mean number of solver iterations.
    pub iterations_mean: f64,
    /// Greatest number of solver iterations.
    pub iterations_max: u32,
}

/// How well a foot keeps the contacts of the source. A figure is `None` if no frame shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct FootReport {
    /// The role of the foot.
    pub role: Role,
    /// Contacts of the source's toe, as ranges of frames.
    pub contacts: Vec<Range<usize>>,
    /// Number of contact frames.
    pub contact_frames: usize,
    /// Foot skate of the source: mean speed of its toe during contacts [m/s].
    pub slide_source: Option<f64>,
    /// Foot skate of the target: mean speed of its toe in the same frames [m/s].
    pub slide: Option<f64>,
    /// `slide` over `slide_source`, scaled by the leg ratio; `None` if the source's foot does not skate.
    pub slide_ratio: Option<f64>,
    /// Float height: greatest height of the foot above the floor during contacts \[m\].
    pub float: Option<f64>,
    /// Mean height of the foot above the floor during contacts \[m\].
    pub height_mean: Option<f64>,
    /// Mean difference of that height from the source's, while toe and heel are in contact \[m\].
    pub height_error: Option<f64>,
    /// Greatest difference of that height from the source's \[m\].
    pub height_error_max: Option<f64>,
    /// Greatest penetration of the floor in all frames \[m\].
    pub penetration_max: Option<f64>,
    /// Greatest penetration of the source \[m\].
    pub penetration_source: Option<f64>,
    /// The ball of the foot, relative to its height while the foot is flat.
    pub toe: SoleReport,
    /// The heel, straight below the ankle while the foot is flat.
    pub heel: SoleReport,
    /// Share of the source's contact frames in which the target's toe is in contact by the same measure (slow and
    /// low); `None` without contacts of the source.
    pub contacts_kept: Option<f64>,
    /// The same foot measured on the target's motion by its own contacts and floor, without the source.
    pub own: OwnContacts,
}

/// Contacts and figures of a foot measured on the target's motion only: its own contacts, and heights above its
/// own floor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnContacts {
    /// Contacts of the target's toe, as ranges of frames.
    pub contacts: Vec<Range<usize>>,
    /// Foot skate, float height and penetration \[m, m/s\].
    pub measure: FootMeasure,
}

/// Distances of a point of a sole from the floor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SoleReport {
    /// Greatest height above the floor during contacts of the source \[m\].
    pub float: Option<f64>,
    /// Greatest penetration of the floor in all frames \[m\].
    pub penetration: Option<f64>,
}

/// A self-contact of a hand.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfContactReport {
    /// The hand.
    pub role: Role,
    /// What it touches: the other hand, an upper leg (whose joint is the hip), or the head.
    pub on: Role,
    /// Contacts of the source's hand, as ranges of frames.
    pub contacts: Vec<Range<usize>>,
    /// Mean difference, during contacts, between the target's offset from one to the other and the source's, scaled
    /// \[m\].
    pub error: f64,
}

/// How well a hand keeps the contacts of the source's hand with the floor. A figure is `None` if no frame shows it.
///
/// Heights are those of the palm above the height that the source's palm has, scaled by the arm.
#[derive(Clone, Debug, PartialEq)]
pub struct HandReport {
    /// The hand.
    pub role: Role,
    /// Contacts of the source's hand with the floor, as ranges of frames.
    pub contacts: Vec<Range<usize>>,
    /// Number of contact frames.
    pub contact_frames: usize,
    /// Mean speed of the palm along the floor while the source's stays in place [m/s].
    pub slide: Option<f64>,
    /// Greatest height above the floor during contacts \[m\].
    pub float: Option<f64>,
    /// Greatest penetration of the floor during contacts \[m\].
    pub penetration: Option<f64>,
    /// Share of the contact frames in which the palm is on the floor, within 2 cm of a person.
    pub contacts_kept: Option<f64>,
}

/// Joint limits that are exceeded.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitReport {
    /// Whether limits were requested ([`crate::RetargetOptions::limits`]).
    pub asked: bool,
    /// Joint-frames beyond a limit, or with a rotation that the joint's degrees of freedom exclude.
    pub violations: usize,
    /// Greatest angle beyond a limit \[deg\].
    pub max_excess: f64,
}

/// One angle of a limb over time, compared with the source's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleReport {
    /// The role of the joint: an upper leg or arm (its direction from the trunk) or a lower one (its bend).
    pub role: Role,
    /// Root mean square difference \[deg\].
    pub rms: f64,
    /// Pearson correlation; `None` if one of the angles is constant.
    pub correlation: Option<f64>,
    /// How much the angle of the source moves: root mean square about its mean \[deg\].
    pub source_rms: f64,
}

/// Largest rotations from one frame to the next.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Of the target \[deg\].
    pub target: f64,
    /// The joint of the target; empty if no joint rotates.
    pub joint: String,
    /// The frame after the step.
    pub frame: usize,
    /// Of the source \[deg\].
    pub source: f64,
    /// The greatest difference, by role, between the target's step and the step of the source's joint \[deg\].
    pub excess: f64,
    /// The role of that difference.
    pub excess_role: Option<Role>,
}

impl RetargetReport {
    /// Faults and suspicions in the motion, in words. `fps` is its frame rate.
    pub fn verdicts(&self, fps: f64) -> Vec<Verdict> {
        // Arms that reach for other people have to move.
        let to_others = self.partners.is_some_and(|partners| partners.off.is_some());
        let is_arm = |role: Role| {
            use Role::{LeftHand, LeftLowerArm, LeftUpperArm, RightHand, RightLowerArm, RightUpperArm};
            matches!(role, LeftUpperArm | LeftLowerArm | LeftHand | RightUpperArm | RightLowerArm | RightHand)
        };
        let limbs = self.angles.iter().filter(|row| !(to_others && is_arm(row.role))).map(|row| {
            let AngleReport { role, correlation, source_rms, .. } = *row;
            LimbMatch { role, source_rms, correlation }
        });
        let measured = self.frames - self.lead_in.min(self.frames);
        let feet = self.feet.iter();
        let feet = feet.filter_map(|foot| always_in_contact(foot.role, foot.contact_frames, measured, fps));
        limb_matches(limbs).into_iter().chain(feet).collect()
    }

    /// The same with frames counted from the start of a lead-in that was not measured.
    pub(crate) fn after_lead_in(mut self, lead_in: usize) -> RetargetReport {
        self.frames += lead_in;
        self.lead_in = lead_in;
        self.largest_step.frame += lead_in;
        let of_feet =
            self.feet.iter_mut().flat_map(|foot| foot.contacts.iter_mut().chain(&mut foot.own.contacts));
        let of_hands = self.self_contacts.iter_mut().flat_map(|contact| &mut contact.contacts);
        let on_floor = self.hands.iter_mut().flat_map(|hand| &mut hand.contacts);
        for contact in of_feet.chain(of_hands).chain(on_floor) {
            *contact = contact.start + lead_in..contact.end + lead_in;
        }
        self
    }
}
