//! Hands of the source on the floor, where they carry the body: in push-ups, crawling and handstands.

use nalgebra::Point3;

/// A wrist that is lower may have its hand on the floor, as a share of the leg; toes may be in the floor by a third of it.
const LOW: f64 = 0.25;
/// It has while it is this near to where it is lowest, as a share of the leg: 4 cm of a person.
const LIFTED: f64 = 0.05;
/// The shoulder of an arm that presses on the floor is above the wrist by this share of the arm.
const ABOVE: f64 = 0.2;
/// A hand that is slower along the floor stays in place [arm lengths/s]: 0.15 m/s of a person.
const STILL: f64 = 0.27;
/// Shorter contacts are hands that pass by \[s\].
const SHORTEST: f64 = 0.1;
/// Hips that are lower carry the body themselves, as a share of the leg.
const SITS: f64 = 0.25;

/// Whether a hand presses on the floor, and whether it stays in place there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HandContact {
    pub(crate) presses: bool,
    pub(crate) stays: bool,
}

/// Where an arm of the source begins and ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arm {
    pub(crate) shoulder: Point3<f64>,
    pub(crate) wrist: Point3<f64>,
    /// Along the bones \[m\].
    pub(crate) length: f64,
}

/// A body that may lean on its hands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaning {
    /// Height of the hips above the floor \[m\].
    pub(crate) hips: f64,
    /// Whether the trunk is upright: such a body squats, and does not lean on its hands.
    pub(crate) is_upright: bool,
    /// Left before right; `None` without arms.
    pub(crate) arms: Option<[Arm; 2]>,
}

/// By frame: the contacts of both hands. `floor` is its height, `leg` the length of a leg \[m\].
pub(crate) fn hand_contacts(raw: &[Leaning], floor: f64, leg: f64, fps: f64) -> Vec<[HandContact; 2]> {
    let mut found = vec![[HandContact::default(); 2]; raw.len()];
    for hand in 0..2 {
        let arm = |frame: usize| raw[frame].arms.map(|arms| arms[hand]);
        let presses = |frame: usize| {
            let carried = !raw[frame].is_upright && raw[frame].hips >= SITS * leg;
            carried
                && arm(frame).is_some_and(|Arm { shoulder, wrist, length }| {
                    wrist.z - floor < LOW * leg && shoulder.z - wrist.z > ABOVE * length
                })
        };
        let stays = |frame: usize| {
            let ends = [frame.saturating_sub(1), (frame + 1).min(raw.len() - 1)];
            let [Some(from), Some(to)] = ends.map(arm) else { return false };
            let seconds = (ends[1] - ends[0]).max(1) as f64 / fps;
            (to.wrist - from.wrist).xy().norm() / seconds < STILL * to.length
        };
        let height = |frame: usize| arm(frame).map_or(f64::INFINITY, |arm| arm.wrist.z);
        let mut heights: Vec<f64> = (0..raw.len()).filter(|frame| presses(*frame)).map(height).collect();
        heights.sort_by(f64::total_cmp);
        let lowest = heights.get(heights.len() / 20).copied().unwrap_or(f64::INFINITY);
        let is_down = |frame: usize| presses(frame) && height(frame) < lowest + LIFTED * leg;
        let pressed: Vec<bool> = (0..raw.len()).map(is_down).collect();
        for run in mocap_analysis::runs(&pressed).into_iter().filter(|run| run.len() as f64 >= SHORTEST * fps)
        {
            run.for_each(|frame| found[frame][hand] = HandContact { presses: true, stays: stays(frame) });
        }
    }
    found
}
