//! From arguments to the list of files: directories searched, globs matched, lists read.
//!
//! The list follows the order of the arguments; what a directory or glob gives is sorted by path.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use walkdir::WalkDir;

use super::attempt::Attempt;
use super::portable::path_of_bytes;
use super::root;
use crate::args::Inputs;
use crate::diagnostic::Diagnostic;

/// What commands that need motions find in directories. JSON files are taken where they are named: most of
/// those that lie about are none of ours.
pub(crate) const MOTIONS: &[&str] = &["bvh", "amc"];
/// The same for commands that make something else of compressed motions, too.
pub(crate) const ANY_MOTIONS: &[&str] = &["bvh", "amc", "mocz"];
/// What other commands find in directories.
pub(crate) const ALL: &[&str] = &["bvh", "asf", "amc", "skel", "mocz"];
/// What `decompress` finds in directories.
pub(crate) const COMPRESSED: &[&str] = &["mocz"];

/// One thing to read.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) source: Source,
    /// Below the folder that all inputs have in common.
    pub(crate) relative: PathBuf,
    /// Whether it was found in a directory or by a glob, and not named itself.
    pub(crate) found: bool,
    /// Whether another shard does it.
    pub(crate) elsewhere: bool,
    /// What is read and written for it.
    pub(crate) attempt: Arc<Attempt>,
}

/// Where an input comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
    /// A place that could not be searched.
    Unreadable(PathBuf, Box<Diagnostic>),
}

impl Input {
    /// One file or `-`, as it was named.
    pub(crate) fn named(path: &Path) -> Input {
        let source = match path.to_str() {
            Some("-") => Source::Stdin,
            _ => Source::File(path.to_owned()),
        };
        let relative = match &source {
            Source::Stdin => PathBuf::from("stdin"),
            _ => path.file_name().map_or_else(|| path.to_owned(), PathBuf::from),
        };
        Input { relative, ..Input::new(source, false) }
    }

    /// An input whose place in the tree is not known yet.
    pub(super) fn new(source: Source, found: bool) -> Input {
        Input { source, relative: PathBuf::new(), found, elsewhere: false, attempt: Arc::default() }
    }

    /// The input as messages and rows name it.
    pub(crate) fn shown(&self) -> String {
        match &self.source {
            Source::Stdin => "-".into(),
            Source::File(path) | Source::Unreadable(path, _) => path.display().to_string(),
        }
    }

    /// The path of a file.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::File(path) => Some(path),
            _ => None,
        }
    }
}

