//! The choice of one of several clips in a file.

use std::convert::Infallible;
use std::str::FromStr;

use crate::Finding;
use mocap_model::nearest_name;

/// The name or the number of a clip, counted from 0.
///
/// A text is a name first: a clip called `2` is found before the third one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClipChoice(pub String);

impl FromStr for ClipChoice {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<ClipChoice, Infallible> {
        Ok(ClipChoice(text.to_owned()))
    }
}

/// What can be wrong with the choice of a clip.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say it")]
pub enum ChoiceProblem {
    #[error("the file has no clip '{name}'{}", has(known))]
    NoSuchClip { name: String, known: Vec<String>, near: Option<String> },
    #[error("the file has no clip '{name}': its format holds one clip per file, number 0")]
    OneClip { name: String },
    #[error("the file has {count} clips; this is the first, '{name}'")]
    FirstOfSeveral { name: String, count: usize },
}

fn has(known: &[String]) -> String {
    const MOST: usize = 12;
    let names: Vec<String> = known.iter().take(MOST).map(|name| format!("'{name}'")).collect();
    let more = if known.len() > MOST { format!(" and {} more", known.len() - MOST) } else { String::new() };
    if known.is_empty() { ": it has none".into() } else { format!("; it has {}{more}", names.join(", ")) }
}

impl crate::Problem for ChoiceProblem {
    fn code(&self) -> &'static str {
        match self {
            ChoiceProblem::NoSuchClip { .. } | ChoiceProblem::OneClip { .. } => "clip::unknown",
            ChoiceProblem::FirstOfSeveral { .. } => "clip::first-of-several",
        }
    }
}

/// The index of the chosen clip (`None` without clips), and a warning where there are several and no choice.
///
/// # Errors
/// [`ChoiceProblem::NoSuchClip`].
pub(crate) fn chosen(
    names: &[String],
    choice: Option<&ClipChoice>,
) -> Result<(Option<usize>, Option<Finding>), Finding> {
    let Some(ClipChoice(text)) = choice else {
        let several = (names.len() > 1).then(|| {
            Finding::new(ChoiceProblem::FirstOfSeveral { name: names[0].clone(), count: names.len() })
        });
        return Ok(((!names.is_empty()).then_some(0), several));
    };
    let named = names.iter().position(|name| name == text);
    let numbered = || text.parse().ok().filter(|index| *index < names.len());
    match named.or_else(numbered) {
        Some(index) => Ok((Some(index), None)),
        None => {
            let near = nearest_name(text, names.iter().map(String::as_str)).map(str::to_owned);
            Err(Finding::new(ChoiceProblem::NoSuchClip { name: text.clone(), known: names.to_vec(), near }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_before_numbers() {
        let names = ["walk", "2", "run"].map(str::to_owned);
        let index = |text: &str| chosen(&names, Some(&ClipChoice(text.into()))).ok().and_then(|(at, _)| at);
        assert_eq!([index("walk"), index("0"), index("2"), index("3")], [Some(0), Some(0), Some(1), None]);
        let (first, warning) = chosen(&names, None).unwrap();
        assert_eq!((first, warning.map(|warning| warning.code())), (Some(0), Some("clip::first-of-several")));
        assert_eq!(chosen(&names[..1], None), Ok((Some(0), None)));
        assert_eq!(chosen(&[], None), Ok((None, None)));
        let error = chosen(&names, Some(&ClipChoice("wlak".into()))).unwrap_err();
        assert_eq!(error.to_string(), "the file has no clip 'wlak'; it has 'walk', '2', 'run'");
    }
}
