//! A blend at given parameters of a blend space, corrected to a requested speed.

use mocap_model::Clip;

use super::{BlendOptions, BlendSpace, PreparedBlend, speed_and_turn};
use crate::{EditError, EditReport};

/// Relative tolerance of the speed.
const MET: f64 = 0.005;
/// Relative error of the speed from which a warning is given: samples state their speeds rounded. Smaller errors are
/// in the figure `speed` of the report.
const MISSED: f64 = 0.02;
const MOST_STEPS: usize = 16;

/// Blends the samples of a space at a place. With `speed`, the index of the parameter that is a speed \[m/s\], the
/// speed of the blend is measured, and the place is moved along this parameter until it matches within 0.5 %. Between
/// the samples that may be impossible: the report warns from 2 % on.
///
/// ```no_run
/// # let walk = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// # let run = walk.clone();
/// use mocap_edit::{BlendOptions, BlendSpace, SpaceKind, blend_at};
///
/// let space = BlendSpace::new(SpaceKind::Linear, vec![vec![1.25], vec![2.61]])?;
/// let (jog, report) = blend_at(&space, &[walk, run], &[2.1], Some(0), &BlendOptions::default())?;
/// println!("{} frames: {report}", jog.frames());
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// As [`blend`](crate::blend::blend()), and [`EditError::Weights`] where the counts of motions and samples differ.
pub fn blend_at(
    space: &BlendSpace,
    clips: &[Clip],
    place: &[f64],
    speed: Option<usize>,
    options: &BlendOptions,
) -> Result<(Clip, EditReport), EditError> {
    let mut prepared = None;
    let mut at = |place: &[f64]| blend_weighted(clips, &space.weights(place), options, &mut prepared);
    let (mut clip, mut report) = at(place)?;
    let Some(axis) = speed else {
        return Ok((clip, report));
    };
    let wanted = place[axis];
    let off = |clip: &Clip| speed_and_turn(clip).map(|[speed, _]| speed - wanted);
    let [mut low, mut high] = space.range(axis);
    let mut here = place.to_vec();
    for _ in 0..MOST_STEPS {
        match off(&clip) {
            None => {
                report.warn("edit::speed", "the speed was not measured: the unit of lengths is unknown");
                return Ok((clip, report));
            }
            Some(off) if off.abs() <= MET * wanted.abs() => return Ok((clip, report)),
            Some(off) if off > 0.0 => high = here[axis].min(high),
            Some(_) => low = here[axis].max(low),
        }
        if high - low <= 1e-6 * (1.0 + high.abs()) {
            break;
        }
        here[axis] = (low + high) / 2.0;
        (clip, report) = at(&here)?;
    }
    let found = off(&clip).unwrap_or(0.0) + wanted;
    if (found - wanted).abs() > MISSED * wanted.abs() {
        let message = format!("a speed of {wanted:.2} m/s is not reached: the nearest is {found:.2} m/s");
        report.warn("edit::speed", message);
    }
    Ok((clip, report))
}

/// The motions with weight, and their prepared blend.
type Used = (Vec<usize>, PreparedBlend);

/// Leaves out motions without weight, which then need no strides. Prepares again only when the motions change.
fn blend_weighted(
    clips: &[Clip],
    weights: &[f64],
    options: &BlendOptions,
    prepared: &mut Option<Used>,
) -> Result<(Clip, EditReport), EditError> {
    if clips.len() != weights.len() {
        let reason = format!("{} motions for a space of {} samples", clips.len(), weights.len());
        return Err(EditError::Weights { reason });
    }
    let used: Vec<usize> = (0..weights.len()).filter(|i| weights[*i] > 0.0).collect();
    if prepared.as_ref().is_none_or(|(before, _)| *before != used) {
        let clips: Vec<Clip> = used.iter().map(|i| clips[*i].clone()).collect();
        *prepared = Some((used.clone(), PreparedBlend::new(&clips, options)?));
    }
    let weights: Vec<f64> = used.iter().map(|i| weights[*i]).collect();
    let (_, blend) = prepared.as_ref().expect("it is prepared");
    blend.measured(&super::shares(weights.len(), &weights)?)
}
