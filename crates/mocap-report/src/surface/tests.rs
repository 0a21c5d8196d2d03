use super::*;
use crate::made::chain;
use mocap_model::{Bone, JointId, Material, Skin, Space};

/// A square of two materials, the second one red: its lower side on the root, its upper side on the next joint.
pub(crate) fn square() -> Body {
    let bone = |joint: usize, down: f64| Bone {
        joint: JointId::from(joint),
        inverse_bind: Matrix4::new_translation(&V::new(0.0, -down, 0.0)),
    };
    let at = [[-0.5, 0.0], [0.5, 0.0], [0.5, 1.0], [-0.5, 1.0]].map(|[x, y]| V::new(x, y, 0.0));
    let influence = |bone: u32| Influence { bone, weight: 1.0 };
    let mesh = Mesh {
        positions: at.to_vec(),
        faces: vec![3, 3],
        corners: vec![0, 1, 2, 0, 2, 3],
        materials: vec![0, 1],
        skin: Skin {
            bones: vec![bone(0, 0.0), bone(1, 1.0)],
            starts: vec![0, 1, 2, 3, 4],
            influences: [0, 0, 1, 1].map(influence).to_vec(),
        },
        ..Mesh::default()
    };
    let material = |colour| Material { colour, ..Material::default() };
    Body { meshes: vec![mesh], materials: vec![material([1.0; 4]), material([1.0, 0.0, 0.0, 1.0])] }
}

#[test]
fn corners_follow_their_joints_and_materials_keep_apart() {
    let clip = chain(3, 1.0, 0, Space::default());
    let stage = Stage::new(&clip);
    let surface = Surface::new(&square(), &clip).unwrap();
    assert_eq!((surface.vertices.len(), surface.triangles.len()), (6, 2));
    let corners = surface.corners(&stage, 0, V::new(0.0, 0.0, 2.0));
    let place = stage.matrix();
    for (corner, vertex) in corners.iter().zip(&surface.vertices) {
        let expected = place.transform_point(&vertex.point.into()).coords + V::new(0.0, 0.0, 2.0);
        assert!((corner.at - expected).norm() < 1e-9, "{} {expected}", corner.at);
    }
    let red = |vertex: &&Vertex| vertex.colour == Some([1.0, 0.0, 0.0]);
    assert_eq!(surface.vertices.iter().filter(red).count(), 3);
}

/// The square, whose upper right corner goes out by 2 as the shape `Out` says; `Up` rests at a half.
pub(crate) fn shaped_square() -> Body {
    let shape = |name: &str, vertex: u32, by: V, weight: f64| mocap_model::Shape {
        name: name.into(),
        offsets: vec![(vertex, by)],
        weight,
    };
    let mut body = square();
    body.meshes[0].shapes =
        vec![shape("Out", 2, V::new(0.0, 0.0, 2.0), 0.0), shape("Up", 0, V::new(0.0, 1.0, 0.0), 0.5)];
    body
}

/// A clip whose number `Out` rises from 0 to 1.
pub(crate) fn out() -> Clip {
    let values = mocap_model::Track::Sampled((0..5).map(|frame| f64::from(frame) / 4.0).collect());
    let scalars = vec![mocap_model::ScalarTrack { name: "Out".into(), values }];
    let notes = mocap_model::Annotations { scalars, ..mocap_model::Annotations::default() };
    chain(3, 1.0, 5, Space::default()).with_annotations(notes).unwrap()
}

/// Shapes add displacements before the skin: places and normals are those of a mesh that was moved so.
#[test]
fn shapes_move_the_corners_of_each_frame() {
    let clip = out();
    let stage = Stage::new(&clip);
    let surface = Surface::new(&shaped_square(), &clip).unwrap();
    assert_eq!(surface.shapes.len(), 1, "a shape that stands still is part of the vertices");
    // The corner is in two triangles of two materials.
    assert_eq!(surface.shapes[0].offsets.len(), 2);
    for (frame, weight) in [(0, 0.0), (2, 0.5), (4, 1.0)] {
        let mut moved = square();
        moved.meshes[0].positions[2].z += 2.0 * weight;
        moved.meshes[0].positions[0].y += 0.5;
        let expected = Surface::new(&moved, &clip).unwrap().corners(&stage, frame, V::zeros());
        let corners = surface.corners(&stage, frame, V::zeros());
        for (corner, expected) in corners.iter().zip(&expected) {
            assert!((corner.at - expected.at).norm() < 1e-12);
            assert!((corner.normal - expected.normal).norm() < 1e-12);
        }
    }
}

#[test]
fn weights_of_a_joint_are_colours() {
    let mut body = square();
    let skin = &mut body.meshes[0].skin;
    let influence = |bone: u32, weight: f64| Influence { bone, weight };
    skin.starts = vec![0, 1, 3, 4, 5];
    skin.influences =
        vec![influence(0, 1.0), influence(0, 0.5), influence(1, 0.5), influence(1, 1.0), influence(1, 1.0)];
    let mut surface = Surface::new(&body, &chain(3, 1.0, 0, Space::default())).unwrap();
    surface.show_weights(JointId(1));
    for vertex in &surface.vertices {
        let weight: f64 = vertex.influences.iter().filter(|one| one.bone == 1).map(|one| one.weight).sum();
        let rgb = ramp(weight);
        let colour = vertex.colour.unwrap().map(|part| (part * 255.0).round() as u32);
        assert_eq!(colour, [rgb >> 16, rgb >> 8 & 0xff, rgb & 0xff]);
    }
    let distinct: std::collections::BTreeSet<[u32; 3]> =
        surface.vertices.iter().map(|vertex| vertex.colour.unwrap().map(f32::to_bits)).collect();
    assert_eq!(distinct.len(), 3, "0, a half and 1");
}

