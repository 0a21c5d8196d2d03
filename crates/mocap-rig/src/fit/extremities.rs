//! Finds the five extremities of a person: feet, hands, head.
//!
//! Extremities are found one by one, each as the voxel furthest from the tree of paths so far (farthest-point sampling
//! by geodesic distance). They are identified by the topology of the branches: the paths to the feet join at the
//! pelvis, a trunk's length away from where the others join.
//!
//! Based on: M. Hilaga, Y. Shinagawa, T. Kohmura, T. L. Kunii, "Topology matching for fully automatic similarity
//! estimation of 3D shapes", 2001 (geodesics do not change with the pose); P. Buneman, "A note on the metric properties
//! of trees", 1974 (the distances of four ends determine how a tree branches).

use mocap_model::Vector3;

use crate::geodesic::Ways;
use crate::{RigError, Voxels};

/// A connected part with at least this share of the largest one's volume is a second body.
const SECOND_BODY: f64 = 0.4;
/// The shortest limb as a share of the longest.
const SHORTEST_LIMB: f64 = 0.18;
/// With a sixth branch longer than this share of the shortest limb, the mesh is not a person.
const SIXTH: f64 = 0.6;
/// A solid whose extent is less than this multiple of its depth has no limbs.
const ROUND: f64 = 2.5;
/// The trunk is at least this share of the longest limb.
const TRUNK: f64 = 0.12;

/// How near to an upper end its thickness counts: about the length of a hand, as a share of the way from the feet to
/// the nearest upper end.
const TIP: f64 = 0.1;

/// The ends of a body, as voxels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extremities {
    pub(crate) feet: [usize; 2],
    pub(crate) hands: [usize; 2],
    pub(crate) head: usize,
    /// The voxel at which the paths to the feet separate.
    pub(crate) pelvis: usize,
    /// The voxel at which the paths to hands and head separate.
    pub(crate) chest: usize,
}

/// Only the largest connected part of a solid.
///
/// # Errors
/// [`RigError::NoSolid`], [`RigError::SeveralBodies`].
pub(crate) fn largest_part(voxels: &Voxels) -> Result<Voxels, RigError> {
    let mut part = vec![0u32; voxels.len()];
    let mut sizes = vec![0usize];
    for start in 0..voxels.len() {
        if !voxels.inside[start] || part[start] != 0 {
            continue;
        }
        let number = sizes.len() as u32;
        let (mut open, mut size) = (vec![start], 0);
        part[start] = number;
        while let Some(at) = open.pop() {
            size += 1;
            for next in voxels.around(at) {
                if voxels.inside[next] && part[next] == 0 {
                    part[next] = number;
                    open.push(next);
                }
            }
        }
        sizes.push(size);
    }
    let all: usize = sizes.iter().sum();
    let box_volume: usize = voxels.counts.iter().product();
    if all < 64 {
        return Err(RigError::NoSolid { share: 100.0 * all as f64 / box_volume as f64 });
    }
    let mut order: Vec<usize> = (1..sizes.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(sizes[*at]), *at));
    let large: Vec<usize> =
        order.iter().copied().filter(|at| sizes[*at] as f64 > SECOND_BODY * sizes[order[0]] as f64).collect();
    if large.len() > 1 {
        let share = |at: usize| 100.0 * sizes[large[at]] as f64 / all as f64;
        return Err(RigError::SeveralBodies { count: large.len(), first: share(0), second: share(1) });
    }
    let inside = part.iter().map(|part| *part as usize == order[0]).collect();
    Ok(Voxels { inside, ..voxels.clone() })
}

