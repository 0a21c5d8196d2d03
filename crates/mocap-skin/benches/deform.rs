//! Deforming a body of 13,380 vertices with four influences each, beside a copy of its vertices.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mocap_model::{Bone, Influence, JointId, Vector3};
use mocap_skin::{BoundMesh, Deformer, MeshParts, SkinMethod};
use nalgebra::{Matrix4, Rotation3};

const VERTICES: usize = 13_380;
const BONES: usize = 52;

fn mesh(influences: usize) -> BoundMesh {
    let at = |vertex: usize| {
        let angle = vertex as f64 * 0.37;
        Vector3::new(angle.sin(), vertex as f64 / VERTICES as f64 * 1.7, angle.cos())
    };
    let positions: Vec<Vector3<f64>> = (0..VERTICES).map(at).collect();
    let bones =
        (0..BONES).map(|joint| Bone { joint: JointId::from(joint), inverse_bind: Matrix4::identity() });
    // Neighbours follow the same bones, as in meshes of characters.
    let of = |vertex: usize| {
        (0..influences).map(move |at| Influence {
            bone: ((vertex * BONES / VERTICES + at) % BONES) as u32,
            weight: 1.0 / (1 + at) as f64,
        })
    };
    BoundMesh::from_parts(MeshParts {
        normals: positions.iter().map(|at| Vector3::new(at.x, 0.0, at.z).normalize()).collect(),
        positions,
        bones: bones.collect(),
        starts: (0..=VERTICES).map(|vertex| (vertex * influences) as u32).collect(),
        influences: (0..VERTICES).flat_map(of).collect(),
        ..MeshParts::default()
    })
    .expect("a mesh of the benchmark")
}

fn pose(joint: JointId) -> Matrix4<f64> {
    let at = joint.index() as f64;
    Matrix4::new_translation(&Vector3::new(0.01 * at, 0.0, 0.0))
        * Rotation3::from_euler_angles(0.1 * at, 0.03 * at, -0.05 * at).to_homogeneous()
}

fn deform(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("deform");
    let (mut places, mut normals) = (vec![[0.0f32; 3]; VERTICES], vec![[0.0f32; 3]; VERTICES]);
    let source = vec![[0.5f32; 3]; VERTICES];
    group.throughput(Throughput::Elements(VERTICES as u64));
    group.bench_function("copy of the vertices", |bencher| {
        bencher.iter(|| black_box(&mut places).copy_from_slice(black_box(&source)));
    });
    for influences in [4, 8] {
        let mesh = mesh(influences);
        group.throughput(Throughput::Elements(mesh.influences() as u64));
        for (name, method) in SkinMethod::NAMED {
            let mut deformer = Deformer::new(&mesh, method);
            group.bench_function(format!("{name}, {influences} influences"), |bencher| {
                bencher.iter(|| {
                    deformer.pose(pose, &[]);
                    deformer.positions(1.0, black_box(&mut places));
                });
            });
            group.bench_function(format!("{name} with normals, {influences} influences"), |bencher| {
                bencher.iter(|| {
                    deformer.pose(pose, &[]);
                    deformer.positions_and_normals(1.0, black_box(&mut places), black_box(&mut normals));
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, deform);
criterion_main!(benches);
