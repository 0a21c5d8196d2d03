//! The target: the skeleton that motions are retargeted to.

use std::path::Path;
use std::sync::Arc;

use mocap::SurfaceChoice;
use mocap_formats::Remedy;
use mocap_formats::bvh::PositionChannels;
use mocap_formats::skel::{self, Preset, presets};
use mocap_model::Robot;
use mocap_retarget::SurfaceFrames;
use mocap_robot::{Humanoid, RobotError};

use crate::batch::{Failure, Input, JobContext};
use crate::diagnostic::Diagnostic;
use crate::options::{
    BodyChoice, PeerInputs, PositionChannelsArg, Reading, RobotSettings, TargetGate, TargetSettings,
};
use crate::read::{self, Motion, robot_of_file};
use crate::rest;

/// The target and what was found while it was read.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) path: String,
    pub(crate) on: mocap::Target,
    pub(crate) warnings: Vec<Diagnostic>,
    /// Options that apply if it is a robot.
    pub(super) limits: RobotLimits,
    /// Whether a gate needs the balance of bodies, whose measurement takes time.
    pub(super) measures_balance: bool,
}

/// Limits and options of a robot that its model does not state.
#[derive(Clone, Debug, Default)]
pub(super) struct RobotLimits {
    /// Highest speeds by joint [rad/s or m/s], of another model.
    pub(super) velocities: Vec<Option<f64>>,
    /// Highest accelerations by joint [rad/s² or m/s²], of another model.
    pub(super) accelerations: Vec<Option<f64>>,
    /// Whether self-penetration of its parts is resolved.
    pub(super) separate: bool,
    /// Whether motions are changed so that the robot keeps its balance.
    pub(super) balance: bool,
}

impl Target {
    /// The robot, if the target is one.
    pub(crate) fn robot(&self) -> Option<&Arc<Robot>> {
        self.on.robot()
    }

    /// The target, with the measurements that these gates need.
    pub(crate) fn judged_by(self, gates: &[TargetGate]) -> Target {
        let asks = |gate: &TargetGate| gate.body.is_some_and(|gate| gate.metric.name == "balance-margin");
        Target { measures_balance: gates.iter().any(asks), ..self }
    }

    /// The target with the surface that the settings choose.
    pub(crate) fn with_surface(
        mut self,
        (body, frames): (&BodyChoice, SurfaceFrames),
        context: &JobContext,
        inputs: &Reading,
    ) -> Result<Target, Failure> {
        let choice = match body {
            BodyChoice::Auto => SurfaceChoice::Auto,
            BodyChoice::Off => SurfaceChoice::Off,
            BodyChoice::Capsules => SurfaceChoice::Capsules,
            BodyChoice::File(path) => {
                let loaded = read::load(context, &Input::named(path), inputs)?;
                let found = loaded.document().map(|document| document.body(&inputs.limits())).transpose();
                let found = found.map_err(|finding| Diagnostic::from(finding).in_file(path))?.flatten();
                let Some(found) = found else {
                    let message = format!("--body {}: the file has no mesh with a skin", path.display());
                    return Err(Diagnostic::new("usage::body", message)
                        .help("name a character (GLB, glTF or FBX), or capsules")
                        .into());
                };
                let warnings = found.warnings.into_iter().map(|found| Diagnostic::from(found).in_file(path));
                self.warnings.extend(warnings);
                SurfaceChoice::Of(Box::new(found.value))
            }
        };
        let with = self.on.with_surface(&choice, &inputs.limits());
        let with = with.map_err(|finding| Diagnostic::from(finding).in_file(Path::new(&self.path)))?;
        self.warnings.extend(with.warnings.into_iter().map(Diagnostic::from));
        let mut on = with.value;
        if on.surface.is_none() && !matches!(choice, SurfaceChoice::Auto | SurfaceChoice::Off) {
            let message = "--body: the target has no arms, or no part of the body is on its joints";
            return Err(Diagnostic::new("usage::body", message)
                .help("the joints of body and target have the same names, or both have hips, arms and legs that are found by role")
                .into());
        }
        on.surface = on.surface.map(|surface| surface.measured_at(frames));
        Ok(Target { on, ..self })
    }

    /// The target with the settings of robots.
    pub(crate) fn on_robot(
        self,
        (settings, has_map): (&RobotSettings, bool),
        context: &JobContext,
    ) -> Result<Target, Diagnostic> {
        let Some(robot) = self.robot() else {
            return match settings.limits_from {
                None if settings.balance => {
                    Err(Diagnostic::new("usage::balance", "--balance is for robots as target")
                        .help("`mocap edit OUT --balance -o FIXED` brings the result on a body into balance"))
                }
                None => Ok(self),
                Some(_) => {
                    Err(Diagnostic::new("usage::limits-from", "--limits-from is for robots as target")
                        .help("the target is not the model of a robot"))
                }
            };
        };
        // A map may supply joints that are not found.
        if !has_map {
            Humanoid::find(robot).map_err(|error| refused_robot(&error, &self.path))?;
        }
        let [velocities, accelerations] = match &settings.limits_from {
            Some(path) => {
                let other = robot_of_file(context, path)?;
                let limits = [mocap::speeds_in(robot, &other), mocap::accelerations_in(robot, &other)];
                if limits.iter().flatten().all(Option::is_none) {
                    let message =
                        format!("the model states no speed or acceleration for any joint of {}", self.path);
                    return Err(Diagnostic::new("robot::limits", message).in_file(path));
                }
                limits
            }
            None => [Vec::new(), Vec::new()],
        };
        if settings.balance && !robot.bodies().iter().any(|body| body.mass.is_some_and(|mass| mass > 0.0)) {
            let message = "--balance: the model states no masses, and no shapes that masses could be of";
            return Err(Diagnostic::new("robot::no-mass", message)
                .help("name a model with <inertial>, such as the robot's URDF")
                .in_file(Path::new(&self.path)));
        }
        let balance = settings.balance;
        let limits = RobotLimits { velocities, accelerations, separate: !settings.no_separation, balance };
        Ok(Target { limits, ..self })
    }
}

