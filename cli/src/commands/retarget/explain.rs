//! The map between two skeletons, as a row and as a table.

use mocap_model::{Role, Skeleton};
use mocap_retarget::{
    FoundJoint, LimbRatios, MapExplanation, RoleMap, RoleReason, SourceOrTarget, UnmappedJoint,
};
use serde::Serialize;

use crate::diagnostic::Diagnostic;

/// A row of `mocap retarget --explain --json`.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: &'a str,
    target: &'a str,
    schemes: Sides<Option<&'static str>>,
    /// Null where the map cannot be used.
    scale: Option<Scale>,
    map: Vec<Pair<'a>>,
    /// Beside the roles, as a map file gives them.
    pairs: Vec<Sides<&'a str>>,
    source_others: Vec<Other<'a>>,
    target_others: Vec<Other<'a>>,
    /// Why the map cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a Diagnostic>,
    warnings: &'a [Diagnostic],
}

#[derive(Serialize, schemars::JsonSchema)]
struct Sides<T> {
    source: T,
    target: T,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Scale {
    leg: f64,
    arm: Option<f64>,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Pair<'a> {
    role: &'static str,
    source: Option<Found<'a>>,
    target: Option<Found<'a>>,
    score: Option<f64>,
    /// Of a trunk with other numbers of joints in both.
    spread: bool,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Found<'a> {
    joint: &'a str,
    reason: &'static str,
    score: f64,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Other<'a> {
    joint: &'a str,
    kind: String,
    becomes: Option<String>,
}

/// A reason in one word.
pub(super) fn word(reason: RoleReason) -> &'static str {
    match reason {
        RoleReason::Given => "given",
        RoleReason::Stated => "stated",
        RoleReason::Name => "name",
        RoleReason::Place => "place",
        RoleReason::Shape => "shape",
    }
}

/// Two decimals, as tables show scores.
fn rounded(score: f64) -> f64 {
    (score * 100.0).round() / 100.0
}

