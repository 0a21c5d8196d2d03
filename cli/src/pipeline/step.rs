//! The kinds of steps and what they take: the flags of the commands that do the same, and where their files go.

use std::path::PathBuf;

use clap::Args;
use mocap_formats::Format;
use mocap_model::EulerOrder;

use crate::args::{Length, Reading, length};
use crate::commands::compress::BoundArgs;
use crate::commands::convert::EditArgs;
use crate::commands::retarget::{GateArgs, MapArg, MethodArgs, TargetArgs};
use crate::tables::Flags;

/// A kind of step.
pub(crate) struct StepKind {
    /// What `do` says.
    pub(crate) name: &'static str,
    /// What it does, for people.
    pub(crate) about: &'static str,
    /// What it takes.
    pub(crate) flags: fn() -> Flags,
}

/// All kinds of steps.
pub(crate) const KINDS: &[StepKind] = &[
    StepKind {
        name: "read",
        about: "How inputs are read; the first step, where it is there",
        flags: Flags::of::<Reading>,
    },
    StepKind {
        name: "edit",
        about: "Changes of the motion, in the order of `mocap convert`",
        flags: Flags::of::<EditArgs>,
    },
    StepKind {
        name: "retarget",
        about: "Puts the motion on another skeleton, and measures what became of it",
        flags: Flags::of::<RetargetArgs>,
    },
    StepKind {
        name: "compress",
        about: "Writes the motion compressed, and goes on with what the compressed file gives back",
        flags: Flags::of::<CompressArgs>,
    },
    StepKind { name: "write", about: "Writes the motion as it is by then", flags: Flags::of::<WriteArgs> },
    StepKind {
        name: "compare",
        about: "Measures how far the motion is from what it was after an earlier step",
        flags: Flags::of::<CompareArgs>,
    },
];

/// What a step takes beside its flags.
pub(crate) const COMMON: [(&str, &str); 3] = [
    ("do", "The kind of step"),
    ("name", "What overrides and reports call the step [default: its kind, of a write step its format]"),
    ("enabled", "Whether the step is done [default: true]"),
];

/// The motion on another skeleton.
#[derive(Clone, Debug, Args)]
pub(crate) struct RetargetArgs {
    /// The skeleton to put the motion on: a .skel file, or any motion or skeleton file
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) target: PathBuf,
    #[command(flatten)]
    pub(crate) method: MethodArgs,
    #[command(flatten)]
    pub(crate) reading: TargetArgs,
    #[command(flatten)]
    pub(crate) map: MapArg,
    #[command(flatten)]
    pub(crate) gates: GateArgs,
}

/// The motion compressed.
#[derive(Clone, Debug, Args)]
pub(crate) struct CompressArgs {
    #[command(flatten)]
    pub(crate) bounds: BoundArgs,
    /// Folder below the output directory that gets the files [default: the output directory itself]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
    /// Write no file: the motion is compressed to be measured
    #[arg(long)]
    pub(crate) discard: bool,
}

/// The motion as a file.
#[derive(Clone, Debug, Args)]
pub(crate) struct WriteArgs {
    // The help comes from the table of formats.
    #[arg(
        long,
        value_name = "FORMAT",
        required = true,
        help = format!("Format: {}", crate::encode::outputs(|_| true))
    )]
    pub(crate) to: Format,
    /// Rotation order of every joint of a BVH, such as ZXY [default: that of the skeleton]
    #[arg(long, value_name = "ORDER")]
    pub(crate) euler: Option<EulerOrder>,
    /// Folder below the output directory that gets the files [default: the output directory itself]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) folder: Option<PathBuf>,
}

/// A measurement, and a gate.
#[derive(Clone, Debug, Args)]
pub(crate) struct CompareArgs {
    /// The earlier step whose motion is taken to be right [default: the one before the last compress step]
    #[arg(long, value_name = "STEP")]
    pub(crate) against: Option<String>,
    /// Gate: the greatest error [m, or with a unit, such as 1mm; 0 or more; default: no limit]
    #[arg(long, value_name = "LENGTH", value_parser = length)]
    pub(crate) fail_above: Option<Length>,
    /// Distance of the measured points from the joints, where a skin would be [m, or with a unit, such as 3cm;
    /// 0 or more]
    #[arg(long, value_name = "LENGTH", value_parser = length, default_value = "0.03")]
    pub(crate) shell: Length,
}
