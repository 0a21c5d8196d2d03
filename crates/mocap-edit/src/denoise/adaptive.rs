//! Smoothing splines whose stiffness follows the motion: stiff where it is still, soft where it is fast.
//!
//! The second or third differences of the true curves are taken as normally distributed with a variance that changes in
//! time; it is estimated from the curves, by the fixed point of their marginal likelihood. A few values around a frame
//! give a poor estimate for one curve, but a body moves and rests as a whole: the prior of a variance is the mean
//! variance of its curve times the relative movement of all curves at that moment. Generalised cross-validation, with
//! one stiffness for all frames, would leave noise where the body stands and round off kicks and steps.
//!
//! Based on: D. MacKay, "Bayesian Interpolation", 1992 (the fixed point); B. Efron, C. Morris, "Stein's estimation rule
//! and its competitors", 1973 (a prior from all curves); P. Craven, G. Wahba, "Smoothing noisy data with spline
//! functions", 1979.

use super::banded::{Fit, LANES, Lanes, differences, noise_gain};

/// Up to this rate third differences are smoothed, above it second ones \[1/s\]: limbs are struck and stopped within
/// about 20 ms, so accelerations jump from frame to frame at high rates and are blurred at low ones.
const BLURRED: f64 = 45.0;
/// Time constant of the variance of a curve, to both sides \[s\].
const WINDOW: f64 = 0.07;
/// Time constant of the movement of the whole body, to both sides \[s\].
const BODY_WINDOW: f64 = 0.033;
/// The weight of the prior, as a number of values.
const PRIOR: f64 = 3.0;
/// The weight of a second prior of no motion, as a number of values: a few values of noise look like motion.
const STILL: f64 = 0.7;
/// Factor on the stiffness of the second-order spline: an estimate with the least error has less jerk than the motion.
/// A factor of a half costs about 1 % of error.
const SOFTER: f64 = 0.5;
/// Rounds of the fixed point.
const ROUNDS: usize = 6;
/// The stiffest spline, as penalty over weight: a kernel of about a hundred frames.
const STIFFEST: f64 = 1e12;
/// The softest spline, which interpolates the values.
const SOFTEST: f64 = 1e-6;

/// Curves of one body, all of the same length.
#[derive(Debug)]
pub(super) struct Curves {
    frames: usize,
    packs: Vec<Pack>,
    /// Number of used lanes in the last pack.
    taken: usize,
}

/// Curves that are fitted together, one per lane.
#[derive(Debug)]
struct Pack {
    values: Vec<Lanes>,
    /// Unknown values: frame, lane.
    unknown: Vec<(usize, usize)>,
    /// The variance of the noise.
    noise: Lanes,
    penalties: Vec<Lanes>,
    /// Squared differences of the fit.
    energies: Vec<Lanes>,
    /// The share of each difference that is determined by the values and not by the prior: 0 to 1.
    certain: Vec<Lanes>,
    /// The mean energy of a fully determined difference.
    usual: Lanes,
}

impl Curves {
    pub(super) fn new(frames: usize) -> Curves {
        Curves { frames, packs: Vec::new(), taken: LANES }
    }

    /// Adds a curve with one weight per frame, 0 or 1, and its variance of noise.
    pub(super) fn add(&mut self, values: impl Iterator<Item = f64>, weights: &[f64], noise: f64) {
        if self.taken == LANES {
            self.packs.push(Pack::of(self.frames));
            self.taken = 0;
        }
        let lane = self.taken;
        let pack = self.packs.last_mut().expect("there is a pack with room");
        pack.values.iter_mut().zip(values).for_each(|(own, value)| own[lane] = value);
        let unknown = weights.iter().enumerate().filter(|(_, weight)| **weight == 0.0);
        pack.unknown.extend(unknown.map(|(frame, _)| (frame, lane)));
        pack.noise[lane] = noise;
        self.taken += 1;
    }

    /// Smooths all curves.
    pub(super) fn smooth(&mut self, fps: f64) {
        if self.frames < 8 {
            return;
        }
        match fps <= BLURRED {
            true => smooth::<3>(&mut self.packs, fps, 1.0),
            false => smooth::<2>(&mut self.packs, fps, SOFTER),
        }
    }

