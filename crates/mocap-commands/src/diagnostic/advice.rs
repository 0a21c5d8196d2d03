//! Advice for findings of the library, if a flag or command helps.

use mocap::{FileFormat, Problem, unit_name};
use mocap_compress::CompressError;
use mocap_edit::EditError;
use mocap_formats::{
    Finding, Format, FormatProblem, LimitExceeded, Limits, Remedy, arrays, gltf, robot_motion, smpl,
};
use mocap_model::ModelError;

use crate::options::listed;

/// The advice on a finding.
pub(super) fn on(finding: &Finding) -> Option<String> {
    if let Some(problem) = finding.problem_as() {
        return on_file(problem);
    }
    if let Some(problem) = finding.problem_as() {
        return on_format(problem);
    }
    if let Some(LimitExceeded { what, .. }) = finding.problem_as() {
        return (*what == Limits::SAMPLES).then(|| "--max-samples raises the limit".into());
    }
    if let Some(smpl::Problem::OtherSkeleton { .. } | smpl::Problem::OtherRest) = finding.problem_as() {
        return Some(
            "`mocap retarget SOURCE preset:smpl --to smpl-npz -o OUT.npz` puts the motion on such a skeleton"
                .into(),
        );
    }
    if let Some(arrays::Problem::OfAnotherSet { .. }) = finding.problem_as() {
        return Some(
            "`mocap retarget` puts clips on one skeleton, --fps brings them to one rate, --up to one axis"
                .into(),
        );
    }
    if let Some(gltf::Problem::TimesTooFine { .. }) = finding.problem_as() {
        return Some("--input-fps states another rate".into());
    }
    if let Some(robot_motion::Problem::Model { error: ModelError::NotOnRobot { .. } }) = finding.problem_as()
    {
        return Some(
            "write it as GLB (-o MOTION.glb), and put it on the robot again: `mocap retarget MOTION.glb ROBOT.xml`"
                .into(),
        );
    }
    match finding.code() {
        "c3d::too-large" => return Some("a larger unit makes smaller numbers, such as --unit m".into()),
        "solve::identified" => {
            return Some(
                "--marker-set NAME states the set, --marker-set FILE what the labels mean; `mocap view OUT TAKE` shows both"
                    .into(),
            );
        }
        "arrays::too-large" => return Some("--dtype f64 takes it".into()),
        "robot-motion::needs-robot" => {
            return Some("name its model with --skeleton ROBOT.urdf or ROBOT.xml; the .joints.json beside a motion names the robot".into());
        }
        "robot-motion::other-robot" => {
            return Some(
                "the .joints.json beside a motion names its robot and joints; name its model with --skeleton"
                    .into(),
            );
        }
        _ => {}
    }
    let advice = match finding.remedy()? {
        Remedy::Repair => "--repair interpolates over such values",
        Remedy::RepairToGaps => "--repair makes gaps of such values",
        Remedy::StateUnit => "--input-unit states it",
        Remedy::StateRate => "--input-fps states the rate",
        Remedy::StatePositionChannels => "--position-channels replace or add states it",
        Remedy::PickSubject => "--subject NAME picks one; `mocap info` lists them",
        Remedy::DropFirstFrame => "--drop-first-frame drops it in commands that write motions or pictures",
        Remedy::NameSkeleton => NAME_SKELETON,
        Remedy::SafeNames => "--names safe writes _ in place of such characters",
        Remedy::KeepDocument => "`mocap convert --verbatim` keeps the file as it is",
        Remedy::DrawBody => "--mesh body adds one",
        Remedy::RetargetToTPose => {
            "retarget the motion to a skeleton whose rest pose is a T-pose first: `mocap retarget IN TARGET -o OUT.vrma`"
        }
        _ => return None,
    };
    Some(advice.into())
}

const NAME_SKELETON: &str = "name the skeleton with --skeleton FILE.asf";

fn on_file(problem: &Problem) -> Option<String> {
    Some(match problem {
        Problem::NoSkeleton { .. } => NAME_SKELETON.into(),
        Problem::Compressed(error) => return on_compression(error).map(str::to_owned),
        Problem::UnitGuessed { unit, adult: Some(adult) } => {
            let [unit, other] = [unit, &adult.unit].map(unit_name);
            format!("--input-unit {other} or --input-unit {unit} states it and silences this warning")
        }
        Problem::UnitGuessed { unit, .. } | Problem::UnitVoted { unit, .. } => {
            format!("--input-unit {} states it and silences this warning", unit_name(unit))
        }
        Problem::RateUnlikely { fps } => match mocap::rate_as_time(*fps) {
            Some(rate) => format!("--input-fps {rate} states it and silences this warning"),
            None => "--input-fps states the rate and silences this warning".into(),
        },
        Problem::UnitUnlikely { .. } => {
            "leave --input-unit out to have the unit guessed, or state another; --scale changes the size of a character"
                .into()
        }
        Problem::UnitUnknown { .. } | Problem::UnitForReport { .. } => {
            "state it with --input-unit, such as --input-unit cm".into()
        }
        Problem::PositionsVoted { mode, .. } => {
            format!("--position-channels {mode} states it and silences this warning")
        }
        Problem::RatesDiffer { .. } => {
            "--resample compares them over time; --input-fps states one rate for both, if a file has it wrong"
                .into()
        }
        Problem::CharactersDiffer { .. } | Problem::ArraysOfFirst { .. } => {
            "--subject NAME picks one; `mocap info` lists them".into()
        }
        Problem::DurationsDiffer { .. } => "`mocap convert --trim` cuts motions".into(),
        Problem::NoSuchJoint { near, .. } if near.is_empty() => "`mocap skel IN` lists the joints".into(),
        Problem::NoSuchJoint { near, .. } => format!("joints with similar names: {}", near.join(", ")),
        Problem::CompressedOutput => "it takes the error bound".into(),
        Problem::UnsupportedOutput { .. } => {
            let formats = Format::ALL.into_iter().filter(|format| format.is_writable());
            let names: Vec<&str> = formats.map(Format::extension).collect();
            let programs = "Blender, Maya, MotionBuilder, Unity and Unreal import fbx";
            format!("supported: {}; name one by the extension of -o or with --to; {programs}", names.join(", "))
        }
        Problem::UpDetected { body, usual } => {
            format!(
                "--input-up {body} confirms it and silences this warning; --input-up {usual} takes the usual axis"
            )
        }
        _ => return None,
    })
}

