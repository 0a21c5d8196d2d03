//! `mocap terrain`.

use clap::Args as ClapArgs;
use mocap_edit::edits::Terrain;

use super::alone::Alone;
use super::edit::Args as EditArgs;

/// Put the feet of a motion on steps, a height field or a mesh
///
/// The motion was made on a flat floor. Its planted feet are put on the surface and along its normal (up to 30°),
/// swinging feet clear edges by 2 cm, the hips follow and are lowered for legs that would be stretched. Heights are
/// measured from the floor of the motion. Flat ground leaves the motion as it is.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap terrain walk.bvh --steps 0.17,0.29,8 -o stairs.bvh\n\
    \x20 mocap terrain walk.bvh --heights hill.png --cell 0.1 --height 1.5 -o hill.bvh\n\
    \x20 mocap terrain walk.bvh --terrain-mesh level.glb -o level.bvh")]
pub(crate) struct Args {
    #[command(flatten)]
    edit: Terrain,
    #[command(flatten)]
    pub(super) alone: Alone,
}

impl From<Args> for EditArgs {
    fn from(args: Args) -> EditArgs {
        args.alone.with(args.edit)
    }
}
