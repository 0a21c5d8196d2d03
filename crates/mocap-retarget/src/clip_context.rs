//! Clip context: floor, feet and bend axes of the source, found from the whole motion before any frame is
//! transferred.

use crate::body::Body;
use crate::error::RetargetError;
use crate::foot_geometry::{FootGeometry, Toe};
use crate::foot_goal::FootGoal;
use crate::head::turn_head;
use crate::limb_map::LimbMap;
use crate::mean_roll::{roll_clavicles, roll_spine};
use crate::options::{Floor, FootLock, RetargetOptions};
use crate::pair::Pair;
use crate::pose_estimation::{Basis, MotionSample, refine_reference_pose};
use crate::reference_pose::ReferencePose;
use crate::source_clip::Segment;
use crate::standing_heights::StandingHeights;
use crate::transfer_rules::{TransferRule, transfer_rules};
use mocap_analysis::{
    ContactOptions, Foot, FootContacts, FootMotion, FootMotions, SoleHeights, feet_of, floor_of,
};
use mocap_model::{ClipFrames, JointId, PlacedJoints, PlacedWindows, Skeleton, UnitQuaternion, Vector3};

/// What was found about one clip for one pair of skeletons.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ClipContext {
    pub feet: Feet,
    pub heights: StandingHeights,
    /// One rule per joint of the target. The rules use the source's reference pose as refined by its motion.
    pub rules: Vec<TransferRule>,
    /// By limb of the source's body: the axis about which it bends, as its motion shows it.
    bend_axes: [Option<Vector3<f64>>; 4],
    /// Whether feet are locked during contacts.
    pub lock: bool,
}

/// The feet of both skeletons and the contacts of the source's feet. All lists have the same order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Feet {
    pub source: Vec<Foot>,
    pub target: Vec<Foot>,
    /// Motion of the source's feet.
    pub motions: Vec<FootMotion>,
    /// Contacts of the source's feet.
    pub contacts: Vec<FootContacts>,
    /// Foot geometry of the target.
    pub geometry: Vec<FootGeometry>,
    /// Where the target's feet go.
    pub goals: Vec<FootGoal>,
    /// Whether a foot of the source is ever in contact.
    pub any_contact: bool,
}

impl ClipContext {
    /// The axis about which a limb of the source bends, in the frame of its first joint: the one that the motion shows,
    /// else that of the reference pose.
    pub(crate) fn bend_axis(&self, pair: &Pair, limb: &LimbMap) -> Vector3<f64> {
        let shown = self.bend_axes[limb.slot];
        shown.unwrap_or_else(|| {
            let base = pair.source.reference.rotation[limb.source.base.index()];
            base.inverse() * pair.directions.bend(&limb.source)
        })
    }
}

