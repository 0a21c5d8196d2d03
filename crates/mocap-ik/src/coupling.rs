//! Linear relations between the angles of a chain, and the nearest angles that keep them.

use crate::{Freedom, IkChain, IkError, dofs, linear};
use mocap_model::{Axis, Relation};
use std::ops::Range;

/// A relation `Σ factor · angle = value`, or `≤ value`, between angles of joints of a chain.
///
/// Angles are those that the constraints of the joints limit: of a hinge its one angle, of Euler ranges that about an axis.
/// [`crate::Objective`] and [`crate::Xpbd`] keep couplings; the other solvers refuse chains that have them.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainCoupling {
    /// Joint of the chain, axis of its angle, factor.
    pub angles: Vec<(usize, Axis, f64)>,
    /// How the sum relates to the value.
    pub relation: Relation,
    /// The value \[rad\].
    pub value: f64,
}

/// Couplings of a chain by degree of freedom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Couplings {
    rows: Vec<Row>,
    /// Degree of freedom and factor of all rows.
    terms: Vec<(usize, f64)>,
    /// Accumulated corrections of each row, per unit of its factors (Hildreth's multipliers).
    multipliers: Vec<f64>,
    /// Degrees of freedom that occur in couplings, and the accumulated corrections by their ranges.
    coupled: Vec<usize>,
    moved: Vec<f64>,
}

#[derive(Clone, Debug)]
struct Row {
    terms: Range<usize>,
    relation: Relation,
    value: f64,
    /// Sum of the squares of the factors.
    square: f64,
}

/// Couplings are satisfied within this \[rad\].
pub(crate) const KEPT: f64 = 1e-9;
/// Greatest number of rounds over all couplings and ranges.
const ROUNDS: usize = 20_000;

impl Couplings {
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Projects angles onto what couplings and ranges allow, by least squares. `angle(k)` and `range(k)` belong
    /// to degree of freedom `k`; `change[k]` is added to the angle. Returns the greatest remaining excess
    /// \[rad\].
    ///
    /// Based on: C. Hildreth, "A quadratic programming procedure", 1957; J. Boyle, R. Dykstra, "A method for
    /// finding projections onto the intersection of convex sets in Hilbert spaces", 1986.
    fn project(&mut self, angle: impl Fn(usize) -> (f64, f64, f64), change: &mut [f64]) -> f64 {
        self.multipliers.fill(0.0);
        self.moved.fill(0.0);
        for _ in 0..ROUNDS {
            let mut excess = 0.0f64;
            for (row, multiplier) in self.rows.iter().zip(&mut self.multipliers) {
                let terms = &self.terms[row.terms.clone()];
                let sum: f64 = terms.iter().map(|(k, factor)| factor * (angle(*k).0 + change[*k])).sum();
                let off = sum - row.value;
                let step = match row.relation {
                    Relation::Equal => off / row.square,
                    // A correction is never undone beyond its own amount.
                    Relation::AtMost => (off / row.square).max(-*multiplier),
                };
                let beyond = if row.relation == Relation::Equal { off.abs() } else { off };
                excess = excess.max(beyond);
                *multiplier += step;
                terms.iter().for_each(|(k, factor)| change[*k] -= factor * step);
            }
            for (k, moved) in self.coupled.iter().zip(&mut self.moved) {
                let (own, min, max) = angle(*k);
                let free = own + change[*k] - *moved;
                let held = free.clamp(min, max);
                excess = excess.max((own + change[*k] - held).abs());
                *moved = held - free;
                change[*k] = held - own;
            }
            if excess <= KEPT * 1e-2 {
                return 0.0;
            }
        }
        self.excess(|k| angle(k).0 + change[k])
    }

    fn excess(&self, angle: impl Fn(usize) -> f64) -> f64 {
        let excess = self.rows.iter().map(|row| {
            let sum: f64 = self.terms[row.terms.clone()].iter().map(|(k, factor)| factor * angle(*k)).sum();
            if row.relation == Relation::Equal { (sum - row.value).abs() } else { sum - row.value }
        });
        excess.fold(0.0, f64::max)
    }
}

