//! Plans how the centre of mass should move for a motion to be in balance: over the soles on the
//! floor, and in free fall in flight.
//!
//! The horizontal displacement of the centre of mass is small and smooth. It moves the ground point
//! of the centre, and changes the zero-moment point as that of an inverted pendulum (S. Kajita et
//! al., "Biped walking pattern generation by using preview control of zero-moment point", 2003),
//! with the filter and the differences by which the [`BalanceCurves`] of a motion are measured. The
//! unknown is a curve from which one kernel gives the displacement, and another the filtered
//! displacement. The convex problem over all frames is solved by the alternating direction method
//! of multipliers (S. Boyd et al., 2011), which alternates between a banded system and the nearest
//! points of the soles.

use std::ops::Range;

use mocap_model::Vector3;
use nalgebra::Vector2;

use crate::balance::bend_kernel;
use crate::bands::Bands;
use crate::kernel::{Kernel, Row};
use crate::low_pass::low_pass_kernels;
use crate::{BALANCE_CUTOFF, BalanceCurves, GRAVITY, Polygon};

/// Weight of the distance from the soles, against a metre of displacement.
const HOLD: f64 = 0.5;
/// Weight of free fall in flight [s²], against a metre of displacement.
const FALL: f64 = 2.0;
/// Zero-moment points are planned at most this often per second \[Hz\]: they contain nothing faster
/// than 6 Hz, and at higher rates the system of all frames has no exact solution in 64-bit numbers.
const FASTEST: f64 = 60.0;

/// What has to be over the soles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OverSoles {
    /// The ground point of the centre of mass: of what stands still.
    Centre,
    /// The zero-moment point: of what moves.
    ZeroMoment,
}

impl OverSoles {
    /// Weight of the acceleration of the displacement, against a metre of displacement \[s²\].
    fn smooth(self) -> f64 {
        match self {
            OverSoles::Centre => 0.02,
            // Soles change from frame to frame, and the filter smooths as well.
            OverSoles::ZeroMoment => 0.005,
        }
    }

    /// Rounds of the method.
    fn rounds(self) -> usize {
        match self {
            // Fewer leave the point up to 2 mm from where it has to be.
            OverSoles::Centre => 400,
            // It is planned again after each fit.
            OverSoles::ZeroMoment => 20,
        }
    }
}

/// What carries a motion, by frame: the soles that a point has to be over, or flight. Frames with
/// neither are carried by something else (swimming, hanging), or are out of balance on purpose
/// (walking).
#[derive(Clone, Debug, PartialEq)]
pub struct Support {
    /// By frame; empty where nothing has to be over them.
    pub soles: Vec<Polygon>,
    /// What has to be over them.
    pub over: OverSoles,
    /// How far inside their edge it has to be \[m\]; over their middle where they are narrower.
    pub inside: f64,
    /// Frames in flight.
    pub flights: Vec<Range<usize>>,
}

/// Horizontal displacements of the centre of mass that bring a motion into balance, one per frame
/// \[m\]. `centre` is the unfiltered centre of mass; in flight it then moves in a straight line.
/// With [`OverSoles::ZeroMoment`], add the displacements to `centre`; with [`OverSoles::Centre`],
/// add them to the centre of `curves`.
pub fn horizontal_displacement(
    curves: &BalanceCurves,
    centre: &[Vector3<f64>],
    support: &Support,
    fps: f64,
) -> Vec<Vector2<f64>> {
    let stride = match support.over {
        OverSoles::Centre => 1,
        OverSoles::ZeroMoment => (fps / FASTEST).ceil().max(1.0) as usize,
    };
    let frames: Vec<usize> = (0..support.soles.len()).step_by(stride).collect();
    let ways = Problem::of(curves, centre, support, &frames, fps / stride as f64).solve();
    let between = |frame: usize| {
        let before = ways[frame / stride];
        let after = ways.get(frame / stride + 1).unwrap_or(&before);
        before.lerp(after, (frame % stride) as f64 / stride as f64)
    };
    (0..support.soles.len()).map(between).collect()
}

