//! The `keys` profile: sparse keys for each track, joined by lines or Catmull-Rom curves, as animation tools use.
//!
//! A rotation key is a quaternion without one of its components, mostly the largest: a number from 0 to 3 says which one,
//! the other three are whole steps from -1/√2 to 1/√2, as fine as the tolerance asks for (2^15 steps make the usual
//! 48-bit quaternion). A translation key is three whole steps from the least value of each axis. The numbers of all keys
//! are stored as differences to those of the keys before.

#[cfg(feature = "encode")]
mod fit;
mod numbers;
#[cfg(feature = "encode")]
mod write;

use crate::bits::BitReader;
use crate::compressed::Compressed;
use crate::quat::{self, Quat};
use crate::track::Moving;
use crate::window::{Window, valid_rotation};
#[cfg(feature = "encode")]
pub(crate) use write::encode;

/// The interpolation between keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// Straight; rotations by normalised linear interpolation.
    Linear,
    /// A Catmull-Rom curve through the two keys on either side, its tangents by the spacing of the keys;
    /// rotations component by component, normalised.
    CatmullRom,
}

/// Bits of the fields of a track: width of a component, number of keys.
const WIDTH_BITS: u32 = 5;
const COUNT_BITS: u32 = 14;
/// Bits of a component, at most.
const WIDEST: u32 = 24;

/// The scale of the components of a rotation that are not the largest.
const COMPONENT: f32 = std::f32::consts::FRAC_1_SQRT_2;

/// Greatest integer of a component of a given width.
#[inline]
fn steps(width: u32) -> f32 {
    ((1u32 << width) - 1) as f32
}

/// A quaternion from three of its components and the index of the omitted one.
#[inline]
fn unpack_rotation(left_out: usize, parts: [u32; 3], width: u32) -> Quat {
    let scale = 2.0 * COMPONENT / steps(width);
    let parts = parts.map(|part| part as f32 * scale - COMPONENT);
    let square = parts[0] * parts[0] + parts[1] * parts[1] + parts[2] * parts[2];
    let mut q = [0.0; 4];
    let mut from = parts.into_iter();
    for (at, value) in q.iter_mut().enumerate() {
        *value = if at == left_out { (1.0 - square).max(0.0).sqrt() } else { from.next().unwrap_or(0.0) };
    }
    // With rounded components, the length is not exactly one.
    let length = quat::dot(q, q).sqrt();
    q.map(|value| value / length)
}

/// A translation from its steps.
#[inline]
fn grid_value(least: &[f32; 3], step: f32, parts: [u32; 3]) -> [f32; 3] {
    [0, 1, 2].map(|axis| least[axis] + parts[axis] as f32 * step)
}

/// The weights of the keys around a frame: before, left, right, after. Missing ones are those next to them.
#[inline]
fn weights(curve: Curve, times: [u32; 4], frame: u32) -> [f32; 4] {
    let [before, left, right, after] = times.map(|time| time as f32);
    let span = right - left;
    let t = (frame as f32 - left) / span;
    if curve == Curve::Linear {
        return [0.0, 1.0 - t, t, 0.0];
    }
    // Hermite, with the slopes of the chords over each key.
    let (square, cube) = (t * t, t * t * t);
    let from_left = (cube - 2.0 * square + t) * span / (right - before);
    let from_right = (cube - square) * span / (after - left);
    let right_weight = 3.0 * square - 2.0 * cube;
    [-from_left, 1.0 - right_weight - from_right, right_weight + from_left, from_right]
}

/// The keys of one track in a block.
#[derive(Clone, Debug, PartialEq)]
struct Keys<T> {
    curve: Curve,
    frames: Vec<u32>,
    values: Vec<T>,
}

/// The keys around a frame that is between `left` and the key after it.
fn taps(count: usize, left: usize) -> [usize; 4] {
    let last = count - 1;
    [left.saturating_sub(1), left, (left + 1).min(last), (left + 2).min(last)]
}

