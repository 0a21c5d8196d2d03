//! Merges the manifests of shards into the manifest of a whole run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use serde::Serialize;

use super::find::NamedManifest;
use super::line::{Entry, Header, Line, Plan, text};
use crate::counted;
use crate::error::BatchError;
use crate::portable::PathText;
use crate::shard::Shard;
use crate::write::write_file;

/// Several manifests merged into one: one line per clip, sorted by path. A clip that is done in any of them is
/// done.
#[derive(Debug)]
pub struct Merged<'a> {
    header: Header,
    clips: BTreeMap<&'a PathText, &'a Entry>,
    /// The number of clips of the whole run; `None` where a manifest does not say, or a shard is missing.
    planned: Option<usize>,
    /// The counts.
    pub summary: MergeSummary,
    /// What is missing for a whole run.
    pub warnings: Vec<MergeWarning>,
}

/// The counts of merged manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct MergeSummary {
    /// Manifests that were merged.
    pub manifests: usize,
    /// Clips that were finished.
    pub clips: usize,
    /// Clips that are done.
    pub ok: usize,
    /// Clips that failed.
    pub failed: usize,
    /// Clips that were started and not done.
    pub unfinished: usize,
}

/// What is missing for a whole run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeWarning {
    /// Shards without a manifest.
    MissingShards {
        /// The first of them, such as `2/3`.
        listed: Vec<String>,
        /// The number of others.
        more: usize,
    },
    /// Clips that were started and not finished.
    Unfinished {
        /// How many.
        clips: usize,
        /// The first of them.
        first: String,
    },
}

impl MergeWarning {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            MergeWarning::MissingShards { .. } => "manifest::missing-shard",
            MergeWarning::Unfinished { .. } => "manifest::unfinished",
        }
    }
}

impl fmt::Display for MergeWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MergeWarning::MissingShards { listed, more: 0 } => {
                write!(f, "the manifests lack shard {}", listed.join(", "))
            }
            MergeWarning::MissingShards { listed, more } => {
                write!(f, "the manifests lack shard {} and {more} more", listed.join(", "))
            }
            MergeWarning::Unfinished { clips, first } => {
                let were = if *clips == 1 { "was" } else { "were" };
                write!(f, "{} {were} started and not finished, such as '{first}'", counted(*clips, "clip"))
            }
        }
    }
}

/// Merges manifests of one run, such as those of its shards.
///
/// # Errors
/// Where they record no run or different ones, or different outputs of one clip.
pub fn merge(manifests: &[NamedManifest]) -> Result<Merged<'_>, BatchError> {
    let header = common_header(manifests)?;
    let mut clips: BTreeMap<&PathText, &Entry> = BTreeMap::new();
    for NamedManifest { path, manifest } in manifests {
        for (clip, entry) in &manifest.clips {
            match clips.get(clip) {
                Some(known) if known.is_ok() && entry.is_ok() && known.outputs != entry.outputs => {
                    return Err(BatchError::MergeConflict { path: path.clone(), clip: clip.shown() });
                }
                Some(known) if known.is_ok() && !entry.is_ok() => {}
                _ => drop(clips.insert(clip, entry)),
            }
        }
    }
    let mut unfinished: BTreeSet<&PathText> =
        manifests.iter().flat_map(|named| named.manifest.incomplete()).collect();
    unfinished.retain(|clip| !clips.get(clip).is_some_and(|entry| entry.is_ok()));
    let ok = clips.values().filter(|entry| entry.is_ok()).count();
    let summary = MergeSummary {
        manifests: manifests.len(),
        clips: clips.len(),
        ok,
        failed: clips.len() - ok,
        unfinished: unfinished.len(),
    };
    let mut warnings: Vec<MergeWarning> = missing_shards(manifests).into_iter().collect();
    let shards = manifests.iter().filter_map(|named| named.manifest.header.as_ref());
    let are_shards = shards.clone().all(|header| header.shard.is_some());
    let whole = warnings.is_empty() && are_shards && shards.count() == manifests.len();
    let planned = manifests.iter().map(|named| named.manifest.planned).sum::<Option<usize>>();
    let planned = planned.filter(|_| whole);
    warnings.extend(
        unfinished
            .first()
            .map(|first| MergeWarning::Unfinished { clips: unfinished.len(), first: first.shown() }),
    );
    Ok(Merged { header, clips, planned, summary, warnings })
}

impl Merged<'_> {
    /// Writes the merged manifest. It stands for a run without shards, which can resume from it.
    ///
    /// # Errors
    /// Where it cannot be written, or exists and `replace` is false.
    pub fn write(&self, path: &Path, replace: bool) -> Result<(), BatchError> {
        let lines = || {
            let clips = self.clips.values().map(|&clip| Line::Clip(clip.clone()));
            let plan = self.planned.map(|clips| Line::Plan(Plan { clips }));
            std::iter::once(Line::Run(self.header.clone())).chain(plan).chain(clips)
        };
        write_file(path, replace, &|out| lines().try_for_each(|line| out.write_all(&text(&line)))).map(drop)
    }
}

/// The header of the whole run; an error if the manifests are of different runs.
fn common_header(manifests: &[NamedManifest]) -> Result<Header, BatchError> {
    let whole =
        |named: &NamedManifest| named.manifest.header.clone().map(|header| Header { shard: None, ..header });
    let first = manifests.iter().find_map(|named| Some((named, whole(named)?)));
    let Some((first, header)) = first else { return Err(BatchError::NothingToMerge) };
    let shards = |named: &NamedManifest| named.manifest.header.as_ref()?.shard.map(Shard::count);
    let sharded = manifests.iter().find(|named| shards(named).is_some());
    for other in manifests {
        let mut differences = whole(other).map(|other| header.differences(&other)).unwrap_or_default();
        let mut first = first;
        if let (Some(sharded), Some(count)) = (sharded, shards(other))
            && let Some(one) = shards(sharded).filter(|one| *one != count && differences.is_empty())
        {
            differences.push(format!("the number of shards was {one}, is {count}"));
            first = sharded;
        }
        if !differences.is_empty() {
            let (one, two) = (first.path.clone(), other.path.clone());
            return Err(BatchError::DifferentRuns { one, two, differences });
        }
    }
    Ok(header)
}

/// Missing shards that a warning lists.
const LISTED: usize = 10;

fn missing_shards(manifests: &[NamedManifest]) -> Option<MergeWarning> {
    let shards: BTreeSet<Shard> =
        manifests.iter().filter_map(|named| named.manifest.header.as_ref()?.shard).collect();
    let count = shards.first()?.count();
    // A file may state any number of shards: the list stays short enough to read.
    let missing = Shard::all(count).filter(|shard| !shards.contains(shard));
    let listed: Vec<String> = missing.take(LISTED).map(|shard| shard.to_string()).collect();
    let more = (count as usize - shards.len()).saturating_sub(listed.len());
    (!listed.is_empty()).then_some(MergeWarning::MissingShards { listed, more })
}
