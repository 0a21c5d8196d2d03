//! Evaluates a graph frame by frame.

use std::collections::HashSet;

use mocap_model::{Event, UnitQuaternion, Vector3, exp, log};

use super::condition::Situation;
use super::frame::{Moment, Rig, added, average, layered};
use super::graph::{Amount, Fade, Graph, Node, NodeKind, PhaseChange, StateMachine, Transition};
use super::motion::Motion;
use crate::EditError;
use crate::body::Body;
use crate::inertia::Decaying;

/// The state of a node between frames.
#[derive(Clone, Debug, Default)]
struct Memory {
    /// Of a clip \[s\].
    time: f64,
    /// Of a space \[strides\]; `None` before it is first played.
    phase: Option<f64>,
    /// Of a state machine.
    state: usize,
    age: f64,
    change: Option<Change>,
}

/// A transition in progress.
#[derive(Clone, Debug)]
struct Change {
    transition: Transition,
    from: usize,
    elapsed: f64,
    /// The last pose of the previous state.
    left: Moment,
    /// For an inertial transition, from the first frame of the entered state on: see [`inertia`].
    offsets: Option<Vec<Decaying>>,
}

pub(super) struct Player<'a> {
    pub(super) graph: &'a Graph,
    pub(super) body: &'a Body,
    pub(super) motions: &'a [Motion],
    pub(super) offsets: Vec<Vector3<f64>>,
    /// By node, then by joint; only layers and additions have one.
    masks: Vec<Vec<f64>>,
    rig: Rig,
    pub(super) params: Vec<f64>,
    pub(super) events: Vec<String>,
    pub(super) step: f64,
    memory: Vec<Memory>,
    /// The outputs of nodes in this frame: a node that several others use is evaluated once.
    shown: Vec<Option<Moment>>,
    /// The last two outputs of each state machine, from which inertial transitions take velocities.
    before: Vec<Vec<Moment>>,
    /// Number of changes of state.
    pub(super) changes: usize,
    /// Transitions that fired, as (node, number).
    pub(super) fired: HashSet<(usize, usize)>,
    /// Frames within a transition.
    pub(super) changing: Vec<bool>,
    pub(super) names: Vec<Event>,
    time: f64,
}

