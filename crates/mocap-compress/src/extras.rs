//! Contents of a clip besides rotations and translations: name, events, scalar tracks, and scales of joints.
//!
//! Values are multiples of a step: as differences from frame to frame (the step is twice the
//! bound), or as straight lines between knots (a quarter of the bound), whichever is smaller.
//! Without a bound, and where the multiples would be too large, they are stored exactly.

use crate::knots;
use crate::wire::{Malformed, Reader};
#[cfg(feature = "encode")]
use crate::wire::{put_float, put_number, put_text};
use mocap_model::{Annotations, Clip, Event, ScalarTrack, Track, Vector3};

/// The scales of joints that have some.
pub(crate) type Scales = Vec<(usize, Track<Vector3<f64>>)>;

/// Forms of a scalar track: constant, in steps, exact, or lines between knots.
const CONSTANT: u8 = 0;
const STEPS: u8 = 1;
const BITS: u8 = 2;
const KNOTS: u8 = 3;
/// The largest multiple of a step.
#[cfg(feature = "encode")]
const MOST_STEPS: f64 = 9e15;

/// The section as bytes; `None` where there is nothing to keep.
#[cfg(feature = "encode")]
pub(crate) fn describe(clip: &Clip, error: f64) -> Option<Vec<u8>> {
    let Annotations { name, scalars, events } = clip.annotations();
    if name.is_empty() && scalars.is_empty() && events.is_empty() && !clip.has_scale() {
        return None;
    }
    let mut bytes = Vec::new();
    put_text(&mut bytes, name);
    put_number(&mut bytes, events.len() as u64);
    for event in events {
        put_float(&mut bytes, event.time);
        put_text(&mut bytes, &event.name);
    }
    put_number(&mut bytes, scalars.len() as u64);
    for track in scalars {
        put_text(&mut bytes, &track.name);
        put_values(&mut bytes, track.values.values(), error);
    }
    let scaled =
        clip.tracks().iter().enumerate().filter_map(|(at, tracks)| Some((at, tracks.scale.as_ref()?)));
    let scaled: Vec<_> = scaled.collect();
    put_number(&mut bytes, scaled.len() as u64);
    for (joint, track) in scaled {
        put_number(&mut bytes, joint as u64);
        for axis in 0..3 {
            let values: Vec<f64> = track.values().iter().map(|value| value[axis]).collect();
            put_values(&mut bytes, &values, error);
        }
    }
    Some(bytes)
}

#[cfg(feature = "encode")]
fn put_values(bytes: &mut Vec<u8>, values: &[f64], error: f64) {
    // Rounding uses a little of the bound.
    let step = 2.0 * error * (1.0 - 1e-6);
    let in_steps = |value: &f64| {
        (value / step).abs() < MOST_STEPS && ((value / step).round() * step - value).abs() <= error
    };
    if values.iter().all(|value| value.to_bits() == values[0].to_bits()) {
        bytes.push(CONSTANT);
        put_float(bytes, values.first().copied().unwrap_or(0.0));
    } else if error > 0.0 && values.iter().all(in_steps) {
        let mut steps = Vec::new();
        let mut before = 0;
        for value in values {
            let whole = (value / step).round() as i64;
            let difference = whole - before;
            put_number(&mut steps, (difference << 1 ^ difference >> 63) as u64);
            before = whole;
        }
        let (kind, step, content) = match knots::put(values, error) {
            Some((step, knots)) if knots.len() < steps.len() => (KNOTS, step, knots),
            _ => (STEPS, step, steps),
        };
        bytes.push(kind);
        put_float(bytes, step);
        bytes.extend(content);
    } else {
        bytes.push(BITS);
        values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
    }
}

