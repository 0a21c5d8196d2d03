//! How far a thing extends: what is nowhere near it does not hold it.

use mocap_model::{
    BoundBody, Clip, ForwardKinematics, Isometry3, JointId, Pose, Space, Unit, UnitSource, Vector3,
};

/// A smaller diagonal is that of a single point \[m\].
const POINT: f64 = 1e-6;

/// The box around the joints and vertices of a thing, in the frame of its first joint \[m\].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    low: Vector3<f64>,
    high: Vector3<f64>,
}

impl Extent {
    /// Of a thing in metres with Y up: its joints in the first frame, and the vertices of its mesh at rest, whose unit is
    /// `metres` long. `None` for a single joint without a mesh, whose size is not known.
    pub(crate) fn of(thing: &Clip, body: Option<&BoundBody>, metres: f64) -> Option<Extent> {
        if thing.frames() == 0 {
            return None;
        }
        let mut placed = ForwardKinematics::new(thing);
        placed.place(0);
        let top = placed.at(JointId(0)).inverse();
        let seen = |joint: JointId| transformed(&top, &placed.position(joint));
        let mut points: Vec<Vector3<f64>> = thing.skeleton().iter().map(|(joint, _)| seen(joint)).collect();
        if let Some(bound) = body {
            let unit = Some(Unit { metres, source: UnitSource::Flag });
            let from = bound.skeleton.with_space(Space { unit, ..*bound.skeleton.space() });
            let body = bound.body.on(&from, thing.skeleton());
            let mut rest = Pose::default();
            Pose::rest(thing.skeleton()).to_object(thing.skeleton(), &mut rest);
            let top = rest.joints[0].inverse();
            for mesh in &body.meshes {
                let mesh = mesh.at_rest(thing.skeleton());
                points.extend(mesh.positions.iter().map(|at| transformed(&top, at)));
            }
        }
        Extent::around(&points).filter(|extent| (extent.high - extent.low).norm() > POINT)
    }

    #[cfg(test)]
    pub(super) fn new(low: Vector3<f64>, high: Vector3<f64>) -> Extent {
        Extent { low, high }
    }

    fn around(points: &[Vector3<f64>]) -> Option<Extent> {
        let first = Extent { low: *points.first()?, high: *points.first()? };
        let wider =
            |box_: Extent, at: &Vector3<f64>| Extent { low: box_.low.inf(at), high: box_.high.sup(at) };
        Some(points.iter().fold(first, wider))
    }

    /// The distance of a place in the frame of the thing from the box \[m\]; 0 inside of it.
    pub(crate) fn distance(&self, at: &Vector3<f64>) -> f64 {
        (at - at.sup(&self.low).inf(&self.high)).norm()
    }
}

fn transformed(by: &Isometry3<f64>, at: &Vector3<f64>) -> Vector3<f64> {
    by.transform_point(&(*at).into()).coords
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{FrameRate, Joint, JointTracks, Skeleton};

    use mocap_model::{Body, Bone, Influence, Mesh, Skin};
    use nalgebra::Matrix4;

    fn thing(tips: &[Vector3<f64>]) -> Clip {
        let mut joints = vec![Joint::new("thing", None, Vector3::new(3.0, 1.0, 0.0))];
        joints.extend(
            tips.iter().enumerate().map(|(i, tip)| Joint::new(format!("tip{i}"), Some(JointId(0)), *tip)),
        );
        let unit = Some(Unit { metres: 1.0, source: UnitSource::Flag });
        let skeleton = Skeleton::new("", Space { unit, ..Space::default() }, joints).unwrap();
        let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        Clip::new(skeleton.into(), FrameRate::new(30.0).unwrap(), 2, tracks).unwrap()
    }

    #[test]
    fn distances_are_from_the_box_around_a_thing() {
        let stick = thing(&[Vector3::new(0.8, 0.0, 0.0)]);
        let extent = Extent::of(&stick, None, 1.0).unwrap();
        let distance = |x: f64, y: f64| extent.distance(&Vector3::new(x, y, 0.0));
        assert!(distance(0.4, 0.0) < 1e-12 && (distance(0.9, 0.0) - 0.1).abs() < 1e-12);
        assert!((distance(-0.3, 0.4) - 0.5).abs() < 1e-12);
        assert!(Extent::of(&thing(&[]), None, 1.0).is_none(), "the size of one joint is not known");
    }

    #[test]
    fn vertices_count_where_joints_do_not_show_the_size() {
        let sword = thing(&[]);
        // Modelled in centimetres around its own origin.
        let bone = Bone { joint: JointId(0), inverse_bind: Matrix4::new_scaling(0.01) };
        let mesh = Mesh {
            positions: vec![Vector3::zeros(), Vector3::new(80.0, 0.0, 0.0), Vector3::new(0.0, 3.0, 0.0)],
            faces: vec![3],
            corners: vec![0, 1, 2],
            skin: Skin {
                bones: vec![bone],
                starts: vec![0, 1, 2, 3],
                influences: vec![Influence { bone: 0, weight: 1.0 }; 3],
            },
            ..Mesh::default()
        };
        let body = Body { meshes: vec![mesh], materials: Vec::new() };
        let bound = BoundBody { body: body.into(), skeleton: sword.skeleton().clone() };
        let extent = Extent::of(&sword, Some(&bound), 1.0).unwrap();
        assert!((extent.distance(&Vector3::new(1.0, 0.0, 0.0)) - 0.2).abs() < 1e-9, "{extent:?}");
        assert!(extent.distance(&Vector3::new(0.5, 0.02, 0.0)) < 1e-9, "{extent:?}");
    }
}
