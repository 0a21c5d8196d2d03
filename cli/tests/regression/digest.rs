//! What the record keeps of an output: a hash of its bytes, a digest of its numbers, the structure of its JSON;
//! no words.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// A file.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct File {
    /// Of all bytes; none where they hold words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hash: Option<String>,
    /// Of the structure of a JSON with words in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shape: Option<String>,
    /// How many numbers, the sum of their magnitudes, and three sums with weights by place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) numbers: Option<(usize, f64, [f64; 3])>,
}

/// Rows of JSON: every number in the order of appearance, and the structure around them, keys left out.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Rows {
    pub(crate) shape: String,
    pub(crate) numbers: Vec<f64>,
    /// What the numbers are called now.
    #[serde(skip)]
    pub(crate) names: Vec<String>,
    /// Whether the rows are about pictures and pages, whose size depends on the words in them.
    #[serde(skip)]
    drawn: bool,
}

impl File {
    /// The digest of a file by its name; of files that hold only words (man pages, completions,
    /// schemas), only their presence is recorded.
    pub(crate) fn of(name: &str, bytes: &[u8]) -> File {
        let text = String::from_utf8_lossy(bytes);
        let hash = Some(format!("{:032x}", xxh3_128(bytes)));
        let of_rows =
            |rows: Rows| File { hash: None, shape: Some(rows.shape), numbers: Some(sums(&rows.numbers)) };
        match name.rsplit('.').next().unwrap_or_default() {
            _ if name.ends_with(".schema.json") => File::default(),
            _ if name.ends_with("map.json") => of_rows(Rows::of(&text)),
            "jsonl" => of_rows(Rows::of(&text)),
            "html" => of_rows(Rows::of(between(&text, "id=\"data\">", "</script>"))),
            "svg" => File { numbers: Some(sums(&drawn(&text))), ..File::default() },
            "bvh" | "amc" | "asf" | "csv" | "json" | "skel" => {
                File { hash, numbers: Some(sums(&numbers(&text))), shape: None }
            }
            "mocz" | "png" => File { hash, ..File::default() },
            _ => File::default(),
        }
    }
}

impl Rows {
    /// JSON documents one after the other; for other text, the shape says that it is not JSON.
    pub(crate) fn of(text: &str) -> Rows {
        Rows::of_rows(text, false)
    }

    /// The same of rows about pictures and pages.
    pub(crate) fn of_drawn(text: &str) -> Rows {
        Rows::of_rows(text, true)
    }

    fn of_rows(text: &str, drawn: bool) -> Rows {
        let mut rows = Rows { shape: String::new(), numbers: Vec::new(), names: Vec::new(), drawn };
        for (row, value) in serde_json::Deserializer::from_str(text).into_iter().enumerate() {
            match value {
                Ok(value) => rows.walk(&value, &format!("row {}: ", row + 1)),
                Err(_) => rows.shape += "no JSON",
            }
            rows.shape.push('\n');
        }
        rows.shape = format!("{:016x}", xxh3_64(rows.shape.as_bytes()));
        rows
    }

    fn walk(&mut self, value: &Value, name: &str) {
        match value {
            Value::Null => self.shape.push('-'),
            Value::Bool(value) => self.shape.push(if *value { 'y' } else { 'n' }),
            Value::String(text) if is_data(text) => self.shape += text,
            Value::String(_) => self.shape.push('s'),
            Value::Number(number) => {
                self.shape.push('0');
                self.numbers.push(number.as_f64().unwrap());
                self.names.push(name.to_owned());
            }
            Value::Array(values) => {
                self.shape.push('[');
                values.iter().enumerate().for_each(|(i, value)| self.walk(value, &format!("{name}[{i}]")));
                self.shape.push(']');
            }
            Value::Object(fields) => {
                // A message is words: its places and counts are kept, whatever else it says.
                let message = fields.contains_key("message");
                self.shape.push(if message { '!' } else { '{' });
                for (key, value) in fields {
                    match value {
                        // Times are never the same twice.
                        _ if key.contains("second") => self.shape.push('t'),
                        _ if self.drawn && key.starts_with("bytes") => self.shape.push('t'),
                        Value::Number(_) => self.walk(value, &format!("{name}.{key}")),
                        _ if message => {}
                        _ => self.walk(value, &format!("{name}.{key}")),
                    }
                }
                self.shape.push('}');
            }
        }
    }
}

