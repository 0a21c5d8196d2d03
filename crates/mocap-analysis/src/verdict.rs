//! Verdicts: motions that are impossible or suspicious, judged in one place for every command that reads or
//! makes motions.
//!
//! An impossible verdict is true of no body: bones with two lengths at once, a limb that moves against its
//! source. It shows that a file is broken or was misread, so that everything made from it would be wrong even
//! if its other figures are good.

use mocap_model::{Clip, Joint, JointId, JointTracks, Role, Skeleton, Track};

use crate::percentile::percentile;
use crate::trajectory::placements;
use crate::unit::tree_diameter;

/// A bone has two lengths if its length in most frames is at least this many times its length at rest, or the
/// reverse.
const LENGTHS: f64 = 2.0;
/// The correlation of a limb counts if the source's limb moves by at least this, root mean square about its
/// mean \[deg\].
const MOVES: f64 = 10.0;
/// A limb with a correlation below this moves against its source.
const AGAINST: f64 = 0.0;
/// A limb with a correlation below this hardly follows its source.
const HARDLY: f64 = 0.3;
/// A limb points the opposite way if its mean angle from the source's limb exceeds this \[deg\].
const OPPOSITE: f64 = 90.0;
/// A trunk is suspicious if it deviates from the source's by more than this in a frame: half a
/// right angle \[deg\].
const BENT: f64 = 45.0;
/// Hips do not move faster than this \[m/s\]: the fastest runners reach 12 m/s, and a fall reaches 30 m/s only after
/// 46 m.
const FASTEST: f64 = 30.0;
/// The longest path along the bones of a body whose unit is not stated is at most this: over four times that of an
/// adult \[m\].
const LARGEST: f64 = 10.0;
/// In clips shorter than this, feet may stand in all frames \[s\].
const SHORT: f64 = 2.0;

/// Joints at the ends of the bones of limbs.
const LIMB_ENDS: [Role; 8] = [
    Role::LeftLowerLeg,
    Role::LeftFoot,
    Role::RightLowerLeg,
    Role::RightFoot,
    Role::LeftLowerArm,
    Role::LeftHand,
    Role::RightLowerArm,
    Role::RightHand,
];

/// A fault or suspicion about a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// A stable code.
    pub code: &'static str,
    /// One sentence: the finding and its place.
    pub message: String,
    /// Whether the motion is impossible; otherwise it is suspicious.
    pub impossible: bool,
}

/// A limb of a motion, compared with the limb of the motion that it was made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimbMatch {
    /// The joint.
    pub role: Role,
    /// How much its angle moves in the source: root mean square about its mean \[deg\].
    pub source_rms: f64,
    /// The correlation of both angles; `None` where one is constant.
    pub correlation: Option<f64>,
}

/// Whether bones of limbs have one length at rest and another in the frames. `clip` must have roles;
/// [`may_have_two_lengths`] is a cheap test that needs none.
pub fn limb_lengths(clip: &Clip) -> Option<Verdict> {
    let skeleton = clip.skeleton();
    let bones = LIMB_ENDS.iter().filter_map(|role| skeleton.with_role(*role));
    let ratio = |(rest, moved): (f64, f64)| (moved / rest).max(rest / moved);
    let lengths = bones.filter_map(|id| {
        let lengths = two_lengths(skeleton.joint(id).offset.norm(), clip.track(id).translation.as_ref()?)?;
        Some((id, lengths))
    });
    let (id, (rest, moved)) = lengths.max_by(|a, b| ratio(a.1).total_cmp(&ratio(b.1)))?;
    let message = format!(
        "the bone that ends at '{}' is {rest:.4} units long at rest and {moved:.4} in most frames: no body has both",
        skeleton.joint(id).name
    );
    Some(Verdict { code: "motion::two-lengths", message, impossible: true })
}

/// Whether any bone has two lengths, limb or not.
pub fn may_have_two_lengths(clip: &Clip) -> bool {
    clip.skeleton().joints().iter().zip(clip.tracks()).any(|(joint, tracks)| {
        let track = tracks.translation.as_ref().filter(|_| joint.parent.is_some());
        track.is_some_and(|track| two_lengths(joint.offset.norm(), track).is_some())
    })
}

