//! Every deviation of a BVH file that has a fixture: its meaning, its message, and whether it is refused.

use mocap_formats::{Finding, Limits, Parsed, bvh};
use mocap_model::{Clip, EulerOrder, JointId, Track, UnitQuaternion, Vector3};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/bvh")
}

fn names(start: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(start))
        .collect();
    names.sort();
    names
}

fn read_with(name: &str, options: &bvh::ClipOptions) -> Result<Parsed<Clip>, Finding> {
    let bytes = std::fs::read(folder().join(format!("{name}.bvh"))).unwrap();
    let document = bvh::parse(&bytes, &Limits::default())?;
    let mut clip = bvh::to_clip(&document.value, options)?;
    // A written document reads back as the same, without warnings.
    let again = bvh::parse(&document.value.to_bytes(), &Limits::default()).unwrap();
    assert_same(&again.value, &document.value, name);
    clip.warnings.splice(0..0, document.warnings);
    Ok(clip)
}

/// Equal, where NaN equals NaN.
fn assert_same(a: &bvh::Document, b: &bvh::Document, name: &str) {
    let values = |document: &bvh::Document| -> Vec<u64> {
        let values = document.motion().map(bvh::Motion::values).unwrap_or_default();
        values.iter().map(|value| value.to_bits()).collect()
    };
    let time = |document: &bvh::Document| document.motion().and_then(|motion| motion.frame_time.clone());
    assert_eq!(a.nodes(), b.nodes(), "{name}");
    assert_eq!((a.frames(), time(a), values(a)), (b.frames(), time(b), values(b)), "{name}");
}

