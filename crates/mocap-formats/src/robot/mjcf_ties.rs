//! `<equality>` of MJCF: joints that follow others or are held, and loops.

use std::collections::HashSet;

use mocap_model::{Limit, Mimic, RobotParts};

use super::Problem;
use super::element::Element;
use crate::Finding;

/// The warning about bodies that `<equality>` ties to others, which a tree does not hold.
pub(super) fn loops(root: &Element, parts: &RobotParts) -> Option<Finding> {
    let ties = root.all("equality").flat_map(|equality| &equality.children);
    let ties = ties
        .filter(|tie| matches!(tie.name.as_str(), "connect" | "weld") && tie.get("active") != Some("false"));
    let is_robot = |name: &str| parts.bodies.iter().any(|body| body.name == name);
    let mut ties = ties.filter(|tie| tie.get("body1").is_none_or(is_robot));
    let first = ties.next()?;
    let problem = Problem::Loop { element: first.name.clone() };
    Some(Finding { count: 1 + ties.count(), ..Finding::new(problem) })
}

/// Sets joints that `<equality>` makes a linear function of another, or holds at a value. Those of joints in `others`,
/// outside the robot, are skipped.
pub(super) fn set_mimics(
    root: &Element,
    parts: &mut RobotParts,
    others: &HashSet<&str>,
) -> Result<(), Finding> {
    for tie in root.all("equality").flat_map(|equality| equality.all("joint")) {
        if tie.boolean("active")? == Some(false) {
            continue;
        }
        let find = |name: &str| match parts.joints.iter().position(|joint| joint.name == name) {
            None if others.contains(name) => Ok(None),
            None => Err(tie.error(Problem::Unknown { what: "joint", name: name.to_owned() })),
            found => Ok(found),
        };
        let driven = find(tie.require("joint1")?)?;
        let followed = tie.get("joint2").map(find).transpose()?;
        let (Some(driven), false) = (driven, followed == Some(None)) else { continue };
        let curve = match tie.get("polycoef") {
            Some(value) => tie.numbers_in("polycoef", value)?,
            None => vec![0.0, 1.0],
        };
        let at = |index: usize| curve.get(index).copied().unwrap_or(0.0);
        let Some(followed) = followed.flatten() else {
            let value = parts.joints[driven].reference + at(0);
            parts.joints[driven].limit = Some(Limit { min: value, max: value });
            continue;
        };
        if curve.iter().skip(2).any(|coefficient| *coefficient != 0.0) {
            let what = "a joint tied to another by a curve".to_owned();
            return Err(tie.error(Problem::Unsupported { what }));
        }
        let [own, other] = [driven, followed].map(|joint| parts.joints[joint].reference);
        let offset = own + at(0) - at(1) * other;
        let mut next = parts.joints[followed].mimic;
        while let Some(mimic) = next {
            if mimic.joint == driven {
                break;
            }
            next = parts.joints[mimic.joint].mimic;
        }
        if next.is_some() || followed == driven {
            let joint = parts.joints[driven].name.clone();
            return Err(tie.error(Problem::MimicCircle { joint }));
        }
        parts.joints[driven].mimic = Some(Mimic { joint: followed, factor: at(1), offset });
    }
    Ok(())
}
