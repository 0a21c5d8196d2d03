//! Measures two people on their meshes: the depth of interpenetration and the distance of parts.

use super::TargetSurface;
use super::beside::BodyPart;
use super::body_surface::BodySurface;
use mocap_model::{Pose, Side};
use mocap_skin::{Affine, InsideMeter, Part, Sided, Surface};
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

    /// The distance between a part of the first person and one of the second, at most `within`; negative where one is inside
    /// of the other. `None` without these parts, or where they are further apart.
    pub fn gap(&mut self, parts: [BodyPart; 2], poses: [&Pose; 2], within: f64) -> Option<f64> {
        let known = self.parts.iter().position(|(known, _)| *known == parts);
        let at = known.unwrap_or_else(|| {
            let is_in = |part: BodyPart| move |of: Part| is_part(of, part);
            let meters = [0, 1].map(|of| self.meter(of, is_in(parts[of]), is_in(parts[1 - of])));
            self.parts.push((parts, meters));
            self.parts.len() - 1
        });
        let palette = self.palette(poses);
        let whole = &self.whole;
        let gaps = self.parts[at].1.iter_mut().flatten().filter_map(|meter| {
            let vertices = meter.measured().to_vec();
            meter.gap(whole, &palette, &vertices, within)
        });
        gaps.map(|(gap, _)| gap).reduce(f64::min)
    }
}

fn is_part(of: Part, part: BodyPart) -> bool {
    let sided = |side: Side| if side == Side::Left { Sided::Left } else { Sided::Right };
    match part {
        BodyPart::Core => of.is_core(),
        BodyPart::Hand(side) => of == Part::Hand(sided(side)),
        BodyPart::Arm(side) => of.is_lower_arm_of(sided(side)) || of == Part::UpperArm(sided(side)),
    }
}
