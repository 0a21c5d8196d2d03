//! Labels against ranges that were marked by eye, and against the names of Bandai's classes.
//!
//! Both need captured motion files. A marked action is found if a range with its label covers a
//! third of it; a state (idle, walk, run, crouch, sit, kneel, crawl) is scored by its duration. The
//! first and last 0.2 s of a marked range are ignored.

use mocap_model::Clip;
use mocap_search::labels::{Label, Segment, label, side_name};
use std::collections::BTreeMap;
use std::ops::Range;

const MARKS: &str = include_str!("marks.tsv");
/// Tolerance of the ends of marked ranges \[s\].
const ENDS: f64 = 0.2;

struct Mark {
    label: Label,
    side: Option<String>,
    range: Range<f64>,
}

#[derive(Default)]
struct Marked {
    judged: Vec<String>,
    marks: Vec<Mark>,
}

fn marked() -> BTreeMap<&'static str, Marked> {
    let mut clips: BTreeMap<&str, Marked> = BTreeMap::new();
    for line in MARKS.lines().filter(|line| !line.starts_with('#')) {
        let [clip, name, side, start, end] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("five columns: {line}")
        };
        let clip = clips.entry(clip).or_default();
        if name == "-" {
            clip.judged = side.split(' ').map(str::to_owned).collect();
            continue;
        }
        let side = Some(side.to_owned()).filter(|side| !side.is_empty());
        let range = start.parse().unwrap()..end.parse().unwrap();
        clip.marks.push(Mark { label: name.parse().unwrap(), side, range });
    }
    clips
}

