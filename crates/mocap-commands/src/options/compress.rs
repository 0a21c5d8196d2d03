//! `mocap compress`, and the settings of the step `compress`.

use std::str::FromStr;

use clap::Args as ClapArgs;
use globset::Glob;
use mocap_compress::{CompressOptions, Effort, JointRule, Profile};
use serde::Deserialize;

use super::{Factor, FirstFrame, Inputs, LengthAboveZero, Outputs, Reading, setting};

/// Compress motions within a guaranteed error
///
/// Three points at the shell distance from every joint stay within --error of their positions, in object space, in
/// every frame; the error is measured on the bytes that are written. `mocap decompress` restores the motion.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap compress walk.bvh -o walk.mocz --error 0.1mm\n\
    \x20 mocap compress database/ -o small/ --profile archive --joint-error 'Finger*=0.5mm'")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) bounds: BoundSettings,
    #[command(flatten)]
    pub(crate) inputs: Inputs,
    #[command(flatten)]
    pub(crate) reading: Reading,
    #[command(flatten)]
    pub(crate) first: FirstFrame,
    #[command(flatten)]
    pub(crate) outputs: Outputs,
}

/// What is compressed, and how closely.
#[derive(Clone, Debug, PartialEq, ClapArgs, Deserialize)]
#[command(next_help_heading = "Compression")]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct BoundSettings {
    /// Purpose: runtime (playback), archive (smallest file), keys (sparse keys per joint), direct (fastest jumps to any pose)
    #[arg(long, value_name = "PROFILE", default_value = "runtime")]
    #[serde(deserialize_with = "setting::one")]
    profile: Profile,
    /// Work for fewer bytes [0: fastest, 9: smallest files]
    #[arg(long, value_name = "LEVEL", default_value = "5", allow_hyphen_values = true)]
    #[serde(deserialize_with = "setting::one")]
    effort: Effort,
    /// Error bound [m, or with a unit, such as 0.1mm; above 0]
    #[arg(long, value_name = "LENGTH", default_value = "0.0001", allow_hyphen_values = true)]
    #[serde(deserialize_with = "setting::one")]
    error: LengthAboveZero,
    /// Distance of the measured points from the joints, about where the skin is [m, or with a unit; above 0]
    #[arg(long, value_name = "LENGTH", default_value = "0.03", allow_hyphen_values = true)]
    #[serde(deserialize_with = "setting::one")]
    shell: LengthAboveZero,
    /// Error bound of the joints that match a glob, such as 'Finger*=0.5mm'; repeatable, the last match wins
    #[arg(long, value_name = "GLOB=LENGTH")]
    #[serde(deserialize_with = "setting::list")]
    joint_error: Vec<JointBound>,
    /// Error bound of local rotations [degrees, above 0; default: none], for decoded motions that are blended or
    /// retargeted
    #[arg(long, value_name = "DEGREES", allow_hyphen_values = true)]
    #[serde(deserialize_with = "setting::option")]
    local_error: Option<Factor>,
    /// Error bound of scales of joints and of numbers over time, in their own units [0: every bit; default: 0.0001]
    #[arg(
        long,
        visible_alias = "error-shapes",
        value_name = "NUMBER",
        default_value = "0.0001",
        hide_default_value = true
    )]
    #[serde(deserialize_with = "setting::one")]
    track_error: f64,
    /// Keep the error bound half-way between frames as well
    #[arg(long)]
    guard_between: bool,
    /// Omit the skeleton from the files; reading them then needs --skeleton-ref with a file that has it
    #[arg(long)]
    no_skeleton: bool,
    /// Multiply every length first [above 0, default 1]
    #[arg(long, value_name = "FACTOR")]
    #[serde(deserialize_with = "setting::option")]
    pub(crate) scale: Option<Factor>,
}

/// An error bound for some joints, as typed by the user.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JointBound(JointRule);

impl FromStr for JointBound {
    type Err = String;

    fn from_str(text: &str) -> Result<JointBound, String> {
        let wrong = || format!("'{text}' is not of the form GLOB=LENGTH, such as 'Finger*=0.5mm'");
        let (joints, error) = text.rsplit_once('=').ok_or_else(wrong)?;
        // The syntax of earlier versions.
        let joints = joints.strip_suffix(":error").unwrap_or(joints);
        let joints =
            Glob::new(joints).map_err(|error| format!("'{joints}' is not a glob: {}", error.kind()))?;
        let LengthAboveZero(tolerance) = error.parse()?;
        Ok(JointBound(JointRule { joints, tolerance }))
    }
}

impl Default for BoundSettings {
    fn default() -> BoundSettings {
        super::defaults()
    }
}

impl BoundSettings {
    /// The library options, except those that depend on the skeleton: its unit and the bounds of single joints.
    pub(crate) fn options(&self) -> CompressOptions {
        CompressOptions {
            profile: self.profile,
            effort: self.effort,
            tolerance: self.error.0,
            shell: self.shell.0,
            local_error: self.local_error.map(|Factor(degrees)| degrees.to_radians()),
            track_error: self.track_error,
            guard_between: self.guard_between,
            external_skeleton: self.no_skeleton,
            external_scale: self.scale.map_or(1.0, |Factor(factor)| factor),
            ..CompressOptions::default()
        }
    }

    /// The bounds of single joints.
    pub(crate) fn rules(&self) -> Vec<JointRule> {
        self.joint_error.iter().map(|JointBound(rule)| rule.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_joints_are_a_glob_and_a_length() {
        for text in ["Finger*=0.5mm", "Finger*:error=0.5mm"] {
            let JointBound(rule) = text.parse().unwrap();
            assert_eq!((rule.joints.glob(), rule.tolerance), ("Finger*", 0.0005));
        }
        assert_eq!("a:b=1cm".parse::<JointBound>().unwrap().0.joints.glob(), "a:b");
        for wrong in ["Finger*", "Finger*=", "x=1 yard", "x=0", "x=-1mm", "[=1mm"] {
            assert!(wrong.parse::<JointBound>().is_err(), "{wrong}");
        }
    }
}
