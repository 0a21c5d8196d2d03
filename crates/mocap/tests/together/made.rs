//! Pairs that are generated from one motion: the second person is a copy, turned, mirrored and
//! placed such that hands meet.

use mocap::edit::mirror;
use mocap::model::{ForwardKinematics, JointId, JointTracks, Role, Track, UnitQuaternion};
use mocap::retarget::map_roles_in;
use mocap::{Clip, Vector3};

/// Two people with known contacts.
pub(crate) struct Made {
    pub name: &'static str,
    pub people: [Clip; 2],
    /// The hands that meet, and the frames in which their palms are within 5 cm.
    pub contacts: Vec<([Role; 2], Vec<usize>)>,
}

/// A motion turned about the up axis of its space, then moved.
pub(crate) fn moved(clip: &Clip, degrees: f64, way: Vector3<f64>) -> Clip {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), degrees.to_radians());
    let mut tracks = clip.tracks().to_vec();
    for (id, _) in clip.skeleton().iter().filter(|(_, joint)| joint.parent.is_none()) {
        let own = &mut tracks[id.index()];
        own.rotation = own.rotation.map(|rotation| turn * rotation);
        let offset = clip.skeleton().joint(id).offset;
        let places = own.translation.clone().unwrap_or(Track::Constant(offset));
        own.translation = Some(places.map(|place| turn * place + way));
    }
    let moved = Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), tracks);
    moved.expect("places are finite")
}

/// The palm of a hand in all frames: the middle between the wrist and the joints that it carries.
pub(crate) fn palms(clip: &Clip, hand: Role) -> Vec<Vector3<f64>> {
    let wrist: JointId = map_roles_in(clip).joint(hand).expect("a hand");
    let skeleton = clip.skeleton();
    let below: Vec<JointId> =
        skeleton.iter().filter(|(_, joint)| joint.parent == Some(wrist)).map(|(id, _)| id).collect();
    let mut placed = ForwardKinematics::new(clip);
    let at = |frame: usize| {
        placed.place(frame);
        let wrist = placed.position(wrist);
        let sum: Vector3<f64> = below.iter().map(|joint| placed.position(*joint) - wrist).sum();
        wrist + sum * (0.5 / below.len().max(1) as f64)
    };
    (0..clip.frames()).map(at).collect()
}

/// A motion that holds one of its frames for so many more frames.
pub(crate) fn held_at(clip: &Clip, frame: usize, count: usize) -> Clip {
    let from = |at: usize| if at < frame { at } else { frame.max(at.saturating_sub(count)) };
    fn longer<T: Clone>(track: &Track<T>, frames: usize, from: impl Fn(usize) -> usize) -> Track<T> {
        match track {
            Track::Sampled(values) => {
                Track::Sampled((0..frames).map(|at| values[from(at)].clone()).collect())
            }
            Track::Constant(value) => Track::Constant(value.clone()),
        }
    }
    let frames = clip.frames() + count;
    let tracks = clip.tracks().iter().map(|tracks| JointTracks {
        rotation: longer(&tracks.rotation, frames, from),
        translation: tracks.translation.as_ref().map(|track| longer(track, frames, from)),
        scale: tracks.scale.as_ref().map(|track| longer(track, frames, from)),
    });
    Clip::new(clip.skeleton().clone(), clip.rate(), frames, tracks.collect()).expect("as many frames each")
}

/// The frames in which palms are within a distance. A run of such frames counts only if palms move slower than an arm's
/// length per second relative to each other in at least one of them: hands that fly past each other are not in contact.
fn frames_within(clip: &Clip, one: &[Vector3<f64>], other: &[Vector3<f64>], distance: f64) -> Vec<usize> {
    let apart: Vec<Vector3<f64>> = one.iter().zip(other).map(|(a, b)| a - b).collect();
    let slow = arm_length(clip) / clip.rate().fps();
    let is_slow = |frame: &usize| {
        let beside = [frame.checked_sub(1), Some(frame + 1)].into_iter().flatten();
        let mut steps = beside.filter_map(|other| Some((apart.get(other)? - apart[*frame]).norm()));
        steps.any(|step| step < slow)
    };
    let near: Vec<usize> = (0..apart.len()).filter(|frame| apart[*frame].norm() < distance).collect();
    let runs = near.chunk_by(|a, b| a + 1 == *b);
    runs.filter(|run| run.iter().any(is_slow)).flatten().copied().collect()
}

/// From shoulder to elbow to wrist [units].
fn arm_length(clip: &Clip) -> f64 {
    let hand = map_roles_in(clip).joint(Role::RightHand).expect("a hand");
    let elbow = clip.skeleton().joint(hand).parent.expect("a forearm");
    let shoulder = clip.skeleton().joint(elbow).parent.expect("an upper arm");
    let mut placed = ForwardKinematics::new(clip);
    placed.place(0);
    let [a, b, c] = [shoulder, elbow, hand].map(|joint| placed.position(joint));
    (b - a).norm() + (c - b).norm()
}

