//! Learns the start probabilities of the archive coder from motions that are free for all uses: those of the folder
//! `cmu` of the corpus, and the fixtures. `UPDATE_STARTS=1 cargo test -p mocap-compress starts` writes `starts.rs` and
//! the table in `docs/mocz-tables.md`.

use crate::contexts::{BUCKETS, NEIGHBOURS};
use crate::range_coder::{Bit, SYMBOLS, WHOLE};
use crate::residual::ResidualModel;
use crate::starts::{CLASSES, ODD, ZERO};
use crate::track::ResidualCoder;
use crate::{CompressOptions, Profile, compress};
use mocap_formats::{Limits, amc, asf, bvh};
use mocap_model::{Clip, Space, Unit, UnitSource};
use std::cell::RefCell;
use std::fmt::Write;
use std::path::Path;

/// How often each symbol was coded.
struct Counts {
    zero: [[[u32; 2]; BUCKETS]; 3],
    odd: [[u32; 2]; BUCKETS],
    classes: Vec<[u32; SYMBOLS]>,
}

thread_local! {
    static COUNTS: RefCell<Counts> = RefCell::new(Counts {
        zero: [[[0; 2]; BUCKETS]; 3],
        odd: [[0; 2]; BUCKETS],
        classes: vec![[0; SYMBOLS]; NEIGHBOURS * BUCKETS],
    });
}

/// Adds what a block was coded with.
pub(crate) fn count(block: &ResidualCoder) {
    fn add<const N: usize>(sum: &mut [u32; N], more: [u32; N]) {
        sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    }
    let bit = |sum: &mut [u32; 2], bit: &Bit| add(sum, bit.counts);
    COUNTS.with_borrow_mut(|counts| {
        for ResidualModel { zero, odd, class, .. } in [&block.rotation, &block.translation] {
            let sums = counts.zero.iter_mut().flatten().chain(&mut counts.odd);
            sums.zip(zero.iter().flatten().chain(odd)).for_each(|(sum, model)| bit(sum, model));
            for (at, model) in class.iter().enumerate() {
                add(&mut counts.classes[at % (NEIGHBOURS * BUCKETS)], model.counts);
            }
        }
    });
}

/// The mean of a bucket of expected magnitudes.
fn mean(bucket: usize) -> f64 {
    1.2 / 32.0 * (bucket as f64 / 2.0).exp2()
}

/// The chances of classes if only the mean is known: those of a geometric distribution.
fn geometric(mean: f64) -> [f64; SYMBOLS] {
    let tail = |first: u32| (mean / (1.0 + mean)).powf(f64::from(first));
    let first = |class: u32| if class < 4 { class } else { (2 + (class & 1)) << (class / 2 - 1) };
    std::array::from_fn(|class| {
        let class = class as u32;
        tail(first(class)) - if class as usize + 1 == SYMBOLS { 0.0 } else { tail(first(class + 1)) } + 1e-7
    })
}

/// The weight of the prior probability in an estimate, in samples.
const GUESS: f64 = 2.0;

fn chance(counts: [u32; 2], guess: f64) -> u16 {
    let [zeros, ones] = counts.map(f64::from);
    (65536.0 * (zeros + GUESS * guess) / (zeros + ones + GUESS)).clamp(64.0, 65472.0) as u16
}

fn below(counts: &[u32; SYMBOLS], guess: [f64; SYMBOLS]) -> [u16; SYMBOLS] {
    let weights: Vec<f64> =
        counts.iter().zip(guess).map(|(count, guess)| f64::from(*count) + GUESS * guess).collect();
    let all: f64 = weights.iter().sum();
    let mut sum = 0.0;
    std::array::from_fn(|symbol| {
        let below = (sum / all * f64::from(WHOLE)) as u16;
        sum += weights[symbol];
        below
    })
}

/// All numbers: the chances of three zeros, of even numbers, and of classes.
fn numbers(zero: &[[u16; BUCKETS]; 3], odd: &[u16; BUCKETS], classes: &[[u16; SYMBOLS]]) -> Vec<u16> {
    let classes = classes.iter().flat_map(|below| below[1..].iter());
    zero.iter().flatten().chain(odd).chain(classes).copied().collect()
}

