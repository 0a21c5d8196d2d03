//! Finds ranges that are similar to an example.

use std::path::{Path, PathBuf};

use mocap_batch::write_file;
use mocap_model::{Clip, FrameRate};
use mocap_report::view::{ViewInput, ViewOptions, html};
use mocap_search::index::Searcher;
use mocap_search::{Entry, FindOptions, Hit, Motion, Query, best, find_in};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Args, refuse_index, refused};
use crate::batch::{Input, fail, json};
use crate::commands::database::{Database, in_parallel, motion_of, read_database};
use crate::commands::indexed::{Refreshed, current, is_named_index, reading_options};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{Invocation, Reading};
use crate::output::Output;

/// A range that is like the query.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindHit")]
pub(super) struct HitRow {
    /// From 1, the best.
    rank: usize,
    path: String,
    /// From the start of the clip [s].
    start: f64,
    /// End of the range [s].
    end: f64,
    /// Root mean square distance on a body with the legs of the query [m]; null where its unit is unknown.
    distance: Option<f64>,
    /// Mean angle between the bones of arms and legs [rad].
    angle: f64,
    /// Whether the range is like the mirrored query.
    mirrored: bool,
    /// How much faster than the query the range is.
    speed: f64,
    /// The share of the query that the range is like: below 1 where a clip is too short for all of it.
    coverage: f64,
}

/// The clips that were searched, and what was found.
#[derive(Default)]
struct Searched {
    inputs: Vec<Input>,
    hits: Vec<Hit>,
    exit: Option<Exit>,
}

pub(super) fn by_example(
    args: &Args,
    reading: &Reading,
    invocation: &Invocation,
    console: &mut dyn Output,
) -> Result<Exit, Diagnostic> {
    let [query_path, databases @ ..] = &args.inputs[..] else {
        return Err(Diagnostic::new("usage::query", "there is no query").help(
            "--files-from lists what is searched; name the query: mocap find QUERY --files-from LIST",
        ));
    };
    let is_listed = args.selection.files_from.is_some();
    if databases.is_empty() && args.index.is_empty() && !is_listed {
        return Err(Diagnostic::new("usage::database", "there is nothing to search")
            .help("name files, a directory or an index behind the query: mocap find QUERY DATABASE"));
    }
    if let Some(page) = args.view.as_ref().filter(|page| page.exists() && !args.overwrite) {
        return Err(Diagnostic::new("io::exists", format!("'{}' exists", page.display()))
            .help("--overwrite replaces it"));
    }
    refuse_index(query_path)?;
    let shown = query_path.display().to_string();
    let own = Input::named(query_path);
    let clip = match motion_of(&own, reading) {
        Ok(clip) => clip,
        Err(error) => return Ok(fail(&shown, &error, &[], console)),
    };
    let (motion, query) = match prepared(args, &clip) {
        Ok(found) => found,
        Err(error) => return Ok(fail(&shown, &error, &[], console)),
    };
    let (indexes, databases): (Vec<&PathBuf>, Vec<&PathBuf>) =
        databases.iter().partition(|path| is_named_index(path));
    let mut searched = Searched::default();
    if !databases.is_empty() || is_listed {
        let databases: Vec<PathBuf> = databases.into_iter().cloned().collect();
        searched.in_files((args, &own, &query), &databases, reading, console)?;
    }
    for index in args.index.iter().chain(indexes) {
        let found = current(index, &args.selection, reading, &reading_options(invocation), console)?;
        searched.in_index((args, &own, &query), found);
    }
    let Searched { inputs, hits, exit } = searched;
    let hits = best(hits, args.top as usize);
    let metres = motion.metres.map(|metres| metres * motion.leg);
    for (rank, hit) in hits.iter().enumerate() {
        let row = HitRow {
            rank: rank + 1,
            path: inputs[hit.entry].shown(),
            start: hit.start,
            end: hit.end,
            distance: metres.map(|metres| hit.distance * metres),
            angle: hit.angle,
            mirrored: hit.mirrored,
            speed: hit.speed,
            coverage: hit.coverage,
        };
        console.row(&json(&row), &row.text());
    }
    if hits.is_empty() {
        console.note("no hits: no other motion of the database can be compared");
    }
    if let Some(page) = &args.view {
        let part = trimmed(&clip, args.trim.and_then(|range| range.frames(clip.frames(), clip.rate().fps())));
        view(page, args, (&shown, part, query.duration()), (&inputs, &hits), reading)?;
        console.note(&format!("{} shows the query and its hits", page.display()));
    }
    Ok(exit.unwrap_or(Exit::Success))
}

impl Args {
    fn find_options(&self) -> FindOptions {
        FindOptions { top: self.top as usize, both_sides: self.both_sides }
    }
}

