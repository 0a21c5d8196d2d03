//! `mocap warp`: an edit whose keys stand in a file.

use mocap_edit::{Edit, Warp, WarpChange, WarpKey};
use mocap_model::Vector3;
use mocap_toml::{Entry, Table, Text, TomlError, TomlProblem, Value};

use super::edit;
use crate::args::{EditArg, EditArgs, EditList, Invocation, WarpArgs as Args};
use crate::console::Console;
use crate::diagnostic::{Diagnostic, read_toml};
use crate::exit::Exit;

/// What is wrong with a file of keys.
const KEYS: TomlProblem = TomlProblem::Other("warp::keys");

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    let warp = read(&read_toml(&args.keys)?)?;
    let edits = EditList(vec![EditArg::Ready(Edit::Warp(Box::new(warp)))]);
    edit::run(&EditArgs { edits, one: args.one.clone() }, invocation, console)
}

fn read(text: &Text) -> Result<Warp, TomlError> {
    let table = text.parse()?;
    known(text, &table, "a warp", &["from", "to", "keep-feet", "key"])?;
    let keep_feet = find(&table, "keep-feet").map_or(Ok(true), |entry| entry.switch(text))?;
    let mut keys = Vec::new();
    if let Some(listed) = find(&table, "key") {
        for (table, span) in listed.tables(text)? {
            known(text, table, "a key", &["time", "joint", "turn", "at", "by"])?;
            let missing = |what: &str| text.error(KEYS, span.clone(), format!("the key has no {what}"));
            let time = number(text, find(table, "time").ok_or_else(|| missing("time"))?)?;
            let joint = find(table, "joint").ok_or_else(|| missing("joint"))?.text(text)?.to_owned();
            let changes: Vec<&Entry> =
                ["turn", "at", "by"].iter().filter_map(|key| find(table, key)).collect();
            let [change] = changes.as_slice() else {
                return Err(text.error(KEYS, span.clone(), "a key has one of turn, at and by"));
            };
            let value = vector(text, change)?;
            let change = match change.key.as_str() {
                "turn" => WarpChange::Turn(value.map(f64::to_radians)),
                "at" => WarpChange::At(value),
                _ => WarpChange::By(value),
            };
            keys.push(WarpKey { time, joint, change });
        }
    }
    if keys.is_empty() {
        let error = text.error(KEYS, 0..0, "the file has no keys");
        return Err(error.help("a key is a table [[key]] with time, joint, and one of turn, at and by"));
    }
    let time = |key: &str| {
        let missing =
            || text.error(KEYS, 0..0, format!("'{key}' is not given")).help(format!("{key} = SECONDS"));
        number(text, find(&table, key).ok_or_else(missing)?)
    };
    Ok(Warp { from: time("from")?, to: time("to")?, keys, keep_feet })
}

fn find<'t>(table: &'t Table, key: &str) -> Option<&'t Entry> {
    table.iter().find(|entry| entry.key == key)
}

fn known(text: &Text, table: &Table, of: &str, keys: &[&str]) -> Result<(), TomlError> {
    match table.iter().find(|entry| !keys.contains(&entry.key.as_str())) {
        Some(entry) => Err(text.unknown(entry, of, keys)),
        None => Ok(()),
    }
}

fn number(text: &Text, entry: &Entry) -> Result<f64, TomlError> {
    let value = entry.cell.value.scalar().and_then(|value| value.parse::<f64>().ok());
    value.filter(|value| value.is_finite()).ok_or_else(|| text.mistyped(entry, "a number"))
}

fn vector(text: &Text, entry: &Entry) -> Result<Vector3<f64>, TomlError> {
    let wrong = || text.mistyped(entry, "a list of three numbers");
    let Value::List(cells) = &entry.cell.value else { return Err(wrong()) };
    let number = |cell: &mocap_toml::Cell| cell.value.scalar().and_then(|value| value.parse::<f64>().ok());
    let values: Vec<f64> = cells.iter().filter_map(number).filter(|value| value.is_finite()).collect();
    match values.as_slice() {
        [x, y, z] if cells.len() == 3 => Ok(Vector3::new(*x, *y, *z)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Warp, TomlError> {
        read(&Text::new("keys.toml", text.as_bytes().to_vec())?)
    }

    #[test]
    fn keys_are_read_and_mistakes_have_a_place() {
        let whole = "from = 0\nto = 2\n[[key]]\ntime = 1\njoint = 'Head'\nturn = [0, 90, 0]\n";
        let warp = of(whole).unwrap();
        assert_eq!(warp.keys[0].change, WarpChange::Turn(Vector3::y() * std::f64::consts::FRAC_PI_2));
        assert!(warp.keep_feet);
        for (change, with) in
            [("to = 2\n", ""), ("turn", "turned"), ("[0, 90, 0]", "[0, 90]"), ("time = 1", "")]
        {
            assert!(of(&whole.replace(change, with)).is_err(), "{change}");
        }
        let two = whole.to_owned() + "by = [0, 1, 0]\n";
        assert_eq!(of(&two).unwrap_err().code(), "warp::keys");
        let place = of(&whole.replace("turn", "trun")).unwrap_err().place();
        assert_eq!(place, Some((6, 1)));
    }
}
