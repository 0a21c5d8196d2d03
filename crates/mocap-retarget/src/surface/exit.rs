//! By which side an arm leaves a body that it goes through.
//!
//! Where a source is thinner than its target, an arm may go through the whole body: the nearest ways out of places on it
//! then lead to opposite sides, and flip from frame to frame. In a stretch of such frames the arm leaves by one side: the
//! one through which the ways out, squared and summed over the stretch, are shortest.

use mocap_model::Vector3;
use mocap_skin::{FieldHit, Near, PosedField};
use std::ops::Range;

/// Normals lead out by a side from this cosine on; others are tilted to it.
const LEAST: f64 = 0.2;
/// Steps of a way out.
const STEPS: usize = 24;
/// Share of the depths that lead the other way, from which an arm counts as going through the body.
const OPPOSED: f64 = 0.1;

/// How far an arm is inside in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Depth {
    /// Of the deepest place [units of the skeleton].
    pub deepest: f64,
    /// Share of the depths whose nearest exit leads against the mean of all, 0 to 1.
    pub opposed: f64,
}

/// How an arm leaves the body in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Exit {
    /// The side by which it leaves, in the frame of the trunk; `None`: each place by the nearest.
    pub side: Option<Vector3<f64>>,
    /// The longest way out of a place on the arm [units of the skeleton].
    pub way: f64,
}

/// The depths of the places that are inside.
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

/// The stretches of frames in which an arm goes through the body: frames with opposed ways out that are deeper than
/// `least`, with what is inside up to `around` frames before and after.
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

/// The sides by which an arm may leave, unit vectors: outwards, forwards, backwards, and between them.
pub(crate) fn sides(out: &Vector3<f64>, forward: &Vector3<f64>) -> [Vector3<f64>; 5] {
    [*out, *forward, -forward, (out + forward).normalize(), (out - forward).normalize()]
}

/// The direction in which a place leaves by a side: along the normal where that leads there, else tilted to the side.
pub(crate) fn towards(normal: &Vector3<f64>, side: &Vector3<f64>) -> Vector3<f64> {
    let along = normal.dot(side);
    if along >= LEAST {
        return *normal;
    }
    (normal + side * (LEAST - along)).try_normalize(1e-6).unwrap_or(*side)
}

/// How far a place that is inside is from the surface along a direction [units of the skeleton]. `step` is the shortest
/// step on the way.
pub(crate) fn way_out(
    (field, carriers): (&PosedField<'_>, &Near),
    at: &Vector3<f64>,
    direction: &Vector3<f64>,
    step: f64,
) -> f64 {
    let mut way = 0.0;
    for _ in 0..STEPS {
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
        // Normals that differ little are tilted to like directions.
        let near = |x: f64| towards(&Vector3::new(x, 0.0, (1.0 - x * x).sqrt()), &side);
        assert!((near(LEAST + 1e-6) - near(LEAST - 1e-6)).norm() < 1e-5);
    }
}
