//! Any clip as an AMC file, with the ASF file that it moves.

use super::{Bone, Document, Problem};
use crate::asf::{self, Dof, Needs, Plan, PlannedBone};
use crate::{Finding, Parsed};
use mocap_model::{
    Clip, EulerOrder, Joint, JointTracks, ModelError, Skeleton, Track, UnitQuaternion, Vector3, angle_between,
};
use std::borrow::Cow;
use std::sync::Arc;

/// An AMC file and the ASF file that it moves: neither is complete without the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The ASF file.
    pub skeleton: asf::Document,
    /// The AMC file.
    pub motion: Document,
}

/// Angles that differ by less \[rad\] are the same in the file.
const SAME: f64 = 1e-9;

/// A clip as an AMC file with its skeleton; [`asf::from_skeleton`] describes how the skeleton is converted.
///
/// A joint whose place in its parent's frame changes over time gets `tx ty tz` channels. Where it is constant
/// it becomes the joint's offset. Angles are continuous over time and rounded to 1e-9 degrees.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let pair = mocap_formats::amc::from_clip(&clip)?.value;
/// assert_eq!(pair.motion.frame_numbers.len(), clip.frames());
/// # Ok::<(), mocap_formats::Finding>(())
/// ```
///
/// # Errors
/// If a length is not a finite number in the unit of the file.
pub fn from_clip(clip: &Clip) -> Result<Parsed<Pair>, Finding> {
    let clip = in_file_space(clip).map_err(|error| Finding::new(Problem::Clip(error)))?;
    let skeleton = clip.skeleton();
    let mut warnings = Vec::new();
    let needs: Vec<Needs> = skeleton
        .joints()
        .iter()
        .zip(clip.tracks())
        .map(|(joint, tracks)| {
            let rotation = turning_axes(joint, tracks);
            if rotation != joint.dofs.rotation && !joint.end_site {
                warnings.push(Finding::new(Problem::LockedAxes).in_joint(joint.name.clone()));
            }
            Needs { rotation, translation: tracks.translation.is_some() }
        })
        .collect();
    let Plan { document, bones, warnings: mut found } = asf::plan(skeleton, &needs);
    found.append(&mut warnings);
    let motion = motion(&clip, &document, &bones);
    Ok(Parsed { value: Pair { skeleton: document, motion }, warnings: found })
}

/// The clip in the axes and unit of the file. A constant translation of a joint below the root
/// becomes its offset.
fn in_file_space(clip: &Clip) -> Result<Cow<'_, Clip>, ModelError> {
    let space = asf::file_space(clip.skeleton().space());
    let clip = match space == *clip.skeleton().space() {
        true => Cow::Borrowed(clip),
        false => Cow::Owned(clip.in_space(space)?),
    };
    let stays = |joint: &Joint, tracks: &JointTracks| match (&tracks.translation, joint.parent) {
        (Some(Track::Constant(place)), Some(_)) => Some(*place),
        _ => None,
    };
    if clip
        .skeleton()
        .joints()
        .iter()
        .zip(clip.tracks())
        .all(|(joint, tracks)| stays(joint, tracks).is_none())
    {
        return Ok(clip);
    }
    let mut tracks: Vec<JointTracks> = clip.tracks().to_vec();
    let mut at = tracks.iter_mut();
    let skeleton: Skeleton = clip.skeleton().with_joints(|joint| {
        let tracks = at.next().expect("every joint has tracks");
        if let Some(place) = stays(joint, tracks) {
            joint.offset = place;
            tracks.translation = None;
        }
    })?;
    Ok(Cow::Owned(Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks)?))
}

/// The axes that a joint turns about: those of its skeleton, or all where its motion needs more.
fn turning_axes(joint: &Joint, tracks: &JointTracks) -> [bool; 3] {
    let dofs = &joint.dofs;
    let free = dofs.rotation;
    if free == [true; 3] || dofs.order.is_proper() && free.contains(&true) {
        return free;
    }
    let (frame, back) = (dofs.frame, dofs.frame.inverse());
    let within = tracks.rotation.values().iter().all(|rotation| {
        let turned = back * (joint.rest_rotation.inverse() * rotation) * frame;
        angle_between(&turned, &locked(dofs.order, &turned, free).1) < SAME
    });
    if within { free } else { [true; 3] }
}

