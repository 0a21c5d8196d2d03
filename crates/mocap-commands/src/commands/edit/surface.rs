//! Reads terrain files: height fields as PNG, CSV or NPZ, meshes as OBJ, GLB or glTF.

use std::path::Path;

use mocap_edit::edits::HeightOptions;
use mocap_edit::{HeightField, TerrainMesh};
use mocap_formats::{FilesBeside, Finding, Limits, gltf, npz};

use crate::batch::JobContext;
use crate::diagnostic::Diagnostic;

/// The default cell size \[m\].
const CELL: f64 = 0.1;
/// Greatest number of pixels of a height field.
const MOST_PIXELS: u64 = 50_000_000;

fn wrong(message: impl Into<String>) -> Diagnostic {
    Diagnostic::new("terrain::file", message)
}

fn extension(file: &Path) -> String {
    file.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_ascii_lowercase()
}

fn bytes(file: &Path) -> Result<Vec<u8>, Diagnostic> {
    Ok(JobContext::standalone().read_file(file, Limits::default().bytes as u64)?)
}

/// Reads a height field.
pub(super) fn heights(file: &Path, options: HeightOptions) -> Result<HeightField, Diagnostic> {
    let bytes = bytes(file)?;
    let (columns, heights, cell) = match extension(file).as_str() {
        "png" => {
            let (columns, heights) = of_png(&bytes, options.white.unwrap_or(1.0))?;
            (columns, heights, None)
        }
        "csv" => {
            let (columns, heights) = of_csv(&bytes)?;
            (columns, heights, None)
        }
        "npz" => of_npz(&bytes)?,
        other => {
            let error = wrong(format!("'.{other}' is not a format of height fields"));
            return Err(error.help("heights are PNG, CSV or NPZ; --mesh takes OBJ, GLB and glTF"));
        }
    };
    Ok(HeightField::new(columns, heights, options.cell.or(cell).unwrap_or(CELL))?)
}

/// Grey levels from 0 to `white`; a transparent pixel is a hole.
fn of_png(bytes: &[u8], white: f64) -> Result<(usize, Vec<f64>), Diagnostic> {
    let failed = |error: png::DecodingError| wrong(format!("the PNG cannot be read: {error}"));
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    // Palettes are expanded to colours; 16 bits are kept.
    decoder.set_transformations(png::Transformations::EXPAND);
    let mut reader = decoder.read_info().map_err(failed)?;
    let (columns, rows) = (reader.info().width, reader.info().height);
    if u64::from(columns) * u64::from(rows) > MOST_PIXELS {
        return Err(wrong(format!("the PNG has {columns} × {rows} pixels, more than {MOST_PIXELS}")));
    }
    let size = reader.output_buffer_size().ok_or_else(|| wrong("the PNG is too large"))?;
    let mut data = vec![0; size];
    let info = reader.next_frame(&mut data).map_err(failed)?;
    let wide = info.bit_depth == png::BitDepth::Sixteen;
    let channels = info.color_type.samples();
    let (most, step) = if wide { (65535.0, 2) } else { (255.0, 1) };
    let level = |at: usize| match wide {
        true => f64::from(u16::from_be_bytes([data[at], data[at + 1]])),
        false => f64::from(data[at]),
    };
    let has_alpha = channels == 2 || channels == 4;
    let mut heights = Vec::with_capacity(columns as usize * rows as usize);
    for row in 0..rows as usize {
        for column in 0..columns as usize {
            let at = row * info.line_size + column * channels * step;
            let hole = has_alpha && level(at + (channels - 1) * step) == 0.0;
            heights.push(if hole { f64::NAN } else { level(at) / most * white });
        }
    }
    Ok((columns as usize, heights))
}

