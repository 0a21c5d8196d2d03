//! What became of a motion, in numbers.

use crate::body::{Body, Limb, LimbKind};
use crate::frames::{Done, Solve};
use crate::ground::Setting;
use crate::retargeter::{Ratios, Retargeter};
use crate::stance::Stance;
use crate::{TouchReport, Warning};
use mocap_analysis::{
    ContactOptions, FootMotion, LargestStep, correlation, largest_step, mean_jerk, placements,
    rms_difference, runs,
};
use mocap_ik::{Constraint, SolveStatus};
use mocap_model::{Clip, Isometry3, JointId, Role, Side, Track, UnitQuaternion, angle_between};
use std::ops::Range;

/// What became of a motion. Lengths are metres (see [`Report::metres`]), angles degrees.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The number of frames.
    pub frames: usize,
    /// How many of them, at the start, were not measured ([`crate::Options::lead_in`]).
    pub lead_in: usize,
    /// The ratios of limb lengths.
    pub scale: Ratios,
    /// Metres per unit of source and target, stated or guessed from their size.
    pub metres: [f64; 2],
    /// Which joint of the target follows which of the source, by role.
    pub mapping: Vec<MappingRow>,
    /// How well hands and feet meet their goals.
    pub effectors: Vec<EffectorReport>,
    /// How well the feet stand.
    pub feet: Vec<FootReport>,
    /// What hands touch, where [`crate::Options::touch`] asks for it.
    pub touches: Vec<TouchReport>,
    /// Limits of the target that the motion breaks.
    pub limits: LimitReport,
    /// How alike the angles of the limbs are to the source's.
    pub angles: Vec<AngleReport>,
    /// Mean jerk of hands and feet over that of the source, scaled; `None` where the source has none.
    pub jerk_ratio: Option<f64>,
    /// The largest change of a joint's rotation from one frame to the next.
    pub largest_step: StepReport,
    /// The heights of the floors of source and target.
    pub floor: [f64; 2],
    /// What was left out or assumed.
    pub warnings: Vec<Warning>,
}

/// A role and its joints.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MappingRow {
    /// The role.
    pub role: Role,
    /// The joint of the source; `None`: the target's joint keeps its rest, or is led by its neighbours.
    pub source: Option<String>,
    /// The joint of the target; `None`: this part of the motion is left out.
    pub target: Option<String>,
}

/// How well an effector meets its goals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectorReport {
    /// The role of the effector.
    pub role: Role,
    /// Mean distance from the goal \[m\].
    pub mean: f64,
    /// 95 % of the frames have at most this distance \[m\].
    pub p95: f64,
    /// The largest distance \[m\].
    pub max: f64,
    /// The largest distance in the frames whose goal is within reach \[m\].
    pub max_reachable: f64,
    /// Frames whose goal is met.
    pub reached_frames: usize,
    /// Frames whose goal is further than the limb is long, or nearer than it folds.
    pub unreachable_frames: usize,
    /// Frames whose goal is within reach and missed, with a joint of the limb at one of its limits.
    pub limited_frames: usize,
    /// Frames whose goal is within reach and missed, with no joint at a limit: the solver gave up, or a jump was
    /// held back.
    pub capped_frames: usize,
    /// Frames in which knee or elbow bends the wrong way where the source's does not.
    pub wrong_bend_frames: usize,
    /// Iterations of the solver, on average.
    pub iterations_mean: f64,
    /// The most iterations of a frame.
    pub iterations_max: u32,
}

/// How well a foot stands, on the contacts of the source.
#[derive(Clone, Debug, PartialEq)]
pub struct FootReport {
    /// The role of the foot.
    pub role: Role,
    /// The ranges of frames in which the source's toe stands.
    pub contacts: Vec<Range<usize>>,
    /// The number of these frames.
    pub contact_frames: usize,
    /// Mean speed of the source's toe while it stands [m/s].
    pub slide_source: f64,
    /// Mean speed of the target's toe in the same frames [m/s].
    pub slide: f64,
    /// `slide` over `slide_source` scaled by the ratio of the legs; `None` where the source does not slide.
    pub slide_ratio: Option<f64>,
    /// The largest height of the foot above the floor while it stands \[m\].
    pub float: f64,
    /// Mean height of the foot above the floor while it stands \[m\].
    pub height_mean: f64,
    /// Mean difference of that height from the source's, while toe and heel stand \[m\].
    pub height_error: f64,
    /// The largest such difference \[m\].
    pub height_error_max: f64,
    /// The greatest depth below the floor in all frames \[m\].
    pub penetration_max: f64,
    /// The same of the source \[m\].
    pub penetration_source: f64,
    /// The ball of the foot, against its height where the foot is flat.
    pub toe: SoleReport,
    /// The heel, straight below the ankle where the foot is flat.
    pub heel: SoleReport,
    /// The share of the source's contact frames in which the target's toe stands by the same measure (slow and
    /// low); `None` where the source never stands.
    pub contacts_kept: Option<f64>,
}

