//! Index files of databases: which clips are unchanged, and reading the others.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::{Args as _, Command};
use mocap_batch::{Content, FileRecord};
use mocap_search::Motion;
use mocap_search::index::{Index, IndexError, IndexedClip, IndexedFile, IndexedMotion, MAGIC};

use super::database::{in_parallel, inputs_of, motion_and_files};
use crate::batch::{Input, fail};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::{FirstFrame, Invocation, Reading, Selection};
use crate::output::Output;

/// The largest index that is read \[bytes\]: 4,000 hours of motion.
const LARGEST: u64 = 8 << 30;

/// The inputs and options that an index is made from.
pub(super) struct Source<'a> {
    pub(super) paths: &'a [PathBuf],
    pub(super) selection: &'a Selection,
    pub(super) reading: &'a Reading,
    /// How files are read, as [`reading_options`] says it.
    pub(super) options: String,
}

/// An index that matches its files.
pub(super) struct Refreshed {
    pub(super) index: Index,
    /// By clip of the index.
    pub(super) inputs: Vec<Input>,
    /// Number of clips that were read, and of clips that no longer exist.
    pub(super) read: usize,
    pub(super) gone: usize,
    /// Clips that could not be read.
    pub(super) failed: usize,
    /// The frames that were read.
    pub(super) frames: usize,
    pub(super) exit: Exit,
}

/// The options that affect how files are read, as typed on a command line; an index stores them.
pub(super) fn reading_options(invocation: &Invocation) -> String {
    let flags = FirstFrame::augment_args(Reading::augment_args(Command::new("index")));
    let mut names: Vec<String> =
        flags.get_arguments().filter_map(|flag| Some(format!("--{}", flag.get_long()?))).collect();
    names.push("--clip".to_owned());
    let given = invocation.options().into_iter().filter(|(flag, _)| names.contains(flag));
    given.map(|(flag, value)| format!("{flag}={value}")).collect::<Vec<_>>().join(" ")
}

/// Whether a file is an index. A pipe never is, and is not opened: its bytes can be read only once.
pub(super) fn is_index(path: &Path) -> bool {
    let mut start = [0; MAGIC.len()];
    if !path.is_file() {
        return false;
    }
    std::fs::File::open(path)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut start))
        .is_ok_and(|()| start == *MAGIC)
}

/// Whether a path is meant as an index, by its content or its name.
pub(super) fn is_named_index(path: &Path) -> bool {
    let is_called = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("index"));
    is_index(path) || (is_called && !path.is_dir())
}

/// Reads an index.
pub(super) fn open(path: &Path) -> Result<Index, Diagnostic> {
    open_sized(path).map(|(index, _)| index)
}

/// Like [`open`], with the size of the file.
pub(super) fn open_sized(path: &Path) -> Result<(Index, u64), Diagnostic> {
    let wrong = |error: &IndexError| {
        let help = match error {
            IndexError::Other | IndexError::Empty => "`mocap index DATABASE -o NAME.index` makes one",
            _ => "`mocap index DATABASE -o NAME.index --overwrite` makes it anew",
        };
        Diagnostic::new("find::index", error.to_string()).help(help).in_file(path)
    };
    if path.metadata().is_ok_and(|data| data.is_file() && data.len() > 0) && !is_index(path) {
        return Err(wrong(&IndexError::Other));
    }
    let bytes = mocap_batch::read_file(path, LARGEST)?;
    let index = Index::from_bytes(&bytes).map_err(|error| wrong(&error))?;
    Ok((index, bytes.len() as u64))
}

