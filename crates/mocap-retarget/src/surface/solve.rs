//! Changes that both arms need in one frame, starting from their present changes.
//!
//! Arms and distances of points near the body are cached for later passes; cached distances are valid until a
//! point has moved too far.

use super::arm::{ArmMove, Change, PosedArm};
use super::body_in_motion::{CARRIED, Frame, MARGIN, Stage};
use super::body_surface::{ArmSurface, Touched};
use super::contact_goals::goals;
use super::contacts::other_field;
use super::exit::{Exit, towards, way_out};
use super::nearby::each_near;
use super::push::{Asks, Cost, Demand, Goal, smallest_change};
use mocap_model::Vector3;
use mocap_skin::{FieldHit, Near, PosedField};

/// Points nearer than this also demand to stay outside when others are moved, for a person of 1.7 m \[m\].
const NEAR: f64 = 0.02;
/// Cached distances are valid until a point has moved this far, for a person of 1.7 m \[m\].
const STALE: f64 = 0.01;
/// An arm that touches in its source is brought to the first distance from the surface, if it is nearer than the
/// second, for a person of 1.7 m \[m\].
const TOUCHING: f64 = 0.002;
const MOST_PULL: f64 = 0.08;
/// Cost of 1 rad of swivel, bend, rotation of the arm and of the hand, as a displacement on a person of 1.7 m
/// \[m\]: the swivel is cheapest, the rotation of the arm moves most.
const COSTS: [f64; 4] = [0.08, 0.25, 0.45, 0.15];
/// Greatest value of each \[rad\].
const MOST: [f64; 4] = [0.7, 1.0, 0.8, 0.8];

/// The pose of the distance fields.
pub(crate) struct Posed<'a, 'f> {
    pub pose: &'a mut Frame,
    pub field: &'a mut PosedField<'f>,
    /// The frame of both.
    pub frame: Option<usize>,
}

impl Posed<'_, '_> {
    /// Sets the pose of a frame; false if a joint scales the field to zero thickness.
    pub(crate) fn place(&mut self, stage: &Stage<'_>, frame: usize) -> bool {
        if self.frame != Some(frame) {
            self.pose.place(stage.clip, frame);
            self.pose.see(&stage.view);
            self.frame = self.field.pose(&self.pose.object).then_some(frame);
        }
        self.frame.is_some()
    }
}

/// Cache of a frame.
#[derive(Clone, Debug)]
pub(crate) struct FrameCache {
    arms: [Option<ArmCache>; 2],
}

impl FrameCache {
    /// Cached points of an arm that are nearer to the surface than `within` after a change.
    pub(crate) fn close(&self, arm: usize, own: &ArmSurface, change: &Change, within: f64) -> Vec<usize> {
        let Some(cache) = self.arms[arm].as_ref().filter(|cache| !cache.near.is_empty()) else {
            return Vec::new();
        };
        let moved = cache.posed.moved(change);
        let place = |point: usize| moved.place(own.segment(point), &cache.posed.points[point]);
        let near = cache.near.iter().filter(|(point, hit)| {
            hit.distance + hit.normal.dot(&(place(*point) - cache.places[*point])) < within
        });
        near.map(|(point, _)| *point).collect()
    }
}

/// Cache of an arm: its pose and the points near the surface.
#[derive(Clone, Debug)]
struct ArmCache {
    posed: PosedArm,
    /// Positions of its points when their distances were evaluated; empty before that.
    places: Vec<Vector3<f64>>,
    near: Vec<(usize, FieldHit)>,
}

impl ArmCache {
    /// Whether the cached distances are valid: no point has moved by more than `within`.
    fn is_valid(&self, places: &[Vector3<f64>], within: f64) -> bool {
        let near = |(a, b): (&Vector3<f64>, &Vector3<f64>)| (a - b).norm_squared() < within * within;
        !self.places.is_empty() && self.places.iter().zip(places).all(near)
    }

    /// Visits cached points nearer than `within`, with distances extrapolated along the normals.
    fn each_cached(&self, places: &[Vector3<f64>], within: f64, mut take: impl FnMut(usize, FieldHit)) {
        for (point, hit) in &self.near {
            let distance = hit.distance + hit.normal.dot(&(places[*point] - self.places[*point]));
            if distance < within {
                take(*point, FieldHit { distance, ..*hit });
            }
        }
    }
}

