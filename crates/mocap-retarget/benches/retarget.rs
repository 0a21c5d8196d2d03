//! Frames per second of a retarget on one thread, with and without the report: a walk of 31 joints, four limbs
//! solved, feet locked, to a body with other leg lengths. The walk is from the CMU database if the corpus is
//! there, else it is the fixture.

#![allow(clippy::print_stdout, missing_docs, reason = "says that it takes the fixture")]

#[path = "../tests/motions/clip.rs"]
mod clip;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mocap_formats::ReadOptions;
use mocap_model::{Clip, JointId, Role};
use mocap_retarget::{
    FootLock, IkMethod, LimbSolver, RestChoice, RetargetOptions, Retargeter, SurfaceFrames, TargetSurface,
    map_roles, map_roles_in, rest_pose_of,
};
use std::hint::black_box;

fn walk() -> Clip {
    match mocap_corpus::find() {
        Ok(folder) => clip::clip(&folder, "cmu/12_01_walk.bvh", 1),
        Err(missing) => {
            println!("the walk is the fixture's: benchmarks of a captured walk {missing}");
            clip::clip(&mocap_corpus::fixture("clips"), "alex_walk.bvh", 0)
        }
    }
}

fn retarget(criterion: &mut Criterion) {
    let source = walk();
    let roles = map_roles(source.skeleton());
    let mut id = 0;
    let target = source.skeleton().with_joints(|joint| {
        joint.offset *= match roles.role(JointId(id)) {
            Some(Role::LeftLowerLeg | Role::RightLowerLeg) => 1.5,
            Some(Role::LeftFoot | Role::RightFoot) => 2.0,
            Some(Role::LeftLowerArm | Role::RightLowerArm) => 1.2,
            _ => 1.0,
        };
        id += 1;
    });
    let target = target.expect("longer bones make no other tree");
    let mut group = criterion.benchmark_group("retarget");
    group.throughput(Throughput::Elements(source.frames() as u64));
    for (name, solver, lock) in [
        ("foot lock, two-bone", LimbSolver::Auto, FootLock::On),
        ("foot lock, ccd", LimbSolver::Named(IkMethod::Ccd), FootLock::On),
        ("no foot lock, two-bone", LimbSolver::Auto, FootLock::Off),
    ] {
        let options = RetargetOptions { solver, foot_lock: lock, ..RetargetOptions::default() };
        let retargeter = Retargeter::new(source.skeleton(), &target, &options).expect("a body");
        group.bench_function(name, |bencher| {
            bencher.iter(|| retargeter.retarget_clip(black_box(&source)).expect("a motion"));
        });
        group.bench_function(format!("{name}, with its report"), |bencher| {
            bencher.iter(|| retargeter.retarget(black_box(&source)).expect("a motion"));
        });
    }
    group.finish();
}

/// Motions on a body with a mesh of 13,380 vertices: no contact, arms inside the body in most frames, and a
/// case in between.
fn surfaces(criterion: &mut Criterion) {
    let Ok(folder) = mocap_corpus::find() else {
        println!("without a corpus, no bodies with meshes are measured");
        return;
    };
    let options = ReadOptions::default();
    let bytes = std::fs::read(folder.join("bodies/woman.glb")).expect("a file of the corpus");
    let document = mocap_formats::read(&bytes, &options).expect("a sound file").value;
    let target = document.to_clip(&options).expect("a sound file").value;
    let body = document.body(&options.limits).expect("a sound file").expect("a mesh").value;
    let roles = map_roles_in(&target);
    let surface = TargetSurface::new(&body.on(target.skeleton()), target.skeleton(), &roles);
    let surface = surface.expect("a body with arms").measured_at(SurfaceFrames::All);
    let mut group = criterion.benchmark_group("surface");
    group.sample_size(10);
    for path in [
        "cmu/12_01_walk.bvh",
        "misc/rokoko_dance.bvh",
        "misc/makehuman_doubleclap.bvh",
        "bandai/dataset-1_dance-short_normal_001.bvh",
        "characters/ortiz_salsa.bvh",
        "bandai/dataset-1_kick_normal_001.bvh",
    ] {
        let source = clip::clip(&folder, path, usize::from(path.starts_with("cmu")));
        let with = |surface: Option<TargetSurface>| {
            let rest = |clip| rest_pose_of(clip, RestChoice::Auto, false).expect("no frame is named").1;
            let options = RetargetOptions {
                source_rest: rest(&source),
                target_rest: rest(&target),
                source_roles: Some(map_roles_in(&source)),
                target_roles: Some(roles.clone()),
                surface,
                ..RetargetOptions::default()
            };
            Retargeter::new(source.skeleton(), target.skeleton(), &options).expect("two people")
        };
        let (off, on) = (with(None), with(Some(surface.clone())));
        group.throughput(Throughput::Elements(source.frames() as u64));
        group.bench_function(format!("{path}, off"), |bencher| {
            bencher.iter(|| off.retarget_clip(black_box(&source)).expect("a motion"));
        });
        group.bench_function(format!("{path}, arms kept out"), |bencher| {
            bencher.iter(|| on.retarget_clip(black_box(&source)).expect("a motion"));
        });
        let done = on.retarget_clip(&source).expect("a motion");
        group.bench_function(format!("{path}, measured"), |bencher| {
            bencher.iter(|| surface.measure(black_box(&done), 1.0).expect("frames"));
        });
    }
    group.finish();
}

criterion_group!(benches, retarget, surfaces);
criterion_main!(benches);
