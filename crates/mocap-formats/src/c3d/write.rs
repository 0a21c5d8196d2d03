//! Writes C3D files: Intel floats, residual -1 in gaps.

use super::Problem;
use super::events::{context_and_label, minutes_and_seconds};
use crate::Finding;
use crate::markers::stated_unit;
use mocap_model::{Event, Markers};
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

const BLOCK: usize = 512;
/// Names in one parameter: its length is one byte.
const LABELS: usize = 255;
/// Bytes of one name: the length of a text is a signed byte.
const NAME: usize = 127;
/// Blocks of parameters: their number is one byte.
const BLOCKS: usize = 255;

/// The file of a recording, and warnings of names that were shortened.
///
/// # Errors
/// Where it has more markers, or longer names, than the parameters of a file can hold.
pub(super) fn prepare(markers: &Markers) -> Result<(File<'_>, Vec<Finding>), Finding> {
    let (points, frames) = (markers.names().len(), markers.frames());
    let too_many = |what, found, limit| Finding::new(Problem::TooMany { what, found, limit });
    if points > 0xFFFF {
        return Err(too_many("markers", points, 0xFFFF));
    }
    if frames > 0xFFFF_FFFF {
        return Err(too_many("frames", frames, 0xFFFF_FFFF));
    }
    let (unit, factor) = stated_unit(markers.space()).unzip();
    let factor = factor.unwrap_or(1.0);
    let scale = scale(markers, factor)?;
    let (labels, warnings) = labels(markers.names());
    let parameters = |start: usize| parameters(markers, (&labels, unit), scale, start);
    let blocks = (4 + parameters(0).len()).div_ceil(BLOCK);
    if blocks > BLOCKS {
        return Err(too_many("blocks of names", blocks, BLOCKS));
    }
    let start = 2 + blocks;
    let mut head = header(markers, scale, start);
    head.extend_from_slice(&[1, 0x50, blocks as u8, 84]);
    head.extend_from_slice(&parameters(start));
    head.resize((start - 1) * BLOCK, 0);
    Ok((File { markers, factor, head, scale: f64::from(scale) }, warnings))
}

/// The step of residuals, which are whole steps in one byte.
///
/// # Errors
/// Where a coordinate or a residual is beyond what the numbers of a file can hold.
fn scale(markers: &Markers, factor: f64) -> Result<f32, Finding> {
    let mut largest: f64 = 0.0;
    for frame in 0..markers.frames() {
        for (point, name) in markers.names().iter().enumerate() {
            let check = |what, value: f64| match (value as f32).is_finite() {
                true => Ok(()),
                false => {
                    let problem = Problem::TooLarge { what, value, limit: f32::MAX };
                    Err(Finding::new(problem).in_joint(name).in_frame(frame))
                }
            };
            if let Some(place) = markers.position(frame, point) {
                place.iter().try_for_each(|value| check("coordinate", value * factor))?;
            }
            let residual = markers.residual(frame, point).unwrap_or(0.0) * factor;
            check("residual", residual)?;
            largest = largest.max(residual);
        }
    }
    let step = (largest / 255.0) as f32;
    Ok(if step > 0.0 { step } else { 1.0 })
}

/// The names as the file holds them. Names that are too long are cut; where that makes two equal, the later one gets a
/// number.
fn labels(names: &[String]) -> (Vec<String>, Vec<Finding>) {
    // Names that fit keep their bytes, also those that come after a longer one.
    let mut taken: HashSet<String> = names.iter().filter(|name| name.len() <= NAME).cloned().collect();
    let mut last: HashMap<String, usize> = HashMap::new();
    let mut warnings = Vec::new();
    let labels = names.iter().map(|name| {
        if name.len() <= NAME {
            return name.clone();
        }
        let mut label = cut(name, NAME).to_owned();
        let number = last.entry(label.clone()).or_insert(1);
        while !taken.insert(label.clone()) {
            *number += 1;
            let suffix = format!("_{number}");
            label = cut(name, NAME - suffix.len()).to_owned() + &suffix;
        }
        let (limit, name) = (NAME, name.clone());
        warnings.push(Finding::new(Problem::NameShortened { name, limit, label: label.clone() }));
        label
    });
    (labels.collect(), warnings)
}

