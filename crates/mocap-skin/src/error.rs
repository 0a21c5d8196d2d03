//! Why a mesh cannot be deformed.

/// Why a mesh cannot be deformed. Messages name the mesh, and the vertex or bone.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SkinError {
    /// A place or normal is not finite.
    #[error("vertex {vertex} of mesh '{mesh}' is at {at:?}: a coordinate is not a number")]
    NotFinite {
        /// The name of the mesh.
        mesh: String,
        /// The vertex, from 0.
        vertex: usize,
        /// What the file says.
        at: [f64; 3],
    },
    /// A bind matrix is not finite.
    #[error("the inverse bind matrix of bone {bone} of mesh '{mesh}' has an entry that is not a number")]
    Bind {
        /// The name of the mesh.
        mesh: String,
        /// The place in the list of bones, from 0.
        bone: usize,
    },
    /// The lists of the skin do not belong to these vertices.
    #[error("the skin of mesh '{mesh}' has influences of {found} vertices, the mesh has {expected} vertices")]
    Lists {
        /// The name of the mesh.
        mesh: String,
        /// Vertices in the skin.
        found: usize,
        /// Vertices of the mesh.
        expected: usize,
    },
    /// An influence names a bone that the skin lacks.
    #[error("vertex {vertex} of mesh '{mesh}' follows bone {bone}, but the skin has {bones} bones")]
    Bone {
        /// The name of the mesh.
        mesh: String,
        /// The vertex, from 0.
        vertex: usize,
        /// The bone that is named.
        bone: u32,
        /// How many there are.
        bones: usize,
    },
    /// A vertex has no weight above 0.
    #[error("vertex {vertex} of mesh '{mesh}' follows no bone")]
    Unbound {
        /// The name of the mesh.
        mesh: String,
        /// The vertex, from 0.
        vertex: usize,
    },
}
