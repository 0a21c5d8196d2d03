//! AMC in the table of formats: always with the ASF that it moves.

use super::{ClipOptions, Document, Problem, from_clip, parse, to_clip};
use crate::asf::{self, is_skeleton};
use crate::entry::{Entry, Start};
use crate::left_out::Holds;
use crate::{Beside, Content, Encoded, Finding, Format, Parsed, ReadError, ReadOptions, Stated};
use mocap_model::Clip;

/// The skeleton.
const ASF: Beside = Beside::Extension("asf");

pub(crate) static FORMAT: Entry = Entry {
    name: "amc",
    extensions: &[],
    note: Some("with its .asf beside it"),
    has_motion: true,
    states_space: false,
    holds: Holds::TREES,
    searched: true,
    beside: Some(ASF),
    detect,
    read: Ok(|bytes, options| {
        let skeleton = options.skeleton.clone().ok_or_else(|| Finding::new(Problem::NoSkeleton))?;
        let Parsed { value: motion, warnings } = parse(bytes, &options.limits)?;
        Ok(Parsed { value: Box::new(Moved { skeleton, motion }), warnings })
    }),
    write: Some(|clip, _| {
        let Parsed { value: pair, warnings } = from_clip(&clip)?;
        drop(clip);
        Ok(Encoded { warnings, ..encode(&pair.skeleton, &pair.motion) })
    }),
    write_clips: None,
    files_beside: None,
    in_metres: false,
    write_skeleton: None,
    fixed_space: Some("they have Y up, and the unit of the CMU database (1/0.45 in) where it is known"),
    page: Some("asf-amc.md"),
    ..Entry::MOTION
};

fn detect(start: &Start) -> bool {
    if start.word[0] == b':' {
        return !is_skeleton(start);
    }
    // Without keywords: a line with a frame number, then a bone and its numbers.
    let Some(second) = start.second.filter(|_| start.first.iter().all(u8::is_ascii_digit)) else {
        return false;
    };
    let mut words = second.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
    words.next().is_some_and(|name| name[0].is_ascii_alphabetic())
        && words.all(|word| matches!(word[0], b'0'..=b'9' | b'-' | b'+' | b'.'))
}

fn encode(skeleton: &asf::Document, motion: &Document) -> Encoded<'static> {
    let beside = Some((ASF, Content::from(skeleton.to_bytes())));
    Encoded { beside, ..motion.to_bytes().into() }
}

/// A motion and the skeleton that it moves.
#[derive(Debug)]
struct Moved {
    skeleton: asf::Document,
    motion: Document,
}

impl crate::Document for Moved {
    fn format(&self) -> Format {
        Format::Amc
    }

    fn stated(&self, _: &ReadOptions) -> Stated {
        self.skeleton.stated_with(self.motion.frame_numbers.len())
    }

    fn to_clip(&self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        let (frames, bones) = (self.motion.frame_numbers.len(), self.skeleton.bones.len());
        options.limits.check_samples(frames, bones).map_err(Finding::new)?;
        let ReadOptions { fps, asf_units: units, repair, .. } = *options;
        to_clip(&self.skeleton, &self.motion, &ClipOptions { fps, units, repair })
    }

    fn write(&self) -> Encoded<'static> {
        encode(&self.skeleton, &self.motion)
    }
}
