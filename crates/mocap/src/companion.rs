//! The skeleton file of an AMC file: `NN.asf` for `NN_MM.amc`, `walk.asf` for `walk2.amc`, else the only ASF in
//! its folder.

use std::path::{Path, PathBuf};

use mocap_formats::Finding;

use crate::{Error, Problem};

/// The path of the skeleton beside an AMC file.
///
/// ```
/// let asf = mocap::companion("../../fixtures/clips/alex_walk.amc".as_ref())?;
/// assert_eq!(asf.file_name().unwrap(), "alex.asf");
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// Where the folder cannot be listed, or no ASF in it or several go with the file.
pub fn companion(motion: &Path) -> Result<PathBuf, Error> {
    let missing = |reason: String| Err(Finding::new(Problem::NoSkeleton { reason }).into());
    let folder = motion.parent().unwrap_or(Path::new(""));
    let stem = motion.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let mut skeletons: Vec<PathBuf> = here
        .read_dir()
        .map_err(Error::io("search", here))?
        .filter_map(|entry| entry.ok().map(|entry| folder.join(entry.file_name())))
        .filter(|file| file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("asf")))
        .collect();
    skeletons.sort();
    let named = skeletons.iter().filter_map(|file| {
        let name = file.file_stem()?.to_str()?;
        starts(stem, name).then_some((name.len(), file))
    });
    if let Some((_, file)) = named.max_by_key(|(length, _)| *length) {
        return Ok(file.clone());
    }
    match &skeletons[..] {
        [only] => Ok(only.clone()),
        [] => missing(format!("no ASF file was found beside '{}'", motion.display())),
        many => missing(format!(
            "there are {} ASF files beside '{}', and none matches the start of its name",
            many.len(),
            motion.display()
        )),
    }
}

/// Whether `name` is `stem` or a first part of it, followed by a character of another kind, as in `01_02` or
/// `walk2`.
fn starts(stem: &str, name: &str) -> bool {
    let start = stem.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let kind = |c: char| (c.is_alphabetic(), c.is_numeric());
    let next = stem.get(name.len()..).and_then(|rest| rest.chars().next());
    start && next.zip(name.chars().next_back()).is_none_or(|(next, last)| kind(next) != kind(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[&str], motion: &str) -> Result<String, &'static str> {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let name = |path: PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        companion(&folder.path().join(motion)).map(name).map_err(|error| match error {
            Error::Finding(finding) => finding.code(),
            other => panic!("{other}"),
        })
    }

    #[test]
    fn the_subject_s_skeleton_wins_over_the_only_one() {
        assert_eq!(found(&["01.asf", "02.asf"], "02_11.amc"), Ok("02.asf".into()));
        assert_eq!(found(&["01_02.asf", "01.asf"], "01_02.amc"), Ok("01_02.asf".into()));
        assert_eq!(found(&["walk.asf", "run.asf"], "walk2.amc"), Ok("walk.asf".into()));
        assert_eq!(found(&["1.asf", "3.asf"], "12_01.amc"), Err("amc::no-skeleton"));
        assert_eq!(found(&["Body.ASF"], "walk.amc"), Ok("Body.ASF".into()));
        assert_eq!(found(&["a.asf", "b.asf"], "walk.amc"), Err("amc::no-skeleton"));
        assert_eq!(found(&["walk.bvh"], "walk.amc"), Err("amc::no-skeleton"));
    }
}
