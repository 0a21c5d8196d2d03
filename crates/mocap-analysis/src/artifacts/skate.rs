//! Artifacts: skate over a whole clip, found as a speed that feet on the floor have in common.
//!
//! In a clean motion, a standing foot is at rest whatever the body does, and a swinging foot has another speed
//! in each step. So the speeds of feet near the floor form one cluster: at 0, or at the speed at which the
//! whole motion slides over its floor. The cluster is the mode of these speeds, in the space of the clip and in
//! the space of the heading (a motion whose travel was scaled skates along its heading). Contacts are not used:
//! a foot that skates is too fast for one.

use super::{Artifact, ArtifactKind};
use crate::lengths::LEG;
use crate::percentile::percentile;
use crate::{Foot, Lengths, feet_of};
use mocap_model::{Clip, ForwardKinematics, JointId, Role, UnitQuaternion, Vector3, swing_twist};

/// Common speeds up to this come from rolling feet or rough capture, for legs of an adult [m/s].
const LIMIT: f64 = 0.085;
/// Greatest speed that is considered, for legs of an adult [m/s]: faster feet swing.
const FASTEST: f64 = 2.0;
/// Speeds within this distance belong to one cluster, for legs of an adult [m/s].
const RADIUS: f64 = 0.04;
/// The cluster holds at least this share of the steps near the floor; below the speed beside it [m/s] the
/// larger share, because feet of dancers have slow speeds in common by chance.
const SHARE: f64 = 0.15;
const SHARE_OF_SLOW: (f64, f64) = (0.25, 0.15);
/// It lasts at least this long \[s\], for at least this many steps.
const TIME: f64 = 0.25;
const STEPS: usize = 6;
/// Steps at rest are at most this share of its steps.
const AT_REST: f64 = 0.6;
/// A point is near the floor below this height above its usual lowest one [leg lengths].
const NEAR: f64 = 0.06;
/// If the hips are lower than this above the lowest foot, the body does not stand [leg lengths].
const STANDS: f64 = 0.5;
/// The time of a step \[s\], as for teleports.
const STEP: f64 = 1.0 / 30.0;
/// Greatest numbers of candidates for the centre of the cluster, and of sampled steps.
const CANDIDATES: usize = 300;
const LOOKED_AT: usize = 4000;

/// The horizontal velocities of the points near the floor in one step [m/s for legs of an adult].
struct Step {
    frame: usize,
    speeds: Vec<(JointId, Vector3<f64>)>,
}

pub(super) fn find(clip: &Clip, lengths: &Lengths) -> Option<Artifact> {
    let feet = feet_of(clip.skeleton());
    let hips = clip.skeleton().with_role(Role::Hips)?;
    let spaces = steps(clip, &feet, hips, lengths);
    let clusters = spaces.iter().filter_map(|steps| Cluster::of(steps, clip.rate().fps()));
    // The space with the larger cluster; if equal, that of the clip.
    let cluster = clusters.reduce(|a, b| if b.share > a.share { b } else { a })?;
    let in_lengths = lengths.leg / LEG * lengths.factor;
    Some(Artifact {
        kind: ArtifactKind::Skate,
        frames: cluster.first..cluster.last + 1,
        joint: Some(cluster.joint),
        value: cluster.speed * in_lengths,
        limit: LIMIT * in_lengths,
    })
}

