//! Motions of several people at one rate and of one length.

use mocap_model::Clip;

use super::NAME;
use crate::EditError;
use crate::trim::of_length;

/// Rates that differ by a smaller share count as one: files state frame times of few digits.
const SAME_RATE: f64 = 5e-4;

/// Motions at one rate and of one length, and what was done for it.
#[derive(Clone, Debug)]
pub struct InStep {
    /// In the order given.
    pub clips: Vec<Clip>,
    /// What was resampled or continued, by the names given.
    pub notes: Vec<String>,
}

/// Brings motions of people who are together to the highest of their rates, and to the length of the longest: who has fewer
/// frames stays in the last pose. Each comes with a name for the notes.
///
/// # Errors
/// Where a motion cannot be resampled.
pub fn bring_in_step(motions: Vec<(String, Clip)>) -> Result<InStep, EditError> {
    let failed = |error| EditError::model(NAME, error);
    let mut notes = Vec::new();
    let Some(rate) = motions.iter().map(|(_, clip)| clip.rate()).max_by(|a, b| a.fps().total_cmp(&b.fps()))
    else {
        return Ok(InStep { clips: Vec::new(), notes });
    };
    let mut clips = Vec::with_capacity(motions.len());
    for (name, clip) in &motions {
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
