//! Split: a take is cut into clips, by length, where it stands still, or at given ranges.

use std::ops::Range;

use mocap_model::{Clip, Vector3};

use crate::EditError;
use crate::body::Body;
use crate::pose_cloud::clouds;

/// Slower than this share of its body's size per second, a joint stands still.
const STILL_SPEED: f64 = 0.05;
/// Speeds are means over this time \[s\].
const WINDOW: f64 = 0.1;
/// Parts of motion between two stillnesses that are shorter than this are not parts \[s\].
const SHORTEST: f64 = 0.25;

/// How a take is cut.
#[derive(Clone, Debug, PartialEq)]
pub enum SplitBy {
    /// Parts of this length \[s\], above 0; the last one may be shorter.
    Length(f64),
    /// Where the body stands still for at least this time \[s\], above 0: the stillness is left out.
    Stillness(f64),
    /// These ranges, start and end in seconds, end excluded; they may overlap.
    Ranges(Vec<(f64, f64)>),
}

impl SplitBy {
    /// Reads ranges: rows `start, end` \[s\]; a first row of words and lines after `#` are left out.
    ///
    /// # Errors
    /// [`EditError::Table`] with the line of a row that is not two numbers, [`EditError::Split`] without rows.
    pub fn ranges(text: &str) -> Result<SplitBy, EditError> {
        let rows = crate::table::rows::<2>("ranges", text)?;
        if rows.is_empty() {
            return Err(EditError::Split { reason: "the table of ranges has no rows".into() });
        }
        Ok(SplitBy::Ranges(rows.into_iter().map(|[start, end]| (start, end)).collect()))
    }
}

/// The frames of each part.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{SplitBy, split};
///
/// let parts = split(&clip, &SplitBy::Length(clip.duration()))?;
/// assert_eq!(parts, [0..clip.frames()]);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::Option`] where a time is not above 0, [`EditError::Split`] where a range is outside the motion or the
/// body never moves.
pub fn split(clip: &Clip, by: &SplitBy) -> Result<Vec<Range<usize>>, EditError> {
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    let length = |seconds: f64| {
        let (name, expected) = ("the time [s]", "at least one frame");
        let count = (seconds * fps).round();
        let wrong = EditError::Option { edit: "split", name, value: seconds, expected };
        if count.is_finite() && count >= 1.0 { Ok(count as usize) } else { Err(wrong) }
    };
    match by {
        SplitBy::Length(seconds) => {
            let step = length(*seconds)?;
            let part = |start: usize| start..start.saturating_add(step).min(frames);
            let mut parts: Vec<Range<usize>> = (0..frames).step_by(step).map(part).collect();
            // A single frame is not a clip: the last frame of a take stays with the part before it.
            if let [.., before, last] = parts.as_mut_slice()
                && last.len() == 1
                && before.len() > 1
            {
                before.end = last.end;
                parts.pop();
            }
            Ok(parts)
        }
        SplitBy::Stillness(seconds) => moving_parts(clip, length(*seconds)?),
        SplitBy::Ranges(ranges) => ranges.iter().map(|range| in_frames(clip, *range)).collect(),
    }
}

fn in_frames(clip: &Clip, (start, end): (f64, f64)) -> Result<Range<usize>, EditError> {
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    // A rounded time of a frame is that frame.
    let frame = |time: f64| (time * fps - 1e-3).ceil().max(0.0);
    let range = frame(start)..frame(end);
    if !(start >= 0.0 && end > start && range.end <= frames as f64 && range.end > range.start) {
        let lasts = frames as f64 / fps;
        let reason =
            format!("{start} s to {end} s is not a range within the motion, which lasts {lasts:.3} s");
        return Err(EditError::Split { reason });
    }
    Ok(range.start as usize..range.end as usize)
}

/// What lies between stillnesses of at least `still` frames.
fn moving_parts(clip: &Clip, still: usize) -> Result<Vec<Range<usize>>, EditError> {
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    let body = Body::of(clip);
    let slow = STILL_SPEED * mocap_analysis::tree_diameter(&body.skeleton);
    let clouds = clouds(clip);
    let reach = ((0.5 * WINDOW * fps).round() as usize).max(1);
    let stands: Vec<bool> = (0..frames)
        .map(|frame| {
            let (from, to) = (frame.saturating_sub(reach), (frame + reach).min(frames.saturating_sub(1)));
            let seconds = (to - from).max(1) as f64 / fps;
            let way = |(a, b): (&Vector3<f64>, &Vector3<f64>)| (b - a).norm();
            clouds[from].iter().zip(&clouds[to]).map(way).fold(0.0, f64::max) < slow * seconds
        })
        .collect();
    let mut moving = vec![true; frames];
    mocap_analysis::runs(&stands)
        .into_iter()
        .filter(|run| run.len() >= still)
        .for_each(|run| moving[run].fill(false));
    let shortest = (SHORTEST * fps) as usize;
    let parts: Vec<Range<usize>> =
        mocap_analysis::runs(&moving).into_iter().filter(|run| run.len() > shortest).collect();
    match parts.is_empty() {
        true => Err(EditError::Split { reason: "the body stands still all the time".into() }),
        false => Ok(parts),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::samples::Samples;

    #[test]
    fn lengths_and_ranges_cover_what_they_say() {
        let walk = clip("alex_walk.bvh");
        let parts = split(&walk, &SplitBy::Length(0.5)).unwrap();
        assert_eq!(parts.iter().map(ExactSizeIterator::len).sum::<usize>(), walk.frames());
        assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
        let fps = walk.rate().fps();
        let ranges = SplitBy::ranges("start,end\n0,0.5\n0.25,1\n").unwrap();
        let half = (0.5 * fps).round() as usize;
        assert_eq!(split(&walk, &ranges).unwrap()[0], 0..half);
        for wrong in ["0,5000", "1,0.5", "-1,1"] {
            let wrong = SplitBy::ranges(wrong).unwrap();
            assert!(matches!(split(&walk, &wrong), Err(EditError::Split { .. })), "{wrong:?}");
        }
        assert!(matches!(SplitBy::ranges("a,b\n"), Err(EditError::Split { .. })));
        assert!(matches!(split(&walk, &SplitBy::Length(0.0)), Err(EditError::Option { .. })));
    }

    #[test]
    fn a_stand_between_two_walks_cuts_them_apart() {
        let walk = clip("alex_walk.bvh");
        let fps = walk.rate().fps();
        let hold = crate::speed(&walk.trimmed(0..2).unwrap(), 1e-2).unwrap().0;
        let mut take = Samples::of(&walk);
        let end = Samples::of(&walk.trimmed(walk.frames() - 1..walk.frames()).unwrap());
        (0..hold.frames()).for_each(|_| take.append(end.clone()));
        take.append(Samples::of(&walk));
        let take = take.into_clip("split").unwrap();
        let parts = split(&take, &SplitBy::Stillness(0.5)).unwrap();
        assert_eq!(parts.len(), 2, "{parts:?}");
        let reach = (0.2 * fps) as usize;
        assert!(parts[0].end.abs_diff(walk.frames()) < reach);
        assert!(parts[1].start.abs_diff(walk.frames() + hold.frames()) < reach, "{parts:?}");
    }
}
