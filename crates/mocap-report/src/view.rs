//! The viewer: motions and a script that plays them, in one self-contained HTML file.

use crate::balance::{BalanceData, balance_data};
use crate::body::{body, top};
use crate::character;
use crate::coding::{self, base64};
use crate::curve::{curve, largest, nearly_largest};
use crate::difference::{Difference, Measure, difference};
use crate::escape::{json_in_script, xml};
use crate::findings::{Finding, findings};
use crate::numbers::{self, NumbersData};
use crate::page::{self, Scripts};
use crate::ramp::FLOOR;
use crate::residual::{quarters_onto, residuals};
use crate::sheet::{count, decimals};
use crate::skin_data::{SkinData, skin_data};
use crate::solid::{Across, Form, Solid};
use crate::stage::{FAR, Place, Stage, evenly_spaced};
use crate::surface::{Colours, Surface};
use crate::ticks::grid;
use mocap_analysis::{BodyBalance, runs, stature};
use mocap_model::{Body, Clip, Side, UnitSource, Vector3};
use serde::Serialize;
use std::sync::Arc;

pub use crate::character::{Character, CharacterError};

/// A motion on a page.
#[derive(Clone, Copy, Debug)]
pub struct ViewInput<'a> {
    /// Its name on the page.
    pub name: &'a str,
    /// The motion; the roles of its joints give sides, feet and facing.
    pub clip: &'a Clip,
    /// The meshes of its file, whose bones are joints of the clip; without them a body of capsules is drawn.
    pub body: Option<&'a Body>,
    /// Its balance, where that is drawn.
    pub balance: Option<&'a BodyBalance>,
}

impl<'a> ViewInput<'a> {
    /// A motion without meshes.
    pub fn new(name: &'a str, clip: &'a Clip) -> ViewInput<'a> {
        ViewInput { name, clip, body: None, balance: None }
    }
}

/// What a page holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ViewOptions {
    /// The largest number of frames of a motion, at least 2: a longer one keeps every second, third, … frame.
    /// Default 6000.
    pub most_frames: usize,
    /// The shell distance: how far from its joint the object-space error is measured \[m\]. Default 0.03.
    pub shell: f64,
    /// The surface below the first motion: triangles in the axes and units of its clip, anticlockwise seen from above.
    /// Default: none, a flat floor.
    pub ground: Vec<[Vector3<f64>; 3]>,
    /// A mesh in place of the body of motions that it fits ([`Character::fits`]). Default: none.
    pub mesh: Option<Arc<Character>>,
    /// The colours of meshes at first; the page offers others. Default [`Colours::File`].
    pub colours: Colours,
    /// A joint whose weights are the colours of meshes, from blue (0) to red (1), in place of those of the file.
    /// Default: none.
    pub weights: Option<String>,
}

impl Default for ViewOptions {
    fn default() -> ViewOptions {
        ViewOptions {
            most_frames: 6000,
            shell: 0.03,
            ground: Vec::new(),
            mesh: None,
            colours: Colours::File,
            weights: None,
        }
    }
}

