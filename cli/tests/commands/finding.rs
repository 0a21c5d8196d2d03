//! Databases as indexes, and what labels are used for.

use crate::mocap::{Sandbox, fixture};

/// A folder `db` with two walks and a turn.
fn database() -> Sandbox {
    let sandbox = Sandbox::new();
    for name in ["alex_walk.bvh", "alex_turn.bvh", "robin_turn.bvh"] {
        if let Ok(bytes) = std::fs::read(fixture("clips").join(name)) {
            sandbox.put(&format!("db/{name}"), bytes);
        }
    }
    sandbox
}

#[test]
fn an_index_answers_as_its_files_do_and_is_updated() {
    let sandbox = database();
    let made = sandbox.run(["index", "db", "-o", "x.index", "--json"]).ok().rows().remove(0);
    let clips = made["clips"].as_u64().unwrap();
    assert!(clips >= 2 && made["read"] == clips, "{made}");
    let bytes = sandbox.read("x.index");

    let query = ["find", "db/alex_walk.bvh", "--trim", "0.5s:1.5s", "--json"];
    let best = |database: &str| {
        let rows = sandbox.run([&query[..], &[database]].concat()).ok().rows();
        (rows[0]["path"].clone(), rows[0]["start"].clone())
    };
    assert_eq!(best("x.index"), best("db"));

    // Nothing has changed: nothing is read, and the file is the same.
    let again = sandbox.run(["index", "db", "-o", "x.index", "--json"]).ok().rows().remove(0);
    assert_eq!((&again["read"], &again["gone"]), (&0.into(), &0.into()));
    assert_eq!(sandbox.read("x.index"), bytes);

    // A new file is found before the index is updated, and said.
    sandbox.put("db/new.bvh", sandbox.read("db/alex_walk.bvh"));
    let ran = sandbox.run(["find", "db/alex_walk.bvh", "x.index", "--json"]).ok();
    assert!(ran.stderr.contains("older than its files"), "{}", ran.stderr);
    assert_eq!(ran.rows()[0]["path"], "db/new.bvh");
    let updated = sandbox.run(["index", "db", "-o", "x.index", "--json"]).ok().rows().remove(0);
    assert_eq!((&updated["read"], &updated["clips"]), (&1.into(), &(clips + 1).into()));
}

#[test]
fn what_is_no_index_is_named() {
    let sandbox = database();
    sandbox.run(["index", "db", "-o", "x.index"]).ok();
    let bytes = sandbox.read("x.index");
    sandbox.put("cut.index", &bytes[..bytes.len() / 2]);
    sandbox.put("empty.index", "");
    for (name, says) in [
        ("cut.index", "the index is damaged"),
        ("empty.index", "not an index of motions"),
        ("db/alex_walk.bvh", "is not an index"),
        ("none.index", "No such file"),
    ] {
        let ran = sandbox.run(["find", "db/alex_walk.bvh", "--index", name]);
        assert!(ran.code != 0 && ran.stderr.contains(says), "{name}: {}", ran.stderr);
    }
    let other = sandbox.run(["find", "db/alex_walk.bvh", "x.index", "--input-fps", "10"]);
    assert!(other.code == 2 && other.stderr.contains("--input-fps=10"), "{}", other.stderr);
    let label = sandbox.run(["find", "--label", "walk", "x.index"]);
    assert!(label.code == 2 && label.stderr.contains("only searched by example"), "{}", label.stderr);
}

