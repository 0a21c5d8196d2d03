//! `path#clip`: one clip of a file of several.

use std::borrow::Cow;
use std::path::Path;

use mocap_formats::ClipChoice;

/// Splits `file#clip` if there is such a file and no file of the whole name.
pub(crate) fn split_clip(path: &Path) -> (Cow<'_, Path>, Option<ClipChoice>) {
    let whole = (Cow::Borrowed(path), None);
    let Some(text) = path.to_str().filter(|_| path.symlink_metadata().is_err()) else { return whole };
    let mut signs = text.rmatch_indices('#').map(|(at, _)| at);
    let split = signs.find(|at| Path::new(&text[..*at]).is_file());
    split.map_or(whole, |at| {
        (Cow::Borrowed(Path::new(&text[..at])), Some(ClipChoice(text[at + 1..].to_owned())))
    })
}
