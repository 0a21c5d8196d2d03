//! The file of keys of a warp.

use mocap_edit::{Warp, WarpChange, WarpKey};
use mocap_model::{Clip, Vector3};
use mocap_toml::{Entry, Text, TomlProblem, find};

use crate::diagnostic::Diagnostic;

/// What is wrong with a file of keys.
const KEYS: TomlProblem = TomlProblem::Other("warp::keys");

/// Reads keys; times are in seconds, turns in degrees.
pub(super) fn read(
    text: &Text,
    pose_in: &dyn Fn(&str) -> Result<Box<Clip>, Diagnostic>,
) -> Result<Warp, Diagnostic> {
    let table = text.parse()?;
    text.check_keys(&table, "a warp", &["from", "to", "keep-feet", "key"])?;
    let keep_feet = find(&table, "keep-feet").map_or(Ok(true), |entry| entry.switch(text))?;
    let mut keys = Vec::new();
    if let Some(listed) = find(&table, "key") {
        for (table, span) in listed.tables(text)? {
            text.check_keys(table, "a key", &["time", "joint", "turn", "at", "by", "pose"])?;
            let missing = |what: &str| text.error(KEYS, span.clone(), format!("the key has no {what}"));
            let time = find(table, "time").ok_or_else(|| missing("time"))?.number(text)?;
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
    if keys.is_empty() {
        let error = text.error(KEYS, 0..0, "the file has no keys");
        return Err(error.help("a key is a table [[key]] with time, joint, and one of turn, at and by; or with time and pose").into());
    }
    let time = |key: &str| {
        let missing =
            || text.error(KEYS, 0..0, format!("'{key}' is not given")).help(format!("{key} = SECONDS"));
        find(&table, key).ok_or_else(missing)?.number(text)
    };
    Ok(Warp { from: time("from")?, to: time("to")?, keys, keep_feet })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Warp, Diagnostic> {
        let none = |name: &str| Err(Diagnostic::new("test::none", name.to_owned()));
        read(&Text::new("keys.toml", text.as_bytes().to_vec())?, &none)
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
        assert_eq!(of(&two).unwrap_err().code, "warp::keys");
        assert_eq!(of(&whole.replace("turn", "trun")).unwrap_err().code, "toml::unknown-key");
        assert_eq!(
            of("from = 0\nto = 2\n[[key]]\ntime = 1\npose = 'a.bvh'\n").unwrap_err().code,
            "test::none"
        );
    }
}
