//! Forward kinematics of a whole clip, in blocks of eight frames.

use crate::{Clip, ForwardKinematics, JointId, LANES, RotationLanes, Skeleton, Track, VectorLanes};
use nalgebra::{UnitQuaternion, Vector3};

/// The transforms of joints in object space in all frames of a clip: for passes that read the same joints again and
/// again. For one pose at a time see [`ForwardKinematics`].
///
/// ```
/// use mocap_model::*;
/// use std::sync::Arc;
///
/// let joints = vec![
///     Joint::new("hips", None, Vector3::new(0.0, 0.9, 0.0)),
///     Joint::new("head", Some(JointId(0)), Vector3::new(0.0, 0.7, 0.0)),
/// ];
/// let skeleton = Arc::new(Skeleton::new("stick", Space::default(), joints)?);
/// let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
/// let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 10, tracks)?;
///
/// let placed = PlacedJoints::of(&clip, [JointId(1)]);
/// assert_eq!(placed.position(JointId(1), 9).y, 0.9 + 0.7);
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlacedJoints {
    frames: usize,
    /// By joint of the skeleton: its place in a block; `NONE` if it is not placed.
    places: Vec<u32>,
    /// The number of joints in a block.
    count: usize,
    /// By block, then by joint.
    blocks: Vec<PlacedLanes>,
}

/// A joint in object space in eight frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlacedLanes {
    /// Orientations.
    pub rotation: RotationLanes,
    /// Positions [units of the clip].
    pub position: VectorLanes,
}

const NONE: u32 = u32::MAX;

/// A joint in the blocks, and whether its position is computed.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    joint: JointId,
    placed: bool,
}

/// Whether each joint is one of some joints or above one.
fn and_above(skeleton: &Skeleton, joints: impl IntoIterator<Item = JointId>) -> Vec<bool> {
    let mut chosen = vec![false; skeleton.len()];
    joints.into_iter().for_each(|joint| chosen[joint.index()] = true);
    for (id, joint) in skeleton.iter().rev() {
        if let (true, Some(parent)) = (chosen[id.index()], joint.parent) {
            chosen[parent.index()] = true;
        }
    }
    chosen
}

impl PlacedJoints {
    /// Places these joints and those above them. As [`ForwardKinematics`], bit by bit.
    ///
    /// # Panics
    /// If a joint does not exist.
    pub fn of(clip: &Clip, joints: impl IntoIterator<Item = JointId>) -> PlacedJoints {
        PlacedJoints::with_turned(clip, joints, [])
    }

    /// As [`PlacedJoints::of`], with further joints of which only the orientations mean anything.
    ///
    /// # Panics
    /// If a joint does not exist.
    pub fn with_turned(
        clip: &Clip,
        placed: impl IntoIterator<Item = JointId>,
        turned: impl IntoIterator<Item = JointId>,
    ) -> PlacedJoints {
        let skeleton = clip.skeleton();
        let placed = and_above(skeleton, placed);
        let turned = and_above(skeleton, turned);
        let mut places = vec![NONE; skeleton.len()];
        let chosen = skeleton.iter().map(|(id, _)| id).filter(|id| placed[id.index()] || turned[id.index()]);
        let chosen: Vec<Chosen> =
            chosen.map(|joint| Chosen { joint, placed: placed[joint.index()] }).collect();
        chosen.iter().enumerate().for_each(|(place, chosen)| places[chosen.joint.index()] = place as u32);
        let (frames, count) = (clip.frames(), chosen.len());
        let blocks = vec![PlacedLanes::origin(); frames.div_ceil(LANES) * count];
        let mut placed = PlacedJoints { frames, places, count, blocks };
        match clip.has_scale() {
            true => placed.place_scaled(clip, &chosen),
            false => placed.place(clip, &chosen),
        }
        placed
    }

    fn place(&mut self, clip: &Clip, chosen: &[Chosen]) {
        let PlacedJoints { places, count, blocks, .. } = self;
        let mut local = RotationLanes::same(&UnitQuaternion::identity());
        for (block, lanes) in blocks.chunks_exact_mut((*count).max(1)).enumerate() {
            for (place, Chosen { joint: id, placed }) in chosen.iter().enumerate() {
                let (tracks, joint) = (clip.track(*id), clip.skeleton().joint(*id));
                match &tracks.rotation {
                    Track::Constant(rotation) => local = RotationLanes::same(rotation),
                    Track::Sampled(rotations) => local.set_all(&rotations[block * LANES..]),
                }
                let (above, lanes) = lanes.split_at_mut(place);
                let parent = joint.parent.map(|parent| &above[places[parent.index()] as usize]);
                match (parent, &tracks.translation) {
                    (Some(parent), _) if !placed => lanes[0].set_turned_below(parent, &local),
                    (Some(parent), Some(Track::Sampled(translations))) => {
                        let moved = VectorLanes::gather(&translations[block * LANES..]);
                        lanes[0].rotation = parent.rotation.product(&local);
                        lanes[0].position = parent.position.plus(&parent.rotation.turn_each(&moved));
                    }
                    (Some(parent), Some(Track::Constant(offset))) => {
                        lanes[0].set_below(parent, &local, offset)
                    }
                    (Some(parent), None) => lanes[0].set_below(parent, &local, &joint.offset),
                    (None, Some(Track::Sampled(translations))) => {
                        let position = VectorLanes::gather(&translations[block * LANES..]);
                        lanes[0] = PlacedLanes { rotation: local, position };
                    }
                    (None, Some(Track::Constant(offset))) => {
                        lanes[0] = PlacedLanes { rotation: local, position: VectorLanes::same(offset) };
                    }
                    (None, None) => {
                        lanes[0] =
                            PlacedLanes { rotation: local, position: VectorLanes::same(&joint.offset) };
                    }
                }
            }
        }
    }

