//! Clips with fewer joints.

use crate::{Clip, Dofs, Joint, JointId, JointTracks, ModelError, Pose, Skeleton, Track};
use nalgebra::Isometry3;
use std::borrow::Cow;
use std::sync::Arc;

impl Clip {
    /// The motion of only some joints. A joint whose parent is left out moves to the nearest
    /// ancestor that is kept, and stays where it was in object space; an end site stays with its
    /// joint. Scale tracks stay; but if a joint with one is left out and a joint below it is kept, all become
    /// translations, as in [`Clip::without_scale`]: the scale of one joint cannot stand for that of two.
    ///
    /// ```
    /// use mocap_model::*;
    /// use std::sync::Arc;
    ///
    /// let joint = |name: &str, parent: Option<u32>| Joint::new(name, parent.map(JointId), Vector3::y());
    /// let joints = vec![joint("hips", None), joint("spine", Some(0)), joint("head", Some(1))];
    /// let skeleton = Arc::new(Skeleton::new("", Space::default(), joints)?);
    /// let clip = Clip::at_rest(skeleton, FrameRate::new(30.0).unwrap());
    /// let part = clip.with_only_joints(|joint| joint.name != "spine")?;
    /// assert_eq!(part.skeleton().joint(JointId(1)).offset, Vector3::y() * 2.0);
    /// # Ok::<(), ModelError>(())
    /// ```
    ///
    /// # Errors
    /// [`ModelError::NoJoints`] if no joint is kept.
    pub fn with_only_joints(&self, keep: impl Fn(&Joint) -> bool) -> Result<Clip, ModelError> {
        self.with_only(|_, joint| keep(joint))
    }

    /// The motion of a joint and all joints below it, as [`Clip::with_only_joints`].
    ///
    /// # Errors
    /// As [`Clip::with_only_joints`].
    pub fn with_only_below(&self, root: JointId) -> Result<Clip, ModelError> {
        let mut below = vec![false; self.skeleton().len()];
        for (id, joint) in self.skeleton().iter() {
            below[id.index()] = id == root || joint.parent.is_some_and(|parent| below[parent.index()]);
        }
        self.with_only(|id, _| below[id.index()])
    }

    fn with_only(&self, keep: impl Fn(JointId, &Joint) -> bool) -> Result<Clip, ModelError> {
        let skeleton = self.skeleton();
        let mut kept = vec![false; skeleton.len()];
        for (id, joint) in skeleton.iter() {
            kept[id.index()] = match joint.parent.filter(|_| joint.end_site) {
                Some(parent) => kept[parent.index()],
                None => keep(id, joint),
            };
        }
        if kept.iter().all(|kept| *kept) {
            return Ok(self.clone());
        }
        let mut carries = vec![false; skeleton.len()];
        for (id, joint) in skeleton.iter().rev() {
            if let (true, Some(parent)) = (kept[id.index()] || carries[id.index()], joint.parent) {
                carries[parent.index()] = true;
            }
        }
        let stretches = |(id, _): (JointId, &Joint)| {
            !kept[id.index()] && carries[id.index()] && self.track(id).scale.is_some()
        };
        let source = if skeleton.iter().any(stretches) { self.without_scale()? } else { Cow::Borrowed(self) };
        let rest = Pose::rest(skeleton);
        let mut places: Vec<Option<JointId>> = vec![None; skeleton.len()];
        let (mut joints, mut tracks) = (Vec::new(), Vec::new());
        for (id, joint) in skeleton.iter().filter(|(id, _)| kept[id.index()]) {
            places[id.index()] = Some(JointId::from(joints.len()));
            // The removed joints between this joint and its next kept ancestor, from the joint upwards.
            let mut between = Vec::new();
            let mut above = joint.parent;
            while let Some(parent) = above.filter(|parent| !kept[parent.index()]) {
                between.push(parent);
                above = skeleton.joint(parent).parent;
            }
            let parent = above.and_then(|above| places[above.index()]);
            if between.is_empty() {
                joints.push(Joint { parent, ..joint.clone() });
                tracks.push(source.track(id).clone());
                continue;
            }
            let through = |local: &dyn Fn(JointId) -> Isometry3<f64>| {
                between.iter().fold(local(id), |placed, above| local(*above) * placed)
            };
            let at_rest = through(&|id: JointId| rest.joints[id.index()]);
            let dofs =
                Dofs { frame: joint.dofs.frame, limits: joint.dofs.limits, ..Dofs::free(joint.dofs.order) };
            let (offset, rest_rotation) = (at_rest.translation.vector, at_rest.rotation);
            joints.push(Joint { parent, offset, rest_rotation, dofs, ..joint.clone() });
            let placed: Vec<Isometry3<f64>> =
                (0..self.frames()).map(|frame| through(&|id| source.local(id, frame))).collect();
            let rotation = Track::from_samples(placed.iter().map(|place| place.rotation).collect());
            let translation =
                Track::from_samples(placed.iter().map(|place| place.translation.vector).collect());
            let rotation = rotation.unwrap_or(Track::Constant(rest_rotation));
            tracks.push(JointTracks { rotation, translation, scale: source.track(id).scale.clone() });
        }
        let chains = skeleton.chains().iter().filter_map(|chain| {
            let (base, tip) = (places[chain.base.index()]?, places[chain.tip.index()]?);
            Some(crate::Chain { base, tip, ..chain.clone() })
        });
        let couplings = skeleton.couplings().iter();
        let couplings =
            couplings.filter_map(|coupling| coupling.with_joints(|id| places[id.index()])).collect();
        let part = Skeleton::new(skeleton.name(), *skeleton.space(), joints)?
            .with_chains(chains.collect())?
            .with_couplings(couplings)?;
        Clip::new(Arc::new(part), self.rate(), self.frames(), tracks)?
            .with_annotations(self.annotations().clone())
    }
}

