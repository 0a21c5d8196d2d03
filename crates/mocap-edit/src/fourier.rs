//! Fourier series of a closed cycle: fewer harmonics, and transfer of style between cycles.
//!
//! A frame travels along the stride at constant speed and turn rate. The motion of the hips relative to this frame and
//! the rotation of each joint relative to its mean are periodic: each is a Fourier series over the phase of the cycle. A
//! characteristic is the series of a styled cycle minus the series of a neutral one; it is added with a gain.
//!
//! Based on: M. Unuma, K. Anjyo, R. Takeuchi, "Fourier Principles for Emotion-based Human Figure Animation", 1995. It
//! uses logarithms of rotations instead of joint angles.

use std::f64::consts::TAU;

use mocap_analysis::{FootContacts, runs};
use mocap_model::{Clip, Isometry3, UnitQuaternion, Vector3, exp, log};
use nalgebra::Translation3;

use crate::blend::{along_ground, check_same, closed, karcher_mean, repeated};
use crate::body::Body;
use crate::cycle::cycle_held;
use crate::one_space::in_space_of;
use crate::root::travel;
use crate::root_motion::RootMotionJoint;
use crate::samples::Samples;
use crate::{EditError, EditReport, LoopOptions, make_loop, numbers};

/// The most harmonics of a series.
const MOST_HARMONICS: usize = 128;
/// Harmonics by which the phases of cycles are matched: a stride and its steps.
const MATCHED: usize = 3;
/// Phases that are tried for the match.
const TRIED: usize = 360;
/// Cycles that travel less than this are in place: stride lengths are not compared \[m\].
const TRAVELS: f64 = 0.05;
/// A characteristic makes a cycle at most this much longer or shorter.
const MOST_CHANGE: f64 = 8.0;
/// Contacts of a foot with less time between them are one stance \[s\].
const ONE_STANCE: f64 = 0.1;
/// Cycles whose lengths differ by more than this factor are hardly the same part of a gait: a warning.
const ALIKE: f64 = 2.0;

/// Options of [`fourier`].
#[derive(Clone, Debug, PartialEq)]
pub struct Fourier {
    /// Harmonics that are kept, at least 1; `None`: all, up to 128.
    pub harmonics: Option<usize>,
    /// The style to add.
    pub characteristic: Option<Characteristic>,
    /// Whether planted feet are locked where a characteristic is added, and contacts corrected that
    /// became worse than those of the sources. Default: true.
    pub lock_feet: bool,
}

impl Default for Fourier {
    fn default() -> Fourier {
        Fourier { harmonics: None, characteristic: None, lock_feet: true }
    }
}

/// The difference between a styled and a neutral motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Characteristic {
    /// Without the style.
    pub neutral: Clip,
    /// With it.
    pub styled: Clip,
    /// The factor of the style: 0.5 is half-way, above 1 exaggerates, below 0 is the opposite. Default: 1.
    pub gain: f64,
}

