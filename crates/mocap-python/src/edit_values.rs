//! Values of edits: converts Python values to the options of an edit. Motions, arrays and dictionaries of keys
//! are kept in memory in place of the files that a command line would name.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mocap::edit::edits::{HeightOptions, Value};
use mocap::edit::{
    Edit, EditError, EditKind, Files, HeightField, LookAt, LookShare, Path as PathOverGround, RootCurve,
    TerrainMesh, TimeMap, Warp, WarpChange, WarpKey, WarpMode,
};
use mocap::poses::{MAX_BYTES, PosePrior};
use mocap::{Clip as Motion, Vector3};
use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString};
use serde_json::{Map, Number, Value as Json};

use crate::arrays::numbers;
use crate::clip::Clip;
use crate::options::Keywords;
use crate::raise::{of_error, of_option};

/// Default distance between neighbouring heights of a terrain \[m\].
const CELL: f64 = 0.1;
/// Shorter names of options, in the methods of a clip.
const ALSO: [&str; 3] = ["origin", "mesh", "gain"];
/// Prefix of the name of a value kept in memory; no file has such a name.
const HELD: char = '\0';

/// The keywords and what each edit does.
pub(crate) fn edits() -> Vec<(String, &'static str)> {
    // `Clip.root_curve` extracts a curve: an edit would have to write a file.
    let kinds = EditKind::all().iter().filter(|kind| kind.name != "extract-root");
    kinds.map(|kind| (keyword(kind), kind.about.as_str())).collect()
}

/// The keyword of a kind of edit.
fn keyword(kind: &EditKind) -> String {
    match kind.name {
        "start-at" => "start_at_origin".into(),
        name => name.replace('-', "_"),
    }
}

