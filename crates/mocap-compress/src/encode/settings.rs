//! Settings of an encoder for a block.

use crate::Profile;
use crate::encode::effort::{Effort, Work};
use std::cell::Cell;

/// The progress of an attempt.
pub(crate) struct Progress<'a> {
    /// Called with the share that is done.
    pub(crate) report: &'a dyn Fn(f64),
    /// Tracks of blocks: started, and all.
    pub(crate) started: Cell<usize>,
    pub(crate) all: usize,
}

impl Progress<'_> {
    pub(crate) fn start_track(&self) {
        (self.report)(self.started.get() as f64 / self.all.max(1) as f64);
        self.started.set(self.started.get() + 1);
    }
}

/// Joints and frames that may use only a share of their tolerance.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tight<'a> {
    /// The share, by joint and by frame of the clip; no frames of a joint that may use its whole tolerance.
    pub(crate) shares: &'a [Vec<f32>],
    /// The first frame of the block.
    pub(crate) first: usize,
}

impl Tight<'_> {
    /// Factor for squared errors.
    pub(crate) fn strictness(&self, joint: usize, frame: usize) -> f64 {
        let share = self.shares.get(joint).and_then(|shares| shares.get(self.first + frame));
        share.map_or(1.0, |share| 1.0 / f64::from(share * share))
    }
}

/// Settings of an encoder, in units of the clip.
#[derive(Clone)]
pub(crate) struct Settings<'a> {
    pub(crate) power: f64,
    /// The greatest error of a rotation in object space \[rad\], if bounded.
    pub(crate) turn: Option<f64>,
    /// Whether first frames are predicted only from the head.
    pub(crate) anchored: bool,
    /// Whether tracks do not refer to others, and numbers have fixed widths.
    pub(crate) direct: bool,
    /// Work done to save bytes.
    pub(crate) work: Work,
    /// Samples that may use only a share of their tolerance.
    pub(crate) tight: Tight<'a>,
    pub(crate) progress: &'a Progress<'a>,
}

impl<'a> Settings<'a> {
    pub(crate) fn new(progress: &'a Progress<'a>) -> Settings<'a> {
        let power = crate::encode::rig::POWER;
        let work = Effort::MOST.work(Profile::Archive);
        Settings {
            power,
            turn: None,
            anchored: false,
            direct: false,
            work,
            tight: Tight::default(),
            progress,
        }
    }
}
