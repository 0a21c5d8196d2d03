//! What becomes of decoded frames: a window, or a pose.

use super::group::Group;
use super::kernels::Sink;
use super::values::{Q, V};
use crate::lanes::{LANES, Quats, Vectors};
use crate::sampler::{Transform, interpolate, interpolate_lanes, lerp};
use crate::window::Window;
use fearless_simd::Simd;

/// Keeps both frames.
pub(super) struct ToWindow<'a> {
    pub(super) window: &'a mut Window,
}

impl Sink for ToWindow<'_> {
    #[inline(always)]
    fn rotations<S: Simd>(&mut self, _: S, at: usize, _: &Group, frames: [Q<S>; 2]) {
        let groups = self.window.rotations.len() / 2;
        self.window.rotations[at] = frames[0].stored();
        self.window.rotations[groups + at] = frames[1].stored();
    }

    #[inline(always)]
    fn translations<S: Simd>(&mut self, at: usize, _: &Group, frames: [V<S>; 2]) {
        let groups = self.window.translations.len() / 2;
        self.window.translations[at] = frames[0].stored();
        self.window.translations[groups + at] = frames[1].stored();
    }
}

/// Puts the values between two frames into a pose.
pub(super) struct Between<'a> {
    pub(super) t: f32,
    pub(super) pose: &'a mut [Transform],
}

impl Sink for Between<'_> {
    #[inline(always)]
    fn rotations<S: Simd>(&mut self, _: S, _: usize, group: &Group, [first, next]: [Q<S>; 2]) {
        let between = interpolate_lanes(&first.stored(), &next.stored(), self.t);
        put_rotations(self.pose, group, &between);
    }

    #[inline(always)]
    fn translations<S: Simd>(&mut self, _: usize, group: &Group, [first, next]: [V<S>; 2]) {
        put_translations(self.pose, group, &first.between(next, self.t).stored());
    }
}

#[inline(always)]
fn put_rotations(pose: &mut [Transform], group: &Group, values: &Quats) {
    for lane in 0..LANES {
        if let Some(transform) = pose.get_mut(group.turned[lane] as usize) {
            transform.rotation = values.get(lane);
        }
    }
}

#[inline(always)]
fn put_translations(pose: &mut [Transform], group: &Group, values: &Vectors) {
    for lane in 0..LANES {
        if let Some(transform) = pose.get_mut(group.moved[lane] as usize) {
            transform.translation = values.get(lane);
        }
    }
}

/// Puts the first frame into a pose, or the values between those of the pose and it.
pub(super) struct ToPose<'a> {
    pub(super) t: Option<f32>,
    pub(super) pose: &'a mut [Transform],
}

impl Sink for ToPose<'_> {
    #[inline(always)]
    fn rotations<S: Simd>(&mut self, _: S, _: usize, group: &Group, [first, _]: [Q<S>; 2]) {
        let mut values = first.stored();
        if let Some(t) = self.t {
            for lane in 0..LANES {
                if let Some(from) = self.pose.get(group.turned[lane] as usize) {
                    values.set(lane, interpolate(from.rotation, values.get(lane), t));
                }
            }
        }
        put_rotations(self.pose, group, &values);
    }

    #[inline(always)]
    fn translations<S: Simd>(&mut self, _: usize, group: &Group, [first, _]: [V<S>; 2]) {
        let mut values = first.stored();
        if let Some(t) = self.t {
            for lane in 0..LANES {
                if let Some(from) = self.pose.get(group.moved[lane] as usize) {
                    values.set(lane, lerp(from.translation, values.get(lane), t));
                }
            }
        }
        put_translations(self.pose, group, &values);
    }
}

/// Takes one joint of the first frame.
pub(super) struct One<'a> {
    pub(super) joint: u32,
    pub(super) transform: &'a mut Transform,
}

impl Sink for One<'_> {
    #[inline(always)]
    fn rotations<S: Simd>(&mut self, _: S, _: usize, group: &Group, [first, _]: [Q<S>; 2]) {
        if let Some(lane) = group.turned.iter().position(|joint| *joint == self.joint) {
            self.transform.rotation = first.stored().get(lane);
        }
    }

    #[inline(always)]
    fn translations<S: Simd>(&mut self, _: usize, group: &Group, [first, _]: [V<S>; 2]) {
        if let Some(lane) = group.moved.iter().position(|joint| *joint == self.joint) {
            self.transform.translation = first.stored().get(lane);
        }
    }
}
