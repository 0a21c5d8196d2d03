//! From bytes to the document: the container, the JSON, and the buffers that it names.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::base64;
use super::document::Document;
use super::meshopt;
use super::problem::Problem;
use super::root::Root;
use crate::files_beside::{FileBeside, FilesBeside, relative_path};
use crate::{Finding, LimitExceeded, Limits, Parsed, ReadError, text};

const MAGIC: &[u8; 4] = b"glTF";
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;
const DATA: &str = "data:";

/// Whether these are the first bytes of a GLB file.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reads a GLB file, or a glTF file with the files that it names: see [`files_beside`].
///
/// # Errors
/// A finding that names the place by its path in the JSON.
pub fn parse(bytes: &[u8], beside: &FilesBeside, limits: &Limits) -> Result<Parsed<Document>, ReadError> {
    let (json, binary) = chunks(bytes, limits)?;
    let (mut json, mut root) = typed(&json)?;
    let mut warnings = Vec::new();
    let mut total = 0usize;
    let empty: Vec<bool> = root
        .buffers
        .iter()
        .map(|buffer| buffer.uri.is_none() && meshopt::is_filled_later(&buffer.extensions))
        .collect();
    let mut buffers = Vec::with_capacity(root.buffers.len());
    for (i, buffer) in root.buffers.iter().enumerate() {
        let path = format!("buffers[{i}]");
        let data: Arc<[u8]> = match &buffer.uri {
            Some(uri) => content(&format!("{path}.uri"), uri, beside)?,
            // Its views are decoded from others, once these are there.
            None if empty[i] => Arc::from([]),
            None if i == 0 && binary.is_some() => Arc::from(binary.unwrap_or_default()),
            None => return Err(Finding::new(Problem::NoData { path }).into()),
        };
        if !empty[i] && data.len() < buffer.byte_length {
            let (to, available) = (buffer.byte_length, data.len());
            let of = "its data".into();
            return Err(Finding::new(Problem::Range { path, from: 0, to, of, available }).into());
        }
        total += data.len();
        if total > limits.bytes {
            let limit = limits.bytes;
            return Err(Finding::new(LimitExceeded { what: "bytes", found: total, limit }).into());
        }
        buffers.push(data);
    }
    let compressed = total;
    for (i, buffer) in root.buffers.iter().enumerate().filter(|(i, _)| empty[*i]) {
        meshopt::check_length(&format!("buffers[{i}]"), buffer.byte_length, compressed)?;
        total = total.saturating_add(buffer.byte_length);
        if total > limits.bytes {
            let limit = limits.bytes;
            return Err(Finding::new(LimitExceeded { what: "bytes", found: total, limit }).into());
        }
        buffers[i] = vec![0; buffer.byte_length].into();
    }
    meshopt::unpack(&mut json, &mut root, &mut buffers, &empty, limits)?;
    let mut images = BTreeMap::new();
    for (i, image) in root.images.iter().enumerate() {
        let Some(uri) = image.uri.as_ref().filter(|uri| !uri.starts_with(DATA)) else { continue };
        match relative_path(uri).and_then(|path| beside.get(&path)) {
            Some(data) => {
                images.insert(i, data.clone());
            }
            None => warnings.push(Finding::new(Problem::MissingImage {
                path: format!("images[{i}].uri"),
                uri: text::quote(uri.as_bytes()),
            })),
        }
    }
    let names = OnceLock::new();
    let value = Document { json, root, buffers, images, binary: is_binary(bytes), names };
    Ok(Parsed { value, warnings })
}

/// The files that a glTF file names: buffers, without which it cannot be read, and images.
///
/// # Errors
/// As [`parse`], and where a buffer is not beside the file.
pub fn files_beside(bytes: &[u8], limits: &Limits) -> Result<Vec<FileBeside>, ReadError> {
    let (json, _) = chunks(bytes, limits)?;
    let (_, root) = typed(&json)?;
    let mut files = Vec::new();
    for (i, buffer) in root.buffers.iter().enumerate() {
        if let Some(uri) = buffer.uri.as_ref().filter(|uri| !uri.starts_with(DATA)) {
            let path = relative_path(uri).ok_or_else(|| outside(&format!("buffers[{i}].uri"), uri))?;
            files.push(FileBeside { path, needed: true });
        }
    }
    let images = root.images.iter().filter_map(|image| image.uri.as_ref());
    let images = images.filter(|uri| !uri.starts_with(DATA)).filter_map(|uri| relative_path(uri));
    files.extend(images.map(|path| FileBeside { path, needed: false }));
    files.sort();
    files.dedup_by(|again, first| again.path == first.path);
    Ok(files)
}

