//! Skeletons of common rigs, instead of files.

use std::path::PathBuf;

use mocap_formats::skel::{Preset, presets};
use schemars::JsonSchema;
use serde::Serialize;

use crate::batch::{Input, json};
use crate::exit::Exit;
use crate::output::Output;

/// A row of `mocap skel --preset list --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row {
    /// The value for `--preset`.
    preset: &'static str,
    /// The usual name of the rig.
    title: &'static str,
    /// Number of joints, without end sites.
    joints: usize,
    /// The unit of its lengths.
    unit: &'static str,
    /// The axis that points up.
    up: String,
}

/// Prints the list of presets.
pub(super) fn list(console: &mut dyn Output) -> Exit {
    for preset in presets() {
        let joints = preset.skeleton().joints().iter().filter(|joint| !joint.end_site).count();
        let Preset { name, title, unit, .. } = *preset;
        let row = Row { preset: name, title, joints, unit, up: preset.space().up.to_string() };
        let text = format!("{name:10} {title}: {joints} joints, {unit}, {} up", row.up);
        console.row(&json(&row), &text);
    }
    Exit::Success
}

/// A preset as an input: its output is planned like that of a file.
pub(super) fn input(preset: &Preset) -> Input {
    let named = PathBuf::from(format!("preset {}", preset.name));
    Input { relative: PathBuf::from(preset.name), ..Input::named(&named) }
}
