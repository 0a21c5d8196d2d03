//! One file per command: it declares the arguments, calls the library, and reports a row.
//!
//! A new verb is one file, which implements [`VerbArgs`] for its arguments, and one row of the table below.

mod analog;
pub(crate) mod bake;
pub(crate) mod blend;
pub(crate) mod compare;
pub(crate) mod compress;
pub(crate) mod convert;
mod database;
pub(crate) mod decompress;
pub(crate) mod edit;
mod edit_verbs;
pub(crate) mod face;
pub(crate) mod find;
pub(crate) mod gallery;
pub(crate) mod index;
mod indexed;
pub(crate) mod info;
mod info_made;
mod info_table;
pub(crate) mod join;
pub(crate) mod label;
pub(crate) mod manifest;
pub(crate) mod picture;
pub(crate) mod play;
pub(crate) mod plot;
pub(crate) mod poses;
mod quality;
pub(crate) mod render;
pub(crate) mod retarget;
pub(crate) mod rig;
pub(crate) mod several;
pub(crate) mod sheet;
pub(crate) mod skel;
pub(crate) mod solve;
pub(crate) mod split;
pub(crate) mod validate;
pub(crate) mod video;
mod view;

use clap::{ArgMatches, Command, FromArgMatches, Subcommand};

use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{
    BandsArgs, CompareArgs, CompressArgs, ConvertArgs, EditArgs, FourierArgs, GalleryArgs, Invocation,
    JoinArgs, ManifestArgs, RenderArgs, RetargetArgs, RunArgs, SheetArgs, TerrainArgs, ViewArgs, WarpArgs,
    with_old_names,
};
use crate::output::Output;
use crate::verb::{RowSchema, VerbArgs};

/// A verb with its options: a subcommand of a command line, or one that a program calls by its name.
#[derive(Debug)]
pub struct Verb(AnyVerb);

/// Makes the enum of verbs, and the functions that dispatch to them, from one row per verb.
macro_rules! verbs {
    ($($verb:ident($args:ty),)+) => {
        #[derive(Debug, Subcommand)]
        enum AnyVerb {
            $($verb($args),)+
        }

        impl Verb {
            /// The definition of all verbs, including changes that verbs make to the definition of their flags.
            pub fn defined(all: Command) -> Command {
                let all = all$(.mut_subcommand(stringify!($verb).to_ascii_lowercase(), <$args>::defined))+;
                with_old_names(all)
            }

            /// The schemas of what verbs print.
            pub(crate) fn schemas() -> impl Iterator<Item = &'static RowSchema> {
                [$(<$args>::SCHEMAS),+].into_iter().flatten()
            }

            /// Completes the outputs from the inputs: for a directory as input, the output is a directory.
            pub fn complete_outputs(&mut self) {
                match &mut self.0 {
                    $(AnyVerb::$verb(args) => args.complete_outputs(),)+
                }
            }

            /// Does the work. `invocation` is recorded in manifests.
            ///
            /// # Errors
            /// If the options are invalid, before any work is done. An input that fails is reported as a row.
            pub fn run(self, invocation: &Invocation, output: &mut dyn Output) -> Result<Exit, Diagnostic> {
                match self.0 {
                    $(AnyVerb::$verb(args) => args.run(invocation, output),)+
                }
            }
        }
    };
}

impl FromArgMatches for Verb {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Verb, clap::Error> {
        AnyVerb::from_arg_matches(matches).map(Verb)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

impl Subcommand for Verb {
    fn augment_subcommands(command: Command) -> Command {
        AnyVerb::augment_subcommands(command)
    }

    fn augment_subcommands_for_update(command: Command) -> Command {
        AnyVerb::augment_subcommands_for_update(command)
    }

    fn has_subcommand(name: &str) -> bool {
        AnyVerb::has_subcommand(name)
    }
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
    Find(find::Args),
    Index(index::Args),
    Label(label::Args),
    Compare(CompareArgs),
    Compress(CompressArgs),
    Decompress(decompress::Args),
    Skel(skel::Args),
    Poses(poses::Args),
    Solve(solve::Args),
    Retarget(RetargetArgs),
    Bake(bake::Args),
    Face(face::Args),
    Rig(rig::Args),
    View(ViewArgs),
    Sheet(SheetArgs),
    Plot(plot::Args),
    Render(RenderArgs),
    Gallery(GalleryArgs),
    Run(RunArgs),
    Manifest(ManifestArgs),
}
