//! Balance of a robot's motion: by its inertials, on the soles that touch the floor.

use std::ops::Range;

use mocap_analysis::{
    BALANCE_CUTOFF, BESIDE_SOLES, BalanceCurves, BodyBalance, Polygon, STANDING_SPEED, flights, low_pass,
    off_free_fall,
};
use mocap_model::{Clip, Isometry3, Robot, RobotMotion, RobotPose, UnitQuaternion, Vector3};
use nalgebra::{Point3, Quaternion};
use schemars::JsonSchema;
use serde::Serialize;

use crate::anatomy::Anatomy;
use crate::kinematics::Kinematics;
use crate::landmarks::Humanoid;
use crate::limb::Bends;
use crate::masses::Masses;
use crate::reference_leg::LEG;
use crate::sole::{foot_shapes, low_points};

/// Points of soles lower than this touch the floor, as a share of the leg: 1 cm on a leg of 60 cm. Soles of a small robot
/// swing lower.
const TOUCHING: f64 = 0.01 / LEG;

/// Points of soles lower than this touch the floor \[m\].
pub(crate) fn touching(humanoid: &Humanoid) -> f64 {
    TOUCHING * humanoid.leg_length()
}

/// Figures of balance. `None`: not measured, since the model states no masses, or no frame shows it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Balance {
    /// Mass of the robot (kg).
    pub mass: f64,
    /// Bodies whose mass the model does not state; they count nothing.
    pub without_mass: usize,
    /// Share of frames with a sole on the floor.
    pub supported: f64,
    /// Share of supported frames with the zero-moment point within the soles on the floor and 2 cm beside them.
    pub within: Option<f64>,
    /// How far the zero-moment point is outside the soles on the floor: 95th percentile of supported frames (m).
    pub distance_p95: Option<f64>,
    /// Share of frames that stand still (both soles on the floor, centre of mass below 0.1 m/s).
    pub still: f64,
    /// How far the ground point of the centre of mass is inside the soles, in the worst frame that stands still (m);
    /// negative outside.
    pub margin: Option<f64>,
    /// Share of frames that fly: 0.1 s or more without a sole on the floor, in which the centre of mass falls.
    pub flight: f64,
    /// How far the fall of the centre of mass is from free fall in flight, over free fall; `None` without flights.
    pub off_fall: Option<f64>,
}

/// Balance of the motion of a robot, by the masses of its model and the points of its soles that touch the floor;
/// `None` where the clip is not of a humanoid robot with masses.
pub fn robot_balance(clip: &Clip) -> Option<BodyBalance> {
    let robot = clip.skeleton().robot()?;
    let motion = RobotMotion::of_clip(clip).ok()?;
    let anatomy = Anatomy::of(&mut Kinematics::new(robot), &Bends::default()).ok()?;
    (anatomy.masses.total() > 0.0 && !motion.poses.is_empty()).then(|| track(robot, &anatomy, &motion))
}

/// Balance frame by frame.
pub(crate) fn track(robot: &Robot, anatomy: &Anatomy, motion: &RobotMotion) -> BodyBalance {
    let Anatomy { humanoid, masses, .. } = anatomy;
    let fps = motion.fps.fps();
    let touching = touching(humanoid);
    let smooth = smoothed(motion);
    let place = |pose: &RobotPose| masses.placed(&robot.place(&pose.base, &pose.values));
    let placed: Vec<Vec<Isometry3<f64>>> = smooth.iter().map(place).collect();
    let curves = BalanceCurves::of(&masses.segments, &placed, fps);
    let shapes = [0, 1].map(|foot| foot_shapes(robot, humanoid.soles[foot].body).collect::<Vec<_>>());
    let (mut soles, mut contact, mut still, mut centre) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (frame, pose) in motion.poses.iter().enumerate() {
        let bodies = robot.place(&pose.base, &pose.values);
        centre.push(masses.centre_of(&bodies));
        let on_floor: [Vec<_>; 2] = [0, 1].map(|foot| {
            let sole = &humanoid.soles[foot];
            let points: Vec<Point3<f64>> = match shapes[foot].is_empty() {
                true => sole.corners.map(|corner| bodies[sole.body] * corner).to_vec(),
                false => {
                    let low = shapes[foot].iter().flat_map(|shape| low_points(shape, &bodies[shape.body]));
                    low.map(|point| point.lowest()).collect()
                }
            };
            points.iter().filter(|point| point.z < touching).map(|point| point.coords.xy()).collect()
        });
        let stands = [0, 1].map(|foot: usize| !on_floor[foot].is_empty());
        contact.push(stands != [false; 2]);
        // Without masses there are no curves.
        let slow = curves.velocity.get(frame).is_some_and(|velocity| velocity.norm() < STANDING_SPEED);
        still.push(stands == [true; 2] && slow);
        soles.push(Polygon::around(&on_floor.concat()));
    }
    let flights = match curves.acceleration.is_empty() {
        true => Vec::new(),
        false => flights(&contact, &curves.acceleration, fps),
    };
    BodyBalance { curves, centre, soles, still, flights, fps, exact: true }
}

