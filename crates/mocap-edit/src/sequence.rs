//! Sequences of edits, each with its report.

use mocap_model::{Annotations, Clip, Event};

use crate::binding::kept::Carrying;
use crate::edits::LeadIn;
use crate::samples::Samples;
use crate::{Edit, EditError, EditReport, RootCurve};

/// A motion after all edits.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The motion.
    pub clip: Clip,
    /// One per edit.
    pub reports: Vec<EditReport>,
    /// One per [`ExtractRoot`](crate::edits::ExtractRoot).
    pub curves: Vec<RootCurve>,
    /// Number of lead-in frames at its start, which are a rest pose.
    pub lead_in: usize,
}

/// Options of [`apply`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApplyOptions {
    /// Number of lead-in frames at the start, which are a rest pose. Default: 0.
    pub lead_in: usize,
    /// The largest motion that an edit may make, in frames × joints (end sites included). Default: 64 million.
    pub max_samples: usize,
}

impl Default for ApplyOptions {
    fn default() -> ApplyOptions {
        ApplyOptions { lead_in: 0, max_samples: 64_000_000 }
    }
}

/// Applies edits in the order given.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::edits::{InPlace, Mirror};
/// use mocap_edit::{ApplyOptions, apply};
///
/// let edits = [Mirror::default().into(), InPlace { keep: Some("height".parse().unwrap()) }.into()];
/// let applied = apply(clip, &edits, &ApplyOptions::default())?;
/// for report in &applied.reports {
///     println!("{report}");
/// }
/// assert_eq!(applied.reports.len(), 2);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// The error of the first edit that fails; [`EditError::TooLarge`] where an edit would exceed
/// [`ApplyOptions::max_samples`], which is checked before that edit is applied.
pub fn apply(clip: Clip, edits: &[Edit], options: &ApplyOptions) -> Result<Applied, EditError> {
    let mut applied = Applied { clip, reports: Vec::new(), curves: Vec::new(), lead_in: options.lead_in };
    for edit in edits {
        edit.check_size(&applied.clip, options.max_samples)?;
        applied.step(edit)?;
    }
    Ok(applied)
}

impl Edit {
    fn check_size(&self, clip: &Clip, max_samples: usize) -> Result<(), EditError> {
        let joints = clip.skeleton().len();
        match self.frames_made(clip) {
            Some(frames) if frames > clip.frames() as f64 && frames * joints as f64 > max_samples as f64 => {
                Err(EditError::TooLarge { edit: self.name(), frames, joints, limit: max_samples })
            }
            _ => Ok(()),
        }
    }
}

impl Applied {
    fn step(&mut self, edit: &Edit) -> Result<(), EditError> {
        let (frames, was) = (self.clip.frames(), self.clip.annotations().clone());
        let (lead, motion) = match parts(&self.clip, self.lead_in, edit)? {
            Some((lead, motion)) => {
                // Freed: both parts are copies.
                drop(self.clip.take());
                (Some(lead), motion)
            }
            None => (None, self.clip.clone()),
        };
        let (edited, report) = with_things_kept(edit, &motion)?;
        if let Some(mut curve) = edit.curve(&motion) {
            let lead = lead.as_ref().map_or(0, Clip::frames);
            curve.positions.splice(0..0, vec![[0.0; 3]; lead]);
            curve.headings.splice(0..0, vec![0.0; lead]);
            self.curves.push(curve);
        }
        drop(motion);
        let whole = match (lead, edit.lead_in()) {
            (None, _) => {
                self.lead_in = edit.lead_in_after(&self.clip, self.lead_in);
                edited
            }
            (Some(_), LeadIn::Dropped) => {
                self.lead_in = 0;
                edited
            }
            (Some(lead), LeadIn::Apart) => joined(&edit.apply_to(&lead)?.0, edited, edit)?,
            (Some(lead), _) => joined(&lead, edited, edit)?,
        };
        self.finish(edit, report, whole, (frames, was));
        Ok(())
    }

    /// Takes the edited motion, given the number of frames and the annotations before.
    fn finish(&mut self, edit: &Edit, report: EditReport, clip: Clip, (frames, was): (usize, Annotations)) {
        self.reports.push(report);
        // Splitting off the lead-in and joining it again keeps annotations; scalar tracks come from the edit, as do
        // events if it moves frames in time.
        let Annotations { scalars, events, .. } = clip.annotations().clone();
        let events = if edit.makes_events() || edit.keeps_poses() { events } else { was.events };
        let annotations = Annotations { name: was.name, scalars, events };
        self.clip = match clip.frames() == frames {
            true => clip.clone().with_annotations(annotations).unwrap_or(clip),
            false => clip,
        };
    }
}

