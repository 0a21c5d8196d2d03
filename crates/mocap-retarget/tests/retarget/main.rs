//! Roles, maps, sizes, contacts and surfaces of retargeting.

mod bodies;
mod facing;
mod feet;
mod handstand;
mod maps;
mod presets;
mod robots;
mod roles;
mod self_contact;
mod sizes;
mod surface;
