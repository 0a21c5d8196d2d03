//! Bands: splits a motion into frequency bands, multiplies each by a gain, and adds them up again.
//!
//! Level 0 is the motion; each next level is the one before, smoothed by the B-spline kernel 1/16 · (1 4 6 4 1) whose taps
//! lie twice as far apart. A band is what two levels differ by: for rotations the displacement L with Gₖ = Gₖ₊₁ · exp(L),
//! for positions the difference. Based on: A. Bruderlin, L. Williams, "Motion Signal Processing", 1995.

use std::fmt;
use std::str::FromStr;

use mocap_model::{Clip, Isometry3, UnitQuaternion, Vector3, exp, log, swing_twist};

use crate::body::Body;
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;
use crate::smoothing::unwrapped;
use crate::{EditError, EditReport};

/// The taps of the kernel, from the middle outwards.
const KERNEL: [f64; 3] = [6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0];
/// The kernel passes half of a wave of this many periods per frame: cos⁴(π f) = ½.
const HALF: f64 = 0.182_024_6;
/// Larger gains, or their negative, distort the motion: a warning.
const USUAL: f64 = 10.0;
/// Bands from this frequency on are high [Hz]: tremor and impacts.
const HIGH: f64 = 4.0;
/// Bands from here up to high are the middle [Hz]: bounce and style; gait itself is low.
const MIDDLE: f64 = 1.0;

/// The bands that a gain applies to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BandRange {
    /// One band; 0 is the fastest.
    Level(usize),
    /// Bands whose centre frequency lies in this range \[Hz\].
    Hertz(f64, f64),
}

impl BandRange {
    fn holds(&self, level: usize, fps: f64) -> bool {
        match *self {
            BandRange::Level(wanted) => wanted == level,
            BandRange::Hertz(from, to) => (from..to).contains(&middle(level, fps)),
        }
    }
}

impl fmt::Display for BandRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BandRange::Level(level) => write!(f, "{level}"),
            BandRange::Hertz(from, to) => write!(f, "{from}..{to}"),
        }
    }
}

/// The centre frequency of a band \[Hz\]: the geometric mean of the frequencies at which its two levels pass half.
fn middle(level: usize, fps: f64) -> f64 {
    HALF * fps / 2f64.powi(level as i32) * std::f64::consts::SQRT_2
}

/// Gains of bands; of two for one band, the later counts.
///
/// ```
/// let gains: mocap_edit::Gains = "high=0,mid=1.5,0.5..1hz=1.2".parse()?;
/// assert_eq!(gains.to_string(), "4..inf=0,1..4=1.5,0.5..1=1.2");
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gains(pub Vec<(BandRange, f64)>);

impl FromStr for Gains {
    type Err = String;

    fn from_str(text: &str) -> Result<Gains, String> {
        let part = |part: &str| -> Result<(BandRange, f64), String> {
            let expected = || {
                format!(
                    "'{part}' is not BAND=GAIN; a band is high, mid, low, a number from 0, or A..B in hertz"
                )
            };
            let (band, gain) = part.split_once('=').ok_or_else(expected)?;
            let gain =
                gain.trim().parse::<f64>().ok().filter(|gain| gain.is_finite()).ok_or_else(expected)?;
            let band = band.trim().to_ascii_lowercase();
            let range = match band.as_str() {
                "high" => BandRange::Hertz(HIGH, f64::INFINITY),
                "mid" | "middle" => BandRange::Hertz(MIDDLE, HIGH),
                "low" => BandRange::Hertz(0.0, MIDDLE),
                band => match band.trim_end_matches("hz").split_once("..") {
                    Some((from, to)) => {
                        let from = if from.is_empty() { Ok(0.0) } else { from.parse() };
                        let to = if to.is_empty() { Ok(f64::INFINITY) } else { to.parse() };
                        let (Ok(from), Ok(to)) = (from, to) else { return Err(expected()) };
                        if !(from >= 0.0 && to > from) {
                            return Err(format!(
                                "'{part}': a range in hertz goes from a lower frequency to a higher one"
                            ));
                        }
                        BandRange::Hertz(from, to)
                    }
                    None => BandRange::Level(band.parse().map_err(|_| expected())?),
                },
            };
            Ok((range, gain))
        };
        text.split(',').map(|text| part(text.trim())).collect::<Result<_, _>>().map(Gains)
    }
}

mocap_model::text_values! {
    Gains "BAND=GAIN with commas";
}

impl fmt::Display for Gains {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (band, gain)) in self.0.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            write!(f, "{comma}{band}={gain}")?;
        }
        Ok(())
    }
}

