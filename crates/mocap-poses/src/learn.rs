//! From clips to examples.

#![allow(rustdoc::broken_intra_doc_links, reason = "the texts are schemas too, where [m] is a unit")]

use crate::PosesError;
use crate::body::{Body, Limb};
use crate::chain::BodySolver;
use crate::examples::{Examples, PosePrior, on_skeleton, placed, same_bones};
use crate::fitted::{Fitted, Known};
use crate::heading::floor_axes;
use crate::predict::Predictor;
use crate::regression::evenly_spaced;
use crate::unusual::{Descriptors, nearest};
use crate::{Placed, Quat, Vec3};
use mocap_model::{Clip, FrameRate, JointId, JointTracks, Track, exp};
use mocap_retarget::map_roles_in;
use schemars::JsonSchema;
use serde::Serialize;

/// Sampling rate of clips [1/s]; poses in between add nothing.
const RATE: f64 = 30.0;
/// The most frames from which examples are chosen.
const FRAMES: usize = 60_000;
/// Most examples.
const POSES: usize = 2_400;
/// Most bytes of the file.
const FILE_BYTES: usize = 1 << 20;
/// Most bytes of the examples.
const BYTES: usize = 640_000;
/// Least number of poses.
const LEAST: usize = 100;

/// The rotations of a clip, from which examples are chosen.
#[derive(Clone, Debug)]
pub struct Sampled {
    body: Body,
    clip: Clip,
}

/// A clip that was left out.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LeftOut {
    /// Its index among the clips.
    pub clip: usize,
    /// Why.
    pub reason: String,
}

/// The report of [`learn`].
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LearnReport {
    /// Clips from which examples were chosen.
    pub clips: usize,
    /// Of these, clips of other skeletons than that of the examples, which were retargeted to it.
    pub retargeted: usize,
    /// Frames that were considered, at most 30 per second.
    pub frames: usize,
    /// Example poses.
    pub poses: usize,
    /// Joints of a pose.
    pub joints: usize,
    /// Distance of frames from the nearest example, root mean square over the points of the body: mean over at most 4,000
    /// of the frames, evenly spread [m]; null where the unit of the skeleton is not known.
    pub distance_mean: Option<f64>,
    /// The same, greatest of these frames [m].
    pub distance_max: Option<f64>,
    /// The variation of each joint in the examples: root mean square angle from its mean [rad].
    pub turns: Vec<JointTurn>,
    /// Clips that were left out.
    pub left_out: Vec<LeftOut>,
}

/// The variation of a joint.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct JointTurn {
    /// Its name.
    pub joint: String,
    /// Root mean square angle from its mean [rad].
    pub angle: f64,
}

impl Sampled {
    /// The poses of a clip.
    ///
    /// # Errors
    /// Where it is not the motion of a human body.
    pub fn of(clip: &Clip) -> Result<Sampled, PosesError> {
        let body = Body::with_roles(clip.skeleton(), &map_roles_in(clip))?;
        let step = (clip.rate().fps() / RATE).round().max(1.0) as usize;
        let frames: Vec<usize> = (0..clip.frames()).step_by(step).collect();
        let mut tracks: Vec<JointTracks> = body.skeleton.joints().iter().map(JointTracks::at_rest).collect();
        let mut above = Vec::new();
        let mut at = body.skeleton.joint(body.hips).parent;
        while let Some(joint) = at {
            above.push(joint);
            at = body.skeleton.joint(joint).parent;
        }
        let turn = |joint: JointId, frame: usize| clip.track(joint).rotation.at(frame);
        // Rotations of joints above the hips are included in those of the hips.
        let hips = |frame: &usize| {
            above.iter().fold(turn(body.hips, *frame), |turned, joint| turn(*joint, *frame) * turned)
        };
        above.iter().for_each(|joint| tracks[joint.index()].rotation = Track::Constant(Quat::identity()));
        tracks[body.hips.index()].rotation = Track::Sampled(frames.iter().map(hips).collect());
        for joint in body.joints.iter().filter(|joint| **joint != body.hips) {
            tracks[joint.index()].rotation =
                Track::Sampled(frames.iter().map(|at| turn(*joint, *at)).collect());
        }
        let rate = FrameRate::new(RATE).expect("it is above 0");
        let clip = Clip::new(body.skeleton.clone(), rate, frames.len(), tracks)?;
        Ok(Sampled { body, clip })
    }

