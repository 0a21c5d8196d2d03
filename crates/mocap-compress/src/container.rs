//! The `.mocz` container: a header, a table of sections, the sections.
//!
//! Every byte of a file is under a checksum, so a damaged file is an error and never another motion. The format is
//! described in `docs/mocz.md`; released versions stay readable.

use crate::error::{CompressError, Section};
use crate::wire::Reader;
use crate::{CompressedInfo, OpenLimits, Profile};
use mocap_model::FrameRate;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

pub(crate) const MAGIC: [u8; 4] = *b"MOCZ";
pub(crate) const VERSION: u16 = 2;
/// Header flag: the skeleton is in another file.
pub(crate) const EXTERNAL_SKELETON: u8 = 1;
/// Header flag: the skeleton section states how to convert the skeleton of the other file.
pub(crate) const EXTERNAL_READING: u8 = 2;
/// Header flag: there is a section for contents besides rotations and translations.
pub(crate) const EXTRAS: u8 = 4;
/// Header flag of the profile `direct`: the plan and the layouts of blocks are plain bits.
pub(crate) const PLAIN: u8 = 8;
const HEADER_BYTES: usize = 60;
/// Greatest number of frames × moving tracks of a block: what a decoder holds at a time.
pub(crate) const BLOCK_VALUES: usize = 1 << 23;
pub(crate) const BLOCK_FRAMES: usize = 1 << 13;

/// Positions of the parts of a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Parts {
    pub(crate) info: CompressedInfo,
    /// Fingerprint of the skeleton.
    pub(crate) fingerprint: u64,
    /// Length of the skeleton's structure, unpacked.
    pub(crate) structure: usize,
    pub(crate) skeleton: Option<Range<usize>>,
    /// How to convert the skeleton of another file; `None`: it is used unchanged.
    pub(crate) reading: Option<Range<usize>>,
    pub(crate) plan: Range<usize>,
    pub(crate) extras: Option<Range<usize>>,
    pub(crate) blocks: Vec<Range<usize>>,
    /// Frames from one block to the next.
    pub(crate) block_frames: usize,
    /// Whether the plan and the layouts of blocks are plain bits.
    pub(crate) plain: bool,
}

impl Parts {
    /// The frames of a block: the last one is the first of the next block.
    pub(crate) fn frames_of(&self, block: usize) -> Range<usize> {
        let first = block * self.block_frames;
        first..(first + self.block_frames + 1).min(self.info.frames)
    }
}

/// The number of blocks of a clip.
pub(crate) fn block_count(frames: usize, block_frames: usize) -> usize {
    // A last block of a single frame would only repeat the end of the previous one.
    if frames == 0 { 0 } else { (frames - 1).div_ceil(block_frames).max(1) }
}

/// The section of the skeleton.
#[cfg(feature = "encode")]
pub(crate) struct SkeletonSection {
    /// The skeleton, or how to convert that of another file.
    pub(crate) bytes: Vec<u8>,
    /// The length of its structure, unpacked; `None` where the skeleton is in another file.
    pub(crate) structure: Option<usize>,
    /// The fingerprint of the skeleton as decoded.
    pub(crate) fingerprint: u64,
}

/// Assembles a file from its parts.
#[cfg(feature = "encode")]
pub(crate) fn assemble(
    info: &CompressedInfo,
    block_frames: usize,
    skeleton: &SkeletonSection,
    (plan, extras): (&[u8], Option<&[u8]>),
    blocks: &[Vec<u8>],
) -> Vec<u8> {
    use crate::wire::put_number;
    let mut bytes = Vec::from(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.push(info.profile.code());
    let of_skeleton = if skeleton.structure.is_none() { EXTERNAL_SKELETON | EXTERNAL_READING } else { 0 };
    let plain = if is_plain(info.profile) { PLAIN } else { 0 };
    bytes.push(of_skeleton | plain | if extras.is_some() { EXTRAS } else { 0 });
    bytes.extend((info.frames as u64).to_le_bytes());
    for value in [info.rate.fps(), info.tolerance, info.shell, info.metres_per_unit] {
        bytes.extend(value.to_le_bytes());
    }
    bytes.extend(skeleton.fingerprint.to_le_bytes());
    bytes.extend((block_frames as u32).to_le_bytes());
    debug_assert_eq!(bytes.len(), HEADER_BYTES);
    put_number(&mut bytes, skeleton.structure.unwrap_or(0) as u64);
    let extras = extras.map(packed_with_length);
    let sections: Vec<&[u8]> = [&skeleton.bytes[..], plan]
        .into_iter()
        .chain(extras.as_deref())
        .chain(blocks.iter().map(Vec::as_slice))
        .collect();
    for section in &sections {
        put_number(&mut bytes, section.len() as u64);
        bytes.extend(xxh3_64(section).to_le_bytes());
    }
    bytes.extend(xxh3_64(&bytes).to_le_bytes());
    sections.iter().for_each(|section| bytes.extend(*section));
    bytes
}

/// Whether the plan and the layouts of a profile are written as plain bits: where single poses of many files are
/// read, opening must not take longer than a few of them.
#[cfg(feature = "encode")]
pub(crate) fn is_plain(profile: Profile) -> bool {
    profile == Profile::Direct
}

/// Packed bytes, preceded by their length.
#[cfg(feature = "encode")]
fn packed_with_length(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    crate::wire::put_number(&mut packed, bytes.len() as u64);
    packed.extend(crate::packed::pack(bytes));
    packed
}

/// Whether this version knows all flags of a header.
fn are_known(flags: u8, profile: Profile) -> bool {
    let of_skeleton = flags & !(EXTRAS | if profile == Profile::Direct { PLAIN } else { 0 });
    of_skeleton & !(EXTERNAL_SKELETON | EXTERNAL_READING) == 0 && of_skeleton != EXTERNAL_READING
}

/// The section in a line of the table.
fn section(line: usize, has_extras: bool, block_frames: usize) -> Section {
    match line {
        0 => Section::Skeleton,
        1 => Section::Plan,
        2 if has_extras => Section::Extras,
        line => Section::Block((line - 2 - usize::from(has_extras)) * block_frames),
    }
}

/// Whether checksums are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verify {
    /// All.
    All,
    /// None: the bytes were verified before.
    Nothing,
}

