//! Subsequence time warping: finds a short motion in a long one, at other speeds.
//!
//! Based on: M. Müller, "Information Retrieval for Music and Motion", 2007, chapter 4. Steps (1, 1), (1, 2) and (2, 1)
//! bound the speed to ½–2. Unlike there, each sample of the query is counted exactly once, so that costs of paths at
//! different speeds are comparable.

use crate::widest::widest;

/// Number of samples of the query that are compared in parallel.
const LANES: usize = 8;

/// Number of independent sums of a distance; the size of a sample is a multiple of it.
const SUMS: usize = 4;

/// The best path that ends at one sample of the database.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ending {
    /// The mean squared distance along the path.
    pub cost: f32,
    /// The sample at which it starts.
    pub start: u32,
}

/// A query in the memory layout of the comparison: [`LANES`] samples interleaved number by number.
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
            // Independent sums, whose additions overlap.
            let mut sums = [[0.0f32; LANES]; SUMS];
            for (numbers, values) in block.as_chunks::<SUMS>().0.iter().zip(sample.as_chunks::<SUMS>().0) {
                for k in 0..SUMS {
                    for lane in 0..LANES {
                        let difference = numbers[k][lane] - values[k];
                        sums[k][lane] += difference * difference;
                    }
                }
            }
            let [a, b, c, d] = sums;
            let sums = std::array::from_fn(|lane| (a[lane] + b[lane]) + (c[lane] + d[lane]));
            *distances = sums;
        }
    }
}

/// The best paths that end at each sample of the query and at one sample of the database.
#[derive(Default)]
struct Column {
    costs: Padded<f32>,
    starts: Padded<u32>,
}

/// Values by sample of a query, in whole blocks, with a block before the first sample.
#[derive(Default)]
struct Padded<T>(Vec<T>);

impl<T: Copy> Padded<T> {
    fn clear(&mut self, value: T, blocks: usize) {
        self.0.clear();
        self.0.resize((blocks + 1) * LANES, value);
    }

    /// A block, `back` samples earlier.
    #[inline(always)]
    fn block(&self, block: usize, back: usize) -> &[T; LANES] {
        self.0[(block + 1) * LANES - back..].first_chunk().expect("a block is before the first sample")
    }
}

impl Column {
    fn clear(&mut self, blocks: usize) {
        self.costs.clear(f32::INFINITY, blocks);
        self.starts.clear(0, blocks);
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
            let slow = std::array::from_fn(|lane| slower.0[lane] + passed[lane]);
            let (costs, starts) =
                nearer(nearer((*same.0, *same.1), (*faster.0, *faster.1)), (slow, *slower.1));
            let costs: [f32; LANES] = std::array::from_fn(|lane| costs[lane] + now[lane]);
            let place = (block + 1) * LANES;
            self.costs.0[place..place + LANES].copy_from_slice(&costs);
            self.starts.0[place..place + LANES].copy_from_slice(&starts);
        }
        // The first sample has no predecessor.
        self.costs.0[LANES] = distances.0[LANES];
        self.starts.0[LANES] = at;
    }
}

/// Costs of paths, and where these start.
type Paths = ([f32; LANES], [u32; LANES]);

/// The cheaper paths, lane by lane, the first ones on a tie. Uses masks instead of branches for SIMD.
#[inline(always)]
fn nearer(a: Paths, b: Paths) -> Paths {
    let takes: [u32; LANES] = std::array::from_fn(|lane| if b.0[lane] < a.0[lane] { u32::MAX } else { 0 });
    let mix = |a: u32, b: u32, takes: u32| (a & !takes) | (b & takes);
    let costs = std::array::from_fn(|k| f32::from_bits(mix(a.0[k].to_bits(), b.0[k].to_bits(), takes[k])));
    (costs, std::array::from_fn(|k| mix(a.1[k], b.1[k], takes[k])))
}

/// The best path of the whole query for each sample at which it may end.
pub fn endings<const SIZE: usize>(query: &[[f32; SIZE]], database: &[[f32; SIZE]]) -> Vec<Ending> {
    let mut warping = Warping::default();
    warping.endings(&Lanes::new(query), database);
    warping.found
}

/// Buffers that are reused between motions: a database has thousands of short ones.
#[derive(Default)]
pub(crate) struct Warping {
    columns: [Column; 3],
    distances: Padded<f32>,
    found: Vec<Ending>,
}

impl Warping {
    /// As [`endings`], for a prepared query.
    pub(crate) fn endings<const SIZE: usize>(
        &mut self,
        query: &Lanes<SIZE>,
        database: &[[f32; SIZE]],
    ) -> &[Ending] {
        self.found.clear();
        if query.length > 0 {
            let blocks = query.blocks.len();
            self.columns.iter_mut().for_each(|column| column.clear(blocks));
            self.distances.clear(0.0, blocks);
            widest(
                #[inline(always)]
                || self.fill_all(query, database),
            );
        }
        &self.found
    }

    #[inline(always)]
    fn fill_all<const SIZE: usize>(&mut self, query: &Lanes<SIZE>, database: &[[f32; SIZE]]) {
        let Warping { columns: [now, last, before], distances, found } = self;
        let end = LANES + query.length - 1;
        for (at, sample) in database.iter().enumerate() {
            query.distances(sample, &mut distances.0.as_chunks_mut().0[1..]);
            now.fill(last, before, distances, at as u32);
            let cost = now.costs.0[end] / query.length as f32;
            found.push(Ending { cost, start: now.starts.0[end] });
            std::mem::swap(before, last);
            std::mem::swap(last, now);
        }
    }
}
