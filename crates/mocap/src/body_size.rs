//! The size of a body of unknown unit, for messages.

use std::fmt;

use mocap_analysis::{leg_length, stature, tree_diameter};
use mocap_model::{Skeleton, Unit};
use mocap_retarget::map_roles;

use crate::digits::three_digits;

/// Measures of a skeleton [units of the skeleton].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodySize {
    /// The stature estimated from legs and trunk; `None` without legs.
    pub stature: Option<f64>,
    /// Length from hip joint to ankle.
    pub legs: Option<f64>,
    /// The longest path along bones.
    pub longest_path: f64,
}

impl BodySize {
    /// The measures of a skeleton, whose roles are found by names and shape.
    pub fn of(skeleton: &Skeleton) -> BodySize {
        let skeleton = map_roles(skeleton).certain().apply(skeleton);
        BodySize {
            stature: stature(&skeleton),
            legs: leg_length(&skeleton),
            longest_path: tree_diameter(&skeleton),
        }
    }
}

/// As `legs of 210 and a stature of about 450 units fit no usual one (m: 450 m, cm: 4.5 m, …)`.
impl fmt::Display for BodySize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = match (self.stature, self.legs) {
            (Some(stature), Some(legs)) => {
                let (legs, shown) = (three_digits(legs), three_digits(stature));
                write!(f, "legs of {legs} and a stature of about {shown} units fit no usual one")?;
                stature
            }
            _ => {
                let path = three_digits(self.longest_path);
                write!(
                    f,
                    "no legs were found and the longest path along bones, {path} units, fits no usual one"
                )?;
                self.longest_path
            }
        };
        let sizes = Unit::NAMED.iter().filter(|(name, _)| *name != "ft" && *name != "cmu");
        let sizes: Vec<String> =
            sizes.map(|(name, metres)| format!("{name}: {} m", three_digits(size * metres))).collect();
        write!(f, " ({})", sizes.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shows_the_size_in_usual_units() {
        let size = BodySize { stature: Some(450.0), legs: Some(210.5), longest_path: 800.0 };
        let expected = "legs of 210 and a stature of about 450 units fit no usual one (m: 450 m, cm: 4.5 m, mm: 0.45 m, \
                        in: 11.4 m)";
        assert_eq!(size.to_string(), expected);
        let size = BodySize { stature: None, legs: None, longest_path: 8.0 };
        assert!(size.to_string().starts_with("no legs were found and the longest path along bones, 8 units"));
    }
}
