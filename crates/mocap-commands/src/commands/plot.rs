//! `mocap plot`: curves of joints over time.

use std::path::Path;

use clap::Args as ClapArgs;
use mocap_formats::nearest_name;
use mocap_model::{JointId, Skeleton};
use mocap_report::plot::{Channel, PlotInput, PlotOptions, html, png, svg};

use super::picture::{self, Drawn};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::words::words;
use crate::options::{ChartFormat, Invocation, Pictures, ThemeWord, extension};
use crate::output::Output;
use crate::verb::VerbArgs;

/// Draw curves of joints over time, for one motion or several in one chart
///
/// Rows below the curves show when the feet are on the floor; behind the curves of one foot its contacts are shaded. An
/// HTML file zooms and reads off values.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Plot")]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap plot walk.bvh --joint LeftFoot --channel position -o foot.svg\n\
    \x20 mocap plot a.bvh b.bvh --joint LeftFoot --joint RightFoot -o feet.png\n\
    \x20 mocap plot walk.bvh --joint LeftFoot --channel speed -o foot.html")]
pub(crate) struct Args {
    /// Joint whose curves are drawn: its name, or its role (LeftFoot, Hips, ...); repeatable
    #[arg(long, value_name = "JOINT", required = true)]
    pub(crate) joint: Vec<String>,
    /// Curve: rotation (local Euler angles in the joint's order [deg]), position (world [m]), speed [m/s]
    #[arg(long, value_name = "CHANNEL", default_value = "rotation", hide_possible_values = true)]
    channel: ChannelWord,
    /// Background and colours; a light SVG adapts to dark mode
    #[arg(long, value_name = "THEME", default_value = "light")]
    theme: ThemeWord,
    /// Output format [default: by the extension of OUT, else svg]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) to: Option<ChartFormat>,
    #[command(flatten)]
    pub(crate) pictures: Pictures,
}

words! {
    /// A curve.
    ChannelWord(Channel) {
        "rotation" => Channel::Rotation,
        "position" => Channel::Position,
        "speed" => Channel::Speed,
    }
}

impl Args {
    /// The options of the library.
    pub(crate) fn options(&self) -> PlotOptions {
        PlotOptions { channel: self.channel.0, theme: self.theme.0, ..PlotOptions::default() }
    }
}

impl VerbArgs for Args {
    fn run(self, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
        run(&self, invocation, console)
    }
}

/// Runs the command.
fn run(args: &Args, invocation: &Invocation, console: &mut dyn Output) -> Result<Exit, Diagnostic> {
    let format = picture::format(args.to, &args.pictures, ChartFormat::Svg)?;
    let options = args.options();
    // A sheet of the motion has the plain name.
    let extension = format!("{}.{}", file_name(&args.joint), extension(&format));
    picture::run(&args.pictures, &extension, (invocation, console), |drawn| {
        plot(drawn, &args.joint, &options, format)
    })
}

/// The joints in a file name.
fn file_name(joints: &[String]) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '_' };
    joints.join("-").chars().map(|letter| if letter == '-' { letter } else { plain(letter) }).collect()
}

fn plot(
    drawn: &[Drawn],
    joints: &[String],
    options: &PlotOptions,
    format: ChartFormat,
) -> Result<Vec<u8>, Diagnostic> {
    let every = || drawn.iter().flat_map(|drawn| joints.iter().map(move |joint| (drawn, joint)));
    let captions: Vec<String> = every()
        .map(|(drawn, joint)| match joints.len() {
            1 => drawn.name.clone(),
            _ => format!("{} {joint}", drawn.name),
        })
        .collect();
    let mut inputs = Vec::with_capacity(captions.len());
    for (name, (Drawn { clip, path, .. }, joint)) in captions.iter().zip(every()) {
        let joint = find(clip.skeleton(), joint).map_err(|error| error.in_file(Path::new(path)))?;
        inputs.push(PlotInput { name, clip, joint });
    }
    Ok(match format {
        ChartFormat::Svg => svg(&inputs, options).into_bytes(),
        ChartFormat::Png => png(&inputs, options),
        ChartFormat::Html => html(&inputs, options),
    })
}

/// The joint of a name or role.
fn find(skeleton: &Skeleton, joint: &str) -> Result<JointId, Diagnostic> {
    if let Some(found) = skeleton.find_by_name_or_role(joint) {
        return Ok(found);
    }
    let joints = || skeleton.joints().iter().filter(|joint| !joint.end_site);
    let names: Vec<&str> = joints().map(|joint| joint.name.as_str()).collect();
    let roles = joints().filter_map(|joint| joint.role).map(|role| -> &str { role.name() });
    let help = match nearest_name(joint, names.iter().copied().chain(roles)) {
        Some(near) => format!("did you mean '{near}'? `mocap skel` shows all joints"),
        None => format!("its joints are {}", names.join(", ")),
    };
    let message = format!("no joint has the name or role '{joint}'");
    Err(Diagnostic::new("plot::no-joint", message).help(help))
}
