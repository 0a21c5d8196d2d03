//! Split: cuts a take into clips by length, at stillness, or by given ranges.

use std::ops::Range;

use mocap_model::{Clip, Scene, Vector3};

use crate::EditError;
use crate::body::Body;
use crate::pose_cloud::clouds;
use crate::scene::check_frames;

/// A joint is still below this speed [body sizes / s].
const STILL_SPEED: f64 = 0.05;
/// Speeds are means over this time \[s\].
const WINDOW: f64 = 0.1;
/// Motion between two still ranges that is shorter than this is ignored \[s\].
const SHORTEST: f64 = 0.25;

/// How a take is cut.
#[derive(Clone, Debug, PartialEq)]
pub enum SplitBy {
    /// Parts of this length \[s\], above 0; the last one may be shorter.
    Length(f64),
    /// At ranges in which the body is still for at least this time \[s\], above 0; these are left out.
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
/// [`EditError::Option`] where a time is shorter than a frame, [`EditError::Split`] where a range
/// is outside the motion or the body never moves.
pub fn split(clip: &Clip, by: &SplitBy) -> Result<Vec<Range<usize>>, EditError> {
    let frames = clip.frames();
    match by {
        SplitBy::Length(seconds) => {
            let step = frames_in(clip, *seconds)?;
            let part = |start: usize| start..start.saturating_add(step).min(frames);
            let mut parts: Vec<Range<usize>> = (0..frames).step_by(step).map(part).collect();
            // A single frame is not a clip: it is added to the part before.
            if let [.., before, last] = parts.as_mut_slice()
                && last.len() == 1
                && before.len() > 1
            {
                before.end = last.end;
                parts.pop();
            }
            Ok(parts)
        }
        SplitBy::Stillness(seconds) => moving_parts(&[clip], frames_in(clip, *seconds)?),
        SplitBy::Ranges(ranges) => ranges.iter().map(|range| in_frames(clip, *range)).collect(),
    }
}

/// The number of frames in a time.
fn frames_in(clip: &Clip, seconds: f64) -> Result<usize, EditError> {
    let (name, expected) = ("the time [s]", "at least one frame");
    let count = (seconds * clip.rate().fps()).round();
    let wrong = EditError::Option { edit: "split", name, value: seconds, expected };
    if count.is_finite() && count >= 1.0 { Ok(count as usize) } else { Err(wrong) }
}

/// The frames of each part of a scene: all characters and props are cut at the same times. The scene is still where
/// every character is; a character that never moves does not matter.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{SplitBy, split, split_scene};
/// use mocap_model::Scene;
///
/// let by = SplitBy::Length(0.5);
/// assert_eq!(split_scene(&Scene::from(clip.clone()), &by)?, split(&clip, &by)?);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// As [`split`]; [`EditError::Split`] of a scene without characters, [`EditError::Model`] where frames differ.
pub fn split_scene(scene: &Scene, by: &SplitBy) -> Result<Vec<Range<usize>>, EditError> {
    check_frames(scene, "split")?;
    let clips: Vec<&Clip> = scene.characters.iter().map(|character| &character.clip).collect();
    let Some(first) = clips.first() else {
        return Err(EditError::Split { reason: "nobody is in the motion".into() });
    };
    match by {
        SplitBy::Stillness(seconds) => moving_parts(&clips, frames_in(first, *seconds)?),
        _ => split(first, by),
    }
}

fn in_frames(clip: &Clip, (start, end): (f64, f64)) -> Result<Range<usize>, EditError> {
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    // The tolerance accepts rounded times of frames.
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

/// The ranges between those of at least `still` frames in which all bodies are still, without ones
/// up to [`SHORTEST`].
fn moving_parts(clips: &[&Clip], still: usize) -> Result<Vec<Range<usize>>, EditError> {
    let (frames, fps) = (clips[0].frames(), clips[0].rate().fps());
    let mut is_standing = vec![true; frames];
    for clip in clips {
        is_standing.iter_mut().zip(standing(clip)).for_each(|(all, own)| *all &= own);
    }
    let mut moving = vec![true; frames];
    mocap_analysis::runs(&is_standing)
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

/// By frame: whether every joint is slow.
fn standing(clip: &Clip) -> Vec<bool> {
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    let body = Body::of(clip);
    let slow = STILL_SPEED * mocap_analysis::tree_diameter(&body.skeleton);
    let clouds = clouds(clip);
    let reach = ((0.5 * WINDOW * fps).round() as usize).max(1);
    let is_standing = |frame: usize| {
        let (from, to) = (frame.saturating_sub(reach), (frame + reach).min(frames.saturating_sub(1)));
        let seconds = (to - from).max(1) as f64 / fps;
        let way = |(a, b): (&Vector3<f64>, &Vector3<f64>)| (b - a).norm();
        clouds[from].iter().zip(&clouds[to]).map(way).fold(0.0, f64::max) < slow * seconds
    };
    (0..frames).map(is_standing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::samples::Samples;
    use mocap_model::Character;

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

    /// The walk, a stand of about its length, and the walk again; where the stand begins and ends.
    fn walk_stand_walk() -> (Clip, Range<usize>) {
        let walk = clip("alex_walk.bvh");
        let hold = crate::speed(&walk.trimmed(0..2).unwrap(), 1e-2).unwrap().0;
        let mut take = Samples::of(&walk);
        let end = Samples::of(&walk.trimmed(walk.frames() - 1..walk.frames()).unwrap());
        (0..hold.frames()).for_each(|_| take.append(end.clone()));
        take.append(Samples::of(&walk));
        (take.into_clip("split").unwrap(), walk.frames()..walk.frames() + hold.frames())
    }

    #[test]
    fn a_stand_between_two_walks_cuts_them_apart() {
        let (take, stand) = walk_stand_walk();
        let parts = split(&take, &SplitBy::Stillness(0.5)).unwrap();
        assert_eq!(parts.len(), 2, "{parts:?}");
        let reach = (0.2 * take.rate().fps()) as usize;
        assert!(parts[0].end.abs_diff(stand.start) < reach);
        assert!(parts[1].start.abs_diff(stand.end) < reach, "{parts:?}");
    }

    #[test]
    fn all_are_cut_at_the_same_times_and_only_where_nobody_moves() {
        let (take, stand) = walk_stand_walk();
        let by = SplitBy::Stillness(0.5);
        let scene = |clips: [&Clip; 2]| Scene {
            characters: clips.map(|clip| Character::from(clip.clone())).into(),
            ..Scene::default()
        };
        assert_eq!(split_scene(&scene([&take, &take]), &by).unwrap(), split(&take, &by).unwrap());
        // The other one walks while the first one stands, and the other way about.
        let walk = take.trimmed(0..stand.start).unwrap();
        let mut other = Samples::of(&take.trimmed(stand.clone()).unwrap());
        while other.frames < take.frames() {
            other.append(Samples::of(&walk));
        }
        let other = other.into_clip("split").unwrap().trimmed(0..take.frames()).unwrap();
        for clips in [[&take, &other], [&other, &take]] {
            assert_eq!(split_scene(&scene(clips), &by).unwrap().len(), 1);
        }
        assert!(split_scene(&Scene::default(), &by).is_err());
    }
}
