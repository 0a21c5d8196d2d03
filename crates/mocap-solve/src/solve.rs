//! From a recording to a motion: labels, calibration, repair, poses, report.

use std::sync::Arc;

use mocap_model::{
    Axis, Clip, JointTracks, Markers, Side, SignedAxis, Skeleton, Track, UnitQuaternion, Vector3,
};

use crate::body::{State, rest_places, rest_rotations};
use crate::calibrate::{CalibrationFrame, Determined};
use crate::calibration::Calibration;
use crate::exchange::{self, Exchange};
use crate::fit::{self, Candidate};
use crate::frame::FrameSolver;
use crate::marker_set::{Landmark, MarkerSets, Segment};
use crate::pelvis::Pelvis;
use crate::repair;
use crate::report::{
    BoneLength, DoubtfulFrames, MarkerResidual, Repairs, Residual, SegmentResidual, SolveReport,
};
use crate::subject::{Subject, segment_name};
use crate::take::Take;
use crate::{SolveError, SolveWarning, start};

/// How a take is solved.
#[derive(Clone, Debug)]
pub struct SolveOptions<'a> {
    /// What labels mean.
    pub sets: &'a MarkerSets,
    /// Only the labels of this set count; default all that are known.
    pub set: Option<&'a str>,
    /// A trial of the subject standing still.
    pub static_trial: Option<&'a Markers>,
    /// What an earlier take of the subject showed.
    pub calibration: Option<&'a Calibration>,
}

/// A solved take.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The motion: on the target, or on a skeleton made of the subject (metres, Y up).
    pub clip: Clip,
    /// How well it fits.
    pub report: SolveReport,
    /// What other takes of the subject need.
    pub calibration: Calibration,
    /// What was repaired or is doubtful.
    pub warnings: Vec<SolveWarning>,
}

/// Sizes of the template that are tried: a child of six to a very tall adult.
const SIZES: [f64; 16] =
    [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35];
