//! Solves a recording: labels, calibration, repair, poses, report.

use std::sync::Arc;

use mocap_model::{
    Annotations, Clip, JointTracks, Markers, SignedAxis, Skeleton, Track, UnitQuaternion, Vector3,
};

use crate::body::{State, rest_places, rest_rotations};
use crate::calibrated::{self, Calibrated};
use crate::calibration::Calibration;
use crate::exchange;
use crate::fit;
use crate::marker_set::MarkerSets;
use crate::presence::check_body;
use crate::props::{self, Prop};
use crate::report::{DoubtfulFrames, SolveReport};
use crate::subject::Subject;
use crate::take::{Take, all_landmarks};
use crate::unseen::{Unseen, unseen};
use crate::{SolveError, SolveWarning, bridge, join, measure, repair, warnings};

/// Gaps up to this long are interpolated from neighbouring frames [s].
const MOMENT: f64 = 0.2;

/// How a take is solved.
#[derive(Clone, Debug)]
pub struct SolveOptions<'a> {
    /// What labels mean.
    pub sets: &'a MarkerSets,
    /// Only the labels of this set count; default all that are known.
    pub set: Option<&'a str>,
    /// A trial of the subject standing still.
    pub static_trial: Option<&'a Markers>,
    /// The calibration of the subject from an earlier take.
    pub calibration: Option<&'a Calibration>,
}

/// A solved take.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The motion: on the target, or on a skeleton made of the subject (metres, Y up).
    pub clip: Clip,
    /// Rigid bodies that fit no limb.
    pub props: Vec<Prop>,
    /// How well it fits.
    pub report: SolveReport,
    /// The calibration of the subject, for its other takes.
    pub calibration: Calibration,
    /// Joints that no marker shows for longer than 0.2 s: in gaps, and in limbs without markers.
    /// The pose is a guess there.
    pub unseen: Vec<Unseen>,
    /// What was repaired or is doubtful.
    pub warnings: Vec<SolveWarning>,
}

/// Solves a recording onto a skeleton, or onto one that is made of the subject.
///
/// The target needs the roles of its joints ([`mocap_model::Joint::role`]) and its unit.
///
/// # Errors
/// Where labels, markers or target do not make a body: see [`SolveError`].
pub fn solve(
    markers: &Markers,
    target: Option<&Skeleton>,
    options: &SolveOptions<'_>,
) -> Result<Solved, SolveError> {
    let mut found = Vec::new();
    let only = match options.set {
        Some(name) => Some(options.sets.counting(name).ok_or_else(|| SolveError::UnknownSet {
            name: name.to_owned(),
            known: options.sets.names().collect::<Vec<_>>().join(", "),
        })?),
        None => None,
    };
    let up = target.map_or(SignedAxis::Y, |target| target.space().up);
    let turn = |markers: &Markers| match target {
        Some(_) => crate::take::permuted(markers.space().up, up),
        None => crate::take::turn_up(markers.space().up, up),
    };
    let asked = (options.set, only.as_deref());
    let mut take = Take::of(markers, options.sets, asked, turn(markers), &mut found)?;
    let mut of_trial = Vec::new();
    let trial =
        options.static_trial.map(|trial| Take::of(trial, options.sets, asked, turn(trial), &mut of_trial));
    let trial = trial.transpose()?;
    let named = |warning| SolveWarning::StaticTrial { warning: Box::new(warning) };
    found.extend(of_trial.into_iter().map(named));
    let landmarks = all_landmarks(&take, trial.as_ref());
    take = take.with_landmarks(&landmarks);
    let trial = trial.map(|trial| trial.with_landmarks(&landmarks));
    check_body(&take.landmarks, target.is_some())?;
    let metres = match target {
        Some(target) => target.space().metres().ok_or(SolveError::TargetUnit)?,
        None => 1.0,
    };
    let seen = |marker: usize, take: &Take| (0..take.frames).any(|frame| take.point(frame, marker).is_some());
    let seen_anywhere =
        |marker| seen(marker, &take) || trial.as_ref().is_some_and(|trial| seen(marker, trial));
    let mut used: Vec<bool> = (0..take.names.len()).map(seen_anywhere).collect();
    let rate = markers.rate().fps();
    let exchanges = exchange::exchange_back(&mut take, rate);
    let pelvis = trial.as_ref().and_then(Take::pelvis).or_else(|| take.pelvis());
    let calibrated = match options.calibration {
        Some(calibration) => {
            calibrated::from_calibration(calibration, (target, metres), &take, &mut used, &mut found)?
        }
        None => {
            let subject = match target {
                Some(target) => Subject::given(target, metres, &take.landmarks)?,
                None => calibrated::best_size(&take, &used, pelvis.as_ref())?,
            };
            let made = target.is_none().then_some(pelvis.as_ref());
            calibrated::calibrate(subject, &take, trial.as_ref(), &mut used, &mut found, made)?
        }
    };
    // Markers that only the static trial has are not used any more.
    for marker in 0..take.names.len() {
        used[marker] &= seen(marker, &take);
    }
    let (states, off) = poses(&calibrated, &take, &used, rate);
    let Calibrated { subject, determined, .. } = &calibrated;
    let distances = repair::distances(subject, &take, &states);
    let mut report = measure::report(subject, &take, &used, &distances, determined);
    let jumps = join::jumped(&states, rate);
    report.frames = measure::doubtful(subject, &take, &used, &distances, (&off, &jumps));
    let doubtful: usize = report.frames.iter().map(|range| range.last - range.first + 1).sum();
    report.solved = 1.0 - doubtful as f64 / take.frames as f64;
    report.repairs.swaps = exchanges.iter().map(|exchange| exchange.frames.len()).sum();
    warnings::of_markers(&take, &used, &distances, &exchanges, &mut found);
    warnings::of_motion(subject, &states, &used, rate, &mut found);
    if options.calibration.is_none() {
        let chosen: Vec<&State> = calibrated.candidates.iter().map(|candidate| &candidate.state).collect();
        warnings::of_poses(&chosen, &mut found);
    }
    for range in &report.frames {
        let DoubtfulFrames { first, last, reason, .. } = range.clone();
        found.push(SolveWarning::Doubtful { first, last, reason });
    }
    let clip = clip(subject, &states, markers)?;
    let around = (clip.skeleton().space(), markers.rate());
    let props = props::find(&take.others, (subject, &states), around)?;
    report.props = props.iter().map(|prop| prop.report.clone()).collect();
    let stated = markers.space().up;
    warnings::of_up(subject, &states, (stated, turn(markers).inverse()), up, &mut found);
    let calibration = Calibration::of(subject, &take, &used, target.is_none());
    let unseen = unseen(subject, &take, &used, (&distances, (MOMENT * rate).round() as usize));
    Ok(Solved { clip, props, report, calibration, unseen, warnings: found })
}

