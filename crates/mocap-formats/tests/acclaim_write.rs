//! Clips of any skeleton as ASF and AMC: read back, every joint is where it was.
#![allow(clippy::print_stdout, reason = "a skipped test says so")]

mod corpus;

use mocap_formats::{Limits, amc, asf, bvh};
use mocap_model::*;
use std::sync::Arc;

fn read_back(pair: &amc::Pair) -> Clip {
    let skeleton = asf::parse(&pair.skeleton.to_bytes(), &Limits::default()).unwrap();
    let motion = amc::parse(&pair.motion.to_bytes(), &Limits::default()).unwrap();
    assert_eq!((skeleton.warnings, motion.warnings), (vec![], vec![]));
    let clip = amc::to_clip(&skeleton.value, &motion.value, &amc::ClipOptions::default()).unwrap();
    assert_eq!(clip.warnings, []);
    clip.value
}

/// The greatest distance of a joint from where it was, in the first clip's units. Joints are matched by name,
/// the first root by its place.
fn greatest_distance(before: &Clip, after: &Clip) -> f64 {
    assert_eq!(before.frames(), after.frames());
    assert_eq!(before.rate(), after.rate());
    let factor = match (before.skeleton().space().metres(), after.skeleton().space().metres()) {
        (Some(before), Some(after)) => after / before,
        _ => 1.0,
    };
    let pairs: Vec<(usize, usize)> = before
        .skeleton()
        .iter()
        .filter(|(_, joint)| !joint.end_site)
        .map(|(id, joint)| {
            let name = joint.name.trim().replace([' ', '#'], "_");
            let found = after.skeleton().find(&name).or_else(|| (id.index() == 0).then_some(JointId(0)));
            (id.index(), found.unwrap_or_else(|| panic!("no joint '{name}'")).index())
        })
        .collect();
    let mut greatest = 0.0f64;
    let [mut local, mut a, mut b] = [Pose::default(), Pose::default(), Pose::default()];
    for frame in 0..before.frames() {
        before.local_pose(frame, &mut local);
        local.to_object(before.skeleton(), &mut a);
        after.local_pose(frame, &mut local);
        local.to_object(after.skeleton(), &mut b);
        for &(from, to) in &pairs {
            let way = a.joints[from].translation.vector - b.joints[to].translation.vector * factor;
            greatest = greatest.max(way.norm());
        }
    }
    greatest
}

#[test]
fn files_of_the_database_come_back_with_their_bones_and_channels() {
    let Some(folder) = corpus::folder() else { return };
    for (asf, amc) in [("01", "01_01"), ("11", "11_01"), ("backflip", "backflip")] {
        let read = |name: String| std::fs::read(folder.join("cmu").join(name)).unwrap();
        let skeleton = asf::parse(&read(format!("{asf}.asf")), &Limits::default()).unwrap().value;
        let motion = amc::parse(&read(format!("{amc}.amc")), &Limits::default()).unwrap().value;
        let clip = amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default()).unwrap().value;
        let written = amc::from_clip(&clip).unwrap();
        assert_eq!(written.warnings, []);
        let pair = written.value;
        let parts = |document: &asf::Document| -> Vec<_> {
            let mut parts: Vec<_> =
                document.bones.iter().map(|bone| (bone.name.clone(), bone.dofs.clone())).collect();
            parts.sort_by(|a, b| a.0.cmp(&b.0));
            parts
        };
        assert_eq!(parts(&pair.skeleton), parts(&skeleton));
        let distance = greatest_distance(&clip, &read_back(&pair)) * Unit::CMU;
        println!("{amc}: {distance:e} m");
        assert!(distance < 1e-9, "{amc}: off by {distance} m");
        // The numbers are those of the first file again, but for whole turns.
        let before = &motion.values[..6];
        let after = &pair.motion.values[..6];
        assert!(before.iter().zip(after).all(|(a, b)| (a - b).abs() < 1e-6), "{before:?} {after:?}");
    }
}

#[test]
fn rigs_of_bvh_files_come_back() {
    let Some(folder) = corpus::folder() else { return };
    for (name, bytes) in corpus::files(&folder, "bvh") {
        let document = bvh::parse(&bytes, &Limits::default()).unwrap().value;
        let clip = bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value;
        let clip = clip.trimmed(0..clip.frames().min(300)).unwrap();
        let pair = amc::from_clip(&clip).unwrap().value;
        let distance = greatest_distance(&clip, &read_back(&pair));
        println!("{name}: {} joints, off by {distance:e}", clip.skeleton().len());
        assert!(distance < 1e-6, "{name}: off by {distance}");
    }
}

