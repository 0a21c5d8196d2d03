//! Contact sheets: poses of motions side by side, one row or more for each motion, at one scale.

use std::str::FromStr;

use crate::camera::{Camera, Seen, View};
use crate::drawing::{Align, Drawing, Ink, Point, Theme};
use crate::stage::{Place, Stage, spread};
use crate::{raster, svg};
use mocap_analysis::stature;
use mocap_model::{Clip, Role, Side};
use std::fmt;

/// A motion on a sheet.
#[derive(Clone, Copy, Debug)]
pub struct SheetInput<'a> {
    /// Its name in the caption.
    pub name: &'a str,
    /// The motion; the roles of its joints give sides, feet and facing.
    pub clip: &'a Clip,
}

/// A time in a clip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// Since the first frame \[s\].
    Seconds(f64),
    /// Counted from 0.
    Frame(usize),
}

impl FromStr for Moment {
    type Err = String;

    /// Reads a time (`1.2s`) or a frame from 0 (`120`).
    fn from_str(text: &str) -> Result<Moment, String> {
        let moment = match text.trim().strip_suffix('s') {
            Some(seconds) => {
                seconds.parse().ok().filter(|s: &f64| s.is_finite() && *s >= 0.0).map(Moment::Seconds)
            }
            None => text.trim().parse().ok().map(Moment::Frame),
        };
        moment.ok_or_else(|| format!("'{text}' is neither a time such as 1.2s nor a frame from 0"))
    }
}

impl Moment {
    /// The nearest frame; `None` outside the clip.
    pub fn frame_in(self, clip: &Clip) -> Option<usize> {
        let frame = match self {
            Moment::Frame(frame) => frame,
            Moment::Seconds(seconds) => {
                let frame = (seconds * clip.rate().fps()).round();
                // Half a frame before the first is still the first.
                (frame >= 0.0).then_some(frame as usize)?
            }
        };
        (frame < clip.frames()).then_some(frame)
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Moment::Frame(frame) => write!(f, "frame {frame}"),
            Moment::Seconds(seconds) => write!(f, "{seconds} s"),
        }
    }
}

/// Why a sheet would show less than was asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum MomentError {
    /// A motion has none of the moments.
    EmptyRow {
        /// The name of the motion.
        name: String,
        /// Its frames.
        frames: usize,
        /// Its duration \[s\].
        seconds: f64,
    },
    /// No motion has a moment.
    AfterTheEnd {
        /// The moment.
        moment: Moment,
        /// The frames of the longest motion.
        frames: usize,
        /// Its duration \[s\].
        seconds: f64,
    },
}

impl fmt::Display for MomentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MomentError::EmptyRow { name, frames, seconds } => {
                write!(f, "'{name}' has none of these moments: it has {frames} frames, {seconds:.2} s")
            }
            MomentError::AfterTheEnd { moment, frames, seconds } => {
                write!(f, "{moment} is after the end: there are {frames} frames, {seconds:.2} s")
            }
        }
    }
}

impl std::error::Error for MomentError {}

/// What a sheet shows.
#[derive(Clone, Debug, PartialEq)]
pub struct SheetOptions {
    /// Poses of each motion, evenly spread from the first frame to the last; at least 1. Default 24.
    pub poses: usize,
    /// Poses at these times, in place of the evenly spread ones; times outside a clip are left out. Default: none.
    pub at: Vec<Moment>,
    /// The view of the poses. Default [`View::Perspective`].
    pub view: View,
    /// The greatest width \[px\], 200 to 10,000. Default 1120.
    pub width: f32,
    /// Default [`Theme::Light`].
    pub theme: Theme,
    /// Pixels of a PNG per pixel of the sheet, 0.25 to 8. Default 2.
    pub scale: f32,
}