/// All inputs that the arguments name. Directories give files of these extensions.
///
/// # Errors
/// Where a glob is malformed or gives nothing, a list cannot be read, or stdin is asked for twice.
pub(crate) fn expand(arguments: &Inputs, extensions: &[&str]) -> Result<Vec<Input>, Diagnostic> {
    let mut named = arguments.inputs.clone();
    let selection = &arguments.selection;
    if let Some(list) = &selection.files_from {
        if list == Path::new("-") && arguments.inputs.iter().any(|input| input == Path::new("-")) {
            return Err(stdin_twice().help("the list of --files-from and an input cannot both come from it"));
        }
        named.extend(read_list(list)?);
    }
    let filter = Filter::new(&selection.include, &selection.exclude)?;

    let mut inputs = Vec::new();
    let mut folders = Vec::new();
    for path in &named {
        let mut add = |source, found| inputs.push(Input::new(source, found));
        if path == Path::new("-") {
            add(Source::Stdin, false);
        } else if path.is_dir() {
            folders.push(root::absolute(path));
            for source in search(path, |file| {
                has_extension(file, extensions) || (!filter.takes_all() && !selection.include.is_empty())
            }) {
                let below = |file: &Path| file.strip_prefix(path).map(Path::to_owned).unwrap_or_default();
                match &source {
                    Source::File(file) if !filter.takes(&below(file)) => {}
                    _ => add(source, true),
                }
            }
        } else if path.symlink_metadata().is_err() && is_glob(path) {
            let start = literal_prefix(path);
            folders.push(root::absolute(&start));
            let matcher = glob(&path.to_string_lossy())?.compile_matcher();
            let from = if start.as_os_str().is_empty() { Path::new(".") } else { &start };
            let mut any = false;
            for source in search(from, |file| matcher.is_match(file.strip_prefix("./").unwrap_or(file))) {
                any = true;
                let source = match source {
                    Source::File(file) => {
                        Source::File(file.strip_prefix("./").map_or(file.clone(), Path::to_owned))
                    }
                    other => other,
                };
                match &source {
                    Source::File(file) if !filter.takes(file.strip_prefix(&start).unwrap_or(file)) => {}
                    _ => add(source, true),
                }
            }
            if !any {
                let message = format!("no file matches '{}'", path.display());
                return Err(Diagnostic::new("usage::no-match", message));
            }
        } else {
            let parent = path.parent().unwrap_or(Path::new(""));
            folders.push(root::absolute(if parent.as_os_str().is_empty() { Path::new(".") } else { parent }));
            if filter.takes(path.file_name().map_or(path, Path::new)) {
                add(Source::File(path.clone()), false);
            }
        }
    }
    if inputs.iter().filter(|input| matches!(input.source, Source::Stdin)).count() > 1 {
        return Err(stdin_twice());
    }
    if inputs.is_empty() {
        let wanted: Vec<String> = extensions.iter().map(|extension| format!(".{extension}")).collect();
        return Err(Diagnostic::new("usage::no-input", "no input was found")
            .help(format!("directories are searched for {}", wanted.join(", "))));
    }
    let common = root::common(&folders);
    for input in &mut inputs {
        input.relative = match &input.source {
            Source::File(path) | Source::Unreadable(path, _) => {
                let path = root::absolute(path);
                path.strip_prefix(&common).map_or(path.clone(), Path::to_owned)
            }
            Source::Stdin => PathBuf::from("stdin"),
        };
        input.elsewhere = selection.shard.is_some_and(|shard| !shard.takes(&input.relative));
    }
    Ok(inputs)
}

fn stdin_twice() -> Diagnostic {
    Diagnostic::new("usage::stdin-twice", "stdin (-) can be read once only")
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    let found = file.extension().and_then(|extension| extension.to_str());
    found.is_some_and(|found| extensions.iter().any(|extension| found.eq_ignore_ascii_case(extension)))
}

/// The files below a folder that are wanted, sorted by path, and what could not be searched.
fn search(folder: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<Source> {
    let mut found = Vec::new();
    for entry in WalkDir::new(folder).follow_links(true).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_file() && wanted(entry.path()) => {
                found.push(Source::File(entry.into_path()));
            }
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(folder).to_owned();
                let trouble = match error.io_error() {
                    Some(io) => Diagnostic::io("search", &path, io),
                    None => Diagnostic::new(
                        "io::link-loop",
                        format!("'{}' is a link to a folder above it; it was not followed", path.display()),
                    ),
                };
                found.push(Source::Unreadable(path, Box::new(trouble)));
            }
        }
    }
    found
}

fn read_list(list: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    let mut text = Vec::new();
    let read = match list.to_str() {
        Some("-") => std::io::stdin().lock().read_to_end(&mut text),
        _ => std::fs::File::open(list).and_then(|mut file| file.read_to_end(&mut text)),
    };
    read.map_err(|error| Diagnostic::io("read the list", list, &error))?;
    let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    Ok(lines.filter(|line| !line.is_empty()).map(path_of_bytes).collect())
}

fn is_glob(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[', '{'])
}

/// The folder that a glob starts in: everything before the first part with a wildcard.
fn literal_prefix(path: &Path) -> PathBuf {
    path.components().take_while(|part| !is_glob(Path::new(part.as_os_str()))).collect()
}

fn glob(pattern: &str) -> Result<globset::Glob, Diagnostic> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    GlobBuilder::new(pattern).literal_separator(true).build().map_err(|error| {
        Diagnostic::new("usage::glob", format!("'{pattern}' is not a glob: {}", error.kind()))
    })
}

/// `--include` and `--exclude`.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    include: Option<GlobSet>,
    exclude: GlobSet,
}

