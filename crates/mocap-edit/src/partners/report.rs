//! The report on contacts between two people after retargeting.

use schemars::JsonSchema;
use serde::Serialize;

use super::contact::{Contact, Part};

/// Moves below this are not mentioned \[m\].
const SEEN: f64 = 0.005;

/// The report on contacts between two people after retargeting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct PartnerReport {
    /// Whether the separately retargeted motions were changed.
    pub changed: bool,
    /// Contacts of the source: hands on hands, upper arms, trunk and thighs.
    pub contacts: usize,
    /// Frames in contact, each contact counted.
    pub contact_frames: usize,
    /// Each contact.
    pub touches: Vec<PartnerTouch>,
    /// Error of the offset between the points of contacts, mean \[m\]. The target offset makes the surfaces touch if
    /// both have one, else it is that of the source, scaled to the bodies. `null` without a contact.
    pub error_mean: Option<f64>,
    /// The 95th percentile \[m\].
    pub error_p95: Option<f64>,
    /// The largest \[m\].
    pub error_max: Option<f64>,
    /// The share of contact frames with an error of at most 1 cm.
    pub within_1cm: Option<f64>,
    /// As `error_p95`, for the separately retargeted motions \[m\].
    pub alone_p95: Option<f64>,
    /// The distance of surfaces in contact, inside or outside, measured on the meshes: 95th percentile of the frames that
    /// were measured \[m\]. `null` without surfaces or contacts.
    pub gap_p95: Option<f64>,
    /// The share of measured contact frames whose surfaces are within 1 cm, inside or outside.
    pub touching: Option<f64>,
    /// The same share for the separately retargeted motions.
    pub touching_alone: Option<f64>,
    /// The largest penetration of one into the other, measured on the meshes in some frames \[m\]; `null` without
    /// surfaces.
    pub deepest: Option<f64>,
    /// The same for the separately retargeted motions \[m\].
    pub deepest_alone: Option<f64>,
    /// The frame of `deepest`; `null` where they are not inside each other.
    pub deepest_frame: Option<usize>,
    /// Whose part it is: 0 for the first of the two, 1 for the second.
    pub deepest_person: Option<usize>,
    /// The part of its body that is deepest inside the other, such as `LeftForearm`.
    pub deepest_part: Option<&'static str>,
    /// The time in which lines inside both bodies, from hips to neck and hands, pass through each other, of targets
    /// without meshes \[s\]. `null` where they do not, or `deepest` is measured.
    pub through: Option<f64>,
    /// The largest shift of both relative to each other to bring them together or apart, along the ground \[m\].
    pub moved: Option<f64>,
    /// How far each was moved along the ground from where it was retargeted alone, at most \[m\].
    pub moved_each: [f64; 2],
    /// The least distance of hands to parts that they may touch in the source, as a share of an arm's length.
    pub nearest: Option<f64>,
    /// The time in which they interpenetrate in the source by far more than a touch, such as trunk in trunk \[s\];
    /// `null` for people who were recorded together. If it is set, no contacts are kept.
    pub inside_source: Option<f64>,
    /// What may look wrong.
    pub warnings: Vec<String>,
}

/// A contact of two people.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PartnerTouch {
    /// The part of the first and of the second, such as `RightHand`.
    pub parts: [&'static str; 2],
    /// The first frame.
    pub start: usize,
    /// The frame after the last.
    pub end: usize,
}

impl PartnerReport {
    /// The report of two people who interpenetrate in the source: they were not recorded together.
    pub(super) fn inside_each_other(seconds: f64) -> PartnerReport {
        let warning = format!(
            "they are inside of each other for {seconds:.1} s: motions that were not recorded together are retargeted alone; \
             if they were, check where they are and their units"
        );
        PartnerReport { inside_source: Some(seconds), warnings: vec![warning], ..PartnerReport::default() }
    }

    /// Exchanges the roles of both people.
    pub(super) fn exchange(&mut self) {
        self.touches.iter_mut().for_each(|touch| touch.parts.reverse());
        self.moved_each.reverse();
        self.deepest_person = self.deepest_person.map(|person| 1 - person);
    }

    /// Exchanges left and right.
    pub(super) fn mirror(&mut self) {
        self.touches.iter_mut().for_each(|touch| touch.parts = touch.parts.map(mirrored));
        self.deepest_part = self.deepest_part.map(mirrored);
    }

    /// The same with frames of the motion, of which every `stride`-th was looked at.
    pub(super) fn in_frames(&mut self, stride: usize, frames: usize) {
        for touch in &mut self.touches {
            // Up to the last frame that was looked at.
            let end = (touch.end.saturating_sub(1) * stride + 1).min(frames);
            (touch.start, touch.end) = (touch.start * stride, end);
        }
        self.contact_frames = self.touches.iter().map(|touch| touch.end - touch.start).sum();
        self.deepest_frame = self.deepest_frame.map(|frame| frame * stride);
    }

