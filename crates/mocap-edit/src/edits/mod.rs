//! The table of edits. An edit is a file here with its options, and a line in the table.

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the texts are help of command lines too, where [s] is a unit"
)]

mod kind;
mod operation;
mod source;

use std::sync::Arc;

use mocap_model::{Clip, Scene};

use crate::binding::kept::Change;
use crate::{EditError, EditReport, RootCurve};
pub use kind::EditKind;
pub use operation::{Flags, Group, LeadIn, Operation, Takes, Value};
pub use source::{FileValue, Files, HeightOptions, Needed, Source};

/// Visits every kind of edit, in the order of the table.
pub trait Visitor {
    /// Visits one kind.
    fn visit<T: Operation>(&mut self);
}

/// Generates the modules and types of edits, and the enum, from the table.
macro_rules! edits {
    ($($module:ident::$name:ident;)+) => {
        $(mod $module; pub use $module::$name;)+

        /// One edit with its options.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        #[allow(missing_docs, reason = "each type says what it does")]
        pub enum Edit {
            $($name($name),)+
        }

        $(impl From<$name> for Edit {
            fn from(edit: $name) -> Edit {
                Edit::$name(edit)
            }
        })+

        /// Shows every kind of edit to a visitor.
        pub fn visit_all(visitor: &mut impl Visitor) {
            $(visitor.visit::<$name>();)+
        }

        impl Edit {
            fn inner(&self) -> &dyn Inner {
                match self {
                    $(Edit::$name(edit) => edit,)+
                }
            }

            fn inner_mut(&mut self) -> &mut dyn Inner {
                match self {
                    $(Edit::$name(edit) => edit,)+
                }
            }
        }
    };
}

edits! {
    drop_first_frame::DropFirstFrame;
    trim::Trim;
    fps::Fps;
    scale::Scale;
    denoise::Denoise;
    bands::Bands;
    make_loop::Loop;
    repeat::Repeat;
    speed::Speed;
    duration::Duration;
    time_map::TimeMap;
    sync::Sync;
    join::Join;
    blend::Blend;
    warp::Warp;
    fourier::Fourier;
    terrain::Terrain;
    fix_feet::FixFeet;
    balance::Balance;
    turn::Turn;
    along::Along;
    add::Add;
    strip::Strip;
    mirror::Mirror;
    in_place::InPlace;
    extract_root::ExtractRoot;
    apply_root::ApplyRoot;
    root_joint::RootJoint;
    heading::Heading;
    start_at::StartAt;
    ground::Ground;
    attach::Attach;
    detach::Detach;
    label::Label;
}
pub use detach::Freed;
pub use label::{event_names, with_labels};
pub use mirror::MirrorBy;
pub use root_joint::RootJointChange;
pub use start_at::Start;

/// The methods of [`Operation`], object safe.
trait Inner {
    fn name(&self) -> &'static str;
    fn lead_in(&self) -> LeadIn;
    fn takes(&self) -> Takes;
    fn keeps_poses(&self) -> bool;
    fn makes_events(&self) -> bool;
    fn frames_made(&self, clip: &Clip) -> Option<f64>;
    fn needs(&mut self) -> Vec<Needed<'_>>;
    fn check(&self) -> Result<(), EditError>;
    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError>;
    fn apply_to_scene(&self, scene: &Scene) -> Result<(Scene, EditReport), EditError>;
    fn lead_in_after(&self, clip: &Clip, before: usize) -> usize;
    fn curve(&self, motion: &Clip) -> Option<RootCurve>;
}

