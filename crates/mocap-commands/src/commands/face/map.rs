//! The map between two faces: read from a file, shown, and written for a user to edit.

use std::path::Path;

use mocap_face::{FaceMap, Link, Match};
use mocap_formats::{Limits, face_map as map_file, text};
use mocap_model::Clip;
use schemars::JsonSchema;
use serde::Serialize;

use super::{Args, FileBeside, Head, Row, other_table};
use crate::batch::{self, Failure, Input, Job, JobContext, ReadFiles, Report, json};
use crate::diagnostic::{Behind, Diagnostic};
use crate::encode::{self, Encoded};
use crate::output::Output;
use crate::read;

/// A shape of the target, and what moves it.
#[derive(Serialize, JsonSchema)]
pub(super) struct LinkRow {
    target: String,
    /// The weight is the sum of gain × weight.
    from: Vec<MoverRow>,
    /// How it was matched, in a few words.
    by: &'static str,
}

/// A shape of the source.
#[derive(Serialize, JsonSchema)]
struct MoverRow {
    source: String,
    gain: f64,
}

/// The rows of a map.
pub(super) fn rows(map: &FaceMap, source: &[String], target: &[String]) -> Vec<LinkRow> {
    let link = |link: &Link| LinkRow {
        target: target[link.target].clone(),
        from: link
            .from
            .iter()
            .map(|(at, gain)| MoverRow { source: source[*at].clone(), gain: *gain })
            .collect(),
        by: link.by.text(),
    };
    map.links.iter().map(link).collect()
}

/// The names of the numbers over time of a clip.
pub(super) fn names(clip: &Clip) -> Vec<String> {
    clip.annotations().scalars.iter().map(|track| track.name.clone()).collect()
}

/// The map between a source and the face: read from a file, or found by names.
pub(super) fn face_map(
    source: &[String],
    head: &Head,
    given: Option<&FileBeside>,
) -> Result<FaceMap, Diagnostic> {
    let map = match given {
        Some(given) => parse(given, source, &head.names)?,
        None => found(source, head),
    };
    if map.links.is_empty() {
        let message = match source.len() {
            _ if given.is_some() => "the map names no shape of the source: nothing moves".to_owned(),
            0 => "the source has no shapes: no numbers over time".to_owned(),
            count => {
                format!("none of the {count} shape names of the source matches a shape of the character")
            }
        };
        let help = match source.len() {
            0 => {
                "sources are takes of Live Link Face (CSV), characters whose shapes move, and clips with numbers over time"
            }
            _ => "--write-map writes a map to fill in, --map takes it; --explain shows the names",
        };
        return Err(Diagnostic::new("face::nothing-mapped", message).help(help));
    }
    Ok(map)
}

/// The map by names. A shape is driven by a source shape or by an expression, not by both: an expression with
/// the same name takes precedence over shapes that only have the same meaning, and other expressions yield to
/// the shapes that they would drive.
pub(super) fn found(source: &[String], head: &Head) -> FaceMap {
    let mut map = FaceMap::found(source, &head.names);
    for expression in head.expressions.iter().filter(|of| !head.shapes.contains(&of.name)) {
        let own = |link: &Link| head.names[link.target] == expression.name;
        let Some(by) = map.links.iter().find(|link| own(link)).map(|link| link.by) else { continue };
        let bound = |link: &Link| expression.binds.iter().any(|(shape, _)| *shape == head.names[link.target]);
        let exact = map.links.iter().filter(|link| bound(link)).any(|link| link.by == Match::SameName);
        let any = map.links.iter().any(bound);
        match by == Match::SameName && !exact {
            true => map.links.retain(|link| !bound(link)),
            false => map.links.retain(|link| !any || !own(link)),
        }
    }
    map
}

/// The map of a file.
pub(super) fn parse(given: &FileBeside, source: &[String], target: &[String]) -> Result<FaceMap, Diagnostic> {
    let rows = map_file::parse(&given.bytes, source, target, &Limits::default());
    let rows = rows.map_err(|finding| {
        Diagnostic::from_finding(&finding, &text::decode(&given.bytes)).in_file(&given.path)
    })?;
    let link = |row: map_file::Row| Link { target: row.target, from: row.from, by: Match::Stated };
    Ok(FaceMap { links: rows.into_iter().filter(|row| !row.from.is_empty()).map(link).collect() })
}