/// c of the robust loss while attachments are those of the table [m].
const WIDE: f64 = 0.15;
/// A marker farther from its place by the table than this many standard deviations, and than the distance beside it
/// [m], is not that marker.
const FAR: (f64, f64) = (4.0, 0.2);
/// The least σ of a marker while poses are solved [m]: how markers count beside the usual turns of joints.
const LEAST_SIGMA: f64 = 0.002;
/// Most markers that are left out throughout before the fit is refused, as a share.
const MOST_WRONG: f64 = 0.4;
/// Rounds of the calibration in which one marker at most is left out: the worst one may be what puts others off.
const SINGLE_ROUNDS: usize = 6;
/// Joints without any marker for longer than this are doubtful [s].
const LONG_GAP: f64 = 0.25;

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
    let mut warnings = Vec::new();
    let only = match options.set {
        Some(name) => Some(options.sets.only(name).ok_or_else(|| SolveError::UnknownSet {
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
    let mut take = Take::of(markers, options.sets, asked, turn(markers), &mut warnings)?;
    let mut of_trial = Vec::new();
    let trial =
        options.static_trial.map(|trial| Take::of(trial, options.sets, asked, turn(trial), &mut of_trial));
    let trial = trial.transpose()?;
    let named = |warning| SolveWarning::StaticTrial { warning: Box::new(warning) };
    warnings.extend(of_trial.into_iter().map(named));
    let landmarks = all_landmarks(&take, trial.as_ref());
    take = with_landmarks(&take, &landmarks);
    let trial = trial.map(|trial| with_landmarks(&trial, &landmarks));
    check_body(&take.landmarks, target.is_some())?;
    let metres = match target {
        Some(target) => target.space().metres().ok_or(SolveError::TargetUnit)?,
        None => 1.0,
    };
    let mut used: Vec<bool> = vec![true; take.names.len()];
    for marker in 0..take.names.len() {
        let anywhere = |take: &Take| (0..take.frames).any(|frame| take.point(frame, marker).is_some());
        used[marker] = anywhere(&take) || trial.as_ref().is_some_and(anywhere);
    }
    let rate = markers.rate().fps();
    let exchanges = exchange::exchange_back(&mut take, rate);
    let pelvis = trial.as_ref().and_then(Pelvis::of).or_else(|| Pelvis::of(&take));
    let calibrated = match options.calibration {
        Some(calibration) => {
            from_calibration(calibration, (target, metres), &take, &mut used, &mut warnings)?
        }
        None => {
            let subject = match target {
                Some(target) => Subject::given(target, metres, &take.landmarks)?,
                None => best_size(&take, &used, pelvis.as_ref())?,
            };
            let made = target.is_none().then_some(pelvis.as_ref());
            calibrate(subject, &take, trial.as_ref(), &mut used, &mut warnings, made)?
        }
    };
    // Markers of the static trial only have done their work.
    for marker in 0..take.names.len() {
        used[marker] &= (0..take.frames).any(|frame| take.point(frame, marker).is_some());
    }
    let states = poses(&calibrated, &take, &used, rate);
    let Calibrated { subject, determined, .. } = &calibrated;
    let distances = repair::distances(subject, &take, &states);
    let mut report = report(subject, &take, &used, &distances, determined);
    report.frames = doubtful(subject, &take, &used, &distances, rate);
    let doubtful_frames: usize = report.frames.iter().map(|range| range.last - range.first + 1).sum();
    report.solved = 1.0 - doubtful_frames as f64 / take.frames as f64;
    report.repairs.swaps = exchanges.iter().map(|exchange| exchange.frames.len()).sum();
    warn(&take, &used, &distances, &exchanges, &mut warnings);
    for range in &report.frames {
        let DoubtfulFrames { first, last, reason, .. } = range.clone();
        warnings.push(SolveWarning::Doubtful { first, last, reason });
    }
    let clip = clip(subject, &states, markers)?;
    let stated = markers.space().up;
    warn_of_up(subject, &states, (stated, turn(markers).inverse()), up, &mut warnings);
    let calibration = Calibration::of(subject, &take, &used, target.is_none());
    Ok(Solved { clip, report, calibration, warnings })
}

/// A subject whose attachments are known, and poses of some frames.
struct Calibrated {
    subject: Subject,
    determined: Determined,
    candidates: Vec<Candidate>,
}

fn all_landmarks(take: &Take, trial: Option<&Take>) -> Vec<(String, Landmark)> {
    let mut all: Vec<(String, Landmark)> = Vec::new();
    for take in [Some(take), trial].into_iter().flatten() {
        for (name, landmark) in take.names.iter().zip(&take.landmarks) {
            if all.iter().all(|(_, other)| other.name != landmark.name) {
                all.push((name.clone(), landmark.clone()));
            }
        }
    }
    all.sort_by(|a, b| a.1.name.cmp(&b.1.name));
    all
}

/// The take with columns for these landmarks; those that it lacks are never seen.
fn with_landmarks(take: &Take, landmarks: &[(String, Landmark)]) -> Take {
    let columns: Vec<Option<usize>> = landmarks
        .iter()
        .map(|(_, landmark)| take.landmarks.iter().position(|other| other.name == landmark.name))
        .collect();
    let points = (0..take.frames)
        .flat_map(|frame| {
            columns.iter().map(move |column| column.and_then(|column| take.point(frame, column)))
        })
        .collect();
    let (names, landmarks) = landmarks.iter().cloned().unzip();
    Take { names, landmarks, frames: take.frames, points }
}

/// The segment of a landmark with its side, such as `left foot`.
fn segment_of(landmark: &Landmark) -> String {
    let segment = segment_name(landmark.segment);
    match landmark.side.filter(|_| !crate::marker_set::on_trunk(landmark.segment)) {
        Some(Side::Left) => format!("left {segment}"),
        Some(Side::Right) => format!("right {segment}"),
        None => segment.to_owned(),
    }
}

/// Refuses markers that cannot show a body.
fn check_body(landmarks: &[Landmark], has_target: bool) -> Result<(), SolveError> {
    let count = |of: &dyn Fn(&Landmark) -> bool| landmarks.iter().filter(|landmark| of(landmark)).count();
    let trunk =
        |landmark: &Landmark| matches!(landmark.segment, Segment::Hips | Segment::Chest | Segment::Shoulder);
    let mut present: Vec<String> = landmarks.iter().map(segment_of).collect();
    present.sort_unstable();
    present.dedup();
    let present = present.join(", ");
    if count(&trunk) < 3 {
        return Err(SolveError::NoTrunk { missing: "the trunk".into(), present });
    }
    let on = |side: Side| count(&|landmark: &Landmark| landmark.side == Some(side));
    for (side, other, name) in [(Side::Left, Side::Right, "left"), (Side::Right, Side::Left, "right")] {
        if !has_target && on(side) >= 4 && on(other) == 0 {
            return Err(SolveError::OneSide { side: name });
        }
    }
    let on = |side: Side, segments: &[Segment]| {
        landmarks.iter().any(|landmark| landmark.side == Some(side) && segments.contains(&landmark.segment))
    };
    let legs = [Segment::UpperLeg, Segment::LowerLeg, Segment::Foot];
    let arms = [Segment::Shoulder, Segment::UpperArm, Segment::LowerArm, Segment::Hand];
    let pair = |segments: &[Segment]| on(Side::Left, segments) && on(Side::Right, segments);
    if !has_target && !pair(&legs) && !pair(&arms) {
        return Err(SolveError::NoPair { present });
    }
    Ok(())
}

/// The template in the size that fits a few frames best.
fn best_size(take: &Take, used: &[bool], pelvis: Option<&Pelvis>) -> Result<Subject, SolveError> {
    let mut order: Vec<usize> = (0..take.frames).step_by(take.frames.div_ceil(60).max(1)).collect();
    order.sort_by_key(|frame| std::cmp::Reverse(take.seen(*frame, used).len()));
    order.truncate(4);
    let mut best: Option<(f64, Subject)> = None;
    for size in SIZES {
        let subject = Subject::made(size, &take.landmarks, pelvis)?;
        let mut solver = FrameSolver::new(&subject.body);
        let mut cost = 0.0;
        for frame in &order {
            let seen = take.seen(*frame, used);
            let found = start::cold(&mut solver, &subject.body, &subject.attached, &seen, 0.3);
            cost += found.map_or(f64::INFINITY, |(_, cost)| cost);
        }
        if cost.is_finite() && best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, subject));
        }
    }
    let most = order.first().map_or(0, |frame| take.seen(*frame, used).len());
    best.map(|(_, subject)| subject).ok_or(SolveError::NoFrameSeen {
        most,
        markers: take.names.len(),
        least: 6,
    })
}

