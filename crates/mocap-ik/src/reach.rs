//! Goals out of reach: the chain is stretched towards the goal, or folded onto it.

use crate::step::shortest;
use crate::{Goal, IkChain, Quat, SolveOptions};

/// Turns each bone along the line to the goal: all away from the base if the goal is too far; the longest
/// bone away and the others back if it is too near. Does nothing and returns `false` if a joint has limits.
pub(crate) fn align(chain: &mut IkChain, effector: usize, goal: &Goal, options: &SolveOptions) -> bool {
    let path = chain.path_len(effector);
    let limited = (0..path).any(|k| !chain.turns_freely(chain.path_joint(effector, k), options));
    let Some(first) = chain.first_turning(effector) else { return true };
    if limited || goal.wants_orientation() {
        return false;
    }
    let origin = chain.position[first];
    let mut direction = goal.position - origin;
    if direction.norm_squared() == 0.0 {
        direction = chain.tip(effector).0 - origin;
    }
    let too_far = direction.norm() >= chain.reach(effector).max;
    let longest =
        (0..path).max_by(|&a, &b| chain.bone(effector, a).norm().total_cmp(&chain.bone(effector, b).norm()));
    let mut parent = chain.parent_frame(chain.path_joint(effector, 0));
    for k in 0..path {
        let joint = chain.path_joint(effector, k);
        let target = if too_far || Some(k) == longest { direction } else { -direction };
        let frame = parent * chain.local[joint];
        let turned = shortest(&(frame * chain.bone(effector, k)), &target) * frame;
        chain.local[joint] = Quat::new_normalize((parent.inverse() * turned).into_inner());
        parent = turned;
    }
    chain.update();
    true
}
