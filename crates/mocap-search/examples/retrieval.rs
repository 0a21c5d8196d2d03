//! How well motions of one class find each other: `retrieval FOLDER` with files `SET_CLASS_STYLE_NUMBER.bvh`.
//!
//! Prints the share of queries whose first hit has their class, the same without hits of their own style, and the mean
//! average precision.
#![allow(clippy::print_stdout, reason = "an example prints")]

use mocap_search::{Entry, FindOptions, Hit, Motion, Query, find_in};
use std::path::PathBuf;

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
    let [mut queries, mut first, mut styled, mut first_styled, mut precision] = [0.0; 5];
    for (at, clip) in clips.iter().enumerate() {
        let others = clips.iter().enumerate().filter(|(other, _)| *other != at);
        let mut hits: Vec<Hit> = others
            .filter_map(|(other, found)| find_in(&clip.query, (other, &found.entry), false, &options).pop())
            .collect();
        hits.sort_by(|a, b| a.score.total_cmp(&b.score));
        let relevant: Vec<bool> = hits.iter().map(|hit| clips[hit.entry].class == clip.class).collect();
        if !relevant.contains(&true) {
            continue;
        }
        queries += 1.0;
        first += f64::from(u8::from(relevant[0]));
        precision += average_precision(&relevant);
        let other_style: Vec<bool> = hits
            .iter()
            .filter(|hit| clips[hit.entry].style != clip.style)
            .map(|hit| clips[hit.entry].class == clip.class)
            .collect();
        if other_style.contains(&true) {
            styled += 1.0;
            first_styled += f64::from(u8::from(other_style[0]));
        }
    }
    println!(
        "{queries} queries: first hit {:.3}, of another style {:.3}, mean average precision {:.3}",
        first / queries,
        first_styled / styled,
        precision / queries
    );
}