/// Limits of the changes of both arms in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub exits: [Exit; 2],
    /// Greatest displacement of points [units of the skeleton].
    pub most: [f64; 2],
    /// Whether arms are moved to what they touch.
    pub keeps_contacts: bool,
    /// Whether the steps out of the body are taken whole ([`Cost::whole_steps`]).
    pub whole_steps: bool,
}

impl Bounds {
    /// Bounds of a frame between two keys: the side of the first key that has one, and the greater displacement.
    pub(crate) fn or(&self, next: &Bounds) -> Bounds {
        let exit = |arm: usize| match self.exits[arm].side {
            Some(_) => self.exits[arm],
            None => next.exits[arm],
        };
        let most = [0, 1].map(|arm| self.most[arm].max(next.most[arm]));
        Bounds { exits: [exit(0), exit(1)], most, ..*self }
    }
}

/// Result for one arm in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solved {
    pub change: Change,
    /// Whether the change was limited: less than needed.
    pub is_less: bool,
    /// The arm may rotate by this much from the evaluated pose before any of its points enters the body \[rad\].
    pub clear: f64,
}

/// Another arm or body near an arm: its field, and whether this arm touches it.
struct Other<'a> {
    field: &'a PosedField<'a>,
    near: Near,
    touches: bool,
    /// Share of the way out that this arm takes: half for two arms of one body.
    share: f64,
    /// Whether the hand may be inside, because it touches this part.
    holds: bool,
}

