//! The recipes of `docs/scale-out`: their own commands, run as the schedulers would run them.

#![allow(clippy::print_stdout, reason = "a test says what failed")]

#[path = "../mocap/mod.rs"]
mod mocap;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Output};

use mocap::{LEG, Sandbox, fixture};

const PIPELINE: &str = "[[step]]\ndo = 'write'\nto = 'csv'\n[[step]]\ndo = 'compress'\n";

/// Twelve clips in three folders, and what a pipeline makes of them in one run.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    for i in 0..12 {
        let motion = LEG.replace("0.1 0 10 0", &format!("0.1 0 {i} 0"));
        sandbox.put(&format!("database/{}/{i}.bvh", ["a", "b", "c"][i % 3]), motion);
    }
    sandbox.put("pipeline.toml", format!("[[step]]\ndo = 'read'\ninput-unit = 'm'\n{PIPELINE}"));
    sandbox.run(["run", "pipeline.toml", "database", "-o", "whole/"]).ok();
    sandbox
}

fn tree(sandbox: &Sandbox, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let files = sandbox.files(folder).into_iter().filter(|file| !file.contains("manifest"));
    files.map(|file| (file.clone(), sandbox.read(&format!("{folder}/{file}")))).collect()
}

fn recipe(name: &str) -> std::path::PathBuf {
    fixture("../docs/scale-out").join(name)
}

/// A program with `mocap` on its path.
fn program(sandbox: &Sandbox, name: &str) -> Command {
    let built = Path::new(env!("CARGO_BIN_EXE_mocap")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = Command::new(name);
    command.current_dir(sandbox.path("")).env("PATH", format!("{}:{path}", built.display()));
    command
}

#[track_caller]
fn ok(output: &Output) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

pub(crate) fn a_slurm_array_makes_what_one_run_makes() {
    let sandbox = sandbox();
    // Arrays may be counted from any number; a task that is requeued comes twice.
    for task in ["7", "8", "9", "8"] {
        let mut command = program(&sandbox, "bash");
        command.arg(recipe("slurm.sh")).args(["pipeline.toml", "database", "out"]);
        command.env("SLURM_ARRAY_TASK_ID", task).env("SLURM_ARRAY_TASK_MIN", "7");
        command.env("SLURM_ARRAY_TASK_COUNT", "3").env("SLURM_CPUS_PER_TASK", "2");
        ok(&command.output().unwrap());
    }
    let merged = program(&sandbox, "bash").arg(recipe("slurm-merge.sh")).arg("out").output().unwrap();
    assert!(ok(&merged).contains("12"), "{merged:?}");
    assert_eq!(tree(&sandbox, "out"), tree(&sandbox, "whole"));
    // Each shard has its manifest.
    let parts = sandbox.files("out").iter().filter(|file| file.contains("-of-3")).count();
    assert_eq!(parts, 3);
}

pub(crate) fn an_indexed_job_makes_what_one_run_makes() {
    let sandbox = sandbox();
    let job = std::fs::read_to_string(recipe("kubernetes.yaml")).unwrap();
    let script: String = job
        .lines()
        .skip_while(|line| line.trim() != "- |")
        .skip(1)
        .take_while(|line| line.starts_with("              "))
        .map(|line| format!("{}\n", line.trim_start()))
        .collect();
    assert!(script.contains("--shard"), "{script}");
    for index in 0..3 {
        let mut command = program(&sandbox, "/bin/sh");
        command.args(["-c", &script]).env("JOB_COMPLETION_INDEX", index.to_string()).env("SHARDS", "3");
        command.env("PIPELINE", "pipeline.toml").env("DATABASE", "database").env("OUT", "out");
        ok(&command.output().unwrap());
    }
    ok(&program(&sandbox, "mocap").args(["manifest", "merge", "out"]).output().unwrap());
    ok(&program(&sandbox, "mocap").args(["manifest", "verify", "out"]).output().unwrap());
    assert_eq!(tree(&sandbox, "out"), tree(&sandbox, "whole"));
}

/// Starts a cluster of three nodes on this machine, and runs the command after it with the cluster's address.
const CLUSTER: &str = "
import subprocess, sys
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={'num_cpus': 1})
for _ in range(2):
    cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