fn read(name: &str) -> Parsed<Clip> {
    read_with(name, &bvh::ClipOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn clean() -> Clip {
    let clean = read("clean");
    assert_eq!(clean.warnings, []);
    assert_eq!((clean.value.frames(), clean.value.rate().fps()), (3, 30.0));
    clean.value
}

fn named(clip: &Clip, names: &[&str]) -> Clip {
    assert_eq!(clip.skeleton().len(), names.len());
    let mut names = names.iter();
    let skeleton = clip.skeleton().with_joints(|joint| joint.name = (*names.next().unwrap()).into()).unwrap();
    clip.clone().with_skeleton(skeleton.into()).unwrap()
}

const PLAIN: [&str; 5] = ["Hips", "Spine", "Spine_End", "LeftLeg", "LeftLeg_End"];

#[test]
fn the_plain_form_means_what_it_says() {
    let clip = clean();
    let names: Vec<&str> = clip.skeleton().joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, PLAIN);
    let root = clip.track(JointId(0));
    assert_eq!(root.translation.as_ref().unwrap().at(1), Vector3::new(1.75, 20.5, -2.0));
    let angles = [12f64, -19.75, 32.0].map(f64::to_radians);
    assert!(root.rotation.at(2).angle_to(&EulerOrder::ZXY.rotation(angles)) < 1e-15);
    let leg = clip.skeleton().joint(JointId(3));
    assert_eq!(
        (leg.offset, leg.parent, leg.end_site),
        (Vector3::new(2.0, -8.0, 0.5), Some(JointId(0)), false)
    );
    assert_eq!(clip.track(JointId(3)).translation, None);
    assert!(clip.skeleton().joint(JointId(4)).end_site);
}

#[test]
fn deviations_that_mean_the_same_are_read_silently() {
    let clean = clean();
    // These give other values, and are tested below.
    let others = [
        "few-channels",
        "order-per-joint",
        "root-rotations-only",
        "root-positions-only",
        "zero-frames",
        "two-roots",
        "end-site-and-child",
        "leaf-without-end-site",
    ];
    let renamed: [(&str, [&str; 5]); 6] = [
        ("named-end-sites", ["Hips", "Spine", "Neck tip", "LeftLeg", "LeftToe"]),
        ("end-name", ["Hips", "Spine", "SpineTip", "LeftLeg", "LeftLeg_End"]),
        ("names-with-blanks", ["Bip01", "Bip01 Spine", "Bip01 Spine_End", "Bip01 L Leg", "Bip01 L Leg_End"]),
        ("names-with-colons", ["rig:Hips", "rig:Spine", "rig:Spine_End", "rig:LeftLeg", "rig:LeftLeg_End"]),
        ("names-in-utf8", ["Hüfte", "脊椎", "脊椎_End", "LinkesBein", "LinkesBein_End"]),
        ("names-like-keywords", ["MOTION", "OFFSET", "OFFSET_End", "End Site", "End Site_End"]),
    ];
    let files = names("silent-");
    assert!(files.len() > 40, "{}", files.len());
    for file in files {
        let found = read(&file);
        assert_eq!(found.warnings, [], "{file}");
        let deviation = file.strip_prefix("silent-").unwrap();
        if others.contains(&deviation) {
            continue;
        }
        let names = renamed.iter().find(|(name, _)| *name == deviation).map_or(&PLAIN, |(_, names)| names);
        let mut expected = named(&clean, names);
        if deviation == "six-channels" {
            // Every joint may move, and none but the root does.
            let all_move = |joint: &mut mocap_model::Joint| joint.dofs.translation = [!joint.end_site; 3];
            expected = expected
                .clone()
                .with_skeleton(expected.skeleton().with_joints(all_move).unwrap().into())
                .unwrap();
        }
        assert_eq!(found.value, expected, "{file}");
    }
}

fn turned(clip: &Clip, joint: u32, frame: usize) -> UnitQuaternion<f64> {
    clip.track(JointId(joint)).rotation.at(frame)
}

#[test]
fn channels_of_every_number_and_order() {
    let rotation = |order: EulerOrder, angles: [f64; 3]| order.rotation(angles.map(f64::to_radians));
    let order = |name: &str| name.parse::<EulerOrder>().unwrap();

    let orders = read("silent-order-per-joint").value;
    assert!(turned(&orders, 1, 0).angle_to(&rotation(order("XYZ"), [5.0, 0.0, -12.5])) < 1e-15);
    assert!(turned(&orders, 3, 1).angle_to(&rotation(order("YZX"), [1.0, -2.5, 5.0])) < 1e-15);
    assert_eq!(orders.skeleton().joint(JointId(3)).dofs.order, order("YZX"));

    let few = read("silent-few-channels").value;
    assert!(turned(&few, 1, 0).angle_to(&rotation(order("YXZ"), [5.0, 0.0, 0.0])) < 1e-15);
    assert_eq!(few.track(JointId(2)).rotation, Track::Constant(UnitQuaternion::identity()));
    assert_eq!(few.skeleton().joint(JointId(2)).name, "Still");
    assert!(turned(&few, 4, 2).angle_to(&rotation(order("XZY"), [2.0, -11.5, 0.0])) < 1e-15);
    assert_eq!(few.skeleton().joint(JointId(4)).dofs.rotation, [true, false, true]);

    let clean = clean();
    let turning = read("silent-root-rotations-only").value;
    assert_eq!(turning.track(JointId(0)).translation, None);
    assert_eq!(turning.track(JointId(0)).rotation, clean.track(JointId(0)).rotation);
    assert_eq!(turning.tracks()[1..], clean.tracks()[1..]);
    let moving = read("silent-root-positions-only").value;
    assert_eq!(moving.track(JointId(0)).translation, clean.track(JointId(0)).translation);
    assert_eq!(moving.track(JointId(0)).rotation, Track::Constant(UnitQuaternion::identity()));
    assert_eq!(moving.tracks()[1..], clean.tracks()[1..]);
}

#[test]
fn trees_of_every_shape() {
    let clean = clean();
    let none = read("silent-zero-frames").value;
    assert_eq!((none.frames(), none.skeleton()), (0, clean.skeleton()));

    let forest = read("silent-two-roots").value;
    assert_eq!(forest.skeleton().roots().count(), 2);
    assert_eq!(forest.tracks()[..5], *clean.tracks());
    assert_eq!(forest.tracks()[5..], *clean.tracks());

    let both = read("silent-end-site-and-child").value;
    let spine = both.skeleton().find("Spine").unwrap();
    let below: Vec<&str> =
        both.skeleton().children(spine).iter().map(|id| both.skeleton().joint(*id).name.as_str()).collect();
    assert_eq!(below, ["Spine_End", "LeftLeg"]);
    assert_eq!(both.tracks(), clean.tracks());

    let leaf = read("silent-leaf-without-end-site").value;
    assert_eq!(leaf.skeleton().children(leaf.skeleton().find("Spine").unwrap()), []);
    assert_eq!(leaf.tracks()[..2], clean.tracks()[..2]);
    assert_eq!(leaf.tracks()[2..], clean.tracks()[3..]);
}

/// Code, line, column and count of the warnings.
type Said = &'static [(&'static str, usize, usize, usize)];

