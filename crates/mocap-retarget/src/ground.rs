//! What the source clip says about its floor and feet, before the first frame.

use crate::body::Body;
use crate::collar;
use crate::error::RetargetError;
use crate::evidence::{Sample, refined};
use crate::options::{Floor, FootLock, Method};
use crate::plant::Sole;
use crate::retargeter::Retargeter;
use crate::stance::Stance;
use crate::transfer::{Rule, rules};
use mocap_analysis::{ContactOptions, Foot, FootContacts, FootMotion, SoleHeights, feet_of, floor_of};
use mocap_model::{Clip, JointId, UnitQuaternion, Vector3};

/// Heights and contacts of one clip on one pair of skeletons.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    pub source_feet: Vec<Foot>,
    pub target_feet: Vec<Foot>,
    /// The motion of the source's feet.
    pub motions: Vec<FootMotion>,
    pub contacts: Vec<FootContacts>,
    /// Height of the source's floor [units of the source].
    pub floor: f64,
    /// Height of the source's ankles above its floor when it stands.
    pub ankle: f64,
    /// Height of the target's floor [units of the target].
    pub target_floor: f64,
    /// Height of the target's ankles above its floor when it stands.
    pub target_ankle: f64,
    /// Feet of the target, in the order of the contacts.
    pub feet: Vec<Sole>,
    /// Whether they are pinned where they stand.
    pub lock: bool,
    /// The rules of the retargeter, with the source's stance as its motion shows it.
    pub rules: Vec<Rule>,
    /// By limb of the retargeter: the axis about which the source's bends, in the frame of its first joint.
    pub bends: Vec<Vector3<f64>>,
    pub stands: bool,
}

/// A toe joint that rests this deep below the floor has none there \[m\].
const SUNK: f64 = 0.01;

pub(crate) fn setting(retargeter: &Retargeter, source: &Clip) -> Result<Setting, RetargetError> {
    let up = retargeter.directions.up;
    let source_feet = feet_of(source.skeleton());
    let target_feet = feet_of(&retargeter.target);
    let options = ContactOptions::default();
    let motions = FootMotion::of(source, &source_feet);
    let contacts: Vec<FootContacts> =
        motions.iter().map(|foot| foot.contacts(retargeter.metres[0], &options)).collect();
    let floor = floor_of(&motions, &contacts).unwrap_or(0.0);
    let standing: Vec<Option<SoleHeights>> =
        motions.iter().zip(&contacts).map(|(foot, contacts)| foot.sole_heights(contacts, floor)).collect();
    let stands = standing.iter().any(Option::is_some);
    let same = same_feet(retargeter, &source_feet, &target_feet);
    let posed = |stance: &Stance, feet: &[Foot]| -> Vec<SoleHeights> {
        feet.iter().map(|foot| posed_heights(stance, foot, &up)).collect()
    };
    let sample = Sample::of(source, &retargeter.source_body);
    let sides: Vec<_> = source_feet.iter().map(|foot| foot.side).zip(&contacts).collect();
    let (body, stance) = (&retargeter.source_body, &retargeter.source_stance);
    let mut stance = refined(stance, &retargeter.source_base, source.skeleton(), body, &sample, &sides)?;
    if stance.made {
        collar::rolled(&mut stance, source, body);
    }
    let source_posed: Vec<SoleHeights> = source_feet
        .iter()
        .map(|foot| refined_heights(&retargeter.source_stance, &stance, foot, &up))
        .collect();
    // Feet that stand deep in their own floor do not show how high they are.
    let sunk = standing.iter().flatten().any(|heights| heights.toe * retargeter.metres[0] < -SUNK);
    let (heights, floor) = match sunk {
        true => {
            let lower = |(standing, posed): (&Option<SoleHeights>, &SoleHeights)| {
                standing.map(|standing| standing.ankle - posed.ankle)
            };
            let lower: Vec<f64> = standing.iter().zip(&source_posed).filter_map(lower).collect();
            (source_posed, floor + lower.iter().sum::<f64>() / lower.len() as f64)
        }
        false => {
            let pairs = standing.iter().zip(source_posed);
            (pairs.map(|(standing, posed)| standing.unwrap_or(posed)).collect::<Vec<_>>(), floor)
        }
    };
    let target_heights = if same { heights.clone() } else { posed(&retargeter.target_stance, &target_feet) };
    let mean_ankle = |heights: &[SoleHeights]| {
        heights.iter().map(|heights| heights.ankle).sum::<f64>() / heights.len().max(1) as f64
    };
    let rules = if same {
        retargeter.rules.clone()
    } else {
        rules(
            (source.skeleton(), body, &stance),
            (&retargeter.target, &retargeter.target_body, &retargeter.target_stance),
            &retargeter.options.pairs,
        )
    };
    let feet = (0..target_feet.len()).filter_map(|i| {
        let flat = match same {
            true => stance.rotation[source_feet[i].ankle.index()],
            false => retargeter.target_stance.rotation[target_feet[i].ankle.index()],
        };
        sole(retargeter, &target_feet[i], &target_heights[i], &flat)
    });
    let feet: Vec<Sole> = feet.collect();
    let lock = retargeter.options.method == Method::Scale
        && feet.len() == contacts.len()
        && match retargeter.options.lock {
            FootLock::On => true,
            FootLock::Off => false,
            FootLock::Auto => !(same && same_legs(retargeter)),
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
        ankle: mean_ankle(&heights),
        target_floor: match retargeter.options.floor {
            Floor::At(height) => height,
            Floor::Auto | Floor::Off => floor * retargeter.ratios.leg,
        },
        target_ankle: mean_ankle(&target_heights),
        feet,
        lock,
        rules,
        bends,
        stands,
        source_feet,
        target_feet,
        motions,
        contacts,
    })
}

