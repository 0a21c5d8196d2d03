//! The bound holds on the written bytes, for every clip and every tolerance: checked by decoding
//! them and measuring with `mocap_analysis`, independently of the encoder.

mod measured;
mod motion;

use measured::error_of;
use mocap_compress::{CompressError, CompressOptions, Compressed, Effort, OpenLimits, Profile, compress};
use mocap_model::{
    Clip, FrameRate, Joint, JointId, JointTracks, Skeleton, Space, Track, Unit, UnitSource, Vector3, exp,
};
use motion::{CHARACTERS, Character};
use std::sync::Arc;

#[test]
fn every_sample_is_within_the_tolerance() {
    for profile in Profile::ALL {
        for character in CHARACTERS {
            for tolerance in [1e-5f64, 1e-4, 1e-3, 1e-2, 1e-1] {
                // Kilometres from the origin, single precision allows no finer tolerance.
                let tolerance =
                    if matches!(character, Character::Far) { tolerance.max(2e-3) } else { tolerance };
                let clip = motion::clip(character, 4, 150);
                let options = CompressOptions { profile, tolerance, ..CompressOptions::default() };
                let error = error_of(&clip, &options);
                assert!(error <= tolerance, "{profile} {character:?} {tolerance}: {error}");
            }
        }
    }
}

#[test]
fn every_effort_keeps_the_bound_and_more_work_saves_bytes() {
    for profile in Profile::ALL {
        let mut sizes = Vec::new();
        for effort in Effort::all() {
            let mut size = 0;
            for character in [Character::Calm, Character::HalfTurns, Character::Sliding] {
                let clip = motion::clip(character, 4, 150);
                let options = CompressOptions { profile, effort, ..CompressOptions::default() };
                let error = error_of(&clip, &options);
                assert!(error <= options.tolerance, "{profile} {effort} {character:?}: {error}");
                size += compress(&clip, &options).unwrap().bytes.len();
            }
            sizes.push(size);
        }
        let [least, usual, most] = [0, 5, 9].map(|level| sizes[level]);
        assert!(most <= usual && usual <= least, "{profile}: {sizes:?}");
        if [Profile::Archive, Profile::Runtime].contains(&profile) {
            assert!(most < least, "{profile}: {sizes:?}");
        }
    }
}

#[test]
fn joints_that_slide_without_turning_cost_no_tolerance() {
    for profile in Profile::ALL {
        for tolerance in [1e-5, 1e-4, 1e-3] {
            let clip = motion::clip(Character::Carried, 4, 300);
            let error =
                error_of(&clip, &CompressOptions { profile, tolerance, ..CompressOptions::default() });
            assert!(error <= tolerance && error > 0.9 * tolerance, "{profile} {tolerance}: {error}");
        }
    }
}

#[test]
fn clips_of_any_length_are_compressed() {
    for profile in Profile::ALL {
        for frames in [1, 2, 3, 5, 31, 32, 33, 34, 63, 64, 65, 66, 97, 129, 200] {
            let clip = motion::clip(Character::Calm, 3, frames);
            let options = CompressOptions { profile, ..CompressOptions::default() };
            let error = error_of(&clip, &options);
            assert!(error <= options.tolerance, "{profile} {frames}: {error}");
        }
        let empty = motion::clip(Character::Still, 3, 0);
        assert_eq!(error_of(&empty, &CompressOptions { profile, ..CompressOptions::default() }), 0.0);
    }
}

#[test]
fn clips_of_many_blocks_are_compressed() {
    for profile in Profile::ALL {
        let clip = motion::clip(Character::Calm, 1, 8192 * 2 + 40);
        let options = CompressOptions { profile, tolerance: 1e-3, ..CompressOptions::default() };
        let error = error_of(&clip, &options);
        assert!(error <= options.tolerance, "{profile}: {error}");
    }
}

