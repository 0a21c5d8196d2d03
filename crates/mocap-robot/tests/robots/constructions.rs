//! Robots of other construction: the same robot with thicker parts or other feet moves as the robot itself does.

use mocap_formats::Limits;
use mocap_model::{
    Clip, ContactMask, Isometry3, Limit, Primitive, Robot, RobotBody, RobotJoint, RobotJointKind, RobotParts,
    RobotShape, UnitQuaternion, Vector3,
};
use mocap_retarget::map_roles;
use mocap_robot::{Humanoid, RobotOptions, RobotReport, Sole, retarget};

/// The robots of the corpus.
const ROBOTS: [&str; 5] = ["g1.xml", "g1_29dof.urdf", "t1.xml", "toddlerbot.xml", "pm01/pm_v2.xml"];

fn of_corpus(name: &str) -> Robot {
    let path = mocap_corpus::folder().join("robots").join(name);
    let include = |file: &str| std::fs::read(path.with_file_name(file)).map_err(|error| error.to_string());
    let model = std::fs::read(&path).expect("a model");
    mocap_formats::robot::parse(&model, &include, &Limits::default()).expect("a model").value.1
}

fn clip(name: &str, from: usize) -> Clip {
    let clip = crate::clip::real(name, from);
    let skeleton = map_roles(clip.skeleton()).apply(clip.skeleton());
    clip.with_skeleton(skeleton.into()).expect("the same joints")
}

/// A walk and a robot whose feet are flat, of the corpus.
fn walk_and_robot() -> (Clip, Robot) {
    (clip("cmu/12_01_walk.bvh", 1), of_corpus("g1.xml"))
}

fn put(walk: &Clip, robot: &Robot) -> RobotReport {
    let metres = walk.skeleton().space().unit.map_or(1.0, |unit| unit.metres);
    retarget(walk, metres, robot, &RobotOptions::default()).expect("a humanoid").1
}

/// The same with all shapes thicker.
fn thicker(robot: &Robot, by: f64) -> Robot {
    let mut parts = robot.clone().into_parts();
    for shape in &mut parts.shapes {
        match &mut shape.primitive {
            Primitive::Sphere { radius } | Primitive::Capsule { radius, .. } => *radius += by,
            Primitive::Cylinder { radius, half_length } => {
                *radius += by;
                *half_length += by;
            }
            Primitive::Box { half_sizes: sizes } | Primitive::Ellipsoid { radii: sizes } => {
                sizes.add_scalar_mut(by)
            }
            Primitive::Hull(_) => {}
        }
    }
    Robot::new(parts).expect("only thicker")
}

/// A ball, or a capsule between two points, and its radius: shares of half the sole forward and to the left, of a foot
/// whose lowest point is as high as its radius and `up` (also in half soles) more.
type Part = ([[f64; 3]; 2], f64);

/// The sole of a foot in its frame: its middle, and half of it forward, to the left, and as far up as it is wide.
struct Ground {
    middle: Vector3<f64>,
    axes: [Vector3<f64>; 3],
}

impl Ground {
    fn of(sole: &Sole) -> Ground {
        let [a, b, c, d] = sole.corners.map(|corner| corner.coords);
        let (forward, left) = ((a + b - c - d) / 4.0, (a - b + c - d) / 4.0);
        let up = forward.cross(&left).normalize();
        let radius = sole.radii.iter().sum::<f64>() / 4.0;
        Ground { middle: (a + b + c + d) / 4.0 - up * radius, axes: [forward, left, up * left.norm()] }
    }

    /// Shapes with their lowest points on it.
    fn shapes(&self, body: usize, parts: &[Part]) -> Vec<RobotShape> {
        let at = |share: [f64; 3], radius: f64| {
            let along = self.axes.iter().zip(share).map(|(axis, share)| axis * share);
            self.middle + along.sum::<Vector3<f64>>() + self.axes[2] * radius
        };
        let shape = |(ends, radius): &Part| {
            let [from, to] = ends.map(|end| at(end, *radius));
            between(body, (from, to, radius * self.axes[2].norm()))
        };
        parts.iter().map(shape).collect()
    }
}

