//! Contacts that people make with their own surface, on bodies of other proportions.
//!
//! The poses are made on the meshes of the corpus: arms are solved so that a place on a palm lies on a place on hip or head,
//! while the trunk sways. Bodies there have one topology, so that the same vertices are
//! the corresponding places.

use std::f64::consts::PI;
use std::sync::Arc;

use mocap_formats::ReadOptions;
use mocap_model::{
    Clip, ForwardKinematics, FrameRate, JointId, JointTracks, Pose, Role, Skeleton, Track, UnitQuaternion,
    Vector3,
};
use mocap_retarget::{
    RetargetOptions, RetargetReport, Retargeter, RoleMap, SurfaceFrames, TargetSurface, map_roles_in,
};
use mocap_skin::{
    Affine, Field, Part, PosedField, Sided, Surface, TriangleTree, parts_of_joints, parts_of_vertices,
};
use nalgebra::{DMatrix, DVector};

const FPS: f64 = 30.0;
/// Frames of the way to the contact and back, and of the contact.
const WAY: usize = 24;
const HELD: usize = 30;

/// What hands do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    HandsOnHips,
    HandOnHead,
}

struct Person {
    skeleton: Arc<Skeleton>,
    roles: RoleMap,
    surface: Surface,
    parts: Vec<Part>,
    /// Of trunk, head and legs.
    core: Field,
    prepared: TargetSurface,
    height: f64,
    /// Joints at rest.
    rest: Pose,
}

fn person(name: &str) -> Person {
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
    let prepared = TargetSurface::new(&body, &skeleton, &roles).unwrap().measured_at(SurfaceFrames::All);
    let heights = || surface.positions().iter().map(|at| at.y);
    let height = heights().fold(f64::MIN, f64::max) - heights().fold(f64::MAX, f64::min);
    let mut rest = Pose::default();
    Pose::rest(&skeleton).to_object(&skeleton, &mut rest);
    Person { skeleton, roles, surface, parts, core, prepared, height, rest }
}

impl Person {
    fn joint(&self, role: Role) -> JointId {
        self.roles.joint(role).unwrap()
    }

    fn at(&self, joint: JointId) -> Vector3<f64> {
        self.rest.joints[joint.index()].translation.vector
    }

    fn named(&self, name: &str) -> Vector3<f64> {
        self.at(self.skeleton.find(name).unwrap())
    }

