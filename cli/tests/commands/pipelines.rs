//! `mocap run`: steps, overrides, variables, gates, mistakes.

use crate::mocap::{LEG, Sandbox, fixture};

/// Clips of a person in two folders, and a body to put them on.
fn people() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, clip) in [("a/walk.bvh", "alex_walk.bvh"), ("b/jump.bvh", "alex_jump.bvh")] {
        sandbox.put(&format!("db/{name}"), std::fs::read(fixture("clips").join(clip)).unwrap());
    }
    sandbox.put("robin.skel", std::fs::read(fixture("clips/robin.skel")).unwrap());
    sandbox
}

const ALL: &str = r#"
inputs = "db"
output = "out"

[variables]
rate = 60
error = "1mm"

[[step]]
do = "read"
input-unit = "cm"

[[step]]
do = "edit"
trim = "0.5s:1.5s"
fps = "${rate}"

[[step]]
name = "source"
do = "write"
to = "bvh"
folder = "source"

[[step]]
name = "robin"
do = "retarget"
target = "robin.skel"
fail-above = "violations=0"

[[step]]
name = "table"
do = "write"
to = "csv"

[[step]]
do = "compress"
error = "${error}"
folder = "small"

[[step]]
do = "compare"
max-error = "1mm"

[[override]]
files = "jump.*"
edit.trim = "0s:0.5s"
table.enabled = false
"#;

#[test]
fn one_pass_makes_what_the_commands_make_one_by_one() {
    let sandbox = people();
    sandbox.put("p.toml", ALL);
    let rows = sandbox.run(["run", "p.toml", "--json"]).ok().rows();
    assert_eq!(
        sandbox.files("out"),
        ["a/walk.csv", "small/a/walk.mocz", "small/b/jump.mocz", "source/a/walk.bvh", "source/b/jump.bvh"]
    );
    let walk = &rows[0];
    assert_eq!((&walk["frames"], &walk["fps"]), (&60.into(), &60.0.into()), "{walk}");
    assert_eq!(rows[1]["frames"], 30, "{}", rows[1]);
    assert_eq!(walk["outputs"][2]["path"], "out/small/a/walk.mocz");
    assert_eq!(walk["outputs"][2]["bytes"], sandbox.read("out/small/a/walk.mocz").len());
    let steps: Vec<_> = walk["steps"].as_array().unwrap().iter().map(|step| &step["do"]).collect();
    assert_eq!(steps, ["retarget", "compress", "compare"]);
    assert_eq!(walk["gates"][1]["metric"], "error");
    assert_eq!((&walk["gates"][1]["limit"], &walk["passed"]), (&0.001.into(), &true.into()));

    let edits = ["--trim", "0.5s:1.5s", "--fps", "60", "--input-unit", "cm"];
    let one = |arguments: &[&str]| drop(sandbox.run(arguments).ok());
    one(&[&["convert", "db/a/walk.bvh", "-o", "one.bvh"][..], &edits].concat());
    assert_eq!(sandbox.read("one.bvh"), sandbox.read("out/source/a/walk.bvh"));
    one(&[&["retarget", "db/a/walk.bvh", "robin.skel", "-o", "one.csv"][..], &edits].concat());
    assert_eq!(sandbox.read("one.csv"), sandbox.read("out/a/walk.csv"));
    one(&[&["retarget", "db/a/walk.bvh", "robin.skel", "-o", "one.json"][..], &edits].concat());
    one(&["compress", "one.json", "--error", "1mm"]);
    assert_eq!(sandbox.read("one.mocz"), sandbox.read("out/small/a/walk.mocz"));
}

#[test]
fn any_number_of_jobs_gives_the_same_bytes() {
    let sandbox = people();
    sandbox.put("p.toml", ALL);
    let outputs = |folder: &str, jobs: &str| {
        sandbox.run(["run", "p.toml", "-o", folder, "-j", jobs]).ok();
        let files = sandbox.files(folder);
        files.into_iter().map(|file| (sandbox.read(&format!("{folder}/{file}")), file)).collect::<Vec<_>>()
    };
    assert_eq!(outputs("one", "1"), outputs("eight", "8"));
}

