//! Who lies on the floor: the body comes down, and feet do not stand.

use mocap_model::{Clip, Isometry3, JointTracks, Robot, Track, UnitQuaternion, Vector3};
use mocap_robot::{Humanoid, RobotOptions, RobotReport, retarget};

use crate::own_motion::pip;

/// Metres per unit of the fixture.
pub(crate) const CENTIMETRES: f64 = 0.01;

pub(crate) fn stands() -> Clip {
    let clip = crate::clip::fixture("alex_wave.bvh");
    let skeleton = mocap_retarget::map_roles(clip.skeleton()).apply(clip.skeleton());
    clip.clone().with_skeleton(skeleton.into()).expect("the same joints")
}

/// The clip turned by 90° about an axis of its Y-up space, with the hips this high \[m\].
fn turned(clip: &Clip, about: Vector3<f64>, height: f64) -> Clip {
    tilted(clip, about * std::f64::consts::FRAC_PI_2, height)
}

/// The same with a rotation vector \[rad\].
pub(crate) fn tilted(clip: &Clip, rotation: Vector3<f64>, height: f64) -> Clip {
    let turn = UnitQuaternion::new(rotation);
    let mut tracks: Vec<JointTracks> = clip.tracks().to_vec();
    let root = |frame: usize| {
        let local = clip.local(mocap_model::JointId::from(0), frame);
        let mut at = turn * local.translation.vector;
        at.y += height / CENTIMETRES;
        Isometry3::from_parts(at.into(), turn * local.rotation)
    };
    let placed: Vec<Isometry3<f64>> = (0..clip.frames()).map(root).collect();
    tracks[0].rotation = Track::Sampled(placed.iter().map(|at| at.rotation).collect());
    tracks[0].translation = Some(Track::Sampled(placed.iter().map(|at| at.translation.vector).collect()));
    Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).expect("the same joints")
}

pub(crate) fn put(clip: &Clip, robot: &Robot) -> (Vec<f64>, RobotReport) {
    let (motion, report) = retarget(clip, CENTIMETRES, robot, &RobotOptions::default()).expect("a humanoid");
    let humanoid = Humanoid::find(robot).expect("a humanoid");
    let pelvis = motion
        .poses
        .iter()
        .map(|pose| robot.place(&pose.base, &pose.values)[humanoid.pelvis].translation.vector.z);
    (pelvis.collect(), report)
}

#[test]
fn who_lies_comes_down_to_the_floor() {
    let clip = stands();
    for (name, about) in [("on the back", -Vector3::x()), ("prone", Vector3::x())] {
        for robot in [pip(), pip().scaled(0.2).expect("a robot"), pip().scaled(3.0).expect("a robot")] {
            let leg = Humanoid::find(&robot).expect("a humanoid").legs[0].lengths.iter().sum::<f64>();
            let (pelvis, report) = put(&turned(&clip, about, 0.14), &robot);
            let highest = pelvis.into_iter().fold(0.0, f64::max);
            assert!(highest < 0.3 * leg, "{name}: the pelvis is {highest} m up with legs of {leg} m");
            let follow = report.follow;
            let limbs = [follow.trunk, follow.thigh, follow.shank, follow.upper_arm.expect("arms")];
            assert!(limbs.iter().all(|off| *off < 5.0), "{name}: {follow:?}");
            // The toes of a prone robot are below its trunk.
            let float = report.float_p95.expect("it lies");
            assert!(float < 0.06 * leg, "{name}: {float} m");
            assert!(report.penetration.max < 1e-9, "{name}");
        }
    }
}
