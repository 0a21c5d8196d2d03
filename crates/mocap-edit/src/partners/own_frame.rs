//! A canonical frame and order of two people, so that results do not depend on their placement, heading or order, up to
//! rounding.

use mocap_model::{Clip, ForwardKinematics, Track, UnitQuaternion, Vector3};

use super::NAME;
use super::contact::Person;
use crate::EditError;

/// A rotation about the up axis, followed by a translation along the ground.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnFrame {
    turn: UnitQuaternion<f64>,
    way: Vector3<f64>,
}

impl OwnFrame {
    /// The frame in which, on average, the first is ahead of the second, and the origin is in the middle between them.
    pub(super) fn of(people: &[Person; 2], clips: &[Clip; 2]) -> OwnFrame {
        let mut placed = clips.each_ref().map(ForwardKinematics::new);
        let (mut apart, mut sum) = (Vector3::zeros(), Vector3::zeros());
        for frame in 0..clips[0].frames() {
            placed.iter_mut().for_each(|one| one.place(frame));
            let [a, b] = [0, 1].map(|i| placed[i].position(people[i].body.hips));
            apart += a - b;
            sum += a + b;
        }
        let body = &people[0].body;
        let turn = body.turn(-body.heading_of(&apart).unwrap_or_default());
        let middle = body.on_ground(&sum) / (2.0 * clips[0].frames().max(1) as f64);
        OwnFrame { turn, way: -(turn * middle) }
    }

    /// A frame that is only turned.
    pub(super) fn turning(turn: UnitQuaternion<f64>) -> OwnFrame {
        OwnFrame { turn, way: Vector3::zeros() }
    }

    pub(super) fn inverse(&self) -> OwnFrame {
        let turn = self.turn.inverse();
        OwnFrame { turn, way: -(turn * self.way) }
    }

    /// A motion in the frame.
    pub(super) fn put(&self, clip: &Clip) -> Result<Clip, EditError> {
        let skeleton = clip.skeleton();
        let mut tracks = clip.tracks().to_vec();
        for (root, joint) in skeleton.iter().filter(|(_, joint)| joint.parent.is_none()) {
            let own = &mut tracks[root.index()];
            own.rotation = own.rotation.map(|rotation| self.turn * rotation);
            let places = own.translation.clone().unwrap_or(Track::Constant(joint.offset));
            own.translation = Some(places.map(|place| self.turn * place + self.way));
        }
        let failed = |error| EditError::model(NAME, error);
        let put = Clip::new(skeleton.clone(), clip.rate(), clip.frames(), tracks).map_err(failed)?;
        put.with_annotations(clip.annotations().clone()).map_err(failed)
    }
}

/// Whether to exchange two people, so that the smaller one (of the targets, then of the sources) comes first.
pub(super) fn is_exchanged(sources: &[Clip; 2], targets: &[Clip; 2]) -> bool {
    let size = |clip: &Clip| clip.skeleton().joints().iter().map(|joint| joint.offset.norm()).sum::<f64>();
    let order = |clips: &[Clip; 2]| size(&clips[0]).total_cmp(&size(&clips[1]));
    order(targets).then_with(|| order(sources)).is_gt()
}
