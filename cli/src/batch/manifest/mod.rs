//! The manifest of a run over many clips: one JSON object a line, of what was begun and what was finished.
//!
//! The first line says which command and options the run had (`run`). A clip has a line when work on it begins
//! (`start`) and one when it is done or has failed (`clip`); of several lines about one clip the last one holds.
//! Lines are only ever appended, each with one call and at once, so a killed process leaves whole lines and at most
//! one torn one at the end.

mod book;
mod ledger;

pub(crate) use book::Book;
pub(crate) use ledger::{Facts, Known, Ledger, Place, default_name};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::hash::{self, Content, Hash};
use super::portable::PathText;
use super::shard::Shard;
use crate::diagnostic::Diagnostic;

/// The version of the form of manifests.
const FORM: u32 = 1;

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Line {
    Run(Header),
    Start(Start),
    Clip(Entry),
}

/// What a run was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Header {
    /// The version of the form of this file.
    pub(crate) manifest: u32,
    /// The version of the tool.
    pub(crate) mocap: String,
    pub(crate) command: String,
    /// What outputs depend on beside the inputs; of files their name and the hash of their content.
    pub(crate) options: BTreeMap<String, String>,
    /// The hash of version, command and options.
    pub(crate) fingerprint: Hash,
    /// Which part of the inputs it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) shard: Option<String>,
    /// What hashes are.
    pub(crate) hash: String,
}

/// Work on a clip begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Start {
    /// Below the folder that all inputs have in common.
    pub(crate) path: PathText,
}

/// A clip that is done or has failed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Entry {
    /// Below the folder that all inputs have in common.
    pub(crate) path: PathText,
    pub(crate) result: Outcome,
    /// The input as it was read; `None` where it could not be.
    pub(crate) input: Option<Content>,
    /// Other files that were read for it, such as the ASF of an AMC.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) also: Vec<FileFact>,
    /// What was written, below the folder of the outputs.
    pub(crate) outputs: Vec<FileFact>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Fault>,
    pub(crate) frames: usize,
    /// Time that the work took [s].
    pub(crate) seconds: f64,
    /// That of the header the clip was made under.
    pub(crate) fingerprint: Hash,
    pub(crate) mocap: String,
}

/// How a clip ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Outcome {
    Ok,
    Failed,
}

/// A file and its content.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct FileFact {
    pub(crate) path: PathText,
    #[serde(flatten)]
    pub(crate) content: Content,
}

/// Why a clip failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub(crate) struct Fault {
    pub(crate) code: String,
    pub(crate) message: String,
}

impl Header {
    /// The header of a run of this version of the tool.
    pub(crate) fn new(command: &str, options: BTreeMap<String, String>, shard: Option<Shard>) -> Header {
        let mocap = env!("CARGO_PKG_VERSION");
        let whole = serde_json::to_vec(&(mocap, command, &options)).expect("the keys are text");
        Header {
            manifest: FORM,
            mocap: mocap.to_owned(),
            command: command.to_owned(),
            fingerprint: Hash::of(&whole),
            options,
            shard: shard.map(|shard| shard.to_string()),
            hash: hash::NAME.to_owned(),
        }
    }

    /// What another run was asked for otherwise, each as one clause; nothing where both do the same.
    pub(crate) fn differences(&self, now: &Header) -> Vec<String> {
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
        differ("--shard", self.shard.as_deref(), now.shard.as_deref());
        differences
    }
}

impl Entry {
    pub(crate) fn is_ok(&self) -> bool {
        self.result == Outcome::Ok
    }
}

impl From<&Diagnostic> for Fault {
    fn from(error: &Diagnostic) -> Fault {
        Fault { code: error.code.to_owned(), message: error.message.clone() }
    }
}

/// A line as it is written.
pub(crate) fn text(line: &Line) -> Vec<u8> {
    let mut text = serde_json::to_vec(line).expect("lines have string keys");
    text.push(b'\n');
    text
}

#[cfg(test)]
pub(crate) fn entry(path: &str, fingerprint: Hash, result: Outcome, output: &[u8]) -> Entry {
    let path = PathText::new(std::path::Path::new(path));
    let file = FileFact { path: path.clone(), content: Content::of(output) };
    let fault = Fault { code: "bvh::row-length".into(), message: "a row is too short".into() };
    Entry {
        path,
        result,
        input: Some(Content::of(b"in")),
        also: Vec::new(),
        outputs: if result == Outcome::Ok { vec![file] } else { Vec::new() },
        error: (result == Outcome::Failed).then_some(fault),
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
    fn the_form_of_lines_is_pinned() {
        let options = BTreeMap::from([("--to".to_owned(), "csv".to_owned())]);
        let header = Header { mocap: "0.1.0".into(), ..Header::new("convert", options, "1/3".parse().ok()) };
        let header = Header { fingerprint: Hash::of(b""), ..header };
        let lines = [
            Line::Run(header),
            Line::Start(Start { path: PathText::new(std::path::Path::new("a/1.bvh")) }),
            Line::Clip(entry("a/1.bvh", Hash::of(b""), Outcome::Ok, b"out")),
            Line::Clip(entry("a/2.bvh", Hash::of(b""), Outcome::Failed, b"")),
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
