//! Bind points of a held prop survive files: their names, and where they are in the hand.

use mocap::Clip;
use mocap::edit::{Binding, HoldAs, attach};
use mocap::formats::KeptScene;
use mocap::model::Role;
use mocap::model::{
    Character, ForwardKinematics, Isometry3, Joint, JointId, JointTracks, Scene, Skeleton, Vector3,
};
use std::sync::Arc;

/// A stick with a bind point in its middle and one at its end, which lies still.
fn stick(like: &Clip) -> Clip {
    let joints = vec![
        Joint::new("stick", None, Vector3::zeros()),
        Joint::new("grip", Some(JointId(0)), Vector3::new(1.0, 0.0, 0.5)),
        Joint::new("tip", Some(JointId(0)), Vector3::new(-2.0, 0.3, 0.0)),
    ];
    let skeleton = Arc::new(Skeleton::new("", *like.skeleton().space(), joints).expect("a tree"));
    let tracks = skeleton.joints().iter().map(JointTracks::at_rest).collect();
    Clip::new(skeleton, like.rate(), like.frames(), tracks).expect("as many frames")
}

/// The places of a joint of a scene by its name \[m\].
fn places(scene: &Scene, name: &str) -> Vec<Isometry3<f64>> {
    let metres = mocap::known_unit(scene.characters[0].skeleton()).expect("a unit").metres;
    let all = scene.characters.iter().chain(&scene.props);
    // Files of several give names a prefix.
    let is = |own: &str| own.rsplit(':').next() == Some(name);
    let joints =
        all.flat_map(|one| one.clip.skeleton().iter().map(move |(id, joint)| (&one.clip, id, joint)));
    let found = joints.into_iter().find(|(.., joint)| is(&joint.name));
    let (clip, joint, _) = found.unwrap_or_else(|| panic!("no joint '{name}'"));
    let mut placed = ForwardKinematics::new(clip);
    let place = |frame: usize| {
        placed.place(frame);
        let mut place = *placed.at(joint);
        place.translation.vector *= metres;
        place
    };
    (0..clip.frames()).map(place).collect()
}

pub(crate) fn bind_points_of_fixture_props_survive_files() {
    let walk = mocap::read(mocap_corpus::fixture("clips/alex_walk.bvh")).expect("a sound file").value;
    let prop = stick(&walk);
    let hand = mocap::retarget::map_roles_in(&walk).joint(Role::RightHand).expect("a hand");
    let wrist = walk.skeleton().joint(hand).name.clone();
    let named = |name: &str, clip: Clip| Character { name: name.into(), ..Character::from(clip) };
    let scene = Scene {
        characters: vec![named("Alex", walk)],
        props: vec![named("stick", prop)],
        ..Scene::default()
    };
    let binding: Binding = "stick@grip=Alex@RightHand".parse().expect("a binding");
    let (scene, _) = attach(&scene, &binding, HoldAs::Snapped, 0.15).expect("a hand");
    let held = |scene: &Scene, name: &str| -> Vec<Vector3<f64>> {
        let pairs = places(scene, &wrist).into_iter().zip(places(scene, name));
        pairs.map(|(wrist, point)| (wrist.inverse() * point).translation.vector).collect()
    };
    let before = ["stick", "grip", "tip"].map(|name| held(&scene, name));
    assert!(before[1].iter().all(|place| place.norm() < 1e-9), "the grip is at the wrist");
    let folder = tempfile::tempdir().expect("a folder");
    for (file, most) in [("held.bvh", 1e-5), ("held.glb", 1e-5), ("held.fbx", 1e-6)] {
        let path = folder.path().join(file);
        let kept = KeptScene::from(scene.clone());
        mocap::write_scene(&path, &kept, &Default::default()).expect("a scene");
        let read = mocap::read_scene(&path, &Default::default()).expect("a sound file").value.scene;
        for (name, before) in ["stick", "grip", "tip"].into_iter().zip(&before) {
            let after = held(&read, name);
            let apart = before.iter().zip(&after).map(|(was, is)| (was - is).norm()).fold(0.0, f64::max);
            mocap_corpus::note!("{file}: {name} off by {apart:.1e} m");
            assert!(after.len() == before.len() && apart < most, "{file}: {name} is off by {apart} m");
        }
    }
    let path = folder.path().join("stick.skel");
    mocap::write_skeleton(&path, scene.props[0].skeleton()).expect("a skeleton");
    let read = mocap::read_skeleton(&path).expect("a sound file").value;
    for (_, joint) in scene.props[0].skeleton().iter() {
        let own = read.find(&joint.name).unwrap_or_else(|| panic!("'{}' is lost", joint.name));
        assert!((read.joint(own).offset - joint.offset).norm() < 1e-9, "{}", joint.name);
    }
}
