//! Options for facts that a motion file does not state, or states wrongly.

use std::path::PathBuf;

use mocap_formats::asf::AsfUnits;
use mocap_formats::bvh::{PositionChannels, PositionMode};
use mocap_formats::{ClipChoice, Limits};
use mocap_model::{FrameRate, SignedAxis};

use crate::{Companions, FileFormat, PeerAnswers};

/// How a motion file is read. The defaults follow the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The format. Default: by the extension, else by the content.
    pub format: Option<FileFormat>,
    /// The frame rate, regardless of the file; no frame changes. Default: as the file says, else 120 fps for AMC
    /// and 30 for BVH.
    pub rate: Option<FrameRate>,
    /// Metres per unit of the file's lengths (above 0), regardless of the file; no number changes.
    pub unit: Option<f64>,
    /// The axis that points up, regardless of the file; no number changes.
    pub up: Option<SignedAxis>,
    /// How position channels and OFFSET of a BVH combine. Default: as the file suggests.
    pub position_channels: PositionChannels,
    /// The unit of the lengths of an ASF. Default: that of the CMU database where the file says `length 0.45`.
    pub asf_units: AsfUnits,
    /// The skeleton of an AMC file. Default: the one beside it, see [`companion`](crate::companion). The body whose bones
    /// an SMPL motion moves. Default: the mean body.
    pub skeleton: Option<PathBuf>,
    /// Whether values that are not finite are interpolated. Default: they are an error.
    pub repair: bool,
    /// Whether the first warning is an error. Default: no.
    pub strict: bool,
    /// Whether the first frame is dropped: in BVH conversions of the CMU database it is a rest pose. Default: no.
    pub drop_first_frame: bool,
    /// Whether a rest pose in the first frame is expected, and not worth a warning. Default: no.
    pub expect_rest_frame: bool,
    /// Facts decided from other clips if the file leaves them open: see [`Peers`](crate::Peers). Default: none.
    pub peers: PeerAnswers,
    /// Which of several clips in a file is read; that of `path#clip` takes precedence. Default: the first, with a
    /// warning.
    pub clip: Option<ClipChoice>,
    /// Which of several bodies in a file is read, by its name or number from 1: see [`subjects`](crate::subjects()).
    /// Default: all of them.
    pub subject: Option<String>,
    /// Bounds on the size of a file and of its clip.
    pub limits: Limits,
}

impl ReadOptions {
    /// The options for the reader of a format.
    pub fn of_format(&self, companions: Companions) -> mocap_formats::ReadOptions {
        mocap_formats::ReadOptions {
            format: self.format.and_then(FileFormat::exchange),
            skeleton: companions.skeleton,
            body: companions.body,
            beside: companions.files,
            clip: self.clip.clone(),
            position_channels: match (self.position_channels, self.peers.positions) {
                (PositionChannels::Auto, Some(answer)) => match answer.value {
                    PositionMode::Replace => PositionChannels::Replace,
                    PositionMode::Add => PositionChannels::Add,
                },
                (stated, _) => stated,
            },
            asf_units: self.asf_units,
            fps: self.rate.map(FrameRate::fps),
            repair: self.repair,
            limits: self.limits,
        }
    }
}
