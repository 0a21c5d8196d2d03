//! Numbers with units, as typed: lengths, units of length, rates, factors.

use std::time::Duration;

use mocap_model::{FrameRate, Unit};

/// A length [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Length(pub(crate) f64);

/// The length of one unit of a file's numbers [m].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct UnitLength(pub(crate) f64);

/// Reads a length of zero or more: `0.001`, `1mm`, `0.1cm`, `2in`.
pub(crate) fn length(text: &str) -> Result<Length, String> {
    let (number, suffix) = split(text);
    let metres = match suffix {
        "" => 1.0,
        name => named(name).filter(|_| name != "cmu").ok_or_else(|| {
            format!("'{suffix}' is not a unit of length; lengths are metres, or end in m, cm, mm, in or ft")
        })?,
    };
    match number.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(Length(value * metres)),
        _ => Err("a length is a number of metres from 0, or with a unit, such as 1mm".into()),
    }
}

/// Reads a length above zero, such as an error that is to be kept.
pub(crate) fn above_zero(text: &str) -> Result<Length, String> {
    if text.starts_with("--") {
        return Err(format!("a length is missing: '{text}' is a flag"));
    }
    // `nan` and `inf` are numbers, and no units.
    let number = text.parse::<f64>().is_ok();
    match length(text) {
        Ok(Length(metres)) if metres > 0.0 => Ok(Length(metres)),
        Err(wrong)
            if !number && (split(text).0.parse::<f64>().is_err() || wrong.contains("unit of length")) =>
        {
            Err(wrong)
        }
        _ => Err("it has to be a length above 0, such as 0.1mm or 0.0001 (metres)".into()),
    }
}

/// Reads a unit: its name, or its length in metres (`0.0254`, `2.54cm`).
pub(crate) fn unit(text: &str) -> Result<UnitLength, String> {
    if let Some(metres) = named(text) {
        return Ok(UnitLength(metres));
    }
    match length(text) {
        Ok(Length(metres)) if metres > 0.0 => Ok(UnitLength(metres)),
        _ => {
            let names = Unit::NAMED.map(|(name, _)| name).join(", ");
            Err(format!("a unit is one of {names}, or its length in metres above 0"))
        }
    }
}

/// Reads a frame rate: a number above 0, or a fraction such as `30000/1001`.
pub(crate) fn fps(text: &str) -> Result<FrameRate, String> {
    let (over, under) = text.split_once('/').unwrap_or((text, "1"));
    let parsed = over.parse::<f64>().ok().zip(under.parse::<f64>().ok());
    parsed
        .and_then(|(over, under)| FrameRate::new(over / under))
        .ok_or_else(|| "a frame rate is a number above 0, or a fraction such as 30000/1001".into())
}

/// Reads a time in seconds above 0.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.filter(|time| !time.is_zero()).ok_or_else(|| "a time is a number of seconds above 0".into())
}

/// Reads a factor: a finite number above 0.
pub(crate) fn factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor > 0.0 => Ok(factor),
        _ => Err("a factor is a number above 0".into()),
    }
}

fn named(name: &str) -> Option<f64> {
    Unit::NAMED.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, metres)| *metres)
}

/// A number and what follows it; the letter of an exponent belongs to the number.
fn split(text: &str) -> (&str, &str) {
    let start = text.trim_end_matches(|c: char| c.is_ascii_alphabetic()).len();
    let (number, suffix) = text.split_at(start);
    (number.trim_end(), suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_metres_or_carry_a_unit() {
        let metres = |text| length(text).map(|length| length.0);
        assert_eq!(metres("0.001"), Ok(0.001));
        assert_eq!(metres("1mm"), Ok(0.001));
        assert_eq!(metres("0.1 cm"), Ok(0.001));
        assert_eq!(metres("2IN"), Ok(0.0508));
        assert_eq!(metres("1e-3m"), Ok(0.001));
        assert_eq!(metres("0"), Ok(0.0));
        for wrong in ["", "mm", "-1mm", "nan", "1 yard", "inf", "1cmu", "1e"] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lengths_above_zero_leave_out_zero() {
        assert_eq!(above_zero("1mm"), Ok(Length(0.001)));
        for wrong in ["0", "0mm", "-1mm", "nan", "-0", "inf"] {
            assert!(above_zero(wrong).unwrap_err().contains("above 0"), "{wrong}");
        }
        assert!(above_zero("--profile").unwrap_err().contains("is a flag"));
        assert!(above_zero("1 yard").unwrap_err().contains("yard"));
    }

    #[test]
    fn units_are_names_or_metres() {
        assert_eq!(unit("cm"), Ok(UnitLength(0.01)));
        assert_eq!(unit("cmu"), Ok(UnitLength(Unit::CMU)));
        assert_eq!(unit("0.0254"), Ok(UnitLength(0.0254)));
        for wrong in ["", "0", "yard", "-1"] {
            assert!(unit(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_seconds() {
        assert_eq!(seconds("1.5"), Ok(Duration::from_millis(1500)));
        for wrong in ["0", "-1", "nan", "inf", "1s", ""] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn rates_are_numbers_or_fractions() {
        let rate = |text| fps(text).map(FrameRate::fps);
        assert_eq!(rate("30"), Ok(30.0));
        assert_eq!(rate("30000/1001"), Ok(30000.0 / 1001.0));
        for wrong in ["0", "-30", "30/0", "thirty", ""] {
            assert!(fps(wrong).is_err(), "{wrong}");
        }
    }
}
