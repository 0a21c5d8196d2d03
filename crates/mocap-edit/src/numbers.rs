//! Scalar tracks, such as the weights of shapes, in edits of motions.

use std::collections::HashMap;
use std::ops::Range;

use mocap_model::{Clip, ScalarTrack, Track, mirrored_shape};

use crate::frame_values::{collapsed, expanded};
use crate::mask::Mask;
use crate::monotone_curve::monotone;

/// Scalar tracks sampled at places between frames \[frames\]. Between two frames a value stays between those of the
/// frames, so that weights of shapes stay in their range.
pub(crate) fn at_places(scalars: &[ScalarTrack], places: &[f64]) -> Vec<ScalarTrack> {
    let moved = |track: &ScalarTrack| {
        let values = match &track.values {
            Track::Sampled(values) if values.len() > 1 => {
                let keys: Vec<(f64, f64)> =
                    values.iter().enumerate().map(|(frame, value)| (frame as f64, *value)).collect();
                let curve = monotone(keys);
                collapsed(places.iter().map(|place| curve(*place)).collect(), values[0])
            }
            other => Track::Constant(other.at(0)),
        };
        ScalarTrack { name: track.name.clone(), values }
    };
    scalars.iter().map(moved).collect()
}

/// The concatenated scalar tracks of two motions. A track that one of them lacks is 0 there, the weight of a shape at
/// rest.
pub(crate) fn joined(first: (&[ScalarTrack], usize), next: (&[ScalarTrack], usize)) -> Vec<ScalarTrack> {
    let named = |of: &[ScalarTrack], name: &str| {
        of.iter().find(|track| track.name == name).map(|of| of.values.clone())
    };
    let values = |(of, frames): (&[ScalarTrack], usize), name: &str| {
        let mut values = expanded(named(of, name).unwrap_or(Track::Constant(0.0)), frames);
        let last = values.last().copied().unwrap_or(0.0);
        values.resize(frames, last);
        values
    };
    let join = |track: &ScalarTrack| {
        let one = named(first.0, &track.name);
        let values = match (&one, named(next.0, &track.name)) {
            (Some(Track::Constant(one)), Some(Track::Constant(other))) if *one == other => {
                Track::Constant(other)
            }
            _ => {
                let both = [values(first, &track.name), values(next, &track.name)].concat();
                collapsed(both, 0.0)
            }
        };
        ScalarTrack { name: track.name.clone(), values }
    };
    let only_next = next.0.iter().filter(|track| named(first.0, &track.name).is_none());
    first.0.iter().chain(only_next).map(join).collect()
}

/// The scalar tracks of a range of frames.
pub(crate) fn cut(scalars: &[ScalarTrack], range: Range<usize>) -> Vec<ScalarTrack> {
    let cut = |track: &ScalarTrack| {
        let values = match &track.values {
            Track::Sampled(values) => collapsed(
                values.get(range.clone()).map(<[f64]>::to_vec).unwrap_or_default(),
                values.last().copied().unwrap_or(0.0),
            ),
            Track::Constant(value) => Track::Constant(*value),
        };
        ScalarTrack { name: track.name.clone(), values }
    };
    scalars.iter().map(cut).collect()
}

/// The result of swapping scalar tracks whose names have a side.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Swapped {
    pub(crate) pairs: usize,
    /// Names with a side that lack a counterpart.
    pub(crate) single: Vec<String>,
}

/// Swaps the values of scalar tracks whose names differ only in their sides.
pub(crate) fn mirror(scalars: &mut [ScalarTrack]) -> Swapped {
    let places: HashMap<String, usize> =
        scalars.iter().enumerate().map(|(at, track)| (track.name.clone(), at)).collect();
    let mut swapped = Swapped::default();
    for at in 0..scalars.len() {
        let Some(other) = mirrored_shape(&scalars[at].name) else { continue };
        match places.get(&other) {
            Some(other) if *other > at => {
                let (front, back) = scalars.split_at_mut(*other);
                std::mem::swap(&mut front[at].values, &mut back[0].values);
                swapped.pairs += 1;
            }
            Some(_) => {}
            None => swapped.single.push(scalars[at].name.clone()),
        }
    }
    swapped
}

/// A name without its mesh, letters in lower case.
fn short(name: &str) -> String {
    name.rsplit(['.', '|', ':', '/']).next().unwrap_or(name).to_lowercase()
}

