//! Compresses motion with a guaranteed error, and samples what it compressed.
//!
//! Three points at the *shell distance* from each joint along its axes stand for the skin. In every frame, each
//! of them is within the *tolerance* of where it was in the original, in object space, in the `f32` values that
//! the decoder returns. The encoder measures this on the bytes it wrote and returns no others.
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
pub use encode::{CompressError, Compression, Options, Report, compress, raw_bytes};
pub use info::{Info, Limits, Profile};
pub use keys::{Curve, KeyValues, TrackKeys};
pub use sampler::{Looping, Sampler, Transform};
