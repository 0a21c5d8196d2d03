//! Whether a result can be right at all: what no honest motion shows, and what deserves a look.
//!
//! This is the one place that judges, for reports of files and before anything is written.

use mocap_model::{Clip, Role, Track};

/// The factor between the lengths of bones at rest and in frames from which one of the two is wrong.
const OTHER_SIZE: f64 = 2.0;
/// The number of bones that tell a size.
const FEWEST_BONES: usize = 4;
/// How far a role moves in the source for its correlation to count \[deg, root mean square\].
const MOVES: f64 = 10.0;
/// Correlations below which a role follows its source badly.
const FOLLOWS: f64 = 0.3;
/// Frames of a clip that are looked at.
const LOOKED_AT: usize = 64;

/// What is wrong, or looks so.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum Implausible {
    // Errors.
    #[error(
        "bones are {} in the frames {} at rest, such as that of {joint}: the rest pose and the motion are of different \
         sizes",
        times(*ratio),
        if *ratio >= 1.0 { "as long as" } else { "of what they are" }
    )]
    LimbLengths { joint: String, ratio: f64 },
    #[error(
        "{role} moves against its source: correlation {correlation:.2}, and it moves by {moves:.0}° rms in the source"
    )]
    Opposed { role: Role, correlation: f64, moves: f64 },

    // Warnings.
    #[error("{role} hardly follows its source: correlation {correlation:.2}")]
    WeakCorrelation { role: Role, correlation: f64 },
}

fn times(ratio: f64) -> String {
    if ratio.is_finite() && ratio > 0.0 { format!("{ratio:.3} times") } else { "incomparably".to_owned() }
}

impl Implausible {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Implausible::LimbLengths { .. } => "result::limb-lengths",
            Implausible::Opposed { .. } => "result::opposed",
            Implausible::WeakCorrelation { .. } => "result::weak-correlation",
        }
    }

    /// Whether the result cannot be right; else it is worth a look.
    pub fn is_error(&self) -> bool {
        matches!(self, Implausible::LimbLengths { .. } | Implausible::Opposed { .. })
    }
}

/// Judges a motion by itself: whether most of its bones are as long in the frames as at rest.
///
/// ```
/// use mocap_analysis::judge_clip;
/// use mocap_model::*;
/// use std::sync::Arc;
///
/// let joint = |i: u32| Joint::new(format!("j{i}"), i.checked_sub(1).map(JointId), Vector3::y());
/// let skeleton = Arc::new(Skeleton::new("", Space::default(), (0..5).map(joint).collect())?);
/// let mut tracks: Vec<_> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
/// let clip = |tracks: &[JointTracks]| {
///     Clip::new(skeleton.clone(), FrameRate::new(30.0).unwrap(), 10, tracks.to_vec())
/// };
/// assert!(judge_clip(&clip(&tracks)?).is_empty());
/// for track in &mut tracks[1..] {
///     track.translation = Some(Track::Constant(Vector3::y() * 0.01));
/// }
/// assert_eq!(judge_clip(&clip(&tracks)?)[0].code(), "result::limb-lengths");
/// # Ok::<(), ModelError>(())
/// ```
pub fn judge_clip(clip: &Clip) -> Vec<Implausible> {
    let Ok(rigid) = clip.without_scale() else { return Vec::new() };
    let is_moved = |track: &Option<Track<_>>| track.is_some();
    if clip.frames() == 0 || !rigid.tracks().iter().skip(1).any(|tracks| is_moved(&tracks.translation)) {
        return Vec::new();
    }
    let bones = clip.skeleton().iter().filter(|(_, joint)| joint.parent.is_some());
    let mut lengths: Vec<(usize, f64, f64)> = bones
        .map(|(id, joint)| {
            let in_frames = match &rigid.track(id).translation {
                None => joint.offset.norm(),
                Some(track) => median_length(track.values()),
            };
            (id.index(), joint.offset.norm(), in_frames)
        })
        .collect();
    let longest = lengths.iter().map(|(_, rest, frames)| rest.max(*frames)).fold(0.0, f64::max);
    // A joint on its parent has no bone.
    lengths.retain(|(_, rest, frames)| rest.max(*frames) > 1e-4 * longest);
    if lengths.len() < FEWEST_BONES {
        return Vec::new();
    }
    let mut ratios: Vec<(f64, usize)> =
        lengths.iter().map(|(joint, rest, frames)| (frames / rest, *joint)).collect();
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ratio, joint) = ratios[ratios.len() / 2];
    let same = (1.0 / OTHER_SIZE..=OTHER_SIZE).contains(&ratio);
    match same {
        true => Vec::new(),
        false => {
            let joint = clip.skeleton().joints()[joint].name.clone();
            vec![Implausible::LimbLengths { joint, ratio }]
        }
    }
}

fn median_length(places: &[mocap_model::Vector3<f64>]) -> f64 {
    let step = places.len().div_ceil(LOOKED_AT).max(1);
    let mut lengths: Vec<f64> = places.iter().step_by(step).map(|place| place.norm()).collect();
    lengths.sort_by(f64::total_cmp);
    lengths.get(lengths.len() / 2).copied().unwrap_or(0.0)
}

/// Judges how a role of a result follows its source: the correlation of its angle, and how far that moves in the source
/// \[deg, root mean square about the mean\].
pub fn judge_angle(role: Role, correlation: Option<f64>, moves: f64) -> Option<Implausible> {
    let correlation = correlation.filter(|_| moves > MOVES)?;
    match correlation {
        below if below < 0.0 => Some(Implausible::Opposed { role, correlation, moves }),
        weak if weak < FOLLOWS => Some(Implausible::WeakCorrelation { role, correlation }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_count_where_the_source_moves() {
        let code = |correlation, moves| {
            judge_angle(Role::LeftUpperLeg, correlation, moves).map(|found| (found.code(), found.is_error()))
        };
        assert_eq!(code(Some(-0.5), 20.0), Some(("result::opposed", true)));
        assert_eq!(code(Some(0.2), 20.0), Some(("result::weak-correlation", false)));
        assert_eq!([code(Some(-0.5), 5.0), code(None, 20.0), code(Some(0.9), 20.0)], [None; 3]);
    }
}
