//! A file with the motion of a robot.

use std::sync::Arc;

use mocap_model::{Clip, Robot, RobotMotion};

use super::Problem;
use crate::{Encoded, Finding, Format, Parsed, ReadOptions, Rejected, Stated};

/// The motion on its robot, and the file.
#[derive(Debug)]
pub(crate) struct Document {
    format: Format,
    clip: Clip,
    bytes: Vec<u8>,
}

impl Document {
    pub(crate) fn new(
        format: Format,
        motion: &RobotMotion,
        robot: &Arc<Robot>,
        bytes: &[u8],
    ) -> Result<Document, Finding> {
        let clip = motion.to_clip(robot).map_err(|error| Finding::new(Problem::Model { error }))?;
        Ok(Document { format, clip, bytes: bytes.to_vec() })
    }
}

impl crate::Document for Document {
    fn format(&self) -> Format {
        self.format
    }

    fn stated(&self, _: &ReadOptions) -> Stated {
        Stated::of_dofs(self.clip.skeleton(), self.clip.frames())
    }

    fn to_clip(&self, _: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        Ok(Parsed { value: self.clip.clone(), warnings: Vec::new() })
    }

    fn into_clip(self: Box<Self>, _: &ReadOptions) -> Result<Parsed<Clip>, Rejected> {
        Ok(Parsed { value: self.clip, warnings: Vec::new() })
    }

    fn write(&self) -> Encoded<'static> {
        self.bytes.clone().into()
    }
}
