//! Search by example: finds ranges in a database that are similar to a range of a motion.

use crate::SearchError;
use crate::descriptor::{Descriptor, SIZE, Weights, descriptors};
use crate::motion::{Motion, RATE};
use crate::warping::{Ending, Lanes, Warping, endings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

/// The shortest query \[s\].
pub const SHORTEST: f64 = 0.2;

/// A motion of a database with its descriptors.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The motion.
    pub motion: Motion,
    /// One a sample of the motion.
    pub descriptors: Vec<Descriptor>,
}

impl Entry {
    /// The entry of a motion.
    pub fn new(motion: Motion) -> Entry {
        let descriptors = descriptors(&motion, &Weights::default());
        Entry { motion, descriptors }
    }
}

/// Options of a search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default, deny_unknown_fields)]
pub struct FindOptions {
    /// The number of hits, at most. Default 10.
    pub top: usize,
    /// Whether mirrored hits are ranked equally. Default: their distance counts three times, so a mirrored copy comes
    /// first, but a wave of the other hand comes after waves of the same hand.
    pub both_sides: bool,
}

impl Default for FindOptions {
    fn default() -> FindOptions {
        FindOptions { top: 10, both_sides: false }
    }
}

/// Factor on the distance of a mirrored hit.
const MIRROR_FACTOR: f32 = 3.0;

/// A range of a motion of the database that is similar to the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The index of the motion in the database.
    pub entry: usize,
    /// From the start of the motion \[s\].
    pub start: f64,
    /// End of the range \[s\].
    pub end: f64,
    /// The root mean square distance [leg lengths] of the points of the body and of their displacements in a tenth of a
    /// second.
    pub distance: f64,
    /// The mean angle between the directions of the limbs \[rad\].
    pub angle: f64,
    /// Whether the range is similar to the mirrored query.
    pub mirrored: bool,
    /// The speed of the range relative to the query, from ½ to 2; if the range is a whole clip that matches a part of
    /// the query, relative to that part.
    pub speed: f64,
    /// The share of the query that the range matches, from 0 to 1.
    pub coverage: f64,
    /// The value by which hits are sorted [leg lengths].
    pub score: f64,
}

/// A prepared query.
#[derive(Clone, Debug)]
pub struct Query {
    /// As it is, and mirrored.
    pub(crate) sides: [QuerySide<SIZE>; 2],
    /// The range in its motion \[s\].
    range: Range<f64>,
}

/// A query or its mirror image.
#[derive(Clone, Debug)]
pub(crate) struct QuerySide<const SIZE: usize> {
    pub(crate) samples: Vec<[f32; SIZE]>,
    lanes: Lanes<SIZE>,
}

impl<const SIZE: usize> QuerySide<SIZE> {
    pub(crate) fn new(samples: Vec<[f32; SIZE]>) -> QuerySide<SIZE> {
        let lanes = Lanes::new(&samples);
        QuerySide { samples, lanes }
    }
}

impl Query {
    /// A range of a motion \[s\], or all of it.
    ///
    /// # Errors
    /// Where the range is outside the motion, or shorter than [`SHORTEST`].
    pub fn new(motion: &Motion, range: Option<Range<f64>>) -> Result<Query, SearchError> {
        let range = range.unwrap_or(0.0..motion.duration);
        let (from, to, duration) = (range.start, range.end, motion.duration);
        // Tolerance of a sample: some programs state that a clip of 40 frames lasts 40 frame times.
        if !(from >= 0.0 && from < to && to <= duration + 1.0 / RATE) {
            return Err(SearchError::RangeOutside { from, to, duration });
        }
        let range = from..to.min(duration);
        if range.end - range.start < SHORTEST - 1e-9 {
            return Err(SearchError::ShortQuery { found: range.end - range.start, least: SHORTEST });
        }
        let samples = samples_of(&range, motion.samples.len());
        let weights = Weights::default();
        let side = |motion: &Motion| QuerySide::new(descriptors(motion, &weights)[samples.clone()].to_vec());
        Ok(Query { sides: [side(motion), side(&motion.mirrored())], range })
    }