/// The least-squares problem, by frame: rows that apply to the unknown curve, and what they should
/// give.
struct Problem {
    /// The displacement.
    way: Vec<Row>,
    /// Its second difference.
    bend: Vec<Row>,
    /// The displacement of the point that has to be over the soles.
    answer: Vec<Row>,
    /// The point that has to be over the soles; `None` where none has to be.
    point: Vec<Option<Vector2<f64>>>,
    /// Where it may be.
    inner: Vec<Polygon>,
    /// In flight: the second difference of the displacement with which the centre of mass moves in
    /// a straight line.
    fall: Vec<Option<Vector2<f64>>>,
    over: OverSoles,
    /// Squared frames per second.
    rate: f64,
}

impl Problem {
    fn of(
        curves: &BalanceCurves,
        centre: &[Vector3<f64>],
        support: &Support,
        frames: &[usize],
        fps: f64,
    ) -> Problem {
        let Support { soles, over, inside, flights } = support;
        let (rate, count) = (fps * fps, frames.len());
        let [filtered, way] = match over {
            OverSoles::Centre => [Kernel::one(), Kernel::one()],
            OverSoles::ZeroMoment => low_pass_kernels(BALANCE_CUTOFF, fps),
        };
        let difference = Kernel::new(vec![-2.0, 1.0]);
        let (bend, acceleration) = (way.then(&difference), filtered.then(&bend_kernel()));
        let answer = |(row, &frame): (usize, &usize)| match over {
            OverSoles::Centre => filtered.row(row, count),
            OverSoles::ZeroMoment => {
                let height = curves.centre[frame].z.max(0.05);
                let k = height / (GRAVITY + curves.acceleration[frame].z).max(2.0) * rate;
                filtered.plus(&acceleration, -k).row(row, count)
            }
        };
        let point = |frame: &usize| match over {
            _ if soles[*frame].is_empty() => None,
            OverSoles::Centre => Some(curves.centre[*frame].xy()),
            OverSoles::ZeroMoment => curves.zero_moment[*frame],
        };
        let path: Vec<Vector2<f64>> = frames.iter().map(|frame| centre[*frame].xy()).collect();
        let fall = |(row, frame): (usize, &usize)| {
            let flies = flights.iter().any(|flight| flight.contains(frame));
            flies.then(|| -difference.row(row, count).apply(&path))
        };
        Problem {
            way: (0..count).map(|row| way.row(row, count)).collect(),
            bend: (0..count).map(|row| bend.row(row, count)).collect(),
            answer: frames.iter().enumerate().map(answer).collect(),
            point: frames.iter().map(point).collect(),
            inner: frames.iter().map(|frame| soles[*frame].shrunk(*inside)).collect(),
            fall: frames.iter().enumerate().map(fall).collect(),
            over: *over,
            rate,
        }
    }

