//! Weights copied from a rigged character of another topology and pose.

use std::collections::BTreeMap;

use crate::person::person;
use mocap_model::{Body, Joint, JointId, Mesh, Skeleton, Space, Vector3};
use mocap_rig::{
    BoneSegment, CopiedWeights, Donor, PlaceWeights, RigError, RigMesh, Voxels, WeightMethod, bound,
    copy_weights, find_body, fit, humanoid, rest_places, segments, weigh,
};

/// A rigged person.
struct Rigged {
    body: Body,
    mesh: RigMesh,
    skeleton: Skeleton,
    bones: Vec<BoneSegment>,
    weights: PlaceWeights,
}

/// A person of capsules with so many corners around, arms lowered from a T-pose \[rad\], `scale` times as tall.
fn rigged(corners: usize, lowered: f64, scale: f64) -> Rigged {
    let (mut mesh, _) = person(corners, lowered, 0.0);
    mesh.positions.iter_mut().for_each(|at| *at *= scale);
    let positions = mesh.positions.clone();
    let body = Body { meshes: vec![mesh], ..Body::default() };
    let mesh = RigMesh::new(&body, &positions, 1_000_000).unwrap();
    let found = find_body(&mesh, None, None).unwrap();
    let skeleton = fit(&humanoid(), &found, &BTreeMap::new(), Space::default()).unwrap().skeleton;
    let voxels = Voxels::new(&mesh, 120);
    let bones = segments(&skeleton, &rest_places(&skeleton), &voxels, mesh.size, |_: JointId| true);
    let weights = weigh(&mesh, &voxels, &bones, WeightMethod::Heat, 4).unwrap();
    let body = bound(&body, &mesh, &weights, &skeleton, |_| false);
    Rigged { body, mesh, skeleton, bones, weights }
}

fn copied(to: &Rigged, skeleton: &Skeleton, donor: &Donor) -> Result<CopiedWeights, RigError> {
    copy_weights((&to.mesh, &to.bones), (skeleton, &rest_places(skeleton)), donor, 4)
}

/// Half the sum of differences of weights, mean of the places.
fn apart(a: &PlaceWeights, b: &PlaceWeights) -> f64 {
    let count = a.starts.len() - 1;
    let one = |place: usize| {
        let mut by_joint: BTreeMap<JointId, f64> = BTreeMap::new();
        a.of(place).iter().for_each(|(joint, weight)| *by_joint.entry(*joint).or_default() += weight);
        b.of(place).iter().for_each(|(joint, weight)| *by_joint.entry(*joint).or_default() -= weight);
        0.5 * by_joint.values().map(|off| off.abs()).sum::<f64>()
    };
    (0..count).map(one).sum::<f64>() / count as f64
}

#[test]
fn weights_come_back_from_the_same_body() {
    let own = rigged(16, 0.8, 1.0);
    let donor = Donor::new(&own.body, &own.skeleton, 1_000_000).unwrap();
    let found = copied(&own, &own.skeleton, &donor).unwrap();
    let off = apart(&found.weights, &own.weights);
    assert!(off < 0.04, "{off:.3}");
    assert!(found.matched > 0.95 && found.merged.is_empty(), "{} {:?}", found.matched, found.merged);
}

#[test]
fn weights_go_to_another_topology_size_and_pose() {
    let from = rigged(16, 0.5, 1.0);
    let donor = Donor::new(&from.body, &from.skeleton, 1_000_000).unwrap();
    let to = rigged(11, 0.9, 100.0);
    let found = copied(&to, &to.skeleton, &donor).unwrap();
    let off = apart(&found.weights, &to.weights);
    assert!(off < 0.15, "against the weights that are found without a donor: {off:.3}");
    assert!(found.matched > 0.8, "{}", found.matched);
    for place in 0..to.mesh.places.len() {
        let of = found.weights.of(place);
        let sum: f64 = of.iter().map(|(_, weight)| weight).sum();
        assert!((sum - 1.0).abs() < 1e-6 && of.len() <= 4, "{of:?}");
        let leg = |joint: &JointId| {
            let name = &to.skeleton.joint(*joint).name;
            (name.contains("Leg") || name.contains("Foot")).then(|| name.starts_with("Left"))
        };
        let at = to.mesh.places[place];
        // On the shins, far from the middle.
        let other = |(joint, weight): &(JointId, f64)| leg(joint) == Some(at.x < 0.0) && *weight > 0.01;
        assert!(at.y > 50.0 || !of.iter().any(other), "{of:?} at {at:?}");
    }
}

#[test]
fn a_skeleton_of_fewer_joints_gets_their_weights_above() {
    let own = rigged(16, 0.8, 1.0);
    let donor = Donor::new(&own.body, &own.skeleton, 1_000_000).unwrap();
    // Without hands and fingers: their surface follows the forearm.
    let keeps = |joint: &Joint| !joint.name.contains("Hand");
    let kept: Vec<usize> = own
        .skeleton
        .joints()
        .iter()
        .enumerate()
        .filter(|(_, joint)| keeps(joint))
        .map(|(at, _)| at)
        .collect();
    let number = |id: JointId| kept.iter().position(|at| *at == id.index()).map(JointId::from);
    let joints = kept.iter().map(|at| {
        let joint = own.skeleton.joint(JointId::from(*at)).clone();
        Joint { parent: joint.parent.and_then(number), ..joint }
    });
    let fewer = Skeleton::new("fewer", Space::default(), joints.collect()).unwrap();
    let voxels = Voxels::new(&own.mesh, 120);
    let bones = segments(&fewer, &rest_places(&fewer), &voxels, own.mesh.size, |_: JointId| true);
    let to = Rigged { bones, ..own };
    let found = copied(&to, &fewer, &donor).unwrap();
    assert!(found.merged.contains(&"LeftHand".to_owned()), "{:?}", found.merged);
    let elbow = fewer.find("LeftForeArm").unwrap();
    let tip = (0..to.mesh.places.len())
        .max_by(|a, b| to.mesh.places[*a].x.total_cmp(&to.mesh.places[*b].x))
        .unwrap();
    assert_eq!(found.weights.of(tip)[0].0, elbow);
}

#[test]
fn what_is_no_donor_is_refused() {
    let own = rigged(16, 0.8, 1.0);
    let mesh = Mesh { skin: Default::default(), ..own.body.meshes[0].clone() };
    let bare = Body { meshes: vec![mesh], ..Body::default() };
    assert_eq!(Donor::new(&bare, &own.skeleton, 1_000_000).unwrap_err(), RigError::NoSkin);
    let donor = Donor::new(&own.body, &own.skeleton, 1_000_000).unwrap();
    let others = [Joint::new("a", None, Vector3::zeros()), Joint::new("b", Some(JointId(0)), Vector3::y())];
    let other = Skeleton::new("other", Space::default(), others.to_vec()).unwrap();
    let refused = copied(&own, &other, &donor);
    assert!(matches!(refused, Err(RigError::NoCommonJoints { shared: 0, .. })), "{refused:?}");
}
