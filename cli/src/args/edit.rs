//! `mocap edit`: edits in the order in which they are typed.

use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args as ClapArgs, Command, FromArgMatches, ValueEnum};
use mocap_edit::{
    BlendOptions, Denoise, Edit, Gains, JoinOptions, Keep, LayerSpace, LoopOptions, Mask, Strip,
};
use mocap_model::{Factor, FrameRange, FrameRate, SignedAxis};
use serde::Deserialize;

use super::finite::finite;
use super::one_edit::OneEdit;
use super::seconds::seconds;
use super::surface::SurfaceArgs;

/// Edit motions: denoise, loop, retime, mirror, lock feet, root motion, paths, layers, cuts; in the order given, with a
/// report
///
/// Edits are applied in the order in which they are typed. --keep belongs to the --in-place, --extract-root or
/// --root-joint before it; --weight, --mask and --add-space to the --add before them.
#[derive(Debug, ClapArgs)]
#[command(after_help = "\
    Examples:\n\
    \x20 mocap edit walk.bvh --mirror -o walk_mirrored.bvh\n\
    \x20 mocap edit walk.bvh --extract-root root.csv --in-place -o in_place.bvh\n\
    \x20 mocap edit take.bvh --denoise auto -o clean.bvh\n\
    \x20 mocap edit walk.bvh --loop --in-place -o cycle.bvh\n\
    \x20 mocap edit database/ --ground --start-at origin -o placed/")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) edits: EditList,
    #[command(flatten)]
    pub(crate) one: OneEdit,
}

/// The heading of edits in help; options below it are not set by environment or `mocap.toml`.
pub(crate) const HEADING: &str = "Edits, applied in the order given";

/// One edit with its options. Files are named, and read later.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum EditArg {
    /// It needs no file.
    Ready(Edit),
    /// Writes a curve.
    ExtractRoot { file: PathBuf, keep: Keep },
    /// Reads a curve.
    ApplyRoot { file: PathBuf },
    /// Reads a map of times.
    TimeMap { file: PathBuf },
    /// Reads a path.
    Along { file: PathBuf },
    /// Reads a motion to step with.
    Sync { file: PathBuf },
    /// Reads a pose or motion to add.
    Add { file: PathBuf, weight: f64, mask: Option<Mask>, space: LayerSpace },
    /// Reads a motion to follow.
    Join { file: PathBuf, options: JoinOptions },
    /// Reads a motion to blend with.
    Blend { file: PathBuf, weight: f64, options: BlendOptions },
    /// Reads keys.
    Warp { file: PathBuf },
    /// Reads a neutral and a styled motion, if given.
    Fourier { harmonics: Option<u32>, style: Option<Box<(PathBuf, PathBuf)>>, gain: f64, lock_feet: bool },
    /// Reads a height field or a mesh, if it has one.
    Terrain(Box<SurfaceArgs>),
}

/// How `--mirror` places the joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MirrorBy {
    /// Joints take the reflected rotations of their counterparts.
    Rotations,
    /// The mirrored body is retargeted to the body.
    Retarget,
}

impl MirrorBy {
    pub(crate) fn edit(self) -> Edit {
        match self {
            MirrorBy::Rotations => Edit::Mirror,
            MirrorBy::Retarget => Edit::MirrorRetargeted,
        }
    }
}

/// Where `--start-at` moves the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum StartAt {
    /// Above the origin.
    Origin,
}

/// What `--root-joint` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RootJoint {
    /// Adds a joint.
    Add,
}

/// The name of the joint that `--root-joint add` adds.
pub(crate) const ROOT_NAME: &str = "root";

/// The edits, in the order in which they were typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EditList(pub(crate) Vec<EditArg>);

