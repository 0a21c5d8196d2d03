//! Reads a pipeline file: inputs, steps, overrides; checked, with variables replaced.

use std::ops::Range;
use std::path::{Path, PathBuf};

use mocap_batch::Filter;
use mocap_toml::{Entry, Table, Text, TomlError, TomlProblem, Variables};

use super::step::{COMMON, KINDS, StepKind};
use crate::diagnostic::{Diagnostic, read_toml};
use crate::options::{new_name, renamed};

/// The keys of a pipeline file, and what they are.
pub(crate) const KEYS: [(&str, &str); 7] = [
    ("inputs", "Files, directories or globs to read, where the command line names none"),
    ("include", "Take only files that match one of these globs"),
    ("exclude", "Leave out files that match one of these globs"),
    ("output", "Directory for all outputs, where -o names none"),
    ("variables", "Defaults of ${name}, which --set replaces"),
    ("step", "Steps for each clip, in order"),
    ("override", "Other settings of steps, for some of the inputs"),
];

/// Code of errors in a step.
pub(super) const STEP: TomlProblem = TomlProblem::Other("pipeline::step");
/// Code of errors in an override.
pub(super) const OVERRIDE: TomlProblem = TomlProblem::Other("pipeline::override");

/// The step that reads markers instead of a motion.
const SOLVE: &str = "solve";

/// A pipeline as written.
#[derive(Debug)]
pub(crate) struct File {
    pub(super) text: Text,
    pub(crate) inputs: Vec<PathBuf>,
    pub(crate) include: Vec<String>,
    pub(crate) exclude: Vec<String>,
    pub(crate) output: Option<PathBuf>,
    pub(super) steps: Vec<StepTable>,
    pub(super) overrides: Vec<Override>,
    pub(super) variables: Variables,
    /// Settings of steps that have old names.
    pub(super) old_names: Vec<Diagnostic>,
}

/// A step as written.
#[derive(Clone, Debug)]
pub(super) struct StepTable {
    pub(super) name: String,
    pub(super) kind: usize,
    /// Place of its `do` key.
    pub(super) span: Range<usize>,
    /// Settings, and `enabled`.
    pub(super) entries: Table,
}

/// Settings that replace others for some of the inputs.
#[derive(Debug)]
pub(super) struct Override {
    pub(super) files: Filter,
    /// Place of its `files` key.
    pub(super) span: Range<usize>,
    /// Whether it may match no input.
    pub(super) optional: bool,
    /// By step.
    pub(super) settings: Vec<(usize, Table)>,
}

impl StepTable {
    pub(super) fn kind(&self) -> &'static StepKind {
        &KINDS[self.kind]
    }

    /// The step in messages.
    pub(super) fn shown(&self) -> String {
        let kind = self.kind().name;
        if kind == self.name { format!("step '{kind}'") } else { format!("step '{}' ({kind})", self.name) }
    }
}

impl File {
    /// Whether the inputs are recordings of markers.
    pub(super) fn solves(&self) -> bool {
        self.steps.iter().any(|step| step.kind().name == SOLVE)
    }

    /// Reads a pipeline.
    ///
    /// # Errors
    /// Where the file cannot be read, is not TOML, or is not a pipeline: with line and column.
    pub(crate) fn read(path: &Path, assignments: &[(String, String)]) -> Result<File, Diagnostic> {
        Ok(File::of(read_toml(path)?, assignments)?)
    }

    pub(super) fn of(text: Text, assignments: &[(String, String)]) -> Result<File, TomlError> {
        let mut table = text.parse()?;
        let known = KEYS.map(|(key, _)| key);
        if let Some(entry) = table.iter().find(|entry| !known.contains(&entry.key.as_str())) {
            return Err(text.unknown(entry, "a pipeline", &known));
        }
        let defaults = match table.iter().position(|entry| entry.key == "variables") {
            Some(at) => table.remove(at).table(&text)?.clone(),
            None => Table::new(),
        };
        let mut variables = Variables::new(&text, &defaults, assignments)?;
        variables.fill(&text, &mut table)?;
        variables.check_used(&text)?;

        let texts = |key: &str| match table.iter().find(|entry| entry.key == key) {
            Some(entry) => entry.texts(&text),
            None => Ok(Vec::new()),
        };
        let (inputs, include, exclude) = (texts("inputs")?, texts("include")?, texts("exclude")?);
        let output = text_of(&text, &table, "output")?.map(|(output, _)| PathBuf::from(output));
        let mut steps: Vec<StepTable> = Vec::new();
        let mut overrides = Vec::new();
        let mut old_names = Vec::new();
        if let Some(entry) = table.iter().find(|entry| entry.key == "step") {
            for (entries, span) in entry.tables(&text)? {
                let step = step(&text, entries, span, &mut old_names)?;
                if let Some(other) = steps.iter().find(|other| other.name == step.name) {
                    let message = format!("there are two steps called '{}'", other.name);
                    let error = text.error(STEP, step.span, message);
                    return Err(error.help("give one of them another name: name = '...'"));
                }
                if step.kind().name == "read" && !steps.is_empty() {
                    let message = "the read step must be the first".to_owned();
                    return Err(text.error(STEP, step.span, message));
                }
                if step.kind().name == SOLVE && steps.iter().any(|other| other.kind().name != "read") {
                    let message = "the solve step must be the first, or follow the read step".to_owned();
                    return Err(text.error(STEP, step.span, message));
                }
                steps.push(step);
            }
        }
        if steps.is_empty() {
            let error = text.error(STEP, 0..0, "the pipeline has no step");
            return Err(
                error.help("a step is a table that begins with [[step]] and says what to do: do = 'write'")
            );
        }
        if let Some(entry) = table.iter().find(|entry| entry.key == "override") {
            for (entries, span) in entry.tables(&text)? {
                overrides.push(read_override(&text, entries, span, &steps, &mut old_names)?);
            }
        }
        let inputs = inputs.into_iter().map(PathBuf::from).collect();
        Ok(File { inputs, include, exclude, output, steps, overrides, variables, old_names, text })
    }
}

