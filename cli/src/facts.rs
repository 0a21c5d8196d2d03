//! What a file is, in numbers and words.

pub(crate) use mocap::UnitSummary as UnitFact;
use mocap_formats::Stated;
use mocap_formats::bvh::PositionMode;
use mocap_model::{Axis, FrameRate, Skeleton};
use serde::Serialize;

use crate::args::Reading;
use crate::diagnostic::{Diagnostic, Failure};
use crate::read::{Loaded, Outline};

/// What a file is. The names are those of the rows of `mocap info --json`.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct Facts {
    /// Without End Sites.
    pub(crate) joints: usize,
    pub(crate) end_sites: usize,
    pub(crate) channels: usize,
    pub(crate) frames: usize,
    /// [s]
    pub(crate) frame_time: Option<f64>,
    pub(crate) fps: Option<f64>,
    /// From the first frame to the last [s].
    pub(crate) duration: f64,
    pub(crate) unit: UnitFact,
    pub(crate) up: String,
    /// `add`, `replace` or `none`.
    pub(crate) position_channels: &'static str,
    pub(crate) rotation_orders: Vec<OrderFact>,
    /// The first one, where there are several.
    pub(crate) root: Option<String>,
    pub(crate) roots: usize,
}

/// How many joints list their rotations in an order.
#[derive(Debug, Serialize, schemars::JsonSchema)]
pub(crate) struct OrderFact {
    pub(crate) order: String,
    pub(crate) joints: usize,
}

impl Facts {
    /// Position channels in words.
    pub(crate) fn positions_text(&self) -> String {
        match self.position_channels {
            "add" => "added to the offset".into(),
            "replace" => "in place of the offset".into(),
            _ => "none".into(),
        }
    }
}

/// The facts about a file, and everything that was found while it was read.
pub(crate) fn of(loaded: &Loaded, reading: &Reading) -> Result<(Facts, Vec<Diagnostic>), Failure> {
    let stated = loaded.stated(reading);
    let Outline { skeleton, rate, warnings } = loaded.outline(reading)?;
    Ok((facts(&skeleton, rate, stated), warnings))
}

fn facts(skeleton: &Skeleton, rate: Option<FrameRate>, stated: Stated) -> Facts {
    let frames = stated.frames;
    let mut rotation_orders: Vec<OrderFact> = Vec::new();
    for joint in skeleton.joints().iter().filter(|joint| joint.dofs.rotation.contains(&true)) {
        let turning = joint.dofs.order.axes().into_iter().filter(|axis| joint.dofs.rotation[axis.index()]);
        let order: String = turning.map(Axis::letter).collect();
        match rotation_orders.iter_mut().find(|fact| fact.order == order) {
            Some(fact) => fact.joints += 1,
            None => rotation_orders.push(OrderFact { order, joints: 1 }),
        }
    }
    let end_sites = skeleton.joints().iter().filter(|joint| joint.end_site).count();
    let roots: Vec<_> = skeleton.roots().collect();
    Facts {
        joints: skeleton.len() - end_sites,
        end_sites,
        channels: stated.channels,
        frames,
        frame_time: stated.frame_time.or(rate.map(FrameRate::frame_time)),
        fps: rate.map(FrameRate::fps),
        duration: rate.map_or(0.0, |rate| frames.saturating_sub(1) as f64 * rate.frame_time()),
        unit: UnitFact::of(skeleton),
        up: skeleton.space().up.to_string(),
        position_channels: match stated.positions {
            None => "none",
            Some(PositionMode::Add) => "add",
            Some(PositionMode::Replace) => "replace",
        },
        rotation_orders,
        root: roots.first().map(|root| skeleton.joint(*root).name.clone()),
        roots: roots.len(),
    }
}

/// At most six digits after the point, no zeros at the end.
pub(crate) fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(120.0), "120");
        assert_eq!(short(30000.0 / 1001.0), "29.97003");
        assert_eq!(short(0.0), "0");
    }
}
