//! Stage 4, self-contacts of hands: with each other, the hips, the head and the floor.
//!
//! If shoulders, head or hips have other proportions, arms that rotate like the source's miss what the source's
//! hands touch. While a palm of the source is near one of these parts, the target's palm is placed at the same
//! vector from its own part, scaled like the body. Contacts are found by distance, not by speed: a clap takes a
//! tenth of a second. The weight of a contact fades in and out with distance and time.

use crate::body::{Body, Limb, LimbKind};
use crate::hand_on_floor::{HandOnFloor, still_hands};
use crate::limb_map::LimbMap;
use crate::options::{Floor, Hands, RetargetMethod, RetargetOptions};
use crate::pair::{Character, Pair};
use crate::smoothing::{envelope, falling};
use crate::source_clip::Segment;
use crate::surface::HandsOnBody;
use crate::trajectories::place_of;
use mocap_analysis::runs;
use mocap_model::{Clip, ForwardKinematics, JointId, LANES, PlacedJoints, Side, Vector3, VectorLanes};

/// Distances of a palm from the other palm, as shares of the arm's length: contact below the first, free beyond
/// the second. (In claps of a rig with thick hands the distance is up to 0.34.)
const HANDS: (f64, f64) = (0.36, 0.5);
/// The same from a hip joint (a hand on the hip is a hand's width from it).
const HIPS: (f64, f64) = (0.25, 0.35);
/// The same from the head joint (in the middle of the head or below).
const HEAD: (f64, f64) = (0.3, 0.45);
/// The same from the floor.
const FLOOR: (f64, f64) = (0.15, 0.3);
/// A hand on a hip has a bent elbow; one that hangs or swings beside the hip has a straight one. Distance from
/// shoulder to wrist as a share of the arm's length: bent below the first value, straight beyond the second.
const BENT: (f64, f64) = (0.8, 0.9);
/// Contacts fade in and out over this time, in addition to the fading by distance \[s\].
pub(crate) const FADE: f64 = 0.2;
/// Contacts with hips, head and floor last at least this long \[s\]: swinging arms pass by these parts. Contacts
/// between hands may be shorter.
const SHORTEST: f64 = 0.1;
/// A contact between hands that lasts at most this long is a clap \[s\].
const CLAP: f64 = 0.3;
/// Distance of the palm from the wrist as a share of the arm's length, independent of the fingers that a rig has.
const PALM: f64 = 0.15;

/// Root of the nearness of a hand at the distance where it is free.
const LEAST_NEAR: f64 = 0.05;

/// A hand and what it may touch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPair {
    /// Index of the arm in the limbs of the pair.
    pub arm: usize,
    pub on: Touched,
    /// Distances of full contact and of no contact, as shares of the arm's length.
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
    /// By pair, then by frame of the segment.
    pub offsets: Vec<Vec<ContactOffset>>,
}

/// The vector from the touched part to the palm in one frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactOffset {
    /// Of the source, scaled to the target.
    pub offset: Vector3<f64>,
    /// 1 during contact, fading to 0 before and after.
    pub weight: f64,
    /// Nearness of the hand: about 1 at the touched part, falling with distance, above 0 where the
    /// hand is free. Ranks the contacts of a hand.
    pub nearness: f64,
    /// Weight by the distance in this frame, before fading in time.
    pub touching: f64,
    /// Whether the contact is a clap.
    pub clap: bool,
    /// How far the hand presses on the floor, and how far it carries the body, 0 to 1.
    pub presses: f64,
    pub carries: f64,
    /// Whether the hand does not move along the floor.
    pub still: bool,
}

impl ContactOffset {
    /// Whether the hand is in full contact, not approaching or leaving.
    pub(crate) fn is_contact(&self) -> bool {
        // The weight is an envelope, whose peaks are exact up to rounding.
        self.weight > 1.0 - 1e-9
    }

    /// Whether the source's hand touches, also if the target's cannot.
    pub(crate) fn touches(&self) -> bool {
        self.touching >= 1.0
    }
}

