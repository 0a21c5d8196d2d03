//! Parts of a clip that a format cannot hold, and their replacement.

use std::borrow::Cow;

use mocap_model::{Clip, Skeleton};

use crate::{Document, Finding, Format, WriteOptions};

/// What files of a format hold besides the rotations and translations of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Holds {
    /// Scale tracks.
    pub(crate) scale: bool,
    /// Numbers over time.
    pub(crate) scalars: bool,
    /// Moments with a name.
    pub(crate) events: bool,
    /// Meshes with their skins and materials.
    pub(crate) meshes: bool,
    /// Several characters, each a tree of joints.
    pub(crate) several: bool,
    /// Couplings: angles of joints that move together.
    pub(crate) couplings: bool,
}

impl Holds {
    /// Everything. Also for formats that hold so little that warnings would not help.
    pub(crate) const ALL: Holds =
        Holds { scale: true, scalars: true, events: true, meshes: true, several: true, couplings: true };
    /// All of a motion and its meshes.
    pub(crate) const MOTION: Holds = Holds { couplings: false, ..Holds::ALL };
    /// Rotations and translations only, of any number of trees.
    pub(crate) const TREES: Holds =
        Holds { scale: false, scalars: false, events: false, meshes: false, several: true, couplings: false };
    /// Rotations and translations of one character only.
    pub(crate) const NOTHING: Holds = Holds { several: false, ..Holds::TREES };
}

/// Parts of a clip that are not written or not kept. All are warnings, except an overflow.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum LeftOut {
    #[error("scale tracks are left out: joints keep their places by translations")]
    Scale,
    #[error("{} left out: the format has none", counted(*count, "scalar track"))]
    Scalars { count: usize },
    #[error("{} left out: the format holds no others than its own", counted(*count, "scalar track"))]
    OtherScalars { count: usize },
    #[error("{} left out: the format has none", counted(*count, "event"))]
    Events { count: usize },
    #[error("{} left out: the format is written without them", counted(*count, "blend shape"))]
    Shapes { count: usize },
    #[error("{} left out: the format is written without them", counted(*count, "image"))]
    Images { count: usize },
    #[error("{} replaced by a drawn body: {because}", counted(*count, "mesh"))]
    Meshes { count: usize, because: String },
    #[error("{} left out: meshes of the file are written anew", what.join(", "))]
    Details { what: Vec<&'static str> },
    #[error("{} left out: {} has none", counted(*count, "mesh"), format.extension())]
    NoMeshes { count: usize, format: Format },
    #[error("'{character}': {} left out: {} has none", counted(*count, "mesh"), format.extension())]
    CharacterMeshes { character: String, count: usize, format: Format },
    #[error("{} left out: {because}", counted(*count, "mesh"))]
    Unread { count: usize, because: String },
    #[error(
        "{} left out: {} files hold one character: {}",
        counted(names.len(), "character"),
        format.extension(),
        names.join(", ")
    )]
    Characters { names: Vec<String>, format: Format },
    #[error("{} left out: {} files hold none", counted(*count, "marker set"), format.extension())]
    MarkerSets { count: usize, format: Format },
    #[error("{} left out: {} files cannot hold them", counted(*count, "coupling"), format.extension())]
    Couplings { count: usize, format: Format },
    #[error("scale tracks cannot be left out: {error}")]
    Overflow { error: mocap_model::ModelError },
}

impl LeftOut {
    /// Whether it is about the document whose meshes an output keeps, and not about the clip.
    pub fn is_of_document(&self) -> bool {
        matches!(
            self,
            LeftOut::Meshes { .. }
                | LeftOut::NoMeshes { .. }
                | LeftOut::CharacterMeshes { .. }
                | LeftOut::Unread { .. }
                | LeftOut::Details { .. }
                | LeftOut::Shapes { .. }
                | LeftOut::Images { .. }
        )
    }
}

/// The warning about content of a file, besides its motion, that is lost when the motion is written in a format. `None`
/// if nothing is lost, or [`WriteOptions::mesh`] asks for another body.
pub fn left_behind(document: &dyn Document, format: Format, options: &WriteOptions) -> Option<Finding> {
    let count = document.meshes();
    let lost = count > 0 && format.has_motion() && !format.entry().holds.meshes && options.mesh.is_none();
    lost.then(|| Finding::new(LeftOut::NoMeshes { count, format }))
}

