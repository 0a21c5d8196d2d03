//! Where in a JSON text a value stands.

use std::ops::Range;

/// A step down into a JSON value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// The bytes of the value at the end of `path`, as far down as the text goes along with it. The text is JSON.
pub(crate) fn locate(text: &[u8], path: &[Step]) -> Range<usize> {
    let mut at = blanks(text, 0);
    for step in path {
        let found = match step {
            Step::Key(key) => member(text, at, key),
            Step::Index(index) => element(text, at, *index),
        };
        match found {
            Some(place) => at = place,
            None => break,
        }
    }
    at..skip(text, at)
}

fn blanks(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The place behind the value that starts at `at`.
fn skip(text: &[u8], mut at: usize) -> usize {
    let mut depth = 0usize;
    loop {
        match text.get(at) {
            None => return at,
            Some(b'"') => at = string(text, at),
            Some(b'{' | b'[') => {
                depth += 1;
                at += 1;
            }
            Some(b'}' | b']') if depth == 0 => return at,
            Some(b'}' | b']') => {
                depth -= 1;
                at += 1;
            }
            Some(b',' | b':' | b' ' | b'\t' | b'\n' | b'\r') if depth == 0 => return at,
            Some(b',' | b':' | b' ' | b'\t' | b'\n' | b'\r') => {
                at += 1;
                continue;
            }
            Some(_) => {
                while text.get(at).is_some_and(|byte| !b",:{}[]\" \t\r\n".contains(byte)) {
                    at += 1;
                }
            }
        }
        if depth == 0 {
            return at;
        }
    }
}

/// The place behind the string that starts at `at`.
fn string(text: &[u8], mut at: usize) -> usize {
    at += 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

fn member(text: &[u8], object: usize, key: &str) -> Option<usize> {
    if text.get(object) != Some(&b'{') {
        return None;
    }
    let mut at = blanks(text, object + 1);
    while text.get(at) == Some(&b'"') {
        let end = string(text, at);
        let found: Option<String> = serde_json::from_slice(&text[at..end]).ok();
        let value = blanks(text, blanks(text, end) + 1);
        if found.as_deref() == Some(key) {
            return Some(value);
        }
        at = next(text, value)?;
    }
    None
}

fn element(text: &[u8], array: usize, index: usize) -> Option<usize> {
    if text.get(array) != Some(&b'[') {
        return None;
    }
    let mut at = blanks(text, array + 1);
    for _ in 0..index {
        at = next(text, at)?;
    }
    (text.get(at) != Some(&b']')).then_some(at)
}

/// The start of what follows the value at `at` behind a comma.
fn next(text: &[u8], at: usize) -> Option<usize> {
    let comma = blanks(text, skip(text, at));
    (text.get(comma) == Some(&b',')).then(|| blanks(text, comma + 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Step::{Index, Key};

    #[test]
    fn values_are_found_by_their_path() {
        let text = br#" { "a\n" : [1, {"b": "x\"]"}, [ ] ] , "c": -2.5e3, "d": {"e": null} }"#;
        let found = |path: &[Step]| std::str::from_utf8(&text[locate(text, path)]).unwrap();
        assert_eq!(found(&[Key("a\n"), Index(0)]), "1");
        assert_eq!(found(&[Key("a\n"), Index(1), Key("b")]), r#""x\"]""#);
        assert_eq!(found(&[Key("a\n"), Index(2)]), "[ ]");
        assert_eq!(found(&[Key("c")]), "-2.5e3");
        assert_eq!(found(&[Key("d"), Key("e")]), "null");
        // As far as the path goes.
        assert_eq!(found(&[Key("d"), Key("f"), Index(3)]), r#"{"e": null}"#);
        assert_eq!(found(&[Key("a\n"), Index(7)]), r#"[1, {"b": "x\"]"}, [ ] ]"#);
    }
}
