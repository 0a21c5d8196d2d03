//! Reads the key file of a warp.

use mocap_edit::{LookAt, LookShare, Warp, WarpChange, WarpKey, WarpMode};
use mocap_model::{Clip, Vector3};
use mocap_poses::PosePrior;
use mocap_toml::{Entry, Table, Text, TomlError, TomlProblem, find};

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;

/// Code of errors in a key file.
const KEYS: TomlProblem = TomlProblem::Other("warp::keys");

/// The fields of a key, and those of them that change a pose.
const KEY: [&str; 11] =
    ["time", "joint", "turn", "at", "by", "look-at", "pose", "until", "direction", "shares", "limits"];
const CHANGES: [&str; 4] = ["turn", "at", "by", "look-at"];

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
    // Rejects a time outside of the range, with the place of the error.
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
            add_key(text, (table, span), &inside, pose_in, &mut keys)?;
        }
    }
    let times = find(&table, "time").map_or(Ok(Vec::new()), |listed| times(text, listed, &inside))?;
    if keys.is_empty() && times.is_empty() {
        let error = text.error(KEYS, 0..0, "the file has no keys");
        return Err(error.help("a key is a table [[key]] with time, joint, and one of turn, at, by and look-at; or with time and pose").into());
    }
    Ok(Warp { keep_feet, mode, times, poses, ..Warp::new(from, to, keys) })
}

/// Adds a key, or those of the joints of a pose.
fn add_key(
    text: &Text,
    (table, span): (&Table, Range<usize>),
    inside: &dyn Fn(&Entry) -> Result<f64, TomlError>,
    pose_in: &dyn Fn(&str) -> Result<Clip, Diagnostic>,
    keys: &mut Vec<WarpKey>,
) -> Result<(), Diagnostic> {
    text.check_keys(table, "a key", &KEY)?;
    let missing = |what: &str| text.error(KEYS, span.clone(), format!("the key has no {what}"));
    let time = inside(find(table, "time").ok_or_else(|| missing("time"))?)?;
    if let Some(pose) = find(table, "pose") {
        text.check_keys(table, "a key with a pose", &["time", "pose"])?;
        let clip = pose_in(pose.text(text)?)?;
        keys.extend(WarpKey::of_pose(&clip, time));
        return Ok(());
    }
    let joint = find(table, "joint").ok_or_else(|| missing("joint"))?.text(text)?.to_owned();
    let changes: Vec<&Entry> = CHANGES.iter().filter_map(|key| find(table, key)).collect();
    let [change] = changes.as_slice() else {
        let expected = "expected one of turn, at, by and look-at";
        return Err(text.error(KEYS, span.clone(), expected).into());
    };
    let value = Vector3::from(change.numbers::<3>(text)?);
    if change.key != "look-at" {
        text.check_keys(table, "a key without look-at", &["time", "joint", &change.key])?;
    }
    let change = match change.key.as_str() {
        "turn" => WarpChange::Turn(value.map(f64::to_radians)),
        "at" => WarpChange::At(value),
        "look-at" => WarpChange::LookAt(look(text, table, value)?),
        _ => WarpChange::By(value),
    };
    keys.push(WarpKey { time, joint, change });
    Ok(())
}

/// The other fields of a look-at key.
fn look(text: &Text, table: &Table, at: Vector3<f64>) -> Result<LookAt, TomlError> {
    let until = find(table, "until").map(|entry| entry.number(text)).transpose()?;
    let direction =
        find(table, "direction").map(|entry| entry.numbers::<3>(text)).transpose()?.map(Vector3::from);
    let limits = match find(table, "limits") {
        Some(entry) => entry.table(text)?.as_slice(),
        None => &[][..],
    };
    let mut joints = Vec::new();
    if let Some(shares) = find(table, "shares") {
        for share in shares.table(text)? {
            let limit = limits.iter().find(|limit| limit.key == share.key);
            let limit = limit.map(|limit| limit.number(text)).transpose()?.map(f64::to_radians);
            joints.push(LookShare { joint: share.key.clone(), share: share.number(text)?, limit });
        }
    }
    if let Some(other) = limits.iter().find(|limit| joints.iter().all(|own| own.joint != limit.key)) {
        let message = format!("'{}' has a limit and no share", other.key);
        return Err(text.error(KEYS, other.key_span.clone(), message).help("shares = { JOINT = NUMBER, … }"));
    }
    Ok(LookAt { at, until, direction, joints })
}

/// Time keys: `at` in the motion, `to` in the result, both increasing.
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
                .help("times keep their order: 'at' increases, 'to' never decreases"));
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
        let looking = whole.replace(
            "turn = [0, 90, 0]",
            "look-at = [1, 2, 3]\nuntil = 1.5\nshares = { Head = 2, Neck = 1 }\nlimits = { Head = 60 }",
        );
        let WarpChange::LookAt(look) = &of(&looking).unwrap().keys[0].change else { panic!("it looks") };
        assert_eq!((look.at, look.until, look.direction), (Vector3::new(1.0, 2.0, 3.0), Some(1.5), None));
        let shares: Vec<_> =
            look.joints.iter().map(|own| (own.joint.as_str(), own.share, own.limit)).collect();
        assert_eq!(shares, [("Head", 2.0, Some(60f64.to_radians())), ("Neck", 1.0, None)]);
        assert_eq!(place(&looking.replace("{ Head = 60 }", "{ Hand = 60 }")), Some((9, 12)));
        assert!(of(&(whole.to_owned() + "until = 1.5\n")).is_err(), "only gazes last");
        let two = whole.to_owned() + "by = [0, 1, 0]\n";
        assert_eq!(of(&two).unwrap_err().code, "warp::keys");
        assert_eq!(of(&whole.replace("turn", "trun")).unwrap_err().code, "toml::unknown-key");
        assert_eq!(
            of("from = 0\nto = 2\n[[key]]\ntime = 1\npose = 'a.bvh'\n").unwrap_err().code,
            "test::none"
        );
    }
}
