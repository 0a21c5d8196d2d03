//! Root motion: extracted from the body, applied again, moved to a joint, or placed elsewhere as a whole.

mod curve;
mod heading;

use std::sync::Arc;

use mocap_analysis::floor_under;
use mocap_model::{
    Clip, Isometry3, Joint, JointId, JointTracks, SignedAxis, Skeleton, Track, UnitQuaternion, Vector3,
};
use nalgebra::Translation3;

use crate::body::Body;
use crate::robot_soles::sole_floor;
use crate::samples::Samples;
use crate::{EditError, EditReport};
pub use curve::{Keep, RootCurve};
pub(crate) use heading::{Travel, headings, travel};

/// The motion of the root over the ground: the position of the hips and the heading of hips and shoulders, with
/// zero-phase smoothing.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{Keep, apply_root, in_place, root_curve};
///
/// let curve = root_curve(&clip, Keep::default());
/// let (body, _) = in_place(&clip, Keep::default())?;
/// let (again, _) = apply_root(&body, &curve)?;
/// assert_eq!(again.frames(), clip.frames());
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
pub fn root_curve(clip: &Clip, keep: Keep) -> RootCurve {
    let body = Body::of(clip);
    let Travel { places, headings } = travel(clip, &body);
    let start = places.first().map_or(0.0, |place| place.dot(&body.up));
    let position = |place: &Vector3<f64>| {
        let rise = if keep.height { 0.0 } else { place.dot(&body.up) - start };
        <[f64; 3]>::from(body.on_ground(place) + body.up * rise)
    };
    let headings = if keep.turn { vec![0.0; headings.len()] } else { headings };
    RootCurve {
        fps: clip.rate().fps(),
        up: body.up.into(),
        metres: body.metres,
        keep,
        positions: places.iter().map(position).collect(),
        headings,
    }
}

/// Removes the root motion: the body moves in place, above the origin, and faces forward unless the turn is kept.
///
/// # Errors
/// Where a number overflows.
pub fn in_place(clip: &Clip, keep: Keep) -> Result<(Clip, EditReport), EditError> {
    let curve = root_curve(clip, keep);
    let moved = place_roots(clip, "in-place", |frame| curve.placement(frame).inverse())?;
    let report = EditReport::measured("in-place", clip, &moved);
    let body = Body::of(clip);
    let way: f64 =
        curve.positions.windows(2).map(|p| (Vector3::from(p[1]) - Vector3::from(p[0])).norm()).sum();
    let way = body.metres.map(|metres| way * metres);
    let turn =
        curve.headings.last().zip(curve.headings.first()).map(|(last, first)| (last - first).to_degrees());
    let note = format!("keeps {keep} in the body");
    Ok((moved, report.figure("way", way, "m").figure("turn", turn, "deg").note(note)))
}

/// Applies a root motion: the inverse of [`in_place`]. Its lengths are converted to the unit of the clip.
///
/// # Errors
/// [`EditError::CurveLength`] where the curve has another number of frames, [`EditError::Curve`]
/// where it has another up axis, or a rate at which its last frame is half a frame or more away.
pub fn apply_root(clip: &Clip, curve: &RootCurve) -> Result<(Clip, EditReport), EditError> {
    if curve.frames() != clip.frames() {
        return Err(EditError::CurveLength { found: curve.frames(), expected: clip.frames() });
    }
    let up = clip.skeleton().space().up.vector();
    if (Vector3::from(curve.up).normalize() - up).norm() > 1e-6 {
        return Err(EditError::Curve { reason: "its up axis is not that of the motion".into() });
    }
    // Formats round rates: those that put the last frame at the same frame are the same.
    let fps = clip.rate().fps();
    let apart = (fps / curve.fps - 1.0).abs() * clip.frames().saturating_sub(1) as f64;
    if clip.frames() > 1 && (apart.is_nan() || apart >= 0.5) {
        let reason = format!("its rate is {} fps, that of the motion {fps} fps", curve.fps);
        return Err(EditError::Curve { reason });
    }
    let per_unit = match (curve.metres, Body::of(clip).metres) {
        (Some(own), Some(of_clip)) => own / of_clip,
        _ => 1.0,
    };
    let placement = |frame: usize| {
        let at = curve.placement(frame);
        Isometry3::from_parts(Translation3::from(at.translation.vector * per_unit), at.rotation)
    };
    let moved = place_roots(clip, "apply-root", placement)?;
    let report = EditReport::measured("apply-root", clip, &moved);
    Ok((moved, report))
}

