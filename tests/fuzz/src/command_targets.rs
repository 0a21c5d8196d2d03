//! Files that only commands read (pipelines, graphs, keys, tables, settings, manifests, indexes, example poses), and
//! motions that are read and then processed.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc;

use tempfile::TempDir;

use crate::corpus::{fixture, has_extension, root};
use crate::sealed::{sealed_index, sealed_poses};
use crate::target::{Outcome, Target, checked};

/// A command, where `FILE` stands for the input, `CLIP` for a short motion and `OUT` for an output.
struct Command {
    name: &'static str,
    extension: &'static str,
    words: &'static str,
    corpus: fn() -> Vec<Vec<u8>>,
    inserted: &'static [&'static str],
    /// Makes check sums right again after a change.
    seal: fn(Vec<u8>) -> Vec<u8>,
}

/// For files without check sums.
fn unsealed(bytes: Vec<u8>) -> Vec<u8> {
    bytes
}

/// A motion that is changed and then processed by a command.
const fn processed(name: &'static str, words: &'static str) -> Command {
    Command {
        name,
        extension: "bvh",
        words,
        corpus: || vec![tiny_motion()],
        inserted: &NUMBERS,
        seal: unsealed,
    }
}

/// Numbers that few operations expect.
const NUMBERS: [&str; 12] = [
    "0 ",
    "-0 ",
    "1e300 ",
    "-1e300 ",
    "1e-300 ",
    "90 ",
    "180 ",
    "1e9 ",
    "-1e9 ",
    "0.0000001 ",
    "Frames: 2\n",
    "Frames: 1\n",
];

const TOML: [&str; 14] = [
    "[[step]]",
    "[a.b]",
    "do = ",
    "= true",
    "= -1",
    "= 1e400",
    "= nan",
    "= []",
    "= {}",
    "= \"\"",
    "\"\"\"",
    "[[clip]]",
    "= 1979-05-27",
    "${x}",
];

