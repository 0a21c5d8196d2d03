//! The quality of a motion as JSON and as text.

use crate::{
    Artifact, ArtifactKind, BalanceSummary, FootQuality, LargestStep, LengthUnit, OffBalance, Quality,
};
use mocap_model::{JointId, Side, Skeleton};
use schemars::JsonSchema;
use serde::Serialize;

/// How good a motion is, with joints by name. The fields are those of the rows of `mocap info --quality --json`.
/// Lengths are metres; lengths of its legs where the unit of the clip is not known. A figure that no frame shows is `None`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct QualitySummary {
    /// `m`; `legs`: lengths of its legs, where the unit is not known; `units` of the clip, where it has no legs either.
    pub lengths: &'static str,
    /// The height of the floor; `None` without feet or frames.
    pub floor: Option<f64>,
    /// The feet, left before right.
    pub feet: Vec<FootSummary>,
    /// Mean over all joints [m/s³]; `None` of fewer than four frames.
    pub jerk: Option<f64>,
    /// The largest change of a local rotation between two frames.
    pub largest_step: Option<StepSummary>,
    /// Whether the person stands where both feet are in contact and the centre of mass is still; `None` without legs, arms
    /// or a head. Metres, by a guess where the unit is not known.
    pub balance: Option<BalanceSummary>,
    /// When the person stands still and the centre of mass is more than 1 cm outside the soles; of a robot, also when the
    /// zero-moment point is more than 2 cm outside. Null where balance is not measured.
    pub off_balance: Option<Vec<OffBalance>>,
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
    /// Foot skate [m/s]; `None` where no contact shows it.
    pub slide: Option<f64>,
    /// Largest height above the floor in contact; `None` without contacts.
    pub float_max: Option<f64>,
    /// Largest depth below the floor.
    pub penetration_max: Option<f64>,
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
    /// The kind: `teleport`, `jump`, `turn`, `flip`, `stretch`, `frozen`, `skate` or `float`.
    pub what: &'static str,
    /// First frame, counted from 0.
    pub first: usize,
    /// Last frame.
    pub last: usize,
    /// The joint that shows it most; `None` where all joints do.
    pub joint: Option<String>,
    /// Its size, in `unit`.
    pub value: f64,
    /// What it may be at most, in `unit`.
    pub limit: f64,
    /// The unit of both; empty for a share of a length.
    pub unit: String,
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
        QualitySummary {
            lengths: self.lengths.unit.name(),
            floor: self.floor,
            feet: self.feet.iter().map(FootSummary::of).collect(),
            jerk: self.jerk,
            largest_step: self.largest_step.as_ref().map(step),
            balance: self.balance,
            off_balance: self.off_balance.clone(),
            suspicious: self
                .artifacts
                .iter()
                .map(|found| found.summary(self.lengths.unit, skeleton))
                .collect(),
        }
    }
}

impl Artifact {
    /// The artifact with the name of its joint. `unit` is that of its lengths.
    pub fn summary(&self, unit: LengthUnit, skeleton: &Skeleton) -> ArtifactSummary {
        let (unit, scale) = match self.kind {
            ArtifactKind::Teleport | ArtifactKind::Jump | ArtifactKind::Float => {
                (unit.name().to_owned(), 1.0)
            }
            ArtifactKind::Skate => (format!("{}/s", unit.name()), 1.0),
            ArtifactKind::Turn | ArtifactKind::Flip => ("deg".to_owned(), 1f64.to_degrees()),
            ArtifactKind::Stretch => (String::new(), 1.0),
            ArtifactKind::Frozen => ("s".to_owned(), 1.0),
        };
        ArtifactSummary {
            what: self.kind.name(),
            first: self.frames.start,
            last: self.frames.end.max(1) - 1,
            joint: self.joint.map(|joint| skeleton.joint(joint).name.clone()),
            value: self.value * scale,
            limit: self.limit * scale,
            unit,
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
        let jerk = self.jerk.map_or("not measured".into(), |jerk| format!("mean {jerk:.0} {unit}/s³"));
        lines.push(("jerk".into(), jerk));
        if let Some(StepSummary { degrees, joint, frame }) = &self.largest_step {
            lines.push(("step".into(), format!("max {degrees:.1}° (joint '{joint}', frame {frame})")));
        }
        if let Some(balance) = self.balance {
            lines.push(("balance".into(), balance.text()));
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

impl BalanceSummary {
    fn text(&self) -> String {
        let flight = self.off_fall.map_or_else(String::new, |off| {
            format!("; flight {:.0} % of frames, {:.1} % off free fall", 100.0 * self.flight, 100.0 * off)
        });
        let (Some(outside), Some(margin)) = (self.outside, self.margin) else {
            return format!("not measured: no frame stands still{flight}");
        };
        format!(
            "still {:.0} % of frames; centre of mass outside the soles {:.1} % of them, margin min {:.0} mm{flight}",
            100.0 * self.still,
            100.0 * outside,
            1000.0 * margin
        )
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
        let length = |length: Option<f64>, per: &str| match (length, unit) {
            (None, _) => "not measured".to_owned(),
            (Some(length), "m") => format!("{:.1} mm{per}", length * 1000.0),
            (Some(length), _) => format!("{length:.3} {unit}{per}"),
        };
        format!(
            "contact {:.0} % of frames, {} contact{}, skate {}, float max {}, penetration max {}",
            self.contact_share * 100.0,
            self.contacts,
            if self.contacts == 1 { "" } else { "s" },
            length(self.slide, "/s"),
            length(self.float_max, ""),
            length(self.penetration_max, ""),
        )
    }
}

impl ArtifactSummary {
    /// In words, such as `teleport of 0.31 m in frame 12 (joint 'Hips')`.
    pub fn text(&self) -> String {
        let frames = match self.first == self.last {
            true => format!("frame {}", self.first),
            false => format!("frames {} to {}", self.first, self.last),
        };
        let joint = self.joint.as_ref().map_or(String::new(), |joint| format!(" (joint '{joint}')"));
        format!("{} in {frames}{joint}", self.size())
    }

    /// The kind and the size in words, such as `teleport of 0.31 m`.
    pub fn size(&self) -> String {
        let ArtifactSummary { what, value, unit, .. } = self;
        match *what {
            "stretch" => format!("stretch by {:.0} %", value * 100.0),
            "frozen" => format!("frozen for {value:.2} s"),
            "skate" => format!("skate at {value:.2} {unit}"),
            "float" if *value < 0.0 => format!("floor {:.2} {unit} below that of the other clips", -value),
            "float" => format!("float {value:.2} {unit} above the floor of the other clips"),
            "turn" | "flip" => format!("{what} of {value:.0}°"),
            _ => format!("{what} of {value:.2} {unit}"),
        }
    }
}
