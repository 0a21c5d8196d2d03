//! The surface of a character in motion: meshes deformed by joints, and what is measured on them.
//!
//! The crate does no I/O and prints nothing.