impl Filter {
    /// What matches one of `include`, or all where that is empty, but for what matches one of `exclude`.
    pub(crate) fn new(include: &[String], exclude: &[String]) -> Result<Filter, Diagnostic> {
        let set = |patterns: &[String]| -> Result<GlobSet, Diagnostic> {
            let mut set = GlobSetBuilder::new();
            for pattern in patterns {
                // Without a slash a pattern means the file name, in whatever folder.
                let anywhere = if pattern.contains('/') { pattern.clone() } else { format!("**/{pattern}") };
                set.add(glob(&anywhere)?);
            }
            set.build().map_err(|error| Diagnostic::new("usage::glob", error.to_string()))
        };
        let include = if include.is_empty() { None } else { Some(set(include)?) };
        Ok(Filter { include, exclude: set(exclude)? })
    }

    fn takes_all(&self) -> bool {
        self.include.is_none()
    }

    /// Whether a file is taken, by its path below the input.
    pub(crate) fn takes(&self, below: &Path) -> bool {
        self.include.as_ref().is_none_or(|set| set.is_match(below)) && !self.exclude.is_match(below)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Selection;

    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in ["b/2.bvh", "b/10.bvh", "a/walk.BVH", "a/notes.txt", "a/deep/run.amc", "a/deep/x.asf"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        folder
    }

    fn names(folder: &Path, arguments: &[&str], selection: Selection) -> Result<Vec<String>, &'static str> {
        let inputs = arguments.iter().map(|argument| folder.join(argument)).collect();
        let found = expand(&Inputs { inputs, selection }, MOTIONS);
        let name = |input: Input| input.relative.to_str().unwrap().to_owned();
        found.map(|found| found.into_iter().map(name).collect()).map_err(|error| error.code)
    }

    #[test]
    fn directories_give_motion_files_sorted_by_path() {
        let folder = tree();
        let found = names(folder.path(), &[""], Selection::default()).unwrap();
        assert_eq!(found, ["a/deep/run.amc", "a/walk.BVH", "b/10.bvh", "b/2.bvh"]);
        let found = names(folder.path(), &["b", "a/deep"], Selection::default()).unwrap();
        assert_eq!(found, ["b/10.bvh", "b/2.bvh", "a/deep/run.amc"]);
    }

    #[test]
    fn files_are_taken_as_named_and_mirrored_from_the_common_folder() {
        let folder = tree();
        let named = ["b/2.bvh", "a/notes.txt"];
        assert_eq!(names(folder.path(), &named, Selection::default()).unwrap(), named);
        assert_eq!(names(folder.path(), &named[..1], Selection::default()).unwrap(), ["2.bvh"]);
        assert_eq!(names(folder.path(), &["none.bvh"], Selection::default()).unwrap(), ["none.bvh"]);
    }

    #[test]
    fn globs_are_matched_where_the_shell_did_not() {
        let folder = tree();
        assert_eq!(
            names(folder.path(), &["*/*.bvh"], Selection::default()).unwrap(),
            ["b/10.bvh", "b/2.bvh"]
        );
        assert_eq!(names(folder.path(), &["**/*.a*"], Selection::default()).unwrap().len(), 2);
        assert_eq!(names(folder.path(), &["*.none"], Selection::default()), Err("usage::no-match"));
        assert_eq!(names(folder.path(), &["[.bvh"], Selection::default()), Err("usage::glob"));
    }

    #[test]
    fn include_and_exclude_filter_what_is_found() {
        let folder = tree();
        let with = |include: &[&str], exclude: &[&str]| {
            let own = |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.to_owned()).collect();
            let selection =
                Selection { include: own(include), exclude: own(exclude), ..Selection::default() };
            names(folder.path(), &[""], selection)
        };
        assert_eq!(with(&["*.bvh"], &["1*"]).unwrap(), ["b/2.bvh"]);
        assert_eq!(with(&["a/**"], &["*.txt"]).unwrap(), ["a/deep/run.amc", "a/deep/x.asf", "a/walk.BVH"]);
        assert_eq!(with(&[], &["*"]), Err("usage::no-input"));
    }
}