    /// The curves in the order in which they were added.
    pub(super) fn iter(&self) -> impl Iterator<Item = impl Iterator<Item = f64>> {
        let lanes = self.packs.iter().flat_map(|pack| (0..LANES).map(move |lane| (pack, lane)));
        lanes.map(|(pack, lane)| pack.values.iter().map(move |value| value[lane]))
    }
}

/// The workspace of a fit, reused for every pack.
#[derive(Debug, Default)]
struct Workspace<const N: usize> {
    fit: Fit<N>,
    weights: Vec<Lanes>,
    curve: Vec<Lanes>,
}

fn smooth<const N: usize>(packs: &mut [Pack], fps: f64, stiffness: f64) {
    let Some(count) = packs.first().map(|pack| pack.values.len() - N) else { return };
    let mut room = Workspace::<N>::default();
    let reach = |seconds: f64| (-1.0 / (seconds * fps).max(1.0)).exp();
    let (keep, body_keep) = (reach(WINDOW), reach(BODY_WINDOW));
    packs.iter_mut().for_each(|pack| pack.start::<N>(keep));
    for _ in 0..ROUNDS {
        let mut moving = Movement { energies: vec![0.0; count], certain: vec![0.0; count] };
        for pack in packs.iter_mut() {
            pack.fit(&mut room);
            pack.measure(&room);
            moving.add(pack);
        }
        let body = moving.around(body_keep);
        packs.iter_mut().for_each(|pack| pack.update(&body, keep));
    }
    for pack in packs {
        pack.penalties.iter_mut().for_each(|penalty| *penalty *= stiffness);
        pack.fit(&mut room);
        pack.values.copy_from_slice(&room.curve);
        // Freed before the curves become rotations.
        (pack.penalties, pack.energies, pack.certain) = Default::default();
    }
}

impl Pack {
    fn of(frames: usize) -> Pack {
        Pack {
            values: vec![Lanes::zeros(); frames],
            unknown: Vec::new(),
            noise: Lanes::zeros(),
            penalties: Vec::new(),
            energies: Vec::new(),
            certain: Vec::new(),
            usual: Lanes::zeros(),
        }
    }

    /// The first penalties: from the differences of the values, with the contribution of noise subtracted.
    fn start<const N: usize>(&mut self, keep: f64) {
        let Pack { values, noise, penalties, energies, certain, .. } = self;
        energies.extend(differences::<N>(values).map(|d| d.component_mul(&d)));
        certain.resize(energies.len(), Lanes::repeat(1.0));
        penalties.resize(energies.len(), Lanes::zeros());
        let of_noise = *noise * noise_gain(N);
        sum_around(energies, certain, keep, |i, energy, values| {
            let variance = (energy - values.component_mul(&of_noise)).sup(&(energy * 0.05));
            penalties[i] = penalty(noise, &values, &variance);
        });
    }

    fn fit<const N: usize>(&self, room: &mut Workspace<N>) {
        let Workspace { fit, weights, curve } = room;
        weights.clear();
        weights.resize(self.values.len(), Lanes::repeat(1.0));
        self.unknown.iter().for_each(|(frame, lane)| weights[*frame][*lane] = 0.0);
        fit.factor(weights, &self.penalties);
        curve.clear();
        curve.extend(self.values.iter().zip(weights).map(|(value, weight)| value.component_mul(weight)));
        fit.solve(curve);
    }

    /// Computes the energies of the differences of a fit, and how well they are determined.
    fn measure<const N: usize>(&mut self, room: &Workspace<N>) {
        let Pack { penalties, energies, certain, usual, .. } = self;
        energies
            .iter_mut()
            .zip(differences::<N>(&room.curve))
            .for_each(|(energy, d)| *energy = d.component_mul(&d));
        room.fit.variances(|i, variance| {
            certain[i] =
                penalties[i].zip_map(&variance, |penalty, variance| (1.0 - penalty * variance).max(1e-9));
        });
        let values = certain.iter().sum::<Lanes>().add_scalar(STILL);
        *usual = energies.iter().sum::<Lanes>().component_div(&values);
    }

