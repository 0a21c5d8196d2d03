//! What the surface of a motion shows, measured on the mesh.

use super::body_surface::BodySurface;
use super::contacts::{ArmContacts, Touch};
use mocap_analysis::percentile;
use mocap_model::{Clip, ForwardKinematics};
use mocap_skin::Sided;
use schemars::JsonSchema;
use serde::Serialize;
use std::str::FromStr;

/// A part is deep inside from here on, on a person of 1.7 m \[m\].
const DEEP: f64 = 0.01;

/// Interpenetration of arms with trunk, head and legs, measured on the mesh at some frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct SurfaceReport {
    /// The frames that were measured.
    pub frames: usize,
    /// Share of the vertices of forearms and hands that are inside of trunk, head or legs, 0 to 1: mean over frames.
    pub inside: f64,
    /// The deepest of them: distance from the surface \[m\].
    pub deepest: f64,
    /// Share of frames in which a vertex is deeper than 1 cm, on a person of 1.7 m.
    pub deep_frames: f64,
    /// The same of shanks and feet inside of the other leg; `None` of a body without legs. Retargeting does not change it.
    pub legs: Option<LegsInside>,
    /// Frames in which an arm stays inside, because it would have to move too far to leave: further than the depth, its
    /// own length and the contacts of its source explain. 0 of a motion that is only measured.
    pub let_go: usize,
    /// Contacts of the source's arms, found on its surface; empty where the source has none.
    pub contacts: Vec<SurfaceContactReport>,
}

/// Interpenetration of the legs, measured on the mesh at the same frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct LegsInside {
    /// Share of the vertices of shanks and feet that are inside of the other leg, 0 to 1: mean over frames.
    pub inside: f64,
    /// The deepest of them: distance from the surface \[m\].
    pub deepest: f64,
    /// Share of frames in which a vertex is deeper than 1 cm, on a person of 1.7 m.
    pub deep_frames: f64,
}

/// A contact of an arm with another part of the body.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SurfaceContactReport {
    /// The part of the arm, such as `LeftHand`.
    pub part: &'static str,
    /// What it touches, such as `Trunk`.
    pub on: &'static str,
    /// Frames of the source in contact.
    pub frames: usize,
    /// Distance of the target's arm from what it touches, inside or outside, in these frames \[m\]: 95th percentile of
    /// those that were measured. `null` where the target has no such part.
    pub error: Option<f64>,
    /// Distance of the places on the arm that touch from the places that correspond to those that the source touches, mean
    /// over places \[m\]: 95th percentile. `null` as above.
    pub off_place: Option<f64>,
}

/// Which frames are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceFrames {
    /// So many, evenly spaced from the first to the last.
    Some(usize),
    /// All.
    All,
}

impl Default for SurfaceFrames {
    fn default() -> SurfaceFrames {
        SurfaceFrames::Some(20)
    }
}

impl FromStr for SurfaceFrames {
    type Err = String;

    fn from_str(text: &str) -> Result<SurfaceFrames, String> {
        match text {
            "all" => Ok(SurfaceFrames::All),
            _ => match text.parse() {
                Ok(count) if count > 0 => Ok(SurfaceFrames::Some(count)),
                _ => Err(format!("'{text}' is not a number of frames from 1, or all")),
            },
        }
    }
}

impl SurfaceFrames {
    /// The frames of a motion.
    fn of(self, frames: usize) -> Vec<usize> {
        match self {
            SurfaceFrames::Some(count) if count < frames && count > 1 => {
                (0..count).map(|i| (i * (frames - 1) + (count - 1) / 2) / (count - 1)).collect()
            }
            SurfaceFrames::Some(count) => (0..frames.min(count.max(1))).collect(),
            SurfaceFrames::All => (0..frames).collect(),
        }
    }
}

