//! Statistics of runs: how much, how fast, what failed and why.

use std::collections::BTreeMap;

use serde::Serialize;

use super::find::NamedManifest;
use super::line::Entry;

/// Statistics of one or several manifests.
#[derive(Clone, Debug, Default, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Row")]
pub struct ManifestStats {
    /// Manifests that were read.
    pub manifests: usize,
    /// Their commands.
    pub command: String,
    /// Clips that were finished.
    pub clips: usize,
    /// Clips that are done.
    pub ok: usize,
    /// Clips that failed.
    pub failed: usize,
    /// Clips that were started and not finished.
    pub unfinished: usize,
    /// Files that were written.
    pub outputs: usize,
    /// Size of all inputs (bytes).
    pub bytes_in: u64,
    /// Size of all outputs (bytes).
    pub bytes_out: u64,
    /// Frames of all clips.
    pub frames: usize,
    /// Time of work, the sum of all threads (s).
    pub seconds: f64,
    /// Why clips failed, the most frequent error first.
    pub errors: Vec<FaultCount>,
    /// The clips that took longest.
    pub slowest: Vec<SlowClip>,
}

/// Clips that failed with one error.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Fault")]
pub struct FaultCount {
    /// The code of the error.
    pub code: String,
    /// How many clips.
    pub count: usize,
    /// The first of them.
    pub path: String,
    /// The message of the first.
    pub message: String,
}

/// A clip that took long.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Slow")]
pub struct SlowClip {
    /// The clip.
    pub path: String,
    /// Time of work (s).
    pub seconds: f64,
    /// Its frames.
    pub frames: usize,
}

/// Statistics of manifests, with this many of the slowest clips.
pub fn stats(manifests: &[NamedManifest], slowest: usize) -> ManifestStats {
    let mut stats = ManifestStats { manifests: manifests.len(), ..ManifestStats::default() };
    let headers = manifests.iter().filter_map(|named| named.manifest.header.as_ref());
    let mut commands: Vec<&str> = headers.map(|header| header.command.as_str()).collect();
    commands.dedup();
    stats.command = commands.join(", ");
    let mut clips: Vec<&Entry> = Vec::new();
    for NamedManifest { manifest, .. } in manifests {
        clips.extend(manifest.clips.values());
        stats.unfinished += manifest.incomplete().count();
    }
    let mut errors: BTreeMap<&str, FaultCount> = BTreeMap::new();
    for clip in &clips {
        stats.clips += 1;
        *(if clip.is_ok() { &mut stats.ok } else { &mut stats.failed }) += 1;
        stats.outputs += clip.outputs.len();
        // A damaged manifest may state any numbers.
        stats.bytes_in = stats.bytes_in.saturating_add(clip.input.map_or(0, |input| input.bytes));
        let bytes_out = clip.outputs.iter().map(|file| file.content.bytes);
        stats.bytes_out = bytes_out.fold(stats.bytes_out, u64::saturating_add);
        stats.frames = stats.frames.saturating_add(clip.frames);
        stats.seconds += clip.seconds;
        if let Some(error) = &clip.error {
            let first = || FaultCount {
                code: error.code.clone(),
                count: 0,
                path: clip.path.shown(),
                message: error.message.clone(),
            };
            errors.entry(error.code.as_str()).or_insert_with(first).count += 1;
        }
    }
    stats.errors = errors.into_values().collect();
    // Errors of equal count stay sorted by code.
    stats.errors.sort_by_key(|fault| std::cmp::Reverse(fault.count));
    clips.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then_with(|| a.path.cmp(&b.path)));
    let slow =
        |clip: &&Entry| SlowClip { path: clip.path.shown(), seconds: clip.seconds, frames: clip.frames };
    stats.slowest = clips.iter().take(slowest).map(slow).collect();
    stats
}
