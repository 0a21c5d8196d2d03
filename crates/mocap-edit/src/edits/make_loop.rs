//! `loop`.

use mocap_model::{Clip, FrameRange};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, LeadIn, Operation, Value};
use crate::{EditError, EditReport, LoopOptions};

/// Make a loop: search the best cycle, or close the range A:B (--loop=A:B), and lock planted feet; the last frame has the
/// pose of the first
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Loop {
    /// The range of the cycle: frames (30:92) or seconds (1s:2s) [default: the best cycle]
    #[cfg_attr(feature = "clap", arg(long, value_name = "A:B"))]
    pub range: Option<FrameRange>,
}

impl Operation for Loop {
    const NAME: &'static str = "loop";
    const GROUP: Group = Group::Time;
    const VALUE: Value = Value::Default("range", ":");
    const LEAD_IN: LeadIn = LeadIn::Dropped;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        // A range that is open on both sides means a search.
        let open: FrameRange = ":".parse().expect("open on both sides");
        let range = self.range.filter(|range| *range != open);
        crate::make_loop(clip, &LoopOptions { range, ..LoopOptions::default() })
    }
}
