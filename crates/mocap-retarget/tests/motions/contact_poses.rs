//! Contacts that people make with their own surface: poses solved on the meshes of the corpus.
//!
//! Arms are turned so that places on their surface lie on places of the surface that they touch, while the trunk sways.
//! Bodies of the corpus have one topology, so that the same vertices are the corresponding places.

use std::f64::consts::PI;
use std::sync::Arc;

use mocap_formats::{Document, Format, ReadOptions, WriteOptions};
use mocap_model::{
    Clip, FrameRate, JointId, JointTracks, Pose, Role, Skeleton, Track, UnitQuaternion, Vector3,
};
use mocap_retarget::{RoleMap, SurfaceFrames, TargetSurface, map_roles_in};
use mocap_skin::{Affine, Field, Part, PosedField, Sided, Surface, parts_of_joints, parts_of_vertices};
use nalgebra::{DMatrix, DVector};

const FPS: f64 = 30.0;
/// Frames of the way to the contact and back, and of the contact.
const WAY: usize = 24;
const HELD: usize = 30;
/// Frames from one clap to the next, and how far palms part \[m, on a person of 1.7 m\].
const CLAP: usize = 10;
const APART: f64 = 0.25;
/// Palms meet so far above the joint of the chest \[m, on a person of 1.7 m\].
const CLAP_UP: f64 = 0.12;
/// Palms are this far from what they touch \[m\].
const GAP: f64 = 0.003;

/// What hands do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Act {
    HandsOnHips,
    HandsOnHead,
    CrossedArms,
    Claps,
}

impl Act {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Act::HandsOnHips => "hands_on_hips",
            Act::HandsOnHead => "hands_on_head",
            Act::CrossedArms => "crossed_arms",
            Act::Claps => "claps",
        }
    }

    /// Whether arms touch each other.
    pub(crate) fn joins_arms(self) -> bool {
        matches!(self, Act::CrossedArms | Act::Claps)
    }
}

pub(crate) struct Person {
    pub skeleton: Arc<Skeleton>,
    pub roles: RoleMap,
    pub surface: Surface,
    pub parts: Vec<Part>,
    pub prepared: TargetSurface,
    pub height: f64,
    document: Box<dyn Document>,
    /// Of trunk, head and legs.
    core: Field,
    /// Left before right.
    arms: [Field; 2],
    /// Joints at rest.
    rest: Pose,
}

pub(crate) fn person(name: &str) -> Person {
    let path = mocap_corpus::folder().join(format!("bodies/{name}.glb"));
    let bytes = std::fs::read(path).expect("a file of the corpus");
    let options = ReadOptions::default();
    let document = mocap_formats::read(&bytes, &options).expect("a sound file").value;
    let clip = document.to_clip(&options).expect("a sound file").value;
    let skeleton = Arc::clone(clip.skeleton());
    let body = document.body(&options.limits).expect("a sound file").expect("a mesh").value.on(&skeleton);
    let roles = map_roles_in(&clip);
    let surface = Surface::new(&body, &skeleton).unwrap();
    let parts = parts_of_vertices(&surface, &parts_of_joints(&skeleton, |joint| roles.role(joint)));
    let core = Field::new(&surface, &skeleton, |vertex| parts[vertex].is_core(), 0.02).unwrap();
    let arms = Sided::BOTH.map(|side| {
        let is_arm = |vertex: usize| is_arm(parts[vertex], side);
        Field::new(&surface, &skeleton, is_arm, 0.012).unwrap()
    });
    let prepared = TargetSurface::new(&body, &skeleton, &roles).unwrap().measured_at(SurfaceFrames::All);
    let heights = || surface.positions().iter().map(|at| at.y);
    let height = heights().fold(f64::MIN, f64::max) - heights().fold(f64::MAX, f64::min);
    let mut rest = Pose::default();
    Pose::rest(&skeleton).to_object(&skeleton, &mut rest);
    Person { skeleton, roles, surface, parts, prepared, height, document, core, arms, rest }
}

/// Whether a part is of the arm of a side.
pub(crate) fn is_arm(part: Part, side: Sided) -> bool {
    part.is_lower_arm_of(side) || part == Part::UpperArm(side)
}

/// 1 for the left side, which is at positive x, else -1.
fn out_of(side: Sided) -> f64 {
    if side == Sided::Left { 1.0 } else { -1.0 }
}

fn other(side: Sided) -> Sided {
    if side == Sided::Left { Sided::Right } else { Sided::Left }
}

/// A palm and where it belongs.
struct Palm {
    side: Sided,
    vertex: u32,
    around: Vec<[u32; 3]>,
    to: Place,
}

