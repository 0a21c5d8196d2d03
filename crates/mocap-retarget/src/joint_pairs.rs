//! Joint pairs without roles: retargets to skeletons that are not bipeds, by pairs of joints that the user gives.
//!
//! Uses the transfer stage with its own rules: each paired joint rotates, in object space, as its partner has
//! rotated since the rest pose. The uppermost paired joint follows its partner's position, scaled by the ratio of
//! the skeletons' sizes. Limbs are not solved and feet are not locked. Limits and steps are measured as for a
//! body.

use crate::error::{RetargetError, RetargetWarning, SourceOrTarget};
use crate::joint_transfer::{JointLimit, JointRules, JointTransfer};
use crate::largest_steps::{SourceSteps, StepRow};
use crate::measure::exceeded_limits;
use crate::options::RetargetOptions;
use crate::pair::{LimbRatios, base_pose};
use crate::report::{MappingRow, RetargetReport};
use crate::transfer_rules::{JointPair, TransferRule};
use mocap_analysis::{largest_step, metres_per_unit};
use mocap_ik::Constraint;
use mocap_model::{Clip, JointId, LANES, PlacedJoints, Pose, Role, Skeleton, Space, Vector3};
use std::sync::Arc;

/// Retargets a motion to a target of any kind, by pairs (joint of the source, joint of the target).
///
/// Of the options only limits and rest poses apply. The report has no feet, effectors or angles.
///
/// # Errors
/// If no pairs are given, a joint of the target is paired twice, or a rest pose is of another skeleton.
///
/// ```
/// # let walk = include_bytes!("../../../fixtures/clips/alex_walk.bvh");
/// # let document = mocap_formats::bvh::parse(walk, &Default::default())?.value;
/// # let clip = mocap_formats::bvh::to_clip(&document, &Default::default())?.value;
/// use mocap_retarget::{RetargetOptions, retarget_joint_pairs};
///
/// // Any two skeletons will do; here the target is the source.
/// let target = clip.skeleton();
/// let pairs = [(target.roots().next().unwrap(), target.roots().next().unwrap())];
/// let (motion, report) = retarget_joint_pairs(&clip, target, &pairs, &RetargetOptions::default())?;
/// assert_eq!(motion.frames(), clip.frames());
/// assert!(report.feet.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn retarget_joint_pairs(
    clip: &Clip,
    target: &Skeleton,
    pairs: &[(JointId, JointId)],
    options: &RetargetOptions,
) -> Result<(Clip, RetargetReport), RetargetError> {
    let paired = PairedJoints::new(clip, target, pairs, options)?;
    let motion = paired.transfer(target)?;
    let report = paired.report(&motion, pairs, options);
    Ok((motion, report))
}

/// A clip, two skeletons and their joint pairs, prepared before the first frame.
struct PairedJoints {
    /// In the axes of the target.
    source: Clip,
    /// By joint of the target.
    rules: Vec<TransferRule>,
    limits: Vec<Option<JointLimit>>,
    constraints: Vec<Constraint>,
    /// The uppermost pair.
    root: JointPair,
    target_base: Pose,
    ratios: LimbRatios,
    metres: [f64; 2],
}

impl PairedJoints {
    fn new(
        clip: &Clip,
        target: &Skeleton,
        pairs: &[(JointId, JointId)],
        options: &RetargetOptions,
    ) -> Result<PairedJoints, RetargetError> {
        let axes = Space { unit: clip.skeleton().space().unit, ..*target.space() };
        let source_base =
            base_pose(clip.skeleton(), &options.source_rest, Some(axes), SourceOrTarget::Source)?;
        let target_base = base_pose(target, &options.target_rest, None, SourceOrTarget::Target)?;
        let clip = clip.in_space(axes)?;
        let source = clip.skeleton();
        let partner = partners(source.len(), target.len(), pairs)?;
        let root = partner
            .iter()
            .enumerate()
            .find_map(|(to, from)| Some(JointPair { source: (*from)?, target: JointId::from(to) }));
        let object = |pose: &Pose, skeleton: &Skeleton| {
            let mut object = Pose::default();
            pose.to_object(skeleton, &mut object);
            object
        };
        let (source_rest, target_rest) = (object(&source_base, source), object(&target_base, target));
        let metres = [source, target].map(metres_per_unit);
        let unit = metres[0] / metres[1];
        let scale = size_ratio(target, &partner, &source_rest, &target_rest).unwrap_or(unit);
        if !(scale.is_finite() && scale > 0.0) {
            return Err(RetargetError::Extreme { which: SourceOrTarget::Target });
        }
        let rules = partner.iter().enumerate().map(|(to, from)| match from {
            Some(source) => TransferRule::FollowPair {
                source: *source,
                frame: source_rest.joints[source.index()].rotation.inverse()
                    * target_rest.joints[to].rotation,
            },
            None => TransferRule::Unpaired(target_base.joints[to].rotation),
        });
        let constraints: Vec<Constraint> = target.joints().iter().map(Constraint::of).collect();
        // Without a velocity limit.
        let limit = |constraint: &Constraint| JointLimit {
            constraint: *constraint,
            step: f64::INFINITY,
            before: None,
        };
        let limits = constraints.iter().zip(&partner);
        let limits = limits
            .map(|(constraint, from)| from.filter(|_| options.limits).map(|_| limit(constraint)))
            .collect();
        Ok(PairedJoints {
            source: clip,
            rules: rules.collect(),
            limits,
            constraints,
            root: root.ok_or(RetargetError::Pairs)?,
            target_base,
            ratios: LimbRatios { leg: scale, arm: None, unit },
            metres,
        })
    }

