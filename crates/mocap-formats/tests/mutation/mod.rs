//! Mutations for hostile files.

use proptest::prelude::*;

/// One change to a file; places and lengths are taken modulo the size of the file.
#[derive(Clone, Debug)]
pub(crate) enum Mutation {
    Flip(usize, u8),
    Cut(usize, usize),
    Truncate(usize),
    SwapLines(usize, usize),
    RepeatLine(usize, usize),
    /// Puts a text in place of a number.
    Number(usize, &'static str),
    Insert(usize, &'static str),
}

const NUMBERS: [&str; 16] = [
    "999999999999",
    "99999999999999999999999999",
    "-1",
    "4000000000",
    "1e308",
    "1e999",
    "nan",
    "-inf",
    "0",
    "-0.0",
    ",",
    "1,5",
    "0.000000000000000000000000001",
    "1e-320",
    "-1.#IND00",
    "",
];

/// Any change; `words` are those of the format.
pub(crate) fn mutation(words: &'static [&'static str]) -> impl Strategy<Value = Mutation> {
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, bits)| Mutation::Flip(at, bits)),
        (any::<usize>(), 0usize..200).prop_map(|(at, length)| Mutation::Cut(at, length)),
        any::<usize>().prop_map(Mutation::Truncate),
        (any::<usize>(), any::<usize>()).prop_map(|(a, b)| Mutation::SwapLines(a, b)),
        (any::<usize>(), 0usize..50).prop_map(|(at, times)| Mutation::RepeatLine(at, times)),
        (any::<usize>(), prop::sample::select(&NUMBERS[..]))
            .prop_map(|(at, text)| Mutation::Number(at, text)),
        (any::<usize>(), prop::sample::select(words)).prop_map(|(at, text)| Mutation::Insert(at, text)),
    ]
}

/// The bytes after all changes.
pub(crate) fn mutated(bytes: &[u8], mutations: &[Mutation]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    mutations.iter().for_each(|mutation| mutate(&mut bytes, mutation));
    bytes
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let mut lines: Vec<Vec<u8>> = bytes.split(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    let (size, count) = (bytes.len(), lines.len());
    match *mutation {
        Mutation::Flip(at, bits) if size > 0 => bytes[at % size] ^= bits,
        Mutation::Cut(at, length) if size > 0 => {
            let at = at % size;
            bytes.drain(at..(at + length).min(size));
        }
        Mutation::Flip(..) | Mutation::Cut(..) => {}
        Mutation::Truncate(at) => bytes.truncate(at % (size + 1)),
        Mutation::SwapLines(a, b) => {
            lines.swap(a % count, b % count);
            *bytes = lines.join(&b'\n');
        }
        Mutation::RepeatLine(at, times) => {
            let line = lines[at % count].clone();
            lines.splice(at % count..at % count, std::iter::repeat_n(line, times));
            *bytes = lines.join(&b'\n');
        }
        Mutation::Number(which, text) => {
            let starts: Vec<usize> = (0..size)
                .filter(|&i| bytes[i].is_ascii_digit() && (i == 0 || !bytes[i - 1].is_ascii_digit()))
                .collect();
            if !starts.is_empty() {
                let start = starts[which % starts.len()];
                let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                bytes.splice(start..start + length, text.bytes());
            }
        }
        Mutation::Insert(at, text) => {
            let at = at % (size + 1);
            bytes.splice(at..at, text.bytes());
        }
    }
}
