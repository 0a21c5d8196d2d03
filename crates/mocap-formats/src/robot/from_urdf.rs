//! URDF: links and the joints between them.

use std::collections::HashMap;

use mocap_model::{
    ContactMask, Isometry3, Limit, Mimic, Primitive, RobotBody, RobotJoint, RobotJointKind, RobotParts,
    RobotShape, Vector3,
};

use super::Problem;
use super::element::Element;
use super::inertial::{Inertial, symmetric, weigh};
use super::mesh::{Fit, Meshes, places_of_urdf};
use super::orientation::{roll_pitch_yaw, unit};
use crate::Finding;

/// The parts of the robot; bodies follow the tree, children in the order of the joints of the file.
pub(super) fn parts(
    root: &Element,
    meshes: &Meshes,
    warnings: &mut Vec<Finding>,
) -> Result<RobotParts, Finding> {
    let links: Vec<&Element> = root.all("link").collect();
    let mut by_name = HashMap::new();
    for (index, link) in links.iter().enumerate() {
        let name = link.require("name")?;
        if by_name.insert(name, index).is_some() {
            return Err(link.error(Problem::Duplicate { what: "link", name: name.to_owned() }));
        }
    }
    if links.is_empty() {
        return Err(root.error(Problem::Missing { element: "robot".into(), attribute: "link" }));
    }
    let edges = edges(root, &by_name, links.len())?;
    let base = base(root, &links, &edges)?;
    let order = depth_first(base, &edges, &links)?;

    let mut parts = RobotParts { name: root.get("name").unwrap_or("").to_owned(), ..RobotParts::default() };
    let mut bodies = vec![usize::MAX; links.len()];
    // MuJoCo's extension of URDF.
    let compilers = root.all("mujoco").flat_map(|mujoco| mujoco.all("compiler"));
    let folder = compilers.filter_map(|compiler| compiler.get("meshdir").or(compiler.get("assetdir"))).last();
    let mut left_out = Vec::new();
    for link in order {
        let element = links[link];
        let name = element.get("name").unwrap_or("").to_owned();
        let edge = edges.above[link];
        let (parent, placement) = match edge {
            Some(Edge { parent, joint }) => (Some(bodies[parent]), origin(joint.child("origin"))?),
            None => (None, Isometry3::identity()),
        };
        let body = parts.bodies.len();
        bodies[link] = body;
        let (mass, centre_of_mass, inertia) = (None, Vector3::zeros(), None);
        parts.bodies.push(RobotBody { name, parent, placement, mass, centre_of_mass, inertia });
        if let Some(Edge { joint, .. }) = edge
            && let Some(moved) = joint_of(joint, body, warnings)?
        {
            parts.joints.push(moved);
        }
        let mut weights = Vec::new();
        for collision in element.all("collision") {
            if let Some(mesh) = collision.child("geometry").and_then(|geometry| geometry.child("mesh")) {
                let stated = mesh.require("filename")?;
                let fit = Fit::scaled(mesh.numbers("scale")?.unwrap_or([1.0; 3]));
                let placement = origin(collision.child("origin"))?;
                match meshes.of_file(mesh, stated, &places_of_urdf(stated, folder), &fit, warnings)? {
                    Ok(hull) => {
                        let (placement, primitive) = hull.placed(&placement);
                        let name = collision.get("name").unwrap_or("").to_owned();
                        let mask = ContactMask::default();
                        parts.shapes.push(RobotShape { name, body, placement, primitive, mask });
                    }
                    Err(why) => left_out.push(why),
                }
            } else if let Some(shape) = shape(collision, body)? {
                weights.push(Inertial::of_shape(&shape.primitive, &shape.placement, None, None));
                parts.shapes.push(shape);
            }
        }
        weigh(&mut parts.bodies[body], inertial(element)?, &weights);
    }
    if !left_out.is_empty() {
        warnings.push(Finding::new(Problem::Meshes { shapes: left_out, remain: parts.shapes.len() }));
    }
    parts.floating = true;
    free_the_base(&mut parts, &edges, &bodies);
    set_mimics(root, &mut parts)?;
    Ok(parts)
}

/// The joint above a link, and the link at its other end.
#[derive(Clone, Copy)]
struct Edge<'e> {
    parent: usize,
    joint: &'e Element,
}

/// The tree by link.
struct Edges<'e> {
    above: Vec<Option<Edge<'e>>>,
    children: Vec<Vec<usize>>,
}

