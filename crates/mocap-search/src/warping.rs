//! Subsequence time warping: where in a long motion a short one occurs, faster or slower.
//!
//! Based on: M. Müller, "Information Retrieval for Music and Motion", 2007, chapter 4. Steps (1, 1), (1, 2) and (2, 1)
//! bound the speed to ½–2. Departing from it, each sample of the query is counted exactly once, so paths of different
//! speeds compare.

use crate::descriptor::{Descriptor, squared_distance};

/// The best path that ends at one sample of the database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending {
    /// The mean squared distance along the path.
    pub cost: f32,
    /// The sample at which it starts.
    pub start: u32,
}

/// The best path of the whole query for each sample at which it may end.
pub fn endings(query: &[Descriptor], database: &[Descriptor]) -> Vec<Ending> {
    let length = query.len();
    let nothing = Ending { cost: f32::INFINITY, start: 0 };
    let mut columns = [vec![nothing; length], vec![nothing; length], vec![nothing; length]];
    let mut costs = vec![0.0; length];
    let mut found = Vec::with_capacity(database.len());
    for (at, sample) in database.iter().enumerate() {
        costs.iter_mut().zip(query).for_each(|(cost, query)| *cost = squared_distance(query, sample));
        let [now, last, before] = &mut columns;
        now[0] = Ending { cost: costs[0], start: at as u32 };
        for n in 1..length {
            let cost = costs[n];
            let mut best = last[n - 1];
            best.cost += cost;
            let faster = before[n - 1].cost + cost;
            if faster < best.cost {
                best = Ending { cost: faster, start: before[n - 1].start };
            }
            if n > 1 {
                let slower = last[n - 2].cost + costs[n - 1] + cost;
                if slower < best.cost {
                    best = Ending { cost: slower, start: last[n - 2].start };
                }
            }
            now[n] = best;
        }
        let end = now[length - 1];
        found.push(Ending { cost: end.cost / length as f32, start: end.start });
        columns.rotate_right(1);
    }
    found
}
