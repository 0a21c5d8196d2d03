//! The tree of bones that `:hierarchy` describes.

use super::{Document, Problem};

/// Bones by their places in [`Document::bones`].
pub(crate) struct Tree {
    /// `None`: the parent is the root.
    pub(crate) parents: Vec<Option<usize>>,
    /// By bone, in the order of the file.
    pub(crate) children: Vec<Vec<usize>>,
    /// All bones, parents before children, each followed by all below it.
    pub(crate) order: Vec<usize>,
    /// Bones from the root to the furthest leaf.
    pub(crate) depth: usize,
}

/// Builds the tree; the error names the bone that does not fit.
pub(crate) fn tree(document: &Document) -> Result<Tree, (Problem, usize)> {
    let count = document.bones.len();
    let name = |parent: Option<usize>| match parent {
        Some(bone) => document.bones[bone].name.clone(),
        None => "root".to_owned(),
    };
    // Outer `None`: no line of the hierarchy names the bone as a child.
    let mut parents: Vec<Option<Option<usize>>> = vec![None; count];
    let mut children = vec![Vec::new(); count];
    let mut top = Vec::new();
    for link in &document.hierarchy {
        for &child in &link.children {
            match parents[child] {
                Some(first) if first == link.parent => continue,
                Some(first) => {
                    return Err((
                        Problem::TwoParents { first: name(first), second: name(link.parent) },
                        child,
                    ));
                }
                None => parents[child] = Some(link.parent),
            }
            match link.parent {
                Some(parent) => children[parent].push(child),
                None => top.push(child),
            }
        }
    }
    let mut order = Vec::with_capacity(count);
    let mut depth = 0;
    let mut open: Vec<(usize, usize)> = top.iter().rev().map(|&bone| (bone, 1)).collect();
    let mut reached = vec![false; count];
    while let Some((bone, level)) = open.pop() {
        reached[bone] = true;
        order.push(bone);
        depth = depth.max(level);
        open.extend(children[bone].iter().rev().map(|&child| (child, level + 1)));
    }
    // A bone in a cycle has a parent, but cannot be reached from the root.
    match reached.iter().position(|&reached| !reached) {
        Some(bone) => Err((Problem::Unattached, bone)),
        None => Ok(Tree { parents: parents.into_iter().flatten().collect(), children, order, depth }),
    }
}
