//! The encoder's side of the coding loop: closed-loop targets, and residuals that keep the error bound.
//!
//! A track's target is what takes its joint to its original place in object space from where the decoder will
//! have its parent: errors of parents are corrected, not passed on.

use crate::encode::fit::{self, rodrigues};
use crate::encode::rig::{Body, Placed, Point, Rig, lever_metric, to_f64};
use crate::encode::search::{NEARNESS, NEARNESS_LAST, choose};
use crate::hierarchy::Node;
use crate::lattice::{Column, DIRECTION, Kind, Lattice, Residual};
use crate::plan::Plan;
use crate::quat::{self, Quat};
use crate::track::{BASE_STEPS, Head, Moving, Source, Tracks, predict_translation, stands_alone};
use mocap_model::{UnitQuaternion, Vector3};
use nalgebra::Matrix3;
use std::cell::Cell;

/// Steps against those that just fill the region of the tolerance: larger ones leave some targets without a
/// lattice point, which then costs a refinement.
const STEP: f64 = 1.1;
const STEP_TRANSLATION: f64 = 1.25;
/// The covering radius of the lattices, in steps.
const CUBIC_RADIUS: f64 = 0.866_025_403_784_438_6;
const CENTRED_RADIUS: f64 = 1.118_033_988_749_895;
/// From this many estimated bits a residual on, the body-centred lattice is smaller.
const CENTRED_FROM: f64 = 2.0;

/// How far an encoder is, for those who wait for it.
pub(crate) struct Progress<'a> {
    /// Is told the share that is done.
    pub(crate) tell: &'a dyn Fn(f64),
    /// Tracks of blocks: begun, and all.
    pub(crate) begun: Cell<usize>,
    pub(crate) all: usize,
}

impl Progress<'_> {
    fn begin(&self) {
        (self.tell)(self.begun.get() as f64 / self.all.max(1) as f64);
        self.begun.set(self.begun.get() + 1);
    }
}

/// How an encoder works, in units of the clip.
#[derive(Clone)]
pub(crate) struct Settings<'a> {
    pub(crate) power: f64,
    pub(crate) step: f64,
    /// The greatest error of a rotation in object space \[rad\], if bounded.
    pub(crate) turn: Option<f64>,
    /// Whether first frames are predicted from the head alone.
    pub(crate) anchored: bool,
    /// By frame, the share of the tolerance that may be used; all of it where there is none.
    pub(crate) tight: &'a [f64],
    pub(crate) progress: &'a Progress<'a>,
}

impl<'a> Settings<'a> {
    pub(crate) fn new(progress: &'a Progress<'a>) -> Settings<'a> {
        let power = crate::encode::rig::POWER;
        Settings { power, step: STEP, turn: None, anchored: false, tight: &[], progress }
    }

    /// What squares of errors are multiplied with in a frame.
    fn strictness(&self, frame: usize) -> f64 {
        self.tight.get(frame).map_or(1.0, |share| 1.0 / (share * share))
    }
}

/// What is chosen for the track at work.
struct Current {
    body: usize,
    lattice: Lattice,
    inverse: Matrix3<f64>,
    rotations: Vec<UnitQuaternion<f64>>,
    translations: Vec<Vector3<f64>>,
}

/// Chooses heads and residuals for a block of frames.
pub(crate) struct Chooser<'a> {
    rig: &'a Rig,
    plan: &'a Plan,
    settings: &'a Settings<'a>,
    nodes: &'a [Node],
    frames: usize,
    levels: usize,
    rests: &'a [(Moving, Quat)],
    original: &'a Placed,
    decoded: Placed,
    /// Open-loop residuals of the rotations so far, by node.
    residuals: Vec<Vec<Vector3<f64>>>,
    current: Current,
    /// Frames for which no residual kept the bound.
    pub(crate) failed: usize,
    /// All residuals chosen, by track and node.
    pub(crate) chosen: Vec<Vec<Residual>>,
    pub(crate) heads: Vec<Head>,
}

