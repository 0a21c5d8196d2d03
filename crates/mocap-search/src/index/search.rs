//! The search in an index.

use super::codes::{self, KEY, Key};
use super::{Index, IndexedMotion};
use crate::descriptor::{Descriptor, Weights, descriptors};
use crate::find::{Aligned, FEWEST, Found, QuerySide, Searched, aligned, best, hits};
use crate::motion::RATE;
use crate::{FindOptions, Hit, Query};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;
use std::sync::OnceLock;

/// The fewest keys that the first pass sees of a query.
const KEYS: usize = 3;
/// Pairs of a key of a motion and eight keys of the query that the first pass compares, at most.
const PAIRS: usize = 230_000;
/// Places that the second pass looks at.
const PLACES: usize = 600;
/// Its keys are means over so many times fewer samples \[power of 2\].
const FINER: usize = 2;
/// Places that the third pass looks at: at least, at most, and for each hit that is asked for.
const LOOKED_AT: (usize, usize, usize) = (40, 300, 4);
/// Pairs of samples that the third pass compares, about, between these bounds.
const COMPARED: usize = 300_000;
/// Keys are means over 2 to the power of fewer than this many samples.
const LEVELS: usize = 16;

/// An index, prepared for searches: what the first pass sees is kept from one search to the next.
#[derive(Debug)]
pub struct Searcher<'a> {
    index: &'a Index,
    levels: [OnceLock<Level>; LEVELS],
}

/// The keys of all motions.
#[derive(Debug)]
struct Level {
    keys: Vec<Key>,
    /// By motion: its place in the index, and its keys.
    motions: Vec<(usize, Range<usize>)>,
}

/// A place at which a motion of an index may be like the query.
struct Place {
    clip: usize,
    mirrored: bool,
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
            let (mut keys, mut motions) = (Vec::new(), Vec::new());
            for (at, motion) in self.index.motions() {
                let start = keys.len();
                codes::keys(&motion.codes, 1 << level, &mut keys);
                motions.push((at, start..keys.len()));
            }
            Level { keys, motions }
        })
    }

    /// The hits of a query, best first, each with the place of its clip in the index. `own` is the clip that the query
    /// is a range of: that range is left out.
    pub fn find(&self, query: &Query, own: Option<usize>, options: &FindOptions) -> Vec<Hit> {
        let mut places = self.places(query, options);
        places.sort_by_key(|place| (place.clip, place.mirrored, place.range.start));
        let mut all = Vec::new();
        for of_clip in places.chunk_by(|a, b| a.clip == b.clip) {
            let clip = of_clip[0].clip;
            let Ok(motion) = &self.index.clips[clip].motion else { continue };
            let mut found = Vec::new();
            for of_side in of_clip.chunk_by(|a, b| a.mirrored == b.mirrored) {
                let mirrored = of_side[0].mirrored;
                for range in joined(of_side.iter().map(|place| place.range.clone())) {
                    let shift = range.start;
                    let parts =
                        aligned(&query.sides[usize::from(mirrored)], &described(motion, range), FEWEST);
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

    /// Where the last pass looks.
    fn places(&self, query: &Query, options: &FindOptions) -> Vec<Place> {
        let length = query.samples();
        let level = self.first_level(length);
        let mut places = Vec::new();
        let mut sides = sides(query, level);
        let Level { keys, motions } = self.level(level);
        let (least, enough, each) = LOOKED_AT;
        let most = PLACES.max(2 * each * options.top);
        for (mirrored, side) in [false, true].into_iter().zip(&sides) {
            for (clip, range) in motions {
                let parts = aligned(side, &keys[range.clone()], 1);
                places.extend(
                    parts.into_iter().map(|part| Place::new(part, (*clip, mirrored), level, options)),
                );
            }
            keep_best(&mut places, most);
        }
        let finer = level.saturating_sub(FINER);
        if finer < level {
            sides = self::sides(query, finer);
            for place in &mut places {
                let Ok(motion) = &self.index.clips[place.clip].motion else { continue };
                let range = place.around(level, motion.codes.len());
                let mut keys = Vec::new();
                codes::keys(&motion.codes[range.clone()], 1 << finer, &mut keys);
                let parts = aligned(&sides[usize::from(place.mirrored)], &keys, 1).into_iter();
                let refined =
                    parts.map(|part| Place::new(part, (place.clip, place.mirrored), finer, options));
                if let Some(best) = refined.min_by(Place::order) {
                    let shift = range.start;
                    *place = Place { range: best.range.start + shift..best.range.end + shift, ..best };
                }
            }
        }
        let compared = length * (length + (6 << finer));
        keep_best(&mut places, (COMPARED / compared).clamp(least, enough).max(each * options.top));
        for place in &mut places {
            let Ok(motion) = &self.index.clips[place.clip].motion else { continue };
            place.range = place.around(finer, motion.codes.len());
        }
        places
    }

    /// As many keys as there is time for, and no fewer than a query needs.
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
    /// A part that was found among keys.
    fn new(part: Aligned, (clip, mirrored): (usize, bool), level: usize, options: &FindOptions) -> Place {
        let range = part.range.start << level..part.range.end << level;
        let Found { score, .. } = Found::new(part, mirrored, options);
        Place { clip, mirrored, range, score }
    }

    /// The range in which the next pass looks: ends are not known better than to two keys.
    fn around(&self, level: usize, samples: usize) -> Range<usize> {
        let reach = 2 << level;
        self.range.start.saturating_sub(reach).min(samples)..(self.range.end + reach).min(samples)
    }

    fn order(&self, other: &Place) -> Ordering {
        let rest = |place: &Place| (place.clip, place.mirrored, place.range.start);
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

/// Both sides of a query, as keys.
fn sides(query: &Query, level: usize) -> [QuerySide<KEY>; 2] {
    query.sides.each_ref().map(|side| QuerySide::new(coarse(&side.samples, 1 << level)))
}

/// The keys of descriptors, each the mean over some samples.
fn coarse(descriptors: &[Descriptor], samples: usize) -> Vec<Key> {
    descriptors
        .chunks(samples)
        .map(|part| {
            let mut mean = [0.0; KEY];
            for descriptor in part {
                let key = codes::key(descriptor);
                mean.iter_mut().zip(key).for_each(|(sum, value)| *sum += value / part.len() as f32);
            }
            mean
        })
        .collect()
}

/// Ranges in their order, those that touch each other as one.
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

/// The descriptors of a range of a motion: those that the whole motion has there.
fn described(motion: &IndexedMotion, range: Range<usize>) -> Vec<Descriptor> {
    // A turn is averaged over a second.
    let reach = (RATE / 2.0) as usize + 1;
    let wider = range.start.saturating_sub(reach)..(range.end + reach).min(motion.codes.len());
    let all = descriptors(&motion.motion(wider.clone()), &Weights::default());
    all[range.start - wider.start..][..range.len()].to_vec()
}
