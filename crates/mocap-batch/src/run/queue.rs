//! The order in which jobs are started: the largest input first, so that the last job to finish is a short one.
//!
//! Results are reported in the order of the jobs, so early results wait. If too many wait, jobs are taken in
//! their own order until the results are reported: memory does not grow with the number of jobs.

use std::cmp::Reverse;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::plan::Job;

/// Memory of waiting results at which the order changes [bytes].
const MOST_WAITING: usize = 32 << 20;

/// Which job is next.
pub(super) struct Queue {
    state: Mutex<State>,
    room: Condvar,
    limit: usize,
}

struct State {
    by_size: Vec<u32>,
    taken: Vec<bool>,
    /// All jobs before these positions are taken, in the order by size and in the order of the jobs.
    size_at: usize,
    order_at: usize,
    /// Memory of the results that wait [bytes].
    waiting: usize,
    /// The job whose result is reported next.
    due: usize,
}

impl Queue {
    pub(super) fn new(jobs: &[Job]) -> Queue {
        Queue::with_limit(jobs.iter().map(|job| job.bytes).collect(), MOST_WAITING)
    }

    fn with_limit(sizes: Vec<u64>, limit: usize) -> Queue {
        let count = u32::try_from(sizes.len()).expect("fewer inputs than 2^32");
        let mut by_size: Vec<u32> = (0..count).collect();
        by_size.sort_by_key(|&i| Reverse(sizes[i as usize]));
        let taken = vec![false; by_size.len()];
        let state = State { by_size, taken, size_at: 0, order_at: 0, waiting: 0, due: 0 };
        Queue { state: Mutex::new(state), room: Condvar::new(), limit }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next job; `None` when none is left. Blocks while far too many results wait.
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
            let largest = *by_size.get(*size_at)? as usize;
            // The result that all others wait for is in progress: more results would only take memory.
            if state.waiting > 2 * self.limit && state.due < state.order_at {
                let slept = self.room.wait_timeout(state, Duration::from_millis(100));
                state = slept.unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            let next = if state.waiting > self.limit { state.order_at } else { largest };
            state.taken[next] = true;
            return Some(next);
        }
    }

    /// Registers a result that waits.
    pub(super) fn waits(&self, bytes: usize) {
        self.state().waiting += bytes;
    }

    /// Registers that the next result in order was reported.
    pub(super) fn reported(&self, bytes: usize) {
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
    fn the_largest_is_first_and_equals_keep_their_order() {
        assert_eq!(all(&Queue::with_limit(vec![1, 5, 3, 5], 10)), [1, 3, 2, 0]);
        assert_eq!(Queue::with_limit(vec![], 10).take(), None);
    }

    #[test]
    fn jobs_are_taken_in_order_while_results_pile_up() {
        let queue = Queue::with_limit(vec![1, 2, 3, 4, 5, 6], 10);
        assert_eq!(queue.take(), Some(5));
        queue.waits(11);
        assert_eq!((queue.take(), queue.take()), (Some(0), Some(1)));
        // The results of 0 and 1 are reported; there is room again after the result of 5.
        queue.waits(3);
        queue.reported(3);
        assert_eq!(queue.take(), Some(2));
        queue.reported(11);
        assert_eq!(all(&queue), [4, 3]);
    }

    #[test]
    fn far_too_many_results_block_the_work_until_they_are_reported() {
        let queue = Queue::with_limit(vec![1, 2, 3], 10);
        assert_eq!((queue.take(), queue.take()), (Some(2), Some(1)));
        queue.waits(21);
        // The next job in order has not started: it is never blocked.
        assert_eq!(queue.take(), Some(0));
        let queue = Queue::with_limit(vec![1, 2, 3], 10);
        queue.waits(21);
        assert_eq!(queue.take(), Some(0));
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| queue.take());
            std::thread::sleep(Duration::from_millis(20));
            assert!(!waiting.is_finished());
            queue.reported(21);
            assert_eq!(waiting.join().unwrap(), Some(2));
        });
    }
}
