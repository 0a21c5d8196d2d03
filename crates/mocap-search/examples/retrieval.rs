//! How well motions of one class find each other: `retrieval FOLDER` with files `SET_CLASS_STYLE_NUMBER.bvh`.
//!
//! Prints the share of queries whose first hit has their class, the same without hits of their own
//! style, and the mean average precision. Then the same for a baseline: time warping of whole
//! motions by the angles between pairs of bones, without travel and turn.
#![allow(clippy::print_stdout, reason = "an example prints")]

use mocap_search::{Entry, FindOptions, Motion, Query, find_in};
use std::path::PathBuf;

/// Joint angles by sample \[rad\]: between the bones of limbs, trunk and head.
fn angles(motion: &Motion) -> Vec<Vec<f64>> {
    // Bones by the points at their ends; the origin is the middle of the hips.
    const HIPS: usize = usize::MAX;
    const BONES: [[usize; 2]; 11] = [
        [HIPS, 0],
        [HIPS, 1],
        [HIPS, 2],
        [1, 3],
        [3, 5],
        [2, 4],
        [4, 6],
        [HIPS, 7],
        [7, 9],
        [HIPS, 8],
        [8, 10],
    ];
    const JOINTS: [[usize; 2]; 10] =
        [[0, 1], [0, 2], [1, 3], [3, 4], [2, 5], [5, 6], [0, 7], [7, 8], [0, 9], [9, 10]];
    let of = |sample: &mocap_search::Sample| {
        let point = |at: usize| match at {
            HIPS => [0.0; 3],
            at => sample.points[at].map(f64::from),
        };
        let bone = |[a, b]: [usize; 2]| {
            let (a, b) = (point(a), point(b));
            mocap_model::Vector3::new(b[0] - a[0], b[1] - a[1], b[2] - a[2])
        };
        JOINTS.iter().map(|[a, b]| bone(BONES[*a]).angle(&bone(BONES[*b]))).collect()
    };
    motion.samples.iter().map(of).collect()
}

/// The mean squared difference of angles along the best path through both motions.
fn warped(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    let mut last = vec![(f64::INFINITY, 0.0_f64); b.len() + 1];
    last[0].0 = 0.0;
    for sample in a {
        let mut now = vec![(f64::INFINITY, 0.0_f64); b.len() + 1];
        for (at, other) in b.iter().enumerate() {
            let cost: f64 = sample.iter().zip(other).map(|(x, y)| (x - y).powi(2)).sum();
            let steps = [now[at], last[at + 1], last[at]];
            let best = steps.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("three steps");
            now[at + 1] = (best.0 + cost, best.1 + 1.0);
        }
        last = now;
    }
    let (cost, length) = last[b.len()];
    cost / length.max(1.0)
}

struct Named {
    class: String,
    style: String,
    entry: Entry,
    query: Query,
}

fn named(path: &PathBuf) -> Option<Named> {
    let stem = path.file_stem()?.to_str()?;
    let [_, class, style, _] = stem.split('_').collect::<Vec<_>>()[..] else { return None };
    let document = mocap_formats::bvh::parse(&std::fs::read(path).ok()?, &Default::default()).ok()?.value;
    let clip = mocap_formats::bvh::to_clip(&document, &Default::default()).ok()?.value;
    let motion = Motion::of(&clip).ok()?;
    let query = Query::new(&motion, None).ok()?;
    Some(Named { class: class.into(), style: style.into(), entry: Entry::new(motion), query })
}

fn average_precision(relevant: &[bool]) -> f64 {
    let (mut found, mut sum) = (0.0, 0.0);
    for (at, relevant) in relevant.iter().enumerate() {
        if *relevant {
            found += 1.0;
            sum += found / (at + 1) as f64;
        }
    }
    if found > 0.0 { sum / found } else { 0.0 }
}

fn main() {
    let folder = std::env::args().nth(1).expect("name a folder");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .flatten()
        .map(|file| file.path())
        .collect();
    paths.sort();
    let clips: Vec<Named> = paths.iter().filter_map(named).collect();
    let options = FindOptions { top: 1, both_sides: false };
    report("this search", &clips, |query, other| {
        find_in(&query.query, (0, &other.entry), false, &options).first().map(|hit| hit.score)
    });
    let angles: Vec<Vec<Vec<f64>>> = clips.iter().map(|clip| angles(&clip.entry.motion)).collect();
    let place =
        |clip: &Named| clips.iter().position(|other| std::ptr::eq(other, clip)).expect("it is one of them");
    report("time warping of joint angles", &clips, |query, other| {
        Some(warped(&angles[place(query)], &angles[place(other)]))
    });
}

/// Prints how well clips of one class find each other by a distance.
fn report(name: &str, clips: &[Named], distance: impl Fn(&Named, &Named) -> Option<f64>) {
    let [mut queries, mut first, mut styled, mut first_styled, mut precision] = [0.0; 5];
    for (at, clip) in clips.iter().enumerate() {
        let others = clips.iter().enumerate().filter(|(other, _)| *other != at);
        let mut hits: Vec<(f64, &Named)> =
            others.filter_map(|(_, other)| Some((distance(clip, other)?, other))).collect();
        hits.sort_by(|a, b| a.0.total_cmp(&b.0));
        let relevant: Vec<bool> = hits.iter().map(|(_, hit)| hit.class == clip.class).collect();
        if !relevant.contains(&true) {
            continue;
        }
        queries += 1.0;
        first += f64::from(u8::from(relevant[0]));
        precision += average_precision(&relevant);
        let other_style: Vec<bool> = hits
            .iter()
            .filter(|(_, hit)| hit.style != clip.style)
            .map(|(_, hit)| hit.class == clip.class)
            .collect();
        if other_style.contains(&true) {
            styled += 1.0;
            first_styled += f64::from(u8::from(other_style[0]));
        }
    }
    println!(
        "{name}: {queries} queries: first hit {:.3}, of another style {:.3}, mean average precision {:.3}",
        first / queries,
        first_styled / styled,
        precision / queries
    );
}
