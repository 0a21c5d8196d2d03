//! MJCF: nested bodies with default classes.

use std::collections::{BTreeMap, HashMap, HashSet};

use mocap_model::{
    ContactMask, Isometry3, Limit, Primitive, RobotBody, RobotJoint, RobotJointKind, RobotParts, RobotShape,
    UnitQuaternion, Vector3,
};
use nalgebra::Matrix3;

use super::Problem;
use super::element::Element;
use super::inertial::{Inertial, symmetric, weigh};
use super::mesh::{LeftOut, Meshes};
use super::mjcf_assets::Assets;
use super::mjcf_ties::{loops, set_mimics};
use super::orientation::{Angles, ORIENTATIONS, mjcf_orientation, unit, z_onto};
use crate::Finding;

/// The parts of the robot. Of several bodies in the world, the tree with the most joints is the robot.
pub(super) fn parts(
    root: &Element,
    meshes: &Meshes,
    warnings: &mut Vec<Finding>,
) -> Result<RobotParts, Finding> {
    let compiler = Compiler::of(root)?;
    let classes = Classes::of(root)?;
    let stated = root.all("asset").flat_map(|asset| asset.all("mesh"));
    let stated = stated.map(|mesh| classes.apply(mesh, MAIN)).collect::<Result<Vec<_>, Finding>>()?;
    let assets = Assets::of(stated, meshes, (&compiler.mesh_folder, compiler.strip_path));
    let paired = paired_geoms(root);
    let mut trees = Vec::new();
    for world in root.all("worldbody") {
        for body in bodies_of(world, &Isometry3::identity(), None, &compiler)? {
            let mut tree = Tree {
                compiler: &compiler,
                classes: &classes,
                assets: &assets,
                paired: &paired,
                parts: RobotParts::default(),
                body_names: HashSet::new(),
                joint_names: HashSet::new(),
                weights: Vec::new(),
                unweighed: false,
                left_out: Vec::new(),
                warnings: Vec::new(),
            };
            tree.body(body, None, MAIN)?;
            trees.push(tree);
        }
    }
    let joints = |tree: &Tree| tree.parts.joints.len();
    let Some(most) = trees.iter().map(joints).max() else {
        return Err(root.error(Problem::NoBody));
    };
    let chosen = trees.iter().position(|tree| joints(tree) == most).expect("one has the most");
    let Tree { mut parts, left_out, warnings: found, .. } = trees.swap_remove(chosen);
    warnings.extend(found);
    for left in &trees {
        warnings.push(Finding::new(Problem::LeftOut { body: left.parts.bodies[0].name.clone() }));
    }
    parts.name = root.get("model").unwrap_or("").to_owned();
    if !left_out.is_empty() {
        warnings.push(Finding::new(Problem::Meshes { shapes: left_out, remain: parts.shapes.len() }));
    }
    parts.excluded = excluded(root, &parts)?;
    parts.pairs = pairs(root, &parts);
    let others = trees.iter().flat_map(|tree| tree.joint_names.iter().map(String::as_str)).collect();
    set_mimics(root, &mut parts, &others)?;
    warnings.extend(loops(root, &parts));
    warnings.extend(other_masses(root));
    // A keyframe has the values of all trees, so it can be used only if there is one tree.
    if trees.is_empty() {
        parts.home = home(root, &parts)?;
    }
    Ok(parts)
}

/// The settings of `<compiler>`.
struct Compiler {
    angles: Angles,
    /// Whether a range is enough to limit a joint.
    auto_limits: bool,
    /// Whether masses come from shapes; `None`: for bodies without a stated mass.
    mass_from_shapes: Option<bool>,
    /// The first and the last group of shapes that have a mass.
    weighed_groups: [f64; 2],
    /// The folder of meshes; may be empty.
    mesh_folder: String,
    /// Whether only the last part of the path of a file counts.
    strip_path: bool,
}

