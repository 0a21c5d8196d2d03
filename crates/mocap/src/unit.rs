//! Units and axes: stated in the file, stated by the user, or guessed with a warning.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use mocap_analysis::guess_unit;
use mocap_formats::Finding;
use mocap_model::{Axis, Clip, JointId, Role, SignedAxis, Skeleton, Space, Unit, UnitSource, Vector3};
use mocap_retarget::{RoleReason, map_roles};
use mocap_robot::{Bends, Humanoid, may_be_robot, unknown_robot};

use crate::{AdultUnit, BodySize, Problem, ReadOptions};

/// The unit of a skeleton's lengths, guessed from the size of the body where it is not stated; `None` where no
/// usual unit makes it as large as a human.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let unit = mocap::known_unit(walk.skeleton()).expect("the body has the size of a human");
/// assert_eq!(unit.name(), Some("cm"));
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn known_unit(skeleton: &Skeleton) -> Option<Unit> {
    skeleton.space().unit.or_else(|| guess_unit(&map_roles(skeleton).certain().apply(skeleton)))
}

/// The unit of a skeleton's lengths for methods that measure in metres: BVH states none. A guess is a warning
/// ([`Problem::UnitGuessed`]).
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let mut warnings = Vec::new();
/// mocap::needed_unit(walk.skeleton(), &mut warnings)?;
/// assert_eq!(warnings[0].code(), "unit::guessed");
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// [`Problem::UnitUnknown`], where the unit is not stated and the size of the skeleton suggests none.
pub fn needed_unit(skeleton: &Skeleton, warnings: &mut Vec<Finding>) -> Result<Unit, Finding> {
    let unit = known_unit(skeleton)
        .ok_or_else(|| Finding::new(Problem::UnitUnknown { size: BodySize::of(skeleton) }))?;
    warnings.extend(guess_warning(skeleton, unit));
    Ok(unit)
}

/// Leg length of an adult, from hip joint to ankle \[m\]. Based on: R. Drillis, R. Contini, "Body Segment
/// Parameters", 1966: 0.491 of the stature, here of 1.72 m.
const ADULT_LEGS: f64 = 0.845;
/// The longest path along the bones of an adult, from fingertip to toe \[m\].
const ADULT_PATH: f64 = 2.2;

/// A skeleton for methods that need metres only in their report. A unit that is not stated is
/// guessed with a warning; if that fails, it is one in which the legs are as long as an adult's
/// ([`Problem::UnitForReport`]). Ratios of lengths are then right, and so is the motion.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let mut warnings = Vec::new();
/// let tiny = walk.scaled(0.03).unwrap();
/// let body = mocap::for_report(tiny.skeleton(), &mut warnings);
/// assert!(body.space().unit.is_some() && warnings.len() == 1);
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn for_report(skeleton: &Skeleton, warnings: &mut Vec<Finding>) -> Skeleton {
    if let Some(unit) = known_unit(skeleton) {
        warnings.extend(guess_warning(skeleton, unit));
        return skeleton.clone();
    }
    let size = BodySize::of(skeleton);
    let (what, length, metres) = match size.legs {
        Some(legs) => ("legs", legs, ADULT_LEGS),
        None => ("the longest path along bones", size.longest_path, ADULT_PATH),
    };
    warnings.push(Finding::new(Problem::UnitForReport { size, what, metres }));
    let metres = if length > 0.0 { metres / length } else { 1.0 };
    let unit = Some(Unit { metres, source: UnitSource::Guessed });
    skeleton.with_space(Space { unit, ..*skeleton.space() })
}

/// A clip with the skeleton of [`for_report`].
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let mut warnings = Vec::new();
/// let tiny = walk.scaled(0.03).unwrap();
/// assert!(mocap::clip_for_report(&tiny, &mut warnings).skeleton().space().unit.is_some());
/// assert_eq!(warnings[0].code(), "unit::report");
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn clip_for_report<'c>(clip: &'c Clip, warnings: &mut Vec<Finding>) -> Cow<'c, Clip> {
    any_for_report(Cow::Borrowed(clip), warnings)
}

/// As [`clip_for_report`], of a clip that may be given away.
pub(crate) fn any_for_report<'c>(clip: Cow<'c, Clip>, warnings: &mut Vec<Finding>) -> Cow<'c, Clip> {
    let space = *for_report(clip.skeleton(), warnings).space();
    match space == *clip.skeleton().space() {
        true => clip,
        false => Cow::Owned(in_space(clip.into_owned(), space)),
    }
}

