//! How a clip is compressed.

use crate::{Effort, Profile};

/// How a clip is compressed.
#[derive(Clone, Debug, PartialEq)]
pub struct CompressOptions {
    /// The profile. Default: [`Profile::Runtime`].
    pub profile: Profile,
    /// How much work is done for fewer bytes. Default: 5 of 9.
    pub effort: Effort,
    /// The greatest error \[m\], above 0. Default: 0.0001.
    pub tolerance: f64,
    /// The distance from each joint at which the error is measured \[m\], above 0. Default: 0.03.
    pub shell: f64,
    /// Metres in one unit of the clip. Default: as its skeleton says.
    pub metres_per_unit: Option<f64>,
    /// Tolerances of joints by name \[m\], above 0, in place of the common one. Default: none.
    pub joint_tolerances: Vec<(String, f64)>,
    /// The greatest error of local rotations \[rad\], above 0. Default: not bounded. Decoded local rotations make
    /// up for the errors of their parents, and may be off by more than the object-space error suggests.
    pub local_error: Option<f64>,
    /// The greatest error of scales of joints, which are factors, and of numbers over time, in their own units; 0 or
    /// above. 0: every bit is kept. Default: 0.0001.
    pub track_error: f64,
    /// Whether the tolerance also holds half-way between frames. Default: false.
    pub guard_between: bool,
    /// Whether the skeleton is left out of the file; [`Compressed::open_with`](crate::Compressed::open_with) then
    /// needs it. Default: false.
    pub external_skeleton: bool,
    /// Where the skeleton is left out: by how much lengths were multiplied since it was read, above 0. Opening the file
    /// multiplies those of the skeleton that is given. Default: 1.
    pub external_scale: f64,
}

impl Default for CompressOptions {
    fn default() -> CompressOptions {
        CompressOptions {
            profile: Profile::default(),
            effort: Effort::default(),
            tolerance: 1e-4,
            shell: 0.03,
            metres_per_unit: None,
            joint_tolerances: Vec::new(),
            local_error: None,
            track_error: 1e-4,
            guard_between: false,
            external_skeleton: false,
            external_scale: 1.0,
        }
    }
}
