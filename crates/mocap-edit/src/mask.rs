//! Masks: how much each joint of a skeleton is changed, by role, name or glob.

use std::fmt;
use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};
use mocap_model::{JointId, ScalarTrack, Skeleton};

use crate::EditError;
use crate::near_joint::near_joint;

/// Joints by role, name or glob, with commas. `NAME/**` also takes all joints below; `NAME/**~3` grows by a third per
/// level, from a third at the joint to 1 two levels below; `NAME=0.5` takes half. Where several parts match a joint,
/// the largest share counts.
///
/// ```
/// let mask: mocap_edit::Mask = "LeftUpperArm/**,Head".parse().unwrap();
/// assert_eq!(mask.to_string(), "LeftUpperArm/**,Head");
/// ```
#[derive(Clone, Debug)]
pub struct Mask {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    name: String,
    glob: GlobMatcher,
    below: bool,
    /// Number of levels over which the share grows to 1.
    depth: usize,
    share: f64,
}

impl Part {
    fn takes_number(&self, name: &str) -> bool {
        let short = name.rsplit(['.', '|', ':', '/']).next().unwrap_or(name);
        !self.below && [name, short].iter().any(|name| self.glob.is_match(name))
    }
}

impl PartialEq for Mask {
    fn eq(&self, other: &Mask) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Mask {
    type Err = String;

    fn from_str(text: &str) -> Result<Mask, String> {
        let part = |text: &str| {
            let (taken, share) = match text.trim().split_once('=') {
                Some((taken, share)) => {
                    let value = share.trim().parse::<f64>().ok().filter(|share| (0.0..=1.0).contains(share));
                    (
                        taken.trim(),
                        value
                            .ok_or_else(|| format!("the share '{share}' of '{taken}' is not from 0 to 1"))?,
                    )
                }
                None => (text.trim(), 1.0),
            };
            let (name, below, depth) = match taken.split_once("/**") {
                Some((name, "")) => (name, true, 1),
                Some((name, rest)) => {
                    let depth = rest.strip_prefix('~').and_then(|depth| depth.parse().ok());
                    let depth = depth.filter(|depth| (1..=1000).contains(depth));
                    (name, true, depth.ok_or_else(|| format!("'{taken}' is not NAME/** or NAME/**~JOINTS"))?)
                }
                None => (taken, false, 1),
            };
            if name.is_empty() {
                return Err("a mask names joints, such as LeftArm/** or *Hand".to_owned());
            }
            let glob = GlobBuilder::new(name).build().map_err(|error| error.kind().to_string())?;
            Ok(Part { name: name.to_owned(), glob: glob.compile_matcher(), below, depth, share })
        };
        let parts = text.split(',').map(part).collect::<Result<Vec<_>, _>>()?;
        Ok(Mask { text: text.to_owned(), parts })
    }
}

mocap_model::text_values! {
    Mask "roles, names or globs with commas; NAME/** takes all below";
}

impl Mask {
    /// The share of each joint of a skeleton with roles, from 0 to 1.
    ///
    /// # Errors
    /// [`EditError::Mask`] where a part matches no joint.
    pub(crate) fn shares(&self, skeleton: &Skeleton) -> Result<Vec<f64>, EditError> {
        self.shares_beside(skeleton, &[])
    }

    /// The share of a scalar track, by its name with or without the prefix of its mesh, from 0 to 1.
    pub(crate) fn share_of_number(&self, name: &str) -> f64 {
        let parts = self.parts.iter().filter(|part| part.takes_number(name));
        parts.map(|part| part.share).fold(0.0, f64::max)
    }

    /// As [`Mask::shares`], but a part may match a scalar track instead of a joint.
    ///
    /// # Errors
    /// [`EditError::Mask`] where a part matches neither.
    pub(crate) fn shares_beside(
        &self,
        skeleton: &Skeleton,
        numbers: &[ScalarTrack],
    ) -> Result<Vec<f64>, EditError> {
        let mut taken = vec![0.0f64; skeleton.len()];
        for part in &self.parts {
            let mut found: Vec<JointId> = skeleton
                .iter()
                .filter(|(_, joint)| {
                    let role = joint.role.map_or("", |role| role.name());
                    part.glob.is_match(&joint.name) || part.glob.is_match(role)
                })
                .map(|(id, _)| id)
                .collect();
            if found.is_empty() {
                found.extend(skeleton.find_by_name_or_role(&part.name));
            }
            if found.is_empty() && !numbers.iter().any(|number| part.takes_number(&number.name)) {
                let mask = part.name.clone();
                return Err(EditError::Mask { near: near_joint(skeleton, &mask), mask });
            }
            for id in found {
                let below = if part.below { skeleton.subtree(id) } else { vec![id] };
                for joint in below {
                    let levels = 1 + levels(skeleton, joint, id);
                    let share = part.share * (levels as f64 / part.depth as f64).min(1.0);
                    taken[joint.index()] = taken[joint.index()].max(share);
                }
            }
        }
        Ok(taken)
    }
}

/// The number of levels from `above` down to `joint`.
fn levels(skeleton: &Skeleton, joint: JointId, above: JointId) -> usize {
    let mut at = joint;
    let mut levels = 0;
    while let Some(parent) = skeleton.joint(at).parent.filter(|_| at != above) {
        (at, levels) = (parent, levels + 1);
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::fixtures::clip;

    #[test]
    fn roles_names_and_globs_take_joints() {
        let walk = clip("alex_walk.bvh");
        let skeleton = Body::of(&walk).skeleton;
        let count = |text: &str| {
            let mask: Mask = text.parse().unwrap();
            mask.shares(&skeleton).map(|taken| taken.into_iter().filter(|taken| *taken > 0.0).count())
        };
        assert_eq!(count("LeftUpperLeg").unwrap(), 1);
        let leg = count("LeftUpperLeg/**").unwrap();
        assert!(leg >= 3);
        assert_eq!(count("LeftUpperLeg/**,Head").unwrap(), leg + 1);
        assert_eq!(count("*").unwrap(), skeleton.len());
        assert_eq!(count("Tentacle/**").unwrap_err().code(), "edit::mask");
        for wrong in ["", "[", "Head=2", "Head=x", "Spine/**~0", "Spine/**3"] {
            assert!(wrong.parse::<Mask>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn shares_grow_from_joint_to_joint() {
        let walk = clip("alex_walk.bvh");
        let skeleton = Body::of(&walk).skeleton;
        let mask: Mask = "LeftUpperArm/**~2,Head=0.25".parse().unwrap();
        let shares = mask.shares(&skeleton).unwrap();
        let of = |name: &str| shares[skeleton.find_by_name_or_role(name).unwrap().index()];
        assert_eq!(
            ["LeftUpperArm", "LeftLowerArm", "LeftHand", "Head", "Hips"].map(of),
            [0.5, 1.0, 1.0, 0.25, 0.0]
        );
    }
}
