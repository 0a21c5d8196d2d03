//! Options of a retarget.

use crate::RoleMap;
use mocap_model::{JointId, Pose};

/// How to handle different proportions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetargetMethod {
    /// Root and effectors are scaled by the ratio of limb lengths; limbs are solved for them.
    #[default]
    Scale,
    /// Rotations are copied and the root stays where the source has it: feet float or penetrate the floor. For
    /// comparison.
    Copy,
    /// The source's effectors and root are the goals, unscaled: limbs fold or overstretch. For comparison.
    Effectors,
}

/// Goals of the hands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hands {
    /// The vector from shoulder to wrist scales with the arm.
    #[default]
    Scale,
    /// The hands keep the source's position relative to the middle of the hips, scaled like the legs.
    Keep,
    /// Arms are not solved: their joints rotate as the source's do.
    Off,
}

/// Whether feet are locked in place while they are in contact with the floor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FootLock {
    /// On, unless the target's legs equal the source's: the feet then move exactly as the source's do.
    #[default]
    Auto,
    /// Locked.
    On,
    /// Not locked: feet skate as the source's do, scaled, and more where the hips have other proportions.
    Off,
}

/// Height of the target's floor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Floor {
    /// The floor of the source, scaled like the legs.
    #[default]
    Auto,
    /// At this height along the up axis [units of the target].
    At(f64),
    /// No floor: feet are locked at the height of their contact, and no foot is lifted. For stairs and slopes.
    /// Heights in the report are measured from the automatic floor.
    Off,
}

/// How limbs are solved. Every solver starts from the source's pose and keeps the joint limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LimbSolver {
    /// The two-bone solution (knee and elbow bend about the source's axis); where joint limits keep it from the
    /// goal, cyclic coordinate descent as well, and the nearer of both.
    #[default]
    Auto,
    /// Only this solver.
    Named(mocap_ik::IkMethod),
}

impl LimbSolver {
    /// All solvers, the automatic choice first.
    pub const ALL: [LimbSolver; 6] = {
        let [a, b, c, d, e] = mocap_ik::IkMethod::ALL;
        use LimbSolver::{Auto, Named};
        [Auto, Named(a), Named(b), Named(c), Named(d), Named(e)]
    };

    /// The name in commands and reports.
    pub const fn name(self) -> &'static str {
        match self {
            LimbSolver::Auto => "auto",
            LimbSolver::Named(method) => method.name(),
        }
    }
}

/// Options of a [`Retargeter`](crate::Retargeter).
///
/// ```
/// use mocap_retarget::{FootLock, Hands, RetargetOptions};
///
/// let options = RetargetOptions { hands: Hands::Off, foot_lock: FootLock::On, ..RetargetOptions::default() };
/// assert!(options.limits && options.lead_in == 0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RetargetOptions {
    /// How to handle different proportions. Default: [`RetargetMethod::Scale`].
    pub method: RetargetMethod,
    /// Goals of the hands. Default: [`Hands::Scale`].
    pub hands: Hands,
    /// Whether feet are locked during contacts; only with [`RetargetMethod::Scale`]. Default: [`FootLock::Auto`].
    pub foot_lock: FootLock,
    /// Whether self-contacts of the source's hands (with each other, the hips or the head) are kept on the target;
    /// only with [`RetargetMethod::Scale`] and solved arms. Default: false.
    pub self_contacts: bool,
    /// How limbs are solved. Default: [`LimbSolver::Auto`].
    pub solver: LimbSolver,
    /// Whether degrees of freedom and limits of the target are kept. Default: true. A skeleton's own motion is never
    /// changed by its limits (files of the CMU database exceed their own).
    pub limits: bool,
    /// Height of the target's floor. Default: [`Floor::Auto`].
    pub floor: Floor,
    /// A local pose of the source that replaces its rest pose: any pose of an upright body, arms anywhere.
    pub source_rest: Option<Pose>,
    /// A local pose of the target that replaces its rest pose.
    pub target_rest: Option<Pose>,
    /// Lead-in: frames at the start of a clip that are not part of its motion, such as a rest pose. They are
    /// transferred and solved, but not locked and not measured. Default: 0 (frames).
    pub lead_in: usize,
    /// Roles of the source's joints, instead of the roles that are found.
    pub source_roles: Option<RoleMap>,
    /// Roles of the target's joints, instead of the roles that are found.
    pub target_roles: Option<RoleMap>,
    /// Further pairs (joint of the source, joint of the target) that rotate alike. A pair is ignored if a joint does
    /// not exist or the target's joint has a role.
    pub joint_pairs: Vec<(JointId, JointId)>,
}

impl Default for RetargetOptions {
    fn default() -> RetargetOptions {
        RetargetOptions {
            method: RetargetMethod::default(),
            hands: Hands::default(),
            foot_lock: FootLock::default(),
            self_contacts: false,
            solver: LimbSolver::default(),
            limits: true,
            floor: Floor::default(),
            source_rest: None,
            target_rest: None,
            lead_in: 0,
            source_roles: None,
            target_roles: None,
            joint_pairs: Vec::new(),
        }
    }
}
