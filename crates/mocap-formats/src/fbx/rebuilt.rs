//! Writes a file with other clips: everything in it but its animation stays.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use mocap_model::{Clip, ScalarTrack, Skeleton, Track};
use ufbx::{Element, Scene};

use super::Problem;
use super::animation::{Take, UNNAMED, add_stack, kinds, last, takes_of};
use super::document::Document;
use super::node_values::{NodeValues, node_values};
use super::parse::load_with_records;
use super::record::{Property, Record, property};
use super::records::records;
use super::scene::Scene as Drawing;
use super::take::{Curves, one, three, time_mode};
use super::to_clip::to_skeleton;
use super::write::{CREATION_TIME, FILE_ID, to_bytes_of};
use crate::left_out::{Holds, as_held};
use crate::names::Unique;
use crate::{Encoded, Finding, Kept, LeftOut, ReadOptions, WriteOptions};

/// The oldest version whose objects have numbers.
const OLDEST: u32 = 7000;
/// The records that make up animations.
const ANIMATION: [&str; 4] = ["AnimationStack", "AnimationLayer", "AnimationCurveNode", "AnimationCurve"];

/// The file of a document with these clips as its animation stacks.
///
/// # Errors
/// Where the file cannot be read a second time within the limits.
pub(super) fn rebuilt(document: &Document, clips: &[Clip], options: &WriteOptions) -> Result<Kept, Finding> {
    let read = records(&document.bytes).filter(|(version, _)| *version >= OLDEST);
    let Some((version, mut file)) = read.filter(|_| !document.mirrored) else {
        return Ok(Kept::Not("only binary FBX files of version 7 with right-handed axes keep them"));
    };
    let reading = ReadOptions { limits: options.limits, ..ReadOptions::default() };
    let skeleton = to_skeleton(document, &reading).map_err(|failed| *failed.error)?.value;
    let mut warnings = Vec::new();
    let mut held = Vec::with_capacity(clips.len());
    for clip in clips {
        if let Some(reason) = differs(&skeleton, clip) {
            return Ok(Kept::Not(reason));
        }
        let clip = as_held(Cow::Borrowed(clip), Holds { scalars: true, ..Holds::NOTHING }, &mut warnings)?;
        held.push(in_space_of(clip, &skeleton)?);
    }
    let scene = load_with_records(&document.bytes, &options.limits)?;
    let ids: Option<Vec<i64>> = document
        .tree
        .joints
        .iter()
        .map(|joint| id(&scene.nodes[document.tree.node(joint).node].element))
        .collect();
    let Some(ids) = ids else { return Ok(Kept::Not("the nodes of the file have no numbers")) };
    let mut drawing = without_animation(&mut file);
    let mut names = Unique::default();
    let values: Vec<Vec<NodeValues>> =
        held.iter().map(|clip| node_values(&scene, &document.tree, clip)).collect();
    let moved: Vec<[bool; 2]> = (0..ids.len())
        .map(|joint| [0, 1].map(|i| values.iter().any(|values| values[joint].moves[i])))
        .collect();
    let takes: Vec<Take> = held
        .iter()
        .zip(values)
        .filter(|(clip, _)| clip.frames() > 0)
        .map(|(clip, values)| {
            let name = names.claim(if clip.name().is_empty() { UNNAMED } else { clip.name() });
            let mut driven = Vec::new();
            for ((values, node), moved) in values.into_iter().zip(&ids).zip(&moved) {
                if moved[0] {
                    driven.push((*node, three("Lcl Translation", "T", changing(values.translations))));
                }
                if moved[1] {
                    driven.push((*node, three("Lcl Rotation", "R", changing(values.rotations))));
                }
            }
            let left = numbers(document, &scene, clip, &mut driven);
            if left > 0 {
                warnings.push(Finding::new(LeftOut::Scalars { count: left }));
            }
            add_stack(&mut drawing, clip, name, driven)
        })
        .collect();
    let Some(first) = held.first() else { return Ok(Kept::Not("there is no clip")) };
    finish(&mut file, drawing, &takes, first.rate().fps());
    warnings.dedup();
    let mut encoded = Encoded::from(to_bytes_of(&file, version));
    encoded.warnings = warnings;
    Ok(Kept::Written(encoded))
}

