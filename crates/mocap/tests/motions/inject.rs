//! Injects known artifacts into motions.

use mocap::{Clip, Isometry3, JointId, JointTracks, Role, Track, UnitQuaternion, Vector3};
use mocap_model::{ForwardKinematics, exp, log};
use std::ops::Range;

/// The hips, or the first joint.
fn hips(clip: &Clip) -> JointId {
    clip.skeleton().with_role(Role::Hips).unwrap_or(JointId(0))
}

fn rotations(clip: &Clip, joint: JointId) -> Vec<UnitQuaternion<f64>> {
    (0..clip.frames()).map(|frame| clip.local(joint, frame).rotation).collect()
}

fn translations(clip: &Clip, joint: JointId) -> Vec<Vector3<f64>> {
    (0..clip.frames()).map(|frame| clip.local(joint, frame).translation.vector).collect()
}

fn with_tracks(clip: &Clip, change: impl FnOnce(&mut [JointTracks])) -> Clip {
    let mut tracks = clip.tracks().to_vec();
    change(&mut tracks);
    Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap()
}

/// The motion with its root moved by a vector of each frame [units of the clip].
pub(crate) fn moved(clip: &Clip, by: impl Fn(usize) -> Vector3<f64>) -> Clip {
    let places =
        translations(clip, JointId(0)).into_iter().enumerate().map(|(i, place)| place + by(i)).collect();
    with_tracks(clip, |tracks| tracks[0].translation = Some(Track::Sampled(places)))
}

/// The motion with the local rotation of a joint turned in some frames.
pub(crate) fn turned(clip: &Clip, joint: JointId, frames: Range<usize>, by: &Vector3<f64>) -> Clip {
    let mut turns = rotations(clip, joint);
    turns[frames].iter_mut().for_each(|turn| *turn *= exp(by));
    with_tracks(clip, |tracks| tracks[joint.index()].rotation = Track::Sampled(turns))
}

/// The motion with its hips turned about the up axis in some frames.
pub(crate) fn turned_about_up(clip: &Clip, frames: Range<usize>, angle: f64) -> Clip {
    let hips = hips(clip);
    let up = clip.skeleton().space().up.vector();
    let mut turns = rotations(clip, hips);
    let mut kinematics = ForwardKinematics::new(clip);
    for frame in frames {
        kinematics.place(frame);
        let parent = clip.skeleton().joint(hips).parent;
        let above = parent.map_or(UnitQuaternion::identity(), |parent| kinematics.at(parent).rotation);
        turns[frame] = above.inverse() * exp(&(up * angle)) * above * turns[frame];
    }
    with_tracks(clip, |tracks| tracks[hips.index()].rotation = Track::Sampled(turns))
}

/// The motion with a bone of another length in some frames.
pub(crate) fn stretched(clip: &Clip, joint: JointId, frames: Range<usize>, factor: f64) -> Clip {
    let mut places = translations(clip, joint);
    places[frames].iter_mut().for_each(|place| *place *= factor);
    with_tracks(clip, |tracks| tracks[joint.index()].translation = Some(Track::Sampled(places)))
}

/// The motion with the pose of the first of some frames in all of them.
pub(crate) fn frozen(clip: &Clip, frames: Range<usize>) -> Clip {
    let joints = 0..clip.tracks().len();
    with_tracks(clip, |tracks| {
        for joint in joints.map(JointId::from) {
            if let Track::Sampled(turns) = &mut tracks[joint.index()].rotation {
                let first = turns[frames.start];
                turns[frames.clone()].fill(first);
            }
            if let Some(Track::Sampled(places)) = &mut tracks[joint.index()].translation {
                let first = places[frames.start];
                places[frames.clone()].fill(first);
            }
        }
    })
}

/// The motion turned about the up axis and moved elsewhere, as a whole.
pub(crate) fn elsewhere(clip: &Clip, angle: f64, by: &Vector3<f64>) -> Clip {
    let turn = exp(&(clip.skeleton().space().up.vector() * angle));
    let placed = Isometry3::from_parts((*by).into(), turn);
    let root: Vec<Isometry3<f64>> =
        (0..clip.frames()).map(|frame| placed * clip.local(JointId(0), frame)).collect();
    with_tracks(clip, |tracks| {
        tracks[0].rotation = Track::Sampled(root.iter().map(|at| at.rotation).collect());
        tracks[0].translation = Some(Track::Sampled(root.iter().map(|at| at.translation.vector).collect()));
    })
}

/// The motion reflected along X. Roles keep their sides, which must not change a measure.
pub(crate) fn mirrored(clip: &Clip) -> Clip {
    let across = |v: &Vector3<f64>| Vector3::new(-v.x, v.y, v.z);
    // An axis of rotation is reflected the other way.
    let turn = |rotation: &UnitQuaternion<f64>| exp(&-across(&log(rotation)));
    let skeleton = clip.skeleton().with_joints(|joint| {
        joint.offset = across(&joint.offset);
        joint.rest_rotation = turn(&joint.rest_rotation);
    });
    let tracks = (0..clip.tracks().len()).map(JointId::from).map(|joint| {
        let places = || Track::Sampled(translations(clip, joint).iter().map(across).collect());
        JointTracks::new(
            Track::Sampled(rotations(clip, joint).iter().map(turn).collect()),
            clip.track(joint).translation.as_ref().map(|_| places()),
        )
    });
    Clip::new(skeleton.unwrap().into(), clip.rate(), clip.frames(), tracks.collect()).unwrap()
}
