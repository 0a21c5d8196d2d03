//! Library options for the flags about reading.

use mocap::{Peers, ReadOptions};
use mocap_batch::Input;

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

impl Reading {
    /// Sets the inputs of a run that decide what one of them leaves open: the first ones by path, independent
    /// of the shard and of existing outputs.
    pub(crate) fn ask_peers(&self, inputs: &[Input]) {
        let mut asked: Vec<Input> = inputs.iter().filter(|input| input.path().is_some()).cloned().collect();
        asked.sort_by(|a, b| a.relative.cmp(&b.relative).then_with(|| a.path().cmp(&b.path())));
        asked.dedup_by(|a, b| a.path() == b.path());
        asked.truncate(Peers::MOST);
        if asked.len() > 1 {
            self.peers.ask(asked, ReadOptions::from(self));
        }
    }
}
