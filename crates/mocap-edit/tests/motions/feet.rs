//! No edit increases foot skate: each is applied to walks, and each contact is measured before and after.
//!
//! Edits whose frames are known frames of the motion are compared contact by contact. A blend, a join, a loop and a
//! series have new ones: there no contact is worse than the worst of their sources.

use std::sync::Arc;

use mocap_analysis::{ContactOptions, FootMotion, feet_of, guess_unit, runs};
use mocap_edit::edits::{self, RootJointChange, Start};
use mocap_edit::{
    ApplyOptions, Edit, EditKind, EditReport, Keep, Path, RootCurve, Source, TimeMap, Warp, WarpChange,
    WarpKey, apply, root_curve,
};
use mocap_model::{Clip, FrameRate, Role, Vector3};

use super::{clip, read};

/// The measures of a contact along the ground: mean speed [m/s], rms deviation from its mean position [m], distance
/// from start to end [m].
type Measures = [f64; 3];
/// Tolerances of equal measures, relative and absolute: resampled curves differ slightly.
const SHARE: f64 = 1.01;
const SAME: Measures = [0.001, 0.0001, 0.0003];
/// Below these measures a foot counts as planted regardless of its motion before.
const STANDS: Measures = [0.003, 0.0004, 0.0015];

/// Where the frames of an edited motion come from.
enum Frames {
    /// The place of each frame in the motion before [frames].
    At(Box<dyn Fn(usize) -> f64>),
    /// The same, with left and right swapped.
    Mirrored,
    /// They are new, made of the motion and of these.
    Made(Vec<Clip>),
    /// As before and after a transition to another motion; where it is, is in the report.
    Joined(Clip),
    /// The edit moves the body relative to its feet on purpose.
    Slides,
}

/// Edits in a row.
struct Edits(Vec<Edit>);

impl<T: Into<Edit>> From<T> for Edits {
    fn from(edit: T) -> Edits {
        Edits(vec![edit.into()])
    }
}

/// A cycle is seen three times: feet stand across its seam.
fn three_times(edit: impl Into<Edit>) -> Edits {
    Edits(vec![edit.into(), edits::Repeat { repeat: 3 }.into()])
}

struct Feet {
    motions: Vec<FootMotion>,
    contacts: Vec<Vec<std::ops::Range<usize>>>,
    metres: f64,
}

fn feet(clip: &Clip) -> Feet {
    let skeleton = mocap_retarget::map_roles_in(clip).certain().apply(clip.skeleton());
    let metres = skeleton.space().unit.or_else(|| guess_unit(&skeleton)).unwrap().metres;
    let named = clip.clone().with_skeleton(Arc::new(skeleton.clone())).unwrap();
    let feet = feet_of(&skeleton);
    assert_eq!(feet.len(), 2);
    let motions = FootMotion::of(&named, &feet);
    let contacts = motions.iter().map(|foot| runs(&foot.contacts(&ContactOptions::default()).toe)).collect();
    Feet { motions, contacts, metres }
}

fn measures(foot: &FootMotion, frames: std::ops::Range<usize>, metres: f64) -> Measures {
    let ground = |v: Vector3<f64>| v - foot.up * v.dot(&foot.up);
    let toe: Vec<Vector3<f64>> = foot.toe[frames].iter().map(|place| ground(*place) * metres).collect();
    let steps: f64 = toe.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
    let middle = toe.iter().sum::<Vector3<f64>>() / toe.len() as f64;
    let squares: f64 = toe.iter().map(|place| (place - middle).norm_squared()).sum();
    [
        steps * foot.fps / (toe.len() - 1).max(1) as f64,
        (squares / toe.len() as f64).sqrt(),
        (toe[toe.len() - 1] - toe[0]).norm(),
    ]
}

/// The largest ratio of measures after and before: 1 or less is not worse.
fn worse(is: &Measures, was: &Measures) -> f64 {
    let ratio = |i: usize| is[i] / (was[i] * SHARE + SAME[i]).max(STANDS[i]);
    (0..3).map(ratio).fold(0.0, f64::max)
}

