//! Writes JSON clips.

use super::document::SHAPE;
use crate::skel::{File as SkeletonFile, file_of};
use crate::tagged::emit_to;
use crate::{Finding, LimitExceeded, Limits};
use mocap_model::{Clip, Joint, JointTracks, Track, UnitQuaternion, Vector3};
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};
use std::io;

/// Whether a file of the clip would be read again: where nothing moves, no values bound the number of frames.
///
/// # Errors
/// Where it has more frames than the reader takes.
pub fn writable(clip: &Clip, limits: &Limits) -> Result<(), Finding> {
    let limit = super::most_frames(clip, limits);
    match clip.frames() > limit {
        true => Err(Finding::new(LimitExceeded { what: "frames", found: clip.frames(), limit })),
        false => Ok(()),
    }
}

/// The file of a clip. Reading it gives the same clip, but for a unit that a user stated: the file states it
/// then.
pub fn to_bytes(clip: &Clip) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(clip, &mut bytes).expect("writing to memory does not fail");
    bytes
}

/// The same into a stream: the file is several times as large as its clip.
///
/// # Errors
/// Those of `out`.
pub fn write(clip: &Clip, out: &mut impl io::Write) -> io::Result<()> {
    let tracks = clip.skeleton().joints().iter().zip(clip.tracks());
    let file = File {
        format: SHAPE.format,
        version: SHAPE.version,
        skeleton: file_of(clip.skeleton()),
        fps: clip.rate().fps(),
        frames: clip.frames(),
        tracks: tracks.map(|(joint, tracks)| Tracks { joint, tracks }).filter(Tracks::move_it).collect(),
    };
    emit_to(&file, 3, out)
}

#[derive(Serialize)]
struct File<'c> {
    format: &'static str,
    version: u32,
    skeleton: SkeletonFile,
    fps: f64,
    frames: usize,
    tracks: Vec<Tracks<'c>>,
}

struct Tracks<'c> {
    joint: &'c Joint,
    tracks: &'c JointTracks,
}

impl Tracks<'_> {
    fn turns(&self) -> bool {
        self.tracks.rotation != Track::Constant(self.joint.rest_rotation)
    }

    fn move_it(&self) -> bool {
        self.turns() || self.tracks.translation.is_some()
    }
}

impl Serialize for Tracks<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut out = out.serialize_struct("track", 3)?;
        out.serialize_field("joint", &self.joint.name)?;
        if self.turns() {
            out.serialize_field("rotation", &Rotations(self.tracks.rotation.values()))?;
        }
        if let Some(translation) = &self.tracks.translation {
            out.serialize_field("translation", &Translations(translation.values()))?;
        }
        out.end()
    }
}

struct Rotations<'c>(&'c [UnitQuaternion<f64>]);

impl Serialize for Rotations<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut out = out.serialize_seq(Some(self.0.len()))?;
        for q in self.0 {
            out.serialize_element(&[q.w, q.i, q.j, q.k])?;
        }
        out.end()
    }
}

struct Translations<'c>(&'c [Vector3<f64>]);

impl Serialize for Translations<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut out = out.serialize_seq(Some(self.0.len()))?;
        for v in self.0 {
            out.serialize_element(&[v.x, v.y, v.z])?;
        }
        out.end()
    }
}
