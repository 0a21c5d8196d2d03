//! The curves of a motion: of a joint, of a number over time, of its balance.

use super::{Channel, PlotInput, Plotted};
use crate::balance::from_upright;
use crate::stage::Stage;
use mocap_analysis::{BodyBalance, metres_per_unit};
use mocap_model::{Axis, Clip, JointId, Vector3};
use nalgebra::Vector2;

/// A curve of an input.
pub(super) struct Line {
    pub(super) axis: Option<Axis>,
    /// The name of the plotted point, where an input has several.
    pub(super) point: Option<&'static str>,
    pub(super) values: Vec<f64>,
}

impl Line {
    /// Without an axis.
    fn plain(values: Vec<f64>) -> Line {
        Line { axis: None, point: None, values }
    }
}

/// The curves of an input; values that are not known are NaN.
pub(super) fn lines(input: &PlotInput<'_>, stage: &Stage<'_>, channel: Channel, metres: bool) -> Vec<Line> {
    let clip = input.clip;
    let unit = if metres { 1.0 } else { metres_per_unit(clip.skeleton()) };
    let joint = match input.of {
        Plotted::Joint(joint) => joint,
        Plotted::CentreOfMass(balance) => {
            let turn = from_upright(clip);
            let places: Vec<_> = balance.centre.iter().map(|place| turn * place / unit).collect();
            return moved(&places, channel, clip.rate().fps());
        }
        Plotted::Balance(balance) if channel == Channel::Margin => return margins(balance, unit),
        Plotted::Balance(balance) => return ground_points(clip, balance, unit),
        Plotted::Number(at) => {
            let track = clip.annotations().scalars.get(at);
            let value = |frame: usize| track.map_or(0.0, |track| track.values.at(frame));
            return vec![Line::plain((0..clip.frames()).map(value).collect())];
        }
    };
    if channel == Channel::Rotation {
        return rotation(clip, joint);
    }
    let scale = if metres { stage.scale } else { 1.0 };
    let places: Vec<_> = mocap_analysis::trajectory(clip, joint).iter().map(|place| place * scale).collect();
    moved(&places, channel, clip.rate().fps())
}

/// The curves of a place over time.
fn moved(places: &[Vector3<f64>], channel: Channel, fps: f64) -> Vec<Line> {
    let along = |axis: Axis| Line {
        axis: Some(axis),
        point: None,
        values: places.iter().map(|place| place[axis.index()]).collect(),
    };
    match channel {
        Channel::Speed => vec![Line::plain(speed(places, fps))],
        Channel::Rotation | Channel::Position | Channel::Margin => Axis::ALL.map(along).into(),
    }
}

/// The points on the floor that show the balance of a body, by name.
fn points(balance: &BodyBalance) -> [(&'static str, Vec<Option<Vector2<f64>>>); 3] {
    let curves = &balance.curves;
    [
        ("centre of mass", curves.centre.iter().map(|centre| Some(centre.xy())).collect()),
        ("extrapolated", curves.extrapolated.iter().copied().map(Some).collect()),
        ("zero-moment point", curves.zero_moment.clone()),
    ]
}

/// The distance of each inside the support polygon; negative outside.
fn margins(balance: &BodyBalance, unit: f64) -> Vec<Line> {
    let line = |(name, path): (&'static str, Vec<Option<Vector2<f64>>>)| {
        let margins = balance.margins(|frame| path.get(frame).copied().flatten());
        let values = margins.into_iter().map(|margin| margin.map_or(f64::NAN, |margin| margin / unit));
        Line { axis: None, point: Some(name), values: values.collect() }
    };
    points(balance).map(line).into()
}

/// The coordinates of each along the two horizontal axes of the clip.
fn ground_points(clip: &Clip, balance: &BodyBalance, unit: f64) -> Vec<Line> {
    let turn = from_upright(clip);
    let up = clip.skeleton().space().up.axis;
    let lines = points(balance).map(|(name, path)| {
        let level = Axis::ALL.into_iter().filter(|axis| *axis != up);
        let along = |axis: Axis| Line {
            axis: Some(axis),
            point: Some(name),
            values: path
                .iter()
                .map(|at| {
                    at.map_or(f64::NAN, |at| (turn * Vector3::new(at.x, at.y, 0.0))[axis.index()] / unit)
                })
                .collect(),
        };
        level.map(along).collect::<Vec<_>>()
    });
    lines.into_iter().flatten().collect()
}

/// The Euler angles \[deg\] of a joint in the sequence of its order, each frame near the one before.
fn rotation(clip: &Clip, joint: JointId) -> Vec<Line> {
    let order = clip.skeleton().joint(joint).dofs.order;
    let mut curves = vec![Vec::new(); 3];
    let mut previous = [0.0; 3];
    for frame in 0..clip.frames() {
        previous = order.angles_near(&clip.track(joint).rotation.at(frame), previous);
        for (curve, angle) in curves.iter_mut().zip(previous) {
            curve.push(angle.to_degrees());
        }
    }
    let line = |(axis, values)| Line { axis: Some(axis), point: None, values };
    order.axes().into_iter().zip(curves).map(line).collect()
}

/// By central differences, one-sided at the ends.
fn speed(places: &[Vector3<f64>], fps: f64) -> Vec<f64> {
    let last = places.len().saturating_sub(1);
    let at = |frame: usize| {
        let (from, to) = (frame.saturating_sub(1), (frame + 1).min(last));
        (places[to] - places[from]).norm() * fps / (to - from).max(1) as f64
    };
    (0..places.len()).map(at).collect()
}
