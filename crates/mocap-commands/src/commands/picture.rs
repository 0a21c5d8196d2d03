//! Verbs that draw motions: all inputs into one file, or one file per input.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use mocap_analysis::{BodyBalance, body_balance};
use mocap_edit::edits::Operation;
use mocap_edit::{OnTerrain, surface_below};
use mocap_formats::Parsed;
use mocap_model::nearest_name;
use mocap_model::{Body, Character, Clip, FrameRate, Mesh, Vector3};
use mocap_robot::robot_balance;
use serde::Serialize;

use super::compare::about;
use super::edit::EditFiles;
use crate::batch::{
    self, Failure, Input, Job, JobContext, OutputNames, ReadFiles, Report, RunOptions, Tally, fail, json,
    read_files,
};
use crate::diagnostic::{Behind, Detail, Diagnostic};
use crate::encode::put_stdout;
use crate::encode::{self, Encoded};
use crate::exit::Exit;
use crate::options::{BodyArgs, BodyWord, GroundArgs, Invocation, Pictures, Reading, WeightArgs, extension};
use crate::output::Output;
use crate::read::{self, Loaded, Motion};

/// A motion to be drawn. Its joints have roles.
pub(crate) struct Drawn {
    /// Its name in captions.
    pub(crate) name: String,
    pub(crate) clip: Clip,
    pub(crate) path: String,
    /// The meshes of its file, bound to its joints.
    body: Option<Body>,
}

impl Drawn {
    /// The people of a motion with several; empty for a motion with one. With `named`, the name of
    /// each person follows the name of the motion.
    pub(crate) fn people(&self, named: bool) -> Result<Vec<Drawn>, Diagnostic> {
        if mocap::several_subjects(self.clip.skeleton()).is_empty() {
            return Ok(Vec::new());
        }
        let scene = mocap::scene_of(self.clip.clone()).map_err(mocap::Error::from)?;
        let person = |one: Character| Drawn {
            name: if named { format!("{} {}", self.name, one.name) } else { one.name },
            clip: mocap::with_roles(one.clip),
            path: self.path.clone(),
            body: None,
        };
        Ok(scene.characters.into_iter().map(person).collect())
    }

    /// Its caption, including what is shown in place of its colours.
    pub(crate) fn title(&self, shown: &WeightArgs) -> String {
        match &shown.weights_of {
            Some(joint) => format!("{}, weights of {joint}", self.name),
            None => self.name.clone(),
        }
    }

    /// Its balance: of a robot by the masses of its model, of a person by those of an average body.
    pub(crate) fn balance(&self) -> Result<BodyBalance, Diagnostic> {
        let clip = &self.clip;
        let robot = clip.skeleton().robot().is_some();
        let (found, message) = match robot {
            true => (robot_balance(clip), "the centre of mass is known of humanoid robots with masses"),
            false => (
                body_balance(clip),
                "the centre of mass is known of bodies with two legs, two arms and a head, and not all of them were found",
            ),
        };
        let unknown = || Diagnostic::new("picture::no-balance", message).in_file(Path::new(&self.path));
        found.ok_or_else(unknown)
    }

    /// Refuses a motion of which nothing can be drawn.
    pub(crate) fn check_seen(&self, bodies: &BodyArgs) -> Result<(), Diagnostic> {
        if self.body(bodies).is_some() || !mocap_report::has_only_numbers(&self.clip) {
            return Ok(());
        }
        let message =
            format!("'{}' has no mesh, and its joints lie in one place: nothing can be drawn", self.name);
        Err(Diagnostic::new("picture::only-numbers", message).help(
            "`mocap plot TAKE --shape NAME` draws its numbers over time, `mocap face TAKE CHARACTER -o OUT.glb` moves a face \
             by them",
        ))
    }

