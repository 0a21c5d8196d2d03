//! Retargets several people, each to a target, and keeps their contacts and distances.

use mocap_edit::{
    InStep, KeepOptions, PartnerReport, bring_in_step, keep_distances, keep_partners, moved_on_ground,
};
use mocap_formats::Finding;
use mocap_model::{Clip, ForwardKinematics, Vector3};
use mocap_retarget::{PartnerFigures, map_roles_in};

use crate::target::measure_on_target;
use crate::unit::in_space;
use crate::{Error, Mapping, Opening, Target, TargetOptions, TargetReport, known_unit, put_on_target};

/// People whose hips are never nearer than this many leg lengths do not touch: two arms are shorter.
const NEAR: f64 = 3.0;
/// Number of frames per second in which the distance of people is tested \[1/s\].
const LOOKED: f64 = 10.0;

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
    let lead_in = people.iter().map(|one| one.opening.lead_in).max().unwrap_or_default();
    let alone: Vec<Clip> = done.iter().map(|(clip, _)| clip.clone()).collect();
    let places: Vec<Option<Places>> = sources.iter().map(Places::of).collect();
    let (mut between, mut moved) = (Vec::new(), vec![false; people.len()]);
    // Methods that do not scale keep the paths of the sources, and so their distances.
    let distances = people.iter().all(|one| one.options.body.method.scales());
    let several = people.len() > 2 && people.iter().all(|one| one.target.robot().is_none());
    if distances && several {
        let spaced = keep_distances(&sources.iter().collect::<Vec<_>>(), alone.clone(), lead_in)?;
        for (at, clip) in spaced.into_iter().enumerate().filter(|(at, clip)| *clip != alone[*at]) {
            done[at].0 = in_space(clip, *done[at].0.skeleton().space());
            moved[at] = true;
        }
    }
    for a in 0..people.len() {
        for b in a + 1..people.len() {
            let on_bodies = [a, b].iter().all(|i| people[*i].target.robot().is_none());
            let near = match (&places[a], &places[b]) {
                (Some(one), Some(other)) => one.is_near(other),
                _ => false,
            };
            if !on_bodies || !(near || people.len() == 2) {
                continue;
            }
            let targets = [done[a].0.clone(), done[b].0.clone()];
            let limits = [a, b].iter().all(|i| people[*i].options.body.limits);
            let surfaces = [a, b].map(|i| people[i].target.surface.as_ref());
            let ([one, other], report) = keep_partners(
                [&sources[a], &sources[b]],
                targets,
                surfaces,
                things,
                KeepOptions { lead_in, limits, distances: distances && !several },
            )?;
            if report.changed {
                done[a].0 = in_space(one, *done[a].0.skeleton().space());
                done[b].0 = in_space(other, *done[b].0.skeleton().space());
                (moved[a], moved[b]) = (true, true);
            }
            between.push(([a, b], report));
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
