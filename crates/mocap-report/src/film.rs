//! Films: a camera that follows the motions, and the content of each picture.

use crate::View;
use crate::body::{body, top};
use crate::bounds::bounds;
use crate::drawing::Theme;
use crate::mesh::mesh;
use crate::paint::{Canvas, Eye, Paints};
use crate::picture::Picture;
use crate::solid::Solid;
use crate::stage::{FAR, Place, Stage, evenly_spaced};
use crate::surface::{Colours, Surface};
use crate::ticks::grid;
use mocap_model::{Body, Clip, Vector3};
use std::num::NonZeroUsize;

type V = Vector3<f64>;

/// A motion in a film; several stand side by side with their roots aligned.
#[derive(Clone, Copy, Debug)]
pub struct RenderInput<'a> {
    /// The motion; the roles of its joints give the body, sides and facing.
    pub clip: &'a Clip,
    /// The meshes of its file, whose bones are joints of the clip; without them a body of capsules is drawn.
    pub body: Option<&'a Body>,
}

impl<'a> RenderInput<'a> {
    /// A motion without meshes.
    pub fn of(clip: &'a Clip) -> RenderInput<'a> {
        RenderInput { clip, body: None }
    }
}

/// How a film looks.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderOptions {
    /// Width and height \[px\], at least 16. Default 854 × 480.
    pub size: [usize; 2],
    /// Pictures per second, above 0. A GIF rounds times to 1/100 s. Default 25.
    pub fps: f64,
    /// The part of the motion \[s\]: from, to. Default: all of it.
    pub range: [Option<f64>; 2],
    /// Default [`View::Perspective`].
    pub view: View,
    /// Default [`Theme::Light`].
    pub theme: Theme,
    /// The colours of meshes. Default [`Colours::File`].
    pub colours: Colours,
    /// The surface below the first motion: triangles in the axes and units of its clip, anticlockwise seen from above.
    /// Default: none, a flat floor.
    pub ground: Vec<[Vector3<f64>; 3]>,
    /// Threads that draw; the result does not depend on it. Default: one per processor core.
    pub threads: Option<NonZeroUsize>,
}

impl Default for RenderOptions {
    fn default() -> RenderOptions {
        RenderOptions {
            size: [854, 480],
            fps: 25.0,
            range: [None; 2],
            view: View::Perspective,
            theme: Theme::Light,
            colours: Colours::File,
            ground: Vec::new(),
            threads: None,
        }
    }
}

/// A film is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the film would have {found} pictures, more than the limit of {MOST_PICTURES}")]
pub struct TooManyPictures {
    /// The number of pictures.
    pub found: usize,
}

/// Pictures of a film, at most: 13 minutes at the default rate.
pub const MOST_PICTURES: usize = 20_000;

/// Data that all pictures of a film share.
pub(crate) struct Film<'a> {
    pub stages: Vec<(Stage<'a>, Vec<Solid>)>,
    /// By motion, the mesh that is drawn in place of its solids.
    surfaces: Vec<Option<Surface>>,
    pub options: &'a RenderOptions,
    pub size: f64,
    pub floor: f64,
    pub heading: f64,
    pub grid: f64,
    /// The surface below the first motion, on the stage.
    ground: Vec<[Vector3<f64>; 3]>,
}

