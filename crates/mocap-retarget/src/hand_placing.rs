//! Stage 4, hands: moves the goals of hands so that the self-contacts of the source are kept.
//!
//! If two contacts of one hand contradict each other, the one with the greater confidence is kept. A contact
//! out of reach is released smoothly and ahead of time: a hand in the air beside its goal looks worse than an
//! arm that copies the source.

use crate::arm_reach::{FreeArm, MOST_TURN, MOST_TURN_TO_CLAP, meeting};
use crate::body::LimbKind;
use crate::pair::Pair;
use crate::self_contact::{FADE, SelfContacts, Touched, palm_offset};
use crate::smoothing::{envelope, falling};
use crate::standing_heights::StandingHeights;
use crate::trajectories::{BodyTargets, place_of};
use mocap_analysis::runs;
use mocap_model::{FrameRate, Vector3};

/// A contact that would be missed by more than the second value is released; from the first value on its weight
/// falls. Shares of the arm's length: 1 and 2 cm for an arm of 0.55 m.
const MISSED: (f64, f64) = (0.018, 0.036);
/// Two contacts of one hand contradict each other if their positions differ by more than the second value; from
/// the first value on they do so in part. Shares of the arm's length.
const APART: (f64, f64) = (0.036, 0.072);

/// Moves the goals of hands to keep their contacts, and lowers the weights of contacts that cannot be kept.
/// Runs after the foot lock.
pub(crate) fn keep_self_contacts(
    pair: &Pair,
    contacts: &mut SelfContacts,
    heights: &StandingHeights,
    rate: FrameRate,
    body: &mut BodyTargets,
) {
    if !contacts.any() {
        return;
    }
    let placing = HandPlacing::new(pair, heights);
    let reach = (FADE * rate.fps()).round().max(1.0) as usize;
    if !pair.is_one_body() {
        placing.plant(contacts, body);
    }
    contacts.let_go(&placing.conflicts(contacts, body), reach);
    contacts.let_go(&placing.out_of_reach(contacts, body), reach);
    placing.apply(contacts, body);
}

/// Inputs for placing the hands of a body.
pub(crate) struct HandPlacing<'a> {
    pair: &'a Pair,
    /// The palm of each limb in the frame of its tip.
    palms: Vec<Vector3<f64>>,
    /// Height of the target's floor.
    floor: f64,
}

/// The goal that one contact sets for a palm in one frame.
struct ContactGoal {
    /// Index in the contacts.
    contact: usize,
    arm: usize,
    weight: f64,
    /// Weight by the distance in this frame, before it fades in time.
    touching: f64,
    clap: bool,
    confidence: f64,
    /// Goal of the palm.
    place: Vector3<f64>,
    /// How far two hands stay from the offset of their contact when both go as near as they reach,
    /// times the weight of the contact [units of the target].
    missed: f64,
}

