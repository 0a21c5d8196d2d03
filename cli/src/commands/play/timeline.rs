//! The file of a timeline: a CSV, or a TOML with rows.

use std::path::Path;

use mocap_batch::read_file;
use mocap_edit::Timeline;
use mocap_toml::{Text, TomlError, TomlProblem, find};

use crate::diagnostic::Diagnostic;

/// The code of mistakes in a timeline.
const TIMELINE: TomlProblem = TomlProblem::Other("play::timeline");
/// The most bytes of a timeline.
const MOST: u64 = 64 << 20;

/// Reads a timeline; `.toml` has rows, everything else is a CSV.
pub(super) fn read(path: &Path) -> Result<Timeline, Diagnostic> {
    let bytes = read_file(path, MOST)?;
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        return Ok(rows(&Text::new(path, bytes)?)?);
    }
    let text = String::from_utf8_lossy(&bytes);
    text.parse().map_err(|error: mocap_edit::EditError| Diagnostic::from(error).in_file(path))
}

/// Tables `[[row]]` with time, values of parameters, and perhaps an event.
fn rows(text: &Text) -> Result<Timeline, TomlError> {
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
        let values = params.map(|entry| Ok((entry.key.as_str(), entry.number(text)?)));
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
        let of = |text: &str| rows(&Text::new("a.toml", text.into()).unwrap());
        let found =
            of("[[row]]\ntime = 0\nspeed = 1\n[[row]]\ntime = 2\nspeed = 2\nevent = 'kick'\n").unwrap();
        let csv: Timeline = "time,speed,event\n0,1,\n2,2,kick\n".parse().unwrap();
        assert_eq!(found, csv);
        for (wrong, place) in [
            ("[[row]]\nspeed = 1\n", (1, 1)),
            ("[[row]]\ntime = 2\n[[row]]\ntime = 1\n", (3, 1)),
            ("[[row]]\ntime = 2\nspeed = 'x'\n", (3, 9)),
            ("[row]\ntime = 2\n", (1, 1)),
        ] {
            assert_eq!(of(wrong).unwrap_err().place(), Some(place), "{wrong}");
        }
    }
}