fn on_compression(error: &CompressError) -> Option<&'static str> {
    Some(match error {
        CompressError::SkeletonElsewhere => "`mocap decompress --skeleton-ref` takes a file that has it",
        CompressError::TooFine { .. } => "use a larger --error, or move the motion nearer to its origin",
        CompressError::TooFineTurn { .. } => "use a larger --local-error",
        CompressError::NotReachedBetween { .. } => {
            "use a larger --error, or omit --guard-between to keep the bound only in frames"
        }
        _ => return None,
    })
}

fn on_format(problem: &FormatProblem) -> Option<String> {
    Some(match problem {
        FormatProblem::Unknown => {
            let readable = FileFormat::all().filter(|format| format.readable().is_ok());
            let names: Vec<&str> = readable.map(FileFormat::extension).collect();
            format!("state it with --from, one of {}", names.join(", "))
        }
        FormatProblem::Foreign { known } => known.way.into(),
        FormatProblem::NoMotion => "`mocap skel` shows, checks and writes skeletons".into(),
        FormatProblem::OnlyMarkers => {
            let formats = listed(Format::writes_markers, "and");
            format!(
                "`mocap solve TAKE` makes a motion of them; `mocap info`, validate, plot and view show them, and \
                 `mocap convert` writes {formats}"
            )
        }
        FormatProblem::NoMarkers { .. } => {
            let formats = Format::ALL.into_iter().filter(|format| format.writes_markers());
            let names: Vec<&str> = formats.map(Format::extension).collect();
            format!(
                "`mocap solve TAKE` makes a motion of markers; markers are written as {}",
                names.join(", ")
            )
        }
        FormatProblem::NeedsMotion { .. } => {
            format!("skeletons are written as {}", listed(Format::writes_skeletons, "or"))
        }
        _ => return None,
    })
}

/// Advice for an edit that failed.
pub(super) fn on_edit(error: &EditError) -> Option<&'static str> {
    Some(match error {
        EditError::NoFrameLeft { .. } => "`mocap info` shows the number of frames and the duration",
        EditError::TooLarge { .. } => "--max-samples raises the limit",
        EditError::TooShort { .. } => "leave the edit out, or give a longer motion",
        EditError::ShortForTransition { .. } => {
            "a shorter --transition, such as 0.1s, or a longer motion; single poses cannot be joined"
        }
        EditError::NoFeet { .. } => {
            "`mocap skel IN` lists the joints and their roles; name the feet in a .skel, or leave the edit out"
        }
        EditError::NoUnit { .. } => "state it with --input-unit, such as --input-unit cm",
        EditError::CurveLength { .. } => {
            "apply a root curve to the motion that it was extracted from, before edits that change its frames"
        }
        EditError::PropExists { .. } => {
            "a prop is called as the first joint of its file: name that joint otherwise; --prop takes the file of a prop, and \
             `mocap retarget --pair` puts people beside each other"
        }
        EditError::JointExists { .. } => {
            "a root of that name carries the root motion if it stands still above the hips; this one moves, or is elsewhere"
        }
        EditError::NoCycle { .. } => "`mocap edit IN --loop=30:92 -o OUT` closes a range that you choose",
        EditError::Skeletons { .. } => {
            "retarget one motion to the skeleton of the other first: `mocap retarget B.bvh A.bvh -o B_on_A.bvh`"
        }
        EditError::Characters { .. } => {
            "`mocap info` lists who is in a file; --subject picks one, by its number where names differ"
        }
        EditError::Retarget { .. } => "--mirror without =retarget swaps rotations, on any skeleton",
        EditError::Mask { .. } => {
            "a mask is a role, the name of a joint or a glob; NAME/** takes all below; `mocap skel IN` lists joints"
        }
        EditError::TimeMap { .. } => {
            "a time map has rows 'time in the output, time in the input' in seconds, both increasing"
        }
        EditError::Sync { .. } => "--duration or --time-map retimes a motion without foot strikes",
        EditError::Usage { edit: "terrain", .. } => {
            "name one with --steps, --heights or --mesh; in a pipeline with steps, heights or mesh"
        }
        EditError::Unlabelled { .. } => {
            "`mocap skel IN` shows the roles of joints: labels are of human bodies"
        }
        EditError::OutOfReach { .. } => {
            "`--ik objective` moves the whole body, which reaches further than a limb"
        }
        EditError::Split { .. } => "`mocap info` shows the duration; --every cuts by length",
        EditError::Phases { .. } => {
            "--timing registration pairs poses that are alike, --timing stretch from start to end, without foot strikes"
        }
        EditError::Weights { .. } => "--weights 0.4 takes 40 % of the second of two motions",
        EditError::Terrain { .. } => {
            "place the motion on the terrain first: --terrain-origin start lays it below the first frame"
        }
        EditError::Still { .. } => "--heading turns a motion that stays in place, such as --heading X",
        EditError::Path { .. } => "a path has rows 'x, y, z' along the ground, in the unit of the motion",
        _ => return None,
    })
}