impl<'a> HandPlacing<'a> {
    pub(crate) fn new(pair: &'a Pair, heights: &StandingHeights) -> HandPlacing<'a> {
        let palms = pair.limbs.iter().map(|limb| palm_offset(&pair.target, &limb.target)).collect();
        HandPlacing { pair, palms, floor: heights.target_floor }
    }

    /// A transferred arm; `None` for legs and for arms that are not solved. `claps`: whether it claps in this
    /// frame, which raises the limit of its rotation.
    pub(crate) fn arm(&self, body: &BodyTargets, limb: usize, frame: usize, claps: bool) -> Option<FreeArm> {
        let (block, lane) = place_of(frame);
        let targets = body.limbs[limb].get(block)?;
        let of = &self.pair.limbs[limb].target;
        if of.kind != LimbKind::Arm {
            return None;
        }
        let reference = &self.pair.target.reference;
        let upper = self.pair.target.skeleton.joint(of.middle).offset;
        Some(FreeArm {
            shoulder: targets.from.at(lane),
            wrist: targets.goal.at(lane),
            upper_direction: targets.frames[0].at(lane) * upper,
            palm: targets.tip.at(lane) * self.palms[limb],
            bones: [reference.distance(of.base, of.middle), reference.distance(of.middle, of.tip)],
            most_turn: if claps { MOST_TURN_TO_CLAP } else { MOST_TURN },
        })
    }

    /// Collects the goals that the contacts set in a frame. All are computed from the goals before this stage,
    /// so the order of the hands makes no difference.
    fn asked(&self, contacts: &SelfContacts, body: &BodyTargets, frame: usize, asked: &mut Vec<ContactGoal>) {
        asked.clear();
        let (block, lane) = place_of(frame);
        let up = self.pair.directions.up;
        for (i, (contact, offsets)) in contacts.pairs.iter().zip(&contacts.offsets).enumerate() {
            let Some(touch) = offsets.get(frame).filter(|touch| touch.weight > 0.0) else { continue };
            let Some(arm) = self.arm(body, contact.arm, frame, touch.clap) else { continue };
            let (at, offset) = (arm.palm_place(), touch.offset);
            let mut missed = 0.0;
            let place = match contact.on {
                Touched::Hand(other) => {
                    let Some(other) = self.arm(body, other, frame, touch.clap) else { continue };
                    let [own, others] = meeting(&arm, &other, &offset);
                    missed = (own - others - offset).norm() * touch.weight;
                    own
                }
                Touched::Hip(leg) => body.limbs[leg][block].from.at(lane) + offset,
                Touched::Head => body.head[block].at(lane) + offset,
                Touched::Floor => at + offset + up * (self.floor - at.dot(&up)),
            };
            let (arm, weight) = (contact.arm, touch.weight);
            let (touching, confidence) = (touch.touching, weight * touch.nearness);
            let clap = touch.clap;
            asked.push(ContactGoal { contact: i, arm, weight, touching, clap, confidence, place, missed });
        }
    }

    /// Keeps hands that stay in place on the floor at one place of it, by horizontal offsets of their contacts, where
    /// they reach it. Outside of these times the offsets are continuous.
    fn plant(&self, contacts: &mut SelfContacts, body: &BodyTargets) {
        let up = self.pair.directions.up;
        for (contact, touches) in contacts.pairs.iter().zip(&mut contacts.offsets) {
            if contact.on != Touched::Floor || touches.len() != body.frames {
                continue;
            }
            let stays: Vec<bool> = touches.iter().map(|touch| touch.touches() && touch.still).collect();
            let mut planted: Vec<(usize, Vector3<f64>)> = Vec::new();
            for run in runs(&stays) {
                let arm = |frame: usize| self.arm(body, contact.arm, frame, false);
                let Some(arms) = run.clone().map(arm).collect::<Option<Vec<_>>>() else { continue };
                let place = arms.iter().map(FreeArm::palm_place).sum::<Vector3<f64>>() / arms.len() as f64;
                let ways = arms.iter().map(|arm| place - arm.palm_place()).map(|way| way - up * way.dot(&up));
                let ways: Vec<Vector3<f64>> = ways.collect();
                let reaches = |(frame, (arm, way)): (usize, (&FreeArm, &Vector3<f64>))| {
                    let palm = arm.palm_place();
                    let height = touches[frame].offset.dot(&up) + self.floor;
                    let goal = palm + way + up * (height - palm.dot(&up));
                    (arm.reached(&goal) - goal).norm() <= MISSED.0 * arm.length()
                };
                if run.clone().zip(arms.iter().zip(&ways)).all(reaches) {
                    planted.extend(run.zip(ways));
                }
            }
            for (frame, touch) in touches.iter_mut().enumerate() {
                touch.offset += between(&planted, frame);
            }
        }
    }

    /// By contact, then by frame: how far it contradicts a contact of the same hand with greater confidence, 0
    /// to 1.
    fn conflicts(&self, contacts: &SelfContacts, body: &BodyTargets) -> Vec<Vec<f64>> {
        let mut lost = vec![Vec::new(); contacts.pairs.len()];
        let mut asked = Vec::new();
        for frame in 0..body.frames {
            self.asked(contacts, body, frame, &mut asked);
            for one in &asked {
                let others = asked.iter().filter(|other| other.arm == one.arm);
                let surest = others
                    .max_by(|a, b| a.confidence.total_cmp(&b.confidence).then(b.contact.cmp(&a.contact)));
                let Some(surest) = surest.filter(|surest| surest.contact != one.contact) else { continue };
                let apart =
                    (one.place - surest.place).norm() / self.length(one.arm) * one.weight.min(surest.weight);
                note(&mut lost[one.contact], frame, body.frames, 1.0 - falling(APART, apart));
            }
        }
        lost
    }

    /// By contact, then by frame: how far it is out of reach, 0 to 1.
    fn out_of_reach(&self, contacts: &SelfContacts, body: &BodyTargets) -> Vec<Vec<f64>> {
        let mut lost = vec![Vec::new(); contacts.pairs.len()];
        let mut asked = Vec::new();
        for frame in 0..body.frames {
            self.asked(contacts, body, frame, &mut asked);
            for one in &asked {
                let Some(arm) = self.arm(body, one.arm, frame, claps(one.arm, &asked)) else { continue };
                let palm_goal = palm_goal(&arm, one.arm, &asked);
                let missed =
                    (arm.reached(&palm_goal) - palm_goal).norm().max(one.missed) / self.length(one.arm);
                // While the hand is on its way to a contact, it only goes as far as it reaches: weighted by the
                // nearness in this frame.
                let loss = (1.0 - falling(MISSED, missed)) * one.touching;
                note(&mut lost[one.contact], frame, body.frames, loss);
            }
        }
        lost
    }

    /// The length of an arm of the target.
    fn length(&self, limb: usize) -> f64 {
        self.pair.target.reference.limb_length(&self.pair.limbs[limb].target)
    }

    /// Moves the goals of hands.
    fn apply(&self, contacts: &SelfContacts, body: &mut BodyTargets) {
        let mut asked = Vec::new();
        let mut moves: Vec<(usize, Vector3<f64>)> = Vec::new();
        for frame in 0..body.frames {
            self.asked(contacts, body, frame, &mut asked);
            if asked.is_empty() {
                continue;
            }
            moves.clear();
            for limb in 0..self.pair.limbs.len() {
                if asked.iter().all(|one| one.arm != limb) {
                    continue;
                }
                let Some(arm) = self.arm(body, limb, frame, claps(limb, &asked)) else { continue };
                moves.push((limb, arm.reached(&palm_goal(&arm, limb, &asked)) - arm.palm));
            }
            let (block, lane) = place_of(frame);
            for (limb, wrist) in &moves {
                body.limbs[*limb][block].goal.set(lane, wrist);
            }
        }
    }
}

/// The value at a frame, on the line between those of the nearest frames that have one, which are in order; zero
/// without any.
fn between(values: &[(usize, Vector3<f64>)], frame: usize) -> Vector3<f64> {
    let next = values.partition_point(|(at, _)| *at < frame);
    match (next.checked_sub(1).map(|last| values[last]), values.get(next)) {
        (Some((from, a)), Some((to, b))) => {
            let share = (frame - from) as f64 / (to - from) as f64;
            a + (b - a) * share
        }
        (Some((_, value)), None) => value,
        (None, Some((_, value))) => *value,
        (None, None) => Vector3::zeros(),
    }
}

/// Whether a contact goal of this arm is a clap.
fn claps(limb: usize, asked: &[ContactGoal]) -> bool {
    asked.iter().any(|one| one.arm == limb && one.clap)
}

/// Goal of the palm of an arm: the mean of its contacts' goals weighted by confidence, applied by the sum of
/// their weights.
fn palm_goal(arm: &FreeArm, limb: usize, asked: &[ContactGoal]) -> Vector3<f64> {
    let at = arm.palm_place();
    let (mut sum, mut confidence, mut weight) = (Vector3::zeros(), 0.0, 0.0);
    for one in asked.iter().filter(|one| one.arm == limb) {
        sum += (one.place - at) * one.confidence;
        confidence += one.confidence;
        weight += one.weight;
    }
    if confidence > 0.0 { at + sum * (f64::min(weight, 1.0) / confidence) } else { at }
}

/// Keeps the larger value in a frame; a curve stays empty until it gets a value.
fn note(values: &mut Vec<f64>, frame: usize, frames: usize, value: f64) {
    if value > 0.0 {
        values.resize(frames, 0.0);
        values[frame] = f64::max(values[frame], value);
    }
}

impl SelfContacts {
    /// Lowers the weights of contacts by `lost`, smoothly and ahead of time, within `reach` frames. Two hands
    /// that touch each other release at the same time.
    fn let_go(&mut self, lost: &[Vec<f64>], reach: usize) {
        for i in 0..self.pairs.len() {
            let own = self.pairs[i];
            let back = self
                .pairs
                .iter()
                .position(|other| own.on == Touched::Hand(other.arm) && other.on == Touched::Hand(own.arm));
            let mut all = lost[i].clone();
            if let Some(back) = back {
                lost[back]
                    .iter()
                    .enumerate()
                    .for_each(|(frame, value)| note(&mut all, frame, lost[back].len(), *value));
            }
            if all.is_empty() {
                continue;
            }
            for (touch, lost) in self.offsets[i].iter_mut().zip(envelope(&all, reach)) {
                touch.weight *= (1.0 - lost).max(0.0);
            }
        }
    }
}
