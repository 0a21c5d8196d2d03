//! Measures two people on their meshes: the depth of interpenetration and the distance of parts.

use super::TargetSurface;
use super::beside::BodyPart;
use super::body_surface::BodySurface;
use mocap_model::{Pose, Side, Vector3};
use mocap_skin::{Affine, InsideMeter, NearVertex, Part, Sided, Surface};
use std::sync::Arc;

/// The meshes of two people in one space.
#[derive(Clone, Debug)]
pub struct PeopleMeter {
    bodies: [Arc<BodySurface>; 2],
    /// Both meshes as one surface.
    whole: Surface,
    /// Meters of the vertices of each person inside the other.
    inside: [Option<InsideMeter>; 2],
    /// Meters of the pairs of parts that were measured before.
    parts: Vec<([BodyPart; 2], [Option<InsideMeter>; 2])>,
}

impl PeopleMeter {
    /// A meter of two people whose surfaces are in one space and unit. `None` if they cannot be merged.
    pub fn new(first: &TargetSurface, second: &TargetSurface) -> Option<PeopleMeter> {
        let bodies = [first.body.clone(), second.body.clone()];
        let whole = bodies[0].surface.with(&bodies[1].surface).ok()?;
        let mut meter = PeopleMeter { bodies, whole, inside: [None, None], parts: Vec::new() };
        meter.inside = [0, 1].map(|of| meter.meter(of, |_| true, |_| true));
        Some(meter)
    }

    /// A meter of some vertices of one person inside parts of the other.
    fn meter(
        &self,
        of: usize,
        measured: impl Fn(Part) -> bool,
        obstacle: impl Fn(Part) -> bool,
    ) -> Option<InsideMeter> {
        let counts = self.bodies.each_ref().map(|body| body.parts.len());
        let first = [0, counts[0]];
        let part = |person: usize, vertex: usize| {
            let own = vertex.checked_sub(first[person])?;
            self.bodies[person].parts.get(own).copied()
        };
        let own = (first[of]..first[of] + counts[of]).filter(|at| part(of, *at).is_some_and(&measured));
        let own = own.map(|vertex| vertex as u32).collect();
        InsideMeter::new(&self.whole, own, |vertex| part(1 - of, vertex).is_some_and(&obstacle))
    }

    fn palette(&self, poses: [&Pose; 2]) -> Vec<Affine> {
        let mut all = self.bodies[0].surface.palette_of(poses[0]);
        all.extend(self.bodies[1].surface.palette_of(poses[1]));
        all
    }

    /// How deep the mesh of one person is inside that of the other in these object-space poses, in units of the skeletons;
    /// 0 where they are apart.
    pub fn deepest(&mut self, poses: [&Pose; 2]) -> f64 {
        self.deepest_part(poses).map_or(0.0, |(depth, ..)| depth)
    }

    /// As [`PeopleMeter::deepest`], with the person (0 or 1) and the part of its body that is deepest inside of the other;
    /// `None` where they are apart.
    pub fn deepest_part(&mut self, poses: [&Pose; 2]) -> Option<(f64, usize, Part)> {
        let palette = self.palette(poses);
        let whole = &self.whole;
        let first = [0, self.bodies[0].parts.len()];
        let mut most: Option<(f64, usize, Part)> = None;
        for (person, meter) in self.inside.iter_mut().enumerate() {
            let Some(found) = meter.as_mut().map(|meter| meter.measure(whole, &palette)) else { continue };
            let part = found.vertex.and_then(|at| self.bodies[person].parts.get(at as usize - first[person]));
            if let (Some(part), true) = (part, most.is_none_or(|(depth, ..)| found.deepest > depth)) {
                most = Some((found.deepest, person, *part));
            }
        }
        most
    }

    /// The index of the meters of a pair of parts.
    fn meters_of(&mut self, parts: [BodyPart; 2]) -> usize {
        let known = self.parts.iter().position(|(known, _)| *known == parts);
        known.unwrap_or_else(|| {
            let is_in = |part: BodyPart| move |of: Part| is_part(of, part);
            let meters = [0, 1].map(|of| self.meter(of, is_in(parts[of]), is_in(parts[1 - of])));
            self.parts.push((parts, meters));
            self.parts.len() - 1
        })
    }

    /// Pairs of a part of the first person and one of the second in these object-space poses.
    pub fn posed_parts<const N: usize>(
        &mut self,
        pairs: [[BodyPart; 2]; N],
        poses: [&Pose; 2],
    ) -> [PosedParts<'_>; N] {
        let pairs = pairs.map(|parts| self.meters_of(parts));
        let palette = self.palette(poses);
        for at in pairs {
            for meter in self.parts[at].1.iter_mut().flatten() {
                meter.set_pose(&self.whole, &palette);
            }
        }
        pairs.map(|at| PosedParts { meters: self.parts[at].1.each_ref().map(Option::as_ref) })
    }

    /// The distance between a part of the first person and one of the second, at most `within`; negative where one is inside
    /// of the other. `None` without these parts, or where they are further apart.
    pub fn gap(&mut self, parts: [BodyPart; 2], poses: [&Pose; 2], within: f64) -> Option<f64> {
        let at = self.meters_of(parts);
        let palette = self.palette(poses);
        let whole = &self.whole;
        let gaps = self.parts[at].1.iter_mut().flatten().filter_map(|meter| {
            let vertices = meter.measured().to_vec();
            meter.gap(whole, &palette, &vertices, within)
        });
        gaps.map(|(gap, _)| gap).reduce(f64::min)
    }
}

/// Parts of two people in a pose, of which the first may be moved as a whole.
#[derive(Clone, Copy, Debug)]
pub struct PosedParts<'a> {
    meters: [Option<&'a InsideMeter>; 2],
}

impl PosedParts<'_> {
    /// The vertices of both that are nearer to the other part than `within`, or inside of it by less than `depth`, if the
    /// first part is moved by `moved`: `away` is the way of the first person away from the second.
    pub fn near(&self, moved: &Vector3<f64>, within: f64, depth: f64) -> Vec<NearVertex> {
        let [first, second] = self.meters;
        let first = first.map_or_else(Vec::new, |meter| meter.near(moved, within, depth));
        let second = second.map_or_else(Vec::new, |meter| meter.near(&-moved, within, depth));
        first.into_iter().chain(second.into_iter().map(reversed)).collect()
    }

    /// The one of [`PosedParts::near`] with the least distance.
    pub fn nearest(&self, moved: &Vector3<f64>, within: f64, depth: f64) -> Option<NearVertex> {
        let [first, second] = self.meters;
        let first = first.and_then(|meter| meter.nearest(moved, within, depth));
        let second = second.and_then(|meter| meter.nearest(&-moved, within, depth)).map(reversed);
        first.into_iter().chain(second).reduce(|a, b| if b.distance < a.distance { b } else { a })
    }
}

fn reversed(near: NearVertex) -> NearVertex {
    NearVertex { away: -near.away, ..near }
}

fn is_part(of: Part, part: BodyPart) -> bool {
    let sided = |side: Side| if side == Side::Left { Sided::Left } else { Sided::Right };
    match part {
        BodyPart::Core => of.is_core(),
        BodyPart::Hand(side) => of == Part::Hand(sided(side)),
        BodyPart::Arm(side) => of.is_lower_arm_of(sided(side)) || of == Part::UpperArm(sided(side)),
    }
}