impl Keys<Quat> {
    fn at(&self, left: usize, frame: u32) -> Quat {
        let taps = taps(self.frames.len(), left);
        if taps[2] == left || frame == self.frames[left] {
            return self.values[left];
        }
        let weights = weights(self.curve, taps.map(|tap| self.frames[tap]), frame);
        // Signs are chosen relative to the nearest key, the left one.
        let [before, left, right, after] = taps.map(|tap| self.values[tap]);
        quat::blend([left, right, before, after], [weights[1], weights[2], weights[0], weights[3]])
    }
}

impl Keys<[f32; 3]> {
    fn at(&self, left: usize, frame: u32) -> [f32; 3] {
        let taps = taps(self.frames.len(), left);
        if taps[2] == left || frame == self.frames[left] {
            return self.values[left];
        }
        let weights = weights(self.curve, taps.map(|tap| self.frames[tap]), frame);
        [0, 1, 2].map(|axis| {
            let part = |i: usize| self.values[taps[i]][axis] * weights[i];
            part(0) + part(1) + part(2) + part(3)
        })
    }
}

impl<T: Copy> Keys<T> {
    /// The values of all frames; `at` gets the key on the left and the frame.
    fn bake(&self, frames: usize, at: impl Fn(usize, u32) -> T) -> Vec<T> {
        let mut left = 0;
        let value = |frame: usize| {
            while left + 1 < self.frames.len() && self.frames[left + 1] as usize <= frame {
                left += 1;
            }
            at(left, frame as u32)
        };
        (0..frames).map(value).collect()
    }
}

/// Reads the times of the keys of a track: the first frame of the block, and the last one, always have one.
fn read_times(bits: &mut BitReader<'_>, frames: usize) -> (Curve, Vec<u32>) {
    let curve = if bits.take(1) == 1 { Curve::CatmullRom } else { Curve::Linear };
    let count = (bits.take(COUNT_BITS) as usize).clamp(1, frames);
    let mut times = vec![0u32];
    if count > 1 {
        for gap in numbers::read(bits, count - 1, &[]) {
            // Times in a crafted file may be outside the block.
            let last = times[times.len() - 1];
            times
                .push(last.saturating_add(gap as u32).saturating_add(1).min(frames as u32 - 1).max(last + 1));
        }
    }
    times.retain(|time| (*time as usize) < frames);
    (curve, times)
}

fn read_rotations(bits: &mut BitReader<'_>, frames: usize) -> Keys<Quat> {
    let (curve, times) = read_times(bits, frames);
    let width = bits.take(WIDTH_BITS).clamp(1, WIDEST);
    let left_out = numbers::read(bits, times.len(), &times);
    let parts = [0; 3].map(|_: usize| numbers::read(bits, times.len(), &times));
    let value = |at: usize| {
        let parts = [0, 1, 2].map(|axis| parts[axis][at] as u32);
        unpack_rotation(left_out[at] as usize & 3, parts, width)
    };
    Keys { curve, values: (0..times.len()).map(value).collect(), frames: times }
}

fn read_translations(bits: &mut BitReader<'_>, frames: usize) -> Keys<[f32; 3]> {
    let (curve, times) = read_times(bits, frames);
    let least = [0; 3].map(|_: u32| f32::from_bits(bits.take(32)));
    let step = f32::from_bits(bits.take(32));
    let parts = [0; 3].map(|_: usize| numbers::read(bits, times.len(), &times));
    let value = |at: usize| grid_value(&least, step, [0, 1, 2].map(|axis| parts[axis][at] as u32));
    Keys { curve, values: (0..times.len()).map(value).collect(), frames: times }
}

