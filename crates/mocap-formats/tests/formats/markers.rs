//! Recordings of markers: C3D of all processors, TRC, and arrays; written and read again, and broken.

use mocap_formats::{Format, ReadOptions, WriteOptions, c3d, read, trc, write_markers};
use mocap_model::{FrameRate, Markers, SignedAxis, Space, Unit, UnitSource, Vector3};

/// Two markers with a gap, in millimetres.
fn recording(frames: usize, count: usize) -> Markers {
    let at = |frame: usize, marker: usize| {
        let seen = !(marker == 1 && (3..6).contains(&frame));
        let x = frame as f32 * 1.37 + marker as f32 * 100.1;
        seen.then(|| Vector3::new(f64::from(x), f64::from(-x * 0.5), 900.25))
    };
    let positions = (0..frames).flat_map(|frame| (0..count).map(move |marker| at(frame, marker))).collect();
    let names = (0..count).map(|marker| format!("M{marker}")).collect();
    let unit = Some(Unit { metres: 0.001, source: UnitSource::File });
    let forward = SignedAxis { negative: true, ..SignedAxis::Y };
    let space = Space { up: SignedAxis::Z, forward, unit };
    Markers::new(space, FrameRate::new(100.0).unwrap(), frames, names, positions).unwrap()
}

fn back(markers: &Markers, format: Format) -> Markers {
    let bytes = write_markers(markers, format, &WriteOptions::default()).unwrap().main.into_bytes();
    let document = read(&bytes, &ReadOptions::default()).unwrap();
    assert_eq!(document.warnings, [], "{format}");
    assert_eq!(document.value.format(), format, "the format is detected");
    document.value.markers().unwrap().clone()
}

#[test]
fn recordings_come_back() {
    for (frames, count) in [(8, 2), (0, 2), (1, 1), (70_000, 2), (5, 600)] {
        let markers = recording(frames, count);
        assert_eq!(back(&markers, Format::C3d), markers, "{frames} frames of {count}");
    }
    let markers = recording(8, 2);
    let space = Space { up: SignedAxis::Y, forward: SignedAxis::Z, ..*markers.space() };
    let upright = markers.clone().with_space(space);
    // The digits of a number are those that mean it with 32 bits.
    let text = back(&upright, Format::Trc);
    assert_eq!((text.space(), text.rate(), text.names()), (upright.space(), upright.rate(), upright.names()));
    for (frame, marker) in (0..8).flat_map(|frame| [(frame, 0), (frame, 1)]) {
        let short = |markers: &Markers| {
            markers.position(frame, marker).map(|place| [place.x as f32, place.y as f32, place.z as f32])
        };
        assert_eq!(short(&text), short(&upright));
    }
    // TRC has no field for axes: Y is up.
    let turned = back(&markers, Format::Trc);
    let axes = (turned.space().up, turned.space().forward);
    assert_eq!(axes, (SignedAxis::Y, SignedAxis::Z));
    let (before, after) = (markers.position(2, 1).unwrap(), turned.position(2, 1).unwrap());
    assert!((after - Vector3::new(before.x, before.z, -before.y)).norm() < 1e-4, "{before} {after}");
    // Metres and back: the numbers are rounded.
    let near = back(&markers, Format::Npz);
    for frame in 0..8 {
        for marker in 0..2 {
            match (markers.position(frame, marker), near.position(frame, marker)) {
                (Some(a), Some(b)) => assert!((a - b).norm() < 1e-4),
                (a, b) => assert_eq!(a, b),
            }
        }
    }
}

#[test]
fn residuals_come_back_in_steps() {
    let residuals: Vec<f64> = (0..16).map(|i| f64::from(i % 5) * 0.25).collect();
    let markers = recording(8, 2).with_residuals(residuals).unwrap();
    let read = back(&markers, Format::C3d);
    for (frame, marker) in [(0, 0), (2, 1), (7, 1)] {
        let (a, b) = (markers.residual(frame, marker).unwrap(), read.residual(frame, marker).unwrap());
        assert!((a - b).abs() <= 1.0 / 255.0, "{a} {b}");
    }
    assert_eq!(read.residual(3, 1), None);
}

/// A C3D file of three points, written by hand: numbers of a processor, integers or floats.
struct Hand {
    processor: u8,
    floats: bool,
    frames: usize,
    trial: bool,
}

impl Hand {
    fn word(&self, value: u16) -> [u8; 2] {
        if self.processor == 86 { value.to_be_bytes() } else { value.to_le_bytes() }
    }

    fn float(&self, value: f32) -> [u8; 4] {
        match self.processor {
            84 => value.to_le_bytes(),
            86 => value.to_be_bytes(),
            _ => {
                let [a, b, c, d] = (value * 4.0).to_le_bytes();
                [c, d, a, b]
            }
        }
    }

