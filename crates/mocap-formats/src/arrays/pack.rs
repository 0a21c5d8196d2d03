//! Clips of one skeleton in one set of arrays, one after the other.

use super::array::push;
use super::{Array, Arrays, Data, Problem};
use crate::Finding;

/// Arrays with one row per frame.
const PER_FRAME: [&str; 12] = [
    "rotations",
    "root_translation",
    "root_translation_ulps",
    "translations",
    "translations_ulps",
    "scales",
    "scalars",
    "positions",
    "velocities",
    "heading",
    "planar_velocity",
    "contacts",
];

/// Arrays that must be equal in all clips of a set.
const COMMON: [&str; 10] = [
    "names",
    "parents",
    "end_site_parents",
    "up",
    "fps",
    "rotation_format",
    "euler_orders",
    "scalar_names",
    "window",
    "roles",
];

/// Whether an array has one row per frame.
pub fn is_per_frame(name: &str) -> bool {
    PER_FRAME.contains(&name)
}

/// The arrays of a clip without those that have one row per frame: what [`check_common`] compares.
pub fn of_skeleton(arrays: &Arrays) -> Arrays {
    let mut common = Arrays::default();
    for (name, array) in arrays.iter().filter(|(name, _)| COMMON.contains(name) || *name == "metres_per_unit")
    {
        common.insert(name, array.clone());
    }
    common
}

/// Checks that a clip can be packed with another: names, tree, axes, rate and encoding are the same, and the unit is
/// known of both or of neither.
///
/// # Errors
/// With the name of the array that differs.
pub fn check_common(reference: &Arrays, other: &Arrays) -> Result<(), Finding> {
    match uncommon(reference, other) {
        Some(name) => Err(Finding::new(Problem::OfAnotherSet { name: name.to_owned() })),
        None => Ok(()),
    }
}

/// The array that keeps a clip from being packed with another.
fn uncommon(reference: &Arrays, other: &Arrays) -> Option<&'static str> {
    if let Some(name) = COMMON.into_iter().find(|name| reference.get(name) != other.get(name)) {
        return Some(name);
    }
    let known = |arrays: &Arrays| {
        let unit = arrays.get("metres_per_unit").and_then(|array| array.data.number(0));
        unit.is_some_and(|unit| !unit.is_nan())
    };
    (known(reference) != known(other)).then_some("metres_per_unit")
}

/// The clips as one set: arrays with one row per frame are concatenated, `clip_starts` (clips + 1,) and `clip_names`
/// say which rows are whose; other arrays that differ between the clips (offsets, the text of the skeleton) get a
/// leading axis of clips.
///
/// # Errors
/// Where clips are not of one skeleton: see [`check_common`]. Where a clip lacks an array that every motion has, or that
/// another clip has and nothing stands for, and where arrays of one name have other types or lengths in two clips.
pub fn pack(mut clips: Vec<(String, Arrays)>) -> Result<Arrays, Finding> {
    let Some(reference) = clips.first().map(|(_, arrays)| of_skeleton(arrays)) else {
        return Ok(Arrays::default());
    };
    for (clip, arrays) in &clips {
        if let Some(name) = uncommon(&reference, arrays) {
            return Err(of_clip(clip, Problem::OfAnotherSet { name: name.to_owned() }));
        }
    }
    clips.iter().try_for_each(check_motion)?;
    complete(&mut clips);
    check_alike(&clips)?;
    let mut packed = Arrays::default();
    let (names, frames): (Vec<String>, Vec<usize>) =
        clips.iter().map(|(name, arrays)| (name.clone(), frames(arrays))).unzip();
    let mut starts = vec![0i64];
    frames.iter().for_each(|frames| starts.push(starts[starts.len() - 1] + *frames as i64));
    let mut all: Vec<String> = Vec::new();
    for (_, arrays) in &clips {
        let new = arrays.iter().map(|(name, _)| name).filter(|name| !all.iter().any(|known| known == name));
        let new: Vec<String> = new.map(str::to_owned).collect();
        all.extend(new);
    }
    for name in all {
        let of_clips: Vec<Option<Array>> = clips.iter_mut().map(|(_, arrays)| arrays.remove(&name)).collect();
        match name.as_str() {
            "clip_name" => {}
            "window_starts" => {
                let moved =
                    of_clips.iter().zip(&starts).flat_map(|(array, start)| shifted(array.as_ref(), *start));
                let moved: Vec<i64> = moved.collect();
                packed.insert(name, Array::new([moved.len()], Data::I64(moved)));
            }
            "event_times" | "event_names" => {
                if name == "event_times" {
                    let counts =
                        of_clips.iter().map(|array| array.as_ref().map_or(0, |array| array.data.len()));
                    let clips =
                        counts.enumerate().flat_map(|(clip, count)| std::iter::repeat_n(clip as i64, count));
                    let clips: Vec<i64> = clips.collect();
                    packed.insert("event_clips", Array::new([clips.len()], Data::I64(clips)));
                }
                packed.insert(name, joined(of_clips.into_iter().flatten()));
            }
            _ if is_per_frame(&name) => packed.insert(name, joined(of_clips.into_iter().flatten())),
            _ => packed.insert(name, stacked(of_clips)),
        }
    }
    packed.insert("clip_starts", Array::new([starts.len()], Data::I64(starts)));
    packed.insert("clip_names", Array::texts(names));
    Ok(packed)
}

