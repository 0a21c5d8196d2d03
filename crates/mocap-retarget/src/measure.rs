//! The report: measures a retargeted motion against its source. Optional; the stages do not depend on it.

use crate::body::LimbKind;
use crate::clip_context::{ClipContext, Feet};
use crate::error::{RetargetWarning, SourceOrTarget};
use crate::hand_measure::HandsOnFloor;
use crate::largest_steps::SourceSteps;
use crate::limb_curves::{LimbCurves, limb_joints};
use crate::limb_map::LimbMap;
use crate::limb_solving::SolvedFrame;
use crate::pair::Pair;
use crate::report::{
    AngleReport, EffectorReport, FootReport, LimitReport, MappingRow, OwnContacts, RetargetReport,
    SelfContactReport, SoleReport,
};
use crate::self_contact::{ContactOffset, ContactPair, MovingHands, SelfContacts, Touched, contact_joints};
use crate::standing_heights::StandingHeights;
use mocap_analysis::{
    BalanceSummary, ContactOptions, FootContacts, FootMotion, FootMotions, body_balance, correlation,
    floor_of, rms_difference, runs,
};
use mocap_ik::{Constraint, SolveStatus};
use mocap_model::{ClipFrames, JointId, PlacedJoints, PlacedWindows, Role, Side, Track};
use std::ops::Range;

/// A foot counts as off its goal beyond this share of the leg's length: 2 cm for a leg of 0.85 m.
const OFF_GOAL: f64 = 0.0235;

/// Results of the stages for one clip.
pub(crate) struct StageResults<'a> {
    /// The source, without its lead-in. Its rotations are there only if balance is measured.
    pub source: ClipFrames<'a>,
    pub source_limbs: &'a LimbCurves,
    pub source_steps: &'a SourceSteps,
    pub context: &'a ClipContext,
    /// The motion of the target, without its lead-in.
    pub motion: ClipFrames<'a>,
    /// The number of frames that are placed at once.
    pub window: usize,
    /// By limb of the pair, then by frame of the motion.
    pub solved: &'a [Vec<SolvedFrame>],
    /// Self-contacts of the source.
    pub self_contacts: &'a SelfContacts,
    /// Number of lead-in frames before the motion.
    pub lead_in: usize,
    /// Whether limits were requested.
    pub limits_asked: bool,
    /// Whether balance is measured.
    pub balance: bool,
}

/// The report of a motion; `warnings` are those that hold for any clip.
pub(crate) fn report(
    pair: &Pair,
    mut warnings: Vec<RetargetWarning>,
    results: &StageResults,
) -> RetargetReport {
    let StageResults { source, context, motion, .. } = *results;
    if source.frames() == 0 {
        warnings.push(RetargetWarning::NoFrames);
    } else if !context.feet.any_contact {
        warnings.push(RetargetWarning::NoContacts);
    }
    let metres = [pair.source.metres, pair.target.metres];
    let was = results.source_limbs;
    let mut feet = FeetMeasures::new(pair, &context.feet, motion);
    let mut is = LimbCurves::new(pair, SourceOrTarget::Target, motion.frames());
    let mut touched = ContactErrors::new(pair, results.self_contacts);
    let floor = context.heights.target_floor;
    let mut on_floor = HandsOnFloor::new(pair, results.self_contacts, floor, motion.rate().fps());
    place(pair, &context.feet, motion, results.window).each(|placed| {
        feet.append(placed);
        is.append(placed);
        touched.append(placed);
        on_floor.append(placed);
    });
    let is = is.finish(motion.rate());
    let heights = &context.heights;
    let effectors = effectors(pair, results.solved);
    warnings.extend(feet_off_goal(pair, results.solved));
    let (feet, self_contacts) = (feet.reports(heights), touched.reports());
    warnings.extend(contacts_lost(pair, &feet, &self_contacts));
    let (hands, off_floor) = on_floor.reports();
    warnings.extend(off_floor);
    let report = RetargetReport {
        frames: motion.frames(),
        lead_in: 0,
        scale: pair.ratios,
        metres,
        mapping: mapping(pair),
        effectors,
        feet,
        hands,
        self_contacts,
        limits: exceeded_limits(&pair.limits.constraints, motion, results.limits_asked),
        angles: angles(pair, was, &is),
        jerk_ratio: jerk_ratio(pair, was, &is),
        largest_step: results.source_steps.report(motion),
        surface: None,
        partners: None,
        held_arm_inside: None,
        balance: results.balance.then(|| balance(source, motion)).flatten(),
        floor: [heights.source_floor * metres[0], heights.target_floor * metres[1]],
        warnings,
    };
    if results.lead_in > 0 { report.after_lead_in(results.lead_in) } else { report }
}

