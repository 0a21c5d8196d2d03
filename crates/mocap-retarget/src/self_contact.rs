//! Stage 3, contacts of hands: with each other, the hips, the head and the floor.
//!
//! Arms that rotate as the source's miss what the source's hands touch, if shoulders, head or hips have other proportions.
//! While a palm of the source is near one of these, the target's palm is placed at the same vector from its own, scaled
//! like the body. How near decides, not how slow: a clap takes a tenth of a second. The weight fades in and out with the
//! distance, and in time.

use crate::body::{Limb, LimbKind};
use crate::limb_map::LimbMap;
use crate::options::{Floor, Hands, RetargetMethod, RetargetOptions};
use crate::pair::{Character, Pair};
use crate::smoothing::envelope;
use crate::source_clip::SourceClip;
use mocap_analysis::runs;
use mocap_model::{JointId, PlacedJoints, Vector3, VectorLanes};

/// A palm is in contact below the first distance and free beyond the second, as a share of the arm's length: from the
/// other palm (of wrists that clap, it is up to 0.4);
const HANDS: (f64, f64) = (0.4, 0.6);
/// from a hip joint (a hand on the hip is a hand's width from it);
const HIPS: (f64, f64) = (0.25, 0.35);
/// from the head's joint (in the middle of the head or below);
const HEAD: (f64, f64) = (0.3, 0.45);
/// from the floor.
const FLOOR: (f64, f64) = (0.15, 0.3);
/// A hand on a hip has a bent elbow; one that hangs or swings beside it has a straight one. Distance from shoulder to
/// wrist: bent below the first, straight beyond the second, as a share of the arm's length.
const BENT: (f64, f64) = (0.8, 0.9);
/// Contacts begin and end over this time, beyond what the distance gives \[s\].
const FADE: f64 = 0.2;
/// A hand touches another hand however shortly, and hips, head and floor for at least this time \[s\]: arms that swing
/// pass them.
const SHORTEST: f64 = 0.1;
/// The palm is this far from the wrist, as a share of the arm's length: of a rig without fingers as of one with long ones.
const PALM: f64 = 0.15;

/// A hand and what it may touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPair {
    /// Index of the arm in the limbs of the pair.
    pub arm: usize,
    pub on: Touched,
    /// Distances of contact and of no contact, as shares of the arm's length.
    near: (f64, f64),
}

/// What a hand touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Touched {
    /// The hand of another limb.
    Hand(usize),
    /// The hip joint of a limb.
    Hip(usize),
    Head,
    Floor,
}

/// The contacts of the source's hands.
#[derive(Clone, Debug, Default)]
pub(crate) struct SelfContacts {
    pub pairs: Vec<ContactPair>,
    /// By pair, then by frame.
    pub offsets: Vec<Vec<ContactOffset>>,
}

/// The vector from the touched part to the palm in one frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactOffset {
    /// Of the source, scaled to the target.
    pub offset: Vector3<f64>,
    /// 1 during a contact, fading to 0 before and after.
    pub weight: f64,
}

impl ContactOffset {
    /// Whether the hand is in contact, not on its way there.
    pub(crate) fn is_contact(&self) -> bool {
        // An envelope is as high as its peaks up to rounding.
        self.weight > 1.0 - 1e-9
    }
}

/// What may be touched, and how far the source's palms are from it; recorded frame by frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct PalmTracks {
    pub pairs: Vec<ContactPair>,
    /// The palm of each limb of the pair in the frame of the source's wrist.
    palms: Vec<Vector3<f64>>,
    /// By pair, then by frame: the vector from what may be touched to the palm.
    offsets: Vec<Vec<Vector3<f64>>>,
    /// By limb, then by frame: the distance from shoulder to wrist, as a share of the arm's length.
    reach: Vec<Vec<f64>>,
    /// Lengths of the source's limbs.
    lengths: Vec<f64>,
}

impl PalmTracks {
    /// Nothing is recorded unless contacts of hands are kept.
    pub(crate) fn new(pair: &Pair, options: &RetargetOptions, frames: usize) -> PalmTracks {
        let kept = options.self_contacts
            && options.method == RetargetMethod::Scale
            && options.hand_goals() != Hands::Off;
        if !kept {
            return PalmTracks::default();
        }
        let pairs = contact_pairs(pair, options.floor != Floor::Off);
        PalmTracks {
            palms: pair.limbs.iter().map(|limb| palm_offset(&pair.source, &limb.source)).collect(),
            offsets: pairs.iter().map(|_| Vec::with_capacity(frames)).collect(),
            reach: pair.limbs.iter().map(|_| Vec::with_capacity(frames)).collect(),
            lengths: pair.limbs.iter().map(|limb| pair.source.reference.limb_length(&limb.source)).collect(),
            pairs,
        }
    }

