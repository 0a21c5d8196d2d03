//! Rising floors: walks on stairs and slopes keep their contacts, also after retargeting.

use mocap_analysis::{ContactOptions, FootMotion, feet_of, runs};
use mocap_edit::{HeightField, OnTerrain, Terrain, TerrainOrigin, on_terrain};
use mocap_model::{Clip, Vector3};
use mocap_retarget::{FootLock, RetargetOptions, Retargeter, map_roles_in};
use std::ops::Range;
use std::sync::Arc;

use super::{clip, read};

/// Measures of the contacts of a walk, relative to those on a flat floor.
#[derive(Clone, Copy, Debug, Default)]
struct Figures {
    /// The share of frames in contact on the flat floor that are still in contact.
    found: f64,
    /// The share of frames in contact that were not in contact on the flat floor.
    more: f64,
    /// The mean speed of toes [m/s].
    speed: f64,
    /// The largest error of the height of a contact, over the first one, against that of the source [m].
    height: f64,
}

fn feet(clip: &Clip) -> Vec<FootMotion> {
    let skeleton = map_roles_in(clip).certain().apply(clip.skeleton());
    let feet = feet_of(&skeleton);
    FootMotion::of(&clip.clone().with_skeleton(Arc::new(skeleton)).unwrap(), &feet)
}

fn contacts(feet: &[FootMotion]) -> Vec<Vec<bool>> {
    feet.iter().map(|foot| foot.contacts(&ContactOptions::default()).toe).collect()
}

/// `flat` are the contacts on a flat floor, `source` the feet that climb and `leg` the ratio of legs.
fn figures(climbs: &Clip, flat: &[Vec<bool>], source: &[FootMotion], leg: f64, metres: f64) -> Figures {
    let motions = feet(climbs);
    let now = contacts(&motions);
    let count = |of: &dyn Fn(bool, bool) -> bool| -> f64 {
        let frames = flat.iter().flatten().zip(now.iter().flatten());
        frames.filter(|(flat, now)| of(**flat, **now)).count() as f64
    };
    let mut figures = Figures {
        found: count(&|flat, now| flat && now) / count(&|flat, _| flat),
        more: count(&|flat, now| !flat && now) / count(&|flat, _| flat),
        ..Figures::default()
    };
    let (mut speeds, mut heights) = (Vec::new(), Vec::new());
    for (foot, (from, flat)) in motions.iter().zip(source.iter().zip(flat)) {
        for run in runs(flat).into_iter().filter(|run| run.len() > 4) {
            let toe = &foot.toe[run.clone()];
            let steps: f64 = toe.windows(2).map(|pair| (pair[1] - pair[0]).norm()).sum();
            speeds.push(steps * foot.fps / (toe.len() - 1) as f64 * metres);
            let middle =
                |toe: &[Vector3<f64>]| toe.iter().map(|at| at.dot(&foot.up)).sum::<f64>() / toe.len() as f64;
            heights.push((middle(toe) - leg * middle(&from.toe[run])) * metres);
        }
    }
    figures.speed = speeds.iter().sum::<f64>() / speeds.len() as f64;
    let (low, high) =
        heights.iter().fold((f64::MAX, f64::MIN), |(low, high), at| (low.min(*at), high.max(*at)));
    figures.height = high - low;
    figures
}

fn slope(rise: f64) -> Terrain {
    let side = 401;
    let heights = (0..side * side).map(|i| (200.0 - (i / side) as f64) * 0.1 * rise).collect();
    Terrain::Heights(HeightField::new(side, heights, 0.1).unwrap())
}

fn terrains() -> Vec<(&'static str, Terrain)> {
    let steps = |text: &str| Terrain::Steps(text.parse().unwrap());
    vec![
        ("up stairs", steps("0.16,0.6,20,0.3")),
        ("down stairs", steps("-0.16,0.6,20,0.3")),
        ("up a slope", slope(0.15)),
        ("down a slope", slope(-0.15)),
    ]
}

fn check(
    name: &str,
    walk: &Clip,
    frames: Range<usize>,
    targets: &[(&str, Clip)],
    terrains: Vec<(&str, Terrain)>,
) {
    let walk = walk.trimmed(frames.start..frames.end.min(walk.frames())).unwrap();
    let flat = contacts(&feet(&walk));
    for (on, terrain) in terrains {
        let options = OnTerrain { terrain, origin: TerrainOrigin::Start };
        let climbs = on_terrain(&walk, &options).unwrap().0;
        let source = feet(&climbs);
        let own = figures(&climbs, &flat, &source, 1.0, 1.0);
        mocap_corpus::note!("{name} {on}: {own:.3?}");
        // The terrain changes contacts where the foot leaves a step early or rotates on it.
        assert!(own.found > 0.45 && own.more < 0.3, "{name} {on}: {own:?}");
        for (to, target) in targets {
            let options = RetargetOptions { foot_lock: FootLock::On, ..RetargetOptions::default() };
            let retargeter = Retargeter::new(walk.skeleton(), target.skeleton(), &options).unwrap();
            let [level, climbed] = [&walk, &climbs].map(|clip| {
                let (motion, report) = retargeter.retarget(clip).unwrap();
                let source = feet(clip);
                (figures(&motion, &flat, &source, report.scale.leg, report.metres[1]), report)
            });
            let ((flat, level), (climbs, report)) = (level, climbed);
            mocap_corpus::note!("  {to}: flat {flat:.3?}, climbs {climbs:.3?}");
            let what = format!("{name} {on}, {to}: {own:?}, {climbs:?}");
            // The target stands when and where the source does, ...
            assert!(climbs.found > own.found - 0.08 && climbs.more < flat.more + 0.15, "{what}");
            // ... as high as that, scaled, ...
            assert!(climbs.height < 0.012, "{what}");
            // ... and as firmly and smoothly as on a flat floor.
            for foot in &report.feet {
                assert!(
                    foot.slide.unwrap() < 0.01 && foot.penetration_max.unwrap() < 1e-4,
                    "{what}: {foot:?}"
                );
            }
            assert!(report.jerk_ratio.unwrap() < 1.3 * level.jerk_ratio.unwrap(), "{what}");
        }
    }
}

pub(super) fn climbing_fixtures_keep_their_contacts() {
    let fixture = |name: &str| read(&mocap_corpus::fixture(&format!("clips/{name}.bvh")));
    check(
        "alex",
        &fixture("alex_walk"),
        0..600,
        &[("robin", fixture("robin_walk"))],
        terrains()[..1].to_vec(),
    );
}

pub(super) fn climbing_captures_keep_their_contacts() {
    let bandai = clip("bandai/dataset-1_walk_normal_001.bvh");
    let cmu = clip("cmu/12_01_walk.bvh");
    let games = clip("misc/games105_walk60.bvh");
    let iclone = clip("iclone/007_12.bvh");
    let targets =
        [("CMU", cmu.clone()), ("GAMES", games.clone()), ("iClone", iclone), ("Bandai", bandai.clone())];
    check("Bandai", &bandai, 0..600, &targets[..3], terrains());
    check("CMU", &cmu, 1..600, &targets[1..], terrains());
    check("GAMES", &games, 0..600, &targets[..1], terrains());
}