fn edges<'e>(root: &'e Element, by_name: &HashMap<&str, usize>, links: usize) -> Result<Edges<'e>, Finding> {
    let mut edges = Edges { above: vec![None; links], children: vec![Vec::new(); links] };
    let mut names = HashMap::new();
    for joint in root.all("joint") {
        let name = joint.require("name")?;
        if names.insert(name, ()).is_some() {
            return Err(joint.error(Problem::Duplicate { what: "joint", name: name.to_owned() }));
        }
        let end = |which: &'static str| {
            let missing = || joint.error(Problem::Missing { element: "joint".into(), attribute: which });
            let link = joint.child(which).ok_or_else(missing)?;
            let name = link.require("link")?;
            let unknown = || link.error(Problem::Unknown { what: "link", name: name.to_owned() });
            by_name.get(name).copied().ok_or_else(unknown)
        };
        let (parent, child) = (end("parent")?, end("child")?);
        if edges.above[child].replace(Edge { parent, joint }).is_some() {
            let name = joint.child("child").and_then(|child| child.get("link")).unwrap_or("").to_owned();
            return Err(joint.error(Problem::Duplicate { what: "parent of the link", name }));
        }
        edges.children[parent].push(child);
    }
    Ok(edges)
}

/// The only link without a parent.
fn base(root: &Element, links: &[&Element], edges: &Edges) -> Result<usize, Finding> {
    let name = |link: usize| links[link].get("name").unwrap_or("").to_owned();
    let mut without_parent = (0..links.len()).filter(|link| edges.above[*link].is_none());
    match (without_parent.next(), without_parent.next()) {
        (Some(base), None) => Ok(base),
        (Some(first), Some(second)) => {
            Err(links[second].error(Problem::SecondRoot { first: name(first), second: name(second) }))
        }
        (None, _) => Err(root.error(Problem::Circle { link: name(0) })),
    }
}

fn depth_first(base: usize, edges: &Edges, links: &[&Element]) -> Result<Vec<usize>, Finding> {
    let mut order = Vec::with_capacity(links.len());
    let mut open = vec![base];
    while let Some(link) = open.pop() {
        order.push(link);
        open.extend(edges.children[link].iter().rev());
    }
    // Links that have a parent but cannot be reached from the base form a cycle.
    if order.len() < links.len() {
        let mut reached = vec![false; links.len()];
        order.iter().for_each(|link| reached[*link] = true);
        let circle = reached.iter().position(|reached| !reached).expect("one is not reached");
        let link = links[circle].get("name").unwrap_or("").to_owned();
        return Err(links[circle].error(Problem::Circle { link }));
    }
    Ok(order)
}

/// A base that a floating joint connects to a world link becomes a free base, without that link.
fn free_the_base(parts: &mut RobotParts, edges: &Edges, bodies: &[usize]) {
    let floats = |link: &usize| {
        let kind = edges.above[*link].and_then(|edge| edge.joint.get("type"));
        kind == Some("floating") && bodies[*link] == 1
    };
    let is_world = (0..edges.above.len()).any(|link| floats(&link))
        && parts.bodies.iter().filter(|body| body.parent == Some(0)).count() == 1
        && !parts.shapes.iter().any(|shape| shape.body == 0)
        && !parts.joints.iter().any(|joint| joint.body <= 1);
    if !is_world {
        return;
    }
    parts.bodies.remove(0);
    for body in &mut parts.bodies {
        body.parent = body.parent.and_then(|parent| parent.checked_sub(1));
    }
    parts.joints.iter_mut().for_each(|joint| joint.body -= 1);
    parts.shapes.iter_mut().for_each(|shape| shape.body -= 1);
}

fn origin(element: Option<&Element>) -> Result<Isometry3<f64>, Finding> {
    let Some(element) = element else { return Ok(Isometry3::identity()) };
    let position = Vector3::from(element.numbers::<3>("xyz")?.unwrap_or_default());
    let rotation = roll_pitch_yaw(element.numbers("rpy")?.unwrap_or_default());
    Ok(Isometry3::from_parts(position.into(), rotation))
}

fn inertial(link: &Element) -> Result<Option<Inertial>, Finding> {
    let Some(inertial) = link.child("inertial") else { return Ok(None) };
    let Some(mass) = inertial.child("mass").map_or(Ok(None), |mass| mass.mass("value"))? else {
        return Ok(None);
    };
    let mut numbers = [0.0; 6];
    if let Some(inertia) = inertial.child("inertia") {
        for (number, name) in numbers.iter_mut().zip(["ixx", "iyy", "izz", "ixy", "ixz", "iyz"]) {
            *number = inertia.number(name)?.unwrap_or(0.0);
        }
    }
    Ok(Some(Inertial::stated(mass, &origin(inertial.child("origin"))?, symmetric(numbers))))
}

