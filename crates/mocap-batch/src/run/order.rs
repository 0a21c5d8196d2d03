//! Puts results into the order of the jobs.

use std::collections::BTreeMap;

/// A reorder buffer.
pub(super) struct Order<T> {
    waiting: BTreeMap<usize, T>,
    due: usize,
}

impl<T> Order<T> {
    pub(super) fn new() -> Order<T> {
        Order { waiting: BTreeMap::new(), due: 0 }
    }

    /// Stores the result of a job.
    pub(super) fn insert(&mut self, job: usize, result: T) {
        self.waiting.insert(job, result);
    }

    /// The next result in order, if it is there.
    pub(super) fn next(&mut self) -> Option<(usize, T)> {
        let result = self.waiting.remove(&self.due)?;
        self.due += 1;
        Some((self.due - 1, result))
    }

    /// Results that still wait for others, which will not come.
    pub(super) fn into_rest(self) -> impl Iterator<Item = (usize, T)> {
        self.waiting.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_out_in_order() {
        let mut order = Order::new();
        order.insert(1, "b");
        order.insert(3, "d");
        assert_eq!(order.next(), None);
        order.insert(0, "a");
        assert_eq!((order.next(), order.next(), order.next()), (Some((0, "a")), Some((1, "b")), None));
        assert_eq!(order.into_rest().collect::<Vec<_>>(), [(3, "d")]);
    }
}
