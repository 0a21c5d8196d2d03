//! Solids between joints, of which pictures draw bodies.

use crate::stage::Site;

/// The direction along which a solid is wide.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Across {
    /// The cross-section is a circle.
    Round,
    /// From the second place to the first.
    Pair([usize; 2]),
    /// Across the plane of three places.
    Plane([usize; 3]),
    /// Interpolated between two pairs, by these shares at the ends, 0 to 1.
    Between { pairs: [[usize; 2]; 2], at: [f64; 2] },
}

/// The shape of a solid's sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Capsule,
    Cylinder,
    Box,
}

/// A solid between two places (joints or sites).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solid {
    pub ends: [usize; 2],
    /// Half the width at both ends [units of the clip].
    pub radii: [f64; 2],
    /// Depth over width.
    pub depth: f64,
    pub across: Across,
    pub form: Form,
    /// Whether it is a head, with a dark band at the eyes.
    pub face: bool,
    /// The joint whose side, speed and error colour it.
    pub joint: usize,
}

/// The solids of a body, and sites in addition to the joints.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Body {
    pub sites: Vec<Site>,
    pub solids: Vec<Solid>,
}

/// A capsule with round cross-sections.
pub(crate) fn round(from: usize, to: usize, radii: [f64; 2]) -> Solid {
    let (across, form) = (Across::Round, Form::Capsule);
    Solid { ends: [from, to], radii, depth: 1.0, across, form, face: false, joint: to }
}