/// The best cycle of a motion from its Fourier series. Its last frame is the pose of its first, a stride further.
///
/// ```no_run
/// # let walk = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/wave.rs"));
/// # let (tired, brisk) = (walk.clone(), walk.clone());
/// use mocap_edit::{Characteristic, Fourier, fourier};
///
/// let characteristic = Some(Characteristic { neutral: walk, styled: tired, gain: 1.2 });
/// let (tired_and_brisk, report) = fourier(&brisk, &Fourier { characteristic, ..Fourier::default() })?;
/// println!("{} frames: {report}", tired_and_brisk.frames());
/// # Ok::<(), mocap_edit::EditError>(())
/// ```
///
/// # Errors
/// As [`make_loop`](crate::make_loop) where a motion has no cycle, [`EditError::Skeletons`] where skeletons differ,
/// [`EditError::Option`] for a gain that is not finite or no harmonic.
pub fn fourier(clip: &Clip, options: &Fourier) -> Result<(Clip, EditReport), EditError> {
    if options.harmonics == Some(0) {
        let (name, expected) = ("the number of harmonics", "at least 1");
        return Err(EditError::Option { edit: "fourier", name, value: 0.0, expected });
    }
    let mut cycle = closed(clip)?;
    let mut both = None;
    if let Some(Characteristic { neutral, styled, gain }) = &options.characteristic {
        if !gain.is_finite() {
            let (name, expected) = ("the gain", "finite");
            return Err(EditError::Option { edit: "fourier", name, value: *gain, expected });
        }
        let [neutral, styled] = [neutral, styled].map(|other| cycle_at(other, &cycle));
        let [base, neutral, styled] = with_as_many_strides([cycle, neutral?, styled?])?;
        (cycle, both) = (base, Some([neutral, styled]));
    }
    let body = Body::of(&cycle);
    let most = options.harmonics.unwrap_or(MOST_HARMONICS);
    let mut series = Series::of(&cycle, &body, most, None);
    let kept = series.hips.turns.waves.len();
    let fps = clip.rate().fps();
    if let (Some([neutral, styled]), Some(Characteristic { gain, .. })) = (&both, &options.characteristic) {
        let neutral = Series::of(neutral, &body, most, None).matched(&series);
        let styled = Series::of(styled, &body, most, Some(&neutral)).matched(&neutral);
        series = series.plus(&neutral, &styled, *gain, &body);
    }
    let frames = (series.seconds * fps).round().max(4.0) as usize;
    let mut made = series.samples(&cycle, &body, frames).into_clip("fourier")?;
    if options.characteristic.is_some() && options.lock_feet && body.locks_feet() {
        let contacts = contacts_of(&cycle, &body, frames)?;
        made = crate::cycle::lock_feet(&made, &body, &series.stride(), contacts.as_deref())?;
    }
    let stated = options.characteristic.as_ref();
    let sources: Vec<&Clip> =
        std::iter::once(&cycle).chain(stated.into_iter().flat_map(|it| [&it.neutral, &it.styled])).collect();
    let (made, held) = match options.lock_feet {
        true => cycle_held(&sources, made, &body, &series.stride(), "fourier")?,
        false => (made, None),
    };
    let mut report = EditReport::measured("fourier", &cycle, &made)
        .feet_held(held)
        .figure("harmonics", kept as f64, "")
        .figure("speed", crate::blend::ground_speed(&made, &body), "m/s");
    report.frames_before = clip.frames();
    if cycle.frames() != clip.frames() {
        report = report.note(format!("its best cycle of {} frames", cycle.frames()));
    }
    if let Some(Characteristic { neutral, styled, .. }) = &options.characteristic {
        report.warn_of_limits(&[&cycle, neutral, styled], &made);
    }
    if let Some(message) = both.as_ref().and_then(|[neutral, styled]| unlike(&cycle, neutral, styled)) {
        report.warn("edit::cycle-lengths", message);
    }
    report.warn_of_skate();
    Ok((made, report))
}

/// The best cycle of a motion with the skeleton of `like`, in its unit and axes, at its rate.
fn cycle_at(clip: &Clip, like: &Clip) -> Result<Clip, EditError> {
    let clip = in_space_of(like, clip, "fourier")?;
    check_same(like, &clip)?;
    match clip.rate() == like.rate() {
        true => closed(&clip),
        false => closed(&crate::resample(&clip, like.rate())?),
    }
}

/// Makes cycles comparable harmonic by harmonic: if they have different numbers of strides, each is cut to one stride.
fn with_as_many_strides(cycles: [Clip; 3]) -> Result<[Clip; 3], EditError> {
    let [Some(a), Some(b), Some(c)] = cycles.each_ref().map(strides_of) else { return Ok(cycles) };
    if b == a && c == a {
        return Ok(cycles);
    }
    let mut cut = cycles;
    for (cycle, count) in cut.iter_mut().zip([a, b, c]).filter(|(_, count)| *count > 1) {
        let frames = (cycle.frames() - 1).div_ceil(count);
        let range = Some(format!("0:{frames}").parse().expect("a range"));
        *cycle = make_loop(cycle, &LoopOptions { range, ..LoopOptions::default() })?.0;
    }
    Ok(cut)
}

