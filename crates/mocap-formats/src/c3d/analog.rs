//! The analog channels of a C3D file, which are sampled beside its markers: force plates, EMG, switches.

use super::Problem;
use super::number::Processor;
use super::parameters::Parameters;
use super::parse::{File, Layout, Options};
use crate::arrays::{Array, Arrays, Data};
use crate::{Finding, Limits, Parsed, ReadError, Warnings};
use mocap_model::Vector3;

/// Warnings about channels and plates that were not read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum LeftOut {
    #[error(
        "the header states {numbers} analog numbers a frame, which are not {samples} samples of whole channels: those \
         behind the {channels} channels were not read"
    )]
    Numbers { numbers: usize, samples: usize, channels: usize },
    #[error(
        "FORCE_PLATFORM: {plates} of {used} force plates are not wholly described (the first: plate {first}): they were left out"
    )]
    Plates { plates: usize, used: usize, first: usize },
    #[error(
        "FORCE_PLATFORM:CHANNEL names {places} channels that the file does not have (of {count}): they have no values"
    )]
    PlateChannels { places: usize, count: usize },
}

impl crate::Problem for LeftOut {
    fn code(&self) -> &'static str {
        match self {
            LeftOut::Numbers { .. } => "c3d::analog-channels",
            LeftOut::Plates { .. } => "c3d::force-plates",
            LeftOut::PlateChannels { .. } => "c3d::plate-channels",
        }
    }
}

/// A channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Channel {
    /// Its label.
    pub name: String,
    /// The unit of its values; empty where the file says none.
    pub unit: String,
}

/// A force plate.
#[derive(Clone, Debug, PartialEq)]
pub struct ForcePlate {
    /// `FORCE_PLATFORM:TYPE`, which says what the channels measure. 1: force, centre of pressure
    /// and free moment; 2: force and moments; 3: eight single forces; 4: as 2, with a calibration
    /// matrix.
    pub kind: u16,
    /// Its channels in the order that its kind demands, by their index; `None` where the file has no such channel.
    pub channels: Vec<Option<usize>>,
    /// Its corners, in the first to the fourth quadrant of the plate's axes \[units of the points\].
    pub corners: [Vector3<f64>; 4],
    /// Between the middle of its surface and the origin of its moments, in the plate's axes \[units
    /// of the points\]; programs differ in its sign.
    pub origin: Vector3<f64>,
}

/// All channels of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Analog {
    /// Samples per second.
    pub rate: f64,
    /// Samples in a frame of the markers.
    pub per_frame: usize,
    /// By channel.
    pub channels: Vec<Channel>,
    /// `samples × channels`, in the units of the channels; not a number where the file has none.
    pub values: Vec<f64>,
    /// The force plates.
    pub plates: Vec<ForcePlate>,
    /// The unit of points, and so of plates \[m\]; `None` where the file says none.
    pub metres: Option<f64>,
}

/// Reads the analog channels of a C3D file held in memory; `None` where there are none.
///
/// ```
/// # let bytes = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/markers/knee.c3d"));
/// assert!(mocap_formats::c3d::analog(bytes, &Default::default())?.value.is_none());
/// # Ok::<(), mocap_formats::ReadError>(())
/// ```
///
/// # Errors
/// As [`super::parse`], and where scales and offsets are not as many as channels.
pub fn analog(bytes: &[u8], options: &Options) -> Result<Parsed<Option<Analog>>, ReadError> {
    let mut warnings = Warnings::default();
    match read(bytes, options, &mut warnings) {
        Ok(value) => Ok(Parsed { value, warnings: warnings.into_vec() }),
        Err(error) => Err(ReadError::from(error).behind(warnings.into_vec())),
    }
}

