//! What a joint is in a body, whatever a file calls it.

use std::fmt;
use std::str::FromStr;

/// The side of the body, the character's own left and right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The character's left.
    Left,
    /// The character's right.
    Right,
}

macro_rules! roles {
    ($($role:ident)*) => {
        /// A landmark of the body. Joints between two landmarks (a third spine joint, a twist bone) carry no
        /// role.
        ///
        /// The set is that of the humanoid rigs of game engines: one role for each joint that retargeting can
        /// put to use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the names say all there is to say")]
        pub enum Role { $($role),* }

        impl Role {
            /// All roles, from the hips outwards.
            pub const ALL: &'static [Role] = &[$(Role::$role),*];

            /// The name of the role, such as `LeftFoot`.
            pub const fn name(self) -> &'static str {
                match self { $(Role::$role => stringify!($role)),* }
            }
        }
    };
}

roles! {
    Hips Spine Chest UpperChest Neck Head
    LeftUpperLeg LeftLowerLeg LeftFoot LeftToes
    RightUpperLeg RightLowerLeg RightFoot RightToes
    LeftShoulder LeftUpperArm LeftLowerArm LeftHand
    RightShoulder RightUpperArm RightLowerArm RightHand
    LeftThumb1 LeftThumb2 LeftThumb3 LeftIndex1 LeftIndex2 LeftIndex3 LeftMiddle1 LeftMiddle2 LeftMiddle3
    LeftRing1 LeftRing2 LeftRing3 LeftLittle1 LeftLittle2 LeftLittle3
    RightThumb1 RightThumb2 RightThumb3 RightIndex1 RightIndex2 RightIndex3 RightMiddle1 RightMiddle2 RightMiddle3
    RightRing1 RightRing2 RightRing3 RightLittle1 RightLittle2 RightLittle3
}

impl Role {
    /// The side of the role; `None` on the middle line.
    pub fn side(self) -> Option<Side> {
        match self.name() {
            name if name.starts_with("Left") => Some(Side::Left),
            name if name.starts_with("Right") => Some(Side::Right),
            _ => None,
        }
    }

    /// The same role on the other side; roles on the middle line stay.
    pub fn mirrored(self) -> Role {
        let other = match self.side() {
            Some(Side::Left) => self.name().replacen("Left", "Right", 1),
            Some(Side::Right) => self.name().replacen("Right", "Left", 1),
            None => return self,
        };
        other.parse().expect("every sided role has a twin")
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = String;

    fn from_str(text: &str) -> Result<Role, String> {
        let found = Role::ALL.iter().find(|role| role.name() == text);
        found
            .copied()
            .ok_or_else(|| format!("'{text}' is not a role; roles are names such as Hips or LeftFoot"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_role_reads_back_and_has_a_twin() {
        for role in Role::ALL {
            assert_eq!(role.name().parse(), Ok(*role));
            assert_eq!(role.mirrored().mirrored(), *role);
            assert_eq!(role.side().is_none(), role.mirrored() == *role);
        }
        assert!("leftfoot".parse::<Role>().is_err());
    }
}
