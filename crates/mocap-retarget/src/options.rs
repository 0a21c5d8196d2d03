//! Options of a retarget.

use crate::{RoleMap, TargetSurface};
use mocap_model::{Body, JointId, Pose};
use std::sync::Arc;

/// How to handle different proportions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetargetMethod {
    /// Trunk and arms rotate as the source's do. Root and feet are scaled by the ratio of leg lengths: the middle of
    /// each foot is where the source's is, its ball is at the same height above the floor.
    #[default]
    Scale,
    /// Root, ankles and wrists are scaled by the ratio of limb lengths, and every limb is solved for them, by cyclic
    /// coordinate descent unless [`RetargetOptions::solver`] names another solver. Self-contacts are not kept. Based
    /// on: Yang, Chang, Chao, "Motion Retargeting with Geometry Scaling", 2002.
    LimbRatio,
    /// Rotations and root positions are copied unscaled: feet float or penetrate the floor. For comparison.
    Copy,
    /// The source's effectors and root are the goals, unscaled: limbs fold or overstretch. For comparison.
    Effectors,
}

impl RetargetMethod {
    /// Whether lengths are scaled by the ratio of limb lengths.
    pub fn scales(self) -> bool {
        matches!(self, RetargetMethod::Scale | RetargetMethod::LimbRatio)
    }
}

/// Goals of the hands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hands {
    /// Arms rotate as the source's do, except while a hand is near the other hand, the head, the hips or the floor:
    /// then it is placed there ([`RetargetOptions::self_contacts`]), blended in and out. With
    /// [`RetargetMethod::LimbRatio`]: as [`Hands::Scale`].
    #[default]
    Auto,
    /// The vector from shoulder to wrist scales with the arm.
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

    /// Whether limbs without limits are solved in closed form.
    pub(crate) fn is_closed_form(self) -> bool {
        matches!(self, LimbSolver::Auto | LimbSolver::Named(mocap_ik::IkMethod::TwoBone))
    }

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
    /// Goals of the hands. Default: [`Hands::Auto`].
    pub hands: Hands,
    /// Whether feet are locked during contacts. Applies only to methods that scale. Default: [`FootLock::Auto`].
    pub foot_lock: FootLock,
    /// Whether contacts of the source's hands (with each other, the hips, the head or the floor) are kept on the
    /// target; only with [`RetargetMethod::Scale`] and solved arms. Default: true.
    pub self_contacts: bool,
    /// How limbs are solved. Default: [`LimbSolver::Auto`], which is CCD with [`RetargetMethod::LimbRatio`].
    pub solver: LimbSolver,
    /// Whether degrees of freedom and limits of the target are kept. Default: true. If the target is the source's
    /// own skeleton, its limits are ignored (files of the CMU database exceed their own).
    pub limits: bool,
    /// Height of the target's floor. Default: [`Floor::Auto`].
    pub floor: Floor,
    /// A local pose of the source that replaces its rest pose: any pose of an upright body, with the arms
    /// anywhere.
    pub source_rest: Option<Pose>,
    /// A local pose of the target that replaces its rest pose.
    pub target_rest: Option<Pose>,
    /// Lead-in: number of frames at the start of a clip that are not part of its motion, such as a rest pose.
    /// They are transferred and solved, but feet are not locked in them, and they are not measured. Default: 0.
    pub lead_in: usize,
    /// Roles of the source's joints, instead of the roles that are found.
    pub source_roles: Option<RoleMap>,
    /// Roles of the target's joints, instead of the roles that are found.
    pub target_roles: Option<RoleMap>,
    /// Further pairs (joint of the source, joint of the target) that rotate alike. A pair is ignored if one of
    /// its joints does not exist or the target's joint has a role.
    pub joint_pairs: Vec<(JointId, JointId)>,
    /// The surface of the target, bound to its skeleton; arms are kept out of it. Default: `None`: arms are
    /// neither changed nor measured.
    pub surface: Option<TargetSurface>,
    /// The surface of the source, bound to its skeleton; contacts of its arms are kept on the surface of the
    /// target. Default: `None`: arms are only kept out of the body.
    pub source_surface: Option<TargetSurface>,
    /// A body of the source's proportions, used if the source has no surface. It shows where a hand touches when
    /// the joints show that it does, and whether arms touch each other. Default: `None`.
    pub source_stand_in: Option<Arc<Body>>,
    /// Whether the balance of source and target is measured. It takes about as long as the retarget. Default:
    /// false.
    pub balance: bool,
}

impl RetargetOptions {
    /// The hand goals that this method uses.
    pub(crate) fn hand_goals(&self) -> Hands {
        match (self.method, self.hands) {
            (RetargetMethod::LimbRatio, Hands::Auto) => Hands::Scale,
            (_, hands) => hands,
        }
    }

    /// The limb solver that this method uses.
    pub(crate) fn limb_solver(&self) -> LimbSolver {
        match (self.method, self.solver) {
            (RetargetMethod::LimbRatio, LimbSolver::Auto) => LimbSolver::Named(mocap_ik::IkMethod::Ccd),
            (_, solver) => solver,
        }
    }
}

impl Default for RetargetOptions {
    fn default() -> RetargetOptions {
        RetargetOptions {
            method: RetargetMethod::default(),
            hands: Hands::default(),
            foot_lock: FootLock::default(),
            self_contacts: true,
            solver: LimbSolver::default(),
            limits: true,
            floor: Floor::default(),
            source_rest: None,
            target_rest: None,
            lead_in: 0,
            source_roles: None,
            target_roles: None,
            joint_pairs: Vec::new(),
            surface: None,
            source_surface: None,
            balance: false,
            source_stand_in: None,
        }
    }
}
