//! Contacts that people make with their own surface, on bodies of other proportions.
//!
//! If `MOCAP_CONTACT_FILES` names a folder, the files of all motions are written there, for
//! pictures.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use mocap_formats::body::{Style, drawn};
use mocap_model::{Clip, ForwardKinematics};
use mocap_retarget::{RetargetOptions, RetargetReport, Retargeter};
use mocap_skin::{InsideMeter, Sided, TriangleTree};

use crate::contact_poses::{Act, Person, is_arm, person};

/// A contact counts as kept up to this distance, on a person of 1.7 m \[m\].
const NEAR: f64 = 0.01;
/// A hand touches if its palm is nearer than this to the place that it touches; palms are hollow
/// \[m\].
const IN_PLACE: f64 = 0.02;

/// Whether a hand of the source touches: distances of palm and hand.
fn touches([palm, hand]: &[f64; 2]) -> bool {
    *palm < IN_PLACE && *hand < NEAR
}

/// What is known of the surface of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    Mesh,
    /// Capsules of the proportions of its skeleton stand in.
    StandIn,
    Nothing,
}

impl Person {
    fn retarget(&self, clip: &Clip, source: &Person, known: Known) -> (Clip, RetargetReport) {
        let capsules = || drawn(&source.skeleton, Style::Capsules, [1.0; 4]).expect("a skeleton with bones");
        let options = RetargetOptions {
            surface: Some(self.prepared.clone()),
            source_surface: (known == Known::Mesh).then(|| source.prepared.clone()),
            source_stand_in: (known == Known::StandIn).then(|| Arc::new(capsules())),
            source_roles: Some(source.roles.clone()),
            target_roles: Some(self.roles.clone()),
            ..RetargetOptions::default()
        };
        Retargeter::new(clip.skeleton(), &self.skeleton, &options).unwrap().retarget(clip).unwrap()
    }
}

/// By frame and side, for hands that touch: distance of the palm from the vertex that it touches,
/// and of the hand from the surface there [m on a person of 1.7 m].
fn distances(person: &Person, act: Act, side: Sided, pair: [u32; 2], clip: &Clip) -> Vec<[f64; 2]> {
    let [palm, on] = pair.map(|vertex| vertex as usize);
    let opposite = if side == Sided::Left { Sided::Right } else { Sided::Left };
    let is_on = |vertex: usize| match act.joins_arms() {
        true => is_arm(person.parts[vertex], opposite),
        false => person.parts[vertex].is_core(),
    };
    let triangles = person.surface.triangles.iter().copied();
    let triangles: Vec<[u32; 3]> =
        triangles.filter(|it| it.iter().all(|corner| is_on(*corner as usize))).collect();
    let mut tree = TriangleTree::new(triangles, person.surface.positions());
    let mut kinematics = ForwardKinematics::new(clip);
    let (metre, mut places) = (1.7 / person.height, Vec::new());
    let hand: Vec<usize> =
        (0..person.parts.len()).filter(|at| person.parts[*at] == mocap_skin::Part::Hand(side)).collect();
    (0..clip.frames())
        .map(|frame| {
            kinematics.place(frame);
            person.surface.pose_into(&person.surface.palette_of(kinematics.pose()), &mut places);
            tree.refit(&places);
            let apart = (places[palm] - places[on]).norm();
            let gap = hand.iter().filter_map(|at| Some(tree.closest(&places[*at], &places, 0.1)?.distance));
            [apart * metre, gap.fold(0.1, f64::min) * metre]
        })
        .collect()
}

/// Forearms and hands inside the other arm: mean share of their vertices over the frames, and the
/// greatest depth [share of the height].
fn arms_in_arms(person: &Person, clip: &Clip) -> [f64; 2] {
    let mut meters = Sided::BOTH.map(|side| {
        let of = |side: Sided| move |vertex: &u32| person.parts[*vertex as usize].is_lower_arm_of(side);
        let own = (0..person.parts.len() as u32).filter(of(side)).collect();
        let opposite = if side == Sided::Left { Sided::Right } else { Sided::Left };
        InsideMeter::new(&person.surface, own, |vertex| is_arm(person.parts[vertex], opposite)).unwrap()
    });
    let mut kinematics = ForwardKinematics::new(clip);
    let (mut share, mut deepest): (f64, f64) = (0.0, 0.0);
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        let palette = person.surface.palette_of(kinematics.pose());
        for meter in &mut meters {
            let found = meter.measure(&person.surface, &palette);
            share += found.share / 2.0 / clip.frames() as f64;
            deepest = deepest.max(found.deepest / person.height);
        }
    }
    [share, deepest]
}

/// Sums over all pairs of source and target.
#[derive(Clone, Debug, Default)]
struct Shown {
    frames: f64,
    /// Frames in which the palm is within 1 cm of the vertex that it touched on its source, and those in which the hand is
    /// within 1 cm of the surface.
    on_place: f64,
    on_surface: f64,
    /// The furthest that palms are from their vertices \[m\].
    off_place: f64,
    inside: f64,
    pairs: f64,
    /// As a share of the height.
    deepest: f64,
    in_arms: [f64; 2],
}

impl Shown {
    fn add(&mut self, other: &Shown) {
        self.frames += other.frames;
        self.on_place += other.on_place;
        self.on_surface += other.on_surface;
        self.off_place = self.off_place.max(other.off_place);
        self.inside += other.inside;
        self.pairs += other.pairs;
        self.deepest = self.deepest.max(other.deepest);
        self.in_arms[0] += other.in_arms[0];
        self.in_arms[1] = self.in_arms[1].max(other.in_arms[1]);
    }

