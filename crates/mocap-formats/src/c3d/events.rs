//! Events: of the group EVENT, else of the header. They are called by their context and label: `Left Foot Strike`.

use super::Problem;
use super::header::Header;
use super::parameters::Parameters;
use crate::{Finding, Warnings};
use mocap_model::{Event, FrameRate};

/// Contexts that a name starts with; another event is `General`.
const SIDES: [&str; 2] = ["Left", "Right"];
/// The value of word 150 where the header holds events.
const KEY: u16 = 12345;
/// Events that the header has room for.
const OF_HEADER: usize = 18;

/// The events of a file, by time from its first frame.
pub(super) fn read(
    header: &Header,
    parameters: &Parameters,
    (frames, rate): (usize, FrameRate),
    warnings: &mut Warnings,
) -> Vec<Event> {
    let mut events = of_group(parameters, warnings);
    if events.is_empty() {
        events = of_header(header);
    }
    let stated = parameters.long("TRIAL:ACTUAL_START_FIELD");
    let first = stated.unwrap_or_else(|| u64::from(header.word(4)));
    from_first_frame(&mut events, first, (frames, rate));
    events
}

/// Times count from frame 1 of the trial. A program that cut frames off may have counted them from the first frame that
/// is left: then events would lie before it.
fn from_first_frame(events: &mut [Event], first: u64, (frames, rate): (usize, FrameRate)) {
    let start = first.saturating_sub(1) as f64 * rate.frame_time();
    let half = 0.5 * rate.frame_time();
    let end = frames as f64 * rate.frame_time();
    let all_within = |start: f64| events.iter().all(|event| (-half..end).contains(&(event.time - start)));
    if all_within(0.0) && !all_within(start) {
        return;
    }
    events.iter_mut().for_each(|event| event.time -= start);
}

fn of_group(parameters: &Parameters, warnings: &mut Warnings) -> Vec<Event> {
    let all = |name: &str| -> Vec<&String> {
        let more = (2..).map(|number| parameters.texts(&format!("EVENT:{name}{number}")));
        let more = more.take_while(|texts| !texts.is_empty()).flatten();
        parameters.texts(&format!("EVENT:{name}")).iter().chain(more).collect()
    };
    let (contexts, labels, subjects) = (all("CONTEXTS"), all("LABELS"), all("SUBJECTS"));
    let more = (2..).map(|number| parameters.numbers(&format!("EVENT:TIMES{number}"), false));
    let mut times = parameters.numbers("EVENT:TIMES", false);
    times.extend(more.take_while(|times| !times.is_empty()).flatten());
    let stated = parameters.long("EVENT:USED").map_or(times.len() / 2, |used| used as usize);
    let several = subjects.iter().any(|subject| subject != &subjects[0]);
    let event = |(at, time): (usize, &[f64])| {
        let text = |texts: &[&String]| texts.get(at).map_or("", |text| text.as_str()).to_owned();
        // A minute and seconds.
        let time = time[0] * 60.0 + time[1];
        let (name, subject) = (named(&text(&contexts), &text(&labels)), text(&subjects));
        let name = if several && !subject.is_empty() { format!("{subject}:{name}") } else { name };
        time.is_finite().then_some(Event { time, name })
    };
    let events: Vec<Event> = times.chunks_exact(2).take(stated).enumerate().filter_map(event).collect();
    if events.len() != stated {
        warnings.push(Finding::new(Problem::Events { stated, found: events.len() }));
    }
    events
}

fn of_header(header: &Header) -> Vec<Event> {
    if header.word(150) != KEY {
        return Vec::new();
    }
    let count = usize::from(header.word(151)).min(OF_HEADER);
    let event = |at: usize| {
        // Times are floats from word 153 on, labels four letters from word 199 on.
        let label = header.bytes.get(396 + 4 * at..400 + 4 * at)?;
        let (label, _) = crate::text::decode_name(label);
        let time = f64::from(header.float(153 + 2 * at));
        let name = named("", label.trim_matches(|c: char| c == '\0' || c.is_whitespace()));
        time.is_finite().then_some(Event { time, name })
    };
    (0..count).filter_map(event).collect()
}

fn named(context: &str, label: &str) -> String {
    let label = if label.is_empty() { "Event" } else { label };
    match SIDES.iter().find(|side| side.eq_ignore_ascii_case(context)) {
        Some(side) => format!("{side} {label}"),
        None => label.to_owned(),
    }
}

/// The context and the label of an event.
pub(super) fn context_and_label(name: &str) -> (&'static str, &str) {
    let of = |side: &'static str| Some((side, name.strip_prefix(side)?.strip_prefix(' ')?));
    SIDES.into_iter().find_map(of).filter(|(_, label)| !label.is_empty()).unwrap_or(("General", name))
}

/// The two numbers of a time \[s\]: whole minutes, and seconds.
pub(super) fn minutes_and_seconds(time: f64) -> [f32; 2] {
    let minutes = (time / 60.0).floor().max(0.0);
    [minutes as f32, (time - minutes * 60.0) as f32]
}
