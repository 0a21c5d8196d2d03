//! The skeleton that motions are put on.

use mocap_model::{Pose, Skeleton, UnitSource};
use mocap_retarget::rest_from_motion;

use super::TargetArgs;
use super::choices::rest_pose;
use crate::args::{PositionChannelsArg, Reading};
use crate::batch::{Failure, Input};
use crate::diagnostic::Diagnostic;
use crate::edit::guessed;
use crate::read::{self, Motion};

/// The target and what was found while it was read.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) path: String,
    pub(super) skeleton: Skeleton,
    /// How it stands, as its own motion shows.
    pub(super) rest: Option<Pose>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// The first frame is a rest pose: of a target that is welcome.
const REST_FIRST: &str = "bvh::rest-first-frame";

/// Reads the target. What the flags say about the inputs does not hold for it.
pub(crate) fn read(
    input: &Input,
    args: &TargetArgs,
    stance: Option<usize>,
    inputs: &Reading,
) -> Result<Target, Failure> {
    let reading = Reading {
        from: None,
        input_fps: None,
        input_unit: args.target_unit,
        input_up: args.target_up,
        position_channels: PositionChannelsArg::Auto,
        skeleton: None,
        // What is odd about the target's own motion is settled here first.
        strict: false,
        ..inputs.clone()
    };
    let loaded = read::load(input, &reading)?;
    let (skeleton, rest, mut warnings) = if loaded.format.has_motion() || stance.is_some() {
        let Motion { clip, warnings, .. } = loaded.into_motion(&reading)?;
        let rest_first = warnings.iter().any(|warning| warning.code == REST_FIRST);
        let rest = match stance.or(rest_first.then_some(0)) {
            Some(frame) => Some(rest_pose(&clip, frame, "--target-rest")?),
            // A motion that shows no stance leaves the rest pose of the file.
            None => rest_from_motion(&clip).ok(),
        };
        (clip.skeleton().as_ref().clone(), rest, warnings)
    } else {
        let (skeleton, warnings) = loaded.into_skeleton(&reading)?;
        (skeleton, None, warnings)
    };
    warnings.retain(|warning| warning.code != REST_FIRST);
    let mut warnings = read::strict(inputs, warnings)?;
    match read::known_unit(&skeleton) {
        None => {
            let error = Diagnostic::new(
                "unit::unknown",
                "the report is in metres, and neither the target nor its size say its unit",
            )
            .help("state it with --target-unit, such as --target-unit cm");
            return Err(Failure { error, warnings });
        }
        Some(unit) if unit.source == UnitSource::Guessed => {
            let name = unit.name().unwrap_or_default();
            warnings.push(guessed(unit).help(format!("--target-unit {name} states it, and silences this")));
        }
        Some(_) => {}
    }
    Ok(Target { path: input.shown(), skeleton, rest, warnings })
}