/// The values, reduced to one where all are equal.
fn changing(mut values: Vec<[f64; 3]>) -> Vec<[f64; 3]> {
    if values.iter().all(|value| *value == values[0]) {
        values.truncate(1);
    }
    values
}

/// A clip in the space of the file, where both are known.
fn in_space_of<'c>(clip: Cow<'c, Clip>, skeleton: &Skeleton) -> Result<Cow<'c, Clip>, Finding> {
    let space = clip.skeleton().space();
    if space == skeleton.space() || space.unit.is_none() {
        return Ok(clip);
    }
    let moved = clip.in_space(*skeleton.space());
    Ok(Cow::Owned(moved.map_err(|error| Finding::new(Problem::Clip(error)))?))
}

/// Why a clip cannot move the joints of the file.
fn differs(skeleton: &Skeleton, clip: &Clip) -> Option<&'static str> {
    let (own, other) = (skeleton.joints(), clip.skeleton().joints());
    if own.len() != other.len()
        || own.iter().zip(other).any(|(a, b)| a.name != b.name || a.parent != b.parent)
    {
        return Some("the clip has other joints than the file");
    }
    let ratio = match (skeleton.space().metres(), clip.skeleton().space().metres()) {
        (Some(own), Some(other)) => other / own,
        _ => 1.0,
    };
    if clip.skeleton().growth_without_bones(skeleton).is_some_and(|growth| growth != 1.0) {
        return Some("the clip has another size than the file");
    }
    let same = |a: f64, b: f64| (a - b * ratio).abs() <= 1e-3 * a.max(b * ratio);
    let below = own.iter().zip(other).filter(|(joint, _)| joint.parent.is_some());
    let same_lengths = below.into_iter().all(|(a, b)| same(a.offset.norm(), b.offset.norm()));
    (!same_lengths).then_some("the bones of the clip have other lengths than those of the file")
}

/// The number of an object of the file.
fn id(element: &Element) -> Option<i64> {
    Some(element.dom_node.as_ref()?.values.first()?.value_int)
}

/// Takes the animation out of the records; new objects get numbers above all others.
fn without_animation(file: &mut [Record]) -> Drawing {
    let number = |record: &Record| record.properties.first().and_then(Property::number);
    let mut gone = HashSet::new();
    let mut highest = 0;
    for record in list(file, "Objects") {
        let id = number(record).unwrap_or(0);
        highest = highest.max(id);
        if ANIMATION.contains(&&*record.name) {
            gone.insert(id);
        }
    }
    list(file, "Objects").retain(|record| !ANIMATION.contains(&&*record.name));
    list(file, "Connections").retain(|record| {
        let ends = record.properties.iter().skip(1).take(2).filter_map(Property::number);
        !ends.into_iter().any(|end| gone.contains(&end))
    });
    Drawing::after(highest)
}

/// The records inside the first one of a name.
fn list<'f>(file: &'f mut [Record], name: &str) -> &'f mut Vec<Record> {
    static NONE: &str = "a file that was read has its lists";
    &mut file.iter_mut().find(|record| record.name == name).expect(NONE).inside
}

/// Adds the curves of numbers over time that drive properties of the file; returns how many have none there.
fn numbers(document: &Document, scene: &Scene, clip: &Clip, driven: &mut Vec<(i64, Curves)>) -> usize {
    let mut left = 0;
    let mut vectors: HashMap<(i64, &str), usize> = HashMap::new();
    for track in &clip.annotations().scalars {
        let mut is_there = false;
        for source in document.scalars.iter().filter(|source| source.name == track.name) {
            let Some(node) = id(&scene.elements[source.element as usize]) else { continue };
            is_there = true;
            if source.between.is_some() {
                // The weight of an in-between shape is not animated by itself: it follows from that of its channel.
                continue;
            }
            let values = track.values.values().iter().map(|value| value / source.factor).collect();
            let track = ScalarTrack { values: Track::Sampled(values), ..track.clone() };
            let curves = one(&source.property, &source.axis, &track);
            // Components of one vector property share a curve node.
            match vectors.get(&(node, source.property.as_str())) {
                Some(at) if driven[*at].1.keys == curves.keys => driven[*at].1.axes.extend(curves.axes),
                _ => {
                    vectors.insert((node, source.property.as_str()), driven.len());
                    driven.push((node, curves));
                }
            }
        }
        left += usize::from(!is_there);
    }
    left
}

