//! Bodies far from the usual: giants, children, legs far too short or long, and a motion upside down.

use mocap_formats::{Limits, bvh, skel};
use mocap_model::{Clip, Skeleton, Unit, UnitSource};
use mocap_retarget::{RetargetOptions, RetargetReport, RetargetWarning, Retargeter};
use std::path::PathBuf;
use std::sync::Arc;

fn bytes(path: &str) -> Vec<u8> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    std::fs::read(folder.join(path)).unwrap()
}

fn clip(path: &str) -> Clip {
    let document = bvh::parse(&bytes(path), &Limits::default()).unwrap().value;
    bvh::to_clip(&document, &bvh::ClipOptions::default()).unwrap().value
}

/// The clip with numbers in a unit.
fn in_unit(clip: Clip, metres: f64) -> Clip {
    let mut space = *clip.skeleton().space();
    space.unit = Some(Unit { metres, source: UnitSource::Flag });
    let skeleton = clip.skeleton().with_space(space);
    clip.with_skeleton(Arc::new(skeleton)).unwrap()
}

fn retarget(source: &Clip, target: &Skeleton) -> RetargetReport {
    let options = RetargetOptions::default();
    Retargeter::new(source.skeleton(), target, &options).unwrap().retarget(source).unwrap().1
}

#[test]
fn contacts_do_not_depend_on_the_unit() {
    let robin = clip("clips/robin_walk.bvh");
    let contacts = |metres: f64| {
        let report = retarget(&in_unit(clip("clips/alex_walk.bvh"), metres), robin.skeleton());
        report.feet.into_iter().map(|foot| foot.contacts).collect::<Vec<_>>()
    };
    let usual = contacts(0.01);
    assert!(usual.iter().all(|foot| foot.len() > 1), "{usual:?}");
    assert_eq!(contacts(0.0025), usual);
    assert_eq!(contacts(0.04), usual);
}

#[test]
fn feet_stay_locked_on_legs_of_any_length() {
    // Feet nearly as long as the legs need faster rotations than the source's; the velocity limiter
    // then allows some skate.
    for (legs, slide, depth) in
        [("bodies/long_legs.skel", 0.02, 0.005), ("bodies/short_legs.skel", 0.05, 0.04)]
    {
        let target = skel::parse(&bytes(legs), &Limits::default()).unwrap().value;
        let report = retarget(&in_unit(clip("clips/robin_walk.bvh"), 1.0), &target);
        for foot in &report.feet {
            assert!(foot.contact_frames > 30, "{legs}: {foot:?}");
            assert!(foot.slide.unwrap() < slide && foot.penetration_max.unwrap() < depth, "{legs}: {foot:?}");
        }
    }
}

#[test]
fn a_giant_and_a_child_walk_each_others_walk() {
    let (giant, child) =
        (in_unit(clip("bodies/giant_walk.bvh"), 0.01), in_unit(clip("bodies/child_walk.bvh"), 0.01));
    for (source, target) in [(&giant, &child), (&child, &giant)] {
        let report = retarget(source, target.skeleton());
        assert!((report.scale.leg - if std::ptr::eq(source, &giant) { 0.5 / 1.8 } else { 3.6 }).abs() < 1e-3);
        for foot in &report.feet {
            assert!(foot.contact_frames > 30, "{foot:?}");
            assert!(foot.slide.unwrap() < 0.01 && foot.penetration_max.unwrap() < 0.005, "{foot:?}");
        }
        assert!(report.largest_step.excess <= 5.0, "{:?}", report.largest_step);
    }
}

#[test]
fn feet_in_the_air_reach_their_goals_in_a_cartwheel() {
    let (cartwheel, robin) = (clip("bodies/cartwheel.bvh"), clip("clips/robin_walk.bvh"));
    let report = retarget(&in_unit(cartwheel, 0.01), in_unit(robin, 1.0).skeleton());
    let far = |warning: &RetargetWarning| match warning {
        RetargetWarning::FootOffGoal { frames, distance, .. } => *frames > 2 || *distance > 0.03,
        _ => false,
    };
    assert!(!report.warnings.iter().any(far), "{:?}", report.warnings);
    assert!(report.largest_step.excess <= 5.0, "{:?}", report.largest_step);
    assert!(report.feet.iter().all(|foot| foot.penetration_max.unwrap() < 0.005), "{:?}", report.feet);
}
