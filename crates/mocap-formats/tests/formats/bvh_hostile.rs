//! Hostile BVH files: mutations of good ones, wrong sizes, deep nesting.
//!
//! For any bytes, reading ends with a document or an error, in bounded time and memory; documents convert to clips, and
//! written files can be read again.

use crate::mutation::{mutated, mutation};
use mocap_formats::{Finding, Format, LimitExceeded, Limits, bvh};
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;

/// Rows that are kept as text give the same as their numbers.
fn same_from_shared_bytes(bytes: &[u8], limits: &Limits) {
    let parsed = bvh::parse(bytes, limits);
    match (&parsed, &bvh::parse_shared(&bytes.to_vec().into(), limits)) {
        (Ok(numbers), Ok(text)) => {
            assert_eq!(numbers.warnings, text.warnings);
            let (numbers, text) = (&numbers.value, &text.value);
            assert_eq!((numbers.nodes(), numbers.frames()), (text.nodes(), text.frames()));
            assert_eq!(numbers.to_bytes(), text.to_bytes());
            assert_eq!(bvh::position_mode(numbers), bvh::position_mode(text));
            let edits =
                [(0..numbers.frames(), 1.0), (0..numbers.frames() / 2, 1.0), (0..numbers.frames(), 2.54)];
            for (frames, factor) in edits {
                let edited = [numbers, text].map(|document| document.edited(frames.clone(), factor));
                let [numbers, text] = edited.map(|document| document.map(|document| document.to_bytes()));
                assert_eq!(numbers, text);
            }
        }
        (Err(numbers), Err(text)) => assert_eq!(numbers, text),
        different => panic!("{different:?}"),
    }
}

/// Runs all operations on a file.
fn survive(bytes: &[u8]) -> Result<(), Finding> {
    // Small, so a skeleton without channels cannot claim a clip that takes long to write.
    let limits = Limits { frames: 500_000, ..Limits::default() };
    same_from_shared_bytes(bytes, &limits);
    let document = bvh::parse(bytes, &limits)?.value;
    let values = document.motion().map_or(0, |motion| motion.values().len());
    assert!(values <= bytes.len(), "{values} values in {} bytes", bytes.len());
    assert_eq!(values, document.frames() * document.channels());
    let again = bvh::parse(&document.to_bytes(), &Limits::default()).unwrap().value;
    assert_eq!(again.nodes(), document.nodes());
    assert_eq!((again.frames(), again.channels()), (document.frames(), document.channels()));
    let options = bvh::ClipOptions { repair: true, ..Default::default() };
    let clip = bvh::to_clip(&document, &options)?.value;
    for names in [bvh::NameStyle::Kept, bvh::NameStyle::Safe] {
        let written = match bvh::from_clip(&clip, &bvh::WriteOptions { names, ..Default::default() }) {
            Ok(written) => written.to_bytes(),
            Err(error) if names == bvh::NameStyle::Kept && error.code() == "bvh::name" => continue,
            Err(error) => return Err(error),
        };
        let again = bvh::to_clip(&bvh::parse(&written, &Limits::default()).unwrap().value, &options)?.value;
        assert_eq!(again.frames(), clip.frames());
        if names == bvh::NameStyle::Kept {
            let joints = |clip: &mocap_model::Clip| -> Vec<String> {
                let joints = clip.skeleton().joints().iter().filter(|joint| !joint.end_site);
                joints.map(|joint| joint.name.clone()).collect()
            };
            assert_eq!(joints(&again), joints(&clip));
        }
    }
    Ok(())
}

static FIXTURES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bvh");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
});

fn clean() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bvh/clean.bvh");
    std::fs::read_to_string(path).unwrap()
}

