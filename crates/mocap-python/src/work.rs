//! Retargeting, comparison and quality.

use std::path::PathBuf;

use mocap::analysis::{ContactOptions, object_error};
use mocap::model::FrameRate;
use mocap::report::view as page;
use mocap::retarget::{frame_pose, map_roles_in};
use mocap::robot::RobotOptions;
use mocap::{Mapping, Opening, Problem, TargetFigures, TargetOptions, TargetReport};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::clip::Clip;
use crate::features::of_contacts;
use crate::findings::{Fields, list};
use crate::options::{Keywords, of_retarget};
use crate::raise::{of_error, of_finding, of_option};
use crate::skeleton::Skeleton;

/// A report as JSON and as text.
type Report = (String, String);

/// The map of joints that is given: the text of a map file.
fn mapping(py: Python<'_>, map: Option<&[u8]>, clip: &Clip, target: &Skeleton) -> PyResult<Option<Mapping>> {
    let parsed = map.map(|map| Mapping::parse(map, clip.clip.skeleton(), &target.target.skeleton));
    parsed.transpose().map_err(|finding| of_finding(py, &finding, None))
}

/// The options of robots.
fn of_robot(keywords: &Keywords<'_>, py: Python<'_>, target: &Skeleton) -> PyResult<RobotOptions> {
    let defaults = RobotOptions::default();
    let (mut velocities, mut accelerations) = (Vec::new(), Vec::new());
    if let (Some(path), Some(robot)) =
        (keywords.extracted::<PathBuf>("limits_from", "a path")?, target.target.robot())
    {
        let other = mocap::read_skeleton(&path).map_err(|error| of_error(py, error))?.value;
        let Some(other) = other.robot() else {
            return Err(of_option(py, format!("limits_from: '{}' is not a robot", path.display())));
        };
        velocities = mocap::speeds_in(robot, other);
        accelerations = mocap::accelerations_in(robot, other);
    }
    Ok(RobotOptions {
        fps: keywords.parsed::<FrameRate>("fps")?.unwrap_or(defaults.fps),
        separate: keywords.flag("separate")?.unwrap_or(defaults.separate),
        velocities,
        accelerations,
        ..defaults
    })
}

/// Puts a motion on a skeleton or robot; the report, and what was assumed or left out.
#[pyfunction]
pub(crate) fn retarget<'py>(
    py: Python<'py>,
    clip: &Clip,
    target: &Skeleton,
    map: Option<&[u8]>,
    options: Bound<'py, PyDict>,
) -> PyResult<(Clip, Report, Bound<'py, PyList>)> {
    let keywords = Keywords::new(Some(options), py);
    let on = &target.target;
    let options = TargetOptions {
        body: of_retarget(&keywords, &on.skeleton)?,
        robot: of_robot(&keywords, py, target)?,
    };
    let mapping = mapping(py, map, clip, target)?;
    let rest = keywords.count("source_rest")?.map(|frame| frame_pose(&clip.clip, frame)).transpose();
    let rest = rest.map_err(|error| of_option(py, format!("source_rest: {error}")))?;
    let opening = Opening { rest, lead_in: clip.lead_in, ..Opening::default() };
    let mut warnings = Vec::new();
    let done = py.detach(|| {
        mocap::put_on_target(&*clip.clip, &opening, on, mapping.as_ref(), &options, &mut warnings)
    });
    let (moved, report) = done.map_err(|error| of_error(py, error))?;
    let mut found: Vec<Fields> = warnings.iter().map(|warning| Fields::of(warning, None)).collect();
    let mut lead_in = clip.lead_in;
    match &report {
        TargetReport::Body(report) => {
            found.extend(
                report.warnings.iter().map(|warning| Fields::new(warning.code(), warning.to_string())),
            );
        }
        TargetReport::Robot(_) => lead_in = 0,
    }
    let json = serde_json::to_string(&TargetFigures::from(&report)).expect("a report has string keys");
    let moved = Clip { lead_in, stem: clip.stem.clone(), document: on.document.clone(), ..Clip::new(moved) };
    Ok((moved, (json, report.to_string()), list(py, found)?))
}

