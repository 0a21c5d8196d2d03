//! A C program plays a file as the library does.

use mocap_compress::{
    CompressOptions, Compressed, JointId, Looping, OpenLimits, Profile, Transform, compress,
};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

fn numbers(pose: &[Transform]) -> Vec<f32> {
    pose.iter().flat_map(|joint| joint.rotation.into_iter().chain(joint.translation)).collect()
}

#[test]
#[allow(clippy::print_stderr, reason = "says what was skipped")]
fn a_program_in_c_plays_what_the_library_plays() {
    if !cfg!(target_os = "linux") || Command::new("cc").arg("--version").output().is_err() {
        eprintln!("skipped: a program in C needs Linux and cc");
        return;
    }
    let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    let folder = tempfile::tempdir().unwrap();
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let test = std::env::current_exe().unwrap();
    let libraries = test.parent().unwrap();
    let program = folder.path().join("decode");
    let built = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([&program, &here.join("tests/decode.c")])
        .arg(format!("-I{}", here.join("include").display()))
        .arg(format!("-L{}", libraries.display()))
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .arg("-lmocap_c")
        .output()
        .unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    for (code, profile) in
        [Profile::Archive, Profile::Runtime, Profile::Keys, Profile::Direct].iter().enumerate()
    {
        let options = CompressOptions { profile: *profile, ..CompressOptions::default() };
        let bytes = compress(&clip, &options).unwrap().bytes;
        let file = folder.path().join("clip.mocz");
        std::fs::write(&file, &bytes).unwrap();
        let ran = Command::new(&program).arg(&file).arg("0.515").output().unwrap();
        let output = String::from_utf8(ran.stdout).unwrap();
        assert!(ran.status.success(), "{output}");

        let opened = Compressed::open(bytes, &OpenLimits::default()).unwrap();
        let joints = opened.skeleton().joints();
        let rate = clip.rate().fps();
        let mut lines = output.lines();
        assert!(lines.next().unwrap().starts_with("mocz::"), "{output}");
        let words: Vec<f64> = lines.next().unwrap().split(' ').map(|word| word.parse().unwrap()).collect();
        let duration = (clip.frames() - 1) as f64 / rate;
        assert_eq!(words, [joints.len() as f64, clip.frames() as f64, rate, duration, code as f64]);
        for joint in joints {
            let mut wanted = String::new();
            write!(wanted, "{} {}", joint.name, joint.parent.map_or(-1, |at| at.index() as i32)).unwrap();
            assert_eq!(lines.next(), Some(wanted.as_str()));
        }
        for mut sampler in [opened.sampler(), opened.sampler_of(&[JointId::from(0)])] {
            let mut pose = sampler.pose();
            sampler.sample(0.515, Looping::Wrap, &mut pose);
            let found: Vec<f32> =
                lines.next().unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect();
            assert_eq!(found, numbers(&pose), "{profile}");
        }
    }
}
