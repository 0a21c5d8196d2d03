//! Every deviation of an ASF or AMC file that has a fixture: its meaning, its message, and whether it is
//! refused.

use mocap_formats::{Finding, Limits, Parsed, amc, asf};
use mocap_model::*;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/acclaim")
}

fn names(start: &str, extension: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with(start) && name.ends_with(extension))
        .collect();
    names.sort();
    names
}

fn skeleton(name: &str) -> Result<Parsed<asf::Document>, Finding> {
    let parsed = asf::parse(&std::fs::read(folder().join(name)).unwrap(), &Limits::default())?;
    let again = asf::parse(&parsed.value.to_bytes(), &Limits::default()).unwrap();
    assert_eq!(again.value, parsed.value, "{name}");
    Ok(parsed)
}

fn motion(name: &str) -> Result<Parsed<amc::Document>, Finding> {
    let parsed = amc::parse(&std::fs::read(folder().join(name)).unwrap(), &Limits::default())?;
    let again = amc::parse(&parsed.value.to_bytes(), &Limits::default()).unwrap();
    let lines = |document: &amc::Document| -> Vec<(String, Vec<u64>)> {
        let width = document.width();
        let mut lines = Vec::new();
        for frame in 0..document.frame_numbers.len() {
            let mut from = frame * width;
            for (i, bone) in document.bones.iter().enumerate() {
                let row = document.values[from..from + bone.width].to_vec();
                from += bone.width;
                let odd = document.irregular.iter().find(|line| (line.frame, line.bone) == (frame, i));
                let values = match odd {
                    Some(line) => line.values.clone(),
                    None => (!bone.late).then_some(row),
                };
                if let Some(values) = values {
                    // All NaNs compare equal.
                    let bits = |value: f64| if value.is_nan() { 1 } else { value.to_bits() };
                    lines.push((bone.name.clone(), values.into_iter().map(bits).collect()));
                }
            }
        }
        lines
    };
    assert_eq!(again.value.frame_numbers, parsed.value.frame_numbers, "{name}");
    assert_eq!(again.value.header, parsed.value.header, "{name}");
    assert_eq!(lines(&again.value), lines(&parsed.value), "{name}");
    Ok(parsed)
}

/// The clip of a skeleton and a motion, with the warnings of both.
fn read_with(asf: &str, amc: &str, options: &amc::ClipOptions) -> Result<Parsed<Clip>, Finding> {
    let (skeleton, motion) = (skeleton(asf)?, motion(amc)?);
    let mut clip = amc::to_clip(&skeleton.value, &motion.value, options)?;
    clip.warnings.splice(0..0, skeleton.warnings.into_iter().chain(motion.warnings));
    Ok(clip)
}

