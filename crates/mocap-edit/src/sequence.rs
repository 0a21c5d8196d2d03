//! Edits in a row, each with its report.

use mocap_model::{Clip, FrameRange, FrameRate, SignedAxis};

use crate::samples::Samples;
use crate::{
    BlendOptions, Denoise, EditError, EditReport, Fourier, Gains, JoinOptions, Keep, Layer, LoopOptions,
    OnTerrain, Path, RootCurve, Strip, TimeMap, Warp,
};

/// One edit with its options.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Edit {
    /// Drop the first frame.
    DropFirstFrame,
    /// Keep only these frames.
    Trim(FrameRange),
    /// Sample at another rate; the duration stays.
    Resample(FrameRate),
    /// Multiply every length, above 0.
    Scale(f64),
    /// Remove jitter and spikes.
    Denoise(Denoise),
    /// Bring joints to keys.
    Warp(Box<Warp>),
    /// Make bands of frequency stronger or weaker.
    Bands(Gains),
    /// Blend with another motion, by the weight of that \[0 to 1\].
    Blend(Box<Clip>, f64, BlendOptions),
    /// Smooth a cycle, or give it a style.
    Fourier(Box<Fourier>),
    /// Put the feet on a terrain.
    Terrain(Box<OnTerrain>),
    /// Swap left and right.
    Mirror,
    /// Swap left and right of a body whose sides differ, by the map of retargeting.
    MirrorRetargeted,
    /// Make a loop.
    Loop(LoopOptions),
    /// Play a loop this many times.
    Repeat(u32),
    /// Play faster or slower by a factor.
    Speed(f64),
    /// Give it another duration \[s\].
    Duration(f64),
    /// Retime by a map of times.
    TimeMap(Box<TimeMap>),
    /// Retime to the phases of another motion.
    Sync(Box<Clip>),
    /// Lock planted feet.
    FixFeet,
    /// Bend the path: turn by this angle \[rad\] from start to end, to the left.
    Turn(f64),
    /// Lay the motion along a path.
    Along(Box<Path>),
    /// Add a pose or a motion.
    Add(Box<Layer>),
    /// Leave joints out.
    Strip(Strip),
    /// Lay a motion onto the end.
    Join(Box<Clip>, JoinOptions),
    /// Take the root motion out.
    InPlace(Keep),
    /// Keep the root motion as a curve; the motion stays.
    ExtractRoot(Keep),
    /// Put a root motion in.
    ApplyRoot(Box<RootCurve>),
    /// Add a joint on the ground that carries the root motion.
    AddRootJoint {
        /// Its name.
        name: String,
        /// What stays in the body.
        keep: Keep,
    },
    /// Turn the motion: at its start the body faces this axis.
    Face(SignedAxis),
    /// Move the start of the motion above the origin.
    StartAtOrigin,
    /// Move the floor to height 0.
    Ground,
}

/// A motion after all edits.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The motion.
    pub clip: Clip,
    /// One per edit.
    pub reports: Vec<EditReport>,
    /// One per [`Edit::ExtractRoot`].
    pub curves: Vec<RootCurve>,
    /// Frames at its start that are a rest pose and not motion.
    pub lead_in: usize,
}

/// What an edit does with frames at the start that are not motion.
enum LeadIn {
    /// They are edited like the others.
    Edited,
    /// They stay as they are before the edited motion.
    Kept,
    /// They are dropped.
    Dropped,
}

/// How a sequence of edits is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ApplyOptions {
    /// Frames at the start that are a rest pose and not motion. Default: 0.
    pub lead_in: usize,
    /// The largest motion that an edit may make, in frames × joints (end sites included). Default: 20 million.
    pub max_samples: usize,
}

impl Default for ApplyOptions {
    fn default() -> ApplyOptions {
        ApplyOptions { lead_in: 0, max_samples: 20_000_000 }
    }
}