/// The same with other shapes on its feet.
fn on_feet(robot: &Robot, shapes: &[Part]) -> Robot {
    let soles = Humanoid::find(robot).expect("a humanoid").soles;
    let mut parts = robot.clone().into_parts();
    let stays: Vec<bool> = (parts.shapes.iter())
        .map(|shape| soles.iter().all(|sole| !is_on(robot, sole.body, shape.body)))
        .collect();
    // Pairs name shapes by index.
    parts.pairs.retain(|pair| pair.iter().all(|shape| stays[*shape]));
    for pair in &mut parts.pairs {
        *pair = pair.map(|shape| stays[..shape].iter().filter(|stays| **stays).count());
    }
    let mut stays = stays.into_iter();
    parts.shapes.retain(|_| stays.next() == Some(true));
    for sole in &soles {
        parts.shapes.extend(Ground::of(sole).shapes(sole.body, shapes));
    }
    Robot::new(parts).expect("only other feet")
}

/// Whether a body is another one, or attached to it.
fn is_on(robot: &Robot, above: usize, body: usize) -> bool {
    let mut up = std::iter::successors(Some(body), |body| robot.bodies()[*body].parent);
    up.any(|body| body == above)
}

/// A capsule between two points, or a ball at one.
fn between(body: usize, (from, to, radius): (Vector3<f64>, Vector3<f64>, f64)) -> RobotShape {
    let turn = mocap_model::rotation_between(&Vector3::z(), &(to - from));
    let half_length = (to - from).norm() / 2.0;
    let (turn, primitive) = match half_length > 0.0 {
        true => (turn, Primitive::Capsule { radius, half_length }),
        false => (UnitQuaternion::identity(), Primitive::Sphere { radius }),
    };
    let placement = Isometry3::from_parts(((from + to) / 2.0).into(), turn);
    RobotShape { name: String::new(), body, placement, primitive, mask: ContactMask::default() }
}

/// The same with toes that a hinge moves: the front of the sole is on them.
fn with_toes(robot: &Robot) -> Robot {
    let rails = |from: f64, to: f64| [-0.6, 0.6].map(|y| ([[from, y, 0.0], [to, y, 0.0]], 0.3));
    let soles = Humanoid::find(robot).expect("a humanoid").soles;
    let mut parts = on_feet(robot, &rails(-0.9, 0.3)).into_parts();
    // The later foot first: bodies are inserted behind each.
    let mut soles = soles.to_vec();
    soles.sort_unstable_by_key(|sole| std::cmp::Reverse(sole.body));
    for sole in &soles {
        let toe = sole.body + 1;
        let moved = |body: usize| if body >= toe { body + 1 } else { body };
        for body in &mut parts.bodies {
            body.parent = body.parent.map(moved);
        }
        parts.joints.iter_mut().for_each(|joint| joint.body = moved(joint.body));
        parts.shapes.iter_mut().for_each(|shape| shape.body = moved(shape.body));
        for pair in &mut parts.excluded {
            *pair = pair.map(moved);
        }
        let mut ground = Ground::of(sole);
        let hinge = ground.middle + ground.axes[0] * 0.5 + ground.axes[2] * 0.5;
        ground.middle -= hinge;
        insert_toe(&mut parts, sole.body, (hinge, ground.axes[1].normalize()));
        parts.shapes.extend(ground.shapes(toe, &rails(0.5, 0.95)));
    }
    parts.home = None;
    Robot::new(parts).expect("toes are behind feet")
}

fn insert_toe(parts: &mut RobotParts, foot: usize, (place, axis): (Vector3<f64>, Vector3<f64>)) {
    let toe = RobotBody {
        name: format!("toe{foot}"),
        parent: Some(foot),
        placement: Isometry3::from_parts(place.into(), UnitQuaternion::identity()),
        mass: None,
        centre_of_mass: Vector3::zeros(),
        inertia: None,
    };
    parts.bodies.insert(foot + 1, toe);
    let hinge = RobotJoint {
        name: format!("toe_joint{foot}"),
        body: foot + 1,
        kind: RobotJointKind::Hinge,
        axis,
        anchor: Vector3::zeros(),
        reference: 0.0,
        limit: Some(Limit { min: -1.0, max: 0.5 }),
        velocity: None,
        acceleration: None,
        effort: None,
        mimic: None,
    };
    let at = parts.joints.iter().position(|joint| joint.body > foot).unwrap_or(parts.joints.len());
    for joint in &mut parts.joints {
        if let Some(mimic) = &mut joint.mimic {
            mimic.joint += usize::from(mimic.joint >= at);
        }
    }
    parts.joints.insert(at, hinge);
}

