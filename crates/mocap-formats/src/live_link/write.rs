//! Writes Live Link Face CSV.

use std::io::{self, Write};

use mocap_model::{ARKIT_SHAPES, Clip, Event, Track};

use super::timecode::{Counting, RATES, Timecode, of_event, rate, same_rate};
use super::{ANGLES, JOINTS, LEAD, Problem, order};
use crate::{Finding, LeftOut};

/// The shapes of the dialect without rotations and tongue.
const WITHOUT_TONGUE: usize = ARKIT_SHAPES.len() - 1;

/// The columns of the file, and the tracks that fill them.
pub(super) struct Columns<'c> {
    /// The shapes in order; `None` is 0.
    shapes: Vec<Option<&'c Track<f64>>>,
    /// Whether the angles of head and eyes follow.
    angles: bool,
}

/// The part of a name that names the shape: what follows the mesh.
fn shape_of(name: &str) -> &str {
    name.rsplit(['.', '/', ':']).next().unwrap_or(name)
}

impl<'c> Columns<'c> {
    /// The columns of a clip; warns of what the file lacks.
    ///
    /// # Errors
    /// Where the clip has none of the shapes, or a rate that time codes do not count at.
    pub(super) fn of(clip: &'c Clip, warnings: &mut Vec<Finding>) -> Result<Columns<'c>, Finding> {
        let fps = clip.rate().fps();
        if !RATES.contains(&(fps.round() as i64)) {
            return Err(Finding::new(Problem::Rate { fps }));
        }
        let read = rate_read(clip);
        if clip.frames() > 0 && !same_rate(read, fps) {
            warnings.push(Finding::new(Problem::OtherRate { fps, read }));
        }
        let scalars = &clip.annotations().scalars;
        let find =
            |shape: &str| scalars.iter().find(|track| shape_of(&track.name).eq_ignore_ascii_case(shape));
        let found: Vec<_> = ARKIT_SHAPES.iter().map(|shape| find(shape)).collect();
        if found.iter().all(Option::is_none) {
            return Err(Finding::new(Problem::NotArkit));
        }
        let skeleton = clip.skeleton();
        let is_held = |name: &str| JOINTS.iter().any(|joint| joint.eq_ignore_ascii_case(name));
        let angles = JOINTS[1..].iter().any(|eye| skeleton.find(eye).is_some())
            || skeleton.find(JOINTS[0]).is_some_and(|head| clip.track(head).rotation.is_sampled());
        let count =
            if angles || found[WITHOUT_TONGUE].is_some() { ARKIT_SHAPES.len() } else { WITHOUT_TONGUE };
        let names = |names: &[&str]| -> String {
            let first: Vec<&str> = names.iter().take(5).copied().collect();
            first.join(", ") + if names.len() > first.len() { " …" } else { "" }
        };
        let lacking: Vec<&str> =
            (0..count).filter(|at| found[*at].is_none()).map(|at| ARKIT_SHAPES[at]).collect();
        if !lacking.is_empty() {
            let problem = Problem::Lacking { count: lacking.len(), names: names(&lacking) };
            warnings.push(Finding::new(problem));
        }
        let kept = |name: &str| found.iter().flatten().any(|track| track.name == name);
        let left: Vec<&str> =
            scalars.iter().map(|track| track.name.as_str()).filter(|name| !kept(name)).collect();
        if !left.is_empty() {
            warnings.push(Finding::new(Problem::NotHeld { count: left.len(), names: names(&left) }));
        }
        let others =
            skeleton.joints().iter().filter(|joint| !joint.end_site && !is_held(&joint.name)).count();
        if others > 0 {
            warnings.push(Finding::new(Problem::OtherJoints { count: others }));
        }
        let events =
            clip.annotations().events.iter().filter(|event| !event.name.starts_with(Event::TIMECODE)).count();
        if events > 0 {
            warnings.push(Finding::new(LeftOut::Events { count: events }));
        }
        let shapes = found[..count].iter().map(|track| track.map(|track| &track.values)).collect();
        Ok(Columns { shapes, angles })
    }
}

/// Writes a clip with the names and the order of columns that Live Link Face has: capitals, the left side first. Values
/// have eight decimals. Shapes that the clip lacks are 0.
///
/// # Errors
/// Those of `out`; and of kind `InvalidInput` where the clip has none of the shapes of ARKit, or not 1 to 1000 frames a
/// second.
pub fn write(clip: &Clip, out: &mut dyn Write) -> io::Result<()> {
    let refused = |error: Finding| io::Error::new(io::ErrorKind::InvalidInput, error.to_string());
    let Columns { shapes, angles } = Columns::of(clip, &mut Vec::new()).map_err(refused)?;
    let count = shapes.len() + if angles { JOINTS.len() * ANGLES.len() } else { 0 };
    write!(out, "{},{}", LEAD[0], LEAD[1])?;
    for name in &ARKIT_SHAPES[..shapes.len()] {
        write!(out, ",{}{}", name[..1].to_ascii_uppercase(), &name[1..])?;
    }
    if angles {
        for joint in JOINTS {
            ANGLES.iter().try_for_each(|angle| write!(out, ",{joint}{angle}"))?;
        }
    }
    writeln!(out)?;
    let (start, counting) = start_of(clip);
    let joints = JOINTS.map(|joint| clip.skeleton().find(joint));
    let mut before = [[0.0; 3]; 3];
    for frame in 0..clip.frames() {
        let code = counting.code(start + frame as i64);
        write!(out, "{code}.000,{count}")?;
        for track in &shapes {
            cell(track.map_or(0.0, |track| track.at(frame)), out)?;
        }
        if angles {
            for (joint, before) in joints.iter().zip(&mut before) {
                if let Some(joint) = joint {
                    *before = order().angles_near(&clip.local(*joint, frame).rotation, *before);
                }
                before.iter().try_for_each(|angle| cell(*angle, out))?;
            }
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Writes a value with eight decimals, without negative zeros.
fn cell(value: f64, out: &mut dyn Write) -> io::Result<()> {
    let rounded = (value * 1e8).round() / 1e8 + 0.0;
    write!(out, ",{:.8}", if rounded.is_finite() { rounded } else { value })
}

/// The number of frames from midnight to the first frame, from the event with a time code, else 0; and how codes count, which
/// is by the rate of the clip.
fn start_of(clip: &Clip) -> (i64, Counting) {
    let fps = clip.rate().fps();
    let counting = Counting::at(fps);
    let stated = clip.annotations().events.iter().find_map(|event| {
        let (code, _) = of_event(&event.name, fps.round() as i64)?;
        Some(counting.frames(counting.counted(code)) - (event.time * fps).round() as i64)
    });
    (stated.unwrap_or(0), counting)
}

/// The rate at which the codes of a clip are read [frames per second].
fn rate_read(clip: &Clip) -> f64 {
    let (start, counting) = start_of(clip);
    let codes: Vec<Timecode> = (0..clip.frames() as i64).map(|frame| counting.code(start + frame)).collect();
    Counting::of(&codes, rate(&codes).0).fps()
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use mocap_model::FrameRate;

    /// Four seconds of drop-frame codes around a minute.
    fn take() -> Clip {
        let counting = Counting::at(30.0 * 1000.0 / 1001.0);
        let rows = (1750..1870).map(|frame| format!("{}.000,1,0.25\n", counting.code(frame)));
        let text = "Timecode,BlendShapeCount,EyeBlinkLeft\n".to_owned() + &rows.collect::<String>();
        parse(text.as_bytes(), &Default::default()).unwrap().value
    }

    /// The first time code that is written, the rate at which it is read, and warnings about the rate.
    fn written(clip: &Clip) -> (String, f64, usize) {
        let mut warnings = Vec::new();
        Columns::of(clip, &mut warnings).unwrap();
        let is_rate = |warning: &&Finding| warning.code() == "livelink::other-rate";
        let warned = warnings.iter().filter(is_rate).count();
        let mut text = Vec::new();
        write(clip, &mut text).unwrap();
        let first = String::from_utf8(text.clone()).unwrap().lines().nth(1).unwrap()[..11].to_owned();
        (first, parse(&text, &Default::default()).unwrap().value.rate().fps(), warned)
    }

    #[test]
    fn codes_are_read_at_the_rate_of_the_clip_or_a_warning_says_the_rate() {
        let take = take();
        let at = |fps: f64| take.resampled(FrameRate::new(fps).unwrap()).unwrap();
        let (code, fps, warned) = written(&take);
        assert_eq!((code.as_str(), warned), ("00:00:58;10", 0));
        assert!((fps - 29.97).abs() < 1e-3, "{fps}");
        for (rate, code) in [(60.0, "00:00:58:20"), (30.0, "00:00:58:10"), (24.0, "00:00:58:08")] {
            assert_eq!(written(&at(rate)), (code.to_owned(), rate, 0));
        }
        let (code, fps, warned) = written(&at(59.94));
        assert_eq!((code.as_str(), warned), ("00:00:58;20", 0));
        assert!((fps - 59.94).abs() < 1e-3, "{fps}");
        for (rate, read) in [(15.0, 24.0), (23.976, 24.0), (100.0, 120.0)] {
            let (_, fps, warned) = written(&at(rate));
            assert_eq!((fps, warned), (read, 1), "{rate}");
        }
    }
}
