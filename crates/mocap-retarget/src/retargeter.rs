//! The retargeter: everything that can be known of two skeletons before the first frame.

use crate::body::{Body, LIMBS, LimbKind};
use crate::error::{RetargetError, Warning, Which};
use crate::ground::Setting;
use crate::limb::LimbMap;
use crate::report::{Report, report};
use crate::roles::map_roles;
use crate::stance::{Directions, Stance, stance};
use crate::transfer::{Rule, rules};
use crate::{Floor, Options, RoleMap};
use mocap_analysis::metres_per_unit;
use mocap_ik::Constraint;
use mocap_model::{Clip, FrameRate, JointTracks, Pose, Role, Skeleton, Space, Track, Vector3};
use std::sync::Arc;

/// Puts motions of one skeleton on another.
///
/// Made once for a pair of skeletons; [`Retargeter::retarget`] may then be called for any number of clips, from
/// several threads at once.
#[derive(Clone)]
pub struct Retargeter {
    pub(crate) options: Options,
    /// As the clips have it.
    original: Skeleton,
    /// In the axes of the target, with its roles.
    pub(crate) source: Arc<Skeleton>,
    pub(crate) target: Arc<Skeleton>,
    pub(crate) source_body: Body,
    pub(crate) target_body: Body,
    /// The local pose that the source's stance was made from.
    pub(crate) source_base: Pose,
    pub(crate) source_stance: Stance,
    pub(crate) target_stance: Stance,
    pub(crate) rules: Vec<Rule>,
    pub(crate) limbs: Vec<LimbMap>,
    pub(crate) constraints: Vec<Constraint>,
    /// Whether limits are kept: not where both skeletons are one, whose own motion is not held to its limits.
    pub(crate) limits: bool,
    pub(crate) directions: Directions,
    pub(crate) ratios: Ratios,
    /// Of source and target.
    pub(crate) metres: [f64; 2],
    pub(crate) warnings: Vec<Warning>,
}

/// Lengths of the target's limbs over those of the source's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratios {
    /// Legs: hip, knee, ankle; both sides together, for both stand on one floor. In units of the target per unit
    /// of the source.
    pub leg: f64,
    /// Arms: shoulder, elbow, wrist, the mean of both sides; `None` where one of the skeletons has none.
    pub arm: Option<f64>,
    /// Units of the target per unit of the source for one and the same length.
    pub unit: f64,
}

impl std::fmt::Debug for Retargeter {
    /// The names and the ratios: what is prepared for the frames fills pages.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Retargeter")
            .field("source", &self.source.name())
            .field("target", &self.target.name())
            .field("ratios", &self.ratios)
            .finish_non_exhaustive()
    }
}

impl Retargeter {
    /// Maps the joints of two skeletons and brings both into one stance.
    ///
    /// Roles that the skeletons state win over names; the rest pose is the stance to start from unless
    /// [`Options::source_rest`] or [`Options::target_rest`] give another. A source with the target's own bones
    /// stands as the target does.
    ///
    /// # Errors
    /// Where one of the skeletons has no hips or legs, its limbs are not connected or have no length, its sides
    /// are mixed up, or a pose that was given is of another skeleton.
    pub fn new(source: &Skeleton, target: &Skeleton, options: &Options) -> Result<Retargeter, RetargetError> {
        if let Floor::At(value) = options.floor
            && !value.is_finite()
        {
            return Err(RetargetError::Option { option: "floor", value });
        }
        let axes = Space { unit: source.space().unit, ..*target.space() };
        let target_base = base_pose(target, &options.target_rest, None, Which::Target)?;
        // One body stands in one way, wherever that was found.
        let one_body = options.source_rest.is_none() && same_bones(source, target);
        let source_base = match one_body {
            true => target_base.clone(),
            false => base_pose(source, &options.source_rest, Some(axes), Which::Source)?,
        };
        let roles = |skeleton: &Skeleton, given: &Option<RoleMap>| {
            given.clone().unwrap_or_else(|| map_roles(skeleton))
        };
        let original = source.clone();
        let source = source.in_space(axes)?;
        let source_body = Body::new(&source, roles(&source, &options.source_roles), Which::Source)?;
        let target_body = Body::new(target, roles(target, &options.target_roles), Which::Target)?;
        let source_stance = stance(&source, &source_body, &source_base, Which::Source)?;
        let target_stance = stance(target, &target_body, &target_base, Which::Target)?;
        let metres = [&source, target].map(metres_per_unit);
        let ratios = ratios(&source_body, &source_stance, &target_body, &target_stance, metres);
        if !(ratios.leg.is_finite() && ratios.leg > 0.0) {
            return Err(RetargetError::Extreme { which: Which::Target });
        }
        let mut warnings = warnings(&source_body, &target_body);
        for (which, stance) in [(Which::Source, &source_stance), (Which::Target, &target_stance)] {
            if stance.made {
                warnings.push(Warning::StanceMade { which });
            }
        }
        let rules = rules(
            (&source, &source_body, &source_stance),
            (target, &target_body, &target_stance),
            &options.pairs,
        );
        let directions = Directions::of(target);
        let mut limbs = Vec::new();
        for i in 0..LIMBS.len() {
            if let (Some(from), Some(to)) = (&source_body.limbs[i], &target_body.limbs[i]) {
                let ratio = target_stance.limb_length(to) / source_stance.limb_length(from);
                limbs.push(LimbMap::new(from, target, to, ratio)?);
            }
        }
        Ok(Retargeter {
            options: options.clone(),
            original,
            source: Arc::new(source_body.roles.apply(&source)),
            target: Arc::new(target_body.roles.apply(target)),
            constraints: target.joints().iter().map(Constraint::of).collect(),
            source_body,
            target_body,
            source_base,
            source_stance,
            target_stance,
            rules,
            limbs,
            limits: options.limits && source.joints() != target.joints(),
            directions,
            ratios,
            metres,
            warnings,
        })
    }