/// The flags of edits, for their help and values. Their order comes from the places of the arguments.
#[derive(Debug, ClapArgs)]
#[command(next_help_heading = HEADING)]
struct Flags {
    /// Drop the first frame: in BVH conversions of the CMU database it is a rest pose
    #[arg(long)]
    drop_first_frame: bool,
    /// Keep only this range, end excluded: frames from 0 (10:250), seconds (0.5s:2s), or open (1:)
    #[arg(long, value_name = "A:B")]
    trim: Vec<FrameRange>,
    /// Resample to a rate [frames per second, above 0]; the duration stays
    #[arg(long, value_name = "FPS")]
    fps: Vec<FrameRate>,
    /// Multiply every length [above 0]; the unit stays: the character grows or shrinks
    #[arg(long, value_name = "FACTOR")]
    scale: Vec<Factor>,
    /// Remove jitter and spikes: auto (estimates the noise of every joint), butterworth:HZ, savgol[:SECONDS],
    /// gaussian[:SECONDS] or one-euro[:HZ,BETA]
    #[arg(long, value_name = "METHOD")]
    denoise: Vec<Denoise>,
    /// Scale frequency bands, such as high=0,mid=1.5: see `mocap bands --help`
    #[arg(long, value_name = "BAND=GAIN,…")]
    bands: Vec<Gains>,
    /// Make a loop: search the best cycle, or close the range A:B (--loop=A:B), and lock planted feet; the last frame
    /// has the pose of the first
    #[arg(long = "loop", value_name = "A:B", num_args = 0..=1, require_equals = true, default_missing_value = ":")]
    make_loop: Vec<FrameRange>,
    /// Play a loop several times, each on from where the last one ended [at least 1]
    #[arg(long, value_name = "TIMES", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: Vec<u32>,
    /// Play faster (above 1) or slower (below 1) at the same frame rate [factor, above 0]
    #[arg(long, value_name = "FACTOR")]
    speed: Vec<Factor>,
    /// Give the motion another duration, such as 2s [s, above 0]
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    duration: Vec<f64>,
    /// Retime by a CSV with rows 'time in the output, time in the input' [s]; both increase
    #[arg(long, value_name = "FILE")]
    time_map: Vec<PathBuf>,
    /// Retime the motion: its feet come down when those of this motion do
    #[arg(long, value_name = "FILE")]
    sync: Vec<PathBuf>,
    /// Lock planted feet: legs are solved anew, the hips follow a little
    #[arg(long)]
    fix_feet: bool,
    /// Bend the path: from start to end the motion turns this much more to the left [degrees]
    #[arg(long, value_name = "DEGREES", value_parser = finite, allow_negative_numbers = true)]
    turn: Vec<f64>,
    /// Lay the motion along a path: a CSV with rows 'x, y, z' in the unit of the motion
    #[arg(long, value_name = "FILE")]
    along: Vec<PathBuf>,
    /// Add a pose (its difference from its rest pose) or a motion (its difference from its first frame)
    #[arg(long, value_name = "FILE")]
    add: Vec<PathBuf>,
    /// How much of the --add before it is added [default: 1]
    #[arg(long, value_name = "FACTOR", value_parser = finite, allow_negative_numbers = true)]
    weight: Vec<f64>,
    /// The joints of the --add before it: roles, names or globs with commas; NAME/** takes all below [default: all]
    #[arg(long, value_name = "JOINTS")]
    mask: Vec<Mask>,
    /// Where the --add before it is added. local: relative to the parent of each joint; mesh: in the space of the body,
    /// however the parents are turned [default: local]
    #[arg(long, value_name = "SPACE")]
    add_space: Vec<LayerSpace>,
    /// Leave joints out: fingers, twist or props; the others stay where they are
    #[arg(long, value_name = "WHAT")]
    strip: Vec<Strip>,
    /// Swap left and right: the motion as a mirror shows it; --mirror=retarget places the feet and hands of a body whose
    /// sides differ
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "rotations")]
    mirror: Vec<MirrorBy>,
    /// Take the root motion out: the body moves in place above the origin and faces forward
    #[arg(long)]
    in_place: bool,
    /// Write the root motion as a curve, .csv or .json (a directory with many inputs); the motion stays. Before
    /// --in-place it takes the --keep of that
    #[arg(long, value_name = "FILE")]
    extract_root: Vec<PathBuf>,
    /// Put a root motion in, as --extract-root wrote it (a directory with many inputs)
    #[arg(long, value_name = "FILE")]
    apply_root: Vec<PathBuf>,
    /// Add a joint on the ground that carries the root motion, as engines expect: add
    #[arg(long, value_name = "WHAT", hide_possible_values = true)]
    root_joint: Vec<RootJoint>,
    /// What stays in the body: height, turn, both with a comma, or none [default: height]
    #[arg(long, value_name = "WHAT")]
    keep: Vec<Keep>,
    /// Turn the motion about the up axis: at its start the body faces this axis (Z, -X …)
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    heading: Vec<SignedAxis>,
    /// Move the start of the motion above the origin: origin
    #[arg(long, value_name = "WHERE", hide_possible_values = true)]
    start_at: Vec<StartAt>,
    /// Move the motion up or down: the floor under its feet is at height 0
    #[arg(long)]
    ground: bool,
}

/// One flag with its place on the command line.
enum Typed {
    Edit(EditArg),
    Keep(Keep),
    Weight(f64),
    Mask(Mask),
    Space(LayerSpace),
}

