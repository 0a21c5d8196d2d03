//! A file as bytes: GLB, or JSON with its buffer as a data URI.

use serde_json::{Value, json};

use super::base64;
use super::build::Builder;
use super::document::Document;

/// The bytes of a GLB file.
pub(super) fn binary(builder: Builder) -> Vec<u8> {
    let Builder { mut json, bytes } = builder;
    if !bytes.is_empty() {
        json.insert("buffers".into(), json!([{ "byteLength": bytes.len() }]));
    }
    let mut text = Value::Object(json).to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let padded = bytes.len().next_multiple_of(4);
    let chunk = if bytes.is_empty() { 0 } else { 8 + padded };
    let total = 12 + 8 + text.len() + chunk;
    let mut head = Vec::with_capacity(total - padded);
    head.extend(b"glTF");
    head.extend(2u32.to_le_bytes());
    head.extend((total as u32).to_le_bytes());
    head.extend((text.len() as u32).to_le_bytes());
    head.extend(b"JSON");
    head.extend(&text);
    if bytes.is_empty() {
        return head;
    }
    head.extend((padded as u32).to_le_bytes());
    head.extend(b"BIN\0");
    // The buffer is by far the larger part: moved in its place, its memory is not taken twice.
    let mut file = bytes;
    file.resize(padded, 0);
    file.splice(0..0, head);
    file
}

/// The bytes of a glTF file with everything in it.
pub(super) fn text(builder: Builder) -> Vec<u8> {
    let Builder { mut json, bytes } = builder;
    if !bytes.is_empty() {
        let uri = format!("data:application/octet-stream;base64,{}", base64::encode(&bytes));
        json.insert("buffers".into(), json!([{ "byteLength": bytes.len(), "uri": uri }]));
    }
    let mut text = serde_json::to_vec_pretty(&Value::Object(json)).expect("JSON has a text");
    text.push(b'\n');
    text
}

/// The file with its external buffers and images embedded.
pub(super) fn again(document: &Document) -> Vec<u8> {
    let builder = Builder::whole(document);
    if document.binary { binary(builder) } else { text(builder) }
}
