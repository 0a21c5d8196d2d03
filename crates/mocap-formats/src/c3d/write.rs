//! Writes C3D files: Intel floats, residual -1 in gaps.

use super::Problem;
use crate::Finding;
use mocap_model::Markers;
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
    // Residuals are whole steps of the scale, in one byte.
    let residuals = (0..frames).flat_map(|frame| (0..points).map(move |point| (frame, point)));
    let largest = residuals.filter_map(|(frame, point)| markers.residual(frame, point)).fold(0.0, f64::max);
    let scale = if largest > 0.0 { (largest / 255.0) as f32 } else { 1.0 };
    let (labels, warnings) = labels(markers.names());
    let parameters = |start: usize| parameters(markers, &labels, scale, start);
    let blocks = (4 + parameters(0).len()).div_ceil(BLOCK);
    if blocks > BLOCKS {
        return Err(too_many("blocks of names", blocks, BLOCKS));
    }
    let start = 2 + blocks;
    let mut head = header(markers, scale, start);
    head.extend_from_slice(&[1, 0x50, blocks as u8, 84]);
    head.extend_from_slice(&parameters(start));
    head.resize((start - 1) * BLOCK, 0);
    Ok((File { markers, head, scale: f64::from(scale) }, warnings))
}

/// The names as the file holds them. Names that are too long are cut; where that makes two equal, the later one gets a
/// number.
fn labels(names: &[String]) -> (Vec<String>, Vec<Finding>) {
    let cut = |name: &str, most: usize| {
        let end = (0..=most).rev().find(|end| name.is_char_boundary(*end));
        name[..end.unwrap_or(0)].to_owned()
    };
    // Names that fit keep their bytes, also those that come after a longer one.
    let mut taken: HashSet<String> = names.iter().filter(|name| name.len() <= NAME).cloned().collect();
    let mut last: HashMap<String, usize> = HashMap::new();
    let mut warnings = Vec::new();
    let labels = names.iter().map(|name| {
        if name.len() <= NAME {
            return name.clone();
        }
        let mut label = cut(name, NAME);
        let number = last.entry(label.clone()).or_insert(1);
        while !taken.insert(label.clone()) {
            *number += 1;
            let suffix = format!("_{number}");
            label = cut(name, NAME - suffix.len()) + &suffix;
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
                let residual = self.markers.residual(frame, point).unwrap_or(0.0);
                let numbers = match self.markers.position(frame, point) {
                    Some(place) => {
                        let steps = (residual / self.scale).round().clamp(0.0, 255.0);
                        [place.x as f32, place.y as f32, place.z as f32, steps as f32]
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
fn parameters(markers: &Markers, names: &[String], scale: f32, start: usize) -> Vec<u8> {
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
    if let Some(unit) = space.unit {
        out.texts(point, "UNITS", &[unit.name().unwrap_or("units").to_owned()]);
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
        let suffix = if number == 0 { String::new() } else { (number + 1).to_string() };
        out.texts(point, &format!("LABELS{suffix}"), labels);
        out.texts(point, &format!("DESCRIPTIONS{suffix}"), &vec![String::new(); labels.len()]);
    }
    let trial = out.group("TRIAL");
    let words = |number: usize| [number as u16, (number >> 16) as u16];
    out.words(trial, "ACTUAL_START_FIELD", &words(1));
    out.words(trial, "ACTUAL_END_FIELD", &words(frames));
    let analog = out.group("ANALOG");
    out.words(analog, "USED", &[0]);
    let manufacturer = out.group("MANUFACTURER");
    out.texts(manufacturer, "SOFTWARE", &["mocap".to_owned()]);
    out.bytes.extend_from_slice(&[0, 0]);
    out.bytes
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

    /// Texts of one length, filled up with blanks; none is longer than [`NAME`].
    fn texts(&mut self, group: i8, name: &str, texts: &[String]) {
        let length = texts.iter().map(String::len).max().unwrap_or(0).max(1);
        let values: Vec<u8> = texts
            .iter()
            .flat_map(|text| text.bytes().chain(std::iter::repeat_n(b' ', length - text.len())))
            .collect();
        let lengths = [length as u8, texts.len() as u8];
        self.parameter(
            group,
            name,
            -1,
            &lengths[..if texts.len() == 1 && name != "LABELS" { 1 } else { 2 }],
            &values,
        );
    }
}