/// The hands of a body in motion, and the parts that they may touch.
pub(crate) struct MovingHands<'a> {
    limbs: Vec<&'a Limb>,
    /// The palm of each limb in the frame of its wrist.
    palms: Vec<Vector3<f64>>,
    head: Option<JointId>,
    pub(crate) up: Vector3<f64>,
    /// Height of the floor.
    pub(crate) floor: f64,
}

impl<'a> MovingHands<'a> {
    /// Of a body; every pass reads its [`contact_joints`].
    pub(crate) fn of(
        character: &'a Character,
        limbs: impl Iterator<Item = &'a Limb>,
        up: Vector3<f64>,
        floor: f64,
    ) -> MovingHands<'a> {
        let limbs: Vec<&Limb> = limbs.collect();
        let palms = limbs.iter().map(|limb| palm_offset(character, limb)).collect();
        MovingHands { limbs, palms, head: character.body.head, up, floor }
    }

    /// Palms of a block of frames, by limb; zero for legs.
    fn palms(&self, placed: &PlacedJoints, block: usize) -> Vec<VectorLanes> {
        let palm = |(limb, palm): (&&Limb, &Vector3<f64>)| match limb.kind {
            LimbKind::Leg => VectorLanes::same(&Vector3::zeros()),
            LimbKind::Arm => {
                let wrist = placed.lanes(limb.tip, block);
                wrist.rotation.turn(palm).plus(&wrist.position)
            }
        };
        self.limbs.iter().zip(&self.palms).map(palm).collect()
    }

    /// Vectors from the touched part to the palm, given [`MovingHands::palms`] of the block.
    fn offsets(
        &self,
        contact: &ContactPair,
        palms: &[VectorLanes],
        placed: &PlacedJoints,
        block: usize,
    ) -> VectorLanes {
        let at = |joint: JointId| &placed.lanes(joint, block).position;
        let palm = &palms[contact.arm];
        match contact.on {
            Touched::Hand(other) => palm.minus(&palms[other]),
            Touched::Hip(leg) => palm.minus(at(self.limbs[leg].base)),
            Touched::Head => self.head.map_or(*palm, |head| palm.minus(at(head))),
            Touched::Floor => VectorLanes::each(|lane| self.up * (palm.at(lane).dot(&self.up) - self.floor)),
        }
    }

    /// The palm of the arm of a contact in a frame.
    pub(crate) fn palm(&self, contact: &ContactPair, placed: &PlacedJoints, frame: usize) -> Vector3<f64> {
        let (block, lane) = place_of(frame);
        self.palms(placed, block)[contact.arm].at(lane)
    }

    /// The vector from the touched part to the palm in a frame.
    pub(crate) fn offset(&self, contact: &ContactPair, placed: &PlacedJoints, frame: usize) -> Vector3<f64> {
        let (block, lane) = place_of(frame);
        self.offsets(contact, &self.palms(placed, block), placed, block).at(lane)
    }

    /// From shoulder to wrist.
    fn arms(&self, arm: usize, placed: &PlacedJoints, block: usize) -> VectorLanes {
        let Limb { base, tip, .. } = *self.limbs[arm];
        placed.lanes(tip, block).position.minus(&placed.lanes(base, block).position)
    }

    /// Marks the pairs that are near enough for a contact in the frames that are placed; `lengths` are those of the limbs.
    /// Most pairs never are.
    fn mark_near(&self, pairs: &[ContactPair], lengths: &[f64], placed: &PlacedJoints, near: &mut [bool]) {
        // Compares squares, without roots and quotients; the margin covers the difference in rounding.
        let below = |vectors: &VectorLanes, share: f64, length: f64| {
            let most = (share * length).powi(2) * (1.0 + 1e-9);
            vectors.norm_squared().map(|square| square < most)
        };
        for block in placed.blocks() {
            let palms = self.palms(placed, block);
            for (contact, found) in pairs.iter().zip(&mut *near).filter(|(_, found)| !**found) {
                let length = lengths[contact.arm];
                let near = below(&self.offsets(contact, &palms, placed, block), contact.near.1, length);
                *found = near.contains(&true)
                    && match contact.on {
                        Touched::Hip(_) => {
                            let bent = below(&self.arms(contact.arm, placed, block), BENT.1, length);
                            near.iter().zip(bent).any(|(near, bent)| *near && bent)
                        }
                        _ => true,
                    };
            }
        }
    }

    /// Appends the offsets of a pair and the weight of its contact in the frames that are placed, before it fades in time;
    /// `length` is that of its arm.
    fn append_closeness(
        &self,
        contact: &ContactPair,
        length: f64,
        placed: &PlacedJoints,
        Closeness { offsets, weights, on_floor }: &mut Closeness,
    ) {
        for block in placed.blocks() {
            let palms = self.palms(placed, block);
            let offset = self.offsets(contact, &palms, placed, block);
            let arm = self.arms(contact.arm, placed, block);
            for lane in 0..LANES.min(placed.frames() - block * LANES) {
                offsets.push(offset.at(lane));
                weights.push(contact.weight(offset.at(lane).norm() / length, arm.at(lane).norm() / length));
                if contact.on == Touched::Floor {
                    let palm = palms[contact.arm].at(lane);
                    let body = (&self.limbs[..], &self.up, self.floor);
                    on_floor.push(HandOnFloor::of(body, contact.arm, palm, placed, (block, lane)));
                }
            }
        }
    }
}