/// The Euler angles of a rotation with the angles of locked axes set to 0, and the rotation that results.
fn locked(
    order: EulerOrder,
    rotation: &UnitQuaternion<f64>,
    free: [bool; 3],
) -> ([f64; 3], UnitQuaternion<f64>) {
    let candidates = [order.angles(rotation), order.angles_near(rotation, mirrored(order.angles(rotation)))];
    let made = candidates.map(|mut angles| {
        for (angle, axis) in angles.iter_mut().zip(order.axes()) {
            if !free[axis.index()] {
                *angle = 0.0;
            }
        }
        (angles, order.rotation(angles))
    });
    let [first, second] = made;
    if angle_between(&first.1, rotation) <= angle_between(&second.1, rotation) { first } else { second }
}

/// The other solution for the same rotation.
fn mirrored(angles: [f64; 3]) -> [f64; 3] {
    use std::f64::consts::PI;
    [angles[0] + PI, PI - angles[1], angles[2] + PI]
}

fn motion(clip: &Clip, skeleton: &asf::Document, bones: &[PlannedBone]) -> Document {
    let mut document = Document {
        header: vec![
            ":FULLY-SPECIFIED".into(),
            ":DEGREES".into(),
            format!(":SAMPLES-PER-SECOND {}", clip.rate().fps()),
        ],
        frame_numbers: (1..=clip.frames() as i64).collect(),
        ..Document::default()
    };
    let mut writers: Vec<Channels> = Vec::new();
    for bone in bones.iter().filter(|bone| !bone.dofs.is_empty()) {
        let name = bone.bone.map_or("root", |place| &skeleton.bones[place].name).to_owned();
        document.bones.push(Bone { name, width: bone.dofs.len(), late: false, place: None });
        writers.push(Channels { bone, tracks: clip.track(bone.joint), previous: [0.0; 3] });
    }
    // The root has a line even where no joint is the root (several roots).
    if bones.first().is_none_or(|bone| bone.bone.is_some()) {
        let width = skeleton.root.order.len();
        document.bones.insert(0, Bone { name: "root".into(), width, late: false, place: None });
    }
    let still = document.width() - writers.iter().map(|writer| writer.bone.dofs.len()).sum::<usize>();
    document.values.reserve(document.width() * clip.frames());
    for frame in 0..clip.frames() {
        document.values.extend(std::iter::repeat_n(0.0, still));
        for writer in &mut writers {
            let place = match &writer.tracks.translation {
                Some(track) => track.at(frame),
                None => clip.skeleton().joint(writer.bone.joint).offset,
            };
            writer.write(frame, place, &mut document.values);
        }
    }
    document
}

/// Converts the motion of one joint to channels.
struct Channels<'c> {
    bone: &'c PlannedBone,
    tracks: &'c JointTracks,
    /// The angles of the frame before; the next ones stay near them.
    previous: [f64; 3],
}

impl Channels<'_> {
    fn write(&mut self, frame: usize, place: Vector3<f64>, values: &mut Vec<f64>) {
        let PlannedBone { dofs, order, axes, parent_rest, rest, start, .. } = self.bone;
        let way = parent_rest * (place - start);
        // The root moves along the axes of the file, a bone along its own.
        let moved = if self.bone.bone.is_none() { way } else { axes.inverse() * way };
        let turned = parent_rest * self.tracks.rotation.at(frame) * rest.inverse();
        let turned = axes.inverse() * turned * axes;
        let free = mocap_model::Axis::ALL.map(|axis| dofs.contains(&Dof::Rotation(axis)));
        let angles = match free {
            [true, true, true] => order.angles_near(&turned, self.previous),
            _ => {
                let mut angles = locked(*order, &turned, free).0;
                for (angle, previous) in angles.iter_mut().zip(self.previous) {
                    use std::f64::consts::TAU;
                    *angle -= TAU * ((*angle - previous) / TAU).round();
                }
                angles
            }
        };
        self.previous = angles;
        for dof in dofs {
            values.push(rounded(match dof {
                Dof::Translation(axis) => moved[axis.index()],
                Dof::Rotation(axis) => {
                    let at = order.axes().iter().position(|other| other == axis);
                    at.map_or(0.0, |at| angles[at].to_degrees())
                }
                Dof::Length => 0.0,
            }));
        }
    }
}

/// Nine decimals, and no negative zero.
fn rounded(value: f64) -> f64 {
    let scaled = value * 1e9;
    if scaled.abs() < 9e15 { scaled.round() / 1e9 + 0.0 } else { value }
}
