//! Measures a solved take, and finds doubtful frames.

use crate::calibrate::Determined;
use crate::repair;
use crate::report::{
    BoneLength, DoubtfulFrames, MarkerResidual, Repairs, Residual, SegmentResidual, SolveReport,
};
use crate::subject::Subject;
use crate::take::Take;

/// A joint with a greater standard deviation is doubtful [m].
const UNSURE: f64 = 0.045;

pub(crate) fn report(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    distances: &[Option<f64>],
    determined: &Determined,
) -> SolveReport {
    let count = take.names.len();
    let joint_name = |marker: usize| {
        let joint = subject.attached[marker].joint;
        subject.skeleton.joints()[subject.body.joints[joint].source].name.clone()
    };
    let of_marker = |marker: usize| -> Vec<f64> {
        (0..take.frames).filter_map(|frame| distances[frame * count + marker]).collect()
    };
    let counted = |marker: usize| -> Vec<f64> {
        of_marker(marker).into_iter().filter(|distance| used[marker] && *distance <= repair::OFF).collect()
    };
    let all: Vec<f64> = (0..count).flat_map(counted).collect();
    let markers: Vec<MarkerResidual> = (0..count)
        .filter(|marker| !of_marker(*marker).is_empty())
        .map(|marker| {
            // Ghosts are left out as everywhere. For a marker that is not used, the row shows its distance.
            let shown = if used[marker] { counted(marker) } else { of_marker(marker) };
            let Residual { mean, p95, max, .. } = Residual::of(&shown);
            let sigma =
                determined.attachments.get(marker).copied().filter(|sigma| sigma.is_finite() && used[marker]);
            MarkerResidual {
                name: take.names[marker].clone(),
                segment: joint_name(marker),
                mean,
                p95,
                max,
                used: used[marker],
                sigma,
            }
        })
        .collect();
    let mut segments = Vec::new();
    for joint in 0..subject.body.joints.len() {
        let own: Vec<usize> =
            (0..count).filter(|marker| used[*marker] && subject.attached[*marker].joint == joint).collect();
        let Some(first) = own.first() else { continue };
        let found: Vec<f64> = own.iter().flat_map(|marker| counted(*marker)).collect();
        let Residual { mean, p95, max, .. } = Residual::of(&found);
        segments.push(SegmentResidual { name: joint_name(*first), markers: own.len(), mean, p95, max });
    }
    let length = |at: usize| subject.body.joints[subject.offsets[at].joint].offset.norm();
    let bones = subject
        .offsets
        .iter()
        .enumerate()
        .map(|(at, free)| BoneLength {
            name: subject.skeleton.joints()[subject.body.joints[free.joint].source].name.clone(),
            length: length(at),
            sigma: determined.offsets.get(at).copied().filter(|sigma| sigma.is_finite()),
            side_difference: free.twin.map(|twin| length(at) / length(twin) - 1.0),
        })
        .collect();
    let ghosts = (0..count)
        .filter(|marker| used[*marker])
        .flat_map(of_marker)
        .filter(|distance| *distance > repair::OFF)
        .count();
    let seen_at_all = |marker: &usize| used[*marker] && !of_marker(*marker).is_empty();
    let gaps = (0..count)
        .filter(seen_at_all)
        .map(|marker| (0..take.frames).filter(|frame| distances[frame * count + marker].is_none()).count())
        .sum();
    SolveReport {
        residual: Residual::of(&all),
        markers,
        segments,
        frames: Vec::new(),
        solved: 0.0,
        bones,
        repairs: Repairs { gaps, ghosts, swaps: 0 },
        props: Vec::new(),
    }
}

/// By frame: the joint with the greatest uncertainty, and that uncertainty \[m\].
pub(crate) type WorstKnown = [Option<(usize, f64)>];

/// Frames with too few markers, with markers that do not fit, with uncertain joints (`off`: by
/// frame), and with jumps.
pub(crate) fn doubtful(
    subject: &Subject,
    take: &Take,
    used: &[bool],
    distances: &[Option<f64>],
    (off, jumps): (&WorstKnown, &[Option<usize>]),
) -> Vec<DoubtfulFrames> {
    let count = take.names.len();
    let all = used.iter().filter(|used| **used).count().max(1);
    let good =
        |frame: usize, marker: usize| distances[frame * count + marker].is_some_and(|off| off <= repair::OFF);
    let lost = repair::lost(subject, take, used, distances);
    let strained = repair::strained(subject, take, used, distances);
    let name = |joint: usize| &subject.skeleton.joints()[subject.body.joints[joint].source].name;
    let mut reasons: Vec<Option<(f64, String)>> = Vec::with_capacity(take.frames);
    for frame in 0..take.frames {
        let seen = (0..count).filter(|marker| used[*marker] && good(frame, *marker)).count();
        let confidence = seen as f64 / all as f64;
        let reason = if let Some(joint) = lost[frame] {
            Some(format!("most markers near {} are not where the body carries them", name(joint)))
        } else if confidence < 0.5 {
            Some("fewer than half of the markers are where the body carries them".to_owned())
        } else {
            let unsure = off[frame].filter(|(_, sigma)| *sigma > UNSURE);
            let unsure =
                unsure.map(|(joint, _)| format!("too few markers determine the position of {}", name(joint)));
            let strained = strained[frame].map(|joint| {
                format!("markers near {} do not fit, and others are missing there", name(joint))
            });
            unsure
                .or(strained)
                .or(jumps[frame].map(|joint| format!("{} jumps between two frames", name(joint))))
        };
        reasons.push(reason.map(|reason| (confidence, reason)));
    }
    let mut ranges: Vec<DoubtfulFrames> = Vec::new();
    for (frame, reason) in reasons.into_iter().enumerate() {
        let Some((confidence, reason)) = reason else { continue };
        match ranges.last_mut() {
            Some(range) if range.last + 1 == frame && range.reason == reason => {
                range.last = frame;
                range.confidence = range.confidence.min(confidence);
            }
            _ => ranges.push(DoubtfulFrames { first: frame, last: frame, confidence, reason }),
        }
    }
    ranges
}