/// Arrays without which a clip is not a motion: the axes of each.
const MOTION: [(&str, usize); 3] = [("rotations", 3), ("root_translation", 2), ("offsets", 2)];

/// Arrays that a clip may lack although another one has them.
const OPTIONAL: [&str; 3] = ["clip_name", "event_times", "event_names"];

/// Checks that a clip has the arrays that [`complete`] takes values from.
fn check_motion((clip, arrays): &(String, Arrays)) -> Result<(), Finding> {
    for (name, axes) in MOTION {
        let Some(array) = arrays.get(name) else {
            let found: Vec<&str> = arrays.iter().map(|(name, _)| name).collect();
            let (path, found) = (name.to_owned(), found.join(", "));
            return Err(of_clip(clip, Problem::Missing { path, found }));
        };
        // Rotations as matrices have an axis more.
        if array.shape.len() < axes {
            let (path, found, expected) = (name.to_owned(), array.shape.clone(), format!("{axes} axes"));
            return Err(of_clip(clip, Problem::Shape { path, found, expected }));
        }
    }
    Ok(())
}

/// Checks that the arrays of a name can be put together: all clips have it, in one type; arrays with one row per frame
/// have as many as the clip has frames, and differ in nothing else; all others have one shape.
fn check_alike(clips: &[(String, Arrays)]) -> Result<(), Finding> {
    let mut firsts: Vec<(&str, &Array)> = Vec::new();
    for (_, arrays) in clips {
        let new = arrays.iter().filter(|(name, _)| !firsts.iter().any(|(known, _)| known == name));
        let new: Vec<(&str, &Array)> = new.collect();
        firsts.extend(new);
    }
    for (name, first) in firsts {
        let rows = is_per_frame(name);
        let free = usize::from(rows || name == "window_starts" || OPTIONAL.contains(&name));
        for (clip, arrays) in clips {
            let differs = || of_clip(clip, Problem::OfAnotherSet { name: name.to_owned() });
            let Some(array) = arrays.get(name) else {
                if OPTIONAL.contains(&name) {
                    continue;
                }
                return Err(differs());
            };
            if array.data.kind() != first.data.kind()
                || array.shape.len() != first.shape.len()
                || array.shape.iter().skip(free).ne(first.shape.iter().skip(free))
                || array.shape.iter().product::<usize>() != array.data.len()
            {
                return Err(differs());
            }
            if rows && array.shape.first() != Some(&frames(arrays)) {
                let (path, found) = (name.to_owned(), array.shape.clone());
                let expected = format!("one row for each of {} frames", frames(arrays));
                return Err(of_clip(clip, Problem::Shape { path, found, expected }));
            }
        }
    }
    Ok(())
}

fn of_clip(clip: &str, problem: Problem) -> Finding {
    Finding::new(Problem::OfClip { clip: clip.to_owned(), problem: Box::new(problem) })
}

/// The number of frames of a clip.
fn frames(arrays: &Arrays) -> usize {
    arrays.get("rotations").map_or(0, |array| array.shape[0])
}

fn shifted(array: Option<&Array>, start: i64) -> Vec<i64> {
    match array.map(|array| &array.data) {
        Some(Data::I64(values)) => values.iter().map(|value| value + start).collect(),
        _ => Vec::new(),
    }
}

/// Arrays one after the other along their first axis; they passed [`check_alike`].
fn joined(arrays: impl Iterator<Item = Array>) -> Array {
    let mut arrays = arrays;
    let mut all = arrays.next().expect("a clip has the array");
    for array in arrays {
        all.shape[0] += array.shape[0];
        assert!(all.data.append(&array.data), "arrays of a set have one type");
    }
    all
}

