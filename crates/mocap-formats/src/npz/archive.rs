//! The arrays of an NPZ file, read on demand.

use super::{Problem, npy, zip};
use crate::arrays::Arrays;
use crate::{Finding, LimitExceeded, Limits};

/// An NPZ file held in memory: a zip archive of arrays.
///
/// ```
/// use mocap_formats::arrays::{Array, Arrays};
/// use mocap_formats::{Limits, npz};
///
/// let mut arrays = Arrays::default();
/// arrays.insert("fps", Array::scalar(120.0));
/// let bytes = npz::to_bytes(&arrays);
/// let archive = npz::Archive::open(&bytes, &Limits::default())?;
/// assert!(archive.has("fps"));
/// assert_eq!(archive.read(|name| name == "fps")?, arrays);
/// # Ok::<(), mocap_formats::Finding>(())
/// ```
#[derive(Debug)]
pub struct Archive<'b> {
    bytes: &'b [u8],
    members: Vec<zip::Member>,
    limit: usize,
}

impl<'b> Archive<'b> {
    /// Reads the directory of a file.
    ///
    /// # Errors
    /// Where the file is too large, or its directory cannot be read.
    pub fn open(bytes: &'b [u8], limits: &Limits) -> Result<Archive<'b>, Finding> {
        let limit = limits.bytes;
        if bytes.len() > limit {
            return Err(Finding::new(LimitExceeded { what: "bytes", found: bytes.len(), limit }));
        }
        Ok(Archive { bytes, members: zip::members(bytes)?, limit })
    }

    /// Whether there is an array of the name.
    pub fn has(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// The names of all arrays, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.members.iter().filter_map(|member| member.name.strip_suffix(".npy"))
    }

    /// Reads the arrays of some names.
    ///
    /// # Errors
    /// Where one is damaged, exceeds the limits, or holds neither numbers nor text.
    pub fn read(&self, which: impl Fn(&str) -> bool) -> Result<Arrays, Finding> {
        self.read_but(which, |_, _| false)
    }

    /// As [`Archive::read`], without arrays of Python's objects: they are pickles, which are never read. A warning for each.
    ///
    /// # Errors
    /// As [`Archive::read`].
    pub fn read_numbers(
        &self,
        which: impl Fn(&str) -> bool,
        warnings: &mut Vec<Finding>,
    ) -> Result<Arrays, Finding> {
        self.read_but(which, |path, content| {
            let is_object = npy::is_object(content);
            if is_object {
                warnings.push(Finding::new(Problem::Object { path: path.to_owned() }));
            }
            is_object
        })
    }

    fn read_but(
        &self,
        which: impl Fn(&str) -> bool,
        mut is_skipped: impl FnMut(&str, &[u8]) -> bool,
    ) -> Result<Arrays, Finding> {
        let mut arrays = Arrays::default();
        let mut left = self.limit;
        for member in &self.members {
            let Some(name) = member.name.strip_suffix(".npy").filter(|name| which(name)) else { continue };
            let content = zip::content(self.bytes, member, left)?;
            left -= content.len();
            if is_skipped(&member.name, &content) {
                continue;
            }
            arrays.insert(name, npy::read(&member.name, &content)?);
        }
        Ok(arrays)
    }
}
