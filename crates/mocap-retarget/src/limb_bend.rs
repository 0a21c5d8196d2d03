//! Bend axes of knees and elbows: the axis of the pose, blended with the usual axis where the limb is almost
//! straight.
//!
//! Bones are vectors from the knee or elbow: `above` to the first joint of the limb, `below` to its tip.

use mocap_model::Vector3;

/// Weight of the usual axis beside the axis of the pose, whose length is the sine of the bend: at a bend of three
/// degrees both count the same, and for a straight limb only the usual one is left.
const USUAL: f64 = 0.05;
/// A limb hyperextended by more than this keeps its axis: the pose is taken as intended (sine).
pub(crate) const OVERSTRETCHED: f64 = 0.25;

/// The axis across the bend of a pose, with the sine of the bend as its length, and the axis to bend about, of
/// any length. `lengths` is the product of the bones' lengths, `bend` the usual axis.
#[inline(always)]
pub(crate) fn bend_axes(
    above: &Vector3<f64>,
    below: &Vector3<f64>,
    lengths: f64,
    bend: &Vector3<f64>,
) -> [Vector3<f64>; 2] {
    let posed = below.cross(above) / lengths.max(f64::MIN_POSITIVE);
    // Only the part of the usual axis that is perpendicular to the limb: a rotation about the limb's own line
    // changes no distance.
    let line = below - above;
    let bend = bend - line * (bend.dot(&line) / line.norm_squared().max(f64::MIN_POSITIVE));
    // A slightly hyperextended limb counts as straight.
    let wrong = posed.dot(&bend);
    let straight = (wrong < 0.0) & (posed.norm_squared() < OVERSTRETCHED * OVERSTRETCHED);
    let posed = if straight { posed - bend * wrong } else { posed };
    [posed, posed + bend * USUAL]
}

/// Whether a limb is flipped: bent against its bend axis by more than the given sine. `squares` is the product of
/// the squared lengths of its bones.
#[inline(always)]
pub(crate) fn bends_back(
    above: &Vector3<f64>,
    below: &Vector3<f64>,
    squares: f64,
    bend: &Vector3<f64>,
    sine: f64,
) -> bool {
    let along = below.cross(above).dot(bend);
    (along < 0.0) & (along * along > sine * sine * squares)
}
