//! Changes to a motion that was read: frames left out, rate, size, unit, axes.

use mocap_model::{Clip, FrameRate, ModelError, SignedAxis, Space, Unit, UnitSource};

use crate::args::{Trim, UnitLength};
use crate::diagnostic::Diagnostic;
use crate::read;

/// What is changed, in the order in which it is done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Edits {
    pub(crate) drop_first_frame: bool,
    pub(crate) trim: Option<Trim>,
    /// Resampled to this rate.
    pub(crate) fps: Option<FrameRate>,
    /// Every length multiplied.
    pub(crate) scale: Option<f64>,
    /// Lengths converted.
    pub(crate) unit: Option<UnitLength>,
    /// Axes turned.
    pub(crate) up: Option<SignedAxis>,
}

impl Edits {
    /// The motion with all changes; what had to be assumed for them goes to `warnings`.
    ///
    /// # Errors
    /// Where no frame is left, frames are too many or lengths too large, or lengths are to be converted from an
    /// unknown unit.
    pub(crate) fn apply(&self, mut clip: Clip, warnings: &mut Vec<Diagnostic>) -> Result<Clip, Diagnostic> {
        if self.drop_first_frame {
            clip = without_first(clip)?;
        }
        if let Some(trim) = self.trim {
            let fps = clip.rate().fps();
            clip = trimmed(clip, |frames| trim.frames(frames, fps), "--trim")?;
        }
        if let Some(rate) = self.fps {
            clip = clip.resampled(rate).map_err(|error| refused("--fps", &error))?;
        }
        if let Some(factor) = self.scale {
            // A unit is told from the size, so before that changes.
            clip = in_guessed_unit(clip);
            clip = clip.scaled(factor).map_err(|error| refused("--scale", &error))?;
        }
        let mut space = *clip.skeleton().space();
        if let Some(unit) = self.unit {
            let known = read::known_unit(clip.skeleton()).ok_or_else(|| {
                Diagnostic::new(
                    "unit::unknown",
                    "the unit of the input is not known, and its size suggests none",
                )
                .help("state it with --input-unit, such as --input-unit cm")
            })?;
            if known.source == UnitSource::Guessed {
                warnings.push(guessed(known));
            }
            space.unit = Some(known);
            let skeleton = clip.skeleton().with_space(space);
            clip = clip.with_skeleton(skeleton.into()).expect("the skeleton has as many joints as before");
            space.unit = Some(Unit { metres: unit.0, source: known.source });
        }
        if let Some(up) = self.up {
            space = read::with_up(&space, up);
        }
        if space != *clip.skeleton().space() {
            let flag = if self.unit.is_some() { "--unit" } else { "--up" };
            clip = clip.in_space(space).map_err(|error| refused(flag, &error))?;
        }
        Ok(clip)
    }
}

impl Edits {
    /// How many frames at the start are left of `before` that are no motion, once `clip` is edited.
    pub(crate) fn lead_in(&self, clip: &Clip, before: usize) -> usize {
        let mut left = before.saturating_sub(usize::from(self.drop_first_frame));
        if let Some(trim) = self.trim {
            let start = trim.frames(clip.frames(), clip.rate().fps()).map_or(0, |frames| frames.start);
            left = left.saturating_sub(start);
        }
        // All that lies before the first frame of the motion.
        let step = self.fps.map_or(1.0, |fps| fps.fps() / clip.rate().fps());
        (left as f64 * step - 1e-6).ceil().max(0.0) as usize
    }
}

/// The motion with the unit that its size suggests, where it states none.
fn in_guessed_unit(clip: Clip) -> Clip {
    let space = *clip.skeleton().space();
    let unit = read::known_unit(clip.skeleton());
    if space.unit.is_some() || unit.is_none() {
        return clip;
    }
    let skeleton = clip.skeleton().with_space(Space { unit, ..space });
    clip.with_skeleton(skeleton.into()).expect("the skeleton has as many joints as before")
}

/// The motion without its first frame.
pub(crate) fn without_first(clip: Clip) -> Result<Clip, Diagnostic> {
    trimmed(clip, |frames| (frames > 1).then_some(1..frames), "--drop-first-frame")
}

/// The error of a change that gives no motion.
fn refused(flag: &str, error: &ModelError) -> Diagnostic {
    let code = match error {
        ModelError::TooManyFrames { .. } => "edit::too-many-frames",
        _ => "edit::not-finite",
    };
    Diagnostic::new(code, format!("{flag}: {error}"))
}

/// The warning that a unit was inferred.
pub(crate) fn guessed(unit: Unit) -> Diagnostic {
    let name = unit.name().map_or_else(|| format!("{} m", unit.metres), str::to_owned);
    Diagnostic::new(
        "unit::guessed",
        format!("the unit was taken to be {name}, from the size of the skeleton"),
    )
    .help(format!("--input-unit {name} states it, and silences this"))
}

fn trimmed(
    clip: Clip,
    keep: impl FnOnce(usize) -> Option<std::ops::Range<usize>>,
    flag: &str,
) -> Result<Clip, Diagnostic> {
    let frames = clip.frames();
    let Some(range) = keep(frames) else {
        let message = format!("{flag} leaves no frame: the motion has {frames}");
        return Err(Diagnostic::new("edit::no-frames", message));
    };
    if range == (0..frames) {
        return Ok(clip);
    }
    Ok(clip.trimmed(range).expect("the range lies within the clip"))
}