/// The length of a bone in most frames.
fn most(track: &Track<mocap_model::Vector3<f64>>) -> f64 {
    let mut lengths: Vec<f64> = track.values().iter().map(|place| place.norm()).collect();
    percentile(&mut lengths, 0.5).unwrap_or(0.0)
}

/// The lengths of a bone at rest and in most frames, if they differ.
fn two_lengths(rest: f64, track: &Track<mocap_model::Vector3<f64>>) -> Option<(f64, f64)> {
    let moved = most(track);
    let differ = moved > LENGTHS * rest || rest > LENGTHS * moved;
    (differ && moved.max(rest) > 0.0).then_some((rest, moved))
}

/// Whether the hips move faster between two frames than any body does. Without roles, the first
/// joint counts as the hips if any joint below it rotates, so balls and cameras are not judged. `metres` are
/// metres per unit; `from` is the first frame that belongs to the motion. [`may_be_too_fast`] is a
/// cheap test that needs no roles.
pub fn hips_speed(clip: &Clip, metres: f64, from: usize) -> Option<Verdict> {
    let skeleton = clip.skeleton();
    let turns = |(joint, tracks): (&Joint, &JointTracks)| {
        let rotations = tracks.rotation.values();
        joint.parent.is_some() && rotations.iter().any(|rotation| *rotation != rotations[0])
    };
    let first = || skeleton.joints().iter().zip(clip.tracks()).any(turns).then_some(JointId(0));
    let hips = skeleton.with_role(Role::Hips).or_else(first)?;
    let places = &placements(clip, &[hips])[0];
    let steps = places.windows(2).enumerate().skip(from);
    let jumps = steps.map(|(frame, pair)| {
        (frame, (pair[1].translation.vector - pair[0].translation.vector).norm() * metres)
    });
    let too_far = FASTEST / clip.rate().fps();
    let jumps: Vec<(usize, f64)> = jumps.filter(|(_, metres)| *metres > too_far).collect();
    let &(frame, far) = jumps.iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    let speed = far * clip.rate().fps();
    let more = match jumps.len() {
        1 => String::new(),
        steps => format!(" (the farthest of {steps} such steps)"),
    };
    // Where the rate is wrong, too, a plain number would be a row of digits.
    let speed = if speed < 1e6 { format!("{speed:.0}") } else { format!("{speed:.1e}") };
    let far = if far < 1e6 { format!("{far:.2}") } else { format!("{far:.1e}") };
    let message = format!(
        "'{}' moves by {far} m from frame {frame} to frame {}, at {speed} m/s{more}: no body is that fast",
        skeleton.joint(hips).name,
        frame + 1
    );
    Some(Verdict { code: "motion::too-fast", message, impossible: false })
}

/// Whether any joint moves in its parent's frame faster than [`hips_speed`] allows, hips or not. If
/// the unit is not stated, the longest path along the bones is taken as 10 m, more than any body
/// has.
pub fn may_be_too_fast(clip: &Clip) -> bool {
    let skeleton = clip.skeleton();
    let metres = skeleton.space().metres().unwrap_or_else(|| LARGEST / tree_diameter(skeleton));
    let too_far = FASTEST / clip.rate().fps() / metres;
    clip.tracks()
        .iter()
        .filter_map(|tracks| tracks.translation.as_ref())
        .any(|track| track.values().windows(2).any(|pair| (pair[1] - pair[0]).norm() > too_far))
}

/// Whether a motion has the size of the body that it was made for: `target` at rest, `made` in most of its
/// frames. Both must have roles. Lengths are compared in metres if both units are known, so a motion in a wrong
/// unit is found too.
pub fn body_size(target: &Skeleton, made: &Clip) -> Option<Verdict> {
    let bones = LIMB_ENDS
        .iter()
        .filter_map(|role| Some((target.with_role(*role)?, made.skeleton().with_role(*role)?)));
    let length = |id: JointId| match &made.track(id).translation {
        Some(track) => most(track),
        None => made.skeleton().joint(id).offset.norm(),
    };
    let (rest, found) = bones.fold((0.0, 0.0), |(rest, found), (of_target, of_made)| {
        (rest + target.joint(of_target).offset.norm(), found + length(of_made))
    });
    let (of_target, of_made) = (target.space().metres(), made.skeleton().space().metres());
    let (rest, found, unit) = match of_target.zip(of_made) {
        Some((of_target, of_made)) => (rest * of_target, found * of_made, "m"),
        None => (rest, found, "units"),
    };
    let differ = found > LENGTHS * rest || rest > LENGTHS * found;
    (differ && rest.max(found) > 0.0).then(|| Verdict {
        code: "retarget::size",
        message: format!(
            "the limbs of the result are {found:.4} {unit} long in all, those of the target {rest:.4} {unit}"
        ),
        impossible: true,
    })
}