impl Compiler {
    fn of(root: &Element) -> Result<Compiler, Finding> {
        let degrees = std::f64::consts::PI / 180.0;
        let mut compiler = Compiler {
            angles: Angles { unit: degrees, sequence: *b"xyz" },
            auto_limits: true,
            mass_from_shapes: None,
            weighed_groups: [0.0, 5.0],
            mesh_folder: String::new(),
            strip_path: false,
        };
        for element in root.all("compiler") {
            match element.get("angle") {
                Some("radian") => compiler.angles.unit = 1.0,
                Some("degree") => compiler.angles.unit = degrees,
                Some(other) => return Err(element.wrong_value("angle", other, "radian or degree")),
                None => {}
            }
            match element.get("coordinate") {
                None | Some("local") => {}
                Some(_) => {
                    let what = "coordinate=\"global\", which MuJoCo itself has dropped,".to_owned();
                    return Err(element.error(Problem::Unsupported { what }));
                }
            }
            if let Some(sequence) = element.get("eulerseq") {
                let letters = sequence.as_bytes().try_into().ok();
                let is_axis = |letter: &u8| b"xyzXYZ".contains(letter);
                let letters = letters.filter(|letters: &[u8; 3]| letters.iter().all(is_axis));
                let wrong = || element.wrong_value("eulerseq", sequence, "three of x, y, z, X, Y, Z");
                compiler.angles.sequence = letters.ok_or_else(wrong)?;
            }
            if let Some(auto) = element.boolean("autolimits")? {
                compiler.auto_limits = auto;
            }
            if let Some(folder) = element.get("meshdir").or(element.get("assetdir")) {
                compiler.mesh_folder = folder.replace('\\', "/").trim_end_matches('/').to_owned();
            }
            if let Some(strip) = element.boolean("strippath")? {
                compiler.strip_path = strip;
            }
            if let Some(groups) = element.numbers::<2>("inertiagrouprange")? {
                compiler.weighed_groups = groups;
            }
            if element.get("inertiafromgeom").is_some() {
                compiler.mass_from_shapes = element.boolean("inertiafromgeom")?;
            }
        }
        Ok(compiler)
    }
}

/// The default class.
const MAIN: &str = "main";

/// Attributes by class and element.
struct Classes(HashMap<String, BTreeMap<String, BTreeMap<String, String>>>);

impl Classes {
    fn of(root: &Element) -> Result<Classes, Finding> {
        let mut classes = Classes(HashMap::from([(MAIN.to_owned(), BTreeMap::new())]));
        for default in root.all("default") {
            classes.add(default, default.get("class").unwrap_or(MAIN), MAIN)?;
        }
        Ok(classes)
    }

    fn add(&mut self, default: &Element, name: &str, parent: &str) -> Result<(), Finding> {
        let mut class = self.0.get(name).or_else(|| self.0.get(parent)).cloned().unwrap_or_default();
        for element in default.children.iter().filter(|child| child.name != "default") {
            let known: &mut BTreeMap<String, String> = class.entry(element.name.clone()).or_default();
            if element.has_any(&ORIENTATIONS) {
                ORIENTATIONS.iter().for_each(|orientation| {
                    known.remove(*orientation);
                });
            }
            known.extend(element.attributes().iter().cloned());
        }
        self.0.insert(name.to_owned(), class);
        for nested in default.all("default") {
            self.add(nested, nested.require("class")?, name)?;
        }
        Ok(())
    }

    /// The element with the defaults of its class, else of the class of its body.
    fn apply(&self, element: &Element, child_class: &str) -> Result<Element, Finding> {
        let name = element.get("class").unwrap_or(child_class);
        let unknown = || element.error(Problem::Unknown { what: "default class", name: name.to_owned() });
        let class = self.0.get(name).ok_or_else(unknown)?;
        let given = class.get(&element.name).into_iter().flatten();
        let oriented = element.has_any(&ORIENTATIONS);
        let counts =
            |attribute: &str| attribute != "class" && !(oriented && ORIENTATIONS.contains(&attribute));
        let given = given.filter(|(attribute, _)| counts(attribute));
        Ok(element.with_defaults(given.map(|(attribute, value)| (attribute.clone(), value.clone()))))
    }
}

/// A body, and the placement of the `<frame>`s around it.
struct Placed<'e> {
    element: &'e Element,
    frame: Isometry3<f64>,
    class: Option<&'e str>,
}

