//! A sequence of edits on a scene.

use mocap_model::{Character, Clip, ModelError, Scene};

use crate::binding::kept::Carrying;
use crate::edits::Takes;
use crate::{ApplyOptions, Edit, EditError, EditReport, RootCurve, apply};

/// A scene after all edits.
#[derive(Clone, Debug)]
pub struct AppliedScene {
    /// The scene. Bodies follow the joints of their characters by name.
    pub scene: Scene,
    /// By character, in the order of the scene.
    pub characters: Vec<AppliedCharacter>,
}

/// The results of edits on one character.
#[derive(Clone, Debug)]
pub struct AppliedCharacter {
    /// Its name.
    pub name: String,
    /// One per edit; edits that take characters together have theirs in the first character only.
    pub reports: Vec<EditReport>,
    /// One per [`ExtractRoot`](crate::edits::ExtractRoot).
    pub curves: Vec<RootCurve>,
    /// Number of lead-in frames at its start, which are a rest pose.
    pub lead_in: usize,
}

/// Applies edits to a scene in the order given, each to the characters that it takes ([`Takes`]). A scene of one
/// character is edited as [`apply`] does.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::edits::{Ground, Mirror};
/// use mocap_edit::{ApplyOptions, apply_to_scene};
/// use mocap_model::{Character, Scene};
///
/// let named = |name: &str| Character { name: name.into(), ..Character::from(clip.clone()) };
/// let both = Scene { characters: vec![named("Alice"), named("Bob")], ..Scene::default() };
/// let mirrored = apply_to_scene(both.clone(), &[Mirror::default().into()], &ApplyOptions::default())?;
/// assert_eq!(mirrored.characters[1].name, "Bob");
/// // Each on the ground by itself would move them apart.
/// let refused = apply_to_scene(both, &[Ground {}.into()], &ApplyOptions::default());
/// assert_eq!(refused.unwrap_err().code(), "edit::one-character");
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// As [`apply`]; [`EditError::OneCharacter`] where an edit takes one character and the scene has several.
pub fn apply_to_scene(
    mut scene: Scene,
    edits: &[Edit],
    options: &ApplyOptions,
) -> Result<AppliedScene, EditError> {
    let of_one = |edit: &&Edit| edit.takes() == Takes::OneCharacter;
    if let Some(edit) = edits.iter().find(of_one) {
        only_character(&scene, edit.name())?;
    }
    let start = |character: &Character| AppliedCharacter {
        name: character.name.clone(),
        reports: Vec::new(),
        curves: Vec::new(),
        lead_in: options.lead_in,
    };
    let mut characters: Vec<AppliedCharacter> = scene.characters.iter().map(start).collect();
    let mut lead_in = options.lead_in;
    for edit in edits {
        let carrying = match edit.scales() {
            true => Carrying::default(),
            false => Carrying::of(&clips(&scene), scene.characters.len()).across(),
        };
        let before = carrying.is_any().then(|| scene.clone());
        if let (true, Some(first)) = (carrying.is_any(), scene.characters.first_mut()) {
            first.clip = carrying.marked(&first.clip).into_owned();
        }
        scene = stepped(scene, edit, &mut characters, &ApplyOptions { lead_in, ..*options })?;
        if let Some(before) = before {
            let done = carrying.put_back(
                &clips(&before),
                clips(&scene).into_iter().cloned().collect(),
                edit.into(),
            )?;
            put_clips(&mut scene, done.clips);
            if let Some(report) = characters.first_mut().and_then(|first| first.reports.last_mut()) {
                *report = std::mem::take(report).with_things(done.notes, &done.left);
            }
        }
        lead_in = characters.first().map_or(lead_in, |first| first.lead_in);
    }
    Ok(AppliedScene { scene, characters })
}

/// A scene after one edit; its reports are added to `characters`.
fn stepped(
    mut scene: Scene,
    edit: &Edit,
    characters: &mut [AppliedCharacter],
    options: &ApplyOptions,
) -> Result<Scene, EditError> {
    if edit.takes() == Takes::Together {
        let (edited, report) = edit.apply_to_whole(&scene)?;
        characters.iter_mut().take(1).for_each(|first| first.reports.push(report.clone()));
        return Ok(edited);
    }
    if edit.takes() == Takes::OneCharacter {
        only_character(&scene, edit.name())?;
    }
    let edits = std::slice::from_ref(edit);
    for (character, done) in scene.characters.iter_mut().zip(characters) {
        let applied = apply(character.clip.take(), edits, options)?;
        done.reports.extend(applied.reports);
        done.curves.extend(applied.curves);
        done.lead_in = applied.lead_in;
        character.clip = applied.clip;
    }
    if edit.takes() == Takes::Scene {
        for prop in &mut scene.props {
            prop.clip = apply(prop.clip.take(), edits, options)?.clip;
        }
    }
    Ok(scene)
}