/// Balance of source and target.
fn balance(source: ClipFrames, motion: ClipFrames) -> Option<[BalanceSummary; 2]> {
    let summary = |frames: ClipFrames| Some(body_balance(&frames.to_clip().ok()?)?.summary());
    Some([summary(source)?, summary(motion)?])
}

/// Forward kinematics of the target for all joints that are measured.
fn place<'a>(pair: &Pair, feet: &Feet, motion: ClipFrames<'a>, window: usize) -> PlacedWindows<'a> {
    let limbs = pair.limbs.iter().flat_map(|limb| limb_joints(&pair.target.body, &limb.target));
    let joints = FootMotion::joints(motion.skeleton(), &feet.target).into_iter().chain(limbs);
    let joints: Vec<JointId> = joints.chain(contact_joints(&pair.target, &pair.limbs)).collect();
    PlacedWindows::new(motion, joints.iter().copied(), joints.iter().copied()).of_length(window)
}

fn mapping(pair: &Pair) -> Vec<MappingRow> {
    let names = |role: Role| {
        [&pair.source, &pair.target].map(|character| {
            let joint = character.body.roles.joint(role)?;
            Some(character.skeleton.joint(joint).name.clone())
        })
    };
    let rows = Role::ALL.iter().map(|role| {
        let [source, target] = names(*role);
        MappingRow { role: *role, source, target }
    });
    rows.filter(|row| row.source.is_some() || row.target.is_some()).collect()
}

fn effectors(pair: &Pair, solved: &[Vec<SolvedFrame>]) -> Vec<EffectorReport> {
    let metres = pair.target.metres;
    let mut reports = Vec::new();
    for (limb, solved) in pair.limbs.iter().zip(solved).filter(|(_, solved)| !solved.is_empty()) {
        let mut errors: Vec<f64> = solved.iter().map(|frame| frame.error * metres).collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let p95 = (errors.len() * 95).div_ceil(100) - 1;
        let p95 = *errors.select_nth_unstable_by(p95, f64::total_cmp).1;
        let reachable = solved.iter().filter(|frame| frame.status != SolveStatus::Unreachable);
        let count = |is: &dyn Fn(&SolvedFrame) -> bool| solved.iter().filter(|frame| is(frame)).count();
        reports.push(EffectorReport {
            role: limb.target.kind.roles_of(limb.target.side)[2],
            mean,
            p95,
            max: errors.iter().copied().fold(0.0, f64::max),
            max_reachable: reachable.map(|frame| frame.error * metres).fold(0.0, f64::max),
            reached_frames: count(&|frame| frame.status == SolveStatus::Reached),
            unreachable_frames: count(&|frame| frame.status == SolveStatus::Unreachable),
            limited_frames: count(&|frame| frame.status == SolveStatus::NotConverged && frame.at_limit),
            capped_frames: count(&|frame| frame.status == SolveStatus::NotConverged && !frame.at_limit),
            wrong_bend_frames: count(&|frame| frame.flipped),
            iterations_mean: solved.iter().map(|frame| f64::from(frame.iterations)).sum::<f64>()
                / solved.len() as f64,
            iterations_max: solved.iter().map(|frame| frame.iterations).max().unwrap_or(0),
        });
    }
    reports
}