/// The number of strides of a cycle: the stances of the foot with fewer of them, counted across repetitions; `None`
/// without feet.
fn strides_of(cycle: &Clip) -> Option<usize> {
    let length = cycle.frames() - 1;
    let row = repeated(cycle, 3).ok()?;
    let gap = ONE_STANCE * cycle.rate().fps();
    let stances = |toe: &[bool]| {
        let runs = runs(toe);
        let begins = runs.windows(2).filter(|pair| {
            (length..2 * length).contains(&pair[1].start) && (pair[1].start - pair[0].end) as f64 > gap
        });
        begins.count()
    };
    let contacts = Body::of(&row).contacts(&row)?;
    contacts.iter().map(|(_, own)| stances(&own.toe)).min().filter(|count| *count > 0)
}

/// The contacts of three repetitions of a cycle, resampled to `frames` frames each.
fn contacts_of(cycle: &Clip, body: &Body, frames: usize) -> Result<Option<Vec<FootContacts>>, EditError> {
    let length = cycle.frames() - 1;
    let Some(found) = body.contacts(&repeated(cycle, 3)?) else { return Ok(None) };
    let at = |frame: usize| {
        length + ((frame % frames) as f64 * length as f64 / frames as f64).round() as usize % length
    };
    let timed = |on: &[bool]| (0..3 * frames).map(|frame| on[at(frame)]).collect();
    let contacts = found.iter().map(|(_, own)| FootContacts { toe: timed(&own.toe), heel: timed(&own.heel) });
    Ok(Some(contacts.collect()))
}

/// The warning if a neutral and a styled cycle are not the same part of a gait.
fn unlike(cycle: &Clip, neutral: &Clip, styled: &Clip) -> Option<String> {
    let lengths = [cycle, neutral, styled].map(|clip| clip.frames() - 1);
    let [longest, shortest] = [lengths.iter().max()?, lengths.iter().min()?].map(|length| *length as f64);
    let [own, neutral, styled] = lengths;
    (longest > ALIKE * shortest).then(|| {
        format!(
            "the best cycles differ in length: {own} frames of the motion, {neutral} of the neutral and {styled} of the \
             styled one; they may not be the same part of a gait: cut each motion to one cycle before"
        )
    })
}

/// A periodic curve: its mean, then the cosine and sine coefficients of the harmonics.
#[derive(Clone, Debug, Default)]
struct Curve {
    mean: Vector3<f64>,
    waves: Vec<[Vector3<f64>; 2]>,
}

impl Curve {
    fn of(values: &[Vector3<f64>], most: usize) -> Curve {
        let count = values.len();
        let wave = |k: usize| {
            let mut sums = [Vector3::zeros(); 2];
            for (i, value) in values.iter().enumerate() {
                let (sin, cos) = (TAU * ((k * i) % count) as f64 / count as f64).sin_cos();
                sums[0] += value * cos;
                sums[1] += value * sin;
            }
            // The highest harmonic of an even number of frames has no sine term.
            let scale = if 2 * k == count { 1.0 } else { 2.0 } / count as f64;
            sums.map(|sum| sum * scale)
        };
        let mean = values.iter().sum::<Vector3<f64>>() / count as f64;
        Curve { mean, waves: (1..=most.min(count / 2)).map(wave).collect() }
    }

    fn at(&self, phase: f64) -> Vector3<f64> {
        let waves = self.waves.iter().enumerate();
        waves.fold(self.mean, |sum, (k, [cosine, sine])| {
            let (sin, cos) = (TAU * ((k + 1) as f64 * phase).fract()).sin_cos();
            sum + cosine * cos + sine * sin
        })
    }

    /// The curve shifted to start at another phase.
    fn shifted(&self, by: f64) -> Curve {
        let shift = |(k, [cosine, sine]): (usize, &[Vector3<f64>; 2])| {
            let (sin, cos) = (TAU * (k + 1) as f64 * by).sin_cos();
            [cosine * cos + sine * sin, sine * cos - cosine * sin]
        };
        Curve { mean: self.mean, waves: self.waves.iter().enumerate().map(shift).collect() }
    }

