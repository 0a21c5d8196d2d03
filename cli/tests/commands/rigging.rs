//! `mocap rig`: meshes in, characters out, and what is refused.

use crate::mocap::Sandbox;
use crate::person::{capsule, person};
use mocap_model::{Mesh, Vector3};
use std::sync::LazyLock;

/// Corners around the capsules of a body.
const CORNERS: usize = 16;

/// A mesh as OBJ.
fn obj(mesh: &Mesh) -> String {
    let mut text = String::new();
    for at in &mesh.positions {
        text += &format!("v {:.6} {:.6} {:.6}\n", at.x, at.y, at.z);
    }
    let mut first = 0;
    for count in &mesh.faces {
        let corners = &mesh.corners[first..first + *count as usize];
        first += *count as usize;
        let corners: Vec<String> = corners.iter().map(|corner| (corner + 1).to_string()).collect();
        text += &format!("f {}\n", corners.join(" "));
    }
    text
}

fn moved(mesh: &Mesh, change: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> Mesh {
    Mesh { positions: mesh.positions.iter().map(change).collect(), ..mesh.clone() }
}

fn both(a: &Mesh, b: &Mesh) -> Mesh {
    let first = a.positions.len() as u32;
    let mut both = a.clone();
    both.positions.extend(&b.positions);
    both.faces.extend(&b.faces);
    both.corners.extend(b.corners.iter().map(|corner| corner + first));
    both
}

/// A rigged person, made once for all tests.
static RIGGED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let sandbox = Sandbox::new();
    sandbox.put("person.obj", obj(&person(CORNERS, 0.8, 0.0).0));
    sandbox.run(["rig", "person.obj", "-o", "person.glb"]).ok();
    sandbox.read("person.glb")
});

/// The rigged person in `person.glb`, and its mesh in `person.obj`.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("person.obj", obj(&person(CORNERS, 0.8, 0.0).0));
    sandbox.put("person.glb", &*RIGGED);
    sandbox
}

#[test]
fn a_mesh_becomes_a_character_without_fingers_that_are_not_seen() {
    let sandbox = Sandbox::new();
    let mesh = person(CORNERS, 0.8, 0.0).0;
    sandbox.put("person.obj", obj(&mesh));
    let row = sandbox.run(["rig", "person.obj", "-o", "person.glb", "--json"]).ok().rows().remove(0);
    assert_eq!(row["vertices"].as_u64(), Some(mesh.positions.len() as u64));
    assert_eq!(row["joints"].as_u64(), Some(22), "hands of capsules have no fingers");
    let codes: Vec<&str> =
        row["warnings"].as_array().unwrap().iter().filter_map(|it| it["code"].as_str()).collect();
    assert!(codes.contains(&"rig::no-fingers") && codes.contains(&"rig::unit"), "{codes:?}");
    // A skeleton that the user names is kept as it is.
    let preset = ["rig", "person.obj", "--preset", "mixamo", "-o", "mixamo.glb", "--json"];
    let row = sandbox.run(preset).ok().rows().remove(0);
    assert!(row["joints"].as_u64() > Some(22), "{row}");
}

#[test]
fn weights_are_copied_to_another_topology() {
    let sandbox = sandbox();
    sandbox.put("other.obj", obj(&moved(&person(11, 0.5, 0.0).0, |at| at * 100.0)));
    let row = sandbox
        .run(["rig", "other.obj", "--weights-from", "person.glb", "-o", "other.glb", "--json"])
        .ok()
        .rows()
        .remove(0);
    assert_eq!(row["weights"], "copied");
    assert!(row["matched"].as_f64() > Some(0.8), "{row}");
    assert_eq!(row["joints"].as_u64(), Some(22), "the skeleton is that of the character");
    // The weights are copied to the skeleton that the file has.
    let again = ["rig", "person.glb", "--weights-only", "--weights-from", "other.glb", "-o", "again.glb"];
    sandbox.run(again).ok();
    let refused = |arguments: &[&str], exit: i32, code: &str| {
        let ran = sandbox.run(arguments);
        assert!(ran.code == exit && ran.stderr.contains(code), "{ran:?}");
    };
    refused(&["rig", "other.obj", "--weights-from", "none.glb", "-o", "x.glb"], 2, "none.glb");
    refused(&["rig", "other.obj", "--weights-from", "person.obj", "-o", "x.glb"], 2, "person.obj");
    let both = ["rig", "other.obj", "--weights-from", "person.glb", "--weights", "heat", "-o", "x.glb"];
    refused(&both, 2, "--weights");
}

