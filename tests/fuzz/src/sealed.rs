//! Checksums of compressed clips, indexes and example poses, corrected after a change: else a reader stops at them.

use xxhash_rust::xxh3::xxh3_64;

/// Where the table starts: magic to the length of a block.
const TABLE: usize = 60;
const FLAGS: usize = 7;

/// The file with checksums that fit its content, as far as its table makes sense.
pub(crate) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    seal(&mut bytes);
    bytes
}

/// An index with the hash of its content, which stands behind magic and version.
pub(crate) fn sealed_index(mut bytes: Vec<u8>) -> Vec<u8> {
    const HASH: std::ops::Range<usize> = 12..20;
    if bytes.len() > HASH.end {
        let hash = xxh3_64(&bytes[HASH.end..]);
        bytes[HASH].copy_from_slice(&hash.to_le_bytes());
    }
    bytes
}

/// A file of example poses with the hash of its content, which is its last eight bytes.
pub(crate) fn sealed_poses(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some((content, hash)) = bytes.split_last_chunk_mut::<8>() {
        *hash = xxh3_64(content).to_le_bytes();
    }
    bytes
}

fn seal(bytes: &mut [u8]) -> Option<()> {
    let flags = *bytes.get(FLAGS)?;
    let [frames, block] = [number(bytes, 8, 8)?, number(bytes, 56, 4)?];
    let mut at = TABLE;
    // The length of the skeleton's structure.
    varint(bytes, &mut at)?;
    let others = 2 + usize::from(flags & 4 != 0);
    let blocks = if frames == 0 { 0 } else { frames.saturating_sub(1).div_ceil(block.max(1)).max(1) };
    let blocks = usize::try_from(blocks).ok().filter(|blocks| *blocks < bytes.len())?;
    let mut entries = Vec::new();
    for _ in 0..others + blocks {
        let length = usize::try_from(varint(bytes, &mut at)?).ok()?;
        entries.push((length, at));
        at += 8;
    }
    let end = at;
    let mut section = end + 8;
    for (length, checksum) in entries {
        let stop = section.checked_add(length)?;
        let sum = xxh3_64(bytes.get(section..stop)?);
        bytes[checksum..checksum + 8].copy_from_slice(&sum.to_le_bytes());
        section = stop;
    }
    let sum = xxh3_64(bytes.get(..end)?);
    bytes.get_mut(end..end + 8)?.copy_from_slice(&sum.to_le_bytes());
    Some(())
}

fn number(bytes: &[u8], at: usize, width: usize) -> Option<u64> {
    let mut value = [0; 8];
    value[..width].copy_from_slice(bytes.get(at..at + width)?);
    Some(u64::from_le_bytes(value))
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 127) << shift;
        if byte < 128 {
            return Some(value);
        }
    }
    None
}
