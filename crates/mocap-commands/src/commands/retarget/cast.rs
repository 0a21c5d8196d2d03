//! Targets of several characters: the file of `--characters`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mocap_batch::FileRecord;
use mocap_formats::{Limits, text};
use mocap_model::Scene;
use mocap_model::nearest_name;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

use super::target::Target;
use crate::batch::{Failure, Input, JobContext};
use crate::diagnostic::Diagnostic;
use crate::read;

/// The targets of the characters of a scene, by name.
pub(super) struct Cast {
    path: PathBuf,
    targets: Vec<(String, Arc<Target>)>,
    files_read: Vec<FileRecord>,
}

/// The names of a JSON object and what they stand for, in its order, names that occur twice included.
struct Pairs(Vec<(String, PathBuf)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Pairs, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Pairs;

            fn expecting(&self, to: &mut fmt::Formatter) -> fmt::Result {
                to.write_str("an object with a path for each name")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Pairs, M::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }

        source.deserialize_map(Object)
    }
}

/// Targets that were read, each file once, for all characters that use it.
#[derive(Default)]
pub(super) struct Targets(BTreeMap<PathBuf, Arc<Target>>);

impl Targets {
    /// The target of a path.
    pub(super) fn get(
        &mut self,
        path: &Path,
        open: impl FnOnce(&Path) -> Result<Target, Failure>,
    ) -> Result<Arc<Target>, Failure> {
        if let Some(known) = self.0.get(path) {
            return Ok(known.clone());
        }
        let target = Arc::new(open(path)?);
        if target.robot().is_some() {
            let message = "robots cannot be targets here: contacts between people are kept on bodies only";
            return Err(Diagnostic::new("usage::together", message)
                .help("retarget motions to robots one by one")
                .in_file(path)
                .into());
        }
        self.0.insert(path.to_owned(), target.clone());
        Ok(target)
    }
}

impl Cast {
    /// Reads the file: a JSON object with the target of each character, by name. Paths of targets are relative
    /// to the folder of the file if they exist there, else to the working directory.
    pub(super) fn read(
        path: &Path,
        open: impl Fn(&Path, &JobContext) -> Result<Target, Failure>,
    ) -> Result<Cast, Failure> {
        let context = JobContext::standalone();
        let bytes = read::bytes_of(&context, &Input::named(path), &Limits::default())?;
        let Pairs(map) = serde_json::from_slice(&text::decode(&bytes)).map_err(|error| {
            Diagnostic::new("usage::characters", format!("not a map of characters: {error}"))
                .help(r#"a JSON object with a target for each name, such as {"Anna": "woman.glb"}"#)
                .in_file(path)
        })?;
        let is_second = |at: &usize| map[..*at].iter().any(|(name, _)| *name == map[*at].0);
        if let Some(second) = (0..map.len()).find(is_second) {
            let name = &map[second].0;
            let message = format!("'{name}' has two targets");
            return Err(Diagnostic::new("usage::characters", message)
                .help("each character has one: leave one out, or name the other character")
                .in_file(path)
                .into());
        }
        let (mut known, mut targets) = (Targets::default(), Vec::new());
        for (name, target) in map {
            let beside = path.parent().map(|folder| folder.join(&target)).filter(|beside| beside.exists());
            let read = |path: &Path| {
                // The error is about the target, not about the file that names it.
                open(path, &context).map_err(|Failure { error, warnings }| Failure {
                    error: if error.path.is_some() { error } else { error.in_file(path) },
                    warnings,
                })
            };
            targets.push((name, known.get(&beside.unwrap_or(target), read)?));
        }
        Ok(Cast { path: path.to_owned(), targets, files_read: context.files_read() })
    }

    /// Records of the file and of the targets, on which outputs depend.
    pub(super) fn files_read(&self) -> &[FileRecord] {
        &self.files_read
    }

    /// Whether a character has a target.
    pub(super) fn names(&self, name: &str) -> bool {
        self.targets.iter().any(|(own, _)| own == name)
    }

    /// All targets.
    pub(super) fn targets(&self) -> impl Iterator<Item = &Arc<Target>> {
        self.targets.iter().map(|(_, target)| target)
    }

    /// The target of each character of a scene, in its order.
    ///
    /// # Errors
    /// If a character has no target, or the file names a character that the scene lacks.
    pub(super) fn of(&self, scene: &Scene) -> Result<Vec<Arc<Target>>, Diagnostic> {
        let names = scene.names();
        let wrong = |message: String| Diagnostic::new("usage::characters", message).in_file(&self.path);
        for (name, _) in &self.targets {
            if !names.contains(&name.as_str()) {
                let near = nearest_name(name, names.iter().copied());
                let help = near.map(|near| format!("did you mean '{near}'?"));
                let error = wrong(format!("no character is called '{name}'"));
                let listed = format!("characters of the scene: {}", names.join(", "));
                return Err(error.help(help.unwrap_or(listed)));
            }
        }
        let target = |name: &&str| {
            let found = self.targets.iter().find(|(of, _)| of == name);
            found.map(|(_, target)| target.clone()).ok_or_else(|| {
                wrong(format!("'{name}' has no target")).help(format!(
                    "{} characters, {} targets: name one for each of {}",
                    names.len(),
                    self.targets.len(),
                    names.join(", ")
                ))
            })
        };
        names.iter().map(target).collect()
    }
}
