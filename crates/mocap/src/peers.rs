//! Facts that a file leaves open, decided by other clips with the same skeleton: the unit of lengths, and the
//! meaning of position channels.
//!
//! A single clip may be of a child or a giant, or have been recorded on a ladder; most clips of its skeleton
//! are not.

use std::collections::BTreeMap;
use std::hash::Hasher;

use mocap_analysis::unit_guess;
use mocap_formats::Finding;
use mocap_formats::bvh::{PositionChannels, PositionMode};
use mocap_model::{Skeleton, Unit, UnitSource};
use mocap_retarget::map_roles;

use crate::{MotionFile, Problem, ReadOptions, unit_name};

/// The clips of a run, by skeleton: the votes of each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Peers {
    votes: BTreeMap<String, Votes>,
}

/// The votes of the clips of one skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
struct Votes {
    /// Number of clips by the bits of metres per unit. Positive numbers sort like their bits.
    units: BTreeMap<u64, usize>,
    /// Number of clips whose positions replace OFFSET, and whose positions add to it.
    positions: [usize; 2],
    /// Whether some clip leaves open the unit, or the meaning of its positions.
    open: [bool; 2],
}

/// Facts decided from other clips if a file leaves them open.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PeerAnswers {
    /// Metres per unit.
    pub unit: Option<PeerAnswer<f64>>,
    /// The meaning of position channels.
    pub positions: Option<PeerAnswer<PositionMode>>,
}

/// An answer and how many clips give it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PeerAnswer<T> {
    /// The answer.
    pub value: T,
    /// Number of clips that give it.
    pub agreeing: usize,
    /// Number of clips that give any answer.
    pub clips: usize,
}

/// The vote of one file.
struct Ballot {
    /// The names of all joints and of their parents.
    skeleton: String,
    /// The unit, and whether it is certain; `None` where it is stated.
    unit: Option<(Option<f64>, bool)>,
    /// The meaning of positions, and whether it is certain; `None` where it is stated or makes no difference.
    positions: Option<(PositionMode, bool)>,
}

impl Ballot {
    fn of(file: &MotionFile, options: &ReadOptions) -> Option<Ballot> {
        if file.format().states_space() || !file.format().has_motion() {
            return None;
        }
        let alone = ReadOptions { peers: PeerAnswers::default(), ..options.clone() };
        let header = file.header(&alone).ok()?.value;
        let roles = map_roles(&header.skeleton).certain().apply(&header.skeleton);
        let guess = unit_guess(&roles);
        let unit = header.skeleton.space().unit.is_none().then(|| {
            let certain = guess.is_some_and(|guess| guess.certain);
            (guess.map(|guess| guess.unit.metres), certain)
        });
        let votes = file.stated(&alone).position_votes;
        let positions = votes.filter(|_| options.position_channels == PositionChannels::Auto);
        let positions = positions.and_then(|votes| Some((votes.mode?, !votes.weak)));
        Some(Ballot { skeleton: key(&header.skeleton), unit, positions })
    }
}

impl Peers {
    /// Greatest number of clips of a run that vote.
    pub const MOST: usize = 256;

    /// Adds the vote of a file.
    pub fn add(&mut self, file: &MotionFile, options: &ReadOptions) {
        let Some(Ballot { skeleton, unit, positions }) = Ballot::of(file, options) else { return };
        let votes = self.votes.entry(skeleton).or_default();
        match unit {
            Some((Some(metres), true)) => *votes.units.entry(metres.to_bits()).or_default() += 1,
            Some((_, _)) => votes.open[0] = true,
            None => {}
        }
        match positions {
            Some((mode, true)) => votes.positions[usize::from(mode == PositionMode::Add)] += 1,
            Some((_, false)) => votes.open[1] = true,
            None => {}
        }
    }

    /// The facts decided for a file; none if it is certain by itself or the clips disagree.
    pub fn answers(&self, file: &MotionFile, options: &ReadOptions) -> PeerAnswers {
        let Some(ballot) = Ballot::of(file, options) else { return PeerAnswers::default() };
        let Some(votes) = self.votes.get(&ballot.skeleton) else { return PeerAnswers::default() };
        let is_open = |certain: bool| !certain;
        PeerAnswers {
            unit: ballot.unit.filter(|(_, certain)| is_open(*certain)).and_then(|_| votes.unit()),
            positions: ballot
                .positions
                .filter(|(_, certain)| is_open(*certain))
                .and_then(|_| votes.position()),
        }
    }

    /// Whether a file leaves something open that other clips could decide.
    pub fn is_open(file: &MotionFile, options: &ReadOptions) -> bool {
        let ballot = Ballot::of(file, options);
        ballot.is_some_and(|ballot| {
            ballot.unit.is_some_and(|(_, certain)| !certain)
                || ballot.positions.is_some_and(|(_, certain)| !certain)
        })
    }

    /// The decided facts as text, for the fingerprint of a run; `None` if no voting clip leaves anything open.
    pub fn outcome(&self) -> Option<String> {
        let rows = self.votes.iter().filter_map(|(skeleton, votes)| {
            let unit = votes
                .unit()
                .filter(|_| votes.open[0])
                .map(|answer| unit_name(&Unit { metres: answer.value, source: UnitSource::Voted }));
            let positions = votes.position().filter(|_| votes.open[1]).map(|answer| answer.value.to_string());
            let decided: Vec<String> = unit.into_iter().chain(positions).collect();
            (!decided.is_empty()).then(|| format!("{:016x}={}", fnv(skeleton), decided.join(",")))
        });
        let rows: Vec<String> = rows.collect();
        (!rows.is_empty()).then(|| rows.join(" "))
    }
}

