//! A scene: characters, props and marker sets in one space and time.

mod merge;
mod split;

use std::sync::Arc;

use crate::{BoundBody, Clip, Markers, ModelError, Skeleton};
pub use split::{Part, name_of_tree};

/// Characters, props and marker sets in one space and time: what a reader returns and a writer takes. One character is
/// the usual case: a [`Clip`] converts to a scene of one character and back without copying.
///
/// Times count from the first frame of every clip \[s\]; places are in the object space of the clips, in the unit and
/// axes that the space of each skeleton states. What one file gives has one rate, one number of frames and one space;
/// [`Scene::into_one`] returns an error where that does not hold.
///
/// ```
/// use mocap_model::*;
/// use std::sync::Arc;
///
/// let joints = vec![Joint::new("hips", None, Vector3::y())];
/// let skeleton = Arc::new(Skeleton::new("", Space::default(), joints)?);
/// let clip = Clip::at_rest(skeleton, FrameRate::new(30.0).unwrap());
/// let alone = Scene::from(clip.clone());
/// assert_eq!(alone.clip(), Some(&clip));
///
/// let named = |name: &str| Character { name: name.into(), clip: clip.clone(), body: None };
/// let scene = Scene { characters: vec![named("Alice"), named("Bob")], ..Scene::default() };
/// assert_eq!(scene.find("Bob"), Some(1));
/// // Both are trees of one skeleton then; names that both have say whose they are.
/// let forest = scene.into_one()?;
/// assert_eq!(forest.clip.skeleton().joint(JointId(1)).name, "Bob:hips");
/// # Ok::<(), ModelError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// People and other bodies.
    pub characters: Vec<Character>,
    /// Objects that move but are not characters: they have few joints, or a body without limbs.
    pub props: Vec<Character>,
    /// Recordings of points, such as those of one subject of an optical system.
    pub markers: Vec<MarkerSet>,
}

/// Someone or something that moves: a skeleton, its motion, and its surface.
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    /// The name; empty where the file gives none and the scene has no other character.
    pub name: String,
    /// The skeleton, which may be shared, and the motion of its joints, shapes (numbers over time) and events.
    pub clip: Clip,
    /// Its surface, bound to a skeleton with joints of the same names; `None` where there is none, or where it was not
    /// read.
    pub body: Option<BoundBody>,
}

/// A recording of points with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerSet {
    /// Who wears them; empty where the file does not say.
    pub name: String,
    /// The points over time.
    pub markers: Markers,
}

impl From<Clip> for Character {
    fn from(clip: Clip) -> Character {
        Character { name: String::new(), clip, body: None }
    }
}

impl From<Clip> for Scene {
    fn from(clip: Clip) -> Scene {
        Scene::from(Character::from(clip))
    }
}

impl From<Character> for Scene {
    fn from(character: Character) -> Scene {
        Scene { characters: vec![character], ..Scene::default() }
    }
}

impl From<Markers> for Scene {
    fn from(markers: Markers) -> Scene {
        Scene { markers: vec![MarkerSet { name: String::new(), markers }], ..Scene::default() }
    }
}

impl Character {
    /// The skeleton that moves.
    pub fn skeleton(&self) -> &Arc<Skeleton> {
        self.clip.skeleton()
    }

    /// The same character with another clip. Its body stays: it follows the joints of the new skeleton by their names.
    #[must_use]
    pub fn with_clip(self, clip: Clip) -> Character {
        Character { clip, ..self }
    }
}

impl Scene {
    /// The clip of a scene of one character and nothing else.
    pub fn clip(&self) -> Option<&Clip> {
        match (&self.characters[..], &self.props[..], &self.markers[..]) {
            ([only], [], []) => Some(&only.clip),
            _ => None,
        }
    }

    /// The names of its characters, in order.
    pub fn names(&self) -> Vec<&str> {
        self.characters.iter().map(|character| character.name.as_str()).collect()
    }

    /// The index of the character with this name, else of the character with this number, counted from 1.
    pub fn find(&self, asked: &str) -> Option<usize> {
        let by_name = self.characters.iter().position(|character| character.name == asked);
        by_name
            .or_else(|| asked.parse::<usize>().ok()?.checked_sub(1))
            .filter(|at| *at < self.characters.len())
    }

    /// The scene with only one of its characters, and the marker set with its name; `None` where there is no such
    /// character: see [`Scene::find`].
    pub fn with_only(mut self, asked: &str) -> Option<Scene> {
        let character = self.characters.swap_remove(self.find(asked)?);
        self.markers.retain(|set| set.name == character.name);
        Some(Scene { markers: self.markers, ..Scene::from(character) })
    }

    /// The same scene with every character changed.
    ///
    /// # Errors
    /// The first error of `change`.
    pub fn try_map<E>(mut self, change: impl FnMut(Character) -> Result<Character, E>) -> Result<Scene, E> {
        self.characters = self.characters.into_iter().map(change).collect::<Result<_, E>>()?;
        Ok(self)
    }

    /// The same scene with every character changed by a function that cannot fail.
    #[must_use]
    pub fn map(mut self, change: impl FnMut(Character) -> Character) -> Scene {
        self.characters = self.characters.into_iter().map(change).collect();
        self
    }

    /// As [`Scene::try_map`], for props too: for changes of space or time, which all of them share.
    ///
    /// # Errors
    /// The first error of `change`.
    pub fn try_map_all<E>(
        mut self,
        mut change: impl FnMut(Character) -> Result<Character, E>,
    ) -> Result<Scene, E> {
        self.characters = self.characters.into_iter().map(&mut change).collect::<Result<_, E>>()?;
        self.props = self.props.into_iter().map(change).collect::<Result<_, E>>()?;
        Ok(self)
    }

    /// All characters and props as one character whose skeleton has a tree for each, as one file holds them. A single
    /// character is returned unchanged. Where the name of a character would be lost or two joints would have the same
    /// name, joints are named `Character:joint`; scalar tracks and shapes with the same name but other values get the
    /// same prefix.
    ///
    /// # Errors
    /// [`ModelError::SceneApart`] where frames, rates or known units differ, [`ModelError::NoJoints`] of an empty scene.
    pub fn into_one(self) -> Result<Character, ModelError> {
        let mut all = self.characters;
        all.extend(self.props);
        match all.len() {
            0 => Err(ModelError::NoJoints),
            1 => Ok(all.swap_remove(0)),
            _ => merge::merged(all),
        }
    }
}
