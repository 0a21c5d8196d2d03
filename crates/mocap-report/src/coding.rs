//! Encodes integers over time as compact text that a page decodes with a short script.
//!
//! Each channel is predicted from its last step, plus half of the last change of step if that gives a shorter
//! text (noise needs less prediction, smooth motion more). The residual is written as adaptive Golomb-Rice codes
//! whose parameter follows the recent magnitude of the channel. Each 13 bits become two characters, which need no
//! escapes in a JSON string inside a script.
//!
//! Based on: R. F. Rice, "Some practical universal noiseless coding techniques", JPL 79-22, 1979; with a running
//! mean instead of counters, as in lossless audio coders.

/// Quotients from this value on are escaped: this many ones, then 32 bits.
const ESCAPE: u32 = 24;

/// Encodes `rows × channels` numbers, row by row.
///
/// # Panics
/// If `values` is not a whole number of rows.
pub(crate) fn encode(values: &[i32], channels: usize) -> String {
    let [whole, half] = [0, 1].map(|change| encode_with(values, channels, change));
    if half.len() < whole.len() { half } else { whole }
}

/// The first character tells which share of the change of step is part of the prediction.
fn encode_with(values: &[i32], channels: usize, part: i32) -> String {
    let mut bits = Bits { letters: part.to_string(), ..Bits::default() };
    if channels > 0 {
        assert_eq!(values.len() % channels, 0, "rows of {channels} numbers");
    }
    let mut state = vec![Channel { last: 0, step: 0, change: 0, mean: 64 }; channels];
    for (i, row) in values.chunks_exact(channels.max(1)).enumerate() {
        for (channel, value) in state.iter_mut().zip(row) {
            channel.write(*value, part, &mut bits);
            if i == 0 {
                // The distance of the first value from 0 does not predict the next step.
                (channel.step, channel.change, channel.mean) = (0, 0, 64);
            }
        }
    }
    bits.text()
}

#[derive(Clone, Copy)]
struct Channel {
    last: i32,
    step: i32,
    /// Last change of the step.
    change: i32,
    /// Running mean of the codes, times 16.
    mean: u32,
}

impl Channel {
    fn write(&mut self, value: i32, part: i32, bits: &mut Bits) {
        let step = value.wrapping_sub(self.last);
        let residual = step.wrapping_sub(self.step.wrapping_add((self.change >> 1).wrapping_mul(part)));
        (self.last, self.step, self.change) = (value, step, step.wrapping_sub(self.step));
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
    letters: String,
    /// Bits that do not fill a pair of characters yet, at the low end.
    held: u64,
    count: u32,
}

impl Bits {
    /// The low `count` bits of `value`, highest first; at most 32.
    fn push(&mut self, value: u32, count: u32) {
        self.held = (self.held << count) | u64::from(value);
        self.count += count;
        while self.count >= PAIR {
            self.count -= PAIR;
            let word = (self.held >> self.count) as u32;
            self.letters.extend([letter(word / LETTERS), letter(word % LETTERS)]);
            self.held &= (1 << self.count) - 1;
        }
    }

    fn ones(&mut self, count: u32) {
        self.push((1 << count) - 1, count);
    }

    fn text(mut self) -> String {
        if self.count > 0 {
            self.push(0, PAIR - self.count);
        }
        self.letters
    }
}

/// Bits per pair of characters: 2^13 is below 91².
const PAIR: u32 = 13;
const LETTERS: u32 = 91;

/// Printable ASCII without `"`, `<`, `>` and `\`, in order.
fn letter(code: u32) -> char {
    let mut letter = code + 32;
    for left_out in [34, 60, 62, 92] {
        letter += u32::from(letter >= left_out);
    }
    char::from_u32(letter).expect("printable ASCII")
}

/// Base64 with padding (RFC 4648), for bytes that a page unpacks.
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

    /// Decodes like the script of the page.
    pub(crate) fn decode(text: &str, channels: usize, rows: usize) -> Vec<i32> {
        let part = i32::from(text.starts_with('1'));
        let codes: Vec<u32> =
            text[1..].chars().map(|c| (0..LETTERS).find(|code| letter(*code) == c).unwrap()).collect();
        let mut at = 0;
        let mut bits = |count: u32| {
            let mut value = 0u32;
            for _ in 0..count {
                let word = codes[at / 13 * 2] * LETTERS + codes[at / 13 * 2 + 1];
                value = (value << 1) | word >> (12 - at % 13) & 1;
                at += 1;
            }
            value
        };
        let mut state = vec![Channel { last: 0, step: 0, change: 0, mean: 64 }; channels];
        let mut values = Vec::new();
        for row in 0..rows {
            for channel in &mut state {
                let low = 31 - (((channel.mean * 11) >> 8) | 1).leading_zeros();
                let mut ones = 0;
                while ones < ESCAPE && bits(1) == 1 {
                    ones += 1;
                }
                let code = if ones < ESCAPE { (ones << low) | bits(low) } else { bits(32) };
                let residual = (code >> 1) as i32 ^ -((code & 1) as i32);
                channel.change = ((channel.change >> 1) * part).wrapping_add(residual);
                channel.step = channel.step.wrapping_add(channel.change);
                channel.last = channel.last.wrapping_add(channel.step);
                channel.mean = channel.mean + code.min(1 << 20) - (channel.mean >> 4);
                if row == 0 {
                    (channel.step, channel.change, channel.mean) = (0, 0, 64);
                }
                values.push(channel.last);
            }
        }
        values
    }

    #[test]
    fn letters_stand_in_a_script_as_they_are() {
        let all: String = (0..LETTERS).map(letter).collect();
        assert_eq!((all.len(), all.chars().next(), all.chars().last()), (91, Some(' '), Some('~')));
        assert_eq!(serde_json::to_string(&all).unwrap(), format!("\"{all}\""));
        assert_eq!(crate::escape::json_in_script(&all), all);
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (plain, coded) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(base64(plain.as_bytes()), coded);
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
