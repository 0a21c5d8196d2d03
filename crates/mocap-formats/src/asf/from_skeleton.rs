//! Converts any skeleton to one that an ASF file can hold.
//!
//! A bone has one end, where all of its children start. A joint whose children start at different places gets
//! a bone without channels from its end to each other place, as `lhipjoint` in the files of the CMU database.
//! Directions are in the axes of the file at rest, so the rest rotations of joints go into the axes that
//! their channels turn about.

use super::to_skeleton::axes;
use super::{AngleUnit, AxisAngles, Bone, Document, Dof, Link, Problem, Root, Units};
use crate::names::Unique;
use crate::{Finding, Parsed, number};
use mocap_model::{Axis, Dofs, EulerOrder, Joint, JointId, Skeleton, Space, Unit, UnitQuaternion, Vector3};
use std::collections::HashMap;

/// The channels that a joint needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    pub(crate) rotation: [bool; 3],
    pub(crate) translation: bool,
}

impl Needs {
    /// What the skeleton allows the joint.
    pub(crate) fn of(joint: &Joint) -> Needs {
        Needs { rotation: joint.dofs.rotation, translation: joint.dofs.translation.contains(&true) }
    }
}

/// The bone that takes the motion of a joint.
pub(crate) struct PlannedBone {
    /// Its place in the file; `None` for the root.
    pub(crate) bone: Option<usize>,
    pub(crate) joint: JointId,
    pub(crate) dofs: Vec<Dof>,
    pub(crate) order: EulerOrder,
    /// The axes that the channels turn about.
    pub(crate) axes: UnitQuaternion<f64>,
    /// From the frame of the joint's parent at rest to the axes of the file.
    pub(crate) parent_rest: UnitQuaternion<f64>,
    /// From the frame of the joint at rest to the axes of the file.
    pub(crate) rest: UnitQuaternion<f64>,
    /// Where the joint stands when its channels are 0, in its parent's frame.
    pub(crate) start: Vector3<f64>,
}

/// Children nearer to the joint than this share of the distance to the furthest child do not define the end of the
/// bone.
const FAR: f64 = 0.25;

/// An ASF file for a skeleton in [`file_space`].
pub(crate) struct Plan {
    pub(crate) document: Document,
    /// The root first, if it is a joint, then joints in the order of the skeleton; end sites have none.
    pub(crate) bones: Vec<PlannedBone>,
    pub(crate) warnings: Vec<Finding>,
}

/// The ASF file of a skeleton.
///
/// Lengths become those of the CMU database where the unit is known, so other programs read them
/// alike; numbers stay where it is not. Y is up. The root stands at the origin, so all of its place is
/// in the motion. A root is called `root`, whatever it was; other names are made unique, without blanks.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let document = mocap_formats::asf::from_skeleton(clip.skeleton())?.value;
/// assert!(document.bones.iter().any(|bone| bone.name == "RightForeArm"));
/// # Ok::<(), mocap_formats::Finding>(())
/// ```
///
/// # Errors
/// If a length is not a finite number in the unit of the file.
pub fn from_skeleton(skeleton: &Skeleton) -> Result<Parsed<Document>, Finding> {
    let skeleton = skeleton
        .in_space(file_space(skeleton.space()))
        .map_err(|error| Finding::new(Problem::Skeleton(error)))?;
    let needs: Vec<Needs> = skeleton.joints().iter().map(Needs::of).collect();
    let plan = plan(&skeleton, &needs);
    Ok(Parsed { value: plan.document, warnings: plan.warnings })
}

/// The space that an ASF file can state: the CMU unit or none, Y up.
pub(crate) fn file_space(space: &Space) -> Space {
    let unit = space.unit.map(|unit| match (unit.metres / Unit::CMU - 1.0).abs() < 1e-12 {
        true => unit,
        false => Unit { metres: Unit::CMU, ..unit },
    });
    Space { unit, ..Space::default() }
}

pub(crate) fn plan(skeleton: &Skeleton, needs: &[Needs]) -> Plan {
    let mut names = Unique::in_any_case();
    names.claim("root");
    let mut builder = Builder {
        skeleton,
        names,
        plan: Plan { document: Document::default(), bones: Vec::new(), warnings: Vec::new() },
        children: Vec::new(),
    };
    builder.build(needs);
    let length = if skeleton.space().unit.is_some() { 0.45 } else { 1.0 };
    let mut plan = builder.plan;
    let document = &mut plan.document;
    document.version = Some("1.10".into());
    document.name = Some(one_line(skeleton.name())).filter(|name| !name.is_empty());
    document.units = Units { mass: Some(1.0), length: Some(length), angle: Some(AngleUnit::Degrees) };
    plan
}

struct Builder<'s> {
    skeleton: &'s Skeleton,
    /// Some readers compare names in lower case, so names that differ only in case count as the same.
    names: Unique,
    plan: Plan,
    /// The children of the root, then of each bone.
    children: Vec<Vec<usize>>,
}

