//! Words in the names of joints and bodies that say whether a limb is a leg or an arm.

/// Parts of a leg.
const LEG: [&str; 12] =
    ["hip", "knee", "ankle", "leg", "thigh", "shin", "shank", "calf", "femur", "tibia", "foot", "toe"];
/// Parts of an arm.
const ARM: [&str; 13] = [
    "shoulder", "clavicle", "elbow", "wrist", "arm", "hand", "humerus", "radius", "ulna", "gripper",
    "finger", "thumb", "scapula",
];

/// The joint between the two long bones of a limb.
const MIDDLE: [&str; 2] = ["knee", "elbow"];

/// A kind of limb, by the names of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedLimb {
    /// Most names have a word of a leg.
    Leg,
    /// Most names have a word of an arm.
    Arm,
}

impl NamedLimb {
    /// What most of the names of the parts of a limb say, whatever their case; `None` if they say neither, or both equally
    /// often.
    ///
    /// ```
    /// use mocap_model::NamedLimb;
    ///
    /// assert_eq!(NamedLimb::of(["Left_Hip_Pitch", "LeftKnee", "link_6"]), Some(NamedLimb::Leg));
    /// assert_eq!(NamedLimb::of(["r_shoulder_roll", "r_forearm"]), Some(NamedLimb::Arm));
    /// assert_eq!(NamedLimb::of(["joint_1", "joint_2"]), None);
    /// ```
    pub fn of<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> Option<NamedLimb> {
        let (mut leg, mut arm) = (0, 0);
        for name in names {
            let name = name.as_ref().to_lowercase();
            leg += usize::from(LEG.iter().any(|word| name.contains(word)));
            arm += usize::from(ARM.iter().any(|word| name.contains(word)));
        }
        match leg.cmp(&arm) {
            std::cmp::Ordering::Greater => Some(NamedLimb::Leg),
            std::cmp::Ordering::Less => Some(NamedLimb::Arm),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// Whether a joint is called a knee or an elbow.
    pub fn is_middle(name: &str) -> bool {
        let name = name.to_lowercase();
        MIDDLE.iter().any(|word| name.contains(word))
    }
}
