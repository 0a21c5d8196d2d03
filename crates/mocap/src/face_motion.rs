//! Faces of characters: their shapes, and motions of shapes applied to them.

use std::collections::HashSet;
use std::sync::Arc;

use mocap_face::FaceBasis;
use mocap_formats::vertex_cache::{BakeError, BakeOptions, VertexSequence};
use mocap_model::{
    Annotations, BoundBody, Clip, FrameRate, JointId, JointTracks, ModelError, Role, ScalarTrack, Skeleton,
    Track, UnitQuaternion,
};

/// The names of the shapes of a body, mesh by mesh, without duplicates. Shapes of several meshes with one name
/// move together.
pub fn face_shapes(body: &BoundBody) -> Vec<String> {
    let mut seen = HashSet::new();
    let shapes = body.body.meshes.iter().flat_map(|mesh| &mesh.shapes);
    shapes.filter(|shape| seen.insert(shape.name.as_str())).map(|shape| shape.name.clone()).collect()
}

/// The vertices of a face at rest and the displacements of its shapes \[m\], in the axes of the skeleton; of `points`
/// only, or of all vertices in the order of the file. Weights that shapes have at rest count as 0.
///
/// # Errors
/// Where the body has no mesh or is damaged.
pub fn face_basis(body: &BoundBody, points: Option<&[usize]>) -> Result<FaceBasis, BakeError> {
    let names = face_shapes(body);
    let frames = names.len() + 1;
    // Frame 0 is the neutral face; shape i is at 1 in frame i + 1.
    let one_at = |at: usize| (0..frames).map(|frame| f64::from(u8::from(frame == at + 1))).collect();
    let scalars = names
        .iter()
        .enumerate()
        .map(|(at, name)| ScalarTrack { name: name.clone(), values: Track::Sampled(one_at(at)) });
    let rate = FrameRate::new(30.0).expect("30 is a rate");
    let clip = still(&body.skeleton, rate, frames)
        .and_then(|clip| {
            clip.with_annotations(Annotations { scalars: scalars.collect(), ..Annotations::default() })
        })
        .map_err(|error| BakeError::Metres(error.to_string()))?;
    let options = BakeOptions { rigid: true, ..BakeOptions::default() };
    let sequence = VertexSequence::new(body, &clip, &options)?;
    let places = |frame: usize| -> Vec<[f64; 3]> {
        let all = sequence.places(frame);
        let wide = |at: usize| all[at].map(f64::from);
        match points {
            Some(points) => points.iter().map(|at| wide(*at)).collect(),
            None => (0..all.len()).map(wide).collect(),
        }
    };
    let neutral = places(0);
    let moved = |frame: usize| -> Vec<[f64; 3]> {
        let of_frame = places(frame);
        of_frame
            .iter()
            .zip(&neutral)
            .map(|(to, from)| std::array::from_fn(|axis| to[axis] - from[axis]))
            .collect()
    };
    let shapes = (1..frames).map(moved).collect();
    Ok(FaceBasis { neutral, shapes })
}

/// A skeleton at rest over some frames.
fn still(skeleton: &Arc<Skeleton>, rate: FrameRate, frames: usize) -> Result<Clip, ModelError> {
    let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    Clip::new(skeleton.clone(), rate, frames, tracks)
}

/// Head and eye joints of a skeleton, by role and by name.
fn face_joints(skeleton: &Skeleton) -> [Option<JointId>; 3] {
    let plain = |name: &str| -> String {
        let name = name.rsplit([':', '|']).next().unwrap_or(name);
        name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
    };
    let named = |names: &[&str]| {
        let mut joints = skeleton.iter().filter(|(_, joint)| !joint.end_site);
        joints.find(|(_, joint)| names.contains(&plain(&joint.name).as_str())).map(|(id, _)| id)
    };
    let head = skeleton.with_role(Role::Head).or_else(|| named(&["head"]));
    let eye = |side: [&str; 2]| {
        let [long, short] = side;
        let forms =
            [format!("{long}eye"), format!("eye{long}"), format!("eye{short}"), format!("{short}eye")];
        named(&forms.each_ref().map(String::as_str))
    };
    [head, eye(["left", "l"]), eye(["right", "r"])]
}

/// A clip of a character at rest with these shapes over time, at the rate of the source. With
/// `turns`, the head and the eyes of the character rotate from rest as those of the source do.
///
/// # Errors
/// If a track does not match the frames of the source.
pub fn face_clip(
    source: &Clip,
    target: &Arc<Skeleton>,
    shapes: Vec<ScalarTrack>,
    turns: bool,
) -> Result<Clip, ModelError> {
    let mut tracks: Vec<JointTracks> = target.joints().iter().map(JointTracks::at_rest).collect();
    if turns {
        turn(source, target, &mut tracks)?;
    }
    let clip = Clip::new(target.clone(), source.rate(), source.frames(), tracks)?;
    let Annotations { name, events, .. } = source.annotations().clone();
    clip.with_annotations(Annotations { name, scalars: shapes, events })
}

/// Rotates head and eyes: the target's rotations from rest, about the axes of the space, are those of the
/// source.
fn turn(source: &Clip, target: &Skeleton, tracks: &mut [JointTracks]) -> Result<(), ModelError> {
    let source = source.in_space(*target.space())?;
    let (from, to) = (face_joints(source.skeleton()), face_joints(target));
    for (from, to) in from.into_iter().zip(to) {
        let (Some(from), Some(to)) = (from, to) else { continue };
        let [above_from, above_to] = [above(source.skeleton(), from), above(target, to)];
        let rest = [source.skeleton().joint(from).rest_rotation, target.joint(to).rest_rotation];
        let turned = source.track(from).rotation.map(|local| {
            let about_space = above_from * local * rest[0].inverse() * above_from.inverse();
            above_to.inverse() * about_space * above_to * rest[1]
        });
        tracks[to.index()].rotation = turned;
    }
    Ok(())
}

/// The rotation of the parent of a joint at rest.
fn above(skeleton: &Skeleton, joint: JointId) -> UnitQuaternion<f64> {
    let mut rotation = UnitQuaternion::identity();
    let mut next = skeleton.joint(joint).parent;
    while let Some(parent) = next {
        rotation = skeleton.joint(parent).rest_rotation * rotation;
        next = skeleton.joint(parent).parent;
    }
    rotation
}
