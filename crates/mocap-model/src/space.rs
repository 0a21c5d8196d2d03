//! Which way is up and forward, and how long one unit is.

use crate::SignedAxis;

/// The origin of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitSource {
    /// The file says so.
    File,
    /// The user says so.
    Flag,
    /// Inferred from the size of the skeleton.
    Guessed,
    /// Inferred from the sizes of other clips with the same skeleton.
    Voted,
}

impl UnitSource {
    /// Whether the unit is inferred rather than stated by the file or the user.
    pub const fn is_guess(self) -> bool {
        matches!(self, UnitSource::Guessed | UnitSource::Voted)
    }
}

/// The length of one unit of a clip's numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// Metres per unit.
    pub metres: f64,
    /// The origin of this knowledge.
    pub source: UnitSource,
}

impl Unit {
    /// Metres in one unit of the CMU database's files: 1 / 0.45 inches.
    pub const CMU: f64 = 0.0254 / 0.45;

    /// Named lengths of a unit \[m\].
    pub const NAMED: [(&'static str, f64); 6] =
        [("m", 1.0), ("cm", 0.01), ("mm", 0.001), ("in", 0.0254), ("ft", 0.3048), ("cmu", Unit::CMU)];

    /// The metres in a unit by its name in any case: one of [`Unit::NAMED`], or a word as files and people write it, such
    /// as `Centimeters`, `µm` or `inch`.
    ///
    /// ```
    /// use mocap_model::Unit;
    ///
    /// assert_eq!(Unit::metres_of("centimetre"), Some(0.01));
    /// assert_eq!(Unit::metres_of("pixel"), None);
    /// ```
    pub fn metres_of(name: &str) -> Option<f64> {
        let name = name.trim().to_lowercase();
        if let Some((_, metres)) = Unit::NAMED.iter().find(|(known, _)| *known == name) {
            return Some(*metres);
        }
        match name.as_str() {
            "inch" | "inches" => return Some(0.0254),
            "feet" | "foot" => return Some(0.3048),
            "micron" | "microns" => return Some(1e-6),
            _ => {}
        }
        // The micro sign and the Greek letter are two characters.
        const PREFIXES: [(&str, &[&str], f64); 6] = [
            ("kilo", &["k"], 1e3),
            ("deci", &["d"], 0.1),
            ("centi", &["c"], 0.01),
            ("milli", &["m"], 0.001),
            ("micro", &["u", "\u{b5}", "\u{3bc}"], 1e-6),
            ("nano", &["n"], 1e-9),
        ];
        let is_metre = |word: &str| matches!(word, "meter" | "meters" | "metre" | "metres");
        if is_metre(&name) {
            return Some(1.0);
        }
        let means = |(word, letters, _): &&(&str, &[&str], f64)| {
            let spelled = name.strip_prefix(word).is_some_and(is_metre);
            let short = |letter: &&str| name.strip_prefix(*letter) == Some("m");
            spelled || letters.iter().any(short)
        };
        PREFIXES.iter().find(means).map(|(_, _, metres)| *metres)
    }

    /// The usual name of the unit, if it has one.
    pub fn name(&self) -> Option<&'static str> {
        Unit::NAMED
            .iter()
            .find(|(_, metres)| (metres / self.metres - 1.0).abs() < 1e-9)
            .map(|(name, _)| *name)
    }
}

/// The axes and the unit of the numbers of a skeleton and its clips.
///
/// ```
/// use mocap_model::{SignedAxis, Space, Unit, UnitSource};
///
/// let centimetres = Unit { metres: 0.01, source: UnitSource::Flag };
/// let space = Space { unit: Some(centimetres), ..Space::default() };
/// assert_eq!((space.up, space.metres()), (SignedAxis::Y, Some(0.01)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Space {
    /// The direction away from the floor.
    pub up: SignedAxis,
    /// The direction a character in its rest pose looks.
    pub forward: SignedAxis,
    /// The unit; `None` if it is not known.
    pub unit: Option<Unit>,
}

impl Default for Space {
    /// Y up, Z forward, unit unknown.
    fn default() -> Space {
        Space { up: SignedAxis::Y, forward: SignedAxis::Z, unit: None }
    }
}

impl Space {
    /// Metres, Z up, X forward: as robots are described.
    pub fn metres_z_up() -> Space {
        let unit = Unit { metres: 1.0, source: UnitSource::File };
        Space { up: SignedAxis::Z, forward: SignedAxis::X, unit: Some(unit) }
    }

    /// Metres per unit, if known.
    pub fn metres(&self) -> Option<f64> {
        self.unit.map(|unit| unit.metres)
    }

    /// Coordinates and scales beyond this are refused, in any unit: squares and products of larger ones overflow, and no
    /// motion is that far.
    pub const FARTHEST: f64 = 1e12;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_have_many_names() {
        let named = [
            (1.0, vec!["m", "M", "meter", "Meters", "metre", " METRES "]),
            (0.01, vec!["cm", "centimeter", "Centimetres", "centimetre", "centimeters"]),
            (0.001, vec!["mm", "millimeter", "MILLIMETRES"]),
            (0.1, vec!["dm", "decimetre", "decimeters"]),
            (1e-6, vec!["um", "\u{b5}m", "\u{3bc}m", "micrometer", "micrometres", "micron"]),
            (1e-9, vec!["nm", "nanometer"]),
            (1e3, vec!["km", "kilometers"]),
            (0.0254, vec!["in", "inch", "Inches"]),
            (0.3048, vec!["ft", "feet", "foot"]),
            (Unit::CMU, vec!["cmu"]),
        ];
        for (metres, names) in named {
            for name in names {
                assert_eq!(Unit::metres_of(name), Some(metres), "{name}");
            }
        }
        for other in ["", "units", "pixel", "metric", "mmm", "centi", "deg", "yard"] {
            assert_eq!(Unit::metres_of(other), None, "{other}");
        }
    }
}
