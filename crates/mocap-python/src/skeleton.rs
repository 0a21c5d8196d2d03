//! A skeleton, or the model of a robot.

use std::path::PathBuf;
use std::sync::Arc;

use mocap::model::{Limit, UnitLength};
use mocap::retarget::map_roles;
use mocap::{
    Dofs, EulerOrder, Joint, JointId, Role, SignedAxis, Space, Target, Unit, UnitQuaternion, UnitSource,
    Vector3,
};
use nalgebra::Quaternion;
use numpy::{PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::{frozen, moving, numbers, owned, wxyz};
use crate::findings::listed;
use crate::options::parse;
use crate::raise::{of_array, of_error, of_option};

/// A skeleton or a robot, with the reference pose that its own motion shows.
#[pyclass(frozen, module = "mocap._mocap")]
pub(crate) struct Skeleton {
    pub(crate) target: Target,
}

/// Angles of a joint that may move: by axis, the least and the greatest.
type Range = (f64, f64);

impl Skeleton {
    pub(crate) fn new(skeleton: Arc<mocap::Skeleton>) -> Skeleton {
        Skeleton { target: Target::new(skeleton) }
    }

    fn skeleton(&self) -> &mocap::Skeleton {
        &self.target.skeleton
    }

    fn joints(&self) -> Vec<&Joint> {
        self.skeleton().joints().iter().filter(|joint| !joint.end_site).collect()
    }

    /// The number of a joint among those that are not end sites.
    fn place(&self, id: Option<JointId>) -> i64 {
        let joints = moving(self.skeleton());
        id.and_then(|id| joints.iter().position(|joint| *joint == id)).map_or(-1, |at| at as i64)
    }

    fn found(&self, py: Python<'_>, name: &str) -> PyResult<JointId> {
        self.skeleton()
            .find_by_name_or_role(name)
            .ok_or_else(|| of_option(py, format!("no joint is called '{name}', and none has that role")))
    }

    /// The skeleton with some joints changed.
    fn changed(&self, py: Python<'_>, mut change: impl FnMut(JointId, &mut Joint)) -> PyResult<Skeleton> {
        let mut next = 0;
        let made = self.skeleton().with_joints(|joint| {
            change(JointId::from(next), joint);
            next += 1;
        });
        made.map(|skeleton| Skeleton::new(Arc::new(skeleton))).map_err(|error| of_error(py, error.into()))
    }
}

#[pymethods]
impl Skeleton {
    #[getter]
    fn name(&self) -> &str {
        self.skeleton().name()
    }

    #[getter]
    fn names(&self) -> Vec<String> {
        self.joints().into_iter().map(|joint| joint.name.clone()).collect()
    }

    #[getter]
    fn end_sites(&self) -> Vec<(String, i64, [f64; 3])> {
        let ends = self.skeleton().joints().iter().filter(|joint| joint.end_site);
        ends.map(|end| (end.name.clone(), self.place(end.parent), end.offset.into())).collect()
    }

    #[getter]
    fn parents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<i64>>> {
        let parents: Vec<i64> = self.joints().into_iter().map(|joint| self.place(joint.parent)).collect();
        let count = parents.len();
        frozen(py, parents, &[count])
    }

    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let joints = self.joints();
        let values = joints.iter().flat_map(|joint| <[f64; 3]>::from(joint.offset)).collect();
        frozen(py, values, &[joints.len(), 3])
    }

    #[getter]
    fn rest_rotations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let joints = self.joints();
        frozen(py, joints.iter().flat_map(|joint| wxyz(&joint.rest_rotation)).collect(), &[joints.len(), 4])
    }

    /// Role by joint: those that are stated, else those that are certain.
    fn roles(&self) -> Vec<(String, String)> {
        let joints = self.skeleton().joints();
        let stated = joints.iter().any(|joint| joint.role.is_some());
        let found = self.target.roles.certain();
        let role = |(id, joint): (JointId, &Joint)| {
            let role = if stated { joint.role } else { found.role(id) };
            role.map(|role| (joint.name.clone(), role.name().to_owned()))
        };
        self.skeleton().iter().filter_map(role).collect()
    }

    /// Limits by joint: its order, and the least and greatest angle about X, Y, Z \[rad\].
    fn limits(&self) -> Vec<(String, String, [Option<Range>; 3])> {
        let limited = self.joints().into_iter().filter(|joint| joint.dofs.has_limits());
        let range = |limit: Option<Limit>| limit.map(|limit| (limit.min, limit.max));
        limited
            .map(|joint| (joint.name.clone(), joint.dofs.order.to_string(), joint.dofs.limits.map(range)))
            .collect()
    }

    /// Metres per unit, and where that is known from.
    #[getter]
    fn unit(&self) -> (Option<f64>, Option<&'static str>) {
        let unit = self.skeleton().space().unit;
        let source = unit.map(|unit| match unit.source {
            UnitSource::File => "file",
            UnitSource::Flag => "stated",
            UnitSource::Guessed => "guessed",
            UnitSource::Voted => "voted",
        });
        (unit.map(|unit| unit.metres), source)
    }

    /// Metres per unit, guessed from the size of the body where it is not stated.
    fn known_unit(&self) -> Option<f64> {
        mocap::known_unit(self.skeleton()).map(|unit| unit.metres)
    }

    #[getter]
    fn up(&self) -> String {
        self.skeleton().space().up.to_string()
    }

    #[getter]
    fn forward(&self) -> String {
        self.skeleton().space().forward.to_string()
    }

    #[getter]
    fn is_robot(&self) -> bool {
        self.target.robot().is_some()
    }

    /// Joints of the robot in the order of its model.
    #[getter]
    fn robot_joints(&self) -> Vec<String> {
        let robot = self.target.robot();
        robot.map_or(Vec::new(), |robot| robot.joints().iter().map(|joint| joint.name.clone()).collect())
    }

    /// The joint of a name or role, among those that are not end sites.
    fn find(&self, py: Python<'_>, name: &str) -> PyResult<i64> {
        Ok(self.place(Some(self.found(py, name)?)))
    }

    /// The place of a joint among all, end sites included.
    fn index(&self, py: Python<'_>, name: &str) -> PyResult<usize> {
        Ok(self.found(py, name)?.index())
    }

    fn with_name(&self, name: &str) -> Skeleton {
        Skeleton::new(Arc::new(self.skeleton().with_name(name)))
    }

    fn with_names(&self, py: Python<'_>, names: Vec<(String, String)>) -> PyResult<Skeleton> {
        let named: Vec<(JointId, String)> =
            names.into_iter().map(|(old, new)| Ok((self.found(py, &old)?, new))).collect::<PyResult<_>>()?;
        self.changed(py, |id, joint| {
            if let Some((_, name)) = named.iter().find(|(found, _)| *found == id) {
                joint.name.clone_from(name);
            }
        })
    }

    fn with_roles(&self, py: Python<'_>, roles: Vec<(String, Option<String>)>) -> PyResult<Skeleton> {
        let mut given: Vec<(JointId, Option<Role>)> = Vec::new();
        for (joint, role) in roles {
            let role = role.map(|role| parse(py, "roles", &role)).transpose()?;
            given.push((self.found(py, &joint)?, role));
        }
        let certain = self.target.roles.certain();
        let stated = self.skeleton().joints().iter().any(|joint| joint.role.is_some());
        self.changed(py, |id, joint| {
            let before = if stated { joint.role } else { certain.role(id) };
            let changed = given.iter().find(|(found, _)| *found == id);
            // A role is that of one joint.
            let taken =
                |role: &Role| given.iter().any(|(found, other)| *other == Some(*role) && *found != id);
            joint.role = changed.map_or(before.filter(|role| !taken(role)), |(_, role)| *role);
        })
    }

    fn with_offsets(&self, py: Python<'_>, offsets: PyReadonlyArrayDyn<'_, f64>) -> PyResult<Skeleton> {
        let joints = moving(self.skeleton());
        let offsets = numbers(py, "offsets", &offsets, &[joints.len(), 3])?;
        self.changed(py, |id, joint| {
            if let Some(at) = joints.iter().position(|joint| *joint == id) {
                joint.offset = Vector3::from_column_slice(&offsets[at * 3..at * 3 + 3]);
            }
        })
    }

    /// Limits \[rad\] about X, Y, Z; `None`: open.
    fn with_limits(&self, py: Python<'_>, limits: Vec<(String, [Option<Range>; 3])>) -> PyResult<Skeleton> {
        let given: Vec<(JointId, [Option<Range>; 3])> = limits
            .into_iter()
            .map(|(name, ranges)| Ok((self.found(py, &name)?, ranges)))
            .collect::<PyResult<_>>()?;
        let limit = |range: Option<Range>| range.map(|(min, max)| Limit { min, max });
        self.changed(py, |id, joint| {
            if let Some((_, ranges)) = given.iter().find(|(found, _)| *found == id) {
                joint.dofs.limits = ranges.map(limit);
            }
        })
    }

    /// The same numbers read in another unit or other axes.
    fn with_space(
        &self,
        py: Python<'_>,
        unit: Option<&str>,
        up: Option<&str>,
        forward: Option<&str>,
    ) -> PyResult<Skeleton> {
        let space = space(py, *self.skeleton().space(), unit, up, forward)?;
        Ok(Skeleton::new(Arc::new(self.skeleton().with_space(space))))
    }

    /// The skeleton with the roles that are certain.
    fn with_found_roles(&self) -> Skeleton {
        let skeleton = map_roles(self.skeleton()).certain().apply(self.skeleton());
        Skeleton::new(Arc::new(skeleton))
    }

    /// Positions at rest in object space, (joints, 3).
    fn rest_positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let mut object = mocap::Pose::default();
        mocap::Pose::rest(self.skeleton()).to_object(self.skeleton(), &mut object);
        let joints = moving(self.skeleton());
        let values = joints
            .iter()
            .flat_map(|id| <[f64; 3]>::from(object.joints[id.index()].translation.vector))
            .collect();
        owned(py, values, &[joints.len(), 3])
    }

    /// The text of a `.skel` file.
    fn to_skel(&self) -> String {
        String::from_utf8(mocap::formats::skel::to_bytes(self.skeleton())).expect("JSON is UTF-8")
    }

    fn write<'py>(&self, py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyList>> {
        let written = py.detach(|| mocap::write_skeleton(&path, self.skeleton()));
        listed(py, &written.map_err(|error| of_error(py, error))?, Some(&path))
    }

    fn __eq__(&self, other: &Skeleton) -> bool {
        self.skeleton() == other.skeleton()
    }
}

