//! Encodes films as MP4 with ffmpeg: pictures are written to its standard input one by one.

use std::env;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use mocap_report::render::{RenderInput, RenderOptions, TooManyPictures, pictures};

use crate::diagnostic::Diagnostic;

/// The program on the PATH that encodes films.
///
/// # Errors
/// Where there is none.
pub(super) fn ffmpeg() -> Result<PathBuf, Diagnostic> {
    let name = format!("ffmpeg{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).filter(|folder| !folder.as_os_str().is_empty());
    let found = folders.map(|folder| folder.join(&name)).find(|file| can_run(file));
    found.ok_or_else(|| {
        Diagnostic::new("render::no-ffmpeg", "MP4 is encoded by ffmpeg, which is not on the PATH").help(
            "install ffmpeg; or name the output .gif or .apng, or write --to frames for another encoder",
        )
    })
}

/// Whether a file is a program.
fn can_run(file: &Path) -> bool {
    #[cfg(unix)]
    let runs = |found: std::fs::Metadata| {
        std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0 && found.is_file()
    };
    #[cfg(not(unix))]
    let runs = |found: std::fs::Metadata| found.is_file();
    std::fs::metadata(file).is_ok_and(runs)
}

/// A child process that is killed when this value is dropped.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Number of bytes kept of ffmpeg's output: the end says why it failed.
const SAID: usize = 64 * 1024;

/// Encodes a film as MP4.
///
/// # Errors
/// If it is too long, or if ffmpeg fails: with its messages.
pub(super) fn mp4(
    ffmpeg: &Path,
    inputs: &[RenderInput<'_>],
    options: &RenderOptions,
) -> Result<Vec<u8>, Diagnostic> {
    let failed = |what: &str, error: &dyn std::fmt::Display| {
        Diagnostic::new("render::ffmpeg", format!("'{}' {what}: {error}", ffmpeg.display()))
    };
    // The index of an MP4 is written last and then moved to the front, which needs a file.
    let folder = tempfile::tempdir().map_err(|error| failed("has no folder to write to", &error))?;
    let film = folder.path().join("film.mp4");
    let mut child = Command::new(ffmpeg)
        .args(arguments(options))
        .arg(&film)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map(Guarded)
        .map_err(|error| failed("does not start", &error))?;
    let mut stderr = child.0.stderr.take().expect("it is piped");
    let said = std::thread::spawn(move || {
        let (mut said, mut part) = (Vec::new(), [0; 4096]);
        // A read error ends the messages; the exit code still shows whether ffmpeg failed.
        while let Some(count) = stderr.read(&mut part).ok().filter(|count| *count > 0) {
            said.extend_from_slice(&part[..count]);
            let over = said.len().saturating_sub(SAID);
            said.drain(..over);
        }
        String::from_utf8_lossy(&said).into_owned()
    });
    let mut stdin = child.0.stdin.take().expect("it is piped");
    let mut unwritten = None;
    let drawn = pictures(inputs, options, |pixels| match stdin.write_all(pixels) {
        Ok(()) => ControlFlow::Continue(()),
        // ffmpeg has ended: its exit code and messages say why.
        Err(error) => {
            unwritten = Some(error);
            ControlFlow::Break(())
        }
    });
    drop(stdin);
    let status = child.0.wait().map_err(|error| failed("cannot be waited for", &error))?;
    let said = said.join().unwrap_or_default();
    drawn.map_err(too_long)?;
    if !status.success() {
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("it says nothing");
        return Err(failed(&format!("failed ({status})"), &last.trim())
            .help("another ffmpeg may have the encoder; or name the output .gif or .apng"));
    }
    if let Some(error) = unwritten {
        return Err(failed("did not take all pictures", &error));
    }
    match std::fs::read(&film) {
        Ok(bytes) if bytes.is_empty() => Err(failed("wrote no film", &"the file is empty")),
        Ok(bytes) => Ok(bytes),
        Err(error) => Err(failed("wrote no film", &error)),
    }
}

/// Arguments for raw pictures as input and a film that players can start before it is loaded. One thread, and
/// no time or version stamps: the same pictures give the same bytes.
fn arguments(options: &RenderOptions) -> Vec<String> {
    let [width, height] = options.size;
    let size = format!("{width}x{height}");
    let rate = options.fps.to_string();
    let input = ["-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", &size, "-framerate", &rate];
    // Colours at half resolution need even width and height.
    let film = [
        "-vf",
        "pad=ceil(iw/2)*2:ceil(ih/2)*2",
        "-pix_fmt",
        "yuv420p",
        "-movflags",
        "+faststart",
        "-threads",
        "1",
        "-fflags",
        "+bitexact",
        "-flags:v",
        "+bitexact",
        "-f",
        "mp4",
    ];
    let all = ["-hide_banner", "-loglevel", "error", "-y"].into_iter().chain(input);
    all.chain(["-i", "pipe:0", "-an"]).chain(film).map(str::to_owned).collect()
}

/// Adds advice to the error about too many pictures.
pub(super) fn too_long(error: TooManyPictures) -> Diagnostic {
    Diagnostic::new("limit", error.to_string())
        .help("--start and --end choose a part of the motion, --picture-rate fewer pictures")
}