#[cfg(test)]
mod tests {
    use crate::*;
    use std::sync::Arc;

    #[test]
    fn joints_that_are_kept_stay_where_they_were() {
        let joint = |name: &str, parent: Option<u32>| {
            Joint::new(name, parent.map(JointId), Vector3::new(0.1, 1.0, 0.0))
        };
        let end = Joint { end_site: true, ..joint("tip", Some(3)) };
        let joints =
            vec![joint("root", None), joint("a", Some(0)), joint("b", Some(1)), joint("c", Some(2)), end];
        let skeleton = Arc::new(Skeleton::new("", Space::default(), joints).unwrap());
        let turn = |joint: usize| {
            let at = move |frame: usize| exp(&Vector3::new(0.1 * frame as f64, joint as f64 * 0.3, -0.2));
            JointTracks::new(Track::Sampled((0..5).map(at).collect()), None)
        };
        let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 5, (0..5).map(turn).collect()).unwrap();
        let part = clip.with_only_joints(|joint| ["root", "c"].contains(&joint.name.as_str())).unwrap();
        let names: Vec<&str> = part.skeleton().joints().iter().map(|joint| joint.name.as_str()).collect();
        assert_eq!(names, ["root", "c", "tip"]);
        let (mut whole, mut fewer) = (ForwardKinematics::new(&clip), ForwardKinematics::new(&part));
        for frame in 0..5 {
            whole.place(frame);
            fewer.place(frame);
            for (a, b) in [(0, 0), (3, 1), (4, 2)] {
                let (a, b) = (whole.at(JointId(a)), fewer.at(JointId(b)));
                assert!((a.translation.vector - b.translation.vector).norm() < 1e-12);
                assert!(angle_between(&a.rotation, &b.rotation) < 1e-9);
            }
        }
        // Without the root, the first kept joint becomes the root.
        let above = clip.with_only_joints(|joint| joint.name == "a").unwrap();
        assert_eq!(above.skeleton().joint(JointId(0)).parent, None);
        assert_eq!(clip.with_only_joints(|_| false), Err(ModelError::NoJoints));
        assert_eq!(clip.with_only_joints(|_| true).unwrap(), clip);
    }

    /// Joints keep their places under scales; scales are kept unless joints are left out that pass one on.
    #[test]
    fn scales_stay_where_no_joint_that_passes_one_on_is_left_out() {
        let joint = |name: &str, parent: Option<u32>| {
            Joint::new(name, parent.map(JointId), Vector3::new(0.1, 1.0, 0.2))
        };
        let joints = vec![
            joint("root", None),
            joint("a", Some(0)),
            joint("b", Some(1)),
            joint("c", Some(2)),
            joint("d", Some(3)),
        ];
        let skeleton = Arc::new(Skeleton::new("", Space::default(), joints).unwrap());
        let turn = |joint: usize| {
            let at = move |frame: usize| exp(&Vector3::new(0.1 * frame as f64, joint as f64 * 0.3, -0.2));
            JointTracks::new(Track::Sampled((0..5).map(at).collect()), None)
        };
        let mut tracks: Vec<JointTracks> = (0..5).map(turn).collect();
        let grow = |frame: usize| Vector3::new(1.0 + 0.1 * frame as f64, 1.0, 0.7);
        tracks[1].scale = Some(Track::Sampled((0..5).map(grow).collect()));
        tracks[3].scale = Some(Track::Constant(Vector3::new(1.0, 2.0, 1.0)));
        let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 5, tracks).unwrap();
        let scaled = |names: &[&str]| -> Vec<bool> {
            let part = clip.with_only_joints(|joint| names.contains(&joint.name.as_str())).unwrap();
            let (mut whole, mut fewer) = (ForwardKinematics::new(&clip), ForwardKinematics::new(&part));
            for frame in 0..5 {
                whole.place(frame);
                fewer.place(frame);
                for (id, joint) in part.skeleton().iter() {
                    let off = fewer.position(id) - whole.position(clip.skeleton().find(&joint.name).unwrap());
                    assert!(off.norm() < 1e-12, "{names:?}: {}, frame {frame}", joint.name);
                }
            }
            part.tracks().iter().map(|tracks| tracks.scale.is_some()).collect()
        };
        assert_eq!(scaled(&["root", "a", "b", "c"]), [false, true, false, true]);
        assert_eq!(scaled(&["root", "a", "c", "d"]), [false, true, true, false]);
        assert_eq!(scaled(&["root", "a", "b"]), [false, true, false]);
        assert_eq!(scaled(&["root", "b", "c", "d"]), [false; 4]);
    }
}
