//! Invariances of every method: under other placements, units, orders and names.

use crate::support::Cylinder;
use mocap_model::{Bone, Influence, JointId, Shape, Vector3};
use mocap_skin::{BoundMesh, Deformer, MeshParts, SkinError, SkinMethod};
use nalgebra::{Matrix3, Matrix4, Rotation3};

const METHODS: [SkinMethod; 3] = [SkinMethod::Linear, SkinMethod::Spherical, SkinMethod::DualQuaternion];

/// Three bones along y, bound at their joints, and vertices that follow two or all of them.
fn mesh() -> MeshParts {
    let cylinder = Cylinder::new(24, 12).parts;
    let bone = |joint: u32, y: f64| Bone {
        joint: JointId(joint),
        inverse_bind: Matrix4::new_translation(&Vector3::new(0.0, -y, 0.0)),
    };
    let bones = vec![bone(0, -2.0), bone(1, -0.7), bone(2, 0.6)];
    let (mut starts, mut influences) = (vec![0], Vec::new());
    for at in &cylinder.positions {
        for (bone, y) in [(0, -1.3), (1, 0.0), (2, 1.3)] {
            let weight = (1.6 - (at.y - y).abs()).max(0.0);
            influences.extend((weight > 0.0).then_some(Influence { bone, weight }));
        }
        starts.push(influences.len() as u32);
    }
    MeshParts { bones, starts, influences, ..cylinder }
}

/// A pose of the three joints: bent and twisted by `much`, with a scale of the last.
fn pose(much: f64, scale: Vector3<f64>) -> impl Fn(JointId) -> Matrix4<f64> {
    let turn =
        |x: f64, y: f64, z: f64| Rotation3::from_euler_angles(x * much, y * much, z * much).to_homogeneous();
    let up = |y: f64| Matrix4::new_translation(&Vector3::new(0.0, y, 0.0));
    let first = up(-2.0) * turn(0.3, 0.2, 0.1);
    let second = first * up(1.3) * turn(-0.9, 0.4, 0.2);
    let third = second * up(1.3) * turn(0.5, 1.2, -0.6) * Matrix4::new_nonuniform_scaling(&scale);
    let all = [first, second, third];
    move |joint| all[joint.index()]
}

fn furthest(a: &[Vector3<f64>], b: &[Vector3<f64>]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max)
}

#[test]
fn at_bind_every_method_gives_the_mesh() {
    let mesh = BoundMesh::from_parts(mesh()).unwrap();
    let bound = pose(0.0, Vector3::repeat(1.0));
    for method in METHODS {
        let off = furthest(&mesh.posed(method, &bound, &[]), &self::mesh().positions);
        assert!(off < 1e-12, "{method}: {off}");
    }
}

#[test]
fn a_vertex_of_one_bone_moves_with_it_by_every_method() {
    let parts = mesh();
    let alone: Vec<usize> =
        (0..parts.positions.len()).filter(|at| parts.starts[at + 1] - parts.starts[*at] == 1).collect();
    assert!(alone.len() > 20);
    let mesh = BoundMesh::from_parts(parts.clone()).unwrap();
    for scale in [Vector3::repeat(1.0), Vector3::new(1.5, 0.6, 1.1), Vector3::new(-1.0, 1.0, 1.0)] {
        let pose = pose(1.0, scale);
        for method in METHODS {
            let posed = mesh.posed(method, &pose, &[]);
            for vertex in &alone {
                let bone = parts.bones[parts.influences[parts.starts[*vertex] as usize].bone as usize];
                let at = pose(bone.joint) * bone.inverse_bind * parts.positions[*vertex].push(1.0);
                assert!((posed[*vertex] - at.xyz()).norm() < 1e-9, "{method}, scale {scale}");
            }
        }
    }
}

