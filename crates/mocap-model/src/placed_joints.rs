//! Forward kinematics of a whole clip, in blocks of eight frames.

use crate::{
    ClipFrames, ForwardKinematics, Joint, JointId, LANES, RotationLanes, Skeleton, Track, VectorLanes,
};
use nalgebra::{UnitQuaternion, Vector3};
use std::ops::Range;

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
    /// The frames that are placed, from the start of a block.
    range: Range<usize>,
    /// By joint of the skeleton: its place in a block; `NONE` if it is not placed.
    places: Vec<u32>,
    /// The joints of a block.
    chosen: Vec<Chosen>,
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
    /// Places these joints and those above them. Gives the same bits as [`ForwardKinematics`].
    ///
    /// # Panics
    /// If a joint does not exist.
    pub fn of<'a>(
        frames: impl Into<ClipFrames<'a>>,
        joints: impl IntoIterator<Item = JointId>,
    ) -> PlacedJoints {
        let frames = frames.into();
        let joints: Vec<JointId> = joints.into_iter().collect();
        let mut placed =
            PlacedJoints::unplaced(frames.skeleton(), joints.iter().copied(), joints.iter().copied());
        placed.place(frames, 0..frames.frames());
        placed
    }

    /// No frames yet. Only the positions of `placed` and the orientations of `turned` will be
    /// computed; others are undefined.
    ///
    /// # Panics
    /// If a joint does not exist.
    pub fn unplaced(
        skeleton: &Skeleton,
        placed: impl IntoIterator<Item = JointId>,
        turned: impl IntoIterator<Item = JointId>,
    ) -> PlacedJoints {
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
        PlacedJoints { range: 0..0, places, chosen, blocks: Vec::new() }
    }

    /// Places a range of frames in the memory of those that were placed before. Frames keep their
    /// index.
    ///
    /// # Panics
    /// If the range does not start with a block or is not within the frames, or the skeleton is not that of the joints.
    pub fn place(&mut self, frames: ClipFrames, range: Range<usize>) {
        assert!(range.start.is_multiple_of(LANES) && range.end <= frames.frames(), "frames {range:?}");
        assert_eq!(self.places.len(), frames.skeleton().len(), "joints");
        self.blocks.resize(range.len().div_ceil(LANES) * self.chosen.len(), PlacedLanes::origin());
        self.range = range;
        match frames.whole().has_scale() {
            true => self.place_scaled(frames),
            false => self.place_rigid(frames),
        }
    }

    fn place_rigid(&mut self, frames: ClipFrames) {
        let PlacedJoints { range, places, chosen, blocks } = self;
        let Range { start, end } = frames.range();
        for (block, lanes) in blocks.chunks_exact_mut(chosen.len().max(1)).enumerate() {
            let own = start + range.start + block * LANES..end;
            for (place, Chosen { joint: id, turned, placed }) in chosen.iter().enumerate() {
                let (tracks, joint) = (frames.whole().track(*id), frames.skeleton().joint(*id));
                let (above, below) = lanes.split_at_mut(place);
                let parent = joint.parent.map(|parent| &above[places[parent.index()] as usize]);
                if *turned {
                    below[0].turn_below(parent, &tracks.rotation, own.clone());
                }
                if *placed {
                    let offset = Track::Constant(joint.offset);
                    below[0].move_below(parent, tracks.translation.as_ref().unwrap_or(&offset), own.clone());
                }
            }
        }
    }

    /// Frame by frame: scale tracks stretch the places of the joints below. Lanes beyond the last frame repeat it.
    fn place_scaled(&mut self, frames: ClipFrames) {
        let chosen: Vec<JointId> = self.chosen.iter().map(|chosen| chosen.joint).collect();
        let mut kinematics = ForwardKinematics::of_joints(frames.whole(), &chosen);
        let last = self.range.end.saturating_sub(1);
        for at in 0..self.range.len().next_multiple_of(LANES) {
            kinematics.place(frames.range().start + (self.range.start + at).min(last));
            for (place, id) in chosen.iter().enumerate() {
                let lanes = &mut self.blocks[at / LANES * chosen.len() + place];
                lanes.rotation.set(at % LANES, &kinematics.at(*id).rotation);
                lanes.position.set(at % LANES, &kinematics.position(*id));
            }
        }
    }

    /// The frames that are placed.
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// The index after the last placed frame.
    pub fn frames(&self) -> usize {
        self.range.end
    }

    /// The blocks that are placed.
    pub fn blocks(&self) -> Range<usize> {
        self.range.start / LANES..self.range.end.div_ceil(LANES)
    }

    /// A joint in the frames from `LANES * block` on. Lanes beyond the last frame repeat a frame.
    ///
    /// # Panics
    /// If the joint or the block is not placed.
    #[inline]
    pub fn lanes(&self, joint: JointId, block: usize) -> &PlacedLanes {
        let (count, block) = (self.chosen.len(), block - self.range.start / LANES);
        &self.blocks[block * count..][..count][self.places[joint.index()] as usize]
    }

    /// The position of a joint in a frame [units of the clip].
    ///
    /// # Panics
    /// If the joint or the frame is not placed.
    #[inline]
    pub fn position(&self, joint: JointId, frame: usize) -> Vector3<f64> {
        self.lanes(joint, frame / LANES).position.at(frame % LANES)
    }

    /// The positions of a joint in all frames that are placed [units of the clip].
    ///
    /// # Panics
    /// If the joint is not placed.
    pub fn positions(&self, joint: JointId) -> Vec<Vector3<f64>> {
        let mut positions = Vec::with_capacity(self.range.len().next_multiple_of(LANES));
        self.append_positions(joint, &mut positions);
        positions
    }

    /// Appends [`PlacedJoints::positions`] to those of the frames before.
    ///
    /// # Panics
    /// If the joint is not placed.
    pub fn append_positions(&self, joint: JointId, positions: &mut Vec<Vector3<f64>>) {
        let count = positions.len() + self.range.len();
        for block in self.blocks() {
            let lanes = &self.lanes(joint, block).position;
            positions.extend((0..LANES).map(|lane| lanes.at(lane)));
        }
        positions.truncate(count);
    }

    /// The orientation of a joint in a frame.
    ///
    /// # Panics
    /// If the joint or the frame is not placed.
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

    /// Turns a joint below its parent, if it has one, by its local rotations in the block that begins these frames.
    fn turn_below(
        &mut self,
        parent: Option<&PlacedLanes>,
        local: &Track<UnitQuaternion<f64>>,
        frames: Range<usize>,
    ) {
        let turned = &mut self.rotation;
        match (parent, local) {
            (None, Track::Constant(local)) => *turned = RotationLanes::same(local),
            (None, Track::Sampled(local)) => turned.set_all(&local[frames]),
            (Some(parent), Track::Constant(local)) if local.coords == UnitQuaternion::identity().coords => {
                *turned = parent.rotation;
            }
            (Some(parent), Track::Constant(local)) => turned.set_product(&parent.rotation, local),
            (Some(parent), Track::Sampled(local)) => {
                turned.set_products(&parent.rotation, &local[frames]);
            }
        }
    }

    /// Moves a joint to its local translations in the block that begins these frames, in the frame of its parent if it
    /// has one.
    fn move_below(
        &mut self,
        parent: Option<&PlacedLanes>,
        local: &Track<Vector3<f64>>,
        frames: Range<usize>,
    ) {
        match (parent, local) {
            (None, Track::Constant(local)) => self.position = VectorLanes::same(local),
            (None, Track::Sampled(local)) => self.position = VectorLanes::gather(&local[frames]),
            (Some(parent), Track::Constant(local)) => self.set_position_below(parent, local),
            (Some(parent), Track::Sampled(local)) => {
                let moved = parent.rotation.turn_each(&VectorLanes::gather(&local[frames]));
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
    use crate::{Clip, FrameRate, JointTracks, Space, exp};
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
    fn lanes_beyond_the_last_frame_are_places_of_the_motion() {
        let joint = |name: &str, parent: Option<u32>| Joint::new(name, parent.map(JointId), Vector3::y());
        let skeleton = Skeleton::new("", Space::default(), vec![joint("hips", None), joint("head", Some(0))]);
        let skeleton = Arc::new(skeleton.unwrap());
        let mut tracks: Vec<_> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        let turns = (0..11).map(|frame| exp(&(Vector3::x() * 0.1 * f64::from(frame)))).collect();
        tracks[0].rotation = Track::Sampled(turns);
        for scale in [None, Some(Track::Constant(Vector3::repeat(2.0)))] {
            tracks[0].scale = scale;
            let rate = FrameRate::new(30.0).unwrap();
            let clip = Clip::new(skeleton.clone(), rate, 11, tracks.clone()).unwrap();
            let head = JointId(1);
            let mut placed = PlacedJoints::of(&clip, [head]);
            // The second time, the memory holds other frames.
            for _ in 0..2 {
                let own = placed.positions(head);
                for lane in 0..LANES {
                    assert!(own.contains(&placed.lanes(head, 1).position.at(lane)), "lane {lane}");
                }
                placed.place((&clip).into(), 8..11);
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
        let mut some = PlacedJoints::unplaced(clip.skeleton(), [leg], [hand]);
        some.place((&clip).into(), 0..clip.frames());
        for frame in 0..11 {
            assert_eq!(some.rotation(hand, frame), all.rotation(hand, frame));
            assert_eq!(some.rotation(hips, frame), all.rotation(hips, frame));
            assert_eq!(some.position(leg, frame), all.position(leg, frame));
        }
    }
}
