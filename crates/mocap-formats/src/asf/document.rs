//! What an ASF file says.

use mocap_model::Axis;
use std::fmt;

/// An Acclaim skeleton file. Angles are in the file's unit, lengths in its numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Lines before the first keyword, with their `#`.
    pub comments: Vec<String>,
    /// `:version`.
    pub version: Option<String>,
    /// `:name`.
    pub name: Option<String>,
    /// `:units`.
    pub units: Units,
    /// The lines of `:documentation`.
    pub documentation: Vec<String>,
    /// `:root`.
    pub root: Root,
    /// `:bonedata`, in the order of the file.
    pub bones: Vec<Bone>,
    /// `:hierarchy`, in the order of the file.
    pub hierarchy: Vec<Link>,
    /// Sections that are kept as text, such as `:skin`, in the order of the file.
    pub other: Vec<Section>,
}

/// The `:units` of a file; `None` if not stated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Units {
    /// `mass`.
    pub mass: Option<f64>,
    /// `length`: see [`AsfUnits`](super::AsfUnits) for what it means.
    pub length: Option<f64>,
    /// `angle`.
    pub angle: Option<AngleUnit>,
}

/// The unit of the angles of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AngleUnit {
    /// `deg`.
    Degrees,
    /// `rad`.
    Radians,
}

impl AngleUnit {
    /// Radians in one unit.
    pub fn radians(self) -> f64 {
        match self {
            AngleUnit::Degrees => 1f64.to_radians(),
            AngleUnit::Radians => 1.0,
        }
    }
}

/// A channel of a bone or of the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dof {
    /// `tx`, `ty`, `tz`: a translation along an axis.
    Translation(Axis),
    /// `rx`, `ry`, `rz`: a rotation about an axis.
    Rotation(Axis),
    /// `l`: the bone grows by this much along its direction.
    Length,
}

impl Dof {
    /// Reads `tx`, `RZ`, `l` and so on, in any case.
    pub fn from_word(word: &[u8]) -> Option<Dof> {
        match word {
            [b'l' | b'L'] => Some(Dof::Length),
            [kind, axis] => {
                let axis = Axis::from_letter(*axis as char)?;
                match kind {
                    b't' | b'T' => Some(Dof::Translation(axis)),
                    b'r' | b'R' => Some(Dof::Rotation(axis)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl fmt::Display for Dof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Dof::Translation(axis) => write!(f, "t{}", axis.letter().to_ascii_lowercase()),
            Dof::Rotation(axis) => write!(f, "r{}", axis.letter().to_ascii_lowercase()),
            Dof::Length => f.write_str("l"),
        }
    }
}

/// Three angles about fixed axes and the sequence in which they turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisAngles {
    /// The angles about X, Y, Z, whatever the sequence.
    pub angles: [f64; 3],
    /// The sequence: the first axis turns first.
    pub order: [Axis; 3],
}

impl Default for AxisAngles {
    fn default() -> AxisAngles {
        AxisAngles { angles: [0.0; 3], order: Axis::ALL }
    }
}

/// The `:root` of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Root {
    /// The channels of the root in an AMC file, in their order.
    pub order: Vec<Dof>,
    /// `orientation`, turned in the sequence of `axis`: the axes that the root's channels turn about.
    pub orientation: AxisAngles,
    /// Where the root is before its channels move it.
    pub position: [f64; 3],
}

/// One bone: it starts where its parent ends and turns about its start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bone {
    /// `id`, which nothing refers to.
    pub id: Option<String>,
    /// Unique in the file.
    pub name: String,
    /// From start to end at rest, in the axes of the file; one long.
    pub direction: [f64; 3],
    /// From start to end.
    pub length: f64,
    /// The axes that the bone's channels turn about.
    pub axis: AxisAngles,
    /// The channels of the bone in an AMC file, in their order.
    pub dofs: Vec<Dof>,
    /// Smallest and greatest value of each channel, in the order of `dofs`; may be too few or too many.
    pub limits: Vec<[f64; 2]>,
    /// `bodymass`.
    pub body_mass: Option<f64>,
    /// `cofmass`: where along the bone its centre of mass lies.
    pub centre_of_mass: Option<f64>,
}

/// A line of `:hierarchy`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The place of the parent in [`Document::bones`]; `None` for the root.
    pub parent: Option<usize>,
    /// The places of the children.
    pub children: Vec<usize>,
}

/// A section kept as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The keyword with its colon.
    pub keyword: String,
    /// The rest of the keyword's line and the lines below it.
    pub lines: Vec<String>,
}
