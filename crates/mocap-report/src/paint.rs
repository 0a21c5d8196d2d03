//! Software renderer: solids on a floor, with the light, grid and bodies of the page.

use crate::drawing::{Ink, SERIES, Theme};
use crate::mesh::{Corner, Mesh};
use crate::stage::Stage;
use crate::surface::{Colours, Surface};
use mocap_model::{Side, Vector3};

type V = Vector3<f64>;

/// Where a picture is seen from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Eye {
    pub target: V,
    right: V,
    up: V,
    back: V,
    pub distance: f64,
    /// Pixels per unit at the target.
    zoom: f64,
    parallel: bool,
    size: [usize; 2],
}

impl Eye {
    /// `reach` units around the target fit into the narrower direction of the picture.
    pub(crate) fn new(
        target: V,
        [yaw, pitch]: [f64; 2],
        reach: f64,
        parallel: bool,
        size: [usize; 2],
    ) -> Eye {
        let ((sy, cy), (sp, cp)) = (yaw.sin_cos(), pitch.sin_cos());
        let distance = 1.9 * reach;
        let zoom = size[0].min(size[1]) as f64 / reach * distance;
        Eye {
            target,
            right: V::new(cy, 0.0, -sy),
            up: V::new(-sy * sp, cp, -cy * sp),
            back: V::new(sy * cp, sp, cy * cp),
            distance,
            zoom,
            parallel,
            size,
        }
    }

    /// The eye that corresponds to a [`Camera`] of sheets: `zoom` pixels per unit at the target, which is in the
    /// centre.
    pub(crate) fn of_camera(
        target: V,
        [yaw, pitch]: [f64; 2],
        distance: Option<f64>,
        zoom: f64,
        size: [usize; 2],
    ) -> Eye {
        let eye = Eye::new(target, [yaw, pitch], 1.0, distance.is_none(), size);
        let distance = distance.unwrap_or(1.0);
        Eye { distance, zoom: zoom * distance, ..eye }
    }

    fn origin(&self) -> V {
        self.target + self.back * self.distance
    }

    /// Pixels from the left and top, and the distance from the eye; `None` if it is behind the eye.
    fn project(&self, place: &V) -> Option<[f64; 3]> {
        let from = place - self.target;
        let depth = self.distance - from.dot(&self.back);
        let scale = match self.parallel {
            true => self.zoom / self.distance,
            false if depth > 0.02 * self.distance => self.zoom / depth,
            false => return None,
        };
        let [w, h] = self.size.map(|side| side as f64);
        Some([w / 2.0 + from.dot(&self.right) * scale, h / 2.0 - from.dot(&self.up) * scale, depth])
    }
}

/// Red, green, blue from 0 to 1.
pub(crate) type Rgb = [f32; 3];

/// Colours of a theme.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paints {
    background: Rgb,
    grid: [Rgb; 2],
    shadow: (Rgb, f32),
    ambient: f32,
    left: Rgb,
    right: Rgb,
    middle: Rgb,
    /// Colours of motions after the first.
    others: [Rgb; SERIES as usize],
}

impl Paints {
    pub(crate) fn of(theme: Theme) -> Paints {
        let ([background, thin, strong, dark, middle], shade, ambient) = match theme {
            Theme::Light => ([0xf6_f7f9, 0xd5_dae2, 0xae_b8c5, 0x29_303d, 0xc3_c9d2], 0.3, 0.5),
            Theme::Dark => ([0x14_171c, 0x2c_333d, 0x4a_5462, 0, 0xaa_b3bf], 0.55, 0.4),
        };
        Paints {
            background: rgb(background),
            grid: [rgb(thin), rgb(strong)],
            shadow: (rgb(dark), shade),
            ambient,
            left: rgb(theme.colour(Ink::Left)),
            right: rgb(theme.colour(Ink::Right)),
            middle: rgb(middle),
            others: [1, 2, 0, 3, 4, 5].map(|series| rgb(theme.colour(Ink::Series(series)))),
        }
    }

    pub(crate) fn of_side(&self, side: Option<Side>) -> Rgb {
        match side {
            None => self.middle,
            Some(Side::Left) => self.left,
            Some(Side::Right) => self.right,
        }
    }
}

