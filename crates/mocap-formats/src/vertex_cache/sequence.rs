//! The meshes of a character over the frames of a clip.

use std::borrow::Cow;
use std::io;

use mocap_model::{Clip, ForwardKinematics, Mesh, SignedAxis, Skeleton};
use mocap_skin::{BoundMesh, Deformer, SkinError, SkinMethod, triangles};

use crate::body::BoundBody;
use crate::metres;
use crate::{Finding, MetresProblem};

/// Receives a frame: its index, and a vector per vertex.
pub(super) type EachFrame<'a> = dyn FnMut(usize, &[[f32; 3]]) -> io::Result<()> + 'a;

/// If positions of joints and weights of shapes are below this, a vertex can overflow only if it does so in every
/// frame.
const USUAL: f64 = 1e9;

/// How a character is baked.
#[derive(Clone, Copy, Debug, Default)]
pub struct BakeOptions {
    /// How joints move vertices.
    pub method: SkinMethod,
    /// Whether meshes without a skin, which follow one joint rigidly, are baked as well.
    pub rigid: bool,
    /// Whether the up axis must be Y or Z, as USD requires: other clips are turned to Y up.
    pub upright: bool,
    /// The unit of written lengths \[m\]. Default: 1.
    pub unit: Option<f64>,
}

/// Why a character cannot be baked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BakeError {
    /// No mesh has a skin.
    #[error("{}", match rigid {
        0 => "the file has no mesh with a skin".to_owned(),
        1 => "the file has no mesh with a skin: its mesh hangs on one joint".to_owned(),
        _ => format!("the file has no mesh with a skin: its {rigid} meshes hang on one joint each"),
    })]
    NoSkin {
        /// The number of meshes that follow one joint rigidly.
        rigid: usize,
    },
    /// The clip is empty.
    #[error("the file has no motion")]
    NoFrames,
    /// A mesh cannot be deformed.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// The clip does not fit metres.
    #[error("lengths cannot be written in metres: {0}")]
    Metres(String),
    /// A vertex leaves the range of 32-bit numbers.
    #[error("vertex {vertex} is out of the range of 32-bit numbers in frame {frame}")]
    Overflow {
        /// The vertex, among all.
        vertex: usize,
        /// The frame, from 0.
        frame: usize,
    },
}

impl BakeError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            BakeError::NoSkin { .. } => "bake::no-skin",
            BakeError::NoFrames => "bake::no-motion",
            BakeError::Skin(_) => "bake::damaged",
            BakeError::Metres(_) | BakeError::Overflow { .. } => "bake::overflow",
        }
    }
}

/// One mesh of a cache.
#[derive(Clone, Debug)]
pub struct BakedMesh {
    /// Its name; may be empty.
    pub name: String,
    /// Its first vertex among all.
    pub first: usize,
    /// Its triangles, with vertices counted from its own first.
    pub triangles: Vec<[u32; 3]>,
    pub(super) bound: BoundMesh,
    /// By shape: the number of its scalar track, and its weight at rest.
    shapes: Vec<(Option<usize>, f64)>,
}

/// The meshes of a character over the frames of a clip.
#[derive(Clone, Debug)]
pub struct VertexSequence {
    clip: Clip,
    meshes: Vec<BakedMesh>,
    method: SkinMethod,
    /// The unit of written lengths \[m\].
    unit: f64,
    /// What lengths of the clip are multiplied by.
    factor: f64,
}

impl BakedMesh {
    /// The number of vertices.
    pub fn vertices(&self) -> usize {
        self.bound.vertices()
    }

    fn new(mesh: &Mesh, skeleton: &Skeleton, clip: &Clip, first: usize) -> Result<BakedMesh, SkinError> {
        // A mirroring bind matrix reverses the orientation of faces.
        let mesh = &mesh.at_rest(skeleton);
        let scalars = &clip.annotations().scalars;
        let track = |name: &str| scalars.iter().position(|track| track.name == name);
        Ok(BakedMesh {
            name: mesh.name.clone(),
            first,
            triangles: triangles(mesh),
            bound: BoundMesh::new(mesh, skeleton)?,
            shapes: mesh.shapes.iter().map(|shape| (track(&shape.name), shape.weight)).collect(),
        })
    }

    fn shape_weights(&self, clip: &Clip, frame: usize, weights: &mut Vec<f64>) {
        let scalars = &clip.annotations().scalars;
        weights.clear();
        weights.extend(self.shapes.iter().map(|(track, rest)| match track {
            Some(track) => scalars[*track].values.at(frame),
            None => *rest,
        }));
    }
}

/// The quantity that is computed per frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Positions,
    Normals,
}

impl VertexSequence {
    /// The skinned meshes of a body over a clip of a skeleton with the same joints. Rigid meshes, which follow one
    /// joint, are baked only with [`BakeOptions::rigid`].
    ///
    /// # Errors
    /// If the clip has no frames, no mesh has a skin, or a mesh is damaged.
    pub fn new(body: &BoundBody, clip: &Clip, options: &BakeOptions) -> Result<VertexSequence, BakeError> {
        if clip.frames() == 0 {
            return Err(BakeError::NoFrames);
        }
        let up = clip.skeleton().space().up;
        let clip = match options.upright && up != SignedAxis::Y && up != SignedAxis::Z {
            true => Cow::Owned(
                clip.in_space(metres::space()).map_err(|error| BakeError::Metres(error.to_string()))?,
            ),
            false => Cow::Borrowed(clip),
        };
        let on = body.on(clip.skeleton());
        let baked = |mesh: &&Mesh| options.rigid || !mesh.stated.rigid;
        let mut meshes: Vec<BakedMesh> = Vec::new();
        for mesh in on.meshes.iter().filter(baked) {
            let first = meshes.last().map_or(0, |last| last.first + last.vertices());
            meshes.push(BakedMesh::new(mesh, clip.skeleton(), &clip, first)?);
        }
        if meshes.is_empty() {
            return Err(BakeError::NoSkin { rigid: on.meshes.len() });
        }
        let unit = options.unit.unwrap_or(1.0);
        let factor = clip.skeleton().space().metres().unwrap_or(1.0) / unit;
        let sequence =
            VertexSequence { clip: clip.into_owned(), meshes, method: options.method, unit, factor };
        sequence.check()?;
        Ok(sequence)
    }

