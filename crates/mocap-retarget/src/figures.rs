//! The JSON form of a report.

use crate::{
    EffectorReport, FootReport, HandReport, LimbRatios, RetargetReport, SelfContactReport, SoleReport,
    SurfaceReport,
};
use mocap_analysis::BalanceSummary;
use mocap_model::Role;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ops::Range;

/// The figures of a [`RetargetReport`] for JSON: lengths in metres, angles in degrees, roles by name. A figure that was
/// not measured is `null`.
///
/// ```
/// # let read = |bytes: &[u8]| -> Result<mocap_model::Clip, Box<dyn std::error::Error>> {
/// #     let document = mocap_formats::bvh::parse(bytes, &Default::default())?.value;
/// #     Ok(mocap_formats::bvh::to_clip(&document, &Default::default())?.value)
/// # };
/// # let walk = read(include_bytes!("../../../fixtures/clips/alex_walk.bvh"))?;
/// # let robin = read(include_bytes!("../../../fixtures/clips/robin_walk.bvh"))?;
/// use mocap_retarget::{RetargetFigures, RetargetOptions, Retargeter};
///
/// let retargeter = Retargeter::new(walk.skeleton(), robin.skeleton(), &RetargetOptions::default())?;
/// let (_, report) = retargeter.retarget(&walk)?;
/// let json = serde_json::to_value(RetargetFigures::from(&report))?;
/// assert_eq!(json["frames"], walk.frames());
/// assert!(json["feet"][0]["slide"].as_f64().unwrap() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RetargetFigures<'a> {
    frames: usize,
    /// Lead-in frames at the start; figures exclude them.
    unmeasured_frames: usize,
    scale: Scale,
    mapping: Vec<Mapping<'a>>,
    effectors: Vec<Effector>,
    feet: Vec<Foot>,
    hands: Vec<Hand>,
    /// Self-contacts of hands.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    touches: Vec<Touch>,
    limits: Limits,
    /// By role.
    angle_rms: BTreeMap<&'static str, f64>,
    /// By role.
    angle_correlation: BTreeMap<&'static str, Option<f64>>,
    jerk_ratio: Option<f64>,
    largest_step: Step<'a>,
    /// Balance of source and target, with a gate on `balance-margin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    balance: Option<[BalanceSummary; 2]>,
    /// Measured on the mesh at evenly spaced frames; `null` without a surface.
    surface: Option<SurfaceReport>,
    /// How deep a forearm is inside trunk, head or legs while its hand holds a prop, by the mesh or capsules; only where a
    /// hand holds one.
    #[serde(skip_serializing_if = "Option::is_none")]
    held_arm_inside: Option<f64>,
}

/// Limb lengths of the target over those of the source.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub(crate) struct Scale {
    leg: f64,
    arm: Option<f64>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Mapping<'a> {
    role: &'static str,
    source: Option<&'a str>,
    target: Option<&'a str>,
}

/// Goal error of an effector.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Effector {
    role: &'static str,
    mean: f64,
    p95: f64,
    max: f64,
    reached_frames: usize,
    unreachable_frames: usize,
    limited_frames: usize,
    capped_frames: usize,
    wrong_bend_frames: usize,
    iterations_mean: f64,
    iterations_max: u32,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Foot {
    role: &'static str,
    contact_frames: usize,
    /// Foot skate of the source [m/s]
    slide_source: Option<f64>,
    /// Foot skate [m/s]
    slide: Option<f64>,
    slide_ratio: Option<f64>,
    float: Option<f64>,
    penetration_max: Option<f64>,
    penetration_source: Option<f64>,
    toe: Sole,
    heel: Sole,
    contacts_kept: Option<f64>,
    /// Ranges of frames, their ends not included.
    contacts: Vec<[usize; 2]>,
    /// The target measured by its own contacts and floor, independent of the source.
    own: Own,
}

/// A hand while the source's hand is on the floor: its palm above or below the height of the source's, scaled.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Hand {
    role: &'static str,
    contact_frames: usize,
    /// Speed along the floor while the source's hand stays in place [m/s]
    slide: Option<f64>,
    float: Option<f64>,
    penetration_max: Option<f64>,
    contacts_kept: Option<f64>,
    /// Ranges of frames, their ends not included.
    contacts: Vec<[usize; 2]>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Sole {
    float: Option<f64>,
    penetration: Option<f64>,
}

/// A foot of the target, measured by its own contacts and floor.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Own {
    contact_frames: usize,
    /// Foot skate [m/s]
    slide: Option<f64>,
    float: Option<f64>,
    penetration_max: Option<f64>,
    /// Ranges of frames, their ends not included.
    contacts: Vec<[usize; 2]>,
}