#[test]
fn takes_are_cut_and_clips_kept_by_labels() {
    let sandbox = database();
    let row =
        sandbox.run(["split", "db/alex_turn.bvh", "--by-label", "-o", "o", "--json"]).ok().rows().remove(0);
    let labels: Vec<&str> =
        row["clips"].as_array().unwrap().iter().map(|clip| clip["label"].as_str().unwrap()).collect();
    assert!(labels.iter().any(|label| label.starts_with("turn")), "{row}");
    let none = sandbox.run(["split", "db/alex_walk.bvh", "--by-label=kick & speed>9", "-o", "o", "--json"]);
    assert_eq!(none.ok().rows()[0]["clips"], serde_json::json!([]));
    let wrong = sandbox.run(["split", "db/alex_walk.bvh", "--by-label=wlak", "-o", "o"]);
    assert!(wrong.code == 2 && wrong.stderr.contains("the nearest is 'walk'"), "{}", wrong.stderr);

    sandbox.put(
        "keep.toml",
        "[[step]]\ndo = 'keep'\nkeep = 'turn-left | turn-right'\n[[step]]\ndo = 'write'\nto = 'bvh'\n",
    );
    let rows = sandbox.run(["run", "keep.toml", "db", "-o", "kept/", "--json"]).ok().rows();
    let of = |name: &str| rows.iter().find(|row| row["path"] == name).unwrap();
    assert_eq!(of("db/alex_turn.bvh")["outputs"].as_array().unwrap().len(), 1);
    // What is left out is neither written nor counted as passed.
    let walk = of("db/alex_walk.bvh");
    assert_eq!((&walk["outputs"], &walk["passed"]), (&serde_json::json!([]), &false.into()));
    assert!(walk["left_out"].as_str().unwrap().contains("turn-left"), "{walk}");
    let summary = rows.last().unwrap();
    let (clips, ok, left_out) = (&summary["clips"], &summary["ok"], &summary["left_out"]);
    assert!(left_out.as_u64() >= Some(1) && ok.as_u64() >= Some(1), "{summary}");
    assert_eq!(clips.as_u64().unwrap(), ok.as_u64().unwrap() + left_out.as_u64().unwrap());
}

#[test]
fn files_made_of_databases_say_what_they_hold() {
    let sandbox = database();
    sandbox.run(["index", "db", "-o", "x.index"]).ok();
    let row = sandbox.run(["info", "x.index", "--json"]).ok().rows().remove(0);
    assert_eq!((&row["format"], &row["inputs"][0]), (&"index".into(), &"db".into()), "{row}");
    let clips = row["clips"].as_u64().unwrap();
    assert!(
        clips >= 2 && row["duration"].as_f64().unwrap() > 1.0 && row["left_out"] == serde_json::json!([])
    );
    assert_eq!(row["bytes"].as_u64().unwrap(), sandbox.read("x.index").len() as u64);
    let text = sandbox.run(["info", "x.index"]).ok().stdout;
    assert!(text.contains("index of motions") && text.contains(&format!("{clips} motions")), "{text}");
    // Other verbs say that the file is an index, and which command reads it.
    let ran = sandbox.run(["convert", "x.index", "-o", "x.bvh"]);
    assert!(ran.code != 0 && ran.stderr.contains("mocap find QUERY FILE"), "{}", ran.stderr);

    sandbox.run(["poses", "db", "-o", "x.poses"]).ok();
    let row = sandbox.run(["info", "x.poses", "--json"]).ok().rows().remove(0);
    assert_eq!(row["format"], "poses", "{row}");
    assert!(row["poses"].as_u64() > Some(0) && row["frames"].as_u64() > Some(0), "{row}");
    // A damaged file of poses is not taken for a file of another kind.
    let bytes = sandbox.read("x.poses");
    sandbox.put("cut.poses", &bytes[..bytes.len() / 2]);
    let ran = sandbox.run(["info", "cut.poses"]);
    assert!(ran.code != 0 && ran.stderr.contains("cut short or damaged"), "{}", ran.stderr);
}

#[test]
fn what_cannot_be_searched_is_said() {
    let sandbox = database();
    let refused = |arguments: &[&str], code: i32, says: &str| {
        let ran = sandbox.run(arguments);
        assert!(ran.code == code && ran.stderr.contains(says), "{arguments:?}: {ran:?}");
        ran
    };
    let walk = "db/alex_walk.bvh";
    refused(
        &["find", walk, "db", "--trim", "1s:1.1s"],
        1,
        "the query lasts 0.10 s; a search needs at least 0.2 s",
    );
    refused(&["find", walk, "db", "--trim", "90s:99s"], 1, "--trim has no frame");
    refused(&["find", walk], 2, "there is nothing to search");

    // One clip: the query itself.
    sandbox.put("one/alex_walk.bvh", sandbox.read(walk));
    let alone = sandbox.run(["find", "one/alex_walk.bvh", "one", "--json"]).ok();
    assert!(alone.rows().is_empty() && alone.stderr.contains("no hits"), "{alone:?}");
    let alone = sandbox.run(["find", "--duplicates", "one", "--json"]).ok();
    assert!(alone.rows().is_empty() && alone.stderr.contains("0 clusters"), "{alone:?}");

    // Labels that do not exist, that nothing has, and sides.
    refused(&["find", "--label", "wlak", "db"], 2, "'wlak' is not a label; the nearest is 'walk'");
    refused(&["find", "--label", "kick,middle", "db"], 2, "'middle' is not a side");
    refused(&["find", "--label", "kick,left-hand", "db"], 2, "'left-hand' is not a side");
    refused(&["find", "--label", "turn-right", "db/alex_turn.bvh"], 0, "most similar first: turn-left (1)");
}

