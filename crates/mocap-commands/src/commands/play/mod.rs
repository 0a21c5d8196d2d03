//! `mocap play`: a graph of motions along a timeline.

mod explain;
mod file;
mod names;
mod node;
mod timeline;

use std::path::PathBuf;

use clap::Args as ClapArgs;
use file::GraphFile;
use mocap_edit::{EditError, GraphClip, play, trim};

use super::several::{Made, one_of, only_clips};
use crate::diagnostic::{Diagnostic, read_toml};
use crate::exit::Exit;
use crate::options::Invocation;
use crate::options::several::OneOutput;
use crate::output::Output;
use crate::verb::{ERROR, RowSchema, VerbArgs, of};

pub(crate) use explain::Row as ExplainRow;

/// Play a graph of motions along a timeline: state machines, blend spaces, layers
///
/// The graph is a TOML file of clips and nodes; the timeline is a CSV with a column time, columns of parameters, and a
/// column event, or a TOML file of [[row]] tables with the same keys. The take is as long as the timeline; the names of
/// the states become its events. To watch a motion in a browser: mocap view.
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

impl VerbArgs for Args {
    const SCHEMAS: &'static [RowSchema] = &[RowSchema {
        name: "play-explain",
        about: "A line of mocap play --explain --json",
        rows: &[of::<ExplainRow>, ERROR],
    }];

    fn run(self, _: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, console)
    }
}

/// Runs the command.
fn run(args: &Args, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let file = GraphFile::of(&read_toml(&args.graph)?, &args.graph)?;
    if args.explain {
        console.row(&explain::json(&file), &explain::text(&file));
        return Ok(Exit::Success);
    }
    let path = args.timeline.as_deref().expect("clap asks for it");
    let params: Vec<&str> = file.graph.params.iter().map(|(name, _)| name.as_str()).collect();
    let timeline = timeline::read(path, &params)?;
    let paths: Vec<_> = file.clips.iter().map(|clip| clip.path.clone()).collect();
    one_of(&args.one, &paths, "take.bvh", console, |scenes| {
        let clips = only_clips(scenes, "play")?;
        let mut graph = file.graph.clone();
        for (clip, given) in clips.iter().zip(&file.clips) {
            let clip = match given.range {
                Some(range) => trim(clip, &range)?,
                None => clip.clone(),
            };
            graph.clips.push(GraphClip { clip, looped: given.looped });
        }
        let (frames, joints) = clips
            .first()
            .map_or((0.0, 0), |first| (timeline.duration() * first.rate().fps(), first.skeleton().len()));
        let limit = args.one.reading.limits().samples;
        if frames * joints as f64 > limit as f64 {
            return Err(EditError::TooLarge { edit: "play", frames, joints, limit });
        }
        let (take, report) = play(&graph, &timeline, !args.no_lock)?;
        Ok(Made::of(take, report))
    })
}
