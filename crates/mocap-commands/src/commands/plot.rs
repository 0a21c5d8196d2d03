//! `mocap plot`: curves of joints and shapes over time.

use std::path::Path;

use clap::{ArgGroup, Args as ClapArgs};
use globset::Glob;
use mocap_analysis::BodyBalance;
use mocap_model::nearest_name;
use mocap_model::{Clip, JointId, Skeleton};
use mocap_report::plot::{Channel, PlotInput, PlotOptions, Plotted, html, png, svg};

use super::picture::{self, Drawn};
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;
use crate::options::words::words;
use crate::options::{ChartFormat, Invocation, Pictures, ThemeWord, extension};
use crate::output::Output;
use crate::verb::VerbArgs;

/// Draw curves of joints or shapes over time, for one motion or several in one chart
///
/// Rows below the curves show when the feet are on the floor; behind the curves of one foot its contacts are shaded. An
/// HTML file zooms and reads off values.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = "Plot")]
#[command(group(ArgGroup::new("curves").required(true).multiple(true).args(["joint", "shape", "centre_of_mass", "balance"])))]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap plot walk.bvh --joint LeftFoot --channel position -o foot.svg\n\
    \x20 mocap plot a.bvh b.bvh --joint LeftFoot --joint RightFoot -o feet.png\n\
    \x20 mocap plot walk.bvh --joint LeftFoot --channel speed -o foot.html\n\
    \x20 mocap plot jump.bvh --centre-of-mass -o jump.svg\n\
    \x20 mocap plot stand.bvh --balance -o balance.html\n\
    \x20 mocap plot talk.glb --shape jawOpen --shape 'eyeBlink*' -o face.svg")]
pub(crate) struct Args {
    /// Joint whose curves are drawn: its name, or its role (LeftFoot, Hips, ...); repeatable
    #[arg(long, value_name = "JOINT")]
    pub(crate) joint: Vec<String>,
    /// Draw the centre of mass of a person or robot: position (world [m], above the floor) or speed [m/s]
    #[arg(long, conflicts_with = "shape")]
    pub(crate) centre_of_mass: bool,
    /// Draw how far the centre of mass, the extrapolated centre of mass and the zero-moment point are inside the soles on
    /// the floor [m; negative outside], or with --channel position where they are
    #[arg(long, conflicts_with_all = ["shape", "joint", "centre_of_mass"])]
    pub(crate) balance: bool,
    /// Shape, or another number over time, whose weight is drawn: its name without case and mesh, * for any letters;
    /// repeatable
    #[arg(long, value_name = "SHAPE", conflicts_with_all = ["joint", "channel"])]
    pub(crate) shape: Vec<String>,
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
        let channel = match self.channel.0 {
            Channel::Rotation if self.balance => Channel::Margin,
            // A point has no rotation.
            Channel::Rotation if self.centre_of_mass && self.joint.is_empty() => Channel::Position,
            channel => channel,
        };
        PlotOptions { channel, theme: self.theme.0, ..PlotOptions::default() }
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
    if args.balance && args.channel.0 == Channel::Speed {
        let message = "--balance draws margins or positions, not speeds";
        let help = "--centre-of-mass --channel speed draws the speed of the centre of mass";
        return Err(Diagnostic::new("usage::conflict", message).help(help));
    }
    let options = args.options();
    // The joints or shapes are in the file name; a sheet of the motion has the plain name.
    let mut asked = if args.shape.is_empty() { args.joint.clone() } else { args.shape.clone() };
    asked.extend(args.centre_of_mass.then(|| "centre-of-mass".to_owned()));
    asked.extend(args.balance.then(|| "balance".to_owned()));
    let extension = format!("{}.{}", file_name(&asked), extension(&format));
    picture::run(&args.pictures, &extension, (invocation, console), |drawn| {
        plot(drawn, args, &options, format)
    })
}

/// The joints or shapes in a file name.
fn file_name(names: &[String]) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() { letter } else { '_' };
    names.join("-").chars().map(|letter| if letter == '-' { letter } else { plain(letter) }).collect()
}

