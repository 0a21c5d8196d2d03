//! `mocap play`.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::several::OneOutput;

/// Play a graph of motions along a timeline: state machines, blend spaces, layers
///
/// The graph is a TOML file of clips and nodes; the timeline is a CSV with a column time, columns of parameters, and a
/// column event, or a TOML file of [[row]] tables with the same keys. The take is as long as the timeline; the names of
/// the states become its events.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap play character.toml --timeline inputs.csv -o take.bvh\n\
    \x20 mocap play character.toml --explain")]
pub(crate) struct Args {
    /// Graph: a TOML file
    #[arg(value_name = "GRAPH")]
    pub(crate) graph: PathBuf,
    /// CSV with the columns time [s], one for each parameter, and event; or TOML
    #[arg(long, value_name = "FILE", required_unless_present = "explain")]
    pub(crate) timeline: Option<PathBuf>,
    /// Print the nodes, states and transitions of the graph, without playing it
    #[arg(long)]
    pub(crate) explain: bool,
    /// Do not lock feet
    #[arg(long)]
    pub(crate) no_lock: bool,
    #[command(flatten)]
    pub(crate) one: OneOutput,
}
