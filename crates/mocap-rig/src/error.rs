//! Why a mesh cannot be rigged.

/// Why a mesh cannot be rigged. Messages state the finding; [`RigError::help`] the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RigError {
    /// A coordinate is not a number.
    #[error("vertex {vertex} of mesh '{mesh}' is at {at:?}: a coordinate is not a number")]
    NotFinite {
        /// The name of the mesh.
        mesh: String,
        /// The vertex, from 0.
        vertex: usize,
        /// What the file says.
        at: [f64; 3],
    },
    /// There are no triangles.
    #[error("the mesh has {vertices} vertices and no triangle with an area")]
    NoFaces {
        /// How many vertices it has.
        vertices: usize,
    },
    /// All vertices are in one place.
    #[error("the mesh has no size: all vertices are in one place")]
    NoSize,
    /// More triangles than the budget allows.
    #[error("the mesh has {triangles} triangles, the budget is {most}")]
    Budget {
        /// How many there are.
        triangles: usize,
        /// How many are allowed.
        most: usize,
    },
    /// The weights would take too much memory.
    #[error("{joints} joints for each of {places} places are more numbers than the budget of {most}")]
    WeightBudget {
        /// How many joints move the mesh.
        joints: usize,
        /// How many places or voxels there are.
        places: usize,
        /// How many numbers are allowed.
        most: usize,
    },
    /// An axis that the user states is not that of the body.
    #[error("the stated {axis} axis is {degrees:.0}° from what the body shows; at most 45° is accepted")]
    Axis {
        /// "up", or "facing".
        axis: &'static str,
        /// The angle between both [°].
        degrees: f64,
    },
    /// The surface encloses nothing.
    #[error("the surface encloses nothing: {share:.1} % of the box around it is inside")]
    NoSolid {
        /// The share of the box around the mesh that is inside [%].
        share: f64,
    },
    /// The parts are not one body.
    #[error(
        "the mesh is {count} bodies: the largest parts have {first:.0} % and {second:.0} % of the volume"
    )]
    SeveralBodies {
        /// How many large parts there are.
        count: usize,
        /// The share of the largest [%].
        first: f64,
        /// The share of the second [%].
        second: f64,
    },
    /// It does not have the limbs of a person.
    #[error("the mesh is not a person standing: {seen}")]
    NotHuman {
        /// What was seen.
        seen: String,
    },
    /// It does not have the limbs of the skeleton to be fitted.
    #[error("the mesh has not the shape of the skeleton: {seen}")]
    OtherShape {
        /// What was seen.
        seen: String,
    },
    /// There is no bone to follow.
    #[error("the skeleton has no joint that can move the mesh")]
    NoBones,
    /// The system of equations has no solution.
    #[error("the equations of the weights have no solution: triangles are degenerate")]
    Singular,
    /// The character whose weights are copied has none.
    #[error("the character has no skin: fewer than two joints move its mesh")]
    NoSkin,
    /// The character whose weights are copied is built differently.
    #[error("the skeleton has {shared} of the {moving} joints that move the character, by name or role")]
    NoCommonJoints {
        /// How many joints both have.
        shared: usize,
        /// How many joints move the character.
        moving: usize,
    },
    /// A joint that was to be fixed is not in the skeleton.
    #[error("joint '{joint}' is to be fixed, but the skeleton has no such joint")]
    NoJoint {
        /// Its name.
        joint: String,
    },
}

impl RigError {
    /// A stable code.
    pub fn code(&self) -> &'static str {
        match self {
            RigError::NotFinite { .. } => "rig::not-finite",
            RigError::NoFaces { .. } => "rig::no-faces",
            RigError::NoSize => "rig::no-size",
            RigError::Budget { .. } | RigError::WeightBudget { .. } => "rig::budget",
            RigError::Axis { .. } => "rig::axis",
            RigError::NoSolid { .. } => "rig::no-solid",
            RigError::SeveralBodies { .. } => "rig::several-bodies",
            RigError::NotHuman { .. } => "rig::not-human",
            RigError::OtherShape { .. } => "rig::other-shape",
            RigError::NoBones => "rig::no-bones",
            RigError::Singular => "rig::singular",
            RigError::NoSkin => "rig::no-skin",
            RigError::NoCommonJoints { .. } => "rig::no-common-joints",
            RigError::NoJoint { .. } => "rig::no-joint",
        }
    }

    /// What to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            RigError::NotFinite { .. } => "export the mesh again",
            RigError::NoFaces { .. } => "a point cloud has no inside: make a surface of it first",
            RigError::NoSize => "the exporter may have applied a scale of 0",
            RigError::Budget { .. } => "decimate the mesh, or raise --max-triangles",
            RigError::WeightBudget { .. } => "decimate the mesh, or take a skeleton of fewer joints",
            RigError::Axis { .. } => {
                "leave --up and --facing out, or state the axes along which the body stands"
            }
            RigError::NoSolid { .. } => "close the surface, or turn its faces outwards",
            RigError::SeveralBodies { .. } => "give each character its own file",
            RigError::NotHuman { .. } => {
                "rig needs one upright person with arms and legs apart; --up and --facing state the axes; --skeleton takes an animal's skeleton; --weights-only keeps that of the file, also with --weights-from CHARACTER"
            }
            RigError::OtherShape { .. } => {
                "--joint-places states where joints are; --weights-only keeps the skeleton of the file"
            }
            RigError::NoBones => "give a skeleton with --skeleton or --preset",
            RigError::Singular => "remove triangles without area",
            RigError::NoSkin => "--weights-from takes a rigged character, such as a GLB or FBX with a skin",
            RigError::NoCommonJoints { .. } => {
                "leave out --skeleton, --preset and --weights-only: then the skeleton of the character is fitted"
            }
            RigError::NoJoint { .. } => "mocap skel lists the joints of a skeleton",
        }
    }
}