impl SheetOptions {
    /// Checks that every motion has one of the moments [`SheetOptions::at`], and every moment is in a motion.
    ///
    /// # Errors
    /// For the first motion without a moment, or the first moment outside all motions.
    ///
    /// ```
    /// use mocap_report::sheet::{Moment, MomentError, SheetInput, SheetOptions};
    /// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
    /// let inputs = [SheetInput { name: "wave", clip: &clip }];
    /// let at = |at: &[Moment]| SheetOptions { at: at.to_vec(), ..SheetOptions::default() };
    /// let (first, late) = (Moment::Frame(0), Moment::Frame(clip.frames()));
    /// assert!(at(&[]).check_moments(&inputs).is_ok() && at(&[first]).check_moments(&inputs).is_ok());
    /// assert!(matches!(at(&[late]).check_moments(&inputs), Err(MomentError::EmptyRow { .. })));
    /// assert!(matches!(at(&[first, late]).check_moments(&inputs), Err(MomentError::AfterTheEnd { .. })));
    /// ```
    pub fn check_moments(&self, inputs: &[SheetInput<'_>]) -> Result<(), MomentError> {
        let length = |input: &SheetInput<'_>| (input.clip.frames(), input.clip.duration());
        let misses = |input: &&SheetInput<'_>| self.at.iter().all(|at| at.frame_in(input.clip).is_none());
        if !self.at.is_empty()
            && let Some(input) = inputs.iter().find(misses)
        {
            let (frames, seconds) = length(input);
            return Err(MomentError::EmptyRow { name: input.name.to_owned(), frames, seconds });
        }
        let nowhere = |at: &&Moment| inputs.iter().all(|input| at.frame_in(input.clip).is_none());
        let Some(moment) = self.at.iter().find(nowhere) else { return Ok(()) };
        let longest = inputs.iter().max_by(|a, b| a.clip.duration().total_cmp(&b.clip.duration()));
        let (frames, seconds) = longest.map_or((0, 0.0), length);
        Err(MomentError::AfterTheEnd { moment: *moment, frames, seconds })
    }
}

impl Default for SheetOptions {
    fn default() -> SheetOptions {
        SheetOptions {
            poses: 24,
            at: Vec::new(),
            view: View::default(),
            width: 1120.0,
            theme: Theme::Light,
            scale: 2.0,
        }
    }
}

/// The sheet as an SVG file.
///
/// ```
/// use mocap_report::View;
/// use mocap_report::sheet::{Moment, SheetInput, SheetOptions, svg};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let options = SheetOptions {
///     at: vec![Moment::Seconds(0.5), Moment::Frame(90)],
///     view: View::Side,
///     ..SheetOptions::default()
/// };
/// let sheet = svg(&[SheetInput { name: "wave", clip: &clip }], &options);
/// assert!(sheet.contains("#90"));
/// ```
pub fn svg(inputs: &[SheetInput<'_>], options: &SheetOptions) -> String {
    let title: Vec<&str> = inputs.iter().map(|input| input.name).collect();
    svg::write(&draw(inputs, options), options.theme, &title.join(", "))
}

/// The sheet as a PNG file.
///
/// ```
/// use mocap_report::sheet::{SheetInput, SheetOptions, png};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let file = png(&[SheetInput { name: "wave", clip: &clip }], &SheetOptions::default());
/// assert!(file.starts_with(b"\x89PNG"));
/// ```
pub fn png(inputs: &[SheetInput<'_>], options: &SheetOptions) -> Vec<u8> {
    raster::encode(&raster::render(&draw(inputs, options), options.theme, options.scale.clamp(0.25, 8.0)))
}

const MARGIN: f32 = 20.0;
const CAPTION: f32 = 26.0;
const LABEL: f32 = 16.0;
/// The greatest height of a pose and the greatest width of one \[px\].
const POSE: [f32; 2] = [150.0, 118.0];
const GAP: f32 = 8.0;
/// The width of a label below a pose \[px\].
const LEAST: f32 = 62.0;

/// The poses of one motion before they have a scale.
struct Row<'a> {
    stage: Stage<'a>,
    name: &'a str,
    poses: Vec<Pose>,
}

/// One pose as seen, the middle of the body over the origin and the floor at height 0.
struct Pose {
    frame: usize,
    points: Vec<Seen>,
    floor: Vec<Seen>,
    trail: Vec<Seen>,
}

/// The space that poses take [stage units].
#[derive(Clone, Copy)]
struct Extent {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

fn draw(inputs: &[SheetInput<'_>], options: &SheetOptions) -> Drawing {
    let rows: Vec<Row<'_>> = inputs.iter().map(|input| row(input, options)).collect();
    // A motion whose unit is unknown has no scale in common with the others: it is drawn at the largest size.
    let reference = rows.iter().filter(|row| row.stage.unit.is_some()).map(|row| row.stage.size());
    let reference = reference.fold(0.0, f64::max);
    let zoom = |row: &Row<'_>| match (row.stage.unit, reference > 0.0) {
        (None, true) => reference / row.stage.size(),
        _ => 1.0,
    };
    let mut extent = Extent { left: 0.0, right: 0.0, top: 0.0, bottom: 0.0 };
    for row in &rows {
        let zoom = zoom(row);
        for point in row
            .poses
            .iter()
            .flat_map(|pose| pose.points.iter().enumerate())
            .filter(|(i, _)| row.stage.in_body(*i % row.stage.sides.len()))
        {
            let point = point.1;
            extent.left = extent.left.min(point.x * zoom);
            extent.right = extent.right.max(point.x * zoom);
            extent.top = extent.top.max(point.y * zoom);
            extent.bottom = extent.bottom.min(point.y * zoom);
        }
        if let Some(head) = row.stage.clip.skeleton().with_role(Role::Head) {
            let highest = row.poses.iter().map(|pose| pose.points[head.index()].y).fold(0.0, f64::max);
            extent.top = extent.top.max((highest + 1.6 * head_radius(&row.stage)) * zoom);
        }
    }
    let (wide, high) = ((extent.right - extent.left).max(1e-9), (extent.top - extent.bottom).max(1e-9));
    let most = rows.iter().map(|row| row.poses.len()).max().unwrap_or(0).max(1);
    let columns = columns(most, wide / high, options.width - 2.0 * MARGIN);
    let across = f64::from(((options.width - 2.0 * MARGIN) / columns as f32 - GAP).max(1.0));
    let scale = (f64::from(POSE[1]).min(across) / wide).min(f64::from(POSE[0]) / high);
    let cell = [((wide * scale) as f32).max(LEAST) + GAP, (high * scale) as f32 + LABEL + GAP];
    let mut drawing =
        Drawing { width: columns as f32 * cell[0] + 2.0 * MARGIN, height: MARGIN, shapes: Vec::new() };
    for row in &rows {
        let scale = scale * zoom(row);
        caption(&mut drawing, row, options.width - 2.0 * MARGIN);
        for (i, pose) in row.poses.iter().enumerate() {
            let (column, line) = ((i % columns) as f32, (i / columns) as f32);
            let left = MARGIN + column * cell[0] + GAP / 2.0;
            let top = drawing.height + line * cell[1];
            let origin = [
                left - (extent.left * scale / zoom(row)) as f32,
                top + (extent.top * scale / zoom(row)) as f32,
            ];
            let room = [left - GAP / 2.0, top, left - GAP / 2.0 + cell[0], top + cell[1]];
            draw_pose(&mut drawing, row, pose, origin, scale as f32, room);
            let text = format!("{:.2} s  #{}", pose.frame as f64 / row.stage.clip.rate().fps(), pose.frame);
            let middle = left + (cell[0] - GAP) / 2.0;
            drawing.text([middle, top + cell[1] - GAP - 4.0], text, 9.0, Ink::Muted, Align::Middle);
        }
        drawing.height += row.poses.len().div_ceil(columns) as f32 * cell[1] + GAP;
    }
    drawing.height += MARGIN - GAP;
    let captions = drawing.shapes.iter().filter_map(|shape| match shape {
        crate::drawing::Shape::Text { at, text, size, align: Align::Start, .. } => {
            Some(at[0] + crate::glyphs::width(text, *size))
        }
        _ => None,
    });
    drawing.width = captions
        .fold(drawing.width, |width, end| width.max(end + MARGIN))
        .min(options.width.max(drawing.width));
    drawing
}

/// The number of columns for `most` poses of a shape (width to height): even rows, and fewer of them where
/// poses a little smaller save one.
fn columns(most: usize, shape: f64, width: f32) -> usize {
    let pose = (f64::from(POSE[0]) * shape).min(f64::from(POSE[1])) as f32;
    let fits = (width / ((0.85 * pose).max(LEAST) + GAP)) as usize;
    let lines = most.div_ceil(fits.max(1));
    most.div_ceil(lines)
}

fn row<'a>(input: &SheetInput<'a>, options: &SheetOptions) -> Row<'a> {
    let stage = Stage::new(input.clip);
    let frames: Vec<usize> = if options.at.is_empty() {
        spread(stage.frames(), options.poses.max(1))
    } else {
        options.at.iter().filter_map(|moment| moment.frame_in(input.clip)).collect()
    };
    let size = stage.size();
    let mut heading = None;
    let mut poses = Vec::with_capacity(frames.len());
    for (i, frame) in frames.iter().enumerate() {
        let pose = stage.pose(*frame);
        let heading = *heading.get_or_insert_with(|| stage.heading(&pose));
        let hips = pose[stage.centre];
        let camera = Camera::new(options.view, heading, [hips[0], stage.floor, hips[2]], size);
        let before = if i == 0 { *frame } else { frames[i - 1] };
        let after = frames.get(i + 1).copied().unwrap_or(*frame);
        poses.push(Pose {
            frame: *frame,
            points: pose.iter().map(|place| camera.see(place)).collect(),
            floor: floor(&stage, hips, heading).iter().map(|place| camera.see(place)).collect(),
            trail: trail(&stage, before, after, hips).iter().map(|place| camera.see(place)).collect(),
        });
    }
    Row { stage, name: input.name, poses }
}

/// A square of the floor below the hips, an eighth of the body wide to each side.
fn floor(stage: &Stage<'_>, hips: Place, heading: f64) -> Vec<Place> {
    let half = 0.13 * stage.size();
    let (sin, cos) = heading.sin_cos();
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half], [-half, -half]];
    corners.map(|[x, z]| [hips[0] + x * cos + z * sin, stage.floor, hips[2] + z * cos - x * sin]).to_vec()
}

