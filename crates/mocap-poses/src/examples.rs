//! Example poses, and their retargeting to the skeleton that is solved.

use crate::body::Body;
use crate::fitted::Fitted;
use crate::{Placed, PosesError, Quat, Vec3};
use mocap_model::{Clip, FrameRate, Isometry3, JointId, JointTracks, Skeleton, Track};
use mocap_retarget::{FootLock, Hands, RetargetMethod, RetargetOptions, Retargeter};
use std::sync::Arc;

/// A pose prior: example poses of one skeleton, chosen from a database.
#[derive(Clone, Debug, PartialEq)]
pub struct PosePrior {
    pub(crate) body: Body,
    /// The joints that a pose is of.
    pub(crate) joints: Vec<JointId>,
    /// `poses × joints`: of the hips in object space without heading, of others local.
    pub(crate) rotations: Vec<Quat>,
    /// Clips and frames from which the examples were chosen.
    pub(crate) clips: usize,
    pub(crate) frames: usize,
    /// Greatest distance of frames of the database (of at most 4,000 that are measured) from their nearest examples,
    /// root mean square over the points of the body [lengths of a leg].
    pub(crate) spacing: f64,
    /// Stored regressions for common sets of points.
    pub(crate) fitted: Vec<Fitted>,
}

impl PosePrior {
    /// The number of examples.
    pub fn poses(&self) -> usize {
        self.rotations.len() / self.joints.len()
    }

    /// Clips from which the examples were chosen.
    pub fn clips(&self) -> usize {
        self.clips
    }

    /// Frames from which the examples were chosen.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Number of joints of a pose.
    pub fn pose_joints(&self) -> usize {
        self.joints.len()
    }

    /// Greatest distance of measured frames of the database from their nearest examples [lengths of a leg].
    pub fn spacing(&self) -> f64 {
        self.spacing
    }

    /// Number of sets of points with stored regressions.
    pub fn fitted(&self) -> usize {
        self.fitted.len()
    }

    /// The skeleton of the examples.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        &self.body.skeleton
    }

    /// The examples as a clip, one per frame.
    fn as_clip(&self) -> Result<Clip, PosesError> {
        let (skeleton, count) = (&self.body.skeleton, self.joints.len());
        let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        for (place, joint) in self.joints.iter().enumerate() {
            let turns = self.rotations.iter().skip(place).step_by(count).copied();
            tracks[joint.index()].rotation = Track::Sampled(turns.collect());
        }
        // Joints above the hips keep identity rotations.
        let mut above = skeleton.joint(self.body.hips).parent;
        while let Some(joint) = above {
            tracks[joint.index()].rotation = Track::Constant(Quat::identity());
            above = skeleton.joint(joint).parent;
        }
        let height = self.body.up() * (2.0 * self.body.leg);
        tracks[self.body.hips.index()].translation = Some(Track::Constant(height));
        let rate = FrameRate::new(30.0).expect("it is above 0");
        Ok(Clip::new(skeleton.clone(), rate, self.poses(), tracks)?)
    }
}

/// Example poses on one skeleton, in object space with the hips at the origin.
#[derive(Clone, Debug)]
pub struct Examples {
    pub(crate) body: Body,
    /// `poses × joints of the skeleton`
    placed: Vec<Placed>,
    /// Whether the examples were made for another skeleton.
    pub(crate) retargeted: bool,
    /// Stored regressions of these examples.
    pub(crate) fitted: Vec<Fitted>,
}

impl Examples {
    /// The examples on a skeleton; they are retargeted if theirs is another one.
    ///
    /// # Errors
    /// Where it is not the skeleton of a human body.
    pub fn on(prior: &PosePrior, skeleton: &Arc<Skeleton>) -> Result<Examples, PosesError> {
        let body = Body::of(skeleton)?;
        let retargeted = !same_bones(&prior.body, &body);
        let clip = prior.as_clip()?;
        let clip = if retargeted {
            on_skeleton(&clip, &body.skeleton)?
        } else {
            clip.with_skeleton(body.skeleton.clone())?
        };
        let same = difference(&prior.body, &body).is_some_and(|off| off <= SAME);
        let fitted = if same { prior.fitted.clone() } else { Vec::new() };
        Ok(Examples { placed: placed(&body, &clip), body, retargeted, fitted })
    }

    /// The number of examples.
    pub fn poses(&self) -> usize {
        self.placed.len() / self.body.skeleton.len()
    }

    pub(crate) fn pose(&self, at: usize) -> &[Placed] {
        let count = self.body.skeleton.len();
        &self.placed[at * count..(at + 1) * count]
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &[Placed]> {
        self.placed.chunks_exact(self.body.skeleton.len())
    }
}

/// Tolerance of bones for which rotations can be copied between skeletons [lengths of a leg].
const SIMILAR: f64 = 0.05;
/// Tolerance of bones for which stored regressions stay valid [lengths of a leg].
const SAME: f64 = 2e-3;

/// Whether rotations can be copied between two skeletons: they have the same joints with similar bones.
pub(crate) fn same_bones(a: &Body, b: &Body) -> bool {
    difference(a, b).is_some_and(|off| off <= SIMILAR)
}

/// The greatest difference of the bones of two skeletons below their hips [lengths of a leg]; `None` if they have
/// different joints.
fn difference(a: &Body, b: &Body) -> Option<f64> {
    let same = a.skeleton.len() == b.skeleton.len()
        && a.hips == b.hips
        && a.skeleton.space().up == b.skeleton.space().up
        && a.skeleton.joints().iter().zip(b.skeleton.joints()).all(|(a, b)| {
            a.name == b.name && a.parent == b.parent && a.rest_rotation.angle_to(&b.rest_rotation) < 1e-4
        });
    let pairs =
        a.skeleton.iter().zip(b.skeleton.joints()).filter(|((id, joint), _)| *id > a.hips && !joint.end_site);
    let off = pairs.map(|((_, own), other)| (own.offset / a.leg - other.offset / b.leg).norm());
    same.then(|| off.fold(0.0, f64::max))
}

/// A motion retargeted to another skeleton by the rotations of its joints.
pub(crate) fn on_skeleton(clip: &Clip, target: &Arc<Skeleton>) -> Result<Clip, PosesError> {
    let options = RetargetOptions {
        method: RetargetMethod::Copy,
        hands: Hands::Off,
        foot_lock: FootLock::Off,
        self_contacts: false,
        limits: false,
        ..RetargetOptions::default()
    };
    Ok(Retargeter::new(clip.skeleton(), target, &options)?.retarget_clip(clip)?)
}

/// All joints in all frames of a clip in object space, relative to the position of the hips.
pub(crate) fn placed(body: &Body, clip: &Clip) -> Vec<Placed> {
    let skeleton = &body.skeleton;
    let mut all: Vec<Placed> = Vec::with_capacity(clip.frames() * skeleton.len());
    for frame in 0..clip.frames() {
        let start = all.len();
        for (id, joint) in skeleton.iter() {
            let turn = clip.track(id).rotation.at(frame);
            let local = Isometry3::from_parts(joint.offset.into(), turn);
            all.push(match joint.parent {
                Some(parent) => all[start + parent.index()] * local,
                None => local,
            });
        }
        let hips: Vec3 = all[start + body.hips.index()].translation.vector;
        all[start..].iter_mut().for_each(|placed| placed.translation.vector -= hips);
    }
    all
}