/// The page of some motions; motions after the first are compared with it.
///
/// Positions are rounded to 0.1 mm where the unit is known, otherwise to 1/17,000 of the body.
///
/// ```
/// use mocap_report::view::{ViewInput, ViewOptions, html};
/// # let source = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// # let result = source.clone();
/// let inputs = [ViewInput::new("source", &source), ViewInput::new("result", &result)];
/// let page = String::from_utf8(html(&inputs, &ViewOptions::default()))?;
/// assert!(page.contains("no difference"));
/// # Ok::<(), std::string::FromUtf8Error>(())
/// ```
pub fn html(inputs: &[ViewInput<'_>], options: &ViewOptions) -> Vec<u8> {
    let parts = parts(inputs, options);
    page::page(
        Scripts::Inline,
        &xml(&parts.title),
        include_str!("page/viewer.css"),
        include_str!("page/viewer.html"),
        &[
            ("header", &parts.header),
            ("data", &json_in_script(&parts.data)),
            ("script", &page::viewer_script()),
        ],
    )
}

/// The parts of a page.
pub(crate) struct Parts<'a> {
    pub title: String,
    /// Markup.
    pub header: String,
    /// JSON.
    pub data: String,
    /// By motion: its stage, and its findings.
    pub stages: Vec<(Stage<'a>, Vec<Finding>)>,
    /// By motion: its mesh, if one is drawn.
    pub surfaces: Vec<Option<Surface>>,
}

pub(crate) fn parts<'a>(inputs: &[ViewInput<'a>], options: &ViewOptions) -> Parts<'a> {
    let mut stages: Vec<Stage<'a>> = inputs.iter().map(|input| Stage::new(input.clip)).collect();
    let bodies: Vec<Vec<Solid>> = stages.iter_mut().map(dress).collect();
    let surfaces: Vec<Option<Surface>> =
        inputs.iter().zip(&mut stages).map(|(input, stage)| surface(input, stage, options)).collect();
    let fitted = fit_unknown(&mut stages);
    if let Some((body, others)) = stages.split_first_mut() {
        for cloud in others {
            cloud.turn_quarters(quarters_onto(body, cloud));
        }
    }
    let ground = stages.first_mut().map_or_else(Vec::new, |stage| stage.lay(&options.ground));
    let known = stages.iter().any(|stage| stage.unit.is_some());
    let mut header = String::new();
    let mut clips = Vec::with_capacity(inputs.len());
    for (i, (stage, input)) in stages.iter().zip(inputs).enumerate() {
        let difference = match i {
            0 => None,
            _ => residuals(&stages[0], stage).or_else(|| difference(&stages[0], stage, options.shell)),
        };
        let clip =
            clip(stage, input, (&bodies[i], surfaces[i].as_ref()), difference.as_ref(), known, options);
        header.push_str(&heading(stage, input, &clip, i, known, fitted[i]));
        clips.push(clip);
    }
    let first = stages.first();
    let heading = first.map_or(0.0, |stage| stage.heading(&stage.pose(0)));
    let size = first.map_or(1.0, Stage::size);
    let data = Data {
        unit: if known { "m" } else { "units" },
        heading: rounded(heading, 1e4),
        grid: grid(size, known),
        coarse: SITE_QUANTA,
        ground: (!ground.is_empty()).then(|| packed(&ground)),
        colours: (options.colours == Colours::Sides).then_some("side"),
        mesh: options.mesh.as_ref().map(|mesh| base64(&mesh.glb)),
        clips,
    };
    let json = serde_json::to_string(&data).expect("plain data is JSON");
    let title: Vec<&str> = inputs.iter().map(|input| input.name).collect();
    let findings = data.clips.into_iter().map(|clip| clip.findings);
    let stages = stages.into_iter().zip(findings).collect();
    Parts { title: title.join(", "), header, data: json, stages, surfaces }
}

/// The mesh of a motion; its stage is enlarged to include it. `None` if another mesh is drawn instead.
fn surface(input: &ViewInput<'_>, stage: &mut Stage<'_>, options: &ViewOptions) -> Option<Surface> {
    let skeleton = input.clip.skeleton();
    let worn = options.mesh.as_ref().is_some_and(|mesh| mesh.fits(skeleton));
    let mut surface = Surface::new(input.body.filter(|_| !worn)?, input.clip)?;
    if let Some(joint) = options.weights.as_ref().and_then(|name| skeleton.find_by_name_or_role(name)) {
        surface.show_weights(joint);
    }
    surface.frame(stage);
    stage.make_room(stage.floor + 1.2 * surface.usual_height(stage));
    Some(surface)
}

fn packed(triangles: &[[Vector3<f64>; 3]]) -> String {
    let numbers = triangles.iter().flatten().flat_map(|corner| [corner.x, corner.y, corner.z]);
    base64(&numbers.flat_map(|number| (number as f32).to_le_bytes()).collect::<Vec<u8>>())
}

/// Adds the sites of its body to a stage; returns the solids.
fn dress(stage: &mut Stage<'_>) -> Vec<Solid> {
    let body = body(stage);
    stage.sites = body.sites;
    let skeleton = stage.clip.skeleton();
    // Robots have heads without joints; other bodies without a stature may be longer than their bones.
    if skeleton.robot().is_some() || stature(skeleton).is_none() {
        let mut highest = stage.floor;
        stage.walk(evenly_spaced(stage.frames(), 24), |_, pose| {
            highest = highest.max(top(&body.solids, pose, stage.scale));
        });
        stage.make_room(stage.floor + 1.2 * (highest - stage.floor));
    }
    body.solids
}

#[derive(Serialize)]
struct Data {
    unit: &'static str,
    heading: f64,
    grid: f64,
    /// The rounding of the sites of bodies, in quanta.
    coarse: i32,
    /// Triangles of a surface: corners as little-endian floats.
    #[serde(skip_serializing_if = "Option::is_none")]
    ground: Option<String>,
    /// The colours of meshes at first, where they are not those of the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    colours: Option<&'static str>,
    /// A GLB file.
    #[serde(skip_serializing_if = "Option::is_none")]
    mesh: Option<String>,
    clips: Vec<ClipData>,
}

