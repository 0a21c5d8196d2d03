//! Sizes and counts as people type them.

use std::str::FromStr;

use mocap_formats::Limits;

/// A number of bytes above 0: `1073741824`, `500MB`, `1GiB`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ByteSize(pub(crate) usize);

/// A whole number above 0: `20000000`, `20M`, `500k`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Count(pub(crate) usize);

/// The limits that flags state.
pub(crate) fn limits(bytes: Option<ByteSize>, samples: Option<Count>) -> Limits {
    let defaults = Limits::default();
    Limits {
        bytes: bytes.map_or(defaults.bytes, |size| size.0),
        samples: samples.map_or(defaults.samples, |count| count.0),
        ..defaults
    }
}

const BYTES: [(&str, u64); 8] = [
    ("", 1),
    ("B", 1),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];
const COUNTS: [(&str, u64); 4] = [("", 1), ("k", 1000), ("M", 1_000_000), ("G", 1_000_000_000)];

impl FromStr for ByteSize {
    type Err = String;

    fn from_str(text: &str) -> Result<ByteSize, String> {
        let size = number(text, &BYTES);
        size.map(ByteSize).ok_or_else(|| "a size is a number of bytes above 0, such as 500MB or 2GiB".into())
    }
}

impl FromStr for Count {
    type Err = String;

    fn from_str(text: &str) -> Result<Count, String> {
        number(text, &COUNTS).map(Count).ok_or_else(|| "a count is a number above 0, such as 50M".into())
    }
}

/// A number with one of these suffixes, in any case; a fraction is cut.
fn number(text: &str, suffixes: &[(&str, u64)]) -> Option<usize> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, suffix) = (&text[..end], text[end..].trim_start());
    let (_, factor) = suffixes.iter().find(|(name, _)| name.eq_ignore_ascii_case(suffix))?;
    let value = match number.parse::<u64>() {
        Ok(whole) => whole.checked_mul(*factor)?,
        Err(_) => {
            let value = number.parse::<f64>().ok()? * *factor as f64;
            (value < 1e18).then_some(value as u64)?
        }
    };
    usize::try_from(value).ok().filter(|value| *value > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_decimal_and_binary_units() {
        let bytes = |text: &str| text.parse::<ByteSize>().ok().map(|size| size.0);
        assert_eq!(bytes("1073741824"), Some(1 << 30));
        assert_eq!(
            [bytes("1GiB"), bytes("1 gib"), bytes("500MB")],
            [Some(1 << 30), Some(1 << 30), Some(500_000_000)]
        );
        assert_eq!(bytes("1.5kB"), Some(1500));
        for wrong in ["", "0", "-1", "nan", "1 parsec", "GiB", "99999999999999999999", "1e9"] {
            assert_eq!(bytes(wrong), None, "{wrong}");
        }
        let count = |text: &str| text.parse::<Count>().ok().map(|count| count.0);
        assert_eq!([count("20M"), count("500k"), count("1MB")], [Some(20_000_000), Some(500_000), None]);
    }
}
