//! The encoder's side of the coding loop: closed-loop targets, and residuals that keep the error bound.
//!
//! The target of a track puts its joint at its original place in object space, starting from the decoded transform
//! of its parent: errors of parents are corrected, not passed on.

use crate::encode::block::Block;
use crate::encode::body::Body;
use crate::encode::check::{RotationCheck, TranslationCheck};
use crate::encode::effort::{Search, Work};
use crate::encode::fit;
use crate::encode::predict::{Tracks, predict_rotation, predict_translation};
use crate::encode::rig::{ObjectPoses, lever_metric};
use crate::encode::search::{self, choose};
use crate::encode::tradeoff::{self, Later, NEARNESS, NEARNESS_LAST, slope};
use crate::hierarchy::{LEVELS, Node};
use crate::lattice::{Column, DIRECTION, FINEST, Kind, Lattice, Residual};
use crate::quat::{self, Quat, rodrigues, to_f32, to_f64};
use crate::track::{BASE_STEPS, FLATNESS, Head, Moving, REFERENCES, has_no_taps};
use mocap_model::{UnitQuaternion, Vector3};
use nalgebra::Matrix3;

/// Steps relative to those that just fill the region of the tolerance: larger ones leave some targets without a
/// lattice point, which then costs a refinement.
const STEP: f64 = 1.1;
const STEP_TRANSLATION: f64 = 1.25;
/// The same if a whole segment gets finer steps when one of its targets has no lattice point.
const STEP_DIRECT: f64 = 1.1;
/// The covering radius of the lattices, in steps.
const CUBIC_RADIUS: f64 = 0.866_025_403_784_438_6;
const CENTRED_RADIUS: f64 = 1.118_033_988_749_895;
/// At this many estimated bits per residual or more, the body-centred lattice gives smaller files.
const CENTRED_FROM: f64 = 2.0;

/// The track that is being encoded.
struct Current {
    body: usize,
    head: Head,
    lattice: Lattice,
    inverse: Matrix3<f64>,
    /// Residuals by node if all frames are at their targets.
    ideal: Vec<Vector3<f64>>,
    /// By level and axis: bits per step.
    slopes: [[f64; 3]; LEVELS],
    rotations: Vec<UnitQuaternion<f64>>,
    translations: Vec<Vector3<f64>>,
}

/// Chooses heads and residuals for a block of frames.
pub(crate) struct Chooser<'a> {
    block: &'a Block<'a>,
    nodes: &'a [Node],
    levels: usize,
    /// The decoded bodies so far.
    decoded: ObjectPoses,
    /// Open-loop residuals of the rotations so far, by node.
    residuals: Vec<Vec<Vector3<f64>>>,
    /// By frame: the nodes that have it as one of their two nearest taps, level by level.
    nearest: Vec<Vec<usize>>,
    current: Current,
    /// Number of frames in which no residual kept the bound.
    pub(crate) failed: usize,
}

impl<'a> Chooser<'a> {
    pub(crate) fn new(block: &'a Block<'a>, nodes: &'a [Node], levels: usize) -> Chooser<'a> {
        let mut nearest = vec![Vec::new(); nodes.len()];
        for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.level > 0) {
            node.taps[..2].iter().for_each(|tap| nearest[*tap as usize].push(at));
        }
        Chooser {
            block,
            nodes,
            levels,
            decoded: ObjectPoses { rotations: Vec::new(), positions: Vec::new() },
            residuals: Vec::new(),
            nearest,
            current: Current {
                body: 0,
                head: Head::blank(),
                ideal: Vec::new(),
                slopes: [[0.0; 3]; LEVELS],
                lattice: Head::blank().lattice(),
                inverse: Matrix3::identity(),
                rotations: Vec::new(),
                translations: Vec::new(),
            },
            failed: 0,
        }
    }

    /// The decoded transform of the parent joint of a body, in object space.
    fn parent_transform(&self, body: &Body, frame: usize) -> (UnitQuaternion<f64>, Vector3<f64>) {
        match body.parent {
            Some(parent) => {
                let rotation = self.decoded.rotations[parent][frame];
                let mount = &body.mount.decoded;
                (rotation * mount.rotation, self.decoded.positions[parent][frame] + rotation * mount.position)
            }
            None => (UnitQuaternion::identity(), Vector3::zeros()),
        }
    }

