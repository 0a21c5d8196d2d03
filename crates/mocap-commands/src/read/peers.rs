//! The inputs of a run, asked about what one of them leaves open.

use std::sync::{Arc, OnceLock};

use mocap::{FileFormat, MotionFile, PeerAnswers, Peers, ReadOptions};
use mocap_batch::{Input, JobContext};

use crate::options::Reading;

/// The inputs that are asked, where a run has several. Copies of a [`Reading`] share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct PeerInputs(Arc<OnceLock<Asked>>);

#[derive(Debug)]
struct Asked {
    inputs: Vec<Input>,
    reading: Reading,
    /// Read when the first file leaves something open.
    peers: OnceLock<Peers>,
}

impl PartialEq for PeerInputs {
    /// The inputs of a run say nothing about how they are read.
    fn eq(&self, _: &PeerInputs) -> bool {
        true
    }
}

impl Reading {
    /// Lets the inputs of a run settle what one of them leaves open: the first ones by path, whatever the shard, and
    /// whichever outputs exist.
    pub(crate) fn ask_peers(&self, inputs: &[Input]) {
        let mut asked: Vec<Input> = inputs.iter().filter(|input| input.path().is_some()).cloned().collect();
        asked.sort_by(|a, b| a.relative.cmp(&b.relative).then_with(|| a.path().cmp(&b.path())));
        asked.dedup_by(|a, b| a.path() == b.path());
        asked.truncate(Peers::MOST);
        if asked.len() > 1 {
            // What the inputs say does not depend on what they say.
            let reading = Reading { peers: PeerInputs::default(), ..self.clone() };
            let _ = self.peers.0.set(Asked { inputs: asked, reading, peers: OnceLock::new() });
        }
    }

    /// What was settled, for the fingerprint of a run. Reads the inputs that are asked.
    pub(crate) fn peers_outcome(&self) -> Option<String> {
        self.peers.0.get().and_then(|asked| asked.peers().outcome())
    }

    /// What other inputs settle about a file.
    pub(super) fn answers_of_peers(&self, file: &MotionFile, options: &ReadOptions) -> PeerAnswers {
        match self.peers.0.get() {
            Some(asked) if Peers::is_open(file, options) => asked.peers().answers(file, options),
            _ => PeerAnswers::default(),
        }
    }
}

impl Asked {
    fn peers(&self) -> &Peers {
        self.peers.get_or_init(|| {
            let options = ReadOptions::from(&self.reading);
            let mut peers = Peers::default();
            // A file that cannot be read says nothing here, and fails in its turn.
            for file in self.inputs.iter().filter_map(|input| self.open(input, &options)) {
                peers.add(&file, &options);
            }
            peers
        })
    }

    fn open(&self, input: &Input, options: &ReadOptions) -> Option<MotionFile> {
        // A pipe can be read only once, in its turn.
        let path = input.path().filter(|path| path.metadata().is_ok_and(|data| data.is_file()))?;
        let named = options.format.or_else(|| FileFormat::from_extension(path.extension()?.to_str()?));
        if named.is_some_and(|format| format.states_space() || !format.has_motion()) {
            return None;
        }
        let bytes = JobContext::standalone().read_file(path, options.limits.bytes as u64).ok()?;
        let format = FileFormat::of_file(Some(path), &bytes, options.format).ok()?;
        // Only formats that state no unit are asked, and none of these needs a second file.
        if format.states_space() || format.exchange().is_some_and(|format| format.skeleton_beside().is_some())
        {
            return None;
        }
        Some(MotionFile::parse(&bytes, format, mocap::Companions::default(), options).ok()?.value)
    }
}
