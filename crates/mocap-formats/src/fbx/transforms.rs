//! Local transforms of nodes without scale: the effect of scales on nodes below is baked into their translations.
//!
//! The translation of a node is multiplied by the stretch of its parent. The stretch of a node is `R⁻¹ · A`, with `A`
//! the linear part of its transform in the scene and `R` the product of all rotations. FBX has three modes of scale
//! inheritance; they differ in the stretch.

use mocap_model::{Isometry3, UnitQuaternion, Vector3};
use nalgebra::{Matrix3, Quaternion, Translation3};
use ufbx::{InheritMode, Node, Transform};

use super::tree::Tree;

/// Tolerance up to which a scale counts as 1.
pub(super) const SAME_SCALE: f64 = 1e-5;

/// The effect of the scales of a node and of its ancestors on the nodes below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    /// With the scale of the node itself.
    pub(super) full: Matrix3<f64>,
    /// Without the scale of the node itself.
    unscaled: Matrix3<f64>,
    /// The scale that nodes below inherit component by component.
    inherited: Vector3<f64>,
}

impl Stretch {
    /// Whether it scales all directions equally.
    pub(super) fn is_even(&self) -> bool {
        is_even(&self.full)
    }

    const NONE: Stretch = Stretch {
        full: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        unscaled: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        inherited: Vector3::new(1.0, 1.0, 1.0),
    };
}

/// The nodes of a tree at one time.
#[derive(Debug, Default)]
pub(super) struct Transforms {
    /// By node: its transform in the frame of the node above, or of the scene.
    pub(super) local: Vec<Isometry3<f64>>,
    pub(super) stretches: Vec<Stretch>,
}

impl Transforms {
    /// Places the nodes by their local transforms.
    pub(super) fn place(&mut self, tree: &Tree, scene: &ufbx::Scene, transforms: &[Transform]) {
        self.local.clear();
        self.stretches.clear();
        for (node, transform) in tree.nodes.iter().zip(transforms) {
            let above = node.parent.map_or(Stretch::NONE, |parent| self.stretches[parent]);
            let (local, stretch) = place(&scene.nodes[node.node], transform, &above, |ancestor| {
                let place = tree.places.get(&ancestor);
                place.map_or(Vector3::repeat(1.0), |place| self.stretches[*place].inherited)
            });
            self.local.push(local);
            self.stretches.push(stretch);
        }
    }

    /// The transform of a joint in the frame of the joint above it, or of the scene.
    pub(super) fn of_joint(&self, tree: &Tree, joint: usize) -> Isometry3<f64> {
        let joint = &tree.joints[joint];
        let mut local = self.local[joint.place];
        if joint.parent.is_none() {
            let mut above = tree.nodes[joint.place].parent;
            while let Some(place) = above {
                local = self.local[place] * local;
                above = tree.nodes[place].parent;
            }
        }
        local
    }
}

/// A scale without its rotation: two negative components equal a half turn after the rotation, and a mirroring scale is
/// written as a common sign of all components (a point reflection, which commutes with rotations).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Signs {
    pub(super) half_turn: Option<UnitQuaternion<f64>>,
    scale: Vector3<f64>,
}

/// Splits the scale of a node. Where a node or its children inherit scale component by component, it is kept as it is.
pub(super) fn signs(node: &Node, scale: Vector3<f64>) -> Signs {
    // Exporters multiply many scales of 1, so a value that differs from 1 by rounding counts as 1.
    let close = (scale - Vector3::repeat(1.0)).amax() <= SAME_SCALE;
    let kept = Signs { half_turn: None, scale: if close { Vector3::repeat(1.0) } else { scale } };
    let normal = |node: &Node| node.inherit_mode == InheritMode::Normal;
    if scale.min() >= 0.0 || !normal(node) || !node.children.iter().all(|child| normal(child)) {
        return kept;
    }
    let below = scale.iter().filter(|scale| **scale < 0.0).count();
    let sign = if below % 2 == 1 { -1.0 } else { 1.0 };
    let upright = scale * sign;
    // After the common sign, no component is negative, or two of three are.
    let axis = (0..3).find(|axis| upright[*axis] >= 0.0 && upright.min() < 0.0);
    let half_turn = axis.map(|axis| {
        let mut half = Quaternion::new(0.0, 0.0, 0.0, 0.0);
        half.coords[axis] = 1.0;
        UnitQuaternion::new_unchecked(half)
    });
    Signs { half_turn, scale: upright.abs() * sign }
}

fn place(
    node: &Node,
    transform: &Transform,
    above: &Stretch,
    inherited_by: impl Fn(usize) -> Vector3<f64>,
) -> (Isometry3<f64>, Stretch) {
    let rotation = rotation(transform);
    let translation = vector(transform.translation);
    let scale = vector(transform.scale);
    let Signs { half_turn, scale } = signs(node, scale);
    let rotation = half_turn.map_or(rotation, |half| rotation * half);
    let turn = rotation.to_rotation_matrix();
    let turned = |matrix: &Matrix3<f64>| turn.inverse().matrix() * matrix * turn.matrix();
    let (translation, stretch) = if node.inherit_mode == InheritMode::Normal {
        let unscaled = turned(&above.full);
        let stretch = Stretch { full: unscaled * Matrix3::from_diagonal(&scale), unscaled, inherited: scale };
        (above.full * translation, stretch)
    } else {
        let taken = node.inherit_scale_node.as_ref();
        let taken = taken.map_or(Vector3::repeat(1.0), |node| inherited_by(node.element.typed_id as usize));
        let scale = scale.component_mul(&taken);
        let unscaled = turned(&above.unscaled);
        let stretch = Stretch { full: unscaled * Matrix3::from_diagonal(&scale), unscaled, inherited: scale };
        (above.unscaled * above.inherited.component_mul(&translation), stretch)
    };
    // Without scales, the values are exactly unchanged.
    let stretch = if stretch.inherited == Vector3::repeat(1.0) && *above == Stretch::NONE {
        Stretch::NONE
    } else {
        stretch
    };
    (Isometry3::from_parts(Translation3::from(translation), rotation), stretch)
}

/// The translation property of a node that puts it at a place in the frame of its parent, whose stretch is given: the
/// inverse of placing. `None` where the stretch is singular.
pub(super) fn translation_of(
    node: &Node,
    above: Option<&Stretch>,
    place: &Vector3<f64>,
) -> Option<Vector3<f64>> {
    match above {
        None => Some(*place),
        Some(above) if *above == Stretch::NONE => Some(*place),
        Some(above) if node.inherit_mode == InheritMode::Normal => Some(above.full.try_inverse()? * place),
        Some(above) => {
            let stretched = above.unscaled.try_inverse()? * place;
            Some(stretched.component_div(&above.inherited))
                .filter(|place| place.iter().all(|value| value.is_finite()))
        }
    }
}

/// Whether a matrix scales all directions equally.
pub(super) fn is_even(linear: &Matrix3<f64>) -> bool {
    let squares = linear.transpose() * linear;
    let size = squares.trace() / 3.0;
    (squares - Matrix3::from_diagonal_element(size)).amax() <= 2.0 * SAME_SCALE * size
}

fn rotation(transform: &Transform) -> UnitQuaternion<f64> {
    let q = &transform.rotation;
    UnitQuaternion::new_normalize(Quaternion::new(q.w, q.x, q.y, q.z))
}

pub(super) fn vector(v: ufbx::Vec3) -> Vector3<f64> {
    Vector3::new(v.x, v.y, v.z)
}
