//! Props that people carry, after retargeting.

use mocap_model::{BoundBody, Character, Scene};

use crate::diagnostic::Diagnostic;

/// A hand that misses its place on a prop by more than this is reported \[m\].
const MISSED: f64 = 0.005;

/// A scene whose props are carried as in its source.
#[derive(Default)]
pub(super) struct Kept {
    pub(super) scene: Scene,
    /// Notes on who carries which prop.
    pub(super) notes: Vec<String>,
    pub(super) warnings: Vec<Diagnostic>,
}

/// Things with what shows them in the mesh of their file.
pub(super) fn shown(things: Vec<Character>, mesh: Option<&BoundBody>) -> Vec<Character> {
    let part = |thing: &Character| mesh.and_then(|mesh| mesh.part_on(thing.skeleton()));
    things
        .into_iter()
        .map(|thing| Character { body: thing.body.clone().or_else(|| part(&thing)), ..thing })
        .collect()
}

/// Binds the props of the result as in the source.
pub(super) fn kept(source: &Scene, result: Scene) -> Result<Kept, Diagnostic> {
    if result.props.is_empty() {
        return Ok(Kept { scene: result, ..Kept::default() });
    }
    let mocap_edit::KeptBound { scene, notes, missing } = mocap_edit::keep_bound(source, result)?;
    let warnings = missing.filter(|missing| *missing > MISSED).map(|missing| {
        let message =
            format!("a hand is up to {:.0} mm from where it held: the arm is too short", missing * 1e3);
        Diagnostic::new("retarget::hand-off-thing", message)
    });
    Ok(Kept { scene, notes, warnings: warnings.into_iter().collect() })
}
