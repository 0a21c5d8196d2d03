//! Which frames the rows of a TRC file are: by their numbers, their times and the rate.
//!
//! Programs disagree: OpenSim takes the column Time, others `DataRate` and count rows. Where all agree, rows that are
//! missing are gaps. Where `DataRate` contradicts the times, the times count: each row states its own, and a header is
//! what tools forget to change.

use mocap_model::FrameRate;

use super::Problem;
use crate::Finding;

/// The greatest number of a frame: what a number with 64 bits states exactly.
pub(super) const MOST: u64 = 1 << 53;

/// What a row states about its moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    /// The number of the frame, if it is one.
    pub(super) number: Option<u64>,
    /// In seconds.
    pub(super) time: Option<f64>,
}

/// The frames of the rows.
#[derive(Debug)]
pub(super) struct Timeline {
    /// By row: its frame. They increase.
    pub(super) frames: Vec<u64>,
    /// The rate; `None` if the file states none.
    pub(super) rate: Option<FrameRate>,
    pub(super) warnings: Vec<Finding>,
}

/// The frames of rows, of which `stated` is the rate in the header. Times are multiples of `unit`, their last digit.
pub(super) fn timeline(rows: &[Moment], stated: Option<FrameRate>, unit: f64) -> Timeline {
    let mut warnings = Vec::new();
    let one_by_one: Vec<u64> = (0..rows.len() as u64).collect();
    let numbered = numbered(rows);
    let has_numbers = numbered.is_some();
    if numbered.is_none() {
        warnings.push(Finding::new(Problem::FrameNumbers));
    }
    let numbered = numbered.unwrap_or_else(|| one_by_one.clone());
    let times = times(rows);
    if times.is_none() && rows.iter().any(|row| row.time.is_some()) {
        warnings.push(Finding::new(Problem::Times));
    }
    let Some(times) = times.filter(|times| times.last() > times.first()) else {
        return finished(numbered, stated, warnings);
    };
    let stepped = divided(&numbered);
    let candidates = [&numbered, &stepped, &one_by_one];
    let fits = |frames: &[u64], rate: FrameRate, slack: f64| {
        let off = |(frame, time): (&u64, &f64)| (time - times[0] - *frame as f64 * rate.frame_time()).abs();
        frames.iter().zip(&times).map(off).all(|off| off < slack)
    };
    let of_times = |frames: &[u64]| {
        let pairs: Vec<(u64, f64)> = frames.iter().copied().zip(times.iter().copied()).collect();
        let mean = frames[frames.len() - 1] as f64 / (times[times.len() - 1] - times[0]);
        [FrameRate::of_times(&pairs, unit), FrameRate::new(mean)].into_iter().flatten()
    };
    // By the header, else by the times themselves.
    let rates = || {
        let of_header = candidates.into_iter().filter_map(|frames| Some((frames, stated?)));
        of_header
            .chain(candidates.into_iter().flat_map(|frames| of_times(frames).map(move |rate| (frames, rate))))
    };
    // First up to what rounding loses in both times of a difference, then up to half a frame.
    let exact = rates().find(|(frames, rate)| fits(frames, *rate, 1.001 * unit));
    let near = || rates().find(|(frames, rate)| fits(frames, *rate, 0.5 * rate.frame_time() + unit));
    let found = exact.or_else(near).map(|(frames, rate)| (frames.clone(), rate));
    // Rows may be missing although numbers count on.
    let rounded = || stated.and_then(|rate| Some((rounded(&times, rate)?, rate)));
    let Some((frames, rate)) = found.or_else(rounded) else {
        warnings.push(Finding::new(Problem::Times));
        let rate = stated.or_else(|| of_times(&numbered).next());
        return finished(numbered, rate, warnings);
    };
    if has_numbers && frames != numbered && frames != stepped {
        warnings.push(Finding::new(Problem::FrameNumbers));
    }
    if let Some(stated) = stated.filter(|stated| *stated != rate) {
        let [stated, found] = [stated, rate].map(FrameRate::fps);
        warnings.push(Finding::new(Problem::Rate { stated, found }));
    }
    finished(frames, Some(rate), warnings)
}

/// Warns of frames without a row.
fn finished(frames: Vec<u64>, rate: Option<FrameRate>, mut warnings: Vec<Finding>) -> Timeline {
    let count = frames.last().map_or(0, |last| last + 1 - frames.len() as u64);
    if count > 0 {
        warnings.push(Finding::new(Problem::MissingRows { count }));
    }
    Timeline { frames, rate, warnings }
}

/// The numbers of the rows, from 0; `None` where they do not increase.
fn numbered(rows: &[Moment]) -> Option<Vec<u64>> {
    let numbers: Vec<u64> = rows.iter().map(|row| row.number).collect::<Option<_>>()?;
    let increase = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    increase.then(|| numbers.iter().map(|number| number - numbers[0]).collect())
}

/// The times of the rows; `None` where one is missing or they decrease.
fn times(rows: &[Moment]) -> Option<Vec<f64>> {
    let times: Vec<f64> =
        rows.iter().map(|row| row.time.filter(|time| time.is_finite())).collect::<Option<_>>()?;
    times.windows(2).all(|pair| pair[0] <= pair[1]).then_some(times)
}

