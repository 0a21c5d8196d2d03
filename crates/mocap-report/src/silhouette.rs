//! Bodies as flat shapes for drawings of lines and areas: the silhouette of each solid, its lit part, and the
//! eyes.

use crate::camera::Camera;
use crate::mesh::{Corner, mesh};
use crate::solid::Solid;
use crate::stage::{FAR, Place, Stage};
use mocap_model::{Side, Vector3};

/// A closed shape as seen [stage units]; empty, or of three corners or more.
pub(crate) type Polygon = Vec<[f32; 2]>;

/// A solid of a body as seen.
pub(crate) struct Silhouette {
    pub side: Option<Side>,
    pub outline: Polygon,
    /// The lit part.
    pub lit: Polygon,
    /// A dark band, on heads.
    pub eyes: Polygon,
    near: f64,
}

/// The light comes from the upper left, from behind the viewer: right, up, towards the eye.
const LIGHT: [f64; 3] = [-0.42, 0.74, 0.52];
/// A surface is lit if the cosine of its angle to the light is above this.
const IN_LIGHT: f64 = 0.45;
/// Corners whose removal changes a shape by less than this share of the body are removed: 0.15 pixels for a pose
/// of 150.
const FINE: f64 = 1e-3;

/// The outline of a mesh as its convex hull, for the space that it needs. Corners further than `far` from
/// `middle` are ignored.
pub(crate) fn outline(corners: &[Corner], camera: &Camera, middle: &Place, far: f64) -> Silhouette {
    let near = |corner: &&Corner| (corner.at - Vector3::from(*middle)).norm() <= far;
    let seen = |corner: &Corner| {
        let seen = camera.project(&corner.at.into());
        [seen.x as f32, seen.y as f32]
    };
    let outline = hull(corners.iter().filter(near).map(seen).collect());
    Silhouette { side: None, outline, lit: Vec::new(), eyes: Vec::new(), near: 0.0 }
}

/// The solids of a stage in a pose, sorted from far to near.
pub(crate) fn silhouettes(
    stage: &Stage<'_>,
    solids: &[Solid],
    pose: &[Place],
    camera: &Camera,
) -> Vec<Silhouette> {
    let fine = (FINE * stage.size()) as f32;
    let mut seen: Vec<Silhouette> =
        solids.iter().map(|solid| silhouette(stage, solid, pose, camera, fine)).collect();
    seen.retain(|one| !one.outline.is_empty());
    seen.sort_by(|a, b| a.near.total_cmp(&b.near));
    seen
}

fn silhouette(stage: &Stage<'_>, solid: &Solid, pose: &[Place], camera: &Camera, fine: f32) -> Silhouette {
    let (mut all, mut lit, mut eyes) = (Vec::new(), Vec::new(), Vec::new());
    for corner in mesh(solid, pose, stage.scale).corners {
        let seen = camera.project(&corner.at.into());
        let at = [seen.x, seen.y].map(|v| v.clamp(-FAR, FAR) as f32);
        if !at[0].is_finite() || !at[1].is_finite() {
            continue;
        }
        all.push(at);
        let normal = Vector3::from(camera.turn(corner.normal.into()));
        let normal = normal.try_normalize(0.0).unwrap_or_else(Vector3::z);
        if normal.z > 0.0 && normal.dot(&Vector3::from(LIGHT)) > IN_LIGHT {
            lit.push(at);
        }
        if normal.z > 0.0 && corner.dark > 0.5 {
            eyes.push(at);
        }
    }
    let near = solid.ends.map(|end| camera.project(&pose[end]).near);
    let [outline, lit, eyes] = [all, lit, eyes].map(|points| simplified(hull(points), fine));
    Silhouette { side: stage.sides[solid.joint], outline, lit, eyes, near: (near[0] + near[1]) / 2.0 }
}

/// The convex hull. Based on: A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", 1979.
fn hull(mut points: Vec<[f32; 2]>) -> Polygon {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return Vec::new();
    }
    let turns_left = |a: &[f32; 2], b: &[f32; 2], c: &[f32; 2]| {
        (f64::from(b[0]) - f64::from(a[0])) * (f64::from(c[1]) - f64::from(a[1]))
            > (f64::from(b[1]) - f64::from(a[1])) * (f64::from(c[0]) - f64::from(a[0]))
    };
    let half = |points: &mut dyn Iterator<Item = [f32; 2]>| {
        let mut chain: Polygon = Vec::new();
        for point in points {
            while let [.., a, b] = &chain[..]
                && !turns_left(a, b, &point)
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut hull = half(&mut points.iter().copied());
    hull.extend(half(&mut points.iter().rev().copied()));
    if hull.len() < 3 { Vec::new() } else { hull }
}

/// The shape without corners nearer than `fine` to the line between their neighbours.
fn simplified(polygon: Polygon, fine: f32) -> Polygon {
    let mut kept: Polygon = Vec::with_capacity(polygon.len());
    for (i, corner) in polygon.iter().enumerate() {
        let next = polygon[(i + 1) % polygon.len()];
        let before = kept.last().copied().unwrap_or(polygon[polygon.len() - 1]);
        let way = [next[0] - before[0], next[1] - before[1]];
        let off = ((corner[0] - before[0]) * way[1] - (corner[1] - before[1]) * way[0]).abs();
        if off > fine * way[0].hypot(way[1]) {
            kept.push(*corner);
        }
    }
    if kept.len() < 3 { polygon } else { kept }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hull_has_the_corners_and_nothing_within() {
        let square = [[0.0, 0.0], [2.0, 0.0], [1.0, 1.0], [2.0, 2.0], [0.0, 2.0], [1.0, 0.0], [0.0, 0.0]];
        assert_eq!(hull(square.to_vec()), [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]]);
        assert!(
            hull(vec![[1.0, 1.0]; 5]).is_empty() && hull(vec![[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]).is_empty()
        );
        let nearly = vec![[0.0, 0.0], [1.0, -0.001], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
        assert_eq!(simplified(nearly, 0.01).len(), 4);
    }
}