#[test]
fn what_is_repaired_is_said() {
    let clean = clean();
    let same: &[(&str, Said)] = &[
        ("comments", &[("bvh::comment", 1, 1, 5)]),
        ("endsite", &[("bvh::end-site-spelling", 10, 5, 2)]),
        ("missing-bracket", &[("bvh::missing-bracket", 23, 1, 1)]),
        ("end-site-channels", &[("bvh::end-site-channels", 13, 7, 1)]),
        ("end-site-channels-alone", &[("bvh::end-site-channels", 13, 7, 1)]),
        ("channel-count", &[("bvh::channel-count", 9, 5, 1)]),
        ("channel-commas", &[("bvh::commas", 5, 53, 6)]),
        ("missing-frames", &[("bvh::missing-frames", 25, 1, 1)]),
        ("fractional-frames", &[("bvh::fractional-frames", 26, 9, 1)]),
        ("missing-frame-time", &[("bvh::frame-time", 25, 1, 1)]),
        ("empty-frame-time", &[("bvh::frame-time", 27, 1, 1)]),
        ("zero-frame-time", &[("bvh::frame-time", 27, 1, 1)]),
        ("negative-frame-time", &[("bvh::frame-time", 27, 1, 1)]),
        ("fewer-frames", &[("bvh::frame-count", 26, 1, 1)]),
        ("more-frames", &[("bvh::frame-count", 26, 1, 1)]),
        ("trailing-text", &[("bvh::trailing-text", 31, 1, 1)]),
        ("surplus-columns", &[("bvh::surplus-columns", 28, 1, 1)]),
        ("decimal-commas", &[("bvh::commas", 17, 17, 1)]),
        ("separating-commas", &[("bvh::commas", 17, 12, 1)]),
    ];
    let others: &[(&str, Said)] = &[
        ("missing-name", &[("bvh::missing-name", 6, 3, 1)]),
        ("duplicate-names", &[("bvh::duplicate-name", 15, 9, 1)]),
        ("latin-1-name", &[("text::name-encoding", 6, 9, 1)]),
        ("shift-jis-name", &[("text::name-encoding", 6, 9, 1)]),
        ("end-site-without-offset", &[("bvh::end-site-offset", 10, 5, 1)]),
        ("no-channels", &[("bvh::no-channels", 6, 3, 1)]),
        ("scale-channels", &[("bvh::scale-channel", 9, 16, 3)]),
        ("no-motion", &[("bvh::no-motion", 25, 1, 1)]),
        ("truncated-frame", &[("bvh::truncated-frame", 30, 1, 1)]),
        ("row-length", &[("bvh::row-length", 28, 1, 1), ("bvh::truncated-frame", 30, 1, 1)]),
        ("position-mode", &[("bvh::position-mode", 0, 0, 1)]),
        ("rest-first-frame", &[("bvh::rest-first-frame", 28, 1, 1)]),
    ];
    let mut seen = BTreeSet::new();
    for (deviation, said) in same.iter().chain(others) {
        let file = format!("warn-{deviation}");
        let found = read(&file);
        let warnings: Vec<(&str, usize, usize, usize)> = found
            .warnings
            .iter()
            .map(|warning| {
                let (line, column) =
                    warning.place.as_ref().map_or((0, 0), |place| (place.line, place.column));
                (warning.code(), line, column, warning.count)
            })
            .collect();
        assert_eq!(warnings, *said, "{file}");
        if same.iter().any(|(name, _)| name == deviation) {
            assert_eq!(found.value, clean, "{file}");
        }
        seen.insert(file);
    }
    assert!(names("warn-").into_iter().eq(seen), "a file has no row in the tables");
}

