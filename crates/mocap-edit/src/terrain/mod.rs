//! Terrain: adapts a motion on a flat floor to steps, slopes and bumps.
//!
//! During a stance the foot is moved rigidly: rotated to the normal of the surface, by up to 30°, and lifted onto the
//! plane that touches the surface from above. Between stances lift and rotation change smoothly, and a swinging foot is
//! lifted over edges. The hips follow the feet, and are lowered before a leg would be stretched too far. IK solves the
//! legs.

mod below;
mod foot;
mod surface;

use mocap_analysis::{ContactOptions, FootMotion, floor_of, placements};
use mocap_model::{Clip, Isometry3, JointId, Vector3};

use crate::body::Body;
use crate::legs::{Plane, hips_raised, limb_base, limb_length, place_ankles};
use crate::report::{ContactFigures, figures_of};
use crate::robot_soles::sole_floor;
use crate::root::travel;
use crate::smoothing::{gaussian, lower_envelope};
use crate::{EditError, EditReport};
pub use below::surface_below;
use foot::{CLEARANCE, FootPath, Ground};
pub use surface::{HeightField, Steps, Terrain, TerrainMesh};

/// The hips anticipate a stretched leg by this time \[s\].
const LOOK_AHEAD: f64 = 0.3;
/// The smoothing of the height of the hips \[s\].
const SMOOTH: f64 = 0.15;
/// A leg is stretched to this share of its length, or as far as it was.
const STRETCH: f64 = 0.995;
/// Warn of feet that penetrate the terrain by more than this \[m\].
const PENETRATION: f64 = 0.01;

/// A terrain, and where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct OnTerrain {
    /// The surface; heights are relative to the floor of the motion.
    pub terrain: Terrain,
    /// Where its origin lies.
    pub origin: TerrainOrigin,
}

/// The origin and heading of a terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerrainOrigin {
    /// The origin and the forward axis of the motion's space.
    World,
    /// Below the hips in the first frame, ahead as the body faces there.
    Start,
}

impl std::str::FromStr for TerrainOrigin {
    type Err = String;

    fn from_str(text: &str) -> Result<TerrainOrigin, String> {
        match text {
            "world" => Ok(TerrainOrigin::World),
            "start" => Ok(TerrainOrigin::Start),
            _ => Err(format!("'{text}' is not world or start")),
        }
    }
}

mocap_model::text_values! {
    TerrainOrigin "world or start";
}

/// Puts the feet of a motion on a terrain. Where the terrain is flat at height 0 the motion is unchanged.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// use mocap_edit::{OnTerrain, Terrain, TerrainOrigin, on_terrain};
///
/// let terrain = Terrain::Steps("0.17,0.29,8".parse()?);
/// let (climbing, report) = on_terrain(&clip, &OnTerrain { terrain, origin: TerrainOrigin::Start })?;
/// assert_eq!(climbing.frames(), clip.frames());
/// println!("{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`EditError::NoFeet`] if no joint is a foot, [`EditError::NoUnit`] if the unit of lengths is unknown,
/// [`EditError::Terrain`] if a foot is over a hole or beyond the edge, [`EditError::Surface`] if a step is higher than
/// the legs are long.
pub fn on_terrain(clip: &Clip, options: &OnTerrain) -> Result<(Clip, EditReport), EditError> {
    let body = Body::of(clip);
    if body.feet.is_empty() {
        return Err(EditError::NoFeet { edit: "terrain" });
    }
    let metres = body.metres.ok_or(EditError::NoUnit { edit: "terrain" })?;
    let contacts = body.contacts(clip).ok_or(EditError::NoUnit { edit: "terrain" })?;
    let (motions, contacts): (Vec<_>, Vec<_>) = contacts.into_iter().unzip();
    check_rise(&options.terrain, &motions, metres)?;
    let soles = sole_floor(clip, &body.feet, &contacts, &body.up);
    let floor = soles.or_else(|| floor_of(&motions, &contacts)).unwrap_or(0.0);
    let ground = ground(clip, &body, options, floor, metres);
    let mut paths = Vec::new();
    for (foot, contacts) in body.feet.iter().zip(&contacts) {
        paths.push(FootPath::over(clip, &ground, foot, contacts)?);
    }
    let rises = hips_rises(clip, &body, &paths)?;
    let moved = hips_raised(clip, &body, &rises, "terrain")?;
    let ankles: Vec<(JointId, Vec<Option<Isometry3<f64>>>)> = paths
        .iter()
        .map(|path| {
            let places = (0..clip.frames()).map(|frame| {
                let changed = path.changes(frame) || rises[frame] != 0.0;
                changed.then(|| path.ankle(frame))
            });
            (path.joints[0], places.collect())
        })
        .collect();
    let (walked, missing) = match ankles.iter().all(|(_, places)| places.iter().all(Option::is_none)) {
        true => (clip.clone(), 0.0),
        false => place_ankles(&moved, &body, &ankles, Plane::Usual, "terrain")?,
    };
    let mut report = EditReport::measured("terrain", clip, &walked);
    report.contacts = contacts_above(&walked, &ground);
    let found = measured(&walked, &ground, &paths)?;
    let lowered =
        rises.iter().zip(feet_rises(&paths, clip)).map(|(rise, feet)| feet - rise).fold(0.0, f64::max);
    let highest = rises.iter().fold(0.0f64, |most, rise| if rise.abs() > most.abs() { *rise } else { most });
    report = report
        .figure("terrain-penetration", found.penetration * metres, "m")
        .figure("stance-error", found.stance * metres, "m")
        .figure("swing-clearance", found.clearance.map(|clear| clear * metres), "m")
        .figure("slope", found.slope.to_degrees(), "deg")
        .figure("hips-raised", highest * metres, "m")
        .figure("hips-lowered", lowered * metres, "m")
        .figure("unreachable", missing * metres, "m");
    if found.penetration * metres > PENETRATION {
        let message = format!("a foot is {:.1} cm below the terrain", found.penetration * metres * 100.0);
        report.warn("edit::penetration", message);
    }
    if missing * metres > 1e-3 {
        let message = format!("a leg is {:.1} cm too short for the terrain", missing * metres * 100.0);
        report.warn("edit::unreachable", message);
    }
    report.warn_of_limits(&[clip], &walked);
    Ok((walked, report))
}

