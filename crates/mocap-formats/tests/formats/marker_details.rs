//! What recordings of markers hold besides positions: units, axes, events, and numbers that a file cannot hold.

use mocap_formats::arrays::Precision;
use mocap_formats::{Format, ReadOptions, WriteOptions, c3d, read, trc, write_markers};
use mocap_model::{Event, FrameRate, Markers, SignedAxis, Space, Unit, UnitSource, Vector3};

fn recording(space: Space, x: f64) -> Markers {
    let positions = vec![Some(Vector3::new(x, 2.0, 3.0)), Some(Vector3::new(1.0, 2.0, 3.0))];
    Markers::new(space, FrameRate::new(100.0).unwrap(), 2, vec!["LANK".into()], positions).unwrap()
}

fn in_unit(metres: f64) -> Space {
    Space { unit: Some(Unit { metres, source: UnitSource::File }), ..Space::default() }
}

fn written(markers: &Markers, format: Format) -> Vec<u8> {
    write_markers(markers, format, &WriteOptions::default()).unwrap().main.into_bytes()
}

fn back(markers: &Markers, format: Format) -> Markers {
    let document = read(&written(markers, format), &ReadOptions::default()).unwrap();
    assert_eq!(document.warnings, [], "{format}");
    document.value.markers().unwrap().clone()
}

/// A C3D of metres, in which the text of a parameter is replaced by one of the same length.
fn with_text(markers: &Markers, from: &str, to: &str) -> Vec<u8> {
    let mut bytes = written(markers, Format::C3d);
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).unwrap();
    bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
    bytes
}

#[test]
fn numbers_beyond_32_bits_are_refused_by_name_and_frame() {
    for (x, metres) in [(3.5e38, 1.0), (-1e39, 0.001), (1e36, 5000.0)] {
        let far = recording(in_unit(metres), x);
        let error = write_markers(&far, Format::C3d, &WriteOptions::default()).unwrap_err();
        assert_eq!(error.code(), "c3d::too-large", "{x}");
        let place = (error.context.joint.as_deref(), error.context.frame);
        assert_eq!(place, (Some("LANK"), Some(0)));
        assert!(error.to_string().contains("does not fit"), "{error}");
    }
    for format in [Format::Npz, Format::Safetensors] {
        let far = recording(in_unit(1.0), 1e39);
        let error = write_markers(&far, format, &WriteOptions::default()).unwrap_err();
        assert_eq!((error.code(), error.context.frame), ("arrays::too-large", Some(0)));
        let mut options = WriteOptions::default();
        options.arrays.precision = Precision::F64;
        assert!(write_markers(&far, format, &options).is_ok());
    }
    let residual = recording(in_unit(1.0), 1.0).with_residuals(vec![0.0, 1e39]).unwrap();
    let error = write_markers(&residual, Format::C3d, &WriteOptions::default()).unwrap_err();
    assert_eq!((error.code(), error.context.frame), ("c3d::too-large", Some(1)));
    // A step of residuals that is no number above 0 in 32 bits would make the scale 0.
    let small = recording(in_unit(1.0), 1.0).with_residuals(vec![0.0, 1e-44]).unwrap();
    assert_eq!(back(&small, Format::C3d).position(0, 0), small.position(0, 0));
}

#[test]
fn a_unit_without_a_name_is_written_in_metres() {
    for metres in [5000.0, 0.1, 1e-6, Unit::CMU] {
        let markers = recording(in_unit(metres), 1.0);
        for format in [Format::C3d, Format::Trc] {
            let read = back(&markers, format);
            assert_eq!(read.space().metres(), Some(1.0), "{format}: {metres}");
            let off = read.position(0, 0).unwrap() - markers.position(0, 0).unwrap() * metres;
            assert!(off.norm() <= 1e-6 * metres, "{format}: {metres}");
        }
    }
}

