//! From the transforms of joints back to the properties of nodes: the inverse of reading.

use mocap_model::{Clip, EulerOrder, Isometry3, JointId, UnitQuaternion, Vector3};
use ufbx::{Node, Quat, Scene};

use super::rest::unmoved;
use super::stack::SINGLE;
use super::take::ORDER;
use super::transforms::{Transforms, signs, translation_of, vector};
use super::tree::Tree;

/// The properties of a joint over a clip.
pub(super) struct NodeValues {
    /// By frame, in the unit of the file.
    pub(super) translations: Vec<[f64; 3]>,
    /// By frame, about X, Y and Z \[degrees\], continuous over time.
    pub(super) rotations: Vec<[f64; 3]>,
    /// Whether the translation and the rotation ever differ from the values in the file.
    pub(super) moves: [bool; 2],
}

/// How properties make the local transform of a node: `translation + outer + turn · inner`, where
/// `turn = pre · rotation · post⁻¹`.
struct Rule {
    order: EulerOrder,
    pre: UnitQuaternion<f64>,
    post: UnitQuaternion<f64>,
    outer: Vector3<f64>,
    inner: Vector3<f64>,
    /// The half turn that two negative scales of the node amount to; usually the identity.
    half_turn: UnitQuaternion<f64>,
    /// The properties in the file.
    translation: Vector3<f64>,
    rotation: Vector3<f64>,
}

/// By joint, the node properties that reproduce a clip. Scales of nodes stay as in the file.
pub(super) fn node_values(scene: &Scene, tree: &Tree, clip: &Clip) -> Vec<NodeValues> {
    let rules: Vec<Rule> =
        tree.joints.iter().map(|joint| rule(&scene.nodes[tree.node(joint).node], joint.order)).collect();
    let mut transforms = unmoved(scene, tree);
    let mut placed = Transforms::default();
    placed.place(tree, scene, &transforms);
    let above: Vec<Isometry3<f64>> =
        (0..tree.joints.len()).map(|joint| above_root(&placed, tree, joint)).collect();
    let mut values: Vec<NodeValues> = rules
        .iter()
        .map(|_| NodeValues { translations: Vec::new(), rotations: Vec::new(), moves: [false; 2] })
        .collect();
    for frame in 0..clip.frames() {
        let locals: Vec<Isometry3<f64>> = (0..above.len())
            .map(|joint| above[joint].inverse() * clip.local(JointId::from(joint), frame))
            .collect();
        let turns: Vec<UnitQuaternion<f64>> = locals
            .iter()
            .zip(&rules)
            .map(|(local, rule)| local.rotation * rule.half_turn.inverse())
            .collect();
        for (joint, turn) in tree.joints.iter().zip(&turns) {
            let q = turn.quaternion();
            transforms[joint.place].rotation = Quat { x: q.i, y: q.j, z: q.k, w: q.w };
        }
        placed.place(tree, scene, &transforms);
        let joints = tree.joints.iter().zip(&locals).zip(&turns);
        for (((joint, local), turn), (rule, values)) in joints.zip(rules.iter().zip(&mut values)) {
            let node = tree.node(joint);
            let stretch = node.parent.map(|parent| &placed.stretches[parent]);
            let unscaled = translation_of(&scene.nodes[node.node], stretch, &local.translation.vector);
            let translation =
                unscaled.map_or(rule.translation, |unscaled| unscaled - rule.outer - turn * rule.inner);
            values.translations.push(translation.into());
            values.rotations.push(rule.angles(turn, values.rotations.last()));
        }
    }
    for (values, rule) in values.iter_mut().zip(&rules) {
        values.moves = [
            differ(&values.translations, &rule.translation, SINGLE * 10.0),
            differ(&values.rotations, &rule.rotation, 1e-6),
        ];
    }
    values
}

/// Whether any value differs from `other` by more than a share of its size, or of 1.
fn differ(values: &[[f64; 3]], other: &Vector3<f64>, share: f64) -> bool {
    let slack = share * other.amax().max(1.0);
    values.iter().any(|value| (Vector3::from(*value) - other).amax() > slack)
}

/// Of a root, the transform of the nodes above it.
fn above_root(placed: &Transforms, tree: &Tree, joint: usize) -> Isometry3<f64> {
    match tree.joints[joint].parent {
        Some(_) => Isometry3::identity(),
        None => placed.of_joint(tree, joint) * placed.local[tree.joints[joint].place].inverse(),
    }
}

fn rule(node: &Node, order: EulerOrder) -> Rule {
    let property = |name: &str| {
        let found = ufbx::find_prop(&node.element.props, name);
        found.map_or_else(Vector3::zeros, |found| {
            Vector3::new(found.value_vec4.x, found.value_vec4.y, found.value_vec4.z)
        })
    };
    let turn = |name: &str| {
        let [x, y, z]: [f64; 3] = property(name).map(f64::to_radians).into();
        ORDER.rotation([z, y, x])
    };
    // If the node does not use its rotation space, its order and its pre- and post-rotation do not apply.
    let (order, pre, post) = match node.use_rotation_space {
        true => (order, turn("PreRotation"), turn("PostRotation")),
        false => (ORDER, UnitQuaternion::identity(), UnitQuaternion::identity()),
    };
    let scale = vector(node.local_transform.scale);
    let half_turn = signs(node, scale).half_turn;
    let (scaling, turning) = (property("ScalingPivot"), property("RotationPivot"));
    Rule {
        order,
        pre,
        post,
        outer: property("RotationOffset") + turning,
        inner: scaling - scale.component_mul(&scaling) + property("ScalingOffset") - turning,
        half_turn: half_turn.unwrap_or_else(UnitQuaternion::identity),
        translation: property("Lcl Translation"),
        rotation: property("Lcl Rotation"),
    }
}

impl Rule {
    /// The rotation property \[degrees\] of a local rotation, near that of the frame before.
    fn angles(&self, turn: &UnitQuaternion<f64>, before: Option<&[f64; 3]>) -> [f64; 3] {
        let axes = self.order.axes().map(mocap_model::Axis::index);
        let before = before.copied().unwrap_or_else(|| self.rotation.into());
        let near = axes.map(|axis| before[axis].to_radians());
        let angles = self.order.angles_near(&(self.pre.inverse() * turn * self.post), near);
        let mut degrees = [0.0; 3];
        axes.iter().zip(angles).for_each(|(axis, angle)| degrees[*axis] = angle.to_degrees());
        degrees
    }
}