/// Reads the section of a clip of so many frames and joints.
pub(crate) fn parse(bytes: &[u8], frames: usize, joints: usize) -> Result<(Annotations, Scales), Malformed> {
    let mut reader = Reader::new(bytes);
    let name = reader.text("a name")?;
    let mut annotations = Annotations { name, ..Annotations::default() };
    // Every item takes a byte at least.
    let most = bytes.len() as u64;
    for _ in 0..reader.number(most, "a number of events")? {
        let time = reader.float("a time")?;
        annotations.events.push(Event { time, name: reader.text("the name of an event")? });
    }
    for _ in 0..reader.number(most, "a number of tracks")? {
        let name = reader.text("the name of a track")?;
        annotations.scalars.push(ScalarTrack { name, values: values(&mut reader, frames)? });
    }
    let mut scales: Scales = Vec::new();
    for _ in 0..reader.number(most, "a number of scales")? {
        let joint = reader.number(joints as u64, "a joint")? as usize;
        if scales.last().is_some_and(|(before, _)| *before >= joint) {
            return reader.fail("joints in order");
        }
        let axes = [values(&mut reader, frames)?, values(&mut reader, frames)?, values(&mut reader, frames)?];
        let at = |frame: usize| Vector3::new(axes[0].at(frame), axes[1].at(frame), axes[2].at(frame));
        let track = match axes.iter().any(Track::is_sampled) {
            true => Track::Sampled((0..frames).map(at).collect()),
            false => Track::Constant(at(0)),
        };
        scales.push((joint, track));
    }
    if reader.rest() > 0 {
        return reader.fail("the end");
    }
    Ok((annotations, scales))
}

fn values(reader: &mut Reader, frames: usize) -> Result<Track<f64>, Malformed> {
    match reader.byte("a kind of numbers")? {
        CONSTANT => Ok(Track::Constant(reader.float("a number")?)),
        STEPS => {
            let step = reader.float("a step")?;
            let mut whole = 0i64;
            let mut values = Vec::new();
            for _ in 0..frames {
                let code = reader.number(1 << 60, "a number of steps")?;
                whole = whole.wrapping_add((code >> 1) as i64 ^ -((code & 1) as i64));
                let value = whole as f64 * step;
                if !value.is_finite() {
                    return reader.fail("a finite number");
                }
                values.push(value);
            }
            Ok(Track::Sampled(values))
        }
        KNOTS => {
            let step = reader.float("a step")?;
            Ok(Track::Sampled(knots::read(reader, frames, step)?))
        }
        BITS => {
            let mut values = Vec::new();
            for _ in 0..frames {
                let value = f64::from_le_bytes(reader.array("a number")?);
                if !value.is_finite() {
                    return reader.fail("a finite number");
                }
                values.push(value);
            }
            Ok(Track::Sampled(values))
        }
        _ => reader.fail("a known kind of numbers"),
    }
}

