//! Edits as steps of pipelines: each is one edit with its options and gates.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_edit::{BlendOptions, Denoise, Edit, Gains, Keep, LayerSpace, LoopOptions, Mask, Strip, Timing};
use mocap_model::{Factor, FrameRange, SignedAxis};
use serde::Deserialize;

use super::edit::{MirrorBy, ROOT_NAME, RootJoint, StartAt};
use super::finite::finite;
use super::fourier::Series;
use super::join::Transitions;
use super::seconds::seconds;
use super::surface::SurfaceArgs;
use super::{EditArg, EditGates, setting};

/// One edit of a pipeline.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct EditStep {
    pub(crate) edit: EditArg,
    pub(crate) gates: EditGates,
}

impl From<Edit> for EditArg {
    fn from(edit: Edit) -> EditArg {
        EditArg::Ready(edit)
    }
}

/// The settings of steps, and the edits that they ask for.
macro_rules! steps {
    ($($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $field:ident: $kind:ty,)* } => $settings:ident $edit:expr;)+) => {$(
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub(crate) struct $name {
            $($(#[$of])* $field: $kind,)*
            #[command(flatten)]
            #[serde(rename = "..gates")]
            gates: EditGates,
        }

        impl From<$name> for EditStep {
            fn from($settings: $name) -> EditStep {
                let gates = $settings.gates.clone();
                EditStep { edit: EditArg::from($edit), gates }
            }
        }
    )+};
}

steps! {
    /// The settings of the step `mirror`.
    MirrorStep {
        /// rotations, or retarget for a body whose sides differ [default: rotations]
        #[arg(long, value_name = "HOW")]
        #[serde(default)]
        by: Option<MirrorBy>,
    } => settings settings.by.unwrap_or(MirrorBy::Rotations).edit();

    /// The settings of the step `fix-feet`.
    FixFeetStep {} => settings Edit::FixFeet;

    /// The settings of the step `ground`.
    GroundStep {} => settings Edit::Ground;

    /// The settings of the step `denoise`.
    DenoiseStep {
        /// auto, butterworth:HZ, savgol[:SECONDS], gaussian[:SECONDS] or one-euro[:HZ,BETA] [default: auto]
        #[arg(long, value_name = "METHOD")]
        #[serde(default, deserialize_with = "setting::option")]
        denoise: Option<Denoise>,
    } => settings Edit::Denoise(settings.denoise.unwrap_or_default());

    /// The settings of the step `loop`.
    LoopStep {
        /// The range of the cycle: frames (30:92) or seconds (1s:2s) [default: the best cycle]
        #[arg(long, value_name = "A:B")]
        #[serde(default, deserialize_with = "setting::option")]
        range: Option<FrameRange>,
    } => settings Edit::Loop(LoopOptions { range: settings.range, ..LoopOptions::default() });

    /// The settings of the step `repeat`.
    RepeatStep {
        /// How often the loop is played [at least 1]
        #[arg(long, value_name = "TIMES", required = true, value_parser = clap::value_parser!(u32).range(1..))]
        repeat: u32,
    } => settings Edit::Repeat(settings.repeat);

    /// The settings of the step `speed`.
    SpeedStep {
        /// Faster (above 1) or slower (below 1) [factor, above 0]
        #[arg(long, value_name = "FACTOR", required = true)]
        #[serde(deserialize_with = "setting::one")]
        speed: Factor,
    } => settings Edit::Speed(settings.speed.0);

    /// The settings of the step `duration`.
    DurationStep {
        /// The duration, such as 2s [s, above 0]
        #[arg(long, value_name = "SECONDS", required = true, value_parser = seconds)]
        #[serde(deserialize_with = "setting::seconds")]
        duration: f64,
    } => settings Edit::Duration(settings.duration);

    /// The settings of the step `time-map`.
    TimeMapStep {
        /// A CSV with rows 'time in the output, time in the input' [s]; both increase
        #[arg(long, value_name = "FILE", required = true)]
        file: PathBuf,
    } => settings EditArg::TimeMap { file: settings.file };

    /// The settings of the step `sync`.
    SyncStep {
        /// The motion whose feet tell when feet come down
        #[arg(long, value_name = "FILE", required = true)]
        with: PathBuf,
    } => settings EditArg::Sync { file: settings.with };

    /// The settings of the step `join`.
    JoinStep {
        /// The motion that follows
        #[arg(long, value_name = "FILE", required = true)]
        with: PathBuf,
        #[command(flatten)]
        #[serde(rename = "..transitions")]
        transitions: Transitions,
    } => settings EditArg::Join { file: settings.with, options: settings.transitions.options() };

    /// The settings of the step `blend`.
    BlendStep {
        /// The motion to blend with
        #[arg(long, value_name = "FILE", required = true)]
        with: PathBuf,
        /// Its weight [0 to 1; default 0.5]
        #[arg(long, value_name = "WEIGHT", value_parser = finite)]
        #[serde(default)]
        weight: Option<f64>,
        /// phase, registration, stretch or seconds: see `mocap blend --help` [default: phase]
        #[arg(long, value_name = "HOW")]
        #[serde(default, deserialize_with = "setting::option")]
        timing: Option<Timing>,
        /// Do not repeat motions
        #[arg(long)]
        #[serde(default)]
        no_repeat: bool,
        /// Do not lock feet
        #[arg(long)]
        #[serde(default)]
        no_lock: bool,
    } => settings EditArg::Blend {
        file: settings.with,
        weight: settings.weight.unwrap_or(0.5),
        options: BlendOptions {
            timing: settings.timing.unwrap_or_default(),
            repeat: !settings.no_repeat,
            lock_feet: !settings.no_lock,
            duration: None,
        },
    };

    /// The settings of the step `bands`.
    BandsStep {
        /// Gain of each band, with commas: see `mocap bands --help`
        #[arg(long, value_name = "BAND=GAIN,…", required = true)]
        #[serde(deserialize_with = "setting::one")]
        gain: Gains,
    } => settings Edit::Bands(settings.gain);

    /// The settings of the step `warp`.
    WarpStep {
        /// A TOML file of keys: see `mocap warp --help`
        #[arg(long, value_name = "FILE", required = true)]
        keys: PathBuf,
    } => settings EditArg::Warp { file: settings.keys };

    /// The settings of the step `fourier`.
    FourierStep {
        #[command(flatten)]
        #[serde(rename = "..series")]
        series: Series,
    } => settings settings.series;

    /// The settings of the step `terrain`.
    TerrainStep {
        #[command(flatten)]
        #[serde(rename = "..surface")]
        surface: SurfaceArgs,
    } => settings settings.surface;

    /// The settings of the step `turn`.
    TurnStep {
        /// From start to end the motion turns this much more to the left [degrees]
        #[arg(long, value_name = "DEGREES", required = true, value_parser = finite)]
        turn: f64,
    } => settings Edit::Turn(settings.turn.to_radians());

    /// The settings of the step `along`.
    AlongStep {
        /// A CSV with rows 'x, y, z' in the unit of the motion
        #[arg(long, value_name = "FILE", required = true)]
        file: PathBuf,
    } => settings EditArg::Along { file: settings.file };

    /// The settings of the step `add`.
    AddStep {
        /// A pose (its difference from its rest pose) or a motion (its difference from its first frame)
        #[arg(long, value_name = "FILE", required = true)]
        file: PathBuf,
        /// How much of it is added [default: 1]
        #[arg(long, value_name = "FACTOR", value_parser = finite)]
        #[serde(default)]
        weight: Option<f64>,
        /// Roles, names or globs with commas; NAME/** takes all below [default: all joints]
        #[arg(long, value_name = "JOINTS")]
        #[serde(default, deserialize_with = "setting::option")]
        mask: Option<Mask>,
        /// Where rotations are added: local or mesh [default: local]
        #[arg(long, value_name = "SPACE")]
        #[serde(default, deserialize_with = "setting::option")]
        space: Option<LayerSpace>,
    } => settings EditArg::Add {
        file: settings.file,
        weight: settings.weight.unwrap_or(1.0),
        mask: settings.mask,
        space: settings.space.unwrap_or_default(),
    };

    /// The settings of the step `strip`.
    StripStep {
        /// What is left out: fingers, twist or props
        #[arg(long, value_name = "WHAT", required = true)]
        #[serde(deserialize_with = "setting::one")]
        strip: Strip,
    } => settings Edit::Strip(settings.strip);

    /// The settings of the step `in-place`.
    InPlaceStep {
        /// What stays in the body: height, turn, both with a comma, or none [default: height]
        #[arg(long, value_name = "WHAT")]
        #[serde(default, deserialize_with = "setting::option")]
        keep: Option<Keep>,
    } => settings Edit::InPlace(settings.keep.unwrap_or_default());

    /// The settings of the step `extract-root`.
    ExtractRootStep {
        /// Where the curve goes: .csv or .json, or a directory with one curve per input
        #[arg(long, value_name = "FILE", required = true)]
        file: PathBuf,
        /// What stays in the body: height, turn, both with a comma, or none [default: height]
        #[arg(long, value_name = "WHAT")]
        #[serde(default, deserialize_with = "setting::option")]
        keep: Option<Keep>,
    } => settings EditArg::ExtractRoot { file: settings.file, keep: settings.keep.unwrap_or_default() };

    /// The settings of the step `apply-root`.
    ApplyRootStep {
        /// A curve as extract-root wrote it, or a directory with one per input
        #[arg(long, value_name = "FILE", required = true)]
        file: PathBuf,
    } => settings EditArg::ApplyRoot { file: settings.file };

    /// The settings of the step `root-joint`.
    RootJointStep {
        /// What is done: add
        #[arg(long, value_name = "WHAT", required = true)]
        root_joint: RootJoint,
        /// What stays in the body: height, turn, both with a comma, or none [default: height]
        #[arg(long, value_name = "WHAT")]
        #[serde(default, deserialize_with = "setting::option")]
        keep: Option<Keep>,
    } => settings {
        let RootJoint::Add = settings.root_joint;
        Edit::AddRootJoint { name: ROOT_NAME.into(), keep: settings.keep.unwrap_or_default() }
    };

    /// The settings of the step `heading`.
    HeadingStep {
        /// The axis that the body faces at its start: Z, -X …
        #[arg(long, value_name = "AXIS", required = true)]
        #[serde(deserialize_with = "setting::one")]
        heading: SignedAxis,
    } => settings Edit::Face(settings.heading);

    /// The settings of the step `start-at`.
    StartAtStep {
        /// Where the motion starts: origin
        #[arg(long, value_name = "WHERE", required = true)]
        start_at: StartAt,
    } => settings {
        let StartAt::Origin = settings.start_at;
        Edit::StartAtOrigin
    };
}
