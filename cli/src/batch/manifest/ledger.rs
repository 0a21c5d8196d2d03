//! The manifest of the run at hand: what is done already, and what becomes of the rest.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use walkdir::WalkDir;

use super::book::{may_be_manifest, none};
use super::{Book, Entry, Fault, FileFact, Header, Line, Outcome, Start, text};
use crate::batch::attempt::Piece;
use crate::batch::hash::Hash;
use crate::batch::portable::PathText;
use crate::batch::shard::Shard;
use crate::batch::{Destination, Job, root};
use crate::diagnostic::Diagnostic;
use crate::write::is_temporary;

/// Where a manifest is, and what may be done with one that is there.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The manifest.
    pub(crate) path: PathBuf,
    /// The folder of the outputs; `None` where they go to no folder.
    pub(crate) folder: Option<PathBuf>,
    pub(crate) resume: bool,
    pub(crate) overwrite: bool,
    pub(crate) shard: Option<Shard>,
}

/// The name of a manifest in the folder of the outputs.
pub(crate) fn default_name(shard: Option<Shard>) -> String {
    match shard {
        Some(shard) => format!(".mocap-manifest.{}.jsonl", shard.name()),
        None => ".mocap-manifest.jsonl".into(),
    }
}

/// The manifest that is being written.
pub(crate) struct Ledger {
    file: Mutex<Writer<File>>,
    path: PathBuf,
    known: Known,
    fingerprint: Hash,
    tag: String,
}

/// What an earlier run has done.
pub(crate) struct Known {
    clips: BTreeMap<PathText, Entry>,
    folder: PathBuf,
}

impl Known {
    /// What the manifest at a place has of these options, without touching anything: for `--dry-run`.
    pub(crate) fn look(place: &Place, header: &Header) -> Result<Known, Diagnostic> {
        let folder = place.checked_folder()?.to_owned();
        if !place.resume || !place.path.exists() {
            return Ok(Known { clips: BTreeMap::new(), folder });
        }
        let book = Book::open(&place.path)?;
        place.check(&book, header)?;
        Ok(Known::of(book, folder, header))
    }

    fn of(book: Book, folder: PathBuf, header: &Header) -> Known {
        let mut clips = book.clips;
        clips.retain(|_, entry| entry.is_ok() && entry.fingerprint == header.fingerprint);
        Known { clips, folder }
    }

    /// Whether a job is done: its inputs are as they were, its outputs are there as they were written.
    pub(crate) fn has_done(&self, job: &Job) -> bool {
        let Destination::File { path: output, .. } = &job.destination else { return false };
        let Some(entry) = self.clips.get(&PathText::new(&job.input.relative)) else { return false };
        let (Some(input), Some(content)) = (job.input.path(), entry.input) else { return false };
        let folder_of_inputs = folder_of_inputs(job);
        let as_planned = entry.outputs.iter().any(|file| self.folder.join(file.path.path()) == *output);
        let is_whole = |folder: &Path, file: &FileFact| file.content.is_of(&folder.join(file.path.path()));
        as_planned
            && entry.outputs.iter().all(|file| is_whole(&self.folder, file))
            && content.is_of(input)
            && entry.also.iter().all(|file| is_whole(&folder_of_inputs, file))
    }
}

/// The folder that all inputs have in common.
fn folder_of_inputs(job: &Job) -> PathBuf {
    let path = job.input.path().map(root::absolute).unwrap_or_default();
    path.ancestors().nth(job.input.relative.components().count()).map(Path::to_owned).unwrap_or_default()
}

impl Place {
    fn checked_folder(&self) -> Result<&Path, Diagnostic> {
        self.folder.as_deref().ok_or_else(|| {
            Diagnostic::new(
                "usage::manifest",
                "a manifest tells of outputs in a directory, and there is none",
            )
            .help("name a directory with -o DIR/")
        })
    }

    /// Whether a run with this header may go on with what a manifest has.
    fn check(&self, book: &Book, now: &Header) -> Result<(), Diagnostic> {
        let Some(header) = &book.header else { return Ok(()) };
        let differences = header.differences(now);
        if differences.is_empty() || self.overwrite {
            return Ok(());
        }
        let message = format!("'{}' tells of another run: {}", self.path.display(), differences.join("; "));
        Err(Diagnostic::new("manifest::other-run", message).help(
            "run with the options it was begun with, do all clips again with --resume --overwrite, or name another \
             directory",
        ))
    }

