//! Errors and warnings of a retarget.

use mocap_model::{ModelError, Role, Side};
use std::fmt;

/// One of the two skeletons.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceOrTarget {
    /// The skeleton of the motion.
    Source,
    /// The skeleton that receives the motion.
    Target,
}

impl fmt::Display for SourceOrTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SourceOrTarget::Source => "source",
            SourceOrTarget::Target => "target",
        })
    }
}

/// Why a motion cannot be retargeted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RetargetError {
    #[error(
        "no joint of the {which} skeleton matches {}; roles found: {}",
        list(missing),
        list_or_none(found)
    )]
    MissingRoles { which: SourceOrTarget, missing: Vec<Role>, found: Vec<Role> },
    #[error("roles of the {which} skeleton are uncertain: {}", guesses(rows))]
    Uncertain { which: SourceOrTarget, rows: Vec<(Role, String)> },
    #[error(
        "in the {which} skeleton the left arm is on the side of the right leg: left and right are mixed up in arms or \
         legs"
    )]
    SidesMixed { which: SourceOrTarget },
    #[error(
        "in the {which} skeleton, {lower} '{lower_joint}' is not a descendant of {upper} '{upper_joint}'"
    )]
    NotBelow { which: SourceOrTarget, upper: Role, upper_joint: String, lower: Role, lower_joint: String },
    #[error(
        "in the {which} skeleton, {from} '{joint}' and {to} are at the same position: a limb needs length"
    )]
    ZeroLength { which: SourceOrTarget, from: Role, to: Role, joint: String },
    #[error(
        "in the {which} skeleton, both feet point backward if joint {joint} begins the left leg: left and right are swapped"
    )]
    SidesSwapped { which: SourceOrTarget, joint: String },
    #[error(
        "joint pairs need at least one pair of existing joints, and each joint of the target at most once"
    )]
    Pairs,
    #[error("the pose for the {which} skeleton has {found} joints, the skeleton has {expected}")]
    PoseLength { which: SourceOrTarget, found: usize, expected: usize },
    #[error("the pose for the {which} skeleton contains a value that is not finite")]
    PoseNotFinite { which: SourceOrTarget },
    #[error(
        "joint {index} of the clip is '{found}', the retargeter was built for a source with '{expected}'"
    )]
    OtherSource { index: usize, found: String, expected: String },
    #[error("bones of the {which} skeleton are too long or too short to compute with: is its unit right?")]
    Extreme { which: SourceOrTarget },
    #[error("{option} is {value}: it must be a finite number")]
    Option { option: &'static str, value: f64 },
    #[error(transparent)]
    Ik(#[from] mocap_ik::IkError),
    #[error(transparent)]
    Clip(#[from] ModelError),
}

/// Something that was left out or assumed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RetargetWarning {
    #[error("the {which} skeleton has no known joint for {}: {}", list(roles), left_out(*which))]
    LeftOut { which: SourceOrTarget, roles: Vec<Role> },
    #[error(
        "the {which}'s rest pose is not a T- or A-pose; a reference pose was estimated from its bones, with neutral \
         twist along each bone"
    )]
    ReferencePoseEstimated { which: SourceOrTarget },
    #[error(
        "the {which} skeleton has a complete arm only on the {}: arms follow the source's rotations and are not solved",
        side_name(*side)
    )]
    OneArm { which: SourceOrTarget, side: Side },
    #[error("no body with legs is mapped: {pairs} joints follow their pairs, feet and hands are not solved")]
    NoBody { pairs: usize },
    #[error("no foot contacts in the source: the floor height is taken from its lowest point")]
    NoContacts,
    #[error("the source has no frames")]
    NoFrames,
    #[error(
        "the {} foot is off its goal in {frames} {}, by up to {:.1} cm: the leg cannot reach it, or would have to move too fast",
        side_name(*side), if *frames == 1 { "frame" } else { "frames" }, distance * 100.0
    )]
    FootOffGoal {
        side: Side,
        frames: usize,
        /// Metres.
        distance: f64,
    },
    #[error(
        "the {} foot is in contact in {:.0} % of the source's contact frames only: elsewhere it floats or slides",
        side_name(*side), kept * 100.0
    )]
    ContactsLost {
        side: Side,
        /// Share of the source's contact frames.
        kept: f64,
    },
    #[error(
        "the {hand} is off its contact with the {on} by {:.1} cm on average: it is not kept",
        distance * 100.0
    )]
    HandOffContact {
        hand: Role,
        on: Role,
        /// Metres.
        distance: f64,
    },
    #[error(
        "the {hand} is off the floor in {frames} of its contact frames there, by up to {:.1} cm: the arm cannot reach it, \
         or would have to turn too far",
        distance * 100.0
    )]
    HandOffFloor {
        hand: Role,
        frames: usize,
        /// Metres.
        distance: f64,
    },
    #[error(
        "the source has scale tracks: the target follows the joint positions that they lead to, but gets no scale tracks"
    )]
    Scale,
    #[error(
        "translations of {} of the source are left out, by up to {:.1} cm: bones of the target keep their lengths",
        others(joint, *joints), distance * 100.0
    )]
    Translations {
        /// The joint that moves furthest from its rest.
        joint: String,
        /// The number of joints.
        joints: usize,
        /// Metres.
        distance: f64,
    },
}

