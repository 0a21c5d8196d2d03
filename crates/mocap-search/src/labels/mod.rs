//! Labels by geometric rules: actions in a motion with their time ranges and the measured numbers.
//!
//! Each rule is a geometric relation of the body over time, as in: M. Müller, T. Röder, M. Clausen, "Efficient
//! Content-Based Retrieval of Motion Capture Data", 2005. Lengths are in leg lengths, so rules hold for bodies of any
//! size.

mod actions;
mod expression;
mod gait;
mod measures;
mod posture;
mod query;
mod runs;

pub use expression::LabelExpression;
pub use query::LabelQuery;

use crate::SearchError;
use measures::Measures;
use mocap_model::{Clip, Side};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;
use std::str::FromStr;

macro_rules! labels {
    ($($label:ident $name:literal $rule:literal,)*) => {
        /// An action or posture of a body.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs, reason = "the rule says what each is")]
        pub enum Label { $(#[doc = $rule] $label),* }

        impl Label {
            /// All labels.
            pub const ALL: &'static [Label] = &[$(Label::$label),*];

            /// The name, such as `turn-left`.
            pub const fn name(self) -> &'static str {
                match self { $(Label::$label => $name),* }
            }

            /// The rule in one sentence.
            pub const fn rule(self) -> &'static str {
                match self { $(Label::$label => $rule),* }
            }
        }
    };
}

labels! {
    Idle "idle" "The body stands, travels less than 0.15 leg lengths per second and hardly moves, for at least 0.5 s.",
    Walk "walk" "The hips travel at 0.3 leg lengths per second or more, and it is not a run.",
    Run "run" "The hips travel, faster than a walk, with both feet off the floor between steps, or with over 2.35 steps per second.",
    TurnLeft "turn-left" "The body turns to its left by at least 45° in one go.",
    TurnRight "turn-right" "The body turns to its right by at least 45° in one go.",
    Jump "jump" "Both feet are off the floor for at least 0.25 s, and the body does not run.",
    Crouch "crouch" "The hips are lower than three quarters of standing, over the feet, with the trunk upright.",
    Sit "sit" "The hips are low and behind the feet, with the thighs raised and the trunk upright.",
    Kneel "kneel" "A knee is on the floor, with the trunk upright.",
    Crawl "crawl" "Hands and knees are near the floor, the trunk is level, and the body travels.",
    Kick "kick" "A foot is raised and moves fast away from the body, while the other stands.",
    Punch "punch" "A hand moves fast away from its shoulder until the arm is straight, at the height of the trunk.",
    Wave "wave" "A raised hand moves to and fro at least three times.",
    Clap "clap" "The hands come together and part again, each within 0.3 s.",
    Throw "throw" "A hand comes from above or behind the shoulder and moves fast to the front.",
    Fall "fall" "The hips drop from standing to near the floor within 1.5 s.",
    GetUp "get-up" "The hips rise from near the floor to standing within 4 s.",
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Label {
    type Err = SearchError;

    fn from_str(text: &str) -> Result<Label, SearchError> {
        let text = text.trim();
        Label::ALL.iter().find(|label| label.name() == text).copied().ok_or_else(|| {
            let names = Label::ALL.iter().map(|label| label.name());
            let nearest =
                names.max_by(|a, b| strsim::jaro_winkler(a, text).total_cmp(&strsim::jaro_winkler(b, text)));
            SearchError::UnknownLabel {
                label: text.to_owned(),
                nearest: nearest.unwrap_or("walk").to_owned(),
            }
        })
    }
}

/// A range of a motion with a label, and the numbers behind it.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Segment {
    /// The name of the label.
    #[serde(serialize_with = "name_of")]
    #[schemars(with = "String")]
    pub label: Label,
    /// From the start of the clip \[s\].
    pub start: f64,
    /// End of the range \[s\].
    pub end: f64,
    /// The side of the limb that acts: left or right; `null` for both and for the whole body.
    #[serde(serialize_with = "side_of")]
    #[schemars(with = "Option<String>")]
    pub side: Option<Side>,
    /// The mean speed of the hips over the floor [m/s]; `null` where the unit of the clip is unknown.
    pub speed: Option<f64>,
    /// The direction of travel, from the front of the body to its left \[rad\]; `null` where it stays in place.
    pub direction: Option<f64>,
    /// How far the body turns to its left \[rad\].
    pub turn: f64,
    /// The share of the time in which the left foot is on the floor, from 0 to 1.
    pub left_contact: f64,
    /// The same of the right foot.
    pub right_contact: f64,
    /// The numbers that the rule measured.
    pub measured: Vec<Measured>,
}

/// A number of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Measured {
    /// Its name, with its unit.
    pub name: &'static str,
    /// The number.
    pub value: f64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn name_of<S: serde::Serializer>(label: &Label, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(label.name())
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over references")]
fn side_of<S: serde::Serializer>(side: &Option<Side>, serializer: S) -> Result<S::Ok, S::Error> {
    match side_name(*side) {
        Some(name) => serializer.serialize_str(name),
        None => serializer.serialize_none(),
    }
}

/// `left` or `right`.
pub fn side_name(side: Option<Side>) -> Option<&'static str> {
    side.map(|side| match side {
        Side::Left => "left",
        Side::Right => "right",
    })
}

/// The labelled ranges of a motion, by start, then by label. Ranges may overlap: a body can walk and wave.
///
/// # Errors
/// Where the clip is not a moving human body: see [`SearchError`].
pub fn label(clip: &Clip) -> Result<Vec<Segment>, SearchError> {
    Ok(segments(&Measures::of(clip)?))
}

fn segments(measures: &Measures) -> Vec<Segment> {
    let mut segments = Vec::new();
    gait::find(measures, &mut segments);
    posture::find(measures, &mut segments);
    actions::find(measures, &mut segments);
    segments.sort_by(|a, b| {
        a.start
            .total_cmp(&b.start)
            .then(a.label.cmp(&b.label))
            .then(side_name(a.side).cmp(&side_name(b.side)))
    });
    segments
}
