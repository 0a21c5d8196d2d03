//! Warnings and errors of the library as Python values.

use std::path::Path;

use mocap::Finding;
use mocap::formats::Remedy;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The fields of a warning or an error.
pub(crate) struct Fields {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) path: Option<String>,
    pub(crate) line: Option<usize>,
    pub(crate) column: Option<usize>,
    pub(crate) joint: Option<String>,
    pub(crate) channel: Option<String>,
    pub(crate) frame: Option<usize>,
    pub(crate) hint: Option<String>,
}

impl Fields {
    /// Of a code and a sentence.
    pub(crate) fn new(code: &str, message: impl Into<String>) -> Fields {
        Fields {
            code: code.to_owned(),
            message: message.into(),
            path: None,
            line: None,
            column: None,
            joint: None,
            channel: None,
            frame: None,
            hint: None,
        }
    }

    /// Of a finding about a file.
    pub(crate) fn of(finding: &Finding, path: Option<&Path>) -> Fields {
        let context = &finding.context;
        Fields {
            path: path.map(|path| path.display().to_string()),
            line: finding.place.as_ref().map(|place| place.line),
            column: finding.place.as_ref().map(|place| place.column),
            joint: context.joint.clone(),
            channel: context.channel.clone(),
            frame: context.frame,
            hint: hint(finding).map(str::to_owned),
            ..Fields::new(finding.code(), finding.problem.to_string())
        }
    }

    pub(crate) fn hint(self, hint: Option<impl Into<String>>) -> Fields {
        Fields { hint: hint.map(Into::into), ..self }
    }

    pub(crate) fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        fields.set_item("code", &self.code)?;
        fields.set_item("message", &self.message)?;
        fields.set_item("path", &self.path)?;
        fields.set_item("line", self.line)?;
        fields.set_item("column", self.column)?;
        fields.set_item("joint", &self.joint)?;
        fields.set_item("channel", &self.channel)?;
        fields.set_item("frame", self.frame)?;
        fields.set_item("hint", &self.hint)?;
        Ok(fields)
    }
}

/// The remedy in keywords of this package.
fn hint(finding: &Finding) -> Option<&'static str> {
    if finding.code() == "robot-motion::needs-robot" {
        return Some("read(..., skeleton='g1.xml') names the model of the robot");
    }
    Some(match finding.remedy()? {
        Remedy::Repair => "read(..., repair=True) interpolates over such values",
        Remedy::RepairToGaps => "read(..., repair=True) makes gaps of such values",
        Remedy::StateRate => "read(..., rate=...) states the rate",
        Remedy::StatePositionChannels => "read(..., position_channels='replace' or 'add') states it",
        Remedy::PickSubject => "read(..., subject=NAME) picks one",
        Remedy::DropFirstFrame => "read(..., drop_first_frame=True) drops it",
        Remedy::StateUp => "read(..., up=...) states the axis",
        Remedy::StateUnit => "read(..., unit='cm') states the unit",
        Remedy::NameSkeleton => "read(..., skeleton='FILE.asf') names the skeleton",
        Remedy::SafeNames => "write(..., names='safe') writes _ in place of such characters",
        Remedy::KeepDocument => "mocap.convert(..., verbatim=True) keeps the file as it is",
        _ => return None,
    })
}

/// Warnings as a list of dictionaries.
pub(crate) fn listed<'py>(
    py: Python<'py>,
    findings: &[Finding],
    path: Option<&Path>,
) -> PyResult<Bound<'py, PyList>> {
    list(py, findings.iter().map(|finding| Fields::of(finding, path)))
}

/// Fields as a list of dictionaries.
pub(crate) fn list(py: Python<'_>, fields: impl IntoIterator<Item = Fields>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for fields in fields {
        list.append(fields.to_dict(py)?)?;
    }
    Ok(list)
}