/// Applies edits in the order given.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{ApplyOptions, Edit, apply};
///
/// let edits = [Edit::Mirror, Edit::InPlace("height".parse().unwrap())];
/// let applied = apply(clip, &edits, &ApplyOptions::default())?;
/// for report in &applied.reports {
///     println!("{report}");
/// }
/// assert_eq!(applied.reports.len(), 2);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// The error of the first edit that fails; [`EditError::TooLarge`], before any work, where it would pass
/// [`ApplyOptions::max_samples`].
pub fn apply(clip: Clip, edits: &[Edit], options: &ApplyOptions) -> Result<Applied, EditError> {
    let mut applied = Applied { clip, reports: Vec::new(), curves: Vec::new(), lead_in: options.lead_in };
    for edit in edits {
        edit.check_size(&applied.clip, options.max_samples)?;
        applied.step(edit)?;
    }
    Ok(applied)
}

impl Edit {
    /// The name in commands and reports.
    pub fn name(&self) -> &'static str {
        match self {
            Edit::DropFirstFrame => "drop-first-frame",
            Edit::Trim(_) => "trim",
            Edit::Resample(_) => "fps",
            Edit::Scale(_) => "scale",
            Edit::Denoise(_) => "denoise",
            Edit::Bands(_) => "bands",
            Edit::Warp(_) => "warp",
            Edit::Blend(..) => "blend",
            Edit::Fourier(_) => "fourier",
            Edit::Terrain(_) => "terrain",
            Edit::Mirror | Edit::MirrorRetargeted => "mirror",
            Edit::Loop(_) => "loop",
            Edit::Repeat(_) => "repeat",
            Edit::Speed(_) => "speed",
            Edit::Duration(_) => "duration",
            Edit::TimeMap(_) => "time-map",
            Edit::Sync(_) => "sync",
            Edit::FixFeet => "fix-feet",
            Edit::Turn(_) => "turn",
            Edit::Along(_) => "along",
            Edit::Add(_) => "add",
            Edit::Strip(_) => "strip",
            Edit::Join(..) => "join",
            Edit::InPlace(_) => "in-place",
            Edit::ExtractRoot(_) => "extract-root",
            Edit::ApplyRoot(_) => "apply-root",
            Edit::AddRootJoint { .. } => "root-joint",
            Edit::Face(_) => "heading",
            Edit::StartAtOrigin => "start-at",
            Edit::Ground => "ground",
        }
    }

    /// How many frames the edit makes of a motion, where it may make more of them.
    fn frames_made(&self, clip: &Clip) -> Option<f64> {
        let (last, fps) = (clip.frames().saturating_sub(1) as f64, clip.rate().fps());
        Some(match self {
            Edit::Resample(rate) => clip.frames_at(*rate).map_or(f64::INFINITY, |frames| frames as f64),
            Edit::Repeat(times) => last * f64::from(*times) + 1.0,
            Edit::Speed(factor) if *factor > 0.0 => last / factor + 1.0,
            Edit::Duration(seconds) => seconds * fps + 1.0,
            Edit::TimeMap(map) => map.duration() * fps + 1.0,
            Edit::Sync(other) => other.duration() * fps + 1.0,
            Edit::Join(next, _) => clip.frames() as f64 + next.duration() * fps + 1.0,
            _ => return None,
        })
    }

    fn check_size(&self, clip: &Clip, max_samples: usize) -> Result<(), EditError> {
        let joints = clip.skeleton().len();
        match self.frames_made(clip) {
            Some(frames) if frames > clip.frames() as f64 && frames * joints as f64 > max_samples as f64 => {
                Err(EditError::TooLarge { edit: self.name(), frames, joints, limit: max_samples })
            }
            _ => Ok(()),
        }
    }

    fn lead_in(&self) -> LeadIn {
        match self {
            Edit::Scale(_) | Edit::Mirror | Edit::ApplyRoot(_) | Edit::Strip(_) => LeadIn::Edited,
            Edit::Loop(_) | Edit::Repeat(_) | Edit::Fourier(_) | Edit::Blend(..) => LeadIn::Dropped,
            _ => LeadIn::Kept,
        }
    }
}

