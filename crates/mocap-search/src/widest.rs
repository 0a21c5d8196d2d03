//! The widest registers of this processor.

use fearless_simd::Level;
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
use fearless_simd::Simd;

/// Does what is said as it is compiled for this processor, with the same result as on any other: all of it that is to be
/// faster is inlined.
#[inline(always)]
pub(crate) fn widest<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    if let Some(avx2) = Level::new().as_avx2() {
        return avx2.vectorize(work);
    }
    work()
}
