//! Converts Python values to library options. Quantities are given as text with units.

use std::fmt::Display;
use std::str::FromStr;

use mocap::edit::{BlendOptions, JoinOptions};
use mocap::formats::arrays::{ArrayOptions, Precision, RotationFormat, Window};
use mocap::formats::asf::AsfUnits;
use mocap::formats::bvh::{NameStyle, PositionChannels, PositionMode};
use mocap::formats::robot_motion::Order;
use mocap::model::UnitLength;
use mocap::retarget::{Floor, FootLock, Hands, LimbSolver, RetargetMethod, RetargetOptions};
use mocap::{ClipChoice, EditOptions, FileFormat, Limits, ReadOptions, Skeleton, WriteOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::raise::of_option;

/// The keywords of a call; each is taken once.
pub(crate) struct Keywords<'py>(Bound<'py, PyDict>);

impl<'py> Keywords<'py> {
    pub(crate) fn new(options: Option<Bound<'py, PyDict>>, py: Python<'py>) -> Keywords<'py> {
        Keywords(options.unwrap_or_else(|| PyDict::new(py)))
    }

    /// The keywords of a dictionary, of which all must be known.
    pub(crate) fn known(name: &str, value: &Bound<'py, PyAny>, known: &[&str]) -> PyResult<Keywords<'py>> {
        let py = value.py();
        let options = value.cast::<PyDict>();
        let options =
            options.map_err(|_| of_option(py, format!("{name} must be a dictionary of options")))?;
        for key in options.keys() {
            let key = key.str()?.to_string();
            if !known.contains(&key.as_str()) {
                let message = format!("{name} has no option '{key}'; options are {}", known.join(", "));
                return Err(of_option(py, message));
            }
        }
        Ok(Keywords(options.clone()))
    }

    pub(crate) fn py(&self) -> Python<'py> {
        self.0.py()
    }

    /// The value of a keyword; `None` where it is not given or `None`.
    pub(crate) fn get(&self, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.0.get_item(name)?.filter(|value| !value.is_none()))
    }

    /// A text, or a number as text.
    fn text(&self, name: &str) -> PyResult<Option<String>> {
        self.get(name)?.map(|value| text(name, &value)).transpose()
    }

    /// A text as a value of a type.
    pub(crate) fn parsed<T: FromStr<Err: Display>>(&self, name: &str) -> PyResult<Option<T>> {
        self.text(name)?.map(|text| parse(self.py(), name, &text)).transpose()
    }

    /// One of some words.
    pub(crate) fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> PyResult<Option<T>> {
        let Some(given) = self.text(name)? else { return Ok(None) };
        let found = words.iter().find(|(word, _)| *word == given).map(|(_, value)| *value);
        found.map(Some).ok_or_else(|| {
            let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
            of_option(self.py(), format!("{name}: '{given}' is not one of {}", words.join(", ")))
        })
    }

    pub(crate) fn flag(&self, name: &str) -> PyResult<Option<bool>> {
        self.extracted(name, "True or False")
    }

    pub(crate) fn number(&self, name: &str) -> PyResult<Option<f64>> {
        self.get(name)?.map(|value| number(name, &value)).transpose()
    }

    pub(crate) fn count(&self, name: &str) -> PyResult<Option<usize>> {
        self.extracted(name, "a whole number of 0 or more")
    }

    /// A value of a type.
    pub(crate) fn extracted<T>(&self, name: &str, expected: &str) -> PyResult<Option<T>>
    where
        T: for<'a> FromPyObject<'a, 'py>,
    {
        let Some(value) = self.get(name)? else { return Ok(None) };
        let kind = value.get_type().name()?.to_string();
        match value.extract::<T>() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(of_option(self.py(), format!("{name} must be {expected}, found {kind}"))),
        }
    }
}

/// A finite number.
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f64> {
    let number = value.extract::<f64>().ok().filter(|number| number.is_finite());
    let number = number.filter(|_| !value.is_instance_of::<pyo3::types::PyBool>());
    number.ok_or_else(|| of_option(value.py(), format!("{name} must be a finite number")))
}