/// The array itself where it is equal in all clips, else all of them along a new first axis. All
/// clips have it in one shape: [`check_alike`].
fn stacked(arrays: Vec<Option<Array>>) -> Array {
    let clips = arrays.len();
    let first = arrays[0].clone().unwrap_or_else(|| Array::texts(Vec::new()));
    // NaN is equal to itself here.
    let same = |array: &Option<Array>| format!("{:?}", array.as_ref()) == format!("{:?}", Some(&first));
    if arrays.iter().all(same) {
        return first;
    }
    let mut shape = vec![clips];
    shape.extend(&first.shape);
    let mut data = first.data.clone();
    for array in arrays.iter().skip(1).flatten() {
        data.append(&array.data);
    }
    Array::new(shape, data)
}

/// Adds to all clips the arrays that some of them have: local translations, scales, and the bits that rounding lost.
/// Foot contacts are left out unless every clip has them.
fn complete(clips: &mut [(String, Arrays)]) {
    let some =
        |clips: &[(String, Arrays)], name: &str| clips.iter().any(|(_, arrays)| arrays.get(name).is_some());
    if clips.iter().any(|(_, arrays)| arrays.get("contacts").is_none()) {
        clips.iter_mut().for_each(|(_, arrays)| drop(arrays.remove("contacts")));
    }
    if some(clips, "translations") {
        clips.iter_mut().for_each(|(_, arrays)| with_translations(arrays));
    }
    if some(clips, "scales") {
        for (_, arrays) in clips.iter_mut().filter(|(_, arrays)| arrays.get("scales").is_none()) {
            let shape = lengths(arrays);
            let mut ones = floats_like(arrays, shape.iter().product());
            push(&mut ones, &vec![1.0; shape.iter().product()]);
            let joints = shape[1];
            arrays.insert("scales", Array::new(shape, ones));
            arrays.insert("scaled", Array::new([joints], Data::Bool(vec![false; joints])));
        }
    }
    for (name, of) in [("root_translation_ulps", "root_translation"), ("translations_ulps", "translations")] {
        if !some(clips, name) {
            continue;
        }
        for (_, arrays) in clips.iter_mut().filter(|(_, arrays)| arrays.get(name).is_none()) {
            let shape = arrays.get(of).expect("a clip has translations").shape.clone();
            let none = Data::I8(vec![0; shape.iter().product()]);
            arrays.insert(name, Array::new(shape, none));
        }
    }
}

/// The shape (frames, joints, 3).
fn lengths(arrays: &Arrays) -> Vec<usize> {
    let rotations = &arrays.get("rotations").expect("a clip has rotations").shape;
    vec![rotations[0], rotations[1], 3]
}

fn floats_like(arrays: &Arrays, capacity: usize) -> Data {
    match arrays.get("root_translation").map(|array| &array.data) {
        Some(Data::F64(_)) => Data::F64(Vec::with_capacity(capacity)),
        _ => Data::F32(Vec::with_capacity(capacity)),
    }
}

/// Adds local translations: the root as it moves, all others at their offsets.
fn with_translations(arrays: &mut Arrays) {
    if arrays.get("translations").is_some() {
        return;
    }
    let shape = lengths(arrays);
    let mut values = floats_like(arrays, shape.iter().product());
    let numbers = |name: &str| arrays.get(name).expect("a clip has it");
    let (root, offsets) = (numbers("root_translation"), numbers("offsets"));
    for frame in 0..shape[0] {
        for joint in 0..shape[1] {
            let (of, at) = if joint == 0 { (root, frame) } else { (offsets, joint) };
            let value = |axis: usize| of.data.number(3 * at + axis).unwrap_or(0.0);
            push(&mut values, &[value(0), value(1), value(2)]);
        }
    }
    arrays.insert("translations", Array::new(shape, values));
}

