//! BVH in the table of formats.

use super::from_clip::written;
use super::to_clip::take_clip;
use super::{
    Channel, ClipOptions, Document, PositionChannels, PositionDecision, PositionMode, check_start, normalise,
    parse, parse_shared, position_mode, to_clip, to_clip_start,
};
use crate::entry::Entry;
use crate::left_out::Holds;
use crate::{Content, Encoded, Finding, Format, Parsed, ReadError, ReadOptions, Stated, WriteOptions};
use mocap_model::{Clip, EulerOrder};
use std::ops::Range;

pub(crate) static FORMAT: Entry = Entry {
    name: "bvh",
    extensions: &[],
    note: None,
    has_motion: true,
    states_space: false,
    holds: Holds::TREES,
    searched: true,
    beside: None,
    // `HIERARCHY{` and a `ROOT` without HIERARCHY occur in files; prose may begin with either word.
    detect: |start| {
        start.starts_with_word(&["hierarchy"])
            || start.starts_with_word(&["root"]) && start.has_word("offset")
    },
    read: Ok(|bytes, options| Ok(boxed(parse(bytes, &options.limits)?))),
    check_start: Some(check_start),
    read_shared: Some(|bytes, options| Ok(boxed(parse_shared(bytes, &options.limits)?))),
    write: Some(|clip, options| {
        let defaults = super::WriteOptions::default();
        let tolerance = options.tolerance.map_or(defaults.tolerance, |bound| bound.min(defaults.tolerance));
        let WriteOptions { euler, names, positions, .. } = *options;
        Ok(written(clip, &super::WriteOptions { euler, tolerance, names, positions })?.into())
    }),
    write_clips: None,
    files_beside: None,
    in_metres: false,
    write_skeleton: None,
    reports_rest: true,
    page: Some("bvh.md"),
    ..Entry::MOTION
};

fn boxed(Parsed { value, warnings }: Parsed<Document>) -> Parsed<Box<dyn crate::Document>> {
    Parsed { value: Box::new(value), warnings }
}

fn stream(document: Document) -> Content<'static> {
    Content::stream(move |out| document.write_to(out))
}

/// The mode of position channels: as the user states, else as the numbers suggest.
fn meaning(stated: PositionChannels, decision: &PositionDecision) -> PositionMode {
    match stated {
        PositionChannels::Replace => PositionMode::Replace,
        PositionChannels::Add => PositionMode::Add,
        PositionChannels::Auto => decision.mode.unwrap_or(PositionMode::Replace),
    }
}

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
        let decision = moves.then(|| position_mode(self));
        Stated {
            frames: self.frames(),
            channels: self.channels(),
            frame_time: self.motion().and_then(|motion| Some(motion.frame_time.as_ref()?.seconds)),
            positions: decision.map(|decision| meaning(options.position_channels, &decision)),
            // Without an OFFSET both modes are equal, and there is nothing to report.
            position_votes: decision.filter(|decision| decision.mode.is_some()),
        }
    }

    fn to_clip(&self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        to_clip(self, &clip_options(options))
    }

    fn into_clip(mut self: Box<Self>, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        take_clip(&mut self, &clip_options(options))
    }

    fn take_clip(&mut self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        take_clip(self, &clip_options(options))
    }

    fn text(&self) -> Option<&[u8]> {
        self.motion()?.text()
    }

    fn to_clip_start(&self, options: &ReadOptions) -> Result<Parsed<Clip>, ReadError> {
        to_clip_start(self, &clip_options(options), 1)
    }

    fn write(&self) -> Encoded<'static> {
        self.to_bytes().into()
    }

    fn into_encoded(self: Box<Self>) -> Encoded<'static> {
        stream(*self).into()
    }

    fn has_order(&self, order: EulerOrder) -> bool {
        let order = order.axes().map(Channel::Rotation);
        self.nodes().iter().all(|node| {
            let rotations = node.channels.iter().filter(|channel| matches!(channel, Channel::Rotation(_)));
            node.channels.is_empty() || rotations.eq(&order)
        })
    }

    fn edited(&self, frames: Range<usize>, factor: f64) -> Option<Box<dyn crate::Document>> {
        Some(Box::new(self.edited(frames, factor)?))
    }

    fn normalised(
        &self,
        reading: &ReadOptions,
        writing: &WriteOptions,
    ) -> Result<Option<Parsed<Box<dyn crate::Document>>>, Finding> {
        let decision = position_mode(self);
        let is_on_floor = decision.lowest.is_some_and(|lowest| lowest.mode().is_some());
        let mode = match reading.position_channels {
            // An uncertain mode is not baked into the file that is written.
            PositionChannels::Auto if decision.weak && !is_on_floor => writing.positions,
            stated => meaning(stated, &decision),
        };
        let changed = normalise(self, mode, writing.positions, writing.names)?;
        Ok(changed.map(|Parsed { value, warnings }| Parsed { value: Box::new(value) as _, warnings }))
    }
}
