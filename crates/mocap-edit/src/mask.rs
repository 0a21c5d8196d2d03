//! Masks: some joints of a skeleton, by role, name or glob.

use std::fmt;
use std::str::FromStr;

use globset::{GlobBuilder, GlobMatcher};
use mocap_model::{JointId, Skeleton};

use crate::EditError;

/// Joints by role, name or glob; `NAME/**` also takes all below. Several with commas.
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
            let (name, below) = match text.trim().strip_suffix("/**") {
                Some(name) => (name, true),
                None => (text.trim(), false),
            };
            if name.is_empty() {
                return Err("a mask names joints, such as LeftArm/** or *Hand".to_owned());
            }
            let glob = GlobBuilder::new(name).build().map_err(|error| error.kind().to_string())?;
            Ok(Part { name: name.to_owned(), glob: glob.compile_matcher(), below })
        };
        let parts = text.split(',').map(part).collect::<Result<Vec<_>, _>>()?;
        Ok(Mask { text: text.to_owned(), parts })
    }
}

impl Mask {
    /// By joint of a skeleton with roles, whether the mask takes it.
    ///
    /// # Errors
    /// [`EditError::Mask`] where a part takes no joint.
    pub(crate) fn joints(&self, skeleton: &Skeleton) -> Result<Vec<bool>, EditError> {
        let mut taken = vec![false; skeleton.len()];
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
            if found.is_empty() {
                return Err(EditError::Mask { mask: part.name.clone() });
            }
            for id in found {
                taken[id.index()] = true;
                if part.below {
                    skeleton.subtree(id).iter().for_each(|below| taken[below.index()] = true);
                }
            }
        }
        Ok(taken)
    }
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
            mask.joints(&skeleton).map(|taken| taken.into_iter().filter(|taken| *taken).count())
        };
        assert_eq!(count("LeftUpperLeg").unwrap(), 1);
        let leg = count("LeftUpperLeg/**").unwrap();
        assert!(leg >= 3);
        assert_eq!(count("LeftUpperLeg/**,Head").unwrap(), leg + 1);
        assert_eq!(count("*").unwrap(), skeleton.len());
        assert_eq!(count("Tentacle/**").unwrap_err().code(), "edit::mask");
        assert!("".parse::<Mask>().is_err() && "[".parse::<Mask>().is_err());
    }
}
