//! Chooses the side by which an arm leaves a body that it passes through.

use super::body_in_motion::{Frame, MARGIN, Stage};
use super::exit::{Depth, Exit, stretches, towards, way_out};
use super::keys::Keys;
use super::nearby::each_near;
use super::stage::{ArmState, THROUGH};
use mocap_skin::PosedField;

/// It also leaves by the same side in frames with penetration within this time \[s\].
const AROUND: f64 = 0.5;
/// Longest way out, for a person of 1.7 m \[m\].
const FAR: f64 = 0.4;

impl Stage<'_> {
    /// An arm that passes through the body leaves by one side for the whole stretch of frames: that with the
    /// least ways out, or the second best, if it stays inside by the first.
    pub(super) fn choose_sides(
        &self,
        keys: &Keys,
        states: &mut [Vec<ArmState>; 2],
        field: &mut PosedField<'_>,
        pose: &mut Frame,
    ) {
        let around = (AROUND * keys.fps).ceil() as usize;
        let (least, step) = (self.body.person(THROUGH), self.body.person(MARGIN));
        for (i, states) in states.iter_mut().enumerate() {
            let depths: Vec<Depth> = states.iter().map(|state| state.depth).collect();
            for stretch in stretches(&depths, least, around) {
                let mut ways = Vec::with_capacity(stretch.len());
                for at in stretch.clone() {
                    pose.place(self.clip, keys.frame(at));
                    pose.see(&self.view);
                    let is_posed = field.pose(&pose.object);
                    let Some((arm, posed)) = self.arm(i, &pose.object).filter(|_| is_posed) else {
                        ways.push([0.0; 5]);
                        continue;
                    };
                    let (middle, radius) = posed.ball();
                    // Ways out reach further than the arm.
                    let near = field.near(&middle, radius + self.body.person(FAR));
                    let sides = self.sides[i].map(|side| posed.frame * side);
                    let mut way = [0.0f64; 5];
                    each_near(&arm.points, &posed.points, (field, &near), 0.0, |point, hit| {
                        for (way, side) in way.iter_mut().zip(&sides) {
                            let direction = towards(&hit.normal, side);
                            let from = (&posed.points[point], -hit.distance);
                            *way = way.max(way_out((field, &near), from, &direction, step));
                        }
                    });
                    ways.push(way);
                }
                let total = |side: usize| ways.iter().map(|way| way[side] * way[side]).sum::<f64>();
                let totals: [f64; 5] = std::array::from_fn(total);
                let mut order = [0, 1, 2, 3, 4];
                order.sort_by(|a, b| totals[*a].total_cmp(&totals[*b]));
                for (at, way) in stretch.zip(ways) {
                    let exit = |side: usize| Exit { side: Some(self.sides[i][side]), way: way[side] };
                    (states[at].exit, states[at].other_exit) = (exit(order[0]), exit(order[1]));
                }
            }
        }
    }
}
