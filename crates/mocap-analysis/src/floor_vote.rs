//! The common floor of a database: its height from all clips, and clips that are not on it.

use crate::percentile::percentile;
use crate::quality::contacts_of;
use crate::{Artifact, ArtifactKind, ContactOptions, Lengths, Quality, feet_of, floor_height};
use mocap_model::Clip;

/// Greatest distance of a clip's floor from that of the database [leg lengths]: in walks the heels touch, in
/// runs only the toes.
const LIMIT: f64 = 0.07;
/// Alternatively, this many times the median distance of the clips.
const TIMES: f64 = 6.0;
/// Least number of clips that make a database.
const CLIPS: usize = 3;

/// The floors of the clips of one database on one skeleton.
///
/// ```
/// use mocap_analysis::FloorVote;
///
/// // Floors of four clips [leg lengths]; the last one floats.
/// let vote = FloorVote::of(&[0.05, 0.04, 0.06, 0.2]).unwrap();
/// assert!(vote.difference(0.06).abs() < vote.limit() && vote.difference(0.2) > vote.limit());
/// assert!(FloorVote::of(&[0.05, 0.2]).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FloorVote {
    /// Median height of the floors [leg lengths].
    middle: f64,
    /// Median distance of the floors from it [leg lengths].
    median_distance: f64,
}

impl FloorVote {
    /// The common floor of some floors [leg lengths]; `None` for fewer than three.
    pub fn of(floors: &[f64]) -> Option<FloorVote> {
        if floors.len() < CLIPS {
            return None;
        }
        let middle = percentile(&mut floors.to_vec(), 0.5).unwrap_or(0.0);
        let mut off: Vec<f64> = floors.iter().map(|floor| (floor - middle).abs()).collect();
        Some(FloorVote { middle, median_distance: percentile(&mut off, 0.5).unwrap_or(0.0) })
    }

    /// Height of a floor above that of the database [leg lengths]; negative below it.
    pub fn difference(&self, floor: f64) -> f64 {
        floor - self.middle
    }

    /// Greatest distance of a floor from it [leg lengths].
    pub fn limit(&self) -> f64 {
        LIMIT.max(TIMES * self.median_distance)
    }

    /// The artifact of a clip whose floor is not that of its database.
    pub fn judge(&self, quality: &Quality) -> Option<Artifact> {
        let in_lengths = quality.lengths.leg * quality.lengths.factor;
        let difference = self.difference(quality.floor? / in_lengths);
        (difference.abs() > self.limit()).then_some(Artifact {
            kind: ArtifactKind::Float,
            frames: 0..quality.frames,
            joint: None,
            value: difference * in_lengths,
            limit: self.limit() * in_lengths,
        })
    }
}

/// The height of the floor of a clip as a vote takes it [leg lengths]; `None` without feet or frames.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // The toes are 2 cm above the origin, the legs 88 cm long.
/// assert!((mocap_analysis::floor_in_legs(&clip).unwrap() - 0.02 / 0.88).abs() < 1e-9);
/// ```
pub fn floor_in_legs(clip: &Clip) -> Option<f64> {
    let (lengths, feet) = (Lengths::of(clip.skeleton()), feet_of(clip.skeleton()));
    let found = contacts_of(clip, &feet, &ContactOptions::default());
    floor_height(clip, &feet, &found).map(|floor| floor / lengths.leg)
}
