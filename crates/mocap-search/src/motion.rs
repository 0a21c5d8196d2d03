//! Motions in the form that searches use: a standard body in its own heading frame, at a constant rate.
//!
//! Bones are reduced to directions, which pose one standard body. So the result does not depend on the proportions,
//! size and names of a skeleton, nor on its position and heading.
//!
//! Proportions of the standard body: R. Drillis, R. Contini, "Body Segment Parameters", 1966.

use crate::SearchError;
use mocap_analysis::{guess_unit, upright_by};
use mocap_model::{Clip, JointId, PlacedJoints, Role, Vector3};
use mocap_retarget::map_roles_in;
use std::f64::consts::{PI, TAU};

/// Samples per second of a motion that is searched.
pub const RATE: f64 = 12.0;
/// Samples per second where details count: labels, and the check of duplicates.
pub(crate) const DETAILED: f64 = 2.0 * RATE;
/// Points of the standard body, besides the middle of its hip joints, which is the origin.
pub const POINTS: usize = 11;
/// For each point, its mirror image.
pub(crate) const MIRRORED: [usize; POINTS] = [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9];

/// The joints that a search needs. The neck replaces a missing head.
const NEEDED: [Role; 14] = [
    Role::Hips,
    Role::Head,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
    Role::RightFoot,
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::RightHand,
];

/// Lengths of the standard body [leg lengths, hip joint to ankle].
mod standard {
    pub(super) const THIGH: f64 = 0.5;
    pub(super) const SHANK: f64 = 0.5;
    pub(super) const TRUNK: f64 = 0.587;
    pub(super) const HEAD: f64 = 0.24;
    pub(super) const HALF_HIPS: f64 = 0.1;
    pub(super) const HALF_SHOULDERS: f64 = 0.25;
    pub(super) const UPPER_ARM: f64 = 0.379;
    pub(super) const FOREARM: f64 = 0.297;
}

/// The largest coordinate of each point of [`Sample::points`] along an axis [leg lengths].
pub(crate) const REACH: [f32; POINTS] = {
    use standard::{FOREARM, HALF_HIPS, HALF_SHOULDERS, HEAD, SHANK, THIGH, TRUNK, UPPER_ARM};
    let shoulder = (TRUNK + HALF_SHOULDERS) as f32;
    let elbow = shoulder + UPPER_ARM as f32;
    let wrist = elbow + FOREARM as f32;
    let knee = (HALF_HIPS + THIGH) as f32;
    let ankle = knee + SHANK as f32;
    [(TRUNK + HEAD) as f32, shoulder, shoulder, elbow, elbow, wrist, wrist, knee, knee, ankle, ankle]
};

/// One sample of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The points of the standard body from the middle of the hip joints \[leg lengths\]: head, left and right shoulder,
    /// elbows, wrists, knees, ankles; each is left, up, forward of the body.
    pub points: [[f32; 3]; POINTS],
    /// The velocity of the hips: left, up, forward [leg lengths / s].
    pub velocity: [f32; 3],
    /// The turn rate of the body to its left \[rad/s\].
    pub turn: f32,
}

impl Sample {
    /// The sample with the bone lengths of the standard body, which samples of clips already have.
    #[must_use]
    pub fn on_standard_body(&self) -> Sample {
        Sample { points: Bones::of(&self.points).points(), ..*self }
    }
}

/// The parameters of a pose of the standard body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bones {
    /// Unit vectors (zero where a bone has no direction): from the hips to the middle of the shoulders, from there to
    /// the left shoulder, from there to the head, then upper arms, forearms and shanks, left and right.
    pub(crate) directions: [[f32; 3]; Bones::DIRECTIONS],
    /// Left and right, from the middle of the hips.
    pub(crate) knees: [[f32; 3]; 2],
}

impl Bones {
    pub(crate) const DIRECTIONS: usize = 9;