/// Puts new objects and the lists of animations into the records.
fn finish(file: &mut Vec<Record>, drawing: Drawing, takes: &[Take], fps: f64) {
    list(file, "Objects").extend(drawing.objects);
    list(file, "Connections").extend(drawing.connections);
    let (mode, custom) = time_mode(fps);
    let settings =
        |file: &mut [Record], name, kind, value| set(file, "GlobalSettings", property(name, kind, &[value]));
    settings(file, "TimeMode", ["enum", "", ""], mode.into());
    settings(file, "CustomFrameRate", ["double", "Number", ""], custom.into());
    settings(file, "TimeSpanStart", ["KTime", "Time", ""], 0i64.into());
    settings(file, "TimeSpanStop", ["KTime", "Time", ""], last(takes).into());
    let current = takes.first().map_or("", |take| &take.name);
    if let Some(documents) = file.iter_mut().find(|record| record.name == "Documents") {
        set(
            &mut documents.inside,
            "Document",
            property("ActiveAnimStackName", ["KString", "", ""], &[current.into()]),
        );
    }
    count(file);
    let replaced = |record: &mut Record| match &*record.name {
        "Takes" => *record = takes_of(takes),
        // Identifier and creation time must match the footer that is written.
        "FileId" => record.properties = vec![Property::Bytes(&FILE_ID)],
        "CreationTime" => record.properties = vec![CREATION_TIME.into()],
        _ => {}
    };
    file.iter_mut().for_each(replaced);
    if !file.iter().any(|record| record.name == "Takes") {
        file.push(takes_of(takes));
    }
}

/// Sets a property of the object with a name.
fn set(file: &mut [Record], object: &str, new: Record) {
    let Some(object) = file.iter_mut().find(|record| record.name == object) else { return };
    let Some(all) = object.inside.iter_mut().find(|record| record.name == "Properties70") else { return };
    let same = |record: &&mut Record| record.properties.first() == new.properties.first();
    match all.inside.iter_mut().find(same) {
        Some(record) => *record = new,
        None => all.inside.push(new),
    }
}

