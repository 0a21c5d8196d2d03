//! Frames per second of a retarget, one thread, report left out and in: a walk of 31 joints, four limbs solved,
//! feet locked, on a body with other legs. The walk is CMU's where the corpus is there, else the fixture's.

#![allow(clippy::print_stdout, missing_docs, reason = "says that it takes the fixture")]

#[path = "../tests/motions/clip.rs"]
mod clip;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mocap_model::{Clip, JointId, Role};
use mocap_retarget::{FootLock, IkMethod, LimbSolver, RetargetOptions, Retargeter, map_roles};
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

criterion_group!(benches, retarget);
criterion_main!(benches);
