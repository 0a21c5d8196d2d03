//! Files as a program meets them: companions, options, warnings, errors.

use std::path::PathBuf;

use mocap::prelude::*;

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name)
}

fn codes(warnings: &[Finding]) -> Vec<&'static str> {
    warnings.iter().map(Finding::code).collect()
}

#[test]
fn the_skeleton_of_an_amc_is_found_beside_it() {
    let amc = mocap::read(fixture("clips/alex_walk.amc")).unwrap().value;
    let bvh = mocap::read(fixture("clips/alex_walk.bvh")).unwrap().value;
    assert_eq!(amc.frames(), bvh.frames());
}

#[test]
fn a_unit_that_a_bvh_does_not_state_is_guessed_with_a_warning() {
    let walk = mocap::read(fixture("clips/alex_walk.bvh")).unwrap().value;
    let options = CompressOptions::default();
    assert_eq!(walk.skeleton().space().unit, None);
    let guessed = mocap::compress(&walk, &options).unwrap();
    assert_eq!(codes(&guessed.warnings), ["unit::guessed"]);
    let metres = mocap::known_unit(walk.skeleton()).unwrap().metres;
    let stated = ReadOptions { unit: Some(metres), ..ReadOptions::default() };
    let walk = mocap::read_with(fixture("clips/alex_walk.bvh"), &stated).unwrap().value;
    let stated = mocap::compress(&walk, &options).unwrap();
    assert!(stated.warnings.is_empty());
    assert_eq!(stated.value.report.max, guessed.value.report.max);
}

#[cfg(unix)]
#[test]
fn endless_files_are_refused_by_their_start() {
    for format in [None, Some(Format::Bvh), Some(Format::C3d), Some(Format::Json)] {
        let options = ReadOptions { format: format.map(FileFormat::from), ..ReadOptions::default() };
        assert_eq!(mocap::read_with("/dev/zero", &options).unwrap_err().code(), "text::zeros");
    }
    // A file whose content was never written: zeros only.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lost.bvh");
    std::fs::write(&path, vec![0; 10_000]).unwrap();
    assert_eq!(mocap::read(&path).unwrap_err().code(), "text::zeros");
}

#[test]
fn strict_makes_the_first_warning_an_error() {
    let file = fixture("bvh/warn-comments.bvh");
    let warnings = mocap::read(&file).unwrap().warnings;
    assert!(!warnings.is_empty());
    let strict = ReadOptions { strict: true, ..ReadOptions::default() };
    let Err(Error::File { failed, .. }) = mocap::read_with(&file, &strict) else { panic!("it was read") };
    assert_eq!(*failed.error, warnings[0]);
    assert_eq!(failed.warnings, warnings[1..]);
}

#[test]
fn a_compressed_clip_is_read_like_any_motion_and_is_not_json() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("walk.mocz");
    let walk = mocap::read(fixture("clips/alex_walk.bvh")).unwrap().value;
    let small = mocap::compress(&walk, &CompressOptions::default()).unwrap().value;
    std::fs::write(&path, &small.bytes).unwrap();
    let file = mocap::open(&path, &ReadOptions::default()).unwrap().value;
    assert_eq!(file.format(), FileFormat::Mocz);
    assert!(file.document().is_none());
    assert_eq!(mocap::read(&path).unwrap().value.frames(), walk.frames());
    // The content does not have the format of the extension.
    std::fs::write(&path, "nothing of the kind").unwrap();
    let Err(Error::File { failed, .. }) = mocap::read(&path) else { panic!("it was read") };
    assert_eq!(failed.code(), "mocz::magic");
}

#[test]
fn what_is_written_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let walk = mocap::read(fixture("clips/alex_walk.bvh")).unwrap().value;
    let clips = |format: &Format| format.has_motion() && format.readable().is_ok() && !format.holds_markers();
    for format in Format::ALL.into_iter().filter(clips) {
        let path = folder.path().join("walk").with_extension(format.extension());
        if format == Format::Smpl || format.holds_robot() {
            // The format holds the joints of the SMPL body, or of a robot, only.
            assert!(matches!(mocap::write(&path, &walk), Err(Error::Finding(_))));
            continue;
        }
        if format == Format::LivelinkCsv {
            // The format holds the shapes of a face only.
            assert!(matches!(mocap::write(&path, &walk), Err(Error::Finding(_))));
            continue;
        }
        mocap::write(&path, &walk).unwrap();
        assert_eq!(mocap::read(&path).unwrap().value.frames(), walk.frames(), "{format}");
    }
    let error = mocap::write(folder.path().join("walk.png"), &walk).unwrap_err();
    assert!(matches!(error, Error::OutputFormat { .. }), "{error}");
}

#[test]
fn errors_name_the_file_and_the_place() {
    let error = mocap::read(fixture("bvh/error-nan.bvh")).unwrap_err().to_string();
    assert!(error.contains("error-nan.bvh") && error.contains("line "), "{error}");
    assert!(matches!(mocap::read("no such file.bvh"), Err(Error::Io { doing: "read", .. })));
    let Err(Error::File { failed, .. }) = mocap::read(fixture("clips/robin.skel")) else { panic!() };
    assert_eq!(failed.code(), "format::no-motion");
}