    /// This curve plus `gain` times the difference between `styled` and `neutral`.
    fn plus(&self, neutral: &Curve, styled: &Curve, gain: f64) -> Curve {
        let count = self.waves.len().max(neutral.waves.len()).max(styled.waves.len());
        let wave = |curve: &Curve, k: usize, part: usize| {
            curve.waves.get(k).map_or_else(Vector3::zeros, |wave| wave[part])
        };
        let sum = |k: usize, part: usize| {
            wave(self, k, part) + (wave(styled, k, part) - wave(neutral, k, part)) * gain
        };
        Curve {
            mean: self.mean + (styled.mean - neutral.mean) * gain,
            waves: (0..count).map(|k| [sum(k, 0), sum(k, 1)]).collect(),
        }
    }
}

/// The rotations of a joint: rotation vectors relative to a mean rotation.
#[derive(Clone, Debug)]
struct Turns {
    middle: UnitQuaternion<f64>,
    turns: Curve,
}

impl Turns {
    fn of(rotations: &[UnitQuaternion<f64>], middle: Option<UnitQuaternion<f64>>, most: usize) -> Turns {
        let weights = vec![1.0 / rotations.len() as f64; rotations.len()];
        let middle = middle.unwrap_or_else(|| karcher_mean(rotations, &weights));
        let turns: Vec<Vector3<f64>> = rotations.iter().map(|q| log(&(middle.inverse() * q))).collect();
        Turns { middle, turns: Curve::of(&turns, most) }
    }

    fn at(&self, phase: f64) -> UnitQuaternion<f64> {
        self.middle * exp(&self.turns.at(phase))
    }
}

/// The series of a cycle.
struct Series {
    /// The skeleton, for comparisons.
    origin: Clip,
    seconds: f64,
    /// By joint; those of the hips are in the travelling frame.
    joints: Vec<Turns>,
    /// By joint: translations, where they are tracked; not of the hips.
    moves: Vec<Option<Curve>>,
    hips: Turns,
    place: Curve,
    /// The travelling frame at phase 0.
    start: Isometry3<f64>,
    /// The translation over a cycle in this frame, along the ground, and the rotation about the up axis \[rad\].
    way: Vector3<f64>,
    turn: f64,
    up: Vector3<f64>,
}

impl Series {
    /// Rotations are relative to the means of `like`, if given.
    fn of(cycle: &Clip, body: &Body, most: usize, like: Option<&Series>) -> Series {
        let length = cycle.frames() - 1;
        let (all, root_motion) = (Samples::of(cycle), RootMotionJoint::hips(cycle, body));
        let most = most.min(MOST_HARMONICS);
        let places: Vec<Isometry3<f64>> = (0..=length).map(|frame| root_motion.at(&all, frame)).collect();
        let stride = along_ground(body, &(places[length] * places[0].inverse()));
        let turn = log(&stride.rotation).dot(&body.up);
        // The stride relative to a frame at the origin that faces forward, in which fractional powers of it are
        // computed.
        let powers = Powers { way: stride.translation.vector, turn, up: body.up };
        let headings = travel(cycle, body).headings;
        let phase = |frame: usize| frame as f64 / length as f64;
        let mean = |value: &dyn Fn(usize) -> f64| (0..length).map(value).sum::<f64>() / length as f64;
        let heading = mean(&|frame| headings[frame] - turn * phase(frame));
        let middle: Vector3<f64> = (0..length)
            .map(|frame| {
                let back = powers.at(phase(frame)).inverse();
                body.on_ground(&(back * nalgebra::Point3::from(places[frame].translation.vector)).coords)
            })
            .sum::<Vector3<f64>>()
            / length as f64;
        let start = Isometry3::from_parts(Translation3::from(middle), body.turn(heading));
        let local = |frame: usize| (powers.at(phase(frame)) * start).inverse() * places[frame];
        let hips: Vec<Isometry3<f64>> = (0..length).map(local).collect();
        let rotations: Vec<UnitQuaternion<f64>> = hips.iter().map(|place| place.rotation).collect();
        let positions: Vec<Vector3<f64>> = hips.iter().map(|place| place.translation.vector).collect();
        let joints = all.rotations.iter().enumerate().map(|(joint, values)| {
            Turns::of(&values[..length], like.map(|like| like.joints[joint].middle), most)
        });
        let way = start.inverse() * (stride * start);
        Series {
            origin: cycle.clone(),
            seconds: length as f64 / cycle.rate().fps(),
            joints: joints.collect(),
            moves: all
                .translations
                .iter()
                .map(|values| values.as_ref().map(|values| Curve::of(&values[..length], most)))
                .collect(),
            hips: Turns::of(&rotations, like.map(|like| like.hips.middle), most),
            place: Curve::of(&positions, most),
            start,
            way: way.translation.vector,
            turn,
            up: body.up,
        }
    }