/// What is worse than the robot's own by more than 20 %, and not within the goals that any robot has. Legs that are
/// thicker pass each other further apart, which turns them by a few degrees. Thighs and arms may be `held_out` \[°\].
fn unlike(what: &str, own: &RobotReport, other: &RobotReport, held_out: [f64; 2]) -> Vec<String> {
    let mut worse = Vec::new();
    let skate = |report: &RobotReport| report.skate.map_or([0.0; 2], |skate| [skate.mean, skate.p95]);
    for (own, (other, goal)) in skate(own).into_iter().zip(skate(other).into_iter().zip([0.02, 0.1])) {
        if other > (1.2 * own).max(goal) {
            worse.push(format!("{what}: skates {other} m/s, itself {own}"));
        }
    }
    let (a, b) = (&own.follow, &other.follow);
    let limbs = [
        ("thighs", a.thigh, b.thigh, held_out[0]),
        ("shanks", a.shank, b.shank, 0.0),
        ("upper arms", a.upper_arm.unwrap_or(0.0), b.upper_arm.unwrap_or(0.0), held_out[1]),
        ("forearms", a.forearm.unwrap_or(0.0), b.forearm.unwrap_or(0.0), held_out[1]),
    ];
    for (limb, own, other, held_out) in limbs {
        if other > 1.2 * own + 3.0 + held_out {
            worse.push(format!("{what}: {limb} are {other}° off, itself {own}°"));
        }
    }
    if other.penetration.max >= 0.005 {
        worse.push(format!("{what}: {:?}", other.penetration));
    }
    worse
}

/// A row of the table in docs/robots.md.
fn row(name: &str, what: &str, report: &RobotReport) {
    let (follow, skate) = (&report.follow, report.skate.expect("it walks"));
    let shown = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.1}"));
    mocap_corpus::note!(
        "| {name} | {what} | {:.3} / {:.3} | {:.1}, {:.1}, {}, {} | {} | {:.1} |",
        skate.mean,
        skate.p95,
        follow.thigh,
        follow.shank,
        shown(follow.upper_arm),
        shown(follow.forearm),
        shown(report.self_added.map(|added| added.max * 1e3)),
        report.penetration.max * 1e3,
    );
}

/// How far a thigh and an upper arm of wide or small robots have to be held out \[°\]: two legs that pass each other part
/// by the same way each, an arm alone by what it and the trunk are thicker, where they meet last at its end.
fn held_out(robot: &Robot, by: f64) -> [f64; 2] {
    let humanoid = Humanoid::find(robot).expect("a humanoid");
    let (leg, arm) = (&humanoid.legs[0], &humanoid.arms.as_ref().expect("arms")[0]);
    [by / leg.lengths[0], 2.0 * by / arm.lengths[0]].map(|slope| slope.atan().to_degrees())
}

#[test]
fn thicker_parts_move_alike() {
    let walk = clip("cmu/12_01_walk.bvh", 1);
    let mut worse = Vec::new();
    for name in ROBOTS {
        let robot = of_corpus(name);
        let own = put(&walk, &robot);
        row(name, "as it is", &own);
        for by in [0.01, 0.02, 0.04] {
            let other = put(&walk, &thicker(&robot, by));
            row(name, &format!("{by} m thicker"), &other);
            let [thighs, arms] = held_out(&robot, by);
            let held_out = match name {
                "g1.xml" | "g1_29dof.urdf" => [0.0; 2],
                // Half a metre tall: its legs are as thick as they are long.
                "toddlerbot.xml" => [thighs, arms],
                _ => [0.0, arms],
            };
            worse.extend(unlike(&format!("{name}, {by} m thicker"), &own, &other, held_out));
        }
    }
    assert!(worse.is_empty(), "{worse:#?}");
}