    /// The bones of given points.
    pub(crate) fn of(points: &[[f32; 3]; POINTS]) -> Bones {
        let [
            head,
            left,
            right,
            left_elbow,
            right_elbow,
            left_wrist,
            right_wrist,
            left_knee,
            right_knee,
            left_ankle,
            right_ankle,
        ] = points;
        let middle = std::array::from_fn(|k| (left[k] + right[k]) / 2.0);
        let unit = |from: &[f32; 3], to: &[f32; 3]| {
            let way: [f32; 3] = std::array::from_fn(|k| to[k] - from[k]);
            let size = (way[0] * way[0] + way[1] * way[1] + way[2] * way[2]).sqrt();
            way.map(|value| if size > 1e-5 { value / size } else { 0.0 })
        };
        Bones {
            directions: [
                unit(&[0.0; 3], &middle),
                unit(right, left),
                unit(&middle, head),
                unit(left, left_elbow),
                unit(right, right_elbow),
                unit(left_elbow, left_wrist),
                unit(right_elbow, right_wrist),
                unit(left_knee, left_ankle),
                unit(right_knee, right_ankle),
            ],
            knees: [*left_knee, *right_knee],
        }
    }

    /// The points of the standard body.
    pub(crate) fn points(&self) -> [[f32; 3]; POINTS] {
        let along = |from: [f32; 3], bone: usize, length: f64| -> [f32; 3] {
            std::array::from_fn(|k| from[k] + self.directions[bone][k] * length as f32)
        };
        let middle = along([0.0; 3], 0, standard::TRUNK);
        let shoulders = [1.0, -1.0].map(|side| along(middle, 1, side * standard::HALF_SHOULDERS));
        let elbows = [0, 1].map(|side| along(shoulders[side], 3 + side, standard::UPPER_ARM));
        let wrists = [0, 1].map(|side| along(elbows[side], 5 + side, standard::FOREARM));
        let ankles = [0, 1].map(|side| along(self.knees[side], 7 + side, standard::SHANK));
        let head = along(middle, 2, standard::HEAD);
        let mut points = [head; POINTS];
        for (place, two) in [shoulders, elbows, wrists, self.knees, ankles].into_iter().enumerate() {
            points[1 + 2 * place..3 + 2 * place].copy_from_slice(&two);
        }
        points
    }
}

/// A motion in the form that searches compare.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// At `rate`, the first at the start of the clip.
    pub samples: Vec<Sample>,
    /// Samples per second: [`RATE`], or a multiple of it where details count.
    pub rate: f64,
    /// The duration of the clip \[s\].
    pub duration: f64,
    /// The length of the legs, hip joint to ankle [units of the clip].
    pub leg: f64,
    /// Metres per unit of the clip, guessed from the size of the body where it is not stated; `None` where it is unknown.
    pub metres: Option<f64>,
}

/// The positions of the joints that a search needs, as the frames of a clip have them.
pub(crate) struct Joints {
    placed: PlacedJoints,
    joints: [JointId; NEEDED.len()],
    pub(crate) up: Vector3<f64>,
    /// Two directions on the floor; with `up` they are right-handed: `across` × `along` = `up`.
    across: Vector3<f64>,
    along: Vector3<f64>,
    pub(crate) leg: f64,
}

impl Joints {
    /// Finds the joints and places them.
    ///
    /// # Errors
    /// Where the clip is not a moving human body.
    pub(crate) fn of(clip: &Clip) -> Result<Joints, SearchError> {
        if clip.skeleton().robot().is_some() {
            return Err(SearchError::Robot);
        }
        if clip.frames() < 2 {
            return Err(SearchError::TooFewFrames { frames: clip.frames() });
        }
        // The least rate bounds the number of samples by that of the frames.
        let fps = clip.rate().fps();
        if fps < 1.0 {
            return Err(SearchError::Slow { fps });
        }
        let map = map_roles_in(clip);
        if map.on_four_legs {
            return Err(SearchError::FourLegs);
        }
        let map = map.certain();
        let joint = |role| map.joint(role).or_else(|| map.joint(Role::Neck).filter(|_| role == Role::Head));
        let missing: Vec<Role> = NEEDED.into_iter().filter(|role| joint(*role).is_none()).collect();
        if !missing.is_empty() {
            return Err(SearchError::Unmapped { missing });
        }
        let joints = NEEDED.map(|role| joint(role).expect("none is missing"));
        let skeleton = clip.skeleton();
        let up = upright_by(clip, &map.apply(skeleton)).unwrap_or(skeleton.space().up).vector();
        let across = Vector3::new(up.y.abs(), up.z.abs(), up.x.abs());
        let along = up.cross(&across);
        let placed = PlacedJoints::of(clip, joints);
        let mut found = Joints { placed, joints, up, across, along, leg: 0.0 };
        found.leg = found.leg_length()?;
        Ok(found)
    }

