//! Tables of a robot's motion as others write them: columns in any order, uneven times, joints that follow others.

use std::sync::Arc;

use mocap_formats::{Format, ReadError, ReadOptions};
use mocap_model::{Clip, JointId, RobotMotion, Skeleton};

const HEADER: &str = "time,root_x,root_y,root_z,root_qx,root_qy,root_qz,root_qw,hip,knee";

/// A thigh and a shank; `tie` is their `<equality>`.
fn leg(tie: &str) -> Arc<Skeleton> {
    let leg = format!(
        "<mujoco><worldbody><body name='pelvis'><freejoint/><body name='thigh'><joint name='hip' axis='0 1 0'/>
        <body name='shin'><joint name='knee' axis='0 1 0'/></body></body></body></worldbody>{tie}</mujoco>"
    );
    let robot = crate::robot_models::read(&leg).unwrap();
    Arc::new(Arc::new(robot).to_skeleton().unwrap())
}

type Said = Vec<(&'static str, Option<usize>)>;

/// The motion of a table, whose format is found, and the warnings with their frames.
fn read(table: &str, tie: &str) -> Result<(Clip, Said), ReadError> {
    let options = ReadOptions { body: Some(leg(tie)), ..ReadOptions::default() };
    let read = mocap_formats::read(table.as_bytes(), &options)?;
    let said = read.warnings.iter().map(|finding| (finding.code(), finding.context.frame)).collect();
    Ok((read.value.into_clip(&options)?.value, said))
}

/// A table with such rows of time, hip and knee; its columns are in the order of `names`.
fn table(names: &str, rows: &[[f64; 3]]) -> String {
    let mut text = format!("{names}\n");
    for [time, hip, knee] in rows {
        let row = [*time, 1.0, 2.0, 3.0, 0.28, 0.0, 0.0, 0.96, *hip, *knee];
        let value = |name: &str| row[HEADER.split(',').position(|column| column == name).unwrap()];
        let cells: Vec<String> = names.split(',').map(|name| value(name).to_string()).collect();
        text += &format!("{}\n", cells.join(","));
    }
    text
}

/// Rows at such times.
fn at(times: &[f64]) -> Vec<[f64; 3]> {
    times.iter().map(|time| [*time, 0.1, 0.2]).collect()
}

#[test]
fn columns_are_known_by_their_names() {
    let rows = [[0.0, 0.1, 0.2], [0.02, 0.3, 0.4]];
    let (expected, said) = read(&table(HEADER, &rows), "").unwrap();
    assert_eq!(said, []);
    assert_eq!(expected.local(JointId(0), 0).translation.vector.as_slice(), [1.0, 2.0, 3.0]);
    for names in [
        "time,root_x,root_z,root_y,root_qx,root_qy,root_qz,root_qw,hip,knee",
        "time,root_x,root_y,root_z,root_qw,root_qx,root_qy,root_qz,knee,hip",
        "root_qw,knee,root_qx,root_qy,time,root_qz,root_z,root_y,root_x,hip",
    ] {
        let (found, said) = read(&table(names, &rows), "").unwrap();
        assert_eq!(said, [], "{names}");
        let [expected, found] = [&expected, &found].map(|clip| RobotMotion::of_clip(clip).unwrap());
        assert_eq!(found, expected, "{names}");
    }
}

#[test]
fn columns_that_are_not_there_once_are_refused() {
    let rows = [[0.0, 0.1, 0.2]];
    for (names, why) in [
        (format!("{HEADER},hip"), "'hip' is there twice"),
        (format!("{HEADER},root_y"), "'root_y' is there twice"),
        (format!("{HEADER},time"), "'time' is there twice"),
        (HEADER.replace(",root_qw", ""), "no column 'root_qw'"),
        (HEADER.replace(",root_y", ""), "no column 'root_y'"),
        (HEADER.replace(",knee", ""), "no values for joint 'knee'"),
    ] {
        let error = read(&table(&names, &rows), "").expect_err("a table that must be refused").to_string();
        assert!(error.contains(why), "{names}: {error}");
    }
    let unknown = table(HEADER, &rows).replace("hip", "root_w");
    let error = read(&unknown, "").expect_err("a table that must be refused").to_string();
    assert!(error.contains("no joint 'root_w'"), "{error}");
}

#[test]
fn the_rate_is_that_of_most_steps_and_others_are_said() {
    let uneven = |frame| vec![("robot-motion::uneven", Some(frame))];
    for (times, said) in [
        (vec![0.0, 0.02, 0.04, 0.06, 0.08], vec![]),
        // A gap, a restart, a row twice.
        (vec![0.0, 0.02, 0.04, 5.06, 5.08, 5.1], uneven(3)),
        (vec![0.0, 0.02, 0.04, 0.0, 0.02, 0.04], uneven(3)),
        (vec![0.0, 0.02, 0.04, 0.06, 0.06, 0.08], uneven(4)),
    ] {
        let (clip, found) = read(&table(HEADER, &at(&times)), "").unwrap();
        assert_eq!((found, clip.frames()), (said, times.len()), "{times:?}");
        assert!((clip.rate().fps() - 50.0).abs() < 1e-9, "{times:?}: {}", clip.rate().fps());
    }
    let options = ReadOptions { body: Some(leg("")), ..ReadOptions::default() };
    let gap = table(HEADER, &at(&[0.0, 0.02, 0.04, 5.06, 5.08]));
    let said = mocap_formats::read(gap.as_bytes(), &options).unwrap().warnings[0].to_string();
    assert!(said.contains("is 5.0200 s after") && said.contains("most are 0.0200 s after"), "{said}");
    // Rounded times of 30 fps.
    let rounded: Vec<f64> = (0..91).map(|frame| (frame as f64 / 30.0 * 1000.0).round() / 1000.0).collect();
    let (clip, found) = read(&table(HEADER, &at(&rounded)), "").unwrap();
    assert_eq!((clip.rate().fps(), found), (30.0, vec![]));
    let error = read(&table(HEADER, &at(&[0.4, 0.2, 0.0])), "").expect_err("times that decrease").to_string();
    assert!(error.contains("do not give a rate"), "{error}");
}

#[test]
fn joints_off_those_they_follow_are_said() {
    let tie = "<equality><joint joint1='knee' joint2='hip' polycoef='0.1 2 0 0 0'/></equality>";
    let rows = |off: f64| [[0.0, 0.1, 0.3], [0.02, 0.2, 0.5 + off], [0.04, 0.3, 0.7]];
    assert_eq!(read(&table(HEADER, &rows(0.005)), tie).unwrap().1, []);
    let found = read(&table(HEADER, &rows(-0.4)), tie).unwrap().1;
    assert_eq!(found, [("robot-motion::off-mimic", Some(1))]);
    assert_eq!(read(&table(HEADER, &rows(-0.4)), "").unwrap().1, []);
    let options =
        ReadOptions { format: Some(Format::RobotCsv), body: Some(leg(tie)), ..ReadOptions::default() };
    let read = mocap_formats::read(table(HEADER, &rows(-0.4)).as_bytes(), &options).unwrap();
    let message = read.warnings[0].to_string();
    assert!(message.contains("'knee' has 0.09") && message.contains("follows 'hip'"), "{message}");
}
