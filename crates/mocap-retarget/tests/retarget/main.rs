//! Roles, maps, sizes, contacts and surfaces of retargeting.

mod bodies;
mod maps;
mod presets;
mod roles;
mod self_contact;
mod sizes;
mod surface;