/// The edited motion, in which the body carries what it carried before.
fn with_things_kept(edit: &Edit, motion: &Clip) -> Result<(Clip, EditReport), EditError> {
    let mut carrying = match edit.scales() {
        // All lengths change alike, so that everything stays where it is carried.
        true => Carrying::default(),
        false => Carrying::of(&[motion], 1),
    };
    if !carrying.is_any() {
        return edit.apply_to(motion);
    }
    let others: Vec<Carrying> =
        edit.motions_added().iter().map(|other| Carrying::of(&[other.as_ref()], 1)).collect();
    let mut left = carrying.without_unlike(&others);
    let (edited, report) = edit.apply_to(&carrying.marked(motion))?;
    let done = carrying.put_back(&[motion], vec![edited], edit.into())?;
    left.extend(done.left);
    let clip = done.clips.into_iter().next().expect("as many as before");
    Ok((clip, report.with_things(done.notes, &left)))
}

/// The lead-in that stays unchanged and the motion to be edited; `None` if that is the whole clip.
fn parts(clip: &Clip, lead_in: usize, edit: &Edit) -> Result<Option<(Clip, Clip)>, EditError> {
    if lead_in == 0 || lead_in >= clip.frames() || edit.lead_in() == LeadIn::Edited {
        return Ok(None);
    }
    let part = |range| clip.trimmed(range).map_err(|error| EditError::model(edit.name(), error));
    Ok(Some((part(0..lead_in)?, part(lead_in..clip.frames())?)))
}

