//! The motion of a robot in the arrays of trainers.

use mocap_model::{FrameRate, Robot, RobotMotion};

use super::rate::usual_rate;
use super::table::pose;
use super::{Order, Problem};
use crate::arrays::{Array, Source};
use crate::{Finding, Format, LimitExceeded, Limits, Parsed};

/// The names of the arrays in a kind of file.
struct Layout {
    format: Format,
    joints: &'static str,
    names: &'static str,
    /// Position and rotation of the base: the first of all bodies, or an array of the base only.
    base: [&'static str; 2],
    /// Whether quaternions have W first.
    w_first: bool,
}

const LAYOUTS: [Layout; 3] = [
    Layout {
        format: Format::MjlabNpz,
        joints: "joint_pos",
        names: "joint_names",
        base: ["body_pos_w", "body_quat_w"],
        w_first: true,
    },
    Layout {
        format: Format::IsaacNpz,
        joints: "dof_positions",
        names: "dof_names",
        base: ["body_positions", "body_rotations"],
        w_first: true,
    },
    Layout {
        format: Format::GmrNpz,
        joints: "dof_pos",
        names: "dof_names",
        base: ["root_pos", "root_rot"],
        w_first: false,
    },
];

/// Whether a file with these arrays holds the motion of a robot.
pub(crate) fn is_robot_motion(has: impl Fn(&str) -> bool) -> bool {
    LAYOUTS.iter().any(|layout| has(layout.joints) && has(layout.base[0]))
}

/// The format of a file with these arrays.
pub(crate) fn robot_format(has: impl Fn(&str) -> bool) -> Format {
    let layout = LAYOUTS.iter().find(|layout| has(layout.joints) && has(layout.base[0]));
    layout.unwrap_or(&LAYOUTS[0]).format
}

/// Whether quaternions have W first in a format.
pub(super) fn w_first(format: Format) -> bool {
    LAYOUTS.iter().any(|layout| layout.format == format && layout.w_first)
}

/// Whether an array is needed to read the motion; the others are computed from these.
fn is_needed(name: &str) -> bool {
    name == "fps"
        || LAYOUTS
            .iter()
            .any(|layout| name == layout.joints || name == layout.names || layout.base.contains(&name))
}

/// Reads the motion of a robot.
pub(crate) fn read_arrays(
    read: impl Fn(&dyn Fn(&str) -> bool) -> Result<crate::arrays::Arrays, Finding>,
    robot: Option<&Robot>,
    fps: Option<f64>,
    limits: &Limits,
) -> Result<Parsed<RobotMotion>, Finding> {
    let robot = robot.ok_or_else(|| Finding::new(Problem::NeedsRobot))?;
    let arrays = read(&is_needed)?;
    let source = Source { arrays: &arrays, suffix: ".npy" };
    let layout = LAYOUTS.iter().find(|layout| arrays.get(layout.joints).is_some()).unwrap_or(&LAYOUTS[0]);
    let values = source.need(layout.joints)?;
    let frames = values.shape.first().copied().unwrap_or(0);
    if frames == 0 {
        return Err(Finding::new(Problem::NoFrames));
    }
    if frames > limits.frames {
        return Err(Finding::new(LimitExceeded { what: "frames", found: frames, limit: limits.frames }));
    }
    let count = robot.joints().len();
    if let [_, found] = values.shape[..]
        && found != count
    {
        let robot = robot.name().to_owned();
        return Err(Finding::new(Problem::OtherRobot { found, robot, joints: count }));
    }
    source.shaped(layout.joints, &[frames, count])?;
    let mut warnings = Vec::new();
    let joints = match source.texts(layout.names)? {
        Some(names) => in_robot(names, robot)?,
        None => {
            warnings.push(Finding::new(Problem::Unnamed));
            Order::Dfs.joints(robot)
        }
    };
    let [places, turns] = [(layout.base[0], 3), (layout.base[1], 4)].map(|(name, width)| {
        let array = source.need(name)?;
        let bodies = match array.shape[..] {
            [rows, bodies, last] if rows == frames && last == width && bodies > 0 => bodies,
            [rows, last] if rows == frames && last == width => 1,
            _ => {
                let expected = format!("({frames}, bodies, {width})");
                let found = array.shape.clone();
                return Err(source.error(name, |path| crate::arrays::Problem::Shape {
                    path,
                    found,
                    expected,
                }));
            }
        };
        let at = move |frame: usize, i: usize| source.finite(name, array, (frame * bodies) * width + i);
        Ok::<_, Finding>(at)
    });
    let (places, turns) = (places?, turns?);
    let mut poses = Vec::with_capacity(frames);
    for frame in 0..frames {
        let mut numbers = Vec::with_capacity(7 + count);
        for axis in 0..3 {
            numbers.push(places(frame, axis)?);
        }
        let order = if layout.w_first { [1, 2, 3, 0] } else { [0, 1, 2, 3] };
        for part in order {
            numbers.push(turns(frame, part)?);
        }
        for joint in 0..count {
            numbers.push(source.finite(layout.joints, values, frame * count + joint)?);
        }
        poses.push(pose(&numbers, &joints).map_err(|problem| Finding::new(problem).in_frame(frame))?);
    }
    let stated = match arrays.get("fps") {
        Some(Array { data, .. }) if data.len() == 1 && data.number(0).is_some() => data.number(0),
        Some(Array { shape, .. }) => {
            return Err(source.value("fps", format!("{shape:?}"), "expected one number"));
        }
        None => None,
    };
    let fps = match fps.or(stated) {
        Some(fps) => FrameRate::new(fps)
            .ok_or_else(|| source.value("fps", String::new(), "expected a finite number above 0"))?,
        None => {
            let usual = usual_rate(layout.format);
            warnings.push(Finding::new(Problem::NoRate { fps: usual.fps() }));
            usual
        }
    };
    Ok(Parsed { value: RobotMotion { fps, poses }, warnings })
}

/// The joints of a robot that are named.
fn in_robot(names: &[String], robot: &Robot) -> Result<Vec<usize>, Finding> {
    let mut joints = Vec::with_capacity(names.len());
    for name in names {
        let found = robot.find_joint(name);
        joints.push(found.ok_or_else(|| Finding::new(Problem::UnknownJoint { name: name.clone() }))?);
    }
    match (0..robot.joints().len()).find(|joint| !joints.contains(joint)) {
        Some(joint) => {
            let name = robot.joints()[joint].name.clone();
            Err(Finding::new(Problem::MissingJoint { name }))
        }
        None => Ok(joints),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrays::{Arrays, Data};
    use crate::robot::parse;

    /// A thigh and a shank with a knee.
    fn robot() -> Robot {
        let leg = br#"<mujoco><worldbody><body name="thigh"><freejoint/>
            <body name="shin"><joint name="knee" axis="1 0 0"/></body>
        </body></worldbody></mujoco>"#;
        parse(leg, &|_: &str| Err(String::new()), &Limits::default()).unwrap().value.1
    }

    /// Two frames, with these rates.
    fn read(rates: Option<Vec<f64>>) -> Result<Parsed<RobotMotion>, Finding> {
        let mut arrays = Arrays::default();
        arrays.insert("joint_pos", Array::new([2, 1], Data::F64(vec![0.1, 0.2])));
        arrays.insert("body_pos_w", Array::new([2, 1, 3], Data::F64(vec![0.0; 6])));
        let turns = vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        arrays.insert("body_quat_w", Array::new([2, 1, 4], Data::F64(turns)));
        if let Some(rates) = rates {
            arrays.insert("fps", Array::new([rates.len()], Data::F64(rates)));
        }
        read_arrays(|_| Ok(arrays.clone()), Some(&robot()), None, &Limits::default())
    }

    #[test]
    fn a_rate_is_one_number_above_0_and_its_absence_is_said() {
        let codes = |read: &Parsed<RobotMotion>| -> Vec<&str> {
            read.warnings.iter().map(|warning| warning.problem.code()).collect()
        };
        let stated = read(Some(vec![50.0])).unwrap();
        assert_eq!((stated.value.fps.fps(), codes(&stated)), (50.0, vec!["robot-motion::unnamed"]));
        let usual = read(None).unwrap();
        assert_eq!(usual.value.fps, usual_rate(Format::MjlabNpz));
        assert_eq!(codes(&usual), ["robot-motion::unnamed", "robot-motion::no-rate"]);
        for wrong in [vec![], vec![50.0, 50.0], vec![0.0], vec![-1.0], vec![f64::NAN], vec![5e-324]] {
            let error = read(Some(wrong.clone())).unwrap_err().to_string();
            assert!(error.contains("fps"), "{wrong:?}: {error}");
        }
    }
}
