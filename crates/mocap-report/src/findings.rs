//! Suspicious frames of a clip as a page lists them.

use crate::stage::MANY_FRAMES;
use mocap_analysis::{Artifact, ArtifactKind, LengthUnit, Lengths, find_artifacts};
use mocap_model::Clip;
use serde::Serialize;

/// A span of suspicious frames.
#[derive(Serialize)]
pub(crate) struct Finding {
    pub kind: &'static str,
    from: usize,
    to: usize,
    /// -1 where all joints show it.
    joint: i32,
    value: String,
    /// The frame to look at.
    peak: usize,
}

/// The findings of a clip, the worst first; empty for a very long clip, whose page is thinned.
pub(crate) fn findings(clip: &Clip) -> Vec<Finding> {
    if !(1..=MANY_FRAMES).contains(&clip.frames()) {
        return Vec::new();
    }
    let lengths = Lengths::of(clip.skeleton());
    let mut artifacts = find_artifacts(clip, &lengths);
    artifacts.sort_by(|a, b| b.severity().total_cmp(&a.severity()));
    let unit = match lengths.unit {
        LengthUnit::Metres => "m",
        LengthUnit::Legs => "legs",
        LengthUnit::Units => "units",
    };
    let finding = |artifact: &Artifact| Finding {
        kind: artifact.kind.name(),
        from: artifact.frames.start,
        to: artifact.frames.end.max(1) - 1,
        joint: artifact.joint.map_or(-1, |joint| joint.0 as i32),
        value: size(artifact, unit),
        peak: artifact.frames.start,
    };
    artifacts.iter().map(finding).collect()
}

fn size(artifact: &Artifact, unit: &str) -> String {
    let value = artifact.value;
    match artifact.kind {
        ArtifactKind::Turn | ArtifactKind::Flip => format!("{:.0}°", value.to_degrees()),
        ArtifactKind::Stretch => format!("{:.0} %", value * 100.0),
        ArtifactKind::Frozen => format!("{value:.2} s"),
        ArtifactKind::Skate => format!("{value:.2} {unit}/s"),
        _ => format!("{value:.2} {unit}"),
    }
}
