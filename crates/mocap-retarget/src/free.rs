//! Motions on skeletons that are no bipeds: joint by joint, as a user pairs them.
//!
//! Each joint of a pair turns, in the space of the clip, by what its partner has turned since the rest pose;
//! the uppermost of them goes where its partner goes, scaled by the sizes of both. Nothing is solved: there are
//! no legs whose feet could be kept on a floor. Limits and steps are measured as those of a body are.

use crate::error::{RetargetError, Warning, Which};
use crate::options::Options;
use crate::report::{MappingRow, Report, StepReport, limits, step_from};
use crate::retargeter::{Ratios, base_pose};
use mocap_analysis::{largest_step, metres_per_unit};
use mocap_ik::Constraint;
use mocap_model::{
    Clip, Isometry3, JointId, JointTracks, Pose, Role, Skeleton, Space, Track, UnitQuaternion, Vector3,
};
use std::sync::Arc;

/// The motion of a clip on a target of any kind, by pairs of a joint of the source and one of the target. Of the
/// options, limits and rest poses count.
///
/// # Errors
/// Where there are no pairs, a joint is paired twice, or a rest pose is of another skeleton.
pub fn retarget_pairs(
    clip: &Clip,
    target: &Skeleton,
    pairs: &[(JointId, JointId)],
    options: &Options,
) -> Result<(Clip, Report), RetargetError> {
    let axes = Space { unit: clip.skeleton().space().unit, ..*target.space() };
    let source_base = base_pose(clip.skeleton(), &options.source_rest, Some(axes), Which::Source)?;
    let target_base = base_pose(target, &options.target_rest, None, Which::Target)?;
    let clip = clip.in_space(axes)?;
    let source = clip.skeleton().clone();
    let mut partner: Vec<Option<JointId>> = vec![None; target.len()];
    for (from, to) in pairs {
        if from.index() >= source.len() || to.index() >= target.len() || partner[to.index()].is_some() {
            return Err(RetargetError::Pairs);
        }
        partner[to.index()] = Some(*from);
    }
    let root = partner.iter().position(Option::is_some).map(JointId::from).ok_or(RetargetError::Pairs)?;
    let object = |pose: &Pose, skeleton: &Skeleton| {
        let mut object = Pose::default();
        pose.to_object(skeleton, &mut object);
        object
    };
    let (source_rest, target_rest) = (object(&source_base, &source), object(&target_base, target));
    let metres = [&*source, target].map(metres_per_unit);
    let unit = metres[0] / metres[1];
    let scale = sizes(target, &partner, &source_rest, &target_rest).unwrap_or(unit);
    if !(scale.is_finite() && scale > 0.0) {
        return Err(RetargetError::Extreme { which: Which::Target });
    }
    let constraints: Vec<Constraint> = target.joints().iter().map(Constraint::of).collect();
    let frame = |from: JointId, to: usize| {
        source_rest.joints[from.index()].rotation.inverse() * target_rest.joints[to].rotation
    };
    let frames: Vec<_> =
        partner.iter().enumerate().map(|(to, from)| from.map(|from| (from, frame(from, to)))).collect();
    let mut rotations: Vec<Vec<UnitQuaternion<f64>>> = vec![Vec::new(); target.len()];
    let mut places = Vec::with_capacity(clip.frames());
    let (mut local, mut posed, mut here) = (Pose::default(), Pose::default(), target_base.clone());
    let mut placed: Vec<Isometry3<f64>> = vec![Isometry3::identity(); target.len()];
    for at in 0..clip.frames() {
        clip.local_pose(at, &mut local);
        local.to_object(&source, &mut posed);
        for (id, joint) in target.iter() {
            let i = id.index();
            let parent = joint.parent.map_or(Isometry3::identity(), |parent| placed[parent.index()]);
            let mut turned = target_base.joints[i].rotation;
            if let Some((from, frame)) = &frames[i] {
                turned = parent.rotation.inverse() * posed.joints[from.index()].rotation * frame;
                if options.limits {
                    turned = constraints[i].project(&turned).0;
                }
                if id == root {
                    let place = posed.joints[from.index()].translation.vector * scale;
                    here.joints[i].translation = parent.inverse_transform_point(&place.into()).coords.into();
                    places.push(here.joints[i].translation.vector);
                }
                rotations[i].push(UnitQuaternion::new_normalize(turned.into_inner()));
            }
            here.joints[i].rotation = UnitQuaternion::new_normalize(turned.into_inner());
            placed[i] = parent * here.joints[i];
        }
    }
    let rest = |id: JointId| Track::Constant(target_base.joints[id.index()].rotation);
    let mut places = Track::from_samples(places);
    let tracks = rotations.into_iter().zip(target.iter()).map(|(turns, (id, _))| JointTracks {
        rotation: Track::from_samples(turns).unwrap_or(rest(id)),
        translation: if id == root { places.take() } else { None },
    });
    let motion = Clip::new(Arc::new(target.clone()), clip.rate(), clip.frames(), tracks.collect())?;
    let mut warnings = vec![Warning::NoBody { pairs: pairs.len() }];
    if motion.frames() == 0 {
        warnings.push(Warning::NoFrames);
    }
    let report = Report {
        lead_in: 0,
        frames: motion.frames(),
        scale: Ratios { leg: scale, arm: None, unit },
        metres,
        mapping: mapping(pairs, options, &source, target),
        effectors: Vec::new(),
        feet: Vec::new(),
        touches: Vec::new(),
        limits: limits(&constraints, &motion, options.limits),
        angles: Vec::new(),
        jerk_ratio: None,
        largest_step: steps(&clip, &motion, &partner, options),
        floor: [0.0; 2],
        warnings,
    };
    Ok((motion, report))
}

/// The role of a pair, where a map has its joint of the target by a role.
fn role_of(options: &Options, joint: JointId) -> Option<Role> {
    options.target_roles.as_ref()?.role(joint)
}

/// The pairs that have a role; rows have no other name.
fn mapping(
    pairs: &[(JointId, JointId)],
    options: &Options,
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

/// The largest steps of the joints that are paired, each against its partner's as seen from the partner of the
/// next paired joint above it.
fn steps(source: &Clip, motion: &Clip, partner: &[Option<JointId>], options: &Options) -> StepReport {
    let mut report = StepReport::default();
    let mut above: Vec<Option<JointId>> = Vec::with_capacity(partner.len());
    for (id, joint) in motion.skeleton().iter() {
        let over = joint.parent.and_then(|parent| above[parent.index()]);
        above.push(partner[id.index()].or(over));
        let (Some(from), Some(is)) = (partner[id.index()], largest_step(motion, [id])) else { continue };
        let degrees = is.angle.to_degrees();
        let own = largest_step(source, [from]).map_or(0.0, |step| step.angle.to_degrees());
        report.source = report.source.max(own);
        if degrees > report.target {
            (report.target, report.frame) = (degrees, is.frame);
            report.joint.clone_from(&joint.name);
        }
        let excess = degrees - step_from(source, over, from).to_degrees();
        if excess > report.excess {
            (report.excess, report.excess_role) = (excess, role_of(options, id));
        }
    }
    report
}

/// How much larger the target is: the distances between paired joints, each from the next paired one above it.
fn sizes(
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
