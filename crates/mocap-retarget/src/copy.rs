//! The first pass: every joint turned as the source's, the hips where the scaled source has them, and where the
//! tips of the limbs should be.

use crate::body::LimbKind;
use crate::frames::JUMP;
use crate::ground::Setting;
use crate::limb::LimbMap;
use crate::options::{Hands, Method};
use crate::retargeter::{Retargeter, mid_hip};
use crate::transfer::{Rule, twins};
use mocap_analysis::largest_step;
use mocap_model::{
    Clip, ForwardKinematics, Isometry3, JointId, Pose, Skeleton, Track, UnitQuaternion, Vector3, slerp,
};

/// The frames of the target before its limbs are solved.
pub(crate) struct Copied {
    /// Local rotations, by joint and frame.
    pub rotations: Vec<Vec<UnitQuaternion<f64>>>,
    /// Local translation of the hips.
    pub hips: Vec<Vector3<f64>>,
    /// Joints above the hips that travel, with their local translations.
    pub carriers: Vec<(JointId, Vec<Vector3<f64>>)>,
    /// The orientation of the joint above the hips, in whose frame their translation is.
    pub above_hips: Vec<UnitQuaternion<f64>>,
    /// By limb of the retargeter.
    pub limbs: Vec<LimbCourse>,
    /// Where the head is; empty where nobody asks.
    pub head: Vec<Vector3<f64>>,
}

/// What one limb needs to be solved, by frame, in object space; empty where it is left alone.
#[derive(Clone, Debug, Default)]
pub(crate) struct LimbCourse {
    /// The transform of the joint above the limb.
    pub base: Vec<Isometry3<f64>>,
    /// Where the limb begins: hip or shoulder.
    pub from: Vec<Vector3<f64>>,
    /// Where its tip should be.
    pub goal: Vec<Vector3<f64>>,
    /// The axis about which it bends the usual way.
    pub bend: Vec<Vector3<f64>>,
    /// The orientation of its tip.
    pub tip: Vec<UnitQuaternion<f64>>,
}

pub(crate) fn copied(retargeter: &Retargeter, source: &Clip, setting: &Setting) -> Copied {
    let count = source.frames();
    let mut work = Work::new(retargeter, source, setting);
    let mut copied = Copied {
        rotations: retargeter.target.joints().iter().map(|_| Vec::with_capacity(count)).collect(),
        hips: Vec::with_capacity(count),
        carriers: work.carriers.iter().map(|(id, _)| (*id, Vec::with_capacity(count))).collect(),
        above_hips: Vec::with_capacity(count),
        limbs: vec![LimbCourse::default(); retargeter.limbs.len()],
        head: Vec::new(),
    };
    let head = retargeter.target_body.head.filter(|_| retargeter.options.touch);
    for frame in 0..count {
        work.source.place(frame);
        work.turns();
        let parent = work.place_hips();
        for (track, local) in copied.rotations.iter_mut().zip(&work.local.joints) {
            track.push(local.rotation);
        }
        for (id, course) in &mut copied.carriers {
            course.push(work.local.joints[id.index()].translation.vector);
        }
        copied.hips.push(work.local.joints[retargeter.target_body.hips.index()].translation.vector);
        copied.above_hips.push(parent);
        if let Some(head) = head {
            copied.head.push(work.object.joints[head.index()].translation.vector);
        }
        for (i, limb) in retargeter.limbs.iter().enumerate() {
            if let Some(goal) = work.goal(limb) {
                let course = &mut copied.limbs[i];
                let base = retargeter.target.joint(limb.target.base).parent;
                let object = |joint: JointId| &work.object.joints[joint.index()];
                course.base.push(base.map_or(Isometry3::identity(), |parent| *object(parent)));
                course.from.push(object(limb.target.base).translation.vector);
                course.goal.push(goal);
                let leading = &work.source.at(limb.source.base).rotation;
                course.bend.push(leading * setting.bends[i]);
                course.tip.push(object(limb.target.tip).rotation);
            }
        }
    }
    copied
}

