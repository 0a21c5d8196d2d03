//! Two bodies beside each other: the distance that a part of one has to move along a direction until it touches a
//! part of the other.
//!
//! Parts are points sampled on the surface, tested against distance fields of the other body. Both directions are
//! tested (points of the first in the fields of the second and the reverse), so that exchanging the bodies gives
//! the same result. Final figures are measured on the meshes (`people_meter.rs`).

use super::TargetSurface;
use super::body_surface::{BodySurface, farthest_points};
use mocap_model::{Pose, Side, Vector3};
use mocap_skin::{Affine, Field, Part, PosedField, Sided};
use nalgebra::Matrix3;
use std::sync::Arc;

/// Number of sampled points: on a hand, and on trunk, head, legs and upper arms.
const HAND_PLACES: usize = 260;
const CORE_PLACES: usize = 500;
/// Cell size of the distance field of a hand, for a person of 1.7 m \[m\]: fingers are three cells thick.
const HAND_CELL: f64 = 0.005;
/// Search radius for the other body around a point, for a person of 1.7 m \[m\].
const LOOKED: f64 = 0.25;
/// Distances beyond this are not measured, for a person of 1.7 m \[m\].
const CLOSE: f64 = 0.02;
/// Sphere tracing ends when points are this near to the other body. `STEP` below limits a step to that share of
/// the distance, because bending stretches distance fields.
const NEAR: f64 = 0.0005;
const STEP: f64 = 0.9;
/// Greatest number of steps of sphere tracing.
const STEPS: usize = 120;

/// A part of a body that another body may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyPart {
    /// Palm and fingers.
    Hand(Side),
    /// From shoulder to fingers; as the touching part, from the elbow.
    Arm(Side),
    /// Trunk, head and legs; as the touching part, with the upper arms.
    Core,
}

/// A body beside which another one moves.
#[derive(Clone, Debug)]
pub struct BodyBeside {
    body: Arc<BodySurface>,
    /// Left before right.
    hands: [Option<Hand>; 2],
    /// Vertices of forearm and hand.
    lower_arms: [Vec<u32>; 2],
    /// Vertices of trunk, head, legs and upper arms.
    core: Vec<u32>,
}

/// A hand and its surface.
#[derive(Clone, Debug)]
struct Hand {
    vertices: Vec<u32>,
    field: Field,
    /// The direction in which the hand is thin, in the bind pose, in the frame of the wrist.
    thin: Vector3<f64>,
}

impl BodyBeside {
    /// The surface of a target as a body beside others; `None` if its trunk has no distance field.
    pub fn new(surface: &TargetSurface) -> Option<BodyBeside> {
        let body = surface.body.clone();
        body.core.as_ref()?;
        let hands = [0, 1].map(|side| Hand::of(&body, side));
        let is_around = |part: Part| part.is_core() || matches!(part, Part::UpperArm(_));
        let all: Vec<u32> = (0..body.parts.len() as u32).collect();
        let around: Vec<u32> =
            all.into_iter().filter(|vertex| is_around(body.parts[*vertex as usize])).collect();
        let core = farthest_points(body.surface.positions(), &around, CORE_PLACES);
        let lower_arms =
            [0, 1].map(|side| farthest_points(body.surface.positions(), &body.lower_arm(side), HAND_PLACES));
        Some(BodyBeside { body, hands, lower_arms, core })
    }

    /// Height of the body in the bind pose [units of its skeleton].
    pub fn height(&self) -> f64 {
        self.body.height
    }

    /// The body in an object-space pose; `None` if a joint scales it to zero thickness.
    pub fn posed(&self, object: &Pose) -> Option<PosedBeside<'_>> {
        let body = &self.body;
        let arm = |side: usize| body.arms[side].as_ref()?.field.as_ref()?.posed(object);
        let hand = |side: usize| self.hands[side].as_ref()?.field.posed(object);
        let thin = [0, 1].map(|side| {
            let wrist = body.arms[side].as_ref()?.joints[2];
            Some(object.joints[wrist.index()].rotation * self.hands[side].as_ref()?.thin)
        });
        Some(PosedBeside {
            of: self,
            palette: body.surface.palette_of(object),
            core: body.core.as_ref()?.posed(object)?,
            arms: [arm(0), arm(1)],
            hands: [hand(0), hand(1)],
            thin,
        })
    }

    fn vertices(&self, part: BodyPart) -> &[u32] {
        match part {
            BodyPart::Core => &self.core,
            BodyPart::Hand(side) => self.hands[number(side)].as_ref().map_or(&[], |hand| &hand.vertices),
            BodyPart::Arm(side) => &self.lower_arms[number(side)],
        }
    }
}

impl Hand {
    fn of(body: &BodySurface, side: usize) -> Option<Hand> {
        let arm = body.arms[side].as_ref()?;
        let part = Part::Hand(Sided::BOTH[side]);
        let own: Vec<u32> =
            (0..body.parts.len() as u32).filter(|vertex| body.parts[*vertex as usize] == part).collect();
        let field = Field::new(
            &body.surface,
            &body.skeleton,
            |vertex| body.parts[vertex] == part,
            body.person(HAND_CELL),
        )?;
        let places = body.surface.positions();
        let middle: Vector3<f64> =
            own.iter().map(|vertex| places[*vertex as usize]).sum::<Vector3<f64>>() / own.len() as f64;
        let spread_of: Matrix3<f64> =
            own.iter().map(|vertex| places[*vertex as usize] - middle).map(|off| off * off.transpose()).sum();
        let axes = spread_of.symmetric_eigen();
        let thin = axes.eigenvectors.column(axes.eigenvalues.imin()).into_owned();
        let mut rest = Pose::default();
        Pose::rest(&body.skeleton).to_object(&body.skeleton, &mut rest);
        let wrist = rest.joints[arm.joints[2].index()].rotation;
        let vertices = farthest_points(places, &own, HAND_PLACES);
        Some(Hand { vertices, field, thin: wrist.inverse() * thin })
    }
}