/// Reads clips that are new or changed, and keeps the others. `is_same` decides whether the files of a clip are
/// unchanged.
pub(super) fn refresh(
    old: Index,
    source: &Source<'_>,
    console: &mut dyn Output,
    is_same: impl Fn(&IndexedFile) -> bool + Sync,
) -> Result<Refreshed, Diagnostic> {
    let Source { paths, selection, reading, options } = source;
    let mut inputs = inputs_of(paths, selection, reading)?;
    inputs.retain(|input| {
        let named = input.path().is_some_and(|path| path.to_str().is_some());
        if !named {
            let why = "an index names files, in Unicode";
            console.note(&format!("left out: {}: {why}", input.shown()));
        }
        named
    });
    let name = |input: &Input| (text(input.path().unwrap_or(Path::new("-"))), input.part.clone());
    let key = |clip: &IndexedClip| (clip.files[0].path.clone(), clip.part.clone());
    let comparable = old.options == *options;
    let known: BTreeMap<_, IndexedClip> = match comparable {
        true => old.clips.into_iter().map(|clip| (key(&clip), clip)).collect(),
        false => BTreeMap::new(),
    };
    let one = |at: usize| -> Result<(IndexedClip, Option<usize>), Diagnostic> {
        let input = &inputs[at];
        if let Some(clip) = known.get(&name(input)).filter(|clip| clip.files.iter().all(&is_same)) {
            return Ok((clip.clone(), None));
        }
        let (clip, files) = motion_and_files(input, reading)?;
        let motion = Motion::of(&clip).map(|motion| IndexedMotion::new(&motion));
        let motion = motion.map_err(|error| error.to_string());
        Ok((
            IndexedClip { part: input.part.clone(), files: records(input, files), motion },
            Some(clip.frames()),
        ))
    };
    let made = in_parallel(inputs.len(), selection.jobs, console, one)?;
    let there: BTreeSet<_> = inputs.iter().map(name).collect();
    let gone = known.keys().filter(|key| !there.contains(*key)).count();
    let mut found = Refreshed {
        index: Index {
            options: options.clone(),
            inputs: paths.iter().map(|path| text(path)).collect(),
            filters: [selection.include.clone(), selection.exclude.clone()],
            clips: Vec::with_capacity(inputs.len()),
        },
        inputs: Vec::with_capacity(inputs.len()),
        read: 0,
        gone,
        failed: 0,
        frames: 0,
        exit: Exit::Success,
    };
    for (one, input) in made.into_iter().zip(inputs) {
        match one {
            Ok((clip, frames)) => {
                found.read += usize::from(frames.is_some());
                found.frames += frames.unwrap_or(0);
                if let (Err(why), Some(_)) = (&clip.motion, frames) {
                    console.note(&format!("left out: {}: {why}", input.shown()));
                }
                found.index.clips.push(clip);
                found.inputs.push(input);
            }
            Err(error) => {
                found.failed += 1;
                found.exit = fail(&input.shown(), &error, &[], console);
            }
        }
    }
    Ok(found)
}

/// The files of a clip, its own first.
fn records(input: &Input, files: Vec<FileRecord>) -> Vec<IndexedFile> {
    let mut files: Vec<IndexedFile> = files
        .into_iter()
        .map(|file| IndexedFile {
            path: text(&file.path),
            bytes: file.content.bytes,
            hash: file.content.hash.into(),
        })
        .collect();
    if let Some(own) = files.iter().position(|file| Some(Path::new(&file.path)) == input.path()) {
        files.swap(0, own);
    }
    files
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Whether a file has the content that the index recorded.
pub(super) fn has_content(file: &IndexedFile) -> bool {
    Content { bytes: file.bytes, hash: file.hash.into() }.is_of(Path::new(&file.path))
}

/// Like [`has_content`], without reading files that are older than the index.
pub(super) fn is_older_or_same(file: &IndexedFile, index_time: Option<SystemTime>) -> bool {
    let Ok(data) = Path::new(&file.path).metadata() else { return false };
    let older = data.modified().ok().zip(index_time).is_some_and(|(file, index)| file < index);
    data.len() == file.bytes && (older || has_content(file))
}

/// An index for a search, updated to its files. Changed clips are read again, with a note.
pub(super) fn current(
    path: &Path,
    selection: &Selection,
    reading: &Reading,
    options: &str,
    console: &mut dyn Output,
) -> Result<Refreshed, Diagnostic> {
    let index = open(path)?;
    if index.options != options {
        let shown = |options: &str| match options {
            "" => "no options".to_owned(),
            options => format!("'{options}'"),
        };
        let message = format!(
            "its files were read with {}, this search reads files with {}",
            shown(&index.options),
            shown(options)
        );
        return Err(Diagnostic::new("find::index", message)
            .help("give the same options, or make the index anew with the others")
            .in_file(path));
    }
    let paths: Vec<PathBuf> = index.inputs.iter().map(PathBuf::from).collect();
    let [include, exclude] = index.filters.clone();
    let selection = Selection { include, exclude, files_from: None, shard: None, ..selection.clone() };
    let time = path.metadata().and_then(|data| data.modified()).ok();
    let source = Source { paths: &paths, selection: &selection, reading, options: options.to_owned() };
    let found = refresh(index, &source, console, |file| is_older_or_same(file, time));
    let found = found.map_err(|error| {
        error.help("paths of an index are relative to the directory in which it was made")
    })?;
    if found.read + found.gone > 0 {
        console.note(&format!(
            "{} is older than its files: {} read again, {} gone; `mocap index` updates it",
            path.display(),
            mocap_batch::counted(found.read, "clip"),
            found.gone
        ));
    }
    Ok(found)
}