/// Adds a joint on the ground below the hips that carries the root motion, as engines expect; the body becomes its
/// child. A root of that name that does not move carries it itself. Positions of all other joints stay.
///
/// # Errors
/// [`EditError::JointExists`] where another joint has that name.
pub fn add_root_joint(clip: &Clip, name: &str, keep: Keep) -> Result<(Clip, EditReport), EditError> {
    let old = clip.skeleton();
    let curve = root_curve(clip, keep);
    if let Some(joint) = old.find(name) {
        let moved = carried_by(clip, joint, &curve)?;
        let report = EditReport::measured("root-joint", clip, &moved);
        return Ok((moved, report.note(format!("joint '{name}' carries the root motion"))));
    }
    let body = place_roots(clip, "root-joint", |frame| curve.placement(frame).inverse())?;
    let mut ground = Joint::new(name, None, Vector3::zeros());
    if let Some(root) = old.roots().next() {
        ground.dofs = old.joint(root).dofs.clone();
        ground.dofs.limits = Default::default();
    }
    let mut joints = vec![ground];
    joints.extend(old.joints().iter().map(|joint| {
        let parent = joint.parent.map_or(0, |parent| parent.index() + 1);
        Joint { parent: Some(JointId::from(parent)), ..joint.clone() }
    }));
    let shift = |id: JointId| JointId::from(id.index() + 1);
    let chains = old.chains().iter().map(|chain| mocap_model::Chain {
        name: chain.name.clone(),
        base: shift(chain.base),
        tip: shift(chain.tip),
    });
    let chains = chains.collect();
    let couplings = old.couplings().iter();
    let couplings = couplings.filter_map(|coupling| coupling.with_joints(|id| Some(shift(id)))).collect();
    let skeleton = Skeleton::new(old.name(), *old.space(), joints)
        .and_then(|skeleton| skeleton.with_chains(chains))
        .and_then(|skeleton| skeleton.with_couplings(couplings))
        .map_err(|error| EditError::model("root-joint", error))?;
    let placed: Vec<Isometry3<f64>> = (0..clip.frames()).map(|frame| curve.placement(frame)).collect();
    let root = JointTracks {
        rotation: Track::from_samples(placed.iter().map(|place| place.rotation).collect())
            .unwrap_or(Track::Constant(UnitQuaternion::identity())),
        scale: None,
        translation: Track::from_samples(placed.iter().map(|place| place.translation.vector).collect()),
    };
    let tracks = std::iter::once(root).chain(body.tracks().iter().cloned()).collect();
    let clip_with = Clip::new(Arc::new(skeleton), clip.rate(), clip.frames(), tracks)
        .and_then(|with| with.with_annotations(clip.annotations().clone()))
        .map_err(|error| EditError::model("root-joint", error))?;
    let report = EditReport::measured("root-joint", clip, &clip_with).note(format!("joint '{name}' added"));
    Ok((clip_with, report))
}

/// The motion with a still root above the hips that carries a root motion; joints below it keep their places.
fn carried_by(clip: &Clip, joint: JointId, curve: &RootCurve) -> Result<Clip, EditError> {
    let skeleton = clip.skeleton();
    let body = Body::of(clip);
    let of_root = clip.track(joint);
    let is_still = !of_root.rotation.is_sampled()
        && !of_root.translation.as_ref().is_some_and(Track::is_sampled)
        && of_root.scale.is_none();
    let is_above = skeleton.joint(joint).parent.is_none()
        && joint != body.hips
        && skeleton.is_in_subtree(body.hips, joint);
    if !(is_still && is_above) {
        return Err(EditError::JointExists { name: skeleton.joint(joint).name.clone() });
    }
    let mut samples = Samples::of(clip);
    for frame in 0..clip.frames() {
        let was = samples.local(joint, frame);
        let height = body.up * was.translation.vector.dot(&body.up);
        let is = curve.placement(frame) * Isometry3::from_parts(Translation3::from(height), was.rotation);
        for child in skeleton.children(joint).iter() {
            let local = is.inverse() * was * samples.local(*child, frame);
            samples.set_local(*child, frame, &local);
        }
        samples.set_local(joint, frame, &is);
    }
    samples.into_clip("root-joint")
}

/// Turns the whole motion about the up axis: at its start the body faces `axis`.
///
/// # Errors
/// [`EditError::Option`] where the axis is vertical.
pub fn face(clip: &Clip, axis: SignedAxis) -> Result<(Clip, EditReport), EditError> {
    let body = Body::of(clip);
    let wanted = body.heading_of(&axis.vector()).ok_or(EditError::Option {
        edit: "heading",
        name: "the axis",
        value: axis.sign(),
        expected: "horizontal",
    })?;
    let Travel { places, headings } = travel(clip, &body);
    let (Some(place), Some(heading)) = (places.first(), headings.first()) else {
        return Ok((clip.clone(), EditReport::measured("heading", clip, clip)));
    };
    let turn = body.turn(wanted - heading);
    let pivot = body.on_ground(place);
    let placement = Isometry3::from_parts(Translation3::from(pivot - turn * pivot), turn);
    let moved = place_roots(clip, "heading", |_| placement)?;
    let report = EditReport::measured("heading", clip, &moved);
    Ok((moved, report.figure("turned", (wanted - heading).to_degrees(), "deg")))
}

