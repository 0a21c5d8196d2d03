//! Shoulders, elbows, wrists and fingers.

use mocap_model::{Role, Vector3};

use super::anatomy::{self, LEFT};
use super::fingers;
use super::hands::by_proportions;
use super::landmark::{Landmarks, put};
use super::sections::{MiddleLine, middle_line};
use super::upright::{STEP, Upright};
use crate::RigError;
use crate::geodesic::Ways;

/// Distance of the wrist beyond the thinnest cross-section of the forearm.
const WRIST_BEYOND: f64 = 0.008;
/// The length of the upper arm relative to the forearm.
const UPPER_ARM: f64 = 1.03;
/// The share of an upper arm of usual length in which the middle line shows its axis.
const WITHIN_UPPER_ARM: f64 = 0.85;
/// Distance of the shoulders below the base of the neck.
const SHOULDER_BELOW_NECK: f64 = 0.058;
/// Height of the start of the clavicle between shoulder (0) and neck (1).
const CLAVICLE: f64 = 0.3;
/// Distance of elbows behind the middle line of a bent arm.
const ELBOW_BEHIND: f64 = 0.005;
/// An arm is lowered if the axis of its upper arm rises by more than this towards the shoulder.
const LOWERED: f64 = 0.6;
/// An arm merges into the trunk where its cross-section is this many times the median.
const GROWS: f64 = 2.0;
/// Distance of the shoulder of a lowered arm beyond that place.
const BEYOND_GROWN: f64 = 0.016;
/// Its weight, relative to the prediction from the forearm.
const GROWN: f64 = 0.7;
/// Largest ratio between the length of an upper arm and its prediction from the forearm.
const UNEVEN: f64 = 1.15;
/// For arms that are not lowered: distance of the shoulder beyond the armpit.
const BEYOND_ARMPIT: f64 = 0.018;
/// Its weight.
const ARMPIT: f64 = 0.75;
/// The largest distance by which it moves the shoulder.
const ASIDE: f64 = 0.04;
/// Range of distances from the middle in which an armpit is searched.
const ARMPITS: [f64; 2] = [0.04, 0.2];
/// Range below and above the chest in which the side of the trunk is measured.
const SIDE: f64 = 0.16;
/// Arms start at least this far above the lower end of that range.
const ABOVE_TRUNK: f64 = 0.03;
/// Weight of the arm's axis, relative to the neck, for the height of the shoulder: of a lowered arm, and of others.
const AXIS: [f64; 2] = [0.25, 0.7];
/// Range of distances from the fingertips in which the palm, the thickest cross-section of a hand, is searched.
const PALM: [f64; 2] = [0.03, 0.1];
/// Distance of the wrist beyond the palm.
const WRIST: f64 = 0.07;
/// If a limb is bent by more than this, the joint is at the intersection of both bones' axes \[rad\].
const BENT: f64 = 0.35;
/// The length of a forearm, and its standard deviation.
const FOREARM: [f64; 2] = [0.14, 0.02];
/// The longest hand.
const HAND: f64 = 0.18;
/// The share of the way from a hand to the chest at which it is in the upper arm.
const UPPER_PART: f64 = 0.75;

