//! Context mixing: bytes are packed bit by bit with four models, each for a longer context of previous bytes,
//! whose predictions are mixed.
//!
//! Based on: M. Mahoney, "Adaptive weighing of context models for lossless data compression", 2005.

#[cfg(feature = "encode")]
use crate::range_coder::RangeEncoder;
use crate::range_coder::{BitCoder, Discard, RangeDecoder};
use crate::wire::TEXT_END;
use std::sync::LazyLock;

/// Number of models: each uses the bits of the byte so far, and zero to three previous bytes.
const ORDERS: usize = 4;
/// Bits of the hashed index of a cell. Collisions only cost bits.
const PLACES: u32 = 18;
/// Factors of the hash.
const OF_BYTES: u32 = 0x9E37_79B1;
const OF_NODE: u32 = 0x85EB_CA6B;

/// A cell that has seen no bit.
const NEW: Cell = Cell { one: 0x8000, seen: 0 };
/// Up to this many bytes, only few cells are touched.
const FEW: usize = 256;

/// The state of a model for a context.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Probability of a 1 out of 2^16.
    one: u16,
    /// Number of bits seen, up to [`LEARNT`].
    seen: u16,
}

const LEARNT: usize = 20;
/// Adaptation rate by number of bits seen, out of 2^16.
const PACE: [i64; LEARNT + 1] = {
    let mut pace = [0; LEARNT + 1];
    let mut seen = 0;
    while seen <= LEARNT {
        pace[seen] = 655_360 / (10 * seen as i64 + 14);
        seen += 1;
    }
    pace
};

/// 4096 times the logistic function from -8 to 8, in halves.
const LOGISTIC: [i32; 33] = [
    1, 2, 4, 6, 10, 17, 27, 45, 74, 120, 194, 311, 488, 747, 1102, 1546, 2048, 2550, 2994, 3349, 3608, 3785,
    3902, 3976, 4022, 4051, 4069, 4079, 4086, 4090, 4092, 4094, 4095,
];
/// The largest argument of [`chance`], in units of 1/256.
const MOST: i32 = 2047;

/// Probability out of 4096, between 1 and 4095, of a logit.
const fn chance(logit: i32) -> i32 {
    let at = (logit >> 7) + 16;
    let [low, high] = [LOGISTIC[at as usize], LOGISTIC[at as usize + 1]];
    (low * (128 - (logit & 127)) + high * (logit & 127) + 64) >> 7
}

/// By probability: the least logit that gives it or more.
static LOGITS: [i16; 4096] = {
    let mut logits = [MOST as i16; 4096];
    let mut next = 0;
    let mut logit = -MOST;
    while logit <= MOST {
        while next <= chance(logit) {
            logits[next as usize] = logit as i16;
            next += 1;
        }
        logit += 1;
    }
    logits
};

/// Initial weight of a model, out of 2^16.
const WEIGHT: i64 = 20_000;

/// Cells by index.
#[derive(Clone, Debug)]
enum Cells {
    /// All of them.
    All(Vec<Cell>),
    /// Only those that differ from [`PRIMED`]: few bytes touch few of the many cells, which take long to copy.
    Changed(Changed),
}

/// A hash table with open addressing; an index is searched from its lowest bits on.
#[derive(Clone, Debug)]
struct Changed {
    /// Index plus one (0 if empty) and cell; the length is a power of two.
    slots: Vec<(u32, Cell)>,
}

impl Cells {
    #[inline]
    fn get(&self, place: usize) -> Cell {
        match self {
            Cells::All(cells) => cells[place],
            Cells::Changed(changed) => {
                let (known, cell) = changed.slots[changed.slot(place)];
                if known == 0 { PRIMED.primed(place) } else { cell }
            }
        }
    }

    #[inline]
    fn learn(&mut self, place: usize, bit: bool) {
        match self {
            Cells::All(cells) => cells[place].learn(bit),
            Cells::Changed(changed) => {
                let at = changed.slot(place);
                let slot = &mut changed.slots[at];
                if slot.0 == 0 {
                    *slot = (place as u32 + 1, PRIMED.primed(place));
                }
                slot.1.learn(bit);
            }
        }
    }
}

impl Changed {
    /// The slot of an index, present or free.
    #[inline]
    fn slot(&self, place: usize) -> usize {
        let last = self.slots.len() - 1;
        let mut at = place & last;
        while self.slots[at].0 != 0 && self.slots[at].0 != place as u32 + 1 {
            at = (at + 1) & last;
        }
        at
    }
}

/// Packs or unpacks bytes.
#[derive(Clone, Debug)]
pub(crate) struct Packer {
    cells: Cells,
    /// Weights of all models, by number of cells that have seen a bit.
    weights: [[i64; ORDERS]; ORDERS + 1],
    /// Previous bytes, the last one lowest.
    before: u32,
}

