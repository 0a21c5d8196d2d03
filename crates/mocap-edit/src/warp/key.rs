//! The options of a warp: keys, times, and how joints meet their keys.

use mocap_model::{Clip, UnitQuaternion, Vector3};
use mocap_poses::{BodySolver, PosePrior};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// Options of [`warp`](super::warp()): keys, and the part of the motion that they change.
#[derive(Clone, Debug, PartialEq)]
pub struct Warp {
    /// Before this time nothing changes \[s\].
    pub from: f64,
    /// After this time nothing changes \[s\].
    pub to: f64,
    /// In any order.
    pub keys: Vec<WarpKey>,
    /// Whether feet that have no key keep their paths where the hips are moved. Default: true.
    pub keep_feet: bool,
    /// How joints meet their keys. Default: by an offset.
    pub mode: WarpMode,
    /// Pairs of a time of the motion and its new time \[s\], both between `from` and `to`. Default: none.
    pub times: Vec<(f64, f64)>,
    /// Example poses from which the whole body follows the joints that keys move. Default: only the limb of the joint
    /// follows.
    pub poses: Option<Arc<PosePrior>>,
    /// The IK solver. Default: two-bone; the objective if `poses` are given.
    pub ik: Option<WarpIk>,
}

impl Warp {
    /// A warp by offsets that keeps the feet and all times.
    pub fn new(from: f64, to: f64, keys: Vec<WarpKey>) -> Warp {
        let (keep_feet, mode, times) = (true, WarpMode::Offset, Vec::new());
        Warp { from, to, keys, keep_feet, mode, times, poses: None, ik: None }
    }

    /// The solver of the whole body; `None` where only limbs move.
    pub(super) fn body_solver(&self) -> Option<BodySolver> {
        match self.ik {
            Some(WarpIk::Body(solver)) => Some(solver),
            Some(WarpIk::TwoBone) => None,
            None => self.poses.as_ref().map(|_| BodySolver::default()),
        }
    }
}

/// The IK solver that moves joints to their targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpIk {
    /// Only the limb of the joint.
    TwoBone,
    /// The whole body.
    Body(BodySolver),
}

impl fmt::Display for WarpIk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            WarpIk::TwoBone => "two-bone",
            WarpIk::Body(solver) => solver.name(),
        })
    }
}

impl FromStr for WarpIk {
    type Err = String;

    fn from_str(text: &str) -> Result<WarpIk, String> {
        match text {
            "two-bone" => Ok(WarpIk::TwoBone),
            _ => text
                .parse()
                .map(WarpIk::Body)
                .map_err(|_| format!("'{text}' is not two-bone, objective or xpbd")),
        }
    }
}

mocap_model::text_values! {
    WarpIk "two-bone, objective or xpbd";
}

/// How joints meet their keys.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WarpMode {
    /// A smooth offset is added. Detail keeps its size.
    #[default]
    Offset,
    /// The motion since the start of the warp is scaled, by 0.25 to 4, to approximate the key; an offset adds the rest.
    /// Detail scales with the motion.
    ScaleOffset,
}

impl FromStr for WarpMode {
    type Err = String;

    fn from_str(text: &str) -> Result<WarpMode, String> {
        match text {
            "offset" => Ok(WarpMode::Offset),
            "scale-offset" => Ok(WarpMode::ScaleOffset),
            _ => Err(format!("'{text}' is not offset or scale-offset")),
        }
    }
}

/// A key: the change of a joint at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct WarpKey {
    /// The time \[s\]; the nearest frame is changed.
    pub time: f64,
    /// The name or role of the joint.
    pub joint: String,
    /// The change.
    pub change: WarpChange,
}

impl WarpKey {
    /// A key for each joint below the root: its rotation in the first frame of `pose`, a clip of the same skeleton.
    ///
    /// ```
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// let keys: Vec<_> = mocap_edit::WarpKey::of_pose(&clip, 0.5).collect();
    /// assert!(keys.iter().all(|key| key.time == 0.5));
    /// ```
    pub fn of_pose(pose: &Clip, time: f64) -> impl Iterator<Item = WarpKey> {
        let joints = pose.skeleton().iter().filter(|(_, joint)| !joint.end_site && joint.parent.is_some());
        joints.map(move |(id, joint)| {
            let change = WarpChange::To(pose.track(id).rotation.at(0));
            WarpKey { time, joint: joint.name.clone(), change }
        })
    }
}

/// A change of a pose.
#[derive(Clone, Debug, PartialEq)]
pub enum WarpChange {
    /// Has a local rotation.
    To(UnitQuaternion<f64>),
    /// Turns by a rotation in the space of the joint, given as axis times angle \[rad\].
    Turn(Vector3<f64>),
    /// Is at a position in object space \[units of the clip\]: hips are translated, other joints are moved by IK.
    At(Vector3<f64>),
    /// Is moved along the axes of object space \[units of the clip\].
    By(Vector3<f64>),
    /// Looks at a place.
    LookAt(LookAt),
}

/// A gaze: a joint points at a target, and the joints above it share the rotation.
#[derive(Clone, Debug, PartialEq)]
pub struct LookAt {
    /// The target in object space \[units of the clip\].
    pub at: Vector3<f64>,
    /// The gaze stays on the target up to this time \[s\]; `None`: only in the frame of the key.
    pub until: Option<f64>,
    /// The pointing direction in the space of the joint; `None`: the direction that is forward in the reference pose of
    /// the body.
    pub direction: Option<Vector3<f64>>,
    /// The joints that rotate; empty: the joint and those between it and the hips, each with half
    /// of the share of the one below.
    pub joints: Vec<LookShare>,
}

/// A joint that takes part in a gaze.
#[derive(Clone, Debug, PartialEq)]
pub struct LookShare {
    /// Its name or role.
    pub joint: String,
    /// Its share of the rotation, above 0, relative to the other shares.
    pub share: f64,
    /// Its largest rotation \[rad\]; `None`: 60° for a head, 40° for a neck, 35° for an eye, 20° for others.
    pub limit: Option<f64>,
}

impl LookAt {
    /// A gaze of one frame, with the usual shares and limits.
    pub fn new(at: Vector3<f64>) -> LookAt {
        LookAt { at, until: None, direction: None, joints: Vec::new() }
    }
}
