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
/// If `values` is not a whole number of rows.
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
        let low = 31 - (((self.mean * 11) >> 8) | 1).leading_zeros();
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What the page's script does.
    pub(crate) fn decode(text: &str, channels: usize, rows: usize) -> Vec<i32> {
        let bytes = unbase64(text);
        let mut at = 0;
        let mut bits = |count: u32| {
            let mut value = 0u32;
            for _ in 0..count {
                value = (value << 1) | u32::from(bytes[at / 8] >> (7 - at % 8) & 1);
                at += 1;
            }
            value
        };
        let mut state = vec![Channel { last: 0, step: 0, mean: 64 }; channels];
        let mut values = Vec::new();
        for row in 0..rows {
            for channel in &mut state {
                let low = 31 - (((channel.mean * 11) >> 8) | 1).leading_zeros();
                let mut ones = 0;
                while ones < ESCAPE && bits(1) == 1 {
                    ones += 1;
                }
                let code = if ones < ESCAPE { (ones << low) | bits(low) } else { bits(32) };
                channel.step = channel.step.wrapping_add((code >> 1) as i32 ^ -((code & 1) as i32));
                channel.last = channel.last.wrapping_add(channel.step);
                channel.mean = channel.mean + code.min(1 << 20) - (channel.mean >> 4);
                if row == 0 {
                    (channel.step, channel.mean) = (0, 64);
                }
                values.push(channel.last);
            }
        }
        values
    }

    fn unbase64(text: &str) -> Vec<u8> {
        let digit = |letter: u8| match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            _ => 63,
        };
        let mut bytes = Vec::new();
        for chunk in text.as_bytes().chunks(4) {
            let word = chunk.iter().fold(0u32, |word, letter| {
                (word << 6) | if *letter == b'=' { 0 } else { u32::from(digit(*letter)) }
            });
            let kept = 3 - chunk.iter().filter(|letter| **letter == b'=').count();
            bytes.extend(&word.to_be_bytes()[1..=kept]);
        }
        bytes
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
            assert_eq!(unbase64(coded), plain.as_bytes());
        }
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }

    #[test]
    fn what_hardly_moves_costs_about_a_bit() {
        let still = vec![5; 8000];
        assert!(encode(&still, 4).len() < 8000 / 6 + 40, "{}", encode(&still, 4).len());
    }

    proptest! {
        #[test]
        fn all_numbers_come_back(
            channels in 1usize..5,
            numbers in prop::collection::vec(prop_oneof![any::<i32>(), -300i32..300, Just(i32::MAX), Just(i32::MIN)], 0..200),
        ) {
            let rows = numbers.len() / channels;
            let numbers = &numbers[..rows * channels];
            prop_assert_eq!(decode(&encode(numbers, channels), channels, rows), numbers);
        }
    }
}
