//! Paths in manifests and hashes: relative, with `/` on every system, and lossless for names that are not
//! Unicode.

use std::path::{Path, PathBuf};

use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A path in a manifest: text, or for a name that is not Unicode `{"text", "bytes"}` with hexadecimal bytes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathText(Vec<u8>);

/// The bytes of a path, parts separated by `/`.
pub(crate) fn bytes(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_encoded_bytes();
    let separator = |&byte: &u8| if byte == std::path::MAIN_SEPARATOR as u8 { b'/' } else { byte };
    bytes.iter().map(separator).collect()
}

impl PathText {
    /// The path as manifests hold it.
    pub fn new(path: &Path) -> PathText {
        PathText(bytes(path))
    }

    /// The path on this system.
    pub fn path(&self) -> PathBuf {
        path_of_bytes(&self.0)
    }

    /// The path as text; bytes that are not Unicode are replaced.
    pub fn shown(&self) -> String {
        String::from_utf8_lossy(&self.0).into_owned()
    }
}

/// A path from its bytes, which need not be UTF-8 on Unix.
///
/// ```
/// assert_eq!(mocap_batch::path_of_bytes(b"a/walk.bvh"), std::path::Path::new("a/walk.bvh"));
/// ```
#[cfg(unix)]
pub fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

/// A path from its bytes; what is not UTF-8 is replaced.
#[cfg(not(unix))]
pub fn path_of_bytes(bytes: &[u8]) -> PathBuf {
    PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
}

impl Serialize for PathText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Ok(text) = std::str::from_utf8(&self.0) {
            return serializer.serialize_str(text);
        }
        let hexadecimal: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("text", &self.shown())?;
        map.serialize_entry("bytes", &hexadecimal)?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for PathText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PathText, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Form {
            Text(String),
            Bytes { bytes: String },
        }
        match Form::deserialize(deserializer)? {
            Form::Text(text) => Ok(PathText(text.into_bytes())),
            Form::Bytes { bytes } => {
                let digits =
                    |at: usize| bytes.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
                // A number could have a sign, a hexadecimal digit cannot.
                let is_hex = bytes.bytes().all(|byte| byte.is_ascii_hexdigit());
                let read: Option<Vec<u8>> = (0..bytes.len()).step_by(2).map(digits).collect();
                read.filter(|_| is_hex)
                    .map(PathText)
                    .ok_or_else(|| D::Error::custom("the bytes of a path are not hexadecimal digits"))
            }
        }
    }
}

impl schemars::JsonSchema for PathText {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Path".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "anyOf": [
                { "type": "string" },
                {
                    "description": "A name that is not Unicode.",
                    "type": "object",
                    "properties": {
                        "text": { "type": "string" },
                        "bytes": { "description": "Hexadecimal.", "type": "string", "pattern": "^([0-9a-f]{2})*$" },
                    },
                    "required": ["text", "bytes"],
                },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back_whatever_their_bytes() {
        for bytes in [&b"a/walk 1.bvh"[..], b"new\nline", b"\xffodd\x00".split_at(4).0, "ÿ/é".as_bytes()] {
            let path = PathText(bytes.to_vec());
            let text = serde_json::to_string(&path).unwrap();
            assert!(!text.contains('\n'));
            assert_eq!(serde_json::from_str::<PathText>(&text).unwrap(), path, "{text}");
        }
        assert!(serde_json::from_str::<PathText>(r#"{"text":"x","bytes":"f"}"#).is_err());
        assert!(serde_json::from_str::<PathText>(r#"{"text":"x","bytes":"zz"}"#).is_err());
    }
}
