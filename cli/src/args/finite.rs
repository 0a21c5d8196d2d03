//! Numbers as people type them.

/// A finite number.
pub(super) fn finite(text: &str) -> Result<f64, String> {
    let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
    value.ok_or_else(|| "a number is expected, such as 0.5".into())
}
