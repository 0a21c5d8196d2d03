//! Edits of a document that leave its rotations as they are: frames left out, lengths multiplied.

use super::document::{Channel, Document, Origin};
use super::from_clip::{Decimals, without_noise};
use super::motion::Motion;
use super::positions::position_mode;
use mocap_model::Space;
use std::ops::Range;

/// Largest rounding error of a length, as a share of its unit before scaling.
const ROUNDING: f64 = 0.5e-9;
/// The finest rounding to decimals.
const FINEST: f64 = 0.5e-12;

impl Document {
    /// The document with only these frames and with all lengths multiplied by `factor`, which is above 0; every other
    /// value stays as it is. `None` where lengths are too far, or position channels would be taken for the other kind.
    ///
    /// ```
    /// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/alex_walk.bvh"));
    /// let document = mocap_formats::bvh::parse(bytes, &Default::default())?.value;
    /// let second = document.edited(1..2, 1.0).expect("its positions are clear");
    /// let width = document.channels();
    /// assert_eq!(second.motion().unwrap().values()[..], document.motion().unwrap().values()[width..2 * width]);
    /// # Ok::<(), mocap_formats::ReadError>(())
    /// ```
    ///
    /// # Panics
    /// If the document has fewer frames.
    pub fn edited(&self, frames: Range<usize>, factor: f64) -> Option<Document> {
        let width = self.channels();
        let motion = self.motion.as_ref().map(|motion| motion.cut(frames, width));
        let mut edited = Document::new(self.nodes.clone(), motion, Origin::default());
        if factor != 1.0 {
            edited.multiply_lengths(factor);
            let values = edited.motion.as_ref().map(Motion::values).unwrap_or_default();
            let mut lengths = edited.nodes.iter().flat_map(|node| &node.offset).chain(values.iter());
            if !lengths.all(|length| length.abs() <= Space::FARTHEST) {
                return None;
            }
        }
        let (before, after) = (position_mode(self), position_mode(&edited));
        (before.mode == after.mode && (before.weak || !after.weak)).then_some(edited)
    }

    fn multiply_lengths(&mut self, factor: f64) {
        let width = self.channels();
        let rounding = ROUNDING * factor;
        let decimals = Decimals::within(rounding);
        // Tiny factors need more decimals than are usual: round to significant digits instead.
        let rounded = |value| if rounding < FINEST { without_noise(value) } else { decimals.round(value) };
        let mut column = 0;
        for node in &mut self.nodes {
            node.offset = node.offset.map(|value| without_noise(value * factor));
            for channel in &node.channels {
                if let (Channel::Position(_), Some(motion)) = (channel, &mut self.motion) {
                    let values = motion.values_mut().iter_mut().skip(column).step_by(width);
                    values.for_each(|value| *value = rounded(*value * factor));
                }
                column += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Limits, bvh};

    const TEXT: &str = "HIERARCHY\nROOT hips\n{\nOFFSET 0 0.1 0\nCHANNELS 6 Xposition Zrotation Yposition Xrotation \
         Zposition Yrotation\nJOINT arm\n{\nOFFSET 1 2 3\nCHANNELS 3 Xposition Yposition Zposition\n}\n}\nMOTION\n\
         Frames: 3\nFrame Time: .0083\n1 2 3 4 5 6 1 2 3\n-0.1 365.5 0.1 4.25 5 6 1 2 3\n0 2 3 4 5 1e-7 0.1 0.2 0.3\n";

    fn document() -> bvh::Document {
        bvh::parse(TEXT.as_bytes(), &Limits::default()).unwrap().value
    }

    #[test]
    fn frames_keep_their_values_and_lengths_are_multiplied() {
        let edited = document().edited(1..2, 2.54).unwrap();
        let motion = edited.motion().unwrap();
        assert_eq!(motion.values()[..], [-0.254, 365.5, 0.254, 4.25, 12.7, 6.0, 2.54, 5.08, 7.62]);
        assert_eq!((motion.frames, motion.frame_time.as_ref().unwrap().text.as_str()), (1, ".0083"));
        assert_eq!(edited.nodes()[1].offset.as_slice(), [2.54, 5.08, 7.62]);
        let tiny = document().edited(1..2, 1e-9).unwrap();
        assert_eq!(tiny.motion().unwrap().values()[4..7], [5e-9, 6.0, 1e-9]);
        let kept = document().edited(0..3, 1.0).unwrap();
        assert_eq!((&kept.nodes, &kept.motion), (&document().nodes, &document().motion));
    }

    #[test]
    fn positions_that_would_be_misread_are_refused() {
        // By the median of both frames, positions replace OFFSET; from the last frame only, a
        // reader would decide that they add to it.
        assert!(document().edited(0..2, 1.0).is_some());
        assert_eq!(document().edited(2..3, 1.0), None);
    }
}
