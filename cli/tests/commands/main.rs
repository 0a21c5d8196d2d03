//! The command line on small files: what it prints, what it writes, its fields, its exit codes; one module per subject.

#[path = "../mocap/mod.rs"]
mod mocap;
#[path = "../../../crates/mocap-rig/tests/person/mod.rs"]
mod person;

mod bake;
mod blending;
mod characters;
mod clip_names;
mod compression;
mod config;
mod contract;
mod editing;
mod examples;
mod expressions;
mod faces;
mod finding;
mod findings;
mod guard;
mod impossible;
mod manifest;
mod many;
mod mapping;
mod misread;
mod pipelines;
mod poses;
mod rates;
mod reading;
mod reference_pose;
mod refused;
mod resume;
mod retarget;
mod rig_presets;
mod rigging;
mod robot_sources;
mod robots;
mod solving;
mod streams;
mod subjects;
mod together;
mod typical_mistakes;
mod vrm_animations;
