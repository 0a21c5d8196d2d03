//! The surface of a target: its own mesh, that of another file, or capsules.

use mocap_formats::body::{self, BoundBody, Style};
use mocap_formats::{Finding, LeftOut, Limits, Parsed};
use mocap_model::{Body, Role, Skeleton};
use mocap_retarget::{TargetSurface, fitted_body, map_roles};
use mocap_skin::BoundMesh;

use crate::{Problem, Target, known_unit};

/// Length of arms (shoulder to wrist) and of legs (hip to ankle) over the height of people (R. Drillis, R.
/// Contini, "Body segment parameters", 1966), and the factor from which on a body differs too much.
const ARMS: f64 = 0.33;
const LEGS: f64 = 0.49;
const FAR: f64 = 1.8;

/// A mesh is bound by joint names if the target has all of these roles under the same names.
const LIMBS: [Role; 8] = [
    Role::LeftUpperArm,
    Role::LeftLowerArm,
    Role::RightUpperArm,
    Role::RightLowerArm,
    Role::LeftUpperLeg,
    Role::LeftLowerLeg,
    Role::RightUpperLeg,
    Role::RightLowerLeg,
];

/// Which surface a target gets.
#[derive(Clone, Debug, Default)]
pub enum SurfaceChoice {
    /// Its own mesh, where it has one.
    #[default]
    Auto,
    /// None.
    Off,
    /// Capsules of the proportions of its skeleton.
    Capsules,
    /// The mesh of another character: bound to joints of the same names, or if names of its limbs do not match,
    /// fitted to the target bone by bone, by the roles of its joints.
    Of(Box<BoundBody>),
}

impl Target {
    /// The target with a surface, which arms are kept out of. A robot, and a body without arms, has none.
    ///
    /// ```
    /// use mocap::{SurfaceChoice, Target};
    ///
    /// let robin = Target::new(mocap::read_skeleton("../../fixtures/clips/robin.skel")?.value);
    /// let robin = robin.with_surface(&SurfaceChoice::Capsules, &Default::default()).unwrap().value;
    /// assert!(robin.surface.is_some());
    /// # Ok::<(), mocap::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the mesh of its file is damaged.
    pub fn with_surface(self, choice: &SurfaceChoice, limits: &Limits) -> Result<Parsed<Target>, Finding> {
        let mut warnings = Vec::new();
        let body: Option<Body> = match choice {
            _ if self.robot().is_some() => None,
            SurfaceChoice::Off => None,
            SurfaceChoice::Capsules => capsules(&self.skeleton),
            SurfaceChoice::Of(bound) => self.body_of(bound),
            SurfaceChoice::Auto => {
                let document = self.document.as_deref();
                match document.map(|document| document.body(limits)) {
                    Some(Ok(Some(found))) => {
                        warnings.extend(found.warnings);
                        Some(found.value.on(&self.skeleton))
                    }
                    // A skeleton can be a target without its mesh as well.
                    Some(Err(error)) => {
                        let count = document.map_or(0, |document| document.meshes());
                        warnings.push(Finding::new(LeftOut::Unread { count, because: error.to_string() }));
                        None
                    }
                    Some(Ok(None)) | None => None,
                }
            }
        };
        let surface = body.and_then(|body| self.surface_of(&body, &mut warnings));
        Ok(Parsed { value: Target { surface, ..self }, warnings })
    }
}

impl Target {
    /// Its surface in metres with Y up and Z forward, or capsules of the proportions of its skeleton where it has none.
    /// `None` of a robot, a body without arms, and one whose unit is not known.
    pub fn surface_or_capsules(&self) -> Option<TargetSurface> {
        if self.robot().is_some() {
            return None;
        }
        let metres = known_unit(&self.skeleton)?.metres;
        let drawn = || {
            let body = capsules(&self.skeleton)?;
            Some(TargetSurface::new(&body, &self.skeleton, &self.roles)?.standing_in())
        };
        self.surface.clone().or_else(drawn)?.in_metres(metres)
    }

    /// The surface of a body; oddities are added to the warnings.
    fn surface_of(&self, body: &Body, warnings: &mut Vec<Finding>) -> Option<TargetSurface> {
        let damaged = body.meshes.iter().find_map(|mesh| BoundMesh::new(mesh, &self.skeleton).err());
        if let Some(error) = damaged {
            warnings.push(Finding::new(Problem::SurfaceUnused { because: error.to_string() }));
            return None;
        }
        let Some(surface) = TargetSurface::new(body, &self.skeleton, &self.roles) else {
            // A mesh that no joint moves was left out before.
            let is_rigid = body.meshes.iter().all(|mesh| mesh.stated.rigid);
            let because = match is_rigid {
                true => "it has no skin; `mocap rig` binds it to a skeleton",
                false => "no vertices follow forearms or hands, or none follow trunk, head or legs",
            };
            warnings.push(Finding::new(Problem::SurfaceUnused { because: because.to_owned() }));
            return None;
        };
        let shape = surface.shape();
        if 2 * shape.enclosed < shape.joints {
            let (enclosed, joints) = (shape.enclosed, shape.joints);
            warnings.push(Finding::new(Problem::SurfaceOpen { enclosed, joints }));
        }
        for (what, share, person) in [("arms are", shape.arms, ARMS), ("legs are", shape.legs, LEGS)] {
            if share.is_some_and(|share| !(person / FAR..=person * FAR).contains(&share)) {
                let share = share.unwrap_or_default();
                warnings.push(Finding::new(Problem::SurfaceProportions { what, share, person }));
            }
        }
        Some(surface)
    }