impl<'a> Chooser<'a> {
    #[allow(clippy::too_many_arguments, reason = "all of it is looked at for every frame")]
    pub(crate) fn new(
        rig: &'a Rig,
        plan: &'a Plan,
        settings: &'a Settings<'a>,
        nodes: &'a [Node],
        levels: usize,
        rests: &'a [(Moving, Quat)],
        original: &'a Placed,
    ) -> Chooser<'a> {
        Chooser {
            rig,
            plan,
            settings,
            nodes,
            frames: original.positions.first().map_or(0, Vec::len),
            levels,
            rests,
            original,
            decoded: Placed { rotations: Vec::new(), positions: Vec::new() },
            residuals: Vec::new(),
            current: Current {
                body: 0,
                lattice: Head::blank().lattice(),
                inverse: Matrix3::identity(),
                rotations: Vec::new(),
                translations: Vec::new(),
            },
            failed: 0,
            chosen: Vec::new(),
            heads: Vec::new(),
        }
    }

    /// Where the decoder has the parent joint of a body.
    fn carrier(&self, body: &Body, frame: usize) -> (UnitQuaternion<f64>, Vector3<f64>) {
        match body.parent {
            Some(parent) => {
                let rotation = self.decoded.rotations[parent][frame];
                let mount = &body.mount.decoded;
                (rotation * mount.rotation, self.decoded.positions[parent][frame] + rotation * mount.position)
            }
            None => (UnitQuaternion::identity(), Vector3::zeros()),
        }
    }

    /// Computes where the decoder has all bodies before `until`, and the origin of that one once its own
    /// translation is known.
    fn place(&mut self, until: usize, origin: bool, done: &Tracks) {
        let frames = self.frames;
        while self.decoded.positions.len() < until + usize::from(origin) {
            let at = self.decoded.positions.len();
            self.turn(at, done);
            let body = &self.rig.bodies[at];
            let values =
                body.translates.then(|| &done.translations[self.index(body.joint, Moving::Translation)]);
            let positions = (0..frames).map(|frame| {
                let (rotation, position) = self.carrier(body, frame);
                let local = match values {
                    Some(values) => Vector3::from(values[frame].map(f64::from)),
                    None => body.local.decoded.position,
                };
                position + rotation * local
            });
            let positions = positions.collect();
            self.decoded.positions.push(positions);
        }
        self.turn(until, done);
    }

    /// Computes the rotations of all bodies before `until`.
    fn turn(&mut self, until: usize, done: &Tracks) {
        let frames = self.frames;
        while self.decoded.rotations.len() < until {
            let body = &self.rig.bodies[self.decoded.rotations.len()];
            let values = body.rotates.then(|| &done.rotations[self.index(body.joint, Moving::Rotation)]);
            let rotations = (0..frames).map(|frame| {
                let (rotation, _) = self.carrier(body, frame);
                rotation * values.map_or(body.local.decoded.rotation, |values| to_f64(values[frame]))
            });
            let rotations = rotations.collect();
            self.decoded.rotations.push(rotations);
        }
    }

    /// Makes a track the one at work: all bodies that carry it are placed. Returns its body.
    pub(crate) fn begin(&mut self, track: usize, done: &Tracks) -> usize {
        self.settings.progress.begin();
        let (joint, kind) = self.plan.moving[track];
        let at = self
            .rig
            .bodies
            .iter()
            .position(|body| body.joint == joint)
            .expect("a joint that moves is a body");
        self.place(at, kind == Moving::Rotation, done);
        self.current.body = at;
        at
    }

    /// The local translations that put a body's origin where it was.
    pub(crate) fn translation_targets(&self, at: usize) -> Vec<Vector3<f64>> {
        let body = &self.rig.bodies[at];
        let target = |frame: usize| {
            let (rotation, position) = self.carrier(body, frame);
            rotation.inverse() * (self.original.positions[at][frame] - position)
        };
        (0..self.frames).map(target).collect()
    }

    /// The local rotations that turn a body as it was.
    pub(crate) fn rotation_targets(&self, at: usize) -> Vec<UnitQuaternion<f64>> {
        let body = &self.rig.bodies[at];
        let target =
            |frame: usize| self.carrier(body, frame).0.inverse() * self.original.rotations[at][frame];
        (0..self.frames).map(target).collect()
    }

    pub(crate) fn rotation_check(&self, at: usize, frame: usize) -> RotationCheck<'_> {
        let body = &self.rig.bodies[at];
        RotationCheck {
            carrier: self.carrier(body, frame).0,
            original: self.original.rotations[at][frame],
            offset: self.decoded.positions[at][frame] - self.original.positions[at][frame],
            points: &body.points,
            turn: self.settings.turn,
            strictness: self.settings.strictness(frame),
        }
    }

    pub(crate) fn translation_check(&self, at: usize, frame: usize) -> TranslationCheck<'_> {
        let body = &self.rig.bodies[at];
        let (carrier, position) = self.carrier(body, frame);
        TranslationCheck {
            carrier,
            position,
            original: (self.original.positions[at][frame], self.original.rotations[at][frame]),
            body,
            strictness: self.settings.strictness(frame),
        }
    }

    /// The place of a joint's track among those of its kind.
    fn index(&self, joint: usize, kind: Moving) -> usize {
        self.plan.moving.iter().filter(|(at, of)| *of == kind && *at < joint).count()
    }

    fn translation_head(&mut self, at: usize) -> Head {
        let body = &self.rig.bodies[at];
        let targets = self.translation_targets(at);
        let rounded: Vec<[f32; 3]> =
            targets.iter().map(|target| target.map(|value| value as f32).into()).collect();
        let step = body.origin_tolerance * STEP_TRANSLATION;
        let residual = |node: &Node, flat: f32| {
            let predicted = predict_translation(&rounded, node, node.weights(flat));
            targets[node.frame as usize] - Vector3::from(predicted.map(f64::from))
        };
        let (flat, residuals) = fit::flatness(self.nodes, self.levels, residual, |r: Vector3<f64>| {
            r.norm_squared() / (step * step)
        });
        let moving: Vec<Vector3<f64>> = self
            .nodes
            .iter()
            .zip(&residuals)
            .filter(|(node, _)| !stands_alone(node))
            .map(|(_, r)| *r)
            .collect();
        let (rate, _) = fit::basis(&(Matrix3::identity() / (step * step)), &moving);
        let kind = if rate > CENTRED_FROM { Kind::BodyCentred } else { Kind::Cubic };
        let step = step / radius(kind);
        let mut head = Head { flat, kind, ..Head::blank() };
        for axis in 0..3 {
            let mut column = [0.0; 3];
            column[axis] = step;
            head.columns[axis] = Column::nearest(column);
            debug_assert_eq!(head.columns[axis].direction[axis], DIRECTION);
        }
        let steps = f64::from(head.columns[0].vector()[0]) * f64::from(BASE_STEPS);
        let middle =
            targets.iter().fold(Vector3::zeros(), |sum, target| sum + target) / targets.len().max(1) as f64;
        let base = if self.settings.anchored { middle } else { targets.first().copied().unwrap_or(middle) };
        head.base = [0, 1, 2].map(|axis| (base[axis] / steps).round() as i32);
        self.current.translations = targets;
        head
    }

    fn rotation_head(&mut self, at: usize, rest: Quat) -> Head {
        let body = &self.rig.bodies[at];
        let targets = self.rotation_targets(at);
        let metric = lever_metric(&body.points);
        let metric = match self.settings.turn {
            Some(turn) => metric + Matrix3::identity() / (turn * turn),
            None => metric,
        };
        let (flat, own) = fit::rotation_flatness(self.nodes, self.levels, &targets, &metric);
        let found = fit::reference(&own, &self.residuals, &metric);
        let reference = found.as_ref().map(|found| found.0);
        let left = found.map_or_else(|| own.clone(), |found| found.1);
        let moving: Vec<Vector3<f64>> =
            self.nodes.iter().zip(&left).filter(|(node, _)| !stands_alone(node)).map(|(_, r)| *r).collect();
        let (rate, basis) = fit::basis(&metric, &moving);
        let kind = if rate > CENTRED_FROM { Kind::BodyCentred } else { Kind::Cubic };
        let basis = basis * (self.settings.step / radius(kind));
        let mut head = Head { flat, kind, reference, ..Head::blank() };
        head.columns = [0, 1, 2].map(|axis| Column::nearest([0, 1, 2].map(|i| basis[(i, axis)])));
        if self.settings.anchored
            && let Some(middle) = targets.get(targets.len() / 2)
        {
            let r = rodrigues(&(to_f64(rest).inverse() * middle));
            head.base = [0, 1, 2].map(|axis| (r[axis] * 32.0).round() as i32);
        }
        self.residuals.push(own);
        self.current.rotations = targets;
        head
    }
}