    fn scale(&self) -> f32 {
        if self.floats { -0.5 } else { 0.5 }
    }

    fn parameters(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut entry = |group: i8, name: &str, content: &[u8]| {
            out.extend_from_slice(&[name.len() as u8, group as u8]);
            out.extend_from_slice(name.as_bytes());
            out.extend_from_slice(&self.word(content.len() as u16 + 2));
            out.extend_from_slice(content);
        };
        let one = |kind: u8, value: &[u8]| [&[kind, 0], value, &[0]].concat();
        entry(-1, "POINT", &[0]);
        entry(1, "USED", &one(2, &self.word(3)));
        entry(1, "FRAMES", &one(2, &self.word(self.frames as u16)));
        entry(1, "SCALE", &one(4, &self.float(self.scale())));
        entry(1, "RATE", &one(4, &self.float(50.0)));
        entry(1, "DATA_START", &one(2, &self.word(3)));
        entry(1, "UNITS", &[&[0xFF, 1, 2][..], b"mm", &[0]].concat());
        entry(1, "LABELS", &[&[0xFF, 2, 4, 2][..], b"AA  BB  ", &[0]].concat());
        entry(1, "LABELS2", &[&[0xFF, 2, 4, 1][..], b"CCCC", &[0]].concat());
        if self.trial {
            entry(-2, "TRIAL", &[0]);
            let long = |value: usize| {
                [&[2, 1, 2][..], &self.word(value as u16), &self.word((value >> 16) as u16), &[0]].concat()
            };
            entry(2, "ACTUAL_START_FIELD", &long(1));
            entry(2, "ACTUAL_END_FIELD", &long(self.frames));
        }
        out.extend_from_slice(&[0, 0]);
        out
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = vec![2, 0x50];
        let last = self.frames.min(0xFFFF) as u16;
        [3, 0, 1, last, 0].iter().for_each(|word| bytes.extend_from_slice(&self.word(*word)));
        bytes.extend_from_slice(&self.float(self.scale()));
        [3, 0].iter().for_each(|word| bytes.extend_from_slice(&self.word(*word)));
        bytes.extend_from_slice(&self.float(50.0));
        bytes.resize(512, 0);
        bytes.extend_from_slice(&[1, 0x50, 1, self.processor]);
        bytes.extend_from_slice(&self.parameters());
        bytes.resize(1024, 0);
        for frame in 0..self.frames {
            for point in 0..3 {
                let gap = point == 2 && frame == 1;
                let values = [frame as i32 % 100 - 50, point * 10, -7, if gap { -1 } else { 2 }];
                for (axis, value) in values.into_iter().enumerate() {
                    match self.floats {
                        true => {
                            // Floats are not scaled; only the residual is.
                            let value = if axis < 3 { value as f32 * 0.5 } else { value as f32 };
                            bytes.extend_from_slice(&self.float(value));
                        }
                        false => bytes.extend_from_slice(&self.word(value as i16 as u16)),
                    }
                }
            }
        }
        bytes
    }
}

#[test]
fn all_processors_and_types_mean_the_same() {
    let options = c3d::Options::default();
    let expected =
        c3d::parse(&Hand { processor: 84, floats: false, frames: 9, trial: false }.bytes(), &options);
    let expected = expected.unwrap();
    assert_eq!(expected.warnings, []);
    let expected = expected.value;
    assert_eq!(expected.names(), ["AA", "BB", "CCCC"]);
    assert_eq!((expected.frames(), expected.rate().fps(), expected.space().metres()), (9, 50.0, Some(0.001)));
    assert_eq!(expected.position(2, 1), Some(Vector3::new(-24.0, 5.0, -3.5)));
    assert_eq!(expected.residual(2, 1), Some(1.0));
    assert_eq!(expected.gaps(2), std::slice::from_ref(&(1..2)));
    for processor in [84, 85, 86] {
        for floats in [false, true] {
            let bytes = Hand { processor, floats, frames: 9, trial: true }.bytes();
            assert_eq!(
                c3d::parse(&bytes, &options).unwrap().value,
                expected,
                "processor {processor}, {floats}"
            );
        }
    }
    let long = Hand { processor: 84, floats: false, frames: 70_000, trial: true }.bytes();
    let long = c3d::parse(&long, &options).unwrap();
    assert_eq!(long.value.frames(), 70_000);
    assert_eq!(long.value.position(69_999, 0).unwrap().x, 24.5);
    // Without TRIAL the length of the file counts, but for the zeros that fill its last block.
    let mut unstated = Hand { processor: 84, floats: false, frames: 70_000, trial: false }.bytes();
    let frames = 0xFFFFu16.to_le_bytes();
    let at = unstated.windows(6).position(|window| window == b"FRAMES").unwrap() + 10;
    unstated[at..at + 2].copy_from_slice(&frames);
    unstated.resize(unstated.len().next_multiple_of(512), 0);
    let unstated = c3d::parse(&unstated, &options).unwrap();
    assert_eq!((unstated.value.frames(), unstated.warnings[0].code()), (70_000, "c3d::long-file"));
    assert_eq!(unstated.value, long.value);
}

