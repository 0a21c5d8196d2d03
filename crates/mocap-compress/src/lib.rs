//! Compresses motion with a guaranteed error, and samples what it compressed.
//!
//! Three points at the *shell distance* from each joint along its axes stand for the skin. In every frame, each
//! of them is within the *tolerance* of where it was in the original, in object space, in the `f32` values that
//! the decoder returns. The encoder measures this on the bytes it wrote and returns no others.
//!
//! ```
//! use mocap_compress::{Compressed, Limits, Looping, Options, compress};
//! # use mocap_model::*;
//! # let joint = Joint {
//! #     name: "root".into(),
//! #     parent: None,
//! #     offset: Vector3::zeros(),
//! #     rest_rotation: UnitQuaternion::identity(),
//! #     dofs: Dofs::free(EulerOrder::ZXY),
//! #     role: None,
//! #     end_site: false,
//! # };
//! # let skeleton = std::sync::Arc::new(Skeleton::new("", Space::default(), vec![joint]).unwrap());
//! # let turns = (0..90).map(|i| exp(&Vector3::new(0.0, 0.02 * i as f64, 0.0))).collect();
//! # let tracks = JointTracks { rotation: Track::Sampled(turns), translation: None };
//! # let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 90, vec![tracks]).unwrap();
//! // A clip in centimetres, within a tenth of a millimetre.
//! let options = Options { tolerance: 1e-4, metres_per_unit: Some(0.01), ..Options::default() };
//! let compression = compress(&clip, &options)?;
//! assert!(compression.report.max <= 1e-4);
//!
//! let compressed = Compressed::open(compression.bytes, &Limits::default())?;
//! let mut sampler = compressed.sampler();
//! let mut pose = sampler.pose();
//! sampler.sample(0.51, Looping::Clamp, &mut pose);
//! assert_eq!(pose.len(), clip.skeleton().len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`compress`] makes the bytes of a `.mocz` file, [`Compressed`] opens them, [`Sampler`] gives poses at any
//! time. Decoding uses only operations that IEEE 754 rounds exactly: every machine decodes the same bits. The
//! feature `encode` (on by default) can be left out of programs that only play.

mod archive;
mod bits;
mod clip;
mod container;
#[cfg(feature = "encode")]
mod encode;
mod hierarchy;
mod history;
mod info;
mod keys;
mod lanes;
mod lattice;
mod plan;
mod quat;
mod range_coder;
mod residual;
mod runtime;
mod sampler;
mod skeleton;
mod track;
mod wire;

pub use clip::Compressed;
pub use container::{OpenError, Section};
#[cfg(feature = "encode")]
pub use encode::{
    CompressError, Compression, JointError, Options, Report, compress, compress_with_progress, raw_bytes,
};
pub use info::{Info, Limits, Profile};
pub use keys::{Curve, KeyValues, TrackKeys};
pub use sampler::{Looping, Sampler, Transform};
