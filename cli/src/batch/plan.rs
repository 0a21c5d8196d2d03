//! Which output each input gets, settled and checked before any work: nothing is written over an input, two
//! inputs never share an output, and what exists is replaced only on request.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::Input;
use super::collide::{Places, folded, folds_case};
use super::reads::{Reads, is_input};
use super::root;
use crate::args::Outputs;
use crate::diagnostic::Diagnostic;

/// An input and where its result goes.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) input: Input,
    pub(crate) destination: Destination,
    /// Files that are written along with the output.
    pub(crate) along: Vec<PathBuf>,
    /// Bytes of the input, where they are known.
    pub(crate) bytes: u64,
    /// What is odd about where its result goes.
    pub(crate) warning: Option<Diagnostic>,
}

/// Where a result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Nothing is written.
    Nowhere,
    Stdout,
    File {
        path: PathBuf,
        replace: bool,
    },
    /// The output is there already and is left alone.
    Exists(PathBuf),
}

/// How outputs are named.
pub(crate) struct Names<'a> {
    /// The name of the output of an input, below the mirrored tree.
    pub(crate) derive: &'a dyn Fn(&Input) -> Result<PathBuf, Diagnostic>,
    /// Files written along with an output.
    pub(crate) beside: &'a dyn Fn(&Path) -> Vec<PathBuf>,
    /// What is read beside the inputs.
    pub(crate) reads: Reads<'a>,
}

impl Job {
    /// A job that only reports.
    pub(crate) fn report(input: Input) -> Job {
        let destination = Destination::Nowhere;
        Job { bytes: size(&input), input, destination, along: Vec::new(), warning: None }
    }
}

/// Jobs that only report, one for each input of this shard.
pub(crate) fn reports(inputs: Vec<Input>) -> Vec<Job> {
    inputs.into_iter().filter(|input| !input.elsewhere).map(Job::report).collect()
}

fn size(input: &Input) -> u64 {
    input.path().and_then(|path| path.metadata().ok()).map_or(0, |data| data.len())
}

/// Gives every input its output.
///
/// # Errors
/// Where `-o` does not fit the inputs, outputs collide with each other or with inputs, or exist.
pub(crate) fn plan(inputs: Vec<Input>, outputs: &Outputs, names: &Names<'_>) -> Result<Vec<Job>, Diagnostic> {
    let (inputs, twice) = each_once(inputs);
    let many = inputs.len() > 1 || inputs.iter().any(|input| input.found);
    let paths = match &outputs.output {
        Some(path) if path == Path::new("-") => {
            let [input] = &inputs[..] else {
                let message = format!("{} inputs cannot all be written to stdout", inputs.len());
                return Err(Diagnostic::new("usage::output", message)
                    .help("name a directory with -o DIR/, or give one input"));
            };
            if let Some(beside) = (names.beside)(&input.relative).first() {
                let kind = beside.extension().unwrap_or_default().to_string_lossy().into_owned();
                let message = format!("an .{kind} file goes with the output, and stdout takes one file");
                return Err(Diagnostic::new("usage::output", message).help("name a file with -o"));
            }
            let job = inputs
                .into_iter()
                .map(|input| Job { destination: Destination::Stdout, ..Job::report(input) });
            return Ok(job.collect());
        }
        Some(path) if is_directory(path) => below(path, &inputs, names)?,
        Some(path) if many => {
            let message =
                format!("{} inputs cannot be written to one file '{}'", inputs.len(), path.display());
            return Err(Diagnostic::new("usage::output", message)
                .help(format!("end it in / to name a directory: -o {}/", path.display())));
        }
        Some(path) => vec![path.clone()],
        None if many => {
            return Err(Diagnostic::new("usage::output", "many inputs need a directory for their outputs")
                .help("name one with -o DIR/; it mirrors the tree of the inputs"));
        }
        None => {
            let name = (names.derive)(&inputs[0])?;
            vec![name.file_name().map_or(name.clone(), PathBuf::from)]
        }
    };
    let manifest = outputs.manifest.as_deref();
    let mut warnings = check_collisions(&inputs, &paths, manifest, names, folds_case)?;
    for (i, warning) in twice {
        warnings.entry(i).or_insert(warning);
    }
    // What exists under --resume, the manifest knows or refuses.
    if !outputs.overwrite && !outputs.skip_existing && !outputs.resume {
        let existing: Vec<bool> =
            paths.iter().map(|path| exists(path) || exists_beside(path, names)).collect();
        refuse_existing(&paths, &existing)?;
    }
    let job = |(i, (input, path)): (usize, (Input, PathBuf))| {
        let along = (names.beside)(&path);
        let destination = match outputs.skip_existing && exists(&path) {
            true => Destination::Exists(path),
            // What stands beside an output that is not there is left from a run that did not finish.
            false => {
                let left = outputs.skip_existing && exists_beside(&path, names);
                let replace = outputs.overwrite || outputs.resume || left;
                Destination::File { path, replace }
            }
        };
        Job { destination, along, warning: warnings.remove(&i), ..Job::report(input) }
    };
    // Collisions between shards are found in each of them.
    let all = inputs.into_iter().zip(paths).enumerate();
    Ok(all.filter(|(_, (input, _))| !input.elsewhere).map(job).collect())
}