    /// Frame by frame: scale tracks stretch the places of the joints below.
    fn place_scaled(&mut self, clip: &Clip, chosen: &[Chosen]) {
        let chosen: Vec<JointId> = chosen.iter().map(|chosen| chosen.joint).collect();
        let mut kinematics = ForwardKinematics::of_joints(clip, &chosen);
        for frame in 0..self.frames {
            kinematics.place(frame);
            for (place, id) in chosen.iter().enumerate() {
                let lanes = &mut self.blocks[frame / LANES * self.count + place];
                lanes.rotation.set(frame % LANES, &kinematics.at(*id).rotation);
                lanes.position.set(frame % LANES, &kinematics.position(*id));
            }
        }
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// A joint in the frames from `LANES * block` on. Lanes beyond the last frame repeat a frame.
    ///
    /// # Panics
    /// If the joint is not placed or the block does not exist.
    pub fn lanes(&self, joint: JointId, block: usize) -> &PlacedLanes {
        &self.blocks[block * self.count..][..self.count][self.places[joint.index()] as usize]
    }

    /// The position of a joint in a frame [units of the clip].
    ///
    /// # Panics
    /// If the joint is not placed or the frame does not exist.
    #[inline]
    pub fn position(&self, joint: JointId, frame: usize) -> Vector3<f64> {
        self.lanes(joint, frame / LANES).position.at(frame % LANES)
    }

    /// The orientation of a joint in a frame.
    ///
    /// # Panics
    /// If the joint is not placed or the frame does not exist.
    #[inline]
    pub fn rotation(&self, joint: JointId, frame: usize) -> UnitQuaternion<f64> {
        self.lanes(joint, frame / LANES).rotation.at(frame % LANES)
    }
}

impl PlacedLanes {
    /// At the origin, without rotation.
    pub fn origin() -> PlacedLanes {
        PlacedLanes {
            rotation: RotationLanes::same(&UnitQuaternion::identity()),
            position: VectorLanes::same(&Vector3::zeros()),
        }
    }

    /// Places a joint below its parent, with local rotations, at an offset in the frame of the parent.
    pub fn set_below(&mut self, parent: &PlacedLanes, local: &RotationLanes, offset: &Vector3<f64>) {
        for lane in 0..LANES {
            let turn = parent.rotation.at(lane);
            self.rotation.set(lane, &(turn * local.at(lane)));
            self.position.set(lane, &(parent.position.at(lane) + turn * offset));
        }
    }

    /// Turns a joint below its parent, with local rotations; its position stays as it is.
    pub fn set_turned_below(&mut self, parent: &PlacedLanes, local: &RotationLanes) {
        for lane in 0..LANES {
            self.rotation.set(lane, &(parent.rotation.at(lane) * local.at(lane)));
        }
    }

    /// Moves a joint to an offset in the frame of its parent.
    pub fn set_position_below(&mut self, parent: &PlacedLanes, offset: &Vector3<f64>) {
        for lane in 0..LANES {
            let turned = parent.rotation.at(lane) * offset;
            self.position.set(lane, &(parent.position.at(lane) + turned));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FrameRate, Joint, JointTracks, Space, exp};
    use std::sync::Arc;

    #[test]
    fn joints_that_are_only_turned_have_the_orientations_of_placed_ones() {
        let joint = |name: &str, parent: Option<u32>| Joint::new(name, parent.map(JointId), Vector3::y());
        let joints =
            vec![joint("hips", None), joint("arm", Some(0)), joint("hand", Some(1)), joint("leg", Some(0))];
        let skeleton = Arc::new(Skeleton::new("", Space::default(), joints).unwrap());
        let turned = |by: f64| {
            let angles = (0..11).map(|frame| exp(&(Vector3::new(by, 0.1, 0.0) * f64::from(frame))));
            JointTracks::new(Track::Sampled(angles.collect()), None)
        };
        let tracks = [0.1, 0.2, 0.3, 0.4].map(turned).to_vec();
        let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 11, tracks).unwrap();
        let [hips, hand, leg] = [0, 2, 3].map(JointId);
        let all = PlacedJoints::of(&clip, [hand, leg]);
        let some = PlacedJoints::with_turned(&clip, [leg], [hand]);
        for frame in 0..11 {
            assert_eq!(some.rotation(hand, frame), all.rotation(hand, frame));
            for placed in [hips, leg] {
                assert_eq!(some.rotation(placed, frame), all.rotation(placed, frame));
                assert_eq!(some.position(placed, frame), all.position(placed, frame));
            }
        }
    }
}
