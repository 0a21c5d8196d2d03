//! Live Link Face CSV: the shapes of a face over time, as telephones record them, with the rotations of head and eyes.
//!
//! A row is a frame: its time code, the number of values, a weight of each shape of ARKit, and in one of the two dialects
//! yaw, pitch and roll of the head and of both eyes \[rad\]. Names are in camel case or in capitals, and the sides in
//! either order. In a clip the shapes are numbers over time with the names of ARKit, and the rotations are those of the
//! joints `Head`, `LeftEye` and `RightEye`: yaw about Y, then pitch about X, then roll about Z.
//!
//! Time codes decide the frame of a row: frames that the telephone dropped are interpolated, with a warning. The time
//! code of the first frame becomes an event of the clip, `timecode HH:MM:SS:FF@RATE`, from which the writer restores the
//! time codes.
//!
//! Based on: Epic Games, "Live Link Face" (documentation of its CSV), 2020; Apple, "ARFaceAnchor", 2017.

mod format;
mod parse;
mod problem;
mod timecode;
mod write;

pub use parse::{Options, parse};
pub use problem::Problem;
pub use write::write;

pub(crate) use format::FORMAT;

use mocap_model::{Axis, EulerOrder};

/// The columns before the shapes.
const LEAD: [&str; 2] = ["Timecode", "BlendShapeCount"];
/// The joints whose rotations follow the shapes.
const JOINTS: [&str; 3] = ["Head", "LeftEye", "RightEye"];
/// The angles of a joint, in the order of the columns.
const ANGLES: [&str; 3] = ["Yaw", "Pitch", "Roll"];
/// The axes of yaw, pitch and roll.
const ORDER: [Axis; 3] = [Axis::Y, Axis::X, Axis::Z];

fn order() -> EulerOrder {
    EulerOrder::new(ORDER).expect("no axis stands beside itself")
}
