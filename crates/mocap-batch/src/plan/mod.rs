//! Plans the output of each input before any work: no input is overwritten, two inputs never share an output, and
//! existing outputs are replaced only on request.

mod collisions;
mod places;
mod read_files;

pub use read_files::{Companions, ReadFiles};

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::error::BatchError;
use crate::input::Input;
use crate::root;
use collisions::check_collisions;
use places::folds_case;

/// An input and where its result goes.
#[derive(Clone, Debug)]
pub struct Job {
    /// The input.
    pub input: Input,
    /// Where the result goes.
    pub destination: Destination,
    /// Files that are written along with the output.
    pub companions: Vec<PathBuf>,
    /// The size of the input (bytes); 0 where it is not known.
    pub bytes: u64,
    /// A warning about the plan of this job.
    pub warning: Option<PlanWarning>,
}

/// Where a result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// Nothing is written.
    Nowhere,
    /// The standard output of the process.
    Stdout,
    /// A file.
    File {
        /// The output.
        path: PathBuf,
        /// Whether an existing file is replaced.
        replace: bool,
    },
    /// The output exists and is kept.
    Exists(PathBuf),
}

/// A warning about the plan of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanWarning {
    /// The input is given more than once.
    GivenTwice,
    /// The output differs only in case from that of this other input.
    CaseTwin(String),
    /// The output keeps the extension of its input in its name.
    KeepsExtension,
}

impl PlanWarning {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            PlanWarning::GivenTwice => "batch::given-twice",
            PlanWarning::CaseTwin(_) => "batch::case-twin",
            PlanWarning::KeepsExtension => "batch::same-name",
        }
    }
}

impl fmt::Display for PlanWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlanWarning::GivenTwice => f.write_str("the input is given more than once; it is used once"),
            PlanWarning::CaseTwin(other) => write!(
                f,
                "the output differs from that of '{other}' only in case: Windows and macOS treat both as one file"
            ),
            PlanWarning::KeepsExtension => f.write_str(
                "the output keeps the extension in its name: another input differs only in its extension",
            ),
        }
    }
}

/// Where results go, and what happens to existing outputs.
#[derive(Clone, Debug, Default)]
pub struct OutputOptions {
    /// A file, a directory (ends in `/` or exists) that mirrors the tree of the inputs, or `-` for stdout; `None`: a
    /// file in the current directory, for one input.
    pub output: Option<PathBuf>,
    /// Replace existing outputs.
    pub overwrite: bool,
    /// Keep existing outputs and skip their inputs.
    pub skip_existing: bool,
    /// Continue an earlier run: its manifest decides about existing outputs.
    pub resume: bool,
    /// The manifest, where the user names one: it must not be an input or output.
    pub manifest: Option<PathBuf>,
}

/// How outputs are named, and which files must not be overwritten.
pub struct Naming<'a> {
    /// The output of an input, below the mirrored tree, by its [`Input::output_name`]; `None` where nothing is written
    /// for it.
    pub derive: &'a dyn Fn(&Input) -> Option<PathBuf>,
    /// Files written along with an output.
    pub companions: &'a dyn Fn(&Path) -> Vec<PathBuf>,
    /// What is read beside the inputs.
    pub reads: ReadFiles<'a>,
}

impl Job {
    /// A job that only reports.
    pub fn report(input: Input) -> Job {
        let bytes = input.path().and_then(|path| path.metadata().ok()).map_or(0, |data| data.len());
        Job { bytes, input, destination: Destination::Nowhere, companions: Vec::new(), warning: None }
    }
}

/// Jobs that only report: one for each input of this shard.
///
/// ```
/// use mocap_batch::{Destination, Input, report_jobs};
///
/// let jobs = report_jobs(vec![Input::named("walk.bvh".as_ref())]);
/// assert!(matches!(jobs[0].destination, Destination::Nowhere));
/// ```
pub fn report_jobs(inputs: Vec<Input>) -> Vec<Job> {
    inputs.into_iter().filter(|input| !input.other_shard).map(Job::report).collect()
}

