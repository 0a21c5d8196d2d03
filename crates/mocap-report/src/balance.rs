//! The balance of a body as a page draws it: centre of mass, points on the floor, soles.

use crate::stage::Stage;
use mocap_analysis::{BodyBalance, OffBalance, metres_per_unit};
use mocap_model::{Clip, UnitQuaternion, Vector3};
use nalgebra::Vector2;
use serde::Serialize;

/// By sample, on the stage.
#[derive(Serialize)]
pub(crate) struct BalanceData {
    /// The centre of mass: x, y (up), z of the stage.
    centre: Vec<[f64; 3]>,
    /// The extrapolated centre of mass on the floor: x and z of the stage.
    extrapolated: Vec<[f64; 2]>,
    /// The zero-moment point; `None` where nothing presses on the floor.
    zero_moment: Vec<Option<[f64; 2]>>,
    /// The corners of the soles on the floor, one after another.
    soles: Vec<Vec<[f64; 2]>>,
    /// 1 where the body is out of balance.
    off: Vec<u8>,
}

/// The balance of a motion whose page keeps every `step`-th frame.
pub(crate) fn balance_data(
    stage: &Stage<'_>,
    balance: &BodyBalance,
    (step, samples): (usize, usize),
) -> BalanceData {
    let turn = from_upright(stage.clip);
    let unit = metres_per_unit(stage.clip.skeleton());
    let place = |at: Vector3<f64>| {
        let [right, up, forward] = stage.place(&(turn * at / unit));
        [right, up + stage.floor, forward].map(|value| (value * 1e4).round() / 1e4)
    };
    let level = |at: &Vector2<f64>| {
        let [right, _, forward] = place(Vector3::new(at.x, at.y, 0.0));
        [right, forward]
    };
    let spans = balance.off_balance();
    let is_off = |frame: usize| {
        let time = frame as f64 / balance.fps;
        let within = |span: &OffBalance| (span.start - 1e-9..=span.end + 1e-9).contains(&time);
        u8::from(spans.iter().any(within))
    };
    let curves = &balance.curves;
    let frames =
        || (0..samples).map(|sample| sample * step).take_while(|frame| *frame < balance.centre.len());
    BalanceData {
        centre: frames().map(|frame| place(balance.centre[frame])).collect(),
        extrapolated: frames().map(|frame| level(&curves.extrapolated[frame])).collect(),
        zero_moment: frames().map(|frame| curves.zero_moment[frame].as_ref().map(level)).collect(),
        soles: frames().map(|frame| balance.soles[frame].corners().iter().map(level).collect()).collect(),
        off: frames().map(is_off).collect(),
    }
}

/// From Z up, the space of balance, to the axes of a clip.
pub(crate) fn from_upright(clip: &Clip) -> UnitQuaternion<f64> {
    mocap_model::rotation_between(&Vector3::z(), &clip.skeleton().space().up.vector())
}
