//! A foot is planted: the leg of a skeleton is taken from a pose, solved, and put back.
//!
//! `cargo run -p mocap-ik --example leg`

use mocap_ik::{Goal, IkMethod, PosedChain, SolveOptions, Solver};
use mocap_model::{Dofs, EulerOrder, Joint, JointId, Limit, Pose, Skeleton, Space, UnitQuaternion, Vector3};

fn joint(name: &str, parent: Option<u32>, offset: [f64; 3], dofs: Dofs) -> Joint {
    Joint { dofs, ..Joint::new(name, parent.map(JointId), Vector3::from(offset)) }
}

#[allow(clippy::print_stdout, reason = "an example shows what it does")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ball = || Dofs::ball(EulerOrder::ZXY);
    // The knee is a hinge about X, from straight to 150°.
    let knee = Dofs {
        rotation: [true, false, false],
        limits: [Some(Limit { min: 0.0, max: 2.6 }), None, None],
        ..ball()
    };
    let joints = vec![
        joint("hips", None, [0.0, 0.9, 0.0], Dofs::free(EulerOrder::ZXY)),
        joint("thigh", Some(0), [0.1, -0.05, 0.0], ball()),
        joint("knee", Some(1), [0.0, -0.42, 0.0], knee),
        joint("ankle", Some(2), [0.0, -0.40, 0.0], ball()),
    ];
    let skeleton = Skeleton::new("leg", Space::default(), joints)?;
    let [hips, thigh, ankle] =
        ["hips", "thigh", "ankle"].map(|name| skeleton.find(name).expect("a joint of ours"));

    println!("The ankle is to stand 10 cm in front of the hip:");
    let mut leg = PosedChain::limb(&skeleton, thigh, ankle)?;
    let goal = Goal::at(Vector3::new(0.1, 0.08, 0.1));
    for method in IkMethod::ALL {
        let mut pose = Pose::rest(&skeleton);
        leg.read(&skeleton, &pose)?;
        let outcome = method.solve(&mut leg.chain, &[goal], &SolveOptions::default())?;
        leg.write(&mut pose)?;
        let knee = pose.joints[2].rotation.angle().to_degrees();
        println!(
            "  {method:9} {:?} in {} iterations, {:.3} mm off, the knee at {knee:.1}°",
            outcome.status,
            outcome.iterations,
            1000.0 * outcome.position,
        );
    }

    println!("The hips go down 20 cm over the planted ankle:");
    let mut pose = Pose::rest(&skeleton);
    let mut planted = PosedChain::limb(&skeleton, ankle, hips)?;
    planted.read(&skeleton, &pose)?;
    let down = Goal::at(Vector3::new(0.0, 0.7, 0.0)).with_orientation(UnitQuaternion::identity());
    let outcome = IkMethod::Dls.solve(&mut planted.chain, &[down], &SolveOptions::default())?;
    planted.write(&mut pose)?;
    let mut object = Pose::default();
    pose.to_object(&skeleton, &mut object);
    let at = |joint: JointId| object.joints[joint.index()].translation.vector;
    println!(
        "  {:?}: hips at {:.3?}, ankle at {:.3?}",
        outcome.status,
        at(hips).as_slice(),
        at(ankle).as_slice()
    );
    Ok(())
}