impl IkChain {
    /// Sets the couplings of the chain, and moves its pose to the nearest angles that keep them.
    ///
    /// # Errors
    /// If an angle is not one of a hinge or of Euler ranges ([`IkError::NoAngle`]), a number is not finite, or the limits of
    /// the joints do not allow all couplings together.
    pub fn set_couplings(&mut self, couplings: &[ChainCoupling]) -> Result<(), IkError> {
        let mut made = Couplings::default();
        for (index, coupling) in couplings.iter().enumerate() {
            let from = made.terms.len();
            for (joint, axis, factor) in &coupling.angles {
                let place = (*joint < self.len()).then(|| self.angle_place(*joint, *axis)).flatten();
                let place = place.ok_or(IkError::NoAngle { coupling: index, joint: *joint })?;
                made.terms.push((place, *factor));
            }
            let square: f64 = made.terms[from..].iter().map(|(_, factor)| factor * factor).sum();
            if !(square.is_finite() && square > 0.0 && coupling.value.is_finite()) {
                return Err(IkError::CouplingNotFinite { coupling: index });
            }
            let terms = from..made.terms.len();
            made.rows.push(Row { terms, relation: coupling.relation, value: coupling.value, square });
        }
        made.coupled = made.terms.iter().map(|(k, _)| *k).collect();
        made.coupled.sort_unstable();
        made.coupled.dedup();
        made.multipliers = vec![0.0; made.rows.len()];
        made.moved = vec![0.0; made.coupled.len()];
        let before = std::mem::replace(&mut self.couplings, made);
        let pose = self.local.clone();
        let excess = self.keep_couplings(&mut vec![0.0; 3 * self.len()]);
        if excess > KEPT {
            self.couplings = before;
            self.local.copy_from_slice(&pose);
            self.update();
            return Err(IkError::CouplingsConflict { excess });
        }
        Ok(())
    }

    /// Greatest violation of the couplings by the pose \[rad\].
    pub fn coupling_excess(&mut self) -> f64 {
        if self.couplings.is_empty() {
            return 0.0;
        }
        dofs::collect(self, true);
        self.couplings.excess(|k| self.scratch.dofs[k].angle)
    }

    /// The index among the degrees of freedom of a joint's angle about an axis.
    fn angle_place(&self, joint: usize, axis: Axis) -> Option<usize> {
        let own = match &self.constraint[joint].freedom {
            _ if self.constraint[joint].is_locked() => None,
            Freedom::Hinge { axis: hinge, .. } => {
                (hinge.dot(&axis.unit()).abs() > 1.0 - 1e-12 && hinge.dot(&axis.unit()) > 0.0).then_some(0)
            }
            Freedom::Euler { order, .. } => order.axes().iter().position(|other| *other == axis),
            Freedom::Free | Freedom::Ball { .. } | Freedom::Locked => None,
        }?;
        let before = self.constraint[..joint].iter().filter(|constraint| !constraint.is_locked());
        let before = before.map(|one| if matches!(one.freedom, Freedom::Hinge { .. }) { 1 } else { 3 });
        Some(before.sum::<usize>() + own)
    }

    /// Moves the pose to the nearest angles that satisfy couplings and ranges. Returns the remaining excess
    /// \[rad\].
    pub(crate) fn keep_couplings(&mut self, change: &mut [f64]) -> f64 {
        if self.couplings.is_empty() {
            return 0.0;
        }
        dofs::collect(self, true);
        let n = self.scratch.dofs.len();
        let mut couplings = std::mem::take(&mut self.couplings);
        if couplings.excess(|k| self.scratch.dofs[k].angle) > KEPT * 1e-2 {
            let change = &mut change[..n];
            change.fill(0.0);
            let dofs = &self.scratch.dofs;
            couplings.project(|k| (dofs[k].angle, dofs[k].min, dofs[k].max), change);
            dofs::apply(self, true, change);
            dofs::collect(self, true);
        }
        let left = couplings.excess(|k| self.scratch.dofs[k].angle);
        self.couplings = couplings;
        left
    }