impl Stage<'_> {
    /// The changes of both arms in a frame, starting from `base`.
    pub(crate) fn solve(
        &self,
        frame: usize,
        at: &mut Posed<'_, '_>,
        cache: &mut Option<Box<FrameCache>>,
        base: [Change; 2],
        Bounds { exits, most, keeps_contacts, whole_steps }: Bounds,
    ) -> [Solved; 2] {
        let body = self.body;
        let mut changes = base.map(|change| Solved { change, is_less: false, clear: f64::INFINITY });
        if cache.is_none() {
            if !at.place(self, frame) {
                return changes;
            }
            let arms = self.arms(&at.pose.object);
            let empty = |arm: Option<(&ArmSurface, PosedArm)>| {
                arm.map(|(_, posed)| ArmCache { posed, places: Vec::new(), near: Vec::new() })
            };
            *cache = Some(Box::new(FrameCache { arms: arms.map(empty) }));
        }
        let Some(cache) = cache else { return changes };
        let posed = [0, 1].map(|arm| cache.arms[arm].as_ref().map(|arm| &arm.posed));
        let mut both_goals = [Vec::new(), Vec::new()];
        if keeps_contacts && self.in_contact(frame) && at.place(self, frame) {
            let palette = body.surface.palette_of(&at.pose.object);
            both_goals = goals(body, self.contacts, frame, &palette, posed, &base);
        }
        let near = body.person(NEAR);
        let ways =
            both_goals.each_ref().map(|goals| goals.iter().map(Goal::way).fold(0.0, f64::max) * CARRIED);
        let reach = |i: usize| {
            let (middle, radius) = posed[i]?.ball();
            // A rotation by 1 rad moves the hand by at most the arm's length.
            let turned = base[i][1].abs() + base[i].fixed_rows::<3>(2).norm();
            Some((middle, radius + near + turned * posed[i]?.reach() + ways[i]))
        };
        let reaches = [reach(0), reach(1)];
        let meet = match reaches {
            [Some((a, far)), Some((b, near))] => (a - b).norm() < far + near,
            _ => false,
        };
        // Each arm meets the other at its initial position.
        let mut moved = None;
        if meet && at.place(self, frame) {
            let mut both = at.pose.object.clone();
            for (i, arm) in body.arms.iter().enumerate() {
                if let (Some(arm), Some(posed)) = (arm, posed[i]) {
                    posed.moved(&base[i]).apply(arm, &mut both);
                }
            }
            moved = Some(both);
        }
        let partner = match &self.partner {
            Some(partner) if at.place(self, frame) => partner.fields(frame, &at.pose.hips),
            _ => Vec::new(),
        };
        for (i, arm) in body.arms.iter().enumerate() {
            let (Some(arm), Some((middle, radius))) = (arm, reaches[i]) else { continue };
            let Some(cache) = &mut cache.arms[i] else { continue };
            // A rotation by 1 rad moves no point of the arm further than this: its reach and the radius of the
            // hand.
            let lever = cache.posed.reach() + radius;
            let field = moved.as_ref().and_then(|moved| other_field(body, 1 - i, moved, (&middle, radius)));
            let other = field.as_ref().map(|field| Other {
                field,
                near: field.near(&middle, radius),
                touches: self.touches(i, Touched::Arm, frame),
                share: 0.5,
                holds: false,
            });
            let of_partner = partner.iter().map(|of| {
                let holds = self.partner.as_ref().is_some_and(|partner| partner.holds(i, of, frame));
                let near = of.field.near(&middle, radius);
                Other { field: &of.field, near, touches: false, share: 1.0, holds }
            });
            let others = other.into_iter().chain(of_partner).filter(|other| !other.near.is_empty()).collect();
            let task = ArmTask {
                arm,
                goals: &both_goals[i],
                touches: self.touches(i, Touched::Core, frame),
                ball: (middle, radius),
                side: exits[i].side.map(|side| cache.posed.frame * side),
                others,
                whole_steps,
            };
            let (change, distance) = self.push(&task, cache, (frame, &mut *at), &base[i]);
            let (change, is_less) = self.no_further(arm, &cache.posed, &base[i], change, most[i]);
            changes[i] = Solved { change, is_less, clear: distance / lever };
        }
        changes
    }

    fn cost(&self) -> Cost {
        let [swivel, bend, turn, hand] = COSTS.map(|cost| self.body.person(cost));
        let scale = Change::from([swivel, bend, turn, turn, turn, hand, hand, hand]);
        Cost { scale, most: MOST, met: self.body.person(0.0005), whole_steps: false }
    }

    /// Whether an arm touches a part in a frame, as its source does.
    fn touches(&self, arm: usize, touched: Touched, frame: usize) -> bool {
        let own = self.contacts.iter().filter(|contact| contact.arm == arm && contact.touched == touched);
        own.into_iter().any(|contact| !contact.at(frame).is_empty())
    }

    /// Scales a change down until no point of the arm moves further than `most`.
    fn no_further(
        &self,
        arm: &ArmSurface,
        posed: &PosedArm,
        base: &Change,
        change: Change,
        most: f64,
    ) -> (Change, bool) {
        if change == *base {
            return (change, false);
        }
        let far = |change: &Change| posed.furthest(arm, change);
        if far(&change) <= most {
            return (change, false);
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..12 {
            let middle = (low + high) / 2.0;
            let part = base + (change - base) * middle;
            *(if far(&part) <= most { &mut low } else { &mut high }) = middle;
        }
        (base + (change - base) * low, true)
    }

    /// The change of an arm that fulfils its task. Also returns the distance from the nearest surface before the
    /// change, at most the distance that counts as near.
    fn push(
        &self,
        task: &ArmTask<'_>,
        cache: &mut ArmCache,
        (frame, at): (usize, &mut Posed<'_, '_>),
        base: &Change,
    ) -> (Change, f64) {
        let (near, margin) = (self.body.person(NEAR), self.body.person(MARGIN));
        let stale = self.body.person(STALE);
        let pull = self.body.person(MOST_PULL);
        let mut entered = vec![false; 1 + task.others.len()];
        let ArmCache { posed, .. } = cache;
        let posed = posed.clone();
        let segment = |point: usize| task.arm.segment(point);
        let mut places = posed.points.clone();
        let (mut distance, mut is_measured) = (near, false);
        // The parts of the body that the arm may be near, found when the first way out is asked for.
        let mut own_carriers = None;
        let demands = |moved: &ArmMove, asks: Asks| {
            let at_rest = posed.points.iter().enumerate();
            places.iter_mut().zip(at_rest).for_each(|(to, (i, at))| *to = moved.place(segment(i), at));
            let mut found = NearPoints::default();
            let within = if task.touches { pull } else { near };
            let is_exact = task.side.is_some();
            if is_exact || !cache.is_valid(&places, stale) {
                cache.near.clear();
                cache.places.clone_from(&places);
                if at.place(self, frame) {
                    let carriers =
                        at.field.near(&task.ball.0, task.ball.1 + if task.touches { pull } else { 0.0 });
                    if !carriers.is_empty() {
                        let field = (&*at.field, &carriers);
                        let take = |point, hit| cache.near.push((point, hit));
                        each_near(&task.arm.points, &places, field, within + stale, take);
                    }
                }
            }
            cache.each_cached(&places, within, |point, hit| {
                if !is_measured {
                    distance = distance.min(hit.distance);
                }
                found.add(point, &hit);
                if hit.distance < near {
                    entered[0] |= hit.distance < 0.0;
                    let (direction, way) = match &task.side {
                        Some(side) if hit.distance < 0.0 => {
                            let direction = towards(&hit.normal, side);
                            let mut out = || {
                                let carriers = *own_carriers
                                    .get_or_insert_with(|| at.field.near(&task.ball.0, task.ball.1));
                                let inside = (&places[point], -hit.distance);
                                way_out((&*at.field, &carriers), inside, &direction, margin)
                            };
                            // A point inside demands more than counts as met, whatever its way out is.
                            let is_known = direction == hit.normal || asks == Asks::Whether;
                            (direction, if is_known { -hit.distance } else { out() })
                        }
                        _ => (hit.normal, -hit.distance),
                    };
                    found.demands.push(Demand { point, direction, by: margin + way });
                }
            });
            let mut demands = found.demands(entered[0], task.touches.then_some(pull), self, 1.0);
            for (other, entered) in task.others.iter().zip(&mut entered[1..]) {
                let mut found = NearPoints::default();
                let within = if other.touches { pull } else { near };
                let gap = if other.touches { self.body.person(TOUCHING) } else { margin };
                each_near(&task.arm.points, &places, (other.field, &other.near), within, |point, hit| {
                    if other.holds && task.arm.points.points[point].on_hand {
                        return;
                    }
                    if !is_measured {
                        distance = distance.min(hit.distance);
                    }
                    found.add(point, &hit);
                    if hit.distance < near {
                        *entered |= hit.distance < 0.0;
                        let by = (gap - hit.distance) * other.share;
                        found.demands.push(Demand { point, direction: hit.normal, by });
                    }
                });
                demands.extend(found.demands(*entered, other.touches.then_some(pull), self, other.share));
            }
            is_measured = true;
            demands
        };
        let cost = Cost { whole_steps: task.whole_steps, ..self.cost() };
        let change = smallest_change(&posed, base, &cost, task.goals, segment, demands);
        (change, distance)
    }
}

