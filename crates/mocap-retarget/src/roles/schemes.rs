//! Naming schemes of rigs.
//!
//! One table per scheme: the same name means different joints in different schemes (`LeftLeg` is a lower leg in
//! Mixamo, `LeftShoulder` an upper arm in Biovision), so names of several schemes are never mixed.

use mocap_model::{Role, Side};

/// The names of one kind of rig. Names are in the form of [`super::name::split`], without their side.
pub(super) struct Scheme {
    /// The name under which users know the scheme.
    pub name: &'static str,
    /// Midline: role and its names, most usual first.
    pub middle: &'static [(Role, &'static [&'static str])],
    /// Limbs: the role of the left side, and its names.
    pub sided: &'static [(Role, &'static [&'static str])],
    /// Names of fingers.
    pub fingers: Option<Fingers>,
}

/// The names of fingers.
pub(super) struct Fingers {
    /// Thumb to little.
    names: [&'static str; 5],
    /// Suffixes of the three joints of the thumb, from the hand outwards.
    thumb: [&'static str; 3],
    /// Suffixes of the three joints of the other fingers.
    others: [&'static str; 3],
}

/// Fingers whose joints all have the same suffixes.
const fn fingers(names: [&'static str; 5], joints: [&'static str; 3]) -> Option<Fingers> {
    Some(Fingers { names, thumb: joints, others: joints })
}

/// Suffixes of fingers without bones in the palm, and of a thumb, whose metacarpal bone moves.
const PHALANGES: [&str; 3] = ["proximal", "intermediate", "distal"];
const THUMB: [&str; 3] = ["metacarpal", "proximal", "distal"];
const NUMBERED: [&str; 3] = ["1", "2", "3"];

use Role::{
    Head, Hips, LeftFoot, LeftHand, LeftLowerArm, LeftLowerLeg, LeftShoulder, LeftToes, LeftUpperArm,
    LeftUpperLeg, Neck,
};

pub(super) const SCHEMES: &[Scheme] = &[
    Scheme {
        // Also the BVH conversion of CMU's database, LAFAN1, MotionBuilder and most of its exporters.
        name: "Mixamo / MotionBuilder",
        middle: &[(Hips, &["hips"]), (Neck, &["neck"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["upleg"]),
            (LeftLowerLeg, &["leg"]),
            (LeftFoot, &["foot"]),
            (LeftToes, &["toebase", "toe"]),
            (LeftShoulder, &["shoulder"]),
            (LeftUpperArm, &["arm"]),
            (LeftLowerArm, &["forearm"]),
            (LeftHand, &["hand"]),
        ],
        fingers: fingers(["handthumb", "handindex", "handmiddle", "handring", "handpinky"], NUMBERED),
    },
    Scheme {
        name: "CMU ASF",
        middle: &[(Hips, &["root"]), (Neck, &["lowerneck"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["femur"]),
            (LeftLowerLeg, &["tibia"]),
            (LeftFoot, &["foot"]),
            (LeftToes, &["toes"]),
            (LeftShoulder, &["clavicle"]),
            (LeftUpperArm, &["humerus"]),
            (LeftLowerArm, &["radius"]),
            // In skeletons without a wrist joint, the hand follows the forearm directly.
            (LeftHand, &["wrist", "hand"]),
        ],
        fingers: None,
    },
    Scheme {
        name: "iClone / Character Creator",
        middle: &[(Hips, &["hip"]), (Neck, &["necktwist01"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["thigh"]),
            (LeftLowerLeg, &["calf"]),
            (LeftFoot, &["foot"]),
            (LeftToes, &["toebase"]),
            (LeftShoulder, &["clavicle"]),
            (LeftUpperArm, &["upperarm"]),
            (LeftLowerArm, &["forearm"]),
            (LeftHand, &["hand"]),
        ],
        fingers: fingers(["thumb", "index", "mid", "ring", "pinky"], NUMBERED),
    },
    Scheme {
        name: "Unreal",
        middle: &[(Hips, &["pelvis"]), (Neck, &["neck01"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["thigh"]),
            (LeftLowerLeg, &["calf"]),
            (LeftFoot, &["foot"]),
            (LeftToes, &["ball"]),
            (LeftShoulder, &["clavicle"]),
            (LeftUpperArm, &["upperarm"]),
            (LeftLowerArm, &["lowerarm"]),
            (LeftHand, &["hand"]),
        ],
        fingers: fingers(["thumb", "index", "middle", "ring", "pinky"], ["01", "02", "03"]),
    },
    Scheme {
        name: "3ds Max Biped",
        middle: &[(Hips, &["pelvis"]), (Neck, &["neck"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["thigh"]),
            (LeftLowerLeg, &["calf"]),
            (LeftFoot, &["foot"]),
            (LeftToes, &["toe0"]),
            (LeftShoulder, &["clavicle"]),
            (LeftUpperArm, &["upperarm"]),
            (LeftLowerArm, &["forearm"]),
            (LeftHand, &["hand"]),
        ],
        fingers: fingers(["finger0", "finger1", "finger2", "finger3", "finger4"], ["", "1", "2"]),
    },
    Scheme {
        // Also Bandai-Namco's datasets.
        name: "Unity Humanoid",
        middle: &[(Hips, &["hips"]), (Neck, &["neck"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["upperleg"]),
            (LeftLowerLeg, &["lowerleg"]),
            (LeftFoot, &["foot"]),
            (LeftToes, &["toes", "toe"]),
            (LeftShoulder, &["shoulder"]),
            (LeftUpperArm, &["upperarm"]),
            (LeftLowerArm, &["lowerarm"]),
            (LeftHand, &["hand"]),
        ],
        fingers: fingers(["thumb", "index", "middle", "ring", "little"], PHALANGES),
    },
    Scheme {
        // Bone names of the VRM humanoid. Those of the thumb start one bone earlier than in Unity.
        name: "VRM 1.0",
        middle: &[(Hips, &["hips"]), (Neck, &["neck"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["upperleg"]),
            (LeftLowerLeg, &["lowerleg"]),
            (LeftFoot, &["foot"]),
            (LeftToes, &["toes"]),
            (LeftShoulder, &["shoulder"]),
            (LeftUpperArm, &["upperarm"]),
            (LeftLowerArm, &["lowerarm"]),
            (LeftHand, &["hand"]),
        ],
        fingers: Some(Fingers {
            names: ["thumb", "index", "middle", "ring", "little"],
            thumb: THUMB,
            others: PHALANGES,
        }),
    },
    Scheme {
        name: "VRM",
        middle: &[(Hips, &["hips"]), (Neck, &["neck"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["upperleg"]),
            (LeftLowerLeg, &["lowerleg"]),
            (LeftFoot, &["foot"]),
            (LeftToes, &["toebase"]),
            (LeftShoulder, &["shoulder"]),
            (LeftUpperArm, &["upperarm"]),
            (LeftLowerArm, &["lowerarm"]),
            (LeftHand, &["hand"]),
        ],
        fingers: fingers(["thumb", "index", "middle", "ring", "little"], NUMBERED),
    },
    Scheme {
        name: "SMPL",
        middle: &[(Hips, &["pelvis"]), (Neck, &["neck"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["hip"]),
            (LeftLowerLeg, &["knee"]),
            (LeftFoot, &["ankle"]),
            (LeftToes, &["foot"]),
            (LeftShoulder, &["collar"]),
            (LeftUpperArm, &["shoulder"]),
            (LeftLowerArm, &["elbow"]),
            (LeftHand, &["wrist"]),
        ],
        fingers: fingers(["thumb", "index", "middle", "ring", "pinky"], NUMBERED),
    },
    Scheme {
        name: "GAMES-105",
        middle: &[(Hips, &["rootjoint"]), (Head, &["torsohead"])],
        sided: &[
            (LeftUpperLeg, &["hip"]),
            (LeftLowerLeg, &["knee"]),
            (LeftFoot, &["ankle"]),
            (LeftToes, &["toejoint"]),
            (LeftShoulder, &["torsoclavicle"]),
            (LeftUpperArm, &["shoulder"]),
            (LeftLowerArm, &["elbow"]),
            (LeftHand, &["wrist"]),
        ],
        fingers: None,
    },
    Scheme {
        // Also the BVH files of Xsens, and 100STYLE.
        name: "Biovision",
        middle: &[(Hips, &["hips", "hip"]), (Neck, &["neck"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["hip", "thigh", "upleg"]),
            (LeftLowerLeg, &["knee", "shin", "lowleg"]),
            (LeftFoot, &["ankle", "foot"]),
            (LeftToes, &["toe", "toes"]),
            (LeftShoulder, &["collar", "clavicle"]),
            (LeftUpperArm, &["shoulder", "uparm"]),
            (LeftLowerArm, &["elbow", "lowarm", "forearm"]),
            (LeftHand, &["wrist", "hand"]),
        ],
        fingers: None,
    },
    Scheme {
        // Segment names of MVN's FBX and MVNX files.
        name: "Xsens MVN",
        middle: &[(Hips, &["pelvis"]), (Neck, &["neck"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["upperleg"]),
            (LeftLowerLeg, &["lowerleg"]),
            (LeftFoot, &["foot"]),
            (LeftToes, &["toe"]),
            (LeftShoulder, &["shoulder"]),
            (LeftUpperArm, &["upperarm"]),
            (LeftLowerArm, &["forearm"]),
            (LeftHand, &["hand"]),
        ],
        fingers: None,
    },
    Scheme {
        name: "Rokoko",
        middle: &[(Hips, &["hips"]), (Neck, &["neck"]), (Head, &["head"])],
        sided: &[
            (LeftUpperLeg, &["thigh"]),
            (LeftLowerLeg, &["shin"]),
            (LeftFoot, &["foot"]),
            (LeftToes, &["toe"]),
            (LeftShoulder, &["shoulder"]),
            (LeftUpperArm, &["arm", "upperarm"]),
            (LeftLowerArm, &["forearm"]),
            (LeftHand, &["hand"]),
        ],
        fingers: Some(Fingers {
            names: ["finger1", "finger2", "finger3", "finger4", "finger5"],
            thumb: THUMB,
            others: ["proximal", "medial", "distal"],
        }),
    },
];

/// First joints of the left fingers, thumb to little finger; their other joints follow in [`Role::ALL`].
const FINGERS: [Role; 5] =
    [Role::LeftThumb1, Role::LeftIndex1, Role::LeftMiddle1, Role::LeftRing1, Role::LeftLittle1];

impl Scheme {
    /// The role of a name, and the name's index in its list (0: the most usual).
    pub(super) fn role(&self, side: Option<Side>, base: &str) -> Option<(Role, usize)> {
        let Some(side) = side else {
            return find(self.middle, base);
        };
        let (left, at) = find(self.sided, base).or_else(|| Some((self.finger(base)?, 0)))?;
        Some((if side == Side::Left { left } else { left.mirrored() }, at))
    }

    fn finger(&self, base: &str) -> Option<Role> {
        let fingers = self.fingers.as_ref()?;
        // `finger0` is also the start of `finger01`: the suffix decides.
        let (finger, joint) = fingers.names.iter().enumerate().find_map(|(finger, name)| {
            let suffix = base.strip_prefix(name)?;
            let joints = if finger == 0 { &fingers.thumb } else { &fingers.others };
            Some((finger, joints.iter().position(|s| *s == suffix)?))
        })?;
        let first = Role::ALL.iter().position(|role| *role == FINGERS[finger])?;
        Role::ALL.get(first + joint).copied()
    }
}

fn find(table: &[(Role, &[&str])], base: &str) -> Option<(Role, usize)> {
    table.iter().find_map(|(role, names)| Some((*role, names.iter().position(|name| *name == base)?)))
}