fn ground<'a>(clip: &Clip, body: &'a Body, options: &'a OnTerrain, floor: f64, metres: f64) -> Ground<'a> {
    let (origin, heading) = match options.origin {
        TerrainOrigin::World => (Vector3::zeros(), 0.0),
        TerrainOrigin::Start => {
            let travel = travel(clip, body);
            (body.on_ground(&travel.places[0]), travel.headings[0])
        }
    };
    Ground { terrain: &options.terrain, body, origin, heading, floor, metres }
}

/// A step higher than the length of the legs means that its number is in another unit.
fn check_rise(terrain: &Terrain, motions: &[FootMotion], metres: f64) -> Result<(), EditError> {
    let leg = motions.iter().map(|motion| motion.leg * metres).fold(0.0, f64::max);
    match terrain {
        Terrain::Steps(steps) if steps.rise.abs() > leg => {
            let rise = steps.rise;
            Err(EditError::Surface {
                reason: format!(
                    "steps of {rise} m are higher than the legs are long ({leg:.2} m); a unit can be stated, as in 15cm"
                ),
            })
        }
        _ => Ok(()),
    }
}

/// The contacts of feet on a terrain; `None` beyond its edge.
fn contacts_above(clip: &Clip, ground: &Ground) -> Option<ContactFigures> {
    let with_contacts = |motion: FootMotion| {
        let contacts = motion.contacts(&ContactOptions::default());
        (motion, contacts)
    };
    let found: Vec<_> = motions_above(clip, ground).ok()?.into_iter().map(with_contacts).collect();
    Some(figures_of(ground.body, &found))
}

/// The motions of feet with heights relative to the terrain below them.
fn motions_above(clip: &Clip, ground: &Ground) -> Result<Vec<FootMotion>, EditError> {
    let (body, mut found) = (ground.body, Vec::new());
    for (foot, mut motion) in body.feet.iter().zip(FootMotion::of(clip, &body.feet)) {
        let points = placements(clip, &foot.points);
        for frame in 0..clip.frames() {
            // A sole rests on the highest ground below any of its points, as on the edge of a step.
            let (mut lowest, mut ground_height) = (f64::INFINITY, f64::NEG_INFINITY);
            for point in &points {
                let place = point[frame].translation.vector;
                let (height, _) = ground.below(&place, clip, foot.toe, frame)?;
                (lowest, ground_height) = (lowest.min(place.dot(&body.up)), ground_height.max(height));
            }
            motion.lowest[frame] = lowest - ground_height;
            motion.ankle[frame] -= body.up * ground_height;
            motion.toe[frame] -= body.up * ground_height;
        }
        found.push(motion.on_one_floor());
    }
    Ok(found)
}

/// The mean rise of the feet, smoothed \[units\].
fn feet_rises(paths: &[FootPath], clip: &Clip) -> Vec<f64> {
    let mean =
        |frame: usize| paths.iter().map(|path| path.base_rise(frame)).sum::<f64>() / paths.len() as f64;
    let means: Vec<f64> = (0..clip.frames()).map(mean).collect();
    gaussian(&means, SMOOTH * clip.rate().fps())
}

