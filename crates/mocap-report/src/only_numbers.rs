//! Motions of which joints show nothing.

use mocap_analysis::tree_diameter;
use mocap_model::{Clip, Track};

/// Whether a motion without a mesh is only numbers over time, such as a take of a face: its joints stay in one place, and a
/// drawing of them shows nothing.
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
