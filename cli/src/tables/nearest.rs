//! What was probably meant.

/// The known word that is most like another, where one is like it at all.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |text: &str| text.to_ascii_lowercase().replace('_', "-");
    let word = plain(word);
    let likeness =
        |other: &&str| (strsim::jaro_winkler(&word, &plain(other)), strsim::levenshtein(&word, other));
    let best = known.iter().copied().max_by(|a, b| {
        let ((a, far_a), (b, far_b)) = (likeness(a), likeness(b));
        a.total_cmp(&b).then(far_b.cmp(&far_a))
    })?;
    (likeness(&best).0 > 0.75).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_what_was_meant() {
        let known = ["drop-first-frame", "trim", "fps", "scale", "unit", "up"];
        assert_eq!(nearest("drop_first_frame", &known), Some("drop-first-frame"));
        assert_eq!(nearest("tirm", &known), Some("trim"));
        assert_eq!(nearest("FPS", &known), Some("fps"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest("x", &[]), None);
    }
}
