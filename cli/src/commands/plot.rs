//! `mocap plot`: curves of a joint over time.

use clap::{Args as ClapArgs, ValueEnum};
use mocap_formats::nearest_name;
use mocap_model::{Joint, JointId, Role, Skeleton};
use mocap_report::plot::{Channel, PlotInput, PlotOptions, png, svg};

use super::picture::{self, Drawn, Pictures};
use super::sheet::{ImageFormat, ThemeArg};
use crate::args::{FirstFrame, Invocation, Reading};
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
    first: FirstFrame,
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
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
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
    let reading = args.first.of(&args.reading);
    picture::run(&args.pictures, &reading, format.extension(), (invocation, console), |drawn| {
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

/// The joint of a name, else of a role; of either in other letters where that is clear.
fn find(skeleton: &Skeleton, joint: &str, file: &str) -> Result<JointId, Diagnostic> {
    let role = || joint.parse::<Role>().ok().and_then(|role| skeleton.with_role(role));
    if let Some(found) = skeleton.find(joint).or_else(role) {
        return Ok(found);
    }
    let joints: Vec<(JointId, &Joint)> = skeleton.iter().filter(|(_, joint)| !joint.end_site).collect();
    let same = |name: &str| name.to_lowercase() == joint.to_lowercase();
    let named: Vec<JointId> = joints.iter().filter(|(_, joint)| same(&joint.name)).map(|row| row.0).collect();
    let playing = || joints.iter().find(|(_, joint)| joint.role.is_some_and(|role| same(role.name())));
    match (named.as_slice(), playing()) {
        ([only], _) => return Ok(*only),
        ([], Some((id, _))) => return Ok(*id),
        _ => {}
    }
    let names: Vec<&str> = joints.iter().map(|row| row.1.name.as_str()).collect();
    let roles = joints.iter().filter_map(|row| row.1.role).map(|role| -> &str { role.name() });
    let known: Vec<&str> = names.iter().copied().chain(roles).collect();
    let help = match nearest_name(joint, known.iter().copied()) {
        Some(near) => format!("is it '{near}'? `mocap skel` shows all its joints"),
        None => format!("its joints are {}", names.join(", ")),
    };
    let message = format!("'{file}' has no joint of the name or role '{joint}'");
    Err(Diagnostic::new("plot::no-joint", message).help(help))
}
