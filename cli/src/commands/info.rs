//! `mocap info`: what a file is.

use clap::Args as ClapArgs;
use mocap_compress::Compressed;
use mocap_formats::Format;
use serde::Serialize;

use super::picture::with_roles;
use crate::args::{Global, Inputs, Reading};
use crate::batch::{self, Failure, Job, Report, RunOptions, Tally, json};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::facts::{self, Facts, short};
use crate::quality::QualityFact;
use crate::read;

/// Say what files are: format, joints, frames, rate, unit, axes, channel orders, warnings
#[derive(Debug, ClapArgs)]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    /// Measure the motion, too: floor, foot contacts, slide, penetration, jerk, largest step, suspicious frames
    #[arg(long)]
    quality: bool,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    format: &'static str,
    #[serde(flatten)]
    facts: &'a Facts,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<&'a QualityFact>,
    warnings: &'a [Diagnostic],
}

/// Runs the command.
pub(crate) fn run(args: &Args, global: &Global, console: &mut Console) -> Result<Exit, Diagnostic> {
    let inputs = batch::expand(&args.inputs, batch::ALL)?;
    let jobs = batch::reports(inputs);
    let options = RunOptions::new(&args.inputs.selection, None);
    Ok(batch::run(console, global, options, &jobs, |job| info(job, args)))
}

fn info(job: &Job, args: &Args) -> Result<Report, Failure> {
    let path = job.input.shown();
    let bytes = read::bytes_of(&job.input)?;
    if read::is_compressed(&bytes) {
        return Ok(compressed(path, &read::open_compressed(&bytes, None)?));
    }
    let loaded = read::load_bytes(&job.input, bytes, &args.reading)?;
    let (format, bytes) = (loaded.format, loaded.size());
    let (facts, warnings) = facts::of(&loaded, &args.reading)?;
    let quality = match args.quality && format.has_motion() {
        true => Some(QualityFact::of(&with_roles(loaded.into_motion(&args.reading)?.clip))),
        false => None,
    };
    let row = Row {
        path: path.clone(),
        format: format.extension(),
        facts: &facts,
        bytes,
        quality: quality.as_ref(),
        warnings: &warnings,
    };
    let json = json(&row);
    let mut text = text(&path, format, &facts, bytes, warnings.len());
    if let Some(quality) = &quality {
        text.push_str(&quality.text());
    }
    let tally = Tally { frames: facts.frames, bytes_in: bytes, bytes_out: 0 };
    Ok(Report { json, text, warnings, tally, ..Report::default() })
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct CompressedRow {
    path: String,
    format: &'static str,
    profile: &'static str,
    joints: usize,
    end_sites: usize,
    moving_tracks: usize,
    frames: usize,
    fps: f64,
    duration: f64,
    error_limit: f64,
    shell: f64,
    metres_per_unit: f64,
    raw_bytes: u64,
    bytes: u64,
    skeleton_bytes: usize,
    warnings: [Diagnostic; 0],
}

/// What a compressed clip is.
fn compressed(path: String, clip: &Compressed) -> Report {
    let info = clip.info();
    let joints = clip.skeleton().joints();
    let end_sites = joints.iter().filter(|joint| joint.end_site).count();
    let row = CompressedRow {
        path,
        format: "mocz",
        profile: info.profile.name(),
        joints: joints.len() - end_sites,
        end_sites,
        moving_tracks: clip.moving_tracks(),
        frames: info.frames,
        fps: info.rate.fps(),
        duration: info.frames.saturating_sub(1) as f64 * info.rate.frame_time(),
        error_limit: info.tolerance,
        shell: info.shell,
        metres_per_unit: info.metres_per_unit,
        raw_bytes: mocap_compress::raw_bytes(clip.skeleton(), info.frames),
        bytes: clip.size() as u64,
        skeleton_bytes: clip.skeleton_size(),
        warnings: [],
    };
    let ratio = row.raw_bytes as f64 / row.bytes as f64;
    let lines = [
        ("format", format!("MOCZ ({} bytes, {ratio:.1} times smaller than raw)", grouped(row.bytes))),
        (
            "profile",
            format!(
                "{}: within {} mm at {} mm from each joint",
                row.profile,
                short(row.error_limit * 1e3),
                short(row.shell * 1e3)
            ),
        ),
        (
            "skeleton",
            format!("{} joints, {} end sites ({} bytes)", row.joints, row.end_sites, row.skeleton_bytes),
        ),
        (
            "motion",
            format!(
                "{} frames at {} fps, {} s, {} tracks that move",
                row.frames,
                short(row.fps),
                short(row.duration),
                row.moving_tracks
            ),
        ),
        ("unit", format!("{} m", row.metres_per_unit)),
    ];
    let lines = lines.map(|(name, value)| format!("\n  {name:<10} {value}")).concat();
    let tally = Tally { frames: row.frames, bytes_in: row.bytes, bytes_out: 0 };
    Report { json: json(&row), text: format!("{}{lines}", row.path), tally, ..Report::default() }
}

/// One block a file, one fact a line.
fn text(path: &str, format: Format, facts: &Facts, bytes: u64, warnings: usize) -> String {
    let mut lines = vec![path.to_owned()];
    let mut line = |name: &str, value: String| lines.push(format!("  {name:<10} {value}"));
    let root = facts.root.as_deref().unwrap_or("");
    line("format", format!("{} ({} bytes)", format.extension().to_uppercase(), grouped(bytes)));
    line("skeleton", format!("{} joints, {} end sites, root '{root}'", facts.joints, facts.end_sites));
    if format.has_motion() {
        let rate = match (facts.fps, facts.frame_time) {
            (Some(fps), Some(time)) => {
                format!(" at {} fps (frame time {} s)", short(fps), (time * 1e7).round() / 1e7)
            }
            _ => String::new(),
        };
        line("motion", format!("{} frames{rate}, {} s", facts.frames, short(facts.duration)));
    }
    let orders: Vec<String> =
        facts.rotation_orders.iter().map(|row| format!("{} ({})", row.order, row.joints)).collect();
    let orders = if orders.is_empty() { String::new() } else { format!(", rotations {}", orders.join(", ")) };
    line("channels", format!("{}{orders}", facts.channels));
    line("positions", facts.positions_text());
    line("unit", facts.unit.text());
    line("up", facts.up.clone());
    if warnings > 0 {
        line("warnings", format!("{warnings}; `mocap validate` shows them with their lines"));
    }
    lines.join("\n")
}

/// Thousands apart: 2,070,355.
fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(2_070_355), "2,070,355");
    }
}
