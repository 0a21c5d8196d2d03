//! Scenes in files: the parts that a format holds are written, the others are warnings, derived from the format's entry
//! in the table.

use std::sync::Arc;

use mocap_model::{BoundBody, Character, Clip, Scene};

use crate::{
    Document, Encoded, Finding, Format, FormatProblem, Kept, LeftOut, WriteOptions, body, write_kept,
    write_markers, write_with_body,
};

/// A scene and the document that it comes from. An output keeps the document's other content, such as materials and
/// cameras, if its format holds it.
#[derive(Clone, Debug, Default)]
pub struct KeptScene {
    /// Characters, props and markers.
    pub scene: Scene,
    /// The file that the skeletons of its characters come from. Bodies that are not in the scene are read from it when
    /// they are written.
    pub document: Option<Arc<dyn Document>>,
    /// Whether the scene is unchanged: then the document is written back value for value.
    pub unchanged: bool,
}

impl From<Scene> for KeptScene {
    fn from(scene: Scene) -> KeptScene {
        KeptScene { scene, document: None, unchanged: false }
    }
}

impl From<Clip> for KeptScene {
    fn from(clip: Clip) -> KeptScene {
        KeptScene::from(Scene::from(clip))
    }
}

impl KeptScene {
    /// The scene after an operation: the document no longer describes the motion, but still holds the meshes.
    #[must_use]
    pub fn with_scene(self, scene: Scene) -> KeptScene {
        let document = self.document.filter(|document| document.format().holds_meshes());
        KeptScene { scene, document, unchanged: false }
    }
}

/// Writes a scene in a format. Several characters are trees of one skeleton in the file ([`Scene::into_one`]); where some
/// show a body, a body is drawn for those without one. What the format cannot hold is left out with a warning that names
/// it.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_formats::{Format, WriteOptions, write_scene};
/// use mocap_model::{Character, Scene};
///
/// let named = |name: &str| Character { name: name.into(), ..Character::from(clip.clone()) };
/// let both = Scene { characters: vec![named("Alice"), named("Bob")], ..Scene::default() };
/// let bvh = write_scene(&both, Format::Bvh, &WriteOptions::default())?.main.into_bytes();
/// assert_eq!(String::from_utf8_lossy(&bvh).matches("ROOT").count(), 2);
/// let smpl = write_scene(&both, Format::Smpl, &WriteOptions::default());
/// # let _ = smpl;
/// # Ok::<(), mocap_formats::Finding>(())
/// ```
///
/// # Errors
/// As [`write()`](crate::write()); where characters differ in frames, rate or unit; where a scene of markers is written in
/// a format without.
pub fn write_scene(
    scene: &Scene,
    format: Format,
    options: &WriteOptions,
) -> Result<Encoded<'static>, Finding> {
    if let Some(encoded) = markers_of(scene, format, options)? {
        return Ok(encoded);
    }
    let mut warnings = Vec::new();
    let scene = held(scene.clone(), format, options, &mut warnings);
    let Character { clip, body, .. } = one(scene)?;
    let mut encoded = write_with_body(&[clip], body.as_ref(), format, options)?;
    warnings.append(&mut encoded.warnings);
    Ok(Encoded { warnings, ..encoded })
}

/// As [`write_scene`], with the other content of its document. An unchanged scene is written back value for value in
/// the same format, unless the options ask for other numbers or names.
///
/// # Errors
/// As [`write_scene`].
pub fn write_kept_scene(
    kept: &KeptScene,
    format: Format,
    options: &WriteOptions,
) -> Result<Encoded<'static>, Finding> {
    let KeptScene { scene, document, unchanged } = kept;
    match document.as_deref() {
        Some(document) if *unchanged && document.format() == format && keeps_document(document, options) => {
            Ok(document.write())
        }
        document => write_scene_beside(document, scene, format, options),
    }
}

/// As [`write_scene`], with the other content of the file that the skeletons of the characters come from.
///
/// # Errors
/// As [`write_scene`].
pub fn write_scene_beside(
    document: Option<&dyn Document>,
    scene: &Scene,
    format: Format,
    options: &WriteOptions,
) -> Result<Encoded<'static>, Finding> {
    let Some(document) = document else { return write_scene(scene, format, options) };
    if let Some(encoded) = markers_of(scene, format, options)? {
        return Ok(encoded);
    }
    let mut warnings = Vec::new();
    let shows = format.holds_meshes() && options.mesh.is_none();
    let mut scene = scene.clone();
    let several = scene.characters.len() + scene.props.len() > 1;
    if several && shows {
        // Before merging: joints of the merged skeleton may get other names than those that the document's body is
        // bound to.
        fill_bodies(&mut scene, document, options, &mut warnings);
    }
    let had_bodies = has_bodies(&scene);
    let scene = held(scene, format, options, &mut warnings);
    let Character { clip, body, .. } = one(scene)?;
    let clips = std::slice::from_ref(&clip);
    let kept = match had_bodies && shows {
        // Bodies of the scene take precedence over those of the document, but the document has other content too.
        true => document.with_clips(clips, format, options)?,
        false => Kept::OTHER_FORMAT,
    };
    let mut encoded = match kept {
        Kept::Written(encoded) => encoded,
        Kept::Not(_) if had_bodies => write_with_body(clips, body.as_ref(), format, options)?,
        Kept::Not(_) => write_kept(Some(document), clips, format, options)?,
    };
    warnings.append(&mut encoded.warnings);
    Ok(Encoded { warnings, ..encoded })
}