/// Reads the header and the table, and checks the checksums.
pub(crate) fn parts(bytes: &[u8], limits: &OpenLimits, verify: Verify) -> Result<Parts, CompressError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(CompressError::Magic { found: bytes[..bytes.len().min(4)].to_vec() });
    }
    let mut reader = Reader::new(bytes);
    let malformed = |found| CompressError::malformed(Section::Header, 0, found);
    let cut =
        |_| CompressError::Length { section: Section::Header, expected: HEADER_BYTES, found: bytes.len() };
    reader.take(4, "'MOCZ'").map_err(cut)?;
    let version = u16::from_le_bytes(reader.array("a version").map_err(cut)?);
    if version != VERSION {
        return Err(CompressError::Version { found: version, known: VERSION });
    }
    let profile = reader.byte("a profile").map_err(cut)?;
    let flags = reader.byte("flags").map_err(cut)?;
    let frames = u64::from_le_bytes(reader.array("a number of frames").map_err(cut)?);
    let mut floats = [0.0; 4];
    for float in &mut floats {
        *float = f64::from_le_bytes(reader.array("a number").map_err(cut)?);
    }
    let fingerprint = u64::from_le_bytes(reader.array("a fingerprint").map_err(cut)?);
    let block_frames = u32::from_le_bytes(reader.array("a number of frames").map_err(cut)?) as usize;
    // The header states the length of the table, and must not be trusted before its checksum is verified.
    let external = flags & EXTERNAL_SKELETON != 0;
    let has_extras = flags & EXTRAS != 0;
    let before_blocks = 2 + usize::from(has_extras);
    let count = usize::try_from(frames).ok().map(|frames| block_count(frames, block_frames.max(1)));
    let mut table = Vec::new();
    let structure = reader.number(1 << 40, "a length").map_err(malformed)? as usize;
    for _ in 0..count.unwrap_or(usize::MAX).saturating_add(before_blocks) {
        let length = reader.number(1 << 40, "a length of a section").map_err(malformed)? as usize;
        table.push((length, u64::from_le_bytes(reader.array("a checksum").map_err(malformed)?)));
    }
    let end = reader.at;
    let checksum = u64::from_le_bytes(reader.array("a checksum").map_err(malformed)?);
    if verify == Verify::All && checksum != xxh3_64(&bytes[..end]) {
        return Err(CompressError::Checksum { section: Section::Header, from: 0, to: end });
    }
    let fail = |expected| Err(CompressError::Malformed { section: Section::Header, at: 0, expected });
    let Some(profile) = Profile::of_code(profile) else { return fail("a known profile") };
    let Some(rate) = FrameRate::new(floats[0]) else { return fail("a frame rate") };
    let [_, tolerance, shell, metres_per_unit] = floats;
    if !floats.iter().all(|value| value.is_finite() && *value >= 0.0) || metres_per_unit <= 0.0 {
        return fail("lengths that are finite");
    }
    if !are_known(flags, profile) {
        return fail("flags that are known");
    }
    if frames > limits.frames as u64 {
        return Err(CompressError::Limit { what: "frames", found: frames, limit: limits.frames as u64 });
    }
    if !(block_frames.is_power_of_two() && (64..=BLOCK_FRAMES).contains(&block_frames)) {
        return fail("a length of blocks that is a power of two from 64 to 8192");
    }
    let info = CompressedInfo { profile, frames: frames as usize, rate, tolerance, shell, metres_per_unit };
    let mut at = reader.at;
    let mut ranges = Vec::with_capacity(table.len());
    for (index, (length, checksum)) in table.iter().enumerate() {
        let section = section(index, has_extras, block_frames);
        let range = at..at + length;
        let Some(content) = bytes.get(range.clone()) else {
            return Err(CompressError::Length { section, expected: range.end, found: bytes.len() });
        };
        if verify == Verify::All && xxh3_64(content) != *checksum {
            return Err(CompressError::Checksum { section, from: range.start, to: range.end });
        }
        at = range.end;
        ranges.push(range);
    }
    if at != bytes.len() {
        let section = Section::Block(info.frames.saturating_sub(1));
        return Err(CompressError::Length { section, expected: at, found: bytes.len() });
    }
    let blocks = ranges.split_off(before_blocks);
    let extras = has_extras.then(|| ranges.remove(2));
    let plan = ranges.remove(1);
    let first = ranges.remove(0);
    let reading = (flags & EXTERNAL_READING != 0).then(|| first.clone());
    let skeleton = (!external).then_some(first);
    let plain = flags & PLAIN != 0;
    Ok(Parts { info, fingerprint, structure, skeleton, reading, plan, extras, blocks, block_frames, plain })
}
