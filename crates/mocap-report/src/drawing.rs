//! The content of sheets and charts, independent of SVG and PNG. Pixels, y down.

use mocap_model::Side;

/// A position in pixels.
pub(crate) type Point = [f32; 2];

/// The meaning of a colour; the theme maps it to a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    Text,
    Muted,
    Grid,
    Left,
    Right,
    Middle,
    Faint,
    Trail,
    /// Lit and shaded sides of a body. This and all that follow up to the curves fill areas.
    LeftLit,
    LeftShade,
    RightLit,
    RightShade,
    MiddleLit,
    MiddleShade,
    Eyes,
    /// The time in which a foot is on the floor.
    LeftContact,
    RightContact,
    /// One of several curves; the colours repeat after [`SERIES`].
    Series(u8),
}

pub(crate) const SERIES: u8 = 6;

/// Lengths of dashes and gaps \[px\]; the first line is solid.
pub(crate) const DASHES: [&[f32]; 4] = [&[], &[5.0, 4.0], &[1.5, 3.5], &[10.0, 3.0, 2.0, 3.0]];

impl Ink {
    /// Inks of the shaded and the lit side of a body.
    pub(crate) fn body(side: Option<Side>) -> [Ink; 2] {
        match side {
            None => [Ink::MiddleShade, Ink::MiddleLit],
            Some(Side::Left) => [Ink::LeftShade, Ink::LeftLit],
            Some(Side::Right) => [Ink::RightShade, Ink::RightLit],
        }
    }

    /// Whether it fills areas; other inks are for lines and text.
    pub(crate) fn fills(self) -> bool {
        use Ink::*;
        matches!(
            self,
            LeftLit
                | LeftShade
                | RightLit
                | RightShade
                | MiddleLit
                | MiddleShade
                | Eyes
                | LeftContact
                | RightContact
        )
    }
}

/// Position of a text relative to its anchor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Start,
    Middle,
    End,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Lines {
        lines: Vec<Vec<Point>>,
        ink: Ink,
        width: f32,
        /// Index in [`DASHES`].
        dash: u8,
    },
    Dot {
        at: Point,
        radius: f32,
        ink: Ink,
    },
    /// Closed and filled with an ink that [`Ink::fills`].
    Area {
        outline: Vec<Point>,
        ink: Ink,
    },
    /// Pixels, row by row: red, green, blue, opacity.
    Picture {
        /// The upper left corner.
        at: Point,
        /// Width and height in the drawing.
        size: Point,
        /// Pixels along them.
        pixels: [u32; 2],
        colours: Vec<[u8; 4]>,
    },
    Text {
        at: Point,
        text: String,
        size: f32,
        ink: Ink,
        align: Align,
    },
}

/// Shapes on a background, the first at the back.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub width: f32,
    pub height: f32,
    pub shapes: Vec<Shape>,
}

impl Drawing {
    pub(crate) fn text(&mut self, at: Point, text: impl Into<String>, size: f32, ink: Ink, align: Align) {
        self.shapes.push(Shape::Text { at, text: text.into(), size, ink, align });
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, ink: Ink, width: f32) {
        self.lines(vec![vec![from, to]], ink, width, 0);
    }

    /// An area with fewer than three corners is not drawn.
    pub(crate) fn area(&mut self, outline: Vec<Point>, ink: Ink) {
        if outline.len() > 2 {
            self.shapes.push(Shape::Area { outline, ink });
        }
    }

    pub(crate) fn lines(&mut self, mut lines: Vec<Vec<Point>>, ink: Ink, width: f32, dash: u8) {
        // A motion without frames has no points.
        lines.retain(|line| !line.is_empty());
        if !lines.is_empty() {
            self.shapes.push(Shape::Lines { lines, ink, width, dash });
        }
    }
}

/// Whether a picture has a light or a dark background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark lines on white. An SVG still follows a viewer who prefers dark.
    #[default]
    Light,
    /// Light lines on nearly black.
    Dark,
}

impl Theme {
    /// Red, green, blue of the background.
    pub(crate) fn background(self) -> u32 {
        match self {
            Theme::Light => 0xffffff,
            Theme::Dark => 0x14171c,
        }
    }

    pub(crate) fn colour(self, ink: Ink) -> u32 {
        // Left and right differ in lightness as well as in hue.
        const LIGHT: [u32; SERIES as usize] = [0xc8442a, 0x2b8a3e, 0x1f6fc4, 0x8a4fbf, 0xb07a00, 0x0f8a8a];
        const DARK: [u32; SERIES as usize] = [0xff8a6b, 0x6bd18a, 0x6fb3ff, 0xc49bff, 0xe8c15a, 0x5fd6d6];
        let dark = self == Theme::Dark;
        match ink {
            Ink::Text => [0x1b1f24, 0xe6e9ee][dark as usize],
            Ink::Muted => [0x667080, 0x98a2b0][dark as usize],
            Ink::Grid => [0xdde1e7, 0x2c323b][dark as usize],
            Ink::Left => [0xd9562b, 0xff9166][dark as usize],
            Ink::Right => [0x1d63b8, 0x5ea8ff][dark as usize],
            Ink::Middle => [0x3a4350, 0xc3cad4][dark as usize],
            Ink::Faint => [0xc4cad3, 0x48505c][dark as usize],
            Ink::Trail => [0x9a7fc0, 0x9f86c9][dark as usize],
            Ink::LeftLit => [0xe8703f, 0xff9a70][dark as usize],
            Ink::LeftShade => [0xb5451d, 0xbc613c][dark as usize],
            Ink::RightLit => [0x4084d6, 0x6fb2ff][dark as usize],
            Ink::RightShade => [0x1b5499, 0x3d72b4][dark as usize],
            Ink::MiddleLit => [0xc6ccd5, 0xb4bdc9][dark as usize],
            Ink::MiddleShade => [0x939ca9, 0x7a838f][dark as usize],
            Ink::Eyes => [0x3a4350, 0x2c323b][dark as usize],
            Ink::LeftContact => [0xfbe9e2, 0x3a2a24][dark as usize],
            Ink::RightContact => [0xe3edf8, 0x202f42][dark as usize],
            Ink::Series(i) => [LIGHT, DARK][dark as usize][(i % SERIES) as usize],
        }
    }
}

/// All inks with the class names they have in SVG.
pub(crate) const INKS: [(Ink, &str); 23] = [
    (Ink::Text, "t"),
    (Ink::Muted, "m"),
    (Ink::Grid, "g"),
    (Ink::Left, "l"),
    (Ink::Right, "r"),
    (Ink::Middle, "c"),
    (Ink::Faint, "f"),
    (Ink::Trail, "w"),
    (Ink::LeftLit, "a"),
    (Ink::LeftShade, "as"),
    (Ink::RightLit, "d"),
    (Ink::RightShade, "ds"),
    (Ink::MiddleLit, "e"),
    (Ink::MiddleShade, "es"),
    (Ink::Eyes, "y"),
    (Ink::LeftContact, "kl"),
    (Ink::RightContact, "kr"),
    (Ink::Series(0), "s0"),
    (Ink::Series(1), "s1"),
    (Ink::Series(2), "s2"),
    (Ink::Series(3), "s3"),
    (Ink::Series(4), "s4"),
    (Ink::Series(5), "s5"),
];
