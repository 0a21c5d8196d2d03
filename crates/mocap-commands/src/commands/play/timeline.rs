//! Reads a timeline file: CSV, or TOML with rows.

use std::path::Path;

use mocap_batch::read_file;
use mocap_edit::Timeline;
use mocap_toml::{Text, TomlError, TomlProblem, did_you_mean, find};

use crate::diagnostic::Diagnostic;

/// The code of mistakes in a timeline.
const TIMELINE: TomlProblem = TomlProblem::Other("play::timeline");
/// Greatest size of a timeline \[bytes\].
const MOST: u64 = 64 << 20;

/// Reads a timeline that sets some of the given parameters. `.toml` files have rows; every other file is read
/// as CSV.
pub(super) fn read(path: &Path, params: &[&str]) -> Result<Timeline, Diagnostic> {
    let bytes = read_file(path, MOST)?;
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        return Ok(rows(&Text::new(path, bytes)?, params)?);
    }
    table(&String::from_utf8_lossy(&bytes), params).map_err(|error| error.in_file(path))
}

/// A CSV.
fn table(text: &str, params: &[&str]) -> Result<Timeline, Diagnostic> {
    let timeline: Timeline = text.parse().map_err(|error: mocap_edit::EditError| Diagnostic::from(error))?;
    match timeline.params().into_iter().find(|name| !params.contains(name)) {
        None => Ok(timeline),
        Some(name) => {
            // The first line that is not a comment names the columns.
            let header = text
                .split_inclusive('\n')
                .find(|line| !line.split('#').next().unwrap_or("").trim().is_empty());
            let header = header.unwrap_or_default();
            let start = header.as_ptr() as usize - text.as_ptr() as usize;
            let columns = header.split(',');
            let column =
                columns.map(str::trim).find(|column| column.split('#').next().map(str::trim) == Some(name));
            let at = column.map_or(start, |column| column.as_ptr() as usize - text.as_ptr() as usize);
            let error = Diagnostic::new(TIMELINE.code(), format!("the graph has no parameter '{name}'"));
            Err(error.help(known(name, params)).in_text(text.as_bytes(), at..at + name.len()))
        }
    }
}

/// The parameter with the most similar name, or all parameters.
fn known(name: &str, params: &[&str]) -> String {
    let all = || match params {
        [] => "the graph has no parameters: [params] lists them".to_owned(),
        _ => format!("its parameters are {}", params.join(", ")),
    };
    did_you_mean(name, params).unwrap_or_else(all)
}

/// Tables `[[row]]` with time, values of parameters, and optionally an event.
fn rows(text: &Text, known_params: &[&str]) -> Result<Timeline, TomlError> {
    let table = text.parse()?;
    text.check_keys(&table, "a timeline", &["row"])?;
    let mut timeline = Timeline::default();
    let Some(listed) = find(&table, "row") else {
        let error = text.error(TIMELINE, 0..0, "the timeline has no rows");
        return Err(error.help("a row is a table [[row]] with time, values of parameters, and perhaps event"));
    };
    for (row, span) in listed.tables(text)? {
        let missing = || text.error(TIMELINE, span.clone(), "the row has no time");
        let time = find(row, "time").ok_or_else(missing)?.number(text)?;
        let event = find(row, "event").map(|entry| entry.text(text)).transpose()?;
        let params = row.iter().filter(|entry| !["time", "event"].contains(&entry.key.as_str()));
        let values = params.map(|entry| {
            let name = entry.key.as_str();
            if !known_params.contains(&name) {
                let message = format!("the graph has no parameter '{name}'");
                return Err(text
                    .error(TIMELINE, entry.key_span.clone(), message)
                    .help(known(name, known_params)));
            }
            Ok((name, entry.number(text)?))
        });
        let values: Vec<(&str, f64)> = values.collect::<Result<_, TomlError>>()?;
        let added = timeline.add_row(time, &values, event);
        added.map_err(|why| text.error(TIMELINE, span.clone(), why))?;
    }
    Ok(timeline)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_those_of_a_table() {
        let of = |text: &str| rows(&Text::new("a.toml", text.into()).unwrap(), &["speed"]);
        let found =
            of("[[row]]\ntime = 0\nspeed = 1\n[[row]]\ntime = 2\nspeed = 2\nevent = 'kick'\n").unwrap();
        let csv: Timeline = "time,speed,event\n0,1,\n2,2,kick\n".parse().unwrap();
        assert_eq!(found, csv);
        for (wrong, place) in [
            ("[[row]]\nspeed = 1\n", (1, 1)),
            ("[[row]]\ntime = 2\n[[row]]\ntime = 1\n", (3, 1)),
            ("[[row]]\ntime = 2\nspeed = 'x'\n", (3, 9)),
            ("[row]\ntime = 2\n", (1, 1)),
            ("[[row]]\ntime = 2\nsped = 1\n", (3, 1)),
        ] {
            assert_eq!(of(wrong).unwrap_err().place(), Some(place), "{wrong}");
        }
        let error = table("# a take\ntime, sped\n0, 1\n", &["speed"]).unwrap_err();
        assert_eq!((error.code, error.place), ("play::timeline", Some((2, 7))));
        assert!(error.help.as_deref().unwrap().contains("'speed'"));
    }
}
