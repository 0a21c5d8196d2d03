//! Contacts of the source's arms, found on its surface: with its trunk, head and legs, and with its other arm.

use super::arm::{PosedArm, hinge_axes};
use super::body_surface::{BodySurface, Touched};
use crate::smoothing::envelope;
use mocap_analysis::runs;
use mocap_model::{Clip, ForwardKinematics, JointId, Pose};
use mocap_skin::{Part, PosedField};

/// An arm touches what is nearer than this, on a person \[m\].
const TOUCH: f64 = 0.012;
/// Trunk, head and legs are touched for at least this time \[s\]: arms that swing pass them. Hands clap faster.
const SHORTEST: f64 = 0.1;
/// A contact begins and ends over this time \[s\].
const FADE: f64 = 0.12;

/// The contacts of one arm with one other thing.
#[derive(Clone, Debug)]
pub(crate) struct ArmContacts {
    /// 0 left, 1 right.
    pub arm: usize,
    pub touched: Touched,
    /// By frame: 1 in contact, fading to 0.
    pub weights: Vec<f64>,
    /// The frames in contact.
    pub frames: Vec<usize>,
    /// The parts that touch most often.
    pub part: Part,
    pub on: Part,
}

/// The contacts that a motion shows on the surface of its body. `joints` gives the part of each joint.
pub(crate) fn find(body: &BodySurface, clip: &Clip) -> Vec<ArmContacts> {
    let frames = clip.frames();
    let Some(core) = body.core.as_ref().filter(|_| frames > 0) else { return Vec::new() };
    let mut kinematics = ForwardKinematics::new(clip);
    kinematics.place(0);
    let Some(mut field) = core.posed(kinematics.pose()) else { return Vec::new() };
    let hinges = hinge_axes(body, clip);
    let touch = body.person(TOUCH);
    let kinds = [(0, Touched::Core), (1, Touched::Core), (0, Touched::Arm), (1, Touched::Arm)];
    let mut touches: [Vec<Option<(Part, Part)>>; 4] = std::array::from_fn(|_| vec![None; frames]);
    for frame in 0..frames {
        kinematics.place(frame);
        let object = kinematics.pose();
        if !field.pose(object) {
            continue;
        }
        let palette = body.surface.palette(object);
        let posed = [0, 1].map(|i| {
            let arm = body.arms[i].as_ref()?;
            Some(PosedArm::of(arm, &body.surface, object, &palette, &hinges[i]))
        });
        for (kind, touches) in kinds.into_iter().zip(&mut touches) {
            let (arm, touched) = kind;
            let (Some(surface), Some(posed)) = (&body.arms[arm], &posed[arm]) else { continue };
            let (middle, radius) = posed.ball();
            let other;
            let field = match touched {
                Touched::Core => &field,
                Touched::Arm => {
                    let Some(found) = other_field(body, 1 - arm, object) else { continue };
                    other = found;
                    &other
                }
            };
            if field.nearness(&middle) > radius + touch {
                continue;
            }
            let nearest = posed.points.iter().enumerate().filter_map(|(point, at)| {
                let hit = field.at(at, touch)?;
                (hit.distance < touch).then_some((hit.distance, point, hit.joint))
            });
            let nearest = nearest.reduce(|a, b| if b.0 < a.0 { b } else { a });
            touches[frame] = nearest.map(|(_, point, joint)| {
                (body.parts[surface.points[point].vertex as usize], body.part_of(joint))
            });
        }
    }
    let fps = clip.rate().fps();
    let mut contacts = Vec::new();
    for ((arm, touched), touches) in kinds.into_iter().zip(touches) {
        let mut is: Vec<bool> = touches.iter().map(Option::is_some).collect();
        let shortest = if touched == Touched::Core { (SHORTEST * fps).ceil() as usize } else { 1 };
        for run in runs(&is.clone()).into_iter().filter(|run| run.len() < shortest) {
            is[run].fill(false);
        }
        let held: Vec<usize> = (0..frames).filter(|frame| is[*frame]).collect();
        if held.is_empty() {
            continue;
        }
        let pairs = held.iter().filter_map(|frame| touches[*frame]);
        let (part, on) = most_frequent(pairs).expect("a frame is in contact");
        let weights: Vec<f64> = is.iter().map(|is| f64::from(*is)).collect();
        let weights = envelope(&weights, (FADE * fps / 2.0).round().max(1.0) as usize);
        contacts.push(ArmContacts { arm, touched, weights, frames: held, part, on });
    }
    contacts
}

/// The field of an arm in a pose.
pub(crate) fn other_field<'a>(body: &'a BodySurface, arm: usize, object: &Pose) -> Option<PosedField<'a>> {
    body.arms[arm].as_ref()?.field.as_ref()?.posed(object)
}

/// The value that is there most often; of several, the lowest.
fn most_frequent<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    let groups = values.chunk_by(|a, b| a == b);
    groups.reduce(|most, next| if next.len() > most.len() { next } else { most }).map(|group| group[0])
}

impl BodySurface {
    /// The part of a joint.
    pub(crate) fn part_of(&self, joint: JointId) -> Part {
        self.joint_parts[joint.index()]
    }
}
