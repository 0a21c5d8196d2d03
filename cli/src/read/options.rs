//! The options of the library that the flags about reading ask for.

use mocap::ReadOptions;
use mocap_formats::asf::AsfUnits;
use mocap_formats::bvh::PositionChannels;

use crate::args::{AsfUnitsArg, PositionChannelsArg, Reading};

impl From<&Reading> for ReadOptions {
    fn from(reading: &Reading) -> ReadOptions {
        ReadOptions {
            format: reading.from.map(|from| from.0),
            rate: reading.input_fps,
            unit: reading.input_unit.map(|unit| unit.0),
            up: reading.input_up,
            position_channels: match reading.position_channels {
                PositionChannelsArg::Auto => PositionChannels::Auto,
                PositionChannelsArg::Replace => PositionChannels::Replace,
                PositionChannelsArg::Add => PositionChannels::Add,
            },
            asf_units: match reading.asf_units {
                AsfUnitsArg::Auto => AsfUnits::Auto,
                AsfUnitsArg::Cmu => AsfUnits::Cmu,
                AsfUnitsArg::Spec => AsfUnits::Spec,
                AsfUnitsArg::Raw => AsfUnits::Raw,
            },
            skeleton: reading.skeleton.clone(),
            repair: reading.repair,
            strict: reading.strict,
            drop_first_frame: reading.drop_first_frame,
            expect_rest_frame: reading.rest_frame_dropped,
            peers: mocap::PeerAnswers::default(),
            limits: reading.limits(),
        }
    }
}
