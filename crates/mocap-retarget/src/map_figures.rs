//! The JSON form of a map between two skeletons.

use crate::figures::Scale;
use crate::text::rounded;
use crate::{FoundJoint, MapExplanation, UnmappedJoint};
use schemars::JsonSchema;
use serde::Serialize;

/// The figures of a [`MapExplanation`] for JSON: roles and reasons by name, scores with two decimals.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MapFigures<'a> {
    /// Naming schemes, if recognised.
    schemes: Sides<Option<&'static str>>,
    /// `null` if the map cannot be used.
    scale: Option<Scale>,
    map: Vec<Pair<'a>>,
    /// Joints that are paired without a role.
    pairs: Vec<Sides<&'a str>>,
    source_others: Vec<Other<'a>>,
    target_others: Vec<Other<'a>>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Sides<T> {
    source: T,
    target: T,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Pair<'a> {
    role: &'static str,
    source: Option<Found<'a>>,
    target: Option<Found<'a>>,
    score: Option<f64>,
    /// Whether rotations are distributed: trunk or neck have another number of joints in the other skeleton.
    distributed: bool,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Found<'a> {
    joint: &'a str,
    reason: &'static str,
    score: f64,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct Other<'a> {
    joint: &'a str,
    kind: String,
    becomes: Option<String>,
}

impl<'a> From<&'a MapExplanation> for MapFigures<'a> {
    fn from(explanation: &'a MapExplanation) -> MapFigures<'a> {
        let [source, target] = explanation.schemes;
        let map = explanation.rows.iter().map(|row| Pair {
            role: row.role.name(),
            source: row.source.as_ref().map(Found::from),
            target: row.target.as_ref().map(Found::from),
            score: row.score.map(rounded),
            distributed: row.distributed,
        });
        let pairs = explanation
            .joint_pairs
            .iter()
            .map(|[source, target]| Sides { source: &**source, target: &**target });
        MapFigures {
            schemes: Sides { source, target },
            scale: explanation.ratios.map(Scale::from),
            map: map.collect(),
            pairs: pairs.collect(),
            source_others: explanation.source_others.iter().map(Other::from).collect(),
            target_others: explanation.target_others.iter().map(Other::from).collect(),
        }
    }
}

impl<'a> From<&'a FoundJoint> for Found<'a> {
    fn from(found: &'a FoundJoint) -> Found<'a> {
        Found { joint: &found.joint, reason: found.reason.name(), score: rounded(found.score) }
    }
}

impl<'a> From<&'a UnmappedJoint> for Other<'a> {
    fn from(other: &'a UnmappedJoint) -> Other<'a> {
        Other {
            joint: &other.joint,
            kind: other.kind.to_string(),
            becomes: other.transfer.as_ref().map(ToString::to_string),
        }
    }
}
