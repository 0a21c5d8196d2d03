//! Tables of world positions.

use mocap_formats::csv;
use mocap_model::*;
use std::sync::Arc;

fn joint(name: &str, parent: Option<u32>, y: f64) -> Joint {
    Joint::new(name, parent.map(JointId), Vector3::new(0.0, y, 0.0))
}

#[test]
fn a_row_for_each_joint_and_frame() {
    let mut joints = vec![
        joint("hips, \"main\"", None, 90.0),
        joint("leg", Some(0), -45.0),
        joint("sole", Some(1), -40.0),
    ];
    joints[2].end_site = true;
    let skeleton = Skeleton::new("", Space::default(), joints).unwrap();
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    let quarter = exp(&Vector3::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
    tracks[1].rotation = Track::Sampled(vec![UnitQuaternion::identity(), quarter]);
    let clip = Clip::new(Arc::new(skeleton), FrameRate::new(120.0).unwrap(), 2, tracks).unwrap();
    let mut table = Vec::new();
    csv::write(&clip, &mut table).unwrap();
    let expected = "frame,time,joint,x,y,z
0,0,\"hips, \"\"main\"\"\",0,90,0
0,0,leg,0,45,0
0,0,leg_End,0,5,0
1,0.008333,\"hips, \"\"main\"\"\",0,90,0
1,0.008333,leg,0,45,0
1,0.008333,leg_End,40,45,0
";
    assert_eq!(String::from_utf8(table).unwrap(), expected);
}

#[test]
fn every_row_of_a_frame_has_a_name_of_its_own() {
    let mut joints = vec![
        joint("a", None, 1.0),
        joint("x", Some(0), 1.0),
        joint("y", Some(0), 2.0),
        joint("a_End_2", Some(0), 3.0),
        joint("z", Some(3), 3.0),
    ];
    [1, 2, 4].iter().for_each(|&end| joints[end].end_site = true);
    let skeleton = Skeleton::new("", Space::default(), joints).unwrap();
    let tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    let clip = Clip::new(Arc::new(skeleton), FrameRate::new(120.0).unwrap(), 1, tracks).unwrap();
    let mut table = Vec::new();
    csv::write(&clip, &mut table).unwrap();
    let table = String::from_utf8(table).unwrap();
    let names: Vec<&str> = table.lines().skip(1).map(|row| row.split(',').nth(2).unwrap()).collect();
    assert_eq!(names, ["a", "a_End", "a_End_3", "a_End_2", "a_End_2_End"]);
}

#[test]
fn errors_of_the_output_are_passed_on() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("full"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let skeleton = Skeleton::new("", Space::default(), vec![joint("a", None, 1.0)]).unwrap();
    let tracks = vec![JointTracks::at_rest(&skeleton.joints()[0])];
    let clip = Clip::new(Arc::new(skeleton), FrameRate::new(30.0).unwrap(), 1, tracks).unwrap();
    assert_eq!(csv::write(&clip, &mut Full).unwrap_err().to_string(), "full");
}
