//! Predicts a pose from the examples, given some known joints.
//!
//! In this order: the hips, if they are unknown; the trunk, from all known joints; each limb, in the frame of the trunk
//! joint that carries it, mainly from its own hand or foot. If a hand or foot has an orientation, its elbow or knee is
//! predicted from that as well, because forearms follow hands. Since limbs are predicted separately, combinations of
//! arms and legs that no example has are possible.

use crate::body::{Body, Limb};
use crate::chain::{BodySolver, Finish};
use crate::examples::Examples;
use crate::features::{self, Feature, Frame, Output, View, rotation_of};
use crate::fitted::{Fitted, Known};
use crate::goals::Goal;
use crate::heading::Heading;
use crate::limb::place_two_bones;
use crate::project::{Freedom, project};
use crate::regression::{Regression, Weights, centre_rows};
use crate::{Placed, PosesError, Quat, Vec3};
use mocap_model::JointId;
use rayon::prelude::*;

/// Weights of features. A position counts as a share of a length, an orientation as the columns of its matrix. Tuned on
/// classes of motion that were left out of the examples.
mod weight {
    /// Orientations relative to positions.
    pub(super) const TURN: f64 = 0.3;
    /// The up direction, for the trunk.
    pub(super) const UP: f64 = 0.3;
    /// The up direction, for arms.
    pub(super) const UP_OF_ARM: f64 = 0.2;
    /// Known joints of the rest of the body, for an arm.
    pub(super) const REST_OF_ARM: f64 = 0.2;
    /// The same for a leg.
    pub(super) const REST_OF_LEG: f64 = 0.1;
    /// The orientation of the trunk relative to a hand or foot.
    pub(super) const TURN_FROM_END: f64 = 0.6;
    /// The weight of the prediction of an elbow or knee from the hand or foot.
    pub(super) const FROM_END: f64 = 0.5;
    /// The unit of lengths for features relative to the hips [lengths of a leg].
    pub(super) const BODY: f64 = 0.875;
}

/// Least variance of the predicted rotation of a joint \[rad²\]: 1°.
const LEAST: f64 = 3e-4;

/// Regressions of the examples for a set of known joints.
#[derive(Clone, Debug)]
pub struct Predictor<'a> {
    examples: &'a Examples,
    root: Option<Root>,
    trunk: Stage,
    limbs: Vec<LimbStage>,
    finish: Finish,
    /// The variances for the trunk only, with the hips fixed.
    of_trunk: Freedom,
}

#[derive(Clone, Debug)]
struct Root {
    heading: Heading,
    stage: Stage,
    known: Known,
}

#[derive(Clone, Debug)]
struct LimbStage {
    stage: Stage,
    /// The prediction of the elbow or knee from the hand or foot.
    from_end: Option<Stage>,
    /// Whether the end has a goal that two-bone IK can meet.
    closed: bool,
}

/// A regression with its features and outputs.
#[derive(Clone, Debug)]
struct Stage {
    features: Vec<Feature>,
    outputs: Vec<Output>,
    regression: Regression,
}

impl Stage {
    fn fit(
        examples: &Examples,
        frames: &[Placed],
        (features, outputs): (Vec<Feature>, Vec<Output>),
        stored: Option<&Weights>,
    ) -> Stage {
        let inputs: usize = features.iter().map(Feature::len).sum();
        let given: usize = outputs.iter().map(Output::len).sum();
        if let Some(regression) =
            stored.and_then(|stored| of_stored(examples, frames, &features, given, stored))
        {
            return Stage { features, outputs, regression };
        }
        let (mut x, mut y) = (vec![0.0; examples.poses() * inputs], vec![0.0; examples.poses() * given]);
        let up = examples.body.up();
        for (at, upright) in frames.iter().enumerate() {
            let view = View { at: examples.pose(at), upright, up };
            features::write(&features, view, &mut x[at * inputs..(at + 1) * inputs]);
            let mut rest = &mut y[at * given..(at + 1) * given];
            for output in &outputs {
                let (own, after) = rest.split_at_mut(output.len());
                output.write(view, own);
                rest = after;
            }
        }
        Stage { features, outputs, regression: Regression::fit(&x, &y, (inputs, given)) }
    }