#[derive(Serialize)]
struct ClipData {
    name: String,
    joints: Vec<String>,
    /// Of joints, then of the sites of the body; -1 for a root.
    parents: Vec<i32>,
    /// 0 in the middle, 1 left, 2 right.
    sides: Vec<u8>,
    ends: Vec<u8>,
    /// From, to, whether it is outside the body.
    bones: Vec<[usize; 3]>,
    solids: Vec<SolidData>,
    feet: Vec<FootData>,
    findings: Vec<Finding>,
    /// Time [s] and name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    events: Vec<(f64, String)>,
    centre: usize,
    fps: f64,
    frames: usize,
    /// Frames of the clip per sample.
    step: usize,
    samples: usize,
    size: f64,
    floor: f64,
    quantum: f64,
    /// At most [`CURVE`](crate::curve::CURVE) values over the motion, 0 to 255: the largest difference, or without one
    /// the speed of the hips.
    curve: Vec<u8>,
    differences: Option<DifferenceData>,
    /// With a mesh: the frames of the joints at rest, and their rotations, samples × joints × 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    rest: Option<Vec<[f64; 7]>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<String>,
    /// Its own mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    skin: Option<SkinData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    numbers: Option<NumbersData>,
    #[serde(skip_serializing_if = "Option::is_none")]
    balance: Option<BalanceData>,
    /// samples × joints and sites × 3: from the parent, in quanta.
    data: String,
}

/// From, to, radius at both, the joint that colours it, depth over width, form (0 capsule, 1 cylinder, 2 box, 3 capsule
/// with a face), and the places that give the wide direction: none, two, three of a plane, or two pairs with shares.
type SolidData = (usize, usize, f64, f64, usize, f64, u8, Vec<f64>);

fn solid(solid: &Solid, scale: f64) -> SolidData {
    let [from, to] = solid.ends;
    let [first, last] = solid.radii.map(|radius| rounded((radius * scale).min(FAR), 1e4));
    let form = match solid.form {
        Form::Capsule => 3 * u8::from(solid.face),
        Form::Cylinder => 1,
        Form::Box => 2,
    };
    let numbers = |places: &[usize]| places.iter().map(|place| *place as f64).collect();
    let across = match &solid.across {
        Across::Round => Vec::new(),
        Across::Pair(places) => numbers(places),
        Across::Plane(places) => numbers(places),
        Across::Between { pairs, at } => {
            [numbers(pairs.as_flattened()), at.map(|at| rounded(at, 1e3)).to_vec()].concat()
        }
    };
    (from, to, first, last, solid.joint, rounded(solid.depth, 1e3), form, across)
}

#[derive(Serialize)]
struct FootData {
    side: u8,
    toe: usize,
    ankle: usize,
    /// Samples from, to (not included), from, to, …
    toe_on: Vec<usize>,
    heel_on: Vec<usize>,
}

#[derive(Serialize)]
struct DifferenceData {
    label: &'static str,
    max: f64,
    worst: Option<WorstData>,
    channels: usize,
    /// By joint; -1 without a counterpart.
    channel: Vec<i32>,
    /// samples × channels: 0 to 255 of `max`.
    data: String,
}

#[derive(Serialize)]
struct WorstData {
    joint: usize,
    frame: usize,
    value: f64,
}