    /// Computes the decoded transforms of all bodies before `until`; with `origin`, also the position of that
    /// one.
    fn place(&mut self, until: usize, origin: bool, done: &Tracks) {
        let frames = self.block.frames;
        while self.decoded.positions.len() < until + usize::from(origin) {
            let at = self.decoded.positions.len();
            self.turn(at, done);
            let body = &self.block.rig.bodies[at];
            let values = body.translates.then(|| &done.translations[body.tracks[1]]);
            let positions = (0..frames).map(|frame| {
                let (rotation, position) = self.parent_transform(body, frame);
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
        let frames = self.block.frames;
        while self.decoded.rotations.len() < until {
            let body = &self.block.rig.bodies[self.decoded.rotations.len()];
            let values = body.rotates.then(|| &done.rotations[body.tracks[0]]);
            let rotations = (0..frames).map(|frame| {
                let (rotation, _) = self.parent_transform(body, frame);
                rotation * values.map_or(body.local.decoded.rotation, |values| to_f64(values[frame]))
            });
            let rotations = rotations.collect();
            self.decoded.rotations.push(rotations);
        }
    }

    /// Starts a track: computes the transforms of all bodies above it. Returns its body.
    pub(crate) fn begin(&mut self, track: usize, done: &Tracks) -> usize {
        self.block.settings.progress.start_track();
        let (joint, kind) = self.block.plan.moving[track];
        let bodies = &self.block.rig.bodies;
        let at =
            bodies.binary_search_by_key(&joint, |body| body.joint).expect("a joint that moves is a body");
        self.place(at, kind == Moving::Rotation, done);
        self.current.body = at;
        at
    }

    /// The local translations that put the origin of a body at its original place.
    pub(crate) fn translation_targets(&self, at: usize) -> Vec<Vector3<f64>> {
        let body = &self.block.rig.bodies[at];
        let target = |frame: usize| {
            let (rotation, position) = self.parent_transform(body, frame);
            rotation.inverse() * (self.block.original.positions[at][frame] - position)
        };
        (0..self.block.frames).map(target).collect()
    }

    /// The local rotations that give a body its original orientation.
    pub(crate) fn rotation_targets(&self, at: usize) -> Vec<UnitQuaternion<f64>> {
        let body = &self.block.rig.bodies[at];
        let target = |frame: usize| {
            self.parent_transform(body, frame).0.inverse() * self.block.original.rotations[at][frame]
        };
        (0..self.block.frames).map(target).collect()
    }

    pub(crate) fn rotation_check(&self, at: usize, frame: usize) -> RotationCheck<'_> {
        let body = &self.block.rig.bodies[at];
        RotationCheck {
            parent: self.parent_transform(body, frame).0,
            original: self.block.original.rotations[at][frame],
            offset: self.decoded.positions[at][frame] - self.block.original.positions[at][frame],
            points: &body.points,
            turn: self.block.settings.turn,
            strictness: self.block.settings.tight.strictness(body.joint, frame),
        }
    }

    pub(crate) fn translation_check(&self, at: usize, frame: usize) -> TranslationCheck<'_> {
        let body = &self.block.rig.bodies[at];
        let (parent, position) = self.parent_transform(body, frame);
        TranslationCheck {
            parent,
            position,
            original: (self.block.original.positions[at][frame], self.block.original.rotations[at][frame]),
            body,
            strictness: self.block.settings.tight.strictness(body.joint, frame),
        }
    }

    fn work(&self) -> &Work {
        &self.block.settings.work
    }

    fn translation_head(&mut self, at: usize) -> Head {
        let body = &self.block.rig.bodies[at];
        let targets = self.translation_targets(at);
        let rounded: Vec<[f32; 3]> =
            targets.iter().map(|target| target.map(|value| value as f32).into()).collect();
        let step = body.origin_tolerance * STEP_TRANSLATION;
        let residual = |node: &Node, flat: f32| {
            let predicted = predict_translation(&rounded, node, node.weights(flat));
            targets[node.frame as usize] - Vector3::from(predicted.map(f64::from))
        };
        let (flat, residuals) =
            fit::flatness(self.nodes, self.levels, self.work().flatness, residual, |r: Vector3<f64>| {
                r.norm_squared() / (step * step)
            });
        let moving: Vec<Vector3<f64>> = self
            .nodes
            .iter()
            .zip(&residuals)
            .filter(|(node, _)| !has_no_taps(node))
            .map(|(_, r)| *r)
            .collect();
        let (rate, _) = fit::basis(&(Matrix3::identity() / (step * step)), &moving);
        let kind = self.kind_for(rate);
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
        let base =
            if self.block.settings.anchored { middle } else { targets.first().copied().unwrap_or(middle) };
        head.base = [0, 1, 2].map(|axis| (base[axis] / steps).round() as i32);
        self.current.translations = targets;
        self.current.ideal = residuals;
        head
    }

    /// The lattice that is smaller at this many bits per residual.
    fn kind_for(&self, rate: f64) -> Kind {
        // If widths are fixed, zeros are not cheaper than other numbers.
        if self.block.settings.direct || rate > CENTRED_FROM { Kind::BodyCentred } else { Kind::Cubic }
    }

    fn rotation_head(&mut self, at: usize, rest: Quat) -> Head {
        let body = &self.block.rig.bodies[at];
        let targets = self.rotation_targets(at);
        let metric = lever_metric(&body.points);
        let metric = match self.block.settings.turn {
            Some(turn) => metric + Matrix3::identity() / (turn * turn),
            None => metric,
        };
        let (flat, own) =
            fit::rotation_flatness(self.nodes, self.levels, self.work().flatness, &targets, &metric);
        let linked = !self.block.settings.direct;
        let mut references = [None; REFERENCES];
        let mut left = own.clone();
        for place in references.iter_mut().filter(|_| linked).take(self.work().references) {
            let Some((reference, rest)) =
                fit::reference(&left, &self.residuals, &metric, self.work().sampled)
            else {
                break;
            };
            (*place, left) = (Some(reference), rest);
        }
        let moving: Vec<Vector3<f64>> =
            self.nodes.iter().zip(&left).filter(|(node, _)| !has_no_taps(node)).map(|(_, r)| *r).collect();
        let (rate, basis) = fit::basis(&metric, &moving);
        let kind = self.kind_for(rate);
        let basis = basis * (if linked { STEP } else { STEP_DIRECT } / radius(kind));
        let finer = if linked { fit::finer(self.nodes, self.levels, &left, &metric) } else { 0 };
        let mut head = Head { flat, finer, kind, references, ..Head::blank() };
        head.columns = fit::columns(&basis);
        if self.block.settings.anchored
            && let Some(middle) = targets.get(targets.len() / 2)
        {
            let r = rodrigues(&(to_f64(rest).inverse() * middle));
            head.base = [0, 1, 2].map(|axis| (r[axis] * 32.0).round() as i32);
        }
        self.residuals.push(own);
        self.current.rotations = targets;
        self.current.ideal = left;
        head
    }
}

fn radius(kind: Kind) -> f64 {
    match kind {
        Kind::Cubic => CUBIC_RADIUS,
        Kind::BodyCentred => CENTRED_RADIUS,
    }
}

impl Chooser<'_> {
    /// The head of the next track; all tracks before it are in `done`.
    pub(crate) fn head(&mut self, track: usize, done: &Tracks) -> Head {
        let kind = self.block.plan.moving[track].1;
        let at = self.begin(track, done);
        let head = match kind {
            Moving::Translation => self.translation_head(at),
            Moving::Rotation => self.rotation_head(at, self.block.kinds[track].1),
        };
        self.use_head(&head);
        head
    }

