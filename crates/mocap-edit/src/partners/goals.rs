//! What is to be between two people: contacts, on bodies of their sizes.

use mocap_model::{Clip, ForwardKinematics, Vector3};

use super::contact::{Contact, Person};

/// Contacts of two bodies, and where their points are to be to each other.
pub(super) struct Goals<'a> {
    pub people: &'a [Person; 2],
    pub contacts: &'a [Contact],
    /// Lengths between the bodies over those between the people of the source.
    pub scale: f64,
    /// By contact and frame: by how much its points are to be further apart, such that surfaces touch; empty without
    /// surfaces.
    pub beyond: Vec<Vec<Vector3<f64>>>,
}

impl Goals<'_> {
    /// The vector that is to be from the point of the second to that of the first of a contact.
    pub(super) fn wanted(&self, contact: usize, frame: usize) -> Vector3<f64> {
        let beyond = self.beyond.get(contact).map_or_else(Vector3::zeros, |beyond| beyond[frame]);
        self.contacts[contact].offset(frame) * self.scale + beyond
    }

    /// The contacts in a frame.
    pub(super) fn touching(&self, frame: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.contacts.len()).filter(move |contact| self.contacts[*contact].frames.contains(&frame))
    }

    /// By contact and frame in contact: how far its points are from where they are to be \[m\].
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