    /// Calls `take(output, values)` for every predicted output.
    fn predict(&self, view: View<'_>, mut take: impl FnMut(&Output, &[f64])) {
        let inputs: usize = self.features.iter().map(Feature::len).sum();
        let given: usize = self.outputs.iter().map(Output::len).sum();
        let mut numbers = vec![0.0; inputs + given + self.regression.scratch()];
        let (x, rest) = numbers.split_at_mut(inputs);
        let (y, scratch) = rest.split_at_mut(given);
        features::write(&self.features, view, x);
        self.regression.predict(x, scratch, y);
        let mut rest = &*y;
        for output in &self.outputs {
            let (own, after) = rest.split_at(output.len());
            take(output, own);
            rest = after;
        }
    }

    /// Mean variance of the predicted rotations \[rad²\], by joint.
    fn variances(&self) -> impl Iterator<Item = (JointId, f64)> {
        let mut at = 0;
        self.outputs.iter().filter_map(move |output| {
            let own = &self.regression.variance[at..at + output.len()];
            at += output.len();
            match output {
                Output::Rotation(joint, _) => Some((*joint, own.iter().sum::<f64>() / 4.0)),
                Output::Position(..) => None,
            }
        })
    }
}

/// A regression whose weights are stored with the examples.
fn of_stored(
    examples: &Examples,
    frames: &[Placed],
    features: &[Feature],
    given: usize,
    stored: &Weights,
) -> Option<Regression> {
    let inputs: usize = features.iter().map(Feature::len).sum();
    let up = examples.body.up();
    let mut centres = Vec::new();
    for at in centre_rows(examples.poses()) {
        let start = centres.len();
        centres.resize(start + inputs, 0.0);
        features::write(
            features,
            View { at: examples.pose(at), upright: &frames[at], up },
            &mut centres[start..],
        );
    }
    Regression::of_weights(centres, stored, (inputs, given))
}

/// Features of known joints, relative to a frame.
fn relative_to(known: &[Known], frame: Frame, factor: f64, turn: f64) -> Vec<Feature> {
    let mut features = Vec::new();
    for known in known.iter().filter(|known| frame != Frame::Joint(known.joint)) {
        features.extend(known.position.then_some(Feature::Position(known.joint, frame, factor)));
        features.extend(known.orientation.then_some(Feature::Rotation(known.joint, frame, turn)));
    }
    features
}

