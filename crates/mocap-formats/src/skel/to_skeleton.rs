//! The skeleton that a `.skel` file describes.

use super::Problem;
use super::document::{
    ChainField, CouplingField, DofsField, File, JointField, LimitsField, SHAPE, UnitField,
};
use super::robot::{RobotField, with_robot};
use super::rotation::rotation;
use super::source::Source;
use crate::tagged::{Fault, Step};
use crate::{Finding, LimitExceeded, Limits};
use mocap_model::{
    Axis, Chain, CoupledAngle, Coupling, Dofs, EulerOrder, Joint, JointId, Limit, ModelError, Relation, Role,
    SignedAxis, Skeleton, Space, Unit, UnitSource,
};
use std::collections::{HashMap, HashSet};

/// The skeleton that a file describes.
pub(crate) fn skeleton(mut file: File, source: &mut Source, limits: &Limits) -> Result<Skeleton, Finding> {
    let tag = [
        ("format", file.format != SHAPE.format),
        ("version", file.version > SHAPE.version || file.version == 0),
    ];
    if let Some((key, _)) = tag.into_iter().find(|(_, wrong)| *wrong) {
        let fault = match key {
            "format" => Fault::Format { found: file.format, expected: SHAPE.format },
            _ => Fault::Version { found: file.version, known: SHAPE.version },
        };
        return Err(source.error(&[Step::Key(key)], |_| SHAPE.problem(fault)));
    }
    let of_robot = file.robot.iter().flat_map(RobotField::sizes);
    for (what, found) in
        [("joints", file.joints.len()), ("chains", file.chains.len()), ("couplings", file.couplings.len())]
            .into_iter()
            .chain(of_robot)
    {
        if found > limits.joints {
            return Err(Finding::new(LimitExceeded { what, found, limit: limits.joints }));
        }
    }
    let robot = file.robot.take();
    let space = space(&file, source)?;
    let mut places: HashMap<String, JointId> = HashMap::with_capacity(file.joints.len());
    for (i, joint) in file.joints.iter().enumerate() {
        places.entry(joint.name.clone()).or_insert(JointId::from(i));
    }
    let mut joints: Vec<Joint> = Vec::with_capacity(file.joints.len());
    let mut levels = vec![1; file.joints.len()];
    // In a scene, each person is a separate tree with its own roles.
    let mut trees: Vec<usize> = (0..file.joints.len()).collect();
    let mut roles: HashMap<(usize, Role), &str> = HashMap::new();
    for (i, field) in file.joints.iter().enumerate() {
        let joint = joint(field, i, &places, source)?;
        // A parent that comes later is an error of the skeleton, reported below.
        if let Some(parent) = joint.parent.filter(|parent| parent.index() < i) {
            trees[i] = trees[parent.index()];
            levels[i] = levels[parent.index()] + 1;
        }
        if let Some(role) = joint.role
            && let Some(first) = roles.insert((trees[i], role), &field.name)
        {
            let steps = [Step::Key("joints"), Step::Index(i), Step::Key("role")];
            let message = format!("'{first}' is {role} as well: a role belongs to one joint");
            return Err(source.value(&steps, message).in_joint(&field.name));
        }
        if levels[i] > limits.depth {
            let (found, limit) = (levels[i], limits.depth);
            return Err(Finding::new(LimitExceeded { what: "levels", found, limit }));
        }
        joints.push(joint);
    }
    let names: Vec<String> = joints.iter().map(|joint| joint.name.clone()).collect();
    let skeleton =
        Skeleton::new(file.name, space, joints).map_err(|error| skeleton_error(error, &names, source))?;
    let skeleton = with_chains(skeleton, &file.chains, &places, source)?;
    let skeleton = with_couplings(skeleton, &file.couplings, &places, source)?;
    match robot {
        Some(robot) => with_robot(skeleton, robot, source),
        None => Ok(skeleton),
    }
}

