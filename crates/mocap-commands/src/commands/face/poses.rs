//! Faces driven by joints: a joint pose for each shape, from a table or from a motion that shows the poses.

use std::path::Path;

use mocap_face::{JointMove, JointPose};
use mocap_formats::text;
use mocap_model::nearest_name;
use mocap_model::{Clip, Skeleton, Vector3};
use serde::Deserialize;

use crate::batch::{Failure, Input, JobContext};
use crate::diagnostic::Diagnostic;
use crate::options::Reading;
use crate::read;

/// A table of poses.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    poses: Vec<PoseRow>,
}

/// A shape, and the joint transforms at weight 1.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseRow {
    shape: String,
    joints: Vec<JointRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JointRow {
    joint: String,
    /// A rotation vector about the axes of the joint at rest [deg].
    #[serde(default)]
    turn: [f64; 3],
    /// In the frame of its parent [m].
    #[serde(default)]
    shift: [f64; 3],
}

/// The poses of a file for a skeleton.
pub(super) fn read_poses(
    context: &JobContext,
    path: &Path,
    skeleton: &Skeleton,
    reading: &Reading,
) -> Result<Vec<JointPose>, Failure> {
    let input = Input::named(path);
    let bytes = read::bytes_of(context, &input, &reading.limits())?;
    let found = match serde_json::from_slice::<serde_json::Value>(&text::decode(&bytes)) {
        Ok(value) if value.get("poses").is_some() => of_table(value, skeleton),
        _ => return of_motion(context, &input, bytes, skeleton, reading),
    };
    Ok(found.map_err(|error| error.in_file(path))?)
}

fn of_table(value: serde_json::Value, skeleton: &Skeleton) -> Result<Vec<JointPose>, Diagnostic> {
    let table: Table = serde_json::from_value(value).map_err(|error| {
        let message = format!("the table of poses: {error}");
        Diagnostic::new("face::poses", message).help(
            r#"a row is {"shape": "jawOpen", "joints": [{"joint": "Jaw", "turn": [20, 0, 0]}]}, in degrees"#,
        )
    })?;
    let metres = skeleton.space().metres().unwrap_or(1.0);
    let joint = |shape: &str, row: &JointRow| {
        let joint = skeleton.find_by_name_or_role(&row.joint).ok_or_else(|| {
            let names = skeleton.joints().iter().map(|joint| joint.name.as_str());
            let near = nearest_name(&row.joint, names)
                .map_or(String::new(), |near| format!("; did you mean '{near}'?"));
            let message = format!(
                "the pose of '{shape}' names the joint '{}', which the character does not have{near}",
                row.joint
            );
            Diagnostic::new("face::poses", message)
        })?;
        let turn = Vector3::from(row.turn).map(f64::to_radians);
        let shift = Vector3::from(row.shift) / metres;
        if !turn.iter().chain(&shift).all(|value| value.is_finite()) {
            let message = format!("the pose of '{shape}' turns or moves '{}' beyond all numbers", row.joint);
            return Err(Diagnostic::new("face::poses", message));
        }
        Ok(JointMove { joint, turn, shift })
    };
    let mut poses: Vec<JointPose> = Vec::new();
    for PoseRow { shape, joints } in &table.poses {
        if poses.iter().any(|known| known.name == *shape) {
            return Err(Diagnostic::new("face::poses", format!("'{shape}' has two poses")));
        }
        let moves = joints.iter().map(|row| joint(shape, row)).collect::<Result<_, _>>()?;
        poses.push(JointPose { name: shape.clone(), moves });
    }
    checked(poses)
}

