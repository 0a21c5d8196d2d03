//! Times as people type them.

/// A time with or without its unit: `0.33s`.
pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let value = text.strip_suffix('s').unwrap_or(text).trim().parse::<f64>();
    value
        .ok()
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| "a time is seconds from 0, such as 0.33s".into())
}

/// As [`seconds`], above 0.
pub(crate) fn duration(text: &str) -> Result<f64, String> {
    seconds(text).and_then(|value| match value > 0.0 {
        true => Ok(value),
        false => Err("it must be above 0 s".into()),
    })
}
