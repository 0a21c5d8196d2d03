//! How smooth a motion is: as fast as its source and its limits let it be.

use mocap_model::FrameRate;

use crate::highest::Highest;
use crate::landmarks::Humanoid;
use crate::limb::Limb;
use crate::solve::Smoothness;
use crate::source::Steps;

/// How much more than the source's joint a hinge may rotate per frame \[rad\].
pub(crate) const MORE: f64 = 0.1;

/// Weights of smoothness: accelerations are per second, so the frame rate does not matter.
pub(crate) fn smoothness(
    humanoid: &Humanoid,
    steps: &Steps,
    highest: &Highest,
    fps: FrameRate,
) -> Smoothness {
    let rate = (fps.fps() / 30.0).powi(2);
    let strongest =
        |limit: &Option<f64>| limit.map_or(f64::INFINITY, |limit| limit * fps.frame_time().powi(2));
    Smoothness {
        joints: 0.8 * rate,
        base: 3.0 * rate,
        fastest: fastest(humanoid, steps, &highest.speeds, fps),
        strongest: highest.accelerations.iter().map(strongest).collect(),
    }
}

/// Greatest step of each joint per frame: that of its speed limit, and slightly more than the source rotates
/// per frame. Otherwise hinges would turn over when a limb passes their axis.
fn fastest(humanoid: &Humanoid, steps: &Steps, velocities: &[Option<f64>], fps: FrameRate) -> Vec<f64> {
    let has = |limbs: &[Limb], joint: usize| limbs.iter().any(|limb| limb.joints.contains(&joint));
    let of = |(joint, velocity): (usize, &Option<f64>)| {
        let step = match &humanoid.arms {
            _ if has(&humanoid.legs, joint) => steps.legs,
            Some(arms) if has(arms, joint) => steps.arms,
            _ => steps.all,
        };
        velocity.map_or(f64::INFINITY, |velocity| velocity * fps.frame_time()).min(step + MORE)
    };
    velocities.iter().enumerate().map(of).collect()
}
