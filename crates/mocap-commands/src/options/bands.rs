//! `mocap bands`.

use clap::Args as ClapArgs;
use mocap_edit::edits::Bands;

use super::alone::Alone;
use super::edit::Args as EditArgs;

/// Scale the frequency bands of a motion: bounce, tremor, stiffness
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
    #[command(flatten)]
    edit: Bands,
    #[command(flatten)]
    pub(super) alone: Alone,
}

impl From<Args> for EditArgs {
    fn from(args: Args) -> EditArgs {
        args.alone.with(args.edit)
    }
}
