//! `mocap play`: a graph of motions along a timeline.

mod explain;
mod file;
mod names;
mod node;
mod timeline;

use mocap_edit::{EditError, GraphClip, play, trim};

use super::several::one_of;
use crate::args::PlayArgs as Args;
use crate::console::Console;
use crate::diagnostic::{Diagnostic, read_toml};
use crate::exit::Exit;
pub(crate) use explain::Row as ExplainRow;
use file::GraphFile;

/// Runs the command.
pub(crate) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let file = GraphFile::of(&read_toml(&args.graph)?, &args.graph)?;
    if args.explain {
        console.row(&explain::json(&file), &explain::text(&file));
        return Ok(Exit::Success);
    }
    let path = args.timeline.as_deref().expect("clap asks for it");
    let params: Vec<&str> = file.graph.params.iter().map(|(name, _)| name.as_str()).collect();
    let timeline = timeline::read(path, &params)?;
    let paths: Vec<_> = file.clips.iter().map(|clip| clip.path.clone()).collect();
    one_of(&args.one, &paths, "take.bvh", console, |clips| {
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
        Ok((take, vec![report]))
    })
}