/// A motion of an AMC file; its skeleton has the same file name up to the number of the take.
fn acclaim(path: &str) -> Clip {
    use mocap_formats::{amc, asf};
    let file = mocap_corpus::folder().join(path);
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap();
    let take = stem.find('_').unwrap_or(stem.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    let skeleton = std::fs::read(file.with_file_name(format!("{}.asf", &stem[..take]))).expect(path);
    let skeleton = asf::parse(&skeleton, &Default::default()).unwrap().value;
    let motion = amc::parse(&std::fs::read(&file).expect(path), &Default::default()).unwrap().value;
    amc::to_clip(&skeleton, &motion, &Default::default()).unwrap().value
}

/// A clip of the corpus; if the corpus exists, the file must exist.
fn clip(path: &str) -> Clip {
    if path.ends_with(".amc") {
        return acclaim(path);
    }
    let bytes = std::fs::read(mocap_corpus::folder().join(path)).expect(path);
    let document = mocap_formats::bvh::parse(&bytes, &Default::default()).unwrap().value;
    let found = mocap_formats::bvh::to_clip(&document, &Default::default()).unwrap();
    // Conversions of the CMU database begin with a rest pose.
    let rest =
        found.warnings.iter().any(|warning| warning.remedy() == Some(mocap_formats::Remedy::DropFirstFrame));
    let clip = found.value;
    if rest { clip.trimmed(1..clip.frames()).unwrap() } else { clip }
}

fn is_state(label: Label) -> bool {
    use Label::{Crawl, Crouch, Idle, Kneel, Run, Sit, Walk};
    matches!(label, Idle | Walk | Run | Crouch | Sit | Kneel | Crawl)
}

fn overlap(a: &Range<f64>, b: &Range<f64>) -> f64 {
    (a.end.min(b.end) - a.start.max(b.start)).max(0.0)
}

/// The found and marked amounts of a label: numbers of ranges, or seconds.
#[derive(Default)]
struct Score {
    right: f64,
    found: f64,
    met: f64,
    marked: f64,
}

fn score(segments: &[Segment], marked: &Marked, scores: &mut BTreeMap<Label, Score>) {
    for label in Label::ALL {
        let family = label.name().strip_suffix("-left").or(label.name().strip_suffix("-right"));
        let judged =
            marked.judged.iter().any(|judged| judged == label.name() || Some(judged.as_str()) == family);
        if !judged {
            continue;
        }
        let score = scores.entry(*label).or_default();
        let found: Vec<(Range<f64>, Option<&str>)> = segments
            .iter()
            .filter(|segment| segment.label == *label)
            .map(|segment| (segment.start..segment.end, side_name(segment.side)))
            .collect();
        let marks: Vec<&Mark> = marked.marks.iter().filter(|mark| mark.label == *label).collect();
        if is_state(*label) {
            for (range, _) in &found {
                score.found += range.end - range.start;
                let wider = |mark: &Mark| overlap(range, &(mark.range.start - ENDS..mark.range.end + ENDS));
                score.right += marks.iter().map(|mark| wider(mark)).sum::<f64>().min(range.end - range.start);
            }
            for mark in &marks {
                let inner = mark.range.start + ENDS..mark.range.end - ENDS;
                score.marked += (inner.end - inner.start).max(0.0);
                score.met += found.iter().map(|(range, _)| overlap(range, &inner)).sum::<f64>();
            }
        } else {
            let meets = |mark: &Mark, (range, side): &(Range<f64>, Option<&str>)| {
                let shorter = (mark.range.end - mark.range.start).min(range.end - range.start);
                mark.side.as_deref() == *side && overlap(range, &mark.range) >= shorter / 3.0
            };
            score.found += found.len() as f64;
            score.right +=
                found.iter().filter(|one| marks.iter().any(|mark| meets(mark, one))).count() as f64;
            score.marked += marks.len() as f64;
            score.met += marks.iter().filter(|mark| found.iter().any(|one| meets(mark, one))).count() as f64;
        }
    }
}

fn labels_meet_the_marks() {
    let (mut scores, clips) = (BTreeMap::new(), marked());
    for (path, marked) in &clips {
        score(&label(&clip(path)).unwrap(), marked, &mut scores);
    }
    let mut table = format!("{} clips\n", clips.len());
    let mut missed = Vec::new();
    for (label, score) in &scores {
        let share = |part: f64, all: f64| (all > 0.0).then(|| part / all);
        let (precision, recall) = (share(score.right, score.found), share(score.met, score.marked));
        let shown = |share: Option<f64>| share.map_or("-".to_owned(), |share| format!("{share:.3}"));
        let unit = if is_state(*label) { "s" } else { "ranges" };
        table += &format!(
            "{label:10} precision {} ({:.1} of {:.1} {unit}), recall {} ({:.1} of {:.1} {unit})\n",
            shown(precision),
            score.right,
            score.found,
            shown(recall),
            score.met,
            score.marked
        );
        if precision.is_some_and(|share| share < 0.95) || recall.is_some_and(|share| share < 0.85) {
            missed.push(label.name());
        }
    }
    assert!(missed.is_empty(), "{missed:?}\n{table}");
    mocap_corpus::print_note(format_args!("{table}"));
}

/// Seconds of each label in the clips of a class.
fn seconds(class: &str) -> BTreeMap<Label, f64> {
    let mut seconds = BTreeMap::new();
    for (path, _) in mocap_corpus::files("bvh") {
        let of_class = path.split('_').nth(1) == Some(class) && path.starts_with("bandai2");
        if of_class {
            for segment in label(&clip(&path)).unwrap() {
                *seconds.entry(segment.label).or_default() += segment.end - segment.start;
            }
        }
    }
    seconds
}

fn classes_have_their_labels() {
    let share = |class: &str, label: Label, others: &[Label]| {
        let seconds = seconds(class);
        let of = |label: &Label| seconds.get(label).copied().unwrap_or(0.0);
        of(&label) / (of(&label) + others.iter().map(of).sum::<f64>())
    };
    let actions = [Label::Jump, Label::Kick, Label::Punch, Label::Throw, Label::Clap, Label::Wave];
    for (class, name, other) in [
        ("walk", Label::Walk, Label::Run),
        ("run", Label::Run, Label::Walk),
        ("walk-turn-left", Label::Walk, Label::Run),
    ] {
        let found = share(class, name, &[other]);
        let among_actions = share(class, name, &actions);
        mocap_corpus::print_note(format_args!(
            "{class}: {name} {found:.3}, among actions {among_actions:.3}"
        ));
        assert!(found >= 0.92 && among_actions >= 0.98, "{class}: {found} {among_actions}");
    }
    let turns = share("walk-turn-left", Label::TurnLeft, &[Label::TurnRight]);
    assert!(turns >= 0.95, "{turns}");
    let raised = seconds("raise-up-right-hand");
    assert!(actions.iter().all(|action| !raised.contains_key(action)), "{raised:?}");
}

mocap_corpus::tests! { labels_meet_the_marks, classes_have_their_labels }
