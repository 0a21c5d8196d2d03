//! Crouch, sit, kneel, crawl, fall, get up.

use super::measures::{ANKLES, HANDS, KNEES, Measures, SHOULDERS};
use super::runs::runs;
use super::{Label, Measured, Segment};

/// Height of low hips, as a share of standing.
const LOW: f64 = 0.75;
/// Height of hips near the floor, as a share of standing.
const DOWN: f64 = 0.35;
/// Least height of the shoulders above the hips for an upright trunk [leg lengths]; 0.587 in standing.
const UPRIGHT: f64 = 0.4;
/// Largest height of a joint on the floor [leg lengths].
const ON_FLOOR: f64 = 0.15;

pub(super) fn find(measures: &Measures, segments: &mut Vec<Segment>) {
    let postures: Vec<Option<Label>> = (0..measures.len()).map(|at| posture(measures, at)).collect();
    for label in [Label::Crouch, Label::Sit, Label::Kneel, Label::Crawl] {
        let holds: Vec<bool> = postures.iter().map(|posture| *posture == Some(label)).collect();
        for range in runs(&holds, measures.samples_in(0.25), measures.samples_in(0.3)) {
            let middle = (range.start + range.end) / 2;
            let measured = vec![
                Measured { name: "hips [share of standing]", value: level(measures, middle) },
                Measured { name: "trunk [leg lengths]", value: measures.trunk(middle) },
            ];
            segments.push(measures.segment(label, &range, None, measured));
        }
    }
    changes(measures, segments);
}

/// The height of the hips above the support of the feet (the floor, a step, a bar), as a share of standing.
fn level(measures: &Measures, at: usize) -> f64 {
    (measures.hips[at] - measures.lowest_foot(at).max(0.0)) / measures.standing
}

/// The posture of one sample; `None` for standing and lying.
fn posture(measures: &Measures, at: usize) -> Option<Label> {
    let hips = level(measures, at);
    let (trunk, upright) = (measures.trunk(at), measures.trunk(at) > UPRIGHT);
    let on_floor =
        |heights: &[Vec<f64>; 2], level: f64| (0..2).filter(|side| heights[*side][at] < level).count();
    if on_floor(&measures.hands, 2.0 * ON_FLOOR) > 0
        && on_floor(&measures.knees, 2.0 * ON_FLOOR) == 2
        && trunk < UPRIGHT
        && hips > 0.25
        && measures.speed[at] > 0.1
    {
        return Some(Label::Crawl);
    }
    // Straight arms overhead with the feet in the air: the body hangs.
    let hangs = (0..2)
        .all(|side| measures.point(HANDS[side], at).y - measures.point(SHOULDERS[side], at).y > 0.45)
        && measures.lowest_foot(at) > 0.15;
    if !upright || hips > LOW || hangs {
        return None;
    }
    let stays = measures.speed[at] < 1.0;
    if stays && on_floor(&measures.knees, ON_FLOOR) > 0 && hips > 0.3 {
        return Some(Label::Kneel);
    }
    let middle = |points: [usize; 2]| (measures.point(points[0], at) + measures.point(points[1], at)) / 2.0;
    let (ankles, knees) = (middle(ANKLES), middle(KNEES));
    // A crouching body has its hips over its feet; hips far behind them need a seat.
    let carried = ankles.x.hypot(ankles.z) > 0.3 && ankles.z > 0.0 && knees.y > -0.3;
    if carried && stays {
        return Some(Label::Sit);
    }
    // In a deep crouch the hips are at the heels; in sitting on the floor the feet are farther away.
    let deep = ankles.x.hypot(ankles.z) < 0.4 && knees.y > 0.0;
    (hips > 0.2 || deep).then_some(Label::Crouch)
}

/// Falls and getting up: transitions between standing and the floor.
fn changes(measures: &Measures, segments: &mut Vec<Segment>) {
    let level = |at: usize| measures.hips[at] / measures.standing;
    let lies = |at: usize| level(at) < DOWN && measures.head[at] < 0.5;
    let (stands, mut last_standing, mut last_lying) = (|at: usize| level(at) > LOW, None, None);
    for at in 0..measures.len() {
        if stands(at) {
            if let Some(from) = last_lying.take()
                && at - from <= measures.samples_in(4.0)
            {
                let seconds = (at - from) as f64 / measures.rate;
                let measured = vec![Measured { name: "rise [s]", value: seconds }];
                segments.push(measures.segment(Label::GetUp, &(from..at + 1), None, measured));
            }
            last_standing = Some(at);
        } else if lies(at) {
            if let Some(from) = last_standing.take()
                && at - from <= measures.samples_in(1.5)
            {
                let seconds = (at - from) as f64 / measures.rate;
                let measured = vec![Measured { name: "drop [s]", value: seconds }];
                segments.push(measures.segment(Label::Fall, &(from..at + 1), None, measured));
            }
            last_lying = Some(at);
        }
    }
}
