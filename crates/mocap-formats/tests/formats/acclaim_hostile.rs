//! Hostile ASF and AMC files: mutations of good ones, wrong sizes, deep nesting.
//!
//! For any bytes, reading ends with a document or an error, in bounded time and memory; documents convert to clips, and
//! written files can be read again.

use crate::mutation::{Mutation, mutated};
use mocap_formats::{Finding, LimitExceeded, Limits, amc, asf};
use mocap_model::ModelError;
use proptest::prelude::*;
use std::path::Path;
use std::sync::LazyLock;

static SKELETONS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| fixtures("asf"));
static MOTIONS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| fixtures("amc"));
static SKELETON: LazyLock<asf::Document> =
    LazyLock::new(|| asf::parse(clean("asf").as_bytes(), &Limits::default()).unwrap().value);

fn fixtures(extension: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/acclaim");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

fn clean(extension: &str) -> String {
    let path = format!("{}/../../fixtures/acclaim/clean.{extension}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).unwrap()
}

/// Runs all operations on a skeleton; `None` if it is refused.
fn survive_skeleton(bytes: &[u8]) -> Option<asf::Document> {
    let document = asf::parse(bytes, &Limits::default()).ok()?.value;
    let again = asf::parse(&document.to_bytes(), &Limits::default()).unwrap().value;
    assert_eq!(again, document);
    let skeleton = asf::to_skeleton(&document, asf::AsfUnits::Auto).ok()?.value;
    let written = asf::from_skeleton(&skeleton).unwrap().value;
    // A skeleton with huge numbers need not survive a round trip.
    if skeleton.joints().iter().all(|joint| joint.offset.norm() < 1e100) {
        asf::parse(&written.to_bytes(), &Limits::default()).unwrap();
    }
    Some(document)
}

/// Runs all operations on a motion.
fn survive_motion(skeleton: &asf::Document, bytes: &[u8]) {
    let Ok(parsed) = amc::parse(bytes, &Limits::default()) else { return };
    let document = parsed.value;
    let room = 2 * bytes.len() + (1 << 20);
    assert!(document.values.capacity() <= room, "{} values", document.values.capacity());
    assert_eq!(document.values.len(), document.frame_numbers.len() * document.width());
    let again = amc::parse(&document.to_bytes(), &Limits::default()).unwrap().value;
    // Without the last frame, the one before may lack bones and look cut off too.
    if parsed.warnings.iter().any(|warning| warning.code() == "amc::truncated") {
        return;
    }
    assert_eq!(again.frame_numbers, document.frame_numbers);
    let options = amc::ClipOptions { repair: true, ..Default::default() };
    let Ok(clip) = amc::to_clip(skeleton, &document, &options) else { return };
    let same = amc::to_clip(skeleton, &again, &options).unwrap();
    assert_eq!(same.value, clip.value);
    let written = amc::from_clip(&clip.value).unwrap().value;
    let back = amc::parse(&written.motion.to_bytes(), &Limits::default()).unwrap().value;
    assert_eq!(back.frame_numbers.len(), clip.value.frames());
}

const WORDS: &[&str] = &[
    ":root",
    ":bonedata",
    ":hierarchy",
    ":units",
    ":documentation",
    ":name",
    ":skin",
    ":x",
    "begin",
    "end",
    "root",
    "name",
    "dof",
    "limits",
    "axis",
    "XYZ",
    "rx",
    "l",
    "(",
    ")",
    ",",
    "#",
    "\0",
    "\r",
    "\n",
    "\t",
    "\u{FEFF}",
    "\u{1A}",
    "é",
    "1",
    "\n1\n",
    "\n2\n",
    "\nback ",
    "\nleg\n",
    "\nnew 1 2 3\n",
    ":RADIANS\n",
    ":SAMPLES-PER-SECOND 7\n",
    "\n1000000 2\n",
];

fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    prop::collection::vec(crate::mutation::mutation(WORDS), 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn mutated_skeletons_are_read_or_refused(which in any::<prop::sample::Index>(), mutations in mutations()) {
        let bytes = mutated(&SKELETONS[which.index(SKELETONS.len())], &mutations);
        if let Some(document) = survive_skeleton(&bytes) {
            survive_motion(&document, clean("amc").as_bytes());
        }
    }

    #[test]
    fn mutated_motions_are_read_or_refused(which in any::<prop::sample::Index>(), mutations in mutations()) {
        survive_motion(&SKELETON, &mutated(&MOTIONS[which.index(MOTIONS.len())], &mutations));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        survive_skeleton(&bytes);
        survive_skeleton(&[b":root :bonedata begin name a direction 1 0 0 length 1 ", &bytes[..]].concat());
        survive_motion(&SKELETON, &bytes);
        survive_motion(&SKELETON, &[b"1\nroot 1 2 3\n2\n", &bytes[..]].concat());
    }
}

fn exceeded(finding: &Finding) -> LimitExceeded {
    finding.problem_as::<LimitExceeded>().unwrap_or_else(|| panic!("{finding}")).clone()
}

#[test]
fn limits_are_kept() {
    let limits = Limits::default();
    let asf = |limits: Limits| exceeded(&asf::parse(clean("asf").as_bytes(), &limits).unwrap_err().error);
    let amc = |limits: Limits| exceeded(&amc::parse(clean("amc").as_bytes(), &limits).unwrap_err().error);
    assert_eq!(asf(Limits { bytes: 100, ..limits }).what, "bytes");
    assert_eq!(asf(Limits { joints: 4, ..limits }).what, "joints");
    assert_eq!(asf(Limits { depth: 3, ..limits }), LimitExceeded { what: "levels", found: 4, limit: 3 });
    assert_eq!(amc(Limits { bytes: 100, ..limits }).what, "bytes");
    assert_eq!(amc(Limits { joints: 3, ..limits }), LimitExceeded { what: "joints", found: 4, limit: 3 });
    assert_eq!(amc(Limits { frames: 2, ..limits }), LimitExceeded { what: "frames", found: 3, limit: 2 });
}

/// A chain of bones, one below the other.
fn chain(bones: usize) -> String {
    let mut text = String::from(":root\norder TX\n:bonedata\n");
    for bone in 0..bones {
        text += &format!("begin name b{bone} direction 0 1 0 length 1 axis 0 0 0 XYZ dof rx end\n");
    }
    text += ":hierarchy\nbegin\nroot b0\n";
    for bone in 1..bones {
        text += &format!("b{} b{bone}\n", bone - 1);
    }
    text + "end\n"
}

#[test]
fn deep_skeletons_are_read() {
    let document = asf::parse(chain(20_000).as_bytes(), &Limits::default()).unwrap().value;
    let skeleton = asf::to_skeleton(&document, asf::AsfUnits::Auto).unwrap().value;
    assert_eq!(skeleton.len(), 20_002);
    let written = asf::from_skeleton(&skeleton).unwrap().value;
    assert_eq!(asf::parse(&written.to_bytes(), &Limits::default()).unwrap().value.bones.len(), 20_000);
    let too_deep = asf::parse(chain(60_000).as_bytes(), &Limits::default()).unwrap_err();
    assert_eq!(exceeded(&too_deep.error).what, "levels");
}

#[test]
fn a_few_lines_do_not_stand_for_many() {
    // Each frame after the first would hold 50,000 bones that the text does not have.
    let mut text = String::from("1\n");
    (0..50_000).for_each(|bone| text += &format!("b{bone}\n"));
    (2..100_000).for_each(|frame| text += &format!("{frame}\n"));
    let error = amc::parse(text.as_bytes(), &Limits::default()).unwrap_err();
    assert_eq!(error.code(), "amc::mostly-missing");
    let text_of_it = error.to_string();
    assert!(text_of_it.starts_with("most bones are missing in most frames: 50000 of "), "{text_of_it}");
    // The same with bones that come later, each once.
    let mut text = String::from("1\nroot 1\n");
    (2..200_000).for_each(|frame| text += &format!("{frame}\nroot 1\nb{frame} 2\n"));
    let error = amc::parse(text.as_bytes(), &Limits::default()).unwrap_err();
    assert!(["amc::mostly-missing", "limit"].contains(&error.code()), "{error}");
}

#[test]
fn a_wide_first_frame_does_not_stand_for_many() {
    let wide = format!("1\nroot{}\n", " 0".repeat(20_000));
    let read = |row: &str, last: usize| {
        let rows: String = (2..=last).map(|frame| format!("{frame}\n{row}")).collect();
        amc::parse((wide.clone() + &rows).as_bytes(), &Limits::default())
    };
    let error = read("", 60_000).unwrap_err();
    assert_eq!(error.code(), "amc::mostly-missing");
    // 390 kB of text and 2^20 are more than 71 rows, less than 72.
    let expected = "most values are missing in most frames: 20000 of 14";
    assert!(error.to_string().starts_with(expected), "{error}");
    // Lines with few of their values count as missing.
    let error = read("root 1\n", 60_000).unwrap_err();
    assert_eq!(error.code(), "amc::mostly-missing");
    // A few frames are only a warning (the last one looks cut off); full ones are fine.
    assert_eq!(read("", 20).unwrap().value.frame_numbers.len(), 19);
    let full = format!("root{}\n", " 0".repeat(20_000));
    let parsed = read(&full, 200).unwrap();
    assert_eq!((parsed.value.frame_numbers.len(), parsed.warnings.len()), (200, 0));
}

#[test]
fn a_bone_that_stretches_does_not_move_joints_without_bound() {
    let read = |children: usize, frames: usize| {
        let mut text = String::from(
            ":root order TX :bonedata begin name a direction 0 1 0 length 1 axis 0 0 0 XYZ dof l end\n",
        );
        for child in 0..children {
            text += &format!("begin name b{child} direction 0 1 0 length 1 axis 0 0 0 XYZ end\n");
        }
        text += ":hierarchy\nroot a\na";
        (0..children).for_each(|child| text += &format!(" b{child}"));
        let skeleton = asf::parse(text.as_bytes(), &Limits::default()).unwrap().value;
        let rows: String = (1..=frames).map(|frame| format!("{frame}\na {frame}\n")).collect();
        let motion = amc::parse(rows.as_bytes(), &Limits::default()).unwrap().value;
        amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default())
    };
    assert!(read(10_000, 10).is_ok());
    let error = read(10_000, 6_000).unwrap_err().error;
    assert_eq!(exceeded(&error).found, 60_000_000);
}

#[test]
fn lists_of_channels_are_bounded() {
    let skeleton = |root: usize, bone: usize| {
        let (root, bone) = (" TX".repeat(root), " rx".repeat(bone));
        let bone = format!("begin name a direction 0 1 0 length 1 axis 0 0 0 XYZ dof{bone} end");
        let text = format!(":root order{root} :bonedata {bone}\n:hierarchy\nroot a\n");
        asf::parse(text.as_bytes(), &Limits::default())
    };
    let document = skeleton(64, 64).unwrap().value;
    assert_eq!((document.root.order.len(), document.bones[0].dofs.len()), (64, 64));
    let limit = LimitExceeded { what: "channels", found: 65, limit: 64 };
    assert_eq!(exceeded(&skeleton(65, 1).unwrap_err().error), limit);
    let error = skeleton(1, 20_000).unwrap_err().error;
    assert_eq!(error.context.joint.as_deref(), Some("a"));
    assert_eq!(exceeded(&error), limit);
}

#[test]
fn interpolation_between_numbers_beyond_all_measure_is_an_error() {
    let options = amc::ClipOptions { repair: true, ..Default::default() };
    for dof in ["tx", "rx", "l"] {
        let bone = format!("begin name a direction 0 1 0 length 1 axis 10 20 30 XYZ dof {dof} end");
        let text = format!(":root order {dof} :bonedata {bone}\n:hierarchy\nroot a\n");
        let skeleton = asf::parse(text.as_bytes(), &Limits::default()).unwrap().value;
        for name in ["root", "a"] {
            let read = |most: &str| {
                let text = format!("1\n{name} {most}\n2\n{name} nan\n3\n{name} -{most}\n");
                let motion = amc::parse(text.as_bytes(), &Limits::default()).unwrap().value;
                amc::to_clip(&skeleton, &motion, &options)
            };
            assert!(read("100").is_ok(), "{dof} of {name}");
            // A root has no length, so its stretch has no effect.
            if (dof, name) == ("l", "root") {
                continue;
            }
            let error = read("1e308").unwrap_err();
            // The frame that is interpolated, not those that the file has.
            let Some(amc::Problem::Clip(ModelError::NotFinite { frame: 1, .. })) = error.error.problem_as()
            else {
                panic!("{dof} of {name}: {error}");
            };
        }
    }
}

#[test]
fn many_findings_on_one_line_are_placed_in_one_pass() {
    let mut text = String::from(":root order TX :bonedata ");
    for bone in 0..40_000 {
        text +=
            &format!("begin name b{bone} direction 0 3 0 length 1 axis 0 0 0 XYZ dof rx limits (0 0) end ");
    }
    text += "\n:hierarchy\nroot";
    (0..40_000).for_each(|bone| text += &format!(" b{bone}"));
    let parsed = asf::parse(text.as_bytes(), &Limits::default()).unwrap();
    assert_eq!(parsed.warnings.len(), 80_000);
    let last = parsed.warnings[79_999].place.as_ref().unwrap();
    assert_eq!((last.line, last.column), (1, last.span.start + 1));
}
