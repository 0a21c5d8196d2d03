//! BVH in the table of formats.

use super::{
    Channel, ClipOptions, Document, PositionChannels, PositionMode, from_clip, parse, position_mode, to_clip,
    to_clip_start,
};
use crate::entry::Entry;
use crate::left_out::Holds;
use crate::{Encoded, Format, Parsed, ReadOptions, Rejected, Stated};
use mocap_model::Clip;

pub(crate) static FORMAT: Entry = Entry {
    name: "bvh",
    extensions: &[],
    note: None,
    has_motion: true,
    states_space: false,
    holds: Holds::NOTHING,
    searched: true,
    beside: None,
    // `HIERARCHY{` and a `ROOT` without HIERARCHY occur; prose may begin with either word.
    detect: |start| {
        start.starts_with_word(&["hierarchy"])
            || start.starts_with_word(&["root"]) && start.has_word("offset")
    },
    read: Ok(|bytes, options| {
        let Parsed { value, warnings } = parse(bytes, &options.limits)?;
        Ok(Parsed { value: Box::new(value), warnings })
    }),
    write: Some(|clip, options| {
        let defaults = super::WriteOptions::default();
        let tolerance = options.tolerance.map_or(defaults.tolerance, |bound| bound.min(defaults.tolerance));
        let document = from_clip(&clip, &super::WriteOptions { euler: options.euler, tolerance });
        drop(clip);
        Ok(document.to_bytes().into())
    }),
    write_clips: None,
    files_beside: None,
    in_metres: false,
    write_skeleton: None,
    ..Entry::MOTION
};

fn clip_options(options: &ReadOptions) -> ClipOptions {
    ClipOptions { position_channels: options.position_channels, fps: options.fps, repair: options.repair }
}

impl crate::Document for Document {
    fn format(&self) -> Format {
        Format::Bvh
    }

    fn stated(&self, options: &ReadOptions) -> Stated {
        let moves = |channel: &Channel| matches!(channel, Channel::Position(_));
        let moves = self.nodes().iter().any(|node| node.channels.iter().any(moves));
        Stated {
            frames: self.frames(),
            channels: self.channels(),
            frame_time: self.motion().and_then(|motion| Some(motion.frame_time.as_ref()?.seconds)),
            positions: moves.then(|| match options.position_channels {
                PositionChannels::Replace => PositionMode::Replace,
                PositionChannels::Add => PositionMode::Add,
                // Without an OFFSET beside the channels both readings agree.
                PositionChannels::Auto => position_mode(self).mode.unwrap_or(PositionMode::Replace),
            }),
        }
    }

    fn to_clip(&self, options: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        to_clip(self, &clip_options(options))
    }

    fn to_clip_start(&self, options: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        to_clip_start(self, &clip_options(options), 1)
    }

    fn write(&self) -> Encoded<'static> {
        self.to_bytes().into()
    }
}
