//! Sizes and errors of a compressed clip as JSON and as text.

use schemars::JsonSchema;
use serde::Serialize;

use super::{CompressOptions, CompressReport, JointRule};

/// Sizes and errors of a compressed clip, with the bounds of joints by rule. The fields are those of the rows of
/// `mocap compress --json`. Lengths are metres.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct CompressSummary {
    /// Name of the profile.
    pub profile: &'static str,
    /// Number of frames.
    pub frames: usize,
    /// Joints without End Sites × frames × 40.
    pub raw_bytes: u64,
    /// Size of the compressed clip.
    pub bytes: u64,
    /// Of these, the skeleton.
    pub skeleton_bytes: u64,
    /// `raw_bytes` / `bytes`.
    pub ratio: f64,
    /// The largest bound of any joint; `bounds` has those of single joints.
    pub error_limit: f64,
    /// The largest error.
    pub max_error: f64,
    /// 99 % of the samples (joint × frame) have at most this error.
    pub p99_error: f64,
    /// Root of the mean squared error.
    pub rms_error: f64,
    /// The largest error half-way between frames.
    pub between_frames_max: f64,
    /// The largest error of a local rotation.
    pub local_rotation_max_degrees: f64,
    /// The largest error of a local translation.
    pub local_translation_max: f64,
    /// Place of the largest error.
    pub worst: Option<WorstJoint>,
    /// Distance from each joint at which the error is measured.
    pub shell: f64,
    /// The bound and the error of the joints of each rule, and of all other joints; empty without rules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<RuleError>,
}

/// The bound and the largest error of the joints of a rule.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RuleError {
    /// The glob of the rule; `None`: joints without a rule.
    pub set: Option<String>,
    /// Number of joints.
    pub joints: usize,
    /// Their bound.
    pub error_limit: f64,
    /// Their largest error.
    pub max_error: f64,
    /// The joint with the largest error.
    pub worst: String,
}

/// The joint and frame of the largest error.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WorstJoint {
    /// Name of the joint.
    pub joint: String,
    /// The frame, counted from 0.
    pub frame: usize,
}

impl CompressSummary {
    /// The summary of a clip of `frames` frames that was compressed with `options`. `rules` and `by_joint` are those
    /// of [`match_rules`](crate::match_rules).
    pub fn new(
        report: &CompressReport,
        options: &CompressOptions,
        frames: usize,
        rules: &[JointRule],
        by_joint: &[Option<usize>],
    ) -> CompressSummary {
        let worst =
            report.worst.as_ref().map(|(joint, frame)| WorstJoint { joint: joint.clone(), frame: *frame });
        CompressSummary {
            profile: options.profile.name(),
            frames,
            raw_bytes: report.raw_bytes,
            bytes: report.bytes,
            skeleton_bytes: report.skeleton_bytes,
            ratio: report.ratio(),
            error_limit: report.limit,
            max_error: report.max,
            p99_error: report.p99,
            rms_error: report.rms,
            between_frames_max: report.between_frames_max,
            local_rotation_max_degrees: report.local_rotation_max.to_degrees(),
            local_translation_max: report.local_translation_max,
            worst,
            shell: options.shell,
            bounds: rule_errors(report, options.tolerance, rules, by_joint),
        }
    }

    /// Size and errors in one line; lengths in millimetres.
    pub fn line(&self) -> String {
        let size =
            format!("{} bytes, {:.1} times smaller than raw ({})", self.bytes, self.ratio, self.profile);
        let error =
            |max: f64, limit: f64| format!("error max {:.4} mm, limit {} mm", max * 1e3, millimetres(limit));
        let between = format!("between frames max {:.4} mm", self.between_frames_max * 1e3);
        if self.bounds.is_empty() {
            return format!("{size}, {}, {between}", error(self.max_error, self.error_limit));
        }
        let parts = self.bounds.iter().map(|bound| {
            let of = match &bound.set {
                Some(set) if bound.joints == 1 => format!("joint of '{set}'"),
                Some(set) => format!("{} joints of '{set}'", bound.joints),
                None => format!("other joints ({})", bound.joints),
            };
            format!("{of}: {}", error(bound.max_error, bound.error_limit))
        });
        format!("{size}; {}; {between}", parts.collect::<Vec<_>>().join("; "))
    }
}

/// Millimetres without the digits that the conversion from metres adds.
fn millimetres(metres: f64) -> f64 {
    (metres * 1e12).round() / 1e9
}

/// By rule, and of the joints without a rule.
fn rule_errors(
    report: &CompressReport,
    tolerance: f64,
    rules: &[JointRule],
    by_joint: &[Option<usize>],
) -> Vec<RuleError> {
    let error = |at: Option<usize>| {
        let of = report.joints.iter().zip(by_joint).filter(|(_, rule)| **rule == at).map(|(joint, _)| joint);
        let worst = of.clone().max_by(|a, b| a.max.total_cmp(&b.max));
        worst.map(|worst| RuleError {
            set: at.map(|at| rules[at].joints.glob().to_owned()),
            joints: of.count(),
            error_limit: at.map_or(tolerance, |at| rules[at].tolerance),
            max_error: worst.max,
            worst: worst.joint.clone(),
        })
    };
    if rules.is_empty() {
        return Vec::new();
    }
    (0..rules.len()).map(Some).chain([None]).filter_map(error).collect()
}
