//! Coordinate axes, plain and signed.

use nalgebra::{Unit, Vector3};
use std::fmt;
use std::str::FromStr;

/// One of the three coordinate axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Axis {
    /// The first axis.
    X,
    /// The second axis.
    Y,
    /// The third axis.
    Z,
}

impl Axis {
    /// All three, in order.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    /// 0 for X, 1 for Y, 2 for Z.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The unit vector along the axis.
    pub fn unit(self) -> Unit<Vector3<f64>> {
        match self {
            Axis::X => Vector3::x_axis(),
            Axis::Y => Vector3::y_axis(),
            Axis::Z => Vector3::z_axis(),
        }
    }

    /// The upper-case letter of the axis.
    pub const fn letter(self) -> char {
        match self {
            Axis::X => 'X',
            Axis::Y => 'Y',
            Axis::Z => 'Z',
        }
    }

    /// The axis of a letter in either case.
    pub const fn from_letter(letter: char) -> Option<Axis> {
        match letter {
            'x' | 'X' => Some(Axis::X),
            'y' | 'Y' => Some(Axis::Y),
            'z' | 'Z' => Some(Axis::Z),
            _ => None,
        }
    }
}

/// A coordinate axis with a direction, as in "Y is up" or "-Z is forward".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SignedAxis {
    /// The axis.
    pub axis: Axis,
    /// Whether the direction is against the axis.
    pub negative: bool,
}

impl SignedAxis {
    /// The direction of +X.
    pub const X: SignedAxis = SignedAxis { axis: Axis::X, negative: false };
    /// The direction of +Y.
    pub const Y: SignedAxis = SignedAxis { axis: Axis::Y, negative: false };
    /// The direction of +Z.
    pub const Z: SignedAxis = SignedAxis { axis: Axis::Z, negative: false };

    /// +1 or -1.
    pub const fn sign(self) -> f64 {
        if self.negative { -1.0 } else { 1.0 }
    }

    /// The unit vector in this direction.
    pub fn vector(self) -> Vector3<f64> {
        self.axis.unit().into_inner() * self.sign()
    }
}

impl fmt::Display for SignedAxis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.negative { "-" } else { "" }, self.axis.letter())
    }
}

impl FromStr for SignedAxis {
    type Err = String;

    /// Reads `Y`, `+y` or `-Z`.
    fn from_str(text: &str) -> Result<SignedAxis, String> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let mut letters = rest.chars();
        match (letters.next().and_then(Axis::from_letter), letters.next()) {
            (Some(axis), None) => Ok(SignedAxis { axis, negative }),
            _ => Err(format!("'{text}' is not an axis: X, Y or Z, with - for the opposite direction")),
        }
    }
}