/// Rows of numbers with commas; an empty field or nan is a hole.
fn of_csv(bytes: &[u8]) -> Result<(usize, Vec<f64>), Diagnostic> {
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("the file is not UTF-8 text"))?;
    let (mut columns, mut heights) = (0, Vec::new());
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let before = heights.len();
        for (column, field) in line.split(',').enumerate() {
            let field = field.trim();
            let value = if field.is_empty() { Ok(f64::NAN) } else { field.parse::<f64>() };
            heights.push(value.map_err(|_| {
                wrong(format!("line {}, column {}: '{field}' is not a height [m]", number + 1, column + 1))
            })?);
        }
        let found = heights.len() - before;
        if columns != 0 && found != columns {
            return Err(wrong(format!(
                "line {} has {found} heights, and the first row has {columns}",
                number + 1
            )));
        }
        columns = found;
    }
    Ok((columns, heights))
}

fn of_npz(bytes: &[u8]) -> Result<(usize, Vec<f64>, Option<f64>), Diagnostic> {
    let archive = npz::Archive::open(bytes, &Limits::default()).map_err(finding)?;
    let arrays = archive.read(|name| ["heights", "cell"].contains(&name)).map_err(finding)?;
    let Some(array) = arrays.get("heights") else {
        return Err(wrong("the NPZ has no array 'heights'").help("heights[row, column] are metres"));
    };
    let [_, columns] = array.shape[..] else {
        return Err(wrong(format!("'heights' has {} axes, not 2", array.shape.len())));
    };
    let heights: Option<Vec<f64>> = (0..array.data.len()).map(|at| array.data.number(at)).collect();
    let heights = heights.ok_or_else(|| wrong("'heights' holds no numbers"))?;
    let cell = match arrays.get("cell") {
        None => None,
        Some(cell) if cell.data.len() == 1 && cell.data.number(0).is_some() => cell.data.number(0),
        Some(cell) => {
            let found = format!("'cell' has the shape {:?}, not one number", cell.shape);
            return Err(wrong(found).help("the distance of neighbouring heights [m]"));
        }
    };
    Ok((columns, heights, cell))
}

fn finding(finding: Finding) -> Diagnostic {
    Diagnostic::from(finding)
}

/// Vertices as (forward, left, up); in files, these are Z, X and Y.
pub(super) fn mesh(file: &Path) -> Result<TerrainMesh, Diagnostic> {
    let bytes = bytes(file)?;
    let corners: Vec<[[f64; 3]; 3]> = match extension(file).as_str() {
        "obj" => of_obj(&bytes)?,
        "glb" | "gltf" => {
            let limits = Limits::default();
            let mut beside = FilesBeside::default();
            let folder = file.parent().unwrap_or(Path::new(""));
            for needed in gltf::files_beside(&bytes, &limits).map_err(|failed| finding(*failed.error))? {
                if needed.needed {
                    let path = folder.join(&needed.path);
                    beside.insert(
                        needed.path.clone(),
                        JobContext::standalone().read_file(&path, limits.bytes as u64)?.into(),
                    );
                }
            }
            let document = gltf::parse(&bytes, &beside, &limits).map_err(|failed| finding(*failed.error))?;
            let triangles = gltf::triangles(&document.value, &limits).map_err(finding)?;
            triangles
                .into_iter()
                .map(|corners| corners.map(|corner| [corner.x, corner.y, corner.z]))
                .collect()
        }
        other => {
            let error = wrong(format!("'.{other}' is not a format of terrain meshes"));
            return Err(error.help("meshes are OBJ, GLB or glTF; --heights takes PNG, CSV and NPZ"));
        }
    };
    Ok(TerrainMesh::new(corners.into_iter().map(|corners| corners.map(|[x, y, z]| [z, x, y])).collect())?)
}