/// Attachments, and lengths of a skeleton that is `made`; names markers that are wrong throughout.
fn calibrate(
    mut subject: Subject,
    take: &Take,
    trial: Option<&Take>,
    used: &mut [bool],
    warnings: &mut Vec<SolveWarning>,
    made: Option<Option<&Pelvis>>,
) -> Result<Calibrated, SolveError> {
    let mut candidates = fit::candidates(&subject, take, used, WIDE)?;
    let mut trial_frames = match trial {
        Some(trial) => trial_frames(&subject, trial, used)?,
        None => Vec::new(),
    };
    let mut determined;
    let mut sigma;
    let mut sigmas: Option<Vec<f64>> = None;
    let mut rounds = 0;
    loop {
        let scales: &[f64] = if rounds == 0 { &[WIDE, 0.08] } else { &[0.08, fit::SCALE] };
        determined =
            fit::round(&mut subject, take, used, &candidates, &trial_frames, (scales, sigmas.as_deref()));
        let widths: &[f64] = if rounds == 0 { &[WIDE, 0.08] } else { &[0.08, fit::SCALE] };
        fit::refine(&subject, take, used, &mut candidates, widths);
        refine_trial(&subject, &mut trial_frames, widths);
        if let Some(pelvis) = made {
            // Where markers sit depends on the lengths that are now known.
            let skeleton = subject.calibrated_skeleton()?;
            let again = Subject::of_made(&skeleton, &take.landmarks, pelvis)?;
            subject.priors = again.priors;
        }
        let residuals = fit::residuals(&subject, take, &candidates);
        let (all, each) = fit::sigmas_of(&residuals, used);
        (sigma, sigmas) = (all, Some(each));
        rounds += 1;
        let mut wrong = wrong_throughout(&subject, take, used, &residuals);
        if rounds >= 3 && wrong.is_empty() {
            break;
        }
        // With many wrong markers several are left out at a time, so that there are few rounds.
        wrong.truncate(if rounds <= SINGLE_ROUNDS { 1 } else { wrong.len().div_ceil(3) });
        for (marker, off) in &wrong {
            used[*marker] = false;
            subject.attached[*marker].place = subject.priors[*marker].place;
            for frame in &mut trial_frames {
                frame.seen.retain(|(other, _)| other != marker);
            }
            warnings.push(SolveWarning::WrongThroughout { marker: take.names[*marker].clone(), off: *off });
        }
        let out = used.iter().filter(|used| !**used).count();
        if out as f64 > MOST_WRONG * used.len() as f64 {
            let share = 100.0 * out as f64 / used.len() as f64;
            return Err(SolveError::NoFit { share, limit: (FAR.1 * 1e3) as u32 });
        }
    }
    subject.attached.iter_mut().for_each(|attached| attached.weight = sigma.max(LEAST_SIGMA).powi(-2));
    if let Some(trial) = trial {
        warn_of_subject(&subject, take, trial, warnings);
    }
    Ok(Calibrated { subject, determined, candidates })
}

