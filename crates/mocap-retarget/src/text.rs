//! Lengths, roles and tables as text.

/// A length [m] in millimetres, to a tenth.
pub(crate) fn millimetres(metres: f64) -> String {
    format!("{:.1}", metres * 1000.0)
}

/// A score with two decimals.
pub(crate) fn rounded(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

/// `LeftUpperLeg` as separate lower-case words.
pub(crate) fn spaced(role: &str) -> String {
    let mut words = String::new();
    for letter in role.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

/// Indented lines; each column is as wide as its widest cell.
pub(crate) fn aligned<const N: usize>(table: &[[String; N]]) -> Vec<String> {
    let width =
        |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(48);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned()
    };
    table.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_become_words() {
        assert_eq!(spaced("LeftUpperLeg"), "left upper leg");
        assert_eq!(spaced("Hips"), "hips");
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let table = [["a", "b"], ["wide", "c"]].map(|row| row.map(str::to_owned));
        assert_eq!(aligned(&table), ["  a     b", "  wide  c"]);
    }
}
