//! The solvers by name.

use crate::{
    Ccd, Fabrik, Goal, IkChain, IkError, Jacobian, Objective, SolveOptions, SolveOutcome, Solver, TwoBone,
};
use std::fmt;
use std::str::FromStr;

/// The solvers by name, each with its defaults.
///
/// ```
/// use mocap_ik::IkMethod;
///
/// let method: IkMethod = "fabrik".parse()?;
/// assert_eq!(method, IkMethod::Fabrik);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IkMethod {
    /// [`Ccd`]
    Ccd,
    /// [`Fabrik`]
    Fabrik,
    /// [`TwoBone`]
    TwoBone,
    /// [`Jacobian`], damped least squares
    Dls,
    /// [`Objective`]
    Objective,
}

impl IkMethod {
    /// All of them.
    pub const ALL: [IkMethod; 5] =
        [IkMethod::Ccd, IkMethod::Fabrik, IkMethod::TwoBone, IkMethod::Dls, IkMethod::Objective];

    /// The name as it is written in commands and reports.
    pub const fn name(self) -> &'static str {
        match self {
            IkMethod::Ccd => "ccd",
            IkMethod::Fabrik => "fabrik",
            IkMethod::TwoBone => "two-bone",
            IkMethod::Dls => "dls",
            IkMethod::Objective => "objective",
        }
    }
}

impl fmt::Display for IkMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for IkMethod {
    type Err = String;

    fn from_str(text: &str) -> Result<IkMethod, String> {
        IkMethod::ALL.into_iter().find(|method| method.name() == text).ok_or_else(|| {
            let names = IkMethod::ALL.map(IkMethod::name).join(", ");
            format!("'{text}' is not an IK solver: one of {names}")
        })
    }
}

impl Solver for IkMethod {
    fn solve(
        &self,
        chain: &mut IkChain,
        goals: &[Goal],
        options: &SolveOptions,
    ) -> Result<SolveOutcome, IkError> {
        match self {
            IkMethod::Ccd => Ccd.solve(chain, goals, options),
            IkMethod::Fabrik => Fabrik.solve(chain, goals, options),
            IkMethod::TwoBone => TwoBone.solve(chain, goals, options),
            IkMethod::Dls => Jacobian::default().solve(chain, goals, options),
            IkMethod::Objective => Objective::default().solve(chain, goals, options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for method in IkMethod::ALL {
            assert_eq!(method.to_string().parse(), Ok(method));
        }
        assert!("CCD".parse::<IkMethod>().unwrap_err().contains("one of ccd"));
    }
}