/// The bodies in an element and in its `<frame>`s, of which the innermost with a class counts.
fn bodies_of<'e>(
    element: &'e Element,
    frame: &Isometry3<f64>,
    class: Option<&'e str>,
    compiler: &Compiler,
) -> Result<Vec<Placed<'e>>, Finding> {
    let class = element.get("childclass").or(class);
    let mut bodies = Vec::new();
    for child in &element.children {
        match child.name.as_str() {
            "body" => bodies.push(Placed { element: child, frame: *frame, class }),
            "frame" => {
                let inner = frame * placement(child, compiler)?;
                bodies.extend(bodies_of(child, &inner, class, compiler)?);
            }
            "replicate" | "attach" | "composite" | "flexcomp" => {
                return Err(child.error(Problem::Unsupported { what: format!("<{}>", child.name) }));
            }
            _ => {}
        }
    }
    Ok(bodies)
}

/// The `<inertial>` of a body, which may be in its `<frame>`s, and the placement of those; the last one counts.
fn inertial_of<'e>(
    element: &'e Element,
    frame: &Isometry3<f64>,
    compiler: &Compiler,
) -> Result<Option<(&'e Element, Isometry3<f64>)>, Finding> {
    let mut found = None;
    for child in &element.children {
        match child.name.as_str() {
            "inertial" => found = Some((child, *frame)),
            "frame" => {
                let inner = frame * placement(child, compiler)?;
                found = inertial_of(child, &inner, compiler)?.or(found);
            }
            _ => {}
        }
    }
    Ok(found)
}

fn placement(element: &Element, compiler: &Compiler) -> Result<Isometry3<f64>, Finding> {
    let position = Vector3::from(element.numbers::<3>("pos")?.unwrap_or_default());
    Ok(Isometry3::from_parts(position.into(), mjcf_orientation(element, &compiler.angles)?))
}

/// Collects one tree of bodies.
struct Tree<'c> {
    compiler: &'c Compiler,
    classes: &'c Classes,
    assets: &'c Assets<'c>,
    /// Names of shapes in `<pair>`s, which are checked regardless of their masks.
    paired: &'c HashSet<&'c str>,
    parts: RobotParts,
    body_names: HashSet<String>,
    joint_names: HashSet<String>,
    /// The masses of the shapes of the current body.
    weights: Vec<Inertial>,
    /// Whether the current body has a shape of unknown mass: a mesh.
    unweighed: bool,
    /// Why shapes are left out.
    left_out: Vec<LeftOut>,
    warnings: Vec<Finding>,
}

