//! The step `face` of pipelines.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use mocap_batch::FileRecord;
use mocap_formats::{Document, Format};
use mocap_model::Clip;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::drive::{Followed, Moves, follow};
use super::head::{Head, HeadSettings, read_head};
use super::lids::{LidsKind, LidsRow, LidsWord};
use super::{FileBeside, read_beside};
use crate::batch::{Failure, JobContext};
use crate::diagnostic::{Detail, Diagnostic};
use crate::options::{Reading, TargetSettings};
use crate::output::Output;

/// The step `face`.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct FaceStep {
    /// The character: a GLB, glTF or FBX with shapes, or one whose face joints move
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) target: PathBuf,
    /// Which shape moves which, as `mocap face --write-map` writes it
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub(crate) map: Option<PathBuf>,
    /// Move joints by shapes: a table of poses, or a motion whose clips or events are named as shapes
    #[arg(long, value_name = "FILE")]
    #[serde(default)]
    pub(crate) joint_poses: Option<PathBuf>,
    /// Leave head and eyes of the target as they are at rest
    #[arg(long)]
    #[serde(default)]
    pub(crate) no_turns: bool,
    /// How to set the weights of closed eyes
    #[arg(long, value_enum, value_name = "LIDS", default_value = "close")]
    #[serde(default = "closing")]
    pub(crate) lids: LidsWord,
}

fn closing() -> LidsWord {
    LidsWord(LidsKind::Close)
}

/// The character of a step, read once for all inputs.
#[derive(Debug)]
pub(crate) struct OpenFace {
    head: Head,
    given: Option<FileBeside>,
    moves: Moves,
}

/// What a step `face` did.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FaceMeasures {
    target: String,
    /// Shapes of the target that something moves.
    moved: usize,
    /// Shapes of the source that move nothing.
    unused: Vec<String>,
    /// Shapes of the target that nothing moves.
    unmoved: Vec<String>,
    /// Eyes that the source closes, and what is left between their lids.
    lids: Vec<LidsRow>,
}

impl FaceStep {
    /// Files that it reads.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let given = self.map.iter().chain(&self.joint_poses);
        std::iter::once(&self.target).chain(given).cloned().collect()
    }

    /// Reads the character, the map and the poses; the files are recorded for the manifest. `writes` are the
    /// formats in which later steps write the motion.
    pub(crate) fn open(
        &self,
        reading: &Reading,
        writes: &[Format],
        console: &dyn Output,
    ) -> Result<(OpenFace, Vec<FileRecord>), Diagnostic> {
        let (path, context) = (self.target.display().to_string(), JobContext::standalone());
        let settings = HeadSettings {
            target: TargetSettings { unit_unneeded: true, ..TargetSettings::default() },
            poses: self.joint_poses.as_deref(),
            makes_shapes: false,
        };
        let head = read_head(&context, &self.target, &settings, reading);
        let head = head.map_err(|Failure { error, warnings }| {
            console.warnings(&path, &warnings, Detail::Full);
            if error.path.is_some() { error } else { error.in_file(&self.target) }
        })?;
        console.warnings(&path, &head.target.warnings, Detail::Line);
        let (expressions, shapes): (Vec<Format>, Vec<Format>) =
            writes.iter().partition(|format| format.holds_expressions());
        let head = match (expressions.first(), shapes.first()) {
            (Some(one), Some(other)) => {
                let message = format!(
                    "{one} files hold expressions, {other} files shapes: a step 'face' moves one of them"
                );
                return Err(
                    Diagnostic::new("usage::format", message).help("give each of them its own pipeline")
                );
            }
            (Some(_), None) => head.of_expressions(),
            (None, _) => head,
        };
        let given = self.map.as_deref().map(|map| read_beside(map, reading)).transpose()?;
        let mut record = context.files_read().to_vec();
        record.extend(given.iter().flat_map(|given| given.record.iter().cloned()));
        let moves = Moves { turns: !self.no_turns, lids: self.lids.0 };
        Ok((OpenFace { head, given, moves }, record))
    }
}

impl OpenFace {
    /// Drives the character by the shapes of a clip.
    pub(crate) fn moved(&self, clip: &Clip) -> Result<(Clip, FaceMeasures), Diagnostic> {
        let Followed { clip, map, unused, unmoved, lids } =
            follow(clip, &self.head, self.given.as_ref(), self.moves)?;
        let target = self.head.target.path.clone();
        Ok((clip, FaceMeasures { target, moved: map.len(), unused, unmoved, lids }))
    }

    /// The file of the character, for outputs that keep its meshes.
    pub(crate) fn document(&self) -> (Option<&dyn Document>, &Path) {
        (self.head.target.on.document.as_deref(), Path::new(&self.head.target.path))
    }
}

impl FaceMeasures {
    /// In words, for people.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{} shapes of {} move", self.moved, self.target);
        for (names, what) in [(&self.unmoved, "nothing moves"), (&self.unused, "nothing takes")] {
            if !names.is_empty() {
                text += &format!("; {what}: {}", names.join(", "));
            }
        }
        text
    }
}
