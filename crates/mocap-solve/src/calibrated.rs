//! Calibrates a subject from a take, a static trial or an earlier calibration.

use mocap_model::{Skeleton, Vector3};

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
/// How often a calibration that gives little weight to some markers is tried again, with these where they are seen.
const MOST_TRIES: usize = 4;

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
    subject: Subject,
    take: &Take,
    trial: Option<&Take>,
    used: &mut [bool],
    warnings: &mut Vec<SolveWarning>,
    made: Option<Option<&Pelvis>>,
) -> Result<Calibrated, SolveError> {
    let candidates = fit::candidates(&subject, take, used, WIDE)?;
    let trial_frames = match trial {
        Some(trial) => trial_frames(&subject, trial, used)?,
        None => Vec::new(),
    };
    let mut fit = Fit {
        subject,
        candidates,
        trial_frames,
        determined: Determined::default(),
        sigma: 0.0,
        sigmas: None,
        residuals: Vec::new(),
        used: used.to_vec(),
        warnings: Vec::new(),
    };
    fit.rounds(take, made)?;
    for _ in 0..MOST_TRIES {
        let rejected = fit.rejected();
        if rejected.is_empty() {
            break;
        }
        let mut other = fit.clone();
        other.attach_where_seen(take, &rejected);
        if other.rounds(take, made).is_err() || other.cost() >= fit.cost() {
            break;
        }
        fit = other;
    }
    let Fit { mut subject, determined, candidates, sigma, used: last, warnings: found, .. } = fit;
    used.copy_from_slice(&last);
    warnings.extend(found);
    subject.attached.iter_mut().for_each(|attached| attached.weight = sigma.max(LEAST_SIGMA).powi(-2));
    if let Some(trial) = trial {
        warnings::of_subject(&subject, take, trial, warnings);
    }
    Ok(Calibrated { subject, determined, candidates })
}

/// A calibration and what it rests on.
#[derive(Clone)]
struct Fit {
    subject: Subject,
    candidates: Vec<Candidate>,
    trial_frames: Vec<CalibrationFrame>,
    determined: Determined,
    /// Of all markers, and of each, once residuals are known [m].
    sigma: f64,
    sigmas: Option<Vec<f64>>,
    /// By marker, in the candidates [m].
    residuals: Vec<Vec<f64>>,
    used: Vec<bool>,
    warnings: Vec<SolveWarning>,
}

impl Fit {
    /// Rounds of calibration, until no marker is wrong throughout.
    fn rounds(&mut self, take: &Take, made: Option<Option<&Pelvis>>) -> Result<(), SolveError> {
        let mut rounds = 0;
        loop {
            let (scales, widths): (&[f64], &[f64]) = match (rounds, &self.sigmas) {
                (0, None) => (&[WIDE, 0.08], &[WIDE, 0.08]),
                (0, Some(_)) => (&[WIDE, 0.08, fit::SCALE], &[WIDE, 0.08, fit::SCALE]),
                _ => (&[0.08, fit::SCALE], &[0.08, fit::SCALE]),
            };
            let sigmas = (scales, self.sigmas.as_deref());
            let Fit { subject, candidates, trial_frames, used, .. } = self;
            self.determined = fit::round(subject, take, used, candidates, trial_frames, sigmas);
            fit::refine(subject, take, used, candidates, widths);
            refine_trial(subject, trial_frames, widths);
            if let Some(pelvis) = made {
                // The places of markers depend on the lengths, which are now known.
                let skeleton = subject.calibrated_skeleton()?;
                let again = Subject::of_made(&skeleton, &take.landmarks, pelvis)?;
                subject.priors = again.priors;
            }
            self.residuals = fit::residuals(subject, take, candidates);
            let (all, each) = fit::sigmas_of(&self.residuals, used);
            (self.sigma, self.sigmas) = (all, Some(each));
            rounds += 1;
            let mut wrong = wrong_throughout(subject, take, used, &self.residuals);
            if rounds >= 3 && wrong.is_empty() {
                return Ok(());
            }
            // With many wrong markers several are left out at a time, so that there are few rounds.
            wrong.truncate(if rounds <= SINGLE_ROUNDS { 1 } else { wrong.len().div_ceil(3) });
            self.leave_out(take, &wrong)?;
        }
    }

    /// Leaves out markers that are wrong throughout.
    fn leave_out(&mut self, take: &Take, wrong: &[(usize, f64)]) -> Result<(), SolveError> {
        for (marker, off) in wrong {
            self.used[*marker] = false;
            self.subject.attached[*marker].place = self.subject.priors[*marker].place;
            for frame in &mut self.trial_frames {
                frame.seen.retain(|(other, _)| other != marker);
            }
            let marker = take.names[*marker].clone();
            self.warnings.push(SolveWarning::WrongThroughout { marker, off: *off });
        }
        let out = self.used.iter().filter(|used| !**used).count();
        if out as f64 > MOST_WRONG * self.used.len() as f64 {
            let share = 100.0 * out as f64 / self.used.len() as f64;
            return Err(SolveError::NoFit { share, limit: (MOST_WRONG * 100.0) as u32 });
        }
        Ok(())
    }

    /// Markers to which the robust loss gives little weight in most frames.
    fn rejected(&self) -> Vec<usize> {
        let is_off = |marker: &usize| middle(&self.residuals[*marker]) > fit::SCALE;
        (0..self.used.len()).filter(|marker| self.used[*marker]).filter(is_off).collect()
    }

    /// Attaches markers where they are seen on average, with as much weight as others.
    fn attach_where_seen(&mut self, take: &Take, rejected: &[usize]) {
        let mut solver = FrameSolver::new(&self.subject.body);
        let mut sums = vec![(Vector3::zeros(), 0usize); rejected.len()];
        for candidate in &self.candidates {
            self.subject.body.place(&candidate.state, &mut solver.placed);
            for (marker, sum) in rejected.iter().zip(&mut sums) {
                let joint = self.subject.attached[*marker].joint;
                if let Some(point) = take.point(candidate.frame, *marker) {
                    let off = point - solver.placed.position[joint];
                    *sum = (sum.0 + solver.placed.rotation[joint].tr_mul(&off), sum.1 + 1);
                }
            }
        }
        for (marker, (sum, count)) in rejected.iter().zip(sums) {
            self.subject.attached[*marker].place = sum / count.max(1) as f64;
            self.sigmas.iter_mut().for_each(|sigmas| sigmas[*marker] = self.sigma);
        }
    }

    /// Mean of the robust loss over all that is seen [m²]; a marker that is left out costs as much as any.
    fn cost(&self) -> f64 {
        let c = fit::SCALE * fit::SCALE;
        let loss = |off: &f64| c * off * off / (c + off * off);
        let of_marker = |(own, used): (&Vec<f64>, &bool)| match used {
            true => own.iter().map(loss).sum::<f64>(),
            false => own.len() as f64 * c,
        };
        let seen = self.residuals.iter().map(Vec::len).sum::<usize>();
        self.residuals.iter().zip(&self.used).map(of_marker).sum::<f64>() / seen.max(1) as f64
    }
}

/// The median, 0 of none.
fn middle(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
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
        let median = middle(&residuals[marker]);
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
