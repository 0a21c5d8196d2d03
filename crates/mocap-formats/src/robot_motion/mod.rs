//! Motions of robots in the files that trainers read: tables (Unitree's, and one with a header), and arrays (mjlab and
//! BeyondMimic, the AMP of Isaac Lab, GMR).
//!
//! Metres, radians, Z up. Values of joints and places of bodies stand in an [`Order`]: in training on the wrong one a
//! policy does not converge. Arrays hold the names, and a JSON file beside each motion does. Pickles are written, and
//! never read: they are programs.

mod format;
mod from_arrays;
mod order;
mod pickle;
mod problem;
mod rate;
mod sidecar;
mod table;
mod to_arrays;

pub use order::Order;
pub use problem::Problem;
pub use rate::usual_rate;

pub(crate) use format::{document, gmr_npz, gmr_pkl, isaac_npz, mjlab_npz, robot_csv, unitree_csv};
pub(crate) use from_arrays::{is_robot_motion, read_arrays, robot_format};
