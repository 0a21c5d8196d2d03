//! When a transition fires: comparisons of parameters, events, time.

use std::fmt;
use std::str::FromStr;

/// The condition of a transition: one or more tests, all of which must hold.
///
/// ```
/// let condition: mocap_edit::Condition = "speed > 0.5 and after 1s".parse()?;
/// assert_eq!(condition.params(), ["speed"]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Condition(Vec<Test>);

#[derive(Clone, Debug, PartialEq)]
enum Test {
    Compare(String, Comparison, f64),
    /// An event of this name happens in this frame.
    Event(String),
    /// The state has been active for at least this time \[s\].
    After(f64),
    /// The motion of the state has ended.
    Finished,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Comparison {
    Above,
    Below,
    AtLeast,
    AtMost,
}

/// The state of playback that conditions test.
pub(super) struct Situation<'a> {
    pub(super) value: &'a dyn Fn(&str) -> f64,
    pub(super) events: &'a [String],
    pub(super) age: f64,
    pub(super) finished: bool,
}

impl Condition {
    /// The names of the parameters in its comparisons.
    pub fn params(&self) -> Vec<&str> {
        let compared = self.0.iter().filter_map(|test| match test {
            Test::Compare(name, ..) => Some(name.as_str()),
            _ => None,
        });
        compared.collect()
    }

    /// Whether it waits for the end of the motion of a state.
    pub fn waits_for_end(&self) -> bool {
        self.0.contains(&Test::Finished)
    }

    /// A parameter with two comparisons that can never both hold.
    ///
    /// ```
    /// let condition: mocap_edit::Condition = "speed > 2 and speed < 1".parse()?;
    /// assert_eq!(condition.contradiction(), Some("speed"));
    /// # Ok::<(), String>(())
    /// ```
    pub fn contradiction(&self) -> Option<&str> {
        let limits = |name: &str, above: bool| {
            let of = self.0.iter().filter_map(move |test| match test {
                Test::Compare(other, comparison, limit) if other == name => match (comparison, above) {
                    (Comparison::Above, true) | (Comparison::Below, false) => Some((*limit, true)),
                    (Comparison::AtLeast, true) | (Comparison::AtMost, false) => Some((*limit, false)),
                    _ => None,
                },
                _ => None,
            });
            of.collect::<Vec<(f64, bool)>>()
        };
        self.params().into_iter().find(|name| {
            let (lows, highs) = (limits(name, true), limits(name, false));
            let mut pairs = lows.iter().flat_map(|low| highs.iter().map(move |high| (low, high)));
            pairs.any(|(low, high)| low.0 > high.0 || low.0 == high.0 && (low.1 || high.1))
        })
    }

    /// Whether it waits for an event.
    pub(super) fn waits_for(&self, event: &str) -> bool {
        self.0.iter().any(|test| matches!(test, Test::Event(name) if name == event))
    }

    pub(super) fn holds(&self, now: &Situation) -> bool {
        self.0.iter().all(|test| match test {
            Test::Compare(name, comparison, limit) => {
                let value = (now.value)(name);
                match comparison {
                    Comparison::Above => value > *limit,
                    Comparison::Below => value < *limit,
                    Comparison::AtLeast => value >= *limit,
                    Comparison::AtMost => value <= *limit,
                }
            }
            Test::Event(name) => now.events.contains(name),
            Test::After(seconds) => now.age >= *seconds - 1e-9,
            Test::Finished => now.finished,
        })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, test) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { " and " })?;
            match test {
                Test::Compare(name, comparison, limit) => {
                    let sign = match comparison {
                        Comparison::Above => ">",
                        Comparison::Below => "<",
                        Comparison::AtLeast => ">=",
                        Comparison::AtMost => "<=",
                    };
                    write!(f, "{name} {sign} {limit}")?;
                }
                Test::Event(name) => write!(f, "event {name}")?,
                Test::After(seconds) => write!(f, "after {seconds}s")?,
                Test::Finished => f.write_str("finished")?,
            }
        }
        Ok(())
    }
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Condition, String> {
        let test = |text: &str| -> Result<Test, String> {
            let wrong =
                || format!("'{text}' is not a condition: speed > 0.5, event kick, after 1.5s or finished");
            let words: Vec<&str> = text.split_whitespace().collect();
            match words.as_slice() {
                ["finished"] => Ok(Test::Finished),
                ["event", name] => Ok(Test::Event((*name).to_owned())),
                ["after", time] => {
                    let seconds = time.strip_suffix('s').unwrap_or(time).parse::<f64>().ok();
                    seconds.filter(|s| s.is_finite() && *s >= 0.0).map(Test::After).ok_or_else(wrong)
                }
                [name, comparison, limit] => {
                    let comparison = match *comparison {
                        ">" => Comparison::Above,
                        "<" => Comparison::Below,
                        ">=" => Comparison::AtLeast,
                        "<=" => Comparison::AtMost,
                        _ => return Err(wrong()),
                    };
                    let limit =
                        limit.parse::<f64>().ok().filter(|limit| limit.is_finite()).ok_or_else(wrong)?;
                    Ok(Test::Compare((*name).to_owned(), comparison, limit))
                }
                _ => Err(wrong()),
            }
        };
        text.split(" and ").map(test).collect::<Result<_, _>>().map(Condition)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_tests_must_hold() {
        let value = |name: &str| if name == "speed" { 1.0 } else { 0.0 };
        let events = ["kick".to_owned()];
        let holds = |text: &str| {
            let now = Situation { value: &value, events: &events, age: 2.0, finished: false };
            text.parse::<Condition>().unwrap().holds(&now)
        };
        assert!(holds("speed > 0.5") && holds("speed <= 1 and event kick and after 2s"));
        assert!(!holds("speed > 1") && !holds("speed >= 1 and finished") && !holds("event jump"));
        let text = "speed > 0.5 and event kick and after 2s and finished";
        assert_eq!(text.parse::<Condition>().unwrap().to_string(), text);
        let contradicts = |text: &str| text.parse::<Condition>().unwrap().contradiction().is_some();
        assert!(contradicts("a > 1 and a <= 1") && contradicts("a > 2 and b < 1 and a < 1"));
        assert!(!contradicts("a >= 1 and a <= 1") && !contradicts("a > 1 and b < 0"));
        for wrong in ["", "speed", "speed ! 3", "after x", "speed > 1 and", "speed > inf"] {
            assert!(wrong.parse::<Condition>().is_err(), "{wrong}");
        }
    }
}
