//! Finds the bone that a place of the surface belongs to, by distance relative to thickness.
//!
//! Distances are relative to the thickness of the flesh around a bone, so that a thick limb extends further than a thin
//! one beside it. At a joint both bones have the same thickness, and a bone counts less beyond its ends. A bone counts
//! only if the straight line to it stays inside.

use mocap_model::Vector3;

use crate::{BoneSegment, RigMesh, Voxels};

/// The exponent of the ratio of two thicknesses.
const THICKNESS: f64 = 1.0;
/// Relative increase of the distance to a bone for a place beyond its ends, by the share of the distance that is
/// beyond. If flesh is thicker than its bones are long, as in a trunk, all bones of a chain have nearly the same
/// distance, and without this small differences in thickness would shift the borders between them.
const BEYOND: f64 = 0.3;
/// Factor on the length of a line outside the body.
const OUTSIDE: f64 = 10.0;
/// Factor on the distance of a bone on the outer side of the surface.
const HIDDEN: f64 = 100.0;
/// Length of a line outside that is ignored because of the size of voxels [voxels].
const GRAIN: f64 = 1.5;
/// Cosine limit between the normal of a place and the direction to a bone, beyond which the bone is on the outer side.
const LEANING: f64 = 0.5;

/// The nearest bone of a place, and its distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Nearest {
    /// The index of the segment.
    pub segment: usize,
    /// In units of the mesh.
    pub distance: f64,
}

/// Measurements of the segments in a mesh.
pub(crate) struct Flesh<'a> {
    segments: &'a [BoneSegment],
    voxels: &'a Voxels,
    /// By segment: logarithms of the thickness at its start, middle and end.
    thickness: Vec<[f64; 3]>,
    /// By segment: the plane between it and the one above.
    planes: Vec<Option<JointPlane>>,
}

/// The bisecting plane at a joint, between the bone above it and those below.
struct JointPlane {
    /// Points away from the bone above.
    normal: Vector3<f64>,
    /// Whether several bones start at the joint.
    fans_out: bool,
}

impl JointPlane {
    /// The plane at the joint at which a segment starts. Bones that fan out share one plane, perpendicular to their
    /// mean direction: individual planes would extend down beside the bone above.
    fn below(
        segment: &BoneSegment,
        all: &[BoneSegment],
        same: impl Fn(&Vector3<f64>, &Vector3<f64>) -> bool,
    ) -> Option<JointPlane> {
        let along = |segment: &BoneSegment| (segment.to - segment.from).try_normalize(0.0);
        let above = all.iter().find(|above| same(&above.to, &segment.from))?;
        let follow: Vec<Vector3<f64>> =
            all.iter().filter(|one| same(&one.from, &segment.from)).filter_map(along).collect();
        let mean = follow.iter().sum::<Vector3<f64>>().try_normalize(1e-3)?;
        let normal = (along(above)? + mean).try_normalize(1e-3)?;
        Some(JointPlane { normal, fans_out: follow.len() > 1 })
    }
}

impl<'a> Flesh<'a> {
    /// Measures the flesh around segments.
    pub(crate) fn new(mesh: &RigMesh, segments: &'a [BoneSegment], voxels: &'a Voxels) -> Flesh<'a> {
        let middle = thicknesses(mesh, segments);
        let same = |a: &Vector3<f64>, b: &Vector3<f64>| (a - b).norm() <= 1e-6 * mesh.size;
        let at_joint = |place: &Vector3<f64>| {
            let (sum, count) =
                segments.iter().zip(&middle).fold((0.0, 0.0), |(sum, count), (segment, own)| {
                    let meets = same(&segment.from, place) || same(&segment.to, place);
                    if meets { (sum + own, count + 1.0) } else { (sum, count) }
                });
            sum / count
        };
        let thickness = segments.iter().zip(&middle).map(|(segment, own)| {
            let ends = [at_joint(&segment.from), at_joint(&segment.to)];
            // The flesh of a leaf joint, such as a head, does not taper to its joint.
            let [from, to] = if segment.is_leaf { ends.map(|end| end.max(*own)) } else { ends };
            [from, *own, to].map(|value| value * THICKNESS)
        });
        let planes: Vec<Option<JointPlane>> =
            segments.iter().map(|segment| JointPlane::below(segment, segments, same)).collect();
        Flesh { segments, voxels, thickness: thickness.collect(), planes }
    }

    /// The nearest bone of a place with a normal.
    pub(crate) fn nearest(&self, place: &Vector3<f64>, normal: &Vector3<f64>) -> Nearest {
        // Candidates in order of distance: the search stops at the first that cannot be nearer.
        let mut order: Vec<(f64, usize)> =
            (0..self.segments.len()).map(|segment| (self.distance(segment, place), segment)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Option<(f64, usize)> = None;
        for (least, segment) in order {
            if best.is_some_and(|(best, _)| least >= best) {
                break;
            }
            let to = self.segments[segment].nearest(place);
            let way = to - place;
            let length = way.norm();
            let hidden = way.dot(normal) > LEANING * length;
            let grain = GRAIN * self.voxels.side;
            let start = place + way * (grain / length.max(grain)).min(1.0);
            let outside = self.voxels.outside_between(&start, &to);
            let outside = (outside - 0.5 * grain).max(0.0) / length.max(grain);
            let counted = least * (1.0 + OUTSIDE * outside) * if hidden { HIDDEN } else { 1.0 };
            if best.is_none_or(|(best, _)| counted < best) {
                best = Some((counted, segment));
            }
        }
        let (_, segment) = best.unwrap_or_default();
        Nearest { segment, distance: (self.segments[segment].nearest(place) - place).norm() }
    }

    /// The distance relative to the thickness of the flesh.
    fn distance(&self, segment: usize, place: &Vector3<f64>) -> f64 {
        let bone = &self.segments[segment];
        let plane = self.planes[segment].as_ref();
        let along = match plane {
            // Beside the bone above, only the distance to the joint itself counts.
            Some(plane) if plane.fans_out && (place - bone.from).dot(&plane.normal) < 0.0 => 0.0,
            _ => bone.along(place),
        };
        let t = along.clamp(0.0, 1.0);
        let [from, own, to] = self.thickness[segment];
        let thickness =
            if t < 0.5 { from + (own - from) * 2.0 * t } else { own + (to - own) * (2.0 * t - 1.0) };
        let way = place - (bone.from + (bone.to - bone.from) * t);
        let length = way.norm();
        let before = match plane {
            Some(plane) if plane.fans_out => -(place - bone.from).dot(&plane.normal),
            _ => -bone.along(place) * bone.length(),
        };
        let after = if bone.is_leaf { 0.0 } else { (bone.along(place) - 1.0) * bone.length() };
        let beyond = before.max(after).max(0.0) / length.max(f64::MIN_POSITIVE);
        length / thickness.exp() * (1.0 + BEYOND * beyond)
    }
}

