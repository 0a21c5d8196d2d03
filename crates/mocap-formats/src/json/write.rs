//! Writes JSON clips.

use super::document::SHAPE;
use crate::skel::{File as SkeletonFile, file_of};
use crate::tagged::emit_to;
use crate::{Finding, LimitExceeded, Limits};
use mocap_model::{Clip, Joint, JointTracks, Track, UnitQuaternion, Vector3};
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Serialize, Serializer};
use std::io;

/// Checks that the reader would accept a file of the clip: if nothing moves, its number of frames is limited.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// assert!(mocap_formats::json::writable(&clip, &Default::default()).is_ok());
/// ```
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

/// The file of a clip. Reading it gives the same clip, except that the source of a unit that the user stated is then
/// the file.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let bytes = mocap_formats::json::to_bytes(&clip);
/// // Every number is exact.
/// assert_eq!(mocap_formats::json::parse(&bytes, &Default::default())?.value, clip);
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
pub fn to_bytes(clip: &Clip) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(clip, &mut bytes).expect("writing to memory does not fail");
    bytes
}

/// The same into a stream: the file is several times as large as its clip.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let mut file = Vec::new();
/// mocap_formats::json::write(&clip, &mut file)?;
/// assert_eq!(file, mocap_formats::json::to_bytes(&clip));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// Those of `out`.
pub fn write(clip: &Clip, out: &mut impl io::Write) -> io::Result<()> {
    let tracks = clip.skeleton().joints().iter().zip(clip.tracks());
    let scalars = clip.annotations().scalars.iter();
    let events = clip.annotations().events.iter();
    let file = File {
        format: SHAPE.format,
        version: SHAPE.version,
        skeleton: file_of(clip.skeleton()),
        fps: clip.rate().fps(),
        frames: clip.frames(),
        tracks: tracks.map(|(joint, tracks)| Tracks { joint, tracks }).filter(Tracks::move_it).collect(),
        name: clip.name(),
        scalars: scalars.map(|track| Scalar { name: &track.name, values: track.values.values() }).collect(),
        events: events.map(|event| Moment { time: event.time, name: &event.name }).collect(),
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
    #[serde(skip_serializing_if = "str::is_empty")]
    name: &'c str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scalars: Vec<Scalar<'c>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<Moment<'c>>,
}

#[derive(Serialize)]
struct Scalar<'c> {
    name: &'c str,
    values: &'c [f64],
}

#[derive(Serialize)]
struct Moment<'c> {
    time: f64,
    name: &'c str,
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
        self.turns() || self.tracks.translation.is_some() || self.tracks.scale.is_some()
    }
}

impl Serialize for Tracks<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut out = out.serialize_struct("track", 4)?;
        out.serialize_field("joint", &self.joint.name)?;
        if self.turns() {
            out.serialize_field("rotation", &Rotations(self.tracks.rotation.values()))?;
        }
        if let Some(translation) = &self.tracks.translation {
            out.serialize_field("translation", &Vectors(translation.values()))?;
        }
        if let Some(scale) = &self.tracks.scale {
            out.serialize_field("scale", &Vectors(scale.values()))?;
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

struct Vectors<'c>(&'c [Vector3<f64>]);

impl Serialize for Vectors<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut out = out.serialize_seq(Some(self.0.len()))?;
        for v in self.0 {
            out.serialize_element(&[v.x, v.y, v.z])?;
        }
        out.end()
    }
}
