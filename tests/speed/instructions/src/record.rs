//! The record of counts: the compiler on the first line, then a line per case.

use std::collections::BTreeMap;
use std::fmt::Write;

/// How far a count may rise above its record \[%\].
const TOLERANCE: u64 = 3;

/// Counts by case.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Record {
    pub(crate) compiler: String,
    pub(crate) counts: BTreeMap<String, u64>,
}

/// A table of what changed, and whether it may stay.
pub(crate) struct Comparison {
    pub(crate) table: String,
    pub(crate) holds: bool,
}

impl Record {
    pub(crate) fn parse(text: &str) -> Record {
        let mut lines = text.lines();
        let compiler = lines.next().unwrap_or_default().to_owned();
        let count = |line: &str| {
            let (name, count) = line.rsplit_once(' ')?;
            Some((name.trim_end().to_owned(), count.parse().ok()?))
        };
        Record { compiler, counts: lines.filter_map(count).collect() }
    }

    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{}\n", self.compiler);
        for (name, count) in &self.counts {
            writeln!(text, "{name:24} {count}").unwrap();
        }
        text
    }

    /// Whether a case that is recorded takes no more than it may.
    pub(crate) fn allows(&self, name: &str, count: u64) -> bool {
        self.counts.get(name).is_some_and(|then| 100 * count <= (100 + TOLERANCE) * then)
    }

    /// This record against what was counted now.
    pub(crate) fn compare(&self, now: &Record) -> Comparison {
        let mut table = format!("{:24} {:>14} {:>14} {:>8}\n", "case", "record", "now", "change");
        let mut holds = true;
        for (name, count) in &now.counts {
            let Some(then) = self.counts.get(name) else {
                writeln!(table, "{name:24} {:>14} {count:>14} {:>8}  not recorded", "", "").unwrap();
                holds = false;
                continue;
            };
            let word = match self.allows(name, *count) {
                false => "  slower",
                true if 100 * count < (100 - TOLERANCE) * then => "  faster: record it",
                true => "",
            };
            holds &= self.allows(name, *count);
            let change = 100.0 * (*count as f64 / *then as f64 - 1.0);
            writeln!(table, "{name:24} {then:>14} {count:>14} {change:>+7.1}%{word}").unwrap();
        }
        for (name, then) in self.counts.iter().filter(|(name, _)| !now.counts.contains_key(*name)) {
            writeln!(table, "{name:24} {then:>14} {:>14} {:>8}  gone: record without it", "", "").unwrap();
            holds = false;
        }
        Comparison { table, holds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(counts: &[(&str, u64)]) -> Record {
        let counts = counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
        Record { compiler: "rustc 1.2.3, some-target".into(), counts }
    }

    #[test]
    fn a_record_is_read_as_it_is_written() {
        let record = record(&[("parse bvh", 12), ("a name that is longer than the column", 5)]);
        assert_eq!(Record::parse(&record.to_text()), record);
    }

    #[test]
    fn three_in_a_hundred_may_be_more() {
        let then = record(&[("parse bvh", 1000)]);
        assert!(then.compare(&record(&[("parse bvh", 1030)])).holds);
        assert!(!then.compare(&record(&[("parse bvh", 1031)])).holds);
        let faster = then.compare(&record(&[("parse bvh", 900)]));
        assert!(faster.holds && faster.table.contains("-10.0%  faster"), "{}", faster.table);
    }

    #[test]
    fn cases_that_come_or_go_are_recorded() {
        let then = record(&[("parse bvh", 1000)]);
        assert!(!then.compare(&record(&[("parse bvh", 1000), ("encode", 1)])).holds);
        assert!(!then.compare(&record(&[])).holds);
    }
}