    pub(super) fn of(contacts: &[Contact], nearest: f64) -> PartnerReport {
        PartnerReport {
            contacts: contacts.len(),
            contact_frames: contacts.iter().map(|contact| contact.frames.len()).sum(),
            touches: contacts
                .iter()
                .map(|contact| PartnerTouch {
                    parts: contact.parts.map(Part::name),
                    start: contact.frames.start,
                    end: contact.frames.end,
                })
                .collect(),
            nearest: nearest.is_finite().then_some(nearest),
            ..PartnerReport::default()
        }
    }

    /// States how far each was moved, where more than these two people were put together, and says anew what may look
    /// wrong.
    pub fn set_moved(&mut self, each: [f64; 2]) {
        self.moved_each = each;
        if self.inside_source.is_none() {
            self.warnings.clear();
            self.warn();
        }
    }

    /// Adds warnings.
    pub(super) fn warn(&mut self) {
        if self.inside_source.is_some() {
            return;
        }
        if self.contacts == 0 {
            let far = match self.nearest {
                Some(nearest) => format!("hands come within {nearest:.1} arm lengths"),
                None => "no hands were found".to_owned(),
            };
            let moved = self.moved_each.iter().copied().fold(0.0, f64::max);
            let kept = match moved >= SEEN {
                // Bodies of other sizes would be nearer or further away, or stand in each other.
                true => format!("they keep their distance, for which they are moved by up to {moved:.2} m"),
                false => "each is retargeted alone".to_owned(),
            };
            self.warnings.push(format!("they never touch ({far}): {kept}"));
        }
        // Distances of surfaces take precedence over those of points.
        if let Some(share) = self.touching.or(self.within_1cm).filter(|share| *share < 0.95) {
            self.warnings.push(format!(
                "{:.0} % of the contact frames are more than 1 cm off, {:.0} mm in 95 % of them",
                100.0 * (1.0 - share),
                self.gap_p95.or(self.error_p95).unwrap_or_default() * 1000.0
            ));
        }
        if let Some(deepest) = self.deepest.filter(|deepest| *deepest > 0.01) {
            let place = match (self.deepest_part, self.deepest_person, self.deepest_frame) {
                (Some(part), Some(person), Some(frame)) => {
                    let whose = ["first", "second"][person.min(1)];
                    format!(" ({part} of the {whose}, frame {frame})")
                }
                _ => String::new(),
            };
            self.warnings.push(format!("one is up to {:.0} mm inside of the other{place}", deepest * 1000.0));
        }
        if let Some(seconds) = self.through {
            self.warnings.push(format!(
                "the targets come through each other for {seconds:.1} s: bodies without meshes are not moved apart"
            ));
        }
    }
}

/// The part of the other side.
fn mirrored(part: &'static str) -> &'static str {
    const SIDES: [[&str; 2]; 7] = [
        ["LeftHand", "RightHand"],
        ["LeftForearm", "RightForearm"],
        ["LeftUpperArm", "RightUpperArm"],
        ["LeftShoulder", "RightShoulder"],
        ["LeftUpperLeg", "RightUpperLeg"],
        ["LeftLowerLeg", "RightLowerLeg"],
        ["LeftFoot", "RightFoot"],
    ];
    let other = SIDES.iter().find_map(|[left, right]| match part {
        _ if part == *left => Some(*right),
        _ if part == *right => Some(*left),
        _ => None,
    });
    other.unwrap_or(part)
}

impl std::fmt::Display for PartnerReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mm = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{:.1} mm", value * 1e3));
        let percent =
            |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{:.0} %", value * 100.0));
        if let Some(seconds) = self.inside_source {
            return write!(
                f,
                "inside of each other for {seconds:.1} s in the source: each is retargeted alone"
            );
        }
        if self.contacts == 0 {
            write!(f, "no contact")?;
        } else {
            write!(
                f,
                "{} contact{}, {} frames: off by {} (95 %), {} within 1 cm; alone {}",
                self.contacts,
                if self.contacts == 1 { "" } else { "s" },
                self.contact_frames,
                mm(self.error_p95),
                percent(self.within_1cm),
                mm(self.alone_p95)
            )?;
        }
        if self.gap_p95.is_some() {
            write!(
                f,
                "; surfaces {} apart (95 %), {} within 1 cm (alone {})",
                mm(self.gap_p95),
                percent(self.touching),
                percent(self.touching_alone)
            )?;
        }
        if self.deepest.is_some() {
            write!(
                f,
                "; inside each other by {} at most (alone {})",
                mm(self.deepest),
                mm(self.deepest_alone)
            )?;
        }
        if let Some(seconds) = self.through {
            write!(f, "; through each other for {seconds:.1} s")?;
        }
        let [first, second] = self.moved_each.map(Some);
        write!(f, "; moved by {} and {}", mm(first), mm(second))
    }
}
