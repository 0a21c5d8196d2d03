//! A body as an IK chain: limits, couplings and, for XPBD, collision capsules around its bones.

use crate::body::Body;
use crate::fitted::Known;
use crate::goals::Goal;
use crate::project::{Freedom, project};
use crate::{Placed, PosesError, Quat, Vec3};
use mocap_ik::{
    Capsule, ChainCoupling, Constraint, Effector, IkChain, Link, Objective, SolveOptions, Solver, Xpbd,
};
use mocap_model::JointId;
use std::fmt;
use std::str::FromStr;

/// The solver that finally moves a body onto its goals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodySolver {
    /// The least change of all joints, weighted by their variance in the examples.
    #[default]
    Objective,
    /// Extended position-based dynamics: goals are solved one after the other, and arms, legs and trunk do not
    /// penetrate each other more than in the examples. Goals take precedence over that.
    Xpbd,
}

impl BodySolver {
    /// All of them.
    pub const ALL: [BodySolver; 2] = [BodySolver::Objective, BodySolver::Xpbd];

    /// The name as it is written in commands.
    pub const fn name(self) -> &'static str {
        match self {
            BodySolver::Objective => "objective",
            BodySolver::Xpbd => "xpbd",
        }
    }
}

impl fmt::Display for BodySolver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for BodySolver {
    type Err = String;

    fn from_str(text: &str) -> Result<BodySolver, String> {
        let found = BodySolver::ALL.into_iter().find(|solver| solver.name() == text);
        found.ok_or_else(|| format!("'{text}' is not objective or xpbd"))
    }
}

mocap_model::text_values! {
    BodySolver "objective or xpbd";
}

/// Radii of capsules, as shares of a leg's length: thin, so that only bones that would cross are pushed apart.
mod radius {
    pub(super) const TRUNK: f64 = 0.1;
    pub(super) const UPPER: [f64; 2] = [0.045, 0.07];
    pub(super) const LOWER: [f64; 2] = [0.035, 0.05];
}

/// If capsules or the number of rounds leave a body this far from its goals, the objective solver finishes [lengths of
/// a leg].
const FALLBACK_ERROR: f64 = 1e-4;

/// Moves bodies onto a fixed set of goals.
#[derive(Clone, Debug)]
pub(crate) struct Finish {
    freedom: Freedom,
    /// `None`: nothing limits the joints, so that [`project`] is enough.
    chain: Option<BodyChain>,
}

#[derive(Clone, Debug)]
struct BodyChain {
    solver: BodySolver,
    chain: IkChain,
    known: Vec<Known>,
    /// The rotation of the joints above the hips.
    above: Quat,
}

impl Finish {
    /// With XPBD, limbs may be as close to each other and to the trunk as in `poses`.
    ///
    /// # Errors
    /// [`PosesError::Solver`] where couplings of the skeleton contradict each other or its limits.
    pub(crate) fn of(
        body: &Body,
        known: &[Known],
        freedom: Freedom,
        (solver, poses): (BodySolver, &[&[Placed]]),
    ) -> Result<Finish, PosesError> {
        let limited = body.joints.iter().any(|id| {
            let dofs = &body.skeleton.joint(*id).dofs;
            *id != body.hips && (dofs.has_limits() || dofs.rotation != [true; 3])
        });
        let needs_chain = solver == BodySolver::Xpbd || limited || !body.skeleton.couplings().is_empty();
        let chain = match needs_chain && !known.is_empty() {
            true => Some(BodyChain::of(body, known, &freedom, (solver, poses))?),
            false => None,
        };
        Ok(Finish { freedom, chain })
    }

    /// Moves a pose onto goals. Returns the greatest remaining distance [lengths of a leg, rad].
    pub(crate) fn meet(&self, body: &Body, at: &mut [Placed], goals: &[Goal]) -> f64 {
        match &self.chain {
            Some(chain) => chain.meet(body, at, goals),
            None => project(body, at, goals, &self.freedom),
        }
    }
}

