//! `mocap find`: motions like an example, the same capture again, by label.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use mocap_batch::write_file;
use mocap_model::{Clip, FrameRange, FrameRate};
use mocap_report::view::{ViewInput, ViewOptions, html};
use mocap_search::duplicates::{Copied, DuplicateOptions, Fingerprint, clusters, copies};
use mocap_search::labels::{LabelQuery, label, side_name};
use mocap_search::{Entry, FindOptions, Hit, Motion, Query, SearchError, best, find_in};
use schemars::JsonSchema;
use serde::Serialize;

use super::database::{Database, motion_of, read_database};
use crate::batch::{Input, fail, json};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{FirstFrame, Invocation, Reading, Selection};
use crate::output::Output;
use crate::verb::{ERROR, RowSchema, VerbArgs, of};

/// Find motions: like an example, the same capture again, or by label
///
/// With a query, the ranges of the database that are most like it come first, on any skeleton, faster or slower, also
/// in the mirror. Distances are root mean square distances of the body's points, and of their ways in a tenth of a
/// second, on a body with the legs of the query.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap find kick.bvh database/ --trim 1.2s:2s --html hits.html\n\
    \x20 mocap find --label kick,left-foot database/\n\
    \x20 mocap find --duplicates database/\n\
    \x20 mocap find --duplicates training/ --against test/")]
pub(crate) struct Args {
    /// The query, then files, directories and globs to search; with --label and --duplicates, only the latter
    #[arg(value_name = "QUERY|DATABASE", required = true)]
    pub(crate) inputs: Vec<PathBuf>,
    /// Range of the query: frames or seconds, such as 1.2s:2s [default: all]
    #[arg(long, value_name = "A:B", help_heading = "Search", conflicts_with_all = ["label", "duplicates"])]
    pub(crate) trim: Option<FrameRange>,
    /// Number of hits, at most
    #[arg(long, value_name = "N", default_value = "10", value_parser = clap::value_parser!(u32).range(1..), help_heading = "Search")]
    pub(crate) top: u32,
    /// Count hits in the mirror like others; by default they count three times their distance
    #[arg(long, help_heading = "Search", conflicts_with_all = ["label", "duplicates"])]
    pub(crate) both_sides: bool,
    /// Write a page that plays the query and its hits in step, to this HTML file
    #[arg(long = "html", value_name = "HTML", help_heading = "Search", conflicts_with_all = ["label", "duplicates"])]
    pub(crate) view: Option<PathBuf>,
    /// Replace an existing file of --html
    #[arg(long, help_heading = "Search")]
    pub(crate) overwrite: bool,
    /// Find ranges with a label, and a side if it matters, such as walk or kick,left-foot
    #[arg(long, value_name = "LABEL", help_heading = "Search", conflicts_with = "duplicates")]
    pub(crate) label: Option<String>,
    /// Find clips that are the same capture: trimmed, mirrored, turned, resampled, faster, noisy, on another body
    #[arg(long, help_heading = "Search")]
    pub(crate) duplicates: bool,
    /// Only duplicates between the database and this one; exit code 3 where there are any
    #[arg(long, value_name = "DATABASE", help_heading = "Search", requires = "duplicates")]
    pub(crate) against: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) selection: Selection,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
}

/// A range that is like the query.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindHit")]
pub(crate) struct HitRow {
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

/// Clips that are the same capture.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindDuplicates")]
pub(crate) struct ClusterRow {
    /// By path.
    clips: Vec<ClusterClip>,
    /// The clip to keep: the longest; of equally long ones that with the most frames per second, then the first by path.
    keep: String,
}

/// A clip of a cluster.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindDuplicate")]
struct ClusterClip {
    path: String,
    /// The range that another clip of the cluster has too [s].
    start: f64,
    end: f64,
    /// Whether it is in the mirror of the clip of the cluster that is most like it.
    mirrored: bool,
    /// How much slower or faster than that clip it is: its time over the time of that clip.
    speed: f64,
    /// The difference from that clip after alignment, as a share of the variance of the movement.
    share: f64,
}

/// A range with a label.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindLabel")]
pub(crate) struct LabelRow {
    path: String,
    #[serde(flatten)]
    segment: mocap_search::labels::Segment,
}

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "find",
        about: "A line of mocap find --json",
        rows: &[of::<HitRow>, of::<ClusterRow>, of::<LabelRow>, ERROR],
    }];

    fn run(self, _: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        let reading = self.first.of(&self.reading);
        match &self.label {
            Some(text) => by_label(&self, text, &reading, console),
            None if self.duplicates => duplicates(&self, &reading, console),
            None => by_example(&self, &reading, console),
        }
    }
}

