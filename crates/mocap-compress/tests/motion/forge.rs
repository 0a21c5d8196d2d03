//! Damaged or crafted files with valid checksums.

/// The same file with valid checksums; `None` if its table of sections is not that of the file.
pub(crate) fn forge(bytes: &[u8]) -> Option<Vec<u8>> {
    use xxhash_rust::xxh3::xxh3_64;
    let mut forged = bytes.to_vec();
    let number = |at: &mut usize| -> Option<usize> {
        let mut value = 0;
        for shift in (0..35).step_by(7) {
            let byte = *bytes.get(*at)?;
            *at += 1;
            value |= usize::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    };
    let mut at = 60;
    number(&mut at)?;
    let mut sections = Vec::new();
    for _ in 0..3 {
        let length = number(&mut at)?;
        sections.push((at, length));
        at += 8;
    }
    let table_end = at;
    at += 8;
    for (checksum, length) in sections {
        let sum = xxh3_64(bytes.get(at..at + length)?);
        forged[checksum..checksum + 8].copy_from_slice(&sum.to_le_bytes());
        at += length;
    }
    let sum = xxh3_64(&forged[..table_end]);
    forged[table_end..table_end + 8].copy_from_slice(&sum.to_le_bytes());
    Some(forged)
}
