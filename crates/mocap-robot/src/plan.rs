//! The plan of a balanced motion: where its centre of mass has to be.
//!
//! Gravity does not go with size, so plans are those of the robot itself, in metres. The goals of the fit are on the robot
//! at reference size: their lengths over those of the robot itself are `factor`.

use mocap_analysis::{
    BALANCE_CUTOFF, BalanceCurves, BodyBalance, OverSoles, Polygon, Support, flights,
    horizontal_displacement, runs, vertical_displacement,
};
use mocap_model::FrameRate;
use nalgebra::{Point3, Vector2};

use crate::cost::Goal;

/// Distance from the edge of the soles at which the zero-moment point is planned \[m\], at reference size: the fitted
/// motion is not exact.
const INSIDE: f64 = 0.015;

/// The ends of a motion \[s\] at which the zero-moment point is not planned: a quarter of the shortest period that its
/// filter lets through. What comes before and after is not known, and continued without acceleration, so that the
/// point would be that of the centre of mass: a walk would have to begin and end as if it stood.
const UNKNOWN: f64 = 0.25 / BALANCE_CUTOFF;

/// The soles on the floor, and flights. In frames where no foot is held and the body does not fly, as when it
/// turns on a foot, the soles before and after are used; if there are none, the frame has neither. Nor have frames that
/// `rest` on other parts.
pub(crate) fn planned_support(
    goals: &[Goal],
    curves: &BalanceCurves,
    fps: FrameRate,
    rest: &[bool],
    factor: f64,
) -> Support {
    let corners = |goal: &Goal| -> Vec<Vector2<f64>> {
        goal.pins.iter().flatten().flatten().map(|pin| pin.coords.xy() / factor).collect()
    };
    let held: Vec<Vec<Vector2<f64>>> = goals.iter().map(corners).collect();
    let mut soles: Vec<Polygon> = held.iter().map(|held| Polygon::around(held)).collect();
    soles.iter_mut().zip(rest).filter(|(_, rests)| **rests).for_each(|(sole, _)| *sole = Polygon::default());
    let contact: Vec<bool> = held.iter().zip(rest).map(|(held, rests)| !held.is_empty() || *rests).collect();
    let flights = flights(&contact, &curves.acceleration, fps.fps());
    let free: Vec<bool> = contact.iter().map(|contact| !contact).collect();
    for run in runs(&free) {
        let flight = flights.iter().find(|flight| run.contains(&flight.start)).cloned();
        let [before, behind] = [run.start.checked_sub(1), Some(run.end).filter(|end| *end < held.len())]
            .map(|end| end.map_or(&[][..], |end| &held[end]));
        for frame in run {
            // Take-off and landing are on one foot.
            soles[frame] = match &flight {
                Some(flight) if flight.contains(&frame) => continue,
                Some(flight) if frame < flight.start => Polygon::around(before),
                Some(_) => Polygon::around(behind),
                None => Polygon::around(&[before, behind].concat()),
            };
        }
    }
    let unknown = ((UNKNOWN * fps.fps()) as usize).max(1);
    // A pose alone stands still.
    if soles.len() > 2 * unknown {
        soles[..unknown].fill(Polygon::default());
        let last = soles.len() - unknown;
        soles[last..].fill(Polygon::default());
    }
    Support { soles, over: OverSoles::ZeroMoment, inside: INSIDE / factor, flights }
}

/// Sets the goals of the centre of mass for a balanced motion. Horizontally the planned way is added to the unfiltered
/// centre of mass, because the plan filters their sum. The height is added to the filtered centre of mass, which is
/// also used to detect flights.
pub(crate) fn aim(
    goals: &mut [Goal],
    found: &BodyBalance,
    support: &Support,
    fps: FrameRate,
    rest: &[bool],
    factor: f64,
) {
    let BodyBalance { curves, centre, .. } = found;
    let aside = horizontal_displacement(curves, centre, support, fps.fps());
    let higher = vertical_displacement(&curves.centre, &support.flights, fps.fps());
    for (frame, goal) in goals.iter_mut().enumerate().filter(|(frame, _)| !rest[*frame]) {
        let at = centre[frame].xy() + aside[frame];
        goal.centre = Some(Point3::new(at.x, at.y, curves.centre[frame].z + higher[frame]) * factor);
        if support.soles[frame].is_empty() {
            let lifts = goal.lift.iter_mut().flatten().flatten();
            lifts.for_each(|height| *height += higher[frame].max(0.0) * factor);
        }
    }
}