impl RetargetError {
    /// A stable code for the kind of error.
    pub fn code(&self) -> &'static str {
        match self {
            RetargetError::MissingRoles { .. } => "retarget::missing-roles",
            RetargetError::Uncertain { .. } => "retarget::uncertain",
            RetargetError::SidesMixed { .. } => "retarget::sides-mixed",
            RetargetError::SidesSwapped { .. } => "retarget::sides-swapped",
            RetargetError::NotBelow { .. } => "retarget::not-below",
            RetargetError::ZeroLength { .. } => "retarget::zero-length",
            _ => "retarget::failed",
        }
    }

    /// The skeleton that the error is about.
    pub fn which(&self) -> Option<SourceOrTarget> {
        match self {
            RetargetError::MissingRoles { which, .. }
            | RetargetError::Uncertain { which, .. }
            | RetargetError::SidesMixed { which }
            | RetargetError::SidesSwapped { which, .. }
            | RetargetError::NotBelow { which, .. }
            | RetargetError::ZeroLength { which, .. }
            | RetargetError::PoseLength { which, .. }
            | RetargetError::PoseNotFinite { which }
            | RetargetError::Extreme { which } => Some(*which),
            _ => None,
        }
    }

    /// Whether naming other roles could make the motion retargetable. The table of the roles that were found
    /// ([`RoleMap::limb_table`](crate::RoleMap::limb_table)) helps the user to do so.
    pub fn is_about_roles(&self) -> bool {
        matches!(
            self,
            RetargetError::MissingRoles { .. }
                | RetargetError::Uncertain { .. }
                | RetargetError::SidesMixed { .. }
                | RetargetError::SidesSwapped { .. }
                | RetargetError::NotBelow { .. }
        )
    }
}

impl RetargetWarning {
    /// The skeleton that the warning is about.
    pub fn which(&self) -> Option<SourceOrTarget> {
        match self {
            RetargetWarning::LeftOut { which, .. }
            | RetargetWarning::ReferencePoseEstimated { which }
            | RetargetWarning::OneArm { which, .. } => Some(*which),
            _ => None,
        }
    }

    /// A stable code for the kind of warning.
    pub fn code(&self) -> &'static str {
        match self {
            RetargetWarning::LeftOut { .. } => "retarget::left-out",
            RetargetWarning::ReferencePoseEstimated { .. } => "retarget::stance-made",
            RetargetWarning::OneArm { .. } => "retarget::one-arm",
            RetargetWarning::NoBody { .. } => "retarget::no-body",
            RetargetWarning::NoContacts => "retarget::no-contacts",
            RetargetWarning::NoFrames => "retarget::no-frames",
            RetargetWarning::FootOffGoal { .. } => "retarget::foot-off-goal",
            RetargetWarning::ContactsLost { .. } => "retarget::contacts-lost",
            RetargetWarning::HandOffContact { .. } => "retarget::hand-off-contact",
            RetargetWarning::HandOffFloor { .. } => "retarget::hand-off-floor",
            RetargetWarning::Scale => "retarget::scale",
            RetargetWarning::Translations { .. } => "retarget::translations",
        }
    }
}

fn left_out(which: SourceOrTarget) -> &'static str {
    match which {
        SourceOrTarget::Source => "the target stays in its reference pose there",
        SourceOrTarget::Target => "the source's motion there is not transferred",
    }
}

fn others(joint: &str, joints: usize) -> String {
    if joints > 1 { format!("{joints} joints, such as '{joint}',") } else { format!("the joint '{joint}'") }
}

fn guesses(rows: &[(Role, String)]) -> String {
    rows.iter().map(|(role, joint)| format!("{role} '{joint}'")).collect::<Vec<_>>().join(", ")
}

fn side_name(side: Side) -> &'static str {
    match side {
        Side::Left => "left",
        Side::Right => "right",
    }
}

/// Role names. Of many fingers, only the first of each side and the number of the others.
fn list(roles: &[Role]) -> String {
    const FINGERS: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Little"];
    let is_finger = |role: &Role| FINGERS.iter().any(|finger| role.name().contains(finger));
    let many = roles.iter().filter(|role| is_finger(role)).count() > 4;
    let named = roles.iter().filter(|role| !(many && is_finger(role))).map(|role| role.name().to_owned());
    let counted = [Side::Left, Side::Right].into_iter().filter(|_| many).filter_map(|side| {
        let mut fingers = roles.iter().filter(|role| is_finger(role) && role.side() == Some(side));
        let first = fingers.next()?.name();
        Some(match fingers.count() {
            0 => first.to_owned(),
            more => format!("{first} and {more} more finger joints of that hand"),
        })
    });
    named.chain(counted).collect::<Vec<_>>().join(", ")
}

fn list_or_none(roles: &[Role]) -> String {
    if roles.is_empty() { "none".to_owned() } else { list(roles) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_fingers_are_counted_and_others_named() {
        let fingers =
            [Role::LeftThumb1, Role::LeftThumb2, Role::LeftIndex1, Role::RightRing1, Role::RightRing2];
        assert_eq!(list(&fingers[..2]), "LeftThumb1, LeftThumb2");
        let all = [&[Role::Neck][..], &fingers].concat();
        let listed = "Neck, LeftThumb1 and 2 more finger joints of that hand, RightRing1 and 1 more finger joints of that hand";
        assert_eq!(list(&all), listed);
    }
}
