//! `mocap view`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use mocap_report::view::ViewOptions;

use super::{BodyArgs, GroundArgs, Length, MostFrames, Pictures, WeightArgs};

/// Write a page that plays motions: one HTML file without network access
///
/// Several motions are overlaid or side by side. Each is compared with the first input: by object-space
/// error where the skeletons are equal, else by the distance between joints of the same role or name.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap view walk.bvh -o walk.html\n\
    \x20 mocap view walk.bvh walk.robin.bvh -o both.html\n\
    \x20 mocap view stand.bvh --balance -o stand.html\n\
    \x20 mocap view walk.glb --character character.glb -o walk.html\n\
    \x20 mocap view stairs.bvh --draw-terrain 0.17,0.29,8 -o stairs.html")]
pub(crate) struct Args {
    #[command(flatten)]
    most_frames: MostFrames,
    /// Distance of the measured points from the joints, about where the skin is [m, or with a unit, such as 3cm; 0
    /// or more]
    #[arg(long, value_name = "LENGTH", default_value = "0.03", help_heading = "Page")]
    shell: Length,
    /// GLB file whose mesh is drawn in place of the body, for motions with the names of its joints
    #[arg(long = "character", value_name = "FILE", help_heading = "Page")]
    pub(crate) mesh: Option<PathBuf>,
    /// Draw the centre of mass over its ground point, the extrapolated centre of mass, the zero-moment point, and the soles
    /// on the floor, of people and robots
    #[arg(long, help_heading = "Page")]
    pub(crate) balance: bool,
    #[command(flatten)]
    pub(crate) ground: GroundArgs,
    #[command(flatten)]
    pub(crate) bodies: BodyArgs,
    #[command(flatten)]
    pub(crate) shown: WeightArgs,
    #[command(flatten)]
    pub(crate) pictures: Pictures,
}

impl Args {
    /// The options of the library.
    pub(crate) fn options(&self) -> ViewOptions {
        let most_frames = self.most_frames.most_frames as usize;
        ViewOptions {
            most_frames,
            shell: self.shell.0,
            colours: self.bodies.colours.0,
            weights: self.shown.weights_of.clone(),
            ..ViewOptions::default()
        }
    }
}