fn with_chains(
    skeleton: Skeleton,
    fields: &[ChainField],
    places: &HashMap<String, JointId>,
    source: &Source,
) -> Result<Skeleton, Finding> {
    let mut chains: Vec<Chain> = Vec::with_capacity(fields.len());
    let mut chain_names = HashSet::new();
    for (i, chain) in fields.iter().enumerate() {
        let find = |key: &'static str, name: &str| {
            places.get(name).copied().ok_or_else(|| {
                let steps = [Step::Key("chains"), Step::Index(i), Step::Key(key)];
                source.error(&steps, |path| Problem::UnknownJoint { path, name: name.to_owned() })
            })
        };
        let (base, tip) = (find("base", &chain.base)?, find("tip", &chain.tip)?);
        if !chain_names.insert(chain.name.as_str()) {
            let steps = [Step::Key("chains"), Step::Index(i), Step::Key("name")];
            return Err(source.value(&steps, format!("two chains are called '{}'", chain.name)));
        }
        chains.push(Chain { name: chain.name.clone(), base, tip });
    }
    skeleton.with_chains(chains).map_err(|error| {
        let at = match &error {
            ModelError::BrokenChain { chain } => fields.iter().position(|other| other.name == *chain),
            _ => None,
        };
        let steps = [Step::Key("chains"), Step::Index(at.unwrap_or(0))];
        source.error(&steps, |path| Problem::Skeleton { path, error })
    })
}

fn with_couplings(
    skeleton: Skeleton,
    fields: &[CouplingField],
    places: &HashMap<String, JointId>,
    source: &Source,
) -> Result<Skeleton, Finding> {
    let couplings = fields.iter().enumerate().map(|(i, field)| coupling(field, i, places, source));
    let couplings = couplings.collect::<Result<Vec<Coupling>, Finding>>()?;
    skeleton.with_couplings(couplings).map_err(|error| {
        let at = match &error {
            ModelError::Coupling { coupling: name, .. } => {
                fields.iter().position(|other| other.name == *name)
            }
            // Of two joints with one name, the second.
            ModelError::DuplicateName { name } => fields.iter().rposition(|other| other.name == *name),
            _ => None,
        };
        let steps = [Step::Key("couplings"), Step::Index(at.unwrap_or(0))];
        source.error(&steps, |path| Problem::Skeleton { path, error })
    })
}

fn coupling(
    field: &CouplingField,
    index: usize,
    places: &HashMap<String, JointId>,
    source: &Source,
) -> Result<Coupling, Finding> {
    let at = [Step::Key("couplings"), Step::Index(index)];
    let mut angles = Vec::with_capacity(field.angles.len());
    for (i, angle) in field.angles.iter().enumerate() {
        let steps = |key: &'static str| [at[0], at[1], Step::Key("angles"), Step::Index(i), Step::Key(key)];
        let joint = places.get(&angle.joint).copied().ok_or_else(|| {
            let name = angle.joint.clone();
            source.error(&steps("joint"), |path| Problem::UnknownJoint { path, name })
        })?;
        let mut letters = angle.axis.chars();
        let axis = letters.next().and_then(Axis::from_letter).filter(|_| letters.next().is_none());
        let axis = axis.ok_or_else(|| {
            let message = format!("'{}' is not an axis: expected X, Y or Z", angle.axis);
            source.value(&steps("axis"), message)
        })?;
        angles.push(CoupledAngle { joint, axis, factor: angle.factor });
    }
    let (relation, value) = match (field.equals, field.at_most) {
        (Some(value), None) => (Relation::Equal, value),
        (None, Some(value)) => (Relation::AtMost, value),
        _ => return Err(source.value(&at, "a coupling has either 'equals' or 'at_most'")),
    };
    Ok(Coupling { name: field.name.clone(), angles, relation, value: value.to_radians() })
}

/// The finding of a skeleton's error, at the joint it is about; of two joints with one name, the second.
fn skeleton_error(error: ModelError, names: &[String], source: &Source) -> Finding {
    let (name, field) = match &error {
        ModelError::ParentAfterChild { joint } => (Some(joint), Some("parent")),
        ModelError::DuplicateName { name } => (Some(name), Some("name")),
        ModelError::EmptyLimit { joint, .. } => (Some(joint), Some("limits")),
        ModelError::RestTooFar { joint, .. } => (Some(joint), Some("offset")),
        ModelError::RestNotFinite { joint } | ModelError::EndSiteWithChild { joint } => (Some(joint), None),
        _ => (None, None),
    };
    let mut steps = vec![Step::Key("joints")];
    let joint = name.cloned();
    if let Some(at) = joint.as_ref().and_then(|joint| names.iter().rposition(|name| name == joint)) {
        steps.push(Step::Index(at));
        steps.extend(field.map(Step::Key));
    }
    let finding = source.error(&steps, |path| Problem::Skeleton { path, error });
    match joint {
        Some(joint) => finding.in_joint(joint),
        None => finding,
    }
}