    fn on(&self, body: &Body) -> Result<Clip, PosesError> {
        match same_bones(&self.body, body) {
            true => Ok(self.clip.clone()),
            false => on_skeleton(&self.clip, &body.skeleton),
        }
    }
}

/// Chooses examples from clips. Clips of other skeletons than the most common one are retargeted to it; what cannot be is
/// left out, and reported.
///
/// # Errors
/// [`PosesError::TooFew`] for fewer than 100 poses.
pub fn learn(clips: &[Sampled]) -> Result<(PosePrior, LearnReport), PosesError> {
    let all: usize = clips.iter().map(|sampled| sampled.clip.frames()).sum();
    let Some(body) = most_common(clips).filter(|_| all >= LEAST) else {
        return Err(PosesError::TooFew { poses: all, least: LEAST });
    };
    let (mut left_out, mut retargeted, mut learnt) = (Vec::new(), 0, 0);
    let mut rotations: Vec<Quat> = Vec::new();
    let mut descriptors = Descriptors::new(&body);
    let taken: Vec<usize> = evenly_spaced(all, FRAMES).collect();
    let (mut start, mut next) = (0, 0);
    for (place, sampled) in clips.iter().enumerate() {
        let end = start + sampled.clip.frames();
        let until = next + taken[next..].partition_point(|at| *at < end);
        let own = &taken[std::mem::replace(&mut next, until)..until];
        let first = std::mem::replace(&mut start, end);
        match sampled.on(&body) {
            Ok(clip) => {
                learnt += 1;
                retargeted += usize::from(!same_bones(&sampled.body, &body));
                let placed = placed(&body, &clip);
                for frame in own.iter().map(|at| at - first) {
                    descriptors.add(&placed[frame * body.skeleton.len()..(frame + 1) * body.skeleton.len()]);
                    rotations.extend(pose(&body, &clip, &placed, frame));
                }
            }
            Err(error) => left_out.push(LeftOut { clip: place, reason: error.to_string() }),
        }
    }
    let frames = rotations.len() / body.joints.len();
    if frames < LEAST {
        return Err(PosesError::TooFew { poses: frames, least: LEAST });
    }
    let chosen = choose(&descriptors, POSES.min(BYTES / (6 * body.joints.len())));
    let joints = body.joints.len();
    let rotations: Vec<Quat> =
        chosen.iter().flat_map(|at| rotations[at * joints..(at + 1) * joints].iter().copied()).collect();
    let kept = descriptors.only(&chosen);
    let off: Vec<f64> =
        evenly_spaced(frames, 4_000).map(|at| f64::from(nearest(&kept, descriptors.at(at))).sqrt()).collect();
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    let max = off.iter().copied().fold(0.0, f64::max);
    let metres = mocap_analysis::guess_unit(&body.skeleton).or(body.skeleton.space().unit);
    let metres = body.skeleton.space().metres().or(metres.map(|unit| unit.metres));
    let length = metres.map(|metres| metres * body.leg);
    let report = LearnReport {
        clips: learnt,
        retargeted,
        frames,
        poses: chosen.len(),
        joints,
        distance_mean: length.map(|length| length * mean),
        distance_max: length.map(|length| length * max),
        turns: turns(&body, &rotations),
        left_out,
    };
    let fitted = Vec::new();
    let mut prior = PosePrior {
        joints: body.joints.clone(),
        body,
        rotations,
        clips: learnt,
        frames,
        spacing: max,
        fitted,
    };
    let examples = Examples::on(&prior, &prior.body.skeleton)?;
    prior.fitted = vec![usual(&examples, false)?, usual(&examples, true)?];
    while prior.to_bytes().len() > FILE_BYTES && prior.fitted.pop().is_some() {}
    Ok((prior, report))
}