/// The start of a film \[s\], and its number of pictures.
pub(crate) fn span(inputs: &[RenderInput<'_>], options: &RenderOptions) -> (f64, usize) {
    let last = inputs.iter().map(|input| input.clip.duration()).fold(0.0, f64::max);
    let [from, to] = options.range;
    let from = from.unwrap_or(0.0).clamp(0.0, last);
    let to = to.unwrap_or(last).clamp(from, last);
    (from, (((to - from) * options.fps + 1e-6).floor() as usize).saturating_add(1))
}

/// The times of the pictures of a film \[s\].
pub(crate) fn times(
    inputs: &[RenderInput<'_>],
    options: &RenderOptions,
) -> Result<Vec<f64>, TooManyPictures> {
    match span(inputs, options) {
        (_, found) if found > MOST_PICTURES => Err(TooManyPictures { found }),
        (from, count) => Ok((0..count).map(|i| from + i as f64 / options.fps).collect()),
    }
}

/// The camera follows the hips, smoothed over this time to both sides \[s\].
const CALM: f64 = 0.3;

/// Size of the visible space over the height of the body: a human with some space above the head.
const ROOM: f64 = 1.2;

pub(crate) fn frame(stage: &Stage<'_>, time: f64) -> usize {
    ((time * stage.clip.rate().fps()).round() as usize).min(stage.frames() - 1)
}

/// The height that the solids of a body do not exceed, except in broken frames; `times` are evenly spaced.
fn highest(stage: &Stage<'_>, solids: &[Solid], times: impl Iterator<Item = f64>) -> f64 {
    let mut heights = Vec::new();
    let (mut first, mut last) = (f64::INFINITY, 0.0f64);
    let times = times.inspect(|time| (first, last) = (first.min(*time), last.max(*time)));
    stage.walk(times.map(|time| frame(stage, time)), |_, pose| {
        heights.push(top(solids, pose, stage.scale));
    });
    let rate = heights.len().saturating_sub(1) as f64 / (last - first).max(1e-9);
    // The range of a body starts at the floor.
    let floor = [stage.floor; 16];
    let found = bounds([(&heights[..], rate), (&floor[..], 1.0)].into_iter());
    found.map_or(0.0, |bounds| bounds.high.clamp(-FAR, FAR))
}

/// Angle from the front of a body to the viewing direction, about the up axis \[rad\].
pub(crate) fn turn(view: View) -> f64 {
    match view {
        View::Perspective => -0.7,
        View::Front => 0.0,
        View::Side => -std::f64::consts::FRAC_PI_2,
    }
}

impl<'a> Film<'a> {
    pub(crate) fn new(inputs: &[RenderInput<'a>], options: &'a RenderOptions) -> Film<'a> {
        let dress = |input: &RenderInput<'a>| {
            let mut stage = Stage::new(input.clip);
            let body = body(&stage);
            stage.sites = body.sites;
            (stage, body.solids)
        };
        let mut stages: Vec<_> = inputs.iter().map(dress).collect();
        let surface = |input: &RenderInput<'a>| Surface::new(input.body?, input.clip);
        let surfaces: Vec<Option<Surface>> = inputs.iter().map(surface).collect();
        for ((stage, _), surface) in stages.iter_mut().zip(&surfaces) {
            surface.iter().for_each(|surface| surface.frame(stage));
        }
        let ground = stages.first_mut().map_or_else(Vec::new, |(stage, _)| stage.lay(&options.ground));
        let first = stages.first().map(|(stage, _)| stage);
        let known = first.is_some_and(|stage| stage.unit.is_some());
        let (from, count) = span(inputs, options);
        let times = || evenly_spaced(count, 100).into_iter().map(|i| from + i as f64 / options.fps);
        let room = |((stage, solids), surface): (&(Stage<'a>, Vec<Solid>), &Option<Surface>)| {
            // Above a surface, the camera also follows the hips up and down.
            let height = match surface {
                _ if !ground.is_empty() => 0.0,
                Some(surface) => surface.height(stage, times().map(|time| frame(stage, time))),
                None => highest(stage, solids, times()) - stage.floor,
            };
            stage.size().max(ROOM * height)
        };
        let size = stages.iter().zip(&surfaces).map(room).fold(0.0, f64::max);
        let size = if size > 0.0 { size } else { 1.0 };
        Film {
            size,
            floor: first.map_or(0.0, |stage| stage.floor),
            heading: first.map_or(0.0, |stage| stage.heading(&stage.pose(0))),
            grid: grid(first.map_or(size, Stage::size), known),
            ground,
            stages,
            surfaces,
            options,
        }
    }

    /// Position of the hips of the first motion around a time.
    fn middle(&self, time: f64) -> Place {
        let Some((stage, _)) = self.stages.first() else { return [0.0; 3] };
        let frames = [-1.0, -0.5, 0.0, 0.5, 1.0].map(|at| frame(stage, (time + at * CALM).max(0.0)));
        let mut sum = [0.0; 3];
        stage.walk(frames, |_, pose| {
            sum = [0, 1, 2].map(|axis| sum[axis] + pose[stage.centre][axis] / 5.0);
        });
        sum
    }

    /// `heading`: the front direction; `hips`: the centre of the picture.
    pub(crate) fn eye(&self, heading: f64, hips: Place, wide: f64) -> Eye {
        let (pitch, parallel) = match self.options.view {
            View::Perspective => (0.2, false),
            View::Front | View::Side => (0.08, true),
        };
        let [w, h] = self.options.size.map(|side| side as f64);
        // The space fits a body and its neighbours; a wide picture shows more at the sides.
        let reach = (0.92 * self.size).max(wide * w.min(h) / w);
        let [x, height, z] = hips;
        let floor = if self.ground.is_empty() { self.floor } else { height - 0.48 * self.size };
        let target = Vector3::new(x, floor + 0.4 * self.size, z);
        Eye::new(target, [heading + turn(self.options.view), pitch], reach, parallel, self.options.size)
    }

    /// Draws a body in a frame; `pose` has the places of that frame, moved to where it stands.
    pub(crate) fn add(&self, canvas: &mut Canvas, index: usize, frame: usize, pose: &[Place]) {
        let (stage, solids) = &self.stages[index];
        let paints = Paints::of(self.options.theme);
        if let Some(surface) = &self.surfaces[index] {
            let shift = V::from(pose[stage.centre]) - V::from(stage.pose(frame)[stage.centre]);
            let corners = surface.corners(stage, frame, shift);
            let colours = paints.of_surface(surface, stage, self.options.colours, index);
            canvas.add_surface(&corners, &colours, &surface.triangles);
            return;
        }
        for solid in solids {
            let colour = paints.of_side(stage.sides[solid.joint]);
            canvas.add(&mesh(solid, pose, stage.scale), colour);
        }
    }

    /// A picture without bodies.
    pub(crate) fn canvas(&self, eye: Eye) -> Canvas {
        Canvas::new(eye, Paints::of(self.options.theme), self.floor, !self.ground.is_empty())
    }

    /// A picture of what was added; the ground is moved by `shift`.
    pub(crate) fn finish(&self, mut canvas: Canvas, shift: Vector3<f64>) -> Picture {
        for corners in &self.ground {
            canvas.add_ground(corners.map(|corner| corner + shift), self.grid);
        }
        canvas.finish(self.grid)
    }

    /// The picture at a time: motions side by side around the first one.
    pub(crate) fn picture(&self, time: f64) -> Picture {
        let count = self.stages.len();
        let gap = 0.56 * self.size;
        let eye = self.eye(self.heading, self.middle(time), gap * (count as f64 + 1.0));
        let (sin, cos) = (self.heading - 0.7).sin_cos();
        let mut canvas = self.canvas(eye);
        let mut ground = Vector3::zeros();
        let first = self.stages.first().map(|(stage, _)| stage.pose(frame(stage, time))[stage.centre]);
        for (index, (stage, _)) in self.stages.iter().enumerate() {
            let shown = frame(stage, time);
            let mut pose = stage.pose(shown);
            if let Some(first) = first.filter(|_| count > 1) {
                let far = (index as f64 - (count as f64 - 1.0) / 2.0) * gap;
                let hips = pose[stage.centre];
                let shift = [
                    first[0] - hips[0] + far * cos,
                    self.floor - stage.floor,
                    first[2] - hips[2] - far * sin,
                ];
                if index == 0 {
                    ground = shift.into();
                }
                for place in &mut pose {
                    *place = [0, 1, 2].map(|axis| place[axis] + shift[axis]);
                }
            }
            self.add(&mut canvas, index, shown, &pose);
        }
        self.finish(canvas, ground)
    }

    /// Calls `each` with the result of `make` for every picture, in order. Several pictures are drawn at a time,
    /// the next ones while `each` works.
    pub(crate) fn each<T: Send>(
        &self,
        times: &[f64],
        make: impl Fn(Picture) -> T + Sync,
        mut each: impl FnMut(T),
    ) {
        let threads = self.options.threads.or_else(|| std::thread::available_parallelism().ok());
        let make = &make;
        std::thread::scope(|scope| {
            let mut drawn = Vec::new();
            for times in times.chunks(threads.map_or(1, NonZeroUsize::get)).chain([&[][..]]) {
                let draw = |time: &f64| {
                    let time = *time;
                    scope.spawn(move || make(self.picture(time)))
                };
                for one in std::mem::replace(&mut drawn, times.iter().map(draw).collect()) {
                    each(one.join().expect("drawing does not panic"));
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made::{half_a_second as options, wave};

    #[test]
    fn what_reaches_high_is_in_the_picture() {
        let clip = crate::made::chain(6, 1.0, 1, mocap_model::Space::default());
        let options = RenderOptions { range: [None; 2], ..options() };
        let film = Film::new(&[RenderInput::of(&clip)], &options);
        let (stage, solids) = &film.stages[0];
        let high = highest(stage, solids, [0.0].into_iter()) - stage.floor;
        assert!(high > 0.0 && film.size >= 1.1 * high);
    }

    #[test]
    fn left_is_orange_right_is_blue_and_both_throw_shadows() {
        let clip = wave();
        let options = options();
        let film = Film::new(&[RenderInput::of(&clip)], &options);
        let picture = film.picture(0.6);
        let count = |like: &dyn Fn(&[u8; 3]) -> bool| picture.iter().filter(|c| like(c)).count();
        assert!(count(&|c| c[0] > c[2].saturating_add(60)) > 40, "orange");
        assert!(count(&|c| c[2] > c[0].saturating_add(60)) > 40, "blue");
        // Grey below the background, and not of a body.
        assert!(count(&|c| c[0] < 0xd0 && c[0] > 0x90 && c[0].abs_diff(c[2]) < 16) > 40, "shadow");
    }

    #[test]
    fn a_surface_lies_under_the_feet_with_the_shadow_of_the_body() {
        let clip = wave();
        let body = Stage::new(&clip);
        // A slab of 4 m below the feet of the clip, which is in centimetres with Y up.
        let (reach, floor) = (2.0 / body.scale, body.floor / body.scale);
        let corner = |x: f64, z: f64| Vector3::new(x * reach, floor, z * reach);
        let slab = [[[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]], [[-1.0, -1.0], [1.0, 1.0], [1.0, -1.0]]]
            .map(|it| it.map(|[x, z]| corner(x, z)));
        for view in [View::Perspective, View::Side] {
            let options = RenderOptions { view, ground: slab.to_vec(), ..options() };
            let with = Film::new(&[RenderInput::of(&clip)], &options).picture(0.6);
            let options = RenderOptions { ground: Vec::new(), ..options.clone() };
            let without = Film::new(&[RenderInput::of(&clip)], &options).picture(0.6);
            let grey = |c: &[u8; 3]| c[0].abs_diff(c[2]) < 20;
            let changed = with.iter().zip(&without).filter(|(with, without)| with != without);
            let ground: Vec<&[u8; 3]> = changed.map(|(with, _)| with).filter(|c| grey(c)).collect();
            assert!(ground.len() > 500, "{} pixels of the surface", ground.len());
            let lit = ground.iter().map(|c| c[1]).max().unwrap();
            let dark = ground.iter().filter(|c| c[1] < lit - 40).count();
            assert!(dark > 40, "{dark} pixels in the shadow, lit {lit}");
            // The body stands on the surface and keeps its colours.
            let coloured =
                |picture: &Picture| picture.iter().filter(|c| c[0].abs_diff(c[2]) > 60).count() as f64;
            assert!((coloured(&with) / coloured(&without) - 1.0).abs() < 0.35);
        }
    }
}
