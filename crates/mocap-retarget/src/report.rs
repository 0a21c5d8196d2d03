//! What became of a motion, in numbers.

use crate::Warning;
use crate::body::LimbKind;
use crate::frames::Solve;
use crate::ground::Setting;
use crate::retargeter::{Ratios, Retargeter};
use mocap_analysis::{
    FootMeasure, correlation, foot_measure, largest_step, mean_jerk, rms_difference, trajectories, trajectory,
};
use mocap_model::{Clip, Role, Side, Vector3, angle_between};

/// What became of a motion. Lengths are metres (see [`Report::metres`]), angles degrees.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The number of frames.
    pub frames: usize,
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
    /// Mean distance from the goal [m].
    pub mean: f64,
    /// 95 % of the frames have at most this distance [m].
    pub p95: f64,
    /// The largest distance [m].
    pub max: f64,
    /// The largest distance in the frames whose goal is within reach [m].
    pub max_reachable: f64,
    /// Frames whose goal is further than the limb is long.
    pub unreachable_frames: usize,
}

/// How well a foot stands, on the contacts of the source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FootReport {
    /// The role of the foot.
    pub role: Role,
    /// Frames in which the source's toe stands.
    pub contact_frames: usize,
    /// Mean speed of the source's toe while it stands [m/s].
    pub slide_source: f64,
    /// Mean speed of the target's toe in the same frames [m/s].
    pub slide: f64,
    /// `slide` over `slide_source` scaled by the ratio of the legs; `None` where the source does not slide.
    pub slide_ratio: Option<f64>,
    /// The largest height of the foot above the floor while it stands [m].
    pub float: f64,
    /// Mean height of the foot above the floor while it stands [m].
    pub height_mean: f64,
    /// Mean difference of that height from the source's, while toe and heel stand [m].
    pub height_error: f64,
    /// The largest such difference [m].
    pub height_error_max: f64,
    /// The greatest depth below the floor in all frames [m].
    pub penetration_max: f64,
    /// The same of the source [m].
    pub penetration_source: f64,
}

/// Limits that are broken.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitReport {
    /// Joint-frames beyond a limit or with a turn that the joint cannot make.
    pub violations: usize,
    /// The greatest angle beyond [deg].
    pub max_excess: f64,
}

/// One angle of a limb over time, against the source's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleReport {
    /// The role of the joint: an upper leg or arm (its direction from the trunk) or a lower one (its bend).
    pub role: Role,
    /// The root of the mean squared difference [deg].
    pub rms: f64,
    /// Pearson's correlation; `None` where one of the angles does not change.
    pub correlation: Option<f64>,
}

/// Largest steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Of the target [deg].
    pub target: f64,
    /// The joint of the target; empty where nothing turns.
    pub joint: String,
    /// The frame in which it had turned.
    pub frame: usize,
    /// Of the source [deg].
    pub source: f64,
    /// The largest difference, by role, of the target's step over the step of the source's joint [deg].
    pub excess: f64,
    /// The role of that difference.
    pub excess_role: Option<Role>,
}

pub(crate) fn report(
    retargeter: &Retargeter,
    source: &Clip,
    setting: &Setting,
    motion: &Clip,
    solves: Vec<Vec<Solve>>,
) -> Report {
    let mut warnings = retargeter.warnings.clone();
    if source.frames() == 0 {
        warnings.push(Warning::NoFrames);
    } else if !setting.stands {
        warnings.push(Warning::NoContacts);
    }
    Report {
        frames: motion.frames(),
        scale: retargeter.ratios,
        metres: retargeter.metres,
        mapping: mapping(retargeter),
        effectors: effectors(retargeter, &solves),
        feet: feet(retargeter, source, setting, motion),
        limits: limits(retargeter, motion),
        angles: angles(retargeter, source, motion),
        jerk_ratio: jerk_ratio(retargeter, source, motion),
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
        let reachable = solves.iter().filter(|solve| solve.reachable);
        reports.push(EffectorReport {
            role: limb.target.kind.roles_of(limb.target.side)[2],
            mean: errors.iter().sum::<f64>() / errors.len() as f64,
            p95: errors[(errors.len() * 95).div_ceil(100) - 1],
            max: errors[errors.len() - 1],
            max_reachable: reachable.map(|solve| solve.error * retargeter.metres[1]).fold(0.0, f64::max),
            unreachable_frames: solves.iter().filter(|solve| !solve.reachable).count(),
        });
    }
    reports
}

fn feet(retargeter: &Retargeter, source: &Clip, setting: &Setting, motion: &Clip) -> Vec<FootReport> {
    let [metres, target_metres] = retargeter.metres;
    let feet = setting.source_feet.iter().zip(&setting.target_feet).zip(&setting.contacts);
    feet.map(|((from, to), contacts)| {
        let was: FootMeasure = foot_measure(source, from, contacts, setting.floor, metres);
        let is = foot_measure(motion, to, contacts, setting.target_floor, target_metres);
        let scaled = was.slide * retargeter.ratios.leg * target_metres / metres;
        let up = retargeter.directions.up;
        let heights = |clip: &Clip, points: &[mocap_model::JointId], floor: f64, metres: f64| -> Vec<f64> {
            let points = trajectories(clip, points);
            let lowest =
                |frame: usize| points.iter().map(|t| t[frame].dot(&up)).fold(f64::INFINITY, f64::min);
            (0..clip.frames()).map(|frame| (lowest(frame) - floor) * metres).collect()
        };
        let from_heights = heights(source, &from.points, setting.floor, metres);
        let to_heights = heights(motion, &to.points, setting.target_floor, target_metres);
        let flat = (0..motion.frames()).filter(|i| contacts.toe[*i] && contacts.heel[*i]);
        let errors: Vec<f64> = flat.map(|i| (to_heights[i] - from_heights[i]).abs()).collect();
        FootReport {
            role: if from.side == Side::Left { Role::LeftFoot } else { Role::RightFoot },
            contact_frames: is.contact_frames,
            slide_source: was.slide,
            slide: is.slide,
            slide_ratio: (scaled > 0.0).then(|| is.slide / scaled),
            float: is.float_max,
            height_mean: is.height_mean,
            height_error: errors.iter().sum::<f64>() / errors.len().max(1) as f64,
            height_error_max: errors.iter().copied().fold(0.0, f64::max),
            penetration_max: is.penetration_max,
            penetration_source: was.penetration_max,
        }
    })
    .collect()
}

