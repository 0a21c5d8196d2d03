//! Ten hours of motion: speed of the exact search and of the index, and how often both have the
//! same best hit.
//!
//! `ten_hours FOLDER...`: the BVH files below the folders are repeated with changes until they last
//! ten hours: at other speeds, which change over time, mirrored, with swaying limbs, and cut.
//! Queries are ranges of these.
#![allow(clippy::print_stdout, reason = "an example prints")]

use cpu_time::ThreadTime;
use mocap_model::Clip;
use mocap_search::index::{Index, IndexedClip, IndexedFile, IndexedMotion, Searcher};
use mocap_search::{Entry, FindOptions, Hit, Motion, Query, Sample, best, find_in};
use std::path::{Path, PathBuf};

const SECONDS: f64 = 36_000.0;
const QUERIES: usize = 80;

/// Numbers that look random, the same in each run (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: f64) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 * end
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.below(high - low)
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .flatten()
        .map(|file| file.path())
        .collect();
    paths.sort();
    for path in paths {
        match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => files(&path, found),
            Some("bvh") => found.push(path),
            _ => {}
        }
    }
}

fn clip(path: &Path) -> Option<Clip> {
    let document = mocap_formats::bvh::parse(&std::fs::read(path).ok()?, &Default::default()).ok()?.value;
    Some(mocap_formats::bvh::to_clip(&document, &Default::default()).ok()?.value)
}

/// The motion again, changed.
fn changed(motion: &Motion, random: &mut Random) -> Motion {
    let motion = if random.below(1.0) < 0.5 { motion.clone() } else { motion.mirrored() };
    let all = motion.samples.len();
    let start = random.below(all as f64 * 0.3) as usize;
    let end = all - random.below(all as f64 * 0.3) as usize;
    let part = &motion.samples[start..end.max(start + 3).min(all)];
    let (speed, sway, period) = (random.between(0.75, 1.3), random.below(0.15), random.between(1.0, 4.0));
    let amplitudes: Vec<f64> = (0..40).map(|_| random.between(-0.03, 0.03)).collect();
    let phases: Vec<f64> = (0..40).map(|_| random.below(std::f64::consts::TAU)).collect();
    let (mut samples, mut place) = (Vec::new(), 0.0);
    while place < (part.len() - 1) as f64 {
        let time = samples.len() as f64 / motion.rate;
        let now = speed * (1.0 + sway * (time * std::f64::consts::TAU / period).sin());
        let (first, share) = (place as usize, (place % 1.0) as f32);
        let (a, b) = (&part[first], &part[(first + 1).min(part.len() - 1)]);
        let mix = |a: f32, b: f32| a + (b - a) * share;
        let shift =
            |k: usize| (amplitudes[k] * (time * std::f64::consts::TAU / period + phases[k]).sin()) as f32;
        let sample = Sample {
            points: std::array::from_fn(|p| {
                std::array::from_fn(|axis| mix(a.points[p][axis], b.points[p][axis]) + shift(3 * p + axis))
            }),
            velocity: std::array::from_fn(|k| {
                (mix(a.velocity[k], b.velocity[k]) + shift(33 + k)) * now as f32
            }),
            turn: (mix(a.turn, b.turn) + shift(36)) * now as f32,
        };
        // Limbs that sway keep their length, as those of clips do.
        samples.push(sample.on_standard_body());
        place += now;
    }
    let duration = (samples.len().saturating_sub(1)) as f64 / motion.rate;
    Motion { samples, duration, ..motion }
}

/// Ten hours of changed motions.
fn repeated(motions: &[Motion], random: &mut Random) -> Vec<Motion> {
    let (mut database, mut total) = (Vec::new(), 0.0);
    while total < SECONDS {
        for motion in motions.iter().filter(|motion| motion.duration > 1.0) {
            let again = changed(motion, random);
            total += again.duration;
            database.push(again);
        }
    }
    database
}

fn index(database: &[Motion]) -> Index {
    let of = |(at, motion): (usize, &Motion)| {
        let path = format!("database/subject_{:03}/take_{at:05}.bvh", at % 100);
        IndexedClip {
            part: None,
            files: vec![IndexedFile { path, bytes: 0, hash: 0 }],
            motion: Ok(IndexedMotion::new(motion)),
        }
    };
    Index { clips: database.iter().enumerate().map(of).collect(), ..Index::default() }
}