fn has_bodies(scene: &Scene) -> bool {
    scene.characters.iter().chain(&scene.props).any(|one| one.body.is_some())
}

/// Whether no option asks for other numbers or names, so the document can be written as it is.
fn keeps_document(document: &dyn Document, options: &WriteOptions) -> bool {
    let order = options.euler.is_none_or(|order| document.has_order(order));
    let WriteOptions { limits, .. } = *options;
    let mesh = options.mesh.is_none();
    order
        && mesh
        && WriteOptions { euler: None, ..*options } == WriteOptions { limits, ..WriteOptions::default() }
}

/// The markers of a scene without characters, or in a format that holds only markers, as a file.
fn markers_of(
    scene: &Scene,
    format: Format,
    options: &WriteOptions,
) -> Result<Option<Encoded<'static>>, Finding> {
    let nobody = scene.characters.is_empty() && scene.props.is_empty();
    match &scene.markers[..] {
        [first, rest @ ..] if nobody => {
            let encoded = write_markers(&first.markers, format, options)?;
            let mut warnings = encoded.warnings;
            if !rest.is_empty() {
                let names = rest.iter().map(|set| set.name.clone()).collect();
                warnings.push(Finding::new(LeftOut::Characters { names, format }));
            }
            // Written to memory: a recording of markers is smaller than a clip.
            let made = Encoded::from(encoded.main.into_bytes());
            Ok(Some(Encoded { warnings, ..made }))
        }
        _ => Ok(None),
    }
}

/// The part of a scene that a format holds, with warnings about the rest.
fn held(mut scene: Scene, format: Format, options: &WriteOptions, warnings: &mut Vec<Finding>) -> Scene {
    let count = scene.markers.len();
    if count > 0 {
        warnings.push(Finding::new(LeftOut::MarkerSets { count, format }));
        scene.markers.clear();
    }
    let several = scene.characters.len() + scene.props.len() > 1;
    if several && !format.entry().holds.several {
        let left = scene.characters.drain(1.min(scene.characters.len())..);
        let mut names: Vec<String> = left.map(|character| character.name).collect();
        let kept = if scene.characters.is_empty() { 1 } else { 0 };
        names.extend(scene.props.drain(kept..).map(|prop| prop.name));
        warnings.push(Finding::new(LeftOut::Characters { names, format }));
    }
    // Another body was asked for.
    let drawn = options.mesh.is_some();
    for character in scene.characters.iter_mut().chain(&mut scene.props) {
        match &character.body {
            Some(_) if drawn => character.body = None,
            Some(bound) if !format.entry().holds.meshes && format.has_motion() => {
                let count = bound.body.meshes.len();
                warnings.push(Finding::new(match several {
                    true => LeftOut::CharacterMeshes { character: character.name.clone(), count, format },
                    false => LeftOut::NoMeshes { count, format },
                }));
                character.body = None;
            }
            _ => {}
        }
    }
    if format.holds_meshes() && !drawn {
        complete(&mut scene);
    }
    scene
}

/// Draws a body for characters without one if others have one: without it, programs would show only the others.
fn complete(scene: &mut Scene) {
    if !has_bodies(scene) {
        return;
    }
    for character in scene.characters.iter_mut().filter(|character| character.body.is_none()) {
        let skeleton = character.clip.skeleton().clone();
        let drawn = body::drawn(&skeleton, body::Style::default(), body::COLOUR);
        character.body = drawn.map(|mut body| {
            body.meshes.iter_mut().for_each(|mesh| mesh.name.clone_from(&character.name));
            BoundBody { body: Arc::new(body), skeleton }
        });
    }
}

/// All of a scene as one character.
fn one(scene: Scene) -> Result<Character, Finding> {
    if scene.characters.is_empty() && scene.props.is_empty() {
        return Err(Finding::new(FormatProblem::NoMotion));
    }
    scene.into_one().map_err(|error| Finding::new(FormatProblem::Scene { error }))
}

impl KeptScene {
    /// The scene with the bodies of its document, each with the character that it follows; warnings say which cannot be
    /// read.
    pub fn with_bodies(mut self, options: &WriteOptions, warnings: &mut Vec<Finding>) -> KeptScene {
        if let Some(document) = self.document.as_deref() {
            fill_bodies(&mut self.scene, document, options, warnings);
        }
        self
    }
}