/// The task of an arm in a frame.
struct ArmTask<'a> {
    arm: &'a ArmSurface,
    goals: &'a [Goal],
    /// Whether it touches trunk, head or legs.
    touches: bool,
    /// Sphere that contains the arm before and after the change.
    ball: (Vector3<f64>, f64),
    /// The side by which it leaves the body, in object space.
    side: Option<Vector3<f64>>,
    others: Vec<Other<'a>>,
    whole_steps: bool,
}

/// Demands of points near a surface, and the nearest point.
#[derive(Default)]
struct NearPoints {
    demands: Vec<Demand>,
    nearest: Option<(f64, usize, Vector3<f64>)>,
}

impl NearPoints {
    fn add(&mut self, point: usize, hit: &FieldHit) {
        if self.nearest.is_none_or(|(distance, ..)| hit.distance < distance) {
            self.nearest = Some((hit.distance, point, hit.normal));
        }
    }

    /// The demands if a point has entered. With `pull`, the nearest point is also drawn to the surface if it is
    /// nearer than `pull`, by the given share of the way.
    fn demands(self, entered: bool, pull: Option<f64>, stage: &Stage<'_>, share: f64) -> Vec<Demand> {
        let mut demands = if entered { self.demands } else { Vec::new() };
        let margin = stage.body.person(MARGIN);
        if let (Some(pull), Some((distance, point, normal))) = (pull, self.nearest)
            && distance > margin
            && distance < pull
        {
            let by = (distance - stage.body.person(TOUCHING)) * share;
            demands.push(Demand { point, direction: -normal, by });
        }
        demands
    }
}
