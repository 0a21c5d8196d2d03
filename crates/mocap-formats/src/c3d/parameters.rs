//! The parameters of a C3D file: named values in named groups.

use super::Problem;
use super::number::Processor;
use crate::text::quote;
use crate::{Finding, Warnings};
use std::collections::HashMap;

/// A value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    /// Texts of one length, without the blanks behind them.
    Texts(Vec<String>),
    Bytes(Vec<u8>),
    Words(Vec<u16>),
    Floats(Vec<f32>),
}

/// Parameters by `GROUP:NAME` in upper case.
#[derive(Debug, Default)]
pub(super) struct Parameters(HashMap<String, Value>);

impl Parameters {
    /// Reads the parameters from the byte after their header to the end of their blocks. Warns where an entry points
    /// beyond the end: parameters from there on are lost.
    pub(super) fn read(
        bytes: &[u8],
        (start, end): (usize, usize),
        processor: Processor,
        warnings: &mut Warnings,
    ) -> Result<Parameters, Finding> {
        let bytes = &bytes[..end.min(bytes.len())];
        let mut groups: HashMap<i8, String> = HashMap::new();
        let mut found: Vec<(i8, String, Value)> = Vec::new();
        let mut at = start;
        while let (Some(&length), Some(&group)) = (bytes.get(at), bytes.get(at + 1)) {
            // A locked entry has a negative length.
            let length = usize::from((length as i8).unsigned_abs());
            let group = group as i8;
            if length == 0 || group == 0 {
                break;
            }
            let name_end = at + 2 + length;
            let Some(name) = bytes.get(at + 2..name_end) else { break };
            let name = String::from_utf8_lossy(name).trim().to_uppercase();
            let Some(next) = bytes.get(name_end..name_end + 2) else { break };
            let next = usize::from(processor.word([next[0], next[1]]));
            let shown = quote(name.as_bytes());
            if group < 0 {
                groups.insert(group.saturating_neg(), name);
            } else {
                let value = value(bytes, name_end + 2, processor).map_err(|message| {
                    let group = groups.get(&group).map_or("?", String::as_str);
                    Finding::new(Problem::Parameter { path: path(group, &name), message })
                })?;
                found.push((group, name, value));
            }
            if next == 0 {
                break;
            }
            at = name_end + next;
            if at > bytes.len() {
                let (name, end) = (shown, bytes.len());
                warnings.push(Finding::new(Problem::ParameterPointer { name, at, end }));
            }
        }
        let named = found.into_iter().map(|(group, name, value)| {
            let group = groups.get(&group).map_or("?", String::as_str);
            (format!("{group}:{name}"), value)
        });
        Ok(Parameters(named.collect()))
    }

    /// The first number of a parameter.
    pub(super) fn number(&self, path: &str) -> Option<f64> {
        match self.0.get(path)? {
            Value::Words(words) => words.first().map(|word| f64::from(*word)),
            Value::Floats(floats) => floats.first().map(|float| f64::from(*float)),
            Value::Bytes(bytes) => bytes.first().map(|byte| f64::from(*byte)),
            Value::Texts(_) => None,
        }
    }

    /// All numbers of a parameter; words are signed where `signed`.
    pub(super) fn numbers(&self, path: &str, signed: bool) -> Vec<f64> {
        match self.0.get(path) {
            Some(Value::Words(words)) if signed => words.iter().map(|word| f64::from(*word as i16)).collect(),
            Some(Value::Words(words)) => words.iter().map(|word| f64::from(*word)).collect(),
            Some(Value::Floats(floats)) => floats.iter().map(|float| f64::from(*float)).collect(),
            Some(Value::Bytes(bytes)) => bytes.iter().map(|byte| f64::from(*byte)).collect(),
            Some(Value::Texts(_)) | None => Vec::new(),
        }
    }

    /// A number in two words, the lower one first; or in one.
    pub(super) fn long(&self, path: &str) -> Option<u64> {
        match self.0.get(path)? {
            Value::Words(words) => match words[..] {
                [low, high, ..] => Some(u64::from(low) | u64::from(high) << 16),
                [low] => Some(u64::from(low)),
                [] => None,
            },
            Value::Floats(floats) => floats.first().filter(|float| **float >= 0.0).map(|float| *float as u64),
            _ => None,
        }
    }

    /// The texts of a parameter.
    pub(super) fn texts(&self, path: &str) -> &[String] {
        match self.0.get(path) {
            Some(Value::Texts(texts)) => texts,
            _ => &[],
        }
    }

    /// The first text of a parameter, unless it is empty.
    pub(super) fn text(&self, path: &str) -> Option<&str> {
        self.texts(path).first().map(String::as_str).filter(|text| !text.is_empty())
    }
}

/// The path of a parameter for messages, with characters that cannot be shown replaced.
fn path(group: &str, name: &str) -> String {
    format!("{}:{}", quote(group.as_bytes()), quote(name.as_bytes()))
}

/// The value at a place: its type, its lengths, its content.
fn value(bytes: &[u8], at: usize, processor: Processor) -> Result<Value, String> {
    let lost = || "the file ends within it".to_owned();
    let (Some(&kind), Some(&axes)) = (bytes.get(at), bytes.get(at + 1)) else { return Err(lost()) };
    let (kind, axes) = (kind as i8, usize::from(axes));
    if axes > 7 {
        return Err(format!("it has {axes} dimensions; at most 7 are possible"));
    }
    let lengths = bytes.get(at + 2..at + 2 + axes).ok_or_else(lost)?;
    let size = match kind {
        -1 | 1 => 1,
        2 => 2,
        4 => 4,
        other => return Err(format!("type {other} is not known; expected -1, 1, 2 or 4")),
    };
    let product =
        |lengths: &[u8]| lengths.iter().try_fold(1usize, |all, length| all.checked_mul(usize::from(*length)));
    let start = at + 2 + axes;
    let end =
        product(lengths).and_then(|count| count.checked_mul(size)).and_then(|size| start.checked_add(size));
    let content = end.and_then(|end| bytes.get(start..end)).ok_or_else(lost)?;
    Ok(match kind {
        -1 => {
            // The first length is that of a text.
            let length = lengths.first().map_or(1, |length| usize::from(*length));
            let count = product(lengths.get(1..).unwrap_or_default()).unwrap_or(0);
            let text = |at: usize| {
                let (text, _) = crate::text::decode_name(&content[at * length..(at + 1) * length]);
                text.trim_matches(|c: char| c == '\0' || c.is_whitespace()).to_owned()
            };
            Value::Texts(if length == 0 { Vec::new() } else { (0..count).map(text).collect() })
        }
        1 => Value::Bytes(content.to_vec()),
        2 => Value::Words(content.chunks_exact(2).map(|word| processor.word([word[0], word[1]])).collect()),
        _ => {
            let float = |four: &[u8]| processor.float([four[0], four[1], four[2], four[3]]);
            Value::Floats(content.chunks_exact(4).map(float).collect())
        }
    })
}