    /// The mesh of another character on this skeleton; `None` if both have no roles in common.
    fn body_of(&self, bound: &BoundBody) -> Option<Body> {
        let roles = map_roles(&bound.skeleton);
        let limbs = LIMBS.iter().filter_map(|role| roles.joint(*role));
        let names: Vec<&String> = limbs.map(|joint| &bound.skeleton.joint(joint).name).collect();
        if !names.is_empty() && names.iter().all(|name| self.skeleton.find(name).is_some()) {
            return Some(bound.on(&self.skeleton));
        }
        fitted_body(&bound.body, (&bound.skeleton, &roles), (&self.skeleton, &self.roles)).ok()
    }
}

/// A body of capsules, one per bone, as thick as that part of a human body. `None` of a skeleton without bones.
pub(crate) fn capsules(skeleton: &Skeleton) -> Option<Body> {
    body::drawn(skeleton, Style::Capsules, [1.0; 4])
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Mesh, UnitQuaternion, Vector3};

    fn robin() -> Target {
        Target::new(crate::read_skeleton("../../fixtures/clips/robin.skel").unwrap().value)
    }

    fn codes(target: &Target, body: &Body) -> (bool, Vec<&'static str>) {
        let mut warnings = Vec::new();
        let surface = target.surface_of(body, &mut warnings);
        (surface.is_some(), warnings.iter().map(|warning| warning.code()).collect())
    }

    #[test]
    fn what_is_odd_about_a_mesh_is_said() {
        let target = robin();
        let body = capsules(&target.skeleton).unwrap();
        assert_eq!(codes(&target, &body), (true, vec![]));
        let changed = |change: &dyn Fn(&mut Mesh)| {
            let mut body = body.clone();
            change(&mut body.meshes[0]);
            codes(&target, &body)
        };
        assert_eq!(changed(&|mesh| mesh.positions[7].y = f64::NAN), (false, vec!["surface::unused"]));
        // All vertices on one joint, like a mesh without a skin.
        let rigid = changed(&|mesh| {
            mesh.stated.rigid = true;
            mesh.skin.influences.iter_mut().for_each(|one| one.bone = 0);
        });
        assert_eq!(rigid, (false, vec!["surface::unused"]));
        // Only every tenth triangle is kept.
        let open = changed(&|mesh| {
            let kept = mesh.corners.chunks(3).step_by(10).flatten().copied().collect();
            mesh.corners = kept;
            mesh.faces = vec![3; mesh.corners.len() / 3];
        });
        assert_eq!(open, (true, vec!["surface::open"]));
        // Faces oriented inwards enclose the same volume.
        let inwards = changed(&|mesh| mesh.corners.chunks_mut(3).for_each(|corners| corners.swap(0, 1)));
        assert_eq!(inwards, (true, vec![]));
    }

    #[test]
    fn a_body_along_another_axis_than_its_file_states_is_as_tall() {
        let robin = robin();
        for axis in [Vector3::x(), -Vector3::x(), Vector3::z()] {
            let turn = UnitQuaternion::new(axis * std::f64::consts::FRAC_PI_2);
            let turned = robin.skeleton.with_joints(|joint| {
                if joint.parent.is_none() {
                    joint.offset = turn * joint.offset;
                    joint.rest_rotation = turn * joint.rest_rotation;
                }
            });
            let target = Target::new(turned.unwrap());
            let body = capsules(&target.skeleton).unwrap();
            assert_eq!(codes(&target, &body), (true, vec![]), "{axis:?}");
        }
    }

    #[test]
    fn bodies_far_from_people_are_named() {
        let robin = robin();
        let elbow = |name: &str| name.starts_with("lowerarm") || name.starts_with("hand");
        let long = robin.skeleton.with_joints(|joint| {
            if elbow(&joint.name) {
                joint.offset *= 3.0;
            }
        });
        let target = Target::new(long.unwrap());
        let body = capsules(&target.skeleton).unwrap();
        assert_eq!(codes(&target, &body), (true, vec!["surface::proportions"]));
    }
}
