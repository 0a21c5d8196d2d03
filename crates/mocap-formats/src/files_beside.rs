//! Files that a file refers to: the format lists them, the caller reads them.
//!
//! The crate opens no file. [`Format::files_beside`](crate::Format::files_beside) lists what a file refers to, and
//! [`ReadOptions::beside`](crate::ReadOptions::beside) takes the contents.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The contents of files beside a file, by the path relative to its folder.
pub type FilesBeside = BTreeMap<String, Arc<[u8]>>;

/// A file that another one refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileBeside {
    /// The path relative to the folder of the file: parts divided by `/`, none of them `..` or
    /// empty, so it does not leave the folder. The path of a robot's mesh may begin with one `..`,
    /// because robot packages keep models and meshes in folders side by side.
    pub path: String,
    /// Whether the file cannot be read without it.
    pub needed: bool,
}

/// The relative path of a URI in a file; `None` where it has a scheme, is absolute, or leaves the folder.
pub(crate) fn relative_path(uri: &str) -> Option<String> {
    let decoded = percent_decoded(uri)?;
    let scheme = decoded.split(['/', '\\']).next().is_some_and(|first| first.contains(':'));
    if scheme || decoded.contains(['\\', '\0']) {
        return None;
    }
    let parts: Vec<&str> = decoded.split('/').filter(|part| *part != ".").collect();
    let inside = parts.iter().all(|part| !part.is_empty() && *part != "..");
    (inside && !parts.is_empty()).then(|| parts.join("/"))
}

fn percent_decoded(uri: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?].map(|digit| (digit as char).to_digit(16));
        bytes.push((digits[0]? * 16 + digits[1]?) as u8);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::relative_path;

    #[test]
    fn only_places_below_the_folder_are_files_beside() {
        assert_eq!(relative_path("a.bin").as_deref(), Some("a.bin"));
        assert_eq!(relative_path("./parts/walk%20one.bin").as_deref(), Some("parts/walk one.bin"));
        let outside = [
            "../a.bin",
            "a/../../b",
            "%2e%2e/a",
            "/etc/passwd",
            "//host/a",
            "file:///etc/passwd",
            "C:\\a",
            "c:a",
            "http://host/a.bin",
            "a\\..\\b",
            "",
            ".",
            "a//b",
            "a%00",
            "a%zz",
            "..%2fa",
        ];
        for uri in outside {
            assert_eq!(relative_path(uri), None, "{uri}");
        }
    }
}