/// The value of a key that must be text.
fn text_of<'a>(
    text: &Text,
    entries: &'a [Entry],
    key: &str,
) -> Result<Option<(&'a str, &'a Entry)>, TomlError> {
    let entry = entries.iter().find(|entry| entry.key == key);
    entry.map(|entry| Ok((entry.text(text)?, entry))).transpose()
}

/// The settings of a step, with old names replaced by present ones.
fn renamed_settings(text: &Text, step: &StepKind, entries: &mut Table, old_names: &mut Vec<Diagnostic>) {
    let flags = (step.flags)();
    for entry in entries {
        let Some(new) = new_name(&flags, step.name, &entry.key) else { continue };
        let warning = renamed(&entry.key, new);
        let key = text.error(STEP, entry.key_span.clone(), "");
        old_names.push(match key.excerpt() {
            Some((text, span)) => warning.in_text(text, span),
            None => warning,
        });
        entry.key = new.to_owned();
    }
}

fn step(
    text: &Text,
    entries: &Table,
    span: Range<usize>,
    old_names: &mut Vec<Diagnostic>,
) -> Result<StepTable, TomlError> {
    let kinds: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    let Some((kind, entry)) = text_of(text, entries, "do")? else {
        let error = text.error(STEP, span, "the step has no 'do'");
        return Err(error.help(format!("do = one of {}", kinds.join(", "))));
    };
    let span = entry.cell.span.clone();
    let Some(at) = kinds.iter().position(|known| *known == kind) else {
        let error = text.error(STEP, span, format!("no step does '{kind}'"));
        return Err(error.nearest(kind, &kinds, "steps are"));
    };
    let (name, name_span) = match text_of(text, entries, "name")? {
        Some((name, entry)) => (name.to_owned(), entry.cell.span.clone()),
        // A pipeline often writes several formats, so a write step is named by its format.
        None if kind == "write" => {
            (text_of(text, entries, "to")?.map_or(kind, |(to, _)| to).to_owned(), span.clone())
        }
        None => (kind.to_owned(), span.clone()),
    };
    if name.is_empty() || name == FILES || name == OPTIONAL {
        let message = format!("a step cannot be called '{name}'");
        return Err(text.error(STEP, name_span, message));
    }
    if name == "read" && kind != "read" {
        let error = text.error(STEP, name_span, "only the step that reads is called 'read'");
        return Err(error.help("`against = \"read\"` means the motion as it was read"));
    }
    let own = |entry: &&Entry| !["do", "name"].contains(&entry.key.as_str());
    let mut entries: Table = entries.iter().filter(own).cloned().collect();
    renamed_settings(text, &KINDS[at], &mut entries, old_names);
    let step = StepTable { name, kind: at, span, entries };
    check(text, &step, &step.entries)?;
    Ok(step)
}

/// The key that selects the inputs of an override.
const FILES: &str = "files";
/// The key that allows an override to match no input.
const OPTIONAL: &str = "optional";

