//! The assignment problem: the cheapest pairing of rows and columns.

/// Pairs each row with a column so that the sum of costs is least; `cost(row, column)`, at least as many columns as rows.
///
/// Based on: H. Kuhn, "The Hungarian Method for the assignment problem", 1955, with the potentials of J. Munkres, 1957.
pub(crate) fn assign(rows: usize, columns: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    assert!(rows <= columns, "{rows} rows, {columns} columns");
    const NONE: usize = usize::MAX;
    // Column index 0 stands for the row that is being assigned; other indices are one greater than the
    // column's.
    let (mut of_row, mut of_column) = (vec![0.0; rows + 1], vec![0.0; columns + 1]);
    let mut row_of = vec![NONE; columns + 1];
    let mut way = vec![0usize; columns + 1];
    for row in 0..rows {
        row_of[0] = row;
        let mut column = 0;
        let mut least = vec![f64::INFINITY; columns + 1];
        let mut done = vec![false; columns + 1];
        loop {
            done[column] = true;
            let at = row_of[column];
            let (mut delta, mut next) = (f64::INFINITY, 0);
            for other in 1..=columns {
                if done[other] {
                    continue;
                }
                let reduced = cost(at, other - 1) - of_row[at] - of_column[other];
                if reduced < least[other] {
                    least[other] = reduced;
                    way[other] = column;
                }
                if least[other] < delta {
                    delta = least[other];
                    next = other;
                }
            }
            for other in 0..=columns {
                if done[other] {
                    of_row[row_of[other]] += delta;
                    of_column[other] -= delta;
                } else {
                    least[other] -= delta;
                }
            }
            column = next;
            if row_of[column] == NONE {
                break;
            }
        }
        while column != 0 {
            let before = way[column];
            row_of[column] = row_of[before];
            column = before;
        }
    }
    let mut found = vec![NONE; rows];
    for column in 1..=columns {
        if row_of[column] != NONE {
            found[row_of[column]] = column - 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_least_of_all_pairings() {
        let costs = [[4.0, 1.0, 3.0, 9.0], [2.0, 0.5, 5.0, 9.0], [3.0, 2.0, 2.0, 0.1]];
        let found = assign(3, 4, |row, column| costs[row][column]);
        let sum =
            |pairing: &[usize]| -> f64 { pairing.iter().enumerate().map(|(row, at)| costs[row][*at]).sum() };
        let mut least = f64::INFINITY;
        for a in 0..4 {
            for b in (0..4).filter(|b| *b != a) {
                for c in (0..4).filter(|c| *c != a && *c != b) {
                    least = least.min(sum(&[a, b, c]));
                }
            }
        }
        assert_eq!(sum(&found), least, "{found:?}");
    }
}