#[test]
fn what_repaired_files_mean() {
    let clean = clean();
    let names = |file: &str| -> Vec<String> {
        let clip = read(file).value;
        assert_eq!(clip.tracks(), clean.tracks(), "{file}");
        clip.skeleton().joints().iter().map(|joint| joint.name.clone()).collect()
    };
    assert_eq!(names("warn-missing-name"), ["Hips", "joint", "joint_End", "LeftLeg", "LeftLeg_End"]);
    assert_eq!(names("warn-duplicate-names"), ["Hips", "Spine", "Spine_End", "Spine_2", "Spine_2_End"]);
    assert_eq!(names("warn-latin-1-name")[1], "Rücken");
    assert_eq!(names("warn-shift-jis-name")[1], "脊椎");

    let tip = read("warn-end-site-without-offset").value;
    assert_eq!(tip.skeleton().joint(JointId(2)).offset, Vector3::zeros());
    assert_eq!(tip.tracks(), clean.tracks());

    let still = read("warn-no-channels").value;
    assert_eq!(still.track(JointId(1)).rotation, Track::Constant(UnitQuaternion::identity()));
    assert_eq!(still.tracks()[2..], clean.tracks()[2..]);

    let scaled = read("warn-scale-channels").value;
    assert_eq!(scaled, clean);

    let skeleton = read("warn-no-motion").value;
    assert_eq!((skeleton.frames(), skeleton.skeleton()), (0, clean.skeleton()));

    let cut = read("warn-truncated-frame").value;
    assert_eq!(cut, clean.trimmed(0..2).unwrap());
    // The number missing in the first line is taken from the second, so all later ones are shifted by one.
    let shifted = read("warn-row-length").value;
    assert_eq!(shifted.frames(), 2);
    assert_eq!(shifted.track(JointId(0)).translation.as_ref().unwrap().at(1), Vector3::new(20.5, -2.0, 11.0));

    let rest = read("warn-rest-first-frame").value;
    assert_eq!(rest.trimmed(1..4).unwrap(), clean);
    // Exactly halfway counts for add.
    let added = read("warn-position-mode").value;
    assert_eq!(added.track(JointId(0)).translation.as_ref().unwrap().at(1), Vector3::new(1.75, 61.5, -2.0));
}

#[test]
fn positions_can_be_read_either_way() {
    let read = |position_channels| {
        let options = bvh::ClipOptions { position_channels, ..Default::default() };
        let clip = read_with("warn-position-mode", &options).unwrap();
        assert_eq!(clip.warnings, []);
        clip.value.track(JointId(0)).translation.as_ref().unwrap().at(0)
    };
    assert_eq!(read(bvh::PositionChannels::Replace), Vector3::new(1.5, 20.0, -3.0));
    assert_eq!(read(bvh::PositionChannels::Add), Vector3::new(1.5, 61.0, -3.0));
}

#[test]
fn the_rate_can_be_given() {
    let options = bvh::ClipOptions { fps: Some(25.0), ..Default::default() };
    assert_eq!(read_with("warn-missing-frame-time", &options).unwrap().value.rate().fps(), 25.0);
    assert_eq!(read_with("clean", &options).unwrap().value.rate().fps(), 25.0);
}