/// The faces of an OBJ, each as a triangle fan. Everything else is ignored.
fn of_obj(bytes: &[u8]) -> Result<Vec<[[f64; 3]; 3]>, Diagnostic> {
    let text = String::from_utf8_lossy(bytes);
    let mut corners: Vec<[f64; 3]> = Vec::new();
    let mut triangles = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let bad = |what: &str| wrong(format!("line {}: '{}' {what}", number + 1, line.trim()));
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let values: Vec<f64> = words.take(3).filter_map(|word| word.parse().ok()).collect();
                corners.push(values.try_into().map_err(|_| bad("is not a corner with three numbers"))?);
            }
            Some("f") => {
                let corner = |word: &str| {
                    let place: i64 = word.split('/').next()?.parse().ok()?;
                    // Negative indices count from the end.
                    let at = if place < 0 { corners.len() as i64 + place } else { place - 1 };
                    corners.get(usize::try_from(at).ok()?).copied()
                };
                let face: Option<Vec<[f64; 3]>> = words.map(corner).collect();
                let face = face
                    .filter(|face| face.len() >= 3)
                    .ok_or_else(|| bad("is not a face of known corners"))?;
                triangles.extend((2..face.len()).map(|i| [face[0], face[i - 1], face[i]]));
            }
            _ => {}
        }
    }
    Ok(triangles)
}

#[cfg(test)]
mod tests {
    use mocap_formats::arrays::{Array, Arrays, Data};

    use super::*;

    #[test]
    fn tables_of_heights_have_holes_and_mistakes_a_line() {
        let (columns, heights) = of_csv(b"# a hill\n0,1,\n2,3,nan\n").unwrap();
        assert_eq!((columns, heights.len()), (3, 6));
        assert!(heights[2].is_nan() && heights[5].is_nan() && heights[3] == 2.0);
        assert!(of_csv(b"0,1\n0,x\n").unwrap_err().message.starts_with("line 2, column 2"));
        assert!(of_csv(b"0,1\n0,1,2\n").unwrap_err().message.contains("line 2 has 3"));
    }

    #[test]
    fn faces_are_fans_of_triangles() {
        let found = of_obj(b"v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1/1 2/2 3/3 4/4\nf -4 -3 -2\n").unwrap();
        assert_eq!(found.len(), 3);
        assert_eq!(found[2], [[0.0; 3], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]);
        assert!(of_obj(b"v 0 0 0\nf 1 2 3\n").unwrap_err().message.starts_with("line 2"));
    }

    #[test]
    fn arrays_are_heights() {
        let with = |name: &str, shape: &[usize], cell: Option<Array>| {
            let mut arrays = Arrays::default();
            arrays.insert(name, Array::new(shape, Data::F64(vec![0.0, 1.0, 2.0, f64::NAN])));
            if let Some(cell) = cell {
                arrays.insert("cell", cell);
            }
            of_npz(&npz::to_bytes(&arrays))
        };
        let of = |name: &str, shape: &[usize]| with(name, shape, Some(Array::scalar(0.25)));
        let (columns, heights, cell) = of("heights", &[2, 2]).unwrap();
        assert_eq!((columns, &heights[..3], cell), (2, &[0.0, 1.0, 2.0][..], Some(0.25)));
        assert!(heights[3].is_nan());
        assert!(of("height", &[2, 2]).unwrap_err().message.contains("no array 'heights'"));
        assert!(of("heights", &[4]).unwrap_err().message.contains("1 axes"));
        assert_eq!(with("heights", &[2, 2], None).unwrap().2, None);
        for cells in [vec![], vec![0.5, 0.5]] {
            let cell = Array::new([cells.len()], Data::F64(cells));
            assert!(with("heights", &[2, 2], Some(cell)).unwrap_err().message.contains("'cell'"));
        }
    }

    #[test]
    fn grey_levels_are_heights() {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(png::ColorType::GrayscaleAlpha);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[0, 255, 255, 255, 51, 255, 9, 0]).unwrap();
        writer.finish().unwrap();
        let (columns, heights) = of_png(&bytes, 2.0).unwrap();
        assert_eq!((columns, &heights[..3]), (2, &[0.0, 2.0, 0.4][..]));
        assert!(heights[3].is_nan());
        assert!(of_png(b"no png", 1.0).is_err());
    }
}
