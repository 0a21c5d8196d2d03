//! Small dense systems in flat slices, row after row.

/// Factors a symmetric positive definite matrix (n × n) in place: its lower triangle becomes L of `L · Lᵀ`.
/// `false` if it is not positive definite.
pub(crate) fn cholesky(a: &mut [f64], n: usize) -> bool {
    for j in 0..n {
        for i in j..n {
            let mut sum = a[i * n + j];
            for k in 0..j {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if i == j {
                if sum.is_nan() || sum <= 0.0 {
                    return false;
                }
                a[i * n + i] = sum.sqrt();
            } else {
                a[i * n + j] = sum / a[j * n + j];
            }
        }
    }
    true
}

/// Solves `L · Lᵀ · x = b` in place of `b`.
pub(crate) fn solve(l: &[f64], n: usize, b: &mut [f64]) {
    for i in 0..n {
        let mut sum = b[i];
        for k in 0..i {
            sum -= l[i * n + k] * b[k];
        }
        b[i] = sum / l[i * n + i];
    }
    for i in (0..n).rev() {
        let mut sum = b[i];
        for k in i + 1..n {
            sum -= l[k * n + i] * b[k];
        }
        b[i] = sum / l[i * n + i];
    }
}

/// `a · aᵀ` of a matrix (m × n), into the lower triangle of `out` (m × m).
pub(crate) fn times_transpose(a: &[f64], m: usize, n: usize, out: &mut [f64]) {
    for i in 0..m {
        for j in 0..=i {
            let (left, right) = (&a[i * n..(i + 1) * n], &a[j * n..(j + 1) * n]);
            out[i * m + j] = left.iter().zip(right).map(|(a, b)| a * b).sum();
        }
    }
}

/// `aᵀ · x` of a matrix (m × n), into `out`.
pub(crate) fn transpose_times(a: &[f64], m: usize, n: usize, x: &[f64], out: &mut [f64]) {
    out[..n].fill(0.0);
    for i in 0..m {
        for (out, value) in out[..n].iter_mut().zip(&a[i * n..(i + 1) * n]) {
            *out += value * x[i];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_solved() {
        // A · Aᵀ of [[2, 0, 1], [1, 3, 0]]
        let a = [2.0, 0.0, 1.0, 1.0, 3.0, 0.0];
        let mut gram = [0.0; 4];
        times_transpose(&a, 2, 3, &mut gram);
        assert_eq!([gram[0], gram[2], gram[3]], [5.0, 2.0, 10.0]);
        assert!(cholesky(&mut gram, 2));
        let mut x = [9.0, 22.0];
        solve(&gram, 2, &mut x);
        assert!((x[0] - 1.0).abs() < 1e-15 && (x[1] - 2.0).abs() < 1e-15, "{x:?}");
        let mut back = [0.0; 3];
        transpose_times(&a, 2, 3, &x, &mut back);
        assert!((back[1] - 6.0).abs() < 1e-14);
    }

    #[test]
    fn what_is_not_positive_definite_is_reported() {
        assert!(!cholesky(&mut [1.0, 0.0, 2.0, 1.0], 2));
        assert!(!cholesky(&mut [f64::NAN], 1));
    }
}