/// A text, or a number as text.
pub(crate) fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(text) = value.extract::<String>() {
        return Ok(text);
    }
    match value.extract::<f64>() {
        Ok(number) if !value.is_instance_of::<pyo3::types::PyBool>() => Ok(number.to_string()),
        _ => {
            let kind = value.get_type().name()?.to_string();
            Err(of_option(value.py(), format!("{name} must be a text or a number, found {kind}")))
        }
    }
}

/// A text as a value of a type.
pub(crate) fn parse<T: FromStr<Err: Display>>(py: Python<'_>, name: &str, text: &str) -> PyResult<T> {
    text.parse().map_err(|error| of_option(py, format!("{name}: {error}")))
}

/// Bounds on files and clips.
fn limits(keywords: &Keywords<'_>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    let bounds = keywords.extracted::<Bound<'_, PyDict>>("limits", "a dictionary of bounds")?;
    let bounds = Keywords::new(bounds, keywords.py());
    for (name, _) in bounds.0.iter() {
        let name: String = name.extract()?;
        let Some(value) = bounds.count(&name)? else { continue };
        *match name.as_str() {
            "bytes" => &mut limits.bytes,
            "joints" => &mut limits.joints,
            "depth" => &mut limits.depth,
            "frames" => &mut limits.frames,
            "samples" => &mut limits.samples,
            _ => {
                let message = format!("limits: '{name}' is not one of bytes, joints, depth, frames, samples");
                return Err(of_option(keywords.py(), message));
            }
        } = value;
    }
    Ok(limits)
}

/// How a file is read.
pub(crate) fn of_reading(keywords: &Keywords<'_>) -> PyResult<ReadOptions> {
    let channels = [
        ("auto", PositionChannels::Auto),
        ("replace", PositionChannels::Replace),
        ("add", PositionChannels::Add),
    ];
    let asf =
        [("auto", AsfUnits::Auto), ("cmu", AsfUnits::Cmu), ("spec", AsfUnits::Spec), ("raw", AsfUnits::Raw)];
    let format = keywords.parsed::<FileFormat>("format")?;
    if let Some(Err(reason)) = format.map(FileFormat::readable) {
        return Err(of_option(keywords.py(), format!("format: {reason}")));
    }
    Ok(ReadOptions {
        format,
        rate: keywords.parsed("rate")?,
        unit: keywords.parsed::<UnitLength>("unit")?.map(|unit| unit.0),
        up: keywords.parsed("up")?,
        position_channels: keywords.word("position_channels", &channels)?.unwrap_or_default(),
        asf_units: keywords.word("asf_units", &asf)?.unwrap_or_default(),
        skeleton: keywords.extracted("skeleton", "a path")?,
        repair: keywords.flag("repair")?.unwrap_or(false),
        strict: keywords.flag("strict")?.unwrap_or(false),
        drop_first_frame: keywords.flag("drop_first_frame")?.unwrap_or(false),
        expect_rest_frame: keywords.flag("expect_rest_frame")?.unwrap_or(false),
        clip: keywords.parsed::<ClipChoice>("clip")?,
        subject: keywords.parsed("subject")?,
        limits: limits(keywords)?,
        ..ReadOptions::default()
    })
}

/// How a file is written.
pub(crate) fn of_writing(keywords: &Keywords<'_>) -> PyResult<WriteOptions> {
    let names = [("keep", NameStyle::Kept), ("safe", NameStyle::Safe)];
    let positions = [("replace", PositionMode::Replace), ("add", PositionMode::Add)];
    let precision = [("f32", Precision::F32), ("f64", Precision::F64)];
    let frames = keywords.count("window")?;
    let stride = keywords.count("stride")?;
    if frames == Some(0) || stride == Some(0) {
        return Err(of_option(keywords.py(), "window and stride must be above 0"));
    }
    let window = frames.map(|frames| Window { frames, stride: stride.unwrap_or(frames) });
    Ok(WriteOptions {
        euler: keywords.parsed("euler")?,
        tolerance: keywords.number("tolerance")?,
        names: keywords.word("names", &names)?.unwrap_or_default(),
        positions: keywords.word("positions", &positions)?.unwrap_or_default(),
        arrays: ArrayOptions {
            precision: keywords.word("dtype", &precision)?.unwrap_or_default(),
            rotations: keywords.parsed::<RotationFormat>("rotations")?.unwrap_or_default(),
            window,
        },
        order: keywords.parsed::<Order>("order")?.unwrap_or_default(),
        mesh: keywords.parsed("mesh")?,
        key_error: keywords.number("key_error")?,
        short_rotations: keywords.flag("short_rotations")?.unwrap_or(false),
        limits: limits(keywords)?,
    })
}