/// Some frames of a static trial.
const TRIAL_FRAMES: usize = 6;

fn trial_frames(subject: &Subject, trial: &Take, used: &[bool]) -> Result<Vec<CalibrationFrame>, SolveError> {
    let mut solver = FrameSolver::new(&subject.body);
    let step = trial.frames.div_ceil(TRIAL_FRAMES).max(1);
    let mut found = Vec::new();
    for frame in (step / 2..trial.frames).step_by(step) {
        let seen = trial.seen(frame, used);
        if let Some((state, _)) = start::cold(&mut solver, &subject.body, &subject.attached, &seen, WIDE) {
            found.push(CalibrationFrame { seen, state });
        }
    }
    if found.is_empty() {
        let most = (0..trial.frames).map(|frame| trial.seen(frame, used).len()).max().unwrap_or(0);
        return Err(SolveError::NoFrameSeen { most, markers: trial.names.len(), least: 6 });
    }
    Ok(found)
}

fn refine_trial(subject: &Subject, frames: &mut [CalibrationFrame], widths: &[f64]) {
    let mut solver = FrameSolver::new(&subject.body);
    for frame in frames {
        start::warm(
            &mut solver,
            &subject.body,
            &subject.attached,
            &frame.seen,
            &mut frame.state,
            widths,
            1e-5,
        );
    }
}

/// Markers that are not where their label says, and how far they are off [m]; the worst one first.
fn wrong_throughout(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    residuals: &[Vec<f64>],
) -> Vec<(usize, f64)> {
    let mut wrong = Vec::new();
    for marker in (0..take.names.len()).filter(|marker| used[*marker]) {
        let prior = &subject.priors[marker];
        let moved = (subject.attached[marker].place - prior.place).norm();
        let mut sorted = residuals[marker].clone();
        sorted.sort_by(f64::total_cmp);
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        if moved > (FAR.0 * prior.sigma).max(FAR.1) || median > 0.1 {
            wrong.push((marker, moved.max(median)));
        }
    }
    wrong.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    wrong
}

