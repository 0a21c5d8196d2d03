//! A motion.

use std::path::PathBuf;
use std::sync::Arc;

use mocap::formats::{Document, Format};
use mocap::{FrameRate, Isometry3, JointId, JointTracks, Track, UnitQuaternion, Vector3};
use nalgebra::Quaternion;
use numpy::{PyArray2, PyArrayDyn, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::arrays::{dictionary, frozen, moving, numbers, owned, view, wxyz};
use crate::features;
use crate::findings::listed;
use crate::options::{Keywords, of_writing, parse};
use crate::raise::{of_array, of_error, of_finding, of_option, warn_old_name};
use crate::skeleton::Skeleton;

/// A motion of the library and its source.
#[pyclass(frozen, module = "mocap._mocap")]
pub(crate) struct Clip {
    pub(crate) clip: Arc<mocap::Clip>,
    /// Frames at the start that are a rest pose and not motion.
    pub(crate) lead_in: usize,
    /// The name of the file without its extension.
    pub(crate) stem: String,
    /// The file, where it may hold more than the motion, such as a mesh.
    pub(crate) document: Option<Arc<dyn Document>>,
}

impl Clip {
    pub(crate) fn new(clip: mocap::Clip) -> Clip {
        Clip { clip: Arc::new(clip), lead_in: 0, stem: String::new(), document: None }
    }

    /// The motion without a rest pose before it.
    pub(crate) fn motion(&self) -> mocap::Clip {
        match self.lead_in > 0 && self.clip.frames() > self.lead_in {
            true => self.clip.trimmed(self.lead_in..self.clip.frames()).expect("frames are left"),
            false => (*self.clip).clone(),
        }
    }

    /// Another motion made of this one.
    pub(crate) fn made(&self, clip: mocap::Clip) -> Clip {
        Clip {
            clip: Arc::new(clip),
            lead_in: self.lead_in,
            stem: self.stem.clone(),
            document: self.document.clone(),
        }
    }
}

/// Rotations (joints, 4) W X Y Z and translations (joints, 3).
type LocalPose<'py> = (Bound<'py, PyArrayDyn<f64>>, Bound<'py, PyArrayDyn<f64>>);

#[pymethods]
impl Clip {
    #[getter]
    fn frames(&self) -> usize {
        self.clip.frames()
    }

    #[getter]
    fn fps(&self) -> f64 {
        self.clip.rate().fps()
    }

    #[getter]
    fn duration(&self) -> f64 {
        self.clip.duration()
    }

    #[getter]
    fn name(&self) -> &str {
        self.clip.name()
    }

    #[getter]
    fn lead_in(&self) -> usize {
        self.lead_in
    }

    #[getter]
    fn stem(&self) -> &str {
        &self.stem
    }

    #[getter]
    fn skeleton(&self) -> Skeleton {
        Skeleton::new(self.clip.skeleton().clone())
    }

    /// (frames, joints, 4), W X Y Z.
    fn rotations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let (values, joints) = py.detach(|| {
            let joints = moving(self.clip.skeleton());
            let tracks: Vec<_> = joints.iter().map(|joint| &self.clip.track(*joint).rotation).collect();
            let mut values = Vec::with_capacity(self.clip.frames() * joints.len() * 4);
            for frame in 0..self.clip.frames() {
                tracks.iter().for_each(|track| values.extend_from_slice(&wxyz(&track.at(frame))));
            }
            (values, joints.len())
        });
        frozen(py, values, &[self.clip.frames(), joints, 4])
    }

    /// (frames, joints, 3) [unit of the clip].
    fn translations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let (values, joints) = py.detach(|| {
            let joints = moving(self.clip.skeleton());
            let mut values = Vec::with_capacity(self.clip.frames() * joints.len() * 3);
            for frame in 0..self.clip.frames() {
                for joint in &joints {
                    values.extend_from_slice(self.clip.local(*joint, frame).translation.vector.as_slice());
                }
            }
            (values, joints.len())
        });
        frozen(py, values, &[self.clip.frames(), joints, 3])
    }

    /// The stored rotations of a joint, (frames or 1, 4), X Y Z W; not copied.
    fn joint_rotations<'py>(slf: Bound<'py, Self>, joint: usize) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let clip = slf.get().clip.clone();
        // SAFETY: the object keeps the clip, which never changes.
        unsafe { view(clip.track(JointId::from(joint)).rotation.values(), slf.into_any()) }
    }

    /// The stored translations of a joint, (frames or 1, 3); not copied. `None`: at its offset.
    fn joint_translations<'py>(
        slf: Bound<'py, Self>,
        joint: usize,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let clip = slf.get().clip.clone();
        let Some(track) = &clip.track(JointId::from(joint)).translation else { return Ok(None) };
        // SAFETY: as above.
        unsafe { view(track.values(), slf.into_any()) }.map(Some)
    }

    /// (frames, joints, 3) in object space [unit of the clip].
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let (values, joints) = py.detach(|| features::positions(&self.clip));
        owned(py, values, &[self.clip.frames(), joints, 3])
    }

    /// (frames, joints, 4) in object space, W X Y Z.
    fn orientations<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArrayDyn<f64>>> {
        let (values, joints) = py.detach(|| features::orientations(&self.clip));
        owned(py, values, &[self.clip.frames(), joints, 4])
    }

    /// (frames, 2): left and right foot; `None` without both.
    fn contacts<'py>(
        &self,
        py: Python<'py>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Option<Bound<'py, PyArrayDyn<bool>>>> {
        let options = features::of_contacts(&Keywords::new(options, py))?;
        let values = py.detach(|| features::contacts(&self.clip, &options));
        values.map(|values| owned(py, values, &[self.clip.frames(), 2])).transpose()
    }

    /// All arrays of an NPZ file by name, and what was assumed.
    fn arrays<'py>(
        &self,
        py: Python<'py>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyList>)> {
        let options = of_writing(&Keywords::new(options, py))?;
        let (arrays, warnings) = py.detach(|| {
            let mut warnings = Vec::new();
            let clip = mocap::prepare((*self.clip).clone(), mocap::Format::Npz, &mut warnings);
            (mocap::formats::arrays::of_clip(&clip, &options.arrays), warnings)
        });
        Ok((dictionary(py, arrays)?, listed(py, &warnings, None)?))
    }

    /// The local pose at a time [s]: (joints, 4) W X Y Z, (joints, 3).
    fn pose<'py>(&self, py: Python<'py>, time: f64) -> PyResult<LocalPose<'py>> {
        if self.clip.frames() == 0 || !time.is_finite() {
            return Err(of_option(py, "a pose needs a clip with frames and a finite time"));
        }
        let mut pose = mocap::Pose::default();
        self.clip.sample(time, &mut pose);
        let joints = moving(self.clip.skeleton());
        let at = |id: &JointId| -> &Isometry3<f64> { &pose.joints[id.index()] };
        let rotations = joints.iter().flat_map(|id| wxyz(&at(id).rotation)).collect();
        let translations = joints.iter().flat_map(|id| <[f64; 3]>::from(at(id).translation.vector)).collect();
        Ok((owned(py, rotations, &[joints.len(), 4])?, owned(py, translations, &[joints.len(), 3])?))
    }

    /// The same motion under another name.
    fn with_name(&self, name: &str) -> Clip {
        self.made((*self.clip).clone().with_name(name))
    }

    /// The same motion on a skeleton with as many joints: other names, roles, limits, or a stated space.
    fn with_skeleton(&self, py: Python<'_>, skeleton: &Skeleton) -> PyResult<Clip> {
        let clip = (*self.clip).clone().with_skeleton(skeleton.target.skeleton.clone());
        clip.map(|clip| self.made(clip)).map_err(|error| of_error(py, error.into()))
    }

    /// The same motion with the roles of its joints.
    fn with_roles(&self, py: Python<'_>) -> Clip {
        py.detach(|| self.made(mocap::with_roles((*self.clip).clone())))
    }

    /// Writes a file; returns what the format cannot hold as it was.
    fn write<'py>(
        &self,
        py: Python<'py>,
        path: PathBuf,
        format: Option<&str>,
        options: Option<Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let options = of_writing(&Keywords::new(options, py))?;
        let format = match format {
            Some(name) => Some(parse(py, "format", name)?),
            None => mocap::output_format(None, Some(&path))
                .map_err(|error| of_finding(py, &error, Some(&path)))?
                .map(|format| match self.clip.skeleton().robot() {
                    Some(_) => of_trainers(py, format),
                    None => Ok(format),
                })
                .transpose()?,
        };
        let Some(format) = format else {
            return Err(of_error(py, mocap::Error::OutputFormat { path }));
        };
        let written = py.detach(|| {
            let clip = match format.holds_several_clips() && self.clip.name().is_empty() {
                true => (*self.clip).clone().with_name(&self.stem),
                false => (*self.clip).clone(),
            };
            mocap::write_as(&path, clip, self.document.as_deref(), format, &options)
        });
        let warnings = written.map_err(|error| of_error(py, error))?;
        listed(py, &warnings, Some(&path))
    }

    fn __eq__(&self, other: &Clip) -> bool {
        *self.clip == *other.clip
    }
}