const COMMANDS: &[Command] = &[
    Command {
        name: "pipeline",
        extension: "toml",
        words: "run FILE CLIP --explain",
        corpus: || in_examples("pipelines"),
        inserted: &TOML,
        seal: unsealed,
    },
    Command {
        name: "graph",
        extension: "toml",
        words: "play FILE --explain",
        corpus: || in_examples("locomotion"),
        inserted: &TOML,
        seal: unsealed,
    },
    Command {
        name: "space",
        extension: "toml",
        words: "blend --space FILE --param speed=1 --duration 0.2s -o OUT --overwrite",
        corpus: || in_examples("locomotion"),
        inserted: &TOML,
        seal: unsealed,
    },
    Command {
        name: "settings",
        extension: "toml",
        words: "info CLIP --config FILE",
        corpus: || vec![b"[default]\njobs = 2\n\n[convert]\nto = \"glb\"\n".to_vec()],
        inserted: &TOML,
        seal: unsealed,
    },
    Command {
        name: "keys",
        extension: "toml",
        words: "warp CLIP --keys FILE -o OUT --overwrite",
        corpus: || {
            vec![
                b"from = 0.1\nto = 0.9\n\n[[key]]\ntime = 0.5\njoint = \"LeftHand\"\nby = [0, 10, 0]\n"
                    .to_vec(),
                b"[[key]]\ntime = 0.3\njoint = \"Hips\"\nturn = [0, 20, 0]\n".to_vec(),
            ]
        },
        inserted: &TOML,
        seal: unsealed,
    },
    Command {
        name: "ranges",
        extension: "csv",
        words: "split CLIP --ranges FILE -o DIR --overwrite",
        corpus: || vec![b"start,end\n0,0.5\n0.25,1\n".to_vec()],
        inserted: &[",", "\n", "-", ";"],
        seal: unsealed,
    },
    Command {
        name: "time-map",
        extension: "csv",
        words: "edit CLIP --time-map FILE -o OUT --overwrite",
        corpus: || vec![b"0,0\n0.5,0.25\n1,1\n".to_vec()],
        inserted: &[",", "\n", "-", ";"],
        seal: unsealed,
    },
    Command {
        name: "path",
        extension: "csv",
        words: "edit CLIP --along FILE -o OUT --overwrite",
        corpus: || vec![b"0,0,0\n0,0,100\n50,0,200\n".to_vec()],
        inserted: &[",", "\n", "-", ";"],
        seal: unsealed,
    },
    Command {
        name: "heights",
        extension: "csv",
        words: "terrain CLIP --heights FILE -o OUT --overwrite",
        corpus: || vec![b"0,0,0\n0,0.1,0\n0,0.1,0\n0,0,\n".to_vec()],
        inserted: &[",", "\n", "-", ";"],
        seal: unsealed,
    },
    Command {
        name: "mesh",
        extension: "obj",
        words: "terrain CLIP --terrain-mesh FILE -o OUT --overwrite",
        corpus: || vec![b"v -9 0 -9\nv 9 0 -9\nv 9 0 9\nv -9 0 9\nf 1 2 3\nf 1/1 3/2/1 -1\n".to_vec()],
        inserted: &["v ", "f ", "/", "-1", "\n"],
        seal: unsealed,
    },
    Command {
        name: "manifest",
        extension: "jsonl",
        words: "manifest stats FILE",
        corpus: || vec![manifest()],
        inserted: &["\"status\"", "null", "{}", "\"input\"", "\n"],
        seal: unsealed,
    },
    Command {
        name: "index",
        extension: "index",
        words: "info FILE",
        corpus: || vec![made("index CLIP -o", "made.index")],
        inserted: &[],
        seal: sealed_index,
    },
    Command {
        name: "indexed-find",
        extension: "index",
        words: "find CLIP FILE --top 3",
        corpus: || vec![made("index CLIP -o", "made.index")],
        inserted: &[],
        seal: sealed_index,
    },
    Command {
        name: "poses",
        extension: "poses",
        words: "info CLIP --poses FILE",
        corpus: || vec![made("poses CLIPS -o", "made.poses")],
        inserted: &["\"parent\":", "null", "[]", "1e300", "-1"],
        seal: sealed_poses,
    },
    Command {
        name: "face-map",
        extension: "json",
        words: "face TAKE HEAD --map FILE -o OUT.glb --overwrite",
        corpus: || vec![made("face TAKE HEAD --write-map", "made.json")],
        inserted: &["{}", "[]", "null", "-1e300", "\"\"", ": "],
        seal: unsealed,
    },
    Command {
        name: "take",
        extension: "csv",
        words: "face FILE HEAD -o OUT.glb --overwrite",
        corpus: || vec![std::fs::read(fixture("faces/take.csv")).expect("a take")],
        inserted: &[",", "\n", "NaN", "1e300", "-1", ":"],
        seal: unsealed,
    },
    processed("retarget", "retarget FILE CLIP -o OUT --overwrite"),
    processed("target", "retarget CLIP FILE -o OUT --overwrite"),
    processed("quality", "info FILE --quality"),
    processed("denoise", "edit FILE --denoise auto -o OUT --overwrite"),
    processed("loop", "edit FILE --loop -o OUT --overwrite"),
    processed("label", "label FILE -o OUT.csv --overwrite"),
    processed("find", "find FILE CLIP --top 2"),
    processed("compress", "compress FILE -o OUT.mocz --overwrite"),
    processed("to-fbx", "convert FILE -o OUT.fbx --overwrite"),
    processed("to-glb", "convert FILE -o OUT.glb --mesh body --overwrite"),
    processed("sheet", "sheet FILE -o OUT.svg --overwrite"),
    processed("view", "view FILE -o OUT.html --overwrite"),
];

/// One target for each command.
pub(crate) fn targets() -> Vec<Target> {
    COMMANDS.iter().map(target).collect()
}

fn target(command: &'static Command) -> Target {
    let folder = Rc::new(TempDir::new().expect("a folder"));
    let clip = short_clip(folder.path());
    let run = move |bytes: &[u8]| {
        let file = folder.path().join("input").with_extension(command.extension);
        std::fs::write(&file, (command.seal)(bytes.to_vec())).expect("the input can be written");
        run(command.words, &file, &clip, folder.path())
    };
    Target {
        name: command.name.into(),
        corpus: (command.corpus)(),
        words: command.inserted,
        bytes_per_sample: 0,
        // Commands work in threads of their own.
        measured: false,
        run: Box::new(run),
    }
}

