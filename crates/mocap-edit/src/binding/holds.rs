//! All holds of all props of a scene. They are found before anything moves: an arm that carries one prop and then another
//! is steadied and moved with both in view.

use mocap_model::{Character, Clip, Isometry3, JointId, Role, Vector3};

use super::carried::{Carried, Holder, carried, other_hands};
use super::contact::places;
use super::extent::Extent;

/// A prop that is carried.
pub(super) struct HeldProp {
    /// Its number in the scene.
    pub at: usize,
    pub name: String,
    /// Its motion in the source, in metres.
    pub was: Clip,
    /// The transforms of its first joint there, by frame.
    pub own: Vec<Isometry3<f64>>,
    /// Where it may be held, in the frame of its first joint \[m\].
    pub grips: Vec<Vector3<f64>>,
    /// When it is carried and by whom.
    pub times: Vec<Carried>,
    /// By time: other hands that hold it meanwhile.
    pub seconds: Vec<Vec<Carried>>,
}

impl HeldProp {
    /// A prop of the source whose motion in metres is `was`; `None` if nobody carries it. `metres` is the length of a unit of
    /// the source.
    pub(super) fn of(
        (at, prop): (usize, &Character),
        was: Clip,
        metres: f64,
        people: &[&Holder],
    ) -> Option<HeldProp> {
        let own = places(&was, JointId(0));
        let fps = was.rate().fps();
        let times = carried(&own, people, fps);
        if times.is_empty() {
            return None;
        }
        let extent = Extent::of(&was, prop.body.as_ref(), metres);
        let hands = |one: &Carried| other_hands((&own, extent.as_ref()), people, one, fps);
        let seconds = times.iter().map(hands).collect();
        Some(HeldProp { at, name: prop.name.clone(), grips: grips(&was), own, times, seconds, was })
    }
}

/// The positions of a thing's joints in the frame of its first joint, in the first frame: where it may be held.
fn grips(thing: &Clip) -> Vec<Vector3<f64>> {
    let top = places(thing, JointId(0));
    let joints = thing.skeleton().iter().map(|(joint, _)| joint);
    let at = |joint: JointId| Some(top.first()?.inverse() * places(thing, joint).first()?);
    joints.filter_map(|joint| Some(at(joint)?.translation.vector)).collect()
}

/// A hand of a person, by its number.
pub(super) type Hand = (usize, Role);

fn is_by(one: &Carried, hand: Hand) -> bool {
    (one.by, one.role) == hand
}

fn marked<'a>(holds: impl Iterator<Item = &'a Carried>, frames: usize) -> Vec<bool> {
    let mut marked = vec![false; frames];
    for one in holds {
        marked[one.frames.clone()].fill(true);
    }
    marked
}

/// By frame: whether a hand carries a prop or holds it as a second hand.
pub(super) fn held_by(props: &[HeldProp], hand: Hand, frames: usize) -> Vec<bool> {
    let all = props.iter().flat_map(|prop| prop.times.iter().chain(prop.seconds.iter().flatten()));
    marked(all.filter(|one| is_by(one, hand)), frames)
}

/// By frame: whether a hand is brought to a prop that another hand carries.
pub(super) fn brought(props: &[HeldProp], hand: Hand, frames: usize) -> Vec<bool> {
    let all = props.iter().flat_map(|prop| prop.seconds.iter().flatten());
    marked(all.filter(|one| is_by(one, hand)), frames)
}

/// By frame: whether a hand that carries the prop `at` cannot move towards a `second` one without leaving what it holds
/// itself as a second hand, or taking another prop away from a third hand.
pub(super) fn tied(props: &[HeldProp], at: usize, (hand, second): (Hand, Hand), frames: usize) -> Vec<bool> {
    let mut tied = brought(props, hand, frames);
    for prop in props.iter().filter(|prop| prop.at != at) {
        for (time, hands) in prop.times.iter().zip(&prop.seconds) {
            if is_by(time, hand) {
                let others = marked(hands.iter().filter(|one| !is_by(one, second)), frames);
                tied.iter_mut().zip(others).for_each(|(tied, other)| *tied |= other);
            }
        }
    }
    tied
}

/// By frame: how many frames it is from the nearest marked one, `usize::MAX` without any.
pub(super) fn frames_from(marked: &[bool]) -> Vec<usize> {
    let mut away = vec![usize::MAX; marked.len()];
    let sweep = |away: &mut [usize], order: &mut dyn Iterator<Item = usize>| {
        let mut last: Option<usize> = None;
        for frame in order {
            if marked[frame] {
                last = Some(frame);
            }
            away[frame] = away[frame].min(last.map_or(usize::MAX, |last| last.abs_diff(frame)));
        }
    };
    sweep(&mut away, &mut (0..marked.len()));
    sweep(&mut away, &mut (0..marked.len()).rev());
    away
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(role: Role, frames: std::ops::Range<usize>) -> Carried {
        Carried { by: 0, role, frames, exact: true }
    }

    fn prop(at: usize, times: Vec<Carried>, seconds: Vec<Vec<Carried>>) -> HeldProp {
        let was = crate::fixtures::clip("alex_walk.bvh");
        HeldProp { at, name: String::new(), was, own: Vec::new(), grips: Vec::new(), times, seconds }
    }

    #[test]
    fn a_hand_knows_the_holds_of_all_props() {
        use Role::{LeftHand, RightHand};
        // The right hand carries a stick from frame 0 and a box from frame 6; the left one holds both, then carries a cup
        // that the right one holds.
        let props = [
            prop(0, vec![by(RightHand, 0..4)], vec![vec![by(LeftHand, 1..3)]]),
            prop(1, vec![by(RightHand, 6..8)], vec![vec![by(LeftHand, 6..8)]]),
            prop(2, vec![by(LeftHand, 9..12)], vec![vec![by(RightHand, 10..12)]]),
        ];
        let frames = |marks: Vec<bool>| (0..12).filter(|frame| marks[*frame]).collect::<Vec<_>>();
        assert_eq!(frames(held_by(&props, (0, RightHand), 12)), [0, 1, 2, 3, 6, 7, 10, 11]);
        assert_eq!(frames(held_by(&props, (0, LeftHand), 12)), [1, 2, 6, 7, 9, 10, 11]);
        assert_eq!(frames(brought(&props, (0, RightHand), 12)), [10, 11]);
        assert!(frames(held_by(&props, (1, LeftHand), 12)).is_empty());
        // The left hand comes along; a hand of somebody else would lose the box.
        assert_eq!(frames(tied(&props, 0, ((0, RightHand), (0, LeftHand)), 12)), [10, 11]);
        assert_eq!(frames(tied(&props, 0, ((0, RightHand), (1, LeftHand)), 12)), [6, 7, 10, 11]);
        assert_eq!(frames_from(&[false, true, false, false, true]), [1, 0, 1, 1, 0]);
        assert_eq!(frames_from(&[false; 2]), [usize::MAX; 2]);
    }
}
