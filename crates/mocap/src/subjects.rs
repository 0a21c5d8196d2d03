//! Subjects: the bodies in a file, if several were recorded or exported together.
//!
//! A BVH has a root for each; a scene has a tree of joints for each, often below a common node. A recording of
//! markers has the name of the subject before each label (`Alice:LKNE`).

use std::sync::Arc;

use mocap_formats::Finding;
use mocap_model::{Clip, Event, FrameRate, JointId, Markers, Role, Skeleton, name_of_tree};
use mocap_retarget::map_roles;
use mocap_solve::{MarkerSets, subject_prefix};

use crate::Problem;

/// Least number of joints of a body; smaller trees are props.
const FEWEST: usize = 5;
/// Trees below one root are examined if they have at least this many joints; a leg has fewer.
const BODY: usize = 12;
/// Roles at the ends of limbs.
const ENDS: [Role; 4] = [Role::LeftHand, Role::RightHand, Role::LeftFoot, Role::RightFoot];

/// One body among several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// What the names of all its joints begin with (`Alice` of `Alice:Hips`), else the name of its first joint.
    pub name: String,
    /// Its first joint.
    pub root: JointId,
    /// How many joints it has, without end sites.
    pub joints: usize,
}

/// The bodies in a skeleton, in the order of their joints. A tree counts where names or shape show hands and feet: props
/// and cameras are no subjects.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let subjects = mocap::subjects(walk.skeleton());
/// assert_eq!((subjects.len(), subjects[0].name.as_str()), (1, "Hips"));
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn subjects(skeleton: &Skeleton) -> Vec<Subject> {
    let sizes = sizes(skeleton);
    let size = |id: JointId| sizes[id.index()];
    let clip = Clip::at_rest(Arc::new(skeleton.clone()), FrameRate::new(1.0).expect("1 is above 0"));
    // Number of the four ends of limbs below a joint. The legs or the arms of a single body are only two.
    let ends = |id: JointId| {
        let part = clip.with_only_below(id).ok()?;
        let roles = map_roles(part.skeleton()).certain();
        Some(ENDS.into_iter().filter(|end| roles.joint(*end).is_some()).count())
    };
    let is_body = |id: JointId, least: usize| ends(id).is_some_and(|ends| ends >= least);
    let mut found = Vec::new();
    for root in skeleton.roots().filter(|root| size(*root) >= FEWEST) {
        let parts: Vec<JointId> = skeleton
            .iter()
            .filter(|(id, joint)| joint.parent == Some(root) && size(*id) >= BODY)
            .map(|(id, _)| id)
            .collect();
        let bodies: Vec<JointId> = match parts.len() {
            0 | 1 => Vec::new(),
            _ => parts.into_iter().filter(|id| is_body(*id, 3)).collect(),
        };
        match bodies.len() {
            0 | 1 if is_body(root, 2) => found.push(root),
            0 | 1 => {}
            _ => found.extend(bodies),
        }
    }
    let subject =
        |root: JointId| Subject { name: name_of_tree(skeleton, root).to_owned(), root, joints: size(root) };
    found.into_iter().map(subject).collect()
}

/// The names of the bodies in a skeleton of several; empty of one.
///
/// ```
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// assert!(mocap::several_subjects(walk.skeleton()).is_empty());
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn several_subjects(skeleton: &Skeleton) -> Vec<String> {
    if !may_be_several(skeleton) {
        return Vec::new();
    }
    let names: Vec<String> = subjects(skeleton).into_iter().map(|subject| subject.name).collect();
    if names.len() > 1 { names } else { Vec::new() }
}

/// Whether a skeleton may have several bodies: several trees of sufficient size, or several below one root.
/// Only then are roles searched.
pub(crate) fn may_be_several(skeleton: &Skeleton) -> bool {
    let sizes = sizes(skeleton);
    let parts = |root: JointId| skeleton.children(root).iter().filter(|id| sizes[id.index()] >= BODY).count();
    let roots = || skeleton.roots().filter(|root| sizes[root.index()] >= FEWEST);
    roots().count() > 1 || roots().any(|root| parts(root) > 1)
}