    /// Changes a step `delta = H⁻¹ g` to the best step that satisfies the couplings; `factor` is the factor of
    /// H. Equations are always included, inequalities if the step would violate them. Degrees of freedom that
    /// are held have a unit row in H and no step.
    pub(crate) fn coupled_step(&mut self, factor: &[f64], delta: &mut [f64]) {
        if self.couplings.is_empty() {
            return;
        }
        let n = delta.len();
        let mut couplings = std::mem::take(&mut self.couplings);
        let dofs = &self.scratch.dofs;
        let mut active: Vec<(usize, f64)> = Vec::with_capacity(couplings.rows.len());
        for (at, row) in couplings.rows.iter().enumerate() {
            let terms = &couplings.terms[row.terms.clone()];
            let after: f64 = terms.iter().map(|(k, factor)| factor * (dofs[*k].angle + delta[*k])).sum();
            if row.relation == Relation::Equal || after > row.value {
                active.push((at, after - row.value));
            }
        }
        // A H⁻¹ Aᵀ y = A δ − r; the step loses H⁻¹ Aᵀ y.
        let m = active.len();
        let mut columns = vec![0.0; m * n];
        for (column, (at, _)) in columns.chunks_exact_mut(n).zip(&active) {
            for (k, own) in &couplings.terms[couplings.rows[*at].terms.clone()] {
                let held =
                    delta[*k] == 0.0 && (dofs[*k].angle <= dofs[*k].min || dofs[*k].angle >= dofs[*k].max);
                column[*k] += if held { 0.0 } else { *own };
            }
            linear::solve(factor, n, column);
        }
        let mut gram = vec![0.0; m * m];
        for (i, (at, _)) in active.iter().enumerate() {
            for j in 0..=i {
                let terms = &couplings.terms[couplings.rows[*at].terms.clone()];
                gram[i * m + j] = terms.iter().map(|(k, own)| own * columns[j * n + k]).sum();
            }
        }
        let trace: f64 = (0..m).map(|i| gram[i * m + i]).sum();
        (0..m).for_each(|i| gram[i * m + i] += 1e-12 * trace + f64::MIN_POSITIVE);
        let mut y: Vec<f64> = active.iter().map(|(_, off)| *off).collect();
        if m > 0 && linear::cholesky(&mut gram, m) {
            linear::solve(&gram, m, &mut y);
            for (y, column) in y.iter().zip(columns.chunks_exact(n)) {
                delta.iter_mut().zip(column).for_each(|(delta, column)| *delta -= y * column);
            }
        }
        couplings.project(|k| (dofs[k].angle, dofs[k].min, dofs[k].max), delta);
        self.couplings = couplings;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Constraint, Goal, Link, Objective, Quat, SolveOptions, Solver, Vec3, Xpbd};
    use mocap_model::{EulerOrder, Isometry3, Limit};

    /// Four bones upwards; each joint rotates by three Euler angles.
    fn spine(limit: Limit) -> IkChain {
        let freedom = Freedom::Euler { order: EulerOrder::ZXY, ranges: [limit; 3] };
        let link = |y: f64| Link {
            offset: Vec3::new(0.0, y, 0.0),
            rotation: Quat::identity(),
            constraint: Constraint::new(freedom),
        };
        let links = vec![link(0.0), link(0.2), link(0.2), link(0.2)];
        IkChain::serial(Isometry3::identity(), links, Vec3::new(0.0, 0.2, 0.0)).unwrap()
    }

