//! Cache of roles found before. The clips of a database share a few skeletons, and most roles depend on the
//! skeleton only: they are found once per skeleton and thread. The result is the same as without the cache.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use mocap_model::{Joint, SignedAxis, Skeleton};

use super::four_legs::Limbs;
use super::{RoleMap, map_with};

/// Number of skeletons in the cache: source and target of a retarget, with and without stated roles, and the
/// skeletons of a mixed database.
const REMEMBERED: usize = 16;

/// The roles of a skeleton without a motion.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) map: RoleMap,
    /// Whether a motion could decide which side is left.
    pub(super) asks_motion: bool,
    /// Whether the body stands on four legs at rest.
    pub(super) rests_on_four: bool,
}

/// A cache entry: everything that the roles depend on, and the roles.
struct CachedRoles {
    joints: Vec<Joint>,
    axes: [SignedAxis; 2],
    found: Found,
}

thread_local! {
    /// The skeletons used last, the latest first. It affects only time, never results.
    static KNOWN: RefCell<VecDeque<CachedRoles>> = const { RefCell::new(VecDeque::new()) };
}

/// The roles of a skeleton.
pub(super) fn of_skeleton(skeleton: &Skeleton) -> Found {
    KNOWN.with_borrow_mut(|known| {
        let axes = axes(skeleton);
        let same = |known: &CachedRoles| known.axes == axes && known.joints == skeleton.joints();
        if let Some(at) = known.iter().position(same) {
            let latest = known.remove(at).expect("it was found there");
            known.push_front(latest);
        } else {
            known.truncate(REMEMBERED - 1);
            known.push_front(CachedRoles { joints: skeleton.joints().to_vec(), axes, found: find(skeleton) });
        }
        known[0].found.clone()
    })
}

fn axes(skeleton: &Skeleton) -> [SignedAxis; 2] {
    [skeleton.space().up, skeleton.space().forward]
}

fn find(skeleton: &Skeleton) -> Found {
    let asks_motion = Cell::new(false);
    let sides = |_: &_, _: &_| {
        asks_motion.set(true);
        None
    };
    let map = map_with(skeleton, &sides);
    let rests_on_four = Limbs::of(&map).is_some_and(|limbs| limbs.rest_on_four(skeleton));
    Found { map, asks_motion: asks_motion.get(), rests_on_four }
}

#[cfg(test)]
mod tests {
    use mocap_model::{EulerOrder, Joint, JointId, Skeleton, Vector3};

    use super::*;
    use crate::fixtures::clip;
    use crate::map_roles;

    /// A change of one property of a joint.
    type Change = fn(&mut Joint);

    #[test]
    fn remembered_roles_are_those_of_the_skeleton_that_is_asked() {
        let walk = clip("alex_walk.bvh");
        let skeleton = walk.skeleton();
        let changes: [Change; 4] = [
            |joint| joint.name = joint.name.replace("Left", "Sinister").replace("Right", "Dexter"),
            |joint| joint.offset = Vector3::new(-joint.offset.x, joint.offset.y, joint.offset.z),
            |joint| joint.role = None,
            |joint| joint.dofs = mocap_model::Dofs::ball(EulerOrder::XYZ),
        ];
        let changed = changes.map(|change| skeleton.with_joints(change).unwrap());
        let all: Vec<&Skeleton> = [skeleton.as_ref()].into_iter().chain(&changed).collect();
        // More skeletons than the cache holds, in turn, twice.
        for _ in 0..2 {
            for (at, skeleton) in all.iter().cycle().take(3 * REMEMBERED).enumerate() {
                let longer = skeleton.with_joints(|joint| joint.offset *= 1.0 + at as f64).unwrap();
                for skeleton in [*skeleton, &longer] {
                    let found = find(skeleton);
                    let remembered = of_skeleton(skeleton);
                    assert_eq!(remembered.map, found.map);
                    assert_eq!(remembered.asks_motion, found.asks_motion);
                    assert_eq!(remembered.rests_on_four, found.rests_on_four);
                }
            }
        }
        assert!(map_roles(skeleton).joint(mocap_model::Role::Hips) == Some(JointId(0)));
        assert_ne!(map_roles(all[1]), map_roles(skeleton));
        KNOWN.with_borrow(|known| assert!(known.len() <= REMEMBERED));
    }
}