    /// What a run goes on with, where these are the bytes of its manifest.
    fn accept(&self, bytes: &[u8], header: &Header, jobs: &[Job]) -> Result<Book, Diagnostic> {
        // What is no manifest is never cut off.
        if !may_be_manifest(bytes) {
            return Err(none(&self.path));
        }
        let book = match (self.resume, self.overwrite) {
            (true, _) => Book::read(&self.path, bytes)?,
            (false, false) if !bytes.is_empty() => {
                let message = format!("'{}' exists already", self.path.display());
                return Err(Diagnostic::new("usage::manifest-exists", message)
                    .help("--resume goes on with it, --overwrite begins anew"));
            }
            (false, _) => Book::default(),
        };
        self.check(&book, header)?;
        if self.resume && !self.overwrite {
            refuse_foreign(&book, jobs)?;
        }
        Ok(book)
    }

    /// Opens the file for this process alone.
    fn lock(&self) -> Result<File, Diagnostic> {
        let failed = |error: std::io::Error| Diagnostic::io("write", &self.path, &error);
        if let Some(folder) = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        if self.path.metadata().is_ok_and(|data| !data.is_file()) {
            let message = format!("'{}' is no file that a manifest could be written to", self.path.display());
            return Err(Diagnostic::new("usage::manifest", message));
        }
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.path);
        let file = file.map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                let message = format!("another run is writing '{}'", self.path.display());
                Err(Diagnostic::new("manifest::busy", message)
                    .help("wait for it, or give each run a part of the inputs with --shard"))
            }
            // A file system without locks is no reason not to work.
            Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
        }
    }
}

impl Ledger {
    /// Opens the manifest: goes on with it under `--resume`, else begins it.
    ///
    /// # Errors
    /// Where it tells of another run, is in use or damaged, or where outputs exist that it does not know.
    pub(crate) fn open(place: &Place, header: Header, jobs: &[Job]) -> Result<Ledger, Diagnostic> {
        let folder = place.checked_folder()?.to_owned();
        // A run that is refused leaves no manifest.
        if place.path.symlink_metadata().is_err() {
            place.accept(b"", &header, jobs)?;
        }
        let mut file = place.lock()?;
        let failed = |error: std::io::Error| Diagnostic::io("write", &place.path, &error);
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| Diagnostic::io("read", &place.path, &error))?;
        let mut book = place.accept(&bytes, &header, jobs)?;
        drop(bytes);

        let tag = tag(&place.path);
        if !book.unfinished.is_empty() || !place.resume {
            sweep(&folder, &tag);
        }
        // A torn line is cut off; its clip is done again.
        let end = if place.resume { book.whole as u64 } else { 0 };
        file.set_len(end).and_then(|()| file.seek(SeekFrom::Start(end))).map_err(failed)?;
        let same = book.header.take().is_some_and(|known| known.differences(&header).is_empty());
        let (fingerprint, known) = (header.fingerprint, Known::of(book, folder, &header));
        let file = Mutex::new(Writer { file, end, broken: false });
        let ledger = Ledger { file, path: place.path.clone(), known, fingerprint, tag };
        if !same {
            ledger.append(&Line::Run(header))?;
        }
        Ok(ledger)
    }

    /// What is done already.
    pub(crate) fn known(&self) -> &Known {
        &self.known
    }

    /// Part of the names of temporary files of runs with this manifest.
    pub(crate) fn tag(&self) -> &str {
        &self.tag
    }

    /// Work on a job begins.
    pub(crate) fn start(&self, job: &Job) -> Result<(), Diagnostic> {
        self.append(&Line::Start(Start { path: PathText::new(&job.input.relative) }))
    }

    /// A job is done or has failed.
    pub(crate) fn finish(&self, job: &Job, facts: Facts) -> Result<(), Diagnostic> {
        let below = |folder: &Path, piece: &Piece| FileFact {
            path: PathText::new(root::absolute(&piece.path).strip_prefix(folder).unwrap_or(&piece.path)),
            content: piece.content,
        };
        let (inputs, outputs) = (folder_of_inputs(job), root::absolute(&self.known.folder));
        let Facts { result, error, frames, seconds, mut read, written } = facts;
        let input = job.input.path().and_then(|path| read.iter().position(|piece| piece.path == path));
        let input = input.map(|at| read.remove(at).content);
        self.append(&Line::Clip(Entry {
            path: PathText::new(&job.input.relative),
            input,
            also: read.iter().map(|piece| below(&inputs, piece)).collect(),
            outputs: written.iter().map(|piece| below(&outputs, piece)).collect(),
            result,
            error,
            frames,
            seconds,
            fingerprint: self.fingerprint,
            mocap: env!("CARGO_PKG_VERSION").to_owned(),
        }))
    }

    /// One call a line: a process that is killed leaves whole lines, and at most one torn one at the end.
    fn append(&self, line: &Line) -> Result<(), Diagnostic> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.append(&text(line)).map_err(|error| Diagnostic::io("write", &self.path, &error))
    }
}

