//! Retargets several people, each to a target, and keeps their contacts and distances.

use mocap_edit::{
    InStep, KeepOptions, OwnScene, PartnerReport, bring_in_step, keep_distances, keep_partners,
    limits_are_symmetric, moved_on_ground,
};
use mocap_formats::Finding;
use mocap_model::{Clip, ForwardKinematics, Vector3};
use mocap_retarget::{PartnerFigures, TargetSurface, map_roles_in};

use crate::target::measure_on_target;
use crate::unit::in_space;
use crate::{Error, Mapping, Opening, Target, TargetOptions, TargetReport, known_unit, put_on_target};

/// People whose hips are never nearer than this many leg lengths do not touch: two arms are shorter.
const NEAR: f64 = 3.0;
/// Number of frames per second in which the distance of people is tested \[1/s\].
const LOOKED: f64 = 10.0;
/// Whoever is moved by less along the ground keeps the motion alone \[m\].
const LEAST: f64 = 0.001;

/// One of several people, with their target.
#[derive(Clone, Debug)]
pub struct Together<'a> {
    /// Name in notes and reports.
    pub name: String,
    /// The motion, in the space and time that all share.
    pub clip: Clip,
    /// Its reference pose, lead-in and surface.
    pub opening: Opening,
    /// The target.
    pub target: &'a Target,
    /// The map of joints; `None`: by roles.
    pub mapping: Option<&'a Mapping>,
    /// Options of the retarget.
    pub options: TargetOptions,
}

/// People who were retargeted together.
#[derive(Clone, Debug)]
pub struct RetargetedPeople {
    /// By person: the motion and its report.
    pub people: Vec<(Clip, TargetReport)>,
    /// Contacts and distances between two of them, with their indices; pairs that are never near
    /// each other are left out.
    pub between: Vec<([usize; 2], PartnerReport)>,
    /// Which motions were resampled or extended.
    pub notes: Vec<String>,
}

/// Retargets people who are together, each to a target as [`put_on_target`] does. Then restores the
/// contacts of their hands and their distances, and removes interpenetration. `things` are props of
/// the sources, in the space and time of the first one; two people whose hands hold the same one
/// are brought together such that it keeps its size. Sources are resampled to the highest of their
/// rates and extended to the longest of their lengths. Assumptions are added to `warnings`.
///
/// ```
/// use mocap::{Target, Together};
///
/// let walk = mocap::read("../../fixtures/clips/alex_walk.bvh")?.value;
/// let robin = mocap::read_target("../../fixtures/clips/robin.skel", &Default::default())?.value;
/// let person = |name: &str| Together {
///     name: name.into(),
///     clip: walk.clone(),
///     opening: Default::default(),
///     target: &robin,
///     mapping: None,
///     options: Default::default(),
/// };
/// let done = mocap::put_together(vec![person("a"), person("b")], &[], &mut Vec::new())?;
/// assert_eq!((done.people.len(), done.between.len()), (2, 1));
/// # Ok::<(), mocap::Error>(())
/// ```
///
/// # Errors
/// As [`put_on_target`]; where the unit of one of two people who come near each other is not known.
pub fn put_together(
    people: Vec<Together<'_>>,
    things: &[&Clip],
    warnings: &mut Vec<Finding>,
) -> Result<RetargetedPeople, Error> {
    let motions = people.iter().map(|one| (one.name.clone(), one.clip.clone())).collect();
    let InStep { clips: sources, notes } = bring_in_step(motions)?;
    let mut done = Vec::with_capacity(people.len());
    for (one, clip) in people.iter().zip(&sources) {
        done.push(put_on_target(clip, &one.opening, one.target, one.mapping, &one.options, warnings)?);
    }
    let alone: Vec<Clip> = done.iter().map(|(clip, _)| clip.clone()).collect();
    let Kept { clips, mut between } = kept(&people, &sources, &alone, things)?;
    let moved: Vec<bool> = clips.iter().map(Option::is_some).collect();
    for (done, clip) in done.iter_mut().zip(clips) {
        if let Some(clip) = clip {
            done.0 = in_space(clip, *done.0.skeleton().space());
        }
    }
    for (i, one) in people.iter().enumerate().filter(|(i, _)| moved[*i]) {
        let both = (&sources[i], &done[i].0);
        let report = measure_on_target(both, &one.opening, one.target, one.mapping, &one.options)?;
        done[i].1 = report.unwrap_or_else(|| done[i].1.clone());
    }
    // The total displacement by all pairs and by the distances of all.
    let moved_by = |i: usize| if moved[i] { moved_on_ground(&alone[i], &done[i].0) } else { Ok(0.0) };
    let moved_by = (0..people.len()).map(moved_by).collect::<Result<Vec<f64>, _>>()?;
    for (pair, report) in &mut between {
        report.set_moved(pair.map(|i| moved_by[i]));
        for (side, i) in pair.iter().enumerate() {
            let found = PartnerFigures {
                off: report.gap_p95.or(report.error_p95),
                inside: report.deepest,
                moved: Some(report.moved_each[side]),
            };
            if let TargetReport::Body(report) = &mut done[*i].1 {
                report.partners = Some(report.partners.unwrap_or_default().worst(found));
            }
        }
    }
    Ok(RetargetedPeople { people: done, between, notes })
}

