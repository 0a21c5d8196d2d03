//! Times as people type them.

/// A time with or without its unit: `0.33s`.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let value = text.strip_suffix('s').unwrap_or(text).trim().parse::<f64>();
    value
        .ok()
        .filter(|value| value.is_finite() && *value >= 0.0)
        .ok_or_else(|| "a time is seconds from 0, such as 0.33s".into())
}
