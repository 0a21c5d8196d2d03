//! What the source clip says about its floor and feet, before the first frame.

use crate::retargeter::Retargeter;
use crate::stance::Stance;
use crate::transfer::Rule;
use mocap_analysis::{ContactOptions, Foot, FootContacts, contacts, feet_of, floor_height, sole_heights};
use mocap_model::{Clip, JointId, Pose, Role, UnitQuaternion, Vector3, exp, log, swing_twist};
use std::f64::consts::FRAC_PI_4;

/// Heights and contacts of one clip on one pair of skeletons.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    pub source_feet: Vec<Foot>,
    pub target_feet: Vec<Foot>,
    pub contacts: Vec<FootContacts>,
    /// Height of the source's floor [units of the source].
    pub floor: f64,
    /// Height of the source's ankles above its floor when it stands.
    pub ankle: f64,
    /// Height of the target's floor [units of the target].
    pub target_floor: f64,
    /// Height of the target's ankles above its floor when it stands.
    pub target_ankle: f64,
    /// The rules of the retargeter, with feet that are flat where the source's are.
    pub rules: Vec<Rule>,
    pub stands: bool,
}

/// A foot frame further than this from flat in all contacts is not calibrated: the source never stands flat.
const CREDIBLE: f64 = FRAC_PI_4;
/// Fewer flat frames than this say nothing.
const FEWEST: usize = 5;

pub(crate) fn setting(retargeter: &Retargeter, source: &Clip) -> Setting {
    let up = retargeter.directions.up;
    let source_feet = feet_of(source.skeleton());
    let target_feet = feet_of(&retargeter.target);
    let options = ContactOptions::default();
    let contacts: Vec<FootContacts> =
        source_feet.iter().map(|foot| contacts(source, foot, retargeter.metres[0], &options)).collect();
    let floor = floor_height(source, &source_feet, &contacts).unwrap_or(0.0);
    let standing: Vec<f64> = source_feet
        .iter()
        .zip(&contacts)
        .filter_map(|(foot, contacts)| Some(sole_heights(source, foot, contacts, floor)?.ankle))
        .collect();
    let stance_ankle = |stance: &Stance, feet: &[Foot]| mean(feet.iter().map(|foot| ankle_height(stance, foot, &up)));
    let stands = !standing.is_empty();
    let same = same_feet(retargeter, &source_feet, &target_feet);
    let ankle = if stands { mean(standing.into_iter()) } else { stance_ankle(&retargeter.source_stance, &source_feet) };
    let target_ankle = if same { ankle } else { stance_ankle(&retargeter.target_stance, &target_feet) };
    let rules = if same { retargeter.rules.clone() } else { flat_rules(retargeter, source, &source_feet, &contacts) };
    Setting {
        floor,
        ankle,
        target_floor: retargeter.options.floor.unwrap_or(floor * retargeter.ratios.leg),
        target_ankle,
        rules,
        stands,
        source_feet,
        target_feet,
        contacts,
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (count, sum) = values.fold((0usize, 0.0), |(count, sum), value| (count + 1, sum + value));
    sum / count.max(1) as f64
}

/// How far the ankle is above the lowest point of the foot in the stance.
fn ankle_height(stance: &Stance, foot: &Foot, up: &Vector3<f64>) -> f64 {
    let height = |joint: &JointId| stance.position[joint.index()].dot(up);
    let lowest = foot.points.iter().map(height).fold(f64::INFINITY, f64::min);
    height(&foot.ankle) - lowest
}

/// Whether both skeletons have the very same feet: what is flat on one is flat on the other.
fn same_feet(retargeter: &Retargeter, source: &[Foot], target: &[Foot]) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * (a.abs() + b.abs());
    source.len() == target.len()
        && source.iter().zip(target).all(|(a, b)| {
            a.points.len() == b.points.len()
                && a.points.iter().zip(&b.points).skip(1).all(|(a, b)| {
                    let (a, b) = (retargeter.source.joint(*a), retargeter.target.joint(*b));
                    let across = (a.offset - b.offset).norm();
                    a.name == b.name && near(across + a.offset.norm(), a.offset.norm())
                })
        })
}

/// The rules with the frames of feet and toes as they are where the source stands flat.
///
/// A rest pose says little about which way of a foot is flat (CMU's legs are splayed, several exporters have
/// feet in line with the shank): the frames in which toe and heel are still say it.
fn flat_rules(retargeter: &Retargeter, source: &Clip, feet: &[Foot], contacts: &[FootContacts]) -> Vec<Rule> {
    let mut rules = retargeter.rules.clone();
    let (mut local, mut object) = (Pose::default(), Pose::default());
    for (foot, contacts) in feet.iter().zip(contacts) {
        let roles = match foot.side {
            mocap_model::Side::Left => [Role::LeftFoot, Role::LeftToes],
            mocap_model::Side::Right => [Role::RightFoot, Role::RightToes],
        };
        let joints = roles.map(|role| retargeter.source_body.roles.joint(role));
        let flat: Vec<usize> = (0..source.frames()).filter(|i| contacts.toe[*i] && contacts.heel[*i]).collect();
        if flat.len() < FEWEST {
            continue;
        }
        let mut tilts = [Vec::new(), Vec::new()];
        for frame in &flat {
            source.local_pose(*frame, &mut local);
            local.to_object(source.skeleton(), &mut object);
            for (joint, tilts) in joints.iter().zip(&mut tilts) {
                if let Some(joint) = joint {
                    let stance = &retargeter.source_stance.rotation[joint.index()];
                    tilts.push(tilt(&(object.joints[joint.index()].rotation * stance.inverse()), &retargeter.directions.up));
                }
            }
        }
        for (role, tilts) in roles.into_iter().zip(tilts) {
            let Some(target) = retargeter.target_body.roles.joint(role) else { continue };
            let tilt = exp(&median(&tilts));
            if let Rule::Follow { source, .. } = rules[target.index()]
                && tilt.angle() < CREDIBLE
            {
                let flat = tilt * retargeter.source_stance.rotation[source.index()];
                let frame = flat.inverse() * retargeter.target_stance.rotation[target.index()];
                rules[target.index()] = Rule::Follow { source, frame };
            }
        }
    }
    rules
}

/// The rotation vector of what a turn does beside turning about the up axis, seen before that.
fn tilt(turn: &UnitQuaternion<f64>, up: &Vector3<f64>) -> Vector3<f64> {
    let (swing, twist) = swing_twist(turn, up);
    log(&(twist.inverse() * swing * twist))
}

fn median(vectors: &[Vector3<f64>]) -> Vector3<f64> {
    if vectors.is_empty() {
        return Vector3::zeros();
    }
    Vector3::from_fn(|axis, _| {
        let mut values: Vec<f64> = vectors.iter().map(|vector| vector[axis]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    })
}
