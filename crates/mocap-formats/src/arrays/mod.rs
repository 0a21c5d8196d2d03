//! Motions as named arrays, for numpy and machine learning. [`npz`](crate::npz) and
//! [`safetensors`](crate::safetensors) files hold them.
//!
//! F frames, J joints without end sites, in the order of the skeleton; lengths in metres where the unit is known:
//!
//! | array | shape | |
//! |---|---|---|
//! | `rotations` | (F, J, 4) | local, W X Y Z; other encodings: [`RotationFormat`] |
//! | `root_translation` | (F, 3) | of the first joint |
//! | `translations` | (F, J, 3) | local, where a joint below the root moves in its parent's frame |
//! | `scales` | (F, J, 3) | local, where a joint has a scale |
//! | `scalars`, `scalar_names` | (F, N), (N,) | numbers over time, such as morph weights |
//! | `event_times`, `event_names` | (K,) | moments with a name \[s\] |
//! | `positions`, `velocities` | (F, J, 3) | in object space \[m\], [m/s] |
//! | `heading`, `planar_velocity` | (F,), (F, 2) | of the body about the up axis \[rad\]; of the root to its left and forward [m/s] |
//! | `contacts` | (F, 2) | left and right foot on the floor; only of bodies with feet |
//! | `parents`, `names`, `roles` | (J,) | root: -1; without a role: empty |
//! | `offsets`, `rest_rotations` | (J, 3), (J, 4) | the rest pose |
//! | `end_site_parents`, `end_site_offsets` | (E,), (E, 3) | |
//! | `up`, `fps`, `metres_per_unit` | () | NaN: the unit is not known |
//! | `skeleton` | () | the text of a `.skel` file: names of end sites, degrees of freedom, every bit of an offset |

mod array;
mod document;
mod encoding;
mod features;
mod markers;
mod of_clip;
mod options;
mod pack;
mod parts;
mod problem;
mod to_clip;
mod ulps;

pub use array::{Array, Arrays, Data, Precision};
pub use markers::of_markers;
pub use of_clip::of_clip;
pub use options::{ArrayOptions, RotationFormat, Window};
pub use pack::{check_common, is_per_frame, of_skeleton, pack, unpack};
pub use problem::Problem;

pub(crate) use array::push;
pub(crate) use document::{document, of_clip as clip_document};
pub(crate) use markers::{check_fits, to_markers};
pub(crate) use of_clip::parts;
pub(crate) use parts::{Floats, Part, Parts};
pub(crate) use problem::shape;
pub(crate) use to_clip::Source;

/// Whether an array is computed from the others, and so not needed to read the motion.
pub(crate) fn is_derived(name: &str) -> bool {
    ["positions", "velocities", "heading", "planar_velocity", "contacts", "window_starts", "window"]
        .contains(&name)
}
