//! Drawings as PNG.

use crate::drawing::{Align, DASHES, Drawing, Shape, Theme};
use crate::glyphs;
use tiny_skia::{
    Color, FillRule, FilterQuality, LineCap, LineJoin, Paint, PathBuilder, Pixmap, PixmapPaint, Stroke,
    StrokeDash, Transform,
};

/// Longest side of a picture \[px\].
const LONGEST: f32 = 16_000.0;

/// The scale of a picture; less than `wanted` if it would be too large.
pub(crate) fn scale_of(drawing: &Drawing, wanted: f32) -> f32 {
    wanted.min(LONGEST / drawing.width.max(drawing.height)).max(f32::MIN_POSITIVE)
}

/// Draws at `scale` pixels per unit, or less if the picture would be too large.
pub(crate) fn render(drawing: &Drawing, theme: Theme, scale: f32) -> Pixmap {
    let scale = scale_of(drawing, scale);
    let pixels = |length: f32| ((length * scale).ceil() as u32).max(1);
    let mut pixmap =
        Pixmap::new(pixels(drawing.width), pixels(drawing.height)).expect("the sides are within bounds");
    pixmap.fill(colour(theme.background()));
    for shape in &drawing.shapes {
        draw(&mut pixmap, shape, theme, scale);
    }
    pixmap
}

/// A PNG file of 8-bit colours without transparency.
pub(crate) fn encode(pixmap: &Pixmap) -> Vec<u8> {
    let rgb: Vec<u8> = pixmap.pixels().iter().flat_map(|p| [p.red(), p.green(), p.blue()]).collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    // Filters make pictures of lines on plain ground larger and slower to write.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().expect("a header of a picture in memory");
    writer.write_image_data(&rgb).expect("as many bytes as the header says");
    writer.finish().expect("a picture in memory is written whole");
    bytes
}

pub(crate) fn colour(rgb: u32) -> Color {
    Color::from_rgba8((rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8, 255)
}

fn draw(pixmap: &mut Pixmap, shape: &Shape, theme: Theme, scale: f32) {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    let transform = Transform::from_scale(scale, scale);
    let mut stroke = Stroke { line_cap: LineCap::Round, line_join: LineJoin::Round, ..Stroke::default() };
    match shape {
        Shape::Lines { lines, ink, width, dash } => {
            paint.set_color(colour(theme.colour(*ink)));
            stroke.width = *width;
            stroke.dash = StrokeDash::new(DASHES[usize::from(*dash)].to_vec(), 0.0);
            stroke_lines(pixmap, lines, &paint, &stroke, transform);
        }
        Shape::Dot { at, radius, ink } => {
            paint.set_color(colour(theme.colour(*ink)));
            if let Some(path) = PathBuilder::from_circle(at[0], at[1], *radius) {
                pixmap.fill_path(&path, &paint, FillRule::Winding, transform, None);
            }
        }
        Shape::Area { outline, ink } => {
            paint.set_color(colour(theme.colour(*ink)));
            let mut path = PathBuilder::new();
            for (i, [x, y]) in outline.iter().enumerate() {
                if i == 0 { path.move_to(*x, *y) } else { path.line_to(*x, *y) }
            }
            path.close();
            if let Some(path) = path.finish() {
                pixmap.fill_path(&path, &paint, FillRule::Winding, transform, None);
            }
        }
        Shape::Picture { at, size, pixels, colours } => {
            let Some(mut picture) = Pixmap::new(pixels[0], pixels[1]) else { return };
            for (pixel, [r, g, b, a]) in picture.pixels_mut().iter_mut().zip(colours) {
                *pixel = tiny_skia::ColorU8::from_rgba(*r, *g, *b, *a).premultiply();
            }
            let grow = [0, 1].map(|axis| size[axis] * scale / pixels[axis] as f32);
            let place = Transform::from_scale(grow[0], grow[1])
                .post_translate((at[0] * scale).round(), (at[1] * scale).round());
            let quality = if grow == [1.0; 2] { FilterQuality::Nearest } else { FilterQuality::Bilinear };
            let paint = PixmapPaint { quality, ..PixmapPaint::default() };
            pixmap.draw_pixmap(0, 0, picture.as_ref(), &paint, place, None);
        }
        Shape::Text { at, text, size, ink, align } => {
            paint.set_color(colour(theme.colour(*ink)));
            let width = glyphs::width(text, *size);
            let left = match align {
                Align::Start => at[0],
                Align::Middle => at[0] - width / 2.0,
                Align::End => at[0] - width,
            };
            if let Some(path) = glyphs::outline(text, *size, [left, at[1]]) {
                pixmap.fill_path(&path, &paint, FillRule::Winding, transform, None);
            }
        }
    }
}

fn stroke_lines(
    pixmap: &mut Pixmap,
    lines: &[Vec<[f32; 2]>],
    paint: &Paint<'_>,
    stroke: &Stroke,
    transform: Transform,
) {
    let mut path = PathBuilder::new();
    for line in lines {
        for (i, [x, y]) in line.iter().enumerate() {
            if i == 0 {
                path.move_to(*x, *y);
            } else {
                path.line_to(*x, *y);
            }
        }
        // A line without length is a dot.
        if line.iter().all(|point| *point == line[0]) {
            path.line_to(line[0][0] + 0.01, line[0][1]);
        }
    }
    if let Some(path) = path.finish() {
        pixmap.stroke_path(&path, paint, stroke, transform, None);
    }
}

/// Fills the pixels from `from` to `to` (excluded), clipped to the picture.
pub(crate) fn fill(pixmap: &mut Pixmap, from: [u32; 2], to: [u32; 2], rgb: u32) {
    let (width, height) = (pixmap.width(), pixmap.height());
    let colour = colour(rgb).premultiply().to_color_u8();
    for y in from[1]..to[1].min(height) {
        let row = (y * width) as usize;
        pixmap.pixels_mut()[row..row + width as usize]
            [from[0].min(width) as usize..to[0].min(width) as usize]
            .fill(colour);
    }
}

/// A ring around a point of a drawing that was rendered at `scale`.
pub(crate) fn ring(pixmap: &mut Pixmap, at: [f32; 2], radius: f32, scale: f32, theme: Theme) {
    let Some(path) = PathBuilder::from_circle(at[0], at[1], radius) else { return };
    for (ink, width) in [(theme.background(), 4.0), (theme.colour(crate::drawing::Ink::Text), 1.6)] {
        let mut paint = Paint { anti_alias: true, ..Paint::default() };
        paint.set_color(colour(ink));
        let stroke = Stroke { width, ..Stroke::default() };
        pixmap.stroke_path(&path, &paint, &stroke, Transform::from_scale(scale, scale), None);
    }
}
