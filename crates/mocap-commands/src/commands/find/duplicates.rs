//! Clips that are the same capture.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mocap_model::Clip;
use mocap_search::SearchError;
use mocap_search::duplicates::{Copied, DuplicateOptions, Fingerprint, Workers, clusters, copies};
use schemars::JsonSchema;
use serde::Serialize;

use super::Args;
use crate::batch::{Input, json};
use crate::commands::database::{Database, in_parallel, read_database};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{Reading, Selection};
use crate::output::Output;

/// Clips that are the same capture.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FindDuplicates")]
pub(super) struct ClusterRow {
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

/// A motion of a database that is searched for duplicates.
struct Candidate {
    print: Fingerprint,
    duration: f64,
    fps: f64,
}

pub(super) fn duplicates(
    args: &Args,
    reading: &Reading,
    console: &mut dyn Output,
) -> Result<Exit, Diagnostic> {
    let prepare = |clip: &Clip| {
        let (duration, fps) = (clip.duration(), clip.rate().fps());
        Ok::<_, SearchError>(Candidate { print: Fingerprint::of(clip)?, duration, fps })
    };
    let mut database = read_database(&args.inputs, &args.selection, reading, console, prepare)?;
    leave_out_links(&mut database, console);
    let split = (!args.against.is_empty()).then_some(database.clips.len());
    if split.is_some() {
        // A list of files refers to the first database.
        let selection = Selection { files_from: None, ..args.selection.clone() };
        let mut other = read_database(&args.against, &selection, reading, console, prepare)?;
        leave_out_links(&mut other, console);
        if other.exit != Exit::Success {
            database.exit = other.exit;
        }
        database.clips.extend(other.clips);
    }
    let prints: Vec<&Fingerprint> = database.clips.iter().map(|(_, clip)| &clip.print).collect();
    let found = copies(&prints, split, &DuplicateOptions::default(), &Jobs(args.selection.jobs, console))?;
    let groups = clusters(&found);
    let nearest = nearest(&found);
    for group in &groups {
        let row = cluster_row(group, &nearest, &database);
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

/// Leaves out clips that are listed under another path too, as by a symbolic link: they are no copies. The path without
/// links stays, else the first one.
fn leave_out_links<T>(database: &mut Database<T>, console: &mut dyn Output) {
    let mut kept: BTreeMap<(PathBuf, Option<String>), (bool, usize)> = BTreeMap::new();
    for (at, (input, _)) in database.clips.iter().enumerate() {
        let Some((path, real)) = input.path().and_then(|path| Some((path, path.canonicalize().ok()?))) else {
            continue;
        };
        let is_link = has_link(path);
        let best = kept.entry((real, input.part.clone())).or_insert((is_link, at));
        if best.0 && !is_link {
            *best = (is_link, at);
        }
    }
    let of = |(input, _): &(Input, T)| {
        let real = input.path()?.canonicalize().ok()?;
        kept.get(&(real, input.part.clone())).map(|(_, at)| *at)
    };
    let stays: Vec<bool> =
        database.clips.iter().enumerate().map(|(at, clip)| of(clip).is_none_or(|best| best == at)).collect();
    let before = stays.len();
    let mut stays = stays.into_iter();
    database.clips.retain(|_| stays.next().unwrap_or(true));
    let left = before - database.clips.len();
    if left > 0 {
        let paths = mocap_batch::counted(left, "path");
        console.note(&format!("{paths} left out: links to clips that are searched under another path"));
    }
}

/// Whether a path leads through a symbolic link.
fn has_link(path: &Path) -> bool {
    path.ancestors().any(|part| part.symlink_metadata().is_ok_and(|data| data.is_symlink()))
}

/// Runs work on as many threads as jobs were requested, until an interrupt.
struct Jobs<'a>(Option<u16>, &'a dyn Output);

impl Workers for Jobs<'_> {
    type Stopped = Diagnostic;

    fn each<T: Send>(&self, count: usize, work: impl Fn(usize) -> T + Sync) -> Result<Vec<T>, Diagnostic> {
        in_parallel(count, self.0, self.1, work)
    }
}

/// By clip: its most similar other clip.
fn nearest(found: &[Copied]) -> BTreeMap<usize, &Copied> {
    let mut nearest: BTreeMap<usize, &Copied> = BTreeMap::new();
    for pair in found {
        for clip in pair.motions {
            let best = nearest.entry(clip).or_insert(pair);
            if pair.share < best.share {
                *best = pair;
            }
        }
    }
    nearest
}

fn cluster_row(
    group: &[usize],
    nearest: &BTreeMap<usize, &Copied>,
    database: &Database<Candidate>,
) -> ClusterRow {
    let of = |clip: usize| &database.clips[clip];
    let clips = group
        .iter()
        .map(|clip| {
            let pair = nearest[clip];
            let place = usize::from(pair.motions[1] == *clip);
            ClusterClip {
                path: of(*clip).0.shown(),
                start: pair.ranges[place].start.max(0.0),
                end: pair.ranges[place].end.min(of(*clip).1.duration),
                mirrored: pair.mirrored,
                speed: if place == 1 { pair.speed } else { 1.0 / pair.speed },
                share: pair.share,
            }
        })
        .collect();
    // The longest clip is kept; rounding to 0.1 s ignores differences that come from frame rates.
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