const WORDS: &[&str] = &[
    "{",
    "}",
    "{{{{",
    "}}}}",
    "#",
    "\0",
    "\r",
    "\n",
    "\t",
    "ROOT",
    "JOINT",
    "End Site",
    "MOTION",
    "HIERARCHY",
    "OFFSET",
    "CHANNELS",
    "Frames:",
    "Frame Time:",
    "Xrotation",
    "\u{FEFF}",
    "\u{1A}",
    ",",
    "é",
    "1",
    "# ",
    "Xscale",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn mutated_files_are_read_or_refused(
        which in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(mutation(WORDS), 1..6),
    ) {
        let fixture: &Vec<u8> = which.get(&FIXTURES);
        let _ = survive(&mutated(fixture, &mutations));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = survive(&bytes);
        let _ = survive(&[b"HIERARCHY ROOT a { OFFSET 0 0 0 CHANNELS 1 Xrotation } MOTION Frames: 2 ", &bytes[..]].concat());
    }
}

/// In Windows-1252 the byte 0xA0 is a blank that only Unicode knows; it belongs to the name.
#[test]
fn names_that_end_in_a_blank_of_unicode_are_kept() {
    let text = clean().replacen("End Site", "End Sit?", 1);
    let bytes: Vec<u8> = text.bytes().map(|byte| if byte == b'?' { 0xA0 } else { byte }).collect();
    survive(&bytes).unwrap();
}

#[test]
fn counts_that_lie_allocate_nothing() {
    for (from, to, warnings) in [
        ("Frames: 3", "Frames: 999999999999", 1),
        ("Frames: 3", "Frames: 99999999999999999999999999999999999999999", 1),
        ("CHANNELS 3", "CHANNELS 4000000000", 2),
        ("CHANNELS 6", "CHANNELS 99999999999999999999999999999999", 1),
    ] {
        let document = bvh::parse(clean().replace(from, to).as_bytes(), &Limits::default()).unwrap();
        assert_eq!((document.value.frames(), document.value.channels()), (3, 12));
        assert_eq!(document.warnings.len(), warnings, "{from} {to}");
        assert_eq!(document.value.motion().unwrap().values().len(), 36);
    }
}

fn exceeded(text: &str, limits: &Limits) -> LimitExceeded {
    let error = bvh::parse(text.as_bytes(), limits).unwrap_err().error;
    error.problem_as::<LimitExceeded>().unwrap_or_else(|| panic!("{error}")).clone()
}

#[test]
fn limits_are_kept() {
    let limits = Limits::default();
    let text = clean();
    let bytes = Limits { bytes: 100, ..limits };
    assert_eq!(exceeded(&text, &bytes), LimitExceeded { what: "bytes", found: text.len(), limit: 100 });
    let joints = Limits { joints: 4, ..limits };
    assert_eq!(exceeded(&text, &joints), LimitExceeded { what: "joints", found: 5, limit: 4 });
    let depth = Limits { depth: 2, ..limits };
    assert_eq!(exceeded(&text, &depth), LimitExceeded { what: "levels", found: 3, limit: 2 });
    let frames = Limits { frames: 2, ..limits };
    assert_eq!(exceeded(&text, &frames), LimitExceeded { what: "frames", found: 3, limit: 2 });
    // Without channels, no numbers bound the frames.
    let still =
        "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 0\n}\nMOTION\nFrames: 999999999999\nFrame Time: 1\n";
    assert_eq!(exceeded(still, &limits).what, "frames");
    let still = still.replace("999999999999", "49999999");
    let document = bvh::parse(still.as_bytes(), &limits).unwrap().value;
    assert_eq!(bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value.frames(), 49_999_999);
    // They are bounded for all joints together.
    let two = still.replace("CHANNELS 0\n}", "CHANNELS 0\nJOINT b\n{\nOFFSET 0 1 0\nCHANNELS 0\n}\n}");
    let two_joints = LimitExceeded { what: "frames", found: 49_999_999, limit: 25_000_000 };
    assert_eq!(exceeded(&two, &limits), two_joints);
}

