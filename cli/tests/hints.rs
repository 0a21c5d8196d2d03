//! Runs every command that an error or a warning suggests, so that no hint is wrong.
//!
//! Hints are found in the sources as "`mocap VERB …`" inside text. A hint with only a verb, or a verb and
//! flags, is compared with the help of the verb; a hint with files is run with files of these kinds.

mod mocap;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use mocap::{Sandbox, fixture};

/// Files that replace the placeholders of a hint when it is run.
const FILES: [(&str, &str); 29] = [
    ("IN", "walk.bvh"),
    ("OUT", "out.bvh"),
    ("OUT.html", "out.html"),
    ("OUT.gif", "out.gif"),
    ("OUT.npz", "out.npz"),
    ("FIXED", "fixed.bvh"),
    ("B.bvh", "walk.bvh"),
    ("A.bvh", "robin.bvh"),
    ("B_on_A.bvh", "onto.bvh"),
    ("--loop=A:B", "--loop=10:60"),
    ("--loop=30:92", "--loop=10:60"),
    ("N", "2"),
    ("MOTION", "walk.bvh"),
    ("MOTION...", "walk.bvh"),
    ("OUT.csv", "out.csv"),
    ("SOURCE", "walk.bvh"),
    ("SKELETON", "alex.skel"),
    ("TARGET", "robin.bvh"),
    ("MAP.json", "map.json"),
    ("FILE.skel", "file.skel"),
    ("CHARACTER", "head.glb"),
    ("DATABASE", "db"),
    ("NAME.index", "name.index"),
    ("POINTS", "points.csv"),
    ("QUERY", "walk.bvh"),
    ("TAKE", "take.c3d"),
    ("TAKE...", "take.c3d"),
    ("MOTION.glb", "character.glb"),
    ("ROBOT.xml", "robot.xml"),
];

/// Placeholders that stand for another file in one command.
const OF_VERB: [(&str, &str, &str); 13] = [
    ("validate", "FILE", "walk.bvh"),
    ("face", "TAKE...", "take.csv"),
    ("face", "TAKE", "take.csv"),
    ("convert", "TAKE", "take.csv"),
    ("plot", "TAKE", "take.csv"),
    ("plot", "NAME", "jawOpen"),
    ("skel", "FILE", "walk.bvh"),
    ("find", "FILE", "found.index"),
    ("info", "FILE", "found.index"),
    ("poses", "FILE", "made.poses"),
    ("solve", "FILE", "made.json"),
    ("solve --poses", "FILE", "people.poses"),
    ("edit", "OUT", "out.bvh"),
];

/// Outputs of commands whose hint leaves them out, as it names what is read.
const OUTPUTS: [(&str, &str); 4] =
    [("retarget", "made.bvh"), ("solve", "solved.bvh"), ("face", "face.glb"), ("view", "page.html")];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && path.file_name().is_some_and(|name| name != "tests" && name != "target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The commands in string literals of the sources; comments do not count.
fn hints() -> BTreeSet<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    sources(&root.join("crates"), &mut files);
    sources(&root.join("cli/src"), &mut files);
    let mut hints = BTreeSet::new();
    for file in files {
        let source = std::fs::read_to_string(&file).unwrap();
        let code: Vec<&str> = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        // A backslash continues a string literal on the next line.
        let text = code.join("\n").replace("\\\n", "\u{0}");
        for part in text.split("`mocap ").skip(1) {
            let (hint, _) = part.split_once('`').unwrap_or((part, ""));
            let words: Vec<&str> = hint.split(|c: char| c.is_whitespace() || c == '\0').collect();
            let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
            if words.first().is_some_and(|verb| verb.chars().all(|c| c.is_ascii_lowercase() || c == '-')) {
                hints.insert(words.join(" "));
            }
        }
    }
    hints
}