pub(super) fn refused(error: &SearchError) -> Diagnostic {
    let code = match error {
        SearchError::ShortQuery { .. } | SearchError::RangeOutside { .. } => "find::query",
        SearchError::UnknownLabel { .. } => "usage::label",
        _ => "find::body",
    };
    Diagnostic::new(code, error.to_string())
}

fn by_example(args: &Args, reading: &Reading, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let [query_path, databases @ ..] = &args.inputs[..] else { unreachable!("clap asks for one") };
    if databases.is_empty() {
        return Err(Diagnostic::new("usage::database", "there is nothing to search")
            .help("name files or a directory behind the query: mocap find QUERY DATABASE"));
    }
    if let Some(page) = args.view.as_ref().filter(|page| page.exists() && !args.overwrite) {
        return Err(Diagnostic::new("io::exists", format!("'{}' exists", page.display()))
            .help("--overwrite replaces it"));
    }
    let shown = query_path.display().to_string();
    let input = Input::named(query_path);
    let clip = match motion_of(&input, reading) {
        Ok(clip) => clip,
        Err(error) => return Ok(fail(&shown, &error, &[], console)),
    };
    let found = prepared(args, &clip);
    let (motion, query) = match found {
        Ok(found) => found,
        Err(error) => return Ok(fail(&shown, &error, &[], console)),
    };
    let options = FindOptions { top: args.top as usize, both_sides: args.both_sides };
    let database =
        read_database(databases, &args.selection, reading, console, |clip| Motion::of(clip).map(Entry::new))?;
    let own = |input: &Input| match (input.path(), query_path) {
        (Some(path), own) if input.part == Input::named(own).part => same_file(path, own),
        _ => false,
    };
    let mut hits = Vec::new();
    for (at, (input, entry)) in database.clips.iter().enumerate() {
        hits.extend(find_in(&query, (at, entry), own(input), &options));
    }
    let hits = best(hits, options.top);
    let metres = motion.metres.map(|metres| metres * motion.leg);
    for (rank, hit) in hits.iter().enumerate() {
        let row = HitRow {
            rank: rank + 1,
            path: database.clips[hit.entry].0.shown(),
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
        view(page, args, (&shown, part, query.duration()), &database, &hits, reading)?;
        console.note(&format!("{} shows the query and its hits", page.display()));
    }
    Ok(database.exit)
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
                    format!("--trim has no frame of the clip, which has {}", clip.frames()),
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

/// Writes a page with the query and its hits, stretched to the time of the query.
fn view(
    page: &Path,
    args: &Args,
    (name, query, seconds): (&str, Clip, f64),
    database: &Database<Entry>,
    hits: &[Hit],
    reading: &Reading,
) -> Result<(), Diagnostic> {
    let mut named = vec![(format!("query: {name}"), query)];
    for (rank, hit) in hits.iter().enumerate() {
        let input = &database.clips[hit.entry].0;
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

fn by_label(
    args: &Args,
    text: &str,
    reading: &Reading,
    console: &mut dyn Output,
) -> Result<Exit, Diagnostic> {
    let query: LabelQuery = text.parse().map_err(|error| refused(&error))?;
    let database = read_database(&args.inputs, &args.selection, reading, console, label)?;
    let mut found = 0;
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    for (input, segments) in &database.clips {
        for segment in segments {
            *others.entry(segment.label.name()).or_default() += 1;
            if query.matches(segment) {
                found += 1;
                let row = LabelRow { path: input.shown(), segment: segment.clone() };
                console.row(&json(&row), &segment_text(&row.path, segment));
            }
        }
    }
    if found == 0 {
        let there: Vec<String> = others.iter().map(|(name, count)| format!("{name} ({count})")).collect();
        console.note(&format!("no motion has the label {text}; labels there: {}", there.join(", ")));
    }
    Ok(database.exit)
}

/// A segment in one line.
pub(super) fn segment_text(path: &str, segment: &mocap_search::labels::Segment) -> String {
    let mut text = format!("{path}  {:.2} s to {:.2} s  {}", segment.start, segment.end, segment.label);
    if let Some(side) = side_name(segment.side) {
        text += &format!(", {side}");
    }
    for number in &segment.measured {
        text += &format!("; {} {:.2}", number.name, number.value);
    }
    text
}

/// A motion of a database in which duplicates are looked for.
struct Candidate {
    print: Fingerprint,
    duration: f64,
    fps: f64,
}

fn duplicates(args: &Args, reading: &Reading, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let prepare = |clip: &Clip| {
        let motion = Motion::detailed(clip)?;
        let print = Fingerprint::new(&motion);
        Ok::<_, SearchError>(Candidate { print, duration: motion.duration, fps: clip.rate().fps() })
    };
    let mut database = read_database(&args.inputs, &args.selection, reading, console, prepare)?;
    let split = (!args.against.is_empty()).then_some(database.clips.len());
    if split.is_some() {
        let other = read_database(&args.against, &args.selection, reading, console, prepare)?;
        if other.exit != Exit::Success {
            database.exit = other.exit;
        }
        database.clips.extend(other.clips);
    }
    let prints: Vec<&Fingerprint> = database.clips.iter().map(|(_, clip)| &clip.print).collect();
    let found = copies(&prints, split, &DuplicateOptions::default());
    let groups = clusters(&found);
    for group in &groups {
        let row = cluster_row(group, &found, &database);
        console.row(&json(&row), &row.text());
    }
    let count = mocap_batch::counted(groups.len(), "cluster");
    console
        .note(&format!("{count} of duplicates among {}", mocap_batch::counted(database.clips.len(), "clip")));
    if split.is_some() && !groups.is_empty() {
        let message = format!("{count} of clips in both databases");
        console.error(None, &Diagnostic::gate("gate::duplicates", message));
        return Ok(Exit::Gate);
    }
    Ok(database.exit)
}

fn cluster_row(group: &[usize], found: &[Copied], database: &Database<Candidate>) -> ClusterRow {
    let of = |clip: usize| &database.clips[clip];
    let clips = group
        .iter()
        .map(|clip| {
            // Its best pair, and which of the pair it is.
            let pairs =
                found.iter().filter_map(|pair| Some((pair, pair.motions.iter().position(|at| at == clip)?)));
            let (pair, place) =
                pairs.min_by(|a, b| a.0.share.total_cmp(&b.0.share)).expect("it is of a pair");
            let second = place == 1;
            ClusterClip {
                path: of(*clip).0.shown(),
                start: pair.ranges[place].start.max(0.0),
                end: pair.ranges[place].end.min(of(*clip).1.duration),
                mirrored: pair.mirrored,
                speed: if second { pair.speed } else { 1.0 / pair.speed },
                share: pair.share,
            }
        })
        .collect();
    // The longest; rounding of rates does not make a clip longer.
    let key = |clip: &usize| ((of(*clip).1.duration * 10.0).round() as i64, (of(*clip).1.fps * 100.0) as i64);
    let keep = group.iter().copied().rev().max_by_key(key).expect("a cluster has clips");
    ClusterRow { clips, keep: of(keep).0.shown() }
}

impl ClusterRow {
    fn text(&self) -> String {
        let mut text = format!("the same capture in {} clips; keep {}", self.clips.len(), self.keep);
        for clip in &self.clips {
            text += &format!("\n  {}  {:.2} s to {:.2} s", clip.path, clip.start, clip.end);
        }
        text
    }
}
