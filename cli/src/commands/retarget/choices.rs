//! Words for the ways in which a motion can be put on a skeleton.

use clap::ValueEnum;
use mocap_analysis::metres_per_unit;
use mocap_model::Skeleton;
use mocap_retarget::{Floor, Hands, IkMethod, LimbSolver, RetargetMethod};

use crate::args::length;

/// What becomes of the motion.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum MethodArg {
    /// Root and effectors are scaled by the ratio of limb lengths, limbs are solved for them
    Scale,
    /// Rotations are copied, the root stays where the source has it (for comparison: feet float or sink)
    Copy,
    /// Root and effectors of the source are the goals as they are (for comparison: limbs fold or overstretch)
    Effectors,
}

/// What the hands do.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum HandsArg {
    /// The way from shoulder to wrist scales with the arm
    Scale,
    /// The hands stay where the source has them, seen from the hips, scaled like the legs
    Keep,
    /// Arms are not solved: their joints turn as the source's do
    Off,
}

/// How limbs are solved.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum IkArg {
    /// The two-bone solution, and CCD where joint limits keep it from the goal
    Auto,
    /// Cyclic coordinate descent, finished by the two-bone solution where it stalls
    Ccd,
    /// Forward and backward reaching
    Fabrik,
    /// The two-bone solution alone
    TwoBone,
    /// Damped least squares
    Dls,
    /// One objective of goal and pose, lowered step by step
    Objective,
}

/// Whose contacts are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ContactsArg {
    /// Feet with the floor
    Feet,
    /// Feet with the floor, and hands with each other, the hips and the head
    Hands,
}

/// Where the target's floor is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FloorArg {
    Auto,
    Off,
    /// [m]
    At(f64),
}

/// Reads `auto`, `off`, or a height.
pub(super) fn floor(text: &str) -> Result<FloorArg, String> {
    match text {
        "auto" => Ok(FloorArg::Auto),
        "off" => Ok(FloorArg::Off),
        _ => {
            let (sign, height) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
            let height = length(height).map_err(|error| format!("auto, off, or a height: {error}"))?;
            Ok(FloorArg::At(sign * height.0))
        }
    }
}

impl FloorArg {
    /// The floor in the units of the target.
    pub(super) fn of(self, target: &Skeleton) -> Floor {
        match self {
            FloorArg::Auto => Floor::Auto,
            FloorArg::Off => Floor::Off,
            FloorArg::At(height) => Floor::At(height / metres_per_unit(target)),
        }
    }
}

impl From<MethodArg> for RetargetMethod {
    fn from(method: MethodArg) -> RetargetMethod {
        match method {
            MethodArg::Scale => RetargetMethod::Scale,
            MethodArg::Copy => RetargetMethod::Copy,
            MethodArg::Effectors => RetargetMethod::Effectors,
        }
    }
}

impl From<HandsArg> for Hands {
    fn from(hands: HandsArg) -> Hands {
        match hands {
            HandsArg::Scale => Hands::Scale,
            HandsArg::Keep => Hands::Keep,
            HandsArg::Off => Hands::Off,
        }
    }
}

impl From<IkArg> for LimbSolver {
    fn from(ik: IkArg) -> LimbSolver {
        match ik {
            IkArg::Auto => LimbSolver::Auto,
            IkArg::Ccd => LimbSolver::Named(IkMethod::Ccd),
            IkArg::Fabrik => LimbSolver::Named(IkMethod::Fabrik),
            IkArg::TwoBone => LimbSolver::Named(IkMethod::TwoBone),
            IkArg::Dls => LimbSolver::Named(IkMethod::Dls),
            IkArg::Objective => LimbSolver::Named(IkMethod::Objective),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_words_or_heights() {
        assert_eq!(floor("auto"), Ok(FloorArg::Auto));
        assert_eq!(floor("off"), Ok(FloorArg::Off));
        assert_eq!(floor("-2cm"), Ok(FloorArg::At(-0.02)));
        assert_eq!(floor("0.1"), Ok(FloorArg::At(0.1)));
        assert!(floor("on").unwrap_err().starts_with("auto, off, or a height"));
    }
}