/// Finds the ends of a connected solid.
///
/// # Errors
/// [`RigError::NotHuman`].
pub(crate) fn extremities(voxels: &Voxels, depths: &[f64]) -> Result<Extremities, RigError> {
    let root = deepest(voxels, depths);
    let (tips, longest) = five_tips(voxels, depths, root)?;
    let ways: Vec<Ways> = tips.iter().map(|tip| Ways::new(voxels, &[(*tip, 0.0)])).collect();
    let far = |a: usize, b: usize| ways[a].far[tips[b]];
    // The distance of the branching point of two ends from the rest.
    let apart = |a: usize, b: usize| {
        let others: Vec<usize> = (0..5).filter(|at| *at != a && *at != b).collect();
        let pairs = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| (others[i], others[j]));
        let inner = pairs.map(|(c, d)| {
            let [p, q] = [far(a, c) + far(b, d), far(a, d) + far(b, c)];
            0.25 * (p + q) - 0.5 * (far(a, b) + far(c, d))
        });
        inner.into_iter().fold(f64::INFINITY, f64::min)
    };
    let pairs: Vec<(usize, usize)> = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).collect();
    let (f1, f2) = pairs
        .into_iter()
        .reduce(|best, next| if apart(next.0, next.1) > apart(best.0, best.1) { next } else { best })
        .unwrap_or((0, 1));
    if apart(f1, f2) < TRUNK * longest {
        let seen = "five limbs that meet in one place, without a trunk between legs and arms".to_owned();
        return Err(RigError::NotHuman { seen });
    }
    let others: Vec<usize> = (0..5).filter(|at| *at != f1 && *at != f2).collect();
    let reach = others.iter().map(|at| 0.5 * (far(f1, *at) + far(f2, *at))).fold(f64::INFINITY, f64::min);
    let uppers = [0, 1, 2].map(|at| {
        let [own, a, b] = [0, 1, 2].map(|step| others[(at + step) % 3]);
        UpperEnd {
            length: 0.5 * (far(own, a) + far(own, b) - far(a, b)),
            from_feet: far(f1, own) + far(f2, own),
            thickness: thickness(&ways[own], depths, TIP * reach),
        }
    });
    let (head, score) = head_among(&uppers, reach);
    let head = others[head];
    let hands: Vec<usize> = others.into_iter().filter(|at| *at != head).collect();
    let meets = |three: [usize; 3]| {
        let sum = |at: usize| three.iter().map(|one| ways[*one].far[at]).sum::<f64>();
        (0..voxels.len())
            .filter(|at| voxels.inside[*at])
            // The branching point; of equal ones, the deepest inside.
            .min_by(|a, b| (sum(*a) - depths[*a]).total_cmp(&(sum(*b) - depths[*b])))
            .unwrap_or(root)
    };
    let found = Extremities {
        feet: [tips[f1], tips[f2]],
        hands: [tips[hands[0]], tips[hands[1]]],
        head: tips[head],
        pelvis: meets([f1, f2, head]),
        chest: meets([head, hands[0], hands[1]]),
    };
    upright(voxels, &found)?;
    if score <= 0.0 {
        let seen = "three upper limbs, none of them thicker than hands and shorter than arms, as a head is";
        return Err(RigError::NotHuman { seen: seen.to_owned() });
    }
    Ok(found)
}

/// The cell deepest inside.
fn deepest(voxels: &Voxels, depths: &[f64]) -> usize {
    let deepest = (0..voxels.len()).reduce(|best, at| if depths[at] > depths[best] { at } else { best });
    deepest.unwrap_or_default()
}

/// The five ends that are furthest from a cell and from the ways to each other, and the distance of the first.
fn five_tips(voxels: &Voxels, depths: &[f64], root: usize) -> Result<(Vec<usize>, f64), RigError> {
    let mut tips: Vec<(usize, f64)> = Vec::new();
    let mut ways = Ways::new(voxels, &[(root, 0.0)]);
    for _ in 0..6 {
        let Some(tip) = ways.furthest() else { break };
        tips.push((tip, ways.far[tip]));
        let branch: Vec<(usize, f64)> = ways.back(voxels, tip).into_iter().map(|at| (at, 0.0)).collect();
        ways.add(voxels, &branch);
    }
    let longest = tips.first().map_or(0.0, |tip| tip.1);
    let limbs = tips.iter().filter(|tip| tip.1 >= SHORTEST_LIMB * longest).count();
    let is_clear = tips.len() == 6 && tips[5].1 <= SIXTH * tips[4].1;
    if limbs < 5 || !is_clear {
        let seen = if longest < ROUND * depths[root] {
            "one round mass without limbs, such as a head alone or a ball".to_owned()
        } else if limbs < 5 {
            let tips: Vec<usize> = tips[..limbs].iter().map(|tip| tip.0).collect();
            format!(
                "{limbs} limbs, where a person has two legs, two arms and a head{}",
                grown_arms(voxels, &tips, root)
            )
        } else {
            "six limbs or more, such as a tail, wings or a second person".to_owned()
        };
        return Err(RigError::NotHuman { seen });
    }
    Ok((tips[..5].iter().map(|tip| tip.0).collect(), longest))
}

/// One of the three upper ends of a body.
struct UpperEnd {
    /// Its distance from where the ways to the three meet.
    length: f64,
    /// Its distance from both feet.
    from_feet: f64,
    /// The greatest depth near it.
    thickness: f64,
}

