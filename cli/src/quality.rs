//! How good a motion is, in numbers and words: what `mocap info --quality` adds.

use mocap_analysis::{ContactOptions, FootQuality, quality};
use mocap_model::{Clip, Side};
use serde::Serialize;

use crate::read;

/// How good a motion is. The names are those of the rows of `mocap info --quality --json`; lengths are metres,
/// or units of the file where its unit is not known.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct QualityFact {
    /// `m`, or `units`.
    lengths: &'static str,
    floor: Option<f64>,
    feet: Vec<FootFact>,
    /// Mean over all joints [m/s³].
    jerk: f64,
    largest_step: Option<StepFact>,
    suspicious: Vec<SuspectFact>,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct FootFact {
    foot: &'static str,
    /// 0 to 1.
    contact_share: f64,
    contacts: usize,
    /// [m/s]
    slide: f64,
    float_max: f64,
    penetration_max: f64,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct StepFact {
    degrees: f64,
    joint: String,
    frame: usize,
}

#[derive(Debug, Serialize, schemars::JsonSchema)]
struct SuspectFact {
    what: &'static str,
    first: usize,
    last: usize,
    joint: Option<String>,
}

impl QualityFact {
    pub(crate) fn of(clip: &Clip) -> QualityFact {
        let quality = quality(clip, &ContactOptions::default());
        let name = |joint: mocap_model::JointId| clip.skeleton().joint(joint).name.clone();
        QualityFact {
            lengths: if read::known_unit(clip.skeleton()).is_some() { "m" } else { "units" },
            floor: quality.floor,
            feet: quality.feet.iter().map(FootFact::of).collect(),
            jerk: quality.jerk,
            largest_step: quality.largest_step.map(|step| StepFact {
                degrees: step.angle.to_degrees(),
                joint: name(step.joint),
                frame: step.frame,
            }),
            suspicious: quality
                .artifacts
                .iter()
                .map(|artifact| SuspectFact {
                    what: artifact.kind.name(),
                    first: artifact.frames.start,
                    last: artifact.frames.end.max(1) - 1,
                    joint: artifact.joint.map(name),
                })
                .collect(),
        }
    }

    /// One fact a line, as those of `mocap info`.
    pub(crate) fn text(&self) -> String {
        let unit = self.lengths;
        let mut text = String::new();
        let mut line = |name: &str, value: String| text.push_str(&format!("\n  {name:<10} {value}"));
        line("floor", self.floor.map_or("no feet found".into(), |floor| format!("at {floor:.3} {unit}")));
        for foot in &self.feet {
            let millimetres = |length: f64| match unit {
                "m" => format!("{:.1} mm", length * 1000.0),
                _ => format!("{length:.3} {unit}"),
            };
            let value = format!(
                "stands {:.0} % of the time, {} contacts, slides {}/s, floats up to {}, sinks up to {}",
                foot.contact_share * 100.0,
                foot.contacts,
                millimetres(foot.slide),
                millimetres(foot.float_max),
                millimetres(foot.penetration_max),
            );
            line(&format!("{} foot", foot.foot), value);
        }
        line("jerk", format!("{:.0} {unit}/s³ on average", self.jerk));
        if let Some(step) = &self.largest_step {
            let value = format!("{:.1}° by '{}' into frame {}", step.degrees, step.joint, step.frame);
            line("step", format!("{value}, the largest"));
        }
        match self.suspicious.len() {
            0 => line("suspicious", "nothing".into()),
            count => {
                let shown = self.suspicious.iter().take(SHOWN).map(SuspectFact::text);
                let mut shown = shown.collect::<Vec<_>>().join(", ");
                if count > SHOWN {
                    shown.push_str(&format!(", and {} more", count - SHOWN));
                }
                line("suspicious", shown);
            }
        }
        text
    }
}

/// Suspicions that are listed for people; `--json` has all.
const SHOWN: usize = 5;

impl FootFact {
    fn of(foot: &FootQuality) -> FootFact {
        FootFact {
            foot: if foot.side == Side::Left { "left" } else { "right" },
            contact_share: foot.contact_share,
            contacts: foot.contacts,
            slide: foot.measure.skate,
            float_max: foot.measure.float_max,
            penetration_max: foot.measure.penetration_max,
        }
    }
}

impl SuspectFact {
    fn text(&self) -> String {
        let frames = match self.first == self.last {
            true => format!("frame {}", self.first),
            false => format!("frames {} to {}", self.first, self.last),
        };
        let joint = self.joint.as_ref().map_or(String::new(), |joint| format!(" ('{joint}')"));
        format!("{} in {frames}{joint}", self.what)
    }
}
