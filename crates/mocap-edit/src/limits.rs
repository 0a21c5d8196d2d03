//! Warns of joints that an edit turns beyond their limits.

use mocap_ik::Constraint;
use mocap_model::{Clip, JointId};

use crate::EditReport;

/// Tolerance of joint limits \[rad\].
const SLACK: f64 = 1e-6;
/// The most joints that a warning names.
const NAMED: usize = 5;

impl EditReport {
    /// Warns of joints that are farther beyond their limits in `after` than in any frame of `before`.
    pub(crate) fn warn_of_limits(&mut self, before: &[&Clip], after: &Clip) {
        let worst = |clip: &Clip, id: JointId| {
            let (limits, rotation) = (Constraint::of(clip.skeleton().joint(id)), &clip.track(id).rotation);
            (0..clip.frames())
                .map(|frame| (limits.excess(&rotation.at(frame)), frame))
                .fold((0.0, 0), |most, found| if found.0 > most.0 { found } else { most })
        };
        let limited = after.skeleton().iter().filter(|(_, joint)| joint.dofs.has_limits());
        let mut left: Vec<String> = Vec::new();
        for (id, joint) in limited {
            let (now, frame) = worst(after, id);
            let earlier = before.iter().map(|clip| worst(clip, id).0).fold(0.0, f64::max);
            if now > earlier + SLACK {
                left.push(format!("{} by {:.1}° in frame {frame}", joint.name, now.to_degrees()));
            }
        }
        if left.is_empty() {
            return;
        }
        let more = left.len().saturating_sub(NAMED);
        let named = left[..left.len() - more].join(", ");
        let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
        self.warn("edit::limits", format!("joints leave their limits: {named}{rest}"));
    }
}