impl<'a> Player<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        body: &'a Body,
        motions: &'a [Motion],
        step: f64,
    ) -> Result<Player<'a>, EditError> {
        let mask = |node: &Node| match &node.kind {
            NodeKind::Add { mask: Some(mask), .. } | NodeKind::Layer { mask: Some(mask), .. } => {
                mask.shares(&body.skeleton)
            }
            _ => Ok(vec![1.0; body.skeleton.len()]),
        };
        Ok(Player {
            masks: graph.nodes.iter().map(mask).collect::<Result<_, _>>()?,
            rig: Rig::of(&body.skeleton, body.hips),
            graph,
            body,
            motions,
            offsets: body.skeleton.joints().iter().map(|joint| joint.offset).collect(),
            params: graph.params.iter().map(|(_, value)| *value).collect(),
            events: Vec::new(),
            step,
            memory: vec![Memory::default(); graph.nodes.len()],
            shown: vec![None; graph.nodes.len()],
            before: vec![Vec::new(); graph.nodes.len()],
            changes: 0,
            fired: HashSet::new(),
            changing: Vec::new(),
            names: Vec::new(),
            time: 0.0,
        })
    }

    /// The next frame.
    pub(super) fn next(&mut self) -> Moment {
        self.changing.push(false);
        self.shown.fill(None);
        let moment = self.play(self.graph.output, 1.0);
        self.time += self.step;
        moment
    }

    fn amount(&self, amount: Amount) -> f64 {
        match amount {
            Amount::Fixed(value) => value,
            Amount::Param(param) => self.params[param],
        }
    }

    /// The output of a node in this frame; its time advances by one frame at the rate `speed`.
    fn play(&mut self, node: usize, speed: f64) -> Moment {
        if let Some(moment) = &self.shown[node] {
            return moment.clone();
        }
        let moment = self.played(node, speed);
        self.shown[node] = Some(moment.clone());
        moment
    }

    fn played(&mut self, node: usize, speed: f64) -> Moment {
        let graph = self.graph;
        match &graph.nodes[node].kind {
            NodeKind::Clip { clip, speed: own } => {
                let speed = speed * self.amount(*own).max(0.0);
                let time = self.memory[node].time;
                self.memory[node].time += speed * self.step;
                let mut moment = self.motions[*clip].moment(time, self.step, self.body);
                // The root of a motion that has ended does not move.
                let moves = if self.motions[*clip].has_ended(time) { 0.0 } else { speed };
                moment.velocity *= moves;
                moment.turn *= moves;
                moment
            }
            NodeKind::Space { space, params, clips } => {
                let place: Vec<f64> = params.iter().map(|param| self.params[*param]).collect();
                self.in_step(node, clips, &space.weights(&place), speed)
            }
            NodeKind::Blend { parts } => {
                let weights: Vec<f64> =
                    parts.iter().map(|(_, amount)| self.amount(*amount).max(0.0)).collect();
                // Divides by the largest first, because the sum may overflow.
                let largest = weights.iter().copied().fold(0.0, f64::max);
                let sum: f64 = weights.iter().map(|weight| weight / largest).sum();
                let shares = match largest > 0.0 {
                    true => weights.iter().map(|weight| weight / largest / sum).collect(),
                    // Without any weight, the first part is played.
                    false => (0..parts.len()).map(|part| f64::from(u8::from(part == 0))).collect(),
                };
                let nodes: Vec<usize> = parts.iter().map(|(node, _)| *node).collect();
                self.weighted(&nodes, shares, speed)
            }
            NodeKind::Lerp { nodes, at } => {
                let at: Vec<f64> = at.iter().map(|amount| self.amount(*amount).clamp(0.0, 1.0)).collect();
                self.weighted(nodes, lerp_shares(nodes.len(), &at), speed)
            }
            NodeKind::Add { base, add, weight, space, .. } => {
                let reference = self.first(*add);
                let (base, add) = (self.play(*base, speed), self.play(*add, speed));
                let by = (self.amount(*weight), self.masks[node].as_slice());
                added(base, (&add, &reference), by, &self.rig, *space)
            }
            NodeKind::Layer { base, over, weight, space, .. } => {
                let (base, over) = (self.play(*base, speed), self.play(*over, speed));
                let weight = self.amount(*weight).clamp(0.0, 1.0);
                let shares: Vec<f64> = self.masks[node].iter().map(|share| weight * share).collect();
                layered(base, &over, &shares, &self.rig, *space)
            }
            NodeKind::States(machine) => self.states(node, machine, speed),
        }
    }

    /// The weighted average of nodes, by shares that sum to 1.
    fn weighted(&mut self, nodes: &[usize], shares: Vec<f64>, speed: f64) -> Moment {
        let moments: Vec<Moment> = nodes.iter().map(|node| self.play(*node, speed)).collect();
        average(&moments, &shares, &self.offsets)
    }

    /// The output of a node at its start, without advancing its time.
    fn first(&mut self, node: usize) -> Moment {
        let (memory, shown) = (self.memory.clone(), self.shown.clone());
        self.shown.fill(None);
        let (names, changes, changing) = (self.names.len(), self.changes, self.changing.last().copied());
        self.restart(node, &mut vec![false; self.graph.nodes.len()]);
        let moment = self.play(node, 0.0);
        (self.memory, self.shown) = (memory, shown);
        if let (Some(now), Some(before)) = (self.changing.last_mut(), changing) {
            *now = before;
        }
        self.names.truncate(names);
        self.changes = changes;
        moment
    }

    /// The weighted average of motions, all at the same phase.
    fn in_step(&mut self, node: usize, clips: &[usize], weights: &[f64], speed: f64) -> Moment {
        let used: Vec<(&Motion, f64)> = clips
            .iter()
            .zip(weights)
            .filter(|(_, weight)| **weight > 0.0)
            .map(|(clip, weight)| (&self.motions[*clip], *weight))
            .collect();
        let phase = self.memory[node].phase.unwrap_or_else(|| used[0].0.phase_at(0.0));
        let times: Vec<f64> = used.iter().map(|(motion, _)| motion.time_at(phase)).collect();
        let seconds: Vec<f64> =
            used.iter().zip(&times).map(|((motion, _), time)| motion.seconds_per_stride(*time)).collect();
        let stride: f64 = used.iter().zip(&seconds).map(|((_, weight), seconds)| weight * seconds).sum();
        self.memory[node].phase = Some(phase + speed * self.step / stride);
        let parts = used.iter().zip(times.iter().zip(&seconds));
        let moments: Vec<Moment> = parts
            .map(|((motion, _), (time, seconds))| {
                let mut moment = motion.moment(*time, self.step * seconds / stride, self.body);
                moment.velocity *= speed;
                moment.turn *= speed;
                moment
            })
            .collect();
        let weights: Vec<f64> = used.iter().map(|(_, weight)| *weight).collect();
        average(&moments, &weights, &self.offsets)
    }

    fn states(&mut self, node: usize, machine: &StateMachine, speed: f64) -> Moment {
        if self.time == 0.0 && self.memory[node].age == 0.0 {
            self.named(&machine.states[self.memory[node].state].0);
        }
        self.try_transitions(node, machine);
        let Memory { state, change, .. } = self.memory[node].clone();
        let mut moment = self.play(machine.states[state].1, speed);
        if let Some(mut change) = change {
            *self.changing.last_mut().expect("a frame is played") = true;
            moment = self.changed(node, machine, &mut change, moment, speed);
            change.elapsed += self.step;
            let ended = change.elapsed >= change.transition.seconds - 1e-9;
            self.memory[node].change = (!ended).then_some(change);
        }
        self.memory[node].age += self.step;
        let before = &mut self.before[node];
        before.push(moment.clone());
        if before.len() > 2 {
            before.remove(0);
        }
        moment
    }

    /// Starts the first transition whose condition holds.
    fn try_transitions(&mut self, node: usize, machine: &StateMachine) {
        let Memory { state, age, change, .. } = &self.memory[node];
        if change.as_ref().is_some_and(|change| !change.transition.interruptible) {
            return;
        }
        let value = |name: &str| {
            let found = self.graph.params.iter().position(|(param, _)| param == name);
            found.map_or(0.0, |param| self.params[param])
        };
        let finished = self.has_ended(machine.states[*state].1);
        let now = Situation { value: &value, events: &self.events, age: *age, finished };
        let fires = |(_, transition): &(usize, &Transition)| {
            transition.to != *state
                && transition.from.is_none_or(|from| from == *state)
                && transition.when.holds(&now)
        };
        let Some((number, transition)) = machine.transitions.iter().enumerate().find(fires) else { return };
        let from = *state;
        self.fired.insert((node, number));
        self.changes += 1;
        let (left, entered) = (machine.states[from].1, machine.states[transition.to].1);
        // Nodes that the previous state uses too keep their phase.
        let mut fixed = vec![false; self.graph.nodes.len()];
        self.mark(left, &mut fixed);
        match (transition.phase, self.phase_of(left)) {
            (PhaseChange::Keep, _) => {}
            (PhaseChange::Match, Some(phase)) => self.set_phase(entered, phase, &mut fixed),
            (PhaseChange::Start | PhaseChange::Match, _) => self.restart(entered, &mut fixed),
        }
        let pose = self.before[node].last().cloned();
        let memory = &mut self.memory[node];
        (memory.state, memory.age) = (transition.to, 0.0);
        memory.change = pose
            .filter(|_| transition.kind != Fade::Pop && transition.seconds > 0.0)
            .map(|left| Change { transition: transition.clone(), from, elapsed: 0.0, left, offsets: None });
        self.named(&machine.states[transition.to].0);
    }

    /// The output within a transition.
    fn changed(
        &mut self,
        node: usize,
        machine: &StateMachine,
        change: &mut Change,
        entered: Moment,
        speed: f64,
    ) -> Moment {
        let seconds = change.transition.seconds;
        let share = (change.elapsed + self.step) / (seconds + self.step);
        let weight = change.transition.curve.at(share);
        match change.transition.kind {
            Fade::Smooth => {
                let left = self.play(machine.states[change.from].1, speed);
                average(&[left, entered], &[1.0 - weight, weight], &self.offsets)
            }
            Fade::Frozen => average(&[change.left.clone(), entered], &[1.0 - weight, weight], &self.offsets),
            Fade::Inertial => {
                let before = self.before[node].clone();
                let offsets = change.offsets.get_or_insert_with(|| {
                    let earlier = before.first().unwrap_or(&change.left);
                    inertia(&change.left, earlier, &entered, self.step, seconds)
                });
                with_offsets(entered, offsets, change.elapsed + self.step)
            }
            Fade::Pop => entered,
        }
    }

    fn named(&mut self, name: &str) {
        self.names.push(Event { time: self.time, name: name.to_owned() });
    }

    /// Whether the motion of a node has ended.
    fn has_ended(&self, node: usize) -> bool {
        match &self.graph.nodes[node].kind {
            NodeKind::Clip { clip, .. } => self.motions[*clip].has_ended(self.memory[node].time),
            NodeKind::Layer { base, .. } | NodeKind::Add { base, .. } => self.has_ended(*base),
            NodeKind::States(machine) => self.has_ended(machine.states[self.memory[node].state].1),
            NodeKind::Space { .. } | NodeKind::Blend { .. } | NodeKind::Lerp { .. } => false,
        }
    }

    fn phase_of(&self, node: usize) -> Option<f64> {
        match &self.graph.nodes[node].kind {
            NodeKind::Clip { clip, .. } => Some(self.motions[*clip].phase_at(self.memory[node].time)),
            NodeKind::Space { .. } => self.memory[node].phase,
            NodeKind::Layer { base, .. } | NodeKind::Add { base, .. } => self.phase_of(*base),
            NodeKind::States(machine) => self.phase_of(machine.states[self.memory[node].state].1),
            NodeKind::Blend { parts } => self.phase_of(parts[0].0),
            NodeKind::Lerp { nodes, .. } => self.phase_of(nodes[0]),
        }
    }

    /// Marks a node and all that it uses.
    fn mark(&self, node: usize, marked: &mut [bool]) {
        if !std::mem::replace(&mut marked[node], true) {
            self.graph.nodes[node].kind.uses().into_iter().for_each(|used| self.mark(used, marked));
        }
    }

    /// Sets the phase of a node and of all that it uses, other than those that are `done`.
    fn set_phase(&mut self, node: usize, phase: f64, done: &mut [bool]) {
        let graph = self.graph;
        if std::mem::replace(&mut done[node], true) {
            return;
        }
        match &graph.nodes[node].kind {
            NodeKind::Clip { clip, .. } => self.memory[node].time = self.motions[*clip].time_at(phase),
            NodeKind::Space { .. } => self.memory[node].phase = Some(phase),
            kind => kind.uses().into_iter().for_each(|used| self.set_phase(used, phase, done)),
        }
    }

    /// Restarts a node and all that it uses, other than those that are `done`.
    fn restart(&mut self, node: usize, done: &mut [bool]) {
        if std::mem::replace(&mut done[node], true) {
            return;
        }
        self.memory[node] = Memory::default();
        for used in self.graph.nodes[node].kind.uses() {
            self.restart(used, done);
        }
    }
}