/// A warning for each foot that is too far from its goal.
fn feet_off_goal(pair: &Pair, solved: &[Vec<SolvedFrame>]) -> Vec<RetargetWarning> {
    let metres = pair.target.metres;
    let limbs = pair.limbs.iter().zip(solved).filter(|(limb, _)| limb.target.kind == LimbKind::Leg);
    let warning = |(limb, solved): (&LimbMap, &Vec<SolvedFrame>)| {
        let most = OFF_GOAL * pair.target.reference.limb_length(&limb.target);
        let far: Vec<f64> = solved.iter().map(|frame| frame.error).filter(|error| *error > most).collect();
        (!far.is_empty()).then(|| RetargetWarning::FootOffGoal {
            side: limb.target.side,
            frames: far.len(),
            distance: far.into_iter().fold(0.0, f64::max) * metres,
        })
    };
    limbs.filter_map(warning).collect()
}

/// Warnings of feet that lose many of their contacts, and of hands that are far from what they touch.
fn contacts_lost(pair: &Pair, feet: &[FootReport], hands: &[SelfContactReport]) -> Vec<RetargetWarning> {
    /// A foot that keeps less of its contacts floats or slides visibly.
    const KEPT: f64 = 0.75;
    /// A hand further from what it touches is not on it [arm lengths]: 5 cm of a person.
    const ON: f64 = 0.09;
    let feet = feet.iter().filter_map(|foot| {
        let kept = foot.contacts_kept.filter(|kept| *kept < KEPT)?;
        Some(RetargetWarning::ContactsLost { side: foot.role.side()?, kept })
    });
    let arm = pair.limbs.iter().find(|limb| limb.target.kind == LimbKind::Arm);
    let most = arm.map_or(f64::INFINITY, |limb| {
        ON * pair.target.reference.limb_length(&limb.target) * pair.target.metres
    });
    let hands = hands.iter().filter(|touch| touch.error > most).map(|touch| {
        RetargetWarning::HandOffContact { hand: touch.role, on: touch.on, distance: touch.error }
    });
    feet.chain(hands).collect()
}

/// The feet of the target while its frames are placed.
struct FeetMeasures<'a> {
    pair: &'a Pair,
    feet: &'a Feet,
    clip: ClipFrames<'a>,
    motions: FootMotions<'a>,
    /// Of each foot with a geometry: the height of its heel, by frame.
    heels: Vec<Vec<f64>>,
}

