//! The search in an index.

use super::codes::{self, KEY, Key};
use super::{Index, IndexedMotion};
use crate::descriptor::{Descriptor, Weights, descriptors};
use crate::find::{Aligned, FEWEST, Found, QuerySide, Searched, aligned, best, each_aligned, hits};
use crate::motion::RATE;
use crate::warping::Warping;
use crate::{FindOptions, Hit, Query};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::OnceLock;

/// The fewest keys of a query in the first pass.
const KEYS: usize = 3;
/// The most comparisons in the first pass, of a key of a motion with eight keys of the query.
const PAIRS: usize = 230_000;
/// Number of places for the second pass: the least, and the total of their samples. Short queries have many similar
/// places.
const PLACES: (usize, usize) = (600, 16_000);
/// The second pass has keys of so many levels finer \[power of 2\].
const FINER: usize = 2;
/// Number of places for the third pass: the least, the most, and per requested hit.
const LOOKED_AT: (usize, usize, usize) = (40, 300, 4);
/// Approximate number of pairs of samples that the third pass compares, within these bounds.
const COMPARED: usize = 300_000;
/// Number of levels of keys; a key of level n is the mean over 2ⁿ samples.
const LEVELS: usize = 16;

/// An index prepared for searches: the keys of the first pass are kept between searches.
#[derive(Debug)]
pub struct Searcher<'a> {
    index: &'a Index,
    levels: [OnceLock<Level>; LEVELS],
}

/// The keys of all motions.
#[derive(Debug)]
struct Level {
    keys: Vec<Key>,
    /// By motion: its index, and the range of its keys.
    motions: Vec<(usize, Range<usize>)>,
}

/// The motion and side of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Of {
    clip: usize,
    /// Its index among those that can be searched.
    motion: usize,
    mirrored: bool,
}

/// A place in a motion of an index that may match the query.
struct Place {
    of: Of,
    /// In samples of the motion.
    range: Range<usize>,
    score: f32,
}

impl<'a> Searcher<'a> {
    /// A search in an index.
    pub fn new(index: &'a Index) -> Searcher<'a> {
        Searcher { index, levels: Default::default() }
    }

    fn level(&self, level: usize) -> &Level {
        self.levels[level].get_or_init(|| {
            let finer = level.checked_sub(1).map(|finer| self.level(finer));
            let (mut keys, mut motions) = (Vec::new(), Vec::new());
            for (place, (at, motion)) in self.index.motions().enumerate() {
                let start = keys.len();
                match finer {
                    Some(finer) => codes::halved(&finer.keys[finer.motions[place].1.clone()], &mut keys),
                    None => codes::keys(&motion.codes, &mut keys),
                }
                motions.push((at, start..keys.len()));
            }
            Level { keys, motions }
        })
    }

    /// The hits of a query, best first, each with the place of its clip in the index. `own` is the clip that the query
    /// is a range of: that range is left out.
    pub fn find(&self, query: &Query, own: Option<usize>, options: &FindOptions) -> Vec<Hit> {
        let mut places = self.places(query, options);
        places.sort_by_key(|place| (place.of, place.range.start));
        let (mut all, mut warping) = (Vec::new(), Warping::default());
        for of_clip in places.chunk_by(|a, b| a.of.clip == b.of.clip) {
            let clip = of_clip[0].of.clip;
            let Ok(motion) = &self.index.clips[clip].motion else { continue };
            let mut found = Vec::new();
            for of_side in of_clip.chunk_by(|a, b| a.of.mirrored == b.of.mirrored) {
                let mirrored = of_side[0].of.mirrored;
                for range in joined(of_side.iter().map(|place| place.range.clone())) {
                    let shift = range.start;
                    let side = &query.sides[usize::from(mirrored)];
                    let parts = aligned(&mut warping, side, &described(motion, range), FEWEST);
                    found.extend(parts.into_iter().map(|part| {
                        let range = part.range.start + shift..part.range.end + shift;
                        Found::new(Aligned { range, ..part }, mirrored, options)
                    }));
                }
            }
            let (samples, duration) = (motion.codes.len(), motion.duration);
            let searched = Searched { entry: clip, samples, duration, own: own == Some(clip) };
            all.extend(hits(query, &searched, found, options, |range| Cow::Owned(described(motion, range))));
        }
        best(all, options.top)
    }

    /// The places for the last pass.
    fn places(&self, query: &Query, options: &FindOptions) -> Vec<Place> {
        let length = query.samples();
        let level = self.first_level(length);
        let (least, enough, each) = LOOKED_AT;
        let mut places = self.first_pass(
            query,
            level,
            options,
            PLACES.0.max(PLACES.1 / length).max(2 * each * options.top),
        );
        let finer = level.saturating_sub(FINER);
        if finer < level {
            self.refine(&mut places, &sides(query, finer), (level, finer), options);
        }
        let compared = length * (length + (6 << finer));
        keep_best(&mut places, (COMPARED / compared).clamp(least, enough).max(each * options.top));
        for place in &mut places {
            let samples = self.level(0).motions[place.of.motion].1.len();
            place.range = place.around(finer, samples);
        }
        places
    }

    /// The best places in all motions, by keys of a level.
    fn first_pass(&self, query: &Query, level: usize, options: &FindOptions, most: usize) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::with_capacity(4 * most);
        // The score of the worst place that is kept so far: worse ones can be skipped.
        let mut enough = f32::INFINITY;
        let mut warping = Warping::default();
        let Level { keys, motions } = self.level(level);
        for (mirrored, side) in [false, true].into_iter().zip(&sides(query, level)) {
            for (motion, (clip, range)) in motions.iter().enumerate() {
                let of = Of { clip: *clip, motion, mirrored };
                each_aligned(&mut warping, side, &keys[range.clone()], 1, |part| {
                    let place = Place::new(part, of, level, options);
                    if place.score <= enough {
                        places.push(place);
                    }
                });
                if places.len() >= 4 * most {
                    keep_best(&mut places, most);
                    enough = places.iter().map(|place| place.score).fold(0.0, f32::max);
                }
            }
        }
        keep_best(&mut places, most);
        places
    }

