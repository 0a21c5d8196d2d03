//! Effort: how much work an encoder does to save bytes.

use std::fmt;
use std::str::FromStr;

use crate::Profile;
use crate::encode::changes::{CHANGES, Change};

/// How much work is done for fewer bytes, from 0, the fastest, to 9, the smallest files. The error bound holds at each.
///
/// Files of [`Profile::Archive`] differ at every level; those of [`Profile::Runtime`] and
/// [`Profile::Direct`] are the same from level 3 on, those of [`Profile::Keys`] at all levels.
///
/// ```
/// use mocap_compress::Effort;
///
/// assert_eq!("9".parse(), Ok(Effort::MOST));
/// assert_eq!(Effort::default().level(), 5);
/// assert_eq!(Effort::new(10), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Effort(u8);

impl Effort {
    /// The fastest.
    pub const LEAST: Effort = Effort(0);
    /// The smallest files.
    pub const MOST: Effort = Effort(9);

    /// A level from 0 to 9.
    pub fn new(level: u8) -> Option<Effort> {
        (level <= Effort::MOST.0).then_some(Effort(level))
    }

    /// The level, from 0 to 9.
    pub fn level(self) -> u8 {
        self.0
    }

    /// All levels.
    pub fn all() -> impl Iterator<Item = Effort> {
        (0..=Effort::MOST.0).map(Effort)
    }

    /// The work of an encoder at this level.
    pub(crate) fn work(self, profile: Profile) -> Work {
        let archive = profile == Profile::Archive;
        // Only the models of `archive` give the actual bits of a residual.
        let compared = if archive { 2 } else { 1 };
        let most = Work {
            references: usize::MAX,
            sampled: if archive { 1 } else { 2 },
            flatness: &[0, 1, 2, 3, 4, 5, 6, 7],
            search: Search::Later { compared },
            screen: None,
            changes: if archive { &CHANGES } else { &[] },
        };
        let usual = Work { sampled: if archive { 4 } else { 2 }, ..most };
        let few = Work { search: Search::Own, changes: &[], ..usual };
        let screened = |search, stripes| Some(Screen { search, stripes });
        match self.0 {
            0 => Work { references: 0, flatness: &[1], search: Search::Nearest, ..few },
            1 => Work { references: 1, flatness: &[1, 3], search: Search::Nearest, ..few },
            2 => Work { references: 2, flatness: &[1, 3, 5], ..few },
            3 => Work { search: Search::Later { compared: 1 }, changes: &[], ..usual },
            4 => Work { search: Search::Later { compared }, changes: &[], ..usual },
            5 => Work { screen: screened(Search::Own, 4), ..usual },
            6 => Work { sampled: 2, screen: screened(Search::Own, 1), ..most },
            7 => Work { screen: screened(Search::Own, 1), ..most },
            8 => Work { screen: screened(Search::Later { compared: 1 }, 1), ..most },
            _ => most,
        }
    }
}

impl Default for Effort {
    /// 5.
    fn default() -> Effort {
        Effort(5)
    }
}

impl FromStr for Effort {
    type Err = String;

    fn from_str(text: &str) -> Result<Effort, String> {
        let level = text.parse().ok().and_then(Effort::new);
        level.ok_or_else(|| "an effort is a number from 0 (fastest) to 9 (smallest files)".into())
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// What an encoder does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Work {
    /// Greatest number of tracks to which a track refers.
    pub(crate) references: usize,
    /// References are searched with one of this many residuals.
    pub(crate) sampled: usize,
    /// Indices of the flatness values that are tried for a level.
    pub(crate) flatness: &'static [u8],
    /// How residuals are chosen.
    pub(crate) search: Search,
    /// A cheaper comparison of heads; `None`: by all residuals as they are chosen.
    pub(crate) screen: Option<Screen>,
    /// Changes of heads that are tried.
    pub(crate) changes: &'static [Change],
}

/// How heads are compared before residuals are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Screen {
    /// How residuals are chosen for that.
    pub(crate) search: Search,
    /// Heads are compared with one of this many stripes of frames.
    pub(crate) stripes: u32,
}

impl Screen {
    /// Frames of a stripe: as far as `archive` predicts.
    const STRIPE: u32 = crate::hierarchy::BLOCK_TOP;

    /// Whether this frame is used to compare heads.
    pub(crate) fn sees(self, frame: u32, frames: usize) -> bool {
        let few = frames < (Screen::STRIPE * self.stripes) as usize;
        few || (frame / Screen::STRIPE).is_multiple_of(self.stripes)
    }
}

/// How a residual is chosen among those within the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    /// The nearest to the target.
    Nearest,
    /// By its bits, and its distance from the target.
    Own,
    /// By the bits of later frames as well; the actual bits are compared for this many candidates.
    Later { compared: usize },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_read_as_they_are_shown() {
        for effort in Effort::all() {
            assert_eq!(effort.to_string().parse(), Ok(effort));
        }
        for wrong in ["10", "-1", "", "5.5", "most"] {
            assert!(wrong.parse::<Effort>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn most_is_all_there_is() {
        let work = Effort::MOST.work(Profile::Archive);
        assert_eq!((work.screen, work.changes.len()), (None, CHANGES.len()));
        assert!(Effort::MOST.work(Profile::Runtime).changes.is_empty());
    }

    #[test]
    fn heads_are_compared_by_a_share_of_a_long_clip() {
        let seen = |stripes: u32, frames: u32| {
            let screen = Screen { search: Search::Nearest, stripes };
            (0..frames).filter(|frame| screen.sees(*frame, frames as usize)).count()
        };
        assert_eq!([seen(1, 5000), seen(4, 250)], [5000, 250]);
        assert_eq!(seen(4, 64 * 40), 64 * 10);
    }
}
