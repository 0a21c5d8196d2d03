//! Distribution of the tolerance along a limb: the parts of the rotations.

use crate::encode::body::Body;
use mocap_model::{Clip, JointId};
use nalgebra::Quaternion;

/// A rotation whose intermediate frames take at least this many bits has part 1.
const BUSY: f64 = 3.0;
/// Part of a still rotation. With larger steps it remains within the tolerance and costs almost nothing, while
/// the steps of busy rotations save bits only with the logarithm of their part.
const MOST: f64 = 3.0;
/// Exponent with which parts rise as bits fall.
const POWER: f64 = 0.35;
/// Squared errors relative to the tolerance that cost one bit.
const BIT: f64 = 2.0;

/// The part of each body, 0 where it does not turn. `tolerances` by joint.
pub(crate) fn parts(clip: &Clip, bodies: &[Body], tolerances: &[f64]) -> Vec<f64> {
    let mut levers: Vec<f64> =
        bodies.iter().map(|body| longest(body.points.iter().map(|p| p.original.norm()))).collect();
    for body in bodies {
        if let Some(parent) = body.parent {
            let length = body.mount.then(&body.local).original.position.norm();
            levers[parent] = levers[parent].max(length);
        }
    }
    let part = |(body, lever): (&Body, f64)| match body.rotates {
        true => {
            let bits = bits_between(clip, body.joint, lever / tolerances[body.joint]);
            (BUSY / bits).powf(POWER).clamp(1.0, MOST)
        }
        false => 0.0,
    };
    bodies.iter().zip(levers).map(part).collect()
}

fn longest(lengths: impl Iterator<Item = f64>) -> f64 {
    lengths.fold(0.0, f64::max)
}

/// An estimate of the bits of every second frame, where the frames between are known; `lever` against the tolerance.
fn bits_between(clip: &Clip, joint: usize, lever: f64) -> f64 {
    let rotations = &clip.track(JointId::from(joint)).rotation;
    let frames = (3..clip.frames().saturating_sub(3)).step_by(2);
    let count = frames.len().max(1) as f64;
    let bits = frames.map(|frame| {
        let wanted = *rotations.at(frame).quaternion();
        let near = |at: usize| -> Quaternion<f64> {
            let q = *rotations.at(at).quaternion();
            if q.dot(&wanted) < 0.0 { -q } else { q }
        };
        let (next, further) = (near(frame - 1) + near(frame + 1), near(frame - 3) + near(frame + 3));
        let off = (next * 0.5625 - further * 0.0625 - wanted).norm() * 2.0 * lever;
        (1.0 + off * off / BIT).log2()
    });
    bits.sum::<f64>() / count
}
