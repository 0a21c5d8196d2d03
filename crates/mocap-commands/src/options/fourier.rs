//! `mocap fourier`.

use clap::Args as ClapArgs;
use mocap_edit::edits::Fourier;

use super::alone::Alone;
use super::edit::Args as EditArgs;

/// Smooth a cycle by its Fourier series, or give it the style of another
///
/// The best cycle of the motion is taken; its last frame is its first, a stride further. The difference of --styled
/// from --neutral, in pose, rhythm, pace and length of stride, is added to it with a gain: 0.5 is half-way, above 1
/// exaggerates, below 0 is the opposite. The motions have one skeleton.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap fourier walk.bvh --harmonics 6 -o smooth.bvh\n\
    \x20 mocap fourier neutral.bvh --neutral neutral.bvh --styled tired.bvh --style-gain 1.5 -o exhausted.bvh\n\
    \x20 mocap fourier run.bvh --neutral walk.bvh --styled tired.bvh -o tired_run.bvh")]
pub(crate) struct Args {
    #[command(flatten)]
    edit: Fourier,
    #[command(flatten)]
    pub(super) alone: Alone,
}

impl From<Args> for EditArgs {
    fn from(args: Args) -> EditArgs {
        args.alone.with(args.edit)
    }
}