/// Numbers divided by their common step: every second frame of a camera is numbered 0, 2, 4 ….
fn divided(numbers: &[u64]) -> Vec<u64> {
    fn common(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { common(b, a % b) }
    }
    let step = numbers.iter().fold(0, |step, number| common(*number, step)).max(1);
    numbers.iter().map(|number| number / step).collect()
}

/// The frames nearest to the times; `None` where two rows are one frame.
fn rounded(times: &[f64], rate: FrameRate) -> Option<Vec<u64>> {
    let frames: Vec<u64> = times.iter().map(|time| ((time - times[0]) * rate.fps()).round() as u64).collect();
    let increase = frames.windows(2).all(|pair| pair[0] < pair[1]);
    (increase && frames.last().is_some_and(|last| *last <= MOST)).then_some(frames)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The frames, the rate and the codes of the warnings.
    fn found(numbers: &[u64], times: &[f64], stated: Option<f64>) -> (Vec<u64>, f64, Vec<&'static str>) {
        let moment = |(number, time): (&u64, &f64)| Moment { number: Some(*number), time: Some(*time) };
        let rows: Vec<Moment> = numbers.iter().zip(times).map(moment).collect();
        let found = timeline(&rows, stated.and_then(FrameRate::new), 1e-3);
        let codes = found.warnings.iter().map(Finding::code).collect();
        (found.frames, found.rate.map_or(0.0, FrameRate::fps), codes)
    }

    /// Times of frames, written with three digits.
    fn written(frames: &[u64], fps: f64) -> Vec<f64> {
        frames.iter().map(|frame| (*frame as f64 / fps * 1000.0).round() / 1000.0 + 2.5).collect()
    }

    #[test]
    fn rows_that_count_on_are_frames() {
        let numbers: Vec<u64> = (7..300).collect();
        let frames: Vec<u64> = (0..293).collect();
        for fps in [24.0, 30000.0 / 1001.0, 30.0, 60.0, 120.0, 250.0] {
            let times = written(&frames, fps);
            for stated in [Some(fps), None] {
                let (found, rate, codes) = found(&numbers, &times, stated);
                assert_eq!((found, codes), (frames.clone(), vec![]), "{fps} {stated:?}");
                // Without DataRate, the rate is as exact as the times.
                let slack = if stated.is_some() { 1e-9 } else { fps * fps * 1e-3 / 292.0 };
                assert!((rate - fps).abs() < slack, "{fps} {stated:?}: {rate}");
            }
        }
    }

    #[test]
    fn missing_rows_are_gaps_whether_numbers_or_times_show_it() {
        let frames = [0, 1, 2, 49, 50, 51];
        let times = written(&frames, 100.0);
        for (numbers, expected) in [
            ([1, 2, 3, 50, 51, 52], vec!["trc::missing-rows"]),
            ([1, 2, 3, 4, 5, 6], vec!["trc::frame-numbers", "trc::missing-rows"]),
            // The numbers of a camera of twice the rate.
            ([10, 12, 14, 108, 110, 112], vec!["trc::missing-rows"]),
        ] {
            let (found, rate, codes) = found(&numbers, &times, Some(100.0));
            assert_eq!((found, rate, codes), (frames.to_vec(), 100.0, expected), "{numbers:?}");
        }
        // Without times, the numbers count.
        let rows: Vec<Moment> =
            frames.iter().map(|frame| Moment { number: Some(frame + 1), time: None }).collect();
        let found = timeline(&rows, FrameRate::new(100.0), 1.0);
        assert_eq!(found.frames, frames);
    }

    #[test]
    fn times_that_contradict_the_rate_count() {
        let frames: Vec<u64> = (0..200).collect();
        for fps in [30000.0 / 1001.0, 29.0, 50.0, 120.0] {
            let (found, rate, codes) = found(&frames, &written(&frames, fps), Some(30.0));
            assert_eq!((found, codes), (frames.clone(), vec!["trc::rate"]), "{fps}");
            assert!((rate - fps).abs() < fps * fps * 1e-3 / 199.0, "{fps}: {rate}");
        }
    }

    #[test]
    fn numbers_or_times_without_order_are_said() {
        let times = written(&[0, 1, 2, 3], 100.0);
        assert_eq!(
            found(&[1, 2, 1, 2], &times, Some(100.0)),
            (vec![0, 1, 2, 3], 100.0, vec!["trc::frame-numbers"])
        );
        let decreasing = [0.0, 0.01, 0.0, 0.01];
        assert_eq!(
            found(&[1, 2, 3, 4], &decreasing, Some(100.0)),
            (vec![0, 1, 2, 3], 100.0, vec!["trc::times"])
        );
        let without_rate = [0.0, 0.01, 0.5, 0.51];
        let (frames, rate, codes) = found(&[1, 2, 3, 4], &without_rate, Some(2.0));
        assert_eq!((frames, rate, codes), (vec![0, 1, 2, 3], 2.0, vec!["trc::times"]));
    }
}