/// How far a point of a sole is from the floor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SoleReport {
    /// The largest height above the floor while the source's stands \[m\].
    pub float: f64,
    /// The greatest depth below the floor in all frames \[m\].
    pub penetration: f64,
}

/// Limits that are broken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitReport {
    /// Whether limits were to be kept at all ([`crate::Options::limits`]).
    pub asked: bool,
    /// Joint-frames beyond a limit or with a turn that the joint cannot make.
    pub violations: usize,
    /// The greatest angle beyond \[deg\].
    pub max_excess: f64,
}

/// One angle of a limb over time, against the source's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleReport {
    /// The role of the joint: an upper leg or arm (its direction from the trunk) or a lower one (its bend).
    pub role: Role,
    /// The root of the mean squared difference \[deg\].
    pub rms: f64,
    /// Pearson's correlation; `None` where one of the angles does not change.
    pub correlation: Option<f64>,
}

/// Largest steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Of the target \[deg\].
    pub target: f64,
    /// The joint of the target; empty where nothing turns.
    pub joint: String,
    /// The frame in which it had turned.
    pub frame: usize,
    /// Of the source \[deg\].
    pub source: f64,
    /// The largest difference, by role, of the target's step over the step of the source's joint \[deg\].
    pub excess: f64,
    /// The role of that difference.
    pub excess_role: Option<Role>,
}

impl Report {
    /// The same of a motion with frames before it that were not measured.
    pub(crate) fn behind(mut self, lead_in: usize) -> Report {
        self.frames += lead_in;
        self.lead_in = lead_in;
        self.largest_step.frame += lead_in;
        let of_feet = self.feet.iter_mut().flat_map(|foot| &mut foot.contacts);
        let of_hands = self.touches.iter_mut().flat_map(|touch| &mut touch.contacts);
        for contact in of_feet.chain(of_hands) {
            *contact = contact.start + lead_in..contact.end + lead_in;
        }
        self
    }
}

pub(crate) fn report(retargeter: &Retargeter, source: &Clip, setting: &Setting, done: &Done) -> Report {
    let motion = &done.clip;
    let mut warnings = retargeter.warnings.clone();
    if source.frames() == 0 {
        warnings.push(Warning::NoFrames);
    } else if !setting.stands {
        warnings.push(Warning::NoContacts);
    }
    let was =
        LimbMotions::of(source, &retargeter.source_body, retargeter.limbs.iter().map(|limb| &limb.source));
    let is =
        LimbMotions::of(motion, &retargeter.target_body, retargeter.limbs.iter().map(|limb| &limb.target));
    Report {
        frames: motion.frames(),
        lead_in: 0,
        scale: retargeter.ratios,
        metres: retargeter.metres,
        mapping: mapping(retargeter),
        effectors: effectors(retargeter, &done.solves),
        feet: feet(retargeter, setting, motion, &is),
        touches: done.touches.report(retargeter, motion),
        limits: limits(&retargeter.constraints, motion, retargeter.options.limits),
        angles: angles(retargeter, &was, &is),
        jerk_ratio: jerk_ratio(retargeter, &was, &is, source.rate().fps()),
        largest_step: steps(retargeter, source, motion),
        floor: [setting.floor * retargeter.metres[0], setting.target_floor * retargeter.metres[1]],
        warnings,
    }
}

fn mapping(retargeter: &Retargeter) -> Vec<MappingRow> {
    let rows = Role::ALL.iter().map(|role| MappingRow {
        role: *role,
        source: retargeter.source_body.roles.joint(*role).map(|id| retargeter.source.joint(id).name.clone()),
        target: retargeter.target_body.roles.joint(*role).map(|id| retargeter.target.joint(id).name.clone()),
    });
    rows.filter(|row| row.source.is_some() || row.target.is_some()).collect()
}