fn number(side: Side) -> usize {
    usize::from(side == Side::Right)
}

/// A body in a pose.
#[derive(Clone, Debug)]
pub struct PosedBeside<'a> {
    of: &'a BodyBeside,
    palette: Vec<Affine>,
    core: PosedField<'a>,
    arms: [Option<PosedField<'a>>; 2],
    hands: [Option<PosedField<'a>>; 2],
    thin: [Option<Vector3<f64>>; 2],
}

impl PosedBeside<'_> {
    fn field(&self, part: BodyPart) -> Option<&PosedField<'_>> {
        match part {
            BodyPart::Core => Some(&self.core),
            BodyPart::Hand(side) => self.hands[number(side)].as_ref(),
            BodyPart::Arm(side) => self.arms[number(side)].as_ref(),
        }
    }

    fn places(&self, part: BodyPart) -> Vec<Vector3<f64>> {
        let surface = &self.of.body.surface;
        let vertices = self.of.vertices(part).iter();
        vertices.map(|vertex| surface.posed_vertex(&self.palette, *vertex as usize)).collect()
    }

    /// The direction in which a hand is thin, out of the palm or into it, in object space; `None` without that
    /// hand.
    pub fn thin(&self, side: Side) -> Option<Vector3<f64>> {
        self.thin[number(side)]
    }
}

/// Sampled points of one part and the field of the other; `least` are lower bounds of the points' distances.
struct Way<'a, 'f> {
    field: &'a PosedField<'f>,
    places: Vec<Vector3<f64>>,
    least: Vec<f64>,
    /// 1 where the places move with the first body, -1 where the other body moves towards them.
    sign: f64,
}

impl Way<'_, '_> {
    /// Distance of the nearest point after a translation; at most `nearest`.
    fn distance(&mut self, moved: &Vector3<f64>, mut nearest: f64) -> f64 {
        for (place, least) in self.places.iter().zip(&mut self.least) {
            if *least >= nearest {
                continue;
            }
            let at = place + moved * self.sign;
            let found = self.field.at(&at, nearest.max(NEAR));
            *least = found.map_or(nearest, |hit| hit.distance.min(nearest));
            nearest = nearest.min(*least);
        }
        nearest
    }
}

/// Least distance between a part of the first body and a part of the second [units of the skeletons], negative
/// inside; at most 2 cm for a person of 1.7 m.
pub fn nearest(
    (first, part): (&PosedBeside<'_>, BodyPart),
    (second, other): (&PosedBeside<'_>, BodyPart),
) -> f64 {
    let within = first.of.body.person(CLOSE);
    let Some(field) = second.field(other) else { return within };
    let places = first.places(part);
    let mut way = Way { field, least: vec![f64::NEG_INFINITY; places.len()], places, sign: 1.0 };
    way.distance(&Vector3::zeros(), within)
}

/// A part of the first body, translated by `from`, moves from far away against `direction` (a unit vector)
/// towards a part of the second. Returns the displacement along `direction` at which it first comes as near as
/// `gap`, within ±`most`; `None` if it does not meet it.
pub fn apart_along(
    (first, part): (&PosedBeside<'_>, BodyPart),
    (second, other): (&PosedBeside<'_>, BodyPart),
    from: &Vector3<f64>,
    direction: &Vector3<f64>,
    most: f64,
    gap: f64,
) -> Option<f64> {
    let looked = first.of.body.person(LOOKED).max(second.of.body.person(LOOKED));
    let mut ways = Vec::new();
    if let Some(field) = second.field(other) {
        let places = first.places(part);
        ways.push(Way { field, least: vec![f64::NEG_INFINITY; places.len()], places, sign: 1.0 });
    }
    // A hand is small against the trunk that it touches: testing points of the trunk adds nothing.
    let alike =
        matches!((part, other), (BodyPart::Core, BodyPart::Core) | (BodyPart::Hand(_), BodyPart::Hand(_)));
    if let Some(field) = first.field(part).filter(|_| alike) {
        let places = second.places(other);
        ways.push(Way { field, least: vec![f64::NEG_INFINITY; places.len()], places, sign: -1.0 });
    }
    if ways.iter().all(|way| way.places.is_empty()) {
        return None;
    }
    let mut along = most;
    for _ in 0..STEPS {
        let moved = from + direction * along;
        let mut nearest = looked;
        for way in &mut ways {
            nearest = way.distance(&moved, nearest);
        }
        let left = nearest - gap;
        if left <= NEAR {
            return Some(along);
        }
        let step = (left * STEP).max(NEAR);
        along -= step;
        if along < -most {
            return None;
        }
        ways.iter_mut().for_each(|way| way.least.iter_mut().for_each(|least| *least -= step));
    }
    None
}