    fn powers(&self) -> Powers {
        Powers { way: self.way, turn: self.turn, up: self.up }
    }

    /// From one repetition to the next.
    fn stride(&self) -> Isometry3<f64> {
        self.start * self.powers().at(1.0) * self.start.inverse()
    }

    /// The same cycle, started at the phase at which it is most similar to another.
    fn matched(mut self, other: &Series) -> Series {
        let curves = |series: &Series| -> Vec<Curve> {
            series.joints.iter().map(|joint| joint.turns.clone()).chain([series.place.clone()]).collect()
        };
        let (own, wanted) = (curves(&self), curves(other));
        let alike = |by: f64| -> f64 {
            let pairs = own.iter().zip(&wanted);
            pairs
                .map(|(own, wanted)| {
                    let short =
                        Curve { mean: own.mean, waves: own.waves.iter().take(MATCHED).copied().collect() };
                    let waves = short.shifted(by).waves;
                    waves
                        .iter()
                        .zip(&wanted.waves)
                        .map(|(a, b)| a[0].dot(&b[0]) + a[1].dot(&b[1]))
                        .sum::<f64>()
                })
                .sum()
        };
        let grid = |i: usize| i as f64 / TRIED as f64;
        let best = (0..TRIED).max_by(|a, b| alike(grid(*a)).total_cmp(&alike(grid(*b))).then(b.cmp(a)));
        let best = best.expect("phases are tried");
        let step = 1.0 / TRIED as f64;
        let [before, here, after] = [-1.0, 0.0, 1.0].map(|side| alike(grid(best) + side * step));
        let bend = before - 2.0 * here + after;
        let fine = if bend < 0.0 { (0.5 * (before - after) / bend).clamp(-0.5, 0.5) } else { 0.0 };
        let by = grid(best) + fine * step;
        for turns in self.joints.iter_mut().chain([&mut self.hips]) {
            turns.turns = turns.turns.shifted(by);
        }
        for curve in self.moves.iter_mut().flatten().chain([&mut self.place]) {
            *curve = curve.shifted(by);
        }
        self
    }

    /// This cycle plus `gain` times the difference between `styled` and `neutral`.
    fn plus(&self, neutral: &Series, styled: &Series, gain: f64, body: &Body) -> Series {
        let turns = |own: &Turns, neutral: &Turns, styled: &Turns| Turns {
            middle: own.middle,
            turns: own.turns.plus(&neutral.turns, &styled.turns, gain),
        };
        let joints = self.joints.iter().zip(neutral.joints.iter().zip(&styled.joints));
        let offsets = self.origin.skeleton().joints();
        let still = |joint: usize| Curve { mean: offsets[joint].offset, waves: Vec::new() };
        let moves = (0..self.moves.len()).map(|joint| {
            let all = [self, neutral, styled].map(|series| series.moves[joint].clone());
            all.iter().any(Option::is_some).then(|| {
                let [own, neutral, styled] = all.map(|curve| curve.unwrap_or_else(|| still(joint)));
                own.plus(&neutral, &styled, gain)
            })
        });
        let ratio = |of: &dyn Fn(&Series) -> f64| {
            (of(styled) / of(neutral)).powf(gain).clamp(1.0 / MOST_CHANGE, MOST_CHANGE)
        };
        let travels = |series: &Series| series.way.norm() * body.metres_or_one() > TRAVELS;
        let way = match travels(neutral) && travels(styled) {
            true => self.way * ratio(&|series| series.way.norm()),
            false => self.way + (styled.way - neutral.way) * gain,
        };
        Series {
            origin: self.origin.clone(),
            seconds: self.seconds * ratio(&|series| series.seconds),
            joints: joints.map(|(own, (neutral, styled))| turns(own, neutral, styled)).collect(),
            moves: moves.collect(),
            hips: turns(&self.hips, &neutral.hips, &styled.hips),
            place: self.place.plus(&neutral.place, &styled.place, gain),
            start: self.start,
            way,
            turn: self.turn + (styled.turn - neutral.turn) * gain,
            up: self.up,
        }
    }

