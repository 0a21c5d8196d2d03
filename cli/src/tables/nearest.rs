//! What was probably meant.

/// The known word that is most like another, where one is like it at all.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |text: &str| text.to_ascii_lowercase().replace('_', "-");
    let word = plain(word);
    // One slip, two letters swapped among them, is a small part of a long word and a large one of a short word.
    let likeness = |other: &&str| {
        let other = plain(other);
        let slip = strsim::osa_distance(&word, &other) <= 1 && word.len() > 2;
        strsim::jaro_winkler(&word, &other) + if slip { 1.0 } else { 0.0 }
    };
    let best = known.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)))?;
    (likeness(&best) > 0.75).then_some(best)
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
        assert_eq!(nearest("fsp", &known), Some("fps"));
        assert_eq!(nearest("colour", &known), None);
        assert_eq!(nearest("x", &[]), None);
    }
}