/// The vectors of a pair and the weights of its contact, by frame.
#[derive(Clone, Debug, Default)]
struct Closeness {
    offsets: Vec<Vector3<f64>>,
    weights: Vec<f64>,
    /// Of contacts with the floor.
    on_floor: Vec<HandOnFloor>,
}

impl ContactPair {
    /// Weight of the contact for a distance of the palm from the touched part; `reach` is the distance from
    /// shoulder to wrist. Both as shares of the arm's length.
    fn weight(&self, distance: f64, reach: f64) -> f64 {
        let near = falling(self.near, distance);
        if matches!(self.on, Touched::Hip(_)) && near > 0.0 { near * falling(BENT, reach) } else { near }
    }

    /// Least number of frames of a contact.
    fn shortest(&self, fps: f64) -> usize {
        match self.on {
            Touched::Hand(_) => 1,
            _ => (SHORTEST * fps).ceil() as usize,
        }
    }
}

/// Removes contacts that are too short: hands that pass by.
fn without_passing(weights: &mut [f64], shortest: usize) {
    let near: Vec<bool> = weights.iter().map(|weight| *weight > 0.0).collect();
    for run in runs(&near) {
        let contacts: Vec<bool> = weights[run.clone()].iter().map(|weight| *weight >= 1.0).collect();
        if runs(&contacts).iter().all(|contact| contact.len() < shortest) {
            weights[run].fill(0.0);
        }
    }
}

/// Marks contacts of at most `longest` frames, widened by `reach` frames to both sides.
fn claps(weights: &[f64], longest: usize, reach: usize) -> Vec<bool> {
    let mut claps = vec![false; weights.len()];
    let near: Vec<bool> = weights.iter().map(|weight| *weight > 0.0).collect();
    for run in runs(&near) {
        let contacts: Vec<bool> = weights[run.clone()].iter().map(|weight| *weight >= 1.0).collect();
        if runs(&contacts).iter().all(|contact| contact.len() <= longest) {
            claps[run.start.saturating_sub(reach)..(run.end + reach).min(weights.len())].fill(true);
        }
    }
    claps
}

