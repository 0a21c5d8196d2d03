//! Triangle meshes of a body's solids in a pose, for pictures drawn without a graphics card. The page uses the
//! same shapes.

use crate::solid::{Across, Form, Solid};
use crate::stage::Place;
use mocap_model::Vector3;

type V = Vector3<f64>;

/// A corner of a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub at: V,
    pub normal: V,
    /// 1 at the eyes.
    pub dark: f32,
}

/// Corners, and the triangles between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mesh {
    pub corners: Vec<Corner>,
    pub triangles: Vec<[usize; 3]>,
}

impl Mesh {
    fn quad(&mut self, corners: [usize; 4]) {
        let [a, b, c, d] = corners;
        self.triangles.extend([[a, b, c], [c, b, d]]);
    }

    fn add_quad(&mut self, corners: [Corner; 4]) {
        let first = self.corners.len();
        self.corners.extend(corners);
        self.quad([0, 1, 2, 3].map(|corner| first + corner));
    }
}

/// The surface of a solid whose ends have these places; radii times `scale` are stage units.
pub(crate) fn mesh(solid: &Solid, pose: &[Place], scale: f64) -> Mesh {
    let at = |place: usize| V::from(pose[place]);
    let [first, last] = solid.ends.map(at);
    let way = last - first;
    let length = way.norm();
    let y = way.try_normalize(1e-9).unwrap_or_else(V::y);
    let sides = sides(&solid.across, &at).map(|side| level(&side, &y));
    let radii = solid.radii.map(|radius| radius * scale);
    let depth = solid.depth.max(1e-3);
    let cap = depth.min(1.0);
    let slope = if length > 1e-6 { ((radii[0] - radii[1]) / length).clamp(-1.0, 1.0) } else { 0.0 };
    // `point` and `normal` belong to a unit shape: across, along, depth.
    let corner = |point: [f64; 3], normal: [f64; 3], end: usize| {
        let x = sides[end];
        let z = x.cross(&y);
        let offset = x * point[0] + y * (point[1] * cap) + z * (point[2] * depth);
        let around = (normal[0] * normal[0] + normal[2] * normal[2]).sqrt();
        let normal = x * normal[0] + y * (normal[1] / cap + slope * around) + z * (normal[2] / depth);
        let height = point[1] + end as f64;
        let eyes = solid.face && point[2] > 0.6 && (0.55..1.4).contains(&height);
        Corner { at: [first, last][end] + offset * radii[end], normal, dark: f32::from(u8::from(eyes)) }
    };
    let mut mesh = Mesh::default();
    match solid.form {
        Form::Capsule => add_capsule(&mut mesh, if solid.face { (28, 9) } else { (14, 4) }, corner),
        Form::Cylinder => {
            for k in 0..20 {
                let rim = |k: usize| {
                    let turn = k as f64 / 20.0 * std::f64::consts::TAU;
                    [turn.cos(), 0.0, turn.sin()]
                };
                let (a, b) = (rim(k), rim(k + 1));
                mesh.add_quad([corner(a, a, 0), corner(a, a, 1), corner(b, b, 0), corner(b, b, 1)]);
                for (end, up) in [(0, [0.0, -1.0, 0.0]), (1, [0.0, 1.0, 0.0])] {
                    let middle = mesh.corners.len();
                    mesh.corners.extend([corner([0.0; 3], up, end), corner(a, up, end), corner(b, up, end)]);
                    mesh.triangles.push([middle, middle + 1, middle + 2]);
                }
            }
        }
        Form::Box => {
            for sign in [-1.0, 1.0] {
                let sheet = |place: &dyn Fn(f64, usize) -> Corner| {
                    [place(-1.0, 0), place(-1.0, 1), place(1.0, 0), place(1.0, 1)]
                };
                mesh.add_quad(sheet(&|u, end| corner([sign, 0.0, u], [sign, 0.0, 0.0], end)));
                mesh.add_quad(sheet(&|u, end| corner([u, 0.0, sign], [0.0, 0.0, sign], end)));
                let end = usize::from(sign > 0.0);
                mesh.add_quad(sheet(&|u, v| corner([u, 0.0, 2.0 * v as f64 - 1.0], [0.0, sign, 0.0], end)));
            }
        }
    }
    mesh
}

/// Rings of corners from pole to pole; the two in the middle are the ends of the solid.
fn add_capsule(
    mesh: &mut Mesh,
    (around, rings): (usize, usize),
    corner: impl Fn([f64; 3], [f64; 3], usize) -> Corner,
) {
    let turns: Vec<(f64, f64)> =
        (0..=around).map(|k| (k as f64 / around as f64 * std::f64::consts::TAU).sin_cos()).collect();
    for ring in 0..=2 * rings + 1 {
        let end = usize::from(ring > rings);
        let angle = (ring as f64 - (rings + end) as f64) / rings as f64 * std::f64::consts::FRAC_PI_2;
        let (up, out) = angle.sin_cos();
        mesh.corners.extend(turns.iter().map(|(sin, cos)| {
            let point = [out * cos, up, out * sin];
            corner(point, point, end)
        }));
    }
    for ring in 0..=2 * rings {
        for k in 0..around {
            let [here, next] = [ring, ring + 1].map(|ring| ring * (around + 1) + k);
            mesh.quad([here, next, here + 1, next + 1]);
        }
    }
}

fn sides(across: &Across, at: &impl Fn(usize) -> V) -> [V; 2] {
    let pair = |places: &[usize; 2]| (at(places[0]) - at(places[1])).try_normalize(0.0).unwrap_or_default();
    match across {
        Across::Round => [V::zeros(); 2],
        Across::Pair(places) => [pair(places); 2],
        Across::Plane([o, a, b]) => [(at(*a) - at(*o)).cross(&(at(*b) - at(*o))); 2],
        Across::Between { pairs, at: shares } => {
            let [first, second] = [pair(&pairs[0]), pair(&pairs[1])];
            shares.map(|share| first + (second - first) * share)
        }
    }
}

/// The part of a direction perpendicular to `y`, normalised; any such direction if there is none.
fn level(side: &V, y: &V) -> V {
    let across = |v: &V| (v - y * v.dot(y)).try_normalize(1e-9);
    let other = if y.x.abs() < 0.7 { V::x() } else { V::z() };
    across(side).or_else(|| across(&other)).unwrap_or_else(V::x)
}