/// Finds the arms of a body whose neck starts at `neck`. Returns whether fingers are detected on the left and on the
/// right.
///
/// # Errors
/// [`RigError::NotHuman`] where the way from a hand does not lead through an arm.
pub(super) fn find(
    body: &Upright<'_>,
    neck: &Vector3<f64>,
    found: &mut Landmarks,
) -> Result<[bool; 2], RigError> {
    let Upright { mesh, voxels, ends, depths, .. } = body;
    let neighbours = mesh.neighbours();
    let mut are_seen = [false; 2];
    let mut limbs = ends.hands.map(|hand| {
        let ways = Ways::new(voxels, &[(hand, 0.0)]);
        let line = middle_line(voxels, depths, &ways, ends.chest, STEP);
        (ways, line)
    });
    // A hand may be on the other side of the body, an upper arm is not.
    let x = |line: &MiddleLine| line.at(UPPER_PART * line.far.last().copied().unwrap_or_default()).x;
    if x(&limbs[0].1) < x(&limbs[1].1) {
        limbs.swap(0, 1);
    }
    for (side, (ways, line)) in ["Left", "Right"].into_iter().zip(&limbs) {
        let mut arm = arm(line);
        anatomy::check_thickness(body, side, arm.thickness)?;
        arm.shoulder = shoulder(body, &arm, neck, if side == "Left" { 1.0 } else { -1.0 });
        put_arm(found, side, &arm, neck);
        let beyond = |at: &Vector3<f64>| (at - arm.wrist).dot(&(arm.wrist - arm.elbow)) > 0.0;
        let places = (0..voxels.len()).filter(|at| ways.far[*at] < HAND).map(|at| voxels.middle(at));
        let places: Vec<Vector3<f64>> = places.filter(beyond).collect();
        // Fingers that are not detected are placed by the proportions of hands, for templates that have them.
        found.extend(by_proportions(side, &arm.wrist, &places));
        if let Some(seen) = fingers::seen(mesh, &neighbours, side, [&arm.elbow, &arm.wrist]) {
            found.extend(seen);
            are_seen[usize::from(side == "Right")] = true;
        }
    }
    anatomy::doubt_arms(body, neck, found);
    Ok(are_seen)
}

/// Adds the joints of an arm.
fn put_arm(found: &mut Landmarks, side: &str, arm: &Arm, neck: &Vector3<f64>) {
    let roles = if side == "Left" { LEFT } else { LEFT.map(Role::mirrored) };
    put(found, roles[3], arm.wrist, 0.85, "beyond the thinnest cut of the forearm");
    let why = match arm.bend > BENT {
        true => format!("where forearm and upper arm meet, at {:.0}°", arm.bend.to_degrees()),
        false => "on the middle line, by the length of a forearm".to_owned(),
    };
    put(found, roles[2], arm.elbow, arm.confidence, why);
    let why = "on the axis of the upper arm, by the armpit and the height of the neck";
    put(found, roles[1], arm.shoulder, arm.confidence * 0.9, why);
    let height = arm.shoulder.y + CLAVICLE * (neck.y - arm.shoulder.y);
    let base = Vector3::new(neck.x, height, 0.5 * (neck.z + arm.shoulder.z));
    let clavicle = base + (arm.shoulder - base) * 0.15;
    put(found, roles[0], clavicle, 0.7 * arm.confidence, "where the clavicle begins");
}

/// The shoulder of an arm, on the side of the body given by `sign`.
fn shoulder(body: &Upright<'_>, arm: &Arm, neck: &Vector3<f64>, sign: f64) -> Vector3<f64> {
    let Some(axis) = (arm.shoulder - arm.on_axis).try_normalize(1e-9) else { return arm.shoulder };
    let is_lowered = axis.y > LOWERED;
    let mut place = arm.shoulder;
    if is_lowered {
        // The ratio of upper arm and forearm differs between people, so the place where the arm merges into the trunk
        // has more weight.
        let by_forearm = (arm.shoulder - arm.on_axis).norm();
        let length =
            arm.grown.map_or(by_forearm, |grown| GROWN * (grown + BEYOND_GROWN) + (1.0 - GROWN) * by_forearm);
        let length = length.clamp(by_forearm / UNEVEN, by_forearm * UNEVEN);
        place = arm.on_axis + axis * length;
    } else if let Some(armpit) = armpit(body, sign) {
        let x = armpit + BEYOND_ARMPIT * sign;
        place.x += (ARMPIT * (x - place.x)).clamp(-ASIDE, ASIDE);
    }
    // The axis of a lowered arm is a poor predictor of the height of the shoulder.
    let by_axis = if is_lowered { AXIS[0] } else { AXIS[1] };
    place.y = by_axis * place.y + (1.0 - by_axis) * (neck.y - SHOULDER_BELOW_NECK);
    place
}