/// Analyses the motion of the source (without its lead-in). `pass` sees its joints as well, window by window.
pub(crate) fn analyse(
    pair: &Pair,
    options: &RetargetOptions,
    Segment { clip: motion, placed, .. }: &mut Segment,
    given: Option<&[FootContacts]>,
    mut pass: impl FnMut(&PlacedJoints),
) -> Result<ClipContext, RetargetError> {
    let motion = *motion;
    let up = pair.directions.up;
    let (source, target) = (feet_of(motion.skeleton()), feet_of(&pair.target.skeleton));
    // A given rest pose is kept as it is.
    let estimated = options.source_rest.is_none() && pair.source.reference.estimated;
    let mut motions = FootMotions::new(motion, &source);
    let mut sample = MotionSample::new(&pair.source.body, motion.frames(), estimated.then_some(&up));
    placed.each(|placed| {
        motions.append(placed);
        sample.append(placed);
        pass(placed);
    });
    let motions = motions.finish();
    let contact_options = ContactOptions::default();
    let shown = || motions.iter().map(|foot| foot.contacts(&contact_options)).collect();
    let contacts: Vec<FootContacts> = given.map_or_else(shown, <[_]>::to_vec);
    assert_eq!(contacts.len(), motions.len(), "contacts of each foot");
    assert!(
        contacts.iter().all(|foot| foot.toe.len() == motion.frames() && foot.heel.len() == motion.frames())
    );
    let bend_axes = sample.bend_axes();
    let same = same_feet((&pair.source.skeleton, &source), (&pair.target.skeleton, &target));
    let one_body = pair.is_one_body();
    let mut reference = match estimated {
        false => pair.source.reference.clone(),
        true => {
            let sides: Vec<_> = source.iter().map(|foot| foot.side).zip(&contacts).collect();
            reference_in_motion(pair, motion, &bend_axes, sample.ankle_over_ball(&sides))?
        }
    };
    if same && !one_body {
        copy_foot_frames(&mut reference, &pair.target.reference, source.iter().zip(&target));
    }
    let source_heights: Vec<SoleHeights> =
        source.iter().map(|foot| posed_heights(&reference, foot, &up)).collect();
    let on_balls = floor_under_balls(&motions, &contacts, &source_heights);
    let any_contact = on_balls.is_some();
    // Without contacts the floor is under the lowest joint, which need not be a foot.
    let floor = on_balls.or_else(|| {
        let under_feet = floor_of(&motions, &contacts);
        let is_raised = motions.iter().any(|foot| foot.raised.contains(&true));
        if is_raised { lowest_of(placed, &pair.placed, &up).or(under_feet) } else { under_feet }
    });
    let floor = floor.unwrap_or(0.0);

    let target_heights = match same {
        true => source_heights.clone(),
        false => target.iter().map(|foot| posed_heights(&pair.target.reference, foot, &up)).collect(),
    };
    let geometry = target.iter().zip(&target_heights).enumerate().filter_map(|(i, (foot, heights))| {
        let flat = match same {
            true => reference.rotation[source[i].ankle.index()],
            false => pair.target.reference.rotation[foot.ankle.index()],
        };
        foot_geometry(pair, foot, heights, &flat)
    });
    let geometry: Vec<FootGeometry> = geometry.collect();
    let goals = foot_goals(pair, [&source, &target], [&source_heights, &target_heights], &geometry);
    let lock = locks_feet(options, same && same_legs(pair)) && geometry.len() == contacts.len();
    // The same body on both sides: motions must come out unchanged, so both use one reference pose.
    let source_reference = if one_body { &pair.source.reference } else { &reference };
    let rules = transfer_rules(
        (motion.skeleton(), &pair.source.body, source_reference),
        (&pair.target.skeleton, &pair.target.body, &pair.target.reference),
        &pair.namesakes,
        &options.joint_pairs,
    );
    let heights = StandingHeights {
        source_floor: floor,
        source_ankle: mean_ankle(&source_heights),
        target_floor: match options.floor {
            Floor::At(height) => height,
            Floor::Auto | Floor::Off => floor * pair.ratios.leg,
        },
        target_ankle: mean_ankle(&target_heights),
    };
    let feet = Feet { source, target, motions, contacts, geometry, goals, any_contact };
    Ok(ClipContext { feet, heights, rules, bend_axes, lock })
}

/// The source's estimated reference pose, refined by its motion.
fn reference_in_motion(
    pair: &Pair,
    motion: ClipFrames,
    bend_axes: &[Option<Vector3<f64>>; 4],
    ankle: Option<f64>,
) -> Result<ReferencePose, RetargetError> {
    let source = &pair.source;
    let basis = Basis {
        skeleton: motion.skeleton(),
        body: &source.body,
        base: &source.base,
        reference: &source.reference,
    };
    let mut reference = refine_reference_pose(basis, bend_axes, ankle)?;
    roll_spine(&mut reference, motion, &source.body);
    roll_clavicles(&mut reference, motion, &source.body);
    turn_head(&mut reference, motion, &source.body);
    Ok(reference)
}

/// Gives feet the orientations that they have in another reference pose, so that a foot that is flat there is
/// flat here.
fn copy_foot_frames<'a>(
    reference: &mut ReferencePose,
    other: &ReferencePose,
    feet: impl Iterator<Item = (&'a Foot, &'a Foot)>,
) {
    for (to, from) in feet {
        let (ankle, above) = (reference.position[to.ankle.index()], other.position[from.ankle.index()]);
        for (to, from) in to.points.iter().zip(&from.points) {
            reference.rotation[to.index()] = other.rotation[from.index()];
            reference.position[to.index()] = ankle + other.position[from.index()] - above;
        }
    }
}

