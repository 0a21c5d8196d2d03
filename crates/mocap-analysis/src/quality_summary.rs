//! The quality of a motion as JSON and as text.

use crate::{Artifact, FootQuality, LargestStep, Quality, guess_unit};
use mocap_model::{JointId, Side, Skeleton};
use schemars::JsonSchema;
use serde::Serialize;

/// How good a motion is, with joints by name. The fields are those of the rows of `mocap info --quality --json`.
/// Lengths are metres, or units of the clip where its unit is not known.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct QualitySummary {
    /// `m`, or `units`.
    pub lengths: &'static str,
    /// The height of the floor; `None` without feet or frames.
    pub floor: Option<f64>,
    /// The feet, left before right.
    pub feet: Vec<FootSummary>,
    /// Mean over all joints [m/s³].
    pub jerk: f64,
    /// The largest change of a local rotation between two frames.
    pub largest_step: Option<StepSummary>,
    /// Probable capture artifacts, in the order of their first frames.
    pub suspicious: Vec<ArtifactSummary>,
}

/// What one foot does.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FootSummary {
    /// `left` or `right`.
    pub foot: &'static str,
    /// Share of frames in contact, 0 to 1.
    pub contact_share: f64,
    /// Number of contacts.
    pub contacts: usize,
    /// Foot skate [m/s].
    pub slide: f64,
    /// Largest height above the floor in contact.
    pub float_max: f64,
    /// Largest depth below the floor.
    pub penetration_max: f64,
}

/// The largest change of a local rotation between two frames.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct StepSummary {
    /// The angle (degrees).
    pub degrees: f64,
    /// Name of the joint.
    pub joint: String,
    /// The frame after the step, counted from 0.
    pub frame: usize,
}

/// A probable capture artifact.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ArtifactSummary {
    /// The kind: `jump`, `flick`, `flip` or `frozen`.
    pub what: &'static str,
    /// First frame, counted from 0.
    pub first: usize,
    /// Last frame.
    pub last: usize,
    /// The joint that shows it most; `None` where all joints do.
    pub joint: Option<String>,
}

/// Artifacts listed in the text.
const SHOWN: usize = 5;

impl Quality {
    /// The measures with the names of joints. `skeleton` is that of the measured clip.
    ///
    /// ```
    /// use mocap_analysis::{ContactOptions, quality};
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// let summary = quality(&clip, &ContactOptions::default()).summary(clip.skeleton());
    /// let json = serde_json::to_value(&summary)?;
    /// assert_eq!(json["feet"][0]["foot"], "left");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn summary(&self, skeleton: &Skeleton) -> QualitySummary {
        let name = |joint: JointId| skeleton.joint(joint).name.clone();
        let step = |step: &LargestStep| StepSummary {
            degrees: step.angle.to_degrees(),
            joint: name(step.joint),
            frame: step.frame,
        };
        let artifact = |artifact: &Artifact| ArtifactSummary {
            what: artifact.kind.name(),
            first: artifact.frames.start,
            last: artifact.frames.end.max(1) - 1,
            joint: artifact.joint.map(name),
        };
        let known = skeleton.space().unit.or_else(|| guess_unit(skeleton)).is_some();
        QualitySummary {
            lengths: if known { "m" } else { "units" },
            floor: self.floor,
            feet: self.feet.iter().map(FootSummary::of).collect(),
            jerk: self.jerk,
            largest_step: self.largest_step.as_ref().map(step),
            suspicious: self.artifacts.iter().map(artifact).collect(),
        }
    }
}

impl QualitySummary {
    /// The measures by name, in the order in which they are shown.
    pub fn lines(&self) -> Vec<(String, String)> {
        let unit = self.lengths;
        let floor = self.floor.map_or("no feet found".into(), |floor| format!("at {floor:.3} {unit}"));
        let mut lines = vec![("floor".to_owned(), floor)];
        lines.extend(self.feet.iter().map(|foot| (format!("{} foot", foot.foot), foot.text(unit))));
        lines.push(("jerk".into(), format!("mean {:.0} {unit}/s³", self.jerk)));
        if let Some(StepSummary { degrees, joint, frame }) = &self.largest_step {
            lines.push(("step".into(), format!("max {degrees:.1}° (joint '{joint}', frame {frame})")));
        }
        let mut suspicious: Vec<String> =
            self.suspicious.iter().take(SHOWN).map(ArtifactSummary::text).collect();
        if self.suspicious.len() > SHOWN {
            suspicious.push(format!("and {} more", self.suspicious.len() - SHOWN));
        }
        let none = if suspicious.is_empty() { "none" } else { "" };
        lines.push(("suspicious".into(), suspicious.join(", ") + none));
        lines
    }
}

impl FootSummary {
    fn of(foot: &FootQuality) -> FootSummary {
        FootSummary {
            foot: if foot.side == Side::Left { "left" } else { "right" },
            contact_share: foot.contact_share,
            contacts: foot.contacts,
            slide: foot.measure.skate,
            float_max: foot.measure.float_max,
            penetration_max: foot.measure.penetration_max,
        }
    }

    fn text(&self, unit: &str) -> String {
        let length = |length: f64| match unit {
            "m" => format!("{:.1} mm", length * 1000.0),
            _ => format!("{length:.3} {unit}"),
        };
        format!(
            "contact {:.0} % of frames, {} contacts, skate {}/s, float max {}, penetration max {}",
            self.contact_share * 100.0,
            self.contacts,
            length(self.slide),
            length(self.float_max),
            length(self.penetration_max),
        )
    }
}

impl ArtifactSummary {
    fn text(&self) -> String {
        let frames = match self.first == self.last {
            true => format!("frame {}", self.first),
            false => format!("frames {} to {}", self.first, self.last),
        };
        let joint = self.joint.as_ref().map_or(String::new(), |joint| format!(" (joint '{joint}')"));
        format!("{} in {frames}{joint}", self.what)
    }
}