    /// The duration \[s\].
    pub fn duration(&self) -> f64 {
        self.range.end - self.range.start
    }

    /// Samples of the query.
    pub fn samples(&self) -> usize {
        self.sides[0].samples.len()
    }
}

/// The samples of a range \[s\]; at least three, which velocities need.
fn samples_of(range: &Range<f64>, count: usize) -> Range<usize> {
    let first = ((range.start * RATE).round() as usize).min(count.saturating_sub(3));
    let end = ((range.end * RATE).round() as usize + 1).max(first + 3).min(count);
    first..end
}

/// The hits of a query in one motion, best first; they do not overlap. `entry` is the motion with
/// its index in the database. `own`: whether the query is a range of this motion, which is then
/// left out.
pub fn find_in(query: &Query, entry: (usize, &Entry), own: bool, options: &FindOptions) -> Vec<Hit> {
    let (at, entry) = entry;
    let (mut found, mut warping) = (Vec::new(), Warping::default());
    for (mirrored, side) in [false, true].into_iter().zip(&query.sides) {
        let parts = aligned(&mut warping, side, &entry.descriptors, FEWEST).into_iter();
        found.extend(parts.map(|part| Found::new(part, mirrored, options)));
    }
    let searched =
        Searched { entry: at, samples: entry.descriptors.len(), duration: entry.motion.duration, own };
    hits(query, &searched, found, options, |range| Cow::Borrowed(&entry.descriptors[range]))
}

/// A motion in which ranges were found.
pub(crate) struct Searched {
    pub(crate) entry: usize,
    pub(crate) samples: usize,
    /// \[s\]
    pub(crate) duration: f64,
    /// Whether the query is a range of it.
    pub(crate) own: bool,
}

/// A range of a motion that is similar to the query.
pub(crate) struct Found {
    pub(crate) part: Aligned,
    pub(crate) mirrored: bool,
    pub(crate) score: f32,
}

impl Found {
    pub(crate) fn new(part: Aligned, mirrored: bool, options: &FindOptions) -> Found {
        let factor = if mirrored && !options.both_sides { MIRROR_FACTOR } else { 1.0 };
        let score = part.cost.sqrt() * factor;
        Found { part, mirrored, score }
    }
}

/// The best non-overlapping hits in one motion; `descriptors` gives those of a range of the motion.
pub(crate) fn hits<'d>(
    query: &Query,
    searched: &Searched,
    mut found: Vec<Found>,
    options: &FindOptions,
    descriptors: impl Fn(Range<usize>) -> Cow<'d, [Descriptor]>,
) -> Vec<Hit> {
    found.sort_by(|a, b| a.score.total_cmp(&b.score).then(a.part.range.start.cmp(&b.part.range.start)));
    let mut taken: Vec<Range<usize>> = Vec::new();
    taken.extend(searched.own.then(|| samples_of(&query.range, searched.samples)));
    let mut hits = Vec::new();
    for Found { part, mirrored, score } in &found {
        if hits.len() == options.top {
            break;
        }
        let overlaps = |other: &Range<usize>| part.range.start < other.end && other.start < part.range.end;
        if taken.iter().any(overlaps) {
            continue;
        }
        taken.push(part.range.clone());
        let samples = &query.sides[usize::from(*mirrored)].samples;
        let (start, last) = (part.range.start as f64 / RATE, (part.range.end - 1) as f64 / RATE);
        let seconds = |range: &Range<usize>| (range.len() - 1).max(1) as f64;
        hits.push(Hit {
            entry: searched.entry,
            start,
            end: last.min(searched.duration).max(start),
            distance: f64::from(part.distance.sqrt()),
            angle: angle(&samples[part.query.clone()], &descriptors(part.range.clone())),
            mirrored: *mirrored,
            speed: seconds(&part.query) / seconds(&part.range),
            coverage: part.query.len() as f64 / samples.len() as f64,
            score: f64::from(*score),
        });
    }
    hits
}