/// The path of the hips over the floor from the pose before to the pose after, near this pose.
fn trail(stage: &Stage<'_>, from: usize, to: usize, hips: Place) -> Vec<Place> {
    const POINTS: usize = 9;
    let (from, to) = (from.min(to), from.max(to));
    let mut trail: Vec<Place> = Vec::new();
    let frames = spread(to - from + 1, POINTS).into_iter().map(|frame| from + frame);
    stage.walk(frames, |_, pose| {
        let at = pose[stage.centre];
        if (at[0] - hips[0]).hypot(at[2] - hips[2]) < 0.3 * stage.size() {
            trail.push([at[0], stage.floor, at[2]]);
        }
    });
    trail
}

/// The name and the facts of a motion, on as many lines as they need.
fn caption(drawing: &mut Drawing, row: &Row<'_>, width: f32) {
    const SIZE: f32 = 13.0;
    let clip = row.stage.clip;
    let joints = clip.skeleton().joints().iter().filter(|joint| !joint.end_site).count();
    let mut facts = vec![count(joints, "joint")];
    if clip.frames() == 0 {
        facts.push("no frames: rest pose".into());
    } else {
        facts.push(count(clip.frames(), "frame"));
        facts.push(format!("{} fps", decimals(clip.rate().fps(), 3)));
        facts.push(format!("{:.2} s", clip.duration()));
    }
    facts.push(height(row));
    let mut lines = vec![row.name.to_owned()];
    for fact in facts {
        let longer = format!("{}  ·  {fact}", lines[lines.len() - 1]);
        match crate::glyphs::width(&longer, SIZE) <= width {
            true => *lines.last_mut().expect("the name is a line") = longer,
            false => lines.push(fact),
        }
    }
    for line in lines {
        drawing.text([MARGIN, drawing.height + SIZE], line, SIZE, Ink::Text, Align::Start);
        drawing.height += 1.5 * SIZE;
    }
    drawing.height += CAPTION - 1.5 * SIZE;
}

