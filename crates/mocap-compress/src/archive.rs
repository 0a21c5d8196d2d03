//! The `archive` profile: smallest files. A block is one range coder stream, decoded as a whole.

use crate::compose::{Composer, Step};
use crate::compressed::Compressed;
use crate::hierarchy::{BLOCK_TOP, Node, Reach, levels, schedule};
use crate::lanes::{Quats, Vectors};
use crate::range_coder::RangeDecoder;
use crate::track::{HeadModel, Moving, ResidualCoder, has_no_taps};
use crate::window::Window;

/// Decodes blocks.
#[derive(Debug)]
pub(crate) struct Decoder {
    composer: Composer,
    nodes: Vec<Node>,
    /// Residuals by track and node.
    numbers: Vec<Vec<[f32; 3]>>,
}

impl Decoder {
    pub(crate) fn new(clip: &Compressed) -> Decoder {
        Decoder { composer: Composer::new(&clip.kinds), nodes: Vec::new(), numbers: Vec::new() }
    }

    /// Decodes a block: first all residuals, track by track; then the frames, all tracks in parallel lanes.
    pub(crate) fn decode(&mut self, clip: &Compressed, block: usize, window: &mut Window) {
        let frames = clip.parts.frames_of(block);
        if self.nodes.len() != frames.len() {
            self.nodes = schedule(frames.len() as u32, BLOCK_TOP, Reach::Block);
        }
        self.read(clip, &clip.bytes[clip.parts.blocks[block].clone()]);
        let [rotations, translations] = self.composer.groups_by_kind();
        window.first = frames.start;
        window.frames = frames.len();
        window.rotations.resize(rotations * frames.len(), Quats::IDENTITY);
        window.translations.resize(translations * frames.len(), Vectors::ZERO);
        let mut lanes = vec![Vectors::ZERO; self.composer.groups()];
        for (at, node) in self.nodes.iter().enumerate() {
            for (track, numbers) in self.numbers.iter().enumerate() {
                let (group, lane) = self.composer.place(track);
                lanes[group].set(lane, numbers[at]);
            }
            if has_no_taps(node) {
                self.composer.start(&lanes, node.frame as usize, window);
                continue;
            }
            let step = Step {
                place: node.frame as usize,
                level: usize::from(node.level),
                taps: node.taps.map(|tap| tap as usize),
                cubic: node.cubic,
                linear: node.linear,
            };
            self.composer.step(&lanes, &step, window);
        }
    }

    fn read(&mut self, clip: &Compressed, bytes: &[u8]) {
        let mut coder = RangeDecoder::new(bytes);
        let mut heads = HeadModel::new();
        let mut residuals = ResidualCoder::new(self.nodes.len());
        let mut rotations = 0;
        self.composer.clear();
        self.numbers.resize(clip.kinds.len(), Vec::new());
        for (track, (kind, numbers)) in clip.kinds.iter().zip(&mut self.numbers).enumerate() {
            let head = heads.read(&mut coder, kind.0, levels(BLOCK_TOP), rotations);
            self.composer.put(track, *kind, &head);
            rotations += usize::from(kind.0 == Moving::Rotation);
            let mut reader = residuals.track(kind.0, &head);
            numbers.clear();
            numbers.extend(self.nodes.iter().map(|node| {
                reader.expect(node);
                let residual = reader.code(&mut coder, node, Default::default());
                head.numbers(node.level, levels(BLOCK_TOP), residual)
            }));
        }
    }
}

/// The bytes of a block.
#[cfg(feature = "encode")]
pub(crate) fn encode(block: &crate::encode::block::Block<'_>) -> crate::encode::block::EncodedBlock {
    use crate::encode::{block::EncodedBlock, source::Chooser, write::code_tracks};
    let nodes = schedule(block.frames as u32, BLOCK_TOP, Reach::Block);
    let mut chooser = Chooser::new(block, &nodes, levels(BLOCK_TOP));
    let mut coder = crate::range_coder::RangeEncoder::new();
    let coded =
        code_tracks(&mut coder, &mut chooser, &nodes, levels(BLOCK_TOP), block.kinds, &block.settings.work);
    #[cfg(test)]
    crate::encode::learn::count(&coded.models);
    #[cfg(not(test))]
    drop(coded);
    EncodedBlock { bytes: coder.finish(), failed: chooser.failed }
}