    fn text(&self) -> String {
        format!(
            "on the surface {:.1} %, on the place {:.1} % (at most {:.1} cm off) of {} frames; inside {:.2} %, deepest {:.2} % of \
             height; arms in arms {:.2} %, {:.2} %",
            100.0 * self.on_surface / self.frames,
            100.0 * self.on_place / self.frames,
            100.0 * self.off_place,
            self.frames,
            100.0 * self.inside / self.pairs,
            100.0 * self.deepest,
            100.0 * self.in_arms[0] / self.pairs,
            100.0 * self.in_arms[1],
        )
    }
}

/// Each motion of each source on each target; what each act shows.
fn measure(sources: &[&str], targets: &[&str], acts: &[Act], known: Known) -> Vec<(Act, Shown)> {
    let folder = std::env::var_os("MOCAP_CONTACT_FILES").map(PathBuf::from);
    let targets: Vec<(&str, Person)> = targets.iter().map(|name| (*name, person(name))).collect();
    let mut all: Vec<(Act, Shown)> = acts.iter().map(|act| (*act, Shown::default())).collect();
    for name in sources {
        let source = person(name);
        for (act, all) in &mut all {
            let clip = source.motion(*act);
            if let Some(folder) = &folder {
                fs::write(folder.join(format!("{}.{name}.glb", act.name())), source.file(&clip)).unwrap();
            }
            // The vertices of the source: all bodies have one topology.
            let pairs = Sided::BOTH.map(|side| [source.palm(side), source.touched(*act, side)]);
            let of = |person: &Person, clip: &Clip| -> Vec<[f64; 2]> {
                let each = Sided::BOTH.into_iter().zip(pairs);
                each.flat_map(|(side, pair)| distances(person, *act, side, pair, clip)).collect()
            };
            let was = of(&source, &clip);
            let own = source.prepared.measure(&clip, 1.0).unwrap();
            mocap_corpus::note!(
                "{} of {name}: {} contact frames, inside {:.2} %, deepest {:.2} % of height, arms in arms {:?}",
                act.name(),
                was.iter().filter(|was| touches(was)).count(),
                100.0 * own.inside,
                100.0 * own.deepest / source.height,
                arms_in_arms(&source, &clip).map(|share| (1e4 * share).round() / 100.0),
            );
            for (of_target, target) in &targets {
                let (motion, report) = target.retarget(&clip, &source, known);
                if let Some(folder) = folder.as_ref().filter(|_| known == Known::Mesh) {
                    let file = folder.join(format!("{}.{name}.{of_target}.glb", act.name()));
                    fs::write(file, target.file(&motion)).unwrap();
                }
                let surface = report.surface.expect("a surface");
                let mut shown = Shown {
                    pairs: 1.0,
                    inside: surface.inside,
                    deepest: surface.deepest / target.height,
                    in_arms: arms_in_arms(target, &motion),
                    ..Shown::default()
                };
                for (_, is) in was.iter().zip(of(target, &motion)).filter(|(was, _)| touches(was)) {
                    shown.frames += 1.0;
                    shown.on_place += f64::from(is[0] < NEAR);
                    shown.on_surface += f64::from(is[1] < NEAR);
                    shown.off_place = shown.off_place.max(is[0]);
                }
                mocap_corpus::note!("  {} on {of_target}: {}", act.name(), shown.text());
                all.add(&shown);
            }
        }
    }
    for (act, all) in &all {
        mocap_corpus::note!("{}: {}", act.name(), all.text());
    }
    all
}

/// Whether hands that touch in the source are within 1 cm of what they touch in at least this share
/// of frames, and no arm is deeper inside than `deepest` [share of the height].
fn holds((act, shown): &(Act, Shown), frames: f64, deepest: f64) {
    assert!(shown.frames > 20.0 * shown.pairs, "{act:?} {shown:?}");
    assert!(shown.on_surface >= frames * shown.frames, "{act:?} {shown:?}");
    assert!(shown.deepest < deepest && shown.inside < 0.015 * shown.pairs, "{act:?} {shown:?}");
}

pub(crate) fn contacts_rest_on_another_body() {
    for shown in &measure(&["woman"], &["heavy_man"], &[Act::HandsOnHips, Act::Claps], Known::Mesh) {
        holds(shown, 0.95, 0.006);
    }
}

pub(crate) fn crossed_arms_stay_crossed() {
    for shown in &measure(&["woman"], &["heavy_man"], &[Act::CrossedArms], Known::Mesh) {
        holds(shown, 0.95, 0.006);
    }
}

pub(crate) fn hands_rest_on_hips_and_heads_of_all_bodies() {
    // On the source itself the motion stays as it is, with what is inside.
    let own = person("heavy_man");
    let clip = own.motion(Act::HandsOnHips);
    let (same, _) = own.retarget(&clip, &own, Known::Mesh);
    assert!(mocap_analysis::object_error(&clip, &same, 0.03).unwrap().max < 1e-6);
    let bodies = ["child", "old_thin_woman", "strong_man", "woman"];
    for shown in &measure(&["heavy_man"], &bodies, &[Act::HandsOnHips, Act::HandsOnHead], Known::Mesh) {
        holds(shown, 0.95, 0.006);
    }
}

/// A source without a mesh, with and without a body of capsules in its place.
pub(crate) fn arms_of_sources_without_a_mesh_stay_outside() {
    for known in [Known::StandIn, Known::Nothing] {
        mocap_corpus::note!("{known:?}");
        let acts = [Act::HandsOnHips, Act::HandsOnHead];
        for (act, shown) in measure(&["woman"], &["heavy_man", "child"], &acts, known) {
            assert!(shown.deepest < 0.007 && shown.inside < 0.007 * shown.pairs, "{act:?} {shown:?}");
        }
    }
}
