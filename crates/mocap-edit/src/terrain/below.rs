//! The part of a terrain below a motion, for pictures.

use mocap_analysis::{ContactOptions, floor_of, trajectory};
use mocap_model::{Clip, Vector3};

use super::{OnTerrain, ground, motions_above};
use crate::EditError;
use crate::body::Body;

/// How far beside the path of the hips the surface reaches \[m\].
const MARGIN: f64 = 2.0;

/// The surface below a motion that was put on a terrain, up to 2 m beside its path: triangles in the axes and units of
/// the clip, anticlockwise seen from the open side. It has the height at which the feet of the motion stand on it.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{OnTerrain, Terrain, TerrainOrigin, surface_below};
///
/// let terrain = Terrain::Steps("0.17,0.29,8".parse()?);
/// let triangles = surface_below(&clip, &OnTerrain { terrain, origin: TerrainOrigin::Start })?;
/// assert!(!triangles.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`EditError::NoFeet`] if no joint is a foot, [`EditError::NoUnit`] if the unit of lengths is unknown,
/// [`EditError::Terrain`] if a foot is over a hole or beyond the edge.
pub fn surface_below(clip: &Clip, options: &OnTerrain) -> Result<Vec<[Vector3<f64>; 3]>, EditError> {
    let body = Body::of(clip);
    if body.feet.is_empty() {
        return Err(EditError::NoFeet { edit: "terrain" });
    }
    let metres = body.metres.ok_or(EditError::NoUnit { edit: "terrain" })?;
    if clip.frames() == 0 {
        return Ok(Vec::new());
    }
    let below = ground(clip, &body, options, 0.0, metres);
    let motions = motions_above(clip, &below)?;
    let contacts: Vec<_> = motions.iter().map(|motion| motion.contacts(&ContactOptions::default())).collect();
    let floor = floor_of(&motions, &contacts).unwrap_or(0.0);
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for place in trajectory(clip, body.hips) {
        let away = body.turn(-below.heading) * (place - below.origin) * metres;
        for (axis, value) in [away.dot(&body.forward), away.dot(&body.lateral)].into_iter().enumerate() {
            low[axis] = low[axis].min(value - MARGIN);
            high[axis] = high[axis].max(value + MARGIN);
        }
    }
    let corner = |[ahead, left, up]: [f64; 3]| {
        let along = body.turn(below.heading) * (body.forward * ahead + body.lateral * left) / metres;
        body.on_ground(&below.origin) + along + body.up * (floor + up / metres)
    };
    Ok(options.terrain.patch(low, high).into_iter().map(|corners| corners.map(corner)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use crate::{Terrain, TerrainOrigin, on_terrain};

    #[test]
    fn the_surface_lies_under_the_feet_of_a_motion_that_climbs_it() {
        let walk = clip("alex_walk.bvh");
        for steps in ["0.15,0.35,6,0.4", "-0.15,0.35,6,0.4"] {
            let options =
                OnTerrain { terrain: Terrain::Steps(steps.parse().unwrap()), origin: TerrainOrigin::Start };
            let (walked, _) = on_terrain(&walk, &options).unwrap();
            let body = Body::of(&walked);
            let metres = body.metres.unwrap();
            let heights = |triangles: &[[Vector3<f64>; 3]]| {
                let all = triangles.iter().flatten().map(|corner| corner.dot(&body.up) * metres);
                (all.clone().fold(f64::INFINITY, f64::min), all.fold(f64::NEG_INFINITY, f64::max))
            };
            let before = floor_of_walk(&walk);
            let (low, high) = heights(&surface_below(&walked, &options).unwrap());
            // The stairs start at the floor of the walk, at their lower or upper end.
            let start = if steps.starts_with('-') { high } else { low };
            assert!((start - before * metres).abs() < 0.02, "{start} is not {}", before * metres);
            assert!(high - low > 0.5, "{low} to {high}");
        }
    }

    fn floor_of_walk(walk: &Clip) -> f64 {
        let (motions, contacts): (Vec<_>, Vec<_>) =
            Body::of(walk).contacts(walk).unwrap().into_iter().unzip();
        floor_of(&motions, &contacts).unwrap()
    }
}
