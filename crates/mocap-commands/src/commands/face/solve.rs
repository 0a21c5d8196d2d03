//! Solves shape weights from moving points: vertices, or markers attached to some of them.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use mocap_face::{FaceBasis, SolveError};
use mocap_formats::npz::Archive;
use mocap_formats::{Limits, text};
use mocap_model::{
    Clip, FrameRate, Joint, JointTracks, Markers, ScalarTrack, Skeleton, Space, Track, Vector3,
};
use serde::Deserialize;

use super::Head;
use super::drive::{Moved, put};
use super::row::ResidualRow;
use crate::batch::{Failure, Job, JobContext};
use crate::diagnostic::Diagnostic;
use crate::options::Reading;
use crate::read;

/// The vertices to which the points belong.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Vertices {
    /// In the order of the points.
    List(Vec<usize>),
    /// By the name of the marker.
    Named(BTreeMap<String, usize>),
}

impl Vertices {
    /// Reads the list.
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Vertices, Diagnostic> {
        serde_json::from_slice(&text::decode(bytes)).map_err(|error| {
            let message =
                format!("expected a list of vertex numbers, or an object of them by marker: {error}");
            Diagnostic::new("face::vertices", message).in_file(path)
        })
    }

    /// The vertices of points with these names; the whole list if it has no names.
    fn of(&self, names: Option<&[String]>) -> Result<Vec<usize>, Diagnostic> {
        match (self, names) {
            (Vertices::List(list), _) => Ok(list.clone()),
            (Vertices::Named(_), None) => {
                Err(Diagnostic::new("face::vertices", "the points of the file have no names")
                    .help("give --vertices a list in their order"))
            }
            (Vertices::Named(by_name), Some(names)) => {
                let find = |name: &String| {
                    by_name.get(name).copied().ok_or_else(|| {
                        let message = format!("--vertices has no vertex for the marker '{name}'");
                        Diagnostic::new("face::vertices", message)
                    })
                };
                names.iter().map(find).collect()
            }
        }
    }
}

/// Points over time.
struct Points {
    rate: FrameRate,
    /// Positions, frame by frame [m].
    places: Vec<[f64; 3]>,
    /// Number of points per frame.
    count: usize,
    names: Option<Vec<String>>,
    bytes: u64,
}

