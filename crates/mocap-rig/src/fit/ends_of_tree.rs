//! The end joints of a skeleton of any shape, and their distances along bones.

use mocap_model::{JointId, Skeleton, Vector3};

/// Branches shorter than this share of the longest path through a skeleton, such as fingers or ears, are ignored.
const SHORT: f64 = 0.12;

/// The ends of a skeleton, and the paths between them.
pub(super) struct Ends {
    /// The last joints of its limbs.
    pub(super) joints: Vec<usize>,
    /// By joint and end: their distance along bones.
    pub(super) far: Vec<Vec<f64>>,
    /// By joint: whether it is on a path between two ends.
    pub(super) between: Vec<bool>,
}

/// Finds the ends of a skeleton with its joints at `rest`.
pub(super) fn ends(skeleton: &Skeleton, rest: &[Vector3<f64>]) -> Ends {
    let count = skeleton.len();
    let parent = |at: usize| skeleton.joint(JointId::from(at)).parent.map(JointId::index);
    let length = |at: usize| parent(at).map_or(0.0, |above| (rest[at] - rest[above]).norm());
    let mut kept = vec![true; count];
    let below = |kept: &[bool], at: usize| {
        let children = skeleton.children(JointId::from(at)).iter().map(|child| child.index());
        children.filter(|child| kept[*child]).count()
    };
    let longest = distances(skeleton, rest).iter().flatten().copied().fold(0.0, f64::max);
    loop {
        // By end: the length of its branch, and its first joint.
        let ends: Vec<usize> = (0..count).filter(|at| kept[*at] && below(&kept, *at) == 0).collect();
        if ends.len() <= 2 {
            break;
        }
        let branch = |end: usize| {
            let (mut at, mut sum) = (end, 0.0);
            while let Some(above) = parent(at) {
                sum += length(at);
                if below(&kept, above) > 1 {
                    return Some((sum, end, above));
                }
                at = above;
            }
            None
        };
        let shortest = ends.into_iter().filter_map(branch).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, end, begins)) = shortest.filter(|one| one.0 < SHORT * longest) else { break };
        let mut at = end;
        while at != begins {
            kept[at] = false;
            at = parent(at).unwrap_or(begins);
        }
    }
    let mut joints: Vec<usize> = (0..count).filter(|at| kept[*at] && below(&kept, *at) == 0).collect();
    // For a single chain, the root is an end too.
    let root = (0..count).find(|at| parent(*at).is_none());
    if let (&[_], Some(root)) = (&joints[..], root) {
        joints.insert(0, root);
    }
    let all = distances(skeleton, rest);
    let far: Vec<Vec<f64>> = (0..count).map(|at| joints.iter().map(|end| all[at][*end]).collect()).collect();
    let between = (0..count).map(|at| kept[at] && !pairs(&far, &joints, at, longest).is_empty()).collect();
    Ends { joints, far, between }
}

/// The pairs of ends between which a joint is, by index.
fn pairs(far: &[Vec<f64>], joints: &[usize], at: usize, longest: f64) -> Vec<[usize; 2]> {
    let all = (0..joints.len()).flat_map(|a| (a + 1..joints.len()).map(move |b| [a, b]));
    let on_way = |[a, b]: &[usize; 2]| {
        let way = far[joints[*a]][*b];
        (far[at][*a] + far[at][*b] - way).abs() <= 1e-6 * longest
    };
    all.filter(on_way).collect()
}

impl Ends {
    /// The pairs of ends between which a joint is.
    pub(super) fn around(&self, at: usize) -> Vec<[usize; 2]> {
        let longest = self.far.iter().flatten().copied().fold(0.0, f64::max);
        pairs(&self.far, &self.joints, at, longest)
    }
}

/// The distance of each pair of joints along bones. Parents come before children.
fn distances(skeleton: &Skeleton, rest: &[Vector3<f64>]) -> Vec<Vec<f64>> {
    let count = skeleton.len();
    let mut far = vec![vec![f64::INFINITY; count]; count];
    for at in 0..count {
        far[at][at] = 0.0;
        let Some(above) = skeleton.joint(JointId::from(at)).parent.map(JointId::index) else { continue };
        let length = (rest[at] - rest[above]).norm();
        for other in 0..at {
            let way = far[above][other] + length;
            (far[at][other], far[other][at]) = (way, way);
        }
    }
    far
}