impl Votes {
    fn unit(&self) -> Option<PeerAnswer<f64>> {
        let votes: Vec<(f64, usize)> =
            self.units.iter().map(|(bits, count)| (f64::from_bits(*bits), *count)).collect();
        majority(&votes)
    }

    fn position(&self) -> Option<PeerAnswer<PositionMode>> {
        let [replace, add] = self.positions;
        majority(&[(PositionMode::Replace, replace), (PositionMode::Add, add)])
    }
}

/// The answer of more than half of the clips.
fn majority<T: Copy>(votes: &[(T, usize)]) -> Option<PeerAnswer<T>> {
    let clips = votes.iter().map(|(_, count)| count).sum();
    let (value, agreeing) = *votes.iter().find(|(_, count)| 2 * count > clips)?;
    Some(PeerAnswer { value, agreeing, clips })
}

impl PeerAnswers {
    /// Decided facts are guesses.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = Finding> {
        let unit = self.unit.map(|PeerAnswer { value, agreeing, clips }| {
            let unit = Unit { metres: value, source: UnitSource::Voted };
            Finding::new(Problem::UnitVoted { unit, agreeing, clips })
        });
        let positions = self.positions.map(|PeerAnswer { value, agreeing, clips }| {
            Finding::new(Problem::PositionsVoted { mode: value, agreeing, clips })
        });
        unit.into_iter().chain(positions)
    }
}

/// Identifies a skeleton by the names of all joints and the indices of their parents: clips of one character
/// share them, whatever their offsets.
fn key(skeleton: &Skeleton) -> String {
    let mut key = String::new();
    for joint in skeleton.joints() {
        let parent = joint.parent.map_or(-1, |parent| i64::from(parent.0));
        key.push_str(&format!("{}\n{parent}\n", joint.name));
    }
    key
}

/// A hash that is the same on every machine and for every version (FNV-1a, 64 bits).
fn fnv(text: &str) -> u64 {
    struct Fnv(u64);
    impl Hasher for Fnv {
        fn finish(&self) -> u64 {
            self.0
        }
        fn write(&mut self, bytes: &[u8]) {
            for byte in bytes {
                self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
    }
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.write(text.as_bytes());
    hash.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The walk of a fixture, `scale` times as large.
    fn walk(scale: f64) -> MotionFile {
        let options = ReadOptions::default();
        let walk = crate::read("../../fixtures/clips/alex_walk.bvh").unwrap().value.scaled(scale).unwrap();
        let written =
            mocap_formats::write(&walk, crate::Format::Bvh, &crate::WriteOptions::default()).unwrap();
        let bytes = written.main.into_bytes();
        MotionFile::parse(&bytes, crate::Format::Bvh.into(), crate::Companions::default(), &options)
            .unwrap()
            .value
    }

    #[test]
    fn most_clips_of_a_skeleton_settle_what_one_leaves_open() {
        let options = ReadOptions::default();
        let metres = crate::known_unit(&walk(1.0).header(&options).unwrap().value.skeleton).unwrap().metres;
        // In centimetres, so a child of 65 cm might be an adult in inches.
        let (adult, child) = (walk(100.0 * metres), walk(40.0 * metres));
        assert!(!Peers::is_open(&adult, &options) && Peers::is_open(&child, &options));
        let mut peers = Peers::default();
        assert_eq!(peers.answers(&child, &options), PeerAnswers::default());
        peers.add(&child, &options);
        assert_eq!(peers.answers(&child, &options).unit, None);
        assert_eq!(peers.outcome(), None);
        peers.add(&adult, &options);
        peers.add(&adult, &options);
        let answers = peers.answers(&child, &options);
        assert_eq!(answers.unit, Some(PeerAnswer { value: 0.01, agreeing: 2, clips: 2 }));
        assert!(peers.outcome().unwrap().ends_with("=cm"));
        // Votes neither override a file that is certain, nor a unit that the user states.
        assert_eq!(peers.answers(&adult, &options), PeerAnswers::default());
        let stated = ReadOptions { unit: Some(0.0254), ..ReadOptions::default() };
        assert_eq!(peers.answers(&child, &stated), PeerAnswers::default());
        let with_peers = ReadOptions { peers: answers, ..ReadOptions::default() };
        let clip = child.into_clip(&with_peers).unwrap();
        assert_eq!(clip.value.skeleton().space().unit.unwrap().source, UnitSource::Voted);
        assert!(clip.warnings.iter().any(|warning| warning.code() == "unit::voted"));
    }

    #[test]
    fn half_of_the_clips_are_no_majority() {
        assert_eq!(majority(&[(1, 2), (2, 2)]), None);
        assert_eq!(majority(&[(1, 2), (2, 3)]), Some(PeerAnswer { value: 2, agreeing: 3, clips: 5 }));
        assert_eq!(majority::<u8>(&[]), None);
    }
}