    /// Sets the head for which residuals are chosen.
    pub(crate) fn use_head(&mut self, head: &Head) {
        let current = &mut self.current;
        current.head = head.clone();
        current.lattice = head.lattice();
        let basis = current.lattice.basis;
        let basis = Matrix3::from_fn(|i, j| f64::from(basis[j][i]));
        // If rounding makes a basis singular, the search fails and the caller handles it.
        current.inverse = basis.try_inverse().unwrap_or_else(Matrix3::zeros);
        let mut sums = [(Vector3::zeros(), 0.0); LEVELS];
        for (node, residual) in self.nodes.iter().zip(&current.ideal) {
            // Most residuals below half a step will become zero.
            let share = |magnitude: f64| if magnitude < 0.5 { 0.1 * magnitude } else { magnitude };
            let (sum, count) = &mut sums[usize::from(node.level)];
            *sum += (current.inverse * residual).abs().map(share);
            *count += 1.0;
        }
        current.slopes = sums.map(|(sum, count)| (sum / f64::max(count, 1.0)).map(slope).into());
    }

    /// The body of the track.
    pub(crate) fn body(&self) -> usize {
        self.current.body
    }

    /// The numbers in steps of the lattice that turn a rotation to the target of a frame.
    pub(crate) fn rotation_numbers(&self, frame: usize, from: Quat) -> Vector3<f64> {
        self.current.inverse * rodrigues(&(to_f64(from).inverse() * self.current.rotations[frame]))
    }

