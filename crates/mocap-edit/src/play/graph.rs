//! A graph of motions: clips, blend spaces, layers and state machines that use each other by name.

use mocap_model::Clip;

use super::condition::Condition;
use crate::smoothing::smooth_step;
use crate::{BlendSpace, EditError, LayerSpace, Mask};

/// The nodes to play, and the node whose pose is the output.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Parameters and their values at the start.
    pub params: Vec<(String, f64)>,
    /// The motions that nodes play.
    pub clips: Vec<GraphClip>,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The node whose pose is the output.
    pub output: usize,
}

/// A motion of a graph.
#[derive(Clone, Debug)]
pub struct GraphClip {
    /// The motion; all have one skeleton.
    pub clip: Clip,
    /// Whether its best cycle is repeated.
    pub looped: bool,
}

/// A node with its name.
#[derive(Clone, Debug)]
pub struct Node {
    /// The name by which other nodes refer to it.
    pub name: String,
    /// What it does.
    pub kind: NodeKind,
}

/// A constant or the value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Fixed.
    Fixed(f64),
    /// The parameter of this number.
    Param(usize),
}

/// The kind of a node. Other nodes are referred to by index.
#[derive(Clone, Debug)]
pub enum NodeKind {
    /// Plays a motion.
    Clip {
        /// The number of the motion.
        clip: usize,
        /// Playback rate; 1 is as recorded.
        speed: Amount,
    },
    /// Blends motions with synchronised phases, by their places in a blend space.
    Space {
        /// The places of the samples.
        space: BlendSpace,
        /// The parameter of each dimension.
        params: Vec<usize>,
        /// The motion of each sample.
        clips: Vec<usize>,
    },
    /// Blends nodes by weights, which are brought to a sum of 1.
    Blend {
        /// Nodes with their weights.
        parts: Vec<(usize, Amount)>,
    },
    /// Between two nodes by one number from 0 to 1, between three by two numbers (the shares of the second and the
    /// third), between four by two numbers (from the first to the second, and from these to the other two).
    Lerp {
        /// Two, three or four nodes.
        nodes: Vec<usize>,
        /// One number for two nodes, else two.
        at: Vec<Amount>,
    },
    /// Adds the difference between a node and its first frame.
    Add {
        /// The node below.
        base: usize,
        /// The node that is added.
        add: usize,
        /// How much.
        weight: Amount,
        /// The joints that are changed; `None`: all.
        mask: Option<Mask>,
        /// Local: base · (reference⁻¹ · pose)^weight by joint. Mesh: (pose · reference⁻¹)^weight · base.
        space: LayerSpace,
    },
    /// Blends a node over another one, for some joints.
    Layer {
        /// The node below.
        base: usize,
        /// The node on top.
        over: usize,
        /// How much of it.
        weight: Amount,
        /// The joints that are changed; `None`: all.
        mask: Option<Mask>,
        /// Where rotations are blended.
        space: LayerSpace,
    },
    /// Plays one of its states, and changes between them.
    States(StateMachine),
}

/// States and the transitions between them.
#[derive(Clone, Debug)]
pub struct StateMachine {
    /// Names and nodes; the first is the initial state.
    pub states: Vec<(String, usize)>,
    /// In the order in which they are tried.
    pub transitions: Vec<Transition>,
}

/// A change of state.
#[derive(Clone, Debug)]
pub struct Transition {
    /// The state it leaves; `None`: any.
    pub from: Option<usize>,
    /// The state it enters.
    pub to: usize,
    /// When.
    pub when: Condition,
    /// Duration \[s\].
    pub seconds: f64,
    /// How poses are blended.
    pub kind: Fade,
    /// How the weight changes.
    pub curve: Curve,
    /// The phase at which the entered state begins.
    pub phase: PhaseChange,
    /// Whether another transition may interrupt it.
    pub interruptible: bool,
}

/// How poses change in a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fade {
    /// Both states are played and blended.
    Smooth,
    /// The last pose of the previous state is held while it fades out.
    Frozen,
    /// The entered state is played; its offset from the last pose of the previous state decays.
    Inertial,
    /// At once.
    Pop,
}