/// The format of an extension for a robot's motion. `.npz` is another format everywhere else, so there is a
/// warning.
fn of_trainers(py: Python<'_>, format: Format) -> PyResult<Format> {
    let written = format.of_robots();
    if written != format && written != Format::UnitreeCsv {
        let message = format!(
            ".{format} of a robot is {written} in versions 0.x, and {format} later; format='{written}' states it"
        );
        warn_old_name(py, &message)?;
    }
    Ok(written)
}

/// A motion of arrays. `translations` is (frames, joints, 3), or `root_translation` (frames, 3).
#[pyfunction]
#[allow(clippy::needless_pass_by_value, reason = "Python gives values")]
pub(crate) fn clip_from_arrays(
    py: Python<'_>,
    skeleton: &Skeleton,
    fps: f64,
    rotations: PyReadonlyArrayDyn<'_, f64>,
    translations: Option<PyReadonlyArrayDyn<'_, f64>>,
    root_translation: Option<PyReadonlyArrayDyn<'_, f64>>,
    name: &str,
) -> PyResult<Clip> {
    const ANY: usize = usize::MAX;
    let skeleton = &skeleton.target.skeleton;
    let joints = moving(skeleton);
    let rotations = numbers(py, "rotations", &rotations, &[ANY, joints.len(), 4])?;
    let frames = rotations.len() / (4 * joints.len());
    let all = translations.map(|array| numbers(py, "translations", &array, &[frames, joints.len(), 3]));
    let root = root_translation.map(|array| numbers(py, "root_translation", &array, &[frames, 3]));
    let (all, root) = (all.transpose()?, root.transpose()?);
    let Some(rate) = FrameRate::new(fps) else {
        return Err(of_option(py, format!("fps must be a finite number above 0, found {fps}")));
    };
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    for (at, joint) in joints.iter().enumerate() {
        let quaternion = |frame: usize| {
            let start = (frame * joints.len() + at) * 4;
            unit(&rotations[start..start + 4])
        };
        let samples: Result<Vec<_>, f64> = (0..frames).map(quaternion).collect();
        let samples = samples.map_err(|norm| {
            let name = &skeleton.joint(*joint).name;
            let message = format!(
                "rotations: joint '{name}' has a quaternion of length {norm}; W X Y Z of length 1 is expected"
            );
            of_array(py, "array::quaternion", message)
        })?;
        let vectors = |values: &[f64], width: usize, at: usize| {
            let rows = values.chunks_exact(width * 3);
            rows.map(|row| Vector3::from_column_slice(&row[at * 3..at * 3 + 3])).collect::<Vec<_>>()
        };
        let moved = match (&all, &root) {
            (Some(all), _) => Some(vectors(all, joints.len(), at)),
            (None, Some(root)) if at == 0 => Some(vectors(root, 1, 0)),
            _ => None,
        };
        let tracks = &mut tracks[joint.index()];
        if let Some(track) = Track::from_samples(samples) {
            tracks.rotation = track;
        }
        let offset = skeleton.joint(*joint).offset;
        // A joint that stays at its offset has no track.
        let still = |moved: &Vec<Vector3<f64>>| at > 0 && moved.iter().all(|place| *place == offset);
        tracks.translation = moved.filter(|moved| !still(moved)).and_then(Track::from_samples);
    }
    let clip = mocap::Clip::new(skeleton.clone(), rate, frames, tracks);
    clip.map(|clip| Clip::new(clip.with_name(name)))
        .map_err(|error| of_array(py, "array::not-finite", error.to_string()))
}

/// A quaternion from W, X, Y, Z: unchanged if its length is 1 up to rounding, else normalised; an error with
/// its length if that is not near 1. Values that are not finite are left to the check of the clip, which names
/// the frame.
fn unit(wxyz: &[f64]) -> Result<UnitQuaternion<f64>, f64> {
    const ROUNDING: f64 = 1e-12;
    const NEAR: f64 = 1e-2;
    let q = Quaternion::new(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
    let norm = q.norm();
    if !norm.is_finite() || (norm - 1.0).abs() < ROUNDING {
        return Ok(UnitQuaternion::new_unchecked(q));
    }
    if (norm - 1.0).abs() > NEAR { Err(norm) } else { Ok(UnitQuaternion::new_normalize(q)) }
}