fn effectors(retargeter: &Retargeter, solves: &[Vec<Solve>]) -> Vec<EffectorReport> {
    let mut reports = Vec::new();
    for (limb, solves) in retargeter.limbs.iter().zip(solves).filter(|(_, solves)| !solves.is_empty()) {
        let mut errors: Vec<f64> = solves.iter().map(|solve| solve.error * retargeter.metres[1]).collect();
        errors.sort_by(f64::total_cmp);
        let reachable = solves.iter().filter(|solve| solve.status != SolveStatus::Unreachable);
        let count = |is: &dyn Fn(&Solve) -> bool| solves.iter().filter(|solve| is(solve)).count();
        reports.push(EffectorReport {
            role: limb.target.kind.roles_of(limb.target.side)[2],
            mean: errors.iter().sum::<f64>() / errors.len() as f64,
            p95: errors[(errors.len() * 95).div_ceil(100) - 1],
            max: errors[errors.len() - 1],
            max_reachable: reachable.map(|solve| solve.error * retargeter.metres[1]).fold(0.0, f64::max),
            reached_frames: count(&|solve| solve.status == SolveStatus::Reached),
            unreachable_frames: count(&|solve| solve.status == SolveStatus::Unreachable),
            limited_frames: count(&|solve| solve.status == SolveStatus::NotConverged && solve.at_limit),
            capped_frames: count(&|solve| solve.status == SolveStatus::NotConverged && !solve.at_limit),
            wrong_bend_frames: count(&|solve| solve.wrong_way),
            iterations_mean: solves.iter().map(|solve| f64::from(solve.iterations)).sum::<f64>()
                / solves.len() as f64,
            iterations_max: solves.iter().map(|solve| solve.iterations).max().unwrap_or(0),
        });
    }
    reports
}

fn feet(retargeter: &Retargeter, setting: &Setting, motion: &Clip, limbs: &LimbMotions) -> Vec<FootReport> {
    let [metres, target_metres] = retargeter.metres;
    let is = FootMotion::of(motion, &setting.target_feet);
    let feet = setting.source_feet.iter().zip(setting.motions.iter().zip(&is)).zip(&setting.contacts);
    feet.enumerate()
        .map(|(i, ((foot, (from, to)), contacts))| {
            let was = from.measure(contacts, setting.floor, metres);
            let is = to.measure(contacts, setting.target_floor, target_metres);
            let scaled = was.skate * retargeter.ratios.leg * target_metres / metres;
            let flat = (0..motion.frames()).filter(|i| contacts.toe[*i] && contacts.heel[*i]);
            let height = |frame: usize| {
                let is = (to.lowest[frame] - setting.target_floor) * target_metres;
                is - (from.lowest[frame] - setting.floor) * metres
            };
            let [toe, heel] = soles(setting, i, to, limbs, retargeter.metres);
            let stands = to.contacts(target_metres, &ContactOptions::default()).toe;
            let kept = stands.iter().zip(&contacts.toe).filter(|(is, was)| **is && **was).count();
            let errors: Vec<f64> = flat.map(|frame| height(frame).abs()).collect();
            FootReport {
                role: if foot.side == Side::Left { Role::LeftFoot } else { Role::RightFoot },
                contacts: runs(&contacts.toe),
                contact_frames: is.contact_frames,
                slide_source: was.skate,
                slide: is.skate,
                slide_ratio: (scaled > 0.0).then(|| is.skate / scaled),
                float: is.float_max,
                height_mean: is.height_mean,
                height_error: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
                height_error_max: errors.iter().copied().fold(0.0, f64::max),
                penetration_max: is.penetration_max,
                penetration_source: was.penetration_max,
                toe,
                heel,
                contacts_kept: (is.contact_frames > 0).then(|| kept as f64 / is.contact_frames as f64),
            }
        })
        .collect()
}