/// Gives every input of this shard its output. Inputs of other shards count for collisions, which every shard finds.
///
/// ```
/// use mocap_batch::{Destination, Input, Naming, OutputOptions, ReadFiles, plan_outputs};
///
/// let options = OutputOptions { output: Some("copies/".into()), ..OutputOptions::default() };
/// let derive = |input: &Input| Some(input.output_name().with_extension("csv"));
/// let naming = Naming { derive: &derive, companions: &|_| Vec::new(), reads: ReadFiles::NONE };
/// let jobs = plan_outputs(vec![Input::named("walk.bvh".as_ref())], &options, &naming)?;
/// let Destination::File { path, .. } = &jobs[0].destination else { unreachable!() };
/// assert!(path.ends_with("copies/walk.csv"));
/// # Ok::<(), mocap_batch::BatchError>(())
/// ```
///
/// # Errors
/// Where the output does not fit the inputs, outputs collide with each other or with inputs, or exist.
pub fn plan_outputs(
    inputs: Vec<Input>,
    options: &OutputOptions,
    naming: &Naming<'_>,
) -> Result<Vec<Job>, BatchError> {
    let (mut inputs, twice) = each_once(inputs);
    if options.output.as_deref() == Some(Path::new("-")) {
        return to_stdout(inputs, naming);
    }
    keep_extensions(&mut inputs, naming.derive);
    let paths = output_paths(&inputs, options.output.as_deref(), naming)?;
    let manifest = options.manifest.as_deref();
    let mut warnings = check_collisions(&inputs, &paths, manifest, naming, folds_case)?;
    let kept = inputs.iter().enumerate().filter(|(_, input)| input.keeps_extension);
    let renamed: Vec<_> = kept.map(|(i, _)| (i, PlanWarning::KeepsExtension)).collect();
    for (i, warning) in twice.into_iter().map(|i| (i, PlanWarning::GivenTwice)).chain(renamed) {
        warnings.entry(i).or_insert(warning);
    }
    // With `resume`, the manifest accepts or refuses existing outputs.
    if !options.overwrite && !options.skip_existing && !options.resume {
        // Outputs of other shards may exist: each machine writes its own.
        let own = inputs.iter().zip(&paths).filter(|(input, _)| !input.other_shard);
        refuse_existing(own.map(|(_, path)| path), naming)?;
    }
    let job = |(i, (input, path)): (usize, (Input, PathBuf))| {
        let companions = (naming.companions)(&path);
        let destination = match options.skip_existing && exists(&path) {
            true => Destination::Exists(path),
            // A companion without its output is left from a run that did not finish.
            false => {
                let left = options.skip_existing && companion_exists(&path, naming);
                let replace = options.overwrite || options.resume || left;
                Destination::File { path, replace }
            }
        };
        Job { destination, companions, warning: warnings.remove(&i), ..Job::report(input) }
    };
    let all = inputs.into_iter().zip(paths).enumerate();
    Ok(all.filter(|(_, (input, _))| !input.other_shard).map(job).collect())
}

/// Marks inputs whose outputs would be equal because they differ only in their extension: they keep it in the
/// names of their outputs. All of them are marked, so names do not depend on the order of inputs.
pub fn keep_extensions(inputs: &mut [Input], derive: &dyn Fn(&Input) -> Option<PathBuf>) {
    let mut same: HashMap<PathBuf, Vec<usize>> = HashMap::new();
    for (i, input) in inputs.iter().enumerate() {
        if let Some(output) = derive(input) {
            same.entry(output).or_default().push(i);
        }
    }
    for group in same.into_values().filter(|group| group.len() > 1) {
        let extensions: HashSet<_> = group
            .iter()
            .filter_map(|i| inputs[*i].relative.extension().map(OsStr::to_ascii_lowercase))
            .collect();
        if extensions.len() == group.len() {
            group.into_iter().for_each(|i| inputs[i].keeps_extension = true);
        }
    }
}

/// The only job, with stdout as its output.
fn to_stdout(inputs: Vec<Input>, naming: &Naming<'_>) -> Result<Vec<Job>, BatchError> {
    let [input] = &inputs[..] else { return Err(BatchError::ManyToStdout(inputs.len())) };
    if let Some(companion) = (naming.companions)(&input.relative).first() {
        let extension = companion.extension().unwrap_or_default().to_string_lossy().into_owned();
        return Err(BatchError::CompanionToStdout { extension });
    }
    let job = |input| Job { destination: Destination::Stdout, ..Job::report(input) };
    Ok(inputs.into_iter().map(job).collect())
}

