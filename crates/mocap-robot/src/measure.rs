//! Measures a robot's motion against its goals.

use mocap_model::{Isometry3, Limit, Robot, RobotMotion, RobotPose, Vector3};
use nalgebra::Point3;

use crate::anatomy::Anatomy;
use crate::balance::{figures, touching, track};
use crate::cost::{Goal, LimbDirections};
use crate::hand_pins::hand_figures;
use crate::highest::Highest;
use crate::landmarks::Humanoid;
use crate::limb::Limb;
use crate::lowest::lowest;
use crate::report::{Excess, Follow, RobotReport, Skate};
use crate::sole::{foot_shapes, low_points};
use crate::solids::{Depths, Placed, Solids};
use crate::source::SourceFrame;

/// Deeper soles count as penetrating the floor \[m\].
const DEEP: f64 = 0.005;
/// Surfaces deeper than this count as penetrating each other \[m\].
const INSIDE: f64 = 0.01;
/// A faster sole counts as skating [m/s].
const SKATING: f64 = 0.15;

/// Measures a motion against its goals, and against the contacts of the source.
pub(crate) fn measure(
    (robot, solids): (&Robot, &Solids),
    anatomy: &Anatomy,
    motion: &RobotMotion,
    goals: &[Goal],
    frames: &[SourceFrame],
    highest: &Highest,
    leg_ratio: f64,
) -> RobotReport {
    let humanoid = &anatomy.humanoid;
    let placed: Vec<Vec<Isometry3<f64>>> =
        motion.poses.iter().map(|pose| robot.place(&pose.base, &pose.values)).collect();
    let soles = [0, 1].map(|foot| sole_figures(robot, humanoid, foot, &placed, motion.fps.fps()));
    let low: Vec<f64> = (0..placed.len())
        .map(|frame| soles.iter().map(|sole| sole.heights[frame]).fold(f64::INFINITY, f64::min))
        .collect();
    let lowest: Vec<f64> = placed.iter().map(|placed| lowest(robot, humanoid, placed)).collect();
    let mut skate: Vec<f64> = soles.iter().flat_map(|sole| &sole.speeds).copied().collect();
    let skate_share = share(skate.len(), skate.iter().filter(|speed| **speed > SKATING).count());
    let float = frames.iter().enumerate().filter_map(|(frame, source)| match source.stands() {
        true => Some(low[frame]),
        false if source.lies() => lowest_beside_feet(robot, anatomy, &placed[frame]),
        false => None,
    });
    let mut float: Vec<f64> = float.collect();
    let mut jerks = jerks(motion);
    let (self_penetration, self_added) = self_penetration(solids, &placed).unzip();
    let limb = |limbs: &[Limb; 2], of: &dyn Fn(&Goal) -> Option<LimbDirections>, segment: usize| {
        mean_angle(humanoid, Followed { placed: &placed, goals, frames }, limbs, of, segment)
    };
    let legs = |segment: usize| limb(&humanoid.legs, &|goal| Some(goal.legs), segment).unwrap_or(0.0);
    let arms =
        |segment: usize| humanoid.arms.as_ref().and_then(|arms| limb(arms, &|goal| goal.arms, segment));
    let (trunk, trunk_max) = trunk_angles(anatomy, &placed, goals);
    let balance = track(robot, anatomy, motion);
    let figures = figures(&balance, robot, &anatomy.masses);
    RobotReport {
        frames: placed.len(),
        fps: motion.fps.fps(),
        leg_ratio,
        cannot_follow: humanoid.cannot_follow(robot),
        limits: over_limits(robot, &motion.poses),
        velocity: over_velocities(motion, &highest.speeds),
        acceleration: over_accelerations(motion, &highest.accelerations),
        skate: percentile(&mut skate, 0.95).zip(skate_share).map(|(p95, share)| Skate {
            mean: skate.iter().sum::<f64>() / skate.len() as f64,
            p95,
            share,
        }),
        penetration: Excess {
            share: share(lowest.len(), lowest.iter().filter(|low| **low < -DEEP).count()).unwrap_or(0.0),
            max: lowest.iter().fold(0.0, |deepest: f64, low| deepest.max(-low)),
        },
        float_p95: percentile(&mut float, 0.95),
        hands: hand_figures((robot, anatomy), &placed, frames),
        self_penetration,
        self_added,
        step_max: largest_step(&motion.poses),
        jerk_p99: percentile(&mut jerks, 0.99),
        follow: Follow {
            trunk,
            trunk_max,
            thigh: legs(0),
            shank: legs(1),
            upper_arm: arms(0),
            forearm: arms(1),
            head: head_angle(anatomy, &placed, goals),
        },
        off_balance: figures.is_some().then(|| balance.off_balance()),
        balance: figures,
        not_balanced: Vec::new(),
        off_hinge: None,
        path: path_ratio(humanoid, &placed, goals),
    }
}