/// A space with what is stated.
fn space(
    py: Python<'_>,
    mut space: Space,
    unit: Option<&str>,
    up: Option<&str>,
    forward: Option<&str>,
) -> PyResult<Space> {
    if let Some(unit) = unit {
        let UnitLength(metres) = parse(py, "unit", unit)?;
        space.unit = Some(Unit { metres, source: UnitSource::Flag });
    }
    if let Some(up) = up {
        space = mocap::with_up(&space, parse(py, "up", up)?);
    }
    if let Some(forward) = forward {
        space.forward = parse::<SignedAxis>(py, "forward", forward)?;
        if space.forward.axis == space.up.axis {
            return Err(of_option(py, "forward and up are the same axis"));
        }
    }
    Ok(space)
}

/// A skeleton of arrays; `options` has the rest.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python gives values")]
pub(crate) fn skeleton_from_arrays(
    py: Python<'_>,
    names: Vec<String>,
    parents: Vec<i64>,
    offsets: PyReadonlyArrayDyn<'_, f64>,
    options: Bound<'_, PyDict>,
) -> PyResult<Skeleton> {
    let options = crate::options::Keywords::new(Some(options), py);
    let count = names.len();
    if parents.len() != count {
        let message = format!("{} parents were given for {count} names", parents.len());
        return Err(of_array(py, "array::shape", message));
    }
    let offsets = numbers(py, "offsets", &offsets, &[count, 3])?;
    let rest = options.extracted::<PyReadonlyArrayDyn<'_, f64>>("rest_rotations", "an array")?;
    let rest = rest.map(|rest| numbers(py, "rest_rotations", &rest, &[count, 4])).transpose()?;
    let roles = options.extracted::<Vec<Option<String>>>("roles", "a list of roles, one per joint")?;
    if roles.as_ref().is_some_and(|roles| roles.len() != count) {
        return Err(of_array(py, "array::shape", format!("roles must have {count} entries")));
    }
    let order = options.parsed::<EulerOrder>("euler")?.unwrap_or(EulerOrder::ZXY);
    let mut joints = Vec::with_capacity(count);
    for (at, (name, parent)) in names.into_iter().zip(parents).enumerate() {
        let parent = match parent {
            -1 => None,
            parent if (0..at as i64).contains(&parent) => Some(JointId::from(parent as usize)),
            parent => {
                let message =
                    format!("the parent of '{name}' is {parent}; parents come first, a root has -1");
                return Err(of_array(py, "array::parents", message));
            }
        };
        let offset = Vector3::from_column_slice(&offsets[at * 3..at * 3 + 3]);
        let rest_rotation = match &rest {
            Some(rest) => {
                let q = &rest[at * 4..at * 4 + 4];
                UnitQuaternion::try_new(Quaternion::new(q[0], q[1], q[2], q[3]), 0.0).ok_or_else(|| {
                    of_array(py, "array::quaternion", format!("'{name}' has a rest rotation of 0"))
                })?
            }
            None => UnitQuaternion::identity(),
        };
        let role = match roles.as_ref().and_then(|roles| roles[at].as_deref()).filter(|role| !role.is_empty())
        {
            Some(role) => Some(parse(py, "roles", role)?),
            None => None,
        };
        let dofs = if parent.is_none() { Dofs::free(order) } else { Dofs::ball(order) };
        joints.push(Joint { rest_rotation, dofs, role, ..Joint::new(name, parent, offset) });
    }
    let text = |name: &str| options.extracted::<String>(name, "a text");
    let (unit, up, forward) = (text("unit")?, text("up")?, text("forward")?);
    let space = space(py, Space::default(), unit.as_deref(), up.as_deref(), forward.as_deref())?;
    let name = text("name")?.unwrap_or_default();
    let made = mocap::Skeleton::new(name, space, joints);
    made.map(|skeleton| Skeleton::new(Arc::new(skeleton))).map_err(|error| of_error(py, error.into()))
}
