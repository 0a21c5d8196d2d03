//! Frame by frame: adapt the root, copy the turns, adapt the effectors, solve the limbs.
//!
//! Based on: C.-Y. Yang, T.-Y. Chang, M.-H. Chao, "Motion Retargeting with Geometry Scaling", 2002. Here lengths
//! scale about the middle of the hip joints and not about the root joint: what lies between the two has its
//! own length on the target, and scaling it puts goals out of reach.

use crate::body::LimbKind;
use crate::error::RetargetError;
use crate::ground::Setting;
use crate::limb::LimbMap;
use crate::options::{Hands, Method};
use crate::retargeter::{Retargeter, mid_hip};
use crate::transfer::Rule;
use mocap_ik::{Outcome, PosedChain, Status};
use mocap_model::{
    Clip, Isometry3, JointId, JointTracks, Pose, Skeleton, Track, UnitQuaternion, Vector3, slerp,
};

/// A limb reaches its goal within this share of its length.
const REACHED: f64 = 1e-6;

/// How one limb was solved in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solve {
    /// Distance of the effector from its goal [units of the target].
    pub error: f64,
    pub reachable: bool,
}

/// The motion of the target and, by limb of the retargeter, how each frame was solved (nothing where the
/// method or the options leave a limb alone).
pub(crate) fn frames(
    retargeter: &Retargeter,
    source: &Clip,
    setting: &Setting,
) -> Result<(Clip, Vec<Vec<Solve>>), RetargetError> {
    let count = source.frames();
    let mut work = Work::new(retargeter, setting);
    let mut rotations: Vec<Vec<UnitQuaternion<f64>>> =
        retargeter.target.joints().iter().map(|_| Vec::with_capacity(count)).collect();
    let mut root = Vec::with_capacity(count);
    let mut solves = vec![Vec::new(); retargeter.limbs.len()];
    for frame in 0..count {
        source.local_pose(frame, &mut work.source_local);
        work.source_local.to_object(source.skeleton(), &mut work.source);
        work.turns_and_root();
        for i in 0..retargeter.limbs.len() {
            if let Some(solve) = work.limb(i)? {
                solves[i].push(solve);
            }
        }
        for (track, local) in rotations.iter_mut().zip(&work.local.joints) {
            track.push(local.rotation);
        }
        root.push(work.local.joints[retargeter.target_body.hips.index()].translation.vector);
    }
    let mut root = Track::from_samples(root);
    let tracks = rotations.into_iter().zip(retargeter.target.iter()).map(|(rotation, (id, joint))| {
        let translation = if id == retargeter.target_body.hips { root.take() } else { None };
        let rotation = Track::from_samples(rotation).unwrap_or(Track::Constant(joint.rest_rotation));
        JointTracks { rotation, translation }
    });
    let tracks = tracks.collect();
    Ok((Clip::new(retargeter.target.clone(), source.rate(), count, tracks)?, solves))
}

/// Buffers of one frame.
struct Work<'a> {
    retargeter: &'a Retargeter,
    setting: &'a Setting,
    source_local: Pose,
    /// The source in object space.
    source: Pose,
    /// The target in local space.
    local: Pose,
    /// The target in object space; joints in limbs and below them only as copied.
    object: Pose,
    chains: Vec<PosedChain>,
    ik: mocap_ik::Options,
    /// The hips and all joints below them.
    moving: Vec<JointId>,
    /// Whether limits can change anything in the trunk.
    limited: Vec<bool>,
}