#[test]
fn what_is_refused_is_refused_in_its_place() {
    /// Code, line and column, joint, channel, frame.
    type Row = (&'static str, &'static str, usize, usize, &'static str, &'static str, Option<usize>);
    let rows: &[Row] = &[
        ("nan", "bvh::not-a-number", 28, 28, "Spine", "Yrotation", Some(0)),
        ("inf", "bvh::not-a-number", 28, 28, "Spine", "Yrotation", Some(0)),
        ("ind", "bvh::not-a-number", 28, 28, "Spine", "Yrotation", Some(0)),
        ("too-large", "bvh::not-a-number", 28, 28, "Spine", "Yrotation", Some(0)),
        ("nan-everywhere", "bvh::not-a-number", 28, 24, "Spine", "Zrotation", Some(0)),
        ("nan-offset", "bvh::not-a-number", 8, 14, "Spine", "", None),
        ("word", "bvh::value", 28, 28, "Spine", "Yrotation", Some(0)),
        ("two-points", "bvh::value", 28, 28, "Spine", "Yrotation", Some(0)),
        ("empty", "text::empty", 0, 0, "", "", None),
        ("blank", "text::empty", 0, 0, "", "", None),
        ("no-hierarchy", "bvh::syntax", 1, 1, "", "", None),
        ("other-format", "bvh::syntax", 2, 1, "", "", None),
        ("no-root", "bvh::no-root", 2, 1, "", "", None),
        ("joint-first", "bvh::syntax", 2, 1, "", "", None),
        ("no-offset", "bvh::missing-offset", 6, 3, "Spine", "", None),
        ("short-offset", "bvh::syntax", 9, 5, "Spine", "", None),
        ("two-offsets", "bvh::repeated", 9, 5, "Spine", "", None),
        ("two-channels", "bvh::repeated", 10, 5, "Spine", "", None),
        ("channel", "bvh::channel", 5, 34, "Hips", "", None),
        ("repeated-channel", "bvh::repeated-channel", 5, 34, "Hips", "Yposition", None),
        ("joint-in-end-site", "bvh::syntax", 13, 7, "", "", None),
        ("no-bracket", "bvh::syntax", 7, 5, "Spine", "", None),
        ("surplus-bracket", "bvh::syntax", 25, 1, "", "", None),
        ("cut-hierarchy", "bvh::syntax", 21, 13, "LeftLeg", "", None),
        ("frames-word", "bvh::syntax", 26, 9, "", "", None),
        ("frames-negative", "bvh::syntax", 26, 9, "", "", None),
        ("no-header", "bvh::syntax", 26, 1, "", "", None),
    ];
    let mut seen = BTreeSet::new();
    for (name, code, line, column, joint, channel, frame) in rows {
        let file = format!("error-{name}");
        let error = read_with(&file, &bvh::ClipOptions::default()).expect_err(&file);
        let place = error.place.as_ref().map_or((0, 0), |place| (place.line, place.column));
        assert_eq!((error.code(), place), (*code, (*line, *column)), "{file}: {error}");
        let context = &error.context;
        let found =
            (context.joint.as_deref().unwrap_or(""), context.channel.as_deref().unwrap_or(""), context.frame);
        assert_eq!(found, (*joint, *channel, *frame), "{file}: {error}");
        seen.insert(file);
    }
    assert!(names("error-").into_iter().eq(seen), "a file has no row in the table");
}

#[test]
fn values_that_are_not_finite_are_interpolated_on_request() {
    let options = bvh::ClipOptions { repair: true, ..Default::default() };
    let clean = clean();
    for file in ["error-nan", "error-inf", "error-ind", "error-too-large"] {
        let found = read_with(file, &options).unwrap();
        let codes: Vec<(&str, usize)> = found.warnings.iter().map(|w| (w.code(), w.count)).collect();
        assert_eq!(codes, [("bvh::repaired", 1)], "{file}");
        // The first value is that of the next frame.
        let spine = EulerOrder::ZXY.rotation([5f64, 0.0, -12.0].map(f64::to_radians));
        assert!(turned(&found.value, 1, 0).angle_to(&spine) < 1e-15, "{file}");
        assert_eq!(turned(&found.value, 1, 1), turned(&clean, 1, 1), "{file}");
    }
    let found = read_with("error-nan-everywhere", &options).unwrap();
    assert_eq!(found.warnings[0].count, 5);
    let spine = EulerOrder::ZXY.rotation([7f64, 0.0, -12.0].map(f64::to_radians));
    assert!(turned(&found.value, 1, 1).angle_to(&spine) < 1e-15);
}

/// The texts of all diagnostics, by file.
#[test]
fn the_texts_of_all_diagnostics() {
    let mut text = String::new();
    for file in names("warn-").into_iter().chain(names("error-")) {
        text += &format!("{file}\n");
        match read_with(&file, &bvh::ClipOptions::default()) {
            Ok(found) => found.warnings.iter().for_each(|w| text += &format!("    {} [{}]\n", w, w.code())),
            Err(error) => text += &format!("    {} [{}]\n", error, error.code()),
        }
    }
    let options = bvh::ClipOptions { repair: true, ..Default::default() };
    let repaired = read_with("error-nan-everywhere", &options).unwrap();
    text += &format!(
        "repaired error-nan-everywhere\n    {} [{}]\n",
        repaired.warnings[0],
        repaired.warnings[0].code()
    );
    insta::assert_snapshot!(text);
}
