//! Foot lock: keeps planted feet in place, with the foot lock of retargeting on the same skeleton.

use mocap_analysis::{FootContacts, FootMotion, floor_under};
use mocap_model::Clip;
use mocap_retarget::{Floor, FootLock, Hands, RetargetOptions, Retargeter};

use crate::body::Body;
use crate::{EditError, EditReport, Figure};

/// Locks the feet during their contacts: IK solves the legs, the hips follow a little, everything else stays.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let (fixed, report) = mocap_edit::fix_feet(&clip)?;
/// assert_eq!(fixed.frames(), clip.frames());
/// println!("{report}");
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// [`EditError::NoFeet`] where no joint is recognised as a foot, [`EditError::NoUnit`] where contacts cannot be
/// measured.
pub fn fix_feet(clip: &Clip) -> Result<(Clip, EditReport), EditError> {
    let body = Body::of(clip);
    if body.feet.is_empty() {
        return Err(EditError::NoFeet { edit: "fix-feet" });
    }
    body.metres.ok_or(EditError::NoUnit { edit: "fix-feet" })?;
    // Without contacts nothing is locked: the motion is unchanged bit by bit.
    let stands = body.contacts(clip).is_some_and(|feet| feet.iter().any(|(_, own)| own.toe.contains(&true)));
    let fixed = if stands { locked(clip)? } else { clip.clone() };
    let mut report = EditReport::measured("fix-feet", clip, &fixed);
    let floor = body.contacts(clip).and_then(|feet| {
        let (motions, contacts): (Vec<FootMotion>, Vec<FootContacts>) = feet.into_iter().unzip();
        floor_under(&body.named(clip), &motions, &contacts)
    });
    if let Some(floor) = floor {
        let [before, after] = [clip, &fixed].map(|clip| penetration(&body, clip, floor));
        report.figures.push(Figure::new("penetration-before", before, "m"));
        report.figures.push(Figure::new("penetration", after, "m"));
    }
    Ok((fixed, report))
}

/// How deep a foot is below a floor at most \[m\].
fn penetration(body: &Body, clip: &Clip, floor: f64) -> f64 {
    let motions = FootMotion::of(&body.named(clip), &body.feet);
    let heights = motions.iter().flat_map(|foot| foot.lowest.iter().zip(&foot.ground));
    let deepest = heights.map(|(lowest, ground)| floor + ground - lowest).fold(0.0, f64::max);
    deepest * body.metres_or_one()
}

/// The motion with locked feet.
pub(crate) fn locked(clip: &Clip) -> Result<Clip, EditError> {
    locked_in(clip, None)
}

/// The motion with feet locked in these contacts, in the order of the feet; `None`: in detected contacts.
pub(crate) fn locked_in(clip: &Clip, contacts: Option<&[FootContacts]>) -> Result<Clip, EditError> {
    let failed = |error: mocap_retarget::RetargetError| EditError::FixFeet { reason: error.to_string() };
    // Without a floor, feet are locked at the height of their contact, and neither feet nor toes are lifted.
    let options = RetargetOptions {
        foot_lock: FootLock::On,
        floor: Floor::Off,
        hands: Hands::Off,
        self_contacts: false,
        limits: false,
        ..RetargetOptions::default()
    };
    let retargeter = Retargeter::new(clip.skeleton(), clip.skeleton(), &options).map_err(failed)?;
    let locked = match contacts {
        Some(contacts) => retargeter.retarget_in_contacts(clip, contacts),
        None => retargeter.retarget_clip(clip),
    };
    let locked = locked.map_err(failed)?;
    let annotations = clip.annotations().clone();
    let scaled = clip
        .tracks()
        .iter()
        .zip(locked.into_tracks())
        .map(|(before, after)| mocap_model::JointTracks { scale: before.scale.clone(), ..after });
    Clip::new(clip.skeleton().clone(), clip.rate(), clip.frames(), scaled.collect())
        .and_then(|clip| clip.with_annotations(annotations))
        .map_err(|error| EditError::model("fix-feet", error))
}