#[test]
fn robots_and_bodies_without_roles_are_listed_and_left_out() {
    let sandbox = database();
    let robot = fixture("robots/pip.xml");
    let walk = "db/alex_walk.bvh";
    sandbox.run(["retarget", walk, robot.to_str().unwrap(), "-o", "other/pip.json"]).ok();
    sandbox.put("other/points.bvh", std::fs::read(fixture("bvh/clean.bvh")).unwrap());
    for arguments in [
        &["find", walk, "other/pip.json", "other/points.bvh"][..],
        &["find", "--duplicates", "other/pip.json", "other/points.bvh"],
        &["label", "other/pip.json", "other/points.bvh"],
        &["index", "other/pip.json", "other/points.bvh", "-o", "x.index"],
    ] {
        let ran = sandbox.run(arguments);
        assert!(ran.code == 2 && ran.stderr.contains("none of 2 files can be searched"), "{ran:?}");
        assert!(ran.stderr.contains("left out: other/pip.json: the skeleton is a robot"), "{ran:?}");
        assert!(ran.stderr.contains("left out: other/points.bvh: "), "{ran:?}");
    }
    assert!(!sandbox.path("x.index").exists());
    let ran = sandbox.run(["find", "other/pip.json", "db"]);
    assert!(ran.code == 1 && ran.stderr.contains("the skeleton is a robot"), "{ran:?}");
    // The other files are searched, and an index lists the files that were left out.
    let ran = sandbox.run(["find", walk, "db", "other/pip.json", "--json"]).ok();
    assert!(!ran.rows().is_empty() && ran.stderr.contains("left out: other/pip.json"), "{ran:?}");
    sandbox.run(["index", "db", "other/pip.json", "-o", "x.index"]).ok();
    let row = sandbox.run(["info", "x.index", "--json"]).ok().rows().remove(0);
    assert_eq!(row["left_out"][0]["path"], "other/pip.json", "{row}");
}

#[test]
fn a_list_of_files_is_a_database() {
    let sandbox = database();
    let found = |words: &[&str]| {
        let rows = sandbox.run(words).ok().rows();
        rows.iter().map(|row| row["path"].to_string()).collect::<Vec<_>>()
    };
    sandbox.put("list.txt", "db/alex_walk.bvh\ndb/alex_turn.bvh\n");
    let walk = fixture("clips/robin_walk.bvh").display().to_string();
    let hits = found(&["find", &walk, "--files-from", "list.txt", "--json"]);
    assert!(!hits.is_empty());
    assert_eq!(hits, found(&["find", &walk, "db/alex_walk.bvh", "db/alex_turn.bvh", "--json"]));
    let ran = sandbox.run(["find", "--files-from", "list.txt"]);
    assert!(ran.code == 2 && ran.stderr.contains("there is no query"), "{ran:?}");
    // The list of files belongs to the first database, not to the one of --against.
    let words =
        ["find", "--duplicates", "--files-from", "list.txt", "--against", "db/alex_walk.bvh", "--json"];
    let ran = sandbox.run(words);
    assert_eq!(ran.code, 3, "{ran:?}");
    let rows = ran.rows();
    let clips = rows.iter().flat_map(|row| row["clips"].as_array().unwrap());
    let walks = clips.filter(|clip| clip["path"] == "db/alex_walk.bvh").count();
    assert_eq!(walks, 2, "the walk of the list and that of the other: {ran:?}");
}

#[test]
fn files_that_are_called_an_index_are_not_read_as_motions() {
    let sandbox = database();
    sandbox.put("empty.index", "");
    sandbox.put("other.index", "HIERARCHY");
    let walk = "db/alex_walk.bvh";
    for (name, said) in [
        ("empty.index", "the file is empty, not an index of motions"),
        ("other.index", "it is not an index of motions"),
    ] {
        for arguments in [&["find", walk, name][..], &["find", walk, "--index", name]] {
            let ran = sandbox.run(arguments);
            assert!(ran.code == 2 && ran.stderr.contains(said), "{ran:?}");
            assert!(ran.stderr.contains("`mocap index DATABASE -o NAME.index` makes one"), "{ran:?}");
        }
    }
    let ran = sandbox.run(["find", walk, "db", "--trim", "90s:99s"]);
    assert!(ran.stderr.contains("--trim has no frame of the clip, which has"), "{ran:?}");
    assert!(ran.stderr.contains(" frames and lasts "), "{ran:?}");
}