/// Two motions of one skeleton, one after the other, at the rate of the second, which is the edited one.
fn joined(first: &Clip, second: Clip, edit: &Edit) -> Result<Clip, EditError> {
    let (mut all, rest) = (Samples::of(first), Samples::taken(second));
    let (own, other) = (all.rate.fps(), rest.rate.fps());
    all.rate = rest.rate;
    all.annotations.events.iter_mut().for_each(|event| event.time *= own / other);
    let is_code = |event: &Event| event.name.starts_with(Event::TIMECODE);
    if rest.annotations.events.iter().any(is_code) {
        // The time code of the motion tells the time of its frames.
        all.annotations.events.retain(|event| !is_code(event));
    }
    all.append(rest);
    all.into_clip(edit.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::{Factor, FrameRate, JointTracks, ScalarTrack, Seconds, Track};

    use crate::TimeMap;
    use crate::edits::{ApplyRoot, Duration, ExtractRoot, Fps, InPlace, Mirror, Source, Speed};

    #[test]
    fn a_rest_pose_before_the_motion_is_left_out() {
        let walk = clip("alex_walk.bvh");
        let rest = Clip::new(
            walk.skeleton().clone(),
            walk.rate(),
            1,
            walk.skeleton().joints().iter().map(JointTracks::at_rest).collect(),
        )
        .unwrap();
        let with_rest = joined(&rest, walk.clone(), &Mirror::default().into()).unwrap();
        let extract = ExtractRoot { file: "root.csv".into(), keep: None };
        let edits = [extract.into(), InPlace::default().into()];
        let plain = apply(walk.clone(), &edits, &ApplyOptions::default()).unwrap();
        let one = ApplyOptions { lead_in: 1, ..ApplyOptions::default() };
        let led = apply(with_rest.clone(), &edits, &one).unwrap();
        let motion = led.clip.trimmed(1..led.clip.frames()).unwrap();
        for frame in 0..motion.frames() {
            for (id, _) in walk.skeleton().iter() {
                assert_eq!(motion.local(id, frame), plain.clip.local(id, frame));
            }
        }
        assert_eq!(led.clip.local(mocap_model::JointId(0), 0), with_rest.local(mocap_model::JointId(0), 0));
        let put_in = ApplyRoot { file: Source::held(led.curves[0].clone()) };
        let back = apply(led.clip, &[put_in.into()], &one).unwrap();
        assert_eq!(back.clip.frames(), with_rest.frames());
        assert!(back.reports[0].max_m.unwrap() > 0.1);
    }

    /// No frame between the rest pose and the motion is made up.
    #[test]
    fn a_rest_pose_stays_one_frame_at_another_rate() {
        let walk = clip("alex_walk.bvh");
        let still = walk.skeleton().joints().iter().map(JointTracks::at_rest).collect();
        let rest = Clip::new(walk.skeleton().clone(), walk.rate(), 1, still).unwrap();
        let with_rest = joined(&rest, walk.clone(), &Mirror::default().into()).unwrap();
        let one = ApplyOptions { lead_in: 1, ..ApplyOptions::default() };
        for fps in [4.0, 1.0, 0.25].map(|factor| walk.rate().fps() * factor) {
            let edit = Edit::from(Fps { fps: FrameRate::new(fps).unwrap() });
            let led = apply(with_rest.clone(), std::slice::from_ref(&edit), &one).unwrap();
            let plain = apply(walk.clone(), &[edit], &ApplyOptions::default()).unwrap().clip;
            assert_eq!((led.lead_in, led.clip.rate()), (1, plain.rate()));
            assert_eq!(led.clip.frames(), plain.frames() + 1);
            for (id, _) in walk.skeleton().iter() {
                assert_eq!(led.clip.local(id, 0), with_rest.local(id, 0));
                assert_eq!(led.clip.local(id, 1), plain.local(id, 0));
                assert_eq!(led.clip.local(id, plain.frames()), plain.local(id, plain.frames() - 1));
            }
        }
    }

    #[test]
    fn events_and_numbers_move_with_frames_that_stay_as_many() {
        let walk = clip("alex_walk.bvh");
        let last = walk.duration();
        let values: Vec<f64> = (0..walk.frames()).map(|frame| frame as f64).collect();
        let annotations = Annotations {
            events: vec![Event { time: last / 4.0, name: "step".into() }],
            scalars: vec![ScalarTrack { name: "smile".into(), values: Track::Sampled(values) }],
            ..Annotations::default()
        };
        let walk = walk.with_annotations(annotations).unwrap();
        // A quarter of the input at half of the output.
        let map = TimeMap::new(vec![(0.0, 0.0), (last / 2.0, last / 4.0), (last, last)]).unwrap();
        let edit = crate::edits::TimeMap { file: Source::held(map) }.into();
        let edited = apply(walk.clone(), &[edit], &ApplyOptions::default()).unwrap().clip;
        assert_eq!(edited.frames(), walk.frames());
        let Annotations { events, scalars, .. } = edited.annotations();
        assert!((events[0].time - last / 2.0).abs() < 1e-9, "{events:?}");
        let middle = walk.frames() / 2;
        assert!((scalars[0].values.at(middle) - middle as f64 / 2.0).abs() < 1.0);
    }

    /// A map that starts later holds fewer events, also if it makes as many frames.
    #[test]
    fn events_that_a_retime_leaves_out_do_not_come_back() {
        let walk = clip("alex_walk.bvh");
        let last = walk.duration();
        let event = |time: f64, name: &str| Event { time, name: name.into() };
        let events = vec![event(0.0, "start"), event(last / 2.0, "middle")];
        let walk = walk.with_annotations(Annotations { events, ..Annotations::default() }).unwrap();
        let map = TimeMap::new(vec![(0.0, last / 4.0), (last, last)]).unwrap();
        let edit = crate::edits::TimeMap { file: Source::held(map) }.into();
        let edited = apply(walk.clone(), &[edit], &ApplyOptions::default()).unwrap().clip;
        assert_eq!(edited.frames(), walk.frames());
        let [middle] = &edited.annotations().events[..] else { panic!("{:?}", edited.annotations().events) };
        assert!(
            middle.name == "middle" && (middle.time - last / 3.0).abs() < walk.rate().frame_time(),
            "{middle:?}"
        );
    }

    /// A range that covers all of what a map keeps covers the result.
    #[test]
    fn a_map_cuts_ranges_as_a_trim_does() {
        let walk = clip("alex_walk.bvh");
        let (fps, last) = (walk.rate().fps(), walk.duration());
        let event = |time: f64, name: &str| Event { time, name: name.into() };
        let events = vec![
            event(0.1 * last, "walk"),
            event(0.2 * last, "before"),
            event(0.3 * last, "turn"),
            event(0.35 * last, "turn end"),
            event(0.9 * last, "walk end"),
        ];
        let walk = walk.with_annotations(Annotations { events, ..Annotations::default() }).unwrap();
        let map = TimeMap::new(vec![(0.0, 0.4 * last), (0.5 * last, 0.6 * last)]).unwrap();
        let edit = crate::edits::TimeMap { file: Source::held(map) }.into();
        let edited = apply(walk, &[edit], &ApplyOptions::default()).unwrap().clip;
        let end = (edited.frames() - 1) as f64 / fps;
        let kept: Vec<(f64, &str)> =
            edited.annotations().events.iter().map(|event| (event.time, event.name.as_str())).collect();
        assert_eq!(kept, [(0.0, "walk"), (end, "walk end")]);
    }

    #[test]
    fn a_result_beyond_the_limit_is_refused_before_it_is_made() {
        let walk = clip("alex_walk.bvh");
        let samples = walk.frames() * walk.skeleton().len();
        let map = TimeMap::new(vec![(0.0, 0.0), (1e9, 1.0)]).unwrap();
        let absurd = [
            Edit::from(Fps { fps: FrameRate::new(1e9).unwrap() }),
            Speed { speed: Factor(1e-9) }.into(),
            Duration { duration: Seconds(1e9) }.into(),
            crate::edits::TimeMap { file: Source::held(map) }.into(),
        ];
        for edit in absurd {
            let error = apply(walk.clone(), std::slice::from_ref(&edit), &ApplyOptions::default());
            assert!(matches!(error, Err(EditError::TooLarge { .. })), "{edit:?}");
        }
        let small = ApplyOptions { max_samples: samples, ..ApplyOptions::default() };
        let speed = |factor| Edit::from(Speed { speed: Factor(factor) });
        let fits = [speed(1.5), speed(1.0), Mirror::default().into()];
        assert!(apply(walk.clone(), &fits, &small).is_ok());
        assert!(apply(walk, &[speed(0.9)], &small).is_err());
    }
}