impl<'a> Predictor<'a> {
    /// Fits regressions for the set of joints that have a position or an orientation in `goals`; their values do not
    /// matter. `solver` finally moves the body onto the goals.
    ///
    /// # Errors
    /// Where couplings of the skeleton contradict each other or its limits.
    pub fn fit(
        examples: &'a Examples,
        goals: &[Goal],
        solver: BodySolver,
    ) -> Result<Predictor<'a>, PosesError> {
        let known: Vec<Known> = goals.iter().map(Known::of).collect();
        Predictor::of(examples, &known, solver)
    }

    pub(crate) fn of(
        examples: &'a Examples,
        known: &[Known],
        solver: BodySolver,
    ) -> Result<Predictor<'a>, PosesError> {
        let body = &examples.body;
        let hips = known.iter().find(|known| known.joint == body.hips).copied();
        let hips = hips.unwrap_or(Known { joint: body.hips, position: false, orientation: false });
        let root = (!(hips.position && hips.orientation)).then(|| fit_root(examples, known, hips));
        let stored = examples.fitted.iter().find(|fitted| fitted.known == known);
        let stored = |place: usize| stored.and_then(|fitted| fitted.stages.get(place));
        let still = vec![Placed::identity(); examples.poses()];
        // Trunk and limbs are fitted independently of each other.
        let mut stages: Vec<(Stage, Option<Stage>)> = (0..5)
            .into_par_iter()
            .map(|place| match place {
                0 => (fit_trunk(examples, known, &still, stored(0)), None),
                _ => {
                    let stored = [2 * place - 1, 2 * place].map(stored);
                    fit_limb(examples, known, (&body.limbs[place - 1], stored), &still)
                }
            })
            .collect();
        let limbs = stages.split_off(1);
        let trunk = stages.remove(0).0;
        let mut turn = vec![0.0; body.skeleton.len()];
        let all =
            limbs.iter().map(|(stage, _)| stage).chain([&trunk]).chain(root.as_ref().map(|root| &root.stage));
        for (joint, variance) in all.flat_map(Stage::variances) {
            turn[joint.index()] = variance.max(LEAST);
        }
        if hips.orientation {
            turn[body.hips.index()] = 0.0;
        }
        let mut of_trunk = Freedom { turn: vec![0.0; body.skeleton.len()], travel: 0.0 };
        body.trunk.iter().for_each(|id| of_trunk.turn[id.index()] = turn[id.index()]);
        let travel = if hips.position { 0.0 } else { 1e-2 };
        let limbs = limbs.into_iter().zip(&body.limbs).map(|((stage, from_end), limb)| {
            let of = |joint| known.iter().find(|known| known.joint == joint);
            let goal_above = limb.chain[..limb.chain.len() - 1].iter().any(|joint| of(*joint).is_some());
            let closed = limb.is_two_bones() && !goal_above && of(limb.end()).is_some_and(|end| end.position);
            LimbStage { stage, from_end, closed }
        });
        let limbs = limbs.collect();
        let poses: Vec<&[Placed]> = examples.all().collect();
        let finish = Finish::of(body, known, Freedom { turn, travel }, (solver, &poses))?;
        Ok(Predictor { examples, root, trunk, limbs, finish, of_trunk })
    }

    /// The regressions for storage with the examples; only if the hips are known.
    pub(crate) fn fitted(&self, known: &[Known]) -> Fitted {
        let limb = |limb: &LimbStage| {
            let from_end = limb.from_end.as_ref().map(|stage| stage.regression.weights());
            [limb.stage.regression.weights(), from_end.unwrap_or_default()]
        };
        let stages = [self.trunk.regression.weights()].into_iter().chain(self.limbs.iter().flat_map(limb));
        Fitted { known: known.to_vec(), stages: stages.collect() }
    }

    /// Predicts the pose of all joints in object space that meets the goals, which must be for the joints that the
    /// predictor was fitted for. Returns the greatest remaining distance to a goal [lengths of a leg, rad].
    pub fn pose(&self, goals: &[Goal], at: &mut Vec<Placed>) -> f64 {
        self.pose_by(goals, goals, at)
    }

    /// As [`Predictor::pose`], with different inputs for the regressions: `seen` are the same goals with other
    /// orientations.
    pub(crate) fn pose_by(&self, goals: &[Goal], seen: &[Goal], at: &mut Vec<Placed>) -> f64 {
        let body = &self.examples.body;
        at.clear();
        at.resize(body.skeleton.len(), Placed::identity());
        let put = |at: &mut [Placed], goals: &[Goal]| {
            for goal in goals {
                let placed = &mut at[goal.joint.index()];
                goal.position.iter().for_each(|position| placed.translation.vector = *position);
                goal.orientation.iter().for_each(|turn| placed.rotation = *turn);
            }
        };
        put(at, seen);
        for goal in goals.iter().filter(|goal| goal.joint == body.hips) {
            goal.orientation.iter().for_each(|turn| at[body.hips.index()].rotation = *turn);
        }
        let up = body.up();
        if let Some(root) = &self.root {
            self.place_hips(root, at, &up);
        }
        // Features are computed from a copy of the pose with the goals and the joints that are placed so far.
        let mut seen = at.clone();
        let upright = Placed::identity();
        self.trunk.predict(View { at: &seen, upright: &upright, up }, |output, values| {
            place(body, at, output, values)
        });
        let of_trunk: Vec<Goal> =
            goals.iter().filter(|goal| body.trunk.contains(&goal.joint)).copied().collect();
        for goal in &of_trunk {
            // The head rotates independently of the trunk, so it does not lead it.
            let leads = body.trunk.iter().any(|joint| body.skeleton.joint(*joint).parent == Some(goal.joint));
            if let Some(turn) = goal.orientation.filter(|_| !leads) {
                at[goal.joint.index()].rotation = turn;
            }
        }
        if !of_trunk.is_empty() {
            project(body, at, &of_trunk, &self.of_trunk);
        }
        [body.hips].iter().chain(&body.trunk).for_each(|id| seen[id.index()] = at[id.index()]);
        for (stage, limb) in self.limbs.iter().zip(&body.limbs) {
            self.place_limb(stage, limb, goals, (&mut seen, at));
        }
        self.finish.meet(body, at, goals)
    }

    fn place_hips(&self, root: &Root, at: &mut [Placed], up: &Vec3) {
        let body = &self.examples.body;
        let upright = root.heading.frame(at, up, body.leg);
        let hips = body.hips.index();
        let mut placed = at[hips];
        root.stage.predict(View { at, upright: &upright, up: *up }, |output, values| match output {
            Output::Position(..) if !root.known.position => {
                let place = upright * nalgebra::Point3::new(values[0], values[1], values[2]);
                placed.translation.vector = place.coords;
            }
            Output::Rotation(..) if !root.known.orientation => {
                placed.rotation = upright.rotation * rotation_of(values);
            }
            _ => {}
        });
        at[hips] = placed;
    }

    fn place_limb(
        &self,
        stage: &LimbStage,
        limb: &Limb,
        goals: &[Goal],
        (seen, at): (&mut [Placed], &mut [Placed]),
    ) {
        let body = &self.examples.body;
        let (up, upright) = (body.up(), Placed::identity());
        stage.stage.predict(View { at: seen, upright: &upright, up }, |output, values| {
            place(body, at, output, values)
        });
        let following: Vec<Quat> = limb.followers.iter().map(|joint| body.local(at, *joint)).collect();
        let goal = goals.iter().find(|goal| goal.joint == limb.end());
        let [middle, end] = [limb.middle(), limb.end()].map(JointId::index);
        let wrist = at[middle].rotation.inverse() * at[end].rotation;
        if let (true, Some(position)) = (stage.closed, goal.and_then(|goal| goal.position)) {
            let mut expected = at[middle].translation.vector;
            if let Some(from_end) = &stage.from_end {
                // The upper joint is placed by the trunk and the limb's own stage.
                seen[limb.upper().index()] = at[limb.upper().index()];
                from_end.predict(View { at: seen, upright: &upright, up }, |output, values| {
                    let frame = output.frame(View { at: seen, upright: &upright, up });
                    let other = (frame * nalgebra::Point3::new(values[0], values[1], values[2])).coords;
                    expected += (other - expected) * weight::FROM_END;
                });
            }
            place_two_bones(limb, &body.skeleton, &position, &expected, at);
            at[end].rotation = at[middle].rotation * wrist;
        }
        if let Some(turn) = goal.and_then(|goal| goal.orientation) {
            at[end].rotation = turn;
        }
        // Fingers and toes are predicted relative to their parents, so they follow the end.
        for (joint, turn) in limb.followers.iter().zip(following) {
            let parent = body.skeleton.joint(*joint).parent.unwrap_or(body.hips);
            at[joint.index()].rotation = at[parent.index()].rotation * turn;
            follow(body, at, *joint);
        }
    }
}