    /// The cycle in this many frames, plus the first pose again.
    fn samples(&self, like: &Clip, body: &Body, frames: usize) -> Samples {
        let root_motion = RootMotionJoint::hips(like, body);
        let mut samples = Samples::of(like);
        samples.scales.iter_mut().flatten().for_each(|values| *values = vec![values[0]; frames + 1]);
        let phases: Vec<f64> = (0..=frames).map(|frame| (frame % frames) as f64 / frames as f64).collect();
        for joint in 0..self.joints.len() {
            let still = self.joints[joint].turns.waves.iter().flatten().all(|wave| wave.norm() == 0.0);
            samples.rotations[joint] = match still {
                true => vec![self.joints[joint].at(0.0); frames + 1],
                false => phases.iter().map(|phase| self.joints[joint].at(*phase)).collect(),
            };
            samples.translations[joint] =
                self.moves[joint].as_ref().map(|curve| phases.iter().map(|phase| curve.at(*phase)).collect());
        }
        // Numbers over time and events keep their place in the cycle.
        let last = like.frames() - 1;
        let places: Vec<f64> = (0..=frames).map(|frame| frame as f64 / frames as f64 * last as f64).collect();
        let scalars = numbers::at_places(&samples.annotations.scalars, &places);
        let shorter = frames as f64 / last as f64;
        samples.annotations.events.iter_mut().for_each(|event| event.time *= shorter);
        samples.set_frames(frames + 1);
        samples.annotations.scalars = scalars;
        let powers = self.powers();
        for frame in 0..=frames {
            let (own, travelled) = (phases[frame], frame as f64 / frames as f64);
            let place = Isometry3::from_parts(Translation3::from(self.place.at(own)), self.hips.at(own));
            root_motion.put(&mut samples, frame, &(self.start * powers.at(travelled) * place));
        }
        samples
    }
}

/// Fractional powers of a stride: motion along an arc at constant turn rate.
struct Powers {
    way: Vector3<f64>,
    turn: f64,
    up: Vector3<f64>,
}

