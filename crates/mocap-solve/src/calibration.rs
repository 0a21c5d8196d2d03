//! Calibration of a subject for other takes: bone lengths and attachments of markers.

use mocap_model::Vector3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::SolveError;
use crate::marker_set::Landmark;
use crate::subject::Subject;
use crate::take::Take;
use crate::template;

/// The calibration of a subject. Lengths are metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The version of this form: 2.
    pub version: u32,
    /// σ of a marker \[m\].
    pub sigma: f64,
    /// Offsets of the joints of a skeleton that was made of the subject; empty where one was given.
    pub bones: Vec<Bone>,
    /// Where markers are attached.
    pub markers: Vec<Attachment>,
}

/// The offset of a joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bone {
    /// The joint.
    pub name: String,
    /// From its parent, in the frame of the parent \[m\].
    pub offset: [f64; 3],
}

/// A marker on a joint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Attachment {
    /// The usual name of the marker, such as `LANK`.
    pub name: String,
    /// The joint.
    pub joint: String,
    /// In the frame of the joint \[m\].
    pub place: [f64; 3],
}

/// Since version 2, the forearms of a skeleton made of the subject have two parts.
const VERSION: u32 = 2;

impl Calibration {
    /// Whether the version of the form is supported and σ is valid.
    pub fn is_known(&self) -> bool {
        self.version == VERSION && self.sigma > 0.0 && self.sigma.is_finite()
    }

    pub(crate) fn of(subject: &Subject, take: &Take, used: &[bool], made: bool) -> Calibration {
        let name = |source: usize| subject.skeleton.joints()[source].name.clone();
        let joint_name = |joint: usize| name(subject.body.joints[joint].source);
        let metres = subject.metres;
        let bones = match made {
            true => {
                let skeleton = subject.calibrated_skeleton();
                let joints = skeleton.as_ref().unwrap_or(&subject.skeleton).joints().to_vec();
                joints
                    .iter()
                    .map(|joint| Bone { name: joint.name.clone(), offset: (joint.offset * metres).into() })
                    .collect()
            }
            false => Vec::new(),
        };
        let markers = subject.attached.iter().enumerate().filter(|(marker, _)| used[*marker]);
        Calibration {
            version: VERSION,
            sigma: subject.attached.first().map_or(0.01, |attached| attached.weight.powf(-0.5)),
            bones,
            markers: markers
                .map(|(marker, attached)| Attachment {
                    name: take.landmarks[marker].name.clone(),
                    joint: joint_name(attached.joint),
                    place: attached.place.into(),
                })
                .collect(),
        }
    }

    /// The subject whose skeleton was made.
    pub(crate) fn subject(&self, landmarks: &[Landmark]) -> Result<Subject, SolveError> {
        let whole = template::skeleton(1.0, |_| true)?;
        let is_kept = |name: &str| self.bones.iter().any(|bone| bone.name == name);
        let roles: Vec<_> = whole
            .joints()
            .iter()
            .filter(|joint| is_kept(&joint.name))
            .filter_map(|joint| joint.role)
            .collect();
        let made = template::skeleton(1.0, |role| roles.contains(&role));
        let made = made.map_err(|_| SolveError::NoBones)?;
        let skeleton = made.with_joints(|joint| {
            if let Some(bone) = self.bones.iter().find(|bone| bone.name == joint.name) {
                joint.offset = Vector3::from(bone.offset);
            }
        })?;
        let mut subject = Subject::given(&skeleton, 1.0, landmarks)?;
        subject.skeleton = skeleton;
        Ok(subject)
    }

    /// Attaches the markers; returns those that the calibration does not contain.
    pub(crate) fn apply(&self, subject: &mut Subject, take: &Take) -> Vec<usize> {
        let mut missing = Vec::new();
        for (marker, landmark) in take.landmarks.iter().enumerate() {
            let found = self.markers.iter().find(|attachment| attachment.name == landmark.name);
            let joint = found.and_then(|attachment| subject.skeleton.find(&attachment.joint));
            let joint = joint.and_then(|joint| subject.body.find(joint));
            match (found, joint) {
                (Some(attachment), Some(joint)) => {
                    subject.attached[marker].joint = joint;
                    subject.attached[marker].place = Vector3::from(attachment.place);
                    subject.priors[marker].place = Vector3::from(attachment.place);
                }
                _ => missing.push(marker),
            }
        }
        missing
    }
}