/// The poses of all frames.
fn poses(calibrated: &Calibrated, take: &Take, used: &[bool], rate: f64) -> Vec<State> {
    let Calibrated { subject, candidates, .. } = calibrated;
    let mut states = fit::track(subject, take, used, candidates);
    let mut distances = repair::distances(subject, take, &states);
    let lost = repair::lost(subject, take, used, &distances);
    if lost.iter().any(Option::is_some) {
        fit::recover(subject, take, used, &mut states, &lost);
        distances = repair::distances(subject, take, &states);
    }
    let doubted = repair::doubted(subject, take, used, &distances);
    fit::bridge(subject, take, used, (&mut states, &doubted), rate);
    states
}

/// The subject of a calibration; markers that it lacks are not used.
fn from_calibration(
    calibration: &Calibration,
    (target, metres): (Option<&Skeleton>, f64),
    take: &Take,
    used: &mut [bool],
    warnings: &mut Vec<SolveWarning>,
) -> Result<Calibrated, SolveError> {
    let mut subject = match target {
        Some(target) => Subject::given(target, metres, &take.landmarks)?,
        None => calibration.subject(&take.landmarks)?,
    };
    let all = used.iter().filter(|used| **used).count();
    let mut missing = calibration.apply(&mut subject, take);
    missing.retain(|marker| used[*marker]);
    if missing.len() * 4 > all {
        return Err(SolveError::OtherCalibration { missing: missing.len(), all });
    }
    missing.iter().for_each(|marker| used[*marker] = false);
    if !missing.is_empty() {
        let names = missing.iter().map(|marker| take.names[*marker].clone()).collect();
        warnings.push(SolveWarning::NotCalibrated { names });
    }
    subject.attached.iter_mut().for_each(|attached| attached.weight = calibration.sigma.powi(-2));
    let candidates = fit::candidates(&subject, take, used, 0.08)?;
    Ok(Calibrated { subject, determined: Determined::default(), candidates })
}

fn report(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    distances: &[Option<f64>],
    determined: &Determined,
) -> SolveReport {
    let count = take.names.len();
    let joint_name = |marker: usize| {
        let joint = subject.attached[marker].joint;
        subject.skeleton.joints()[subject.body.joints[joint].source].name.clone()
    };
    let of_marker = |marker: usize| -> Vec<f64> {
        (0..take.frames).filter_map(|frame| distances[frame * count + marker]).collect()
    };
    let counted = |marker: usize| -> Vec<f64> {
        of_marker(marker).into_iter().filter(|distance| used[marker] && *distance <= repair::OFF).collect()
    };
    let all: Vec<f64> = (0..count).flat_map(counted).collect();
    let markers: Vec<MarkerResidual> = (0..count)
        .filter(|marker| !of_marker(*marker).is_empty())
        .map(|marker| {
            let Residual { mean, p95, max, .. } = Residual::of(&of_marker(marker));
            let sigma =
                determined.attachments.get(marker).copied().filter(|sigma| sigma.is_finite() && used[marker]);
            MarkerResidual {
                name: take.names[marker].clone(),
                segment: joint_name(marker),
                mean,
                p95,
                max,
                used: used[marker],
                sigma,
            }
        })
        .collect();
    let mut segments = Vec::new();
    for joint in 0..subject.body.joints.len() {
        let own: Vec<usize> =
            (0..count).filter(|marker| used[*marker] && subject.attached[*marker].joint == joint).collect();
        let Some(first) = own.first() else { continue };
        let found: Vec<f64> = own.iter().flat_map(|marker| counted(*marker)).collect();
        let Residual { mean, p95, max, .. } = Residual::of(&found);
        segments.push(SegmentResidual { name: joint_name(*first), markers: own.len(), mean, p95, max });
    }
    let length = |at: usize| subject.body.joints[subject.offsets[at].joint].offset.norm();
    let bones = subject
        .offsets
        .iter()
        .enumerate()
        .map(|(at, free)| BoneLength {
            name: subject.skeleton.joints()[subject.body.joints[free.joint].source].name.clone(),
            length: length(at),
            sigma: determined.offsets.get(at).copied().filter(|sigma| sigma.is_finite()),
            side_difference: free.twin.map(|twin| length(at) / length(twin) - 1.0),
        })
        .collect();
    let ghosts = (0..count)
        .filter(|marker| used[*marker])
        .flat_map(of_marker)
        .filter(|distance| *distance > repair::OFF)
        .count();
    let seen_at_all = |marker: &usize| used[*marker] && !of_marker(*marker).is_empty();
    let gaps = (0..count)
        .filter(seen_at_all)
        .map(|marker| (0..take.frames).filter(|frame| distances[frame * count + marker].is_none()).count())
        .sum();
    SolveReport {
        residual: Residual::of(&all),
        markers,
        segments,
        frames: Vec::new(),
        solved: 0.0,
        bones,
        repairs: Repairs { gaps, ghosts, swaps: 0 },
    }
}

