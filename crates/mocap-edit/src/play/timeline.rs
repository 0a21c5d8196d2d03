//! A timeline: values of parameters and events over time.

use std::str::FromStr;

use crate::EditError;

/// Rows of a timeline, by time. Between two rows that give a parameter a value it changes linearly;
/// after the last such row it keeps its value.
///
/// ```
/// let timeline: mocap_edit::Timeline = "time,speed,event\n0,0,\n2,1.5,\n4,,kick\n".parse()?;
/// assert_eq!(timeline.params(), ["speed"]);
/// assert_eq!(timeline.value(0, 1.0), Some(0.75));
/// assert_eq!(timeline.duration(), 4.0);
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Timeline {
    params: Vec<String>,
    /// By parameter: times \[s\] and values.
    values: Vec<Vec<(f64, f64)>>,
    events: Vec<(f64, String)>,
    duration: f64,
}

impl Timeline {
    /// The names of its parameters.
    pub fn params(&self) -> Vec<&str> {
        self.params.iter().map(String::as_str).collect()
    }

    /// The time of its last row \[s\].
    pub fn duration(&self) -> f64 {
        self.duration
    }

    /// The value of a parameter at a time \[s\]; `None` before the first row that gives it one.
    ///
    /// # Panics
    /// If the parameter does not exist.
    pub fn value(&self, param: usize, time: f64) -> Option<f64> {
        let keys = &self.values[param];
        let next = keys.partition_point(|(at, _)| *at <= time);
        let (t0, v0) = *keys.get(next.checked_sub(1)?)?;
        Some(match keys.get(next) {
            Some((t1, v1)) => v0 + (v1 - v0) * (time - t0) / (t1 - t0),
            None => v0,
        })
    }

    /// The events from one time to another, the second excluded \[s\].
    pub(super) fn events(&self, from: f64, to: f64) -> Vec<String> {
        let inside = |(at, _): &&(f64, String)| *at >= from - 1e-9 && *at < to - 1e-9;
        self.events.iter().filter(inside).map(|(_, name)| name.clone()).collect()
    }

    /// The names of all its events.
    pub fn event_names(&self) -> Vec<&str> {
        self.events.iter().map(|(_, name)| name.as_str()).collect()
    }
}

impl Timeline {
    /// Adds a row: values of parameters, and perhaps an event.
    ///
    /// ```
    /// let mut timeline = mocap_edit::Timeline::default();
    /// timeline.add_row(0.0, &[("speed", 1.0)], None)?;
    /// timeline.add_row(4.0, &[], Some("kick"))?;
    /// assert_eq!(timeline.duration(), 4.0);
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// Where the time is before that of the last row, or a number is not finite.
    pub fn add_row(&mut self, time: f64, values: &[(&str, f64)], event: Option<&str>) -> Result<(), String> {
        self.advance(time)?;
        for (name, value) in values {
            if !value.is_finite() {
                return Err(format!("'{name}' is {value}, but must be finite"));
            }
            let param = self.params.iter().position(|param| param == name).unwrap_or_else(|| {
                self.params.push((*name).to_owned());
                self.values.push(Vec::new());
                self.params.len() - 1
            });
            self.values[param].push((time, *value));
        }
        self.events.extend(event.map(|event| (time, event.to_owned())));
        Ok(())
    }

    fn advance(&mut self, time: f64) -> Result<(), String> {
        if !(time.is_finite() && time >= self.duration) {
            return Err(format!("the time {time} s follows {} s", self.duration));
        }
        self.duration = time;
        Ok(())
    }
}

impl FromStr for Timeline {
    type Err = EditError;

    /// Reads a CSV: a first line with `time`, names of parameters and perhaps `event`, then rows whose times do not
    /// decrease. An empty field changes nothing; the text of a line from `#` on is left out.
    fn from_str(text: &str) -> Result<Timeline, EditError> {
        let wrong = |line: usize, reason: String| EditError::Table { what: "timeline", line, reason };
        let mut lines = text
            .lines()
            .enumerate()
            .map(|(i, line)| (i + 1, line.split('#').next().unwrap_or_default().trim()))
            .filter(|(_, line)| !line.is_empty());
        let (line, header) = lines.next().ok_or_else(|| wrong(1, "it is empty".into()))?;
        let columns: Vec<&str> = header.split(',').map(str::trim).collect();
        if columns[0] != "time" {
            return Err(wrong(line, format!("the first column is '{}', not time", columns[0])));
        }
        let mut timeline = Timeline::default();
        for name in columns.iter().skip(1).filter(|name| **name != "event") {
            if name.is_empty() || timeline.params.iter().any(|other| other == name) {
                return Err(wrong(
                    line,
                    format!("the column '{name}' has no name, or the name of another column"),
                ));
            }
            timeline.params.push((*name).to_owned());
        }
        timeline.values = vec![Vec::new(); timeline.params.len()];
        for (line, row) in lines {
            timeline.add(&columns, row).map_err(|reason| wrong(line, reason))?;
        }
        Ok(timeline)
    }
}

impl Timeline {
    fn add(&mut self, columns: &[&str], row: &str) -> Result<(), String> {
        let fields: Vec<&str> = row.split(',').map(str::trim).collect();
        if fields.len() > columns.len() {
            return Err(format!("it has {} fields, and the first line has {}", fields.len(), columns.len()));
        }
        let number = |text: &str| {
            let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
            value.ok_or_else(|| format!("'{text}' is not a number"))
        };
        let time = number(fields[0])?;
        self.advance(time)?;
        let mut param = 0;
        for (column, field) in columns.iter().zip(&fields).skip(1) {
            if *column == "event" {
                self.events.extend((!field.is_empty()).then(|| (time, (*field).to_owned())));
                continue;
            }
            if !field.is_empty() {
                self.values[param].push((time, number(field)?));
            }
            param += 1;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_hold_and_go_linearly() {
        let timeline: Timeline =
            "# a take\ntime, speed, event, turn\n0, 1,,\n2,,kick,5\n4,3\n".parse().unwrap();
        assert_eq!((timeline.value(0, 2.0), timeline.value(0, 9.0)), (Some(2.0), Some(3.0)));
        assert_eq!((timeline.value(1, 1.0), timeline.value(1, 3.0)), (None, Some(5.0)));
        assert_eq!(timeline.events(1.9, 2.1), ["kick"]);
        assert!(timeline.events(2.1, 9.0).is_empty());
    }

    #[test]
    fn mistakes_have_a_line() {
        for (text, line) in [
            ("", 1),
            ("speed\n", 1),
            ("time,a,a\n", 1),
            ("time,a\n1,x\n", 2),
            ("time\n1\n0\n", 3),
            ("time\n1,2\n", 2),
        ] {
            match text.parse::<Timeline>() {
                Err(EditError::Table { line: found, .. }) => assert_eq!(found, line, "{text:?}"),
                other => panic!("{text:?}: {other:?}"),
            }
        }
    }
}
