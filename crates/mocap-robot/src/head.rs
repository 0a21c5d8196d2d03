//! The head of a robot: what the hinges of its neck rotate.

use mocap_model::{RobotJoint, Vector3};

use crate::limb::Limb;
use crate::rest::Rest;

/// A head on a neck.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// The body that the neck rotates, by index.
    pub body: usize,
    /// Hinges of the neck, from the torso outwards.
    pub joints: Vec<usize>,
}

/// Words in the names of joints and bodies of heads.
const WORDS: [&str; 3] = ["head", "neck", "skull"];
/// Words in the names of what a head moves by itself.
const FACE: [&str; 3] = ["eye", "jaw", "lid"];
/// An axis turns the head about a direction if it is at most this far from it: cosine of 45°.
const ALONG: f64 = 0.7;

impl Head {
    /// The hinges above the torso that belong to no limb: those named like a head, else, with arms, those above the
    /// shoulders and between them.
    pub(crate) fn find(rest: &Rest, torso: usize, limbs: &[&Limb]) -> Option<Head> {
        let in_limb = |joint: &usize| limbs.iter().any(|limb| limb.joints.contains(joint));
        let above_torso = |joint: &usize| {
            let body = rest.robot.joints()[*joint].body;
            body != torso && rest.path(body).contains(&torso)
        };
        let chains = rest.leaves().map(|leaf| -> Vec<usize> {
            let hinges = rest.hinges(leaf);
            // Joints below a limb, such as fingers, belong to the limb.
            if hinges.iter().any(in_limb) { vec![] } else { hinges.into_iter().filter(above_torso).collect() }
        });
        let chains: Vec<Vec<usize>> = chains.filter(|chain| !chain.is_empty()).collect();
        let is_called = |joint: &usize, words: &[&str]| {
            let RobotJoint { name, body, .. } = &rest.robot.joints()[*joint];
            let names = [name, &rest.robot.bodies()[*body].name].map(|name| name.to_lowercase());
            names.iter().any(|name| words.iter().any(|word| name.contains(word)))
        };
        let by_name = chains.iter().find_map(|chain| {
            let last =
                chain.iter().rposition(|joint| is_called(joint, &WORDS) && !is_called(joint, &FACE))?;
            Some((chain, last + 1))
        });
        let shoulders: Vec<_> = limbs.iter().map(|limb| limb.base.at(&rest.placed)).collect();
        let stands = |joint: &usize| {
            let (at, _) = rest.line(*joint);
            let wide = shoulders.iter().map(|shoulder| shoulder.y.abs()).fold(0.0, f64::max);
            at.y.abs() < 0.3 * wide && shoulders.iter().all(|shoulder| at.z > shoulder.z)
        };
        // Above the legs of a robot without arms is its waist.
        let has_arms = limbs.len() > 2;
        let by_place =
            || chains.iter().find(|chain| has_arms && chain.iter().all(stands)).map(|chain| (chain, 1));
        let (chain, sure) = by_name.or_else(by_place)?;
        // A head turns on by joints of other names; eyes and jaws turn about an axis that the neck has.
        let axis = |at: usize| rest.line(chain[at]).1;
        let again = |at: usize| (0..at).any(|before| axis(before).dot(&axis(at)).abs() > ALONG);
        let end = (sure..chain.len()).find(|at| again(*at) || is_called(&chain[*at], &FACE));
        let joints = chain[..end.unwrap_or(chain.len())].to_vec();
        Some(Head { body: rest.robot.joints()[*joints.last()?].body, joints })
    }

    /// Motions that a neck with these axes (world, at rest) cannot make.
    pub(crate) fn cannot(axes: &[Vector3<f64>]) -> Vec<&'static str> {
        let ways = [
            (Vector3::z(), "turns of the head (the neck has no such joint)"),
            (Vector3::y(), "nods of the head (the neck has no such joint)"),
            (Vector3::x(), "tilts of the head (the neck has no such joint)"),
        ];
        let has = |along: &Vector3<f64>| axes.iter().any(|axis| axis.dot(along).abs() > ALONG);
        ways.into_iter().filter(|(along, _)| !has(along)).map(|(_, what)| what).collect()
    }
}