/// Buffers of one frame.
struct Work<'a> {
    retargeter: &'a Retargeter,
    setting: &'a Setting,
    /// The source in object space.
    source: ForwardKinematics<'a>,
    /// The target in local space.
    local: Pose,
    /// The target in object space.
    object: Pose,
    /// The hips and all joints below them.
    moving: Vec<JointId>,
    /// Joints above the hips, each with the joint of the source whose way it goes.
    carriers: Vec<(JointId, JointId)>,
    /// Joints outside of the chains whose limits can change anything.
    limited: Vec<bool>,
    /// Their rotations in the frame before, and the largest steps of the source's joints \[rad\].
    before: Vec<Option<UnitQuaternion<f64>>>,
    steps: Vec<f64>,
}

impl Work<'_> {
    fn new<'a>(retargeter: &'a Retargeter, source: &'a Clip, setting: &'a Setting) -> Work<'a> {
        let solved = retargeter.options.method != Method::Copy;
        let in_chain =
            |id: JointId| solved && retargeter.limbs.iter().any(|limb| limb.chain.place(id).is_some());
        let limited = retargeter.target.iter().map(|(id, _)| {
            retargeter.limits && !retargeter.constraints[id.index()].is_free() && !in_chain(id)
        });
        let limited: Vec<bool> = limited.collect();
        let step = |joint: JointId| largest_step(source, [joint]).map_or(0.0, |step| step.angle);
        let steps = setting.rules.iter().zip(&limited).map(|(rule, limited)| match rule {
            Rule::Follow { source, .. } if *limited => step(*source),
            Rule::Between { sources: [a, b], .. } if *limited => step(*a).max(step(*b)),
            _ => 0.0,
        });
        let steps = steps.collect();
        Work {
            retargeter,
            setting,
            source: ForwardKinematics::of_joints(source, &leading(retargeter, source, setting)),
            local: Pose::rest(&retargeter.target),
            object: Pose::rest(&retargeter.target),
            limited,
            before: vec![None; retargeter.target.len()],
            steps,
            carriers: carriers(retargeter, source),
            moving: retargeter.target.subtree(retargeter.target_body.hips),
        }
    }

    /// Turns every joint by its rule.
    fn turns(&mut self) {
        let retargeter = self.retargeter;
        // Where the hips were in the frame before must not show, not even by rounding.
        self.local.joints[retargeter.target_body.hips.index()].translation = Vector3::zeros().into();
        for (id, joint) in retargeter.target.iter() {
            let at = id.index();
            let parent =
                joint.parent.map_or(Isometry3::identity(), |parent| self.object.joints[parent.index()]);
            let turned =
                |source: &JointId, frame: &UnitQuaternion<f64>| self.source.at(*source).rotation * frame;
            let mut local = match &self.setting.rules[at] {
                Rule::Rest(local) => *local,
                Rule::Follow { source, frame } => parent.rotation.inverse() * turned(source, frame),
                Rule::Between { sources: [a, b], frames: [in_a, in_b], share } => {
                    parent.rotation.inverse() * slerp(&turned(a, in_a), &turned(b, in_b), *share)
                }
            };
            if self.limited[at] {
                // Limits may have two nearest rotations, and which is nearer changes at once.
                let constraint = &retargeter.constraints[at];
                let allowed = constraint.project(&local).0;
                local = match self.before[at] {
                    Some(before) => constraint.slerp_towards(&before, &allowed, self.steps[at] + JUMP),
                    None => allowed,
                };
                self.before[at] = Some(local);
            }
            self.local.joints[at].rotation = UnitQuaternion::new_normalize(local.into_inner());
            if let Some((_, source)) = self.carriers.iter().find(|(carrier, _)| *carrier == id) {
                let scaled = self.source.at(*source).translation.vector * self.travel();
                let place = parent.inverse_transform_point(&scaled.into());
                self.local.joints[at].translation = place.coords.into();
            }
            self.object.joints[at] = parent * self.local.joints[at];
        }
    }

    /// Moves the hips, and all that hangs on them, to where the scaled source has them. Returns the orientation
    /// of the joint above the hips.
    fn place_hips(&mut self) -> UnitQuaternion<f64> {
        let shift = self.shift();
        for id in &self.moving {
            self.object.joints[id.index()].translation.vector += shift;
        }
        let hips = self.retargeter.target_body.hips;
        let place = self.object.joints[hips.index()].translation.vector;
        let parent = self.retargeter.target.joint(hips).parent;
        let parent = parent.map_or(Isometry3::identity(), |parent| self.object.joints[parent.index()]);
        self.local.joints[hips.index()].translation =
            parent.inverse_transform_point(&place.into()).coords.into();
        parent.rotation
    }

    /// How much longer ways are on the target.
    fn travel(&self) -> f64 {
        let Retargeter { ratios, options, .. } = self.retargeter;
        if options.method == Method::Scale { ratios.leg } else { ratios.unit }
    }

    /// How far the hips have to move.
    fn shift(&self) -> Vector3<f64> {
        let Retargeter { source_body, target_body, ratios, directions, options, .. } = self.retargeter;
        let position = |joint: JointId| self.source.at(joint).translation.vector;
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
        let source = |joint: JointId| self.source.at(joint).translation.vector;
        let target = |joint: JointId| self.object.joints[joint.index()].translation.vector;
        let reach = source(limb.source.tip) - source(limb.source.base);
        let base = target(limb.target.base);
        match (options.method, limb.target.kind, options.hands) {
            (Method::Copy, ..) => None,
            (Method::Effectors, ..) => Some(source(limb.source.tip) * ratios.unit),
            (Method::Scale, LimbKind::Leg, _) => Some(base + reach * ratios.leg),
            (Method::Scale, LimbKind::Arm, Hands::Scale) => Some(base + reach * limb.ratio),
            (Method::Scale, LimbKind::Arm, Hands::Keep) => {
                let from_hips = source(limb.source.tip) - mid_hip(source_body, source);
                Some(mid_hip(target_body, target) + from_hips * ratios.leg)
            }
            (Method::Scale, LimbKind::Arm, Hands::Off) => None,
        }
    }
}