/// Adds these contents to the decoded motion.
pub(crate) fn attach(clip: Clip, annotations: &Annotations, scales: &Scales) -> Clip {
    let mut tracks = vec![None; clip.skeleton().len()];
    scales.iter().for_each(|(joint, track)| tracks[*joint] = Some(track.clone()));
    // Scales that the encoder wrote can be removed from translations again.
    let clip = clip.with_scale(tracks).unwrap_or(clip);
    clip.clone().with_annotations(annotations.clone()).unwrap_or(clip)
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use crate::{CompressError, CompressOptions, Compressed, OpenLimits, Section, compress};
    use mocap_model::*;

    /// A wave of somebody who grows and smiles.
    fn clip() -> Clip {
        let clip: Clip = include!("../../../fixtures/wave.rs");
        let frames = clip.frames();
        let growing = |frame: usize| 1.0 + 0.013 * frame as f64;
        let mut tracks = clip.tracks().to_vec();
        tracks[0].scale =
            Some(Track::Sampled((0..frames).map(|at| Vector3::new(growing(at), 1.0, 1.1)).collect()));
        tracks[2].scale = Some(Track::Constant(Vector3::new(0.5, 0.75, 1.25)));
        let smile = (0..frames).map(|frame| (frame as f64 * 0.37).sin()).collect();
        let scalars = vec![
            ScalarTrack { name: "smile".into(), values: Track::Sampled(smile) },
            ScalarTrack { name: "betas[0]".into(), values: Track::Constant(-1.25) },
            ScalarTrack {
                name: "huge".into(),
                values: Track::Sampled((0..frames).map(|at| 1e300 * at as f64).collect()),
            },
        ];
        let events = vec![Event { time: 0.1 + 0.2, name: "step left".into() }];
        let clip = Clip::new(clip.skeleton().clone(), clip.rate(), frames, tracks).unwrap();
        clip.with_annotations(Annotations { name: "wave".into(), scalars, events }).unwrap()
    }

    fn back(clip: &Clip, options: &CompressOptions) -> (Clip, Vec<u8>) {
        let bytes = compress(clip, options).unwrap().bytes;
        (Compressed::open(bytes.clone(), &OpenLimits::default()).unwrap().to_clip(), bytes)
    }

    #[test]
    fn scales_numbers_and_events_come_back_within_their_bound() {
        let clip = clip();
        for track_error in [1e-2, 1e-4, 1e-9, 0.0] {
            let (decoded, _) = back(&clip, &CompressOptions { track_error, ..CompressOptions::default() });
            assert_eq!(decoded.annotations().name, "wave");
            assert_eq!(decoded.annotations().events, clip.annotations().events);
            let both = decoded.annotations().scalars.iter().zip(&clip.annotations().scalars);
            let mut worst: f64 = 0.0;
            for (a, b) in both {
                assert_eq!(a.name, b.name);
                worst = (0..clip.frames())
                    .map(|at| (a.values.at(at) - b.values.at(at)).abs())
                    .fold(worst, f64::max);
            }
            for (a, b) in decoded.tracks().iter().zip(clip.tracks()) {
                assert_eq!(a.scale.is_some(), b.scale.is_some());
                if let (Some(a), Some(b)) = (&a.scale, &b.scale) {
                    worst = (0..clip.frames()).map(|at| (a.at(at) - b.at(at)).amax()).fold(worst, f64::max);
                }
            }
            assert!(worst <= track_error, "{worst} beyond {track_error}");
            assert!(track_error < 1e-3 || worst > track_error / 100.0, "the bound is used: {worst}");
            // Joints keep their positions, whatever happens to the scales.
            let (mut ours, mut theirs) = (ForwardKinematics::new(&clip), ForwardKinematics::new(&decoded));
            let metres = clip.skeleton().space().metres().unwrap();
            for frame in 0..clip.frames() {
                ours.place(frame);
                theirs.place(frame);
                for (id, _) in clip.skeleton().iter() {
                    let off = (ours.position(id) - theirs.position(id)).norm() * metres;
                    assert!(off <= 1.001e-4, "frame {frame}: {off} m");
                }
            }
        }
    }

    #[test]
    fn a_clip_without_extras_has_no_section() {
        let clip = clip();
        let rigid = clip.without_scale().unwrap().into_owned();
        let plain = rigid.with_annotations(Annotations::default()).unwrap();
        let (_, bytes) = back(&plain, &CompressOptions::default());
        assert_eq!(bytes[7], 0, "no flag");
        let (_, larger) = back(&plain.with_name("wave"), &CompressOptions::default());
        assert_eq!(larger[7], 4);
        assert!(larger.len() < bytes.len() + 40, "{} of {}", larger.len(), bytes.len());
    }

    #[test]
    fn damaged_sections_are_refused() {
        let clip = clip();
        let described = super::describe(&clip, 1e-4).unwrap();
        let (frames, joints) = (clip.frames(), clip.skeleton().len());
        assert!(super::parse(&described, frames, joints).is_ok());
        for length in 0..described.len() {
            assert!(super::parse(&described[..length], frames, joints).is_err(), "{length}");
        }
        for at in 0..described.len() {
            for by in [0, 1, 0x7F, 0xFF] {
                let mut bytes = described.clone();
                bytes[at] = by;
                // All bytes must be read or rejected without a panic.
                drop(super::parse(&bytes, frames, joints));
            }
        }
        let (_, mut bytes) = back(&clip, &CompressOptions::default());
        let parts =
            crate::container::parts(&bytes, &OpenLimits::default(), crate::container::Verify::All).unwrap();
        bytes[parts.extras.unwrap().start + 3] ^= 1;
        let error = Compressed::open(bytes, &OpenLimits::default()).unwrap_err();
        assert!(matches!(error, CompressError::Checksum { section: Section::Extras, .. }), "{error}");
    }
}