/// A path that ends in a separator, or a directory that is there.
pub(crate) fn is_directory(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    text.last().is_some_and(|&byte| std::path::is_separator(byte as char)) || path.is_dir()
}

fn below(folder: &Path, inputs: &[Input], names: &Names<'_>) -> Result<Vec<PathBuf>, Diagnostic> {
    inputs.iter().map(|input| Ok(folder.join((names.derive)(input)?))).collect()
}

/// A device or pipe is written to as it is: it is nothing that could be lost.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_file() || data.is_dir() || data.is_symlink())
}

fn exists_beside(path: &Path, names: &Names<'_>) -> bool {
    (names.beside)(path).iter().any(|beside| exists(beside))
}

/// Takes files that are given several times once; gives warnings about them.
fn each_once(inputs: Vec<Input>) -> (Vec<Input>, BTreeMap<usize, Diagnostic>) {
    let mut seen: HashMap<PathBuf, usize> = HashMap::new();
    let (mut kept, mut warnings) = (Vec::with_capacity(inputs.len()), BTreeMap::new());
    for input in inputs {
        match input.path().map(|path| seen.entry(root::absolute(path))) {
            Some(Entry::Occupied(first)) => {
                let message = "the input is given more than once, and is taken once";
                warnings.insert(*first.get(), Diagnostic::new("batch::given-twice", message));
                continue;
            }
            Some(Entry::Vacant(place)) => drop(place.insert(kept.len())),
            None => {}
        }
        kept.push(input);
    }
    (kept, warnings)
}

/// Refuses outputs that are inputs or each other; gives warnings about outputs that are the same to some file systems.
fn check_collisions(
    inputs: &[Input],
    paths: &[PathBuf],
    manifest: Option<&Path>,
    names: &Names<'_>,
    folds_case: impl Fn(&Path) -> bool,
) -> Result<BTreeMap<usize, Diagnostic>, Diagnostic> {
    let mut places = Places::default();
    let outputs: Vec<Vec<(PathBuf, PathBuf)>> = paths
        .iter()
        .map(|path| {
            let all = std::iter::once(path.clone()).chain((names.beside)(path));
            all.map(|output| (places.of(&output), output)).collect()
        })
        .collect();
    let manifest = manifest.map(|path| (places.of(path), path));
    let all: Vec<PathBuf> = outputs
        .iter()
        .flatten()
        .map(|(place, _)| place.clone())
        .chain(manifest.iter().map(|(place, _)| place.clone()))
        .collect();
    let read = names.reads.places(inputs, &all, &mut places);
    if let Some((place, path)) = &manifest {
        if let Some(name) = read.get(place) {
            return Err(is_input(name).help("name another file with --manifest"));
        }
        if outputs.iter().flatten().any(|(output, _)| output == place) {
            let message = format!("'{}' would be both the manifest and an output", path.display());
            return Err(
                Diagnostic::new("usage::output-collision", message).help("name another file with --manifest")
            );
        }
    }
    let mut written: BTreeMap<PathBuf, usize> = BTreeMap::new();
    let mut letters: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    let mut warnings = BTreeMap::new();
    for (i, outputs) in outputs.into_iter().enumerate() {
        for (same, output) in outputs {
            if let Some(name) = read.get(&same) {
                return Err(is_input(name).help("name another output with -o"));
            }
            let twin = letters.insert(folded(&same), i);
            if let Some(other) = written.insert(same, i) {
                // An .asf that two motions of one folder would both bring along is a collision, too.
                let (one, two) = (inputs[other].shown(), inputs[i].shown());
                let message = format!("'{one}' and '{two}' would both be written to '{}'", output.display());
                return Err(Diagnostic::new("usage::output-collision", message)
                    .help("convert them in separate runs, or leave one out with --exclude"));
            }
            if let Some(other) = twin {
                let (one, two) = (inputs[other].shown(), inputs[i].shown());
                if folds_case(&output) {
                    let message = format!(
                        "'{one}' and '{two}' would both be written to '{}': this file system takes small and capital \
                         letters for the same",
                        output.display()
                    );
                    return Err(Diagnostic::new("usage::output-collision", message)
                        .help("convert them in separate runs, or leave one out with --exclude"));
                }
                let message = format!(
                    "the output differs from that of '{one}' only in small and capital letters: Windows and macOS \
                     take both for one file"
                );
                warnings.insert(i, Diagnostic::new("batch::case-twin", message));
            }
        }
    }
    Ok(warnings)
}

