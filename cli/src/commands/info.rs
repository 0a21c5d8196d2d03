//! `mocap info`: what a file is.

use mocap_compress::Compressed;
use serde::Serialize;

use super::picture::with_roles;
use crate::args::InfoArgs as Args;
use crate::batch::{self, Failure, Job, JobContext, Report, RunOptions, Tally, json};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::facts::{self, Facts, short};
use crate::quality::QualityFact;
use crate::read;

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: String,
    format: &'static str,
    #[serde(flatten)]
    facts: &'a Facts,
    bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<&'a QualityFact>,
    #[serde(flatten)]
    compression: Option<&'a Compression>,
    warnings: &'a [Diagnostic],
}

/// Runs the command.
pub(crate) fn run(args: &Args, console: &mut Console) -> Result<Exit, Diagnostic> {
    let inputs = batch::expand(&args.inputs, batch::ALL)?;
    let jobs = batch::report_jobs(inputs);
    let options = RunOptions::reporting(&args.inputs.selection);
    Ok(batch::run(console, options, &jobs, |job, context| info(job, context, args)))
}

fn info(job: &Job, context: &JobContext, args: &Args) -> Result<Report, Failure> {
    let path = job.input.shown();
    let bytes = read::bytes_of(context, &job.input)?;
    let compression = match read::is_compressed(&bytes) {
        true => Some(Compression::of(&read::open_compressed(&bytes, None)?)),
        false => None,
    };
    let loaded = read::load_bytes(context, &job.input, bytes, &args.reading)?;
    let (format, bytes) = (loaded.format, loaded.size());
    let (facts, warnings) = facts::of(&loaded, &args.reading)?;
    let quality = match args.quality && format.has_motion() {
        true => Some(QualityFact::of(&with_roles(loaded.into_motion(&args.reading)?.clip))),
        false => None,
    };
    let name = format.extension();
    let row = Row {
        path: path.clone(),
        format: name,
        facts: &facts,
        bytes,
        quality: quality.as_ref(),
        compression: compression.as_ref(),
        warnings: &warnings,
    };
    let json = json(&row);
    let mut text = text(&path, (name, format.has_motion()), &facts, bytes, warnings.len());
    if let Some(compression) = &compression {
        text.push_str(&compression.text(bytes));
    }
    if let Some(quality) = &quality {
        text.push_str(&quality.text());
    }
    let tally = Tally { frames: facts.frames, bytes_in: bytes, bytes_out: 0 };
    Ok(Report { json, text, warnings, tally, ..Report::default() })
}

/// What only a compressed clip has. Lengths are metres.
#[derive(Serialize, schemars::JsonSchema)]
struct Compression {
    profile: &'static str,
    moving_tracks: usize,
    error_limit: f64,
    shell: f64,
    metres_per_unit: f64,
    raw_bytes: u64,
    skeleton_bytes: usize,
}

impl Compression {
    fn of(clip: &Compressed) -> Compression {
        let info = clip.info();
        Compression {
            profile: info.profile.name(),
            moving_tracks: clip.moving_tracks(),
            error_limit: info.tolerance,
            shell: info.shell,
            metres_per_unit: info.metres_per_unit,
            raw_bytes: mocap_compress::raw_bytes(clip.skeleton(), info.frames),
            skeleton_bytes: clip.skeleton_size(),
        }
    }

    /// Lines behind those of any clip.
    fn text(&self, bytes: u64) -> String {
        let ratio = self.raw_bytes as f64 / bytes as f64;
        let (error, shell) = (short(self.error_limit * 1e3), short(self.shell * 1e3));
        format!(
            "\n  profile    {}: within {error} mm at {shell} mm from each joint\n  size       {ratio:.1} times smaller \
             than raw, {} tracks that move, {} bytes of skeleton",
            self.profile,
            self.moving_tracks,
            grouped(self.skeleton_bytes as u64)
        )
    }
}

/// One block a file, one fact a line.
fn text(
    path: &str,
    (format, has_motion): (&str, bool),
    facts: &Facts,
    bytes: u64,
    warnings: usize,
) -> String {
    let mut lines = vec![path.to_owned()];
    let mut line = |name: &str, value: String| lines.push(format!("  {name:<10} {value}"));
    let root = facts.root.as_deref().unwrap_or("");
    line("format", format!("{} ({} bytes)", format.to_uppercase(), grouped(bytes)));
    line("skeleton", format!("{} joints, {} end sites, root '{root}'", facts.joints, facts.end_sites));
    if has_motion {
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
    line("unit", facts.unit.to_string());
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
