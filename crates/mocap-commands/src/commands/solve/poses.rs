//! `mocap solve --poses`: solves sparse points and trackers by example poses, and decides which takes hold such
//! points.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mocap::EditOptions;
use mocap::solve::MarkerSets;
use mocap_formats::Format;
use mocap_model::{Pose, Skeleton, Space, Unit, UnitSource, Vector3};
use mocap_poses::{Goals, Mounting, PoseOptions, PoseReport, TableOptions, is_table, read_table, solve_with};
use schemars::JsonSchema;
use serde::Serialize;

use super::args::Args;
use super::setup::Given;
use crate::batch::{Failure, Job, JobContext, Report, Tally, json};
use crate::commands::convert::markers::trimmed;
use crate::commands::poses::refused;
use crate::commands::retarget::Target;
use crate::diagnostic::{Behind, Diagnostic};
use crate::encode::{self, Origin};
use crate::read::{self, Loaded};

/// A row of `mocap solve --poses --json`. Lengths are metres.
#[derive(Serialize, JsonSchema)]
pub(crate) struct PoseRow<'a> {
    path: &'a str,
    output: &'a str,
    target: &'a str,
    /// The file of example poses.
    examples: &'a str,
    seconds: f64,
    fps: f64,
    #[serde(flatten)]
    report: &'a PoseReport,
    warnings: &'a [Diagnostic],
}

/// The content of a take.
pub(super) enum Content {
    /// Points and trackers for joints of the target, with what was found while they were read.
    Points(Goals, Vec<Diagnostic>),
    /// Optical markers.
    Markers(Box<Loaded>),
}

/// Reads a take and decides by its content whether it holds points of joints or optical markers.
pub(super) fn content_of(
    job: &Job,
    context: &JobContext,
    (args, sets, target): (&Args, &MarkerSets, Option<&Target>),
) -> Result<(Content, u64), Failure> {
    let bytes = read::bytes_of(context, &job.input, &args.reading.limits())?;
    let size = bytes.len() as u64;
    if is_table(&bytes) {
        if args.reading.subject.is_some() {
            let message = "--subject chooses one of several people, and a table of points holds one";
            return Err(Diagnostic::new("usage::option", message).help("leave out --subject").into());
        }
        let skeleton = &needed(target)?.on.skeleton;
        let options = TableOptions { fps: args.reading.input_fps, samples: args.reading.limits().samples };
        let goals = read_table(&bytes, &options).map_err(|error| Failure::from(refused(&error)))?;
        let unit = args.reading.input_unit.map(|unit| Unit { metres: unit.0, source: UnitSource::Flag });
        let up = skeleton.space().up;
        let goals = Goals { unit, ..goals }.with_up(args.reading.input_up.unwrap_or(up), up);
        return Ok((Content::Points(goals, Vec::new()), size));
    }
    let loaded = read::load_bytes(context, &job.input, bytes, &args.reading)?;
    let Some((markers, warnings)) = loaded.markers(&args.reading)? else {
        return Err(Diagnostic::new("solve::no-points", "the file holds no points")
            .help("--poses takes CSV with frame, joint, x, y, z, qw, qx, qy, qz, and recordings of markers")
            .into());
    };
    let goals = Goals::of_markers(&markers);
    let labels = markers.names().iter().filter(|name| sets.find(name).is_some()).count();
    let joints = match target {
        Some(target) => goals.named(&target.on.roles.apply(&target.on.skeleton)),
        None => goals.roles(),
    };
    // Points without known names may be the markers of a set; their positions decide.
    if labels > joints || joints == 0 {
        return Ok((Content::Markers(Box::new(loaded)), size));
    }
    let up = needed(target)?.on.skeleton.space().up;
    Ok((Content::Points(goals.with_up(markers.space().up, up), warnings), size))
}

/// The target; an error if there is none.
fn needed(target: Option<&Target>) -> Result<&Target, Diagnostic> {
    target.ok_or_else(|| {
        Diagnostic::new("usage::target", "--poses solves points for a skeleton, and none is named")
            .help("the skeleton comes last: `mocap solve POINTS SKELETON --poses FILE -o OUT`")
    })
}

/// Rejects options that apply to the other kind of takes.
pub(super) fn check_options(args: &Args, are_points: bool) -> Result<(), Diagnostic> {
    let of_markers = [
        ("--static", args.settings.static_trial.is_some()),
        ("--calibration", args.settings.calibration.is_some()),
        ("--write-calibration", args.write_calibration.is_some()),
        ("--marker-set", args.settings.marker_set.is_some()),
        ("--fail-above", !args.settings.fail_above.is_empty()),
        ("--analog", args.analog.is_some()),
    ];
    let of_points = [("--unknown-mounting", args.unknown_mounting), ("--ik", args.ik.is_some())];
    let (given, holds, is_for) = match are_points {
        true => (&of_markers[..], "points of joints", "recordings of optical markers"),
        false => (&of_points[..], "optical markers", "points and trackers of joints"),
    };
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Diagnostic::new(
            "usage::option",
            format!("{option} is for {is_for}, and the take holds {holds}"),
        )
        .help(format!("leave out {option}"))),
        None => Ok(()),
    }
}

/// Bounds on how far points are apart, as multiples of the size of the skeleton. They apply to the
/// median over all frames with three or more points.
const MOST_APART: f64 = 4.0;
const LEAST_APART: f64 = 0.05;