/// The degree of freedom of a joint; `None` of fixed and floating ones.
fn joint_of(
    joint: &Element,
    body: usize,
    warnings: &mut Vec<Finding>,
) -> Result<Option<RobotJoint>, Finding> {
    let name = joint.require("name")?.to_owned();
    let kind = match joint.require("type")? {
        "revolute" | "continuous" => RobotJointKind::Hinge,
        "prismatic" => RobotJointKind::Slide,
        "fixed" => return Ok(None),
        "floating" if body == 1 => return Ok(None),
        other @ ("floating" | "planar") => {
            let what = format!("the {other} joint '{name}' inside the robot");
            return Err(joint.error(Problem::Unsupported { what }));
        }
        other => {
            return Err(joint.wrong_value(
                "type",
                other,
                "revolute, continuous, prismatic, fixed or floating",
            ));
        }
    };
    let axis = match joint.child("axis") {
        Some(axis) => axis.numbers::<3>("xyz")?.unwrap_or([1.0, 0.0, 0.0]),
        None => [1.0, 0.0, 0.0],
    };
    let axis = unit(&Vector3::from(axis));
    let axis = axis.ok_or_else(|| joint.error(Problem::ZeroAxis { joint: name.clone() }))?;
    let stated = joint.child("limit");
    let number = |attribute| stated.map_or(Ok(None), |limit| limit.number(attribute));
    let (min, max) = (number("lower")?, number("upper")?);
    let limited = joint.get("type") != Some("continuous");
    let limit = match (min, max) {
        (None, None) => None,
        (min, max) => Some(Limit { min: min.unwrap_or(0.0), max: max.unwrap_or(0.0) }),
    };
    // Exporters write 0 and 0 where the user stated none; a joint that cannot move is a fixed one.
    let is_placeholder = limit.is_some_and(|limit| limit.min == 0.0 && limit.max == 0.0);
    let limit = limit.filter(|_| limited && !is_placeholder);
    if let (Some(Limit { min, max }), Some(stated)) = (limit, stated)
        && min > max
    {
        let expected = format!("at most the upper limit, {max}");
        return Err(stated.wrong_value("lower", &min.to_string(), expected));
    }
    if limited && limit.is_none() {
        let joint_name = name.clone();
        warnings.push(joint.error(match is_placeholder {
            true => Problem::ZeroLimits { joint: joint_name },
            false => Problem::NoLimit { joint: joint_name },
        }));
    }
    let above_zero = |value: Option<f64>| value.filter(|value| *value > 0.0);
    Ok(Some(RobotJoint {
        name,
        body,
        kind,
        axis,
        anchor: Vector3::zeros(),
        reference: 0.0,
        limit,
        velocity: above_zero(number("velocity")?),
        acceleration: above_zero(number("acceleration")?),
        effort: above_zero(number("effort")?),
        mimic: None,
    }))
}

fn set_mimics(root: &Element, parts: &mut RobotParts) -> Result<(), Finding> {
    for joint in root.all("joint") {
        let Some(mimic) = joint.child("mimic") else { continue };
        let of = mimic.require("joint")?;
        let find = |name: &str| parts.joints.iter().position(|joint| joint.name == name);
        let Some(driven) = joint.get("name").and_then(find) else { continue };
        let unknown = || mimic.error(Problem::Unknown { what: "joint", name: of.to_owned() });
        let followed = find(of).ok_or_else(unknown)?;
        let factor = mimic.number("multiplier")?.unwrap_or(1.0);
        let offset = mimic.number("offset")?.unwrap_or(0.0);
        parts.joints[driven].mimic = Some(Mimic { joint: followed, factor, offset });
        if ends_in_circle(&parts.joints, driven) {
            let joint = parts.joints[driven].name.clone();
            return Err(mimic.error(Problem::MimicCircle { joint }));
        }
    }
    Ok(())
}

fn ends_in_circle(joints: &[RobotJoint], from: usize) -> bool {
    let next = |joint: &usize| joints[*joint].mimic.map(|mimic| mimic.joint);
    std::iter::successors(Some(from), next).take(joints.len() + 1).count() > joints.len()
}

/// The primitive of a `<collision>`; `None` without a form.
fn shape(collision: &Element, body: usize) -> Result<Option<RobotShape>, Finding> {
    let placement = origin(collision.child("origin"))?;
    let Some(geometry) = collision.child("geometry") else { return Ok(None) };
    let Some(form) = geometry.children.first() else { return Ok(None) };
    let size = |attribute: &'static str| -> Result<f64, Finding> {
        let value = form.require(attribute)?;
        let number = form.number(attribute)?.filter(|number| *number >= 0.0);
        number.ok_or_else(|| form.wrong_value(attribute, value, "a number that is not negative"))
    };
    let primitive = match form.name.as_str() {
        "sphere" => Primitive::Sphere { radius: size("radius")? },
        "cylinder" => Primitive::Cylinder { radius: size("radius")?, half_length: size("length")? / 2.0 },
        "capsule" => Primitive::Capsule { radius: size("radius")?, half_length: size("length")? / 2.0 },
        "box" => {
            form.require("size")?;
            let sizes = Vector3::from(form.numbers::<3>("size")?.unwrap_or_default());
            Primitive::Box { half_sizes: sizes.abs() / 2.0 }
        }
        other => {
            let what = format!("the shape <{other}>");
            return Err(form.error(Problem::Unsupported { what }));
        }
    };
    let name = collision.get("name").unwrap_or("").to_owned();
    Ok(Some(RobotShape { name, body, placement, primitive, mask: ContactMask::default() }))
}