/// How far ankle and toe are above the lowest point of the foot in the stance.
fn posed_heights(stance: &Stance, foot: &Foot, up: &Vector3<f64>) -> SoleHeights {
    let height = |joint: &JointId| stance.position[joint.index()].dot(up);
    let lowest = foot.points.iter().map(height).fold(f64::INFINITY, f64::min);
    SoleHeights { ankle: height(&foot.ankle) - lowest, toe: height(&foot.toe) - lowest }
}

/// The same where the foot is turned as a refined stance has it.
fn refined_heights(stance: &Stance, refined: &Stance, foot: &Foot, up: &Vector3<f64>) -> SoleHeights {
    let ankle = foot.ankle.index();
    let turn = refined.rotation[ankle] * stance.rotation[ankle].inverse();
    let height = |joint: &JointId| (turn * (stance.position[joint.index()] - stance.position[ankle])).dot(up);
    let lowest = foot.points.iter().map(height).fold(f64::INFINITY, f64::min);
    SoleHeights { ankle: -lowest, toe: height(&foot.toe) - lowest }
}

/// A foot of the target; `flat` is the orientation of its ankle where it is flat.
fn sole(
    retargeter: &Retargeter,
    foot: &Foot,
    heights: &SoleHeights,
    flat: &UnitQuaternion<f64>,
) -> Option<Sole> {
    let limb = retargeter.limbs.iter().position(|limb| limb.target.tip == foot.ankle)?;
    let stance = &retargeter.target_stance;
    let from = |at: JointId, to: JointId| {
        stance.rotation[at.index()].inverse() * (stance.position[to.index()] - stance.position[at.index()])
    };
    let toe = retargeter.target.joint(foot.toe);
    let turns = toe.parent == Some(foot.ankle) && !toe.end_site;
    let tips = retargeter.target.subtree(foot.toe).into_iter().skip(1).filter(|_| turns);
    Some(Sole {
        limb,
        toe: foot.toe,
        toe_offset: from(foot.ankle, foot.toe),
        heel_offset: flat.inverse() * (retargeter.directions.up * -heights.ankle),
        toe_height: heights.toe,
        toe_axis: stance.rotation[foot.toe.index()].inverse() * retargeter.directions.left,
        tips: tips.map(|tip| from(foot.toe, tip)).filter(|tip| tip.norm() > 0.0).collect(),
    })
}

/// Whether the legs, and what lies between them, are of the same lengths.
fn same_legs(retargeter: &Retargeter) -> bool {
    let points = |body: &Body| body.legs().map(|leg| [leg.base, leg.middle, leg.tip]).concat();
    let place = |stance: &Stance, joint: JointId| stance.position[joint.index()];
    let size = retargeter.target_stance.limb_length(retargeter.target_body.legs()[0]);
    points(&retargeter.source_body).into_iter().zip(points(&retargeter.target_body)).all(|(a, b)| {
        let (a, b) = (place(&retargeter.source_stance, a), place(&retargeter.target_stance, b));
        (a - b).norm() < 1e-6 * size
    })
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