/// Whether a limb points the opposite way to that of the motion that it was made from; `angle` is the mean
/// angle between both \[deg\].
pub fn limb_direction(limb: &str, angle: f64) -> Option<Verdict> {
    (angle > OPPOSITE).then(|| Verdict {
        code: "retarget::against",
        message: format!("{limb} points {angle:.0}° away from that of the source on average"),
        impossible: true,
    })
}

/// Whether the trunk of a robot deviates too far from that of the motion that it was made from;
/// `angle` is the largest angle between both \[deg\].
pub fn trunk_direction(angle: f64) -> Option<Verdict> {
    (angle > BENT).then(|| Verdict {
        code: "retarget::trunk",
        message: format!("the trunk is up to {angle:.0}° away from that of the source"),
        impossible: false,
    })
}

/// Whether limbs follow those of the motion that they were made from.
pub fn limb_matches(limbs: impl IntoIterator<Item = LimbMatch>) -> Vec<Verdict> {
    let moving = limbs.into_iter().filter(|limb| limb.source_rms > MOVES);
    let judged = moving.filter_map(|LimbMatch { role, correlation, source_rms }| {
        let correlation = correlation?;
        let (code, says, impossible) = match correlation {
            against if against < AGAINST => ("retarget::against", "moves against that of the source", true),
            hardly if hardly < HARDLY => ("retarget::hardly", "hardly follows that of the source", false),
            _ => return None,
        };
        let name = role.name();
        let message =
            format!("{name} {says}: correlation {correlation:.2} of an angle that moves by {source_rms:.0}°");
        Some(Verdict { code, message, impossible })
    });
    judged.collect()
}