    /// One iteration of the fixed point. `body` is the movement of all curves at each difference, relative to their
    /// mean.
    fn update(&mut self, body: &[f64], keep: f64) {
        let Pack { noise, penalties, energies, certain, usual, .. } = self;
        sum_around(energies, certain, keep, |i, energy, values| {
            let values = values.add_scalar(PRIOR + STILL);
            let aim = penalty(noise, &values, &(energy + *usual * (PRIOR * body[i])));
            // Overrelaxation, which halves the number of iterations; most towards stiff splines, which converge
            // slowest.
            penalties[i] = aim.zip_map(&penalties[i], |aim, now| {
                let ratio = aim / now;
                (aim * ratio.max(ratio.sqrt())).clamp(SOFTEST, STIFFEST)
            });
        });
    }
}

/// The movement of all curves, by difference.
struct Movement {
    /// Sum over the curves, each divided by its mean energy.
    energies: Vec<f64>,
    certain: Vec<f64>,
}

impl Movement {
    fn add(&mut self, Pack { energies, certain, usual, noise, .. }: &Pack) {
        let counts = |lane: usize| usual[lane] > f64::MIN_POSITIVE && noise[lane] > 0.0;
        let weights = Lanes::from_fn(|lane, _| if counts(lane) { 1.0 } else { 0.0 });
        let shares = Lanes::from_fn(|lane, _| if counts(lane) { 1.0 / usual[lane] } else { 0.0 });
        for (sum, energy) in self.energies.iter_mut().zip(energies) {
            *sum += energy.dot(&shares);
        }
        for (sum, certain) in self.certain.iter_mut().zip(certain) {
            *sum += certain.dot(&weights);
        }
    }

    fn around(&self, keep: f64) -> Vec<f64> {
        let wide = |values: &[f64]| values.iter().map(|value| Lanes::repeat(*value)).collect::<Vec<_>>();
        let mut found = vec![0.0; self.energies.len()];
        sum_around(&mut wide(&self.energies), &mut wide(&self.certain), keep, |i, energy, certain| {
            found[i] = energy[0] / (certain[0] + STILL);
        });
        found
    }
}

/// The penalty for a variance of `energy / count`.
fn penalty(noise: &Lanes, count: &Lanes, energy: &Lanes) -> Lanes {
    let penalty = noise.component_mul(count).zip_map(energy, |a, energy| a / energy.max(f64::MIN_POSITIVE));
    penalty.map(|penalty| penalty.clamp(SOFTEST, STIFFEST))
}

