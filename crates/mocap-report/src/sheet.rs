//! Contact sheets: poses of motions side by side, at least one row per motion, at one scale, with the bodies of
//! the page.

use crate::body::body;
use crate::camera::{Camera, Projected, View};
use crate::drawing::{Align, Drawing, Ink, Point, Shape, Theme};
pub use crate::moment::{Moment, MomentError};
use crate::silhouette::{Polygon, Silhouette, outline, silhouettes};
use crate::skinned_pose::Skinned;
use crate::solid::Solid;
use crate::stage::{Place, Stage, evenly_spaced};
use crate::surface::{Colours, FARTHEST, Surface};
use crate::{raster, svg};
use mocap_analysis::body_height;
use mocap_model::{Body, Clip, Vector3};

/// A motion on a sheet.
#[derive(Clone, Copy, Debug)]
pub struct SheetInput<'a> {
    /// Its name in the caption.
    pub name: &'a str,
    /// The motion; the roles of its joints give sides, feet and facing.
    pub clip: &'a Clip,
    /// The meshes of its file, whose bones are joints of the clip; without them a body of capsules is drawn.
    pub body: Option<&'a Body>,
}

impl<'a> SheetInput<'a> {
    /// A motion without meshes.
    pub fn new(name: &'a str, clip: &'a Clip) -> SheetInput<'a> {
        SheetInput { name, clip, body: None }
    }
}

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
    /// The colours of meshes. Default [`Colours::File`].
    pub colours: Colours,
    /// A joint whose weights are the colours of meshes, from blue (0) to red (1), in place of [`SheetOptions::colours`].
    /// Default: none.
    pub weights: Option<String>,
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
    /// let inputs = [SheetInput::new("wave", &clip)];
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
            colours: Colours::File,
            weights: None,
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
/// let sheet = svg(&[SheetInput::new("wave", &clip)], &options);
/// assert!(sheet.contains("#90"));
/// ```
pub fn svg(inputs: &[SheetInput<'_>], options: &SheetOptions) -> String {
    pages(inputs, f32::INFINITY, options)[0].svg()
}

/// The sheet as a PNG file.
///
/// ```
/// use mocap_report::sheet::{SheetInput, SheetOptions, png};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let file = png(&[SheetInput::new("wave", &clip)], &SheetOptions::default());
/// assert!(file.starts_with(b"\x89PNG"));
/// ```
pub fn png(inputs: &[SheetInput<'_>], options: &SheetOptions) -> Vec<u8> {
    pages(inputs, f32::INFINITY, options)[0].png()
}

/// A page of a sheet.
#[derive(Clone, Debug)]
pub struct Page {
    drawing: Drawing,
    /// The names of its motions.
    names: Vec<String>,
    theme: Theme,
    scale: f32,
}

impl Page {
    /// The page as an SVG file.
    pub fn svg(&self) -> String {
        svg::write(&self.drawing, self.theme, &self.names.join(", "))
    }

    /// Whether [`Page::png`] is smaller than its scale states, because no side of a picture may exceed 16,000
    /// pixels.
    pub fn shrinks(&self) -> bool {
        raster::scale_of(&self.drawing, self.scale) < self.scale
    }

    /// The page as a PNG file.
    pub fn png(&self) -> Vec<u8> {
        raster::encode(&raster::render(&self.drawing, self.theme, self.scale))
    }
}

/// The sheet on pages of at most `height` \[px\]; at least one page. All poses of a motion are on
/// one page; a motion that needs more height gets a higher page. All pages have the same scale.
///
/// ```
/// use mocap_report::sheet::{SheetInput, SheetOptions, pages};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let input = SheetInput::new("wave", &clip);
/// assert_eq!(pages(&[input; 3], 800.0, &SheetOptions::default()).len(), 2);
/// ```
pub fn pages(inputs: &[SheetInput<'_>], height: f32, options: &SheetOptions) -> Vec<Page> {
    let rows: Vec<Row<'_>> =
        inputs.iter().enumerate().map(|(index, input)| row(input, index, options)).collect();
    let plan = Layout::of(&rows, options);
    let empty = || Page {
        drawing: Drawing { width: plan.width(), height: MARGIN, shapes: Vec::new() },
        names: Vec::new(),
        theme: options.theme,
        scale: options.scale.clamp(0.25, 8.0),
    };
    let mut pages = vec![empty()];
    for row in &rows {
        let page = pages.last_mut().expect("there is a page");
        let before = (page.drawing.shapes.len(), page.drawing.height);
        plan.draw(&mut page.drawing, row);
        if page.drawing.height + MARGIN - GAP <= height || page.names.is_empty() {
            page.names.push(row.name.to_owned());
            continue;
        }
        page.drawing.shapes.truncate(before.0);
        page.drawing.height = before.1;
        let mut next = empty();
        plan.draw(&mut next.drawing, row);
        next.names.push(row.name.to_owned());
        pages.push(next);
    }
    for page in &mut pages {
        plan.close(&mut page.drawing);
    }
    pages
}

const MARGIN: f32 = 20.0;
const CAPTION: f32 = 26.0;
const LABEL: f32 = 16.0;
/// Greatest height and greatest width of a pose \[px\].
const POSE: [f32; 2] = [150.0, 118.0];
const GAP: f32 = 8.0;
/// The width of a label below a pose \[px\].
const LEAST: f32 = 62.0;

/// The poses of one motion, not scaled yet.
struct Row<'a> {
    stage: Stage<'a>,
    name: &'a str,
    /// In place of the silhouettes of its body.
    mesh: Option<Mesh>,
    /// Height of the body [stage units]; `None` if it is not a body.
    tall: Option<f64>,
    poses: Vec<Pose>,
    /// Number of points of a cloud that were left out because they are far from the others.
    left_out: usize,
}

/// The mesh of a motion, and how it is drawn.
struct Mesh {
    surface: Surface,
    index: usize,
    theme: Theme,
    colours: Colours,
    /// Pixels of a PNG per pixel of the sheet.
    pixels: f32,
}

/// A projected pose: the centre of the body above the origin, the floor at height 0.
struct Pose {
    frame: usize,
    camera: Camera,
    hips: Place,
    /// The joints.
    points: Vec<Projected>,
    body: Vec<Silhouette>,
    floor: Vec<Projected>,
    trail: Vec<Projected>,
}

/// The space that poses take [stage units].
#[derive(Clone, Copy)]
struct Extent {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Extent {
    /// The extent of all bodies, each times the zoom of its row.
    fn of(rows: &[Row<'_>], zoom: impl Fn(&Row<'_>) -> f64) -> Extent {
        let mut extent = Extent { left: 0.0, right: 0.0, top: 0.0, bottom: 0.0 };
        for row in rows {
            let zoom = zoom(row);
            let outlines = row.poses.iter().flat_map(|pose| &pose.body).flat_map(|solid| &solid.outline);
            for [x, y] in outlines.map(|at| at.map(|v| f64::from(v) * zoom)) {
                extent.left = extent.left.min(x);
                extent.right = extent.right.max(x);
                extent.top = extent.top.max(y);
                extent.bottom = extent.bottom.min(y);
            }
        }
        extent
    }
}

/// Where poses are on a page.
struct Layout {
    /// The largest width of a page without its margins \[px\].
    width: f32,
    columns: usize,
    /// The width of a pose with the gap beside it \[px\].
    cell: f32,
    /// How far bodies reach to the left [stage units].
    left: f64,
    /// Pixels per stage unit of a row whose unit is known.
    scale: f64,
    /// The size of the largest body whose unit is known, or 0 [stage units].
    reference: f64,
}

impl Layout {
    fn of(rows: &[Row<'_>], options: &SheetOptions) -> Layout {
        let reference = rows.iter().filter(|row| row.stage.unit.is_some()).map(|row| row.stage.size());
        let reference = reference.fold(0.0, f64::max);
        let extent = Extent::of(rows, |row| zoom(row, reference));
        let (wide, high) = ((extent.right - extent.left).max(1e-9), (extent.top - extent.bottom).max(1e-9));
        let most = rows.iter().map(|row| row.poses.len()).max().unwrap_or(0).max(1);
        let width = options.width - 2.0 * MARGIN;
        let columns = columns(most, wide / high, width);
        let across = f64::from((width / columns as f32 - GAP).max(1.0));
        let scale = (f64::from(POSE[1]).min(across) / wide).min(f64::from(POSE[0]) / high);
        let cell = ((wide * scale) as f32).max(LEAST) + GAP;
        Layout { width, columns, cell, left: extent.left, scale, reference }
    }

    fn width(&self) -> f32 {
        self.columns as f32 * self.cell + 2.0 * MARGIN
    }

    /// Adds the caption and the poses of a motion at the lower end.
    fn draw(&self, drawing: &mut Drawing, row: &Row<'_>) {
        let zoom = zoom(row, self.reference);
        // Each row is as high as its own poses, so a jump in one motion leaves no gap above the others.
        let extent = Extent::of(std::slice::from_ref(row), |_| zoom);
        let high = ((extent.top - extent.bottom) * self.scale) as f32 + LABEL + GAP;
        caption(drawing, row, self.width);
        for (i, pose) in row.poses.iter().enumerate() {
            let (column, line) = ((i % self.columns) as f32, (i / self.columns) as f32);
            let left = MARGIN + column * self.cell + GAP / 2.0;
            let top = drawing.height + line * high;
            let origin = [left - (self.left * self.scale) as f32, top + (extent.top * self.scale) as f32];
            let room = [left - GAP / 2.0, top, left - GAP / 2.0 + self.cell, top + high];
            draw_pose(drawing, row, pose, origin, (self.scale * zoom) as f32, room);
            let text = format!("{:.2} s  #{}", pose.frame as f64 / row.stage.clip.rate().fps(), pose.frame);
            let middle = left + (self.cell - GAP) / 2.0;
            drawing.text([middle, top + high - GAP - 4.0], text, 9.0, Ink::Muted, Align::Middle);
        }
        drawing.height += row.poses.len().div_ceil(self.columns) as f32 * high + GAP;
    }

    /// Adds the bottom margin, and limits captions to the width of the page.
    fn close(&self, drawing: &mut Drawing) {
        drawing.height += MARGIN - GAP;
        let captions = drawing.shapes.iter().filter_map(|shape| match shape {
            Shape::Text { at, text, size, align: Align::Start, .. } => {
                Some(at[0] + crate::glyphs::width(text, *size) + MARGIN)
            }
            _ => None,
        });
        let most = (self.width + 2.0 * MARGIN).max(drawing.width);
        drawing.width = captions.fold(drawing.width, f32::max).min(most);
    }
}

/// Zoom of a row: a motion whose unit is unknown has no common scale with the others, and is drawn at the largest
/// size.
fn zoom(row: &Row<'_>, reference: f64) -> f64 {
    match row.stage.unit {
        None if reference > 0.0 => reference / row.stage.size(),
        _ => 1.0,
    }
}

/// The number of columns for `most` poses of a shape (width over height): even rows, and one row less if slightly
/// smaller poses allow it.
fn columns(most: usize, shape: f64, width: f32) -> usize {
    let pose = (f64::from(POSE[0]) * shape).min(f64::from(POSE[1])) as f32;
    let fits = (width / ((0.85 * pose).max(LEAST) + GAP)) as usize;
    let lines = most.div_ceil(fits.max(1));
    most.div_ceil(lines)
}

fn mesh(input: &SheetInput<'_>, index: usize, options: &SheetOptions) -> Option<Mesh> {
    let mut surface = Surface::new(input.body?, input.clip)?;
    let joint = options.weights.as_ref().and_then(|name| input.clip.skeleton().find_by_name_or_role(name));
    if let Some(joint) = joint {
        surface.show_weights(joint);
    }
    // Weights are shown as vertex colours, which a tint would change.
    let (colours, index) = if joint.is_some() { (Colours::File, 0) } else { (options.colours, index) };
    let pixels = options.scale.clamp(0.25, 8.0);
    Some(Mesh { surface, index, theme: options.theme, colours, pixels })
}

fn row<'a>(input: &SheetInput<'a>, index: usize, options: &SheetOptions) -> Row<'a> {
    let mut stage = Stage::new(input.clip);
    let body = body(&stage);
    stage.sites = body.sites;
    let frames: Vec<usize> = if options.at.is_empty() {
        evenly_spaced(stage.frames(), options.poses.max(1))
    } else {
        options.at.iter().filter_map(|moment| moment.frame_in(input.clip)).collect()
    };
    let mut solids = body.solids;
    let mesh = mesh(input, index, options);
    if let Some(mesh) = &mesh {
        mesh.surface.frame(&mut stage);
    }
    if stage.drawn_height.is_some() {
        // Solids are sized by the joints and may be far from the mesh.
        solids.clear();
    }
    let size = stage.size();
    let mut heading = None;
    let mut poses = Vec::with_capacity(frames.len());
    let mut left_out = vec![false; stage.sides.len()];
    for (i, frame) in frames.iter().enumerate() {
        let pose = stage.pose(*frame);
        let heading = *heading.get_or_insert_with(|| stage.heading(&pose));
        let hips = middle(&stage, &pose);
        let among = stage.among(&pose);
        let solids: Vec<Solid> =
            solids.iter().filter(|solid| solid.ends.iter().all(|end| among[*end])).cloned().collect();
        left_out.iter_mut().zip(&among).for_each(|(out, among)| *out |= !among);
        let camera = Camera::new(options.view, heading, [hips[0], stage.floor, hips[2]], size);
        let before = if i == 0 { *frame } else { frames[i - 1] };
        let after = frames.get(i + 1).copied().unwrap_or(*frame);
        let mut shapes = silhouettes(&stage, &solids, &pose, &camera);
        if let Some(Mesh { surface, .. }) = &mesh {
            let corners = surface.corners(&stage, *frame, Vector3::zeros());
            shapes.push(outline(&corners, &camera, &hips, FARTHEST * size));
        }
        poses.push(Pose {
            frame: *frame,
            hips,
            points: pose[..stage.sides.len()].iter().map(|place| camera.project(place)).collect(),
            body: shapes,
            floor: floor(&stage, hips, heading).iter().map(|place| camera.project(place)).collect(),
            trail: trail(&stage, before, after, hips).iter().map(|place| camera.project(place)).collect(),
            camera,
        });
    }
    let left_out = left_out.iter().filter(|out| **out).count();
    let tall = body_height(input.clip.skeleton(), input.body).map(|height| height * stage.scale);
    Row { stage, name: input.name, mesh, tall, poses, left_out }
}

/// The position of the hips; for a cloud of markers, the centre of those that are not far from the others.
fn middle(stage: &Stage<'_>, pose: &[Place]) -> Place {
    if !stage.bones.is_empty() || stage.drawn_height.is_some() {
        return pose[stage.centre];
    }
    let places = || pose.iter().zip(stage.among(pose)).filter(|(_, among)| *among).map(|(place, _)| place);
    let count = places().count().max(1) as f64;
    [0, 1, 2].map(|axis| places().map(|place| place[axis]).sum::<f64>() / count)
}

/// A square of the floor below the hips that extends by an eighth of the body's size to each side.
fn floor(stage: &Stage<'_>, hips: Place, heading: f64) -> Vec<Place> {
    let half = 0.13 * stage.size();
    let (sin, cos) = heading.sin_cos();
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half], [-half, -half]];
    corners.map(|[x, z]| [hips[0] + x * cos + z * sin, stage.floor, hips[2] + z * cos - x * sin]).to_vec()
}

