//! Which joint moves which: found, or given in a map file; shown, and written for a user to edit.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use mocap_batch::{BatchError, FileRecord, write_file};
use mocap_formats::{Limits, map, text};
use mocap_model::{Clip, JointId, Role, Skeleton};
use mocap_retarget::{
    MapExplanation, REQUIRED_ROLES, RetargetError, RetargetOptions, Retargeter, RoleMap, SourceOrTarget,
    explain_roles, map_roles, map_roles_in,
};

use super::target::Target;
use super::{about, diagnostic, explain, noticed, which_of};
use crate::args::{MapSettings, Reading, RetargetArgs as Args};
use crate::batch::{Failure, Input, Job, JobContext, ReadFiles, Report, json};
use crate::console::{Console, put_stdout};
use crate::diagnostic::Diagnostic;
use crate::read;

/// What to do where no map was found.
pub(super) const HELP: &str = "`mocap retarget --write-map MAP.json SOURCE TARGET` writes what was found: put the \
     right joints there and give it with --map; or state roles in a .skel, which `mocap skel FILE -o FILE.skel` \
     writes";

/// The file of a map.
#[derive(Debug)]
pub(crate) struct MapFile {
    path: PathBuf,
    bytes: Vec<u8>,
    files_read: Vec<FileRecord>,
}

impl MapFile {
    /// The file that the settings name.
    pub(crate) fn of(settings: &MapSettings) -> Result<Option<MapFile>, Diagnostic> {
        let read = |path: &PathBuf| {
            let context = JobContext::standalone();
            let bytes = read::bytes_of(&context, &Input::named(path))?;
            Ok(MapFile { bytes, path: path.clone(), files_read: context.files_read() })
        };
        settings.map.as_ref().map(read).transpose()
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The file as it was read; none for stdin.
    pub(crate) fn files_read(&self) -> &[FileRecord] {
        &self.files_read
    }
}

/// The jobs of a run that only shows.
pub(super) fn jobs(
    inputs: Vec<Input>,
    reads: &ReadFiles<'_>,
    args: &Args,
    console: &Console,
) -> Result<Vec<Job>, Diagnostic> {
    if let Some(path) = &args.mapping.write_map {
        if inputs.len() != 1 {
            let message = format!("a map is of one source, and {} are given", inputs.len());
            return Err(Diagnostic::new("usage::output", message)
                .help("sources with one skeleton share a map: name one of them"));
        }
        let to_stdout = path == Path::new("-");
        reads.refuse(&inputs, [path.as_path()])?;
        if to_stdout && (console.is_json() || args.mapping.explain) {
            return Err(Diagnostic::new("usage::stdout-twice", "the map and rows both go to stdout")
                .help("name a file with --write-map"));
        }
    }
    Ok(inputs.into_iter().map(Job::report).collect())
}

/// Which joint moves which, of one source and the target.
#[derive(Clone, Debug)]
pub(super) struct Mapping {
    roles: [RoleMap; 2],
    pairs: Vec<(JointId, JointId)>,
    /// Whether a user gave it.
    given: bool,
}

impl Mapping {
    /// For a motion: as given, else as found.
    pub(super) fn new(clip: &Clip, target: &Target, map: Option<&MapFile>) -> Result<Mapping, Diagnostic> {
        match map {
            Some(map) => Mapping::given(clip.skeleton(), target, map),
            None => Ok(Mapping::found(map_roles_in(clip), target)),
        }
    }

    fn found(source: RoleMap, target: &Target) -> Mapping {
        Mapping { roles: [source, target.roles.clone()], pairs: Vec::new(), given: false }
    }

    fn given(source: &Skeleton, target: &Target, file: &MapFile) -> Result<Mapping, Diagnostic> {
        let parsed =
            map::parse(&file.bytes, source, &target.skeleton, &Limits::default()).map_err(|finding| {
                Diagnostic::from_finding(&finding, &text::decode(&file.bytes)).in_file(&file.path)
            })?;
        let map = parsed.value;
        let roles = [map.source, map.target].map(RoleMap::given);
        Ok(Mapping { roles, pairs: map.pairs, given: true })
    }

    /// The options with it.
    pub(super) fn options(&self, options: RetargetOptions) -> RetargetOptions {
        let [source, target] = self.roles.clone();
        RetargetOptions {
            source_roles: Some(source),
            target_roles: Some(target),
            joint_pairs: self.pairs.clone(),
            ..options
        }
    }

    /// All pairs, where a user's map has no legs to stand on: roles are then names of pairs.
    pub(super) fn pairs_alone(&self) -> Option<Vec<(JointId, JointId)>> {
        let body = self.roles.iter().all(|map| REQUIRED_ROLES.iter().all(|role| map.joint(*role).is_some()));
        if !self.given || body {
            return None;
        }
        let [source, target] = &self.roles;
        let roles = source.rows.iter().filter_map(|row| Some((row.joint, target.joint(row.role)?)));
        let mut pairs: Vec<_> = roles.chain(self.pairs.iter().copied()).collect();
        pairs.sort_by_key(|(_, target)| *target);
        Some(pairs)
    }