impl<'a> FeetMeasures<'a> {
    fn new(pair: &'a Pair, feet: &'a Feet, clip: ClipFrames<'a>) -> FeetMeasures<'a> {
        let heels = feet.geometry.iter().map(|_| Vec::with_capacity(clip.frames()));
        FeetMeasures {
            pair,
            feet,
            clip,
            motions: FootMotions::new(clip, &feet.target),
            heels: heels.collect(),
        }
    }

    fn append(&mut self, placed: &PlacedJoints) {
        self.motions.append(placed);
        let up = self.clip.skeleton().space().up.vector();
        for (foot, heels) in self.feet.geometry.iter().zip(&mut self.heels) {
            let ankle = self.pair.limbs[foot.limb].target.tip;
            let height = |frame: usize| {
                let heel = placed.rotation(ankle, frame) * foot.heel_offset;
                (placed.position(ankle, frame) + heel).dot(&up)
            };
            heels.extend(placed.range().map(height));
        }
    }

    fn reports(self, heights: &StandingHeights) -> Vec<FootReport> {
        let FeetMeasures { pair, feet, motions, heels, .. } = self;
        let mut motions = motions.finish();
        let both = feet.source.len().min(motions.len());
        let found = |foot: &FootMotion| foot.contacts(&ContactOptions::default());
        let found: Vec<FootContacts> = motions.iter().map(found).collect();
        let own_floor = floor_of(&motions, &found).unwrap_or(heights.target_floor);
        let report = |i: usize| {
            let own = OwnContacts {
                contacts: runs(&found[i].toe),
                measure: motions[i].measure(&found[i], own_floor, pair.target.metres),
            };
            // In comparisons with the source, the ground is the scaled ground of the source.
            let ground = feet.motions[i].ground.iter().map(|height| height * pair.ratios.leg);
            motions[i].ground.iter_mut().zip(ground).for_each(|(own, ground)| *own = ground);
            foot(pair, feet, heights, i, (&motions[i], heels.get(i).map(Vec::as_slice)), own)
        };
        (0..both).map(report).collect()
    }
}

/// Foot `i`; `to` is its motion on the target, with the heights of its heel.
fn foot(
    pair: &Pair,
    feet: &Feet,
    heights: &StandingHeights,
    i: usize,
    (to, heels): (&FootMotion, Option<&[f64]>),
    own: OwnContacts,
) -> FootReport {
    let (metres, target_metres) = (pair.source.metres, pair.target.metres);
    let (from, contacts) = (&feet.motions[i], &feet.contacts[i]);
    let was = from.measure(contacts, heights.source_floor, metres);
    let is = to.measure(contacts, heights.target_floor, target_metres);
    let scaled = was.skate.map(|skate| skate * pair.ratios.leg * target_metres / metres);
    let flat = (0..to.lowest.len()).filter(|frame| contacts.toe[*frame] && contacts.heel[*frame]);
    let height_error = |frame: usize| {
        let is = (to.lowest[frame] - to.ground[frame] - heights.target_floor) * target_metres;
        is - (from.lowest[frame] - from.ground[frame] - heights.source_floor) * metres
    };
    let errors: Vec<f64> = flat.map(|frame| height_error(frame).abs()).collect();
    let [toe, heel] = soles(pair, feet, heights, i, to, heels);
    let kept = own.contacts.iter().flat_map(Range::clone).filter(|frame| contacts.toe[*frame]).count();
    FootReport {
        role: if feet.source[i].side == Side::Left { Role::LeftFoot } else { Role::RightFoot },
        contacts: runs(&contacts.toe),
        contact_frames: is.contact_frames,
        slide_source: was.skate,
        slide: is.skate,
        slide_ratio: is.skate.zip(scaled.filter(|scaled| *scaled > 0.0)).map(|(is, was)| is / was),
        float: is.float_max,
        height_mean: is.height_mean,
        height_error: (!errors.is_empty()).then(|| errors.iter().sum::<f64>() / errors.len() as f64),
        height_error_max: errors.iter().copied().reduce(f64::max),
        penetration_max: is.penetration_max,
        penetration_source: was.penetration_max,
        toe,
        heel,
        contacts_kept: (is.contact_frames > 0).then(|| kept as f64 / is.contact_frames as f64),
        own,
    }
}

/// Measures toe and heel of foot `i` of the target.
///
/// An ankle still counts as low for some time before and after its heel is in contact, so the heel is measured
/// only while the source's ankle is at its standing height.
fn soles(
    pair: &Pair,
    feet: &Feet,
    heights: &StandingHeights,
    i: usize,
    foot: &FootMotion,
    heels: Option<&[f64]>,
) -> [SoleReport; 2] {
    /// An ankle this much above its standing height has lifted its heel \[m\].
    const LIFTED: f64 = 0.01;
    let mut reports = [SoleReport::default(); 2];
    let both = feet.geometry.get(i).zip(heels).filter(|_| feet.geometry.len() == feet.contacts.len());
    let Some((geometry, heels)) = both else { return reports };
    let (contacts, from) = (&feet.contacts[i], &feet.motions[i]);
    for (frame, heel) in heels.iter().enumerate() {
        let above_floor = [foot.toe[frame].dot(&foot.up) - geometry.toe_height, *heel];
        let floor = heights.source_floor + from.ground[frame];
        let ankle_height = from.ankle[frame].dot(&from.up) - floor - heights.source_ankle;
        let lifted = ankle_height * pair.source.metres > LIFTED;
        let contact = [contacts.toe[frame], contacts.heel[frame] && !lifted];
        for ((report, height), contact) in reports.iter_mut().zip(above_floor).zip(contact) {
            let above = (height - foot.ground[frame] - heights.target_floor) * pair.target.metres;
            report.penetration = Some(report.penetration.unwrap_or(0.0).max(-above));
            if contact {
                report.float = Some(report.float.unwrap_or(0.0).max(above));
            }
        }
    }
    reports
}

/// How well self-contacts are kept, while the frames of the target are placed.
struct ContactErrors<'a> {
    pair: &'a Pair,
    contacts: &'a SelfContacts,
    hands: MovingHands<'a>,
    /// By contact: the frames in which the hand touches, as runs; no runs for the floor.
    touching: Vec<Vec<Range<usize>>>,
    /// By contact: the errors of these frames [units of the target].
    errors: Vec<Vec<f64>>,
}

