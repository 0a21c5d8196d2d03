//! The subject of a take: its body, and where markers are attached.

use mocap_model::{JointId, Role, Skeleton, Vector3};
use nalgebra::Matrix3;

use crate::body::Body;
use crate::calibrate::{AttachmentPrior, FreeOffset};
use crate::frame::Attached;
use crate::geometry::Geometry;
use crate::marker_set::{Landmark, Segment};
use crate::pelvis::{self, Pelvis};
use crate::{SolveError, template};

/// A body with markers on it.
#[derive(Clone, Debug)]
pub(crate) struct Subject {
    /// In its own unit. Offsets of the body may differ from it during calibration.
    pub(crate) skeleton: Skeleton,
    pub(crate) metres: f64,
    pub(crate) geometry: Geometry,
    pub(crate) body: Body,
    pub(crate) attached: Vec<Attached>,
    pub(crate) priors: Vec<AttachmentPrior>,
    pub(crate) offsets: Vec<FreeOffset>,
}

/// Usual rotations of the template's elbow [rad]: along the forearm, about its hinge, about the third axis.
const ELBOW: Vector3<f64> = Vector3::new(0.12, 1.5, 0.12);
/// The usual twist of a forearm [rad].
const TWIST: f64 = 1.0;
/// σ of a marker before the calibration, besides that of its place [m].
pub(crate) const FIRST_SIGMA: f64 = 0.01;

impl Subject {
    /// A given skeleton with markers.
    pub(crate) fn given(
        skeleton: &Skeleton,
        metres: f64,
        landmarks: &[Landmark],
    ) -> Result<Subject, SolveError> {
        let missing = SolveError::NotABody { missing: "pair of legs or arms" };
        let geometry = Geometry::of(skeleton, metres).ok_or(missing)?;
        let mut joints: Vec<JointId> = Vec::with_capacity(landmarks.len());
        let mut places: Vec<Vector3<f64>> = Vec::with_capacity(landmarks.len());
        for landmark in landmarks {
            let (joint, place) = match geometry.attachment(landmark) {
                Some((joint, place)) => (wrist(skeleton, &geometry, landmark, joint), place),
                None => return Err(SolveError::NotABody { missing: segment_name(landmark.segment) }),
            };
            let first = geometry.attachment(landmark).map_or(joint, |(first, _)| first);
            let place = match first == joint {
                true => place,
                false => geometry.in_joint(joint, &geometry.at_rest(first, &place)),
            };
            joints.push(joint);
            places.push(place);
        }
        let body = Body::of(skeleton, geometry.root, &joints, metres, &geometry.left)?;
        let index = |joint: JointId| {
            body.find(joint).ok_or(SolveError::NotABody { missing: "trunk above its limbs" })
        };
        let mut attached = Vec::with_capacity(landmarks.len());
        for ((joint, place), landmark) in joints.iter().zip(&places).zip(landmarks) {
            let weight = 1.0 / (FIRST_SIGMA.powi(2) + landmark.sigma.max().powi(2));
            attached.push(Attached { joint: index(*joint)?, place: *place, weight });
        }
        type Placed<'a> = ((&'a JointId, &'a Vector3<f64>), &'a Landmark);
        let prior = |((joint, place), landmark): Placed<'_>| -> Result<AttachmentPrior, SolveError> {
            let precision = match is_paired(landmark, landmarks) {
                true => Matrix3::identity() * PAIR_SIGMA.powi(-2),
                false => {
                    let turn = geometry.rotation(*joint).to_rotation_matrix().into_inner();
                    let missing = SolveError::NotABody { missing: segment_name(landmark.segment) };
                    turn.transpose() * geometry.precision(landmark).ok_or(missing)? * turn
                }
            };
            Ok(AttachmentPrior { place: *place, precision })
        };
        let priors = joints
            .iter()
            .zip(&places)
            .zip(landmarks)
            .map(prior)
            .collect::<Result<Vec<AttachmentPrior>, SolveError>>()?;
        let skeleton = skeleton.clone();
        Ok(Subject { skeleton, metres, geometry, body, attached, priors, offsets: Vec::new() })
    }

    /// A skeleton made of the template, with the limbs that carry markers.
    pub(crate) fn made(
        scale: f64,
        landmarks: &[Landmark],
        pelvis: Option<&Pelvis>,
    ) -> Result<Subject, SolveError> {
        let skeleton = template::skeleton(scale, |role| is_wanted(role, landmarks))?;
        Subject::of_made(&skeleton, landmarks, pelvis)
    }

    /// As [`Subject::made`], from a skeleton that was made before.
    pub(crate) fn of_made(
        skeleton: &Skeleton,
        landmarks: &[Landmark],
        pelvis: Option<&Pelvis>,
    ) -> Result<Subject, SolveError> {
        let mut subject = Subject::given(skeleton, 1.0, landmarks)?;
        for joint in &mut subject.body.joints {
            if let Some(Role::LeftLowerArm | Role::RightLowerArm) = skeleton.joints()[joint.source].role {
                joint.stiffness = Matrix3::from_diagonal(&ELBOW.map(|turn| turn.powi(-2)));
            }
            if template::twists(&skeleton.joints()[joint.source].name) {
                joint.stiffness = Matrix3::identity() * TWIST.powi(-2);
            }
        }
        let name = |source: usize| skeleton.joints()[source].name.as_str();
        let free: Vec<(usize, Vector3<f64>)> = subject
            .body
            .joints
            .iter()
            .enumerate()
            .skip(1)
            .filter_map(|(at, joint)| Some((at, template::freedom(name(joint.source))?)))
            .collect();
        let twin = |at: usize| {
            let own = name(subject.body.joints[at].source);
            let other = match own.strip_prefix("Left") {
                Some(rest) => format!("Right{rest}"),
                None => format!("Left{}", own.strip_prefix("Right")?),
            };
            free.iter().position(|(joint, _)| name(subject.body.joints[*joint].source) == other)
        };
        subject.offsets = free
            .iter()
            .map(|(joint, sigma)| FreeOffset {
                joint: *joint,
                prior: subject.body.joints[*joint].offset,
                sigma: *sigma,
                twin: twin(*joint),
            })
            .collect();
        if let Some(pelvis) = pelvis {
            subject.predict_hips(pelvis, landmarks);
        }
        Ok(subject)
    }

    /// Replaces hip joints of the table by those predicted from the pelvis.
    fn predict_hips(&mut self, pelvis: &Pelvis, landmarks: &[Landmark]) {
        let joint = |role: Role| self.body.find(self.geometry.find(role)?);
        let (Some(left), Some(right)) = (joint(Role::LeftUpperLeg), joint(Role::RightUpperLeg)) else {
            return;
        };
        if [left, right].iter().any(|hip| self.body.joints[*hip].parent != Some(0)) {
            return;
        }
        let middle = (self.body.joints[left].offset + self.body.joints[right].offset) / 2.0;
        for (hip, side) in [(left, 1.0), (right, -1.0)] {
            let Some(free) = self.offsets.iter_mut().find(|free| free.joint == hip) else { continue };
            free.prior.x = side * pelvis.outward();
            free.sigma.x = pelvis::SIGMA;
            self.body.joints[hip].offset.x = free.prior.x;
        }
        for (marker, landmark) in landmarks.iter().enumerate().filter(|(_, l)| l.segment == Segment::Hips) {
            let Some(place) = pelvis.place(landmark) else { continue };
            let prior = &mut self.priors[marker];
            prior.place = middle + place;
            prior.precision = Matrix3::identity() * pelvis::SIGMA.powi(-2);
            self.attached[marker].place = prior.place;
            self.attached[marker].weight = 1.0 / (FIRST_SIGMA.powi(2) + pelvis::SIGMA.powi(2));
        }
    }

    /// The skeleton with the offsets of the body.
    pub(crate) fn calibrated_skeleton(&self) -> Result<Skeleton, SolveError> {
        let mut offsets: Vec<Option<Vector3<f64>>> = vec![None; self.skeleton.len()];
        for free in &self.offsets {
            let joint = &self.body.joints[free.joint];
            offsets[joint.source] = Some(joint.offset / self.metres);
        }
        let mut at = 0;
        Ok(self.skeleton.with_joints(|joint| {
            if let Some(offset) = offsets[at] {
                joint.offset = offset;
            }
            at += 1;
        })?)
    }
}

