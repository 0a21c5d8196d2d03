//! Hips, knees, ankles and balls of the feet.

use mocap_model::{Role, Vector3};

use super::landmark::{Landmarks, put};
use super::sections::{MiddleLine, Piece, middle_line};
use super::upright::{STEP, Upright};
use crate::geodesic::Ways;
use crate::{RigError, Voxels};

/// Height of the hip joints above the crotch.
const HIP_ABOVE_CROTCH: f64 = 0.051;
/// Distance of the sacrum from the back, as a share of the depth of the pelvis.
const SACRUM: f64 = 0.145;
/// Distance of the hip joints behind the middle of the pelvis.
const HIP_BEHIND: f64 = 0.007;
/// Distance of the knees in front of the middle line of the leg.
const KNEE_AHEAD: f64 = 0.006;
/// Distance of the ankle below the thinnest cross-section of the shin.
const ANKLE_BELOW: f64 = 0.032;
/// The length of the thigh relative to the shin.
const THIGH: f64 = 0.98;
/// Height of the ankles above the sole.
const ANKLE_ABOVE_SOLE: f64 = 0.0435;
/// Distance of the ankles medial of the middle of that cross-section.
const ANKLE_INSIDE: f64 = 0.004;
/// Distance of the ankles in front of it.
const ANKLE_AHEAD: f64 = 0.003;
/// Distance of the balls of the feet lateral of the middle of the foot.
const BALL_OUTSIDE: f64 = 0.007;
/// Position of the ball of the foot between the ankle (0) and the end of the toes (1).
const BALL: f64 = 0.74;
const LEFT: [Role; 4] = [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot, Role::LeftToes];

/// Finds the legs; returns the position of the sacrum.
pub(super) fn find(body: &Upright<'_>, found: &mut Landmarks) -> Result<Vector3<f64>, RigError> {
    let Upright { voxels, ends, depths, cuts, .. } = body;
    let parted = crotch(cuts, body.level(0.25), body.level(0.65));
    let (crotch_level, confidence) = match parted {
        Some(level) => (level, 0.9),
        None => (body.level(voxels.middle(ends.pelvis).y), 0.3),
    };
    let crotch = body.height(crotch_level) + 0.5 * voxels.side;
    let hip_height = crotch + HIP_ABOVE_CROTCH;
    let pelvis = cuts[body.level(hip_height)]
        .first()
        .ok_or_else(|| RigError::NotHuman { seen: "nothing between legs and chest".into() })?;
    let why = match parted {
        Some(_) => format!("legs part at {:.1} % of the height", 100.0 * crotch),
        None => "legs do not part: by the ways to the feet".to_owned(),
    };
    let feet = body.by_side(ends.feet);
    for (side, foot) in [1.0f64, -1.0].into_iter().zip(feet) {
        let roles = if side > 0.0 { LEFT } else { LEFT.map(Role::mirrored) };
        let x = pelvis.middle.x + thigh_middle(cuts, crotch_level, pelvis, side);
        let hip = Vector3::new(x, hip_height, pelvis.middle.z - HIP_BEHIND);
        put(found, roles[0], hip, confidence, why.clone());
        let ways = Ways::new(voxels, &[(foot, 0.0)]);
        let line = middle_line(voxels, depths, &ways, ends.pelvis, STEP);
        let leg = (hip - voxels.middle(foot)).norm();
        let (ankle, area) = ankle(voxels, &ways, &line, leg);
        let ankle = above_sole(voxels, &ways, ankle, leg);
        let ankle = ankle + Vector3::new(-side * ANKLE_INSIDE, 0.0, ANKLE_AHEAD);
        // The knee divides the leg in the ratio of thigh and shin.
        let knee = line
            .places
            .iter()
            .zip(&line.far)
            .filter(|(_, far)| **far > 0.3 * leg && **far < 0.9 * leg)
            .map(|(place, _)| ((place - hip).norm() - THIGH * (place - ankle).norm(), *place))
            .min_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))
            .map_or((hip + ankle) * 0.5, |(_, place)| place);
        let knee = knee + Vector3::z() * KNEE_AHEAD;
        put(found, roles[1], knee, confidence, "on the middle line, halfway between hip and ankle");
        let cut = 100.0 * area.sqrt();
        put(
            found,
            roles[2],
            ankle,
            0.9,
            format!("below the thinnest cut of the shin, {cut:.1} % of the height across"),
        );
        let toes = ball(voxels, &ways, &ankle, &voxels.middle(foot)) + Vector3::x() * (side * BALL_OUTSIDE);
        put(found, roles[3], toes, 0.8, "in the middle of the foot, between ankle and end of the toes");
    }
    let depth = pelvis.high.z - pelvis.low.z;
    let sacrum = Vector3::new(pelvis.middle.x, hip_height + 0.003, pelvis.low.z + SACRUM * depth);
    put(found, Role::Hips, sacrum, confidence, "at the sacrum, above the hip joints");
    Ok(sacrum)
}

