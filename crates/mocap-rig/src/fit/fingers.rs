//! Detects fingers as branches of the surface of a hand.
//!
//! Fingertips are local maxima of the distance from the wrist along the surface. From the tips back, branches grow
//! until two of them meet at the skin between the fingers.
//!
//! Based on: M. Hilaga et al., "Topology matching for fully automatic similarity estimation of 3D shapes", 2001.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use mocap_model::{Role, Vector3};

use super::landmark::Landmark;
use crate::RigMesh;
use crate::mesh::Neighbours;

/// The largest distance of a hand's surface from the wrist.
const REACH: f64 = 0.14;
/// The shortest finger that counts, from the skin between fingers to its tip.
const SHORTEST: f64 = 0.009;
/// The cross-section of the wrist: distance from its plane, and radius.
const WRIST: [f64; 2] = [0.02, 0.03];
/// The web of the thumb is nearer to the wrist than those of the fingers by this factor.
const THUMB_BELOW: f64 = 0.9;
/// By finger from the thumb: the distances of its joints from the tip, as shares of the detected length. Tuned on five
/// bodies with joints placed by artists.
const JOINTS: [(&str, [f64; 3]); 5] = [
    ("Thumb", [2.7, 1.9, 0.82]),
    ("Index", [1.41, 0.92, 0.47]),
    ("Middle", [1.33, 0.81, 0.39]),
    ("Ring", [1.46, 0.92, 0.47]),
    ("Little", [1.53, 0.96, 0.54]),
];
/// Beyond the web, the line of a finger is extended with this share of the direction to the wrist.
const TO_WRIST: f64 = 0.25;
/// The position of the thumb's first joint between the wrist (0) and its second (1).
const THUMB: f64 = 0.42;
/// The confidence of detected fingers.
const CONFIDENCE: f64 = 0.75;

/// A finger: its middle line from the tip to the web.
struct Finger {
    line: Vec<Vector3<f64>>,
    /// The distance of its web from the wrist.
    begins: f64,
}

/// The joints of five fingers, if five are detected beyond a wrist. Lengths are shares of the height of the body.
pub(super) fn seen(
    mesh: &RigMesh,
    neighbours: &Neighbours,
    side: &str,
    [elbow, wrist]: [&Vector3<f64>; 2],
) -> Option<Vec<(Role, Landmark)>> {
    let far = from_wrist(mesh, neighbours, elbow, wrist)?;
    let mut fingers = branches(mesh, neighbours, &far);
    if fingers.len() != JOINTS.len() {
        return None;
    }
    fingers.sort_by(|a, b| a.begins.total_cmp(&b.begins));
    if fingers[0].begins > THUMB_BELOW * fingers[1].begins {
        return None;
    }
    // The others are sorted side by side, starting next to the thumb.
    let base = |finger: &Finger| *finger.line.last().expect("a line has places");
    let thumb = fingers.remove(0);
    let middle = fingers.iter().map(base).sum::<Vector3<f64>>() / fingers.len() as f64;
    let along = (middle - wrist).try_normalize(1e-9)?;
    let aside = base(&thumb) - middle;
    let aside = (aside - along * aside.dot(&along)).try_normalize(1e-9)?;
    fingers.sort_by(|a, b| base(b).dot(&aside).total_cmp(&base(a).dot(&aside)));
    fingers.insert(0, thumb);
    let mut found = Vec::new();
    for (finger, (name, shares)) in fingers.iter().zip(JOINTS) {
        let mut places = shares.map(|share| on_line(&finger.line, share, wrist));
        if name == "Thumb" {
            places[0] = wrist + (places[1] - wrist) * THUMB;
        }
        for (number, place) in (1..).zip(places) {
            let role = format!("{side}{name}{number}").parse::<Role>().ok()?;
            let reason = "on the middle line of a detected finger".to_owned();
            found.push((role, Landmark { place, confidence: CONFIDENCE, reason }));
        }
    }
    Some(found)
}

