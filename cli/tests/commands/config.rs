//! Settings: flag > environment > `mocap.toml` > default, and the messages about them.

use crate::mocap::{LEG, Ran, Sandbox, command, ran};

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.put("leg.bvh", LEG);
    sandbox
}

fn run_in(sandbox: &Sandbox, folder: &str, variables: &[(&str, &str)], arguments: &[&str]) -> Ran {
    ran(command(&sandbox.path(folder)).envs(variables.iter().copied()).args(arguments).output().unwrap())
}

fn unit(ran: Ran) -> String {
    ran.ok().rows()[0]["unit"]["name"].as_str().unwrap().to_owned()
}

#[test]
fn a_flag_wins_over_the_environment_over_the_file_over_the_default() {
    let sandbox = sandbox();
    let info = ["info", "leg.bvh", "--json"];
    let inches = [("MOCAP_INPUT_UNIT", "in")];
    assert_eq!(unit(run_in(&sandbox, "", &inches, &info)), "in");
    sandbox.put("mocap.toml", "input-unit = 'cm'\n");
    assert_eq!(unit(run_in(&sandbox, "", &[], &info)), "cm");
    assert_eq!(unit(run_in(&sandbox, "", &inches, &info)), "in");
    assert_eq!(unit(run_in(&sandbox, "", &inches, &[&info[..], &["--input-unit", "mm"]].concat())), "mm");
    // The table of a command comes before the top of the file.
    sandbox.put("mocap.toml", "input-unit = 'cm'\n[info]\ninput-unit = 'ft'\njobs = 1\n");
    assert_eq!(unit(run_in(&sandbox, "", &[], &info)), "ft");
    // Another file, or none.
    sandbox.put("other.toml", "json = true\ninput-unit = 'm'\n");
    assert_eq!(unit(run_in(&sandbox, "", &[], &["info", "leg.bvh", "--config", "other.toml"])), "m");
    assert_eq!(unit(run_in(&sandbox, "", &[("MOCAP_CONFIG", "other.toml")], &["info", "leg.bvh"])), "m");
    let none = run_in(&sandbox, "", &[], &["info", "leg.bvh", "--json", "--config", "none"]).ok();
    assert_eq!(none.rows()[0]["unit"]["source"], "guessed");
}

#[test]
fn the_file_is_found_above() {
    let sandbox = sandbox();
    sandbox.put("mocap.toml", "input-unit = 'cm'\njson = true\n");
    sandbox.put("a/b/leg.bvh", LEG);
    assert_eq!(unit(run_in(&sandbox, "a/b", &[], &["info", "leg.bvh"])), "cm");
    assert_eq!(unit(run_in(&sandbox, "a/b", &[("MOCAP_JSON", "no")], &["info", "leg.bvh", "--json"])), "cm");
    let text = run_in(&sandbox, "a/b", &[("MOCAP_JSON", "no")], &["info", "leg.bvh"]).ok();
    assert!(text.stdout.starts_with("leg.bvh"), "{}", text.stdout);
}

#[test]
fn mistakes_are_shown_in_their_line() {
    let sandbox = sandbox();
    sandbox.put("mocap.toml", "jobs = 2\n\n[compress]\nerorr = '1mm'\n");
    let ran = sandbox.run(["info", "leg.bvh"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("mocap.toml:4:1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("did you mean 'error'?"), "{}", ran.stderr);
    // Help works whatever the settings.
    assert!(sandbox.run(["compress", "--help"]).ok().stdout.contains("--error"));
    let ran = sandbox.run(["info", "leg.bvh", "--config", "none.toml"]);
    assert!(ran.stderr.contains("error[io::not-found]"), "{}", ran.stderr);
    let ran = run_in(&sandbox, "", &[("MOCAP_JOBS", "many")], &["info", "leg.bvh", "--config", "none"]);
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("the value is that of MOCAP_JOBS"), "{}", ran.stderr);
}

#[test]
fn print_config_shows_what_is_in_force_and_why() {
    let sandbox = sandbox();
    sandbox.put("mocap.toml", "jobs = 2\n\n[compress]\nerror = '1mm'\nset = ['Finger*:error=2mm']\n");
    let ran = sandbox.run(["compress", "--print-config"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    sandbox.put("mocap.toml", "jobs = 2\n\n[compress]\nerror = '1mm'\nstrict = true\n");
    let variables = [("MOCAP_PROFILE", "keys")];
    let arguments = ["compress", "--shell", "2cm", "--print-config"];
    let ran = run_in(&sandbox, "", &variables, &arguments).ok();
    let here = sandbox.path("mocap.toml").canonicalize().unwrap();
    let line = |start: &str| ran.stdout.lines().find(|line| line.starts_with(start)).unwrap_or("").to_owned();
    assert_eq!(ran.stdout.lines().next(), Some(format!("# settings of {}", here.display()).as_str()));
    assert_eq!(line("error"), format!("{:<34} # {}:4", "error = \"1mm\"", here.display()));
    assert_eq!(line("jobs"), format!("{:<34} # {}:1", "jobs = \"2\"", here.display()));
    assert_eq!(line("profile"), format!("{:<34} # MOCAP_PROFILE", "profile = \"keys\""));
    assert_eq!(line("shell"), format!("{:<34} # --shell", "shell = \"2cm\""));
    assert_eq!(line("asf-units"), format!("{:<34} # default", "asf-units = \"auto\""));
    // The printed options are themselves a valid settings file.
    sandbox.put("printed.toml", ran.stdout.split_once('\n').unwrap().1);
    sandbox.run(["compress", "leg.bvh", "--input-unit", "m", "--config", "printed.toml"]);
    let again = sandbox.run(["compress", "--config", "printed.toml", "--print-config", "--json"]).ok();
    assert!(again.rows().iter().any(|row| row["option"] == "profile" && row["values"][0] == "keys"));
    // Every command prints its options without inputs.
    for name in [
        "info",
        "validate",
        "convert",
        "compare",
        "retarget",
        "skel",
        "view",
        "sheet",
        "plot",
        "split",
        "run",
        "decompress",
    ] {
        sandbox.run([name, "--print-config"]).ok();
    }
}

#[test]
fn settings_and_pipelines_that_are_no_text_or_have_no_end_are_refused() {
    let sandbox = Sandbox::new();
    sandbox.put("bad.toml", b"jobs = 2\nstrict = \xff\n");
    for words in [["run", "bad.toml"], ["info", "--config=bad.toml"]] {
        let ran = sandbox.run([words[0], words[1], "leg.bvh"]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(
            ran.stderr.contains("toml::not-utf8") && ran.stderr.contains("bad.toml:2:10"),
            "{}",
            ran.stderr
        );
        if cfg!(target_os = "linux") {
            let endless = words.map(|word| word.replace("bad.toml", "/dev/zero"));
            let ran = sandbox.run([endless[0].as_str(), &endless[1], "leg.bvh"]);
            assert!(ran.code == 2 && ran.stderr.contains("io::too-large"), "{}", ran.stderr);
        }
    }
}