/// The poses of all frames, and by frame the joint with the greatest uncertainty [m].
fn poses(
    calibrated: &Calibrated,
    take: &Take,
    used: &[bool],
    rate: f64,
) -> (Vec<State>, Vec<Option<(usize, f64)>>) {
    let Calibrated { subject, candidates, .. } = calibrated;
    let mut states = fit::track(subject, take, used, candidates);
    let distances = repair::distances(subject, take, &states);
    let lost = repair::lost(subject, take, used, &distances);
    if lost.iter().any(Option::is_some) {
        fit::recover(subject, take, used, &mut states, &lost);
    }
    join::join(subject, take, used, &mut states, rate);
    let distances = repair::distances(subject, take, &states);
    let doubted = repair::doubted(subject, take, used, &distances);
    let off = bridge::bridge(subject, take, used, (&mut states, &doubted), rate);
    (states, off)
}

/// The poses as a clip.
fn clip(subject: &Subject, states: &[State], markers: &Markers) -> Result<Clip, SolveError> {
    let skeleton = subject.calibrated_skeleton()?;
    let root = subject.geometry.root;
    let above = skeleton.joint(root).parent;
    let (rotations, places) = (rest_rotations(&skeleton), rest_places(&skeleton));
    let (turn, place) = match above {
        Some(above) => (rotations[above.index()].inverse(), places[above.index()]),
        None => (UnitQuaternion::identity(), Vector3::zeros()),
    };
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    for (at, joint) in subject.body.joints.iter().enumerate() {
        let local = |state: &State| {
            let local = joint.rest * state.turns[at];
            if at == 0 { turn * local } else { local }
        };
        let rotation = Track::from_samples(states.iter().map(local).collect());
        let tracks = &mut tracks[joint.source];
        if let Some(rotation) = rotation {
            tracks.rotation = rotation;
        }
        if at == 0 {
            let places =
                states.iter().map(|state| turn * (state.translation / subject.metres - place)).collect();
            tracks.translation = Track::from_samples(places);
        }
    }
    let annotations = Annotations { events: markers.events().to_vec(), ..Annotations::default() };
    let clip = Clip::new(Arc::new(skeleton), markers.rate(), states.len(), tracks);
    clip.and_then(|clip| clip.with_annotations(annotations)).map_err(|error| match error {
        mocap_model::ModelError::NotFinite { .. } => SolveError::NotFinite,
        error => SolveError::Model(error),
    })
}
