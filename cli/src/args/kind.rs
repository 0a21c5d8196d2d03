//! How many values an option takes.

use clap::{Arg, ArgAction};

/// How many values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// None: it is given or not.
    Switch,
    One,
    Many,
}

impl Kind {
    /// The kind of an option.
    pub(crate) fn of(argument: &Arg) -> Kind {
        match argument.get_action() {
            ArgAction::SetTrue | ArgAction::SetFalse | ArgAction::Count => Kind::Switch,
            ArgAction::Append => Kind::Many,
            _ => Kind::One,
        }
    }
}
