//! Frames in which a body rests on other parts than its feet: it sits, kneels, lies, or leans on its hands. What the
//! soles carry then says nothing about balance.

/// Heights of joints above the floor, in any unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointHeights {
    /// Between the hip joints.
    pub hips: f64,
    /// Left and right knee.
    pub knees: [f64; 2],
    /// Left and right wrist; infinite without one.
    pub hands: [f64; 2],
}

/// Whether a body with legs of this length, in the unit of the heights, rests on hips, knees or hands.
///
/// ```
/// use mocap_analysis::{JointHeights, rests_off_feet};
///
/// let stands = JointHeights { hips: 0.9, knees: [0.48; 2], hands: [0.8; 2] };
/// assert!(!rests_off_feet(&stands, 0.8));
/// let sits = JointHeights { hips: 0.5, knees: [0.5; 2], hands: [0.7; 2] };
/// assert!(rests_off_feet(&sits, 0.8));
/// ```
pub fn rests_off_feet(heights: &JointHeights, leg: f64) -> bool {
    /// Thighs of somebody who sits are level, or rise to the knees: with the flesh under them, as a share of the leg.
    const SEAT: f64 = 0.1;
    /// A hip joint of somebody who lies, or sits on the floor, is this low, as a share of the leg.
    const LYING: f64 = 0.25;
    /// A knee or wrist this low is on the floor, as a share of the leg.
    const KNEE: f64 = 0.2;
    const WRIST: f64 = 0.15;
    let [left, right] = heights.knees;
    heights.hips < (left.min(right) + SEAT * leg).max(LYING * leg)
        || left.min(right) < KNEE * leg
        || heights.hands.iter().any(|hand| *hand < WRIST * leg)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sits_kneels_lies_or_leans_on_a_hand_rests_on_other_parts() {
        let rests = |hips: f64, knees: [f64; 2], hands: [f64; 2]| {
            let of = |leg: f64| {
                let heights = JointHeights {
                    hips: hips * leg,
                    knees: knees.map(|knee| knee * leg),
                    hands: hands.map(|hand| hand * leg),
                };
                rests_off_feet(&heights, leg)
            };
            // The size of the body does not matter.
            assert_eq!(of(0.8), of(0.2));
            of(0.8)
        };
        let hang = [0.9; 2];
        assert!(!rests(1.1, [0.6; 2], hang), "stands");
        assert!(!rests(1.0, [0.6, 1.05], hang), "stands on one leg");
        assert!(!rests(0.85, [0.6; 2], [f64::INFINITY; 2]), "bends its knees, without arms");
        assert!(rests(0.62, [0.6; 2], hang), "sits");
        assert!(rests(0.15, [0.12, 0.1], [0.3; 2]), "lies");
        assert!(rests(0.15, [0.5; 2], [0.3; 2]), "sits on the floor");
        assert!(rests(0.65, [0.1, 0.6], hang), "kneels on one knee");
        assert!(rests(1.0, [0.6; 2], [0.05, 0.9]), "leans on a hand");
    }
}