impl Paints {
    /// Colours of a mesh by vertex; `index` is the motion, whose tint distinguishes it from others.
    pub(crate) fn of_surface(
        &self,
        surface: &Surface,
        stage: &Stage<'_>,
        colours: Colours,
        index: usize,
    ) -> Vec<Rgb> {
        match colours {
            Colours::Sides => surface.side_colours(&stage.sides, |side| self.of_side(side)),
            Colours::File => {
                let tint = |colour: Rgb| match index.checked_sub(1) {
                    None => colour,
                    Some(other) => mix(colour, self.others[other % self.others.len()], TINT),
                };
                surface.vertices.iter().map(|vertex| tint(vertex.colour.unwrap_or(self.middle))).collect()
            }
        }
    }
}

/// Share of the tint in the colours of a mesh.
const TINT: f32 = 0.4;

fn rgb(colour: u32) -> Rgb {
    [16, 8, 0].map(|shift| (colour >> shift & 255) as f32 / 255.0)
}

/// The direction to the light.
fn sun() -> V {
    V::new(0.38, 0.86, 0.34).normalize()
}

/// A projected corner, and its position in the shadow.
struct Drawn {
    seen: Option<[f64; 3]>,
    lit: Rgb,
    fallen: Option<[f64; 3]>,
    /// Cosines of its normal.
    to_eye: f64,
    to_sun: f64,
}

/// Solids are closed: a triangle whose normals all point away from the eye by more than this (cosine) is hidden.
const AWAY: f64 = -0.2;

/// A picture being drawn: four samples per pixel for bodies, one for their shadows.
pub(crate) struct Canvas {
    eye: Eye,
    paints: Paints,
    floor: f64,
    /// Twice as wide and high as the picture.
    depth: Vec<f32>,
    colour: Vec<[u8; 3]>,
    shadow: Vec<f32>,
    /// Depth buffer of the light, for shadows on a surface.
    lamp: Option<Lamp>,
}

/// Depth buffer of the bodies as seen from the light.
struct Lamp {
    /// Directions perpendicular to the light.
    axes: [V; 2],
    target: V,
    /// Pixels per unit.
    zoom: f64,
    near: Vec<f32>,
    /// Pixels covered by bodies: from and to, along both sides.
    covered: [[f64; 2]; 2],
}

impl Lamp {
    /// Pixels along each side.
    const SIDE: usize = 512;

    fn new(eye: &Eye) -> Lamp {
        let right = sun().cross(&V::y()).normalize();
        // It covers what the picture covers at its target.
        let [w, h] = eye.size.map(|side| side as f64);
        let reach = 1.6 * w.max(h) / eye.zoom * eye.distance;
        let near = vec![f32::NEG_INFINITY; Lamp::SIDE * Lamp::SIDE];
        let covered = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        Lamp {
            axes: [right, sun().cross(&right)],
            target: eye.target,
            zoom: Lamp::SIDE as f64 / reach,
            near,
            covered,
        }
    }

    /// Pixels from the left and top, and the distance towards the light.
    fn project(&self, place: &V) -> [f64; 3] {
        let away = place - self.target;
        let [x, y] = self.axes.map(|axis| Lamp::SIDE as f64 / 2.0 + away.dot(&axis) * self.zoom);
        [x, y, away.dot(&sun())]
    }

    fn add(&mut self, corners: [V; 3]) {
        let [a, b, c] = corners.map(|corner| self.project(&corner));
        for corner in [a, b, c] {
            for (axis, [low, high]) in self.covered.iter_mut().enumerate() {
                (*low, *high) = (low.min(corner[axis]), high.max(corner[axis]));
            }
        }
        let near = &mut self.near;
        fill([Lamp::SIDE; 2], [a, b, c].map(|p| [p[0], p[1]]), |at, share| {
            near[at] = near[at].max((share[0] * a[2] + share[1] * b[2] + share[2] * c[2]) as f32);
        });
    }

    /// Share of the surroundings of a place that is in shadow; occluders nearer than `least` are the place
    /// itself.
    fn shade(&self, place: &V, least: f64) -> f32 {
        let [x, y, own] = self.project(place);
        let outside = |at: f64, [low, high]: [f64; 2]| at < low - 3.0 || at > high + 3.0;
        if outside(x, self.covered[0]) || outside(y, self.covered[1]) {
            return 0.0;
        }
        let mut dark = 0;
        for (dx, dy) in (-2i32..=2).flat_map(|dx| (-2i32..=2).map(move |dy| (dx, dy))) {
            let [x, y] = [x + f64::from(dx), y + f64::from(dy)];
            let inside = |v: f64| (0.0..Lamp::SIDE as f64).contains(&v);
            if inside(x) && inside(y) {
                dark += i32::from(f64::from(self.near[y as usize * Lamp::SIDE + x as usize]) > own + least);
            }
        }
        dark as f32 / 25.0
    }
}

