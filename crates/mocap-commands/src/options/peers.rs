//! Decides what a single input leaves open (unit, axes) from all inputs of a run.

use std::sync::{Arc, OnceLock};

use mocap::{FileFormat, MotionFile, PeerAnswers, Peers, ReadOptions};
use mocap_batch::{Input, JobContext};

/// The inputs that are used, if a run has several. Clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct PeerInputs(Arc<OnceLock<RunInputs>>);

#[derive(Debug)]
struct RunInputs {
    inputs: Vec<Input>,
    options: ReadOptions,
    /// Read when the first file leaves something open.
    peers: OnceLock<Peers>,
}

impl PartialEq for PeerInputs {
    /// Always equal: the inputs of a run are not part of how they are read.
    fn eq(&self, _: &PeerInputs) -> bool {
        true
    }
}

impl PeerInputs {
    /// Sets the inputs of a run and how they are read; only the first call counts.
    pub(crate) fn ask(&self, inputs: Vec<Input>, options: ReadOptions) {
        let _ = self.0.set(RunInputs { inputs, options, peers: OnceLock::new() });
    }

    /// The decision, as text. Reads the inputs.
    pub(crate) fn outcome(&self) -> Option<String> {
        self.0.get().and_then(|run| run.peers().outcome())
    }

    /// The decisions for a file.
    pub(crate) fn answers(&self, file: &MotionFile, options: &ReadOptions) -> PeerAnswers {
        match self.0.get() {
            Some(run) if Peers::is_open(file, options) => run.peers().answers(file, options),
            _ => PeerAnswers::default(),
        }
    }
}

impl RunInputs {
    fn peers(&self) -> &Peers {
        self.peers.get_or_init(|| {
            let options = &self.options;
            let mut peers = Peers::default();
            // A file that cannot be read is ignored here; its own job reports the error.
            for file in self.inputs.iter().filter_map(|input| self.open(input, options)) {
                peers.add(&file, options);
            }
            peers
        })
    }

    fn open(&self, input: &Input, options: &ReadOptions) -> Option<MotionFile> {
        // A pipe can be read only once, by its own job.
        let path = input.path().filter(|path| path.metadata().is_ok_and(|data| data.is_file()))?;
        let named = options.format.or_else(|| FileFormat::from_extension(path.extension()?.to_str()?));
        if named.is_some_and(|format| format.states_space() || !format.has_motion()) {
            return None;
        }
        let bytes = JobContext::standalone().read_file(path, options.limits.bytes as u64).ok()?;
        let format = FileFormat::of_file(Some(path), &bytes, options.format).ok()?;
        // Only formats that neither state their unit nor need a second file are used.
        if format.states_space() || format.exchange().is_some_and(|format| format.skeleton_beside().is_some())
        {
            return None;
        }
        Some(MotionFile::parse(&bytes, format, mocap::Companions::default(), options).ok()?.value)
    }
}
