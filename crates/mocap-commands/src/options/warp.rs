//! `mocap warp`.

use clap::Args as ClapArgs;
use mocap_edit::edits::Warp;

use super::alone::Alone;
use super::edit::Args as EditArgs;

/// Move hands, feet, hips or other joints to keyed targets; the motion keeps its detail between them
///
/// The file of keys is TOML: from and to [s], and a [[key]] with time [s], joint (a name or a role), and one of turn
/// (degrees about the axes of the joint), at (a place), by (a shift) or look-at (a place that the joint points at; until,
/// direction, shares and limits are optional), in units of the motion; or time and pose, a file whose first frame all joints
/// turn to. A [[time]] with at and to [s] moves a time of the motion to another. With
/// mode = "scale-offset" the motion since from is scaled to come near its keys, and an offset adds the rest; the default,
/// "offset", adds offsets only. With poses = 'people.poses' (see `mocap poses`) the whole body follows a joint that is
/// moved. Outside from and to nothing changes. Where the hips are moved, feet keep their paths.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap warp reach.bvh --keys keys.toml -o reach_high.bvh\n\
    \n\
    keys.toml:\n\
    \x20 from = 0.5\n\
    \x20 to = 2.5\n\
    \x20 [[key]]\n\
    \x20 time = 1.4\n\
    \x20 joint = 'RightHand'\n\
    \x20 by = [0, 20, 0]\n\
    \x20 [[key]]\n\
    \x20 time = 1.4\n\
    \x20 joint = 'Head'\n\
    \x20 look-at = [50, 150, 100]")]
pub(crate) struct Args {
    #[command(flatten)]
    edit: Warp,
    #[command(flatten)]
    pub(super) alone: Alone,
}

impl From<Args> for EditArgs {
    fn from(args: Args) -> EditArgs {
        args.alone.with(args.edit)
    }
}
