//! Numbers as text.

/// A number with at most six decimals, without trailing zeros, such as `29.97003`.
///
/// ```
/// assert_eq!(mocap::short(30.0), "30");
/// ```
pub fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// As [`short`]; numbers that would be a row of digits have an exponent, such as `1e300`.
pub(crate) fn readable(value: f64) -> String {
    if value == 0.0 || (1e-4..1e9).contains(&value.abs()) { short(value) } else { format!("{value:e}") }
}

/// A number with six significant digits.
pub(crate) fn six_digits(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let places = (5 - value.abs().log10().floor() as i32).clamp(0, 300) as usize;
    let text = format!("{value:.places$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A number with three significant digits, at most six decimals; `0` for less.
pub(crate) fn three_digits(value: f64) -> String {
    let places = (2 - value.abs().max(1e-6).log10().floor() as i32).clamp(0, 6) as usize;
    let text = short((value * 1e6).round() / 1e6);
    match text.as_str() {
        "0" | "-0" => "0".into(),
        _ => short(format!("{value:.places$}").parse().unwrap_or(value)),
    }
}

/// A number with separated thousands, such as `2,070,355`.
///
/// ```
/// assert_eq!(mocap::grouped(2070355), "2,070,355");
/// ```
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(120.0), "120");
        assert_eq!(short(30000.0 / 1001.0), "29.97003");
        assert_eq!(short(0.0), "0");
        assert_eq!(six_digits(0.0254 / 0.9), "0.0282222");
        assert_eq!(six_digits(12345678.0), "12345678");
        assert_eq!((six_digits(0.5), six_digits(0.0)), ("0.5".into(), "0".into()));
        let three = [105.237, -1.5049, 0.012345, 1234.5, 0.0, -1e-9].map(three_digits);
        assert_eq!(three, ["105", "-1.5", "0.0123", "1234", "0", "0"]);
    }

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(2_070_355), "2,070,355");
    }
}