/// The path of the hips over the floor near this pose, from the pose before to the pose after.
fn trail(stage: &Stage<'_>, from: usize, to: usize, hips: Place) -> Vec<Place> {
    const POINTS: usize = 9;
    let (from, to) = (from.min(to), from.max(to));
    let mut trail: Vec<Place> = Vec::new();
    let frames = evenly_spaced(to - from + 1, POINTS).into_iter().map(|frame| from + frame);
    stage.walk(frames, |_, pose| {
        let at = pose[stage.centre];
        if (at[0] - hips[0]).hypot(at[2] - hips[2]) < 0.3 * stage.size() {
            trail.push([at[0], stage.floor, at[2]]);
        }
    });
    trail
}

/// The name and facts of a motion, on as many lines as needed.
fn caption(drawing: &mut Drawing, row: &Row<'_>, width: f32) {
    const SIZE: f32 = 13.0;
    let clip = row.stage.clip;
    let joints = clip.skeleton().joints().iter().filter(|joint| !joint.end_site).count();
    let mut facts = vec![count(joints, row.stage.points())];
    if clip.frames() == 0 {
        facts.push("no frames: rest pose".into());
    } else {
        facts.push(count(clip.frames(), "frame"));
        facts.push(format!("{} fps", decimals(clip.rate().fps(), 3)));
        facts.push(format!("{:.2} s", clip.duration()));
    }
    facts.push(height(row));
    if row.left_out > 0 {
        facts.push(format!("{} left out where far from the others", count(row.left_out, "point")));
    }
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

pub(crate) fn count(number: usize, of: &str) -> String {
    format!("{number} {of}{}", if number == 1 { "" } else { "s" })
}

/// A number with at most so many decimals.
pub(crate) fn decimals(value: f64, most: usize) -> String {
    let text = format!("{value:.most$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The height of the body; without the roles of a body, the median over the shown poses of the distance from the
/// lowest to the highest joint.
fn height(row: &Row<'_>) -> String {
    let mut heights: Vec<f64> = row.stage.drawn_height.into_iter().collect();
    let in_body = row.stage.in_body();
    let poses = row.poses.iter().filter(|_| row.stage.drawn_height.is_none());
    row.stage.walk(poses.map(|pose| pose.frame), |_, pose| {
        let among = row.stage.among(&pose[..in_body.len()]);
        let body = pose.iter().zip(in_body.iter().zip(among)).filter(|(_, (body, among))| **body && *among);
        let (low, high) = body.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (place, _)| {
            (low.min(place[1]), high.max(place[1]))
        });
        heights.push(high - low);
    });
    heights.sort_by(f64::total_cmp);
    let Some(middle) = heights.get(heights.len() / 2).map(|middle| row.tall.unwrap_or(*middle)) else {
        return "no pose at these times".into();
    };
    // A body has a stature; otherwise it is only the height in these poses.
    let word = if row.tall.is_some() { "tall" } else { "high" };
    match row.stage.unit {
        Some(mocap_model::UnitSource::Guessed | mocap_model::UnitSource::Voted) => {
            format!("{middle:.2} m {word} (unit guessed)")
        }
        Some(_) => format!("{middle:.2} m {word}"),
        None => format!("{} units {word}", decimals(middle, 2)),
    }
}

/// Draws a pose; `room` is its cell: left, top, right, bottom.
fn draw_pose(drawing: &mut Drawing, row: &Row<'_>, pose: &Pose, origin: Point, scale: f32, room: [f32; 4]) {
    let point = |seen: &Projected| [origin[0] + seen.x as f32 * scale, origin[1] - seen.y as f32 * scale];
    drawing.lines(vec![pose.floor.iter().map(point).collect()], Ink::Grid, 1.0, 0);
    if pose.trail.len() > 1 {
        drawing.lines(vec![pose.trail.iter().map(point).collect()], Ink::Trail, 1.0, 0);
    }
    let points: Vec<Point> = pose.points.iter().map(point).collect();
    // A root that stays behind would give a line across other poses; very short lines are dropped.
    let inside = |p: &Point| p[0] >= room[0] && p[0] <= room[2] && p[1] >= room[1] && p[1] <= room[3];
    let faint =
        row.stage.bones.iter().filter(|bone| bone.faint).map(|bone| [points[bone.from], points[bone.to]]);
    let seen = |[from, to]: &[Point; 2]| (from[0] - to[0]).abs().max((from[1] - to[1]).abs()) >= 0.1;
    let faint = faint.filter(|line| line.iter().all(inside) && seen(line)).map(Vec::from);
    drawing.lines(faint.collect(), Ink::Faint, 0.8, 0);
    if let Some(Mesh { surface, index, theme, colours, pixels }) = &row.mesh {
        let skinned = Skinned { surface, theme: *theme, colours: *colours, index: *index, stage: &row.stage };
        if let Some(picture) = skinned.picture(pose.frame, &pose.camera, pose.hips, (origin, scale, *pixels))
        {
            drawing.shapes.push(picture);
            return;
        }
    }
    let area = |polygon: &Polygon| -> Vec<Point> {
        polygon.iter().map(|[x, y]| [origin[0] + x * scale, origin[1] - y * scale]).collect()
    };
    // The last one is the space of a mesh.
    let solids = pose.body.len() - usize::from(row.mesh.is_some()).min(pose.body.len());
    for solid in &pose.body[..solids] {
        let [shade, lit] = Ink::body(solid.side);
        drawing.area(area(&solid.outline), shade);
        drawing.area(area(&solid.lit), lit);
        drawing.area(area(&solid.eyes), Ink::Eyes);
    }
    // A skeleton without solids is drawn as a point.
    if pose.body.is_empty() {
        drawing.shapes.push(Shape::Dot { at: points[0], radius: 2.0, ink: Ink::Middle });
    }
}
