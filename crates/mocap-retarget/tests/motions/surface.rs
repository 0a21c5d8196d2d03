//! Arms that go through a body that is stouter than that of their source.

use crate::clip::real;
use mocap_formats::ReadOptions;
use mocap_model::{ForwardKinematics, Role};
use mocap_retarget::{RestChoice, RetargetOptions, Retargeter, TargetSurface, map_roles_in, rest_pose_of};

/// A dance with a hand on the hip, on a stout man: for half a second at a time the forearm goes up to 10 cm deep through
/// his side.
pub(crate) fn a_forearm_through_the_body_leaves_by_one_side() {
    let dance = real("misc/rokoko_dance.bvh", 0);
    let bytes =
        std::fs::read(mocap_corpus::folder().join("bodies/heavy_man.glb")).expect("a file of the corpus");
    let options = ReadOptions::default();
    let document = mocap_formats::read(&bytes, &options).expect("a sound file").value;
    let target = document.to_clip(&options).expect("a sound file").value;
    let body = document.body(&options.limits).expect("a sound file").expect("a mesh").value;
    let roles = map_roles_in(&target);
    let rest = |clip| rest_pose_of(clip, RestChoice::Auto, false).expect("no frame is named").1;
    let surface = TargetSurface::new(&body.on(target.skeleton()), target.skeleton(), &roles);
    let options = RetargetOptions {
        source_rest: rest(&dance),
        target_rest: rest(&target),
        source_roles: Some(map_roles_in(&dance)),
        target_roles: Some(roles.clone()),
        ..RetargetOptions::default()
    };
    let on = RetargetOptions { surface: Some(surface.expect("a body with arms")), ..options.clone() };
    let [off, on] = [options, on].map(|options| {
        let retargeter = Retargeter::new(dance.skeleton(), target.skeleton(), &options).unwrap();
        retargeter.retarget(&dance).unwrap()
    });
    let metres = off.1.metres[1];
    let hand = roles.joint(Role::LeftHand).unwrap();
    let mut places = [&off.0, &on.0].map(ForwardKinematics::new);
    let mut furthest: f64 = 0.0;
    for frame in 400..540 {
        let [a, b] = places.each_mut().map(|at| {
            at.place(frame);
            at.position(hand)
        });
        furthest = furthest.max((a - b).norm() * metres);
    }
    mocap_corpus::note!("the hand moves by up to {furthest:.3} m");
    // It was 0.44 m when places left by their nearest sides.
    assert!(furthest < 0.3, "{furthest}");
    let surface = on.1.surface.expect("a surface");
    assert!(surface.inside < 0.003 && surface.deepest < 0.017, "{surface:?}");
    assert!(on.1.largest_step.excess < off.1.largest_step.excess + 1.0, "{:?}", on.1.largest_step);
}