    /// Rejects a joint that moves no mesh of the file.
    pub(crate) fn check_weights(&self, bodies: &BodyArgs, shown: &WeightArgs) -> Result<(), Diagnostic> {
        let Some(name) = &shown.weights_of else { return Ok(()) };
        let refused = |what: String| Diagnostic::new("picture::weights", format!("--weights-of: {what}"));
        let Some(body) = self.body(bodies) else {
            let message = format!("'{}' is drawn without a mesh, so there are no weights", self.name);
            return Err(refused(message).help("`mocap info` shows whether a file has a mesh"));
        };
        let skeleton = self.clip.skeleton();
        let Some(joint) = skeleton.find_by_name_or_role(name) else {
            let message = format!("'{}' has no joint '{name}'", self.name);
            let names = skeleton.joints().iter().map(|joint| joint.name.as_str());
            let near = nearest_name(name, names).map(|near| format!("did you mean '{near}'?"));
            let help = near.unwrap_or_else(|| "`mocap skel IN` lists the joints".to_owned());
            return Err(refused(message).help(help));
        };
        let moves = |mesh: &Mesh| {
            let skin = &mesh.skin;
            skin.influences.iter().any(|one| {
                one.weight > 0.0 && skin.bones.get(one.bone as usize).is_some_and(|bone| bone.joint == joint)
            })
        };
        if !body.meshes.iter().any(moves) {
            let message = format!("joint '{name}' moves no vertex of '{}'", self.name);
            return Err(refused(message).help("take a joint that the skin names, such as the one above it"));
        }
        Ok(())
    }

    /// The meshes of its file, unless capsules are requested.
    pub(crate) fn body(&self, args: &BodyArgs) -> Option<&Body> {
        self.body.as_ref().filter(|_| args.body == BodyWord::Mesh)
    }
}

#[derive(Serialize, schemars::JsonSchema)]
pub(crate) struct Row<'a> {
    path: &'a str,
    inputs: Vec<&'a str>,
    output: &'a str,
    /// All files, where a picture has several pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outputs: Vec<&'a str>,
    bytes: u64,
    frames: usize,
}

/// The picture format: the requested one, else by the extension of the output, else `usual`.
pub(super) fn format<F: ValueEnum>(
    stated: Option<F>,
    pictures: &Pictures,
    usual: F,
) -> Result<F, Diagnostic> {
    let output = pictures.outputs.output.as_ref().filter(|path| !batch::is_directory(path));
    let named = output.and_then(|path| path.extension()?.to_str());
    match (stated, named) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(usual),
        (None, Some(named)) => F::from_str(named, true).map_err(|_| {
            let known: Vec<String> =
                F::value_variants().iter().map(|it| format!(".{}", extension(it))).collect();
            Diagnostic::new("usage::format", format!("'.{named}' is not a supported picture format"))
                .help(format!("name the output {}, or state the format with --to", known.join(" or ")))
        }),
    }
}

/// The surface of a terrain below the first motion; empty without a terrain.
pub(super) fn ground(
    terrain: Option<&OnTerrain>,
    drawn: &[Drawn],
) -> Result<Vec<[Vector3<f64>; 3]>, Diagnostic> {
    match (terrain, drawn.first()) {
        (Some(terrain), Some(first)) => Ok(surface_below(&first.clip, terrain)?),
        _ => Ok(Vec::new()),
    }
}

/// The terrain that a picture shows.
pub(super) fn terrain(args: &GroundArgs) -> Result<Option<OnTerrain>, Diagnostic> {
    let Some(mut terrain) = args.surface() else { return Ok(None) };
    terrain.read(&EditFiles::shared(&Reading::default()))?;
    Ok(Some(terrain.surface()?))
}

/// The first flag that requires one output per input.
fn of_many(pictures: &Pictures) -> Option<&'static str> {
    let (outputs, selection) = (&pictures.outputs, &pictures.inputs.selection);
    let flags = [
        ("--resume", outputs.resume),
        ("--manifest", outputs.manifest.is_some()),
        ("--skip-existing", outputs.skip_existing),
        ("--dry-run", outputs.dry_run),
        ("--shard", selection.shard.is_some()),
        ("--timeout", selection.timeout.is_some()),
    ];
    flags.into_iter().find(|(_, given)| *given).map(|(flag, _)| flag)
}

/// The one file to write; `None` for stdout.
fn place(
    pictures: &Pictures,
    inputs: &[Input],
    reads: &ReadFiles<'_>,
    extension: &str,
) -> Result<Option<PathBuf>, Diagnostic> {
    let derived = || {
        let mut name = inputs[0].relative.file_stem().unwrap_or_default().to_owned();
        name.push(".");
        name.push(extension);
        PathBuf::from(name)
    };
    let path = match &pictures.outputs.output {
        Some(path) if path == Path::new("-") => return Ok(None),
        Some(path) if batch::is_directory(path) => path.join(derived()),
        Some(path) => path.clone(),
        None => derived(),
    };
    reads.refuse(inputs, [path.as_path()])?;
    let exists = path.symlink_metadata().is_ok_and(|data| data.is_file() || data.is_symlink());
    if !pictures.outputs.overwrite && exists {
        let message = format!("'{}' exists already", path.display());
        return Err(Diagnostic::new("usage::output-exists", message).help("--overwrite replaces it"));
    }
    Ok(Some(path))
}