/// The warning about what meshes of a file have and lose where they are written anew; `None` if that is nothing.
pub fn details_left(document: &dyn Document) -> Option<Finding> {
    let what = document.not_in_body();
    (!what.is_empty()).then(|| Finding::new(LeftOut::Details { what }))
}

fn counted(count: usize, what: &str) -> String {
    let plural = if what.ends_with("sh") { "es" } else { "s" };
    if count == 1 { format!("1 {what} is") } else { format!("{count} {what}{plural} are") }
}

impl crate::Problem for LeftOut {
    fn code(&self) -> &'static str {
        match self {
            LeftOut::Scale | LeftOut::Overflow { .. } => "clip::scale-left-out",
            LeftOut::Scalars { .. } | LeftOut::OtherScalars { .. } => "clip::scalars-left-out",
            LeftOut::Events { .. } => "clip::events-left-out",
            LeftOut::Meshes { .. }
            | LeftOut::NoMeshes { .. }
            | LeftOut::CharacterMeshes { .. }
            | LeftOut::Unread { .. } => "document::meshes-left-out",
            LeftOut::Characters { .. } => "scene::characters-left-out",
            LeftOut::MarkerSets { .. } => "scene::markers-left-out",
            LeftOut::Shapes { .. } => "document::shapes-left-out",
            LeftOut::Images { .. } => "document::images-left-out",
            LeftOut::Details { .. } => "document::details-left-out",
            LeftOut::Couplings { .. } => "skeleton::couplings-left-out",
        }
    }
}

/// The warning that a format has no couplings, where a skeleton has some.
pub(crate) fn couplings_left(skeleton: &Skeleton, format: Format) -> Option<Finding> {
    let count = skeleton.couplings().len();
    let lost = count > 0 && !format.entry().holds.couplings;
    lost.then(|| Finding::new(LeftOut::Couplings { count, format }))
}

/// The clip without scale tracks: joints keep their places by translations. Warns where there were any.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use std::borrow::Cow;
///
/// let mut warnings = Vec::new();
/// // Without scale tracks the clip is not copied.
/// assert!(matches!(mocap_formats::without_scale(Cow::Borrowed(&clip), &mut warnings)?, Cow::Borrowed(_)));
/// # Ok::<(), mocap_formats::Finding>(())
/// ```
///
/// # Errors
/// [`LeftOut::Overflow`], where a translation overflows.
pub fn without_scale<'c>(clip: Cow<'c, Clip>, warnings: &mut Vec<Finding>) -> Result<Cow<'c, Clip>, Finding> {
    if !clip.has_scale() {
        return Ok(clip);
    }
    let rigid = clip.without_scale().map_err(|error| Finding::new(LeftOut::Overflow { error }))?;
    warnings.push(Finding::new(LeftOut::Scale));
    Ok(Cow::Owned(rigid.into_owned()))
}

/// The clip with only rotations and translations, for formats that hold nothing else. Warns about everything left out.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use std::borrow::Cow;
///
/// let mut warnings = Vec::new();
/// let named = clip.with_name("wave");
/// let bare = mocap_formats::transforms_only(Cow::Owned(named), &mut warnings)?;
/// assert_eq!(bare.frames(), 120);
/// # Ok::<(), mocap_formats::Finding>(())
/// ```
///
/// # Errors
/// As [`without_scale`].
pub fn transforms_only<'c>(
    clip: Cow<'c, Clip>,
    warnings: &mut Vec<Finding>,
) -> Result<Cow<'c, Clip>, Finding> {
    as_held(clip, Holds::TREES, warnings)
}

/// The clip as a format holds it. Warns about what it cannot hold.
pub(crate) fn as_held<'c>(
    clip: Cow<'c, Clip>,
    holds: Holds,
    warnings: &mut Vec<Finding>,
) -> Result<Cow<'c, Clip>, Finding> {
    let (scalars, events) = (clip.annotations().scalars.len(), clip.annotations().events.len());
    let clip = if holds.scale { clip } else { without_scale(clip, warnings)? };
    if scalars > 0 && !holds.scalars {
        warnings.push(Finding::new(LeftOut::Scalars { count: scalars }));
    }
    if events > 0 && !holds.events {
        warnings.push(Finding::new(LeftOut::Events { count: events }));
    }
    Ok(clip)
}
