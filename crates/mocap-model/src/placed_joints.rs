//! Forward kinematics of a whole clip, in blocks of eight frames.

use crate::{Clip, ForwardKinematics, Joint, JointId, LANES, RotationLanes, Skeleton, Track, VectorLanes};
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

/// A joint in the blocks, and which of its values are computed.
#[derive(Clone, Copy, Debug)]
struct Chosen {
    joint: JointId,
    turned: bool,
    placed: bool,
}

/// By joint: whether it is one of `joints` or an ancestor of one.
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
        let joints: Vec<JointId> = joints.into_iter().collect();
        PlacedJoints::with_turned(clip, joints.iter().copied(), joints.iter().copied())
    }

    /// As [`PlacedJoints::of`], but only the positions of `placed` and the orientations of `turned` are computed.
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
        let above = |(id, joint): (JointId, &Joint)| joint.parent.filter(|_| placed[id.index()]);
        let turned = and_above(skeleton, turned.into_iter().chain(skeleton.iter().filter_map(above)));
        let chosen = skeleton.iter().map(|(joint, _)| Chosen {
            joint,
            turned: turned[joint.index()],
            placed: placed[joint.index()],
        });
        let chosen: Vec<Chosen> = chosen.filter(|chosen| chosen.turned || chosen.placed).collect();
        let mut places = vec![NONE; skeleton.len()];
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
        for (block, lanes) in blocks.chunks_exact_mut((*count).max(1)).enumerate() {
            for (place, Chosen { joint: id, turned, placed }) in chosen.iter().enumerate() {
                let (tracks, joint) = (clip.track(*id), clip.skeleton().joint(*id));
                let (above, below) = lanes.split_at_mut(place);
                let parent = joint.parent.map(|parent| &above[places[parent.index()] as usize]);
                if *turned {
                    below[0].turn_below(parent, &tracks.rotation, block);
                }
                if *placed {
                    let offset = Track::Constant(joint.offset);
                    below[0].move_below(parent, tracks.translation.as_ref().unwrap_or(&offset), block);
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

    /// The positions of a joint in all frames [units of the clip].
    ///
    /// # Panics
    /// If the joint is not placed.
    pub fn positions(&self, joint: JointId) -> Vec<Vector3<f64>> {
        let mut positions = Vec::with_capacity(self.frames.next_multiple_of(LANES));
        for block in 0..self.frames.div_ceil(LANES) {
            let lanes = &self.lanes(joint, block).position;
            positions.extend((0..LANES).map(|lane| lanes.at(lane)));
        }
        positions.truncate(self.frames);
        positions
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

    /// Turns a joint below its parent, if it has one, by its local rotations in a block of frames.
    fn turn_below(&mut self, parent: Option<&PlacedLanes>, local: &Track<UnitQuaternion<f64>>, block: usize) {
        let turned = &mut self.rotation;
        match (parent, local) {
            (None, Track::Constant(local)) => *turned = RotationLanes::same(local),
            (None, Track::Sampled(local)) => turned.set_all(&local[block * LANES..]),
            (Some(parent), Track::Constant(local)) if local.coords == UnitQuaternion::identity().coords => {
                *turned = parent.rotation;
            }
            (Some(parent), Track::Constant(local)) => turned.set_product(&parent.rotation, local),
            (Some(parent), Track::Sampled(local)) => {
                turned.set_products(&parent.rotation, &local[block * LANES..]);
            }
        }
    }

    /// Moves a joint to its local translations in a block of frames, in the frame of its parent if it has one.
    fn move_below(&mut self, parent: Option<&PlacedLanes>, local: &Track<Vector3<f64>>, block: usize) {
        match (parent, local) {
            (None, Track::Constant(local)) => self.position = VectorLanes::same(local),
            (None, Track::Sampled(local)) => self.position = VectorLanes::gather(&local[block * LANES..]),
            (Some(parent), Track::Constant(local)) => self.set_position_below(parent, local),
            (Some(parent), Track::Sampled(local)) => {
                let moved = parent.rotation.turn_each(&VectorLanes::gather(&local[block * LANES..]));
                self.position = parent.position.plus(&moved);
            }
        }
    }

    /// Moves a joint to an offset in the frame of its parent.
    pub fn set_position_below(&mut self, parent: &PlacedLanes, offset: &Vector3<f64>) {
        if *offset == Vector3::zeros() {
            self.position = parent.position;
            return;
        }
        for lane in 0..LANES {
            let turned = parent.rotation.at(lane) * offset;
            self.position.set(lane, &(parent.position.at(lane) + turned));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FrameRate, JointTracks, Space, exp};
    use std::sync::Arc;

    #[test]
    fn joints_that_do_not_turn_or_are_where_their_parents_are_have_the_bits_of_others() {
        let offsets = [0.9, 0.0, 0.4, 0.0, 0.2].map(|y| Vector3::new(0.0, y, 0.1 * y));
        let joint = |i: usize| Joint::new(format!("{i}"), i.checked_sub(1).map(JointId::from), offsets[i]);
        let skeleton = Skeleton::new("", Space::default(), (0..5).map(joint).collect()).unwrap();
        let turns = (0..11).map(|frame| exp(&(Vector3::new(0.1, 0.2, 0.3) * f64::from(frame)))).collect();
        let steps = (0..11).map(|frame| Vector3::x() * f64::from(frame)).collect();
        let tracks = [
            JointTracks::new(Track::Sampled(turns), Some(Track::Sampled(steps))),
            JointTracks::new(Track::Constant(UnitQuaternion::identity()), None),
            JointTracks::new(Track::Constant(exp(&Vector3::new(0.3, 0.0, 0.1))), None),
            JointTracks::new(Track::Constant(UnitQuaternion::identity()), None),
            JointTracks::new(Track::Constant(exp(&Vector3::z())), Some(Track::Constant(Vector3::x()))),
        ];
        let clip = Clip::new(Arc::new(skeleton), FrameRate::new(30.0).unwrap(), 11, tracks.to_vec()).unwrap();
        let ids: Vec<JointId> = (0..5).map(JointId).collect();
        let placed = PlacedJoints::of(&clip, ids.iter().copied());
        let mut kinematics = ForwardKinematics::of_joints(&clip, &ids);
        for frame in 0..11 {
            kinematics.place(frame);
            for id in &ids {
                assert_eq!(placed.rotation(*id, frame), kinematics.at(*id).rotation);
                assert_eq!(placed.position(*id, frame), kinematics.position(*id));
                assert_eq!(placed.positions(*id)[frame], kinematics.position(*id));
            }
        }
    }

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
            assert_eq!(some.rotation(hips, frame), all.rotation(hips, frame));
            assert_eq!(some.position(leg, frame), all.position(leg, frame));
        }
    }
}