/// The ankle with its height averaged with the usual height above the sole.
fn above_sole(voxels: &Voxels, ways: &Ways, ankle: Vector3<f64>, leg: f64) -> Vector3<f64> {
    let foot = (0..voxels.len()).filter(|at| ways.far[*at] < 0.3 * leg).map(|at| voxels.middle(at).y);
    let sole = foot.fold(f64::INFINITY, f64::min) - 0.5 * voxels.side;
    let off = sole + ANKLE_ABOVE_SOLE - ankle.y;
    // Only if they are close: the foot of a swinging leg may point down.
    if off.abs() < 0.02 { ankle + Vector3::y() * (0.5 * off) } else { ankle }
}

/// The ball of a foot, which ends at `tip`: in the middle of its width.
fn ball(voxels: &Voxels, ways: &Ways, ankle: &Vector3<f64>, tip: &Vector3<f64>) -> Vector3<f64> {
    let place = ankle + (tip - ankle) * BALL;
    let level = |way: Vector3<f64>| Vector3::new(way.x, 0.0, way.z);
    let Some(ahead) = level(tip - ankle).try_normalize(1e-9) else { return place };
    let across = Vector3::y().cross(&ahead);
    let length = level(tip - ankle).norm();
    let cut = (0..voxels.len())
        .filter(|at| ways.far[*at] < 1.5 * length)
        .map(|at| voxels.middle(at) - place)
        .filter(|way| way.dot(&ahead).abs() < 1.5 * voxels.side)
        .map(|way| way.dot(&across));
    let (sum, count) = cut.fold((0.0, 0.0), |(sum, count), aside| (sum + aside, count + 1.0));
    if count > 0.0 { place + across * (sum / count) } else { place }
}

/// The distance of the middle of a thigh from that of the pelvis, just below the crotch.
fn thigh_middle(cuts: &[Vec<Piece>], crotch_level: usize, pelvis: &Piece, side: f64) -> f64 {
    let of_side = |level: usize| {
        let pieces = cuts[level].iter().take(2);
        pieces.map(|piece| piece.middle.x - pelvis.middle.x).find(|x| x * side > 0.0)
    };
    let all: Vec<f64> = (crotch_level.saturating_sub(2)..=crotch_level).filter_map(of_side).collect();
    if all.is_empty() { 0.06 * side } else { all.iter().sum::<f64>() / all.len() as f64 }
}

/// The highest level at which the two largest pieces are legs.
fn crotch(cuts: &[Vec<Piece>], from: usize, to: usize) -> Option<usize> {
    let parted = |level: &usize| match &cuts[*level][..] {
        [a, b, ..] => {
            let apart = a.low.x.max(b.low.x) > a.high.x.min(b.high.x) - 0.02;
            b.area > 0.35 * a.area && apart
        }
        _ => false,
    };
    let first = (from..=to).find(parted)?;
    // Small bridges, such as fingers at the thigh, are ignored.
    (first..=to)
        .take_while(|level| (*level..(*level + 3).min(to + 1)).any(|level| parted(&level)))
        .filter(parted)
        .last()
}

/// The ankle, below the thinnest cross-section of the shin, and the area of that section.
fn ankle(voxels: &Voxels, ways: &Ways, line: &MiddleLine, leg: f64) -> (Vector3<f64>, f64) {
    let (upper, lower) = (line.at(0.52 * leg), line.at(0.34 * leg));
    let axis = (lower - upper).try_normalize(1e-9).unwrap_or_else(|| -Vector3::y());
    let step = voxels.side;
    let count = (0.5 * leg / step) as usize;
    let mut sums = vec![(Vector3::zeros(), 0.0f64); count];
    for at in 0..voxels.len() {
        if !ways.far[at].is_finite() || ways.far[at] >= 0.6 * leg {
            continue;
        }
        let way = voxels.middle(at) - lower;
        let along = way.dot(&axis);
        let bin = (along / step).floor();
        if bin >= 0.0 && (bin as usize) < count && (way - axis * along).norm() < 0.07 {
            sums[bin as usize].0 += voxels.middle(at);
            sums[bin as usize].1 += 1.0;
        }
    }
    let smooth = |bin: usize| {
        let range = bin.saturating_sub(1)..(bin + 2).min(count);
        let number = range.len() as f64;
        sums[range].iter().map(|sum| sum.1).sum::<f64>() / number
    };
    // The shin ends where the foot widens, or at the last section.
    let end = (0..count).find(|bin| sums[*bin].1 == 0.0).unwrap_or(count);
    let within = (0..end).filter(|bin| *bin + (0.035 / step) as usize <= end);
    let Some(bin) = within.min_by(|a, b| smooth(*a).total_cmp(&smooth(*b))) else {
        return (lower + axis * (0.2 * leg), 0.0);
    };
    let middle = sums[bin].0 / sums[bin].1;
    (middle + axis * ANKLE_BELOW, smooth(bin) * step * step)
}
