//! Surfaces moved by joints.

#[path = "../support/mod.rs"]
mod support;

mod cylinder;
mod deform;
