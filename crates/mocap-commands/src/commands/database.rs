//! Databases of motions that are searched: read in parallel, in input order.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use mocap_batch::{FileRecord, ReadFiles, interrupt};
use mocap_formats::Remedy;
use mocap_model::Clip;

use crate::batch::{self, Failure, Input, JobContext};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{Inputs, Reading, Selection};
use crate::output::Output;
use crate::read::{self, Motion};

/// Interval at which work checks for interrupts.
const TICK: Duration = Duration::from_millis(100);

/// The motions that can be searched, with data made from each.
pub(super) struct Database<T> {
    pub(super) clips: Vec<(Input, T)>,
    /// Inputs that cannot be searched, with reasons.
    pub(super) left_out: Vec<(String, String)>,
    /// How many of these could not be read.
    pub(super) failed: usize,
    /// Not success if a file could not be read.
    pub(super) exit: Exit,
}

/// Data made from a motion; an error if it could not be read, or a reason why it cannot be used.
type Made<T> = Result<Result<T, String>, Diagnostic>;

/// Runs a command that stops cleanly on Ctrl-C: its work checks for interrupts and ends early.
pub(super) fn interruptible(
    console: &mut dyn Output,
    work: impl FnOnce(&mut dyn Output) -> Result<Exit, Diagnostic>,
) -> Result<Exit, Diagnostic> {
    let run = interrupt::GracefulRun::begin();
    let done = work(console);
    if run.end() {
        console.note("interrupted");
        return Ok(Exit::Interrupted);
    }
    done
}

/// Runs pieces of work in parallel; the results are in the order of the pieces. On an interrupt,
/// the console says that the work ends after the pieces in progress.
///
/// # Errors
/// If interrupted.
pub(super) fn in_parallel<T: Send>(
    count: usize,
    jobs: Option<u16>,
    console: &dyn Output,
    work: impl Fn(usize) -> T + Sync,
) -> Result<Vec<T>, Diagnostic> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        // Each worker drops its sender when it ends.
        let (sender, ends) = channel::<()>();
        for _ in 0..workers(jobs).min(count) {
            let (sender, next, done, work) = (sender.clone(), &next, &done, &work);
            scope.spawn(move || {
                let _sender = sender;
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= count || interrupt::requested() {
                        break;
                    }
                    let one = work(at);
                    done.lock().expect("no thread panics while it holds the list").push((at, one));
                }
            });
        }
        drop(sender);
        let mut reported = false;
        while ends.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
            if interrupt::requested() && !std::mem::replace(&mut reported, true) {
                console.note(
                    "interrupted: the search ends after the files in flight; interrupt again to stop at once",
                );
            }
        }
    });
    if interrupt::requested() {
        return Err(mocap_batch::BatchError::Interrupted.into());
    }
    let mut done = done.into_inner().expect("no thread panics while it holds the list");
    done.sort_by_key(|(at, _)| *at);
    Ok(done.into_iter().map(|(_, one)| one).collect())
}

/// Number of workers.
pub(super) fn workers(jobs: Option<u16>) -> usize {
    jobs.map_or_else(|| std::thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Reads the motion of an input, without a rest pose in front of it.
pub(super) fn motion_of(input: &Input, reading: &Reading) -> Result<Clip, Diagnostic> {
    motion_and_files(input, reading).map(|(clip, _)| clip)
}

/// Like [`motion_of`], with records of the files that were read.
pub(super) fn motion_and_files(
    input: &Input,
    reading: &Reading,
) -> Result<(Clip, Vec<FileRecord>), Diagnostic> {
    let context = JobContext::standalone();
    let Motion { clip, warnings, .. } =
        read::motion(&context, input, reading).map_err(|failure: Failure| failure.error)?;
    let rest = warnings.iter().any(|warning| warning.remedy == Some(Remedy::DropFirstFrame));
    let clip = match rest && clip.frames() > 1 {
        true => clip.trimmed(1..clip.frames()).unwrap_or(clip),
        false => clip,
    };
    Ok((clip, context.files_read()))
}

/// The files of some paths and directories.
pub(super) fn inputs_of(
    paths: &[PathBuf],
    selection: &Selection,
    reading: &Reading,
) -> Result<Vec<Input>, Diagnostic> {
    let inputs = Inputs { inputs: paths.to_vec(), selection: selection.clone() };
    let mut inputs = batch::expand(&inputs, batch::ANY_MOTIONS)?;
    inputs.retain(|input| !input.other_shard);
    reading.ask_peers(&inputs);
    Ok(inputs)
}

/// Rejects an output that is also an input.
pub(super) fn check_output(
    output: &Path,
    paths: &[PathBuf],
    selection: &Selection,
    reading: &Reading,
) -> Result<(), Diagnostic> {
    if !output.exists() {
        return Ok(());
    }
    ReadFiles::NONE.refuse(&inputs_of(paths, selection, reading)?, [output])?;
    Ok(())
}

/// Reads all motions of some files and directories. Motions that cannot be searched are listed and left out.
pub(super) fn read_database<T: Send, E: Display>(
    paths: &[PathBuf],
    selection: &Selection,
    reading: &Reading,
    console: &mut dyn Output,
    make: impl Fn(&Clip) -> Result<T, E> + Sync,
) -> Result<Database<T>, Diagnostic> {
    let database = read_all(paths, selection, reading, console, make)?;
    if database.clips.is_empty() {
        return Err(nothing_left(database.left_out.len() - database.failed, database.failed));
    }
    Ok(database)
}

/// Like [`read_database`], but an empty result is allowed.
pub(super) fn read_all<T: Send, E: Display>(
    paths: &[PathBuf],
    selection: &Selection,
    reading: &Reading,
    console: &mut dyn Output,
    make: impl Fn(&Clip) -> Result<T, E> + Sync,
) -> Result<Database<T>, Diagnostic> {
    let inputs = inputs_of(paths, selection, reading)?;
    let made: Vec<Made<T>> = in_parallel(inputs.len(), selection.jobs, console, |at| {
        motion_of(&inputs[at], reading).map(|clip| make(&clip).map_err(|why| why.to_string()))
    })?;
    let mut clips = Vec::new();
    let mut left_out = Vec::new();
    let mut failed = 0;
    let mut exit = Exit::Success;
    for (one, input) in made.into_iter().zip(inputs) {
        match one {
            Ok(Ok(one)) => clips.push((input, one)),
            Ok(Err(why)) => {
                console.note(&format!("left out: {}: {why}", input.shown()));
                left_out.push((input.shown(), why));
            }
            Err(error) => {
                failed += 1;
                exit = batch::fail(&input.shown(), &error, &[], console);
                left_out.push((input.shown(), error.message.clone()));
            }
        }
    }
    Ok(Database { clips, left_out, failed, exit })
}

/// The error if no motion of a database can be searched, because files are not moving human bodies or could not
/// be read.
pub(super) fn nothing_left(no_bodies: usize, failed: usize) -> Diagnostic {
    let files = mocap_batch::counted(no_bodies + failed, "file");
    if no_bodies == 0 {
        let message = format!("nothing is left to search: of {files} none could be read");
        return Diagnostic::new("find::database", message)
            .help("what is wrong with a file stands above; `mocap validate FILE` lists all of it");
    }
    let why = match failed {
        0 => String::new(),
        failed => format!("; {failed} could not be read"),
    };
    let message = format!("none of {files} can be searched: a search compares moving human bodies{why}");
    Diagnostic::new("find::database", message).help("`mocap skel FILE` shows the roles of joints")
}
