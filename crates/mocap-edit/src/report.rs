//! Reports of edits.

use std::fmt;

use mocap_analysis::{FootContacts, FootMotion};
use mocap_model::{Clip, ForwardKinematics, angle_between};
use schemars::JsonSchema;
use serde::Serialize;

use crate::body::Body;

/// The report of one edit. A figure that was not measured is `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct EditReport {
    /// The name of the edit.
    pub name: &'static str,
    /// Frames before.
    pub frames_before: usize,
    /// Frames after.
    pub frames: usize,
    /// Change of local rotations, over all joints and frames \[deg\]; not measured where the frames or joints changed.
    pub rms_deg: Option<f64>,
    /// The largest change of a local rotation \[deg\].
    pub max_deg: Option<f64>,
    /// Change of joint positions in object space \[m\].
    pub rms_m: Option<f64>,
    /// The largest change of a position \[m\].
    pub max_m: Option<f64>,
    /// The joint and frame of the largest change of a rotation.
    pub worst: Option<WorstChange>,
    /// Foot contacts before.
    pub contacts_before: Option<ContactFigures>,
    /// Foot contacts after.
    pub contacts: Option<ContactFigures>,
    /// Figures that only this edit has.
    pub figures: Vec<Figure>,
    /// Notes for users: what the edit found or kept.
    pub notes: Vec<String>,
    /// Possible problems of the result.
    pub warnings: Vec<EditWarning>,
}

/// The joint and frame of the largest change.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WorstChange {
    /// The name of the joint.
    pub joint: String,
    /// From 0.
    pub frame: usize,
}

/// Contacts of both feet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct ContactFigures {
    /// Frames in which the left toe is in contact.
    pub left_frames: usize,
    /// Frames in which the right toe is in contact.
    pub right_frames: usize,
    /// Foot skate: the mean horizontal speed of toes in contact [m/s].
    ///
    /// `None` without contacts.
    pub skate: Option<f64>,
}

/// A figure of one kind of edit.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Figure {
    /// Its name, as gates use it.
    pub name: &'static str,
    /// The value; `null` if it was not measured.
    pub value: Option<f64>,
    /// The unit; empty for counts and ratios.
    pub unit: &'static str,
}

/// A possible problem of the result.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct EditWarning {
    /// A stable code.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
}

impl Figure {
    pub(crate) fn new(name: &'static str, value: impl Into<Option<f64>>, unit: &'static str) -> Figure {
        Figure { name, value: value.into().filter(|value| value.is_finite()), unit }
    }
}

impl EditReport {
    /// The report of an edit from `before` to `after`: changes and contacts.
    pub(crate) fn measured(name: &'static str, before: &Clip, after: &Clip) -> EditReport {
        EditReport::measured_on(name, before, after, &Body::of(before))
    }

    /// The report of a motion whose unit is known from another one, such as that of a prop beside a
    /// person.
    pub(crate) fn measured_in(
        name: &'static str,
        before: &Clip,
        after: &Clip,
        metres: Option<f64>,
    ) -> EditReport {
        EditReport::measured_on(name, before, after, &Body { metres, ..Body::of(before) })
    }

    fn measured_on(name: &'static str, before: &Clip, after: &Clip, body: &Body) -> EditReport {
        let mut report = EditReport {
            name,
            frames_before: before.frames(),
            frames: after.frames(),
            ..EditReport::default()
        };
        report.contacts_before = contact_figures(body, before);
        report.contacts = match after.skeleton().len() == before.skeleton().len() {
            // With the roles of before: contacts depend on which joint is the hips.
            true => {
                let named = after.skeleton().with_roles(|id| body.skeleton.joint(id).role);
                contact_figures(&Body { skeleton: named.into(), ..body.clone() }, after)
            }
            false => contact_figures(&Body::of(after), after),
        };
        if before.frames() == after.frames() && before.skeleton().len() == after.skeleton().len() {
            report.measure_change(body, before, after);
        }
        report
    }

    fn measure_change(&mut self, body: &Body, before: &Clip, after: &Clip) {
        let (mut squares, mut count, mut largest) = (0.0, 0usize, 0.0f64);
        for (id, joint) in before.skeleton().iter().filter(|(_, joint)| !joint.end_site) {
            let (old, new) = (&before.track(id).rotation, &after.track(id).rotation);
            for frame in 0..before.frames() {
                let angle = angle_between(&old.at(frame), &new.at(frame)).to_degrees();
                squares += angle * angle;
                count += 1;
                if angle > largest {
                    largest = angle;
                    self.worst = Some(WorstChange { joint: joint.name.clone(), frame });
                }
            }
        }
        if count == 0 {
            return;
        }
        self.rms_deg = Some((squares / count as f64).sqrt());
        self.max_deg = Some(largest);
        let Some(metres) = body.metres else { return };
        let (mut squares, mut count, mut largest) = (0.0, 0usize, 0.0f64);
        let (mut old, mut new) = (ForwardKinematics::new(before), ForwardKinematics::new(after));
        for frame in 0..before.frames() {
            old.place(frame);
            new.place(frame);
            for (id, _) in before.skeleton().iter() {
                let square = (old.position(id) - new.position(id)).norm_squared();
                squares += square;
                count += 1;
                largest = largest.max(square);
            }
        }
        self.rms_m = Some((squares / count as f64).sqrt() * metres);
        self.max_m = Some(largest.sqrt() * metres);
    }

