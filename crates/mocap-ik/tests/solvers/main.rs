//! Solvers of inverse kinematics on legs, chains and trees.

#[path = "../../benches/blocked.rs"]
#[allow(missing_docs, dead_code, unreachable_pub, reason = "the benchmark uses the rest")]
mod bench;
#[path = "../support/mod.rs"]
mod support;

mod blocked;
mod legs;
mod properties;
mod trees;
