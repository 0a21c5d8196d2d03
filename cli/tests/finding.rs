//! Databases as indexes, and what labels are used for.

mod mocap;

use mocap::{Sandbox, fixture};

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
        ("empty.index", "is not an index"),
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
    assert!(clips >= 2 && row["duration"].as_f64().unwrap() > 1.0 && row["left_out"] == serde_json::json!([]));
    assert_eq!(row["bytes"].as_u64().unwrap(), sandbox.read("x.index").len() as u64);
    let text = sandbox.run(["info", "x.index"]).ok().stdout;
    assert!(text.contains("index of motions") && text.contains(&format!("{clips} motions")), "{text}");
    // Other verbs name it and the way.
    let ran = sandbox.run(["convert", "x.index", "-o", "x.bvh"]);
    assert!(ran.code != 0 && ran.stderr.contains("mocap find QUERY FILE"), "{}", ran.stderr);

    sandbox.run(["poses", "db", "-o", "x.poses"]).ok();
    let row = sandbox.run(["info", "x.poses", "--json"]).ok().rows().remove(0);
    assert_eq!(row["format"], "poses", "{row}");
    assert!(row["poses"].as_u64() > Some(0) && row["frames"].as_u64() > Some(0), "{row}");
    // Damage is not taken for a file of another kind.
    let bytes = sandbox.read("x.poses");
    sandbox.put("cut.poses", &bytes[..bytes.len() / 2]);
    let ran = sandbox.run(["info", "cut.poses"]);
    assert!(ran.code != 0 && ran.stderr.contains("cut short or damaged"), "{}", ran.stderr);
}
