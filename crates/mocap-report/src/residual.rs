//! Distances of markers from their positions on a body.

use crate::difference::{Difference, Measure, same_time};
use crate::stage::{Place, Stage, evenly_spaced};
use mocap_model::{Pose, UnitQuaternion, Vector3};

/// Number of frames from which the positions of markers on a body are found.
const SAMPLES: usize = 200;
/// Number of frames from which the orientation between markers and a body is found.
const FEW_SAMPLES: usize = 20;
/// Least number of frames for both.
const FEWEST_FRAMES: usize = 3;

/// A joint on the stage.
type Frame = (UnitQuaternion<f64>, Vector3<f64>);

/// Distances of the markers of a cloud from their positions on a body; `None` if the stages are not a body and a
/// cloud. Each marker is attached to the joint in whose frame it moves least, at its median position there, so
/// only the motion and the recording are needed.
pub(crate) fn residuals(body: &Stage<'_>, cloud: &Stage<'_>) -> Option<Difference> {
    let markers = cloud.clip.skeleton().len();
    if body.bones.is_empty()
        || cloud.points() != "marker"
        || body.clip.frames() < FEWEST_FRAMES
        || cloud.clip.frames() < FEWEST_FRAMES
    {
        return None;
    }
    let joints = Joints::of(body);
    // By marker and joint: its places.
    let mut seen = vec![Vec::new(); markers * joints.used.len()];
    let mut frames = Vec::new();
    cloud.walk(evenly_spaced(cloud.clip.frames(), SAMPLES), |frame, places| {
        joints.at(body, same_time(cloud.clip, frame, body.clip), &mut frames);
        for (marker, place) in places[..markers].iter().enumerate() {
            for (joint, frame) in frames.iter().enumerate() {
                seen[marker * joints.used.len() + joint].push(local(frame, place));
            }
        }
    });
    let attached: Vec<(usize, Vector3<f64>)> = seen
        .chunks_exact(joints.used.len())
        .map(|places| {
            let found = places.iter().enumerate().map(|(joint, places)| {
                let middle = median(places.iter().copied());
                let off: Vec<f64> = places.iter().map(|place| (place - middle).norm()).collect();
                (typical(off), joint, middle)
            });
            let best = found.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            best.map_or((0, Vector3::zeros()), |(_, joint, middle)| (joint, middle))
        })
        .collect();
    let mut values = Vec::with_capacity(cloud.frames() * markers);
    cloud.walk(0..cloud.frames(), |frame, places| {
        joints.at(body, same_time(cloud.clip, frame, body.clip), &mut frames);
        values.extend(places[..markers].iter().zip(&attached).map(|(place, (joint, middle))| {
            let (turn, at) = &frames[*joint];
            (Vector3::from(*place) - (turn * middle + at)).norm() as f32
        }));
    });
    Some(Difference { measure: Measure::Residual, joints: (0..markers).collect(), values })
}

/// The number of quarter turns about the vertical that bring markers onto a body: 0 unless they halve the
/// distance from its joints. A take states its up axis but not its forward axis, and a body that was solved onto
/// a skeleton has the axes of that skeleton. 0 if the stages are not a body and a cloud.
pub(crate) fn quarters_onto(body: &Stage<'_>, cloud: &Stage<'_>) -> usize {
    if body.bones.is_empty() || cloud.points() != "marker" || cloud.clip.frames() == 0 {
        return 0;
    }
    let markers = cloud.clip.skeleton().len();
    let joints = Joints::of(body);
    let mut frames = Vec::new();
    let mut off: [Vec<f64>; 4] = Default::default();
    cloud.walk(evenly_spaced(cloud.clip.frames(), FEW_SAMPLES), |frame, places| {
        joints.at(body, same_time(cloud.clip, frame, body.clip), &mut frames);
        for place in &places[..markers] {
            let [mut right, up, mut forward] = *place;
            for off in &mut off {
                let at = Vector3::new(right, up, forward);
                let nearest = frames.iter().map(|(_, joint)| (joint - at).norm_squared());
                off.push(nearest.fold(f64::INFINITY, f64::min).sqrt());
                (right, forward) = (forward, -right);
            }
        }
    });
    let off = off.map(typical);
    let best = (0..4).fold(0, |best, next| if off[next] < off[best] { next } else { best });
    if 2.0 * off[best] < off[0] { best } else { 0 }
}

/// The joints of a body to which markers may be attached.
struct Joints {
    used: Vec<usize>,
}

impl Joints {
    fn of(body: &Stage<'_>) -> Joints {
        let inside = body.in_body();
        Joints { used: (0..inside.len()).filter(|joint| inside[*joint]).collect() }
    }

    fn at(&self, body: &Stage<'_>, frame: usize, frames: &mut Vec<Frame>) {
        let skeleton = body.clip.skeleton();
        let (mut local, mut object) = (Pose::rest(skeleton), Pose::default());
        body.clip.local_pose(frame, &mut local);
        local.to_object(skeleton, &mut object);
        frames.clear();
        frames.extend(self.used.iter().map(|joint| {
            let joint = &object.joints[*joint];
            (body.turn(&joint.rotation), Vector3::from(body.place(&joint.translation.vector)))
        }));
    }
}

fn local((turn, at): &Frame, place: &Place) -> Vector3<f64> {
    turn.inverse() * (Vector3::from(*place) - at)
}

fn median(places: impl Iterator<Item = Vector3<f64>> + Clone) -> Vector3<f64> {
    Vector3::from_fn(|axis, _| typical(places.clone().map(|place| place[axis]).collect()))
}

/// The median.
fn typical(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