fn outside(path: &str, uri: &str) -> Finding {
    Finding::new(Problem::Outside { path: path.to_owned(), uri: text::quote(uri.as_bytes()) })
}

/// The bytes of a URI: in itself, or of a file beside.
fn content(path: &str, uri: &str, beside: &FilesBeside) -> Result<Arc<[u8]>, Finding> {
    if let Some(data) = uri.strip_prefix(DATA) {
        let path = path.to_owned();
        let Some((kind, data)) = data.split_once(',') else {
            return Err(Finding::new(Problem::DataUri { path, what: "it has no comma" }));
        };
        if !kind.ends_with(";base64") {
            return Err(Finding::new(Problem::DataUri { path, what: "it is not base64" }));
        }
        let what = "it has letters that are not base64";
        return base64::decode(data)
            .map(Arc::from)
            .ok_or_else(|| Finding::new(Problem::DataUri { path, what }));
    }
    let name = relative_path(uri).ok_or_else(|| outside(path, uri))?;
    let missing = || Problem::MissingFile { path: path.to_owned(), uri: text::quote(uri.as_bytes()) };
    beside.get(&name).cloned().ok_or_else(|| Finding::new(missing()))
}

/// The JSON text, and the binary chunk where there is one.
fn chunks<'b>(bytes: &'b [u8], limits: &Limits) -> Result<(Vec<u8>, Option<&'b [u8]>), Finding> {
    if bytes.len() > limits.bytes {
        let (found, limit) = (bytes.len(), limits.bytes);
        return Err(Finding::new(LimitExceeded { what: "bytes", found, limit }));
    }
    if !is_binary(bytes) {
        return Ok((text::open(bytes, limits)?.into_owned(), None));
    }
    let cut = |what, expected, found| Finding::new(Problem::Cut { what, expected, found });
    let word = |at: usize| {
        let four = bytes.get(at..at + 4).and_then(|four| four.try_into().ok());
        four.map(u32::from_le_bytes)
    };
    let header = || cut("the header", 20, bytes.len());
    let version = word(4).ok_or_else(header)?;
    if version != 2 {
        return Err(Finding::new(Problem::ContainerVersion { found: version }));
    }
    let stated = word(8).ok_or_else(header)? as usize;
    if stated > bytes.len() {
        return Err(cut("it", stated, bytes.len()));
    }
    let bytes = &bytes[..stated.max(12)];
    let mut at = 12;
    let mut json = None;
    let mut binary = None;
    while at + 8 <= bytes.len() {
        let length = word(at).ok_or_else(header)? as usize;
        let kind = word(at + 4).ok_or_else(header)?;
        let from = at + 8;
        let rest = bytes.len() - from;
        let chunk = bytes.get(from..from.saturating_add(length));
        let chunk = chunk.ok_or_else(|| cut("a chunk", length, rest))?;
        match kind {
            JSON_CHUNK if json.is_none() => json = Some(chunk),
            BINARY_CHUNK if binary.is_none() => binary = Some(chunk),
            _ if json.is_none() => return Err(Finding::new(Problem::NoJsonChunk)),
            // Chunks of other kinds are to be skipped.
            _ => {}
        }
        at = from + length.next_multiple_of(4);
    }
    let json = json.ok_or_else(|| Finding::new(Problem::NoJsonChunk))?;
    Ok((json.to_vec(), binary))
}

/// The JSON as it is, and the typed part.
fn typed(text: &[u8]) -> Result<(Value, Root), Finding> {
    let syntax = |error: serde_json::Error| {
        let place = crate::Place { line: error.line(), column: error.column(), span: 0..0 };
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        let problem = Problem::Json { path: "the JSON".into(), message: message.to_owned() };
        Finding { place: Some(place), ..Finding::new(problem) }
    };
    let json: Value = serde_json::from_slice(text).map_err(syntax)?;
    // Files of version 1 have another layout, so the version is checked first.
    let version = match json.pointer("/asset/version") {
        Some(Value::String(version)) => version.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    if !version.starts_with("2.") {
        return Err(Finding::new(Problem::Version { found: text::quote(version.as_bytes()) }));
    }
    let root: Root = serde_path_to_error::deserialize(&json).map_err(|error| {
        let path =
            if error.path().iter().len() == 0 { "the file".to_owned() } else { error.path().to_string() };
        Finding::new(Problem::Json { path, message: error.into_inner().to_string() })
    })?;
    Ok((json, root))
}
