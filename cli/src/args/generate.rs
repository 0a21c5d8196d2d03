//! `mocap generate`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args as ClapArgs, Subcommand};
use clap_complete::Shell;

/// Write man pages, shell completions and schemas
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap generate man -o man/\n\
    \x20 mocap generate completions bash > mocap.bash\n\
    \x20 mocap generate schema pipeline > pipeline.schema.json")]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) what: What,
}

/// What is generated.
#[derive(Debug, Subcommand)]
pub(crate) enum What {
    /// Man pages: mocap(1) on stdout, or those of all commands into a directory
    Man {
        /// Directory for mocap.1, mocap-info.1 and so on; existing ones are replaced
        #[arg(short, long, value_name = "DIR", help_heading = "Generation")]
        output: Option<PathBuf>,
    },
    /// Completion script for a shell, on stdout
    Completions {
        /// Shell
        shell: Shell,
    },
    /// JSON Schemas of all JSON and TOML that is read or written: one on stdout, or all into a directory
    Schema {
        /// Kind of file, or command whose lines of --json are described
        #[arg(value_name = "KIND", default_value = "skel", value_parser = schema_names())]
        kind: String,
        /// Directory for skel.schema.json, run.schema.json and so on; existing ones are replaced
        #[arg(short, long, value_name = "DIR", conflicts_with = "kind", help_heading = "Generation")]
        output: Option<PathBuf>,
    },
}

/// The names of all schemas, and what each describes.
pub(crate) const SCHEMAS: [(&str, &str); 31] = [
    ("skel", "A .skel file"),
    ("clip", "A JSON clip"),
    ("map", "A map of joints, of retarget --map"),
    ("pipeline", "A pipeline, of mocap run"),
    ("config", "A mocap.toml"),
    ("space", "A blend space, of mocap blend --space"),
    ("graph", "A graph, of mocap play"),
    ("timeline", "A timeline as TOML, of mocap play --timeline"),
    ("keys", "The keys of mocap warp --keys"),
    ("manifest", "A line of a manifest"),
    ("info", "A line of mocap info --json"),
    ("validate", "A line of mocap validate --json"),
    ("convert", "A line of mocap convert --json"),
    ("edit", "A line of mocap edit or bands --json"),
    ("several", "A line of mocap join, blend or play --json"),
    ("play-explain", "A line of mocap play --explain --json"),
    ("split", "A line of mocap split --json"),
    ("compare", "A line of mocap compare --json"),
    ("compress", "A line of mocap compress --json"),
    ("decompress", "A line of mocap decompress --json"),
    ("skel-row", "A line of mocap skel --json"),
    ("skel-preset", "A line of mocap skel --preset list --json"),
    ("retarget", "A line of mocap retarget --json"),
    ("retarget-explain", "A line of mocap retarget --explain --json"),
    ("picture", "A line of mocap view, sheet, plot, render or gallery --json"),
    ("run", "A line of mocap run --json"),
    ("run-explain", "A line of mocap run --explain --json"),
    ("print-config", "A line of --print-config --json"),
    ("manifest-merge", "A line of mocap manifest merge --json"),
    ("manifest-verify", "A line of mocap manifest verify --json"),
    ("manifest-stats", "A line of mocap manifest stats --json"),
];

fn schema_names() -> PossibleValuesParser {
    PossibleValuesParser::new(SCHEMAS.map(|(name, about)| PossibleValue::new(name).help(about)))
}
