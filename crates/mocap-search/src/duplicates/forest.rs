//! Approximate nearest neighbours among many windows: a forest of trees that split them by planes between two windows.
//!
//! Based on: E. Bernhardsson, "Annoy". A search descends all trees together, best branch first, until it has seen
//! enough windows. The windows of a copy are much nearer than all others, so few are missed. The result depends only on
//! the windows and their order, not on the number of threads.

use super::window::{Window, product, squared_distance};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// The most windows in a leaf.
const LEAF: usize = 24;
/// Approximate number of windows that a search visits.
const SEEN: usize = 600;
/// Number of random pairs that are tried for a plane.
const TRIED: usize = 3;

/// A tree over some windows.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The indices of the windows, leaf by leaf.
    order: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf(std::ops::Range<usize>),
    /// Windows whose dot product with the first minus that with the second is below the limit go left.
    Split {
        between: [u32; 2],
        limit: f32,
        children: [u32; 2],
    },
}

/// A deterministic pseudo-random generator (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 32) as usize * end) >> 32
    }
}

fn side_of(window: &Window, between: [u32; 2], windows: &[&Window]) -> f32 {
    product(window, windows[between[0] as usize]) - product(window, windows[between[1] as usize])
}

impl Tree {
    /// Builds a tree; the number seeds its planes.
    pub(super) fn new(windows: &[&Window], number: usize) -> Tree {
        let mut random =
            Random(0x9e37_79b9_7f4a_7c15 ^ (number as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9));
        let mut tree = Tree { nodes: Vec::new(), order: (0..windows.len() as u32).collect() };
        tree.nodes.push(Node::Leaf(0..windows.len()));
        let mut open = vec![0];
        while let Some(node) = open.pop() {
            let Node::Leaf(range) = tree.nodes[node].clone() else { continue };
            if range.len() <= LEAF {
                continue;
            }
            let part = &mut tree.order[range.clone()];
            let between = farthest_pair(part, windows, &mut random);
            let mut placed: Vec<(f32, u32)> =
                part.iter().map(|at| (side_of(windows[*at as usize], between, windows), *at)).collect();
            let middle = placed.len() / 2;
            placed.select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let limit = placed[middle].0;
            part.iter_mut().zip(&placed).for_each(|(place, (_, at))| *place = *at);
            let first = tree.nodes.len();
            tree.nodes.push(Node::Leaf(range.start..range.start + middle));
            tree.nodes.push(Node::Leaf(range.start + middle..range.end));
            tree.nodes[node] = Node::Split { between, limit, children: [first as u32, first as u32 + 1] };
            open.extend([first, first + 1]);
        }
        tree
    }
}

/// The farthest of some random pairs.
fn farthest_pair(part: &[u32], windows: &[&Window], random: &mut Random) -> [u32; 2] {
    let mut best = (f32::NEG_INFINITY, [part[0], part[part.len() - 1]]);
    for _ in 0..TRIED {
        let pair = [part[random.below(part.len())], part[random.below(part.len())]];
        let apart = squared_distance(windows[pair[0] as usize], windows[pair[1] as usize]);
        if apart > best.0 {
            best = (apart, pair);
        }
    }
    best.1
}

/// A branch to visit, with the least margin of the query to the planes above it.
struct Branch {
    margin: f32,
    tree: usize,
    node: usize,
}

impl Ord for Branch {
    fn cmp(&self, other: &Branch) -> Ordering {
        self.margin.total_cmp(&other.margin).then((other.tree, other.node).cmp(&(self.tree, self.node)))
    }
}

impl PartialOrd for Branch {
    fn partial_cmp(&self, other: &Branch) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Branch {
    fn eq(&self, other: &Branch) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Branch {}

/// The indices of windows that may be near one, each once.
pub(super) fn near(window: &Window, windows: &[&Window], trees: &[Tree]) -> Vec<u32> {
    let root = |tree| Branch { margin: f32::INFINITY, tree, node: 0 };
    let mut open: BinaryHeap<Branch> = (0..trees.len()).map(root).collect();
    let mut found: Vec<u32> = Vec::with_capacity(SEEN + LEAF);
    while let Some(Branch { margin, tree, node }) = open.pop() {
        match &trees[tree].nodes[node] {
            Node::Leaf(range) => {
                found.extend(&trees[tree].order[range.clone()]);
                if found.len() >= SEEN {
                    break;
                }
            }
            Node::Split { between, limit, children } => {
                let off = side_of(window, *between, windows) - limit;
                for (child, off) in children.iter().zip([-off, off]) {
                    open.push(Branch { margin: margin.min(off), tree, node: *child as usize });
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