/// The rise of the hips by frame \[units\].
fn hips_rises(clip: &Clip, body: &Body, paths: &[FootPath]) -> Result<Vec<f64>, EditError> {
    let frames = clip.frames();
    let feet = feet_rises(paths, clip);
    // The amount by which the rise of the feet must be reduced to keep both legs within reach.
    let mut excess = vec![0.0f64; frames];
    for path in paths {
        let Some(base) = limb_base(body, path.joints[0]) else { continue };
        let length = limb_length(clip, base, path.joints[0], "terrain")?;
        let tops = &placements(clip, &[base])[0];
        for frame in 0..frames {
            let top = tops[frame].translation.vector;
            let was = (path.points[0][frame].translation.vector - top).norm();
            let reach = was.max(STRETCH * length);
            let away = path.ankle(frame).translation.vector - top;
            let (up, along) = (away.dot(&body.up), body.on_ground(&away).norm());
            let most = up + (reach * reach - along * along).max(0.0).sqrt();
            let over = most - feet[frame];
            if over < -1e-9 * length {
                excess[frame] = excess[frame].min(over);
            }
        }
    }
    let reach = (LOOK_AHEAD * clip.rate().fps()).round() as usize;
    let lowered = lower_envelope(&excess, reach);
    Ok((0..frames).map(|frame| feet[frame] + lowered[frame]).collect())
}

/// Feet over a terrain \[units, rad\].
struct Measured {
    penetration: f64,
    stance: f64,
    slope: f64,
    /// The least clearance of a swinging sole over the terrain below and beside it, in frames where it had the full
    /// clearance over the floor.
    clearance: Option<f64>,
}

