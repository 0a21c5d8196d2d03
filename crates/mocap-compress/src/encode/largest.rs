//! The largest of many numbers, without all of them in memory.

/// Keeps the largest numbers of a sequence.
pub(crate) struct Largest {
    /// How many are asked for.
    count: usize,
    /// Up to twice as many.
    kept: Vec<f32>,
    /// So many are at least this.
    least: Option<f32>,
}

impl Largest {
    /// The `count` largest, at least one.
    pub(crate) fn new(count: usize) -> Largest {
        let count = count.max(1);
        Largest { count, kept: Vec::with_capacity(2 * count), least: None }
    }

    #[inline]
    pub(crate) fn push(&mut self, value: f32) {
        if self.least.is_some_and(|least| value.total_cmp(&least).is_le()) {
            return;
        }
        self.kept.push(value);
        if self.kept.len() == 2 * self.count {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let (_, least, _) = self.kept.select_nth_unstable_by(self.count - 1, |a, b| b.total_cmp(a));
        self.least = Some(*least);
        self.kept.truncate(self.count);
    }

    /// The least of them; `None` if there were fewer.
    pub(crate) fn least(mut self) -> Option<f32> {
        if self.kept.len() >= self.count {
            self.cut();
        }
        self.least
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_the_largest_is_that_of_all_sorted() {
        let mut values: Vec<f32> = (0..1000u32).map(|i| (i * 7919 % 613) as f32).collect();
        values.push(f32::INFINITY);
        for count in [1, 2, 10, 500, 1001] {
            let mut largest = Largest::new(count);
            values.iter().for_each(|value| largest.push(*value));
            assert!(largest.kept.capacity() <= 2 * count);
            let mut sorted = values.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            assert_eq!(largest.least(), Some(sorted[count - 1]), "{count}");
        }
        assert_eq!(Largest::new(2).least(), None);
    }
}