/// Joints above the hips that both skeletons have and that move in the source: a root that travels along (the joint
/// of the target, of the source).
fn carriers(retargeter: &Retargeter, source: &Clip) -> Vec<(JointId, JointId)> {
    let Retargeter { target, source_body, target_body, .. } = retargeter;
    let above =
        |skeleton: &Skeleton, hips: JointId, id: JointId| id != hips && skeleton.is_in_subtree(hips, id);
    let moves = |id: JointId| {
        let tracks = &source.tracks()[id.index()];
        tracks.translation.is_some() || matches!(tracks.rotation, Track::Sampled(_))
    };
    let mut found = twins((source.skeleton(), source_body), (target, target_body));
    found.retain(|(joint, twin)| {
        above(target, target_body.hips, *joint)
            && above(source.skeleton(), source_body.hips, *twin)
            && moves(*twin)
    });
    found
}

/// The joints of the source that lead the target.
fn leading(retargeter: &Retargeter, source: &Clip, setting: &Setting) -> Vec<JointId> {
    let mut joints = vec![retargeter.source_body.hips];
    joints.extend(carriers(retargeter, source).into_iter().map(|(_, twin)| twin));
    for limb in retargeter.source_body.limbs.iter().flatten() {
        joints.extend([limb.base, limb.tip]);
    }
    for rule in &setting.rules {
        match rule {
            Rule::Rest(_) => {}
            Rule::Follow { source, .. } => joints.push(*source),
            Rule::Between { sources, .. } => joints.extend(sources),
        }
    }
    joints
}
