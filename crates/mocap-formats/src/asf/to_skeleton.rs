//! What an ASF file means: bones become joints.
//!
//! A bone turns about its start, which is where its parent ends. So the joint of a bone is at its start, with the
//! parent bone as its offset, and a bone without children ends in an end site.

use super::tree::tree;
use super::{AngleUnit, AxisAngles, Bone, Document, Dof, Problem};
use crate::{Finding, Parsed};
use mocap_model::{
    Dofs, EulerOrder, Joint, JointId, Limit, Skeleton, Space, Unit, UnitQuaternion, UnitSource, Vector3,
};
use std::collections::{HashMap, HashSet};

/// How long one unit of a file's numbers is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AsfUnits {
    /// [`AsfUnits::Cmu`] where the file says `length 0.45`, else unknown.
    #[default]
    Auto,
    /// As in the CMU database: the number divided by `length` is inches.
    Cmu,
    /// As the format defines it: the number times `length` is inches.
    Spec,
    /// Unknown.
    Raw,
}

/// `length` where a file of the CMU database states none.
const CMU_LENGTH: f64 = 0.45;
const INCH: f64 = 0.0254;

/// What the name of an end adds to that of its bone.
const END: &str = "_End";

impl AsfUnits {
    /// The unit of the numbers of a file that states `length`.
    pub fn unit(self, length: Option<f64>) -> Option<Unit> {
        let usable = |length: &f64| length.is_finite() && *length > 0.0;
        let cmu = length.is_some_and(|length| (length / CMU_LENGTH - 1.0).abs() < 1e-6);
        match self {
            AsfUnits::Auto if cmu => Some(Unit { metres: Unit::CMU, source: UnitSource::File }),
            AsfUnits::Auto | AsfUnits::Raw => None,
            AsfUnits::Cmu => {
                let metres = INCH / length.filter(usable).unwrap_or(CMU_LENGTH);
                Some(Unit { metres, source: UnitSource::Flag })
            }
            AsfUnits::Spec => {
                let metres = INCH * length.filter(usable).unwrap_or(1.0);
                Some(Unit { metres, source: UnitSource::Flag })
            }
        }
    }
}

/// The skeleton that a file describes, in the file's numbers; its space says how long one of them is.
///
/// Joints are called like their bones, the end of a bone without children `<bone>_End`, with as many more
/// `_End` as make the name unique.
///
/// ```
/// # let asf = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/clips/robin.asf"));
/// use mocap_formats::asf::{AsfUnits, parse, to_skeleton};
///
/// let document = parse(asf, &Default::default())?.value;
/// let skeleton = to_skeleton(&document, AsfUnits::Auto)?.value;
/// assert!(skeleton.find("root").is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the document was changed and its bones are not a tree.
pub fn to_skeleton(document: &Document, units: AsfUnits) -> Result<Parsed<Skeleton>, Finding> {
    Ok(Parsed { value: build(document, units)?.skeleton, warnings: Vec::new() })
}

/// A skeleton and which of its joints a bone became.
pub(crate) struct BuiltSkeleton {
    pub(crate) skeleton: Skeleton,
    /// By bone: the joint at its start.
    pub(crate) joints: Vec<JointId>,
    /// By bone: the joints at its end.
    pub(crate) ends: Vec<Vec<JointId>>,
}

pub(crate) fn build(document: &Document, units: AsfUnits) -> Result<BuiltSkeleton, Finding> {
    let tree = tree(document)
        .map_err(|(problem, bone)| Finding::new(problem).in_joint(document.bones[bone].name.clone()))?;
    let angle = document.units.angle.unwrap_or(AngleUnit::Degrees);
    let mut joints = vec![joint("root".into(), None, document.root.position.into())];
    joints[0].dofs = dofs(&document.root.order, &[], &document.root.orientation, angle);
    let mut place = vec![JointId(0); document.bones.len()];
    let mut ends = vec![Vec::new(); document.bones.len()];
    // By name without its trailing `_End`s: the numbers of `_End`s that are taken.
    let mut names: HashMap<&str, HashSet<usize>> = HashMap::new();
    for name in document.bones.iter().map(|bone| bone.name.as_str()).chain(["root"]) {
        let (stem, ends) = split(name);
        names.entry(stem).or_default().insert(ends);
    }
    for &bone in &tree.order {
        let Bone { name, dofs: channels, limits, axis, .. } = &document.bones[bone];
        let parent = tree.parents[bone];
        let offset = parent.map_or(Vector3::zeros(), |parent| extent(&document.bones[parent]));
        let id = JointId::from(joints.len());
        place[bone] = id;
        let above = parent.map_or(JointId(0), |parent| place[parent]);
        joints.push(Joint {
            dofs: dofs(channels, limits, axis, angle),
            ..joint(name.clone(), Some(above), offset)
        });
        if let Some(parent) = parent {
            ends[parent].push(id);
        }
        if tree.children[bone].is_empty() {
            let (stem, mut count) = split(name);
            let taken = names.entry(stem).or_default();
            count += 1;
            while !taken.insert(count) {
                count += 1;
            }
            let end = format!("{stem}{}", END.repeat(count));
            ends[bone].push(JointId::from(joints.len()));
            // An end site never moves in its parent's frame; the end of a bone that stretches does.
            let end_site = !channels.contains(&Dof::Length);
            joints.push(Joint { end_site, ..joint(end, Some(id), extent(&document.bones[bone])) });
        }
    }
    let space = Space { unit: units.unit(document.units.length), ..Space::default() };
    let name = document.name.clone().unwrap_or_default();
    let skeleton = Skeleton::new(name, space, joints).map_err(|e| Finding::new(Problem::Skeleton(e)))?;
    Ok(BuiltSkeleton { skeleton, joints: place, ends })
}

