//! Why a motion cannot be put on a skeleton, and what was left out where it can.

use mocap_model::{ModelError, Role, Side};
use std::fmt;

/// Which of the two skeletons is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The skeleton of the motion.
    Source,
    /// The skeleton that is to move.
    Target,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Which::Source => "source",
            Which::Target => "target",
        })
    }
}

/// Why a motion cannot be retargeted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum RetargetError {
    #[error(
        "the {which} skeleton has no joint that could be {}; found were {}",
        list(missing),
        list_or_none(found)
    )]
    MissingRoles { which: Which, missing: Vec<Role>, found: Vec<Role> },
    #[error("the roles of the {which} skeleton are a guess: {}", guesses(rows))]
    Uncertain { which: Which, rows: Vec<(Role, String)> },
    #[error(
        "in the {which} skeleton the left arm is on the side of the right leg: the sides are mixed up in arms or legs"
    )]
    SidesMixed { which: Which },
    #[error("in the {which} skeleton, {upper} '{upper_joint}' is not above {lower} '{lower_joint}'")]
    NotBelow { which: Which, upper: Role, upper_joint: String, lower: Role, lower_joint: String },
    #[error("in the {which} skeleton, {from} '{joint}' and {to} are at the same place: a limb needs length")]
    ZeroLength { which: Which, from: Role, to: Role, joint: String },
    #[error(
        "in the {which} skeleton, with {left} to the left both feet show backward: the sides are mixed up"
    )]
    SidesSwapped { which: Which, left: Role },
    #[error("pairs are one or more joints of the source and joints of the target, none of the target twice")]
    Pairs,
    #[error("the pose given for the {which} skeleton has {found} joints, the skeleton has {expected}")]
    PoseLength { which: Which, found: usize, expected: usize },
    #[error("the pose given for the {which} skeleton has a number that is not finite")]
    PoseNotFinite { which: Which },
    #[error("the clip's joint {index} is '{found}'; the retargeter was made for a source with {expected}")]
    OtherSource { index: usize, found: String, expected: String },
    #[error("lengths of the {which} skeleton are too large or too small to compute with")]
    Extreme { which: Which },
    #[error("the {option} is {value}: it must be a finite number")]
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
pub enum Warning {
    #[error("the {which} skeleton has no {}: the motion of these is left out", list(roles))]
    LeftOut { which: Which, roles: Vec<Role> },
    #[error(
        "the rest pose of the {which} skeleton is no stance: one was made from its bones, twists along bones are \
         assumed to be neutral"
    )]
    StanceMade { which: Which },
    #[error("the {which} skeleton has a whole arm on the {} alone: arms follow the source's turns and are not solved", side_name(*side))]
    OneArm { which: Which, side: Side },
    #[error(
        "no body with legs is mapped: {pairs} joints turn like those they are paired with, no feet or hands are solved"
    )]
    NoBody { pairs: usize },
    #[error("the source never stands on the floor: its height is taken from its lowest point")]
    NoContacts,
    #[error("the source has no frames")]
    NoFrames,
}

impl Warning {
    /// A stable name of the kind of warning.
    pub fn code(&self) -> &'static str {
        match self {
            Warning::LeftOut { .. } => "retarget::left-out",
            Warning::StanceMade { .. } => "retarget::stance-made",
            Warning::OneArm { .. } => "retarget::one-arm",
            Warning::NoBody { .. } => "retarget::no-body",
            Warning::NoContacts => "retarget::no-contacts",
            Warning::NoFrames => "retarget::no-frames",
        }
    }
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

/// Roles by name; of many fingers the first of each side, and how many others there are.
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
    if roles.is_empty() { "none at all".to_owned() } else { list(roles) }
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
        let told = "Neck, LeftThumb1 and 2 more finger joints of that hand, RightRing1 and 1 more finger joints of that hand";
        assert_eq!(list(&all), told);
    }
}
