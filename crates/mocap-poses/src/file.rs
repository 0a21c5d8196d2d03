//! The file of example poses, `.poses`.
//!
//! ```text
//! "MOCAPPOS"  version u16  header u32 bytes  header: JSON  rotations: i16 …  regressions: f32 …  xxh3 of all before: u64
//! ```
//!
//! Little endian. The header holds the skeleton, the mean rotation of each joint, and counts. A rotation is the
//! rotation vector from the mean, three numbers in steps of π / 32767. Regressions for common sets of points follow.

use crate::PosesError;
use crate::body::Body;
use crate::examples::PosePrior;
use crate::fitted::{Fitted, Known};
use crate::learn::mean_rotation;
use crate::regression::Weights;
use crate::{Quat, Vec3};
use mocap_model::{Joint, JointId, SignedAxis, Skeleton, Space, Unit, UnitSource, exp, log};
use nalgebra::Quaternion;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// The version that is written, and the only one that is read.
pub const VERSION: u16 = 1;
/// Larger files are not read.
pub const MAX_BYTES: usize = 16 << 20;

/// The first bytes of a file.
pub const MAGIC: &[u8; 8] = b"MOCAPPOS";
/// Magic, version, length of the header.
const LEAD: usize = 8 + 2 + 4;
const STEP: f64 = PI / 32767.0;

#[derive(Serialize, Deserialize)]
struct Header {
    skeleton: String,
    up: String,
    forward: String,
    metres: Option<f64>,
    clips: usize,
    frames: usize,
    spacing: f64,
    joints: Vec<HeaderJoint>,
    /// Mean rotations of the joints of a pose.
    means: Vec<[f64; 4]>,
    poses: usize,
    fitted: Vec<HeaderFitted>,
}

#[derive(Serialize, Deserialize)]
struct HeaderFitted {
    known: Vec<(u32, bool, bool)>,
    /// By stage: how many weights and variances.
    sizes: Vec<(usize, usize)>,
}

#[derive(Serialize, Deserialize)]
struct HeaderJoint {
    name: String,
    parent: Option<u32>,
    offset: [f64; 3],
    rest: [f64; 4],
    role: Option<String>,
    end: bool,
}

fn wrong(reason: impl Into<String>) -> PosesError {
    PosesError::File { reason: reason.into() }
}

fn numbers(turn: &Quat) -> [f64; 4] {
    [turn.w, turn.i, turn.j, turn.k]
}

fn rotation([w, x, y, z]: [f64; 4]) -> Result<Quat, PosesError> {
    Quat::try_new(Quaternion::new(w, x, y, z), 0.5).ok_or_else(|| wrong("a rotation is not one"))
}

impl PosePrior {
    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (skeleton, count) = (&self.body.skeleton, self.joints.len());
        let space = skeleton.space();
        let means: Vec<Quat> =
            (0..count).map(|place| mean_rotation(self.rotations.iter().skip(place).step_by(count))).collect();
        let joint = |joint: &Joint| HeaderJoint {
            name: joint.name.clone(),
            parent: joint.parent.map(|parent| parent.0),
            offset: joint.offset.into(),
            rest: numbers(&joint.rest_rotation),
            role: joint.role.map(|role| role.name().to_owned()),
            end: joint.end_site,
        };
        let header = Header {
            skeleton: skeleton.name().to_owned(),
            up: space.up.to_string(),
            forward: space.forward.to_string(),
            metres: space.metres(),
            clips: self.clips,
            frames: self.frames,
            spacing: self.spacing,
            joints: skeleton.joints().iter().map(joint).collect(),
            means: means.iter().map(numbers).collect(),
            poses: self.poses(),
            fitted: self.fitted.iter().map(header_of).collect(),
        };
        let header = serde_json::to_vec(&header).expect("names and numbers are JSON");
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((header.len() as u32).to_le_bytes());
        bytes.extend(header);
        for (at, turn) in self.rotations.iter().enumerate() {
            let off = log(&(means[at % count].inverse() * turn));
            bytes.extend(off.iter().flat_map(|value| ((value / STEP).round() as i16).to_le_bytes()));
        }
        for stage in self.fitted.iter().flat_map(|fitted| &fitted.stages) {
            let values = stage.weights.iter().chain(&stage.variance);
            bytes.extend(values.flat_map(|value| value.to_le_bytes()));
        }
        let hash = xxh3_64(&bytes);
        bytes.extend(hash.to_le_bytes());
        bytes
    }

    /// Reads a file.
    ///
    /// # Errors
    /// Where it is not one, is damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<PosePrior, PosesError> {
        if !bytes.starts_with(MAGIC) {
            return Err(wrong("it does not start with MOCAPPOS"));
        }
        if bytes.len() > MAX_BYTES {
            return Err(wrong(format!("{} bytes are more than {MAX_BYTES}", bytes.len())));
        }
        let version = bytes.get(8..10).ok_or_else(|| wrong("it ends early"))?;
        let version = u16::from_le_bytes([version[0], version[1]]);
        if version != VERSION {
            return Err(wrong(format!("version {version}; this program reads version {VERSION}")));
        }
        let (content, hash) = bytes.split_last_chunk::<8>().ok_or_else(|| wrong("it ends early"))?;
        if xxh3_64(content) != u64::from_le_bytes(*hash) {
            return Err(wrong("it is cut short or damaged: its check sum differs"));
        }
        let length = content.get(10..LEAD).ok_or_else(|| wrong("it ends early"))?;
        let length = u32::from_le_bytes([length[0], length[1], length[2], length[3]]) as usize;
        let end = LEAD.checked_add(length).filter(|end| *end <= content.len());
        let end = end.ok_or_else(|| wrong("its header is longer than the file"))?;
        let header: Header = serde_json::from_slice(&content[LEAD..end])
            .map_err(|error| wrong(format!("its header: {error}")))?;
        prior(header, &content[end..])
    }
}