#[test]
fn broken_c3d_files_are_refused_or_cut_with_a_warning() {
    let whole = Hand { processor: 84, floats: false, frames: 9, trial: true }.bytes();
    let options = c3d::Options::default();
    for length in 0..whole.len() {
        // Must not panic; from the first block of points on, whole frames are kept.
        let read = c3d::parse(&whole[..length], &options);
        if length >= 1024 {
            let read = read.unwrap();
            assert_eq!(read.value.frames(), (length - 1024) / 24);
            assert_eq!(read.warnings[0].code(), "c3d::truncated");
        }
    }
    for at in 0..1024 {
        for change in [0xFF, 0x01, 0x80] {
            let mut changed = whole.clone();
            changed[at] ^= change;
            let _ = c3d::parse(&changed, &options);
        }
    }
    let code = |bytes: &[u8]| c3d::parse(bytes, &options).unwrap_err().code();
    assert_eq!(code(b"BVH"), "c3d::magic");
    assert_eq!(code(&[200, 0x50, 0, 0]), "c3d::no-parameters");
    let processor = [&whole[..515], &[7][..], &whole[516..]].concat();
    assert_eq!(code(&processor), "c3d::processor");
    let infinite = {
        let mut bytes = Hand { processor: 84, floats: true, frames: 2, trial: false }.bytes();
        bytes[1024..1028].copy_from_slice(&f32::INFINITY.to_le_bytes());
        bytes
    };
    let error = c3d::parse(&infinite, &options).unwrap_err();
    assert_eq!((error.code(), error.error.context.joint.as_deref()), ("c3d::not-finite", Some("AA")));
    let repaired = c3d::parse(&infinite, &c3d::Options { repair: true, ..c3d::Options::default() }).unwrap();
    assert_eq!(repaired.value.position(0, 0), None);
    assert_eq!((repaired.warnings.len(), repaired.warnings[0].code()), (1, "c3d::repaired"));
    assert_eq!(error.error.remedy(), Some(mocap_formats::Remedy::RepairToGaps));
}

const TRC: &str = "PathFileType\t4\t(X/Y/Z)\ta.trc\nDataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\n\
    100\t100\t3\t2\tmm\nFrame#\tTime\tLANK\t\t\tRANK\t\t\n\t\tX1\tY1\tZ1\tX2\tY2\tZ2\n\n\
    1\t0.00\t1\t2\t3\t4\t5\t6\n2\t0.01\t1.5\t2\t3\t\t\t\n3\t0.02\t2\t2\t3\tNaN\tNaN\tNaN\n";

#[test]
fn trc_files_have_tabs_or_commas() {
    let options = trc::Options::default();
    let tabs = trc::parse(TRC.as_bytes(), &options).unwrap();
    assert_eq!(tabs.warnings, []);
    assert_eq!(tabs.value.names(), ["LANK", "RANK"]);
    assert_eq!(tabs.value.position(1, 0), Some(Vector3::new(1.5, 2.0, 3.0)));
    assert_eq!(tabs.value.gaps(1), std::slice::from_ref(&(1..3)));
    assert_eq!((tabs.value.rate().fps(), tabs.value.space().metres()), (100.0, Some(0.001)));
    let commas = trc::parse(TRC.replace('\t', ",").replace('\n', "\r\n").as_bytes(), &options).unwrap();
    assert_eq!(commas.value, tabs.value);
    // Rows that end early, and counts that are wrong, are reported.
    let short = TRC.replace("1.5\t2\t3\t\t\t", "1.5\t2\t3").replace("100\t3\t2", "100\t9\t7");
    let short = trc::parse(short.as_bytes(), &options).unwrap();
    assert_eq!(short.value, tabs.value);
    let codes: Vec<&str> = short.warnings.iter().map(|warning| warning.code()).collect();
    assert_eq!(codes, ["trc::marker-count", "trc::short-row", "trc::frames"]);
}

