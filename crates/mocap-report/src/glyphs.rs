//! Text in PNG pictures: outlines of DejaVu Sans.

use crate::drawing::Point;
use tiny_skia::{Path, PathBuilder};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

fn face() -> Face<'static> {
    Face::parse(dejavu::sans::regular(), 0).expect("the font of the crate is whole")
}

/// The glyph of a letter, and its advance width [font units].
fn glyph(face: &Face<'_>, letter: char) -> (GlyphId, f32) {
    // For a letter that the font lacks: a box.
    let id = face.glyph_index(letter).unwrap_or(GlyphId(0));
    (id, f32::from(face.glyph_hor_advance(id).unwrap_or(0)))
}

/// Pixels per font unit for a font size.
fn step(face: &Face<'_>, size: f32) -> f32 {
    size / f32::from(face.units_per_em())
}

/// The width of a text \[px\].
pub(crate) fn width(text: &str, size: f32) -> f32 {
    let face = face();
    text.chars().map(|letter| glyph(&face, letter).1).sum::<f32>() * step(&face, size)
}

/// The outline of a text whose baseline starts at `at`; `None` for spaces.
pub(crate) fn outline(text: &str, size: f32, at: Point) -> Option<Path> {
    let face = face();
    let step = step(&face, size);
    let mut pen = Pen { path: PathBuilder::new(), at, step };
    for letter in text.chars() {
        let (id, advance) = glyph(&face, letter);
        face.outline_glyph(id, &mut pen);
        pen.at[0] += advance * step;
    }
    pen.path.finish()
}

/// Transforms outlines from font units (y up) to a position in a picture.
struct Pen {
    path: PathBuilder,
    at: Point,
    step: f32,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> (f32, f32) {
        (self.at[0] + x * self.step, self.at[1] - y * self.step)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.place(x1, y1), self.place(x2, y2), self.place(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_outlines_and_widths() {
        for letter in ('!'..='~').chain("äéßłΩЖ–×·°".chars()) {
            assert_ne!(glyph(&face(), letter).0, GlyphId(0), "{letter}");
            let bounds = outline(&letter.to_string(), 10.0, [0.0, 0.0]).unwrap().bounds();
            assert!(
                bounds.top() > -11.0 && bounds.bottom() < 4.0 && bounds.right() < 12.0,
                "{letter} {bounds:?}"
            );
        }
        assert!(width("mm", 10.0) > 2.0 * width("i", 10.0));
        assert_eq!(width("ab", 20.0), 2.0 * width("ab", 10.0));
        assert!(outline(" ", 10.0, [0.0, 0.0]).is_none() && outline("🦴", 10.0, [0.0, 0.0]).is_some());
    }
}
