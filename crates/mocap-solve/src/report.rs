//! What is reported of a solved take. Lengths are metres.

use std::fmt;

use mocap_analysis::{Gated, Metric};
use schemars::JsonSchema;
use serde::Serialize;

/// Distances between markers and where the body carries them \[m\]; `null` where nothing was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Residual {
    /// Mean.
    pub mean: Option<f64>,
    /// Root of the mean square.
    pub rms: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// Largest.
    pub max: Option<f64>,
}

impl Residual {
    /// Of some distances.
    pub fn of(distances: &[f64]) -> Residual {
        if distances.is_empty() {
            return Residual::default();
        }
        let mut sorted = distances.to_vec();
        sorted.sort_by(f64::total_cmp);
        let count = sorted.len() as f64;
        let at = ((count * 0.95).ceil() as usize).clamp(1, sorted.len()) - 1;
        Residual {
            mean: Some(sorted.iter().sum::<f64>() / count),
            rms: Some((sorted.iter().map(|distance| distance * distance).sum::<f64>() / count).sqrt()),
            p95: Some(sorted[at]),
            max: sorted.last().copied(),
        }
    }
}

/// A marker of a solved take.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MarkerResidual {
    /// Its label.
    pub name: String,
    /// The joint that carries it.
    pub segment: String,
    /// Mean distance \[m\].
    pub mean: Option<f64>,
    /// 95th percentile \[m\].
    pub p95: Option<f64>,
    /// Largest distance \[m\].
    pub max: Option<f64>,
    /// Whether it counts; a marker that is wrong throughout does not.
    pub used: bool,
    /// How well its attachment is determined: the standard deviation in the direction that is held least \[m\].
    pub sigma: Option<f64>,
}

/// A joint and the markers that it carries.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SegmentResidual {
    /// The joint.
    pub name: String,
    /// Markers that count.
    pub markers: usize,
    /// Mean distance \[m\].
    pub mean: Option<f64>,
    /// 95th percentile \[m\].
    pub p95: Option<f64>,
    /// Largest distance \[m\].
    pub max: Option<f64>,
}

/// Frames in which the solution is doubtful.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct DoubtfulFrames {
    /// The first one, from 0.
    pub first: usize,
    /// The last one.
    pub last: usize,
    /// The least share of markers that are seen where the body carries them, from 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reason: String,
}

/// A bone whose length was found.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct BoneLength {
    /// The joint at its end.
    pub name: String,
    /// From its parent \[m\].
    pub length: f64,
    /// How well it is determined: the standard deviation in the direction that is held least \[m\].
    pub sigma: Option<f64>,
    /// The share by which it is longer than on the other side.
    pub side_difference: Option<f64>,
}

/// A rigid body that fits no limb.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PropReport {
    /// What its labels have in common.
    pub name: String,
    /// Its markers.
    pub markers: Vec<String>,
    /// The share of frames that show it; between them it moves evenly.
    pub seen: f64,
    /// Distances of its markers from one rigid body \[m\].
    pub residual: Residual,
}

/// What was repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Repairs {
    /// Positions that were missing; the body shows where they were.
    pub gaps: usize,
    /// Positions that were left out of residuals, since they are not where the marker can be; they have little weight.
    pub ghosts: usize,
    /// Frames in which two labels were exchanged back, over all pairs.
    pub swaps: usize,
}

/// The report of a solved take.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SolveReport {
    /// Over all positions that count.
    pub residual: Residual,
    /// By marker.
    pub markers: Vec<MarkerResidual>,
    /// By joint.
    pub segments: Vec<SegmentResidual>,
    /// Frames in which the solution is doubtful.
    pub frames: Vec<DoubtfulFrames>,
    /// The share of frames that are not.
    pub solved: f64,
    /// Lengths that were found; empty where a skeleton was given.
    pub bones: Vec<BoneLength>,
    /// What was repaired.
    pub repairs: Repairs,
    /// Rigid bodies that fit no limb; each is a prop of the scene.
    pub props: Vec<PropReport>,
}

impl Gated for SolveReport {
    const METRICS: &'static [Metric<SolveReport>] = &[
        Metric::new("residual", "m", "mean distance of markers", |report| report.residual.mean),
        Metric::new("residual-rms", "m", "root mean square distance of markers", |report| {
            report.residual.rms
        }),
        Metric::new("residual-p95", "m", "95th percentile of distances of markers", |report| {
            report.residual.p95
        }),
        Metric::new("doubtful", "", "share of frames that are doubtful", |report| Some(1.0 - report.solved)),
        Metric::new("ghosts", "", "positions that were left out of residuals", |report| {
            Some(report.repairs.ghosts as f64)
        }),
        Metric::new(
            "attachment",
            "m",
            "how far the attachment that is determined worst may be off",
            |report| report.markers.iter().filter_map(|marker| marker.sigma).reduce(f64::max),
        ),
    ];
}

fn mm(metres: Option<f64>) -> String {
    metres.map_or("not measured".to_owned(), |metres| format!("{:.1}", metres * 1e3))
}

impl fmt::Display for SolveReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Residual { mean, rms, p95, max } = self.residual;
        let used = self.markers.iter().filter(|marker| marker.used).count();
        writeln!(
            f,
            "  residual mean {} / rms {} / p95 {} / max {} mm, {used} of {} markers",
            mm(mean),
            mm(rms),
            mm(p95),
            mm(max),
            self.markers.len()
        )?;
        let Repairs { gaps, ghosts, swaps } = self.repairs;
        writeln!(
            f,
            "  frames solved {:.1} %; positions filled {gaps}, left out of residuals {ghosts}; labels exchanged back in {swaps} frames",
            self.solved * 100.0
        )?;
        writeln!(f, "  segment: mean / p95 / max mm, markers")?;
        for SegmentResidual { name, markers, mean, p95, max } in &self.segments {
            writeln!(f, "    {name}: {} / {} / {}, {markers}", mm(*mean), mm(*p95), mm(*max))?;
        }
        writeln!(f, "  marker: mean / p95 / max mm, attachment known to mm")?;
        for marker in &self.markers {
            let MarkerResidual { name, mean, p95, max, used, sigma, .. } = marker;
            let out = if *used { "" } else { ", left out" };
            writeln!(f, "    {name}: {} / {} / {}, {}{out}", mm(*mean), mm(*p95), mm(*max), mm(*sigma))?;
        }
        if !self.bones.is_empty() {
            writeln!(f, "  bone to: length mm, known to mm")?;
        }
        for BoneLength { name, length, sigma, .. } in &self.bones {
            writeln!(f, "    {name}: {}, {}", mm(Some(*length)), mm(*sigma))?;
        }
        for PropReport { name, markers, seen, residual } in &self.props {
            let (count, seen) = (markers.len(), seen * 100.0);
            writeln!(
                f,
                "  prop {name}: {count} markers, rigid within {} mm, seen in {seen:.1} % of frames",
                mm(residual.rms)
            )?;
        }
        for DoubtfulFrames { first, last, confidence, reason } in &self.frames {
            writeln!(f, "  doubtful: frames {first} to {last}, confidence {confidence:.2}: {reason}")?;
        }
        Ok(())
    }
}