/// Multiplies bands of a motion by gains; 1 leaves a band as it is. Rotations are filtered as rotation vectors between
/// levels, never as Euler angles; the heading of a root and positions are filtered as curves.
///
/// ```
/// # let clip = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// let (calm, report) = mocap_edit::bands(&clip, &"high=0".parse()?)?;
/// assert_eq!(calm.frames(), clip.frames());
/// println!("{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`EditError::TooShort`] where the motion has fewer than four frames, [`EditError::Band`] where a gain matches no
/// band of the motion.
pub fn bands(clip: &Clip, gains: &Gains) -> Result<(Clip, EditReport), EditError> {
    let (frames, fps) = (clip.frames(), clip.rate().fps());
    if frames < 4 {
        return Err(EditError::TooShort { edit: "bands", needed: 4, frames });
    }
    let levels = frames.ilog2() as usize;
    let mut of_level = vec![1.0; levels];
    for (band, gain) in &gains.0 {
        let mut found = false;
        for (_, value) in of_level.iter_mut().enumerate().filter(|(level, _)| band.holds(*level, fps)) {
            (*value, found) = (*gain, true);
        }
        if !found {
            let (slowest, fastest) = (middle(levels - 1, fps), middle(0, fps));
            let band = band.to_string();
            return Err(EditError::Band { band, levels, slowest, fastest });
        }
    }
    let mut samples = Samples::of(clip);
    let body = Body::of(clip);
    let up = body.up;
    // Below another joint, the body is filtered in object space: what it hangs on must not matter.
    let below = Some(RootMotionJoint::of(clip, &body))
        .filter(|root| clip.skeleton().joint(root.joint).parent.is_some())
        .map(|root| {
            let places: Vec<_> = (0..frames).map(|frame| root.at(&samples, frame)).collect();
            (root, places)
        })
        .filter(|(_, places)| places.iter().any(|place| *place != places[0]));
    let moves = |values: &[UnitQuaternion<f64>]| values.iter().any(|value| *value != values[0]);
    for (joint, rotations) in samples.rotations.iter_mut().enumerate().filter(|(_, values)| moves(values)) {
        let is_root = clip.skeleton().joints()[joint].parent.is_none();
        *rotations =
            if is_root { filtered_root(rotations, &up, &of_level) } else { filtered(rotations, &of_level) };
    }
    for values in samples.translations.iter_mut().chain(&mut samples.scales).flatten() {
        *values = filtered_curve(values, &of_level);
    }
    if let Some((root, places)) = below {
        let turns: Vec<UnitQuaternion<f64>> = places.iter().map(|place| place.rotation).collect();
        let ways: Vec<Vector3<f64>> = places.iter().map(|place| place.translation.vector).collect();
        let turns = filtered_root(&turns, &up, &of_level);
        for (frame, (turn, way)) in turns.into_iter().zip(filtered_curve(&ways, &of_level)).enumerate() {
            root.put(&mut samples, frame, &Isometry3::from_parts(way.into(), turn));
        }
    }
    let (changed, held) = crate::held_feet::held(clip, samples.into_clip("bands")?, "bands")?;
    let mut report =
        EditReport::measured("bands", clip, &changed).figure("bands", levels as f64, "").feet_held(held);
    if let Some((level, gain)) = of_level.iter().enumerate().find(|(_, gain)| gain.abs() > USUAL) {
        let band = format!("band {level}, about {:.2} Hz", middle(level, fps));
        report.warn(
            "edit::large-gain",
            format!("{band}: a gain of {gain} makes {gain} times the motion of it"),
        );
    }
    report.warn_of_skate();
    report.warn_of_limits(&[clip], &changed);
    for (level, gain) in of_level.iter().enumerate().filter(|(_, gain)| **gain != 1.0) {
        report = report.note(format!("band {level}, about {:.2} Hz: gain {gain}", middle(level, fps)));
    }
    Ok((changed, report))
}

/// The frame `by` frames away, reflected at the ends; true where it is reflected.
fn reflected(frame: usize, by: isize, frames: usize) -> (usize, bool) {
    let last = (frames - 1) as isize;
    let at = frame as isize + by;
    let inside = (0..=last).contains(&at);
    let folded = if at < 0 {
        -at
    } else if at > last {
        2 * last - at
    } else {
        at
    };
    (folded.clamp(0, last) as usize, !inside)
}

fn taps(level: usize) -> impl Iterator<Item = (isize, f64)> {
    let step = 1isize << level;
    [-2isize, -1, 1, 2].into_iter().map(move |tap| (tap * step, KERNEL[tap.unsigned_abs()]))
}

/// Applies gains to the bands of rotations.
fn filtered(rotations: &[UnitQuaternion<f64>], gains: &[f64]) -> Vec<UnitQuaternion<f64>> {
    let frames = rotations.len();
    let mut level = rotations.to_vec();
    let mut bands: Vec<Vec<Vector3<f64>>> = Vec::with_capacity(gains.len());
    for k in 0..gains.len() {
        let smooth: Vec<UnitQuaternion<f64>> = (0..frames)
            .map(|frame| {
                let here = level[frame];
                let away =
                    |(by, weight)| log(&(here.inverse() * level[reflected(frame, by, frames).0])) * weight;
                here * exp(&taps(k).map(away).sum())
            })
            .collect();
        bands.push(
            smooth.iter().zip(&level).map(|(smooth, level)| log(&(smooth.inverse() * level))).collect(),
        );
        level = smooth;
    }
    for (band, gain) in bands.iter().zip(gains).rev() {
        level = level.iter().zip(band).map(|(level, band)| level * exp(&(band * *gain))).collect();
    }
    level
}

