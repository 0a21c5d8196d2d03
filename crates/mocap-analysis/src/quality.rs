//! Quality of a motion: foot skate, smoothness, and capture artifacts.

use crate::{
    Artifact, ArtifactKind, BalanceSummary, BodyBalance, ContactOptions, Foot, FootContacts, FootMeasure,
    FootMotion, Gated, LargestStep, LengthUnit, Lengths, Metric, OffBalance, body_balance, feet_of,
    find_artifacts, floor_under, largest_step, runs,
};
use mocap_model::{Clip, ForwardKinematics, JointId, Side, Vector3};

/// Quality of one foot's motion.
#[derive(Clone, Debug, PartialEq)]
pub struct FootQuality {
    /// Left or right.
    pub side: Side,
    /// The share of frames in which heel or toe is in contact, 0 to 1.
    pub contact_share: f64,
    /// The number of contacts.
    pub contacts: usize,
    /// Foot skate, float height and penetration, in [`Quality::lengths`].
    pub measure: FootMeasure,
}

/// Quality of a motion. A figure that no frame shows is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// The unit of all lengths: metres if the clip's unit is known or its size suggests one, else leg lengths,
    /// else units of the clip.
    pub lengths: Lengths,
    /// The number of frames.
    pub frames: usize,
    /// The height of the floor; `None` without feet or frames.
    pub floor: Option<f64>,
    /// The feet, left before right; none without roles.
    pub feet: Vec<FootQuality>,
    /// The mean over all joints of their mean jerk [length/s³]; `None` of fewer than four frames.
    pub jerk: Option<f64>,
    /// The largest change of a local rotation between two frames.
    pub largest_step: Option<LargestStep>,
    /// Balance of the person; `None` without legs, arms or a head.
    pub balance: Option<BalanceSummary>,
    /// Ranges in which the person stands still and is out of balance; `None` where balance is not measured.
    pub off_balance: Option<Vec<OffBalance>>,
    /// In the order of their first frames.
    pub artifacts: Vec<Artifact>,
}

/// Measures the quality of a motion, without a reference.
///
/// ```
/// use mocap_analysis::{ContactOptions, quality};
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// // Somebody stands for two seconds and waves.
/// let quality = quality(&clip, &ContactOptions::default());
/// assert_eq!(quality.feet.len(), 2);
/// assert_eq!(quality.feet[0].contact_share, 1.0);
/// assert!(quality.feet[0].measure.skate.unwrap() < 1e-9);
/// assert!(quality.artifacts.is_empty());
/// ```
pub fn quality(clip: &Clip, options: &ContactOptions) -> Quality {
    let lengths = Lengths::of(clip.skeleton());
    let feet = feet_of(clip.skeleton());
    // The ground is found from both feet together, as for balance and for the report of a retarget.
    let motions = FootMotion::of(clip, &feet);
    let found: Vec<FootContacts> = motions.iter().map(|motion| motion.contacts(options)).collect();
    let floor = floor_under(clip, &motions, &found);
    let each = feet.iter().zip(motions.iter().zip(&found));
    let measured = each.map(|(foot, (motion, found))| {
        foot_quality(foot.side, motion, found, floor.unwrap_or(0.0), lengths.factor)
    });
    let feet = if clip.frames() > 0 { measured.collect() } else { Vec::new() };
    let balance = body_balance(clip);
    let moving = clip.skeleton().iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id);
    Quality {
        lengths,
        frames: clip.frames(),
        floor: floor.map(|height| height * lengths.factor),
        feet,
        jerk: jerk(clip).map(|jerk| jerk * lengths.factor),
        largest_step: largest_step(clip, moving),
        off_balance: balance.as_ref().map(BodyBalance::off_balance),
        balance: balance.map(|balance| balance.summary()),
        artifacts: find_artifacts(clip, &lengths),
    }
}

impl Quality {
    /// The artifact with the greatest severity.
    pub fn worst(&self) -> Option<&Artifact> {
        // The first of equal ones.
        self.artifacts.iter().reduce(|a, b| if b.severity() > a.severity() { b } else { a })
    }