#[test]
fn weights_of_a_joint_are_drawn() {
    let sandbox = sandbox();
    sandbox.run(["sheet", "person.glb", "-o", "plain.png"]).ok();
    sandbox.run(["sheet", "person.glb", "--weights-of", "LeftArm", "-o", "arm.png"]).ok();
    sandbox.run(["sheet", "person.glb", "--weights-of", "LeftUpperArm", "-o", "role.png"]).ok();
    assert!(sandbox.read("arm.png") != sandbox.read("plain.png"));
    sandbox.run(["view", "person.glb", "--weights-of", "LeftArm", "-o", "arm.html"]).ok();
    let page = String::from_utf8(sandbox.read("arm.html")).unwrap();
    assert!(page.contains("weights of LeftArm"));
    let refused = |arguments: &[&str], said: &str| {
        let ran = sandbox.run(arguments);
        assert!(ran.code != 0 && ran.stderr.contains(said), "{ran:?}");
    };
    refused(&["sheet", "person.glb", "--weights-of", "LeftAm", "-o", "x.png"], "did you mean 'LeftArm'?");
    refused(&["sheet", "person.glb", "--weights-of", "LeftArm", "--draw", "capsules", "-o", "x.png"], "mesh");
    refused(&["view", "person.glb", "--weights-of", "LeftArm", "--character", "person.glb"], "--character");
}

/// What each mesh is refused for: the code, and words of what was seen.
#[test]
fn what_cannot_be_rigged_is_refused_with_what_was_seen() {
    let sandbox = Sandbox::new();
    let v = Vector3::new;
    let (one, _) = person(CORNERS, 0.8, 0.0);
    let two = both(&one, &moved(&one, |at| at + v(1.5, 0.0, 0.0)));
    // Two people who hold hands are one connected mesh.
    let reach = one.positions.iter().map(|at| at.x).fold(0.0, f64::max);
    let hand_in_hand = both(&one, &moved(&one, |at| at + v(2.0 * reach - 0.03, 0.0, 0.0)));
    let mut dog = Mesh::default();
    capsule(CORNERS, &mut dog, v(0.0, 0.6, -0.4), v(0.0, 0.6, 0.4), [0.13, 0.13]);
    capsule(CORNERS, &mut dog, v(0.0, 0.65, 0.45), v(0.0, 0.9, 0.75), [0.08, 0.07]);
    for (x, z) in [(0.1, 0.35), (-0.1, 0.35), (0.1, -0.35), (-0.1, -0.35)] {
        capsule(CORNERS, &mut dog, v(x, 0.55, z), v(x, 0.04, z), [0.05, 0.03]);
    }
    let grown = person(CORNERS, 1.52, 0.0).0;
    let plane = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n".to_owned();
    let cloud: String = one.positions.iter().map(|at| format!("v {} {} {}\n", at.x, at.y, at.z)).collect();
    let zero = "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n".to_owned();
    let cases = [
        ("plane", plane, "rig::no-solid", "encloses nothing"),
        ("cloud", cloud, "rig::no-faces", "no triangle"),
        ("zero", zero, "rig::no-size", "no size"),
        ("two", obj(&two), "rig::several-bodies", "2 bodies"),
        ("hands", obj(&hand_in_hand), "rig::not-human", "limbs"),
        ("dog", obj(&dog), "rig::not-human", "four legs"),
        ("grown", obj(&grown), "rig::not-human", "arms"),
    ];
    for (name, text, code, said) in cases {
        let file = format!("{name}.obj");
        sandbox.put(&file, text);
        let ran = sandbox.run(["rig", &file, "-o", "out.glb"]);
        let refused = ran.code == 1 && ran.stderr.contains(code) && ran.stderr.contains(said);
        assert!(refused && ran.stderr.contains("help"), "{name}: {ran:?}");
        assert!(sandbox.run(["info", "out.glb"]).code != 0, "{name}: a file was written");
    }
    sandbox.put("many.obj", obj(&one));
    let ran = sandbox.run(["rig", "many.obj", "--max-triangles", "1000", "-o", "out.glb"]);
    assert!(ran.code == 1 && ran.stderr.contains("rig::budget") && ran.stderr.contains("1000"), "{ran:?}");
}