/// How the weight of the entered state grows over a transition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// At constant speed.
    Linear,
    /// 3t² - 2t³.
    Smoothstep,
    /// 6t⁵ - 15t⁴ + 10t³.
    Quintic,
    /// A cubic Bézier curve from (0, 0) to (1, 1) with these two control points.
    Bezier([f64; 4]),
}

/// The phase at which an entered state begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseChange {
    /// It continues at the time at which it was left before.
    Keep,
    /// At the phase of the state that is left.
    Match,
    /// At its start.
    Start,
}

impl Curve {
    /// The weight after a share of the duration; both from 0 to 1.
    ///
    /// ```
    /// use mocap_edit::Curve;
    ///
    /// assert_eq!(Curve::Smoothstep.at(0.5), 0.5);
    /// assert!(Curve::Bezier([0.4, 0.0, 0.2, 1.0]).at(0.5) > 0.7);
    /// ```
    pub fn at(&self, t: f64) -> f64 {
        let t = t.clamp(0.0, 1.0);
        match *self {
            Curve::Linear => t,
            Curve::Smoothstep => smooth_step(t),
            Curve::Quintic => t * t * t * (t * (6.0 * t - 15.0) + 10.0),
            Curve::Bezier([x1, y1, x2, y2]) => {
                let along = |a: f64, b: f64, s: f64| {
                    let r = 1.0 - s;
                    3.0 * r * r * s * a + 3.0 * r * s * s * b + s * s * s
                };
                let s = crate::blend::inverse([0.0, 1.0], t, |s| along(x1, x2, s));
                along(y1, y2, s)
            }
        }
    }
}

impl std::str::FromStr for Curve {
    type Err = String;

    fn from_str(text: &str) -> Result<Curve, String> {
        let wrong = || {
            format!("'{text}' is not linear, smoothstep, quintic or bezier X1 Y1 X2 Y2 with X from 0 to 1")
        };
        match text.trim() {
            "linear" => Ok(Curve::Linear),
            "smoothstep" => Ok(Curve::Smoothstep),
            "quintic" => Ok(Curve::Quintic),
            other => {
                let numbers = other.strip_prefix("bezier").ok_or_else(wrong)?;
                let numbers: Vec<f64> = numbers
                    .split_whitespace()
                    .map(str::parse)
                    .collect::<Result<_, _>>()
                    .map_err(|_| wrong())?;
                let points: [f64; 4] = numbers.try_into().map_err(|_| wrong())?;
                let inside = |x: f64| (0.0..=1.0).contains(&x);
                let valid =
                    inside(points[0]) && inside(points[2]) && points.iter().all(|value| value.is_finite());
                if valid { Ok(Curve::Bezier(points)) } else { Err(wrong()) }
            }
        }
    }
}

impl NodeKind {
    /// The nodes that this one uses.
    pub(super) fn uses(&self) -> Vec<usize> {
        match self {
            NodeKind::Clip { .. } | NodeKind::Space { .. } => Vec::new(),
            NodeKind::Blend { parts } => parts.iter().map(|(node, _)| *node).collect(),
            NodeKind::Lerp { nodes, .. } => nodes.clone(),
            NodeKind::Add { base, add: over, .. } | NodeKind::Layer { base, over, .. } => vec![*base, *over],
            NodeKind::States(machine) => machine.states.iter().map(|(_, node)| *node).collect(),
        }
    }
}

/// Nodes of a graph, at most: a node may use a chain of all others.
const MOST_NODES: usize = 1000;

