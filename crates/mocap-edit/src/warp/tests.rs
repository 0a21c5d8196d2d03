use super::*;
use crate::fixtures::clip;
use mocap_model::Role;

fn key(time: f64, joint: &str, change: WarpChange) -> WarpKey {
    WarpKey { time, joint: joint.into(), change }
}

#[test]
fn keys_are_met_and_nothing_else_changes() {
    let wave = clip("alex_wave.bvh");
    let up = Vector3::y() * 5.0;
    let keys = vec![
        key(1.0, "LeftHand", WarpChange::By(up)),
        key(1.5, "LeftHand", WarpChange::By(up * 2.0)),
        key(1.5, "Head", WarpChange::Turn(Vector3::y() * 0.4)),
    ];
    let (warped, report) = warp(&wave, &Warp::new(0.5, 2.5, keys)).unwrap();
    let error = report.figures.iter().find(|figure| figure.name == "key-error").unwrap();
    assert!(error.value.unwrap() < 1e-9, "{report}");
    let fps = wave.rate().fps();
    let [from, to] = [0.5, 2.5].map(|time| (time * fps).round() as usize);
    for (id, _) in wave.skeleton().iter() {
        for frame in (0..=from).chain(to..wave.frames()) {
            assert_eq!(wave.local(id, frame), warped.local(id, frame));
        }
    }
    let head = Body::of(&wave).skeleton.with_role(Role::Head).unwrap();
    let at = (1.5 * fps).round() as usize;
    let turned = wave.local(head, at).rotation.angle_to(&warped.local(head, at).rotation);
    assert!((turned - 0.4).abs() < 1e-9, "{turned}");
}

#[test]
fn feet_stay_when_the_hips_are_moved() {
    let wave = clip("alex_wave.bvh");
    let keys = vec![key(1.5, "Hips", WarpChange::By(Vector3::new(0.0, -6.0, 0.0)))];
    let (warped, report) = warp(&wave, &Warp::new(0.5, 2.5, keys)).unwrap();
    let ankle = Body::of(&wave).skeleton.with_role(Role::LeftFoot).unwrap();
    let [before, after] = [&wave, &warped].map(|clip| mocap_analysis::trajectory(clip, ankle));
    let error = report.figures.iter().find(|figure| figure.name == "key-error").unwrap();
    assert!(error.value.unwrap() < 1e-9, "{report}");
    let most = before.iter().zip(&after).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    assert!(most < 1e-6, "{most}: {report}");
}

/// A key at 1.2 times the turn since the start of the warp is met by the scale; others by scale and offset.
#[test]
fn scales_and_offsets_meet_keys() {
    let wave = clip("alex_wave.bvh");
    let fps = wave.rate().fps();
    let [from, to, at] = [0.5, 2.5, 1.5].map(|time| (time * fps).round() as usize);
    let arm = Body::of(&wave).skeleton.with_role(Role::RightUpperArm).unwrap();
    let own = |clip: &Clip, frame: usize| {
        log(&(wave.local(arm, from).rotation.inverse() * clip.local(arm, frame).rotation))
    };
    let turn = own(&wave, at);
    assert!(turn.norm() > 0.05);
    let more = WarpChange::To(wave.local(arm, from).rotation * exp(&(turn * 1.2)));
    let with = |keys: Vec<WarpKey>| {
        let options = Warp { mode: WarpMode::ScaleOffset, ..Warp::new(0.5, 2.5, keys) };
        warp(&wave, &options).unwrap()
    };
    let (scaled, _) = with(vec![key(1.5, "RightUpperArm", more)]);
    assert!((own(&scaled, at) - turn * 1.2).norm() < 1e-9);
    for frame in from + 1..to {
        let (before, after) = (own(&wave, frame), own(&scaled, frame));
        assert!(before.cross(&after).norm() < 1e-9, "{frame}: an offset");
        let scale = after.dot(&before) / before.norm_squared();
        assert!((1.0 - 1e-9..1.2 + 1e-9).contains(&scale), "{frame}: {scale}");
    }
    // Keys that move the bases of others at other times.
    let up = Vector3::y() * 5.0;
    let keys = vec![
        key(1.0, "LeftHand", WarpChange::By(up)),
        key(1.2, "LeftHand", WarpChange::By(Vector3::zeros())),
        key(1.5, "Hips", WarpChange::By(-up)),
        key(1.6, "Spine", WarpChange::Turn(Vector3::x() * 0.1)),
        key(1.8, "LeftLowerArm", WarpChange::Turn(Vector3::x() * 0.2)),
    ];
    let (warped, report) = with(keys);
    let elbow = Body::of(&wave).skeleton.with_role(Role::LeftLowerArm).unwrap();
    let at = (1.8 * fps).round() as usize;
    let turned = wave.local(elbow, at).rotation * exp(&(Vector3::x() * 0.2));
    assert!(turned.angle_to(&warped.local(elbow, at).rotation) < 1e-7);
    let error = report.figures.iter().find(|figure| figure.name == "key-error").unwrap();
    assert!(error.value.unwrap() < 1e-9, "{report}");
    for (id, _) in wave.skeleton().iter() {
        for frame in (0..=from).chain(to..wave.frames()) {
            assert_eq!(wave.local(id, frame), warped.local(id, frame));
        }
    }
}

#[test]
fn times_move_and_stay_in_order() {
    let wave = clip("alex_wave.bvh");
    let fps = wave.rate().fps();
    let frame = |time: f64| (time * fps).round() as usize;
    let with = |times: &[(f64, f64)]| {
        warp(&wave, &Warp { times: times.to_vec(), ..Warp::new(0.5, 2.5, Vec::new()) })
    };
    let (moved, _) = with(&[(1.0, 1.5)]).unwrap();
    assert_eq!(moved.frames(), wave.frames());
    for (id, _) in wave.skeleton().iter() {
        assert_eq!(wave.local(id, frame(1.0)), moved.local(id, frame(1.5)));
        for frame in (0..=frame(0.5)).chain(frame(2.5)..wave.frames()) {
            assert_eq!(wave.local(id, frame), moved.local(id, frame));
        }
    }
    let backwards = with(&[(1.0, 1.5), (1.2, 1.4)]);
    assert!(matches!(backwards, Err(EditError::TimeMap { .. })));
    assert!(with(&[(0.2, 1.5)]).unwrap_err().to_string().contains("is not between"));
}

#[test]
fn keys_that_cannot_be_met_are_refused() {
    let wave = clip("alex_wave.bvh");
    let fails = |time: f64, joint: &str, change: WarpChange| {
        let keys = vec![key(time, joint, change)];
        warp(&wave, &Warp::new(0.5, 2.5, keys)).unwrap_err().to_string()
    };
    let far = || WarpChange::By(Vector3::y() * 500.0);
    assert!(fails(1.0, "LeftHand", far()).contains("cannot reach"));
    assert!(fails(1.0, "Tail", far()).contains("no joint"));
    let misspelt = fails(1.0, "Haed", far());
    assert!(misspelt.contains("at 1 s") && misspelt.ends_with("did you mean 'Head'?"), "{misspelt}");
    assert!(fails(0.2, "LeftHand", far()).contains("not between"));
    let outside = warp(&wave, &Warp::new(0.5, 99.0, Vec::new()));
    assert!(matches!(outside, Err(EditError::Warp { .. })));
}