/// A person and its reflection in a mirror that stands where a palm is furthest ahead: hands meet
/// those of the reflection whenever they are at the mirror. `metres`: metres per unit; `apart`: the
/// distance between the palms \[m\].
pub(crate) fn before_a_mirror(name: &'static str, clip: &Clip, hand: Role, metres: f64, apart: f64) -> Made {
    // Both people stay in place: the travel of the hips along the ground is removed.
    let own = palms(clip, hand);
    let roles = map_roles_in(clip);
    let hips = roles.joint(Role::Hips).expect("hips");
    let mut placed = ForwardKinematics::new(clip);
    // Ahead is where the palm is furthest from the hips.
    let mut furthest = (0, Vector3::zeros());
    for (frame, palm) in own.iter().enumerate() {
        placed.place(frame);
        let mut way = palm - placed.position(hips);
        way.y = 0.0;
        if way.norm() > furthest.1.norm() {
            furthest = (frame, way);
        }
    }
    let ahead = furthest.1.normalize();
    let mirrored = mirror(clip).expect("a body").0;
    let partner = if hand == Role::LeftHand { Role::RightHand } else { Role::LeftHand };
    // A body is mirrored about its own middle, so it is turned until its palm faces the other one.
    let theirs = palms(&mirrored, partner);
    let mut placed = ForwardKinematics::new(&mirrored);
    placed.place(furthest.0);
    let hips_of = map_roles_in(&mirrored).joint(Role::Hips).expect("hips");
    let mut way = theirs[furthest.0] - placed.position(hips_of);
    way.y = 0.0;
    let heading = |v: Vector3<f64>| v.x.atan2(v.z).to_degrees();
    let other = moved(&mirrored, heading(-ahead) - heading(way), Vector3::zeros());
    let at = palms(&other, partner)[furthest.0];
    let other = moved(&other, 0.0, own[furthest.0] + ahead * (apart / metres) - at);
    let frames = frames_within(clip, &own, &palms(&other, partner), (0.05 + apart) / metres);
    Made { name, people: [clip.clone(), other], contacts: vec![([hand, partner], frames)] }
}

/// Two people side by side, hand in hand: the second is the mirror image of the first at its hand.
pub(crate) fn hand_in_hand(name: &'static str, clip: &Clip, metres: f64, apart: f64) -> Made {
    let own = palms(clip, Role::LeftHand);
    let mirrored = mirror(clip).expect("a body").0;
    let theirs = palms(&mirrored, Role::RightHand);
    let count = own.len() as f64;
    let mean = own.iter().zip(&theirs).map(|(a, b)| a - b).sum::<Vector3<f64>>() / count;
    let aside = mean.normalize() * (apart / metres);
    let other = moved(&mirrored, 0.0, mean + aside);
    let frames = frames_within(clip, &own, &palms(&other, Role::RightHand), (0.05 + apart) / metres);
    let contacts = vec![([Role::LeftHand, Role::RightHand], frames)];
    Made { name, people: [clip.clone(), other], contacts }
}

/// The same person twice, face to face: right hands meet where they are furthest ahead of the hips, high up or lower, and stay
/// there for some frames.
pub(crate) fn right_to_right(name: &'static str, clip: &Clip, metres: f64, apart: f64, high: bool) -> Made {
    let clip = &held_at(clip, ahead(clip, high).0, if high { 6 } else { 30 });
    let best = ahead(clip, high);
    let own = palms(clip, Role::RightHand);
    let other = moved(clip, 180.0, Vector3::zeros());
    let at = palms(&other, Role::RightHand)[best.0];
    let other = moved(&other, 0.0, own[best.0] + best.1 * (apart / metres) - at);
    let frames = frames_within(clip, &own, &palms(&other, Role::RightHand), (0.05 + apart) / metres);
    let contacts = vec![([Role::RightHand, Role::RightHand], frames)];
    Made { name, people: [clip.clone(), other], contacts }
}

/// The frame in which the right hand is furthest ahead of the hips, and the direction.
fn ahead(clip: &Clip, high: bool) -> (usize, Vector3<f64>) {
    let own = palms(clip, Role::RightHand);
    let hips = map_roles_in(clip).joint(Role::Hips).expect("hips");
    let mut placed = ForwardKinematics::new(clip);
    let mut best = (0, f64::NEG_INFINITY, Vector3::zeros());
    for (frame, palm) in own.iter().enumerate() {
        placed.place(frame);
        let way = palm - placed.position(hips);
        let flat = Vector3::new(way.x, 0.0, way.z);
        let value = flat.norm() + if high { 0.5 * way.y } else { -way.y.abs() };
        if value > best.1 {
            best = (frame, value, flat);
        }
    }
    (best.0, best.2.normalize())
}
