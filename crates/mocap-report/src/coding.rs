//! Whole numbers over time in few characters, for a page that decodes them with a few lines of script.
//!
//! Each channel is predicted by continuing its last step (order two); what is left is written as adaptive
//! Golomb-Rice codes whose parameter follows the channel's own recent size, and the bits as base64.
//!
//! Based on: R. F. Rice, "Some practical universal noiseless coding techniques", JPL 79-22, 1979; the running
//! mean in place of counters, as lossless audio coders have it.

/// Quotients from here on are escaped: this many ones, then 32 bits.
const ESCAPE: u32 = 24;

/// Encodes `rows × channels` numbers, row by row.
///
/// # Panics
/// Where `values` is no whole number of rows.
pub(crate) fn encode(values: &[i32], channels: usize) -> String {
    let mut bits = Bits::default();
    if channels > 0 {
        assert_eq!(values.len() % channels, 0, "rows of {channels} numbers");
    }
    let mut state = vec![Channel { last: 0, step: 0, mean: 64 }; channels];
    for (i, row) in values.chunks_exact(channels.max(1)).enumerate() {
        for (channel, value) in state.iter_mut().zip(row) {
            channel.write(*value, &mut bits);
            if i == 0 {
                // How far the first value is from 0 says nothing about the next step.
                (channel.step, channel.mean) = (0, 64);
            }
        }
    }
    bits.base64()
}

#[derive(Clone, Copy)]
struct Channel {
    last: i32,
    step: i32,
    /// Sixteen times the running mean of the codes.
    mean: u32,
}

impl Channel {
    fn write(&mut self, value: i32, bits: &mut Bits) {
        let step = value.wrapping_sub(self.last);
        let residual = step.wrapping_sub(self.step);
        (self.last, self.step) = (value, step);
        let code = ((residual << 1) ^ (residual >> 31)) as u32;
        let low = 31 - ((self.mean * 11 >> 8) | 1).leading_zeros();
        if code >> low < ESCAPE {
            bits.ones(code >> low);
            bits.push(0, 1);
            bits.push(code & ((1 << low) - 1), low);
        } else {
            bits.ones(ESCAPE);
            bits.push(code >> 16, 16);
            bits.push(code & 0xffff, 16);
        }
        self.mean = self.mean + code.min(1 << 20) - (self.mean >> 4);
    }
}

#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    /// Bits that fill no byte yet, at the low end.
    held: u32,
    count: u32,
}

impl Bits {
    /// The low `count` bits of `value`, highest first; at most 24.
    fn push(&mut self, value: u32, count: u32) {
        self.held = (self.held << count) | value;
        self.count += count;
        while self.count >= 8 {
            self.count -= 8;
            self.bytes.push((self.held >> self.count) as u8);
            self.held &= (1 << self.count) - 1;
        }
    }

    fn ones(&mut self, count: u32) {
        self.push((1 << count) - 1, count);
    }

    fn base64(mut self) -> String {
        if self.count > 0 {
            self.push(0, 8 - self.count);
        }
        base64(&self.bytes)
    }
}

/// Base64 with padding, as browsers decode it.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let word =
            chunk.iter().fold(0u32, |word, byte| (word << 8) | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * i)) as usize & 63];
            text.push(if i <= chunk.len() { letter as char } else { '=' });
        }
    }
    text
}
