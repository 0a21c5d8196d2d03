//! Gates on the reports of edits.

use clap::Args as ClapArgs;
use mocap_edit::{EditGate, EditMetric, EditReport};
use mocap_retarget::GateResult;
use serde::Deserialize;

use super::setting;
use crate::diagnostic::Diagnostic;

/// Gates on the reports of edits.
#[derive(Clone, Debug, Default, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Quality")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct EditGates {
    // The help comes from the table of figures.
    #[arg(long, value_name = "NAME=LIMIT", value_delimiter = ',', help = help())]
    #[serde(deserialize_with = "setting::comma_list")]
    pub(crate) fail_above: Vec<EditGate>,
}

impl EditGates {
    /// The results of all gates, and the errors of those that are missed.
    pub(crate) fn check(&self, reports: &[EditReport]) -> (Vec<GateResult>, Vec<Diagnostic>) {
        let checked: Vec<GateResult> = self.fail_above.iter().map(|gate| gate.check(reports)).collect();
        let missed = self.fail_above.iter().zip(&checked).filter_map(|(gate, result)| gate.missed(result));
        let missed = missed.map(|(code, message)| Diagnostic::gate(code, message)).collect();
        (checked, missed)
    }
}

fn help() -> String {
    let names = EditMetric::ALL.map(|metric| metric.name).join(", ");
    format!(
        "Gate: exit code 3 where a figure of an edit exceeds its limit, such as max-deg=4,skate=0.01 [degrees, m \
         or with a unit, m/s]; the clip is not written then. Figures: {names}"
    )
}