/// Drives the face like the points.
pub(super) fn solved(
    job: &Job,
    context: &JobContext,
    (head, vertices): (&Head, Option<&Vertices>),
    reading: &Reading,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Moved, Failure> {
    let points = read_points(job, context, head, reading, warnings)?;
    let chosen = vertices.map(|vertices| vertices.of(points.names.as_deref())).transpose()?;
    let basis = basis(head, chosen.as_deref(), points.count)?;
    let frames = points.places.len() / points.count.max(1);
    let solved = mocap_face::solve(&basis, points.places.chunks(points.count.max(1)));
    let solved = solved.map_err(|error| refused(&error))?;
    let tracks = head.shapes.iter().enumerate().map(|(at, name)| {
        let values = solved.weights.iter().map(|weights| weights[at]).collect();
        ScalarTrack {
            name: name.clone(),
            values: Track::from_samples(values).unwrap_or(Track::Constant(0.0)),
        }
    });
    let clip = put(&still(points.rate, frames)?, head, tracks.collect(), false)?;
    let worst = solved.residual.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
    let square: f64 = solved.residual.iter().map(|residual| residual * residual).sum();
    let rms = (square / frames.max(1) as f64).sqrt();
    let moved = motion(&basis, &points);
    // The fit explains less than half of the points' motion: the head moves too, the unit is wrong, or it is
    // another face.
    if rms > 0.5 * moved && moved > 0.0 {
        let message = format!(
            "points stay {} mm from the face, which moves by {} mm (rms): its shapes do not explain them",
            mocap::short(rms * 1e3),
            mocap::short(moved * 1e3)
        );
        warnings.push(
            Diagnostic::new("face::poor-fit", message).help(
                "points are in metres and in the axes of the character, without the motion of its head",
            ),
        );
    }
    let unmoved = solved.unseen.iter().map(|at| head.shapes[*at].clone()).collect();
    let residual = worst.map(|(frame, max)| ResidualRow { rms, max, frame });
    let bytes_in = points.bytes;
    Ok(Moved { clip, map: None, unused: Vec::new(), unmoved, lids: Vec::new(), residual, bytes_in })
}

/// Distance of the points from the neutral face, root mean square [m].
fn motion(basis: &FaceBasis, points: &Points) -> f64 {
    let mut sum = 0.0;
    let mut count = 0;
    for frame in points.places.chunks(points.count.max(1)) {
        for (at, neutral) in
            frame.iter().zip(&basis.neutral).filter(|(at, _)| at.iter().all(|x| x.is_finite()))
        {
            sum += at.iter().zip(neutral).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
            count += 1;
        }
    }
    (sum / f64::from(count.max(1))).sqrt()
}

/// The neutral face and its shapes at the points.
fn basis(head: &Head, chosen: Option<&[usize]>, count: usize) -> Result<FaceBasis, Diagnostic> {
    let body = head.body()?;
    let vertices: usize = body.body.meshes.iter().map(|mesh| mesh.positions.len()).sum();
    if let Some(beyond) = chosen.and_then(|chosen| chosen.iter().find(|at| **at >= vertices)) {
        let message = format!("--vertices names vertex {beyond}; the character has {vertices}");
        return Err(Diagnostic::new("face::vertices", message));
    }
    let expected = chosen.map_or(vertices, <[usize]>::len);
    if expected != count {
        let message = format!("the file has {count} points a frame, expected {expected}");
        return Err(Diagnostic::new("face::points", message)
            .help("--vertices names the vertex of each point; without it points are all vertices"));
    }
    mocap::face_basis(body, chosen).map_err(|error| {
        Diagnostic::new(error.code(), error.to_string()).in_file(Path::new(&head.target.path))
    })
}

fn refused(error: &SolveError) -> Diagnostic {
    let code = match error {
        SolveError::Unmoved { .. } => "face::unmoved",
        SolveError::Empty { .. } => "face::no-points",
        _ => "face::points",
    };
    Diagnostic::new(code, error.to_string())
}

/// A clip without joints that move.
fn still(rate: FrameRate, frames: usize) -> Result<Clip, Diagnostic> {
    let made = Skeleton::new("", Space::default(), vec![Joint::new("Points", None, Vector3::zeros())])
        .and_then(|skeleton| {
            let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
            Clip::new(Arc::new(skeleton), rate, frames, tracks)
        });
    Ok(made.map_err(mocap::Error::from)?)
}

/// The points of an input.
fn read_points(
    job: &Job,
    context: &JobContext,
    head: &Head,
    reading: &Reading,
    warnings: &mut Vec<Diagnostic>,
) -> Result<Points, Failure> {
    let bytes = read::bytes_of(context, &job.input, &reading.limits())?;
    if bytes.starts_with(b"PK\x03\x04") {
        return Ok(of_arrays(&bytes, reading)?);
    }
    let loaded = read::load_bytes(context, &job.input, bytes, reading)?;
    let size = loaded.size();
    let Some((markers, found)) = loaded.markers(reading)? else {
        let message = "expected vertices over time (NPZ with `vertices`), or markers (C3D, TRC)";
        return Err(Diagnostic::new("face::points", message)
            .help("without --solve, shapes of the source move those of the character")
            .into());
    };
    warnings.extend(found);
    Ok(of_markers(&markers, size, head)?)
}

/// The array `vertices`, frames × vertices × 3, and `fps`.
fn of_arrays(bytes: &[u8], reading: &Reading) -> Result<Points, Diagnostic> {
    let limits: Limits = reading.limits();
    let archive = Archive::open(bytes, &limits)?;
    let arrays = archive.read(|name| name == "vertices" || name == "fps")?;
    let missing = |what: &str| {
        let known: Vec<&str> = archive.names().collect();
        let message = format!("the file has no array {what}; it has {}", known.join(", "));
        Diagnostic::new("face::points", message).help("`mocap bake` writes vertices, faces and fps")
    };
    let vertices = arrays.get("vertices").ok_or_else(|| missing("`vertices` (frames × vertices × 3)"))?;
    let [_, count, 3] = vertices.shape[..] else {
        let message =
            format!("`vertices` has the shape {:?}, expected frames × vertices × 3", vertices.shape);
        return Err(Diagnostic::new("face::points", message));
    };
    let stated = arrays.get("fps").and_then(|fps| fps.data.number(0));
    let fps = reading.input_fps.map(FrameRate::fps).or(stated);
    let rate = fps
        .and_then(FrameRate::new)
        .ok_or_else(|| missing("`fps`, a number above 0").help("--input-fps states the rate"))?;
    let number = |at: usize| vertices.data.number(at).unwrap_or(f64::NAN);
    let places = (0..vertices.data.len() / 3).map(|at| std::array::from_fn(|axis| number(3 * at + axis)));
    Ok(Points { rate, places: places.collect(), count, names: None, bytes: bytes.len() as u64 })
}

/// Markers in metres and in the axes of the character.
fn of_markers(markers: &Markers, bytes: u64, head: &Head) -> Result<Points, Diagnostic> {
    let (space, on) = (markers.space(), head.target.on.skeleton.space());
    let Some(metres) = space.metres() else {
        return Err(Diagnostic::new("face::points", "the unit of the markers is not known")
            .help("--input-unit states it"));
    };
    if space.up != on.up {
        let message =
            format!("up is {} in the file of the markers, and {} in the character", space.up, on.up);
        return Err(Diagnostic::new("face::points", message).help("markers are in the axes of the character"));
    }
    let count = markers.names().len();
    let place = |at: usize| -> [f64; 3] {
        let found = markers.position(at / count, at % count);
        found.map_or([f64::NAN; 3], |place| (place * metres).into())
    };
    let places = (0..markers.frames() * count).map(place).collect();
    let names = Some(markers.names().to_vec());
    Ok(Points { rate: markers.rate(), places, count, names, bytes })
}