    pub(crate) fn figure(
        mut self,
        name: &'static str,
        value: impl Into<Option<f64>>,
        unit: &'static str,
    ) -> Self {
        self.figures.push(Figure::new(name, value, unit));
        self
    }

    pub(crate) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// With notes on things that stay where they are carried, and a warning about those that do not.
    pub(crate) fn with_things(mut self, notes: Vec<String>, left: &[String]) -> Self {
        self.notes.extend(notes);
        for name in left {
            let message = format!(
                "'{name}' may be away from the joint that carries it: it is carried in some of the frames only, or not by the \
                 same joint in both motions"
            );
            self.warn("edit::thing-left", message);
        }
        self
    }

    pub(crate) fn warn(&mut self, code: &'static str, message: impl Into<String>) {
        self.warnings.push(EditWarning { code, message: message.into() });
    }
}

impl EditReport {
    /// Warns of more foot skate than before.
    pub(crate) fn warn_of_skate(&mut self) {
        self.warn_of_skate_above(self.contacts_before.and_then(|contacts| contacts.skate));
    }

    /// Warns of more foot skate than this [m/s], and where all contacts are lost.
    pub(crate) fn warn_of_skate_above(&mut self, before: Option<f64>) {
        if let (Some(before), Some(after)) = (before, self.contacts.and_then(|contacts| contacts.skate))
            && after > 1.2 * before + 0.005
        {
            let message = format!(
                "feet skate more than before: {:.1} cm/s, {:.1} before",
                after * 100.0,
                before * 100.0
            );
            self.warn("edit::skate", message);
        }
        let planted = |contacts: ContactFigures| contacts.left_frames + contacts.right_frames;
        if let (Some(before), Some(after)) = (self.contacts_before.map(planted), self.contacts.map(planted))
            && before > 0
            && after == 0
        {
            self.warn(
                "edit::contacts-lost",
                format!("no foot is planted any more; {before} frames had contacts"),
            );
        }
    }
}

/// Contacts and skate of all feet.
pub(crate) fn contact_figures(body: &Body, clip: &Clip) -> Option<ContactFigures> {
    Some(figures_of(body, &body.contacts(clip)?))
}

/// Contacts and skate of feet whose contacts are known.
pub(crate) fn figures_of(body: &Body, found: &[(FootMotion, FootContacts)]) -> ContactFigures {
    let metres = body.metres_or_one();
    let mut figures = ContactFigures::default();
    let (mut weighted, mut measured) = (0.0, 0);
    for (foot, (motion, contacts)) in body.feet.iter().zip(found) {
        let frames = contacts.toe.iter().filter(|contact| **contact).count();
        match foot.side {
            mocap_model::Side::Left => figures.left_frames = frames,
            mocap_model::Side::Right => figures.right_frames = frames,
        }
        if let Some(skate) = FootMotion::measure(motion, contacts, 0.0, metres).skate {
            weighted += skate * frames as f64;
            measured += frames;
        }
    }
    figures.skate = (measured > 0).then(|| weighted / measured as f64);
    figures
}

/// One line, such as `denoise: rms 0.430°, max 3.10°; rms 0.4 mm, max 2.1 mm`, then figures,
/// contacts and notes.
impl fmt::Display for EditReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.name)?;
        let mut parts = Vec::new();
        if self.frames != self.frames_before {
            parts.push(format!("{} -> {} frames", self.frames_before, self.frames));
        }
        if let (Some(rms), Some(max)) = (self.rms_deg, self.max_deg) {
            parts.push(format!("rms {rms:.3}°, max {max:.2}°"));
        }
        if let (Some(rms), Some(max)) = (self.rms_m, self.max_m) {
            parts.push(format!("rms {:.1} mm, max {:.1} mm", rms * 1e3, max * 1e3));
        }
        parts.extend(self.figures.iter().map(|figure| match figure.value {
            Some(value) => {
                // The degree sign follows its number without a blank, as in the rest of the line.
                let unit = match figure.unit {
                    "" => String::new(),
                    unit => match unit.strip_prefix("deg") {
                        Some(per) => format!("°{per}"),
                        None => format!(" {unit}"),
                    },
                };
                format!("{} {}{unit}", figure.name, short(value))
            }
            None => format!("{} not measured", figure.name),
        }));
        if let (Some(before), Some(after)) = (&self.contacts_before, &self.contacts) {
            let skate = |figures: &ContactFigures| figures.skate.map(|skate| format!("{:.1}", skate * 100.0));
            // The unit follows the last number.
            let skate = match [before, after].map(skate) {
                [Some(before), Some(after)] => format!("{before} -> {after} cm/s"),
                [Some(before), None] => format!("{before} cm/s -> not measured"),
                [None, Some(after)] => format!("not measured -> {after} cm/s"),
                [None, None] => "not measured".into(),
            };
            parts.push(format!(
                "contacts {}/{} -> {}/{} frames, skate {skate}",
                before.left_frames, before.right_frames, after.left_frames, after.right_frames,
            ));
        }
        parts.extend(self.notes.iter().cloned());
        write!(f, "{}", parts.join("; "))
    }
}

/// At most three decimals, and none from 1000 on; scientific notation below 0.01. Values that
/// differ from 0 by rounding are 0.
fn short(value: f64) -> String {
    match value.abs() {
        size if size < 1e-9 => "0".into(),
        size if size >= 1000.0 || size.fract() == 0.0 => format!("{value:.0}"),
        size if size >= 0.01 => format!("{value:.3}").trim_end_matches('0').trim_end_matches('.').to_owned(),
        _ => format!("{value:.1e}"),
    }
}