/// Toe and heel of a foot of the target.
///
/// An ankle counts as low some time before and after its heel stands: the heel is looked at where the source's ankle
/// is as high as it stands.
fn soles(
    setting: &Setting,
    i: usize,
    foot: &FootMotion,
    limbs: &LimbMotions,
    [source_metres, metres]: [f64; 2],
) -> [SoleReport; 2] {
    /// A higher ankle has lifted its heel \[m\].
    const LIFTED: f64 = 0.01;
    let mut reports = [SoleReport::default(); 2];
    let Some(sole) = setting.feet.get(i).filter(|_| setting.feet.len() == setting.contacts.len()) else {
        return reports;
    };
    let Some([.., ankle]) = limbs.limb(sole.limb) else { return reports };
    let contacts = &setting.contacts[i];
    for (frame, ankle) in ankle.iter().enumerate() {
        let heel = ankle.translation.vector + ankle.rotation * sole.heel_offset;
        let heights = [foot.toe[frame].dot(&foot.up) - sole.toe_height, heel.dot(&foot.up)];
        let from = &setting.motions[i];
        let lifted =
            (from.ankle[frame].dot(&from.up) - setting.floor - setting.ankle) * source_metres > LIFTED;
        let stands = [contacts.toe[frame], contacts.heel[frame] && !lifted];
        for ((report, height), stands) in reports.iter_mut().zip(heights).zip(stands) {
            let above = (height - setting.target_floor) * metres;
            report.penetration = report.penetration.max(-above);
            if stands {
                report.float = report.float.max(above);
            }
        }
    }
    reports
}

/// The limits that a motion breaks; constraints are by joint.
pub(crate) fn limits(constraints: &[Constraint], motion: &Clip, asked: bool) -> LimitReport {
    let mut found = LimitReport { asked, ..LimitReport::default() };
    for (constraint, tracks) in constraints.iter().zip(motion.tracks()) {
        if !constraint.is_free() {
            let (violations, excess) = broken(constraint, &tracks.rotation, motion.frames());
            found.violations += violations;
            found.max_excess = found.max_excess.max(excess.to_degrees());
        }
    }
    found
}

/// The frames in which a joint is beyond what it can do, and how far at most \[rad\].
fn broken(constraint: &Constraint, track: &Track<UnitQuaternion<f64>>, frames: usize) -> (usize, f64) {
    /// Rounding of what was put within its limits \[rad\].
    const ROUNDING: f64 = 1e-6;
    let excess = track.values().iter().map(|rotation| constraint.excess(rotation));
    let beyond: Vec<f64> = excess.filter(|excess| *excess > ROUNDING).collect();
    let most = beyond.iter().copied().fold(0.0, f64::max);
    match track {
        // A rotation that stays is one in every frame.
        Track::Constant(_) => (beyond.len() * frames, most),
        Track::Sampled(_) => (beyond.len(), most),
    }
}

fn angles(retargeter: &Retargeter, was: &LimbMotions, is: &LimbMotions) -> Vec<AngleReport> {
    // Straight behind the body: no usual pose of a limb is near 0 or 180° from it, so the angle is smooth.
    let back = -retargeter.directions.forward;
    let mut reports = Vec::new();
    for (i, limb) in retargeter.limbs.iter().enumerate() {
        let courses = |motions: &LimbMotions, stance: &Stance| -> [Vec<f64>; 2] {
            let Some([trunk, base, middle, tip]) = motions.limb(i) else { return Default::default() };
            let back = stance.rotation[motions.trunks[i].index()].inverse() * back;
            let place = |course: &[Isometry3<f64>], frame: usize| course[frame].translation.vector;
            let (mut upper, mut bend) = (Vec::new(), Vec::new());
            for frame in 0..trunk.len() {
                let above = place(middle, frame) - place(base, frame);
                let below = place(tip, frame) - place(middle, frame);
                upper.push((trunk[frame].rotation * back).angle(&above).to_degrees());
                bend.push(above.angle(&below).to_degrees());
            }
            [upper, bend]
        };
        let was = courses(was, &retargeter.source_stance);
        let is = courses(is, &retargeter.target_stance);
        let roles = limb.target.kind.roles_of(limb.target.side);
        for (i, role) in roles.into_iter().take(2).enumerate() {
            let (rms, correlation) = (rms_difference(&was[i], &is[i]), correlation(&was[i], &is[i]));
            reports.push(AngleReport { role, rms, correlation });
        }
    }
    reports
}

