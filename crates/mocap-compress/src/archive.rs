//! The `archive` profile: the smallest files. A block is one stream of the range coder, decoded as a whole.

/// Frames between those that are coded first.
pub(crate) const TOP: u32 = 64;

#[cfg(feature = "encode")]
pub(crate) use writing::encode;

#[cfg(feature = "encode")]
mod writing {
    use super::TOP;
    use crate::encode::rig::{Placed, Rig};
    use crate::encode::source::{Chooser, Settings};
    use crate::hierarchy::{Reach, levels, schedule};
    use crate::plan::Plan;
    use crate::quat::Quat;
    use crate::range_coder::RangeEncoder;
    use crate::track::{Moving, code_tracks};

    /// The bytes of a block, and how many samples could not be kept within their bound.
    pub(crate) fn encode(
        frames: usize,
        plan: &Plan,
        kinds: &[(Moving, Quat)],
        rig: &Rig,
        settings: &Settings<'_>,
        original: &Placed,
    ) -> (Vec<u8>, usize) {
        let nodes = schedule(frames as u32, TOP, Reach::Block);
        let mut chooser = Chooser::new(rig, plan, settings, &nodes, levels(TOP), kinds, original);
        let mut coder = RangeEncoder::new();
        code_tracks(&mut coder, &mut chooser, &nodes, levels(TOP), kinds);
        let failed = chooser.failed;
        (coder.finish(), failed)
    }
}