/// One edit, by its keyword and value; none where it is not asked for.
pub(crate) fn edit_of(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<Edit>> {
    let py = value.py();
    if value.is_none() || value.is(PyBool::new(py, false)) {
        return Ok(None);
    }
    let Some(kind) = EditKind::all().iter().find(|kind| keyword(kind) == name) else {
        let known: Vec<String> = edits().into_iter().map(|(name, _)| name).collect();
        return Err(of_option(py, format!("'{name}' is not an edit; edits are {}", known.join(", "))));
    };
    let values = Values { py, name, kind, held: RefCell::default() };
    let options = values.options(value)?;
    let mut edit =
        (kind.read)(Json::Object(options.clone())).map_err(|error| values.wrong(&options, &error))?;
    edit.read(&values).map_err(|Failure(error)| error)?;
    Ok(Some(edit))
}

/// The values of an edit.
struct Values<'a, 'py> {
    py: Python<'py>,
    name: &'a str,
    kind: &'static EditKind,
    /// The values that are named in place of files.
    held: RefCell<Vec<Bound<'py, PyAny>>>,
}

impl<'py> Values<'_, 'py> {
    /// The options of the edit, by the names that files use.
    fn options(&self, value: &Bound<'py, PyAny>) -> PyResult<Map<String, Json>> {
        let on = value.is(PyBool::new(self.py, true));
        let mut options = Map::new();
        if let Ok(given) = value.cast::<PyDict>()
            && !self.is_file(given)?
        {
            self.add(&mut options, given)?;
        } else if let Ok((value, given)) = value.extract::<(Bound<'py, PyAny>, Bound<'py, PyDict>)>() {
            self.fill(&mut options, &value)?;
            self.add(&mut options, &given)?;
        } else if !on {
            self.fill(&mut options, value)?;
        }
        match self.kind.name {
            // The value says what stays in the body; there is only one possible action.
            "root-joint" if options.get("root-joint").is_none_or(|what| what != "add") => {
                let keep = options.insert("root-joint".into(), "add".into());
                options.extend(keep.map(|keep| ("keep".to_owned(), keep)));
            }
            "start-at" if on => options.extend([("start-at".to_owned(), "origin".into())]),
            _ => {}
        }
        Ok(options)
    }

    /// Whether a dictionary stands for the file of the edit: the only option of the edit is a file, or the
    /// dictionary has the times of a key file, which no edit has as options.
    fn is_file(&self, given: &Bound<'py, PyDict>) -> PyResult<bool> {
        let mut options = self.kind.options();
        let takes_file = options
            .next()
            .is_some_and(|(_, schema)| schema.get("format").is_some_and(|format| format == "path"));
        Ok(takes_file && (options.next().is_none() || given.contains("from")?))
    }

    /// Sets the option that a plain value fills.
    fn fill(&self, options: &mut Map<String, Json>, value: &Bound<'py, PyAny>) -> PyResult<()> {
        let Some(field) = self.kind.value.field() else {
            let names = self.kind.options().map(|(name, _)| name.replace('-', "_")).collect::<Vec<_>>();
            return Err(of_option(
                self.py,
                match names.is_empty() {
                    true => format!("{} takes True or False", self.name),
                    false => format!("{} takes True, or a dictionary of {}", self.name, names.join(", ")),
                },
            ));
        };
        options.insert(field.to_owned(), self.json(value)?);
        Ok(())
    }

    /// Adds the options of a dictionary.
    fn add(&self, options: &mut Map<String, Json>, given: &Bound<'py, PyDict>) -> PyResult<()> {
        for (key, value) in given {
            let key = key.str()?.to_string().replace('_', "-");
            if value.is_none() {
                continue;
            }
            match self.kind.opposites.iter().find(|(name, _)| *name == key) {
                Some((_, field)) => {
                    let on = value.extract::<bool>().map_err(|_| {
                        let key = key.replace('-', "_");
                        of_option(self.py, format!("{}: {key} must be True or False", self.name))
                    })?;
                    options.insert((*field).to_owned(), (!on).into());
                }
                None => {
                    options.insert(key, self.json(&value)?);
                }
            }
        }
        Ok(())
    }

    /// A value as JSON; a value without a JSON form is kept in memory, under a name.
    fn json(&self, value: &Bound<'py, PyAny>) -> PyResult<Json> {
        if let Ok(on) = value.cast::<PyBool>() {
            return Ok(on.is_true().into());
        }
        if value.is_instance_of::<PyString>() {
            return Ok(value.extract::<String>()?.into());
        }
        if value.is_instance_of::<PyInt>()
            && let Ok(whole) = value.extract::<i64>()
        {
            return Ok(whole.into());
        }
        if value.is_instance_of::<PyFloat>() || value.is_instance_of::<PyInt>() {
            let number = Number::from_f64(value.extract()?);
            return number
                .map(Json::Number)
                .ok_or_else(|| of_option(self.py, format!("{} must be a finite number", self.name)));
        }
        let mut held = self.held.borrow_mut();
        held.push(value.clone());
        Ok(format!("{HELD}{}", held.len() - 1).into())
    }

    /// The value kept under a name.
    fn held(&self, file: &Path) -> Option<Bound<'py, PyAny>> {
        let at: usize = file.to_str()?.strip_prefix(HELD)?.parse().ok()?;
        self.held.borrow().get(at).cloned()
    }

    /// The value kept under a name, if it has the expected kind.
    fn held_as(&self, file: &Path, expected: &str) -> Result<Bound<'py, PyAny>, Failure> {
        self.held(file)
            .ok_or_else(|| Failure(of_option(self.py, format!("{} must be {expected}", self.name))))
    }

    /// The error about options that cannot be read.
    fn wrong(&self, options: &Map<String, Json>, error: &serde_json::Error) -> PyErr {
        let known: Vec<&str> = self.kind.options().map(|(name, _)| name).collect();
        let opposites = self.kind.opposites.iter().map(|(name, _)| *name);
        let python = |name: &str| name.replace('-', "_");
        if let Some(key) =
            options.keys().find(|key| !known.contains(&key.as_str()) && !ALSO.contains(&key.as_str()))
        {
            let known: Vec<String> = known.iter().copied().chain(opposites).map(python).collect();
            let message =
                format!("{} has no option '{}'; options are {}", self.name, python(key), known.join(", "));
            return of_option(self.py, message);
        }
        let needed = self.kind.schema.get("required").and_then(Json::as_array).into_iter().flatten();
        let missing = needed.filter_map(Json::as_str).find(|field| !options.contains_key(*field));
        let described = |field: &str| {
            let (_, schema) = self.kind.options().find(|(name, _)| *name == field)?;
            Some(schema.get("description")?.as_str()?.replace('\n', " "))
        };
        let message = match missing {
            Some(field) if matches!(self.kind.value, Value::Field(value) if value == field) => {
                format!("{} needs a value: {}", self.name, described(field).unwrap_or_default())
            }
            Some(field) => format!("{} needs '{}'", self.name, python(field)),
            None => {
                // A kept value in place of a text or number.
                let held = options
                    .iter()
                    .find(|(_, value)| value.as_str().is_some_and(|text| text.starts_with(HELD)));
                match held {
                    Some((field, _)) => {
                        format!("{} must be {}", self.name, described(field).unwrap_or_default())
                    }
                    None => format!("{}: {error}", self.name),
                }
            }
        };
        of_option(self.py, message)
    }
}