/// Frames with too few markers, or with joints that no marker shows for long.
fn doubtful(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    distances: &[Option<f64>],
    rate: f64,
) -> Vec<DoubtfulFrames> {
    let count = take.names.len();
    let body = &subject.body;
    let all = used.iter().filter(|used| **used).count().max(1);
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); body.joints.len()];
    for marker in (0..count).filter(|marker| used[*marker]) {
        let mut at = Some(subject.attached[marker].joint);
        while let Some(joint) = at {
            below[joint].push(marker);
            at = body.joints[joint].parent;
        }
    }
    let good =
        |frame: usize, marker: usize| distances[frame * count + marker].is_some_and(|off| off <= repair::OFF);
    let lost = repair::lost(subject, take, used, distances);
    let mut unseen_since: Vec<usize> = vec![0; body.joints.len()];
    let mut reasons: Vec<Option<(f64, String)>> = Vec::with_capacity(take.frames);
    for frame in 0..take.frames {
        let seen = (0..count).filter(|marker| used[*marker] && good(frame, *marker)).count();
        let confidence = seen as f64 / all as f64;
        let mut reason = None;
        if confidence < 0.5 {
            reason = Some("fewer than half of the markers are where the body carries them".to_owned());
        }
        if let Some(joint) = lost[frame] {
            let name = &subject.skeleton.joints()[body.joints[joint].source].name;
            reason = Some(format!("most markers near {name} are not where the body carries them"));
        }
        for joint in 0..body.joints.len() {
            let shown = below[joint].iter().any(|marker| good(frame, *marker));
            if shown || below[joint].is_empty() {
                unseen_since[joint] = frame + 1;
            } else if (frame + 1 - unseen_since[joint]) as f64 > LONG_GAP * rate && reason.is_none() {
                let name = &subject.skeleton.joints()[body.joints[joint].source].name;
                reason = Some(format!("no marker shows {name}"));
            }
        }
        reasons.push(reason.map(|reason| (confidence, reason)));
    }
    let mut ranges: Vec<DoubtfulFrames> = Vec::new();
    for (frame, reason) in reasons.into_iter().enumerate() {
        let Some((confidence, reason)) = reason else { continue };
        match ranges.last_mut() {
            Some(range) if range.last + 1 == frame && range.reason == reason => {
                range.last = frame;
                range.confidence = range.confidence.min(confidence);
            }
            _ => ranges.push(DoubtfulFrames { first: frame, last: frame, confidence, reason }),
        }
    }
    ranges
}