    /// The numbers in steps of the lattice that move a translation to the target of a frame.
    pub(crate) fn translation_numbers(&self, frame: usize, from: [f32; 3]) -> Vector3<f64> {
        self.current.inverse * (self.current.translations[frame] - Vector3::from(from.map(f64::from)))
    }

    /// The targets of a rotation as they would be decoded.
    pub(crate) fn rounded_rotations(&self) -> Vec<Quat> {
        self.current.rotations.iter().map(to_f32).collect()
    }

    /// The targets of a translation as they would be decoded.
    pub(crate) fn rounded_translations(&self) -> Vec<[f32; 3]> {
        self.current.translations.iter().map(|target| target.map(|value| value as f32).into()).collect()
    }

    fn finer(&self, node: &Node) -> f64 {
        f64::from(self.current.head.finer(node.level, self.levels))
    }

    /// The ideal residual of a rotation, in steps of its level.
    fn rotation_residual(&self, node: &Node, predicted: Quat, shift: [f32; 3]) -> Vector3<f64> {
        let goal = rodrigues(&(to_f64(predicted).inverse() * self.current.rotations[node.frame as usize]));
        self.current.inverse * (goal - Vector3::from(shift.map(f64::from))) / self.finer(node)
    }

    /// The ideal residual of a translation, in steps of its level.
    fn translation_residual(&self, node: &Node, predicted: [f32; 3]) -> Vector3<f64> {
        let wanted = self.current.translations[node.frame as usize];
        self.current.inverse * (wanted - Vector3::from(predicted.map(f64::from))) / self.finer(node)
    }

    /// Whether a residual of a rotation with the prediction `predicted` turned by `shift` keeps the bound.
    fn rotation_holds(&self, node: &Node, predicted: Quat, shift: [f32; 3]) -> impl Fn(Residual) -> bool {
        let check = self.rotation_check(self.current.body, node.frame as usize);
        let Current { head, lattice, .. } = &self.current;
        move |residual| {
            let vector = lattice.vector(head.numbers(node.level, self.levels, residual));
            let turn = [shift[0] + vector[0], shift[1] + vector[1], shift[2] + vector[2]];
            check.share(quat::mul(predicted, quat::from_rodrigues(turn))) <= 1.0
        }
    }

    /// Whether residuals of a translation keep the bound.
    fn translation_holds(&self, node: &Node, predicted: [f32; 3]) -> impl Fn(Residual) -> bool {
        let check = self.translation_check(self.current.body, node.frame as usize);
        let Current { head, lattice, .. } = &self.current;
        move |residual| {
            let vector = lattice.vector(head.numbers(node.level, self.levels, residual));
            let moved = [predicted[0] + vector[0], predicted[1] + vector[1], predicted[2] + vector[2]];
            check.share(moved) <= 1.0
        }
    }

    /// The cheapest residual of a rotation with the prediction `predicted` turned by `shift`.
    pub(crate) fn rotation(
        &mut self,
        node: &Node,
        predicted: Quat,
        shift: [f32; 3],
        expected: [f32; 3],
    ) -> Residual {
        let target = self.rotation_residual(node, predicted, shift);
        let holds = self.rotation_holds(node, predicted, shift);
        let kind = self.current.lattice.kind;
        let residual = choose(kind, target, expected, search::NEARNESS, FINEST, holds);
        self.failed += usize::from(residual.is_none());
        residual.unwrap_or_default()
    }

