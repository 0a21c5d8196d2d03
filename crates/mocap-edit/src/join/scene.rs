//! Joins scenes: all characters at the same frames, with the same placement on the ground.

use mocap_model::{Character, Clip, Scene};

use super::{JoinOptions, as_first, check, join_two, place_of};
use crate::binding::kept::{Carrying, Change};
use crate::scene::{check_frames, clips};
use crate::{EditError, EditReport};

/// Motions of several characters that became one.
#[derive(Clone, Debug)]
pub struct JoinedScene {
    /// The characters and props of the first motion, with the joined clips.
    pub scene: Scene,
    /// By character, in the order of the scene.
    pub characters: Vec<JoinedCharacter>,
}

/// The reports of one character.
#[derive(Clone, Debug)]
pub struct JoinedCharacter {
    /// Its name.
    pub name: String,
    /// One per transition.
    pub reports: Vec<EditReport>,
}

/// Joins scenes in this order: each character with the one of its name in the next scene, and each prop likewise. All
/// characters of a scene have their transitions at the same frames and are placed on the ground as one, so they stay
/// together; the transition is where the poses of all characters fit best. Scenes of one character are joined
/// regardless of names, as by [`join`](crate::join()).
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{JoinOptions, join_scenes};
/// use mocap_model::{Character, Scene};
///
/// let named = |name: &str| Character { name: name.into(), ..Character::from(clip.clone()) };
/// let both = Scene { characters: vec![named("Alice"), named("Bob")], ..Scene::default() };
/// let joined = join_scenes(&[both.clone(), both], &JoinOptions::default())?;
/// assert_eq!(joined.scene.names(), ["Alice", "Bob"]);
/// assert_eq!(joined.characters[1].reports.len(), 1);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// As [`join`](crate::join()); [`EditError::Characters`] where a character or prop is not in every scene, [`EditError::Model`] where
/// frames of a scene differ.
pub fn join_scenes(scenes: &[Scene], options: &JoinOptions) -> Result<JoinedScene, EditError> {
    check(options)?;
    scenes.iter().try_for_each(|scene| check_frames(scene, "join"))?;
    let Some((first, others)) = scenes.split_first().filter(|(first, _)| !all(first).is_empty()) else {
        return Err(EditError::TooShort { edit: "join", needed: 2, frames: 0 });
    };
    let mut joined: Vec<Clip> = all(first).into_iter().map(|one| one.clip.clone()).collect();
    let mut reports: Vec<Vec<EditReport>> = vec![Vec::new(); joined.len()];
    // Props do not count in the comparison of poses: they follow the characters.
    let led_by = if first.characters.is_empty() { joined.len() } else { first.characters.len() };
    for next in others {
        let next = same_order(first, next)?;
        let next: Vec<Clip> = joined
            .iter()
            .zip(next)
            .map(|(whole, next)| as_first(whole, &next.clip))
            .collect::<Result<_, _>>()?;
        let pairs: Vec<[&Clip; 2]> = joined.iter().zip(&next).map(|(a, b)| [a, b]).collect();
        let place = place_of(&pairs[..led_by], options)?;
        let done: Vec<(Clip, EditReport)> =
            pairs.iter().map(|pair| join_two(*pair, &place, options)).collect::<Result<_, _>>()?;
        for ((clip, report), (whole, reports)) in done.into_iter().zip(joined.iter_mut().zip(&mut reports)) {
            *whole = clip;
            reports.push(report);
        }
    }
    let joined =
        with_things_kept(scenes, joined, reports.first_mut().and_then(|reports| reports.last_mut()))?;
    let mut scene = first.clone();
    scene.markers.clear();
    let characters = scene
        .characters
        .iter()
        .zip(reports)
        .map(|(one, reports)| JoinedCharacter { name: one.name.clone(), reports });
    let characters = characters.collect();
    for (one, clip) in scene.characters.iter_mut().chain(&mut scene.props).zip(joined) {
        one.clip = clip;
    }
    Ok(JoinedScene { scene, characters })
}

/// The joined clips, in which everybody carries what they carry in all of the scenes. The report says what is not kept.
fn with_things_kept(
    scenes: &[Scene],
    joined: Vec<Clip>,
    report: Option<&mut EditReport>,
) -> Result<Vec<Clip>, EditError> {
    let people = scenes[0].characters.len();
    let mut carrying = Carrying::of(&clips(&scenes[0]), people);
    if !carrying.is_any() {
        return Ok(joined);
    }
    let others = scenes[1..].iter().map(|next| {
        let next = same_order(&scenes[0], next)?;
        Ok(Carrying::of(&next.iter().map(|one| &one.clip).collect::<Vec<_>>(), people))
    });
    let others = others.collect::<Result<Vec<_>, EditError>>()?;
    let mut left = carrying.without_unlike(&others);
    let done = carrying.put_back(&clips(&scenes[0]), joined, Change::default())?;
    left.extend(done.left);
    if let Some(report) = report {
        *report = std::mem::take(report).with_things(done.notes, &left);
    }
    Ok(done.clips)
}

