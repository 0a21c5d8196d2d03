//! C3D: the markers of an optical system, as biomechanics laboratories exchange them.
//!
//! Read with integers and floats of Intel, DEC and MIPS machines, names in LABELS, LABELS2 …, and more than 65,535
//! frames; written as Intel floats with a residual of -1 in gaps.
//!
//! Based on: Motion Lab Systems, "The C3D File Format User Guide", 2008.

mod analog;
mod format;
mod number;
mod parameters;
mod parse;
mod problem;
mod write;

pub use analog::{Analog, Channel, ForcePlate, analog};
pub use number::Processor;
pub use parse::{Options, parse};
pub use problem::Problem;

pub(crate) use format::FORMAT;

/// The metres in a unit that a file names.
pub(crate) fn metres(name: &str) -> Option<f64> {
    let name = name.trim().to_lowercase();
    let known = mocap_model::Unit::NAMED.iter().find(|(known, _)| *known == name).map(|(_, metres)| *metres);
    known.or(match name.as_str() {
        "meter" | "meters" | "metre" | "metres" => Some(1.0),
        "centimeters" | "centimetres" => Some(0.01),
        "millimeters" | "millimetres" | "millimeter" | "millimetre" => Some(0.001),
        "inch" | "inches" => Some(0.0254),
        "feet" | "foot" => Some(0.3048),
        _ => None,
    })
}
