//! The degrees of freedom of a chain as a flat list, for the Jacobian and objective solvers.
//!
//! A hinge has one, a joint with Euler ranges one per axis of its sequence, and a joint that turns freely or
//! within a cone three hinges about the axes of object space.

use crate::constraint::{clamp, euler_within, twist_angle};
use crate::scratch::Dof;
use crate::{Freedom, IkChain, Quat, Vec3};
use mocap_model::{EulerOrder, exp, log};
use std::f64::consts::TAU;

/// Lists the degrees of freedom of the pose that the chain holds.
pub(crate) fn collect(chain: &mut IkChain, limits: bool) {
    let mut dofs = std::mem::take(&mut chain.scratch.dofs);
    dofs.clear();
    for i in 0..chain.len() {
        let constraint = &chain.constraint[i];
        if constraint.is_locked() {
            continue;
        }
        let joint = i as u32;
        let (sign, local) = (constraint.sign(), &chain.local[i]);
        match &constraint.freedom {
            Freedom::Hinge { axis, range } if limits => {
                let (angle, _) = clamp(twist_angle(&constraint.to_free(local), axis), range);
                let axis = chain.parent_frame(i) * constraint.outer() * axis.into_inner() * sign;
                let (min, max) = open_or(range.min, range.max);
                dofs.push(Dof { joint, axis, angle, min, max });
            }
            Freedom::Euler { order, ranges } if limits => {
                let angles = euler_within(*order, ranges, &constraint.to_free(local));
                let seen = euler_axes(*order, angles, constraint.inverted);
                let frame = chain.parent_frame(i) * constraint.outer();
                for slot in 0..3 {
                    let range = &ranges[slot];
                    let turns = if range.min < range.max { sign } else { 0.0 };
                    let (min, max) = open_or(range.min, range.max);
                    dofs.push(Dof { joint, axis: frame * seen[slot] * turns, angle: angles[slot], min, max });
                }
            }
            _ => {
                for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
                    dofs.push(Dof { joint, axis, angle: 0.0, min: f64::NEG_INFINITY, max: f64::INFINITY });
                }
            }
        }
    }
    chain.scratch.dofs = dofs;
}

fn open_or(min: f64, max: f64) -> (f64, f64) {
    if max - min >= TAU { (f64::NEG_INFINITY, f64::INFINITY) } else { (min, max) }
}

/// The axes of the three angles, in the sequence of the order, seen from the frame of the constraint.
pub(crate) fn euler_axes(order: EulerOrder, angles: [f64; 3], inverted: bool) -> [Vec3; 3] {
    let sequence = if inverted { [2, 1, 0] } else { [0, 1, 2] };
    let sign = if inverted { -1.0 } else { 1.0 };
    let mut seen = [Vec3::zeros(); 3];
    let mut frame = Quat::identity();
    for i in sequence {
        let axis = order.axes()[i].unit();
        seen[i] = frame * axis.into_inner();
        frame *= Quat::from_axis_angle(&axis, sign * angles[i]);
    }
    seen
}

/// Turns the joints by these angles \[rad\], one per degree of freedom; the result is within the limits.
pub(crate) fn apply(chain: &mut IkChain, limits: bool, delta: &[f64]) {
    let mut at = 0;
    while at < chain.scratch.dofs.len() {
        let Dof { joint, angle, min, max, .. } = chain.scratch.dofs[at];
        let i = joint as usize;
        let constraint = chain.constraint[i];
        let (local, used) = match &constraint.freedom {
            Freedom::Hinge { axis, .. } if limits => {
                let angle = (angle + delta[at]).clamp(min, max);
                (constraint.to_local(&Quat::from_axis_angle(axis, angle)), 1)
            }
            Freedom::Euler { order, .. } if limits => {
                let angles = [0, 1, 2].map(|slot| {
                    let dof = &chain.scratch.dofs[at + slot];
                    (dof.angle + delta[at + slot]).clamp(dof.min, dof.max)
                });
                (constraint.to_local(&order.rotation(angles)), 3)
            }
            _ => {
                let parent = chain.parent_frame(i);
                // Relative to the parent; the parents themselves are rotated by the same step.
                let turn = parent.inverse() * Vec3::new(delta[at], delta[at + 1], delta[at + 2]);
                let local = Quat::new_normalize((exp(&turn) * chain.local[i]).into_inner());
                (if limits { constraint.project(&local).0 } else { local }, 3)
            }
        };
        chain.local[i] = local;
        at += used;
    }
    chain.update();
}

/// Writes to `out` the distance of each degree of freedom from a reference pose \[rad\].
pub(crate) fn distance(chain: &IkChain, limits: bool, reference: &[Quat], out: &mut [f64]) {
    let mut at = 0;
    while at < chain.scratch.dofs.len() {
        let i = chain.scratch.dofs[at].joint as usize;
        let constraint = &chain.constraint[i];
        let angle = |slot: usize| chain.scratch.dofs[at + slot].angle;
        at += match &constraint.freedom {
            Freedom::Hinge { axis, range } if limits => {
                let (wished, _) = clamp(twist_angle(&constraint.to_free(&reference[i]), axis), range);
                out[at] = angle(0) - wished;
                1
            }
            Freedom::Euler { order, ranges } if limits => {
                let wished = euler_within(*order, ranges, &constraint.to_free(&reference[i]));
                for slot in 0..3 {
                    out[at + slot] = angle(slot) - wished[slot];
                }
                3
            }
            _ => {
                let off = chain.parent_frame(i) * log(&(chain.local[i] * reference[i].inverse()));
                out[at..at + 3].copy_from_slice(off.as_slice());
                3
            }
        };
    }
}