/// The warning about a unit that was guessed.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let unit = mocap::known_unit(walk.skeleton()).unwrap();
/// assert_eq!(mocap::guess_warning(walk.skeleton(), unit).unwrap().code(), "unit::guessed");
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn guess_warning(skeleton: &Skeleton, unit: Unit) -> Option<Finding> {
    (unit.source == UnitSource::Guessed).then(|| {
        let adult = adult_unit(skeleton, unit);
        Finding::new(Problem::UnitGuessed { unit, adult })
    })
}

/// Usual statures of adults \[m\].
const ADULTS: std::ops::RangeInclusive<f64> = 1.4..=2.1;
/// Usual units \[m\].
const UNITS: [f64; 5] = [1.0, Unit::CMU, 0.0254, 0.01, 0.001];

/// Another unit than the one that was guessed in which the body has the stature of an adult.
fn adult_unit(skeleton: &Skeleton, guessed: Unit) -> Option<AdultUnit> {
    let size = BodySize::of(skeleton).stature?;
    let others = UNITS.into_iter().filter(|metres| (metres / guessed.metres - 1.0).abs() > 1e-9);
    let metres = others.into_iter().find(|metres| ADULTS.contains(&(size * metres)))?;
    let unit = Unit { metres, source: UnitSource::Guessed };
    Some(AdultUnit { unit, stature: size * metres, guessed: size * guessed.metres })
}

/// Plausible statures of bipeds, toys and giants included \[m\].
const STATURES: std::ops::RangeInclusive<f64> = 0.3..=4.0;

/// The warning about a stated unit with which the body has an implausible size.
pub(crate) fn unlikely_unit(skeleton: &Skeleton, options: &ReadOptions) -> Option<Finding> {
    let unit = Unit { metres: options.unit?, source: UnitSource::Flag };
    let stature = BodySize::of(skeleton).stature? * unit.metres;
    let robot = skeleton.robot().is_some();
    (!robot && !STATURES.contains(&stature)).then(|| Finding::new(Problem::UnitUnlikely { unit, stature }))
}

/// The skeleton with the unit and axes that the user states; no number changes.
pub(crate) fn restated(skeleton: &Skeleton, options: &ReadOptions) -> Skeleton {
    let space = restated_space(*skeleton.space(), options);
    robot_with_roles(skeleton, &Bends::default()).as_ref().unwrap_or(skeleton).with_space(space)
}

/// The skeleton of a humanoid robot with the roles of its joints; `None` for others, and where roles are stated. Knees and
/// elbows are those of `bends`, where it has any.
pub(crate) fn robot_with_roles(skeleton: &Skeleton, bends: &Bends) -> Option<Skeleton> {
    let stated = skeleton.joints().iter().any(|joint| joint.role.is_some());
    let robot = skeleton.robot().filter(|_| !stated)?;
    with_stated(skeleton, Humanoid::find_bending(robot, bends).ok()?.roles(robot))
}

/// Whether a skeleton says itself what its joints are.
fn states_body(skeleton: &Skeleton) -> bool {
    skeleton.robot().is_some() || skeleton.joints().iter().any(|joint| joint.role.is_some())
}

/// Whether names give hips, knees and feet of both legs.
fn names_give_legs(skeleton: &Skeleton) -> bool {
    let roles = map_roles(skeleton).certain();
    let named = |role: Role| roles.rows.iter().any(|row| row.role == role && row.reason == RoleReason::Name);
    [Role::LeftUpperLeg, Role::LeftLowerLeg, Role::LeftFoot]
        .into_iter()
        .all(|role| named(role) && named(role.mirrored()))
}

/// Whether the whole motion is needed to say what robot its skeleton is: its start may be that of one.
pub(crate) fn asks_whole_motion(start: &Clip) -> bool {
    start.skeleton().robot().is_none() && may_be_robot(start) && !names_give_legs(start.skeleton())
}

/// The skeleton of a motion with the roles of its joints, if it is that of a humanoid robot which is not known, such as
/// one in a BVH file, the axis along which it faces at rest, and a warning where names do not confirm roles; `None` for
/// others, and where roles are stated or the names of joints give the legs.
pub(crate) fn hinges_with_roles(clip: &Clip) -> Option<(Skeleton, SignedAxis, Option<Finding>)> {
    let skeleton = clip.skeleton();
    if states_body(skeleton) {
        return None;
    }
    let robot = unknown_robot(clip).filter(|_| !names_give_legs(skeleton))?;
    let mut rest = robot.rest_rotations.into_iter();
    let skeleton = skeleton.with_joints(|joint| {
        joint.rest_rotation = rest.next().expect("there is one for each joint");
    });
    let doubt = robot.unnamed.map(|limbs| Finding::new(Problem::RobotJoints { limbs }));
    Some((with_stated(&skeleton.ok()?, robot.roles)?, nearest_axis(&robot.forward), doubt))
}