/// Measures a motion of the body's skeleton; `metres` are metres per unit. `None` without frames, or without vertices of
/// arms or of what they may be inside of.
pub(crate) fn measure(
    body: &BodySurface,
    motion: &Clip,
    which: SurfaceFrames,
    metres: f64,
    contacts: &[ArmContacts<Touch>],
) -> Option<SurfaceReport> {
    let mut meter = body.meter()?;
    let frames = which.of(motion.frames());
    if frames.is_empty() {
        return None;
    }
    let deep = body.person(DEEP);
    let mut kinematics = ForwardKinematics::new(motion);
    let mut report = SurfaceReport { frames: frames.len(), ..SurfaceReport::default() };
    let mut deep_frames = 0;
    let mut leg_meters = Sided::BOTH.map(|side| body.leg_meter(side));
    let mut legs = leg_meters.iter().all(Option::is_some).then(LegsInside::default);
    for frame in &frames {
        kinematics.place(*frame);
        let palette = body.surface.palette(|joint| kinematics.matrix(joint));
        let found = meter.measure(&body.surface, &palette);
        report.inside += found.share;
        report.deepest = report.deepest.max(found.deepest * metres);
        deep_frames += usize::from(found.deepest > deep);
        if let Some(legs) = &mut legs {
            let mut deepest: f64 = 0.0;
            for meter in leg_meters.iter_mut().flatten() {
                let found = meter.measure(&body.surface, &palette);
                legs.inside += found.share / 2.0;
                deepest = deepest.max(found.deepest);
            }
            legs.deepest = legs.deepest.max(deepest * metres);
            legs.deep_frames += f64::from(deepest > deep);
        }
    }
    if let Some(legs) = &mut legs {
        legs.inside /= frames.len() as f64;
        legs.deep_frames /= frames.len() as f64;
    }
    report.legs = legs;
    report.inside /= frames.len() as f64;
    report.deep_frames = deep_frames as f64 / frames.len() as f64;
    let measured = contacts.iter().map(|contact| SurfaceContactReport {
        part: contact.part.name(),
        on: contact.on.name(),
        frames: contact.frames().len(),
        error: contact_error(body, motion, which, contact).map(|error| error * metres),
        off_place: off_place(body, motion, which, contact).map(|off| off * metres),
    });
    report.contacts = measured.collect();
    Some(report)
}

/// The distance of an arm from what it touches in the frames of a contact [units of the skeleton].
fn contact_error(
    body: &BodySurface,
    motion: &Clip,
    which: SurfaceFrames,
    contact: &ArmContacts<Touch>,
) -> Option<f64> {
    let mut meter = body.contact_meter(contact.arm, contact.touched)?;
    let vertices = body.lower_arm(contact.arm);
    let mut kinematics = ForwardKinematics::new(motion);
    let errors = measured(motion, which, contact).map(|frame| {
        kinematics.place(frame);
        let palette = body.surface.palette(|joint| kinematics.matrix(joint));
        Some(meter.gap(&body.surface, &palette, &vertices, body.height)?.0.abs())
    });
    percentile(&mut errors.collect::<Option<Vec<f64>>>()?, 0.95)
}

/// How far the places of a contact are from where they belong [units of the skeleton].
fn off_place(
    body: &BodySurface,
    motion: &Clip,
    which: SurfaceFrames,
    contact: &ArmContacts<Touch>,
) -> Option<f64> {
    let mut kinematics = ForwardKinematics::new(motion);
    let offs = measured(motion, which, contact).map(|frame| {
        kinematics.place(frame);
        let palette = body.surface.palette(|joint| kinematics.matrix(joint));
        let off = |touch: &Touch| {
            let (place, normal) = touch.posed(body, &palette);
            let to = place + normal * body.person(touch.gap);
            (touch.own.posed(&body.surface, &palette) - to).norm() * touch.weight
        };
        let touches = contact.at(frame).iter();
        touches.clone().map(off).sum::<f64>() / touches.map(|touch| touch.weight).sum::<f64>()
    });
    percentile(&mut offs.collect::<Vec<f64>>(), 0.95)
}

/// The frames of a contact that are measured.
fn measured<'a>(
    motion: &'a Clip,
    which: SurfaceFrames,
    contact: &ArmContacts<Touch>,
) -> impl Iterator<Item = usize> + 'a {
    let frames = contact.frames();
    let chosen = which.of(frames.len()).into_iter().map(move |at| frames[at]);
    chosen.filter(|frame| *frame < motion.frames())
}
