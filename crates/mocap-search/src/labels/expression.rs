//! Expressions of labels and measures: `walk & speed>1`, `kick,left | punch`, `!idle`.
//!
//! An expression is true or false at each moment: a label where one of its ranges covers the moment, a comparison by
//! the measured value. A comparison of a value that was not measured, such as the speed in a clip without a unit, is
//! neither true nor false, also under `!`. `&` binds stronger than `|`, `!` stronger than both.

use super::measures::Measures;
use super::runs::runs;
use super::{LabelQuery, Segment};
use crate::SearchError;
use mocap_model::Clip;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// An expression of labels and measures.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelExpression {
    text: String,
    node: Node,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Label(LabelQuery),
    /// Whether the figure is above the limit, else below.
    Compare(Figure, bool, f64),
    All(Vec<Node>),
    Any(Vec<Node>),
    Not(Box<Node>),
}

/// A measured value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    /// The speed of the hips over the floor [m/s].
    Speed,
    /// The turn rate to the left [rad/s].
    Turn,
}

/// Greatest nesting of expressions.
const DEEPEST: usize = 32;
/// Shorter ranges are dropped \[s\].
const SHORTEST: f64 = 0.2;

impl LabelExpression {
    /// The ranges of a motion in which it holds, from its start \[s\]; each lasts 0.2 s at least.
    ///
    /// # Errors
    /// Where the clip is not a moving human body: see [`SearchError`].
    pub fn ranges(&self, clip: &Clip) -> Result<Vec<Range<f64>>, SearchError> {
        let measures = Measures::of(clip)?;
        let segments = super::segments(&measures);
        let holds = self.node.holds(&measures, &segments);
        let holds: Vec<bool> = holds.into_iter().map(|holds| holds == Some(true)).collect();
        let rate = measures.rate;
        let seconds =
            |range: Range<usize>| range.start as f64 / rate..(range.end as f64 / rate).min(measures.duration);
        let found = runs(&holds, 0, 1).into_iter().map(seconds);
        Ok(found.filter(|range| range.end - range.start >= SHORTEST).collect())
    }
}

impl Node {
    /// The value by sample; `None` where it depends on an unmeasured value.
    fn holds(&self, measures: &Measures, segments: &[Segment]) -> Vec<Option<bool>> {
        let count = measures.len();
        match self {
            Node::Label(query) => {
                let mut holds = vec![Some(false); count];
                for segment in segments.iter().filter(|segment| query.matches(segment)) {
                    let place = |time: f64| ((time * measures.rate).round() as usize).min(count);
                    holds[place(segment.start)..place(segment.end)].fill(Some(true));
                }
                holds
            }
            Node::Compare(figure, above, limit) => (0..count)
                .map(|at| {
                    // A value that was not measured satisfies no comparison.
                    let value = figure.at(measures, at)?;
                    Some(if *above { value > *limit } else { value < *limit })
                })
                .collect(),
            Node::All(nodes) | Node::Any(nodes) => {
                let all = matches!(self, Node::All(_));
                let mut holds = vec![Some(all); count];
                for node in nodes {
                    let other = node.holds(measures, segments);
                    let both = |(holds, other): (&mut Option<bool>, _)| *holds = joined(all, *holds, other);
                    holds.iter_mut().zip(other).for_each(both);
                }
                holds
            }
            Node::Not(node) => {
                node.holds(measures, segments).into_iter().map(|holds| Some(!holds?)).collect()
            }
        }
    }
}

/// Three-valued `and` (`all`) or `or`: one known operand may decide the result.
fn joined(all: bool, first: Option<bool>, second: Option<bool>) -> Option<bool> {
    let decides = Some(!all);
    if first == decides || second == decides { decides } else { first.and(second) }
}

impl Figure {
    fn at(self, measures: &Measures, at: usize) -> Option<f64> {
        match self {
            Figure::Speed => Some(measures.speed[at] * measures.metres?),
            Figure::Turn => Some(f64::from(measures.samples[at].turn)),
        }
    }
}