/// The files of a picture, one per page.
type Pages = Vec<Vec<u8>>;

/// Draws all inputs into one file, or one file per input. `draw` returns the bytes of a file.
pub(crate) fn run(
    pictures: &Pictures,
    extension: &str,
    streams: (&Invocation, &mut dyn Output),
    draw: impl Fn(&[Drawn]) -> Result<Vec<u8>, Diagnostic> + Sync,
) -> Result<Exit, Diagnostic> {
    run_pages(pictures, extension, streams, |drawn| Ok(vec![draw(drawn)?]))
}

/// Like [`run`], but several inputs may become several pages, each in a file. One input is always one page.
pub(crate) fn run_pages(
    pictures: &Pictures,
    extension: &str,
    (invocation, console): (&Invocation, &mut dyn Output),
    draw: impl Fn(&[Drawn]) -> Result<Pages, Diagnostic> + Sync,
) -> Result<Exit, Diagnostic> {
    let reading = &pictures.first.of(&pictures.reading);
    if pictures.each {
        let rename = |path: &Path| mocap::with_extension(path, extension);
        let names = OutputNames { searched: batch::ALL, rename: &rename, format: None };
        let reads = read_files(reading, Some(&pictures.inputs.selection));
        let jobs = batch::plan_peers(console, (&pictures.inputs, reading), &pictures.outputs, &names, reads)?;
        let options = RunOptions::writing(&pictures.inputs.selection, &pictures.outputs, invocation);
        return Ok(batch::run(console, options, &jobs, |job, context| one(job, context, reading, &draw)));
    }
    batch::check_stdout(console, &pictures.outputs)?;
    let inputs = batch::expand(&pictures.inputs, batch::ALL)?;
    reading.ask_peers(&inputs);
    if let Some(flag) = of_many(pictures) {
        let message = format!("{flag} needs one output per input, but all inputs are drawn into one file");
        return Err(Diagnostic::new("usage::one-output", message).help("--each writes one file per input"));
    }
    together(&inputs, pictures, reading, extension, console, draw)
}

/// Draws one input into one file.
fn one(
    job: &Job,
    context: &JobContext,
    reading: &Reading,
    draw: impl Fn(&[Drawn]) -> Result<Pages, Diagnostic>,
) -> Result<Report, Failure> {
    let (drawn, mut warnings, bytes_in) = drawn(&job.input, context, reading)?;
    let drawn = [drawn];
    let done = context.check().map_err(Diagnostic::from).and_then(|()| draw(&drawn));
    let encoded = Encoded::from(done.behind(&mut warnings)?.concat());
    let (bytes, output) = encode::deliver(&encoded, job, context).behind(&mut warnings)?;
    let frames = drawn[0].clip.frames();
    let row = Row::new(&drawn[0].path, &output, bytes, frames);
    let (json, text) = (json(&row), row.text());
    let tally = Tally { frames, bytes_in, bytes_out: bytes };
    Ok(Report { json, text, warnings, tally, ..Report::default() })
}

/// A motion to be drawn, with the warnings of its file and its size \[bytes\].
pub(super) fn drawn(
    input: &Input,
    context: &JobContext,
    reading: &Reading,
) -> Result<(Drawn, Vec<Diagnostic>, u64), Failure> {
    let loaded = read::load(context, input, reading)?;
    let found = loaded.document().map(|document| document.body(&reading.limits()));
    let Motion { clip, mut warnings, bytes } = motion(loaded, reading)?;
    let body = match found {
        Some(Ok(Some(Parsed { value, warnings: found }))) => {
            warnings.extend(found.into_iter().map(Diagnostic::from));
            Some(value.on(clip.skeleton()))
        }
        // The motion is drawn in any case, as a body of capsules.
        Some(Err(damaged)) => {
            warnings.push(Diagnostic::from(damaged));
            None
        }
        Some(Ok(None)) | None => None,
    };
    Ok((Drawn { name: title(input), clip, path: input.shown(), body }, warnings, bytes))
}