impl<'a> ContactErrors<'a> {
    fn new(pair: &'a Pair, contacts: &'a SelfContacts) -> ContactErrors<'a> {
        let limbs = pair.limbs.iter().map(|limb| &limb.target);
        let touching = contacts.pairs.iter().zip(&contacts.offsets).map(|(contact, was)| {
            let touching: Vec<bool> = was.iter().map(ContactOffset::is_contact).collect();
            if contact.on == Touched::Floor { Vec::new() } else { runs(&touching) }
        });
        ContactErrors {
            pair,
            contacts,
            hands: MovingHands::of(&pair.target, limbs, pair.directions.up, 0.0),
            touching: touching.collect(),
            errors: vec![Vec::new(); contacts.pairs.len()],
        }
    }

    fn append(&mut self, placed: &PlacedJoints) {
        let window = placed.range();
        let contacts = self.contacts.pairs.iter().zip(&self.contacts.offsets).zip(&self.touching);
        for (((contact, was), touching), errors) in contacts.zip(&mut self.errors) {
            for run in touching {
                let frames = run.start.max(window.start)..run.end.min(window.end);
                let error =
                    |frame: usize| (self.hands.offset(contact, placed, frame) - was[frame].offset).norm();
                errors.extend(frames.map(error));
            }
        }
    }

    fn reports(self) -> Vec<SelfContactReport> {
        let role = |i: usize, place: usize| {
            let limb = &self.pair.limbs[i].target;
            limb.kind.roles_of(limb.side)[place]
        };
        let found = self.contacts.pairs.iter().zip(self.touching).zip(self.errors);
        let report = |((contact, touching), errors): ((&ContactPair, Vec<Range<usize>>), Vec<f64>)| {
            let on = match contact.on {
                Touched::Hand(other) => role(other, 2),
                Touched::Hip(leg) => role(leg, 0),
                Touched::Head => Role::Head,
                Touched::Floor => return None,
            };
            (!touching.is_empty()).then(|| SelfContactReport {
                role: role(contact.arm, 2),
                on,
                error: errors.iter().sum::<f64>() / errors.len() as f64 * self.pair.target.metres,
                contacts: touching,
            })
        };
        found.filter_map(report).collect()
    }
}

/// Limits that a motion exceeds; `constraints` are by joint.
pub(crate) fn exceeded_limits(constraints: &[Constraint], motion: ClipFrames, asked: bool) -> LimitReport {
    let mut found = LimitReport { asked, ..LimitReport::default() };
    for (constraint, (joint, _)) in constraints.iter().zip(motion.skeleton().iter()) {
        if !constraint.is_free() {
            let (violations, excess) = violations(constraint, joint, motion);
            found.violations += violations;
            found.max_excess = found.max_excess.max(excess.to_degrees());
        }
    }
    found
}

