//! Poses of a compressed clip at any time, in `f32`, for playback. In the profiles `runtime` and `direct` a sampler
//! allocates nothing once it exists.

use crate::compressed::Compressed;
use crate::lanes::{Kernel, LANES, Quats, run};
use crate::quat::{self, Quat};
use crate::track::Moving;
use crate::window::{LaneJoints, Window};
use crate::{Profile, archive, direct, keys, runtime};
use fearless_simd::Level;
use mocap_model::JointId;

/// A joint's transform in its parent's frame, in units of the clip: seven numbers in this order.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Transform {
    /// x, y, z, w.
    pub rotation: [f32; 4],
    /// Of the joint's origin.
    pub translation: [f32; 3],
}

/// The motion beyond the ends of a clip.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Looping {
    /// The first and last frame are held.
    #[default]
    Clamp,
    /// The motion starts over: the last frame is followed by the first, one frame time later.
    Wrap,
}

/// Samples poses. It holds one decoded segment, in the profile `direct` two frames, in others a block: sampling within
/// them is fast in any order; moving on decodes others.
#[derive(Debug)]
pub struct Sampler<'a> {
    clip: &'a Compressed,
    /// SIMD level of the processor.
    level: Level,
    window: Window,
    /// The groups of rotations in a frame of the window, and those of translations.
    stride: [usize; 2],
    /// The joints whose rotations move, and those whose translations do, among those that are decoded.
    rotations: Vec<LaneJoints>,
    translations: Vec<LaneJoints>,
    /// Joints that were not requested but are decoded.
    spare: Vec<usize>,
    archive: Option<Box<archive::Decoder>>,
    runtime: Option<Box<runtime::Reader>>,
    direct: Option<direct::Reader>,
    /// Whether it keeps no frames.
    small: bool,
}

impl Compressed {
    /// A sampler that holds one decoded segment (one block in other profiles than `runtime`).
    ///
    /// ```
    /// # #[cfg(feature = "encode")] {
    /// use mocap_compress::{CompressOptions, Compressed, Looping, OpenLimits, compress};
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// # let bytes = compress(&clip, &CompressOptions::default())?.bytes;
    /// let compressed = Compressed::open(bytes, &OpenLimits::default())?;
    /// let mut sampler = compressed.sampler();
    /// let mut pose = sampler.pose();
    /// // Sixty frames a second, over and over.
    /// for tick in 0..1000 {
    ///     sampler.sample(f64::from(tick) / 60.0, Looping::Wrap, &mut pose);
    /// }
    /// let hand = compressed.skeleton().find("RightHand").unwrap();
    /// assert_eq!(pose[hand.index()].translation, [-0.26, 0.0, 0.0]);
    /// # }
    /// # Ok::<(), mocap_compress::CompressError>(())
    /// ```
    pub fn sampler(&self) -> Sampler<'_> {
        Sampler::new(self, None)
    }

    /// A sampler that keeps no frames, for programs that play many clips at once. In the profile `direct` it takes less
    /// than 1 kB beside the pose, whatever the clip is, and neither it nor sampling allocates once a block
    /// of the clip has given two poses; every pose costs that of a random one. In other profiles it is
    /// [`Compressed::sampler`]. Its poses are the same.
    ///
    /// ```
    /// # #[cfg(feature = "encode")] {
    /// use mocap_compress::{CompressOptions, Compressed, Looping, OpenLimits, Profile, compress};
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// let options = CompressOptions { profile: Profile::Direct, ..CompressOptions::default() };
    /// let compressed = Compressed::open(compress(&clip, &options)?.bytes, &OpenLimits::default())?;
    /// let mut sampler = compressed.small_sampler();
    /// let mut pose = sampler.pose();
    /// sampler.sample(0.51, Looping::Clamp, &mut pose);
    /// assert!(size_of_val(&sampler) < 1024);
    /// # }
    /// # Ok::<(), mocap_compress::CompressError>(())
    /// ```
    pub fn small_sampler(&self) -> Sampler<'_> {
        match self.parts.info.profile {
            Profile::Direct => Sampler::small(self),
            _ => Sampler::new(self, None),
        }
    }

    /// A sampler of some joints only: the others stay as in [`Sampler::pose`]. In the `direct` profile they
    /// cost almost
    /// nothing.
    ///
    /// ```
    /// # #[cfg(feature = "encode")] {
    /// use mocap_compress::{CompressOptions, Compressed, Looping, OpenLimits, Profile, compress};
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// let options = CompressOptions { profile: Profile::Direct, ..CompressOptions::default() };
    /// let compressed = Compressed::open(compress(&clip, &options)?.bytes, &OpenLimits::default())?;
    /// let arm: Vec<_> = ["RightArm", "RightHand"].map(|name| compressed.skeleton().find(name).unwrap()).into();
    /// let mut sampler = compressed.sampler_of(&arm);
    /// let mut pose = sampler.pose();
    /// sampler.sample(0.51, Looping::Clamp, &mut pose);
    /// # }
    /// # Ok::<(), mocap_compress::CompressError>(())
    /// ```
    ///
    /// # Panics
    /// If a joint does not exist.
    pub fn sampler_of(&self, joints: &[JointId]) -> Sampler<'_> {
        let mut wanted = vec![false; self.skeleton.len()];
        joints.iter().for_each(|joint| wanted[joint.index()] = true);
        Sampler::new(self, Some(&wanted))
    }

    /// A sampler that holds all frames decoded, for programs that seek in the clip: 16 bytes per frame for each
    /// moving rotation, 12 for each translation. Its poses are those of [`Compressed::sampler`].
    pub fn sampler_in_memory(&self) -> Sampler<'_> {
        Sampler::whole(self)
    }
}

