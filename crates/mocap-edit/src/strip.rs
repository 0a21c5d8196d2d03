//! Strip: removes joints that a motion does not need; the others keep their transforms in object space.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use mocap_model::{Chain, Clip, Joint, JointId, JointTracks, Pose, Role, Skeleton, UnitQuaternion, Vector3};

use crate::body::Body;
use crate::frame_values::collapsed;
use crate::{EditError, EditReport};

/// A kind of joints that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strip {
    /// All joints below the hands, except props.
    Fingers,
    /// Twist joints and joints that share the skin of a limb: without a role, recognised by their names.
    Twist,
    /// Weapons, sockets and objects: without a role at or below them, recognised by their names, or roots without a
    /// body.
    Props,
}

impl Strip {
    const ALL: [(Strip, &'static str); 3] =
        [(Strip::Fingers, "fingers"), (Strip::Twist, "twist"), (Strip::Props, "props")];
}

impl fmt::Display for Strip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = Strip::ALL.iter().find(|(kind, _)| kind == self);
        f.write_str(named.map_or("", |(_, name)| name))
    }
}

impl FromStr for Strip {
    type Err = String;

    fn from_str(text: &str) -> Result<Strip, String> {
        let found = Strip::ALL.iter().find(|(_, name)| *name == text);
        found.map(|(kind, _)| *kind).ok_or_else(|| format!("'{text}' is not fingers, twist or props"))
    }
}

mocap_model::text_values! {
    Strip "fingers, twist or props";
}

/// Words of joints that twist or share skin, in lower case.
const TWIST: [&str; 4] = ["twist", "roll", "sharebone", "_share"];
/// Words of props and sockets, in lower case.
const PROPS: [&str; 11] =
    ["prop", "weapon", "socket", "attach", "camera", "sword", "gun", "ball", "item", "object", "dummy"];

/// Removes joints; the others keep their transforms in object space.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{Strip, strip};
///
/// let (slim, report) = strip(&clip, Strip::Twist)?;
/// assert!(slim.skeleton().len() <= clip.skeleton().len());
/// println!("{report}");
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// Where a number overflows.
pub fn strip(clip: &Clip, what: Strip) -> Result<(Clip, EditReport), EditError> {
    let skeleton = Body::of(clip).skeleton;
    let gone = stripped(&skeleton, what);
    let names: Vec<&str> = skeleton
        .iter()
        .filter(|(id, joint)| gone[id.index()] && !joint.end_site)
        .map(|(_, joint)| joint.name.as_str())
        .collect();
    if names.is_empty() {
        let mut report = EditReport::measured("strip", clip, clip);
        let message = format!("no joint of the skeleton is one of the {what}: nothing was left out");
        report.warn("edit::nothing-to-strip", message);
        return Ok((clip.clone(), report));
    }
    let slim = match clip.has_scale() {
        // What stays keeps its place, also below a joint that scales and is left out.
        true => {
            let model = |error| EditError::model("strip", error);
            let scales = (0..clip.skeleton().len()).filter(|joint| !gone[*joint]);
            let scales = scales.map(|joint| clip.tracks()[joint].scale.clone()).collect();
            without(&*clip.without_scale().map_err(model)?, &gone)?.with_scale(scales).map_err(model)?
        }
        false => without(clip, &gone)?,
    };
    let listed = names.iter().take(8).copied().collect::<Vec<_>>().join(", ");
    let more = if names.len() > 8 { ", …" } else { "" };
    let note = format!("left out: {listed}{more}");
    let report =
        EditReport::measured("strip", clip, &slim).figure("joints", names.len() as f64, "").note(note);
    Ok((slim, report))
}

/// By joint, whether it is left out.
fn stripped(skeleton: &Skeleton, what: Strip) -> Vec<bool> {
    let has = |name: &str, words: &[&str]| {
        let name = name.to_lowercase();
        words.iter().any(|word| name.contains(word))
    };
    let no_body = |id: JointId| skeleton.subtree(id).iter().all(|id| skeleton.joint(*id).role.is_none());
    let is_prop = |id: JointId| {
        let joint = skeleton.joint(id);
        let apart = joint.parent.is_none() && skeleton.roots().count() > 1;
        !joint.end_site && no_body(id) && (apart || has(&joint.name, &PROPS))
    };
    let mut gone = vec![false; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        let above = joint.parent.filter(|parent| gone[parent.index()]);
        gone[id.index()] = match what {
            Strip::Twist => match above {
                // An end site is left out with its joint only.
                Some(_) if joint.end_site => true,
                _ => joint.role.is_none() && !joint.end_site && has(&joint.name, &TWIST),
            },
            Strip::Props => above.is_some() || is_prop(id),
            Strip::Fingers => {
                let on_hand = joint.parent.is_some_and(|parent| {
                    matches!(skeleton.joint(parent).role, Some(Role::LeftHand | Role::RightHand))
                });
                above.is_some() || (on_hand && !joint.end_site && !is_prop(id))
            }
        };
    }
    gone
}

