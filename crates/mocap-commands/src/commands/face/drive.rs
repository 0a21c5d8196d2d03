//! Drives the face of a character by the face shapes of a clip.

use std::sync::Arc;

use mocap_face::{add_correctives, pose_joints, with_expressions};
use mocap_model::{BoundBody, Clip, ScalarTrack, Skeleton, Track};

use super::lids::{self, LidsKind, LidsRow};
use super::map::{self, LinkRow, face_map, names};
use super::row::ResidualRow;
use super::{Args, FileBeside, Head, other_table};
use crate::batch::{Failure, Job, JobContext};
use crate::diagnostic::Diagnostic;
use crate::edit;
use crate::options::{Edits, Reading};
use crate::read::{self, Motion};

/// The clip with its face shapes, and its report rows.
pub(super) struct Moved {
    pub(super) clip: Clip,
    pub(super) map: Option<Vec<LinkRow>>,
    pub(super) unused: Vec<String>,
    pub(super) unmoved: Vec<String>,
    pub(super) lids: Vec<LidsRow>,
    pub(super) residual: Option<ResidualRow>,
    pub(super) bytes_in: u64,
}

/// Drives the face by the shapes of the source.
pub(super) fn mapped(
    job: &Job,
    context: &JobContext,
    args: &Args,
    (head, given): (&Head, Option<&FileBeside>),
    reading: &Reading,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Moved, Failure> {
    let motion = read::motion(context, &job.input, reading);
    let Motion { clip, warnings: found, bytes } =
        motion.map_err(|failure| other_table(job, context, reading, failure))?;
    warnings.extend(found);
    let edits = Edits::from(args.edits);
    let clip = edit::apply(&edits, reading.limits(), clip, warnings)?;
    let moves = Moves { turns: !args.no_turns, lids: args.lids.0 };
    let Followed { clip, map, unused, unmoved, lids } = follow(&clip, head, given, moves)?;
    warnings.extend(lids.iter().filter_map(LidsRow::warning));
    Ok(Moved { clip, map: Some(map), unused, unmoved, lids, residual: None, bytes_in: bytes })
}

/// Which joints a map drives in addition to shapes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moves {
    /// Whether head and eyes rotate.
    pub(super) turns: bool,
    pub(super) lids: LidsKind,
}

/// A character driven by the shapes of a clip.
pub(super) struct Followed {
    pub(super) clip: Clip,
    pub(super) map: Vec<LinkRow>,
    pub(super) unused: Vec<String>,
    pub(super) unmoved: Vec<String>,
    pub(super) lids: Vec<LidsRow>,
}

pub(super) fn follow(
    clip: &Clip,
    head: &Head,
    given: Option<&FileBeside>,
    moves: Moves,
) -> Result<Followed, Diagnostic> {
    let source = names(clip);
    let map = face_map(&source, head, given)?;
    let tracks = map.apply(clip.annotations(), &head.names, clip.frames());
    let eyes = lids::eyes(head, &map, &source);
    let (clip, lids) = driven(clip, head, tracks, (moves, &eyes))?;
    Ok(Followed {
        clip,
        map: map::rows(&map, &source, &head.names),
        unused: map.unused(&source).into_iter().map(str::to_owned).collect(),
        unmoved: head.unmoved(&map),
        lids,
    })
}

/// Drives the character by tracks of names that a map may use: expressions become shapes, poses rotate joints.
fn driven(
    clip: &Clip,
    head: &Head,
    tracks: Vec<ScalarTrack>,
    (moves, eyes): (Moves, &[Vec<String>]),
) -> Result<(Clip, Vec<LidsRow>), Diagnostic> {
    let posing = tracks.clone();
    let mut shapes = match head.expressions.is_empty() {
        true => tracks,
        false => with_expressions(tracks, &head.expressions, clip.frames()),
    };
    shapes.retain(|track| head.shapes.contains(&track.name));
    let lids = lids::close(&mut shapes, head, eyes, clip.frames(), moves.lids);
    add_correctives(&mut shapes, &head.shapes, &head.in_betweens, clip.frames());
    if let Some(body) = &head.body {
        at_rest(&mut shapes, &head.shapes, body);
    }
    let moved = put(clip, head, shapes, moves.turns)?;
    Ok((pose_joints(&moved, &head.poses, &posing).map_err(mocap::Error::from)?, lids))
}

/// Adds tracks for shapes without one: they keep their weight at rest.
fn at_rest(tracks: &mut Vec<ScalarTrack>, names: &[String], body: &BoundBody) {
    let rest = |name: &str| {
        let mut shapes = body.body.meshes.iter().flat_map(|mesh| &mesh.shapes);
        shapes.find(|shape| shape.name == name).map_or(0.0, |shape| shape.weight)
    };
    for name in names {
        if !tracks.iter().any(|track| track.name == *name) {
            tracks.push(ScalarTrack { name: name.clone(), values: Track::Constant(rest(name)) });
        }
    }
}

/// The character with shape weights over time.
pub(super) fn put(
    clip: &Clip,
    head: &Head,
    shapes: Vec<ScalarTrack>,
    turns: bool,
) -> Result<Clip, Diagnostic> {
    let skeleton: &Arc<Skeleton> = &head.target.on.skeleton;
    Ok(mocap::face_clip(clip, skeleton, shapes, turns).map_err(mocap::Error::from)?)
}