#[test]
fn frames_times_joints_are_judged_by_the_header() {
    let text = clean();
    let limits = Limits { samples: 14, ..Limits::default() };
    let wanted = LimitExceeded { what: Limits::SAMPLES, found: 15, limit: 14 };
    assert_eq!(exceeded(&text, &limits), wanted);
    let judged = |start: &str, size: Option<u64>| {
        let error = Format::Bvh.check_start(start.as_bytes(), size, &limits).err()?;
        error.problem_as::<LimitExceeded>().cloned()
    };
    // The first row is enough, where the file is as long as its header says.
    let rows = text.find("Frame Time").unwrap();
    let start = &text[..text[rows..].find('\n').unwrap() + rows + 8];
    assert_eq!(judged(start, Some(text.len() as u64)), Some(wanted));
    // A short file with a wrong count is reported later, and the length of a pipe is unknown.
    assert_eq!((judged(start, Some(start.len() as u64)), judged(start, None)), (None, None));
    // A start that ends within the hierarchy or the count gives no error.
    for end in [10, 100, text.find("Frames: 3").unwrap() + "Frames: 3".len()] {
        assert_eq!(judged(&text[..end], Some(text.len() as u64)), None);
    }
    // A stream is refused if its start is wrong, unless the error may come from the cut.
    let wrong = text.replacen("OFFSET", "OFFSETS", 1);
    let refused = |start: &str, size| Format::Bvh.check_start(start.as_bytes(), size, &limits).is_err();
    let long = wrong.clone() + &" ".repeat(2000);
    assert!(refused(&long, None) && !refused(&long, Some(1 << 20)) && !refused(&wrong[..100], None));
    let lie = text.replace("Frames: 3", "Frames: 300000000");
    let document = bvh::parse(lie.as_bytes(), &Limits { samples: 15, ..limits }).unwrap();
    assert_eq!((document.value.frames(), document.warnings.len()), (3, 1));
}

/// Rows that are kept as text (shared texts of plain numbers) and rows that are kept as numbers (a comment between them, or
/// a number that is not finite) have one limit.
#[test]
fn places_that_are_too_far_are_an_error_with_their_place() {
    let text = |offset: &str, rows: &str| {
        format!(
            "HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT b\n{{\nOFFSET {offset} 0 0\nCHANNELS 2 \
             Zrotation Xposition\n}}\n}}\nMOTION\nFrames: 3\nFrame Time: 1\n{rows}\n"
        )
    };
    let read = |text: &str, position_channels| {
        let options = bvh::ClipOptions { position_channels, repair: true, ..Default::default() };
        let numbers = bvh::parse(text.as_bytes(), &Limits::default()).unwrap().value;
        let shared = bvh::parse_shared(&text.as_bytes().to_vec().into(), &Limits::default()).unwrap().value;
        [numbers, shared].map(|document| bvh::to_clip(&document, &options).map(|parsed| parsed.value))
    };
    use bvh::PositionChannels::{Add, Replace};
    for rows in ["5 1\n5 -2e12\n5 1", "5 1 5\n-2e12\n5 1", "5 1\n5\t-2000000000000\n5 3"] {
        for found in read(&text("7", rows), Replace) {
            let error = found.unwrap_err();
            assert_eq!(error.code(), "bvh::clip");
            let place = error.error.place.clone().unwrap_or_else(|| panic!("{rows:?}: {error} has no place"));
            let row = if rows.contains("1 5") { (16, 1) } else { (16, 3) };
            assert_eq!((place.line, place.column), row, "{rows:?}");
            let context = &error.error.context;
            assert_eq!((context.joint.as_deref(), context.frame), (Some("b"), Some(1)));
            assert_eq!(context.channel.as_deref(), Some("Xposition"));
            assert!(error.to_string().contains("beyond 1e12"), "{error}");
        }
    }
    // An offset and a position that are near, and too far together.
    for found in read(&text("0.9e12", "0 1\n0 0.9e12\n0 1"), Add) {
        assert_eq!(found.unwrap_err().error.context.frame, Some(1));
    }
    for found in read(&text("0.9e12", "0 1\n0 0.9e12\n0 1"), Replace) {
        assert!(found.is_ok());
    }
    for found in read(&text("1e308", "0 1\n0 1\n0 1"), Replace) {
        let error = found.unwrap_err();
        assert!(error.code() == "bvh::clip" && error.to_string().contains("offset"), "{error}");
    }
    // What is interpolated may overflow.
    for found in read(&text("0", "0 -1e308\n0 nan\n0 1e308"), Replace) {
        assert_eq!(found.unwrap_err().code(), "bvh::clip");
    }
}

