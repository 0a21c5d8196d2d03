//! Compresses motion with a guaranteed error, and samples compressed clips.
//!
//! Three points at the *shell distance* from each joint along its axes stand for the skin. In every frame, each of
//! them is within the *tolerance* of its place in the original, in object space, in the `f32` values that the
//! decoder returns. The encoder measures this on the bytes that it wrote and never returns a file that breaks the
//! bound.
//!
//! ```
//! use mocap_compress::{CompressOptions, Compressed, Looping, OpenLimits, compress};
//! # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
//! // Within a tenth of a millimetre.
//! let options = CompressOptions { tolerance: 1e-4, ..CompressOptions::default() };
//! let compression = compress(&clip, &options)?;
//! assert!(compression.report.max <= 1e-4);
//! println!("{:.1} times smaller than raw", compression.report.ratio());
//!
//! // The bytes are a `.mocz` file. Play it: one pose at any time, in units of the clip.
//! let compressed = Compressed::open(compression.bytes, &OpenLimits::default())?;
//! let mut sampler = compressed.sampler();
//! let mut pose = sampler.pose();
//! sampler.sample(0.51, Looping::Clamp, &mut pose);
//! assert_eq!(pose.len(), clip.skeleton().len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Where next:
//! - [`CompressOptions`]: profiles ([`Profile`]), tolerances of single joints, bounds between frames and of local
//!   rotations; [`CompressReport`] has sizes and errors, [`CompressSummary`] the same as JSON and
//!   text; [`match_rules`] resolves tolerances by glob;
//! - [`Compressed`]: open a file, sample it ([`Sampler`]), decode it ([`Compressed::to_clip`]), read its keys
//!   ([`Compressed::keys`]);
//! - [`OpenLimits`]: bounds for files from elsewhere; [`CompressError`] names the damaged part of a file.
//!
//! Decoding uses only operations that IEEE 754 rounds exactly: every machine decodes the same bits. Programs that
//! only play leave out the feature `encode` (on by default).

mod activity;
mod archive;
mod bits;
mod compose;
mod compressed;
mod container;
mod contexts;
mod direct;
#[cfg(feature = "encode")]
mod encode;
mod error;
mod extras;
mod hierarchy;
mod history;
mod info;
mod keys;
mod knots;
mod lanes;
mod lattice;
mod offsets;
mod packed;
mod plan;
mod quat;
mod range_coder;
mod residual;
mod runtime;
mod sampler;
mod segments;
mod skeleton;
mod small_numbers;
mod starts;
mod to_clip;
mod track;
mod window;
mod wire;

pub use compressed::Compressed;
#[cfg(feature = "encode")]
pub use encode::{
    CompressOptions, CompressReport, CompressSummary, Compression, Effort, JointError, JointRule,
    MatchedRules, RuleError, WorstJoint, compress, compress_with_progress, match_rules, raw_bytes,
};
pub use error::{CompressError, Section};
pub use info::{CompressedInfo, OpenLimits, Profile};
pub use keys::{Curve, KeyValues, TrackKeys};
pub use mocap_model::{Clip, FrameRate, JointId, Skeleton};
pub use sampler::{Looping, Sampler, Transform};

/// The examples of the README.
#[cfg(all(doctest, feature = "encode"))]
#[doc = include_str!("../README.md")]
struct Readme;