/// Joints of each tree, without end sites.
fn sizes(skeleton: &Skeleton) -> Vec<usize> {
    let mut sizes: Vec<usize> = skeleton.joints().iter().map(|joint| usize::from(!joint.end_site)).collect();
    for at in (0..sizes.len()).rev() {
        if let Some(parent) = skeleton.joints()[at].parent {
            sizes[parent.index()] += sizes[at];
        }
    }
    sizes
}

/// What labels begin with: names of subjects, each with its separator.
pub(crate) fn label_prefixes(markers: &Markers) -> Vec<&str> {
    MarkerSets::built_in().subject_prefixes(markers.names())
}

/// `Alice` of `Alice:` and of `Alice_`.
fn name_of(prefix: &str) -> &str {
    &prefix[..prefix.len() - 1]
}

/// The subjects of a recording, in the order of the markers: what stands before the colon of labels (`Alice:LKNE`),
/// or before `_`, `.`, `-` or a blank where marker sets know what follows
/// ([`MarkerSets::subject_prefixes`](mocap_solve::MarkerSets::subject_prefixes)).
///
/// ```
/// let knee = mocap::read_markers("../../fixtures/markers/knee.c3d")?.value;
/// assert!(mocap::marker_subjects(&knee).is_empty());
/// # Ok::<(), mocap::Error>(())
/// ```
pub fn marker_subjects(markers: &Markers) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for name in label_prefixes(markers).into_iter().map(name_of) {
        if !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}

/// The index of the requested name, given as the name itself or as its number from 1.
fn chosen(names: &[&str], asked: &str) -> Result<usize, Finding> {
    let by_name = names.iter().position(|name| *name == asked);
    let by_number = || asked.parse::<usize>().ok()?.checked_sub(1).filter(|at| *at < names.len());
    by_name.or_else(by_number).ok_or_else(|| {
        let known = names.iter().map(|name| (*name).to_owned()).collect();
        Finding::new(Problem::NoSubject { asked: asked.to_owned(), known })
    })
}

/// The motion of one subject.
pub(crate) fn of_clip(clip: Clip, asked: Option<&str>) -> Result<Clip, Finding> {
    let Some(asked) = asked else { return Ok(clip) };
    let subjects = subjects(clip.skeleton());
    let names: Vec<&str> = subjects.iter().map(|subject| subject.name.as_str()).collect();
    let root = subjects[chosen(&names, asked)?].root;
    clip.with_only_below(root).map_err(|error| Finding::new(Problem::Edit { edit: "--subject", error }))
}

/// The markers of one subject, without its name before their labels. A name that the user states may stand before any
/// labels, known or not.
pub(crate) fn of_markers(markers: &Markers, asked: Option<&str>) -> Result<Markers, Finding> {
    let Some(asked) = asked else { return Ok(markers.clone()) };
    let mut prefixes = label_prefixes(markers);
    let stated = ['_', '.', '-', ' '].map(|separator| format!("{asked}{separator}"));
    if !prefixes.iter().any(|prefix| name_of(prefix) == asked) {
        let begins = |prefix: &&str| markers.names().iter().any(|name| name.starts_with(*prefix));
        prefixes.extend(stated.iter().map(String::as_str).filter(begins));
    }
    let mut names: Vec<&str> = Vec::new();
    for name in prefixes.iter().map(|prefix| name_of(prefix)) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let subject = names[chosen(&names, asked)?];
    let owner = |name: &str| subject_prefix(name, &prefixes);
    let label = |name: &str| {
        let prefix = owner(name).filter(|prefix| name_of(prefix) == subject)?;
        Some(name[prefix.len()..].to_owned())
    };
    let failed = |error| Finding::new(Problem::Edit { edit: "--subject", error });
    // Events without a subject are everyone's.
    let event = |event: &Event| {
        let is_owned = owner(&event.name).is_some() || event.name.contains(':');
        let name = if is_owned { label(&event.name)? } else { event.name.clone() };
        Some(Event { name, ..*event })
    };
    let events = markers.events().iter().filter_map(event).collect();
    markers.with_only(label).and_then(|only| only.with_events(events)).map_err(failed)
}