/// Characters, then props.
fn all(scene: &Scene) -> Vec<&Character> {
    scene.characters.iter().chain(&scene.props).collect()
}

/// The characters and props of a scene in the order of the first one.
fn same_order<'s>(first: &Scene, next: &'s Scene) -> Result<Vec<&'s Character>, EditError> {
    if let ([_], [only]) = (&all(first)[..], &all(next)[..]) {
        return Ok(vec![*only]);
    }
    let groups = [(&first.characters, &next.characters), (&first.props, &next.props)];
    let mut ordered = Vec::new();
    let mut missing = Vec::new();
    for (ours, theirs) in groups {
        let mut left: Vec<&'s Character> = theirs.iter().collect();
        for one in ours {
            match left.iter().position(|other| other.name == one.name) {
                Some(at) => ordered.push(left.remove(at)),
                None => missing.push(one.name.clone()),
            }
        }
        missing.extend(left.into_iter().map(|other| other.name.clone()));
    }
    if missing.is_empty() { Ok(ordered) } else { Err(EditError::Characters { edit: "join", names: missing }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::Body;
    use crate::fixtures::clip;
    use mocap_model::{ForwardKinematics, Isometry3, JointId, Vector3};
    use nalgebra::Translation3;

    fn moved(clip: &Clip, turn: f64, by: Vector3<f64>) -> Clip {
        let placement = Isometry3::from_parts(Translation3::from(by), Body::of(clip).turn(turn));
        crate::root::place_roots(clip, "join", |_| placement).unwrap()
    }

    fn named(name: &str, clip: Clip) -> Character {
        Character { name: name.into(), ..Character::from(clip) }
    }

    /// The walk as Alice, and beside her as Bob.
    fn pair(walk: &Clip) -> Scene {
        let bob = moved(walk, 2.0, Vector3::new(140.0, 0.0, 60.0));
        Scene { characters: vec![named("Alice", walk.clone()), named("Bob", bob)], ..Scene::default() }
    }

    fn place(clip: &Clip, frame: usize) -> Vector3<f64> {
        let mut kinematics = ForwardKinematics::new(clip);
        kinematics.place(frame);
        kinematics.position(JointId(0))
    }

    #[test]
    fn who_is_together_stays_together() {
        let whole = pair(&clip("alex_walk.bvh"));
        let frames = whole.characters[0].clip.frames();
        let part = |from: usize, to: usize| {
            whole.clone().map(|one| {
                let clip = one.clip.trimmed(from..to).unwrap();
                one.with_clip(clip)
            })
        };
        // The second part lies elsewhere, turned, and Bob comes first in it.
        let mut second = part(100, frames).map(|one| {
            let clip = moved(&one.clip, 0.7, Vector3::new(-300.0, 0.0, 25.0));
            one.with_clip(clip)
        });
        second.characters.reverse();
        let transition = 19.0 / whole.characters[0].clip.rate().fps();
        let options = JoinOptions { transition, lock_feet: false, ..JoinOptions::default() };
        let done = join_scenes(&[part(0, 160), second], &options).unwrap();
        assert_eq!(done.scene.names(), ["Alice", "Bob"]);
        for (one, wanted) in done.scene.characters.iter().zip(&whole.characters) {
            assert_eq!(one.clip.frames(), frames, "{}", one.name);
            for frame in [0, 90, 140, 200, frames - 1] {
                let far = (place(&one.clip, frame) - place(&wanted.clip, frame)).norm();
                assert!(far < 1e-6, "{} is {far} off in frame {frame}", one.name);
            }
        }
    }

    #[test]
    fn one_character_is_joined_as_its_clip_and_props_come_along() {
        let walk = clip("alex_walk.bvh");
        let options = JoinOptions::default();
        let alone = |name: &str| Scene::from(named(name, walk.clone()));
        let (wanted, reports) = crate::join(&[walk.clone(), walk.clone()], &options).unwrap();
        let done = join_scenes(&[alone("Alice"), alone("Carol")], &options).unwrap();
        assert_eq!(done.scene.clip(), Some(&wanted));
        assert_eq!(done.characters[0].reports, reports);
        // A prop that walks as she does stays with her.
        let mut with_prop = alone("Alice");
        with_prop.props.push(named("rope", moved(&walk, 0.0, Vector3::new(30.0, 0.0, 0.0))));
        let done = join_scenes(&[with_prop.clone(), with_prop], &options).unwrap();
        let (her, rope) = (&done.scene.characters[0].clip, &done.scene.props[0].clip);
        let gap = |frame: usize| (place(rope, frame) - place(her, frame)).norm();
        assert!((gap(0) - 30.0).abs() < 1e-9 && (gap(her.frames() - 1) - 30.0).abs() < 1e-6);
    }

    #[test]
    fn who_is_missing_is_named() {
        let scene = pair(&clip("alex_walk.bvh"));
        let mut other = scene.clone();
        other.characters[1].name = "Carol".into();
        let error = join_scenes(&[scene, other], &JoinOptions::default()).unwrap_err();
        assert_eq!(error.code(), "edit::characters");
        assert!(error.to_string().contains("Bob, Carol"), "{error}");
    }
}