#[test]
fn numbers_that_are_none_fail_their_file_alone() {
    let sandbox = database();
    let text = String::from_utf8(sandbox.read("db/alex_walk.bvh")).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let motion = lines.iter().position(|line| line.starts_with("Frame Time")).unwrap();
    let row = lines[motion + 9].clone();
    let (first, rest) = row.split_once(' ').unwrap();
    lines[motion + 9] = format!("nan {rest}");
    assert!(first.parse::<f64>().is_ok());
    sandbox.put("nan/a.bvh", lines.join("\n"));
    let walk = "db/alex_walk.bvh";
    for arguments in [
        &["find", "nan/a.bvh", "db"][..],
        &["find", walk, "nan", "db"],
        &["find", "--duplicates", "nan", "db"],
        &["label", "nan", "db"],
        &["index", "nan", "db", "-o", "x.index"],
    ] {
        let ran = sandbox.run(arguments);
        assert!(ran.code == 1 && ran.stderr.contains("'nan' is not a finite number"), "{ran:?}");
        assert!(ran.stderr.contains("--repair"), "{ran:?}");
    }
    let ran = sandbox.run(["index", "nan", "-o", "y.index"]);
    assert!(ran.code == 2 && ran.stderr.contains("of 1 file none could be read"), "{ran:?}");
    let rows = sandbox.run(["find", walk, "nan", "--repair", "--json"]).ok().rows();
    assert!(rows[0]["distance"].as_f64().unwrap() < 0.02, "{rows:?}");
}

#[test]
fn labels_are_events_of_a_motion() {
    let sandbox = database();
    sandbox.run(["edit", "db/alex_turn.bvh", "--label-events", "-o", "turn.json"]).ok();
    let clip: serde_json::Value = serde_json::from_slice(&sandbox.read("turn.json")).unwrap();
    let names: Vec<&str> =
        clip["events"].as_array().unwrap().iter().map(|event| event["name"].as_str().unwrap()).collect();
    let labels = sandbox.run(["label", "db/alex_turn.bvh", "--json"]).ok().rows();
    assert_eq!(names.len(), 2 * labels.len(), "{names:?} {labels:?}");
    assert!(names.contains(&"turn-left") && names.contains(&"turn-left end"), "{names:?}");
    // A format without events says so.
    let ran = sandbox.run(["edit", "db/alex_turn.bvh", "--label-events", "-o", "turn.bvh"]).ok();
    assert!(ran.stderr.contains("clip::events-left-out"), "{}", ran.stderr);
    // Pages have them.
    sandbox.run(["view", "turn.json", "-o", "turn.html"]).ok();
    let page = String::from_utf8(sandbox.read("turn.html")).unwrap();
    assert!(page.contains("\"turn-left end\""));
}

#[test]
#[cfg(unix)]
fn links_to_a_clip_are_no_copies_of_it() {
    let sandbox = database();
    sandbox.put("one/walk.bvh", sandbox.read("db/alex_walk.bvh"));
    std::os::unix::fs::symlink(sandbox.path("one/walk.bvh"), sandbox.path("one/a_link.bvh")).unwrap();
    let alone = sandbox.run(["find", "--duplicates", "one", "--json"]).ok();
    assert!(alone.rows().is_empty() && alone.stderr.contains("1 path left out: links"), "{alone:?}");
    // A real copy is reported, and the file to keep is not a link.
    sandbox.put("one/copy.bvh", sandbox.read("db/alex_walk.bvh"));
    let rows = sandbox.run(["find", "--duplicates", "one", "--json"]).ok().rows();
    assert_eq!(rows[0]["keep"], "one/copy.bvh");
    let paths: Vec<&str> =
        rows[0]["clips"].as_array().unwrap().iter().map(|clip| clip["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["one/copy.bvh", "one/walk.bvh"]);
    // Between two databases a link is the same clip in both.
    let ran = sandbox.run(["find", "--duplicates", "one/a_link.bvh", "--against", "one/walk.bvh"]);
    assert_eq!(ran.code, 3, "{ran:?}");
}
