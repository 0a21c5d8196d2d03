//! Numbers of the keys of a track, stored as differences from a prediction.
//!
//! A series starts with its prediction, the number of low bits of its codes, and its first number. The others
//! are Rice codes. Based on: R. F. Rice, "Some practical universal noiseless coding techniques", 1979.

use crate::bits::BitReader;
#[cfg(feature = "encode")]
use crate::bits::BitWriter;

/// Escape: after this many ones, the difference follows in 32 bits.
const LONG: u32 = 12;
/// Bits of the fields of a series: its prediction, low bits, the length of the first number.
const PREDICTION_BITS: u32 = 2;
const LOW_BITS: u32 = 5;
const LENGTH_BITS: u32 = 5;
/// Number of low bits that marks a series with all numbers as predicted; none is stored then.
const AS_PREDICTED: u32 = 31;
/// The most low bits otherwise.
const MOST_LOW: u32 = 24;

/// The prediction of a number by those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prediction {
    Zero,
    /// The number before.
    Same,
    /// The line through the two numbers before.
    Line,
}

#[cfg(feature = "encode")]
const PREDICTIONS: [Prediction; 3] = [Prediction::Zero, Prediction::Same, Prediction::Line];

impl Prediction {
    /// The prediction for the number after `before`, at the times of the keys; numbers without times are evenly
    /// spaced.
    fn next(self, before: &[i32], times: &[u32]) -> i32 {
        match (self, before) {
            (Prediction::Zero, _) | (_, []) => 0,
            (Prediction::Line, [.., from, last]) => {
                let gap = |at: usize| match (times.get(at - 1), times.get(at)) {
                    (Some(from), Some(to)) => i64::from(to - from),
                    _ => 1,
                };
                let step = i64::from(*last) - i64::from(*from);
                last.wrapping_add((step * gap(before.len())).div_euclid(gap(before.len() - 1)) as i32)
            }
            (_, [.., last]) => *last,
        }
    }
}

/// Reads a series of `count` (at least one) numbers.
pub(super) fn read(bits: &mut BitReader<'_>, count: usize, times: &[u32]) -> Vec<i32> {
    let prediction = match bits.take(PREDICTION_BITS) {
        0 => Prediction::Zero,
        1 => Prediction::Same,
        _ => Prediction::Line,
    };
    let low = bits.take(LOW_BITS);
    let length = bits.take(LENGTH_BITS);
    let mut numbers = vec![bits.take(length) as i32];
    while numbers.len() < count {
        let difference = match low {
            AS_PREDICTED => 0,
            low => read_difference(bits, low.min(MOST_LOW)),
        };
        numbers.push(prediction.next(&numbers, times).wrapping_add(difference));
    }
    numbers
}

fn read_difference(bits: &mut BitReader<'_>, low: u32) -> i32 {
    let code = match bits.ones(LONG) {
        LONG => bits.take(32),
        quotient => quotient << low | bits.take(low),
    };
    (code >> 1) as i32 ^ -((code & 1) as i32)
}

/// A signed difference as an unsigned number: 0, -1, 1, -2, …
#[cfg(feature = "encode")]
fn fold(value: i32) -> u32 {
    (value << 1 ^ value >> 31) as u32
}

/// The bits of a difference.
#[cfg(feature = "encode")]
fn length(code: u32, low: u32) -> u64 {
    let quotient = code >> low;
    u64::from(if quotient < LONG { quotient + 1 + low } else { LONG + 32 })
}

/// Total bits of all differences, and the number of low bits that minimises them.
#[cfg(feature = "encode")]
fn low_bits(codes: &[u32]) -> (u64, u32) {
    if codes.iter().all(|code| *code == 0) {
        return (0, AS_PREDICTED);
    }
    let mut best = (u64::MAX, 0);
    for low in 0..=MOST_LOW {
        let cost = codes.iter().map(|code| length(*code, low)).sum();
        // Costs fall, then rise.
        if cost > best.0 {
            break;
        }
        best = (cost, low);
    }
    best
}

/// Appends a series in the fewest bits. Its first number must not be negative.
#[cfg(feature = "encode")]
pub(super) fn write(bits: &mut BitWriter, numbers: &[i32], times: &[u32]) {
    let differences = |prediction: Prediction| -> Vec<u32> {
        let next = |at: usize| prediction.next(&numbers[..at], times);
        (1..numbers.len()).map(|at| fold(numbers[at].wrapping_sub(next(at)))).collect()
    };
    let mut best = (u64::MAX, 0, 0, Vec::new());
    for (kind, prediction) in PREDICTIONS.into_iter().enumerate() {
        let codes = differences(prediction);
        let (cost, low) = low_bits(&codes);
        if cost < best.0 {
            best = (cost, kind as u32, low, codes);
        }
    }
    let (_, kind, low, codes) = best;
    let first = numbers[0] as u32;
    let length = 32 - first.leading_zeros();
    bits.put(kind, PREDICTION_BITS);
    bits.put(low, LOW_BITS);
    bits.put(length, LENGTH_BITS);
    bits.put(first, length);
    if low == AS_PREDICTED {
        return;
    }
    for code in codes {
        match code >> low {
            quotient if quotient < LONG => {
                bits.put(((1 << quotient) - 1) << 1, quotient + 1);
                bits.put(code, low);
            }
            _ => {
                bits.put((1 << LONG) - 1, LONG);
                bits.put(code, 32);
            }
        }
    }
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;

    #[test]
    fn series_read_back_as_they_were_written() {
        let times = [0, 1, 2, 5, 6, 7];
        for (numbers, most) in [
            // On a line: the second number gives the slope, each other number takes one bit.
            (vec![10, 12, 14, 20, 22, 24], 25),
            (vec![3, 3, 3, 3, 3, 3], 14),
            (vec![0, 5, 0, 5, 0, 5], 60),
            (vec![i32::MAX, i32::MIN, 0, -1, 1 << 20, 7], 400),
            (vec![9], 16),
        ] {
            let mut writer = BitWriter::default();
            write(&mut writer, &numbers, &times);
            let bytes = writer.finish();
            assert!(bytes.len() * 8 <= most + 7, "{numbers:?}: {} bytes", bytes.len());
            assert_eq!(read(&mut BitReader::new(&bytes, 0), numbers.len(), &times), numbers);
        }
    }
}