    /// The motion of the target.
    fn transfer(&self, target: &Skeleton) -> Result<Clip, RetargetError> {
        let source = &self.source;
        let driving = self.rules.iter().flat_map(TransferRule::sources).copied();
        let placed = PlacedJoints::of(source, driving);
        let root = [self.root];
        let (rules, scale) = (&self.rules, self.ratios.leg);
        let rules = JointRules { target, rules, root_motion: &root, scale, turned_later: &[] };
        let mut joints = JointTransfer::new(rules, self.limits.clone(), &self.target_base, &[], &[]);
        let mut trajectories = rules.trajectories(source.frames(), |_| source.frames());
        for block in 0..source.frames().div_ceil(LANES) {
            let count = LANES.min(source.frames() - block * LANES);
            joints.append(&placed, block, count, &mut trajectories);
        }
        let skeleton = Arc::new(target.clone());
        Ok(trajectories.into_clip(skeleton, &self.target_base, source.rate(), source.frames())?)
    }

    fn report(
        &self,
        motion: &Clip,
        pairs: &[(JointId, JointId)],
        options: &RetargetOptions,
    ) -> RetargetReport {
        let source = &self.source;
        let mut warnings = vec![RetargetWarning::NoBody { pairs: pairs.len() }];
        if motion.frames() == 0 {
            warnings.push(RetargetWarning::NoFrames);
        }
        let rows = self.rules.iter().zip(motion.skeleton().iter()).filter_map(|(rule, (target, _))| {
            let source = *rule.sources().first()?;
            Some(StepRow { target, source: Some(source), role: role_of(options, target) })
        });
        let rows: Vec<StepRow> = rows.collect();
        let moving = rows.iter().filter(|row| largest_step(motion, [row.target]).is_some());
        let sources: Vec<JointId> = moving.filter_map(|row| row.source).collect();
        let steps = SourceSteps::new(source.into(), motion.skeleton(), rows, &sources);
        RetargetReport {
            lead_in: 0,
            frames: motion.frames(),
            scale: self.ratios,
            metres: self.metres,
            mapping: mapping(pairs, options, source.skeleton(), motion.skeleton()),
            effectors: Vec::new(),
            feet: Vec::new(),
            hands: Vec::new(),
            self_contacts: Vec::new(),
            limits: exceeded_limits(&self.constraints, motion.into(), options.limits),
            angles: Vec::new(),
            jerk_ratio: None,
            largest_step: steps.report(motion.into()),
            surface: None,
            partners: None,
            held_arm_inside: None,
            balance: None,
            floor: [0.0; 2],
            warnings,
        }
    }
}

/// By joint of the target, its partner.
fn partners(
    source: usize,
    target: usize,
    pairs: &[(JointId, JointId)],
) -> Result<Vec<Option<JointId>>, RetargetError> {
    let mut partner: Vec<Option<JointId>> = vec![None; target];
    for (from, to) in pairs {
        if from.index() >= source || to.index() >= target || partner[to.index()].is_some() {
            return Err(RetargetError::Pairs);
        }
        partner[to.index()] = Some(*from);
    }
    if pairs.is_empty() { Err(RetargetError::Pairs) } else { Ok(partner) }
}

/// The role of a paired joint, if the map gives it one.
fn role_of(options: &RetargetOptions, joint: JointId) -> Option<Role> {
    options.target_roles.as_ref()?.role(joint)
}

/// The pairs that have a role; rows of the report are named by roles.
fn mapping(
    pairs: &[(JointId, JointId)],
    options: &RetargetOptions,
    source: &Skeleton,
    target: &Skeleton,
) -> Vec<MappingRow> {
    let row = |(from, to): &(JointId, JointId)| {
        Some(MappingRow {
            role: role_of(options, *to)?,
            source: Some(source.joint(*from).name.clone()),
            target: Some(target.joint(*to).name.clone()),
        })
    };
    pairs.iter().filter_map(row).collect()
}

/// Size of the target over size of the source: the ratio of the sums of distances from each paired joint to the
/// next paired joint above it. `None` if one of the sums is 0.
fn size_ratio(
    target: &Skeleton,
    partner: &[Option<JointId>],
    source_rest: &Pose,
    target_rest: &Pose,
) -> Option<f64> {
    let place = |pose: &Pose, id: JointId| -> Vector3<f64> { pose.joints[id.index()].translation.vector };
    let (mut was, mut is) = (0.0, 0.0);
    let mut above: Vec<Option<JointId>> = Vec::with_capacity(target.len());
    for (id, joint) in target.iter() {
        let over = joint.parent.and_then(|parent| above[parent.index()]);
        if let (Some(from), Some(over)) = (partner[id.index()], over)
            && let Some(from_over) = partner[over.index()]
        {
            was += (place(source_rest, from) - place(source_rest, from_over)).norm();
            is += (place(target_rest, id) - place(target_rest, over)).norm();
        }
        above.push(if partner[id.index()].is_some() { Some(id) } else { over });
    }
    (was > 0.0 && is > 0.0).then(|| is / was)
}
