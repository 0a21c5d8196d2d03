//! Dispatch to the widest SIMD registers of this processor.

use fearless_simd::Level;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::Simd;

/// Runs `work` compiled for the SIMD instructions of this processor; the result is the same as on any other. Only code
/// that is inlined into `work` gains.
#[inline(always)]
pub(crate) fn widest<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = Level::new().as_avx2() {
        return avx2.vectorize(work);
    }
    // Without AVX2, and on other architectures, the baseline instructions are used.
    work()
}