    pub(crate) fn frames(&self) -> usize {
        self.placed.frames()
    }

    /// The position of a joint that a search needs, by its place in the list of these.
    fn at(&self, joint: usize, frame: usize) -> Vector3<f64> {
        self.placed.position(self.joints[joint], frame)
    }

    /// The mean length of both legs, as the bones are in the motion.
    fn leg_length(&self) -> Result<f64, SearchError> {
        let mut sum = 0.0;
        for frame in 0..self.frames() {
            let bone = |a: usize, b: usize| (self.at(b, frame) - self.at(a, frame)).norm();
            let legs = (bone(2, 3) + bone(3, 4) + bone(5, 6) + bone(6, 7)) / 2.0;
            if !legs.is_finite() {
                return Err(SearchError::NotFinite { frame });
            }
            if legs <= 0.0 {
                return Err(SearchError::NoLegs { frame });
            }
            sum += legs;
        }
        Ok(sum / self.frames() as f64)
    }

    /// The direction of a line across the body on the floor \[rad\], to the left.
    pub(crate) fn heading_of(&self, left: Vector3<f64>) -> f64 {
        left.dot(&self.along).atan2(left.dot(&self.across))
    }

    /// The positions at a time between frames, linearly.
    pub(crate) fn between(&self, place: f64) -> [Vector3<f64>; NEEDED.len()] {
        let first = (place.max(0.0) as usize).min(self.frames() - 1);
        let next = (first + 1).min(self.frames() - 1);
        let share = (place - first as f64).clamp(0.0, 1.0);
        std::array::from_fn(|joint| self.at(joint, first) * (1.0 - share) + self.at(joint, next) * share)
    }
}

/// A pose of the standard body in the heading of the clip.
struct Posed {
    points: [Vector3<f64>; POINTS],
    /// The middle of the hip joints in the clip \[leg lengths\].
    hips: Vector3<f64>,
    /// The direction to the left of the body on the floor; not of unit length.
    left: Vector3<f64>,
}

/// Poses the standard body like given joints.
fn pose(joints: &[Vector3<f64>; NEEDED.len()], up: &Vector3<f64>, leg: f64) -> Posed {
    let direction = |from: Vector3<f64>, to: Vector3<f64>| {
        (to - from).try_normalize(1e-6 * leg).unwrap_or_else(Vector3::zeros)
    };
    let (hips, shoulders) = ((joints[2] + joints[5]) / 2.0, (joints[8] + joints[11]) / 2.0);
    let chest = direction(hips, shoulders) * standard::TRUNK;
    let head = chest + direction(shoulders, joints[1]) * standard::HEAD;
    let (hip_line, shoulder_line) = (direction(joints[5], joints[2]), direction(joints[11], joints[8]));
    let mut points = [head; POINTS];
    for (side, sign) in [(0, 1.0), (1, -1.0)] {
        let arm = 8 + 3 * side;
        let shoulder = chest + shoulder_line * (sign * standard::HALF_SHOULDERS);
        let elbow = shoulder + direction(joints[arm], joints[arm + 1]) * standard::UPPER_ARM;
        let wrist = elbow + direction(joints[arm + 1], joints[arm + 2]) * standard::FOREARM;
        let thigh = 2 + 3 * side;
        let hip = hip_line * (sign * standard::HALF_HIPS);
        let knee = hip + direction(joints[thigh], joints[thigh + 1]) * standard::THIGH;
        let ankle = knee + direction(joints[thigh + 1], joints[thigh + 2]) * standard::SHANK;
        for (place, point) in [shoulder, elbow, wrist, knee, ankle].into_iter().enumerate() {
            points[1 + 2 * place + side] = point;
        }
    }
    let across = hip_line + shoulder_line;
    Posed { points, hips: hips / leg, left: across - up * across.dot(up) }
}