/// The height of the lowest shape that belongs to no foot \[m\]; `None` without any.
fn lowest_beside_feet(robot: &Robot, anatomy: &Anatomy, placed: &[Isometry3<f64>]) -> Option<f64> {
    let others = robot.shapes().iter().filter(|shape| anatomy.feet[shape.body].is_none());
    let heights = others.map(|shape| shape.lowest(&placed[shape.body], &Vector3::z()));
    heights.min_by(f64::total_cmp)
}

fn share(of: usize, count: usize) -> Option<f64> {
    (of > 0).then(|| count as f64 / of as f64)
}

/// Interpolated linearly between the nearest values, as in NumPy.
fn percentile(values: &mut [f64], share: f64) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let at = share * values.len().checked_sub(1)? as f64;
    let (below, above) = (values[at.floor() as usize], values[at.ceil() as usize]);
    Some(below + (above - below) * at.fract())
}

/// What a foot does over the floor.
struct SoleFigures {
    /// By frame: the height of its lowest point \[m\].
    heights: Vec<f64>,
    /// By step: the speed of the slowest point that touches the floor in both frames, if there is one [m/s].
    speeds: Vec<f64>,
}

fn sole_figures(
    robot: &Robot,
    humanoid: &Humanoid,
    foot: usize,
    placed: &[Vec<Isometry3<f64>>],
    fps: f64,
) -> SoleFigures {
    let (sole, touching) = (&humanoid.soles[foot], touching(humanoid));
    let shapes: Vec<_> = foot_shapes(robot, sole.body).collect();
    let points = |placed: &Vec<Isometry3<f64>>| -> Vec<Point3<f64>> {
        match shapes.is_empty() {
            true => sole.corners.map(|corner| placed[sole.body] * corner).to_vec(),
            false => {
                let points = shapes.iter().flat_map(|shape| low_points(shape, &placed[shape.body]));
                points.map(|point| point.lowest()).collect()
            }
        }
    };
    let mut figures = SoleFigures { heights: Vec::with_capacity(placed.len()), speeds: Vec::new() };
    // Meshes have many points, so those of two frames are kept, not of all.
    let mut before: Option<Vec<Point3<f64>>> = None;
    for placed in placed {
        let now = points(placed);
        figures.heights.push(now.iter().map(|point| point.z).fold(f64::INFINITY, f64::min));
        if let Some(before) = before {
            let both = before.iter().zip(&now).filter(|(a, b)| a.z < touching && b.z < touching);
            figures.speeds.extend(both.map(|(a, b)| (b - a).xy().norm() * fps).min_by(f64::total_cmp));
        }
        before = Some(now);
    }
    figures
}

fn over_limits(robot: &Robot, poses: &[RobotPose]) -> Excess {
    let mut over = 0;
    let mut worst: f64 = 0.0;
    for pose in poses {
        for (joint, value) in robot.joints().iter().zip(&pose.values) {
            if let Some(Limit { min, max }) = joint.limit {
                let excess = (min - value).max(value - max);
                over += usize::from(excess > 1e-9);
                worst = worst.max(excess);
            }
        }
    }
    Excess { share: share(poses.len() * robot.joints().len(), over).unwrap_or(0.0), max: worst }
}

/// Values beyond the limits of their joints, for joints with limits. `value` takes a joint's values in `WINDOW`
/// frames.
fn over<const WINDOW: usize>(
    motion: &RobotMotion,
    limits: &[Option<f64>],
    value: impl Fn([f64; WINDOW]) -> f64,
) -> Option<Excess> {
    let (mut count, mut over, mut worst) = (0, 0, 0.0f64);
    for poses in motion.poses.windows(WINDOW) {
        for (joint, limit) in limits.iter().enumerate() {
            let Some(limit) = limit else { continue };
            let ratio = value(std::array::from_fn(|frame| poses[frame].values[joint])) / limit;
            count += 1;
            over += usize::from(ratio > 1.0 + 1e-6);
            worst = worst.max(ratio);
        }
    }
    share(count, over).map(|share| Excess { share, max: worst })
}

fn over_velocities(motion: &RobotMotion, velocities: &[Option<f64>]) -> Option<Excess> {
    over(motion, velocities, |[a, b]| (b - a).abs() * motion.fps.fps())
}

fn over_accelerations(motion: &RobotMotion, accelerations: &[Option<f64>]) -> Option<Excess> {
    over(motion, accelerations, |[a, b, c]| (a - 2.0 * b + c).abs() * motion.fps.fps().powi(2))
}

/// Depths of shapes in each other that may not touch: in total, and beyond their depth by design.
fn self_penetration(solids: &Solids, placed: &[Vec<Isometry3<f64>>]) -> Option<(Excess, Excess)> {
    if !solids.can_meet() || placed.is_empty() {
        return None;
    }
    let mut shapes = Placed::default();
    let deepest = |bodies: &Vec<Isometry3<f64>>| {
        solids.place(bodies, &mut shapes);
        solids.deepest(&shapes)
    };
    let depths: Vec<Depths> = placed.iter().map(deepest).collect();
    let excess = |of: fn(&Depths) -> f64| {
        let inside = depths.iter().filter(|depths| of(depths) > INSIDE).count();
        let share = inside as f64 / depths.len() as f64;
        Excess { share, max: depths.iter().map(of).fold(0.0, f64::max) }
    };
    Some((excess(|depths| depths.whole), excess(|depths| depths.added)))
}