/// What a rotation of a body in one frame is measured by.
pub(crate) struct RotationCheck<'a> {
    carrier: UnitQuaternion<f64>,
    original: UnitQuaternion<f64>,
    /// How far the origin is off already.
    offset: Vector3<f64>,
    points: &'a [Point],
    turn: Option<f64>,
    strictness: f64,
}

impl RotationCheck<'_> {
    /// The largest square of an error as a share of its tolerance, of a decoded local rotation. A value above 1
    /// may be any of those above.
    #[inline]
    pub(crate) fn share(&self, local: Quat) -> f64 {
        let rotation = self.carrier * to_f64(local);
        let mut worst = 0.0f64;
        for point in self.points {
            let off = self.offset + rotation * point.decoded - self.original * point.original;
            worst = worst.max(off.norm_squared() * self.strictness / (point.tolerance * point.tolerance));
            if worst > 1.0 {
                return worst;
            }
        }
        match self.turn {
            Some(turn) => worst.max((mocap_model::angle_between(&rotation, &self.original) / turn).powi(2)),
            None => worst,
        }
    }
}

/// What a translation of a body in one frame is measured by.
pub(crate) struct TranslationCheck<'a> {
    carrier: UnitQuaternion<f64>,
    position: Vector3<f64>,
    original: (Vector3<f64>, UnitQuaternion<f64>),
    body: &'a Body,
    strictness: f64,
}

