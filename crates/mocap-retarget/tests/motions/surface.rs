//! Arms that go through a body that is stouter than that of their source.

use crate::clip::real;
use cpu_time::ThreadTime;
use mocap_formats::ReadOptions;
use mocap_model::{Clip, ForwardKinematics, Role};
use mocap_retarget::{
    RestChoice, RetargetOptions, RetargetReport, Retargeter, RoleMap, SurfaceFrames, TargetSurface,
    map_roles_in, rest_pose_of,
};
use std::time::Duration;

/// A character of the corpus with a mesh.
struct Character {
    clip: Clip,
    roles: RoleMap,
    surface: TargetSurface,
    /// Of the mesh [units of the skeleton].
    height: f64,
}

fn character(name: &str) -> Character {
    let path = mocap_corpus::folder().join(format!("bodies/{name}.glb"));
    let options = ReadOptions::default();
    let bytes = std::fs::read(path).expect("a file of the corpus");
    let document = mocap_formats::read(&bytes, &options).expect("a sound file").value;
    let clip = document.to_clip(&options).expect("a sound file").value;
    let body = document.body(&options.limits).expect("a sound file").expect("a mesh").value;
    let body = body.on(clip.skeleton());
    let roles = map_roles_in(&clip);
    let surface = TargetSurface::new(&body, clip.skeleton(), &roles).expect("a body with arms");
    let heights = body.meshes.iter().flat_map(|mesh| &mesh.positions).map(|at| at.y);
    let (low, high) = heights.fold((f64::MAX, f64::MIN), |(low, high), y| (low.min(y), high.max(y)));
    Character { clip, roles, surface, height: high - low }
}

/// A motion on a character without and with its surface, with the time that the surface takes.
fn retarget(source: &Clip, target: &Character) -> ([(Clip, RetargetReport); 2], Duration) {
    let rest = |clip| rest_pose_of(clip, RestChoice::Auto, false).expect("no frame is named").1;
    let off = RetargetOptions {
        source_rest: rest(source),
        target_rest: rest(&target.clip),
        source_roles: Some(map_roles_in(source)),
        target_roles: Some(target.roles.clone()),
        ..RetargetOptions::default()
    };
    let on = RetargetOptions { surface: Some(target.surface.clone()), ..off.clone() };
    let run = |options: &RetargetOptions| {
        let retargeter = Retargeter::new(source.skeleton(), target.clip.skeleton(), options).unwrap();
        let start = ThreadTime::now();
        retargeter.retarget_clip(source).unwrap();
        (start.elapsed(), retargeter.retarget(source).unwrap())
    };
    let ((without, off), (with, on)) = (run(&off), run(&on));
    ([off, on], with.saturating_sub(without))
}

/// Five bodies and six motions: walk, dances, a clap, a kick.
pub(crate) fn arms_stay_outside_of_five_bodies() {
    let motions = [
        "cmu/12_01_walk.bvh",
        "misc/rokoko_dance.bvh",
        "misc/makehuman_doubleclap.bvh",
        "bandai/dataset-1_dance-short_normal_001.bvh",
        "characters/ortiz_salsa.bvh",
        "bandai/dataset-1_kick_normal_001.bvh",
    ];
    let motions = motions.map(|path| (path, real(path, usize::from(path.starts_with("cmu")))));
    let (mut inside, mut deep, mut deepest): (f64, f64, f64) = (0.0, 0.0, 0.0);
    for name in ["child", "heavy_man", "old_thin_woman", "strong_man", "woman"] {
        let mut target = character(name);
        target.surface = target.surface.measured_at(SurfaceFrames::Some(60));
        for (path, motion) in &motions {
            let ([(_, off), (_, on)], took) = retarget(motion, &target);
            let surface = on.surface.as_ref().expect("a surface");
            let share = surface.deepest / on.metres[1] / target.height;
            let step = on.largest_step.excess - off.largest_step.excess;
            let jerk = on.jerk_ratio.zip(off.jerk_ratio).map_or(1.0, |(on, off)| on / off);
            mocap_corpus::note!(
                "{path} on {name}: inside {:.2} %, deep {:.1} % of frames, deepest {:.2} % of height, let go {}, step {step:+.2}, \
                 jerk x {jerk:.3}, {:.0} frames/s",
                100.0 * surface.inside,
                100.0 * surface.deep_frames,
                100.0 * share,
                surface.let_go,
                motion.frames() as f64 / took.as_secs_f64().max(1e-9),
            );
            inside += surface.inside / 30.0;
            deep += surface.deep_frames / 30.0;
            deepest = deepest.max(share);
            assert!(jerk < 1.1, "{path} on {name}: jerk {jerk}");
        }
    }
    mocap_corpus::note!("inside {inside:.5}, deep {deep:.4}, deepest {deepest:.4}");
    assert!(inside < 0.003 && deep < 0.02 && deepest < 0.01, "{inside} {deep} {deepest}");
}

/// A bow with both forearms across the belly, on a strong man: the shortest ways out of one arm lead behind his back,
/// where it cannot get to.
pub(crate) fn an_arm_that_stays_inside_leaves_by_another_side() {
    let bow = real("bandai/dataset-1_bow_active_001.bvh", 0);
    let mut target = character("strong_man");
    target.surface = target.surface.measured_at(SurfaceFrames::Some(60));
    let ([(_, off), (_, on)], _) = retarget(&bow, &target);
    let surface = on.surface.as_ref().expect("a surface");
    let share = surface.deepest / on.metres[1] / target.height;
    let step = on.largest_step.excess - off.largest_step.excess;
    mocap_corpus::note!("deepest {share:.4} of height, step {step:+.2}, let go {}", surface.let_go);
    // They were 4.3 %, 6.2° and 32 frames when it left by the first side only.
    assert!(share < 0.01 && step < 1.5 && surface.let_go < 8, "{share} {step} {}", surface.let_go);
}

/// A dance with a hand on the hip, on a stout man: for half a second at a time the forearm is up to
/// 10 cm inside his side.
pub(crate) fn a_forearm_through_the_body_leaves_by_one_side() {
    let dance = real("misc/rokoko_dance.bvh", 0);
    let target = character("heavy_man");
    let ([off, on], _) = retarget(&dance, &target);
    let metres = off.1.metres[1];
    let hand = target.roles.joint(Role::LeftHand).unwrap();
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
    // It was 0.44 m when each point left by its nearest side.
    assert!(furthest < 0.3, "{furthest}");
    let surface = on.1.surface.expect("a surface");
    assert!(surface.inside < 0.003 && surface.deepest < 0.017, "{surface:?}");
    assert!(on.1.largest_step.excess < off.1.largest_step.excess + 1.0, "{:?}", on.1.largest_step);
}