#[test]
fn rows_of_trc_files_are_the_frames_that_they_state() {
    let options = trc::Options::default();
    let read = |text: &str, options: &trc::Options| {
        let parsed = trc::parse(text.as_bytes(), options).unwrap();
        let codes: Vec<&str> = parsed.warnings.iter().map(|warning| warning.code()).collect();
        (parsed.value, codes)
    };
    // The last row is frame 7.
    let text = TRC.replace("3\t0.02\t2", "7\t0.06\t2");
    let (gapped, codes) = read(&text, &options);
    assert_eq!(codes, ["trc::missing-rows"]);
    assert_eq!((gapped.frames(), gapped.rate().fps()), (7, 100.0));
    assert_eq!(gapped.gaps(0), std::slice::from_ref(&(2..6)));
    assert_eq!(gapped.position(6, 0), Some(Vector3::new(2.0, 2.0, 3.0)));
    // Errors in rows name the frame of the row.
    let error =
        trc::parse(text.replace("\t2\t2\t3\tNaN", "\t2\ttwo\t3\tNaN").as_bytes(), &options).unwrap_err();
    assert_eq!(error.error.context.frame, Some(6));
    // What is written has a row for each frame.
    let written = write_markers(&gapped, Format::Trc, &WriteOptions::default()).unwrap().main.into_bytes();
    let again = trc::parse(&written, &options).unwrap();
    assert_eq!((again.value, again.warnings), (gapped, vec![]));
    // Times of another rate than DataRate.
    let (at_50, codes) = read(&TRC.replace("0.01", "0.02").replace("0.02\t2\t2", "0.04\t2\t2"), &options);
    assert_eq!((at_50.frames(), at_50.rate().fps(), codes), (3, 50.0, vec!["trc::rate"]));
    // Who states the rate knows it.
    let stated = trc::Options { fps: Some(25.0), ..trc::Options::default() };
    let (at_25, codes) = read(&TRC.replace("0.01", "0.02").replace("0.02\t2\t2", "0.04\t2\t2"), &stated);
    assert_eq!((at_25.frames(), at_25.rate().fps(), codes), (3, 25.0, vec![]));
    // A number that would take gigabytes is refused.
    let far = TRC.replace("3\t0.02\t2", "99000000\t990000\t2");
    let far = trc::parse(far.as_bytes(), &options).unwrap_err();
    assert_eq!(far.code(), "limit");
    assert!(far.to_string().contains("99000000 frames"), "{far}");
    let infinite = TRC.replace("3\t0.02\t2", "1e300\t1e300\t2");
    assert!(trc::parse(infinite.as_bytes(), &options).is_ok_and(|read| read.value.frames() == 3));
}

#[test]
fn broken_trc_files_are_refused_with_their_place() {
    let options = trc::Options::default();
    let refused = |text: &str| trc::parse(text.as_bytes(), &options).unwrap_err();
    let error = refused(&TRC.replace("1.5", "1,5"));
    assert_eq!(error.code(), "trc::number");
    let place = error.error.place.clone().unwrap();
    assert_eq!((place.line, place.column), (8, 8));
    assert_eq!((error.error.context.joint.as_deref(), error.error.context.frame), (Some("LANK"), Some(1)));
    assert_eq!(refused(&TRC.replace("1.5", "inf")).code(), "trc::not-finite");
    assert_eq!(refused(&TRC.replace("5\t6\n", "5\t6\t7\n")).code(), "trc::columns");
    assert_eq!(refused(&TRC.replace("LANK\t\t\tRANK", "\t\t\t")).code(), "trc::missing");
    for end in 0..TRC.len() {
        let _ = trc::parse(&TRC.as_bytes()[..end], &options);
    }
}

/// Names that C3D cannot hold are shortened with a warning, and none becomes that of another marker.
#[test]
fn long_names_stay_apart_in_c3d() {
    let long = |end: &str| "ä".repeat(100) + end;
    let [first, second, fits] = [long("left"), long("right"), "ä".repeat(63)];
    let markers = recording(4, 3);
    let positions = (0..4).flat_map(|frame| (0..3).map(move |marker| (frame, marker)));
    let positions = positions.map(|(frame, marker)| markers.position(frame, marker)).collect();
    let names = vec![first.clone(), second.clone(), fits.clone()];
    let markers = Markers::new(*markers.space(), markers.rate(), 4, names, positions).unwrap();
    let written = write_markers(&markers, Format::C3d, &WriteOptions::default()).unwrap();
    assert_eq!(written.warnings.iter().map(|it| it.code()).collect::<Vec<_>>(), ["c3d::name-shortened"; 2]);
    assert!(written.warnings[1].to_string().contains(&second));
    let document = read(&written.main.into_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(document.warnings, []);
    let names = document.value.markers().unwrap().names().to_vec();
    assert_eq!(names, ["ä".repeat(62) + "_2", "ä".repeat(62) + "_3", fits]);
    let npz = write_markers(&markers, Format::Npz, &WriteOptions::default()).unwrap();
    assert_eq!(npz.warnings, []);
}