impl Applied {
    fn step(&mut self, edit: &Edit) -> Result<(), EditError> {
        let frames = self.clip.frames();
        match edit {
            Edit::DropFirstFrame => {
                let cut = crate::drop_first_frame(&self.clip)?;
                self.lead_in = self.lead_in.saturating_sub(1);
                self.finish(EditReport::measured(edit.name(), &self.clip, &cut), cut);
            }
            Edit::Trim(range) => {
                let cut = crate::trim(&self.clip, range)?;
                let start = range.frames(frames, self.clip.rate().fps()).map_or(0, |range| range.start);
                self.lead_in = self.lead_in.saturating_sub(start);
                self.finish(EditReport::measured(edit.name(), &self.clip, &cut), cut);
            }
            Edit::Resample(rate) => {
                let sampled = crate::resample(&self.clip, *rate)?;
                let step = rate.fps() / self.clip.rate().fps();
                self.lead_in = (self.lead_in as f64 * step - 1e-6).ceil().max(0.0) as usize;
                self.finish(EditReport::measured(edit.name(), &self.clip, &sampled), sampled);
            }
            Edit::ExtractRoot(keep) => {
                let (lead, motion) = self.parts(edit)?;
                let mut curve = crate::root_curve(&motion, *keep);
                let lead = lead.map_or(0, |lead| lead.frames());
                curve.positions.splice(0..0, vec![[0.0; 3]; lead]);
                curve.headings.splice(0..0, vec![0.0; lead]);
                self.curves.push(curve);
                let report = EditReport::measured(edit.name(), &self.clip, &self.clip);
                self.reports.push(report.note(format!("keeps {keep} in the body")));
            }
            _ => {
                let (lead, motion) = self.parts(edit)?;
                let (edited, report) = one(&motion, edit)?;
                let whole = match (lead, edit) {
                    (None, _) => edited,
                    (Some(_), _) if matches!(edit.lead_in(), LeadIn::Dropped) => {
                        self.lead_in = 0;
                        edited
                    }
                    (Some(lead), Edit::AddRootJoint { .. }) => joined(&one(&lead, edit)?.0, &edited, edit)?,
                    (Some(lead), _) => joined(&lead, &edited, edit)?,
                };
                self.finish(report, whole);
            }
        }
        Ok(())
    }

    /// The frames that stay as they are, where there are some, and the motion to be edited.
    fn parts(&self, edit: &Edit) -> Result<(Option<Clip>, Clip), EditError> {
        let (lead_in, frames) = (self.lead_in, self.clip.frames());
        if lead_in == 0 || lead_in >= frames || matches!(edit.lead_in(), LeadIn::Edited) {
            return Ok((None, self.clip.clone()));
        }
        let part = |range| self.clip.trimmed(range).map_err(|error| EditError::model(edit.name(), error));
        Ok((Some(part(0..lead_in)?), part(lead_in..frames)?))
    }

    fn finish(&mut self, report: EditReport, clip: Clip) {
        self.reports.push(report);
        // What the frames are split and joined for does not change what the clip says about them.
        let annotations = self.clip.annotations().clone();
        self.clip = match clip.frames() == self.clip.frames() {
            true => clip.clone().with_annotations(annotations).unwrap_or(clip),
            false => clip,
        };
    }
}

