//! Errors of the library as exceptions of the package.

use std::io::ErrorKind;
use std::path::Path;

use mocap::edit::EditError;
use mocap::{Error, Finding};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::findings::Fields;

/// An exception of the package, by the name of its class.
pub(crate) fn raise(py: Python<'_>, class: &str, fields: &Fields) -> PyErr {
    raise_with(py, class, fields, |_| Ok(()))
}

fn raise_with(
    py: Python<'_>,
    class: &str,
    fields: &Fields,
    add: impl FnOnce(&Bound<'_, PyDict>) -> PyResult<()>,
) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let class = py.import("mocap._errors")?.getattr(class)?;
        let keywords = fields.to_dict(py)?;
        add(&keywords)?;
        Ok(PyErr::from_value(class.call((), Some(&keywords))?))
    };
    made().unwrap_or_else(|error| error)
}

/// Warns about an old name, which still works.
///
/// # Errors
/// Where warnings are errors.
pub(crate) fn warn_old_name(py: Python<'_>, message: &str) -> PyResult<()> {
    let category = py.get_type::<pyo3::exceptions::PyFutureWarning>();
    PyErr::warn(py, &category, &std::ffi::CString::new(message)?, 2)
}

/// The exception about an argument.
pub(crate) fn of_option(py: Python<'_>, message: impl Into<String>) -> PyErr {
    raise(py, "OptionError", &Fields::new("usage::value", message))
}

/// The exception about arrays.
pub(crate) fn of_array(py: Python<'_>, code: &str, message: impl Into<String>) -> PyErr {
    raise(py, "ArrayError", &Fields::new(code, message))
}

/// The exception of an error of the library.
pub(crate) fn of_error(py: Python<'_>, error: Error) -> PyErr {
    let (code, message) = (error.code(), error.to_string());
    let plain = || Fields::new(code, &message);
    match &error {
        Error::Io { path, source, .. } => {
            let class = match source.kind() {
                ErrorKind::NotFound => "NotFoundError",
                ErrorKind::PermissionDenied => "AccessError",
                _ => "FileError",
            };
            let fields = Fields { path: Some(path.display().to_string()), ..plain() };
            raise_with(py, class, &fields, |keywords| keywords.set_item("errno", source.raw_os_error()))
        }
        Error::File { path, failed } => {
            let fields = Fields::of(&failed.error, Some(path));
            raise_with(py, "FormatError", &fields, |keywords| {
                keywords.set_item("errors", crate::findings::listed(py, &failed.more, Some(path))?)?;
                keywords.set_item("warnings", crate::findings::listed(py, &failed.warnings, Some(path))?)
            })
        }
        Error::Finding(finding) => of_finding(py, finding, None),
        Error::OutputFormat { path } => {
            let names: Vec<&str> = mocap::Format::ALL
                .into_iter()
                .filter(|format| format.is_writable())
                .map(|format| format.extension())
                .collect();
            let hint = format!("name one of {} by the extension or with format=", names.join(", "));
            let fields = Fields { path: Some(path.display().to_string()), ..plain().hint(Some(hint)) };
            raise(py, "OptionError", &fields)
        }
        Error::Retarget(_) => {
            let hint = "map={...} or Skeleton.with_roles() says which joint is which; mocap.explain() shows what was found";
            raise(py, "RetargetError", &plain().hint(Some(hint)))
        }
        Error::Robot(_) => raise(py, "RobotError", &plain()),
        Error::Compress(_) => raise(py, "CompressError", &plain()),
        Error::Compare(_) => raise(py, "CompareError", &plain()),
        Error::Edit(error) => raise(py, "EditError", &plain().hint(hint_of_edit(error))),
        Error::Model(_) => raise(py, "ModelError", &plain()),
        _ => raise(py, "MocapError", &plain()),
    }
}

/// Advice for an edit that failed, in keywords of this package.
fn hint_of_edit(error: &EditError) -> Option<&'static str> {
    Some(match error {
        EditError::NoUnit { .. } => "read(..., unit='cm') states the unit",
        EditError::NoFeet { .. } => "Skeleton.with_roles() says which joint is which",
        EditError::ShortForTransition { .. } => "a shorter transition= [s], or longer motions",
        EditError::Skeletons { .. } => "mocap.retarget() puts a motion on the skeleton of another first",
        EditError::Mask { .. } => "a mask is a role, the name of a joint or a glob; NAME/** takes all below",
        EditError::Sync { .. } => "duration= or time_map= retimes a motion without foot strikes",
        EditError::Phases { .. } => "timing='registration' pairs poses that are alike, without foot strikes",
        EditError::Weights { .. } => "weights=0.4 takes 40 % of the second of two motions",
        EditError::Still { .. } => "heading= turns a motion that stays in place, such as heading='X'",
        _ => return None,
    })
}

/// The exception of a finding: by its code, about an argument, a comparison, or what a file holds.
pub(crate) fn of_finding(py: Python<'_>, finding: &Finding, path: Option<&Path>) -> PyErr {
    let class = match finding.code().split("::").next() {
        Some("usage") => "OptionError",
        Some("compare") => "CompareError",
        Some("edit") => "EditError",
        Some("compress" | "mocz") => "CompressError",
        Some("unit") => "UnitError",
        _ => "FormatError",
    };
    raise(py, class, &Fields::of(finding, path))
}
