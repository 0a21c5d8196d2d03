//! The frames that a sampler holds decoded.

use crate::lanes::{LANES, Quats, Vectors, finite};
use crate::quat::{self, Quat};

/// The frames that are currently decoded: a segment or a block.
#[derive(Debug, Default)]
pub(crate) struct Window {
    /// The first frame in the clip.
    pub(crate) first: usize,
    /// How many frames there are.
    pub(crate) frames: usize,
    /// Frame by frame, the moving rotations in groups of lanes.
    pub(crate) rotations: Vec<Quats>,
    /// Frame by frame, the moving translations in groups of lanes.
    pub(crate) translations: Vec<Vectors>,
}

impl Window {
    /// Copies a frame from another window.
    pub(crate) fn copy(&mut self, place: usize, other: &Window, from: usize) {
        // Both hold two frames of the same tracks.
        let (rotations, translations) = (self.rotations.len() / 2, self.translations.len() / 2);
        let rows = |place: usize, count: usize| place * count..(place + 1) * count;
        self.rotations[rows(place, rotations)].copy_from_slice(&other.rotations[rows(from, rotations)]);
        self.translations[rows(place, translations)]
            .copy_from_slice(&other.translations[rows(from, translations)]);
    }

    /// Stores decoded tracks, frame by frame.
    pub(crate) fn fill(
        &mut self,
        first: usize,
        frames: usize,
        rotations: &[Vec<Quat>],
        translations: &[Vec<[f32; 3]>],
    ) {
        self.first = first;
        self.frames = frames;
        self.rotations.clear();
        self.translations.clear();
        for frame in 0..frames {
            self.rotations.extend(rotations.chunks(LANES).map(|tracks| {
                let mut group = Quats::IDENTITY;
                tracks
                    .iter()
                    .enumerate()
                    .for_each(|(lane, values)| group.set(lane, valid_rotation(values[frame])));
                group
            }));
            self.translations.extend(translations.chunks(LANES).map(|tracks| {
                let mut group = Vectors::ZERO;
                tracks
                    .iter()
                    .enumerate()
                    .for_each(|(lane, values)| group.set(lane, values[frame].map(finite)));
                group
            }));
        }
    }
}

/// The rotation; the identity if crafted bytes decode to an invalid one.
#[inline]
pub(crate) fn valid_rotation(q: Quat) -> Quat {
    let square = quat::dot(q, q);
    if (0.9..1.1).contains(&square) { q } else { quat::IDENTITY }
}
