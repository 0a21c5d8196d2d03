//! Pairs the characters of two scenes: by name, then by order.

use mocap_analysis::{ErrorSummary, object_error};
use mocap_formats::Finding;
use mocap_model::{Character, Clip, Scene};

use crate::scene::scene_of;
use crate::{Error, Problem, in_one_unit};

/// Two motions with their characters in the same order.
#[derive(Clone, Debug)]
pub struct MatchedClips {
    /// The reference, and the other motion with its characters in the order of the reference. If
    /// joint names start with the name of their character, those of the other motion start with the
    /// name of its counterpart.
    pub clips: [Clip; 2],
    /// By character of the reference: its name, and that of its counterpart. Empty if both have one character.
    pub characters: Vec<[String; 2]>,
    /// Props that only one of the motions has; they are left out.
    pub left_out: Vec<String>,
}

/// Brings the characters of a motion into the order of a reference: characters with equal names are
/// paired first, then those whose names have no counterpart, in order. Props are paired by name
/// only. Motions of one character each are unchanged.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let matched = mocap::match_characters([walk.clone(), walk.clone()])?;
/// assert!(matched.characters.is_empty() && matched.clips[1] == walk);
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// [`Problem::CharactersDiffer`] if the motions have different numbers of characters.
pub fn match_characters(clips: [Clip; 2]) -> Result<MatchedClips, Error> {
    let [reference, other] = clips;
    let (reference, other) = (scene_of(reference)?, scene_of(other)?);
    if reference.clip().is_some() && other.clip().is_some() {
        let clips = [reference.into_one()?.clip, other.into_one()?.clip];
        return Ok(MatchedClips { clips, characters: Vec::new(), left_out: Vec::new() });
    }
    let order = counterparts(&reference, &other)?;
    let names = [&reference, &other].map(Scene::names);
    let characters =
        order.iter().enumerate().map(|(at, to)| [names[0][at].to_owned(), names[1][*to].to_owned()]);
    let characters: Vec<[String; 2]> = characters.collect();
    let mut renamed = Vec::with_capacity(order.len());
    for (to, ours) in order.into_iter().zip(&reference.characters) {
        renamed.push(called_as(other.characters[to].clone(), ours)?);
    }
    let has = |props: &[Character], name: &str| props.iter().any(|prop| prop.name == name);
    let (mut kept, mut left_out) = (Vec::new(), Vec::new());
    for prop in &reference.props {
        match other.props.iter().find(|one| one.name == prop.name) {
            Some(one) => kept.push((prop.clone(), one.clone())),
            None => left_out.push(prop.name.clone()),
        }
    }
    let added = other.props.iter().filter(|prop| !has(&reference.props, &prop.name));
    left_out.extend(added.map(|prop| prop.name.clone()));
    let (ours, theirs) = kept.into_iter().unzip();
    let reference = Scene { characters: reference.characters, props: ours, ..Scene::default() };
    let other = Scene { characters: renamed, props: theirs, ..Scene::default() };
    let clips = [reference.into_one()?.clip, other.into_one()?.clip];
    Ok(MatchedClips { clips, characters, left_out })
}

/// By character of the reference: the index of its counterpart.
fn counterparts(reference: &Scene, other: &Scene) -> Result<Vec<usize>, Error> {
    let names =
        [other, reference].map(|scene| scene.names().into_iter().map(str::to_owned).collect::<Vec<_>>());
    if names[0].len() != names[1].len() {
        let [found, expected] = names;
        return Err(Finding::new(Problem::CharactersDiffer { found, expected }).into());
    }
    let mut taken = vec![false; names[0].len()];
    let mut by_name = Vec::with_capacity(taken.len());
    for name in &names[1] {
        let found = names[0].iter().zip(&taken).position(|(other, taken)| !taken && other == name);
        found.into_iter().for_each(|at| taken[at] = true);
        by_name.push(found);
    }
    let mut rest = (0..taken.len()).filter(|at| !taken[*at]);
    let all = by_name.into_iter().map(|at| at.or_else(|| rest.next()).expect("there are as many"));
    Ok(all.collect())
}

