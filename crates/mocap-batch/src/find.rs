//! Makes the list of inputs from names: directories are searched, globs matched, lists read.
//!
//! The list is in the order of the names; the content of a directory or glob is sorted by path.

use std::io::Read;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use crate::error::BatchError;
use crate::filter::{Filter, glob};
use crate::input::{Input, Source, split_part, with_part};
use crate::portable::path_of_bytes;
use crate::root;
use crate::shard::Shard;

/// Which files are inputs.
#[derive(Clone, Debug, Default)]
pub struct InputOptions {
    /// Files, directories (searched recursively), globs, or `-` for stdin.
    pub inputs: Vec<PathBuf>,
    /// Take only files that match one of these globs; all where it is empty.
    pub include: Vec<String>,
    /// Leave out files that match one of these globs.
    pub exclude: Vec<String>,
    /// A file with more inputs, one per line; `-` for stdin.
    pub files_from: Option<PathBuf>,
    /// Mark inputs that belong to another shard.
    pub shard: Option<Shard>,
}

/// Finds all inputs. Directories are searched for files with these extensions, in any case.
///
/// ```
/// use mocap_batch::{InputOptions, find_inputs};
///
/// let folder = tempfile::tempdir()?;
/// std::fs::create_dir(folder.path().join("a"))?;
/// std::fs::write(folder.path().join("a/walk.bvh"), "")?;
/// let options = InputOptions { inputs: vec![folder.path().into()], ..InputOptions::default() };
/// assert_eq!(find_inputs(&options, &["bvh"])?[0].relative, std::path::Path::new("a/walk.bvh"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Where a glob is malformed or matches nothing, the list cannot be read, stdin is named twice, or no input is found.
pub fn find_inputs(options: &InputOptions, extensions: &[&str]) -> Result<Vec<Input>, BatchError> {
    let mut named = options.inputs.clone();
    if let Some(list) = &options.files_from {
        if list == Path::new("-") && options.inputs.iter().any(|input| input == Path::new("-")) {
            return Err(BatchError::StdinTwice { list: true });
        }
        named.extend(read_list(list)?);
    }
    let filter = Filter::new(&options.include, &options.exclude)?;
    let mut search = Search { filter, extensions, inputs: Vec::new(), directories: Vec::new(), left_out: 0 };
    for path in &named {
        let (file, part) = split_part(path);
        if part.is_some() {
            search.add_file(&file);
            search.inputs.last_mut().into_iter().for_each(|input| input.part.clone_from(&part));
        } else if path == Path::new("-") {
            search.inputs.push(Input::new(Source::Stdin, false));
        } else if path.is_dir() {
            search.add_directory(path);
        } else if path.symlink_metadata().is_err() && is_glob(path) {
            search.add_glob(path)?;
        } else {
            search.add_file(path);
        }
    }
    let Search { mut inputs, directories, left_out, .. } = search;
    if inputs.iter().filter(|input| matches!(input.source, Source::Stdin)).count() > 1 {
        return Err(BatchError::StdinTwice { list: false });
    }
    if inputs.is_empty() {
        return Err(BatchError::NoInput {
            searched: named,
            extensions: extensions.iter().map(|&one| one.to_owned()).collect(),
            left_out,
        });
    }
    place(&mut inputs, &root::common(&directories), options.shard);
    Ok(inputs)
}

/// Sets the relative path and the shard of every input.
fn place(inputs: &mut [Input], common: &Path, shard: Option<Shard>) {
    for input in inputs {
        input.relative = match &input.source {
            Source::File(path) | Source::Unreadable(path, _) => {
                let path = root::absolute(path);
                path.strip_prefix(common).map_or(path.clone(), Path::to_owned)
            }
            Source::Stdin => PathBuf::from("stdin"),
        };
        if let Some(part) = &input.part {
            input.relative = with_part(&input.relative, part);
        }
        input.other_shard = shard.is_some_and(|shard| !shard.takes(&input.relative));
    }
}

/// The inputs found so far.
///
/// Files are counted by the extension that a directory is searched for, or because a name or glob takes them.
struct Search<'a> {
    filter: Filter,
    extensions: &'a [&'a str],
    inputs: Vec<Input>,
    /// Directories that were named, or that contain what was named.
    directories: Vec<PathBuf>,
    /// Files of these extensions that the filter left out.
    left_out: usize,
}

impl Search<'_> {
    fn add_directory(&mut self, directory: &Path) {
        self.directories.push(root::absolute(directory));
        // If there are include patterns, they decide instead of the extension.
        let any = !self.filter.takes_all();
        for source in files_below(directory, |file| any || has_extension(file, self.extensions)) {
            let below = |file: &Path| file.strip_prefix(directory).map(Path::to_owned).unwrap_or_default();
            match &source {
                Source::File(file) if !self.filter.takes(&below(file)) => {
                    self.left_out += usize::from(has_extension(file, self.extensions));
                }
                _ => self.inputs.push(Input::new(source, true)),
            }
        }
    }

    fn add_glob(&mut self, pattern: &Path) -> Result<(), BatchError> {
        let start = literal_prefix(pattern);
        self.directories.push(root::absolute(&start));
        let matcher = glob(&pattern.to_string_lossy())?.compile_matcher();
        let from = if start.as_os_str().is_empty() { Path::new(".") } else { &start };
        let mut any = false;
        for source in files_below(from, |file| matcher.is_match(file.strip_prefix("./").unwrap_or(file))) {
            any = true;
            let source = match source {
                Source::File(file) => {
                    Source::File(file.strip_prefix("./").map_or(file.clone(), Path::to_owned))
                }
                other => other,
            };
            match &source {
                Source::File(file) if !self.filter.takes(file.strip_prefix(&start).unwrap_or(file)) => {
                    self.left_out += 1;
                }
                _ => self.inputs.push(Input::new(source, true)),
            }
        }
        if any { Ok(()) } else { Err(BatchError::NoMatch(pattern.to_owned())) }
    }

    fn add_file(&mut self, file: &Path) {
        let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
        self.directories.push(root::absolute(parent.unwrap_or(Path::new("."))));
        if self.filter.takes(file.file_name().map_or(file, Path::new)) {
            self.inputs.push(Input::new(Source::File(file.to_owned()), false));
        } else {
            self.left_out += 1;
        }
    }
}

fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    let found = file.extension().and_then(|extension| extension.to_str());
    found.is_some_and(|found| extensions.iter().any(|extension| found.eq_ignore_ascii_case(extension)))
}

/// The wanted files below a directory, sorted by path, and the places that could not be searched.
fn files_below(directory: &Path, wanted: impl Fn(&Path) -> bool) -> Vec<Source> {
    let mut found = Vec::new();
    for entry in WalkDir::new(directory).follow_links(true).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_file() && wanted(entry.path()) => {
                found.push(Source::File(entry.into_path()));
            }
            Ok(_) => {}
            Err(error) => {
                let path = error.path().unwrap_or(directory).to_owned();
                let error = match error.io_error() {
                    Some(io) => BatchError::io("search", &path, io),
                    None => BatchError::LinkLoop(path.clone()),
                };
                found.push(Source::Unreadable(path, Box::new(error)));
            }
        }
    }
    found
}

fn read_list(list: &Path) -> Result<Vec<PathBuf>, BatchError> {
    let mut text = Vec::new();
    let read = match list.to_str() {
        Some("-") => std::io::stdin().lock().read_to_end(&mut text),
        _ => std::fs::File::open(list).and_then(|mut file| file.read_to_end(&mut text)),
    };
    read.map_err(|error| BatchError::io("read the list", list, &error))?;
    let lines = text.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
    Ok(lines.filter(|line| !line.is_empty()).map(path_of_bytes).collect())
}

fn is_glob(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '[', '{'])
}

/// The directory where a glob starts: everything before the first component with a wildcard.
fn literal_prefix(path: &Path) -> PathBuf {
    path.components().take_while(|part| !is_glob(Path::new(part.as_os_str()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOTIONS: &[&str] = &["bvh", "amc"];

    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in ["b/2.bvh", "b/10.bvh", "a/walk.BVH", "a/notes.txt", "a/deep/run.amc", "a/deep/x.asf"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "x").unwrap();
        }
        folder
    }

    fn names(folder: &Path, arguments: &[&str], options: InputOptions) -> Result<Vec<String>, &'static str> {
        let inputs = arguments.iter().map(|argument| folder.join(argument)).collect();
        let found = find_inputs(&InputOptions { inputs, ..options }, MOTIONS);
        let name = |input: Input| input.relative.to_str().unwrap().to_owned();
        found.map(|found| found.into_iter().map(name).collect()).map_err(|error| error.code())
    }

    #[test]
    fn directories_give_motion_files_sorted_by_path() {
        let folder = tree();
        let found = names(folder.path(), &[""], InputOptions::default()).unwrap();
        assert_eq!(found, ["a/deep/run.amc", "a/walk.BVH", "b/10.bvh", "b/2.bvh"]);
        let found = names(folder.path(), &["b", "a/deep"], InputOptions::default()).unwrap();
        assert_eq!(found, ["b/10.bvh", "b/2.bvh", "a/deep/run.amc"]);
    }

    #[test]
    fn files_are_taken_as_named_and_mirrored_from_the_common_folder() {
        let folder = tree();
        let named = ["b/2.bvh", "a/notes.txt"];
        assert_eq!(names(folder.path(), &named, InputOptions::default()).unwrap(), named);
        assert_eq!(names(folder.path(), &named[..1], InputOptions::default()).unwrap(), ["2.bvh"]);
        assert_eq!(names(folder.path(), &["none.bvh"], InputOptions::default()).unwrap(), ["none.bvh"]);
    }

    #[test]
    fn globs_are_matched_where_the_shell_did_not() {
        let folder = tree();
        assert_eq!(
            names(folder.path(), &["*/*.bvh"], InputOptions::default()).unwrap(),
            ["b/10.bvh", "b/2.bvh"]
        );
        assert_eq!(names(folder.path(), &["**/*.a*"], InputOptions::default()).unwrap().len(), 2);
        assert_eq!(names(folder.path(), &["*.none"], InputOptions::default()), Err("usage::no-match"));
        assert_eq!(names(folder.path(), &["[.bvh"], InputOptions::default()), Err("usage::glob"));
    }

    #[test]
    fn include_and_exclude_filter_what_is_found() {
        let folder = tree();
        let with = |include: &[&str], exclude: &[&str]| {
            let own = |patterns: &[&str]| patterns.iter().map(|&pattern| pattern.to_owned()).collect();
            let options =
                InputOptions { include: own(include), exclude: own(exclude), ..InputOptions::default() };
            names(folder.path(), &[""], options)
        };
        assert_eq!(with(&["*.bvh"], &["1*"]).unwrap(), ["b/2.bvh"]);
        assert_eq!(with(&["a/**"], &["*.txt"]).unwrap(), ["a/deep/run.amc", "a/deep/x.asf", "a/walk.BVH"]);
        assert_eq!(with(&[], &["*"]), Err("usage::no-input"));
    }
}
