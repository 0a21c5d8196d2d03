//! `mocap gallery`: an index of a database, and a page per clip.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use mocap_edit::edits::event_names;
use mocap_report::gallery::{ClipInput, Entry, Failed, clip_script, entry_of, site};
use mocap_report::view::ViewInput;

use super::label::labelled;
use super::picture::{self, Drawn, Row};
use crate::batch::{
    self, Destination, Failure, Job, JobContext, OutputNames, Report, RunOptions, Tally, json, read_files,
};
use crate::diagnostic::{Behind, Diagnostic};
use crate::encode::{self, Encoded};
use crate::exit::Exit;
use crate::options::{GalleryArgs as Args, Invocation};
use crate::output::Output;
use crate::verb::VerbArgs;

impl VerbArgs for Args {
    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let site = args.outputs.output.as_ref().filter(|path| path.as_os_str() != "-");
    let folder = || Diagnostic::new("usage::output", "-o names the folder of the gallery, such as site/");
    let site = site.ok_or_else(folder)?;
    refuse_file(site)?;
    let reading = args.first.of(&args.reading);
    let outputs = args.scripts(site);
    let names = OutputNames { searched: batch::ALL, rename: &script_path, format: None };
    let reads = read_files(&reading, Some(&args.inputs.selection));
    let mut jobs = batch::plan_peers(console, (&args.inputs, &reading), &outputs, &names, reads)?;
    leave_out_skeletons(&mut jobs);
    let options = RunOptions::writing(&args.inputs.selection, &outputs, invocation);
    let failed = Mutex::new(BTreeMap::new());
    let exit = batch::run(console, options, &jobs, |job, context| {
        one(job, context, args).inspect_err(|failure| {
            let mut failed = failed.lock().expect("no thread panics while it holds the list");
            failed.insert(job.input.shown(), failure.error.to_string());
        })
    });
    if outputs.dry_run || exit == Exit::Interrupted || exit == Exit::Usage {
        return Ok(exit);
    }
    let failed = failed.into_inner().expect("no thread panics while it holds the list");
    let scripts = jobs.iter().filter(|job| !failed.contains_key(&job.input.shown()));
    let scripts = scripts.filter_map(|job| match &job.destination {
        Destination::File { path, .. } | Destination::Exists(path) => Some(path.clone()),
        _ => None,
    });
    write_site(site, &args.title(), scripts, &failed)?;
    console.note(&format!("{} shows them in a browser", site.join("index.html").display()));
    Ok(exit)
}

/// Leaves out ASF files beside AMC files: they are their skeletons and have no motion.
fn leave_out_skeletons(jobs: &mut Vec<Job>) {
    let has = |job: &Job, extension: &str| {
        let found = job.input.path().and_then(Path::extension);
        found.is_some_and(|found| found.eq_ignore_ascii_case(extension))
    };
    let folder = |job: &Job| job.input.path().and_then(Path::parent).map(Path::to_owned);
    let folders: BTreeSet<_> = jobs.iter().filter(|job| has(job, "amc")).map(folder).collect();
    jobs.retain(|job| !has(job, "asf") || !folders.contains(&folder(job)));
}

/// Rejects a file as the folder of a gallery.
pub(crate) fn refuse_file(site: &Path) -> Result<(), Diagnostic> {
    if site.is_file() {
        return Err(Diagnostic::new("usage::output", format!("'{}' is a file", site.display()))
            .help("a gallery is a folder of files"));
    }
    Ok(())
}

/// The path of a clip's script. The extension is kept, so that `walk.bvh` and `walk.amc` differ.
pub(crate) fn script_path(relative: &Path) -> PathBuf {
    let mut path = OsString::from(relative.as_os_str());
    path.push(".js");
    path.into()
}

fn one(job: &Job, context: &JobContext, args: &Args) -> Result<Report, Failure> {
    let reading = args.first.of(&args.reading);
    let (drawn, mut warnings, bytes_in) = picture::drawn(&job.input, context, &reading)?;
    let body = drawn.body(&args.bodies);
    let Drawn { name, clip, path, .. } = &drawn;
    let clip = &labelled(clip.clone());
    let motions = [ViewInput { body, ..ViewInput::new(name, clip) }];
    let labels = event_names(clip);
    let input = ClipInput { path, motions: &motions, labels: &labels, outcome: None };
    let script = context.check().map_err(Diagnostic::from).map(|()| clip_script(&input, &args.options()));
    let encoded = Encoded::from(script.behind(&mut warnings)?);
    let (bytes, output) = encode::deliver(&encoded, job, context).behind(&mut warnings)?;
    let frames = clip.frames();
    let row = Row::new(path, &output, bytes, frames);
    let tally = Tally { frames, bytes_in, bytes_out: bytes };
    Ok(Report { json: json(&row), text: row.text(), warnings, tally, ..Report::default() })
}

/// Writes the index of all scripts in the folder, including those of earlier runs.
pub(crate) fn write_site(
    folder: &Path,
    title: &str,
    scripts: impl Iterator<Item = PathBuf>,
    failed: &BTreeMap<String, String>,
) -> Result<(), Diagnostic> {
    let mut entries: Vec<(String, Entry)> = Vec::new();
    let mut failed: Vec<Failed> = failed
        .iter()
        .map(|(path, message)| Failed { path: path.clone(), message: message.clone() })
        .collect();
    for path in scripts {
        let line = match first_line(&path) {
            // The script does not exist: the run ended before it was written.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            line => line,
        };
        let below = path.strip_prefix(folder).unwrap_or(&path);
        let parts: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy()).collect();
        match line.ok().as_deref().and_then(entry_of) {
            Some(entry) => entries.push((parts.join("/"), entry)),
            None => {
                let message = "is not a script of a clip; --overwrite writes it anew".to_owned();
                failed.push(Failed { path: parts.join("/"), message });
            }
        }
    }
    for (name, bytes) in site(title, &entries, &failed) {
        mocap_batch::write_file(&folder.join(name), true, &|out| out.write_all(&bytes))?;
    }
    Ok(())
}

/// The first line of a file. In a script, it is the entry for the index; the long motion data follows below.
fn first_line(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut line = Vec::new();
    BufReader::new(File::open(path)?).read_until(b'\n', &mut line)?;
    Ok(line)
}