/// A file of whole lines.
struct Writer<F> {
    file: F,
    /// Where the next line begins.
    end: u64,
    /// Nothing is written any more: a line was not, and none may follow its rest.
    broken: bool,
}

/// What a manifest needs of a file.
trait Store: Write + Seek {
    fn cut(&self, length: u64) -> io::Result<()>;
}

impl Store for File {
    fn cut(&self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }
}

impl<F: Store> Writer<F> {
    /// Writes a line, or nothing of it.
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if self.broken {
            return Err(io::Error::other("a line before could not be written"));
        }
        match self.file.write_all(line) {
            Ok(()) => self.end += line.len() as u64,
            Err(error) => {
                self.broken = true;
                // Where even that fails, the torn line is the last one all the same.
                let _ = self.file.cut(self.end).and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
                return Err(error);
            }
        }
        Ok(())
    }
}

/// What became of a job.
pub(crate) struct Facts {
    pub(crate) result: Outcome,
    pub(crate) error: Option<Fault>,
    pub(crate) frames: usize,
    pub(crate) seconds: f64,
    pub(crate) read: Vec<Piece>,
    pub(crate) written: Vec<Piece>,
}

/// Part of the names of temporary files: runs with another manifest have another one, those of other shards in the
/// same folder and those in a folder below it.
fn tag(manifest: &Path) -> String {
    let place = manifest.canonicalize().unwrap_or_else(|_| root::absolute(manifest));
    Hash::of(place.as_os_str().as_encoded_bytes()).short()
}

/// An output that no run of this manifest has begun is somebody else's file.
fn refuse_foreign(book: &Book, jobs: &[Job]) -> Result<(), Diagnostic> {
    let foreign: Vec<&Path> = jobs
        .iter()
        .filter_map(|job| {
            let Destination::File { path, .. } = &job.destination else { return None };
            let name = PathText::new(&job.input.relative);
            let ours = book.unfinished.contains(&name) || book.clips.contains_key(&name);
            (!ours && path.symlink_metadata().is_ok_and(|data| !data.is_dir())).then_some(path.as_path())
        })
        .collect();
    let Some(first) = foreign.first() else { return Ok(()) };
    let message = match foreign.len() {
        1 => format!("'{}' exists, and the manifest does not know it", first.display()),
        many => format!(
            "{many} outputs exist that the manifest does not know, the first is '{}'",
            first.display()
        ),
    };
    Err(Diagnostic::new("usage::output-exists", message)
        .help("--resume --overwrite replaces them; --skip-existing, without --resume, leaves them alone"))
}

/// Takes away temporary files that killed runs of this manifest have left.
fn sweep(folder: &Path, tag: &str) {
    for entry in WalkDir::new(folder).into_iter().filter_map(Result::ok) {
        if entry.file_type().is_file() && is_temporary(entry.file_name(), tag) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file on a disk with so much room.
    struct Small(Mutex<io::Cursor<Vec<u8>>>, usize);

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let cursor = self.0.get_mut().unwrap();
            let room = self.1 - cursor.position() as usize;
            if room == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            cursor.write(&bytes[..bytes.len().min(room)])
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for Small {
        fn seek(&mut self, place: SeekFrom) -> io::Result<u64> {
            self.0.get_mut().unwrap().seek(place)
        }
    }

    impl Store for Small {
        fn cut(&self, length: u64) -> io::Result<()> {
            self.0.lock().unwrap().get_mut().truncate(length as usize);
            Ok(())
        }
    }

    #[test]
    fn no_line_follows_one_that_was_half_written() {
        let file = Small(Mutex::default(), 12);
        let mut writer = Writer { file, end: 0, broken: false };
        writer.append(b"whole\n").unwrap();
        assert_eq!(writer.append(b"too long\n").unwrap_err().kind(), io::ErrorKind::StorageFull);
        // It would fit.
        writer.append(b"x\n").unwrap_err();
        assert_eq!(writer.file.0.get_mut().unwrap().get_ref(), b"whole\n");
    }

    #[test]
    fn runs_of_other_folders_do_not_take_each_other_s_files_away() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        std::fs::write(at("sub/m"), "").unwrap();
        assert_ne!(tag(&at("m")), tag(&at("sub/m")));
        assert_eq!(tag(&at("sub/m")), tag(&at("sub/../sub/m")));
    }
}
