//! The surface of a target: its own mesh, that of another file, or capsules.

use mocap_formats::body::{self, BoundBody, Style};
use mocap_formats::{Finding, LeftOut, Limits, Parsed};
use mocap_model::{Body, Bone, Influence, Mesh, Pose, Skeleton, Skin};
use mocap_retarget::TargetSurface;

use crate::Target;

/// Which surface a target gets.
#[derive(Clone, Debug, Default)]
pub enum SurfaceChoice {
    /// Its own mesh, where it has one.
    #[default]
    Auto,
    /// None.
    Off,
    /// Capsules of the proportions of its skeleton.
    Capsules,
    /// The mesh of another file, whose joints have the names of those of the target.
    Of(Box<BoundBody>),
}

impl Target {
    /// The target with a surface, which arms are kept out of. A robot, and a body without arms, has none.
    ///
    /// ```
    /// use mocap::{SurfaceChoice, Target};
    ///
    /// let robin = Target::new(mocap::read_skeleton("../../fixtures/clips/robin.skel")?.value);
    /// let robin = robin.with_surface(&SurfaceChoice::Capsules, &Default::default()).unwrap().value;
    /// assert!(robin.surface.is_some());
    /// # Ok::<(), mocap::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the mesh of its file is damaged.
    pub fn with_surface(self, choice: &SurfaceChoice, limits: &Limits) -> Result<Parsed<Target>, Finding> {
        let mut warnings = Vec::new();
        let body: Option<Body> = match choice {
            _ if self.robot().is_some() => None,
            SurfaceChoice::Off => None,
            SurfaceChoice::Capsules => capsules(&self.skeleton),
            SurfaceChoice::Of(bound) => Some(bound.on(&self.skeleton)),
            SurfaceChoice::Auto => {
                let document = self.document.as_deref();
                match document.map(|document| document.body(limits)) {
                    Some(Ok(Some(found))) => {
                        warnings.extend(found.warnings);
                        Some(found.value.on(&self.skeleton))
                    }
                    // A skeleton is a target without its mesh, too.
                    Some(Err(error)) => {
                        let count = document.map_or(0, |document| document.meshes());
                        warnings.push(Finding::new(LeftOut::Unread { count, because: error.to_string() }));
                        None
                    }
                    Some(Ok(None)) | None => None,
                }
            }
        };
        let surface = body.and_then(|body| TargetSurface::new(&body, &self.skeleton, &self.roles));
        Ok(Parsed { value: Target { surface, ..self }, warnings })
    }
}

/// A body of capsules, one per bone, as thick as that part of a human body. `None` of a skeleton without bones.
fn capsules(skeleton: &Skeleton) -> Option<Body> {
    let drawn = body::mesh(skeleton, Style::Capsules)?;
    let mut object = Pose::default();
    Pose::rest(skeleton).to_object(skeleton, &mut object);
    let bones = skeleton.iter().map(|(joint, _)| {
        let inverse_bind = object.joints[joint.index()].inverse().to_homogeneous();
        Bone { joint, inverse_bind }
    });
    let mut skin = Skin { bones: bones.collect(), starts: vec![0], influences: Vec::new() };
    for (joints, weights) in drawn.joints.iter().zip(&drawn.weights) {
        let influences = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        let influence = |(joint, weight): (&mocap_model::JointId, &f64)| Influence {
            bone: joint.index() as u32,
            weight: *weight,
        };
        skin.influences.extend(influences.map(influence));
        skin.starts.push(skin.influences.len() as u32);
    }
    let mesh = Mesh {
        faces: vec![3; drawn.triangles.len()],
        corners: drawn.triangles.iter().flatten().copied().collect(),
        positions: drawn.positions,
        skin,
        ..Mesh::default()
    };
    Some(Body { meshes: vec![mesh], materials: Vec::new() })
}