/// Which joint moves which: the map, as text and as a map file.
#[pyfunction]
pub(crate) fn explain(
    py: Python<'_>,
    clip: &Clip,
    target: &Skeleton,
    map: Option<&[u8]>,
) -> PyResult<(String, String)> {
    let given = mapping(py, map, clip, target)?;
    let on = &target.target;
    py.detach(|| {
        let mapping = given.unwrap_or_else(|| Mapping::found(map_roles_in(&clip.clip), on.roles.clone()));
        let explained = mapping.explain(clip.clip.skeleton(), &on.skeleton, on.rest.clone());
        let file = mapping.to_bytes(clip.clip.skeleton(), &on.skeleton, &explained.explanation);
        Ok((explained.explanation.to_string(), String::from_utf8(file).expect("JSON is UTF-8")))
    })
}

/// The error between two motions.
#[pyfunction]
pub(crate) fn compare<'py>(
    py: Python<'py>,
    reference: &Clip,
    other: &Clip,
    shell: f64,
    resample: bool,
) -> PyResult<(Report, Bound<'py, PyList>)> {
    let clips = [&*reference.clip, &*other.clip];
    let mut found: Vec<Fields> = Vec::new();
    let done = py.detach(|| -> Result<_, mocap::Error> {
        let mut warnings = Vec::new();
        for clip in clips {
            match mocap::known_unit(clip.skeleton()) {
                Some(unit) => warnings.extend(mocap::guess_warning(clip.skeleton(), unit)),
                None => warnings.push(mocap::Finding::new(Problem::UnitOfOther)),
            }
        }
        let mut clips = mocap::in_one_unit(clips)?.map(std::borrow::Cow::into_owned);
        mocap::at_one_rate(&mut clips, resample)?;
        let summary = object_error(&clips[0], &clips[1], shell)?;
        Ok((summary, warnings))
    });
    let (summary, warnings) = done.map_err(|error| of_error(py, error))?;
    for warning in &warnings {
        let fields = Fields::of(warning, None);
        if !found.iter().any(|other| other.code == fields.code && other.message == fields.message) {
            found.push(fields);
        }
    }
    let json = serde_json::to_string(&summary).expect("a summary has string keys");
    let lines = summary.lines().map(|(name, value)| format!("{name:<15} {value}"));
    let text = lines.into_iter().collect::<Vec<_>>().join("\n");
    Ok(((json, text), list(py, found)?))
}

/// The quality of a motion.
#[pyfunction]
pub(crate) fn quality(py: Python<'_>, clip: &Clip, options: Option<Bound<'_, PyDict>>) -> PyResult<Report> {
    let options: ContactOptions = of_contacts(&Keywords::new(options, py))?;
    Ok(py.detach(|| {
        let clip = mocap::with_roles((*clip.clip).clone());
        let summary = mocap::analysis::quality(&clip, &options).summary(clip.skeleton());
        let lines = summary.lines().into_iter().map(|(name, value)| format!("{name:<12} {value}"));
        let text = lines.collect::<Vec<_>>().join("\n");
        (serde_json::to_string(&summary).expect("a summary has string keys"), text)
    }))
}

/// The page that plays some motions.
#[pyfunction]
pub(crate) fn view(py: Python<'_>, clips: Vec<(String, PyRef<'_, Clip>)>, most_frames: usize) -> String {
    let clips: Vec<(String, mocap::Clip)> =
        clips.into_iter().map(|(name, clip)| (name, (*clip.clip).clone())).collect();
    py.detach(|| {
        let drawn: Vec<(String, mocap::Clip)> =
            clips.into_iter().map(|(name, clip)| (name, mocap::upright(mocap::with_roles(clip)))).collect();
        let inputs: Vec<_> = drawn.iter().map(|(name, clip)| page::ViewInput::new(name, clip)).collect();
        let options = page::ViewOptions { most_frames: most_frames.max(2), ..page::ViewOptions::default() };
        String::from_utf8(page::html(&inputs, &options)).expect("a page is UTF-8")
    })
}
