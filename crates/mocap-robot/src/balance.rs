//! Balance of a robot's motion: by its inertials, on the soles that touch the floor.

use std::ops::Range;

use mocap_analysis::{BalanceCurves, Polygon, flights, low_pass, off_free_fall};
use mocap_model::{Isometry3, Robot, RobotMotion, RobotPose, UnitQuaternion, Vector3};
use nalgebra::{Point3, Quaternion};
use schemars::JsonSchema;
use serde::Serialize;

use crate::anatomy::Anatomy;
use crate::masses::Masses;
use crate::sole::{foot_shapes, low_points};

/// What is faster than this is noise to accelerations \[Hz\].
const CUTOFF: f64 = 6.0;
/// Points of soles lower than this touch the floor \[m\].
const TOUCHING: f64 = 0.01;
/// The zero-moment point may be this far outside the soles \[m\].
pub(crate) const BESIDE: f64 = 0.02;

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

/// Balance frame by frame, and the soles on the floor.
pub(crate) struct BalanceTrack {
    pub(crate) curves: BalanceCurves,
    /// By frame: the centre of mass of the motion as it is \[m\].
    centre: Vec<Vector3<f64>>,
    fps: f64,
    pub(crate) soles: Vec<Polygon>,
    /// By frame: feet on the floor.
    pub(crate) touching: Vec<[bool; 2]>,
}

impl BalanceTrack {
    pub(crate) fn of(robot: &Robot, anatomy: &Anatomy, motion: &RobotMotion) -> BalanceTrack {
        let Anatomy { humanoid, masses, .. } = anatomy;
        let smooth = smoothed(motion);
        let place = |pose: &RobotPose| masses.placed(&robot.place(&pose.base, &pose.values));
        let placed: Vec<Vec<Isometry3<f64>>> = smooth.iter().map(place).collect();
        let curves = BalanceCurves::of(&masses.segments, &placed, motion.fps.fps());
        let shapes = [0, 1].map(|foot| foot_shapes(robot, humanoid.soles[foot].body).collect::<Vec<_>>());
        let (mut soles, mut touching, mut centre) = (Vec::new(), Vec::new(), Vec::new());
        for pose in &motion.poses {
            let bodies = robot.place(&pose.base, &pose.values);
            centre.push(masses.centre_of(&bodies));
            let on_floor: [Vec<_>; 2] = [0, 1].map(|foot| {
                let sole = &humanoid.soles[foot];
                let points: Vec<Point3<f64>> = match shapes[foot].is_empty() {
                    true => sole.corners.map(|corner| bodies[sole.body] * corner).to_vec(),
                    false => {
                        let low =
                            shapes[foot].iter().flat_map(|shape| low_points(shape, &bodies[shape.body]));
                        low.map(|point| point.lowest()).collect()
                    }
                };
                points.iter().filter(|point| point.z < TOUCHING).map(|point| point.coords.xy()).collect()
            });
            touching.push([0, 1].map(|foot: usize| !on_floor[foot].is_empty()));
            soles.push(Polygon::around(&on_floor.concat()));
        }
        BalanceTrack { curves, centre, fps: motion.fps.fps(), soles, touching }
    }

    /// The figures; `None` without a mass.
    pub(crate) fn figures(&self, robot: &Robot, masses: &Masses) -> Option<Balance> {
        /// A centre of mass slower than this stands still [m/s].
        const STILL: f64 = 0.1;
        let frames = self.curves.centre.len();
        if frames == 0 {
            return None;
        }
        let share = |count: usize| count as f64 / frames as f64;
        let supported = || (0..frames).filter(|frame| !self.soles[*frame].is_empty());
        let outside = |frame: usize| {
            // Where nothing presses on the floor, the soles on it cannot hold the motion.
            self.curves.zero_moment[frame]
                .map_or(f64::INFINITY, |at| (-self.soles[frame].margin(&at)).max(0.0))
        };
        let mut outsides: Vec<f64> = supported().map(outside).collect();
        outsides.sort_by(f64::total_cmp);
        let within = outsides.iter().filter(|outside| **outside <= BESIDE).count();
        let p95 = outsides.get((outsides.len().saturating_sub(1) as f64 * 0.95).round() as usize).copied();
        let still: Vec<usize> = (0..frames)
            .filter(|frame| self.touching[*frame] == [true; 2] && self.curves.velocity[*frame].norm() < STILL)
            .collect();
        let margin = |frame: &usize| self.soles[*frame].margin(&self.curves.centre[*frame].xy());
        let contact: Vec<bool> = self.touching.iter().map(|feet| *feet != [false; 2]).collect();
        let flights = flights(&contact, &self.curves.acceleration, self.fps);
        Some(Balance {
            mass: masses.total(),
            without_mass: robot.bodies().len() - masses.bodies.len(),
            supported: share(outsides.len()),
            within: (!outsides.is_empty()).then(|| within as f64 / outsides.len() as f64),
            distance_p95: p95.filter(|distance| distance.is_finite()),
            still: share(still.len()),
            margin: still.iter().map(margin).min_by(f64::total_cmp),
            flight: share(flights.iter().map(Range::len).sum()),
            off_fall: off_free_fall(&self.centre, &flights, self.fps),
        })
    }
}

/// The poses without what is faster than the cutoff: accelerations of the rest are those of the motion.
fn smoothed(motion: &RobotMotion) -> Vec<RobotPose> {
    let fps = motion.fps.fps();
    let joints = motion.poses.first().map_or(0, |pose| pose.values.len());
    let curve = |of: &dyn Fn(usize) -> f64| {
        let values: Vec<f64> = (0..motion.poses.len()).map(of).collect();
        low_pass(&values, CUTOFF, fps)
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
