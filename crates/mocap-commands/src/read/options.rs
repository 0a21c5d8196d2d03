//! The options of the library that the flags about reading ask for.

use mocap::ReadOptions;

use crate::options::Reading;

impl From<&Reading> for ReadOptions {
    fn from(reading: &Reading) -> ReadOptions {
        ReadOptions {
            format: reading.from.map(|from| from.0),
            rate: reading.input_fps,
            unit: reading.input_unit.map(|unit| unit.0),
            up: reading.input_up,
            position_channels: reading.position_channels.0,
            asf_units: reading.asf_units.0,
            skeleton: reading.skeleton.clone(),
            repair: reading.repair,
            strict: reading.strict,
            drop_first_frame: reading.drop_first_frame,
            expect_rest_frame: reading.rest_frame_dropped,
            peers: mocap::PeerAnswers::default(),
            clip: None,
            subject: reading.subject.clone().filter(|subject| subject != "all"),
            limits: reading.limits(),
        }
    }
}
