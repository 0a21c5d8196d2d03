//! `label-events`.

use std::collections::{BTreeMap, BTreeSet};

use mocap_model::{Annotations, Clip, Event};
use mocap_search::labels::{LabelQuery, label, side_name};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Group, Operation, Takes};
use crate::{EditError, EditReport};

/// Write the labels of `mocap label` into the motion as events, such as 'kick,left' where it starts and
/// 'kick,left end' where it ends
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct Label {}

impl Operation for Label {
    const NAME: &'static str = "label-events";
    const GROUP: Group = Group::Time;
    const TAKES: Takes = Takes::EachCharacter;
    const KEEPS_POSES: bool = true;
    const MAKES_EVENTS: bool = true;

    fn apply(&self, clip: &Clip) -> Result<(Clip, EditReport), EditError> {
        let (labelled, ranges) = with_labels(clip)?;
        let mut report = EditReport::measured(Self::NAME, clip, &labelled);
        let cues = cues(&clip.annotations().events);
        if !cues.is_empty() {
            let all: Vec<String> = cues.iter().map(|cue| format!("'{}' at {:.3} s", cue.name, cue.time)).collect();
            let message = format!(
                "events have the name of a label and no end, so they are kept as cues: {}",
                all.join(", ")
            );
            report.warn("edit::cue", message);
        }
        Ok((labelled, report.figure("ranges", ranges as f64, "")))
    }
}

/// The motion with its labels as events, and the number of ranges.
///
/// # Errors
/// Where the clip is not a moving human body.
pub fn with_labels(clip: &Clip) -> Result<(Clip, usize), EditError> {
    let segments = label(clip)
        .map_err(|error| EditError::Unlabelled { edit: Label::NAME, reason: error.to_string() })?;
    let Annotations { name, scalars, events } = clip.annotations().clone();
    // Labels that this edit wrote before are replaced, other events stay.
    let cues = cues(&events);
    let is_cue = |event: &Event| cues.contains(&event);
    let mut events: Vec<Event> =
        events.iter().filter(|event| !is_label(&event.name) || is_cue(event)).cloned().collect();
    for segment in &segments {
        let name = match side_name(segment.side) {
            Some(side) => format!("{},{side}", segment.label),
            None => segment.label.to_string(),
        };
        events.push(Event { time: segment.start, name: name.clone() });
        events.push(Event { time: segment.end, name: name + Event::END });
    }
    events.sort_by(|a, b| a.time.total_cmp(&b.time));
    let labelled = clip.clone().with_annotations(Annotations { name, scalars, events });
    Ok((labelled.map_err(|error| EditError::model(Label::NAME, error))?, segments.len()))
}

/// The names of the events of a motion (labels and cues) for a choice by the user, each once, without sides and ends.
pub fn event_names(clip: &Clip) -> Vec<String> {
    let name = |event: &Event| {
        let name = event.name.strip_suffix(Event::END).unwrap_or(&event.name);
        name.parse::<LabelQuery>().map_or_else(|_| name.to_owned(), |query| query.label.to_string())
    };
    let names: BTreeSet<String> = clip.annotations().events.iter().map(name).collect();
    names.into_iter().collect()
}

/// The user's events that have the name of a label. Events written by this edit differ: each start has an end.
fn cues(events: &[Event]) -> Vec<&Event> {
    let mut open: BTreeMap<&str, &Event> = BTreeMap::new();
    let mut sorted: Vec<&Event> = events.iter().filter(|event| is_label(&event.name)).collect();
    sorted.sort_by(|a, b| a.time.total_cmp(&b.time));
    let mut cues = Vec::new();
    for event in sorted {
        match event.name.strip_suffix(Event::END) {
            Some(label) => drop(open.remove(label)),
            None => cues.extend(open.insert(&event.name, event)),
        }
    }
    cues.extend(open.into_values());
    cues.sort_by(|a, b| a.time.total_cmp(&b.time));
    cues
}

/// Whether an event has the name of a label.
fn is_label(name: &str) -> bool {
    name.strip_suffix(Event::END).unwrap_or(name).parse::<LabelQuery>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edits::DropFirstFrame;
    use crate::fixtures::clip;
    use crate::{ApplyOptions, apply};

    fn events(clip: &Clip) -> Vec<(String, f64)> {
        clip.annotations().events.iter().map(|event| (event.name.clone(), event.time)).collect()
    }

    /// A cue of a user that has the name of a label stays, with a warning; ranges of an earlier run are replaced.
    #[test]
    fn ranges_become_events_and_are_replaced_by_a_second_run() {
        let walk = clip("alex_walk.bvh");
        let own = Annotations {
            events: [(0.1, "cue"), (0.2, "run"), (0.3, "jump"), (0.4, "jump end")]
                .map(|(time, name)| Event { time, name: name.into() })
                .to_vec(),
            ..Annotations::default()
        };
        let walk = walk.with_annotations(own).unwrap();
        let applied =
            |clip: &Clip| apply(clip.clone(), &[Label {}.into()], &ApplyOptions::default()).unwrap();
        let labelled = |clip: &Clip| applied(clip).clip;
        let once = labelled(&walk);
        let said = &applied(&walk).reports[0].warnings[0];
        assert!(said.code == "edit::cue" && said.message.ends_with("'run' at 0.200 s"), "{said:?}");
        let found = events(&once);
        let of = |name: &str| found.iter().find(|(found, _)| found == name).map(|(_, time)| *time);
        assert!(of("walk") < of("walk end") && of("walk").is_some(), "{found:?}");
        assert!(of("cue") == Some(0.1) && of("run") == Some(0.2) && of("jump").is_none(), "{found:?}");
        assert_eq!(events(&labelled(&once)), found);
    }

    #[test]
    fn a_rest_pose_before_the_motion_is_not_labelled() {
        let walk = clip("alex_walk.bvh");
        let fps = walk.rate().fps();
        let led = ApplyOptions { lead_in: 1, ..ApplyOptions::default() };
        let found = apply(walk.clone(), &[Label {}.into()], &led).unwrap().clip;
        let alone = apply(walk, &[DropFirstFrame {}.into(), Label {}.into()], &ApplyOptions::default()).unwrap();
        let expected = events(&alone.clip).into_iter().map(|(name, time)| (name, time + 1.0 / fps));
        for ((name, time), (expected, at)) in events(&found).into_iter().zip(expected) {
            assert!(name == expected && (time - at).abs() < 1e-9, "{name} {time} {expected} {at}");
        }
        assert!(!events(&found).is_empty());
    }
}
