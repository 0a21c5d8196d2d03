//! Summary of a skeleton, as JSON and as text.

use mocap_model::{Axis, Chain, Joint, JointId, Role, Skeleton};
use mocap_retarget::{RestSource, RoleMap, RoleRow};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

use crate::digits::short;
use crate::facts::UnitFacts;

/// A skeleton in numbers: serialize it for JSON; `Display` gives a table of joints.
///
/// ```
/// use mocap::retarget::{RestSource, map_roles};
///
/// let robin = mocap::read_skeleton("../../fixtures/clips/robin.skel")?.value;
/// let summary = mocap::SkeletonSummary::new(&robin, &map_roles(&robin), RestSource::Offsets);
/// assert!(summary.missing_roles().is_empty());
/// println!("{summary}");
/// # Ok::<(), mocap::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SkeletonSummary<'a> {
    name: &'a str,
    /// Without end sites.
    joints: usize,
    end_sites: usize,
    unit: UnitFacts,
    up: String,
    /// The source of the rest pose.
    rest: RestSource,
    /// The naming scheme, if recognised.
    scheme: Option<&'static str>,
    roles: Vec<RoleFact<'a>>,
    /// Roles that retargeting needs and no joint has.
    missing_roles: Vec<&'static str>,
    chains: Vec<ChainFact<'a>>,
    /// Number of joints with a limit.
    limited: usize,
    #[serde(skip)]
    rows: Vec<JointRow<'a>>,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct RoleFact<'a> {
    role: &'static str,
    joint: &'a str,
    reason: String,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
struct ChainFact<'a> {
    name: &'a str,
    base: &'a str,
    tip: &'a str,
}

/// A row of the table of joints.
#[derive(Clone, Debug)]
struct JointRow<'a> {
    depth: usize,
    joint: &'a Joint,
    role: Option<Role>,
}

impl<'a> SkeletonSummary<'a> {
    /// The summary of a skeleton with the roles that were found; `rest`: where its rest pose came from.
    pub fn new(skeleton: &'a Skeleton, roles: &RoleMap, rest: RestSource) -> SkeletonSummary<'a> {
        let name = |id: JointId| skeleton.joint(id).name.as_str();
        let end_sites = skeleton.joints().iter().filter(|joint| joint.end_site).count();
        let role = |row: &RoleRow| RoleFact {
            role: row.role.name(),
            joint: name(row.joint),
            reason: row.reason.to_string(),
        };
        let chain =
            |chain: &'a Chain| ChainFact { name: &chain.name, base: name(chain.base), tip: name(chain.tip) };
        SkeletonSummary {
            name: skeleton.name(),
            joints: skeleton.len() - end_sites,
            end_sites,
            unit: UnitFacts::of(skeleton),
            up: skeleton.space().up.to_string(),
            rest,
            scheme: roles.scheme,
            roles: roles.rows.iter().map(role).collect(),
            missing_roles: roles.missing().into_iter().map(Role::name).collect(),
            chains: skeleton.chains().iter().map(chain).collect(),
            limited: skeleton.joints().iter().filter(|joint| joint.dofs.has_limits()).count(),
            rows: joint_rows(skeleton, roles),
        }
    }

    /// Roles that retargeting needs and no joint has.
    pub fn missing_roles(&self) -> &[&'static str] {
        &self.missing_roles
    }
}

fn joint_rows<'a>(skeleton: &'a Skeleton, roles: &RoleMap) -> Vec<JointRow<'a>> {
    let mut depths = vec![0usize; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        depths[id.index()] = joint.parent.map_or(0, |parent| depths[parent.index()] + 1);
    }
    let joints = skeleton.iter().filter(|(_, joint)| !joint.end_site);
    joints.map(|(id, joint)| JointRow { depth: depths[id.index()], joint, role: roles.role(id) }).collect()
}

/// Indented lines: the skeleton, and a row per joint with role, length of the bone to it, rotation axes and limits.
/// Without a line break at the end.
impl fmt::Display for SkeletonSummary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name.is_empty() { String::new() } else { format!(" '{}'", self.name) };
        let scheme = self.scheme.map_or(String::new(), |scheme| format!(", names as in {scheme}"));
        writeln!(f, "  skeleton{name}: {} joints, {} end sites{scheme}", self.joints, self.end_sites)?;
        writeln!(f, "  unit {}, {} up", self.unit.text(), self.up)?;
        writeln!(f, "  rest pose: {}", self.rest)?;
        // Limits the indentation of deep chains.
        let indented = |row: &JointRow| format!("{}{}", "  ".repeat(row.depth.min(20)), row.joint.name);
        let names: Vec<String> = self.rows.iter().map(indented).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).clamp(5, 60);
        write!(f, "  {:width$}  {:14}  {:>10}  rotations", "joint", "role", "length")?;
        for (name, row) in names.iter().zip(&self.rows) {
            let (role, length) =
                (row.role.map_or("", Role::name), short((row.joint.offset.norm() * 1e4).round() / 1e4));
            let line = format!("  {name:width$}  {role:14}  {length:>10}  {}", rotations(row.joint));
            write!(f, "\n{}", line.trim_end())?;
        }
        for chain in &self.chains {
            write!(f, "\n  chain {}: {} to {}", chain.name, chain.base, chain.tip)?;
        }
        Ok(())
    }
}

/// `ZX, X -20° to 100°`: rotation axes in their order, and limits.
fn rotations(joint: &Joint) -> String {
    let dofs = &joint.dofs;
    let axes = dofs.order.axes().into_iter().filter(|axis| dofs.rotation[axis.index()]);
    let axes: String = axes.map(Axis::letter).collect();
    let mut parts = vec![if axes.is_empty() { "none".to_owned() } else { axes }];
    for axis in Axis::ALL {
        if let Some(limit) = dofs.limits[axis.index()] {
            let (min, max) = (limit.min.to_degrees(), limit.max.to_degrees());
            parts.push(format!("{} {min:.0}° to {max:.0}°", axis.letter()));
        }
    }
    parts.join(", ")
}
