//! Flights as free falls: what flies goes along a parabola, from where it left the floor to where it comes down.
//!
//! The fit that balances a motion already makes the centre of mass fall almost like this. The remaining deviation is
//! removed by moving the base, and with it the whole robot: joint angles and distances between parts do not change.

use std::ops::Range;

use mocap_analysis::{BodyBalance, GRAVITY};
use mocap_model::{Isometry3, Robot, RobotMotion, Vector3};

use crate::anatomy::Anatomy;
use crate::balance::{touching, track};
use crate::lowest::lowest;

/// A motion that moved changes which frames fly, so it is looked at again.
const ROUNDS: usize = 4;
/// Shorter ways are exact enough \[m\].
const EXACT: f64 = 1e-9;

/// Moves the base in flights. A flight without room above the floor stays as it is.
pub(crate) fn fall_freely(robot: &Robot, anatomy: &Anatomy, motion: &mut RobotMotion) {
    for _ in 0..ROUNDS {
        let BodyBalance { centre, flights, fps, .. } = track(robot, anatomy, motion);
        let mut furthest: f64 = 0.0;
        for flight in flights {
            let ways = ways(&centre, &flight, fps);
            if has_room(robot, anatomy, motion, &flight, &ways) {
                for (pose, way) in motion.poses[flight].iter_mut().zip(&ways) {
                    pose.base.translation.vector += way;
                    furthest = furthest.max(way.norm());
                }
            }
        }
        if furthest < EXACT {
            return;
        }
    }
}

/// By frame of a flight: the way from the centre of mass to the parabola between the frames beside the flight.
fn ways(centre: &[Vector3<f64>], flight: &Range<usize>, fps: f64) -> Vec<Vector3<f64>> {
    let (first, last) = (flight.start.saturating_sub(1), flight.end.min(centre.len() - 1));
    let length = (last - first).max(1) as f64;
    let way = |frame: usize| {
        let at = (frame - first) as f64;
        let straight = centre[first] + (centre[last] - centre[first]) * (at / length);
        let fallen = 0.5 * GRAVITY * at * (length - at) / (fps * fps);
        straight + Vector3::z() * fallen - centre[frame]
    };
    flight.clone().map(way).collect()
}

/// Whether the robot stays off the floor where it would go down.
fn has_room(
    robot: &Robot,
    anatomy: &Anatomy,
    motion: &RobotMotion,
    flight: &Range<usize>,
    ways: &[Vector3<f64>],
) -> bool {
    let mut placed: Vec<Isometry3<f64>> = Vec::new();
    motion.poses[flight.clone()].iter().zip(ways).all(|(pose, way)| {
        robot.place_into(&pose.base, &pose.values, &mut placed);
        way.z >= 0.0 || lowest(robot, &anatomy.humanoid, &placed) + way.z >= touching(&anatomy.humanoid)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flight_is_bent_to_a_parabola_between_its_ends() {
        let centre: Vec<_> =
            (0..12).map(|frame| Vector3::new(0.01 * f64::from(frame * frame), 0.0, 0.8)).collect();
        let flight = 3..9;
        let ways = ways(&centre, &flight, 30.0);
        let at = |frame: usize| match flight.contains(&frame) {
            true => centre[frame] + ways[frame - flight.start],
            false => centre[frame],
        };
        for frame in flight.clone() {
            let bend = (at(frame + 1) - at(frame) * 2.0 + at(frame - 1)) * 900.0;
            assert!((bend + Vector3::z() * GRAVITY).norm() < 1e-9, "{frame}: {bend}");
        }
    }

    #[test]
    fn a_flight_to_the_end_of_a_clip_ends_where_the_clip_does() {
        let centre = [Vector3::new(0.0, 0.0, 0.8); 4];
        let at_end = ways(&centre, &(1..4), 30.0);
        assert_eq!((at_end.len(), at_end[2]), (3, Vector3::zeros()));
        assert_eq!(ways(&centre[..1], &(0..1), 30.0), [Vector3::zeros()]);
    }
}