    /// The roles of the source's joints.
    pub fn source_roles(&self) -> &RoleMap {
        &self.source_body.roles
    }

    /// The roles of the target's joints.
    pub fn target_roles(&self) -> &RoleMap {
        &self.target_body.roles
    }

    /// The ratios of limb lengths.
    pub fn ratios(&self) -> Ratios {
        self.ratios
    }

    /// What is left out or assumed, whatever the clip.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The target, with the roles that were found.
    pub fn target(&self) -> &Arc<Skeleton> {
        &self.target
    }

    /// The motion of `clip` on the target, and what it became.
    ///
    /// # Errors
    /// Where the clip is not of the skeleton that the retargeter was made for.
    pub fn retarget(&self, clip: &Clip) -> Result<(Clip, Report), RetargetError> {
        let (before, source) = self.parts(clip)?;
        let setting = crate::ground::setting(self, &source)?;
        let done = crate::frames::frames(self, &source, &setting)?;
        let report = report(self, &source, &setting, &done);
        match before {
            Some(before) => {
                let report = report.behind(before.frames());
                Ok((self.behind(&before, setting, &done.clip)?, report))
            }
            None => Ok((done.clip, report)),
        }
    }

    /// The motion of `clip` on the target alone: [`Retargeter::retarget`] without the report.
    ///
    /// # Errors
    /// Where the clip is not of the skeleton that the retargeter was made for.
    pub fn motion(&self, clip: &Clip) -> Result<Clip, RetargetError> {
        let (before, source) = self.parts(clip)?;
        let setting = crate::ground::setting(self, &source)?;
        let motion = crate::frames::frames(self, &source, &setting)?.clip;
        match before {
            Some(before) => self.behind(&before, setting, &motion),
            None => Ok(motion),
        }
    }

    /// The frames before the motion, where there are any, and the motion, as [`Retargeter::source_clip`].
    fn parts(&self, clip: &Clip) -> Result<(Option<Clip>, Clip), RetargetError> {
        let source = self.source_clip(clip)?;
        let lead_in = self.options.lead_in.min(source.frames().saturating_sub(1));
        if lead_in == 0 {
            return Ok((None, source));
        }
        Ok((Some(source.trimmed(0..lead_in)?), source.trimmed(lead_in..source.frames())?))
    }

    /// The motion behind frames that are put on the target by themselves: nothing is planted in them.
    fn behind(&self, before: &Clip, setting: Setting, motion: &Clip) -> Result<Clip, RetargetError> {
        let before = crate::frames::frames(self, before, &Setting { lock: false, ..setting })?.clip;
        let frames = before.frames() + motion.frames();
        let mut tracks = Vec::with_capacity(motion.tracks().len());
        for ((a, b), joint) in before.tracks().iter().zip(motion.tracks()).zip(self.target.joints()) {
            let rotation = spliced(&a.rotation, before.frames(), &b.rotation, motion.frames());
            let place =
                |track: &Option<Track<Vector3<f64>>>| track.clone().unwrap_or(Track::Constant(joint.offset));
            let moves = a.translation.is_some() || b.translation.is_some();
            let translation = moves.then(|| {
                spliced(&place(&a.translation), before.frames(), &place(&b.translation), motion.frames())
            });
            tracks.push(JointTracks { rotation, translation });
        }
        Ok(Clip::new(self.target.clone(), motion.rate(), frames, tracks)?)
    }

    /// The clip in the axes of the target, with the roles of the source.
    fn source_clip(&self, clip: &Clip) -> Result<Clip, RetargetError> {
        let (found, expected) = (clip.skeleton().joints(), self.original.joints());
        for index in 0..found.len().max(expected.len()) {
            let name = |joints: &[mocap_model::Joint]| {
                joints.get(index).map_or("nothing".into(), |j| j.name.clone())
            };
            let same = match (found.get(index), expected.get(index)) {
                (Some(a), Some(b)) => a.name == b.name && a.parent == b.parent,
                _ => false,
            };
            if !same {
                return Err(RetargetError::OtherSource {
                    index,
                    found: name(found),
                    expected: name(expected),
                });
            }
        }
        let axes = *self.source.space();
        let space = clip.skeleton().space();
        let clip = if (space.up, space.forward) == (axes.up, axes.forward) {
            clip.clone()
        } else {
            clip.in_space(Space { unit: space.unit, ..axes })?
        };
        Ok(clip.with_skeleton(self.source.clone())?)
    }
}