fn measured(clip: &Clip, ground: &Ground, paths: &[FootPath]) -> Result<Measured, EditError> {
    let mut all = Measured { penetration: 0.0, stance: 0.0, slope: 0.0, clearance: None };
    let wanted = CLEARANCE / ground.metres;
    for path in paths {
        let now = placements(clip, &path.joints);
        // The distance of the sole below a point from the terrain, along the normal.
        let over = |point: usize, frame: usize| {
            let place = now[point][frame].translation.vector;
            let (height, normal) = ground.below(&place, clip, path.joints[point], frame)?;
            let sole = ground.above_floor(&place) - path.soles[point];
            Ok::<_, EditError>((sole - height) * normal.dot(&ground.body.up))
        };
        for frame in 0..clip.frames() {
            for point in 0..path.joints.len() {
                let before = ground.above_floor(&path.points[point][frame].translation.vector);
                all.penetration = all.penetration.max(-over(point, frame)?);
                if before - path.soles[point] >= wanted && path.swings(frame) {
                    let place = now[point][frame].translation.vector;
                    let highest = ground.highest(&place, wanted, clip, path.joints[point], frame)?;
                    let clear = ground.above_floor(&place) - path.soles[point] - highest;
                    all.clearance = Some(all.clearance.map_or(clear, |least| least.min(clear)));
                }
            }
        }
        for stance in &path.stances {
            // Contact is at the tilted sole, as far below the points as the floor was, or at an edge below a point.
            let mut nearest = f64::INFINITY;
            for frame in stance.core.clone() {
                for point in 0..path.joints.len() {
                    let before = ground.above_floor(&path.points[point][frame].translation.vector);
                    let place = now[point][frame].translation.vector;
                    let sole = place - stance.tilt * ground.body.up * before;
                    let (height, _) = ground.below(&sole, clip, path.joints[point], frame)?;
                    nearest = nearest
                        .min((ground.above_floor(&sole) - height).abs())
                        .min(over(point, frame)?.abs());
                }
            }
            all.stance = all.stance.max(nearest);
            all.slope = all.slope.max(stance.tilt.angle());
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    fn figure(report: &EditReport, name: &str) -> f64 {
        report.figures.iter().find(|figure| figure.name == name).unwrap().value.unwrap()
    }

    fn on(terrain: Terrain) -> OnTerrain {
        OnTerrain { terrain, origin: TerrainOrigin::Start }
    }

    /// 20 m × 20 m, by height at (ahead, left).
    fn field(height: impl Fn(f64, f64) -> f64) -> Terrain {
        let side = 201;
        let at = |i: usize| (100.0 - (i / side) as f64, 100.0 - (i % side) as f64);
        let heights = (0..side * side).map(|i| height(at(i).0 / 10.0, at(i).1 / 10.0)).collect();
        Terrain::Heights(HeightField::new(side, heights, 0.1).unwrap())
    }

    #[test]
    fn flat_ground_changes_no_bit() {
        for name in ["alex_walk.bvh", "alex_turn.bvh", "robin_walk.bvh"] {
            let walk = clip(name);
            let (same, report) = on_terrain(&walk, &on(field(|_, _| 0.0))).unwrap();
            for (id, _) in walk.skeleton().iter() {
                for frame in 0..walk.frames() {
                    assert_eq!(walk.local(id, frame), same.local(id, frame), "{report}");
                }
            }
            assert_eq!(figure(&report, "terrain-penetration"), 0.0);
            assert_eq!(report.contacts, report.contacts_before);
        }
    }

    #[test]
    fn feet_stand_on_slopes_steps_and_bumps() {
        let walk = clip("alex_walk.bvh");
        let terrains = [
            ("up", field(|ahead, _| 0.2 * ahead)),
            ("down", field(|ahead, _| -0.2 * ahead)),
            ("aside", field(|_, left| 0.3 * left)),
            ("bumps", field(|ahead, left| 0.06 * (3.0 * ahead).sin() * (2.0 * left).cos())),
            ("stairs", Terrain::Steps("0.15,0.35,6,0.4".parse().unwrap())),
            ("down stairs", Terrain::Steps("-0.15,0.35,6,0.4".parse().unwrap())),
        ];
        for (name, terrain) in terrains {
            let (walked, report) = on_terrain(&walk, &on(terrain)).unwrap();
            assert!(figure(&report, "terrain-penetration") < 1e-4, "{name}: {report}");
            assert!(figure(&report, "stance-error") < 1e-3, "{name}: {report}");
            assert!(figure(&report, "unreachable") < 1e-3, "{name}: {report}");
            assert!(figure(&report, "slope") <= 30.0, "{name}: {report}");
            assert!(figure(&report, "swing-clearance") >= 0.02 - 1e-6, "{name}: {report}");
            assert_eq!(walked.frames(), walk.frames());
            // Feet stand as long as before, on the terrain instead of the floor.
            let planted = |contacts: Option<ContactFigures>| {
                contacts.map(|contacts| contacts.left_frames + contacts.right_frames).unwrap() as f64
            };
            let kept = planted(report.contacts) / planted(report.contacts_before);
            assert!(kept > 0.7 && kept < 1.3, "{name}: {report}");
            let jump = crate::join::peak_acceleration(&walked, 0..walked.frames())
                / crate::join::peak_acceleration(&walk, 0..walk.frames());
            // A foot that leaves the floor just before a step has little time to rise.
            assert!(jump < 5.0, "{name}: accelerations × {jump}");
        }
    }

    #[test]
    fn a_ramp_raises_the_body() {
        let walk = clip("alex_walk.bvh");
        let (walked, report) = on_terrain(&walk, &on(field(|ahead, _| 0.2 * ahead))).unwrap();
        let body = Body::of(&walk);
        let metres = body.metres.unwrap();
        let [before, after] = [&walk, &walked].map(|clip| mocap_analysis::trajectory(clip, body.hips));
        let last = walk.frames() - 1;
        let way = body.on_ground(&(before[last] - before[0])).norm() * metres;
        let rise = (after[last] - before[last]).dot(&body.up) * metres;
        assert!((rise / (0.2 * way) - 1.0).abs() < 0.2, "{rise} on {way}: {report}");
    }

    #[test]
    fn steps_above_the_legs_are_refused() {
        let walk = clip("alex_walk.bvh");
        let of = |steps: &str| on_terrain(&walk, &on(Terrain::Steps(steps.parse().unwrap())));
        let error = of("15,60,6").unwrap_err();
        assert!(matches!(error, EditError::Surface { .. }) && error.to_string().contains("15 m"), "{error}");
        assert_eq!(of("15cm,60cm,6").unwrap().0, of("0.15,0.6,6").unwrap().0);
        assert_eq!(of("0.15,0.6,6.0").unwrap().0, of("0.15,0.6,6").unwrap().0);
    }

    #[test]
    fn holes_and_edges_are_errors_with_a_place() {
        let walk = clip("alex_walk.bvh");
        let hole = field(|ahead, _| if (0.8..1.2).contains(&ahead) { f64::NAN } else { 0.0 });
        let error = on_terrain(&walk, &on(hole)).unwrap_err().to_string();
        assert!(error.contains("a hole below '") && error.contains("in frame"), "{error}");
        let small = HeightField::new(2, vec![0.0; 4], 0.5).unwrap();
        let error = on_terrain(&walk, &on(Terrain::Heights(small))).unwrap_err().to_string();
        assert!(error.contains("ends before"), "{error}");
    }
}
