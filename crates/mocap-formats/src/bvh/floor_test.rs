//! The floor test: the lowest height of a body if position channels replace OFFSET, and if they add to it.

use super::channels::{rotation, translation};
use super::document::{Document, NodeKind};
use super::reading::{LowestPoints, PositionMode};
use mocap_model::{Axis, UnitQuaternion, Vector3};

/// Number of frames that are sampled, at equal distances.
const FRAMES: usize = 200;
/// The percentile that counts as lowest: in 50 frames or more, a single outlier does not count.
const SHARE: f64 = 0.02;

/// The lowest points of a motion; `None` without frames, or with values that are not finite.
pub(super) fn lowest_points(document: &Document) -> Option<LowestPoints> {
    let (frames, width) = (document.frames(), document.channels());
    let motion = document.motion()?;
    if frames == 0 || width == 0 {
        return None;
    }
    let stem = stem(document);
    let vertical = vertical(document, &stem).index();
    let looked_at = frames.min(FRAMES);
    let (mut replace, mut add, mut extents, mut buffer) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for i in 0..looked_at {
        let frame = i * frames / looked_at;
        let row = motion.values_of(frame..frame + 1, width, &mut buffer);
        let [replaced, added] = heights(document, row, vertical, &stem);
        extents.push(replaced[1] - replaced[0]);
        replace.push(replaced[0]);
        add.push(added[0]);
    }
    let points = LowestPoints {
        replace: at_share(&mut replace, SHARE),
        add: at_share(&mut add, SHARE),
        extent: at_share(&mut extents, 1.0 - SHARE),
    };
    [points.replace, points.add, points.extent].iter().all(|value| value.is_finite()).then_some(points)
}

/// Nodes above the body, such as a reference in the studio far from the body: from each root down to the joint above
/// the first one that branches.
fn stem(document: &Document) -> Vec<bool> {
    let nodes = document.nodes();
    let mut children = vec![0; nodes.len()];
    nodes.iter().filter_map(|node| node.parent).for_each(|parent| children[parent] += 1);
    let mut stem: Vec<bool> = Vec::with_capacity(nodes.len());
    for (node, children) in nodes.iter().zip(children) {
        stem.push(children == 1 && node.parent.is_none_or(|parent| stem[parent]));
    }
    // A skeleton without a branch has no such nodes.
    let branches = nodes.iter().zip(&stem).any(|(node, stem)| node.kind != NodeKind::EndSite && !stem);
    if branches { stem } else { vec![false; nodes.len()] }
}

/// The vertical axis of the body at rest: Y, or Z where the body is much longer along Z.
fn vertical(document: &Document, stem: &[bool]) -> Axis {
    let mut places: Vec<Vector3<f64>> = Vec::with_capacity(document.nodes().len());
    for node in document.nodes() {
        // The offset of the body from the nodes above it is not part of its shape.
        let parent = node.parent.filter(|parent| !stem[*parent]);
        places.push(parent.map_or(Vector3::zeros(), |parent| places[parent] + node.offset));
    }
    let extent = |axis: usize| {
        let along = places.iter().map(|place| place[axis]);
        along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
    };
    if extent(2) > 2.0 * extent(1) { Axis::Z } else { Axis::Y }
}

/// The lowest and highest point of a frame if positions replace OFFSET, and if they add to it.
fn heights(document: &Document, row: &[f64], vertical: usize, stem: &[bool]) -> [[f64; 2]; 2] {
    const MODES: [PositionMode; 2] = [PositionMode::Replace, PositionMode::Add];
    let mut placed: Vec<(UnitQuaternion<f64>, [Vector3<f64>; 2])> =
        Vec::with_capacity(document.nodes().len());
    let mut range = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
    let mut column = 0;
    for (node, stem) in document.nodes().iter().zip(stem) {
        let values = &row[column..column + node.channels.len()];
        column += node.channels.len();
        // Channels of an end site have no effect.
        let (channels, values) = match node.kind {
            NodeKind::EndSite => (&[][..], &[][..]),
            NodeKind::Root | NodeKind::Joint => (&node.channels[..], values),
        };
        let local = MODES.map(|mode| translation(channels, values, node.offset, mode));
        let turn = rotation(channels, values);
        let here = match node.parent {
            None => (turn, local),
            Some(parent) => {
                let (above, places) = &placed[parent];
                (above * turn, [places[0] + above * local[0], places[1] + above * local[1]])
            }
        };
        for (range, place) in range.iter_mut().zip(&here.1).filter(|_| !stem) {
            *range = [range[0].min(place[vertical]), range[1].max(place[vertical])];
        }
        placed.push(here);
    }
    range
}

fn at_share(values: &mut [f64], share: f64) -> f64 {
    let at = ((values.len() - 1) as f64 * share) as usize;
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, bvh};

    /// A body of height 180 whose root has an OFFSET of 100, with these heights of the root.
    fn points(heights: &[f64]) -> LowestPoints {
        let rows: String = heights.iter().map(|height| format!("0 {height} 0 0 0 0 0 0 0 0 0 0\n")).collect();
        let text = format!(
            "HIERARCHY\nROOT hips\n{{\nOFFSET 0 100 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation \
             Yrotation\nJOINT foot\n{{\nOFFSET 0 -100 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{{\nOFFSET \
             0 0 10\n}}\n}}\nJOINT head\n{{\nOFFSET 0 80 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd \
             Site\n{{\nOFFSET 0 0 1\n}}\n}}\n}}\nMOTION\nFrames: {}\nFrame Time: 0.01\n{rows}",
            heights.len()
        );
        lowest_points(&bvh::parse(text.as_bytes(), &Limits::default()).unwrap().value).unwrap()
    }

    #[test]
    fn the_reading_with_feet_on_the_floor_is_the_likely_one() {
        let walking = points(&[98.0, 100.0, 101.0]);
        assert_eq!((walking.replace, walking.add, walking.extent), (-2.0, 98.0, 180.0));
        assert_eq!(walking.mode(), Some(PositionMode::Replace));
        assert_eq!(points(&[-2.0, 0.0, 1.0]).mode(), Some(PositionMode::Add));
        // A climb: positions are near the OFFSET most of the time, although they add to it.
        let climbs: Vec<f64> = (0..200).map(|i| f64::from((i * 2).min(150))).collect();
        assert_eq!(points(&climbs).mode(), Some(PositionMode::Add));
        // A place in the studio above the body does not count.
        let text = "HIERARCHY\nROOT studio\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT hips\n{\nOFFSET 5 100 -427\nCHANNELS 3 \
                    Xposition Yposition Zposition\nJOINT foot\n{\nOFFSET 0 -100 0\n}\nJOINT head\n{\nOFFSET 0 80 \
                    0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.01\n5 98 -427\n";
        let document = bvh::parse(text.as_bytes(), &Limits::default()).unwrap().value;
        let studio = lowest_points(&document).unwrap();
        assert_eq!((studio.replace, studio.add, studio.extent), (-2.0, 98.0, 180.0));
        // Neither reading puts the body on a floor.
        assert_eq!(points(&[500.0, 501.0]).mode(), None);
    }
}
