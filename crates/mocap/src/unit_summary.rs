//! The unit of a skeleton, for JSON and for people.

use mocap_model::{Skeleton, UnitSource};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

use crate::known_unit;

/// The unit of a skeleton's lengths, guessed if it is not stated.
///
/// ```
/// let robin = mocap::read_skeleton("../../fixtures/clips/robin.skel")?.value;
/// println!("unit {}", mocap::UnitSummary::of(&robin));
/// # Ok::<(), mocap::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "UnitFact")]
pub struct UnitSummary {
    name: Option<&'static str>,
    metres: Option<f64>,
    source: Option<&'static str>,
}

impl UnitSummary {
    /// The unit of a skeleton.
    pub fn of(skeleton: &Skeleton) -> UnitSummary {
        let unit = known_unit(skeleton);
        UnitSummary {
            name: unit.and_then(|unit| unit.name()),
            metres: unit.map(|unit| unit.metres),
            source: unit.map(|unit| match unit.source {
                UnitSource::File => "file",
                UnitSource::Flag => "flag",
                UnitSource::Guessed => "guessed",
            }),
        }
    }
}

impl fmt::Display for UnitSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(metres), Some(source)) = (self.metres, self.source) else {
            return f.write_str("unknown (--unit states it)");
        };
        let how = match source {
            "file" => "stated in the file",
            "flag" => "stated by a flag",
            _ => "guessed from the size of the skeleton",
        };
        match self.name {
            Some("cmu") => write!(f, "1/0.45 in ({how})"),
            Some(name) => write!(f, "{name} ({how})"),
            None => write!(f, "{} m ({how})", digits(metres)),
        }
    }
}

/// Six significant digits.
fn digits(value: f64) -> String {
    let places = (5 - value.abs().log10().floor() as i32).clamp(0, 300) as usize;
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_significant() {
        assert_eq!(digits(0.0254 / 0.9), "0.0282222");
        assert_eq!(digits(12345678.0), "12345678");
        assert_eq!(digits(0.5), "0.5");
    }
}
