//! Closes the eyes of a character when the source closes them.

use std::collections::BTreeMap;

use mocap_face::{FaceMap, Lids, close_lids, meaning};
use mocap_model::ScalarTrack;
use schemars::JsonSchema;
use serde::Serialize;

use super::Head;
use crate::diagnostic::Diagnostic;
use crate::options::words::words;

/// How to set the weights of closed eyes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum LidsKind {
    /// Lids meet, with weights up to 1.
    Close,
    /// Lids meet, with weights up to [`BEYOND`].
    Overdrive,
    /// Weights are those of the source.
    Source,
}

/// Above this weight, a shape is extrapolated beyond what its author modelled.
const BEYOND: f64 = 1.25;
/// An eye that stays open by more than this looks open [share of its opening at rest].
const CLOSED: f64 = 0.05;

words! {
    /// How to set the weights of closed eyes.
    LidsWord(LidsKind) {
        /// Close eyes that the source closes: weights near its largest one rise until the lids of the character meet, at most to 1
        "close" => LidsKind::Close,
        /// The same, up to 1.25 where 1 leaves the lids apart
        "overdrive" => LidsKind::Overdrive,
        /// Keep the weights of the source
        "source" => LidsKind::Source,
    }
}

/// An eye that the source closes.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LidsRow {
    /// The shapes that close it.
    shapes: Vec<String>,
    /// The largest weight of the source.
    closed_at: f64,
    /// The weight at which the lids of the character meet.
    meet_at: f64,
    /// What is left between the lids where the weight is largest, of what is between them at rest.
    left: f64,
    /// The same with the weights of the source.
    left_by_source: f64,
}

impl LidsRow {
    fn of(lids: Lids) -> LidsRow {
        let [left_by_source, left] = lids.left;
        LidsRow {
            shapes: lids.shapes,
            closed_at: lids.closed_at,
            meet_at: lids.meet_at,
            left,
            left_by_source,
        }
    }

    /// The warning about lids that stay apart.
    pub(super) fn warning(&self) -> Option<Diagnostic> {
        let (left, shapes) = (100.0 * self.left, self.shapes.join(", "));
        let message = format!(
            "eyes do not close: {left:.0} % of the opening is left where the take closes them; the lids of {shapes} meet at a weight of {:.2}",
            self.meet_at
        );
        let help = if self.meet_at > 1.0 {
            format!("--lids overdrive raises weights up to {BEYOND}")
        } else {
            "--lids close raises weights until they meet".to_owned()
        };
        (self.left > CLOSED).then(|| Diagnostic::new("face::lids-open", message).help(help))
    }
}

/// Shapes of a character that close one eye or both: found by their names, by the names of the source shapes
/// that drive them, or by the expressions that they belong to.
pub(super) fn eyes(head: &Head, map: &FaceMap, source: &[String]) -> Vec<Vec<String>> {
    let mut eyes: BTreeMap<Vec<&'static str>, Vec<String>> = BTreeMap::new();
    for shape in &head.shapes {
        let links = map.links.iter().filter(|link| head.names[link.target] == *shape);
        let movers = links.flat_map(|link| &link.from).map(|(from, _)| source[*from].as_str());
        let bound = head.expressions.iter().filter(|of| of.binds.iter().any(|(name, _)| name == shape));
        let names = bound.map(|of| of.name.as_str());
        let closes = blinks(shape).or_else(|| movers.chain(names).find_map(blinks));
        if let Some(sides) = closes {
            eyes.entry(sides).or_default().push(shape.clone());
        }
    }
    eyes.into_values().collect()
}

/// The ARKit blink shapes that a name denotes, if it denotes nothing else.
fn blinks(name: &str) -> Option<Vec<&'static str>> {
    let meaning = meaning(name).filter(|of| !of.nearly)?;
    meaning.parts.iter().all(|part| part.starts_with("eyeBlink")).then_some(meaning.parts)
}

/// Closes the eyes of a character and reports what was found.
pub(super) fn close(
    tracks: &mut [ScalarTrack],
    head: &Head,
    eyes: &[Vec<String>],
    frames: usize,
    kind: LidsKind,
) -> Vec<LidsRow> {
    let most = match kind {
        LidsKind::Close => 1.0,
        LidsKind::Overdrive => BEYOND,
        LidsKind::Source => 0.0,
    };
    let meshes = head.body.as_ref().map_or(&[][..], |body| &body.body.meshes);
    close_lids(tracks, meshes, eyes, frames, most).into_iter().map(LidsRow::of).collect()
}
