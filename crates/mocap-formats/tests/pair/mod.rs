//! Clips as ASF and AMC: read back and compared.

use mocap_formats::{Limits, amc, asf};
use mocap_model::*;

pub(crate) fn read_back(pair: &amc::Pair) -> Clip {
    let skeleton = asf::parse(&pair.skeleton.to_bytes(), &Limits::default()).unwrap();
    let motion = amc::parse(&pair.motion.to_bytes(), &Limits::default()).unwrap();
    assert_eq!((skeleton.warnings, motion.warnings), (vec![], vec![]));
    let clip = amc::to_clip(&skeleton.value, &motion.value, &amc::ClipOptions::default()).unwrap();
    assert_eq!(clip.warnings, []);
    clip.value
}

/// The greatest distance of a joint from where it was, in the first clip's units. Joints are matched by name,
/// the first root by its place.
pub(crate) fn greatest_distance(before: &Clip, after: &Clip) -> f64 {
    assert_eq!(before.frames(), after.frames());
    assert_eq!(before.rate(), after.rate());
    let factor = match (before.skeleton().space().metres(), after.skeleton().space().metres()) {
        (Some(before), Some(after)) => after / before,
        _ => 1.0,
    };
    let pairs: Vec<(usize, usize)> = before
        .skeleton()
        .iter()
        .filter(|(_, joint)| !joint.end_site)
        .map(|(id, joint)| {
            let name = joint.name.trim().replace([' ', '#'], "_");
            let found = after.skeleton().find(&name).or_else(|| (id.index() == 0).then_some(JointId(0)));
            (id.index(), found.unwrap_or_else(|| panic!("no joint '{name}'")).index())
        })
        .collect();
    let mut greatest = 0.0f64;
    let [mut local, mut a, mut b] = [Pose::default(), Pose::default(), Pose::default()];
    for frame in 0..before.frames() {
        before.local_pose(frame, &mut local);
        local.to_object(before.skeleton(), &mut a);
        after.local_pose(frame, &mut local);
        local.to_object(after.skeleton(), &mut b);
        for &(from, to) in &pairs {
            let way = a.joints[from].translation.vector - b.joints[to].translation.vector * factor;
            greatest = greatest.max(way.norm());
        }
    }
    greatest
}
