//! Blend: a weighted average of several motions of one skeleton, with synchronised strides.
//!
//! The clock: at each phase the time of the blend is the weighted sum of the times at which the motions are at this
//! phase. Poses are blended joint by joint in local space; the root travels by the weighted sum of the velocities that
//! the motions have in the frames of their own headings. Feet are locked where the contacts of the motions agree.
//!
//! Motions without common strides are paired by registration curves (`registration`), or by seconds.
//!
//! Based on: L. Kovar, M. Gleicher, "Flexible Automatic Motion Blending with Registration Curves", 2003.

mod at;
mod average;
mod curves;
mod cycle;
mod gait;
mod mixed;
mod poses;
mod prepared;
mod registration;
mod same;
mod source;
mod space;

use std::str::FromStr;

use mocap_model::Clip;

use crate::body::Body;
use crate::root::{Travel, travel};
use crate::{EditError, EditReport};
pub use at::blend_at;
pub use average::{average_rotation, karcher_mean};
pub(crate) use cycle::{along_ground, closed, repeated};
pub(crate) use gait::{Gait, inverse};
pub(crate) use mixed::root_at;
pub use prepared::PreparedBlend;
pub(crate) use same::{check_all_same, check_same, difference};
pub use space::{BlendSpace, SpaceKind};

/// How frames of motions are paired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Timing {
    /// By the phase of the gait, counted by foot strikes.
    #[default]
    Phase,
    /// By registration curves, which pair similar poses. Gaits are paired by phase first, other motions from start to
    /// end.
    Registration,
    /// Linearly, from start to end.
    Stretch,
    /// By the time since their start.
    Seconds,
}

impl FromStr for Timing {
    type Err = String;

    fn from_str(text: &str) -> Result<Timing, String> {
        match text {
            "phase" => Ok(Timing::Phase),
            "registration" => Ok(Timing::Registration),
            "stretch" => Ok(Timing::Stretch),
            "seconds" => Ok(Timing::Seconds),
            _ => Err(format!("'{text}' is not phase, registration, stretch or seconds")),
        }
    }
}

mocap_model::text_values! {
    Timing "phase, registration, stretch or seconds";
}

/// How motions are blended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlendOptions {
    /// Default: by phase.
    pub timing: Timing,
    /// Whether motions with fewer strides than the longest repeat their best cycle. Default: true.
    pub repeat: bool,
    /// Whether feet are locked where the contacts of the motions agree. Default: true.
    pub lock_feet: bool,
    /// The length of the blend \[s\]: the best cycle of every motion is repeated to fill it. Default: that of the
    /// motion with the most strides.
    pub duration: Option<f64>,
}

impl Default for BlendOptions {
    fn default() -> BlendOptions {
        BlendOptions { timing: Timing::Phase, repeat: true, lock_feet: true, duration: None }
    }
}

/// Blends motions of one skeleton by weights, which are brought to a sum of 1. The blend begins where the first motion
/// begins. Only the strides that all motions share are blended; the rest is cut.
///
/// ```no_run
/// # let walk = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// # let run = walk.clone();
/// use mocap_edit::{BlendOptions, blend};
///
/// let (jog, report) = blend(&[walk, run], &[0.6, 0.4], &BlendOptions::default())?;
/// println!("{} frames: {report}", jog.frames());
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::Skeletons`] where joints or bones differ, [`EditError::Phases`] where a motion has no foot strikes,
/// [`EditError::Weights`] where no weight is above 0.
pub fn blend(
    clips: &[Clip],
    weights: &[f64],
    options: &BlendOptions,
) -> Result<(Clip, EditReport), EditError> {
    let weights = shares(clips.len(), weights)?;
    PreparedBlend::new(clips, options)?.measured(&weights)
}

/// Weights with a sum of 1.
fn shares(motions: usize, weights: &[f64]) -> Result<Vec<f64>, EditError> {
    let wrong = |reason: String| Err(EditError::Weights { reason });
    if motions != weights.len() {
        return wrong(format!("{motions} motions have {} weights", weights.len()));
    }
    if let Some(weight) = weights.iter().find(|weight| !weight.is_finite() || **weight < 0.0) {
        return wrong(format!("a weight is {weight}, but must be at least 0"));
    }
    let sum: f64 = weights.iter().sum();
    if sum <= 0.0 {
        return wrong("all weights are 0".into());
    }
    Ok(weights.iter().map(|weight| weight / sum).collect())
}

/// How fast a motion travels over the ground \[m/s\] and turns about the up axis \[deg/s, to the left\], on average; `None`
/// where the unit of lengths is unknown or there is one frame.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// if let Some([speed, turn]) = mocap_edit::speed_and_turn(&clip) {
///     println!("{speed:.2} m/s, {turn:.0} deg/s");
/// }
/// ```
pub fn speed_and_turn(clip: &Clip) -> Option<[f64; 2]> {
    let body = Body::of(clip);
    let speed = ground_speed(clip, &body)?;
    let headings = travel(clip, &body).headings;
    let seconds = clip.frames().saturating_sub(1) as f64 / clip.rate().fps();
    Some([speed, (headings[headings.len() - 1] - headings[0]).to_degrees() / seconds])
}

