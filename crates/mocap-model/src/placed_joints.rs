//! Forward kinematics of a whole clip, in blocks of eight frames.

use crate::{Clip, ForwardKinematics, JointId, LANES, RotationLanes, Track, VectorLanes};
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

impl PlacedJoints {
    /// Places these joints and those above them. As [`ForwardKinematics`], bit by bit.
    ///
    /// # Panics
    /// If a joint does not exist.
    pub fn of(clip: &Clip, joints: impl IntoIterator<Item = JointId>) -> PlacedJoints {
        let skeleton = clip.skeleton();
        let mut needed = vec![false; skeleton.len()];
        joints.into_iter().for_each(|joint| needed[joint.index()] = true);
        for (id, joint) in skeleton.iter().rev() {
            if let (true, Some(parent)) = (needed[id.index()], joint.parent) {
                needed[parent.index()] = true;
            }
        }
        let mut places = vec![NONE; skeleton.len()];
        let chosen: Vec<JointId> =
            skeleton.iter().map(|(id, _)| id).filter(|id| needed[id.index()]).collect();
        chosen.iter().enumerate().for_each(|(place, id)| places[id.index()] = place as u32);
        let (frames, count) = (clip.frames(), chosen.len());
        let mut placed = PlacedJoints {
            frames,
            places,
            count,
            blocks: Vec::with_capacity(frames.div_ceil(LANES) * count),
        };
        match clip.has_scale() {
            true => placed.place_scaled(clip, &chosen),
            false => (0..frames).step_by(LANES).for_each(|first| placed.place_block(clip, &chosen, first)),
        }
        placed
    }

    fn place_block(&mut self, clip: &Clip, chosen: &[JointId], first: usize) {
        let block = self.blocks.len();
        for id in chosen {
            let tracks = clip.track(*id);
            let joint = clip.skeleton().joint(*id);
            let rotation = match &tracks.rotation {
                Track::Constant(rotation) => RotationLanes::same(rotation),
                Track::Sampled(rotations) => RotationLanes::gather(&rotations[first..]),
            };
            let parent = joint.parent.map(|parent| self.blocks[block + self.places[parent.index()] as usize]);
            let lanes = match (&parent, &tracks.translation) {
                (Some(parent), Some(Track::Sampled(translations))) => {
                    let translation = VectorLanes::gather(&translations[first..]);
                    parent.child(&rotation, &parent.rotation.turn_each(&translation))
                }
                (Some(parent), Some(Track::Constant(offset))) => {
                    parent.child(&rotation, &parent.rotation.turn(offset))
                }
                (Some(parent), None) => parent.child(&rotation, &parent.rotation.turn(&joint.offset)),
                (None, Some(Track::Sampled(translations))) => {
                    PlacedLanes { rotation, position: VectorLanes::gather(&translations[first..]) }
                }
                (None, Some(Track::Constant(offset))) => {
                    PlacedLanes { rotation, position: VectorLanes::same(offset) }
                }
                (None, None) => PlacedLanes { rotation, position: VectorLanes::same(&joint.offset) },
            };
            self.blocks.push(lanes);
        }
    }

    /// Frame by frame: scale tracks stretch the places of the joints below.
    fn place_scaled(&mut self, clip: &Clip, chosen: &[JointId]) {
        let still = PlacedLanes {
            rotation: RotationLanes::same(&UnitQuaternion::identity()),
            position: VectorLanes::same(&Vector3::zeros()),
        };
        self.blocks.resize(self.frames.div_ceil(LANES) * self.count, still);
        let mut kinematics = ForwardKinematics::of_joints(clip, chosen);
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
    /// A joint below this one, with a local rotation, at an offset in object space.
    fn child(&self, local: &RotationLanes, offset: &VectorLanes) -> PlacedLanes {
        PlacedLanes { rotation: self.rotation.product(local), position: self.position.plus(offset) }
    }
}
