//! Finds rigid bodies among points that are not markers of the body: props that are held or stand around.

use std::sync::Arc;

use mocap_model::{
    Clip, FrameRate, Joint, JointTracks, Skeleton, Space, Track, UnitQuaternion, Vector3, slerp,
};
use nalgebra::{Matrix3, Rotation3};

use crate::SolveError;
use crate::body::State;
use crate::frame::{FrameSolver, rigid_fit};
use crate::report::{PropReport, Residual};
use crate::rigid::{self, Column};
use crate::subject::Subject;

/// A rigid body that is not worn on a limb.
#[derive(Clone, Debug)]
pub struct Prop {
    /// What the labels of its markers have in common, else `prop` and a number.
    pub name: String,
    /// Its motion, as one joint in the middle of its markers, in the space of the solved clip.
    pub clip: Clip,
    /// Its markers, and how rigid it is.
    pub report: PropReport,
}

/// Points nearer to a line than this do not determine a rotation about it [m].
const LEAST_WIDTH: f64 = 0.01;
/// Points that keep their place relative to a bone within this are worn on it [m]; skin moves as much.
const WORN: f64 = 0.03;
/// Points further from a joint than the length of its longest bone plus this are not worn on it
/// [m].
const REACH: f64 = 0.15;
/// A frame in which the points of a prop fit worse than this shows something else [m].
const FITS: f64 = 0.02;

/// The rigid bodies among `columns`, in the order of their labels.
pub(crate) fn find(
    columns: &[Column],
    (subject, states): (&Subject, &[State]),
    (space, rate): (&Space, FrameRate),
) -> Result<Vec<Prop>, SolveError> {
    let mut props: Vec<Prop> = Vec::new();
    for members in rigid::groups(columns) {
        let Some((shape, poses)) = placed(&members) else { continue };
        if is_worn(&members, subject, states) {
            continue;
        }
        let names: Vec<String> = members.iter().map(|column| column.name.clone()).collect();
        let name = rigid::common_name(&names).unwrap_or_else(|| format!("prop{}", props.len() + 1));
        let name = match props.iter().any(|other| other.name == name) {
            true => format!("{name}{}", props.len() + 1),
            false => name,
        };
        let distances: Vec<f64> = poses
            .iter()
            .enumerate()
            .filter_map(|(frame, pose)| Some((frame, (*pose)?)))
            .flat_map(|(frame, (turn, place))| {
                members.iter().zip(&shape).filter_map(move |(column, at)| {
                    Some((column.points[frame]? - (turn * at + place)).norm())
                })
            })
            .collect();
        let seen = poses.iter().flatten().count() as f64 / poses.len() as f64;
        let report =
            PropReport { name: name.clone(), markers: names, seen, residual: Residual::of(&distances) };
        let clip = clip(&name, &poses, subject.metres, space, rate)?;
        props.push(Prop { name, clip, report });
    }
    Ok(props)
}

type Placement = (UnitQuaternion<f64>, Vector3<f64>);
/// By frame; `None` where too few points are seen.
type Poses = Vec<Option<Placement>>;

/// The shape of a prop about its centre, in its own axes, and its pose by frame; `None` if its points are on a
/// line or never all seen.
fn placed(members: &[&Column]) -> Option<(Vec<Vector3<f64>>, Poses)> {
    let frames = members[0].points.len();
    let at = |frame: usize| -> Vec<Option<Vector3<f64>>> {
        members.iter().map(|column| column.points[frame]).collect()
    };
    let first = (0..frames).find(|frame| at(*frame).iter().all(Option::is_some))?;
    let mut shape: Vec<Vector3<f64>> = at(first).into_iter().flatten().collect();
    let mut poses = fitted(&shape, members, frames);
    // The mean over all frames has less noise than one.
    let mut sums = vec![(Vector3::zeros(), 0usize); members.len()];
    for (frame, pose) in poses.iter().enumerate() {
        let Some((turn, place)) = pose else { continue };
        for (sum, point) in sums.iter_mut().zip(at(frame)) {
            if let Some(point) = point {
                *sum = (sum.0 + turn.inverse() * (point - place), sum.1 + 1);
            }
        }
    }
    shape.iter_mut().zip(&sums).filter(|(_, sum)| sum.1 > 0).for_each(|(at, sum)| *at = sum.0 / sum.1 as f64);
    let middle = shape.iter().sum::<Vector3<f64>>() / shape.len() as f64;
    shape.iter_mut().for_each(|at| *at -= middle);
    // Its own axes: to the furthest point, and towards the one that is furthest from that line.
    let farthest = |shape: &[Vector3<f64>]| {
        let far = |at: &usize| shape[*at].norm_squared();
        (0..shape.len()).max_by(|a, b| far(a).total_cmp(&far(b)).then(b.cmp(a)))
    };
    let x = shape[farthest(&shape)?].try_normalize(1e-6)?;
    let across: Vec<Vector3<f64>> = shape.iter().map(|at| at - x * x.dot(at)).collect();
    let y = Some(across[farthest(&across)?]).filter(|y| y.norm() > LEAST_WIDTH)?.normalize();
    let axes = Rotation3::from_matrix_unchecked(Matrix3::from_columns(&[x, y, x.cross(&y)]));
    let axes = UnitQuaternion::from_rotation_matrix(&axes);
    shape.iter_mut().for_each(|at| *at = axes.inverse() * *at);
    poses = fitted(&shape, members, frames);
    Some((shape, poses))
}