    /// Like [`Chooser::rotation`], for a translation.
    pub(crate) fn translation(&mut self, node: &Node, predicted: [f32; 3], expected: [f32; 3]) -> Residual {
        let target = self.translation_residual(node, predicted);
        let holds = self.translation_holds(node, predicted);
        let kind = self.current.lattice.kind;
        let residual = choose(kind, target, expected, search::NEARNESS, FINEST, holds);
        self.failed += usize::from(residual.is_none());
        residual.unwrap_or_default()
    }

    /// The later frames that a node predicts, with their residuals if it is at its target.
    fn later(&self, node: &Node, residual: impl Fn(&Node, [f32; 4]) -> Vector3<f64>) -> Vec<Later> {
        let of_node = |at: &usize| {
            let child = &self.nodes[*at];
            let level = usize::from(child.level);
            let weights = child.weights(FLATNESS[usize::from(self.current.head.flat[level])]);
            let tap = usize::from(child.taps[1] == node.frame);
            Later {
                numbers: residual(child, weights),
                weight: f64::from(weights[tap]) * self.finer(node) / self.finer(child),
                slope: self.current.slopes[level],
            }
        };
        self.nearest[node.frame as usize].iter().map(of_node).collect()
    }

    fn nearness(&self, node: &Node) -> f64 {
        let last = usize::from(node.level) + 1 == self.levels;
        if last { NEARNESS_LAST } else { NEARNESS }
    }

    /// The residual of a rotation with the least total cost, including later frames. `shifts` are those of the
    /// references by frame; `values` are the rotations decoded so far, or the targets.
    #[allow(clippy::too_many_arguments, reason = "all of them differ from frame to frame")]
    pub(crate) fn cheapest_rotation(
        &self,
        search: Search,
        node: &Node,
        predicted: Quat,
        shifts: &[[f32; 3]],
        values: &[Quat],
        expected: [f32; 3],
        bits: impl FnMut(Residual) -> f64,
    ) -> Option<Residual> {
        let shift = if has_no_taps(node) { [0.0; 3] } else { shifts[node.frame as usize] };
        let target = self.rotation_residual(node, predicted, shift);
        let holds = self.rotation_holds(node, predicted, shift);
        let later = || {
            self.later(node, |child, weights| {
                let predicted = predict_rotation(values, child, weights);
                self.rotation_residual(child, predicted, shifts[child.frame as usize])
            })
        };
        self.cheapest(search, node, target, expected, later, bits, holds)
    }

    /// Like [`Chooser::cheapest_rotation`], for a translation.
    pub(crate) fn cheapest_translation(
        &self,
        search: Search,
        node: &Node,
        predicted: [f32; 3],
        values: &[[f32; 3]],
        expected: [f32; 3],
        bits: impl FnMut(Residual) -> f64,
    ) -> Option<Residual> {
        let target = self.translation_residual(node, predicted);
        let holds = self.translation_holds(node, predicted);
        let later = || {
            self.later(node, |child, weights| {
                self.translation_residual(child, predict_translation(values, child, weights))
            })
        };
        self.cheapest(search, node, target, expected, later, bits, holds)
    }

    /// The cheapest residual near a target, according to the search setting.
    #[allow(clippy::too_many_arguments, reason = "all of them differ from frame to frame")]
    fn cheapest(
        &self,
        search: Search,
        node: &Node,
        target: Vector3<f64>,
        expected: [f32; 3],
        later: impl FnOnce() -> Vec<Later>,
        bits: impl FnMut(Residual) -> f64,
        holds: impl Fn(Residual) -> bool,
    ) -> Option<Residual> {
        let kind = self.current.lattice.kind;
        match search {
            Search::Nearest => search::nearest(kind, target)
                .filter(|residual| holds(*residual))
                .or_else(|| choose(kind, target, expected, search::NEARNESS, FINEST, holds)),
            Search::Own => choose(kind, target, expected, search::NEARNESS, FINEST, holds),
            Search::Later { compared } => {
                let nearness = self.nearness(node);
                tradeoff::choose(kind, target, expected, nearness, (&later(), compared), bits, holds)
            }
        }
    }
}
