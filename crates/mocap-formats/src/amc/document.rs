//! What an AMC file says.

use crate::Place;
use crate::asf::AngleUnit;

/// An Acclaim motion file. Its values are in the file's units, in the file's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Keywords and comments, line by line.
    pub header: Vec<String>,
    /// The bones in the order in which they first appear.
    pub bones: Vec<Bone>,
    /// The number of each frame as the file has it.
    pub frame_numbers: Vec<i64>,
    /// `frames × width`, frame by frame: within a frame the values of each bone in the order of `bones`.
    pub values: Vec<f64>,
    /// Lines that do not have as many values as `bones` says, by frame, then by bone.
    pub irregular: Vec<Irregular>,
    /// Values that are not finite numbers.
    pub(crate) not_finite: NotFinite,
}

/// A bone of a motion file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// As the file spells it.
    pub name: String,
    /// How many values it has in the first frame; 0 where that lacks it.
    pub width: usize,
    /// Whether the first frame lacks it: then all of its lines are in [`Document::irregular`].
    pub late: bool,
    /// Where the file names it first.
    pub place: Option<Place>,
}

/// A line of a bone that is missing, or has another number of values than the bone's line in the first frame.
///
/// [`Document::values`] has its values too, cut or filled up with zeros.
#[derive(Clone, Debug, PartialEq)]
pub struct Irregular {
    /// The frame, 0-based.
    pub frame: usize,
    /// The place in [`Document::bones`].
    pub bone: usize,
    /// All of its values; `None` where the line is missing.
    pub values: Option<Vec<f64>>,
}

/// Values that are not finite numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NotFinite {
    /// The first such value of each frame, up to the number of errors that are listed.
    pub(crate) first: Vec<FirstNotFinite>,
    /// Number of frames with such values.
    pub(crate) frames: usize,
    /// Number of such values.
    pub(crate) count: usize,
}

/// The first value of a frame that is not a finite number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FirstNotFinite {
    pub(crate) frame: usize,
    pub(crate) bone: usize,
    /// Which value of its line.
    pub(crate) value: usize,
    pub(crate) found: String,
    pub(crate) place: Place,
    /// How many there are in the frame.
    pub(crate) count: usize,
}

impl Document {
    /// The number of values in a frame.
    pub fn width(&self) -> usize {
        self.bones.iter().map(|bone| bone.width).sum()
    }

    /// The unit of angles; `None` where the file leaves it to its skeleton.
    pub fn angle(&self) -> Option<AngleUnit> {
        if self.keyword("DEGREES").is_some() {
            return Some(AngleUnit::Degrees);
        }
        self.keyword("RADIANS").map(|_| AngleUnit::Radians)
    }

    /// The frames per second that the file states.
    pub fn samples_per_second(&self) -> Option<f64> {
        let rate: f64 = self.keyword("SAMPLES-PER-SECOND")?.parse().ok()?;
        (rate.is_finite() && rate > 0.0).then_some(rate)
    }

    /// The text after `:keyword`; the keyword is compared without case.
    pub fn keyword(&self, keyword: &str) -> Option<&str> {
        self.header.iter().find_map(|line| {
            let line = line.strip_prefix(':')?;
            let end = line.find(|c: char| c.is_whitespace()).unwrap_or(line.len());
            line[..end].eq_ignore_ascii_case(keyword).then(|| line[end..].trim())
        })
    }
}
