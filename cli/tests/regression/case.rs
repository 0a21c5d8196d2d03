//! The lists of commands, and how they run: each case in its folder, cases on all cores.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use crate::digest::{File, Rows};
use crate::record::{Seen, Step};

/// A name and lines that run in turn in one folder: `mocap ARGUMENTS [< IN] [> OUT]`, perhaps behind `NAME=VALUE`s of the
/// environment; `cp FROM TO`; `rm FILE`.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) lines: Vec<String>,
}

/// A list: `[name]`, and lines of the case below it. Blank lines and lines with `#` are comments.
pub(crate) fn parse(list: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in list.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(name) => cases.push(Case { name: name.to_owned(), lines: Vec::new() }),
            None => cases.last_mut().expect("a name comes first").lines.push(line.to_owned()),
        }
    }
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert_eq!(names.len(), cases.len(), "two cases have one name");
    cases
}

/// Whether a line runs `mocap`.
pub(crate) fn is_command(line: &str) -> bool {
    !line.starts_with("cp ") && !line.starts_with("rm ")
}

/// Runs all cases of a list on all cores.
pub(crate) fn run_all(list: &str, cases: &[Case], roots: &[PathBuf]) -> BTreeMap<String, Seen> {
    let next = Mutex::new(cases.iter());
    let seen = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(case) = next.lock().unwrap().next() else { return };
                    let outcome = run(list, case, roots);
                    seen.lock().unwrap().insert(case.name.clone(), outcome);
                }
            });
        }
    });
    seen.into_inner().unwrap()
}

fn run(list: &str, case: &Case, roots: &[PathBuf]) -> Seen {
    let temporary = tempfile::tempdir().unwrap();
    let folder = match std::env::var_os("MOCAP_REGRESSION_KEEP") {
        Some(keep) => Path::new(&keep).join(list).join(&case.name),
        None => temporary.path().to_owned(),
    };
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    std::fs::create_dir_all(&folder).unwrap();
    let mut steps = Vec::new();
    for line in &case.lines {
        let mut words: Vec<&str> = line.split_whitespace().collect();
        words.iter().for_each(|word| provide(word, roots, &folder));
        match words[..] {
            ["cp", from, to] => copy(&folder.join(from), &folder.join(to)),
            ["rm", file] => std::fs::remove_file(folder.join(file)).unwrap(),
            _ => steps.push(mocap(&mut words, &folder)),
        }
    }
    let given: BTreeSet<String> = inputs(case, roots, &folder);
    let mut files = BTreeMap::new();
    for name in below(&folder).into_iter().filter(|name| !given.contains(name)) {
        let bytes = std::fs::read(folder.join(&name)).unwrap();
        files.insert(name.clone(), File::of(&name, &bytes));
    }
    Seen { steps, files }
}

/// One run of the program.
fn mocap(words: &mut Vec<&str>, folder: &Path) -> Step {
    let mut redirect = |sign: &str| {
        let at = words.iter().position(|word| *word == sign)?;
        Some(folder.join(words.drain(at..at + 2).nth(1).expect("a file")))
    };
    let (input, output) = (redirect("<"), redirect(">"));
    let program = words.iter().position(|word| *word == "mocap").expect("mocap, cp or rm");
    let binary =
        std::env::var_os("MOCAP_REGRESSION_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_mocap").into());
    let environment = words[..program].iter().map(|word| word.split_once('=').expect("NAME=VALUE"));
    let ran = Command::new(binary)
        .current_dir(folder)
        .env_clear()
        .envs(environment)
        .args(&words[program + 1..])
        .stdin(input.map_or_else(Stdio::null, |path| std::fs::File::open(path).unwrap().into()))
        .output()
        .unwrap();
    if let Some(output) = output {
        std::fs::write(output, &ran.stdout).unwrap();
    }
    let stdout = String::from_utf8_lossy(&ran.stdout);
    let draws = words.get(program + 1).is_some_and(|verb| ["view", "sheet", "plot"].contains(verb));
    let rows_of = if draws { Rows::of_drawn } else { Rows::of };
    let rows = words.contains(&"--json").then(|| rows_of(&stdout));
    Step { code: ran.status.code().unwrap_or(-1), rows }
}

/// Copies what a word names from the first root that has it: a file (for a motion of Acclaim with the skeletons beside
/// it), a folder, or the folder of a glob.
fn provide(word: &str, roots: &[PathBuf], folder: &Path) {
    let word = word.rsplit_once('=').map_or(word, |(_, value)| value);
    let path = word.split('*').next().unwrap_or_default();
    let path = if path == word { word } else { path.rsplit_once('/').map_or("", |(folder, _)| folder) };
    if !word.contains('/') || path.is_empty() || folder.join(path).exists() {
        return;
    }
    let Some(source) = roots.iter().map(|root| root.join(path)).find(|source| source.exists()) else {
        return;
    };
    copy(&source, &folder.join(path));
    if path.ends_with(".amc") {
        for beside in source.parent().unwrap().read_dir().unwrap().map(|entry| entry.unwrap().path()) {
            if beside.extension().is_some_and(|extension| extension == "asf") {
                copy(&beside, &folder.join(path).with_file_name(beside.file_name().unwrap()));
            }
        }
    }
}

fn copy(from: &Path, to: &Path) {
    if from.is_dir() {
        below(from).iter().for_each(|name| copy(&from.join(name), &to.join(name)));
        return;
    }
    std::fs::create_dir_all(to.parent().unwrap()).unwrap();
    // Read and written, not copied: a read-only file does not stay read-only.
    std::fs::write(to, std::fs::read(from).unwrap()).unwrap();
}

/// Files of the folder that come from the roots or from `cp`.
fn inputs(case: &Case, roots: &[PathBuf], folder: &Path) -> BTreeSet<String> {
    let copied: Vec<&str> =
        case.lines.iter().filter_map(|line| line.strip_prefix("cp ")?.split_whitespace().nth(1)).collect();
    let given = |name: &String| {
        roots.iter().any(|root| root.join(name).is_file())
            || copied.iter().any(|to| Path::new(name).starts_with(to))
    };
    below(folder).into_iter().filter(given).collect()
}

/// The names of all files below a folder, with `/`.
fn below(folder: &Path) -> Vec<String> {
    let files = walkdir::WalkDir::new(folder)
        .into_iter()
        .map(Result::unwrap)
        .filter(|entry| entry.file_type().is_file());
    let name = |path: &Path| path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
    files.map(|entry| name(entry.path())).collect()
}
