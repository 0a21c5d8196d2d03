//! `mocap bands`: an edit of its own name.

use clap::Args as ClapArgs;
use mocap_edit::{Edit, Gains};
use mocap_formats::Format;
use mocap_model::EulerOrder;

use super::edit::{Args as EditArgs, EditArg, EditGates, EditList};
use super::formats::writable;
use super::{Inputs, Outputs, Reading};

/// Make bands of frequency of a motion stronger or weaker: bounce, tremor, stiffness
///
/// The motion is split into bands, each half as fast as the one before. high is 4 Hz and more (tremor, impacts), mid 1 to
/// 4 Hz (bounce, style), low what is slower. A gain of 0 removes a band, 1 leaves it. `mocap edit --bands` does the same
/// between other edits.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap bands walk.bvh --gain high=0,mid=1.5 -o bouncy.bvh\n\
    \x20 mocap bands database/ --gain 0.5..2hz=0.7 -o calm/")]
pub(crate) struct Args {
    /// Gain of each band, with commas: BAND=GAIN, where BAND is high, mid, low, A..B [Hz], or a number from 0 (the
    /// fastest band)
    #[arg(long, value_name = "BAND=GAIN,…", required = true)]
    gain: Gains,
    #[command(flatten)]
    gates: EditGates,
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        help_heading = "Conversion",
        help = format!("Output format: {} [default: by the extension of OUT, else that of the input]", writable(Format::has_motion))
    )]
    to: Option<Format>,
    /// Rotation order of every joint of a BVH, such as ZXY [default: that of the input]
    #[arg(long, value_name = "ORDER", help_heading = "Conversion")]
    euler: Option<EulerOrder>,
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    outputs: Outputs,
}

impl From<Args> for EditArgs {
    fn from(args: Args) -> EditArgs {
        let Args { gain, gates, to, euler, inputs, reading, outputs } = args;
        let edits = EditList(vec![EditArg::Ready(Edit::Bands(gain))]);
        EditArgs { edits, gates, to, euler, inputs, reading, outputs }
    }
}