#[test]
fn a_missed_gate_is_exit_code_3_and_nothing_is_written() {
    let sandbox = people();
    sandbox.put("p.toml", ALL);
    let ran = sandbox.run(["run", "p.toml", "--set", "error=5mm", "--json"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert!(!sandbox.path("out").exists());
    let rows = ran.rows();
    assert_eq!((&rows[0]["passed"], &rows[0]["outputs"]), (&false.into(), &serde_json::json!([])));
    assert_eq!(rows[2]["failed"], 2);
    assert!(ran.stderr.contains("error[gate::error-above]: step 'compare'"), "{}", ran.stderr);
    // A clip that cannot be read takes precedence over a missed gate in the exit code.
    sandbox.put("db/broken.bvh", "HIERARCHY\nROOT\n");
    assert_eq!(sandbox.run(["run", "p.toml", "--set", "error=5mm"]).code, 1);

    let gate = "[[step]]\ndo = 'retarget'\ntarget = 'robin.skel'\nfail-above = 'float=0'\n";
    sandbox.put("gate.toml", gate);
    let ran = sandbox.run(["run", "gate.toml", "db/a/walk.bvh", "--json"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    assert_eq!(ran.rows()[0]["gates"][0]["metric"], "float");
}

#[test]
fn the_report_of_a_run_has_totals_failures_gates_and_a_page_per_clip() {
    let sandbox = people();
    sandbox.put("p.toml", ALL);
    sandbox.put("db/broken.bvh", "HIERARCHY\nROOT\n");
    assert_eq!(sandbox.run(["run", "p.toml", "--report", "site", "--dry-run"]).code, 0);
    assert!(!sandbox.path("site").exists());
    assert_eq!(sandbox.run(["run", "p.toml", "--report", "site", "--resume"]).code, 1);
    let text = |name: &str| String::from_utf8(sandbox.read(name)).unwrap();
    let report = text("site/report.html");
    for said in [
        "<dt>clips</dt><dd>2</dd>",
        "<dt>failed</dt><dd>1</dd>",
        "<td>db/broken.bvh</td>",
        "robin: slide",
        "compress: ratio",
        "compare: error",
        "view.html#clip=clips%2Fa%2Fwalk.bvh.js",
    ] {
        assert!(report.contains(said), "no '{said}' in {report}");
    }
    let script = text("site/clips/a/walk.bvh.js");
    assert!(script.contains("walk.bvh: result") && script.contains("mocapClip({"));
    assert!(text("site/index.html").contains("report.html"));
    // What an earlier run made stays in the report.
    sandbox.run(["run", "p.toml", "--report", "site", "--resume"]);
    assert_eq!(text("site/report.html"), report);
    // The report shows clips that missed a gate.
    let ran = sandbox.run(["run", "p.toml", "db/a", "-o", "new", "--set", "error=5mm", "--report", "missed"]);
    assert_eq!(ran.code, 3, "{ran:?}");
    let missed = text("missed/report.html");
    assert!(
        missed.contains("<dt>missed a gate</dt><dd>1</dd>") && missed.contains("1 above the limit of 1 mm")
    );
    assert!(sandbox.path("missed/clips/walk.bvh.js").exists() && !sandbox.path("new").exists());
    assert_eq!(sandbox.run(["run", "p.toml", "--report", "p.toml"]).code, 2);
}

#[test]
fn explain_shows_the_plan_of_each_input_and_does_nothing() {
    let sandbox = people();
    sandbox.put("p.toml", ALL);
    let ran = sandbox.run(["run", "p.toml", "--explain", "--set", "rate=30"]).ok();
    let expected = "\
error = \"1mm\" (default)
rate = \"30\" (--set)
db/a/walk.bvh
  read                 input-unit=cm
  edit                 trim=0.5s:1.5s fps=30
  source (write)       to=bvh folder=source -> out/source/a/walk.bvh
  robin (retarget)     target=robin.skel fail-above=violations=0
  table (write)        to=csv -> out/a/walk.csv
  compress             error=1mm folder=small -> out/small/a/walk.mocz
  compare              max-error=1mm
db/b/jump.bvh
  read                 input-unit=cm
  edit                 fps=30 trim=0s:0.5s
  source (write)       to=bvh folder=source -> out/source/b/jump.bvh
  robin (retarget)     target=robin.skel fail-above=violations=0
  compress             error=1mm folder=small -> out/small/b/jump.mocz
  compare              max-error=1mm
";
    assert_eq!(ran.stdout, expected);
    assert!(!sandbox.path("out").exists());
    // Existing outputs matter only if something is written.
    sandbox.run(["run", "p.toml"]).ok();
    assert_eq!(sandbox.run(["run", "p.toml", "--explain", "--set", "rate=30"]).ok().stdout, expected);
}

#[test]
fn a_mistake_is_shown_in_its_line() {
    let sandbox = people();
    sandbox.put("p.toml", ALL.replace("max-error = \"1mm\"", "max-eror = \"1mm\""));
    let ran = sandbox.run(["run", "p.toml"]);
    assert_eq!(ran.code, 2);
    let expected = "\
error[toml::unknown-key]: step 'compare' has no 'max-eror'
  --> p.toml:42:1
   |
42 | max-eror = \"1mm\"
   | ^^^^^^^^
   |
   = help: did you mean 'max-error'?

";
    assert_eq!(ran.stderr, expected);
    sandbox.put("p.toml", ALL.replace("to = \"csv\"", "to = \"bvh\"\nfolder = 'source'"));
    let ran = sandbox.run(["run", "p.toml"]);
    assert!(ran.stderr.contains("steps 'source' and 'table' write the same files"), "{}", ran.stderr);
    sandbox.put("p.toml", ALL.replace("folder = \"small\"", "folder = '../small'"));
    let ran = sandbox.run(["run", "p.toml"]);
    assert!(ran.stderr.contains("is not below the output directory"), "{}", ran.stderr);
}

#[test]
fn the_flags_of_many_inputs_apply() {
    let sandbox = Sandbox::new();
    for i in 0..5 {
        sandbox.put(&format!("db/{i}.bvh"), LEG);
    }
    sandbox.put(
        "p.toml",
        "output = 'out'\n[[step]]\ndo = 'write'\nto = 'bvh'\n[[step]]\ndo = 'write'\nto = 'amc'\n",
    );
    let run = |more: &[&str]| sandbox.run([&["run", "p.toml", "db"], more].concat());
    let ran = run(&["--dry-run", "--include", "[01].bvh"]).ok();
    let planned = |clip: usize, kind: &str| format!("write db/{clip}.bvh -> out/{clip}.{kind}\n");
    let all: String =
        [0, 1].map(|clip| ["bvh", "amc", "asf"].map(|kind| planned(clip, kind)).concat()).concat();
    assert_eq!(ran.stdout, all);
    run(&["--include", "0.bvh"]).ok();
    assert_eq!(sandbox.files("out"), ["0.amc", "0.asf", "0.bvh"]);
    let ran = run(&[]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("'out/0.bvh' exists already") || ran.stderr.contains("1 of 5 outputs exist"),
        "{}",
        ran.stderr
    );
    let ran = run(&["--skip-existing", "--json"]).ok();
    assert_eq!(ran.rows().last().unwrap()["skipped"], 1);
    assert_eq!(sandbox.files("out").len(), 15);
    run(&["--overwrite"]).ok();
    // An output that is an input is refused, however it comes about.
    sandbox.put("q.toml", "[[step]]\ndo = 'write'\nto = 'bvh'\nfolder = 'db'\n");
    let ran = sandbox.run(["run", "q.toml", "db", "-o", ".", "--overwrite"]);
    assert!(ran.stderr.contains("is an input and would be overwritten"), "{}", ran.stderr);
    let ran = sandbox.run(["run", "q.toml", "db"]);
    assert!(ran.stderr.contains("no output directory is given"), "{}", ran.stderr);
    let ran = sandbox.run(["run", "q.toml", "-o", "x"]);
    assert!(ran.stderr.contains("names an input"), "{}", ran.stderr);
}

#[test]
fn pipelines_are_resumed_and_sharded_as_commands_are() {
    let sandbox = people();
    sandbox.put("p.toml", ALL);
    sandbox.run(["run", "p.toml", "-o", "whole"]).ok();
    for shard in ["1/3", "2/3", "3/3"] {
        let ran = sandbox.run(["run", "p.toml", "-o", "parts", "--shard", shard, "--resume"]);
        assert!(ran.code == 0 || ran.stderr.contains("no input"), "{ran:?}");
    }
    let bytes = |folder: &str| {
        let files = sandbox.files(folder).into_iter().filter(|file| !file.contains("manifest"));
        files.map(|file| (sandbox.read(&format!("{folder}/{file}")), file)).collect::<Vec<_>>()
    };
    assert_eq!(bytes("parts"), bytes("whole"));

    let resume = |more: &[&str]| sandbox.run([&["run", "p.toml", "--resume", "--json"], more].concat());
    resume(&[]).ok();
    let again = resume(&[]).ok();
    assert_eq!(again.rows().last().unwrap()["skipped"], 2, "{again:?}");
    // If one of the outputs of a clip is missing, only this clip is processed again.
    std::fs::remove_file(sandbox.path("out/small/a/walk.mocz")).unwrap();
    let again = resume(&[]).ok();
    let summary = again.rows().pop().unwrap();
    assert_eq!((&summary["ok"], &summary["skipped"]), (&1.into(), &1.into()), "{again:?}");
    // With another variable or target, the manifest is that of a different run.
    assert_eq!(resume(&["--set", "rate=30"]).code, 2);
    sandbox.put("robin.skel", std::fs::read(fixture("clips/alex.skel")).unwrap());
    let other = resume(&[]);
    assert_eq!(other.code, 2, "{other:?}");
}

#[test]
fn what_is_carried_is_put_on_the_target_too() {
    let sandbox = people();
    let grip = "HIERARCHY\nROOT grip\n{\nOFFSET 0 0 0\n\
        CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
        JOINT blade\n{\nOFFSET 0 80 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\n\
        MOTION\nFrames: 1\nFrame Time: 0.033333\n0 0 0 0 0 0 0 0 0\n";
    sandbox.put("sword.bvh", grip);
    let attach = "[[step]]\ndo = 'attach'\nbind = 'grip=RightHand'\nprop = 'sword.bvh'\nprop-unit = 'cm'\nhold = 'snap'\n";
    let head = "output = 'out'\n[[step]]\ndo = 'read'\ninput-unit = 'cm'\n";
    let put = "[[step]]\ndo = 'retarget'\ntarget = 'robin.skel'\n[[step]]\ndo = 'write'\nto = 'bvh'\n";
    sandbox.put("both.toml", format!("inputs = 'db/a'\n{head}{attach}{put}"));
    sandbox.run(["run", "both.toml"]).ok();
    // A prop that an earlier command attached is carried, too.
    let words =
        "edit db/a/walk.bvh --attach grip=RightHand --prop sword.bvh --prop-unit cm --hold snap -o armed.bvh";
    sandbox.run(words.split(' ').collect::<Vec<_>>()).ok();
    sandbox.put("put.toml", format!("inputs = 'armed.bvh'\n{head}{put}"));
    sandbox.run(["run", "put.toml"]).ok();
    // The result equals that of `mocap retarget`.
    let words = "retarget armed.bvh robin.skel --input-unit cm -o one.bvh";
    sandbox.run(words.split(' ').collect::<Vec<_>>()).ok();
    for made in ["out/walk.bvh", "out/armed.bvh", "one.bvh"] {
        let text = String::from_utf8(sandbox.read(made)).unwrap();
        assert!(text.contains("grip") && text.contains("blade"), "{made}");
    }
    let row = sandbox.run(["compare", "one.bvh", "out/armed.bvh", "--json"]).ok().rows().remove(0);
    assert!(row["max"].as_f64().unwrap() < 1e-3, "{row}");
}