/// The distance of the armpit from the middle of the body, for an arm that is not lowered.
fn armpit(body: &Upright<'_>, sign: f64) -> Option<f64> {
    let Upright { voxels, ends, .. } = body;
    let chest = voxels.middle(ends.chest);
    let count = ((ARMPITS[1] - ARMPITS[0]) / voxels.side) as usize;
    let mut lowest = vec![f64::INFINITY; count];
    for at in (0..voxels.len()).filter(|at| voxels.inside[*at]) {
        let place = voxels.middle(at);
        let column = (sign * (place.x - chest.x) - ARMPITS[0]) / voxels.side;
        if column >= 0.0 && (column as usize) < count && place.y > chest.y - SIDE && place.y < chest.y + SIDE
        {
            let lowest = &mut lowest[column as usize];
            *lowest = lowest.min(place.y);
        }
    }
    let is_arm =
        |column: &usize| lowest[*column] > chest.y - SIDE + ABOVE_TRUNK && lowest[*column].is_finite();
    let column = (0..count).find(is_arm)?;
    Some(chest.x + sign * (ARMPITS[0] + column as f64 * voxels.side))
}

/// The middle between the nearest points of two lines; `None` for parallel ones.
fn crossing(
    a: &Vector3<f64>,
    along_a: &Vector3<f64>,
    b: &Vector3<f64>,
    along_b: &Vector3<f64>,
) -> Option<Vector3<f64>> {
    let (u, v) = (along_a.try_normalize(1e-12)?, along_b.try_normalize(1e-12)?);
    let cosine = u.dot(&v);
    let flat = 1.0 - cosine * cosine;
    if flat < 1e-3 {
        return None;
    }
    let way = b - a;
    let on_a = (way.dot(&u) - way.dot(&v) * cosine) / flat;
    let on_b = (way.dot(&u) * cosine - way.dot(&v)) / flat;
    Some((a + u * on_a + b + v * on_b) * 0.5)
}

struct Arm {
    wrist: Vector3<f64>,
    elbow: Vector3<f64>,
    /// The elbow projected on the axis of the upper arm, which passes inside the joint of a bent arm.
    on_axis: Vector3<f64>,
    shoulder: Vector3<f64>,
    /// The distance from the elbow at which it merges into the trunk.
    grown: Option<f64>,
    /// The angle between forearm and upper arm, 0 where they are straight [rad].
    bend: f64,
    /// The median area of its cross-sections about the elbow.
    thickness: f64,
    confidence: f64,
}

