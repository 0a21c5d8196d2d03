//! Compressed motions.

use std::path::PathBuf;
use std::sync::Arc;

use globset::Glob;
use mocap::compress::{Effort, JointRule, Looping, OpenLimits, Profile, Transform};
use mocap::{CompressOptions, Compressed as Inner, Limits, MotionFile, ReadOptions};
use numpy::PyArrayDyn;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arrays::{moving, owned};
use crate::clip::Clip;
use crate::findings::listed;
use crate::options::Keywords;
use crate::raise::{of_error, of_finding, of_option};
use crate::skeleton::Skeleton;

/// A compressed motion, ready to be sampled.
#[pyclass(frozen, module = "mocap._mocap")]
pub(crate) struct Compressed {
    inner: Inner,
    bytes: Vec<u8>,
    stem: String,
}

/// Rotations (…, joints, 4) W X Y Z and translations (…, joints, 3).
type Poses<'py> = (Bound<'py, PyArrayDyn<f32>>, Bound<'py, PyArrayDyn<f32>>);

#[pymethods]
impl Compressed {
    #[getter]
    fn frames(&self) -> usize {
        self.inner.info().frames
    }

    #[getter]
    fn fps(&self) -> f64 {
        self.inner.info().rate.fps()
    }

    #[getter]
    fn profile(&self) -> &'static str {
        self.inner.info().profile.name()
    }

    #[getter]
    fn tolerance(&self) -> f64 {
        self.inner.info().tolerance
    }

    #[getter]
    fn size(&self) -> usize {
        self.bytes.len()
    }

    #[getter]
    fn raw_size(&self) -> u64 {
        mocap::compress::raw_bytes(self.inner.skeleton(), self.inner.info().frames)
    }

    #[getter]
    fn skeleton(&self) -> Skeleton {
        Skeleton::new(self.inner.skeleton().clone())
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.bytes)
    }

    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| mocap::write_bytes(path, &self.bytes)).map_err(|error| of_error(py, error))
    }

    /// The local poses at some times \[s\].
    #[allow(clippy::needless_pass_by_value, reason = "Python gives values")]
    fn poses<'py>(&self, py: Python<'py>, times: Vec<f64>, wrap: bool) -> PyResult<Poses<'py>> {
        if times.iter().any(|time| !time.is_finite()) {
            return Err(of_option(py, "a time must be a finite number"));
        }
        let joints = moving(self.inner.skeleton());
        let looping = if wrap { Looping::Wrap } else { Looping::Clamp };
        let (rotations, translations) = py.detach(|| {
            let mut sampler = self.inner.sampler();
            let mut pose = sampler.pose();
            let mut rotations = Vec::with_capacity(times.len() * joints.len() * 4);
            let mut translations = Vec::with_capacity(times.len() * joints.len() * 3);
            for time in &times {
                sampler.sample(*time, looping, &mut pose);
                for joint in &joints {
                    let Transform { rotation: [x, y, z, w], translation } = pose[joint.index()];
                    rotations.extend_from_slice(&[w, x, y, z]);
                    translations.extend_from_slice(&translation);
                }
            }
            (rotations, translations)
        });
        let (count, width) = (times.len(), joints.len());
        Ok((owned(py, rotations, &[count, width, 4])?, owned(py, translations, &[count, width, 3])?))
    }

    /// All frames.
    fn to_clip(&self, py: Python<'_>) -> PyResult<Clip> {
        let made = py.detach(|| MotionFile::of_compressed(&self.inner).into_clip(&ReadOptions::default()));
        match made {
            Ok(made) => Ok(Clip { stem: self.stem.clone(), ..Clip::new(made.value) }),
            Err(failed) => Err(of_finding(py, &failed.error, None)),
        }
    }
}

/// Compresses a motion; the report as JSON and text, and what was assumed.
#[pyfunction]
pub(crate) fn compress<'py>(
    py: Python<'py>,
    clip: &Clip,
    error: f64,
    options: Bound<'py, PyDict>,
) -> PyResult<(Compressed, (String, String), Bound<'py, PyList>)> {
    let keywords = Keywords::new(Some(options), py);
    let defaults = CompressOptions::default();
    let options = CompressOptions {
        profile: keywords.parsed::<Profile>("profile")?.unwrap_or_default(),
        effort: keywords.parsed::<Effort>("effort")?.unwrap_or_default(),
        tolerance: error,
        shell: keywords.number("shell")?.unwrap_or(defaults.shell),
        metres_per_unit: keywords.number("metres_per_unit")?,
        joint_tolerances: Vec::new(),
        local_error: keywords.number("local_error")?,
        track_error: keywords.number("track_error")?.unwrap_or(defaults.track_error),
        guard_between: keywords.flag("guard_between")?.unwrap_or(false),
        external_skeleton: keywords.flag("external_skeleton")?.unwrap_or(false),
        external_scale: keywords.number("external_scale")?.unwrap_or(defaults.external_scale),
    };
    let rules = keywords
        .extracted::<Vec<(String, f64)>>("joint_tolerances", "a dictionary of globs and errors [m]")?;
    let mut matched = Vec::new();
    for (glob, tolerance) in rules.unwrap_or_default() {
        let joints = Glob::new(&glob).map_err(|error| of_option(py, format!("joint_tolerances: {error}")))?;
        matched.push(JointRule { joints, tolerance });
    }
    let mut warnings = Vec::new();
    let done = py.detach(|| {
        let done = mocap::compress_by_rules(&clip.clip, &options, &matched, &|_| {}, &mut warnings)?;
        let limits = OpenLimits::default();
        let inner = match options.external_skeleton {
            true => Inner::open_with(&*done.bytes, clip.clip.skeleton().clone(), &limits)?,
            false => Inner::open(&*done.bytes, &limits)?,
        };
        Ok::<_, mocap::Error>((inner, done))
    });
    let (inner, done) = done.map_err(|error| of_error(py, error))?;
    let json = serde_json::to_string(&done.summary).expect("a summary has string keys");
    let report = (json, done.summary.line());
    let small = Compressed { inner, bytes: done.bytes, stem: clip.stem.clone() };
    Ok((small, report, listed(py, &warnings, None)?))
}

/// Opens a compressed file, or its bytes.
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python gives values")]
pub(crate) fn open_compressed(
    py: Python<'_>,
    path: Option<PathBuf>,
    bytes: Option<Vec<u8>>,
    skeleton: Option<PyRef<'_, Skeleton>>,
) -> PyResult<Compressed> {
    let given = skeleton.map(|skeleton| skeleton.target.skeleton.clone());
    let opened = py.detach(|| {
        let bytes = match (&path, bytes) {
            (Some(path), _) => mocap::file_bytes(path, Limits::default().bytes as u64)?,
            (None, bytes) => bytes.unwrap_or_default(),
        };
        let limits = OpenLimits::default();
        let shared: Arc<[u8]> = bytes.as_slice().into();
        let inner = match given {
            Some(skeleton) => Inner::open_with(shared, skeleton, &limits)?,
            None => Inner::open(shared, &limits)?,
        };
        Ok::<_, mocap::Error>((inner, bytes))
    });
    let (inner, bytes) = opened.map_err(|error| of_error(py, error))?;
    let stem = path.as_ref().and_then(|path| path.file_stem()).unwrap_or_default();
    Ok(Compressed { inner, bytes, stem: stem.to_string_lossy().into_owned() })
}
