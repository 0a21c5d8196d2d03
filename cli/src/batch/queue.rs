//! The order of the work: the biggest input first, so that the last one to be done is a small one.
//!
//! Rows are printed in the order of the inputs, so those of inputs done early have to wait. Where too many wait,
//! the inputs are taken in their own order until they are printed: memory does not grow with the number of inputs.

use std::cmp::Reverse;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Job;

/// Text that may wait before the order changes [bytes].
const PATIENCE: usize = 32 << 20;

/// Which input is next.
pub(super) struct Queue {
    state: Mutex<State>,
    room: Condvar,
    patience: usize,
}

struct State {
    by_size: Vec<u32>,
    taken: Vec<bool>,
    /// Everything before is taken, by size and in order.
    size_at: usize,
    order_at: usize,
    /// Text that waits [bytes].
    waiting: usize,
    /// The input whose row is printed next.
    due: usize,
}

impl Queue {
    pub(super) fn new(jobs: &[Job]) -> Queue {
        Queue::with_patience(jobs.iter().map(|job| job.bytes).collect(), PATIENCE)
    }

    fn with_patience(sizes: Vec<u64>, patience: usize) -> Queue {
        let count = u32::try_from(sizes.len()).expect("fewer inputs than 2^32");
        let mut by_size: Vec<u32> = (0..count).collect();
        by_size.sort_by_key(|&i| Reverse(sizes[i as usize]));
        let taken = vec![false; by_size.len()];
        let state = State { by_size, taken, size_at: 0, order_at: 0, waiting: 0, due: 0 };
        Queue { state: Mutex::new(state), room: Condvar::new(), patience }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next input; `None` where there is none left. Waits where far too many rows do.
    pub(super) fn take(&self) -> Option<usize> {
        let mut state = self.state();
        loop {
            let State { by_size, taken, size_at, order_at, .. } = &mut *state;
            while by_size.get(*size_at).is_some_and(|&i| taken[i as usize]) {
                *size_at += 1;
            }
            while taken.get(*order_at) == Some(&true) {
                *order_at += 1;
            }
            let biggest = *by_size.get(*size_at)? as usize;
            // The row that all others wait for is in the making: nothing is gained by making more.
            if state.waiting > 2 * self.patience && state.due < state.order_at {
                let slept = self.room.wait_timeout(state, Duration::from_millis(100));
                state = slept.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            let next = if state.waiting > self.patience { state.order_at } else { biggest };
            state.taken[next] = true;
            return Some(next);
        }
    }

    /// A row begins to wait.
    pub(super) fn waits(&self, bytes: usize) {
        self.state().waiting += bytes;
    }

    /// The row that was due is printed.
    pub(super) fn printed(&self, bytes: usize) {
        let mut state = self.state();
        state.waiting -= bytes;
        state.due += 1;
        self.room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(queue: &Queue) -> Vec<usize> {
        std::iter::from_fn(|| queue.take()).collect()
    }

    #[test]
    fn the_biggest_is_first_and_equals_keep_their_order() {
        assert_eq!(all(&Queue::with_patience(vec![1, 5, 3, 5], 10)), [1, 3, 2, 0]);
        assert_eq!(Queue::with_patience(vec![], 10).take(), None);
    }

    #[test]
    fn where_rows_pile_up_the_order_is_that_of_the_inputs() {
        let queue = Queue::with_patience(vec![1, 2, 3, 4, 5, 6], 10);
        assert_eq!(queue.take(), Some(5));
        queue.waits(11);
        assert_eq!((queue.take(), queue.take()), (Some(0), Some(1)));
        // The rows of 0 and 1 come and are printed; there is room again when that of 5 is.
        queue.waits(3);
        queue.printed(3);
        assert_eq!(queue.take(), Some(2));
        queue.printed(11);
        assert_eq!(all(&queue), [4, 3]);
    }

    #[test]
    fn far_too_many_rows_hold_up_the_work_until_they_are_printed() {
        let queue = Queue::with_patience(vec![1, 2, 3], 10);
        assert_eq!((queue.take(), queue.take()), (Some(2), Some(1)));
        queue.waits(21);
        // The row that is due is not even begun: that is never held up.
        assert_eq!(queue.take(), Some(0));
        let queue = Queue::with_patience(vec![1, 2, 3], 10);
        queue.waits(21);
        assert_eq!(queue.take(), Some(0));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| queue.take());
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished());
            queue.printed(21);
            assert_eq!(waiting.join().unwrap(), Some(2));
        });
    }
}
