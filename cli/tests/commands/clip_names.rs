//! Names of clips in files that name them, and that pipelines write the same files as commands.

use crate::mocap::{Sandbox, fixture};

fn walks() -> Sandbox {
    let sandbox = Sandbox::new();
    for (name, clip) in [("walk.bvh", "alex_walk.bvh"), ("turn.bvh", "alex_turn.bvh")] {
        sandbox.put(name, std::fs::read(fixture("clips").join(clip)).unwrap());
    }
    sandbox
}

/// The names of the clips of a file.
fn names(sandbox: &Sandbox, file: &str) -> Vec<String> {
    let row = sandbox.run(["info", file, "--json"]).ok().rows().remove(0);
    let clips = row["clips"].as_array().unwrap_or_else(|| panic!("{row}"));
    clips.iter().map(|clip| clip.as_str().unwrap().to_owned()).collect()
}

#[test]
fn clips_are_named_after_their_files() {
    let sandbox = walks();
    sandbox.run(["compress", "walk.bvh", "--input-unit", "cm", "-o", "walk.mocz"]).ok();
    let robin = fixture("clips/robin.skel").display().to_string();
    sandbox.put(
        "p.toml",
        format!(
            "inputs = \"walk.bvh\"\noutput = \"out\"\n\
             [[step]]\ndo = \"mirror\"\n[[step]]\ndo = \"write\"\nto = \"glb\"\n\
             [[step]]\ndo = \"retarget\"\ntarget = {robin:?}\n[[step]]\ndo = \"write\"\nto = \"fbx\"\n"
        ),
    );
    sandbox.run(["run", "p.toml"]).ok();
    assert_eq!(names(&sandbox, "out/walk.glb"), ["walk"]);
    assert_eq!(names(&sandbox, "out/walk.fbx"), ["walk"]);
    for extension in ["fbx", "glb"] {
        let file = |name: &str| format!("{name}.{extension}");
        for (arguments, output, name) in [
            (vec!["convert", "walk.bvh"], "converted", "walk"),
            (vec!["edit", "walk.bvh", "--mirror"], "edited", "walk"),
            (vec!["retarget", "walk.bvh", &robin], "retargeted", "walk"),
            (vec!["decompress", "walk.mocz"], "decompressed", "walk"),
            (vec!["join", "walk.bvh", "turn.bvh"], "joined", "joined"),
            (vec!["blend", "walk.bvh", "turn.bvh"], "blended", "blended"),
        ] {
            let output = file(output);
            let ran = sandbox.run([&arguments[..], &["-o", &output]].concat()).ok();
            assert_eq!(names(&sandbox, &output), [name], "{arguments:?}: {}", ran.stderr);
        }
        let converted = file("converted");
        sandbox.run(["split", &converted, "--every", "0.5s", "-o", "parts"]).ok();
        let part = format!("parts/converted_001.{extension}");
        assert_eq!(names(&sandbox, &part), ["converted_001"]);
        // From stdin: the name of the output.
        let bytes = sandbox.read("walk.bvh");
        sandbox.run_with(["edit", "-", "--mirror", "-o", &file("piped")], &bytes).ok();
        assert_eq!(names(&sandbox, &file("piped")), ["piped"]);
        // A name that the file states stays where one clip becomes one clip.
        std::fs::rename(sandbox.path(&converted), sandbox.path(&file("other"))).unwrap();
        let other = file("other");
        sandbox.run(["edit", &other, "--mirror", "-o", &file("again")]).ok();
        assert_eq!(names(&sandbox, &file("again")), ["walk"]);
        sandbox.run(["join", &other, &other, "-o", &file("twice")]).ok();
        assert_eq!(names(&sandbox, &file("twice")), ["twice"]);
    }
}

/// Runs steps on one file, and gives what they write.
fn piped(sandbox: &Sandbox, input: &str, steps: &str, to: &str) -> Vec<u8> {
    let folder = format!("out_{}", sandbox.files(".").len());
    let pipeline =
        format!("inputs = {input:?}\noutput = {folder:?}\n{steps}\n[[step]]\ndo = \"write\"\nto = {to:?}\n");
    sandbox.put("p.toml", pipeline);
    sandbox.run(["run", "p.toml"]).ok();
    let name = std::path::Path::new(input).with_extension(to);
    sandbox.read(&format!("{folder}/{}", name.file_name().unwrap().display()))
}

#[test]
fn a_pipeline_writes_the_bytes_of_the_command() {
    let sandbox = walks();
    let robin = fixture("clips/robin.skel").display().to_string();
    for to in ["bvh", "glb", "fbx"] {
        sandbox.run(["convert", "walk.bvh", "-o", &format!("kept/walk.{to}")]).ok();
        let input = format!("kept/walk.{to}");
        let target = format!("[[step]]\ndo = \"retarget\"\ntarget = {robin:?}\n");
        for (arguments, steps) in [
            (vec!["convert"], ""),
            (vec!["convert", "--trim", "10:50"], "[[step]]\ndo = \"edit\"\ntrim = \"10:50\"\n"),
            (vec!["convert", "--scale", "2"], "[[step]]\ndo = \"edit\"\nscale = 2\n"),
            (vec!["convert", "--fps", "30"], "[[step]]\ndo = \"edit\"\nfps = 30\n"),
            (vec!["edit", "--mirror"], "[[step]]\ndo = \"mirror\"\n"),
            (vec!["edit", "--denoise", "auto"], "[[step]]\ndo = \"denoise\"\n"),
            (vec!["retarget", &robin], &target),
        ] {
            for input in ["walk.bvh", &input] {
                let mut command = arguments.clone();
                command.insert(1, input);
                let output = format!("command/{}.{to}", sandbox.files(".").len());
                sandbox.run([&command[..], &["-o", &output]].concat()).ok();
                let piped = piped(&sandbox, input, steps, to);
                assert!(piped == sandbox.read(&output), "{command:?} to {to}");
            }
        }
    }
}

#[test]
fn a_pipeline_keeps_the_values_of_a_file_that_no_step_changes() {
    let sandbox = walks();
    let text = String::from_utf8(sandbox.read("walk.bvh")).unwrap().replace("Frame Time: ", "Frame Time:   ");
    sandbox.put("odd.bvh", &text);
    assert_ne!(text.as_bytes(), sandbox.read("walk.bvh"));
    sandbox.run(["convert", "odd.bvh", "-o", "kept.bvh"]).ok();
    let none = piped(&sandbox, "odd.bvh", "", "bvh");
    assert!(none == sandbox.read("kept.bvh"));
    let after_edit = piped(&sandbox, "odd.bvh", "[[step]]\ndo = \"mirror\"\n", "bvh");
    assert!(after_edit != none);
}