/// Shares of two nodes on a line, of three in a triangle, of four in a square.
fn lerp_shares(nodes: usize, at: &[f64]) -> Vec<f64> {
    match (nodes, at) {
        (2, [u]) => vec![1.0 - u, *u],
        (3, [u, v]) => {
            let sum = (u + v).max(1.0);
            vec![1.0 - (u + v) / sum, u / sum, v / sum]
        }
        (4, [u, v]) => vec![(1.0 - u) * (1.0 - v), u * (1.0 - v), (1.0 - u) * v, u * v],
        _ => unreachable!("checked with the graph"),
    }
}

/// The decaying offset of the last pose of the previous state from that of the entered one: the
/// rotation of each joint, then rotation and position of the hips.
fn inertia(left: &Moment, earlier: &Moment, entered: &Moment, step: f64, seconds: f64) -> Vec<Decaying> {
    let turn = |from: &UnitQuaternion<f64>, to: &UnitQuaternion<f64>| log(&(from.inverse() * to));
    let decaying =
        |now: Vector3<f64>, moved: Vector3<f64>| Decaying::new(now, now - moved, 1.0 / step, seconds, true);
    let joints = entered.rotations.iter().zip(left.rotations.iter().zip(&earlier.rotations));
    let mut all: Vec<Decaying> =
        joints.map(|(entered, (left, earlier))| decaying(turn(entered, left), turn(earlier, left))).collect();
    all.push(decaying(
        turn(&entered.hips.rotation, &left.hips.rotation),
        turn(&earlier.hips.rotation, &left.hips.rotation),
    ));
    let place = |moment: &Moment| moment.hips.translation.vector;
    all.push(decaying(place(left) - place(entered), place(left) - place(earlier)));
    all
}

fn with_offsets(mut entered: Moment, offsets: &[Decaying], time: f64) -> Moment {
    let joints = entered.rotations.len();
    for (rotation, offset) in entered.rotations.iter_mut().zip(offsets) {
        *rotation *= exp(&offset.at(time));
    }
    entered.hips.rotation *= exp(&offsets[joints].at(time));
    entered.hips.translation.vector += offsets[joints + 1].at(time);
    entered
}