/// The jobs of a run that writes no motion.
pub(super) fn jobs(
    inputs: Vec<Input>,
    reads: &ReadFiles<'_>,
    args: &Args,
    console: &dyn Output,
) -> Result<Vec<Job>, Diagnostic> {
    if let Some(path) = &args.write_map {
        if inputs.len() != 1 {
            let message = format!("--write-map needs exactly one source, found {}", inputs.len());
            return Err(Diagnostic::new("usage::output", message)
                .help("sources with the same shapes share a map: name one of them"));
        }
        reads.refuse(&inputs, [path.as_path()])?;
        if path == Path::new("-") && (console.is_json() || args.explain) {
            return Err(Diagnostic::new("usage::stdout-twice", "the map and rows both go to stdout")
                .help("name a file with --write-map"));
        }
    }
    Ok(batch::report_jobs(inputs))
}

/// Shows the map of an input and the face, and writes it if `--write-map` is given.
pub(super) fn show(
    job: &Job,
    context: &JobContext,
    args: &Args,
    head: &Head,
    given: Option<&FileBeside>,
) -> Result<Report, Failure> {
    let motion = read::motion(context, &job.input, &args.reading)
        .map_err(|failure| other_table(job, context, &args.reading, failure))?;
    let (source, mut warnings) = (names(&motion.clip), motion.warnings);
    let map = match given {
        Some(given) => parse(given, &source, &head.names),
        None => Ok(found(&source, head)),
    };
    let map = map.behind(&mut warnings)?;
    let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<String>>();
    let (unused, unmoved) = (owned(map.unused(&source)), head.unmoved(&map));
    let mut text = String::new();
    if args.explain {
        text = explained(&map, &source, &head.names, [&unused, &unmoved]);
        text.insert_str(0, &format!("{} -> {}\n", job.input.shown(), head.target.path));
    }
    if let Some(path) = &args.write_map {
        let bytes = encoded(&map, &source, &head.names);
        encode::deliver_to(&bytes, path, args.outputs.overwrite).behind(&mut warnings)?;
        if path == Path::new("-") {
            return Ok(Report { warnings, ..Report::default() });
        }
        if !args.explain {
            let (moved, all) = (map.links.len(), head.names.len());
            text = format!("{}: {moved} of {all} shapes; edit it and give it with --map", path.display());
        }
    }
    let row = Row {
        path: job.input.shown(),
        target: &head.target.path,
        output: String::new(),
        frames: motion.clip.frames(),
        fps: motion.clip.rate().fps(),
        map: Some(rows(&map, &source, &head.names)),
        unused,
        unmoved,
        lids: Vec::new(),
        residual: None,
        transferred: None,
        seconds: 0.0,
        warnings: &warnings,
    };
    let json = json(&row);
    Ok(Report { json, text, warnings, ..Report::default() })
}

/// The map as a file. Shapes that nothing drives are listed without a source.
fn encoded(map: &FaceMap, source: &[String], target: &[String]) -> Encoded {
    let found = |at: usize| map.links.iter().find(|link| link.target == at);
    let row = |at: usize| map_file::Row {
        target: at,
        from: found(at).map_or_else(Vec::new, |link| link.from.clone()),
    };
    let all: Vec<map_file::Row> = (0..target.len()).map(row).collect();
    let note = |at: usize| Some(found(at).map_or("nothing was found", |link| link.by.text()).to_owned());
    map_file::to_bytes(&all, source, target, note).into()
}

/// One line per shape of the target, and the unused shapes.
fn explained(map: &FaceMap, source: &[String], target: &[String], left: [&[String]; 2]) -> String {
    let width = map.links.iter().map(|link| target[link.target].chars().count()).max().unwrap_or(0);
    let mover = |(at, gain): &(usize, f64)| match *gain {
        1.0 => source[*at].clone(),
        gain => format!("{} × {}", mocap::short(gain), source[*at]),
    };
    let mut lines: Vec<String> = map
        .links
        .iter()
        .map(|link| {
            let from: Vec<String> = link.from.iter().map(mover).collect();
            format!("  {:width$}  {}  ({})", target[link.target], from.join(" + "), link.by.text())
        })
        .collect();
    for (names, what) in left.into_iter().zip(["nothing takes", "nothing moves"]) {
        if !names.is_empty() {
            lines.push(format!("  {what}: {}", names.join(", ")));
        }
    }
    lines.join("\n")
}