/// The attachment of a joint: the bone above it (`None`: the root) and the frame of its parent at rest.
#[derive(Clone, Copy)]
struct Hook {
    bone: Option<usize>,
    rest: UnitQuaternion<f64>,
}

impl Builder<'_> {
    fn build(&mut self, needs: &[Needs]) {
        let roots: Vec<JointId> =
            self.skeleton.roots().filter(|&root| !self.skeleton.joint(root).end_site).collect();
        self.children.push(Vec::new());
        let mut hooks = vec![Hook { bone: None, rest: UnitQuaternion::identity() }; self.skeleton.len()];
        let single = roots.len() == 1;
        if !single {
            let order = [Axis::X, Axis::Y, Axis::Z];
            self.plan.document.root.order =
                order.map(Dof::Translation).into_iter().chain(order.map(Dof::Rotation)).collect();
            self.warn(Problem::SeveralRoots { count: roots.len() }, None);
        }
        for (id, joint) in self.skeleton.iter().filter(|(_, joint)| !joint.end_site) {
            let hook = hooks[id.index()];
            let needs = match joint.parent {
                Some(_) => needs[id.index()],
                None => Needs { translation: true, ..needs[id.index()] },
            };
            let rest = hook.rest * joint.rest_rotation;
            let tip = self.tip(id, &rest, single && joint.parent.is_none());
            let bone = if joint.parent.is_none() && single {
                self.add_root(id, joint, needs, rest);
                None
            } else {
                Some(self.add_joint(id, joint, needs, hook, rest, tip))
            };
            self.hang_children(id, bone, rest, tip, &mut hooks);
        }
        let document = &mut self.plan.document;
        for (i, children) in self.children.iter().enumerate().filter(|(_, children)| !children.is_empty()) {
            document.hierarchy.push(Link { parent: i.checked_sub(1), children: children.clone() });
        }
    }

    /// The end of the bone of a joint relative to its start, in the axes of the file. It is the start of one child: of
    /// the children that are far enough away ([`FAR`] excludes twist joints), the one nearest to their middle. The root
    /// has no length.
    fn tip(&self, id: JointId, rest: &UnitQuaternion<f64>, point: bool) -> Vector3<f64> {
        let mut starts: Vec<Vector3<f64>> =
            self.skeleton.children(id).iter().map(|&child| self.skeleton.joint(child).offset).collect();
        if starts.is_empty() || point {
            return Vector3::zeros();
        }
        let furthest = starts.iter().map(Vector3::norm).fold(0.0, f64::max);
        starts.retain(|start| start.norm() >= FAR * furthest);
        let middle = starts.iter().sum::<Vector3<f64>>() / starts.len() as f64;
        let distance = |start: &Vector3<f64>| (start - middle).norm();
        let nearest = starts.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        rest * nearest.expect("the furthest is there")
    }

    fn add_root(&mut self, id: JointId, joint: &Joint, needs: Needs, rest: UnitQuaternion<f64>) {
        if joint.name != "root" {
            self.warn(Problem::RootRenamed { name: joint.name.clone() }, Some(&joint.name));
        }
        let (dofs, order, _) = self.channels(joint, needs);
        let orientation = axis_angles(&(rest * joint.dofs.frame));
        self.plan.document.root = Root { order: dofs.clone(), orientation, position: [0.0; 3] };
        self.plan.bones.push(PlannedBone {
            bone: None,
            joint: id,
            dofs,
            order,
            axes: axes(&orientation, AngleUnit::Degrees),
            parent_rest: UnitQuaternion::identity(),
            rest,
            start: Vector3::zeros(),
        });
    }

    fn add_joint(
        &mut self,
        id: JointId,
        joint: &Joint,
        needs: Needs,
        hook: Hook,
        rest: UnitQuaternion<f64>,
        tip: Vector3<f64>,
    ) -> usize {
        let name = self.claim(&joint.name);
        if name != joint.name {
            self.warn(Problem::Renamed { name: name.clone() }, Some(&joint.name));
        }
        let (dofs, order, limits) = self.channels(joint, needs);
        let axis = axis_angles(&(rest * joint.dofs.frame));
        // A bone without length needs a direction: that of the bone before.
        let before = hook.rest * joint.offset;
        let bone = self.add_bone(hook.bone, bone(name, tip, before));
        let written = &mut self.plan.document.bones[bone];
        (written.axis, written.dofs, written.limits) = (axis, dofs.clone(), limits);
        self.plan.bones.push(PlannedBone {
            bone: Some(bone),
            joint: id,
            dofs,
            order,
            axes: axes(&axis, AngleUnit::Degrees),
            parent_rest: hook.rest,
            rest,
            // Several roots each move relative to the origin.
            start: if joint.parent.is_none() { Vector3::zeros() } else { joint.offset },
        });
        bone
    }

    /// Attaches the children of a joint to the end of its bone; a child that starts elsewhere gets a connecting bone.
    fn hang_children(
        &mut self,
        id: JointId,
        bone_of: Option<usize>,
        rest: UnitQuaternion<f64>,
        tip: Vector3<f64>,
        hooks: &mut [Hook],
    ) {
        // Connecting bones by the bits of their end point: children that start at the same point share one.
        let mut bridges: HashMap<[u64; 3], usize> = HashMap::new();
        for &child in self.skeleton.children(id) {
            let joint = self.skeleton.joint(child);
            let start = rest * joint.offset;
            let way = start - tip;
            if way.norm() <= 1e-12 * start.norm() {
                hooks[child.index()] = Hook { bone: bone_of, rest };
                continue;
            }
            let key = [way.x, way.y, way.z].map(f64::to_bits);
            let bridge = match bridges.get(&key) {
                Some(bridge) => *bridge,
                None => {
                    let name = self.claim(&format!("{}_to_{}", self.skeleton.joint(id).name, joint.name));
                    let bridge = self.add_bone(bone_of, bone(name, way, way));
                    bridges.insert(key, bridge);
                    bridge
                }
            };
            hooks[child.index()] = Hook { bone: Some(bridge), rest };
        }
    }

    fn add_bone(&mut self, parent: Option<usize>, mut bone: Bone) -> usize {
        let place = self.plan.document.bones.len();
        bone.id = Some((place + 1).to_string());
        self.plan.document.bones.push(bone);
        self.children[parent.map_or(0, |parent| parent + 1)].push(place);
        self.children.push(Vec::new());
        place
    }

    /// The channels of a joint, how their angles make a rotation, and their limits.
    fn channels(&mut self, joint: &Joint, needs: Needs) -> (Vec<Dof>, EulerOrder, Vec<[f64; 2]>) {
        let Dofs { order, limits, .. } = &joint.dofs;
        let mut dofs = Vec::new();
        if needs.translation {
            dofs.extend(Axis::ALL.map(Dof::Translation));
        }
        if order.is_proper() && needs.rotation.contains(&true) {
            self.warn(Problem::EulerOrder { order: order.to_string() }, Some(&joint.name));
            dofs.extend(Axis::ALL.map(Dof::Rotation));
            return (dofs, EulerOrder::ZYX, Vec::new());
        }
        // Channels rotate about fixed axes: the last one is the leftmost factor.
        let turning = order.axes().into_iter().rev().filter(|axis| needs.rotation[axis.index()]);
        dofs.extend(turning.map(Dof::Rotation));
        if !joint.dofs.has_limits() {
            return (dofs, *order, Vec::new());
        }
        let limits = dofs.iter().map(|dof| match dof {
            Dof::Rotation(axis) => match limits[axis.index()] {
                Some(limit) => [limit.min, limit.max].map(|angle| rounded(angle.to_degrees())),
                None => [f64::NEG_INFINITY, f64::INFINITY],
            },
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        });
        let limits = limits.collect();
        (dofs, *order, limits)
    }

    /// A unique name: one word that is not a number.
    fn claim(&mut self, name: &str) -> String {
        let blank = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '#' | ',' | '(' | ')');
        let mut word: String = name.trim().chars().map(|c| if blank(c) { '_' } else { c }).collect();
        let is_number = number::scan(word.as_bytes(), 0).is_some_and(|(_, end)| end == word.len());
        if is_number || word.is_empty() || word.starts_with(':') {
            word.insert_str(0, "bone");
        }
        self.names.claim(&word)
    }

    fn warn(&mut self, problem: Problem, joint: Option<&str>) {
        let finding = Finding::new(problem);
        self.plan.warnings.push(match joint {
            Some(joint) => finding.in_joint(joint),
            None => finding,
        });
    }
}

/// The text up to the end of its line or a character that would start a comment.
fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_control() || c == '#').next().unwrap_or_default().trim().to_owned()
}

fn bone(name: String, extent: Vector3<f64>, otherwise: Vector3<f64>) -> Bone {
    let pointing = [extent, otherwise, Vector3::y()].into_iter().find(|v| v.norm() > 0.0);
    let direction = pointing.unwrap_or_default().normalize();
    Bone {
        name,
        direction: [0, 1, 2].map(|i| rounded(direction[i])),
        length: rounded(extent.norm()),
        ..Bone::default()
    }
}

/// Fixed-axis angles \[degrees\] of a rotation, X first.
fn axis_angles(rotation: &UnitQuaternion<f64>) -> AxisAngles {
    let [z, y, x] = EulerOrder::ZYX.angles(rotation);
    AxisAngles { angles: [x, y, z].map(|angle| rounded(angle.to_degrees())), order: Axis::ALL }
}

/// Twelve decimals: far below what motion capture measures, and 90 stays 90.
fn rounded(value: f64) -> f64 {
    let scaled = value * 1e12;
    if scaled.abs() < 9e15 { scaled.round() / 1e12 + 0.0 } else { value }
}
