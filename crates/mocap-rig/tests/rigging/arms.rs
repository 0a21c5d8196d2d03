//! Persons of capsules whose arms are not alike, straight ahead, across the body, or on the hips.

use mocap_model::{Body, Mesh, Role, Vector3};
use mocap_rig::{FoundBody, Matrix3, RigError, RigMesh, find_body};

use crate::person::{Places, posed};

/// Corners around the capsules of a body.
const CORNERS: usize = 16;
/// The largest distance of a joint from its place, as a share of the height.
const NEAR: f64 = 0.06;
/// Joints below this confidence are reported as uncertain.
const UNCERTAIN: f64 = 0.35;

fn v(x: f64, y: f64, z: f64) -> Vector3<f64> {
    Vector3::new(x, y, z)
}

fn found(mesh: &Mesh) -> Result<FoundBody, RigError> {
    let body = Body { meshes: vec![mesh.clone()], ..Body::default() };
    find_body(&RigMesh::new(&body, &mesh.positions, 1_000_000)?, None, None)
}

/// The joints that are further from their places than they should be, with their distances and confidences.
fn wrong(found: &FoundBody, places: &Places, change: &Matrix3<f64>) -> Vec<(Role, f64, f64)> {
    let mirrored = change.determinant() < 0.0;
    let off = |(role, place): &(Role, Vector3<f64>)| {
        let role = if mirrored { role.mirrored() } else { *role };
        let landmark = &found.landmarks[&role];
        (role, (landmark.place - change * place).norm() / found.frame.height, landmark.confidence)
    };
    places.iter().map(off).filter(|(_, off, _)| *off > NEAR).collect()
}

/// As it is, turned about the vertical, in centimetres, a mirror image.
fn changes() -> [(&'static str, Matrix3<f64>); 4] {
    let turn = Matrix3::new(-0.6, 0.0, 0.8, 0.0, 1.0, 0.0, -0.8, 0.0, -0.6);
    let mirror = Matrix3::from_diagonal(&v(-1.0, 1.0, 1.0));
    [
        ("as it is", Matrix3::identity()),
        ("turned", turn),
        ("in centimetres", Matrix3::identity() * 100.0),
        ("mirrored", mirror),
    ]
}

/// Asserts that all joints of a body are found, however its file has it.
fn assert_found(name: &str, arms: [[Vector3<f64>; 2]; 2]) {
    let (mesh, places) = posed(CORNERS, arms, 0.0);
    for (change, linear) in changes() {
        let mut other =
            Mesh { positions: mesh.positions.iter().map(|at| linear * at).collect(), ..mesh.clone() };
        if linear.determinant() < 0.0 {
            other.turn_inside_out();
        }
        let found = found(&other).unwrap_or_else(|error| panic!("{name}, {change}: {error}"));
        let wrong = wrong(&found, &places, &linear);
        assert!(wrong.is_empty(), "{name}, {change}: {wrong:?}");
    }
}

const DOWN: [Vector3<f64>; 2] = [Vector3::new(-0.35, -1.0, 0.0); 2];

#[test]
fn arms_that_are_not_alike_leave_the_head_where_it_is() {
    let up = [v(0.15, 1.0, 0.0); 2];
    let bent = [v(-0.3, -1.0, 0.0), v(-0.1, 0.0, 1.0)];
    assert_found("up, and bent forward", [up, bent]);
    assert_found("aside, and bent forward", [[v(1.0, 0.0, 0.0); 2], bent]);
    assert_found("up, and down", [up, DOWN]);
}

#[test]
fn arms_straight_ahead_have_their_shoulders_in_the_body() {
    let [left, right] = [1.0, -1.0].map(|side| [v(0.1 * side, 0.0, 1.0); 2]);
    assert_found("both ahead", [left, right]);
    assert_found("one ahead, one down", [left, DOWN]);
}

#[test]
fn a_hand_on_the_other_side_belongs_to_its_arm() {
    let across = [v(-0.1, -0.7, 0.7), v(-0.95, 0.05, 0.3)];
    let ahead = [v(0.3, 0.0, 1.0); 2];
    let (_, places) = posed(CORNERS, [across, ahead], 0.0);
    let x = |role: Role| places.iter().find(|place| place.0 == role).map(|place| place.1.x).unwrap();
    assert!(x(Role::LeftHand) < x(Role::RightHand), "the hands have changed sides");
    assert_found("across", [across, ahead]);
}

#[test]
fn hands_on_the_hips_are_found_or_refused_or_doubted() {
    let mut refused = 0;
    for gap in 0..8 {
        // From hands in the hips to hands beside them: between both, large voxels separate them and small ones do not.
        let out = 0.06 + 0.004 * f64::from(gap);
        let arm = |side: f64| [v(0.77 * side, -0.57, -0.29), v((-0.247 + out) * side, -0.295, 0.13)];
        let (mesh, places) = posed(CORNERS, [arm(1.0), arm(-1.0)], 0.0);
        match found(&mesh) {
            Err(error) => {
                assert_eq!(error.code(), "rig::not-human", "{out}: {error}");
                refused += 1;
            }
            Ok(found) => {
                let mut wrong = wrong(&found, &places, &Matrix3::identity());
                wrong.retain(|(_, _, confidence)| *confidence >= UNCERTAIN);
                assert!(wrong.is_empty(), "{out}: {wrong:?}");
            }
        }
    }
    assert!((1..8).contains(&refused), "{refused} of 8 poses are refused");
}