/// The figures; `None` without a mass.
pub(crate) fn figures(balance: &BodyBalance, robot: &Robot, masses: &Masses) -> Option<Balance> {
    let frames = balance.curves.centre.len();
    if frames == 0 {
        return None;
    }
    let share = |count: usize| count as f64 / frames as f64;
    let mut outsides: Vec<f64> = balance.zero_moment_outside().into_iter().flatten().collect();
    outsides.sort_by(f64::total_cmp);
    let within = outsides.iter().filter(|outside| **outside <= BESIDE_SOLES).count();
    let p95 = outsides.get((outsides.len().saturating_sub(1) as f64 * 0.95).round() as usize).copied();
    let margins = balance.margins(|frame| Some(balance.curves.centre[frame].xy()));
    let still: Vec<f64> = margins
        .into_iter()
        .zip(&balance.still)
        .filter(|(_, still)| **still)
        .filter_map(|(at, _)| at)
        .collect();
    Some(Balance {
        mass: masses.total(),
        without_mass: robot.bodies().len() - masses.bodies.len(),
        supported: share(outsides.len()),
        within: (!outsides.is_empty()).then(|| within as f64 / outsides.len() as f64),
        distance_p95: p95.filter(|distance| distance.is_finite()),
        still: share(still.len()),
        margin: still.iter().copied().min_by(f64::total_cmp),
        flight: share(balance.flights.iter().map(Range::len).sum()),
        off_fall: off_free_fall(&balance.centre, &balance.flights, balance.fps),
    })
}

/// The poses without what is faster than the cutoff: accelerations of the rest are those of the motion.
fn smoothed(motion: &RobotMotion) -> Vec<RobotPose> {
    let fps = motion.fps.fps();
    let joints = motion.poses.first().map_or(0, |pose| pose.values.len());
    let curve = |of: &dyn Fn(usize) -> f64| {
        let values: Vec<f64> = (0..motion.poses.len()).map(of).collect();
        low_pass(&values, BALANCE_CUTOFF, fps)
    };
    let values: Vec<Vec<f64>> =
        (0..joints).map(|joint| curve(&|frame| motion.poses[frame].values[joint])).collect();
    let places: [Vec<f64>; 3] =
        [0, 1, 2].map(|axis| curve(&|frame| motion.poses[frame].base.translation.vector[axis]));
    let mut turns: Vec<_> = motion.poses.iter().map(|pose| pose.base.rotation.coords).collect();
    for frame in 1..turns.len() {
        if turns[frame - 1].dot(&turns[frame]) < 0.0 {
            turns[frame] = -turns[frame];
        }
    }
    let turns: [Vec<f64>; 4] = [0, 1, 2, 3].map(|axis| curve(&|frame| turns[frame][axis]));
    let pose = |frame: usize| {
        let turn = turns.each_ref().map(|turn| turn[frame]);
        let turn = UnitQuaternion::new_normalize(Quaternion::from_vector(turn.into()));
        let at = Vector3::from(places.each_ref().map(|place| place[frame]));
        RobotPose {
            base: Isometry3::from_parts(at.into(), turn),
            values: values.iter().map(|values| values[frame]).collect(),
        }
    };
    (0..motion.poses.len()).map(pose).collect()
}
