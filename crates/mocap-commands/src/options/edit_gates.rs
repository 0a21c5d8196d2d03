//! Gates on the reports of edits.

use clap::Args as ClapArgs;
use mocap_edit::{EditGate, EditMetric};
use serde::Deserialize;

use super::setting;

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

fn help() -> String {
    let names = EditMetric::ALL.map(|metric| metric.name).join(", ");
    format!(
        "Gate: exit code 3 where a figure of an edit exceeds its limit, such as max-deg=4,skate=0.01 [degrees, m, \
         m/s]; the clip is not written then. Figures: {names}"
    )
}
