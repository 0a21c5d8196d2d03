//! `${name}` in texts: the value of an assignment, else a default. Values may hold other
//! variables.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::{Cell, Entry, Table, Text, TomlError, TomlProblem, Value, did_you_mean};

/// The variables of a file.
#[derive(Debug, Default)]
pub struct Variables {
    values: BTreeMap<String, Variable>,
}

/// A value and its state.
#[derive(Debug)]
struct Variable {
    value: String,
    /// Whether it was set by `--set` instead of the default of the file.
    set: bool,
    /// Whether the file declares it.
    known: bool,
}

/// The longest expanded value [bytes]: a few variables that double each other would fill any memory.
const LONGEST: usize = 1 << 16;

/// What is wrong with a text, and help.
type Wrong = (String, String);

impl Variables {
    /// The defaults of a table, and the assignments of the command line (`--set`), which replace them.
    ///
    /// # Errors
    /// Where a name is assigned twice, or a value is not text, needs itself, or names an unknown variable.
    pub fn new(
        text: &Text,
        defaults: &[Entry],
        assignments: &[(String, String)],
    ) -> Result<Variables, TomlError> {
        let mut values: BTreeMap<String, Variable> = BTreeMap::new();
        let mut spans: BTreeMap<&str, Range<usize>> = BTreeMap::new();
        for entry in defaults {
            let value = match (&entry.cell.value, entry.cell.value.scalar()) {
                (_, Some(value)) => value.to_owned(),
                (Value::Flag(flag), _) => flag.to_string(),
                _ => return Err(text.mistyped(entry, "text, a number, true or false")),
            };
            spans.insert(&entry.key, entry.cell.span.clone());
            values.insert(entry.key.clone(), Variable { value, set: false, known: true });
        }
        for (name, value) in assignments {
            let known = match values.get(name) {
                Some(Variable { set: true, .. }) => {
                    let message = format!("--set sets the variable '{name}' twice");
                    return Err(TomlError::new(TomlProblem::Variable, message));
                }
                earlier => earlier.is_some(),
            };
            spans.remove(name.as_str());
            values.insert(name.clone(), Variable { value: value.clone(), set: true, known });
        }
        let mut variables = Variables { values };
        variables.fill_values().map_err(|(name, (message, help))| match spans.remove(name.as_str()) {
            Some(span) => text.error(TomlProblem::Variable, span, message).help(help),
            None => TomlError::new(TomlProblem::Variable, format!("--set {name}: {message}")).help(help),
        })?;
        Ok(variables)
    }

    /// Expands variables in values, in the order of their dependencies.
    fn fill_values(&mut self) -> Result<(), (String, Wrong)> {
        let mut open: Vec<String> = self.values.keys().cloned().collect();
        while !open.is_empty() {
            let mut left = Vec::new();
            for name in &open {
                let value = self.values[name].value.clone();
                // Unknown names are reported below.
                if references(&value).any(|other| open.iter().any(|name| name == other)) {
                    left.push(name.clone());
                    continue;
                }
                let filled = self.filled(&value).map_err(|wrong| (name.clone(), wrong))?;
                if filled.len() > LONGEST {
                    let wrong = format!("the value of '{name}' is longer than {LONGEST} bytes");
                    return Err((name.clone(), (wrong, "with the variables in it".into())));
                }
                self.values.entry(name.clone()).and_modify(|variable| variable.value = filled);
            }
            if left.len() == open.len() {
                let circle = self.circle(&left);
                let message = format!("the variable '{}' refers to itself", circle[0]);
                return Err((circle[0].clone(), (message, format!("cycle: {}", circle.join(", ")))));
            }
            // Variables that were expanded in this round can be used in the next.
            open = left;
        }
        Ok(())
    }

    /// A cycle of variables, given that each of `open` depends on another of them.
    fn circle(&self, open: &[String]) -> Vec<String> {
        let next = |name: &String| {
            let needed = |other: &&String| references(&self.values[name].value).any(|name| name == *other);
            open.iter().find(needed).expect("each needs another").clone()
        };
        // After as many steps as there are names, the walk is on the cycle.
        let inside = (0..open.len()).fold(open[0].clone(), |name, _| next(&name));
        let mut circle = vec![inside];
        loop {
            let name = next(&circle[circle.len() - 1]);
            if name == circle[0] {
                return circle;
            }
            circle.push(name);
        }
    }

    /// Replaces the variables in all texts of a table by their values.
    ///
    /// # Errors
    /// Where a text names an unknown variable, or has a `$` that begins none.
    pub fn fill(&mut self, text: &Text, table: &mut Table) -> Result<(), TomlError> {
        table.iter_mut().try_for_each(|entry| self.fill_cell(text, &mut entry.cell))
    }

    fn fill_cell(&mut self, text: &Text, cell: &mut Cell) -> Result<(), TomlError> {
        let span = cell.span.clone();
        match &mut cell.value {
            Value::Text(value) => {
                *value = self
                    .filled(value)
                    .map_err(|(message, help)| text.error(TomlProblem::Variable, span, message).help(help))?;
                Ok(())
            }
            Value::List(cells) => cells.iter_mut().try_for_each(|cell| self.fill_cell(text, cell)),
            Value::Table(table) => self.fill(text, table),
            Value::Number(_) | Value::Flag(_) => Ok(()),
        }
    }