/// The values of two tracks, one behind the other.
fn spliced<T: Copy + PartialEq>(a: &Track<T>, frames_a: usize, b: &Track<T>, frames_b: usize) -> Track<T> {
    let values = (0..frames_a).map(|frame| a.at(frame)).chain((0..frames_b).map(|frame| b.at(frame)));
    Track::from_samples(values.collect()).unwrap_or_else(|| b.clone())
}

/// The local pose that the stance is made from, in other axes where these are given.
pub(crate) fn base_pose(
    skeleton: &Skeleton,
    given: &Option<Pose>,
    axes: Option<Space>,
    which: Which,
) -> Result<Pose, RetargetError> {
    let pose = given.clone().unwrap_or_else(|| Pose::rest(skeleton));
    let (found, expected) = (pose.joints.len(), skeleton.len());
    if found != expected {
        return Err(RetargetError::PoseLength { which, found, expected });
    }
    let Some(axes) = axes else {
        let finite = pose.joints.iter().all(|joint| {
            joint.rotation.coords.iter().chain(joint.translation.vector.iter()).all(|value| value.is_finite())
        });
        return if finite { Ok(pose) } else { Err(RetargetError::PoseNotFinite { which }) };
    };
    let tracks = pose.joints.iter().map(|joint| JointTracks {
        rotation: Track::Constant(joint.rotation),
        translation: Some(Track::Constant(joint.translation.vector)),
    });
    let rate = FrameRate::new(1.0).expect("1 is a rate");
    let clip = Clip::new(Arc::new(skeleton.clone()), rate, 1, tracks.collect())
        .map_err(|_| RetargetError::PoseNotFinite { which })?;
    let mut turned = Pose::default();
    clip.in_space(axes)?.local_pose(0, &mut turned);
    Ok(turned)
}

/// Whether the skeletons have the very same bones, in one space.
fn same_bones(source: &Skeleton, target: &Skeleton) -> bool {
    let axes = |skeleton: &Skeleton| (skeleton.space().up, skeleton.space().forward);
    source.len() == target.len()
        && axes(source) == axes(target)
        && source.joints().iter().zip(target.joints()).all(|(a, b)| {
            let far = (a.offset - b.offset).norm() > 1e-9 * (a.offset.norm() + b.offset.norm());
            a.name == b.name && a.parent == b.parent && !far
        })
}

fn ratios(
    source: &Body,
    source_stance: &Stance,
    target: &Body,
    target_stance: &Stance,
    metres: [f64; 2],
) -> Ratios {
    let length = |body: &Body, stance: &Stance, kind: LimbKind| -> f64 {
        body.limbs
            .iter()
            .flatten()
            .filter(|limb| limb.kind == kind)
            .map(|limb| stance.limb_length(limb))
            .sum()
    };
    let ratio = |kind| length(target, target_stance, kind) / length(source, source_stance, kind);
    let arms = source.limbs[2].is_some() && target.limbs[2].is_some();
    Ratios {
        leg: ratio(LimbKind::Leg),
        arm: arms.then(|| ratio(LimbKind::Arm)).filter(|ratio| ratio.is_finite()),
        unit: metres[0] / metres[1],
    }
}

fn warnings(source: &Body, target: &Body) -> Vec<Warning> {
    let one_sided = |a: &RoleMap, b: &RoleMap| -> Vec<Role> {
        let rows = a.rows.iter().map(|row| row.role).filter(|role| b.joint(*role).is_none());
        // Spine and neck are spread over what there is.
        rows.filter(|role| !matches!(role, Role::Spine | Role::Chest | Role::UpperChest | Role::Neck))
            .collect()
    };
    let mut warnings = Vec::new();
    for (which, body) in [(Which::Source, source), (Which::Target, target)] {
        warnings.extend(body.lone_arm.map(|side| Warning::OneArm { which, side }));
    }
    for (which, roles) in [
        (Which::Target, one_sided(&source.roles, &target.roles)),
        (Which::Source, one_sided(&target.roles, &source.roles)),
    ] {
        if !roles.is_empty() {
            warnings.push(Warning::LeftOut { which, roles });
        }
    }
    warnings
}

/// The middle between the two hip joints.
pub(crate) fn mid_hip(body: &Body, position: impl Fn(mocap_model::JointId) -> Vector3<f64>) -> Vector3<f64> {
    let [left, right] = body.legs();
    (position(left.base) + position(right.base)) / 2.0
}