/// People after they were brought together, `None` where nothing changed, and the reports on each two.
struct Kept {
    clips: Vec<Option<Clip>>,
    between: Vec<([usize; 2], PartnerReport)>,
}

/// Brings people together who were retargeted alone.
fn kept(people: &[Together<'_>], sources: &[Clip], alone: &[Clip], things: &[&Clip]) -> Result<Kept, Error> {
    let mut kept = Kept { clips: vec![None; people.len()], between: Vec::new() };
    let pairs = pairs(people, sources);
    // Methods that do not scale keep the paths of the sources, and so their distances.
    let distances = people.iter().all(|one| one.options.body.method.scales());
    let several = people.len() > 2 && people.iter().all(|one| one.target.robot().is_none());
    if pairs.is_empty() && !(distances && several) {
        return Ok(kept);
    }
    let scene = scene(people, sources, alone, things)?;
    let things =
        things.iter().map(|thing| scene.thing(thing, &sources[0])).collect::<Result<Vec<Clip>, _>>()?;
    let things: Vec<&Clip> = things.iter().collect();
    let sources = sources.iter().map(|clip| scene.person(clip)).collect::<Result<Vec<Clip>, _>>()?;
    let mut clips = alone.to_vec();
    for (i, one) in people.iter().enumerate().filter(|(_, one)| one.target.robot().is_none()) {
        let opening = Opening { lead_in: scene.lead_in(one.opening.lead_in), ..one.opening.clone() };
        // What there is to say was said of the same motion alone.
        let unsaid = &mut Vec::new();
        clips[i] = put_on_target(&sources[i], &opening, one.target, one.mapping, &one.options, unsaid)?.0;
    }
    let alone_in_scene = clips.clone();
    let lead_in = people.iter().map(|one| one.opening.lead_in).max().unwrap_or_default();
    let lead_in = scene.lead_in(lead_in);
    let mut moved = vec![false; people.len()];
    if distances && several {
        let spaced = keep_distances(&sources.iter().collect::<Vec<_>>(), clips.clone(), lead_in)?;
        moved = spaced.iter().zip(&clips).map(|(spaced, clip)| spaced != clip).collect();
        clips = spaced;
    }
    // Alone in the scene, the ways of people who are near each other are scaled about another place than alone in the
    // world, so their distances differ, whether they are changed here or not.
    let mut is_near = vec![false; people.len()];
    for Pair { people: [a, b], near } in pairs {
        let options = KeepOptions {
            lead_in,
            limits: [a, b].iter().all(|i| people[*i].options.body.limits),
            distances: distances && !several,
        };
        let surfaces = [a, b].map(|i| people[i].target.surface.as_ref());
        let targets = [clips[a].clone(), clips[b].clone()];
        let (both, report) = keep_partners([&sources[a], &sources[b]], targets, surfaces, &things, options)?;
        if report.changed {
            [clips[a], clips[b]] = both;
            (moved[a], moved[b]) = (true, true);
        }
        if distances && near && report.inside_source.is_none() {
            (is_near[a], is_near[b]) = (true, true);
        }
        kept.between.push(([a, b], scene.report(report, alone[a].frames())));
    }
    let placed: Vec<usize> = (0..people.len()).filter(|i| moved[*i] || is_near[*i]).collect();
    let [alone_placed, before, after] =
        [alone, &alone_in_scene, &clips].map(|all| placed.iter().map(|i| &all[*i]).collect::<Vec<_>>());
    for (i, clip) in placed.iter().copied().zip(scene.back(&alone_placed, &before, &after)?) {
        if moved[i] || moved_on_ground(&alone[i], &clip)? >= LEAST {
            kept.clips[i] = Some(clip);
        }
    }
    for (pair, report) in &mut kept.between {
        report.changed |= pair.iter().any(|i| kept.clips[*i].is_some());
    }
    Ok(kept)
}

/// Two people on bodies.
struct Pair {
    people: [usize; 2],
    /// Whether they are near each other in some frame.
    near: bool,
}

/// Each two people who are near each other, or the only two, on bodies.
fn pairs(people: &[Together<'_>], sources: &[Clip]) -> Vec<Pair> {
    let places: Vec<Option<Places>> = sources.iter().map(Places::of).collect();
    let is_body = |i: usize| people[i].target.robot().is_none();
    let is_near = |a: usize, b: usize| match (&places[a], &places[b]) {
        (Some(one), Some(other)) => one.is_near(other),
        _ => false,
    };
    let all = (0..people.len()).flat_map(|a| (a + 1..people.len()).map(move |b| [a, b]));
    all.filter(|[a, b]| is_body(*a) && is_body(*b))
        .map(|[a, b]| Pair { people: [a, b], near: is_near(a, b) })
        .filter(|pair| people.len() == 2 || pair.near)
        .collect()
}

/// Whether a retarget gives the mirrored result for a mirrored source, as far as options decide.
fn has_no_sides(one: &Together<'_>) -> bool {
    let Together { opening, target, mapping, options, .. } = one;
    mapping.is_none()
        && options.body.joint_pairs.is_empty()
        && opening.rest.is_none()
        && target.rest.is_none()
}

/// Whether the bodies of a person, and the joint limits of the target, are their own mirror images.
fn is_symmetric(one: &Together<'_>) -> Result<bool, Error> {
    let TargetOptions { body, .. } = &one.options;
    let surfaces = [&one.target.surface, &one.opening.surface, &body.surface, &body.source_surface];
    Ok(surfaces.into_iter().flatten().all(TargetSurface::is_symmetric)
        && (!body.limits || limits_are_symmetric(&one.target.skeleton)?))
}

/// The scene in which people are brought together. They may be mirrored in it if bodies are their own mirror images, and
/// nothing else has sides.
fn scene(
    people: &[Together<'_>],
    sources: &[Clip],
    alone: &[Clip],
    things: &[&Clip],
) -> Result<OwnScene, Error> {
    let may_mirror = things.is_empty() && people.iter().all(has_no_sides);
    let scene =
        OwnScene::of(&sources.iter().collect::<Vec<_>>(), &alone.iter().collect::<Vec<_>>(), may_mirror)?;
    let symmetric = people.iter().map(is_symmetric).collect::<Result<Vec<bool>, Error>>()?;
    Ok(if symmetric.contains(&false) { scene.unmirrored() } else { scene })
}

/// Positions of a person's hips at some times, on the ground \[m\].
struct Places {
    at: Vec<Vector3<f64>>,
    leg: f64,
}

impl Places {
    fn of(clip: &Clip) -> Option<Places> {
        use mocap_model::Role::{Hips, LeftFoot, LeftLowerLeg};
        let metres = known_unit(clip.skeleton())?.metres;
        let roles = map_roles_in(clip);
        let hips = roles.joint(Hips)?;
        let offset = |role| Some(clip.skeleton().joint(roles.joint(role)?).offset.norm());
        let leg = (offset(LeftLowerLeg)? + offset(LeftFoot)?) * metres;
        let up = clip.skeleton().space().up.vector();
        let mut placed = ForwardKinematics::of_joints(clip, &[hips]);
        let step = (clip.rate().fps() / LOOKED).ceil().max(1.0) as usize;
        let at = (0..clip.frames()).step_by(step).map(|frame| {
            placed.place(frame);
            let place = placed.position(hips) * metres;
            place - up * place.dot(&up)
        });
        Some(Places { at: at.collect(), leg })
    }

    fn is_near(&self, other: &Places) -> bool {
        let most = NEAR * self.leg.max(other.leg);
        self.at.iter().zip(&other.at).any(|(a, b)| (a - b).norm() < most)
    }
}
