//! The solvers by name.

use crate::{Ccd, Chain, Fabrik, Goal, IkError, Jacobian, Objective, Options, Outcome, Solver, TwoBone};
use std::fmt;
use std::str::FromStr;

/// The solvers by name, each with its defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
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

impl Method {
    /// All of them.
    pub const ALL: [Method; 5] =
        [Method::Ccd, Method::Fabrik, Method::TwoBone, Method::Dls, Method::Objective];

    /// The name as it is written in commands and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Method::Ccd => "ccd",
            Method::Fabrik => "fabrik",
            Method::TwoBone => "two-bone",
            Method::Dls => "dls",
            Method::Objective => "objective",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Method {
    type Err = String;

    fn from_str(text: &str) -> Result<Method, String> {
        Method::ALL.into_iter().find(|method| method.name() == text).ok_or_else(|| {
            let names = Method::ALL.map(Method::name).join(", ");
            format!("'{text}' is not an IK solver: one of {names}")
        })
    }
}

impl Solver for Method {
    fn solve(&self, chain: &mut Chain, goals: &[Goal], options: &Options) -> Result<Outcome, IkError> {
        match self {
            Method::Ccd => Ccd.solve(chain, goals, options),
            Method::Fabrik => Fabrik.solve(chain, goals, options),
            Method::TwoBone => TwoBone.solve(chain, goals, options),
            Method::Dls => Jacobian::default().solve(chain, goals, options),
            Method::Objective => Objective::default().solve(chain, goals, options),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back() {
        for method in Method::ALL {
            assert_eq!(method.to_string().parse(), Ok(method));
        }
        assert!("CCD".parse::<Method>().unwrap_err().contains("one of ccd"));
    }
}
