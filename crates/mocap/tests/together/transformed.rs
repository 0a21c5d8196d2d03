//! A scene that is turned about the up axis or moved along the ground as a whole gives the same motion, turned or moved:
//! arms that are brought out of the body, and a stick in two hands.

use crate::held::with_bent_elbows;
use crate::made::moved;
use crate::scene::{BODIES, body, clip};
use mocap::edit::{Binding, HoldAs, attach, keep_bound};
use mocap::model::{
    Character, ForwardKinematics, Joint, JointId, JointTracks, Scene, Skeleton, Space, Unit, UnitSource,
};
use mocap::{Clip, Opening, SurfaceChoice, Target, Vector3};
use std::sync::Arc;

/// The turns \[degrees\] and ways \[m\]: some along axes, where terms vanish, and others.
const CHANGES: [(f64, [f64; 2]); 6] = [
    (17.0, [0.0, 0.0]),
    (81.0, [3.0, -2.0]),
    (90.0, [0.0, 0.0]),
    (180.0, [0.0, 0.0]),
    (233.0, [-1.0, 5.0]),
    (0.0, [400.0, -300.0]),
];
/// The largest difference of a joint \[m\]: rounding, of places at 500 m too.
const SAME: f64 = 1e-6;

/// The largest distance between joints of two motions of one skeleton [units].
fn apart(one: &Clip, other: &Clip) -> f64 {
    let [mut a, mut b] = [one, other].map(ForwardKinematics::new);
    let mut most = 0.0f64;
    for frame in 0..one.frames() {
        a.place(frame);
        b.place(frame);
        let joints = one.skeleton().iter().map(|(id, _)| (a.position(id) - b.position(id)).norm());
        most = joints.fold(most, f64::max);
    }
    most
}

fn root(clip: &Clip) -> Vector3<f64> {
    let mut placed = ForwardKinematics::new(clip);
    placed.place(0);
    placed.position(JointId(0))
}

/// A person with a stick in the right hand, which the left one holds in the middle of the motion.
fn with_stick(clip: &Clip, metres: f64) -> Scene {
    let unit = Some(Unit { metres, source: UnitSource::Flag });
    let space = Space { unit, ..*clip.skeleton().space() };
    let clip = clip.clone().with_skeleton(clip.skeleton().with_space(space).into()).expect("as many joints");
    let along = |distance: f64| Vector3::new(0.0, 0.0, distance / metres);
    let joints = vec![
        Joint::new("stick", None, Vector3::zeros()),
        Joint::new("right", Some(JointId(0)), along(0.1)),
        Joint::new("left", Some(JointId(0)), along(0.4)),
        Joint::new("tip", Some(JointId(0)), along(1.2)),
    ];
    let skeleton = Arc::new(Skeleton::new("", space, joints).expect("a tree"));
    let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    let thing = Clip::new(skeleton, clip.rate(), clip.frames(), tracks).expect("as many frames");
    let named = |name: &str, clip: Clip| Character { name: name.into(), ..Character::from(clip) };
    let (first, last) = (clip.frames() / 6, clip.frames() * 5 / 6);
    let scene = Scene {
        characters: vec![named("Alex", clip)],
        props: vec![named("stick", thing)],
        ..Scene::default()
    };
    let bind = |text: &str| text.parse::<Binding>().expect("a binding");
    let (scene, _) =
        attach(&scene, &bind("stick@right=Alex@RightHand"), HoldAs::Snapped, 0.15).expect("a hand");
    let left = format!("stick@left=Alex@LeftHand,{first}:{last}");
    attach(&scene, &bind(&left), HoldAs::Snapped, 0.5).expect("an arm").0
}

fn changed(scene: &Scene, degrees: f64, way: Vector3<f64>) -> Scene {
    let mut scene = scene.clone();
    for one in scene.characters.iter_mut().chain(&mut scene.props) {
        one.clip = moved(&one.clip, degrees, way);
    }
    scene
}