/// Least horizontal length of the line across a body for its heading; shorter ones mean that it lies on a side.
const FACING: f64 = 0.5;

impl Motion {
    /// The motion of a clip.
    ///
    /// # Errors
    /// Where the clip is not a moving human body: see [`SearchError`].
    pub fn of(clip: &Clip) -> Result<Motion, SearchError> {
        Ok(Motion::of_joints(&Joints::of(clip)?, clip, RATE))
    }

    pub(crate) fn of_joints(joints: &Joints, clip: &Clip, rate: f64) -> Motion {
        let (fps, duration) = (clip.rate().fps(), clip.duration());
        let count = (duration * rate + 1e-6) as usize + 1;
        let place = |sample: usize| sample as f64 / rate * fps;
        let poses: Vec<Posed> =
            (0..count).map(|sample| pose(&joints.between(place(sample)), &joints.up, joints.leg)).collect();
        let headings = headings(&poses, joints);
        let mut samples = Vec::with_capacity(count);
        for (at, pose) in poses.iter().enumerate() {
            let (before, after) = (at.saturating_sub(1), (at + 1).min(count - 1));
            let seconds = (after - before).max(1) as f64 / rate;
            let (sin, cos) = headings[at].sin_cos();
            // Left and forward of the body, on the floor.
            let left = joints.across * cos + joints.along * sin;
            let forward = left.cross(&joints.up);
            let own = |v: Vector3<f64>| [v.dot(&left), v.dot(&joints.up), v.dot(&forward)].map(|x| x as f32);
            samples.push(Sample {
                points: pose.points.map(own),
                velocity: own((poses[after].hips - poses[before].hips) / seconds),
                turn: ((headings[after] - headings[before]) / seconds) as f32,
            });
        }
        let space = clip.skeleton().space();
        let unit = space.unit.or_else(|| guess_unit(&map_roles_in(clip).certain().apply(clip.skeleton())));
        let metres = unit.map(|unit| unit.metres);
        Motion { samples, rate, duration, leg: joints.leg, metres }
    }

    /// The motion at [`RATE`].
    #[must_use]
    pub fn coarse(&self) -> Motion {
        let every = (self.rate / RATE).round().max(1.0) as usize;
        let samples = self.samples.iter().step_by(every).copied().collect();
        Motion { samples, rate: RATE, ..*self }
    }

    /// The motion as a mirror shows it: left is right.
    #[must_use]
    pub fn mirrored(&self) -> Motion {
        let mirror = |[left, up, forward]: [f32; 3]| [-left, up, forward];
        let samples = self.samples.iter().map(|sample| Sample {
            points: MIRRORED.map(|point| mirror(sample.points[point])),
            velocity: mirror(sample.velocity),
            turn: -sample.turn,
        });
        Motion { samples: samples.collect(), ..*self }
    }
}

/// The heading by sample \[rad\], continuous over time. A body on its side keeps the last heading.
fn headings(poses: &[Posed], joints: &Joints) -> Vec<f64> {
    let clear = |pose: &&Posed| pose.left.norm() > FACING;
    let angle = |pose: &Posed| joints.heading_of(pose.left);
    let mut heading = poses.iter().find(clear).or(poses.first()).map_or(0.0, angle);
    poses
        .iter()
        .map(|pose| {
            if clear(&pose) {
                heading += (angle(pose) - heading + PI).rem_euclid(TAU) - PI;
            }
            heading
        })
        .collect()
}