/// The frames of the transition of a join: `leaves frame 93, enters frame 4, 20 frames`.
fn transition(report: &EditReport) -> std::ops::Range<usize> {
    let numbers: Vec<usize> = report
        .notes
        .iter()
        .flat_map(|note| note.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()))
        .collect();
    let [leave, _, steps] = numbers[..] else { panic!("{report}") };
    leave..leave + steps + 1
}

/// The worst contact of an edited motion, in words, if it is worse than before; the number of contacts that were compared.
fn compare(before: &Clip, after: &Clip, frames: &Frames, report: &EditReport) -> (Option<String>, usize) {
    let (was, is) = (feet(before), feet(after));
    let mut worst: (f64, Option<String>) = (1.0, None);
    let mut count = 0;
    let mut see = |found: f64, what: String| {
        if found > worst.0 {
            worst = (found, Some(what));
        }
    };
    match frames {
        Frames::Slides => {}
        Frames::Made(_) | Frames::Joined(_) => {
            let (others, within) = match frames {
                Frames::Made(others) => (&others[..], 0..after.frames()),
                Frames::Joined(other) => (std::slice::from_ref(other), transition(report)),
                _ => unreachable!("matched above"),
            };
            let mut most: Measures = [0.0; 3];
            for motion in std::iter::once(&was).chain(&others.iter().map(feet).collect::<Vec<_>>()) {
                for (foot, contacts) in motion.motions.iter().zip(&motion.contacts) {
                    for run in contacts.iter().filter(|run| run.len() > 1) {
                        let own = measures(foot, run.clone(), motion.metres);
                        most = std::array::from_fn(|i| most[i].max(own[i]));
                    }
                }
            }
            for (foot, contacts) in is.motions.iter().zip(&is.contacts) {
                // A contact that is cut at an end is not whole.
                let whole = |run: &&std::ops::Range<usize>| {
                    run.start > 0
                        && run.end < after.frames()
                        && run.start < within.end
                        && run.end > within.start
                };
                for run in contacts.iter().filter(|run| run.len() > 1).filter(whole) {
                    let own = measures(foot, run.clone(), is.metres);
                    count += 1;
                    see(worse(&own, &most), format!("{run:?}: {own:.4?}, at most {most:.4?}"));
                }
            }
        }
        Frames::At(_) | Frames::Mirrored => {
            let same = |frame: usize| frame as f64;
            let (place, swap): (&dyn Fn(usize) -> f64, bool) = match frames {
                Frames::At(place) => (place, false),
                _ => (&same, true),
            };
            for side in 0..2 {
                let source = if swap { 1 - side } else { side };
                for run in was.contacts[source].iter().filter(|run| run.len() > 1) {
                    let inside = |frame: &usize| {
                        let place = place(*frame);
                        place > run.start as f64 - 1e-6 && place < (run.end - 1) as f64 + 1e-6
                    };
                    let own: Vec<usize> = (0..after.frames()).filter(inside).collect();
                    let (Some(first), Some(last)) = (own.first(), own.last()) else { continue };
                    // What the edited contact covers of the one before.
                    let low = (place(*first) + 1e-6).floor() as usize;
                    let part = low..(place(*last) - 1e-6).ceil().max(0.0) as usize + 1;
                    if own.len() < 2 || part.len() < 2 {
                        continue;
                    }
                    count += 1;
                    // Speeds scale with the playback rate.
                    let pace = (place(*last) - place(*first)) / (last - first) as f64 * is.motions[side].fps
                        / was.motions[source].fps;
                    let mut then = measures(&was.motions[source], part, was.metres);
                    then[0] *= pace.max(1.0);
                    let now = measures(&is.motions[side], *first..last + 1, is.metres);
                    see(worse(&now, &then), format!("{side}, {run:?}: {then:.4?} -> {now:.4?}"));
                }
            }
        }
    }
    (worst.1, count)
}

