//! How joint names are written: other programs find the joints of a rig by them.

use super::Problem;
use crate::{Finding, text};

/// How names of joints are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameStyle {
    /// As they are, blanks included: `Bip01 Pelvis`.
    #[default]
    Kept,
    /// With `_` in place of blanks and of characters at which some reader would end a name: `Bip01_Pelvis`.
    Safe,
}

impl NameStyle {
    /// The name in a file.
    ///
    /// # Errors
    /// Where names are kept, and a reader would cut this one or lose part of it.
    pub(super) fn written(self, name: &str) -> Result<String, Finding> {
        let written = match self {
            NameStyle::Safe => name.chars().map(|c| if is_safe(c) { c } else { '_' }).collect(),
            NameStyle::Kept => match fault(name) {
                Some(found) => {
                    let name = text::quote(name.as_bytes());
                    return Err(Finding::new(Problem::Name { name: name.clone(), found }).in_joint(name));
                }
                None => name.to_owned(),
            },
        };
        Ok(if written.is_empty() { "joint".into() } else { written })
    }
}

fn is_safe(c: char) -> bool {
    !(c.is_whitespace() || c.is_control() || matches!(c, '{' | '}' | '#' | ','))
}

/// What in a name cannot be written in BVH.
fn fault(name: &str) -> Option<&'static str> {
    let comment = || name.starts_with('#') || name.contains(" #");
    match name {
        _ if name.contains(char::is_control) => Some("a control character"),
        _ if name.contains(['{', '}']) => Some("a bracket"),
        _ if name.trim() != name => Some("a blank at one end"),
        _ if comment() => Some("what reads as a comment"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kept_or_refused() {
        let kept = |name: &str| NameStyle::Kept.written(name).map_err(|error| error.problem.to_string());
        for name in ["Bip01 Pelvis", "mixamorig:Hips", "arm#2", "腰", "a,b", "End Site"] {
            assert_eq!(kept(name).as_deref(), Ok(name));
        }
        assert_eq!(kept("").as_deref(), Ok("joint"));
        for name in ["a{b", "}", "a\0b", "a\nb", "a\tb", " a", "a ", "# a", "a #b"] {
            assert!(kept(name).is_err(), "{name:?}");
        }
        assert_eq!(kept("a{b").unwrap_err(), "a BVH file cannot hold the name 'a{b': it has a bracket");
        let safe = |name: &str| NameStyle::Safe.written(name).unwrap();
        assert_eq!(
            [safe("Bip01 L Thigh"), safe("a{b"), safe("\0"), safe("")],
            ["Bip01_L_Thigh", "a_b", "_", "joint"]
        );
    }
}
