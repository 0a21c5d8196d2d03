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

/// The joint of a lane without a track.
pub(crate) const NO_JOINT: u32 = u32::MAX;

/// The joints of a group of lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaneJoints {
    pub(crate) group: usize,
    pub(crate) joints: [u32; LANES],
}

impl LaneJoints {
    /// The groups of tracks, given the lane and the joint of each. Groups without any are left out.
    pub(crate) fn of(tracks: impl Iterator<Item = (usize, usize)>) -> Vec<LaneJoints> {
        let mut all: Vec<LaneJoints> = Vec::new();
        for (lane, joint) in tracks {
            let group = lane / LANES;
            if all.last().is_none_or(|last| last.group != group) {
                all.push(LaneJoints { group, joints: [NO_JOINT; LANES] });
            }
            if let Some(last) = all.last_mut() {
                last.joints[lane % LANES] = joint as u32;
            }
        }
        all
    }
}

impl Window {
    /// A window of so many frames with so many groups of rotations and of translations.
    pub(crate) fn new([rotations, translations]: [usize; 2], frames: usize) -> Window {
        Window {
            first: 0,
            frames: 0,
            rotations: vec![Quats::IDENTITY; rotations * frames],
            translations: vec![Vectors::ZERO; translations * frames],
        }
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
