use super::*;
use mocap_model::{Joint, JointId, Skeleton, Space, exp};

#[test]
fn a_turn_changes_as_its_jacobian_says() {
    for turn in [Vector3::new(0.3, -0.8, 1.1), Vector3::new(1e-5, 2e-5, 0.0), Vector3::new(0.0, 2.9, 0.4)] {
        let jacobian = inverse_right_jacobian(&turn);
        for axis in 0..3 {
            let mut step = Vector3::zeros();
            step[axis] = 1e-6;
            let [more, less] = [step, -step].map(|step| log(&(exp(&turn) * exp(&step))));
            assert!(((more - less) / 2e-6 - jacobian.column(axis)).norm() < 1e-6, "{turn} {axis}");
        }
    }
}

/// Three joints in a row with three markers each.
fn arm() -> (Body, Vec<Attached>) {
    let joint = |at: usize| {
        Joint::new(format!("joint {at}"), at.checked_sub(1).map(JointId::from), Vector3::y() * 0.4)
    };
    let skeleton = Skeleton::new("arm", Space::default(), (0..3).map(joint).collect()).unwrap();
    let all: Vec<JointId> = skeleton.iter().map(|(id, _)| id).collect();
    let body = Body::of(&skeleton, all[0], &all, 1.0, &Vector3::x()).unwrap();
    let places = [Vector3::new(0.1, 0.3, 0.0), Vector3::new(-0.1, 0.2, 0.05), Vector3::new(0.0, 0.1, -0.1)];
    let on = |joint: usize| places.map(|place| Attached { joint, place, weight: 1e6 });
    (body, (0..3).flat_map(on).collect())
}

#[test]
fn a_solve_ends_where_another_hardly_moves() {
    let (body, markers) = arm();
    let mut truth = body.rest();
    for (turn, axis) in truth.turns.iter_mut().zip([Vector3::x(), Vector3::z(), Vector3::y()]) {
        *turn = exp(&(axis * 30f64.to_radians()));
    }
    let mut solver = FrameSolver::new(&body);
    body.place(&truth, &mut solver.placed);
    let seen: Vec<Observed> = markers
        .iter()
        .enumerate()
        .map(|(at, marker)| (at, solver.placed.of(marker.joint, &marker.place)))
        .collect();
    let apart = |a: &State, b: &State| {
        let turned = a.turns.iter().zip(&b.turns).map(|(a, b)| a.angle_to(b));
        turned.fold((a.translation - b.translation).norm(), f64::max)
    };
    let mut solve = |from: &State, tolerance: f64| {
        let mut state = from.clone();
        let options = FrameOptions { scale: 1.0, tolerance };
        solver.solve(&body, &markers, &seen, None, &mut state, &options);
        state
    };
    // One step is not enough.
    let step = solve(&body.rest(), f64::INFINITY);
    assert!(apart(&step, &solve(&step, f64::INFINITY)) > 1e-2);
    for tolerance in [1e-2, 1e-4, 1e-6] {
        let first = solve(&body.rest(), tolerance);
        let moved = apart(&first, &solve(&first, tolerance));
        assert!(moved < tolerance, "{moved} {tolerance}");
        let off = apart(&first, &truth);
        assert!(off < 1e-2, "{off}");
    }
}

/// Markers of another body than the solved one: nothing fits, and residuals are large at the optimum.
fn misfit(body: &Body, markers: &[Attached], solver: &mut FrameSolver) -> Vec<Observed> {
    let mut truth = body.rest();
    for (turn, axis) in truth.turns.iter_mut().zip([Vector3::x(), Vector3::z(), Vector3::y()]) {
        *turn = exp(&(axis * 0.5));
    }
    body.place(&truth, &mut solver.placed);
    let off = |at: usize| Vector3::new(0.3, -0.2, 0.25) * (at as f64 * 1.7).sin();
    let place =
        |(at, marker): (usize, &Attached)| (at, solver.placed.of(marker.joint, &(marker.place + off(at))));
    markers.iter().enumerate().map(place).collect()
}