fn plot(
    drawn: &[Drawn],
    args: &Args,
    options: &PlotOptions,
    format: ChartFormat,
) -> Result<Vec<u8>, Diagnostic> {
    let people: Vec<Vec<Drawn>> =
        drawn.iter().map(|motion| motion.people(drawn.len() > 1)).collect::<Result<_, Diagnostic>>()?;
    // Of several people, each has curves; else the motion has.
    let each = |at: usize| if people[at].is_empty() { &drawn[at..=at] } else { &people[at][..] };
    let balances: Vec<Vec<BodyBalance>> = (0..drawn.len())
        .map(|at| match args.centre_of_mass || args.balance {
            true => each(at).iter().map(Drawn::balance).collect::<Result<_, Diagnostic>>(),
            false => Ok(Vec::new()),
        })
        .collect::<Result<_, Diagnostic>>()?;
    let mut found: Vec<(&Drawn, String, Plotted<'_>)> = Vec::new();
    for (at, motion) in drawn.iter().enumerate() {
        let in_file = |error: Diagnostic| error.in_file(Path::new(&motion.path));
        for joint in &args.joint {
            let known = found.len();
            for one in each(at) {
                let of = one.clip.skeleton().find_by_name_or_role(joint);
                found.extend(of.map(|of| (one, joint.clone(), of.into())));
            }
            if found.len() == known {
                // A joint of a prop beside people, or none.
                let of = find(motion.clip.skeleton(), joint).map_err(in_file)?;
                found.push((motion, joint.clone(), of.into()));
            }
        }
        for (one, balance) in each(at).iter().zip(&balances[at]) {
            found.push(match args.balance {
                true => (one, "balance".to_owned(), Plotted::Balance(balance)),
                false => (one, "centre of mass".to_owned(), Plotted::CentreOfMass(balance)),
            });
        }
        for shape in &args.shape {
            for (name, at) in find_shapes(&motion.clip, shape).map_err(in_file)? {
                if !found
                    .iter()
                    .any(|(of, _, known)| std::ptr::eq(*of, motion) && *known == Plotted::Number(at))
                {
                    found.push((motion, name, Plotted::Number(at)));
                }
            }
        }
    }
    // Several motions or people are labelled by their names, several joints or shapes of one motion by theirs.
    let is_one = found.iter().all(|(_, name, _)| *name == found[0].1);
    let caption = |(motion, name, of): &(&Drawn, String, Plotted<'_>)| match (of, drawn.len(), is_one) {
        (Plotted::Number(_), 1, _) => name.clone(),
        (Plotted::Joint(_) | Plotted::CentreOfMass(_) | Plotted::Balance(_), _, true) => motion.name.clone(),
        _ => format!("{} {name}", motion.name),
    };
    let captions: Vec<String> = found.iter().map(caption).collect();
    let inputs: Vec<PlotInput<'_>> = captions
        .iter()
        .zip(&found)
        .map(|(name, (motion, _, of))| PlotInput { name, clip: &motion.clip, of: *of })
        .collect();
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

/// Scalar tracks whose names match a name or pattern.
fn find_shapes(clip: &Clip, asked: &str) -> Result<Vec<(String, usize)>, Diagnostic> {
    let short = |name: &str| name.rsplit(['.', '|', ':']).next().unwrap_or(name).to_lowercase();
    let scalars = &clip.annotations().scalars;
    let wanted = asked.to_lowercase();
    let glob = Glob::new(&wanted).map(|glob| glob.compile_matcher());
    let fits = |name: &str| {
        [name.to_lowercase(), short(name)]
            .iter()
            .any(|name| *name == wanted || glob.as_ref().is_ok_and(|glob| glob.is_match(name)))
    };
    let found: Vec<(String, usize)> = (scalars.iter().enumerate())
        .filter(|(_, track)| fits(&track.name))
        .map(|(at, track)| (track.name.clone(), at))
        .collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let names = || scalars.iter().map(|track| track.name.as_str());
    let help = match nearest_name(asked, names().chain(names().filter_map(|name| name.rsplit('.').next()))) {
        Some(near) => format!("did you mean '{near}'?"),
        None if scalars.is_empty() => "the motion has no shapes or other numbers over time".to_owned(),
        None => format!("it has {}", names().collect::<Vec<_>>().join(", ")),
    };
    Err(Diagnostic::new("plot::no-shape", format!("no shape has the name '{asked}'")).help(help))
}
