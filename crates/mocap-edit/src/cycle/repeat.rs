//! Repeats a loop: each repetition begins where the one before ended, turned and moved by the stride.

use mocap_model::{Clip, Event, angle_between};

use super::{moved, posed};
use crate::body::Body;
use crate::pose_cloud::{Clouds, align};
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;
use crate::{EditError, EditReport};

/// Warn of a jump of a joint at the seam above this [deg].
const JUMP: f64 = 1.0;

/// Plays a loop several times: the first frame of each repetition is the last frame of the one before.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let (three, report) = mocap_edit::repeat(&clip, 3)?;
/// assert_eq!(three.frames(), 3 * (clip.frames() - 1) + 1);
/// // The report has the distance of the last frame from the first.
/// println!("{report}");
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::Option`] where `times` is 0, [`EditError::TooShort`] below three frames.
pub fn repeat(clip: &Clip, times: u32) -> Result<(Clip, EditReport), EditError> {
    if times == 0 {
        let (name, value) = ("the number of repetitions", 0.0);
        return Err(EditError::Option { edit: "repeat", name, value, expected: "at least 1" });
    }
    let frames = clip.frames();
    if frames < 3 {
        return Err(EditError::TooShort { edit: "repeat", needed: 3, frames });
    }
    let body = Body::of(clip);
    let root_motion = RootMotionJoint::of(clip, &body);
    let mut clouds = Clouds::of(clip, body.hips);
    let [first, last] = [0, frames - 1].map(|frame| clouds.at(frame));
    let (stride, _) = align(&body, &last, &first);
    let once = Samples::of(clip);
    let mut all = once.clone();
    let mut placement = stride;
    for _ in 1..times {
        let mut next = once.clone();
        moved(&mut next, &root_motion, &placement);
        // The last frame so far is the first of this repetition.
        next.cut(1..frames);
        all.append(next);
        placement = stride * placement;
    }
    all.annotations.events = repeated_events(&once, times);
    let whole = all.into_clip("repeat")?;
    let jump = posed(clip, &root_motion)
        .iter()
        .map(|id| angle_between(&clip.track(*id).rotation.at(0), &clip.track(*id).rotation.at(frames - 1)))
        .fold(0.0, f64::max)
        .to_degrees();
    let mut report = EditReport::measured("repeat", clip, &whole)
        .figure("seam-pose", jump, "deg")
        .note(format!("{times} times"));
    if jump > JUMP && times > 1 {
        let message = format!(
            "the motion is not a loop: a joint jumps by {jump:.1}° at each seam; make it a loop before"
        );
        report.warn("edit::no-loop", message);
    }
    Ok((whole, report))
}

/// The events of all repetitions. The frame between two repetitions is the last of one and the first of the next: it has the
/// events of both, each name once.
fn repeated_events(once: &Samples, times: u32) -> Vec<Event> {
    let (fps, length) = (once.rate.fps(), (once.frames - 1) as f64);
    let mut all = once.annotations.events.clone();
    let is_code = |event: &&Event| event.name.starts_with(Event::TIMECODE);
    let near = |event: &Event, frame: f64| (event.time * fps - frame).abs() < 0.5;
    for number in 1..times {
        let start = f64::from(number) * length;
        let at_seam: Vec<String> =
            all.iter().filter(|event| near(event, start)).map(|event| event.name.clone()).collect();
        let is_known = |event: &&Event| near(event, 0.0) && at_seam.contains(&event.name);
        let next = once.annotations.events.iter().filter(|event| !is_code(event) && !is_known(event));
        all.extend(next.map(|event| Event { time: event.time + start / fps, ..event.clone() }));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::{LoopOptions, make_loop};
    use mocap_model::Annotations;

    #[test]
    fn every_repetition_has_the_events_of_its_first_frame() {
        let walk = clip("alex_walk.bvh").trimmed(0..25).unwrap();
        let fps = walk.rate().fps();
        let event = |frame: f64, name: &str| Event { time: frame / fps, name: name.into() };
        let events =
            [event(0.0, "timecode 01:00:00:00"), event(0.0, "A"), event(0.0, "walk"), event(0.0, "step")];
        let events =
            [&events[..], &[event(9.0, "mid"), event(24.0, "walk end"), event(24.0, "step")]].concat();
        let walk = walk.with_annotations(Annotations { events, ..Annotations::default() }).unwrap();
        let (thrice, _) = repeat(&walk, 3).unwrap();
        let of = |name: &str| -> Vec<f64> {
            let own = thrice.annotations().events.iter().filter(|event| event.name == name);
            own.map(|event| (event.time * fps).round()).collect()
        };
        assert_eq!(of("A"), [0.0, 24.0, 48.0]);
        assert_eq!(of("mid"), [9.0, 33.0, 57.0]);
        assert_eq!((of("walk"), of("walk end")), (vec![0.0, 24.0, 48.0], vec![24.0, 48.0, 72.0]));
        assert_eq!(of("step"), [0.0, 24.0, 48.0, 72.0], "the pose at a seam is one step");
        assert_eq!(of("timecode 01:00:00:00").len(), 1);
    }

    #[test]
    fn ten_repetitions_of_a_loop_have_no_seam_and_end_ten_strides_away() {
        let walk = clip("alex_walk.bvh");
        let (looped, _) = make_loop(&walk, &LoopOptions::default()).unwrap();
        let (ten, report) = repeat(&looped, 10).unwrap();
        let steps = looped.frames() - 1;
        assert_eq!(ten.frames(), 10 * steps + 1);
        assert!(report.warnings.iter().all(|warning| warning.code != "edit::no-loop"), "{report}");
        let hips = mocap_analysis::trajectory(&ten, Body::of(&ten).hips);
        let strides: Vec<f64> = (0..10).map(|i| (hips[(i + 1) * steps] - hips[i * steps]).norm()).collect();
        assert!(strides.iter().all(|stride| (stride - strides[0]).abs() < 1e-9 * strides[0]), "{strides:?}");
        for (id, _) in ten.skeleton().iter().filter(|(_, joint)| joint.parent.is_some()) {
            assert_eq!(ten.local(id, 3), ten.local(id, 7 * steps + 3));
        }
        let (_, report) = repeat(&walk.trimmed(0..20).unwrap(), 2).unwrap();
        assert!(report.warnings.iter().any(|warning| warning.code == "edit::no-loop"), "{report}");
        assert!(repeat(&walk, 0).is_err());
    }
}