/// One clip of a set; `None` where it has fewer clips, or is not a set.
pub fn unpack(packed: &Arrays, clip: usize) -> Option<Arrays> {
    let Data::I64(starts) = &packed.get("clip_starts")?.data else { return None };
    let (start, end) = (*starts.get(clip)?, *starts.get(clip + 1)?);
    let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
    let clips = starts.len() - 1;
    let mut arrays = Arrays::default();
    for (name, array) in packed.iter() {
        let rows = array.shape.first().copied().unwrap_or(0);
        let part = match name {
            "clip_starts" | "window_starts" | "window" | "event_clips" | "event_times" | "event_names" => {
                continue;
            }
            "clip_names" => {
                let Data::Text(names) = &array.data else { return None };
                arrays.insert("clip_name", Array::text(names.get(clip)?));
                continue;
            }
            _ if is_per_frame(name) => {
                if start > end || end > rows {
                    return None;
                }
                rows_of(array, start..end)
            }
            _ if COMMON.contains(&name) => array.clone(),
            _ if rows == clips && array.shape.len() == usual_axes(name) + 1 => {
                let mut one = rows_of(array, clip..clip + 1);
                one.shape.remove(0);
                one
            }
            _ => array.clone(),
        };
        arrays.insert(name, part);
    }
    events(packed, clip, &mut arrays);
    Some(arrays)
}

/// The events of a clip of a set.
fn events(packed: &Arrays, clip: usize, arrays: &mut Arrays) {
    let of = |name: &str| packed.get(name).map(|array| &array.data);
    if let (Some(Data::I64(clips)), Some(Data::F64(times)), Some(Data::Text(names))) =
        (of("event_clips"), of("event_times"), of("event_names"))
    {
        let mine = || clips.iter().enumerate().filter(|(_, of)| **of == clip as i64).map(|(at, _)| at);
        let times: Vec<f64> = mine().filter_map(|at| times.get(at).copied()).collect();
        let names: Vec<String> = mine().filter_map(|at| names.get(at).cloned()).collect();
        arrays.insert("event_times", Array::new([times.len()], Data::F64(times)));
        arrays.insert("event_names", Array::texts(names));
    }
}

/// The axes of an array of one clip that can differ between the clips of a set.
fn usual_axes(name: &str) -> usize {
    match name {
        "offsets" | "rest_rotations" | "end_site_offsets" => 2,
        "translated" | "scaled" => 1,
        _ => 0,
    }
}

/// Some rows of an array.
fn rows_of(array: &Array, rows: std::ops::Range<usize>) -> Array {
    let width: usize = array.shape[1..].iter().product();
    let values = rows.start * width..rows.end * width;
    let data = match &array.data {
        Data::F32(all) => Data::F32(all[values].to_vec()),
        Data::F64(all) => Data::F64(all[values].to_vec()),
        Data::I8(all) => Data::I8(all[values].to_vec()),
        Data::I32(all) => Data::I32(all[values].to_vec()),
        Data::I64(all) => Data::I64(all[values].to_vec()),
        Data::Bool(all) => Data::Bool(all[values].to_vec()),
        Data::Text(all) => Data::Text(all[values].to_vec()),
    };
    let mut shape = array.shape.clone();
    shape[0] = rows.len();
    Array::new(shape, data)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::{ArrayOptions, of_clip};

    type Change = fn(&mut Arrays);

    #[test]
    fn clips_that_cannot_be_packed_are_refused() {
        let wave = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let arrays = || of_clip(&wave, &ArrayOptions::default());
        assert!(pack(vec![("a".into(), arrays()), ("b".into(), arrays())]).is_ok());
        let scalars: Change = |arrays| {
            let frames = frames(arrays);
            arrays.insert("velocities", Array::new([frames, 1], Data::F32(vec![0.0; frames])));
        };
        let changes: [(Change, &str); 7] = [
            (|arrays| drop(arrays.remove("offsets")), "arrays::missing"),
            (|arrays| drop(arrays.remove("rotations")), "arrays::missing"),
            (|arrays| drop(arrays.remove("skeleton")), "arrays::of-another-set"),
            (|arrays| arrays.insert("rest_rotations", Array::scalar(0.0)), "arrays::of-another-set"),
            (|arrays| arrays.insert("mass", Array::scalar(70.0)), "arrays::of-another-set"),
            (scalars, "arrays::of-another-set"),
            (
                |arrays| arrays.insert("root_translation", Array::new([1, 3], Data::F32(vec![0.0; 3]))),
                "arrays::shape",
            ),
        ];
        for (number, (change, code)) in changes.into_iter().enumerate() {
            for first in [true, false] {
                let (mut changed, other) = (arrays(), arrays());
                change(&mut changed);
                let pair = if first { [changed, other] } else { [other, changed] };
                let named = pair.into_iter().map(|arrays| ("clip".to_owned(), arrays)).collect();
                assert_eq!(pack(named).unwrap_err().code(), code, "change {number}, first: {first}");
            }
        }
    }
}