/// Passes to `take`, for every index, the sums of two rows around it, with weights that decay by the factor `keep` per
/// step to both sides. The first row is overwritten.
fn sum_around(
    energies: &mut [Lanes],
    certain: &mut [Lanes],
    keep: f64,
    mut take: impl FnMut(usize, Lanes, Lanes),
) {
    let zero = Lanes::zeros();
    let mut before = (zero, zero);
    for (a, b) in energies.iter_mut().zip(certain.iter_mut()) {
        before = (before.0 * keep + *a, before.1 * keep + *b);
        (*a, *b) = before;
    }
    // Recovers a value from the running sums.
    let mut after = (zero, zero);
    for i in (0..energies.len()).rev() {
        let (a, b) = (energies[i], certain[i]);
        take(i, a + after.0, b + after.1);
        let (a0, b0) = match i {
            0 => (zero, zero),
            _ => (energies[i - 1] * keep, certain[i - 1] * keep),
        };
        after = ((after.0 + (a - a0)) * keep, (after.1 + (b - b0)) * keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_fall_to_both_sides_of_a_peak() {
        let mut peak = vec![Lanes::zeros(); 21];
        peak[10][1] = 1.0;
        let mut sums = [0.0; 21];
        let mut flat = vec![Lanes::repeat(1.0); 21];
        sum_around(&mut peak, &mut flat, 0.5, |i, peak, flat| {
            sums[i] = peak[1];
            assert_eq!(peak[0], 0.0);
            let exact = 3.0 - 0.5f64.powi(i as i32) - 0.5f64.powi(20 - i as i32);
            assert!((flat[0] - exact).abs() < 1e-12);
        });
        let exact = |i: usize| 0.5f64.powi(i.abs_diff(10) as i32);
        assert!((0..21).all(|i| (sums[i] - exact(i)).abs() < 1e-12));
    }

    #[test]
    fn noise_goes_and_a_step_stays() {
        // White noise of known size on a curve that stands, jumps and stands.
        let truth = |i: usize| if i < 150 { 0.0 } else { 1.0 };
        let mut state = 1u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
        };
        let size = 0.02;
        let noisy: Vec<f64> = (0..300).map(|i| truth(i) + size * 12f64.sqrt() * uniform()).collect();
        let rms = |values: &[[f64; 2]]| {
            let squares = values.iter().enumerate().map(|(i, v)| (v[0] - truth(i)).powi(2));
            (squares.sum::<f64>() / 300.0).sqrt()
        };
        let pair = |noisy: &[f64]| noisy.iter().enumerate().map(|(i, v)| [*v, truth(i)]).collect::<Vec<_>>();
        let before = rms(&pair(&noisy));
        for fps in [30.0, 120.0] {
            let mut curves = Curves::new(300);
            curves.add(noisy.iter().copied(), &[1.0; 300], size * size);
            curves.add((0..300).map(truth), &[1.0; 300], 0.0);
            curves.smooth(fps);
            let found: Vec<Vec<f64>> = curves.iter().take(2).map(Iterator::collect).collect();
            let smoothed: Vec<[f64; 2]> = (0..300).map(|i| [found[0][i], found[1][i]]).collect();
            // At the high rate the spline is softer by design, and its stiffness changes within fewer of all frames.
            let most = if fps > 60.0 { 0.85 } else { 0.55 };
            assert!(rms(&smoothed) < most * before, "{} of {before}", rms(&smoothed));
            assert!((smoothed[149][0] - 0.0).abs() < 0.1 && (smoothed[150][0] - 1.0).abs() < 0.1);
            // A curve without noise is unchanged.
            assert!(smoothed.iter().enumerate().all(|(i, v)| (v[1] - truth(i)).abs() < 1e-5));
        }
        let mut few = Curves::new(7);
        few.add(noisy[..7].iter().copied(), &[1.0; 7], size * size);
        few.smooth(30.0);
        assert_eq!(few.iter().next().unwrap().collect::<Vec<_>>(), noisy[..7]);
    }

    #[test]
    fn lanes_do_not_mix_and_unknown_values_do_not_count() {
        let curve = |k: usize| (0..40).map(move |i| ((i * (3 + k)) as f64 * 0.1).sin());
        // As many curves as lanes, and some: each order puts them into other packs.
        let smoothed = |order: &[usize], unknown: usize| {
            let mut curves = Curves::new(40);
            for k in order {
                let odd = curve(*k).enumerate().map(move |(i, v)| if i == unknown { 9.0 } else { v });
                let weights: Vec<f64> = (0..40).map(|i| if i == unknown { 0.0 } else { 1.0 }).collect();
                curves.add(odd, &weights, 1e-4);
            }
            curves.smooth(30.0);
            curves.iter().take(order.len()).map(Iterator::collect::<Vec<f64>>).collect::<Vec<_>>()
        };
        let (order, turned): (Vec<usize>, Vec<usize>) =
            ((0..11).collect(), (0..11).map(|k| (k + 4) % 11).collect());
        let (one, other) = (smoothed(&order, 99), smoothed(&turned, 99));
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-9);
        assert!(turned.iter().zip(&other).all(|(k, found)| near(found, &one[*k])));
        let gap = smoothed(&[0], 20);
        assert!((gap[0][20] - (20.0f64 * 0.3).sin()).abs() < 0.05, "{:?}", gap[0][20]);
    }
}
