//! The encoder's side of the coding loop: closed-loop targets, and residuals that keep the error bound.
//!
//! A track's target is what takes its joint to its original place in object space from where the decoder will
//! have its parent: errors of parents are corrected, not passed on.

use crate::encode::fit::{self, rodrigues};
use crate::encode::rig::{Body, Placed, Rig, lever_metric, to_f64};
use crate::encode::search::{NEARNESS, NEARNESS_LAST, choose};
use crate::hierarchy::Node;
use crate::lattice::{Column, DIRECTION, Kind, Lattice, Residual};
use crate::plan::Plan;
use crate::quat::{self, Quat};
use crate::track::{BASE_STEPS, Head, Moving, Source, Tracks, predict_translation, stands_alone};
use mocap_model::{UnitQuaternion, Vector3};
use nalgebra::Matrix3;

/// Steps against those that just fill the region of the tolerance: larger ones leave some targets without a
/// lattice point, which then costs a refinement.
const STEP: f64 = 1.1;
const STEP_TRANSLATION: f64 = 1.25;
/// The covering radius of the lattices, in steps.
const CUBIC_RADIUS: f64 = 0.866_025_403_784_438_6;
const CENTRED_RADIUS: f64 = 1.118_033_988_749_895;
/// From this many estimated bits a residual on, the body-centred lattice is smaller.
const CENTRED_FROM: f64 = 2.0;

/// How an encoder works, in units of the clip.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) power: f64,
    pub(crate) step: f64,
    /// The greatest error of a rotation in object space [rad], if bounded.
    pub(crate) turn: Option<f64>,
    /// Whether first frames are predicted from the head alone.
    pub(crate) anchored: bool,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { power: crate::encode::rig::POWER, step: STEP, turn: None, anchored: false }
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
    settings: &'a Settings,
    nodes: &'a [Node],
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
        settings: &'a Settings,
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
        let frames = self.nodes.len();
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
        let frames = self.nodes.len();
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

    /// The place of a joint's track among those of its kind.
    fn index(&self, joint: usize, kind: Moving) -> usize {
        self.plan.moving.iter().filter(|(at, of)| *of == kind && *at < joint).count()
    }

    fn translation_head(&mut self, at: usize) -> Head {
        let body = &self.rig.bodies[at];
        let targets: Vec<Vector3<f64>> = (0..self.nodes.len())
            .map(|frame| {
                let (rotation, position) = self.carrier(body, frame);
                rotation.inverse() * (self.original.positions[at][frame] - position)
            })
            .collect();
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
        let targets: Vec<UnitQuaternion<f64>> = (0..self.nodes.len())
            .map(|frame| self.carrier(body, frame).0.inverse() * self.original.rotations[at][frame])
            .collect();
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

fn radius(kind: Kind) -> f64 {
    match kind {
        Kind::Cubic => CUBIC_RADIUS,
        Kind::BodyCentred => CENTRED_RADIUS,
    }
}

impl Source for Chooser<'_> {
    fn head(&mut self, track: usize, done: &Tracks) -> Head {
        let (joint, kind) = self.plan.moving[track];
        let at = self
            .rig
            .bodies
            .iter()
            .position(|body| body.joint == joint)
            .expect("a joint that moves is a body");
        self.place(at, kind == Moving::Rotation, done);
        self.current.body = at;
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
        let body = &self.rig.bodies[at];
        let goal = rodrigues(&(to_f64(predicted).inverse() * self.current.rotations[frame]));
        let target = self.current.inverse * (goal - Vector3::from(shift.map(f64::from)));
        let (carrier, _) = self.carrier(body, frame);
        let original = &self.original.rotations[at][frame];
        let offset = self.decoded.positions[at][frame] - self.original.positions[at][frame];
        let lattice = &self.current.lattice;
        let holds = |residual: Residual| {
            let vector = lattice.vector(residual);
            let turn = [0, 1, 2].map(|i| shift[i] + vector[i]);
            let rotation = carrier * to_f64(quat::mul(predicted, quat::from_rodrigues(turn)));
            let within = |point: &crate::encode::rig::Point| {
                let off = offset + rotation * point.decoded - original * point.original;
                off.norm_squared() <= point.tolerance * point.tolerance
            };
            let turned = |bound: f64| mocap_model::angle_between(&rotation, original) <= bound;
            body.points.iter().all(within) && self.settings.turn.is_none_or(turned)
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
        let body = &self.rig.bodies[at];
        let wanted = self.current.translations[frame];
        let target = self.current.inverse * (wanted - Vector3::from(predicted.map(f64::from)));
        let (carrier, position) = self.carrier(body, frame);
        let lattice = &self.current.lattice;
        let (original_position, original_rotation) =
            (&self.original.positions[at][frame], &self.original.rotations[at][frame]);
        let holds = |residual: Residual| {
            let vector = lattice.vector(residual);
            let local = Vector3::from([0, 1, 2].map(|i| f64::from(predicted[i] + vector[i])));
            let origin = position + carrier * local;
            if (origin - original_position).norm() > body.origin_tolerance {
                return false;
            }
            // A body that does not turn has its points checked here.
            let rotation = carrier * body.local.decoded.rotation;
            body.rotates
                || body.points.iter().all(|point| {
                    let place = original_position + original_rotation * point.original;
                    (origin + rotation * point.decoded - place).norm() <= point.tolerance
                })
        };
        let residual = choose(lattice.kind, target, expected, NEARNESS, holds);
        self.failed += usize::from(residual.is_none());
        let residual = residual.unwrap_or_default();
        self.chosen.last_mut().expect("a head comes first").push(residual);
        residual
    }
}