/// The pose of a shape in each frame that shows at least three of its points in plausible places.
fn fitted(shape: &[Vector3<f64>], members: &[&Column], frames: usize) -> Vec<Option<Placement>> {
    (0..frames)
        .map(|frame| {
            let seen: Vec<_> = shape
                .iter()
                .zip(members)
                .filter_map(|(at, column)| Some((*at, column.points[frame]?, 1.0)))
                .collect();
            let (turn, place) = rigid_fit(&seen)?;
            let fits = seen.iter().all(|(from, to, _)| (to - (turn * from + place)).norm() < FITS);
            fits.then_some((turn, place))
        })
        .collect()
}

/// Whether a group keeps its place on one limb, close to its bone.
fn is_worn(members: &[&Column], subject: &Subject, states: &[State]) -> bool {
    let body = &subject.body;
    let step = states.len().div_ceil(rigid::SAMPLES).max(1);
    let mut solver = FrameSolver::new(body);
    // By joint and member: the places in its frame.
    let mut local: Vec<Vec<Vec<Vector3<f64>>>> = vec![vec![Vec::new(); members.len()]; body.joints.len()];
    for frame in (0..states.len()).step_by(step) {
        body.place(&states[frame], &mut solver.placed);
        for (joint, local) in local.iter_mut().enumerate() {
            let (turn, place) = (solver.placed.rotation[joint], solver.placed.position[joint]);
            for (column, local) in members.iter().zip(local) {
                local.extend(column.points[frame].map(|point| turn.tr_mul(&(point - place))));
            }
        }
    }
    local.iter().enumerate().any(|(joint, local)| {
        let children = body.joints.iter().filter(|other| other.parent == Some(joint));
        let length = children.map(|child| child.offset.norm()).fold(0.0, f64::max);
        local.iter().all(|places| {
            let Some(middle) = median(places) else { return false };
            let off: Vec<Vector3<f64>> = places.iter().map(|place| (place - middle).abs()).collect();
            let strays = median(&off).is_none_or(|off| off.norm() > WORN);
            !strays && middle.norm() < length + REACH
        })
    })
}

/// The median of each coordinate.
fn median(places: &[Vector3<f64>]) -> Option<Vector3<f64>> {
    if places.is_empty() {
        return None;
    }
    Some(Vector3::from_fn(|axis, _| {
        let mut values: Vec<f64> = places.iter().map(|place| place[axis]).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    }))
}

/// The motion of a prop, interpolated between the frames that show it.
fn clip(
    name: &str,
    poses: &[Option<Placement>],
    metres: f64,
    space: &Space,
    rate: FrameRate,
) -> Result<Clip, SolveError> {
    let seen: Vec<(usize, Placement)> =
        poses.iter().enumerate().filter_map(|(frame, pose)| Some((frame, (*pose)?))).collect();
    let whole: Vec<Placement> = (0..poses.len())
        .map(|frame| {
            let next = seen.partition_point(|(other, _)| *other < frame);
            let after = seen.get(next).or(seen.last());
            let before = next.checked_sub(1).and_then(|at| seen.get(at)).or(after);
            match (before, after) {
                (Some((from, a)), Some((to, b))) => {
                    let share =
                        if to > from { ((frame - from) as f64 / (to - from) as f64).min(1.0) } else { 0.0 };
                    (slerp(&a.0, &b.0, share), a.1.lerp(&b.1, share))
                }
                _ => (UnitQuaternion::identity(), Vector3::zeros()),
            }
        })
        .collect();
    let skeleton = Skeleton::new(name, *space, vec![Joint::new(name, None, Vector3::zeros())])?;
    let mut tracks: Vec<JointTracks> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    if let Some(rotation) = Track::from_samples(whole.iter().map(|pose| pose.0).collect()) {
        tracks[0].rotation = rotation;
    }
    tracks[0].translation = Track::from_samples(whole.iter().map(|pose| pose.1 / metres).collect());
    Ok(Clip::new(Arc::new(skeleton), rate, poses.len(), tracks)?)
}