impl<'a> Row<'a> {
    pub(super) fn new(
        path: &'a str,
        target: &'a str,
        explanation: &'a MapExplanation,
        ratios: Option<LimbRatios>,
        warnings: &'a [Diagnostic],
    ) -> Row<'a> {
        let found = |found: &'a Option<FoundJoint>| {
            found.as_ref().map(|found| Found {
                joint: &found.joint,
                reason: word(found.reason),
                score: rounded(found.score),
            })
        };
        let map = explanation.rows.iter().map(|row| Pair {
            role: row.role.name(),
            source: found(&row.source),
            target: found(&row.target),
            score: row.score.map(rounded),
            spread: row.spread,
        });
        let others = |others: &'a [UnmappedJoint]| -> Vec<Other<'a>> {
            let other = |other: &'a UnmappedJoint| Other {
                joint: &other.joint,
                kind: other.kind.to_string(),
                becomes: other.transfer.as_ref().map(ToString::to_string),
            };
            others.iter().map(other).collect()
        };
        Row {
            path,
            target,
            schemes: Sides { source: explanation.schemes[0], target: explanation.schemes[1] },
            scale: ratios.map(|ratios| Scale {
                leg: ratios.leg / ratios.unit,
                arm: ratios.arm.map(|arm| arm / ratios.unit),
            }),
            map: map.collect(),
            pairs: Vec::new(),
            source_others: others(&explanation.source_others),
            target_others: others(&explanation.target_others),
            error: None,
            warnings,
        }
    }

    /// The same with pairs beside the roles: of the source, of the target.
    pub(super) fn with_pairs(mut self, pairs: impl Iterator<Item = [&'a str; 2]>) -> Row<'a> {
        self.pairs = pairs.map(|[source, target]| Sides { source, target }).collect();
        self
    }

    /// The same with why the map cannot be used.
    pub(super) fn with_error(mut self, error: Option<&'a Diagnostic>) -> Row<'a> {
        self.error = error;
        self
    }

    /// The map as a table: roles that both have, then those of one alone, then what has no role.
    pub(super) fn text(&self) -> String {
        let mut lines = vec![format!("{} onto {}", self.path, self.target)];
        let scheme = |scheme: Option<&str>| scheme.unwrap_or("no scheme that is known").to_owned();
        lines.push(format!(
            "  names       source: {}; target: {}",
            scheme(self.schemes.source),
            scheme(self.schemes.target)
        ));
        if let Some(Scale { leg, arm }) = &self.scale {
            let arm = arm.map_or(String::new(), |arm| format!(", arms {arm:.3}"));
            lines.push(format!("  scale       legs {leg:.3}{arm}"));
        }
        let mut table = vec![["role", "source", "", "target", "", "score"].map(str::to_owned)];
        for pair in &self.map {
            let [(source, why_source), (target, why_target)] = [&pair.source, &pair.target].map(|found| {
                let Some(Found { joint, reason, score }) = found else {
                    return ("-".to_owned(), String::new());
                };
                ((*joint).to_owned(), format!("{reason} {score:.2}"))
            });
            let score = match (pair.score, &pair.source) {
                (Some(score), _) => format!("{score:.2}"),
                (None, _) if pair.spread => "spread".to_owned(),
                (None, Some(_)) => "left out".to_owned(),
                (None, None) => "rests".to_owned(),
            };
            table.push([pair.role.to_owned(), source, why_source, target, why_target, score]);
        }
        for pair in &self.pairs {
            let [source, target] = [pair.source, pair.target].map(str::to_owned);
            let given = || "given 1.00".to_owned();
            table.push(["pair".into(), source, given(), target, given(), "1.00".into()]);
        }
        lines.extend(aligned(&table));
        for (which, others) in [("source", &self.source_others), ("target", &self.target_others)] {
            if !others.is_empty() {
                lines.push(format!("  other joints of the {which}"));
                lines.extend(grouped(others));
            }
        }
        lines.join("\n")
    }
}

/// `20 roles on both, 3 on one alone`.
pub(super) fn counted(explanation: &MapExplanation) -> String {
    let both = explanation.rows.iter().filter(|row| row.score.is_some()).count();
    match explanation.rows.len() - both {
        0 => format!("{both} roles on both skeletons"),
        alone => format!("{both} roles on both skeletons, {alone} on one alone"),
    }
}

/// Columns as wide as their widest cell.
fn aligned<const N: usize>(table: &[[String; N]]) -> Vec<String> {
    let width =
        |column: usize| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(48);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("  {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_owned()
    };
    table.iter().map(line).collect()
}

/// Joints of one kind and fate on one line, wrapped; in the order in which each group begins.
fn grouped(others: &[Other]) -> Vec<String> {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for other in others {
        let title = match &other.becomes {
            Some(becomes) => format!("{}, {becomes}:", other.kind),
            None => format!("{}:", other.kind),
        };
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, joints)) => joints.push(other.joint),
            None => groups.push((title, vec![other.joint])),
        }
    }
    let mut lines = Vec::new();
    for (title, joints) in groups {
        let mut line = format!("    {title}");
        for (i, joint) in joints.iter().enumerate() {
            let comma = if i + 1 < joints.len() { "," } else { "" };
            if line.chars().count() + joint.chars().count() > 98 {
                lines.push(std::mem::replace(&mut line, "     ".into()));
            }
            line.push_str(&format!(" {joint}{comma}"));
        }
        lines.push(line);
    }
    lines
}

/// What was found of a body, and what was not: the note of an error.
pub(super) fn found(which: SourceOrTarget, skeleton: &Skeleton, roles: &RoleMap) -> String {
    let mut table = vec![["role", "joint", ""].map(str::to_owned)];
    let limb = |role: &&Role| {
        matches!(role, Role::Hips) || {
            let name = role.name();
            ["UpperLeg", "LowerLeg", "Foot", "UpperArm", "LowerArm", "Hand"]
                .iter()
                .any(|end| name.ends_with(end))
        }
    };
    for role in Role::ALL.iter().filter(limb) {
        let row = roles.rows.iter().find(|row| row.role == *role);
        let (joint, why) = row.map_or(("-".to_owned(), "not found".to_owned()), |row| {
            let doubt = if row.is_certain() { "" } else { ", a guess" };
            (skeleton.joint(row.joint).name.clone(), format!("{} {:.2}{doubt}", word(row.reason), row.score))
        });
        table.push([role.name().to_owned(), joint, why]);
    }
    let scheme =
        roles.scheme.map_or("no naming scheme is known".to_owned(), |scheme| format!("names as in {scheme}"));
    let joints = skeleton.joints().iter().filter(|joint| !joint.end_site).count();
    let lines = [format!("the {which} has {joints} joints, {scheme}")];
    lines.into_iter().chain(aligned(&table)).collect::<Vec<_>>().join("\n")
}