    /// The vertex of some parts that a ray from a place leaves through, or nearly.
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
    fn palm(&self, side: Sided) -> u32 {
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
    fn touched(&self, act: Act, side: Sided) -> u32 {
        let out = if side == Sided::Left { Vector3::x() } else { -Vector3::x() };
        let (up, ahead) = (Vector3::y(), Vector3::z());
        match act {
            Act::HandsOnHips => {
                let leg = if side == Sided::Left { Role::LeftUpperLeg } else { Role::RightUpperLeg };
                let from = self.at(self.joint(leg)) + up * 0.07 * self.height;
                self.leaves(from, out + ahead * 0.3, |part| part == Part::Trunk)
            }
            Act::HandOnHead => {
                let from = self.at(self.joint(Role::Head)) + up * 0.05 * self.height;
                self.leaves(from, up + out * 0.7 + ahead * 0.2, |part| part == Part::Head)
            }
        }
    }

    fn palette(&self, local: &Pose) -> (Pose, Vec<Affine>) {
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

    /// Solves the arms of a pose so that palms lie on what they touch.
    fn solve(&self, act: Act, local: &mut Pose, sides: &[Sided], is_first: bool) {
        for side in sides {
            self.solve_arm(act, local, *side, is_first);
        }
    }

    fn solve_arm(&self, act: Act, local: &mut Pose, side: Sided, is_first: bool) {
        let roles = match side {
            Sided::Left => [Role::LeftUpperArm, Role::LeftLowerArm, Role::LeftHand],
            Sided::Right => [Role::RightUpperArm, Role::RightLowerArm, Role::RightHand],
        };
        let joints = roles.map(|role| self.joint(role));
        let (palm, on) = (self.palm(side), self.touched(act, side));
        let around = [palm, on].map(|vertex| self.triangles_around(vertex));
        let start = local.clone();
        let points: Vec<u32> = (0..self.parts.len() as u32)
            .filter(|vertex| self.parts[*vertex as usize].is_lower_arm_of(side))
            .step_by(29)
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
        let out = if side == Sided::Left { 1.0 } else { -1.0 };
        let residuals = |x: &DVector<f64>, field: &mut PosedField<'_>| {
            let pose = posed(x);
            let (object, palette) = self.palette(&pose);
            field.pose(&object);
            let place = |vertex: u32| self.surface.posed_vertex(&palette, vertex as usize);
            let mut all = Vec::new();
            let (at, n) = (place(palm), self.normal(&around[0], &palette));
            let (to, m) = (place(on), self.normal(&around[1], &palette));
            all.extend(((at - to - m * 0.003) * 300.0).iter());
            all.extend(((n + m) * 6.0).iter());
            all.extend(x.iter().map(|x| x * 0.3));
            for point in &points {
                let depth = field.at(&place(*point), 0.0).map_or(0.0, |hit| hit.distance.min(0.0));
                all.push(depth * 150.0);
            }
            DVector::from_vec(all)
        };
        let (object, _) = self.palette(&start);
        let mut field = self.core.posed(&object).unwrap();
        let mut best: Option<(f64, DVector<f64>)> = None;
        // From the pose as it is, and from bent arms.
        for bend in if is_first { &[0.0, 0.8, 1.6][..] } else { &[0.0] } {
            let mut x = DVector::zeros(9);
            let axis = {
                let lower = self.rest.joints[joints[1].index()].rotation;
                lower.inverse() * Vector3::new(-1.0, -out, 0.0).normalize()
            };
            (0..3).for_each(|i| x[3 + i] = axis[i] * *bend);
            let mut damping = 1e-2;
            let mut r = residuals(&x, &mut field);
            for _ in 0..40 {
                let mut jacobian = DMatrix::zeros(r.len(), 9);
                for i in 0..9 {
                    let mut next = x.clone();
                    next[i] += 1e-5;
                    jacobian.set_column(i, &((residuals(&next, &mut field) - &r) / 1e-5));
                }
                let square = jacobian.transpose() * &jacobian;
                let down = jacobian.transpose() * &r;
                let damped = &square + DMatrix::identity(9, 9) * (damping * square.trace() / 9.0);
                let step = damped.lu().solve(&down).unwrap();
                let next = &x - step;
                let s = residuals(&next, &mut field);
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
            if best.as_ref().is_none_or(|(least, _)| r.norm() < *least) {
                best = Some((r.norm(), x));
            }
        }
        *local = posed(&best.unwrap().1);
    }

    /// A motion into a contact and out of it, while the trunk sways.
    fn motion(&self, act: Act) -> Clip {
        let sides: &[Sided] = match act {
            Act::HandOnHead => &[Sided::Right],
            _ => &Sided::BOTH,
        };
        let frames = 2 * WAY + HELD;
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
        for frame in WAY..WAY + HELD {
            let mut pose = last.clone();
            pose.joints[spine.index()] = rest.joints[spine.index()];
            let mut pose = swayed(frame, &pose);
            self.solve(act, &mut pose, sides, frame == WAY);
            (last, poses[frame]) = (pose.clone(), pose);
        }
        for frame in (0..WAY).chain(WAY + HELD..frames) {
            let (share, held) = match frame < WAY {
                true => (frame as f64 / WAY as f64, WAY),
                false => ((frames - 1 - frame) as f64 / WAY as f64, WAY + HELD - 1),
            };
            let share = (1.0 - (PI * share).cos()) / 2.0;
            let mut pose = rest.clone();
            for (joint, held) in pose.joints.iter_mut().zip(&poses[held].joints) {
                joint.rotation = joint.rotation.slerp(&held.rotation, share);
            }
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

    fn retarget(
        &self,
        clip: &Clip,
        source: Option<&Person>,
        options: RetargetOptions,
    ) -> (Clip, RetargetReport) {
        let roles = source.map_or(&self.roles, |source| &source.roles);
        let options = RetargetOptions {
            surface: Some(self.prepared.clone()),
            source_roles: Some(roles.clone()),
            target_roles: Some(self.roles.clone()),
            ..options
        };
        Retargeter::new(clip.skeleton(), &self.skeleton, &options).unwrap().retarget(clip).unwrap()
    }
}

/// By frame, of hands of sides that touch: distance of palms from the vertices they touch, and of the hand from the
/// surface there [m on a person of 1.7 m].
fn distances(person: &Person, side: Sided, pairs: (u32, u32), clip: &Clip) -> Vec<[f64; 2]> {
    let (palm, on) = pairs;
    let is_on = |vertex: usize| person.parts[vertex].is_core();
    let triangles = person.surface.triangles.iter().copied();
    let triangles: Vec<[u32; 3]> =
        triangles.filter(|it| it.iter().all(|corner| is_on(*corner as usize))).collect();
    let mut tree = TriangleTree::new(triangles, person.surface.positions());
    let mut kinematics = ForwardKinematics::new(clip);
    let (metre, mut places) = (1.7 / person.height, Vec::new());
    let hand: Vec<usize> =
        (0..person.parts.len()).filter(|at| person.parts[*at] == Part::Hand(side)).collect();
    (0..clip.frames())
        .map(|frame| {
            kinematics.place(frame);
            person.surface.pose_into(&person.surface.palette_of(kinematics.pose()), &mut places);
            tree.refit(&places);
            let apart = (places[palm as usize] - places[on as usize]).norm();
            let gap = hand.iter().filter_map(|at| Some(tree.closest(&places[*at], &places, 0.1)?.distance));
            [apart * metre, gap.fold(0.1, f64::min) * metre]
        })
        .collect()
}

/// What all pairs show together.
#[derive(Debug, Default)]
struct Shown {
    frames: f64,
    /// Frames in which the palm is within 1 cm of the vertex that it touched on its source, and those in which the hand is
    /// within 1 cm of the surface.
    on_place: f64,
    on_surface: f64,
    inside: f64,
    pairs: f64,
    /// As a share of the height.
    deepest: f64,
}

fn measure(sources: &[&str], targets: &[&str], acts: &[Act]) -> Shown {
    let [sources, targets] = [sources, targets].map(|names| names.iter().map(|name| person(name)));
    let targets: Vec<Person> = targets.collect();
    let mut shown = Shown::default();
    for source in sources {
        for act in acts {
            let clip = source.motion(*act);
            let sides: &[Sided] = if *act == Act::HandOnHead { &[Sided::Right] } else { &Sided::BOTH };
            let places = |side: Sided| (source.palm(side), source.touched(*act, side));
            let of = |person: &Person, clip: &Clip| -> Vec<[f64; 2]> {
                let each = sides.iter().map(|side| distances(person, *side, places(*side), clip));
                each.collect::<Vec<_>>().concat()
            };
            let was = of(&source, &clip);
            for target in &targets {
                let options = RetargetOptions {
                    source_surface: Some(source.prepared.clone()),
                    ..RetargetOptions::default()
                };
                let (motion, report) = target.retarget(&clip, Some(&source), options);
                let surface = report.surface.expect("a surface");
                for (_, is) in was.iter().zip(of(target, &motion)).filter(|(was, _)| was[0] < 0.01) {
                    shown.frames += 1.0;
                    shown.on_place += f64::from(is[0] < 0.01);
                    shown.on_surface += f64::from(is[1] < 0.01);
                }
                shown.inside += surface.inside;
                shown.pairs += 1.0;
                shown.deepest = shown.deepest.max(surface.deepest / target.height);
            }
        }
    }
    mocap_corpus::note!("{acts:?}: {shown:?}");
    shown
}

pub(crate) fn hands_on_hips_and_head_rest_on_other_bodies() {
    let shown =
        measure(&["woman"], &["heavy_man", "child", "strong_man"], &[Act::HandsOnHips, Act::HandOnHead]);
    assert!(shown.frames > 200.0, "{shown:?}");
    assert!(shown.on_surface >= 0.95 * shown.frames, "{shown:?}");
    assert!(shown.deepest < 0.012 && shown.inside < 0.01 * shown.pairs, "{shown:?}");
}
