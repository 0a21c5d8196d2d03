//! Faces of characters: their shapes, and motions of shapes applied to them.

use std::collections::HashSet;
use std::sync::Arc;

use mocap_face::FaceBasis;
use mocap_formats::vertex_cache::{BakeError, BakeOptions, VertexSequence};
use mocap_model::{
    Annotations, BoundBody, Clip, FrameRate, JointId, JointTracks, ModelError, Pose, Role, ScalarTrack,
    Skeleton, Track, UnitQuaternion, Vector3, exp, facing_across,
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

/// Rotates head and eyes: the target's rotations from rest, about the directions in which it faces and stands at rest, are
/// those of the source.
fn turn(source: &Clip, target: &Skeleton, tracks: &mut [JointTracks]) -> Result<(), ModelError> {
    let source = source.in_space(*target.space())?;
    let (from, to) = (face_joints(source.skeleton()), face_joints(target));
    let other_way = turn_from_forward(target, to) * turn_from_forward(source.skeleton(), from).inverse();
    for (from, to) in from.into_iter().zip(to) {
        let (Some(from), Some(to)) = (from, to) else { continue };
        let [above_from, above_to] = [above(source.skeleton(), from), above(target, to)];
        let rest = [source.skeleton().joint(from).rest_rotation, target.joint(to).rest_rotation];
        let turned = source.track(from).rotation.map(|local| {
            let about_space = above_from * local * rest[0].inverse() * above_from.inverse();
            let about_space = other_way * about_space * other_way.inverse();
            above_to.inverse() * about_space * above_to * rest[1]
        });
        tracks[to.index()].rotation = turned;
    }
    Ok(())
}

/// The turn about the up axis from the forward axis of the space to where a character faces at rest: a scene may show it
/// turned. Hips and shoulders show it, else the eyes.
fn turn_from_forward(skeleton: &Skeleton, [_, left, right]: [Option<JointId>; 3]) -> UnitQuaternion<f64> {
    let mut rest = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut rest);
    let pairs = skeleton.lateral_pairs().into_iter().chain(left.zip(right).map(<[JointId; 2]>::from));
    let place = |joint: JointId| rest.joints[joint.index()].translation.vector;
    let lines: Vec<Vector3<f64>> = pairs.map(|[left, right]| place(left) - place(right)).collect();
    let (up, forward) = (skeleton.space().up.vector(), skeleton.space().forward.vector());
    let facing = facing_across(&lines, &up, &forward);
    exp(&(up * forward.cross(&facing).dot(&up).atan2(forward.dot(&facing))))
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

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Isometry3, Joint, Space};

    /// A head with eyes on a neck that leans; its scene shows it turned about the up axis, and at another place.
    fn head(degrees: f64) -> Arc<Skeleton> {
        let turn = exp(&(Vector3::y() * degrees.to_radians()));
        let joint = |name: &str, parent: Option<u32>, place: [f64; 3]| {
            Joint::new(name, parent.map(JointId), place.into())
        };
        let mut joints = vec![
            joint("neck", None, [0.0, 1.5, 0.0]),
            joint("Head", Some(0), [0.0, 0.1, 0.0]),
            joint("Eye_L", Some(1), [0.03, 0.1, 0.07]),
            joint("Eye_R", Some(1), [-0.03, 0.1, 0.07]),
        ];
        joints[0].offset = turn * joints[0].offset + Vector3::new(3.0, 0.5, -2.0) * degrees;
        joints[0].rest_rotation = turn * exp(&Vector3::new(0.2, 0.0, 0.0));
        Arc::new(Skeleton::new("", Space::default(), joints).unwrap())
    }

    #[test]
    fn a_character_that_stands_turned_nods_about_its_own_axis() {
        let frames = 8;
        let source = still(&head(0.0), FrameRate::new(30.0).unwrap(), frames).unwrap();
        let mut tracks = source.tracks().to_vec();
        for (joint, by) in [(1, [0.3, 0.1, 0.05]), (2, [0.05, 0.2, 0.0])] {
            let turn = |frame: usize| exp(&(Vector3::from(by) * frame as f64));
            tracks[joint].rotation = Track::Sampled((0..frames).map(turn).collect());
        }
        let source = Clip::new(source.skeleton().clone(), source.rate(), frames, tracks).unwrap();
        let places = |clip: &Clip, frame: usize| {
            let mut kinematics = mocap_model::ForwardKinematics::new(clip);
            kinematics.place(frame);
            clip.skeleton().iter().map(|(id, _)| kinematics.position(id)).collect::<Vec<_>>()
        };
        for degrees in [0.0, 40.0, 90.0, -135.0, 180.0] {
            let moved = face_clip(&source, &head(degrees), Vec::new(), true).unwrap();
            let back = Isometry3::from_parts(
                (-(Vector3::new(3.0, 0.5, -2.0) * degrees)).into(),
                UnitQuaternion::identity(),
            );
            let turn = exp(&(Vector3::y() * -degrees.to_radians()));
            for frame in 0..frames {
                let (expected, found) = (places(&source, frame), places(&moved, frame));
                for (expected, found) in expected.iter().zip(&found) {
                    let found = turn * (back.translation.vector + found);
                    assert!((found - expected).norm() < 1e-9, "{degrees} frame {frame}: {found} {expected}");
                }
            }
        }
    }
}