/// Moves the whole motion along the ground: at its start the hips are above the origin.
///
/// # Errors
/// Where a number overflows.
pub fn start_at_origin(clip: &Clip) -> Result<(Clip, EditReport), EditError> {
    let body = Body::of(clip);
    let first = travel(clip, &body).places.first().copied().unwrap_or_default();
    let placement =
        Isometry3::from_parts(Translation3::from(-body.on_ground(&first)), UnitQuaternion::identity());
    let moved = place_roots(clip, "start-at", |_| placement)?;
    let report = EditReport::measured("start-at", clip, &moved);
    Ok((moved, report))
}

/// Moves the whole motion up or down: its floor is at height 0.
///
/// # Errors
/// [`EditError::NoFeet`] where no joint is recognised as a foot, [`EditError::NoUnit`] where contacts cannot be
/// measured.
pub fn ground(clip: &Clip) -> Result<(Clip, EditReport), EditError> {
    let body = Body::of(clip);
    if body.feet.is_empty() {
        return Err(EditError::NoFeet { edit: "ground" });
    }
    let found = body.contacts(clip).ok_or(EditError::NoUnit { edit: "ground" })?;
    let (motions, contacts): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    let soles = sole_floor(clip, &body.feet, &contacts, &body.up);
    let floor = soles.or_else(|| floor_under(&body.named(clip), &motions, &contacts)).unwrap_or(0.0);
    let placement = Isometry3::from_parts(Translation3::from(-body.up * floor), UnitQuaternion::identity());
    let moved = place_roots(clip, "ground", |_| placement)?;
    let report = EditReport::measured("ground", clip, &moved);
    Ok((moved, report.figure("floor", floor * body.metres_or_one(), "m")))
}

/// The clip with a transform before each root.
pub(crate) fn place_roots(
    clip: &Clip,
    edit: &'static str,
    placement: impl Fn(usize) -> Isometry3<f64>,
) -> Result<Clip, EditError> {
    let mut samples = Samples::of(clip);
    let placements: Vec<Isometry3<f64>> = (0..clip.frames()).map(placement).collect();
    samples.place(&placements);
    samples.into_clip(edit)
}

