//! Motions that are searched together: read in parallel, in the order of the inputs.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use mocap_formats::Remedy;
use mocap_model::Clip;

use crate::batch::{self, Failure, Input, JobContext};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{Inputs, Reading, Selection};
use crate::output::Output;
use crate::read::{self, Motion};

/// The motions that can be searched, with what was made of each.
pub(super) struct Database<T> {
    pub(super) clips: Vec<(Input, T)>,
    /// What is not among them, and why.
    pub(super) left_out: Vec<(String, String)>,
    /// Not success where a file could not be read.
    pub(super) exit: Exit,
}

/// What was made of a motion; an error where it could not be read, or a reason where it cannot be used.
type Made<T> = Result<Result<T, String>, Diagnostic>;

/// Reads the motion of an input; a rest pose before it is left out.
pub(super) fn motion_of(input: &Input, reading: &Reading) -> Result<Clip, Diagnostic> {
    let Motion { clip, warnings, .. } =
        read::motion(&JobContext::standalone(), input, reading).map_err(|failure: Failure| failure.error)?;
    let rest = warnings.iter().any(|warning| warning.remedy == Some(Remedy::DropFirstFrame));
    match rest && clip.frames() > 1 {
        true => Ok(clip.trimmed(1..clip.frames()).unwrap_or(clip)),
        false => Ok(clip),
    }
}

/// Reads all motions of some files and directories. What cannot be searched is listed and left out.
pub(super) fn read_database<T: Send, E: Display>(
    paths: &[PathBuf],
    selection: &Selection,
    reading: &Reading,
    console: &mut dyn Output,
    make: impl Fn(&Clip) -> Result<T, E> + Sync,
) -> Result<Database<T>, Diagnostic> {
    let Database { clips, left_out, exit } = read_all(paths, selection, reading, console, make)?;
    if clips.is_empty() {
        let message = format!("none of {} can be searched", mocap_batch::counted(left_out.len(), "file"));
        return Err(
            Diagnostic::new("find::database", message).help("`mocap skel FILE` shows the roles of joints")
        );
    }
    Ok(Database { clips, left_out, exit })
}

/// As [`read_database`]; it may be that nothing is left.
pub(super) fn read_all<T: Send, E: Display>(
    paths: &[PathBuf],
    selection: &Selection,
    reading: &Reading,
    console: &mut dyn Output,
    make: impl Fn(&Clip) -> Result<T, E> + Sync,
) -> Result<Database<T>, Diagnostic> {
    let inputs = Inputs { inputs: paths.to_vec(), selection: selection.clone() };
    let inputs = batch::expand(&inputs, batch::ANY_MOTIONS)?;
    reading.ask_peers(&inputs);
    let next = AtomicUsize::new(0);
    let made: Mutex<Vec<(usize, Made<T>)>> = Mutex::new(Vec::new());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = selection.jobs.map_or(cores, usize::from).min(inputs.len()).max(1);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(input) = inputs.get(at) else { break };
                    let one = motion_of(input, reading);
                    let one = one.map(|clip| make(&clip).map_err(|why| why.to_string()));
                    made.lock().expect("no thread panics while it holds the list").push((at, one));
                }
            });
        }
    });
    let mut made = made.into_inner().expect("no thread panics while it holds the list");
    made.sort_by_key(|(at, _)| *at);
    let mut clips = Vec::new();
    let mut left_out = Vec::new();
    let mut exit = Exit::Success;
    for ((_, one), input) in made.into_iter().zip(inputs) {
        match one {
            Ok(Ok(one)) => clips.push((input, one)),
            Ok(Err(why)) => {
                console.note(&format!("left out: {}: {why}", input.shown()));
                left_out.push((input.shown(), why));
            }
            Err(error) => {
                exit = batch::fail(&input.shown(), &error, &[], console);
                left_out.push((input.shown(), error.message.clone()));
            }
        }
    }
    Ok(Database { clips, left_out, exit })
}
