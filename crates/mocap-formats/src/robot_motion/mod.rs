//! Motions of robots in the files that trainers read: tables (Unitree's, and one with a header), and arrays (mjlab and
//! BeyondMimic, the AMP of Isaac Lab, GMR).
//!
//! Metres, radians, Z up. Joints and bodies are listed in an [`Order`]; a policy that is trained on the wrong one does
//! not converge. Names are in the arrays or in a JSON file beside the motion. Pickles are written but never read:
//! loading one can run code.

mod columns;
mod format;
mod from_arrays;
mod order;
mod pickle;
mod plausible;
mod problem;
mod rate;
mod sidecar;
mod table;
mod times;
mod to_arrays;

pub use order::Order;
pub use problem::Problem;
pub use rate::usual_rate;

pub(crate) use columns::has_header;
pub(crate) use format::{document, gmr_npz, gmr_pkl, isaac_npz, mjlab_npz, robot_csv, unitree_csv};
pub(crate) use from_arrays::{is_robot_motion, read_arrays, robot_format};