/// The height of the floor under the balls of the feet: their median height over all contact frames. The balls
/// are used because toe tips may bend through the floor and heels may be up, as in a dance on the toes. `None`
/// without contacts.
fn floor_under_balls(feet: &[FootMotion], contacts: &[FootContacts], heights: &[SoleHeights]) -> Option<f64> {
    let mut floors: Vec<f64> = Vec::new();
    for ((foot, contacts), heights) in feet.iter().zip(contacts).zip(heights) {
        let standing = foot.toe.iter().zip(&foot.ground).zip(&contacts.toe).filter(|(_, contact)| **contact);
        floors.extend(standing.map(|((ball, ground), _)| ball.dot(&foot.up) - ground - heights.toe));
    }
    if floors.is_empty() {
        return None;
    }
    let middle = floors.len() / 2;
    Some(*floors.select_nth_unstable_by(middle, f64::total_cmp).1)
}

/// Height of the lowest of some joints, which all are placed, in most frames; `None` without frames.
fn lowest_of(placed: &mut PlacedWindows, joints: &[JointId], up: &Vector3<f64>) -> Option<f64> {
    /// The share of frames that may be lower.
    const LOWER: f64 = 0.05;
    let mut lowest: Vec<f64> = Vec::new();
    placed.each(|placed| {
        let first = lowest.len();
        lowest.resize(first + placed.range().len(), f64::INFINITY);
        let mut places = Vec::new();
        for joint in joints {
            places.clear();
            placed.append_positions(*joint, &mut places);
            for (lowest, place) in lowest[first..].iter_mut().zip(&places) {
                *lowest = lowest.min(place.dot(up));
            }
        }
    });
    let at = (LOWER * lowest.len().saturating_sub(1) as f64).round() as usize;
    (!lowest.is_empty()).then(|| *lowest.select_nth_unstable_by(at, f64::total_cmp).1)
}

/// How high ankle and toe are above the lowest point of the foot in a reference pose.
fn posed_heights(reference: &ReferencePose, foot: &Foot, up: &Vector3<f64>) -> SoleHeights {
    let height = |joint: &JointId| reference.position[joint.index()].dot(up);
    let lowest = foot.points.iter().map(height).fold(f64::INFINITY, f64::min);
    SoleHeights { ankle: height(&foot.ankle) - lowest, toe: height(&foot.toe) - lowest }
}

fn mean_ankle(heights: &[SoleHeights]) -> f64 {
    heights.iter().map(|heights| heights.ankle).sum::<f64>() / heights.len().max(1) as f64
}

/// Geometry of a foot of the target; `flat` is the orientation of its ankle while the foot is flat.
fn foot_geometry(
    pair: &Pair,
    foot: &Foot,
    heights: &SoleHeights,
    flat: &UnitQuaternion<f64>,
) -> Option<FootGeometry> {
    let limb = pair.limbs.iter().position(|limb| limb.target.tip == foot.ankle)?;
    let (skeleton, reference) = (&pair.target.skeleton, &pair.target.reference);
    let from = |at: JointId, to: JointId| {
        let bone = reference.position[to.index()] - reference.position[at.index()];
        reference.rotation[at.index()].inverse() * bone
    };
    let toe = |joint: JointId| {
        let below = skeleton.subtree(joint).into_iter().skip(1);
        Toe {
            joint,
            offset: from(foot.ankle, joint),
            axis: reference.rotation[joint.index()].inverse() * pair.directions.left,
            tips: below.map(|tip| from(joint, tip)).filter(|tip| tip.norm() > 0.0).collect(),
        }
    };
    Some(FootGeometry {
        limb,
        toe: foot.toe,
        toe_offset: from(foot.ankle, foot.toe),
        heel_offset: flat.inverse() * (pair.directions.up * -heights.ankle),
        toe_height: heights.toe,
        toes: skeleton.children(foot.ankle).iter().map(|joint| toe(*joint)).collect(),
    })
}