impl Work<'_> {
    fn new<'a>(retargeter: &'a Retargeter, setting: &'a Setting) -> Work<'a> {
        let chains: Vec<PosedChain> = retargeter.limbs.iter().map(|limb| limb.chain.clone()).collect();
        let solved = retargeter.options.method != Method::Copy;
        let in_chain = |id: JointId| solved && chains.iter().any(|chain| chain.place(id).is_some());
        let limited = retargeter.target.iter().map(|(id, _)| {
            retargeter.options.limits && !retargeter.constraints[id.index()].is_free() && !in_chain(id)
        });
        Work {
            retargeter,
            setting,
            source_local: Pose::default(),
            source: Pose::default(),
            local: Pose::rest(&retargeter.target),
            object: Pose::rest(&retargeter.target),
            limited: limited.collect(),
            chains,
            ik: mocap_ik::Options {
                position_tolerance: REACHED,
                limits: retargeter.options.limits,
                ..mocap_ik::Options::default()
            },
            moving: below(&retargeter.target, retargeter.target_body.hips),
        }
    }

    /// Turns every joint by its rule and puts the hips where the scaled source has them.
    fn turns_and_root(&mut self) {
        let retargeter = self.retargeter;
        for (id, joint) in retargeter.target.iter() {
            let at = id.index();
            let parent =
                joint.parent.map_or(Isometry3::identity(), |parent| self.object.joints[parent.index()]);
            let turned = |source: &JointId, frame: &UnitQuaternion<f64>| {
                self.source.joints[source.index()].rotation * frame
            };
            let mut local = match &self.setting.rules[at] {
                Rule::Rest(local) => *local,
                Rule::Follow { source, frame } => parent.rotation.inverse() * turned(source, frame),
                Rule::Between { sources: [a, b], frames: [in_a, in_b], share } => {
                    parent.rotation.inverse() * slerp(&turned(a, in_a), &turned(b, in_b), *share)
                }
            };
            if self.limited[at] {
                local = retargeter.constraints[at].project(&local).0;
            }
            let local = UnitQuaternion::new_normalize(local.into_inner());
            self.local.joints[at].rotation = local;
            self.object.joints[at] = parent * self.local.joints[at];
        }
        let shift = self.shift();
        for id in &self.moving {
            self.object.joints[id.index()].translation.vector += shift;
        }
        let hips = retargeter.target_body.hips;
        let place = self.object.joints[hips.index()].translation.vector;
        let parent = retargeter.target.joint(hips).parent;
        let parent = parent.map_or(Isometry3::identity(), |parent| self.object.joints[parent.index()]);
        self.local.joints[hips.index()].translation =
            parent.inverse_transform_point(&place.into()).coords.into();
    }

    /// How far the hips have to move to be where the scaled source has them.
    fn shift(&self) -> Vector3<f64> {
        let Retargeter { source_body, target_body, ratios, directions, options, .. } = self.retargeter;
        let position = |joint: JointId| self.source.joints[joint.index()].translation.vector;
        let posed = |joint: JointId| self.object.joints[joint.index()].translation.vector;
        if options.method != Method::Scale {
            return position(source_body.hips) * ratios.unit - posed(target_body.hips);
        }
        // Only what stands above the ankle scales with the leg; the foot below has its own height.
        let middle = mid_hip(source_body, position);
        let up = directions.up;
        let height = middle.dot(&up);
        let level = (middle - up * height) * ratios.leg;
        let above_ankle = (height - self.setting.floor - self.setting.ankle) * ratios.leg;
        let height = self.setting.target_floor + self.setting.target_ankle + above_ankle;
        level + up * height - mid_hip(target_body, posed)
    }

    /// The place of a limb's tip; `None` where the limb is left alone.
    fn goal(&self, limb: &LimbMap) -> Option<Vector3<f64>> {
        let Retargeter { ratios, options, source_body, target_body, .. } = self.retargeter;
        let source = |joint: JointId| self.source.joints[joint.index()].translation.vector;
        let target = |joint: JointId| self.object.joints[joint.index()].translation.vector;
        let reach = source(limb.source.tip) - source(limb.source.base);
        let base = target(limb.target.base);
        match (options.method, limb.target.kind, options.hands) {
            (Method::Copy, ..) => None,
            (Method::Effectors, ..) => Some(source(limb.source.tip) * ratios.unit),
            (Method::Scale, LimbKind::Leg, _) => Some(base + reach * ratios.leg),
            (Method::Scale, LimbKind::Arm, Hands::Scale) => Some(base + reach * ratios.arm?),
            (Method::Scale, LimbKind::Arm, Hands::Keep) => {
                let from_hips = source(limb.source.tip) - mid_hip(source_body, source);
                Some(mid_hip(target_body, target) + from_hips * ratios.leg)
            }
            (Method::Scale, LimbKind::Arm, Hands::Off) => None,
        }
    }

    fn limb(&mut self, i: usize) -> Result<Option<Solve>, RetargetError> {
        let retargeter = self.retargeter;
        let limb = &retargeter.limbs[i];
        let Some(goal) = self.goal(limb) else { return Ok(None) };
        let base = retargeter.target.joint(limb.target.base).parent;
        let base = base.map_or(Isometry3::identity(), |parent| self.object.joints[parent.index()]);
        let chain = &mut self.chains[i];
        chain.read_at(base, &self.local)?;
        let bend = self.source.joints[limb.source.base.index()].rotation * self.setting.bends[i];
        let outcome: Outcome = limb.solve(chain, goal, bend, retargeter.options.solver, &self.ik)?;
        chain.write(&mut self.local)?;
        // The tip keeps the turn of the source, whatever the limb above it does.
        let tip = limb.target.tip.index();
        if let Rule::Follow { .. } = self.setting.rules[tip]
            && let Some(parent) = retargeter.target.joint(limb.target.tip).parent
            && let Some(place) = chain.place(parent)
        {
            let wished = self.object.joints[tip].rotation;
            let local = chain.chain.frames()[place].inverse() * wished;
            self.local.joints[tip].rotation = match self.limited[tip] {
                true => retargeter.constraints[tip].project(&local).0,
                false => UnitQuaternion::new_normalize(local.into_inner()),
            };
        }
        Ok(Some(Solve { error: outcome.position, reachable: outcome.status != Status::Unreachable }))
    }
}

/// A joint and all joints below it.
fn below(skeleton: &Skeleton, top: JointId) -> Vec<JointId> {
    let mut is_below = vec![false; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        is_below[id.index()] = id == top || joint.parent.is_some_and(|parent| is_below[parent.index()]);
    }
    skeleton.iter().map(|(id, _)| id).filter(|id| is_below[id.index()]).collect()
}
