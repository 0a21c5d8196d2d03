//! How far knees and elbows fold: goals that would fold a limb flat are softened.

use crate::body::LimbKind;
use mocap_model::Vector3;

/// Limits of an elbow's fold: least angle between its bones, and the angle below which goals are softened
/// \[rad\].
const FOLDED_ELBOW: (f64, f64) = (0.44, 0.79);
/// The same for a knee, which folds further: people squat on their heels \[rad\].
const FOLDED_KNEE: (f64, f64) = (0.3, 0.5);

/// A goal at the limb's present tip position must not count as folding. Distances that differ by less than this
/// share are equal.
const ROUNDING: f64 = 1e-12;

/// Distances from first joint to tip at the greatest fold, and at the fold from which goals are softened [units
/// of the target].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Folding {
    hard: f64,
    soft: f64,
}

impl Folding {
    /// Of a limb whose bones have these lengths.
    pub(crate) fn new(kind: LimbKind, upper: f64, lower: f64) -> Folding {
        let span =
            |angle: f64| (upper * upper + lower * lower - 2.0 * upper * lower * angle.cos()).max(0.0).sqrt();
        let (hard, soft) = match kind {
            LimbKind::Arm => FOLDED_ELBOW,
            LimbKind::Leg => FOLDED_KNEE,
        };
        Folding { hard: span(hard), soft: span(soft) }
    }

    /// Whether a goal may need softening; `square` is its squared distance from the first joint.
    #[inline]
    pub(crate) fn softens(&self, square: f64) -> bool {
        square < self.soft * self.soft
    }

    /// Moves a goal away from the first joint if it is so near that the limb would fold flat. A limb may always
    /// fold as far as it does now. Goal and tip are relative to the first joint.
    #[inline]
    pub(crate) fn softened(&self, goal: &Vector3<f64>, tip: &Vector3<f64>) -> Option<Vector3<f64>> {
        if !self.softens(goal.norm_squared()) {
            return None;
        }
        let near = self.soft.min(tip.norm());
        let least = self.hard * (near / self.soft.max(f64::MIN_POSITIVE));
        let distance = goal.norm();
        if distance >= near * (1.0 - ROUNDING) || near <= least {
            return None;
        }
        let soft = least + (near - least) * ((distance - near) / (near - least)).exp();
        let direction = goal.try_normalize(0.0).or(tip.try_normalize(0.0));
        direction.map(|direction| direction * soft)
    }
}
