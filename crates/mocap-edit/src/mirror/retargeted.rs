//! Mirrors a motion of an asymmetric body: computed on the mirrored body, then retargeted to the original.

use std::sync::Arc;

use mocap_model::{Clip, JointId};
use mocap_retarget::{RetargetOptions, Retargeter};

use super::{Mirror, feet_held, report, unlike_limbs};
use crate::body::Body;
use crate::numbers;
use crate::samples::Samples;
use crate::{EditError, EditReport};

/// Mirrors a motion by retargeting, for a body whose left and right differ.
///
/// [`mirror()`](crate::mirror()) swaps rotations, so that with legs of different lengths a foot floats or penetrates
/// the floor. Here the exact mirror image, on the mirrored body, is retargeted to the original body: feet and hands in
/// contact are placed correctly. Mirroring twice gives the clip only approximately.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let (mirrored, report) = mocap_edit::mirror_retargeted(&clip)?;
/// assert_eq!(mirrored.frames(), clip.frames());
/// println!("{report}");
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::Retarget`] where retargeting does not find the roles of hips and legs.
pub fn mirror_retargeted(clip: &Clip) -> Result<(Clip, EditReport), EditError> {
    let body = Body::of(clip);
    let mirror = Mirror::of(clip, &body);
    let failed = |error: mocap_retarget::RetargetError| EditError::Retarget {
        edit: "mirror",
        reason: error.to_string(),
    };
    let image = mirror.image(clip, &body)?;
    let options = RetargetOptions { limits: false, ..RetargetOptions::default() };
    let retargeter = Retargeter::new(image.skeleton(), &body.skeleton, &options).map_err(failed)?;
    let retargeted = retargeter.retarget_clip(&image).map_err(failed)?;
    let mut annotations = clip.annotations().clone();
    numbers::mirror(&mut annotations.scalars);
    let mirrored = retargeted
        .with_skeleton(clip.skeleton().clone())
        .and_then(|mirrored| mirrored.with_annotations(annotations))
        .map_err(|error| EditError::model("mirror", error))?;
    let (mirrored, held) = feet_held(clip, mirrored)?;
    let advice = match (unlike_limbs(&body), mirror.residual(clip, &mirror.apply(clip)?)) {
        (None, Some((distance, _))) => format!(
            "; the sides of the skeleton are alike, and swapped rotations come within {:.1} cm",
            distance * body.metres_or_one() * 100.0
        ),
        _ => String::new(),
    };
    let report = report(&mirror, &body, clip, &mirrored, &advice)
        .feet_held(held)
        .note("retargeted from the mirrored body");
    Ok((mirrored, report))
}

impl Mirror {
    /// The exact mirror image: the mirrored body with the mirrored motion.
    fn image(&self, clip: &Clip, body: &Body) -> Result<Clip, EditError> {
        let model = |error| EditError::model("mirror", error);
        let counterpart = |i: usize| self.partners[i].map_or(i, |other: JointId| other.index());
        let mut joint = 0;
        let skeleton = body.skeleton.with_joints(|own| {
            let other = body.skeleton.joint(JointId::from(counterpart(joint)));
            own.offset = self.reflect(&other.offset);
            own.rest_rotation = self.reflect_rotation(&other.rest_rotation);
            joint += 1;
        });
        let source = Samples::of(clip);
        let mut image = Samples { skeleton: Arc::new(skeleton.map_err(model)?), ..source.clone() };
        for i in 0..source.rotations.len() {
            let m = counterpart(i);
            image.rotations[i] = source.rotations[m].iter().map(|q| self.reflect_rotation(q)).collect();
            image.translations[i] = source.translations[m]
                .as_ref()
                .map(|values| values.iter().map(|v| self.reflect(v)).collect());
            image.scales[i] = source.scales[m].clone();
        }
        image.into_clip("mirror")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::Role;

    /// A walk on a body whose left leg is longer.
    fn limping() -> Clip {
        let walk = clip("alex_walk.bvh");
        let body = Body::of(&walk);
        let knee = body.skeleton.with_role(Role::LeftLowerLeg).unwrap();
        let mut joint = 0;
        let skeleton = body.skeleton.with_joints(|own| {
            if joint == knee.index() {
                own.offset *= 1.08;
            }
            joint += 1;
        });
        let mut samples = Samples::of(&walk);
        samples.skeleton = Arc::new(skeleton.unwrap());
        if let Some(values) = &mut samples.translations[knee.index()] {
            values.iter_mut().for_each(|v| *v *= 1.08);
        }
        samples.into_clip("mirror").unwrap()
    }

    #[test]
    fn feet_of_unlike_legs_come_nearer_to_their_mirror_image() {
        let walk = limping();
        let body = Body::of(&walk);
        let mirror = Mirror::of(&walk, &body);
        let off = |mirrored: &Clip| {
            let (mut old, mut new) =
                (mocap_model::ForwardKinematics::new(&walk), mocap_model::ForwardKinematics::new(mirrored));
            let mut sum = 0.0;
            for frame in 0..walk.frames() {
                old.place(frame);
                new.place(frame);
                for foot in &body.feet {
                    let other = mirror.partners[foot.ankle.index()].unwrap();
                    sum += (mirror.reflect(&old.position(other)) - new.position(foot.ankle)).norm();
                }
            }
            sum / walk.frames() as f64
        };
        let (rotated, _) = crate::mirror(&walk).unwrap();
        let (retargeted, report) = mirror_retargeted(&walk).unwrap();
        assert!(off(&retargeted) < 0.5 * off(&rotated), "{} of {}", off(&retargeted), off(&rotated));
        assert!(
            report.figures.iter().any(|figure| figure.name == "mirror-residual" && figure.value.is_some())
        );
    }
}