/// The output of every input.
fn output_paths(
    inputs: &[Input],
    output: Option<&Path>,
    naming: &Naming<'_>,
) -> Result<Vec<PathBuf>, BatchError> {
    let many = inputs.len() > 1 || inputs.iter().any(|input| input.found);
    let derived = |input: &Input| (naming.derive)(input).ok_or_else(|| BatchError::NoOutput(input.shown()));
    match output {
        Some(directory) if is_directory(directory) => {
            inputs.iter().map(|input| Ok(directory.join(derived(input)?))).collect()
        }
        Some(path) if many => Err(BatchError::ManyToOneFile { inputs: inputs.len(), path: path.to_owned() }),
        Some(path) => Ok(vec![path.to_owned()]),
        None if many => Err(BatchError::NoOutputDirectory),
        None => {
            let name = derived(&inputs[0])?;
            Ok(vec![name.file_name().map_or(name.clone(), PathBuf::from)])
        }
    }
}

/// Whether a path ends in a separator, or is an existing directory.
///
/// ```
/// assert!(mocap_batch::is_directory("new/".as_ref()) && !mocap_batch::is_directory("new".as_ref()));
/// ```
pub fn is_directory(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    text.last().is_some_and(|&byte| std::path::is_separator(byte as char)) || path.is_dir()
}

/// Whether writing to a path would replace a file; devices and pipes hold nothing to lose.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|data| data.is_file() || data.is_dir() || data.is_symlink())
}

fn companion_exists(path: &Path, naming: &Naming<'_>) -> bool {
    (naming.companions)(path).iter().any(|companion| exists(companion))
}

/// Removes duplicates, and returns the inputs that were given more than once.
fn each_once(inputs: Vec<Input>) -> (Vec<Input>, Vec<usize>) {
    let mut seen: HashMap<(PathBuf, Option<String>), usize> = HashMap::new();
    let (mut kept, mut twice) = (Vec::with_capacity(inputs.len()), Vec::new());
    for input in inputs {
        match input.path().map(|path| seen.entry((root::absolute(path), input.part.clone()))) {
            Some(Entry::Occupied(first)) => {
                twice.push(*first.get());
                continue;
            }
            Some(Entry::Vacant(place)) => drop(place.insert(kept.len())),
            None => {}
        }
        kept.push(input);
    }
    (kept, twice)
}

