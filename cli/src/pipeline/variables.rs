//! `${name}` in the texts of a pipeline: the value of `--set`, else the default of `[variables]`.

use std::collections::BTreeMap;

use mocap_formats::nearest_name;

use crate::diagnostic::Diagnostic;
use crate::tables::{Cell, Entry, Table, Text, Value};

/// The variables of a pipeline.
#[derive(Debug, Default)]
pub(super) struct Variables {
    values: BTreeMap<String, Variable>,
}

/// A value and what was done with it.
#[derive(Debug)]
struct Variable {
    value: String,
    /// By `--set`, and not as the default of the file.
    set: bool,
    /// Named in the file.
    known: bool,
}

/// Reads `name=value`.
pub(crate) fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("a variable is set as NAME=VALUE".into()),
    }
}

impl Variables {
    /// The defaults of a table, where no assignment says otherwise.
    pub(super) fn new(
        text: &Text,
        defaults: &[Entry],
        assignments: &[(String, String)],
    ) -> Result<Variables, Diagnostic> {
        let mut values = BTreeMap::new();
        for entry in defaults {
            let value = match (&entry.cell.value, entry.cell.value.scalar()) {
                (_, Some(value)) => value.to_owned(),
                (Value::Flag(flag), _) => flag.to_string(),
                _ => return Err(text.mistyped(entry, "text, a number, true or false")),
            };
            values.insert(entry.key.clone(), Variable { value, set: false, known: true });
        }
        for (name, value) in assignments {
            let known = values.contains_key(name);
            values.insert(name.clone(), Variable { value: value.clone(), set: true, known });
        }
        Ok(Variables { values })
    }

    /// The table with values in place of variables.
    pub(super) fn fill(&mut self, text: &Text, table: &mut Table) -> Result<(), Diagnostic> {
        table.iter_mut().try_for_each(|entry| self.fill_cell(text, &mut entry.cell))
    }

    fn fill_cell(&mut self, text: &Text, cell: &mut Cell) -> Result<(), Diagnostic> {
        let span = cell.span.clone();
        match &mut cell.value {
            Value::Text(value) => {
                *value = self
                    .filled(value)
                    .map_err(|(message, help)| text.error("pipeline::variable", span, message).help(help))?;
                Ok(())
            }
            Value::List(cells) => cells.iter_mut().try_for_each(|cell| self.fill_cell(text, cell)),
            Value::Table(table) => self.fill(text, table),
            Value::Number(_) | Value::Flag(_) => Ok(()),
        }
    }

    /// A text with values in place of variables; `$$` is a dollar.
    fn filled(&mut self, text: &str) -> Result<String, (String, String)> {
        let mut done = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            done.push_str(before);
            rest = match after.strip_prefix('{').and_then(|after| after.split_once('}')) {
                Some((name, after)) => {
                    done.push_str(self.value(name)?);
                    after
                }
                None if after.starts_with('$') => {
                    done.push('$');
                    &after[1..]
                }
                None => {
                    let message = format!("'{text}' has a $ that begins no variable");
                    return Err((message, "a variable is ${name}, and $$ is a dollar".into()));
                }
            };
        }
        Ok(done + rest)
    }

    fn value(&mut self, name: &str) -> Result<&str, (String, String)> {
        let known: Vec<String> = self.values.keys().cloned().collect();
        match self.values.get_mut(name) {
            Some(variable) => {
                variable.known = true;
                Ok(&variable.value)
            }
            None => {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let near = nearest_name(name, known.iter().copied())
                    .map_or(String::new(), |near| format!("did you mean '{near}'? "));
                let help = format!("{near}--set {name}=VALUE gives it one, or a default under [variables]");
                Err((format!("the variable '{name}' has no value"), help))
            }
        }
    }

    /// Refuses assignments of variables that the file does not name.
    pub(super) fn check_used(&self, text: &Text) -> Result<(), Diagnostic> {
        let Some((name, _)) = self.values.iter().find(|(_, variable)| !variable.known) else { return Ok(()) };
        let known: Vec<&str> = self
            .values
            .iter()
            .filter(|(_, variable)| variable.known)
            .map(|(name, _)| name.as_str())
            .collect();
        let message = format!("'{}' has no variable '{name}'", text.path.display());
        let error = Diagnostic::new("pipeline::variable", message);
        Err(match (nearest_name(name, known.iter().copied()), &known[..]) {
            (Some(near), _) => error.help(format!("did you mean '{near}'?")),
            (None, []) => error.help("it has none"),
            (None, known) => error.help(format!("it has {}", known.join(", "))),
        })
    }

    /// Names and values, and whether they were set.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        self.values.iter().map(|(name, variable)| (name.as_str(), variable.value.as_str(), variable.set))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(toml: &str, set: &[&str]) -> Result<String, Diagnostic> {
        let text = Text::of(toml);
        let mut table = text.parse()?;
        let Value::Table(defaults) = table.remove(0).cell.value else { panic!("{toml}") };
        let set: Vec<_> = set.iter().map(|set| assignment(set).unwrap()).collect();
        let mut variables = Variables::new(&text, &defaults, &set)?;
        let Value::Table(table) = &mut table[0].cell.value else { panic!("{toml}") };
        variables.fill(&text, table)?;
        variables.check_used(&text)?;
        Ok(table[0].cell.value.scalar().unwrap().to_owned())
    }

    #[test]
    fn variables_have_defaults_and_can_be_set() {
        let toml = "[variables]\nrate = 60\n[x]\na = '${rate}/${db}$$'\n";
        assert_eq!(filled(toml, &["db=x=y"]).unwrap(), "60/x=y$");
        assert_eq!(filled(toml, &["db=", "rate=30"]).unwrap(), "30/$");
    }

    #[test]
    fn unknown_and_unset_variables_are_refused() {
        let toml = "[variables]\nrate = 60\n[x]\na = 'fps ${raet}'\n";
        let error = filled(toml, &[]).unwrap_err();
        assert_eq!(error.place, Some((4, 5)));
        assert!(error.help.unwrap().contains("did you mean 'rate'?"));
        let error = filled("[variables]\nrate = 60\n[x]\na = 'x'\n", &["raet=3"]).unwrap_err();
        assert!(error.help.unwrap().contains("'rate'"));
        assert!(filled("[variables]\n[x]\na = '5 $'\n", &[]).is_err());
    }
}