#[test]
fn meshes_that_are_not_manifold_are_rigged() {
    let sandbox = Sandbox::new();
    let (mut mesh, _) = person(CORNERS, 0.8, 0.0);
    // An edge with three faces, a duplicate face, an inverted face and a missing one.
    let extra = mesh.corners[..3].to_vec();
    mesh.positions.push(Vector3::new(0.0, 1.2, 0.3));
    let tip = mesh.positions.len() as u32 - 1;
    mesh.corners.extend([extra[0], extra[1], tip]);
    mesh.corners.extend(&extra);
    mesh.faces.extend([3, 3]);
    mesh.corners.swap(30, 31);
    mesh.corners.drain(60..63);
    mesh.faces.pop();
    sandbox.put("odd.obj", obj(&mesh));
    let row = sandbox.run(["rig", "odd.obj", "-o", "odd.glb", "--json"]).ok().rows().remove(0);
    assert_eq!(row["vertices"].as_u64(), Some(mesh.positions.len() as u64));
    sandbox.run(["info", "odd.glb"]).ok();
}

/// A dog of capsules with the legs, the trunk and the head of the fixture `dog_trot.bvh`, in metres.
fn dog() -> Mesh {
    let v = Vector3::new;
    let mut dog = Mesh::default();
    capsule(CORNERS, &mut dog, v(0.0, 0.55, 0.0), v(0.0, 0.57, 0.5), [0.12, 0.13]);
    capsule(CORNERS, &mut dog, v(0.0, 0.6, 0.56), v(0.0, 0.72, 0.68), [0.07, 0.06]);
    capsule(CORNERS, &mut dog, v(0.0, 0.74, 0.7), v(0.0, 0.74, 0.8), [0.07, 0.05]);
    for (x, z) in [(0.08, 0.0), (-0.08, 0.0), (0.08, 0.58), (-0.08, 0.58)] {
        capsule(CORNERS, &mut dog, v(x, 0.53, z), v(x, 0.04, z), [0.05, 0.035]);
    }
    dog
}

#[test]
fn a_skeleton_of_an_animal_fits_a_mesh_of_that_shape() {
    let sandbox = Sandbox::new();
    sandbox.put("dog.obj", obj(&dog()));
    // Lying on its side, facing another way, in centimetres.
    sandbox.put("turned.obj", obj(&moved(&dog(), |at| Vector3::new(at.z, -at.x, at.y) * -100.0)));
    let skeleton = crate::mocap::fixture("bodies/dog_trot.bvh");
    let skeleton = skeleton.to_str().unwrap();
    for (name, metres) in [("dog.obj", 1.0), ("turned.obj", 0.01)] {
        let refused = sandbox.run(["rig", name, "-o", "x.glb"]);
        assert!(refused.code == 1 && refused.stderr.contains("rig::not-human"), "{refused:?}");
        let arguments =
            ["rig", name, "--skeleton", skeleton, "-o", "dog.glb", "--overwrite", "--explain", "--json"];
        let row = sandbox.run(arguments).ok().rows().remove(0);
        assert_eq!(row["unit"].as_f64(), Some(metres), "{row}");
        let place = |joint: &str| -> Vector3<f64> {
            let all = row["explained"].as_array().unwrap();
            let found = all.iter().find(|one| one["joint"] == joint).unwrap_or_else(|| panic!("no {joint}"));
            Vector3::from([0, 1, 2].map(|axis| found["place"][axis].as_f64().unwrap()))
        };
        let hips = place("Bip01 Pelvis");
        for (joint, expected) in [
            ("Bip01 L Foot", [0.08, 0.03, 0.0]),
            ("Bip01 R Foot", [-0.08, 0.03, 0.0]),
            ("Bip01 L Hand", [0.08, 0.03, 0.58]),
            ("Bip01 R Calf", [-0.08, 0.28, 0.0]),
            ("Bip01 Head", [0.0, 0.74, 0.72]),
        ] {
            let off = (place(joint) - hips) - (Vector3::from(expected) - Vector3::new(0.0, 0.55, 0.0));
            assert!(off.norm() < 0.15, "{name}: {joint} is {:.3} m off, {off:?}", off.norm());
        }
    }
    // The dog's skeleton does not fit a ball.
    sandbox.put("ball.obj", {
        let mut ball = Mesh::default();
        capsule(CORNERS, &mut ball, Vector3::zeros(), Vector3::new(0.0, 0.1, 0.0), [0.5, 0.5]);
        obj(&ball)
    });
    let refused = sandbox.run(["rig", "ball.obj", "--skeleton", skeleton, "-o", "x.glb"]);
    assert!(refused.code == 1 && refused.stderr.contains("rig::other-shape"), "{refused:?}");
}
