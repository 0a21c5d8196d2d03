//! Curves of a joint or a number over time, of one motion or of several in one chart.

mod lines;

use self::lines::{Line, lines};
use crate::bounds::{Bounds, bounds};
use crate::drawing::{Align, DASHES, Drawing, Ink, Point, SERIES, Theme};
use crate::escape::{json_in_script, xml};
use crate::page::{self, Scripts};
use crate::stage::{FAR, Stage};
use crate::ticks::ticks;
use crate::{glyphs, raster, svg};
use mocap_analysis::{BodyBalance, runs};
use mocap_model::{Clip, JointId, Side};
use serde_json::json;
use std::ops::Range;

/// A motion in a chart.
#[derive(Clone, Copy, Debug)]
pub struct PlotInput<'a> {
    /// Its name in the legend.
    pub name: &'a str,
    /// The motion.
    pub clip: &'a Clip,
    /// What is drawn of it.
    pub of: Plotted<'a>,
}

/// What is drawn of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Plotted<'a> {
    /// The curves of a joint, as [`PlotOptions::channel`] says.
    Joint(JointId),
    /// The centre of mass ([`mocap_analysis::body_balance`] of people): its position, or its speed.
    CentreOfMass(&'a BodyBalance),
    /// Ground point of the centre of mass, extrapolated centre of mass and zero-moment point: their places on the floor, or
    /// how far each is inside the soles that stand there ([`Channel::Margin`]).
    Balance(&'a BodyBalance),
    /// A number over time, such as the weight of a shape, by its place in [`mocap_model::Annotations::scalars`].
    Number(usize),
}

impl From<JointId> for Plotted<'_> {
    fn from(joint: JointId) -> Self {
        Plotted::Joint(joint)
    }
}

impl PlotInput<'_> {
    fn joint(&self) -> Option<JointId> {
        match self.of {
            Plotted::Joint(joint) => Some(joint),
            Plotted::CentreOfMass(_) | Plotted::Balance(_) | Plotted::Number(_) => None,
        }
    }

    fn is_number(&self) -> bool {
        matches!(self.of, Plotted::Number(_))
    }

    /// The name of the joint or number.
    fn of_name(&self) -> &str {
        match self.of {
            Plotted::Joint(joint) => &self.clip.skeleton().joint(joint).name,
            Plotted::CentreOfMass(_) => "centre of mass",
            Plotted::Balance(_) => "balance",
            Plotted::Number(at) => self.clip.annotations().scalars.get(at).map_or("", |track| &track.name),
        }
    }
}

/// What is drawn over time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Channel {
    /// Euler angles of the local rotation in the order of the joint, unwrapped \[deg\].
    #[default]
    Rotation,
    /// Position in object space \[m, or units of the clip where the unit is unknown\].
    Position,
    /// Speed of the position [m/s, or units/s].
    Speed,
    /// The distance of points on the floor inside the support polygon, negative outside \[m\]; only
    /// for [`Plotted::Balance`].
    Margin,
}

/// What a chart looks like.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotOptions {
    /// Default [`Channel::Rotation`].
    pub channel: Channel,
    /// \[px\], 200 to 10,000. Default 960 × 360. Names and contacts of further motions add to the height.
    pub size: [f32; 2],
    /// Default [`Theme::Light`].
    pub theme: Theme,
    /// Pixels of a PNG per pixel of the chart, 0.25 to 8. Default 2.
    pub scale: f32,
}

impl Default for PlotOptions {
    fn default() -> PlotOptions {
        PlotOptions { channel: Channel::default(), size: [960.0, 360.0], theme: Theme::Light, scale: 2.0 }
    }
}