/// The axis nearest to a direction.
fn nearest_axis(direction: &Vector3<f64>) -> SignedAxis {
    let axis = [Axis::X, Axis::Y, Axis::Z][direction.iamax()];
    SignedAxis { axis, negative: direction[direction.iamax()] < 0.0 }
}

/// The clip in a space whose forward axis is that along which a body faces, where it is not along the up axis.
pub(crate) fn facing(clip: Clip, forward: SignedAxis, options: &ReadOptions) -> Clip {
    let space = *clip.skeleton().space();
    let space = options.up.map_or(space, |up| with_up(&space, up));
    if forward.axis == space.up.axis {
        return clip;
    }
    in_space(clip, Space { forward, ..space })
}

fn with_stated(skeleton: &Skeleton, roles: Vec<(JointId, Role)>) -> Option<Skeleton> {
    let roles: HashMap<JointId, Role> = roles.into_iter().collect();
    let mut next = 0;
    let with = skeleton.with_joints(|joint| {
        joint.role = roles.get(&JointId::from(next)).copied();
        next += 1;
    });
    with.ok()
}

/// The space with the unit and axes that the user states.
pub(crate) fn restated_space(mut space: Space, options: &ReadOptions) -> Space {
    if let Some(metres) = options.unit {
        space.unit = Some(Unit { metres, source: UnitSource::Flag });
    } else if let (None, Some(answer)) = (space.unit, options.peers.unit) {
        space.unit = Some(Unit { metres: answer.value, source: UnitSource::Voted });
    }
    if let Some(up) = options.up {
        space = with_up(&space, up);
    }
    space
}

/// The space turned to another up axis, about the axis that neither is.
///
/// ```
/// let blender = mocap::with_up(&mocap::Space::default(), "Z".parse().unwrap());
/// assert_eq!((blender.up.to_string(), blender.forward.to_string()), ("Z".into(), "-Y".into()));
/// ```
pub fn with_up(space: &Space, up: SignedAxis) -> Space {
    let opposite = |axis: SignedAxis| SignedAxis { negative: !axis.negative, ..axis };
    let forward = match space.forward {
        forward if forward == up => opposite(space.up),
        forward if forward == opposite(up) => space.up,
        forward => forward,
    };
    Space { up, forward, ..*space }
}

/// The clip with another space; no number changes.
pub(crate) fn in_space(clip: Clip, space: Space) -> Clip {
    let skeleton = clip.skeleton().with_space(space);
    clip.with_skeleton(Arc::new(skeleton)).expect("the skeleton has as many joints as before")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_names_the_unit_of_an_adult() {
        let walk = crate::read("../../fixtures/clips/alex_walk.bvh").unwrap().value;
        let stature = BodySize::of(walk.skeleton()).stature.unwrap();
        let warned = |size: f64| {
            let scaled = walk.skeleton().scaled(size / stature).unwrap();
            let unit = known_unit(&scaled).unwrap();
            (unit.name(), guess_warning(&scaled, unit).unwrap().to_string())
        };
        // A person of 1.47 m in inches has the numbers of a baby of 58 cm.
        let (unit, message) = warned(1.47 / 0.0254);
        assert_eq!(unit, Some("cm"));
        assert!(
            message.contains("0.579 m") && message.contains("'in' it is an adult of 1.47 m"),
            "{message}"
        );
        let (unit, message) = warned(175.0);
        assert!(unit == Some("cm") && !message.contains("adult"), "{message}");
    }

    #[test]
    fn forward_makes_way_for_up() {
        let turned = |up: &str| with_up(&Space::default(), up.parse().unwrap());
        assert_eq!(turned("Y"), Space::default());
        // Blender's axes.
        assert_eq!(turned("Z").forward.to_string(), "-Y");
        assert_eq!(turned("-Z").forward.to_string(), "Y");
        assert_eq!(turned("X").forward.to_string(), "Z");
        assert_eq!(with_up(&turned("Z"), SignedAxis::Y), Space::default());
    }
}
