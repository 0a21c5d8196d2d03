//! Vertex animation textures: a texel for each vertex of each frame, and a description of how to read them.
//!
//! A frame takes whole rows: vertex `v` of frame `f` is in column `v mod width`, row `f · rows per frame + v / width`.
//! Red, green and blue are x, y and z: of positions from the lower to the upper corner of a box, of normals from −1 to 1.

use std::io::{self, Write};
use std::path::Path;

use mocap_model::{Unit, UnitSource};
use serde_json::json;

use super::BakeError;
use super::sequence::{VertexSequence, Wanted};

/// Texels along a row, at most: what graphics cards take.
const WIDEST: usize = 4096;

/// The box around all vertices in all frames, in the unit of the sequence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    low: [f32; 3],
    high: [f32; 3],
}

impl Bounds {
    pub(super) fn of(sequence: &VertexSequence) -> Result<Bounds, BakeError> {
        let mut bounds = Bounds { low: [f32::INFINITY; 3], high: [f32::NEG_INFINITY; 3] };
        let mut bad = None;
        let seen = sequence.all(Wanted::Positions, &mut |frame, values| {
            for (vertex, at) in values.iter().enumerate() {
                for axis in 0..3 {
                    bounds.low[axis] = bounds.low[axis].min(at[axis]);
                    bounds.high[axis] = bounds.high[axis].max(at[axis]);
                }
                if bad.is_none() && at.iter().any(|part| !part.is_finite()) {
                    bad = Some(BakeError::Overflow { vertex, frame });
                }
            }
            Ok(())
        });
        debug_assert!(seen.is_ok(), "nothing is written");
        bad.map_or(Ok(bounds), Err)
    }

    fn size(&self, axis: usize) -> f64 {
        f64::from(self.high[axis]) - f64::from(self.low[axis])
    }
}

/// The width of the texture, the rows of a frame, and the height.
fn size(sequence: &VertexSequence) -> [usize; 3] {
    let width = sequence.vertices().clamp(1, WIDEST);
    let rows = sequence.vertices().div_ceil(width);
    [width, rows, rows * sequence.frames()]
}

pub(super) fn positions(sequence: &VertexSequence, bounds: &Bounds, out: &mut dyn Write) -> io::Result<()> {
    let share = |at: f32, axis: usize| match bounds.size(axis) {
        size if size > 0.0 => (f64::from(at) - f64::from(bounds.low[axis])) / size,
        _ => 0.0,
    };
    picture(sequence, Wanted::Positions, share, out)
}

pub(super) fn normals(sequence: &VertexSequence, out: &mut dyn Write) -> io::Result<()> {
    picture(sequence, Wanted::Normals, |at, _| 0.5 + 0.5 * f64::from(at), out)
}

fn picture(
    sequence: &VertexSequence,
    wanted: Wanted,
    share: impl Fn(f32, usize) -> f64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let [width, rows, height] = size(sequence);
    let too_large = || io::Error::other("the texture is larger than a PNG can be");
    let high = u32::try_from(height).map_err(|_| too_large())?;
    let mut encoder = png::Encoder::new(out, width as u32, high);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Sixteen);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    let mut bytes = Vec::with_capacity(width * rows * 6);
    sequence.all(wanted, &mut |_, values| {
        bytes.clear();
        for at in values {
            for axis in 0..3 {
                let step = (share(at[axis], axis) * 65535.0).round().clamp(0.0, 65535.0) as u16;
                bytes.extend(step.to_be_bytes());
            }
        }
        bytes.resize(width * rows * 6, 0);
        stream.write_all(&bytes)
    })?;
    stream.finish()?;
    writer.finish()?;
    Ok(())
}

pub(super) fn description(
    sequence: &VertexSequence,
    bounds: &Bounds,
    path: &Path,
    out: &mut dyn Write,
) -> io::Result<()> {
    let [width, rows, height] = size(sequence);
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let beside = super::CacheFormat::Png.beside(path);
    let error =
        (0..3).map(|axis| bounds.size(axis) / 65535.0 / 2.0).map(|half| half * half).sum::<f64>().sqrt();
    let meshes = sequence.meshes().iter().map(|mesh| {
        json!({ "name": mesh.name, "first": mesh.first, "vertices": mesh.vertices(), "triangles": mesh.triangles.len() })
    });
    let unit = Unit { metres: sequence.unit(), source: UnitSource::Flag };
    let description = json!({
        "format": "vertex animation texture",
        "version": 1,
        "positions": name(path),
        "normals": name(&beside[0]),
        "vertices": sequence.vertices(),
        "frames": sequence.frames(),
        "fps": sequence.clip().rate().fps(),
        "width": width,
        "height": height,
        "rows_per_frame": rows,
        "minimum": bounds.low,
        "maximum": bounds.high,
        "unit": unit.name().map_or_else(|| format!("{} m", unit.metres), str::to_owned),
        "up": sequence.clip().skeleton().space().up.to_string(),
        "largest_rounding": error,
        "meshes": meshes.collect::<Vec<_>>(),
    });
    serde_json::to_writer_pretty(&mut *out, &description)?;
    out.write_all(b"\n")
}