fn read(bytes: &[u8], options: &Options, warnings: &mut Warnings) -> Result<Option<Analog>, Finding> {
    let limits = &options.limits;
    let File { processor, parameters, layout } = File::open(bytes, limits, warnings)?;
    let count = layout.analog / layout.samples;
    if !layout.analog.is_multiple_of(layout.samples) {
        let (numbers, samples) = (layout.analog, layout.samples);
        warnings.push(Finding::new(LeftOut::Numbers { numbers, samples, channels: count }));
    }
    if count == 0 {
        return Ok(None);
    }
    limits.check_samples(layout.frames * layout.samples, count).map_err(Finding::new)?;
    let is_unsigned =
        parameters.text("ANALOG:FORMAT").is_some_and(|format| format.eq_ignore_ascii_case("UNSIGNED"));
    let whole = parameters.number("ANALOG:GEN_SCALE").unwrap_or(1.0);
    let scales = series(&parameters, "ANALOG:SCALE", count, 1.0, true)?;
    let offsets = series(&parameters, "ANALOG:OFFSET", count, 0.0, !is_unsigned)?;
    let mut values = Vec::with_capacity(layout.frames * layout.samples * count);
    for frame in 0..layout.frames {
        let start = layout.start + frame * layout.stride + 4 * layout.points * layout.size();
        let row = &bytes[start..start + layout.samples * count * layout.size()];
        for (at, raw) in raw_numbers(row, processor, &layout, is_unsigned).enumerate() {
            let channel = at % count;
            let value = (raw - offsets[channel]) * scales[channel] * whole;
            values.push(if value.is_finite() { value } else { f64::NAN });
        }
    }
    let [labels, units] = ["ANALOG:LABELS", "ANALOG:UNITS"].map(|path| texts(&parameters, path));
    let channels = (0..count)
        .map(|at| Channel {
            name: labels
                .get(at)
                .filter(|name| !name.is_empty())
                .cloned()
                .unwrap_or_else(|| format!("channel_{}", at + 1)),
            unit: units.get(at).cloned().unwrap_or_default(),
        })
        .collect();
    let of_points = options.fps.or(layout.rate).unwrap_or(100.0);
    Ok(Some(Analog {
        rate: of_points * layout.samples as f64,
        per_frame: layout.samples,
        channels,
        values,
        plates: plates(&parameters, count, limits, warnings),
        metres: parameters.text("POINT:UNITS").and_then(mocap_model::Unit::metres_of),
    }))
}

/// The numbers of a frame as they are stored.
fn raw_numbers<'b>(
    row: &'b [u8],
    processor: Processor,
    layout: &Layout,
    is_unsigned: bool,
) -> impl Iterator<Item = f64> + 'b {
    let size = layout.size();
    row.chunks_exact(size).map(move |bytes| match (size, is_unsigned) {
        (4, _) => f64::from(processor.float([bytes[0], bytes[1], bytes[2], bytes[3]])),
        (_, true) => f64::from(processor.word([bytes[0], bytes[1]])),
        (_, false) => f64::from(processor.word([bytes[0], bytes[1]]) as i16),
    })
}

/// The paths of a parameter that is continued in others: LABELS, LABELS2 and so on.
fn paths(path: &str) -> impl Iterator<Item = String> {
    std::iter::once(path.to_owned()).chain((2..).map(move |number| format!("{path}{number}")))
}

fn texts(parameters: &Parameters, path: &str) -> Vec<String> {
    let parts = paths(path).map(|path| parameters.texts(&path).to_vec());
    parts.take_while(|texts| !texts.is_empty()).flatten().collect()
}

/// One number a channel; `usual` for all where the file has none.
fn series(
    parameters: &Parameters,
    path: &str,
    count: usize,
    usual: f64,
    signed: bool,
) -> Result<Vec<f64>, Finding> {
    let parts = paths(path).map(|path| parameters.numbers(&path, signed));
    let found: Vec<f64> = parts.take_while(|numbers| !numbers.is_empty()).flatten().collect();
    match found.len() {
        0 => Ok(vec![usual; count]),
        many if many >= count => Ok(found[..count].to_vec()),
        few => {
            let message = format!("it has {few} numbers for {count} analog channels");
            Err(Finding::new(Problem::Parameter { path: path.to_owned(), message }))
        }
    }
}

/// The force plates with a complete description; warns of the others.
fn plates(
    parameters: &Parameters,
    count: usize,
    limits: &Limits,
    warnings: &mut Warnings,
) -> Vec<ForcePlate> {
    let used = parameters.number("FORCE_PLATFORM:USED").unwrap_or(0.0) as usize;
    let numbers = |name: &str| parameters.numbers(&format!("FORCE_PLATFORM:{name}"), true);
    let (kinds, channels) = (numbers("TYPE"), numbers("CHANNEL"));
    let (corners, origins) = (numbers("CORNERS"), numbers("ORIGIN"));
    let each = channels.len() / used.clamp(1, limits.joints);
    let three = |numbers: &[f64], at: usize| {
        numbers.get(3 * at..3 * at + 3).map(|three| Vector3::new(three[0], three[1], three[2]))
    };
    let plate = |plate: usize| {
        let own = channels.get(plate * each..(plate + 1) * each)?;
        let place = |channel: &f64| (*channel as usize).checked_sub(1).filter(|channel| *channel < count);
        let corner = |at: usize| three(&corners, 4 * plate + at);
        Some(ForcePlate {
            kind: *kinds.get(plate)? as u16,
            channels: own.iter().map(place).collect(),
            corners: [corner(0)?, corner(1)?, corner(2)?, corner(3)?],
            origin: three(&origins, plate)?,
        })
    };
    let all: Vec<Option<ForcePlate>> = (0..used.min(limits.joints)).map(plate).collect();
    if let Some(first) = all.iter().position(Option::is_none) {
        let plates = used - all.iter().flatten().count();
        warnings.push(Finding::new(LeftOut::Plates { plates, used, first: first + 1 }));
    }
    let all: Vec<ForcePlate> = all.into_iter().flatten().collect();
    let places = all.iter().flat_map(|plate| &plate.channels).filter(|channel| channel.is_none()).count();
    if places > 0 {
        warnings.push(Finding::new(LeftOut::PlateChannels { places, count }));
    }
    all
}

