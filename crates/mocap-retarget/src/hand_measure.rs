//! Measures hands of the target that are on the floor in the source.

use crate::body::LimbKind;
use crate::error::RetargetWarning;
use crate::pair::Pair;
use crate::report::HandReport;
use crate::self_contact::{ContactPair, MovingHands, SelfContacts, Touched};
use mocap_analysis::runs;
use mocap_model::{PlacedJoints, Vector3};
use std::ops::Range;

/// A palm that is nearer to the floor keeps its contact [arm lengths]: 2 cm of a person.
const KEPT: f64 = 0.036;
/// One that is further off is not on it: 3 cm of a person.
const OFF: f64 = 0.055;

/// The hands on the floor while the frames of the target are placed.
pub(crate) struct HandsOnFloor<'a> {
    pair: &'a Pair,
    contacts: &'a SelfContacts,
    hands: MovingHands<'a>,
    fps: f64,
    rows: Vec<Row<'a>>,
}

/// One hand.
struct Row<'a> {
    arm: usize,
    /// The contact with the floor and its index.
    contact: Option<(usize, &'a ContactPair)>,
    contacts: Vec<Range<usize>>,
    /// Of contact frames: the height of the palm above that of the source, scaled.
    heights: Vec<f64>,
    /// The palm in the frame before.
    before: Option<(usize, Vector3<f64>)>,
    /// Steps along the floor from one frame to the next while the source's hand stays.
    steps: Vec<f64>,
}

impl<'a> HandsOnFloor<'a> {
    /// `floor` is the height of the target's floor.
    pub(crate) fn new(pair: &'a Pair, contacts: &'a SelfContacts, floor: f64, fps: f64) -> HandsOnFloor<'a> {
        let limbs = || pair.limbs.iter().map(|limb| &limb.target);
        let arms = (0..pair.limbs.len()).filter(|limb| pair.limbs[*limb].target.kind == LimbKind::Arm);
        let row = |arm: usize| {
            let mut pairs = contacts.pairs.iter().enumerate();
            let contact = pairs.find(|(_, contact)| contact.arm == arm && contact.on == Touched::Floor);
            let touching = contact.map(|(i, _)| contacts.offsets[i].iter().map(|touch| touch.touches()));
            let touching: Vec<bool> = touching.into_iter().flatten().collect();
            let contacts = runs(&touching);
            Row { arm, contact, contacts, heights: Vec::new(), before: None, steps: Vec::new() }
        };
        let rows = arms.map(row).collect();
        let hands = MovingHands::of(&pair.target, limbs(), pair.directions.up, floor);
        HandsOnFloor { pair, contacts, hands, fps, rows }
    }

    pub(crate) fn append(&mut self, placed: &PlacedJoints) {
        let HandsOnFloor { contacts, hands, rows, .. } = self;
        let window = placed.range();
        for row in rows {
            let Some((i, contact)) = row.contact else { continue };
            for run in &row.contacts {
                for frame in run.start.max(window.start)..run.end.min(window.end) {
                    let touch = &contacts.offsets[i][frame];
                    let palm = hands.palm(contact, placed, frame);
                    row.heights.push((palm.dot(&hands.up) - hands.floor) - touch.offset.dot(&hands.up));
                    let last = row.before.filter(|(last, _)| last + 1 == frame && touch.still);
                    row.steps.extend(last.map(|(_, last)| {
                        let way = palm - last;
                        (way - hands.up * way.dot(&hands.up)).norm()
                    }));
                    row.before = Some((frame, palm));
                }
            }
        }
    }

    /// The figures of each hand, and warnings of hands that are off the floor.
    pub(crate) fn reports(self) -> (Vec<HandReport>, Vec<RetargetWarning>) {
        let HandsOnFloor { pair, fps, rows, .. } = self;
        let metres = pair.target.metres;
        let mut warnings = Vec::new();
        let report = |row: Row| {
            let limb = &pair.limbs[row.arm].target;
            let length = pair.target.reference.limb_length(limb);
            let role = limb.kind.roles_of(limb.side)[2];
            let off = || row.heights.iter().map(|height| height.abs()).filter(|off| *off > OFF * length);
            if let Some(distance) = off().reduce(f64::max) {
                let (frames, distance) = (off().count(), distance * metres);
                warnings.push(RetargetWarning::HandOffFloor { hand: role, frames, distance });
            }
            let count = row.heights.len();
            let kept = row.heights.iter().filter(|height| height.abs() <= KEPT * length).count();
            let most = |sign: f64| {
                row.heights.iter().map(|height| (sign * height).max(0.0) * metres).reduce(f64::max)
            };
            let steps = row.steps.len();
            HandReport {
                role,
                contact_frames: count,
                slide: (steps > 0).then(|| row.steps.iter().sum::<f64>() / steps as f64 * fps * metres),
                float: most(1.0),
                penetration: most(-1.0),
                contacts_kept: (count > 0).then(|| kept as f64 / count as f64),
                contacts: row.contacts,
            }
        };
        (rows.into_iter().map(report).collect(), warnings)
    }
}
