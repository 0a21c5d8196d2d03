//! How a motion is put on another skeleton.

use crate::RoleMap;
use mocap_model::{JointId, Pose};

/// What becomes of the source's motion on a body of other proportions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Root and effectors are scaled by the ratio of limb lengths, limbs are solved for them.
    #[default]
    Scale,
    /// Rotations are copied and the root stays where the source has it: feet float or sink. For comparison.
    Copy,
    /// The source's effectors and root are the goals as they are: limbs fold or overstretch. For comparison.
    Effectors,
}

/// What the hands are to do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hands {
    /// The way from shoulder to wrist scales with the arm.
    #[default]
    Scale,
    /// The hands stay where the source has them, seen from the middle of the hips, scaled like the legs.
    Keep,
    /// Arms are not solved: their joints turn as the source's do.
    Off,
}

/// Whether feet are pinned where they stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FootLock {
    /// Pinned, unless the target's legs are those of the source: then they stand as the source's do.
    #[default]
    Auto,
    /// Pinned.
    On,
    /// Not pinned: feet slide as the source's do, scaled, and more where the hips have other proportions.
    Off,
}

/// Where the target's floor is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Floor {
    /// The floor that the source stands on, scaled like the legs.
    #[default]
    Auto,
    /// At this height along the up axis [units of the target].
    At(f64),
    /// There is none: feet that stand are pinned at the height they stand at, and none is lifted. For stairs and
    /// slopes. Heights of the report are against the automatic floor.
    Off,
}

/// How limbs are solved. Every one of them starts from the source's own pose and keeps the joints' limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimbSolver {
    /// The two-bone solution (knee and elbow bend about the source's own axis), and where limits of the joints
    /// keep it from the goal, cyclic coordinate descent; the nearer of both.
    #[default]
    Auto,
    /// One solver alone.
    Named(mocap_ik::IkMethod),
}

impl LimbSolver {
    /// All of them, the automatic choice first.
    pub const ALL: [LimbSolver; 6] = {
        let [a, b, c, d, e] = mocap_ik::IkMethod::ALL;
        use LimbSolver::{Auto, Named};
        [Auto, Named(a), Named(b), Named(c), Named(d), Named(e)]
    };

    /// The name as it is written in commands and reports.
    pub const fn name(self) -> &'static str {
        match self {
            LimbSolver::Auto => "auto",
            LimbSolver::Named(method) => method.name(),
        }
    }
}

/// Options of a [`crate::Retargeter`].
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What becomes of the motion. Default: [`Method::Scale`].
    pub method: Method,
    /// What the hands are to do. Default: [`Hands::Scale`].
    pub hands: Hands,
    /// Whether feet are pinned where they stand; only [`Method::Scale`] does. Default: [`FootLock::Auto`].
    pub lock: FootLock,
    /// Whether hands that touch each other, the hips or the head do so on the target; only [`Method::Scale`] with
    /// solved arms does. Default: false.
    pub touch: bool,
    /// How limbs are solved. Default: [`LimbSolver::Auto`].
    pub solver: LimbSolver,
    /// Whether the degrees of freedom and limits that the target states are kept. Default: true. A skeleton's own
    /// motion is never changed for its limits (the files of CMU's database break their own).
    pub limits: bool,
    /// Where the target's floor is. Default: [`Floor::Auto`].
    pub floor: Floor,
    /// A local pose of the source in which it stands, in place of its rest pose: any pose of a body that stands
    /// upright, arms anywhere.
    pub source_rest: Option<Pose>,
    /// The same of the target.
    pub target_rest: Option<Pose>,
    /// Frames at the start of a clip that are no part of its motion, such as a rest pose: they are put on the
    /// target by themselves and change no measure. Default: 0.
    pub lead_in: usize,
    /// Roles of the source's joints, in place of those that are found.
    pub source_roles: Option<RoleMap>,
    /// Roles of the target's joints, in place of those that are found.
    pub target_roles: Option<RoleMap>,
    /// Joints beside the roles that are to turn alike: of the source, of the target. Pairs with a joint that neither
    /// skeleton has, or whose joint of the target has a role, say nothing.
    pub pairs: Vec<(JointId, JointId)>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            method: Method::default(),
            hands: Hands::default(),
            lock: FootLock::default(),
            touch: false,
            solver: LimbSolver::default(),
            limits: true,
            floor: Floor::default(),
            source_rest: None,
            target_rest: None,
            lead_in: 0,
            source_roles: None,
            target_roles: None,
            pairs: Vec::new(),
        }
    }
}