fn chain(levels: usize) -> String {
    let mut text = String::from("HIERARCHY\n");
    for level in 0..levels {
        let keyword = if level == 0 { "ROOT" } else { "JOINT" };
        text += &format!("{keyword} j{level}\n{{\nOFFSET 0 1 0\nCHANNELS 1 Xrotation\n");
    }
    text += &"}\n".repeat(levels);
    text += "MOTION\nFrames: 2\nFrame Time: 0.1\n";
    text += &("1 ".repeat(levels) + "\n").repeat(2);
    text
}

#[test]
fn a_hierarchy_may_be_20_000_levels_deep() {
    let text = chain(20_000);
    survive(text.as_bytes()).unwrap();
    let document = bvh::parse(text.as_bytes(), &Limits::default()).unwrap().value;
    assert_eq!(document.nodes().len(), 20_000);
    assert_eq!(document.nodes()[19_999].parent, Some(19_998));
    // Unclosed, and closed too often: just as deep.
    assert!(survive(text.replace("}\n", "").as_bytes()).is_ok());
    assert!(survive(text.replace("}\n", "}}\n").as_bytes()).is_err());
}

#[test]
fn long_lines_and_words_take_no_longer_than_short_ones() {
    let pairs: Vec<u8> = b"\x83\x7B".repeat(1_000_000);
    let letters = vec![b'x'; 2_000_000];
    for name in [[&letters[..], &pairs].concat(), pairs, vec![b'#'; 2_000_000], letters] {
        let clean = clean();
        let (before, behind) = clean.split_once("Spine").unwrap();
        let _ = survive(&[before.as_bytes(), &name, behind.as_bytes()].concat());
        let (before, behind) = clean.split_once("-12.5").unwrap();
        let _ = survive(&[before.as_bytes(), &name, behind.as_bytes()].concat());
    }
    for word in ["nan ", "1.#IND ", "1# x\n", "1e999 ", "0.1e+000000000 ", "1, "] {
        let rows = clean() + &word.repeat(300_000);
        let _ = survive(rows.as_bytes());
    }
}

#[test]
fn a_hundred_thousand_faults_take_no_longer_than_one() {
    let children = "JOINT a\n{\nOFFSET 0 1 0\n}\n".repeat(90_000);
    let text =
        format!("HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\n{children}}}\nMOTION\nFrames: 0\nFrame Time: 1\n");
    let parsed = bvh::parse(text.as_bytes(), &Limits::default()).unwrap();
    let counts: Vec<(&str, usize)> = parsed.warnings.iter().map(|w| (w.code(), w.count)).collect();
    assert_eq!(counts, [("bvh::duplicate-name", 90_000), ("bvh::no-channels", 90_001)]);
    survive(text.as_bytes()).unwrap();
    let comments = clean().replace("Frames: 3", &("# no\n".repeat(500_000) + "Frames: 3"));
    let parsed = bvh::parse(comments.as_bytes(), &Limits::default()).unwrap();
    assert_eq!((parsed.warnings.len(), parsed.warnings[0].count), (1, 500_000));
    // Every joint another name: one warning each, with its line.
    let children: String = (0..90_000).map(|i| format!("JOINT b{i}\n{{\nOFFSET 0 1 0\n}}\n")).collect();
    let text =
        format!("HIERARCHY\nROOT a\n{{\nOFFSET 0 0 0\n{children}}}\nMOTION\nFrames: 0\nFrame Time: 1\n");
    let parsed = bvh::parse(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(parsed.warnings.len(), 90_001);
    assert_eq!(parsed.warnings[89_999].place.as_ref().unwrap().line, 5 + 4 * 89_999);
}
