//! What the source clip says about its floor and feet, before the first frame.

use crate::error::RetargetError;
use crate::evidence::{Sample, refined};
use crate::retargeter::Retargeter;
use crate::stance::Stance;
use crate::transfer::{Rule, rules};
use mocap_analysis::{ContactOptions, Foot, FootContacts, contacts, feet_of, floor_height, sole_heights};
use mocap_model::{Clip, JointId, Vector3};

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
    /// The rules of the retargeter, with the source's stance as its motion shows it.
    pub rules: Vec<Rule>,
    /// By limb of the retargeter: the axis about which the source's bends, in the frame of its first joint.
    pub bends: Vec<Vector3<f64>>,
    pub stands: bool,
}

pub(crate) fn setting(retargeter: &Retargeter, source: &Clip) -> Result<Setting, RetargetError> {
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
    let stance_ankle =
        |stance: &Stance, feet: &[Foot]| mean(feet.iter().map(|foot| ankle_height(stance, foot, &up)));
    let stands = !standing.is_empty();
    let same = same_feet(retargeter, &source_feet, &target_feet);
    let ankle = if stands {
        mean(standing.into_iter())
    } else {
        stance_ankle(&retargeter.source_stance, &source_feet)
    };
    let target_ankle = if same { ankle } else { stance_ankle(&retargeter.target_stance, &target_feet) };
    let sample = Sample::of(source);
    let rules = if same {
        retargeter.rules.clone()
    } else {
        let sides: Vec<_> = source_feet.iter().map(|foot| foot.side).zip(&contacts).collect();
        let (body, stance) = (&retargeter.source_body, &retargeter.source_stance);
        let stance = refined(stance, &retargeter.source_base, source.skeleton(), body, &sample, &sides)?;
        rules(
            (source.skeleton(), body, &stance),
            (&retargeter.target, &retargeter.target_body, &retargeter.target_stance),
        )
    };
    let bends = retargeter.limbs.iter().map(|limb| {
        sample.bend_axis(&limb.source).unwrap_or_else(|| {
            let stance = retargeter.source_stance.rotation[limb.source.base.index()];
            stance.inverse() * retargeter.directions.bend(&limb.source)
        })
    });
    let bends = bends.collect();
    Ok(Setting {
        floor,
        ankle,
        target_floor: retargeter.options.floor.unwrap_or(floor * retargeter.ratios.leg),
        target_ankle,
        rules,
        bends,
        stands,
        source_feet,
        target_feet,
        contacts,
    })
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