impl Flags {
    /// All flags with their places.
    fn typed(self, matches: &ArgMatches) -> Vec<(usize, Typed)> {
        let mut typed = Vec::new();
        let places = |id: &str| matches.indices_of(id).into_iter().flatten().collect::<Vec<_>>();
        let mut switch = |id: &str, on: bool, edit: Edit| {
            if on {
                typed.push((places(id).first().copied().unwrap_or(0), Typed::Edit(EditArg::Ready(edit))));
            }
        };
        switch("drop_first_frame", self.drop_first_frame, Edit::DropFirstFrame);
        switch("fix_feet", self.fix_feet, Edit::FixFeet);
        switch("in_place", self.in_place, Edit::InPlace(Keep::default()));
        switch("ground", self.ground, Edit::Ground);
        let mut all = |id: &str, values: Vec<Typed>| typed.extend(places(id).into_iter().zip(values));
        all("mirror", ready(self.mirror, MirrorBy::edit));
        all("trim", ready(self.trim, Edit::Trim));
        all("fps", ready(self.fps, Edit::Resample));
        all("scale", ready(self.scale, |factor| Edit::Scale(factor.0)));
        all("make_loop", ready(self.make_loop, |range| Edit::Loop(loop_options(range))));
        all("repeat", ready(self.repeat, Edit::Repeat));
        all("speed", ready(self.speed, |factor| Edit::Speed(factor.0)));
        all("duration", ready(self.duration, Edit::Duration));
        all("time_map", edits(self.time_map, |file| EditArg::TimeMap { file }));
        all("denoise", ready(self.denoise, Edit::Denoise));
        all("bands", ready(self.bands, Edit::Bands));
        let keep = Keep::default();
        all("extract_root", edits(self.extract_root, |file| EditArg::ExtractRoot { file, keep }));
        all("apply_root", edits(self.apply_root, |file| EditArg::ApplyRoot { file }));
        let root = |_| Edit::AddRootJoint { name: ROOT_NAME.into(), keep };
        all("root_joint", ready(self.root_joint, root));
        all("sync", edits(self.sync, |file| EditArg::Sync { file }));
        all("turn", ready(self.turn, |degrees| Edit::Turn(degrees.to_radians())));
        all("along", edits(self.along, |file| EditArg::Along { file }));
        all(
            "add",
            edits(self.add, |file| EditArg::Add { file, weight: 1.0, mask: None, space: LayerSpace::Local }),
        );
        all("strip", ready(self.strip, Edit::Strip));
        all("heading", ready(self.heading, Edit::Face));
        all("start_at", ready(self.start_at, |_| Edit::StartAtOrigin));
        all("keep", self.keep.into_iter().map(Typed::Keep).collect());
        all("weight", self.weight.into_iter().map(Typed::Weight).collect());
        all("mask", self.mask.into_iter().map(Typed::Mask).collect());
        all("add_space", self.add_space.into_iter().map(Typed::Space).collect());
        typed.sort_by_key(|(place, _)| *place);
        typed
    }
}

/// An open range asks for a search.
pub(super) fn loop_options(range: FrameRange) -> LoopOptions {
    let open: FrameRange = ":".parse().expect("open on both sides");
    LoopOptions { range: (range != open).then_some(range), ..LoopOptions::default() }
}

fn edits<T>(values: Vec<T>, edit: impl Fn(T) -> EditArg) -> Vec<Typed> {
    values.into_iter().map(|value| Typed::Edit(edit(value))).collect()
}

fn ready<T>(values: Vec<T>, edit: impl Fn(T) -> Edit) -> Vec<Typed> {
    edits(values, |value| EditArg::Ready(edit(value)))
}

impl EditArg {
    /// Takes an option that belongs to this edit; an error for other options.
    fn take(&mut self, typed: Typed) -> Result<(), &'static str> {
        match (self, typed) {
            (
                EditArg::Ready(Edit::InPlace(keep) | Edit::AddRootJoint { keep, .. })
                | EditArg::ExtractRoot { keep, .. },
                Typed::Keep(kept),
            ) => *keep = kept,
            (EditArg::Add { weight, .. }, Typed::Weight(asked)) => *weight = asked,
            (EditArg::Add { mask, .. }, Typed::Mask(asked)) => *mask = Some(asked),
            (EditArg::Add { space, .. }, Typed::Space(asked)) => *space = asked,
            (_, typed) => return Err(typed.belongs()),
        }
        Ok(())
    }

    /// The files that it reads.
    pub(crate) fn files(&self) -> Vec<&PathBuf> {
        match self {
            EditArg::Ready(_) | EditArg::ExtractRoot { .. } => Vec::new(),
            EditArg::Terrain(surface) => surface.files(),
            EditArg::Fourier { style, .. } => style.iter().flat_map(|style| [&style.0, &style.1]).collect(),
            EditArg::ApplyRoot { file }
            | EditArg::TimeMap { file }
            | EditArg::Along { file }
            | EditArg::Sync { file }
            | EditArg::Add { file, .. }
            | EditArg::Join { file, .. }
            | EditArg::Blend { file, .. }
            | EditArg::Warp { file } => vec![file],
        }
    }
}

