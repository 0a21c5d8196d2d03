//! The model of a robot in a `.skel` file: bodies, joints of one degree of freedom and collision shapes.

use std::sync::Arc;

use mocap_model::{
    ContactMask, Hull, Isometry3, Joint, Limit, Mimic, ModelError, Primitive, Robot, RobotBody, RobotJoint,
    RobotJointKind, RobotParts, RobotShape, Skeleton, Vector3,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Problem;
use super::rotation::{quaternion, rotation};
use super::source::Source;
use crate::Finding;
use crate::robot::symmetric;
use crate::tagged::Step;

/// The robot that the skeleton is of. Metres and radians.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Robot")]
pub(crate) struct RobotField {
    /// Whether the base moves freely; else it is fixed to the world.
    floating: bool,
    /// Bodies, parents before their children; the first is the base.
    bodies: Vec<BodyField>,
    /// Joints of one degree of freedom, in the order of their bodies.
    joints: Vec<HingeField>,
    /// Collision shapes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shapes: Vec<ShapeField>,
    /// Pairs of bodies that may touch, by their place in the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    may_touch: Vec<[usize; 2]>,
    /// Pairs of shapes that are kept apart whatever else is stated, by their place in the list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    kept_apart: Vec<[usize; 2]>,
    /// Joint values of a stated pose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    home: Option<Vec<f64>>,
}

/// Where something is in the frame of a body.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Placement")]
struct PlacementField {
    /// X, Y, Z.
    position: [f64; 3],
    /// A quaternion W, X, Y, Z. Left out: not turned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rotation: Option<[f64; 4]>,
}

/// A rigid body.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Body")]
struct BodyField {
    /// Unique among the bodies.
    name: String,
    /// The place of its parent in the list; left out of the base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    /// Where it is in its parent with all joints at their reference.
    at: PlacementField,
    /// Mass (kg).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mass: Option<f64>,
    /// Centre of mass in the frame of the body.
    centre_of_mass: [f64; 3],
    /// Inertia about the centre of mass along the axes of the body: XX, YY, ZZ, XY, XZ, YZ (kg m²).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    inertia: Option<[f64; 6]>,
}

/// What a joint does.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "HingeKind")]
enum KindField {
    /// It turns about its axis.
    Hinge,
    /// It moves along its axis.
    Slide,
}

/// A joint of one degree of freedom.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Hinge")]
struct HingeField {
    /// Unique among the joints.
    name: String,
    /// The place in the list of the body that it moves.
    body: usize,
    /// What it does.
    kind: KindField,
    /// Unit vector in the frame of the body.
    axis: [f64; 3],
    /// A point of the axis in the frame of the body.
    anchor: [f64; 3],
    /// Its value where bodies have their stated placement.
    reference: f64,
    /// The smallest and the greatest value; null: no limit on that side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    limit: Option<[Option<f64>; 2]>,
    /// The highest speed (rad/s or m/s).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    velocity: Option<f64>,
    /// The highest acceleration (rad/s² or m/s²).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    acceleration: Option<f64>,
    /// The highest torque or force (Nm or N).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    effort: Option<f64>,
    /// The joint that drives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mimic: Option<MimicField>,
}

/// A joint whose value follows another: `offset + factor · value`.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Mimic")]
struct MimicField {
    /// The place in the list of the joint that is followed.
    joint: usize,
    /// Change per change of that joint.
    factor: f64,
    /// The value where that joint is at 0.
    offset: f64,
}

/// A collision shape.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Shape")]
struct ShapeField {
    /// As the model names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    name: String,
    /// The place in the list of the body that it is fixed to.
    body: usize,
    /// Where it is in the frame of the body.
    at: PlacementField,
    /// Its form.
    form: FormField,
    /// The kinds that it is of, and the kinds that it meets, as bits; left out: 1 and 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mask: Option<[u32; 2]>,
}

/// Sizes of a shape about its origin; of capsules and cylinders along Z, from the middle to either end.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
#[schemars(rename = "Form")]
enum FormField {
    /// A ball.
    Sphere { radius: f64 },
    /// With round ends beyond the length.
    Capsule { radius: f64, half_length: f64 },
    /// With flat ends.
    Cylinder { radius: f64, half_length: f64 },
    /// From the middle to the sides.
    Box { half_sizes: [f64; 3] },
    /// Radii along the axes.
    Ellipsoid { radii: [f64; 3] },
    /// The convex hull of points, as that of a mesh.
    Hull { corners: Vec<[f64; 3]> },
}

impl RobotField {
    /// How many there are of each part.
    pub(super) fn sizes(&self) -> [(&'static str, usize); 5] {
        [
            ("bodies", self.bodies.len()),
            ("joints of a robot", self.joints.len()),
            ("shapes", self.shapes.len()),
            ("pairs that may touch", self.may_touch.len()),
            ("pairs that are kept apart", self.kept_apart.len()),
        ]
    }
}

fn placement_field(placement: &Isometry3<f64>) -> PlacementField {
    PlacementField {
        position: placement.translation.vector.into(),
        rotation: quaternion(&placement.rotation),
    }
}

/// How a file describes a robot.
pub(super) fn robot_field(robot: &Robot) -> RobotField {
    let body = |body: &RobotBody| BodyField {
        name: body.name.clone(),
        parent: body.parent,
        at: placement_field(&body.placement),
        mass: body.mass,
        centre_of_mass: body.centre_of_mass.into(),
        inertia: body.inertia.map(|i| [i.m11, i.m22, i.m33, i.m12, i.m13, i.m23]),
    };
    let end = |value: f64| value.is_finite().then_some(value);
    let joint = |joint: &RobotJoint| HingeField {
        name: joint.name.clone(),
        body: joint.body,
        kind: match joint.kind {
            RobotJointKind::Hinge => KindField::Hinge,
            RobotJointKind::Slide => KindField::Slide,
        },
        axis: joint.axis.into(),
        anchor: joint.anchor.into(),
        reference: joint.reference,
        limit: joint.limit.map(|limit| [end(limit.min), end(limit.max)]),
        velocity: joint.velocity,
        acceleration: joint.acceleration,
        effort: joint.effort,
        mimic: joint.mimic.map(|Mimic { joint, factor, offset }| MimicField { joint, factor, offset }),
    };
    let shape = |shape: &RobotShape| ShapeField {
        name: shape.name.clone(),
        body: shape.body,
        at: placement_field(&shape.placement),
        form: match shape.primitive {
            Primitive::Hull(ref hull) => {
                FormField::Hull { corners: hull.corners().iter().map(|corner| (*corner).into()).collect() }
            }
            Primitive::Sphere { radius } => FormField::Sphere { radius },
            Primitive::Capsule { radius, half_length } => FormField::Capsule { radius, half_length },
            Primitive::Cylinder { radius, half_length } => FormField::Cylinder { radius, half_length },
            Primitive::Box { half_sizes } => FormField::Box { half_sizes: half_sizes.into() },
            Primitive::Ellipsoid { radii } => FormField::Ellipsoid { radii: radii.into() },
        },
        mask: (shape.mask != ContactMask::default()).then_some([shape.mask.kinds, shape.mask.meets]),
    };
    RobotField {
        floating: robot.is_floating(),
        bodies: robot.bodies().iter().map(body).collect(),
        joints: robot.joints().iter().map(joint).collect(),
        shapes: robot.shapes().iter().map(shape).collect(),
        may_touch: robot.excluded().to_vec(),
        kept_apart: robot.pairs().to_vec(),
        home: robot.home().map(<[f64]>::to_vec),
    }
}

/// A skeleton with the robot that a file describes. The limits of the skeleton's joints take precedence, because users
/// edit them there.
pub(super) fn with_robot(
    skeleton: Skeleton,
    field: RobotField,
    source: &mut Source,
) -> Result<Skeleton, Finding> {
    let parts = parts(skeleton.name(), field, source)?;
    let refused = |error: ModelError, source: &Source| {
        source.error(&[Step::Key("robot")], |path| Problem::Skeleton { path, error })
    };
    let robot = Robot::new(parts).map_err(|error| refused(error, source))?;
    let own = robot.to_skeleton().map_err(|error| refused(error, source))?;
    if !same_tree(&own, &skeleton) {
        let message = "the joints of the skeleton are not those of the robot: remove 'robot', or edit both";
        return Err(source.value(&[Step::Key("robot")], message));
    }
    let places = robot.skeleton_joints();
    let mut parts = robot.into_parts();
    for (joint, place) in
        parts.joints.iter_mut().zip(places).filter(|(joint, _)| joint.kind == RobotJointKind::Hinge)
    {
        let [stated, edited] = [&own, &skeleton].map(|skeleton| skeleton.joint(place).dofs.limits[0]);
        if !same_limit(stated, edited) {
            let from_zero =
                |limit: Limit| Limit { min: limit.min + joint.reference, max: limit.max + joint.reference };
            joint.limit = edited.map(from_zero);
        }
    }
    let robot = Robot::new(parts).map_err(|error| refused(error, source))?;
    Ok(skeleton.with_robot(Arc::new(robot)))
}

/// Whether a skeleton is still that of its robot.
pub(super) fn is_of(skeleton: &Skeleton, robot: &Robot) -> bool {
    robot.to_skeleton().is_ok_and(|own| same_tree(&own, skeleton))
}

fn same_tree(a: &Skeleton, b: &Skeleton) -> bool {
    let same = |a: &Joint, b: &Joint| {
        a.name == b.name && a.parent == b.parent && (a.offset - b.offset).norm() < 1e-6
    };
    a.len() == b.len() && a.joints().iter().zip(b.joints()).all(|(a, b)| same(a, b))
}

/// Whether two limits differ by no more than rounding of degrees.
fn same_limit(a: Option<Limit>, b: Option<Limit>) -> bool {
    let same = |a: f64, b: f64| a == b || (a - b).abs() < 1e-9;
    match (a, b) {
        (Some(a), Some(b)) => same(a.min, b.min) && same(a.max, b.max),
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn placement(
    at: &PlacementField,
    [a, b, c]: [Step; 3],
    source: &mut Source,
) -> Result<Isometry3<f64>, Finding> {
    let turn = rotation(at.rotation, &[a, b, c, Step::Key("at"), Step::Key("rotation")], source)?;
    Ok(Isometry3::from_parts(Vector3::from(at.position).into(), turn))
}

fn parts(name: &str, field: RobotField, source: &mut Source) -> Result<RobotParts, Finding> {
    let mut bodies = Vec::with_capacity(field.bodies.len());
    for (i, body) in field.bodies.into_iter().enumerate() {
        bodies.push(RobotBody {
            placement: placement(
                &body.at,
                [Step::Key("robot"), Step::Key("bodies"), Step::Index(i)],
                source,
            )?,
            name: body.name,
            parent: body.parent,
            mass: body.mass,
            centre_of_mass: body.centre_of_mass.into(),
            inertia: body.inertia.map(symmetric),
        });
    }
    let mut shapes = Vec::with_capacity(field.shapes.len());
    for (i, shape) in field.shapes.into_iter().enumerate() {
        let steps = [Step::Key("robot"), Step::Key("shapes"), Step::Index(i)];
        shapes.push(RobotShape {
            placement: placement(&shape.at, steps, source)?,
            name: shape.name,
            body: shape.body,
            primitive: match shape.form {
                FormField::Sphere { radius } => Primitive::Sphere { radius },
                FormField::Capsule { radius, half_length } => Primitive::Capsule { radius, half_length },
                FormField::Cylinder { radius, half_length } => Primitive::Cylinder { radius, half_length },
                FormField::Box { half_sizes } => Primitive::Box { half_sizes: half_sizes.into() },
                FormField::Ellipsoid { radii } => Primitive::Ellipsoid { radii: radii.into() },
                FormField::Hull { corners } => {
                    let corners: Vec<Vector3<f64>> = corners.into_iter().map(Vector3::from).collect();
                    let [a, b, c] = steps;
                    let path = [a, b, c, Step::Key("form"), Step::Key("hull"), Step::Key("corners")];
                    let flat =
                        || source.value(&path, "a hull has a volume: its corners are not all in one plane");
                    Primitive::Hull(Arc::new(Hull::of(&corners).ok_or_else(flat)?))
                }
            },
            mask: shape.mask.map_or_else(ContactMask::default, |[kinds, meets]| ContactMask { kinds, meets }),
        });
    }
    let joint = |joint: HingeField| RobotJoint {
        name: joint.name,
        body: joint.body,
        kind: match joint.kind {
            KindField::Hinge => RobotJointKind::Hinge,
            KindField::Slide => RobotJointKind::Slide,
        },
        axis: joint.axis.into(),
        anchor: joint.anchor.into(),
        reference: joint.reference,
        limit: joint.limit.map(|[min, max]| Limit {
            min: min.unwrap_or(f64::NEG_INFINITY),
            max: max.unwrap_or(f64::INFINITY),
        }),
        velocity: joint.velocity,
        acceleration: joint.acceleration,
        effort: joint.effort,
        mimic: joint.mimic.map(|MimicField { joint, factor, offset }| Mimic { joint, factor, offset }),
    };
    Ok(RobotParts {
        name: name.to_owned(),
        bodies,
        floating: field.floating,
        joints: field.joints.into_iter().map(joint).collect(),
        shapes,
        excluded: field.may_touch,
        pairs: field.kept_apart,
        home: field.home,
    })
}