#[test]
fn joints_may_have_tolerances_of_their_own() {
    let clip = motion::clip(Character::Calm, 4, 100);
    let loose = CompressOptions { tolerance: 1e-2, profile: Profile::Archive, ..CompressOptions::default() };
    let tight = CompressOptions { joint_tolerances: vec![("limb1_2".into(), 1e-4)], ..loose.clone() };
    let done = compress(&clip, &tight).unwrap();
    let decoded = Compressed::open(done.bytes, &OpenLimits::default()).unwrap().to_clip();
    let at = clip.skeleton().find("limb1_2").unwrap().index();
    let mut poses = [mocap_model::Pose::default(), mocap_model::Pose::default()];
    let mut local = mocap_model::Pose::default();
    for frame in 0..clip.frames() {
        for (pose, clip) in poses.iter_mut().zip([&clip, &decoded]) {
            clip.local_pose(frame, &mut local);
            local.to_object(clip.skeleton(), pose);
        }
        let apart = poses[0].joints[at].translation.vector - poses[1].joints[at].translation.vector;
        assert!(apart.norm() <= 1e-4);
    }
    let looser = CompressOptions { joint_tolerances: vec![("limb1_2".into(), 5e-2)], ..loose.clone() };
    let stated = |options: &CompressOptions| {
        let done = compress(&clip, options).unwrap();
        let limit = done.report.limit;
        assert_eq!(Compressed::open(done.bytes, &OpenLimits::default()).unwrap().info().tolerance, limit);
        limit
    };
    assert_eq!(stated(&looser), 5e-2, "a file states the largest bound of any joint");
    assert_eq!(stated(&tight), 1e-2);
    assert!(error_of(&clip, &loose) > 1e-3, "elsewhere the tolerance is put to use");
    let fine = CompressOptions { local_error: Some(1e-7), ..loose.clone() };
    let Err(CompressError::TooFineTurn { smallest, .. }) = compress(&clip, &fine) else { panic!("too fine") };
    let done = compress(&clip, &CompressOptions { local_error: Some(smallest), ..loose.clone() }).unwrap();
    assert!(done.report.local_rotation_max <= smallest);
    let unknown = CompressOptions { joint_tolerances: vec![("tail".into(), 1e-4)], ..loose };
    assert_eq!(compress(&clip, &unknown).err(), Some(CompressError::NoSuchJoint { joint: "tail".into() }));
}

#[test]
fn local_rotations_and_the_time_between_frames_are_bounded_where_asked() {
    let clip = motion::clip(Character::Calm, 4, 200);
    for profile in Profile::ALL {
        let free = CompressOptions { profile, tolerance: 1e-3, ..CompressOptions::default() };
        let bound = 0.1f64.to_radians();
        assert!(compress(&clip, &free).unwrap().report.local_rotation_max > bound);
        let bounded = CompressOptions { local_error: Some(bound), ..free.clone() };
        assert!(compress(&clip, &bounded).unwrap().report.local_rotation_max <= bound);
        let guarded = CompressOptions { guard_between: true, ..free };
        assert!(compress(&clip, &guarded).unwrap().report.between_frames_max <= 1e-3);
    }
}

#[test]
fn what_does_not_move_stays_within_the_bound_in_long_chains() {
    // Each joint is a little further away than its offset says, and turned a little; the root moves.
    let root = Joint::new("root", None, Vector3::new(0.0, 1.0, 0.0));
    let link = |at: u32| Joint::new(format!("link{at}"), Some(JointId(at)), Vector3::new(0.05, 0.0, 0.0));
    let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
    let joints = std::iter::once(root).chain((0..60).map(link)).collect();
    let skeleton = Arc::new(Skeleton::new("chain", Space { unit, ..Space::default() }, joints).unwrap());
    for (longer, turn) in [(4.5e-6, 0.0), (2e-6, 0.0), (0.0, 0.03), (4.5e-6, 0.01)] {
        let mut tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect::<Vec<_>>();
        let turns = (0..40).map(|frame| exp(&Vector3::new(0.0, 0.0, 0.01 * f64::from(frame))));
        tracks[0].rotation = Track::Sampled(turns.collect());
        for joint in &mut tracks[1..] {
            joint.translation = Some(Track::Constant(Vector3::new(0.05 + longer, 0.0, 0.0)));
            joint.rotation = Track::Constant(exp(&Vector3::new(turn, 0.2 * turn, 0.5 * turn)));
        }
        let rate = FrameRate::new(30.0).unwrap();
        let clip = Clip::new(skeleton.clone(), rate, 40, tracks).unwrap();
        for profile in Profile::ALL {
            let error = error_of(&clip, &CompressOptions { profile, ..CompressOptions::default() });
            assert!(error <= 1e-4, "{profile} {longer} {turn}: {error}");
        }
        let options =
            CompressOptions { tolerance: 1e-3, local_error: Some(2e-5), ..CompressOptions::default() };
        assert!(compress(&clip, &options).unwrap().report.local_rotation_max <= 2e-5);
    }
}

