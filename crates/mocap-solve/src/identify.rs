//! Identifies points without labels: which marker of a set each point is.
//!
//! A body with the markers of the table is rotated and bent until its markers are near the points of a frame;
//! points and markers are paired anew after each step. Then several frames decide together, since a point is
//! the same marker in all of them. The pairing is accepted only if points of one segment keep their distances
//! (A. Kirk, J. O'Brien, D. Forsyth, "Skeletal Parameter Estimation from Optical Motion Capture Data", 2005).

use mocap_model::{Role, Vector3, exp};

use crate::assign::assign;
use crate::body::State;
use crate::frame::{FrameOptions, FrameSolver, Observed};
use crate::marker_set::{Landmark, MarkerSets};
use crate::start;
use crate::subject::Subject;

/// Headings that are tried.
const HEADINGS: usize = 12;
/// Number of frames that are tried as the first one, and of frames that decide together.
const STARTS: usize = 3;
const FRAMES: usize = 12;
/// Widths of the robust loss in the steps of a search, first to last [m].
const WIDTHS: [f64; 9] = [0.5, 0.4, 0.3, 0.25, 0.2, 0.2, 0.15, 0.15, 0.12];
/// Number of these widths after which the worst starts are dropped.
const FIRST_WIDTHS: usize = 3;
/// Number of starts that are continued to the end.
const FOLLOWED: usize = 6;
/// A point further from a marker than this is another one [m].
const FAR: f64 = 0.2;
/// A set fits if at least this share of its markers have points, and of the points have markers.
const COVERED: f64 = 0.85;
/// The largest median distance between points and markers of a body that is not calibrated [m].
const MOST_OFF: f64 = 0.07;
/// Points of one segment keep their distances: the median deviation is within the first value [m], for at least
/// the second as a share of the pairs.
const CONSTANT: (f64, f64) = (0.012, 0.85);
/// The height of a body of the table with its markers [m].
const HEIGHT: f64 = 1.72;

/// Points of a recording [m], Y up.
pub(crate) struct Points<'a> {
    pub(crate) frames: usize,
    pub(crate) count: usize,
    /// `frames × points`.
    pub(crate) places: &'a [Option<Vector3<f64>>],
}

impl Points<'_> {
    fn at(&self, frame: usize, point: usize) -> Option<Vector3<f64>> {
        self.places[frame * self.count + point]
    }

    fn seen(&self, frame: usize) -> Vec<Observed> {
        (0..self.count).filter_map(|point| Some((point, self.at(frame, point)?))).collect()
    }
}

/// Points with their markers.
type Pairs = Vec<(usize, usize)>;

/// The result of identification.
pub(crate) struct Identified {
    /// The set whose markers they are.
    pub(crate) set: String,
    /// A point, and its label and landmark.
    pub(crate) pairs: Vec<(usize, String, Landmark)>,
}

/// The marker of each point, by the set that fits best; `None` where none fits.
pub(crate) fn identify(points: &Points<'_>, sets: &MarkerSets, only: Option<&str>) -> Option<Identified> {
    let frames = fullest(points);
    let height = height(points, &frames)?;
    let mut best: Option<(f64, &str, Subject, Pairs)> = None;
    for set in sets.names().filter(|set| only.is_none_or(|only| only == *set)) {
        let Some(labelled) = sets.only(set) else { continue };
        let (wanted, seen) = (labelled.len() as f64, points.count as f64);
        if seen < COVERED * wanted || wanted < COVERED * seen {
            continue;
        }
        let landmarks: Vec<Landmark> = labelled.iter().map(|(_, landmark)| landmark.clone()).collect();
        for size in [0.95, 1.05] {
            let Ok(subject) = Subject::made(size * height / HEIGHT, &landmarks, None) else { continue };
            let Some((off, pairs)) = pairing(&subject, points, &frames) else { continue };
            let covered = pairs.len() as f64 >= COVERED * wanted.max(seen);
            if covered
                && is_rigid(points, &pairs, &landmarks)
                && best.as_ref().is_none_or(|best| off < best.0)
            {
                best = Some((off, set, subject, pairs));
            }
        }
    }
    let (_, set, subject, pairs) = best.filter(|best| best.0 < MOST_OFF)?;
    let pairs = within_segments(&subject, points, &frames, pairs);
    let labelled = sets.only(set)?;
    let named = |(point, at): (usize, usize)| (point, labelled[at].0.clone(), labelled[at].1.clone());
    Some(Identified { set: set.to_owned(), pairs: pairs.into_iter().map(named).collect() })
}

