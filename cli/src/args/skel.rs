//! `mocap skel`.

use clap::Args as ClapArgs;
use clap::builder::PossibleValuesParser;
use mocap_formats::Format;
use mocap_formats::skel::presets;
use mocap_retarget::RestChoice;

use super::{Inputs, Outputs, Reading};

/// Show the skeleton of a file: joints, roles, limits; with -o write it as a .skel
///
/// The .skel is JSON to edit: add roles that were not found, limits, the unit. `mocap retarget` takes it as its target
/// and uses its rest pose as the reference pose. Without -o nothing is written.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap skel walk.bvh\n\
    \x20 mocap skel walk.bvh -o robin.skel\n\
    \x20 mocap skel walk.bvh -o limited.skel --hinge-limits\n\
    \x20 mocap skel --preset list")]
pub(crate) struct Args {
    /// Person of 1.75 m on a common rig, instead of IN; list shows the rigs
    #[arg(
        long,
        value_name = "RIG",
        value_parser = PossibleValuesParser::new(presets().iter().map(|preset| preset.name).chain([LIST])),
        conflicts_with_all = ["inputs", "files_from"],
        help_heading = "Skeleton"
    )]
    pub(crate) preset: Option<String>,
    /// Rest pose of the skeleton: auto, offsets (the offsets of the file), or a frame from 0 in which the body stands
    /// upright, arms anywhere. auto, for a .skel: a rest pose before the motion, else the reference pose that the
    /// motion shows, else offsets; for an .asf: offsets
    #[arg(long, value_name = "POSE", default_value = "auto", help_heading = "Skeleton")]
    pub(crate) rest: RestChoice,
    /// Add limits of knees and elbows to edit: about the axis on which each bends, -10 to 155 degrees
    #[arg(long, help_heading = "Skeleton")]
    pub(crate) hinge_limits: bool,
    /// Output format: skel, asf [default: by the extension of OUT, else skel]
    #[arg(long, value_name = "FORMAT", help_heading = "Skeleton")]
    pub(crate) to: Option<Format>,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

/// What `--preset` takes for the list of presets.
pub(crate) const LIST: &str = "list";