/// The edits of `convert`.
pub(crate) fn of_edits(keywords: &Keywords<'_>) -> PyResult<EditOptions> {
    Ok(EditOptions {
        drop_first_frame: keywords.flag("drop_first_frame")?.unwrap_or(false),
        trim: keywords.parsed("trim")?,
        rate: keywords.parsed("rate")?,
        scale: keywords.number("scale")?,
        unit: keywords.parsed::<UnitLength>("unit")?.map(|unit| unit.0),
        up: keywords.parsed("up")?,
        lead_in: 0,
        limits: limits(keywords)?,
    })
}

/// How motions are blended.
pub(crate) fn of_blend(keywords: &Keywords<'_>) -> PyResult<BlendOptions> {
    let defaults = BlendOptions::default();
    Ok(BlendOptions {
        timing: keywords.parsed("timing")?.unwrap_or_default(),
        repeat: keywords.flag("repeat")?.unwrap_or(defaults.repeat),
        lock_feet: keywords.flag("lock_feet")?.unwrap_or(defaults.lock_feet),
        duration: keywords.number("duration")?,
    })
}

/// How one motion goes over into the next.
pub(crate) fn of_join(keywords: &Keywords<'_>) -> PyResult<JoinOptions> {
    let defaults = JoinOptions::default();
    Ok(JoinOptions {
        transition: keywords.number("transition")?.unwrap_or(defaults.transition),
        kind: keywords.parsed("kind")?.unwrap_or_default(),
        search: keywords.number("search")?.unwrap_or(defaults.search),
        no_overshoot: keywords.flag("no_overshoot")?.unwrap_or(defaults.no_overshoot),
        lock_feet: keywords.flag("lock_feet")?.unwrap_or(defaults.lock_feet),
    })
}

/// How a motion is retargeted. A floor is a height in metres.
pub(crate) fn of_retarget(keywords: &Keywords<'_>, target: &Skeleton) -> PyResult<RetargetOptions> {
    let methods = [
        ("scale", RetargetMethod::Scale),
        ("limb-ratio", RetargetMethod::LimbRatio),
        ("copy", RetargetMethod::Copy),
        ("effectors", RetargetMethod::Effectors),
    ];
    let hands = [("auto", Hands::Auto), ("scale", Hands::Scale), ("keep", Hands::Keep), ("off", Hands::Off)];
    let locks = [("auto", FootLock::Auto), ("on", FootLock::On), ("off", FootLock::Off)];
    let solvers = LimbSolver::ALL.map(|solver| (solver.name(), solver));
    let floor = match keywords.text("floor")?.as_deref() {
        None | Some("auto") => Floor::Auto,
        Some("off") => Floor::Off,
        Some(height) => {
            let height: f64 = height
                .parse()
                .ok()
                .filter(|height: &f64| height.is_finite())
                .ok_or_else(|| of_option(keywords.py(), "floor must be 'auto', 'off' or a height [m]"))?;
            Floor::At(height / mocap::analysis::metres_per_unit(target))
        }
    };
    let defaults = RetargetOptions::default();
    Ok(RetargetOptions {
        method: keywords.word("method", &methods)?.unwrap_or_default(),
        hands: keywords.word("hands", &hands)?.unwrap_or_default(),
        foot_lock: keywords.word("foot_lock", &locks)?.unwrap_or_default(),
        self_contacts: keywords.flag("self_contacts")?.unwrap_or(defaults.self_contacts),
        solver: keywords.word("solver", &solvers)?.unwrap_or_default(),
        limits: keywords.flag("limits")?.unwrap_or(defaults.limits),
        floor,
        ..defaults
    })
}