/// One edit of a motion without a lead-in.
fn one(clip: &Clip, edit: &Edit) -> Result<(Clip, EditReport), EditError> {
    match edit {
        Edit::Scale(factor) => {
            if !(factor.is_finite() && *factor > 0.0) {
                let (name, value) = ("the factor", *factor);
                return Err(EditError::Option { edit: "scale", name, value, expected: "above 0" });
            }
            let scaled = clip.scaled(*factor).map_err(|error| EditError::model("scale", error))?;
            let report = EditReport::measured("scale", clip, &scaled);
            Ok((scaled, report))
        }
        Edit::Denoise(method) => crate::denoise(clip, *method),
        Edit::Bands(gains) => crate::bands(clip, gains),
        Edit::Warp(warp) => crate::warp(clip, warp),
        Edit::Blend(other, weight, options) => {
            crate::blend(&[clip.clone(), (**other).clone()], &[1.0 - weight, *weight], options)
        }
        Edit::Fourier(options) => crate::fourier(clip, options),
        Edit::Terrain(options) => crate::on_terrain(clip, options),
        Edit::Mirror => crate::mirror(clip),
        Edit::MirrorRetargeted => crate::mirror_retargeted(clip),
        Edit::Loop(options) => crate::make_loop(clip, options),
        Edit::Repeat(times) => crate::repeat(clip, *times),
        Edit::Speed(factor) => crate::speed(clip, *factor),
        Edit::Duration(seconds) => crate::duration(clip, *seconds),
        Edit::TimeMap(map) => crate::map_times(clip, map),
        Edit::Sync(other) => crate::sync(clip, other),
        Edit::FixFeet => crate::fix_feet(clip),
        Edit::Turn(angle) => crate::turn(clip, *angle),
        Edit::Along(path) => crate::along(clip, path),
        Edit::Add(layer) => crate::add(clip, layer),
        Edit::Strip(what) => crate::strip(clip, *what),
        Edit::Join(next, options) => {
            let (joined, mut reports) = crate::join(&[clip.clone(), (**next).clone()], options)?;
            Ok((joined, reports.remove(0)))
        }
        Edit::InPlace(keep) => crate::in_place(clip, *keep),
        Edit::ApplyRoot(curve) => crate::apply_root(clip, curve),
        Edit::AddRootJoint { name, keep } => crate::add_root_joint(clip, name, *keep),
        Edit::Face(axis) => crate::face(clip, *axis),
        Edit::StartAtOrigin => crate::start_at_origin(clip),
        Edit::Ground => crate::ground(clip),
        Edit::DropFirstFrame | Edit::Trim(_) | Edit::Resample(_) | Edit::ExtractRoot(_) => {
            unreachable!("handled with the lead-in")
        }
    }
}

/// Two motions of one skeleton, one after the other.
fn joined(first: &Clip, second: &Clip, edit: &Edit) -> Result<Clip, EditError> {
    let (mut all, rest) = (Samples::of(first), Samples::of(second));
    all.append(rest);
    all.into_clip(edit.name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::JointTracks;

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
        let with_rest = joined(&rest, &walk, &Edit::Mirror).unwrap();
        let edits = [Edit::ExtractRoot(Keep::default()), Edit::InPlace(Keep::default())];
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
        let back = apply(led.clip, &[Edit::ApplyRoot(Box::new(led.curves[0].clone()))], &one).unwrap();
        assert_eq!(back.clip.frames(), with_rest.frames());
        assert!(back.reports[0].max_m.unwrap() > 0.1);
    }

    #[test]
    fn a_result_beyond_the_limit_is_refused_before_it_is_made() {
        let walk = clip("alex_walk.bvh");
        let samples = walk.frames() * walk.skeleton().len();
        let map = TimeMap::new(vec![(0.0, 0.0), (1e9, 1.0)]).unwrap();
        let absurd = [
            Edit::Resample(FrameRate::new(1e9).unwrap()),
            Edit::Speed(1e-9),
            Edit::Duration(1e9),
            Edit::TimeMap(Box::new(map)),
        ];
        for edit in absurd {
            let error = apply(walk.clone(), std::slice::from_ref(&edit), &ApplyOptions::default());
            assert!(matches!(error, Err(EditError::TooLarge { .. })), "{edit:?}");
        }
        let small = ApplyOptions { max_samples: samples, ..ApplyOptions::default() };
        assert!(apply(walk.clone(), &[Edit::Speed(1.5), Edit::Speed(1.0), Edit::Mirror], &small).is_ok());
        assert!(apply(walk, &[Edit::Speed(0.9)], &small).is_err());
    }
}