impl Typed {
    /// Where it has to stand.
    fn belongs(&self) -> &'static str {
        match self {
            Typed::Edit(_) => "an edit stands for itself",
            Typed::Keep(_) => "--keep belongs to the --in-place, --extract-root or --root-joint before it",
            Typed::Weight(_) => "--weight belongs to the --add before it",
            Typed::Mask(_) => "--mask belongs to the --add before it",
            Typed::Space(_) => "--add-space belongs to the --add before it",
        }
    }
}

impl EditList {
    fn of(typed: Vec<(usize, Typed)>) -> Result<EditList, String> {
        let mut list: Vec<EditArg> = Vec::new();
        for (_, typed) in typed {
            match (typed, list.last_mut()) {
                (Typed::Edit(edit), _) => list.push(edit),
                (typed, Some(edit)) => edit.take(typed)?,
                (typed, None) => return Err(typed.belongs().into()),
            }
        }
        // A curve that is extracted right before its motion is removed holds what is removed.
        for at in 1..list.len() {
            let (before, after) = list.split_at_mut(at);
            if let (Some(EditArg::ExtractRoot { keep, .. }), EditArg::Ready(Edit::InPlace(kept))) =
                (before.last_mut(), &after[0])
            {
                *keep = *kept;
            }
        }
        Ok(EditList(list))
    }
}

impl FromArgMatches for EditList {
    fn from_arg_matches(matches: &ArgMatches) -> Result<EditList, clap::Error> {
        let flags = Flags::from_arg_matches(matches)?;
        EditList::of(flags.typed(matches))
            .map_err(|message| clap::Error::raw(ErrorKind::MissingRequiredArgument, message + "\n"))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = EditList::from_arg_matches(matches)?;
        Ok(())
    }
}

impl ClapArgs for EditList {
    fn augment_args(command: Command) -> Command {
        Flags::augment_args(command)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::augment_args_for_update(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(words: &str) -> Result<Vec<EditArg>, String> {
        let command = EditList::augment_args(Command::new("edit").no_binary_name(true));
        let matches = command.try_get_matches_from(words.split(' ')).map_err(|error| error.to_string())?;
        EditList::from_arg_matches(&matches).map(|list| list.0).map_err(|error| error.to_string())
    }

    #[test]
    fn edits_keep_their_order() {
        let names = |words: &str| {
            let edits = list(words).unwrap().into_iter();
            edits
                .map(|edit| match edit {
                    EditArg::Ready(edit) => edit.name(),
                    other => panic!("{other:?}"),
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(names("--trim 1:9 --mirror --fps 30"), ["trim", "mirror", "fps"]);
        assert_eq!(names("--fps 30 --mirror --trim 1:9 --fps 60"), ["fps", "mirror", "trim", "fps"]);
    }

    #[test]
    fn what_is_kept_belongs_to_the_edit_before() {
        let turn = Keep { height: false, turn: true };
        let found = list("--extract-root a.csv --in-place --keep turn").unwrap();
        assert_eq!(found[0], EditArg::ExtractRoot { file: "a.csv".into(), keep: turn });
        assert_eq!(found[1], EditArg::Ready(Edit::InPlace(turn)));
        assert!(list("--mirror --keep turn").unwrap_err().contains("--keep belongs to"));
        assert!(list("--in-place --keep legs").is_err());
    }

    #[test]
    fn weight_and_mask_belong_to_the_layer_before() {
        let words = "--add a.bvh --weight -0.5 --mask LeftArm/**,Head --add-space mesh --add b.bvh";
        let found = list(words).unwrap();
        let (mask, space) = (Some("LeftArm/**,Head".parse().unwrap()), LayerSpace::Mesh);
        assert_eq!(found[0], EditArg::Add { file: "a.bvh".into(), weight: -0.5, mask, space });
        let space = LayerSpace::Local;
        assert_eq!(found[1], EditArg::Add { file: "b.bvh".into(), weight: 1.0, mask: None, space });
        assert!(list("--weight 1 --add a.bvh").unwrap_err().contains("--weight belongs to"));
        assert!(list("--mirror --mask Head").unwrap_err().contains("--mask belongs to"));
    }
}
