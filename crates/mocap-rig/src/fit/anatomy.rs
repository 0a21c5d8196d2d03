//! Checks the arms that were found by the anatomy that all people share.
//!
//! A hand that touches the body opens a second way to the chest, on which nothing is where the search expects it.
//! Lengths as shares of the height: R. Drillis, R. Contini, "Body segment parameters", 1966.

use mocap_model::{Role, Vector3};

use super::arms::LEFT;
use super::landmark::Landmarks;
use super::upright::Upright;
use crate::RigError;

/// The thickest arm, by its cross-section about the elbow as a share of that of the trunk. Of people it is a tenth.
const THICKEST_ARM: f64 = 0.3;
/// The shortest and the longest forearm. That of the mean adult is 0.146.
const FOREARM: [f64; 2] = [0.1, 0.185];
/// The largest ratio of the lengths of both arms.
const UNEVEN: f64 = 1.15;
/// The least distance of a shoulder from the neck, to its side. That of the mean adult is 0.129.
const ASIDE: f64 = 0.03;
/// The confidence of joints that contradict anatomy.
const DOUBTFUL: f64 = 0.3;

/// Checks that the way from a hand leads through an arm: one through the trunk is several times as thick.
///
/// # Errors
/// [`RigError::NotHuman`].
pub(super) fn check_thickness(body: &Upright<'_>, side: &str, thickness: f64) -> Result<(), RigError> {
    let [chest, pelvis] = [body.ends.chest, body.ends.pelvis].map(|end| body.voxels.middle(end).y);
    let waist = body.cuts[body.level(0.5 * (chest + pelvis))].first();
    let Some(waist) = waist.filter(|waist| thickness > THICKEST_ARM * waist.area) else { return Ok(()) };
    let (side, percent) = (side.to_lowercase(), 100.0 * thickness / waist.area);
    let seen = format!(
        "the way from the {side} hand to the chest has {percent:.0} % of the trunk's cross-section, that through an arm has a tenth: hand or forearm may touch the body"
    );
    Err(RigError::NotHuman { seen })
}

/// Lowers the confidence of arms that no person has.
pub(super) fn doubt_arms(body: &Upright<'_>, neck: &Vector3<f64>, found: &mut Landmarks) {
    let place = |found: &Landmarks, role: Role| found.get(&role).map(|landmark| landmark.place);
    let mut lengths = Vec::new();
    for (sign, roles) in [(1.0, LEFT), (-1.0, LEFT.map(Role::mirrored))] {
        let [Some(shoulder), Some(elbow), Some(wrist)] =
            [1, 2, 3].map(|joint: usize| place(found, roles[joint]))
        else {
            continue;
        };
        let forearm = (elbow - wrist).norm();
        lengths.push((shoulder - elbow).norm() + forearm);
        if !(FOREARM[0]..=FOREARM[1]).contains(&forearm) {
            let [percent, least, most] = [forearm, FOREARM[0], FOREARM[1]].map(|share| 100.0 * share);
            let why = format!(
                "the forearm has {percent:.0} % of the height, that of people {least:.0} to {most:.0} %"
            );
            doubt(found, &roles, &why);
        }
        if !body.voxels.holds(&shoulder) {
            doubt(found, &roles[..2], "the shoulder would be outside the mesh");
        }
        if sign * (shoulder.x - neck.x) < ASIDE {
            doubt(found, &roles[..2], "the shoulder would be below the neck or on the other side");
        }
    }
    if let [left, right] = lengths[..] {
        let ratio = (left / right).max(right / left);
        if ratio > UNEVEN {
            let why = format!("one arm is {:.0} % longer than the other", 100.0 * (ratio - 1.0));
            doubt(found, &LEFT, &why);
            doubt(found, &LEFT.map(Role::mirrored), &why);
        }
    }
}

/// Lowers the confidence of joints, and says why.
fn doubt(found: &mut Landmarks, roles: &[Role], why: &str) {
    for role in roles {
        if let Some(landmark) = found.get_mut(role) {
            landmark.confidence = landmark.confidence.min(DOUBTFUL);
            landmark.reason = format!("{}; doubtful: {why}", landmark.reason);
        }
    }
}