fn at(place: impl Fn(usize) -> f64 + 'static) -> Frames {
    Frames::At(Box::new(place))
}

fn same() -> Frames {
    at(|frame| frame as f64)
}

/// One of each kind of edit that moves legs, with several settings where they matter.
#[allow(clippy::too_many_lines, reason = "a list")]
fn samples(name: &str, walk: &Clip, other: &Clip) -> Vec<(Edits, Frames)> {
    let fps = walk.rate().fps();
    let seconds = (walk.frames() - 1) as f64 / fps;
    let last = (walk.frames() - 1) as f64;
    let metres = feet(walk).metres;
    let role = |role: Role| {
        let skeleton = mocap_retarget::map_roles_in(walk).certain().apply(walk.skeleton());
        skeleton.joint(skeleton.with_role(role).unwrap()).name.clone()
    };
    let warp = |joint: Role, change: WarpChange| {
        let key = WarpKey { time: seconds / 2.0, joint: role(joint), change };
        edits::Warp { keys: Source::held(Warp::new(0.0, seconds, vec![key])), ik: None }
    };
    let up = walk.skeleton().space().up.vector();
    let forward = walk.skeleton().space().forward.vector();
    match name {
        "drop-first-frame" => vec![(edits::DropFirstFrame {}.into(), at(|frame| (frame + 1) as f64))],
        "trim" => {
            vec![(edits::Trim { trim: "7:".parse().unwrap() }.into(), at(|frame| (frame + 7) as f64))]
        }
        "fps" => [24.0, 30.0, 50.0, 120.0]
            .into_iter()
            .map(|rate| {
                let edit = edits::Fps { fps: FrameRate::new(rate).unwrap() };
                (edit.into(), at(move |frame| (frame as f64 * fps / rate).min(last)))
            })
            .collect(),
        "scale" => Vec::new(),
        "denoise" => ["auto", "butterworth:6", "savgol", "gaussian", "one-euro"]
            .into_iter()
            .map(|method| {
                (edits::Denoise { denoise: Some(method.parse().unwrap()), poses: None }.into(), same())
            })
            .collect(),
        "bands" => ["high=0", "low=1.5", "mid=2"]
            .into_iter()
            .map(|gain| (edits::Bands { gain: gain.parse().unwrap() }.into(), same()))
            .collect(),
        "loop" | "repeat" => vec![(three_times(edits::Loop::default()), Frames::Made(Vec::new()))],
        "speed" => [0.6, 1.5, 2.3]
            .into_iter()
            .map(|factor| {
                let edit = edits::Speed { speed: factor.to_string().parse().unwrap() };
                (edit.into(), at(move |frame| (frame as f64 * factor).min(last)))
            })
            .collect(),
        "duration" => {
            let frames = (0.7 * seconds * fps).round();
            let edit = edits::Duration { duration: format!("{}s", 0.7 * seconds).parse().unwrap() };
            vec![(edit.into(), at(move |frame| frame as f64 * last / frames))]
        }
        "time-map" => {
            let keys = vec![(0.0, 0.0), (0.3 * seconds, 0.5 * seconds), (1.2 * seconds, seconds)];
            let map = TimeMap::new(keys).unwrap();
            let edit = edits::TimeMap { file: Source::held(map.clone()) };
            vec![(edit.into(), at(move |frame| (map.at(frame as f64 / fps) * fps).clamp(0.0, last)))]
        }
        "sync" => vec![(edits::Sync { with: Source::held(other.clone()) }.into(), Frames::Made(vec![]))],
        "join" => ["blend", "inertial"]
            .into_iter()
            .map(|kind| {
                let edit = edits::Join {
                    with: Source::held(other.clone()),
                    transition: None,
                    kind: Some(kind.parse().unwrap()),
                    search: None,
                    no_overshoot: false,
                    no_lock: false,
                };
                (edit.into(), Frames::Joined(other.clone()))
            })
            .collect(),
        "blend" => vec![(
            edits::Blend {
                with: Source::held(other.clone()),
                weight: None,
                timing: None,
                no_repeat: true,
                no_lock: false,
                duration: None,
            }
            .into(),
            Frames::Made(vec![other.clone()]),
        )],
        "warp" => vec![
            (warp(Role::Hips, WarpChange::Turn(up * 0.3)).into(), same()),
            (warp(Role::Hips, WarpChange::By((forward * 0.08 - up * 0.05) / metres)).into(), same()),
            (warp(Role::LeftUpperLeg, WarpChange::Turn(Vector3::new(0.2, 0.1, 0.0))).into(), same()),
        ],
        "fourier" => {
            let few = edits::Fourier { harmonics: Some(5), ..edits::Fourier::default() };
            [few, edits::Fourier::default()]
                .into_iter()
                .map(|edit| (three_times(edit), Frames::Made(Vec::new())))
                .collect()
        }
        "terrain" => ["0.12,0.6,8", "-0.1,0.5,8"]
            .into_iter()
            .map(|steps| {
                let edit =
                    edits::Terrain { steps: Some(steps.parse().unwrap()), ..edits::Terrain::default() };
                (edit.into(), same())
            })
            .collect(),
        "fix-feet" => vec![(edits::FixFeet {}.into(), same())],
        "turn" => ["70", "-120"]
            .into_iter()
            .map(|angle| (edits::Turn { turn: angle.parse().unwrap() }.into(), same()))
            .collect(),
        "along" => {
            let side = up.cross(&forward);
            let keys = [(0.0, 0.0), (1.0, 0.4), (2.0, 1.4), (2.2, 3.0)];
            let keys: Vec<Vector3<f64>> =
                keys.iter().map(|(a, b)| (forward * *a + side * *b) / metres).collect();
            vec![(edits::Along { file: Source::held(Path::new(&keys).unwrap()) }.into(), same())]
        }
        "add" => vec![(
            edits::Add {
                file: Source::held(other.clone()),
                weight: Some("0.3".parse().unwrap()),
                mask: None,
                space: None,
            }
            .into(),
            same(),
        )],
        "strip" => vec![(edits::Strip { strip: "twist".parse().unwrap() }.into(), same())],
        "mirror" => vec![(edits::Mirror::default().into(), Frames::Mirrored)],
        "in-place" => vec![(edits::InPlace::default().into(), Frames::Slides)],
        "extract-root" => {
            vec![(edits::ExtractRoot { file: "curve.csv".into(), keep: None }.into(), same())]
        }
        "apply-root" => {
            let curve: RootCurve = root_curve(other, Keep::default());
            vec![(edits::ApplyRoot { file: Source::held(curve) }.into(), Frames::Slides)]
        }
        "root-joint" => {
            vec![(edits::RootJoint { root_joint: RootJointChange::Add, keep: None }.into(), same())]
        }
        "heading" => {
            vec![(edits::Heading { heading: "x".parse().unwrap() }.into(), same())]
        }
        "start-at" => vec![(edits::StartAt { start_at: Start::Origin }.into(), same())],
        "label" => vec![(edits::Label {}.into(), same())],
        "ground" => vec![(edits::Ground {}.into(), same())],
        // They move props, and hands that reach for them.
        "attach" | "detach" => Vec::new(),
        // A switch that is not listed keeps the frames as they are.
        other => match (EditKind::named(other).unwrap().read)(serde_json::json!({})) {
            Ok(edit) => vec![(edit.into(), same())],
            Err(_) => panic!("state here options of the edit '{other}', so that its feet are measured"),
        },
    }
}

