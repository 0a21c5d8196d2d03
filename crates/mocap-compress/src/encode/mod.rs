//! The encoder: from a clip to the bytes of a `.mocz` file whose error is known.

pub(crate) mod fit;
mod measure;
pub(crate) mod rig;
pub(crate) mod search;
pub(crate) mod source;

pub use measure::{JointError, Report};

use crate::clip::{Compressed, put_plan};
use crate::container::{self, BLOCK_FRAMES, BLOCK_VALUES, block_count};
use crate::plan::{Course, JointPlan, Plan, constant_parts, constant_rotation, to_f32};
use crate::{Info, Limits, Profile, archive, keys, runtime};
use measure::measure;
use mocap_model::{Clip, Joint, JointTracks, Skeleton, Track, angle_between};
use rig::{Placed, Rig};
use source::{Progress, Settings, Tight};
use std::cell::Cell;

/// How a clip is compressed.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What for. Default: [`Profile::Runtime`].
    pub profile: Profile,
    /// The greatest error \[m\], above 0. Default: 0.0001.
    pub tolerance: f64,
    /// The distance from each joint at which the error is measured \[m\], above 0. Default: 0.03.
    pub shell: f64,
    /// Metres in one unit of the clip. Default: as its skeleton says.
    pub metres_per_unit: Option<f64>,
    /// Other tolerances for joints of these names \[m\].
    pub joint_tolerances: Vec<(String, f64)>,
    /// The greatest error of local rotations \[rad\], above 0. Default: not bounded. Decoded local rotations make
    /// up for the errors of their parents, and may be off by more than the object-space error suggests.
    pub local_error: Option<f64>,
    /// Whether the tolerance holds half-way between frames too.
    pub guard_between: bool,
    /// Whether the skeleton is left out: it is then needed to open the file.
    pub external_skeleton: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            profile: Profile::default(),
            tolerance: 1e-4,
            shell: 0.03,
            metres_per_unit: None,
            joint_tolerances: Vec::new(),
            local_error: None,
            guard_between: false,
            external_skeleton: false,
        }
    }
}

/// A compressed clip and what it is like.
#[derive(Clone, Debug)]
pub struct Compression {
    /// The bytes of a `.mocz` file.
    pub bytes: Vec<u8>,
    /// Sizes and errors, measured on these bytes.
    pub report: Report,
}

/// Why a clip cannot be compressed as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CompressError {
    /// The unit of the clip is not known.
    #[error("the unit of the clip is not known: say how many metres one unit is")]
    Unit,
    /// A length or an angle that has to be above zero is not.
    #[error("{what} is {value}; it has to be above 0 and finite")]
    NotPositive {
        /// Which.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// `f32` cannot hold this motion so precisely.
    #[error(
        "a tolerance of {tolerance} m is finer than single precision holds this motion; the smallest that works is {:e} m",
        rounded_up(*smallest)
    )]
    TooFine {
        /// What was asked for \[m\].
        tolerance: f64,
        /// The smallest tolerance that works \[m\].
        smallest: f64,
    },
    /// `f32` cannot hold local rotations so precisely.
    #[error(
        "a local error of {} degrees is finer than single precision holds rotations; the smallest that works is {:e} degrees",
        bound.to_degrees(), rounded_up(smallest.to_degrees())
    )]
    TooFineTurn {
        /// What was asked for \[rad\].
        bound: f64,
        /// The smallest bound that works \[rad\].
        smallest: f64,
    },
    /// A joint with a tolerance of its own is not in the skeleton.
    #[error("there is no joint '{joint}' in the skeleton")]
    NoSuchJoint {
        /// The name.
        joint: String,
    },
    /// The motion passes what a file holds.
    #[error("the clip has {found} {what}; a file holds {limit}")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        found: usize,
        /// How much a file holds.
        limit: usize,
    },
    /// The bound was not reached, for a reason that is a fault of the encoder.
    #[error(
        "the encoder did not reach {bound}: {reached:.3} times what was asked for; please report this clip"
    )]
    NotReached {
        /// Which bound.
        bound: &'static str,
        /// The best it came to, as a share of what was asked for.
        reached: f64,
    },
    /// The bound holds in frames, and not half-way between them.
    #[error(
        "half-way between frames the tolerance was not reached: {reached:.3e} m there instead of {tolerance} m"
    )]
    NotReachedBetween {
        /// What was asked for \[m\].
        tolerance: f64,
        /// The best it came to half-way between frames \[m\].
        reached: f64,
    },
}