/// Draws all inputs into one file.
fn together(
    inputs: &[Input],
    pictures: &Pictures,
    reading: &Reading,
    extension: &str,
    console: &mut dyn Output,
    draw: impl Fn(&[Drawn]) -> Result<Pages, Diagnostic>,
) -> Result<Exit, Diagnostic> {
    let reads = read_files(reading, Some(&pictures.inputs.selection));
    let place = place(pictures, inputs, &reads, extension)?;
    let Some(path) = place else {
        return read_all(inputs, reading, console, |drawn, _| {
            let bytes = draw(drawn)?.concat();
            put_stdout(&|out| out.write_all(&bytes)).map(|_| ())
        });
    };
    read_all(inputs, reading, console, |drawn, console| {
        let pages = draw(drawn)?;
        let paths: Vec<PathBuf> = (1..=pages.len()).map(|page| page_path(&path, page, pages.len())).collect();
        for (path, bytes) in paths.iter().zip(&pages) {
            mocap_batch::write_file(path, pictures.outputs.overwrite, &|out| out.write_all(bytes))?;
        }
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        report(drawn, &paths, pages.iter().map(|page| page.len() as u64).sum(), console);
        Ok(())
    })
}

/// Draws all inputs into files below `folder`. `draw` writes them and returns their size \[bytes\].
pub(super) fn together_with(
    pictures: &Pictures,
    folder: &Path,
    console: &mut dyn Output,
    draw: impl Fn(&[Drawn]) -> Result<u64, Diagnostic>,
) -> Result<Exit, Diagnostic> {
    let reading = &pictures.first.of(&pictures.reading);
    let inputs = batch::expand(&pictures.inputs, batch::ALL)?;
    reading.ask_peers(&inputs);
    if let Some(flag) = of_many(pictures) {
        let message = format!("{flag} needs one output per input, but all inputs are drawn together");
        return Err(Diagnostic::new("usage::one-output", message));
    }
    read_all(&inputs, reading, console, |drawn, console| {
        let bytes = draw(drawn)?;
        report(drawn, &[folder], bytes, console);
        Ok(())
    })
}

/// Reads all inputs and passes them on together; stops at the first that cannot be read.
fn read_all(
    inputs: &[Input],
    reading: &Reading,
    console: &mut dyn Output,
    work: impl Fn(&[Drawn], &mut dyn Output) -> Result<(), Diagnostic>,
) -> Result<Exit, Diagnostic> {
    let mut all = Vec::with_capacity(inputs.len());
    let mut found = Vec::new();
    for input in inputs {
        let path = input.shown();
        match drawn(input, &JobContext::standalone(), reading) {
            Ok((drawn, warnings, _)) => {
                console.warnings(&path, &warnings, Detail::Line);
                found.extend(warnings.into_iter().map(|warning| about(warning, input)));
                all.push(drawn);
            }
            Err(Failure { error, warnings }) => {
                console.warnings(&path, &warnings, Detail::Line);
                found.extend(warnings);
                return Ok(fail(&path, &error, &found, console));
            }
        }
    }
    shorten(&mut all);
    Ok(match work(&all, console) {
        Ok(()) => Exit::Success,
        Err(error) if error.is_usage() => return Err(error),
        Err(error) => fail(&all[0].path, &error, &found, console),
    })
}

/// The path of a page: `all-1.svg`, `all-2.svg` for `all.svg`, unless there is only one page.
fn page_path(path: &Path, page: usize, pages: usize) -> PathBuf {
    if pages == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{page}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// Reports what was drawn.
fn report(drawn: &[Drawn], outputs: &[&Path], bytes: u64, console: &mut dyn Output) {
    let shown: Vec<String> = outputs.iter().map(|path| path.display().to_string()).collect();
    let row = Row {
        path: &drawn[0].path,
        inputs: drawn.iter().map(|drawn| drawn.path.as_str()).collect(),
        output: &shown[0],
        outputs: if shown.len() > 1 { shown.iter().map(String::as_str).collect() } else { Vec::new() },
        bytes,
        frames: drawn.iter().map(|drawn| drawn.clip.frames()).sum(),
    };
    console.row(&json(&row), &row.text());
}

impl<'a> Row<'a> {
    /// The row of one input.
    pub(super) fn new(path: &'a str, output: &'a str, bytes: u64, frames: usize) -> Row<'a> {
        Row { path, inputs: vec![path], output, outputs: Vec::new(), bytes, frames }
    }

    pub(super) fn text(&self) -> String {
        let more = |count: usize| if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let (inputs, outputs) = (more(self.inputs.len()), more(self.outputs.len()));
        let kilobytes = (self.bytes as f64 / 1000.0).ceil();
        format!("{}{inputs} -> {}{outputs} ({kilobytes} kB)", self.path, self.output)
    }
}