/// Decodes a block.
pub(crate) fn decode(clip: &Compressed, block: usize, window: &mut Window) {
    let frames = clip.parts.frames_of(block);
    let mut bits = BitReader::new(&clip.bytes[clip.parts.blocks[block].clone()], 0);
    let mut rotations = Vec::new();
    let mut translations = Vec::new();
    for (moving, _) in &clip.kinds {
        match moving {
            Moving::Rotation => {
                let keys = read_rotations(&mut bits, frames.len());
                rotations.push(keys.bake(frames.len(), |left, frame| valid_rotation(keys.at(left, frame))));
            }
            Moving::Translation => {
                let keys = read_translations(&mut bits, frames.len());
                translations.push(keys.bake(frames.len(), |left, frame| keys.at(left, frame)));
            }
        }
    }
    window.fill(frames.start, frames.len(), &rotations, &translations);
}

/// The keys of one track of a compressed clip, in frames of the clip.
#[derive(Clone, Debug, PartialEq)]
pub struct TrackKeys {
    /// The joint.
    pub joint: mocap_model::JointId,
    /// The interpolation between the keys.
    pub curve: Curve,
    /// The frame of each key, rising.
    pub frames: Vec<u32>,
    /// The value of each key.
    pub values: KeyValues,
}

/// The values of keys.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyValues {
    /// Local rotations as x, y, z, w.
    Rotations(Vec<[f32; 4]>),
    /// Local translations.
    Translations(Vec<[f32; 3]>),
}

impl Compressed {
    /// The keys of all moving tracks, block by block (8192 frames each, fewer where very many tracks move); `None` in
    /// other profiles than [`crate::Profile::Keys`].
    ///
    /// ```
    /// # #[cfg(feature = "encode")] {
    /// use mocap_compress::{CompressOptions, Compressed, OpenLimits, Profile, compress};
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// let options = CompressOptions { profile: Profile::Keys, tolerance: 1e-3, ..CompressOptions::default() };
    /// let compressed = Compressed::open(compress(&clip, &options)?.bytes, &OpenLimits::default())?;
    /// for track in compressed.keys().unwrap() {
    ///     assert!(track.frames.len() < clip.frames() / 2);
    /// }
    /// # }
    /// # Ok::<(), mocap_compress::CompressError>(())
    /// ```
    pub fn keys(&self) -> Option<Vec<TrackKeys>> {
        if self.parts.info.profile != crate::Profile::Keys {
            return None;
        }
        let mut all = Vec::new();
        for (block, range) in self.parts.blocks.iter().enumerate() {
            let frames = self.parts.frames_of(block);
            let mut bits = BitReader::new(&self.bytes[range.clone()], 0);
            for (joint, moving) in &self.plan.moving {
                let (curve, times, values) = match moving {
                    Moving::Rotation => {
                        let keys = read_rotations(&mut bits, frames.len());
                        (keys.curve, keys.frames, KeyValues::Rotations(keys.values))
                    }
                    Moving::Translation => {
                        let keys = read_translations(&mut bits, frames.len());
                        (keys.curve, keys.frames, KeyValues::Translations(keys.values))
                    }
                };
                let frames = times.iter().map(|time| time + frames.start as u32).collect();
                all.push(TrackKeys { joint: (*joint).into(), curve, frames, values });
            }
        }
        Some(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_weights_pass_through_keys_and_sum_to_one() {
        for frame in 10..=20 {
            for curve in [Curve::Linear, Curve::CatmullRom] {
                let weights = weights(curve, [4, 10, 20, 35], frame);
                assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            }
        }
        assert_eq!(weights(Curve::CatmullRom, [4, 10, 20, 35], 10), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(weights(Curve::CatmullRom, [0, 2, 4, 6], 3), [-0.0625, 0.5625, 0.5625, -0.0625]);
    }

    #[test]
    fn fifteen_bits_a_component_are_the_usual_quaternion() {
        let q = unpack_rotation(3, [0x3FFF, 0x4000, 0x3FFF], 15);
        assert!((q[3] - 1.0).abs() < 1e-6 && q[0].abs() < 3e-5 && q[0] < 0.0 && q[1] > 0.0);
        let q = unpack_rotation(0, [0x7FFF, 0x3FFF, 0x4000], 15);
        assert!((q[0] - COMPONENT).abs() < 1e-4 && (q[1] - COMPONENT).abs() < 1e-4);
    }
}