    fn shared_bend() -> Vec<ChainCoupling> {
        (1..4)
            .map(|joint| ChainCoupling {
                angles: vec![(joint - 1, Axis::X, 1.0), (joint, Axis::X, -1.0)],
                relation: Relation::Equal,
                value: 0.0,
            })
            .collect()
    }

    #[test]
    fn a_spine_shares_its_bend_in_both_solvers() {
        let goal = Goal::at(Vec3::new(0.0, 0.5, 0.45));
        for solver in [&Objective::default() as &dyn Solver, &Xpbd::default()] {
            let mut chain = spine(Limit { min: -1.5, max: 1.5 });
            chain.set_couplings(&shared_bend()).unwrap();
            let outcome = solver.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
            assert!(outcome.position < 2e-2, "{outcome:?}: a spine that shares its bend comes near");
            assert!(chain.coupling_excess() < 1e-6, "{}", chain.coupling_excess());
            let bends: Vec<f64> = chain.rotations().iter().map(|turn| turn.scaled_axis().x).collect();
            assert!(bends[0] > 0.1, "{bends:?}");
        }
    }

    #[test]
    fn a_sum_that_is_limited_stays_below_its_limit_where_the_goal_wants_more() {
        let most = ChainCoupling {
            angles: (0..4).map(|joint| (joint, Axis::X, 1.0)).collect(),
            relation: Relation::AtMost,
            value: 0.6,
        };
        // The goal is on the side: without the coupling the bends sum up to more than a right angle.
        let goal = Goal::at(Vec3::new(0.0, 0.1, 0.6));
        let in_plane = || {
            let mut chain = spine(Limit { min: -1.5, max: 1.5 });
            let still = Limit { min: 0.0, max: 0.0 };
            let ranges = [still, Limit { min: 0.0, max: 1.5 }, still];
            let freedom = Freedom::Euler { order: EulerOrder::ZXY, ranges };
            (0..4).for_each(|joint| chain.set_constraint(joint, Constraint::new(freedom)));
            chain
        };
        for solver in [&Objective::default() as &dyn Solver, &Xpbd::default()] {
            let mut chain = in_plane();
            let free = solver.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
            assert!(free.position < 1e-3, "{free:?}");
            let mut chain = in_plane();
            chain.set_couplings(std::slice::from_ref(&most)).unwrap();
            let outcome = solver.solve(&mut chain, &[goal], &SolveOptions::default()).unwrap();
            assert!(outcome.position > 1e-2, "{outcome:?}");
            let excess = chain.coupling_excess();
            assert!(excess <= 1e-6, "{excess}");
        }
    }

    #[test]
    fn couplings_that_contradict_each_other_or_limits_are_refused() {
        let mut chain = spine(Limit { min: -0.1, max: 0.1 });
        let sum = |value: f64| ChainCoupling {
            angles: vec![(0, Axis::X, 1.0), (1, Axis::X, 1.0)],
            relation: Relation::Equal,
            value,
        };
        let pose = chain.rotations().to_vec();
        assert!(matches!(chain.set_couplings(&[sum(0.5)]), Err(IkError::CouplingsConflict { .. })));
        assert!(matches!(chain.set_couplings(&[sum(0.1), sum(0.0)]), Err(IkError::CouplingsConflict { .. })));
        assert_eq!(chain.rotations(), pose, "nothing is changed");
        chain.set_couplings(&[sum(0.15)]).unwrap();
        assert!(chain.coupling_excess() < KEPT);
        chain.set_constraint(0, Constraint::free());
        assert_eq!(chain.set_couplings(&[sum(0.1)]), Err(IkError::NoAngle { coupling: 0, joint: 0 }));
        // The other solvers do not support couplings.
        let mut chain = spine(Limit { min: -1.0, max: 1.0 });
        chain.set_couplings(&[sum(0.1)]).unwrap();
        let refused = crate::Ccd.solve(&mut chain, &[Goal::at(Vec3::y())], &SolveOptions::default());
        assert_eq!(refused, Err(IkError::NeedsBody));
    }
}
