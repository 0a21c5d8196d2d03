//! What is measured of motions, for `info` and `validate`.

use clap::Args;
use mocap_analysis::{Gate, Metric, Quality};

/// What is measured of motions.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Measures")]
pub(crate) struct QualitySettings {
    /// Measure motions: floor, foot contacts, foot skate, penetration, jerk, largest step, suspicious frames
    ///
    /// Suspicious are teleports of the body, jumps of hands and feet, sudden turns of the hips, flips of other joints, bones that change their length, frozen
    /// spans, skate over the clip, and a floor that differs from the floor of the other clips on the skeleton.
    #[arg(long)]
    quality: bool,
    // The help comes from the table of figures.
    #[arg(long, value_name = "NAME=LIMIT", value_delimiter = ',', help = gates_help())]
    pub(crate) fail_above: Vec<Gate<Quality>>,
}

impl QualitySettings {
    /// Whether motions are measured.
    pub(crate) fn measures(&self) -> bool {
        self.quality || !self.fail_above.is_empty()
    }
}

fn gates_help() -> String {
    let names = Metric::<Quality>::names();
    format!(
        "Gate: exit code 3 where a figure exceeds its limit or was not measured, such as skate=0.05,findings=0 [m or \
         with a unit, m/s, degrees]; implies --quality. Figures: {names}"
    )
}
