//! Expressions of VRM characters: each moves several shapes, and some override others.
//!
//! Based on: VRM Consortium, "VRM 1.0", the section on expressions. Where several expressions override one, their
//! factors are multiplied.

use mocap_model::{Expression, Override, ScalarTrack, Track};

const BLINKS: [&str; 3] = ["blink", "blinkLeft", "blinkRight"];
const GAZES: [&str; 4] = ["lookUp", "lookDown", "lookLeft", "lookRight"];
const SOUNDS: [&str; 5] = ["aa", "ih", "ou", "ee", "oh"];

/// Converts tracks of shapes and expressions to tracks of shapes: an expression adds its weight times the weights of
/// its shapes.
///
/// ```
/// use mocap_face::with_expressions;
/// use mocap_model::{Expression, ScalarTrack, Track};
///
/// let happy = Expression { name: "happy".into(), binds: vec![("smile".into(), 0.5)], ..Expression::default() };
/// let tracks = vec![ScalarTrack { name: "happy".into(), values: Track::Constant(0.8) }];
/// let shapes = with_expressions(tracks, &[happy], 1);
/// assert_eq!(shapes[0], ScalarTrack { name: "smile".into(), values: Track::Constant(0.4) });
/// ```
pub fn with_expressions(
    tracks: Vec<ScalarTrack>,
    expressions: &[Expression],
    frames: usize,
) -> Vec<ScalarTrack> {
    let is_expression = |name: &str| expressions.iter().any(|expression| expression.name == name);
    let bound = |name: &str| expressions.iter().flat_map(|of| &of.binds).any(|(shape, _)| shape == name);
    let (given, mut shapes): (Vec<ScalarTrack>, Vec<ScalarTrack>) =
        tracks.into_iter().partition(|track| is_expression(&track.name) && !bound(&track.name));
    let weight = |expression: &Expression, frame: usize| {
        let track = given.iter().find(|track| track.name == expression.name);
        let weight = track.map_or(0.0, |track| track.values.at(frame.min(frames.saturating_sub(1))));
        if expression.binary { f64::from(u8::from(weight > 0.5)) } else { weight }
    };
    let factor = |held: fn(&Expression) -> Override, name: &str, frame: usize| -> f64 {
        let others = expressions.iter().filter(|other| other.name != name);
        let one = |other: &Expression| match (held(other), weight(other, frame)) {
            (Override::Block, weight) if weight > 0.0 => 0.0,
            (Override::Blend, weight) => 1.0 - weight.clamp(0.0, 1.0),
            _ => 1.0,
        };
        others.map(one).product()
    };
    let held = |expression: &Expression, frame: usize| -> f64 {
        let name = expression.name.as_str();
        let by: fn(&Expression) -> Override = match name {
            _ if BLINKS.contains(&name) => |of| of.blink,
            _ if GAZES.contains(&name) => |of| of.look_at,
            _ if SOUNDS.contains(&name) => |of| of.mouth,
            _ => return weight(expression, frame),
        };
        weight(expression, frame) * factor(by, name, frame)
    };
    for expression in expressions.iter().filter(|of| given.iter().any(|track| track.name == of.name)) {
        let values: Vec<f64> = (0..frames.max(1)).map(|frame| held(expression, frame)).collect();
        for (name, share) in &expression.binds {
            let at = shapes.iter().position(|track| track.name == *name).unwrap_or_else(|| {
                shapes.push(ScalarTrack { name: name.clone(), values: Track::Constant(0.0) });
                shapes.len() - 1
            });
            let own = &shapes[at].values;
            let sum = values
                .iter()
                .enumerate()
                .map(|(frame, value)| own.at(if own.is_sampled() { frame } else { 0 }) + value * share);
            shapes[at].values = Track::from_samples(sum.collect()).unwrap_or(Track::Constant(0.0));
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(name: &str, shape: &str) -> Expression {
        Expression { name: name.into(), binds: vec![(shape.into(), 1.0)], ..Expression::default() }
    }

    fn track(name: &str, values: Vec<f64>) -> ScalarTrack {
        ScalarTrack { name: name.into(), values: Track::from_samples(values).unwrap() }
    }

    #[test]
    fn expressions_add_to_shapes_and_hold_each_other_back() {
        let happy =
            Expression { blink: Override::Block, mouth: Override::Blend, ..expression("happy", "smile") };
        let binary = Expression { binary: true, ..expression("wink", "shutLeft") };
        let all = [happy, binary, expression("blink", "shut"), expression("aa", "open")];
        let given = vec![
            track("smile", vec![0.1, 0.1, 0.2]),
            track("happy", vec![0.0, 0.5, 1.0]),
            track("wink", vec![0.4, 0.6, 0.5]),
            track("blink", vec![1.0, 1.0, 1.0]),
            track("aa", vec![0.8, 0.8, 0.8]),
        ];
        let made = with_expressions(given, &all, 3);
        let at = |name: &str| -> Vec<f64> {
            let track = made.iter().find(|track| track.name == name).unwrap();
            (0..3).map(|frame| track.values.at(frame)).collect()
        };
        assert_eq!(at("smile"), [0.1, 0.6, 1.2]);
        assert_eq!(at("shut"), [1.0, 0.0, 0.0]);
        assert_eq!(at("open"), [0.8, 0.4, 0.0]);
        assert_eq!(at("shutLeft"), [0.0, 1.0, 0.0]);
        assert!(made.iter().all(|track| track.name != "happy"), "expressions are no shapes");
    }
}
