//! Motions to compress: generated ones, each difficult in one respect, and captured ones if there
//! are any.
#![allow(dead_code, reason = "each test uses some of it")]

pub(crate) mod files;
pub(crate) mod forge;

use mocap_formats::bvh;
use mocap_model::{
    Clip, FrameRate, Joint, JointId, JointTracks, Skeleton, Space, Track, Unit, UnitSource, Vector3, exp,
};
use std::path::Path;
use std::sync::Arc;

/// Numbers that look random, from -1 to 1; the same on every run.
pub(crate) struct Noise(pub(crate) u64);

impl Noise {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.next(), self.next(), self.next())
    }
}

/// A skeleton in metres: a root with three limbs of `bones` joints, each with an end site.
pub(crate) fn skeleton(bones: usize) -> Arc<Skeleton> {
    let mut joints = vec![joint("root", None, Vector3::new(0.0, 1.0, 0.0))];
    for limb in 0..3 {
        let mut parent = JointId(0);
        for bone in 0..bones {
            let length = 0.45 / (1.0 + bone as f64);
            let offset = match limb {
                0 => Vector3::new(0.02, length, 0.01),
                1 => Vector3::new(length, -0.05, 0.0),
                _ => Vector3::new(-0.1, -length, 0.03),
            };
            joints.push(joint(&format!("limb{limb}_{bone}"), Some(parent), offset));
            parent = JointId::from(joints.len() - 1);
        }
        let mut end = joint(&format!("limb{limb}_end"), Some(parent), Vector3::new(0.0, 0.0, 0.1));
        end.end_site = true;
        joints.push(end);
    }
    let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
    Arc::new(Skeleton::new("test", Space { unit, ..Space::default() }, joints).unwrap())
}

fn joint(name: &str, parent: Option<JointId>, offset: Vector3<f64>) -> Joint {
    Joint::new(name, parent, offset)
}

/// How the joints of a generated motion move.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Character {
    /// Smooth, with sensor noise.
    Calm,
    /// Every frame is a random pose.
    Wild,
    /// Back and forth across half a turn.
    HalfTurns,
    /// Smooth, kilometres from the origin.
    Far,
    /// Every joint's translation moves.
    Sliding,
    /// Not at all.
    Still,
    /// Every second joint slides, and is turned by those above it only.
    Carried,
}

pub(crate) const CHARACTERS: [Character; 6] = [
    Character::Calm,
    Character::Wild,
    Character::HalfTurns,
    Character::Far,
    Character::Sliding,
    Character::Still,
];

pub(crate) fn clip(character: Character, bones: usize, frames: usize) -> Clip {
    let skeleton = skeleton(bones);
    let mut noise = Noise(character as u64 + 7);
    let tracks = skeleton.iter().map(|(id, joint)| {
        if joint.end_site {
            return JointTracks::at_rest(joint);
        }
        let speed = 0.05 + 0.02 * noise.next();
        let swing = noise.vector();
        let rotation = |frame: usize, noise: &mut Noise| {
            let phase = frame as f64 * speed + f64::from(id.0);
            match character {
                Character::Wild => exp(&(noise.vector() * 3.0)),
                Character::HalfTurns => exp(&(Vector3::new(0.6, 0.64, -0.48)
                    * (std::f64::consts::PI + 0.01 * phase.sin() + 1e-4 * noise.next()))),
                Character::Still => exp(&(swing * 0.7)),
                Character::Carried if id.0 % 2 == 0 && id.0 > 0 => exp(&(swing * 0.7)),
                _ => exp(&(swing * phase.sin() + noise.vector() * 3e-4)),
            }
        };
        let place = |frame: usize, noise: &mut Noise| {
            let phase = frame as f64 * speed;
            match (character, joint.parent) {
                (Character::Far, None) => Vector3::new(2345.678 + phase, 1.0, -1234.5 - 0.3 * phase),
                (Character::Wild, None) => noise.vector() * 5.0,
                (Character::Sliding | Character::Carried, _) => {
                    joint.offset + swing * (0.2 * phase.cos()) + noise.vector() * 1e-3
                }
                _ => joint.offset + Vector3::new(phase.sin(), 0.02 * phase.cos(), 0.5 * phase),
            }
        };
        let slides = match character {
            Character::Sliding => true,
            Character::Carried => id.0 % 2 == 0,
            _ => false,
        };
        let translates = (joint.parent.is_none() || slides) && !matches!(character, Character::Still);
        let rotations = (0..frames).map(|frame| rotation(frame, &mut noise)).collect();
        JointTracks {
            rotation: Track::from_samples(rotations).unwrap_or(Track::Constant(joint.rest_rotation)),
            translation: translates
                .then(|| (0..frames).map(|frame| place(frame, &mut noise)).collect())
                .and_then(Track::from_samples),
            scale: None,
        }
    });
    let tracks = tracks.collect();
    Clip::new(skeleton.clone(), FrameRate::new(60.0).unwrap(), frames, tracks).unwrap()
}

/// A BVH file as a clip whose unit is that many metres.
pub(crate) fn bvh(path: &Path, metres: f64) -> Clip {
    let bytes = std::fs::read(path).expect("a readable file");
    let document = bvh::parse(&bytes, &mocap_formats::Limits::default()).expect("a BVH file").value;
    let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).expect("a motion").value;
    with_unit(clip, metres)
}

/// The same motion in another unit.
pub(crate) fn with_unit(clip: Clip, metres: f64) -> Clip {
    let space = Space { unit: Some(Unit { metres, source: UnitSource::Flag }), ..*clip.skeleton().space() };
    let skeleton = Arc::new(clip.skeleton().with_space(space));
    clip.with_skeleton(skeleton).expect("the same joints")
}
