//! How many values an option takes.

use clap::{Arg, ArgAction};

/// How many values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// None: it is given or not.
    Switch,
    /// One.
    One,
    /// Any number: it is repeatable.
    Many,
}

impl Kind {
    /// The kind of an option.
    pub fn of(argument: &Arg) -> Kind {
        match argument.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => Kind::Switch,
            ArgAction::Append => Kind::Many,
            _ => Kind::One,
        }
    }
}