/// A root may turn about the up axis by many whole turns: its heading is filtered as a curve, the rest as rotations.
fn filtered_root(
    rotations: &[UnitQuaternion<f64>],
    up: &Vector3<f64>,
    gains: &[f64],
) -> Vec<UnitQuaternion<f64>> {
    let about = |angle: f64| UnitQuaternion::new(up * angle);
    let turn = |rotation: &UnitQuaternion<f64>| {
        let (_, twist) = swing_twist(rotation, up);
        2.0 * twist.imag().dot(up).atan2(twist.w)
    };
    let mut turns: Vec<f64> = rotations.iter().map(turn).collect();
    unwrapped(&mut turns);
    let rest: Vec<UnitQuaternion<f64>> =
        rotations.iter().zip(&turns).map(|(rotation, turn)| about(-turn) * rotation).collect();
    let turns = filtered_curve(&turns, gains);
    filtered(&rest, gains).iter().zip(&turns).map(|(rest, turn)| about(*turn) * rest).collect()
}

/// Applies gains to the bands of a curve. Beyond its ends it is continued by point reflection, so a straight line stays
/// a straight line.
fn filtered_curve<T>(values: &[T], gains: &[f64]) -> Vec<T>
where
    T: Copy + std::ops::Add<Output = T> + std::ops::Sub<Output = T> + std::ops::Mul<f64, Output = T>,
{
    let frames = values.len();
    let mut level = values.to_vec();
    let mut bands: Vec<Vec<T>> = Vec::with_capacity(gains.len());
    for k in 0..gains.len() {
        let at = |frame: usize, by: isize| {
            let (other, outside) = reflected(frame, by, frames);
            let end = if by < 0 { level[0] } else { level[frames - 1] };
            if outside { end * 2.0 - level[other] } else { level[other] }
        };
        let smooth: Vec<T> = (0..frames)
            .map(|frame| {
                taps(k).fold(level[frame] * KERNEL[0], |sum, (by, weight)| sum + at(frame, by) * weight)
            })
            .collect();
        bands.push(smooth.iter().zip(&level).map(|(smooth, level)| *level - *smooth).collect());
        level = smooth;
    }
    for (band, gain) in bands.iter().zip(gains).rev() {
        level = level.iter().zip(band).map(|(level, band)| *level + *band * *gain).collect();
    }
    level
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;

    #[test]
    fn gains_of_one_give_the_motion() {
        let walk = clip("alex_turn.bvh");
        let (same, _) = bands(&walk, &"high=1,mid=1,low=1".parse().unwrap()).unwrap();
        for (id, _) in walk.skeleton().iter() {
            for frame in 0..walk.frames() {
                let (a, b) = (walk.local(id, frame), same.local(id, frame));
                assert!(a.rotation.angle_to(&b.rotation) < 1e-7, "{}", a.rotation.angle_to(&b.rotation));
                assert!(
                    (a.rotation.coords - b.rotation.coords)
                        .norm()
                        .min((a.rotation.coords + b.rotation.coords).norm())
                        < 1e-12
                );
                assert!((a.translation.vector - b.translation.vector).norm() < 1e-10);
            }
        }
    }

    #[test]
    fn a_wave_lies_in_the_band_of_its_frequency() {
        let fps = 120.0;
        for level in 1..5 {
            let hertz = middle(level, fps);
            let wave: Vec<f64> =
                (0..960).map(|i| (std::f64::consts::TAU * hertz * f64::from(i) / fps).sin()).collect();
            let size = |values: &[f64]| values[300..660].iter().map(|v| v * v).sum::<f64>();
            let mut gains = vec![1.0; 9];
            gains[level] = 0.0;
            let without = size(&filtered_curve(&wave, &gains)) / size(&wave);
            for other in (0..9).filter(|other| *other != level) {
                let mut gains = vec![1.0; 9];
                gains[other] = 0.0;
                let kept = size(&filtered_curve(&wave, &gains)) / size(&wave);
                assert!(without < kept, "{level} {other}: {without} {kept}");
            }
        }
    }

    #[test]
    fn gains_beyond_what_is_usual_are_reported() {
        let reported = |gains: &str| {
            let (_, report) = bands(&clip("alex_walk.bvh"), &gains.parse().unwrap()).unwrap();
            report.warnings.iter().any(|warning| warning.code == "edit::large-gain")
        };
        assert!(reported("low=1000") && !reported("low=2"));
    }

    #[test]
    fn lines_stay_and_unknown_bands_are_refused() {
        let line: Vec<f64> = (0..100).map(|i| 2.0 + 0.3 * f64::from(i)).collect();
        let gone = filtered_curve(&line, &[0.0; 6]);
        assert!(line.iter().zip(&gone).all(|(a, b)| (a - b).abs() < 1e-9));
        let walk = clip("alex_walk.bvh");
        assert!(matches!(bands(&walk, &"40=0".parse().unwrap()), Err(EditError::Band { .. })));
        for wrong in ["", "high", "high=x", "3..2=1", "x=1", "2..=inf"] {
            assert!(wrong.parse::<Gains>().is_err(), "{wrong}");
        }
    }
}
