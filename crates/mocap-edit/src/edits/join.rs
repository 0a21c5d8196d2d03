//! `join`.

use mocap_model::{Clip, Seconds};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Needed, Operation, Source, Value};
use crate::{EditError, EditReport, JoinOptions, TransitionKind};

/// Append a motion: see `mocap join --help`
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Join {
    /// The motion that follows
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath))]
    pub with: Source<Clip>,
    /// Time of each transition [s, above 0, default 0.33]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS", allow_negative_numbers = true))]
    pub transition: Option<Seconds>,
    /// blend: both motions are played and mixed; inertial: their difference decays [default: blend]
    #[cfg_attr(feature = "clap", arg(long, value_name = "KIND"))]
    pub kind: Option<TransitionKind>,
    /// Search the best place this far into the end of a motion and the start of the next [s, default 0.5; 0: none]
    #[cfg_attr(feature = "clap", arg(long, value_name = "SECONDS", allow_negative_numbers = true))]
    pub search: Option<Seconds>,
    /// An inertial transition does not overshoot; its speed may jump then
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub no_overshoot: bool,
    /// Do not lock feet in the contacts that a transition touches
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(default)]
    pub no_lock: bool,
}

impl Join {
    fn options(&self) -> JoinOptions {
        let default = JoinOptions::default();
        JoinOptions {
            transition: self.transition.map_or(default.transition, |seconds| seconds.0),
            kind: self.kind.unwrap_or_default(),
            search: self.search.map_or(default.search, |seconds| seconds.0),
            no_overshoot: self.no_overshoot,
            lock_feet: !self.no_lock,
        }
    }
}

impl Operation for Join {
    const NAME: &'static str = "join";
    const GROUP: Group = Group::Layers;
    const VALUE: Value = Value::Field("with");
    const OPPOSITES: &'static [(&'static str, &'static str)] = &[("lock-feet", "no-lock")];

    fn frames_made(&self, clip: &Clip) -> Option<f64> {
        Some(clip.frames() as f64 + self.with.get().ok()?.duration() * clip.rate().fps() + 1.0)
    }

    fn needs(&mut self) -> Vec<Needed<'_>> {
        vec![Needed::Motion(&mut self.with)]
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let (joined, mut reports) = crate::join(&[clip.clone(), self.with.get()?.clone()], &self.options())?;
        Ok((joined, reports.remove(0)))
    }
}
