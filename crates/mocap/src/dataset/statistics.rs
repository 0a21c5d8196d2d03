//! Mean and standard deviation of arrays over the frames of many clips.

use mocap_formats::arrays::{Array, Arrays, Data, Precision, is_per_frame};

/// Moments of each number of a frame, by array.
#[derive(Clone, Debug, Default)]
pub(super) struct Statistics {
    arrays: Vec<(String, Moments)>,
}

/// Count, mean, and sum of squares about the mean.
#[derive(Clone, Debug)]
struct Moments {
    /// The shape of a frame.
    shape: Vec<usize>,
    count: f64,
    mean: Vec<f64>,
    squares: Vec<f64>,
}

impl Moments {
    /// The moments of one clip, in two passes, which are more accurate than sums of squares.
    fn of(array: &Array) -> Moments {
        let frames = array.shape[0];
        let width: usize = array.shape[1..].iter().product();
        let number = |frame: usize, at: usize| array.data.number(frame * width + at).unwrap_or(0.0);
        let mut mean = vec![0.0; width];
        let mut squares = vec![0.0; width];
        for frame in 0..frames {
            mean.iter_mut().enumerate().for_each(|(at, mean)| *mean += number(frame, at));
        }
        mean.iter_mut().for_each(|mean| *mean /= frames.max(1) as f64);
        for frame in 0..frames {
            for at in 0..width {
                let off = number(frame, at) - mean[at];
                squares[at] += off * off;
            }
        }
        Moments { shape: array.shape[1..].to_vec(), count: frames as f64, mean, squares }
    }

    /// Merges the moments of another clip. Based on: T. Chan, G. Golub, R. LeVeque, "Updating Formulae and a
    /// Pairwise Algorithm for Computing Sample Variances", 1979.
    fn add(&mut self, other: &Moments) {
        let count = self.count + other.count;
        if other.count == 0.0 || self.mean.len() != other.mean.len() {
            return;
        }
        for at in 0..self.mean.len() {
            let off = other.mean[at] - self.mean[at];
            self.mean[at] += off * other.count / count;
            self.squares[at] += other.squares[at] + off * off * self.count * other.count / count;
        }
        self.count = count;
    }
}

impl Statistics {
    /// Adds the frames of a clip. Sums depend on the order of the clips, which is that of the inputs.
    pub(super) fn add(&mut self, clip: &Arrays) {
        let floats = clip.iter().filter(|(name, array)| {
            is_per_frame(name) && matches!(array.data, Data::F32(_) | Data::F64(_)) && array.shape[0] > 0
        });
        for (name, array) in floats {
            let moments = Moments::of(array);
            match self.arrays.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => known.add(&moments),
                None => self.arrays.push((name.to_owned(), moments)),
            }
        }
    }

    /// `NAME_mean` and `NAME_std` of every array, with the shape of a frame.
    pub(super) fn arrays(&self, precision: Precision) -> Arrays {
        let mut arrays = Arrays::default();
        for (name, Moments { shape, count, mean, squares }) in &self.arrays {
            let deviation: Vec<f64> = squares.iter().map(|squares| (squares / count).sqrt()).collect();
            for (suffix, values) in [("mean", mean), ("std", &deviation)] {
                let data = match precision {
                    Precision::F32 => Data::F32(values.iter().map(|value| *value as f32).collect()),
                    Precision::F64 => Data::F64(values.clone()),
                };
                arrays.insert(format!("{name}_{suffix}"), Array::new(shape.clone(), data));
            }
        }
        arrays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips_add_up_to_the_moments_of_all_frames() {
        let values: Vec<f64> = (0..60).map(|i| f64::from(i * i % 17) + 1e6).collect();
        let clip = |rows: std::ops::Range<usize>| {
            let mut arrays = Arrays::default();
            let part = values[2 * rows.start..2 * rows.end].to_vec();
            arrays.insert("root_translation", Array::new([rows.len(), 2], Data::F64(part)));
            arrays
        };
        let (mut parts, mut whole) = (Statistics::default(), Statistics::default());
        [0..7, 7..8, 8..8, 8..30].into_iter().for_each(|rows| parts.add(&clip(rows)));
        whole.add(&clip(0..30));
        let [parts, whole] = [parts, whole].map(|statistics| statistics.arrays(Precision::F64));
        for name in ["root_translation_mean", "root_translation_std"] {
            for at in 0..2 {
                let [a, b] =
                    [&parts, &whole].map(|arrays| arrays.get(name).unwrap().data.number(at).unwrap());
                assert!((a - b).abs() < 1e-9, "{name}: {a} {b}");
            }
        }
        let mean = values.iter().step_by(2).sum::<f64>() / 30.0;
        assert!((parts.get("root_translation_mean").unwrap().data.number(0).unwrap() - mean).abs() < 1e-9);
    }
}
