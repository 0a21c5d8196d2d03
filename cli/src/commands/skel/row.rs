//! A skeleton as a row and as a table.

use mocap::{UnitFacts, short};
use mocap_model::{Joint, JointId, Role, Skeleton};
use mocap_retarget::RoleMap;
use serde::Serialize;

use crate::diagnostic::Diagnostic;
use crate::rest::Rest;

/// A row of `mocap skel --json`.
#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    output: &'a str,
    name: &'a str,
    joints: usize,
    end_sites: usize,
    unit: UnitFacts,
    up: String,
    /// The pose in which it rests.
    rest: Rest,
    /// The naming scheme that was recognised.
    scheme: Option<&'static str>,
    roles: Vec<RoleFact<'a>>,
    /// What retargeting needs and no joint is.
    missing_roles: Vec<&'static str>,
    chains: Vec<ChainFact<'a>>,
    /// Joints with a limit.
    limited: usize,
    warnings: &'a [Diagnostic],
}

#[derive(Serialize, schemars::JsonSchema)]
struct RoleFact<'a> {
    role: &'static str,
    joint: &'a str,
    reason: String,
}

#[derive(Serialize, schemars::JsonSchema)]
struct ChainFact<'a> {
    name: &'a str,
    base: &'a str,
    tip: &'a str,
}

impl<'a> Row<'a> {
    pub(super) fn new(
        path: &'a str,
        output: &'a str,
        (skeleton, roles): (&'a Skeleton, &RoleMap),
        rest: Rest,
        missing: &[Role],
        warnings: &'a [Diagnostic],
    ) -> Row<'a> {
        let name = |id: JointId| skeleton.joint(id).name.as_str();
        let end_sites = skeleton.joints().iter().filter(|joint| joint.end_site).count();
        let role = |row: &mocap_retarget::RoleRow| RoleFact {
            role: row.role.name(),
            joint: name(row.joint),
            reason: row.reason.to_string(),
        };
        let chain = |chain: &'a mocap_model::Chain| ChainFact {
            name: &chain.name,
            base: name(chain.base),
            tip: name(chain.tip),
        };
        Row {
            path,
            output,
            name: skeleton.name(),
            joints: skeleton.len() - end_sites,
            end_sites,
            unit: UnitFacts::of(skeleton),
            up: skeleton.space().up.to_string(),
            rest,
            scheme: roles.scheme,
            roles: roles.rows.iter().map(role).collect(),
            missing_roles: missing.iter().map(|role| role.name()).collect(),
            chains: skeleton.chains().iter().map(chain).collect(),
            limited: skeleton.joints().iter().filter(|joint| joint.dofs.has_limits()).count(),
            warnings,
        }
    }

    /// The tree of joints, one a line: role, length of the bone that leads to it, rotations, limits.
    pub(super) fn text(&self, skeleton: &Skeleton, roles: &RoleMap) -> String {
        let name = if self.name.is_empty() { String::new() } else { format!(" '{}'", self.name) };
        let to = if self.output.is_empty() { String::new() } else { format!(" -> {}", self.output) };
        let scheme = self.scheme.map_or(String::new(), |scheme| format!(", names as in {scheme}"));
        let mut lines = vec![
            format!("{}{to}", self.path),
            format!("  skeleton{name}: {} joints, {} end sites{scheme}", self.joints, self.end_sites),
            format!("  unit {}, {} up", self.unit.text(), self.up),
            format!("  at rest {}", self.rest.text()),
        ];
        let mut depth = vec![0usize; skeleton.len()];
        let mut rows = Vec::new();
        for (id, joint) in skeleton.iter() {
            depth[id.index()] = joint.parent.map_or(0, |parent| depth[parent.index()] + 1);
            if !joint.end_site {
                // A deep chain would run off the screen.
                let indent = "  ".repeat(depth[id.index()].min(20));
                let role = roles.role(id).map_or("", Role::name);
                rows.push((format!("{indent}{}", joint.name), role, joint));
            }
        }
        let width = rows.iter().map(|row| row.0.chars().count()).max().unwrap_or(0).clamp(5, 60);
        lines.push(format!("  {:width$}  {:14}  {:>10}  rotations", "joint", "role", "length"));
        for (name, role, joint) in rows {
            let length = short((joint.offset.norm() * 1e4).round() / 1e4);
            let line = format!("  {name:width$}  {role:14}  {length:>10}  {}", rotations(joint));
            lines.push(line.trim_end().to_owned());
        }
        for chain in &self.chains {
            lines.push(format!("  chain {}: {} to {}", chain.name, chain.base, chain.tip));
        }
        lines.join("\n")
    }
}

/// `ZX, X -20° to 100°`: the axes in their order, and the limits that there are.
fn rotations(joint: &Joint) -> String {
    let dofs = &joint.dofs;
    let turning = dofs.order.axes().into_iter().filter(|axis| dofs.rotation[axis.index()]);
    let axes: String = turning.map(|axis| axis.letter()).collect();
    let mut parts = vec![if axes.is_empty() { "none".to_owned() } else { axes }];
    for axis in mocap_model::Axis::ALL {
        if let Some(limit) = dofs.limits[axis.index()] {
            let (min, max) = (limit.min.to_degrees(), limit.max.to_degrees());
            parts.push(format!("{} {min:.0}° to {max:.0}°", axis.letter()));
        }
    }
    parts.join(", ")
}