fn count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

/// A number with at most so many decimals.
pub(crate) fn decimals(value: f64, most: usize) -> String {
    let text = format!("{value:.most$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The distance from the lowest to the highest joint of the body: the median over the poses shown.
fn height(row: &Row<'_>) -> String {
    let mut heights: Vec<f64> = Vec::new();
    row.stage.walk(row.poses.iter().map(|pose| pose.frame), |_, pose| {
        let body = pose.iter().enumerate().filter(|(joint, _)| row.stage.in_body(*joint));
        let (low, high) = body.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, place)| {
            (low.min(place[1]), high.max(place[1]))
        });
        heights.push(high - low);
    });
    heights.sort_by(f64::total_cmp);
    let Some(middle) = heights.get(heights.len() / 2) else { return "no pose at these times".into() };
    match row.stage.unit {
        Some(mocap_model::UnitSource::Guessed | mocap_model::UnitSource::Voted) => {
            format!("{middle:.2} m tall (unit guessed)")
        }
        Some(_) => format!("{middle:.2} m tall"),
        None => format!("{} units tall", decimals(*middle, 2)),
    }
}

/// Draws a pose; `room` is its cell: left, top, right, bottom.
fn draw_pose(drawing: &mut Drawing, row: &Row<'_>, pose: &Pose, origin: Point, scale: f32, room: [f32; 4]) {
    let point = |seen: &Seen| [origin[0] + seen.x as f32 * scale, origin[1] - seen.y as f32 * scale];
    drawing.lines(vec![pose.floor.iter().map(point).collect()], Ink::Grid, 1.0, false);
    if pose.trail.len() > 1 {
        drawing.lines(vec![pose.trail.iter().map(point).collect()], Ink::Trail, 1.0, false);
    }
    let points: Vec<Point> = pose.points.iter().map(point).collect();
    let lines = |side: Option<Side>, faint: bool| -> Vec<Vec<Point>> {
        let mut lines: Vec<Vec<Point>> = Vec::new();
        let mut last = usize::MAX;
        for bone in row.stage.bones.iter().filter(|bone| bone.faint == faint && (faint || bone.side == side))
        {
            let (from, to) = (points[bone.from], points[bone.to]);
            // Shorter than a tenth of a pixel: what hangs on it starts at the same place.
            if (from[0] - to[0]).abs().max((from[1] - to[1]).abs()) < 0.1 {
                continue;
            }
            match lines.last_mut() {
                Some(line) if bone.from == last => line.push(to),
                _ => lines.push(vec![from, to]),
            }
            last = bone.to;
        }
        lines
    };
    // A root that stays behind would draw a line across the other poses.
    let mut faint = lines(None, true);
    let inside = |p: &Point| p[0] >= room[0] && p[0] <= room[2] && p[1] >= room[1] && p[1] <= room[3];
    faint.retain(|line| line.iter().all(inside));
    drawing.lines(faint, Ink::Faint, 0.8, false);
    let nearness = |side: Side| {
        let joints = row.stage.sides.iter().zip(&pose.points).filter(|(of, _)| **of == Some(side));
        joints.map(|(_, point)| point.near).fold((0.0, 1.0), |(sum, n), near| (sum + near, n + 1.0))
    };
    let mean = |(sum, n): (f64, f64)| sum / n;
    let left = (Side::Left, Ink::Left);
    let right = (Side::Right, Ink::Right);
    let [far, near] =
        if mean(nearness(Side::Left)) < mean(nearness(Side::Right)) { [left, right] } else { [right, left] };
    drawing.lines(lines(Some(far.0), false), far.1, 1.8, false);
    drawing.lines(lines(None, false), Ink::Middle, 1.8, false);
    if let Some((at, radius)) = head(row, &points, scale) {
        drawing.shapes.push(crate::drawing::Shape::Dot { at, radius, ink: Ink::Middle });
    }
    drawing.lines(lines(Some(near.0), false), near.1, 1.8, false);
    // A skeleton without a line is still somewhere.
    if row.stage.bones.is_empty() {
        drawing.shapes.push(crate::drawing::Shape::Dot { at: points[0], radius: 2.0, ink: Ink::Middle });
    }
}