impl<T: Operation> Inner for T {
    fn name(&self) -> &'static str {
        T::NAME
    }

    fn lead_in(&self) -> LeadIn {
        T::LEAD_IN
    }

    fn takes(&self) -> Takes {
        T::TAKES
    }

    fn keeps_poses(&self) -> bool {
        T::KEEPS_POSES
    }

    fn makes_events(&self) -> bool {
        T::MAKES_EVENTS
    }

    fn frames_made(&self, clip: &Clip) -> Option<f64> {
        Operation::frames_made(self, clip)
    }

    fn needs(&mut self) -> Vec<Needed<'_>> {
        Operation::needs(self)
    }

    fn check(&self) -> Result<(), EditError> {
        Operation::check(self)
    }

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        if !(T::PLACES_JOINTS && clip.has_scale()) {
            return Operation::apply(self, clip);
        }
        let model = |error| EditError::model(T::NAME, error);
        let (edited, report) = Operation::apply(self, &*clip.without_scale().map_err(model)?)?;
        let scales = clip.tracks().iter().map(|tracks| tracks.scale.clone()).collect();
        Ok((edited.with_scale(scales).map_err(model)?, report))
    }

    fn apply_to_scene(&self, scene: &Scene) -> Result<(Scene, EditReport), EditError> {
        Operation::apply_to_scene(self, scene)
    }

    fn lead_in_after(&self, clip: &Clip, before: usize) -> usize {
        Operation::lead_in_after(self, clip, before)
    }

    fn curve(&self, motion: &Clip) -> Option<RootCurve> {
        Operation::curve(self, motion)
    }
}

impl From<&Edit> for Change {
    fn from(edit: &Edit) -> Change {
        let mirrored = matches!(edit, Edit::Mirror(_));
        Change { mirrored, places_things: edit.takes() == Takes::Together }
    }
}

impl Edit {
    /// The name in commands and reports.
    pub fn name(&self) -> &'static str {
        self.inner().name()
    }

    /// Which characters it edits in a scene of several.
    pub fn takes(&self) -> Takes {
        self.inner().takes()
    }

    /// Whether each frame that it makes is a pose of the motion, at another time or mirrored.
    pub fn keeps_poses(&self) -> bool {
        self.inner().keeps_poses()
    }

    /// Whether it sets the events of the result itself.
    pub(crate) fn makes_events(&self) -> bool {
        self.inner().makes_events()
    }

    /// Reads the files that it names. If each motion has its own root motion, this one is left unread while
    /// [`Files::curve_file`] returns `None`.
    ///
    /// # Errors
    /// Where its options contradict each other, or the first file that cannot be read.
    pub fn read<F: Files>(&mut self, files: &F) -> Result<(), F::Error> {
        self.inner().check()?;
        self.inner_mut().needs().into_iter().try_for_each(|needed| needed.read(files))
    }

    /// The files that it names and that are not read yet.
    pub fn files(&self) -> Vec<std::path::PathBuf> {
        let mut edit = self.clone();
        let needs = edit.inner_mut().needs();
        needs.iter().filter_map(Needed::file).map(std::path::Path::to_owned).collect()
    }

    /// Motions whose poses become part of the result, beside those of the edited one.
    pub(crate) fn motions_added(&self) -> Vec<Arc<Clip>> {
        if !matches!(self, Edit::Join(_) | Edit::Blend(_)) {
            return Vec::new();
        }
        let mut edit = self.clone();
        let held = |needed: Needed<'_>| match needed {
            Needed::Motion(Source::Held(clip)) => Some(clip.clone()),
            _ => None,
        };
        edit.inner_mut().needs().into_iter().filter_map(held).collect()
    }

    /// Whether it multiplies all lengths.
    pub(crate) fn scales(&self) -> bool {
        matches!(self, Edit::Scale(_))
    }

    /// The number of frames of its result, if it may be larger than that of the motion.
    pub(crate) fn frames_made(&self, clip: &Clip) -> Option<f64> {
        self.inner().frames_made(clip)
    }

    pub(crate) fn lead_in(&self) -> LeadIn {
        self.inner().lead_in()
    }

    pub(crate) fn lead_in_after(&self, clip: &Clip, before: usize) -> usize {
        self.inner().lead_in_after(clip, before)
    }

    pub(crate) fn curve(&self, motion: &Clip) -> Option<RootCurve> {
        self.inner().curve(motion)
    }

    pub(crate) fn apply_to(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        self.inner().apply(clip)
    }

    pub(crate) fn apply_to_whole(&self, scene: &Scene) -> Result<(Scene, EditReport), EditError> {
        self.inner().apply_to_scene(scene)
    }
}