/// Where a palm belongs.
enum Place {
    /// On a vertex, against its normal.
    On(u32, Vec<[u32; 3]>),
    /// At a place in the frame of the chest, with a normal there.
    InAir(Vector3<f64>, Vector3<f64>),
}

impl Person {
    fn joint(&self, role: Role) -> JointId {
        self.roles.joint(role).unwrap()
    }

    fn arm_joints(&self, side: Sided) -> [JointId; 3] {
        let roles = match side {
            Sided::Left => [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
            Sided::Right => [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
        };
        roles.map(|role| self.joint(role))
    }

    fn at(&self, joint: JointId) -> Vector3<f64> {
        self.rest.joints[joint.index()].translation.vector
    }

    fn named(&self, name: &str) -> Vector3<f64> {
        self.at(self.skeleton.find(name).unwrap())
    }

    /// The vertex of some parts at which a ray from a place leaves the body, approximately.
    fn leaves(&self, from: Vector3<f64>, to: Vector3<f64>, is_part: impl Fn(Part) -> bool) -> u32 {
        let to = to.normalize();
        let off = |vertex: &u32| {
            let way = self.surface.positions()[*vertex as usize] - from;
            let along = way.dot(&to);
            if along > 0.0 { (way - to * along).norm() - 0.02 * along } else { f64::INFINITY }
        };
        let own = (0..self.parts.len() as u32).filter(|vertex| is_part(self.parts[*vertex as usize]));
        own.min_by(|a, b| off(a).total_cmp(&off(b))).unwrap()
    }

    /// The middle of a palm, on its surface.
    pub(crate) fn palm(&self, side: Sided) -> u32 {
        let name = if side == Sided::Left { "Left" } else { "Right" };
        let joint = |of: &str| self.named(&format!("{name}Hand{of}"));
        let (wrist, middle) = (joint(""), joint("Middle1"));
        let across = joint("Index1") - joint("Pinky1");
        let normal = (middle - wrist).cross(&across).normalize();
        let inwards = Vector3::new(-wrist.x.signum(), -1.0, 0.0);
        let normal = normal * normal.dot(&inwards).signum();
        self.leaves(wrist * 0.35 + middle * 0.65, normal, |part| part == Part::Hand(side))
    }

    /// The vertex that the palm of a side touches, of whichever body.
    pub(crate) fn touched(&self, act: Act, side: Sided) -> u32 {
        let out = Vector3::x() * out_of(side);
        let (up, ahead) = (Vector3::y(), Vector3::z());
        match act {
            Act::HandsOnHips => {
                let leg = if side == Sided::Left { Role::LeftUpperLeg } else { Role::RightUpperLeg };
                let from = self.at(self.joint(leg)) + up * 0.07 * self.height;
                self.leaves(from, out + ahead * 0.3, |part| part == Part::Trunk)
            }
            Act::HandsOnHead => {
                let from = self.at(self.joint(Role::Head)) + up * 0.05 * self.height;
                self.leaves(from, up + out * 0.7 + ahead * 0.2, |part| part == Part::Head)
            }
            Act::CrossedArms => {
                // The right hand lies on the upper arm, the left one below it, near the elbow.
                let [shoulder, elbow, _] = self.arm_joints(other(side)).map(|joint| self.at(joint));
                let down = if side == Sided::Right { 0.4 } else { 0.85 };
                let from = shoulder + (elbow - shoulder) * down;
                self.leaves(from, ahead - out, |part| part == Part::UpperArm(other(side)))
            }
            Act::Claps => self.palm(other(side)),
        }
    }

    pub(crate) fn palette(&self, local: &Pose) -> (Pose, Vec<Affine>) {
        let mut object = Pose::default();
        local.to_object(&self.skeleton, &mut object);
        let palette = self.surface.palette_of(&object);
        (object, palette)
    }

    fn triangles_around(&self, vertex: u32) -> Vec<[u32; 3]> {
        self.surface.triangles.iter().filter(|triangle| triangle.contains(&vertex)).copied().collect()
    }

    fn normal(&self, around: &[[u32; 3]], palette: &[Affine]) -> Vector3<f64> {
        let places = |corner: u32| self.surface.posed_vertex(palette, corner as usize);
        let normals = around.iter().map(|triangle| {
            let [a, b, c] = triangle.map(places);
            (b - a).cross(&(c - a))
        });
        normals.sum::<Vector3<f64>>().normalize()
    }

    /// Where palms belong; those that clap are `apart` \[m on a person of 1.7 m\].
    fn palms(&self, act: Act, apart: f64) -> Vec<Palm> {
        let palm = |side: Sided| {
            let vertex = self.palm(side);
            let out = Vector3::x() * out_of(side);
            let to = match act {
                Act::Claps => {
                    let metre = self.height / 1.7;
                    let place = Vector3::new(0.0, CLAP_UP, 0.36) + out * (apart.max(GAP) / 2.0);
                    Place::InAir(place * metre, -out)
                }
                _ => {
                    let on = self.touched(act, side);
                    Place::On(on, self.triangles_around(on))
                }
            };
            Palm { side, vertex, around: self.triangles_around(vertex), to }
        };
        Sided::BOTH.map(palm).into()
    }

    /// Where palms are before arms cross, so that they cross in front of the chest.
    fn palms_before(&self) -> Vec<Palm> {
        let palm = |side: Sided| {
            let vertex = self.palm(side);
            // The right arm above the left.
            let (up, ahead) = if side == Sided::Right { (0.02, 0.3) } else { (-0.1, 0.22) };
            let place = Vector3::new(-0.06 * out_of(side), up, ahead) * (self.height / 1.7);
            let to = Place::InAir(place, -Vector3::z());
            Palm { side, vertex, around: self.triangles_around(vertex), to }
        };
        Sided::BOTH.map(palm).into()
    }

    /// Turns the arms of a pose so that palms lie where they belong, both at once, with arms outside of the body and of each
    /// other.
    fn solve(&self, palms: &[Palm], joins_arms: bool, local: &mut Pose, is_first: bool) {
        let chest = self.joint(Role::Chest);
        let joints: Vec<JointId> = palms.iter().flat_map(|palm| self.arm_joints(palm.side)).collect();
        let count = 3 * joints.len();
        let start = local.clone();
        // Arms that touch each other are watched more closely.
        let (spacing, keeps_out) = if joins_arms { (11, 500.0) } else { (17, 400.0) };
        let points: Vec<(usize, u32)> = Sided::BOTH
            .iter()
            .enumerate()
            .flat_map(|(at, side)| {
                let own = (0..self.parts.len() as u32)
                    .filter(|vertex| self.parts[*vertex as usize].is_lower_arm_of(*side));
                own.step_by(spacing).map(move |vertex| (at, vertex))
            })
            .collect();
        let posed = |x: &DVector<f64>| {
            let mut pose = start.clone();
            for (i, joint) in joints.iter().enumerate() {
                let turn =
                    UnitQuaternion::from_scaled_axis(Vector3::new(x[3 * i], x[3 * i + 1], x[3 * i + 2]));
                pose.joints[joint.index()].rotation = start.joints[joint.index()].rotation * turn;
            }
            pose
        };
        let residuals = |x: &DVector<f64>, fields: &mut [PosedField<'_>; 3]| {
            let (object, palette) = self.palette(&posed(x));
            fields.iter_mut().for_each(|field| assert!(field.pose(&object)));
            let place = |vertex: u32| self.surface.posed_vertex(&palette, vertex as usize);
            let mut all = Vec::new();
            for palm in palms {
                let (at, n) = (place(palm.vertex), self.normal(&palm.around, &palette));
                let (to, m) = match &palm.to {
                    Place::On(on, around) => {
                        let m = self.normal(around, &palette);
                        (place(*on) + m * GAP, m)
                    }
                    Place::InAir(at, towards) => {
                        let turned = object.joints[chest.index()].rotation
                            * self.rest.joints[chest.index()].rotation.inverse();
                        (object.joints[chest.index()].translation.vector + turned * at, -(turned * towards))
                    }
                };
                all.extend(((at - to) * 300.0).iter());
                all.extend(((n + m) * 6.0).iter());
            }
            all.extend(x.iter().map(|x| x * 0.3));
            for (side, point) in &points {
                let at = place(*point);
                for field in [&fields[0], &fields[2 - side]] {
                    let depth = field.at(&at, 0.0).map_or(0.0, |hit| hit.distance.min(0.0));
                    all.push(depth * keeps_out);
                }
            }
            DVector::from_vec(all)
        };
        let (object, _) = self.palette(&start);
        let mut fields =
            [&self.core, &self.arms[0], &self.arms[1]].map(|field| field.posed(&object).unwrap());
        let mut best: Option<(f64, DVector<f64>)> = None;
        // From the pose as it is, and from bent arms.
        for bend in if is_first { &[0.0, 0.8, 1.6][..] } else { &[0.0] } {
            let mut x = DVector::zeros(count);
            for (arm, palm) in palms.iter().enumerate() {
                let elbow = self.arm_joints(palm.side)[1];
                let lower = self.rest.joints[elbow.index()].rotation;
                let axis = lower.inverse() * Vector3::new(-1.0, -out_of(palm.side), 0.0).normalize();
                (0..3).for_each(|i| x[9 * arm + 3 + i] = axis[i] * *bend);
            }
            let (left, x) = descend(x, |x| residuals(x, &mut fields));
            if best.as_ref().is_none_or(|(least, _)| left < *least) {
                best = Some((left, x));
            }
        }
        *local = posed(&best.unwrap().1);
    }

    /// A motion into a contact and out of it, while the trunk sways; claps meet and part.
    pub(crate) fn motion(&self, act: Act) -> Clip {
        let frames = 2 * WAY + HELD + 1;
        let spine = self.joint(Role::Spine);
        let swayed = |frame: usize, pose: &Pose| {
            let time = frame as f64 / FPS;
            let mut pose = pose.clone();
            let turn = Vector3::new(0.03 * (2.0 * time).sin(), 0.08 * (1.5 * time).sin(), 0.0);
            let turn = UnitQuaternion::from_scaled_axis(turn);
            pose.joints[spine.index()].rotation *= turn;
            pose
        };
        let rest = Pose::rest(&self.skeleton);
        let mut poses = vec![Pose::default(); frames];
        let mut last = rest.clone();
        // On the way to the contact and back.
        let before = (act == Act::CrossedArms).then(|| {
            self.solve(&self.palms_before(), true, &mut last, true);
            last.clone()
        });
        for frame in WAY..=WAY + HELD {
            let mut pose = last.clone();
            pose.joints[spine.index()] = rest.joints[spine.index()];
            let mut pose = swayed(frame, &pose);
            // Palms meet in three frames of each clap.
            let phase = 2.0 * PI * (frame - WAY) as f64 / CLAP as f64;
            let apart = APART * ((1.0 - phase.cos()) / 2.0 - 0.1).max(0.0);
            let is_first = frame == WAY && before.is_none();
            self.solve(&self.palms(act, apart), act.joins_arms(), &mut pose, is_first);
            (last, poses[frame]) = (pose.clone(), pose);
        }
        for frame in (0..WAY).chain(WAY + HELD + 1..frames) {
            let (share, held) = match frame < WAY {
                true => (frame as f64 / WAY as f64, WAY),
                false => ((frames - 1 - frame) as f64 / WAY as f64, WAY + HELD),
            };
            let share = (1.0 - (PI * share).cos()) / 2.0;
            let mut pose = match &before {
                Some(before) if share < 0.5 => between(&rest, before, 2.0 * share),
                Some(before) => between(before, &poses[held], 2.0 * share - 1.0),
                None => between(&rest, &poses[held], share),
            };
            pose.joints[spine.index()] = rest.joints[spine.index()];
            poses[frame] = swayed(frame, &pose);
        }
        let mut tracks: Vec<JointTracks> = self.skeleton.joints().iter().map(JointTracks::at_rest).collect();
        for (joint, track) in tracks.iter_mut().enumerate() {
            let rotations = poses.iter().map(|pose| pose.joints[joint].rotation).collect();
            track.rotation = Track::Sampled(rotations);
        }
        Clip::new(Arc::clone(&self.skeleton), FrameRate::new(FPS).unwrap(), frames, tracks).unwrap()
    }

    /// A motion of this person as a GLB with its mesh.
    pub(crate) fn file(&self, clip: &Clip) -> Vec<u8> {
        let clips = [clip.clone()];
        let options = WriteOptions::default();
        let file = mocap_formats::write_kept(Some(&*self.document), &clips, Format::Glb, &options);
        file.expect("a sound clip").main.into_bytes()
    }
}

/// A pose between two.
fn between(a: &Pose, b: &Pose, share: f64) -> Pose {
    let mut pose = a.clone();
    for (joint, to) in pose.joints.iter_mut().zip(&b.joints) {
        joint.rotation = joint.rotation.slerp(&to.rotation, share);
    }
    pose
}

/// Where residuals are least near a start, with their norm there (Levenberg–Marquardt).
fn descend(
    start: DVector<f64>,
    mut residuals: impl FnMut(&DVector<f64>) -> DVector<f64>,
) -> (f64, DVector<f64>) {
    let count = start.len();
    let (mut x, mut damping) = (start, 1e-2);
    let mut r = residuals(&x);
    for _ in 0..40 {
        let mut jacobian = DMatrix::zeros(r.len(), count);
        for i in 0..count {
            let mut next = x.clone();
            next[i] += 1e-5;
            jacobian.set_column(i, &((residuals(&next) - &r) / 1e-5));
        }
        let square = jacobian.transpose() * &jacobian;
        let down = jacobian.transpose() * &r;
        let damped = &square + DMatrix::identity(count, count) * (damping * square.trace() / count as f64);
        let step = damped.lu().solve(&down).unwrap();
        let next = &x - step;
        let s = residuals(&next);
        if s.norm() < r.norm() {
            let done = r.norm() - s.norm() < 1e-4 * r.norm();
            (x, r, damping) = (next, s, damping * 0.3);
            if done {
                break;
            }
        } else {
            damping *= 5.0;
        }
    }
    (r.norm(), x)
}