/// Finds the contacts of the source's hands in a segment, with offsets scaled to the target; none if
/// self-contacts are not kept. A pair without contacts has no frames. `floor` is the height of the source's
/// floor.
pub(crate) fn find_contacts(
    pair: &Pair,
    options: &RetargetOptions,
    segment: &mut Segment,
    floor: f64,
) -> SelfContacts {
    let kept = options.self_contacts
        && options.method == RetargetMethod::Scale
        && options.hand_goals() != Hands::Off;
    if !kept {
        return SelfContacts::default();
    }
    let limbs = || pair.limbs.iter().map(|limb| &limb.source);
    let lengths: Vec<f64> = limbs().map(|limb| pair.source.reference.limb_length(limb)).collect();
    let hands = MovingHands::of(&pair.source, limbs(), pair.directions.up, floor);
    let pairs = contact_pairs(pair, options.floor != Floor::Off);
    let mut near = vec![false; pairs.len()];
    segment.placed.each(|placed| hands.mark_near(&pairs, &lengths, placed, &mut near));
    let mut found: Vec<Closeness> = vec![Closeness::default(); pairs.len()];
    if near.contains(&true) {
        segment.placed.each(|placed| {
            for ((contact, found), _) in pairs.iter().zip(&mut found).zip(&near).filter(|(_, near)| **near) {
                hands.append_closeness(contact, lengths[contact.arm], placed, found);
            }
        });
    }
    let fps = segment.clip.rate().fps();
    let offsets = pairs.iter().zip(found).map(|(contact, Closeness { offsets, mut weights, on_floor })| {
        without_passing(&mut weights, contact.shortest(fps));
        if weights.iter().all(|weight| *weight == 0.0) {
            return Vec::new();
        }
        let scale = offset_scale(pair, contact);
        let reach = (FADE * fps).round().max(1.0) as usize;
        let faded = envelope(&weights, reach);
        let claps = match contact.on {
            Touched::Hand(_) => claps(&weights, (CLAP * fps).round() as usize, reach),
            _ => vec![false; weights.len()],
        };
        let far = contact.near.1 * lengths[contact.arm];
        let still = still_hands(&on_floor, lengths[contact.arm], &pair.directions.up, fps);
        let touch = |frame: usize| ContactOffset {
            offset: offsets[frame] * scale,
            weight: faded[frame],
            touching: weights[frame],
            clap: claps[frame],
            presses: on_floor.get(frame).map_or(0.0, |hand| hand.presses),
            carries: on_floor.get(frame).map_or(0.0, |hand| hand.carries),
            still: still.get(frame).copied().unwrap_or_default(),
            nearness: (LEAST_NEAR + 1.0 - offsets[frame].norm() / far).max(LEAST_NEAR).powi(2),
        };
        (0..offsets.len()).map(touch).collect()
    });
    SelfContacts { offsets: offsets.collect(), pairs }
}

impl SelfContacts {
    /// Whether the hand of a limb touches something or is touched.
    pub(crate) fn concern(&self, limb: usize) -> bool {
        let touching = self.pairs.iter().zip(&self.offsets).filter(|(_, offsets)| !offsets.is_empty());
        touching.into_iter().any(|(pair, _)| pair.arm == limb || pair.on == Touched::Hand(limb))
    }

    /// By hand, then by frame: whether it touches the hips or the head. `lead_in` frames come before those of
    /// these contacts.
    pub(crate) fn hands_on_body(&self, pair: &Pair, lead_in: usize, frames: usize) -> HandsOnBody {
        let mut hands = [vec![false; frames], vec![false; frames]];
        for (contact, offsets) in self.pairs.iter().zip(&self.offsets) {
            if matches!(contact.on, Touched::Hip(_) | Touched::Head) {
                let side = usize::from(pair.limbs[contact.arm].target.side == Side::Right);
                let known = hands[side].iter_mut().skip(lead_in).zip(offsets);
                known.for_each(|(is, offset)| *is |= offset.touching >= 1.0);
            }
        }
        hands
    }

    /// Whether there is any contact.
    pub(crate) fn any(&self) -> bool {
        self.offsets.iter().any(|offsets| !offsets.is_empty())
    }
}

/// Bones of two arms may touch if they come nearer than this, as a share of the arm's length.
const ARMS_MEET: f64 = 0.25;

/// Whether the forearm or hand of an arm ever comes near the other arm.
pub(crate) fn arms_meet(body: &Body, clip: &Clip) -> bool {
    let [.., Some(left), Some(right)] = &body.limbs else { return false };
    let joints = |arm: &Limb| [arm.base, arm.middle, arm.tip];
    let arms = [joints(left), joints(right)];
    let mut kinematics = ForwardKinematics::of_joints(clip, arms.as_flattened());
    let meets = |frame: usize| {
        kinematics.place(frame);
        let [a, b] = arms.map(|arm| arm.map(|joint| kinematics.position(joint)));
        let length = (a[1] - a[0]).norm() + (a[2] - a[1]).norm();
        // The hand is taken as an extension of the forearm.
        let lower = |arm: &[Vector3<f64>; 3]| [arm[1], arm[2] + (arm[2] - arm[1]) * 0.6];
        let pairs = [[lower(&a), lower(&b)], [lower(&a), [b[0], b[1]]], [[a[0], a[1]], lower(&b)]];
        pairs.iter().any(|[a, b]| apart(a, b) < ARMS_MEET * length)
    };
    (0..clip.frames()).any(meets)
}

