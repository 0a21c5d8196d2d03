//! Runs the built `mocap` in a new folder.

#![allow(dead_code, reason = "every test file uses a part of it")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder and the commands that run in it.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
}

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Sandbox {
    pub(crate) fn new() -> Sandbox {
        Sandbox { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A file, with the folders above it.
    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The names below a folder, sorted, folders left out.
    pub(crate) fn files(&self, folder: &str) -> Vec<String> {
        let root = self.path(folder);
        let mut found = Vec::new();
        let mut open = vec![root.clone()];
        while let Some(folder) = open.pop() {
            for entry in folder.read_dir().unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    open.push(path);
                } else {
                    found.push(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        found.sort();
        found
    }

    /// A run without input.
    pub(crate) fn run<'a>(&self, arguments: impl AsRef<[&'a str]>) -> Ran {
        self.run_with(arguments, b"")
    }

    /// A run that reads `input` from stdin.
    pub(crate) fn run_with<'a>(&self, arguments: impl AsRef<[&'a str]>, input: &[u8]) -> Ran {
        let mut child = command(self.folder.path())
            .args(arguments.as_ref())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // A command may end before it has read its input.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        ran(output)
    }
}

impl Ran {
    /// The rows of `--json`.
    pub(crate) fn rows(&self) -> Vec<serde_json::Value> {
        self.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
    }

    /// The run, where it ended well.
    #[track_caller]
    pub(crate) fn ok(self) -> Ran {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }
}

/// `mocap`, as the tests built it, untouched by the environment of who runs them.
pub(crate) fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mocap"));
    command.current_dir(folder).env_clear();
    command
}

pub(crate) fn ran(output: Output) -> Ran {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("mocap prints UTF-8");
    Ran {
        code: output.status.code().expect("no signal"),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// A file of the `fixtures/` of the project.
pub(crate) fn fixture(name: &str) -> PathBuf {
    mocap_corpus::fixture(name)
}

/// A leg of two bones, 1.2 units long, that swings over four frames.
pub(crate) const LEG: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Knee
  {
    OFFSET 0 -0.6 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -0.6 0
    }
  }
}
MOTION
Frames: 4
Frame Time: 0.033333
0 1.2 0 0 0 0 0 0 0
0 1.2 0.1 0 10 0 0 5 0
0 1.2 0.2 0 20 0 0 10 0
0 1.2 0.3 0 30 0 0 15 0
";

/// Robin's walk after a rest pose in which one joint is turned: the turn shows where the pose was used.
pub(crate) fn rest_first() -> String {
    let text = std::fs::read_to_string(fixture("clips/robin_walk.bvh")).unwrap();
    let (head, motion) = text.split_once("Frame Time:").unwrap();
    let (time, rows) = motion.split_once('\n').unwrap();
    let mut values: Vec<&str> = rows.lines().next().unwrap().split_whitespace().collect();
    values[3..].fill("0");
    let last = values.len() - 2;
    values[last] = "25";
    let frames = rows.lines().filter(|row| !row.is_empty()).count();
    let head = head.replace(&format!("Frames: {frames}"), &format!("Frames: {}", frames + 1));
    format!("{head}Frame Time:{time}\n{}\n{rows}", values.join(" "))
}