    /// The displacements.
    fn solve(&self) -> Vec<Vector2<f64>> {
        let frames = self.way.len();
        let [smooth, fall] = [self.over.smooth(), FALL].map(|weight| (weight * self.rate).powi(2));
        let rows = self.way.iter().chain(&self.bend).chain(&self.answer);
        let mut system = Bands::new(frames, rows.map(|row| row.weights.len()).max().unwrap_or(1));
        for frame in 0..frames {
            system.add(&self.way[frame], 1.0);
            system.add(&self.bend[frame], smooth);
            if self.point[frame].is_some() {
                system.add(&self.answer[frame], HOLD);
            } else if self.fall[frame].is_some() {
                system.add(&self.bend[frame], fall);
            }
        }
        system.factor();
        let nearest =
            |frame: usize| self.point[frame].map_or_else(Vector2::zeros, |at| self.inner[frame].nearest(&at));
        let mut goals: Vec<Vector2<f64>> = (0..frames).map(nearest).collect();
        let mut multipliers = vec![Vector2::<f64>::zeros(); frames];
        let mut curve = vec![Vector2::zeros(); frames];
        for _ in 0..self.over.rounds() {
            curve.fill(Vector2::zeros());
            for frame in 0..frames {
                if let Some(at) = self.point[frame] {
                    let wanted = (goals[frame] - at - multipliers[frame]) * HOLD;
                    self.answer[frame].add_to(&mut curve, &wanted);
                } else if let Some(bend) = self.fall[frame] {
                    self.bend[frame].add_to(&mut curve, &(bend * fall));
                }
            }
            system.solve(&mut curve);
            for frame in 0..frames {
                let Some(at) = self.point[frame] else { continue };
                let moved = at + self.answer[frame].apply(&curve);
                goals[frame] = self.inner[frame].nearest(&(moved + multipliers[frame]));
                multipliers[frame] += moved - goals[frame];
            }
        }
        self.way.iter().map(|way| way.apply(&curve)).collect()
    }
}

