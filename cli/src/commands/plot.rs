//! `mocap plot`: curves of a joint over time.

use clap::{Args as ClapArgs, ValueEnum};
use mocap_model::{JointId, Role, Skeleton};
use mocap_report::plot::{Channel, PlotInput, PlotOptions, png, svg};

use super::picture::{self, Drawn, Pictures};
use super::sheet::{ImageFormat, ThemeArg};
use crate::args::{Global, Reading};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Draw curves of a joint over time, of one motion or several in one chart
#[derive(Debug, ClapArgs)]
pub(crate) struct Args {
    #[command(flatten)]
    pictures: Pictures,
    /// Joint whose curves are drawn: its name, or its role (LeftFoot, Hips, ...) whatever a file calls it
    #[arg(long, value_name = "JOINT")]
    joint: String,
    /// What is drawn over time
    #[arg(long, value_name = "CHANNEL", default_value = "rotation")]
    channel: ChannelArg,
    /// Format of the output [default: by the extension of OUT, else svg]
    #[arg(long, value_name = "FORMAT", help_heading = "Writing")]
    to: Option<ImageFormat>,
    /// Background and colours; an SVG in light colours follows a reader who prefers dark
    #[arg(long, value_name = "THEME", default_value = "light")]
    theme: ThemeArg,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ChannelArg {
    /// Euler angles of the local rotation in the joint's own order [deg]
    Rotation,
    /// Position in the world [m]
    Position,
    /// Speed of the position [m/s]
    Speed,
}

/// Runs the command.
pub(crate) fn run(args: &Args, global: &Global, console: &mut Console) -> Result<Exit, Diagnostic> {
    let format = ImageFormat::of(args.to, &args.pictures)?;
    let options = PlotOptions {
        channel: match args.channel {
            ChannelArg::Rotation => Channel::Rotation,
            ChannelArg::Position => Channel::Position,
            ChannelArg::Speed => Channel::Speed,
        },
        theme: args.theme.into(),
        ..PlotOptions::default()
    };
    picture::run(&args.pictures, &args.reading, format.extension(), (global, console), |drawn| {
        plot(drawn, &args.joint, &options, format)
    })
}

fn plot(
    drawn: &[Drawn],
    joint: &str,
    options: &PlotOptions,
    format: ImageFormat,
) -> Result<Vec<u8>, Diagnostic> {
    let mut inputs = Vec::with_capacity(drawn.len());
    for Drawn { name, clip, .. } in drawn {
        inputs.push(PlotInput { name, clip, joint: find(clip.skeleton(), joint, name)? });
    }
    Ok(match format {
        ImageFormat::Svg => svg(&inputs, options).into_bytes(),
        ImageFormat::Png => png(&inputs, options),
    })
}

/// The joint of a name, else of a role.
fn find(skeleton: &Skeleton, joint: &str, file: &str) -> Result<JointId, Diagnostic> {
    let role = || joint.parse::<Role>().ok().and_then(|role| skeleton.with_role(role));
    skeleton.find(joint).or_else(role).ok_or_else(|| {
        let names: Vec<&str> = skeleton
            .joints()
            .iter()
            .filter(|joint| !joint.end_site)
            .map(|joint| joint.name.as_str())
            .collect();
        Diagnostic::new("plot::no-joint", format!("'{file}' has no joint of the name or role '{joint}'"))
            .help(format!("its joints are {}", names.join(", ")))
    })
}
