//! Bit streams; the highest bit of a byte comes first.

/// Appends bits.
#[cfg(feature = "encode")]
#[derive(Debug, Default)]
pub(crate) struct BitWriter {
    bytes: Vec<u8>,
    pending: u64,
    count: u32,
}

#[cfg(feature = "encode")]
impl BitWriter {
    /// Appends the low `count` (at most 32) bits of a value.
    pub(crate) fn put(&mut self, value: u32, count: u32) {
        if count == 0 {
            return;
        }
        self.pending = self.pending << count | u64::from(value) & ((1 << count) - 1);
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.pending >> self.count) as u8);
        }
    }

    /// Appends the bits of another writer.
    pub(crate) fn append(&mut self, other: &BitWriter) {
        other.bytes.iter().for_each(|byte| self.put(u32::from(*byte), 8));
        self.put(other.pending as u32, other.count);
    }

    /// The number of bits.
    pub(crate) fn len(&self) -> usize {
        8 * self.bytes.len() + self.count as usize
    }

    /// The bytes; the last one is padded with zeros.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        let fill = (8 - self.count % 8) % 8;
        self.put(0, fill);
        self.bytes
    }
}

/// Reads bits from any position. Beyond the end it reads zeros.
#[derive(Clone, Debug)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> BitReader<'a> {
    /// Starts at a bit.
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> BitReader<'a> {
        BitReader { bytes, at }
    }

    /// Index of the next bit.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// The next bits at the top of a word: at least 57 of them.
    #[inline]
    fn peek(&self) -> u64 {
        let byte = self.at / 8;
        let word = match self.bytes.get(byte..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => u64::from_be_bytes(*chunk),
            None => {
                let mut chunk = [0; 8];
                if let Some(rest) = self.bytes.get(byte..) {
                    chunk[..rest.len()].copy_from_slice(rest);
                }
                u64::from_be_bytes(chunk)
            }
        };
        word << (self.at % 8)
    }

    /// The next `count` (at most 32) bits.
    #[inline]
    pub(crate) fn take(&mut self, count: u32) -> u32 {
        let value = if count == 0 { 0 } else { (self.peek() >> (64 - count)) as u32 };
        self.at += count as usize;
        value
    }

    /// Number of bits that a word holds, wherever it starts.
    pub(crate) const WORD: u32 = 56;

    /// The next `count` (at most [`BitReader::WORD`]) bits.
    #[inline]
    pub(crate) fn take_word(&mut self, count: u32) -> u64 {
        let word = self.peek() >> 1 >> (63 - count);
        self.at += count as usize;
        word
    }

    /// Number of ones before the next zero, at most `limit` (below 32). The zero is consumed if it is within
    /// the limit.
    #[inline]
    pub(crate) fn ones(&mut self, limit: u32) -> u32 {
        let ones = (!self.peek()).leading_zeros().min(limit);
        self.at += (ones + u32::from(ones < limit)) as usize;
        ones
    }

    /// Skips bits.
    #[inline]
    pub(crate) fn skip(&mut self, count: u32) {
        self.at += count as usize;
    }

    /// Number of zeros before the next one, at most `limit` (below 57).
    #[inline]
    pub(crate) fn zeros(&mut self, limit: u32) -> u32 {
        let zeros = self.peek().leading_zeros().min(limit);
        self.at += zeros as usize;
        zeros
    }

    /// A Rice code whose quotient is known to be short: ones and a zero, then `low` bits.
    #[inline]
    pub(crate) fn rice(&mut self, low: u32) -> u32 {
        let word = self.peek();
        let ones = (!word).leading_zeros().min(31);
        let rest = (word << ones << 1) >> 1 >> (63 - low);
        self.at += (ones + 1 + low) as usize;
        ones << low | rest as u32
    }

    /// Three Rice codes followed by `more` (0 or 1) bits. `None`, with nothing consumed, if the first quotient
    /// is not below `limit` or the codes are too long.
    #[inline]
    pub(crate) fn three_rice(&mut self, low: [u32; 3], more: u32, limit: u32) -> Option<([u32; 3], u32)> {
        let mut word = self.peek();
        if (!word).leading_zeros() >= limit {
            return None;
        }
        let mut codes = [0; 3];
        let mut used = more;
        for (code, low) in codes.iter_mut().zip(low) {
            // A guard bit far down ends every quotient.
            let ones = (!word | 1 << 32).leading_zeros();
            *code = ones << low | (word << ones << 1 >> 1 >> (63 - low)) as u32;
            word <<= ones + 1 + low;
            used += ones + 1 + low;
        }
        // A peek holds at least this many.
        if used > 57 {
            return None;
        }
        self.at += used as usize;
        Some((codes, (word >> 63) as u32 & more))
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;

    #[test]
    fn bits_read_back_from_any_place() {
        let mut writer = BitWriter::default();
        writer.put(0b101, 3);
        writer.put(u32::MAX, 32);
        writer.put(0, 0);
        writer.put(0b1110, 4);
        writer.put(0b110_01011, 8);
        let bytes = writer.finish();
        let mut reader = BitReader::new(&bytes, 0);
        assert_eq!((reader.take(3), reader.take(32), reader.take(0)), (0b101, u32::MAX, 0));
        assert_eq!(reader.ones(8), 3);
        assert_eq!(reader.rice(5), 2 << 5 | 0b01011);
        assert_eq!(BitReader::new(&bytes, 35).ones(2), 2);
        let mut reader = BitReader::new(&[0b0001_0000], 0);
        assert_eq!((reader.zeros(2), reader.zeros(9)), (2, 1));
        reader.skip(1);
        assert_eq!((reader.zeros(3), reader.zeros(56)), (3, 56));
        let mut reader = BitReader::new(&bytes, 3);
        assert_eq!((reader.take_word(0), reader.take_word(36), reader.at()), (0, 0xF_FFFF_FFFE, 39));
        // Beyond the end.
        let mut reader = BitReader::new(&bytes, 1 << 30);
        assert_eq!((reader.take_word(BitReader::WORD), reader.take(32)), (0, 0));
        assert_eq!(BitReader::new(&bytes, 1 << 30).take(9), 0);
        assert_eq!(BitReader::new(&bytes, 1 << 30).rice(9), 0);
    }
}
