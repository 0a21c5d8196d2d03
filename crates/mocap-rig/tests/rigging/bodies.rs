//! A body made of capsules, whose joints are known, found again in other axes, sizes and poses.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::person::{Places, capsule, person};
use mocap_model::{Body, JointId, Mesh, Role, SignedAxis, Skeleton, Space, Vector3};
use mocap_rig::{
    BoneSegment, FoundBody, Matrix3, PlaceWeights, RigError, RigMesh, Voxels, WeightMethod, find_body, fit,
    humanoid, rest_places, segments, weigh,
};
use nalgebra::Rotation3;

/// Corners around the capsules of a body.
const CORNERS: usize = 16;

fn surface(mesh: &Mesh) -> Result<RigMesh, RigError> {
    let body = Body { meshes: vec![mesh.clone()], ..Body::default() };
    RigMesh::new(&body, &mesh.positions, 1_000_000)
}

fn found(mesh: &Mesh) -> Result<FoundBody, RigError> {
    find_body(&surface(mesh)?, None, None)
}

fn moved(mesh: &Mesh, change: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> Mesh {
    Mesh { positions: mesh.positions.iter().map(change).collect(), ..mesh.clone() }
}

/// The greatest distance of a found joint from its place, as a share of the height; with the role.
fn worst(found: &FoundBody, places: &Places, change: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> (f64, Role) {
    let off = |(role, place): &(Role, Vector3<f64>)| {
        ((found.landmarks[role].place - change(place)).norm() / found.frame.height, *role)
    };
    places.iter().map(off).fold((0.0, Role::Hips), |worst, next| if next.0 > worst.0 { next } else { worst })
}

#[test]
fn joints_are_found_in_several_poses() {
    for (lowered, ahead) in [(0.0, 0.0), (0.7, 0.0), (1.1, 0.0), (0.9, 0.35)] {
        let (mesh, places) = person(CORNERS, lowered, ahead);
        let found = found(&mesh).unwrap_or_else(|error| panic!("{lowered} {ahead}: {error}"));
        let (off, role) = worst(&found, &places, |place| *place);
        assert!(
            off < 0.06,
            "arms {lowered}, legs {ahead}: {role} is off by {:.1} % of the height",
            100.0 * off
        );
        assert!(found.frame.forward.z > 0.95 && found.frame.up == Vector3::y(), "{:?}", found.frame);
    }
}

#[test]
fn other_axes_sizes_and_places_change_only_so() {
    let (mesh, places) = person(CORNERS, 0.8, 0.0);
    let straight = found(&mesh).unwrap();
    let turn = Matrix3::new(0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0);
    let quarter = Matrix3::new(-0.6, 0.0, 0.8, 0.0, 1.0, 0.0, -0.8, 0.0, -0.6);
    for (name, linear, scale) in
        [("axes", turn, 1.0), ("heading", quarter, 1.0), ("centimetres", Matrix3::identity(), 100.0)]
    {
        let change = |place: &Vector3<f64>| linear * place * scale + Vector3::new(3.0, -2.0, 5.0) * scale;
        let found = found(&moved(&mesh, change)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let (off, role) = worst(&found, &places, change);
        let (before, _) = worst(&straight, &places, |place| *place);
        assert!(off < before + 0.015, "{name}: {role} is off by {off:.3}, before {before:.3}");
        assert!((found.frame.forward - linear * Vector3::z()).norm() < 0.15, "{name}: {:?}", found.frame);
        let left = found.landmarks[&Role::LeftHand].place - found.landmarks[&Role::RightHand].place;
        assert!(left.dot(&(linear * Vector3::x())) > 0.0, "{name}: left and right");
    }
}

#[test]
fn the_trunk_bends_below_the_ribs_in_any_size() {
    let (mesh, _) = person(CORNERS, 0.8, 0.0);
    for scale in [1.0, 100.0] {
        let found = found(&moved(&mesh, |place| place * scale)).unwrap();
        let at = |role: Role| found.landmarks[&role].place / scale;
        let (hips, neck, spine) = (at(Role::Hips), at(Role::Neck), at(Role::Spine));
        let share = |role: Role| (at(role).y - hips.y) / (neck.y - hips.y);
        let shares = [Role::Spine, Role::Chest, Role::UpperChest].map(share);
        assert!(shares[0] > 0.0 && shares[0] < shares[1] && shares[1] < shares[2], "{shares:?}");
        assert!(shares[2] < 0.5, "the ribs are stiff: {shares:?}");
        let middle = (at(Role::LeftUpperLeg) + at(Role::RightUpperLeg)) * 0.5;
        assert!((spine.z - middle.z).abs() < 1e-6 && hips.z < spine.z, "{hips:?} {spine:?}");
    }
}

#[test]
fn stated_axes_count() {
    let (mesh, _) = person(CORNERS, 0.8, 0.0);
    let back = SignedAxis { negative: true, ..SignedAxis::Z };
    let found = find_body(&surface(&mesh).unwrap(), Some(SignedAxis::Y), Some(back)).unwrap();
    assert!(found.frame.forward.z < -0.9 && found.frame.left.x < -0.9);
    let left = found.landmarks[&Role::LeftHand].place;
    assert!(left.x < 0.0, "who looks back has the left hand on the other side: {left:?}");
}

#[test]
fn what_is_no_person_is_refused_with_what_was_seen() {
    let v = Vector3::new;
    let mut ball = Mesh::default();
    capsule(CORNERS, &mut ball, v(0.0, 0.0, 0.0), v(0.0, 0.1, 0.0), [0.5, 0.5]);
    assert!(matches!(found(&ball), Err(RigError::NotHuman { .. })), "a ball");
    let mut dog = Mesh::default();
    capsule(CORNERS, &mut dog, v(0.0, 0.6, -0.4), v(0.0, 0.6, 0.4), [0.13, 0.13]);
    capsule(CORNERS, &mut dog, v(0.0, 0.65, 0.45), v(0.0, 0.9, 0.75), [0.08, 0.07]);
    capsule(CORNERS, &mut dog, v(0.0, 0.65, -0.45), v(0.0, 0.8, -0.85), [0.03, 0.02]);
    for (x, z) in [(0.1, 0.35), (-0.1, 0.35), (0.1, -0.35), (-0.1, -0.35)] {
        capsule(CORNERS, &mut dog, v(x, 0.55, z), v(x, 0.04, z), [0.05, 0.03]);
    }
    assert!(
        matches!(found(&dog), Err(RigError::NotHuman { .. })),
        "a dog: {:?}",
        found(&dog).map(|found| found.frame)
    );
    let (mut two, _) = person(CORNERS, 0.8, 0.0);
    let other = moved(&two, |place| place + v(3.0, 0.0, 0.0));
    let first = two.positions.len() as u32;
    two.positions.extend(other.positions);
    two.faces.extend(other.faces);
    two.corners.extend(other.corners.iter().map(|corner| corner + first));
    assert!(matches!(found(&two), Err(RigError::SeveralBodies { count: 2, .. })), "two people");
}

#[test]
fn a_mesh_without_inside_or_size_is_refused() {
    let v = Vector3::new;
    let flat = |positions: Vec<Vector3<f64>>, faces: usize| Mesh {
        positions,
        faces: vec![3; faces],
        corners: (0..3 * faces as u32).collect(),
        ..Mesh::default()
    };
    let triangle = vec![v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    assert!(matches!(found(&flat(triangle.clone(), 1)), Err(RigError::NoSolid { .. })));
    assert_eq!(surface(&flat(triangle, 0)).unwrap_err(), RigError::NoFaces { vertices: 3 });
    assert_eq!(surface(&flat(vec![v(1.0, 1.0, 1.0); 3], 1)).unwrap_err(), RigError::NoSize);
    let bad = vec![v(0.0, 0.0, 0.0), v(f64::NAN, 0.0, 0.0), v(0.0, 1.0, 0.0)];
    assert!(matches!(surface(&flat(bad, 1)), Err(RigError::NotFinite { vertex: 1, .. })));
    let (mesh, _) = person(CORNERS, 0.8, 0.0);
    let body = Body { meshes: vec![mesh.clone()], ..Body::default() };
    let refused = RigMesh::new(&body, &mesh.positions, 1000);
    assert!(matches!(refused, Err(RigError::Budget { most: 1000, .. })));
}

/// A mesh, the skeleton that was fitted to it, and what its weights are made of.
struct Fitted {
    surface: RigMesh,
    voxels: Voxels,
    segments: Vec<BoneSegment>,
    names: Vec<String>,
}

/// A person, and the weights of each method with up to eight influences: several tests look at them.
static PERSON: LazyLock<(Fitted, Vec<(WeightMethod, PlaceWeights)>)> = LazyLock::new(|| {
    let person = fitted(&person(CORNERS, 0.8, 0.0).0);
    let weights = WeightMethod::NAMED.map(|(_, method)| (method, weights_of(&person, method, 8)));
    (person, weights.into())
});

fn fitted(mesh: &Mesh) -> Fitted {
    let surface = surface(mesh).unwrap();
    let skeleton =
        fit(&humanoid(), &found(mesh).unwrap(), &BTreeMap::new(), Space::default()).unwrap().skeleton;
    let voxels = Voxels::new(&surface, 120);
    let segments = segments(&skeleton, &rest_places(&skeleton), &voxels, surface.size, |_: JointId| true);
    let names = skeleton.joints().iter().map(|joint| joint.name.clone()).collect();
    Fitted { surface, voxels, segments, names }
}

fn weights_of(person: &Fitted, method: WeightMethod, influences: usize) -> PlaceWeights {
    weigh(&person.surface, &person.voxels, &person.segments, method, influences).unwrap()
}

#[test]
fn weights_are_shares_and_stay_on_their_side() {
    let (person, _) = &*PERSON;
    let (mesh, names) = (&person.surface, &person.names);
    for (_, method) in WeightMethod::NAMED {
        let weights = weights_of(person, method, 4);
        let mut used = std::collections::BTreeSet::new();
        for place in 0..mesh.places.len() {
            let of = weights.of(place);
            let sum: f64 = of.iter().map(|(_, weight)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-6 && !of.is_empty() && of.len() <= 4, "{method:?}: {of:?}");
            assert!(of.iter().all(|(_, weight)| *weight > 0.0 && *weight <= 1.0 + 1e-12));
            used.insert(of[0].0);
            let at = mesh.places[place];
            for (joint, weight) in of {
                let name = &names[joint.index()];
                let leg = ["UpLeg", "Leg", "Foot", "ToeBase"].iter().any(|part| name.ends_with(part));
                let other = if at.x > 0.0 { "Right" } else { "Left" };
                // On the shins, far from the middle.
                let bleeds = leg && at.y < 0.5 && name.starts_with(other) && *weight > 0.01;
                assert!(!bleeds, "{method:?}: {name} has {weight:.3} at {at:?}");
            }
        }
        assert!(used.len() > 15, "{method:?}: {} joints lead somewhere", used.len());
    }
}

#[test]
fn arms_do_not_move_the_waist() {
    let (Fitted { surface: mesh, names, .. }, weights) = &*PERSON;
    for (method, weights) in weights {
        let mut waist = 0;
        for (place, at) in mesh.places.iter().enumerate() {
            if at.x.abs() > 0.17 || at.y < 0.95 || at.y > 1.15 {
                continue;
            }
            waist += 1;
            for (joint, weight) in weights.of(place) {
                let name = &names[joint.index()];
                let arm = ["Shoulder", "Arm", "Hand"].iter().any(|part| name.contains(part));
                assert!(!arm, "{method:?}: {name} has {weight:.3} at {at:?}");
            }
        }
        assert!(waist > 50, "{waist} places");
    }
}

#[test]
fn weights_are_the_same_on_every_run_and_mirror_images() {
    let (Fitted { surface: mesh, names, .. }, weights) = &*PERSON;
    let again = fitted(&person(CORNERS, 0.8, 0.0).0);
    for (method, first) in weights {
        assert_eq!(*first, weights_of(&again, *method, 8));
        assert!(first.mirrored, "the body is its own mirror image");
        let compared = mirror_images(mesh, first, names);
        assert!(compared > mesh.places.len() / 2, "{compared} places have a mirror image");
    }
}

/// Compares the weights of places with those of their mirror images; returns how many have one.
fn mirror_images(mesh: &RigMesh, weights: &PlaceWeights, names: &[String]) -> usize {
    let other = |name: &str| match name.strip_prefix("Left") {
        Some(rest) => format!("Right{rest}"),
        None => name.strip_prefix("Right").map_or(name.to_owned(), |rest| format!("Left{rest}")),
    };
    let mut compared = 0;
    for place in 0..mesh.places.len() {
        let at = mesh.places[place];
        let image = Vector3::new(-at.x, at.y, at.z);
        let near = |other: &usize| (mesh.places[*other] - image).norm() < 1e-6;
        let Some(twin) = (0..mesh.places.len()).find(near) else { continue };
        for (joint, weight) in weights.of(place) {
            let name = other(&names[joint.index()]);
            let twin = weights.of(twin).iter().find(|(joint, _)| names[joint.index()] == name);
            assert!((twin.map_or(0.0, |twin| twin.1) - weight).abs() < 1e-5, "{name} at {at:?}");
        }
        compared += 1;
    }
    compared
}

#[test]
fn a_body_that_is_turned_stays_its_own_mirror_image() {
    let (mesh, _) = person(CORNERS, 0.8, 0.0);
    for heading in [0.09f64, 0.3, 0.5] {
        let (sin, cos) = heading.sin_cos();
        let turn = Matrix3::new(cos, 0.0, sin, 0.0, 1.0, 0.0, -sin, 0.0, cos);
        let weights = weights_of(&fitted(&moved(&mesh, |at| turn * at)), WeightMethod::Heat, 8);
        assert!(weights.mirrored, "turned by {heading}");
    }
}

#[test]
fn fixed_joints_stay_where_they_are_put() {
    let (mesh, _) = person(CORNERS, 0.8, 0.0);
    let found = found(&mesh).unwrap();
    let place = Vector3::new(0.2, 1.41, 0.01);
    let fixed = BTreeMap::from([("LeftArm".to_owned(), place)]);
    let fitted = fit(&humanoid(), &found, &fixed, Space::default()).unwrap();
    let at = fitted.skeleton.find("LeftArm").unwrap();
    assert!((rest_places(&fitted.skeleton)[at.index()] - place).norm() < 1e-12);
    assert_eq!(fitted.joints[at.index()].confidence, 1.0);
    let unknown = BTreeMap::from([("Tail".to_owned(), place)]);
    assert_eq!(
        fit(&humanoid(), &found, &unknown, Space::default()).unwrap_err(),
        RigError::NoJoint { joint: "Tail".into() }
    );
}

#[test]
fn the_inside_of_a_sphere_is_a_sphere() {
    let mut ball = Mesh::default();
    capsule(CORNERS, &mut ball, Vector3::zeros(), Vector3::new(0.0, 1e-9, 0.0), [1.0, 1.0]);
    let voxels = Voxels::new(&surface(&ball).unwrap(), 60);
    let volume = voxels.volume();
    let corner = |at: u32| ball.positions[at as usize];
    let parts =
        ball.corners.chunks_exact(3).map(|of| corner(of[0]).dot(&corner(of[1]).cross(&corner(of[2]))) / 6.0);
    let exact: f64 = parts.sum();
    assert!((volume / exact - 1.0).abs() < 0.02, "{volume} {exact}");
    let depths = voxels.depths();
    let deepest = depths.iter().copied().fold(0.0, f64::max);
    assert!((deepest - 1.0).abs() < 0.1, "{deepest}");
    // Turned inside out, it encloses the same.
    let mut inverted = ball.clone();
    inverted.turn_inside_out();
    assert_eq!(Voxels::new(&surface(&inverted).unwrap(), 60).inside, voxels.inside);
    // A nested shell changes nothing.
    let mut shells = ball.clone();
    capsule(CORNERS, &mut shells, Vector3::zeros(), Vector3::new(0.0, 1e-9, 0.0), [0.5, 0.5]);
    assert_eq!(Voxels::new(&surface(&shells).unwrap(), 60).inside, voxels.inside);
}

/// An affine transform: a linear map, then a translation.
struct Change {
    name: &'static str,
    linear: Matrix3<f64>,
    way: Vector3<f64>,
}

/// A rotation about a skew axis, other axes, scales, a translation, a reflection.
fn changes() -> Vec<Change> {
    let skew = Rotation3::new(Vector3::new(0.3, -0.5, 0.8).normalize() * 0.5).into_inner();
    let mirror = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, -1.0));
    let none = Vector3::zeros();
    vec![
        Change { name: "turned by 28.65° about a skew axis", linear: skew, way: none },
        Change {
            name: "in other axes",
            linear: Matrix3::new(0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0),
            way: none,
        },
        Change { name: "in centimetres", linear: Matrix3::identity() * 100.0, way: none },
        Change { name: "elsewhere", linear: Matrix3::identity(), way: Vector3::new(3.0, -2.0, 7.0) },
        Change { name: "a mirror image", linear: mirror, way: none },
        Change { name: "all of it", linear: mirror * skew * 0.01, way: Vector3::new(-1.0, 0.5, 0.2) },
    ]
}

impl Change {
    fn place(&self, at: &Vector3<f64>) -> Vector3<f64> {
        self.linear * at + self.way
    }

    /// The mesh, its faces still outwards.
    fn mesh(&self, mesh: &Mesh) -> Mesh {
        let mut made = moved(mesh, |at| self.place(at));
        if self.linear.determinant() < 0.0 {
            made.turn_inside_out();
        }
        made
    }

    /// The skeleton at rest, without rest rotations.
    fn skeleton(&self, skeleton: &Skeleton) -> Skeleton {
        let mut joints = skeleton.joints().to_vec();
        for joint in &mut joints {
            joint.offset =
                self.linear * joint.offset + if joint.parent.is_none() { self.way } else { Vector3::zeros() };
        }
        Skeleton::new(skeleton.name(), *skeleton.space(), joints).unwrap()
    }
}

/// By place the largest difference of a weight, and that of the worst place.
fn apart(a: &PlaceWeights, b: &PlaceWeights) -> f64 {
    assert_eq!(a.starts.len(), b.starts.len());
    let one = |place: usize| {
        let weight = |of: &PlaceWeights, joint: JointId| {
            of.of(place).iter().find(|one| one.0 == joint).map_or(0.0, |one| one.1)
        };
        let joints = a.of(place).iter().chain(b.of(place)).map(|one| one.0);
        joints.map(|joint| (weight(a, joint) - weight(b, joint)).abs()).fold(0.0, f64::max)
    };
    (0..a.starts.len() - 1).map(one).fold(0.0, f64::max)
}

#[test]
fn weights_are_those_of_the_body_however_its_file_has_it() {
    // One leg ahead: without symmetry, differences cannot be hidden.
    let (mesh, _) = person(CORNERS, 0.8, 0.3);
    let fitted = fit(&humanoid(), &found(&mesh).unwrap(), &BTreeMap::new(), Space::default()).unwrap();
    let of = |mesh: &Mesh, skeleton: &Skeleton, method: WeightMethod| {
        let surface = surface(mesh).unwrap();
        let voxels = Voxels::new(&surface, 120);
        let bones = segments(skeleton, &rest_places(skeleton), &voxels, surface.size, |_: JointId| true);
        weigh(&surface, &voxels, &bones, method, 4).unwrap()
    };
    for (name, method) in WeightMethod::NAMED {
        let straight = of(&mesh, &fitted.skeleton, method);
        for change in changes() {
            let other = of(&change.mesh(&mesh), &change.skeleton(&fitted.skeleton), method);
            let off = apart(&straight, &other);
            assert!(off < 1e-6, "{name}, {}: weights differ by up to {off:.2e}", change.name);
        }
    }
}

#[test]
fn a_body_that_stands_has_the_same_joints_however_its_file_has_it() {
    // On flat soles.
    let mesh = moved(&person(CORNERS, 0.8, 0.0).0, |at| Vector3::new(at.x, at.y.max(0.04), at.z));
    let straight = found(&mesh).unwrap();
    for change in changes() {
        let other = found(&change.mesh(&mesh)).unwrap_or_else(|error| panic!("{}: {error}", change.name));
        let mirrored = change.linear.determinant() < 0.0;
        for (role, landmark) in &straight.landmarks {
            let role = if mirrored { role.mirrored() } else { *role };
            let off =
                (other.landmarks[&role].place - change.place(&landmark.place)).norm() / other.frame.height;
            // About a voxel: rounding may move the level at which a limb ends.
            assert!(off < 0.006, "{}: {role} is off by {:.2} % of the height", change.name, 100.0 * off);
        }
    }
}

#[test]
fn arms_that_nearly_touch_the_head_are_arms() {
    // With the largest voxels the arms and the head merge, with smaller ones they do not.
    let (raised, _) = person(CORNERS, -1.5, 0.0);
    for nearer in [0.028, 0.03] {
        let mesh = moved(&raised, |at| match at.y > 1.45 && at.x.abs() > 0.12 {
            true => Vector3::new(at.x - nearer * at.x.signum(), at.y, at.z),
            false => *at,
        });
        let found = found(&mesh).unwrap_or_else(|error| panic!("{nearer}: {error}"));
        let [head, left, right] =
            [Role::Head, Role::LeftHand, Role::RightHand].map(|role| found.landmarks[&role].place);
        assert!(
            head.x.abs() < 0.02 && left.y > head.y + 0.3 && right.y > head.y + 0.3,
            "{head} {left} {right}"
        );
        assert!(left.x > 0.1 && right.x < -0.1, "{left} {right}");
    }
}
