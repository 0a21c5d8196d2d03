//! A body together with the skeleton that it is bound to.

use std::collections::HashSet;
use std::sync::Arc;

use super::Body;
use crate::Skeleton;

/// A body, and the skeleton that it is bound to. A clip that shows it may have another skeleton of the same character:
/// joints are found by their names.
#[derive(Clone, Debug, PartialEq)]
pub struct BoundBody {
    /// The body.
    pub body: Arc<Body>,
    /// The skeleton whose joints its skins name.
    pub skeleton: Arc<Skeleton>,
}

impl BoundBody {
    /// The body on the joints of another skeleton: see [`Body::on`].
    pub fn on(&self, skeleton: &Skeleton) -> Body {
        self.body.on(&self.skeleton, skeleton)
    }

    /// The part of the body that belongs to a skeleton. Faces that follow joints without an ancestor or descendant in
    /// `skeleton`, such as those of another character, are left out. `None` where nothing remains.
    pub fn part_on(&self, skeleton: &Skeleton) -> Option<BoundBody> {
        let named: HashSet<&str> = skeleton.joints().iter().map(|joint| joint.name.as_str()).collect();
        let mut kin: Vec<bool> =
            self.skeleton.joints().iter().map(|joint| named.contains(joint.name.as_str())).collect();
        // Parents come first: upwards in reverse, then downwards.
        let mut has_below = kin.clone();
        for (id, joint) in self.skeleton.iter().rev() {
            if let Some(parent) = joint.parent {
                has_below[parent.index()] |= has_below[id.index()];
            }
        }
        for (id, joint) in self.skeleton.iter() {
            kin[id.index()] |= joint.parent.is_some_and(|parent| kin[parent.index()]);
        }
        kin.iter_mut().zip(has_below).for_each(|(kin, below)| *kin |= below);
        if kin.iter().all(|kin| *kin) {
            return Some(self.clone());
        }
        let body = self.body.part(|joint| kin[joint.index()])?;
        Some(BoundBody { body: Arc::new(body), skeleton: self.skeleton.clone() })
    }
}