/// Frames that show the most, spread over the recording.
fn fullest(points: &Points<'_>) -> Vec<usize> {
    let blocks = FRAMES.min(points.frames);
    (0..blocks)
        .filter_map(|block| {
            let range = block * points.frames / blocks..(block + 1) * points.frames / blocks;
            let step = range.len().div_ceil(20).max(1);
            range.step_by(step).max_by_key(|frame| (points.seen(*frame).len(), usize::MAX - frame))
        })
        .collect()
}

/// Median over frames of the vertical extent of all points [m]; `None` if it is implausible for a
/// body.
fn height(points: &Points<'_>, frames: &[usize]) -> Option<f64> {
    let mut heights: Vec<f64> = frames
        .iter()
        .filter_map(|frame| {
            let seen = points.seen(*frame);
            let ups = || seen.iter().map(|(_, place)| place.y);
            Some(ups().reduce(f64::max)? - ups().reduce(f64::min)?)
        })
        .collect();
    heights.sort_by(f64::total_cmp);
    heights.get(heights.len() / 2).copied().filter(|height| (0.6..2.6).contains(height))
}

/// Points with their markers, and the median distance between them [m].
fn pairing(subject: &Subject, points: &Points<'_>, frames: &[usize]) -> Option<(f64, Vec<(usize, usize)>)> {
    let mut solver = FrameSolver::new(&subject.body);
    let mut starts: Vec<(f64, usize, State)> = Vec::new();
    let every = frames.len().div_ceil(STARTS).max(1);
    for frame in frames.iter().step_by(every) {
        let seen = points.seen(*frame);
        for heading in 0..HEADINGS {
            let yaw = std::f64::consts::TAU * heading as f64 / HEADINGS as f64;
            for arms in [0.0, 1.3] {
                let mut state = started(subject, &mut solver, &seen, yaw, arms);
                let cost = follow(subject, &mut solver, &seen, &mut state, &WIDTHS[..FIRST_WIDTHS]);
                starts.push((cost, *frame, state));
            }
        }
    }
    starts.sort_by(|a, b| a.0.total_cmp(&b.0));
    starts.truncate(FOLLOWED);
    let mut best: Option<(f64, Vec<(usize, usize)>)> = None;
    for (_, frame, mut state) in starts {
        let seen = points.seen(frame);
        follow(subject, &mut solver, &seen, &mut state, &WIDTHS[FIRST_WIDTHS..]);
        let pairs = paired(subject, &mut solver, &seen, &state, FAR);
        let Some(found) = together(subject, &mut solver, points, frames, pairs) else { continue };
        if best.as_ref().is_none_or(|(off, _)| found.0 < *off) {
            best = Some(found);
        }
    }
    best
}

/// A pose with a heading and lowered arms, centred on the points.
fn started(subject: &Subject, solver: &mut FrameSolver, seen: &[Observed], yaw: f64, arms: f64) -> State {
    let mut state = subject.body.rest();
    state.turns[0] = exp(&(Vector3::y() * yaw));
    for (at, joint) in subject.body.joints.iter().enumerate() {
        match subject.skeleton.joints()[joint.source].role {
            Some(Role::LeftUpperArm) => state.turns[at] = exp(&(Vector3::z() * -arms)),
            Some(Role::RightUpperArm) => state.turns[at] = exp(&(Vector3::z() * arms)),
            _ => {}
        }
    }
    subject.body.place(&state, &mut solver.placed);
    let of_body = subject
        .attached
        .iter()
        .map(|attached| solver.placed.of(attached.joint, &attached.place))
        .sum::<Vector3<f64>>();
    let of_points = seen.iter().map(|(_, place)| place).sum::<Vector3<f64>>();
    state.translation = of_points / seen.len().max(1) as f64 - of_body / subject.attached.len().max(1) as f64;
    state
}

