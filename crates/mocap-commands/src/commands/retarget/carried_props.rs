//! Props that people carry, after retargeting.

use mocap::TargetReport;
use mocap_edit::{HeldArm, KeptBound};
use mocap_model::{BoundBody, Character, Clip, Scene, Side};
use mocap_retarget::TargetSurface;

use super::target::Target;
use crate::diagnostic::Diagnostic;
use crate::options::BodyChoice;

/// A hand that misses its place on a prop by more than this is reported \[m\].
const MISSED: f64 = 0.005;
/// A forearm that is inside the trunk by more than this while its hand holds something is reported \[m\].
const INSIDE: f64 = 0.005;

/// A scene whose props are carried as in its source.
#[derive(Default)]
pub(crate) struct SceneWithProps {
    pub(crate) scene: Scene,
    /// By person: whether arms were moved to what they hold.
    pub(crate) moved: Vec<bool>,
    /// Notes on who carries which prop.
    pub(crate) notes: Vec<String>,
    /// By person: how deep a forearm is inside while its hand holds something \[m\]; `None` where nothing was measured.
    pub(crate) arm_inside: Vec<Option<f64>>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Props, each with the part of the file's mesh that follows its joints.
pub(crate) fn shown(props: Vec<Character>, mesh: Option<&BoundBody>) -> Vec<Character> {
    let part = |prop: &Character| mesh.and_then(|mesh| mesh.part_on(prop.skeleton()));
    props
        .into_iter()
        .map(|prop| Character { body: prop.body.clone().or_else(|| part(&prop)), ..prop })
        .collect()
}

/// The surface that arms which hold something are kept out of: the target's own, or capsules. None with `--body off`.
pub(crate) fn surface_of(target: &Target, body: &BodyChoice) -> Option<TargetSurface> {
    match body {
        BodyChoice::Off => None,
        _ => target.on.surface_or_capsules(),
    }
}

/// Binds the props of the result as in the source. `surfaces` are those of the people, by [`surface_of`].
pub(crate) fn kept(
    source: &Scene,
    result: Scene,
    surfaces: impl FnOnce() -> Vec<Option<TargetSurface>>,
) -> Result<SceneWithProps, Diagnostic> {
    if result.props.is_empty() {
        let moved = vec![false; result.characters.len()];
        return Ok(SceneWithProps { scene: result, moved, ..SceneWithProps::default() });
    }
    let before: Vec<Clip> = result.characters.iter().map(|one| one.clip.clone()).collect();
    let KeptBound { scene, notes, missing, arms } = mocap_edit::keep_bound(source, result, &surfaces())?;
    let missing = missing.filter(|missing| *missing > MISSED).map(|missing| {
        let message =
            format!("a hand is up to {:.0} mm from where it held: the arm is too short", missing * 1e3);
        Diagnostic::new("retarget::hand-off-prop", message)
    });
    let inside = arms.iter().filter(|arm| arm.inside.deepest > INSIDE).map(|arm| arm_inside(&scene, arm));
    let warnings = missing.into_iter().chain(inside).collect();
    let moved = before.iter().zip(&scene.characters).map(|(before, after)| *before != after.clip).collect();
    Ok(SceneWithProps { arm_inside: deepest(&scene, &arms), moved, scene, notes, warnings })
}

/// By person: how deep a forearm is inside while its hand holds something; `None` where nothing was measured.
fn deepest(scene: &Scene, arms: &[HeldArm]) -> Vec<Option<f64>> {
    let of =
        |at: usize| arms.iter().filter(|arm| arm.of == at).map(|arm| arm.inside.deepest).reduce(f64::max);
    (0..scene.characters.len()).map(of).collect()
}

/// The warning about a forearm that holds something and is inside the trunk.
fn arm_inside(scene: &Scene, HeldArm { of, side, inside }: &HeldArm) -> Diagnostic {
    let side = if *side == Side::Left { "left" } else { "right" };
    let name = &scene.characters[*of].name;
    let whose = if name.is_empty() { String::new() } else { format!(" of {name}") };
    let message = format!(
        "the {side} forearm{whose} is inside trunk, head or legs in {} frames ({} to {}) while its hand holds something: at \
         most {:.0} mm and {:.0} % of it, in frame {}",
        inside.frames,
        inside.range.start,
        inside.range.end - 1,
        inside.deepest * 1e3,
        inside.share * 100.0,
        inside.worst,
    );
    Diagnostic::new("retarget::arm-inside", message)
        .help("the elbow is swivelled out by 25° at most; a prop that is larger, or held further ahead, leaves more room")
}

/// Adds how deep forearms that hold something are inside to the reports of the people.
pub(crate) fn add_figures<'a>(
    reports: impl Iterator<Item = &'a mut TargetReport>,
    arm_inside: &[Option<f64>],
) {
    for (report, inside) in reports.zip(arm_inside) {
        if let TargetReport::Body(report) = report {
            report.held_arm_inside = *inside;
        }
    }
}
