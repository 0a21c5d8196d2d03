//! Motions for tests: of any size and position, in any space.

use crate::film::RenderOptions;
use mocap_model::{Clip, FrameRate, Joint, JointId, JointTracks, Role, Skeleton, Space, Track, Vector3, exp};
use std::sync::Arc;

/// A chain of `joints` joints, each `length` long, the last one an end site where there are two or more; it
/// curls and its root moves along X.
pub(crate) fn chain(joints: usize, length: f64, frames: usize, space: Space) -> Clip {
    let up = space.up.vector();
    let joint = |i: usize| Joint {
        role: (i == 0).then_some(Role::Hips),
        end_site: i > 0 && i + 1 == joints,
        ..Joint::new(
            format!("joint {i}"),
            i.checked_sub(1).map(JointId::from),
            if i == 0 { Vector3::zeros() } else { up * length },
        )
    };
    let skeleton = Arc::new(Skeleton::new("chain", space, (0..joints).map(joint).collect()).unwrap());
    let mut tracks: Vec<_> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    let curl = |frame: usize| exp(&Vector3::new(0.0, 0.0, (frame as f64 / 7.0).sin() / joints as f64));
    for track in tracks.iter_mut().filter(|_| frames > 0) {
        track.rotation = Track::Sampled((0..frames).map(curl).collect());
    }
    if frames > 0 {
        let place = |frame: usize| Vector3::new(length * frame as f64 / 50.0, 0.0, 0.0);
        tracks[0].translation = Some(Track::Sampled((0..frames).map(place).collect()));
    }
    Clip::new(skeleton, FrameRate::new(60.0).unwrap(), frames, tracks).unwrap()
}

/// Somebody who waves.
pub(crate) fn wave() -> Clip {
    include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"))
}

/// Options of a small film of half a second.
pub(crate) fn half_a_second() -> RenderOptions {
    RenderOptions { size: [160, 120], fps: 10.0, range: [Some(0.5), Some(1.0)], ..RenderOptions::default() }
}