/// The regressions for hips, hands, feet and head; all with orientations, or the hips only.
fn usual(examples: &Examples, oriented: bool) -> Result<Fitted, PosesError> {
    let body = &examples.body;
    let hips = Known { joint: body.hips, position: true, orientation: true };
    let head = body.trunk[body.trunk.len() - 1];
    let ends = body.limbs.iter().map(Limb::end).chain([head]);
    let ends = ends.map(|joint| Known { joint, position: true, orientation: oriented });
    let mut known: Vec<Known> = [hips].into_iter().chain(ends).collect();
    known.sort();
    Ok(Predictor::of(examples, &known, BodySolver::default())?.fitted(&known))
}

/// The body with the most frames; of equal ones the first.
fn most_common(clips: &[Sampled]) -> Option<Body> {
    let mut kinds: Vec<(&Sampled, usize)> = Vec::new();
    for sampled in clips {
        let frames = sampled.clip.frames();
        match kinds.iter_mut().find(|(kind, _)| same_bones(&kind.body, &sampled.body)) {
            Some((_, count)) => *count += frames,
            None => kinds.push((sampled, frames)),
        }
    }
    let most = kinds.iter().map(|(_, count)| *count).max()?;
    kinds.iter().find(|(_, count)| *count == most).map(|(kind, _)| kind.body.clone())
}

/// The rotations of a frame: of the hips in object space without heading, of others local.
fn pose<'a>(
    body: &'a Body,
    clip: &'a Clip,
    placed: &[Placed],
    frame: usize,
) -> impl Iterator<Item = Quat> + 'a {
    let at = &placed[frame * body.skeleton.len()..];
    let up = body.up();
    let [across, along] = floor_axes(&up);
    let [left, right] = [2, 3].map(|limb: usize| at[body.limbs[limb].upper().index()].translation.vector);
    let line: Vec3 = left - right;
    let heading = line.dot(&along).atan2(line.dot(&across));
    let hips = exp(&(up * -heading)) * at[body.hips.index()].rotation;
    body.joints.iter().map(move |joint| match *joint == body.hips {
        true => hips,
        false => clip.track(*joint).rotation.at(frame),
    })
}

/// Chooses half of the examples evenly over all frames, which represents common poses; each of the other half is the
/// frame furthest from all chosen before, so that rare poses are included.
///
/// Based on: T. Gonzalez, "Clustering to minimize the maximum intercluster distance", 1985.
fn choose(descriptors: &Descriptors, most: usize) -> Vec<usize> {
    let count = descriptors.len();
    if count <= most {
        return (0..count).collect();
    }
    let mut chosen: Vec<usize> = evenly_spaced(count, most / 2).collect();
    let usual = descriptors.only(&chosen);
    let mut off: Vec<f32> = (0..count).map(|at| nearest(&usual, descriptors.at(at))).collect();
    while chosen.len() < most {
        let (furthest, distance) = off
            .iter()
            .enumerate()
            .fold((0, 0.0), |best, (at, off)| if *off > best.1 { (at, *off) } else { best });
        if distance <= 0.0 {
            break;
        }
        chosen.push(furthest);
        let new = descriptors.at(furthest);
        off.iter_mut().enumerate().for_each(|(at, off)| *off = off.min(descriptors.distance(at, new)));
    }
    chosen.sort_unstable();
    chosen
}

fn turns(body: &Body, rotations: &[Quat]) -> Vec<JointTurn> {
    let joints = body.joints.len();
    let turn = |(place, joint): (usize, &JointId)| {
        let own = || rotations.iter().skip(place).step_by(joints);
        let mean = mean_rotation(own());
        let square: f64 = own().map(|turn| turn.angle_to(&mean).powi(2)).sum();
        let angle = (square / own().count() as f64).sqrt();
        JointTurn { joint: body.skeleton.joint(*joint).name.clone(), angle }
    };
    body.joints.iter().enumerate().map(turn).collect()
}

/// The mean of rotations: the sum of their quaternions, each on the side of the first.
pub(crate) fn mean_rotation<'a>(rotations: impl Iterator<Item = &'a Quat> + Clone) -> Quat {
    let first = rotations.clone().next().copied().unwrap_or_else(Quat::identity);
    let sum = rotations.fold(nalgebra::Vector4::zeros(), |sum, turn| {
        sum + turn.coords * if turn.coords.dot(&first.coords) < 0.0 { -1.0 } else { 1.0 }
    });
    let sum = nalgebra::Quaternion::from(sum);
    Quat::try_new(sum, 1e-9).unwrap_or(first)
}