#[test]
fn far_points_near_one_axis_are_kept_within_the_bound() {
    // A rotation about the line to a joint 17 m away moves almost nothing, any other one a lot.
    let joints = vec![
        Joint::new("root", None, Vector3::zeros()),
        Joint::new("far", Some(JointId(0)), Vector3::new(-16.67, 6.03, -0.1)),
    ];
    let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
    let skeleton = Arc::new(Skeleton::new("far", Space { unit, ..Space::default() }, joints).unwrap());
    for frames in [2, 3, 40] {
        let turns = (0..frames).map(|frame| exp(&Vector3::new(0.0, 0.2 * frame as f64, 0.01)));
        let mut tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect::<Vec<_>>();
        tracks[0].rotation = Track::Sampled(turns.collect());
        let rate = FrameRate::new(30.0).unwrap();
        let clip = Clip::new(skeleton.clone(), rate, frames, tracks).unwrap();
        for profile in Profile::ALL {
            let error = error_of(&clip, &CompressOptions { profile, ..CompressOptions::default() });
            assert!(error <= 1e-4, "{profile} {frames}: {error}");
        }
    }
}

#[test]
fn what_cannot_be_held_is_refused_with_what_can() {
    let clip = motion::clip(Character::Far, 3, 40);
    let options = CompressOptions { tolerance: 1e-6, ..CompressOptions::default() };
    let Err(CompressError::TooFine { smallest, .. }) = compress(&clip, &options) else { panic!("too fine") };
    for profile in Profile::ALL {
        let options = CompressOptions { tolerance: smallest * 1.01, profile, ..CompressOptions::default() };
        assert!(error_of(&clip, &options) <= options.tolerance);
    }
    // The farthest that a clip may be: there, single precision is accurate to kilometres only.
    let mut tracks = clip.tracks().to_vec();
    tracks[0].translation = Some(Track::Constant(Vector3::new(1e12, 0.0, 0.0)));
    let far = Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap();
    let error = compress(&far, &CompressOptions { tolerance: 1.0, ..options.clone() }).unwrap_err();
    assert!(matches!(error, CompressError::TooFine { smallest, .. } if smallest > 1e3), "{error}");
    for tolerance in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let refused = compress(&clip, &CompressOptions { tolerance, ..CompressOptions::default() });
        assert!(matches!(refused, Err(CompressError::NotPositive { what: "the tolerance", .. })));
    }
    let unknown = std::sync::Arc::new(clip.skeleton().with_space(mocap_model::Space::default()));
    let clip = clip.with_skeleton(unknown).unwrap();
    assert_eq!(compress(&clip, &CompressOptions::default()).err(), Some(CompressError::Unit));
}

#[test]
fn the_same_bytes_on_every_run() {
    let clip = motion::clip(Character::Calm, 4, 100);
    for profile in Profile::ALL {
        let options = CompressOptions { profile, ..CompressOptions::default() };
        let bytes = compress(&clip, &options).unwrap().bytes;
        assert_eq!(compress(&clip, &options).unwrap().bytes, bytes);
    }
}
