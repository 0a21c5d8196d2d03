//! The error of the crate.

/// Why a chain cannot be built or solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum IkError {
    #[error("a chain needs at least one joint that rotates")]
    NoJoints,
    #[error("a chain needs at least one effector")]
    NoEffectors,
    #[error("the effector '{effector}' is the base of the chain; it has to be another joint")]
    EffectorIsBase { effector: String },
    #[error("'{base}' and '{effector}' are joints of two separate trees")]
    NotConnected { base: String, effector: String },
    #[error("joint {joint} of the chain has the parent {parent}; parents come first")]
    ParentAfterChild { joint: usize, parent: usize },
    #[error("the effector {effector} is on joint {joint}; the chain has {joints} joints")]
    NoSuchJoint { effector: usize, joint: usize, joints: usize },
    #[error("{found} goals were given for {expected} effectors")]
    GoalCount { found: usize, expected: usize },
    #[error("the goal of effector {effector} has a value that is not a finite number")]
    GoalNotFinite { effector: usize },
    #[error("the chain has an offset, rotation or base that is not a finite number")]
    ChainNotFinite,
    #[error("{method} solves one effector, the chain has {effectors}")]
    SeveralEffectors { method: &'static str, effectors: usize },
    #[error("{method} bends one joint between base and effector; the chain has none that rotates")]
    NoBend { method: &'static str },
    #[error("the posture has {found} rotations or gains, the chain has {expected} joints")]
    PostureLength { found: usize, expected: usize },
    #[error(
        "coupling {coupling} names an angle of joint {joint}, which has no such angle: it needs a hinge or ranges"
    )]
    NoAngle { coupling: usize, joint: usize },
    #[error("coupling {coupling} has a factor or value that is not a finite number, or no angle")]
    CouplingNotFinite { coupling: usize },
    #[error("the couplings and limits contradict each other: {excess:.2e} rad are left")]
    CouplingsConflict { excess: f64 },
    #[error("capsule {capsule} is on no joint, or has a number that is not finite or a radius of 0")]
    Capsule { capsule: usize },
    #[error("couplings, aims and a base that travels need the solver objective or xpbd")]
    NeedsBody,
    #[error("'{joint}' is not above '{below}': it cannot take part in its look")]
    NotAbove { joint: String, below: String },
    #[error("the share and limit of '{joint}' are numbers above 0")]
    Share { joint: String },
    #[error("the pose has {found} joints, the chain was made for a skeleton of {expected}")]
    OtherSkeleton { found: usize, expected: usize },
}