/// Applies the prediction for a joint to the pose.
fn place(body: &Body, at: &mut [Placed], output: &Output, values: &[f64]) {
    if let Output::Rotation(joint, Frame::Joint(frame)) = output {
        at[joint.index()].rotation = at[frame.index()].rotation * rotation_of(values);
        follow(body, at, *joint);
    }
}

/// Positions a joint by its offset from its parent.
fn follow(body: &Body, at: &mut [Placed], joint: JointId) {
    let own = body.skeleton.joint(joint);
    if let Some(parent) = own.parent {
        let above = at[parent.index()];
        at[joint.index()].translation.vector = above.translation.vector + above.rotation * own.offset;
    }
}

fn fit_root(examples: &Examples, known: &[Known], hips: Known) -> Root {
    let body = &examples.body;
    let heading = Heading::fit(examples, known);
    let up = body.up();
    let frames: Vec<Placed> = examples.all().map(|at| heading.frame(at, &up, body.leg)).collect();
    let all = relative_to(known, Frame::Upright, 1.0 / (weight::BODY * body.leg), weight::TURN);
    let outputs =
        vec![Output::Position(body.hips, Frame::Upright), Output::Rotation(body.hips, Frame::Upright)];
    Root { stage: Stage::fit(examples, &frames, (all, outputs), None), heading, known: hips }
}