fn refuse_existing<'a>(
    paths: impl Iterator<Item = &'a PathBuf>,
    naming: &Naming<'_>,
) -> Result<(), BatchError> {
    let paths: Vec<&PathBuf> = paths.collect();
    let files = |path: &PathBuf| std::iter::once(path.clone()).chain((naming.companions)(path));
    let mut existing = paths.iter().filter_map(|path| files(path).find(|file| exists(file)));
    let Some(first) = existing.next() else { return Ok(()) };
    Err(BatchError::OutputsExist { count: 1 + existing.count(), of: paths.len(), first })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Source;

    fn input(folder: &Path, relative: &str) -> Input {
        let path = folder.join(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, "x").unwrap();
        Input { relative: relative.into(), ..Input::new(Source::File(path), true) }
    }

    fn outputs(output: Option<PathBuf>) -> OutputOptions {
        OutputOptions { output, ..OutputOptions::default() }
    }

    fn to_csv(input: &Input) -> Option<PathBuf> {
        Some(input.output_name().with_extension("csv"))
    }

    const NAMES: Naming<'static> =
        Naming { derive: &to_csv, companions: &|_| Vec::new(), reads: ReadFiles::NONE };

    fn planned(inputs: Vec<Input>, outputs: &OutputOptions) -> Result<Vec<Destination>, &'static str> {
        let jobs = plan_outputs(inputs, outputs, &NAMES).map_err(|error| error.code())?;
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
    fn inputs_that_differ_in_their_extension_keep_it() {
        let folder = tempfile::tempdir().unwrap();
        let names = ["a/1.amc", "a/1.bvh", "a/2.bvh", "b/1.bvh"];
        let out = folder.path().join("out/");
        let planned = |order: [usize; 4]| {
            let inputs = order.map(|at| input(folder.path(), names[at])).to_vec();
            plan_outputs(inputs, &outputs(Some(out.clone())), &NAMES).unwrap()
        };
        let jobs = planned([0, 1, 2, 3]);
        let expected = ["a/1.amc.csv", "a/1.bvh.csv", "a/2.csv", "b/1.csv"];
        for (job, expected) in jobs.iter().zip(expected) {
            assert_eq!(job.destination, file(out.join(expected)));
            let kept = expected.starts_with("a/1").then_some(PlanWarning::KeepsExtension);
            assert_eq!(job.warning, kept);
        }
        assert_eq!(planned([3, 1, 0, 2])[1].destination, jobs[1].destination);
        // The same name twice, from two folders, is still refused.
        let twins = vec![input(folder.path(), "a/1.bvh"), input(&folder.path().join("c"), "a/1.bvh")];
        assert_eq!(
            super::plan_outputs(twins, &outputs(Some(out)), &NAMES).unwrap_err().code(),
            "usage::output-collision"
        );
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
        let two = || {
            let again = Input { relative: "1.bvh".into(), ..input(folder.path(), "again/1.bvh") };
            vec![input(folder.path(), "1.bvh"), again]
        };
        assert_eq!(planned(two(), &outputs(Some(at("out/")))), Err("usage::output-collision"));
        assert_eq!(planned(two(), &outputs(Some(at("all.csv")))), Err("usage::output"));
        assert_eq!(planned(two(), &outputs(Some("-".into()))), Err("usage::output"));
        assert_eq!(planned(two(), &outputs(None)), Err("usage::output"));
        // The manifest is written to as well.
        for (manifest, code) in
            [("1.bvh", "usage::output-is-input"), ("out/1.csv", "usage::output-collision")]
        {
            let named =
                OutputOptions { manifest: Some(at(manifest)), overwrite: true, ..outputs(Some(at("out/"))) };
            assert_eq!(planned(vec![input(folder.path(), "1.bvh")], &named), Err(code));
        }

        let one = || vec![Input { found: false, ..input(folder.path(), "1.bvh") }];
        let onto_input = OutputOptions { overwrite: true, ..outputs(Some(at("./1.bvh"))) };
        assert_eq!(planned(one(), &onto_input), Err("usage::output-is-input"));

        std::fs::write(at("1.csv"), "old").unwrap();
        let existing = outputs(Some(at("1.csv")));
        assert_eq!(planned(one(), &existing), Err("usage::output-exists"));
        let skip = OutputOptions { skip_existing: true, ..existing.clone() };
        assert_eq!(planned(one(), &skip), Ok(vec![Destination::Exists(at("1.csv"))]));
        let overwrite = OutputOptions { overwrite: true, ..existing };
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
        let jobs = plan_outputs(vec![one(), two, one(), again.clone()], &out, &NAMES).unwrap();
        let codes = |jobs: &[Job]| -> Vec<_> {
            jobs.iter().map(|job| job.warning.as_ref().map(|warning| warning.code())).collect()
        };
        assert_eq!(codes(&jobs), [Some("batch::given-twice"), None]);
        let name = folder.path().join("x.csv");
        assert_eq!(planned(vec![one(), again], &outputs(Some(name.clone()))), Ok(vec![file(name)]));
    }

    #[test]
    fn an_output_is_skipped_only_where_it_is_there_itself() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let names = Naming { companions: &|path| vec![path.with_extension("asf")], ..NAMES };
        let planned = |outputs: &OutputOptions| {
            let input = Input { found: false, ..input(folder.path(), "1.bvh") };
            plan_outputs(vec![input], outputs, &names)
                .map(|jobs| jobs[0].destination.clone())
                .map_err(|error| error.code())
        };
        let named = outputs(Some(at("1.amc")));
        let skip = OutputOptions { skip_existing: true, ..named.clone() };
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
    fn outputs_that_differ_only_in_case_are_one_file_to_some_file_systems() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = [input(folder.path(), "a/Walk.bvh"), input(folder.path(), "b/walk.bvh")];
        let paths = [folder.path().join("out/Walk.csv"), folder.path().join("out/walk.csv")];
        let check = |folds: bool| check_collisions(&inputs, &paths, None, &NAMES, |_| folds);
        assert_eq!(check(true).unwrap_err().code(), "usage::output-collision");
        let warnings = check(false).unwrap();
        assert_eq!((warnings.len(), warnings[&1].code()), (1, "batch::case-twin"));
    }
}
