//! Finds joints that no marker shows for some time: neither one of their own nor one below them.

use std::ops::Range;

use mocap_model::JointId;

use crate::repair::OFF;
use crate::subject::Subject;
use crate::take::Take;

/// A joint that no marker shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unseen {
    /// The joint.
    pub joint: JointId,
    /// The frames.
    pub frames: Range<usize>,
}

/// The joints below the root that no marker shows for longer than `least` frames, with these frames.
pub(crate) fn unseen(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    (distances, least): (&[Option<f64>], usize),
) -> Vec<Unseen> {
    let (skeleton, count) = (&subject.skeleton, take.names.len());
    let root = JointId::from(subject.body.joints[0].source);
    let below: Vec<bool> =
        (0..skeleton.len()).map(|id| skeleton.is_in_subtree(JointId::from(id), root)).collect();
    // By joint: the frame from which it has not been seen.
    let mut since: Vec<Option<usize>> = vec![None; skeleton.len()];
    let mut found = Vec::new();
    for frame in 0..=take.frames {
        let mut shown = vec![frame == take.frames; skeleton.len()];
        if frame < take.frames {
            for marker in (0..count).filter(|marker| used[*marker]) {
                if distances[frame * count + marker].is_some_and(|distance| distance <= OFF) {
                    shown[subject.body.joints[subject.attached[marker].joint].source] = true;
                }
            }
            for (id, joint) in skeleton.iter().rev() {
                if let Some(parent) = joint.parent {
                    shown[parent.index()] |= shown[id.index()];
                }
            }
        }
        for (id, joint) in skeleton.iter().filter(|(id, _)| below[id.index()] && *id != root) {
            match (shown[id.index()] || joint.end_site, since[id.index()]) {
                (false, None) => since[id.index()] = Some(frame),
                (true, Some(first)) => {
                    since[id.index()] = None;
                    if frame - first > least {
                        found.push(Unseen { joint: id, frames: first..frame });
                    }
                }
                _ => {}
            }
        }
    }
    found.sort_by_key(|unseen| (unseen.joint, unseen.frames.start));
    found
}