/// What the name of a preset as target begins with.
pub(super) const PRESET: &str = "preset:";

/// The preset that a target path names, unless a file has that name.
fn preset(input: &Input) -> Result<Option<&'static Preset>, Diagnostic> {
    let named = input.path().filter(|path| !path.exists()).and_then(|path| path.to_str());
    let Some(name) = named.and_then(|name| name.strip_prefix(PRESET)) else { return Ok(None) };
    skel::preset(name).map(Some).ok_or_else(|| {
        let known: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
        let error = Diagnostic::new("usage::preset", format!("unknown preset '{name}'"));
        error.help(format!("presets are {}; `mocap skel --preset list` shows them", known.join(", ")))
    })
}

/// The error about a target that does not exist, if the name of a preset or robot was given in place of a file.
fn meant_preset(input: &Input) -> Option<Diagnostic> {
    let path = input.path().filter(|path| !path.exists())?;
    let name = path.to_str()?;
    let error = Diagnostic::new("io::not-found", format!("there is no file '{name}'")).in_file(path);
    if let Some(preset) = presets().iter().find(|preset| preset.name.eq_ignore_ascii_case(name)) {
        return Some(error.help(format!("{PRESET}{} is the skeleton of that name", preset.name)));
    }
    let is_name = path.extension().is_none() && path.components().count() == 1;
    is_name.then(|| {
        let known: Vec<&str> = presets().iter().map(|preset| preset.name).collect();
        error.help(format!(
            "the target is the file of a character, a skeleton or a robot (URDF, MJCF), or {PRESET}NAME with one of {}",
            known.join(", ")
        ))
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
        subject: None,
        // The sources do not decide how the target is read.
        peers: PeerInputs::default(),
        // A rest pose before the target's own motion is not an error. Its warning is removed before `--strict`
        // counts.
        strict: false,
        ..inputs.clone()
    };
    if let Some(preset) = preset(input)? {
        if let Some(frame) = rest_frame {
            let message = format!("--target-rest: frame {frame} does not exist: a preset has no motion");
            return Err(Diagnostic::new("usage::frame", message).into());
        }
        return Ok(Target {
            path: input.shown(),
            on: mocap::Target::new(preset.skeleton()),
            warnings: Vec::new(),
            limits: RobotLimits::default(),
            measures_balance: false,
        });
    }
    if let Some(error) = meant_preset(input) {
        return Err(error.into());
    }
    let loaded = read::load(context, input, &reading)?;
    let (on, mut warnings) = if loaded.format.has_motion() || rest_frame.is_some() {
        let (Motion { clip, mut warnings, .. }, document) = loaded.into_motion_and_document(&reading)?;
        let known = |warning: &Diagnostic| (warning.code, warning.remedy);
        let first_is_rest = mocap::settle_target_warnings(&mut warnings, known);
        let on = mocap::Target::of_clip(&clip, first_is_rest, rest_frame)
            .map_err(|error| rest::refused("--target-rest", &error))?;
        (mocap::Target { document: document.map(Arc::from), ..on }, warnings)
    } else {
        let (skeleton, warnings) = loaded.into_skeleton(&reading)?;
        (mocap::Target::new(skeleton), warnings)
    };
    for warning in warnings.iter_mut().filter(|warning| warning.remedy == Some(Remedy::StateUp)) {
        warning.help = warning.help.take().map(|help| help.replace("--input-up", "--target-up"));
    }
    if !args.unit_unneeded {
        let mut found = Vec::new();
        mocap::for_report(&on.skeleton, &mut found);
        warnings.extend(found.into_iter().map(Diagnostic::from));
    }
    for warning in warnings.iter_mut().filter(|warning| warning.remedy == Some(Remedy::StateUnit)) {
        warning.help = warning.help.take().map(|help| help.replace("--input-unit", "--target-unit"));
    }
    let warnings = read::strict(inputs, warnings)?;
    let limits = RobotLimits::default();
    Ok(Target { path: input.shown(), on, warnings, limits, measures_balance: false })
}

/// An error of a robot, with the path of its file if it is about the robot.
pub(super) fn refused_robot(error: &RobotError, path: &str) -> Diagnostic {
    let diagnostic = Diagnostic::new(error.code(), error.to_string());
    match error {
        RobotError::NotHumanoid { .. } => diagnostic
            .in_file(Path::new(path))
            .help("motions are put on robots with two legs; arms are optional"),
        _ => diagnostic,
    }
}
