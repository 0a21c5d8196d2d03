//! Clips of any skeleton as ASF and AMC: read back, every joint is where it was.

use crate::pair::{greatest_distance, read_back};
use mocap_formats::{amc, asf};
use mocap_model::*;
use std::sync::Arc;

fn joint(name: &str, parent: Option<u32>, offset: [f64; 3]) -> Joint {
    Joint::new(name, parent.map(JointId), offset.into())
}

/// A rig with everything that an ASF file cannot express.
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
    // Renamed joints get their old names again: positions can be compared.
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
