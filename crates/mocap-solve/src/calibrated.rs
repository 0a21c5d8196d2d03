//! Calibrates a subject from a take, a static trial or an earlier calibration.

use mocap_model::Skeleton;

use crate::calibrate::{CalibrationFrame, Determined};
use crate::calibration::Calibration;
use crate::fit::{self, Candidate};
use crate::frame::FrameSolver;
use crate::pelvis::Pelvis;
use crate::subject::Subject;
use crate::take::Take;
use crate::{SolveError, SolveWarning, start, warnings};

/// Sizes of the template that are tried: a child of six to a very tall adult.
const SIZES: [f64; 16] =
    [0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35];
/// c of the robust loss while attachments come from the table [m].
const WIDE: f64 = 0.15;
/// A marker is not the one that its label names if it is further from its place in the table than this many
/// standard deviations, and than the second value [m].
const FAR: (f64, f64) = (4.0, 0.2);
/// Least σ of a marker while poses are solved [m]; it balances markers against the usual rotations of joints.
const LEAST_SIGMA: f64 = 0.002;
/// Greatest share of markers that may be left out throughout; above it, the fit is rejected.
const MOST_WRONG: f64 = 0.4;
/// Number of calibration rounds in which at most one marker is left out: the worst one may displace others.
const SINGLE_ROUNDS: usize = 6;

/// A subject whose attachments are known, and poses of some frames.
pub(crate) struct Calibrated {
    pub(crate) subject: Subject,
    pub(crate) determined: Determined,
    pub(crate) candidates: Vec<Candidate>,
}

/// The template in the size that fits a few frames best.
pub(crate) fn best_size(take: &Take, used: &[bool], pelvis: Option<&Pelvis>) -> Result<Subject, SolveError> {
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

/// Calibrates attachments, and bone lengths if the skeleton is made from the template. `made`: the
/// pelvis of such a skeleton, if known; `None` for a given skeleton. Markers that are wrong in
/// most frames are marked as not `used`, with a warning.
pub(crate) fn calibrate(
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
            // The places of markers depend on the lengths, which are now known.
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
            return Err(SolveError::NoFit { share, limit: (MOST_WRONG * 100.0) as u32 });
        }
    }
    subject.attached.iter_mut().for_each(|attached| attached.weight = sigma.max(LEAST_SIGMA).powi(-2));
    if let Some(trial) = trial {
        warnings::of_subject(&subject, take, trial, warnings);
    }
    Ok(Calibrated { subject, determined, candidates })
}

/// Number of frames taken from a static trial.
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

/// Markers that are not where their label says, with their distances [m]; the worst first.
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
        if moved > (FAR.0 * prior.sigma()).max(FAR.1) || median > 0.1 {
            wrong.push((marker, moved.max(median)));
        }
    }
    wrong.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    wrong
}

/// The subject of a calibration; markers that it lacks are not used.
pub(crate) fn from_calibration(
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