    /// An error with what was found of the skeleton that it is about.
    pub(super) fn about(
        &self,
        diagnostic: Diagnostic,
        error: &RetargetError,
        source: &Skeleton,
        target: &Target,
    ) -> Diagnostic {
        let diagnostic = about(diagnostic, which_of(error), target);
        let which = match error {
            RetargetError::MissingRoles { which, .. }
            | RetargetError::Uncertain { which, .. }
            | RetargetError::SidesMixed { which }
            | RetargetError::SidesSwapped { which, .. }
            | RetargetError::NotBelow { which, .. } => *which,
            _ => return diagnostic,
        };
        let (skeleton, roles) = match which {
            SourceOrTarget::Source => (source, &self.roles[0]),
            SourceOrTarget::Target => (&target.skeleton, &self.roles[1]),
        };
        diagnostic.note(explain::found(which, skeleton, roles))
    }
}

/// A pair of skeletons shown, and its map written where that is asked for.
pub(super) fn shown(
    job: &Job,
    context: &JobContext,
    args: &Args,
    target: &Target,
    map: Option<&MapFile>,
) -> Result<Report, Failure> {
    // A skeleton alone can be shown, too.
    let reading = Reading { rest_frame_dropped: true, ..args.reading.clone() };
    let loaded = read::load(context, &job.input, &reading)?;
    let (source, found, mut warnings) = if loaded.format.has_motion() {
        let motion = loaded.into_motion(&reading)?;
        let found = map_roles_in(&motion.clip);
        (motion.clip.skeleton().as_ref().clone(), found, motion.warnings)
    } else {
        let (skeleton, warnings) = loaded.into_skeleton(&reading)?;
        let found = map_roles(&skeleton);
        (skeleton, found, warnings)
    };
    let mapping = match map {
        Some(map) => match Mapping::given(&source, target, map) {
            Ok(mapping) => mapping,
            Err(error) => return Err(Failure { error, warnings }),
        },
        None => Mapping::found(found, target),
    };
    let options =
        RetargetOptions { target_rest: target.rest.clone(), ..mapping.options(RetargetOptions::default()) };
    let mut errors = Vec::new();
    let (explanation, ratios) = match Retargeter::new(&source, &target.skeleton, &options) {
        Ok(retargeter) => {
            warnings.extend(retargeter.warnings().iter().map(|warning| noticed(warning, target)));
            (retargeter.explain(), Some(retargeter.ratios()))
        }
        Err(error) => {
            if mapping.pairs_alone().is_none() {
                errors.push(about(diagnostic(&error), which_of(&error), target));
            }
            let [from, to] = &mapping.roles;
            (explain_roles(&source, from, &target.skeleton, to), None)
        }
    };
    let path = job.input.shown();
    let row = explain::Row::new(&path, &target.path, &explanation, ratios, &warnings);
    let pairs = mapping
        .pairs
        .iter()
        .map(|(from, to)| [source.joint(*from).name.as_str(), target.skeleton.joint(*to).name.as_str()]);
    let row = row.with_pairs(pairs).with_error(errors.first());
    let (mut row_json, mut row_text) =
        (json(&row), if args.mapping.explain { row.text() } else { String::new() });
    if let Some(path) = &args.mapping.write_map {
        let bytes = file(&mapping, &source, &target.skeleton, &explanation);
        match deliver(path, args.outputs.overwrite, &bytes) {
            // What is not found yet is what the map is written for.
            Ok(()) => warnings.append(&mut errors),
            Err(error) => return Err(Failure { error, warnings }),
        }
        if path == Path::new("-") {
            (row_json, row_text) = (String::new(), String::new());
        } else if !args.mapping.explain {
            row_text = format!(
                "{}: {}, to edit and give with --map",
                path.display(),
                explain::counted(&explanation)
            );
        }
    }
    Ok(Report { json: row_json, text: row_text, warnings, errors, ..Report::default() })
}

fn deliver(path: &Path, replace: bool, bytes: &[u8]) -> Result<(), Diagnostic> {
    if path == Path::new("-") {
        return put_stdout(&|out: &mut dyn Write| out.write_all(bytes)).map(drop);
    }
    let written = write_file(path, replace, &|out: &mut dyn Write| out.write_all(bytes));
    written.map(drop).map_err(|error| match error {
        BatchError::Io { kind: ErrorKind::AlreadyExists, .. } => {
            Diagnostic::new("usage::output-exists", format!("'{}' exists already", path.display()))
                .help("--overwrite replaces it")
        }
        error => error.into(),
    })
}

/// The file of a map: every role that was found on either side, and those that cannot be done without.
fn file(mapping: &Mapping, source: &Skeleton, target: &Skeleton, explanation: &MapExplanation) -> Vec<u8> {
    let [from, to] = &mapping.roles;
    let side = |roles: &RoleMap| roles.rows.iter().map(|row| (row.role, row.joint)).collect();
    let map = map::JointMap { source: side(from), target: side(to), pairs: mapping.pairs.clone() };
    let note = |role: Role| {
        let row = explanation.rows.iter().find(|row| row.role == role);
        let needed = REQUIRED_ROLES.contains(&role);
        let (source, target) = row.map_or((&None, &None), |row| (&row.source, &row.target));
        if source.is_none() && target.is_none() && !needed {
            return None;
        }
        let said = |found: &Option<mocap_retarget::FoundJoint>| match found {
            Some(found) => format!("{} {:.2}", explain::word(found.reason), found.score),
            None if needed => "missing, needed".into(),
            None => "none".into(),
        };
        Some(format!("source {}, target {}", said(source), said(target)))
    };
    map::to_bytes(&map, source, target, note)
}
