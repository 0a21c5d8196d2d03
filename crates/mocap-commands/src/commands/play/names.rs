//! Names in a graph file, and values that may be given by a name.

use std::ops::RangeInclusive;

use mocap_edit::Amount;
use mocap_toml::{Entry, Table, Text, TomlError, TomlProblem, find};

/// Code of errors in a graph file.
pub(super) const GRAPH: TomlProblem = TomlProblem::Other("play::graph");

/// The names that nodes can use, by index.
pub(super) struct Names<'a> {
    pub(super) text: &'a Text,
    pub(super) params: Vec<String>,
    pub(super) clips: Vec<String>,
    /// Names of nodes. Every clip is a node too; the clips come first.
    pub(super) nodes: Vec<String>,
    /// By node, whether its motion can end.
    pub(super) ends: Vec<bool>,
}

impl Names<'_> {
    pub(super) fn required<'t>(
        &self,
        of: &Entry,
        table: &'t Table,
        key: &str,
    ) -> Result<&'t Entry, TomlError> {
        let missing = || self.text.error(GRAPH, of.cell.span.clone(), format!("'{}' has no {key}", of.key));
        find(table, key).ok_or_else(missing)
    }

    /// A value that is parsed from text.
    pub(super) fn parsed<T: std::str::FromStr<Err = String>>(&self, entry: &Entry) -> Result<T, TomlError> {
        let text = entry.text(self.text)?;
        text.parse().map_err(|why: String| self.text.error(TomlProblem::Value, entry.cell.span.clone(), why))
    }

    /// A number, or the name of a parameter.
    pub(super) fn amount(&self, entry: &Entry) -> Result<Amount, TomlError> {
        match &entry.cell.value {
            mocap_toml::Value::Text(_) => self.param(entry).map(Amount::Param),
            _ => entry.number(self.text).map(Amount::Fixed),
        }
    }

    /// Like [`Names::amount`]; a number must be in a range.
    pub(super) fn amount_in(
        &self,
        entry: &Entry,
        range: Option<RangeInclusive<f64>>,
    ) -> Result<Amount, TomlError> {
        let amount = self.amount(entry)?;
        match (amount, range) {
            (Amount::Fixed(value), Some(range)) if !range.contains(&value) => {
                let (key, least) = (&entry.key, range.start());
                let wanted = match range.end().is_finite() {
                    true => format!("from {least} to {}", range.end()),
                    false => format!("at least {least}"),
                };
                let message = format!("'{key}' is {value}, but must be {wanted}");
                Err(self.text.error(TomlProblem::Value, entry.cell.span.clone(), message))
            }
            _ => Ok(amount),
        }
    }

    /// One of several keywords; the first if the key is missing.
    pub(super) fn one_of<T: Copy>(
        &self,
        table: &Table,
        key: &str,
        words: &[(&str, T)],
    ) -> Result<T, TomlError> {
        let Some(entry) = find(table, key) else { return Ok(words[0].1) };
        let all: Vec<String> = words.iter().map(|(word, _)| (*word).to_owned()).collect();
        Ok(words[self.named(entry, entry.text(self.text)?, &all, key)?].1)
    }

    pub(super) fn param(&self, entry: &Entry) -> Result<usize, TomlError> {
        self.named(entry, entry.text(self.text)?, &self.params, "parameter")
    }

    pub(super) fn node(&self, entry: &Entry) -> Result<usize, TomlError> {
        self.named(entry, entry.text(self.text)?, &self.nodes, "node")
    }

    pub(super) fn clip(&self, entry: &Entry) -> Result<usize, TomlError> {
        self.named(entry, entry.text(self.text)?, &self.clips, "clip")
    }

    /// The index of a name. The error for an unknown name suggests the nearest one.
    pub(super) fn named(
        &self,
        entry: &Entry,
        name: &str,
        all: &[String],
        what: &str,
    ) -> Result<usize, TomlError> {
        let found = all.iter().position(|other| other == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = all.iter().map(String::as_str).collect();
            let error =
                self.text.error(GRAPH, entry.cell.span.clone(), format!("no {what} is called '{name}'"));
            error.nearest(name, &known, "there are")
        })
    }
}