impl BodyChain {
    fn of(
        body: &Body,
        known: &[Known],
        freedom: &Freedom,
        (solver, poses): (BodySolver, &[&[Placed]]),
    ) -> Result<BodyChain, PosesError> {
        let skeleton = &body.skeleton;
        let place = |id: JointId| body.joints.binary_search(&id).ok();
        let coupled: Vec<JointId> = skeleton
            .couplings()
            .iter()
            .flat_map(|coupling| coupling.angles.iter().map(|angle| angle.joint))
            .collect();
        let most = body.joints.iter().map(|id| freedom.turn[id.index()]).fold(1e-9, f64::max);
        let link = |id: &JointId| {
            let joint = skeleton.joint(*id);
            let constraint = match (coupled.contains(id), *id == body.hips) {
                (true, _) => Constraint::by_angles(joint),
                (false, true) => Constraint::free(),
                (false, false) => Constraint::of(joint),
            };
            let stiffness = 1.0 - (freedom.turn[id.index()] / most).clamp(0.0, 1.0);
            let offset = if *id == body.hips { Vec3::zeros() } else { joint.offset };
            Link { offset, rotation: joint.rest_rotation, constraint: Constraint { stiffness, ..constraint } }
        };
        let links = body.joints.iter().map(link).collect();
        let parents = body
            .joints
            .iter()
            .map(|id| skeleton.joint(*id).parent.filter(|_| *id != body.hips).and_then(place));
        let effector = |known: &Known| {
            let joint = place(known.joint).unwrap_or(0);
            Effector { joint, offset: Vec3::zeros(), rotation: Quat::identity() }
        };
        let above = std::iter::successors(skeleton.joint(body.hips).parent, |id| skeleton.joint(*id).parent);
        let above = above.fold(Quat::identity(), |turn, id| skeleton.joint(id).rest_rotation * turn);
        let wrong = |error: mocap_ik::IkError| PosesError::Solver { reason: error.to_string() };
        let base = Placed::from_parts(Vec3::zeros().into(), above);
        let mut chain = IkChain::tree(base, links, parents.collect(), known.iter().map(effector).collect())
            .map_err(wrong)?;
        chain.set_travel(freedom.travel / most);
        let couplings = skeleton.couplings().iter().filter_map(|coupling| {
            let angle =
                |angle: &mocap_model::CoupledAngle| Some((place(angle.joint)?, angle.axis, angle.factor));
            let angles = coupling.angles.iter().map(angle).collect::<Option<_>>()?;
            Some(ChainCoupling { angles, relation: coupling.relation, value: coupling.value })
        });
        chain.set_couplings(&couplings.collect::<Vec<_>>()).map_err(wrong)?;
        let mut made = BodyChain { solver, chain, known: known.to_vec(), above };
        if solver == BodySolver::Xpbd {
            let before = made.chain.rotations().to_vec();
            made.chain.set_capsules(&capsules(body)).map_err(wrong)?;
            for at in poses {
                made.take(body, at);
                made.chain.allow_overlaps();
            }
            made.chain.set_rotations(&before);
        }
        Ok(made)
    }

    /// Sets the pose of the chain from that of a body.
    fn take(&mut self, body: &Body, at: &[Placed]) {
        let hips = at[body.hips.index()].translation;
        self.chain.set_base(Placed::from_parts(hips, self.above));
        let local = |id: &JointId| {
            let own = at[id.index()].rotation;
            let parent = body.skeleton.joint(*id).parent.filter(|_| *id != body.hips);
            parent.map_or(self.above, |parent| at[parent.index()].rotation).inverse() * own
        };
        self.chain.set_rotations(&body.joints.iter().map(local).collect::<Vec<Quat>>());
    }

    fn meet(&self, body: &Body, at: &mut [Placed], goals: &[Goal]) -> f64 {
        let mut own = self.clone();
        own.take(body, at);
        let mut chain = own.chain;
        let goal = |known: &Known| {
            let own = goals.iter().find(|goal| goal.joint == known.joint);
            let goal = mocap_ik::Goal::at(own.and_then(|own| own.position).unwrap_or_else(Vec3::zeros));
            let weights =
                [own.and_then(|own| own.position).is_some(), own.and_then(|own| own.orientation).is_some()];
            let turned = own.and_then(|own| own.orientation).unwrap_or_else(Quat::identity);
            let [place, turn] = weights.map(|wanted| if wanted { 1.0 } else { 0.0 });
            goal.with_orientation(turned).with_weights(place, turn)
        };
        let goals: Vec<mocap_ik::Goal> = self.known.iter().map(goal).collect();
        let options = SolveOptions {
            position_tolerance: 2e-5,
            orientation_tolerance: 1e-4,
            restart: false,
            escape: false,
            ..SolveOptions::default()
        };
        let outcome = match self.solver {
            BodySolver::Objective => Objective::default().solve(&mut chain, &goals, &options),
            BodySolver::Xpbd => {
                let outcome = Xpbd::default().solve(&mut chain, &goals, &options);
                match outcome {
                    // Goals are measured, while the sizes of capsules are estimates: so goals take precedence.
                    Ok(outcome) if outcome.position > FALLBACK_ERROR * body.leg => {
                        Objective::default().solve(&mut chain, &goals, &options)
                    }
                    outcome => outcome,
                }
            }
        };
        for (place, id) in body.joints.iter().enumerate() {
            at[id.index()] = Placed::from_parts(chain.positions()[place].into(), chain.frames()[place]);
        }
        outcome.map_or(f64::INFINITY, |outcome| (outcome.position / body.leg).max(outcome.orientation))
    }
}

/// Capsules around trunk, arms and legs.
fn capsules(body: &Body) -> Vec<Capsule> {
    let skeleton = &body.skeleton;
    let place = |id: JointId| body.joints.binary_search(&id).ok();
    let mut all = Vec::new();
    // The capsule of a bone belongs to the joint above it.
    let mut bone = |to: JointId, share: f64| {
        let joint = skeleton.joint(to);
        if let Some(place) = joint.parent.and_then(place) {
            all.push(Capsule {
                joint: place,
                from: Vec3::zeros(),
                to: joint.offset,
                radius: share * body.leg,
            });
        }
    };
    body.trunk.iter().for_each(|id| bone(*id, radius::TRUNK));
    for limb in &body.limbs {
        let kind = usize::from(!limb.is_arm);
        for (at, id) in limb.chain.iter().enumerate().skip(limb.upper + 1) {
            bone(*id, if at <= limb.middle { radius::UPPER[kind] } else { radius::LOWER[kind] });
        }
    }
    all
}