/// Rejects points that are in another unit than stated: arms and legs would stretch towards points out of
/// reach.
fn check_size(goals: &Goals, skeleton: &Skeleton, metres: f64) -> Result<(), Diagnostic> {
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let size = extent(rest.joints.iter().map(|joint| joint.translation.vector)) * metres;
    let scale = goals.unit.map_or(metres, |unit| unit.metres);
    let frames = goals.positions.chunks(goals.names.len().max(1));
    let mut apart: Vec<f64> = frames
        .filter(|frame| frame.iter().flatten().count() >= 3)
        .map(|frame| extent(frame.iter().flatten().copied()) * scale)
        .collect();
    if apart.is_empty() || size <= 0.0 {
        return Ok(());
    }
    apart.sort_by(f64::total_cmp);
    let apart = apart[apart.len() / 2];
    if (LEAST_APART * size..=MOST_APART * size).contains(&apart) {
        return Ok(());
    }
    let message = format!(
        "the points extend over {apart:.3} m, and the skeleton at rest over {size:.2} m (diagonals of their boxes)"
    );
    Err(Diagnostic::new("poses::unit", message)
        .help("--input-unit states the unit of the points, --target-unit that of the skeleton"))
}

/// Diagonal of the bounding box of some points.
fn extent(points: impl Iterator<Item = Vector3<f64>> + Clone) -> f64 {
    let bound = |of: fn(f64, f64) -> f64, start: f64| {
        points.clone().fold(Vector3::repeat(start), |bound, point| bound.zip_map(&point, of))
    };
    (bound(f64::max, f64::NEG_INFINITY) - bound(f64::min, f64::INFINITY)).norm()
}

/// Solves points.
pub(super) fn solve(
    job: &Job,
    context: &JobContext,
    (args, format): (&Args, Format),
    (given, target): (&Given, Option<&Target>),
    (goals, mut warnings, bytes_in): (Goals, Vec<Diagnostic>, u64),
) -> Result<Report, Failure> {
    let started = Instant::now();
    context.check()?;
    check_options(args, true)?;
    let target = needed(target)?;
    let goals = match args.trim {
        Some(trim) => {
            let kept = trimmed(trim, goals.frames(), goals.rate.fps()).behind(&mut warnings)?;
            goals.trimmed(kept)
        }
        None => goals,
    };
    // Points may be named by roles that are only found from names and shape of the skeleton.
    let on = &target.on;
    let skeleton = Arc::new(on.roles.apply(&on.skeleton));
    let mounting = if args.unknown_mounting { Mounting::Unknown } else { Mounting::Aligned };
    let options = PoseOptions { mounting, solver: args.ik.unwrap_or_default() };
    let mut found = Vec::new();
    let solved = (|| {
        let unit = mocap::needed_unit(&skeleton, &mut found)?;
        let skeleton = Arc::new(skeleton.with_space(Space { unit: Some(unit), ..*skeleton.space() }));
        check_size(&goals, &skeleton, unit.metres)?;
        let solved = solve_with(&given.prior, &goals, &skeleton, unit.metres, options)
            .map_err(|error| refused(&error))?;
        // Most programs read BVH numbers as centimetres.
        let unit = args.unit.map(|unit| unit.0).or((format == Format::Bvh).then_some(0.01));
        let edits = EditOptions { unit, limits: args.reading.limits(), ..EditOptions::default() };
        let clip = mocap::edit(solved.clip, &edits, &mut found)?;
        Ok::<_, Diagnostic>((clip, solved.report))
    })();
    // The guess is about the unit of the skeleton; --input-unit states the unit of the points.
    warnings.extend(found.into_iter().map(|finding| match Diagnostic::from(finding) {
        guess if guess.code == "unit::guessed" => {
            guess.help("--target-unit states it and silences this warning")
        }
        other => other,
    }));
    let (clip, report) = solved.behind(&mut warnings)?;
    for goal in &report.goals {
        let Some(reason) = goal.left_out else { continue };
        warnings.push(Diagnostic::new("poses::point", format!("'{}' is left out: {reason}", goal.name)));
    }
    for goal in report.goals.iter().filter(|goal| goal.missed > 0) {
        let message = format!(
            "the body does not reach '{}' in {} of {} frames: {:.3} m are missing at most",
            goal.name,
            goal.missed,
            goal.positions,
            goal.max.unwrap_or(0.0)
        );
        warnings.push(Diagnostic::new("poses::out-of-reach", message));
    }
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    let name = encode::clip_name(job);
    let origin = Origin { document: target.on.document.as_deref(), file: Some(Path::new(&target.path)) };
    let delivered = encode::clip_in(origin, clip, format, super::encoding(args, &name));
    let delivered = delivered.map_err(Failure::from).and_then(|encoded| {
        warnings.extend_from_slice(&encoded.warnings);
        warnings = read::strict(&args.reading, std::mem::take(&mut warnings))?;
        encode::deliver(&encoded, job, context)
    });
    let (bytes_out, output) = delivered.behind(&mut warnings)?;
    let path = job.input.shown();
    let row = PoseRow {
        path: &path,
        output: &output,
        target: &target.path,
        examples: &given.path,
        seconds: started.elapsed().as_secs_f64(),
        fps,
        report: &report,
        warnings: &warnings,
    };
    let text = format!("{path} -> {output}: {frames} frames\n{report}").trim_end().to_owned();
    Ok(Report {
        json: json(&row),
        text,
        warnings,
        tally: Tally { frames, bytes_in, bytes_out },
        ..Report::default()
    })
}