/// A range of a motion and the part of the query that it matches.
pub(crate) struct Aligned {
    pub(crate) range: Range<usize>,
    pub(crate) query: Range<usize>,
    /// Mean squared distance.
    pub(crate) distance: f32,
    /// The distance with a penalty if only a part of the query matches.
    pub(crate) cost: f32,
}

/// Least number of samples of a motion for a match.
pub(crate) const FEWEST: usize = 3;

/// All matches of the query in a motion that end at a local minimum of the cost. A motion that is too short for the
/// query is one match, if it has `fewest` samples.
pub(crate) fn aligned<const SIZE: usize>(
    warping: &mut Warping,
    query: &QuerySide<SIZE>,
    database: &[[f32; SIZE]],
    fewest: usize,
) -> Vec<Aligned> {
    let mut parts = Vec::new();
    each_aligned(warping, query, database, fewest, |part| parts.push(part));
    parts
}

/// As [`aligned`], passing one match at a time.
#[inline]
pub(crate) fn each_aligned<const SIZE: usize>(
    warping: &mut Warping,
    query: &QuerySide<SIZE>,
    database: &[[f32; SIZE]],
    fewest: usize,
    mut each: impl FnMut(Aligned),
) {
    let length = query.samples.len();
    let mut any = false;
    for (end, ending) in minima(warping.endings(&query.lanes, database)) {
        any = true;
        let cost = ending.cost;
        each(Aligned { range: ending.start as usize..end + 1, query: 0..length, distance: cost, cost });
    }
    if any || database.len() < fewest {
        return;
    }
    // The motion is too short even at twice the speed of the query: as a whole, it matches a part
    // of it.
    let missing = length as f32 / (2.0 * database.len() as f32);
    let best = endings(database, &query.samples);
    let best = best.iter().enumerate().min_by(|a, b| order(a.1, b.1).then(a.0.cmp(&b.0)));
    if let Some((end, ending)) = best.filter(|(_, ending)| ending.cost.is_finite()) {
        each(Aligned {
            range: 0..database.len(),
            query: ending.start as usize..end + 1,
            distance: ending.cost,
            cost: ending.cost * missing.max(1.0).powi(2),
        });
    }
}

fn order(a: &Ending, b: &Ending) -> Ordering {
    a.cost.total_cmp(&b.cost)
}

/// Local minima of the cost.
fn minima(found: &[Ending]) -> impl Iterator<Item = (usize, Ending)> {
    let cost = |at: Option<usize>| at.and_then(|at| found.get(at)).map_or(f32::INFINITY, |end| end.cost);
    found.iter().copied().enumerate().filter(move |(at, end)| {
        end.cost.is_finite() && end.cost < cost(at.checked_sub(1)) && end.cost <= cost(Some(at + 1))
    })
}

/// The mean angle between directions of limbs \[rad\]; samples are paired by their share of the range.
fn angle(query: &[Descriptor], range: &[Descriptor]) -> f64 {
    // Bones of the standard body, by the points at their ends.
    const BONES: [[usize; 2]; 6] = [[1, 3], [3, 5], [2, 4], [4, 6], [7, 9], [8, 10]];
    let point = |descriptor: &Descriptor, point: usize| {
        nalgebra::Vector3::from_fn(|axis, _| f64::from(descriptor[3 * point + axis]))
    };
    let mut sum = 0.0;
    for (at, sample) in query.iter().enumerate() {
        let share = at as f64 / (query.len() - 1).max(1) as f64;
        let other = &range[(share * (range.len() - 1) as f64).round() as usize];
        for [a, b] in BONES {
            let bone = |descriptor| point(descriptor, b) - point(descriptor, a);
            sum += bone(sample).angle(&bone(other));
        }
    }
    sum / (query.len() * BONES.len()) as f64
}

/// Sorts the hits of several motions, best first, and keeps the best.
pub fn best(mut hits: Vec<Hit>, top: usize) -> Vec<Hit> {
    hits.sort_by(|a, b| {
        a.score.total_cmp(&b.score).then(a.entry.cmp(&b.entry)).then(a.start.total_cmp(&b.start))
    });
    hits.truncate(top);
    hits
}
