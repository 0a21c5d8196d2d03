//! `fourier`.

use mocap_model::{Clip, Finite};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Needed, Operation, Source};
use crate::{Characteristic, EditError, EditReport, Fourier as Options};

/// Make the best cycle from its Fourier series: see `mocap fourier --help`
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
#[cfg_attr(feature = "clap", command(next_help_heading = "Series"))]
pub struct Fourier {
    /// Harmonics that are kept [1 to 128; default: all]
    #[cfg_attr(feature = "clap", arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=128)))]
    pub harmonics: Option<u32>,
    /// The motion without the style
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath, requires = "styled"))]
    pub neutral: Option<Source<Clip>>,
    /// The motion with the style
    #[cfg_attr(feature = "clap", arg(long, value_name = "FILE", value_hint = clap::ValueHint::AnyPath, requires = "neutral"))]
    pub styled: Option<Source<Clip>>,
    /// How much of the style [default: 1]
    #[cfg_attr(feature = "clap", arg(long = "style-gain", value_name = "FACTOR", allow_negative_numbers = true, requires = "styled"))]
    #[serde(rename = "style-gain", alias = "gain")]
    pub gain: Option<Finite>,
    /// Do not lock feet
    #[cfg_attr(feature = "clap", arg(long))]
    pub no_lock: bool,
}

impl Operation for Fourier {
    const NAME: &'static str = "fourier";
    const GROUP: Group = Group::Signal;
    const MODIFIERS: &'static [(&'static str, &'static str)] = &[("harmonics", "harmonics")];
    const OPPOSITES: &'static [(&'static str, &'static str)] = &[("lock-feet", "no-lock")];
    const LEAD_IN: LeadIn = LeadIn::Dropped;

    fn needs(&mut self) -> Vec<Needed<'_>> {
        self.neutral.iter_mut().chain(&mut self.styled).map(Needed::Motion).collect()
    }

    fn check(&self) -> Result<(), EditError> {
        match self.neutral.is_some() == self.styled.is_some() {
            true => Ok(()),
            false => {
                let reason = "neutral and styled are given together".into();
                Err(EditError::Usage { edit: Self::NAME, reason })
            }
        }
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        self.check()?;
        let gain = self.gain.map_or(1.0, |gain| gain.0);
        let characteristic = match (&self.neutral, &self.styled) {
            (Some(neutral), Some(styled)) => {
                let (neutral, styled) = (neutral.get()?.clone(), styled.get()?.clone());
                Some(Characteristic { neutral, styled, gain })
            }
            _ => None,
        };
        let harmonics = self.harmonics.map(|count| count as usize);
        crate::fourier(clip, &Options { harmonics, characteristic, lock_feet: !self.no_lock })
    }
}