fn refuse_existing(paths: &[PathBuf], existing: &[bool]) -> Result<(), Diagnostic> {
    let there: Vec<&PathBuf> =
        paths.iter().zip(existing).filter(|(_, exists)| **exists).map(|(path, _)| path).collect();
    let Some(first) = there.first() else { return Ok(()) };
    let message = match there.len() {
        1 => format!("'{}' exists already", first.display()),
        many => {
            format!("{many} of {} outputs exist already, the first is '{}'", paths.len(), first.display())
        }
    };
    Err(Diagnostic::new("usage::output-exists", message)
        .help("--overwrite replaces what exists, --skip-existing leaves it and its input alone"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Source;

    fn input(folder: &Path, relative: &str) -> Input {
        let path = folder.join(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "x").unwrap();
        Input { relative: relative.into(), ..Input::new(Source::File(path), true) }
    }

    fn outputs(output: Option<PathBuf>) -> Outputs {
        Outputs { output, ..Outputs::default() }
    }

    fn to_csv(input: &Input) -> Result<PathBuf, Diagnostic> {
        Ok(input.relative.with_extension("csv"))
    }

    const NAMES: Names<'static> = Names { derive: &to_csv, beside: &|_| Vec::new(), reads: Reads::NONE };

    fn planned(inputs: Vec<Input>, outputs: &Outputs) -> Result<Vec<Destination>, &'static str> {
        let jobs = plan(inputs, outputs, &NAMES).map_err(|error| error.code)?;
        Ok(jobs.into_iter().map(|job| job.destination).collect())
    }

    fn file(path: PathBuf) -> Destination {
        Destination::File { path, replace: false }
    }

    #[test]
    fn a_directory_mirrors_the_tree() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = vec![input(folder.path(), "a/1.bvh"), input(folder.path(), "b/1.bvh")];
        let out = folder.path().join("out/");
        let expected = vec![file(out.join("a/1.csv")), file(out.join("b/1.csv"))];
        assert_eq!(planned(inputs, &outputs(Some(out))), Ok(expected));
    }

    #[test]
    fn one_input_goes_to_a_file_or_beside_the_user() {
        let folder = tempfile::tempdir().unwrap();
        let one = Input { found: false, ..input(folder.path(), "a/1.bvh") };
        let name = folder.path().join("x.csv");
        assert_eq!(planned(vec![one.clone()], &outputs(Some(name.clone()))), Ok(vec![file(name)]));
        assert_eq!(planned(vec![one.clone()], &outputs(None)), Ok(vec![file("1.csv".into())]));
        assert_eq!(planned(vec![one], &outputs(Some("-".into()))), Ok(vec![Destination::Stdout]));
    }

    #[test]
    fn what_would_lose_data_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let two = || vec![input(folder.path(), "1.bvh"), input(folder.path(), "1.amc")];
        assert_eq!(planned(two(), &outputs(Some(at("out/")))), Err("usage::output-collision"));
        assert_eq!(planned(two(), &outputs(Some(at("all.csv")))), Err("usage::output"));
        assert_eq!(planned(two(), &outputs(Some("-".into()))), Err("usage::output"));
        assert_eq!(planned(two(), &outputs(None)), Err("usage::output"));
        // The manifest is written to as well.
        for (manifest, code) in
            [("1.bvh", "usage::output-is-input"), ("out/1.csv", "usage::output-collision")]
        {
            let named =
                Outputs { manifest: Some(at(manifest)), overwrite: true, ..outputs(Some(at("out/"))) };
            assert_eq!(planned(vec![input(folder.path(), "1.bvh")], &named), Err(code));
        }

        let one = || vec![Input { found: false, ..input(folder.path(), "1.bvh") }];
        let onto_input = Outputs { overwrite: true, ..outputs(Some(at("./1.bvh"))) };
        assert_eq!(planned(one(), &onto_input), Err("usage::output-is-input"));

        std::fs::write(at("1.csv"), "old").unwrap();
        let existing = outputs(Some(at("1.csv")));
        assert_eq!(planned(one(), &existing), Err("usage::output-exists"));
        let skip = Outputs { skip_existing: true, ..existing.clone() };
        assert_eq!(planned(one(), &skip), Ok(vec![Destination::Exists(at("1.csv"))]));
        let overwrite = Outputs { overwrite: true, ..existing };
        let replaced = Destination::File { path: at("1.csv"), replace: true };
        assert_eq!(planned(one(), &overwrite), Ok(vec![replaced]));
    }

    #[test]
    fn a_file_that_is_given_twice_is_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        let one = || Input { found: false, ..input(folder.path(), "1.bvh") };
        let two = Input { found: false, ..input(folder.path(), "2.bvh") };
        let again = Input { relative: "1.bvh".into(), ..Input::named(&folder.path().join("./x/../1.bvh")) };
        let out = outputs(Some(folder.path().join("out/")));
        let jobs = plan(vec![one(), two, one(), again.clone()], &out, &NAMES).unwrap();
        let codes = |jobs: &[Job]| -> Vec<_> {
            jobs.iter().map(|job| job.warning.as_ref().map(|warning| warning.code)).collect()
        };
        assert_eq!(codes(&jobs), [Some("batch::given-twice"), None]);
        let name = folder.path().join("x.csv");
        assert_eq!(planned(vec![one(), again], &outputs(Some(name.clone()))), Ok(vec![file(name)]));
    }

    #[test]
    fn an_output_is_skipped_only_where_it_is_there_itself() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let names = Names { beside: &|path| vec![path.with_extension("asf")], ..NAMES };
        let planned = |outputs: &Outputs| {
            let input = Input { found: false, ..input(folder.path(), "1.bvh") };
            plan(vec![input], outputs, &names)
                .map(|jobs| jobs[0].destination.clone())
                .map_err(|error| error.code)
        };
        let named = outputs(Some(at("1.amc")));
        let skip = Outputs { skip_existing: true, ..named.clone() };
        assert_eq!(planned(&skip), Ok(file(at("1.amc"))));
        std::fs::write(at("1.asf"), "old").unwrap();
        assert_eq!(planned(&named), Err("usage::output-exists"));
        assert_eq!(planned(&skip), Ok(Destination::File { path: at("1.amc"), replace: true }));
        std::fs::write(at("1.amc"), "old").unwrap();
        assert_eq!(planned(&skip), Ok(Destination::Exists(at("1.amc"))));
        // Two files do not fit into one stream.
        assert_eq!(planned(&outputs(Some("-".into()))), Err("usage::output"));
    }

    #[test]
    fn outputs_that_differ_in_letters_alone_are_one_file_to_some_file_systems() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = [input(folder.path(), "a/Walk.bvh"), input(folder.path(), "b/walk.bvh")];
        let paths = [folder.path().join("out/Walk.csv"), folder.path().join("out/walk.csv")];
        let check = |folds: bool| check_collisions(&inputs, &paths, None, &NAMES, |_| folds);
        assert_eq!(check(true).unwrap_err().code, "usage::output-collision");
        let warnings = check(false).unwrap();
        assert_eq!((warnings.len(), warnings[&1].code), (1, "batch::case-twin"));
    }
}