script, *arguments = sys.argv[1:]
code = subprocess.run([sys.executable, script, '--address', cluster.address, *arguments]).returncode
cluster.shutdown()
sys.exit(code)
";

/// `mocap`, killed once when it works on the second shard.
const KILLED_ONCE: &str = "#!/bin/sh
case \"$*\" in
  *'--shard 2/4'*) if mkdir killed-once 2> /dev/null; then kill -9 $$; fi ;;
esac
exec mocap \"$@\"
";

pub(crate) fn a_ray_cluster_makes_what_one_run_makes_and_retries_shards() {
    use std::os::unix::fs::PermissionsExt;
    let python = std::env::var("MOCAP_PYTHON").unwrap_or_else(|_| "python3".into());
    let has_ray = Command::new(&python).args(["-c", "import ray"]).output();
    if !has_ray.is_ok_and(|output| output.status.success()) {
        mocap_corpus::skip("need the Python package ray; MOCAP_PYTHON names the Python that has it");
    }
    let sandbox = sandbox();
    let wrapper = sandbox.put(
        "mocap-killed-once",
        KILLED_ONCE.replace("killed-once 2", &format!("{} 2", sandbox.path("killed").display())),
    );
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.put("cluster.py", CLUSTER);
    let (out, database) = (sandbox.path("out"), sandbox.path("database"));
    let pipeline = sandbox.path("pipeline.toml");
    let mut command = program(&sandbox, &python);
    command.arg("cluster.py").arg(recipe("ray_convert.py"));
    command.args(["--shards", "4", "--retries", "1", "--mocap"]).arg(&wrapper).arg("-o").arg(&out);
    command.args(["--", "run"]).arg(&pipeline).arg(&database);
    command.env("RAY_USAGE_STATS_ENABLED", "0");
    let said = ok(&command.output().unwrap());
    let summary: serde_json::Value = serde_json::from_str(said.lines().last().unwrap()).expect(&said);
    assert_eq!(summary["retried_shards"], serde_json::json!([2]), "{summary}");
    assert_eq!(summary["failed_shards"], serde_json::json!([]), "{summary}");
    assert_eq!((&summary["verified"], &summary["stats"]["ok"]), (&true.into(), &12.into()), "{summary}");
    assert_eq!(tree(&sandbox, "out"), tree(&sandbox, "whole"));
}

/// The exit code of a step of the workflow for CI.
fn step_of_workflow(sandbox: &Sandbox, name: &str) -> i32 {
    let workflow = std::fs::read_to_string(fixture("../docs/ci/motion.yml")).unwrap();
    let script: String = workflow
        .lines()
        .skip_while(|line| line.trim() != format!("- name: {name}"))
        .skip(2)
        .take_while(|line| line.starts_with("          "))
        .map(|line| format!("{}\n", line.strip_prefix("          ").unwrap()))
        .collect();
    assert!(script.contains("mocap"), "{name}: {script}");
    let output = program(sandbox, "bash").args(["-eo", "pipefail", "-c", &script]).output().unwrap();
    println!("{name}: {}", String::from_utf8_lossy(&output.stderr));
    output.status.code().unwrap()
}

pub(crate) fn the_workflow_for_ci_takes_motions_whose_names_differ_only_in_their_extension() {
    let sandbox = Sandbox::new();
    for (name, from) in
        [("01_01.amc", "alex_walk.amc"), ("01.asf", "alex.asf"), ("01_01.bvh", "alex_turn.bvh")]
    {
        sandbox.put(&format!("motions/{name}"), std::fs::read(fixture("clips").join(from)).unwrap());
    }
    std::fs::create_dir(sandbox.path("report")).unwrap();
    assert_eq!(["convert", "compare"].map(|name| step_of_workflow(&sandbox, name)), [0; 2]);
    let rows = std::fs::read_to_string(sandbox.path("report/compare.jsonl")).unwrap();
    assert!(rows.contains("01_01.amc.mocz") && rows.contains("01_01.bvh.mocz"), "{rows}");
}