/// Applies all edits to a motion; returns what is worse, and the contacts that were compared.
fn check(motion: &str, walk: &Clip, other: &Clip, refused: &mut Vec<String>) -> (Vec<String>, usize) {
    let (mut worse, mut count) = (Vec::new(), 0);
    for kind in EditKind::all().iter().filter(|kind| !kind.keeps_poses) {
        for (number, (edit, frames)) in samples(kind.name, walk, other).into_iter().enumerate() {
            let what = format!("{motion}: {} {number}", kind.name);
            let applied = match apply(walk.clone(), &edit.0, &ApplyOptions::default()) {
                Ok(applied) => applied,
                Err(error) => {
                    refused.push(format!("{what}: {error}"));
                    continue;
                }
            };
            let (found, compared) = compare(walk, &applied.clip, &frames, &applied.reports[0]);
            count += compared;
            let held = |report: &EditReport| {
                report
                    .figures
                    .iter()
                    .find(|figure| figure.name == "feet-held")
                    .and_then(|figure| figure.value)
            };
            if let Some(found) = found {
                worse.push(format!("{what} (held {:?}): {found}", held(&applied.reports[0])));
            }
        }
    }
    (worse, count)
}

pub(super) fn no_edit_makes_feet_of_the_fixtures_worse() {
    let fixture = |name: &str| read(&mocap_corpus::fixture(&format!("clips/{name}.bvh")));
    let mut refused = Vec::new();
    let mut all = Vec::new();
    for (walk, other) in [("alex_walk", "alex_turn"), ("robin_turn", "robin_walk")] {
        let (worse, count) = check(walk, &fixture(walk), &fixture(other), &mut refused);
        mocap_corpus::note!("{walk}: {count} contacts");
        assert!(count > 100, "{walk}: {count}");
        all.extend(worse);
    }
    refused.iter().for_each(|refused| mocap_corpus::note!("{refused}"));
    assert!(all.is_empty(), "{}\n{}", all.len(), all.join("\n"));
}