impl Searched {
    /// Searches files without an index.
    fn in_files(
        &mut self,
        (args, own, query): (&Args, &Input, &Query),
        paths: &[PathBuf],
        reading: &Reading,
        console: &mut dyn Output,
    ) -> Result<(), Diagnostic> {
        let make = |clip: &Clip| Motion::of(clip).map(Entry::new);
        let Database { clips, exit, .. } = read_database(paths, &args.selection, reading, console, make)?;
        let (shift, options) = (self.inputs.len(), args.find_options());
        let hits = in_parallel(clips.len(), args.selection.jobs, console, |at| {
            let (input, entry) = &clips[at];
            find_in(query, (shift + at, entry), is_of(input, own), &options)
        })?;
        self.hits.extend(hits.into_iter().flatten());
        self.inputs.extend(clips.into_iter().map(|(input, _)| input));
        self.end(exit);
        Ok(())
    }

    fn in_index(&mut self, (args, own, query): (&Args, &Input, &Query), found: Refreshed) {
        let own = found.inputs.iter().position(|input| is_of(input, own));
        let hits = Searcher::new(&found.index).find(query, own, &args.find_options());
        let shift = self.inputs.len();
        self.hits.extend(hits.into_iter().map(|hit| Hit { entry: hit.entry + shift, ..hit }));
        self.inputs.extend(found.inputs);
        self.end(found.exit);
    }

    fn end(&mut self, exit: Exit) {
        if exit != Exit::Success {
            self.exit = Some(exit);
        }
    }
}

/// Whether an input is the query itself.
fn is_of(input: &Input, query: &Input) -> bool {
    match (input.path(), query.path()) {
        // Most files have another name. Only files of the same name are compared through the file system.
        (Some(a), Some(b)) if input.part == query.part && a.file_name() == b.file_name() => same_file(a, b),
        _ => false,
    }
}

/// The motion of the query, and its range.
fn prepared(args: &Args, clip: &Clip) -> Result<(Motion, Query), Diagnostic> {
    let motion = Motion::of(clip).map_err(|error| refused(&error))?;
    let fps = clip.rate().fps();
    let range = match args.trim {
        None => None,
        Some(range) => {
            let frames = range.frames(clip.frames(), fps).ok_or_else(|| {
                Diagnostic::new(
                    "find::query",
                    format!(
                        "--trim has no frame of the clip, which has {} and lasts {:.2} s",
                        mocap_batch::counted(clip.frames(), "frame"),
                        motion.duration
                    ),
                )
            })?;
            Some(frames.start as f64 / fps..(frames.end as f64 / fps).min(motion.duration))
        }
    };
    let query = Query::new(&motion, range).map_err(|error| refused(&error))?;
    Ok((motion, query))
}

fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => a == b,
    }
}

fn trimmed(clip: &Clip, range: Option<std::ops::Range<usize>>) -> Clip {
    range.and_then(|range| clip.trimmed(range).ok()).unwrap_or_else(|| clip.clone())
}

impl HitRow {
    fn text(&self) -> String {
        let distance = self.distance.map_or_else(|| "-".into(), |metres| format!("{:.1} cm", metres * 100.0));
        let mut text = format!(
            "{:>3}  {}  {:.2} s to {:.2} s  {distance}  {:.0}°  speed {:.2}",
            self.rank,
            self.path,
            self.start,
            self.end,
            self.angle.to_degrees(),
            self.speed
        );
        if self.mirrored {
            text += "  mirrored";
        }
        if self.coverage < 0.995 {
            text += &format!("  {:.0} % of the query", self.coverage * 100.0);
        }
        text
    }
}

/// Writes a page with the query and its hits, time-warped to the query.
fn view(
    page: &Path,
    args: &Args,
    (name, query, seconds): (&str, Clip, f64),
    (inputs, hits): (&[Input], &[Hit]),
    reading: &Reading,
) -> Result<(), Diagnostic> {
    let mut named = vec![(format!("query: {name}"), query)];
    for (rank, hit) in hits.iter().enumerate() {
        let input = &inputs[hit.entry];
        let clip = motion_of(input, reading)?;
        let fps = clip.rate().fps();
        let frame = |time: f64| (time * fps).round() as usize;
        let start = frame(hit.start).min(clip.frames().saturating_sub(2));
        let mut part = trimmed(&clip, Some(start..(frame(hit.end) + 1).clamp(start + 2, clip.frames())));
        if hit.mirrored {
            part = mocap_edit::mirror(&part)?.0;
        }
        let rate = FrameRate::new(part.frames().saturating_sub(1).max(1) as f64 / (seconds * hit.coverage));
        let part = rate.map_or(part.clone(), |rate| part.with_rate(rate));
        let side = if hit.mirrored { ", mirrored" } else { "" };
        named.push((format!("{}: {} {:.1} s{side}", rank + 1, input.shown(), hit.start), part));
    }
    let named: Vec<(String, Clip)> = named
        .into_iter()
        .map(|(name, clip)| (name, crate::read::upright(mocap::with_roles(clip), reading)))
        .collect();
    let inputs: Vec<ViewInput<'_>> = named.iter().map(|(name, clip)| ViewInput::new(name, clip)).collect();
    let bytes = html(&inputs, &ViewOptions::default());
    write_file(page, args.overwrite, &|out| out.write_all(&bytes))?;
    Ok(())
}