fn joint(name: &str, parent: Option<u32>, offset: [f64; 3]) -> Joint {
    Joint {
        name: name.into(),
        parent: parent.map(JointId),
        offset: offset.into(),
        rest_rotation: UnitQuaternion::identity(),
        dofs: Dofs::ball(EulerOrder::ZXY),
        role: None,
        end_site: false,
    }
}

/// A rig with everything an ASF file has no words for.
fn odd_rig() -> Skeleton {
    let mut joints = vec![
        joint("Hips", None, [1.0, 90.0, 2.0]),
        joint("Bip01 Spine", Some(0), [0.0, 0.0, 0.0]),
        joint("chest", Some(1), [0.5, 20.0, 1.0]),
        joint("Chest", Some(2), [0.0, 3.0, 0.0]),
        joint("left", Some(2), [5.0, 10.0, 0.0]),
        joint("right", Some(2), [-5.0, 10.0, 0.0]),
        joint("12", Some(4), [10.0, 0.0, 0.0]),
        joint("slider", Some(5), [-10.0, 0.0, 0.0]),
        joint("slider_End", Some(7), [-3.0, 0.0, 0.0]),
        joint("tip", Some(3), [0.0, 4.0, 0.0]),
    ];
    joints[8].end_site = true;
    joints[9].end_site = true;
    joints[2].rest_rotation = exp(&Vector3::new(0.3, -0.2, 0.9));
    joints[4].rest_rotation = exp(&Vector3::new(0.0, 1.2, -0.4));
    joints[4].dofs.frame = exp(&Vector3::new(0.5, 0.5, -1.0));
    joints[4].dofs.order = EulerOrder::XYZ;
    joints[5].dofs = Dofs::locked(EulerOrder::ZYX);
    joints[6].dofs = Dofs::ball(EulerOrder::new([Axis::Z, Axis::X, Axis::Z]).unwrap());
    joints[7].dofs = Dofs::free(EulerOrder::ZXY);
    joints[7].dofs.limits[1] = Some(Limit { min: -0.5, max: 1.0 });
    Skeleton::new("odd # rig", Space::default(), joints).unwrap()
}

fn moving(skeleton: Skeleton, frames: usize) -> Clip {
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    for (i, (joint, tracks)) in skeleton.joints().iter().zip(&mut tracks).enumerate() {
        if joint.end_site || i == 3 {
            continue;
        }
        let turn = |frame: usize| {
            let t = frame as f64 * 0.3 + i as f64;
            joint.rest_rotation * exp(&(Vector3::new(t.sin(), (2.0 * t).cos(), (t * 0.7).sin()) * 2.0))
        };
        tracks.rotation = Track::Sampled((0..frames).map(turn).collect());
        if joint.parent.is_none() || joint.name == "slider" {
            let place = |frame: usize| joint.offset * (1.0 + frame as f64 * 0.1);
            tracks.translation = Some(Track::Sampled((0..frames).map(place).collect()));
        }
        if joint.name == "left" {
            tracks.translation = Some(Track::Constant(Vector3::new(6.0, 9.0, 1.0)));
        }
    }
    Clip::new(Arc::new(skeleton), FrameRate::new(59.94).unwrap(), frames, tracks).unwrap()
}

fn codes(findings: &[mocap_formats::Finding]) -> Vec<(&'static str, String)> {
    findings.iter().map(|f| (f.code(), f.context.joint.clone().unwrap_or_default())).collect()
}

#[test]
fn rigs_that_have_more_than_the_format_come_back() {
    let clip = moving(odd_rig(), 40);
    let written = amc::from_clip(&clip).unwrap();
    let expected = [
        ("asf::root-renamed", "Hips"),
        ("asf::renamed", "Bip01 Spine"),
        ("asf::renamed", "Chest"),
        ("asf::renamed", "12"),
        ("asf::euler-order", "12"),
        ("amc::locked-axes", "right"),
    ];
    let expected: Vec<_> = expected.iter().map(|(code, joint)| (*code, joint.to_string())).collect();
    assert_eq!(codes(&written.warnings), expected);
    let texts: Vec<String> = written.warnings.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(texts.join("\n"));
    let pair = written.value;
    assert_eq!(pair.skeleton.name.as_deref(), Some("odd"));
    let back = read_back(&pair);
    let skeleton = back.skeleton();
    for name in ["root", "Bip01_Spine", "chest", "Chest_2", "bone12", "slider", "Chest_2_End"] {
        assert!(skeleton.find(name).is_some(), "{name}");
    }
    // What was renamed is found under its old name again, so that positions can be compared.
    let renamed = skeleton.with_joints(|joint| match joint.name.as_str() {
        "Chest_2" => joint.name = "Chest".into(),
        "bone12" => joint.name = "12".into(),
        _ => {}
    });
    let back = back.with_skeleton(Arc::new(renamed.unwrap())).unwrap();
    let distance = greatest_distance(&clip, &back);
    assert!(distance < 1e-6, "off by {distance}");
    let slider = back.skeleton().joint(back.skeleton().find("slider").unwrap());
    assert_eq!(slider.dofs.translation, [true; 3]);
    let limit = slider.dofs.limits[1].unwrap();
    assert!((limit.min + 0.5).abs() < 1e-9 && (limit.max - 1.0).abs() < 1e-9);
    assert_eq!(slider.dofs.limits[0], None);
}

