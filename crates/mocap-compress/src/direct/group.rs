//! Eight tracks in parallel lanes: how a block stores them, and what their frames need besides.

use super::LEVELS;
use super::bits_in_lanes::NARROW;
use super::layout::{Layout, MIDDLE};
use super::values::V;
use crate::lanes::{LANES, Lane, Quats, Vectors};
use crate::lattice::power_of_half;
use crate::quat::Quat;
use crate::segments::{Row, WIDEST};
use crate::track::Moving;
use crate::window::NO_JOINT;
use fearless_simd::{Simd, f32x8, prelude::*, u32x8};

/// A track of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Track {
    /// Its place in the file.
    pub(super) place: usize,
    pub(super) joint: usize,
    pub(super) moving: Moving,
    pub(super) rest: Quat,
}

/// Eight tracks side by side. Lanes without a track have no bits, and stay at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// The places of the tracks in the file.
    pub(super) tracks: [u32; LANES],
    /// By level from 1, and axis, the bits at the code 0.
    pub(super) bits: [[[i32; LANES]; 3]; LEVELS - 1],
    /// The steps against those of the lattice.
    pub(super) scales: Lane,
    pub(super) row: RowOf,
    pub(super) basis: [Vectors; 3],
    /// The values that first frames are predicted from.
    pub(super) rotations: Quats,
    pub(super) translations: Vectors,
    /// All bits are set in the lanes of rotations.
    pub(super) turning: [u32; LANES],
    /// The joints of rotations, and of translations.
    pub(super) turned: [u32; LANES],
    pub(super) moved: [u32; LANES],
    /// Whether there are rotations, and translations.
    pub(super) turns: bool,
    pub(super) moves: bool,
}

impl Group {
    pub(super) const NONE: Group = Group {
        tracks: [0; LANES],
        bits: [[[-2 * WIDEST; LANES]; 3]; LEVELS - 1],
        scales: [0.0; LANES],
        row: RowOf::NONE,
        basis: [Vectors::ZERO; 3],
        rotations: Quats::IDENTITY,
        translations: Vectors::ZERO,
        turning: [0; LANES],
        turned: [NO_JOINT; LANES],
        moved: [NO_JOINT; LANES],
        turns: false,
        moves: false,
    };

    /// Takes a track, whose numbers in rows begin at a bit.
    pub(super) fn put(&mut self, lane: usize, track: Track, layout: &Layout, start: usize) {
        self.tracks[lane] = track.place as u32;
        for (lanes, bits) in self.bits.iter_mut().zip(&layout.bits[1..]) {
            lanes.iter_mut().zip(bits).for_each(|(lanes, bits)| lanes[lane] = bits - MIDDLE);
        }
        self.scales[lane] = power_of_half(layout.halved);
        self.row.put(lane, start, &layout.row);
        for (column, basis) in self.basis.iter_mut().zip(layout.start.basis()) {
            column.set(lane, basis);
        }
        match track.moving {
            Moving::Rotation => {
                self.rotations.set(lane, layout.start.rotation(track.rest));
                self.turned[lane] = track.joint as u32;
                self.turning[lane] = u32::MAX;
                self.turns = true;
            }
            Moving::Translation => {
                self.translations.set(lane, layout.start.translation());
                self.moved[lane] = track.joint as u32;
                self.moves = true;
            }
        }
    }

    /// Vectors that are 0 for translations, so that their lanes hold the identity.
    #[inline(always)]
    pub(super) fn only_rotations<S: Simd>(&self, simd: S, V([x, y, z]): V<S>) -> V<S> {
        let turning = u32x8::simd_from(simd, self.turning);
        let only = |part: f32x8<S>| (part.bitcast::<u32x8<S>>() & turning).bitcast();
        V([only(x), only(y), only(z)])
    }
}

/// How rows store tracks side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowOf {
    pub(super) starts: [u32; LANES],
    pub(super) widths: [[u32; LANES]; 3],
    /// Their bits as unsigned numbers, to which others are added.
    pub(super) least: [[u32; LANES]; 3],
    pub(super) scales: Lane,
    /// The last one of the starts.
    pub(super) last: u32,
    /// Whether the numbers of all tracks have few bits.
    pub(super) narrow: bool,
}

impl RowOf {
    pub(super) const NONE: RowOf = RowOf {
        starts: [0; LANES],
        widths: [[0; LANES]; 3],
        least: [[0; LANES]; 3],
        scales: [0.0; LANES],
        last: 0,
        narrow: true,
    };

    pub(super) fn put(&mut self, lane: usize, start: usize, row: &Row) {
        self.starts[lane] = start as u32;
        self.last = self.last.max(start as u32);
        for axis in 0..3 {
            self.widths[axis][lane] = row.width[axis];
            self.least[axis][lane] = row.least[axis] as u32;
        }
        self.scales[lane] = row.scale();
        self.narrow &= row.bits() <= NARROW as usize;
    }
}
