//! `mocap join`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_edit::{JoinOptions, TransitionKind};
use serde::Deserialize;

use super::seconds::seconds;
use super::setting;
use super::several::OneOutput;

/// Join motions of one skeleton into one, each aligned with the end of the one before
///
/// The place of each transition is searched at the end of one motion and the start of the next; the next motion is
/// turned and moved over the ground to fit.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap join a.bvh b.bvh c.bvh -o long.bvh\n\
    \x20 mocap join walk.bvh run.bvh -o start.bvh --transition 0.5s --kind inertial")]
pub(crate) struct Args {
    /// Motions, in their order
    #[arg(value_name = "IN", required = true, num_args = 2..)]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) one: OneOutput,
    #[command(flatten)]
    pub(crate) transitions: Transitions,
}

/// How one motion goes over into the next.
#[derive(Clone, Debug, Default, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Transitions")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct Transitions {
    /// Time of each transition [s, above 0, default 0.33]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    #[serde(deserialize_with = "setting::optional_seconds")]
    transition: Option<f64>,
    /// blend: both motions are played and mixed; inertial: their difference decays [default: blend]
    #[arg(long, value_name = "KIND")]
    #[serde(deserialize_with = "setting::option")]
    kind: Option<TransitionKind>,
    /// Search the best place this far into the end of a motion and the start of the next [s, default 0.5; 0: none]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    #[serde(deserialize_with = "setting::optional_seconds")]
    search: Option<f64>,
    /// An inertial transition does not overshoot; its speed may jump then
    #[arg(long)]
    no_overshoot: bool,
    /// Do not lock feet in the contacts that a transition touches
    #[arg(long)]
    no_lock: bool,
}

impl Transitions {
    /// The options of the library.
    pub(crate) fn options(&self) -> JoinOptions {
        let default = JoinOptions::default();
        JoinOptions {
            transition: self.transition.unwrap_or(default.transition),
            kind: self.kind.unwrap_or_default(),
            search: self.search.unwrap_or(default.search),
            no_overshoot: self.no_overshoot,
            lock_feet: !self.no_lock,
        }
    }
}