/// Pairs and solves alternately; returns the sum of squares, where distant points count with a constant.
fn follow(
    subject: &Subject,
    solver: &mut FrameSolver,
    seen: &[Observed],
    state: &mut State,
    widths: &[f64],
) -> f64 {
    for width in widths {
        let pairs = paired(subject, solver, seen, state, 2.0 * width);
        let marked: Vec<Observed> = pairs
            .iter()
            .filter_map(|(point, marker)| {
                let at = seen.iter().find(|(other, _)| other == point)?.1;
                Some((*marker, at))
            })
            .collect();
        let options = FrameOptions { scale: *width, tolerance: 1e-2 };
        solver.solve(&subject.body, &subject.attached, &marked, None, state, &options);
    }
    let pairs = paired(subject, solver, seen, state, FAR);
    let near: f64 = pairs
        .iter()
        .filter_map(|(point, marker)| {
            let at = seen.iter().find(|(other, _)| other == point)?.1;
            Some(
                (at - solver.placed.of(subject.attached[*marker].joint, &subject.attached[*marker].place))
                    .norm_squared(),
            )
        })
        .sum();
    near + (seen.len() - pairs.len()) as f64 * FAR * FAR
}

/// Points and markers that belong together in a frame, none farther than `far` [m].
fn paired(
    subject: &Subject,
    solver: &mut FrameSolver,
    seen: &[Observed],
    state: &State,
    far: f64,
) -> Vec<(usize, usize)> {
    subject.body.place(state, &mut solver.placed);
    let places: Vec<Vector3<f64>> =
        subject.attached.iter().map(|attached| solver.placed.of(attached.joint, &attached.place)).collect();
    let (rows, columns) = (seen.len(), places.len());
    let cost = |row: usize, column: usize| match places.get(column) {
        Some(place) => (seen[row].1 - place).norm_squared().min(far * far),
        None => far * far,
    };
    assign(rows, columns + rows, cost)
        .into_iter()
        .enumerate()
        .filter(|(row, column)| *column < columns && cost(*row, *column) < far * far)
        .map(|(row, column)| (seen[row].0, column))
        .collect()
}

/// The pairing on which several frames agree, and the median distance [m].
fn together(
    subject: &Subject,
    solver: &mut FrameSolver,
    points: &Points<'_>,
    frames: &[usize],
    mut pairs: Vec<(usize, usize)>,
) -> Option<(f64, Vec<(usize, usize)>)> {
    let columns = subject.attached.len();
    let mut off = f64::INFINITY;
    for _ in 0..4 {
        // By point and marker: the mean square in all frames.
        let mut sums = vec![0.0; points.count * columns];
        let mut counts = vec![0usize; points.count];
        let mut distances = Vec::new();
        for frame in frames {
            let marked: Vec<Observed> = pairs
                .iter()
                .filter_map(|(point, marker)| Some((*marker, points.at(*frame, *point)?)))
                .collect();
            let Some((state, _)) = start::cold(solver, &subject.body, &subject.attached, &marked, 0.15)
            else {
                continue;
            };
            subject.body.place(&state, &mut solver.placed);
            let places: Vec<Vector3<f64>> = subject
                .attached
                .iter()
                .map(|attached| solver.placed.of(attached.joint, &attached.place))
                .collect();
            distances.extend(marked.iter().map(|(marker, place)| (place - places[*marker]).norm()));
            for (point, place) in points.seen(*frame) {
                counts[point] += 1;
                for (marker, at) in places.iter().enumerate() {
                    sums[point * columns + marker] += (place - at).norm_squared().min(FAR * FAR);
                }
            }
        }
        if distances.is_empty() {
            return None;
        }
        distances.sort_by(f64::total_cmp);
        off = distances[distances.len() / 2];
        let mean = |point: usize, marker: usize| match marker < columns {
            true if counts[point] > 0 => sums[point * columns + marker] / counts[point] as f64,
            _ => FAR * FAR,
        };
        let next: Vec<(usize, usize)> = assign(points.count, columns + points.count, mean)
            .into_iter()
            .enumerate()
            .filter(|(point, marker)| *marker < columns && mean(*point, *marker) < FAR * FAR)
            .collect();
        if next == pairs {
            break;
        }
        pairs = next;
    }
    Some((off, pairs))
}

/// Greatest number of markers of a joint whose order is tried: 120 orders.
const MOST_ORDERED: usize = 5;
/// An order is tried if the root mean square difference of its distances from those of the points
/// is greater than that of the first order by less than this [m].
const ALIKE: f64 = 0.03;
/// Frames in which orders are compared.
const ORDER_FRAMES: usize = 4;