/// Usual joint names, with which the packer is primed for skeletons.
const NAMES: &str = "Hips Spine Spine1 Spine2 Spine3 Chest UpperChest Neck Neck1 Head HeadTop_End Jaw Eye LeftEye \
    RightEye LowerBack LHipJoint RHipJoint LeftUpLeg LeftLeg LeftFoot LeftToeBase LeftToe LeftToe_End \
    LeftFootIndex RightUpLeg RightLeg RightFoot RightToeBase RightToe LeftShoulder LeftArm LeftForeArm LeftHand \
    LeftHandThumb1 LeftHandThumb2 LeftHandThumb3 LeftHandIndex1 LeftHandIndex2 LeftHandMiddle1 LeftHandRing1 \
    LeftHandPinky1 LeftFingerBase LThumb RightShoulder RightArm RightForeArm RightHand RightHandThumb1 \
    RightHandIndex1 RightHandMiddle1 RightHandRing1 RightHandPinky1 RightFingerBase RThumb LeftUpperArm \
    LeftLowerArm LeftUpperLeg LeftLowerLeg LeftCollar RightUpperArm RightLowerArm RightUpperLeg RightLowerLeg \
    RightCollar LeftHip LeftKnee LeftAnkle LeftWrist LeftElbow RightHip RightKnee RightAnkle RightWrist RightElbow \
    Root joint_Root L_Thigh L_Calf L_Foot L_Toe L_Clavicle L_UpperarmTwist L_ForearmTwist R_Thigh R_Calf R_Clavicle \
    R_UpperarmTwist R_ForearmTwist L_Hip L_Knee L_Ankle L_Shoulder L_Elbow L_Wrist L_Hand L_Collar R_Hip R_Knee \
    R_Ankle R_Shoulder R_Elbow R_Wrist R_Hand mixamorig:Hips mixamorig:LeftHandIndex1 mixamorig:RightUpLeg Bip01 \
    Pelvis L Finger01 CC_Base_BoneRoot CC_Base_L_ThighTwist01 CC_Base_R_Index1 root pelvis spine_01 thigh_l calf_l \
    foot_l ball_l clavicle_l upperarm_l lowerarm_l hand_l index_01_l middle_02_l ring_03_l pinky_01_l thumb_01_r \
    thigh_twist_01_r lowerback upperback thorax lowerneck lhipjoint lfemur ltibia lfoot ltoes lclavicle lhumerus \
    lradius lwrist lhand lfingers lthumb rhipjoint rfemur rtibia rtoes rhumerus rradius rwrist rhand rfingers \
    rthumb UpperArm_L LowerArm_L Hand_L UpperLeg_R LowerLeg_R Foot_R Toes_R Shoulder_R";

/// A packer that has processed [`NAMES`], each as a text.
static PRIMED: LazyLock<Packer> = LazyLock::new(|| {
    let mut packer = Packer {
        cells: Cells::All(vec![NEW; 1 << PLACES]),
        weights: [[WEIGHT; ORDERS]; ORDERS + 1],
        before: 0,
    };
    for name in NAMES.split(' ') {
        packer.put(&mut Discard, name.as_bytes());
        packer.put(&mut Discard, &[TEXT_END]);
    }
    packer
});

impl Packer {
    pub(crate) fn new() -> Packer {
        PRIMED.clone()
    }

    /// Like [`Packer::take`] with a new packer: faster if the bytes are few.
    pub(crate) fn take_few(coder: &mut RangeDecoder<'_>, count: usize) -> Vec<u8> {
        Packer::of_few(count).take(coder, count)
    }

    /// Like [`Packer::new`], for at most `bytes` bytes: its cells have no room for those of more.
    fn of_few(bytes: usize) -> Packer {
        if bytes > FEW {
            return Packer::new();
        }
        // Each bit touches at most one cell of each order; half of the slots stay free.
        let slots = (2 * 8 * ORDERS * bytes.max(1)).next_power_of_two();
        let cells = Cells::Changed(Changed { slots: vec![(0, NEW); slots] });
        Packer { cells, weights: PRIMED.weights, before: PRIMED.before }
    }

    /// A cell of a packer that has all of them.
    #[inline]
    fn primed(&self, place: usize) -> Cell {
        match &self.cells {
            Cells::All(cells) => cells[place],
            Cells::Changed(_) => NEW,
        }
    }

    /// Packs bytes.
    pub(crate) fn put<C: BitCoder>(&mut self, coder: &mut C, bytes: &[u8]) {
        for byte in bytes {
            self.code(coder, *byte);
        }
    }

    /// Unpacks so many bytes.
    pub(crate) fn take(&mut self, coder: &mut RangeDecoder<'_>, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.code(coder, 0)).collect()
    }