    /// The warning that the unit of the clip is not known.
    pub fn unit_warning(&self) -> Option<Finding> {
        let unknown = self.clip.skeleton().space().metres().is_none();
        unknown.then(|| Finding::new(MetresProblem::UnitUnknown))
    }

    /// Checks that all vertices fit in 32-bit floats: in the first frame, the last, and all frames in which a joint is
    /// so far away or a shape weight so large that they may not.
    fn check(&self) -> Result<(), BakeError> {
        for frame in (0..self.frames()).filter(self.doubtful()) {
            let mut bad = None;
            let found = self.each(frame..frame + 1, None, Wanted::Positions, &mut |_, places| {
                bad = places.iter().position(|at| at.iter().any(|part| !part.is_finite()));
                Ok(())
            });
            debug_assert!(found.is_ok(), "nothing is written");
            if let Some(vertex) = bad {
                return Err(BakeError::Overflow { vertex, frame });
            }
        }
        Ok(())
    }

    /// The frames that must be checked vertex by vertex: a vertex is about as far away as the joints that move it.
    fn doubtful(&self) -> impl FnMut(&usize) -> bool {
        let mut kinematics = ForwardKinematics::new(&self.clip);
        let last = self.frames() - 1;
        let mut weights = Vec::new();
        move |frame| {
            kinematics.place(*frame);
            let far = self.clip.skeleton().iter().any(|(joint, _)| {
                let entries = kinematics.matrix(joint);
                !entries.iter().all(|entry| entry.abs() < USUAL)
            });
            let large = self.meshes.iter().any(|mesh| {
                mesh.shape_weights(&self.clip, *frame, &mut weights);
                !weights.iter().all(|weight| weight.abs() < USUAL)
            });
            *frame == 0 || *frame == last || far || large
        }
    }

    /// The meshes.
    pub fn meshes(&self) -> &[BakedMesh] {
        &self.meshes
    }

    /// The clip whose frames are baked.
    pub fn clip(&self) -> &Clip {
        &self.clip
    }

    /// The number of frames.
    pub fn frames(&self) -> usize {
        self.clip.frames()
    }

    /// The number of vertices of all meshes.
    pub fn vertices(&self) -> usize {
        self.meshes.last().map_or(0, |last| last.first + last.vertices())
    }

    /// The number of triangles of all meshes.
    pub fn triangles(&self) -> usize {
        self.meshes.iter().map(|mesh| mesh.triangles.len()).sum()
    }

    /// The unit of places and of what is written \[m\].
    pub fn unit(&self) -> f64 {
        self.unit
    }

    /// The places of all vertices in a frame, in the unit of the sequence.
    pub fn places(&self, frame: usize) -> Vec<[f32; 3]> {
        let mut places = Vec::new();
        let found = self.each(frame..frame + 1, None, Wanted::Positions, &mut |_, values| {
            places = values.to_vec();
            Ok(())
        });
        debug_assert!(found.is_ok(), "nothing is written");
        places
    }

    /// Passes the positions, in the unit of the sequence, or unit normals of all vertices, or of those of one mesh, to `each`, frame by frame.
    pub(super) fn each(
        &self,
        frames: std::ops::Range<usize>,
        only: Option<usize>,
        wanted: Wanted,
        each: &mut EachFrame<'_>,
    ) -> io::Result<()> {
        let chosen: Vec<&BakedMesh> = match only {
            Some(mesh) => vec![&self.meshes[mesh]],
            None => self.meshes.iter().collect(),
        };
        let count = chosen.iter().map(|mesh| mesh.vertices()).sum();
        let mut deformers: Vec<Deformer<'_>> =
            chosen.iter().map(|mesh| Deformer::new(&mesh.bound, self.method)).collect();
        let mut kinematics = ForwardKinematics::new(&self.clip);
        let mut values = vec![[0.0f32; 3]; count];
        let mut weights = Vec::new();
        for frame in frames {
            kinematics.place(frame);
            let mut from = 0;
            for (mesh, deformer) in chosen.iter().zip(&mut deformers) {
                mesh.shape_weights(&self.clip, frame, &mut weights);
                deformer.pose(|joint| kinematics.matrix(joint), &weights);
                let own = &mut values[from..from + mesh.vertices()];
                match wanted {
                    Wanted::Positions => deformer.positions(self.factor, own),
                    Wanted::Normals => deformer.normals(own),
                }
                from += mesh.vertices();
            }
            each(frame, &values)?;
        }
        Ok(())
    }

    /// As [`VertexSequence::each`], of all frames and meshes.
    pub(super) fn all(&self, wanted: Wanted, each: &mut EachFrame<'_>) -> io::Result<()> {
        self.each(0..self.frames(), None, wanted, each)
    }
}