/// Reads an expression from the front of a text.
struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn wrong(&self, reason: &str) -> SearchError {
        SearchError::Expression { text: self.text.to_owned(), place: self.at + 1, reason: reason.to_owned() }
    }

    /// Skips spaces, and consumes a sign if it is next.
    fn takes(&mut self, sign: char) -> bool {
        let rest = self.text[self.at..].trim_start();
        self.at = self.text.len() - rest.len();
        let next = rest.starts_with(sign);
        if next {
            self.at += sign.len_utf8();
        }
        next
    }

    fn word(&mut self, of: impl Fn(char) -> bool) -> &str {
        self.takes(' ');
        let start = self.at;
        let rest = &self.text[start..];
        self.at += rest.find(|c| !of(c)).unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    fn any(&mut self) -> Result<Node, SearchError> {
        let mut nodes = vec![self.all()?];
        while self.takes('|') {
            nodes.push(self.all()?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::Any(nodes) })
    }

    fn all(&mut self) -> Result<Node, SearchError> {
        let mut nodes = vec![self.one()?];
        while self.takes('&') {
            nodes.push(self.one()?);
        }
        Ok(if nodes.len() == 1 { nodes.remove(0) } else { Node::All(nodes) })
    }

    fn one(&mut self) -> Result<Node, SearchError> {
        if self.depth == DEEPEST {
            return Err(self.wrong("it is nested too deep"));
        }
        self.depth += 1;
        let node = match () {
            () if self.takes('!') => Node::Not(Box::new(self.one()?)),
            () if self.takes('(') => {
                let node = self.any()?;
                if !self.takes(')') {
                    return Err(self.wrong("a ')' is missing"));
                }
                node
            }
            () => self.leaf()?,
        };
        self.depth -= 1;
        Ok(node)
    }

    fn leaf(&mut self) -> Result<Node, SearchError> {
        let word = self.word(|c| c.is_ascii_alphanumeric() || c == '-' || c == ',').to_owned();
        let figure = match word.as_str() {
            "" => return Err(self.wrong("a label is missing, such as walk, or a measure: speed, turn")),
            "speed" => Figure::Speed,
            "turn" => Figure::Turn,
            _ => return word.parse().map(Node::Label),
        };
        let above = self.takes('>');
        if !above && !self.takes('<') {
            return Err(self.wrong("'>' or '<' and a number are missing"));
        }
        let number = self.word(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e')).parse::<f64>();
        let number = number.ok().filter(|number| number.is_finite());
        let number = number.ok_or_else(|| self.wrong("a number is missing"))?;
        Ok(Node::Compare(figure, above, number))
    }
}

impl FromStr for LabelExpression {
    type Err = SearchError;

    fn from_str(text: &str) -> Result<LabelExpression, SearchError> {
        let mut parser = Parser { text, at: 0, depth: 0 };
        let node = parser.any()?;
        parser.takes(' ');
        if parser.at < text.len() {
            return Err(parser.wrong("'&' or '|' is missing"));
        }
        Ok(LabelExpression { text: text.to_owned(), node })
    }
}

impl fmt::Display for LabelExpression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Node {
        text.parse::<LabelExpression>().unwrap().node
    }

    #[test]
    fn signs_bind_as_usual() {
        let label = |text: &str| Node::Label(text.parse().unwrap());
        assert_eq!(
            parsed("walk & speed>1 | !kick,left"),
            Node::Any(vec![
                Node::All(vec![label("walk"), Node::Compare(Figure::Speed, true, 1.0)]),
                Node::Not(Box::new(label("kick,left"))),
            ])
        );
        assert_eq!(
            parsed(" (walk|run)&turn < -0.5 "),
            Node::All(vec![
                Node::Any(vec![label("walk"), label("run")]),
                Node::Compare(Figure::Turn, false, -0.5),
            ])
        );
        assert_eq!(parsed("turn-left"), label("turn-left"));
    }

    #[test]
    fn what_is_not_measured_decides_nothing() {
        let (yes, no) = (Some(true), Some(false));
        assert_eq!(
            [joined(true, yes, None), joined(true, None, no), joined(true, yes, yes)],
            [None, no, yes]
        );
        assert_eq!(
            [joined(false, yes, None), joined(false, None, no), joined(false, no, no)],
            [yes, None, no]
        );
    }

    #[test]
    fn mistakes_say_where() {
        let error = |text: &str| text.parse::<LabelExpression>().unwrap_err().to_string();
        assert_eq!(
            error("walk &"),
            "'walk &', character 7: a label is missing, such as walk, or a measure: speed, turn"
        );
        assert_eq!(error("(walk"), "'(walk', character 6: a ')' is missing");
        assert_eq!(error("walk run"), "'walk run', character 6: '&' or '|' is missing");
        assert_eq!(error("speed=1"), "'speed=1', character 6: '>' or '<' and a number are missing");
        assert_eq!(error("speed>fast"), "'speed>fast', character 7: a number is missing");
        assert_eq!(error("wlak"), "'wlak' is not a label; the nearest is 'walk'");
        assert!(error(&"(".repeat(100_000)).ends_with("it is nested too deep"));
        assert!("ü".parse::<LabelExpression>().is_err());
    }
}