/// The joints of an arm on its middle line.
fn arm(line: &MiddleLine) -> Arm {
    let last = line.far.last().copied().unwrap_or_default();
    let palm = line.thickest(PALM[0], PALM[1]);
    let thin = line.thinnest(palm, (palm + WRIST).min(0.45 * last));
    let wrist_far = (thin - WRIST_BEYOND).max(0.0);
    let wrist = line.at(wrist_far);
    // The arm ends where its cross-section merges into the trunk.
    let median = {
        let mut areas: Vec<f64> = (0..line.far.len())
            .filter(|at| line.far[*at] > wrist_far + 0.06 && line.far[*at] < wrist_far + 0.2)
            .map(|at| line.areas[at])
            .collect();
        areas.sort_by(f64::total_cmp);
        areas.get(areas.len() / 2).copied().unwrap_or(f64::INFINITY)
    };
    let ends = (0..line.far.len())
        .find(|at| line.far[*at] > wrist_far + 0.16 && line.areas[*at] > 1.6 * median)
        .map_or(last, |at| line.far[at]);
    let grows = (1..line.far.len())
        .find(|at| line.far[*at] > wrist_far + 0.16 && line.areas[*at] > GROWS * median)
        .map(|at| {
            let (before, after) = (line.areas[at - 1], line.areas[at]);
            let share = ((GROWS * median - before) / (after - before).max(1e-12)).clamp(0.0, 1.0);
            line.far[at - 1] + (line.far[at] - line.far[at - 1]) * share
        });
    // What lies further than a shoulder is the trunk, in which the middle line turns to the chest: that corner is no
    // elbow.
    let longest = wrist_far + FOREARM[0] * (1.0 + WITHIN_UPPER_ARM * UPPER_ARM);
    let armpit = (ends - 0.025).min(longest).max(wrist_far + 0.17);
    let upper_end = line.at(armpit);
    let points: Vec<(f64, Vector3<f64>)> = line
        .far
        .iter()
        .zip(&line.places)
        .filter(|(far, _)| **far > wrist_far && **far < armpit)
        .map(|(far, place)| (*far, *place))
        .collect();
    let off = |a: &Vector3<f64>, b: &Vector3<f64>, at: &Vector3<f64>| {
        let way = b - a;
        let along = ((at - a).dot(&way) / way.norm_squared().max(1e-12)).clamp(0.0, 1.0);
        (a + way * along - at).norm_squared()
    };
    let cost = |far: f64| {
        let elbow = line.at(far);
        let residual: f64 = points
            .iter()
            .map(
                |(at, place)| {
                    if *at < far { off(&wrist, &elbow, place) } else { off(&elbow, &upper_end, place) }
                },
            )
            .sum::<f64>()
            / points.len().max(1) as f64;
        let unusual = ((elbow - wrist).norm() - FOREARM[0]) / FOREARM[1];
        residual + unusual * unusual * 4e-6
    };
    let steps =
        (0..60).map(|step| wrist_far + 0.08 + 0.0025 * f64::from(step)).filter(|far| *far < armpit - 0.02);
    let far = steps.min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(wrist_far + FOREARM[0]);
    let elbow = line.at(far);
    // The axis of the upper arm, without its ends, where the middle line cuts corners.
    let upper = |share: f64| line.at(far + share * (armpit - far));
    let axis = (upper(1.0) - upper(0.2)).try_normalize(1e-9);
    let axis = axis.or_else(|| (elbow - wrist).try_normalize(1e-9)).unwrap_or_default();
    let lower = line.at(far - 0.03) - line.at(wrist_far + 0.01);
    let bend = axis.angle(&lower);
    let elbow = match crossing(&wrist, &lower, &upper(0.2), &axis).filter(|_| bend > BENT) {
        // The middle line cuts the corner.
        Some(meets) if (meets - elbow).norm() < 0.03 => meets,
        _ => elbow,
    };
    // A bent arm has the corner of its elbow on the outer side only.
    let outwards = (elbow - (wrist + upper_end) * 0.5).try_normalize(1e-9).unwrap_or_default();
    let on_axis = elbow;
    let elbow = if bend > BENT { elbow + outwards * ELBOW_BEHIND } else { elbow };
    let shoulder = on_axis + axis * (UPPER_ARM * (on_axis - wrist).norm());
    let grown = grows.map(|grows| grows - far);
    let confidence = if bend > BENT { 0.85 } else { 0.65 };
    Arm { wrist, elbow, on_axis, shoulder, grown, bend, thickness: median, confidence }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The middle line of a straight arm that points ahead: a hand, a forearm and an upper arm, then through the thin
    /// shoulder across to the chest.
    fn straight(forearm: f64, shoulder: f64) -> MiddleLine {
        let reach = 0.1 + forearm + UPPER_ARM * forearm;
        let mut line = MiddleLine { far: Vec::new(), places: Vec::new(), areas: Vec::new() };
        for step in 0..((reach + shoulder) / STEP) as usize {
            let far = (step as f64 + 0.5) * STEP;
            let across = (far - reach).max(0.0);
            line.far.push(far);
            line.places.push(Vector3::new(shoulder - across, 0.8, reach - far.min(reach)));
            line.areas.push(match far {
                ..0.09 => 0.001,
                ..0.12 => 0.0005,
                _ if across < 0.06 => 0.0015,
                _ => 0.01,
            });
        }
        line
    }

    #[test]
    fn the_corner_at_the_shoulder_of_an_arm_straight_ahead_is_no_elbow() {
        for forearm in [0.13, 0.14, 0.15] {
            let found = arm(&straight(forearm, 0.11));
            let elbow = UPPER_ARM * forearm;
            let off =
                [found.elbow - Vector3::new(0.11, 0.8, elbow), found.shoulder - Vector3::new(0.11, 0.8, 0.0)]
                    .map(|off| off.norm());
            assert!(off[0] < 0.025 && off[1] < 0.05, "{forearm}: elbow and shoulder are off by {off:?}");
            assert!(found.bend < 0.1, "{forearm}: bent by {}", found.bend);
        }
    }
}
