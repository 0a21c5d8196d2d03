//! Small tables of numbers as CSV.

use crate::EditError;

/// The rows of a table of `N` columns. A first row of words is a header; empty lines and lines that
/// start with `#` are left out.
pub(crate) fn rows<const N: usize>(what: &'static str, text: &str) -> Result<Vec<[f64; N]>, EditError> {
    let mut rows = Vec::new();
    let mut header = true;
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let cells: Vec<Result<f64, _>> = line.split(',').map(|cell| cell.trim().parse::<f64>()).collect();
        let words = cells.iter().all(Result::is_err);
        if std::mem::take(&mut header) && words {
            continue;
        }
        let values: Vec<f64> =
            cells.into_iter().filter_map(Result::ok).filter(|value| value.is_finite()).collect();
        let row: [f64; N] = values.try_into().map_err(|_| EditError::Table {
            what,
            line: at + 1,
            reason: format!("expected {N} numbers with commas, found '{line}'"),
        })?;
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_numbers_with_a_header_or_without() {
        assert_eq!(rows::<2>("table", "time,x\n# none\n\n1, 2\n3,4").unwrap(), [[1.0, 2.0], [3.0, 4.0]]);
        for (wrong, line) in [("1,2\na,b", 2), ("1", 1), ("1,nan", 1), ("x,y\n1,2,3", 2)] {
            assert!(
                matches!(rows::<2>("table", wrong), Err(EditError::Table { line: found, .. }) if found == line)
            );
        }
    }
}
