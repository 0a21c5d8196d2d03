//! How fast joints of the target rotate, compared with the source's.

use crate::pair::Pair;
use crate::report::StepReport;
use mocap_analysis::largest_step;
use mocap_model::{ClipFrames, JointId, Role, Skeleton, UnitQuaternion, angle_between};

/// A joint of the target, its partner in the source, and their role.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepRow {
    pub target: JointId,
    pub source: Option<JointId>,
    pub role: Option<Role>,
}

/// The largest steps of the source: with them, those of the target are measured without the source.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceSteps {
    /// Each with the largest step of its partner in the source \[rad\].
    rows: Vec<(StepRow, f64)>,
    /// Of all joints \[rad\].
    largest: f64,
}

impl SourceSteps {
    /// Of the joints with roles.
    pub(crate) fn of_body(pair: &Pair, source: ClipFrames) -> SourceSteps {
        let (from, to) = (&pair.source.body.roles, &pair.target.body.roles);
        let rows = to.rows.iter().map(|row| StepRow {
            target: row.joint,
            source: from.joint(row.role),
            role: Some(row.role),
        });
        let sources: Vec<JointId> = from.rows.iter().map(|row| row.joint).collect();
        SourceSteps::new(source, &pair.target.skeleton, rows.collect(), &sources)
    }

    /// Of the partners in `rows`, and of `sources`, the joints of the source.
    ///
    /// A partner's step is measured relative to the partner of the nearest joint above the target's joint: a head on a
    /// target without a neck rotates as head and neck of the source do.
    pub(crate) fn new(
        source: ClipFrames,
        target: &Skeleton,
        rows: Vec<StepRow>,
        sources: &[JointId],
    ) -> SourceSteps {
        let mut partner: Vec<Option<JointId>> = vec![None; target.len()];
        rows.iter().for_each(|row| partner[row.target.index()] = row.source);
        let mut steps: Vec<Option<f64>> = vec![None; source.skeleton().len()];
        for joint in sources.iter().copied().chain(rows.iter().filter_map(|row| row.source)) {
            let step = || largest_step(source, [joint]).map_or(0.0, |step| step.angle);
            steps[joint.index()].get_or_insert_with(step);
        }
        let step = |joint: JointId| steps[joint.index()].unwrap_or(0.0);
        let of_partner = |row: &StepRow| {
            let Some(from) = row.source else { return 0.0 };
            let parents =
                std::iter::successors(target.joint(row.target).parent, |id| target.joint(*id).parent);
            let above = parents.into_iter().find_map(|id| partner[id.index()]);
            step(from).max(step_below(source, above, from))
        };
        let largest = sources.iter().map(|joint| step(*joint)).fold(0.0, f64::max);
        SourceSteps { rows: rows.into_iter().map(|row| (row, of_partner(&row))).collect(), largest }
    }

    /// Largest steps of a motion of the target, each compared with its partner's.
    pub(crate) fn report(&self, motion: ClipFrames) -> StepReport {
        let mut report = StepReport { source: self.largest.to_degrees(), ..StepReport::default() };
        for (row, was) in &self.rows {
            let Some(is) = largest_step(motion, [row.target]) else { continue };
            let degrees = is.angle.to_degrees();
            if degrees > report.target {
                (report.target, report.frame) = (degrees, is.frame);
                report.joint.clone_from(&motion.skeleton().joint(row.target).name);
            }
            let excess = degrees - was.to_degrees();
            if row.source.is_some() && excess > report.excess {
                (report.excess, report.excess_role) = (excess, row.role);
            }
        }
        report
    }
}

/// The largest step \[rad\] of a joint relative to a joint above it; 0 for a direct child of that
/// joint, or without one.
fn step_below(source: ClipFrames, above: Option<JointId>, joint: JointId) -> f64 {
    let path = above.and_then(|above| source.skeleton().path(above, joint)).unwrap_or_default();
    if path.len() <= 2 {
        return 0.0;
    }
    let rotation = |frame: usize| {
        let local = path[1..].iter().map(|id| source.rotation(*id, frame));
        local.reduce(|sum, local| sum * local).unwrap_or_default()
    };
    // The cosine of half the angle decreases as the angle grows, so comparing it needs no arc cosine.
    let cosine = |(a, b): &(UnitQuaternion<f64>, UnitQuaternion<f64>)| a.coords.dot(&b.coords).abs();
    let frames = (0..source.frames()).map(rotation);
    let mut before = None;
    let steps = frames.filter_map(|now| before.replace(now).map(|before| (before, now)));
    let largest = steps.min_by(|a, b| cosine(a).total_cmp(&cosine(b)));
    largest.map_or(0.0, |(before, now)| angle_between(&before, &now))
}