#[test]
fn the_place_turn_and_unit_of_the_whole_do_not_matter() {
    let parts = mesh();
    let plain = BoundMesh::from_parts(parts.clone()).unwrap();
    // The mesh in a space of its own: moved and turned.
    let own =
        Matrix4::new_translation(&Vector3::new(30.0, -7.0, 2.0)) * Matrix4::from_euler_angles(0.4, 2.0, -1.0);
    let back = own.try_inverse().unwrap();
    let linear: Matrix3<f64> = own.fixed_view::<3, 3>(0, 0).into();
    let moved = BoundMesh::from_parts(MeshParts {
        positions: parts.positions.iter().map(|at| (own * at.push(1.0)).xyz()).collect(),
        normals: parts.normals.iter().map(|normal| linear * normal).collect(),
        bones: parts
            .bones
            .iter()
            .map(|bone| Bone { inverse_bind: bone.inverse_bind * back, ..*bone })
            .collect(),
        ..parts.clone()
    })
    .unwrap();
    let object =
        Matrix4::new_translation(&Vector3::new(-3.0, 1.0, 9.0)) * Matrix4::from_euler_angles(1.0, 0.3, 0.2);
    for scale in [Vector3::repeat(1.0), Vector3::new(1.4, 0.7, 1.0)] {
        let pose = pose(1.0, scale);
        for method in METHODS {
            let expected = plain.posed(method, &pose, &[]);
            let off = furthest(&moved.posed(method, &pose, &[]), &expected);
            assert!(off < 1e-9, "{method}: the origin of the mesh changes places by {off}");
            let turned = plain.posed(method, |joint| object * pose(joint), &[]);
            let expected: Vec<_> = expected.iter().map(|at| (object * at.push(1.0)).xyz()).collect();
            let off = furthest(&turned, &expected);
            assert!(off < 1e-9, "{method}: a turn of the whole changes places by {off}");
        }
    }
}

#[test]
fn the_order_of_bones_and_influences_does_not_matter() {
    let parts = mesh();
    let plain = BoundMesh::from_parts(parts.clone()).unwrap();
    let mut other = parts.clone();
    other.bones.reverse();
    other.influences.iter_mut().for_each(|one| one.bone = 2 - one.bone);
    for vertex in 0..parts.positions.len() {
        other.influences[parts.starts[vertex] as usize..parts.starts[vertex + 1] as usize].reverse();
    }
    let other = BoundMesh::from_parts(other).unwrap();
    for much in [0.5, 1.0, 2.5] {
        let pose = pose(much, Vector3::repeat(1.0));
        for method in METHODS {
            let off = furthest(&plain.posed(method, &pose, &[]), &other.posed(method, &pose, &[]));
            assert!(off < 1e-9, "{method}, {much}: {off}");
        }
    }
}

#[test]
fn methods_differ_by_little_where_joints_turn_by_little() {
    let mesh = BoundMesh::from_parts(mesh()).unwrap();
    // The difference grows with the square of the angle.
    let apart = |much: f64, method| {
        let pose = pose(much, Vector3::repeat(1.0));
        furthest(&mesh.posed(SkinMethod::Linear, &pose, &[]), &mesh.posed(method, &pose, &[]))
    };
    for method in [SkinMethod::Spherical, SkinMethod::DualQuaternion] {
        assert!(apart(1.0, method) > 0.02, "{method}");
        for much in [0.1, 0.01, 0.001] {
            assert!(apart(much, method) < 1.5 * much * much, "{method}: {} at {much}", apart(much, method));
        }
    }
}

#[test]
fn nothing_jumps_while_joints_turn_steadily() {
    let mesh = BoundMesh::from_parts(mesh()).unwrap();
    for method in METHODS {
        let frame = |at: i32| mesh.posed(method, pose(f64::from(at) * 1e-3, Vector3::repeat(1.0)), &[]);
        let largest = (0..2000).map(|at| furthest(&frame(at), &frame(at + 1))).fold(0.0, f64::max);
        // Two radians per radian, at most four lengths from the axis.
        assert!(largest < 1.2e-2, "{method}: {largest}");
    }
}