/// By place of the hand: its distance from the wrist along the edges of the surface.
fn from_wrist(
    mesh: &RigMesh,
    neighbours: &Neighbours,
    elbow: &Vector3<f64>,
    wrist: &Vector3<f64>,
) -> Option<BTreeMap<usize, f64>> {
    let axis = (wrist - elbow).try_normalize(1e-9)?;
    let along = |place: usize| (mesh.places[place] - wrist).dot(&axis);
    let mut far: BTreeMap<usize, f64> = BTreeMap::new();
    let mut open = BinaryHeap::new();
    // Lengths are not negative, so their bits sort like their values.
    for (place, at) in mesh.places.iter().enumerate() {
        let height = along(place);
        if height.abs() < WRIST[0] && (at - wrist - axis * height).norm() < WRIST[1] {
            far.insert(place, height.max(0.0));
            open.push(Reverse((height.max(0.0).to_bits(), place)));
        }
    }
    while let Some(Reverse((bits, place))) = open.pop() {
        let length = f64::from_bits(bits);
        if far.get(&place).is_some_and(|known| *known < length) {
            continue;
        }
        for next in neighbours.of(place).iter().map(|next| *next as usize) {
            let length = length + (mesh.places[next] - mesh.places[place]).norm();
            if along(next) >= 0.0 && length < REACH && far.get(&next).is_none_or(|known| length < *known) {
                far.insert(next, length);
                open.push(Reverse((length.to_bits(), next)));
            }
        }
    }
    (far.len() > 3 * JOINTS.len()).then_some(far)
}

/// A branch that grows from its tip towards the wrist.
struct Branch {
    tip: usize,
    places: Vec<usize>,
    /// Whether it met another branch, so that its length is known.
    is_known: bool,
}

/// The branches of a hand that are long enough where they meet.
fn branches(mesh: &RigMesh, neighbours: &Neighbours, far: &BTreeMap<usize, f64>) -> Vec<Finger> {
    let mut order: Vec<usize> = far.keys().copied().collect();
    order.sort_by(|a, b| far[b].total_cmp(&far[a]).then(a.cmp(b)));
    let mut branch_of: BTreeMap<usize, usize> = BTreeMap::new();
    let mut branches: Vec<Branch> = Vec::new();
    let mut found = Vec::new();
    for place in order {
        let level = far[&place];
        let near = neighbours.of(place).iter().filter_map(|next| branch_of.get(&(*next as usize)));
        let mut met: Vec<usize> = near.copied().collect();
        met.sort_by(|a, b| far[&branches[*b].tip].total_cmp(&far[&branches[*a].tip]).then(a.cmp(b)));
        met.dedup();
        let long: Vec<usize> =
            met.iter().copied().filter(|at| far[&branches[*at].tip] - level >= SHORTEST).collect();
        if long.len() > 1 {
            for at in long {
                if !std::mem::replace(&mut branches[at].is_known, true) {
                    found.extend(finger(mesh, far, &branches[at], level));
                }
            }
        }
        let into = met.first().copied().unwrap_or_else(|| {
            branches.push(Branch { tip: place, places: Vec::new(), is_known: false });
            branches.len() - 1
        });
        for other in met.into_iter().skip(1) {
            let places = std::mem::take(&mut branches[other].places);
            places.iter().for_each(|place| _ = branch_of.insert(*place, into));
            branches[into].places.extend(places);
            branches[into].is_known |= branches[other].is_known;
        }
        branches[into].places.push(place);
        branch_of.insert(place, into);
    }
    found
}

/// The middle line of a branch: its tip, followed by the means of its quarters.
fn finger(mesh: &RigMesh, far: &BTreeMap<usize, f64>, branch: &Branch, begins: f64) -> Option<Finger> {
    let length = far[&branch.tip] - begins;
    let mut line = vec![mesh.places[branch.tip]];
    for quarter in [2.0, 1.0, 0.0] {
        let within = |place: &&usize| {
            let share = 4.0 * (far[*place] - begins) / length;
            share >= quarter && share < quarter + 1.0
        };
        let places: Vec<&usize> = branch.places.iter().filter(within).collect();
        if !places.is_empty() {
            let sum = places.iter().map(|place| mesh.places[**place]).sum::<Vector3<f64>>();
            line.push(sum / places.len() as f64);
        }
    }
    (line.len() > 1).then_some(Finger { line, begins })
}

/// The point on a line at a share of its length from its start. Beyond its end, at the web, the
/// line is extended, partly towards the wrist ([`TO_WRIST`]).
fn on_line(line: &[Vector3<f64>], share: f64, wrist: &Vector3<f64>) -> Vector3<f64> {
    let length: f64 = line.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
    let mut left = share * length;
    for pair in line.windows(2) {
        let step = (pair[1] - pair[0]).norm();
        if left <= step && step > 0.0 {
            return pair[0] + (pair[1] - pair[0]) * (left / step);
        }
        left -= step;
    }
    let last = line[line.len() - 1];
    let on = (last - line[line.len() - 2]).try_normalize(0.0).unwrap_or_default();
    let back = (wrist - last).try_normalize(0.0).unwrap_or_default();
    last + (on * (1.0 - TO_WRIST) + back * TO_WRIST) * left
}