    /// The greatest size of the artifacts of a kind; 0 without any.
    fn greatest(&self, kind: ArtifactKind) -> f64 {
        let of_kind = self.artifacts.iter().filter(|artifact| artifact.kind == kind);
        of_kind.map(|artifact| artifact.value.abs()).fold(0.0, f64::max)
    }

    /// A figure in metres; `None` if lengths are in another unit, so that limits in metres do not apply to it.
    fn in_metres(&self, length: Option<f64>) -> Option<f64> {
        length.filter(|_| self.lengths.unit == LengthUnit::Metres)
    }

    fn of_feet(&self, figure: impl Fn(&FootMeasure) -> Option<f64>) -> Option<f64> {
        self.in_metres(self.feet.iter().filter_map(|foot| figure(&foot.measure)).reduce(f64::max))
    }
}

impl Gated for Quality {
    const METRICS: &'static [Metric<Quality>] = &[
        Metric::new("findings", "", "number of suspicious spans", |quality| {
            Some(quality.artifacts.len() as f64)
        }),
        Metric::new("teleport", "m", "greatest step of the hips off their way", |quality| {
            quality.in_metres(Some(quality.greatest(ArtifactKind::Teleport)))
        }),
        Metric::new(
            "jump",
            "m",
            "greatest step of a hand or foot off its way, seen from the hips",
            |quality| quality.in_metres(Some(quality.greatest(ArtifactKind::Jump))),
        ),
        Metric::new("turn", "deg", "greatest sudden turn of the hips", |quality| {
            Some(quality.greatest(ArtifactKind::Turn).to_degrees())
        }),
        Metric::new("flip", "deg", "greatest sudden turn of another joint", |quality| {
            Some(quality.greatest(ArtifactKind::Flip).to_degrees())
        }),
        Metric::new("stretch", "", "greatest change of a bone over its length", |quality| {
            Some(quality.greatest(ArtifactKind::Stretch))
        }),
        Metric::new("frozen", "s", "longest frozen span", |quality| {
            Some(quality.greatest(ArtifactKind::Frozen))
        }),
        Metric::new(
            "skate",
            "m/s",
            "foot skate: mean speed of a toe in contact, or shared by the feet on the floor",
            |quality| {
                let over_clip = quality.greatest(ArtifactKind::Skate);
                let in_contact = quality.of_feet(|measure| measure.skate);
                if over_clip > 0.0 {
                    quality.in_metres(Some(in_contact.unwrap_or(0.0).max(over_clip)))
                } else {
                    in_contact
                }
            },
        ),
        Metric::new(
            "float",
            "m",
            "greatest float height of a foot in contact, or of the clip over its database's floor",
            |quality| {
                let over_database = quality.greatest(ArtifactKind::Float);
                let in_contact = quality.of_feet(|measure| measure.float_max);
                if over_database > 0.0 {
                    quality.in_metres(Some(in_contact.unwrap_or(0.0).max(over_database)))
                } else {
                    in_contact
                }
            },
        ),
        Metric::new("penetration", "m", "greatest penetration of the floor by a foot", |quality| {
            quality.of_feet(|measure| measure.penetration_max)
        }),
        Metric::new("jerk", "m/s³", "mean jerk over all joints", |quality| quality.in_metres(quality.jerk)),
        Metric::new("step", "deg", "largest change of a joint's rotation between two frames", |quality| {
            (quality.frames > 1).then(|| quality.largest_step.map_or(0.0, |step| step.angle.to_degrees()))
        }),
    ];

    fn is_measured(&self) -> bool {
        self.frames > 0
    }
}

/// Contacts of all feet, with the ground found from both.
pub(crate) fn contacts_of(clip: &Clip, feet: &[Foot], options: &ContactOptions) -> Vec<FootContacts> {
    FootMotion::of(clip, feet).iter().map(|motion| motion.contacts(options)).collect()
}

fn foot_quality(
    side: Side,
    motion: &FootMotion,
    found: &FootContacts,
    floor: f64,
    factor: f64,
) -> FootQuality {
    let on: Vec<bool> = found.toe.iter().zip(&found.heel).map(|(toe, heel)| *toe || *heel).collect();
    FootQuality {
        side,
        contact_share: on.iter().filter(|on| **on).count() as f64 / on.len().max(1) as f64,
        contacts: runs(&on).len(),
        measure: motion.measure(found, floor, factor),
    }
}