impl TranslationCheck<'_> {
    /// As [`RotationCheck::share`], of a decoded local translation.
    #[inline]
    pub(crate) fn share(&self, local: [f32; 3]) -> f64 {
        let origin = self.position + self.carrier * Vector3::from(local.map(f64::from));
        let (position, rotation) = &self.original;
        let tolerance = self.body.origin_tolerance;
        let mut worst = (origin - position).norm_squared() / (tolerance * tolerance);
        // A body that does not turn has its points checked here.
        if !self.body.rotates {
            let turned = self.carrier * self.body.local.decoded.rotation;
            for point in &self.body.points {
                let off = origin + turned * point.decoded - position - rotation * point.original;
                worst = worst.max(off.norm_squared() / (point.tolerance * point.tolerance));
            }
        }
        worst * self.strictness
    }
}

fn radius(kind: Kind) -> f64 {
    match kind {
        Kind::Cubic => CUBIC_RADIUS,
        Kind::BodyCentred => CENTRED_RADIUS,
    }
}

impl Source for Chooser<'_> {
    fn head(&mut self, track: usize, done: &Tracks) -> Head {
        let kind = self.plan.moving[track].1;
        let at = self.begin(track, done);
        let head = match kind {
            Moving::Translation => self.translation_head(at),
            Moving::Rotation => self.rotation_head(at, self.rests[track].1),
        };
        self.current.lattice = head.lattice();
        let basis = self.current.lattice.basis;
        let basis = Matrix3::from_fn(|i, j| f64::from(basis[j][i]));
        // Where rounding makes a basis flat, the search fails and the caller sees it.
        self.current.inverse = basis.try_inverse().unwrap_or_else(Matrix3::zeros);
        self.chosen.push(Vec::with_capacity(self.nodes.len()));
        self.heads.push(head.clone());
        head
    }

    fn rotation(&mut self, node: &Node, predicted: Quat, shift: [f32; 3], expected: [f32; 3]) -> Residual {
        let frame = node.frame as usize;
        let at = self.current.body;
        let goal = rodrigues(&(to_f64(predicted).inverse() * self.current.rotations[frame]));
        let target = self.current.inverse * (goal - Vector3::from(shift.map(f64::from)));
        let check = self.rotation_check(at, frame);
        let lattice = &self.current.lattice;
        let holds = |residual: Residual| {
            let vector = lattice.vector(residual);
            let turn = [0, 1, 2].map(|i| shift[i] + vector[i]);
            check.share(quat::mul(predicted, quat::from_rodrigues(turn))) <= 1.0
        };
        let last = usize::from(node.level) + 1 == self.levels;
        let nearness = if last { NEARNESS_LAST } else { NEARNESS };
        let residual = choose(lattice.kind, target, expected, nearness, holds);
        self.failed += usize::from(residual.is_none());
        let residual = residual.unwrap_or_default();
        self.chosen.last_mut().expect("a head comes first").push(residual);
        residual
    }

    fn translation(&mut self, node: &Node, predicted: [f32; 3], expected: [f32; 3]) -> Residual {
        let frame = node.frame as usize;
        let at = self.current.body;
        let wanted = self.current.translations[frame];
        let target = self.current.inverse * (wanted - Vector3::from(predicted.map(f64::from)));
        let check = self.translation_check(at, frame);
        let lattice = &self.current.lattice;
        let holds = |residual: Residual| {
            let vector = lattice.vector(residual);
            check.share([0, 1, 2].map(|i| predicted[i] + vector[i])) <= 1.0
        };
        let residual = choose(lattice.kind, target, expected, NEARNESS, holds);
        self.failed += usize::from(residual.is_none());
        let residual = residual.unwrap_or_default();
        self.chosen.last_mut().expect("a head comes first").push(residual);
        residual
    }
}