/// The greatest depth inside, at most so far from an end.
fn thickness(from_end: &Ways, depths: &[f64], most: f64) -> f64 {
    let near = (0..depths.len()).filter(|at| from_end.far[*at] <= most);
    near.map(|at| depths[at]).fold(0.0, f64::max)
}

/// The head among the three upper ends: the one that is shorter than the arms, thicker than the hands, and leaves two
/// arms that are equally far from the feet. Each of these may fail in some pose or body, but not all: then the score
/// that comes along is not above 0.
fn head_among(ends: &[UpperEnd; 3], reach: f64) -> (usize, f64) {
    let score = |head: usize| {
        let [a, b] = [1, 2].map(|step| &ends[(head + step) % 3]);
        let own = &ends[head];
        let ratio = |a: f64, b: f64| (a.max(f64::MIN_POSITIVE) / b.max(f64::MIN_POSITIVE)).ln();
        let thicker = ratio(own.thickness, a.thickness.max(b.thickness));
        let shorter = ratio(a.length.min(b.length), own.length);
        let uneven = (a.from_feet - b.from_feet).abs() / (2.0 * reach);
        thicker + shorter - uneven
    };
    let scores = [0, 1, 2].map(|head| (head, score(head)));
    scores.into_iter().fold(scores[0], |best, next| if next.1 > best.1 { next } else { best })
}

/// Whether a solid has no limbs, such as a ball, so that smaller voxels would not help.
pub(crate) fn is_round(voxels: &Voxels, depths: &[f64]) -> bool {
    let deepest = (0..voxels.len()).reduce(|best, at| if depths[at] > depths[best] { at } else { best });
    let Some(root) = deepest else { return true };
    let ways = Ways::new(voxels, &[(root, 0.0)]);
    ways.furthest().is_none_or(|tip| ways.far[tip] < ROUND * depths[root])
}

/// The message for a missing limb: arms may be merged into the trunk.
fn grown_arms(voxels: &Voxels, tips: &[usize], root: usize) -> String {
    let both =
        "arms may be grown into the trunk: the joints of both arms, from shoulder to hand, are uncertain";
    let [a, b, c, d] = match tips {
        [_, _, _] => return format!("; {both}"),
        [a, b, c, d] => [*a, *b, *c, *d],
        _ => return String::new(),
    };
    let ways = Ways::new(voxels, &[(root, 0.0)]);
    let at = |tip: usize| voxels.middle(tip) - voxels.middle(root);
    // Legs have equal lengths, and are on one side of the middle.
    let alike = |[p, q]: [usize; 2]| {
        (ways.far[p] - ways.far[q]).abs() / (ways.far[p] + ways.far[q])
            + 0.5 * (1.0 - at(p).angle(&at(q)).cos())
    };
    let pairs = [[a, b], [a, c], [a, d], [b, c], [b, d], [c, d]];
    let Some(feet) = pairs.into_iter().min_by(|a, b| alike(*a).total_cmp(&alike(*b))) else {
        return String::new();
    };
    let down = at(feet[0]) + at(feet[1]);
    let mut others = [a, b, c, d].into_iter().filter(|tip| !feet.contains(tip));
    let (Some(one), Some(other)) = (others.next(), others.next()) else { return String::new() };
    let hand = if at(one).angle(&down) > at(other).angle(&down) { other } else { one };
    let away = at(hand) - down * (at(hand).dot(&down) / down.norm_squared().max(f64::MIN_POSITIVE));
    let axis = away.iamax();
    let sign = if away[axis] > 0.0 { "-" } else { "" };
    let axis = ["X", "Y", "Z"][axis];
    format!(
        "; one of the arms may be grown into the trunk: the joints of that towards {sign}{axis}, from shoulder to hand, are uncertain"
    )
}

/// Checks that legs continue the direction of the trunk: those of quadrupeds are perpendicular to it.
fn upright(voxels: &Voxels, found: &Extremities) -> Result<(), RigError> {
    let at = |voxel: usize| voxels.middle(voxel);
    let trunk = at(found.pelvis) - at(found.chest);
    let legs: Vector3<f64> = found.feet.iter().map(|foot| (at(*foot) - at(found.pelvis)).normalize()).sum();
    let cosine = trunk.dot(&legs) / (trunk.norm() * legs.norm()).max(f64::MIN_POSITIVE);
    if cosine < 0.5 {
        let degrees = cosine.clamp(-1.0, 1.0).acos().to_degrees();
        let seen = format!("the legs are at {degrees:.0}° to the trunk, as of an animal on four legs");
        return Err(RigError::NotHuman { seen });
    }
    Ok(())
}
