//! FBX: nodes in a tree, animation stacks whose curves move them, and meshes bound to them.
//!
//! Reading is done by the library [ufbx](https://github.com/ufbx/ufbx), behind the feature `fbx` of this crate; writing
//! needs nothing. What a file means:
//!
//! - Joints are the bones and the nodes between them. Nodes above the topmost bones are joints if they move; else their
//!   transform is folded into the topmost bones. In a file without bones, the nodes that move are the joints.
//! - The rest pose is the bind pose where its bones are as long as those of the nodes, else the pose of the nodes.
//! - A clip is one animation stack, sampled from its start to its end at the rate of the file, or that of its curves
//!   where their keys are closer.
//! - Pivots, pre- and post-rotations, rotation orders and scale inheritance are baked into the local transforms.
//!   Constant scales are baked into the translations below them.
//! - Blend shape weights and animated properties of users are scalar tracks.
//!
//! ```
//! use mocap_formats::{Format, ReadOptions, WriteOptions, read, write};
//! # let bytes = b"HIERARCHY ROOT Hips { OFFSET 0 90 0 CHANNELS 3 Zrotation Xrotation Yrotation } MOTION Frames: 2 \
//! #     Frame Time: 0.01 1 2 3 4 5 6";
//! # let options = ReadOptions::default();
//! # let clip = read(bytes, &options)?.value.to_clip(&options)?.value;
//! let file = write(&clip, Format::Fbx, &WriteOptions::default())?.main.into_bytes();
//! assert_eq!(Format::detect(&file), Some(Format::Fbx));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod animation;
#[cfg(feature = "fbx")]
mod document;
mod format;
mod from_clip;
mod geometry;
#[cfg(feature = "fbx")]
mod node_values;
#[cfg(feature = "fbx")]
mod parse;
mod problem;
#[cfg(feature = "fbx")]
mod read;
#[cfg(feature = "fbx")]
mod rebuilt;
mod record;
#[cfg(feature = "fbx")]
mod records;
#[cfg(feature = "fbx")]
mod rest;
#[cfg(feature = "fbx")]
mod scalars;
#[cfg(feature = "fbx")]
mod scan;
mod scene;
#[cfg(feature = "fbx")]
mod span;
#[cfg(feature = "fbx")]
mod stack;
mod take;
#[cfg(feature = "fbx")]
mod to_body;
#[cfg(feature = "fbx")]
mod to_clip;
#[cfg(feature = "fbx")]
mod transforms;
#[cfg(feature = "fbx")]
mod tree;
mod write;

#[cfg(feature = "fbx")]
pub use document::Document;
pub use from_clip::from_clips;
#[cfg(feature = "fbx")]
pub use parse::parse;
pub use problem::Problem;
#[cfg(feature = "fbx")]
pub use to_clip::to_clip;

pub(crate) use format::FORMAT;

/// The first bytes of a binary file.
const MAGIC: &[u8; 23] = b"Kaydara FBX Binary  \0\x1a\0";
/// Units of time in a second.
const TICKS: i64 = 46_186_158_000;
/// The property that marks the end of a bone in files of this project.
const END_SITE: &str = "mocap_end_site";