/// A file, ready to be written.
pub(super) struct File<'m> {
    markers: &'m Markers,
    /// From the unit of the recording to that of the file.
    factor: f64,
    /// Header and parameters.
    head: Vec<u8>,
    scale: f64,
}

impl File<'_> {
    pub(super) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&self.head)?;
        let mut row = Vec::new();
        let mut written = 0;
        for frame in 0..self.markers.frames() {
            row.clear();
            for point in 0..self.markers.names().len() {
                let residual = self.markers.residual(frame, point).unwrap_or(0.0) * self.factor;
                let numbers = match self.markers.position(frame, point) {
                    Some(place) => {
                        let steps = (residual / self.scale).round().clamp(0.0, 255.0);
                        let [x, y, z] = [0, 1, 2].map(|axis| (place[axis] * self.factor) as f32);
                        [x, y, z, steps as f32]
                    }
                    None => [0.0, 0.0, 0.0, -1.0],
                };
                numbers.iter().for_each(|number| row.extend_from_slice(&number.to_le_bytes()));
            }
            out.write_all(&row)?;
            written += row.len();
        }
        out.write_all(&vec![0; written.next_multiple_of(BLOCK) - written])
    }
}

fn header(markers: &Markers, scale: f32, start: usize) -> Vec<u8> {
    let last = markers.frames().min(0xFFFF) as u16;
    let mut header = Vec::with_capacity(2 * BLOCK);
    let words = [0x5002, markers.names().len() as u16, 0, 1, last, 0];
    words.iter().for_each(|word: &u16| header.extend_from_slice(&word.to_le_bytes()));
    header.extend_from_slice(&(-scale).to_le_bytes());
    header.extend_from_slice(&(start as u16).to_le_bytes());
    header.extend_from_slice(&0u16.to_le_bytes());
    header.extend_from_slice(&(markers.rate().fps() as f32).to_le_bytes());
    header.resize(BLOCK, 0);
    header
}

/// Groups and parameters; the points start in the block `start`.
fn parameters(
    markers: &Markers,
    (names, unit): (&[String], Option<&str>),
    scale: f32,
    start: usize,
) -> Vec<u8> {
    let (frames, space) = (markers.frames(), markers.space());
    let mut out = Entries::default();
    let point = out.group("POINT");
    out.words(point, "USED", &[names.len() as u16]);
    out.words(point, "FRAMES", &[frames.min(0xFFFF) as u16]);
    if frames > 0xFFFF {
        out.float(point, "LONG_FRAMES", frames as f32);
    }
    out.words(point, "DATA_START", &[start as u16]);
    out.float(point, "SCALE", -scale);
    out.float(point, "RATE", markers.rate().fps() as f32);
    if let Some(unit) = unit {
        out.texts(point, "UNITS", &[unit.to_owned()]);
    }
    let signed = |axis: mocap_model::SignedAxis| {
        format!("{}{}", if axis.negative { '-' } else { '+' }, axis.axis.letter())
    };
    let across = space.up.vector().cross(&space.forward.vector());
    let at = across.iamax();
    let across = mocap_model::SignedAxis { axis: mocap_model::Axis::ALL[at], negative: across[at] < 0.0 };
    out.texts(point, "X_SCREEN", &[signed(across)]);
    out.texts(point, "Y_SCREEN", &[signed(space.up)]);
    for (number, labels) in names.chunks(LABELS).enumerate() {
        let suffix = suffix(number);
        out.texts(point, &format!("LABELS{suffix}"), labels);
        out.texts(point, &format!("DESCRIPTIONS{suffix}"), &vec![String::new(); labels.len()]);
    }
    let trial = out.group("TRIAL");
    let words = |number: usize| [number as u16, (number >> 16) as u16];
    out.words(trial, "ACTUAL_START_FIELD", &words(1));
    out.words(trial, "ACTUAL_END_FIELD", &words(frames));
    if !markers.events().is_empty() {
        events(&mut out, markers.events());
    }
    let analog = out.group("ANALOG");
    out.words(analog, "USED", &[0]);
    let manufacturer = out.group("MANUFACTURER");
    out.texts(manufacturer, "SOFTWARE", &["mocap".to_owned()]);
    out.bytes.extend_from_slice(&[0, 0]);
    out.bytes
}