    /// Records `count` frames of a block of the source, whose floor is at a height.
    pub(crate) fn record(
        &mut self,
        pair: &Pair,
        source: &PlacedJoints,
        block: usize,
        count: usize,
        floor: f64,
    ) {
        if self.pairs.is_empty() {
            return;
        }
        let up = pair.directions.up;
        let at = |joint: JointId| &source.lanes(joint, block).position;
        let palm = |(limb, palm): (&LimbMap, &Vector3<f64>)| {
            let wrist = source.lanes(limb.source.tip, block);
            wrist.rotation.turn(palm).plus(&wrist.position)
        };
        let palms: Vec<VectorLanes> = pair.limbs.iter().zip(&self.palms).map(palm).collect();
        for (contact, offsets) in self.pairs.iter().zip(&mut self.offsets) {
            let palm = &palms[contact.arm];
            let offset = match contact.on {
                Touched::Hand(other) => palm.minus(&palms[other]),
                Touched::Hip(leg) => palm.minus(at(pair.limbs[leg].source.base)),
                Touched::Head => pair.source.body.head.map_or(*palm, |head| palm.minus(at(head))),
                Touched::Floor => VectorLanes::each(|lane| up * (palm.at(lane).dot(&up) - floor)),
            };
            offsets.extend((0..count).map(|lane| offset.at(lane)));
        }
        for ((limb, reach), length) in pair.limbs.iter().zip(&mut self.reach).zip(&self.lengths) {
            let arm = at(limb.source.tip).minus(at(limb.source.base));
            reach.extend((0..count).map(|lane| arm.at(lane).norm() / length));
        }
    }

    /// The weight of a contact by frame, before it fades in time.
    fn closeness(&self, i: usize) -> Vec<f64> {
        let ContactPair { arm, on, near } = self.pairs[i];
        let length = self.lengths[arm];
        let weight = |(offset, reach): (&Vector3<f64>, &f64)| {
            let near = falling(near, offset.norm() / length);
            if matches!(on, Touched::Hip(_)) && near > 0.0 { near * falling(BENT, *reach) } else { near }
        };
        self.offsets[i].iter().zip(&self.reach[arm]).map(weight).collect()
    }

    /// The fewest frames of a contact.
    fn shortest(&self, i: usize, fps: f64) -> usize {
        match self.pairs[i].on {
            Touched::Hand(_) => 1,
            _ => (SHORTEST * fps).ceil() as usize,
        }
    }
}

/// Removes parts that are near but never long enough in contact.
fn without_passing(weights: &mut [f64], shortest: usize) {
    let near: Vec<bool> = weights.iter().map(|weight| *weight > 0.0).collect();
    for run in runs(&near) {
        let contacts: Vec<bool> = weights[run.clone()].iter().map(|weight| *weight >= 1.0).collect();
        if runs(&contacts).iter().all(|contact| contact.len() < shortest) {
            weights[run].fill(0.0);
        }
    }
}

/// From 1 at the first value to 0 at the second, without a corner.
fn falling((from, to): (f64, f64), value: f64) -> f64 {
    let share = ((to - value) / (to - from)).clamp(0.0, 1.0);
    share * share * (3.0 - 2.0 * share)
}

/// The source's contacts, segment by segment, with offsets scaled to the target. A pair without any has no frames.
pub(crate) fn find_contacts(pair: &Pair, source: &SourceClip, tracks: PalmTracks) -> SelfContacts {
    let fade = (FADE * source.rate().fps()).round().max(1.0) as usize;
    let mut offsets = Vec::with_capacity(tracks.pairs.len());
    for (i, contact) in tracks.pairs.iter().enumerate() {
        let mut near = tracks.closeness(i);
        without_passing(&mut near, tracks.shortest(i, source.rate().fps()));
        if near.iter().all(|weight| *weight == 0.0) {
            offsets.push(Vec::new());
            continue;
        }
        let scale = offset_scale(pair, contact);
        let weights = source
            .segments()
            .iter()
            .flat_map(|segment| envelope(&near[segment.start..segment.start + segment.clip.frames()], fade));
        let scaled = tracks.offsets[i].iter().zip(weights);
        offsets
            .push(scaled.map(|(offset, weight)| ContactOffset { offset: offset * scale, weight }).collect());
    }
    SelfContacts { pairs: tracks.pairs, offsets }
}

/// How an offset scales: from a hip like the width of the hips, else like the arm.
fn offset_scale(pair: &Pair, contact: &ContactPair) -> f64 {
    let width = |character: &Character| {
        let [left, right] = character.body.legs();
        character.reference.distance(left.base, right.base)
    };
    let arm = pair.limbs[contact.arm].ratio;
    match contact.on {
        Touched::Hip(_) if width(&pair.source) > 0.0 => width(&pair.target) / width(&pair.source),
        _ => arm,
    }
}