/// Poses from a motion. In a file with several clips, each clip gives the pose of its name: its last frame
/// relative to its first, or relative to the rest pose if it has one frame. In a single clip, each event names
/// the pose of its frame, relative to the first frame.
fn of_motion(
    context: &JobContext,
    input: &Input,
    bytes: Vec<u8>,
    skeleton: &Skeleton,
    reading: &Reading,
) -> Result<Vec<JointPose>, Failure> {
    let loaded = read::load_bytes(context, input, bytes, reading)?;
    let (clips, _) = loaded.motions(reading)?;
    let mut poses: Vec<JointPose> = Vec::new();
    for clip in clips.iter().filter(|clip| clip.frames() > 0) {
        same_joints(skeleton, clip.skeleton())?;
        let ratio = ratio(skeleton, clip.skeleton())?;
        let before = poses.len();
        let last = clip.frames() - 1;
        if clips.len() == 1 {
            for event in &clip.annotations().events {
                let frame = (event.time * clip.rate().fps()).round();
                if frame >= 1.0 && frame <= last as f64 {
                    poses.push(JointPose::of(&event.name, clip, 0, frame as usize));
                }
            }
        } else if last > 0 {
            poses.push(JointPose::of(clip.name(), clip, 0, last));
        } else {
            let rest = Clip::at_rest(clip.skeleton().clone(), clip.rate());
            poses.push(JointPose::between(clip.name(), &rest, 0, clip, 0));
        }
        poses[before..].iter_mut().flat_map(|pose| &mut pose.moves).for_each(|of| of.shift *= ratio);
    }
    if let Some(twice) =
        poses.iter().enumerate().find(|(at, pose)| poses[..*at].iter().any(|known| known.name == pose.name))
    {
        return Err(Diagnostic::new("face::poses", format!("'{}' has two poses", twice.1.name)).into());
    }
    poses.retain(|pose| !pose.moves.is_empty());
    Ok(checked(poses)?)
}

fn checked(poses: Vec<JointPose>) -> Result<Vec<JointPose>, Diagnostic> {
    if !poses.is_empty() {
        return Ok(poses);
    }
    Err(Diagnostic::new("face::poses", "the file has no poses of joints").help(
        "it is a table of poses, a file with a clip for each shape, or a clip whose events name the shapes of frames",
    ))
}

/// Poses refer to joints by index, so both skeletons must have the same joints.
fn same_joints(character: &Skeleton, poses: &Skeleton) -> Result<(), Diagnostic> {
    let names =
        |of: &Skeleton| -> Vec<String> { of.joints().iter().map(|joint| joint.name.clone()).collect() };
    if names(character) == names(poses) {
        return Ok(());
    }
    Err(Diagnostic::new("face::poses", "the poses are those of other joints than the character has")
        .help("take the poses from the file of the character, or write a table of poses"))
}

/// Units of the character per unit of the poses: displacements are in units of the pose skeleton.
fn ratio(character: &Skeleton, poses: &Skeleton) -> Result<f64, Diagnostic> {
    let lengths = (character.space().metres(), poses.space().metres());
    let unknown = |one: &str, other: &str| {
        let message =
            format!("{one} states no unit of lengths, but {other} does: displacements cannot be compared");
        Diagnostic::new("face::poses", message)
            .help("--target-unit states that of the character, --input-unit that of the poses")
    };
    match lengths {
        (Some(own), Some(of_poses)) => Ok(of_poses / own),
        (None, None) => Ok(1.0),
        (None, Some(_)) => Err(unknown("the character", "the file of poses")),
        (Some(_), None) => Err(unknown("the file of poses", "the character")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Joint, Space, Unit, UnitSource};

    fn skeleton(metres: Option<f64>) -> Skeleton {
        let unit = metres.map(|metres| Unit { metres, source: UnitSource::File });
        let space = Space { unit, ..Space::metres_z_up() };
        let root = Joint::new("Head", None, Vector3::zeros());
        Skeleton::new("face", space, vec![root]).unwrap()
    }

    #[test]
    fn poses_in_other_units_are_those_of_the_character() {
        let of = |own, poses| ratio(&skeleton(own), &skeleton(poses));
        assert_eq!(of(Some(1.0), Some(0.01)).unwrap(), 0.01);
        assert_eq!(of(Some(0.01), Some(1.0)).unwrap(), 100.0);
        assert_eq!(of(None, None).unwrap(), 1.0);
        assert!(of(None, Some(1.0)).unwrap_err().message.starts_with("the character states no unit"));
        assert!(of(Some(1.0), None).unwrap_err().message.starts_with("the file of poses states no unit"));
    }
}
