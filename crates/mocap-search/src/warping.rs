//! Subsequence time warping: where in a long motion a short one occurs, faster or slower.
//!
//! Based on: M. Müller, "Information Retrieval for Music and Motion", 2007, chapter 4. Steps (1, 1), (1, 2) and (2, 1)
//! bound the speed to ½–2. Departing from it, each sample of the query is counted exactly once, so paths of different
//! speeds compare.

use crate::widest::widest;

/// Samples of the query that are compared side by side.
const LANES: usize = 8;

/// The best path that ends at one sample of the database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending {
    /// The mean squared distance along the path.
    pub cost: f32,
    /// The sample at which it starts.
    pub start: u32,
}

/// A query as the comparison reads it: [`LANES`] samples side by side, number by number.
#[derive(Clone, Debug)]
pub(crate) struct Lanes<const SIZE: usize> {
    blocks: Vec<[[f32; LANES]; SIZE]>,
    length: usize,
}

impl<const SIZE: usize> Lanes<SIZE> {
    pub(crate) fn new(query: &[[f32; SIZE]]) -> Lanes<SIZE> {
        let block = |samples: &[[f32; SIZE]]| {
            std::array::from_fn(|k| {
                std::array::from_fn(|lane| samples.get(lane).map_or(0.0, |sample| sample[k]))
            })
        };
        Lanes { blocks: query.chunks(LANES).map(block).collect(), length: query.len() }
    }

    /// The squared distances of all samples of the query from one sample.
    #[inline(always)]
    fn distances(&self, sample: &[f32; SIZE], distances: &mut [[f32; LANES]]) {
        for (block, distances) in self.blocks.iter().zip(distances) {
            let mut sums = [0.0f32; LANES];
            for (numbers, value) in block.iter().zip(sample) {
                for lane in 0..LANES {
                    let difference = numbers[lane] - value;
                    sums[lane] += difference * difference;
                }
            }
            *distances = sums;
        }
    }
}

/// The best paths that end at each sample of the query, and one sample of the database.
struct Column {
    costs: Padded<f32>,
    starts: Padded<u32>,
}

/// Numbers of the samples of a query, whole blocks of them, with a block before the first sample.
struct Padded<T>(Vec<T>);

impl<T: Copy> Padded<T> {
    fn new(value: T, blocks: usize) -> Padded<T> {
        Padded(vec![value; (blocks + 1) * LANES])
    }

    /// A block, `back` samples earlier.
    #[inline(always)]
    fn block(&self, block: usize, back: usize) -> &[T; LANES] {
        self.0[(block + 1) * LANES - back..].first_chunk().expect("a block is before the first sample")
    }
}

impl Column {
    fn new(blocks: usize) -> Column {
        Column { costs: Padded::new(f32::INFINITY, blocks), starts: Padded::new(0, blocks) }
    }

    /// Fills the column from the two before it.
    #[inline(always)]
    fn fill(&mut self, last: &Column, before: &Column, distances: &Padded<f32>, at: u32) {
        let blocks = self.costs.0.len() / LANES - 1;
        for block in 0..blocks {
            let [now, passed] = [0, 1].map(|back| distances.block(block, back));
            let same = (last.costs.block(block, 1), last.starts.block(block, 1));
            let faster = (before.costs.block(block, 1), before.starts.block(block, 1));
            let slower = (last.costs.block(block, 2), last.starts.block(block, 2));
            let (mut costs, mut starts) = (*same.0, *same.1);
            for lane in 0..LANES {
                let takes = faster.0[lane] < costs[lane];
                costs[lane] = if takes { faster.0[lane] } else { costs[lane] };
                starts[lane] = if takes { faster.1[lane] } else { starts[lane] };
                let slow = slower.0[lane] + passed[lane];
                let takes = slow < costs[lane];
                costs[lane] = if takes { slow } else { costs[lane] };
                starts[lane] = if takes { slower.1[lane] } else { starts[lane] };
                costs[lane] += now[lane];
            }
            let place = (block + 1) * LANES;
            self.costs.0[place..place + LANES].copy_from_slice(&costs);
            self.starts.0[place..place + LANES].copy_from_slice(&starts);
        }
        // Nothing comes before the first sample.
        self.costs.0[LANES] = distances.0[LANES];
        self.starts.0[LANES] = at;
    }
}

/// The best path of the whole query for each sample at which it may end.
pub fn endings<const SIZE: usize>(query: &[[f32; SIZE]], database: &[[f32; SIZE]]) -> Vec<Ending> {
    endings_of(&Lanes::new(query), database)
}

/// As [`endings`], of a query that is prepared.
pub(crate) fn endings_of<const SIZE: usize>(query: &Lanes<SIZE>, database: &[[f32; SIZE]]) -> Vec<Ending> {
    widest(#[inline(always)]
    || fill_all(query, database))
}

#[inline(always)]
fn fill_all<const SIZE: usize>(query: &Lanes<SIZE>, database: &[[f32; SIZE]]) -> Vec<Ending> {
    let length = query.length;
    if length == 0 {
        return Vec::new();
    }
    let blocks = query.blocks.len();
    let mut columns = [Column::new(blocks), Column::new(blocks), Column::new(blocks)];
    let mut distances = Padded::new(0.0, blocks);
    let mut found = Vec::with_capacity(database.len());
    let end = LANES + length - 1;
    for (at, sample) in database.iter().enumerate() {
        query.distances(sample, &mut distances.0.as_chunks_mut().0[1..]);
        let [now, last, before] = &mut columns;
        now.fill(last, before, &distances, at as u32);
        found.push(Ending { cost: now.costs.0[end] / length as f32, start: now.starts.0[end] });
        columns.rotate_right(1);
    }
    found
}