fn limits(retargeter: &Retargeter, motion: &Clip) -> LimitReport {
    /// Rounding of what was put within its limits [rad].
    const ROUNDING: f64 = 1e-6;
    let mut found = LimitReport::default();
    for (constraint, tracks) in retargeter.constraints.iter().zip(motion.tracks()) {
        if constraint.is_free() {
            continue;
        }
        for rotation in tracks.rotation.values() {
            let excess = constraint.excess(rotation);
            if excess > ROUNDING {
                found.violations += 1;
                found.max_excess = found.max_excess.max(excess.to_degrees());
            }
        }
    }
    found
}

fn angles(retargeter: &Retargeter, source: &Clip, motion: &Clip) -> Vec<AngleReport> {
    let mut reports = Vec::new();
    for limb in &retargeter.limbs {
        let side = (&limb.source, &limb.target);
        let course = |clip: &Clip, limb: &crate::body::Limb, hips, down: Vector3<f64>| -> [Vec<f64>; 2] {
            let [base, middle, tip] =
                <[_; 3]>::try_from(trajectories(clip, &[limb.base, limb.middle, limb.tip])).expect("three");
            let mut object = mocap_model::Pose::default();
            let mut local = mocap_model::Pose::default();
            let upper = (0..clip.frames()).map(|i| {
                clip.local_pose(i, &mut local);
                local.to_object(clip.skeleton(), &mut object);
                let trunk: &mocap_model::JointId = &hips;
                let down = object.joints[trunk.index()].rotation * down;
                down.angle(&(middle[i] - base[i])).to_degrees()
            });
            let upper = upper.collect();
            let bend =
                (0..clip.frames()).map(|i| (middle[i] - base[i]).angle(&(tip[i] - middle[i])).to_degrees());
            [upper, bend.collect()]
        };
        let trunk =
            |body: &crate::body::Body, kind| if kind == LimbKind::Leg { body.hips } else { body.top() };
        let (from_trunk, to_trunk) =
            (trunk(&retargeter.source_body, side.0.kind), trunk(&retargeter.target_body, side.1.kind));
        // Straight behind the body: no usual pose of a limb is near 0 or 180° from it, so the angle is smooth.
        let back = -retargeter.directions.forward;
        let from_back = retargeter.source_stance.rotation[from_trunk.index()].inverse() * back;
        let to_back = retargeter.target_stance.rotation[to_trunk.index()].inverse() * back;
        let was = course(source, side.0, from_trunk, from_back);
        let is = course(motion, side.1, to_trunk, to_back);
        let roles = limb.target.kind.roles_of(limb.target.side);
        for (i, role) in roles.into_iter().take(2).enumerate() {
            let (rms, correlation) = (rms_difference(&was[i], &is[i]), correlation(&was[i], &is[i]));
            reports.push(AngleReport { role, rms, correlation });
        }
    }
    reports
}

fn jerk_ratio(retargeter: &Retargeter, source: &Clip, motion: &Clip) -> Option<f64> {
    let fps = source.rate().fps();
    let mean = |clip: &Clip, joints: Vec<mocap_model::JointId>| -> f64 {
        joints.into_iter().map(|joint| mean_jerk(&trajectory(clip, joint), fps)).sum()
    };
    let was = mean(source, retargeter.limbs.iter().map(|limb| limb.source.tip).collect());
    let is = mean(motion, retargeter.limbs.iter().map(|limb| limb.target.tip).collect());
    (was > 0.0).then(|| is / (was * retargeter.ratios.leg))
}

fn steps(retargeter: &Retargeter, source: &Clip, motion: &Clip) -> StepReport {
    let joints = |body: &crate::body::Body| body.roles.rows.iter().map(|row| row.joint).collect::<Vec<_>>();
    let was = largest_step(source, joints(&retargeter.source_body));
    let is = largest_step(motion, joints(&retargeter.target_body));
    let of = |clip: &Clip, joint| {
        let rotations = clip.track(joint).rotation.values();
        rotations.windows(2).map(|pair| angle_between(&pair[0], &pair[1]).to_degrees()).fold(0.0, f64::max)
    };
    let excess = retargeter.target_body.roles.rows.iter().filter_map(|row| {
        let from = retargeter.source_body.roles.joint(row.role)?;
        Some((of(motion, row.joint) - of(source, from), row.role))
    });
    let excess =
        excess.fold((0.0, None), |most, (next, role)| if next > most.0 { (next, Some(role)) } else { most });
    StepReport {
        target: is.map_or(0.0, |step| step.angle.to_degrees()),
        joint: is.map_or(String::new(), |step| motion.skeleton().joint(step.joint).name.clone()),
        frame: is.map_or(0, |step| step.frame),
        source: was.map_or(0.0, |step| step.angle.to_degrees()),
        excess: excess.0,
        excess_role: excess.1,
    }
}