/// By segment: the logarithm of the median distance of the surface beside it for which it is the nearest segment.
pub(crate) fn thicknesses(mesh: &RigMesh, segments: &[BoneSegment]) -> Vec<f64> {
    let (areas, normals) = (mesh.areas(), mesh.normals());
    let mut beside: Vec<Vec<(f64, f64)>> = vec![Vec::new(); segments.len()];
    for (place, (area, normal)) in mesh.places.iter().zip(areas.iter().zip(&normals)) {
        let mut best: Option<(f64, usize)> = None;
        for (at, segment) in segments.iter().enumerate() {
            let way = segment.nearest(place) - place;
            let length = way.norm();
            let seen = way.dot(normal) < LEANING * length;
            if seen && best.is_none_or(|(least, _)| length < least) {
                best = Some((length, at));
            }
        }
        let Some((length, at)) = best else { continue };
        let along = segments[at].along(place);
        if along > 0.0 && along < 1.0 && length > 0.0 {
            beside[at].push((length, *area));
        }
    }
    let mut known: Vec<Option<f64>> = beside
        .into_iter()
        .map(|mut all| {
            if all.len() < 8 {
                return None;
            }
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            let half = all.iter().map(|(_, area)| area).sum::<f64>() / 2.0;
            let mut sum = 0.0;
            let median = all.iter().find(|(_, area)| {
                sum += area;
                sum >= half
            });
            median.map(|(length, _)| length.ln())
        })
        .collect();
    // Bones with little surface get the thickness of the bones that they meet.
    let same = |a: &Vector3<f64>, b: &Vector3<f64>| (a - b).norm() <= 1e-6 * mesh.size;
    while known.iter().any(Option::is_none) {
        let next: Vec<Option<f64>> = (0..segments.len())
            .map(|at| {
                if known[at].is_some() {
                    return known[at];
                }
                let one = &segments[at];
                let meets = |other: &BoneSegment| {
                    [&one.from, &one.to].iter().any(|end| same(end, &other.from) || same(end, &other.to))
                };
                let near: Vec<f64> = segments
                    .iter()
                    .zip(&known)
                    .filter(|(other, _)| meets(other))
                    .filter_map(|(_, known)| *known)
                    .collect();
                (!near.is_empty()).then(|| near.iter().sum::<f64>() / near.len() as f64)
            })
            .collect();
        if next == known {
            let least = known.iter().flatten().copied().fold(f64::INFINITY, f64::min);
            let least = if least.is_finite() { least } else { 0.0 };
            known.iter_mut().for_each(|known| *known = Some(known.unwrap_or(least)));
        } else {
            known = next;
        }
    }
    known.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::JointId;

    #[test]
    fn bones_that_fan_out_have_one_plane_across_their_mean() {
        let v = Vector3::new;
        let bone = |joint: u32, from: Vector3<f64>, to: Vector3<f64>| BoneSegment {
            joint: JointId(joint),
            from,
            to,
            is_leaf: false,
        };
        let chest = v(0.0, 1.0, 0.0);
        let all = [
            bone(0, Vector3::zeros(), chest),
            bone(1, chest, v(0.0, 1.3, 0.0)),
            bone(1, chest, v(0.1, 1.2, 0.0)),
            bone(1, chest, v(-0.1, 1.2, 0.0)),
        ];
        let same = |a: &Vector3<f64>, b: &Vector3<f64>| (a - b).norm() < 1e-9;
        assert!(JointPlane::below(&all[0], &all, same).is_none(), "nothing is above the first bone");
        for segment in &all[1..] {
            let plane = JointPlane::below(segment, &all, same).unwrap();
            assert!(plane.fans_out && (plane.normal - Vector3::y()).norm() < 1e-12);
        }
        let [first, second] = [&all[0], &all[1]].map(|bone| *bone);
        let plane = JointPlane::below(&second, &[first, second], same).unwrap();
        assert!(!plane.fans_out);
    }
}