    /// Refines places of one level with keys of a finer one.
    fn refine(
        &self,
        places: &mut [Place],
        sides: &[QuerySide<KEY>; 2],
        (level, finer): (usize, usize),
        options: &FindOptions,
    ) {
        let Level { keys, motions } = self.level(finer);
        let mut warping = Warping::default();
        for place in places {
            let samples = motions[place.of.motion].1.clone();
            let range = place.around(level, samples.len() << finer);
            let near = samples.start + (range.start >> finer)
                ..(samples.start + range.end.div_ceil(1 << finer)).min(samples.end);
            let side = &sides[usize::from(place.of.mirrored)];
            let mut best: Option<Place> = None;
            each_aligned(&mut warping, side, &keys[near], 1, |part| {
                let refined = Place::new(part, place.of, finer, options);
                if best.as_ref().is_none_or(|best| refined.order(best) == Ordering::Less) {
                    best = Some(refined);
                }
            });
            if let Some(best) = best {
                let shift = range.start;
                *place = Place { range: best.range.start + shift..best.range.end + shift, ..best };
            }
        }
    }

    /// The finest level within the number of comparisons, but no coarser than the query needs.
    fn first_level(&self, length: usize) -> usize {
        let samples: usize = self.index.motions().map(|(_, motion)| motion.codes.len()).sum();
        let few = |level: &usize| {
            let blocks = length.div_ceil(1 << level).div_ceil(8);
            (samples >> level) * blocks <= PAIRS
        };
        let coarsest = (length / KEYS).max(1).ilog2() as usize;
        (0..LEVELS).find(few).unwrap_or(LEVELS - 1).min(coarsest)
    }
}

impl Place {
    /// A match among keys.
    fn new(part: Aligned, of: Of, level: usize, options: &FindOptions) -> Place {
        let range = part.range.start << level..part.range.end << level;
        let Found { score, .. } = Found::new(part, of.mirrored, options);
        Place { of, range, score }
    }

    /// The range for the next pass: ends are accurate to two keys only.
    fn around(&self, level: usize, samples: usize) -> Range<usize> {
        let reach = 2 << level;
        self.range.start.saturating_sub(reach).min(samples)..(self.range.end + reach).min(samples)
    }

    fn order(&self, other: &Place) -> Ordering {
        let rest = |place: &Place| (place.of, place.range.start);
        self.score.total_cmp(&other.score).then_with(|| rest(self).cmp(&rest(other)))
    }
}

/// Keeps the best places, in any order.
fn keep_best(places: &mut Vec<Place>, most: usize) {
    if places.len() > most {
        places.select_nth_unstable_by(most, Place::order);
        places.truncate(most);
    }
}

/// Both sides of a query, as keys of a level.
fn sides(query: &Query, level: usize) -> [QuerySide<KEY>; 2] {
    query.sides.each_ref().map(|side| {
        let mut keys: Vec<Key> = side.samples.iter().map(codes::key).collect();
        for _ in 0..level {
            let mut half = Vec::with_capacity(keys.len().div_ceil(2));
            codes::halved(&keys, &mut half);
            keys = half;
        }
        QuerySide::new(keys)
    })
}

/// Sorted ranges, with adjacent ones merged.
fn joined(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match joined.last_mut().filter(|last| range.start <= last.end) {
            Some(last) => last.end = last.end.max(range.end),
            None => joined.push(range),
        }
    }
    joined
}

/// The descriptors of a range, equal to those of the whole motion there.
fn described(motion: &IndexedMotion, range: Range<usize>) -> Vec<Descriptor> {
    // The turn rate is averaged over a second, so samples around the range are needed.
    let reach = (RATE / 2.0) as usize + 1;
    let wider = range.start.saturating_sub(reach)..(range.end + reach).min(motion.codes.len());
    let all = descriptors(&motion.motion(wider.clone()), &Weights::default());
    all[range.start - wider.start..][..range.len()].to_vec()
}