#[test]
fn several_roots_become_bones_of_one() {
    let joints = vec![
        joint("a", None, [1.0, 2.0, 3.0]),
        joint("b", Some(0), [0.0, 5.0, 0.0]),
        joint("root", None, [0.0; 3]),
    ];
    let skeleton = Skeleton::new("", Space::default(), joints).unwrap();
    let mut clip = moving(skeleton, 10);
    assert_eq!(clip.tracks().len(), 3);
    let written = amc::from_clip(&clip).unwrap();
    assert_eq!(written.warnings[0].code(), "asf::several-roots");
    assert_eq!(
        written.warnings[0].to_string(),
        "the skeleton has 2 roots: they become bones of one root that does not move"
    );
    let back = read_back(&written.value);
    assert!(back.skeleton().find("root_2").is_some());
    clip = clip.trimmed(0..10).unwrap();
    let renamed = clip.skeleton().with_joints(|joint| {
        if joint.name == "root" {
            joint.name = "root_2".into();
        }
    });
    let clip = clip.with_skeleton(Arc::new(renamed.unwrap())).unwrap();
    let distance = greatest_distance(&clip, &back);
    assert!(distance < 1e-6, "off by {distance}");
}

#[test]
fn lengths_become_those_of_the_database_where_the_unit_is_known() {
    let z_up = Space {
        up: SignedAxis::Z,
        forward: SignedAxis { axis: Axis::Y, negative: true },
        unit: Some(Unit { metres: 0.01, source: UnitSource::Flag }),
    };
    let joints = vec![joint("root", None, [0.0; 3]), joint("leg", Some(0), [0.0, 0.0, -45.0])];
    let skeleton = Skeleton::new("", z_up, joints).unwrap();
    let document = asf::from_skeleton(&skeleton).unwrap().value;
    assert_eq!(document.units.length, Some(0.45));
    let bridge = &document.bones[0];
    assert_eq!((bridge.name.as_str(), bridge.direction), ("root_to_leg", [0.0, -1.0, 0.0]));
    assert!((bridge.length * Unit::CMU - 0.45).abs() < 1e-12);
    let back = asf::to_skeleton(&document, asf::AsfUnits::Auto).unwrap().value;
    assert_eq!(back.space().metres(), Some(Unit::CMU));
}

/// The usual conversion of this database lost the thorax, and all above it was off by its length.
#[test]
fn every_bone_of_the_database_goes_into_bvh() {
    let Some(folder) = corpus::folder() else { return };
    let pairs = [
        ("01", "01_01"),
        ("11", "11_01"),
        ("backflip", "backflip"),
        ("charleston", "charleston1"),
        ("charleston", "charleston2"),
    ];
    for (asf, amc) in pairs {
        let read = |name: String| std::fs::read(folder.join("cmu").join(name)).unwrap();
        let skeleton = asf::parse(&read(format!("{asf}.asf")), &Limits::default()).unwrap().value;
        let motion = amc::parse(&read(format!("{amc}.amc")), &Limits::default()).unwrap().value;
        let clip = amc::to_clip(&skeleton, &motion, &amc::ClipOptions::default()).unwrap().value;
        let text = bvh::from_clip(&clip, &bvh::WriteOptions::default()).to_bytes();
        let document = bvh::parse(&text, &Limits::default()).unwrap().value;
        let back = bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value;
        assert_eq!(back.skeleton().len(), clip.skeleton().len());
        assert!(back.skeleton().find("thorax").is_some());
        let distance = greatest_distance(&clip, &back) * Unit::CMU;
        println!("{amc}: {distance:e} m");
        assert!(distance < 1e-6, "{amc}: off by {distance} m");
    }
}