fn read_override(
    text: &Text,
    entries: &Table,
    span: Range<usize>,
    steps: &[StepTable],
    old_names: &mut Vec<Diagnostic>,
) -> Result<Override, TomlError> {
    let Some(files) = entries.iter().find(|entry| entry.key == FILES) else {
        let error = text.error(OVERRIDE, span, "the override has no 'files'");
        return Err(error.help("files = '*_dance.bvh', or a list of globs"));
    };
    let filter = Filter::new(&files.texts(text)?, &[]).map_err(|error| {
        text.error(TomlProblem::Other(error.code()), files.cell.span.clone(), error.to_string())
    })?;
    let mut settings = Vec::new();
    let optional = entries.iter().find(|entry| entry.key == OPTIONAL);
    let optional = optional.map_or(Ok(false), |entry| entry.switch(text))?;
    for entry in entries.iter().filter(|entry| entry.key != FILES && entry.key != OPTIONAL) {
        let Some(at) = steps.iter().position(|step| step.name == entry.key) else {
            let names: Vec<&str> = steps.iter().map(|step| step.name.as_str()).collect();
            let message = format!("no step is called '{}'", entry.key);
            let error = text.error(TomlProblem::UnknownKey, entry.key_span.clone(), message);
            return Err(error.nearest(&entry.key, &names, "steps are"));
        };
        let mut table = entry.table(text)?.clone();
        renamed_settings(text, steps[at].kind(), &mut table, old_names);
        check(text, &steps[at], &table)?;
        settings.push((at, table));
    }
    Ok(Override { files: filter, span: files.cell.span.clone(), optional, settings })
}

/// Checks each setting of a step by itself.
fn check(text: &Text, step: &StepTable, entries: &[Entry]) -> Result<(), TomlError> {
    enabled(text, entries)?;
    let settings: Table = entries.iter().filter(|entry| entry.key != COMMON[2].0).cloned().collect();
    step.kind().check(text, &step.shown(), &settings)
}

/// Whether a step is enabled.
pub(super) fn enabled(text: &Text, entries: &[Entry]) -> Result<bool, TomlError> {
    let entry = entries.iter().rfind(|entry| entry.key == COMMON[2].0);
    entry.map_or(Ok(true), |entry| entry.switch(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(toml: &str) -> (&'static str, (usize, usize), String) {
        let error = File::of(Text::new("test.toml", toml.into()).unwrap(), &[]).unwrap_err();
        (error.code(), error.place().expect("a place"), error.help.unwrap_or_default())
    }

    #[test]
    fn mistakes_have_a_line_and_what_was_meant() {
        let found = wrong("inptus = 'db'\n");
        assert_eq!(found, ("toml::unknown-key", (1, 1), "did you mean 'inputs'?".into()));
        let found = wrong("[[step]]\ndo = 'edit'\n\n[[step]]\ndo = 'wriet'\n");
        assert_eq!(found, ("pipeline::step", (5, 6), "did you mean 'write'?".into()));
        let found = wrong("[[step]]\ndo = 'edit'\nfsp = 30\n");
        assert_eq!(found, ("toml::unknown-key", (3, 1), "did you mean 'fps'?".into()));
        let found = wrong("[[step]]\ndo = 'edit'\nfps = -30\n");
        assert_eq!((found.0, found.1), ("toml::value", (3, 7)));
        let found = wrong("[[step]]\ndo = 'edit'\n[[override]]\nfiles = '*'\nedti.fps = 30\n");
        assert_eq!(found, ("toml::unknown-key", (5, 1), "did you mean 'edit'?".into()));
        let found = wrong("[[step]]\ndo = 'edit'\n[[override]]\nfiles = '*'\nedit.fps = 'x'\n");
        assert_eq!((found.0, found.1), ("toml::value", (5, 12)));
        assert_eq!(wrong("[[step]]\ndo = 'edit'\n[[override]]\nfiles = '['\n").1, (4, 9));
        assert_eq!(wrong("[[step]]\ndo = 'edit'\n[[step]]\ndo = 'edit'\n").1, (4, 6));
        assert_eq!(wrong("[[step]]\ndo = 'edit'\n[[step]]\ndo = 'read'\n").1, (4, 6));
        assert_eq!(wrong("[[step]]\ndo = 'edit'\nname = 'read'\n").1, (3, 8));
        assert_eq!(wrong("[[step]]\nname = 'x'\n").0, "pipeline::step");
        assert_eq!(wrong("[step]\ndo = 'edit'\n").0, "toml::type");
        assert_eq!(wrong("").0, "pipeline::step");
    }

    #[test]
    fn old_names_of_settings_work_and_are_told_with_their_line() {
        let toml = "[[step]]\ndo = 'compress'\nset = ['F*:error=1mm']\n[[step]]\ndo = 'compare'\nfail-above = '1mm'\n\
            [[override]]\nfiles = '*'\ncompare.fail-above = '2mm'\n";
        let file = File::of(Text::new("test.toml", toml.into()).unwrap(), &[]).unwrap();
        let reported: Vec<_> = file
            .old_names
            .iter()
            .map(|found| (found.message.as_str(), found.place.map(|(line, _)| line)))
            .collect();
        assert_eq!(
            reported,
            [
                ("'set' is now called 'joint-error'", Some(3)),
                ("'fail-above' is now called 'max-error'", Some(6)),
                ("'fail-above' is now called 'max-error'", Some(9)),
            ]
        );
        assert_eq!(file.steps[1].entries[0].key, "max-error");
    }
}