impl CompressError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            CompressError::Unit => "compress::unit",
            CompressError::NotPositive { .. } => "compress::not-positive",
            CompressError::TooFine { .. } => "compress::too-fine",
            CompressError::TooFineTurn { .. } => "compress::too-fine-turn",
            CompressError::NoSuchJoint { .. } => "compress::no-such-joint",
            CompressError::TooLarge { .. } => "compress::too-large",
            CompressError::NotReached { .. } => "compress::not-reached",
            CompressError::NotReachedBetween { .. } => "compress::not-reached-between",
        }
    }
}

/// At two digits, and never below the value: what is printed has to work.
fn rounded_up(value: f64) -> f64 {
    let place = value.log10().floor() as i32 - 1;
    // Powers of ten below 1 are not exact; dividing by those above is rounded once, as reading the text is.
    match place {
        ..0 => (value * 10f64.powi(-place)).ceil() / 10f64.powi(-place),
        _ => (value / 10f64.powi(place)).ceil() * 10f64.powi(place),
    }
}

/// Bytes of a clip as the field counts them: joints without end sites × frames × 40 (rotation, translation and
/// scale in single precision).
pub fn raw_bytes(skeleton: &Skeleton, frames: usize) -> u64 {
    skeleton.joints().iter().filter(|joint| !joint.end_site).count() as u64 * frames as u64 * 40
}

/// Compresses a clip within a tolerance.
///
/// # Errors
/// Where the unit is not known, a length is not above zero, or single precision cannot hold the tolerance.
pub fn compress(clip: &Clip, options: &Options) -> Result<Compression, CompressError> {
    compress_with_progress(clip, options, &|_| {})
}

/// As [`compress`]; `progress` is told now and then what share of the work is done, from 0 to 1. A motion that
/// needs a second attempt starts over.
///
/// # Errors
/// As [`compress`].
pub fn compress_with_progress(
    clip: &Clip,
    options: &Options,
    progress: &dyn Fn(f64),
) -> Result<Compression, CompressError> {
    let job = Job::new(clip, options)?;
    // The smallest shares of what was asked for, of any attempt that kept all samples.
    let mut reached = [f64::INFINITY; 3];
    // The bound is kept while residuals are chosen; what is left to rounding is tiny. Should it ever matter, or
    // the motion between frames have to hold as well, a tighter bound inside makes room.
    let mut share = 1.0 - MARGIN;
    // Where the motion between two frames goes astray, only they are held more tightly, in the joints that matter.
    let guarded = if options.guard_between { clip.frames() * clip.skeleton().len() } else { 0 };
    let mut tight = vec![1.0f32; guarded];
    for attempt in 0..ATTEMPTS {
        let (bytes, failed) = job.encode(share, &tight, progress);
        let opened = match options.external_skeleton {
            true => Compressed::open_with(bytes.clone(), clip.skeleton().clone(), &job.limits),
            false => Compressed::open(bytes.clone(), &job.limits),
        };
        let Ok(opened) = opened else { break };
        let report = measure(clip, &opened, &job.tolerances, job.metres, options.guard_between);
        let excess = match options.guard_between {
            true => report.excess.max(report.excess_between),
            false => report.excess,
        };
        let turned = options.local_error.map_or(0.0, |bound| report.local_rotation_max / bound);
        if failed == 0 && excess <= 1.0 && turned <= 1.0 {
            return Ok(Compression { bytes, report });
        }
        let mut held = report.excess <= 1.0 && turned <= 1.0;
        for (least, now) in reached.iter_mut().zip([report.excess, turned, report.excess_between]) {
            *least = least.min(now);
        }
        if failed > 0 && tight.iter().any(|share| *share < 1.0) {
            // Some frames are held more tightly than their motion can be: all of it a little more tightly then.
            tight.fill(1.0);
            held = false;
        }
        if failed == 0 && held && attempt < ATTEMPTS / 2 {
            tighten(&mut tight, clip, &report.astray);
        } else {
            share *= (0.98 / excess.max(turned)).clamp(0.5, 0.97);
        }
    }
    let [in_frames, turned, between] = reached;
    Err(if in_frames <= 1.0 && turned <= 1.0 && between > 1.0 {
        CompressError::NotReachedBetween {
            tolerance: options.tolerance,
            reached: between * options.tolerance,
        }
    } else if turned > 1.0 && in_frames <= 1.0 {
        CompressError::NotReached { bound: "the bound of local rotations", reached: turned }
    } else {
        CompressError::NotReached { bound: "the tolerance", reached: in_frames }
    })
}

