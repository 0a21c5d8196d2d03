//! Brings motions of several people to one rate and length.

use mocap_model::Clip;

use super::NAME;
use crate::EditError;
use crate::trim::of_length;

/// Rates that differ by a smaller share count as one: files state frame times of few digits.
const SAME_RATE: f64 = 5e-4;

/// Motions at one rate and of one length, with notes on the conversions.
#[derive(Clone, Debug)]
pub struct InStep {
    /// In the order given.
    pub clips: Vec<Clip>,
    /// What was resampled or continued, by the names given.
    pub notes: Vec<String>,
}

/// Resamples motions to the highest of their rates, and extends them to the length of the longest by holding the last
/// pose. Each comes with a name for the notes.
///
/// # Errors
/// Where a motion has no frames, or cannot be resampled.
pub fn bring_in_step(motions: Vec<(String, Clip)>) -> Result<InStep, EditError> {
    let failed = |error| EditError::model(NAME, error);
    let mut notes = Vec::new();
    let Some(rate) = motions.iter().map(|(_, clip)| clip.rate()).max_by(|a, b| a.fps().total_cmp(&b.fps()))
    else {
        return Ok(InStep { clips: Vec::new(), notes });
    };
    let mut clips = Vec::with_capacity(motions.len());
    for (name, clip) in &motions {
        // A motion without frames has no last pose to hold.
        if clip.frames() == 0 {
            return Err(EditError::Retarget { edit: NAME, reason: format!("'{name}' has no frames") });
        }
        let own = clip.rate().fps();
        if (own / rate.fps() - 1.0).abs() <= SAME_RATE {
            clips.push(clip.clone().with_rate(rate));
        } else {
            notes.push(format!("'{name}' has {own:.3} frames per second, resampled to {:.3}", rate.fps()));
            clips.push(clip.resampled(rate).map_err(failed)?);
        }
    }
    let longest = clips.iter().map(Clip::frames).max().unwrap_or_default();
    for (clip, (name, _)) in clips.iter_mut().zip(&motions) {
        if clip.frames() < longest {
            notes.push(format!(
                "'{name}' has {} frames, the longest {longest}: it stays in its last pose",
                clip.frames()
            ));
            let annotations = clip.annotations().clone();
            *clip = of_length(clip, longest, NAME)?;
            if let Ok(annotated) = clip.clone().with_annotations(annotations) {
                *clip = annotated;
            }
        }
    }
    Ok(InStep { clips, notes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::{FrameRate, JointTracks};

    #[test]
    fn who_has_fewer_frames_stays_and_who_has_none_is_refused() {
        let walk = clip("alex_walk.bvh");
        let short = walk.trimmed(0..10).unwrap();
        let half = FrameRate::new(walk.rate().fps() / 2.0).unwrap();
        let slow = walk.resampled(half).unwrap();
        let with = |other: Clip| bring_in_step(vec![("a".into(), walk.clone()), ("b".into(), other)]);
        let brought = with(short.clone()).unwrap();
        assert_eq!(brought.clips[1].frames(), walk.frames());
        assert!(brought.notes.len() == 1 && brought.notes[0].contains("10 frames"), "{:?}", brought.notes);
        let brought = with(slow).unwrap();
        assert!(brought.notes[0].contains("resampled"), "{:?}", brought.notes);
        assert_eq!(brought.clips[1].frames(), walk.frames());
        let tracks = walk.skeleton().joints().iter().map(JointTracks::at_rest).collect();
        let none = Clip::new(walk.skeleton().clone(), walk.rate(), 0, tracks).unwrap();
        let error = with(none).unwrap_err().to_string();
        assert!(error.contains("'b' has no frames"), "{error}");
    }
}