/// Whether a text is encoded numbers, as pages hold them, and no words.
fn is_data(text: &str) -> bool {
    text.len() > 80 && !text.contains(char::is_whitespace)
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let text = text.split_once(start).map_or("", |(_, text)| text);
    text.split_once(end).map_or(text, |(text, _)| text)
}

/// The numbers of the paths and circles of an SVG.
fn drawn(svg: &str) -> Vec<f64> {
    let attribute =
        |text: &str| ["d", "cx", "cy", "r"].iter().any(|name| text.ends_with(&format!(" {name}=")));
    let parts: Vec<&str> = svg.split('"').collect();
    parts.windows(2).filter(|pair| attribute(pair[0])).flat_map(|pair| numbers(pair[1])).collect()
}

/// All numbers of a text, wherever they stand.
fn numbers(text: &str) -> Vec<f64> {
    let bytes = text.as_bytes();
    let digits = |from: usize| from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let signed = |at: usize| at + usize::from(matches!(bytes.get(at), Some(b'-' | b'+')));
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let whole = signed(at);
        let mut end = digits(whole);
        let mut any = end > whole;
        if bytes.get(end) == Some(&b'.') {
            let fraction = digits(end + 1);
            any |= fraction > end + 1;
            end = fraction;
        }
        if !any {
            at += 1;
            continue;
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let exponent = signed(end + 1);
            let behind = digits(exponent.min(bytes.len()));
            end = if behind > exponent { behind } else { end };
        }
        found.push(text[at..end].parse().unwrap());
        at = end;
    }
    found
}

/// The count, the sum of magnitudes, and sums whose weights between 0.5 and 1.5 differ from place to place: no exchange
/// or change of numbers leaves all three as they are.
fn sums(numbers: &[f64]) -> (usize, f64, [f64; 3]) {
    let mut sums = [0.0; 3];
    for (i, number) in numbers.iter().enumerate() {
        for (k, step) in [0.0, 0.618_033_988_749_895, 0.754_877_666_246_693].into_iter().enumerate() {
            sums[k] += number * (0.5 + (step * i as f64 + 0.5).fract());
        }
    }
    (numbers.len(), numbers.iter().map(|number| number.abs()).sum(), sums)
}

pub(crate) fn numbers_are_found_wherever_they_stand() {
    assert_eq!(
        numbers("M29.5 190.2l38.5-8.2 .8-10.9 1e-5, a7e x-. 3."),
        [29.5, 190.2, 38.5, -8.2, 0.8, -10.9, 1e-5, 7.0, 3.0]
    );
    assert_eq!(
        drawn("<path style=\"w:1\" d=\"M1 2\"/><text x=\"5\">8</text><circle r=\"3\"/>"),
        [1.0, 2.0, 3.0]
    );
}

pub(crate) fn a_digest_notices_numbers_and_overlooks_words() {
    let rows = |text: &str| Rows::of(text);
    let first = rows("{\"a\":[1,2.5],\"word\":\"x\",\"seconds\":3}");
    assert_eq!(first.numbers, [1.0, 2.5]);
    let other = rows("{\"b\":[1,2.5],\"word\":\"yy\",\"seconds\":4}");
    assert_eq!((&first.shape, &first.numbers), (&other.shape, &other.numbers));
    assert_ne!(first.shape, rows("{\"a\":[1],\"word\":\"x\",\"seconds\":3}").shape);
    assert_ne!(first.shape, rows("{\"a\":[1,null],\"word\":\"x\",\"seconds\":3}").shape);
    assert_eq!(rows("{\"message\":\"a\",\"help\":\"b\",\"line\":3}"), rows("{\"message\":\"c\",\"line\":3}"));
    assert_ne!(sums(&[1.0, 2.0, 3.0]), sums(&[1.0, 3.0, 2.0]));
    assert_ne!(sums(&[1.0, 2.0]), sums(&[1.0, 2.0 + 1e-9]));
}