fn learnt() -> ([[u16; BUCKETS]; 3], [u16; BUCKETS], Vec<[u16; SYMBOLS]>) {
    let options = CompressOptions { profile: Profile::Archive, ..CompressOptions::default() };
    let data = mocap_corpus::find().expect("the corpus, whose folder 'cmu' is learnt on").join("cmu");
    for folder in [data, mocap_corpus::fixture("clips")] {
        let entries =
            std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("a file").path());
        let mut files: Vec<_> = entries.collect();
        files.sort();
        for clip in files.iter().filter_map(|path| clip(path)) {
            for tolerance in [1e-4, 1e-3, 1e-2] {
                compress(&clip, &CompressOptions { tolerance, ..options.clone() }).expect("a motion");
            }
        }
    }
    COUNTS.with_borrow(|counts| {
        // Three numbers that are zero at once.
        let zeros = |bucket: usize| (1.0 + mean(bucket)).powi(-3);
        let zero = counts.zero.map(|set| std::array::from_fn(|at| chance(set[at], zeros(at))));
        let odd = std::array::from_fn(|at| chance(counts.odd[at], 0.375));
        let classes = counts.classes.iter().enumerate();
        (zero, odd, classes.map(|(at, counts)| below(counts, geometric(mean(at % BUCKETS)))).collect())
    })
}

/// A training motion; duplicates in another format are skipped.
fn clip(path: &Path) -> Option<Clip> {
    let read = |path: &Path| std::fs::read(path).expect("a readable file");
    let limits = Limits::default();
    let extension = path.extension()?.to_str()?;
    if extension == "amc" {
        let stem = path.file_stem()?.to_str()?;
        let name = stem.split_once('_').map_or(stem.trim_end_matches(char::is_numeric), |split| split.0);
        let skeleton = asf::parse(&read(&path.with_file_name(format!("{name}.asf"))), &limits).ok()?.value;
        let motion = amc::parse(&read(path), &limits).ok()?.value;
        return Some(amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default()).ok()?.value);
    }
    if extension != "bvh" || path.with_extension("amc").exists() {
        return None;
    }
    let document = bvh::parse(&read(path), &limits).ok()?.value;
    let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).ok()?.value;
    let metres = mocap_analysis::guess_unit(clip.skeleton()).map_or(0.01, |unit| unit.metres);
    let space = Space { unit: Some(Unit { metres, source: UnitSource::Flag }), ..*clip.skeleton().space() };
    let skeleton = clip.skeleton().with_space(space);
    clip.with_skeleton(skeleton.into()).ok()
}

fn rows<const N: usize>(rows: &[[u16; N]]) -> String {
    let row = |row: &[u16; N]| format!("    [{}],\n", row.map(|value| value.to_string()).join(", "));
    rows.iter().map(row).collect()
}

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/mocz-tables.md");
const OPEN: &str = "```starts\n";

/// The table of a page: four hexadecimal digits a number.
fn table(page: &str) -> &str {
    page.split_once(OPEN).and_then(|(_, rest)| rest.split_once("```")).expect("a table of starts").0
}

fn update() {
    let (zero, odd, classes) = learnt();
    let mut code = String::from(
        "//! Start probabilities of the coder of residuals, learnt from motions by `encode/learn.rs`, which writes this file.\n\n\
         use crate::contexts::{BUCKETS, NEIGHBOURS};\nuse crate::range_coder::SYMBOLS;\n\n",
    );
    let zeros = rows(&zero);
    let odds = odd.map(|value| value.to_string()).join(", ");
    let classes_code = rows(&classes);
    write!(
        code,
        "/// The chance of three zeros, by the zeros before and the bucket, out of 2^16.\n#[rustfmt::skip]\n\
         pub(crate) const ZERO: [[u16; BUCKETS]; 3] = [\n{zeros}];\n\n\
         /// The chance of even numbers, by bucket, out of 2^16.\n#[rustfmt::skip]\n\
         pub(crate) const ODD: [u16; BUCKETS] = [{odds}];\n\n\
         /// The chances of classes, by neighbours and bucket.\n#[rustfmt::skip]\n\
         pub(crate) const CLASSES: [[u16; SYMBOLS]; NEIGHBOURS * BUCKETS] = [\n{classes_code}];\n"
    )
    .expect("text");
    std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/starts.rs"), code).expect("written");
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let lines = numbers(&zero, &odd, &classes);
    let line =
        |line: &[u16]| line.iter().map(|value| format!("{value:04x}")).collect::<Vec<_>>().join(" ") + "\n";
    let written: String = lines.chunks(20).map(line).collect();
    let page = page.replace(&format!("{OPEN}{}", table(&page)), &format!("{OPEN}{written}"));
    std::fs::write(PAGE, page).expect("written");
}

#[test]
fn the_page_has_the_starts() {
    if std::env::var_os("UPDATE_STARTS").is_some() {
        return update();
    }
    let page = std::fs::read_to_string(PAGE).expect("the page");
    let found =
        table(&page).split_whitespace().map(|value| u16::from_str_radix(value, 16).expect("a number"));
    assert_eq!(found.collect::<Vec<_>>(), numbers(&ZERO, &ODD, &CLASSES));
}
