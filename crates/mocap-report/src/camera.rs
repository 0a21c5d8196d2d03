//! Projects the stage to a picture plane: x to the right, y up, and the nearness of a point.

use crate::paint::Eye;
use crate::stage::Place;

/// Where a sheet is seen from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// From the front right and a little above.
    #[default]
    Perspective,
    /// From the front: the character's left is on the right.
    Front,
    /// From the character's right: it looks to the right.
    Side,
}

/// A camera that looks at a place on the floor; `heading` is the direction that counts as forward.
pub(crate) struct Camera {
    /// Of the turn about the up axis.
    yaw: [f64; 2],
    pitch: [f64; 2],
    /// From the eye to the middle of the picture; none for a parallel projection.
    distance: Option<f64>,
    centre: Place,
}

/// A projected point [stage units] and its nearness to the eye.
pub(crate) struct Projected {
    pub x: f64,
    pub y: f64,
    pub near: f64,
}

impl Camera {
    /// `size`: the length of the body, which sets how strong the perspective is.
    pub(crate) fn new(view: View, heading: f64, centre: Place, size: f64) -> Camera {
        let (turn, pitch, distance) = match view {
            View::Front => (0.0, 0.0, None),
            View::Side => (std::f64::consts::FRAC_PI_2, 0.0, None),
            View::Perspective => (0.75, 0.24, Some(5.0 * size)),
        };
        let yaw = turn - heading;
        Camera { yaw: [yaw.sin(), yaw.cos()], pitch: [f64::sin(pitch), f64::cos(pitch)], distance, centre }
    }

    /// The equivalent eye for pictures of pixels.
    pub(crate) fn eye(&self, pixels_per_unit: f64, size: [usize; 2]) -> Eye {
        let [yaw, pitch] = [self.yaw, self.pitch].map(|[sin, cos]| sin.atan2(cos));
        Eye::of_camera(self.centre.into(), [-yaw, pitch], self.distance, pixels_per_unit, size)
    }

    /// Transforms a direction of the stage to (right, up, towards the eye).
    pub(crate) fn turn(&self, [x, y, z]: Place) -> [f64; 3] {
        let [sin, cos] = self.yaw;
        let (x, z) = (x * cos + z * sin, z * cos - x * sin);
        let [sin, cos] = self.pitch;
        [x, y * cos - z * sin, z * cos + y * sin]
    }

    pub(crate) fn project(&self, place: &Place) -> Projected {
        let [x, y, near] = self.turn([0, 1, 2].map(|i| place[i] - self.centre[i]));
        // Points at or behind the eye are clamped to a fifth of the distance, so that the division is safe.
        let grow = self.distance.map_or(1.0, |distance| distance / (distance - near).max(0.2 * distance));
        Projected { x: x * grow, y: y * grow, near }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(view: View, heading: f64, place: Place) -> [f64; 2] {
        let seen = Camera::new(view, heading, [0.0; 3], 1.8).project(&place);
        [seen.x, seen.y].map(|v| (v * 1e9).round() / 1e9)
    }

    #[test]
    fn left_is_right_from_the_front_and_forward_is_right_from_the_side() {
        assert_eq!(seen(View::Front, 0.0, [1.0, 2.0, 3.0]), [1.0, 2.0]);
        assert_eq!(seen(View::Side, 0.0, [1.0, 2.0, 3.0]), [3.0, 2.0]);
        // The left of a character facing +X is at -Z.
        let heading = std::f64::consts::FRAC_PI_2;
        assert_eq!(seen(View::Front, heading, [3.0, 2.0, -1.0]), [1.0, 2.0]);
        assert_eq!(seen(View::Side, heading, [3.0, 2.0, -1.0]), [3.0, 2.0]);
    }
}
