//! Changes to a file: of bytes, numbers, lines and words.

use fastrand::Rng;

const NUMBERS: [&str; 22] = [
    "999999999999",
    "99999999999999999999999999",
    "18446744073709551615",
    "4294967295",
    "4294967296",
    "2147483648",
    "65535",
    "-1",
    "-2147483648",
    "1e308",
    "-1e308",
    "1e999",
    "1e-320",
    "NaN",
    "inf",
    "-Infinity",
    "0",
    "-0.0",
    "1,5",
    "0x10",
    "1.#QNAN",
    "",
];

const WORDS: [&str; 24] = [
    "\0",
    "\u{feff}",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    "<",
    ">",
    "</",
    "&amp;",
    "--",
    "#",
    "\r\n",
    "\t",
    ",",
    ";",
    ":",
    "..",
    "/",
    "null",
    "\u{1f600}",
];

/// A changed copy: one to eight changes, among them a cross with another file.
pub(crate) fn mutated(bytes: &[u8], other: &[u8], words: &[&str], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let changes = 1 + rng.usize(..8).min(rng.usize(..8));
    for _ in 0..changes {
        change(&mut bytes, other, words, rng);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, other: &[u8], words: &[&str], rng: &mut Rng) {
    let size = bytes.len();
    if size == 0 {
        bytes.extend(rng.choice(WORDS).expect("words").bytes());
        return;
    }
    let at = rng.usize(..size);
    match rng.u8(..14) {
        0 => bytes[at] ^= 1 << rng.u8(..8),
        1 => bytes[at] = *rng.choice(&[0, 1, 0x7f, 0x80, 0xff]).expect("bytes"),
        2 => {
            let end = (at + rng.usize(1..=64)).min(size);
            bytes.drain(at..end);
        }
        3 => bytes.truncate(at),
        4 => {
            let end = (at + rng.usize(1..=256)).min(size);
            let part = bytes[at..end].to_vec();
            let times = 1 << rng.u8(..8);
            let to = rng.usize(..=size);
            bytes.splice(to..to, part.repeat(times));
        }
        5 => whole_number(bytes, at, rng),
        6 | 7 => number(bytes, at, rng),
        8 => insert(bytes, at, rng.choice(WORDS).expect("words")),
        9 | 10 => {
            insert(bytes, at, rng.choice(if words.is_empty() { &WORDS } else { words }).expect("words"))
        }
        11 => swap_lines(bytes, rng),
        12 => repeat_line(bytes, rng),
        _ => cross(bytes, at, other, rng),
    }
}

/// A number of two to eight bytes, as binary formats have them.
fn whole_number(bytes: &mut [u8], at: usize, rng: &mut Rng) {
    let value: u64 =
        *rng.choice(&[0, 1, 255, 65535, 1 << 31, u64::MAX, 1 << 40, 0x7ff0_0000_0000_0000]).expect("values");
    let width = *rng.choice(&[2, 4, 8]).expect("widths");
    for (byte, new) in bytes[at..].iter_mut().zip(value.to_le_bytes()).take(width) {
        *byte = new;
    }
}

/// Another number in place of the one after `at`.
fn number(bytes: &mut Vec<u8>, at: usize, rng: &mut Rng) {
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let Some(start) = bytes[at..].iter().position(|byte| byte.is_ascii_digit()).map(|found| at + found)
    else {
        return;
    };
    let length = bytes[start..].iter().take_while(|byte| is_part(byte)).count();
    let text = rng.choice(NUMBERS).expect("numbers");
    bytes.splice(start..start + length, text.bytes());
}

fn insert(bytes: &mut Vec<u8>, at: usize, text: &str) {
    bytes.splice(at..at, text.bytes());
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(|byte| *byte == b'\n').collect()
}

fn swap_lines(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let mut lines = lines(bytes);
    let (a, b) = (rng.usize(..lines.len()), rng.usize(..lines.len()));
    lines.swap(a, b);
    *bytes = lines.join(&b'\n');
}

fn repeat_line(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let mut lines = lines(bytes);
    let at = rng.usize(..lines.len());
    let times = 1 << rng.u8(..10);
    if lines[at].len() * times < 1 << 20 {
        lines.splice(at..at, std::iter::repeat_n(lines[at], times).collect::<Vec<_>>());
        *bytes = lines.join(&b'\n');
    }
}

/// A part of another file in place of as many bytes, or between them.
fn cross(bytes: &mut Vec<u8>, at: usize, other: &[u8], rng: &mut Rng) {
    if other.is_empty() {
        return;
    }
    let from = rng.usize(..other.len());
    let end = (from + rng.usize(1..=512)).min(other.len());
    let replaced = if rng.bool() { (at + end - from).min(bytes.len()) } else { at };
    bytes.splice(at..replaced, other[from..end].iter().copied());
}