/// Files of every kind that a hint asks for.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let clips = [("walk.bvh", "alex_walk.bvh"), ("robin.bvh", "robin_walk.bvh"), ("alex.skel", "alex.skel")];
    for (name, of) in clips {
        sandbox.put(name, std::fs::read(fixture(&format!("clips/{of}"))).unwrap());
    }
    for name in ["alex_walk.bvh", "alex_wave.bvh", "alex_turn.bvh", "alex_jump.bvh"] {
        sandbox.put(&format!("db/{name}"), std::fs::read(fixture(&format!("clips/{name}"))).unwrap());
    }
    sandbox.put("head.glb", std::fs::read(fixture("faces/head.glb")).unwrap());
    sandbox.put("robot.xml", std::fs::read(fixture("robots/pip.xml")).unwrap());
    sandbox.put("take.csv", std::fs::read(fixture("faces/take.csv")).unwrap());
    sandbox.run(["convert", "walk.bvh", "-o", "out.bvh"]).ok();
    sandbox.run(["convert", "walk.bvh", "-o", "points.csv"]).ok();
    sandbox.run(["convert", "walk.bvh", "-o", "character.fbx"]).ok();
    sandbox.run(["convert", "robin.bvh", "-o", "character.glb"]).ok();
    sandbox.run(["convert", "walk.bvh", "--marker-set", "plug-in-gait", "-o", "take.c3d"]).ok();
    sandbox.run(["poses", "db", "-o", "people.poses"]).ok();
    sandbox.run(["index", "db", "-o", "found.index"]).ok();
    sandbox
}

/// The command of a hint with files for its words.
fn command(hint: &str) -> Vec<String> {
    let verb = hint.split(' ').next().unwrap();
    let sparse = if verb == "solve" && hint.contains("--poses") { "solve --poses" } else { verb };
    let word_of = |word: &str| {
        let of_verb = OF_VERB.iter().find(|(of, name, _)| *of == sparse && *name == word);
        let of_all = FILES.iter().find(|(name, _)| *name == word);
        of_verb.map(|(_, _, file)| *file).or(of_all.map(|(_, file)| *file)).unwrap_or(word).to_owned()
    };
    let mut words: Vec<String> = hint.split(' ').map(word_of).collect();
    let output = OUTPUTS.iter().find(|(of, _)| *of == verb);
    if let Some((_, output)) = output
        && !words.iter().any(|word| word == "-o" || word == "--help" || word == "--write-map")
    {
        words.extend(["-o".to_owned(), (*output).to_owned()]);
    }
    if words.iter().any(|word| word == "-o") && !words.iter().any(|word| word == "--overwrite") {
        words.push("--overwrite".into());
    }
    words
}

#[test]
fn every_hint_that_names_a_command_leads_somewhere() {
    let sandbox = sandbox();
    let hints = hints();
    assert!(hints.len() > 20, "the sources have hints: {hints:?}");
    let mut wrong = Vec::new();
    for hint in &hints {
        let verb = hint.split(' ').next().unwrap();
        let named: Vec<&str> = hint.split(' ').skip(1).collect();
        let help = sandbox.run([verb, "--help"]);
        let unknown = named
            .iter()
            .map(|word| word.split('=').next().unwrap())
            .filter(|word| word.starts_with("--") && *word != "--help")
            .find(|flag| !help.stdout.split(|c: char| !c.is_alphanumeric() && c != '-').any(|w| w == *flag));
        if help.code != 0 || unknown.is_some() {
            wrong.push(format!("`mocap {hint}`: {}", unknown.unwrap_or("no such verb")));
            continue;
        }
        // A verb by itself, or with the flags that its help has: a user adds the files.
        let values = named.iter().any(|word| !word.starts_with('-'));
        if !values && !named.contains(&"--help") {
            continue;
        }
        let words = command(hint);
        let ran = sandbox.run(words.iter().map(String::as_str).collect::<Vec<&str>>());
        if ran.code != 0 {
            wrong.push(format!("`mocap {hint}` as {}: {}", words.join(" "), ran.stderr));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
