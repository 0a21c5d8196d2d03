//! The side by which an arm leaves a body that it passes through.
//!
//! If the source is thinner than the target, an arm may pass through the whole body. The shortest ways out of its
//! points then lead to opposite sides, and change from frame to frame. In a stretch of such frames, the arm
//! leaves by one side: the one with the least sum of squared distances over the stretch.

use mocap_model::Vector3;
use mocap_skin::{FieldHit, Near, PosedField};
use std::ops::Range;

/// A normal with at least this cosine to the side is used as the way out; other normals are tilted towards the
/// side.
const LEAST: f64 = 0.2;
/// Greatest number of steps along a way out.
const STEPS: usize = 24;
/// An arm passes through the body if at least this share of its depths leads the opposite way.
const OPPOSED: f64 = 0.1;

/// How deep an arm is inside in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Depth {
    /// Depth of the deepest point [units of the skeleton].
    pub deepest: f64,
    /// Share of the depths whose shortest way out is opposed to the mean direction of all, 0 to 1.
    pub opposed: f64,
}

/// How an arm leaves the body in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exit {
    /// The side by which it leaves, in the frame of the trunk; `None`: every point takes its shortest way.
    pub side: Option<Vector3<f64>>,
    /// Longest way out of a point on the arm [units of the skeleton].
    pub way: f64,
}

/// Depths of the points that are inside.
pub(crate) fn depth(hits: &[FieldHit]) -> Depth {
    let inside = || hits.iter().filter(|hit| hit.distance < 0.0);
    let mean: Vector3<f64> = inside().map(|hit| hit.normal * -hit.distance).sum();
    let (mut all, mut against) = (0.0, 0.0);
    for hit in inside() {
        all -= hit.distance;
        against -= if hit.normal.dot(&mean) < 0.0 { hit.distance } else { 0.0 };
    }
    let deepest = inside().map(|hit| -hit.distance).fold(0.0, f64::max);
    Depth { deepest, opposed: if all > 0.0 { against / all } else { 0.0 } }
}

/// Stretches of frames in which an arm passes through the body: frames with opposed ways out and a depth above
/// `least`, extended by frames with penetration up to `around` frames before and after.
pub(crate) fn stretches(depths: &[Depth], least: f64, around: usize) -> Vec<Range<usize>> {
    let through = |at: usize| depths[at].opposed > OPPOSED && depths[at].deepest > least;
    let mut found: Vec<Range<usize>> = Vec::new();
    for at in (0..depths.len()).filter(|at| through(*at)) {
        let inside = |at: &usize| depths[*at].deepest > 0.0;
        let before = (at.saturating_sub(around)..at).rev().take_while(inside).last().unwrap_or(at);
        let after = (at + 1..depths.len().min(at + 1 + around)).take_while(inside).last().unwrap_or(at);
        match found.last_mut() {
            Some(last) if before <= last.end => last.end = last.end.max(after + 1),
            _ => found.push(before..after + 1),
        }
    }
    found
}

/// Unit vectors of the sides by which an arm may leave: outwards, forward, backward, and between them.
pub(crate) fn sides(out: &Vector3<f64>, forward: &Vector3<f64>) -> [Vector3<f64>; 5] {
    [*out, *forward, -forward, (out + forward).normalize(), (out - forward).normalize()]
}

/// Direction in which a point leaves by a side: the normal if it has that direction, else the normal tilted
/// towards the side.
pub(crate) fn towards(normal: &Vector3<f64>, side: &Vector3<f64>) -> Vector3<f64> {
    let along = normal.dot(side);
    if along >= LEAST {
        return *normal;
    }
    (normal + side * (LEAST - along)).try_normalize(1e-6).unwrap_or(*side)
}

/// Distance from a point inside to the surface along a direction [units of the skeleton]. `depth` is that of the
/// point, `step` the least step of the search.
pub(crate) fn way_out(
    (field, carriers): (&PosedField<'_>, &Near),
    (at, depth): (&Vector3<f64>, f64),
    direction: &Vector3<f64>,
    step: f64,
) -> f64 {
    let mut way = step.max(depth);
    for _ in 1..STEPS {
        match field.at_near(&(at + direction * way), step, carriers) {
            Some(hit) if hit.distance < 0.0 => way += step.max(-hit.distance),
            _ => break,
        }
    }
    way
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{JointId, Vector3};

    fn hit(distance: f64, normal: Vector3<f64>) -> FieldHit {
        FieldHit { distance, normal, rest: Vector3::zeros(), joint: JointId::from(0) }
    }

    #[test]
    fn an_arm_through_the_body_has_opposed_ways_out() {
        let (front, back) = (Vector3::z(), -Vector3::z());
        let one = depth(&[hit(-0.05, front), hit(-0.02, front), hit(0.1, back)]);
        assert_eq!((one.deepest, one.opposed), (0.05, 0.0));
        let both = depth(&[hit(-0.06, front), hit(-0.02, back)]);
        assert_eq!(both.deepest, 0.06);
        assert!((both.opposed - 0.25).abs() < 1e-12);
        assert_eq!(depth(&[hit(0.1, back)]).deepest, 0.0);
    }

    #[test]
    fn stretches_hold_what_is_inside_around_frames_that_go_through() {
        let inside = Depth { deepest: 0.02, opposed: 0.0 };
        let through = Depth { deepest: 0.05, opposed: 0.4 };
        let out = Depth::default();
        let depths = [out, inside, inside, through, inside, through, out, inside, inside];
        let ends = |around: usize| {
            let found = stretches(&depths, 0.01, around).into_iter();
            found.map(|stretch| (stretch.start, stretch.end)).collect::<Vec<_>>()
        };
        assert_eq!(ends(10), [(1, 6)]);
        assert_eq!(ends(1), [(2, 6)]);
        assert!(stretches(&depths, 0.06, 10).is_empty());
    }

    #[test]
    fn normals_that_lead_elsewhere_are_tilted_to_the_side() {
        let side = Vector3::x();
        assert_eq!(towards(&side, &side), side);
        assert!((towards(&-side, &side) - side).norm() < 1e-12);
        let across = towards(&Vector3::z(), &side);
        assert!(across.x > 0.1 && across.z > 0.9, "{across}");
        // Normals that differ little give similar directions.
        let near = |x: f64| towards(&Vector3::new(x, 0.0, (1.0 - x * x).sqrt()), &side);
        assert!((near(LEAST + 1e-6) - near(LEAST - 1e-6)).norm() < 1e-5);
    }
}
