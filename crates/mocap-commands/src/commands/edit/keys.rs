//! The file of keys of a warp.

use mocap_edit::{Warp, WarpChange, WarpKey, WarpMode};
use mocap_model::{Clip, Vector3};
use mocap_poses::PosePrior;
use mocap_toml::{Entry, Text, TomlError, TomlProblem, find};

use std::sync::Arc;

use crate::diagnostic::Diagnostic;

/// The code of mistakes in a file of keys.
const KEYS: TomlProblem = TomlProblem::Other("warp::keys");

/// Reads keys; times are in seconds, turns in degrees.
pub(super) fn read(
    text: &Text,
    pose_in: &dyn Fn(&str) -> Result<Clip, Diagnostic>,
    poses_in: &dyn Fn(&str) -> Result<PosePrior, Diagnostic>,
) -> Result<Warp, Diagnostic> {
    let table = text.parse()?;
    text.check_keys(&table, "a warp", &["from", "to", "keep-feet", "mode", "poses", "key", "time"])?;
    let keep_feet = find(&table, "keep-feet").map_or(Ok(true), |entry| entry.switch(text))?;
    let mode = match find(&table, "mode") {
        Some(entry) => {
            let mode = entry.text(text)?.parse();
            mode.map_err(|why: String| text.error(KEYS, entry.cell.span.clone(), why))?
        }
        None => WarpMode::default(),
    };
    let poses = find(&table, "poses").map(|entry| poses_in(entry.text(text)?).map(Arc::new)).transpose()?;
    let [from, to] = ["from", "to"].map(|key| {
        let missing =
            || text.error(KEYS, 0..0, format!("'{key}' is not given")).help(format!("{key} = SECONDS"));
        find(&table, key).ok_or_else(missing)
    });
    let (from, to) = (from?.number(text)?, to?.number(text)?);
    // A time between the ends, with the place of its mistake.
    let inside = |entry: &Entry| {
        let time = entry.number(text)?;
        match time > from && time < to {
            true => Ok(time),
            false => {
                let message = format!("{time} s is not between from = {from} s and to = {to} s");
                Err(text.error(KEYS, entry.cell.span.clone(), message))
            }
        }
    };
    let mut keys = Vec::new();
    if let Some(listed) = find(&table, "key") {
        for (table, span) in listed.tables(text)? {
            text.check_keys(table, "a key", &["time", "joint", "turn", "at", "by", "pose"])?;
            let missing = |what: &str| text.error(KEYS, span.clone(), format!("the key has no {what}"));
            let time = inside(find(table, "time").ok_or_else(|| missing("time"))?)?;
            if let Some(pose) = find(table, "pose") {
                text.check_keys(table, "a key with a pose", &["time", "pose"])?;
                let clip = pose_in(pose.text(text)?)?;
                keys.extend(WarpKey::of_pose(&clip, time));
                continue;
            }
            let joint = find(table, "joint").ok_or_else(|| missing("joint"))?.text(text)?.to_owned();
            let changes: Vec<&Entry> =
                ["turn", "at", "by"].iter().filter_map(|key| find(table, key)).collect();
            let [change] = changes.as_slice() else {
                return Err(text.error(KEYS, span.clone(), "expected one of turn, at and by").into());
            };
            let value = Vector3::from(change.numbers::<3>(text)?);
            let change = match change.key.as_str() {
                "turn" => WarpChange::Turn(value.map(f64::to_radians)),
                "at" => WarpChange::At(value),
                _ => WarpChange::By(value),
            };
            keys.push(WarpKey { time, joint, change });
        }
    }
    let times = find(&table, "time").map_or(Ok(Vec::new()), |listed| times(text, listed, &inside))?;
    if keys.is_empty() && times.is_empty() {
        let error = text.error(KEYS, 0..0, "the file has no keys");
        return Err(error.help("a key is a table [[key]] with time, joint, and one of turn, at and by; or with time and pose").into());
    }
    Ok(Warp { from, to, keys, keep_feet, mode, times, poses })
}

/// Times that move: `at` in the motion, `to` in the result, both in increasing order.
fn times(
    text: &Text,
    listed: &Entry,
    inside: &dyn Fn(&Entry) -> Result<f64, TomlError>,
) -> Result<Vec<(f64, f64)>, TomlError> {
    let mut times: Vec<(f64, f64)> = Vec::new();
    for (table, span) in listed.tables(text)? {
        text.check_keys(table, "a time", &["at", "to"])?;
        let missing = |what: &str| text.error(KEYS, span.clone(), format!("the time has no {what}"));
        let [at, to] = ["at", "to"].map(|key| find(table, key).ok_or_else(|| missing(key)));
        let (at, to) = (inside(at?)?, inside(to?)?);
        if let Some((before, moved)) = times.last().filter(|(before, moved)| *before >= at || *moved >= to) {
            let message = format!("{at} s moves to {to} s, but {before} s before it moves to {moved} s");
            return Err(text
                .error(KEYS, span, message)
                .help("times keep their order: at and to both increase"));
        }
        times.push((at, to));
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Warp, Diagnostic> {
        let none = |name: &str| Err(Diagnostic::new("test::none", name.to_owned()));
        let unread = |name: &str| Err(Diagnostic::new("test::poses", name.to_owned()));
        read(&Text::new("keys.toml", text.as_bytes().to_vec())?, &none, &unread)
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
        let place = |text: &str| of(text).unwrap_err().place;
        assert_eq!(place(&whole.replace("time = 1", "time = 3")), Some((4, 8)));
        let timed = whole.to_owned() + "[[time]]\nat = 0.5\nto = 1\n[[time]]\nat = 0.8\nto = 0.9\n";
        assert_eq!(place(&timed), Some((10, 1)));
        assert_eq!(of(&timed.replace("0.9", "1.9")).unwrap().times, [(0.5, 1.0), (0.8, 1.9)]);
        assert_eq!(of(&("mode = 'scale-offset'\n".to_owned() + whole)).unwrap().mode, WarpMode::ScaleOffset);
        assert_eq!(place(&("mode = 'scale'\n".to_owned() + whole)), Some((1, 8)));
        assert_eq!(of(&("poses = 'a.poses'\n".to_owned() + whole)).unwrap_err().code, "test::poses");
        let two = whole.to_owned() + "by = [0, 1, 0]\n";
        assert_eq!(of(&two).unwrap_err().code, "warp::keys");
        assert_eq!(of(&whole.replace("turn", "trun")).unwrap_err().code, "toml::unknown-key");
        assert_eq!(
            of("from = 0\nto = 2\n[[key]]\ntime = 1\npose = 'a.bvh'\n").unwrap_err().code,
            "test::none"
        );
    }
}
