//! Finds the points of an arm near a field; clusters that are too far are skipped as a whole.

use super::body_surface::ArmPoints;
use mocap_model::Vector3;
use mocap_skin::{FieldHit, Near, PosedField};

/// Factor by which a bent joint may bring points nearer to a surface than the field at rest shows.
const BENT: f64 = 1.3;

/// Calls `take` for each point that is nearer than `within` to a field, with its index. `places` are the posed
/// points; `carriers` are the parts of the field that may be near.
pub(crate) fn each_near(
    points: &ArmPoints,
    places: &[Vector3<f64>],
    (field, carriers): (&PosedField<'_>, &Near),
    within: f64,
    mut take: impl FnMut(usize, FieldHit),
) {
    for cluster in &points.clusters {
        let own = &places[cluster.clone()];
        let middle = own.iter().sum::<Vector3<f64>>() / own.len() as f64;
        let radius = own.iter().map(|at| (at - middle).norm_squared()).fold(0.0, f64::max).sqrt();
        let reach = BENT * (radius + within);
        let carriers = field.near_of(carriers, &middle, reach);
        if carriers.is_empty() {
            continue;
        }
        let hit = field.at_near(&middle, reach, &carriers);
        if hit.is_some_and(|hit| hit.distance > reach) {
            continue;
        }
        for (number, at) in cluster.clone().zip(own) {
            if let Some(hit) = field.at_near(at, within, &carriers).filter(|hit| hit.distance < within) {
                take(number, hit);
            }
        }
    }
}
