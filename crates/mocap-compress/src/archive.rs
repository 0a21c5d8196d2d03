//! The `archive` profile: the smallest files. A block is one stream of the range coder, decoded as a whole.

/// Frames between those that are coded first.
pub(crate) const TOP: u32 = 64;

/// The bytes of a block.
#[cfg(feature = "encode")]
pub(crate) fn encode(block: &crate::encode::block::Block<'_>) -> crate::encode::block::EncodedBlock {
    use crate::encode::{block::EncodedBlock, source::Chooser};
    use crate::hierarchy::{Reach, levels, schedule};
    use crate::{range_coder::RangeEncoder, track::code_tracks};
    let nodes = schedule(block.frames as u32, TOP, Reach::Block);
    let mut chooser = Chooser::new(block, &nodes, levels(TOP));
    let mut coder = RangeEncoder::new();
    code_tracks(&mut coder, &mut chooser, &nodes, levels(TOP), block.kinds);
    let failed = chooser.failed;
    EncodedBlock { bytes: coder.finish(), failed }
}