/// Shortens names of inputs without a common folder to the shortest ends of their paths that differ. Pictures
/// are shared, and must not show local paths.
fn shorten(all: &mut [Drawn]) {
    let mut names: Vec<String> = all.iter().map(|drawn| drawn.name.clone()).collect();
    short_names(&mut names);
    all.iter_mut().zip(names).for_each(|(drawn, name)| drawn.name = name);
}

fn short_names(names: &mut [String]) {
    let end = |name: &String, parts: usize| {
        let path = Path::new(name);
        let count = path.components().count();
        let from = if path.is_absolute() { count.saturating_sub(parts).max(1) } else { 0 };
        path.components().skip(from).collect::<PathBuf>().display().to_string()
    };
    let most = names.iter().map(|name| Path::new(name).components().count()).max().unwrap_or(0);
    let ends = |parts| names.iter().map(|name| end(name, parts)).collect::<Vec<_>>();
    let differ = |parts: &usize| ends(*parts).iter().collect::<BTreeSet<_>>().len() == names.len();
    let parts = (1..=most).find(differ).unwrap_or(1);
    let shortened = ends(parts);
    names.clone_from_slice(&shortened);
}

/// The caption of a motion: its path below the common directory of all inputs.
fn title(input: &Input) -> String {
    let below = input.relative.display().to_string();
    // The common directory of these inputs is the root of the file system.
    let whole = input.path().and_then(|path| std::path::absolute(path).ok());
    let from_root = |path: &PathBuf| path.components().count() == input.relative.components().count() + 1;
    if whole.as_ref().is_some_and(from_root) {
        format!("{}{below}", std::path::MAIN_SEPARATOR)
    } else {
        below
    }
}

/// A motion, or a skeleton in its rest pose, with joint roles.
fn motion(loaded: Loaded, reading: &Reading) -> Result<Motion, Failure> {
    let bytes = loaded.size();
    if let Some((markers, mut warnings)) = loaded.markers(reading)? {
        let mut found = Vec::new();
        let clip = mocap::marker_clip(&markers, &mut found);
        warnings.extend(found.into_iter().map(Diagnostic::from));
        let unseen = || Diagnostic::new("markers::unseen", "no marker was seen in any frame");
        let clip = clip.ok_or_else(unseen).behind(&mut warnings)?;
        return Ok(Motion { clip, warnings, bytes });
    }
    let Motion { clip, warnings, .. } = match loaded.format.has_motion() {
        true => loaded.into_motion(reading)?,
        false => {
            let (skeleton, warnings) = loaded.into_skeleton(reading)?;
            let rate = FrameRate::new(30.0).expect("30 is a rate");
            Motion { clip: Clip::at_rest(skeleton.into(), rate), warnings, bytes }
        }
    };
    Ok(Motion { clip: read::upright(mocap::with_roles(clip), reading), warnings, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shortened<const N: usize>(names: [&str; N]) -> [String; N] {
        let mut names = names.map(str::to_owned);
        short_names(&mut names);
        names
    }

    #[cfg(unix)]
    #[test]
    fn names_of_pictures_are_as_short_as_they_differ() {
        assert_eq!(shortened(["/home/me/a/walk.bvh", "/data/b/run.bvh"]), ["walk.bvh", "run.bvh"]);
        assert_eq!(shortened(["/home/me/a/walk.bvh", "/data/b/walk.bvh"]), ["a/walk.bvh", "b/walk.bvh"]);
        assert_eq!(shortened(["a/walk.bvh", "b/walk.bvh"]), ["a/walk.bvh", "b/walk.bvh"]);
        // The same file twice.
        assert_eq!(shortened(["/home/me/walk.bvh", "/home/me/walk.bvh"]), ["walk.bvh", "walk.bvh"]);
    }
}