pub(super) fn no_edit_makes_feet_of_real_motions_worse() {
    let pairs = [
        ("bandai/dataset-1_walk_normal_001.bvh", "bandai/dataset-1_run_normal_001.bvh"),
        ("bandai/dataset-1_run_normal_001.bvh", "bandai/dataset-1_walk_normal_001.bvh"),
        ("misc/games105_walk60.bvh", "misc/games105_walk60.bvh"),
        ("cmu/12_01_walk.bvh", "cmu/12_01_walk.bvh"),
        ("iclone/007_01.bvh", "iclone/007_01.bvh"),
    ];
    let mut refused = Vec::new();
    let mut all = Vec::new();
    for (walk, other) in pairs {
        let from = |name: &str| {
            let clip = clip(name);
            clip.trimmed(1..clip.frames().min(600)).unwrap()
        };
        let (worse, count) = check(walk, &from(walk), &from(other), &mut refused);
        mocap_corpus::note!("{walk}: {count} contacts");
        all.extend(worse);
    }
    refused.iter().for_each(|refused| mocap_corpus::note!("{refused}"));
    assert!(all.is_empty(), "{}\n{}", all.len(), all.join("\n"));
}

pub(super) fn locked_feet_go_no_deeper_than_they_were() {
    for name in ["alex_walk", "robin_walk", "alex_turn", "robin_jump"] {
        let before = read(&mocap_corpus::fixture(&format!("clips/{name}.bvh")));
        let (after, report) = mocap_edit::fix_feet(&before).unwrap();
        let (was, is) = (feet(&before), feet(&after));
        for (side, contacts) in was.contacts.iter().enumerate() {
            let lowest = |feet: &Feet, run: &std::ops::Range<usize>| {
                feet.motions[side].lowest[run.clone()].iter().copied().fold(f64::INFINITY, f64::min)
                    * feet.metres
            };
            for run in contacts {
                let deeper = lowest(&was, run) - lowest(&is, run);
                assert!(deeper < 0.002, "{name} {side} {run:?}: {deeper} m deeper");
            }
        }
        let figure =
            |name: &str| report.figures.iter().find(|figure| figure.name == name).unwrap().value.unwrap();
        assert!(figure("penetration") < figure("penetration-before") + 0.002, "{name}: {report}");
    }
}
