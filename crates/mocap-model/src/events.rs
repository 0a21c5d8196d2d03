//! Moments with a name, and how a cut of the motion changes them.

use crate::{FrameRate, ModelError};
use std::collections::HashMap;
use std::ops::Range;

/// A moment with a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// From the first frame of the clip \[s\].
    pub time: f64,
    /// What happens.
    pub name: String,
}

/// Times that differ by less are of the same frame \[frames\].
const ROUNDING: f64 = 1e-6;

impl Event {
    /// The name of an event that ends a range is that of the event at its start, and this.
    pub const END: &str = " end";
    /// The name of an event that states the time code of its moment starts with this.
    pub const TIMECODE: &str = "timecode ";

    /// Checks that the times are finite.
    pub(crate) fn check(events: &[Event]) -> Result<(), ModelError> {
        match events.iter().find(|event| !event.time.is_finite()) {
            Some(event) => Err(ModelError::EventNotFinite { name: event.name.clone() }),
            None => Ok(()),
        }
    }

    /// The events of some frames, in their order, with times from the first of these. A range from an event to the one
    /// that ends it is cut to these frames: it starts on the first and ends on the last of them. Time codes stay,
    /// also outside, since they tell the time of every frame.
    ///
    /// ```
    /// use mocap_model::{Event, FrameRate};
    ///
    /// let event = |time: f64, name: &str| Event { time, name: name.into() };
    /// let events = [event(0.5, "walk"), event(0.9, "clap"), event(3.0, "walk end")];
    /// let cut = Event::cut(&events, &(30..60), FrameRate::new(30.0).unwrap());
    /// assert_eq!(cut, [event(0.0, "walk"), event(29.0 / 30.0, "walk end")]);
    /// ```
    pub fn cut(events: &[Event], frames: &Range<usize>, rate: FrameRate) -> Vec<Event> {
        let fps = rate.fps();
        let (start, end) = (frames.start as f64, frames.end as f64);
        let span = [start, (end - 1.0).max(start), end];
        let from_start = |time: f64| time - start * rate.frame_time();
        let kept = |(event, range): (&Event, Option<[f64; 2]>)| {
            let time = match event.name.starts_with(Event::TIMECODE) {
                true => from_start(event.time),
                false => match cut_to(event, range, span, fps)? {
                    Some(place) => (place - start) / fps,
                    None => from_start(event.time).max(0.0),
                },
            };
            Some(Event { time, name: event.name.clone() })
        };
        events.iter().zip(ranges(events)).filter_map(kept).collect()
    }

    /// The events from one place of the motion to another \[frames\], in their order, with times of the motion: from the
    /// first to the last place, and until before the third one, where the last frame ends. A range is cut to the first
    /// two.
    ///
    /// ```
    /// use mocap_model::Event;
    ///
    /// let event = |time: f64, name: &str| Event { time, name: name.into() };
    /// let events = [event(0.5, "walk"), event(0.9, "clap"), event(3.0, "walk end")];
    /// let kept = Event::between(&events, [1.5, 2.5, 2.6], 1.0);
    /// assert_eq!(kept, [event(1.5, "walk"), event(2.5, "walk end")]);
    /// ```
    pub fn between(events: &[Event], span: [f64; 3], fps: f64) -> Vec<Event> {
        let kept = |(event, range): (&Event, Option<[f64; 2]>)| {
            let place = cut_to(event, range, span, fps)?;
            Some(Event { time: place.map_or(event.time, |place| place / fps), name: event.name.clone() })
        };
        events.iter().zip(ranges(events)).filter_map(kept).collect()
    }
}

/// `None` for an event before the first place of a span, or at its end; else the place \[frames\] to which it is cut, if it
/// starts or ends a range that reaches beyond.
fn cut_to(
    event: &Event,
    range: Option<[f64; 2]>,
    [start, last, end]: [f64; 3],
    fps: f64,
) -> Option<Option<f64>> {
    let at = event.time * fps;
    match range.map(|range| range.map(|time| time * fps)) {
        Some([from, to]) => {
            let is_left =
                start < end && from < end - ROUNDING && (to > start + ROUNDING || from > start - ROUNDING);
            is_left.then(|| (at < start || at > last).then(|| at.clamp(start, last)))
        }
        None => (start - ROUNDING..end - ROUNDING).contains(&at).then_some(None),
    }
}

/// By event: the range \[s\] that it starts or ends.
fn ranges(events: &[Event]) -> Vec<Option<[f64; 2]>> {
    let mut order: Vec<usize> = (0..events.len()).collect();
    order.sort_by(|a, b| events[*a].time.total_cmp(&events[*b].time).then(a.cmp(b)));
    let mut ranges = vec![None; events.len()];
    // By name: the events that may start a range, the latest last.
    let mut open: HashMap<&str, Vec<usize>> = HashMap::new();
    for at in order {
        let name = events[at].name.as_str();
        let started = name.strip_suffix(Event::END).and_then(|name| open.get_mut(name)?.pop());
        match started {
            Some(first) => {
                let range = Some([events[first].time, events[at].time]);
                (ranges[first], ranges[at]) = (range, range);
            }
            None => open.entry(name).or_default().push(at),
        }
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(time: f64, name: &str) -> Event {
        Event { time, name: name.into() }
    }

    #[test]
    fn an_event_on_the_first_frame_stays_and_one_after_the_last_goes_at_any_rate() {
        for fps in [23.976, 24.0, 25.0, 29.97, 30.0, 50.0, 59.94, 60.0, 100.0, 119.88, 120.0] {
            let rate = FrameRate::new(fps).unwrap();
            for start in 0..2000 {
                let events = [event(start as f64 / fps, "a"), event((start + 10) as f64 / fps, "b")];
                let cut = Event::cut(&events, &(start..start + 10), rate);
                assert!(
                    matches!(&cut[..], [one] if one.name == "a" && one.time.abs() < 1e-9),
                    "{fps} {start}"
                );
            }
        }
    }

    #[test]
    fn ranges_are_cut_and_time_codes_stay() {
        let rate = FrameRate::new(10.0).unwrap();
        let events = [
            event(0.0, "timecode 01:00:00:00"),
            event(0.2, "walk"),
            event(0.5, "step"),
            event(1.4, "run"),
            event(1.4, "walk end"),
            event(1.5, "step"),
            event(2.5, "run end"),
            event(2.6, "run"),
        ];
        let of = |frames: Range<usize>| -> Vec<(f64, String)> {
            let cut = Event::cut(&events, &frames, rate).into_iter();
            cut.map(|event| ((event.time * 10.0).round(), event.name)).collect()
        };
        let named = |cut: &[(f64, &str)]| -> Vec<(f64, String)> {
            cut.iter().map(|(frame, name)| (*frame, (*name).to_owned())).collect()
        };
        let code = (-10.0, "timecode 01:00:00:00");
        assert_eq!(
            of(10..20),
            named(&[code, (0.0, "walk"), (4.0, "run"), (4.0, "walk end"), (5.0, "step"), (9.0, "run end")])
        );
        // A range that ends on the first frame, or starts after the last, is outside.
        assert_eq!(of(25..27), named(&[(-25.0, "timecode 01:00:00:00"), (1.0, "run")]));
        assert_eq!(
            of(0..30),
            events.iter().map(|event| ((event.time * 10.0).round(), event.name.clone())).collect::<Vec<_>>()
        );
        assert_eq!(of(5..5), named(&[(-5.0, "timecode 01:00:00:00")]));
    }
}
