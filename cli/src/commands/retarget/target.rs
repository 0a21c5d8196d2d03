//! The target: the skeleton that motions are retargeted to.

use std::path::Path;
use std::sync::Arc;

use mocap_formats::bvh::PositionChannels;
use mocap_formats::skel::{self, Preset, presets};
use mocap_formats::{Document, Remedy};
use mocap_model::{Pose, Robot, RobotJoint, Skeleton};
use mocap_retarget::{RestChoice, RoleMap, map_roles, map_roles_in, rest_pose_of};
use mocap_robot::{Humanoid, RobotError};

use crate::args::{PositionChannelsArg, Reading, RobotSettings, TargetSettings};
use crate::batch::{Failure, Input, JobContext};
use crate::diagnostic::Diagnostic;
use crate::read::{self, Motion, PeerInputs, robot_of_file};
use crate::rest;

/// The target and what was found while it was read.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) path: String,
    pub(super) skeleton: Skeleton,
    /// Its reference pose, estimated from its own motion.
    pub(super) rest: Option<Pose>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// The file, where it holds more than a skeleton and its motion.
    pub(crate) document: Option<Box<dyn Document>>,
    /// Roles of its joints, by names, shape and its own motion.
    pub(super) roles: RoleMap,
    /// What counts on a robot.
    pub(super) limits: RobotLimits,
}

/// What counts on a robot besides its model.
#[derive(Clone, Debug, Default)]
pub(super) struct RobotLimits {
    /// Highest speeds by joint [rad/s or m/s], of another model.
    pub(super) velocities: Vec<Option<f64>>,
    /// Highest accelerations by joint [rad/s² or m/s²], of another model.
    pub(super) accelerations: Vec<Option<f64>>,
    /// Whether its parts are kept out of each other.
    pub(super) separate: bool,
}

impl Target {
    /// The robot, where it is one.
    pub(crate) fn robot(&self) -> Option<&Arc<Robot>> {
        self.skeleton.robot()
    }

    /// The target with the settings of robots.
    pub(crate) fn on_robot(
        self,
        (settings, has_map): (&RobotSettings, bool),
        context: &JobContext,
    ) -> Result<Target, Diagnostic> {
        let Some(robot) = self.robot() else {
            return match settings.limits_from {
                None => Ok(self),
                Some(_) => {
                    Err(Diagnostic::new("usage::limits-from", "--limits-from is for robots as target")
                        .help("the target is not the model of a robot"))
                }
            };
        };
        // A map may name what is not found.
        if !has_map {
            Humanoid::find(robot).map_err(|error| refused_robot(&error, &self.path))?;
        }
        let [velocities, accelerations] = match &settings.limits_from {
            Some(path) => {
                let other = robot_of_file(context, path)?;
                let of = |limit: &dyn Fn(&RobotJoint) -> Option<f64>| -> Vec<Option<f64>> {
                    let named = |joint: &RobotJoint| limit(&other.joints()[other.find_joint(&joint.name)?]);
                    robot.joints().iter().map(named).collect()
                };
                let velocities = of(&|joint| joint.velocity);
                if velocities.iter().all(Option::is_none) {
                    let message = format!("the model states no speed for any joint of {}", self.path);
                    return Err(Diagnostic::new("robot::limits", message).in_file(path));
                }
                [velocities, of(&|joint| joint.acceleration)]
            }
            None => [Vec::new(), Vec::new()],
        };
        let limits = RobotLimits { velocities, accelerations, separate: !settings.no_separation };
        Ok(Target { limits, ..self })
    }
}

/// What the name of a preset as target begins with.
pub(super) const PRESET: &str = "preset:";

/// The preset that stands for a target, unless a file has that name.
fn preset(input: &Input) -> Result<Option<&'static Preset>, Diagnostic> {
    let named = input.path().filter(|path| !path.exists()).and_then(|path| path.to_str());
    let Some(name) = named.and_then(|name| name.strip_prefix(PRESET)) else { return Ok(None) };
    skel::preset(name).map(Some).ok_or_else(|| {
        let known: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
        let error = Diagnostic::new("usage::preset", format!("unknown preset '{name}'"));
        error.help(format!("presets are {}; `mocap skel --preset list` shows them", known.join(", ")))
    })
}

/// Reads the target: a file, or `preset:NAME`. Flags about inputs do not apply to it.
pub(crate) fn read(
    (context, input): (&JobContext, &Input),
    args: &TargetSettings,
    rest_frame: Option<usize>,
    inputs: &Reading,
) -> Result<Target, Failure> {
    let reading = Reading {
        from: None,
        input_fps: None,
        input_unit: args.target_unit,
        input_up: args.target_up,
        position_channels: PositionChannelsArg(PositionChannels::Auto),
        skeleton: None,
        // The sources say nothing about the target.
        peers: PeerInputs::default(),
        // A rest pose before the target's own motion is not an error: it is removed from the warnings first.
        strict: false,
        ..inputs.clone()
    };
    if let Some(preset) = preset(input)? {
        let (skeleton, warnings) = (preset.skeleton(), Vec::new());
        return Ok(Target {
            path: input.shown(),
            roles: map_roles(&skeleton),
            skeleton,
            rest: None,
            document: None,
            warnings,
            limits: RobotLimits::default(),
        });
    }
    let loaded = read::load(context, input, &reading)?;
    let (skeleton, rest, roles, mut warnings, document) =
        if loaded.format.has_motion() || rest_frame.is_some() {
            let (Motion { clip, mut warnings, .. }, document) = loaded.into_motion_and_document(&reading)?;
            // Any clip of the target shows how it stands.
            warnings.retain(|warning| {
                !["clip::first-of-several", "gltf::no-animation", "fbx::no-animation"].contains(&warning.code)
            });
            let first_is_rest = rest::starts_at_rest(&mut warnings);
            let choice = rest_frame.map_or(RestChoice::Auto, RestChoice::Frame);
            let (_, rest) = rest_pose_of(&clip, choice, first_is_rest)
                .map_err(|error| rest::refused("--target-rest", &error))?;
            (clip.skeleton().as_ref().clone(), rest, map_roles_in(&clip), warnings, document)
        } else {
            let (skeleton, warnings) = loaded.into_skeleton(&reading)?;
            let roles = map_roles(&skeleton);
            (skeleton, None, roles, warnings, None)
        };
    for warning in warnings.iter_mut().filter(|warning| warning.remedy == Some(Remedy::StateUp)) {
        warning.help = warning.help.take().map(|help| help.replace("--input-up", "--target-up"));
    }
    if !args.unit_unneeded {
        let mut found = Vec::new();
        mocap::for_report(&skeleton, &mut found);
        warnings.extend(found.into_iter().map(Diagnostic::from));
    }
    for warning in warnings.iter_mut().filter(|warning| warning.remedy == Some(Remedy::StateUnit)) {
        warning.help = warning.help.take().map(|help| help.replace("--input-unit", "--target-unit"));
    }
    let warnings = read::strict(inputs, warnings)?;
    let limits = RobotLimits::default();
    Ok(Target { path: input.shown(), skeleton, rest, document, roles, warnings, limits })
}

/// An error, about the file of the robot if it is about the robot.
pub(super) fn refused_robot(error: &RobotError, path: &str) -> Diagnostic {
    let diagnostic = Diagnostic::new(error.code(), error.to_string());
    match error {
        RobotError::NotHumanoid { .. } => diagnostic
            .in_file(Path::new(path))
            .help("motions are put on robots with two legs; arms are optional"),
        _ => diagnostic,
    }
}