#[cfg(test)]
pub(crate) mod tests {
    use mocap_model::{Joint, JointTracks, Space, Vector3};

    use super::*;

    /// The walk of the fixtures several times: each named, placed, and below a node if one is named.
    pub(crate) fn several(names: &[&str], node: Option<&str>) -> Clip {
        let walk = crate::read("../../fixtures/clips/alex_walk.bvh").unwrap().value;
        let (mut joints, mut tracks) = (Vec::new(), Vec::new());
        if let Some(node) = node {
            let joint = Joint::new(node, None, Vector3::zeros());
            tracks.push(JointTracks::at_rest(&joint));
            joints.push(joint);
        }
        for name in names {
            let first = joints.len() as u32;
            for (id, joint) in walk.skeleton().iter() {
                let parent = joint.parent.map(|parent| JointId(parent.0 + first));
                let parent = parent.or(node.map(|_| JointId(0)));
                joints.push(Joint { name: format!("{name}{}", joint.name), parent, ..joint.clone() });
                tracks.push(walk.track(id).clone());
            }
        }
        let skeleton = Skeleton::new("", Space::default(), joints).unwrap();
        Clip::new(Arc::new(skeleton), walk.rate(), walk.frames(), tracks).unwrap()
    }

    #[test]
    fn several_bodies_are_told_apart_and_one_is_one() {
        let names = |clip: &Clip| {
            subjects(clip.skeleton())
                .into_iter()
                .map(|subject| (subject.name, subject.joints))
                .collect::<Vec<_>>()
        };
        let two = vec![("Alice".to_owned(), 24), ("Bob".to_owned(), 24)];
        assert_eq!(names(&several(&["Alice:", "Bob:"], None)), two);
        assert_eq!(names(&several(&["Alice:", "Bob:"], Some("scene"))), two);
        assert_eq!(names(&several(&["", "B_"], None)), [("Hips".to_owned(), 24), ("B_Hips".to_owned(), 24)]);
        assert_eq!(names(&several(&["Alice:"], Some("armature"))).len(), 1);
    }

    #[test]
    fn one_of_several_moves_as_it_did_alone() {
        let alone = several(&["Bob:"], None);
        for node in [None, Some("scene")] {
            let both = several(&["Alice:", "Bob:"], node);
            for asked in ["Bob", "2"] {
                let bob = of_clip(both.clone(), Some(asked)).unwrap();
                assert_eq!(bob.skeleton().joints().len(), alone.skeleton().joints().len());
                for (id, joint) in alone.skeleton().iter() {
                    assert_eq!(bob.skeleton().joint(id).name, joint.name);
                    let (found, wanted) = (bob.local(id, 100), alone.local(id, 100));
                    assert!((found.translation.vector - wanted.translation.vector).norm() < 1e-9);
                    assert!(found.rotation.angle_to(&wanted.rotation) < 1e-9);
                }
            }
            let error = of_clip(both, Some("Carol")).unwrap_err();
            assert!(error.to_string().contains("Alice, Bob"), "{error}");
        }
    }

    #[test]
    fn props_are_no_subjects() {
        let walk = several(&["Alice:"], None);
        let mut joints = walk.skeleton().joints().to_vec();
        let first = joints.len() as u32;
        for at in 0..6 {
            let parent = (at > 0).then(|| JointId(first + at - 1));
            joints.push(Joint::new(format!("rope{at}"), parent, Vector3::x()));
        }
        let skeleton = Skeleton::new("", Space::default(), joints).unwrap();
        assert_eq!(subjects(&skeleton).len(), 1);
    }
}
