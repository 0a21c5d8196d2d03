//! Interpolation over values that are not numbers.

/// Replaces values that are not finite in every `step`-th value: linearly between the values before and behind it, and
/// at either end by the nearest one; all by `missing` where none is finite. Angles, whose full turn is `turn`, are
/// interpolated the shorter way round.
pub(crate) fn fill(values: &mut [f64], step: usize, turn: Option<f64>, missing: f64) {
    let frames = values.len().div_ceil(step);
    let mut before: Option<usize> = None;
    let mut frame = 0;
    while frame < frames {
        if values[frame * step].is_finite() {
            before = Some(frame);
            frame += 1;
            continue;
        }
        let behind = (frame..frames).find(|&next| values[next * step].is_finite());
        let end = behind.unwrap_or(frames);
        let [from, to] = [before, behind].map(|at| at.map(|at| values[at * step]));
        for gap in frame..end {
            values[gap * step] = match (from, to, before) {
                (Some(from), Some(to), Some(before)) => {
                    let t = (gap - before) as f64 / (end - before) as f64;
                    from + way(from, to, turn) * t
                }
                (from, to, _) => from.or(to).unwrap_or(missing),
            };
        }
        frame = end;
    }
}

fn way(from: f64, to: f64, turn: Option<f64>) -> f64 {
    let way = to - from;
    turn.map_or(way, |turn| way - turn * (way / turn).round())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_bridged_and_ends_are_held() {
        let nan = f64::NAN;
        let mut values = [nan, 9.0, 1.0, 9.0, nan, 9.0, nan, 9.0, 4.0, 9.0, f64::INFINITY, 9.0];
        fill(&mut values, 2, None, 7.0);
        assert_eq!(values, [1.0, 9.0, 1.0, 9.0, 2.0, 9.0, 3.0, 9.0, 4.0, 9.0, 4.0, 9.0]);
        let mut nothing = [nan, f64::INFINITY];
        fill(&mut nothing, 1, None, 7.0);
        assert_eq!(nothing, [7.0, 7.0]);
    }

    #[test]
    fn angles_go_the_shorter_way_round() {
        let mut angles = [f64::NAN, 170.0, f64::NAN, -170.0, f64::NAN];
        fill(&mut angles, 1, Some(360.0), 0.0);
        assert_eq!(angles, [170.0, 170.0, 180.0, -170.0, -170.0]);
    }
}