/// Where the feet of the target go, for each with a geometry.
fn foot_goals(
    pair: &Pair,
    [source, target]: [&[Foot]; 2],
    [source_heights, target_heights]: [&[SoleHeights]; 2],
    geometry: &[FootGeometry],
) -> Vec<FootGoal> {
    let up = &pair.directions.up;
    let goal = |geometry: &FootGeometry| {
        let i = target.iter().position(|foot| pair.limbs[geometry.limb].target.tip == foot.ankle)?;
        let from = source.iter().position(|foot| foot.side == target[i].side)?;
        let feet = [(&*pair.source.skeleton, &source[from]), (&*pair.target.skeleton, &target[i])];
        let heights = [&source_heights[from], &target_heights[i]];
        let flat = &pair.target.reference.rotation[target[i].ankle.index()];
        Some(FootGoal::new(geometry.limb, feet, heights, geometry.toe_offset, flat, up))
    };
    geometry.iter().filter_map(goal).collect()
}

/// Whether feet are locked; `same` says whether both skeletons have the same feet and legs.
fn locks_feet(options: &RetargetOptions, same: bool) -> bool {
    options.method.scales()
        && match options.foot_lock {
            FootLock::On => true,
            FootLock::Off => false,
            FootLock::Auto => !same,
        }
}

/// Bones of one foot in two files differ by no more than this share: files round numbers.
const SAME: f64 = 1e-9;

/// Whether the legs of both, and the joints between them, are at the same positions.
fn same_legs(pair: &Pair) -> bool {
    let points = |body: &Body| body.legs().map(|leg| [leg.base, leg.middle, leg.tip]).concat();
    let place = |reference: &ReferencePose, joint: JointId| reference.position[joint.index()];
    let size = pair.target.reference.limb_length(pair.target.body.legs()[0]);
    points(&pair.source.body).into_iter().zip(points(&pair.target.body)).all(|(a, b)| {
        let (a, b) = (place(&pair.source.reference, a), place(&pair.target.reference, b));
        (a - b).norm() < 1e-6 * size
    })
}

/// Whether two skeletons have the same feet, whatever their names: a foot flat on one is flat on the other. Ends of toes do
/// not count: many files have none.
fn same_feet(source: (&Skeleton, &[Foot]), target: (&Skeleton, &[Foot])) -> bool {
    let (source, target) = (foot_bones(source.0, source.1), foot_bones(target.0, target.1));
    let same_bone = |(a, b): (&Vector3<f64>, &Vector3<f64>)| (a - b).norm() <= SAME * a.norm();
    source.len() == target.len()
        && source.iter().zip(&target).all(|(a, b)| a.len() == b.len() && a.iter().zip(b).all(same_bone))
}