/// The clip of one fixture with the plain form of the other file, unless that has a fixture of its name too.
fn read(name: &str) -> Parsed<Clip> {
    let (stem, extension) = name.rsplit_once('.').unwrap();
    let (asf, amc) = match extension {
        "asf" if folder().join(format!("{stem}.amc")).is_file() && !stem.starts_with("silent") => {
            (name.to_owned(), format!("{stem}.amc"))
        }
        "asf" => (name.to_owned(), "clean.amc".to_owned()),
        _ => ("clean.asf".to_owned(), name.to_owned()),
    };
    read_with(&asf, &amc, &amc::ClipOptions::default()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn clean() -> Clip {
    let clean = read("clean.asf");
    assert_eq!(clean.warnings, []);
    clean.value
}

fn joint(clip: &Clip, name: &str) -> JointId {
    clip.skeleton().find(name).unwrap_or_else(|| panic!("no {name}"))
}

fn rotation(clip: &Clip, name: &str, frame: usize) -> UnitQuaternion<f64> {
    clip.track(joint(clip, name)).rotation.at(frame)
}

/// A turn of some degrees about an axis.
fn turn(axis: Axis, degrees: f64) -> UnitQuaternion<f64> {
    UnitQuaternion::from_axis_angle(&axis.unit(), degrees.to_radians())
}

#[track_caller]
fn assert_turned(clip: &Clip, name: &str, frame: usize, expected: UnitQuaternion<f64>) {
    let off = angle_between(&rotation(clip, name, frame), &expected);
    assert!(off < 1e-12, "{name} is off by {off}");
}

use Axis::{X, Y, Z};

#[test]
fn the_plain_form_means_what_it_says() {
    let clip = clean();
    let names: Vec<&str> = clip.skeleton().joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["root", "back", "head", "head_End", "hip", "leg", "leg_End"]);
    assert_eq!((clip.frames(), clip.rate().fps(), clip.skeleton().name()), (3, 120.0, "Small"));
    assert_eq!(clip.skeleton().space().unit, Some(Unit { metres: Unit::CMU, source: UnitSource::File }));
    // A joint stands where the bone above it ends.
    let offset = |name: &str| clip.skeleton().joint(joint(&clip, name)).offset;
    assert_eq!(offset("back"), Vector3::zeros());
    assert_eq!(offset("head"), Vector3::new(0.0, 5.0, 0.0));
    assert_eq!(offset("head_End"), Vector3::new(0.0, 1.5, 2.0));
    assert_eq!(offset("leg"), Vector3::new(1.25, 0.0, 0.0));
    assert!(clip.skeleton().joint(joint(&clip, "leg_End")).end_site);
    // The root turns about X first; C is the identity.
    assert_turned(&clip, "root", 1, turn(Z, 31.0) * turn(Y, -20.0) * turn(X, 11.0));
    let root = clip.track(JointId(0)).translation.as_ref().unwrap();
    assert_eq!(root.at(2), Vector3::new(2.0, 17.75, -1.0));
    let c = turn(Z, 20.0);
    assert_turned(&clip, "back", 2, c * turn(Z, -11.5) * turn(Y, 2.0) * turn(X, 7.0) * c.inverse());
    let c = turn(Z, 45.0) * turn(Y, -30.0) * turn(X, 90.0);
    assert_turned(&clip, "head", 1, c * turn(X, 8.5) * c.inverse());
    assert_turned(&clip, "hip", 1, UnitQuaternion::identity());
    let dofs = &clip.skeleton().joint(joint(&clip, "leg")).dofs;
    assert_eq!((dofs.rotation, dofs.translation), ([true, false, true], [false; 3]));
    assert_eq!(dofs.limits[0].map(|limit| limit.min), Some(-160f64.to_radians()));
    assert_eq!(dofs.limits[2].map(|limit| limit.max), Some(70f64.to_radians()));
    assert!(angle_between(&dofs.frame, &turn(Z, -20.0)) < 1e-12);
}

fn lower_case(clip: &Clip) -> Clip {
    let lower = |joint: &mut Joint| joint.name = joint.name.to_lowercase().replace("_end", "_End");
    let skeleton = clip.skeleton().with_joints(lower).unwrap().with_name("Small");
    clip.clone().with_skeleton(skeleton.into()).unwrap()
}

fn without_limits(clip: &Clip) -> Clip {
    let skeleton = clip.skeleton().with_joints(|joint| joint.dofs.limits = [None; 3]).unwrap();
    clip.clone().with_skeleton(skeleton.into()).unwrap()
}

#[test]
fn deviations_that_mean_the_same_are_read_silently() {
    let clean = clean();
    let files = [names("silent-", ".asf"), names("silent-", ".amc")].concat();
    assert!(files.len() > 45, "{}", files.len());
    for file in files {
        let found = read(&file);
        assert_eq!(found.warnings, [], "{file}");
        let expected = if file == "silent-no-limits.asf" { without_limits(&clean) } else { clean.clone() };
        let found = match file.as_str() {
            "silent-upper-case.asf" | "silent-bare.asf" => lower_case(&found.value),
            _ => found.value,
        };
        assert_eq!(found, expected, "{file}");
    }
}

fn other(name: &str) -> Clip {
    let found = read(name);
    assert_eq!(found.warnings, [], "{name}");
    found.value
}

#[test]
fn orders_and_axes_of_every_kind() {
    let clip = other("other-dof-order.asf");
    // `RZ rx Ry` with the values 7 2 -11.5.
    let c = turn(Z, 20.0);
    assert_turned(&clip, "back", 2, c * turn(Y, -11.5) * turn(X, 2.0) * turn(Z, 7.0) * c.inverse());
    let limits = clip.skeleton().joint(joint(&clip, "back")).dofs.limits;
    let ends = limits.map(|limit| limit.map(|limit| limit.max.to_degrees().round()));
    assert_eq!(ends, [Some(30.0), Some(40.0), Some(45.0)]);

    let clip = other("other-axis-order.asf");
    // About Z first, then X, then Y.
    let c = turn(Y, -30.0) * turn(X, 90.0) * turn(Z, 45.0);
    assert_turned(&clip, "head", 2, c * turn(X, 9.0) * c.inverse());

    let clip = other("other-root-order.asf");
    // `RZ TY RX TX RY TZ` with the values 2 17.75 -1 12 -19.5 32.
    assert_turned(&clip, "root", 2, turn(Y, -19.5) * turn(X, -1.0) * turn(Z, 2.0));
    let place = clip.track(JointId(0)).translation.as_ref().unwrap().at(2);
    assert_eq!(place, Vector3::new(12.0, 17.75, 32.0));

    let clip = other("other-root-place.asf");
    let c = turn(Z, 30.0) * turn(Y, 20.0) * turn(X, 10.0);
    let m = turn(Z, 32.0) * turn(Y, -19.5) * turn(X, 12.0);
    assert_turned(&clip, "root", 2, c * m * c.inverse());
    let place = clip.track(JointId(0)).translation.as_ref().unwrap().at(2);
    assert_eq!(place, Vector3::new(1.0, 2.0, 3.0) + Vector3::new(2.0, 17.75, -1.0));
}

#[test]
fn bones_that_move_and_stretch() {
    let clip = other("other-moving-bone.asf");
    let leg = joint(&clip, "leg");
    assert_eq!(clip.skeleton().joint(leg).dofs.translation, [true; 3]);
    let start = clip.track(leg).translation.as_ref().unwrap().at(1);
    let expected = Vector3::new(1.25, 0.0, 0.0) + turn(Z, -20.0) * Vector3::new(0.5, -0.25, 2.0);
    assert!((start - expected).norm() < 1e-12, "{start}");
    let c = turn(Z, -20.0);
    assert_turned(&clip, "leg", 1, c * turn(Z, 5.0) * turn(X, -29.0) * c.inverse());

    let clip = other("other-stretching-bone.asf");
    // Joints at the end of a stretching bone move with it: the head, and the end of the leg.
    let at = |name: &str| clip.track(joint(&clip, name)).translation.as_ref().unwrap().at(0);
    assert_eq!(at("head"), Vector3::new(0.0, 6.5, 0.0));
    assert_eq!(at("leg_End"), Vector3::new(0.0, -6.0, 0.0));
    // It moves, so it is not an end site.
    assert!(!clip.skeleton().joint(joint(&clip, "leg_End")).end_site);
    assert!(clip.skeleton().joint(joint(&clip, "head_End")).end_site);
}

#[test]
fn units_rates_and_limits() {
    let clip = other("other-length-unit.asf");
    assert_eq!(clip.skeleton().space().unit, None);
    let options = amc::ClipOptions { units: asf::AsfUnits::Spec, ..Default::default() };
    let clip = read_with("other-length-unit.asf", "clean.amc", &options).unwrap().value;
    assert_eq!(clip.skeleton().space().unit, Some(Unit { metres: 0.0254, source: UnitSource::Flag }));

    let leg = |clip: &Clip| clip.skeleton().joint(joint(clip, "leg")).dofs.limits;
    let limits = leg(&other("other-infinite-limits.asf"));
    assert_eq!(limits[0], Some(Limit { min: f64::NEG_INFINITY, max: 20f64.to_radians() }));
    assert_eq!(limits[2], None);

    // The motion says degrees: only the skeleton's own angles are radians.
    let clip = other("other-radians.asf");
    for name in ["root", "back", "head", "leg"] {
        assert_turned(&clip, name, 1, rotation(&clean(), name, 1));
    }
    assert_eq!(leg(&clip)[2].map(|limit| limit.max), Some(70.0));
    // A motion without a unit of angles has that of its skeleton.
    let silent = read_with("other-radians.asf", "silent-no-degrees.amc", &Default::default()).unwrap();
    let c = turn(Z, 45.0) * turn(Y, -30.0) * turn(X, 90.0);
    assert_turned(&silent.value, "head", 2, c * turn(X, 9f64.to_degrees()) * c.inverse());
    let clip = other("other-radians-motion.amc");
    assert_turned(&clip, "head", 2, c * turn(X, 9f64.to_degrees()) * c.inverse());

    assert_eq!(other("other-sample-rate.amc").rate().fps(), 60.0);
    let options = amc::ClipOptions { fps: Some(25.0), ..Default::default() };
    let clip = read_with("clean.asf", "other-sample-rate.amc", &options).unwrap().value;
    assert_eq!(clip.rate().fps(), 25.0);
    let options = amc::ClipOptions { fps: Some(0.0), ..Default::default() };
    assert_eq!(read_with("clean.asf", "clean.amc", &options).unwrap_err().code(), "amc::rate");
    assert_eq!(other("other-no-frames.amc").frames(), 0);
}

/// The findings about a file, one per line.
fn said(file: &str, findings: &[Finding]) -> String {
    let line = |finding: &Finding| {
        let count = if finding.count > 1 { format!(" ×{}", finding.count) } else { String::new() };
        format!("{file}: {}{count} - {finding}\n", finding.code())
    };
    findings.iter().map(line).collect()
}

#[test]
fn deviations_that_are_repaired_are_told_with_their_places() {
    let files = [names("warn-", ".asf"), names("warn-", ".amc")].concat();
    assert!(files.len() > 35, "{}", files.len());
    let mut all = String::new();
    for file in files.iter().filter(|file| *file != "warn-repeated-dof.amc") {
        let found = read(file);
        assert_ne!(found.warnings, [], "{file}");
        all += &said(file, &found.warnings);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn what_is_repaired_means_the_same() {
    let clean = clean();
    let same = [
        "warn-angle-unit.asf",
        "warn-unknown-unit.asf",
        "warn-unknown-field.asf",
        "warn-unknown-root-field.asf",
        "warn-unknown-section.asf",
        "warn-no-axis.asf",
        "warn-no-axis-order.asf",
        "warn-missing-end.asf",
        "warn-direction-length.asf",
        "warn-repeated-dof.asf",
        "warn-many-limits.asf",
        "warn-limit-order.asf",
        "warn-frames-from-0.amc",
        "warn-frame-gap.amc",
        "warn-many-values.amc",
        "warn-unknown-bone.amc",
        "warn-repeated-bone.amc",
        "warn-repeated-bone-first.amc",
        "warn-continued-line.amc",
        "warn-commas.amc",
        "warn-unknown-keyword.amc",
        "warn-sample-rate.amc",
    ];
    for file in same {
        assert_eq!(read(file).value, clean, "{file}");
    }
    let first_two = clean.trimmed(0..2).unwrap();
    for file in names("warn-cut-", ".amc") {
        assert_eq!(read(&file).value, first_two, "{file}");
    }
}

#[test]
fn what_is_missing_is_zero() {
    let clean = clean();
    let head = |file: &str, frame| rotation(&read(file).value, "head", frame);
    let one = UnitQuaternion::identity();
    assert_eq!(head("warn-missing-bone.amc", 1), one);
    assert_eq!(head("warn-missing-bone.amc", 2), rotation(&clean, "head", 2));
    assert_eq!(head("warn-late-bone.amc", 0), one);
    assert_eq!(head("warn-late-bone.amc", 1), rotation(&clean, "head", 1));
    assert_eq!(
        read("warn-bone-without-motion.amc").value.track(joint(&clean, "head")).rotation,
        Track::Constant(one)
    );
    let c = turn(Z, 20.0);
    let clip = read("warn-few-values.amc").value;
    assert_turned(&clip, "back", 1, c * turn(Y, 1.0) * turn(X, 6.0) * c.inverse());
    let clip = read("warn-few-channels.amc").value;
    let c = turn(Z, -20.0);
    assert_turned(&clip, "leg", 1, c * turn(X, -29.0) * c.inverse());
    // Surplus values stand behind those that count.
    let clip = read("warn-many-channels.amc").value;
    assert_eq!(clip.track(joint(&clip, "head")).rotation, Track::Constant(one));

    let limits = |file: &str, name: &str| {
        let clip = read(file).value;
        clip.skeleton().joint(joint(&clip, name)).dofs.limits
    };
    assert_eq!(limits("warn-zero-limit.asf", "head"), [None; 3]);
    assert_eq!(limits("warn-few-limits.asf", "back")[2], None);
    assert!(limits("warn-few-limits.asf", "back")[1].is_some());
    // A bone whose limits are unusable still turns.
    assert_eq!(head("warn-zero-limit.asf", 1), rotation(&clean, "head", 1));
    let clip = read("warn-latin-1-name.asf").value;
    assert!(clip.skeleton().find("hüfte").is_some());
}

#[test]
fn what_is_refused_is_told_with_its_place() {
    let mut all = String::new();
    for file in names("error-", ".asf") {
        let error = skeleton(&file).unwrap_err();
        all += &said(&file, &[error]);
    }
    for file in names("error-", ".amc") {
        let error = read_with("clean.asf", &file, &amc::ClipOptions::default()).unwrap_err();
        all += &said(&file, &[error]);
    }
    insta::assert_snapshot!(all);
}

#[test]
fn values_that_are_not_finite_are_interpolated_where_asked() {
    let options = amc::ClipOptions { repair: true, ..Default::default() };
    let found = read_with("clean.asf", "error-nan.amc", &options).unwrap();
    assert_eq!(
        said("", &found.warnings),
        ": amc::repaired ×2 - line 10, column 8: a value that is not a finite number was replaced by interpolation (joint 'back', channel ry, frame 1)\n"
    );
    // The interpolation of 0 and 2 is 1, as in the unchanged file; at the end the last value holds.
    assert_eq!(found.value.track(joint(&found.value, "back")), clean().track(joint(&clean(), "back")));
    assert_turned(&found.value, "head", 2, rotation(&clean(), "head", 1));
    for file in ["error-ind.amc", "error-infinite.amc"] {
        let found = read_with("clean.asf", file, &options).unwrap().value;
        let c = turn(Z, 45.0) * turn(Y, -30.0) * turn(X, 90.0);
        assert_turned(&found, "head", 1, c * turn(X, 4.5) * c.inverse());
    }
}
