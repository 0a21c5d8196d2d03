//! Skeletons of common rigs in place of those of files.

use std::path::PathBuf;

use mocap_formats::skel::{Preset, presets};
use schemars::JsonSchema;
use serde::Serialize;

use crate::batch::{Input, json};
use crate::console::Console;
use crate::exit::Exit;

/// A row of `mocap skel --preset list --json`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Row {
    /// What `--preset` takes.
    preset: &'static str,
    /// What users know the rig as.
    title: &'static str,
    /// Without end sites.
    joints: usize,
    /// The unit of its lengths.
    unit: &'static str,
    /// The axis that points up.
    up: String,
}

/// Prints what there is.
pub(super) fn list(console: &mut Console) -> Exit {
    for preset in presets() {
        let joints = preset.skeleton().joints().iter().filter(|joint| !joint.end_site).count();
        let Preset { name, title, unit, .. } = *preset;
        let row = Row { preset: name, title, joints, unit, up: preset.space().up.to_string() };
        let text = format!("{name:10} {title}: {joints} joints, {unit}, {} up", row.up);
        console.row(&json(&row), &text);
    }
    Exit::Success
}

/// A preset as an input, so that its output is planned like any other.
pub(super) fn input(preset: &Preset) -> Input {
    let named = PathBuf::from(format!("preset {}", preset.name));
    Input { relative: PathBuf::from(preset.name), ..Input::named(&named) }
}