#[test]
fn other_feet_move_alike() {
    let walk = clip("cmu/12_01_walk.bvh", 1);
    let mut worse = Vec::new();
    let ball = |x: f64, y: f64| ([[x, y, 0.0]; 2], 0.5);
    let three = [ball(0.9, 0.7), ball(0.9, -0.7), ball(-0.9, 0.0)];
    let five = [ball(0.9, 0.7), ball(0.9, -0.7), ball(0.0, 0.0), ball(-0.9, 0.7), ball(-0.9, -0.7)];
    let tilted = [-0.7, 0.7].map(|y| ([[0.9, y, 0.0], [-0.9, y, 1.0]], 0.3));
    for name in ROBOTS {
        let robot = of_corpus(name);
        let own = put(&walk, &robot);
        let rebuilt = [
            ("one ball", on_feet(&robot, &[ball(0.0, 0.0)])),
            ("three balls", on_feet(&robot, &three)),
            ("five balls", on_feet(&robot, &five)),
            ("tilted capsules", on_feet(&robot, &tilted)),
            ("toes", with_toes(&robot)),
        ];
        for (what, rebuilt) in rebuilt {
            let other = put(&walk, &rebuilt);
            row(name, what, &other);
            worse.extend(unlike(&format!("{name}, {what}"), &own, &other, [0.0; 2]));
        }
    }
    assert!(worse.is_empty(), "{worse:#?}");
}

#[test]
fn a_balanced_walk_stands() {
    let (walk, g1) = walk_and_robot();
    let t1 = of_corpus("t1.xml");
    let metres = walk.skeleton().space().unit.map_or(1.0, |unit| unit.metres);
    let options = RobotOptions { balance: true, ..RobotOptions::default() };
    for (robot, name) in [(&g1, "G1"), (&t1, "T1")] {
        let report = retarget(&walk, metres, robot, &options).expect("a humanoid").1;
        let within = report.balance.expect("masses").within.expect("soles on the floor");
        assert!(within > 0.96, "{name}: {within}");
        let plain = put(&walk, robot).follow;
        let follow = report.follow;
        assert!(follow.thigh < plain.thigh + 2.0 && follow.shank < plain.shank + 2.0, "{name}: {follow:?}");
    }
}

#[test]
fn a_walk_that_begins_and_ends_in_the_middle_of_a_step_is_followed() {
    // Over its sole, as if it stood, the centre of mass would be 15 cm further aside there.
    let walk = clip("misc/xia_neutral_01.bvh", 0);
    let metres = walk.skeleton().space().unit.map_or(1.0, |unit| unit.metres);
    let options = RobotOptions { balance: true, ..RobotOptions::default() };
    for name in ["g1.xml", "t1.xml"] {
        let robot = of_corpus(name);
        let [plain, balanced] = [&RobotOptions::default(), &options]
            .map(|options| retarget(&walk, metres, &robot, options).expect("a humanoid").1);
        let within = balanced.balance.expect("masses").within.expect("soles on the floor");
        assert!(within > 0.96, "{name}: {within}");
        let (own, follow) = (&plain.follow, &balanced.follow);
        assert!(follow.thigh < own.thigh + 1.0 && follow.shank < own.shank + 1.0, "{name}: {follow:?}");
    }
}

#[test]
fn a_hinge_that_a_limb_passes_turns_little_faster_than_the_source() {
    // Its right upper arm goes over the end of the range of the shoulder, which has to turn over.
    let dance = clip("bandai/dataset-1_dance-short_normal_001.bvh", 0);
    let sampled = dance.resampled(RobotOptions::default().fps).expect("a rate");
    let joints = || sampled.skeleton().iter().map(|(id, _)| id);
    let turn =
        |id, frame: usize| sampled.local(id, frame - 1).rotation.angle_to(&sampled.local(id, frame).rotation);
    let steps = (1..sampled.frames()).flat_map(|frame| joints().map(move |id| (id, frame)));
    let fastest = steps.map(|(id, frame)| turn(id, frame)).fold(0.0, f64::max);
    for name in ["g1.xml", "t1.xml"] {
        let report = put(&dance, &of_corpus(name));
        assert!(report.step_max <= fastest + 0.1 + 1e-9, "{name}: {}, {fastest}", report.step_max);
        assert!(report.skate.is_some_and(|skate| skate.p95 < 0.1), "{name}: {:?}", report.skate);
    }
}