/// Scales motions of unknown unit to the size of the first one with a known unit; returns which were scaled.
fn fit_unknown(stages: &mut [Stage<'_>]) -> Vec<bool> {
    let known = stages.iter().find(|stage| stage.unit.is_some()).map(Stage::size);
    stages
        .iter_mut()
        .map(|stage| match known {
            Some(size) if stage.unit.is_none() => {
                let factor = size / stage.size();
                stage.scale *= factor;
                stage.floor *= factor;
                true
            }
            _ => false,
        })
        .collect()
}

fn clip(
    stage: &Stage<'_>,
    input: &ViewInput<'_>,
    (solids, surface): (&[Solid], Option<&Surface>),
    difference: Option<&Difference>,
    known: bool,
    options: &ViewOptions,
) -> ClipData {
    let skeleton = stage.clip.skeleton();
    let (joints, frames) = (skeleton.len(), stage.frames());
    let places = joints + stage.sites.len();
    let step = (frames - 1).div_ceil(options.most_frames.max(2) - 1).max(1);
    let samples = (frames - 1) / step + 1;
    let quantum = if known { 1e-4 } else { stage.size() / 17_000.0 };
    let mut values = Vec::with_capacity(samples * places * 3);
    let mut centre = Vec::with_capacity(samples);
    let above = skeleton.joints().iter().map(|joint| joint.parent.map_or(-1, |parent| parent.0 as i32));
    let parents: Vec<i32> = above.chain(stage.sites.iter().map(|site| site.joint as i32)).collect();
    stage.walk((0..samples).map(|sample| sample * step), |_, poses| {
        let start = values.len();
        for place in poses {
            // Coordinates beyond 200 km are drawn at that distance.
            values.extend(place.map(|x| (x / quantum).round().clamp(-2e9, 2e9) as i32));
        }
        // Backwards, so that the parent still has its absolute position.
        for joint in (0..places).rev() {
            if let Ok(parent) = usize::try_from(parents[joint]) {
                for axis in 0..3 {
                    let above: i32 = values[start + parent * 3 + axis];
                    let value = &mut values[start + joint * 3 + axis];
                    *value = value.wrapping_sub(above);
                    // Sites only shape the body.
                    if joint >= joints {
                        *value = (f64::from(*value) / f64::from(SITE_QUANTA)).round() as i32;
                    }
                }
            }
        }
        centre.push(poses[stage.centre]);
    });
    let differences = difference.map(|difference| differences(difference, joints, step, samples));
    let curve = match difference {
        Some(difference) => {
            let errors: Vec<f32> = difference.values.chunks(difference.joints.len()).map(largest).collect();
            curve(&errors, largest(&errors))
        }
        None => {
            let step = |p: &[Place]| (0..3).map(|axis| (p[1][axis] - p[0][axis]).powi(2)).sum::<f64>().sqrt();
            let speeds: Vec<f32> = centre.windows(2).map(|p| step(p) as f32).collect();
            curve(&speeds, nearly_largest(&speeds) * 1.1)
        }
    };
    let worn = options.mesh.as_ref().filter(|mesh| mesh.fits(skeleton));
    let shown = numbers::shown(stage.clip, surface);
    ClipData {
        name: input.name.to_owned(),
        joints: skeleton.joints().iter().map(|joint| joint.name.clone()).collect(),
        parents,
        sides: stage.sides.iter().map(|side| side.map_or(0, side_number)).collect(),
        ends: skeleton.joints().iter().map(|joint| u8::from(joint.end_site)).collect(),
        bones: stage.bones.iter().map(|bone| [bone.from, bone.to, usize::from(bone.faint)]).collect(),
        solids: solids.iter().map(|it| solid(it, stage.scale)).collect(),
        feet: feet(stage, step, samples),
        findings: findings(stage.clip),
        events: events(input),
        centre: stage.centre,
        fps: stage.clip.rate().fps(),
        frames: stage.clip.frames(),
        step,
        samples,
        size: rounded(stage.size(), 1e4),
        floor: rounded(stage.floor, 1e5),
        quantum,
        curve,
        differences,
        rest: worn.map(|_| character::rest(stage)),
        turns: worn.map(|_| character::turns(stage, step, samples)),
        skin: surface.map(|surface| skin_data(stage, surface, (step, samples), quantum, &shown)),
        numbers: numbers::numbers(stage.clip, &shown, (step, samples)),
        balance: input.balance.map(|balance| balance_data(stage, balance, (step, samples))),
        data: coding::encode(&values, places * 3),
    }
}

/// Events that are within the motion, in their order, and spans out of balance.
fn events(input: &ViewInput<'_>) -> Vec<(f64, String)> {
    let clip = input.clip;
    let within = |time: f64| (0.0..=clip.duration()).contains(&time);
    let all = clip.annotations().events.iter().filter(|event| within(event.time));
    let mut found: Vec<(f64, String)> =
        all.map(|event| (rounded(event.time, 1e3), event.name.clone())).collect();
    for span in input.balance.map_or_else(Vec::new, BodyBalance::off_balance) {
        let name = format!("{} outside the soles", span.kind.words());
        found.push((rounded(span.start, 1e3), name.clone()));
        found.push((rounded(span.end, 1e3), name + " end"));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found
}

fn side_number(side: Side) -> u8 {
    match side {
        Side::Left => 1,
        Side::Right => 2,
    }
}

fn feet(stage: &Stage<'_>, step: usize, samples: usize) -> Vec<FootData> {
    let feet = stage.feet.iter().zip(&stage.contacts).map(|(foot, found)| {
        let sampled = |flags: &[bool]| -> Vec<usize> {
            let flags: Vec<bool> = (0..samples).map(|sample| flags[sample * step]).collect();
            runs(&flags).into_iter().flat_map(|run| [run.start, run.end]).collect()
        };
        FootData {
            side: side_number(foot.side),
            toe: foot.toe.index(),
            ankle: foot.ankle.index(),
            toe_on: sampled(&found.toe),
            heel_on: sampled(&found.heel),
        }
    });
    feet.collect()
}

fn differences(difference: &Difference, joints: usize, step: usize, samples: usize) -> DifferenceData {
    let channels = difference.joints.len();
    let largest = difference.largest();
    let max = match difference.measure {
        Measure::ObjectError => largest.map_or(0.0, |largest| largest.value).max(FLOOR as f32),
        Measure::Distance => largest.map_or(0.0, |largest| largest.value),
        // One distant marker must not make all others look alike.
        Measure::Residual => nearly_largest(&difference.values),
    };
    let mut channel = vec![-1; joints];
    for (i, joint) in difference.joints.iter().enumerate() {
        channel[*joint] = i as i32;
    }
    // A sample stands for all frames up to the next one.
    let mut levels = vec![0i32; samples * channels];
    for (frame, row) in difference.values.chunks(channels).enumerate() {
        let sample = (frame / step).min(samples - 1);
        for (level, value) in levels[sample * channels..].iter_mut().zip(row) {
            let share = if max > 0.0 { (value / max * 255.0).round().min(255.0) as i32 } else { 0 };
            *level = (*level).max(share);
        }
    }
    DifferenceData {
        label: difference.measure.label(),
        max: f64::from(max),
        worst: largest.map(|l| WorstData { joint: l.joint, frame: l.frame, value: f64::from(l.value) }),
        channels,
        channel,
        data: coding::encode(&levels, channels),
    }
}

/// Sites are rounded to this many quanta.
const SITE_QUANTA: i32 = 10;

/// The colours of motions after the first, as on the page.
const OTHERS: [&str; 13] = [
    "2b9a57", "b0559e", "b58900", "0f8a8a", "7358d0", "c0453a", "5f8f1d", "99602f", "3a86c8", "d6488c",
    "6b7785", "2f6f4f", "9a4fd0",
];

/// The name and facts of one clip for the head of the page.
fn heading(
    stage: &Stage<'_>,
    input: &ViewInput<'_>,
    clip: &ClipData,
    index: usize,
    known: bool,
    fitted: bool,
) -> String {
    let joints = stage.clip.skeleton().joints().iter().filter(|joint| !joint.end_site).count();
    let mut facts = vec![count(joints, stage.points())];
    match stage.clip.frames() {
        0 => facts.push("no frames: rest pose".into()),
        frames => {
            let fps = decimals(stage.clip.rate().fps(), 3);
            facts.push(format!("{frames} frames at {fps} fps, {:.2} s", stage.clip.duration()));
        }
    }
    if clip.step > 1 {
        facts.push(format!("every {} frame shown", ordinal(clip.step)));
    }
    match stage.unit {
        Some(UnitSource::Guessed | UnitSource::Voted) => facts.push("unit guessed".into()),
        None if fitted => facts.push("unit unknown: drawn at the size of the others".into()),
        None => facts.push("unit unknown".into()),
        Some(_) => {}
    }
    if stage.quarters > 0 {
        facts.push(format!("turned by {}° about the vertical onto the body", 90 * stage.quarters));
    }
    if let Some(difference) = &clip.differences {
        facts.push(match &difference.worst {
            None => "no difference".into(),
            Some(worst) => format!(
                "largest {}: {} at {} in frame {}",
                difference.label,
                length(worst.value, known),
                clip.joints[worst.joint],
                worst.frame
            ),
        });
    }
    let chip = match index {
        0 => "var(--middle)".to_owned(),
        _ => format!("#{}", OTHERS[(index - 1) % OTHERS.len()]),
    };
    format!(
        "<div><h1><span class=\"chip\" style=\"background:{chip}\"></span>{}</h1><span class=\"facts\">{}</span></div>",
        xml(input.name),
        xml(&facts.join(" · "))
    )
}

/// A length as text: in millimetres if it is small.
pub(crate) fn length(value: f64, metres: bool) -> String {
    match metres {
        false => format!("{} units", decimals(value, 4)),
        true if value < 0.1 => format!("{} mm", decimals(value * 1000.0, 3)),
        true => format!("{value:.3} m"),
    }
}

fn ordinal(number: usize) -> String {
    let end = match (number % 10, number % 100) {
        (1, rest) if rest != 11 => "st",
        (2, rest) if rest != 12 => "nd",
        (3, rest) if rest != 13 => "rd",
        _ => "th",
    };
    format!("{number}{end}")
}

fn rounded(value: f64, per_unit: f64) -> f64 {
    (value * per_unit).round() / per_unit
}
