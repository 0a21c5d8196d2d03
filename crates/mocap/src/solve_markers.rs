//! Solves recordings of markers onto skeletons.

use mocap_formats::{Finding, Remedy};
use mocap_model::{Clip, Markers, Skeleton, Space, Track};
use mocap_poses::{Examples, Filled, Lost, PosePrior, PosesError};
use mocap_retarget::map_roles;
use mocap_solve::{MarkerSets, SolveError, SolveOptions, SolveWarning, Solved};

use crate::{Error, needed_unit};

/// A warning about a solved take, as a finding.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(transparent)]
pub struct SolveProblem(pub SolveWarning);

impl mocap_formats::Problem for SolveProblem {
    fn code(&self) -> &'static str {
        self.0.code()
    }

    fn remedy(&self) -> Option<Remedy> {
        None
    }
}

/// Solves a recording of markers onto the skeleton of `target`, or onto one that is made of the subject. Roles of the
/// target are found by names and shape; its unit is guessed where it is not stated, with a warning.
///
/// ```
/// use mocap::solve::{MarkerSets, SolveOptions};
///
/// let knee = mocap::read_markers("../../fixtures/markers/knee.c3d")?.value;
/// let options = SolveOptions { sets: &MarkerSets::built_in(), set: None, static_trial: None, calibration: None };
/// let error = mocap::solve_markers(&knee, None, &options, &mut Vec::new()).unwrap_err();
/// assert_eq!(error.code(), "solve::labels", "a knee is not a body");
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where labels, markers or target do not make a body.
pub fn solve_markers(
    markers: &Markers,
    target: Option<&Skeleton>,
    options: &SolveOptions<'_>,
    warnings: &mut Vec<Finding>,
) -> Result<Solved, Error> {
    let solved = solved(markers, target, options, warnings)?;
    warnings.extend(solved.warnings.iter().cloned().map(finding));
    Ok(solved)
}

/// As [`solve_markers`]. Joints that no marker shows, in gaps and on limbs without markers, move as example poses have it; the
/// second value says which. Examples that cannot be put on the skeleton fill nothing, with a warning.
///
/// # Errors
/// As [`solve_markers`].
pub fn solve_markers_with_poses(
    markers: &Markers,
    target: Option<&Skeleton>,
    options: &SolveOptions<'_>,
    poses: &PosePrior,
    warnings: &mut Vec<Finding>,
) -> Result<(Solved, Vec<Filled>), Error> {
    let mut solved = solved(markers, target, options, warnings)?;
    let filled = match filled(&solved, poses) {
        Ok(filled) => filled,
        Err(error) => {
            solved.warnings.push(SolveWarning::NotFilled { reason: error.to_string() });
            Vec::new()
        }
    };
    put_into(&mut solved, &filled)?;
    warnings.extend(solved.warnings.iter().cloned().map(finding));
    Ok((solved, filled))
}

/// The solved take; only new warnings are added.
fn solved(
    markers: &Markers,
    target: Option<&Skeleton>,
    options: &SolveOptions<'_>,
    warnings: &mut Vec<Finding>,
) -> Result<Solved, Error> {
    let target = match target {
        Some(target) => {
            let unit = needed_unit(target, warnings)?;
            let known = map_roles(target).certain().apply(target);
            Some(known.with_space(Space { unit: Some(unit), ..*target.space() }))
        }
        None => None,
    };
    Ok(mocap_solve::solve(markers, target.as_ref(), options)?)
}

/// Rotations of joints that no marker shows, from example poses.
fn filled(solved: &Solved, poses: &PosePrior) -> Result<Vec<Filled>, PosesError> {
    let lost: Vec<Lost> = solved
        .unseen
        .iter()
        .map(|unseen| Lost { joint: unseen.joint, frames: unseen.frames.clone() })
        .collect();
    if lost.is_empty() {
        return Ok(Vec::new());
    }
    let examples = Examples::on(poses, solved.clip.skeleton())?;
    mocap_poses::fill(&examples, &solved.clip, &lost)
}

/// Writes the filled rotations to the motion.
fn put_into(solved: &mut Solved, filled: &[Filled]) -> Result<(), Error> {
    if filled.is_empty() {
        return Ok(());
    }
    let mut tracks = solved.clip.tracks().to_vec();
    let frames = solved.clip.frames();
    for own in filled {
        let rotation = &mut tracks[own.joint.index()].rotation;
        let mut rotations: Vec<_> = (0..frames).map(|frame| rotation.at(frame)).collect();
        rotations[own.frames()].copy_from_slice(&own.rotations);
        *rotation = Track::Sampled(rotations);
    }
    let (skeleton, rate) = (solved.clip.skeleton().clone(), solved.clip.rate());
    let annotations = solved.clip.annotations().clone();
    let clip = Clip::new(skeleton, rate, frames, tracks).and_then(|clip| clip.with_annotations(annotations));
    solved.clip = clip.map_err(PosesError::from)?;
    let skeleton = solved.clip.skeleton();
    for warning in &mut solved.warnings {
        if let SolveWarning::Bare { joints } = warning {
            joints.retain(|name| !filled.iter().any(|own| skeleton.joint(own.joint).name == *name));
        }
    }
    solved.warnings.retain(|warning| !matches!(warning, SolveWarning::Bare { joints } if joints.is_empty()));
    Ok(())
}

/// Puts the markers of a set on the body of a motion: the recording that an optical system would make of it. Roles are
/// found by names and shape; the unit is guessed where it is not stated, with a warning. Labels for which the skeleton
/// has no segment are left out, with a warning.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let markers = mocap::markers_on(&walk, "plug-in-gait", &mut Vec::new())?;
/// assert!(markers.find("LASI").is_some() && markers.frames() == walk.frames());
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where the set is not known, or the skeleton is no body.
pub fn markers_on(clip: &Clip, set: &str, warnings: &mut Vec<Finding>) -> Result<Markers, Error> {
    let skeleton = clip.skeleton();
    let unit = needed_unit(skeleton, warnings)?;
    let body = map_roles(skeleton).certain().apply(skeleton);
    let body = body.with_space(Space { unit: Some(unit), ..*skeleton.space() });
    let made = mocap_solve::virtual_markers(clip, &body, &MarkerSets::built_in(), set)?;
    if !made.without_segment.is_empty() {
        warnings.push(finding(SolveWarning::WithoutSegment { names: made.without_segment }));
    }
    Ok(made.markers)
}

/// A warning with its marker and frame.
fn finding(warning: SolveWarning) -> Finding {
    let (marker, frame) = (warning.marker().map(str::to_owned), warning.frame());
    let mut found = Finding::new(SolveProblem(warning));
    if let Some(marker) = marker {
        found = found.in_joint(marker);
    }
    match frame {
        Some(frame) => found.in_frame(frame),
        None => found,
    }
}

impl From<PosesError> for Error {
    fn from(error: PosesError) -> Error {
        Error::Poses(error)
    }
}

impl From<SolveError> for Error {
    fn from(error: SolveError) -> Error {
        Error::Solve(error)
    }
}