impl Powers {
    fn at(&self, share: f64) -> Isometry3<f64> {
        let about = |angle: f64| UnitQuaternion::new(self.up * angle);
        let half = self.turn / 2.0;
        let part = if half.sin().abs() < 1e-9 { share } else { (half * share).sin() / half.sin() };
        let way = about(half * (share - 1.0)) * self.way * part;
        Isometry3::from_parts(Translation3::from(way), about(self.turn * share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::clip;
    use mocap_model::JointId;

    fn farthest(a: &Clip, b: &Clip) -> f64 {
        let mut most = 0.0f64;
        for joint in 0..a.skeleton().len() {
            for frame in 0..a.frames() {
                let id = JointId::from(joint);
                let (a, b) = (a.local(id, frame), b.local(id, frame));
                most = most.max(
                    a.rotation.angle_to(&b.rotation) + (a.translation.vector - b.translation.vector).norm(),
                );
            }
        }
        most
    }

    #[test]
    fn all_harmonics_are_the_cycle_and_fewer_are_near_it() {
        let walk = clip("alex_walk.bvh");
        let cycle = closed(&walk).unwrap();
        let with = |harmonics| fourier(&walk, &Fourier { harmonics, ..Fourier::default() }).unwrap();
        let (whole, _) = with(None);
        assert_eq!(whole.frames(), cycle.frames());
        assert!(farthest(&whole, &cycle) < 1e-5, "{}", farthest(&whole, &cycle));
        let rms: Vec<f64> = [1, 3, 6, 12].map(|count| with(Some(count)).1.rms_m.unwrap()).into();
        assert!(rms.windows(2).all(|pair| pair[1] < pair[0]), "{rms:?}");
        assert!(matches!(
            fourier(&walk, &Fourier { harmonics: Some(0), ..Fourier::default() }),
            Err(EditError::Option { .. })
        ));
    }

    #[test]
    fn the_whole_characteristic_of_a_cycle_makes_it_that_cycle() {
        let walk = clip("alex_walk.bvh");
        let (slow, _) = crate::speed(&walk, 0.8).unwrap();
        let characteristic =
            |gain| Some(Characteristic { neutral: walk.clone(), styled: slow.clone(), gain });
        let with = |gain| {
            let options =
                Fourier { characteristic: characteristic(gain), lock_feet: false, ..Fourier::default() };
            fourier(&walk, &options).unwrap()
        };
        let seconds = |clip: &Clip| (clip.frames() - 1) as f64 / clip.rate().fps();
        let (none, _) = with(0.0);
        let cycle = closed(&walk).unwrap();
        assert!(farthest(&none, &cycle) < 1e-5);
        let (half, _) = with(0.5);
        let (all, report) = with(1.0);
        assert!(seconds(&none) < seconds(&half) && seconds(&half) < seconds(&all), "{report}");
        let slowed = closed(&slow).unwrap();
        assert!((seconds(&all) - seconds(&slowed)).abs() < 0.02);
        let speed = |clip: &Clip| crate::speed_and_turn(clip).unwrap()[0];
        assert!((speed(&all) / speed(&slowed) - 1.0).abs() < 0.02, "{} {}", speed(&all), speed(&slowed));
    }

    #[test]
    fn feet_planted_in_the_cycle_stay_planted_in_the_style() {
        let (walk, turn) = (clip("alex_walk.bvh"), clip("alex_turn.bvh"));
        let with = |lock_feet| {
            let characteristic =
                Some(Characteristic { neutral: walk.clone(), styled: turn.clone(), gain: 0.5 });
            fourier(&walk, &Fourier { characteristic, lock_feet, ..Fourier::default() }).unwrap().1
        };
        let planted = |report: &EditReport| {
            report.contacts.map(|contacts| contacts.left_frames.min(contacts.right_frames)).unwrap()
        };
        let (free, locked) = (with(false), with(true));
        assert!(planted(&locked) > 30 && planted(&free) < planted(&locked), "{free}\n{locked}");
        assert!(locked.contacts.unwrap().skate.unwrap() < 0.02, "{locked}");
    }

    #[test]
    fn cycles_of_other_lengths_are_reported() {
        let walk = clip("alex_walk.bvh");
        let (slow, _) = crate::speed(&walk, 0.4).unwrap();
        let of = |styled: &Clip| {
            let characteristic =
                Some(Characteristic { neutral: walk.clone(), styled: styled.clone(), gain: 0.5 });
            fourier(&walk, &Fourier { characteristic, lock_feet: false, ..Fourier::default() }).unwrap().1
        };
        let reported =
            |report: EditReport| report.warnings.iter().any(|warning| warning.code == "edit::cycle-lengths");
        assert!(reported(of(&slow)) && !reported(of(&walk)));
    }

    #[test]
    fn powers_of_a_stride_follow_an_arc() {
        let powers = Powers { way: Vector3::new(0.3, 0.0, 1.0), turn: 0.9, up: Vector3::y() };
        let (third, whole) = (powers.at(1.0 / 3.0), powers.at(1.0));
        let thrice = third * third * third;
        assert!((thrice.translation.vector - whole.translation.vector).norm() < 1e-12);
        assert!(thrice.rotation.angle_to(&whole.rotation) < 1e-7);
        assert!((whole.translation.vector - powers.way).norm() < 1e-12);
    }
}