    /// Codes the next byte.
    fn code<C: BitCoder>(&mut self, coder: &mut C, byte: u8) -> u8 {
        let hashes: [u32; ORDERS] = std::array::from_fn(|order| {
            let before = self.before & ((1 << (8 * order)) - 1);
            (before + ((order as u32 + 1) << 28)).wrapping_mul(OF_BYTES)
        });
        let mut node = 1u32;
        for shift in (0..8).rev() {
            let place = |hash: u32| (hash.wrapping_add(node.wrapping_mul(OF_NODE)) >> (32 - PLACES)) as usize;
            let places = hashes.map(place);
            let cells = places.map(|place| self.cells.get(place));
            let weights = &mut self.weights[cells.iter().filter(|cell| cell.seen > 0).count()];
            let guesses = cells.map(|cell| match cell.seen {
                0 => 0,
                _ => i64::from(LOGITS[usize::from(cell.one >> 4)]),
            });
            let sum: i64 = weights.iter().zip(guesses).map(|(weight, guess)| *weight * guess).sum();
            let one = chance((sum >> 16).clamp(-i64::from(MOST), i64::from(MOST)) as i32);
            let bit = coder.chance(((4096 - one) << 3) as u32, byte >> shift & 1 == 1);
            let error = i64::from((i32::from(bit) << 12) - one);
            for (weight, guess) in weights.iter_mut().zip(guesses) {
                *weight += (guess * error + 1024) >> 11;
            }
            places.into_iter().for_each(|place| self.cells.learn(place, bit));
            node = node << 1 | u32::from(bit);
        }
        self.before = self.before << 8 | (node & 0xFF);
        node as u8
    }
}

impl Cell {
    #[inline]
    fn learn(&mut self, bit: bool) {
        let target = if bit { 0xFFFF } else { 0 };
        let one = i64::from(self.one);
        self.one = (one + (((target - one) * PACE[usize::from(self.seen)]) >> 16)) as u16;
        self.seen = (self.seen + 1).min(LEARNT as u16);
    }
}

/// Whether this many bytes may be packed in so few. Redundant bytes take almost no bits, so the ratio is
/// limited: reading a small file should not take long.
pub(crate) fn fits(count: usize, packed: usize) -> bool {
    count <= packed.saturating_mul(MOST_TIMES).saturating_add(FREE)
}

const MOST_TIMES: usize = 64;
const FREE: usize = 4096;

/// Pads packed bytes until they may hold `count` bytes.
#[cfg(feature = "encode")]
pub(crate) fn fill_up(packed: &mut Vec<u8>, count: usize) {
    let least = count.saturating_sub(FREE).div_ceil(MOST_TIMES);
    packed.resize(packed.len().max(least), 0);
}

/// Packs bytes; their number is not stored.
#[cfg(feature = "encode")]
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut coder = RangeEncoder::new();
    Packer::new().put(&mut coder, bytes);
    let mut packed = coder.finish();
    fill_up(&mut packed, bytes.len());
    packed
}

/// Unpacks so many bytes; `None` where they do not fit.
pub(crate) fn unpack(packed: &[u8], count: usize) -> Option<Vec<u8>> {
    fits(count, packed.len()).then(|| Packer::new().take(&mut RangeDecoder::new(packed), count))
}

#[cfg(all(test, feature = "encode"))]
mod tests {
    use super::*;

    #[test]
    fn logits_are_the_inverse_of_chances() {
        assert!((-MOST..MOST).all(|logit| chance(logit) <= chance(logit + 1)));
        for logit in -MOST..=MOST {
            assert_eq!(chance(i32::from(LOGITS[chance(logit) as usize])), chance(logit));
            assert!((1..4096).contains(&chance(logit)));
        }
    }

    #[test]
    fn packed_bytes_read_back_and_repetition_costs_little() {
        let names: String =
            (0..60).map(|i| format!("CC_Base_L_Finger{:02} CC_Base_R_Finger{:02} ", i, i)).collect();
        let packed = pack(names.as_bytes());
        assert_eq!(unpack(&packed, names.len()).unwrap(), names.as_bytes());
        assert!(packed.len() * 12 < names.len(), "{} of {}", packed.len(), names.len());
        assert_eq!(unpack(&pack(&[]), 0).unwrap(), [] as [u8; 0]);
        let any: Vec<u8> = (0..3000u32).map(|i| (i.wrapping_mul(OF_BYTES) >> 24) as u8).collect();
        assert_eq!(unpack(&pack(&any), any.len()), Some(any));
    }

    #[test]
    fn few_bytes_are_unpacked_as_many_are() {
        for count in [0, 1, 22, 100, FEW] {
            let bytes: Vec<u8> = (0..count as u32).map(|i| (i.wrapping_mul(OF_BYTES) >> 29) as u8).collect();
            let packed = pack(&bytes);
            assert!(matches!(Packer::of_few(count).cells, Cells::Changed(_)));
            assert_eq!(Packer::take_few(&mut RangeDecoder::new(&packed), count), bytes);
        }
        assert!(matches!(Packer::of_few(FEW + 1).cells, Cells::All(_)));
    }

    #[test]
    fn few_bytes_hold_a_bounded_number() {
        let same = vec![0; 1_000_000];
        let packed = pack(&same);
        assert!(packed.len() * 65 > same.len(), "{}", packed.len());
        assert_eq!(unpack(&packed, same.len()), Some(same));
        assert_eq!(unpack(&[], 10_000), None);
        assert_eq!(unpack(&packed, usize::MAX), None);
    }
}