#[test]
fn a_weight_without_a_limit_leaves_the_face_at_rest() {
    let clip = out();
    let mut notes = clip.annotations().clone();
    notes.scalars[0].values = mocap_model::Track::Sampled(vec![0.0, f64::MAX, 0.0, 0.0, 0.0]);
    let huge = clip.with_annotations(notes).unwrap();
    let surface = Surface::new(&shaped_square(), &huge).unwrap();
    let corners = surface.corners(&Stage::new(&huge), 1, V::zeros());
    assert!(corners.iter().all(|corner| corner.at.iter().all(|v| v.is_finite())));
}

#[test]
fn wrong_numbers_leave_faces_out_and_clear_faces_are_not_drawn() {
    let clip = chain(3, 1.0, 0, Space::default());
    let mut wrong = square();
    wrong.meshes[0].corners[5] = 99;
    assert_eq!(Surface::new(&wrong, &clip).unwrap().triangles.len(), 1);
    let mut clear = square();
    clear.materials[1].colour[3] = 0.1;
    assert_eq!(Surface::new(&clear, &clip).unwrap().triangles.len(), 1);
    let mut bare = square();
    bare.meshes[0].skin.bones.clear();
    assert_eq!(Surface::new(&bare, &clip), None, "without joints nothing can be placed");
}

#[test]
fn a_thinned_surface_has_fewer_triangles_and_the_same_extent() {
    let (mut many, count) = (square(), 40u32);
    let mesh = &mut many.meshes[0];
    let at = |i: u32| f64::from(i) / f64::from(count);
    let places = (0..=count).flat_map(|y| (0..=count).map(move |x| V::new(at(x), at(y), 0.0)));
    mesh.positions = places.collect();
    let corner = |x: u32, y: u32| y * (count + 1) + x;
    let face = |x, y| [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
    mesh.corners = (0..count).flat_map(|y| (0..count).flat_map(move |x| face(x, y))).collect();
    mesh.faces = vec![4; (count * count) as usize];
    mesh.materials = Vec::new();
    mesh.skin.starts = (0..=mesh.positions.len() as u32).collect();
    mesh.skin.influences = vec![Influence { bone: 0, weight: 1.0 }; mesh.positions.len()];
    let whole = Surface::new(&many, &chain(3, 1.0, 0, Space::default())).unwrap();
    assert_eq!(whole.triangles.len(), 3200);
    let thin = whole.thinned(500);
    assert!((100..=500).contains(&thin.triangles.len()), "{}", thin.triangles.len());
    let high = thin.vertices.iter().map(|vertex| vertex.point.x).fold(0.0, f64::max);
    assert!(high > 0.85, "{high}");
}

/// A square 16 m above the only joint, with a shape that lifts one corner.
fn far_square() -> Body {
    let mut body = square();
    let mesh = &mut body.meshes[0];
    let up = Matrix4::new_translation(&V::new(0.0, 16.0, 2.0));
    mesh.skin.bones = vec![Bone { joint: JointId::from(0), inverse_bind: up }];
    mesh.skin.influences.iter_mut().for_each(|one| one.bone = 0);
    body
}

#[test]
fn a_mesh_without_a_skeleton_gives_the_stage_its_size_its_floor_and_its_middle() {
    let clip = chain(1, 1.0, 0, Space::default());
    let surface = Surface::new(&far_square(), &clip).unwrap();
    let mut stage = Stage::new(&clip);
    surface.frame(&mut stage);
    let corners = surface.corners(&stage, 0, V::zeros());
    let low = corners.iter().fold(V::repeat(FAR), |low, corner| low.inf(&corner.at));
    let high = corners.iter().fold(V::repeat(-FAR), |high, corner| high.sup(&corner.at));
    assert!((stage.size() - 1.2 * (high - low).max()).abs() < 1e-9);
    assert!((stage.floor - low.y).abs() < 1e-9 && stage.floor > 15.0 * stage.scale);
    let pose = stage.pose(0);
    let middle = V::from(pose[stage.centre]);
    assert!((middle - (low + high) / 2.0).norm() < 1e-9, "{middle}");
    assert!(pose[1..].iter().all(|at| (V::from(*at) - middle).norm() < stage.size()));
    assert_eq!(stage.drawn_height.map(|height| (height - (high.y - low.y)).abs() < 1e-9), Some(true));
}

#[test]
fn joints_that_span_the_mesh_keep_the_stage() {
    let clip = chain(2, 1.0, 3, Space::default());
    let surface = Surface::new(&square(), &clip).unwrap();
    let mut stage = Stage::new(&clip);
    let (size, floor, centre) = (stage.size(), stage.floor, stage.centre);
    surface.frame(&mut stage);
    assert_eq!((stage.size(), stage.floor, stage.centre, stage.drawn_height), (size, floor, centre, None));
}
