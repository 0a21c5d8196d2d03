//! How a `.skel` file describes a skeleton.

use super::document::{
    ChainField, CoupledAngleField, CouplingField, DofsField, File, JointField, LimitsField, SHAPE, UnitField,
};
use super::robot::{is_of, robot_field};
use super::rotation::quaternion;
use mocap_model::{Axis, Coupling, Dofs, EulerOrder, Joint, Limit, Relation, Skeleton, Unit};

pub(crate) fn file_of(skeleton: &Skeleton) -> File {
    let space = skeleton.space();
    let name = |id: mocap_model::JointId| skeleton.joint(id).name.clone();
    File {
        format: SHAPE.format.into(),
        version: SHAPE.version,
        name: skeleton.name().into(),
        unit: space.unit.map(unit),
        unit_guessed: space.unit.is_some_and(|unit| unit.source.is_guess()),
        up: space.up.to_string(),
        forward: space.forward.to_string(),
        joints: skeleton.joints().iter().map(|joint| joint_field(skeleton, joint)).collect(),
        chains: skeleton
            .chains()
            .iter()
            .map(|chain| ChainField {
                name: chain.name.clone(),
                base: name(chain.base),
                tip: name(chain.tip),
            })
            .collect(),
        couplings: skeleton.couplings().iter().map(|coupling| coupling_field(skeleton, coupling)).collect(),
        robot: skeleton.robot().filter(|robot| is_of(skeleton, robot)).map(|robot| robot_field(robot)),
    }
}

fn coupling_field(skeleton: &Skeleton, coupling: &Coupling) -> CouplingField {
    let angle = |angle: &mocap_model::CoupledAngle| CoupledAngleField {
        joint: skeleton.joint(angle.joint).name.clone(),
        axis: angle.axis.letter().into(),
        factor: angle.factor,
    };
    let value = exact_degrees(coupling.value);
    let (equals, at_most) = match coupling.relation {
        Relation::Equal => (Some(value), None),
        Relation::AtMost => (None, Some(value)),
    };
    let angles = coupling.angles.iter().map(angle).collect();
    CouplingField { name: coupling.name.clone(), angles, equals, at_most }
}

fn unit(unit: Unit) -> UnitField {
    match Unit::NAMED.iter().find(|(_, metres)| *metres == unit.metres) {
        Some((name, _)) => UnitField::Name((*name).into()),
        None => UnitField::Metres(unit.metres),
    }
}

fn joint_field(skeleton: &Skeleton, joint: &Joint) -> JointField {
    JointField {
        name: joint.name.clone(),
        parent: joint.parent.map(|parent| skeleton.joint(parent).name.clone()),
        offset: joint.offset.into(),
        rotation: quaternion(&joint.rest_rotation),
        dofs: dofs_field(&joint.dofs, joint.end_site),
        limits: joint.dofs.has_limits().then(|| {
            let [x, y, z] = joint.dofs.limits.map(|limit| limit.map(degrees));
            LimitsField { x, y, z }
        }),
        role: joint.role.map(|role| role.name().into()),
        end_site: joint.end_site,
    }
}

fn dofs_field(dofs: &Dofs, end_site: bool) -> Option<DofsField> {
    let usual_rotation = if end_site { [false; 3] } else { [true; 3] };
    let field = DofsField {
        order: (dofs.order != EulerOrder::ZXY).then(|| dofs.order.to_string()),
        rotation: (dofs.rotation != usual_rotation).then(|| axes(dofs.rotation)),
        translation: (dofs.translation != [false; 3]).then(|| axes(dofs.translation)),
        frame: quaternion(&dofs.frame),
    };
    let says_something = field.order.is_some()
        || field.rotation.is_some()
        || field.translation.is_some()
        || field.frame.is_some();
    says_something.then_some(field)
}

fn axes(which: [bool; 3]) -> String {
    Axis::ALL.iter().filter(|axis| which[axis.index()]).map(|axis| axis.letter()).collect()
}

fn degrees(limit: Limit) -> [Option<f64>; 2] {
    [limit.min, limit.max].map(|angle| angle.is_finite().then(|| exact_degrees(angle)))
}

/// The degrees that become `angle` \[rad\] again, to the last bit where there are any; few digits if possible.
fn exact_degrees(angle: f64) -> f64 {
    let degrees = angle.to_degrees();
    let few = (degrees * 1e9).round() / 1e9;
    let near = [few, degrees, degrees.next_up(), degrees.next_down()];
    near.into_iter().find(|degrees| degrees.to_radians() == angle).unwrap_or(degrees)
}
