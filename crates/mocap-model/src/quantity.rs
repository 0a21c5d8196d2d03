//! Numbers with units, as people type them: lengths, units of length, times, factors.

use std::str::FromStr;

use crate::Unit;

/// A length of zero or more \[m\]: `0.001`, `1mm`, `0.1cm`, `2in`.
///
/// ```
/// use mocap_model::{Length, UnitLength};
///
/// assert_eq!("1mm".parse(), Ok(Length(0.001)));
/// assert_eq!("cm".parse(), Ok(UnitLength(0.01)));
/// assert!("1 yard".parse::<Length>().is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length(
    /// Metres.
    pub f64,
);

/// A length above zero \[m\], such as an error bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LengthAboveZero(
    /// Metres.
    pub f64,
);

/// The length of one unit of a file's numbers \[m\]: its name, or a length (`0.0254`, `2.54cm`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitLength(
    /// Metres.
    pub f64,
);

/// Lengths that a unit may have \[m\]: no file has smaller or larger ones, and with these, lengths
/// in metres stay finite.
const UNITS: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// The smallest factor: from 1 m to 1 nm.
const LEAST_FACTOR: f64 = 1e-9;

/// A finite number above zero, at least 1e-9: what is made smaller or slower by more is gone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor(
    /// The number.
    pub f64,
);

/// A time of 0 or more \[s\]: `0.33`, `2s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seconds(
    /// Seconds.
    pub f64,
);

/// A finite number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finite(
    /// The number.
    pub f64,
);

impl FromStr for Length {
    type Err = String;

    fn from_str(text: &str) -> Result<Length, String> {
        let (number, suffix) = split(text);
        let metres = match suffix {
            "" => 1.0,
            name => Unit::metres_of(name).filter(|_| name != "cmu").ok_or_else(|| {
                format!(
                    "'{suffix}' is not a unit of length; lengths are metres, or end in m, cm, mm, in or ft"
                )
            })?,
        };
        match number.parse::<f64>() {
            Ok(value) if value.is_finite() && value >= 0.0 => Ok(Length(value * metres)),
            _ => Err("a length is a number of metres from 0, or with a unit, such as 1mm".into()),
        }
    }
}

impl FromStr for LengthAboveZero {
    type Err = String;

    fn from_str(text: &str) -> Result<LengthAboveZero, String> {
        if text.starts_with("--") {
            return Err(format!("a length is missing: '{text}' is a flag"));
        }
        // `nan` and `inf` are numbers, not units.
        let number = text.parse::<f64>().is_ok();
        match text.parse::<Length>() {
            Ok(Length(metres)) if metres > 0.0 => Ok(LengthAboveZero(metres)),
            Err(wrong)
                if !number && (split(text).0.parse::<f64>().is_err() || wrong.contains("unit of length")) =>
            {
                Err(wrong)
            }
            _ => Err("it has to be a length above 0, such as 0.1mm or 0.0001 (metres)".into()),
        }
    }
}

impl FromStr for UnitLength {
    type Err = String;

    fn from_str(text: &str) -> Result<UnitLength, String> {
        if let Some(metres) = Unit::metres_of(text) {
            return Ok(UnitLength(metres));
        }
        match text.parse::<Length>() {
            Ok(Length(metres)) if UNITS.contains(&metres) => Ok(UnitLength(metres)),
            _ => {
                let names = Unit::NAMED.map(|(name, _)| name).join(", ");
                let [least, most] = [UNITS.start(), UNITS.end()];
                Err(format!("a unit is one of {names}, or its length in metres, {least:e} to {most:e}"))
            }
        }
    }
}

impl FromStr for Factor {
    type Err = String;

    fn from_str(text: &str) -> Result<Factor, String> {
        match text.parse::<f64>() {
            Ok(factor) if factor.is_finite() && factor >= LEAST_FACTOR => Ok(Factor(factor)),
            Ok(factor) if factor.is_finite() && factor > 0.0 => {
                Err(format!("a factor is a number above 0, at least {LEAST_FACTOR:e}"))
            }
            _ => Err("a factor is a number above 0".into()),
        }
    }
}

impl FromStr for Seconds {
    type Err = String;

    fn from_str(text: &str) -> Result<Seconds, String> {
        match text.strip_suffix('s').unwrap_or(text).trim().parse::<f64>() {
            Ok(value) if value.is_finite() && value >= 0.0 => Ok(Seconds(value)),
            _ => Err("a time is seconds from 0, such as 0.33s".into()),
        }
    }
}

impl FromStr for Finite {
    type Err = String;

    fn from_str(text: &str) -> Result<Finite, String> {
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Finite(value)),
            _ => Err("a number is expected, such as 0.5".into()),
        }
    }
}

/// A number and what follows it; the letter of an exponent belongs to the number.
fn split(text: &str) -> (&str, &str) {
    let start = text.trim_end_matches(char::is_alphabetic).len();
    let (number, suffix) = text.split_at(start);
    (number.trim_end(), suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_metres_or_carry_a_unit() {
        let metres = |text: &str| text.parse().map(|Length(metres)| metres);
        assert_eq!(metres("0.001"), Ok(0.001));
        assert_eq!(metres("1mm"), Ok(0.001));
        assert_eq!(metres("0.1 cm"), Ok(0.001));
        assert_eq!(metres("2IN"), Ok(0.0508));
        assert_eq!(metres("1e-3m"), Ok(0.001));
        assert_eq!(metres("0"), Ok(0.0));
        for wrong in ["", "mm", "-1mm", "nan", "1 yard", "inf", "1cmu", "1e"] {
            assert!(wrong.parse::<Length>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_seconds_with_or_without_their_unit() {
        let seconds = |text: &str| text.parse().map(|Seconds(value)| value);
        assert_eq!((seconds("0.33"), seconds("2s"), seconds("2 s")), (Ok(0.33), Ok(2.0), Ok(2.0)));
        for wrong in ["", "s", "-1", "nan", "inf", "2ms"] {
            assert!(seconds(wrong).unwrap_err().contains("0.33s"), "{wrong}");
        }
    }

    #[test]
    fn factors_leave_something() {
        let factor = |text: &str| text.parse::<Factor>();
        assert_eq!(
            (factor("2"), factor("1e-9"), factor("1e30")),
            (Ok(Factor(2.0)), Ok(Factor(1e-9)), Ok(Factor(1e30)))
        );
        assert!(factor("1e-300").unwrap_err().contains("at least 1e-9"));
        for wrong in ["0", "-1", "nan", "inf", ""] {
            assert!(factor(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lengths_above_zero_leave_out_zero() {
        let above_zero = |text: &str| text.parse::<LengthAboveZero>();
        assert_eq!(above_zero("1mm"), Ok(LengthAboveZero(0.001)));
        for wrong in ["0", "0mm", "-1mm", "nan", "-0", "inf"] {
            assert!(above_zero(wrong).unwrap_err().contains("above 0"), "{wrong}");
        }
        assert!(above_zero("--profile").unwrap_err().contains("is a flag"));
        assert!(above_zero("1 yard").unwrap_err().contains("yard"));
    }

    #[test]
    fn units_are_names_or_metres() {
        let unit = |text: &str| text.parse::<UnitLength>();
        assert_eq!(unit("cm"), Ok(UnitLength(0.01)));
        assert_eq!(unit("cmu"), Ok(UnitLength(Unit::CMU)));
        assert_eq!(unit("0.0254"), Ok(UnitLength(0.0254)));
        for wrong in ["", "0", "yard", "-1", "1e300", "1e-12", "1e10ft"] {
            assert!(unit(wrong).is_err(), "{wrong}");
        }
    }
}
