//! The map between the joints of two skeletons: found automatically, or read from a map file.

use std::borrow::Cow;

use mocap_formats::{Finding, Limits, map};
use mocap_model::{Clip, JointId, Pose, Role, Skeleton};
use mocap_retarget::{
    FoundJoint, MapExplanation, REQUIRED_ROLES, RetargetError, RetargetReport, RetargetWarning, Retargeter,
    RoleMap, explain_roles, retarget_joint_pairs,
};

use crate::RetargetOptions;

/// The map between the joints of a source and a target.
///
/// ```
/// use mocap::prelude::*;
/// use mocap::retarget::map_roles;
///
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let robin = mocap::read_skeleton("../../fixtures/clips/robin.skel")?.value;
/// let mapping = mocap::Mapping::found(map_roles(walk.skeleton()), map_roles(&robin));
/// let explained = mapping.explain(walk.skeleton(), &robin, None);
/// assert!(explained.error.is_none());
/// println!("{}", explained.explanation);
/// let (motion, _report) = mapping.retarget(&walk, &robin, &RetargetOptions::default())?;
/// assert_eq!(motion.frames(), walk.frames());
/// # Ok::<(), mocap::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Mapping {
    /// Roles of source and target.
    roles: [RoleMap; 2],
    /// Joints of source and target that are paired without a role.
    pairs: Vec<(JointId, JointId)>,
    is_given: bool,
}

/// The map between two skeletons, and whether it can be used for a retarget.
#[derive(Clone, Debug)]
pub struct ExplainedMapping {
    /// The map, joint by joint.
    pub explanation: MapExplanation,
    /// Omissions and assumptions.
    pub warnings: Vec<RetargetWarning>,
    /// Why the map cannot be used.
    pub error: Option<RetargetError>,
}

impl Mapping {
    /// The map by roles that were found automatically.
    pub fn found(source: RoleMap, target: RoleMap) -> Mapping {
        Mapping { roles: [source, target], pairs: Vec::new(), is_given: false }
    }

    /// Reads a map file.
    ///
    /// # Errors
    /// If the file is not a map, or names joints that the skeletons do not have.
    pub fn parse(bytes: &[u8], source: &Skeleton, target: &Skeleton) -> Result<Mapping, Finding> {
        let map = map::parse(bytes, source, target, &Limits::default())?.value;
        let roles = [map.source, map.target].map(RoleMap::given);
        Ok(Mapping { roles, pairs: map.pairs, is_given: true })
    }

    /// The map file, for a person to edit: every role that was found in either skeleton, and those that are required,
    /// with reasons and scores of the explanation.
    pub fn to_bytes(&self, source: &Skeleton, target: &Skeleton, explanation: &MapExplanation) -> Vec<u8> {
        let [from, to] = &self.roles;
        let side = |roles: &RoleMap| roles.rows.iter().map(|row| (row.role, row.joint)).collect();
        let map = map::JointMap { source: side(from), target: side(to), pairs: self.pairs.clone() };
        map::to_bytes(&map, source, target, |role| note(explanation, role))
    }

    /// The roles of the source's joints.
    pub fn source_roles(&self) -> &RoleMap {
        &self.roles[0]
    }

    /// The roles of the target's joints.
    pub fn target_roles(&self) -> &RoleMap {
        &self.roles[1]
    }

    /// The options with the roles and pairs of this map.
    pub fn options(&self, options: &RetargetOptions) -> RetargetOptions {
        let [source, target] = self.roles.clone();
        RetargetOptions {
            source_roles: Some(source),
            target_roles: Some(target),
            joint_pairs: self.pairs.clone(),
            ..options.clone()
        }
    }

    /// The motion on the target, and its report. A given map without hips and legs pairs joints of any kind of body
    /// ([`retarget_joint_pairs`]); its roles are then only names of pairs.
    ///
    /// # Errors
    /// As [`Retargeter::new`] and [`Retargeter::retarget`].
    pub fn retarget<'c>(
        &self,
        clip: impl Into<Cow<'c, Clip>>,
        target: &Skeleton,
        options: &RetargetOptions,
    ) -> Result<(Clip, RetargetReport), RetargetError> {
        let (clip, options) = (clip.into(), self.options(options));
        match self.pairs_without_body() {
            Some(pairs) => retarget_joint_pairs(&clip, target, &pairs, &options),
            None => Retargeter::new(clip.skeleton(), target, &options)?.retarget(clip),
        }
    }

    /// Measures a motion of the target that was retargeted from `clip` with this map and edited since, like
    /// [`Retargeter::measure`]; `None` for joint pairs without a body.
    ///
    /// # Errors
    /// Those of [`Retargeter::measure`].
    pub fn measure(
        &self,
        clip: &Clip,
        (target, motion): (&Skeleton, &Clip),
        options: &RetargetOptions,
    ) -> Result<Option<RetargetReport>, RetargetError> {
        if self.pairs_without_body().is_some() {
            return Ok(None);
        }
        let options = self.options(options);
        Ok(Some(Retargeter::new(clip.skeleton(), target, &options)?.measure(clip, motion)?))
    }

    /// Explains how the joints of both skeletons are mapped; `target_rest` is [`RetargetOptions::target_rest`].
    pub fn explain(
        &self,
        source: &Skeleton,
        target: &Skeleton,
        target_rest: Option<Pose>,
    ) -> ExplainedMapping {
        let options = self.options(&RetargetOptions { target_rest, ..RetargetOptions::default() });
        match Retargeter::new(source, target, &options) {
            Ok(retargeter) => ExplainedMapping {
                explanation: retargeter.explain(),
                warnings: retargeter.warnings().to_vec(),
                error: None,
            },
            Err(error) => {
                let [from, to] = &self.roles;
                let explanation = explain_roles(source, from, target, to);
                ExplainedMapping {
                    explanation: explanation.with_joint_pairs(&self.pairs, source, target),
                    warnings: Vec::new(),
                    // Joint pairs need no body.
                    error: self.pairs_without_body().is_none().then_some(error),
                }
            }
        }
    }

    /// All pairs of joints, by joint of the target; `None` unless the map was given and lacks a required role.
    fn pairs_without_body(&self) -> Option<Vec<(JointId, JointId)>> {
        let [source, target] = &self.roles;
        let has_body = source.missing().is_empty() && target.missing().is_empty();
        if !self.is_given || has_body {
            return None;
        }
        let roles = source.rows.iter().filter_map(|row| Some((row.joint, target.joint(row.role)?)));
        let mut pairs: Vec<_> = roles.chain(self.pairs.iter().copied()).collect();
        pairs.sort_by_key(|(_, target)| *target);
        Some(pairs)
    }
}

/// The entry of a map file for a role; `None` if neither skeleton has it and it is not required.
fn note(explanation: &MapExplanation, role: Role) -> Option<String> {
    let is_required = REQUIRED_ROLES.contains(&role);
    let row = explanation.rows.iter().find(|row| row.role == role);
    let (source, target) = row.map_or((&None, &None), |row| (&row.source, &row.target));
    if source.is_none() && target.is_none() && !is_required {
        return None;
    }
    let text = |found: &Option<FoundJoint>| match found {
        Some(found) => format!("{} {:.2}", found.reason.name(), found.score),
        None if is_required => "missing, needed".into(),
        None => "none".into(),
    };
    Some(format!("source {}, target {}", text(source), text(target)))
}
