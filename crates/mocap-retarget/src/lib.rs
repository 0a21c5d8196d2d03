//! Puts the motion of one skeleton on another.

mod roles;

pub use roles::{Reason, RoleMap, RoleRow, map_roles};
