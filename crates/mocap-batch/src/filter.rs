//! Glob patterns that select the inputs of a search.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::BatchError;

/// Include and exclude patterns.
#[derive(Clone, Debug)]
pub struct Filter {
    include: Option<GlobSet>,
    exclude: GlobSet,
}

impl Filter {
    /// Takes files that match one of `include` (all where it is empty) and none of `exclude`. A pattern without `/`
    /// matches the file name, one with `/` the path below the input.
    ///
    /// # Errors
    /// Where a pattern is malformed.
    pub fn new(include: &[String], exclude: &[String]) -> Result<Filter, BatchError> {
        let set = |patterns: &[String]| -> Result<GlobSet, BatchError> {
            let mut set = GlobSetBuilder::new();
            for pattern in patterns {
                // Without a slash the pattern matches the file name in any directory.
                let anywhere = if pattern.contains('/') { pattern.clone() } else { format!("**/{pattern}") };
                set.add(glob(&anywhere)?);
            }
            set.build()
                .map_err(|error| BatchError::Glob { pattern: patterns.join(" "), reason: error.to_string() })
        };
        let include = if include.is_empty() { None } else { Some(set(include)?) };
        Ok(Filter { include, exclude: set(exclude)? })
    }

    /// Whether no include pattern was given.
    pub(crate) fn takes_all(&self) -> bool {
        self.include.is_none()
    }

    /// Whether a file is an input, by its path below the named directory.
    pub fn takes(&self, below: &Path) -> bool {
        self.include.as_ref().is_none_or(|set| set.is_match(below)) && !self.exclude.is_match(below)
    }
}

/// A glob in which `*` does not match `/`.
pub(crate) fn glob(pattern: &str) -> Result<globset::Glob, BatchError> {
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map_err(|error| BatchError::Glob { pattern: pattern.to_owned(), reason: error.kind().to_string() })
}