/// States how many objects of each kind there are.
fn count(file: &mut [Record]) {
    let kinds = kinds(list(file, "Objects"));
    let Some(definitions) = file.iter_mut().find(|record| record.name == "Definitions") else { return };
    let all = &mut definitions.inside;
    all.retain(|record| {
        let kind = record.properties.first().and_then(Property::text);
        let animation = ANIMATION.iter().any(|name| kind == Some(name.as_bytes()));
        !animation || kinds.iter().any(|(name, _)| kind == Some(name.as_bytes()))
    });
    for (name, found) in &kinds {
        let known = all
            .iter_mut()
            .find(|record| record.properties.first().and_then(Property::text) == Some(name.as_bytes()));
        let counted = Record::new("Count", vec![(*found).into()]);
        match known {
            Some(known) => match known.inside.iter_mut().find(|record| record.name == "Count") {
                Some(count) => *count = counted,
                None => known.inside.push(counted),
            },
            None => all.push(Record::new("ObjectType", vec![(&**name).into()]).with([counted])),
        }
    }
    let total = kinds.iter().map(|(_, count)| count).sum::<i32>() + 1;
    if let Some(count) = all.iter_mut().find(|record| record.name == "Count") {
        *count = Record::new("Count", vec![total.into()]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{parse, to_clip};
    use super::*;
    use crate::{Format, Limits};
    use mocap_model::{ForwardKinematics, JointTracks, Vector3};

    /// The motion backwards.
    fn reversed(clip: &Clip) -> Clip {
        fn turned<T: Copy>(track: &Track<T>) -> Track<T> {
            match track {
                Track::Constant(value) => Track::Constant(*value),
                Track::Sampled(values) => Track::Sampled(values.iter().rev().copied().collect()),
            }
        }
        let tracks = clip.tracks().iter().map(|tracks| JointTracks {
            rotation: turned(&tracks.rotation),
            translation: tracks.translation.as_ref().map(turned),
            scale: tracks.scale.as_ref().map(turned),
        });
        Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks.collect())
            .unwrap()
            .with_name("back")
    }

    /// A file in which every joint has pivots, offsets, rotations before and after its own, an order of its own, and
    /// scales that go down the tree in all three ways.
    fn file() -> Vec<u8> {
        let clip: Clip = include!("../../../../fixtures/wave.rs");
        let written = super::super::from_clips(&[clip], &WriteOptions::default()).unwrap().main.into_bytes();
        let (version, mut file) = records(&written).unwrap();
        let joints = list(&mut file, "Objects").iter_mut();
        let joints =
            joints.filter(|record| record.properties.last().and_then(Property::text) == Some(b"LimbNode"));
        for (i, joint) in joints.filter(|record| record.name == "Model").enumerate() {
            let at = i as f64;
            let mut all = vec![std::mem::replace(joint, Record::new("none", Vec::new()))];
            all[0].name = "Model".into();
            let vector = |name, value: [f64; 3]| {
                property(name, ["Vector3D", "Vector", ""], &value.map(Property::from))
            };
            let number = |name, value: i32| property(name, ["enum", "", ""], &[value.into()]);
            for new in [
                vector("PreRotation", [10.0 + at, -20.0, 5.0 * at]),
                vector("PostRotation", [3.0, 7.0 * at, -4.0]),
                vector("RotationPivot", [1.0, 2.0, at]),
                vector("RotationOffset", [-0.5, at, 0.25]),
                vector("ScalingPivot", [0.5, -1.0, 1.5]),
                vector("ScalingOffset", [0.1, 0.2, -0.3]),
                vector("Lcl Scaling", if i < 3 { [1.2, 1.2, 1.2] } else { [1.0; 3] }),
                number("RotationActive", 1),
                number("RotationOrder", i as i32 % 6),
                number("InheritType", i as i32 % 3),
            ] {
                set(&mut all, "Model", new);
            }
            *joint = all.remove(0);
        }
        to_bytes_of(&file, version)
    }

    #[test]
    fn other_clips_move_the_joints_of_any_file_as_they_should() {
        let bytes = file();
        let document = parse(&bytes, &Limits::default()).unwrap().value;
        let clip = to_clip(&document, 0, &ReadOptions::default()).unwrap().value;
        let back = reversed(&clip);
        let document: Box<dyn crate::Document> = Box::new(document);
        let written = document.with_clips(std::slice::from_ref(&back), Format::Fbx, &WriteOptions::default());
        let Kept::Written(written) = written.unwrap() else { panic!("the file takes the clip") };
        assert!(written.warnings.is_empty(), "{:?}", written.warnings);
        let written = written.main.into_bytes();
        let again = parse(&written, &Limits::default()).unwrap().value;
        assert_eq!(again.stacks(), ["back"]);
        let again = to_clip(&again, 0, &ReadOptions::default()).unwrap().value;
        assert_eq!((again.frames(), again.rate()), (back.frames(), back.rate()));
        let (mut ours, mut theirs) = (ForwardKinematics::new(&back), ForwardKinematics::new(&again));
        let mut worst: f64 = 0.0;
        for frame in 0..back.frames() {
            ours.place(frame);
            theirs.place(frame);
            for (id, _) in back.skeleton().iter() {
                worst = worst.max((ours.position(id) - theirs.position(id)).norm());
            }
        }
        // Centimetres.
        assert!(worst < 1e-3, "off by {worst} cm");
        let height: Vector3<f64> = theirs.position(mocap_model::JointId(0));
        assert!(height.norm() > 1.0, "the body is somewhere: {height}");
        // All else is as it was.
        let kinds = |bytes: &[u8]| {
            let (_, mut file) = records(bytes).unwrap();
            let all = list(&mut file, "Objects").iter();
            all.filter(|record| !ANIMATION.contains(&&*record.name))
                .map(|record| format!("{record:?}"))
                .collect::<Vec<_>>()
        };
        assert_eq!(kinds(&written), kinds(&bytes));
    }
}