fn prior(header: Header, values: &[u8]) -> Result<PosePrior, PosesError> {
    let body = Body::of(&Arc::new(skeleton(&header)?))?;
    let joints: Vec<JointId> = body.joints.clone();
    if header.means.len() != joints.len() {
        return Err(wrong(format!("{} means for {} joints", header.means.len(), joints.len())));
    }
    let size = header.poses.checked_mul(6 * joints.len()).filter(|size| *size > 0 && *size <= values.len());
    let (values, rest) = values.split_at(size.ok_or_else(|| wrong("its poses are not whole"))?);
    let fitted = fitted(&header, rest, joints.len() + 1)?;
    let (values, _) = values.as_chunks::<2>();
    let means = header.means.iter().map(|mean| rotation(*mean)).collect::<Result<Vec<Quat>, PosesError>>()?;
    let turn = |(at, values): (usize, &[[u8; 2]])| {
        let off = |axis: usize| f64::from(i16::from_le_bytes(values[axis])) * STEP;
        means[at % joints.len()] * exp(&Vec3::new(off(0), off(1), off(2)))
    };
    let rotations = values.chunks_exact(3).enumerate().map(turn).collect();
    let Header { clips, frames, spacing, .. } = header;
    Ok(PosePrior { body, joints, rotations, clips, frames, spacing, fitted })
}

fn header_of(fitted: &Fitted) -> HeaderFitted {
    HeaderFitted {
        known: fitted.known.iter().map(|known| (known.joint.0, known.position, known.orientation)).collect(),
        sizes: fitted.stages.iter().map(|stage| (stage.weights.len(), stage.variance.len())).collect(),
    }
}

/// The regressions; their sizes are checked where they are used.
fn fitted(header: &Header, values: &[u8], most: usize) -> Result<Vec<Fitted>, PosesError> {
    let (numbers, odd) = values.as_chunks::<4>();
    let mut numbers = numbers.iter().map(|bytes| f32::from_le_bytes(*bytes));
    let mut all = Vec::new();
    for fitted in &header.fitted {
        if fitted.known.len() > most {
            return Err(wrong("a regression is of more points than joints"));
        }
        let known = fitted.known.iter().map(|(joint, position, orientation)| Known {
            joint: JointId(*joint),
            position: *position,
            orientation: *orientation,
        });
        let mut stages = Vec::new();
        for (weights, variances) in &fitted.sizes {
            let stage = Weights {
                weights: numbers.by_ref().take(*weights).collect(),
                variance: numbers.by_ref().take(*variances).collect(),
            };
            let whole = stage.weights.len() == *weights && stage.variance.len() == *variances;
            if !whole || stage.weights.iter().chain(&stage.variance).any(|value| !value.is_finite()) {
                return Err(wrong("its regressions are not whole"));
            }
            stages.push(stage);
        }
        all.push(Fitted { known: known.collect(), stages });
    }
    match odd.is_empty() && numbers.next().is_none() {
        true => Ok(all),
        false => Err(wrong("there is more in it than its header says")),
    }
}

fn skeleton(header: &Header) -> Result<Skeleton, PosesError> {
    let axis = |text: &str| text.parse::<SignedAxis>().map_err(|_| wrong(format!("'{text}' is not an axis")));
    if header.metres.is_some_and(|metres| !(metres.is_finite() && metres > 0.0)) {
        return Err(wrong("its unit is not above 0"));
    }
    let unit = header.metres.map(|metres| Unit { metres, source: UnitSource::File });
    let space = Space { up: axis(&header.up)?, forward: axis(&header.forward)?, unit };
    let joint = |joint: &HeaderJoint| {
        let role = joint.role.as_ref().map(|role| role.parse().map_err(wrong)).transpose()?;
        let offset = Vec3::from(joint.offset);
        let new = Joint::new(joint.name.clone(), joint.parent.map(JointId), offset);
        Ok(Joint { rest_rotation: rotation(joint.rest)?, role, end_site: joint.end, ..new })
    };
    let joints = header.joints.iter().map(joint).collect::<Result<Vec<Joint>, PosesError>>()?;
    Ok(Skeleton::new(header.skeleton.clone(), space, joints)?)
}
