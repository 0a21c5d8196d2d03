//! Motions of robots in the table of formats.

use std::sync::Arc;

use mocap_model::{Clip, Robot, RobotMotion};

use super::columns::has_header;
use super::from_arrays::w_first;
use super::rate::usual_rate;
use super::to_arrays::Placed;
use super::{Order, Problem, pickle, plausible, sidecar, table};
use crate::arrays::{Precision, clip_document};
use crate::entry::{Entry, ReadFile};
use crate::left_out::Holds;
use crate::{Beside, Content, Document, Encoded, Finding, Format, Parsed, WriteOptions, npz};

/// The file that describes columns and rows.
const BESIDE: Beside = Beside::Behind(sidecar::EXTENSION);

const MOTION: Entry = Entry {
    states_space: true,
    holds: Holds::NOTHING,
    beside: Some(BESIDE),
    holds_robot: true,
    page: Some("robots.md"),
    ..Entry::MOTION
};

/// A module with the entry of a format.
macro_rules! entries {
    ($($module:ident $entry:expr;)+) => {
        $(pub(crate) mod $module {
            use super::*;

            pub(crate) static FORMAT: Entry = $entry;
        })+
    };
}

entries! {
    unitree_csv Entry {
        name: "unitree-csv",
        note: Some("robots: base and joints, no header"),
        detect: |start| table::is_pose(start.first),
        read: TABLE,
        write: Some(|clip, options| {
            in_model_order(Format::UnitreeCsv, options)?;
            written(&clip, Format::UnitreeCsv, options, |motion, robot, order, _| {
                table::write(motion, robot, order, false)
            })
        }),
        ..MOTION
    };
    robot_csv Entry {
        name: "robot-csv",
        note: Some("the same with a header"),
        detect: |start| has_header(start.first),
        read: TABLE,
        write: Some(|clip, options| {
            written(&clip, Format::RobotCsv, options, |motion, robot, order, _| {
                table::write(motion, robot, order, true)
            })
        }),
        ..MOTION
    };
    mjlab_npz Entry {
        name: "mjlab-npz",
        packed: true,
        note: Some("robots: mjlab, BeyondMimic"),
        read: Ok(npz::read),
        write: Some(|clip, options| {
            written(&clip, Format::MjlabNpz, options, |motion, robot, order, precision| {
                npz::to_bytes(&Placed::new(motion, robot, order, precision).mjlab())
            })
        }),
        ..MOTION
    };
    isaac_npz Entry {
        name: "isaac-npz",
        packed: true,
        note: Some("robots: AMP of Isaac Lab"),
        read: Ok(npz::read),
        write: Some(|clip, options| {
            written(&clip, Format::IsaacNpz, options, |motion, robot, order, precision| {
                npz::to_bytes(&Placed::new(motion, robot, order, precision).isaac())
            })
        }),
        ..MOTION
    };
    gmr_npz Entry {
        name: "gmr-npz",
        packed: true,
        note: Some("robots: GMR"),
        read: Ok(npz::read),
        write: Some(|clip, options| {
            in_model_order(Format::GmrNpz, options)?;
            written(&clip, Format::GmrNpz, options, |motion, robot, order, _| {
                npz::to_bytes(&Placed::new(motion, robot, order, Precision::F64).gmr())
            })
        }),
        ..MOTION
    };
    gmr_pkl Entry {
        name: "gmr-pkl",
        extensions: &["pkl"],
        note: Some("GMR's pickle"),
        read: Err("a pickle is never read: loading it can run code; gmr-npz holds the same"),
        write: Some(|clip, options| {
            in_model_order(Format::GmrPkl, options)?;
            written(&clip, Format::GmrPkl, options, |motion, robot, order, _| {
                pickle::dictionary(&Placed::new(motion, robot, order, Precision::F64).gmr())
            })
        }),
        ..MOTION
    };
}

const TABLE: Result<ReadFile, &str> = Ok(|bytes, options| {
    let robot = options.body.as_ref().and_then(|body| body.robot());
    let robot = robot.ok_or_else(|| Finding::new(Problem::NeedsRobot))?;
    let sidecar = options.beside.get(sidecar::EXTENSION).map(|bytes| sidecar::read(bytes));
    let motion = table::read(bytes, robot, (options.fps, sidecar), options.repair, &options.limits)?;
    let format = match has_header(bytes) {
        true => Format::RobotCsv,
        false => Format::UnitreeCsv,
    };
    Ok(document(format, motion, Some(robot), bytes)?)
});

/// The document of a motion on a robot.
pub(crate) fn document(
    format: Format,
    motion: Parsed<RobotMotion>,
    robot: Option<&Arc<Robot>>,
    bytes: &[u8],
) -> Result<Parsed<Box<dyn Document>>, Finding> {
    let robot = robot.ok_or_else(|| Finding::new(Problem::NeedsRobot))?;
    let clip = motion.value.to_clip(robot).map_err(|error| Finding::new(Problem::Model { error }))?;
    let mut warnings = motion.warnings;
    warnings.extend(plausible::findings(&motion.value, robot, w_first(format)));
    Ok(clip_document(format, Parsed { value: clip, warnings }, bytes))
}

/// The file of a clip on a robot, and the file beside it.
fn written(
    clip: &Clip,
    format: Format,
    options: &WriteOptions,
    bytes: impl Fn(&RobotMotion, &Robot, Order, Precision) -> Vec<u8>,
) -> Result<Encoded<'static>, Finding> {
    let robot = clip.skeleton().robot().ok_or_else(|| Finding::new(Problem::NotRobot { format }))?;
    let motion = RobotMotion::of_clip(clip).map_err(|error| Finding::new(Problem::Model { error }))?;
    if motion.poses.is_empty() {
        return Err(Finding::new(Problem::NoFrames));
    }
    let order = options.order;
    let main = Content::from(bytes(&motion, robot, order, options.arrays.precision));
    let beside = Content::from(sidecar::describe(&motion, robot, format, order));
    let usual = usual_rate(format);
    let states_rate = format != Format::UnitreeCsv || motion.fps == usual;
    let rate = (!states_rate).then(|| {
        let problem = Problem::Rate { format, fps: motion.fps.fps(), usual: usual.fps() };
        Finding::new(problem)
    });
    Ok(Encoded { beside: Some((BESIDE, beside)), warnings: rate.into_iter().collect(), ..main.into() })
}

/// Refuses another order than the model's in formats whose readers assume it.
fn in_model_order(format: Format, options: &WriteOptions) -> Result<(), Finding> {
    match options.order {
        Order::Dfs => Ok(()),
        order => Err(Finding::new(Problem::Order { format, order })),
    }
}