fn warn(
    take: &Take,
    used: &[bool],
    distances: &[Option<f64>],
    exchanges: &[Exchange],
    warnings: &mut Vec<SolveWarning>,
) {
    let count = take.names.len();
    for exchange in exchanges {
        let [marker, other] = exchange.markers.map(|marker| take.names[marker].clone());
        let (first, last) = (exchange.frames[0], exchange.frames[exchange.frames.len() - 1]);
        warnings.push(SolveWarning::Swap { marker, other, first, last, count: exchange.frames.len() });
    }
    for marker in (0..count).filter(|marker| used[*marker]) {
        let name = || take.names[marker].clone();
        let of = |frame: usize| distances[frame * count + marker];
        let off: Vec<usize> =
            (0..take.frames).filter(|frame| of(*frame).is_some_and(|off| off > repair::OFF)).collect();
        if let Some(first) = off.first() {
            let most = off.iter().filter_map(|frame| of(*frame)).fold(0.0, f64::max);
            warnings.push(SolveWarning::Ghosts {
                marker: name(),
                count: off.len(),
                first: *first,
                off: most,
            });
        }
        let missing = (0..take.frames).filter(|frame| of(*frame).is_none()).count();
        if missing > 0 && missing < take.frames {
            warnings.push(SolveWarning::Gaps { marker: name(), count: missing, frames: take.frames });
        }
    }
}

/// Warns where markers that sit together are at other distances in the static trial.
fn warn_of_subject(subject: &Subject, take: &Take, trial: &Take, warnings: &mut Vec<SolveWarning>) {
    let count = take.names.len();
    let mut shares = Vec::new();
    let median = |take: &Take, a: usize, b: usize| {
        let step = take.frames.div_ceil(100).max(1);
        let mut found: Vec<f64> = (0..take.frames)
            .step_by(step)
            .filter_map(|frame| Some((take.point(frame, a)? - take.point(frame, b)?).norm()))
            .collect();
        found.sort_by(f64::total_cmp);
        found.get(found.len() / 2).copied()
    };
    for a in 0..count {
        for b in a + 1..count {
            if subject.attached[a].joint == subject.attached[b].joint
                && let (Some(now), Some(before)) = (median(take, a, b), median(trial, a, b))
                && before > 0.05
            {
                shares.push((now / before - 1.0).abs());
            }
        }
    }
    shares.sort_by(f64::total_cmp);
    if let Some(share) = shares.get(shares.len() / 2).filter(|share| **share > 0.06) {
        warnings.push(SolveWarning::OtherSubject { share: *share });
    }
}

/// Warns where the body does not stand along the axis that is up.
fn warn_of_up(
    subject: &Subject,
    states: &[State],
    (stated, back): (SignedAxis, UnitQuaternion<f64>),
    up: SignedAxis,
    warnings: &mut Vec<SolveWarning>,
) {
    let mut solver = FrameSolver::new(&subject.body);
    let mut sum = Vector3::zeros();
    let rest = subject.geometry.up();
    for state in states.iter().step_by(states.len().div_ceil(100).max(1)) {
        subject.body.place(state, &mut solver.placed);
        let of_root = subject.geometry.rotation(subject.geometry.root).inverse() * rest;
        sum += solver.placed.rotation[0] * of_root;
    }
    if sum.dot(&up.vector()) < 0.3 * sum.norm() {
        let all = Axis::ALL
            .into_iter()
            .flat_map(|axis| [false, true].map(|negative| SignedAxis { axis, negative }));
        let axis = all.clone().max_by(|a, b| sum.dot(&a.vector()).total_cmp(&sum.dot(&b.vector())));
        let axis = axis.map(|axis| back * axis.vector());
        let named = axis.and_then(|axis| all.clone().find(|other| (other.vector() - axis).norm() < 1e-6));
        if let Some(body) = named {
            warnings.push(SolveWarning::Up { body: body.to_string(), stated: stated.to_string() });
        }
    }
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
    let clip = Clip::new(Arc::new(skeleton), markers.rate(), states.len(), tracks);
    clip.map_err(|error| match error {
        mocap_model::ModelError::NotFinite { .. } => SolveError::NotFinite,
        error => SolveError::Model(error),
    })
}
