//! Play: evaluates a graph of motions (clips, blend spaces, layers, state machines) along a timeline into a clip.
//!
//! Evaluation is frame by frame at the rate of the first motion, and deterministic: the same graph and timeline give
//! the same bytes. The names of the entered states are events of the clip.

mod condition;
mod frame;
mod graph;
mod motion;
mod player;
mod references;
mod timeline;

use std::borrow::Cow;

use mocap_analysis::FootContacts;
use mocap_model::{Annotations, Clip, Isometry3, JointId, Vector3};
use nalgebra::Translation3;

use crate::blend::check_all_same;
use crate::body::Body;
use crate::feet::locked_in;
use crate::join::peak_acceleration;
use crate::one_space::all_in_one_space;
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;
use crate::{EditError, EditReport};
pub use condition::Condition;
pub use graph::{
    Amount, Curve, Fade, Graph, GraphClip, Node, NodeKind, PhaseChange, StateMachine, Transition,
};
use motion::Motion;
use player::Player;
pub use timeline::Timeline;

/// Most frames of a take.
const MOST_FRAMES: f64 = 10_000_000.0;

/// Plays a graph along a timeline, from 0 to the time of its last row. Feet are locked where the played motions have
/// contacts.
///
/// ```no_run
/// # let walk = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{Amount, Graph, GraphClip, Node, NodeKind, play};
///
/// let node = NodeKind::Clip { clip: 0, speed: Amount::Fixed(1.0) };
/// let graph = Graph {
///     clips: vec![GraphClip { clip: walk, looped: true }],
///     nodes: vec![Node { name: "walk".into(), kind: node }],
///     ..Graph::default()
/// };
/// let (take, report) = play(&graph, &"time\n0\n10\n".parse()?, true)?;
/// println!("{} frames: {report}", take.frames());
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::Graph`] where the graph is empty or has a cycle, a node refers to what does not exist, or the timeline
/// names an unknown parameter;
/// [`EditError::Skeletons`] where the motions have different skeletons; as
/// [`make_loop`](crate::make_loop) for a motion without a cycle.
pub fn play(graph: &Graph, timeline: &Timeline, lock_feet: bool) -> Result<(Clip, EditReport), EditError> {
    graph.check()?;
    let wrong = |reason: String| Err(EditError::Graph { reason });
    if graph.clips.is_empty() {
        return wrong("it has no motions".into());
    }
    graph.check_motions()?;
    let graph = &*in_one_space(graph)?;
    let first = &graph.clips[0];
    check_all_same(graph.clips.iter().map(|given| &given.clip))?;
    let columns: Vec<usize> = timeline
        .params()
        .iter()
        .map(|name| {
            let found = graph.params.iter().position(|(param, _)| param == name);
            found.ok_or_else(|| EditError::Graph {
                reason: format!("it has no parameter '{name}', which the timeline sets"),
            })
        })
        .collect::<Result<_, _>>()?;
    let (body, reference) = (Body::of(&first.clip), Samples::of(&first.clip));
    let motions: Vec<Motion> =
        graph.clips.iter().map(|clip| Motion::new(clip, &body, &reference)).collect::<Result<_, _>>()?;
    let fps = first.clip.rate().fps();
    let frames = (timeline.duration() * fps + 1e-6).floor() + 1.0;
    if !(2.0..=MOST_FRAMES).contains(&frames) {
        return wrong(format!("the timeline lasts {} s, which is {frames} frames", timeline.duration()));
    }
    let mut player = Player::new(graph, &body, &motions, 1.0 / fps)?;
    let mut take = Take::new(&first.clip, &body, frames as usize);
    for frame in 0..frames as usize {
        let time = frame as f64 / fps;
        for (column, param) in columns.iter().enumerate() {
            player.params[*param] = timeline.value(column, time).unwrap_or(player.params[*param]);
        }
        player.events = timeline.events(time, time + 1.0 / fps);
        take.add(frame, &player.next(), &body, 1.0 / fps);
    }
    take.samples.annotations = Annotations { events: player.names.clone(), ..Annotations::default() };
    let contacts = take.contacts();
    let mut clip = take.samples.into_clip("play")?;
    if lock_feet && body.locks_feet() {
        clip = locked_in(&clip, Some(&contacts))?;
    }
    let mut report = report(&player, &clip, first);
    let own: Vec<&Clip> = graph.clips.iter().map(|given| &given.clip).collect();
    report.warn_of_limits(&own, &clip);
    let has_numbers =
        |given: &GraphClip| given.clip.annotations().scalars.iter().any(|of| of.values.is_sampled());
    if graph.clips.iter().any(has_numbers) {
        report.warn("play::numbers", "shapes and other numbers over time of the motions are left out");
    }
    for event in unheard(graph, timeline) {
        report.warn("play::event", format!("no transition waits for the event '{event}'"));
    }
    Ok((clip, report))
}

/// The graph with all motions in the unit and axes of the first.
fn in_one_space(graph: &Graph) -> Result<Cow<'_, Graph>, EditError> {
    let clips: Vec<Clip> = graph.clips.iter().map(|given| given.clip.clone()).collect();
    let Cow::Owned(clips) = all_in_one_space(&clips, "play")? else { return Ok(Cow::Borrowed(graph)) };
    let given = graph.clips.iter().zip(clips).map(|(given, clip)| GraphClip { clip, ..given.clone() });
    Ok(Cow::Owned(Graph { clips: given.collect(), ..graph.clone() }))
}

/// Events of the timeline that no transition uses; each once.
fn unheard<'t>(graph: &Graph, timeline: &'t Timeline) -> Vec<&'t str> {
    let machines = graph.nodes.iter().filter_map(|node| match &node.kind {
        NodeKind::States(machine) => Some(machine),
        _ => None,
    });
    let conditions: Vec<&Condition> =
        machines.flat_map(|machine| &machine.transitions).map(|transition| &transition.when).collect();
    let mut names = timeline.event_names();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !conditions.iter().any(|condition| condition.waits_for(name)));
    names
}

/// The frames played so far.
struct Take {
    samples: Samples,
    root_motion: RootMotionJoint,
    root: Isometry3<f64>,
    /// By foot, then by frame.
    in_contact: Vec<Vec<bool>>,
}

impl Take {
    fn new(first: &Clip, body: &Body, frames: usize) -> Take {
        let mut samples = Samples::of(first);
        samples.annotations = Annotations::default();
        samples.rotations.iter_mut().for_each(|values| *values = vec![values[0]; frames]);
        for values in samples.translations.iter_mut().chain(&mut samples.scales).flatten() {
            *values = vec![values[0]; frames];
        }
        samples.set_frames(frames);
        let root_motion = RootMotionJoint::hips(first, body);
        Take {
            samples,
            root_motion,
            root: Isometry3::identity(),
            in_contact: vec![vec![false; frames]; body.feet.len()],
        }
    }

    fn add(&mut self, frame: usize, moment: &frame::Moment, body: &Body, step: f64) {
        let hips = self.root_motion.joint.index();
        for joint in 0..moment.rotations.len() {
            self.samples.rotations[joint][frame] = moment.rotations[joint];
            if let Some(translation) = moment.translations[joint].filter(|_| joint != hips) {
                let (offset, frames) =
                    (self.samples.skeleton.joint(JointId::from(joint)).offset, self.samples.frames);
                self.samples.translations[joint].get_or_insert_with(|| vec![offset; frames])[frame] =
                    translation;
            }
        }
        self.root_motion.put(&mut self.samples, frame, &(self.root * moment.hips));
        for (flags, in_contact) in self.in_contact.iter_mut().zip(&moment.in_contact) {
            flags[frame] = *in_contact > 0.5;
        }
        let way: Vector3<f64> = moment.velocity * step;
        self.root *= Isometry3::from_parts(Translation3::from(way), body.turn(moment.turn * step));
    }

    fn contacts(&self) -> Vec<FootContacts> {
        self.in_contact.iter().map(|toe| FootContacts { toe: toe.clone(), heel: toe.clone() }).collect()
    }
}

fn report(player: &Player, clip: &Clip, first: &GraphClip) -> EditReport {
    let mut report = EditReport::measured("play", &first.clip, clip);
    // The graph generates the motion, so none exists before.
    report.frames_before = report.frames;
    (report.rms_deg, report.max_deg, report.rms_m, report.max_m, report.worst) =
        (None, None, None, None, None);
    let changes = mocap_analysis::runs(&player.changing);
    let own = player.graph.clips.iter().map(|given| peak_acceleration(&given.clip, 0..given.clip.frames()));
    let own = own.fold(0.0, f64::max);
    let within = changes.iter().map(|frames| {
        peak_acceleration(clip, frames.start.saturating_sub(2)..(frames.end + 3).min(clip.frames()))
    });
    let peak = within.reduce(f64::max).filter(|_| own > 0.0).map(|peak| peak / own);
    report = report.figure("transitions", player.changes as f64, "").figure("peak-acceleration", peak, "");
    for (node, kind) in player.graph.nodes.iter().map(|node| &node.kind).enumerate() {
        let NodeKind::States(machine) = kind else { continue };
        for (number, transition) in machine.transitions.iter().enumerate() {
            if !player.fired.contains(&(node, number)) {
                let from = transition.from.map_or("any state", |from| &machine.states[from].0);
                let to = &machine.states[transition.to].0;
                report.warn("play::never", format!("the transition from {from} to {to} never fires"));
            }
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::{BlendSpace, LayerSpace, Mask, SpaceKind};

    fn node(name: &str, kind: NodeKind) -> Node {
        Node { name: name.into(), kind }
    }

    fn plays(clip: usize) -> NodeKind {
        NodeKind::Clip { clip, speed: Amount::Fixed(1.0) }
    }

    fn change(from: usize, to: usize, when: &str, kind: Fade) -> Transition {
        Transition {
            from: Some(from),
            to,
            when: when.parse().unwrap(),
            seconds: 0.3,
            kind,
            curve: Curve::Smoothstep,
            phase: PhaseChange::Match,
            interruptible: false,
        }
    }

    /// A walk and the same walk at one and a half times its speed, as states and as a space.
    fn graph(kind: Fade) -> Graph {
        let walk = clip("alex_walk.bvh");
        let (fast, _) = crate::speed(&walk, 1.5).unwrap();
        let space = BlendSpace::new(SpaceKind::Linear, vec![vec![1.0], vec![2.0]]).unwrap();
        let machine = StateMachine {
            states: vec![("walk".into(), 0), ("run".into(), 1)],
            transitions: vec![
                change(0, 1, "speed > 1.5", kind),
                change(1, 0, "event stop and after 0.5s", kind),
            ],
        };
        Graph {
            params: vec![("speed".into(), 1.0)],
            clips: [walk, fast].map(|clip| GraphClip { clip, looped: true }).into(),
            nodes: vec![
                node("walk", plays(0)),
                node("run", plays(1)),
                node("gait", NodeKind::Space { space, params: vec![0], clips: vec![0, 1] }),
                node("body", NodeKind::States(machine)),
            ],
            output: 3,
        }
    }

    const TIMELINE: &str = "time,speed,event\n0,1,\n2,1,\n2.1,2,\n3.9,2,\n4,1,stop\n7,,\n";

    #[test]
    fn states_change_without_a_pop_and_are_named() {
        for kind in [Fade::Smooth, Fade::Inertial, Fade::Frozen] {
            let (take, report) = play(&graph(kind), &TIMELINE.parse().unwrap(), true).unwrap();
            assert_eq!(take.frames(), (7.0 * take.rate().fps()).round() as usize + 1);
            let names: Vec<&str> =
                take.annotations().events.iter().map(|event| event.name.as_str()).collect();
            assert_eq!(names, ["walk", "run", "walk"]);
            let peak = report.figures.iter().find(|figure| figure.name == "peak-acceleration").unwrap();
            // Freezing a pose causes a jump of velocity, of which only the size is bounded.
            let most = if kind == Fade::Frozen { 3.0 } else { 1.2 };
            assert!(peak.value.unwrap() <= most, "{kind:?}: {report}");
        }
    }

    #[test]
    fn a_space_goes_as_fast_as_its_parameter_says() {
        let graph = Graph { output: 2, ..graph(Fade::Smooth) };
        let speed = |value: f64| {
            let timeline = format!("time,speed\n0,{value}\n4,\n");
            let (take, _) = play(&graph, &timeline.parse().unwrap(), false).unwrap();
            crate::speed_and_turn(&take).unwrap()[0]
        };
        let (slow, middle, fast) = (speed(1.0), speed(1.5), speed(2.0));
        assert!((fast / slow - 1.5).abs() < 0.05, "{slow} {fast}");
        assert!((middle / slow - 1.25).abs() < 0.05, "{slow} {middle}");
    }

    #[test]
    fn layers_and_additions_change_the_joints_of_their_mask() {
        let mut graph = graph(Fade::Smooth);
        let skeleton = Body::of(&graph.clips[0].clip).skeleton;
        let name: Mask = "LeftUpperArm/**".parse().unwrap();
        let mask = name.shares(&skeleton).unwrap();
        assert!(mask.iter().any(|taken| *taken > 0.0) && !mask.iter().all(|taken| *taken > 0.0));
        let name = Some(name);
        let turn = clip("alex_turn.bvh");
        graph.clips.push(GraphClip { clip: turn, looped: false });
        graph.nodes.push(node("turn", plays(2)));
        let (base, over, weight) = (0, 4, Amount::Fixed(1.0));
        graph.nodes.push(node(
            "layer",
            NodeKind::Layer { base, over, weight, mask: name.clone(), space: LayerSpace::Local },
        ));
        graph.nodes.push(node(
            "still",
            NodeKind::Add {
                base,
                add: 0,
                weight: Amount::Fixed(0.0),
                mask: name.clone(),
                space: LayerSpace::Mesh,
            },
        ));
        let take = |output: usize| {
            let graph = Graph { output, ..graph.clone() };
            play(&graph, &"time\n0\n1\n".parse().unwrap(), false).unwrap().0
        };
        let (walk, turn, layer, still) = (take(0), take(4), take(5), take(6));
        for (id, _) in skeleton.iter().filter(|(_, joint)| joint.parent.is_some()) {
            let from = if mask[id.index()] > 0.0 { &turn } else { &walk };
            for frame in 0..layer.frames() {
                let far = layer.local(id, frame).rotation.angle_to(&from.local(id, frame).rotation);
                assert!(far < 1e-7, "{} {frame}: {far}", skeleton.joint(id).name);
                assert!(still.local(id, frame).rotation.angle_to(&walk.local(id, frame).rotation) < 1e-7);
            }
        }
    }

    #[test]
    fn a_node_that_is_used_in_many_ways_is_visited_once() {
        // Forty blends, each of the one before with itself: 2^40 paths down to the clip.
        let mut graph = graph(Fade::Smooth);
        let mut below = 0;
        for at in 0..40 {
            let share = || Amount::Fixed(0.5);
            graph.nodes.push(node(
                &format!("b{at}"),
                NodeKind::Blend { parts: vec![(below, share()), (below, share())] },
            ));
            below = graph.nodes.len() - 1;
        }
        let machine = StateMachine {
            states: vec![("walk".into(), 0), ("tower".into(), below)],
            transitions: vec![change(0, 1, "speed > 1.5", Fade::Smooth)],
        };
        graph.nodes.push(node("both", NodeKind::States(machine)));
        graph.output = graph.nodes.len() - 1;
        let take = |graph: &Graph| play(graph, &TIMELINE.parse().unwrap(), false).unwrap().0;
        let (tower, plain) = (take(&graph), take(&Graph { output: 0, ..graph.clone() }));
        assert_eq!(tower.frames(), plain.frames());
    }

    #[test]
    fn weights_of_any_size_are_shares() {
        let mut graph = graph(Fade::Smooth);
        let parts = vec![(0, Amount::Fixed(1e308)), (0, Amount::Fixed(1e308))];
        graph.nodes.push(node("huge", NodeKind::Blend { parts }));
        let take = |output: usize| {
            let graph = Graph { output, ..graph.clone() };
            play(&graph, &"time\n0\n1\n".parse().unwrap(), false).unwrap().0
        };
        let (plain, huge) = (take(0), take(4));
        let root = mocap_model::JointId(0);
        for frame in 0..plain.frames() {
            let [a, b] = [&plain, &huge].map(|clip| clip.local(root, frame));
            assert!((a.translation.vector - b.translation.vector).norm() < 1e-9, "frame {frame}");
            assert!(a.rotation.angle_to(&b.rotation) < 1e-7, "frame {frame}");
        }
    }

    #[test]
    fn lerps_are_between_their_nodes() {
        let walk_and_run = graph(Fade::Smooth);
        let speed = |nodes: Vec<usize>, at: Vec<f64>| {
            let at = at.into_iter().map(Amount::Fixed).collect();
            let mut graph = walk_and_run.clone();
            graph.nodes.push(node("lerp", NodeKind::Lerp { nodes, at }));
            graph.output = 4;
            play(&graph, &"time\n0\n4\n".parse().unwrap(), false)
                .map(|(take, _)| crate::speed_and_turn(&take).unwrap()[0])
        };
        let of = |nodes: &[usize], at: &[f64]| speed(nodes.to_vec(), at.to_vec()).unwrap();
        let (walk, run) = (of(&[0, 1], &[0.0]), of(&[0, 1], &[1.0]));
        let middle = (walk + run) / 2.0;
        for found in [of(&[0, 1], &[0.5]), of(&[0, 1, 1], &[0.25, 0.25]), of(&[0, 1, 0, 1], &[0.5, 0.7])] {
            assert!((found / middle - 1.0).abs() < 0.02, "{found} {middle}");
        }
        assert!(speed(vec![0, 1, 0], vec![0.5]).unwrap_err().to_string().contains("3 nodes and 1 numbers"));
    }

    #[test]
    fn a_node_that_both_states_show_continues() {
        let mut graph = graph(Fade::Smooth);
        let (base, over, weight) = (1, 0, Amount::Fixed(0.0));
        graph
            .nodes
            .push(node("both", NodeKind::Layer { base, over, weight, mask: None, space: LayerSpace::Local }));
        let NodeKind::States(machine) = &mut graph.nodes[3].kind else { unreachable!() };
        machine.states[1].1 = 4;
        machine.transitions[0].phase = PhaseChange::Start;
        let (_, report) = play(&graph, &TIMELINE.parse().unwrap(), true).unwrap();
        let peak = report.figures.iter().find(|figure| figure.name == "peak-acceleration").unwrap();
        // Without matched phases joints accelerate more than with them; a jump would be far above this.
        assert!(peak.value.unwrap() <= 2.0, "{report}");
    }

    #[test]
    fn what_never_fires_and_what_is_unknown_is_said() {
        let (_, report) = play(&graph(Fade::Smooth), &"time\n0\n2\n".parse().unwrap(), false).unwrap();
        assert_eq!(report.warnings.len(), 2);
        let misspelt = "time,event\n0,\n1,sotp\n2,\n".parse().unwrap();
        let (_, report) = play(&graph(Fade::Smooth), &misspelt, false).unwrap();
        assert!(report.warnings.iter().any(|warning| warning.code == "play::event"), "{report}");
        let unknown = play(&graph(Fade::Smooth), &"time,height\n0,1\n1,\n".parse().unwrap(), false);
        assert!(unknown.unwrap_err().to_string().contains("no parameter 'height'"));
    }

    #[test]
    fn what_does_not_exist_is_refused() {
        type Change = fn(&mut Graph);
        fn machine(graph: &mut Graph) -> &mut StateMachine {
            match &mut graph.nodes[3].kind {
                NodeKind::States(machine) => machine,
                other => panic!("{other:?}"),
            }
        }
        let changes: [(Change, &str); 12] = [
            (|graph| graph.output = 4, "the output refers to node 4"),
            (|graph| graph.nodes[0].kind = plays(2), "'walk' refers to motion 2"),
            (|graph| drop(graph.params.pop()), "'gait' refers to parameter 0"),
            (|graph| machine(graph).states[1].1 = 9, "'body' refers to node 9"),
            (|graph| machine(graph).states.clear(), "'body' has no states"),
            (|graph| machine(graph).transitions[0].to = 2, "'body' refers to state 2"),
            (|graph| machine(graph).transitions[0].from = Some(7), "'body' refers to state 7"),
            (|graph| machine(graph).transitions[0].when = "height > 1".parse().unwrap(), "'height'"),
            (|graph| graph.nodes[1].kind = NodeKind::Blend { parts: Vec::new() }, "'run' blends no nodes"),
            (
                |graph| graph.nodes[1].kind = NodeKind::Clip { clip: 1, speed: Amount::Param(1) },
                "'run' refers to parameter 1",
            ),
            (
                |graph| match &mut graph.nodes[2].kind {
                    NodeKind::Space { clips, .. } => clips.truncate(1),
                    other => panic!("{other:?}"),
                },
                "'gait' has 1 motions and 1 parameters, its space 2 samples of 1 values",
            ),
            (
                |graph| match &mut graph.nodes[2].kind {
                    NodeKind::Space { params, .. } => params.push(0),
                    other => panic!("{other:?}"),
                },
                "'gait' has 2 motions and 2 parameters",
            ),
        ];
        let timeline: Timeline = "time\n0\n1\n".parse().unwrap();
        let whole = graph(Fade::Smooth);
        assert!(play(&whole, &timeline, false).is_ok());
        for (change, said) in changes {
            let mut graph = whole.clone();
            change(&mut graph);
            let error = play(&graph, &timeline, false).unwrap_err();
            assert!(matches!(error, EditError::Graph { .. }) && error.to_string().contains(said), "{error}");
        }
    }

    #[test]
    fn only_changes_of_state_count_as_transitions() {
        let mut graph = graph(Fade::Smooth);
        // A machine of one state above the other machine.
        let machine = StateMachine { states: vec![("all".into(), 3)], transitions: Vec::new() };
        graph.nodes.push(node("above", NodeKind::States(machine)));
        for output in [3, 4] {
            let graph = Graph { output, ..graph.clone() };
            let (_, report) = play(&graph, &TIMELINE.parse().unwrap(), false).unwrap();
            let found = report.figures.iter().find(|figure| figure.name == "transitions").unwrap();
            assert_eq!(found.value, Some(2.0), "{output}");
        }
    }
}