/// The suffix of the parameter with the next part of a long list: LABELS, LABELS2 …
fn suffix(number: usize) -> String {
    if number == 0 { String::new() } else { (number + 1).to_string() }
}

/// The group EVENT.
fn events(out: &mut Entries, events: &[Event]) {
    let group = out.group("EVENT");
    out.words(group, "USED", &[events.len().min(0xFFFF) as u16]);
    for (number, events) in events.chunks(LABELS).enumerate() {
        let split = events.iter().map(|event| context_and_label(&event.name));
        let (contexts, labels): (Vec<String>, Vec<String>) =
            split.map(|(context, label)| (context.to_owned(), cut(label, NAME).to_owned())).unzip();
        let suffix = suffix(number);
        out.list(group, &format!("CONTEXTS{suffix}"), &contexts);
        out.list(group, &format!("LABELS{suffix}"), &labels);
        let times: Vec<u8> = events
            .iter()
            .flat_map(|event| minutes_and_seconds(event.time))
            .flat_map(f32::to_le_bytes)
            .collect();
        out.parameter(group, &format!("TIMES{suffix}"), 4, &[2, events.len() as u8], &times);
    }
}

/// The start of a name, of at most so many bytes.
fn cut(name: &str, most: usize) -> &str {
    let end = (0..=most.min(name.len())).rev().find(|end| name.is_char_boundary(*end));
    &name[..end.unwrap_or(0)]
}

/// The bytes of groups and parameters.
#[derive(Default)]
struct Entries {
    bytes: Vec<u8>,
    groups: i8,
}

impl Entries {
    fn group(&mut self, name: &str) -> i8 {
        self.groups += 1;
        let number = self.groups;
        self.entry(-number, name, &[0]);
        number
    }

    /// An entry with the distance to the next one.
    fn entry(&mut self, group: i8, name: &str, content: &[u8]) {
        self.bytes.extend_from_slice(&[name.len() as u8, group as u8]);
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.extend_from_slice(&((content.len() + 2) as u16).to_le_bytes());
        self.bytes.extend_from_slice(content);
    }

    /// A parameter without a description.
    fn parameter(&mut self, group: i8, name: &str, kind: i8, lengths: &[u8], values: &[u8]) {
        let mut content = vec![kind as u8, lengths.len() as u8];
        content.extend_from_slice(lengths);
        content.extend_from_slice(values);
        content.push(0);
        self.entry(group, name, &content);
    }

    fn words(&mut self, group: i8, name: &str, words: &[u16]) {
        let values: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let count = [words.len() as u8];
        self.parameter(group, name, 2, if words.len() == 1 { &[] } else { &count }, &values);
    }

    fn float(&mut self, group: i8, name: &str, value: f32) {
        self.parameter(group, name, 4, &[], &value.to_le_bytes());
    }

    /// A text, or a list of them by its name.
    fn texts(&mut self, group: i8, name: &str, texts: &[String]) {
        match texts {
            [text] if name != "LABELS" => {
                let length = text.len().max(1);
                self.parameter(group, name, -1, &[length as u8], &padded(text, length));
            }
            texts => self.list(group, name, texts),
        }
    }

    /// Texts of one length, filled up with blanks; none is longer than [`NAME`].
    fn list(&mut self, group: i8, name: &str, texts: &[String]) {
        let length = texts.iter().map(String::len).max().unwrap_or(0).max(1);
        let values: Vec<u8> = texts.iter().flat_map(|text| padded(text, length)).collect();
        self.parameter(group, name, -1, &[length as u8, texts.len() as u8], &values);
    }
}

fn padded(text: &str, length: usize) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(length, b' ');
    bytes
}
