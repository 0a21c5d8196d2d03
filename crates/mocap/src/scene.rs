//! Scenes of files: read, edited, retargeted, and written.

use std::path::Path;
use std::sync::Arc;

use mocap_edit::{AppliedCharacter, AppliedScene, ApplyOptions, Edit};
use mocap_formats::{Document, Finding, Format, KeptScene, Parsed, ReadError, WriteOptions};
use mocap_model::{
    Character, Clip, JointId, MarkerSet, Markers, ModelError, Part, Scene, Skeleton, Space, name_of_tree,
};
use mocap_solve::subject_prefix;

use crate::clip_of_file::split_clip;
use crate::read::finish;
use crate::subjects::{
    label_prefixes, marker_subjects, may_be_several, of_markers, several_subjects, subjects,
};
use crate::target::put_on_target;
use crate::unit::in_space;
use crate::write::{format_of, put};
use crate::{
    CompressOptions, Compression, EditOptions, Error, Mapping, Opening, Problem, ReadOptions, Target,
    TargetOptions, TargetReport, compress, edit, for_format, known_unit, open, prepare,
};

/// Reads who and what is in a file of any format: its characters, props and markers. `moves.glb#walk` is one clip of a
/// file of several; [`ReadOptions::subject`] picks one of several characters. The file stays beside the scene, so that an
/// output keeps what else it holds, such as meshes.
///
/// ```
/// let read = mocap::read_scene("../../fixtures/clips/alex_walk.bvh", &Default::default())?.value;
/// assert_eq!(read.scene.names(), ["Hips"]);
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// As [`read_with`](crate::read_with), but a recording of markers is a scene as well.
pub fn read_scene(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Parsed<KeptScene>, Error> {
    let path = path.as_ref();
    let clip = split_clip(path).1.or_else(|| options.clip.clone());
    let options = &ReadOptions { clip, ..options.clone() };
    let Parsed { value: file, warnings } = open(path, options)?;
    let refused = |finding: Finding| Error::file(path, ReadError::from(finding));
    if let Some(markers) = file.markers(options).map_err(refused)? {
        let scene = scene_of_markers(&markers).map_err(refused)?;
        let value = kept(scene, file.into_document(), options);
        return finish(path, options, warnings, Ok(Parsed { value, warnings: Vec::new() }));
    }
    let Parsed { value: clip, warnings } = finish(path, options, warnings, file.to_clip(options))?;
    let scene = scene_of(clip).map_err(|error| refused(model("scene", error)))?;
    Ok(Parsed { value: kept(scene, file.into_document(), options), warnings })
}

/// A scene with its document; they agree unless the options restate or select something.
fn kept(scene: Scene, document: Option<Box<dyn Document>>, options: &ReadOptions) -> KeptScene {
    let ReadOptions { rate, unit, up, drop_first_frame, repair, clip, subject, .. } = options;
    let restated = rate.is_some() || unit.is_some() || up.is_some() || *drop_first_frame || *repair;
    let unchanged = !restated && clip.is_none() && subject.is_none();
    KeptScene { scene, document: document.map(Arc::from), unchanged }
}

/// The scene of a clip. If its skeleton has several trees of joints that are bodies ([`subjects`]),
/// each is a character and all other trees are props; else the whole clip is one character, and is
/// not copied.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// assert_eq!(mocap::scene_of(walk.clone())?.clip(), Some(&walk));
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where a place overflows.
pub fn scene_of(clip: Clip) -> Result<Scene, ModelError> {
    let parts = parts(&clip);
    match &parts[..] {
        [] | [_] => {
            let name = parts.into_iter().next().map(|part| part.name).unwrap_or_default();
            Ok(Scene::from(Character { name, ..Character::from(clip) }))
        }
        _ => Character::from(clip).split(&parts),
    }
}

/// As [`scene_of`], but in a clip of one character, other trees of joints that it carries, or that
/// carry it, are props. A clip without such trees is not copied.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// assert_eq!(mocap::scene_with_things(walk.clone())?.clip(), Some(&walk));
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where a place overflows.
pub fn scene_with_things(clip: Clip) -> Result<Scene, ModelError> {
    let skeleton = clip.skeleton().clone();
    let roots: Vec<JointId> = skeleton.roots().collect();
    let bodies = if roots.len() > 1 { subjects(&skeleton) } else { Vec::new() };
    let ([body], Some(unit)) = (&bodies[..], known_unit(&skeleton)) else { return scene_of(clip) };
    let own = skeleton.roots().find(|root| skeleton.is_in_subtree(body.root, *root));
    let person = clip.with_only_below(body.root)?;
    let mut parts = vec![Part { name: body.name.clone(), root: body.root, is_prop: false }];
    for root in roots.into_iter().filter(|root| Some(*root) != own) {
        let thing = clip.with_only_below(root)?;
        if mocap_edit::is_carried(&person, &thing, unit.metres) {
            parts.push(Part { name: name_of_tree(&skeleton, root).to_owned(), root, is_prop: true });
        }
    }
    if parts.len() == 1 { scene_of(clip) } else { Character::from(clip).split(&parts) }
}

/// The trees that are characters, then those that are props; at most one part if the whole skeleton is one
/// character.
fn parts(clip: &Clip) -> Vec<Part> {
    let skeleton = clip.skeleton();
    if !may_be_several(skeleton) {
        let root = JointId(0);
        return vec![Part { name: name_of_tree(skeleton, root).to_owned(), root, is_prop: false }];
    }
    let bodies = subjects(skeleton);
    let mut found: Vec<Part> =
        bodies.iter().map(|body| Part { name: body.name.clone(), root: body.root, is_prop: false }).collect();
    if found.len() < 2 {
        return found;
    }
    // By joint: whether it belongs to a body, or is above one.
    let mut inside = vec![false; skeleton.len()];
    let mut above = vec![false; skeleton.len()];
    for (id, joint) in skeleton.iter() {
        let is_root = bodies.iter().any(|body| body.root == id);
        inside[id.index()] = is_root || joint.parent.is_some_and(|parent| inside[parent.index()]);
    }
    for body in &bodies {
        let way = std::iter::successors(skeleton.joint(body.root).parent, |id| skeleton.joint(*id).parent);
        way.for_each(|id| above[id.index()] = true);
    }
    let is_prop = |id: JointId| {
        let joint = skeleton.joint(id);
        let own = !inside[id.index()] && !above[id.index()] && !joint.end_site;
        own && joint.parent.is_none_or(|parent| above[parent.index()])
    };
    let props = skeleton.iter().map(|(id, _)| id).filter(|id| is_prop(*id));
    found.extend(props.map(|root| Part {
        name: name_of_tree(skeleton, root).to_owned(),
        root,
        is_prop: true,
    }));
    found
}

/// A recording as marker sets: one per subject ([`marker_subjects`]), with labels without its name, and one
/// without a name for labels without a subject.
fn scene_of_markers(markers: &Markers) -> Result<Scene, Finding> {
    let names = marker_subjects(markers);
    if names.is_empty() {
        return Ok(Scene::from(markers.clone()));
    }
    let set = |name: &String| Ok(MarkerSet { name: name.clone(), markers: of_markers(markers, Some(name))? });
    let mut sets = names.iter().map(set).collect::<Result<Vec<_>, Finding>>()?;
    let prefixes = label_prefixes(markers);
    let of_none = |label: &str| subject_prefix(label, &prefixes).is_none().then(|| label.to_owned());
    let rest = markers.with_only(of_none).map_err(|error| model("scene", error))?;
    if !rest.names().is_empty() {
        sets.push(MarkerSet { name: String::new(), markers: rest });
    }
    Ok(Scene { markers: sets, ..Scene::default() })
}

fn model(edit: &'static str, error: ModelError) -> Finding {
    Finding::new(Problem::Edit { edit, error })
}

/// Writes a scene in the format of the path's extension, with what else its document holds. What the format cannot hold
/// is listed in the result. Files are written atomically, and files that exist are replaced.
///
/// ```
/// let folder = tempfile::tempdir()?;
/// let walk = mocap::read_scene("../../fixtures/clips/alex_walk.bvh", &Default::default())?.value;
/// let warnings = mocap::write_scene(folder.path().join("walk.glb"), &walk, &Default::default())?;
/// assert_eq!(warnings[0].code(), "unit::guessed");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`write()`](crate::write()), and as [`mocap_formats::write_scene`].
pub fn write_scene(
    path: impl AsRef<Path>,
    kept: &KeptScene,
    options: &WriteOptions,
) -> Result<Vec<Finding>, Error> {
    let path = path.as_ref();
    let format = format_of(path)?;
    let mut warnings = Vec::new();
    let as_it_is =
        kept.unchanged && kept.document.as_ref().is_some_and(|document| document.format() == format);
    let encoded = match as_it_is {
        true => mocap_formats::write_kept_scene(kept, format, options)?,
        false => {
            let document = kept.document.as_deref();
            let scene = scene_for_format(kept.scene.clone(), document.is_some(), format, &mut warnings);
            mocap_formats::write_scene_beside(document, &scene, format, options)?
        }
    };
    warnings.extend(put(path, encoded)?);
    Ok(warnings)
}

/// The scene with the facts that a format needs about each character ([`for_format`]); if there is no document,
/// also prepared as by [`prepare`]. Assumptions are added to `warnings`.
pub fn scene_for_format(
    mut scene: Scene,
    has_document: bool,
    format: Format,
    warnings: &mut Vec<Finding>,
) -> Scene {
    let before = warnings.len();
    let meshes = has_document && format.holds_several_clips();
    let mut ready = |one: &mut Character| {
        let clip = if meshes { one.clip.clone() } else { prepare(one.clip.clone(), format, warnings) };
        one.clip = for_format(clip, format, warnings);
    };
    scene.characters.iter_mut().for_each(&mut ready);
    // A prop has no size from which its unit could be guessed.
    share_unit(&mut scene);
    scene.props.iter_mut().for_each(&mut ready);
    let mut found = warnings.split_off(before);
    found.dedup();
    warnings.append(&mut found);
    share_unit(&mut scene);
    if let ([first, others @ ..], true) = (&mut scene.characters[..], format.holds_arrays())
        && !others.is_empty()
    {
        warnings.push(Finding::new(Problem::ArraysOfFirst { name: first.name.clone() }));
        // In a file, a role belongs to one joint only.
        others.iter_mut().chain(&mut scene.props).for_each(|one| one.clip = without_roles(one.clip.clone()));
    }
    scene
}

fn without_roles(clip: Clip) -> Clip {
    let without = clip.skeleton().with_joints(|joint| joint.role = None);
    let skeleton = without.expect("roles are no part of the tree");
    clip.with_skeleton(skeleton.into()).expect("it has as many joints as before")
}

/// As [`prepare`]; of a clip of several characters, each of them.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let prepared = mocap::prepare_whole(walk.clone(), mocap::Format::Npz, &mut Vec::new())?;
/// assert_eq!(prepared, mocap::prepare(walk, mocap::Format::Npz, &mut Vec::new()));
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where a place overflows.
pub fn prepare_whole(clip: Clip, format: Format, warnings: &mut Vec<Finding>) -> Result<Clip, Error> {
    if several_subjects(clip.skeleton()).is_empty() {
        return Ok(prepare(clip, format, warnings));
    }
    Ok(scene_for_format(scene_of(clip)?, false, format, warnings).into_one()?.clip)
}

/// Gives characters and props without a known unit the unit of the others: they share one space.
fn share_unit(scene: &mut Scene) {
    let all = || scene.characters.iter().chain(&scene.props);
    let Some(unit) = all().find_map(|one| one.clip.skeleton().space().unit) else { return };
    for one in scene.characters.iter_mut().chain(&mut scene.props) {
        let space = *one.clip.skeleton().space();
        if space.unit.is_none() {
            one.clip = in_space(one.clip.clone(), Space { unit: Some(unit), ..space });
        }
    }
}

/// Edits every character and prop of a scene, as [`edit()`] does one. Assumptions are added to `warnings`.
///
/// ```
/// use mocap::EditOptions;
///
/// let walk = mocap::read_scene("../../fixtures/clips/alex_walk.bvh", &Default::default())?.value;
/// let options = EditOptions { trim: "10:20".parse().ok(), ..EditOptions::default() };
/// let part = mocap::edit_scene(walk, &options, &mut Vec::new())?;
/// assert_eq!(part.scene.characters[0].clip.frames(), 10);
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// As [`edit()`].
pub fn edit_scene(
    kept: KeptScene,
    options: &EditOptions,
    warnings: &mut Vec<Finding>,
) -> Result<KeptScene, Finding> {
    let mut scene = kept.scene.clone();
    if options.unit.is_some() {
        share_unit(&mut scene);
    }
    let scene = scene.try_map_all(|character| {
        let clip = edit(character.clip.clone(), options, warnings)?;
        Ok::<_, Finding>(character.with_clip(clip))
    })?;
    warnings.dedup();
    Ok(kept.with_scene(scene))
}

/// Applies edits to a scene in the order given, as [`mocap_edit::apply_to_scene`]; its document stays beside it.
///
/// # Errors
/// As [`mocap_edit::apply_to_scene`].
pub fn apply_to_scene(
    kept: KeptScene,
    edits: &[Edit],
    options: &ApplyOptions,
) -> Result<(KeptScene, Vec<AppliedCharacter>), Error> {
    let AppliedScene { scene, characters } = mocap_edit::apply_to_scene(kept.scene.clone(), edits, options)?;
    Ok((kept.with_scene(scene), characters))
}

/// The result for one character of a retargeted scene.
#[derive(Clone, Debug)]
pub struct RetargetedCharacter {
    /// Its name.
    pub name: String,
    /// The quality of its motion.
    pub report: TargetReport,
}

/// Puts every character of a scene on a target, with the body that the file of the target shows; props and markers stay.
/// `opening` is that of every character. Assumptions are added to `warnings`.
///
/// ```
/// let walk = mocap::read_scene("../../fixtures/clips/alex_walk.bvh", &Default::default())?.value;
/// let robin = mocap::read_target("../../fixtures/clips/robin.skel", &Default::default())?.value;
/// let opening = mocap::Opening::default();
/// let (moved, reports) =
///     mocap::retarget_scene(walk, &opening, &robin, None, &Default::default(), &mut Vec::new())?;
/// assert_eq!((moved.scene.names(), reports.len()), (vec!["Hips"], 1));
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// As [`put_on_target`], of the first character that cannot be put on it.
pub fn retarget_scene(
    kept: KeptScene,
    opening: &Opening,
    target: &Target,
    mapping: Option<&Mapping>,
    options: &TargetOptions,
    warnings: &mut Vec<Finding>,
) -> Result<(KeptScene, Vec<RetargetedCharacter>), Error> {
    let KeptScene { mut scene, .. } = kept;
    let source = scene.characters.first().map(|character| character.skeleton().clone());
    let mut reports = Vec::with_capacity(scene.characters.len());
    for character in &mut scene.characters {
        let (clip, report) = put_on_target(&character.clip, opening, target, mapping, options, warnings)?;
        reports.push(RetargetedCharacter { name: character.name.clone(), report });
        character.clip = clip;
        // Its own body does not fit the joints of the target.
        character.body = None;
    }
    warnings.dedup();
    let on_robot = || scene.characters.first().map(|character| character.skeleton().clone());
    let body = on_robot().unwrap_or_else(|| target.skeleton.clone());
    scene.props = props_beside(scene.props, source.as_deref(), &body)?;
    Ok((KeptScene { scene, document: target.document.clone(), unchanged: false }, reports))
}

/// Props of a scene whose characters were retargeted, in the space of the target. If their unit is
/// not stated, it is that of `source`, the skeleton of a character in the scene.
///
/// # Errors
/// If a position overflows.
pub fn props_beside(
    props: Vec<Character>,
    source: Option<&Skeleton>,
    target: &Skeleton,
) -> Result<Vec<Character>, ModelError> {
    let to = Space { unit: known_unit(target), ..*target.space() };
    let put = |prop: Character| {
        let own = *prop.skeleton().space();
        let unit = own.unit.or_else(|| source.and_then(known_unit));
        let clip = in_space(prop.clip.clone(), Space { unit, ..own }).in_space(to)?;
        // A guessed unit is not stated.
        Ok(prop.with_clip(in_space(clip, *target.space())))
    };
    props.into_iter().map(put).collect()
}

/// Compresses a scene: its characters and props are trees of one skeleton.
///
/// # Errors
/// As [`compress()`], and as [`Scene::into_one`].
pub fn compress_scene(scene: &Scene, options: &CompressOptions) -> Result<Parsed<Compression>, Error> {
    match scene.clip() {
        Some(clip) => compress(clip, options),
        None => compress(&scene.clone().into_one()?.clip, options),
    }
}
