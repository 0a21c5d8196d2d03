//! Motions without moving joints.

use mocap_analysis::tree_diameter;
use mocap_model::{Clip, Track};

/// Whether a motion without a mesh consists of scalar tracks only, such as a face take: its joints stay at one
/// position, so a drawing of them shows nothing.
pub fn has_only_numbers(clip: &Clip) -> bool {
    let skeleton = clip.skeleton();
    let stays = |moves: &Option<Track<_>>| !moves.as_ref().is_some_and(Track::is_sampled);
    let mut roots = skeleton.roots().map(|root| skeleton.joint(root).offset);
    let first = roots.next();
    !clip.annotations().scalars.is_empty()
        && skeleton.robot().is_none()
        && tree_diameter(skeleton) == 0.0
        && roots.all(|offset| Some(offset) == first)
        && clip.tracks().iter().all(|tracks| stays(&tracks.translation))
}