/// A name without its trailing `_End`s, and the number of these.
fn split(name: &str) -> (&str, usize) {
    let stem = name.trim_end_matches(END);
    (stem, (name.len() - stem.len()) / END.len())
}

/// A locked joint.
fn joint(name: String, parent: Option<JointId>, offset: Vector3<f64>) -> Joint {
    Joint { dofs: Dofs::locked(EulerOrder::ZXY), ..Joint::new(name, parent, offset) }
}

/// From the start of a bone to its end at rest.
pub(crate) fn extent(bone: &Bone) -> Vector3<f64> {
    Vector3::from(bone.direction) * bone.length
}

/// The axes that channels turn about: `R(last) · … · R(first)`, as the axes are fixed.
pub(crate) fn axes(axis: &AxisAngles, unit: AngleUnit) -> UnitQuaternion<f64> {
    let [first, second, third] = axis.order;
    let order = EulerOrder::new([third, second, first]).expect("the three axes differ");
    order.rotation(order.axes().map(|axis_of| axis.angles[axis_of.index()] * unit.radians()))
}

/// The degrees of freedom of some channels. They rotate about fixed axes in their order, so the last one is the
/// leftmost factor.
fn dofs(channels: &[Dof], limits: &[[f64; 2]], axis: &AxisAngles, unit: AngleUnit) -> Dofs {
    let mut turning = Vec::new();
    let mut dofs = Dofs { frame: axes(axis, unit), ..Dofs::locked(EulerOrder::ZXY) };
    for (i, channel) in channels.iter().enumerate() {
        match *channel {
            Dof::Rotation(axis) if !turning.contains(&axis) => {
                turning.insert(0, axis);
                dofs.rotation[axis.index()] = true;
                dofs.limits[axis.index()] = limits.get(i).and_then(|limits| range(limits, unit));
            }
            Dof::Translation(axis) => dofs.translation[axis.index()] = true,
            Dof::Rotation(_) | Dof::Length => {}
        }
    }
    if !turning.is_empty() {
        dofs.order = EulerOrder::completing(&turning).expect("no axis is there twice");
    }
    dofs
}

/// `None` where nothing is limited: between infinities, or by the (0 0) of files that have no limits to state.
fn range(&[a, b]: &[f64; 2], unit: AngleUnit) -> Option<Limit> {
    let unlimited =
        a.is_nan() || b.is_nan() || (a == 0.0 && b == 0.0) || (a.is_infinite() && b.is_infinite());
    (!unlimited).then(|| Limit { min: a.min(b) * unit.radians(), max: a.max(b) * unit.radians() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asf::Link;
    use mocap_model::{Axis, angle_between};

    #[test]
    fn the_first_axis_turns_first_about_fixed_axes() {
        let angles: [f64; 3] = [30.0, 40.0, 50.0];
        let turn =
            |axis: Axis| UnitQuaternion::from_axis_angle(&axis.unit(), angles[axis.index()].to_radians());
        let xyz = axes(&AxisAngles { angles, order: Axis::ALL }, AngleUnit::Degrees);
        assert!(angle_between(&xyz, &(turn(Axis::Z) * turn(Axis::Y) * turn(Axis::X))) < 1e-12);
        let yzx = AxisAngles { angles, order: [Axis::Y, Axis::Z, Axis::X] };
        let yzx = axes(&yzx, AngleUnit::Degrees);
        assert!(angle_between(&yzx, &(turn(Axis::X) * turn(Axis::Z) * turn(Axis::Y))) < 1e-12);
    }

    #[test]
    fn units_follow_the_database_the_definition_or_nobody() {
        let metres = |units: AsfUnits, length| units.unit(length).map(|unit| unit.metres);
        assert_eq!(metres(AsfUnits::Auto, Some(0.45)), Some(Unit::CMU));
        assert_eq!(metres(AsfUnits::Auto, Some(1.0)), None);
        assert_eq!(metres(AsfUnits::Auto, None), None);
        assert_eq!(metres(AsfUnits::Cmu, Some(0.9)), Some(0.0254 / 0.9));
        assert_eq!(metres(AsfUnits::Spec, Some(2.0)), Some(0.0508));
        assert_eq!(metres(AsfUnits::Spec, None), Some(0.0254));
        assert_eq!(metres(AsfUnits::Raw, Some(0.45)), None);
    }

    #[test]
    fn ends_have_names_of_their_own() {
        let bone = |name: &str| Bone { name: name.into(), direction: [1.0, 0.0, 0.0], ..Bone::default() };
        let names = |bones: &[&str]| -> Vec<String> {
            let bones: Vec<Bone> = bones.iter().map(|name| bone(name)).collect();
            let hierarchy = vec![Link { parent: None, children: (0..bones.len()).collect() }];
            let document = Document { bones, hierarchy, ..Document::default() };
            let skeleton = to_skeleton(&document, AsfUnits::Raw).unwrap().value;
            skeleton.joints().iter().map(|joint| joint.name.clone()).collect()
        };
        assert_eq!(names(&["a", "b"]), ["root", "a", "a_End", "b", "b_End"]);
        assert_eq!(names(&["a", "a_End"]), ["root", "a", "a_End_End", "a_End", "a_End_End_End"]);
        assert_eq!(names(&["a_End", "a"]), ["root", "a_End", "a_End_End", "a", "a_End_End_End"]);
    }
}