/// Markers on both sides of a hinge: the joint is in the middle between them.
const PAIRS: [[&str; 2]; 3] = [["KNE", "KNM"], ["ANK", "ANM"], ["ELB", "ELBM"]];
/// σ of each of two such markers [m].
const PAIR_SIGMA: f64 = 0.01;

/// Whether there is a marker on the other side of the hinge.
fn is_paired(landmark: &Landmark, landmarks: &[Landmark]) -> bool {
    let name = landmark.name.get(1..).unwrap_or_default();
    let has = |other: &str| {
        landmarks.iter().any(|twin| twin.side == landmark.side && twin.name.get(1..) == Some(other))
    };
    let paired = PAIRS.iter().any(|[a, b]| (name == *a && has(b)) || (name == *b && has(a)));
    paired && landmark.side.is_some()
}

/// Whether a limb of the template carries markers, or is on the way to one that does.
fn is_wanted(role: Role, landmarks: &[Landmark]) -> bool {
    use Role::*;
    let trunk = matches!(role, Hips | Spine | Chest | Neck | Head);
    if trunk {
        let above = |landmark: &Landmark| {
            !matches!(landmark.segment, Segment::Hips | Segment::UpperLeg | Segment::LowerLeg | Segment::Foot)
        };
        return role == Hips || landmarks.iter().any(above);
    }
    let side = role.side();
    let on = |segments: &[Segment]| {
        landmarks.iter().any(|landmark| landmark.side == side && segments.contains(&landmark.segment))
    };
    let (leg, arm) = (
        [Segment::UpperLeg, Segment::LowerLeg, Segment::Foot],
        [Segment::Shoulder, Segment::UpperArm, Segment::LowerArm, Segment::Hand],
    );
    match role {
        LeftUpperLeg | RightUpperLeg | LeftLowerLeg | RightLowerLeg | LeftFoot | RightFoot | LeftToes
        | RightToes => on(&leg),
        _ => on(&arm),
    }
}

/// Markers near the wrist are attached to the joint that twists the forearm, if there is one between elbow and
/// hand.
fn wrist(skeleton: &Skeleton, geometry: &Geometry, landmark: &Landmark, joint: JointId) -> JointId {
    if landmark.segment != Segment::LowerArm || landmark.at.x < 0.8 {
        return joint;
    }
    let hand = geometry.joint(Segment::Hand, landmark.side).filter(|hand| *hand != joint);
    hand.and_then(|hand| skeleton.joint(hand).parent).filter(|above| *above != joint).unwrap_or(joint)
}

pub(crate) fn segment_name(segment: Segment) -> &'static str {
    match segment {
        Segment::Hips => "hips",
        Segment::Chest => "chest",
        Segment::Head => "head",
        Segment::UpperLeg => "upper leg",
        Segment::LowerLeg => "lower leg",
        Segment::Foot => "foot",
        Segment::Shoulder => "shoulder",
        Segment::UpperArm => "upper arm",
        Segment::LowerArm => "lower arm",
        Segment::Hand => "hand",
    }
}