/// The examples of a folder; they find the fixtures from anywhere.
fn in_examples(folder: &str) -> Vec<Vec<u8>> {
    let folder = root().join("examples").join(folder);
    let fixtures = root().join("fixtures").canonicalize().expect("fixtures");
    let place = fixtures.to_string_lossy().into_owned();
    let inside = |path: &Path| path.starts_with(&folder) && has_extension(path, "toml");
    let texts = crate::corpus::fixtures(inside).into_iter();
    texts
        .map(|bytes| String::from_utf8(bytes).expect("text").replace("../../fixtures", &place).into_bytes())
        .collect()
}

fn short_clip(folder: &Path) -> PathBuf {
    let clip = mocap::read(fixture("clips/alex_walk.bvh")).expect("a good clip").value;
    let path = folder.join("clip.bvh");
    mocap::write(&path, &clip.trimmed(0..120).expect("120 frames")).expect("a written clip");
    path
}

/// A few frames, so that a change is likely to matter.
fn tiny_motion() -> Vec<u8> {
    let folder = TempDir::new().expect("a folder");
    let clip = mocap::read(fixture("clips/alex_walk.bvh")).expect("a good clip").value;
    let path = folder.path().join("tiny.bvh");
    mocap::write(&path, &clip.trimmed(0..12).expect("12 frames")).expect("a written clip");
    std::fs::read(path).expect("a clip")
}

/// What a command writes.
fn made(words: &str, name: &str) -> Vec<u8> {
    let folder = TempDir::new().expect("a folder");
    let clip = short_clip(folder.path());
    let path = folder.path().join(name);
    let codes = run(&format!("{words} {}", path.display()), Path::new(""), &clip, folder.path());
    std::fs::read(&path).unwrap_or_else(|error| panic!("{words}: {error}: {codes:?}"))
}

fn manifest() -> Vec<u8> {
    let folder = TempDir::new().expect("a folder");
    let clip = short_clip(folder.path());
    let path = folder.path().join("run.jsonl");
    let words = format!("convert CLIP -o DIR/ --to json --manifest {}", path.display());
    run(&words, Path::new(""), &clip, folder.path()).expect("a good run");
    std::fs::read(path).expect("a manifest")
}

/// Runs a command and returns the codes of its rows.
fn run(words: &str, file: &Path, clip: &Path, folder: &Path) -> Outcome {
    let words = words.split(' ').map(|word| match word {
        "FILE" => file.into(),
        "CLIP" => clip.into(),
        "CLIPS" => fixture("clips").into(),
        "TAKE" => fixture("faces/take.csv").into(),
        "HEAD" => fixture("faces/head.glb").into(),
        "OUT" => folder.join("out.bvh").into(),
        "DIR" => folder.join("parts").into(),
        "DIR/" => folder.join("parts/").into(),
        word => match word.strip_prefix("OUT.") {
            Some(extension) => folder.join("out").with_extension(extension).into(),
            None => word.into(),
        },
    });
    let mut words: Vec<std::ffi::OsString> = std::iter::once("mocap".into()).chain(words).collect();
    if !words.iter().any(|word| word == "--config") {
        words.extend(["--config", "none"].map(Into::into));
    }
    let (sender, rows) = mpsc::channel();
    let code = mocap_cli::rows(words, sender);
    let mut codes = vec![format!("exit {code}")];
    for row in rows {
        let row: serde_json::Value =
            serde_json::from_str(&row).map_err(|error| format!("a row is not JSON: {error}: {row}"))?;
        collect_codes(&row, &mut codes)?;
    }
    Ok(codes)
}

/// The codes of all messages in a row.
fn collect_codes(row: &serde_json::Value, codes: &mut Vec<String>) -> Result<(), String> {
    match row {
        serde_json::Value::Object(fields) => {
            if let (Some(code), Some(text)) = (fields.get("code"), fields.get("message")) {
                let code = code.as_str().unwrap_or_default();
                if code.contains("panic") {
                    return Err(format!("{code}: {text}"));
                }
                codes.extend(checked(code, text.as_str().unwrap_or_default())?);
            }
            fields.values().try_for_each(|field| collect_codes(field, codes))
        }
        serde_json::Value::Array(items) => items.iter().try_for_each(|item| collect_codes(item, codes)),
        _ => Ok(()),
    }
}
