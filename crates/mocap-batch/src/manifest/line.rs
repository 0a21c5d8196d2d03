//! The lines of a manifest.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::hash::{self, Content, Hash};
use crate::portable::PathText;
use crate::shard::Shard;

/// The version of the format.
pub(super) const FORM: u32 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Line {
    /// A run starts or continues.
    Run(Header),
    /// Work on a clip starts.
    Start(Start),
    /// A clip is done or has failed.
    Clip(Entry),
}

/// What a run was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Header {
    /// The version of the form of this file.
    pub manifest: u32,
    /// The version of the tool.
    pub mocap: String,
    /// The command.
    pub command: String,
    /// What outputs depend on beside the inputs; of files their name and the hash of their content.
    pub options: BTreeMap<String, String>,
    /// The hash of version, command and options.
    pub fingerprint: Hash,
    /// Which part of the inputs it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// What hashes are.
    pub hash: String,
}

/// Work on a clip begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Start {
    /// Below the folder that all inputs have in common.
    pub path: PathText,
}

/// A clip that is done or has failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Entry {
    /// Below the folder that all inputs have in common.
    pub path: PathText,
    /// How it ended.
    pub result: ClipResult,
    /// The input as it was read; `None` where it could not be.
    pub input: Option<Content>,
    /// Other files that were read for it, such as the ASF of an AMC.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<FileFact>,
    /// What was written, below the folder of the outputs.
    pub outputs: Vec<FileFact>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
    /// Frames of motion.
    pub frames: usize,
    /// Time that the work took (s).
    pub seconds: f64,
    /// That of the header the clip was made under.
    pub fingerprint: Hash,
    /// The version of the tool.
    pub mocap: String,
}

/// How a clip ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Outcome")]
pub enum ClipResult {
    /// Its outputs are complete.
    Ok,
    /// It has an error.
    Failed,
}

/// A file and its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FileFact {
    /// Below the directory of the inputs or outputs.
    pub path: PathText,
    /// Its size and hash.
    #[serde(flatten)]
    pub content: Content,
}

/// Why a clip failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Fault {
    /// The stable code.
    pub code: String,
    /// One sentence.
    pub message: String,
}

impl Header {
    /// The header of a run of this version of the tool.
    pub fn new(command: &str, options: BTreeMap<String, String>, shard: Option<Shard>) -> Header {
        let mocap = env!("CARGO_PKG_VERSION");
        let whole = serde_json::to_vec(&(mocap, command, &options)).expect("the keys are text");
        Header {
            manifest: FORM,
            mocap: mocap.to_owned(),
            command: command.to_owned(),
            fingerprint: Hash::of(&whole),
            options,
            shard,
            hash: hash::NAME.to_owned(),
        }
    }

    /// How another run differs, each difference as one clause; empty where both do the same.
    pub fn differences(&self, now: &Header) -> Vec<String> {
        let mut differences = Vec::new();
        let mut differ = |what: &str, was: Option<&str>, is: Option<&str>| {
            let shown = |value: Option<&str>| value.map_or("not given".into(), |value| format!("'{value}'"));
            if was != is {
                differences.push(format!("{what} was {}, is {}", shown(was), shown(is)));
            }
        };
        differ("the version of mocap", Some(&self.mocap), Some(&now.mocap));
        differ("the command", Some(&self.command), Some(&now.command));
        let names: std::collections::BTreeSet<&String> =
            self.options.keys().chain(now.options.keys()).collect();
        for name in names {
            differ(
                name,
                self.options.get(name).map(String::as_str),
                now.options.get(name).map(String::as_str),
            );
        }
        let [was, is] = [self.shard, now.shard].map(|shard| shard.map(|shard| shard.to_string()));
        differ("--shard", was.as_deref(), is.as_deref());
        differences
    }
}

impl Entry {
    /// Whether its outputs are complete.
    pub fn is_ok(&self) -> bool {
        self.result == ClipResult::Ok
    }
}

/// A line as it is written, with its line break.
pub(super) fn text(line: &Line) -> Vec<u8> {
    let mut text = serde_json::to_vec(line).expect("lines have string keys");
    text.push(b'\n');
    text
}

/// An entry for tests.
#[cfg(test)]
pub(super) fn entry(path: &str, fingerprint: Hash, result: ClipResult, output: &[u8]) -> Entry {
    let path = PathText::new(std::path::Path::new(path));
    let file = FileFact { path: path.clone(), content: Content::of(output) };
    let fault = Fault { code: "bvh::row-length".into(), message: "a row is too short".into() };
    Entry {
        path,
        result,
        input: Some(Content::of(b"in")),
        also: Vec::new(),
        outputs: if result == ClipResult::Ok { vec![file] } else { Vec::new() },
        error: (result == ClipResult::Failed).then_some(fault),
        frames: 10,
        seconds: 0.5,
        fingerprint,
        mocap: "0.1.0".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_of_lines_is_pinned() {
        let options = BTreeMap::from([("--to".to_owned(), "csv".to_owned())]);
        let header = Header { mocap: "0.1.0".into(), ..Header::new("convert", options, "1/3".parse().ok()) };
        let header = Header { fingerprint: Hash::of(b""), ..header };
        let lines = [
            Line::Run(header),
            Line::Start(Start { path: PathText::new(std::path::Path::new("a/1.bvh")) }),
            Line::Clip(entry("a/1.bvh", Hash::of(b""), ClipResult::Ok, b"out")),
            Line::Clip(entry("a/2.bvh", Hash::of(b""), ClipResult::Failed, b"")),
        ];
        let texts: Vec<String> = lines.iter().map(|line| String::from_utf8(text(line)).unwrap()).collect();
        insta::assert_snapshot!(texts.concat());
        for (line, text) in lines.iter().zip(&texts) {
            assert_eq!(&serde_json::from_str::<Line>(text).unwrap(), line);
        }
    }

    #[test]
    fn what_differs_between_runs_is_named() {
        let header = |fps: &str, more: Option<&str>| {
            let mut options = BTreeMap::from([("--fps".to_owned(), fps.to_owned())]);
            options.extend(more.map(|name| (name.to_owned(), "true".to_owned())));
            Header::new("convert", options, None)
        };
        assert_eq!(header("30", None).differences(&header("30", None)), [] as [&str; 0]);
        assert_eq!(
            header("30", None).differences(&header("60", Some("--strict"))),
            ["--fps was '30', is '60'", "--strict was not given, is 'true'"]
        );
        assert_ne!(header("30", None).fingerprint, header("60", None).fingerprint);
    }
}