fn largest_step(poses: &[RobotPose]) -> f64 {
    let step = |pair: &[RobotPose]| {
        let steps = pair[0].values.iter().zip(&pair[1].values).map(|(a, b)| (b - a).abs());
        steps.fold(0.0, f64::max)
    };
    poses.windows(2).map(step).fold(0.0, f64::max)
}

fn jerks(motion: &RobotMotion) -> Vec<f64> {
    let per_second = motion.fps.fps().powi(3);
    let of = |four: &[RobotPose]| -> Vec<f64> {
        let value = |frame: usize, joint: usize| four[frame].values[joint];
        let third = |j: usize| value(3, j) - 3.0 * value(2, j) + 3.0 * value(1, j) - value(0, j);
        (0..four[0].values.len()).map(|joint| third(joint).abs() * per_second).collect()
    };
    motion.poses.windows(4).flat_map(of).collect()
}

/// Transforms to the horizontal frame of the hips, whose lateral axis is `across`.
fn to_hips(across: &Vector3<f64>, v: &Vector3<f64>) -> Vector3<f64> {
    let y = Vector3::new(across.x, across.y, 0.0).try_normalize(1e-9).unwrap_or_else(Vector3::y);
    let x = y.cross(&Vector3::z());
    Vector3::new(x.dot(v), y.dot(v), v.z)
}

/// A motion beside what it follows, by frame.
struct Followed<'a> {
    placed: &'a [Vec<Isometry3<f64>>],
    goals: &'a [Goal],
    frames: &'a [SourceFrame],
}

fn mean_angle(
    humanoid: &Humanoid,
    followed: Followed<'_>,
    limbs: &[Limb; 2],
    directions: &dyn Fn(&Goal) -> Option<LimbDirections>,
    segment: usize,
) -> Option<f64> {
    let mut sum = 0.0;
    let mut count = 0;
    let Followed { placed, goals, frames } = followed;
    for ((placed, goal), frame) in placed.iter().zip(goals).zip(frames) {
        let [left, right] = [0, 1].map(|leg| humanoid.legs[leg].base.at(placed));
        // Hips of who lies on the side have no horizontal frame.
        let [own_across, goal_across] = match frame.is_down {
            true => [Vector3::y(); 2],
            false => [left - right, goal.across],
        };
        for (limb, directions) in limbs.iter().zip(directions(goal)?) {
            let points = [limb.base, limb.middle, limb.end].map(|point| point.at(placed));
            let own = to_hips(&own_across, &(points[segment + 1] - points[segment]));
            let wanted = to_hips(&goal_across, &directions[segment]);
            sum += own.angle(&wanted).to_degrees();
            count += 1;
        }
    }
    (count > 0).then(|| sum / count as f64)
}

/// Between the trunks of robot and source, upwards in the world: the mean and the largest.
fn trunk_angles(anatomy: &Anatomy, placed: &[Vec<Isometry3<f64>>], goals: &[Goal]) -> (f64, f64) {
    let [_, at_rest, ..] = &anatomy.at_rest;
    let up = at_rest.inverse() * Vector3::z();
    let off = |(placed, goal): (&Vec<Isometry3<f64>>, &Goal)| {
        let own = placed[anatomy.humanoid.torso].rotation * up;
        own.angle(&(goal.torso * Vector3::z())).to_degrees()
    };
    let angles = placed.iter().zip(goals).map(off);
    let (sum, max) = angles.fold((0.0, 0.0f64), |(sum, max), angle| (sum + angle, max.max(angle)));
    (sum / placed.len().max(1) as f64, max)
}

/// Between where the heads of robot and source face in the world.
fn head_angle(anatomy: &Anatomy, placed: &[Vec<Isometry3<f64>>], goals: &[Goal]) -> Option<f64> {
    let head = anatomy.humanoid.head.as_ref()?;
    let off = |(placed, goal): (&Vec<Isometry3<f64>>, &Goal)| {
        let faces = placed[head.body].rotation * anatomy.head_at_rest.inverse() * Vector3::x();
        Some(faces.angle(&(goal.head? * Vector3::x())).to_degrees())
    };
    let angles: Vec<f64> = placed.iter().zip(goals).map(off).collect::<Option<_>>()?;
    (!angles.is_empty()).then(|| angles.iter().sum::<f64>() / angles.len() as f64)
}

fn path_ratio(humanoid: &Humanoid, placed: &[Vec<Isometry3<f64>>], goals: &[Goal]) -> Option<f64> {
    let hips = |placed: &Vec<Isometry3<f64>>| {
        let [left, right] = [0, 1].map(|leg| humanoid.legs[leg].base.at(placed).coords);
        (left + right) / 2.0
    };
    let way = (hips(placed.last()?) - hips(placed.first()?)).xy().norm();
    let wanted = (goals.last()?.hips - goals.first()?.hips).xy().norm();
    let leg: f64 = humanoid.legs[0].lengths.iter().sum();
    (wanted > leg).then(|| way / wanted)
}