/// Measurements of queries of about one length.
#[derive(Default)]
struct Measured {
    seconds: f64,
    exact: f64,
    indexed: Vec<f64>,
    same: f64,
    as_near: f64,
    of_ten: f64,
}

impl Measured {
    /// A range of one motion as a query in all.
    fn query(&mut self, (own, start, length): (usize, f64, f64), entries: &[Entry], searcher: &Searcher<'_>) {
        let options = FindOptions::default();
        let query = Query::new(&entries[own].motion, Some(start..start + length)).expect("it is a range");
        let started = ThreadTime::now();
        let all = entries.iter().enumerate();
        let exact = all.flat_map(|(at, entry)| find_in(&query, (at, entry), at == own, &options)).collect();
        let exact = best(exact, options.top);
        self.exact += started.elapsed().as_secs_f64();
        // The first search of a length prepares its averages.
        searcher.find(&query, Some(own), &options);
        let started = ThreadTime::now();
        let found = searcher.find(&query, Some(own), &options);
        self.indexed.push(started.elapsed().as_secs_f64() * 1e3);
        let overlap = |a: &Hit, b: &Hit| {
            a.entry == b.entry && a.mirrored == b.mirrored && a.start.max(b.start) < a.end.min(b.end)
        };
        self.seconds += length;
        self.same += f64::from(u8::from(overlap(&exact[0], &found[0])));
        self.as_near += f64::from(u8::from(found[0].score <= exact[0].score * 1.02 + 0.002));
        let met = exact.iter().filter(|hit| found.iter().any(|other| overlap(hit, other))).count();
        self.of_ten += met as f64 / exact.len() as f64;
    }

    fn print(mut self) {
        self.indexed.sort_by(f64::total_cmp);
        let count = self.indexed.len();
        let share = |sum: f64| sum / count as f64;
        println!(
            "{count} queries of {:.1} s: exact {:.2} s, index {:.1} ms (median; 95 %: {:.1}); first hit the same {:.3} (as near {:.3}), of the first ten {:.3}",
            share(self.seconds),
            share(self.exact),
            self.indexed[count / 2],
            self.indexed[count * 19 / 20],
            share(self.same),
            share(self.as_near),
            share(self.of_ten)
        );
    }
}

fn main() {
    let mut paths = Vec::new();
    std::env::args().skip(1).for_each(|folder| files(Path::new(&folder), &mut paths));
    let clips: Vec<Clip> = paths.iter().filter_map(|path| clip(path)).collect();
    let started = ThreadTime::now();
    let found = clips.iter().filter_map(|clip| Some((clip.frames(), Motion::of(clip).ok()?)));
    let (frames, motions): (Vec<usize>, Vec<Motion>) = found.unzip();
    let indexed: Vec<IndexedMotion> = motions.iter().map(IndexedMotion::new).collect();
    let seconds = started.elapsed().as_secs_f64();
    let frames: usize = frames.iter().sum();
    let rate = frames as f64 / seconds;
    println!("{} clips, {frames} frames: {rate:.0} frames/s beside reading, one thread", indexed.len());

    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let database = repeated(&motions, &mut random);
    let total: f64 = database.iter().map(|motion| motion.duration).sum();
    let bytes = index(&database).to_bytes();
    let started = ThreadTime::now();
    let index = Index::from_bytes(&bytes).expect("it was just made");
    println!(
        "{} motions, {:.2} h: {:.0} bytes a second of motion; opened in {:.1} ms",
        database.len(),
        total / 3600.0,
        bytes.len() as f64 / total,
        started.elapsed().as_secs_f64() * 1e3
    );
    let entries: Vec<Entry> = database.into_iter().map(Entry::new).collect();
    let searcher = Searcher::new(&index);
    for (low, high) in [(0.3, 0.8), (0.8, 2.0), (2.0, 4.0), (4.0, 8.0)] {
        let mut measured = Measured::default();
        while measured.indexed.len() < QUERIES / 4 {
            let own = random.below(entries.len() as f64) as usize;
            let (duration, length) = (entries[own].motion.duration, random.between(low, high));
            if duration >= length {
                let start = random.below(duration - length);
                measured.query((own, start, length), &entries, &searcher);
            }
        }
        measured.print();
    }
}
