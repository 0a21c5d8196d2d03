//! Fits a skeleton inside a mesh.

mod anatomy;
mod arms;
mod attached;
mod ends_of_tree;
mod extremities;
mod fingers;
mod frame;
mod hands;
mod landmark;
mod landmarks;
mod legs;
mod sections;
mod shape;
mod standing;
mod template;
mod trunk;
mod upright;

use mocap_model::SignedAxis;
use nalgebra::Matrix3;

use crate::{RigError, RigMesh, Voxels};
pub use attached::FittedJoint;
use extremities::Extremities;
pub use frame::BodyFrame;
pub use landmark::Landmark;
use landmark::Landmarks;
pub use shape::{FittedShape, fit_shape};
pub use template::{FittedSkeleton, fit, humanoid, humanoid_with};

/// Resolutions that are tried to find the extremities [voxels along the longest side].
const COARSE: [usize; 3] = [130, 180, 240];
/// The resolution to find joints.
const FINE: usize = 180;
/// Largest distance of an extremity from its place at another resolution \[voxels\].
const FURTHEST: f64 = 3.0;

/// A person found in a mesh.
#[derive(Clone, Debug)]
pub struct FoundBody {
    /// Its orientation, floor and height.
    pub frame: BodyFrame,
    /// Its joints by role, in the space of the mesh.
    pub landmarks: Landmarks,
    /// Whether five fingers are detected on the left hand, and on the right one; else they are placed by proportions.
    pub fingers_seen: [bool; 2],
}

/// Finds a person in a mesh; `up` and `facing` are axes that the user states.
///
/// # Errors
/// [`RigError::NoSolid`], [`RigError::SeveralBodies`], [`RigError::NotHuman`], [`RigError::Axis`].
pub fn find_body(
    mesh: &RigMesh,
    up: Option<SignedAxis>,
    facing: Option<SignedAxis>,
) -> Result<FoundBody, RigError> {
    let (coarse, found) = ends(mesh)?;
    let frame = frame::frame(mesh, &coarse, &found, up, facing)?;
    let shown = frame.shown(mesh, &coarse.middle(found.head), up.is_some());
    let places = mesh.places.iter().map(|at| frame.local(at)).collect();
    let upright = RigMesh { places, ..mesh.clone() };
    let voxels = extremities::largest_part(&Voxels::along(&upright, FINE, Matrix3::identity()))?;
    let near = FURTHEST * voxels.side.max(coarse.side / frame.height);
    let again = |voxel: usize| nearest_inside(&voxels, &frame.local(&coarse.middle(voxel)), near);
    let both = |[a, b]: [usize; 2]| Ok([again(a)?, again(b)?]);
    let ends = Extremities {
        feet: both(found.feet)?,
        hands: both(found.hands)?,
        head: again(found.head)?,
        pelvis: again(found.pelvis)?,
        chest: again(found.chest)?,
    };
    let (mut landmarks, fingers_seen) = landmarks::landmarks(&upright, &voxels, &ends, frame.is_mirrored)?;
    landmarks.values_mut().for_each(|landmark| landmark.place = frame.place(&landmark.place));
    Ok(FoundBody { frame: shown, landmarks, fingers_seen })
}

/// The extremities of a body among voxels. Limbs that are close together, such as raised arms beside the head, merge if
/// voxels are too large, so smaller ones are tried before a mesh is refused.
///
/// # Errors
/// The error at the coarsest resolution.
fn ends(mesh: &RigMesh) -> Result<(Voxels, Extremities), RigError> {
    let mut first = None;
    for across in COARSE {
        let voxels = match extremities::largest_part(&Voxels::new(mesh, across)) {
            Ok(voxels) => voxels,
            Err(error) => return Err(first.unwrap_or(error)),
        };
        let depths = voxels.depths();
        let error = match extremities::extremities(&voxels, &depths) {
            Ok(found) => return Ok((voxels, found)),
            Err(error) => error,
        };
        if extremities::is_round(&voxels, &depths) {
            return Err(error);
        }
        first = first.or(Some(error));
    }
    Err(first.unwrap_or(RigError::NoSolid { share: 0.0 }))
}

/// The voxel inside that is nearest to a place, at most `most` away. A part connected by less than a voxel at one
/// resolution may be separate at another.
///
/// # Errors
/// [`RigError::NotHuman`].
fn nearest_inside(voxels: &Voxels, place: &mocap_model::Vector3<f64>, most: f64) -> Result<usize, RigError> {
    let far = |at: usize| (voxels.middle(at) - place).norm_squared();
    let inside = (0..voxels.len()).filter(|at| voxels.inside[*at]);
    let nearest = inside.reduce(|best, at| if far(at) < far(best) { at } else { best });
    nearest.filter(|at| far(*at) <= most * most).ok_or_else(|| {
        let seen = "a limb that is barely connected to the trunk".to_owned();
        RigError::NotHuman { seen }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::tests::boxes;
    use mocap_model::Vector3;

    /// A person of boxes in a T-pose, Y up, facing along Z.
    fn person() -> RigMesh {
        let mut parts = vec![
            [[-0.17, 0.9, -0.1], [0.17, 1.45, 0.1]],
            [[-0.05, 1.4, -0.05], [0.05, 1.6, 0.05]],
            [[-0.09, 1.55, -0.1], [0.09, 1.78, 0.1]],
        ];
        for [low, high] in [
            [[0.15, 1.34, -0.04], [0.75, 1.42, 0.04]],
            [[0.03, 0.0, -0.07], [0.16, 0.95, 0.07]],
            [[0.03, 0.0, -0.07], [0.16, 0.07, 0.2]],
        ] {
            parts.extend([[low, high], [[-high[0], low[1], low[2]], [-low[0], high[1], high[2]]]]);
        }
        boxes(&parts)
    }

    #[test]
    fn stated_axes_are_those_of_the_body_or_refused() {
        let (mesh, [x, y, z]) = (person(), [SignedAxis::X, SignedAxis::Y, SignedAxis::Z]);
        let back = SignedAxis { negative: true, ..z };
        let found = find_body(&mesh, None, None).unwrap().frame;
        assert!(found.up.y > 0.99 && found.forward.z > 0.99, "{found:?}");
        let turned = find_body(&mesh, Some(y), Some(back)).unwrap().frame;
        assert!(turned.up.y > 0.99 && turned.forward.z < -0.99, "{turned:?}");
        let down = SignedAxis { negative: true, ..y };
        for (up, facing) in
            [(Some(x), None), (Some(down), None), (None, Some(x)), (None, Some(y)), (Some(y), Some(y))]
        {
            let error = find_body(&mesh, up, facing).unwrap_err();
            assert_eq!(error.code(), "rig::axis", "{up:?} {facing:?}: {error}");
        }
    }

    #[test]
    fn an_end_that_is_gone_is_no_end() {
        let axes = Matrix3::identity();
        let (origin, inside) = (Vector3::zeros(), vec![true; 9]);
        let voxels = Voxels { axes, origin, side: 0.1, counts: [9, 1, 1], inside };
        assert_eq!(nearest_inside(&voxels, &Vector3::new(1.0, 0.0, 0.0), 0.3).unwrap(), 8);
        let error = nearest_inside(&voxels, &Vector3::new(1.2, 0.0, 0.0), 0.3).unwrap_err();
        assert_eq!(error.code(), "rig::not-human");
    }
}
