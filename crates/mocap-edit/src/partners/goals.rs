//! Contacts of two people as goals, scaled to their bodies.

use mocap_model::{Clip, ForwardKinematics, Vector3};

use super::contact::{Contact, Line, Part, Person};

/// Half the width of a hand, as a share of an arm's length.
const ACROSS: f64 = 0.08;

/// Contacts of two bodies, and the target offsets between their points.
pub(super) struct Goals<'a> {
    pub people: &'a [Person; 2],
    pub contacts: &'a [Contact],
    /// The size of the bodies relative to the people of the source.
    pub scale: f64,
    /// Whether arms keep the limits of their joints.
    pub limits: bool,
    /// By contact: additional distance between its points that makes the surfaces touch; empty without surfaces.
    pub beyond: Vec<Approach>,
    /// By contact and frame: how much further the first hand is from the second, so that both go around the other's arm; empty
    /// where nothing is in the way \[m\].
    pub aside: Vec<Vec<Vector3<f64>>>,
}

/// The direction and distance in which the surfaces of a contact meet, by frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Approach {
    /// Unit vectors from the second to the first.
    pub directions: Vec<Vector3<f64>>,
    /// The additional distance of the first along the direction \[m\].
    pub ways: Vec<f64>,
}

impl Goals<'_> {
    /// The target offset from the point of the second to that of the first.
    pub(super) fn wanted(&self, contact: usize, frame: usize) -> Vector3<f64> {
        self.straight(contact, frame) + self.aside_of(contact, frame)
    }

    /// How far hands go aside to go around the other's arm.
    pub(super) fn aside_of(&self, contact: usize, frame: usize) -> Vector3<f64> {
        self.aside.get(contact).map_or_else(Vector3::zeros, |ways| ways[frame])
    }

    /// The target offset without what goes around arms.
    pub(super) fn straight(&self, contact: usize, frame: usize) -> Vector3<f64> {
        if self.contacts[contact].thing {
            return self.contacts[contact].offset(frame);
        }
        let offset = self.contacts[contact].offset(frame) * self.scale;
        let Some(approach) = self.beyond.get(contact) else { return offset };
        let direction = approach.directions[frame];
        self.beside(offset, &direction) + direction * approach.ways[frame]
    }

    /// The offset with its component across a direction limited to the width of hands, so that surfaces approaching
    /// along the direction meet.
    pub(super) fn beside(&self, offset: Vector3<f64>, direction: &Vector3<f64>) -> Vector3<f64> {
        let arm = self.people.iter().filter_map(Person::arm_length).fold(f64::INFINITY, f64::min);
        let along = direction * offset.dot(direction);
        let across = offset - along;
        let widest = ACROSS * if arm.is_finite() { arm } else { 0.0 };
        along + across * (widest / across.norm().max(f64::MIN_POSITIVE)).min(1.0)
    }

    /// The contacts in a frame.
    pub(super) fn touching(&self, frame: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.contacts.len()).filter(move |contact| self.contacts[*contact].frames.contains(&frame))
    }

    /// By person, hand and frame: whether a hand is within `around` frames of a contact with a hand or upper arm of the
    /// other.
    pub(super) fn holds(&self, frames: usize, around: usize) -> [[Vec<bool>; 2]; 2] {
        let none = || [vec![false; frames], vec![false; frames]];
        let mut holds = [none(), none()];
        for contact in self.contacts.iter().filter(|contact| !contact.thing) {
            let around =
                contact.frames.start.saturating_sub(around)..(contact.frames.end + around).min(frames);
            for (i, hands) in holds.iter_mut().enumerate() {
                let on_arm = !matches!(contact.parts[1 - i], Part::Line(Line::Trunk | Line::Thigh(_)));
                if let (Part::Hand(hand), true) = (contact.parts[i], on_arm) {
                    hands[hand][around.clone()].fill(true);
                }
            }
        }
        holds
    }

    /// By contact and frame in contact: the distance of the offset between its points from the target \[m\].
    pub(super) fn errors(&self, clips: &[Clip; 2]) -> Vec<f64> {
        let mut placed = clips.each_ref().map(ForwardKinematics::new);
        let mut errors = Vec::new();
        for frame in 0..clips[0].frames() {
            if self.touching(frame).next().is_none() {
                continue;
            }
            placed.iter_mut().for_each(|one| one.place(frame));
            for contact in self.touching(frame) {
                let [a, b] = self.contacts[contact].places(self.people, &placed, frame);
                errors.push((a - b - self.wanted(contact, frame)).norm());
            }
        }
        errors
    }
}
