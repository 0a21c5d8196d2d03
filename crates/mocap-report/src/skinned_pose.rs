//! A mesh in a pose of a sheet, drawn as pixels: its triangles are too many and too small for lines and areas.

use crate::camera::Camera;
use crate::drawing::{Point, Shape, Theme};
use crate::paint::{Canvas, Paints};
use crate::stage::{Place, Stage};
use crate::surface::{Colours, Surface};
use mocap_model::Vector3;

/// Pixels along a side of a picture, at most.
const MOST: f64 = 4096.0;

/// Data that the poses of a motion share.
pub(crate) struct Skinned<'a> {
    pub surface: &'a Surface,
    pub theme: Theme,
    pub colours: Colours,
    /// Index of the motion.
    pub index: usize,
    pub stage: &'a Stage<'a>,
}

impl Skinned<'_> {
    /// Draws a frame. `origin` is the position of the floor below `hips` in the drawing, `scale` the length of a
    /// stage unit there, `pixels` the number of pixels per unit of the drawing.
    pub(crate) fn picture(
        &self,
        frame: usize,
        camera: &Camera,
        hips: Place,
        (origin, scale, pixels): (Point, f32, f32),
    ) -> Option<Shape> {
        let Skinned { surface, stage, .. } = self;
        let corners = surface.corners(stage, frame, Vector3::zeros());
        let far = crate::surface::FARTHEST * stage.size();
        let outline = crate::silhouette::outline(&corners, camera, &hips, far).outline;
        let most = |axis: usize| outline.iter().map(|at| f64::from(at[axis].abs())).fold(0.0, f64::max);
        let zoom = f64::from(scale) * f64::from(pixels);
        // The floor below the hips is at the centre.
        let size = [0, 1].map(|axis| 2.0 * (most(axis) * zoom).ceil() + 4.0);
        if outline.is_empty() || size.iter().any(|side| *side > MOST) {
            return None;
        }
        let size = size.map(|side| side as usize);
        let paints = Paints::of(self.theme);
        let mut canvas = Canvas::new(camera.eye(zoom, size), paints, stage.floor, false);
        let colours = paints.of_surface(surface, stage, self.colours, self.index);
        canvas.add_surface(&corners, &colours, &surface.triangles);
        let Cropped { colours, from, size } = cropped(&canvas.finish_clear(), size)?;
        let whole = size.map(|side| side as f32 / pixels);
        let at = [0, 1].map(|axis| origin[axis] + from[axis] / pixels);
        Some(Shape::Picture { at, size: whole, pixels: size, colours })
    }
}

/// The part of a picture that is not transparent \[px\].
struct Cropped {
    colours: Vec<[u8; 4]>,
    /// Its upper left corner, from the middle of the picture.
    from: [f32; 2],
    size: [u32; 2],
}

fn cropped(picture: &[[u8; 4]], [w, h]: [usize; 2]) -> Option<Cropped> {
    let drawn = || (0..w * h).filter(|at| picture[*at][3] > 0).map(|at| [at % w, at / w]);
    let low = |axis: usize| drawn().map(|at| at[axis]).min();
    let high = |axis: usize| drawn().map(|at| at[axis]).max();
    let ([left, top], [right, bottom]) = ([low(0)?, low(1)?], [high(0)?, high(1)?]);
    let rows = (top..=bottom).flat_map(|y| &picture[y * w + left..=y * w + right]);
    let from = [left as f32 - w as f32 / 2.0, top as f32 - h as f32 / 2.0];
    let size = [(right - left + 1) as u32, (bottom - top + 1) as u32];
    Some(Cropped { colours: rows.copied().collect(), from, size })
}