/// Renames a character whose joint names start with its own name, so that they start with another's: `Bob:Hips`
/// to `Alice:Hips`.
fn called_as(character: Character, other: &Character) -> Result<Character, Error> {
    let (own, name) = (format!("{}:", character.name), format!("{}:", other.name));
    let begin = |one: &Character, prefix: &str| {
        one.skeleton()
            .joints()
            .iter()
            .filter(|joint| !joint.end_site)
            .all(|joint| joint.name.starts_with(prefix))
    };
    if own == name || !begin(&character, &own) || !begin(other, &name) {
        return Ok(character);
    }
    let renamed = character.skeleton().with_joints(|joint| {
        if let Some(rest) = joint.name.strip_prefix(&own) {
            joint.name = format!("{name}{rest}");
        }
    })?;
    let clip = character.clip.with_skeleton(renamed.into())?;
    Ok(Character { name: other.name.clone(), clip, body: None })
}

/// The object-space error of every character against its counterpart \[m\] ([`match_characters`]),
/// with its name. `shell` is the distance of the measured points from the joints \[m\].
///
/// # Errors
/// [`Problem::CharactersDiffer`] if the scenes have different numbers of characters; an error if
/// two characters differ in joints or frames, or if no unit is known.
pub fn compare_scenes(
    reference: &Scene,
    other: &Scene,
    shell: f64,
) -> Result<Vec<(String, ErrorSummary)>, Error> {
    let order = counterparts(reference, other)?;
    let pairs = reference.characters.iter().zip(order);
    pairs
        .map(|(character, to)| {
            let other = called_as(other.characters[to].clone(), character)?;
            let [a, b] = in_one_unit([&character.clip, &other.clip])?;
            Ok((character.name.clone(), object_error(&a, &b, shell)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subjects::tests::several;

    #[test]
    fn characters_go_by_name_then_by_order() {
        let both = several(&["Alice:", "Bob:"], None);
        for (names, wanted) in [
            (["Bob:", "Alice:"], [["Alice", "Alice"], ["Bob", "Bob"]]),
            (["Bob:", "Carol:"], [["Alice", "Carol"], ["Bob", "Bob"]]),
            (["Carol:", "Dan:"], [["Alice", "Carol"], ["Bob", "Dan"]]),
        ] {
            let matched = match_characters([both.clone(), several(&names, None)]).unwrap();
            assert_eq!(matched.characters, wanted.map(|pair| pair.map(str::to_owned)));
            let joints = matched.clips.each_ref().map(|clip| clip.skeleton().joints().to_vec());
            assert!(joints[0] == joints[1], "{names:?}");
        }
        let alone = several(&["Alice:"], None);
        let error = match_characters([both, alone]).unwrap_err();
        assert_eq!(error.code(), "compare::characters");
        assert!(error.to_string().contains("Alice, Bob"), "{error}");
    }

    #[test]
    fn who_is_apart_is_seen_by_name() {
        let (both, swapped) = (several(&["Alice:", "Bob:"], None), several(&["Bob:", "Alice:"], None));
        // Only Bob moves by one frame.
        let later = |clip: &Clip| {
            let mut tracks = clip.tracks().to_vec();
            for (id, _) in clip.skeleton().iter().filter(|(_, joint)| joint.name.starts_with("Bob:")) {
                let rotation = &clip.track(id).rotation;
                let moved = (0..clip.frames()).map(|frame| rotation.at((frame + 1).min(clip.frames() - 1)));
                tracks[id.index()].rotation = crate::Track::Sampled(moved.collect());
            }
            Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap()
        };
        let scenes = [both, later(&swapped)].map(|clip| scene_of(clip).unwrap());
        let errors = compare_scenes(&scenes[0], &scenes[1], 0.03).unwrap();
        assert_eq!((errors[0].0.as_str(), errors[0].1.max), ("Alice", 0.0));
        assert!(errors[1].0 == "Bob" && errors[1].1.max > 1e-3);
    }
}