/// The mean speed over the ground \[m/s\], along the way.
pub(crate) fn ground_speed(clip: &Clip, body: &Body) -> Option<f64> {
    let metres = body.metres?;
    let Travel { places, .. } = travel(clip, body);
    let way: f64 = places.windows(2).map(|pair| body.on_ground(&(pair[1] - pair[0])).norm()).sum();
    let seconds = clip.frames().saturating_sub(1) as f64 / clip.rate().fps();
    (seconds > 0.0).then(|| way * metres / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    #[test]
    fn a_weight_of_one_is_the_motion() {
        let (walk, turn) = (clip("alex_walk.bvh"), clip("alex_turn.bvh"));
        let options = BlendOptions { lock_feet: false, ..BlendOptions::default() };
        let (same, report) = blend(&[walk.clone(), turn], &[1.0, 0.0], &options).unwrap();
        assert!(same.frames() > 20, "{report}");
        let body = Body::of(&walk);
        let far = |frame: usize| {
            let (a, b) = (walk.local(body.hips, frame), same.local(body.hips, frame));
            (a.translation.vector - b.translation.vector).norm() + a.rotation.angle_to(&b.rotation)
        };
        // The walk comes first, and it has the most strides.
        if same.frames() == walk.frames() {
            assert!((0..walk.frames()).all(|frame| far(frame) < 1e-6));
        }
    }

    #[test]
    fn a_blend_with_itself_is_the_motion_and_halves_are_between() {
        let walk = clip("alex_walk.bvh");
        let options = BlendOptions { lock_feet: false, ..BlendOptions::default() };
        let (same, _) = blend(&[walk.clone(), walk.clone()], &[0.3, 0.7], &options).unwrap();
        assert_eq!(same.frames(), walk.frames());
        for (id, _) in walk.skeleton().iter() {
            for frame in 0..walk.frames() {
                let (a, b) = (walk.local(id, frame), same.local(id, frame));
                assert!(a.rotation.angle_to(&b.rotation) < 1e-6);
                assert!((a.translation.vector - b.translation.vector).norm() < 1e-6);
            }
        }
    }

    #[test]
    fn a_space_meets_the_speed_between_its_samples() {
        let walk = clip("alex_walk.bvh");
        let (fast, _) = crate::speed(&walk, 1.5).unwrap();
        let [slow_speed, fast_speed] = [&walk, &fast].map(|clip| speed_and_turn(clip).unwrap()[0]);
        let space = BlendSpace::new(SpaceKind::Linear, vec![vec![slow_speed], vec![fast_speed]]).unwrap();
        let clips = [walk, fast];
        let at = |speed: f64| blend_at(&space, &clips, &[speed], Some(0), &BlendOptions::default()).unwrap();
        let middle = (slow_speed + fast_speed) / 2.0;
        let (clip, report) = at(middle);
        let found = speed_and_turn(&clip).unwrap()[0];
        assert!(
            (found / middle - 1.0).abs() < 0.02 && report.warnings.is_empty(),
            "{found} for {middle}: {report}"
        );
        let (_, report) = at(3.0 * fast_speed);
        assert_eq!(report.warnings[0].code, "edit::speed");
    }

    #[test]
    fn weights_and_skeletons_are_checked() {
        let walk = clip("alex_walk.bvh");
        for weights in [&[0.0, 0.0][..], &[1.0], &[-1.0, 2.0], &[f64::NAN, 1.0]] {
            let found = blend(&[walk.clone(), walk.clone()], weights, &BlendOptions::default());
            assert!(matches!(found, Err(EditError::Weights { .. })), "{weights:?}");
        }
        let other = blend(&[walk, clip("robin_walk.bvh")], &[1.0, 1.0], &BlendOptions::default());
        assert!(matches!(other, Err(EditError::Skeletons { .. })));
    }
}