fn space(file: &File, source: &Source) -> Result<Space, Finding> {
    let axis = |key: &'static str, text: &str| {
        text.parse::<SignedAxis>().map_err(|message| source.value(&[Step::Key(key)], message))
    };
    let (up, forward) = (axis("up", &file.up)?, axis("forward", &file.forward)?);
    if up.axis == forward.axis {
        return Err(source.value(&[Step::Key("forward")], "up and forward are on the same axis"));
    }
    let metres = match &file.unit {
        None => None,
        Some(UnitField::Metres(metres)) if metres.is_finite() && *metres > 0.0 => Some(*metres),
        Some(UnitField::Metres(metres)) => {
            let message = format!("{metres} is not a length of a unit: expected a number of metres above 0");
            return Err(source.value(&[Step::Key("unit")], message));
        }
        Some(UnitField::Name(name)) => match Unit::metres_of(name) {
            Some(metres) => Some(metres),
            None => {
                let message =
                    format!("'{name}' is not a unit: expected m, cm, mm, in, ft, cmu or a number of metres");
                return Err(source.value(&[Step::Key("unit")], message));
            }
        },
    };
    let unit_source = if file.unit_guessed { UnitSource::Guessed } else { UnitSource::File };
    Ok(Space { up, forward, unit: metres.map(|metres| Unit { metres, source: unit_source }) })
}

fn joint(
    field: &JointField,
    index: usize,
    places: &HashMap<String, JointId>,
    source: &mut Source,
) -> Result<Joint, Finding> {
    let at = [Step::Key("joints"), Step::Index(index)];
    let below = |key: &'static str| [at[0], at[1], Step::Key(key)];
    let in_joint = |finding: Finding| finding.in_joint(field.name.clone());
    if field.name.is_empty() {
        return Err(source.value(&below("name"), "the name is empty"));
    }
    let parent = match &field.parent {
        None => None,
        Some(name) => Some(*places.get(name).ok_or_else(|| {
            let name = name.clone();
            in_joint(source.error(&below("parent"), |path| Problem::UnknownJoint { path, name }))
        })?),
    };
    let role = match &field.role {
        None => None,
        Some(role) => {
            Some(role.parse().map_err(|message: String| in_joint(source.value(&below("role"), message)))?)
        }
    };
    let rest_rotation = rotation(field.rotation, &below("rotation"), source).map_err(in_joint)?;
    let mut dofs = dofs(field.dofs.as_ref(), field.end_site, &below("dofs"), source).map_err(in_joint)?;
    if let Some(LimitsField { x, y, z }) = &field.limits {
        for ((limit, key), field) in dofs.limits.iter_mut().zip(["X", "Y", "Z"]).zip([x, y, z]) {
            let Some([min, max]) = *field else { continue };
            let (from, to) = (min.unwrap_or(f64::NEG_INFINITY), max.unwrap_or(f64::INFINITY));
            if from > to {
                let message = format!("the limit runs from {from} to {to}: the smaller angle comes first");
                return Err(in_joint(
                    source.value(&[at[0], at[1], Step::Key("limits"), Step::Key(key)], message),
                ));
            }
            *limit = Some(Limit { min: from.to_radians(), max: to.to_radians() });
        }
    }
    Ok(Joint {
        name: field.name.clone(),
        parent,
        offset: field.offset.into(),
        rest_rotation,
        dofs,
        role,
        end_site: field.end_site,
    })
}

fn dofs(
    field: Option<&DofsField>,
    end_site: bool,
    at: &[Step; 3],
    source: &mut Source,
) -> Result<Dofs, Finding> {
    let mut dofs = if end_site { Dofs::locked(EulerOrder::ZXY) } else { Dofs::ball(EulerOrder::ZXY) };
    let Some(field) = field else { return Ok(dofs) };
    let below = |key: &'static str| [at[0], at[1], at[2], Step::Key(key)];
    if let Some(order) = &field.order {
        dofs.order = order.parse().map_err(|message: String| source.value(&below("order"), message))?;
    }
    if let Some(text) = &field.rotation {
        dofs.rotation = axes(text).ok_or_else(|| source.value(&below("rotation"), no_axes(text)))?;
    }
    if let Some(text) = &field.translation {
        dofs.translation = axes(text).ok_or_else(|| source.value(&below("translation"), no_axes(text)))?;
    }
    dofs.frame = rotation(field.frame, &below("frame"), source)?;
    Ok(dofs)
}

fn no_axes(text: &str) -> String {
    format!("'{text}' is not a list of axes: expected X, Y and Z, each at most once")
}

fn axes(text: &str) -> Option<[bool; 3]> {
    let mut axes = [false; 3];
    for letter in text.chars() {
        let axis = Axis::from_letter(letter)?;
        if std::mem::replace(&mut axes[axis.index()], true) {
            return None;
        }
    }
    Some(axes)
}