/// The clips of characters, then those of props.
pub(crate) fn clips(scene: &Scene) -> Vec<&Clip> {
    scene.characters.iter().chain(&scene.props).map(|one| &one.clip).collect()
}

/// Sets the clips of characters and props, in the order of [`clips`].
fn put_clips(scene: &mut Scene, clips: Vec<Clip>) {
    let all = scene.characters.iter_mut().chain(&mut scene.props);
    all.zip(clips).for_each(|(one, clip)| one.clip = clip);
}

/// The clip of the only character of a scene, for edits that take one.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::only_character;
/// use mocap_model::Scene;
///
/// let alone = Scene::from(clip.clone());
/// assert_eq!(only_character(&alone, "blend")?, &clip);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::OneCharacter`] where there are other characters or props, relative to which it would move.
pub fn only_character<'s>(scene: &'s Scene, edit: &'static str) -> Result<&'s Clip, EditError> {
    match (&scene.characters[..], &scene.props[..]) {
        ([only], []) => Ok(&only.clip),
        (characters, props) => {
            let names = characters.iter().chain(props).map(|character| character.name.clone()).collect();
            Err(EditError::OneCharacter { edit, names })
        }
    }
}

/// Checks that all clips of a scene have the same number of frames.
pub(crate) fn check_frames(scene: &Scene, edit: &'static str) -> Result<(), EditError> {
    let mut all = scene.characters.iter().chain(&scene.props);
    let Some(first) = all.next() else { return Ok(()) };
    let frames = |one: &Character| format!("{} frames", one.clip.frames());
    match all.find(|one| one.clip.frames() != first.clip.frames()) {
        None => Ok(()),
        Some(other) => {
            let (expected, found) = (frames(first), frames(other));
            let (first, name) = (first.name.clone(), other.name.clone());
            Err(EditError::model(edit, ModelError::SceneApart { first, name, expected, found }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::{DropFirstFrame, Mirror, Strip, Turn};
    use crate::fixtures::clip;
    use mocap_model::{Joint, JointTracks, Skeleton, Space, Track, Vector3};
    use std::sync::Arc;

    /// The walk of the fixtures twice, and a ball that moves along X.
    fn two_and_a_ball() -> Scene {
        let walk = clip("alex_walk.bvh");
        let named = |name: &str| Character { name: name.into(), ..Character::from(walk.clone()) };
        let ball = Arc::new(
            Skeleton::new("", Space::default(), vec![Joint::new("ball", None, Vector3::x())]).unwrap(),
        );
        let still = JointTracks::at_rest(&ball.joints()[0]);
        let places = (0..walk.frames()).map(|frame| Vector3::x() * frame as f64).collect();
        let tracks = vec![JointTracks { translation: Some(Track::Sampled(places)), ..still }];
        let ball = Clip::new(ball, walk.rate(), walk.frames(), tracks).unwrap();
        let props = vec![Character { name: "ball".into(), ..Character::from(ball) }];
        Scene { characters: vec![named("Alice"), named("Bob")], props, ..Scene::default() }
    }

    #[test]
    fn each_character_is_edited_as_it_is_alone_and_props_stay_with_them() {
        let scene = two_and_a_ball();
        let alone = scene.characters[0].clip.clone();
        let edits = [DropFirstFrame {}.into(), Mirror::default().into()];
        let options = ApplyOptions::default();
        let wanted = apply(alone, &edits, &options).unwrap().clip;
        let done = apply_to_scene(scene, &edits, &options).unwrap();
        assert!(done.scene.characters.iter().all(|character| character.clip == wanted));
        assert!(done.characters.iter().all(|character| character.reports.len() == 2));
        let ball = &done.scene.props[0].clip;
        assert_eq!(ball.frames(), wanted.frames());
        // Mirrored across X = 0.
        assert_eq!(ball.local(mocap_model::JointId(0), 4).translation.vector, Vector3::x() * -5.0);
        assert!(done.scene.into_one().is_ok());
    }

    #[test]
    fn props_keep_their_joints() {
        let strip = Strip { strip: "props".parse().unwrap() };
        let done = apply_to_scene(two_and_a_ball(), &[strip.into()], &ApplyOptions::default()).unwrap();
        assert_eq!(done.scene.props.len(), 1);
    }

    #[test]
    fn what_would_move_them_apart_is_refused() {
        let turn = Turn { turn: "90".parse().unwrap() };
        let error = apply_to_scene(two_and_a_ball(), &[turn.clone().into()], &ApplyOptions::default());
        let error = error.unwrap_err();
        assert_eq!(error.code(), "edit::one-character");
        assert!(error.to_string().contains("Alice, Bob"), "{error}");
        let alone = two_and_a_ball().with_only("Bob").unwrap();
        assert!(apply_to_scene(alone, &[turn.into()], &ApplyOptions::default()).is_ok());
    }
}
