//! A simple body for a skeleton, for formats whose programs show meshes: one solid per bone, bound to its joint.
//!
//! ```
//! use mocap_formats::body::{self, Style};
//! use mocap_model::*;
//!
//! let joints = vec![
//!     Joint::new("hips", None, Vector3::new(0.0, 0.9, 0.0)),
//!     Joint::new("head", Some(JointId(0)), Vector3::new(0.0, 0.7, 0.0)),
//! ];
//! let skeleton = Skeleton::new("stick", Space::default(), joints)?;
//! let mesh = body::mesh(&skeleton, Style::Capsules).unwrap();
//! assert_eq!(mesh.positions.len(), mesh.joints.len());
//! # Ok::<(), ModelError>(())
//! ```

use std::str::FromStr;

use mocap_model::{Body, Bone, Clip, Influence, JointTracks, Material, Pose, Skin};
use mocap_model::{ForwardKinematics, FrameRate, JointId, Role, Skeleton, Vector3};
use std::sync::Arc;

pub use mocap_model::BoundBody;

/// How a body is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// A capsule per bone, as thick as that part of a human body.
    #[default]
    Capsules,
    /// A thin double pyramid per bone.
    Sticks,
    /// Nothing.
    None,
}

impl Style {
    /// The names that people type.
    pub const NAMED: [(&'static str, Style); 3] =
        [("body", Style::Capsules), ("sticks", Style::Sticks), ("none", Style::None)];
}

impl FromStr for Style {
    type Err = String;

    fn from_str(text: &str) -> Result<Style, String> {
        let found = Style::NAMED.iter().find(|(name, _)| *name == text);
        found.map(|(_, style)| *style).ok_or_else(|| format!("'{text}' is not a mesh: body, sticks or none"))
    }
}

/// A mesh in the rest pose of a skeleton, bound to its joints. Lists are by vertex, except for the triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Places in object space [units of the skeleton].
    pub positions: Vec<Vector3<f64>>,
    /// Unit vectors away from the mesh.
    pub normals: Vec<Vector3<f64>>,
    /// The joints that move the vertex; unused places name joint 0.
    pub joints: Vec<[JointId; 4]>,
    /// The weight of each of them; the sum is 1.
    pub weights: Vec<[f64; 4]>,
    /// Three vertices each, counterclockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// The name of a body that this program draws, and of its material.
pub(crate) const NAME: &str = "Body";
/// Its colour.
pub(crate) const COLOUR: [f64; 4] = [0.7, 0.72, 0.75, 1.0];

/// The drawn body of a skeleton as any other body, in a colour [red, green, blue, alpha; 0 to 1]; `None` as of [`mesh`].
pub fn drawn(skeleton: &Skeleton, style: Style, colour: [f64; 4]) -> Option<Body> {
    let mesh = mesh(skeleton, style)?;
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    let bones = skeleton.iter().filter(|(_, joint)| !joint.end_site).map(|(joint, _)| Bone {
        joint,
        inverse_bind: object.joints[joint.index()].inverse().to_homogeneous(),
    });
    let bones: Vec<Bone> = bones.collect();
    let mut places = vec![0; skeleton.len()];
    bones.iter().enumerate().for_each(|(at, bone)| places[bone.joint.index()] = at as u32);
    let mut skin = Skin { bones, starts: vec![0], influences: Vec::new() };
    for (joints, weights) in mesh.joints.iter().zip(&mesh.weights) {
        let influences = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        skin.influences.extend(
            influences.map(|(joint, weight)| Influence { bone: places[joint.index()], weight: *weight }),
        );
        skin.starts.push(skin.influences.len() as u32);
    }
    let corners = || mesh.triangles.iter().flatten();
    let surface = mocap_model::Mesh {
        name: NAME.to_owned(),
        faces: vec![3; mesh.triangles.len()],
        corners: corners().copied().collect(),
        normals: corners().map(|vertex| mesh.normals[*vertex as usize]).collect(),
        materials: vec![0; mesh.triangles.len()],
        positions: mesh.positions,
        skin,
        ..mocap_model::Mesh::default()
    };
    let material = Material { name: NAME.to_owned(), colour, image: None };
    Some(Body { meshes: vec![surface], materials: vec![material] })
}

/// Corners of a capsule around its axis.
const CORNERS: usize = 8;
/// Bones shorter than this share of the body get no solid.
const SHORTEST: f64 = 1e-4;

/// The body of a skeleton; `None` of [`Style::None`] and of a skeleton without size.
pub fn mesh(skeleton: &Skeleton, style: Style) -> Option<Mesh> {
    let places = rest_places(skeleton);
    let size = extent(&places);
    if style == Style::None || size <= 0.0 || !size.is_finite() {
        return None;
    }
    let mut mesh = Mesh::default();
    for (id, joint) in skeleton.iter() {
        let Some(parent) = joint.parent else { continue };
        let [from, to] = [places[parent.index()], places[id.index()]];
        let length = (to - from).norm();
        if length < SHORTEST * size {
            continue;
        }
        let radius = match style {
            Style::Sticks => (0.1 * length).min(0.02 * size),
            _ => (thickness(skeleton, parent) * size).min(0.45 * length),
        };
        match style {
            Style::Sticks => mesh.add_pyramids(parent, [from, to], radius),
            _ => mesh.add_capsule(parent, [from, to], radius),
        }
    }
    (!mesh.triangles.is_empty()).then_some(mesh)
}

/// Where the joints are at rest, in object space.
fn rest_places(skeleton: &Skeleton) -> Vec<Vector3<f64>> {
    let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    let rate = FrameRate::new(1.0).expect("1 is a rate");
    let clip = Clip::new(Arc::new(skeleton.clone()), rate, 1, tracks).expect("a skeleton at rest is a clip");
    let mut kinematics = ForwardKinematics::new(&clip);
    kinematics.place(0);
    skeleton.iter().map(|(id, _)| kinematics.position(id)).collect()
}

/// The largest side of the box around the places.
fn extent(places: &[Vector3<f64>]) -> f64 {
    let first = places.first().copied().unwrap_or_default();
    let low = places.iter().fold(first, |low, place| low.inf(place));
    let high = places.iter().fold(first, |high, place| high.sup(place));
    (high - low).max()
}

/// The radius of the bones below a joint, as a share of the size of the body. Estimates of human bodies.
fn thickness(skeleton: &Skeleton, joint: JointId) -> f64 {
    // A joint without a role, such as a twist bone, is as thick as the one above it.
    let mut at = Some(joint);
    let role = std::iter::from_fn(|| {
        let id = at?;
        at = skeleton.joint(id).parent;
        Some(skeleton.joint(id).role)
    });
    use Role as R;
    match role.flatten().next() {
        None => 0.02,
        Some(R::Hips | R::Spine | R::Chest | R::UpperChest) => 0.06,
        Some(R::Head) => 0.045,
        Some(R::Neck | R::LeftShoulder | R::RightShoulder) => 0.03,
        Some(R::LeftUpperLeg | R::RightUpperLeg) => 0.042,
        Some(R::LeftLowerLeg | R::RightLowerLeg) => 0.032,
        Some(R::LeftUpperArm | R::RightUpperArm) => 0.027,
        Some(R::LeftLowerArm | R::RightLowerArm) => 0.022,
        Some(R::LeftFoot | R::RightFoot | R::LeftToes | R::RightToes) => 0.022,
        Some(R::LeftHand | R::RightHand) => 0.014,
        Some(_) => 0.006,
    }
}

impl Mesh {
    /// Two half spheres around the ends of a bone, and a tube between them.
    fn add_capsule(&mut self, joint: JointId, [from, to]: [Vector3<f64>; 2], radius: f64) {
        let (along, across, third) = frame(&(to - from));
        let diagonal = std::f64::consts::FRAC_1_SQRT_2;
        // By ring: its end of the bone, and its direction along the bone and away from it.
        let rings = [(from, -diagonal, diagonal), (from, 0.0, 1.0), (to, 0.0, 1.0), (to, diagonal, diagonal)];
        let first = self.add_vertex(joint, from - along * radius, -along);
        for (end, height, width) in rings {
            for corner in 0..CORNERS {
                let angle = std::f64::consts::TAU * corner as f64 / CORNERS as f64;
                let normal = along * height + (across * angle.cos() + third * angle.sin()) * width;
                self.add_vertex(joint, end + normal * radius, normal);
            }
        }
        let last = self.add_vertex(joint, to + along * radius, along);
        let at = |ring: usize, corner: usize| first + 1 + (ring * CORNERS + corner % CORNERS) as u32;
        for corner in 0..CORNERS {
            self.triangles.push([first, at(0, corner + 1), at(0, corner)]);
            for ring in 0..rings.len() - 1 {
                let [a, b] = [at(ring, corner), at(ring, corner + 1)];
                let [c, d] = [at(ring + 1, corner), at(ring + 1, corner + 1)];
                self.triangles.extend([[a, b, d], [a, d, c]]);
            }
            self.triangles.push([last, at(rings.len() - 1, corner), at(rings.len() - 1, corner + 1)]);
        }
    }

    /// Two pyramids with flat faces that meet near the upper end of a bone.
    fn add_pyramids(&mut self, joint: JointId, [from, to]: [Vector3<f64>; 2], radius: f64) {
        let (along, across, third) = frame(&(to - from));
        let middle = from + (to - from) * 0.15;
        let corners = [across, third, -across, -third].map(|way| middle + way * radius);
        for side in 0..4 {
            let [a, b] = [corners[side], corners[(side + 1) % 4]];
            for face in [[from, b, a], [to, a, b]] {
                let normal = (face[1] - face[0]).cross(&(face[2] - face[0]));
                // A pyramid without height has faces without area, and so no normal.
                let normal = normal.try_normalize(0.0).unwrap_or(along);
                let vertices = face.map(|place| self.add_vertex(joint, place, normal));
                self.triangles.push(vertices);
            }
        }
    }

    fn add_vertex(&mut self, joint: JointId, place: Vector3<f64>, normal: Vector3<f64>) -> u32 {
        self.positions.push(place);
        self.normals.push(normal.normalize());
        self.joints.push([joint, JointId(0), JointId(0), JointId(0)]);
        self.weights.push([1.0, 0.0, 0.0, 0.0]);
        (self.positions.len() - 1) as u32
    }
}

/// A right-handed frame whose first axis is along a vector that is not zero.
fn frame(vector: &Vector3<f64>) -> (Vector3<f64>, Vector3<f64>, Vector3<f64>) {
    let along = vector.normalize();
    let mut other = Vector3::zeros();
    other[along.iamin()] = 1.0;
    let across = along.cross(&other).normalize();
    (along, across, along.cross(&across))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Joint, Space};

    fn skeleton() -> Skeleton {
        let joint = |name: &str, parent: Option<u32>, at: [f64; 3]| {
            Joint::new(name, parent.map(JointId), Vector3::from(at))
        };
        let joints = vec![
            Joint { role: Some(Role::Hips), ..joint("hips", None, [0.0, 1.0, 0.0]) },
            joint("spine", Some(0), [0.0, 0.5, 0.0]),
            joint("head", Some(1), [0.0, 0.3, 0.1]),
            joint("twist", Some(1), [0.0, 0.0, 0.0]),
        ];
        Skeleton::new("", Space::default(), joints).unwrap()
    }

    /// The volume inside closed surfaces whose faces look away from it.
    fn volume(mesh: &Mesh) -> f64 {
        let corner = |i: u32| mesh.positions[i as usize];
        let parts =
            mesh.triangles.iter().map(|[a, b, c]| corner(*a).dot(&corner(*b).cross(&corner(*c))) / 6.0);
        parts.sum()
    }

    #[test]
    fn solids_are_closed_look_outwards_and_follow_their_bones() {
        for style in [Style::Capsules, Style::Sticks] {
            let mesh = mesh(&skeleton(), style).unwrap();
            assert!(volume(&mesh) > 0.0, "{style:?}");
            for [a, b, c] in &mesh.triangles {
                let at = |i: &u32| mesh.positions[*i as usize];
                let face = (at(b) - at(a)).cross(&(at(c) - at(a)));
                assert!(face.dot(&mesh.normals[*a as usize]) > 0.0, "{style:?}");
            }
            let bound = |joint: u32| mesh.joints.iter().filter(|joints| joints[0] == JointId(joint)).count();
            assert!(bound(0) > 0 && bound(1) > 0 && bound(2) == 0, "a bone without length has no solid");
            assert!(mesh.weights.iter().all(|weights| weights.iter().sum::<f64>() == 1.0));
        }
    }

    #[test]
    fn what_has_no_size_has_no_body() {
        let one = Skeleton::new("", Space::default(), vec![Joint::new("a", None, Vector3::x())]).unwrap();
        assert_eq!(mesh(&one, Style::Capsules), None);
        assert_eq!(mesh(&skeleton(), Style::None), None);
        assert_eq!("sticks".parse(), Ok(Style::Sticks));
        assert!("cube".parse::<Style>().is_err());
    }
}