/// The number of frames with a joint beyond its limits, and the greatest angle beyond them \[rad\].
fn violations(constraint: &Constraint, joint: JointId, motion: ClipFrames) -> (usize, f64) {
    /// Rounding of rotations that were limited \[rad\].
    const ROUNDING: f64 = 1e-6;
    let excess = motion.rotations(joint).iter().map(|rotation| constraint.excess(rotation));
    let beyond: Vec<f64> = excess.filter(|excess| *excess > ROUNDING).collect();
    let most = beyond.iter().copied().fold(0.0, f64::max);
    match motion.whole().track(joint).rotation {
        // A constant rotation counts in every frame.
        Track::Constant(_) => (beyond.len() * motion.frames(), most),
        Track::Sampled(_) => (beyond.len(), most),
    }
}

fn angles(pair: &Pair, was: &LimbCurves, is: &LimbCurves) -> Vec<AngleReport> {
    let mut reports = Vec::new();
    for (limb, (was, is)) in pair.limbs.iter().zip(was.limbs.iter().zip(&is.limbs)) {
        let roles = limb.target.kind.roles_of(limb.target.side);
        for ((was, is), role) in was.angles.iter().zip(&is.angles).zip(roles) {
            let (rms, correlation) = (rms_difference(was, is), correlation(was, is));
            let mean = was.iter().sum::<f64>() / was.len().max(1) as f64;
            let source_rms = rms_difference(was, &vec![mean; was.len()]);
            reports.push(AngleReport { role, rms, correlation, source_rms });
        }
    }
    reports
}

fn jerk_ratio(pair: &Pair, was: &LimbCurves, is: &LimbCurves) -> Option<f64> {
    // Hands scale with the arm, feet with the leg.
    let scale = |limb: &LimbMap| match limb.target.kind {
        LimbKind::Leg => pair.ratios.leg,
        LimbKind::Arm => pair.ratios.arm.unwrap_or(pair.ratios.leg),
    };
    let was: f64 = pair.limbs.iter().zip(&was.limbs).map(|(limb, was)| scale(limb) * was.jerk).sum();
    let is: f64 = is.limbs.iter().map(|is| is.jerk).sum();
    (was > 0.0).then(|| is / was)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{
        Clip, Dofs, EulerOrder, FrameRate, Joint, JointTracks, Limit, Skeleton, Space, UnitQuaternion,
        Vector3, exp,
    };
    use std::sync::Arc;

    #[test]
    fn a_joint_that_stays_beyond_its_limit_breaks_it_in_every_frame() {
        let mut dofs = Dofs::ball(EulerOrder::XYZ);
        dofs.limits[0] = Some(Limit { min: 0.0, max: 0.5 });
        let joint = Joint {
            name: "a".into(),
            parent: None,
            offset: Vector3::zeros(),
            rest_rotation: UnitQuaternion::identity(),
            dofs,
            role: None,
            end_site: false,
        };
        let constraint = Constraint::of(&joint);
        let turned = |angle: f64| exp(&(Vector3::x() * angle));
        let skeleton = Arc::new(Skeleton::new("", Space::default(), vec![joint]).unwrap());
        let found = |track: Track<UnitQuaternion<f64>>| {
            let tracks = vec![JointTracks::new(track, None)];
            let clip = Clip::new(Arc::clone(&skeleton), FrameRate::new(30.0).unwrap(), 100, tracks).unwrap();
            violations(&constraint, JointId(0), (&clip).into())
        };
        let still = found(Track::Constant(turned(0.75)));
        let moving = found(Track::Sampled(vec![turned(0.75); 100]));
        assert_eq!(still, moving);
        assert!(still.0 == 100 && (still.1 - 0.25).abs() < 1e-9, "{still:?}");
        assert_eq!(found(Track::Constant(turned(0.25))).0, 0);
    }
}