pub(crate) fn the_workflow_for_ci_passes_a_good_repository_and_stops_a_bad_one() {
    if std::process::Command::new("jq").arg("--version").output().is_err() {
        mocap_corpus::skip("need jq");
    }
    let sandbox = Sandbox::new();
    for name in ["alex_walk.bvh", "alex_turn.bvh"] {
        sandbox.put(&format!("motions/a b/{name}"), std::fs::read(fixture("clips").join(name)).unwrap());
    }
    let gate = std::fs::read_to_string(fixture("../examples/pipelines/gate.toml")).unwrap();
    // BVH files do not state their unit, so the gate's settings do.
    sandbox.put("ci/gate.toml", gate.replace("strict = true", "strict = true\ninput-unit = 'cm'"));
    sandbox.put("ci/target.skel", std::fs::read(fixture("clips/robin.skel")).unwrap());
    sandbox.put("mocap.toml", "input-unit = 'cm'\n");
    let step = |name: &str| step_of_workflow(&sandbox, name);
    assert_eq!(["validate", "convert", "compare", "gate"].map(step), [0; 4]);
    let reports = ["compare.jsonl", "convert.jsonl", "gate.jsonl", "validate.jsonl"];
    assert_eq!(sandbox.files("report"), reports);
    // A motion that changed after it was converted.
    let other = std::fs::read_to_string(fixture("clips/alex_walk.bvh")).unwrap();
    sandbox.put("motions/a b/alex_walk.bvh", other.replacen("OFFSET 9.5 -9 2", "OFFSET 19.5 -9 2", 1));
    assert_eq!(step("compare"), 3);
    // A motion of another length cannot be compared.
    std::fs::copy(sandbox.path("build/a b/alex_turn.mocz"), sandbox.path("build/a b/alex_walk.mocz"))
        .unwrap();
    assert_eq!(step("compare"), 1);
    // A file that is not there is an error, and the others are compared; the last line is the summary.
    std::fs::remove_file(sandbox.path("build/a b/alex_walk.mocz")).unwrap();
    std::fs::remove_file(sandbox.path("report/compare.jsonl")).unwrap();
    assert_eq!(step("compare"), 1);
    assert_eq!(std::fs::read_to_string(sandbox.path("report/compare.jsonl")).unwrap().lines().count(), 3);
    sandbox.put("motions/broken.bvh", "HIERARCHY\nROOT\n");
    // A file with a warning and no error.
    let odd = "HIERARCHY\nROOT A\n{\n  OFFSET 0 0 0\n  CHANNELS 3 Zrotation Xrotation Yrotation\n  End Site\n  {\n    \
               OFFSET 0 1 0\n  }\n}\nMOTION\nFrames: 2\nFrame Time: 0.04\n0 0 0\n0 0 0\n0 0 0\n";
    sandbox.put("motions/odd.bvh", odd);
    assert_eq!(["validate", "gate"].map(step), [1, 1]);
    let page = std::fs::read_to_string(fixture("../docs/ci/README.md")).unwrap();
    let missed =
        r#"{"path":"a","passed":false,"gates":[{"metric":"slide","value":2,"limit":1,"passed":false}]}"#;
    sandbox.put("report/gate.jsonl", format!("{missed}\n"));
    let said = |start: &str| {
        let line = page.lines().find(|line| line.starts_with(start)).unwrap();
        let output = program(&sandbox, "bash").args(["-ec", line]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let found = said("jq -r 'select(.valid");
    assert!(found.contains("broken.bvh:") && found.contains("odd.bvh:"), "{found}");
    assert_eq!(said("jq -r 'select(.passed"), "a: slide 2, limit 1\n");
}

pub(crate) fn the_real_ffmpeg_makes_a_film_with_the_same_bytes_twice() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    if !std::env::split_paths(&path).any(|folder| folder.join("ffmpeg").is_file()) {
        mocap_corpus::skip("need ffmpeg");
    }
    let sandbox = Sandbox::new();
    sandbox.put("walk.bvh", std::fs::read(fixture("clips/alex_walk.bvh")).unwrap());
    let small =
        ["render", "walk.bvh", "--size", "121x91", "--picture-rate", "10", "--end", "0.5", "-o", "walk.mp4"];
    ok(&program(&sandbox, "mocap").args(small).output().unwrap());
    let film = sandbox.read("walk.mp4");
    assert_eq!(&film[4..8], b"ftyp");
    ok(&program(&sandbox, "mocap").args(small).arg("--overwrite").output().unwrap());
    assert!(sandbox.read("walk.mp4") == film, "the same bytes");
}