fn contact_pairs(pair: &Pair, has_floor: bool) -> Vec<ContactPair> {
    let limbs = &pair.limbs;
    let of_kind = |kind: LimbKind| (0..limbs.len()).filter(move |i| limbs[*i].target.kind == kind);
    let mut pairs = Vec::new();
    for arm in of_kind(LimbKind::Arm) {
        let others = of_kind(LimbKind::Arm).filter(|other| *other != arm);
        pairs.extend(others.map(|other| ContactPair { arm, on: Touched::Hand(other), near: HANDS }));
        let legs = of_kind(LimbKind::Leg);
        pairs.extend(legs.map(|leg| ContactPair { arm, on: Touched::Hip(leg), near: HIPS }));
        if pair.source.body.head.is_some() && pair.target.body.head.is_some() {
            pairs.push(ContactPair { arm, on: Touched::Head, near: HEAD });
        }
        if has_floor {
            pairs.push(ContactPair { arm, on: Touched::Floor, near: FLOOR });
        }
    }
    pairs
}

/// The joints of a body that palms and what they touch are placed by.
pub(crate) fn contact_joints(target: &Character, limbs: &[LimbMap]) -> impl Iterator<Item = JointId> {
    limbs.iter().flat_map(|limb| [limb.target.base, limb.target.tip]).chain(target.body.head)
}

/// The vector from what a hand may touch to its palm, on the target in a frame; `palms` are those of
/// [`palm_offset`], by limb.
pub(crate) fn offset_in_frame(
    target: &Character,
    limbs: &[LimbMap],
    palms: &[Vector3<f64>],
    contact: &ContactPair,
    placed: &PlacedJoints,
    frame: usize,
) -> Vector3<f64> {
    let palm = |i: usize| {
        let wrist = limbs[i].target.tip;
        placed.position(wrist, frame) + placed.rotation(wrist, frame) * palms[i]
    };
    let on = match contact.on {
        Touched::Hand(other) => palm(other),
        Touched::Hip(leg) => placed.position(limbs[leg].target.base, frame),
        Touched::Head => target.body.head.map_or(Vector3::zeros(), |head| placed.position(head, frame)),
        Touched::Floor => Vector3::zeros(),
    };
    palm(contact.arm) - on
}

/// The palm in the frame of the wrist: on the way to the middle of all joints below it; of a hand without any, in line
/// with the forearm.
pub(crate) fn palm_offset(character: &Character, limb: &Limb) -> Vector3<f64> {
    let Character { reference, skeleton, .. } = character;
    let at = |joint: JointId| reference.position[joint.index()];
    let length = reference.limb_length(limb);
    let fingers = skeleton.subtree(limb.tip);
    let sum: Vector3<f64> = fingers.iter().map(|joint| at(*joint) - at(limb.tip)).sum();
    let forearm = at(limb.tip) - at(limb.middle);
    let hand = sum.try_normalize(1e-3 * length).or(forearm.try_normalize(0.0)).unwrap_or_default();
    reference.rotation[limb.tip.index()].inverse() * hand * (PALM * length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_counts_and_far_does_not() {
        assert_eq!((falling((0.2, 0.4), 0.1), falling((0.2, 0.4), 0.5)), (1.0, 0.0));
        assert!((falling((0.2, 0.4), 0.3) - 0.5).abs() < 1e-12);
    }

    /// One hand at some distances from the other, and how far it reaches.
    fn tracks(on: Touched, near: (f64, f64), distances: &[f64], reach: f64) -> PalmTracks {
        PalmTracks {
            pairs: vec![ContactPair { arm: 0, on, near }],
            palms: vec![Vector3::zeros()],
            offsets: vec![distances.iter().map(|x| Vector3::x() * *x).collect()],
            reach: vec![vec![reach; distances.len()]],
            lengths: vec![1.0],
        }
    }

    #[test]
    fn a_clap_is_a_contact_however_fast() {
        let clap = tracks(Touched::Hand(1), HANDS, &[1.2, 0.8, 0.3, 0.7, 1.1], 0.7);
        assert_eq!(clap.closeness(0), [0.0, 0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn what_only_passes_is_no_contact() {
        let mut weights = [0.0, 0.5, 1.0, 0.4, 0.0, 0.6, 1.0, 1.0, 1.0, 0.0];
        without_passing(&mut weights, 2);
        assert_eq!(weights, [0.0, 0.0, 0.0, 0.0, 0.0, 0.6, 1.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn a_hand_on_the_hip_has_a_bent_elbow() {
        let closeness = |reach| tracks(Touched::Hip(1), HIPS, &[0.2], reach).closeness(0);
        assert_eq!((closeness(0.7), closeness(0.97)), (vec![1.0], vec![0.0]));
    }
}
