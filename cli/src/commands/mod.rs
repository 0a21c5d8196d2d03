//! One file a command: arguments become options, a library call does the work, a row reports it.
//!
//! A new verb is one file, which implements [`VerbArgs`] for its arguments, and one row of the table below.

pub(crate) mod blend;
pub(crate) mod compare;
pub(crate) mod compress;
pub(crate) mod convert;
pub(crate) mod decompress;
pub(crate) mod edit;
mod edit_verbs;
pub(crate) mod gallery;
pub(crate) mod info;
mod info_table;
pub(crate) mod join;
pub(crate) mod manifest;
pub(crate) mod picture;
pub(crate) mod play;
pub(crate) mod plot;
mod quality;
pub(crate) mod render;
pub(crate) mod retarget;
pub(crate) mod several;
pub(crate) mod sheet;
pub(crate) mod skel;
pub(crate) mod solve;
pub(crate) mod split;
pub(crate) mod validate;
pub(crate) mod view;

use clap::{Command, Subcommand};

use crate::args::{
    BandsArgs, CompareArgs, CompressArgs, ConvertArgs, EditArgs, FourierArgs, GalleryArgs, GenerateArgs,
    Invocation, JoinArgs, ManifestArgs, RenderArgs, RetargetArgs, RunArgs, SheetArgs, TerrainArgs, ViewArgs,
    WarpArgs,
};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::verb::{RowSchema, VerbArgs};

/// Makes the enum of verbs and what asks all of them, from one row per verb.
macro_rules! verbs {
    ($($verb:ident($args:ty),)+) => {
        /// The verbs.
        #[derive(Debug, Subcommand)]
        pub(crate) enum Verb {
            $($verb($args),)+
            /// Show the help of a command, or of the options that commands share: inputs, reading, output
            Help {
                /// Command or topic
                #[arg(value_name = "COMMAND|TOPIC")]
                of: Vec<String>,
            },
        }

        impl Verb {
            /// The definition with what verbs change in that of their flags.
            pub(crate) fn defined(all: Command) -> Command {
                all$(.mut_subcommand(stringify!($verb).to_ascii_lowercase(), <$args>::defined))+
            }

            /// The schemas of what verbs print.
            pub(crate) fn schemas() -> impl Iterator<Item = &'static RowSchema> {
                [$(<$args>::SCHEMAS),+].into_iter().flatten()
            }

            /// Settles what outputs are, by the inputs.
            pub(crate) fn settle_outputs(&mut self) {
                match self {
                    $(Verb::$verb(args) => args.settle_outputs(),)+
                    Verb::Help { .. } => {}
                }
            }

            /// Does the work.
            pub(crate) fn run(self, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
                match self {
                    $(Verb::$verb(args) => args.run(invocation, console),)+
                    Verb::Help { .. } => unreachable!("help was printed"),
                }
            }
        }
    };
}

// The table, in the order of the help.
verbs! {
    Info(info::Args),
    Validate(validate::Args),
    Convert(ConvertArgs),
    Edit(EditArgs),
    Join(JoinArgs),
    Split(split::Args),
    Blend(blend::Args),
    Play(play::Args),
    Bands(BandsArgs),
    Warp(WarpArgs),
    Fourier(FourierArgs),
    Terrain(TerrainArgs),
    Compare(CompareArgs),
    Compress(CompressArgs),
    Decompress(decompress::Args),
    Skel(skel::Args),
    Retarget(RetargetArgs),
    Solve(solve::Args),
    View(ViewArgs),
    Sheet(SheetArgs),
    Plot(plot::Args),
    Render(RenderArgs),
    Gallery(GalleryArgs),
    Run(RunArgs),
    Manifest(ManifestArgs),
    Generate(GenerateArgs),
}