/// Whether a foot never leaves the floor although the clip is long: `contacts` of `frames` frames.
pub fn always_in_contact(role: Role, contacts: usize, frames: usize, fps: f64) -> Option<Verdict> {
    let always = contacts == frames && frames as f64 >= SHORT * fps;
    always.then(|| Verdict {
        code: "retarget::always-in-contact",
        message: format!("{} is in contact with the floor in every frame", role.name()),
        impossible: false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::{FrameRate, Space, Vector3};
    use std::sync::Arc;

    /// A leg whose shank is `rest` long at rest and moves as `track`.
    fn leg(rest: f64, track: Option<Track<Vector3<f64>>>) -> Clip {
        let joint = |name: &str, parent: Option<u32>, offset: Vector3<f64>, role| Joint {
            role: Some(role),
            ..Joint::new(name, parent.map(JointId), offset)
        };
        let joints = vec![
            joint("hips", None, Vector3::y(), Role::Hips),
            joint("knee", Some(0), -Vector3::y() * 0.4, Role::LeftLowerLeg),
            joint("foot", Some(1), -Vector3::y() * rest, Role::LeftFoot),
        ];
        let skeleton = Arc::new(Skeleton::new("", Space::default(), joints).unwrap());
        let mut tracks: Vec<_> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        tracks[2].translation = track;
        Clip::new(skeleton, FrameRate::new(30.0).unwrap(), 4, tracks).unwrap()
    }

    #[test]
    fn a_bent_trunk_is_said() {
        assert_eq!(trunk_direction(44.0), None);
        let verdict = trunk_direction(70.4).unwrap();
        assert_eq!((verdict.code, verdict.impossible), ("retarget::trunk", false));
        assert!(verdict.message.contains("70°"), "{}", verdict.message);
    }

    #[test]
    fn only_bodies_are_too_fast() {
        let joint = |name: &str, parent: Option<u32>| Joint::new(name, parent.map(JointId), Vector3::y());
        let skeleton =
            Skeleton::new("", Space::default(), vec![joint("mount", None), joint("lens", Some(0))]).unwrap();
        let skeleton = Arc::new(skeleton);
        let mut tracks: Vec<_> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        tracks[0].translation =
            Some(Track::Sampled((0..4).map(|frame| Vector3::x() * 3.0 * f64::from(frame)).collect()));
        let rate = FrameRate::new(30.0).unwrap();
        let speed = |tracks: &[JointTracks]| {
            let clip = Clip::new(skeleton.clone(), rate, 4, tracks.to_vec()).unwrap();
            assert!(may_be_too_fast(&clip));
            hips_speed(&clip, 1.0, 0)
        };
        // A ball that flies and spins, and a camera on its mount.
        let spin = (0..4).map(|frame| mocap_model::exp(&(Vector3::z() * f64::from(frame)))).collect();
        tracks[0].rotation = Track::Sampled(spin);
        assert_eq!(speed(&tracks), None);
        tracks[1].rotation = tracks[0].rotation.clone();
        assert_eq!(speed(&tracks).unwrap().code, "motion::too-fast");
    }

    #[test]
    fn bones_of_two_lengths_are_impossible() {
        let places = |length: f64| Track::Sampled(vec![-Vector3::y() * length; 4]);
        for (rest, moved, wrong) in
            [(0.4, 0.4, false), (0.4, 0.7, false), (0.4, 0.004, true), (0.0, 0.4, true), (40.0, 0.4, true)]
        {
            let clip = leg(rest, Some(places(moved)));
            let found = limb_lengths(&clip);
            assert_eq!((found.is_some(), may_have_two_lengths(&clip)), (wrong, wrong), "{rest} {moved}");
            assert!(found.is_none_or(|verdict| verdict.impossible && verdict.message.contains("'foot'")));
        }
        assert_eq!(limb_lengths(&leg(0.4, None)), None);
        // One frame is no length.
        let one = Track::Sampled([0.4, 0.4, 0.4, 9.0].map(|length| Vector3::y() * length).to_vec());
        assert_eq!(limb_lengths(&leg(0.4, Some(one))), None);
    }

    #[test]
    fn results_are_as_large_as_their_target() {
        let body = leg(0.4, None);
        let unit = |metres: f64| {
            let unit = Some(mocap_model::Unit { metres, source: mocap_model::UnitSource::File });
            body.skeleton().with_space(Space { unit, ..Space::default() })
        };
        let metres = unit(1.0);
        let made = |skeleton: Skeleton| body.clone().with_skeleton(Arc::new(skeleton)).unwrap();
        assert_eq!(body_size(&metres, &made(unit(1.0))), None);
        for metres_of_unit in [0.01, 100.0] {
            let found = body_size(&metres, &made(unit(metres_of_unit))).unwrap();
            assert!(found.impossible && found.code == "retarget::size", "{found:?}");
        }
        // The same lengths in another unit are the same size.
        let centimetres = unit(0.01).with_joints(|joint| joint.offset *= 100.0).unwrap();
        assert_eq!(body_size(&metres, &made(centimetres)), None);
        // Frames of another size than the rest pose.
        let places = Track::Sampled(vec![-Vector3::y() * 40.0; 4]);
        assert!(body_size(body.skeleton(), &leg(0.4, Some(places))).is_some());
    }

    #[test]
    fn limbs_on_robots_point_to_the_side_of_the_source() {
        assert_eq!(limb_direction("thigh", 60.0), None);
        assert!(limb_direction("thigh", 128.0).is_some_and(|verdict| verdict.impossible));
    }

    #[test]
    fn limbs_that_move_have_to_follow() {
        let limb = |source_rms, correlation| LimbMatch { role: Role::LeftUpperArm, source_rms, correlation };
        let judged = |source_rms, correlation| {
            let found = limb_matches([limb(source_rms, correlation)]);
            found.first().map(|verdict| (verdict.code, verdict.impossible))
        };
        assert_eq!(judged(30.0, Some(-0.2)), Some(("retarget::against", true)));
        assert_eq!(judged(30.0, Some(0.2)), Some(("retarget::hardly", false)));
        assert_eq!(judged(30.0, Some(0.9)), None);
        assert_eq!(judged(5.0, Some(-0.9)), None);
        assert_eq!(judged(30.0, None), None);
    }

    #[test]
    fn only_long_clips_have_to_lift_their_feet() {
        assert!(always_in_contact(Role::LeftFoot, 300, 300, 30.0).is_some());
        assert!(always_in_contact(Role::LeftFoot, 299, 300, 30.0).is_none());
        assert!(always_in_contact(Role::LeftFoot, 30, 30, 30.0).is_none());
    }
}