#[test]
fn the_documentation_lists_every_format() {
    let docs = include_str!("../../../../docs/cli.md");
    let table = docs.split("## Formats").nth(1).and_then(|rest| rest.split("\n## ").next()).unwrap();
    for format in FileFormat::all() {
        let name = format!("`{format}`");
        let row = table.lines().find(|line| line.split('|').nth(1).is_some_and(|cell| cell.contains(&name)));
        let row = row.unwrap_or_else(|| panic!("{format} has no row"));
        let read = row.split('|').nth(2).unwrap().trim();
        let robot = matches!(format, FileFormat::Exchange(format) if format.holds_robot());
        let expected = match format.readable() {
            Ok(()) if robot => "with `--skeleton MODEL`",
            Ok(()) => "yes",
            Err(_) => "no",
        };
        assert_eq!(read, expected, "{row}");
    }
}

#[test]
fn a_header_heeds_what_is_said_of_the_first_frame() {
    let codes_of = |options: &ReadOptions| {
        let file = mocap::open(fixture("bvh/warn-rest-first-frame.bvh"), options).unwrap().value;
        (codes(&file.header(options).unwrap().warnings), codes(&file.into_clip(options).unwrap().warnings))
    };
    let (header, clip) = codes_of(&ReadOptions::default());
    assert!(header.contains(&"bvh::rest-first-frame") && header == clip, "{header:?} {clip:?}");
    for (drop_first_frame, expect_rest_frame) in [(true, false), (false, true)] {
        let options = ReadOptions { drop_first_frame, expect_rest_frame, ..ReadOptions::default() };
        let (header, clip) = codes_of(&options);
        assert!(!header.contains(&"bvh::rest-first-frame") && header == clip, "{header:?} {clip:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let one_frame = folder.path().join("one.bvh");
    let walk = mocap::read(fixture("clips/alex_walk.bvh")).unwrap().value;
    mocap::write(&one_frame, &walk.trimmed(0..1).unwrap()).unwrap();
    let drop = ReadOptions { drop_first_frame: true, ..ReadOptions::default() };
    let file = mocap::open(one_frame, &drop).unwrap().value;
    assert_eq!(file.header(&drop).unwrap_err().code(), "edit::no-frames");
}

#[test]
fn limits_hold_for_compressed_clips() {
    let walk = mocap::read(fixture("clips/alex_walk.bvh")).unwrap().value;
    let bytes = mocap::compress(&walk, &CompressOptions::default()).unwrap().value.bytes;
    let refused = |limits: mocap::Limits| {
        let options = ReadOptions { limits, ..ReadOptions::default() };
        let read = mocap::MotionFile::parse(&bytes, FileFormat::Mocz, mocap::Companions::default(), &options);
        read.map(drop).unwrap_err().to_string()
    };
    let most = mocap::Limits::default();
    assert!(refused(mocap::Limits { bytes: bytes.len() - 1, ..most }).contains("bytes"));
    assert!(refused(mocap::Limits { joints: 3, ..most }).contains("joints"));
    assert!(refused(mocap::Limits { frames: walk.frames() - 1, ..most }).contains("frames"));
}

#[test]
fn factors_and_units_are_above_zero() {
    let walk = fixture("clips/alex_walk.bvh");
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = ReadOptions { unit: Some(value), ..ReadOptions::default() };
        assert_eq!(mocap::read_with(&walk, &options).unwrap_err().code(), "usage::value", "{value}");
        let clip = mocap::read(&walk).unwrap().value;
        let edits = [
            mocap::EditOptions { scale: Some(value), ..mocap::EditOptions::default() },
            mocap::EditOptions { unit: Some(value), ..mocap::EditOptions::default() },
        ];
        for edit in edits {
            let error = mocap::edit(clip.clone(), &edit, &mut Vec::new()).unwrap_err();
            assert_eq!(error.code(), "usage::value", "{error}");
        }
    }
}

#[test]
fn a_rate_that_asks_for_too_many_samples_is_refused_before_they_are_made() {
    let walk = mocap::read(fixture("clips/alex_walk.bvh")).unwrap().value;
    let limits = mocap::Limits { samples: 2 * walk.frames() * walk.skeleton().len(), ..Default::default() };
    let at = |times: f64| {
        let rate = mocap::FrameRate::new(times * walk.rate().fps());
        let options = mocap::EditOptions { rate, limits, ..mocap::EditOptions::default() };
        mocap::edit(walk.clone(), &options, &mut Vec::new())
    };
    assert!(at(2.0).is_ok());
    assert_eq!(at(2.5).unwrap_err().code(), "limit");
}

#[test]
fn motions_of_other_lengths_are_refused_before_they_are_sampled() {
    let walk = mocap::read(fixture("clips/alex_walk.bvh")).unwrap().value;
    // At this rate, the sampled motion would have too many frames.
    let fast = walk.trimmed(0..2).unwrap().with_rate(mocap::FrameRate::new(1e12).unwrap());
    let error = mocap::at_one_rate(&mut [fast, walk], true).unwrap_err();
    assert_eq!(error.code(), "compare::different", "{error}");
}

#[cfg(unix)]
#[test]
fn a_file_is_replaced_only_when_the_new_one_is_complete() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let [path, kept, plain] = ["walk.csv", "kept", "plain"].map(|name| folder.path().join(name));
    std::fs::write(&path, "old").unwrap();
    std::fs::write(&plain, "").unwrap();
    std::fs::hard_link(&path, &kept).unwrap();
    let walk = mocap::read(fixture("clips/alex_walk.bvh")).unwrap().value;
    mocap::write(&path, &walk).unwrap();
    // The old file was never opened for writing.
    assert_eq!(std::fs::read(kept).unwrap(), b"old");
    let mode = |path: &PathBuf| path.metadata().unwrap().permissions().mode();
    assert_eq!((mode(&path), folder.path().read_dir().unwrap().count()), (mode(&plain), 3));
}