    /// The text with its variables expanded; `$$` is a dollar sign.
    fn filled(&mut self, text: &str) -> Result<String, Wrong> {
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
                    let message = format!("'{text}' has a $ that does not begin a variable");
                    return Err((message, "a variable is ${name}, and $$ is a dollar".into()));
                }
            };
        }
        Ok(done + rest)
    }

    fn value(&mut self, name: &str) -> Result<&str, Wrong> {
        let known: Vec<String> = self.values.keys().cloned().collect();
        match self.values.get_mut(name) {
            Some(variable) => {
                variable.known = true;
                Ok(&variable.value)
            }
            None => {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let near = did_you_mean(name, &known).map_or(String::new(), |near| near + " ");
                let help = format!("{near}--set {name}=VALUE gives it one, or a default under [variables]");
                Err((format!("the variable '{name}' has no value"), help))
            }
        }
    }

    /// Refuses assignments of variables that the file does not name.
    ///
    /// # Errors
    /// Where there is one.
    pub fn check_used(&self, text: &Text) -> Result<(), TomlError> {
        let Some((name, _)) = self.values.iter().find(|(_, variable)| !variable.known) else { return Ok(()) };
        let known: Vec<&str> = self
            .values
            .iter()
            .filter(|(_, variable)| variable.known)
            .map(|(name, _)| name.as_str())
            .collect();
        let message = format!("'{}' has no variable '{name}'", text.path().display());
        let error = TomlError::new(TomlProblem::Variable, message);
        Err(match known.is_empty() {
            true => error.help("it has no variables"),
            false => error.nearest(name, &known, "it has"),
        })
    }

    /// Names and values, and whether they were set.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        self.values.iter().map(|(name, variable)| (name.as_str(), variable.value.as_str(), variable.set))
    }
}

/// The names of the variables in a text.
fn references(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (_, after) = rest.split_once('$')?;
            if let Some((name, after)) = after.strip_prefix('{').and_then(|after| after.split_once('}')) {
                rest = after;
                return Some(name);
            }
            rest = after.strip_prefix('$').unwrap_or(after);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_of(text: &str) -> Text {
        Text::new("test.toml", text.into()).unwrap()
    }

    fn filled(toml: &str, set: &[&str]) -> Result<String, TomlError> {
        let text = text_of(toml);
        let mut table = text.parse()?;
        let Value::Table(defaults) = table.remove(0).cell.value else { panic!("{toml}") };
        let set: Vec<_> =
            set.iter().map(|set| set.split_once('=').unwrap()).map(|(a, b)| (a.into(), b.into())).collect();
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
    fn values_hold_other_variables() {
        let toml = "[variables]\nout = '${db}/out$$'\ndb = 'a'\n[x]\na = '${out}'\n";
        assert_eq!(filled(toml, &[]).unwrap(), "a/out$");
        assert_eq!(filled(toml, &["db=b/${name}", "name=c"]).unwrap(), "b/c/out$");
        let circle = "[variables]\na = '${b}'\nb = '${a}'\n[x]\na = '${a}'\n";
        assert_eq!(filled(circle, &[]).unwrap_err().place(), Some((2, 5)));
        assert_eq!(filled(circle, &["b=1"]).unwrap(), "1");
        let unknown = "[variables]\na = '${c}'\n[x]\na = '${a}'\n";
        assert_eq!(filled(unknown, &[]).unwrap_err().place(), Some((2, 5)));
        assert!(filled(circle, &["b=${b}"]).unwrap_err().message.contains("--set b"));
        let doubling: String = (0..40).map(|i| format!("v{} = '${{v{i}}}${{v{i}}}'\n", i + 1)).collect();
        let doubling = format!("[variables]\nv0 = 'xx'\n{doubling}[x]\na = '${{v40}}'\n");
        assert!(filled(&doubling, &[]).unwrap_err().message.contains("longer"));
    }

    #[test]
    fn a_name_is_set_once() {
        let toml = "[variables]\nrate = 60\n[x]\na = '${rate}'\n";
        assert!(filled(toml, &["rate=1", "rate=2"]).unwrap_err().message.contains("twice"));
        assert!(filled(toml, &["typo=1", "typo=2"]).is_err());
    }

    #[test]
    fn unknown_and_unset_variables_are_refused() {
        let toml = "[variables]\nrate = 60\n[x]\na = 'fps ${raet}'\n";
        let error = filled(toml, &[]).unwrap_err();
        assert_eq!(error.place(), Some((4, 5)));
        assert!(error.help.unwrap().contains("did you mean 'rate'?"));
        let error = filled("[variables]\nrate = 60\n[x]\na = 'x'\n", &["raet=3"]).unwrap_err();
        assert!(error.help.unwrap().contains("'rate'"));
        assert!(filled("[variables]\n[x]\na = '5 $'\n", &[]).is_err());
    }
}