impl Samples {
    /// Puts a transform before each root, one per frame.
    pub(crate) fn place(&mut self, placements: &[Isometry3<f64>]) {
        let roots: Vec<JointId> = self.skeleton.roots().collect();
        for root in roots {
            let i = root.index();
            let offset = self.skeleton.joint(root).offset;
            let translations = self.translations[i].get_or_insert_with(|| vec![offset; self.frames]);
            for (frame, placement) in placements.iter().enumerate() {
                self.rotations[i][frame] = placement.rotation * self.rotations[i][frame];
                translations[frame] = placement.rotation * translations[frame] + placement.translation.vector;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::ForwardKinematics;
    use nalgebra::Unit;

    /// Somebody upside down stands on what is lowest: hands or head.
    #[test]
    fn a_handstand_is_put_on_its_hands() {
        let walk = clip("alex_walk.bvh");
        let body = Body::of(&walk);
        let over = UnitQuaternion::from_axis_angle(&Unit::new_unchecked(body.forward), std::f64::consts::PI);
        let turned = Isometry3::from_parts(Translation3::from(body.up * 500.0), over);
        let handstand = place_roots(&walk, "test", |_| turned).unwrap();
        let (grounded, _) = ground(&handstand).unwrap();
        let mut placed = ForwardKinematics::new(&grounded);
        let mut lowest = |frame: usize| {
            placed.place(frame);
            let heights = grounded.skeleton().iter().map(|(id, _)| placed.position(id).dot(&body.up));
            heights.fold(f64::INFINITY, f64::min)
        };
        let heights: Vec<f64> = (0..grounded.frames()).map(&mut lowest).collect();
        let under = heights.iter().filter(|height| **height < 0.0).count();
        assert!(under * 20 <= grounded.frames() + 20, "{under} of {}", grounded.frames());
        assert!(heights.iter().copied().fold(f64::INFINITY, f64::min) > -5.0, "{heights:?}");
        let floor = mocap_analysis::quality(&body.named(&grounded), &Default::default()).floor.unwrap();
        assert!(floor.abs() < 1e-6, "{floor}");
    }

    #[test]
    fn what_is_taken_out_comes_back() {
        for name in ["alex_walk.bvh", "alex_turn.bvh"] {
            for keep in ["height", "height,turn", "none"] {
                let keep: Keep = keep.parse().unwrap();
                let walk = clip(name);
                let curve = root_curve(&walk, keep);
                let (body, report) = in_place(&walk, keep).unwrap();
                let (again, _) = apply_root(&body, &RootCurve::parse(&curve.to_csv()).unwrap()).unwrap();
                for (old, new) in walk.tracks().iter().zip(again.tracks()) {
                    for frame in 0..walk.frames() {
                        let far =
                            mocap_model::angle_between(&old.rotation.at(frame), &new.rotation.at(frame));
                        assert!(far < 1e-9);
                        if let (Some(old), Some(new)) = (&old.translation, &new.translation) {
                            assert!((old.at(frame) - new.at(frame)).norm() < 1e-9 * 200.0);
                        }
                    }
                }
                assert!(report.max_m.unwrap() > 0.01, "{name}: nothing was taken out");
            }
        }
    }

    #[test]
    fn a_curve_of_another_rate_is_refused() {
        let walk = clip("alex_walk.bvh");
        let fps = walk.rate().fps();
        let curve = |fps: f64| RootCurve { fps, ..root_curve(&walk, Keep::default()) };
        // Rates are rounded in files.
        assert!(apply_root(&walk, &curve(fps * 1.0001)).is_ok());
        for other in [fps / 2.0, fps * 2.0, fps * 1.01, f64::NAN, 0.0] {
            let error = apply_root(&walk, &curve(other)).unwrap_err();
            assert!(matches!(error, EditError::Curve { .. }) && error.to_string().contains("fps"), "{error}");
        }
    }

    #[test]
    fn in_place_faces_forward_above_the_origin() {
        let (body, _) = in_place(&clip("alex_turn.bvh"), Keep::default()).unwrap();
        let turned = Body::of(&body);
        let Travel { places, headings } = travel(&body, &turned);
        assert!(headings.iter().all(|heading| heading.abs() < 0.2), "{headings:?}");
        assert!(places.iter().all(|place| turned.on_ground(place).norm() * turned.metres.unwrap() < 0.1));
    }

    #[test]
    fn a_ground_root_moves_no_joint() {
        let walk = clip("alex_walk.bvh");
        let (with, _) = add_root_joint(&walk, "root", Keep::default()).unwrap();
        assert_eq!(with.skeleton().len(), walk.skeleton().len() + 1);
        let hips = mocap_analysis::trajectory(&walk, JointId(0));
        let moved = mocap_analysis::trajectory(&with, JointId(1));
        assert!(hips.iter().zip(&moved).all(|(a, b)| (a - b).norm() < 1e-9));
        assert!(matches!(add_root_joint(&with, "root", Keep::default()), Err(EditError::JointExists { .. })));
    }

    #[test]
    fn a_still_root_of_that_name_carries_the_root_motion_itself() {
        let walk = clip("alex_walk.bvh");
        let (with, _) = add_root_joint(&walk, "root", Keep::default()).unwrap();
        // Its motion goes back to the hips; the root stays, turned.
        let mut still = Samples::of(&with);
        let turned = Isometry3::from_parts(Default::default(), UnitQuaternion::new(Vector3::x() * 0.5));
        for frame in 0..still.frames {
            let hips = still.local(JointId(0), frame) * still.local(JointId(1), frame);
            still.set_local(JointId(0), frame, &turned);
            still.set_local(JointId(1), frame, &(turned.inverse() * hips));
        }
        let still = still.into_clip("test").unwrap();
        let (carried, _) = add_root_joint(&still, "root", Keep::default()).unwrap();
        assert_eq!(carried.skeleton().len(), with.skeleton().len());
        for joint in [0, 1, 7].map(JointId) {
            let [expected, found] = [&with, &carried].map(|clip| mocap_analysis::trajectory(clip, joint));
            assert!(expected.iter().zip(&found).all(|(a, b)| (a - b).norm() < 1e-9), "{joint:?}");
        }
    }

    #[test]
    fn placing_turns_and_moves_the_start() {
        let turned = face(&clip("alex_walk.bvh"), "-X".parse().unwrap()).unwrap().0;
        let (placed, _) = start_at_origin(&turned).unwrap();
        let body = Body::of(&placed);
        let travel = travel(&placed, &body);
        assert!((travel.headings[0] + std::f64::consts::FRAC_PI_2).sin().abs() < 1e-9);
        assert!(body.on_ground(&travel.places[0]).norm() < 1e-9);
        let (low, _) = ground(&placed).unwrap();
        let (_, report) = ground(&low).unwrap();
        assert!(report.figures[0].value.unwrap().abs() < 1e-9);
    }
}