#[test]
fn the_matrix_of_newton_is_the_change_of_the_gradient() {
    let (body, markers) = arm();
    let mut solver = FrameSolver::new(&body);
    let seen = misfit(&body, &markers, &mut solver);
    let mut state = body.rest();
    let options = FrameOptions { scale: 1e3, tolerance: 1e-12 };
    solver.solve(&body, &markers, &seen, None, &mut state, &options);
    let gradient = |solver: &mut FrameSolver, dof: usize, by: f64| {
        let (mut step, mut moved) = (vec![0.0; body.dofs.len()], State::default());
        step[dof] = by;
        body.step(&state, &step, &mut moved);
        body.place(&moved, &mut solver.placed);
        solver.linearise(&body, &markers, &seen, None, &moved, (1e3, Needed::Gradient));
        solver.gradient.clone()
    };
    let columns: Vec<Vec<f64>> = (0..body.dofs.len())
        .map(|dof| {
            let [more, less] = [1e-5, -1e-5].map(|by| gradient(&mut solver, dof, by));
            less.iter().zip(&more).map(|(less, more)| (less - more) / 2e-5).collect()
        })
        .collect();
    let mut off = |needed: Needed| {
        body.place(&state, &mut solver.placed);
        solver.linearise(&body, &markers, &seen, None, &state, (1e3, needed));
        let (mut off, mut largest) = (0.0f64, 0.0f64);
        for (dof, column) in columns.iter().enumerate() {
            let mut above = dof;
            for value in solver.hessian.row_mut(dof).iter() {
                off = off.max((*value - column[above]).abs());
                largest = largest.max(value.abs());
                above = body.dofs[above].above.unwrap_or(0);
            }
        }
        off / largest
    };
    let [newton, gauss] = [Needed::Newton, Needed::GaussNewton].map(&mut off);
    assert!(newton < 1e-4 && gauss > 1e-2, "{newton} {gauss}");
}

/// Markers near the axis of a joint with residuals greater than their lever arms: Gauss-Newton steps
/// overshoot the optimum.
#[test]
fn a_solve_ends_where_markers_are_further_off_than_their_lever_arms() {
    let (body, mut markers) = arm();
    for (at, marker) in markers.iter_mut().enumerate() {
        marker.place = Vector3::new(0.004 * (at as f64).cos(), 0.1 + 0.1 * (at % 3) as f64, 0.004);
    }
    let mut solver = FrameSolver::new(&body);
    let outside: Vec<Attached> = markers
        .iter()
        .map(|marker| Attached { place: marker.place.component_mul(&Vector3::new(5.0, 1.0, 5.0)), ..*marker })
        .collect();
    let seen: Vec<Observed> = {
        let mut truth = body.rest();
        truth.turns[1] = exp(&Vector3::new(0.2, 0.3, 0.1));
        body.place(&truth, &mut solver.placed);
        let all = outside.iter().enumerate();
        all.map(|(at, marker)| (at, solver.placed.of(marker.joint, &marker.place))).collect()
    };
    let options = FrameOptions { scale: 1.0, tolerance: 1e-7 };
    let mut state = body.rest();
    solver.solve(&body, &markers, &seen, None, &mut state, &options);
    let mut again = state.clone();
    solver.solve(&body, &markers, &seen, None, &mut again, &options);
    let moved = state.turns.iter().zip(&again.turns).map(|(a, b)| a.angle_to(b)).fold(0.0, f64::max);
    assert!(moved < 1e-4, "{moved}");
}

#[test]
fn a_rigid_motion_is_found() {
    let points = [Vector3::zeros(), Vector3::x(), Vector3::y() * 2.0, Vector3::new(0.1, 0.2, 0.3)];
    let (turn, shift) = (exp(&Vector3::new(0.4, -2.0, 0.7)), Vector3::new(1.0, 2.0, 3.0));
    for count in [3, 4] {
        let pairs: Vec<_> = points[..count].iter().map(|p| (*p, turn * p + shift, 2.0)).collect();
        let (rotation, translation) = rigid_fit(&pairs).unwrap();
        assert!(rotation.angle_to(&turn) < 1e-9 && (translation - shift).norm() < 1e-9);
    }
    assert!(rigid_fit(&[(points[0], points[1], 1.0); 2]).is_none());
}