/// The person of a scene on a target: as retargeted alone, with the stick, and the stick.
fn on(scene: &Scene, target: &Target) -> [Clip; 3] {
    let source = &scene.characters[0].clip;
    let opening = Opening::default();
    let done = mocap::put_on_target(source, &opening, target, None, &Default::default(), &mut Vec::new());
    let motion = done.expect("a person").0;
    let props = mocap::props_beside(scene.props.clone(), Some(source.skeleton()), motion.skeleton());
    let person = Character { name: "Alex".into(), ..Character::from(motion.clone()) };
    let before = Scene { characters: vec![person], props: props.expect("a unit"), ..Scene::default() };
    let kept = keep_bound(scene, before, &[target.surface_or_capsules()]).expect("as many frames").scene;
    [motion, kept.characters[0].clip.clone(), kept.props[0].clip.clone()]
}

/// How far arms were brought out of the body \[m\], and the largest difference of the changed scenes \[m\].
fn differences(name: &str, scene: &Scene, target: &Target) -> (f64, f64) {
    let metres = mocap::known_unit(scene.characters[0].skeleton()).expect("a unit").metres;
    let here = on(scene, target);
    let unit = mocap::known_unit(here[0].skeleton()).expect("a unit").metres;
    let bare = Target { surface: None, ..target.clone() };
    let brought_out = apart(&here[0], &on(scene, &bare)[0]) * unit;
    let mut most = 0.0f64;
    for (degrees, [x, z]) in CHANGES {
        let way = Vector3::new(x, 0.0, z) / metres;
        let there = on(&changed(scene, degrees, way), target);
        // Distances are scaled with the length of the legs, so a scene that was moved is at another place.
        let shift = root(&there[0]) - root(&moved(&here[0], degrees, Vector3::zeros()));
        let found = [0, 1, 2].map(|i| apart(&moved(&here[i], degrees, shift), &there[i]) * unit);
        mocap_corpus::note!("{name}, {degrees} degrees, {x} and {z} m: {found:?} m apart");
        most = found.into_iter().fold(most, f64::max);
    }
    mocap_corpus::note!("{name}: arms are brought out by {brought_out:.3} m");
    (brought_out, most)
}

/// Forearms in the trunk, which both the search for arms that are outside and the swivel of held arms change.
pub(crate) fn a_stick_in_hands_of_a_fixture_is_the_same_turned_and_moved() {
    let walk = mocap::read(mocap_corpus::fixture("clips/alex_walk.bvh")).expect("a sound file").value;
    let scene = with_stick(&with_bent_elbows(&walk), 0.01);
    for name in ["clips/robin.skel", "bodies/short_legs.skel"] {
        let read = mocap::read_target(mocap_corpus::fixture(name), &Default::default());
        let read = read.expect("a sound file").value;
        let metres = Some(Unit { metres: 1.0, source: UnitSource::Flag });
        let skeleton = read.skeleton.in_space(Space { unit: metres, ..*read.skeleton.space() });
        let target = Target::new(Arc::new(skeleton.expect("small numbers")))
            .with_surface(&SurfaceChoice::Capsules, &Default::default())
            .expect("a person")
            .value;
        let (brought_out, most) = differences(name, &scene, &target);
        assert!(brought_out > 0.01, "{name}: arms are brought out by {brought_out} m only");
        assert!(most < SAME, "{name}: {most} m apart");
    }
}

/// The same of captured motions, whose arms come into trunk and thighs of others' bodies.
pub(crate) fn a_stick_in_two_hands_is_the_same_turned_and_moved_on_all_bodies() {
    let raised = clip("bandai2/dataset-2_raise-up-right-hand_active_001.bvh");
    let bow = clip("bandai/dataset-1_bow_active_001.bvh");
    for (motion, source, bodies) in
        [("raised hand", raised, &BODIES[..]), ("bow", bow, &["child", "strong_man"])]
    {
        let scene = with_stick(&source, 0.01);
        for name in bodies {
            let (_, most) = differences(&format!("{motion} on {name}"), &scene, &body(name));
            assert!(most < SAME, "{motion} on {name}: {most} m apart");
        }
    }
}
