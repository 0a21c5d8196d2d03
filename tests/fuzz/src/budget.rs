//! Bounds of time and memory.

use std::time::Duration;

/// Memory that does not depend on the input \[bytes\].
const MEMORY: u64 = 64 << 20;
/// Memory for each byte of the input.
const PER_BYTE: u64 = 16;
/// Time that does not depend on the input \[s\].
const TIME: f64 = 1.0;
/// Time for each byte of the input \[s\].
const TIME_PER_BYTE: f64 = 1e-6;
/// How much slower a build with checks may be.
const SLOWER: f64 = if cfg!(debug_assertions) { 6.0 } else { 1.0 };

/// Frames × joints that readers take while they are tested.
pub(crate) const SAMPLES: usize = 100_000;

/// The bytes that reading an input may hold at once.
pub(crate) fn memory(bytes: usize, per_sample: u64) -> u64 {
    MEMORY + PER_BYTE * bytes as u64 + per_sample * SAMPLES as u64
}

/// The time that an input may take.
pub(crate) fn time(bytes: usize) -> Duration {
    Duration::from_secs_f64((TIME + TIME_PER_BYTE * bytes as f64) * SLOWER)
}
