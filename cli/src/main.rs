//! The `mocap` command.
fn main() {}
