//! Edits of a motion: dropped frames, rate, size, unit, axes.

use mocap_formats::{Finding, Limits};
use mocap_model::{Clip, FrameRange, FrameRate, ModelError, SignedAxis, Space, Unit};

use crate::unit::in_space;
use crate::{Problem, above_zero, known_unit, needed_unit, with_up};

/// The edits of [`edit()`], in the order in which they are applied. The defaults change nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EditOptions {
    /// Drop the first frame.
    pub drop_first_frame: bool,
    /// Keep only these frames.
    pub trim: Option<FrameRange>,
    /// Resample to this rate; the duration stays.
    pub rate: Option<FrameRate>,
    /// Multiply every length, above 0; the unit stays: the character grows or shrinks.
    pub scale: Option<f64>,
    /// Convert lengths to this unit [m per unit], above 0; the character keeps its size.
    pub unit: Option<f64>,
    /// Rotate the axes to this up axis.
    pub up: Option<SignedAxis>,
    /// Number of lead-in frames at the start, which are a rest pose and no part of the motion: resampling keeps them.
    pub lead_in: usize,
    /// Bounds on the size of the result.
    pub limits: Limits,
}

/// Applies edits to a motion. Assumptions are added to `warnings`.
///
/// ```
/// use mocap::EditOptions;
///
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let options = EditOptions { trim: "10:20".parse().ok(), ..EditOptions::default() };
/// assert_eq!(mocap::edit(walk, &options, &mut Vec::new())?.frames(), 10);
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where an option is out of its range, no frame is left, frames are too many or lengths too large, or lengths are to
/// be converted from an unknown unit.
pub fn edit(mut clip: Clip, options: &EditOptions, warnings: &mut Vec<Finding>) -> Result<Clip, Finding> {
    above_zero("--scale", options.scale)?;
    above_zero("--unit", options.unit)?;
    let lead_in = options.lead_in_left(&clip, options.lead_in);
    if options.drop_first_frame {
        let frames = clip.frames();
        clip = mocap_edit::drop_first_frame(&clip).map_err(|_| no_frame("--drop-first-frame", frames))?;
    }
    if let Some(trim) = options.trim {
        clip = mocap_edit::trim(&clip, &trim).map_err(|_| no_frame("--trim", clip.frames()))?;
    }
    if let Some(rate) = options.rate {
        if let Some(frames) = clip.frames_at(rate) {
            options.limits.check_samples(frames, clip.skeleton().len()).map_err(Finding::new)?;
        }
        clip = clip.resampled_after(lead_in, rate).map_err(|error| failed("--fps", error))?;
    }
    if let Some(factor) = options.scale {
        // The unit is guessed from the size, so it must be known before the size changes.
        let space = *clip.skeleton().space();
        let unit = known_unit(clip.skeleton());
        clip = in_space(clip, Space { unit, ..space });
        clip = clip.scaled(factor).map_err(|error| failed("--scale", error))?;
    }
    let mut space = *clip.skeleton().space();
    if let Some(metres) = options.unit {
        let known = needed_unit(clip.skeleton(), warnings)?;
        clip = in_space(clip, Space { unit: Some(known), ..space });
        space.unit = Some(Unit { metres, source: known.source });
    }
    if let Some(up) = options.up {
        space = with_up(&space, up);
    }
    if space != *clip.skeleton().space() {
        let edit = if options.unit.is_some() { "--unit" } else { "--up" };
        clip = clip.in_space(space).map_err(|error| failed(edit, error))?;
    }
    Ok(clip)
}

impl EditOptions {
    /// The number of lead-in frames of the edited clip, if `clip` has `before` of them. (A lead-in is a rest
    /// pose and not part of the motion.)
    pub fn lead_in(&self, clip: &Clip, before: usize) -> usize {
        self.lead_in_left(clip, before)
    }

    /// The number of lead-in frames that are neither dropped nor cut off.
    fn lead_in_left(&self, clip: &Clip, before: usize) -> usize {
        let mut left = before.saturating_sub(usize::from(self.drop_first_frame));
        if let Some(trim) = self.trim {
            let start = trim.frames(clip.frames(), clip.rate().fps()).map_or(0, |frames| frames.start);
            left = left.saturating_sub(start);
        }
        left
    }
}

fn no_frame(edit: &'static str, frames: usize) -> Finding {
    Finding::new(Problem::NoFrameLeft { edit, frames })
}

fn failed(edit: &'static str, error: ModelError) -> Finding {
    Finding::new(Problem::Edit { edit, error })
}
