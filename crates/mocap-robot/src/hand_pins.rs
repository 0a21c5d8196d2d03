//! Hands of the robot that are held on the floor: the lowest point of each, and the place of its wrist.

use mocap_analysis::runs;
use mocap_model::{Isometry3, Robot, RobotPose};
use nalgebra::{Point3, Vector2};

use crate::anatomy::Anatomy;
use crate::limb::Limb;
use crate::report::RobotHand;
use crate::sole::footing;
use crate::source::SourceFrame;

/// A hand that is held on the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HandPin {
    /// Where its wrist is held along the floor \[m\]; `None` where it slides.
    pub(crate) place: Option<Vector2<f64>>,
}

/// The pins of both hands.
pub(crate) type HandPins = [Option<HandPin>; 2];

/// By frame: where hands are held, each at its mean place while it stays.
pub(crate) fn hand_pins(
    frames: &[SourceFrame],
    (robot, anatomy): (&Robot, &Anatomy),
    poses: &[RobotPose],
) -> Vec<HandPins> {
    let mut pins = vec![[None; 2]; frames.len()];
    let Some(arms) = &anatomy.humanoid.arms else { return pins };
    for (hand, arm) in arms.iter().enumerate() {
        let wrist = |frame: usize| {
            let pose = &poses[frame];
            arm.end.at(&robot.place(&pose.base, &pose.values)).coords.xy()
        };
        for frame in (0..frames.len()).filter(|frame| frames[*frame].hands[hand].presses) {
            pins[frame][hand] = Some(HandPin { place: None });
        }
        let stays: Vec<bool> = frames.iter().map(|frame| frame.hands[hand].stays).collect();
        for run in runs(&stays) {
            let place = run.clone().map(wrist).sum::<Vector2<f64>>() / run.len() as f64;
            run.for_each(|frame| pins[frame][hand] = Some(HandPin { place: Some(place) }));
        }
    }
    pins
}

/// A hand that is further off the floor is not on it [arm lengths]: 3 cm of a person.
const OFF: f64 = 0.055;

/// How far hands are off the floor that the source's press on it, by hand.
pub(crate) fn hand_figures(
    (robot, anatomy): (&Robot, &Anatomy),
    placed: &[Vec<Isometry3<f64>>],
    frames: &[SourceFrame],
) -> Vec<RobotHand> {
    let arms = anatomy.humanoid.arms.iter().flatten().enumerate();
    let figures = |(hand, arm): (usize, &Limb)| {
        let pressed = placed.iter().zip(frames).filter(|(_, frame)| frame.hands[hand].presses);
        let off: Vec<f64> = pressed
            .map(|(placed, _)| lowest_of_hand(robot, arm, &anatomy.hands[hand], placed).1.z.abs())
            .collect();
        let far = OFF * arm.lengths.iter().sum::<f64>();
        (!off.is_empty()).then(|| RobotHand {
            side: ["left", "right"][hand],
            contact_frames: off.len(),
            off_frames: off.iter().filter(|off| **off > far).count(),
            off_max: off.iter().copied().fold(0.0, f64::max),
        })
    };
    arms.filter_map(figures).collect()
}

/// The lowest point of a hand, and its body: of its shapes, or the wrist without any. `shapes` are those of the hand.
pub(crate) fn lowest_of_hand(
    robot: &Robot,
    arm: &Limb,
    shapes: &[usize],
    placed: &[Isometry3<f64>],
) -> (usize, Point3<f64>) {
    let points = shapes.iter().map(|shape| &robot.shapes()[*shape]).flat_map(|shape| {
        footing(shape, &placed[shape.body]).into_iter().map(|point| (shape.body, point.lowest()))
    });
    let lowest = points.min_by(|(_, a), (_, b)| a.z.total_cmp(&b.z));
    lowest.unwrap_or_else(|| (arm.end.body, arm.end.at(placed)))
}