/// A head in human proportion to the body, half-way between its joint and the end of its bone.
fn head(row: &Row<'_>, points: &[Point], scale: f32) -> Option<(Point, f32)> {
    let skeleton = row.stage.clip.skeleton();
    let head = skeleton.with_role(Role::Head)?;
    let at = points[head.index()];
    let end = skeleton.children(head).iter().find(|child| skeleton.joint(**child).end_site);
    let end = end.map_or(at, |end| points[end.index()]);
    let middle = [(at[0] + end[0]) / 2.0, (at[1] + end[1]) / 2.0];
    Some((middle, head_radius(&row.stage) as f32 * scale))
}

/// Half the width of a head \[stage units\]: a share of the stature, which props and helpers do not change.
fn head_radius(stage: &Stage<'_>) -> f64 {
    let stature = stature(stage.clip.skeleton()).map_or(stage.size() / 1.2, |stature| stature * stage.scale);
    0.058 * stature.min(stage.size())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_seconds_or_frames() {
        assert_eq!("1.2s".parse(), Ok(Moment::Seconds(1.2)));
        assert_eq!("120".parse(), Ok(Moment::Frame(120)));
        for wrong in ["", "s", "1.2", "-1", "-1s", "infs", "1m"] {
            assert!(wrong.parse::<Moment>().is_err(), "{wrong}");
        }
    }
}