/// Vertical displacements of the centre of mass, one per frame \[m\]: with them, each flight is a
/// free fall between its heights in the frames before and after the flight. 0 in all other frames.
pub fn vertical_displacement(centre: &[Vector3<f64>], flights: &[Range<usize>], fps: f64) -> Vec<f64> {
    let mut higher = vec![0.0; centre.len()];
    for flight in flights {
        let (first, last) = (flight.start.saturating_sub(1), flight.end.min(centre.len() - 1));
        // A free fall needs two frames.
        if last <= first {
            continue;
        }
        let length = (last - first) as f64;
        for frame in first..=last {
            let at = (frame - first) as f64;
            let line = centre[first].z + (centre[last].z - centre[first].z) * at / length;
            let fallen = 0.5 * GRAVITY * at * (length - at) / (fps * fps);
            higher[frame] = line + fallen - centre[frame].z;
        }
    }
    higher
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Segment, low_pass};
    use mocap_model::Isometry3;
    use nalgebra::Matrix3;

    /// A mass that sways 80 cm above the floor, and its curves as they are measured of a robot.
    struct Swaying {
        centre: Vec<Vector3<f64>>,
        curves: BalanceCurves,
        fps: f64,
    }

    impl Swaying {
        /// Three seconds of a path.
        fn along(fps: f64, path: impl Fn(f64) -> Vector2<f64>) -> Swaying {
            let frames = (3.0 * fps) as usize;
            Swaying::at((0..frames).map(|frame| path(frame as f64 / fps)).collect(), fps)
        }

        fn at(path: Vec<Vector2<f64>>, fps: f64) -> Swaying {
            let axis = |axis: usize| {
                low_pass(&path.iter().map(|at| at[axis]).collect::<Vec<_>>(), BALANCE_CUTOFF, fps)
            };
            let [x, y] = [axis(0), axis(1)];
            let placed: Vec<_> =
                x.iter().zip(&y).map(|(x, y)| vec![Isometry3::translation(*x, *y, 0.8)]).collect();
            let segment = Segment { mass: 30.0, inertia: Matrix3::zeros() };
            let curves = BalanceCurves::of(&[segment], &placed, fps);
            Swaying { centre: path.iter().map(|at| Vector3::new(at.x, at.y, 0.8)).collect(), curves, fps }
        }

        fn aside(&self, support: &Support) -> Vec<Vector2<f64>> {
            horizontal_displacement(&self.curves, &self.centre, support, self.fps)
        }

        fn moved(&self, ways: &[Vector2<f64>]) -> Swaying {
            let path = self.centre.iter().zip(ways).map(|(centre, way)| centre.xy() + way);
            Swaying::at(path.collect(), self.fps)
        }

        /// Planned again from the result, as for robots.
        fn balanced(&self, support: &Support) -> Swaying {
            let first = self.moved(&self.aside(support));
            (1..4).fold(first, |now, _| now.moved(&now.aside(support)))
        }

        /// How far the zero-moment point is outside soles, by frame \[m\].
        fn outside(&self, soles: &[Polygon]) -> Vec<f64> {
            let points = self.curves.zero_moment.iter().map(|at| at.expect("it stands"));
            points.zip(soles).map(|(at, sole)| (-sole.margin(&at)).max(0.0)).collect()
        }

        fn furthest(&self, soles: &[Polygon]) -> f64 {
            self.outside(soles).into_iter().fold(0.0, f64::max)
        }
    }

    fn sole() -> Polygon {
        Polygon::around(&[[-0.1, -0.05], [0.1, -0.05], [0.1, 0.05], [-0.1, 0.05]].map(Vector2::from))
    }

    /// On one sole.
    fn standing(frames: usize) -> Support {
        Support {
            soles: vec![sole(); frames],
            over: OverSoles::ZeroMoment,
            inside: 0.02,
            flights: Vec::new(),
        }
    }

    #[test]
    fn a_centre_that_sways_too_far_is_drawn_over_the_sole() {
        // Also where the filter has nothing to do, and where not every frame is planned.
        for fps in [10.0, 30.0, 50.0, 120.0, 500.0, 1000.0] {
            let sways = |time: f64| Vector2::new(0.02 * (6.0 * time).sin(), 0.09 * (3.0 * time).sin());
            let found = Swaying::along(fps, sways);
            let support = standing(found.centre.len());
            assert!(found.furthest(&support.soles) > 0.1);
            let balanced = found.balanced(&support);
            let outside = balanced.furthest(&support.soles);
            assert!(outside < 0.01, "{fps}: {outside}");
            let ways = balanced.centre.iter().zip(&found.centre).map(|(a, b)| (a - b).norm());
            assert!(ways.fold(0.0, f64::max) < 0.12);
        }
    }

    #[test]
    fn steps_from_sole_to_sole_stand_as_they_are_measured() {
        // Soles that are 20 cm apart carry a body by turns, four times in three seconds.
        for (fps, turn) in [(30.0, 0.0), (30.0, 0.7), (60.0, 0.0)] {
            let turn = nalgebra::Rotation2::new(turn);
            let left = |time: f64| ((time * 4.0 / 3.0) as usize).is_multiple_of(2);
            let side = |time: f64| if left(time) { 0.1 } else { -0.1 };
            let found = Swaying::along(fps, |time| {
                turn * Vector2::new(0.0, 0.06 * (std::f64::consts::PI * time * 4.0 / 3.0).sin())
            });
            let sole = |frame: usize| {
                let corners = [[-0.1, -0.03], [0.1, -0.03], [0.1, 0.03], [-0.1, 0.03]].map(Vector2::from);
                Polygon::around(&corners.map(|at| turn * (at + Vector2::new(0.0, side(frame as f64 / fps)))))
            };
            let soles: Vec<Polygon> = (0..found.centre.len()).map(sole).collect();
            let support = Support { soles, inside: 0.01, ..standing(0) };
            let moved = found.balanced(&support);
            let outside = moved.outside(&support.soles);
            let off = outside.iter().filter(|outside| **outside > 0.02).count();
            assert!(off == 0, "{fps}: {off} of {}, {outside:.3?}", outside.len());
        }
    }

    #[test]
    fn a_centre_beside_the_sole_is_brought_over_it() {
        let found = Swaying::along(30.0, |_| Vector2::new(0.0, 0.09));
        let soles = (0..90).map(|frame| if frame < 60 { sole() } else { Polygon::default() });
        let support = Support { soles: soles.collect(), over: OverSoles::Centre, ..standing(0) };
        let ways = found.aside(&support);
        // The sole ends at 5 cm, and 2 cm inside it are asked for.
        assert!((ways[30] - Vector2::new(0.0, -0.06)).norm() < 1e-3, "{}", ways[30]);
        assert!(ways[89].norm() < 1e-3, "{}", ways[89]);
    }

    #[test]
    fn in_flight_the_centre_goes_straight_on() {
        for fps in [30.0, 60.0, 120.0, 200.0] {
            let found = Swaying::along(fps, |time| Vector2::new(0.3 * time, 0.03 * (6.0 * time).sin()));
            let frames = found.centre.len();
            let flight = (1.2 * fps) as usize..(1.6 * fps) as usize;
            let soles = (0..frames).map(|frame| {
                let ahead = Vector2::new(0.3 * frame as f64 / fps, 0.0);
                let corners = [[-0.1, -0.05], [0.1, -0.05], [0.1, 0.05], [-0.1, 0.05]].map(Vector2::from);
                match flight.contains(&frame) {
                    true => Polygon::default(),
                    false => Polygon::around(&corners.map(|at| at + ahead)),
                }
            });
            let support = Support { soles: soles.collect(), flights: vec![flight.clone()], ..standing(0) };
            let moved = found.moved(&found.aside(&support));
            // Accelerations over a twentieth of a second, such that planned frames are compared at all rates.
            let by = (fps / 20.0).round() as usize;
            let bend = |of: &Swaying, at: usize| {
                (of.centre[at + by] + of.centre[at - by] - of.centre[at] * 2.0).xy().norm() * 400.0
            };
            let most = |of: &Swaying| {
                (flight.start + by..flight.end - by).map(|at| bend(of, at)).fold(0.0, f64::max)
            };
            assert!(most(&found) > 0.5, "{fps}: {}", most(&found));
            assert!(most(&moved) < 0.05 * most(&found), "{fps}: {} of {}", most(&moved), most(&found));
        }
    }

    #[test]
    fn what_stands_stays() {
        let found = Swaying::along(30.0, |time| Vector2::new(0.01 * time.sin(), 0.0));
        assert!(found.aside(&standing(90)).iter().all(|way| way.norm() < 1e-3));
    }

    #[test]
    fn what_neither_stands_nor_flies_stays() {
        let sways = |time: f64| Vector2::new(0.02 * (6.0 * time).sin(), 0.09 * (3.0 * time).sin());
        let support = Support { soles: vec![Polygon::default(); 90], ..standing(90) };
        assert!(Swaying::along(30.0, sways).aside(&support).iter().all(|way| way.norm() < 1e-12));
    }

    #[test]
    fn a_short_motion_has_ways() {
        for frames in 0..12 {
            let found = Swaying::at(vec![Vector2::new(0.0, 0.09); frames], 30.0);
            let ways = found.aside(&standing(frames));
            assert_eq!(ways.len(), frames);
            assert!(ways.iter().all(|way| way.y < -0.01 && way.norm() < 0.1), "{frames}: {ways:?}");
        }
    }

    #[test]
    fn a_flight_of_one_frame_in_all_has_no_height() {
        assert_eq!(
            vertical_displacement(&[Vector3::new(0.0, 0.0, 0.8)], std::slice::from_ref(&(0..1)), 30.0),
            [0.0]
        );
    }

    #[test]
    fn a_jump_falls_freely() {
        let centre: Vec<Vector3<f64>> = (0..40).map(|_| Vector3::new(0.0, 0.0, 0.8)).collect();
        let flight = 10..22;
        let up = vertical_displacement(&centre, std::slice::from_ref(&flight), 30.0);
        let z = |frame: usize| centre[frame].z + up[frame];
        for frame in flight {
            let bend = (z(frame + 1) - 2.0 * z(frame) + z(frame - 1)) * 900.0;
            assert!((bend + GRAVITY).abs() < 1e-9, "{frame}: {bend}");
        }
        assert_eq!((up[8], up[30]), (0.0, 0.0));
    }
}
