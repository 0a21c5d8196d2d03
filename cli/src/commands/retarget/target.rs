//! The skeleton that motions are put on.

use mocap_formats::Remedy;
use mocap_model::{Pose, Skeleton, UnitSource};
use mocap_retarget::{RoleMap, map_roles, map_roles_in};

use crate::args::{PositionChannelsArg, Reading, TargetSettings};
use crate::batch::{Failure, Input, JobContext};
use crate::diagnostic::Diagnostic;
use crate::edit::guessed;
use crate::read::{self, Motion};
use crate::rest::{self, RestArg, starts_at_rest};

/// The target and what was found while it was read.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) path: String,
    pub(super) skeleton: Skeleton,
    /// How it stands, as its own motion shows.
    pub(super) rest: Option<Pose>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// What its joints are, as far as names, shape and its own motion tell.
    pub(super) roles: RoleMap,
}

/// Reads the target. What the flags say about the inputs does not hold for it.
pub(crate) fn read(
    (context, input): (&JobContext, &Input),
    args: &TargetSettings,
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
    let loaded = read::load(context, input, &reading)?;
    let (skeleton, rest, roles, mut warnings) = if loaded.format.has_motion() || stance.is_some() {
        let Motion { clip, mut warnings, .. } = loaded.into_motion(&reading)?;
        let at_rest = starts_at_rest(&mut warnings);
        let asked = stance.map_or(RestArg::Auto, RestArg::Frame);
        let (_, rest) = rest::stance(&clip, asked, at_rest, "--target-rest")?;
        (clip.skeleton().as_ref().clone(), rest, map_roles_in(&clip), warnings)
    } else {
        let (skeleton, warnings) = loaded.into_skeleton(&reading)?;
        let roles = map_roles(&skeleton);
        (skeleton, None, roles, warnings)
    };
    for warning in warnings.iter_mut().filter(|warning| warning.remedy == Some(Remedy::StateUp)) {
        warning.help = warning.help.take().map(|help| help.replace("--input-up", "--target-up"));
    }
    let mut warnings = read::strict(inputs, warnings)?;
    match read::known_unit(&skeleton) {
        None if args.unit_unneeded => {}
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
    Ok(Target { path: input.shown(), skeleton, rest, roles, warnings })
}