impl<'a> Sampler<'a> {
    /// A sampler of the wanted joints; of all if `None`.
    pub(crate) fn new(clip: &'a Compressed, wanted: Option<&[bool]>) -> Sampler<'a> {
        let is = |profile| clip.parts.info.profile == profile;
        let is_wanted = |joint: usize| wanted.is_none_or(|wanted| wanted[joint]);
        let joints_of = |kind: Moving| {
            let of_kind = clip.plan.moving.iter().filter(|(_, of)| *of == kind);
            LaneJoints::of(of_kind.enumerate().map(|(lane, (joint, _))| (lane, *joint)))
        };
        let runtime = is(Profile::Runtime).then(|| Box::new(runtime::Reader::new(clip)));
        let direct = is(Profile::Direct).then(|| direct::Reader::new(clip, wanted));
        let window = match (&runtime, &direct) {
            (Some(reader), _) => reader.window(),
            (_, Some(reader)) => reader.window(clip),
            _ => Window::default(),
        };
        let [rotations, translations] = match &direct {
            Some(reader) => reader.joints(clip),
            None => [Moving::Rotation, Moving::Translation].map(joints_of),
        };
        let stride = match &direct {
            Some(_) => [window.rotations.len() / 2; 2],
            None => [rotations.len(), translations.len()],
        };
        Sampler {
            window,
            stride,
            rotations,
            translations,
            spare: (0..clip.skeleton.len()).filter(|joint| !is_wanted(*joint)).collect(),
            archive: is(Profile::Archive).then(|| Box::new(archive::Decoder::new(clip))),
            runtime,
            direct,
            small: false,
            ..Sampler::small(clip)
        }
    }

    /// A sampler of the profile `direct` that keeps no frames.
    fn small(clip: &'a Compressed) -> Sampler<'a> {
        Sampler {
            clip,
            level: Level::new(),
            window: Window::default(),
            stride: [0; 2],
            rotations: Vec::new(),
            translations: Vec::new(),
            spare: Vec::new(),
            archive: None,
            runtime: None,
            direct: Some(direct::Reader::new(clip, None)),
            small: true,
        }
    }

    /// A sampler that holds all frames: 16 bytes per frame for each moving rotation, 12 for each translation.
    pub(crate) fn whole(clip: &'a Compressed) -> Sampler<'a> {
        let mut parts = Sampler::new(clip, None);
        let frames = clip.parts.info.frames;
        let [rotations, translations] = parts.stride;
        let mut window = Window {
            first: 0,
            frames,
            rotations: Vec::with_capacity(frames * rotations),
            translations: Vec::with_capacity(frames * translations),
        };
        for frame in 0..frames {
            let at = parts.seek(frame, 0);
            let here = &parts.window;
            window.rotations.extend_from_slice(&here.rotations[at * rotations..(at + 1) * rotations]);
            window
                .translations
                .extend_from_slice(&here.translations[at * translations..(at + 1) * translations]);
        }
        Sampler { window, archive: None, runtime: None, direct: None, ..parts }
    }

    /// A pose to sample into: constant joints have their values, moving joints are at rest.
    pub fn pose(&self) -> Vec<Transform> {
        self.clip.constants.clone()
    }

    /// The local transforms of all joints in a frame; after the last frame, those of the last one.
    ///
    /// # Panics
    /// Where `pose` is shorter than the skeleton.
    pub fn frame(&mut self, frame: usize, pose: &mut [Transform]) {
        self.put_frame(frame, pose);
        self.restore(pose);
    }

    /// Restores joints that were not requested.
    fn restore(&self, pose: &mut [Transform]) {
        self.spare.iter().for_each(|joint| pose[*joint] = self.clip.constants[*joint]);
    }

    fn put_frame(&mut self, frame: usize, pose: &mut [Transform]) {
        self.constants(pose);
        let Some(last) = self.clip.parts.info.frames.checked_sub(1) else { return };
        let frame = frame.min(last);
        if self.small {
            return self.put_direct(frame, None, pose);
        }
        let at = self.seek(frame, 0);
        let [rotations, translations] = self.stride;
        for LaneJoints { group, joints } in &self.rotations {
            let values = &self.window.rotations[at * rotations + group];
            for (lane, joint) in joints.iter().enumerate() {
                if let Some(transform) = pose.get_mut(*joint as usize) {
                    transform.rotation = values.get(lane);
                }
            }
        }
        for LaneJoints { group, joints } in &self.translations {
            let values = &self.window.translations[at * translations + group];
            for (lane, joint) in joints.iter().enumerate() {
                if let Some(transform) = pose.get_mut(*joint as usize) {
                    transform.translation = values.get(lane);
                }
            }
        }
    }

    /// Puts a frame of the profile `direct` into a pose. Where there is a `t`, the values between those of the pose and
    /// the frame.
    fn put_direct(&mut self, frame: usize, t: Option<f32>, pose: &mut [Transform]) {
        let at = self.at(frame);
        if let Some(reader) = &mut self.direct {
            reader.frame(self.clip, at, t, pose);
        }
    }

    /// A frame as one of a block.
    fn at(&self, frame: usize) -> direct::At {
        let parts = &self.clip.parts;
        // A power of two.
        let block = (frame >> parts.block_frames.trailing_zeros()).min(parts.blocks.len().saturating_sub(1));
        direct::At { block, frame: frame - block * parts.block_frames }
    }

    /// The local transforms of all joints at a time \[s\] from the first frame, interpolated between frames.
    ///
    /// # Panics
    /// Where `pose` is shorter than the skeleton.
    pub fn sample(&mut self, time: f64, looping: Looping, pose: &mut [Transform]) {
        self.put_sample(time, looping, pose);
        self.restore(pose);
    }

    fn put_sample(&mut self, time: f64, looping: Looping, pose: &mut [Transform]) {
        let Some((from, to, t)) = self.place(time, looping) else { return self.constants(pose) };
        if t == 0.0 || from == to {
            return self.frame(from, pose);
        }
        if to != from + 1 {
            // The interpolation from the last frame to the first spans two windows.
            self.frame(from, pose);
            return self.onward(to, t, pose);
        }
        self.constants(pose);
        if self.small {
            let at = self.at(from);
            if let Some(reader) = &mut self.direct {
                reader.between(self.clip, at, t, pose);
            }
            return;
        }
        let at = self.seek(from, 1);
        let [count, _] = self.stride;
        let (here, next) = self.window.rotations[at * count..(at + 2) * count].split_at(count);
        run(self.level, Interpolation { joints: &self.rotations, here, next, t, pose });
        let [_, count] = self.stride;
        let (here, next) = self.window.translations[at * count..(at + 2) * count].split_at(count);
        for LaneJoints { group, joints } in &self.translations {
            let (a, b) = (&here[*group], &next[*group]);
            for (lane, joint) in joints.iter().enumerate() {
                if let Some(transform) = pose.get_mut(*joint as usize) {
                    transform.translation = lerp(a.get(lane), b.get(lane), t);
                }
            }
        }
    }

    /// Puts the values between those of a pose and a frame into the pose.
    fn onward(&mut self, to: usize, t: f32, pose: &mut [Transform]) {
        if self.small {
            return self.put_direct(to, Some(t), pose);
        }
        for (joint, kind) in &self.clip.plan.moving {
            let (from, to) = (pose[*joint], self.joint_in_frame(*joint, to));
            match kind {
                Moving::Rotation => pose[*joint].rotation = interpolate(from.rotation, to.rotation, t),
                Moving::Translation => pose[*joint].translation = lerp(from.translation, to.translation, t),
            }
        }
    }

    /// The local transform of one joint at a time \[s\], as [`Sampler::sample`].
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn sample_joint(&mut self, time: f64, looping: Looping, joint: JointId) -> Transform {
        let at = joint.index();
        if self.spare.binary_search(&at).is_ok() {
            return self.constant(at);
        }
        let Some((from, to, t)) = self.place(time, looping) else { return self.constant(at) };
        let a = self.joint_in_frame(at, from);
        if t == 0.0 || from == to {
            return a;
        }
        let b = self.joint_in_frame(at, to);
        // Values that do not change must keep their exact bits.
        Transform {
            rotation: if a.rotation == b.rotation {
                a.rotation
            } else {
                interpolate(a.rotation, b.rotation, t)
            },
            translation: lerp(a.translation, b.translation, t),
        }
    }

    fn joint_in_frame(&mut self, joint: usize, frame: usize) -> Transform {
        let mut transform = self.constant(joint);
        if self.small {
            let at = self.at(frame);
            if let Some(reader) = &mut self.direct {
                reader.joint(self.clip, at, joint, &mut transform);
            }
            return transform;
        }
        let at = self.seek(frame, 0);
        let [rotations, translations] = self.stride;
        let place = |all: &[LaneJoints]| {
            let lane = |lanes: &LaneJoints| lanes.joints.iter().position(|of| *of as usize == joint);
            all.iter().find_map(|lanes| Some((lanes.group, lane(lanes)?)))
        };
        if let Some((group, lane)) = place(&self.rotations) {
            transform.rotation = self.window.rotations[at * rotations + group].get(lane);
        }
        if let Some((group, lane)) = place(&self.translations) {
            transform.translation = self.window.translations[at * translations + group].get(lane);
        }
        transform
    }

    fn constant(&self, joint: usize) -> Transform {
        self.clip.constants[joint]
    }

    fn constants(&self, pose: &mut [Transform]) {
        let rest = &self.clip.constants;
        assert!(pose.len() >= rest.len(), "the pose is shorter than the skeleton");
        pose[..rest.len()].copy_from_slice(rest);
    }

    /// The frames before and after a time, and the interpolation factor between them.
    fn place(&self, time: f64, looping: Looping) -> Option<(usize, usize, f32)> {
        let frames = self.clip.parts.info.frames;
        let last = frames.checked_sub(1)?;
        let at = time * self.clip.parts.info.rate.fps();
        let at = match looping {
            Looping::Clamp => at.clamp(0.0, last as f64),
            Looping::Wrap => at.rem_euclid(frames as f64),
        };
        // A time that is not finite counts as the start.
        let at = if at.is_finite() { at } else { 0.0 };
        let from = (at.floor() as usize).min(last);
        let to = if from < last { from + 1 } else { if looping == Looping::Wrap { 0 } else { last } };
        Some((from, to, (at - from as f64) as f32))
    }

    /// Moves to the window that contains a frame and the next one, and decodes the frame and `more` (0 or 1)
    /// after it. Returns the index of the frame in the window.
    #[inline]
    fn seek(&mut self, frame: usize, more: usize) -> usize {
        if self.direct.is_some() {
            return self.seek_direct(frame, more);
        }
        let last = self.clip.parts.info.frames - 1;
        let next = (frame + 1).min(last);
        if frame < self.window.first || next >= self.window.first + self.window.frames {
            self.decode(frame);
        }
        let at = frame - self.window.first;
        if let Some(reader) = &mut self.runtime {
            reader.complete(at, more, &mut self.window);
        }
        at
    }

    /// Like [`Sampler::seek`], if every frame can be decoded by itself.
    fn seek_direct(&mut self, frame: usize, more: usize) -> usize {
        let parts = &self.clip.parts;
        let held = frame >= self.window.first && frame + more < self.window.first + self.window.frames;
        // The first frame of a block has its own value, not the one at the end of the previous block.
        let other = frame != self.window.first && frame & (parts.block_frames - 1) == 0;
        if !held || other {
            let at = self.at(frame);
            if let Some(reader) = &mut self.direct {
                reader.seek(self.clip, at, &mut self.window);
            }
        }
        frame - self.window.first
    }

    fn decode(&mut self, frame: usize) {
        let parts = &self.clip.parts;
        let block = (frame / parts.block_frames).min(parts.blocks.len() - 1);
        let frames = parts.frames_of(block);
        if let Some(reader) = &mut self.runtime {
            reader.seek(self.clip, block, frame - frames.start, &mut self.window);
        } else if let Some(decoder) = &mut self.archive {
            decoder.decode(self.clip, block, &mut self.window);
        } else {
            keys::decode(self.clip, block, &mut self.window);
        }
    }
}

#[inline]
pub(crate) fn lerp(a: [f32; 3], b: [f32; 3], t: f32) -> [f32; 3] {
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t)
}

/// Rotations with at least this cosine of half their angle (52°) are interpolated in one step.
const NEAR: f32 = 0.9;
/// Number of times that the arc between more distant ones is halved before.
const HALVINGS: u32 = 6;

/// Interpolates along the shorter arc at constant speed.
///
/// Normalised linear interpolation with a corrected parameter, within 0.00002 rad of slerp for near rotations;
/// between far ones the arc is halved until they are near. No sine: the same bits on every machine.
/// Based on: A. Kapoulkine, "Approximating slerp", 2015.
#[inline]
pub(crate) fn interpolate(a: Quat, b: Quat, t: f32) -> Quat {
    let cosine = quat::dot(a, b);
    let b = if cosine < 0.0 { b.map(|value| -value) } else { b };
    if cosine.abs() < NEAR { interpolate_far(a, b, t) } else { interpolate_near(a, b, cosine.abs(), t) }
}

#[inline(always)]
fn interpolate_near(a: Quat, b: Quat, cosine: f32, t: f32) -> Quat {
    let bend = 1.0904 + cosine * (-3.2452 + cosine * (3.55645 - cosine * 1.43519));
    let base = 0.848013 + cosine * (-1.06021 + cosine * 0.215638);
    let off = t - 0.5;
    let t = t + t * off * (t - 1.0) * (bend * off * off + base);
    let sum = [0, 1, 2, 3].map(|i| a[i] * (1.0 - t) + b[i] * t);
    let scale = 1.0 / quat::dot(sum, sum).sqrt();
    sum.map(|value| value * scale)
}

/// Rotations of joints between those of two frames.
struct Interpolation<'a> {
    joints: &'a [LaneJoints],
    /// By group, in the first frame and in the next.
    here: &'a [Quats],
    next: &'a [Quats],
    t: f32,
    pose: &'a mut [Transform],
}

impl Kernel for Interpolation<'_> {
    #[inline(always)]
    fn run(self) {
        let Interpolation { joints, here, next, t, pose } = self;
        for LaneJoints { group, joints } in joints {
            let between = interpolate_lanes(&here[*group], &next[*group], t);
            for lane in 0..LANES {
                if let Some(transform) = pose.get_mut(joints[lane] as usize) {
                    transform.rotation = between.get(lane);
                }
            }
        }
    }
}

