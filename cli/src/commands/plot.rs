//! `mocap plot`: curves of a joint over time.

use mocap_formats::nearest_name;
use mocap_model::{Joint, JointId, Role, Skeleton};
use mocap_report::plot::{PlotInput, PlotOptions, png, svg};

use super::picture::{self, Drawn};
use crate::args::{ImageFormat, Invocation, PlotArgs as Args};
use crate::console::Console;
use crate::diagnostic::Diagnostic;
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(args: &Args, invocation: &Invocation, console: &mut Console) -> Result<Exit, Diagnostic> {
    let format = picture::format(args.to, &args.pictures)?;
    let options = args.options();
    picture::run(&args.pictures, format.extension(), (invocation, console), |drawn| {
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
