//! `mocap manifest merge`: the shards of a run as one.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::Read;
use crate::args::MergeArgs as Args;
use crate::batch::json;
use crate::batch::manifest::{Entry, Header, Line, default_name, text};
use crate::batch::portable::PathText;
use crate::console::Console;
use crate::diagnostic::{Detail, Diagnostic};
use crate::exit::Exit;
use crate::write;

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row {
    output: String,
    manifests: usize,
    clips: usize,
    ok: usize,
    failed: usize,
    unfinished: usize,
}

/// Runs the command.
pub(super) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let read = super::read(&args.manifests, true, console)?;
    let header = common_header(&read)?;
    let mut clips: BTreeMap<&PathText, &Entry> = BTreeMap::new();
    for Read { path, book } in &read {
        for (clip, entry) in &book.clips {
            match clips.get(clip) {
                Some(known) if known.is_ok() && entry.is_ok() && known.outputs != entry.outputs => {
                    let message = format!(
                        "'{}' tells of other outputs of '{}' than one before it",
                        path.display(),
                        clip.shown()
                    );
                    return Err(Diagnostic::new("manifest::conflict", message).help(
                        "its input has changed between the runs; run one of them again with --resume",
                    ));
                }
                Some(known) if known.is_ok() && !entry.is_ok() => {}
                _ => drop(clips.insert(clip, entry)),
            }
        }
    }
    let mut unfinished: Vec<&PathText> = read.iter().flat_map(|read| &read.book.unfinished).collect();
    unfinished.sort();
    unfinished.dedup();
    unfinished.retain(|clip| !clips.get(clip).is_some_and(|entry| entry.is_ok()));

    let beside = || read[0].path.with_file_name(default_name(None));
    let output = args.output.clone().unwrap_or_else(beside);
    if !args.overwrite && output.exists() {
        let message = format!("'{}' exists already", output.display());
        return Err(Diagnostic::new("usage::output-exists", message).help("--overwrite replaces it"));
    }
    let shown = output.display().to_string();
    console.warnings(&shown, &warnings(&read, &unfinished), Detail::Line);
    let lines = || {
        std::iter::once(Line::Run(header.clone())).chain(clips.values().map(|&clip| Line::Clip(clip.clone())))
    };
    write::atomically(&output, args.overwrite, &|out| {
        lines().try_for_each(|line| out.write_all(&text(&line)))
    })?;
    let ok = clips.values().filter(|entry| entry.is_ok()).count();
    let row = Row {
        output: shown,
        manifests: read.len(),
        clips: clips.len(),
        ok,
        failed: clips.len() - ok,
        unfinished: unfinished.len(),
    };
    let Row { output, manifests, clips, failed, .. } = &row;
    let text = format!("{manifests} manifests -> {output}: {clips} clips, {ok} ok, {failed} failed");
    console.row(&json(&row), &text);
    Ok(Exit::Success)
}

/// The header of the whole run, where all are of one.
fn common_header(read: &[Read]) -> Result<Header, Diagnostic> {
    let whole = |read: &Read| read.book.header.clone().map(|header| Header { shard: None, ..header });
    let Some((first, header)) = read.iter().find_map(|read| Some((read, whole(read)?))) else {
        return Err(Diagnostic::new(
            "manifest::no-header",
            "no manifest tells of a run: there is nothing to merge",
        ));
    };
    for other in read {
        let differences = whole(other).map(|other| header.differences(&other)).unwrap_or_default();
        if !differences.is_empty() {
            let (one, two) = (first.path.display(), other.path.display());
            let message = format!("'{one}' and '{two}' are of different runs: {}", differences.join("; "));
            return Err(Diagnostic::new("manifest::other-run", message));
        }
    }
    Ok(header)
}

/// Missing shards that are named.
const LISTED: usize = 10;

/// What is missing for a whole run.
fn warnings(read: &[Read], unfinished: &[&PathText]) -> Vec<Diagnostic> {
    let mut warnings = Vec::new();
    let shards: BTreeSet<(u32, u32)> = read
        .iter()
        .filter_map(|read| {
            let (index, count) = read.book.header.as_ref()?.shard.as_ref()?.split_once('/')?;
            Some((index.parse().ok()?, count.parse().ok()?))
        })
        .collect();
    if let Some(&(_, count)) = shards.first() {
        // A file may tell of any number of shards: as many are listed as people read.
        let there = shards.range((1, 0)..=(count, u32::MAX)).filter(|(_, of)| *of == count).count();
        let missing: Vec<String> = (1..=count)
            .filter(|&index| !shards.contains(&(index, count)))
            .take(LISTED)
            .map(|index| format!("{index}/{count}"))
            .collect();
        if !missing.is_empty() {
            let more = (count as usize - there).saturating_sub(missing.len());
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let message = format!("there is no manifest of shard {}{more}", missing.join(", "));
            warnings.push(Diagnostic::new("manifest::missing-shard", message));
        }
    }
    if let Some(first) = unfinished.first() {
        let message =
            format!("{} clips were begun and not finished, such as '{}'", unfinished.len(), first.shown());
        warnings.push(
            Diagnostic::new("manifest::unfinished", message).help("run their shards again with --resume"),
        );
    }
    warnings
}