fn fit_trunk(examples: &Examples, known: &[Known], still: &[Placed], stored: Option<&Weights>) -> Stage {
    let body = &examples.body;
    let hips = Frame::Joint(body.hips);
    let mut features = relative_to(known, hips, 1.0 / (weight::BODY * body.leg), weight::TURN);
    features.push(Feature::Up(hips, weight::UP));
    let mut outputs: Vec<Output> = body.trunk.iter().map(|joint| Output::Rotation(*joint, hips)).collect();
    outputs.extend(in_parents(body, &body.others));
    Stage::fit(examples, still, (features, outputs), stored)
}

/// Outputs: rotations of joints relative to their parents.
fn in_parents(body: &Body, joints: &[JointId]) -> Vec<Output> {
    let parent = |joint: &JointId| body.skeleton.joint(*joint).parent.unwrap_or(body.hips);
    joints.iter().map(|joint| Output::Rotation(*joint, Frame::Joint(parent(joint)))).collect()
}

fn fit_limb(
    examples: &Examples,
    known: &[Known],
    (limb, stored): (&Limb, [Option<&Weights>; 2]),
    still: &[Placed],
) -> (Stage, Option<Stage>) {
    let body = &examples.body;
    let base = Frame::Joint(limb.base);
    let own: Vec<Known> = known.iter().filter(|known| limb.chain.contains(&known.joint)).copied().collect();
    let others: Vec<Known> =
        known.iter().filter(|known| !limb.chain.contains(&known.joint)).copied().collect();
    // If nothing of the limb is known, the rest of the body has the full weight.
    let rest = match (own.is_empty(), limb.is_arm) {
        (true, _) => 1.0,
        (false, true) => weight::REST_OF_ARM,
        (false, false) => weight::REST_OF_LEG,
    };
    let mut features = relative_to(&own, base, 1.0 / limb.length, weight::TURN);
    let of_body = rest / (weight::BODY * body.leg);
    features.extend(relative_to(&others, Frame::Joint(body.hips), of_body, weight::TURN * rest));
    if limb.is_arm {
        features.push(Feature::Up(base, weight::UP_OF_ARM));
    }
    let mut outputs: Vec<Output> = limb.chain.iter().map(|joint| Output::Rotation(*joint, base)).collect();
    outputs.extend(in_parents(body, &limb.followers));
    let stage = Stage::fit(examples, still, (features, outputs), stored[0]);
    let end = own.iter().find(|known| known.joint == limb.end() && known.position && known.orientation);
    let from_end = end.map(|_| {
        let end = Frame::Joint(limb.end());
        let features = vec![
            Feature::Position(limb.upper(), end, 1.0 / limb.length),
            Feature::Rotation(limb.base, end, weight::TURN_FROM_END),
        ];
        Stage::fit(examples, still, (features, vec![Output::Position(limb.middle(), end)]), stored[1])
    });
    (stage, from_end)
}