#[test]
fn units_have_many_names_in_files_of_markers() {
    let options = c3d::Options::default();
    let markers = recording(in_unit(0.001), 1.0);
    for (name, metres) in [("um", 1e-6), ("dm", 0.1), ("CM", 0.01), ("\u{b5}", 0.0), ("??", 0.0)] {
        let read = c3d::parse(&with_text(&markers, "mm", name), &options).unwrap();
        let known = Some(metres).filter(|metres| *metres > 0.0);
        assert_eq!(read.value.space().metres(), known, "{name}");
        let codes: Vec<&str> = read.warnings.iter().map(|warning| warning.code()).collect();
        assert_eq!(codes, if known.is_some() { vec![] } else { vec!["c3d::unknown-unit"] }, "{name}");
    }
    let text = String::from_utf8(written(&markers, Format::Trc)).unwrap();
    for (name, metres) in [("centimetre", Some(0.01)), ("\u{3bc}m", Some(1e-6)), ("furlong", None)] {
        let text = text.replace("\tmm\t", &format!("\t{name}\t"));
        let read = trc::parse(text.as_bytes(), &trc::Options::default()).unwrap();
        assert_eq!(read.value.space().metres(), metres, "{name}");
        assert_eq!(read.warnings.len(), usize::from(metres.is_none()));
        assert!(read.warnings.iter().all(|warning| warning.code() == "trc::unknown-unit"));
    }
}

#[test]
fn axes_of_markers_come_back_from_arrays() {
    let axes = |up: &str, forward: &str| Space {
        up: up.parse().unwrap(),
        forward: forward.parse().unwrap(),
        ..in_unit(0.001)
    };
    for (up, forward) in [("Z", "X"), ("Z", "-Y"), ("Z", "Y"), ("-X", "Y"), ("Y", "-X"), ("Y", "Z")] {
        let markers = recording(axes(up, forward), 1.0);
        for format in [Format::C3d, Format::Npz, Format::Safetensors] {
            let read = back(&markers, format);
            assert_eq!(
                (read.space().up, read.space().forward),
                (markers.space().up, markers.space().forward)
            );
        }
    }
    let forward: SignedAxis = "Z".parse().unwrap();
    let flat = recording(Space { up: forward, forward, unit: None }, 1.0);
    let error = read(&written(&flat, Format::Npz), &ReadOptions::default()).unwrap_err();
    assert_eq!(error.code(), "arrays::value");
}

#[test]
fn events_come_back() {
    let event = |time: f64, name: &str| Event { time, name: name.into() };
    let few = vec![event(0.0, "Left Foot Strike"), event(0.01, "Right"), event(0.01, "Right Foot Off")];
    let many: Vec<Event> = (0..600).map(|at| event(0.25 * f64::from(at), &format!("Left {at}"))).collect();
    for events in [few, vec![event(0.01, "Clap")], many] {
        let markers = recording(in_unit(1.0), 1.0).with_events(events.clone()).unwrap();
        for format in [Format::C3d, Format::Npz, Format::Safetensors] {
            let read = back(&markers, format);
            assert_eq!(read.events().len(), events.len(), "{format}");
            for (a, b) in read.events().iter().zip(&events) {
                assert_eq!(a.name, b.name);
                assert!((a.time - b.time).abs() < 1e-5, "{a:?} {b:?}");
            }
        }
        let trc = write_markers(&markers, Format::Trc, &WriteOptions::default()).unwrap();
        assert_eq!(trc.warnings.len(), 1);
        assert_eq!(trc.warnings[0].code(), "clip::events-left-out");
    }
    let markers = recording(in_unit(1.0), 1.0).with_events(vec![event(0.01, "Clap")]).unwrap();
    let options = ReadOptions { fps: Some(50.0), ..ReadOptions::default() };
    for format in [Format::C3d, Format::Npz] {
        let slow = read(&written(&markers, format), &options).unwrap().value;
        let slow = slow.markers().unwrap();
        assert_eq!(slow.rate().fps(), 50.0);
        assert!((slow.events()[0].time - 0.02).abs() < 1e-6, "events stay at their frames");
    }
}