#[test]
fn normals_stand_on_the_surface_that_linear_maps_make() {
    // One bone whose linear part shears: tangents follow the map, normals its inverse transpose.
    let mut parts = mesh();
    parts.influences.iter_mut().for_each(|one| one.bone = 0);
    let mesh = BoundMesh::from_parts(parts.clone()).unwrap();
    for mirrored in [1.0, -1.0] {
        let linear = Matrix3::new(1.0, 0.8, 0.0, 0.0, 1.0, 0.3, 0.0, 0.1, 2.0 * mirrored);
        let mut deformer = Deformer::new(&mesh, SkinMethod::Linear);
        deformer.set_palette((0..3).map(|_| linear.to_homogeneous()));
        let expected = linear.try_inverse().unwrap().transpose();
        let mut vertex = 0;
        deformer.each_vertex(0..mesh.vertices(), |_, normal| {
            let at = (expected * parts.normals[vertex]).normalize();
            assert!(at.dot(&Vector3::from(normal)) > 1.0 - 1e-12);
            vertex += 1;
        });
        assert_eq!(vertex, mesh.vertices());
    }
}

#[test]
fn normals_of_stretched_rigid_methods_are_those_of_linear_ones_where_one_bone_moves_all() {
    let mut parts = mesh();
    parts.influences.iter_mut().for_each(|one| one.bone = 2);
    let mesh = BoundMesh::from_parts(parts).unwrap();
    let pose = pose(1.0, Vector3::new(1.5, 0.5, 1.0));
    let normals = |method| {
        let mut deformer = Deformer::new(&mesh, method);
        deformer.pose(&pose, &[]);
        let mut all = Vec::new();
        deformer.each_vertex(0..mesh.vertices(), |_, normal| all.push(Vector3::from(normal)));
        all
    };
    let expected = normals(SkinMethod::Linear);
    for method in [SkinMethod::Spherical, SkinMethod::DualQuaternion] {
        assert!(furthest(&normals(method), &expected) < 1e-9, "{method}");
    }
}

#[test]
fn morph_targets_come_before_the_skin() {
    let shape = Shape { name: "raise".into(), offsets: vec![(5, Vector3::new(0.0, 0.2, 0.0))], weight: 0.0 };
    let with = BoundMesh::from_parts(MeshParts { shapes: vec![shape], ..mesh() }).unwrap();
    let mut moved = mesh();
    moved.positions[5] += Vector3::new(0.0, 0.1, 0.0);
    let moved = BoundMesh::from_parts(moved).unwrap();
    for method in METHODS {
        let pose = pose(1.0, Vector3::repeat(1.0));
        assert!(furthest(&with.posed(method, &pose, &[0.5]), &moved.posed(method, &pose, &[])) < 1e-12);
    }
}

#[test]
fn what_cannot_be_deformed_is_refused_with_its_place() {
    let refused = |change: &dyn Fn(&mut MeshParts)| {
        let mut parts = MeshParts { name: "Body".into(), ..mesh() };
        change(&mut parts);
        BoundMesh::from_parts(parts).unwrap_err()
    };
    let at = refused(&|parts| parts.positions[7].y = f64::NAN);
    assert!(matches!(at, SkinError::NotFinite { vertex: 7, .. }), "{at}");
    assert!(at.to_string().contains("vertex 7 of mesh 'Body'"), "{at}");
    let at = refused(&|parts| parts.influences[0].bone = 9);
    assert!(matches!(at, SkinError::Bone { vertex: 0, bone: 9, bones: 3, .. }), "{at}");
    let at = refused(&|parts| parts.bones[1].inverse_bind[(0, 0)] = f64::INFINITY);
    assert!(matches!(at, SkinError::Bind { bone: 1, .. }), "{at}");
    let at = refused(&|parts| parts.influences.iter_mut().for_each(|one| one.weight = 0.0));
    assert!(matches!(at, SkinError::Unbound { vertex: 0, .. }), "{at}");
    let at = refused(&|parts| parts.starts.truncate(3));
    assert!(matches!(at, SkinError::Lists { .. }), "{at}");
}