impl ForcePlate {
    /// Its axes in the space of the points; `None` if its corners do not form a rectangle.
    fn axes(&self) -> Option<[Vector3<f64>; 3]> {
        let [a, b, c, d] = self.corners;
        let x = (a + d - b - c).try_normalize(1e-9)?;
        let y = a + b - c - d;
        let y = (y - x * x.dot(&y)).try_normalize(1e-9)?;
        Some([x, y, x.cross(&y)])
    }

    /// The force that its channels show in a sample, in the space of the points; `None` of kinds that need a matrix.
    fn force(&self, sample: &[f64]) -> Option<Vector3<f64>> {
        let value = |at: usize| self.channels.get(at).copied().flatten().map(|channel| sample[channel]);
        let own = match self.kind {
            1 | 2 => [value(0)?, value(1)?, value(2)?],
            3 => {
                [value(0)? + value(1)?, value(2)? + value(3)?, value(4)? + value(5)? + value(6)? + value(7)?]
            }
            _ => return None,
        };
        let [x, y, z] = self.axes()?;
        Some(x * own[0] + y * own[1] + z * own[2])
    }
}

impl Analog {
    /// As arrays: `analog` (samples × channels), `labels`, `units`, `rate`, `samples_per_frame`;
    /// with force plates `plate_kind`, `plate_channels` (-1 where a plate has none),
    /// `plate_corners` (plates × 4 × 3) and `plate_origin` \[m; NaN where the unit is not known\],
    /// and `plate_force` (samples × plates × 3) in the axes of the markers and the unit of the
    /// channels, NaN for plates that need a calibration matrix or whose corners do not form a rectangle.
    pub fn to_arrays(&self) -> Arrays {
        let (count, plates) = (self.channels.len(), self.plates.len());
        let samples = self.values.len() / count.max(1);
        let column =
            |of: fn(&Channel) -> &String| Array::texts(self.channels.iter().map(of).cloned().collect());
        let mut arrays = Arrays::default();
        arrays.insert("analog", Array::new([samples, count], Data::F64(self.values.clone())));
        arrays.insert("labels", column(|channel| &channel.name));
        arrays.insert("units", column(|channel| &channel.unit));
        arrays.insert("rate", Array::scalar(self.rate));
        arrays.insert("samples_per_frame", Array::new([], Data::I64(vec![self.per_frame as i64])));
        if plates == 0 {
            return arrays;
        }
        let kinds = self.plates.iter().map(|plate| i64::from(plate.kind)).collect();
        arrays.insert("plate_kind", Array::new([plates], Data::I64(kinds)));
        let most = self.plates.iter().map(|plate| plate.channels.len()).max().unwrap_or(0);
        let channel = |plate: &ForcePlate, at: usize| {
            plate.channels.get(at).copied().flatten().map_or(-1, |channel| channel as i64)
        };
        let channels =
            self.plates.iter().flat_map(|plate| (0..most).map(move |at| channel(plate, at))).collect();
        arrays.insert("plate_channels", Array::new([plates, most], Data::I64(channels)));
        let metres = self.metres.unwrap_or(f64::NAN);
        let numbers = |places: &mut dyn Iterator<Item = Vector3<f64>>| {
            Data::F64(places.flat_map(|place| <[f64; 3]>::from(place * metres)).collect())
        };
        let corners = numbers(&mut self.plates.iter().flat_map(|plate| plate.corners));
        arrays.insert("plate_corners", Array::new([plates, 4, 3], corners));
        let origins = numbers(&mut self.plates.iter().map(|plate| plate.origin));
        arrays.insert("plate_origin", Array::new([plates, 3], origins));
        let unknown = Vector3::repeat(f64::NAN);
        let forces = self.values.chunks_exact(count.max(1)).flat_map(|sample| {
            self.plates.iter().flat_map(move |plate| <[f64; 3]>::from(plate.force(sample).unwrap_or(unknown)))
        });
        arrays.insert("plate_force", Array::new([samples, plates, 3], Data::F64(forces.collect())));
        arrays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    enum Content<'a> {
        Texts(&'a [&'a str]),
        Words(&'a [i16]),
        Floats(&'a [f32]),
    }

    /// A file of one point, which rests, with analog words of two frames.
    fn file(parameters: &[(&str, &str, Content<'_>)], samples: u16, frames: &[&[f32]]) -> Vec<u8> {
        let mut bytes = vec![0u8; 512];
        let words =
            [(2, 1u16), (3, frames[0].len() as u16), (4, 1), (5, frames.len() as u16), (9, 4), (10, samples)];
        (bytes[0], bytes[1]) = (2, 0x50);
        for (number, word) in words {
            bytes[2 * (number - 1)..2 * number].copy_from_slice(&word.to_le_bytes());
        }
        for (number, float) in [(7, -1.0f32), (11, 50.0)] {
            bytes[2 * (number - 1)..2 * number + 2].copy_from_slice(&float.to_le_bytes());
        }
        bytes.extend([1, 0x50, 2, 84]);
        let mut groups: Vec<&str> = Vec::new();
        for (group, name, content) in parameters {
            let known = groups.iter().position(|known| known == group);
            let id = known.unwrap_or_else(|| {
                groups.push(group);
                bytes.extend([group.len() as u8, -(groups.len() as i8) as u8]);
                bytes.extend(group.bytes());
                bytes.extend([3, 0, 0]);
                groups.len() - 1
            }) + 1;
            let (kind, lengths, data): (i8, Vec<u8>, Vec<u8>) = match content {
                Content::Texts(texts) => {
                    let padded = texts.iter().flat_map(|text| format!("{text:<8}").into_bytes());
                    (-1, vec![8, texts.len() as u8], padded.collect())
                }
                Content::Words(words) => {
                    (2, vec![words.len() as u8], words.iter().flat_map(|word| word.to_le_bytes()).collect())
                }
                Content::Floats(floats) => (
                    4,
                    vec![floats.len() as u8],
                    floats.iter().flat_map(|float| float.to_le_bytes()).collect(),
                ),
            };
            bytes.extend([name.len() as u8, id as u8]);
            bytes.extend(name.bytes());
            let next = (2 + 2 + lengths.len() + data.len() + 1) as u16;
            bytes.extend(next.to_le_bytes());
            bytes.extend([kind as u8, lengths.len() as u8]);
            bytes.extend(lengths);
            bytes.extend(data);
            bytes.push(0);
        }
        bytes.resize(1536, 0);
        for frame in frames {
            bytes.extend(
                [1.0f32, 2.0, 3.0, 0.0].iter().chain(frame.iter()).flat_map(|float| float.to_le_bytes()),
            );
        }
        bytes
    }

    fn plate() -> Vec<(&'static str, &'static str, Content<'static>)> {
        vec![
            ("POINT", "UNITS", Content::Texts(&["mm"])),
            ("ANALOG", "LABELS", Content::Texts(&["Fx", "Fy", "Fz"])),
            ("ANALOG", "UNITS", Content::Texts(&["N", "N", "N"])),
            ("ANALOG", "SCALE", Content::Floats(&[2.0, 1.0, 1.0])),
            ("ANALOG", "GEN_SCALE", Content::Floats(&[0.5])),
            ("ANALOG", "OFFSET", Content::Words(&[0, 0, -4])),
            ("FORCE_PLATFORM", "USED", Content::Words(&[1])),
            ("FORCE_PLATFORM", "TYPE", Content::Words(&[2])),
            ("FORCE_PLATFORM", "CHANNEL", Content::Words(&[1, 2, 3])),
            // The plate's x axis is the laboratory's y axis; its z axis points down.
            (
                "FORCE_PLATFORM",
                "CORNERS",
                Content::Floats(&[
                    300.0, 200.0, 0.0, 300.0, -200.0, 0.0, -300.0, -200.0, 0.0, -300.0, 200.0, 0.0,
                ]),
            ),
            ("FORCE_PLATFORM", "ORIGIN", Content::Floats(&[0.0, 0.0, -40.0])),
        ]
    }

    #[test]
    fn channels_are_scaled_and_forces_are_in_the_axes_of_the_markers() {
        let bytes =
            file(&plate(), 2, &[&[1.0, 2.0, 6.0, 3.0, 4.0, 8.0], &[5.0, 6.0, 10.0, f32::NAN, 8.0, 12.0]]);
        let found = analog(&bytes, &Options::default()).unwrap().value.unwrap();
        assert_eq!((found.rate, found.per_frame, found.channels.len()), (100.0, 2, 3));
        assert_eq!(found.channels[2], Channel { name: "Fz".into(), unit: "N".into() });
        assert_eq!(found.values[..6], [1.0, 1.0, 5.0, 3.0, 2.0, 6.0]);
        assert!(found.values[9].is_nan());
        let arrays = found.to_arrays();
        let Data::F64(force) = &arrays.get("plate_force").unwrap().data else { panic!("floats") };
        // Fx 1, Fy 1, Fz 5 in the axes of a plate whose x is the laboratory's y and whose y is its
        // x.
        assert_eq!(force[..3], [1.0, 1.0, -5.0]);
        assert_eq!(arrays.get("plate_corners").unwrap().number_at(0), 0.3);
    }

    impl Array {
        fn number_at(&self, at: usize) -> f64 {
            self.data.number(at).unwrap()
        }
    }

    /// The codes of the warnings.
    fn codes(found: &Parsed<Option<Analog>>) -> Vec<&'static str> {
        found.warnings.iter().map(Finding::code).collect()
    }

    #[test]
    fn channels_of_plates_keep_their_places() {
        let mut shifted = plate();
        shifted[8] = ("FORCE_PLATFORM", "CHANNEL", Content::Words(&[0, 1, 2, 3, 4, 5]));
        let found = analog(&file(&shifted, 1, &[&[1.0, 2.0, 6.0][..]; 2]), &Options::default()).unwrap();
        assert_eq!(codes(&found), ["c3d::plate-channels"]);
        let found = found.value.unwrap();
        assert_eq!(found.plates[0].channels, [None, Some(0), Some(1), Some(2), None, None]);
        let arrays = found.to_arrays();
        let Data::I64(channels) = &arrays.get("plate_channels").unwrap().data else {
            panic!("whole numbers")
        };
        assert_eq!(channels[..], [-1, 0, 1, 2, -1, -1]);
        let Data::F64(force) = &arrays.get("plate_force").unwrap().data else { panic!("floats") };
        assert!(force.iter().all(|value| value.is_nan()), "it has no Fx");
    }

    #[test]
    fn what_is_left_out_is_reported() {
        let rows = [&[1.0f32, 2.0, 6.0][..]; 2];
        assert_eq!(codes(&analog(&file(&plate(), 1, &rows), &Options::default()).unwrap()), [""; 0]);

        // The last of three plates has no origin.
        let mut three = plate();
        let corners =
            [300.0f32, 200.0, 0.0, 300.0, -200.0, 0.0, -300.0, -200.0, 0.0, -300.0, 200.0, 0.0].repeat(3);
        three[6] = ("FORCE_PLATFORM", "USED", Content::Words(&[3]));
        three[7] = ("FORCE_PLATFORM", "TYPE", Content::Words(&[2, 2, 2]));
        three[8] = ("FORCE_PLATFORM", "CHANNEL", Content::Words(&[1, 2, 3, 1, 2, 3, 1, 2, 3]));
        three[9] = ("FORCE_PLATFORM", "CORNERS", Content::Floats(&corners));
        three[10] = ("FORCE_PLATFORM", "ORIGIN", Content::Floats(&[0.0; 6]));
        let found = analog(&file(&three, 1, &rows), &Options::default()).unwrap();
        assert_eq!(codes(&found), ["c3d::force-plates"]);
        assert!(found.warnings[0].problem.to_string().contains("1 of 3"), "{}", found.warnings[0].problem);
        assert_eq!(found.value.unwrap().plates.len(), 2);

        // Three numbers are one channel of two samples, and one more.
        let found = analog(&file(&[], 2, &rows), &Options::default()).unwrap();
        assert_eq!(codes(&found), ["c3d::analog-channels"]);
        assert_eq!(found.value.unwrap().channels.len(), 1);
    }

    #[test]
    fn too_few_scales_are_refused_and_a_cut_file_keeps_whole_frames() {
        let mut few = plate();
        few[3] = ("ANALOG", "SCALE", Content::Floats(&[2.0]));
        let refused = analog(&file(&few, 1, &[&[1.0, 2.0, 3.0][..]; 2]), &Options::default()).unwrap_err();
        assert!(refused.error.to_string().contains("1 numbers for 3"), "{}", refused.error);
        let mut bytes = file(&plate(), 1, &[&[1.0, 2.0, 3.0][..]; 2]);
        bytes.truncate(bytes.len() - 3);
        let found = analog(&bytes, &Options::default()).unwrap().value.unwrap();
        assert_eq!(found.values.len(), 3);
    }
}
