//! Names that a glob probably meant: those that contain something similar to its letters.
//!
//! `mocap_model::nearest_name` compares whole names and does not suit globs: `Fnger*` would be far from
//! `CC_Base_L_Finger01`. Here, letters before and after the similar part cost nothing.

/// The names most similar to a text or glob, the most similar first: at most `count`, without those that have
/// little in common with it. Case and the special characters of globs are ignored.
pub(crate) fn near_names<'a>(
    wanted: &str,
    names: impl Iterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let wanted: Vec<char> = letters(wanted);
    let mut found: Vec<(usize, &str)> = names.map(|name| (distance(&wanted, &letters(name)), name)).collect();
    found.retain(|(distance, _)| *distance * 3 <= wanted.len());
    found.sort_by_key(|(distance, _)| *distance);
    found.into_iter().take(count).map(|(_, name)| name).collect()
}

fn letters(text: &str) -> Vec<char> {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The least number of letters to change, insert or delete so that `wanted` is a part of `name`.
///
/// Based on: P. H. Sellers, "The theory and computation of evolutionary distances: pattern recognition", 1980.
fn distance(wanted: &[char], name: &[char]) -> usize {
    let mut row: Vec<usize> = vec![0; name.len() + 1];
    for (i, letter) in wanted.iter().enumerate() {
        let mut before = row[0];
        row[0] = i + 1;
        for (j, other) in name.iter().enumerate() {
            let change = before + usize::from(letter != other);
            before = row[j + 1];
            row[j + 1] = change.min(before + 1).min(row[j] + 1);
        }
    }
    row.into_iter().min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_are_found_in_longer_ones() {
        let names = ["Hips", "CC_Base_L_Finger01", "CC_Base_R_Finger01", "CC_Base_L_Foot"];
        let near = |wanted| near_names(wanted, names.into_iter(), 2);
        assert_eq!(near("Fnger*"), ["CC_Base_L_Finger01", "CC_Base_R_Finger01"]);
        assert_eq!(near("hip"), ["Hips"]);
        assert!(near("Tail*").is_empty(), "{:?}", near("Tail*"));
    }
}