/// Steps near the floor, in the space of the clip and in the space of the hips' heading.
fn steps(clip: &Clip, feet: &[Foot], hips: JointId, lengths: &Lengths) -> [Vec<Step>; 2] {
    let (fps, frames) = (clip.rate().fps(), clip.frames());
    let up = clip.skeleton().space().up.vector();
    let mut points: Vec<JointId> = feet.iter().flat_map(|foot| [foot.ankle, foot.toe]).collect();
    points.dedup();
    let mut kinematics =
        ForwardKinematics::of_joints(clip, &points.iter().copied().chain([hips]).collect::<Vec<_>>());
    let mut paths: Vec<Vec<Vector3<f64>>> = vec![Vec::with_capacity(frames); points.len()];
    let mut headings: Vec<UnitQuaternion<f64>> = Vec::with_capacity(frames);
    let mut stands = Vec::with_capacity(frames);
    for frame in 0..frames {
        kinematics.place(frame);
        for (path, point) in paths.iter_mut().zip(&points) {
            path.push(kinematics.position(*point) / lengths.leg);
        }
        let placed = kinematics.at(hips);
        headings.push(swing_twist(&placed.rotation, &up).1);
        let lowest = paths.iter().map(|path| path[frame].dot(&up)).fold(f64::INFINITY, f64::min);
        stands.push(placed.translation.vector.dot(&up) / lengths.leg - lowest > STANDS);
    }
    let low = |path: &Vec<Vector3<f64>>| {
        percentile(&mut path.iter().map(|place| place.dot(&up)).collect::<Vec<_>>(), 0.05).unwrap_or(0.0)
            + NEAR
    };
    let low: Vec<f64> = paths.iter().map(low).collect();
    let lag = ((STEP * fps).round() as usize).max(1);
    let mut spaces = [Vec::new(), Vec::new()];
    for frame in lag..frames {
        let near = |i: &usize| [frame - lag, frame].iter().all(|at| paths[*i][*at].dot(&up) < low[*i]);
        if !(stands[frame] && stands[frame - lag]) {
            continue;
        }
        let speed = |i: usize| {
            let moved = (paths[i][frame] - paths[i][frame - lag]) * (LEG * fps / lag as f64);
            (points[i], moved - up * moved.dot(&up))
        };
        let speeds: Vec<_> = (0..points.len()).filter(near).map(speed).collect();
        if !speeds.is_empty() {
            let turned =
                |(point, speed): &(JointId, Vector3<f64>)| (*point, headings[frame].inverse() * speed);
            spaces[1].push(Step { frame, speeds: speeds.iter().map(turned).collect() });
            spaces[0].push(Step { frame, speeds });
        }
    }
    spaces
}

/// A cluster of speeds other than 0.
struct Cluster {
    speed: f64,
    share: f64,
    first: usize,
    last: usize,
    joint: JointId,
}

impl Cluster {
    fn of(steps: &[Step], fps: f64) -> Option<Cluster> {
        let every = steps.len().div_ceil(LOOKED_AT).max(1);
        let looked: Vec<&Step> = steps.iter().step_by(every).collect();
        let all: Vec<Vector3<f64>> =
            looked.iter().flat_map(|step| step.speeds.iter().map(|(_, speed)| *speed)).collect();
        let place = mode(&looked, &all)?;
        let share = share_near(&looked, &place);
        let members: Vec<&Step> =
            steps.iter().filter(|step| step.speeds.iter().any(|(_, speed)| near(speed, &place))).collect();
        let lasts = members.len() as f64 / fps >= TIME && members.len() >= STEPS;
        let moves = place.norm() > LIMIT && share_near(&looked, &Vector3::zeros()) <= AT_REST * share;
        let enough = if place.norm() < SHARE_OF_SLOW.1 { SHARE_OF_SLOW.0 } else { SHARE };
        if !(lasts && moves && share >= enough) {
            return None;
        }
        let of_members =
            members.iter().flat_map(|step| &step.speeds).filter(|(_, speed)| near(speed, &place));
        let mut joints: Vec<JointId> = of_members.map(|(joint, _)| *joint).collect();
        joints.sort();
        let joint = joints.chunk_by(|a, b| a == b).max_by_key(|group| group.len())?[0];
        let (first, last) = (members[0].frame, members[members.len() - 1].frame);
        Some(Cluster { speed: place.norm(), share, first, last, joint })
    }
}

/// The mode of the speeds: the best candidate among them, then the mean around it.
fn mode(steps: &[&Step], all: &[Vector3<f64>]) -> Option<Vector3<f64>> {
    let every = all.len().div_ceil(CANDIDATES).max(1);
    let slow = all.iter().step_by(every).filter(|speed| speed.norm() < FASTEST);
    let best =
        slow.map(|speed| (share_near(steps, speed), *speed)).reduce(|a, b| if b.0 > a.0 { b } else { a });
    let mut place = best?.1;
    for _ in 0..5 {
        let around: Vec<&Vector3<f64>> = all.iter().filter(|speed| near(speed, &place)).collect();
        if around.is_empty() {
            break;
        }
        place = around.iter().copied().sum::<Vector3<f64>>() / around.len() as f64;
    }
    Some(place)
}

fn near(speed: &Vector3<f64>, place: &Vector3<f64>) -> bool {
    (speed - place).norm() < RADIUS
}

/// Share of the steps with a speed near `place`.
fn share_near(steps: &[&Step], place: &Vector3<f64>) -> f64 {
    let has = |step: &&&Step| step.speeds.iter().any(|(_, speed)| near(speed, place));
    steps.iter().filter(has).count() as f64 / steps.len().max(1) as f64
}
