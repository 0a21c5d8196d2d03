//! ASF in the table of formats.

use super::{Document, Dof, from_skeleton, parse, to_skeleton};
use crate::bvh::PositionMode;
use crate::entry::{Entry, Start};
use crate::left_out::Holds;
use crate::{Encoded, Finding, Format, Parsed, ReadError, ReadOptions, Stated};
use mocap_model::Skeleton;

pub(crate) static FORMAT: Entry = Entry {
    name: "asf",
    extensions: &[],
    note: None,
    has_motion: false,
    states_space: false,
    holds: Holds::TREES,
    searched: true,
    beside: None,
    detect: is_skeleton,
    read: Ok(|bytes, options| {
        let Parsed { value, warnings } = parse(bytes, &options.limits)?;
        Ok(Parsed { value: Box::new(value), warnings })
    }),
    write: Some(|clip, _| encode(clip.skeleton())),
    write_clips: None,
    files_beside: None,
    in_metres: false,
    write_skeleton: Some(|skeleton, _| encode(skeleton)),
    fixed_space: Some("they have Y up, and the unit of the CMU database (1/0.45 in) where it is known"),
    page: Some("asf-amc.md"),
    ..Entry::MOTION
};

/// Whether the first keyword is one of skeletons.
pub(crate) fn is_skeleton(start: &Start) -> bool {
    const KEYWORDS: [&str; 8] =
        [":version", ":name", ":units", ":documentation", ":root", ":bonedata", ":hierarchy", ":skin"];
    let word = String::from_utf8_lossy(start.word).to_ascii_lowercase();
    KEYWORDS.iter().any(|known| word.starts_with(known))
}

fn encode(skeleton: &Skeleton) -> Result<Encoded<'static>, Finding> {
    let Parsed { value, warnings } = from_skeleton(skeleton)?;
    Ok(Encoded { warnings, ..value.to_bytes().into() })
}

impl Document {
    /// Acclaim files state no frame time; the translation of a root is added to its place.
    pub(crate) fn stated_with(&self, frames: usize) -> Stated {
        let moves = |dof: &Dof| matches!(dof, Dof::Translation(_));
        let channels = self.root.order.len() + self.bones.iter().map(|bone| bone.dofs.len()).sum::<usize>();
        let moving =
            self.root.order.iter().any(moves) || self.bones.iter().any(|bone| bone.dofs.iter().any(moves));
        let positions = moving.then_some(PositionMode::Add);
        Stated { frames, channels, positions, ..Stated::default() }
    }
}

impl crate::Document for Document {
    fn format(&self) -> Format {
        Format::Asf
    }

    fn stated(&self, _: &ReadOptions) -> Stated {
        self.stated_with(0)
    }

    fn to_skeleton(&self, options: &ReadOptions) -> Result<Parsed<Skeleton>, ReadError> {
        Ok(to_skeleton(self, options.asf_units)?)
    }

    fn write(&self) -> Encoded<'static> {
        self.to_bytes().into()
    }
}
