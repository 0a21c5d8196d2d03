//! Tolerances of joints by glob: which rule applies to which joint.

use globset::Glob;
use mocap_model::{Joint, Skeleton};

/// A tolerance for the joints whose names match a glob, such as `Finger*`.
#[derive(Clone, Debug, PartialEq)]
pub struct JointRule {
    /// The names of the joints.
    pub joints: Glob,
    /// The greatest error \[m\], above 0.
    pub tolerance: f64,
}

/// Which rule applies to each joint of a skeleton. The last rule that matches applies; end sites have none.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchedRules {
    /// For [`CompressOptions::joint_tolerances`](crate::CompressOptions::joint_tolerances).
    pub tolerances: Vec<(String, f64)>,
    /// For each joint without end sites, in the order of the skeleton: its rule.
    pub by_joint: Vec<Option<usize>>,
    /// Rules that match no joint.
    pub unmatched: Vec<usize>,
}

/// Finds the rule of each joint.
///
/// ```
/// use mocap_compress::{CompressOptions, JointRule, compress, match_rules};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let hands = JointRule { joints: globset::Glob::new("*Hand").unwrap(), tolerance: 1e-3 };
/// let matched = match_rules(&[hands], clip.skeleton());
/// assert!(matched.unmatched.is_empty());
/// let options = CompressOptions { joint_tolerances: matched.tolerances, ..CompressOptions::default() };
/// let compression = compress(&clip, &options)?;
/// # Ok::<(), mocap_compress::CompressError>(())
/// ```
pub fn match_rules(rules: &[JointRule], skeleton: &Skeleton) -> MatchedRules {
    let matchers: Vec<_> = rules.iter().map(|rule| rule.joints.compile_matcher()).collect();
    let mut unmatched: Vec<usize> = (0..rules.len()).collect();
    let mut rule_of = |joint: &Joint| {
        let matches = |rule: &usize| matchers[*rule].is_match(&joint.name);
        unmatched.retain(|rule| !matches(rule));
        (0..rules.len()).rev().find(matches)
    };
    let joints = || skeleton.joints().iter().filter(|joint| !joint.end_site);
    let by_joint: Vec<Option<usize>> = joints().map(&mut rule_of).collect();
    let own = |(joint, rule): (&Joint, &Option<usize>)| {
        rule.map(|rule| (joint.name.clone(), rules[rule].tolerance))
    };
    let tolerances = joints().zip(&by_joint).filter_map(own).collect();
    MatchedRules { tolerances, by_joint, unmatched }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Space, Vector3};

    #[test]
    fn the_last_rule_that_matches_applies_and_end_sites_have_none() {
        let names = ["Hips", "LeftHand", "LeftHand_End"];
        let mut joints: Vec<Joint> = names.map(|name| Joint::new(name, None, Vector3::zeros())).into();
        joints[2].end_site = true;
        let skeleton = Skeleton::new("", Space::default(), joints).unwrap();
        let rule = |glob: &str, tolerance| JointRule { joints: Glob::new(glob).unwrap(), tolerance };
        let rules = [rule("Left*", 1e-3), rule("*Hand", 2e-3), rule("*_End", 3e-3), rule("Tail", 4e-3)];
        let matched = match_rules(&rules, &skeleton);
        assert_eq!(matched.tolerances, [("LeftHand".to_owned(), 2e-3)]);
        assert_eq!(matched.by_joint, [None, Some(1)]);
        assert_eq!(matched.unmatched, [2, 3]);
    }
}