impl Canvas {
    /// `ground`: a surface will be added.
    pub(crate) fn new(eye: Eye, paints: Paints, floor: f64, ground: bool) -> Canvas {
        let pixels = eye.size[0] * eye.size[1];
        Canvas {
            eye,
            paints,
            floor,
            depth: vec![f32::INFINITY; 4 * pixels],
            colour: vec![[0; 3]; 4 * pixels],
            shadow: vec![0.0; pixels],
            lamp: ground.then(|| Lamp::new(&eye)),
        }
    }

    /// Adds a triangle of the ground surface; bodies must have been added before. It is lit from both sides, with
    /// grid lines and the shadows of the bodies.
    pub(crate) fn add_ground(&mut self, corners: [V; 3], grid: f64) {
        let [Some(a), Some(b), Some(c)] = corners.map(|corner| self.eye.project(&corner)) else { return };
        let across = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        let (Some(lamp), Some(normal)) = (&self.lamp, across.try_normalize(0.0)) else { return };
        let view =
            if self.eye.parallel { self.eye.back } else { (self.eye.origin() - corners[0]).normalize() };
        let normal = if normal.dot(&view) < 0.0 { -normal } else { normal };
        let light = (self.paints.ambient + 0.5 * normal.dot(&sun()).max(0.0) as f32).min(1.0);
        let level = normal.y.abs() > 0.3;
        let (dark, amount) = self.paints.shadow;
        let size = self.eye.size.map(|side| 2 * side);
        let (depth, colours) = (&mut self.depth, &mut self.colour);
        let (eye, paints) = (&self.eye, &self.paints);
        fill(size, [a, b, c].map(|p| [2.0 * p[0], 2.0 * p[1]]), |at, share| {
            // In large triangles, positions are interpolated with perspective correction.
            let weights = if eye.parallel { share } else { [0, 1, 2].map(|k| share[k] / [a, b, c][k][2]) };
            let whole: f64 = weights.iter().sum();
            let place = (corners[0] * weights[0] + corners[1] * weights[1] + corners[2] * weights[2]) / whole;
            let near = eye.distance - (place - eye.target).dot(&eye.back);
            if near as f32 >= depth[at] {
                return;
            }
            depth[at] = near as f32;
            let pixel =
                if eye.parallel { eye.distance } else { near } / eye.zoom / normal.dot(&view).max(0.5);
            let lines = line(place.x / grid, pixel / grid).max(line(place.z / grid, pixel / grid)) as f32;
            let plain = mix(paints.background, paints.grid[0], 0.75).map(|v| v * light);
            let inked = mix(plain, paints.grid[1], if level { lines } else { 0.0 });
            let shaded = mix(inked, dark, lamp.shade(&place, 0.02 * grid) * amount);
            colours[at] = shaded.map(|v| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
        });
    }

    pub(crate) fn add(&mut self, mesh: &Mesh, colour: Rgb) {
        let corners: Vec<Drawn> = mesh.corners.iter().map(|corner| self.drawn(corner, colour)).collect();
        let [w, h] = self.eye.size;
        if let Some(lamp) = &mut self.lamp {
            for triangle in &mesh.triangles {
                lamp.add(triangle.map(|corner| mesh.corners[corner].at));
            }
        }
        for corners in mesh.triangles.iter().map(|triangle| triangle.map(|corner| &corners[corner])) {
            if let [Some(a), Some(b), Some(c)] = corners.map(|corner| corner.seen)
                && corners.iter().any(|corner| corner.to_eye > AWAY)
            {
                self.fill_lit([a, b, c], corners.map(|corner| corner.lit));
            }
            // On a surface, shadows come from the depth buffer of the light.
            if self.lamp.is_none()
                && let [Some(a), Some(b), Some(c)] = corners.map(|corner| corner.fallen)
                && corners.iter().any(|corner| corner.to_sun > AWAY)
            {
                let shadow = &mut self.shadow;
                fill([w, h], [a, b, c].map(|p| [p[0], p[1]]), |at, _| shadow[at] = 1.0);
            }
        }
    }

    /// Adds triangles of a mesh that may be open: back faces are lit like front faces. One colour per corner.
    pub(crate) fn add_surface(&mut self, corners: &[Corner], colours: &[Rgb], triangles: &[[u32; 3]]) {
        let [w, h] = self.eye.size;
        let lit = |flip: f64| -> Vec<Drawn> {
            let side = |corner: &Corner| Corner { normal: corner.normal * flip, ..*corner };
            corners.iter().zip(colours).map(|(corner, colour)| self.drawn(&side(corner), *colour)).collect()
        };
        let sides = [lit(1.0), lit(-1.0)];
        for triangle in triangles {
            let triangle = triangle.map(|corner| corner as usize);
            let [a, b, c] = triangle.map(|corner| corners[corner].at);
            if let Some(lamp) = &mut self.lamp {
                lamp.add([a, b, c]);
            }
            let view = if self.eye.parallel { self.eye.back } else { self.eye.origin() - a };
            let back = usize::from((b - a).cross(&(c - a)).dot(&view) < 0.0);
            let drawn = triangle.map(|corner| &sides[back][corner]);
            if let [Some(a), Some(b), Some(c)] = drawn.map(|corner| corner.seen) {
                self.fill_lit([a, b, c], drawn.map(|corner| corner.lit));
            }
            if self.lamp.is_none()
                && let [Some(a), Some(b), Some(c)] = drawn.map(|corner| corner.fallen)
            {
                let shadow = &mut self.shadow;
                fill([w, h], [a, b, c].map(|p| [p[0], p[1]]), |at, _| shadow[at] = 1.0);
            }
        }
    }

    /// Fills a triangle where it is in front of earlier ones.
    fn fill_lit(&mut self, [a, b, c]: [[f64; 3]; 3], lit: [Rgb; 3]) {
        let size = self.eye.size.map(|side| 2 * side);
        let (depth, colours) = (&mut self.depth, &mut self.colour);
        // Perspective is weak within a small triangle, so colours are interpolated on the screen.
        fill(size, [a, b, c].map(|p| [2.0 * p[0], 2.0 * p[1]]), |at, share| {
            let near = (share[0] * a[2] + share[1] * b[2] + share[2] * c[2]) as f32;
            if near < depth[at] {
                depth[at] = near;
                let share = share.map(|share| share as f32);
                let mixed =
                    [0, 1, 2].map(|k| lit[0][k] * share[0] + lit[1][k] * share[1] + lit[2][k] * share[2]);
                colours[at] = mixed.map(|v| (v.clamp(0.0, 1.0) * 255.0 + 0.5) as u8);
            }
        });
    }

    fn drawn(&self, corner: &Corner, colour: Rgb) -> Drawn {
        let sun = sun();
        let normal = corner.normal.try_normalize(0.0).unwrap_or_else(V::y);
        let view = (self.eye.origin() - corner.at).normalize();
        let (to_sun, to_eye) = (normal.dot(&sun), normal.dot(&view));
        let light = to_sun.max(0.0) as f32;
        let rim = (1.0 - to_eye.max(0.0)).powi(3) as f32;
        let shine = (sun + view).normalize().dot(&normal).max(0.0).powi(28) as f32;
        let ambient = self.paints.ambient;
        let dark = 1.0 - 0.72 * corner.dark;
        let lit = colour.map(|v| {
            let base = v * dark * (ambient + 0.16 * normal.y as f32 + 0.62 * light);
            base + 0.12 * shine * light.min(1.0) + 0.1 * rim * ambient
        });
        let height = (corner.at.y - self.floor).max(0.0);
        let down = corner.at - sun * (height / sun.y);
        let fallen = self.eye.project(&V::new(down.x, self.floor, down.z));
        let to_eye = if self.eye.parallel { normal.dot(&self.eye.back) } else { to_eye };
        Drawn { seen: self.eye.project(&corner.at), lit, fallen, to_eye, to_sun }
    }

    /// The picture, row by row.
    pub(crate) fn finish(mut self, grid: f64) -> Vec<[u8; 3]> {
        let [w, h] = self.eye.size;
        let soft = (h / 160).max(1);
        for _ in 0..2 {
            blur(&mut self.shadow, [w, h], soft);
        }
        let mut picture = Vec::with_capacity(w * h);
        for y in 0..h {
            let ground = self.ground(y, grid);
            for x in 0..w {
                let samples = [0, 1, 2 * w, 2 * w + 1].map(|next| 4 * w * y + 2 * x + next);
                let covered = samples.iter().filter(|at| self.depth[**at].is_finite()).count();
                if covered == 0 {
                    picture.push(ground(x).map(|v| (v * 255.0 + 0.5) as u8));
                    continue;
                }
                let mut sum = [0.0f32; 3];
                for at in samples.iter().filter(|at| self.depth[**at].is_finite()) {
                    sum = [0, 1, 2].map(|k| sum[k] + f32::from(self.colour[*at][k]));
                }
                if covered < 4 {
                    let ground = ground(x);
                    sum = [0, 1, 2].map(|k| sum[k] + (4 - covered) as f32 * ground[k] * 255.0);
                }
                picture.push(sum.map(|v| (v / 4.0 + 0.5) as u8));
            }
        }
        picture
    }

    /// The bodies without a floor: red, green, blue, opacity, row by row.
    pub(crate) fn finish_clear(self) -> Vec<[u8; 4]> {
        let [w, h] = self.eye.size;
        let mut picture = Vec::with_capacity(w * h);
        for (x, y) in (0..h).flat_map(|y| (0..w).map(move |x| (x, y))) {
            let samples = [0, 1, 2 * w, 2 * w + 1].map(|next| 4 * w * y + 2 * x + next);
            let covered = samples.iter().filter(|at| self.depth[**at].is_finite());
            let (mut sum, mut count) = ([0u32; 3], 0);
            for at in covered {
                sum = [0, 1, 2].map(|k| sum[k] + u32::from(self.colour[*at][k]));
                count += 1;
            }
            let [r, g, b] = sum.map(|part| (part / count.max(1)) as u8);
            picture.push([r, g, b, (count * 255 / 4) as u8]);
        }
        picture
    }

    /// The floor behind the pixels of a row: grid lines that fade with distance, and shadows.
    fn ground(&self, y: usize, grid: f64) -> impl Fn(usize) -> Rgb {
        let Eye { right, up, back, zoom, distance, parallel, size, target } = self.eye;
        let [w, h] = size.map(|side| side as f64);
        let v = (h / 2.0 - y as f64 - 0.5) / zoom;
        let background = self.paints.background;
        // The ray through the middle of the row; for pixels to the right, only `right` is added, which is
        // horizontal.
        let (origin, ray) = match parallel {
            true => (self.eye.origin() + up * v * distance, -back),
            false => (self.eye.origin(), up * v - back),
        };
        let t = (self.floor - origin.y) / ray.y;
        let (start, along) = (origin + ray * t, if parallel { distance } else { t });
        // Distances on the floor to the next pixel to the right and to the next one below.
        let span = along / zoom;
        let across = right * span;
        let down = up.y * span / ray.y;
        let below = up * -span + ray * down;
        let turn = if parallel { V::zeros() } else { right * down };
        let reach = 24.0 * grid;
        let lines = move |at: [f64; 2], width: [f64; 2], unit: f64| {
            line(at[0] / unit, width[0] / unit).max(line(at[1] / unit, width[1] / unit)) as f32
        };
        move |x| {
            let u = (x as f64 + 0.5 - w / 2.0) / zoom;
            let at = [start.x + right.x * along * u, start.z + right.z * along * u];
            let away = (at[0] - target.x).powi(2) + (at[1] - target.z).powi(2);
            if ray.y > -1e-3 || away >= reach * reach {
                return background;
            }
            let width = [
                across.x.abs() + (below.x + turn.x * u).abs(),
                across.z.abs() + (below.z + turn.z * u).abs(),
            ];
            let fade = 1.0 - smooth(0.3, 1.0, away.sqrt() / reach) as f32;
            let (thin, strong) = (lines(at, width, grid), lines(at, width, 5.0 * grid));
            let ink = mix(self.paints.grid[0], self.paints.grid[1], strong);
            let (dark, amount) = self.paints.shadow;
            let lined = mix(background, ink, thin.max(strong) * fade);
            mix(lined, dark, self.shadow[y * size[0] + x] * amount * fade)
        }
    }
}

/// Coverage of a pixel of some width by lines at whole numbers; none where lines would merge.
fn line(place: f64, width: f64) -> f64 {
    // The nearest whole number; `round` is a function call on many processors.
    let off = (place - (place + 0.5f64.copysign(place)) as i64 as f64).abs();
    if off >= 1.4 * width || width > 0.6 {
        return 0.0;
    }
    let width = width.max(1e-9);
    (1.0 - smooth(0.5, 1.4, off / width)) * (0.7 / (3.0 * width) - 0.4).clamp(0.0, 1.0)
}

fn mix(from: Rgb, to: Rgb, share: f32) -> Rgb {
    [0, 1, 2].map(|k| from[k] + (to[k] - from[k]) * share)
}

fn smooth(low: f64, high: f64, value: f64) -> f64 {
    let x = ((value - low) / (high - low)).clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// Calls `each` with the index of every pixel whose centre is in a triangle, and its barycentric coordinates.
fn fill([width, height]: [usize; 2], [a, b, c]: [[f64; 2]; 3], mut each: impl FnMut(usize, [f64; 3])) {
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if area.abs() < 1e-9 || !area.is_finite() {
        return;
    }
    let low = |axis: usize| a[axis].min(b[axis]).min(c[axis]);
    let high = |axis: usize| a[axis].max(b[axis]).max(c[axis]);
    let range = |axis: usize, most: usize| {
        let from = (low(axis) - 0.5).ceil().max(0.0) as usize;
        let to = (high(axis) - 0.5).floor().min(most as f64 - 1.0);
        from..if to < 0.0 { from } else { to as usize + 1 }
    };
    // Twice the areas opposite the corners, which are linear along a row.
    let (sign, whole) = (area.signum(), 1.0 / area.abs());
    let edges = [(b, c), (c, a), (a, b)];
    let steps = edges.map(|(p, q)| -(q[1] - p[1]) * sign);
    let columns = range(0, width);
    for y in range(1, height) {
        let py = y as f64 + 0.5;
        let starts = edges.map(|(p, q)| ((q[0] - p[0]) * (py - p[1]) + (q[1] - p[1]) * p[0]) * sign);
        let mut within = false;
        for x in columns.clone() {
            let px = x as f64 + 0.5;
            let areas = [0, 1, 2].map(|i| starts[i] + steps[i] * px);
            if areas.iter().all(|area| *area >= 0.0) {
                within = true;
                each(y * width + x, areas.map(|area| area * whole));
            } else if within {
                break;
            }
        }
    }
}

/// Box blur, first along rows, then along columns.
fn blur(values: &mut [f32], [width, height]: [usize; 2], radius: usize) {
    let mut line = Vec::new();
    let mut along = |values: &mut [f32], start: usize, step: usize, count: usize| {
        line.clear();
        line.extend((0..count).map(|i| values[start + i * step]));
        if line.iter().all(|value| *value == 0.0) {
            return;
        }
        let mut sum: f32 = line[..radius.min(count)].iter().sum();
        for i in 0..count {
            sum += line.get(i + radius).copied().unwrap_or(0.0);
            values[start + i * step] = sum / (2 * radius + 1) as f32;
            sum -= if i >= radius { line[i - radius] } else { 0.0 };
        }
    };
    for y in 0..height {
        along(values, y * width, 1, width);
    }
    for x in 0..width {
        along(values, x, width, height);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_covers_half_of_its_square_once() {
        let mut seen = vec![0; 100];
        fill([10, 10], [[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]], |at, share| {
            seen[at] += 1;
            assert!((share.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        });
        assert_eq!((seen.iter().sum::<i32>(), seen.iter().max()), (55, Some(&1)));
        fill([10, 10], [[-1e9, -1e9], [1e9, -1e9], [0.0, 1e9]], |at, _| seen[at] = 9);
        assert!(seen.iter().all(|n| *n == 9), "a large one is cut at the edges");
    }

    #[test]
    fn a_blur_keeps_the_sum() {
        let mut values = vec![0.0; 400];
        values[10 * 20 + 10] = 1.0;
        blur(&mut values, [20, 20], 2);
        assert!((values.iter().sum::<f32>() - 1.0).abs() < 1e-5 && values[210] < 0.05);
    }
}