/// An exception; errors of the library become one.
struct Failure(PyErr);

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure(error)
    }
}

impl From<EditError> for Failure {
    fn from(error: EditError) -> Failure {
        Failure(Python::attach(|py| match &error {
            EditError::Usage { .. } => of_option(py, error.to_string()),
            _ => of_error(py, error.into()),
        }))
    }
}

impl Files for Values<'_, '_> {
    type Error = Failure;

    fn text(&self, _: &Path) -> Result<String, Failure> {
        Err(Failure(of_option(self.py, format!("{} takes no file", self.name))))
    }

    fn motion(&self, file: &Path) -> Result<Motion, Failure> {
        Ok(motion(self.name, &self.held_as(file, "a Clip")?)?)
    }

    fn time_map(&self, file: &Path) -> Result<TimeMap, Failure> {
        let keys = rows::<2>(self.name, &self.held_as(file, "an array")?)?;
        Ok(TimeMap::new(keys.into_iter().map(|[to, from]| (to, from)).collect())?)
    }

    fn path(&self, file: &Path) -> Result<PathOverGround, Failure> {
        let points = rows::<3>(self.name, &self.held_as(file, "an array")?)?;
        let points: Vec<Vector3<f64>> = points.into_iter().map(Vector3::from).collect();
        Ok(PathOverGround::new(&points)?)
    }

    fn root_curve(&self, file: &Path) -> Result<RootCurve, Failure> {
        const EXPECTED: &str = "a RootCurve";
        let text = self.held_as(file, EXPECTED)?.getattr("_text").and_then(|text| text.extract::<String>());
        let text = text.map_err(|_| of_option(self.py, format!("{} must be {EXPECTED}", self.name)))?;
        Ok(RootCurve::parse(&text)?)
    }

    fn warp(&self, file: &Path) -> Result<Warp, Failure> {
        Ok(warp(self.name, &self.held_as(file, "a dictionary of options")?)?)
    }

    fn poses(&self, file: &Path) -> Result<PosePrior, Failure> {
        if self.held(file).is_some() {
            return Err(Failure(of_option(
                self.py,
                format!("{}: poses must be the path of a file", self.name),
            )));
        }
        Ok(poses_of(self.py, file)?)
    }

    fn heights(&self, file: &Path, options: HeightOptions) -> Result<HeightField, Failure> {
        let rows = array("heights", &self.held_as(file, "an array of heights")?)?;
        let columns = rows.shape().get(1).copied().unwrap_or(usize::MAX);
        let values = numbers(self.py, "heights", &rows, &[usize::MAX, columns])?;
        Ok(HeightField::new(columns, values, options.cell.unwrap_or(CELL))?)
    }

    fn mesh(&self, file: &Path) -> Result<TerrainMesh, Failure> {
        let rows = array("mesh", &self.held_as(file, "an array of triangles")?)?;
        let values = numbers(self.py, "mesh", &rows, &[usize::MAX, 3, 3])?;
        // From X, Y, Z to forward, left and up.
        let corner = |at: usize| [values[at + 2], values[at], values[at + 1]];
        let triangles = (0..values.len()).step_by(9).map(|at| [corner(at), corner(at + 3), corner(at + 6)]);
        Ok(TerrainMesh::new(triangles.collect())?)
    }
}

/// A file of example poses.
fn poses_of(py: Python<'_>, file: &Path) -> PyResult<PosePrior> {
    let wrong = |reason: &dyn std::fmt::Display| of_option(py, format!("'{}': {reason}", file.display()));
    let bytes = mocap_batch::read_file(file, MAX_BYTES as u64).map_err(|error| wrong(&error))?;
    PosePrior::from_bytes(&bytes).map_err(|error| wrong(&error))
}