/// A pose or motion whose scalar tracks are added.
pub(crate) struct Added<'a> {
    pub(crate) layer: &'a Clip,
    /// Its frames per frame of the motion.
    pub(crate) step: f64,
    pub(crate) weight: f64,
    pub(crate) mask: Option<&'a Mask>,
}

/// Adds weight × (layer − reference) to scalar tracks: the reference of a motion is its first
/// frame, that of a pose is 0. After the end of the layer its last frame holds. Missing tracks are
/// created from 0. Returns how many were added.
pub(crate) fn add(scalars: &mut Vec<ScalarTrack>, frames: usize, added: &Added<'_>) -> usize {
    let Added { layer, step, weight, mask } = added;
    let last = layer.frames().saturating_sub(1);
    let places: Vec<f64> = (0..frames).map(|frame| (frame as f64 * step).min(last as f64)).collect();
    let mut count = 0;
    for track in &layer.annotations().scalars {
        let share = weight * mask.map_or(1.0, |mask| mask.share_of_number(&track.name));
        let still = last > 0 && !track.values.is_sampled();
        if share == 0.0 || still || layer.frames() == 0 {
            continue;
        }
        let reference = if last == 0 { 0.0 } else { track.values.at(0) };
        let at = at_places(std::slice::from_ref(track), &places).remove(0).values;
        let known = scalars
            .iter()
            .position(|own| own.name == track.name)
            .or_else(|| scalars.iter().position(|own| short(&own.name) == short(&track.name)));
        let own = known.unwrap_or_else(|| {
            scalars.push(ScalarTrack { name: track.name.clone(), values: Track::Constant(0.0) });
            scalars.len() - 1
        });
        let mut values = expanded(scalars[own].values.clone(), frames);
        for (frame, value) in values.iter_mut().enumerate() {
            *value += share * (at.at(frame) - reference);
        }
        scalars[own].values = collapsed(values, 0.0);
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::{Layer, add as add_layer, mirror as mirror_clip, speed};
    use mocap_model::Annotations;

    /// A walk with a blink of the left eye (9 frames around frame 20) and a jaw that opens at constant speed.
    fn face() -> Clip {
        let walk = clip("alex_walk.bvh");
        let frames = walk.frames();
        let blink = |frame: usize| (1.0 - (frame as f64 - 20.0).abs() / 5.0).max(0.0);
        let jaw = |frame: usize| frame as f64 / frames as f64;
        let track = |name: &str, values| ScalarTrack { name: name.into(), values };
        let scalars = vec![
            track("Face.eyeBlinkLeft", Track::Sampled((0..frames).map(blink).collect())),
            track("Face.eyeBlinkRight", Track::Constant(0.25)),
            track("Face.jawOpen", Track::Sampled((0..frames).map(jaw).collect())),
            track("Face.earLeft", Track::Constant(0.5)),
        ];
        walk.with_annotations(Annotations { scalars, ..Annotations::default() }).unwrap()
    }

    fn values<'a>(clip: &'a Clip, name: &str) -> &'a Track<f64> {
        &clip.annotations().scalars.iter().find(|track| track.name == name).unwrap().values
    }

    #[test]
    fn repetitions_and_joins_go_on_with_the_face() {
        let face = face();
        let twice = crate::repeat(&face, 2).unwrap().0;
        let frames = face.frames();
        for frame in [5, 20] {
            for again in [frame, frame + frames - 1] {
                assert_eq!(values(&twice, "Face.jawOpen").at(again), values(&face, "Face.jawOpen").at(frame));
            }
        }
        assert_eq!(values(&twice, "Face.earLeft"), &Track::Constant(0.5));
        let bare = clip("alex_walk.bvh");
        let both = joined((&face.annotations().scalars, frames), (&bare.annotations().scalars, 10));
        assert_eq!(
            (both[2].values.at(frames - 1), both[2].values.at(frames)),
            (values(&face, "Face.jawOpen").at(frames - 1), 0.0)
        );
    }

    /// As in `mocap edit`: a sequence of edits, with lead-in frames.
    #[test]
    fn a_sequence_of_edits_keeps_what_they_do_to_shapes() {
        let face = face();
        for lead_in in [0, 1] {
            let options = crate::ApplyOptions { lead_in, ..crate::ApplyOptions::default() };
            let smooth = crate::edits::Denoise {
                denoise: Some(crate::Denoise::Gaussian { sigma: 0.05 }),
                poses: None,
            };
            let edits = [crate::edits::Mirror::default().into(), smooth.into()];
            let made = crate::apply(face.clone(), &edits, &options).unwrap().clip;
            assert_eq!(values(&made, "Face.eyeBlinkLeft"), &Track::Constant(0.25));
            let shut = values(&made, "Face.eyeBlinkRight").at(20);
            assert!((0.1..0.999).contains(&shut), "{lead_in}: {shut}");
        }
    }

    #[test]
    fn a_slower_face_blinks_later_and_never_leaves_the_values_of_its_frames() {
        let face = face();
        let slow = speed(&face, 0.4).unwrap().0;
        let blink = values(&slow, "Face.eyeBlinkLeft");
        assert_eq!(blink.values().len(), slow.frames());
        assert!(blink.values().iter().all(|value| (0.0..=1.0).contains(value)));
        assert_eq!((blink.at(50), blink.at(10)), (1.0, 0.0));
        assert_eq!(values(&slow, "Face.eyeBlinkRight"), &Track::Constant(0.25));
        let again = speed(&speed(&face, 0.5).unwrap().0, 2.0).unwrap().0;
        for (a, b) in again.annotations().scalars.iter().zip(&face.annotations().scalars) {
            for frame in 0..face.frames() {
                assert!((a.values.at(frame) - b.values.at(frame)).abs() < 1e-9, "{} {frame}", a.name);
            }
        }
    }

    #[test]
    fn a_mirror_swaps_the_sides_of_shapes_and_twice_is_the_face() {
        let face = face();
        let (mirrored, report) = mirror_clip(&face).unwrap();
        assert_eq!(values(&mirrored, "Face.eyeBlinkRight"), values(&face, "Face.eyeBlinkLeft"));
        assert_eq!(values(&mirrored, "Face.eyeBlinkLeft"), &Track::Constant(0.25));
        assert_eq!(values(&mirrored, "Face.jawOpen"), values(&face, "Face.jawOpen"));
        assert!(report.warnings.iter().any(|warning| warning.message.contains("Face.earLeft")));
        assert_eq!(mirror_clip(&mirrored).unwrap().0.annotations(), face.annotations());
    }

    #[test]
    fn a_layer_adds_its_change_and_a_pose_its_weights() {
        let face = face();
        let half = Layer { weight: 0.5, ..Layer::new(face.clone()) };
        let (more, report) = add_layer(&face, &half).unwrap();
        let jaw = |clip: &Clip, frame| values(clip, "Face.jawOpen").at(frame);
        for frame in [0, 7, face.frames() - 1] {
            assert!((jaw(&more, frame) - 1.5 * jaw(&face, frame)).abs() < 1e-12);
        }
        // A track at rest adds nothing.
        assert_eq!(values(&more, "Face.eyeBlinkRight"), &Track::Constant(0.25));
        assert!(report.notes.iter().any(|note| note.contains("2 shapes")), "{:?}", report.notes);
        let smile = |name: &str| {
            let pose = face.trimmed(0..1).unwrap();
            let scalars = vec![ScalarTrack { name: name.into(), values: Track::Constant(0.8) }];
            pose.with_annotations(Annotations { scalars, ..Annotations::default() }).unwrap()
        };
        // Names from telephones have no prefix of a mesh.
        let (posed, _) = add_layer(&face, &Layer::new(smile("JawOpen"))).unwrap();
        assert!((jaw(&posed, 3) - jaw(&face, 3) - 0.8).abs() < 1e-12);
        let (posed, _) = add_layer(&face, &Layer::new(smile("cheekPuff"))).unwrap();
        assert_eq!(values(&posed, "cheekPuff"), &Track::Constant(0.8));
        let mask = Some("*Hand,eye*".parse().unwrap());
        let (masked, _) = add_layer(&face, &Layer { mask, ..Layer::new(face.clone()) }).unwrap();
        assert_eq!(values(&masked, "Face.jawOpen"), values(&face, "Face.jawOpen"));
        assert_eq!(values(&masked, "Face.eyeBlinkLeft").at(20), 2.0);
    }
}