/// Holds what went astray half-way between frames more tightly: the joint and all that carry it, in both frames.
fn tighten(tight: &mut [f32], clip: &Clip, astray: &[(usize, usize, f64)]) {
    let joints = clip.skeleton().joints();
    let before = tight.to_vec();
    for (frame, joint, excess) in astray {
        let share = (0.9 / excess).max(0.5) as f32;
        let mut next = Some(*joint);
        while let Some(joint) = next {
            for at in [joint * clip.frames() + frame - 1, joint * clip.frames() + frame] {
                tight[at] = tight[at].min(before[at] * share);
            }
            next = joints[joint].parent.map(mocap_model::JointId::index);
        }
    }
}

/// How much of the tolerance is left to rounding.
const MARGIN: f64 = 2e-3;
const ATTEMPTS: usize = 24;

/// Everything about a clip that does not change from attempt to attempt; lengths in its units.
struct Job<'a> {
    clip: &'a Clip,
    options: &'a Options,
    metres: f64,
    plan: Plan,
    tolerances: Vec<f64>,
    /// The largest tolerance of any joint that is measured \[m\].
    limit: f64,
    block_frames: usize,
    limits: Limits,
}

impl<'a> Job<'a> {
    fn new(clip: &'a Clip, options: &'a Options) -> Result<Job<'a>, CompressError> {
        let skeleton = clip.skeleton();
        let metres = options.metres_per_unit.or(skeleton.space().metres()).ok_or(CompressError::Unit)?;
        let mut lengths = vec![
            ("the unit", metres),
            ("the tolerance", options.tolerance),
            ("the shell distance", options.shell),
        ];
        lengths.extend(
            options.joint_tolerances.iter().map(|(_, tolerance)| ("the tolerance of a joint", *tolerance)),
        );
        lengths.extend(options.local_error.map(|bound| ("the local error", bound)));
        for (what, value) in lengths {
            if !(value.is_finite() && value > 0.0) {
                return Err(CompressError::NotPositive { what, value });
            }
        }
        let mut bounds = vec![options.tolerance; skeleton.len()];
        for (name, tolerance) in &options.joint_tolerances {
            let Some(joint) = skeleton.find(name) else {
                return Err(CompressError::NoSuchJoint { joint: name.clone() });
            };
            bounds[joint.index()] = *tolerance;
        }
        let measured = skeleton.iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| bounds[id.index()]);
        let limit = measured.reduce(f64::max).unwrap_or(options.tolerance);
        let tolerances: Vec<f64> = bounds.iter().map(|bound| bound / metres).collect();
        let least = tolerances.iter().fold(f64::INFINITY, |least, tolerance| least.min(*tolerance));
        let smallest = smallest_tolerance(clip, options.shell / metres);
        if least < smallest {
            return Err(CompressError::TooFine { tolerance: least * metres, smallest: smallest * metres });
        }
        if let Some(bound) = options.local_error.filter(|bound| *bound < SMALLEST_TURN) {
            return Err(CompressError::TooFineTurn { bound, smallest: SMALLEST_TURN });
        }
        let plan = plan(clip, least, options.shell / metres);
        let values = BLOCK_VALUES / plan.moving.len().max(1);
        let block_frames = BLOCK_FRAMES.min(1 << values.max(1).ilog2());
        if block_frames < 64 {
            let what = "moving tracks";
            return Err(CompressError::TooLarge { what, found: plan.moving.len(), limit: BLOCK_VALUES / 64 });
        }
        let limits = Limits { joints: usize::MAX >> 12, frames: usize::MAX, values: u64::MAX };
        Ok(Job { clip, options, metres, plan, tolerances, limit, block_frames, limits })
    }

    /// The bytes at a share of the tolerance, and how many samples were not kept within it.
    fn encode(&self, share: f64, tight: &[f32], progress: &dyn Fn(f64)) -> (Vec<u8>, usize) {
        let clip = self.clip;
        let tolerances: Vec<f64> = self.tolerances.iter().map(|tolerance| tolerance * share).collect();
        let count = block_count(clip.frames(), self.block_frames);
        let all = count * self.plan.moving.len();
        let progress = Progress { tell: progress, begun: Cell::new(0), all };
        let settings = Settings {
            turn: self.options.local_error.map(|bound| bound * share / 2.0),
            anchored: self.options.profile != Profile::Archive,
            ..Settings::new(&progress)
        };
        let info = Info {
            profile: self.options.profile,
            frames: clip.frames(),
            rate: clip.rate(),
            tolerance: self.limit,
            shell: self.options.shell,
            metres_per_unit: self.metres,
        };
        let kinds = self.plan.kinds(clip.skeleton());
        let shell = self.options.shell / self.metres;
        let mut blocks = Vec::new();
        let mut failed = 0;
        if clip.frames() > 0 {
            let rig = Rig::new(clip, &self.plan, &tolerances, shell, settings.power);
            for block in 0..count {
                let first = block * self.block_frames;
                let frames = first..(first + self.block_frames + 1).min(clip.frames());
                let original = Placed::of(clip, frames.clone(), &rig);
                let write = match self.options.profile {
                    Profile::Archive => archive::encode,
                    Profile::Runtime => runtime::encode,
                    Profile::Keys => keys::encode,
                };
                let tight = Tight { shares: tight, frames: clip.frames(), first: frames.start };
                let settings = Settings { tight, ..settings.clone() };
                let (bytes, missed) = write(frames.len(), &self.plan, &kinds, &rig, &settings, &original);
                blocks.push(bytes);
                failed += missed;
            }
        }
        let description = crate::skeleton::describe(clip.skeleton());
        let external = self.options.external_skeleton;
        let plan = put_plan(&self.plan, clip.skeleton());
        (container::assemble(&info, self.block_frames, &description, external, &plan, &blocks), failed)
    }
}

