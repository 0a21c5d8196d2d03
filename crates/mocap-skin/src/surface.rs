//! All meshes of a character as one set of vertices and triangles that joints move.

use mocap_model::{Body, JointId, Pose, Skeleton, Vector3};
use nalgebra::{Matrix3, Matrix4};

/// A place after a linear map and a shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// Rotation, and scale where there is one.
    pub linear: Matrix3<f64>,
    /// What is added.
    pub shift: Vector3<f64>,
}

impl Affine {
    /// The upper three rows of a matrix.
    pub fn of(matrix: &Matrix4<f64>) -> Affine {
        Affine {
            linear: matrix.fixed_view::<3, 3>(0, 0).into_owned(),
            shift: matrix.fixed_view::<3, 1>(0, 3).into_owned(),
        }
    }

    /// Sums start here.
    pub fn zero() -> Affine {
        Affine { linear: Matrix3::zeros(), shift: Vector3::zeros() }
    }

    /// Where a place goes.
    #[inline]
    pub fn place(&self, at: &Vector3<f64>) -> Vector3<f64> {
        self.linear * at + self.shift
    }

    /// Adds a share of another.
    #[inline]
    pub fn add(&mut self, other: &Affine, share: f64) {
        self.linear += other.linear * share;
        self.shift += other.shift * share;
    }

    /// The way back; `None` where it flattens.
    pub fn inverse(&self) -> Option<Affine> {
        let linear = self.linear.try_inverse()?;
        Some(Affine { linear, shift: -(linear * self.shift) })
    }
}

/// The joint that moves vertices, and the way to it at bind.
#[derive(Clone, Copy, Debug)]
pub struct SurfaceBone {
    /// The joint.
    pub joint: JointId,
    /// From the bind pose in object space to the frame of the joint.
    pub inverse_bind: Matrix4<f64>,
}

/// All meshes of a character, one after another in the file's order, in units and axes of its skeleton.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// Vertices in the bind pose, in object space.
    pub positions: Vec<Vector3<f64>>,
    /// Corners of each triangle, counterclockwise from outside.
    pub triangles: Vec<[u32; 3]>,
    /// What moves them.
    pub bones: Vec<SurfaceBone>,
    /// Where the influences of each vertex start, and at last their number.
    pub starts: Vec<u32>,
    /// Bone and share, vertex after vertex.
    pub influences: Vec<(u32, f64)>,
}

impl Surface {
    /// The surface of a body that is bound to `skeleton`. Polygons are cut into triangles; shapes (morph targets) are at
    /// their rest weights.
    pub fn new(body: &Body, skeleton: &Skeleton) -> Surface {
        let mut surface = Surface { starts: vec![0], ..Surface::default() };
        for mesh in &body.meshes {
            let mesh = mesh.at_rest(skeleton);
            let (vertex, bone) = (surface.positions.len() as u32, surface.bones.len() as u32);
            let mut places = mesh.positions.clone();
            for shape in mesh.shapes.iter().filter(|shape| shape.weight != 0.0) {
                shape.offsets.iter().for_each(|(at, offset)| places[*at as usize] += offset * shape.weight);
            }
            surface.positions.append(&mut places);
            let bones = mesh.skin.bones.iter();
            surface
                .bones
                .extend(bones.map(|bone| SurfaceBone { joint: bone.joint, inverse_bind: bone.inverse_bind }));
            for at in 0..mesh.positions.len() {
                let influences = mesh.skin.of(at).iter().map(|one| (one.bone + bone, one.weight));
                surface.influences.extend(influences);
                surface.starts.push(surface.influences.len() as u32);
            }
            let mut first = 0;
            for count in &mesh.faces {
                let count = *count as usize;
                let corner = |corner: u32| mesh.corners[first + corner as usize] + vertex;
                let triangles = mesh.triangles_of(first, count);
                surface.triangles.extend(triangles.into_iter().map(|triangle| triangle.map(corner)));
                first += count;
            }
        }
        surface
    }

    /// The influences of a vertex: bone and share.
    #[inline]
    pub fn influences(&self, vertex: usize) -> &[(u32, f64)] {
        &self.influences[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }

    /// The skinning matrices of an object-space pose, by bone.
    pub fn palette(&self, object: &Pose) -> Vec<Affine> {
        let matrix = |bone: &SurfaceBone| {
            Affine::of(&(object.joints[bone.joint.index()].to_homogeneous() * bone.inverse_bind))
        };
        self.bones.iter().map(matrix).collect()
    }

    /// A vertex by linear blend skinning.
    #[inline]
    pub fn posed_vertex(&self, palette: &[Affine], vertex: usize) -> Vector3<f64> {
        let at = &self.positions[vertex];
        match self.influences(vertex) {
            [(bone, _)] => palette[*bone as usize].place(at),
            influences => {
                let mut blended = Affine::zero();
                influences.iter().for_each(|(bone, share)| blended.add(&palette[*bone as usize], *share));
                blended.place(at)
            }
        }
    }

    /// All vertices by linear blend skinning, into a buffer that is used again.
    pub fn pose_into(&self, palette: &[Affine], places: &mut Vec<Vector3<f64>>) {
        places.clear();
        places.extend((0..self.positions.len()).map(|vertex| self.posed_vertex(palette, vertex)));
    }

    /// The joint with the largest share in a vertex; `None` without influences.
    pub fn dominant(&self, vertex: usize) -> Option<JointId> {
        let most = self.influences(vertex).iter().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        Some(self.bones[most.0 as usize].joint)
    }
}