/// The motion without some joints.
fn without(clip: &Clip, gone: &[bool]) -> Result<Clip, EditError> {
    let old = clip.skeleton();
    let mut places: Vec<Option<JointId>> = vec![None; old.len()];
    let mut kept: Vec<JointId> = Vec::new();
    for (id, _) in old.iter().filter(|(id, _)| !gone[id.index()]) {
        places[id.index()] = Some(JointId::from(kept.len()));
        kept.push(id);
    }
    // The nearest joint above that stays.
    let parent = |id: JointId| {
        std::iter::successors(old.joint(id).parent, |id| old.joint(*id).parent).find(|id| !gone[id.index()])
    };
    let mut rest = Pose::default();
    Pose::rest(old).to_object(old, &mut rest);
    let joints = kept.iter().map(|id| {
        let joint = old.joint(*id);
        let above = parent(*id);
        if above == joint.parent {
            let parent = above.and_then(|id| places[id.index()]);
            return Joint { parent, ..joint.clone() };
        }
        let own = rest.joints[id.index()];
        let local = above.map_or(own, |above| rest.joints[above.index()].inverse() * own);
        Joint {
            parent: above.and_then(|id| places[id.index()]),
            offset: local.translation.vector,
            rest_rotation: local.rotation,
            ..joint.clone()
        }
    });
    let place = |id: JointId| places[id.index()];
    let chains = old.chains().iter().filter_map(|chain| {
        let (base, tip) = (place(chain.base)?, place(chain.tip)?);
        Some(Chain { name: chain.name.clone(), base, tip })
    });
    let couplings = old.couplings().iter().filter_map(|coupling| coupling.with_joints(place)).collect();
    let skeleton = Skeleton::new(old.name(), *old.space(), joints.collect())
        .and_then(|skeleton| skeleton.with_chains(chains.collect()))
        .and_then(|skeleton| skeleton.with_couplings(couplings))
        .map_err(|error| EditError::model("strip", error))?;
    let tracks = kept.iter().map(|id| match parent(*id) == old.joint(*id).parent {
        true => clip.track(*id).clone(),
        false => over_the_gap(clip, *id, parent(*id)),
    });
    Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks.collect())
        .and_then(|slim| slim.with_annotations(clip.annotations().clone()))
        .map_err(|error| EditError::model("strip", error))
}

/// The tracks of a joint whose parent is left out: its local transform below `above`.
fn over_the_gap(clip: &Clip, id: JointId, above: Option<JointId>) -> JointTracks {
    let (mut rotations, mut translations) = (Vec::new(), Vec::new());
    for frame in 0..clip.frames() {
        let mut local = clip.local(id, frame);
        let mut at = clip.skeleton().joint(id).parent;
        while let Some(joint) = at.filter(|joint| Some(*joint) != above) {
            local = clip.local(joint, frame) * local;
            at = clip.skeleton().joint(joint).parent;
        }
        rotations.push(local.rotation);
        translations.push(local.translation.vector);
    }
    JointTracks {
        rotation: collapsed(rotations, UnitQuaternion::identity()),
        translation: Some(collapsed(translations, Vector3::zeros())),
        scale: clip.track(id).scale.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::{ForwardKinematics, Track, exp};

    #[test]
    fn what_stays_keeps_its_place_where_a_joint_between_is_left_out() {
        let walk = clip("alex_walk.bvh");
        let old = walk.skeleton();
        let body = Body::of(&walk).skeleton;
        let elbow = body.with_role(Role::LeftLowerArm).unwrap();
        // A twist joint between upper arm and elbow that turns.
        let mut joints: Vec<Joint> = old.joints().to_vec();
        let mut tracks = walk.tracks().to_vec();
        let shift = |id: JointId| if id >= elbow { JointId::from(id.index() + 1) } else { id };
        for joint in &mut joints {
            joint.parent = joint.parent.map(shift);
        }
        let above = joints[elbow.index()].parent;
        joints[elbow.index()].parent = Some(elbow);
        joints[elbow.index()].offset *= 0.5;
        let half = joints[elbow.index()].offset;
        joints.insert(elbow.index(), Joint::new("LeftArmTwist", above, half));
        let turns = (0..walk.frames()).map(|i| exp(&(half.normalize() * (0.01 * i as f64)))).collect();
        let twist = JointTracks { rotation: Track::Sampled(turns), translation: None, scale: None };
        tracks[elbow.index()].translation = None;
        tracks.insert(elbow.index(), twist);
        let skeleton = Skeleton::new("", *old.space(), joints).unwrap();
        let twisted = Clip::new(Arc::new(skeleton), walk.rate(), walk.frames(), tracks).unwrap();
        let (slim, report) = strip(&twisted, Strip::Twist).unwrap();
        assert_eq!(slim.skeleton().len(), old.len(), "{report}");
        let (mut a, mut b) = (ForwardKinematics::new(&twisted), ForwardKinematics::new(&slim));
        for frame in [0, walk.frames() / 2, walk.frames() - 1] {
            a.place(frame);
            b.place(frame);
            for (id, joint) in slim.skeleton().iter() {
                let other = twisted.skeleton().find(&joint.name).unwrap();
                assert!((b.position(id) - a.position(other)).norm() < 1e-9, "{} {frame}", joint.name);
            }
        }
        let (_, nothing) = strip(&slim, Strip::Twist).unwrap();
        assert_eq!(nothing.warnings[0].code, "edit::nothing-to-strip");
    }

    #[test]
    fn kinds_read_back() {
        for (kind, name) in Strip::ALL {
            assert_eq!((name.parse(), kind.to_string()), (Ok(kind), name.to_owned()));
        }
        assert!("toes".parse::<Strip>().is_err());
    }
}