/// The chart as an SVG file.
///
/// ```
/// use mocap_report::plot::{Channel, PlotInput, PlotOptions, svg};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let joint = clip.skeleton().find("RightHand").unwrap();
/// let options = PlotOptions { channel: Channel::Speed, ..PlotOptions::default() };
/// let chart = svg(&[PlotInput { name: "wave", clip: &clip, of: joint.into() }], &options);
/// assert!(chart.contains("RightHand: speed"));
/// ```
pub fn svg(inputs: &[PlotInput<'_>], options: &PlotOptions) -> String {
    svg::write(&draw(inputs, options), options.theme, &title(inputs, options.channel))
}

/// The chart as a PNG file.
///
/// ```
/// use mocap_report::plot::{PlotInput, PlotOptions, png};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let joint = clip.skeleton().find("RightHand").unwrap();
/// let file = png(&[PlotInput { name: "wave", clip: &clip, of: joint.into() }], &PlotOptions::default());
/// assert!(file.starts_with(b"\x89PNG"));
/// ```
pub fn png(inputs: &[PlotInput<'_>], options: &PlotOptions) -> Vec<u8> {
    raster::encode(&raster::render(&draw(inputs, options), options.theme, options.scale.clamp(0.25, 8.0)))
}

/// The chart as a page that zooms and reads off values: one HTML file that loads nothing else.
///
/// ```
/// use mocap_report::plot::{PlotInput, PlotOptions, html};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let joint = clip.skeleton().find("RightHand").unwrap();
/// let page = html(&[PlotInput { name: "wave", clip: &clip, of: joint.into() }], &PlotOptions::default());
/// assert!(page.starts_with(b"<!doctype html>"));
/// ```
pub fn html(inputs: &[PlotInput<'_>], options: &PlotOptions) -> Vec<u8> {
    let Chart { curves, unit, contacts } = chart(inputs, options.channel);
    let title = title(inputs, options.channel);
    let curve = |curve: &Curve| {
        // Five digits of the largest value: finer than a screen shows at any zoom that makes sense.
        let largest = curve.values.iter().fold(0.0f64, |most, value| most.max(value.abs()));
        let places = (4.0 - largest.max(1e-9).log10().floor()).clamp(0.0, 12.0) as i32;
        let scale = 10f64.powi(places);
        json!({
            "label": curve.label,
            "ink": match curve.ink { Ink::Series(i) => i, _ => 0 },
            "dash": curve.dash,
            "fps": curve.rate,
            "places": places,
            "values": curve.values.iter().map(|value| (value * scale).round()).collect::<Vec<_>>(),
        })
    };
    let contacts = contacts.iter().map(|foot| {
        let spans = foot.spans.iter().flat_map(|span| [span.start, span.end]);
        json!({
            "label": foot.label,
            "left": foot.side == Side::Left,
            "own": foot.own,
            "curve": foot.curve,
            "fps": foot.rate,
            "spans": spans.collect::<Vec<_>>(),
        })
    });
    let Bounds { low, high, cut } = axis(&curves).unwrap_or(Bounds { low: 0.0, high: 0.0, cut: [false; 2] });
    let data = json!({
        "unit": unit,
        "cut": [cut[0].then_some(low), cut[1].then_some(high)],
        "curves": curves.iter().map(curve).collect::<Vec<_>>(),
        "contacts": contacts.collect::<Vec<_>>(),
    });
    page::page(
        Scripts::Inline,
        &xml(&title),
        include_str!("page/plot.css"),
        include_str!("page/plot.html"),
        &[
            ("heading", &xml(&title)),
            ("data", &json_in_script(&data.to_string())),
            ("script", &page::plot_script()),
        ],
    )
}

/// What a chart shows.
struct Chart {
    curves: Vec<Curve>,
    /// Of the values.
    unit: String,
    contacts: Vec<Contacts>,
}

/// When a foot is on the floor.
struct Contacts {
    label: String,
    side: Side,
    /// Whether a joint of the chart is part of this foot.
    own: bool,
    /// The first curve of its motion, where there are several motions.
    curve: Option<usize>,
    /// Frames per second.
    rate: f64,
    /// Frames.
    spans: Vec<Range<usize>>,
}

/// One line of the chart.
struct Curve {
    label: String,
    ink: Ink,
    /// Of [`DASHES`].
    dash: u8,
    /// Frames per second.
    rate: f64,
    values: Vec<f64>,
}

fn title(inputs: &[PlotInput<'_>], channel: Channel) -> String {
    let of = match channel {
        _ if inputs.iter().all(PlotInput::is_number) => None,
        Channel::Rotation => Some("rotation"),
        Channel::Position => Some("position"),
        Channel::Speed => Some("speed"),
        Channel::Margin => Some("inside the soles"),
    };
    let mut names: Vec<&str> = Vec::new();
    for input in inputs {
        if !names.contains(&input.of_name()) {
            names.push(input.of_name());
        }
    }
    // A face has dozens of shapes; the legend names them all.
    const NAMED: usize = 6;
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let joined = names.join(", ") + &if more > 0 { format!(" and {more} more") } else { String::new() };
    of.map_or(joined.clone(), |of| format!("{joined}: {of}"))
}

fn chart(inputs: &[PlotInput<'_>], channel: Channel) -> Chart {
    let stages: Vec<Stage<'_>> = inputs.iter().map(|input| Stage::new(input.clip)).collect();
    let metres = stages.iter().all(|stage| stage.unit.is_some());
    let mut curves = Vec::new();
    for (i, (input, stage)) in inputs.iter().zip(&stages).enumerate() {
        let clip = input.clip;
        for (k, Line { axis, point, values }) in lines(input, stage, channel, metres).into_iter().enumerate()
        {
            // Colours tell axes apart and dashes motions; where there is one curve, colours tell the motions.
            let series = usize::from(SERIES);
            let (colour, dash) = match axis {
                _ if point.is_some() => (k, i % DASHES.len()),
                Some(axis) => (axis.index() + 3 * (i / 2), i % 2 + 2 * (i / 4 % 2)),
                None => (i, i / series % DASHES.len()),
            };
            let named = axis.is_none() && point.is_none() || inputs.len() > 1;
            let words = [axis.map(|axis| axis.letter().to_string()), point.map(str::to_owned)];
            let words = words.into_iter().flatten().chain(named.then(|| input.name.to_owned()));
            let label = words.collect::<Vec<_>>().join(" ");
            curves.push(Curve {
                label,
                ink: Ink::Series((colour % series) as u8),
                dash: dash as u8,
                rate: clip.rate().fps(),
                values: values.into_iter().map(|value| value.clamp(-FAR, FAR)).collect(),
            });
        }
    }
    let unit = if metres { "m" } else { "units" };
    let unit = match channel {
        _ if inputs.iter().all(PlotInput::is_number) => String::new(),
        Channel::Rotation => "degrees".to_owned(),
        Channel::Position | Channel::Margin => unit.to_owned(),
        Channel::Speed => format!("{unit}/s"),
    };
    let curves_each = curves.len() / inputs.len().max(1);
    let contacts = contacts(inputs, &stages, curves_each);
    Chart { curves, unit, contacts }
}

/// The contacts of the feet of every motion.
fn contacts(inputs: &[PlotInput<'_>], stages: &[Stage<'_>], curves_each: usize) -> Vec<Contacts> {
    let mut all: Vec<Contacts> = Vec::new();
    let mut seen: Vec<*const Clip> = Vec::new();
    for (i, stage) in stages.iter().enumerate() {
        // Feet say nothing about numbers.
        if inputs[i].is_number() {
            continue;
        }
        // Several joints of one motion share its contacts.
        if seen.contains(&std::ptr::from_ref(stage.clip)) {
            continue;
        }
        seen.push(std::ptr::from_ref(stage.clip));
        let of_clip = || inputs.iter().filter(|input| std::ptr::eq(input.clip, stage.clip));
        for (foot, found) in stage.feet.iter().zip(&stage.contacts) {
            let either: Vec<bool> =
                found.toe.iter().zip(&found.heel).map(|(toe, heel)| *toe || *heel).collect();
            let side = if foot.side == Side::Left { "left foot" } else { "right foot" };
            let several = inputs.iter().any(|input| !std::ptr::eq(input.clip, stage.clip));
            let name = of_clip().next().map_or("", |input| input.name);
            all.push(Contacts {
                label: if several { format!("{side} {name}") } else { side.to_owned() },
                side: foot.side,
                own: of_clip().filter_map(PlotInput::joint).any(|joint| foot.points.contains(&joint)),
                curve: several.then_some(i * curves_each),
                rate: stage.clip.rate().fps(),
                spans: runs(&either),
            });
        }
    }
    all
}

/// The bounds of the values of a chart.
fn axis(curves: &[Curve]) -> Option<Bounds> {
    bounds(curves.iter().map(|curve| (&curve.values[..], curve.rate)))
}

fn draw(inputs: &[PlotInput<'_>], options: &PlotOptions) -> Drawing {
    let Chart { curves, unit, contacts } = chart(inputs, options.channel);
    let [width, height] = options.size.map(|side| side.clamp(200.0, 10_000.0));
    let mut drawing = Drawing { width, height, shapes: Vec::new() };
    drawing.text([16.0, 24.0], title(inputs, options.channel), 14.0, Ink::Text, Align::Start);
    let top = legend(&mut drawing, &curves, width);
    // The curves keep their height.
    let strips = (STRIP * contacts.len() as f32).min(height);
    let height = height + (top - LEGEND) + (strips - 2.0 * STRIP).max(0.0);
    drawing.height = height;

    let seconds = curves.iter().map(|curve| curve.values.len().saturating_sub(1) as f64 / curve.rate);
    let seconds = seconds.fold(0.0, f64::max);
    let Some(Bounds { low, high, cut }) = axis(&curves) else {
        drawing.text([width / 2.0, height / 2.0], "no frames", 12.0, Ink::Muted, Align::Middle);
        return drawing;
    };
    // Some margin above and below, for a constant curve too.
    let air = ((high - low) * 0.06).max(1e-9 + 1e-3 * high.abs().max(1e-3));
    let (low, high) = (low - air, high + air);
    let (marks, places) = ticks(low, high, ((height - top - 40.0) / 34.0) as usize);
    let labels: Vec<String> = marks.iter().map(|mark| label(*mark, places)).collect();
    let widest = labels.iter().map(|label| glyphs::width(label, 10.0)).fold(14.0, f32::max);
    let left = 22.0 + widest.min(width / 3.0);
    let (right, bottom) = (width - 18.0, height - 34.0 - strips);
    let x = |t: f64| left + if seconds > 0.0 { (t / seconds) as f32 } else { 0.5 } * (right - left);
    let y = |v: f64| bottom - ((v.clamp(low, high) - low) / (high - low)) as f32 * (bottom - top);
    shade_contacts(&mut drawing, (&contacts, &curves), [top, bottom, strips, left], |t| x(t.min(seconds)));
    for (mark, label) in marks.iter().zip(labels) {
        drawing.line([left, y(*mark)], [right, y(*mark)], Ink::Grid, 1.0);
        drawing.text([left - 6.0, y(*mark) + 3.5], label, 10.0, Ink::Muted, Align::End);
    }
    let (times, places) = ticks(0.0, seconds.max(1e-9), 10);
    for time in times.iter().filter(|time| **time <= seconds * (1.0 + 1e-9)) {
        drawing.line([x(*time), top], [x(*time), bottom], Ink::Grid, 1.0);
        drawing.text(
            [x(*time), bottom + strips + 15.0],
            label(*time, places),
            10.0,
            Ink::Muted,
            Align::Middle,
        );
    }
    drawing.text([right, bottom + strips + 28.0], "time [s]", 10.0, Ink::Muted, Align::End);
    if !unit.is_empty() {
        drawing.text([16.0, top - 8.0], format!("[{unit}]"), 10.0, Ink::Muted, Align::Start);
    }
    for curve in &curves {
        let lines = thinned(curve, (right - left) as usize, |t, v| [x(t), y(v)]);
        drawing.lines(lines, curve.ink, 1.5, curve.dash);
    }
    if cut.contains(&true) {
        mark_cut(&mut drawing, &curves, [low, high], [right, top], |t, v| [x(t), y(v)]);
    }
    drawing
}

/// Marks where values lie beyond the axis, and names the farthest of them.
fn mark_cut(
    drawing: &mut Drawing,
    curves: &[Curve],
    [low, high]: [f64; 2],
    [right, top]: [f32; 2],
    point: impl Fn(f64, f64) -> Point,
) {
    /// The width and height of a mark \[px\].
    const MARK: f32 = 5.0;
    let mut farthest: Option<(f64, String)> = None;
    for curve in curves {
        let mut marks: Vec<Vec<Point>> = Vec::new();
        let known = curve.values.iter().enumerate().filter(|(_, value)| !value.is_nan());
        for (frame, value) in known.filter(|(_, value)| !(low..=high).contains(value)) {
            let time = frame as f64 / curve.rate;
            let [x, y] = point(time, *value);
            let inward = if *value > high { MARK } else { -MARK };
            // Marks of neighbouring frames are one.
            if marks.last().is_none_or(|mark| (mark[1][0] - x).abs() > MARK || mark[1][1] != y) {
                marks.push(vec![[x - MARK, y + inward], [x, y], [x + MARK, y + inward]]);
            }
            let beyond = (value - high).max(low - value);
            if farthest.as_ref().is_none_or(|(most, _)| beyond > *most) {
                let places = if value.abs() < 100.0 { 2 } else { 0 };
                let named = format!("{} {} at {time:.2} s", curve.label, label(*value, places));
                farthest = Some((beyond, named));
            }
        }
        drawing.lines(marks, curve.ink, 1.5, 0);
    }
    if let Some((_, named)) = farthest {
        let words = format!("beyond the axis: up to {named}");
        drawing.text([right, top - 8.0], words, 10.0, Ink::Muted, Align::End);
    }
}

/// The height of the row that shows the contacts of a foot \[px\].
const STRIP: f32 = 9.0;

/// The contacts of each foot in a row below the curves. If the plotted joints belong to one foot,
/// its contacts are also shaded behind the curves.
fn shade_contacts(
    drawing: &mut Drawing,
    (contacts, curves): (&[Contacts], &[Curve]),
    [top, bottom, strips, left]: [f32; 4],
    x: impl Fn(f64) -> f32,
) {
    let own = contacts.iter().filter(|foot| foot.own).count();
    for (row, foot) in contacts.iter().enumerate() {
        let (strip, tint) = match foot.side {
            Side::Left => (Ink::LeftLit, Ink::LeftContact),
            Side::Right => (Ink::RightLit, Ink::RightContact),
        };
        let high = strips / contacts.len() as f32;
        let below = bottom + 2.0 + high * row as f32;
        // Which foot it is, and the line of its motion.
        let (middle, side) = (below + 0.5 * high - 1.0, if foot.side == Side::Left { "L" } else { "R" });
        drawing.text([left - 6.0, middle + 0.35 * high], side, high.min(8.0), Ink::Muted, Align::End);
        if let Some(curve) = foot.curve.map(|curve| &curves[curve]) {
            drawing.lines(vec![vec![[4.0, middle], [left - 14.0, middle]]], curve.ink, 1.5, curve.dash);
        }
        for span in &foot.spans {
            let [from, to] = [span.start, span.end].map(|frame| x(frame as f64 / foot.rate));
            let area = |top: f32, bottom: f32| vec![[from, top], [to, top], [to, bottom], [from, bottom]];
            // Tints of two feet would hide each other.
            if foot.own && own == 1 {
                drawing.area(area(top, bottom), tint);
            }
            drawing.area(area(below, below + high - 2.0), strip);
        }
    }
}

/// A number on an axis, with an exponent where it would be long.
fn label(mark: f64, places: usize) -> String {
    if mark.abs() >= 1e7 || places > 7 { format!("{mark:.2e}") } else { format!("{:.places$}", mark + 0.0) }
}

/// Where a chart starts whose names are in one row \[px\].
const LEGEND: f32 = 70.0;

/// The names of the curves below the title; the height where the chart may start.
fn legend(drawing: &mut Drawing, curves: &[Curve], width: f32) -> f32 {
    /// The last row of names \[px\]; what follows is counted.
    const LAST: f32 = 1000.0;
    let (mut x, mut y) = (16.0, LEGEND - 26.0);
    for (i, curve) in curves.iter().enumerate() {
        let wide = 26.0 + glyphs::width(&curve.label, 11.0) + 18.0;
        if x + wide > width && x > 16.0 {
            (x, y) = (16.0, y + 17.0);
        }
        if y > LAST {
            drawing.text([x, y], format!("and {} more", curves.len() - i), 11.0, Ink::Muted, Align::Start);
            break;
        }
        drawing.lines(vec![vec![[x, y - 4.0], [x + 20.0, y - 4.0]]], curve.ink, 2.0, curve.dash);
        drawing.text([x + 26.0, y], curve.label.clone(), 11.0, Ink::Text, Align::Start);
        x += wide;
    }
    y + 26.0
}

/// The points of a curve, in a line for each run of known values; where there are more frames than pixels, the lowest and
/// highest of each pixel.
fn thinned(curve: &Curve, pixels: usize, point: impl Fn(f64, f64) -> Point) -> Vec<Vec<Point>> {
    let at = |frame: usize| point(frame as f64 / curve.rate, curve.values[frame]);
    let frames = curve.values.len();
    if frames <= 2 * pixels.max(1) {
        let known: Vec<bool> = curve.values.iter().map(|value| !value.is_nan()).collect();
        return runs(&known).into_iter().map(|run| run.map(at).collect()).collect();
    }
    let mut lines = vec![Vec::with_capacity(2 * pixels)];
    for pixel in 0..pixels {
        let range = pixel * frames / pixels..(pixel + 1) * frames / pixels;
        let value = |frame: &usize| curve.values[*frame];
        let known = || range.clone().filter(|frame| !curve.values[*frame].is_nan());
        let lowest = known().min_by(|a, b| value(a).total_cmp(&value(b)));
        let highest = known().max_by(|a, b| value(a).total_cmp(&value(b)));
        match (lowest, highest, lines.last_mut()) {
            (Some(low), Some(high), Some(line)) => line.extend([at(low.min(high)), at(low.max(high))]),
            _ => lines.push(Vec::new()),
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_motion_without_frames_has_no_curve_beside_one_that_moves() {
        let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let empty = clip.trimmed(0..0).unwrap();
        let joint = clip.skeleton().find("RightHand").unwrap();
        let inputs = [&clip, &empty].map(|clip| PlotInput { name: "clip", clip, of: joint.into() });
        let options = PlotOptions::default();
        assert!(svg(&inputs, &options).contains("<path"));
        assert!(!png(&inputs, &options).is_empty());
        assert!(!html(&inputs, &options).is_empty());
    }

    #[test]
    fn a_number_over_time_has_its_name_and_no_contacts() {
        let clip: Clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let values = (0..clip.frames()).map(|frame| (frame as f64 * 0.1).sin()).collect();
        let scalars = vec![mocap_model::ScalarTrack {
            name: "jawOpen".into(),
            values: mocap_model::Track::Sampled(values),
        }];
        let notes = mocap_model::Annotations { scalars, ..mocap_model::Annotations::default() };
        let clip = clip.with_annotations(notes).unwrap();
        let input = PlotInput { name: "jawOpen", clip: &clip, of: Plotted::Number(0) };
        let chart = svg(&[input], &PlotOptions::default());
        assert!(chart.contains(">jawOpen</text>") && !chart.contains("degrees"), "{chart}");
        assert!(!chart.contains("class=\"kl\""));
        assert_eq!(super::chart(&[input], Channel::Rotation).curves[0].values[5], 0.5f64.sin());
    }

    #[test]
    fn feet_on_the_floor_are_shaded_behind_their_own_curve() {
        let clip: Clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let of = |joint: &str| {
            let joint = clip.skeleton().find(joint).unwrap();
            svg(&[PlotInput { name: "wave", clip: &clip, of: joint.into() }], &PlotOptions::default())
        };
        // Both feet stand all the time: a strip each, and one tint for the chart of a foot.
        let (foot, hand) = (of("LeftToeBase"), of("RightHand"));
        assert_eq!(
            ["a", "d", "kl", "kr"].map(|ink| foot.matches(&format!("class=\"{ink}\"")).count()),
            [1, 1, 1, 0]
        );
        assert_eq!(
            ["a", "d", "kl", "kr"].map(|ink| hand.matches(&format!("class=\"{ink}\"")).count()),
            [1, 1, 0, 0]
        );
    }

    #[test]
    fn a_broken_frame_is_marked_and_the_axis_shows_the_others() {
        let clip: Clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let hips = clip.skeleton().find("Hips").unwrap();
        let options = PlotOptions { channel: Channel::Position, ..PlotOptions::default() };
        let of = |clip: &Clip| svg(&[PlotInput { name: "wave", clip, of: hips.into() }], &options);
        assert!(!of(&clip).contains("beyond the axis"));
        let mut places: Vec<_> = (0..clip.frames()).map(|frame| clip.local(hips, frame)).collect();
        places[30].translation.vector.y += 1e4;
        let mut tracks = clip.tracks().to_vec();
        let moved = places.iter().map(|place| place.translation.vector).collect();
        tracks[hips.index()].translation = Some(mocap_model::Track::Sampled(moved));
        let broken = Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks).unwrap();
        let chart = of(&broken);
        assert!(chart.contains("beyond the axis: up to Y "), "{chart}");
        // The numbers on the axis are those of a body.
        assert!(!chart.contains(">5000<"), "{chart}");
    }

    #[test]
    fn many_motions_leave_the_curves_their_height() {
        let clip: Clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
        let joint = clip.skeleton().find("RightHand").unwrap();
        let inputs = [PlotInput { name: "a motion with a name", clip: &clip, of: joint.into() }; 40];
        let options = PlotOptions::default();
        let [one, many] = [&inputs[..1], &inputs].map(|inputs| draw(inputs, &options).height);
        assert_eq!(one, 360.0);
        assert!(many > 500.0);
    }
}