/// By foot: the offsets of the joints below its ankle.
fn foot_bones(skeleton: &Skeleton, feet: &[Foot]) -> Vec<Vec<Vector3<f64>>> {
    let of = |foot: &Foot| {
        let points = foot.points.iter().skip(1);
        let joints = points.filter(|point| **point == foot.toe || !skeleton.joint(**point).end_site);
        joints.map(|point| skeleton.joint(*point).offset).collect()
    };
    feet.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::options::RetargetMethod;
    use crate::source_clip::SourceClip;
    use mocap_model::Joint;

    #[test]
    fn the_floor_is_under_the_balls_of_standing_feet() {
        let frames = 9;
        let foot = |height: f64| FootMotion {
            ankle: vec![Vector3::y(); frames],
            toe: (0..frames).map(|i| Vector3::y() * (height + if i < 6 { 0.0 } else { 0.3 })).collect(),
            // Tips of toes that bend through the floor.
            lowest: vec![-1.0; frames],
            ground: vec![0.0; frames],
            raised: vec![false; frames],
            travel: vec![0.0; frames],
            leg: 1.0,
            up: Vector3::y(),
            fps: 30.0,
        };
        let contacts = |any: bool| FootContacts {
            toe: (0..frames).map(|i| any && i < 6).collect(),
            heel: vec![false; frames],
        };
        let heights = SoleHeights { ankle: 0.1, toe: 0.02 };
        let floor = |any| floor_under_balls(&[foot(0.52)], &[contacts(any)], &[heights]);
        assert!((floor(true).unwrap() - 0.5).abs() < 1e-12);
        assert_eq!(floor(false), None);
    }

    #[test]
    fn feet_lock_unless_they_are_the_same() {
        let options = |foot_lock, method| RetargetOptions { foot_lock, method, ..RetargetOptions::default() };
        let scale = |foot_lock| options(foot_lock, RetargetMethod::Scale);
        assert!(locks_feet(&scale(FootLock::Auto), false) && !locks_feet(&scale(FootLock::Auto), true));
        assert!(locks_feet(&scale(FootLock::On), true) && !locks_feet(&scale(FootLock::Off), false));
        assert!(!locks_feet(&options(FootLock::On, RetargetMethod::Copy), false));
    }

    #[test]
    fn feet_without_ends_of_toes_are_the_same() {
        let with_ends = clip("alex_walk.bvh");
        let skeleton = with_ends.skeleton();
        // End sites are leaves: those before a joint move it up.
        let ends_before = |id: JointId| skeleton.joints()[..id.index()].iter().filter(|j| j.end_site).count();
        let moved = |id: JointId| JointId::from(id.index() - ends_before(id));
        let kept = skeleton.joints().iter().filter(|joint| !joint.end_site);
        let joints = kept.map(|joint| Joint { parent: joint.parent.map(moved), ..joint.clone() }).collect();
        let bare = Skeleton::new("", *skeleton.space(), joints).unwrap();
        let same = |other: &Skeleton| {
            let pair = Pair::new(skeleton, other, &RetargetOptions::default()).unwrap();
            let (source, target) = (&pair.source.skeleton, &pair.target.skeleton);
            same_feet((source, &feet_of(source)), (target, &feet_of(target)))
        };
        assert!(bare.len() < skeleton.len() && same(&bare));
        assert!(!same(clip("robin_walk.bvh").skeleton()));
    }

    #[test]
    fn a_walk_shows_its_floor_its_contacts_and_its_knees() {
        let (walk, other) = (clip("alex_walk.bvh"), clip("robin_walk.bvh"));
        let options = RetargetOptions::default();
        let pair = Pair::new(walk.skeleton(), other.skeleton(), &options).unwrap();
        let walk = SourceClip::new(std::borrow::Cow::Borrowed(&walk), &pair, 0).unwrap();
        let mut segments = walk.segments(&pair, 2048);
        let context = analyse(&pair, &options, &mut segments[0], None, |_| ()).unwrap();
        assert!(context.lock && context.feet.any_contact);
        assert_eq!((context.feet.source.len(), context.feet.geometry.len()), (2, 2));
        let heights = context.heights;
        assert!(heights.source_ankle > 0.0 && heights.target_ankle > 0.0, "{heights:?}");
        assert!((heights.target_floor - heights.source_floor * pair.ratios.leg).abs() < 1e-12);
        // Knees bend about the left axis of the body, however the rig orients their frames.
        for limb in &pair.limbs[..2] {
            let axis = context.bend_axis(&pair, limb);
            let axis = pair.source.reference.rotation[limb.source.base.index()] * axis;
            assert!(axis.dot(&pair.directions.left) > 0.9, "{axis}");
        }
    }

    #[test]
    fn on_its_own_skeleton_nothing_is_locked() {
        let walk = clip("alex_walk.bvh");
        let options = RetargetOptions::default();
        let pair = Pair::new(walk.skeleton(), walk.skeleton(), &options).unwrap();
        let walk = SourceClip::new(std::borrow::Cow::Borrowed(&walk), &pair, 0).unwrap();
        let mut segments = walk.segments(&pair, 2048);
        let context = analyse(&pair, &options, &mut segments[0], None, |_| ()).unwrap();
        assert!(!context.lock);
        assert_eq!(context.heights.source_ankle, context.heights.target_ankle);
    }
}