/// [`interpolate`] of eight at once.
#[inline(always)]
pub(crate) fn interpolate_lanes(a: &Quats, b: &Quats, t: f32) -> Quats {
    let mut out = Quats::IDENTITY;
    let mut cosines = [0.0f32; LANES];
    for lane in 0..LANES {
        let (a, b) = (a.get(lane), b.get(lane));
        let cosine = quat::dot(a, b);
        let sign = if cosine < 0.0 { -1.0 } else { 1.0 };
        cosines[lane] = cosine.abs();
        out.set(lane, interpolate_near(a, b.map(|value| value * sign), cosine.abs(), t));
    }
    if cosines.iter().fold(1.0f32, |least, cosine| least.min(*cosine)) < NEAR {
        return interpolate_one_by_one(a, b, t);
    }
    out
}

#[cold]
fn interpolate_one_by_one(a: &Quats, b: &Quats, t: f32) -> Quats {
    let mut out = Quats::IDENTITY;
    (0..LANES).for_each(|lane| out.set(lane, interpolate(a.get(lane), b.get(lane), t)));
    out
}

#[cold]
fn interpolate_far(mut a: Quat, mut b: Quat, mut t: f32) -> Quat {
    for _ in 0..HALVINGS {
        let middle = quat::blend([a, b, a, a], [0.5, 0.5, 0.0, 0.0]);
        t *= 2.0;
        if t >= 1.0 {
            (a, t) = (middle, t - 1.0);
        } else {
            b = middle;
        }
    }
    interpolate_near(a, b, quat::dot(a, b), t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolation_is_slerp() {
        let about_z =
            |angle: f64| -> Quat { [0.0, 0.0, (angle / 2.0).sin() as f32, (angle / 2.0).cos() as f32] };
        for degrees in [0.0, 1e-3, 1.0, 20.0, 51.0, 53.0, 120.0, 179.0] {
            let angle = f64::to_radians(degrees);
            for t in [0.0, 0.1, 0.5, 0.77, 1.0] {
                for sign in [1.0, -1.0] {
                    let b = about_z(angle + 0.3).map(|value| value * sign);
                    let q = interpolate(about_z(0.3), b, t);
                    let found = 2.0 * f64::from(q[2]).atan2(f64::from(q[3]));
                    let wanted = 0.3 + angle * f64::from(t);
                    assert!((found - wanted).abs() < 2e-5, "{degrees} {t}: {found} {wanted}");
                }
            }
        }
    }
}
