//! Checks limbs that were found by the anatomy that all people share.
//!
//! A hand that touches the body opens a second way to the chest, on which nothing is where the search expects it.
//! Lengths as shares of the height: R. Drillis, R. Contini, "Body segment parameters", 1966.

use mocap_model::{Role, Vector3};

use super::landmark::Landmarks;
use super::upright::Upright;
use crate::RigError;

/// The joints of the left arm.
pub(super) const LEFT: [Role; 4] =
    [Role::LeftShoulder, Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand];
/// The thickest arm, by its cross-section about the elbow as a share of that of the trunk. Of people it is a tenth.
const THICKEST_ARM: f64 = 0.3;
/// The shortest and the longest forearm. That of the mean adult is 0.146.
const FOREARM: [f64; 2] = [0.1, 0.18];
/// The largest ratio of the lengths of both arms.
const UNEVEN_ARMS: f64 = 1.15;
/// The same of legs, whose ends are found more exactly.
const UNEVEN_LEGS: f64 = 1.12;
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
    for (sign, roles) in [(1.0, LEFT), (-1.0, LEFT.map(Role::mirrored))] {
        let [Some(shoulder), Some(elbow), Some(wrist)] =
            [1, 2, 3].map(|joint: usize| place(found, roles[joint]))
        else {
            continue;
        };
        let forearm = (elbow - wrist).norm();
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
    doubt_uneven(found, "arm", &LEFT[1..], &LEFT, UNEVEN_ARMS);
}

/// Lowers the confidence of legs that no person has.
pub(super) fn doubt_legs(found: &mut Landmarks) {
    let left = [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot];
    doubt_uneven(found, "leg", &left, &left, UNEVEN_LEGS);
}

/// Lowers the confidence of the joints `doubted` on both sides where the limbs through the joints `left` and their
/// counterparts have different lengths.
fn doubt_uneven(found: &mut Landmarks, limb: &str, left: &[Role], doubted: &[Role], most: f64) {
    let length = |roles: Vec<Role>| {
        let places: Option<Vec<_>> = roles.iter().map(|role| Some(found.get(role)?.place)).collect();
        places.map(|places| places.windows(2).map(|ends| (ends[1] - ends[0]).norm()).sum::<f64>())
    };
    let mirrored = |roles: &[Role]| roles.iter().map(|role| role.mirrored()).collect::<Vec<_>>();
    let (Some(one), Some(other)) = (length(left.to_vec()), length(mirrored(left))) else { return };
    let ratio = (one / other).max(other / one);
    if ratio > most {
        let why = format!("one {limb} is {:.0} % longer than the other", 100.0 * (ratio - 1.0));
        doubt(found, doubted, &why);
        doubt(found, &mirrored(doubted), &why);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::landmark::put;

    /// Legs of which the left one has this length relative to the right one.
    fn legs(ratio: f64) -> Landmarks {
        let mut found = Landmarks::new();
        put(&mut found, Role::Neck, Vector3::new(0.0, 0.85, 0.0), 0.9, "neck");
        for (sign, long) in [(1.0, ratio), (-1.0, 1.0)] {
            let named = |role: Role| if sign > 0.0 { role } else { role.mirrored() };
            for (role, down) in
                [(Role::LeftUpperLeg, 0.0), (Role::LeftLowerLeg, 0.23), (Role::LeftFoot, 0.45)]
            {
                let place = Vector3::new(0.06 * sign, 0.5 - down * long, 0.0);
                put(&mut found, named(role), place, 0.9, "leg");
            }
        }
        found
    }

    #[test]
    fn legs_of_unequal_lengths_are_doubtful() {
        for (ratio, is_doubtful) in [(1.0, false), (1.05, false), (0.95, false), (1.2, true), (0.8, true)] {
            let mut found = legs(ratio);
            doubt_legs(&mut found);
            for (role, landmark) in &found {
                let lowered = landmark.confidence < 0.35;
                assert_eq!(lowered, is_doubtful && *role != Role::Neck, "{ratio}: {role}");
                assert_eq!(lowered, landmark.reason.contains("longer than the other"), "{}", landmark.reason);
            }
        }
    }
}