/// A self-contact of a hand.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Touch {
    role: &'static str,
    on: &'static str,
    /// Ranges of frames, their ends not included.
    contacts: Vec<[usize; 2]>,
    error: f64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Limits {
    violations: usize,
    max_excess: f64,
}

/// The largest rotation from one frame to the next.
#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Step<'a> {
    target: f64,
    source: f64,
    joint: &'a str,
    frame: usize,
    /// Greatest difference, by role, from the step of the source.
    excess: f64,
    excess_role: Option<&'static str>,
}

impl<'a> From<&'a RetargetReport> for RetargetFigures<'a> {
    fn from(report: &'a RetargetReport) -> RetargetFigures<'a> {
        let step = &report.largest_step;
        let mapping = report.mapping.iter().map(|row| Mapping {
            role: row.role.name(),
            source: row.source.as_deref(),
            target: row.target.as_deref(),
        });
        RetargetFigures {
            frames: report.frames,
            unmeasured_frames: report.lead_in,
            scale: report.scale.into(),
            mapping: mapping.collect(),
            effectors: report.effectors.iter().map(Effector::from).collect(),
            feet: report.feet.iter().map(Foot::from).collect(),
            hands: report.hands.iter().map(Hand::from).collect(),
            touches: report.self_contacts.iter().map(Touch::from).collect(),
            limits: Limits { violations: report.limits.violations, max_excess: report.limits.max_excess },
            angle_rms: report.angles.iter().map(|row| (row.role.name(), row.rms)).collect(),
            angle_correlation: report.angles.iter().map(|row| (row.role.name(), row.correlation)).collect(),
            jerk_ratio: report.jerk_ratio,
            largest_step: Step {
                target: step.target,
                source: step.source,
                joint: &step.joint,
                frame: step.frame,
                excess: step.excess,
                excess_role: step.excess_role.map(Role::name),
            },
            balance: report.balance,
            surface: report.surface.clone(),
            held_arm_inside: report.held_arm_inside,
        }
    }
}

impl From<LimbRatios> for Scale {
    fn from(ratios: LimbRatios) -> Scale {
        let ratios = ratios.in_one_unit();
        Scale { leg: ratios.leg, arm: ratios.arm }
    }
}

impl From<&EffectorReport> for Effector {
    fn from(row: &EffectorReport) -> Effector {
        Effector {
            role: row.role.name(),
            mean: row.mean,
            p95: row.p95,
            max: row.max,
            reached_frames: row.reached_frames,
            unreachable_frames: row.unreachable_frames,
            limited_frames: row.limited_frames,
            capped_frames: row.capped_frames,
            wrong_bend_frames: row.wrong_bend_frames,
            iterations_mean: row.iterations_mean,
            iterations_max: row.iterations_max,
        }
    }
}

impl From<&FootReport> for Foot {
    fn from(row: &FootReport) -> Foot {
        let sole = |sole: SoleReport| Sole { float: sole.float, penetration: sole.penetration };
        Foot {
            role: row.role.name(),
            contact_frames: row.contact_frames,
            slide_source: row.slide_source,
            slide: row.slide,
            slide_ratio: row.slide_ratio,
            float: row.float,
            penetration_max: row.penetration_max,
            penetration_source: row.penetration_source,
            toe: sole(row.toe),
            heel: sole(row.heel),
            contacts_kept: row.contacts_kept,
            contacts: ranges(&row.contacts),
            own: Own {
                contact_frames: row.own.measure.contact_frames,
                slide: row.own.measure.skate,
                float: row.own.measure.float_max,
                penetration_max: row.own.measure.penetration_max,
                contacts: ranges(&row.own.contacts),
            },
        }
    }
}

impl From<&HandReport> for Hand {
    fn from(row: &HandReport) -> Hand {
        Hand {
            role: row.role.name(),
            contact_frames: row.contact_frames,
            slide: row.slide,
            float: row.float,
            penetration_max: row.penetration,
            contacts_kept: row.contacts_kept,
            contacts: ranges(&row.contacts),
        }
    }
}

impl From<&SelfContactReport> for Touch {
    fn from(row: &SelfContactReport) -> Touch {
        Touch { role: row.role.name(), on: row.on.name(), contacts: ranges(&row.contacts), error: row.error }
    }
}

fn ranges(contacts: &[Range<usize>]) -> Vec<[usize; 2]> {
    contacts.iter().map(|frames| [frames.start, frames.end]).collect()
}