#[test]
fn events_count_from_the_start_of_the_trial() {
    let event = |time: f64| Event { time, name: "Left Foot Strike".into() };
    let times = |bytes: &[u8]| -> Vec<f64> {
        let read = c3d::parse(bytes, &c3d::Options::default()).unwrap();
        read.value.events().iter().map(|event| (event.time * 1e4).round() / 1e4).collect()
    };
    let first_frame = |markers: &Markers, first: u16| {
        let mut bytes = written(markers, Format::C3d);
        let at = bytes.windows(18).position(|window| window == b"ACTUAL_START_FIELD").unwrap() + 18;
        // Behind the distance to the next entry, type, and one length.
        bytes[at + 5..at + 7].copy_from_slice(&first.to_le_bytes());
        let end = bytes.windows(16).position(|window| window == b"ACTUAL_END_FIELD").unwrap() + 16;
        bytes[end + 5..end + 7].copy_from_slice(&(first + 1).to_le_bytes());
        bytes
    };
    let of_trial = recording(in_unit(1.0), 1.0).with_events(vec![event(0.39), event(0.4)]).unwrap();
    assert_eq!(times(&first_frame(&of_trial, 40)), [0.0, 0.01]);
    let of_rest = recording(in_unit(1.0), 1.0).with_events(vec![event(0.0), event(0.01)]).unwrap();
    assert_eq!(times(&first_frame(&of_rest, 40)), [0.0, 0.01]);
}

#[test]
fn events_of_the_header_are_read_where_there_is_no_group() {
    let mut bytes = written(&recording(in_unit(1.0), 1.0), Format::C3d);
    bytes[298..302].copy_from_slice(&[0x39, 0x30, 2, 0]);
    for (at, (time, label)) in [(0.01f32, b"RHS "), (0.0, b"LTO ")].into_iter().enumerate() {
        bytes[304 + 4 * at..308 + 4 * at].copy_from_slice(&time.to_le_bytes());
        bytes[396 + 4 * at..400 + 4 * at].copy_from_slice(label);
    }
    let read = c3d::parse(&bytes, &c3d::Options::default()).unwrap();
    let names: Vec<&str> = read.value.events().iter().map(|event| event.name.as_str()).collect();
    assert_eq!(names, ["RHS", "LTO"]);
    // A count without times.
    let markers = recording(in_unit(1.0), 1.0);
    let markers = markers.with_events(vec![Event { time: 0.0, name: "Clap".into() }]).unwrap();
    let mut bytes = written(&markers, Format::C3d);
    let at = bytes.windows(11).position(|window| window == b"EVENT\x03\x00\x00\x04\x03U").unwrap();
    bytes[at + 18] = 3;
    let read = c3d::parse(&bytes, &c3d::Options::default()).unwrap();
    assert_eq!((read.value.events().len(), read.warnings[0].code()), (1, "c3d::events"));
}

#[test]
fn names_of_markers_in_arrays_that_are_equal_get_numbers_with_a_warning() {
    let rate = FrameRate::new(100.0).unwrap();
    let names = vec!["LANK".to_owned(), "RANK".to_owned()];
    let markers = Markers::new(in_unit(1.0), rate, 1, names, vec![Some(Vector3::x()), None]).unwrap();
    let bytes = written(&markers, Format::Safetensors);
    let mut bytes = bytes;
    while let Some(at) = bytes.windows(4).position(|window| window == b"RANK") {
        bytes[at] = b'L';
    }
    let document = read(&bytes, &ReadOptions::default()).unwrap();
    let codes: Vec<&str> = document.warnings.iter().map(|warning| warning.code()).collect();
    assert_eq!(codes, ["arrays::duplicate-name"]);
    let names = document.value.markers().unwrap().names().to_vec();
    assert_eq!((names[0].as_str(), names[1] != "LANK"), ("LANK", true));
}