impl Graph {
    /// Checks that nodes have no cycles, that there are at most 1,000 of them, and that what they refer to exists.
    /// Motions are not checked, which may be read later: [`play`](crate::play()) checks them.
    ///
    /// # Errors
    /// [`EditError::Graph`] with the nodes of the cycle, for too many nodes, for a lerp with
    /// other numbers of nodes and values, or for a node, parameter or state that does not exist.
    pub fn check(&self) -> Result<(), EditError> {
        if self.nodes.len() > MOST_NODES {
            let reason = format!("it has {} nodes, more than the limit of {MOST_NODES}", self.nodes.len());
            return Err(EditError::Graph { reason });
        }
        for node in &self.nodes {
            if let NodeKind::Lerp { nodes, at } = &node.kind
                && !matches!((nodes.len(), at.len()), (2, 1) | (3 | 4, 2))
            {
                let reason = format!(
                    "'{}' has {} nodes and {} numbers; two nodes take one number, three and four take two",
                    node.name,
                    nodes.len(),
                    at.len()
                );
                return Err(EditError::Graph { reason });
            }
        }
        self.check_references()?;
        if let Some(cycle) = self.cycle() {
            let names: Vec<&str> =
                cycle.iter().chain(&cycle[..1]).map(|node| self.nodes[*node].name.as_str()).collect();
            return Err(EditError::Graph { reason: format!("nodes form a cycle: {}", names.join(" → ")) });
        }
        Ok(())
    }

    /// The first cycle of the graph: nodes of which each uses the next. Also `None` for more nodes than
    /// [`Graph::check`] accepts.
    ///
    /// ```
    /// assert_eq!(mocap_edit::Graph::default().cycle(), None);
    /// ```
    pub fn cycle(&self) -> Option<Vec<usize>> {
        if self.nodes.len() > MOST_NODES {
            return None;
        }
        let mut done = vec![false; self.nodes.len()];
        (0..self.nodes.len()).find_map(|node| self.cycle_from(node, &mut Vec::new(), &mut done))
    }

    fn cycle_from(&self, node: usize, path: &mut Vec<usize>, done: &mut [bool]) -> Option<Vec<usize>> {
        if node >= self.nodes.len() {
            return None;
        }
        if let Some(start) = path.iter().position(|other| *other == node) {
            return Some(path[start..].to_vec());
        }
        if done[node] {
            return None;
        }
        path.push(node);
        let found =
            self.nodes[node].kind.uses().into_iter().find_map(|next| self.cycle_from(next, path, done));
        path.pop();
        done[node] = true;
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_go_from_0_to_1_without_turning_back() {
        let curves =
            [Curve::Linear, Curve::Smoothstep, Curve::Quintic, "bezier 0.4 0 0.2 1".parse().unwrap()];
        for curve in curves {
            assert!(curve.at(0.0).abs() < 1e-9 && (curve.at(1.0) - 1.0).abs() < 1e-9);
            let values: Vec<f64> = (0..=100).map(|i| curve.at(f64::from(i) / 100.0)).collect();
            assert!(values.windows(2).all(|pair| pair[1] >= pair[0] - 1e-9), "{curve:?}");
        }
        for wrong in ["", "cubic", "bezier 1 2 3", "bezier 2 0 0 1"] {
            assert!(wrong.parse::<Curve>().is_err());
        }
    }

    #[test]
    fn circles_are_named() {
        let layer = |base, over| NodeKind::Layer {
            base,
            over,
            weight: Amount::Fixed(1.0),
            mask: None,
            space: LayerSpace::Local,
        };
        let node = |name: &str, kind| Node { name: name.into(), kind };
        let clip = NodeKind::Clip { clip: 0, speed: Amount::Fixed(1.0) };
        let mut graph = Graph {
            nodes: vec![node("a", layer(1, 2)), node("b", layer(2, 2)), node("c", clip)],
            ..Graph::default()
        };
        assert_eq!(graph.check(), Ok(()));
        // Each layer uses the one below twice, so the number of paths is 2 to the number of layers.
        let tower = |layers: usize| Graph {
            nodes: (0..layers)
                .map(|at| node(&at.to_string(), layer(at + 1, at + 1)))
                .chain([node("c", NodeKind::Clip { clip: 0, speed: Amount::Fixed(1.0) })])
                .collect(),
            ..Graph::default()
        };
        assert_eq!(tower(MOST_NODES - 1).check(), Ok(()));
        let error = tower(MOST_NODES).check().unwrap_err().to_string();
        assert!(error.contains("more than the limit of 1000"), "{error}");
        graph.nodes[1].kind = layer(2, 0);
        let error = graph.check().unwrap_err().to_string();
        assert!(error.contains("a → b → a"), "{error}");
    }
}
