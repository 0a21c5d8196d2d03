//! Frames per second of a walk on a robot, one thread, its report included. The walk and the robot (29 joints, capsules)
//! come from the corpus if present, else from the fixtures.

#![allow(clippy::print_stdout, missing_docs, reason = "says that it takes the fixture")]

#[path = "../../mocap-retarget/tests/motions/clip.rs"]
mod clip;

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mocap_formats::Limits;
use mocap_model::{Clip, Robot};
use mocap_retarget::map_roles;
use mocap_robot::{RobotOptions, retarget};

fn robot(path: &Path) -> Robot {
    let text = std::fs::read(path).expect("a model");
    let no_includes = |_: &str| Err("the model is one file".to_owned());
    let (_, robot) =
        mocap_formats::robot::parse(&text, &no_includes, &Limits::default()).expect("a model").value;
    robot
}

/// A walk with roles, and a robot.
fn walk_and_robot() -> (Clip, Robot) {
    let (walk, robot) = match mocap_corpus::find() {
        Ok(folder) => (clip::clip(&folder, "cmu/12_01_walk.bvh", 1), robot(&folder.join("robots/g1.xml"))),
        Err(missing) => {
            println!("walk and robot are the fixtures': benchmarks of captured ones {missing}");
            let fixtures = mocap_corpus::fixture("clips");
            (clip::clip(&fixtures, "alex_walk.bvh", 0), robot(&mocap_corpus::fixture("robots/pip.xml")))
        }
    };
    let skeleton = map_roles(walk.skeleton()).apply(walk.skeleton());
    (walk.with_skeleton(skeleton.into()).expect("the same joints"), robot)
}

fn robots(criterion: &mut Criterion) {
    let (walk, robot) = walk_and_robot();
    let metres = walk.skeleton().space().unit.map_or(1.0, |unit| unit.metres);
    let mut group = criterion.benchmark_group("robots");
    for (name, separate) in [("parts kept apart", true), ("parts not kept apart", false)] {
        let options = RobotOptions { separate, ..RobotOptions::default() };
        let run = || retarget(black_box(&walk), metres, &robot, &options).expect("a motion");
        group.throughput(Throughput::Elements(run().0.poses.len() as u64));
        group.bench_function(name, |bencher| bencher.iter(run));
    }
    group.finish();
}

criterion_group!(benches, robots);
criterion_main!(benches);