/// The smallest bound of local rotations \[rad\]: those of a joint and its parent are rounded to single precision,
/// and some room is needed for anything to be chosen at all.
const SMALLEST_TURN: f64 = 32.0 * f32::EPSILON as f64;

/// The smallest tolerance that decoded values can keep, whatever is stored: translations are rounded to single
/// precision, rotations turn all that hangs on them by the rounding of a quaternion.
fn smallest_tolerance(clip: &Clip, shell: f64) -> f64 {
    let largest = |joint: &Joint, tracks: &JointTracks| match &tracks.translation {
        Some(track) => track.values().iter().fold(0.0f64, |max, v| max.max(v.norm())),
        None => joint.offset.norm(),
    };
    let skeleton = clip.skeleton();
    let mut lengths = vec![0.0f64; skeleton.len()];
    let mut rounding = vec![0.0f64; skeleton.len()];
    let mut worst = 0.0f64;
    for (id, joint) in skeleton.iter() {
        let far = largest(joint, clip.track(id));
        let half_ulp = far * f64::from(f32::EPSILON) / 2.0 * 3f64.sqrt();
        // Roots carry no lever: what is above them does not turn.
        let (above, up) = joint
            .parent
            .map_or((0.0, 0.0), |parent| (lengths[parent.index()] + far, rounding[parent.index()]));
        lengths[id.index()] = above;
        rounding[id.index()] = up + half_ulp;
        worst = worst.max(rounding[id.index()] + (above + shell) * f64::from(f32::EPSILON) * 2.0);
    }
    // Some room above the rounding is needed for anything to be chosen at all.
    worst * 4.0
}

/// A joint whose motion moves nothing by more than this share of the tolerance does not move.
const STILL: f64 = 5e-4;

fn plan(clip: &Clip, tolerance: f64, shell: f64) -> Plan {
    let skeleton = clip.skeleton();
    // How far anything that hangs on a joint reaches.
    let mut reach = vec![shell; skeleton.len()];
    for (id, joint) in skeleton.iter().rev() {
        if let Some(parent) = joint.parent {
            let length = match &clip.track(id).translation {
                Some(track) => track.values().iter().fold(0.0f64, |max, v| max.max(v.norm())),
                None => joint.offset.norm(),
            };
            reach[parent.index()] = reach[parent.index()].max(reach[id.index()] + length);
        }
    }
    let joints = skeleton.iter().map(|(id, joint)| {
        let tracks = clip.track(id);
        let rotations = tracks.rotation.values();
        let turn = STILL * tolerance / reach[id.index()];
        let rotation = match rotations.first() {
            Some(first) if rotations.iter().any(|q| angle_between(first, q) > turn) => Course::Moving,
            Some(first) if to_f32(first) != to_f32(&joint.rest_rotation) => {
                // As it will be decoded.
                let rest = to_f32(&joint.rest_rotation);
                Course::Constant(constant_rotation(rest, constant_parts(rest, to_f32(first))))
            }
            _ => Course::Rest,
        };
        let translation = match &tracks.translation {
            None => Course::Rest,
            Some(track) => match track.values().first() {
                Some(first) if moves(track, STILL * tolerance) => {
                    debug_assert!(first.iter().all(|value| value.is_finite()));
                    Course::Moving
                }
                Some(first) if *first != joint.offset => {
                    Course::Constant(first.map(|value| value as f32).into())
                }
                _ => Course::Rest,
            },
        };
        JointPlan { rotation, translation }
    });
    Plan::new(joints.collect())
}

fn moves(track: &Track<mocap_model::Vector3<f64>>, distance: f64) -> bool {
    let values = track.values();
    values.iter().any(|v| (v - values[0]).norm() > distance)
}