/// Gives each character without a body the part of the file's body that follows its joints.
fn fill_bodies(
    scene: &mut Scene,
    document: &dyn Document,
    options: &WriteOptions,
    warnings: &mut Vec<Finding>,
) {
    let missing = || scene.characters.iter().chain(&scene.props).any(|one| one.body.is_none());
    if document.meshes() == 0 || !missing() {
        return;
    }
    match document.body(&options.limits) {
        Ok(None) => {}
        Ok(Some(bound)) => {
            warnings.extend(bound.warnings);
            let all = scene.characters.iter_mut().chain(&mut scene.props);
            for one in all.filter(|one| one.body.is_none()) {
                one.body = bound.value.part_on(one.clip.skeleton());
            }
        }
        Err(error) => {
            let (count, because) = (document.meshes(), error.to_string());
            warnings.push(Finding::new(LeftOut::Unread { count, because }));
        }
    }
}

#[cfg(test)]
mod tests {
    use mocap_model::{
        FrameRate, Joint, JointId, MarkerSet, Markers, Skeleton, Space, Unit, UnitSource, Vector3,
    };

    use super::*;
    use crate::{Limits, ReadOptions, read};

    fn person(name: &str) -> Character {
        let joint = |name: &str, parent: Option<u32>| {
            Joint::new(name, parent.map(JointId), Vector3::new(0.0, 0.4, 0.1))
        };
        let joints = vec![joint("hips", None), joint("spine", Some(0)), joint("head", Some(1))];
        let unit = Some(Unit { metres: 1.0, source: UnitSource::File });
        let skeleton = Arc::new(Skeleton::new("", Space { unit, ..Space::default() }, joints).unwrap());
        let tracks = skeleton.joints().iter().map(mocap_model::JointTracks::at_rest).collect();
        let clip = Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 2, tracks).unwrap();
        Character { name: name.into(), ..Character::from(clip) }
    }

    fn with_body(character: Character) -> Character {
        let skeleton = character.skeleton().clone();
        let mut body = body::drawn(&skeleton, body::Style::Sticks, body::COLOUR).unwrap();
        body.meshes[0].name = "Skin".into();
        Character { body: Some(BoundBody { body: Arc::new(body), skeleton }), ..character }
    }

    #[test]
    fn what_a_format_cannot_hold_is_named() {
        let markers =
            Markers::new(Space::default(), FrameRate::new(30.0).unwrap(), 0, vec!["a".into()], vec![]);
        let markers = vec![MarkerSet { name: "Alice".into(), markers: markers.unwrap() }];
        let characters = vec![with_body(person("Alice")), with_body(person("Bob"))];
        let scene = Scene { characters, props: vec![person("Ball")], markers };
        let mut warnings = Vec::new();
        let left = held(scene.clone(), Format::Smpl, &WriteOptions::default(), &mut warnings);
        assert_eq!((left.names(), left.props.len(), left.markers.len()), (vec!["Alice"], 0, 0));
        let said: Vec<String> = warnings.iter().map(|one| format!("{}: {one}", one.code())).collect();
        assert_eq!(
            said,
            [
                "scene::markers-left-out: 1 marker set is left out: smpl-npz files hold none",
                "scene::characters-left-out: 2 characters are left out: smpl-npz files hold one character: Bob, Ball",
                "document::meshes-left-out: 'Alice': 1 mesh is left out: smpl-npz has none",
            ]
        );
        let mut warnings = Vec::new();
        let all = held(scene, Format::Glb, &WriteOptions::default(), &mut warnings);
        assert_eq!((all.characters.len(), all.props.len(), warnings.len()), (2, 1, 1));
    }

    #[test]
    fn who_has_no_body_beside_others_is_drawn() {
        let scene = Scene { characters: vec![with_body(person("Alice")), person("Bob")], ..Scene::default() };
        for format in [Format::Glb, Format::Fbx] {
            let bytes = write_scene(&scene, format, &WriteOptions::default()).unwrap().main.into_bytes();
            let document = read(&bytes, &ReadOptions::default()).unwrap().value;
            let found = document.to_scene(&ReadOptions::default()).unwrap().value;
            let body = found.characters[0].body.as_ref().unwrap();
            let names: Vec<&str> = body.body.meshes.iter().map(|mesh| mesh.name.as_str()).collect();
            assert_eq!(names, ["Skin", "Bob"], "{format}");
            let both = document.body(&Limits::default()).unwrap().unwrap().value;
            let bob = both.part_on(person("Bob").skeleton());
            assert!(bob.is_none(), "joints of several are called by their names");
        }
    }

    #[test]
    fn markers_alone_are_a_recording() {
        let markers = Markers::new(
            Space { unit: Some(Unit { metres: 1.0, source: UnitSource::File }), ..Space::default() },
            FrameRate::new(30.0).unwrap(),
            1,
            vec!["a".into()],
            vec![Some(Vector3::x())],
        );
        let scene = Scene::from(markers.unwrap());
        let trc = write_scene(&scene, Format::Trc, &WriteOptions::default()).unwrap().main.into_bytes();
        let again = read(&trc, &ReadOptions::default()).unwrap().value;
        assert_eq!(again.to_scene(&ReadOptions::default()).unwrap().value.markers[0].markers.names(), ["a"]);
        let error = write_scene(&scene, Format::Bvh, &WriteOptions::default()).unwrap_err();
        assert_eq!(error.code(), "format::markers");
    }
}
