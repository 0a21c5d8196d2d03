//! How far two motions differ in what moves no joint: scale tracks, and numbers over time such as the weights of shapes.

use mocap_model::{Clip, JointId, Vector3};

/// The largest differences of scales and numbers, in frames that both motions have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BesideJoints {
    /// The joint whose scales differ most, and by how much.
    pub scale: Option<(String, f64)>,
    /// The number over time that differs most, and by how much. One that a motion lacks is 0 there.
    pub number: Option<(String, f64)>,
}

impl BesideJoints {
    /// Of two motions of one skeleton.
    ///
    /// ```
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// let same = mocap_analysis::BesideJoints::of(&clip, &clip);
    /// assert_eq!((same.scale, same.number), (None, None));
    /// ```
    pub fn of(a: &Clip, b: &Clip) -> BesideJoints {
        /// Smaller differences are not seen.
        const SAME: f64 = 1e-3;
        let frames = a.frames().min(b.frames());
        let worst = |found: Vec<(&str, f64)>| {
            let most = found.into_iter().max_by(|x, y| x.1.total_cmp(&y.1));
            most.filter(|(_, by)| *by > SAME).map(|(name, by)| (name.to_owned(), by))
        };
        let scale = |clip: &Clip, joint: JointId, frame: usize| match clip.track(joint).scale.is_some() {
            true => clip.scale(joint, frame),
            false => Vector3::repeat(1.0),
        };
        let scales = a.skeleton().iter().filter_map(|(id, joint)| {
            let other = b.skeleton().find(&joint.name)?;
            let is_scaled = a.track(id).scale.is_some() || b.track(other).scale.is_some();
            let far = |frame| (scale(a, id, frame) - scale(b, other, frame)).amax();
            is_scaled.then(|| (joint.name.as_str(), (0..frames).map(far).fold(0.0, f64::max)))
        });
        let [ours, theirs] = [a, b].map(|clip| &clip.annotations().scalars);
        let names = ours.iter().chain(theirs).map(|track| track.name.as_str());
        let numbers = names.map(|name| {
            let both = [ours, theirs].map(|all| all.iter().find(|track| track.name == name));
            let far = |frame| {
                let [own, other] = both.map(|track| track.map_or(0.0, |track| track.values.at(frame)));
                f64::abs(own - other)
            };
            (name, (0..frames).map(far).fold(0.0, f64::max))
        });
        BesideJoints { scale: worst(scales.collect()), number: worst(numbers.collect()) }
    }
}
