//! Films and strobe pictures of motions: GIF, APNG and PNG, drawn without a graphics card or another program.
//!
//! The same motions give the same bytes for any number of threads.
//!
//! ```
//! use mocap_report::render::{self, RenderInput, RenderOptions};
//! # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
//! let input = RenderInput::of(&clip);
//! let options = RenderOptions { size: [120, 90], fps: 10.0, ..RenderOptions::default() };
//! assert!(render::gif(&[input], &options)?.starts_with(b"GIF89a"));
//! # Ok::<(), render::TooManyPictures>(())
//! ```

pub use crate::animated::{apng, frames, gif, pictures};
pub use crate::film::{MOST_PICTURES, RenderInput, RenderOptions, TooManyPictures};
pub use crate::strobe::strobe;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_of_a_very_slow_motion_is_refused_and_a_strobe_is_not() {
        use crate::made::chain;
        let clip = chain(2, 1.0, 5, mocap_model::Space::default())
            .with_rate(mocap_model::FrameRate::new(1e-9).unwrap());
        let input = RenderInput::of(&clip);
        let options = RenderOptions { size: [64, 48], ..RenderOptions::default() };
        // The duration is rounded: the last picture may fall behind the end.
        let found = gif(&[input], &options).unwrap_err().found;
        assert!((100_000_000_000..=100_000_000_001).contains(&found), "{found}");
        assert!(apng(&[input], &options).is_err() && frames(&[input], &options, |_| ()).is_err());
        assert!(strobe(input, 3, &options).starts_with(b"\x89PNG"));
    }

    #[test]
    fn every_motion_gives_a_film() {
        use crate::made::chain;
        use mocap_model::Space;
        for (joints, length, frames) in [(1, 1.0, 1), (1, 1.0, 0), (3, 0.0, 5), (3, 1e11, 3), (20, 0.1, 4)] {
            let clip = chain(joints, length, frames, Space::default());
            let input = RenderInput::of(&clip);
            let options = RenderOptions { size: [64, 48], ..RenderOptions::default() };
            assert_eq!(gif(&[input], &options), gif(&[input], &options));
            assert!(strobe(input, 4, &options).starts_with(b"\x89PNG"));
            assert!(gif(&[input, input], &options).unwrap().starts_with(b"GIF"));
        }
        assert!(
            gif(&[], &RenderOptions { size: [64, 48], ..RenderOptions::default() })
                .unwrap()
                .starts_with(b"GIF")
        );
    }
}