/// The pairing with the markers of each joint in the order that fits best. Four markers around a head also fit
/// if the head is turned by 90°, which no neck does.
fn within_segments(
    subject: &Subject,
    points: &Points<'_>,
    frames: &[usize],
    mut pairs: Vec<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let mut solver = FrameSolver::new(&subject.body);
    let every = frames.len().div_ceil(ORDER_FRAMES).max(1);
    let mut cost = |pairs: &[(usize, usize)]| -> f64 {
        let of_frame = |frame: &usize| {
            let marked: Vec<Observed> = pairs
                .iter()
                .filter_map(|(point, marker)| Some((*marker, points.at(*frame, *point)?)))
                .collect();
            let found = start::cold(&mut solver, &subject.body, &subject.attached, &marked, 0.15);
            found.map_or(f64::INFINITY, |(_, cost)| cost)
        };
        frames.iter().step_by(every).map(of_frame).sum()
    };
    let mut least = cost(&pairs);
    for joint in 0..subject.body.joints.len() {
        let own: Vec<usize> =
            (0..pairs.len()).filter(|at| subject.attached[pairs[*at].1].joint == joint).collect();
        if !(2..=MOST_ORDERED).contains(&own.len()) {
            continue;
        }
        let before = pairs.clone();
        let of_points = distances(&own.iter().map(|at| before[*at].0).collect::<Vec<_>>(), |a, b| {
            let found = frames
                .iter()
                .filter_map(|frame| Some((points.at(*frame, a)? - points.at(*frame, b)?).norm()));
            let found: Vec<f64> = found.collect();
            found.iter().sum::<f64>() / found.len().max(1) as f64
        });
        let markers: Vec<usize> = own.iter().map(|at| before[*at].1).collect();
        let differ = |order: &[usize]| -> f64 {
            let ordered: Vec<usize> = order.iter().map(|at| markers[*at]).collect();
            let place = |marker: usize| subject.attached[marker].place;
            let of_table = distances(&ordered, |a, b| (place(a) - place(b)).norm());
            let squares = of_points.iter().zip(&of_table).map(|(a, b)| (a - b) * (a - b));
            (squares.sum::<f64>() / of_points.len() as f64).sqrt()
        };
        let orders = orders(own.len());
        let most = differ(&orders[0]) + ALIKE;
        for order in orders.into_iter().skip(1).filter(|order| differ(order) < most) {
            let mut other = before.clone();
            own.iter().zip(&order).for_each(|(at, from)| other[*at].1 = before[own[*from]].1);
            let found = cost(&other);
            if found < least {
                (least, pairs) = (found, other);
            }
        }
    }
    pairs
}

/// Distances of all pairs of a few things.
fn distances(things: &[usize], between: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let pairs = things.iter().enumerate().flat_map(|(at, a)| things[at + 1..].iter().map(move |b| (*a, *b)));
    pairs.map(|(a, b)| between(a, b)).collect()
}

/// All permutations of `0..count`; the identity is the first.
fn orders(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        all = all
            .into_iter()
            .flat_map(|begun: Vec<usize>| {
                let left: Vec<usize> = (0..count).filter(|at| !begun.contains(at)).collect();
                left.into_iter().map(move |at| [begun.as_slice(), &[at]].concat())
            })
            .collect();
    }
    all
}

/// Whether points of one segment keep their distances.
fn is_rigid(points: &Points<'_>, pairs: &[(usize, usize)], landmarks: &[Landmark]) -> bool {
    let step = points.frames.div_ceil(100).max(1);
    let (mut constant, mut all) = (0usize, 0usize);
    for (at, (a, first)) in pairs.iter().enumerate() {
        for (b, second) in &pairs[at + 1..] {
            let [one, two] = [&landmarks[*first], &landmarks[*second]];
            if one.segment != two.segment || one.side != two.side && !crate::marker_set::on_trunk(one.segment)
            {
                continue;
            }
            let mut found: Vec<f64> = (0..points.frames)
                .step_by(step)
                .filter_map(|frame| Some((points.at(frame, *a)? - points.at(frame, *b)?).norm()))
                .collect();
            if found.is_empty() {
                continue;
            }
            found.sort_by(f64::total_cmp);
            let middle = found[found.len() / 2];
            let mut off: Vec<f64> = found.iter().map(|distance| (distance - middle).abs()).collect();
            off.sort_by(f64::total_cmp);
            all += 1;
            constant += usize::from(off[off.len() / 2] < CONSTANT.0);
        }
    }
    all > 0 && constant as f64 >= CONSTANT.1 * all as f64
}