/// The motion that an edit takes, without a rest pose before it.
fn motion(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Motion> {
    match value.cast::<Clip>() {
        Ok(clip) => Ok(clip.get().motion()),
        Err(_) => Err(of_option(value.py(), format!("{name} must be a Clip"))),
    }
}

/// Times are seconds, turns degrees, as in files of keys.
fn warp(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Warp> {
    let py = value.py();
    let options =
        Keywords::known(name, value, &["from", "to", "keys", "keep_feet", "mode", "times", "poses"])?;
    let time = |key: &str| {
        options.number(key)?.ok_or_else(|| of_option(py, format!("{name} needs '{key}', a time [s]")))
    };
    let listed = options.extracted::<Vec<Bound<'_, PyAny>>>("keys", "a list of dictionaries")?;
    let mut keys = Vec::new();
    for key in listed.unwrap_or_default() {
        add_keys(&Keywords::known("a key", &key, &KEY)?, &mut keys)?;
    }
    let times = options.extracted::<Vec<(f64, f64)>>("times", "a list of pairs of times [s]")?;
    let times = times.unwrap_or_default();
    if keys.is_empty() && times.is_empty() {
        return Err(of_option(py, format!("{name} needs 'keys' or 'times', a list with at least one")));
    }
    let keep_feet = options.flag("keep_feet")?.unwrap_or(true);
    let mode = options.parsed::<WarpMode>("mode")?.unwrap_or_default();
    let (from, to) = (time("from")?, time("to")?);
    let poses = options.extracted::<PathBuf>("poses", "the path of a file")?;
    let poses = poses.map(|file| poses_of(py, &file).map(Arc::new)).transpose()?;
    Ok(Warp { keep_feet, mode, times, poses, ..Warp::new(from, to, keys) })
}

/// What a key may have.
const KEY: [&str; 11] =
    ["time", "joint", "turn", "at", "by", "look_at", "pose", "until", "direction", "shares", "limits"];

fn add_keys(key: &Keywords<'_>, keys: &mut Vec<WarpKey>) -> PyResult<()> {
    const EXPECTED: &str = "a key has time, joint, and one of turn, at, by and look_at; or time and pose; until, direction, shares and limits \
         belong to look_at";
    let wrong = || of_option(key.py(), EXPECTED);
    let time = key.number("time")?.ok_or_else(wrong)?;
    let vector = |name: &str| key.extracted::<[f64; 3]>(name, "three numbers");
    let changes = [
        vector("turn")?.map(|turn| WarpChange::Turn(Vector3::from(turn).map(f64::to_radians))),
        vector("at")?.map(|at| WarpChange::At(at.into())),
        vector("by")?.map(|by| WarpChange::By(by.into())),
        vector("look_at")?.map(|at| look(key, at.into()).map(WarpChange::LookAt)).transpose()?,
    ];
    for name in ["until", "direction", "shares", "limits"] {
        if changes[3].is_none() && key.get(name)?.is_some() {
            return Err(wrong());
        }
    }
    let mut changes = changes.into_iter().flatten();
    match (
        key.extracted::<String>("joint", "a name or role")?,
        key.get("pose")?,
        changes.next(),
        changes.next(),
    ) {
        (Some(joint), None, Some(change), None) => keys.push(WarpKey { time, joint, change }),
        (None, Some(pose), None, None) => keys.extend(WarpKey::of_pose(&motion("pose", &pose)?, time)),
        _ => return Err(wrong()),
    }
    Ok(())
}

/// The gaze of a key.
fn look(key: &Keywords<'_>, at: Vector3<f64>) -> PyResult<LookAt> {
    let numbers = |name: &str| {
        let found = key.extracted::<BTreeMap<String, f64>>(name, "a dictionary of numbers by joint");
        found.map(Option::unwrap_or_default)
    };
    let (shares, limits) = (numbers("shares")?, numbers("limits")?);
    if let Some(joint) = limits.keys().find(|joint| !shares.contains_key(*joint)) {
        return Err(of_option(key.py(), format!("'{joint}' has a limit and no share")));
    }
    let limit = |joint: &String| limits.get(joint).map(|limit| limit.to_radians());
    let share = |(joint, share): (String, f64)| LookShare { limit: limit(&joint), joint, share };
    Ok(LookAt {
        at,
        until: key.number("until")?,
        direction: key.extracted::<[f64; 3]>("direction", "three numbers")?.map(Vector3::from),
        joints: shares.into_iter().map(share).collect(),
    })
}

fn array<'py>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    value.extract().map_err(|_| of_option(value.py(), format!("{name} must be an array")))
}

/// The rows of an array.
pub(crate) fn rows<const N: usize>(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<[f64; N]>> {
    let values = numbers(value.py(), name, &array(name, value)?, &[usize::MAX, N])?;
    Ok(values.chunks_exact(N).map(|row| row.try_into().expect("rows are whole")).collect())
}