fn jerk_ratio(retargeter: &Retargeter, was: &LimbMotions, is: &LimbMotions, fps: f64) -> Option<f64> {
    let mean = |motions: &LimbMotions| -> f64 {
        let tips = (0..retargeter.limbs.len()).filter_map(|i| motions.limb(i));
        tips.map(|[.., tip]| mean_jerk(&tip.iter().map(|at| at.translation.vector).collect(), fps)).sum()
    };
    let (was, is) = (mean(was), mean(is));
    (was > 0.0).then(|| is / (was * retargeter.ratios.leg))
}

/// Trunk, base, middle and tip of every limb over the frames of a clip, found in one pass.
struct LimbMotions {
    placed: Vec<Vec<Isometry3<f64>>>,
    trunks: Vec<JointId>,
}

impl LimbMotions {
    fn of<'a>(clip: &Clip, body: &Body, limbs: impl Iterator<Item = &'a Limb>) -> LimbMotions {
        let mut joints = Vec::new();
        let mut trunks = Vec::new();
        for limb in limbs {
            let trunk = if limb.kind == LimbKind::Leg { body.hips } else { body.top() };
            joints.extend([trunk, limb.base, limb.middle, limb.tip]);
            trunks.push(trunk);
        }
        LimbMotions { placed: placements(clip, &joints), trunks }
    }

    fn limb(&self, i: usize) -> Option<[&[Isometry3<f64>]; 4]> {
        let four = self.placed.get(4 * i..4 * i + 4)?;
        Some([0, 1, 2, 3].map(|k| four[k].as_slice()))
    }
}

fn steps(retargeter: &Retargeter, source: &Clip, motion: &Clip) -> StepReport {
    let angle = |step: Option<LargestStep>| step.map_or(0.0, |step| step.angle.to_degrees());
    let mut report = StepReport::default();
    for row in &retargeter.source_body.roles.rows {
        report.source = report.source.max(angle(largest_step(source, [row.joint])));
    }
    for row in &retargeter.target_body.roles.rows {
        let Some(is) = largest_step(motion, [row.joint]) else { continue };
        let degrees = is.angle.to_degrees();
        if degrees > report.target {
            report.target = degrees;
            report.joint = motion.skeleton().joint(row.joint).name.clone();
            report.frame = is.frame;
        }
        if let Some(from) = retargeter.source_body.roles.joint(row.role) {
            let excess = degrees - source_step(retargeter, source, from, row.joint).to_degrees();
            if excess > report.excess {
                (report.excess, report.excess_role) = (excess, Some(row.role));
            }
        }
    }
    report
}

/// The largest step \[rad\] of a joint of the source, seen from the joint that stands for the one above `target`:
/// a head without a neck below it turns as head and neck of the source do.
fn source_step(retargeter: &Retargeter, source: &Clip, joint: JointId, target: JointId) -> f64 {
    let skeleton = &retargeter.target;
    let mut above = skeleton.joint(target).parent;
    let mut from = None;
    while let Some(id) = above.filter(|_| from.is_none()) {
        from =
            retargeter.target_body.roles.role(id).and_then(|role| retargeter.source_body.roles.joint(role));
        above = skeleton.joint(id).parent;
    }
    step_from(source, from, joint)
}

/// The largest step \[rad\] of a joint as seen from another above it, or its own where that is larger.
pub(crate) fn step_from(source: &Clip, from: Option<JointId>, joint: JointId) -> f64 {
    let own = largest_step(source, [joint]).map_or(0.0, |step| step.angle);
    let path = from.and_then(|from| source.skeleton().path(from, joint)).unwrap_or_default();
    if path.len() <= 2 {
        return own;
    }
    let turn = |frame: usize| {
        path[1..]
            .iter()
            .fold(UnitQuaternion::identity(), |turn, id| turn * source.track(*id).rotation.at(frame))
    };
    let mut before = None;
    let steps = (0..source.frames()).map(|frame| {
        let now = turn(frame);
        before.replace(now).map_or(0.0, |before| angle_between(&before, &now))
    });
    steps.fold(own, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{Dofs, EulerOrder, Joint, Limit, Vector3, exp};

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
        let still = broken(&constraint, &Track::Constant(turned(0.75)), 100);
        let moving = broken(&constraint, &Track::Sampled(vec![turned(0.75); 100]), 100);
        assert_eq!(still, moving);
        assert!(still.0 == 100 && (still.1 - 0.25).abs() < 1e-9, "{still:?}");
        assert_eq!(broken(&constraint, &Track::Constant(turned(0.25)), 100).0, 0);
    }
}