/// The mean jerk of all joints [units of the clip / s³], in one pass over the frames.
fn jerk(clip: &Clip) -> Option<f64> {
    let joints: Vec<JointId> =
        clip.skeleton().iter().filter(|(_, joint)| !joint.end_site).map(|(id, _)| id).collect();
    if clip.frames() < 4 {
        return None;
    }
    let mut kinematics = ForwardKinematics::new(clip);
    // Positions in the last four frames, the newest first.
    let mut places: [Vec<Vector3<f64>>; 4] = Default::default();
    let mut sum = 0.0;
    for frame in 0..clip.frames() {
        kinematics.place(frame);
        places.rotate_right(1);
        places[0].clear();
        places[0].extend(joints.iter().map(|joint| kinematics.position(*joint)));
        if frame >= 3 {
            let [d, c, b, a] = &places;
            sum += (0..joints.len()).map(|i| (d[i] - c[i] * 3.0 + b[i] * 3.0 - a[i]).norm()).sum::<f64>();
        }
    }
    Some(sum * clip.rate().fps().powi(3) / (joints.len() * (clip.frames() - 3)).max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mocap_model::*;
    use std::sync::Arc;

    /// Two joints a metre apart at 100 fps; the root moves along X.
    fn clip(places: &[f64], unit: Option<f64>) -> Clip {
        let joint = |name: &str, parent, x| Joint::new(name, parent, Vector3::new(x, 0.0, 0.0));
        let joints = vec![joint("root", None, 0.0), joint("arm", Some(JointId(0)), 1.0)];
        let unit = unit.map(|metres| Unit { metres, source: UnitSource::File });
        let space = Space { unit, ..Space::default() };
        let skeleton = Arc::new(Skeleton::new("", space, joints).unwrap());
        let mut tracks: Vec<_> = skeleton.joints().iter().map(JointTracks::at_rest).collect();
        tracks[0].translation =
            Some(Track::Sampled(places.iter().map(|x| Vector3::new(*x, 0.0, 0.0)).collect()));
        Clip::new(skeleton, FrameRate::new(100.0).unwrap(), places.len(), tracks).unwrap()
    }

    #[test]
    fn jerk_is_the_mean_over_the_joints() {
        // x = t³: 6 m/s³ for both joints.
        let places: Vec<f64> = (0..20).map(|i| (f64::from(i) / 100.0).powi(3)).collect();
        let quality = quality(&clip(&places, Some(1.0)), &ContactOptions::default());
        assert!((quality.jerk.unwrap() - 6.0).abs() < 1e-6, "{:?}", quality.jerk);
        assert_eq!((quality.floor, quality.feet.len(), quality.largest_step), (None, 0, None));
        let short = super::quality(&clip(&places[..3], Some(1.0)), &ContactOptions::default());
        assert_eq!(short.jerk, None);
    }

    #[test]
    fn limits_in_metres_are_applied_to_metres_only() {
        let places: Vec<f64> = (0..20).map(f64::from).collect();
        let of = |name: &str, size: f64, unit| {
            let clip = clip(&places, unit).scaled(size).unwrap();
            Metric::<Quality>::named(name).unwrap().of(&quality(&clip, &ContactOptions::default()))
        };
        // As long as a house: no usual unit makes it a body.
        assert_eq!((of("jerk", 8.0, None), of("teleport", 8.0, None)), (None, None));
        assert_eq!((of("findings", 8.0, None), of("step", 8.0, None)), (Some(0.0), Some(0.0)));
        assert!(of("jerk", 8.0, Some(1.0)).is_some() && of("teleport", 8.0, Some(1.0)).is_some());
        // Skate needs feet.
        assert_eq!(of("skate", 8.0, Some(1.0)), None);
        let none = quality(&clip(&[], Some(1.0)), &ContactOptions::default());
        assert_eq!(Metric::<Quality>::named("findings").unwrap().of(&none), None);
    }
}
