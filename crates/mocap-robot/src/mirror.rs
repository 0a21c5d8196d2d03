//! Whether two chains of hinges are the left and the right limb of a pair: by their shape, or by the names of their
//! joints.

use mocap_model::Vector3;
use nalgebra::Point3;

use crate::rest::Rest;

/// How far the joints of a limb may be from the mirror image of the other, as a share of its reach: a limb with another
/// segment, one joint less or another hand is still one of a pair.
const OFF: f64 = 0.15;
/// Least distance of the bases of both, as a share of their reach.
const BESIDE: f64 = 0.05;
/// Least share of the reach of the other that a limb has, such as one without its forearm.
const LEAST_REACH: f64 = 0.33;

/// Whether both have as many hinges, at equal distances, to one part in twenty and one in a hundred of the limb.
pub(crate) fn are_alike(rest: &Rest, [a, b]: &[Vec<usize>; 2]) -> bool {
    let [a_spans, b_spans] = [a, b].map(|hinges| rest.spans(hinges));
    let reach: f64 = a_spans.iter().sum::<f64>().max(b_spans.iter().sum());
    let same = |(a, b): (&f64, &f64)| (a - b).abs() < 0.01 * reach + 0.05 * a.max(*b);
    a.len() == b.len() && a_spans.iter().zip(&b_spans).all(same)
}

/// Whether at least so many hinges of one side are named as one of the other, but for the side.
pub(crate) fn have_same_names(rest: &Rest, [a, b]: &[Vec<usize>; 2], least: usize) -> bool {
    let name = |hinge: &usize| rest.robot.joints()[*hinge].name.to_lowercase();
    let others: Vec<String> = b.iter().map(name).collect();
    let has_other = |hinge: &&usize| others.iter().any(|other| differ_by_side(&name(hinge), other));
    a.iter().filter(has_other).count() >= least
}

/// Whether the first of two names is that of the left side; `None` if the names do not show it.
pub(crate) fn left_of(a: &str, b: &str) -> Option<bool> {
    for (left, right) in [("left", "right"), ("l", "r")] {
        let has = |name: &str, side: &str| match side.len() {
            1 => name.split(|letter: char| !letter.is_alphabetic()).any(|word| word == side),
            _ => name.contains(side),
        };
        if has(a, left) && has(b, right) {
            return Some(true);
        }
        if has(a, right) && has(b, left) {
            return Some(false);
        }
    }
    // As in lfemurrx and rfemurrx.
    let differ = a.chars().zip(b.chars()).find(|(a, b)| a != b && a.is_alphabetic() && b.is_alphabetic());
    match differ {
        Some(('l', 'r')) => Some(true),
        Some(('r', 'l')) => Some(false),
        _ => None,
    }
}

/// Whether one name is that of the left side and the other that of the right side, and nothing else differs.
fn differ_by_side(a: &str, b: &str) -> bool {
    let without = |name: &str| {
        let words = name.replace("left", "").replace("right", "");
        let words = words.split(|letter: char| !letter.is_alphanumeric());
        words.filter(|word| !["l", "r"].contains(word)).collect::<Vec<_>>().join(" ")
    };
    let differing = || a.chars().zip(b.chars()).filter(|(a, b)| a != b).count();
    // As in lfemurrx and rfemurrx.
    let by_letter = || a.len() == b.len() && differing() == 1;
    left_of(a, b).is_some() && (without(a) == without(b) || by_letter())
}

/// Whether the hinges of the shorter chain are near the mirror image of the longer one, in a plane across an axis of the
/// world, of the base or of the body that carries both.
pub(crate) fn are_mirrored(rest: &Rest, [a, b]: &[Vec<usize>; 2], ends: [usize; 2]) -> bool {
    let [a, b] = [(a, ends[0]), (b, ends[1])].map(|(hinges, end)| polyline(rest, hinges, end));
    let (short, long) = if a.len() <= b.len() { (&a, &b) } else { (&b, &a) };
    let reach = |line: &[Point3<f64>]| line.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum::<f64>();
    let [least, most] = [reach(short), reach(long)];
    let most = most.max(least);
    if least < LEAST_REACH * most {
        return false;
    }
    let carrier = rest.common_body(ends[0], ends[1]);
    let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
    let links = [0, carrier].map(|body| axes.map(|axis| rest.placed[body].rotation * axis));
    axes.into_iter().chain(links.into_iter().flatten()).any(|across| {
        let between = short[0] - long[0];
        let apart = between.dot(&across);
        if apart.abs() < BESIDE * most || (between - across * apart).norm() > OFF * most {
            return false;
        }
        let middle = nalgebra::center(&short[0], &long[0]);
        let mirrored = |at: &Point3<f64>| at - across * (2.0 * (at - middle).dot(&across));
        short.iter().all(|at| distance(&mirrored(at), long) < OFF * most)
    })
}

/// The places of hinges, and the origin of the last body.
fn polyline(rest: &Rest, hinges: &[usize], end: usize) -> Vec<Point3<f64>> {
    let end = Point3::from(rest.placed[end].translation.vector);
    hinges.iter().map(|hinge| rest.line(*hinge).0).chain([end]).collect()
}

/// The distance of a point from a chain of segments.
fn distance(at: &Point3<f64>, line: &[Point3<f64>]) -> f64 {
    let from = |pair: &[Point3<f64>]| {
        let along = pair[1] - pair[0];
        let share = (at - pair[0]).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE);
        (pair[0] + along * share.clamp(0.0, 1.0) - at).norm()
    };
    line.windows(2).map(from).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::differ_by_side;

    #[test]
    fn names_that_differ_by_their_side_only_are_those_of_a_pair() {
        for (a, b) in [
            ("left_hip_yaw", "right_hip_yaw"),
            ("l_hip", "r_hip"),
            ("hip_l", "hip_r"),
            ("lfemurrx", "rfemurrx"),
            ("aal_elbow_left", "aal_elbow_right"),
        ] {
            assert!(differ_by_side(a, b) && differ_by_side(b, a), "{a}");
        }
        for (a, b) in [("left_hip_yaw", "right_hip_roll"), ("l_hip", "l_hip"), ("joint_1", "joint_2")] {
            assert!(!differ_by_side(a, b), "{a}");
        }
    }
}
