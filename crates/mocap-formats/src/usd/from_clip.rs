//! From clips to what a USD file says.

use std::borrow::Cow;

use mocap_model::{Clip, Skeleton};

use super::document::{Animation, Document};
use crate::body::{self, Style};
use crate::metres::in_metres;
use crate::names::Unique;
use crate::{Finding, Parsed};

/// The document of clips of one skeleton. Warns where the unit of lengths is not known.
///
/// # Errors
/// If a length is not finite in metres.
///
/// # Panics
/// If no clip is given.
pub fn from_clips(clips: &[Clip], mesh: Style) -> Result<Parsed<Document>, Finding> {
    let mut warnings = Vec::new();
    let mut unique = Unique::default();
    let root = identifier(clips[0].skeleton().name(), "Character");
    // Prims of one parent have names of their own.
    ["Skeleton", "Body"].iter().for_each(|taken| drop(unique.claim(taken)));
    let mut animations = Vec::with_capacity(clips.len());
    for clip in clips {
        let name = unique.claim(&identifier(clip.name(), "Animation"));
        let clip = in_metres(Cow::Borrowed(clip), &mut warnings)?.into_owned();
        animations.push(Animation { name, clip });
    }
    let skeleton = animations[0].clip.skeleton().as_ref().clone();
    animations.retain(|animation| animation.clip.frames() > 0);
    let (paths, body) = (paths(&skeleton), body::mesh(&skeleton, mesh));
    Ok(Parsed { value: Document { skeleton, name: root, paths, body, animations }, warnings })
}

/// The paths of joints, with names that USD takes.
fn paths(skeleton: &Skeleton) -> Vec<String> {
    let mut unique = Unique::default();
    let mut paths: Vec<String> = Vec::with_capacity(skeleton.len());
    for joint in skeleton.joints() {
        let name = unique.claim(&identifier(&joint.name, "joint"));
        paths.push(match joint.parent {
            Some(parent) => format!("{}/{name}", paths[parent.index()]),
            None => name,
        });
    }
    paths
}

/// The name with `_` for every character but letters of ASCII, digits and `_`; a digit does not come first.
fn identifier(name: &str, otherwise: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().map(letter).collect();
    match name.chars().next() {
        None => otherwise.to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{name}"),
        Some(_) => name,
    }
}

#[cfg(test)]
mod tests {
    use super::identifier;

    #[test]
    fn names_become_identifiers() {
        let names = ["mixamorig:Hips", "01_01", "", "Hüfte"].map(|name| identifier(name, "joint"));
        assert_eq!(names, ["mixamorig_Hips", "_01_01", "joint", "H_fte"]);
    }
}