impl Tree<'_> {
    fn body(&mut self, placed: Placed, parent: Option<usize>, class: &str) -> Result<(), Finding> {
        let Placed { element, frame, class: framed } = placed;
        let index = self.parts.bodies.len();
        let class = element.get("childclass").or(framed).unwrap_or(class);
        let name = match element.get("name") {
            Some(name) => name.to_owned(),
            None => format!("body{index}"),
        };
        if !self.body_names.insert(name.clone()) {
            return Err(element.error(Problem::Duplicate { what: "body", name }));
        }
        let placement = frame * placement(element, self.compiler)?;
        let (mass, centre_of_mass, inertia) = (None, Vector3::zeros(), None);
        self.parts.bodies.push(RobotBody { name, parent, placement, mass, centre_of_mass, inertia });
        self.weights.clear();
        self.unweighed = false;
        self.content(element, &Isometry3::identity(), index, class)?;
        let stated = match inertial_of(element, &Isometry3::identity(), self.compiler)? {
            Some(_) if self.compiler.mass_from_shapes == Some(true) => None,
            Some((inertial, frame)) => self.inertial(inertial, &frame)?,
            None => None,
        };
        // With a mesh, the sum of the other shapes would be less than the mass of the body, so the mass stays unknown.
        let known = self.compiler.mass_from_shapes != Some(false) && !self.unweighed;
        let from_shapes: &[Inertial] = if known { &self.weights } else { &[] };
        weigh(&mut self.parts.bodies[index], stated, from_shapes);
        for child in bodies_of(element, &Isometry3::identity(), None, self.compiler)? {
            self.body(child, Some(index), class)?;
        }
        Ok(())
    }

    /// The mass that a body states; `None` without one.
    fn inertial(&self, inertial: &Element, frame: &Isometry3<f64>) -> Result<Option<Inertial>, Finding> {
        let Some(mass) = inertial.mass("mass")? else { return Ok(None) };
        let full = inertial.numbers::<6>("fullinertia")?.map(symmetric);
        let along = inertial.numbers::<3>("diaginertia")?.unwrap_or_default();
        let inertia = full.unwrap_or_else(|| Matrix3::from_diagonal(&Vector3::from(along)));
        Ok(Some(Inertial::stated(mass, &(frame * placement(inertial, self.compiler)?), inertia)))
    }

    /// Joints and shapes of a body, also those inside its `<frame>`s.
    fn content(
        &mut self,
        element: &Element,
        frame: &Isometry3<f64>,
        body: usize,
        class: &str,
    ) -> Result<(), Finding> {
        for child in &element.children {
            match child.name.as_str() {
                "freejoint" => self.free(child, body)?,
                "joint" => {
                    let joint = self.classes.apply(child, class)?;
                    match joint.get("type") {
                        Some("free") => self.free(child, body)?,
                        _ => self.joint(&joint, frame, body)?,
                    }
                }
                "geom" => {
                    let geom = self.classes.apply(child, class)?;
                    self.geom(&geom, frame, body)?;
                }
                "frame" => {
                    let inner = frame * placement(child, self.compiler)?;
                    self.content(child, &inner, body, child.get("childclass").unwrap_or(class))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn free(&mut self, joint: &Element, body: usize) -> Result<(), Finding> {
        if body > 0 {
            let what = "a free joint inside the robot".to_owned();
            return Err(joint.error(Problem::Unsupported { what }));
        }
        self.parts.floating = true;
        Ok(())
    }

    fn joint(&mut self, joint: &Element, frame: &Isometry3<f64>, body: usize) -> Result<(), Finding> {
        let name = match joint.get("name") {
            Some(name) => name.to_owned(),
            None => format!("joint{}", self.parts.joints.len()),
        };
        let kind = match joint.get("type") {
            None | Some("hinge") => RobotJointKind::Hinge,
            Some("slide") => RobotJointKind::Slide,
            Some("ball") => {
                let what = format!("the ball joint '{name}'; three hinges stand for one");
                return Err(joint.error(Problem::Unsupported { what }));
            }
            Some(other) => return Err(joint.wrong_value("type", other, "free, hinge, slide or ball")),
        };
        if !self.joint_names.insert(name.clone()) {
            return Err(joint.error(Problem::Duplicate { what: "joint", name }));
        }
        let axis = Vector3::from(joint.numbers::<3>("axis")?.unwrap_or([0.0, 0.0, 1.0]));
        let axis = unit(&axis);
        let axis = axis.ok_or_else(|| joint.error(Problem::ZeroAxis { joint: name.clone() }))?;
        let anchor = Vector3::from(joint.numbers::<3>("pos")?.unwrap_or_default());
        let unit = match kind {
            RobotJointKind::Hinge => self.compiler.angles.unit,
            RobotJointKind::Slide => 1.0,
        };
        let effort = joint.numbers::<2>("actuatorfrcrange")?.map(|[min, max]| max.abs().max(min.abs()));
        self.parts.joints.push(RobotJoint {
            name,
            body,
            kind,
            axis: frame.rotation * axis,
            anchor: frame * nalgebra::Point3::from(anchor) - nalgebra::Point3::origin(),
            reference: joint.number("ref")?.unwrap_or(0.0) * unit,
            limit: self.limit(joint, unit)?,
            velocity: None,
            acceleration: None,
            effort: effort.filter(|effort| *effort > 0.0),
            mimic: None,
        });
        Ok(())
    }

    fn limit(&self, joint: &Element, unit: f64) -> Result<Option<Limit>, Finding> {
        let Some([min, max]) = joint.numbers::<2>("range")? else { return Ok(None) };
        // A range that is a limit by itself is one only if it holds anything, as in MuJoCo, whose default is 0 0.
        let limited = joint.boolean("limited")?.unwrap_or(self.compiler.auto_limits && min != max);
        if !limited {
            return Ok(None);
        }
        if min > max {
            let value = joint.get("range").unwrap_or("");
            return Err(joint.wrong_value("range", value, "the smaller number first"));
        }
        Ok(Some(Limit { min: min * unit, max: max * unit }))
    }

    fn geom(&mut self, geom: &Element, frame: &Isometry3<f64>, body: usize) -> Result<(), Finding> {
        let mask = |attribute| -> Result<u32, Finding> {
            let value = geom.number(attribute)?.unwrap_or(1.0);
            // Bits of a signed number.
            Ok(value as i64 as u32)
        };
        let mask = ContactMask { kinds: mask("contype")?, meets: mask("conaffinity")? };
        let name = geom.get("name").unwrap_or("").to_owned();
        let collides = mask != ContactMask { kinds: 0, meets: 0 } || self.paired.contains(name.as_str());
        let kind = geom.get("type").unwrap_or("sphere");
        let group = geom.number("group")?.unwrap_or(0.0);
        let [first, last] = self.compiler.weighed_groups;
        let weighs = group >= first && group <= last;
        if matches!(kind, "mesh" | "sdf" | "hfield") || geom.get("mesh").is_some() {
            if collides {
                self.mesh(geom, kind, frame, (body, name, mask))?;
            }
            // Meshes for rendering only often state a mass of 0.
            let weightless = match geom.mass("mass")? {
                Some(mass) => mass == 0.0,
                None => geom.density("density")? == Some(0.0),
            };
            self.unweighed |= weighs && kind != "hfield" && !weightless;
            return Ok(());
        }
        if kind == "plane" {
            return Ok(());
        }
        let size = geom.get("size").map_or(Ok(Vec::new()), |value| geom.numbers_in("size", value))?;
        let (placed, half_length) = match geom.numbers::<6>("fromto")? {
            Some([x0, y0, z0, x1, y1, z1]) => {
                let (from, to) = (Vector3::new(x0, y0, z0), Vector3::new(x1, y1, z1));
                let rotation = match kind {
                    "capsule" | "cylinder" | "box" | "ellipsoid" => z_onto(&(from - to)),
                    _ => UnitQuaternion::identity(),
                };
                let middle = (from + to) / 2.0;
                (Isometry3::from_parts(middle.into(), rotation), Some((to - from).norm() / 2.0))
            }
            None => (placement(geom, self.compiler)?, None),
        };
        let at = |index: usize| -> Result<f64, Finding> {
            let value = size.get(index).copied().filter(|size| *size >= 0.0);
            let given = geom.get("size").unwrap_or("");
            value.ok_or_else(|| geom.wrong_value("size", given, format!("sizes of a {kind}")))
        };
        let along = |index: usize| half_length.map_or_else(|| at(index), Ok);
        let sizes = || -> Result<Vector3<f64>, Finding> {
            let across = |index: usize| if half_length.is_some() { at(0) } else { at(index) };
            Ok(Vector3::new(at(0)?, across(1)?, along(2)?))
        };
        let primitive = match kind {
            "sphere" => Primitive::Sphere { radius: at(0)? },
            "capsule" => Primitive::Capsule { radius: at(0)?, half_length: along(1)? },
            "cylinder" => Primitive::Cylinder { radius: at(0)?, half_length: along(1)? },
            "box" => Primitive::Box { half_sizes: sizes()? },
            "ellipsoid" => Primitive::Ellipsoid { radii: sizes()? },
            other => return Err(geom.wrong_value("type", other, "a shape that MuJoCo knows")),
        };
        let placement = frame * placed;
        let (mass, density) = (geom.mass("mass")?, geom.density("density")?);
        if weighs {
            self.weights.push(Inertial::of_shape(&primitive, &placement, mass, density));
        }
        if collides {
            self.parts.shapes.push(RobotShape { name, body, placement, primitive, mask });
        }
        Ok(())
    }
}

impl Tree<'_> {
    /// A shape that is a mesh.
    fn mesh(
        &mut self,
        geom: &Element,
        kind: &str,
        frame: &Isometry3<f64>,
        (body, name, mask): (usize, String, ContactMask),
    ) -> Result<(), Finding> {
        let found = match geom.get("mesh") {
            Some(mesh) if kind == "mesh" => self.assets.hull(mesh, &mut self.warnings)?,
            Some(mesh) => Err(format!("a {kind} with the mesh '{mesh}'")),
            None => Err(format!("a {kind} without a mesh")),
        };
        match found {
            Ok(hull) => {
                let (placement, primitive) = hull.placed(&(frame * placement(geom, self.compiler)?));
                self.parts.shapes.push(RobotShape { name, body, placement, primitive, mask });
            }
            Err(why) => self.left_out.push(why),
        }
        Ok(())
    }
}

/// The pairs of `<exclude>`, whose bodies do not collide. Pairs with a body outside the robot are skipped.
fn excluded(root: &Element, parts: &RobotParts) -> Result<Vec<[usize; 2]>, Finding> {
    let mut excluded = Vec::new();
    let body = |name: &str| parts.bodies.iter().position(|body| body.name == name);
    for exclude in root.all("contact").flat_map(|contact| contact.all("exclude")) {
        if let (Some(first), Some(second)) =
            (body(exclude.require("body1")?), body(exclude.require("body2")?))
        {
            excluded.push([first, second]);
        }
    }
    Ok(excluded)
}

/// The names of shapes in `<pair>`s.
fn paired_geoms(root: &Element) -> HashSet<&str> {
    let pairs = root.all("contact").flat_map(|contact| contact.all("pair"));
    pairs.flat_map(|pair| [pair.get("geom1"), pair.get("geom2")]).flatten().collect()
}

/// The `<pair>`s of shapes, which are checked regardless of their masks. Pairs with a shape outside the robot are
/// skipped.
fn pairs(root: &Element, parts: &RobotParts) -> Vec<[usize; 2]> {
    let shape = |name: Option<&str>| {
        let name = name.filter(|name| !name.is_empty())?;
        parts.shapes.iter().position(|shape| shape.name == name)
    };
    let pairs = root.all("contact").flat_map(|contact| contact.all("pair"));
    pairs.filter_map(|pair| Some([shape(pair.get("geom1"))?, shape(pair.get("geom2"))?])).collect()
}

/// The warnings about settings that change masses, and are not read.
fn other_masses(root: &Element) -> Vec<Finding> {
    let is_set = |element: &Element, name: &str| {
        let number = element.get(name).and_then(|value| value.trim().parse::<f64>().ok());
        number.is_some_and(|number| number > 0.0)
    };
    let of_compiler = ["settotalmass", "boundmass", "boundinertia"].into_iter();
    let set = of_compiler.filter(|name| root.all("compiler").any(|compiler| is_set(compiler, name)));
    fn has_shell(element: &Element) -> bool {
        let is_shell = matches!(element.name.as_str(), "geom" | "mesh")
            && (element.get("shellinertia") == Some("true") || element.get("inertia") == Some("shell"));
        is_shell || element.children.iter().any(has_shell)
    }
    let set = set.chain(has_shell(root).then_some("shellinertia"));
    set.map(|setting| Finding::new(Problem::OtherMass { setting })).collect()
}

/// The joint values of the first keyframe, if it states them.
fn home(root: &Element, parts: &RobotParts) -> Result<Option<Vec<f64>>, Finding> {
    let Some(key) = root.all("keyframe").flat_map(|keyframe| keyframe.all("key")).next() else {
        return Ok(None);
    };
    let Some(value) = key.get("qpos") else { return Ok(None) };
    let values = key.numbers_in("qpos", value)?;
    let base = if parts.floating { 7 } else { 0 };
    if values.len() != base + parts.joints.len() {
        let expected = format!("{} numbers: {base} of the base and one per joint", base + parts.joints.len());
        return Err(key.wrong_value("qpos", value, expected));
    }
    Ok(Some(values[base..].to_vec()))
}