/// Approximate distance between two line segments, sampled at some points.
fn apart([a, b]: &[Vector3<f64>; 2], [c, d]: &[Vector3<f64>; 2]) -> f64 {
    const STEPS: u32 = 4;
    let to = |at: Vector3<f64>| {
        let along = ((at - c).dot(&(d - c)) / (d - c).norm_squared().max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        (c + (d - c) * along - at).norm()
    };
    (0..=STEPS).map(|i| to(a + (b - a) * (f64::from(i) / f64::from(STEPS)))).fold(f64::INFINITY, f64::min)
}

/// How far the ratio of hip widths may differ from the ratio of arm lengths, as factors. The width of the hips
/// shows how far their surface is from the hip joints, but rigs place these joints at will.
const WIDTHS: (f64, f64) = (0.8, 1.25);

/// Scale of an offset: from a hip by the ratio of hip widths, else by the ratio of arm lengths.
fn offset_scale(pair: &Pair, contact: &ContactPair) -> f64 {
    let width = |character: &Character| {
        let [left, right] = character.body.legs();
        character.reference.distance(left.base, right.base)
    };
    let arm = pair.limbs[contact.arm].ratio;
    match contact.on {
        Touched::Hip(_) if width(&pair.source) > 0.0 => {
            (width(&pair.target) / width(&pair.source)).clamp(WIDTHS.0 * arm, WIDTHS.1 * arm)
        }
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

/// Joints of the target from which palms and touched parts are placed.
pub(crate) fn contact_joints(target: &Character, limbs: &[LimbMap]) -> impl Iterator<Item = JointId> {
    limbs.iter().flat_map(|limb| [limb.target.base, limb.target.tip]).chain(target.body.head)
}

/// The palm in the frame of the wrist: towards the middle of all joints of the hand, or in line with the forearm if
/// there are none.
pub(crate) fn palm_offset(character: &Character, limb: &Limb) -> Vector3<f64> {
    let Character { reference, skeleton, .. } = character;
    let at = |joint: JointId| reference.position[joint.index()];
    let length = reference.limb_length(limb);
    let joints = skeleton.subtree(limb.tip);
    let with_role = joints.iter().filter(|joint| **joint != limb.tip);
    let fingers: Vec<JointId> =
        with_role.filter(|joint| character.body.roles.role(**joint).is_some()).copied().collect();
    let below = |joint: JointId, top: JointId| skeleton.is_in_subtree(joint, top);
    // Other joints are those of a weapon or another thing in the hand; without known fingers, those further away.
    let is_of_hand = |joint: &JointId| match fingers[..] {
        [] => (at(*joint) - at(limb.tip)).norm() <= LONGEST_HAND * length,
        _ => fingers.iter().any(|finger| below(*joint, *finger) || below(*finger, *joint)),
    };
    let hand = joints.into_iter().filter(is_of_hand);
    let sum: Vector3<f64> = hand.map(|joint| at(joint) - at(limb.tip)).sum();
    let forearm = at(limb.tip) - at(limb.middle);
    let hand = sum.try_normalize(1e-3 * length).or(forearm.try_normalize(0.0)).unwrap_or_default();
    reference.rotation[limb.tip.index()].inverse() * hand * (PALM * length)
}

/// No fingertip is further from the wrist than this share of the arm, of which hands have a third.
const LONGEST_HAND: f64 = 0.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::source_clip::SourceClip;
    use mocap_model::Joint;

    #[test]
    fn near_counts_and_far_does_not() {
        assert_eq!((falling((0.2, 0.4), 0.1), falling((0.2, 0.4), 0.5)), (1.0, 0.0));
        assert!((falling((0.2, 0.4), 0.3) - 0.5).abs() < 1e-12);
    }

    /// Weights of a contact at some distances, for a given reach of the hand.
    fn weights(on: Touched, near: (f64, f64), distances: &[f64], reach: f64) -> Vec<f64> {
        let contact = ContactPair { arm: 0, on, near };
        distances.iter().map(|distance| contact.weight(*distance, reach)).collect()
    }

    #[test]
    fn a_clap_is_a_contact_however_fast() {
        let clap = weights(Touched::Hand(1), HANDS, &[1.2, 0.8, 0.3, 0.7, 1.1], 0.7);
        assert_eq!(clap, [0.0, 0.0, 1.0, 0.0, 0.0]);
    }

    #[test]
    fn what_only_passes_is_no_contact() {
        let mut weights = [0.0, 0.5, 1.0, 0.4, 0.0, 0.6, 1.0, 1.0, 1.0, 0.0];
        without_passing(&mut weights, 2);
        assert_eq!(weights, [0.0, 0.0, 0.0, 0.0, 0.0, 0.6, 1.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn short_contacts_are_claps() {
        let weights = [0.0, 0.0, 0.0, 0.5, 1.0, 0.5, 0.0, 0.0, 0.0, 0.2, 1.0, 1.0, 1.0, 0.0];
        let found = claps(&weights, 2, 1);
        assert_eq!(found, (0..14).map(|frame| (2..7).contains(&frame)).collect::<Vec<bool>>());
    }

    #[test]
    fn a_hand_on_the_hip_has_a_bent_elbow() {
        let closeness = |reach| weights(Touched::Hip(1), HIPS, &[0.2], reach);
        assert_eq!((closeness(0.7), closeness(0.97)), (vec![1.0], vec![0.0]));
    }

    #[test]
    fn a_weapon_in_the_hand_does_not_move_the_palm() {
        let walk = clip("robin_walk.bvh");
        let palm = |skeleton: &mocap_model::Skeleton| {
            let pair = Pair::new(skeleton, walk.skeleton(), &RetargetOptions::default()).unwrap();
            palm_offset(&pair.source, &pair.limbs[2].source)
        };
        let hand = walk.skeleton().find("hand_l").unwrap();
        let mut joints = walk.skeleton().joints().to_vec();
        joints.push(Joint::new("weapon", Some(hand), [0.0, 0.5, 0.0].into()));
        let armed = mocap_model::Skeleton::new("", *walk.skeleton().space(), joints).unwrap();
        assert_eq!(palm(&armed), palm(walk.skeleton()));
    }

    #[test]
    fn pairs_that_are_never_near_have_no_contact() {
        let walk = clip("alex_walk.bvh");
        let options = RetargetOptions::default();
        let pair = Pair::new(walk.skeleton(), clip("robin_walk.bvh").skeleton(), &options).unwrap();
        let source = SourceClip::new(std::borrow::Cow::Borrowed(&walk), &pair, 0).unwrap();
        let limbs = || pair.limbs.iter().map(|limb| &limb.source);
        let lengths: Vec<f64> = limbs().map(|limb| pair.source.reference.limb_length(limb)).collect();
        let placed = PlacedJoints::of(source.motion(), pair.placed.iter().chain(&pair.turned).copied());
        let hands = MovingHands::of(&pair.source, limbs(), pair.directions.up, 0.0);
        // Distances of contact, up to values that every hand comes within.
        for wider in [1.0, 1.5, 2.0, 3.0] {
            let mut pairs = contact_pairs(&pair, true);
            pairs.iter_mut().for_each(|contact| contact.near = (contact.near.0, contact.near.1 * wider));
            let mut near = vec![false; pairs.len()];
            hands.mark_near(&pairs, &lengths, &placed, &mut near);
            let weighs = |contact: &ContactPair| {
                let mut found = Closeness::default();
                hands.append_closeness(contact, lengths[contact.arm], &placed, &mut found);
                found.weights.iter().any(|weight| *weight > 0.0)
            };
            assert_eq!(near, pairs.iter().map(weighs).collect::<Vec<bool>>(), "{wider}");
        }
    }
}
